/** @file pr_bins_build.h  How the arcs of a part come to lie by stretch and by bin (pr_bins_tmpl.h), on the device, in the dialect: a run
 * of the same kernel that does nothing else. Which arc of a stretch and bin comes first is left to chance; sums do
 * not depend on it. */
#ifndef WEIR_ALGORITHMS_PR_PR_BINS_BUILD_H
#define WEIR_ALGORITHMS_PR_PR_BINS_BUILD_H

#include "algorithms/pr/pr_pull_args.h"

WEIR_DEV uint32_t pr_octets_for(uint32_t arcs)
{
    return (arcs + PR_OCTET - 1) / PR_OCTET;
}

/* ---- arc by arc ---------------------------------------------------------------------------------- */

/** An arc of each lane is counted, or put where it belongs. By all lanes of a warp, some of which may have none. Lanes whose
 *  arcs belong together ask for places by one addition, so that neighbours stay neighbours. */
WEIR_DEV void pr_bins_take(const struct pr_bins *bins, int there, uint32_t row, uint32_t number,
                           int put)
{
    const uint32_t bin = row / bins->rows, stretch = number / bins->numbers;
    const uint32_t cell = there ? bin * bins->stretches + stretch : UINT32_MAX;
    const uint32_t peers = weir_match_u32(cell), first = weir_first_bit_u32(peers);
    const uint32_t count = weir_popcount_u32(peers);
    uint32_t before = 0;
    if (there && weir_lane() == first)
        before = weir_atomic_add_relaxed_dev_u32(&bins->arcs[cell], put ? 0 - count : count);
    before = weir_broadcast_u32(before, first);
    if (!there || !put)
        return;
    const uint32_t nth =
        before - count + weir_popcount_u32(peers & ((UINT32_C(1) << weir_lane()) - 1));
    const uint32_t octet = nth / PR_OCTET, in_octet = nth % PR_OCTET;
    bins->number[((uint64_t)bins->from[cell] + octet) * PR_OCTET + in_octet] =
        (uint16_t)(number - stretch * bins->numbers);
    bins->row[((uint64_t)bins->to[cell] + octet) * PR_OCTET + in_octet] =
        (uint16_t)(row - bin * bins->rows);
}

