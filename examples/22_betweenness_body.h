/** @file 22_betweenness_body.h  Betweenness centrality: on how many shortest paths from a source each vertex lies (Brandes 2001).
 *
 * Forward, level by level: what the frontier's arcs lead to for the first time is the next level, and the number of shortest paths to
 * each of its vertices is the sum over the neighbours one level nearer. Back, from the last level to the first: a vertex carries, for
 * each neighbour one level further, its share of the paths there times one more than what that one carries. Both sums are made
 * by the vertex itself, from copies of all values that every device has, so nothing is added with atomics and every run gives the same. */
#ifndef WEIR_EXAMPLES_22_BETWEENNESS_BODY_H
#define WEIR_EXAMPLES_22_BETWEENNESS_BODY_H

#include <weir/algorithms/rows.h>
#include <weir/worklist/steps.h>

#define BC_NONE UINT32_MAX
enum { BC_LEVELS = 0 }; /* result */

struct bc_args {
    struct weir_steps_member member;
    weir_rows_part rows;
    uint32_t *level[WEIR_DEVICES_MAX];   /* of each device: by number; BC_NONE: not reached */
    double *paths[WEIR_DEVICES_MAX];     /* shortest ones from the source */
    double *carried[WEIR_DEVICES_MAX];   /* by each vertex, of paths that end behind it */
    double *sum;                         /* by row: what it carried in all runs so far */
    struct weir_steps_frontier frontier; /* rows that were reached, level by level */
    uint32_t *ends;                      /* where each level ends in the queue */
    uint32_t source;
    uint32_t afresh; /* sums begin with 0 */
};

struct bc_shared {
    struct weir_steps_frontier_block frontier;
};

/* Whether nobody on this device has reached the vertex with this level yet; it is then. */
WEIR_DEV int bc_first(uint32_t *place, uint32_t level)
{
    return weir_load_relaxed_dev_u32(place) == BC_NONE &&
           weir_atomic_compare_swap_relaxed_dev_u32(place, BC_NONE, level) == BC_NONE;
}

/* A vertex of this device is reached: the first one to say so puts it into the queue, and tells all devices. */
WEIR_DEV void bc_reach(const struct bc_args *a, struct weir_steps_front *front, uint32_t number,
                       uint32_t level)
{
    const struct weir_steps_member *m = &a->member;
    if (!bc_first(&a->level[m->index][number], level))
        return;
    for (uint32_t d = 0; d < m->count; d++)
        if (d != m->index)
            weir_store_relaxed_sys_u32(&a->level[d][number], level);
    weir_steps_frontier_put(front, number - a->rows.begin);
}

/* The arcs of the frontier, a worker for each row: of a vertex of another device the first lane that sees it tells the owner. */
WEIR_DEV void bc_expand(const struct bc_args *a, struct weir_steps_front *front,
                        const struct weir_steps_block *b, uint32_t level)
{
    const uint32_t me = a->member.index;
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    for (uint64_t i = front->begin + weir_steps_warp(b); i < front->end; i += workers) {
        const uint32_t row = a->frontier.queue[i];
        const uint64_t first = a->rows.out.offsets[row], last = a->rows.out.offsets[row + 1];
        for (uint64_t base = first; base < last; base += WEIR_LANES) {
            uint32_t number, owner;
            owner = weir_rows_far_end(&a->rows, base + weir_lane(), last, &number);
            if (owner == me)
                bc_reach(a, front, number, level);
            else if (owner != BC_NONE && !bc_first(&a->level[me][number], level))
                owner = BC_NONE;
            weir_steps_frontier_tell(front, owner, number);
        }
    }
}

/* Sums over the neighbours of rows begin to end - 1 of the queue, by a worker each: of the paths to those one level nearer; or, on the
 * way back, of what those one level further bring. */
WEIR_DEV void bc_pull(const struct bc_args *a, const struct weir_steps_block *b, uint32_t begin,
                      uint32_t end, uint32_t level, int back)
{
    const uint32_t me = a->member.index, *levels = a->level[me];
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    const double *paths = a->paths[me], *carried = a->carried[me];
    for (uint64_t i = begin + weir_steps_warp(b); i < end; i += workers) {
        const uint32_t row = a->frontier.queue[i], number = a->rows.begin + row;
        double sum = 0;
        for (uint64_t arc = a->rows.out.offsets[row] + weir_lane();
             arc < a->rows.out.offsets[row + 1]; arc += WEIR_LANES) {
            const uint32_t other = a->rows.out.targets[arc];
            if (levels[other] == (back ? level + 1 : level - 1))
                sum += back ? (1 + carried[other]) / paths[other] : paths[other];
        }
        sum = weir_group_sum_f64(sum, WEIR_LANES);
        if (back)
            sum *= paths[number];
        for (uint32_t d = weir_lane(); d < a->member.count; d += WEIR_LANES)
            (back ? a->carried : a->paths)[d][number] = sum;
        if (back && weir_lane() == 0 && number != a->source)
            a->sum[row] += sum;
    }
}

/* From one level to the next. */
WEIR_DEV uint32_t bc_forward(const struct bc_args *a, struct weir_steps_front *front,
                             const struct weir_steps_block *b, uint32_t level)
{
    uint32_t number;
    weir_steps_frontier_next(front);
    bc_expand(a, front, b, level);
    uint32_t stop = weir_steps_frontier_sync(front);
    if (!stop && front->told) {
        weir_steps_frontier_open(front);
        while (weir_steps_frontier_heard(front, &number))
            bc_reach(a, front, number, level);
        stop = weir_steps_frontier_sync(front);
    }
    if (stop)
        return stop;
    bc_pull(a, b, front->end, front->queued, level, 0);
    if (b->block == 0 && b->thread == 0)
        a->ends[level] = front->queued;
    return weir_steps_frontier_sync(front);
}

/* Sums begin afresh, and the source alone is reached. */
WEIR_DEV void bc_begin(const struct bc_args *a, struct weir_steps_front *front,
                       const struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    for (uint64_t row = weir_steps_thread(b); a->afresh && row < a->rows.owned;
         row += weir_steps_threads(b))
        a->sum[row] = 0;
    if (b->block || b->thread)
        return;
    a->ends[0] = weir_steps_owner(a->rows.first, a->source) == m->index;
    if (a->ends[0]) {
        bc_reach(a, front, a->source, 0);
        for (uint32_t d = 0; d < m->count; d++)
            a->paths[d][a->source] = 1;
    }
}

WEIR_DEV void bc_body(const struct bc_args *a, struct bc_shared *shared, struct weir_steps_block *b)
{
    struct weir_steps_front front;
    uint32_t level = 0;
    weir_steps_frontier_begin(&front, &a->member, b, &a->frontier, &shared->frontier);
    bc_begin(a, &front, b);
    if (weir_steps_frontier_sync(&front))
        return;
    while (front.found)
        if (bc_forward(a, &front, b, ++level))
            return;
    for (uint32_t back = level; back-- > 0;) {
        bc_pull(a, b, back ? a->ends[back - 1] : 0, a->ends[back], back, 1);
        if (weir_steps_frontier_sync(&front))
            return;
    }
    if (b->block == 0 && b->thread == 0)
        weir_steps_mine(&a->member)->result[BC_LEVELS] = level;
}

#endif
