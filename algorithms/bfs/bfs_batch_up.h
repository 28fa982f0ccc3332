/** @file bfs_batch_up.h  A level of a batch bottom-up: a row puts together the frontiers of its in-neighbours, until it has
 * all sources that it lacks and that have a frontier at all. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_UP_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_UP_H

#include "algorithms/bfs/bfs_batch_count.h"

#define BATCH_ABREAST 4u  /* looks that a lane has under way */
#define BATCH_LONELY  16u /* arcs of a row that a lane looks at before the worker does it together */

/** Rows of many arcs, and their pieces, before the first run of an object. */
WEIR_COLD void batch_find_hubs(const struct bfs_batch_args *a, const struct weir_steps_block *b)
{
    const uint64_t *offsets = a->rows.in.offsets;
    for (uint64_t row = weir_steps_thread(b); row < a->rows.busy; row += weir_steps_threads(b)) {
        const uint64_t arcs = offsets[row + 1] - offsets[row];
        if (arcs <= BATCH_HUB)
            continue;
        const uint32_t pieces = (uint32_t)((arcs + BATCH_HUB - 1) / BATCH_HUB);
        const uint64_t hub = weir_atomic_add_relaxed_dev_u64(&a->listed[0], 1);
        const uint64_t at = weir_atomic_add_relaxed_dev_u64(&a->listed[1], pieces);
        const struct batch_hub its = {0, 0, (uint32_t)row, pieces};
        a->hubs[hub] = its;
        for (uint32_t p = 0; p < pieces; p++) {
            const struct batch_part part = {(uint32_t)hub, p};
            a->parts[at + p] = part;
        }
    }
}

/* The lanes of a worker look along arcs first to last - 1 together. @return what they met of `want`, in every lane. */
WEIR_DEV uint64_t batch_look_together(const uint32_t *targets, const uint64_t *front,
                                      uint64_t first, uint64_t last, uint64_t want, uint64_t have,
                                      struct batch_tally *t)
{
    WEIR_ROLLED
    for (uint64_t i = first; i < last && have != want; i += BATCH_ABREAST * WEIR_LANES) {
        uint32_t number[BATCH_ABREAST];
        uint64_t met = 0;
        for (uint32_t k = 0; k < BATCH_ABREAST; k++) {
            const uint64_t arc = i + k * WEIR_LANES + weir_lane();
            number[k] = targets[arc < last ? arc : last - 1];
            t->looked += arc < last;
        }
        for (uint32_t k = 0; k < BATCH_ABREAST; k++)
            met |= front[number[k]];
        have |= weir_or_u64(met) & want;
    }
    return have;
}

/* Each lane looks along the arcs of its row. @param[in] want  0: there is no row. @return what it met of `want`. */
WEIR_DEV uint64_t batch_look(const struct bfs_batch_args *a, const uint64_t *front, uint32_t row,
                             uint64_t want, struct batch_tally *t)
{
    const uint32_t *targets = a->rows.in.targets;
    uint64_t at = 0, last = 0, have = 0;
    if (want) {
        at = a->rows.in.offsets[row];
        last = a->rows.in.offsets[row + 1];
    }
    const uint64_t alone = last - at > BATCH_LONELY ? at + BATCH_LONELY : last;
    WEIR_ROLLED
    while (at < alone && have != want) {
        uint32_t number[BATCH_ABREAST];
        uint64_t met = 0;
        for (uint32_t k = 0; k < BATCH_ABREAST; k++)
            number[k] = targets[at + k < alone ? at + k : alone - 1];
        for (uint32_t k = 0; k < BATCH_ABREAST; k++)
            met |= front[number[k]];
        have |= met & want;
        t->looked += alone - at < BATCH_ABREAST ? alone - at : BATCH_ABREAST;
        at += BATCH_ABREAST;
    }
    const int more = at < last && have != want;
    WEIR_ROLLED
    for (uint32_t left = weir_ballot(more); left; left &= left - 1) {
        const uint32_t lane = weir_first_bit_u32(left);
        const uint64_t met = batch_look_together(
            targets, front, weir_broadcast_u64(at, lane), weir_broadcast_u64(last, lane),
            weir_broadcast_u64(want, lane), weir_broadcast_u64(have, lane), t);
        have = weir_lane() == lane ? met : have;
    }
    return have;
}

/* Rows have met sources. All lanes of a worker. Every word of the new frontier is written, since the old one there is that of
 * two levels ago; and on all devices. */
