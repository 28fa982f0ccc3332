/** @file deal.c  Two passes over the list: how many arcs begin in each cell of vertices, from which stretches are made, then
 * each piece of the list puts its arcs behind each other into their stretches. A piece first counts what it has for each
 * stretch and takes places for all of them at once, so that threads meet at one addition for many arcs. */
#include "algorithms/graph/deal.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <sys/mman.h>

#define CELLS_MAX   8192u
#define COUNT_PIECE (UINT64_C(1) << 20)
#define DEAL_PIECE  (UINT64_C(1) << 16)
/* Arcs and vertices of a stretch: what is made of them fits into the cache of a core. */
#define LARGE         (UINT64_C(8) << 20) /* what weir__alloc() may ask for large pages for */
#define STRETCH_LEAST (UINT64_C(1) << 15)

struct deal {
    const weir__arcs *arcs;
    struct weir__ebb sources, targets, weights; /* of them; none if they are borrowed */
    weir__dealt *dealt;
    uint32_t shift, cells;               /* cell of a vertex: v >> shift */
    uint64_t count[CELLS_MAX];           /* relaxed atomics, read after the join, as all below */
    uint16_t stretch_of[CELLS_MAX];      /* by cell */
    uint64_t place[WEIR__STRETCHES_MAX]; /* the next free one of each stretch */
};

size_t weir__dealt_bytes(weir_weight_kind kind)
{
    return kind == WEIR_WEIGHT_NONE  ? sizeof(struct weir__arc_plain)
           : kind == WEIR_WEIGHT_U32 ? sizeof(struct weir__arc_u32)
                                     : sizeof(struct weir__arc_f64);
}

static void count_cells(void *user, uint64_t begin, uint64_t end)
{
    struct deal *d = user;
    const weir__arcs *arcs = d->arcs;
    uint32_t here[CELLS_MAX] = {0};
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t source = arcs->sources[i], target = arcs->targets[i];
        here[source >> d->shift] += source != target;
        if (arcs->mirror)
            here[target >> d->shift] += source != target;
    }
    for (uint32_t c = 0; c < d->cells; c++)
        if (here[c])
            __atomic_fetch_add(&d->count[c], here[c], __ATOMIC_RELAXED);
}

/* Cells one after the other into stretches of about as much. */
static void make_stretches(struct deal *d, uint64_t vertices)
{
    weir__dealt *dealt = d->dealt;
    uint64_t all = vertices, arcs = 0, work = 0;
    for (uint32_t c = 0; c < d->cells; c++)
        all += d->count[c];
    const uint64_t least = all / (WEIR__STRETCHES_MAX / 2) + 1,
                   most = least > STRETCH_LEAST ? least : STRETCH_LEAST;
    uint32_t s = 0;
    for (uint32_t c = 0; c < d->cells; c++) {
        const uint64_t first = (uint64_t)c << d->shift,
                       here = d->count[c] + (UINT64_C(1) << d->shift);
        if (c > 0 && work + here > most && s + 1 < WEIR__STRETCHES_MAX) {
            dealt->first[++s] = first;
            dealt->begin[s] = arcs;
            work = 0;
        }
        d->stretch_of[c] = (uint16_t)s;
        work += here;
        arcs += d->count[c];
    }
    dealt->stretches = s + 1;
    dealt->first[s + 1] = vertices;
    dealt->begin[s + 1] = arcs;
    for (uint32_t i = 0; i <= s; i++)
        d->place[i] = dealt->begin[i];
}

/* Where an arc goes, as the kind has it; `kind` is constant where this is called. */
static inline void put(weir__dealt *dealt, weir_weight_kind kind, uint64_t at, uint32_t source,
                       uint32_t target, double weight)
{
    if (kind == WEIR_WEIGHT_NONE)
        ((struct weir__arc_plain *)(void *)dealt->arcs)[at] =
            (struct weir__arc_plain){source, target};
    else if (kind == WEIR_WEIGHT_U32)
        ((struct weir__arc_u32 *)(void *)dealt->arcs)[at] =
            (struct weir__arc_u32){source, target, (uint32_t)weight};
    else /* adding 0 turns -0 into 0, so that equal weights have equal bits */
        ((struct weir__arc_f64 *)(void *)dealt->arcs)[at] =
            (struct weir__arc_f64){source, target, weight + 0.0};
}

static inline void put_all(const struct deal *d, weir_weight_kind kind, uint64_t begin,
                           uint64_t end, uint64_t *place)
{
    const weir__arcs *arcs = d->arcs;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t source = arcs->sources[i], target = arcs->targets[i];
        const double weight = kind == WEIR_WEIGHT_NONE ? 0 : arcs->weights[i];
        if (source == target)
            continue;
        put(d->dealt, kind, place[d->stretch_of[source >> d->shift]]++, source, target, weight);
        if (arcs->mirror)
            put(d->dealt, kind, place[d->stretch_of[target >> d->shift]]++, target, source, weight);
    }
}

static void deal_piece(void *user, uint64_t begin, uint64_t end)
{
    struct deal *d = user;
    const weir__arcs *arcs = d->arcs;
    uint64_t place[WEIR__STRETCHES_MAX] = {0};
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t source = arcs->sources[i], target = arcs->targets[i];
        place[d->stretch_of[source >> d->shift]] += source != target;
        if (arcs->mirror)
            place[d->stretch_of[target >> d->shift]] += source != target;
    }
    for (uint32_t s = 0; s < d->dealt->stretches; s++)
        if (place[s])
            place[s] = __atomic_fetch_add(&d->place[s], place[s], __ATOMIC_RELAXED);
    if (d->dealt->kind == WEIR_WEIGHT_NONE)
        put_all(d, WEIR_WEIGHT_NONE, begin, end, place);
    else if (d->dealt->kind == WEIR_WEIGHT_U32)
        put_all(d, WEIR_WEIGHT_U32, begin, end, place);
    else
        put_all(d, WEIR_WEIGHT_F64, begin, end, place);
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
    const uint64_t all = dealt->begin[dealt->stretches], bytes = weir__dealt_bytes(dealt->kind);
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
    weir_status status = weir__calloc(1, sizeof *d, "sorting arcs", &d);
    *dealt = (weir__dealt){.kind = kind};
    if (status)
        return status;
    d->arcs = arcs;
    d->dealt = dealt;
    while (arcs->vertices > 0 && (arcs->vertices - 1) >> d->shift >= CELLS_MAX)
        d->shift++;
    d->cells = arcs->vertices ? (uint32_t)((arcs->vertices - 1) >> d->shift) + 1 : 0;
    status = weir__activity_for("counting arcs", "arcs", arcs->count, COUNT_PIECE, threads,
                                count_cells, d);
    if (!status) {
        make_stretches(d, arcs->vertices);
        status = deal_all(d, threads);
    }
    weir__ebb_close(&d->sources);
    weir__ebb_close(&d->targets);
    weir__ebb_close(&d->weights);
    weir__arcs_free(arcs);
    free(d);
    return status;
}

void weir__dealt_drop(weir__dealt *dealt, uint32_t stretch)
{
    const size_t bytes = weir__dealt_bytes(dealt->kind);
    weir__ebb_take(&dealt->ebb, dealt->begin[stretch] * bytes, dealt->begin[stretch + 1] * bytes);
}

void weir__dealt_free(weir__dealt *dealt)
{
    weir__ebb_close(&dealt->ebb);
    free(dealt->arcs);
    dealt->arcs = NULL;
}
