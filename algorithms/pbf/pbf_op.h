/** @file pbf_op.h  The filter of one packet, written once for host devices and GPUs.
 *
 * A worker takes tiles in turn. It looks at a whole tile first and keeps a bit for every element,
 * reserves room in the output for all that stay with one atomic, and then writes them side by side:
 * an atomic for each element would make every lane wait for the same word. Tiles lie in
 * the order in which their atomics were served, which is why a piece of the result has no order.
 *
 * How many elements stay is known when the kernel ends, and a copy of the number would cost as much
 * as a small packet. So the worker that ends last writes it into the host's memory itself. One word
 * of the device counts both: the elements kept in its lower half, the workers that are done in its
 * upper half. The worker that completes the second count reads the first in the same access, and no
 * fence is needed between the two. */
#ifndef WEIR_ALGORITHMS_PBF_OP_H
#define WEIR_ALGORITHMS_PBF_OP_H

#include "runtime/dialect.h"

/* Elements that a worker looks at before it reserves room, and how many of them are one lane's. */
#define PBF_TILE 512u
#define PBF_ROWS (PBF_TILE / WEIR_LANES)

#ifdef __CUDACC__
#define PBF_UNROLL _Pragma("unroll")
#else
#define PBF_UNROLL
#endif

typedef struct pbf_args {
    const uint32_t *input;
    uint32_t *output; /* room for as many elements */
    uint64_t *word;   /* the device's, 0 between kernels: workers done << 32 | elements kept */
    uint32_t *kept;   /* the home device's: written at the end */
    uint64_t below;
    uint32_t work;
    uint32_t elements; /* at most 2^28, so that neither sums nor halves overflow */
} pbf_args;

/* A bijection of 32 bits in which every bit of the result depends on every bit of the argument:
 * shifts and multiplications by odd constants can each be undone. */
WEIR_DEV uint32_t pbf_mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

WEIR_DEV int pbf_keeps(const pbf_args *a, uint32_t value)
{
    for (uint32_t i = 0; i < a->work; i++)
        value = pbf_mix(value);
    return value < a->below;
}

/* Write what stays of a tile from output[at] on. */
WEIR_DEV void pbf_write(const pbf_args *a, const uint32_t *value, const uint32_t *keep, uint32_t at,
                        uint32_t kept)
{
#ifdef __CUDACC__
    uint32_t lane = weir_lane(), lower = (1u << lane) - 1u;
    (void)kept;
    PBF_UNROLL
    for (uint32_t r = 0; r < PBF_ROWS; r++) {
        if (keep[r] >> lane & 1u)
            a->output[at + weir_popcount_u32(keep[r] & lower)] = value[r];
        at += weir_popcount_u32(keep[r]);
    }
#else
    /* The loop has no branch that the processor could predict wrongly: every element is written, and
     * one that does not stay is overwritten by the next. Nothing is written behind the last one that
     * stays, since that room belongs to other tiles. */
    for (uint32_t r = 0, end = at + kept; at < end; r++) {
        a->output[at] = value[r];
        at += keep[r];
    }
#endif
}

WEIR_DEV void pbf_tile(const pbf_args *a, uint32_t first)
{
    uint32_t value[PBF_ROWS], keep[PBF_ROWS], lane = weir_lane(), kept = 0, at = 0;
    PBF_UNROLL
    for (uint32_t r = 0; r < PBF_ROWS; r++) {
        uint32_t i = first + r * WEIR_LANES + lane;
        value[r] = i < a->elements ? a->input[i] : 0;
        keep[r] = weir_ballot(i < a->elements && pbf_keeps(a, value[r]));
        kept += weir_popcount_u32(keep[r]);
    }
    if (lane == 0 && kept)
        at = (uint32_t)weir_atomic_add_relaxed_dev_u64(a->word, kept);
    pbf_write(a, value, keep, weir_broadcast_u32(at, 0), kept);
}

WEIR_DEV void pbf_filter(const pbf_args *a, uint32_t worker, uint32_t workers)
{
    const uint64_t one = UINT64_C(1) << 32;
    for (uint64_t first = (uint64_t)worker * PBF_TILE; first < a->elements;
         first += (uint64_t)workers * PBF_TILE)
        pbf_tile(a, (uint32_t)first);
    if (weir_lane() != 0)
        return;
    uint64_t before = weir_atomic_add_relaxed_dev_u64(a->word, one);
    if (before >> 32 == workers - 1u) {
        *a->kept = (uint32_t)before;
        weir_add_relaxed_dev_u64(a->word, 0u - (before + one)); /* 0 again */
    }
}

#endif
