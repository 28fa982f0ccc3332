/** @file pieces_op.h  Arcs of a graph as it comes, a piece at a time, as kernels see them; written once for host devices and GPUs. Not
 * installed. */
#ifndef WEIR_ALGORITHMS_COMMON_PIECES_OP_H
#define WEIR_ALGORITHMS_COMMON_PIECES_OP_H

#include "algorithms/graph/csr_op.h"

/** Arcs that are on a device, and what tells whose they are. The first member of what kernels over pieces are given: pieces.c fills in
 *  all but `offsets` and `vertices`, which those kernels need that ask for tails. */
typedef struct arcs_piece {
    const uint64_t *offsets; /* by vertex, of the graph */
    uint64_t vertices;
    uint64_t begin, count; /* arcs that are here, the first of them by its place in the graph */
    const uint32_t *heads; /* of them, as vertices */
    const uint32_t
        *weights_u32; /* of them; NULL: they do not come along, or are of the other kind */
    const double *weights_f64;
} arcs_piece;

/** A kernel NAME over a piece that calls take(args, tail, i) for each of its arcs; i counts from the first one that is here.
 *  @param[in] type  of the arguments, whose first member is `arcs_piece here`. */
#define ARCS_KERNEL(name, type, take)                                                           \
    WEIR_DEV void name(const type *a, uint32_t worker, uint32_t workers)                        \
    {                                                                                           \
        const arcs_piece *here = &a->here;                                                      \
        const uint64_t *ends = here->offsets + 1;                                               \
        for (uint64_t tile = (uint64_t)worker * CSR_TILE; tile < here->count;                   \
             tile += (uint64_t)workers * CSR_TILE) {                                            \
            const uint64_t end = tile + CSR_TILE < here->count ? tile + CSR_TILE : here->count; \
            const uint64_t low = csr_find(ends, 0, here->vertices, here->begin + tile);         \
            const uint64_t high = csr_find(ends, low, here->vertices, here->begin + end - 1);   \
            uint64_t tail = low;                                                                \
            for (uint64_t i = tile + weir_lane(); i < end; i += WEIR_LANES) {                   \
                tail = csr_tail(ends, tail, high, here->begin + i);                             \
                take(a, tail, i);                                                               \
            }                                                                                   \
        }                                                                                       \
    }

#endif
