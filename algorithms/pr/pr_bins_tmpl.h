/** @file pr_bins_tmpl.h  An iteration of pr_pull.h that spreads shares into bins, in the dialect; pr_pull.h includes it with PR_BINS.
 *
 * (Propagation blocking: Beamer, Asanovic and Patterson, IPDPS 2017, in the form in which what does not change is worked out once.)
 * Rows are cut into *bins* and numbers into *stretches*, so many of each that a block has room for the sums of a bin or the shares
 * of a stretch in its own memory. An iteration has two steps. Where shares are *spread*, a block brings the shares of
 * a stretch into its memory, and writes the share of each arc from there where the arcs of its bin lie together. Where they are
 * *collected*, a block adds up what lies there for the rows of a bin, in its memory, and settles them. All that goes to or from
 * memory goes in one stream, 12.5 bytes an arc, and every access that is at random stays in a block's own memory; a read of a
 * share at random moves 32 bytes through the cache that all units share, or 64 of memory.
 *
 * Arcs of the same stretch and bin lie in *octets*, with one word for where an octet goes. Blocks take *units*, a bin, a stretch or a
 * part of one, as they get ready. Sums are integers, the same whichever thread or block comes first, so a run repeats itself bit by
 * bit. A bin with very many arcs is done by several blocks in common:
 * they come first, add their sums to those in memory, and all blocks settle the rows once that is done. */
#ifndef WEIR_ALGORITHMS_PR_PR_BINS_TMPL_H
#define WEIR_ALGORITHMS_PR_PR_BINS_TMPL_H

#include "algorithms/pr/pr_pull_args.h"

/** Take a unit. By thread 0, which asks for the next one while its block does the one before. */
WEIR_DEV uint32_t pr_take(uint64_t *next, uint64_t before)
{
    const uint64_t at = weir_atomic_add_relaxed_dev_u64(next, 1) - before;
    return at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
}

/** Tell the block of a unit that thread 0 has taken. By all threads. */
WEIR_DEV uint32_t pr_told(struct pr_pull_shared *shared, const struct weir_steps_block *b,
                          uint32_t taken)
{
    if (b->thread == 0)
        shared->unit = taken;
    weir_block_sync();
    return shared->unit;
}

/** What was taken in iterations before: each block takes one in vain. */
WEIR_DEV uint64_t pr_taken_before(const struct weir_steps_block *b, const struct pr_round *round,
                                  uint32_t units)
{
    return ((uint64_t)units + b->blocks) * round->number;
}

/** Octets of a unit. */
struct pr_octets {
    uint32_t begin, end;
};
WEIR_DEV struct pr_octets pr_octets_of(const uint32_t *first, const struct pr_bin_unit *unit)
{
    const uint32_t begin = first[unit->of];
    const uint64_t octets = first[unit->of + 1] - begin;
    struct pr_octets range;
    range.begin = begin + (uint32_t)(octets * unit->part / unit->parts);
    range.end = begin + (uint32_t)(octets * (unit->part + 1u) / unit->parts);
    return range;
}

/* ---- spread -------------------------------------------------------------------------------------- */

/** Four arcs of an octet, from a word with two of their numbers each. */
WEIR_DEV void pr_spread_four(const float *stretch, const uint32_t *two, float *place)
{
    float share[4];
    for (int k = 0; k < 2; k++) {
        share[2 * k] = stretch[two[k] & 0xFFFF];
        share[2 * k + 1] = stretch[two[k] >> 16];
    }
    weir_store_stream_16(place, share);
}

WEIR_DEV void pr_spread_unit(const struct pr_pull_args *a, const float *from,
                             const struct pr_bin_unit *unit, float *stretch,
                             const struct weir_steps_block *b)
{
    const struct pr_bins *bins = &a->bins;
    const struct pr_octets range = pr_octets_of(bins->by_stretch, unit);
    const uint64_t first = (uint64_t)unit->of * bins->numbers;
    const uint32_t left = (uint32_t)(a->rows.numbers - first);
    const uint32_t count = left < bins->numbers ? left : bins->numbers;
    for (uint32_t i = b->thread; i < count; i += b->threads)
        stretch[i] = from[first + i];
    if (b->thread == 0)
        stretch[bins->numbers] = 0;
    weir_block_sync();
    for (uint64_t i = (uint64_t)range.begin + b->thread; i < range.end; i += b->threads) {
        uint32_t number[4];
        weir_load_stream_16(number, bins->number + i * PR_OCTET);
        float *place = bins->share + (uint64_t)weir_load_once_u32(bins->place + i) * PR_OCTET;
        pr_spread_four(stretch, number, place);
        pr_spread_four(stretch, number + 2, place + 4);
    }
    weir_block_sync();
}

