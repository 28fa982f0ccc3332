/** @file sssp_op.h  Single-source shortest paths as two operators (Groute section 4.5).
 *
 * Label correcting: a work item says "this vertex has this distance now"; its atoms are the vertex's
 * arcs; an arc whose far end can be given a smaller distance makes a new item. Distances only fall, so
 * the end result does not depend on the order in which devices run; how much work is done twice does,
 * and soft priority (delta stepping without barriers) is there to keep that small.
 *
 * - `sssp_u32` has 32-bit integers. A sum that is too large is SSSP_U32_FAR, which travels on like any
 *   other distance; so the result is exact if no vertex ends with it, and sssp.c takes the wide
 *   operator if one does.
 * - `sssp_f64` has doubles of 0 and more, compared and lowered by their bits as uint64_t, which have the
 *   same order. Exact for integers below 2^53. For others each sum is rounded once, in the order of the
 *   path; rounding keeps the order of sums, so the answer is still the same for every order of work,
 *   and that of the reference.
 *
 * For a vertex of the halo a device keeps the smallest distance it ever sent and sends only what
 * improves on it; the owner decides. What both have in common with other operators over vertices is
 * written by algorithms/vertex_tmpl.h. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_OP_H
#define WEIR_ALGORITHMS_SSSP_SSSP_OP_H

#include "algorithms/sssp/sssp.h"
#include "worklist/operator.h"

#include <string.h>

/* ---- 32 bits ------------------------------------------------------------------------------- */

/** The distance at the end of an arc from a vertex at @p distance. */
WEIR_DEV uint32_t sssp_u32_along(const sssp_u32_state *s, uint32_t distance, uint64_t arc)
{
    uint32_t sum = distance + ((const uint32_t *)s->part.weights)[arc];
    return sum < distance || sum > SSSP_U32_FAR ? SSSP_U32_FAR : sum;
}

WEIR_DEV void sssp_u32_bounds(const sssp_u32_state *s, const sssp_u32_item *item, uint64_t *first,
                              uint64_t *last)
{
    /* A vertex of the halo has no arcs here; its owner looks at them. */
    const uint32_t most = s->part.owned - 1, vertex = item->vertex < most ? item->vertex : most;
    *first = s->part.offsets[vertex];
    *last = s->part.offsets[vertex + 1];
}

WEIR_DEV int sssp_u32_tile(const sssp_u32_state *s, const sssp_u32_item *item, uint64_t *first,
                           uint64_t *last)
{
    sssp_u32_bounds(s, item, first, last); /* all three loads are under way together */
    /* If a smaller distance came since, its own item is on the way. */
    return weir_load_relaxed_dev_u32(&s->distance[item->vertex]) >= item->distance;
}

WEIR_DEV void sssp_u32_reach(const sssp_u32_state *s, const sssp_u32_item *item, uint64_t arc,
                             sssp_u32_item *next)
{
    /* Target and weight depend on the arc alone, so that both loads are under way together. */
    next->vertex = s->part.targets[arc];
    next->distance = sssp_u32_along(s, item->distance, arc);
}

WEIR_DEV void sssp_u32_expect(const sssp_u32_state *s, const sssp_u32_item *item)
{
    weir_prefetch(&s->distance[item->vertex]);
}

WEIR_DEV int sssp_u32_atom(const sssp_u32_state *s, const sssp_u32_item *item, uint64_t arc,
                           sssp_u32_item *next)
{
    sssp_u32_reach(s, item, arc, next);
    /* A plain look before the atomic: most arcs lead to a vertex that is nearer already. */
    return weir_load_relaxed_dev_u32(&s->distance[next->vertex]) > next->distance;
}

WEIR_DEV int sssp_u32_improve(const sssp_u32_state *s, const sssp_u32_item *item)
{
    return weir_atomic_min_relaxed_dev_u32(&s->distance[item->vertex], item->distance) >
           item->distance;
}

