/** @file sssp_step_push.h  Shortest paths in step: a push. Rows that have changed, or may go on, relax arcs.
 *
 * From a stamp to the far ends of a row's arcs there are some ten accesses, each of which waits for the one before,
 * and few rows of a stamp have changed. So a worker first collects changed rows from several *tasks*, and then follows
 * that chain with a row in each lane. A task is the rows of a stamp or, where rows have many arcs, some of them; a thread of a host device collects 64 rows. A lane
 * begins alone, since most rows have few arcs that are light enough. Rows that have more get a squad of lanes each. What is
 * left even then goes on a list that all workers of the device share in the next iteration, so that no hub holds up the
 * others: nearly half of the workers' time was waiting for the slowest one while rows of up to 264 arcs were gone along. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_PUSH_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_PUSH_H

#include "algorithms/sssp/sssp_step_relax.h"

/** Rows of a task among the hubs. */
#define SSSP_STEP_FEW (WEIR_LANES < 4 ? WEIR_LANES : 4)

WEIR_DEV uint32_t sssp_step_tasks(const struct sssp_step_args *a)
{
    return a->hubs / SSSP_STEP_FEW + (a->busy - a->hubs + WEIR_LANES - 1) / WEIR_LANES;
}

/** The first row of a task; all its rows have one stamp. */
WEIR_DEV uint32_t sssp_step_first(const struct sssp_step_args *a, uint32_t task)
{
    const uint32_t few = a->hubs / SSSP_STEP_FEW;
    return task < few ? task * SSSP_STEP_FEW : a->hubs + (task - few) * WEIR_LANES;
}

/** The row of this lane in a task; `busy` or more: none. */
WEIR_DEV uint32_t sssp_step_row(const struct sssp_step_args *a, uint32_t task)
{
    const uint32_t lane = weir_lane(), first = sssp_step_first(a, task);
    return first < a->hubs && lane >= SSSP_STEP_FEW ? a->busy : first + lane;
}

/** A row in a push. */
struct sssp_step_pusher {
    uint64_t begin; /* its first arc */
    struct sssp_step_range range;
};

/** The distance that a row has passed on, from its mark; NONE: nothing in this run. */
WEIR_DEV uint32_t sssp_step_done(uint32_t zero, uint32_t mark)
{
    return mark < zero ? SSSP_STEP_NONE : mark - zero;
}

/** Whether the step before was a pull that lowered this row. A cursor that a run before left may say so of another row, too, which is then
 *  pushed for nothing. */
WEIR_DEV int sssp_step_pulled(const struct sssp_step_args *a, uint32_t which, uint32_t row)
{
    return (which & SSSP_STEP_PULLED) && a->cursor[row] == which;
}

/** Find out what a row has to relax. A row whose distance fell in a push is taken before the run is over, unless it is FAR,
 *  so rows that no pull has counted as reached are counted here. @return 0: nothing. */
WEIR_DEV uint32_t sssp_step_take(const struct sssp_step_relaxer *r, uint32_t which, uint32_t limit,
                                 uint32_t row, struct sssp_step_pusher *p,
                                 struct sssp_step_found *found)
{
    const struct sssp_step_args *a = r->a;
    const uint32_t zero = a->zero;
    const uint32_t distance =
        weir_load_relaxed_dev_u32(&a->tent[a->member.index][a->part.begin + row]);
    const uint32_t mark = a->done[row], done = sssp_step_done(zero, mark);
    const int pulled = sssp_step_pulled(a, which, row);
    /* One that was not reached is not below any limit. */
    if (distance >= limit || (distance >= done && which != SSSP_STEP_ALL && !pulled))
        return 0;
    const uint64_t end = a->part.out.offsets[row + 1];
    const uint32_t before = done == SSSP_STEP_NONE || pulled ? 0 : a->cursor[row];
    const int goes_on = distance >= done && !pulled; /* from where it stopped */
    p->begin = a->part.out.offsets[row];
    p->range.at = p->begin + (goes_on ? before : 0);
    p->range.end = end;
    p->range.distance = distance;
    p->range.last = limit == SSSP_U32_FAR ? UINT32_MAX : limit - 1 - distance;
    if (goes_on && p->range.at >= end)
        return 0;
    found->sum[1] += before; /* sssp_step_leave() takes the new cursor away */
    if (goes_on)
        return 1;
    sssp_step_mark(a, r->shared, zero, row, distance);
    if (mark < zero - 1) {
        const uint64_t *in = a->part.in.offsets;
        found->sum[0] += in[row + 1] - in[row];
        found->sum[1] += end - p->begin;
        found->arcs += end - p->begin;
        found->reached++;
    }
    return 1;
}