WEIR_DEV void batch_meet(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                         const struct batch_walk *w, int is, uint32_t row, uint64_t met,
                         struct batch_tally *t)
{
    const uint64_t *offsets = a->rows.out.offsets;
    if (is)
        for (uint32_t d = 0; d < a->rows.parts; d++)
            batch_front(a, d, w->current ^ 1)[a->rows.begin + row] = met;
    if (met) {
        const uint64_t arcs = offsets[row + 1] - offsets[row];
        a->seen[a->rows.begin + row] |= met;
        batch_keep_levels(a, w, row, met);
        t->put += arcs != 0;
        t->arcs += arcs;
    }
    batch_count(shared, t, met);
}

/* A worker looks along a piece of a hub. Whoever is the last with a piece of it takes what all have met. */
WEIR_DEV void batch_up_hub(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                           const struct batch_walk *w, struct batch_part part, uint64_t alive,
                           struct batch_tally *t)
{
    struct batch_hub *hub = &a->hubs[part.hub];
    const uint32_t row = hub->row;
    const uint64_t end = a->rows.in.offsets[row + 1];
    const uint64_t at = a->rows.in.offsets[row] + (uint64_t)part.piece * BATCH_HUB;
    const uint64_t last = end - at > BATCH_HUB ? at + BATCH_HUB : end;
    /* Nobody writes `seen` of a hub before all pieces are done, and what others have met need not be met again. */
    const uint64_t want =
        alive & ~a->seen[a->rows.begin + row] & ~weir_load_relaxed_dev_u64(&hub->gain);
    uint64_t met = batch_look_together(a->rows.in.targets, batch_last(a, w), at, last, want, 0, t);
    int mine = 0;
    if (weir_lane() == 0) {
        if (met)
            weir_or_relaxed_dev_u64(&hub->gain, met);
        mine = weir_add_acq_rel_dev_u64(&hub->done, 1) + 1 == hub->pieces;
        met = 0;
        if (mine) {
            met = weir_load_relaxed_dev_u64(&hub->gain);
            weir_store_relaxed_dev_u64(&hub->gain, 0);
            weir_store_relaxed_dev_u64(&hub->done, 0);
        }
    }
    batch_meet(a, shared, w, mine, row, weir_lane() ? 0 : met, t);
}

/** All blocks search a level. */
WEIR_COLD struct batch_tally batch_up(const struct bfs_batch_args *a,
                                      struct bfs_batch_shared *shared, struct weir_steps_block b,
                                      struct batch_walk w, struct batch_tally t)
{
    const uint64_t *front = batch_last(a, &w), *seen = a->seen + a->rows.begin;
    const uint64_t *offsets = a->rows.in.offsets;
    if (b.thread == 0) {
        uint64_t alive = 0;
        for (uint32_t d = 0; d < a->rows.parts; d++)
            alive |= weir_load_relaxed_sys_u64(&a->alive[d][w.level % BATCH_TURNS]);
        shared->alive = alive;
    }
    weir_block_sync();
    const uint64_t alive = shared->alive, pieces = a->listed[1];
    WEIR_ROLLED
    for (uint64_t i = weir_steps_warp(&b); i < pieces; i += weir_steps_threads(&b) / WEIR_LANES)
        batch_up_hub(a, shared, &w, a->parts[i], alive, &t);
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < a->rows.busy;
         base += weir_steps_threads(&b)) {
        const uint32_t row = (uint32_t)base + weir_lane();
        const int is = row < a->rows.busy && offsets[row + 1] - offsets[row] <= BATCH_HUB;
        const uint64_t want = is ? alive & ~seen[row] : 0;
        t.up_rows += want != 0;
        batch_meet(a, shared, &w, is, row, batch_look(a, front, row, want, &t), &t);
    }
    t.up_arcs += t.looked;
    return t;
}

/** From top-down to bottom-up on several devices: each copies its part of the frontier to the others. */
WEIR_COLD void batch_share(const struct bfs_batch_args *a, struct weir_steps_block b,
                           struct batch_walk w)
{
    const uint64_t *mine = batch_last(a, &w);
    WEIR_ROLLED
    for (uint64_t row = weir_steps_thread(&b); row < a->rows.busy; row += weir_steps_threads(&b))
        for (uint32_t d = 0; d < a->rows.parts; d++)
            if (d != a->rows.part)
                batch_front(a, d, w.current)[a->rows.begin + row] = mine[a->rows.begin + row];
}

#endif
