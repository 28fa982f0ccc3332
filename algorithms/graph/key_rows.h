/** @file key_rows.h  Rows of a stretch whose arcs lie there as keys (deal_map.h). Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_KEY_ROWS_H
#define WEIR_ALGORITHMS_GRAPH_KEY_ROWS_H

#include "algorithms/graph/sort_arcs.h"

/** Bytes of scratch for so many keys. */
size_t weir__key_rows_scratch(weir_weight_kind kind, uint64_t count);

/** Sort the arcs of a stretch into its rows, of equal ones the smallest weight.
 *  @param[in] scratch  whose buffers are taken, of more arcs than they have room for other memory.
 *  @param[out] offsets  by vertex: where each row begins, the first one where the stretch does. @param[out] targets, weights  those of all stretches, in the
 *  place where the arcs of this one were counted. @param[out] kept_out  arcs that are left. @return 0: there is no memory. */
int weir__key_rows_make(const weir__dealt *dealt, uint32_t stretch, struct weir__scratch *scratch,
                        uint64_t *offsets, uint32_t *targets, uint32_t *weights,
                        uint64_t *kept_out);

/* ---- in registers of 64 bytes, where weir__plain_ways() is 3 (key_rows_wide.c) ------------------------------------ */

/** Rows of keys in any order, the first row being 0. @param[in] passes  of the quicksort, at the most (weir__key_passes()): what is left then takes longer.
 *  @param[in] targets, weights  memory for as many. @param[out] row  where each of
 *  @p row_count rows begins, counted on from @p begin. @return arcs that are left. */
uint64_t weir__key_rows_plain(uint32_t *keys, uint32_t count, uint32_t passes, uint32_t bits,
                              uint64_t begin, uint64_t *row, uint64_t row_count, uint32_t *targets);
/** The same with weights, in memory for twice as many keys. */
uint64_t weir__key_rows_weighed(uint64_t *keys, uint32_t count, uint32_t passes, uint32_t bits,
                                uint64_t begin, uint64_t *row, uint64_t row_count,
                                uint32_t *targets, uint32_t *weights);

/** Passes of a quicksort of so many that is not unlucky: twice those of one that halves them. */
static inline uint32_t weir__key_passes(uint32_t count)
{
    uint32_t passes = 4;
    for (; count > 1; count /= 2)
        passes += 2;
    return passes;
}

#endif
