/** @file bfs_steal.h  Levels top-down that are shared out (`balance frontier`): devices that have few arcs of a level look along some of
 * those that others have. After GUM's frontier stealing (algorithms/common/steal.h says who does how much, steal_step.h how).
 *
 * Behind each barrier a block knows how many arcs and entries each device has in the level that was found. If these are many, and one
 * device has far more than the mean, two steps come in front of the level: COUNT, all count the arcs of STEAL_CHUNKS equal stretches of their
 * part of the queue, and the barrier tells each how many every device has exactly; CUT, block 0 of each device decides the same
 * shares, cuts its own device's entries accordingly, and tells all devices. In the level a device then takes its entries of every
 * device's queue: it reads those and their arcs over links, and what it finds is its own find. A vertex that it owns it puts into its own
 * queue; others it sends to their owners, at most once each as ever. So levels and what is found in them are the same as without. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEAL_H
#define WEIR_ALGORITHMS_BFS_BFS_STEAL_H

#include "algorithms/bfs/bfs_lone_move.h"

#if BFS_STEALS

/* Before the first step. The view of all threads is that of their own device until a level is shared out. */
WEIR_DEV void bfs_steal_begin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                              const struct weir_steps_block *b, struct bfs_walk *w)
{
    w->queue = a->queue;
    w->targets = a->rows.out.targets;
    w->owner_begin = a->rows.begin;
    bfs_lone_begin(a, shared, b, w);
    steal_reset(&shared->steal, b->thread, b->threads);
}

/* Blocks that are woken know what block 0 does: by its thread 0 before it wakes them, and by all threads of those. */
WEIR_DEV void bfs_steal_wake(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, const struct bfs_walk *w)
{
    uint64_t *more = &a->loads[STEAL_DEVICES];
    if (b->thread)
        return;
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        weir_store_relaxed_dev_u64(&a->loads[d], shared->steal.load[d]);
        weir_store_relaxed_dev_u64(&more[3 + d], shared->steal.list[d]);
    }
    weir_store_relaxed_dev_u64(&more[0], (uint64_t)w->lone_step << 32 | w->narrow_levels);
    weir_store_relaxed_dev_u64(&more[1], w->lone_entries);
    weir_store_relaxed_dev_u64(&more[2], (uint64_t)w->found.end << 32 | w->found.begin);
}

WEIR_DEV void bfs_steal_woken(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                              const struct weir_steps_block *b, struct bfs_walk *w)
{
    const uint64_t *more = &a->loads[STEAL_DEVICES];
    const uint64_t step = weir_load_relaxed_dev_u64(&more[0]);
    const uint64_t found = weir_load_relaxed_dev_u64(&more[2]);
    for (uint32_t d = b->thread; d < a->rows.parts; d += b->threads) {
        shared->steal.load[d] = weir_load_relaxed_dev_u64(&a->loads[d]);
        shared->steal.list[d] = weir_load_relaxed_dev_u64(&more[3 + d]);
    }
    w->narrow_levels = (uint32_t)step;
    w->lone_step = (uint32_t)(step >> 32);
    w->lone_entries = (uint32_t)weir_load_relaxed_dev_u64(&more[1]);
    w->found.begin = (uint32_t)found;
    w->found.end = (uint32_t)(found >> 32);
    weir_block_sync();
}

/** COUNT: what the chunks of the device's stretch come to. */
WEIR_COLD void bfs_steal_count(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                               struct weir_steps_block b, struct bfs_walk w)
{
    const uint64_t all = steal_count(&a->steal, &a->queue->count, sizeof *a->queue / 4, w.begin,
                                     w.end, weir_steps_warp(&b), w.awake * b.threads / WEIR_LANES);
    if (weir_lane() == 0)
        weir_atomic_add_block_u64(&shared->arcs, all);
}

/* How many finds an arc of the level is expected to make, in parts of STEAL_OF_FIND: as many as arcs to what is not found are among all, but
 * no more in all than is not found. Devices that have the same sums have the same. */
WEIR_DEV uint32_t bfs_steal_finds(const struct bfs_step_args *a, uint64_t arcs, uint64_t unfound,
                                  uint64_t unfound_arcs)
{
    const uint64_t among = unfound_arcs * STEAL_OF_FIND / (a->rows.arcs_all + 1);
    const uint64_t most = unfound * STEAL_OF_FIND / (arcs + 1);
    return (uint32_t)(among < most ? among : most);
}

/* Whether the level is to be shared out; called, as it would take registers from what is always there. */
WEIR_COLD int bfs_steal_pays(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                             uint64_t arcs, uint64_t unfound, uint64_t unfound_arcs)
{
    return steal_pays(&a->steal, &shared->steal, bfs_steal_finds(a, arcs, unfound, unfound_arcs));
}

/** CUT: block 0 decides, and tells all devices who takes which entries of its own device's stretch. */
WEIR_COLD void bfs_steal_out(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             struct weir_steps_block b, struct bfs_walk w)
{
    if (b.block == 0)
        steal_out(&a->steal, &shared->steal, bfs_steal_finds(a, w.arcs, w.unfound, w.unfound_arcs),
                  a->member.index, w.begin, w.end, b.thread, b.threads);
}

