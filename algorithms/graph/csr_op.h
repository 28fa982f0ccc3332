/** @file csr_op.h  How arcs become sorted rows on a device, written once for host devices and GPUs: counting, dealing out, keys that
 * are sorted, and what is dropped of equal ones. Not installed.
 *
 * Arcs are counted by row, sums tell where each row begins, and atomic cursors deal the arcs out. That leaves each row in an order
 * that depends on the threads. Stretches of rows then become keys, the row above and the far end below, which are sorted as one
 * (sort_keys.h); what comes out depends on the set of arcs alone. */
#ifndef WEIR_ALGORITHMS_GRAPH_CSR_OP_H
#define WEIR_ALGORITHMS_GRAPH_CSR_OP_H

#include "algorithms/graph/edges.h"
#include "runtime/runtime.h"

/** Arcs, or keys, that a worker takes at a time. */
#define CSR_TILE 1024u

/** The first row of @p low to @p high - 1 that ends behind @p arc; @p high if none does. */
WEIR_DEV uint64_t csr_find(const uint64_t *ends, uint64_t low, uint64_t high, uint64_t arc)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (ends[middle] > arc)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/** The tail of the next arc of a lane that goes along a tile: it lies from the tail before on. A lane by itself goes from row to row; those
 *  that go abreast, a stride apart, search. */
WEIR_DEV uint64_t csr_tail(const uint64_t *ends, uint64_t before, uint64_t high, uint64_t arc)
{
    while (WEIR_LANES == 1 && ends[before] <= arc)
        before++;
    return WEIR_LANES == 1 ? before : csr_find(ends, before, high, arc);
}

/* ---- arcs to rows -------------------------------------------------------------------------------- */

typedef struct csr_deal_args {
    weir__edges edges;
    uint64_t begin, end; /* arcs, by index in `edges` */
    uint64_t first;      /* vertices whose arcs are wanted: this and those behind it, */
    uint64_t rows;       /* so many in all */
    uint64_t *ends;      /* by row: counts, or cursors. Relaxed atomics */
    uint32_t *targets;   /* rows */
    uint32_t *weights;   /* NULL: none */
    uint32_t mirror;     /* every arc stands for both directions */
} csr_deal_args;

extern const weir_kernel weir__csr_count_kernel, weir__csr_deal_kernel;

/** Count an arc, or deal it out, if its vertex is among those that are wanted. */
WEIR_DEV void csr_put(const csr_deal_args *a, uint32_t source, uint32_t target, uint64_t i,
                      int deal)
{
    const uint64_t row = source - a->first; /* of one before the first: too large */
    if (row >= a->rows)
        return;
    const uint64_t at = weir_atomic_add_relaxed_dev_u64(&a->ends[row], 1);
    if (!deal)
        return;
    a->targets[at] = target;
    if (a->weights)
        a->weights[at] = a->edges.weights[i];
}

/** Every arc that is no loop. */
WEIR_DEV void csr_put_all(const csr_deal_args *a, uint32_t worker, uint32_t workers, int deal)
{
    for (uint64_t tile = a->begin + (uint64_t)worker * CSR_TILE; tile < a->end;
         tile += (uint64_t)workers * CSR_TILE)
        for (uint32_t k = weir_lane(); k < CSR_TILE && tile + k < a->end; k += WEIR_LANES) {
            uint32_t source, target;
            weir__edge(&a->edges, tile + k, &source, &target);
            if (source == target)
                continue;
            csr_put(a, source, target, tile + k, deal);
            if (a->mirror)
                csr_put(a, target, source, tile + k, deal);
        }
}

/** How many arcs each row has. */
WEIR_DEV void csr_count(const csr_deal_args *a, uint32_t worker, uint32_t workers)
{
    csr_put_all(a, worker, workers, 0);
}

/** Deal arcs out to their rows. Cursors begin where the rows do, and end where those end. */
WEIR_DEV void csr_deal(const csr_deal_args *a, uint32_t worker, uint32_t workers)
{
    csr_put_all(a, worker, workers, 1);
}

