/** @file ahead.c  Blocks in a ring: who finds a free one and nobody reading reads the next bytes into it, lets the next
 * one read, and takes the plain lines of what it has. What stands behind the last line end is copied to the next block.
 *
 * Lock: one, for the numbers and states; nobody reads, parses or calls anything under it. A block belongs to the thread that
 * fills it until it is done, then to the loader until the next one is asked for. */
#include "algorithms/graph/ahead.h"
#include "algorithms/graph/read.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Small enough that text and arcs of a block stay in a core's cache. */
#define BLOCK_BYTES (256u << 10)
#define THREADS_MAX 32
#define ARC_BYTES   4 /* "0 1" and an end: no line takes fewer */
/* METIS text may have two bytes an arc, in blocks of some 2^19 bytes; a row that needs a longer one has other neighbours in each
 * word, of 6 digits and more. */
#define ROW_ARCS (1u << 18)
#define BEHIND   16 /* zeros that may be read behind a text */

struct slot {
    weir__block block;
    char *memory; /* of text and arcs */
    uint32_t dealt_end[WEIR__STRETCHES_MAX];
    size_t tail;   /* bytes behind the block that belong to the next one */
    uint64_t rows; /* of METIS text in front of it */
    int inside;    /* it begins within a line */
    int done;
    weir_status status; /* of the read behind it */
    struct weir__sentence sentence;
};

struct weir__ahead {
    weir_observer *observer; /* of the thread that began; NULL: it has none */
    weir__plain_form form;
    struct weir__ahead_source source;
    size_t block_bytes;
    pthread_mutex_t lock; /* guards all below up to the ring, and slot.done */
    pthread_cond_t changed;
    uint64_t read, freed; /* blocks that were read, and that the loader has done with */
    int reading;          /* somebody is */
    uint64_t rows;        /* of METIS text in what was read; of who reads, as `inside` */
    int inside;           /* what was read ends within a line */
    int ended;            /* nothing more is to be read */
    int stopped;
    int held;   /* the loader has a block */
    int mapped; /* `map` is there, and does not change any more */
    weir__deal_map map;
    uint32_t slots;
    struct slot *slot; /* block i lies in i % slots */
    uint32_t threads;
    pthread_t thread[THREADS_MAX];
};

static size_t pretended; /* see weir__ahead_pretend() */

void weir__ahead_pretend(size_t bytes)
{
    pretended = bytes;
}

/* Where a part of a line that is longer than a block ends: behind a blank, so that its last word is whole. 0: it has no blank. */
static size_t last_word(const char *text, size_t have)
{
    while (have > 0 && text[have - 1] != ' ' && text[have - 1] != '\t')
        have--;
    return have;
}

/* Read until there is a line end behind enough bytes. @p known: no end is in front of it. */
static weir_status fill(weir__ahead *a, struct slot *slot, size_t known)
{
    weir__block *block = &slot->block;
    size_t have = known, whole = 0;
    weir_status status = WEIR_OK;
    while (!block->last && !status && have <= WEIR__LINE_MAX &&
           (!whole || (have < a->block_bytes / 2 && !a->source.hasty))) {
        size_t got = 0, room = WEIR__LINE_MAX + 1 - have;
        status = a->source.pull(a->source.user, block->text + have,
                                room < a->block_bytes ? room : a->block_bytes, &got);
        const char *end = memrchr(block->text + have, '\n', got);
        if (end)
            whole = (size_t)(end + 1 - block->text);
        have += got;
        block->last = !status && got == 0;
    }
    if (!whole && !block->last && !status && a->form.rows)
        whole = last_word(block->text, have);
    block->bytes = block->last || !whole ? have : whole;
    slot->tail = have - block->bytes;
    if (status) { /* the rest is lost: its line would look cut short */
        slot->sentence = weir__fail_keep();
        block->bytes = whole;
        slot->tail = 0;
    }
    return status;
}

