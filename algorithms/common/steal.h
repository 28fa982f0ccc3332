/** @file steal.h  Who does how much of a step's work: each device has some, any may do some of any other's, and whoever takes longest
 * should be through as early as can be (Meng and others: "GUM: Efficient Graph Processing on multi-GPU systems through work stealing",
 * ICDE 2023). In the dialect: kernels decide it between two barriers, without the host. Not installed.
 *
 * With w[i] units of work on device i, a unit of which takes c[i][j] where device j does it, the shares x[i][j] are those of a linear
 * program: the least t with
 *
 *     sum over j of x[i][j]           = w[i]  for each i: all is done,
 *     sum over i of c[i][j] * x[i][j] <= t    for each j: by then.
 *
 * It is solved by the simplex method over a dictionary of 2n rows and n(n-1) + 1 columns, 16 by 57 for 8 devices. The beginning is
 * what lies there, every device does its own, so no first phase is needed; the answer is exact up to rounding, and no answer on the way
 * is worse than the one before. `price` proves it: for any prices that add up to 1, the sum of w[i] times the least of c[i][j] * price[j]
 * is as much as t can be less than (weak duality), and with these it is t.
 *
 * Devices that are given the same decide the same, since they execute the same instructions in the same order; and whoever
 * owns work alone says who takes which of it, so that even devices that differed would leave nothing undone and do nothing twice. */
#ifndef WEIR_ALGORITHMS_COMMON_STEAL_H
#define WEIR_ALGORITHMS_COMMON_STEAL_H

#include "runtime/dialect.h"
#include "runtime/sync.h"

#define STEAL_DEVICES 8u   /* at most */
#define STEAL_CHUNKS  256u /* of what a device has: work is shared out by whole ones */
#define STEAL_ROWS    (2u * STEAL_DEVICES)
#define STEAL_COLUMNS (STEAL_DEVICES * (STEAL_DEVICES - 1u) + 2u)
/* Steps by the steepest column, and then by the first that gains, which ends for certain (Bland's rule). */
#define STEAL_STEEPEST 64u
#define STEAL_STEPS    512u
#define STEAL_FASTEST  1024u /* speed of the fastest device */
#define STEAL_NONE     0xFFFFFFFFu
/* What is less than this part of the largest cost is 0 that was rounded. */
#define STEAL_ROUNDED 1e-11

/** What a device is to do of another's: entries begin to end - 1 of its list, which come to so many units. */
struct steal_cut {
    uint32_t begin, end;
    uint64_t units;
};

/** A decision; words that the threads of a block share. */
struct steal {
    uint32_t count;
    double work[STEAL_DEVICES];
    double cost[STEAL_DEVICES][STEAL_DEVICES];  /* [owner][worker], above 0 */
    double share[STEAL_DEVICES][STEAL_DEVICES]; /* out: the same way, units of work */
    double longest;                             /* out: what the device that takes longest takes */
    double price[STEAL_DEVICES];                /* out: of a device's time; they add up to 1 */
    uint32_t steps;                             /* out */
    /* The dictionary: row r says what variable basic[r] is, in terms of what columns stand for; the last column is the constant.
     * Variable i * n + j is x[i][j], n * n + j what device j has left when t is over. Row n + m is t itself. */
    double at[STEAL_ROWS][STEAL_COLUMNS];
    double row[STEAL_COLUMNS], column[STEAL_ROWS]; /* those of the pivot */
    uint32_t basic[STEAL_ROWS], other[STEAL_COLUMNS];
    uint32_t rows, columns; /* without the constant */
    uint32_t objective;     /* the row of t */
    uint32_t enter, leave;  /* STEAL_NONE: there is nothing to gain */
};

/* Row i is x[i][i], and row n + j what device j has left; but that of the device that has most is t. By one thread. */
WEIR_DEV void steal_begin(struct steal *d)
{
    const uint32_t n = d->count;
    uint32_t most = 0;
    for (uint32_t j = 1; j < n; j++)
        most = d->cost[j][j] * d->work[j] > d->cost[most][most] * d->work[most] ? j : most;
    d->rows = 2 * n;
    d->columns = 0;
    d->objective = n + most;
    d->steps = 0;
    for (uint32_t r = 0; r < 2 * n; r++)
        d->basic[r] = r < n ? r * n + r : n * n + r - n;
    d->other[d->columns++] = n * n + most;
    d->basic[d->objective] = STEAL_NONE;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (i != j)
                d->other[d->columns++] = i * n + j;
    for (uint32_t r = 0; r < 2 * n; r++) {
        const uint32_t j = r - n;
        for (uint32_t k = 0; k < d->columns; k++) {
            const uint32_t from = d->other[k] / n, to = d->other[k] % n;
            /* What a unit that goes from `from` to `to` saves the device of this row; t gains as much as `most` loses. */
            double saves = 0, lost = 0;
            if (k && r >= n)
                saves = from == j ? d->cost[j][j] : to == j ? -d->cost[from][j] : 0;
            if (k)
                lost = from == most ? -d->cost[most][most] : to == most ? d->cost[from][most] : 0;
            d->at[r][k] = r < n               ? (k && from == r ? -1 : 0)
                          : r == d->objective ? (k ? lost : 1)
                                              : (k ? saves + lost : 1);
        }
        d->at[r][d->columns] = r < n ? d->work[r]
                                     : d->cost[most][most] * d->work[most] -
                                           (j == most ? 0 : d->cost[j][j] * d->work[j]);
    }
}

