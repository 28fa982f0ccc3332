/** @file cc_stream_op.h  The kernels of streamed components, written once for host devices and GPUs.
 *
 * A device has a parent for every vertex of the graph, by id. Whatever comes is linked into these trees: arcs in
 * segments, or the parents of another device, which are arcs as well (Groute Figure 15). Workers take 32
 * (on a host device one) rows or vertices at a time. Kernels of one queue follow one another; inside a kernel
 * parents are changed by relaxed atomics alone (cc_forest.h). */
#ifndef WEIR_ALGORITHMS_CC_STREAM_OP_H
#define WEIR_ALGORITHMS_CC_STREAM_OP_H

#include "algorithms/cc/cc_forest.h"

/* A segment: four words (rows, arcs, 0, 0), then for each row its vertex and where its arcs end, then the
 * far ends of all arcs. A row is at most CC_ROW arcs; longer ones come as several. */
#define CC_HEAD 4u
#define CC_ROW  1024u

enum cc_stream_kind {
    CC_BEGIN,   /* each vertex is its own parent */
    CC_SEGMENT, /* link a segment of arcs */
    CC_TREES,   /* link each vertex with its parent on another device */
    CC_FLATTEN  /* each vertex points at its root */
};

struct cc_stream_args {
    uint32_t *parent;
    const uint32_t *data; /* the segment, or parents of vertices first, first + 1, ... */
    uint32_t kind;
    uint32_t first, count; /* vertices; unused by SEGMENT */
};

/* A lane links a row of up to CC_ALONE arcs; the lanes of the worker link a longer one together. */
#ifdef __CUDACC__
#define CC_ALONE 16u
#else
#define CC_ALONE CC_ROW
#endif

WEIR_DEV void cc_segment_rows(uint32_t *parent, const uint32_t *data, uint32_t row)
{
    const uint32_t *ends = data + CC_HEAD, *targets = ends + 2 * (uint64_t)data[0];
    struct cc_hook hook;
    uint32_t v = 0, first = 0, count = 0;
    if (row < data[0]) {
        v = ends[2 * (uint64_t)row];
        first = row ? ends[2 * (uint64_t)row - 1] : 0;
        count = ends[2 * (uint64_t)row + 1] - first;
    }
    if (count <= CC_ALONE)
        for (uint32_t i = 0; i < count; i++)
            (void)cc_join(parent, v, targets[first + i], 0, &hook);
    weir_lanes_sync();
    for (uint32_t lanes = weir_ballot(count > CC_ALONE); lanes; lanes &= lanes - 1) {
        const uint32_t from = weir_first_bit_u32(lanes);
        const uint32_t begin = weir_broadcast_u32(first, from),
                       end = begin + weir_broadcast_u32(count, from),
                       whose = weir_broadcast_u32(v, from);
        for (uint32_t i = begin + weir_lane(); i < end; i += WEIR_LANES)
            (void)cc_join(parent, whose, targets[i], 0, &hook);
        weir_lanes_sync();
    }
}

WEIR_DEV void cc_stream_vertex(const struct cc_stream_args *a, uint32_t i)
{
    const uint32_t v = a->first + i;
    struct cc_hook hook;
    if (a->kind == CC_BEGIN) {
        weir_store_relaxed_dev_u32(&a->parent[v], v);
    } else if (a->kind == CC_TREES) {
        (void)cc_join(a->parent, v, a->data[i], 0, &hook);
    } else {
        const uint32_t up = weir_load_relaxed_dev_u32(&a->parent[v]);
        const uint32_t root = up == v ? v : cc_root(a->parent, up, CC_NONE);
        if (root != up)
            weir_store_relaxed_dev_u32(&a->parent[v], root);
    }
}

WEIR_DEV void cc_stream(const struct cc_stream_args *a, uint32_t worker, uint32_t workers)
{
    const uint64_t count = a->kind == CC_SEGMENT ? a->data[0] : a->count;
    for (uint64_t base = (uint64_t)worker * WEIR_LANES; base < count;
         base += (uint64_t)workers * WEIR_LANES) {
        const uint64_t i = base + weir_lane();
        if (a->kind == CC_SEGMENT)
            cc_segment_rows(a->parent, a->data, (uint32_t)i);
        else if (i < count)
            cc_stream_vertex(a, (uint32_t)i);
    }
}

#endif