#define SSSP_STEP_WIDTH (WEIR_LANES < SSSP_STEP_SQUAD ? WEIR_LANES : SSSP_STEP_SQUAD)

/** The lane whose bit comes behind `skip` others in a mask; WEIR_LANES: none. */
WEIR_DEV uint32_t sssp_step_pick(uint32_t mask, uint32_t skip)
{
    for (uint32_t k = 0; k < WEIR_LANES / SSSP_STEP_WIDTH; k++)
        if (k < skip)
            mask &= mask - 1;
    return mask ? weir_first_bit_u32(mask) : WEIR_LANES;
}

/** A sum over the lanes of each squad of a number from 0 to SSSP_STEP_BATCH, below 8. */
WEIR_DEV uint32_t sssp_step_squad_sum(uint32_t count)
{
    const uint32_t first = weir_lane() / SSSP_STEP_WIDTH * SSSP_STEP_WIDTH;
    const uint32_t squad = ((1u << SSSP_STEP_WIDTH) - 1) << first;
    return weir_popcount_u32(weir_ballot((int)(count & 1u)) & squad) +
           2 * weir_popcount_u32(weir_ballot((int)(count & 2u)) & squad) +
           4 * weir_popcount_u32(weir_ballot((int)(count & 4u)) & squad);
}

/** Each squad of lanes relaxes the range of one lane at a time, for lanes that are not through yet: mostly little is
 *  left. @return whether more may have to be relaxed even then. */
WEIR_DEV uint32_t sssp_step_squads(struct sssp_step_relaxer *r, uint32_t more,
                                   struct sssp_step_range *mine, struct sssp_step_found *found)
{
    const uint32_t squad = weir_lane() / SSSP_STEP_WIDTH, member = weir_lane() % SSSP_STEP_WIDTH;
    uint32_t who = weir_ballot((int)more);
    WEIR_ROLLED
    while (who) {
        const uint32_t lane = sssp_step_pick(who, squad), from = lane % WEIR_LANES;
        const uint32_t rank = weir_popcount_u32(who & ((1u << weir_lane()) - 1));
        const int served = (who >> weir_lane() & 1u) && rank < WEIR_LANES / SSSP_STEP_WIDTH;
        struct sssp_step_range range;
        range.at = weir_broadcast_u64(mine->at, from);
        range.end = weir_broadcast_u64(mine->end, from);
        range.distance = weir_broadcast_u32(mine->distance, from);
        range.last = weir_broadcast_u32(mine->last, from);
        uint32_t on = lane < WEIR_LANES;
        WEIR_ROLLED
        for (uint32_t i = 0; i < SSSP_STEP_ROUNDS && weir_ballot((int)on); i++) {
            const uint32_t count = sssp_step_squad_sum(sssp_step_batch(
                r, &range, on ? range.at + member : range.end, SSSP_STEP_WIDTH, 0, found));
            range.at += count;
            on = count == SSSP_STEP_BATCH * SSSP_STEP_WIDTH && range.at < range.end;
        }
        /* The lane that has the row gets back where its squad is; one that is not served asks lane 0. */
        const uint32_t back = served ? rank * SSSP_STEP_WIDTH : 0;
        const uint64_t stopped = weir_broadcast_u64(range.at, back);
        const uint32_t still = weir_broadcast_u32(on, back);
        if (served) {
            mine->at = stopped;
            more = still;
        }
        who &= ~weir_ballot(served);
    }
    return more;
}

/** What is left even then goes on the list of the next iteration, one lane's range after the other. */
WEIR_DEV void sssp_step_rest(struct sssp_step_relaxer *r, uint32_t more,
                             struct sssp_step_range *mine, struct sssp_step_found *found)
{
    uint32_t who = weir_ballot((int)(more && mine->at < mine->end));
    WEIR_ROLLED
    while (who) {
        const uint32_t lane = weir_first_bit_u32(who);
        who &= who - 1;
        const uint64_t from = weir_broadcast_u64(mine->at, lane);
        const uint64_t end = sssp_step_cut(
            r->a, r->iteration, from, weir_broadcast_u64(mine->end, lane),
            weir_broadcast_u32(mine->distance, lane), weir_broadcast_u32(mine->last, lane));
        if (weir_lane() == 0) /* counted, so that there is a next iteration */
            found->changed += sssp_step_pieces_of(end - from);
#if SSSP_STEALS
        if (weir_lane() == 0)
            weir_atomic_add_block_u64(&r->shared->listed, end - from);
#endif
        if (weir_lane() == lane)
            mine->at = end;
    }
}

