/** @file pr_cells.h  PageRank in two dimensions: what the kernel of a device is given, and its body, in the dialect.
 *
 * Devices stand in a grid (algorithms/common/cell.h), and each has the arcs that lead from the vertices of its column to those of its row, here
 * by their heads: a local row has the places of its tails. An iteration has two phases, with a barrier behind each:
 *
 *     GATHER   along columns everybody has the shares (rank by out-degree) of all places. A device adds up those of each local row's tails,
 *              and stores the sum where the row's owner finds it: along rows, to one of C - 1 others, or in its own memory
 *     UPDATE   the owner adds up the sums of the columns, in their order, and has the new rank. Its share goes to the R - 1 others of
 *              its column
 *
 * So a device stores into the memory of (R - 1) + (C - 1) others, in place of RC - 1, and a row's sum is made in the same order in each run.
 * Rows of more than PR_PIECE_ARCS arcs are added up piece by piece, and a third phase, LONG, puts the pieces' sums together; the host knows
 * whether any device has some. All are doubles: what is kept from one iteration to the next is exact to the last few bits, and README.md, "How exact",
 * has the bound. */
#ifndef WEIR_ALGORITHMS_PR_PR_CELLS_H
#define WEIR_ALGORITHMS_PR_PR_CELLS_H

#include "algorithms/common/cell.h"
#include "algorithms/pr/pr_pull_args.h"

#include <math.h>

/** Numbers for the host in weir_steps_page.result. */
enum pr_cells_result {
    PR_CELLS_RESULT_CHANGE = 0, /* of the last iteration, as the barrier's sum */
    PR_CELLS_RESULT_RANKS,      /* the sum of this device's ranks, in units of PR_UNIT */
    PR_CELLS_RESULT_ITERATIONS,
    /* Times of block 0, barriers included, each with a count behind it. */
    PR_CELLS_RESULT_BEGIN,
    PR_CELLS_RESULT_GATHER = PR_CELLS_RESULT_BEGIN + 2, /* and LONG */
    PR_CELLS_RESULT_UPDATE = PR_CELLS_RESULT_GATHER + 2
};

struct pr_cells_args {
    struct weir_steps_member member;
    weir_rows_part
        rows; /* out.targets: places of tails, by local row; its offsets are those of places still */
    struct weir__cell cell;
    const struct pr_chunk *chunk; /* of local rows (pr_pull_args.h) */
    const struct pr_piece *piece;
    const struct pr_long *row;
    const uint8_t *end; /* by local row: where it ends in its chunk */
    double *partial;    /* sum of each piece of a long row */
    double *sums;       /* by row, with the gap: over the tails of this device's own column */
    double *inbox[WEIR_DEVICES_MAX];  /* [from]: the same of another column */
    double *outbox[WEIR_DEVICES_MAX]; /* [to]: the inbox of that device for this one */
    double *share[WEIR_DEVICES_MAX];  /* [device of the column], by place */
    uint32_t *degree;                 /* by row: out-arcs of the vertex */
    double *ranks;                    /* by row */
    uint32_t chunks, pieces, longs;
    uint32_t any_longs; /* some device has long rows */
    struct pr_bounds bounds;
    double start, damping, teleport, spread, dangling; /* as of pr_pull_args */
};

struct pr_cells_shared {
    uint64_t change, rank, restless; /* of the block, in an iteration; ranks in units of PR_UNIT */
    uint64_t since_ns;               /* of block 0 */
};

/** The sum of a local row goes to its owner. By one lane. */
WEIR_DEV void pr_cells_store(const struct pr_cells_args *a, uint32_t local_row, double sum)
{
    const struct weir__cell *cell = &a->cell;
    const uint32_t column = weir__cell_column(cell, local_row);
    double *to =
        column == cell->column ? a->sums : a->outbox[weir__cell_device(cell, cell->row, column)];
    to[local_row - cell->first[column]] = sum;
}

