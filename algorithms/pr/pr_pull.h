/** @file pr_pull.h  PageRank over in-arcs, in step: the body of worklist/steps.h, in the dialect. With PR_BANDED it is
 * that for several bands (pr_bands_body.h), with PR_HUBS that which keeps shares of hubs near (pr_hubs_body.h), with PR_BINS that which spreads shares into bins (pr_bins_body.h), with PR_LINES that
 * which reads arcs in whole lines (pr_lines_body.h).
 *
 * A vertex's *share* is its rank divided by its out-degree: what each of its arcs carries. (A vertex without
 * out-arcs keeps its rank there; nobody asks for its share.) An iteration adds up, for each row, the shares
 * at the far ends of its in-arcs. No atomics but with bins. Shares are all that is kept from one iteration to the next, in
 * two copies, on every device for all numbers: an iteration reads one and writes the other. A device writes the shares
 * of its own rows into its own memory and into that of the devices that read them. One barrier an iteration (two with bins)
 * adds up the change and the dangling rank.
 *
 * Bytes are what it costs, so shares are floats first, half of what random reads miss by, and doubles only
 * where the tolerance is finer than floats are (README.md has the bounds). Sums are doubles, or integers in bins.
 *
 * Work is dealt out in three kinds, made by pr_lists.c, all of consecutive arcs:
 * - a *chunk* is up to PR_CHUNK_ROWS short rows of PR_CHUNK_ARCS arcs together. A warp reads their targets
 *   side by side, whatever the rows' lengths, has PR_DEEP independent reads of shares a lane under way,
 *   leaves the shares in shared memory and adds them up by row there. Row ends are a byte a row.
 * - a *piece* is up to PR_PIECE_ARCS arcs of one longer row, added up by a warp in registers.
 * - a *long* row has several pieces. A warp does its pieces first, then its chunks, then its long rows, of which it
 *   adds up the pieces' sums: by then all pieces have been done long ago, and nobody waits.
 *
 * Where the shares are much larger than the cache that all units share, and rows reach all over them, numbers are cut
 * into *bands* whose shares fit into it (pr_bands.c). Rows are cut into *strips*, and the arcs of a strip's short rows
 * lie by band first: each band of it has chunks of its own, whose sums are added to those of the bands before,
 * in memory. The last band settles the rows. A warp has the same strips in every band, so that it adds up what it wrote
 * itself, always in the same order, and nobody waits between bands: all warps are about as far, and a
 * band is small enough for two of them to be in use. Pieces are not cut by bands.
 *
 * Where few vertices have most of the arcs, their shares lie in the memory of each block while an iteration lasts: a random read of
 * the cache that all units share moves 32 bytes for 4, and that cache's bandwidth is what such graphs wait for.
 *
 * Where shares are read at random and no cache near a block has them, an iteration with floats goes by way of bins instead (pr_bins_tmpl.h).
 *
 * Each warp takes one entry of a list in each pass over it, and passes go forwards and backwards in turn: where rows
 * are sorted by length, the warp that had the longest row of one pass has the shortest of the next. */
#ifndef WEIR_ALGORITHMS_PR_PR_PULL_H
#define WEIR_ALGORITHMS_PR_PR_PULL_H

/* Nobody asks what single devices told, and a block has no memory to spare for it. */
#ifndef WEIR_STEPS_FLAGS_KEPT /* tests include several bodies */
#define WEIR_STEPS_FLAGS_KEPT 0
#endif

#include "algorithms/pr/pr_pull_args.h"

#ifndef __CUDACC__
#include "algorithms/pr/pr_turns_host.h"
#endif

#include <math.h>
#include <stddef.h>

/* ---- lists ----------------------------------------------------------------------------------- */

/** The place in a list of what a worker does in a pass; may be behind the end.
 *  @param[in] entries  of the list, by which the length of a run is chosen; 0: a run is one entry, and a pass is one of all workers. */
WEIR_DEV uint64_t pr_entry(const struct pr_worker *worker, uint32_t entries, uint32_t pass)
{
    uint32_t run = 1;
#ifndef __CUDACC__
    if (entries)
        run = pr_run_of(entries, worker->count);
#endif
    const uint32_t turn = pass / run, in_run = pass % run;
    const uint32_t at = turn & 1 ? worker->count - 1 - worker->index : worker->index;
    return ((uint64_t)turn * worker->count + at) * run + in_run;
}

