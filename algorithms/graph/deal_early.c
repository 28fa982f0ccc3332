/** @file deal_early.c  Arcs dealt out to stretches of vertices while they are read.
 *
 * A text whose arcs come in no order would become a list that is read twice more before its rows are made. Here the threads that take
 * lines also put the arcs of a block in the order of their stretches, while they are in a core's cache, and the loader only copies each
 * stretch's part behind those that it has. How large stretches will be is told by the first block, whose arcs stand for all, and partly by
 * the number of vertices alone, for texts whose first arcs are of another kind. Where that was wrong a list is made again.
 *
 * Memory comes in slabs, each for the chunks of a few stretches that follow each other, so that it goes back as a whole when rows were
 * made of these. Pages of a slab that no chunk needs are never touched. */
#include "algorithms/graph/deal.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPECTED_LEAST (UINT64_C(1) << 17) /* arcs: of fewer a list is as fast */
#define SEEN_LEAST     (UINT64_C(1) << 12) /* arcs, which stretches are made by */
#define LIST_MOST      8u /* of so many arcs one, at the most, may be in a list already */
#define STRETCH_LEAST \
    (UINT64_C(1) << 15) /* with the buffer of sort_arcs.c and its rows it fits into a cache */
#define CHUNK_LEAST (UINT64_C(2) << 10)
#define CHUNK_MOST  (UINT64_C(16) << 10)
#define CHUNKS      16u /* of an even stretch */
#define SLAB_BYTES  (UINT64_C(512) << 10)
#define GROUPS      64u
#define UNEVEN      4u                  /* times the arcs, or the vertices, of an even stretch */
#define UNEVEN_ARCS (UINT64_C(1) << 19) /* and so many */
#define UNEVEN_ROWS (UINT64_C(1) << 18)

static uint64_t pretended; /* see weir__early_pretend() */

void weir__early_pretend(uint64_t arcs)
{
    pretended = arcs;
}

struct pile {
    struct weir__chunk *first, *last;
    uint64_t count;
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

struct weir__early {
    weir__deal_map map;
    weir_weight_kind kind;
    uint64_t first[WEIR__STRETCHES_MAX + 1];
    uint64_t arcs, granted; /* there are, and there was found to be memory for */
    uint64_t expected;      /* of `arcs` in the end */
    uint64_t most;          /* of a stretch then, if they are even */
    int heavy;              /* one has more */
    uint64_t chunk_bytes;
    uint32_t per_group;
    struct group group[GROUPS];
    struct pile pile[WEIR__STRETCHES_MAX];
};

/* ---- the arcs of a block ---------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void put(char *dealt, uint64_t at, uint32_t source,
                                                      uint32_t target, const uint32_t *weight)
{
    if (weight)
        ((struct weir__arc_u32 *)(void *)dealt)[at] =
            (struct weir__arc_u32){source, target, *weight};
    else
        ((struct weir__arc_plain *)(void *)dealt)[at] = (struct weir__arc_plain){source, target};
}

/* The last two are constants. Stretches are looked up once, and kept in memory that arcs in no order do not need. */
static inline __attribute__((always_inline)) void deal_block(const weir__deal_map *map,
                                                             weir__plain *plain, int weighted,
                                                             int mirror)
{
    const uint32_t *sources = plain->sources, *targets = plain->targets,
                   *integers = plain->integers;
    const uint64_t count = plain->count;
    uint16_t *stretch = (uint16_t *)(void *)plain->runs, *back = stretch + count;
    uint32_t end[WEIR__STRETCHES_MAX] = {0}, sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t counts = sources[i] != targets[i];
        end[stretch[i] = (uint16_t)weir__stretch_of(map, sources[i])] += counts;
        if (mirror)
            end[back[i] = (uint16_t)weir__stretch_of(map, targets[i])] += counts;
    }
    for (uint32_t s = 0; s < map->stretches; s++) {
        const uint32_t here = end[s];
        end[s] = sum;
        sum += here;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t source = sources[i], target = targets[i];
        const uint32_t *weight = weighted ? integers + i : NULL;
        if (source == target)
            continue;
        put(plain->dealt, end[stretch[i]]++, source, target, weight);
        if (mirror)
            put(plain->dealt, end[back[i]]++, target, source, weight);
    }
    memcpy(plain->dealt_end, end, map->stretches * sizeof *end);
}

