/** @file bfs_batch_up.h  A level of a batch bottom-up: a row puts together the frontiers of its in-neighbours, until it has
 * all sources that it lacks and that have a frontier at all. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_UP_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_UP_H

#include "algorithms/bfs/bfs_batch_count.h"

/* Arcs of a row that a lane looks at before several do together; of a long one that these do before the whole worker does. */
#define BATCH_LONELY 16u
#define BATCH_SOME   256u
#define BATCH_SQUAD  8u /* lanes */

/** Rows of many arcs, and the pieces of hubs, before the first run of an object. */
WEIR_COLD void batch_find_hubs(const struct bfs_batch_args *a, const struct weir_steps_block *b)
{
    const uint64_t *offsets = a->rows.in.offsets;
    for (uint64_t row = weir_steps_thread(b); row < a->rows.busy; row += weir_steps_threads(b)) {
        const uint64_t arcs = offsets[row + 1] - offsets[row];
        if (arcs <= BATCH_LONG)
            continue;
        const uint32_t pieces = (uint32_t)((arcs + BATCH_HUB - 1) / BATCH_HUB);
        const uint64_t at = weir_atomic_add_relaxed_dev_u64(&a->listed[1], pieces);
        struct batch_long part = {(uint32_t)row, BATCH_WHOLE};
        if (pieces > 1) {
            const struct batch_hub its = {0, 0, (uint32_t)row, pieces};
            part.of = (uint32_t)weir_atomic_add_relaxed_dev_u64(&a->listed[0], 1);
            part.piece = 0;
            a->hubs[part.of] = its;
        }
        for (uint32_t p = 0; p < pieces; p++, part.piece++)
            a->longs[at + p] = part;
    }
}

/* Arcs of a row, or of a piece of one: row[from] to row[to - 1]. On a GPU they are loaded as 16 bytes, so `row` is a multiple of that
 * and `from` below BATCH_ABREAST. */
struct batch_arcs {
    const uint32_t *row;
    uint32_t from, to;
};

WEIR_DEV struct batch_arcs batch_arcs_of(const uint32_t *targets, uint64_t first, uint64_t last)
{
    const uint32_t from = WEIR_LANES > 1u ? (uint32_t)first % BATCH_ABREAST : 0;
    const struct batch_arcs its = {targets + (first - from), from, (uint32_t)(last - first) + from};
    return its;
}

/* A lane looks at the arcs from `at` on, BATCH_ABREAST of them, but for those that are not among `its`. @return what they met. */
WEIR_DEV uint64_t batch_look_abreast(const struct batch_arcs *its, const uint64_t *front,
                                     uint32_t at, struct batch_tally *t)
{
    uint32_t number[BATCH_ABREAST];
    uint64_t met = 0;
    if (WEIR_LANES == 1u) { /* none is before the first, and the last may be looked at again */
        for (uint32_t k = 0; k < BATCH_ABREAST; k++)
            number[k] = its->row[at + k < its->to ? at + k : its->to - 1];
        for (uint32_t k = 0; k < BATCH_ABREAST; k++)
            met |= front[number[k]];
        t->looked += its->to - at < BATCH_ABREAST ? its->to - at : BATCH_ABREAST;
        return met;
    }
    weir_load_16(number, its->row + at);
    for (uint32_t k = 0; k < BATCH_ABREAST; k++) {
        const int is = at + k >= its->from && at + k < its->to;
        met |= is ? front[number[k]] : 0;
        t->looked += (uint32_t)is;
    }
    return met;
}

/* Each `width` lanes look together along arcs of a row from `at` on, up to `to`. All lanes of a worker.
 * @return what they met of `want`, in all of the `width` lanes. */
