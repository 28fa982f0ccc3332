/** @file sssp_step_tree.h  Shortest paths in step: a parent for every vertex that was reached, when all distances are known.
 *
 * An arc is *tight* if its tail's distance and its weight make its head's. A row looks along its in-arcs in the order of weights for the
 * first that is tight, and stops where the weight alone is more than its distance; there is always one, unless it is the source. Weights
 * are above 0 where parents are wanted (sssp.c), so that a parent is nearer and a chain of them ends at the source: no circle of arcs of
 * weight 0 can hold itself. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_TREE_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_TREE_H

#include "algorithms/sssp/sssp_step_pull.h"

/** A row that looks for its parent. */
struct sssp_step_child {
    uint64_t at, end;  /* arcs */
    uint32_t distance; /* its own */
    uint32_t parent;   /* a number; SSSP_STEP_NONE: none is found yet */
};

/** Look along SSSP_STEP_BATCH arcs, each `stride` behind the one before, which are under way together.
 *  @return whether none behind them is to be looked at: one is tight, or the row ends, or weights are too large. */
WEIR_DEV int sssp_step_tight(const struct sssp_step_args *a, struct sssp_step_child *child,
                             uint64_t from, uint32_t stride, struct sssp_step_found *found)
{
    uint32_t weight[SSSP_STEP_BATCH], tail[SSSP_STEP_BATCH], known[SSSP_STEP_BATCH];
    const uint32_t *tent = a->tent[a->member.index];
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
        const uint64_t arc = from + (uint64_t)j * stride;
        const uint64_t none = weir_rows_pair(SSSP_STEP_NONE, 0);
        const uint64_t pair = arc < child->end ? a->pairs.in[arc] : none;
        weight[j] = weir_rows_pair_weight(pair);
        tail[j] = weir_rows_pair_target(pair);
    }
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
        const int may = weight[j] <= child->distance;
        known[j] = may ? weir_load_relaxed_dev_u32(&tent[tail[j]]) : 0;
        found->looks += may;
    }
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++)
        if (weight[j] <= child->distance && known[j] == child->distance - weight[j])
            child->parent = tail[j];
    return child->parent != SSSP_STEP_NONE || weight[SSSP_STEP_BATCH - 1] > child->distance;
}

/** All lanes together look along the arcs of rows that have many, one row after the other. */
WEIR_DEV void sssp_step_tight_together(const struct sssp_step_args *a, uint32_t more,
                                       struct sssp_step_child *mine, struct sssp_step_found *found)
{
    uint32_t who = weir_ballot((int)more);
    WEIR_ROLLED
    while (who) {
        const uint32_t lane = weir_first_bit_u32(who);
        struct sssp_step_child child;
        uint32_t over = 0;
        who &= who - 1;
        child.at = weir_broadcast_u64(mine->at, lane);
        child.end = weir_broadcast_u64(mine->end, lane);
        child.distance = weir_broadcast_u32(mine->distance, lane);
        child.parent = SSSP_STEP_NONE;
        WEIR_ROLLED
        while (!over) {
            over =
                weir_ballot(sssp_step_tight(a, &child, child.at + weir_lane(), WEIR_LANES, found));
            child.at += SSSP_STEP_BATCH * WEIR_LANES;
        }
        /* Any tight arc does: the smallest number of its tail, since NONE is above all of them. */
        child.parent = ~weir_max_u32(~child.parent);
        if (weir_lane() == lane)
            mine->parent = child.parent;
    }
}

/** All workers look for parents of their rows. */
WEIR_DEV void sssp_step_tree(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             struct sssp_step_worker worker)
{
    struct sssp_step_found found = sssp_step_nothing();
    const uint32_t groups = (a->busy + WEIR_LANES - 1) / WEIR_LANES;
    WEIR_ROLLED
    for (uint32_t group = worker.index; group < groups; group += worker.count) {
        const uint32_t row = group * WEIR_LANES + weir_lane(), number = a->part.begin + row;
        const int in = row < a->busy;
        struct sssp_step_child child;
        child.at = child.end = 0;
        child.distance =
            in ? weir_load_relaxed_dev_u32(&a->tent[a->member.index][number]) : SSSP_STEP_NONE;
        child.parent = in && number == a->source ? number : SSSP_STEP_NONE;
        uint32_t more = child.distance != SSSP_STEP_NONE && child.parent == SSSP_STEP_NONE;
        if (more) {
            child.at = a->part.in.offsets[row];
            child.end = a->part.in.offsets[row + 1];
        }
        const uint64_t alone = child.at + SSSP_STEP_ALONE;
        WEIR_ROLLED
        while (more && child.at < alone) {
            more = !sssp_step_tight(a, &child, child.at, 1, &found);
            child.at += SSSP_STEP_BATCH;
        }
        weir_lanes_sync();
        /* Where many lanes have more they go on side by side, as in a pull. */
        WEIR_ROLLED
        while (weir_popcount_u32(weir_ballot(more && child.at < alone + SSSP_STEP_BESIDE)) >=
               SSSP_STEP_MANY) {
            if (more) {
                more = !sssp_step_tight(a, &child, child.at, 1, &found);
                child.at += SSSP_STEP_BATCH;
            }
            weir_lanes_sync();
        }
        sssp_step_tight_together(a, more, &child, &found);
        if (in)
            a->parent[row] = child.parent;
    }
    sssp_step_flush(shared, &found, SSSP_STEP_PULL);
}

#endif
