/** @file deal_early.c  Arcs dealt out to stretches of vertices while they are read.
 *
 * A text whose arcs come in no order would become a list that is read twice more before its rows are made. Here the threads that take
 * lines also deal out the arcs of a block, once the loader has taken it (ahead.h). How large stretches will be is told by the first block,
 * whose arcs stand for all, and partly by the number of vertices alone, for texts whose first arcs are of another kind. Where that was
 * wrong a list is made again.
 *
 * Each thread, a *dealer*, collects the arcs of a stretch in a few bytes of its own, and puts them where they stay when these are full lines of
 * the caches: past the caches, which would read the lines first and have no room for one of each stretch and what else is at work.
 *
 * Memory comes in slabs, each for the chunks of some stretches that follow each other, so that it goes back as a whole when rows were
 * made of these. A chunk is filled by one dealer. Of small slabs, pages that no chunk needs are never touched; where there are many arcs, slabs
 * are large pages.
 *
 * Lock: one, for slabs and chunks that are added; all else belongs to a dealer, or to the loader's thread, which hands blocks to dealers and
 * gets them back by the lock of ahead.c. A dealer fences what it stored past the caches before it gives a block back. */
#include "algorithms/graph/ahead.h"
#include "algorithms/graph/deal.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EXPECTED_LEAST (UINT64_C(1) << 17) /* arcs: of fewer a list is as fast */
#define SEEN_LEAST     (UINT64_C(1) << 12) /* arcs, which stretches are made by */
#define LIST_MOST      8u /* of so many arcs one, at the most, may be in a list already */
#define STRETCH_LEAST \
    (UINT64_C(1) << 15)           /* with the buffers that it is sorted in it fits into a cache */
#define CHUNK_LEAST UINT64_C(320) /* bytes: with one collection in it */
#define CHUNK_MOST  (UINT64_C(16) << 10)
#define CHUNKS      8u /* of an even stretch, and of each dealer as many as this leaves it */
#define SLAB_BYTES  (UINT64_C(512) << 10)
#define LARGE_PAGE  (UINT64_C(2) << 20)
#define LARGE_LEAST (UINT64_C(16) << 20) /* bytes of all arcs, where slabs are large pages */
#define LARGE_GROUP (UINT64_C(8) << 20)  /* and those of a group then */
#define GROUPS      64u
#define UNEVEN      4u                  /* times the arcs, or the vertices, of an even stretch */
#define UNEVEN_ARCS (UINT64_C(1) << 19) /* and so many */
#define UNEVEN_ROWS (UINT64_C(1) << 18)
#define LINE        64u
#define SPARE \
    8u /* one vertex in so many may be higher than those that are there tell of, so that keys have room for it */
#define LIST_PIECE 1024u /* arcs of a list that are dealt out together */
#define LINES \
    4u /* that a dealer collects: a whole number of arcs, and few jumps that are mispredicted */
#define LINES_WIDE 3u /* of arcs of 12 bytes */

static uint64_t pretended; /* see weir__early_pretend() */

void weir__early_pretend(uint64_t arcs)
{
    pretended = arcs;
}

struct pile {
    struct weir__chunk *first;
    uint64_t room;  /* of its chunks, in arcs */
    uint64_t count; /* arcs, once all are there */
};

struct slab {
    struct slab *next;
};

/* Stretches that share slabs. */
struct group {
    struct slab *slabs;
    char *at; /* free bytes of the last slab */
    uint64_t left;
    uint32_t waiting; /* stretches of which rows have not been made; atomic */
};

/* Where a dealer puts the arcs of a stretch next. */
struct place {
    struct weir__chunk *chunk;
    char *to;      /* in it */
    uint32_t left; /* of its arcs, a multiple of those that are collected */
};

struct dealer {
    void *memory;                        /* of all this */
    char *lines;                         /* of each stretch, as many bytes as are collected */
    uint32_t count[WEIR__STRETCHES_MAX]; /* arcs that it had of each */
    struct place place[WEIR__STRETCHES_MAX];
};