/* Fill the block after the last one that was read. */
static void read_block(weir__ahead *a, uint64_t number)
{
    struct slot *slot = &a->slot[number % a->slots];
    const struct slot *before = &a->slot[(number + a->slots - 1) % a->slots];
    const size_t known = number ? before->tail : 0;
    slot->block.last = 0;
    if (known > 0)
        memcpy(slot->block.text, before->block.text + before->block.bytes, known);
    slot->status = fill(a, slot, known);
    memset(slot->block.text + slot->block.bytes + slot->tail, 0, BEHIND);
    if (slot->block.last || slot->status)
        slot->block.text[slot->block.bytes] = '\n';
    slot->rows = a->rows;
    slot->inside = a->inside;
    if (a->form.rows)
        a->rows +=
            weir__plain_rows(slot->block.text, slot->block.text + slot->block.bytes, &a->inside);
    else if (slot->block.bytes > 0)
        a->inside = slot->block.text[slot->block.bytes - 1] != '\n';
}

/* Arcs in no order, while they are in this core's cache. Without memory the loader does it. */
static void deal_out(const weir__deal_map *map, struct slot *slot)
{
    weir__plain *plain = &slot->block.plain;
    const uint64_t bytes = (plain->count << (map->mirror != 0)) * sizeof(struct weir__arc_u32);
    if (bytes > plain->dealt_bytes) {
        free(plain->dealt);
        plain->dealt_bytes = bytes + bytes / 8;
        if (weir__alloc(1, plain->dealt_bytes, "file buffer", &plain->dealt))
            plain->dealt_bytes = 0;
    }
    plain->dealt_end = slot->dealt_end;
    weir__plain_deal(map, plain);
}

/* @param[in] map  NULL: there is none yet. */
static void take_plain(weir__ahead *a, const weir__deal_map *map, struct slot *slot)
{
    weir__block *block = &slot->block;
    block->plain.is_dealt = 0;
    block->taken = 0;
    block->plain.count = 0;
    if (!slot->inside &&
        (block->last || (block->bytes > 0 && block->text[block->bytes - 1] == '\n')))
        block->taken = (size_t)(weir__plain_take(&a->form, slot->rows, block->text,
                                                 block->text + block->bytes, &block->plain) -
                                block->text);
    if (!block->plain.tangled)
        weir__plain_mark_runs(&block->plain);
    if (map && (block->plain.tangled || map->mirror) && block->plain.count)
        deal_out(map, slot);
}

/* Whether a block may be read now; the lock is held. */
static int may_read(const weir__ahead *a)
{
    return !a->reading && !a->ended && !a->stopped && a->read < a->freed + a->slots;
}

/* Read a block, and take its plain lines; the lock is held on entry and on return. */
static void work_once(weir__ahead *a)
{
    const uint64_t number = a->read;
    struct slot *slot = &a->slot[number % a->slots];
    a->reading = 1;
    pthread_mutex_unlock(&a->lock);
    read_block(a, number);
    pthread_mutex_lock(&a->lock);
    a->reading = 0;
    a->read++;
    a->ended = slot->block.last || slot->status;
    const weir__deal_map *map = a->mapped ? &a->map : NULL;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    take_plain(a, map, slot);
    pthread_mutex_lock(&a->lock);
    slot->done = 1;
    pthread_cond_broadcast(&a->changed);
}