void weir__plain_deal(const weir__deal_map *map, weir__plain *plain)
{
    const int weighted = plain->weights != NULL, mirror = map->mirror;
    const size_t bytes = weir__dealt_bytes(weighted ? WEIR_WEIGHT_U32 : WEIR_WEIGHT_NONE);
    plain->is_dealt = !(weighted && plain->fractions) && plain->dealt &&
                      (plain->count << (mirror != 0)) <= plain->dealt_bytes / bytes;
    if (!plain->is_dealt)
        return;
    if (weighted && mirror)
        deal_block(map, plain, 1, 1);
    else if (weighted)
        deal_block(map, plain, 1, 0);
    else if (mirror)
        deal_block(map, plain, 0, 1);
    else
        deal_block(map, plain, 0, 0);
}

/* ---- whether stretches are even ------------------------------------------------------------------------ */

/* What a stretch has at the most, of so many arcs or vertices. */
static uint64_t most_of(const struct weir__early *early, uint64_t all, uint64_t least)
{
    return all / early->map.stretches * UNEVEN + (pretended ? pretended : least);
}

/* More vertices than all stretches but the last one were made for may come, and will not go again. */
static int rows_are_even(const struct weir__early *early, uint64_t vertices)
{
    return vertices <=
           early->first[early->map.stretches - 1] + most_of(early, vertices, UNEVEN_ROWS);
}

int weir__early_is_even(const weir__early *early, uint64_t vertices)
{
    const uint64_t most = most_of(early, early->arcs, UNEVEN_ARCS);
    for (uint32_t s = 0; s < early->map.stretches; s++)
        if (early->pile[s].count > most)
            return 0;
    return rows_are_even(early, vertices);
}

/* ---- piles ------------------------------------------------------------------------------------------ */

static struct group *group_of(struct weir__early *early, uint32_t stretch)
{
    return &early->group[stretch / early->per_group];
}

static void free_slabs(struct group *group)
{
    while (group->slabs) {
        struct slab *slab = group->slabs;
        group->slabs = slab->next;
        /* A hole between others may be one mapping too many for the system; pages go in any case. */
        if (munmap(slab, SLAB_BYTES))
            (void)madvise(slab, SLAB_BYTES, MADV_DONTNEED);
    }
}

void weir__early_free(weir__early *early)
{
    for (uint32_t g = 0; early && g < GROUPS; g++)
        free_slabs(&early->group[g]);
    free(early);
}

void weir__early_drop(weir__early *early, uint32_t stretch)
{
    struct group *group = group_of(early, stretch);
    /* Acquire and release: what others read of the slabs they read before these go. */
    if (__atomic_sub_fetch(&group->waiting, 1, __ATOMIC_ACQ_REL) == 0)
        free_slabs(group);
}

/* Straight from the system: an allocator may keep what is freed. */
static weir_status add_slab(struct group *group)
{
    struct slab *slab =
        mmap(NULL, SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab == MAP_FAILED)
        return weir__fail(WEIR_ERR_NOMEM, "arcs: no %llu bytes of host memory left",
                          (unsigned long long)SLAB_BYTES);
    slab->next = group->slabs;
    group->slabs = slab;
    group->at = (char *)slab + sizeof(struct weir__chunk); /* keeps chunks aligned */
    group->left = SLAB_BYTES - sizeof(struct weir__chunk);
    return WEIR_OK;
}

static weir_status add_chunk(struct weir__early *early, uint32_t stretch)
{
    struct group *group = group_of(early, stretch);
    struct pile *pile = &early->pile[stretch];
    weir_status status;
    if (group->left < early->chunk_bytes && (status = add_slab(group)))
        return status;
    struct weir__chunk *chunk = (void *)group->at;
    group->at += early->chunk_bytes;
    group->left -= early->chunk_bytes;
    *chunk = (struct weir__chunk){
        .room = (uint32_t)((early->chunk_bytes - sizeof *chunk) / weir__dealt_bytes(early->kind))};
    if (pile->last)
        pile->last->next = chunk;
    else
        pile->first = chunk;
    pile->last = chunk;
    return WEIR_OK;
}

