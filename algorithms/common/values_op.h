/** @file values_op.h  What is done with the values of vertices where they lie, written once for host devices and
 * GPUs: how many a run changed and how many arcs those have, and into the order of vertices with them.
 *
 * Counting reads each value and its row's two offsets once, side by side, and costs an atomic a worker and sum.
 * Renumbering reads side by side and writes where the map says: a store needs nobody to wait for it, and may go
 * to the memory of another device. */
#ifndef WEIR_ALGORITHMS_COMMON_VALUES_OP_H
#define WEIR_ALGORITHMS_COMMON_VALUES_OP_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

/* Rows that a worker takes at a time: each lane has several loads under way. */
#define VALUES_TILE 256u
#define VALUES_NONE 0xFFFFFFFFu /* in a map: no vertex is here */

/** What counting finds, in this order. */
enum values_counted {
    VALUES_REACHED = 0, /* values of which a byte is not the fill */
    VALUES_ARCS,        /* of their rows */
    VALUES_FAR, /* of them those that are `far` or more, as unsigned numbers of 4 or 8 bytes */
    VALUES_COUNTS
};

typedef struct values_count_args {
    const void *values;
    const uint64_t *offsets; /* rows + 1 */
    uint64_t *counts;        /* VALUES_COUNTS; added to, relaxed */
    uint64_t far;            /* 0: nothing is */
    uint32_t rows;
    uint32_t bytes; /* of a value */
    uint32_t fill;  /* a byte */
} values_count_args;

typedef struct values_renumber_args {
    const void *values;
    const uint32_t *vertex; /* by row */
    void *out;              /* by vertex; memory that the device reaches */
    uint32_t rows;
    uint32_t bytes; /* of a value: 4 or 8 */
} values_renumber_args;

extern const weir_kernel weir__values_count_kernel, weir__values_renumber_kernel;

/** A value of 4 or 8 bytes as a number. */
WEIR_DEV uint64_t values_number(const values_count_args *a, uint64_t row)
{
    return a->bytes == 4 ? ((const uint32_t *)a->values)[row] : ((const uint64_t *)a->values)[row];
}

/** Whether a value of any other width is not the fill. */
WEIR_DEV int values_differ(const values_count_args *a, uint64_t row)
{
    const unsigned char *value = (const unsigned char *)a->values + row * a->bytes;
    int differ = 0;
    for (uint32_t i = 0; i < a->bytes; i++)
        differ |= value[i] != a->fill;
    return differ;
}

WEIR_DEV void values_count(const values_count_args *a, uint32_t worker, uint32_t workers)
{
    const int number = a->bytes == 4 || a->bytes == 8;
    const uint64_t all = (uint64_t)a->fill * 0x0101010101010101u;
    const uint64_t fill = a->bytes == 4 ? (uint32_t)all : all;
    uint64_t reached = 0, arcs = 0, far = 0;
    for (uint64_t first = (uint64_t)worker * VALUES_TILE; first < a->rows;
         first += (uint64_t)workers * VALUES_TILE)
        for (uint32_t r = weir_lane(); r < VALUES_TILE && first + r < a->rows; r += WEIR_LANES) {
            const uint64_t row = first + r, value = number ? values_number(a, row) : 0;
            const uint64_t hit = number ? value != fill : (uint64_t)values_differ(a, row);
            reached += hit;
            arcs += hit ? a->offsets[row + 1] - a->offsets[row] : 0;
            far += hit && a->far && value >= a->far;
        }
    reached = weir_sum_u64(reached);
    arcs = weir_sum_u64(arcs);
    far = weir_sum_u64(far);
    if (weir_lane() != 0 || reached == 0)
        return;
    (void)weir_atomic_add_relaxed_dev_u64(&a->counts[VALUES_REACHED], reached);
    (void)weir_atomic_add_relaxed_dev_u64(&a->counts[VALUES_ARCS], arcs);
    if (far)
        (void)weir_atomic_add_relaxed_dev_u64(&a->counts[VALUES_FAR], far);
}

WEIR_DEV void values_renumber(const values_renumber_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t first = (uint64_t)worker * VALUES_TILE; first < a->rows;
         first += (uint64_t)workers * VALUES_TILE)
        for (uint32_t r = weir_lane(); r < VALUES_TILE && first + r < a->rows; r += WEIR_LANES) {
            const uint64_t row = first + r;
            const uint32_t vertex = a->vertex[row];
            if (vertex == VALUES_NONE)
                continue;
            if (a->bytes == 4)
                ((uint32_t *)a->out)[vertex] = ((const uint32_t *)a->values)[row];
            else
                ((uint64_t *)a->out)[vertex] = ((const uint64_t *)a->values)[row];
        }
}

#endif
