/** @file rows_device_op.h  Arcs of a graph as it comes to their rows by number, written once for host devices and GPUs. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_ROWS_DEVICE_OP_H
#define WEIR_ALGORITHMS_COMMON_ROWS_DEVICE_OP_H

#include "algorithms/common/pieces_op.h"
#include "algorithms/rows.h"

typedef struct rows_arcs_args {
    arcs_piece here;
    const uint32_t *number; /* by vertex */
    uint32_t first, owned;  /* numbers of the part */
    const uint64_t *rows;   /* by row of the part: where its out-arcs begin */
    uint64_t *
        cursors; /* by row: where the next in-arc goes; NULL: out-arcs are wanted. Relaxed atomics */
    uint32_t *targets;   /* of the part, row by row */
    uint32_t *weights;   /* NULL: none */
    uint64_t *pairs;     /* in place of both; else NULL */
    uint32_t *in_degree; /* by vertex; relaxed atomics */
} rows_arcs_args;

typedef struct rows_firsts_args {
    const uint64_t *offsets; /* of the rows */
    const uint32_t *targets;
    const uint64_t *pairs; /* where there are no targets */
    uint32_t rows;
    uint32_t *firsts;      /* out: by row */
    uint64_t *pair_firsts; /* in its place where there are pairs: two by row */
} rows_firsts_args;

/* Arcs of a part, or first targets of its rows, and local numbers in their place. */
typedef struct rows_names_args {
    uint32_t *targets; /* WEIR_ROWS_NONE stays */
    uint64_t count;
    uint32_t first, owned; /* numbers of the part */
    uint32_t *bits;        /* out: of others' numbers; a bit each, relaxed atomics */
    const uint64_t *known; /* weir_rows_local() */
} rows_names_args;

extern const weir_kernel weir__rows_heads_kernel, weir__rows_arcs_kernel, weir__rows_firsts_kernel,
    weir__rows_mark_kernel, weir__rows_name_kernel;

/** Count the arcs that come to each vertex. */
WEIR_DEV void rows_heads(const rows_arcs_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t i = (uint64_t)worker * WEIR_LANES + weir_lane(); i < a->here.count;
         i += (uint64_t)workers * WEIR_LANES)
        weir_add_relaxed_dev_u32(&a->in_degree[a->here.heads[i]], 1);
}

/* Out-arcs keep their order within the row, so that each has its place; in-arcs come as they come. */
WEIR_DEV void rows_take_arc(const rows_arcs_args *a, uint64_t tail, uint64_t i)
{
    const uint32_t from = a->number[tail], to = a->number[a->here.heads[i]];
    const uint32_t row = (a->cursors ? to : from) - a->first;
    if (row >= a->owned)
        return;
    const uint64_t at = a->cursors ? weir_atomic_add_relaxed_dev_u64(&a->cursors[row], 1)
                                   : a->rows[row] + (a->here.begin + i - a->here.offsets[tail]);
    if (a->pairs) {
        a->pairs[at] = weir_rows_pair(a->here.weights_u32[i], a->cursors ? from : to);
        return;
    }
    a->targets[at] = a->cursors ? from : to;
    if (a->weights)
        a->weights[at] = a->here.weights_u32[i];
}

WEIR_DEV uint64_t rows_pair_at(const rows_firsts_args *a, uint64_t arc, uint64_t end)
{
    return arc < end ? a->pairs[arc] : WEIR_ROWS_NO_PAIR;
}

/** The first target of each row, or its first two arcs as pairs. */
WEIR_DEV void rows_firsts(const rows_firsts_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t r = (uint64_t)worker * WEIR_LANES + weir_lane(); r < a->rows;
         r += (uint64_t)workers * WEIR_LANES) {
        const uint64_t first = a->offsets[r], end = a->offsets[r + 1];
        if (!a->pairs) {
            a->firsts[r] = first < end ? a->targets[first] : WEIR_ROWS_NONE;
            continue;
        }
        a->pair_firsts[2 * r] = rows_pair_at(a, first, end);
        a->pair_firsts[2 * r + 1] = rows_pair_at(a, first + 1, end);
    }
}

/** Mark the numbers of other parts that arcs lead to. */
WEIR_DEV void rows_mark(const rows_names_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t i = (uint64_t)worker * WEIR_LANES + weir_lane(); i < a->count;
         i += (uint64_t)workers * WEIR_LANES) {
        const uint32_t number = a->targets[i], bit = 1u << number % 32;
        if (number - a->first >= a->owned &&
            !(weir_load_relaxed_dev_u32(&a->bits[number / 32]) & bit))
            weir_or_relaxed_dev_u32(&a->bits[number / 32], bit);
    }
}

/** Arcs name local numbers. */
WEIR_DEV void rows_name(const rows_names_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t i = (uint64_t)worker * WEIR_LANES + weir_lane(); i < a->count;
         i += (uint64_t)workers * WEIR_LANES)
        if (a->targets[i] != WEIR_ROWS_NONE)
            a->targets[i] = weir_rows_local(a->known, a->targets[i]);
}

/** Put the arcs of the part's rows where they belong. */
ARCS_KERNEL(rows_arcs, rows_arcs_args, rows_take_arc)

#endif
