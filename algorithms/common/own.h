/** @file own.h  How many devices a level deserves, and what each number of them would take: the ownership stealing of GUM (Meng and
 * others, ICDE 2023, Algorithm 2). In the dialect. Not installed.
 *
 * Devices leave in a fixed order, each to one that stays and takes over what it owns (`weir_reduction`), so there is one way to go on with m of n.
 * A level takes one device z + its work, and m devices z + p * m + what the one takes that has most. Where they may share out what they own
 * (steal.h), the most is that of the least linear program, at the price of two barriers more; it is taken where that is less. All n
 * numbers are tried, from all devices down, and of numbers that take equally long the smallest is best.
 *
 * Who takes over has the arcs as well, or a copy of them: what it does of its own costs cost[j][j], whoever owned it before.
 * Devices that are given the same decide the same, since they execute the same instructions in the same order. */
#ifndef WEIR_ALGORITHMS_COMMON_OWN_H
#define WEIR_ALGORITHMS_COMMON_OWN_H

#include "algorithms/common/steal.h"

/** A decision; words that the threads of a block share. All times are in the unit of `cost`. */
struct own {
    uint32_t count;             /* n */
    uint32_t shares;            /* whether those that stay may share out what they own */
    double level;               /* z */
    double barrier;             /* p */
    double work[STEAL_DEVICES]; /* of each device's level */
    double cost[STEAL_DEVICES][STEAL_DEVICES]; /* [owner][worker], as in steal.h */
    uint32_t leaves[STEAL_DEVICES];            /* leaves[0] goes first, leaves[n - 1] never */
    uint32_t taker[STEAL_DEVICES];             /* who takes over from a device that leaves */
    double takes[STEAL_DEVICES + 1];           /* out: takes[m], 1 to n */
    uint32_t shared[STEAL_DEVICES + 1];        /* out: whether it does so by sharing out */
    uint32_t best;                             /* out: m */
    double has[STEAL_DEVICES];                 /* what a device owns when m take part */
    struct steal steal;                        /* of those m */
};

/** Of m devices that stay the one of number @p k below m; number 0 never leaves. */
WEIR_DEV uint32_t own_stays(const struct own *d, uint32_t k)
{
    return d->leaves[d->count - 1 - k];
}

/* What the one of m takes that has most, as work lies. By one thread. */
WEIR_DEV double own_most(const struct own *d, uint32_t m)
{
    double most = 0;
    for (uint32_t k = 0; k < m; k++) {
        const uint32_t j = own_stays(d, k);
        const double takes = d->cost[j][j] * d->has[j];
        most = takes > most ? takes : most;
    }
    return most;
}

/* The question of steal.h of those m. By one thread. */
WEIR_DEV void own_ask(struct own *d, uint32_t m)
{
    d->steal.count = m;
    for (uint32_t i = 0; i < m; i++) {
        const uint32_t owner = own_stays(d, i);
        d->steal.work[i] = d->has[owner];
        for (uint32_t j = 0; j < m; j++)
            d->steal.cost[i][j] = d->cost[owner][own_stays(d, j)];
    }
}

/* What m devices take; by one thread, behind steal_solve() where they may share. */
WEIR_DEV void own_note(struct own *d, uint32_t m)
{
    const double together = m > 1 ? d->barrier * m : 0;
    double shared = 0;
    d->takes[m] = d->level + together + own_most(d, m);
    if (d->shares && m > 1)
        shared = d->level + 3 * together + d->steal.longest;
    d->shared[m] = shared > 0 && shared < d->takes[m];
    if (d->shared[m])
        d->takes[m] = shared;
    if (m == d->count || d->takes[m] <= d->takes[d->best])
        d->best = m;
}

/* One device fewer than m. By one thread. */
WEIR_DEV void own_leave(struct own *d, uint32_t m)
{
    const uint32_t leaver = d->leaves[d->count - m];
    d->has[d->taker[leaver]] += d->has[leaver];
    d->has[leaver] = 0;
}

/** Decide: all that is not out is set. All threads of a block, with a weir_block_sync() in front. */
WEIR_DEV void own_decide(struct own *d, uint32_t thread, uint32_t threads)
{
    if (thread == 0)
        for (uint32_t i = 0; i < d->count; i++)
            d->has[i] = d->work[i];
    WEIR_ROLLED
    for (uint32_t m = d->count; m > 0; m--) {
        if (thread == 0)
            own_ask(d, m);
        weir_block_sync();
        if (d->shares && m > 1)
            steal_solve(&d->steal, thread, threads);
        if (thread == 0)
            own_note(d, m);
        if (thread == 0 && m > 1)
            own_leave(d, m);
        weir_block_sync();
    }
}

#endif