struct weir__early {
    weir__deal_map map;
    weir_weight_kind kind;
    struct weir__ahead *ahead; /* who reads; NULL: nobody does */
    uint64_t first[WEIR__STRETCHES_MAX + 1];
    uint64_t arcs, granted; /* there are, and there was found to be memory for */
    uint64_t expected;      /* of `arcs` in the end */
    uint64_t most;          /* of a stretch then, if they are even */
    size_t bytes;           /* of an arc */
    uint32_t together;      /* arcs that are collected */
    uint32_t chunk_room;    /* arcs of a chunk, a multiple of that */
    uint64_t slab_bytes;
    uint32_t per_group;
    pthread_mutex_t lock; /* guards groups, piles and these up to there */
    struct group group[GROUPS];
    struct pile pile[WEIR__STRETCHES_MAX];
    int heavy;   /* a stretch has more than `most`; relaxed atomic, set only, as the next one */
    int lacking; /* there was no memory for some arcs */
    struct dealer
        *dealer[WEIR__DEALERS_MAX]; /* each made by its thread when it comes for the first time */
};

/* ---- memory ----------------------------------------------------------------------------------------- */

static struct group *group_of(struct weir__early *early, uint32_t stretch)
{
    return &early->group[stretch / early->per_group];
}

static void free_slabs(const struct weir__early *early, struct group *group)
{
    while (group->slabs) {
        struct slab *slab = group->slabs;
        group->slabs = slab->next;
        /* A hole between others may be one mapping too many for the system; pages go in any case. */
        if (munmap(slab, early->slab_bytes))
            (void)madvise(slab, early->slab_bytes, MADV_DONTNEED);
    }
}

void weir__early_source(struct weir__early *early, struct weir__ahead *ahead)
{
    early->ahead = ahead;
}

static void free_dealers(struct weir__early *early)
{
    for (uint32_t i = 0; i < WEIR__DEALERS_MAX; i++) {
        if (early->dealer[i])
            free(early->dealer[i]->memory);
        early->dealer[i] = NULL;
    }
}

void weir__early_free(struct weir__early *early)
{
    if (!early)
        return;
    if (early->ahead)
        weir__ahead_deal(early->ahead, NULL);
    free_dealers(early);
    for (uint32_t g = 0; g < GROUPS; g++)
        free_slabs(early, &early->group[g]);
    pthread_mutex_destroy(&early->lock);
    free(early);
}

void weir__early_drop(struct weir__early *early, uint32_t stretch)
{
    struct group *group = group_of(early, stretch);
    /* Acquire and release: what others read of the slabs they read before these go. */
    if (__atomic_sub_fetch(&group->waiting, 1, __ATOMIC_ACQ_REL) == 0)
        free_slabs(early, group);
}

