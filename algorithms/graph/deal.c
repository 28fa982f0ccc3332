/** @file deal.c  Two passes over the list: how many arcs begin in each cell of vertices, from which stretches are made, then
 * each piece of the list puts its arcs behind each other into their stretches. A piece first counts what it has for each
 * stretch and takes places for all of them at once, so that threads meet at one addition for many arcs. */
#include "algorithms/graph/deal.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT_PIECE (UINT64_C(1) << 20)
#define DEAL_PIECE  (UINT64_C(1) << 16)
/* Arcs and vertices of a stretch: what is made of them fits into the cache of a core. */
#define LARGE             (UINT64_C(8) << 20) /* what weir__alloc() may ask for large pages for */
#define STRETCH_LEAST     (UINT64_C(1) << 15)
#define STRETCHES_EVEN    256u  /* at the most, where no more are needed */
#define STRETCHES_BY_ROWS 3000u /* so that rows and targets fit into keys */
#define STRETCH_ARCS      2048u /* of each of these, at the least */
#define KEY_BITS_LEAST    16u

static_assert(2 * STRETCHES_EVEN + STRETCHES_BY_ROWS < WEIR__STRETCHES_MAX,
              "a stretch of more rows than keys tell apart");

struct deal {
    const weir__arcs *arcs;
    struct weir__ebb sources, targets, weights; /* of them; none if they are borrowed */
    weir__dealt *dealt;
    weir__deal_map map;
    uint64_t count[WEIR__CELLS_MAX];     /* relaxed atomics, read after the join, as all below */
    uint64_t place[WEIR__STRETCHES_MAX]; /* the next free one of each stretch */
};

static void count_cells(void *user, uint64_t begin, uint64_t end)
{
    struct deal *d = user;
    const weir__arcs *arcs = d->arcs;
    uint32_t here[WEIR__CELLS_MAX] = {0};
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t source = arcs->sources[i], target = arcs->targets[i];
        here[source >> d->map.shift] += source != target;
        if (arcs->mirror)
            here[target >> d->map.shift] += source != target;
    }
    for (uint32_t c = 0; c < d->map.cells; c++)
        if (here[c])
            __atomic_fetch_add(&d->count[c], here[c], __ATOMIC_RELAXED);
}

/* Cells one after the other into stretches of about as much. */
void weir__stretches_make(const uint64_t *count, uint64_t vertices, uint64_t least,
                          weir__deal_map *map, uint64_t *first_out, uint64_t *begin_out)
{
    uint64_t all = vertices, arcs = 0, work = 0;
    for (uint32_t c = 0; c < map->cells; c++)
        all += count[c];
    const uint64_t even = all / STRETCHES_EVEN + 1, most = even > least ? even : least,
                   rows = map->bits ? weir__key_rows(map->bits) : UINT64_MAX;
    uint32_t s = 0;
    first_out[0] = begin_out[0] = 0;
    for (uint32_t c = 0; c < map->cells; c++) {
        const uint64_t first = (uint64_t)c << map->shift,
                       here = count[c] + (UINT64_C(1) << map->shift);
        const uint64_t end = (uint64_t)(c + 1) << map->shift;
        if (c > 0 && (work + here > most || end - first_out[s] > rows) &&
            s + 1 < WEIR__STRETCHES_MAX) {
            first_out[++s] = first;
            begin_out[s] = arcs;
            work = 0;
        }
        map->stretch_of[c] = (uint16_t)s;
        work += here;
        arcs += count[c];
    }
    map->stretches = s + 1;
    first_out[s + 1] = vertices;
    begin_out[s + 1] = arcs;
}

/* Of a target in a key. @return 0: too many stretches would be needed, so that 32 bits hold a key. */
static uint32_t key_bits(uint64_t vertices, uint64_t arcs)
{
    uint32_t bits = KEY_BITS_LEAST;
    while (bits < 32 && (vertices - 1) >> bits)
        bits++;
    const uint64_t stretches = bits < 32 ? vertices / weir__key_rows(bits) : UINT64_MAX;
    return stretches <= STRETCHES_BY_ROWS && stretches * STRETCH_ARCS <= arcs ? bits : 0;
}

