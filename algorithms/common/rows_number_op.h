/** @file rows_number_op.h  Numbers by degree on a device, written once for host devices and GPUs. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_ROWS_NUMBER_OP_H
#define WEIR_ALGORITHMS_COMMON_ROWS_NUMBER_OP_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

typedef struct rows_number_args {
    uint64_t vertices;
    const uint64_t *offsets;   /* by vertex, of the graph */
    const uint32_t *in_degree; /* by vertex; NULL: it does not count */
    const uint8_t *owner;      /* by vertex; NULL: there is one part */
    uint32_t degree_max, degree_bits;
    uint64_t *
        keys; /* by vertex, then in order: the part above, and below by how much the degree is less than the largest */
    uint32_t *order; /* beside each key its vertex */
    uint32_t parts;
    uint32_t begin[WEIR_DEVICES_MAX]; /* number of each part's first */
    uint64_t
        before[WEIR_DEVICES_MAX + 1]; /* vertices of the parts before each; behind the last: all */
    uint32_t *number;                 /* out: by vertex */
    uint32_t *vertex, *degree;        /* out: by number; the out-degree. Gaps are as they were */
} rows_number_args;

extern const weir_kernel weir__rows_keys_kernel, weir__rows_number_kernel;

/** What vertices are sorted by; equals keep the order of their ids. */
WEIR_DEV void rows_keys(const rows_number_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t v = (uint64_t)worker * WEIR_LANES + weir_lane(); v < a->vertices;
         v += (uint64_t)workers * WEIR_LANES) {
        const uint64_t degree =
            a->offsets[v + 1] - a->offsets[v] + (a->in_degree ? a->in_degree[v] : 0);
        const uint32_t clipped = degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX;
        a->keys[v] =
            (uint64_t)(a->owner ? a->owner[v] : 0) << a->degree_bits | (a->degree_max - clipped);
        a->order[v] = (uint32_t)v;
    }
}

/** Vertices in order become numbers. */
WEIR_DEV void rows_number(const rows_number_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t i = (uint64_t)worker * WEIR_LANES + weir_lane(); i < a->vertices;
         i += (uint64_t)workers * WEIR_LANES) {
        const uint32_t v = a->order[i], part = (uint32_t)(a->keys[i] >> a->degree_bits);
        const uint32_t number = a->begin[part] + (uint32_t)(i - a->before[part]);
        a->number[v] = number;
        a->vertex[number] = v;
        a->degree[number] = (uint32_t)(a->offsets[v + (uint64_t)1] - a->offsets[v]);
    }
}

#endif