WEIR_DEV void pr_spread(const struct pr_pull_args *a, const struct pr_round *round,
                        const float *from, struct pr_pull_shared *shared,
                        const struct weir_steps_block *b)
{
    const struct pr_bins *bins = &a->bins;
    const uint64_t before = pr_taken_before(b, round, bins->spreads);
    uint32_t taken = b->thread ? 0 : pr_take(&bins->next[0], before), at;
    WEIR_ROLLED
    while ((at = pr_told(shared, b, taken)) < bins->spreads) {
        const struct pr_bin_unit unit = bins->spread[at];
        if (b->thread == 0)
            taken = pr_take(&bins->next[0], before);
        pr_spread_unit(a, from, &unit, shared->stretch, b);
    }
}

/* ---- collect ------------------------------------------------------------------------------------- */

/** Add to a row's sum. */
WEIR_DEV void pr_bin_add(struct pr_bin *bin, uint32_t row, uint64_t value)
{
    const uint32_t low = (uint32_t)value;
    const uint32_t before = weir_atomic_add_block_u32(&bin->low[row], low);
    const uint32_t high = (uint32_t)(value >> 32) + (before + low < before);
    if (high)
        (void)weir_atomic_add_block_u32(&bin->high[row], high);
}

/** Add up an octet. Arcs of a long row lie together, and all lanes would add to the same words: so neighbours of the same row
 *  are added up first. */
WEIR_DEV void pr_collect_octet(struct pr_bin *bin, const uint32_t *two, const float *share)
{
    uint32_t row = two[0] & 0xFFFF;
    uint64_t value = (uint64_t)(share[0] * (float)(1 / PR_UNIT));
    for (int k = 1; k < (int)PR_OCTET; k++) {
        const uint32_t next = k % 2 ? two[k / 2] >> 16 : two[k / 2] & 0xFFFF;
        const uint64_t more = (uint64_t)(share[k] * (float)(1 / PR_UNIT));
        if (next != row) {
            pr_bin_add(bin, row, value);
            value = 0;
            row = next;
        }
        value += more;
    }
    pr_bin_add(bin, row, value);
}

/** A row whose sum is known becomes its share. By one lane. */
WEIR_DEV void pr_bin_settle(const struct pr_pull_args *a, const struct pr_round *round,
                            const float *from, uint32_t row, uint64_t sum, struct pr_tally *tally)
{
    const struct pr_single_row own = pr_single_ask(a, from, row, 0);
    pr_single_settle(a, round, row, &own, (double)sum * PR_UNIT, tally);
}

/** What a unit changed, to that of the block: a warp's rows are the same whichever block has the unit, so as integers the sum is
 *  the same in every run. By all lanes. */
WEIR_DEV void pr_unit_add(struct pr_pull_shared *shared, const struct pr_tally *unit)
{
    const double change = weir_group_sum_f64(unit->change, WEIR_LANES);
    const double rank = weir_group_sum_f64(unit->rank, WEIR_LANES);
    if (weir_lane())
        return;
    weir_atomic_add_block_u64(&shared->sum[0], (uint64_t)(change / PR_UNIT));
    weir_atomic_add_block_u64(&shared->sum[1], (uint64_t)(rank / PR_UNIT));
}

