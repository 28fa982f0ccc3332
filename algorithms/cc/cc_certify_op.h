/** @file cc_certify_op.h  Labels of components judged by the arcs; written once for host devices and GPUs. Not installed. */
#ifndef WEIR_ALGORITHMS_CC_CC_CERTIFY_OP_H
#define WEIR_ALGORITHMS_CC_CC_CERTIFY_OP_H

#include "algorithms/common/certify_op.h"

/** What is broken; cc_certify.c has the sentences. CC_JOINED is about no arc. */
enum cc_rule { CC_HOLDS, CC_LABEL, CC_ROOT, CC_JOINED, CC_SPLIT };

typedef struct cc_certify_args {
    arcs_piece here;
    certify_share share;
    const uint32_t *labels; /* by vertex */
    uint32_t *
        forest; /* by vertex: one of its component that is smaller, or itself. Relaxed atomics; falls only */
} cc_certify_args;

extern const weir_kernel weir__cc_certify_start_kernel, weir__cc_certify_vertices_kernel,
    weir__cc_certify_arcs_kernel;

/** The root of a vertex's tree as it is now. Shortens the way behind it: what a vertex pointed to stays above it. */
WEIR_DEV uint32_t cc_certify_root(uint32_t *forest, uint32_t v)
{
    uint32_t above = weir_load_relaxed_dev_u32(&forest[v]);
    while (above != v) {
        const uint32_t next = weir_load_relaxed_dev_u32(&forest[above]);
        if (next != above)
            weir_store_relaxed_dev_u32(&forest[v], next);
        v = above;
        above = next;
    }
    return v;
}

/** Two vertices are of one component: the larger root goes below the smaller. Only a root is changed so, and once. */
WEIR_DEV void cc_certify_join(uint32_t *forest, uint32_t a, uint32_t b)
{
    for (;;) {
        a = cc_certify_root(forest, a);
        b = cc_certify_root(forest, b);
        if (a == b)
            return;
        const uint32_t large = a > b ? a : b, small = a > b ? b : a;
        if (weir_atomic_compare_swap_relaxed_dev_u32(&forest[large], large, small) == large)
            return;
    }
}

/** Every vertex is a tree of its own, on every device. */
WEIR_DEV void cc_certify_start(const cc_certify_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t v = (uint64_t)worker * WEIR_LANES + weir_lane(); v < a->here.vertices;
         v += (uint64_t)workers * WEIR_LANES)
        a->forest[v] = (uint32_t)v;
}

WEIR_DEV void cc_certify_vertex(const cc_certify_args *a, uint64_t v)
{
    const uint32_t label = a->labels[v];
    if (label > v)
        certify_breaks(&a->share, CERTIFY_VERTEX, v, CC_LABEL);
    else if (a->labels[label] != label)
        certify_breaks(&a->share, CERTIFY_VERTEX, v, CC_ROOT);
}

WEIR_DEV void cc_certify_arc(const cc_certify_args *a, uint64_t tail, uint64_t i)
{
    const uint32_t head = a->here.heads[i];
    if (a->labels[tail] != a->labels[head])
        certify_breaks(&a->share, CERTIFY_ARC, a->here.begin + i, CC_SPLIT);
    cc_certify_join(a->forest, (uint32_t)tail, head);
}

CERTIFY_VERTICES_KERNEL(cc_certify_vertices, cc_certify_args, cc_certify_vertex)
ARCS_KERNEL(cc_certify_arcs, cc_certify_args, cc_certify_arc)

#endif