WEIR_DEV uint32_t sssp_u32_priority(const sssp_u32_state *s, const sssp_u32_item *item)
{
    (void)s;
    return item->distance;
}

#ifndef __CUDACC__
#define sssp_u32_fetches 1 /* for threads of host devices, each of which walks tiles alone */

static inline void sssp_u32_fetch_tile(const sssp_u32_state *s, const sssp_u32_item *item)
{
    weir_prefetch(s->part.offsets + item->vertex);
}

static inline void sssp_u32_fetch_atoms(const sssp_u32_state *s, uint64_t first)
{
    weir_prefetch(s->part.targets + first);
    weir_prefetch((const uint32_t *)s->part.weights + first);
}
#endif

#define sssp_u32_padded_rows 1 /* may have them */

WEIR_DEV uint32_t sssp_u32_row_log(const sssp_u32_state *s)
{
    return s->row_log;
}

WEIR_DEV const sssp_u32_entry *sssp_u32_padded_row(const sssp_u32_state *s,
                                                   const sssp_u32_item *item)
{
    return s->rows + ((uint64_t)item->vertex << s->row_log);
}

WEIR_DEV int sssp_u32_enter(const sssp_u32_state *s, const sssp_u32_item *item,
                            const sssp_u32_entry *entry, sssp_u32_item *next)
{
    const uint32_t sum = item->distance + entry->weight;
    (void)s;
    next->vertex = entry->target;
    next->distance = sum < item->distance || sum > SSSP_U32_FAR ? SSSP_U32_FAR : sum;
    return entry->target != WEIR_PADDED_ROW_NONE;
}

#define sssp_u32_narrow 1 /* has what narrow rounds want */
#define WEIR_OPERATOR   sssp_u32
#include "algorithms/vertex_tmpl.h"
#undef WEIR_OPERATOR

/* ---- 64 bits ------------------------------------------------------------------------------- */

WEIR_DEV double sssp_f64_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

WEIR_DEV uint64_t sssp_f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

WEIR_DEV uint64_t sssp_f64_along(const sssp_f64_state *s, uint64_t distance, uint64_t arc)
{
    double weight = s->integers ? (double)((const uint32_t *)s->part.weights)[arc]
                                : ((const double *)s->part.weights)[arc];
    return sssp_f64_bits(sssp_f64_double(distance) + weight);
}

WEIR_DEV int sssp_f64_tile(const sssp_f64_state *s, const sssp_f64_item *item, uint64_t *first,
                           uint64_t *last)
{
    *first = s->part.offsets[item->vertex]; /* all three loads are under way together */
    *last = s->part.offsets[item->vertex + 1];
    /* If a smaller distance came since, its own item is on the way. */
    return weir_load_relaxed_dev_u64(&s->distance[item->vertex]) >= item->distance;
}

WEIR_DEV int sssp_f64_atom(const sssp_f64_state *s, const sssp_f64_item *item, uint64_t arc,
                           sssp_f64_item *next)
{
    next->vertex = s->part.targets[arc];
    next->zero = 0;
    next->distance = sssp_f64_along(s, item->distance, arc);
    return weir_load_relaxed_dev_u64(&s->distance[next->vertex]) > next->distance;
}

WEIR_DEV int sssp_f64_improve(const sssp_f64_state *s, const sssp_f64_item *item)
{
    return weir_atomic_min_relaxed_dev_u64(&s->distance[item->vertex], item->distance) >
           item->distance;
}

/* Saturates below UINT32_MAX, which stands for no priority. */
WEIR_DEV uint32_t sssp_f64_priority(const sssp_f64_state *s, const sssp_f64_item *item)
{
    double priority = sssp_f64_double(item->distance) * s->scale;
    return priority < 4294967294.0 ? (uint32_t)priority : UINT32_MAX - 1;
}

#define WEIR_OPERATOR sssp_f64
#include "algorithms/vertex_tmpl.h"
#undef WEIR_OPERATOR

#endif