/** Keep where a row stopped, and the distance that it would give next. */
WEIR_DEV void sssp_step_leave(const struct sssp_step_args *a, uint32_t limit, uint32_t row,
                              const struct sssp_step_pusher *p, struct sssp_step_found *found)
{
    const uint32_t cursor = (uint32_t)(p->range.at - p->begin);
    a->cursor[row] = cursor;
    found->sum[1] -= cursor; /* may go below 0 and comes back in the sum */
    found->rows++;
    if (p->range.at < p->range.end && limit != SSSP_U32_FAR) {
        uint32_t next =
            sssp_step_add(p->range.distance, weir_rows_pair_weight(a->pairs.out[p->range.at]));
        found->low = next < found->low ? next : found->low;
    }
}

/** Each lane pushes its row; a row of `busy` or more is none. */
WEIR_DEV void sssp_step_push_rows(struct sssp_step_relaxer *r, uint32_t which, uint32_t limit,
                                  uint32_t row, struct sssp_step_found *found)
{
    struct sssp_step_pusher p = {0, {0, 0, 0, 0}};
    const uint32_t active = row < r->a->busy && sssp_step_take(r, which, limit, row, &p, found);
    if (!active)
        p.range.at = p.range.end;
    uint32_t more = sssp_step_alone(r, &p.range, found);
    more = sssp_step_squads(r, more, &p.range, found);
    sssp_step_rest(r, more, &p.range, found);
    if (active)
        sssp_step_leave(r->a, limit, row, &p, found);
}

/** The tasks of a push. A thread of a host device, which has no other lanes, has all rows of a stamp for a task, and goes along them: it would
 *  look at each stamp once for every row otherwise. */
WEIR_DEV uint32_t sssp_step_push_tasks(const struct sssp_step_args *a)
{
    return WEIR_LANES == 1 ? (a->busy + SSSP_STEP_FLAGGED - 1) / SSSP_STEP_FLAGGED
                           : sssp_step_tasks(a);
}

/** The first row of one; all its rows have one stamp. */
WEIR_DEV uint32_t sssp_step_push_first(const struct sssp_step_args *a, uint32_t task)
{
    return WEIR_LANES == 1 ? task * SSSP_STEP_FLAGGED : sssp_step_first(a, task);
}

/** The row of this lane in the task, or on a host device the row of the task, that is bit @p which of what sssp_step_wanted() found. */
WEIR_DEV uint32_t sssp_step_push_row(const struct sssp_step_args *a,
                                     const struct sssp_step_worker *worker, uint32_t round,
                                     uint32_t which)
{
    return WEIR_LANES == 1 ? round * SSSP_STEP_FLAGGED + which
                           : sssp_step_row(a, round + which * worker->count);
}

/** Find the tasks of a round that may have something to push: each lane looks at the stamp of one. @return a bit for each; on a host
 *  device, where a round is one task, a bit for each of its rows. */
WEIR_DEV uint32_t sssp_step_wanted(const struct sssp_step_relaxer *r,
                                   const struct sssp_step_worker *worker, uint32_t which,
                                   uint32_t base, uint32_t tasks)
{
    const uint32_t mine = base + weir_lane() * worker->count;
    int wanted = mine < tasks;
    if (wanted && which != SSSP_STEP_ALL)
        wanted =
            weir_load_relaxed_dev_u32(
                &r->stamp[sssp_step_stamp(sssp_step_push_first(r->a, mine), worker->iteration)]) ==
            worker->iteration;
    return WEIR_LANES == 1 ? (wanted ? UINT32_MAX : 0) : weir_ballot(wanted);
}

/** Put rows of up to SSSP_STEP_ABREAST tasks of a round on the list. Few rows of a stamp have changed, and the chain of
 *  accesses from a row to its far ends is long, so a worker fills all its lanes with rows before it follows that chain.
 *  All lanes of a worker.
 *  @param[in,out] who  what is left of what sssp_step_wanted() found.  @return how many rows are on the list. */
