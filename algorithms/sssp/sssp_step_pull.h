/** @file sssp_step_pull.h  Shortest paths in step: a pull, and the exchange before the first one.
 *
 * A row that is not settled looks along its in-arcs in the order of weights. What it can find behind an arc
 * of weight w is w + base at the least, so it stops where that is no less than what it has. Devices look at
 * their copies of the distances of others, and send theirs as they change, in whole lines. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_PULL_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_PULL_H

#include "algorithms/sssp/sssp_step_push.h"

/** A row in a pull. */
struct sssp_step_puller {
    uint64_t at, end; /* arcs; of a row whose first arcs are kept, first these two, as pairs */
    uint32_t best;    /* distance, so far */
    uint32_t row;
};

/** What a pull takes for granted; of sssp_step_at. */
struct sssp_step_bounds {
    uint32_t least, base;
};

/** Whether an arc of this weight can still bring something. */
WEIR_DEV int sssp_step_worth(const struct sssp_step_bounds *at, uint32_t best, uint32_t weight)
{
    /* A row that was not reached takes any; least >= base, so there is no going below 0. */
    return best == SSSP_STEP_NONE || (best > at->least && weight < best - at->base);
}

/** The distance of a row after a look along an arc. The far end may not be reached yet. */
WEIR_DEV uint32_t sssp_step_nearer(uint32_t best, uint32_t known, uint32_t weight)
{
    const uint32_t sum = sssp_step_add(known, weight);
    return known != SSSP_STEP_NONE && sum < best ? sum : best;
}

/** Some arcs of a row. */
struct sssp_step_arcs {
    uint32_t weight[SSSP_STEP_BATCH], target[SSSP_STEP_BATCH], in; /* how many there are */
    uint32_t known; /* the distance behind the first one, where the first arcs of rows are kept */
};

/** Ask for up to SSSP_STEP_BATCH arcs, each `stride` behind the one before, from `from` on. */
WEIR_DEV struct sssp_step_arcs sssp_step_ask(const struct sssp_step_args *a, uint64_t from,
                                             uint64_t end, uint32_t stride)
{
    struct sssp_step_arcs arcs;
    arcs.in = 0;
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
        const uint64_t arc = from + (uint64_t)j * stride;
        arcs.in += arc < end;
        const uint64_t pair = arc < end ? a->pairs.in[arc] : 0;
        arcs.weight[j] = weir_rows_pair_weight(pair);
        arcs.target[j] = weir_rows_pair_target(pair);
    }
    return arcs;
}

/** Look along arcs. The first one is looked at alone: mostly it makes the others too heavy.
 *  @return how many: fewer than SSSP_STEP_BATCH if the row ends, or what is worth looking at does. */
WEIR_DEV uint32_t sssp_step_look_along(const struct sssp_step_args *a,
                                       const struct sssp_step_bounds *at, uint32_t *best,
                                       const struct sssp_step_arcs *arcs,
                                       struct sssp_step_found *found)
{
    uint32_t known[SSSP_STEP_BATCH];
    const uint32_t *tent = a->tent[a->member.index];
    uint32_t count = arcs->in && sssp_step_worth(at, *best, arcs->weight[0]);
    if (!count)
        return 0;
    known[0] = weir_load_relaxed_dev_u32(&tent[arcs->target[0]]);
    *best = sssp_step_nearer(*best, known[0], arcs->weight[0]);
    for (uint32_t j = 1; j < SSSP_STEP_BATCH; j++)
        if (j < arcs->in && sssp_step_worth(at, *best, arcs->weight[j]))
            count = j + 1; /* weights ascend */
    for (uint32_t j = 1; j < SSSP_STEP_BATCH; j++)
        known[j] = j < count ? weir_load_relaxed_dev_u32(&tent[arcs->target[j]]) : SSSP_STEP_NONE;
    for (uint32_t j = 1; j < SSSP_STEP_BATCH; j++)
        *best = sssp_step_nearer(*best, known[j], arcs->weight[j]);
    found->looks += count;
    return count;
}

/** Look along up to SSSP_STEP_BATCH arcs of a row. */
WEIR_DEV uint32_t sssp_step_look(const struct sssp_step_args *a, const struct sssp_step_bounds *at,
                                 struct sssp_step_puller *p, uint64_t from, uint32_t stride,
                                 struct sssp_step_found *found)
{
    const struct sssp_step_arcs arcs = sssp_step_ask(a, from, p->end, stride);
    return sssp_step_look_along(a, at, &p->best, &arcs, found);
}

