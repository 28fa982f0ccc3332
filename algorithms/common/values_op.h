/** @file values_op.h  What is done with the values of vertices where they lie, written once for host devices and
 * GPUs: how many a run changed and how many arcs those have, and into the order of vertices with them.
 *
 * Counting reads each value, and the offsets of rows that have none: as a rule few. It costs an atomic a worker and sum.
 * Putting in order reads values wherever they are, also in the memory of other devices, and writes side by side, so
 * that a stretch of vertices can be on its way to the host while the next one is put in order. */
#ifndef WEIR_ALGORITHMS_COMMON_VALUES_OP_H
#define WEIR_ALGORITHMS_COMMON_VALUES_OP_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"
#include "worklist/steps/owner.h"

/* Rows that a worker takes at a time: each lane has several loads under way. */
#define VALUES_TILE  256u
#define VALUES_BATCH (WEIR_LANES == 1 ? 1u : 8u) /* of a lane, whose loads are under way together */

/** What counting finds, in this order. */
enum values_counted {
    VALUES_REACHED = 0, /* values of which a byte is not the fill */
    VALUES_ARCS_LEFT,   /* of the rows of the others */
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

/** What a value becomes on its way into the order of vertices; but for the first, values have 4 bytes and become 8. */
enum values_form {
    VALUES_AS_THEY_ARE = 0,
    VALUES_AS_VERTICES, /* a number: the vertex that has it, an int64_t; all bits: -1 */
    VALUES_AS_DOUBLES   /* a whole number; all bits: infinity */
};

typedef struct values_order_args {
    const void *values[WEIR_DEVICES_MAX]; /* of each part, by row; memory that the device reaches */
    const uint32_t *vertex[WEIR_DEVICES_MAX]; /* of each part, by row: where values are numbers */
    uint32_t first[WEIR_DEVICES_MAX +
                   1];      /* number of each part's first row; then one that is larger than all */
    const uint32_t *number; /* by vertex, from that of the first one wanted on */
    void *out;              /* by vertex, from that one on */
    uint64_t count;         /* vertices */
    uint32_t parts, bytes;  /* of a value: 4 or 8 */
    uint32_t form;          /* a values_form */
} values_order_args;

extern const weir_kernel weir__values_count_kernel, weir__values_order_kernel;

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

/* What a lane found. */
struct values_found {
    uint64_t reached, left, far;
};

/* VALUES_BATCH rows, the one at @p row and those a worker's lanes apart: all loads are under way together. */
WEIR_DEV void values_count_batch(const values_count_args *a, uint64_t row, uint64_t fill,
                                 struct values_found *found)
{
    const int number = a->bytes == 4 || a->bytes == 8;
    uint64_t value[VALUES_BATCH], first[VALUES_BATCH], last[VALUES_BATCH];
    for (uint32_t k = 0; k < VALUES_BATCH; k++) {
        const uint64_t at = row + k * WEIR_LANES;
        value[k] = fill;
        if (at < a->rows)
            value[k] = number ? values_number(a, at) : fill + (uint64_t)values_differ(a, at);
    }
    for (uint32_t k = 0; k < VALUES_BATCH; k++) {
        const uint64_t at = row + k * WEIR_LANES;
        const int none = at < a->rows && value[k] == fill;
        first[k] = none ? a->offsets[at] : 0;
        last[k] = none ? a->offsets[at + 1] : 0;
        found->reached += value[k] != fill;
        found->far += value[k] != fill && a->far && number && value[k] >= a->far;
    }
    for (uint32_t k = 0; k < VALUES_BATCH; k++)
        found->left += last[k] - first[k];
}

WEIR_DEV void values_count(const values_count_args *a, uint32_t worker, uint32_t workers)
{
    const uint64_t all = (uint64_t)a->fill * 0x0101010101010101u;
    const uint64_t fill = a->bytes == 4 ? (uint32_t)all : all;
    struct values_found found = {0, 0, 0};
    for (uint64_t first = (uint64_t)worker * VALUES_TILE; first < a->rows;
         first += (uint64_t)workers * VALUES_TILE)
        for (uint32_t r = weir_lane(); r < VALUES_TILE; r += VALUES_BATCH * WEIR_LANES)
            values_count_batch(a, first + r, fill, &found);
    const uint64_t reached = weir_sum_u64(found.reached), left = weir_sum_u64(found.left);
    const uint64_t far = weir_sum_u64(found.far);
    if (weir_lane() != 0)
        return;
    if (reached)
        weir_add_relaxed_dev_u64(&a->counts[VALUES_REACHED], reached);
    if (left)
        weir_add_relaxed_dev_u64(&a->counts[VALUES_ARCS_LEFT], left);
    if (far)
        weir_add_relaxed_dev_u64(&a->counts[VALUES_FAR], far);
}

/* Where the value with a number lies. */
WEIR_DEV const void *values_at(const values_order_args *a, uint32_t number)
{
    const uint32_t part = a->parts == 1 ? 0 : weir_steps_owner(a->first, number);
    return (const char *)a->values[part] + (uint64_t)(number - a->first[part]) * a->bytes;
}

/** What a value of 4 bytes becomes. @param[in] vertex  that has the number: a table from a part's first number on, for each part. */
WEIR_DEV uint64_t values_widen(uint32_t value, uint32_t form, const uint32_t *first, uint32_t parts,
                               const uint32_t *const *vertex)
{
    union {
        double number;
        uint64_t bits;
    } as;
    if (form == VALUES_AS_DOUBLES) {
        as.number = value;
        return value == UINT32_MAX ? UINT64_C(0x7FF0000000000000) : as.bits;
    }
    if (value == UINT32_MAX)
        return UINT64_MAX;
    const uint32_t part = parts == 1 ? 0 : weir_steps_owner(first, value);
    return vertex[part][value - first[part]];
}

WEIR_DEV void values_order_batch(const values_order_args *a, uint64_t vertex)
{
    const void *at[VALUES_BATCH];
    uint64_t value[VALUES_BATCH];
    for (uint32_t k = 0; k < VALUES_BATCH; k++) {
        const uint64_t v = vertex + k * WEIR_LANES;
        at[k] = v < a->count ? values_at(a, a->number[v]) : 0;
    }
    for (uint32_t k = 0; k < VALUES_BATCH; k++) {
        value[k] = 0;
        if (at[k])
            value[k] = a->bytes == 4 ? *(const uint32_t *)at[k] : *(const uint64_t *)at[k];
    }
    for (uint32_t k = 0; k < VALUES_BATCH; k++) {
        const uint64_t v = vertex + k * WEIR_LANES;
        if (v < a->count && a->form != VALUES_AS_THEY_ARE)
            ((uint64_t *)a->out)[v] =
                values_widen((uint32_t)value[k], a->form, a->first, a->parts, a->vertex);
        else if (v < a->count && a->bytes == 4)
            ((uint32_t *)a->out)[v] = (uint32_t)value[k];
        else if (v < a->count)
            ((uint64_t *)a->out)[v] = value[k];
    }
}

WEIR_DEV void values_order(const values_order_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t first = (uint64_t)worker * VALUES_TILE; first < a->count;
         first += (uint64_t)workers * VALUES_TILE)
        for (uint32_t v = weir_lane(); v < VALUES_TILE; v += VALUES_BATCH * WEIR_LANES)
            values_order_batch(a, first + v);
}

#endif