typedef struct csr_shift_args {
    uint64_t *values, count, less;
} csr_shift_args;

extern const weir_kernel weir__csr_shift_kernel;

/** Where rows begin among all arcs becomes where they begin among those of a range. */
WEIR_DEV void csr_shift(const csr_shift_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t i = (uint64_t)worker * WEIR_LANES + weir_lane(); i < a->count;
         i += (uint64_t)workers * WEIR_LANES)
        a->values[i] -= a->less;
}

/* ---- keys ---------------------------------------------------------------------------------------- */

/** A stretch of rows whose arcs are sorted together. */
typedef struct csr_keys_args {
    const uint64_t *ends; /* by row, of all */
    uint64_t first, last; /* rows of the stretch, `last` not in it */
    uint64_t arc, count;  /* its first arc, and how many it has */
    uint32_t *targets;    /* of all rows */
    uint32_t *weights;    /* NULL: none */
    uint64_t *pairs;      /* in place of both: a weight above, a target below; else NULL */
    uint64_t *keys;       /* count */
    uint32_t *values;     /* count, if there are weights */
    uint32_t bits;        /* of a far end */
    uint32_t weight_bits; /* of a weight, where arcs are to ascend by weight; 0: by far end */
    uint64_t kept;        /* where what is kept of the stretch goes */
    uint64_t *
        tiles; /* by tile: how many keys are the first of their kind, then the sums of those before */
    uint32_t *dropped; /* by row, of all: how many are not. Relaxed atomics */
} csr_keys_args;

extern const weir_kernel weir__csr_pack_kernel, weir__csr_turn_kernel, weir__csr_unpack_kernel,
    weir__csr_mark_kernel, weir__csr_keep_kernel;

/** Arcs to keys, by far end; weights go beside them. */
WEIR_DEV void csr_pack(const csr_keys_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t tile = (uint64_t)worker * CSR_TILE; tile < a->count;
         tile += (uint64_t)workers * CSR_TILE) {
        const uint64_t end = tile + CSR_TILE < a->count ? tile + CSR_TILE : a->count;
        const uint64_t low = csr_find(a->ends, a->first, a->last, a->arc + tile);
        const uint64_t high = csr_find(a->ends, low, a->last, a->arc + end - 1);
        for (uint64_t i = tile + weir_lane(); i < end; i += WEIR_LANES) {
            const uint64_t row = csr_find(a->ends, low, high, a->arc + i);
            const uint64_t pair = a->pairs ? a->pairs[a->arc + i] : a->targets[a->arc + i];
            a->keys[i] = (row - a->first) << a->bits | (uint32_t)pair;
            if (a->pairs)
                a->values[i] = (uint32_t)(pair >> 32);
            else if (a->weights)
                a->values[i] = a->weights[a->arc + i];
        }
    }
}

/** Keys by far end become keys by weight, with the far end beside: a sort that keeps the order of equals leaves those of one weight
 *  in the order of their far ends. */
WEIR_DEV void csr_turn(const csr_keys_args *a, uint32_t worker, uint32_t workers)
{
    const uint64_t mask = (UINT64_C(1) << a->bits) - 1;
    for (uint64_t i = (uint64_t)worker * WEIR_LANES + weir_lane(); i < a->count;
         i += (uint64_t)workers * WEIR_LANES) {
        const uint64_t key = a->keys[i];
        a->keys[i] = key >> a->bits << a->weight_bits | a->values[i];
        a->values[i] = (uint32_t)(key & mask);
    }
}