static weir_status add_to_pile(struct weir__early *early, uint32_t stretch, const char *arcs,
                               uint64_t count)
{
    const size_t bytes = weir__dealt_bytes(early->kind);
    struct pile *pile = &early->pile[stretch];
    weir_status status;
    pile->count += count;
    early->heavy |= pile->count > early->most;
    while (count > 0) {
        struct weir__chunk *chunk = pile->last;
        if (!chunk || chunk->count == chunk->room) {
            if ((status = add_chunk(early, stretch)))
                return status;
            continue;
        }
        const uint64_t room = chunk->room - chunk->count, here = room < count ? room : count;
        memcpy(weir__chunk_arcs(chunk) + chunk->count * bytes, arcs, here * bytes);
        chunk->count += (uint32_t)here;
        arcs += here * bytes;
        count -= here;
    }
    return WEIR_OK;
}

/* Sorting takes about as much again: arcs that leave less than that lead nowhere. */
static weir_status look_for_room(struct weir__early *early, uint64_t more)
{
    const uint64_t wanted = early->arcs + more;
    if (wanted > early->granted) {
        const uint64_t most = weir__room_left() / 2 / weir__dealt_bytes(early->kind);
        if (most < more)
            return weir__fail(WEIR_ERR_NOMEM, "arcs: more than %llu do not fit into memory",
                              (unsigned long long)early->arcs);
        early->granted =
            early->arcs + (wanted < most ? wanted : most); /* twice what there is, if it may be */
    }
    early->arcs = wanted;
    return WEIR_OK;
}

static weir_status add_one(struct weir__early *early, uint32_t source, uint32_t target,
                           const uint32_t *weight)
{
    struct weir__arc_u32 arc;
    if (source == target)
        return WEIR_OK;
    put((char *)&arc, 0, source, target, weight);
    weir_status status =
        add_to_pile(early, weir__stretch_of(&early->map, source), (const char *)&arc, 1);
    if (status || !early->map.mirror)
        return status;
    put((char *)&arc, 0, target, source, weight);
    return add_to_pile(early, weir__stretch_of(&early->map, target), (const char *)&arc, 1);
}

static weir_status add_dealt(struct weir__early *early, const weir__plain *plain)
{
    const size_t bytes = weir__dealt_bytes(early->kind);
    weir_status status = WEIR_OK;
    for (uint32_t s = 0, begin = 0; s < early->map.stretches && !status; s++) {
        const uint32_t end = plain->dealt_end[s];
        status = add_to_pile(early, s, plain->dealt + begin * bytes, end - begin);
        begin = end;
    }
    return status;
}