#if PR_BANDED
/** Move a warp's cursor to its next chunk, or behind the last: it takes all of its strips in the first band, then all of
 *  them in the next. By lane 0. */
WEIR_DEV void pr_advance(const struct pr_lists *lists, const struct pr_worker *worker)
{
    struct pr_cursor *cursor = &worker->warp->cursor;
    if (cursor->band >= lists->bands)
        return;
    cursor->at++;
    WEIR_ROLLED
    while (cursor->at >= cursor->end) {
        const uint64_t strip = pr_entry(worker, 0, cursor->pass);
        if ((uint64_t)cursor->pass++ * worker->count >= lists->strips) {
            cursor->pass = 0;
            cursor->at = lists->chunks;
            if (++cursor->band >= lists->bands)
                return;
        } else if (strip < lists->strips) {
            const uint32_t *first = lists->first + (uint64_t)cursor->band * lists->strips + strip;
            cursor->at = first[0];
            cursor->end = first[1];
        }
    }
}

/** To a warp's first chunk. By all lanes. */
WEIR_DEV void pr_rewind(const struct pr_lists *lists, const struct pr_worker *worker)
{
    const struct pr_cursor start = {0, 0, 0, 0};
    if (weir_lane() == 0) {
        worker->warp->cursor = start;
        pr_advance(lists, worker);
    }
    weir_lanes_sync();
}

#else
/** With one band a worker's chunk of each pass is known without a cursor. */
WEIR_DEV void pr_advance(const struct pr_lists *lists, const struct pr_worker *worker)
{
    (void)lists;
    (void)worker;
}

WEIR_DEV void pr_rewind(const struct pr_lists *lists, const struct pr_worker *worker)
{
    pr_advance(lists, worker);
}
#endif

/** A worker's chunk of a pass, with several bands that of the cursor; without rows: behind the last one. */
WEIR_DEV struct pr_chunk pr_chunk_of(const struct pr_lists *lists, const struct pr_worker *worker,
                                     uint32_t pass)
{
    const struct pr_chunk none = {0, 0, 0, 0, 0};
#if PR_BANDED
    const uint64_t at = worker->warp->cursor.at;
    (void)pass;
#else
    const uint64_t at = pr_entry(worker, lists->chunks, pass);
#endif
    return at < lists->chunks ? lists->chunk[at] : none;
}

/** Without arcs: behind the last one. */
WEIR_DEV struct pr_piece pr_piece_of(const struct pr_lists *lists, const struct pr_worker *worker,
                                     uint32_t pass)
{
    const uint64_t at = pr_entry(worker, lists->pieces, pass);
    struct pr_piece none = {0, 0, 0, 0};
    return at < lists->pieces ? lists->piece[at] : none;
}

/** With PR_LINES: where an arc stands in its line of 128 bytes. What the lanes read together is a whole line if they begin there. */
WEIR_DEV uint32_t pr_in_line(uint64_t arc)
{
    return PR_LINES ? (uint32_t)arc & (WEIR_LANES - 1) : 0;
}

/** Which arc of those that are read together is the lane's k-th. Slots stand as the arcs do in memory, and go round, so that those
 *  behind the last slot take the place before the first arc. @param[in] offset  of the first arc in its line. */
WEIR_DEV uint32_t pr_arc_of(int k, uint32_t offset)
{
    const uint32_t slot = weir_lane() + (uint32_t)k * WEIR_LANES;
    return PR_LINES ? (slot - offset) & (PR_SLOTS - 1) : slot;
}

/** The far ends of @p count arcs, at most PR_SLOTS, side by side: the k-th of a lane is that of arc pr_arc_of(k, offset). */
WEIR_DEV void pr_far(const uint32_t *targets, uint32_t offset, uint32_t count, uint32_t *far)
{
    for (int k = 0; k < PR_DEEP; k++) {
        const uint32_t at = pr_arc_of(k, offset);
        far[k] = at < count ? weir_load_once_u32(targets + at) : 0;
    }
}

WEIR_DEV const uint8_t *pr_ends_of(const struct pr_pull_args *a, struct pr_chunk chunk)
{
    return a->lists.end + (PR_BANDED ? (uint64_t)chunk.band * a->rows.owned : 0) + chunk.row;
}