void weir__cells_make(uint64_t vertices, uint64_t arcs, weir__deal_map *map)
{
    map->bits = arcs > 0 && vertices > 0 ? key_bits(vertices, arcs) : 0;
    map->shift = 0;
    while (vertices > 0 && (vertices - 1) >> map->shift >= WEIR__CELLS_MAX)
        map->shift++;
    map->cells = vertices ? (uint32_t)((vertices - 1) >> map->shift) + 1 : 0;
}

/* Where an arc goes, as the kind has it; `kind`, and whether there are keys, are constant where this is called. */
static inline void put(weir__dealt *dealt, weir_weight_kind kind, int keys, uint64_t at,
                       uint32_t source, uint32_t target, double weight)
{
    if (kind == WEIR_WEIGHT_NONE && keys)
        ((uint32_t *)(void *)dealt->arcs)[at] = weir__key(source, target, dealt->bits);
    else if (kind == WEIR_WEIGHT_U32 && keys)
        ((uint64_t *)(void *)dealt->arcs)[at] =
            weir__key_weighed(weir__key(source, target, dealt->bits), (uint32_t)weight);
    else if (kind == WEIR_WEIGHT_NONE)
        ((struct weir__arc_plain *)(void *)dealt->arcs)[at] =
            (struct weir__arc_plain){source, target};
    else if (kind == WEIR_WEIGHT_U32)
        ((struct weir__arc_u32 *)(void *)dealt->arcs)[at] =
            (struct weir__arc_u32){source, target, (uint32_t)weight};
    else /* adding 0 turns -0 into 0, so that equal weights have equal bits */
        ((struct weir__arc_f64 *)(void *)dealt->arcs)[at] =
            (struct weir__arc_f64){source, target, weight + 0.0};
}

static inline __attribute__((always_inline)) void put_all(const struct deal *d,
                                                          weir_weight_kind kind, int keys,
                                                          uint64_t begin, uint64_t end,
                                                          uint64_t *place)
{
    const weir__arcs *arcs = d->arcs;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t source = arcs->sources[i], target = arcs->targets[i];
        const double weight = kind == WEIR_WEIGHT_NONE ? 0 : arcs->weights[i];
        if (source == target)
            continue;
        put(d->dealt, kind, keys, place[weir__stretch_of(&d->map, source)]++, source, target,
            weight);
        if (arcs->mirror)
            put(d->dealt, kind, keys, place[weir__stretch_of(&d->map, target)]++, target, source,
                weight);
    }
}

static void deal_piece(void *user, uint64_t begin, uint64_t end)
{
    struct deal *d = user;
    const weir__arcs *arcs = d->arcs;
    uint64_t place[WEIR__STRETCHES_MAX] = {0};
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t source = arcs->sources[i], target = arcs->targets[i];
        place[weir__stretch_of(&d->map, source)] += source != target;
        if (arcs->mirror)
            place[weir__stretch_of(&d->map, target)] += source != target;
    }
    for (uint32_t s = 0; s < d->dealt->stretches; s++)
        if (place[s])
            place[s] = __atomic_fetch_add(&d->place[s], place[s], __ATOMIC_RELAXED);
    const int keys = d->dealt->bits != 0;
    if (d->dealt->kind == WEIR_WEIGHT_NONE && keys)
        put_all(d, WEIR_WEIGHT_NONE, 1, begin, end, place);
    else if (d->dealt->kind == WEIR_WEIGHT_NONE)
        put_all(d, WEIR_WEIGHT_NONE, 0, begin, end, place);
    else if (d->dealt->kind == WEIR_WEIGHT_U32 && keys)
        put_all(d, WEIR_WEIGHT_U32, 1, begin, end, place);
    else if (d->dealt->kind == WEIR_WEIGHT_U32)
        put_all(d, WEIR_WEIGHT_U32, 0, begin, end, place);
    else
        put_all(d, WEIR_WEIGHT_F64, 0, begin, end, place);
    weir__ebb_take(&d->sources, begin * sizeof *arcs->sources, end * sizeof *arcs->sources);
    weir__ebb_take(&d->targets, begin * sizeof *arcs->targets, end * sizeof *arcs->targets);
    weir__ebb_take(&d->weights, begin * sizeof *arcs->weights, end * sizeof *arcs->weights);
}