weir_status weir__early_append(weir__arcs *arcs, const weir__plain *plain)
{
    struct weir__early *early = arcs->early;
    weir_status status;
    /* What is uneven stays so. It becomes a list while there is little of it, since for a while it is there twice. */
    if ((arcs->weighted && plain->fractions && plain->count) || early->heavy ||
        !rows_are_even(early, plain->highest + 1))
        return (status = weir__early_spread(arcs)) ? status : weir__arcs_append_list(arcs, plain);
    if ((status = look_for_room(early, plain->count << (early->map.mirror != 0))))
        return status;
    if (plain->is_dealt)
        status = add_dealt(early, plain);
    for (uint64_t i = 0; !plain->is_dealt && i < plain->count && !status; i++)
        status = add_one(early, plain->sources[i], plain->targets[i],
                         arcs->weighted ? plain->integers + i : NULL);
    arcs->count += plain->count - plain->loops;
    arcs->loops += plain->loops;
    return status;
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

static weir_status make(const weir__arcs *arcs, const weir__plain *plain,
                        struct weir__early **early_out)
{
    const uint64_t vertices = highest(arcs, plain) + 1, seen = arcs->count + plain->count;
    uint64_t *begin, *count;
    struct weir__early *early;
    weir_status status = weir__calloc(1, sizeof *early, "arcs", &early);
    *early_out = early;
    if (status || (status = weir__calloc(WEIR__CELLS_MAX + WEIR__STRETCHES_MAX + 1, sizeof *count,
                                         "arcs", &count)))
        return status;
    begin = count + WEIR__CELLS_MAX;
    early->kind = arcs->weighted ? WEIR_WEIGHT_U32 : WEIR_WEIGHT_NONE;
    early->map.mirror = arcs->mirror;
    early->expected = arcs->expected << (arcs->mirror != 0);
    weir__cells_make(vertices, &early->map);
    for (uint64_t i = 0; i < arcs->count; i++)
        count_cell(&early->map, arcs->sources[i], arcs->targets[i], count);
    for (uint64_t i = 0; i < plain->count; i++)
        count_cell(&early->map, plain->sources[i], plain->targets[i], count);
    estimate(&early->map, seen, arcs->expected, count);
    weir__stretches_make(count, vertices, pretended ? pretended : STRETCH_LEAST, &early->map,
                         early->first, begin);
    free(count);
    const uint32_t stretches = early->map.stretches;
    const uint64_t even = early->expected / stretches * weir__dealt_bytes(early->kind) / CHUNKS /
                          CHUNK_LEAST * CHUNK_LEAST;
    early->chunk_bytes = even < CHUNK_LEAST ? CHUNK_LEAST : even > CHUNK_MOST ? CHUNK_MOST : even;
    early->most = most_of(early, early->expected, UNEVEN_ARCS);
    early->per_group = (stretches + GROUPS - 1) / GROUPS;
    for (uint32_t s = 0; s < stretches; s++)
        group_of(early, s)->waiting++;
    return WEIR_OK;
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
    for (uint64_t i = 0; i < arcs->count && !status; i++) {
        const uint32_t weight = arcs->weighted ? (uint32_t)arcs->weights[i] : 0;
        loops += arcs->sources[i] == arcs->targets[i];
        status =
            add_one(early, arcs->sources[i], arcs->targets[i], arcs->weighted ? &weight : NULL);
    }
    if (status) {
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

const weir__deal_map *weir__early_map(const weir__early *early)
{
    return &early->map;
}

weir_weight_kind weir__early_kind(const weir__early *early)
{
    return early->kind;
}

struct weir__chunk *weir__early_chunk(const weir__early *early, uint32_t stretch)
{
    return early->pile[stretch].first;
}

void weir__early_take(weir__arcs *arcs, weir__dealt *dealt)
{
    struct weir__early *early = arcs->early;
    const uint32_t stretches = early->map.stretches;
    dealt->stretches = stretches;
    memcpy(dealt->first, early->first, stretches * sizeof *dealt->first);
    dealt->first[stretches] = arcs->vertices;
    for (uint32_t s = 0; s < stretches; s++)
        dealt->begin[s + 1] = dealt->begin[s] + early->pile[s].count;
    dealt->early = early;
    arcs->early = NULL;
    weir__arcs_free(arcs);
}

/* Those of a stretch, behind the others. Of a mirrored list each arc is here twice, and the one that leads to a larger number stands for both. */
static void spread_pile(const struct weir__early *early, uint32_t stretch, weir__arcs *arcs)
{
    for (struct weir__chunk *chunk = early->pile[stretch].first; chunk; chunk = chunk->next) {
        const char *at = weir__chunk_arcs(chunk);
        for (uint32_t i = 0; i < chunk->count; i++, at += weir__dealt_bytes(early->kind)) {
            struct weir__arc_u32 arc = {0};
            memcpy(&arc, at, weir__dealt_bytes(early->kind));
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
    arcs->early = NULL;
    arcs->count = 0;
    const weir_status status = weir__arcs_reserve(arcs, count);
    for (uint32_t s = 0; s < early->map.stretches && !status; s++) {
        spread_pile(early, s, arcs);
        weir__early_drop(early, s);
    }
    weir__early_free(early);
    return status;
}