/** The row of arc @p at of a chunk. */
WEIR_DEV uint32_t pr_row_in_chunk(const struct pr_warp *warp, uint32_t rows, uint32_t at)
{
    uint32_t low = 0, high = rows - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (warp->end[middle + 1] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/** All arcs of the part, by warps, dealt out as in an iteration without bins. */
WEIR_DEV void pr_bins_arcs(const struct pr_pull_args *a, const struct pr_worker *worker, int put)
{
    const uint32_t *targets = a->rows.in.targets;
    WEIR_ROLLED
    for (uint64_t at = worker->index; at < a->lists.pieces; at += worker->count) {
        const struct pr_piece piece = a->lists.piece[at];
        WEIR_ROLLED
        for (uint32_t i = 0; i < piece.arcs; i += WEIR_LANES) {
            const int there = i + weir_lane() < piece.arcs;
            pr_bins_take(&a->bins, there, piece.row,
                         there ? targets[piece.arc + i + weir_lane()] : 0, put);
        }
    }
    WEIR_ROLLED
    for (uint64_t at = worker->index; at < a->lists.chunks; at += worker->count) {
        const struct pr_chunk chunk = a->lists.chunk[at];
        weir_lanes_sync();
        for (uint32_t r = weir_lane(); r < chunk.rows; r += WEIR_LANES)
            worker->warp->end[r + 1] = a->lists.end[chunk.row + r];
        weir_lanes_sync();
        WEIR_ROLLED
        for (uint32_t i = 0; i < chunk.arcs; i += WEIR_LANES) {
            const uint32_t mine = i + weir_lane();
            const int there = mine < chunk.arcs;
            const uint32_t row =
                chunk.row + (there ? pr_row_in_chunk(worker->warp, chunk.rows, mine) : 0);
            pr_bins_take(&a->bins, there, row, there ? targets[chunk.arc + mine] : 0, put);
        }
    }
}

/* ---- cell by cell -------------------------------------------------------------------------------- */

/** Octets of each bin, and of each stretch: a warp adds up a bin, a lane a stretch.
 *  @param[in] places  0: add up; 1: the cells' first octets, from those of their bin and their stretch. */
WEIR_DEV void pr_bins_cells(const struct pr_bins *bins, const struct pr_worker *worker,
                            const struct weir_steps_block *b, int places)
{
    WEIR_ROLLED
    for (uint32_t bin = worker->index; bin < bins->bins; bin += worker->count) {
        uint32_t sum = places ? bins->by_bin[bin] : 0;
        WEIR_ROLLED
        for (uint32_t first = 0; first < bins->stretches; first += WEIR_LANES) {
            const uint32_t s = first + weir_lane();
            const uint64_t cell = (uint64_t)bin * bins->stretches + s;
            const uint32_t octets = s < bins->stretches ? pr_octets_for(bins->arcs[cell]) : 0;
            const uint32_t upto = weir_prefix_u32(octets);
            if (places && s < bins->stretches)
                bins->to[cell] = sum + upto - octets;
            sum += weir_broadcast_u32(upto, WEIR_LANES - 1);
        }
        if (!places && weir_lane() == 0)
            bins->by_bin[bin + 1] = sum;
    }
    for (uint64_t s = weir_steps_thread(b); s < bins->stretches; s += weir_steps_threads(b)) {
        uint32_t sum = places ? bins->by_stretch[s] : 0;
        for (uint32_t bin = 0; bin < bins->bins; bin++) {
            const uint64_t cell = (uint64_t)bin * bins->stretches + s;
            if (places)
                bins->from[cell] = sum;
            sum += pr_octets_for(bins->arcs[cell]);
        }
        if (!places)
            bins->by_stretch[s + 1] = sum;
    }
}

/** What lies behind a word each becomes what lies before it: a sum from the front. By one warp. */
WEIR_DEV void pr_bins_add_up(uint32_t *first, uint32_t count)
{
    uint32_t sum = 0;
    if (weir_lane() == 0)
        first[0] = 0;
    WEIR_ROLLED
    for (uint32_t at = 1; at <= count; at += WEIR_LANES) {
        const uint32_t i = at + weir_lane();
        const uint32_t upto = weir_prefix_u32(i <= count ? first[i] : 0);
        if (i <= count)
            first[i] = sum + upto;
        sum += weir_broadcast_u32(upto, WEIR_LANES - 1);
    }
}

/** Where octets go, and what the last octet of a cell is filled up with. */
WEIR_DEV void pr_bins_fill(const struct pr_bins *bins, const struct weir_steps_block *b)
{
    const uint64_t cells = (uint64_t)bins->bins * bins->stretches;
    for (uint64_t cell = weir_steps_thread(b); cell < cells; cell += weir_steps_threads(b)) {
        const uint32_t arcs = bins->arcs[cell], octets = pr_octets_for(arcs);
        for (uint32_t i = 0; i < octets; i++)
            bins->place[bins->from[cell] + i] = bins->to[cell] + i;
        for (uint64_t i = arcs; i < (uint64_t)octets * PR_OCTET; i++) {
            bins->number[(uint64_t)bins->from[cell] * PR_OCTET + i] = (uint16_t)bins->numbers;
            bins->row[(uint64_t)bins->to[cell] * PR_OCTET + i] = 0;
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------------- */

/** A body. */
WEIR_DEV void pr_bins_build(const struct pr_pull_args *a, const struct pr_worker *worker,
                            struct weir_steps_block *b)
{
    const struct pr_bins *bins = &a->bins;
    const uint64_t cells = (uint64_t)bins->bins * bins->stretches;
    uint64_t total[WEIR_STEPS_SUMS];
    WEIR_ROLLED
    for (uint32_t step = 0; step < 6; step++) {
        if (step == 0)
            for (uint64_t cell = weir_steps_thread(b); cell < cells; cell += weir_steps_threads(b))
                bins->arcs[cell] = 0;
        else if (step == 1)
            pr_bins_arcs(a, worker, 0);
        else if (step == 2 || step == 4)
            pr_bins_cells(bins, worker, b, step == 4);
        else if (step == 3 && worker->index == 0)
            pr_bins_add_up(bins->by_bin, bins->bins);
        else if (step == 3 && worker->index == worker->count - 1)
            pr_bins_add_up(bins->by_stretch, bins->stretches);
        else if (step == 5)
            pr_bins_fill(bins, b);
        if (step == 3 && worker->count == 1)
            pr_bins_add_up(bins->by_stretch, bins->stretches);
        if (weir_steps_sync(&a->member, b, b->blocks, 0, 0, total))
            return;
    }
    pr_bins_arcs(a, worker, 1);
    (void)weir_steps_sync(&a->member, b, b->blocks, 0, 0, total);
}

#endif