/** The rows of a chunk; where they are few, several lanes add up one. All lanes. */
WEIR_DEV void pr_cells_chunk(const struct pr_cells_args *a, const double *share,
                             struct pr_chunk chunk)
{
    const uint32_t *tails = a->rows.out.targets + chunk.arc;
    uint32_t width = WEIR_LANES;
    while (width > 1 && width * chunk.rows > WEIR_LANES)
        width >>= 1;
    const uint32_t lane = weir_lane() & (width - 1), rows = WEIR_LANES / width;
    WEIR_ROLLED
    for (uint32_t first = 0; first < chunk.rows; first += rows) {
        const uint32_t row = first + weir_lane() / width;
        double sum = 0;
        if (row < chunk.rows) {
            const uint8_t *end = a->end + chunk.row + row;
            for (uint32_t i = (row ? end[-1] : 0) + lane; i < end[0]; i += width)
                sum += share[tails[i]];
        }
        if (width > 1)
            sum = weir_group_sum_f64(sum, width);
        if (row < chunk.rows && lane == 0)
            pr_cells_store(a, chunk.row + row, sum);
    }
}

/** GATHER. */
WEIR_COLD void pr_cells_gather(const struct pr_cells_args *a, struct weir_steps_block b)
{
    const double *share = a->share[a->member.index];
    const uint64_t workers = weir_steps_threads(&b) / WEIR_LANES;
    WEIR_ROLLED
    for (uint64_t at = weir_steps_warp(&b); at < a->pieces; at += workers) {
        const struct pr_piece piece = a->piece[at];
        double sum = 0;
        for (uint32_t i = weir_lane(); i < piece.arcs; i += WEIR_LANES)
            sum += share[a->rows.out.targets[piece.arc + i]];
        sum = weir_group_sum_f64(sum, WEIR_LANES);
        if (weir_lane() == 0 && piece.whole)
            pr_cells_store(a, piece.row, sum);
        else if (weir_lane() == 0)
            a->partial[at] = sum;
    }
    WEIR_ROLLED
    for (uint64_t at = weir_steps_warp(&b); at < a->chunks; at += workers)
        pr_cells_chunk(a, share, a->chunk[at]);
}

/** LONG: the pieces of a row together. */
WEIR_COLD void pr_cells_long(const struct pr_cells_args *a, struct weir_steps_block b)
{
    WEIR_ROLLED
    for (uint64_t at = weir_steps_warp(&b); at < a->longs;
         at += weir_steps_threads(&b) / WEIR_LANES) {
        const struct pr_long row = a->row[at];
        double sum = 0;
        for (uint32_t i = weir_lane(); i < row.pieces; i += WEIR_LANES)
            sum += a->partial[row.first + i];
        sum = weir_group_sum_f64(sum, WEIR_LANES);
        if (weir_lane() == 0)
            pr_cells_store(a, row.row, sum);
    }
}

/** What a row's arcs carry goes to all devices of the column. */
WEIR_DEV void pr_cells_expand(const struct pr_cells_args *a, uint64_t row, double rank)
{
    const uint64_t place = a->rows.begin - a->cell.begin + row;
    const uint32_t degree = a->degree[row];
    const double share = degree ? rank / degree : 0;
    WEIR_ROLLED
    for (uint32_t r = 0; r < a->cell.rows; r++)
        a->share[weir__cell_device(&a->cell, r, a->cell.column)][place] = share;
}

/** The sum over the columns, in their order. */
WEIR_DEV double pr_cells_sum(const struct pr_cells_args *a, uint64_t row)
{
    double sum = 0;
    WEIR_ROLLED
    for (uint32_t column = 0; column < a->cell.columns; column++)
        sum += column == a->cell.column
                   ? a->sums[row]
                   : a->inbox[weir__cell_device(&a->cell, a->cell.row, column)][row];
    return sum;
}

/** UPDATE. @param[in] base  what every vertex gets. */
WEIR_COLD void pr_cells_update(const struct pr_cells_args *a, struct pr_cells_shared *shared,
                               struct weir_steps_block b, double base)
{
    double change = 0, dangling = 0;
    uint64_t restless = 0;
    WEIR_ROLLED
    for (uint64_t row = weir_steps_thread(&b); row < a->rows.owned; row += weir_steps_threads(&b)) {
        const double rank = base + a->damping * pr_cells_sum(a, row);
        const double by = fabs(rank - a->ranks[row]);
        a->ranks[row] = rank;
        change += by;
        restless += by > a->bounds.restless * rank;
        dangling += a->degree[row] ? 0 : rank;
        pr_cells_expand(a, row, rank);
    }
    change = weir_group_sum_f64(change, WEIR_LANES);
    dangling = weir_group_sum_f64(dangling, WEIR_LANES);
    restless = weir_sum_u64(restless);
    if (weir_lane())
        return;
    weir_atomic_add_block_u64(&shared->change, (uint64_t)(change / PR_UNIT));
    weir_atomic_add_block_u64(&shared->rank, (uint64_t)(dangling / PR_UNIT));
    weir_atomic_add_block_u64(&shared->restless, restless);
}