static weir_status open_ebbs(struct deal *d)
{
    const weir__arcs *arcs = d->arcs;
    const uint64_t count = arcs->borrowed ? 0 : arcs->count;
    weir_status status;
    if ((status = weir__ebb_open(&d->sources, arcs->sources, count * sizeof *arcs->sources)) ||
        (status = weir__ebb_open(&d->targets, arcs->targets, count * sizeof *arcs->targets)))
        return status;
    return arcs->weighted
               ? weir__ebb_open(&d->weights, arcs->weights, count * sizeof *arcs->weights)
               : WEIR_OK;
}

static weir_status deal_all(struct deal *d, uint32_t threads)
{
    weir__dealt *dealt = d->dealt;
    const uint64_t all = dealt->begin[dealt->stretches],
                   bytes = weir__dealt_bytes(dealt->kind, dealt->bits);
    weir_status status;
    if ((status = weir__alloc(all, bytes, "sorting arcs", &dealt->arcs)) ||
        (status = weir__ebb_open(&dealt->ebb, dealt->arcs, all * bytes)) || (status = open_ebbs(d)))
        return status;
#ifdef MADV_NOHUGEPAGE
    /* Stretches begin to fill all at once: large pages would all be there before the list has gone. */
    if (all * bytes >= LARGE)
        (void)madvise((void *)((uintptr_t)dealt->arcs & ~(uintptr_t)4095), all * bytes,
                      MADV_NOHUGEPAGE);
#endif
    return weir__activity_for("dealing out arcs", "arcs", d->arcs->count, DEAL_PIECE, threads,
                              deal_piece, d);
}

weir_status weir__deal(weir__arcs *arcs, weir_weight_kind kind, uint32_t threads,
                       weir__dealt *dealt)
{
    struct deal *d;
    weir_status status;
    *dealt = (weir__dealt){.kind = kind};
    if (arcs->early)
        return weir__early_take(arcs, dealt);
    if ((status = weir__calloc(1, sizeof *d, "sorting arcs", &d)))
        return status;
    d->arcs = arcs;
    d->dealt = dealt;
    weir__cells_make(arcs->vertices,
                     kind == WEIR_WEIGHT_F64 ? 0 : arcs->count << (arcs->mirror != 0), &d->map);
    dealt->bits = d->map.bits;
    status = weir__activity_for("counting arcs", "arcs", arcs->count, COUNT_PIECE, threads,
                                count_cells, d);
    if (!status) {
        weir__stretches_make(d->count, arcs->vertices, STRETCH_LEAST, &d->map, dealt->first,
                             dealt->begin);
        dealt->stretches = d->map.stretches;
        memcpy(d->place, dealt->begin, dealt->stretches * sizeof *d->place);
        status = deal_all(d, threads);
    }
    weir__ebb_close(&d->sources);
    weir__ebb_close(&d->targets);
    weir__ebb_close(&d->weights);
    weir__arcs_free(arcs);
    free(d);
    return status;
}

struct weir__piece weir__dealt_first(const weir__dealt *dealt, uint32_t stretch)
{
    const uint64_t begin = dealt->begin[stretch], count = dealt->begin[stretch + 1] - begin;
    struct weir__piece none = {.chunk = NULL};
    if (dealt->early) {
        none.chunk = weir__early_chunk(dealt->early, stretch);
        return weir__dealt_next(none);
    }
    return count ? (struct weir__piece){dealt->arcs +
                                            begin * weir__dealt_bytes(dealt->kind, dealt->bits),
                                        count, NULL}
                 : none;
}

struct weir__piece weir__dealt_next(struct weir__piece piece)
{
    struct weir__chunk *chunk = piece.chunk;
    return chunk ? (struct weir__piece){weir__chunk_arcs(chunk), chunk->count, chunk->next}
                 : (struct weir__piece){.chunk = NULL};
}

void weir__dealt_drop(weir__dealt *dealt, uint32_t stretch)
{
    const size_t bytes = weir__dealt_bytes(dealt->kind, dealt->bits);
    if (dealt->early)
        weir__early_drop(dealt->early, stretch);
    else
        weir__ebb_take(&dealt->ebb, dealt->begin[stretch] * bytes,
                       dealt->begin[stretch + 1] * bytes);
}

void weir__dealt_free(weir__dealt *dealt)
{
    weir__early_free(dealt->early);
    dealt->early = NULL;
    weir__ebb_close(&dealt->ebb);
    free(dealt->arcs);
    dealt->arcs = NULL;
}