/** All lanes together look along the arcs of rows that have many, one row after the other. */
WEIR_DEV void sssp_step_look_together(const struct sssp_step_args *a,
                                      const struct sssp_step_bounds *at, uint32_t more,
                                      struct sssp_step_puller *mine, struct sssp_step_found *found)
{
    uint32_t who = weir_ballot((int)more);
    WEIR_ROLLED
    while (who) {
        const uint32_t lane = weir_first_bit_u32(who);
        struct sssp_step_puller p;
        uint32_t count = SSSP_STEP_BATCH * WEIR_LANES;
        who &= who - 1;
        p.at = weir_broadcast_u64(mine->at, lane);
        p.end = weir_broadcast_u64(mine->end, lane);
        p.best = weir_broadcast_u32(mine->best, lane);
        WEIR_ROLLED
        while (p.at < p.end && count == SSSP_STEP_BATCH * WEIR_LANES) {
            count = sssp_step_look(a, at, &p, p.at + weir_lane(), WEIR_LANES, found);
            /* Each lane stops by what it has found itself. Arcs that one lane leaves out are of no use to any. */
            count = weir_sum_u32(count);
            p.at += count;
            p.best = ~weir_max_u32(~p.best);
        }
        if (weir_lane() == lane)
            mine->best = p.best;
    }
}

/** The lanes of a worker send their rows to all other devices, if one of them has changed. */
WEIR_DEV void sssp_step_show(const struct sssp_step_args *a, uint32_t row, int in,
                             uint32_t distance, int changed, struct sssp_step_found *found)
{
    if (a->member.count == 1 || !weir_ballot(changed))
        return;
    const uint32_t values = weir_popcount_u32(weir_ballot(in));
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->member.count; d++) {
        if (d == a->member.index)
            continue;
        if (in)
            weir_store_relaxed_sys_u32(&a->tent[d][a->part.begin + row], distance);
    }
    found->values += weir_lane() == 0 ? values : 0;
}

/** Look along the first two arcs of a row, which are kept beside those of others. The second is looked at alone, too: most rows need
 *  neither it nor, then, where they lie. @return as sssp_step_look_along(), of two. */
WEIR_DEV uint32_t sssp_step_look_at_firsts(const struct sssp_step_args *a,
                                           const struct sssp_step_bounds *at, uint32_t *best,
                                           const struct sssp_step_arcs *arcs,
                                           struct sssp_step_found *found)
{
    if (!arcs->in || !sssp_step_worth(at, *best, arcs->weight[0]))
        return 0;
    *best = sssp_step_nearer(*best, arcs->known, arcs->weight[0]);
    found->looks++;
    if (arcs->in == 1 || !sssp_step_worth(at, *best, arcs->weight[1]))
        return 1;
    const uint32_t known = weir_load_relaxed_dev_u32(&a->tent[a->member.index][arcs->target[1]]);
    *best = sssp_step_nearer(*best, known, arcs->weight[1]);
    found->looks++;
    return 2;
}

/** Look along the first arcs of a row, those that were asked for beforehand. @return whether there may be more for it behind them, from
 *  p->at on. */
WEIR_DEV uint32_t sssp_step_look_first(const struct sssp_step_args *a, int kept,
                                       const struct sssp_step_bounds *at,
                                       struct sssp_step_puller *p,
                                       const struct sssp_step_arcs *arcs,
                                       struct sssp_step_found *found)
{
    uint32_t count;
    if (!kept) {
        count = sssp_step_look_along(a, at, &p->best, arcs, found);
        p->at += count;
        return count == SSSP_STEP_BATCH && p->at < p->end;
    }
    if (sssp_step_look_at_firsts(a, at, &p->best, arcs, found) < 2) {
        found->firsts++;
        return 0;
    }
    p->at = a->part.in.offsets[p->row] + 2;
    p->end = a->part.in.offsets[p->row + 1];
    return p->at < p->end;
}

/** Look for what a row that is not settled can have. @param[in] p  the row. @param[in] arcs  its first ones; none of one that is settled.
 *  @return its distance then. */