static void *work(void *user)
{
    weir__ahead *a = user;
    (void)weir__activity_aside(a->observer); /* what this thread reads is a part of that call */
    pthread_mutex_lock(&a->lock);
    while (!a->ended && !a->stopped) {
        if (may_read(a))
            work_once(a);
        else
            pthread_cond_wait(&a->changed, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* The loader has done with its block. @return why there is none behind it, or WEIR_OK. */
static weir_status give_back(weir__ahead *a)
{
    struct slot *slot = &a->slot[a->freed % a->slots];
    if (!a->held)
        return WEIR_OK;
    a->held = 0;
    if (slot->status) {
        weir__fail_restore(&slot->sentence);
        return slot->status;
    }
    slot->done = 0;
    a->freed++;
    pthread_cond_broadcast(&a->changed);
    return WEIR_OK;
}

weir_status weir__ahead_next(weir__ahead *a, weir__block **block_out)
{
    pthread_mutex_lock(&a->lock);
    weir_status status = give_back(a);
    struct slot *slot = &a->slot[a->freed % a->slots];
    while (!status && !slot->done) {
        if (may_read(a))
            work_once(a);
        else
            pthread_cond_wait(&a->changed, &a->lock);
    }
    a->held = !status;
    pthread_mutex_unlock(&a->lock);
    *block_out = status ? NULL : &slot->block;
    return status;
}

/* Memory of each block by itself, so that pages which no text needs are never touched: larger pieces come in large pages. */
static weir_status reserve(weir__ahead *a, uint32_t threads)
{
    const size_t lines = a->block_bytes / 2 / ARC_BYTES * 3 + 2;
    const size_t room = a->form.rows ? ROW_ARCS : lines, text = WEIR__LINE_MAX + BEHIND + 64,
                 arcs = (room + 8) & ~(size_t)7;
    const size_t each =
        text / 64 * 64 +
        arcs * (8 + sizeof(struct weir__run) + (a->form.weighted ? sizeof(double) : 0)) + 64;
    weir_status status;
    a->slots = threads + 2;
    if ((status = weir__calloc(a->slots, sizeof *a->slot, "file buffer", &a->slot)))
        return status;
    for (uint32_t i = 0; i < a->slots; i++) {
        if ((status = weir__alloc(1, each, "file buffer", &a->slot[i].memory)))
            return status;
        char *at = a->slot[i].memory;
        weir__block *block = &a->slot[i].block;
        block->plain.weights = a->form.weighted ? (double *)(void *)at : NULL;
        at += a->form.weighted ? arcs * sizeof(double) : 0;
        block->plain.sources = (uint32_t *)(void *)at;
        block->plain.targets = block->plain.sources + arcs;
        block->plain.room = room;
        block->text = at + arcs * 8;
        block->plain.runs = (void *)(block->text + text / 64 * 64);
    }
    return WEIR_OK;
}

static uint32_t threads_for(const weir__ahead *a, uint32_t threads)
{
    const uint64_t blocks = a->source.bytes / a->block_bytes;
    if (a->source.hasty || blocks == 0)
        return 1;
    if (threads == 0)
        threads = weir__cores();
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    return threads < blocks ? threads : (uint32_t)blocks;
}

weir_status weir__ahead_start(const weir__plain_form *form, const struct weir__ahead_source *source,
                              uint32_t threads, weir__ahead **ahead_out)
{
    weir__ahead *a;
    weir_status status = weir__calloc(1, sizeof *a, "file buffer", &a);
    *ahead_out = NULL;
    if (status)
        return status;
    a->form = *form;
    a->source = *source;
    a->inside = source->inside;
    a->observer = weir__activity_observer();
    a->block_bytes = pretended ? pretended : BLOCK_BYTES;
    threads = threads_for(a, threads);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if ((status = reserve(a, threads))) {
        weir__ahead_stop(a);
        return status;
    }
    while (a->threads + 1 < threads && pthread_create(&a->thread[a->threads], NULL, work, a) == 0)
        a->threads++;
    *ahead_out = a;
    return WEIR_OK;
}

void weir__ahead_deal(weir__ahead *a, const weir__deal_map *map)
{
    pthread_mutex_lock(&a->lock);
    if (!a->mapped)
        a->map = *map;
    a->mapped = 1;
    pthread_mutex_unlock(&a->lock);
}

void weir__ahead_stop(weir__ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stopped = 1;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    while (a->threads > 0)
        pthread_join(a->thread[--a->threads], NULL);
    for (uint32_t i = 0; a->slot && i < a->slots; i++) {
        free(a->slot[i].sentence.text);
        free(a->slot[i].block.plain.dealt);
        free(a->slot[i].memory);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a->slot);
    free(a);
}
