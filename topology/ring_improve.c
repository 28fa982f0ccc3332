/** @file ring_improve.c  A good ring of many devices, by local search.
 *
 * Two starts are tried, the devices in order and a walk that always goes on to the nearest
 * device; the better one is improved by reversing parts of it (2-opt) and by moving single
 * devices (or-opt), until no such step makes it better or enough have been tried. Nothing is
 * left to chance: the same machine gives the same ring. */
#include "topology/ring.h"

#include <string.h>

#define SUMS_MAX  4000   /* the slow part of a judgement, tens of microseconds for 64 devices */
#define TRIES_MAX 200000 /* the fast part, one microsecond */

struct climb {
    struct weir__ring_judge *judge;
    struct weir__ring_worth worth;
    uint32_t sums, tries;
    uint8_t order[WEIR_DEVICES_MAX], other[WEIR_DEVICES_MAX];
};

static void in_order(uint32_t n, uint8_t *order_out)
{
    for (uint32_t i = 0; i < n; i++)
        order_out[i] = (uint8_t)i;
}

/* Reaching, wide, near by hops, near by latency, low by number: in that order. */
static int is_nearer(const weir_machine *machine, uint32_t from, uint32_t a, uint32_t b)
{
    const weir_cost *to_a = weir__cost(machine, from, a), *to_b = weir__cost(machine, from, b);
    if (to_a->staged != to_b->staged)
        return to_a->staged < to_b->staged;
    if (to_a->bandwidth_gbs > to_b->bandwidth_gbs || to_a->bandwidth_gbs < to_b->bandwidth_gbs)
        return to_a->bandwidth_gbs > to_b->bandwidth_gbs;
    if (to_a->hop_count != to_b->hop_count)
        return to_a->hop_count < to_b->hop_count;
    return to_a->latency_us < to_b->latency_us;
}

static void to_the_nearest(const weir_machine *machine, uint8_t *order_out)
{
    uint8_t used[WEIR_DEVICES_MAX] = {1};
    uint32_t n = machine->devices;
    order_out[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t from = order_out[i - 1], best = n;
        for (uint32_t to = 0; to < n; to++)
            if (!used[to] && (best == n || is_nearer(machine, from, to, best)))
                best = to;
        order_out[i] = (uint8_t)best;
        used[best] = 1;
    }
}

/* Go on from `other` if that is better. */
static int try_other(struct climb *climb)
{
    struct weir__ring_worth worth = weir__ring_judge_least(climb->judge, climb->other);
    climb->tries++;
    if (weir__ring_compare(&worth, &climb->worth) <= 0) /* its sum is taken for infinite */
        return 0;
    worth.sum_gbs = weir__ring_judge_sum(climb->judge, climb->other);
    climb->sums++;
    if (weir__ring_compare(&worth, &climb->worth) <= 0)
        return 0;
    climb->worth = worth;
    memcpy(climb->order, climb->other, climb->judge->n);
    return 1;
}

static int is_spent(const struct climb *climb)
{
    return climb->sums >= SUMS_MAX || climb->tries >= TRIES_MAX;
}

/* Order with the part from first to last reversed; device 0 stays in front. */
static int try_reversals(struct climb *climb)
{
    uint32_t n = climb->judge->n;
    int better = 0;
    for (uint32_t first = 1; first + 1 < n; first++)
        for (uint32_t last = first + 1; last < n && !is_spent(climb); last++) {
            memcpy(climb->other, climb->order, n);
            for (uint32_t i = first; i <= last; i++)
                climb->other[i] = climb->order[first + last - i];
            better |= try_other(climb);
        }
    return better;
}

static int try_moves(struct climb *climb)
{
    uint32_t n = climb->judge->n;
    int better = 0;
    for (uint32_t from = 1; from < n; from++)
        for (uint32_t to = 1; to < n && !is_spent(climb); to++) {
            uint8_t moved = climb->order[from];
            if (from == to)
                continue;
            memcpy(climb->other, climb->order, n);
            memmove(climb->other + from, climb->other + from + 1, n - from - 1);
            memmove(climb->other + to + 1, climb->other + to, n - to - 1);
            climb->other[to] = moved;
            better |= try_other(climb);
        }
    return better;
}

void weir__ring_improve(struct weir__ring_judge *judge, uint8_t *order_out)
{
    struct climb climb = {.judge = judge};
    int better = 1;
    in_order(judge->n, climb.order);
    climb.worth = weir__ring_judge_worth(judge, climb.order);
    to_the_nearest(judge->machine, climb.other);
    try_other(&climb);
    while (better && !is_spent(&climb)) {
        better = try_reversals(&climb);
        better |= try_moves(&climb);
    }
    memcpy(order_out, climb.order, judge->n);
}