WEIR_DEV uint32_t sssp_step_seek(const struct sssp_step_args *a, int kept,
                                 const struct sssp_step_bounds *at, struct sssp_step_puller p,
                                 const struct sssp_step_arcs *arcs, struct sssp_step_found *found)
{
    uint32_t more = arcs->in && sssp_step_look_first(a, kept, at, &p, arcs, found);
    const uint64_t alone = p.at + SSSP_STEP_ALONE - SSSP_STEP_BATCH;
    WEIR_ROLLED
    while (more && p.at < alone) {
        uint32_t count = sssp_step_look(a, at, &p, p.at, 1, found);
        p.at += count;
        more = count == SSSP_STEP_BATCH && p.at < p.end;
    }
    weir_lanes_sync();
    /* Where many lanes have more they go on side by side: one row after the other would wait as often for each. */
    const uint64_t most = alone + SSSP_STEP_BESIDE;
    WEIR_ROLLED
    while (weir_popcount_u32(weir_ballot(more && p.at < most)) >= SSSP_STEP_MANY) {
        uint32_t count = 0;
        if (more && p.at < most) {
            count = sssp_step_look(a, at, &p, p.at, 1, found);
            p.at += count;
            more = count == SSSP_STEP_BATCH && p.at < p.end;
        }
        weir_lanes_sync();
    }
    sssp_step_look_together(a, at, more, &p, found);
    return p.best;
}

/** The rows that a pull looks at. */
struct sssp_step_rows {
    const uint32_t *list; /* NULL: all */
    uint32_t count;       /* on the list */
    uint32_t tasks;
};

/** The row of this lane in a task; `busy` or more: none. */
WEIR_DEV uint32_t sssp_step_pulled_row(const struct sssp_step_args *a,
                                       const struct sssp_step_rows *rows, uint32_t task)
{
    const uint32_t at = task * WEIR_LANES + weir_lane();
    if (!rows->list)
        return task < rows->tasks ? sssp_step_row(a, task) : a->busy;
    return task < rows->tasks && at < rows->count ? rows->list[at] : a->busy;
}

/** Ask for a row. Where there is none its distance is 0, which nothing can be nearer than. */
WEIR_DEV struct sssp_step_puller sssp_step_peek(const struct sssp_step_args *a, int kept,
                                                uint32_t row)
{
    struct sssp_step_puller p;
    const uint64_t *words = kept ? a->pairs.firsts + (uint64_t)2 * row : a->part.in.offsets + row;
    p.row = row;
    p.best = 0;
    p.at = p.end = 0;
    if (row < a->busy) {
        p.best = weir_load_relaxed_dev_u32(&a->tent[a->member.index][a->part.begin + row]);
        p.at = words[0];
        p.end = words[1];
    }
    return p;
}

/** Ask for the first arcs of a row, of which there are none if it is settled; or for the distance behind the first of those that are
 *  kept. */
WEIR_DEV struct sssp_step_arcs sssp_step_ask_first(const struct sssp_step_args *a, int kept,
                                                   const struct sssp_step_bounds *at,
                                                   const struct sssp_step_puller *p)
{
    struct sssp_step_arcs arcs;
    const int open = p->best > at->least;
    if (!kept)
        return sssp_step_ask(a, p->at, open ? p->end : p->at, 1);
    arcs.in = !open ? 0 : (p->at != WEIR_ROWS_NO_PAIR) + (p->end != WEIR_ROWS_NO_PAIR);
    arcs.weight[0] = weir_rows_pair_weight(p->at);
    arcs.target[0] = weir_rows_pair_target(p->at);
    arcs.weight[1] = weir_rows_pair_weight(p->end);
    arcs.target[1] = weir_rows_pair_target(p->end);
    arcs.known = SSSP_STEP_NONE;
    if (arcs.in && sssp_step_worth(at, p->best, arcs.weight[0]))
        arcs.known = weir_load_relaxed_dev_u32(&a->tent[a->member.index][arcs.target[0]]);
    return arcs;
}

/** How many arcs leave a row, which is not settled. In a symmetric graph they are those that come to it: a load less that is waited for. */
WEIR_DEV uint64_t sssp_step_leave_by(const struct sssp_step_args *a, int kept,
                                     const struct sssp_step_puller *p)
{
    if (!kept && a->pairs.in == a->pairs.out)
        return p->end - p->at;
    return a->part.out.offsets[p->row + 1] - a->part.out.offsets[p->row];
}