/** The barrier behind a phase; block 0 books its time. @return as weir_steps_sync(). */
WEIR_DEV uint32_t pr_cells_barrier(const struct pr_cells_args *a, struct pr_cells_shared *shared,
                                   struct weir_steps_block *b, uint32_t phase, uint64_t *total)
{
    weir_block_sync();
    if (b->thread == 0) {
        weir_steps_add(&a->member, b, PR_SUM_CHANGE, shared->change);
        weir_steps_add(&a->member, b, PR_SUM_DANGLING, shared->rank);
        weir_steps_add(&a->member, b, PR_SUM_RESTLESS, shared->restless);
        shared->change = shared->rank = shared->restless = 0;
    }
    const uint32_t stop = weir_steps_meet(&a->member, b, b->blocks, 0, 1, total);
    if (!stop && b->block == 0 && b->thread == 0)
        weir_steps_book(&a->member, &shared->since_ns, phase, phase + 1);
    return stop;
}

/** All iterations. @param[out] change_out  of the last one. @return how many; 0: the run ends early. */
WEIR_DEV uint32_t pr_cells_iterate(const struct pr_cells_args *a, struct pr_cells_shared *shared,
                                   struct weir_steps_block *b, uint64_t *change_out)
{
    uint64_t total[WEIR_STEPS_SUMS];
    double base = a->teleport + a->spread * a->dangling;
    WEIR_ROLLED
    for (uint32_t number = 1;; number++) {
        pr_cells_gather(a, *b);
        if (pr_cells_barrier(a, shared, b, PR_CELLS_RESULT_GATHER, total))
            return 0;
        if (a->any_longs) {
            pr_cells_long(a, *b);
            if (pr_cells_barrier(a, shared, b, PR_CELLS_RESULT_GATHER, total))
                return 0;
        }
        pr_cells_update(a, shared, *b, base);
        if (pr_cells_barrier(a, shared, b, PR_CELLS_RESULT_UPDATE, total))
            return 0;
        base = a->teleport + a->spread * (double)total[PR_SUM_DANGLING] * PR_UNIT;
        *change_out = total[PR_SUM_CHANGE];
        if (number >= a->bounds.iterations ||
            ((double)total[PR_SUM_CHANGE] * PR_UNIT < a->bounds.fine_below &&
             !total[PR_SUM_RESTLESS]))
            return number;
    }
}

WEIR_DEV void pr_cells_body(const struct pr_cells_args *a, struct pr_cells_shared *shared,
                            struct weir_steps_block *b)
{
    uint64_t total[WEIR_STEPS_SUMS], change = 0;
    double ranks = 0;
    if (b->thread == 0) {
        shared->change = shared->rank = shared->restless = 0;
        shared->since_ns = weir_clock_ns();
    }
    WEIR_ROLLED
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b)) {
        a->ranks[row] = a->start;
        pr_cells_expand(a, row, a->start);
    }
    if (pr_cells_barrier(a, shared, b, PR_CELLS_RESULT_BEGIN, total))
        return;
    const uint32_t iterations = pr_cells_iterate(a, shared, b, &change);
    if (!iterations)
        return;
    WEIR_ROLLED
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b))
        ranks += a->ranks[row];
    ranks = weir_group_sum_f64(ranks, WEIR_LANES);
    uint64_t *result = weir_steps_mine(&a->member)->result;
    if (weir_lane() == 0)
        weir_add_relaxed_dev_u64(&result[PR_CELLS_RESULT_RANKS], (uint64_t)(ranks / PR_UNIT));
    if (b->block || b->thread)
        return;
    result[PR_CELLS_RESULT_CHANGE] = change;
    result[PR_CELLS_RESULT_ITERATIONS] = iterations;
}

#endif
