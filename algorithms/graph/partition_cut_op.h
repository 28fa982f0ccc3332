/** @file partition_cut_op.h  Arcs between parts of a partition, counted where the arcs lie; written once for host devices and GPUs. Not
 * installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_PARTITION_CUT_OP_H
#define WEIR_ALGORITHMS_GRAPH_PARTITION_CUT_OP_H

#include "algorithms/graph/csr_op.h"

/** A part has so many counters, of which a worker adds to one: all workers would wait for each other at a single one. */
#define PARTITION_CUT_SLOTS 64u

typedef struct partition_cut_args {
    const uint32_t *heads; /* of the arcs, */
    uint64_t begin, count; /* the first of them by its place in the graph */
    const uint64_t *ends;  /* by row: where it ends among all arcs of the graph, */
    uint64_t row, rows;    /* of so many rows, this one and those behind it */
    const uint8_t *owner;  /* by vertex; NULL: parts are ranges of vertices */
    const uint64_t *first; /* vertex of each part, then their number; NULL: not so */
    uint32_t parts;
    uint64_t *cut; /* by slot and part: arcs that lead from the part to others. Relaxed atomics */
    uint64_t *
        seen; /* by vertex, a bit for each other part with an arc to it: the same. NULL: not asked for */
} partition_cut_args;

extern const weir_kernel weir__partition_cut_kernel;

/** The vertices that a tail's part has, as far as they are a range; or the part alone. */
typedef struct partition_side {
    uint32_t part;
    uint32_t first, span;
} partition_side;

WEIR_DEV partition_side partition_side_of(const partition_cut_args *a, uint64_t v)
{
    partition_side side = {0, 0, 0};
    if (!a->first) {
        side.part = a->owner[v];
        return side;
    }
    side.part = (uint32_t)csr_find(a->first + 1, 0, a->parts, v);
    side.first = (uint32_t)a->first[side.part];
    side.span = (uint32_t)(a->first[side.part + 1] - a->first[side.part]);
    return side;
}

WEIR_DEV int partition_leaves(const partition_cut_args *a, const partition_side *side,
                              uint32_t head)
{
    return a->first ? head - side->first >= side->span : a->owner[head] != side->part;
}

/** Most vertices are seen by a part more than once, and a store takes the line even if it adds nothing. */
WEIR_DEV void partition_see(uint64_t *seen, uint64_t bit)
{
    if (!(weir_load_relaxed_dev_u64(seen) & bit))
        weir_or_relaxed_dev_u64(seen, bit);
}

/** Count the arcs of a lane from @p from on, a stride apart. Neighbours mostly have one part, so it adds up what it finds as long as
 *  that stays. */
WEIR_DEV void partition_cut_tile(const partition_cut_args *a, uint64_t *cut, uint64_t tile,
                                 uint64_t end)
{
    const uint64_t low = csr_find(a->ends, 0, a->rows, a->begin + tile);
    const uint64_t high = csr_find(a->ends, low, a->rows, a->begin + end - 1);
    uint64_t tail = low, found = 0;
    partition_side side = partition_side_of(a, a->row + tail);
    for (uint64_t i = tile + weir_lane(); i < end; i += WEIR_LANES) {
        const uint64_t before = tail;
        tail = csr_tail(a->ends, tail, high, a->begin + i);
        if (tail != before) {
            const partition_side next = partition_side_of(a, a->row + tail);
            if (next.part != side.part && found) {
                (void)weir_atomic_add_relaxed_dev_u64(&cut[side.part], found);
                found = 0;
            }
            side = next;
        }
        const uint32_t head = a->heads[i];
        if (!partition_leaves(a, &side, head))
            continue;
        found++;
        if (a->seen)
            partition_see(&a->seen[head], (uint64_t)1 << side.part);
    }
    if (found)
        (void)weir_atomic_add_relaxed_dev_u64(&cut[side.part], found);
}

/** Count arcs that lead to other parts, by the part that they lead from. */
WEIR_DEV void partition_cut(const partition_cut_args *a, uint32_t worker, uint32_t workers)
{
    uint64_t *cut = a->cut + (uint64_t)(worker % PARTITION_CUT_SLOTS) * a->parts;
    for (uint64_t tile = (uint64_t)worker * CSR_TILE; tile < a->count;
         tile += (uint64_t)workers * CSR_TILE)
        partition_cut_tile(a, cut, tile, tile + CSR_TILE < a->count ? tile + CSR_TILE : a->count);
}

#endif
