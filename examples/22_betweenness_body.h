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
enum bc_result { BC_REACHED = 0, BC_LEVELS };

struct bc_args {
    struct weir_steps_member member;
    weir_rows_part rows;
    uint32_t *level[WEIR_DEVICES_MAX]; /* of each device: by number; BC_NONE: not reached */
    double *paths[WEIR_DEVICES_MAX];   /* shortest ones from the source */
    double *carried[WEIR_DEVICES_MAX]; /* by each vertex, of paths that end behind it */
    double *sum;                       /* by row: what it carried in all runs so far */
    uint32_t *queue, *tail; /* rows that were reached, in the order of levels; how many */
    uint32_t *ends;         /* where each level ends in the queue */
    uint32_t *inbox[WEIR_DEVICES_MAX], *outbox[WEIR_DEVICES_MAX]; /* numbers that were reached */
    uint32_t source;
    uint32_t afresh; /* sums begin with 0 */
};

struct bc_shared {
    uint64_t put; /* rows put into the queue since the last barrier */
    struct weir_steps_inboxes inboxes;
};

/* The same in all threads of a device. */
struct bc_walk {
    uint32_t level;      /* of the frontier */
    uint32_t begin, end; /* where it lies in the queue of this device */
    uint64_t found, sent;
};

/* A vertex of this device is reached: the first one to say so puts it into the queue, and tells all devices. */
WEIR_DEV void bc_reach(const struct bc_args *a, struct bc_shared *shared, uint32_t number,
                       uint32_t level)
{
    const struct weir_steps_member *m = &a->member;
    if (weir_load_relaxed_dev_u32(&a->level[m->index][number]) != BC_NONE ||
        weir_atomic_compare_swap_relaxed_dev_u32(&a->level[m->index][number], BC_NONE, level) !=
            BC_NONE)
        return;
    for (uint32_t d = 0; d < m->count; d++)
        if (d != m->index)
            weir_store_relaxed_sys_u32(&a->level[d][number], level);
    a->queue[weir_atomic_add_relaxed_dev_u32(a->tail, 1)] = number - a->rows.begin;
    weir_atomic_add_block_u64(&shared->put, 1);
}

/* Lanes that see a vertex of another device for the first time tell its owner. All lanes of a worker. @return whether this one did. */
WEIR_DEV uint32_t bc_tell(const struct bc_args *a, uint32_t owner, uint32_t number, uint32_t level)
{
    uint32_t *own = &a->level[a->member.index][number];
    if (owner == a->member.index || owner == BC_NONE || weir_load_relaxed_dev_u32(own) != BC_NONE ||
        weir_atomic_compare_swap_relaxed_dev_u32(own, BC_NONE, level) != BC_NONE)
        owner = BC_NONE;
    const uint64_t at = weir_steps_send_to(&a->member, owner);
    if (owner == BC_NONE)
        return 0;
    a->outbox[owner][at] = number;
    return 1;
}

/* A worker for each row of the frontier. @return items that this thread sent. */
WEIR_DEV uint64_t bc_expand(const struct bc_args *a, struct bc_shared *shared,
                            const struct weir_steps_block *b, const struct bc_walk *w)
{
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    uint64_t sent = 0;
    for (uint64_t i = w->begin + weir_steps_warp(b); i < w->end; i += workers) {
        const uint64_t *bounds = a->rows.out.offsets + a->queue[i];
        for (uint64_t base = bounds[0]; base < bounds[1]; base += WEIR_LANES) {
            const uint64_t arc = base + weir_lane();
            const uint32_t number = arc < bounds[1] ? a->rows.out.targets[arc] : 0;
            const uint32_t owner =
                arc < bounds[1] ? weir_steps_owner(a->rows.first, number) : BC_NONE;
            if (owner == a->member.index)
                bc_reach(a, shared, number, w->level + 1);
            if (a->member.count > 1)
                sent += bc_tell(a, owner, number, w->level + 1);
        }
    }
    return sent;
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
        const uint32_t row = a->queue[i], number = a->rows.begin + row;
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

/* A barrier. @param[in] sent  by this thread. @return non-zero: the run was stopped. */
WEIR_DEV uint32_t bc_barrier(const struct bc_args *a, struct bc_shared *shared,
                             struct weir_steps_block *b, struct bc_walk *w, uint64_t sent)
{
    const struct weir_steps_member *m = &a->member;
    uint64_t total[WEIR_STEPS_SUMS];
    if (sent)
        weir_steps_add(m, b, 1, sent);
    const uint32_t stop = weir_steps_sync(m, b, b->blocks, &shared->put, 1, total);
    w->end += (uint32_t)(m->count > 1 ? weir_steps_own(m, b) : total[0]);
    w->found += total[0];
    w->sent = total[1];
    return stop;
}

/* From one level to the next. */
WEIR_DEV uint32_t bc_forward(const struct bc_args *a, struct bc_shared *shared,
                             struct weir_steps_block *b, struct bc_walk *w)
{
    struct bc_walk next = {w->level + 1, w->end, w->end, 0, 0};
    uint32_t stop = bc_barrier(a, shared, b, &next, bc_expand(a, shared, b, w));
    if (!stop && next.sent) {
        const struct weir_steps_inboxes *inboxes = &shared->inboxes;
        weir_steps_open(&a->member, b, &shared->inboxes);
        for (uint32_t d = 0; d < a->member.count; d++)
            for (uint64_t i = inboxes->first[d] + weir_steps_thread(b); i < inboxes->end[d];
                 i += weir_steps_threads(b))
                bc_reach(a, shared, a->inbox[d][i], next.level);
        stop = bc_barrier(a, shared, b, &next, 0);
        if (b->block == 0)
            weir_steps_close(&a->member, b, &shared->inboxes);
    }
    if (stop)
        return stop;
    bc_pull(a, b, next.begin, next.end, next.level, 0);
    if (b->block == 0 && b->thread == 0)
        a->ends[next.level] = next.end;
    *w = next;
    next.found = 0;
    return bc_barrier(a, shared, b, &next, 0);
}

WEIR_DEV void bc_body(const struct bc_args *a, struct bc_shared *shared, struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    struct bc_walk w = {0, 0, 0, 0, 0};
    if (b->thread == 0)
        shared->put = 0;
    weir_block_sync();
    for (uint64_t row = weir_steps_thread(b); a->afresh && row < a->rows.owned;
         row += weir_steps_threads(b))
        a->sum[row] = 0;
    if (b->block == 0 && b->thread == 0) {
        a->ends[0] = 0;
        if (weir_steps_owner(a->rows.first, a->source) == m->index) {
            bc_reach(a, shared, a->source, 0);
            for (uint32_t d = 0; d < m->count; d++)
                a->paths[d][a->source] = 1;
            a->ends[0] = 1;
        }
    }
    if (bc_barrier(a, shared, b, &w, 0))
        return;
    while (w.found)
        if (bc_forward(a, shared, b, &w))
            return;
    for (uint32_t level = w.level; level-- > 0;) {
        bc_pull(a, b, level ? a->ends[level - 1] : 0, a->ends[level], level, 1);
        if (bc_barrier(a, shared, b, &w, 0))
            return;
    }
    if (b->block == 0 && b->thread == 0) {
        weir_steps_mine(m)->result[BC_REACHED] = w.end;
        weir_steps_mine(m)->result[BC_LEVELS] = w.level;
    }
}

#endif