WEIR_DEV uint64_t batch_look_together(const struct batch_arcs *its, const uint64_t *front,
                                      uint32_t at, uint64_t want, uint32_t width,
                                      struct batch_tally *t)
{
    uint64_t met = 0;
    uint32_t mine = at + weir_lane() % width * BATCH_ABREAST;
    WEIR_ROLLED
    while (weir_ballot(at < its->to && met != want)) {
        uint64_t got = 0;
        if (mine < its->to && met != want)
            got = batch_look_abreast(its, front, mine, t) & want;
        met |= width == WEIR_LANES ? weir_or_u64(got) : weir_group_or_u64(got, width);
        at += width * BATCH_ABREAST;
        mine += width * BATCH_ABREAST;
    }
    return met;
}

/* The rows of lanes go on from `at`, each by `width` lanes that take it together. All lanes of a worker. @param[in] left  a bit for each of
 * these lanes. @return what this lane's row has met of `want`, if it is among them. */
WEIR_DEV uint64_t batch_look_on(const struct batch_arcs *its, const uint64_t *front, uint32_t left,
                                uint32_t at, uint64_t want, uint32_t width, struct batch_tally *t)
{
    const uint32_t groups = WEIR_LANES / width, group = weir_lane() / width;
    uint64_t have = 0;
    WEIR_ROLLED
    while (left) {
        uint32_t lanes = left;
        for (uint32_t g = 0; g < groups; g++) /* each group takes one, the last ones may get none */
            left &= left - 1;
        for (uint32_t g = 0; g < group; g++)
            lanes &= lanes - 1;
        const uint32_t lane = lanes ? weir_first_bit_u32(lanes) : 0;
        struct batch_arcs taken;
        taken.row = (const uint32_t *)(uintptr_t)weir_broadcast_u64((uintptr_t)its->row, lane);
        taken.from = weir_broadcast_u32(its->from, lane);
        taken.to = weir_broadcast_u32(its->to, lane);
        taken.to = lanes ? taken.to : 0;
        const uint64_t met = batch_look_together(&taken, front, weir_broadcast_u32(at, lane),
                                                 weir_broadcast_u64(want, lane), width, t);
        for (uint32_t g = 0; g < groups; g++) {
            const uint64_t theirs = weir_broadcast_u64(met, g * width);
            const uint32_t of = weir_broadcast_u32(lanes ? lane : WEIR_LANES, g * width);
            have = weir_lane() == of ? theirs : have;
        }
    }
    return have;
}

/* Each lane looks along the arcs of its row: along a few alone, then with a squad, in the end, if rows are long, with all lanes of the
 * worker, since one row then has as many arcs as a squad takes long for. All lanes of the worker.
 * @param[in] want  0: there is no row. @param[in] wide  rows may be long. @return what it met of `want`. */
