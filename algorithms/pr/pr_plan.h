/** @file pr_plan.h  How the rows of a part are dealt out to warps (pr_pull.h), in the dialect. */
#ifndef WEIR_ALGORITHMS_PR_PR_PLAN_H
#define WEIR_ALGORITHMS_PR_PR_PLAN_H

#include "runtime/dialect.h"

#define PR_CHUNK_ARCS 255u /* at most, so that a row's end in it is a byte */
#define PR_CHUNK_ROWS 128u
#define PR_PIECE_ARCS 1024u

/** Rows `row` to row + rows - 1, whose arcs are `arc` to arc + arcs - 1 of the part. */
struct pr_chunk {
    uint64_t arc;
    uint32_t row;
    uint16_t rows, arcs;
};

/** Arcs of one row. */
struct pr_piece {
    uint64_t arc;
    uint32_t row;
    uint16_t arcs;
    uint16_t whole; /* 1: all arcs of the row; 0: of a long one */
};

/** A row of several pieces, one after another in the list of pieces. */
struct pr_long {
    uint32_t row, arcs;
    uint32_t first, pieces;
};

/** The lists of a part; every row is in one of them. Read-only while kernels run. */
struct pr_plan {
    const struct pr_chunk *chunk;
    const struct pr_piece *piece;
    const struct pr_long *row;
    const uint8_t *end; /* by row: where it ends in its chunk, in arcs from the chunk's first */
    const uint8_t
        *readers; /* by row: bit d % 8 for each device d that has arcs from its vertex; NULL: one
                               device */
    uint32_t chunks, pieces, longs;
};

#endif