WEIR_DEV void pr_ends(const uint8_t *ends, uint32_t count, uint8_t *end)
{
    for (int k = 0; k < PR_ROWS; k++) {
        const uint32_t at = weir_lane() + (uint32_t)k * WEIR_LANES;
        end[k] = at < count ? ends[at] : 0;
    }
}

/** Warps that have pieces, of which each adds one to pieces_done in an iteration. */
WEIR_DEV uint64_t pr_piece_workers(const struct pr_pull_args *a, uint32_t workers)
{
    return workers < a->lists.pieces ? workers : (uint64_t)a->lists.pieces;
}

/** Wait until a word of this device has reached a number. By all threads of a block. @return as weir_steps_sync(). */
WEIR_DEV uint32_t pr_await(const struct pr_pull_args *a, const uint64_t *word, uint64_t number,
                           struct pr_pull_shared *shared, const struct weir_steps_block *b)
{
    if (b->thread == 0) {
        shared->stop = WEIR_STEPS_GOES_ON;
        WEIR_ROLLED
        for (uint32_t looks = 0; weir_load_relaxed_dev_u64(word) < number && !shared->stop;
             looks++) {
            shared->stop = weir_steps_look(weir_steps_mine(&a->member), b, looks);
            weir_pause(looks);
        }
        (void)weir_load_acquire_dev_u64(word);
    }
    weir_block_sync();
    return shared->stop;
}

/* ---- an iteration, with shares of either kind -------------------------------------------------- */

#define PR_REAL     float
#define PR_FN(name) pr_single_##name
#define PR_SHARES   single
#define PR_KEPT     1
#include "algorithms/pr/pr_pull_tmpl.h"

#define PR_REAL     double
#define PR_FN(name) pr_fine_##name
#define PR_SHARES   fine
#define PR_KEPT     0
#include "algorithms/pr/pr_pull_tmpl.h"

/* ---- the whole ------------------------------------------------------------------------------- */

/** The tally of this thread's block, in thread 0. By all threads; not twice without a barrier between. */
WEIR_DEV struct pr_tally pr_over_block(struct pr_pull_shared *shared,
                                       const struct weir_steps_block *b, struct pr_tally tally)
{
    tally.change = weir_group_sum_f64(tally.change, WEIR_LANES);
    tally.rank = weir_group_sum_f64(tally.rank, WEIR_LANES);
    tally.restless = (uint32_t)weir_sum_u64(tally.restless);
    if (weir_lane() == 0)
        shared->tally[b->thread / WEIR_LANES] = tally;
    weir_block_sync();
    WEIR_ROLLED
    for (uint32_t w = 1; w < b->threads / WEIR_LANES && b->thread == 0; w++) {
        tally.change += shared->tally[w].change;
        tally.rank += shared->tally[w].rank;
        tally.restless += shared->tally[w].restless;
    }
    return tally;
}

/** This thread's tally of an iteration to the barrier. */
WEIR_DEV void pr_add(const struct pr_pull_args *a, struct pr_pull_shared *shared,
                     const struct weir_steps_block *b, struct pr_tally tally)
{
    tally = pr_over_block(shared, b, tally);
    if (b->thread)
        return;
    weir_steps_add(&a->member, b, PR_SUM_CHANGE, (uint64_t)(tally.change / PR_UNIT));
    weir_steps_add(&a->member, b, PR_SUM_DANGLING, (uint64_t)(tally.rank / PR_UNIT));
    if (tally.restless)
        weir_steps_add(&a->member, b, PR_SUM_RESTLESS, tally.restless);
}

/** All threads of a device over its numbers or rows. There may be nearly 2^32 of them, so that the index behind the
 *  last one needs 64 bits. Threads of a GPU take elements side by side; one of a host device takes a stretch, since a
 *  line that others write to as well goes from core to core. */
#define PR_EACH(b, i, count) PR_EACH_BY(WEIR_LANES == 1u, b, i, count)
#define PR_EACH_BY(stretches, b, i, count)                         \
    for (uint64_t i = pr_each_from(stretches, b, count, 0),        \
                  pr_end__ = pr_each_from(stretches, b, count, 1); \
         i < pr_end__; i += (stretches) ? 1 : weir_steps_threads(b))