/* Which column enters and which row leaves. By one thread. */
WEIR_DEV void steal_choose(struct steal *d, double rounded)
{
    const double *gain = d->at[d->objective];
    double best = -rounded, least = 0;
    d->enter = d->leave = STEAL_NONE;
    for (uint32_t k = 0; k < d->columns; k++)
        if (gain[k] < best) {
            if (d->steps < STEAL_STEEPEST) {
                best = gain[k];
                d->enter = k;
            } else if (d->enter == STEAL_NONE || d->other[k] < d->other[d->enter]) {
                d->enter = k;
            }
        }
    if (d->enter == STEAL_NONE || d->steps >= STEAL_STEPS)
        return;
    for (uint32_t r = 0; r < d->rows; r++) {
        const double falls = -d->at[r][d->enter];
        if (r == d->objective || falls <= STEAL_ROUNDED)
            continue;
        const double room = d->at[r][d->columns] / falls;
        if (d->leave == STEAL_NONE || room < least ||
            (room == least && d->basic[r] < d->basic[d->leave])) {
            d->leave = r;
            least = room;
        }
    }
}

/* The column and the row change places; all threads. */
WEIR_DEV void steal_pivot(struct steal *d, uint32_t thread, uint32_t threads)
{
    const uint32_t k = d->enter, p = d->leave, columns = d->columns + 1;
    const double by = -1 / d->at[p][k];
    for (uint32_t c = thread; c < columns; c += threads)
        d->row[c] = c == k ? -by : d->at[p][c] * by;
    for (uint32_t r = thread; r < d->rows; r += threads)
        d->column[r] = d->at[r][k];
    weir_block_sync();
    for (uint32_t i = thread; i < d->rows * columns; i += threads) {
        const uint32_t r = i / columns, c = i % columns;
        const double old = r == p || c == k ? 0 : d->at[r][c];
        double now = r == p ? d->row[c] : old + d->column[r] * d->row[c];
        if (c == d->columns && now < 0 && r != d->objective)
            now = 0; /* rounded */
        d->at[r][c] = now;
    }
    if (thread == 0) {
        const uint32_t basic = d->basic[p];
        d->basic[p] = d->other[k];
        d->other[k] = basic;
        d->steps++;
    }
    weir_block_sync();
}

/* By one thread. */
WEIR_DEV void steal_end(struct steal *d)
{
    const uint32_t n = d->count;
    for (uint32_t i = 0; i < n; i++) {
        d->price[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            d->share[i][j] = 0;
    }
    for (uint32_t r = 0; r < d->rows; r++)
        if (d->basic[r] < n * n)
            d->share[d->basic[r] / n][d->basic[r] % n] = d->at[r][d->columns];
    for (uint32_t k = 0; k < d->columns; k++)
        if (d->other[k] >= n * n)
            d->price[d->other[k] - n * n] = d->at[d->objective][k];
    d->longest = d->at[d->objective][d->columns];
}

/** Decide: count, work and cost are set. All threads of a block, with a weir_block_sync() in front. */
WEIR_DEV void steal_solve(struct steal *d, uint32_t thread, uint32_t threads)
{
    double largest = 0;
    for (uint32_t i = 0; i < d->count * d->count; i++) {
        const double cost = d->cost[i / d->count][i % d->count];
        largest = cost > largest ? cost : largest;
    }
    if (thread == 0)
        steal_begin(d);
    WEIR_ROLLED
    for (;;) {
        if (thread == 0)
            steal_choose(d, STEAL_ROUNDED * largest);
        weir_block_sync();
        if (d->leave == STEAL_NONE)
            break;
        steal_pivot(d, thread, threads);
    }
    if (thread == 0)
        steal_end(d);
    weir_block_sync();
}

/** Whole units of what a device has, from what it was decided that each does of it: they add up to @p units.
 *  @param[out] units_out  by worker. By one thread. */
WEIR_DEV void steal_round(const struct steal *d, uint32_t owner, uint64_t units,
                          uint64_t *units_out)
{
    double upto = 0, all = 0;
    uint64_t given = 0;
    for (uint32_t j = 0; j < d->count; j++)
        all += d->share[owner][j];
    for (uint32_t j = 0; j < d->count; j++) {
        upto += d->share[owner][j];
        const uint64_t until =
            j + 1 == d->count || upto >= all ? units : (uint64_t)(upto / all * (double)units);
        units_out[j] = until > given ? until - given : 0;
        given += units_out[j];
    }
}

/** Cut a list of entries by what its chunks come to. Workers get whole chunks, the owner the first ones.
 *  @param[in] chunk    units of chunk c: entries begin + c * each and on, @p each of them or what is left.
 *  @param[in] unit, entry  what a unit weighs, and an entry beside its units.
 *  @param[in] weight   by worker, of steal_round(): how much of what all entries weigh.
 *  @param[out] cuts    by worker. By one thread. */
WEIR_DEV void steal_cut_list(const uint64_t *chunk, uint32_t begin, uint32_t end, uint32_t each,
                             uint32_t unit, uint32_t entry, const uint64_t *weight, uint32_t owner,
                             uint32_t count, struct steal_cut *cuts)
{
    uint64_t upto = 0, target = 0, units = 0;
    uint32_t at = begin, c = 0;
    WEIR_ROLLED
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t j = (owner + k) % count;
        const uint64_t before = units;
        const uint32_t from = at;
        target += weight[j];
        while (at < end) {
            const uint32_t entries = end - at > each ? each : end - at;
            const uint64_t its = chunk[c] * unit + (uint64_t)entry * entries;
            /* A chunk is taken if most of it lies before the target; the last worker takes what is left. */
            if (k + 1 < count && 2 * target <= 2 * upto + its)
                break;
            upto += its;
            units += chunk[c++];
            at += entries;
        }
        cuts[j].begin = from;
        cuts[j].end = at;
        cuts[j].units = units - before;
    }
}

#endif
