/** @file rows.h  A part of a graph that is placed by rows, as kernels that go in step see it; in the dialect.
 *
 * Where a weir_part (part.h) names far vertices by a halo, here every arc names its far end by *number*, the
 * same on all devices, so that arrays over all vertices can be replicated and exchanged as they are. Numbers
 * of one part follow one another; a part begins at a multiple of WEIR_ROWS_ALIGN, so that the words of a
 * bitmap and the lines of an array belong to one device. Numbers in the gaps stand for no vertex: they have
 * no arcs and nothing leads to them. Read-only while kernels run. */
#ifndef WEIR_ALGORITHMS_ROWS_H
#define WEIR_ALGORITHMS_ROWS_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

#define WEIR_ROWS_ALIGN 1024u
#define WEIR_ROWS_BYTE  255u /* in weir_rows_part.out_byte: the degree does not fit */

/** One direction of the arcs of a part's vertices. Row r is that of number begin + r. */
typedef struct weir_arcs {
    const uint64_t
        *offsets; /**< owned + 1: the arcs of row r are offsets[r] to offsets[r + 1] - 1 */
    const uint32_t
        *targets; /**< numbers of the far ends, ascending within a row; unless by weight */
    const uint32_t *weights; /**< of each arc; NULL: none */
} weir_arcs;

/** One part; a plain value whose pointers are memory of the part's device. */
typedef struct weir_rows_part {
    weir_arcs out; /**< arcs that leave the part's vertices: targets are heads */
    weir_arcs
        in; /**< arcs that come to them: targets are tails. The pointers of `out` if the graph is
                        symmetric; NULL if they were not asked for */
    const uint32_t *out_degree; /**< of all vertices by number, replicated; NULL if not asked for */
    const uint8_t
        *out_byte;    /**< of own rows: out-degrees, WEIR_ROWS_BYTE for that and more; NULL if
                                   not asked for. Of most rows it tells what 16 bytes of offsets would */
    uint32_t begin;   /**< number of the first row */
    uint32_t owned;   /**< rows */
    uint32_t busy;    /**< rows from this one on have no arc in any direction that was asked for */
    uint32_t numbers; /**< of all parts with the gaps; a multiple of WEIR_ROWS_ALIGN */
    uint32_t part, parts;
    uint32_t first[WEIR_DEVICES_MAX + 1]; /**< where each part begins; first[parts] == numbers */
    uint64_t arcs_out, arcs_in;           /**< of this part */
    uint64_t arcs_all;                    /**< out-arcs of the whole graph */
    uint64_t vertices;                    /**< of the whole graph */
} weir_rows_part;

/** The out-degree of an own row, of a part that has out_byte. */
WEIR_DEV uint64_t weir_rows_out_degree(const weir_rows_part *part, uint64_t row)
{
    const uint64_t degree = part->out_byte[row];
    return degree < WEIR_ROWS_BYTE ? degree : part->out.offsets[row + 1] - part->out.offsets[row];
}

#endif