/* Straight from the system: an allocator may keep what is freed. @return NULL: there is none. */
static void *map_slab(uint64_t bytes)
{
    const uint64_t more = bytes == LARGE_PAGE ? LARGE_PAGE - SLAB_BYTES : 0;
    char *memory =
        mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (!more)
        return memory;
    const uint64_t before = -(uintptr_t)memory & (LARGE_PAGE - 1);
    if (before > more) { /* half a large page is none */
        (void)munmap(memory + bytes, more);
        return memory;
    }
    if (before > 0)
        (void)munmap(memory, before);
    if (more > before)
        (void)munmap(memory + before + bytes, more - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(memory + before, bytes, MADV_HUGEPAGE);
#endif
    return memory + before;
}

/* The lock is held. @param[out] slab_out  one that was added, and what its `next` is to be, for when it is not held any more: the first touch of a
 * slab may take long. @return 0: there is no memory. */
static int add_slab(const struct weir__early *early, struct group *group, struct slab **slab_out,
                    struct slab *next_out)
{
    struct slab *slab = map_slab(early->slab_bytes);
    if (!slab)
        return 0;
    *slab_out = slab;
    next_out->next = group->slabs;
    group->slabs = slab;
    group->at = (char *)slab + LINE; /* keeps chunks aligned */
    group->left = early->slab_bytes - LINE;
    return 1;
}

/* @return NULL: there is no memory. @par Threads  any. */
static struct weir__chunk *add_chunk(struct weir__early *early, uint32_t stretch)
{
    struct group *group = group_of(early, stretch);
    struct pile *pile = &early->pile[stretch];
    const uint64_t bytes = WEIR__CHUNK_HEAD + early->chunk_room * early->bytes;
    struct weir__chunk *chunk = NULL, *next = NULL;
    struct slab *slab = NULL, head;
    pthread_mutex_lock(&early->lock);
    if (group->left >= bytes || add_slab(early, group, &slab, &head)) {
        chunk = (void *)group->at;
        group->at += bytes;
        group->left -= bytes;
        next = pile->first;
        pile->first = chunk;
        pile->room += early->chunk_room;
        if (pile->room > early->most)
            __atomic_store_n(&early->heavy, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&early->lock);
    if (slab)
        *slab = head;
    if (chunk)
        *chunk = (struct weir__chunk){.next = next};
    return chunk;
}

/* ---- dealers ------------------------------------------------------------------------------------------ */

/* @return NULL: there is no memory. */
static struct dealer *dealer_of(struct weir__early *early, uint32_t who)
{
    struct dealer *dealer = early->dealer[who];
    const size_t lines = early->together * early->bytes * early->map.stretches;
    char *memory;
    if (dealer || weir__calloc(1, sizeof *dealer + lines + 2 * LINE, "arcs", &memory))
        return dealer;
    dealer = (void *)memory;
    dealer->memory = memory;
    dealer->lines = memory + sizeof *dealer;
    dealer->lines += -(uintptr_t)dealer->lines & (LINE - 1);
    return early->dealer[who] = dealer;
}

/* Whole lines of the caches, past these. */
static inline __attribute__((always_inline)) void put_lines(char *to, const char *from,
                                                            size_t bytes)
{
#ifdef __SSE2__
#pragma GCC unroll 4
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_load_si128((const __m128i *)(const void *)(from + i)));
#else
    memcpy(to, from, bytes);
#endif
}

/* What was stored past the caches comes before what this thread stores from here on: the state of the block under the lock of ahead.c, behind which
 * the loader's thread, and who makes rows of it, read it. Other stores have that order by the lock alone. */
static void fence_lines(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* A stretch's place in a new chunk. @return 0: there is no memory. */
static __attribute__((noinline)) int next_chunk(struct weir__early *early, struct place *place,
                                                uint32_t stretch)
{
    if (place->chunk)
        place->chunk->count = early->chunk_room;
    struct weir__chunk *chunk = add_chunk(early, stretch);
    if (!chunk) {
        place->chunk = NULL;
        __atomic_store_n(&early->lacking, 1, __ATOMIC_RELAXED);
        return 0;
    }
    *place = (struct place){chunk, weir__chunk_arcs(chunk), early->chunk_room};
    return 1;
}

/* Those that were collected of a stretch, to where they stay. */
static inline __attribute__((always_inline)) void put_away(struct weir__early *early,
                                                           struct dealer *dealer, uint32_t stretch,
                                                           size_t bytes)
{
    struct place *place = &dealer->place[stretch];
    const size_t all = bytes == sizeof(struct weir__arc_u32) ? LINES_WIDE * LINE : LINES * LINE;
    if (place->left == 0 && !next_chunk(early, place, stretch))
        return;
    put_lines(place->to, dealer->lines + stretch * all, all);
    place->to += all;
    place->left -= (uint32_t)(all / bytes);
}

/* What an arc takes of a dealer and its map, in registers. */
struct deal {
    struct weir__early *early;
    struct dealer *dealer;
    const uint16_t *stretch_of;
    uint32_t *count;
    char *lines;
    uint32_t shift, last, bits; /* last: cell */
};

/* The last two are constants. */
static inline __attribute__((always_inline)) void deal_one(const struct deal *deal, uint32_t source,
                                                           uint32_t target, uint32_t weight,
                                                           weir_weight_kind kind, int keys)
{
    const size_t bytes = weir__dealt_bytes(kind, (uint32_t)keys);
    const uint32_t all = bytes == sizeof(struct weir__arc_u32) ? LINES_WIDE * LINE : LINES * LINE,
                   together = (uint32_t)(all / bytes), cell = source >> deal->shift,
                   stretch = deal->stretch_of[cell < deal->last ? cell : deal->last],
                   at = deal->count[stretch]++ % together;
    char *lines = deal->lines + (size_t)stretch * all;
    if (kind == WEIR_WEIGHT_NONE && keys)
        ((uint32_t *)(void *)lines)[at] = weir__key(source, target, deal->bits);
    else if (kind == WEIR_WEIGHT_NONE)
        ((struct weir__arc_plain *)(void *)lines)[at] = (struct weir__arc_plain){source, target};
    else if (keys)
        ((uint64_t *)(void *)lines)[at] =
            weir__key_weighed(weir__key(source, target, deal->bits), weight);
    else
        ((struct weir__arc_u32 *)(void *)lines)[at] =
            (struct weir__arc_u32){source, target, weight};
    if (at == together - 1)
        put_away(deal->early, deal->dealer, stretch, bytes);
}

/* The last three are constants. */
static inline __attribute__((always_inline)) void deal_block(struct weir__early *early,
                                                             struct dealer *dealer,
                                                             const weir__plain *plain,
                                                             weir_weight_kind kind, int keys,
                                                             int mirror)
{
    const uint32_t *sources = plain->sources, *targets = plain->targets,
                   *integers = plain->integers;
    const uint64_t count = plain->count;
    const struct deal deal = {.early = early,
                              .dealer = dealer,
                              .stretch_of = early->map.stretch_of,
                              .count = dealer->count,
                              .lines = dealer->lines,
                              .shift = early->map.shift,
                              .last = early->map.cells - 1,
                              .bits = early->map.bits};
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t source = sources[i], target = targets[i],
                       weight = kind == WEIR_WEIGHT_U32 ? integers[i] : 0;
        if (source == target)
            continue;
        deal_one(&deal, source, target, weight, kind, keys);
        if (mirror)
            deal_one(&deal, target, source, weight, kind, keys);
    }
}

static inline __attribute__((always_inline)) void deal_kind(struct weir__early *early,
                                                            struct dealer *dealer,
                                                            const weir__plain *plain,
                                                            weir_weight_kind kind)
{
    if (early->map.bits && early->map.mirror)
        deal_block(early, dealer, plain, kind, 1, 1);
    else if (early->map.bits)
        deal_block(early, dealer, plain, kind, 1, 0);
    else if (early->map.mirror)
        deal_block(early, dealer, plain, kind, 0, 1);
    else
        deal_block(early, dealer, plain, kind, 0, 0);
}

void weir__early_deal(struct weir__early *early, uint32_t who, const weir__plain *plain)
{
    struct dealer *dealer = dealer_of(early, who);
    if (!dealer)
        __atomic_store_n(&early->lacking, 1, __ATOMIC_RELAXED);
    else if (early->kind == WEIR_WEIGHT_NONE)
        deal_kind(early, dealer, plain, WEIR_WEIGHT_NONE);
    else
        deal_kind(early, dealer, plain, WEIR_WEIGHT_U32);
    fence_lines();
}

/* What a dealer has collected but not put away. */
static void put_rest(struct weir__early *early, struct dealer *dealer, uint32_t stretch)
{
    struct place *place = &dealer->place[stretch];
    const uint32_t rest = dealer->count[stretch] % early->together;
    if (rest > 0 && (place->left > 0 || next_chunk(early, place, stretch))) {
        memcpy(place->to, dealer->lines + (size_t)stretch * early->together * early->bytes,
               rest * early->bytes);
        place->chunk->count = early->chunk_room - place->left + rest;
    } else if (place->chunk) {
        place->chunk->count = early->chunk_room - place->left;
    }
}

/* All that was given, into chunks. Nothing is dealt out any more. */
static void settle(struct weir__early *early)
{
    if (early->ahead)
        weir__ahead_settle(early->ahead);
    for (uint32_t i = 0; i < WEIR__DEALERS_MAX; i++)
        for (uint32_t s = 0; early->dealer[i] && s < early->map.stretches; s++)
            put_rest(early, early->dealer[i], s);
    free_dealers(early);
    for (uint32_t s = 0; s < early->map.stretches; s++) {
        early->pile[s].count = 0;
        for (const struct weir__chunk *chunk = early->pile[s].first; chunk; chunk = chunk->next)
            early->pile[s].count += chunk->count;
    }
}

/* ---- whether stretches are even ------------------------------------------------------------------------ */

/* What a stretch has at the most, of so many arcs or vertices. */
static uint64_t most_of(const struct weir__early *early, uint64_t all, uint64_t least)
{
    return all / early->map.stretches * UNEVEN + (pretended ? pretended : least);
}

/* More vertices than all stretches but the last one were made for may come, and will not go again. Keys have no room for any more. */
static int rows_are_even(const struct weir__early *early, uint64_t vertices)
{
    return vertices <=
           early->first[early->map.stretches - 1] + most_of(early, vertices, UNEVEN_ROWS);
}

/* Whether keys hold arcs between so many vertices. */
static int keys_hold(const struct weir__early *early, uint64_t vertices)
{
    const uint32_t bits = early->map.bits;
    return !bits || (vertices <= UINT64_C(1) << bits &&
                     vertices <= early->first[early->map.stretches - 1] + weir__key_rows(bits));
}

int weir__early_is_even(struct weir__early *early, uint64_t vertices)
{
    const uint64_t most = most_of(early, early->arcs, UNEVEN_ARCS);
    settle(early);
    for (uint32_t s = 0; s < early->map.stretches; s++)
        if (early->pile[s].count > most)
            return 0;
    return rows_are_even(early, vertices);
}

/* ---- arcs that come ----------------------------------------------------------------------------------- */

/* Sorting takes about as much again: arcs that leave less than that lead nowhere. */
static weir_status look_for_room(struct weir__early *early, uint64_t more)
{
    const uint64_t wanted = early->arcs + more;
    if (wanted > early->granted) {
        const uint64_t most = weir__room_left() / 2 / early->bytes;
        if (most < more)
            return weir__fail(WEIR_ERR_NOMEM, "arcs: more than %llu do not fit into memory",
                              (unsigned long long)early->arcs);
        early->granted =
            early->arcs + (wanted < most ? wanted : most); /* twice what there is, if it may be */
    }
    early->arcs = wanted;
    return WEIR_OK;
}

static weir_status look_for_lack(const struct weir__early *early)
{
    return __atomic_load_n(&early->lacking, __ATOMIC_RELAXED)
               ? weir__fail(WEIR_ERR_NOMEM, "arcs: no memory for more than some of %llu",
                            (unsigned long long)early->arcs)
               : WEIR_OK;
}

weir_status weir__early_append(weir__arcs *arcs, weir__plain *plain)
{
    struct weir__early *early = arcs->early;
    weir_status status;
    /* What is uneven stays so. It becomes a list while there is little of it, since for a while it is there twice. */
    if ((arcs->weighted && plain->fractions && plain->count) ||
        __atomic_load_n(&early->heavy, __ATOMIC_RELAXED) ||
        !rows_are_even(early, plain->highest + 1) || !keys_hold(early, plain->highest + 1))
        return (status = weir__early_spread(arcs)) ? status : weir__arcs_append_list(arcs, plain);
    if ((status = look_for_room(early, plain->count << (early->map.mirror != 0))) ||
        (status = look_for_lack(early)))
        return status;
    if (early->ahead && plain->room > 0) /* it is a block's, which stays until it is dealt out */
        plain->deal_to = early;
    else
        weir__early_deal(early, 0, plain);
    arcs->count += plain->count - plain->loops;
    arcs->loops += plain->loops;
    return WEIR_OK;
}

/* ---- from a list, and back --------------------------------------------------------------------------- */

static void count_cell(const weir__deal_map *map, uint32_t source, uint32_t target, uint64_t *count)
{
    const uint32_t cell = source >> map->shift, other = target >> map->shift;
    count[cell]++;
    if (map->mirror)
        count[other]++;
}

/* How many arcs each cell will have, if the ones that are there stand for three quarters of all, and the others are spread evenly.
 * @param[in,out] count  of those that are there. */
static void estimate(const weir__deal_map *map, uint64_t seen, uint64_t expected, uint64_t *count)
{
    const double each = 0.75 * (double)expected / (double)seen,
                 even = 0.25 * (double)(expected << (map->mirror != 0)) / map->cells;
    for (uint32_t c = 0; c < map->cells; c++)
        count[c] = (uint64_t)((double)count[c] * each + even);
}

static uint64_t highest(const weir__arcs *arcs, const weir__plain *plain)
{
    uint64_t high = plain->highest;
    for (uint64_t i = 0; i < arcs->count; i++) {
        const uint64_t larger =
            arcs->sources[i] > arcs->targets[i] ? arcs->sources[i] : arcs->targets[i];
        high = larger > high ? larger : high;
    }
    return high < arcs->vertices ? arcs->vertices - 1 : high;
}

static int any_fraction(const weir__arcs *arcs, const weir__plain *plain)
{
    int fractions = plain->fractions;
    for (uint64_t i = 0; i < arcs->count; i++)
        fractions |= weir__is_fraction(arcs->weights[i]);
    return fractions;
}

/* How large chunks and slabs are. */
static void make_chunks(struct weir__early *early, uint32_t threads)
{
    const uint32_t stretches = early->map.stretches;
    const uint64_t all = early->expected * early->bytes, even = all / stretches / CHUNKS / threads,
                   bytes = even < CHUNK_LEAST  ? CHUNK_LEAST
                           : even > CHUNK_MOST ? CHUNK_MOST
                                               : even;
    const uint32_t lines = early->bytes == sizeof(struct weir__arc_u32) ? LINES_WIDE : LINES;
    uint64_t groups = GROUPS;
    early->together = (uint32_t)(lines * LINE / early->bytes);
    early->chunk_room = (uint32_t)((bytes - WEIR__CHUNK_HEAD) / (lines * LINE)) * early->together;
    early->slab_bytes = SLAB_BYTES;
    if (all >= LARGE_LEAST) {
        early->slab_bytes = LARGE_PAGE;
        groups = all / LARGE_GROUP < GROUPS ? all / LARGE_GROUP : GROUPS;
    }
    early->per_group = (uint32_t)((stretches + groups - 1) / groups);
}

static weir_status make(const weir__arcs *arcs, const weir__plain *plain,
                        struct weir__early **early_out)
{
    const uint64_t vertices = highest(arcs, plain) + 1, seen = arcs->count + plain->count;
    uint64_t *begin, *count;
    struct weir__early *early;
    weir_status status = weir__calloc(1, sizeof *early, "arcs", &early);
    *early_out = early;
    if (status)
        return status;
    pthread_mutex_init(&early->lock, NULL);
    if ((status = weir__calloc(WEIR__CELLS_MAX + WEIR__STRETCHES_MAX + 1, sizeof *count, "arcs",
                               &count)))
        return status;
    begin = count + WEIR__CELLS_MAX;
    early->kind = arcs->weighted ? WEIR_WEIGHT_U32 : WEIR_WEIGHT_NONE;
    early->map.mirror = arcs->mirror;
    early->expected = arcs->expected << (arcs->mirror != 0);
    weir__cells_make(vertices + vertices / SPARE, pretended ? UINT64_MAX : early->expected,
                     &early->map);
    for (uint64_t i = 0; i < arcs->count; i++)
        count_cell(&early->map, arcs->sources[i], arcs->targets[i], count);
    for (uint64_t i = 0; i < plain->count; i++)
        count_cell(&early->map, plain->sources[i], plain->targets[i], count);
    estimate(&early->map, seen, arcs->expected, count);
    weir__stretches_make(count, vertices + vertices / SPARE, pretended ? pretended : STRETCH_LEAST,
                         &early->map, early->first, begin);
    free(count);
    early->bytes = weir__dealt_bytes(early->kind, early->map.bits);
    early->most = most_of(early, early->expected, UNEVEN_ARCS);
    make_chunks(early, arcs->threads ? arcs->threads : weir__cores());
    for (uint32_t s = 0; s < early->map.stretches; s++)
        group_of(early, s)->waiting++;
    return WEIR_OK;
}

/* @return how many were loops. */
static uint64_t deal_list(struct weir__early *early, const weir__arcs *arcs)
{
    uint32_t weights[LIST_PIECE];
    uint64_t loops = 0;
    for (uint64_t begin = 0; begin < arcs->count; begin += LIST_PIECE) {
        const uint64_t left = arcs->count - begin;
        const weir__plain piece = {.count = left < LIST_PIECE ? left : LIST_PIECE,
                                   .sources = arcs->sources + begin,
                                   .targets = arcs->targets + begin,
                                   .integers = weights};
        for (uint64_t i = 0; i < piece.count; i++) {
            loops += piece.sources[i] == piece.targets[i];
            weights[i] = arcs->weighted ? (uint32_t)arcs->weights[begin + i] : 0;
        }
        weir__early_deal(early, 0, &piece);
    }
    return loops;
}

weir_status weir__early_begin(weir__arcs *arcs, const weir__plain *plain)
{
    struct weir__early *early;
    weir_status status;
    uint64_t loops = 0;
    if (!arcs->may_deal || arcs->early || plain->count == 0 ||
        arcs->expected < (pretended ? pretended : EXPECTED_LEAST) ||
        (!pretended && arcs->count + plain->count < SEEN_LEAST) ||
        arcs->count > arcs->expected / LIST_MOST)
        return WEIR_OK;
    arcs->may_deal = 0; /* now or never */
    if (arcs->weighted && any_fraction(arcs, plain))
        return WEIR_OK;
    status = make(arcs, plain, &early);
    if (!status)
        status = look_for_room(early, arcs->count << (arcs->mirror != 0));
    if (!status)
        loops = deal_list(early, arcs);
    if (status || (status = look_for_lack(early))) {
        weir__early_free(early);
        return status;
    }
    const uint64_t count = arcs->count;
    weir__arcs_free(arcs);
    arcs->early = early;
    arcs->count = count - loops;
    arcs->loops += loops;
    return WEIR_OK;
}

uint32_t weir__early_bits(const weir__early *early)
{
    return early->map.bits;
}

weir_weight_kind weir__early_kind(const weir__early *early)
{
    return early->kind;
}

struct weir__chunk *weir__early_chunk(const weir__early *early, uint32_t stretch)
{
    return early->pile[stretch].first;
}

weir_status weir__early_take(weir__arcs *arcs, weir__dealt *dealt)
{
    struct weir__early *early = arcs->early;
    const uint32_t stretches = early->map.stretches;
    const weir_status status = look_for_lack(early);
    if (status)
        return status;
    dealt->bits = early->map.bits;
    dealt->stretches = stretches;
    for (uint32_t s = 0; s <= stretches; s++) /* the last ones may have no vertices */
        dealt->first[s] =
            s == stretches || early->first[s] > arcs->vertices ? arcs->vertices : early->first[s];
    for (uint32_t s = 0; s < stretches; s++)
        dealt->begin[s + 1] = dealt->begin[s] + early->pile[s].count;
    dealt->early = early;
    arcs->early = NULL;
    weir__arcs_free(arcs);
    return WEIR_OK;
}

/* An arc of a stretch, whatever it lies there as. */
static struct weir__arc_u32 arc_at(const struct weir__early *early, uint32_t stretch,
                                   const char *at)
{
    const uint32_t bits = early->map.bits;
    struct weir__arc_u32 arc = {0};
    uint64_t key = 0;
    uint32_t plain = 0;
    if (!bits) {
        memcpy(&arc, at, early->bytes);
        return arc;
    }
    if (early->kind == WEIR_WEIGHT_U32) {
        memcpy(&key, at, sizeof key);
        arc.weight = (uint32_t)key;
        plain = (uint32_t)(key >> 32);
    } else {
        memcpy(&plain, at, sizeof plain);
    }
    const uint32_t first = (uint32_t)early->first[stretch];
    arc.source = first + (((plain >> bits) - first) & (uint32_t)(weir__key_rows(bits) - 1));
    arc.target = plain & ((1u << bits) - 1);
    return arc;
}

/* Those of a stretch, behind the others. Of a mirrored list each arc is here twice, and the one that leads to a larger number stands for both. */
static void spread_pile(const struct weir__early *early, uint32_t stretch, weir__arcs *arcs)
{
    for (struct weir__chunk *chunk = early->pile[stretch].first; chunk; chunk = chunk->next) {
        const char *at = weir__chunk_arcs(chunk);
        for (uint32_t i = 0; i < chunk->count; i++, at += early->bytes) {
            const struct weir__arc_u32 arc = arc_at(early, stretch, at);
            if (early->map.mirror && arc.source > arc.target)
                continue;
            arcs->sources[arcs->count] = arc.source;
            arcs->targets[arcs->count] = arc.target;
            if (arcs->weighted)
                arcs->weights[arcs->count] = arc.weight;
            arcs->count++;
        }
    }
}

weir_status weir__early_spread(weir__arcs *arcs)
{
    struct weir__early *early = arcs->early;
    const uint64_t count = arcs->count;
    settle(early);
    weir_status status = look_for_lack(early);
    arcs->early = NULL;
    arcs->count = 0;
    if (!status)
        status = weir__arcs_reserve(arcs, count);
    for (uint32_t s = 0; s < early->map.stretches && !status; s++) {
        spread_pile(early, s, arcs);
        weir__early_drop(early, s);
    }
    weir__early_free(early);
    return status;
}
