/** @file pr_pull_tmpl.h  An iteration of pr_pull.h, for shares that are PR_REAL: pr_pull.h includes it with
 * PR_REAL, PR_FN and PR_SHARES defined, for floats and for doubles. */

/** What is read for a row beside its arcs. The reads are issued before the sum over the arcs is made. */
struct PR_FN(row) {
    PR_REAL share; /* before */
    uint32_t degree;
    uint32_t readers;
};

WEIR_DEV PR_REAL *PR_FN(shares)(const struct pr_pull_args *a, uint32_t device, uint32_t copy)
{
    return a->PR_SHARES[device] + (uint64_t)copy * a->rows.numbers;
}

WEIR_DEV struct PR_FN(row)
    PR_FN(ask)(const struct pr_pull_args *a, const PR_REAL *from, uint32_t row, uint32_t length)
{
    struct PR_FN(row) own;
    own.share = from[a->rows.begin + row];
    own.degree = a->symmetric ? length : a->rows.out_degree[a->rows.begin + row];
    own.readers = a->lists.readers ? a->lists.readers[row] : 0;
    return own;
}

/** The share of a number, from the block's own memory if it is a hub's. */
WEIR_DEV PR_REAL PR_FN(read)(const struct pr_pull_args *a, const struct pr_worker *worker,
                             const PR_REAL *from, uint32_t number)
{
#if PR_HUBS && PR_KEPT
    const struct pr_hubs *hubs = &a->hubs;
    uint32_t nth = number, place = nth < hubs->each ? nth : UINT32_MAX; /* part 0 begins at 0 */
    WEIR_ROLLED
    for (uint32_t p = 1; p < hubs->parts; p++) {
        nth = number - hubs->begin[p];
        place = nth < hubs->each ? p * hubs->each + nth : place;
    }
    return place < UINT32_MAX ? worker->hub[place] : from[number];
#else
    (void)a, (void)worker;
    return from[number];
#endif
}

/** The shares of @p count numbers as pr_far() has brought them, all of them under way together; 0 in slots without one. */
WEIR_DEV void PR_FN(gather)(const struct pr_pull_args *a, const struct pr_worker *worker,
                            const PR_REAL *from, const uint32_t *far, uint32_t offset,
                            uint32_t count, PR_REAL *share_out)
{
    for (int k = 0; k < PR_DEEP; k++)
        share_out[k] =
            pr_arc_of(k, offset) < count ? PR_FN(read)(a, worker, from, far[k]) : (PR_REAL)0;
}

/** Bring the shares of hubs. By all threads of the block, which have all passed the barrier. */
WEIR_DEV void PR_FN(bring)(const struct pr_pull_args *a, const PR_REAL *from,
                           struct pr_pull_shared *shared, const struct weir_steps_block *b)
{
#if PR_HUBS && PR_KEPT
    WEIR_ROLLED
    for (uint32_t p = 0; p < a->hubs.parts; p++)
        for (uint32_t i = b->thread; i < a->hubs.each; i += b->threads)
            shared->kept.hub[p * a->hubs.each + i] = from[a->hubs.begin[p] + i];
    weir_block_sync();
#else
    (void)a, (void)from, (void)shared, (void)b;
#endif
}

