/** @file sssp_certify_op.h  Distances judged by what arcs offer; written once for host devices and GPUs. Not installed.
 *
 * Distances are doubles in which an arc's offer is rounded once, as every form of ours and the reference round it; the sums of integers
 * below 2^53 are exact. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_CERTIFY_OP_H
#define WEIR_ALGORITHMS_SSSP_SSSP_CERTIFY_OP_H

#include "algorithms/common/certify_op.h"

/** What is broken; sssp_certify.c has the sentences. SSSP_HANGS is about what leads to a vertex. */
enum sssp_rule {
    SSSP_HOLDS,
    SSSP_SOURCE,
    SSSP_NUMBER,
    SSSP_ROOT,      /* of the source: it is its own parent */
    SSSP_BOTH,      /* what has a distance has a parent, and the other way round */
    SSSP_NO_VERTEX, /* a parent that is none */
    SSSP_HANGS,
    SSSP_SHORTER
};

typedef struct sssp_certify_args {
    arcs_piece here;
    certify_share share;
    uint64_t source, vertices;
    double infinity;         /* of what is unreached */
    const double *distances; /* by vertex */
    const int64_t *parents;  /* by vertex, -1: none; NULL: there is no tree */
    const uint32_t *held;    /* marks of vertices whose distance is known to come from the source */
    uint32_t *marks;         /* of vertices that are found to be such */
} sssp_certify_args;

extern const weir_kernel weir__sssp_certify_vertices_kernel, weir__sssp_certify_arcs_kernel,
    weir__sssp_certify_level_kernel;

/** What an arc that is here offers its head; no less than the tail's own distance, as no weight is below 0. */
WEIR_DEV double sssp_offer(const arcs_piece *here, uint64_t i, double from)
{
    return from + (here->weights_u32 ? (double)here->weights_u32[i] : here->weights_f64[i]);
}

/** The rule that a vertex breaks with its parent; arcs tell whether the parent leads to it. */
WEIR_DEV uint32_t sssp_rule_of_parent(const sssp_certify_args *a, uint64_t v)
{
    const int64_t parent = a->parents[v];
    if (v == a->source)
        return parent == (int64_t)v ? SSSP_HOLDS : SSSP_ROOT;
    if ((parent == -1) != !(a->distances[v] < a->infinity))
        return SSSP_BOTH;
    return parent >= -1 && parent < (int64_t)a->vertices ? SSSP_HOLDS : SSSP_NO_VERTEX;
}

/** The rule that a vertex breaks by itself, or with its parent. */
WEIR_DEV uint32_t sssp_rule_of_vertex(const sssp_certify_args *a, uint64_t v)
{
    const double distance = a->distances[v];
    if (v == a->source && !(distance == 0))
        return SSSP_SOURCE;
    if (!(distance >= 0)) /* nor is it a number */
        return SSSP_NUMBER;
    return a->parents ? sssp_rule_of_parent(a, v) : SSSP_HOLDS;
}

WEIR_DEV void sssp_certify_vertex(const sssp_certify_args *a, uint64_t v)
{
    const uint32_t rule = sssp_rule_of_vertex(a, v);
    if (rule)
        certify_breaks(&a->share, CERTIFY_VERTEX, v, rule);
}

/** Whether an arc may hold its head: where there is a tree, if it comes from the head's parent. */
WEIR_DEV int sssp_may_hold(const int64_t *parents, uint64_t tail, uint32_t head)
{
    return !parents || parents[head] == (int64_t)tail;
}

/** No arc offers less. An offer that is taken up, and is more than the tail has, holds the head: what is nearer was held before, by
 *  induction. */
WEIR_DEV void sssp_certify_arc(const sssp_certify_args *a, uint64_t tail, uint64_t i)
{
    const uint32_t head = a->here.heads[i];
    const double from = a->distances[tail], to = a->distances[head];
    if (!(from < a->infinity))
        return;
    const double offer = sssp_offer(&a->here, i, from);
    if (offer < to)
        certify_breaks(&a->share, CERTIFY_ARC, a->here.begin + i, SSSP_SHORTER);
    else if (offer == to && from < to && sssp_may_hold(a->parents, tail, head))
        certify_mark(a->marks, head);
}

/** An arc that adds nothing holds a head only if the tail is held: a circle of such arcs must not hold itself. */
WEIR_DEV void sssp_certify_level_arc(const sssp_certify_args *a, uint64_t tail, uint64_t i)
{
    const uint32_t head = a->here.heads[i];
    const double from = a->distances[tail];
    if (from < a->infinity && from == a->distances[head] && certify_marked(a->held, tail) &&
        !certify_marked(a->held, head) && sssp_offer(&a->here, i, from) == from &&
        sssp_may_hold(a->parents, tail, head))
        certify_mark(a->marks, head);
}

CERTIFY_VERTICES_KERNEL(sssp_certify_vertices, sssp_certify_args, sssp_certify_vertex)
ARCS_KERNEL(sssp_certify_arcs, sssp_certify_args, sssp_certify_arc)
ARCS_KERNEL(sssp_certify_level, sssp_certify_args, sssp_certify_level_arc)

#endif
