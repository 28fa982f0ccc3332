/** @file ahead.c  Blocks in a ring: who finds a free one and nobody reading reads the next bytes into it, lets the next
 * one read, and takes the plain lines of what it has. What stands behind the last line end is copied to the next block.
 *
 * Lock: one, for the numbers and states; nobody reads, parses or calls anything under it. A block belongs to the thread that
 * fills it until it is done, then to the loader until the next one is asked for, and, if the loader took its arcs to be dealt out, to the
 * thread that does it. Blocks are dealt out in any order, and become free in theirs. */
#include "algorithms/graph/ahead.h"
#include "algorithms/graph/deal.h"
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
    char *memory;  /* of text and arcs */
    size_t tail;   /* bytes behind the block that belong to the next one */
    uint64_t rows; /* of METIS text in front of it */
    int inside;    /* it begins within a line */
    int done;
    int dealt;          /* nothing in it is to be dealt out any more */
    weir_status status; /* of the read behind it */
    struct weir__sentence sentence;
};

/* A thread beside the loader's, which is number 0. */
struct reader {
    weir__ahead *ahead;
    uint32_t number;
    pthread_t thread;
};

struct weir__ahead {
    weir_observer *observer; /* of the thread that began; NULL: it has none */
    weir__plain_form form;
    struct weir__ahead_source source;
    size_t block_bytes;
    pthread_mutex_t lock; /* guards all below up to the ring, and slot.done */
    pthread_cond_t changed;
    uint64_t read;      /* blocks that were read */
    uint64_t given;     /* of them the loader has done with */
    uint64_t come_to;   /* of these somebody has looked whether they are to be dealt out */
    uint64_t freed;     /* of these nobody needs any more */
    weir__early *early; /* by whom; of the loader's thread */
    int reading;        /* somebody is */
    uint64_t rows;      /* of METIS text in what was read; of who reads, as `inside` */
    int inside;         /* what was read ends within a line */
    int ended;          /* nothing more is to be read */
    int stopped;
    int held; /* the loader has a block */
    uint32_t slots;
    struct slot *slot; /* block i lies in i % slots */
    uint32_t threads;
    struct reader reader[THREADS_MAX];
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

static void take_plain(weir__ahead *a, struct slot *slot)
{
    weir__block *block = &slot->block;
    block->taken = 0;
    block->plain.count = 0;
    if (!slot->inside &&
        (block->last || (block->bytes > 0 && block->text[block->bytes - 1] == '\n')))
        block->taken = (size_t)(weir__plain_take(&a->form, slot->rows, block->text,
                                                 block->text + block->bytes, &block->plain) -
                                block->text);
    if (!block->plain.tangled)
        weir__plain_mark_runs(&block->plain);
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
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    take_plain(a, slot);
    pthread_mutex_lock(&a->lock);
    slot->done = 1;
    pthread_cond_broadcast(&a->changed);
}

/* Look at the next block that the loader has done with, and deal it out if that is wanted; the lock is held on entry and on return. */
static void deal_once(weir__ahead *a, uint32_t who)
{
    struct slot *slot = &a->slot[a->come_to++ % a->slots];
    weir__early *early = slot->block.plain.deal_to;
    if (early) {
        pthread_mutex_unlock(&a->lock);
        weir__early_deal(early, who, &slot->block.plain);
        pthread_mutex_lock(&a->lock);
        slot->block.plain.deal_to = NULL;
    }
    slot->dealt = 1;
    while (a->freed < a->come_to && a->slot[a->freed % a->slots].dealt)
        a->slot[a->freed++ % a->slots].dealt = 0;
    pthread_cond_broadcast(&a->changed);
}

/* What there is to do; the lock is held on entry and on return. While one thread reads, which no other can, blocks that were taken keep the others at
 * work, so more is read as soon as it can be. @return 0: nothing is to be done. */
static int do_one(weir__ahead *a, uint32_t who)
{
    if (may_read(a))
        work_once(a);
    else if (a->come_to < a->given)
        deal_once(a, who);
    else
        return 0;
    return 1;
}

static void *work(void *user)
{
    const struct reader *reader = user;
    weir__ahead *a = reader->ahead;
    (void)weir__activity_aside(a->observer); /* what this thread reads is a part of that call */
    pthread_mutex_lock(&a->lock);
    while (!a->stopped)
        if (!do_one(a, reader->number))
            pthread_cond_wait(&a->changed, &a->lock);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* The loader has done with its block. @return why there is none behind it, or WEIR_OK. */
static weir_status give_back(weir__ahead *a)
{
    struct slot *slot = &a->slot[a->given % a->slots];
    if (!a->held)
        return WEIR_OK;
    a->held = 0;
    if (slot->status) {
        weir__fail_restore(&slot->sentence);
        return slot->status;
    }
    slot->done = 0;
    a->given++;
    if (slot->block.plain.deal_to || a->come_to + 1 < a->given)
        pthread_cond_broadcast(&a->changed);
    else
        deal_once(a, 0); /* which only frees it */
    return WEIR_OK;
}

weir_status weir__ahead_next(weir__ahead *a, weir__block **block_out)
{
    pthread_mutex_lock(&a->lock);
    weir_status status = give_back(a);
    struct slot *slot = &a->slot[a->given % a->slots];
    while (!status && !slot->done)
        if (!do_one(a, 0))
            pthread_cond_wait(&a->changed, &a->lock);
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
    for (struct reader *reader = a->reader; a->threads + 1 < threads; reader++) {
        *reader = (struct reader){.ahead = a, .number = a->threads + 1};
        if (pthread_create(&reader->thread, NULL, work, reader))
            break;
        a->threads++;
    }
    *ahead_out = a;
    return WEIR_OK;
}

void weir__ahead_settle(weir__ahead *a)
{
    pthread_mutex_lock(&a->lock);
    struct slot *slot = &a->slot[a->given % a->slots];
    if (a->held && slot->block.plain.deal_to) { /* the loader's own, which it may look at further */
        pthread_mutex_unlock(&a->lock);
        weir__early_deal(slot->block.plain.deal_to, 0, &slot->block.plain);
        pthread_mutex_lock(&a->lock);
        slot->block.plain.deal_to = NULL;
    }
    while (a->freed < a->given)
        if (a->come_to < a->given)
            deal_once(a, 0);
        else
            pthread_cond_wait(&a->changed, &a->lock);
    pthread_mutex_unlock(&a->lock);
}

void weir__ahead_deal(weir__ahead *a, weir__early *early)
{
    if (!early) {
        pthread_mutex_lock(&a->lock);
        for (uint64_t i = a->come_to; i < a->given + (a->held != 0); i++)
            a->slot[i % a->slots].block.plain.deal_to = NULL;
        pthread_mutex_unlock(&a->lock);
        weir__ahead_settle(a);
    } else if (early != a->early) {
        weir__early_source(early, a);
    }
    a->early = early;
}

void weir__ahead_stop(weir__ahead *a)
{
    if (!a)
        return;
    if (a->early) {
        weir__ahead_settle(a);
        weir__early_source(a->early, NULL);
    }
    pthread_mutex_lock(&a->lock);
    a->stopped = 1;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    while (a->threads > 0)
        pthread_join(a->reader[--a->threads].thread, NULL);
    for (uint32_t i = 0; a->slot && i < a->slots; i++) {
        free(a->slot[i].sentence.text);
        free(a->slot[i].memory);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a->slot);
    free(a);
}
