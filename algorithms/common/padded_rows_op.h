/** @file padded_rows_op.h  The padded rows of a part, made where they lie (algorithms/part.h says what they are): a lane makes a row. No row
 * of the part is longer. */
#ifndef WEIR_ALGORITHMS_COMMON_PADDED_ROWS_OP_H
#define WEIR_ALGORITHMS_COMMON_PADDED_ROWS_OP_H

#include "algorithms/part.h"

#define PADDED_ROWS_TILE 256u /* rows that a worker makes at a time */

typedef struct padded_rows_args {
    const uint64_t *offsets; /* count + 1 */
    const uint32_t *targets;
    const uint32_t *weights; /* NULL: entries are targets alone */
    uint32_t *rows; /* out: count rows of 2^log entries, each a target, or a target and a weight */
    uint64_t count;
    uint32_t log;
} padded_rows_args;

extern const weir_kernel weir__padded_rows_kernel;

WEIR_DEV void padded_rows_row(const padded_rows_args *a, uint64_t row)
{
    const uint64_t first = a->offsets[row], arcs = a->offsets[row + 1] - first;
    for (uint32_t k = 0; k < 1u << a->log; k++) {
        const uint64_t at = (row << a->log) + k;
        const uint32_t target = k < arcs ? a->targets[first + k] : WEIR_PADDED_ROW_NONE;
        if (!a->weights) {
            a->rows[at] = target;
            continue;
        }
        a->rows[2 * at] = target;
        a->rows[2 * at + 1] = k < arcs ? a->weights[first + k] : 0;
    }
}

WEIR_DEV void padded_rows(const padded_rows_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t tile = (uint64_t)worker * PADDED_ROWS_TILE; tile < a->count;
         tile += (uint64_t)workers * PADDED_ROWS_TILE)
        for (uint64_t r = tile + weir_lane(); r < tile + PADDED_ROWS_TILE && r < a->count;
             r += WEIR_LANES)
            padded_rows_row(a, r);
}

#endif