/** From a row's sum to its new share, which is stored on every device that reads it. By one lane. */
WEIR_DEV void PR_FN(settle)(const struct pr_pull_args *a, const struct pr_round *round,
                            uint32_t row, const struct PR_FN(row) * own, double sum,
                            struct pr_tally *tally)
{
    const uint32_t number = a->rows.begin + row, to = round->copy ^ 1;
    const double rank = round->base + a->damping * sum;
    const double change = fabs(rank - (double)own->share * (own->degree ? own->degree : 1));
    PR_REAL share = (PR_REAL)rank;
    tally->change += change;
    if (own->degree)
        share /= (PR_REAL)own->degree;
    else
        tally->rank += (double)share;
    tally->restless += change > a->bounds.restless * rank;
    PR_FN(shares)(a, a->member.index, to)[number] = share;
    /* A bit stands for every eighth device. One that gets a share without need is not harmed. */
    WEIR_ROLLED
    for (uint32_t left = own->readers; left; left &= left - 1)
        for (uint32_t d = weir_first_bit_u32(left); d < a->member.count; d += 8)
            PR_FN(shares)(a, d, to)[number] = share;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/** Add up the rows of a chunk, whose shares and ends lie in the warp's memory. Where rows are few, several lanes add
 *  up one. */
WEIR_DEV void PR_FN(rows)(const struct pr_pull_args *a, const struct pr_round *round,
                          const PR_REAL *from, const struct pr_warp *warp, struct pr_chunk chunk,
                          struct pr_tally *tally)
{
    uint32_t width = WEIR_LANES;
    while (width > 1 && width * chunk.rows > WEIR_LANES)
        width >>= 1;
    const int last = !PR_BANDED || chunk.band + 1u == a->lists.bands;
    const uint32_t rows = WEIR_LANES / width, lane = weir_lane() & (width - 1);
    uint32_t row = weir_lane() / width;
    struct PR_FN(row) next = {0, 0, 0};
    if (last && row < chunk.rows)
        next = PR_FN(ask)(a, from, chunk.row + row, warp->end[row + 1] - (uint32_t)warp->end[row]);
    WEIR_ROLLED
    for (uint32_t first = 0; first < chunk.rows; first += rows) {
        const struct PR_FN(row) own = next;
        const uint32_t after = row + rows;
        double sum = 0;
        if (PR_BANDED && chunk.band && row < chunk.rows && lane == 0)
            sum = weir_load_stream_f64(a->sums + chunk.row + row);
        if (last && after < chunk.rows)
            next = PR_FN(ask)(a, from, chunk.row + after,
                              warp->end[after + 1] - (uint32_t)warp->end[after]);
        if (row < chunk.rows)
            for (uint32_t i = warp->end[row] + lane; i < warp->end[row + 1]; i += width)
                sum += (double)warp->share.PR_SHARES[i];
        if (width > 1)
            sum = weir_group_sum_f64(sum, width);
        if (row < chunk.rows && lane == 0) {
            if (last)
                PR_FN(settle)(a, round, chunk.row + row, &own, sum, tally);
            else
                weir_store_stream_f64(a->sums + chunk.row + row, sum);
        }
        row = after;
    }
}

/** The sum of a stretch of arcs, by one lane. Its PR_CHAINS sums do not wait for each other, and are added in one order. */
WEIR_DEV double PR_FN(stretch)(const struct pr_pull_args *a, const struct pr_worker *worker,
                               const uint32_t *targets, uint32_t arcs, const PR_REAL *from)
{
    double part[PR_CHAINS] = {0, 0, 0, 0};
    uint32_t i = 0;
    for (; i + PR_CHAINS <= arcs; i += PR_CHAINS)
        for (uint32_t k = 0; k < PR_CHAINS; k++)
            part[k] += (double)PR_FN(read)(a, worker, from, targets[i + k]);
    for (; i < arcs; i++)
        part[0] += (double)PR_FN(read)(a, worker, from, targets[i]);
    return part[0] + part[1] + (part[2] + part[3]);
}

#ifndef __CUDACC__
#include "algorithms/pr/pr_short_host_tmpl.h"
#endif

#ifndef __CUDACC__
/** All chunks that a worker of one lane takes, which has no neighbours to read side by side with: row after row, each sum where
 *  it is made. With one band alone. */
static inline void PR_FN(chunks_alone)(const struct pr_pull_args *a, const struct pr_round *round,
                                       const struct pr_worker *worker,
                                       const struct weir_steps_block *b)
{
    const PR_REAL *from = PR_FN(shares)(a, a->member.index, round->copy);
    struct pr_turns turns = {.args = a,
                             .number = round->number,
                             .index = worker->index,
                             .workers = worker->count,
                             .from = worker->index};
    struct pr_tally sums = {0, 0, 0};
    uint64_t gathered = 0, change = 0, rank = 0, restless = 0;
    int turned;
    struct pr_chunk chunk = pr_next_chunk(&turns, &turned);
    while (chunk.rows) {
        const struct pr_chunk next = pr_next_chunk(&turns, &turned);
        const uint32_t *targets = a->rows.in.targets + chunk.arc;
        const uint32_t *after = a->rows.in.targets + next.arc;
        for (uint32_t i = 0; i < next.arcs && next.arcs < next.rows * PR_SHORT; i++)
            weir_prefetch(&from[after[i]]);
        if (pr_is_short(chunk)) {
            PR_FN(short_rows)(a, round, worker, from, chunk, &sums);
            gathered += chunk.arcs;
        } else {
            const uint8_t *ends = pr_ends_of(a, chunk);
            for (uint32_t row = 0, at = 0; row < chunk.rows; row++) {
                const uint32_t end = ends[row];
                const struct PR_FN(row) own = PR_FN(ask)(a, from, chunk.row + row, end - at);
                const double sum = PR_FN(stretch)(a, worker, targets + at, end - at, from);
                PR_FN(settle)(a, round, chunk.row + row, &own, sum, &sums);
                at = end;
            }
        }
        chunk = next;
        if (!turned)
            continue;
        change += (uint64_t)(sums.change / PR_UNIT);
        rank += (uint64_t)(sums.rank / PR_UNIT);
        restless += sums.restless;
        sums = (struct pr_tally){0, 0, 0};
    }
    weir_steps_add(&a->member, b, PR_SUM_CHANGE, change);
    weir_steps_add(&a->member, b, PR_SUM_DANGLING, rank);
    weir_steps_add(&a->member, b, PR_SUM_RESTLESS, restless);
    uint64_t *result = weir_steps_mine(&a->member)->result;
    if (gathered)
        weir_add_relaxed_dev_u64(&result[PR_RESULT_GATHERED], gathered);
    if (turns.stolen)
        weir_add_relaxed_dev_u64(&result[PR_RESULT_STOLEN], turns.stolen);
}
#endif

/** All chunks of a warp. Reads from device memory for the next chunk are under way while one is added up. */
WEIR_DEV void PR_FN(chunks)(const struct pr_pull_args *a, const struct pr_round *round,
                            const struct pr_worker *worker, struct pr_tally *tally)
{
    const PR_REAL *from = PR_FN(shares)(a, a->member.index, round->copy);
    struct pr_warp *warp = worker->warp;
    uint32_t far[PR_DEEP];
    uint8_t end[PR_ROWS];
    pr_rewind(&a->lists, worker);
    struct pr_chunk chunk = pr_chunk_of(&a->lists, worker, 0);
    pr_far(a->rows.in.targets + chunk.arc, pr_in_line(chunk.arc), chunk.arcs, far);
    pr_ends(pr_ends_of(a, chunk), chunk.rows, end);
    if (PR_BANDED)
        weir_lanes_sync();
    if (weir_lane() == 0) {
        warp->end[0] = 0;
        pr_advance(&a->lists, worker);
    }
    if (PR_BANDED)
        weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t pass = 1; chunk.rows; pass++) {
        const struct pr_chunk next = pr_chunk_of(&a->lists, worker, pass);
        const uint32_t offset = pr_in_line(chunk.arc);
        PR_REAL share[PR_DEEP];
        PR_FN(gather)(a, worker, from, far, offset, chunk.arcs, share);
        for (int k = 0; k < PR_ROWS; k++)
            warp->end[weir_lane() + (uint32_t)k * WEIR_LANES + 1] = end[k];
        pr_far(a->rows.in.targets + next.arc, pr_in_line(next.arc), next.arcs, far);
        pr_ends(pr_ends_of(a, next), next.rows, end);
        if (PR_BANDED && next.band && 4 * weir_lane() < next.rows) /* 32 bytes a lane */
            weir_prefetch(a->sums + next.row + 4 * weir_lane());
        for (int k = 0; k < PR_DEEP; k++)
            warp->share.PR_SHARES[pr_arc_of(k, offset)] = share[k];
        weir_lanes_sync();
        if (weir_lane() == 0)
            pr_advance(&a->lists, worker);
        PR_FN(rows)(a, round, from, warp, chunk, tally);
        weir_lanes_sync();
        chunk = next;
    }
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/** The sum of a piece, in every lane. With PR_LINES the lanes take the arcs up to the end of the eighth line each time, so that all loads
 *  but the first and the last are whole lines. */
WEIR_DEV double PR_FN(sum)(const struct pr_pull_args *a, const struct pr_worker *worker,
                           uint64_t first, uint32_t arcs, const PR_REAL *from)
{
    const uint32_t *targets = a->rows.in.targets + first;
    uint32_t far[PR_DEEP], offset = pr_in_line(first), most = PR_SLOTS - offset;
    double sum = 0;
    if (WEIR_LANES == 1u)
        return PR_FN(stretch)(a, worker, targets, arcs, from);
    pr_far(targets, offset, arcs < most ? arcs : most, far);
    WEIR_ROLLED
    for (uint32_t done = 0; done < arcs;) {
        const uint32_t left = arcs - done, next = left > most ? left - most : 0;
        PR_REAL share[PR_DEEP];
        PR_FN(gather)(a, worker, from, far, offset, next ? most : left, share);
        done += most;
        offset = 0;
        most = PR_SLOTS;
        pr_far(targets + done, offset, next < most ? next : most, far);
        for (int k = 0; k < PR_DEEP; k++)
            sum += (double)share[k];
    }
    return weir_group_sum_f64(sum, WEIR_LANES);
}

WEIR_DEV void PR_FN(pieces)(const struct pr_pull_args *a, const struct pr_round *round,
                            const struct pr_worker *worker, struct pr_tally *tally)
{
    const PR_REAL *from = PR_FN(shares)(a, a->member.index, round->copy);
    struct pr_piece piece = pr_piece_of(&a->lists, worker, 0);
    WEIR_ROLLED
    for (uint32_t pass = 0; piece.arcs; pass++) {
        const struct pr_piece next = pr_piece_of(&a->lists, worker, pass + 1);
        struct PR_FN(row) own = {0, 0, 0};
        if (piece.whole)
            own = PR_FN(ask)(a, from, piece.row, piece.arcs);
        const double sum = PR_FN(sum)(a, worker, piece.arc, piece.arcs, from);
        if (weir_lane() == 0 && piece.whole)
            PR_FN(settle)(a, round, piece.row, &own, sum, tally);
        if (weir_lane() == 0 && !piece.whole)
            a->partial[pr_entry(worker, a->lists.pieces, pass)] = sum;
        piece = next;
    }
    /* Lane 0 alone wrote sums, so its release is enough. */
    if (a->lists.longs && weir_lane() == 0 && worker->index < a->lists.pieces)
        weir_add_release_dev_u64(a->pieces_done, 1);
}

WEIR_DEV void PR_FN(longs)(const struct pr_pull_args *a, const struct pr_round *round,
                           const struct pr_worker *worker, struct pr_tally *tally)
{
    const PR_REAL *from = PR_FN(shares)(a, a->member.index, round->copy);
    WEIR_ROLLED
    for (uint32_t at = worker->index; at < a->lists.longs; at += worker->count) {
        const struct pr_long row = a->lists.row[at];
        const struct PR_FN(row) own = PR_FN(ask)(a, from, row.row, row.arcs);
        double sum = 0;
        for (uint32_t i = weir_lane(); i < row.pieces; i += WEIR_LANES)
            sum += a->partial[row.first + i];
        sum = weir_group_sum_f64(sum, WEIR_LANES);
        if (weir_lane() == 0)
            PR_FN(settle)(a, round, row.row, &own, sum, tally);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/** An iteration up to its barrier. @return as weir_steps_sync(). */
WEIR_DEV uint32_t PR_FN(sweep)(const struct pr_pull_args *a, const struct pr_round *round,
                               const struct pr_worker *worker, struct pr_pull_shared *shared,
                               const struct weir_steps_block *b, struct pr_tally *tally)
{
    PR_FN(bring)(a, PR_FN(shares)(a, a->member.index, round->copy), shared, b);
    PR_FN(pieces)(a, round, worker, tally);
#if !defined __CUDACC__ && !PR_BANDED
    PR_FN(chunks_alone)(a, round, worker, b);
#else
    PR_FN(chunks)(a, round, worker, tally);
#endif
    if (!a->lists.longs)
        return WEIR_STEPS_GOES_ON;
    uint32_t stop =
        pr_await(a, a->pieces_done,
                 pr_piece_workers(a, worker->count) * (round->number + UINT64_C(1)), shared, b);
    if (!stop)
        PR_FN(longs)(a, round, worker, tally);
    return stop;
}

#undef PR_REAL
#undef PR_FN
#undef PR_SHARES
#undef PR_KEPT
