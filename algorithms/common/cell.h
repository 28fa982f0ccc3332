/** @file cell.h  Where a device stands in a grid of two dimensions, as kernels see it. Not installed.
 *
 * R rows and C columns of devices; device number j * R + i stands in row i and column j, and owns a stretch of the numbers of
 * vertices as any device does (algorithms/rows.h). So the numbers that a column owns follow one another. A device has the
 * *cell* of arcs that lead from vertices of its column to vertices of its row: in the paper's words the edges of blocks
 * (mR + i, j) for m from 0 to C - 1 (Bisson, Bernaschi, Mastrostefano, 2.2).
 *
 * Both ends of an arc are named by what the device needs of them alone:
 *   - a tail by its *place* in the column, its number less that of the column's first one;
 *   - a head by its *local row*: the stretches that the devices of the row own, one behind the other. Local rows are
 *     the same on all devices of a row, and places on all devices of a column. */
#ifndef WEIR_ALGORITHMS_COMMON_CELL_H
#define WEIR_ALGORITHMS_COMMON_CELL_H

#include "algorithms/rows.h"

/** A plain value. weir_rows_part.out of the part has the arcs of a place p of the column from offsets[p] on, targets
 *  are local rows, in no order. */
struct weir__cell {
    uint32_t rows, columns; /* of the grid */
    uint32_t row, column;   /* of this device */
    uint32_t begin;         /* the number that place 0 stands for */
    uint32_t width; /* places of the column; stretches begin at multiples of WEIR_ROWS_ALIGN */
    uint32_t first[WEIR_DEVICES_MAX +
                   1]; /* by column: where the stretch of its device in this row begins
                                               among the local rows, a multiple of WEIR_ROWS_ALIGN; first[columns] is how
                                               many local rows there are */
};

/** The device at a row and a column. */
WEIR_BOTH uint32_t weir__cell_device(const struct weir__cell *cell, uint32_t row, uint32_t column)
{
    return column * cell->rows + row;
}

/** In which column the owner of a local row stands; for kernels. */
WEIR_DEV uint32_t weir__cell_column(const struct weir__cell *cell, uint32_t local_row)
{
    uint32_t column = 0;
    WEIR_ROLLED
    while (local_row >= cell->first[column + 1])
        column++;
    return column;
}

/* ---- on the host ---------------------------------------------------------------------------- */

/** As weir_rows_create(), by cells: weir_rows_part.out is as struct weir__cell says, and there are no other arcs.
 *  @param[in] partition  of kind WEIR_PARTITION_2D. @param[in] config  complete; memory is WEIR_MEMORY_DEVICE. */
weir_status weir__rows_create_cells(weir_context *context, const weir_graph *graph,
                                    const weir_partition *partition, const weir_rows_config *config,
                                    weir_rows **rows_out);
/** Where a part stands in the grid, and which numbers it needs. */
void weir__rows_cell(const weir_rows *rows, uint32_t part, struct weir__cell *cell_out);

#endif