WEIR_DEV void pr_collect_unit(const struct pr_pull_args *a, const struct pr_round *round,
                              const float *from, const struct pr_bin_unit *unit,
                              struct pr_pull_shared *shared, const struct weir_steps_block *b,
                              struct pr_tally *tally)
{
    const struct pr_bins *bins = &a->bins;
    struct pr_bin *bin = &shared->bin;
    const struct pr_octets range = pr_octets_of(bins->by_bin, unit);
    const uint64_t first = (uint64_t)unit->of * bins->rows;
    const uint32_t left = (uint32_t)(a->rows.owned - first);
    const uint32_t count = left < bins->rows ? left : bins->rows;
    struct pr_tally mine = {0, 0, 0};
    for (uint32_t i = b->thread; i < count; i += b->threads)
        bin->low[i] = bin->high[i] = 0;
    weir_block_sync();
    WEIR_ROLLED
    for (uint64_t i = (uint64_t)range.begin + b->thread; i < range.end; i += b->threads) {
        uint32_t row[4];
        float share[PR_OCTET];
        weir_load_stream_16(row, bins->row + i * PR_OCTET);
        weir_load_stream_16(share, bins->share + i * PR_OCTET);
        weir_load_stream_16(share + 4, bins->share + i * PR_OCTET + 4);
        pr_collect_octet(bin, row, share);
    }
    weir_block_sync();
    for (uint32_t i = b->thread; i < count; i += b->threads) {
        const uint64_t sum = (uint64_t)bin->high[i] << 32 | bin->low[i];
        if (unit->parts == 1)
            pr_bin_settle(a, round, from, (uint32_t)first + i, sum, &mine);
        else if (sum)
            weir_add_relaxed_dev_u64(&bins->sum[(uint64_t)unit->common * bins->rows + i], sum);
    }
    tally->restless += mine.restless;
    if (unit->parts == 1)
        pr_unit_add(shared, &mine);
    weir_block_sync();
    if (unit->parts > 1 && b->thread == 0)
        weir_add_release_dev_u64(bins->done, 1);
}

/** Rows of bins that several blocks did. By all threads of the device, each always for the same rows. */
WEIR_DEV void pr_collect_common(const struct pr_pull_args *a, const struct pr_round *round,
                                const float *from, const struct weir_steps_block *b,
                                struct pr_tally *tally)
{
    const struct pr_bins *bins = &a->bins;
    const uint64_t all = (uint64_t)bins->commons * bins->rows;
    for (uint64_t i = weir_steps_thread(b); i < all; i += weir_steps_threads(b)) {
        const uint64_t row = (uint64_t)bins->common[i / bins->rows] * bins->rows + i % bins->rows;
        if (row >= a->rows.owned)
            continue;
        const uint64_t sum = bins->sum[i];
        bins->sum[i] = 0;
        pr_bin_settle(a, round, from, (uint32_t)row, sum, tally);
    }
}

WEIR_DEV void pr_collect(const struct pr_pull_args *a, const struct pr_round *round,
                         const float *from, struct pr_pull_shared *shared,
                         const struct weir_steps_block *b, struct pr_tally *tally)
{
    const struct pr_bins *bins = &a->bins;
    const uint64_t before = pr_taken_before(b, round, bins->collects);
    uint32_t taken = b->thread ? 0 : pr_take(&bins->next[1], before), at;
    if (b->thread == 0)
        shared->sum[0] = shared->sum[1] = 0;
    WEIR_ROLLED
    while ((at = pr_told(shared, b, taken)) < bins->collects) {
        const struct pr_bin_unit unit = bins->collect[at];
        if (b->thread == 0)
            taken = pr_take(&bins->next[1], before);
        pr_collect_unit(a, round, from, &unit, shared, b, tally);
    }
    if (b->thread)
        return;
    weir_steps_add(&a->member, b, PR_SUM_CHANGE, shared->sum[0]);
    weir_steps_add(&a->member, b, PR_SUM_DANGLING, shared->sum[1]);
}

/** An iteration up to its barrier. @return as weir_steps_sync(). */
WEIR_DEV uint32_t pr_bins_sweep(const struct pr_pull_args *a, const struct pr_round *round,
                                struct pr_pull_shared *shared, struct weir_steps_block *b,
                                struct pr_tally *tally)
{
    const float *from = pr_single_shares(a, a->member.index, round->copy);
    const struct pr_bins *bins = &a->bins;
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop;
    pr_spread(a, round, from, shared, b);
    if ((stop = weir_steps_sync(&a->member, b, b->blocks, 0, 0, total)))
        return stop;
    pr_book(a, shared, b, PR_RESULT_SPREAD);
    pr_collect(a, round, from, shared, b, tally);
    if (!bins->commons)
        return WEIR_STEPS_GOES_ON;
    stop = pr_await(a, bins->done, bins->common_units * (round->number + UINT64_C(1)), shared, b);
    if (!stop)
        pr_collect_common(a, round, from, b, tally);
    return stop;
}

#endif