/** Keep what a row has found. It counts as passed on: by the next step if that is a pull, or a push, which knows it by its cursor. A row
 *  that had no distance before is counted as reached. @param[in] arcs  that leave it. */
WEIR_DEV void sssp_step_keep(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             uint32_t iteration, uint32_t row, uint32_t before, uint32_t distance,
                             uint64_t arcs, struct sssp_step_found *found)
{
    const uint32_t me = a->member.index;
    weir_store_relaxed_dev_u32(&a->tent[me][a->part.begin + row], distance);
    weir_store_relaxed_sys_u32(&a->stamp[me][sssp_step_stamp(row, iteration + 1)], iteration + 1);
    found->changed++;
    found->low = distance < found->low ? distance : found->low;
    found->sum[0] += arcs;
    sssp_step_count_far(shared, before, distance);
    if (distance < SSSP_U32_FAR) {
        sssp_step_mark(a, shared, a->zero, row, distance);
        a->cursor[row] = SSSP_STEP_PULLED | iteration;
    } else if (before == SSSP_STEP_NONE)
        a->done[row] = a->zero - 1; /* so that a push does not count it again */
    if (before == SSSP_STEP_NONE) {
        found->arcs += arcs;
        found->reached++;
    }
}

/** The list of the pull of an iteration. */
WEIR_DEV uint32_t *sssp_step_candidates(const struct sssp_step_args *a, uint32_t iteration)
{
    return a->candidate + (iteration % 2 ? a->candidates_most : 0);
}

/** Put a worker's candidates on the list of the next iteration; what has no room is counted. */
WEIR_COLD void sssp_step_list_candidates(const struct sssp_step_args *a, const uint32_t *row,
                                         uint32_t count, uint32_t iteration)
{
    uint32_t slot = 0;
    weir_lanes_sync();
    if (weir_lane() == 0)
        slot = weir_atomic_add_relaxed_dev_u32(&a->candidates[(iteration + 1) % SSSP_STEP_SLOTS],
                                               count);
    slot = weir_broadcast_u32(slot, 0);
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
        if (slot + i < a->candidates_most)
            sssp_step_candidates(a, iteration + 1)[slot + i] = row[i];
    weir_lanes_sync();
}

/** All workers pull rows. Those that may find something in the next pull, too, are its candidates. From a row to what lies behind its first
 *  arc are four accesses, each of which waits for the one before, and a row comes from a list, perhaps. So while a task is done the
 *  rows of the one after the next are under way, and the first arcs of the rows of the next that are not settled.
 *  @param[in] kept  1: the first arcs of rows are kept on the device. Then they come in place of where rows lie, and the distance behind the
 *                   first in place of the first arcs. A constant. */
WEIR_DEV void sssp_step_pull_rows(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                  const struct sssp_step_worker *worker,
                                  const struct sssp_step_bounds *at, struct sssp_step_rows rows,
                                  int kept)
{
    struct sssp_step_found found = sssp_step_nothing();
    uint32_t *list = shared->list[worker->in_block], candidates = 0;
    /* A distance that falls in this pull is no less than that afterwards: an arc lighter than the limit of the pushes was relaxed. */
    const uint32_t least = at->base ? at->base : at->least + 1;
    const struct sssp_step_bounds then = {least, least};
    uint32_t ahead = sssp_step_pulled_row(a, &rows, worker->index + 2 * worker->count);
    struct sssp_step_puller next =
        sssp_step_peek(a, kept, sssp_step_pulled_row(a, &rows, worker->index));
    struct sssp_step_puller later =
        sssp_step_peek(a, kept, sssp_step_pulled_row(a, &rows, worker->index + worker->count));
    struct sssp_step_arcs arcs = sssp_step_ask_first(a, kept, at, &next);
    WEIR_ROLLED
    for (uint32_t task = worker->index; task < rows.tasks; task += worker->count) {
        const struct sssp_step_puller mine = next;
        const struct sssp_step_arcs first = arcs;
        next = later;
        arcs = sssp_step_ask_first(a, kept, at, &next);
        later = sssp_step_peek(a, kept, ahead);
        ahead = sssp_step_pulled_row(a, &rows, task + 3 * worker->count);
        if (!weir_ballot(mine.best > at->least))
            continue;
        const uint32_t distance = sssp_step_seek(a, kept, at, mine, &first, &found);
        const int changed = distance < mine.best;
        if (mine.best > at->least) {
            if (!rows.list && mine.best < SSSP_U32_FAR) /* others look at that in this step */
                sssp_step_mark(a, shared, a->zero, mine.row, mine.best);
            found.rows++;
        }
        if (changed)
            sssp_step_keep(a, shared, worker->iteration, mine.row, mine.best, distance,
                           sssp_step_leave_by(a, kept, &mine), &found);
        sssp_step_show(a, mine.row, rows.list ? changed : mine.row < a->busy, distance, changed,
                       &found);
        const int open = first.in && sssp_step_worth(&then, distance, first.weight[0]);
        const uint32_t those = weir_ballot(open);
        found.sum[1] += (uint32_t)open;
        if (open)
            list[candidates + weir_popcount_u32(those & ((1u << weir_lane()) - 1))] = mine.row;
        candidates += weir_popcount_u32(those);
        if (candidates > SSSP_STEP_LIST - WEIR_LANES) {
            sssp_step_list_candidates(a, list, candidates, worker->iteration);
            candidates = 0;
        }
    }
    if (candidates)
        sssp_step_list_candidates(a, list, candidates, worker->iteration);
    sssp_step_flush(shared, &found, SSSP_STEP_PULL);
    if (kept) {
        const uint32_t firsts = weir_sum_u32(found.firsts);
        if (weir_lane() == 0)
            weir_atomic_add_block_u64(&shared->firsts, firsts);
    }
}