/** Where a thread begins; with @p more 1, before which element it ends. */
WEIR_DEV uint64_t pr_each_from(int stretches, const struct weir_steps_block *b, uint64_t count,
                               uint32_t more)
{
    if (!stretches)
        return more ? count : weir_steps_thread(b);
    return count * (weir_steps_thread(b) + more) / weir_steps_threads(b);
}

/** Every device fills its own copies, so that nothing is sent. The barrier behind it comes before the first piece. */
WEIR_DEV void pr_begin(const struct pr_pull_args *a, const struct weir_steps_block *b)
{
    float *shares = a->single[a->member.index];
    if (b->block == 0 && b->thread == 0) {
        *a->pieces_done = 0;
        if (PR_BINS)
            *a->bins.done = a->bins.next[0] = a->bins.next[1] = 0;
    }
    if (a->turns && b->thread == 0)
        a->turns[b->block].taken = 0;
    PR_EACH(b, i, a->rows.numbers)
    {
        const uint32_t degree = a->rows.out_degree[i];
        shares[i] = degree ? (float)a->start / (float)degree : (float)a->start;
    }
}

/** Floats become doubles, on every device its own copies. Iterations in bins had no pieces: what those without would have counted. */
WEIR_DEV void pr_refine(const struct pr_pull_args *a, const struct pr_round *round,
                        const struct pr_worker *worker, const struct weir_steps_block *b)
{
    const float *from = a->single[a->member.index] + (uint64_t)round->copy * a->rows.numbers;
    double *to = a->fine[a->member.index];
    if (PR_BINS && b->block == 0 && b->thread == 0)
        *a->pieces_done = pr_piece_workers(a, worker->count) * round->number;
#ifndef __CUDACC__
    if (PR_BINS)
        a->turns[worker->index].taken =
            pr_turns_of(a->lists.chunks, worker->count, worker->index) * round->number;
#endif
    PR_EACH(b, i, a->rows.numbers)
    {
        to[i] = (double)from[i];
    }
}

/** Shares become ranks. Their sum, by which the host has them divided, is the same in every run: threads add up the
 * same rows, and then integers. */
WEIR_DEV void pr_end(const struct pr_pull_args *a, struct pr_pull_shared *shared,
                     const struct weir_steps_block *b, int fine, uint32_t copy)
{
    const uint64_t first = (uint64_t)copy * a->rows.numbers + a->rows.begin;
    struct pr_tally tally = {0, 0, 0};
    PR_EACH(b, row, a->rows.owned)
    {
        const uint32_t degree = a->rows.out_degree[a->rows.begin + row];
        const double share = fine ? a->fine[a->member.index][first + row]
                                  : (double)a->single[a->member.index][first + row];
        const double rank = share * (degree ? degree : 1);
        a->ranks[row] = rank;
        tally.rank += rank;
    }
    tally = pr_over_block(shared, b, tally);
    if (b->thread == 0)
        weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[PR_RESULT_RANKS],
                                 (uint64_t)(tally.rank / PR_UNIT));
}

/** Whether the iteration before was the last one with these shares. */
WEIR_DEV int pr_enough(const struct pr_pull_args *a, const struct pr_round *round, int fine,
                       const uint64_t *total)
{
    const double change = (double)total[PR_SUM_CHANGE] * PR_UNIT;
    if (round->number >= a->bounds.iterations)
        return 1;
    if (fine)
        return change < a->bounds.fine_below && !total[PR_SUM_RESTLESS];
    return change < a->bounds.single_below ||
           (a->fine[0] && round->number >= a->bounds.single_iterations);
}

/** Block 0 books the time since the last call under a phase. */
WEIR_DEV void pr_book(const struct pr_pull_args *a, struct pr_pull_shared *shared,
                      const struct weir_steps_block *b, enum pr_result phase)
{
    if (b->block == 0 && b->thread == 0)
        weir_steps_book(&a->member, &shared->since_ns, phase, phase + 1);
}

#if PR_BINS
#include "algorithms/pr/pr_bins_tmpl.h"
#include "algorithms/pr/pr_bins_build.h"
#endif