/* Behind the barrier of phase @p was: arcs and entries by device. All threads of a block; called, as bfs_steal_pays() is. */
WEIR_COLD void bfs_steal_learn(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                               struct weir_steps_block b, uint32_t was)
{
    for (uint32_t d = b.thread; d < a->rows.parts; d += b.threads) {
        const uint64_t arcs = weir_steps_flagged(&a->member, &b, d, 2);
        const uint64_t entries = (uint32_t)weir_steps_flagged(&a->member, &b, d, 0);
        if (was == BFS_ABSORB) {
            shared->steal.load[d] += arcs;
            shared->steal.list[d] += entries;
        } else if (was != BFS_CUT) {
            shared->steal.load[d] = arcs;
            if (was != BFS_COUNT) /* which puts none */
                shared->steal.list[d] = entries;
        }
    }
    weir_block_sync();
}

/** Behind the barrier of phase @p was and behind bfs_next(); all threads of a block. Every block that is awake, on every device,
 *  knows the same and decides the same. */
WEIR_DEV void bfs_steal_next(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, struct bfs_walk *w, uint32_t was)
{
    bfs_steal_learn(a, shared, *b, was);
    if (w->phase == BFS_DOWN && was != BFS_CUT)
        bfs_lone_next(a, shared, b, w, was);
    if (w->phase == BFS_DOWN && was != BFS_CUT && w->wide &&
        bfs_steal_pays(a, shared, w->arcs, w->unfound, w->unfound_arcs))
        w->phase = BFS_COUNT;
    if (w->phase == BFS_DOWN && b->block == 0 && b->thread == 0)
        steal_book(&a->steal, &shared->steal, a->member.index, was == BFS_CUT, NULL);
}

/** Behind the barrier of a phase: what comes next; all threads of a block. */
WEIR_DEV void bfs_behind(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                         struct weir_steps_block *b, struct bfs_walk *w, uint64_t *total)
{
    const uint32_t was = w->phase;
    if (bfs_is_alone(w)) {
        bfs_lone_went_on(shared, b, w, total);
    } else if (was == BFS_REJOIN) {
        bfs_lone_joined(a, b, w, total);
    } else {
        w->lone_entries = (uint32_t)(total[3] >> BFS_LONE_SHIFT);
        total[3] &= (UINT64_C(1) << BFS_LONE_SHIFT) - 1;
        bfs_next(a, b, w, total);
        bfs_steal_next(a, shared, b, w, was);
    }
}

/** All threads of a block, at the end. */
WEIR_DEV void bfs_steal_finish(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                               const struct weir_steps_block *b)
{
    struct weir_steps_page *page = weir_steps_mine(&a->member);
    bfs_lone_finish(a, shared, b);
    if (b->block || b->thread)
        return;
    page->result[BFS_RESULT_STOLEN] = shared->steal.entries;
    page->result[BFS_RESULT_MOST_OWNED] = shared->steal.most_owned;
    page->result[BFS_RESULT_MOST_DONE] = shared->steal.most_done;
}

#else /* the kernel that shares nothing out */

WEIR_DEV void bfs_steal_begin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                              const struct weir_steps_block *b, struct bfs_walk *w)
{
    (void)a, (void)shared, (void)b, (void)w;
}
WEIR_DEV void bfs_steal_wake(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, const struct bfs_walk *w)
{
    (void)a, (void)shared, (void)b, (void)w;
}
WEIR_DEV void bfs_steal_woken(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                              const struct weir_steps_block *b, struct bfs_walk *w)
{
    (void)a, (void)shared, (void)b, (void)w;
}
WEIR_DEV void bfs_steal_next(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, struct bfs_walk *w, uint32_t was)
{
    (void)a, (void)shared, (void)b, (void)w, (void)was;
}
WEIR_DEV const struct weir_steps_member *bfs_with(const struct bfs_step_args *a,
                                                  const struct bfs_step_shared *shared,
                                                  const struct bfs_walk *w)
{
    (void)shared, (void)w;
    return &a->member;
}
WEIR_DEV int bfs_lone_spares(const struct bfs_walk *w, uint32_t need)
{
    (void)w, (void)need;
    return 0;
}
WEIR_DEV uint64_t bfs_lone_told(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                                const struct weir_steps_block *b, const struct bfs_walk *w)
{
    (void)a, (void)shared, (void)b, (void)w;
    return 0;
}
WEIR_DEV uint32_t bfs_lone_rejoin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                  struct weir_steps_block *b, const struct bfs_walk *w)
{
    (void)a, (void)shared, (void)b, (void)w;
    return WEIR_STEPS_GOES_ON;
}
WEIR_DEV void bfs_behind(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                         struct weir_steps_block *b, struct bfs_walk *w, uint64_t *total)
{
    (void)shared;
    bfs_next(a, b, w, total);
}
WEIR_DEV void bfs_steal_finish(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                               const struct weir_steps_block *b)
{
    (void)a, (void)shared, (void)b;
}

#endif

#endif