WEIR_DEV uint32_t sssp_step_gather(const struct sssp_step_relaxer *r,
                                   const struct sssp_step_worker *worker, uint32_t which,
                                   uint32_t limit, uint32_t round, uint32_t *who, uint32_t *list,
                                   uint32_t count)
{
    const struct sssp_step_args *a = r->a;
    const uint32_t zero = a->zero; /* once for all these rows: no register is free for it */
    uint32_t row[SSSP_STEP_ABREAST], distance[SSSP_STEP_ABREAST], mark[SSSP_STEP_ABREAST];
    int again[SSSP_STEP_ABREAST];
    for (uint32_t k = 0; k < SSSP_STEP_ABREAST; k++) {
        row[k] = a->busy;
        if (*who) {
            row[k] = sssp_step_push_row(a, worker, round, weir_first_bit_u32(*who));
            *who &= *who - 1;
        }
        distance[k] = mark[k] = SSSP_STEP_NONE;
        again[k] = 0;
        if (row[k] < a->busy) {
            distance[k] = weir_load_relaxed_dev_u32(&r->tent[a->part.begin + row[k]]);
            mark[k] = a->done[row[k]];
            again[k] = sssp_step_pulled(a, which, row[k]);
        }
    }
    for (uint32_t k = 0; k < SSSP_STEP_ABREAST; k++) {
        const uint32_t done = sssp_step_done(zero, mark[k]);
        const int active =
            distance[k] < limit && (distance[k] < done || which == SSSP_STEP_ALL || again[k]);
        const uint32_t those = weir_ballot(active);
        if (WEIR_LANES == 1 && active) {
            weir_prefetch(&a->part.out.offsets[row[k]]);
            weir_prefetch(&a->cursor[row[k]]);
        }
        if (active)
            list[count + weir_popcount_u32(those & ((1u << weir_lane()) - 1))] = row[k];
        count += weir_popcount_u32(those);
    }
    weir_lanes_sync();
    return count;
}

/** All workers push. @param[in] which  rows: SSSP_STEP_CHANGED and so on, a constant where it can be.
 *  @param[in] shared_out  the pieces are relaxed already (sssp_steal.h); 0 in the kernel that does not share them out. */
WEIR_DEV void sssp_step_push_which(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                   const struct sssp_step_worker *worker, uint32_t which,
                                   uint32_t limit, int shared_out)
{
    struct sssp_step_found found = sssp_step_nothing();
    struct sssp_step_relaxer r = sssp_step_relaxer_of(a, shared, worker);
    const uint32_t tasks = sssp_step_push_tasks(a);
    uint32_t base = worker->index, who = 0, round = 0, count = 0;
    uint32_t *list = shared->list[worker->in_block];
    if (!shared_out)
        sssp_step_pieces(&r, worker, &found);
    WEIR_ROLLED
    for (;;) {
        WEIR_ROLLED
        while (count < SSSP_STEP_FULL && (who || base < tasks)) {
            if (!who) {
                round = base;
                who = sssp_step_wanted(&r, worker, which, round, tasks);
                base += worker->count * WEIR_LANES;
            }
            count = sssp_step_gather(&r, worker, which, limit, round, &who, list, count);
        }
        if (!count)
            break;
        const uint32_t take = count < WEIR_LANES ? count : WEIR_LANES;
        count -= take;
        const uint32_t row = weir_lane() < take ? list[count + weir_lane()] : a->busy;
        weir_lanes_sync(); /* before the places are used again */
        sssp_step_push_rows(&r, which, limit, row, &found);
    }
    if (r.waiting)
        sssp_step_send(a, shared, r.stage, r.waiting, r.iteration);
    sssp_step_flush(shared, &found, SSSP_STEP_LIGHT);
}

/** All workers push. */
WEIR_DEV void sssp_step_push(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             struct sssp_step_worker worker, uint32_t all, uint32_t limit,
                             int shared_out)
{
    sssp_step_push_which(a, shared, &worker, all ? SSSP_STEP_ALL : SSSP_STEP_CHANGED, limit,
                         shared_out);
}

/** The same behind a pull; a function of its own, so that all others have nothing of it. */
WEIR_DEV void sssp_step_push_pulled(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                    struct sssp_step_worker worker, int shared_out)
{
    sssp_step_push_which(a, shared, &worker, SSSP_STEP_PULLED | (worker.iteration - 1),
                         SSSP_U32_FAR, shared_out);
}

#endif