/** What the run was, for the host. */
WEIR_DEV void pr_tell(const struct pr_pull_args *a, const struct weir_steps_block *b,
                      uint32_t single, uint32_t iterations, uint64_t change)
{
    struct weir_steps_page *page = weir_steps_mine(&a->member);
    if (b->block || b->thread)
        return;
    page->result[PR_RESULT_SINGLE] = single;
    page->result[PR_RESULT_CHANGE] = change;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->member.count; d++)
        page->tell[d] = a->sends[d] * iterations;
}

#if PR_BINS
#define PR_SINGLE_SWEEP(a, round, worker, shared, b, tally) \
    pr_bins_sweep(a, round, shared, b, tally)
#else
#define PR_SINGLE_SWEEP pr_single_sweep
#endif

/** What is done between two barriers, of all devices; with bins an iteration with floats has another one in its middle. */
enum pr_step { PR_STEP_BEGIN, PR_STEP_SINGLE, PR_STEP_REFINE, PR_STEP_FINE };

/** @return as weir_steps_sync(). */
WEIR_DEV uint32_t pr_step(const struct pr_pull_args *a, enum pr_step step,
                          const struct pr_round *round, const struct pr_worker *worker,
                          struct pr_pull_shared *shared, struct weir_steps_block *b)
{
    struct pr_tally tally = {0, 0, 0};
    uint32_t stop = WEIR_STEPS_GOES_ON;
    if (step == PR_STEP_BEGIN)
        pr_begin(a, b);
    else if (step == PR_STEP_REFINE)
        pr_refine(a, round, worker, b);
    else {
        stop = step == PR_STEP_FINE ? pr_fine_sweep(a, round, worker, shared, b, &tally)
                                    : PR_SINGLE_SWEEP(a, round, worker, shared, b, &tally);
        if (!stop)
            pr_add(a, shared, b, tally);
        pr_book(a, shared, b, PR_RESULT_GATHER);
    }
    return stop;
}

WEIR_DEV void pr_pull_body(const struct pr_pull_args *a, struct pr_pull_shared *shared,
                           struct weir_steps_block *b)
{
    const uint32_t warp = b->thread / WEIR_LANES, warps = b->threads / WEIR_LANES;
    const struct pr_worker worker = {
        .warp = &shared->warp[warp],
        .index = b->block * warps + warp,
        .count = b->blocks * warps,
#if PR_HUBS
        .hub = shared->kept.hub
#endif
    };
    struct pr_round round = {a->teleport + a->spread * a->dangling, 0, 0};
    enum pr_step step = PR_STEP_BEGIN;
    uint64_t total[WEIR_STEPS_SUMS];
#if PR_HUBS
    if (weir_lane() == 0)
        worker.warp->share.fine = shared->kept.fine[warp];
    weir_lanes_sync();
#endif
    if (b->thread == 0) {
        shared->since_ns = weir_clock_ns();
        shared->single = 0;
    }
#if PR_BINS
    if (a->bins.building) {
        pr_bins_build(a, &worker, b);
        return;
    }
#endif
    WEIR_ROLLED
    for (;;) {
        if (pr_step(a, step, &round, &worker, shared, b) ||
            weir_steps_sync(&a->member, b, b->blocks, 0, 1, total))
            return;
        pr_book(a, shared, b,
                step == PR_STEP_BEGIN || step == PR_STEP_REFINE ? PR_RESULT_BEGIN
                                                                : PR_RESULT_EXCHANGE);
        if (step == PR_STEP_BEGIN) {
            step = PR_STEP_SINGLE;
            continue;
        }
        if (step == PR_STEP_REFINE) {
            step = PR_STEP_FINE;
            round.copy = 0;
            continue;
        }
        round.number++;
        round.copy ^= 1;
        round.base = a->teleport + a->spread * (double)total[PR_SUM_DANGLING] * PR_UNIT;
        if (step == PR_STEP_SINGLE && b->thread == 0)
            shared->single = round.number;
        if (!pr_enough(a, &round, step == PR_STEP_FINE, total))
            continue;
        if (step == PR_STEP_FINE || !a->fine[0] || round.number >= a->bounds.iterations)
            break;
        step = PR_STEP_REFINE;
    }
    pr_end(a, shared, b, step == PR_STEP_FINE, round.copy);
    pr_tell(a, b, shared->single, round.number, total[PR_SUM_CHANGE]);
}

#endif