WEIR_DEV uint64_t batch_look(struct batch_arcs its, const uint64_t *front, uint64_t want, int wide,
                             struct batch_tally *t)
{
    const uint32_t squad = WEIR_LANES < BATCH_SQUAD ? WEIR_LANES : BATCH_SQUAD, to = its.to;
    uint32_t at = 0;
    uint64_t have = 0;
    WEIR_ROLLED
    while (at < BATCH_LONELY && at < to && have != want) {
        have |= batch_look_abreast(&its, front, at, t) & want;
        at += BATCH_ABREAST;
    }
    if (wide && to > at + BATCH_SOME)
        its.to = at + BATCH_SOME;
    have |= batch_look_on(&its, front, weir_ballot(at < its.to && have != want), at, want & ~have,
                          squad, t);
    if (!wide)
        return have;
    at = its.to;
    its.to = to;
    return have | batch_look_on(&its, front, weir_ballot(at < to && have != want), at, want & ~have,
                                WEIR_LANES, t);
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

/* Who looked along a piece of a hub. @param[in] lacks  sources that the hub may come to have, in this level. @param[in] met  of this piece.
 * @return whether it was the last piece; *met is what all have met then. */
WEIR_DEV int batch_hub_done(struct batch_hub *hub, uint32_t piece, uint64_t lacks, uint64_t *met)
{
    if (!lacks) { /* which whoever has a piece finds */
        *met = 0;
        return piece == 0;
    }
    if (*met)
        weir_or_relaxed_dev_u64(&hub->gain, *met);
    if (weir_add_acq_rel_dev_u64(&hub->done, 1) + 1 != hub->pieces)
        return 0;
    *met = weir_load_relaxed_dev_u64(&hub->gain);
    weir_store_relaxed_dev_u64(&hub->gain, 0);
    weir_store_relaxed_dev_u64(&hub->done, 0);
    return 1;
}

/* Rows of many arcs: each lane has one, or a piece of a hub, and all of the worker look along one after the other. */
WEIR_DEV void batch_up_many(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                            const struct weir_steps_block *b, const struct batch_walk *w,
                            uint64_t alive, struct batch_tally *t)
{
    const uint64_t *offsets = a->rows.in.offsets, *seen = a->seen + a->rows.begin;
    const uint64_t longs = a->listed[1], workers = weir_steps_threads(b) / WEIR_LANES;
    WEIR_ROLLED
    for (uint64_t base = weir_steps_warp(b); base < longs; base += workers * WEIR_LANES) {
        const uint64_t i = base + weir_lane() * workers;
        struct batch_long part = {0, BATCH_WHOLE};
        struct batch_hub *hub = NULL;
        uint64_t first = 0, last = 0, lacks = 0, want;
        uint32_t row = 0;
        int is = i < longs;
        if (is) {
            part = a->longs[i];
            hub = part.piece == BATCH_WHOLE ? NULL : &a->hubs[part.of];
            row = hub ? hub->row : part.of;
            first = offsets[row] + (hub ? (uint64_t)part.piece * BATCH_HUB : 0);
            last = offsets[row + 1];
            last = last - first > BATCH_HUB ? first + BATCH_HUB : last;
            /* Nobody writes `seen` of a hub before all pieces are done. */
            lacks = alive & ~seen[row];
        }
        want = lacks; /* what others have met need not be met again */
        if (hub && lacks)
            want &= ~weir_load_relaxed_dev_u64(&hub->gain);
        t->items += want != 0;
        uint64_t met = batch_look(batch_arcs_of(a->rows.in.targets, first, want ? last : first),
                                  batch_last(a, w), want, 1, t);
        if (hub)
            is = batch_hub_done(hub, part.piece, lacks, &met);
        batch_meet(a, shared, w, is, row, is ? met : 0, t);
    }
}

/** All blocks search a level. */
WEIR_COLD void batch_up(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                        struct weir_steps_block b, struct batch_walk w)
{
    struct batch_tally t = batch_nothing();
    const uint64_t *front = batch_last(a, &w), *seen = a->seen + a->rows.begin;
    const uint64_t *offsets = a->rows.in.offsets;
    if (b.thread == 0) {
        uint64_t alive = 0;
        for (uint32_t d = 0; d < a->rows.parts; d++)
            alive |= weir_load_relaxed_sys_u64(&a->alive[d][w.level % BATCH_TURNS]);
        shared->alive = alive;
    }
    weir_block_sync();
    const uint64_t alive = shared->alive;
    batch_up_many(a, shared, &b, &w, alive, &t);
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < a->rows.busy;
         base += weir_steps_threads(&b)) {
        const uint32_t row = (uint32_t)base + weir_lane();
        const int in = row < a->rows.busy;
        const uint64_t first = in ? offsets[row] : 0, last = in ? offsets[row + 1] : 0;
        const int is = in && last - first <= BATCH_LONG;
        const uint64_t want = is ? alive & ~seen[row] : 0;
        t.items += want != 0;
        batch_meet(a, shared, &w, is, row,
                   batch_look(batch_arcs_of(a->rows.in.targets, first, want ? last : first), front,
                              want, 0, &t),
                   &t);
    }
    batch_count_flush(a, shared, &b, &w, &t);
    batch_tell(shared, &t, BATCH_RESULT_UP_ROWS);
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
