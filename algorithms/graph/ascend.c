/** @file ascend.c  A list that is a graph already.
 *
 * What a program wrote row by row comes back as a list whose arcs ascend, by where they begin and then by where they lead, and none twice:
 * its targets are the graph's as they lie there, and only offsets have to be found. One look at the arcs on all cores tells,
 * and ends early where that is not so. Loops at the end, which edge lists say with how many vertices there are, do not count. */
#include "algorithms/graph/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define ARC_CHUNK (UINT64_C(1) << 16)

struct ascent {
    weir__arcs *arcs;
    uint64_t count; /* of them, without loops at the end */
    uint64_t *offsets;
    uint32_t *weights;
    double *doubles;
    int not ;      /* relaxed atomics, set only: some arc does not ascend, or is a loop */
    int fractions; /* some weight is no integer of 32 bits */
};

static void look(void *user, uint64_t begin, uint64_t end)
{
    struct ascent *a = user;
    const uint32_t *sources = a->arcs->sources, *targets = a->arcs->targets;
    int not = 0, fractions = 0;
    if (__atomic_load_n(&a->not, __ATOMIC_RELAXED))
        return;
    for (uint64_t i = begin; i < end; i++)
        not |= sources[i] == targets[i];
    for (uint64_t i = begin ? begin : 1; i < end; i++)
        not |= ((uint64_t)sources[i - 1] << 32 | targets[i - 1]) >=
               ((uint64_t)sources[i] << 32 | targets[i]);
    for (uint64_t i = begin; a->arcs->weighted && i < end; i++)
        fractions |= weir__is_fraction(a->arcs->weights[i]);
    if (not )
        __atomic_store_n(&a->not, 1, __ATOMIC_RELAXED);
    if (fractions)
        __atomic_store_n(&a->fractions, 1, __ATOMIC_RELAXED);
}

/* A vertex begins at the first arc of it or of one behind it, where the chunk that has this arc says so. */
static void write_offsets(void *user, uint64_t begin, uint64_t end)
{
    const struct ascent *a = user;
    const uint32_t *sources = a->arcs->sources;
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t v = i ? sources[i - 1] + UINT64_C(1) : 0; v <= sources[i]; v++)
            a->offsets[v] = i;
}

static void write_weights(void *user, uint64_t begin, uint64_t end)
{
    const struct ascent *a = user;
    if (a->weights)
        for (uint64_t i = begin; i < end; i++)
            a->weights[i] = (uint32_t)a->arcs->weights[i];
    else
        for (uint64_t i = begin; i < end; i++)
            a->doubles[i] += 0.0; /* -0 becomes 0, so that equal weights have equal bits */
}

/* Where arcs come from has told all it has when offsets are known: its memory goes before that of weights comes. */
static weir_status make(struct ascent *a, uint32_t threads, weir_graph **graph_out)
{
    weir__arcs *arcs = a->arcs;
    const uint64_t n = arcs->vertices, m = a->count;
    const int integers = arcs->weighted && !a->fractions;
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, n + 1, sizeof *a->offsets);
    weir__need_give(&need, m, sizeof *arcs->sources);
    weir__need_take(&need, integers ? m : 0, sizeof *a->weights);
    if ((status = weir__need_fits(&need, "a graph of %llu vertices and %llu arcs",
                                  (unsigned long long)n, (unsigned long long)m)) ||
        (status = weir__alloc(n + 1, sizeof *a->offsets, "graph offsets", &a->offsets)) ||
        (status = weir__calloc(1, sizeof **graph_out, "graph", graph_out)) ||
        (status =
             weir__activity_for("finding rows", "arcs", m, ARC_CHUNK, threads, write_offsets, a)))
        return status;
    for (uint64_t v = m ? arcs->sources[m - 1] + UINT64_C(1) : 0; v <= n; v++)
        a->offsets[v] = m;
    free(arcs->sources);
    arcs->sources = NULL;
    if (integers && (status = weir__alloc(m, sizeof *a->weights, "graph weights", &a->weights)))
        return status;
    a->doubles = integers ? NULL : arcs->weights;
    return weir__activity_for("taking weights", "arcs", arcs->weighted ? m : 0, ARC_CHUNK, threads,
                              write_weights, a);
}

int weir__build_ascending(weir__arcs *arcs, uint32_t threads, weir_graph **graph_out,
                          weir_status *status_out)
{
    struct ascent a = {.arcs = arcs, .count = arcs->count};
    *graph_out = NULL;
    *status_out = WEIR_OK;
    if (arcs->mirror || arcs->borrowed)
        return 0;
    while (a.count > 0 && arcs->sources[a.count - 1] == arcs->targets[a.count - 1])
        a.count--;
    *status_out =
        weir__activity_for("looking at arcs", "arcs", a.count, ARC_CHUNK, threads, look, &a);
    if (!*status_out && a.not )
        return 0;
    if (!*status_out)
        *status_out = make(&a, threads, graph_out);
    if (*status_out) {
        free(a.offsets);
        free(a.weights);
        free(*graph_out);
        *graph_out = NULL;
        weir__arcs_free(arcs);
        return 1;
    }
    **graph_out =
        (weir_graph){.vertices = arcs->vertices,
                     .arcs = a.count,
                     .offsets = a.offsets,
                     .targets = weir__shorten(arcs->targets, a.count, sizeof *arcs->targets),
                     .weight_kind = a.weights   ? WEIR_WEIGHT_U32
                                    : a.doubles ? WEIR_WEIGHT_F64
                                                : WEIR_WEIGHT_NONE,
                     .weights_u32 = a.weights,
                     .weights_f64 = weir__shorten(a.doubles, a.count, sizeof *a.doubles),
                     .negative_line = arcs->negative_line,
                     .loops_dropped = arcs->count - a.count};
    arcs->targets = NULL;
    if (a.doubles)
        arcs->weights = NULL;
    weir__arcs_free(arcs);
    return 1;
}