/** All workers pull rows, by what is kept of them. */
WEIR_DEV void sssp_step_pull_these(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                   const struct sssp_step_worker *worker,
                                   const struct sssp_step_bounds *at, struct sssp_step_rows rows)
{
    if (a->pairs.firsts)
        sssp_step_pull_rows(a, shared, worker, at, rows, 1);
    else
        sssp_step_pull_rows(a, shared, worker, at, rows, 0);
}

/** The first pull, or one before which there were too many candidates: of all rows. */
WEIR_DEV void sssp_step_pull_all(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                 struct sssp_step_worker worker, struct sssp_step_bounds at)
{
    const struct sssp_step_rows rows = {NULL, 0, sssp_step_tasks(a)};
    sssp_step_pull_these(a, shared, &worker, &at, rows);
}

/** Of what the pull before has left. */
WEIR_DEV void sssp_step_pull_candidates(const struct sssp_step_args *a,
                                        struct sssp_step_shared *shared,
                                        struct sssp_step_worker worker, struct sssp_step_bounds at,
                                        uint32_t count)
{
    const struct sssp_step_rows rows = {sssp_step_candidates(a, worker.iteration), count,
                                        (count + WEIR_LANES - 1) / WEIR_LANES};
    sssp_step_pull_these(a, shared, &worker, &at, rows);
}

/** All workers pull. */
WEIR_DEV void sssp_step_pull(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             struct sssp_step_worker worker, struct sssp_step_bounds at)
{
    const uint32_t count =
        weir_load_relaxed_dev_u32(&a->candidates[worker.iteration % SSSP_STEP_SLOTS]);
    if (at.base == 0 || count > a->candidates_most)
        sssp_step_pull_all(a, shared, worker, at);
    else if (count) {
        if (worker.index == 0 && weir_lane() == 0)
            weir_steps_mine(&a->member)->result[SSSP_STEP_RESULT_CANDIDATES] += count;
        sssp_step_pull_candidates(a, shared, worker, at, count);
    }
}

/** Tell all devices the distances of the own rows that have one. */
WEIR_DEV void sssp_step_exchange(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                 struct sssp_step_worker worker)
{
    struct sssp_step_found found = sssp_step_nothing();
    const uint32_t groups = (a->busy + WEIR_LANES - 1) / WEIR_LANES;
    const uint32_t *tent = a->tent[a->member.index] + a->part.begin;
    WEIR_ROLLED
    for (uint32_t group = worker.index; group < groups; group += worker.count) {
        const uint32_t row = group * WEIR_LANES + weir_lane(), in = row < a->busy;
        const uint32_t distance = in ? weir_load_relaxed_dev_u32(&tent[row]) : SSSP_STEP_NONE;
        sssp_step_show(a, row, (int)in, distance, distance != SSSP_STEP_NONE, &found);
    }
    sssp_step_flush(shared, &found, SSSP_STEP_EXCHANGE);
}

#endif