/** Keys to arcs. */
WEIR_DEV void csr_unpack(const csr_keys_args *a, uint32_t worker, uint32_t workers)
{
    const uint32_t bits = a->weight_bits ? a->weight_bits : a->bits;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint32_t *low = a->weight_bits ? a->weights : a->targets;
    uint32_t *beside = a->weight_bits ? a->targets : a->weights;
    for (uint64_t i = (uint64_t)worker * WEIR_LANES + weir_lane(); i < a->count;
         i += (uint64_t)workers * WEIR_LANES) {
        const uint64_t key = a->keys[i] & mask;
        if (a->pairs) {
            const uint64_t value = a->values[i];
            a->pairs[a->arc + i] = a->weight_bits ? key << 32 | value : value << 32 | key;
            continue;
        }
        low[a->arc + i] = (uint32_t)key;
        if (beside)
            beside[a->arc + i] = a->values[i];
    }
}

/* ---- what is dropped of equal ones --------------------------------------------------------------- */

WEIR_DEV int csr_is_first(const csr_keys_args *a, uint64_t i)
{
    return i == 0 || a->keys[i - 1] != a->keys[i];
}

/** Count by tile the keys that are the first of their kind, and by row those that are not. */
WEIR_DEV void csr_mark(const csr_keys_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t tile = (uint64_t)worker * CSR_TILE; tile < a->count;
         tile += (uint64_t)workers * CSR_TILE) {
        uint32_t kept = 0;
        for (uint64_t i = tile + weir_lane(); i < tile + CSR_TILE && i < a->count;
             i += WEIR_LANES) {
            const int first = csr_is_first(a, i);
            kept += (uint32_t)first;
            if (!first)
                weir_add_relaxed_dev_u32(&a->dropped[a->first + (a->keys[i] >> a->bits)], 1);
        }
        kept = weir_sum_u32(kept);
        if (weir_lane() == 0)
            a->tiles[tile / CSR_TILE] = kept;
    }
}

/* The smallest weight of the arcs that are equal to the one at @p i. */
WEIR_DEV uint32_t csr_lightest(const csr_keys_args *a, uint64_t i)
{
    uint32_t weight = a->values[i];
    for (uint64_t k = i + 1; k < a->count && a->keys[k] == a->keys[i]; k++)
        weight = a->values[k] < weight ? a->values[k] : weight;
    return weight;
}

/** Write what is kept where it belongs; never behind where it came from, which nobody reads any more. */
WEIR_DEV void csr_keep(const csr_keys_args *a, uint32_t worker, uint32_t workers)
{
    const uint64_t mask = (UINT64_C(1) << a->bits) - 1;
    const uint32_t before = weir_lane() ? UINT32_MAX >> (32u - weir_lane()) : 0;
    for (uint64_t tile = (uint64_t)worker * CSR_TILE; tile < a->count;
         tile += (uint64_t)workers * CSR_TILE) {
        uint64_t to = a->kept + a->tiles[tile / CSR_TILE];
        for (uint64_t at = tile; at < tile + CSR_TILE && at < a->count; at += WEIR_LANES) {
            const uint64_t i = at + weir_lane();
            const int first = i < a->count && csr_is_first(a, i);
            const uint32_t firsts = weir_ballot(first);
            const uint64_t place = to + weir_popcount_u32(firsts & before);
            if (first) {
                a->targets[place] = (uint32_t)(a->keys[i] & mask);
                if (a->weights)
                    a->weights[place] = csr_lightest(a, i);
            }
            to += weir_popcount_u32(firsts);
        }
    }
}

typedef struct csr_lengths_args {
    const uint64_t *ends;    /* by row, before anything was dropped */
    const uint32_t *dropped; /* by row */
    uint64_t *lengths;       /* rows + 1, the last of them 0 */
    uint64_t rows;
} csr_lengths_args;

extern const weir_kernel weir__csr_lengths_kernel;

/** What each row has left. */
WEIR_DEV void csr_lengths(const csr_lengths_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t v = (uint64_t)worker * WEIR_LANES + weir_lane(); v <= a->rows;
         v += (uint64_t)workers * WEIR_LANES)
        a->lengths[v] = v < a->rows ? a->ends[v] - (v ? a->ends[v - 1] : 0) - a->dropped[v] : 0;
}

#endif
