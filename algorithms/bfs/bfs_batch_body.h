/** @file bfs_batch_body.h  The body of a device that searches from a batch of sources: phase after phase, with a barrier
 * behind each. All threads know the same sums and decide the same. Phases are functions that are called with what they count by
 * value, so that it stays in registers there. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_BODY_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_BODY_H

#include "algorithms/bfs/bfs_batch_down.h"
#include "algorithms/bfs/bfs_batch_up.h"

#include <string.h>

/* Of a level bottom-up before there was one, the part of all arcs that it is taken to look at: most rows meet all they can in few
 * looks. A look top-down may be an atomic, and settles in a phase of its own: so many looks bottom-up are as dear. */
#define BATCH_PART      4u
#define BATCH_DOWN_COST 2u

/* Which phase finds the next level. */
WEIR_DEV uint32_t batch_choose(const struct bfs_batch_args *a, const struct batch_walk *w)
{
    const uint64_t up = w->looked + a->rows.vertices / 2;
    return a->pull || w->arcs * BATCH_DOWN_COST > up ? BATCH_UP : BATCH_DOWN;
}

/* A level is complete. */
WEIR_DEV void batch_level_done(const struct bfs_batch_args *a, struct batch_walk *w, uint64_t found,
                               int was_up)
{
    w->level++;
    w->current ^= 1;
    if (!found) {
        w->phase = BATCH_END;
        return;
    }
    const uint32_t phase = batch_choose(a, w);
    if (was_up)
        w->phase = phase == BATCH_UP ? BATCH_UP : BATCH_LIST;
    else
        w->phase = phase == BATCH_UP && a->rows.parts > 1 ? BATCH_SHARE : phase;
}

/* Behind the barrier of a phase: what the sums say. */
WEIR_DEV void batch_after(const struct bfs_batch_args *a, const struct weir_steps_block *b,
                          struct batch_walk *w, const uint64_t *total)
{
    const uint32_t own = (uint32_t)(a->rows.parts > 1 ? weir_steps_own(&a->member, b) : total[0]);
    switch (w->phase) {
    case BATCH_START:
    case BATCH_DOWN:
        w->touched = own;
        w->phase = total[1] ? BATCH_SEND : BATCH_SETTLE;
        break;
    case BATCH_SEND:
        w->phase = BATCH_ABSORB;
        break;
    case BATCH_ABSORB:
        w->touched += own;
        w->phase = BATCH_SETTLE;
        break;
    case BATCH_SHARE:
        w->phase = BATCH_UP;
        break;
    case BATCH_UP:
        w->arcs = total[2];
        w->looked = total[3];
        batch_level_done(a, w, total[0], 1);
        break;
    case BATCH_LIST:
        w->entries = own;
        w->phase = BATCH_DOWN;
        break;
    default: /* BATCH_SETTLE */
        w->entries = own;
        w->arcs = total[2];
        batch_level_done(a, w, total[0], 0);
    }
}

/* Words that are written again later, by those that were read for the last time before the barrier in front of this phase. By one
 * thread of the device. */
WEIR_DEV void batch_clear(const struct bfs_batch_args *a, const struct batch_walk *w)
{
    if (w->phase == BATCH_SETTLE)
        weir_store_relaxed_dev_u32(&a->tail[BATCH_TOUCHED], 0);
    if (w->phase != BATCH_DOWN && w->phase != BATCH_UP)
        return;
    weir_store_relaxed_dev_u32(&a->tail[BATCH_QUEUE], 0);
    weir_store_relaxed_dev_u64(&a->alive[a->member.index][(w->level + 2) % BATCH_TURNS], 0);
}

WEIR_DEV void batch_work(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                         const struct weir_steps_block *b, const struct batch_walk *w,
                         struct batch_tally *t)
{
    switch (w->phase) {
    case BATCH_START:
        batch_start(a, shared, b, w, t);
        if (a->first_run)
            batch_find_hubs(a, b);
        break;
    case BATCH_DOWN:
        *t = batch_down(a, shared, *b, *w, *t);
        break;
    case BATCH_SEND:
        batch_send(a, shared, *b, *w);
        break;
    case BATCH_ABSORB:
        *t = batch_absorb(a, shared, *b, *w, *t);
        break;
    case BATCH_SETTLE:
        *t = batch_settle(a, shared, *b, *w, *t);
        break;
    case BATCH_SHARE:
        batch_share(a, *b, *w);
        break;
    case BATCH_UP:
        *t = batch_up(a, shared, *b, *w, *t);
        break;
    default:
        *t = batch_list(a, *b, *w, *t);
    }
    if (b->block == 0 && b->thread == 0)
        batch_clear(a, w);
    if (WEIR_LANES == 1u)
        batch_kept_flush(a, shared);
    if (w->phase == BATCH_SETTLE || w->phase == BATCH_UP)
        batch_count_flush(a, shared, b, w, t);
}

/* The barrier behind a phase, with what all did in it. */
WEIR_DEV uint32_t batch_barrier(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                                struct weir_steps_block *b, struct batch_tally *t, uint64_t *total)
{
    const uint64_t put = weir_sum_u64(t->put), far = weir_sum_u64(t->far),
                   arcs = weir_sum_u64(t->arcs), looked = weir_sum_u64(t->looked);
    t->put = t->far = t->arcs = t->looked = 0;
    if (weir_lane() == 0 && (put | looked)) {
        weir_atomic_add_block_u64(&shared->put, put);
        weir_atomic_add_block_u64(&shared->sum[0], far);
        weir_atomic_add_block_u64(&shared->sum[1], arcs);
        weir_atomic_add_block_u64(&shared->sum[2], looked);
    }
    weir_block_sync();
    if (b->thread == 0)
        for (uint32_t i = 0; i < 3; i++) {
            if (shared->sum[i])
                weir_steps_add(&a->member, b, i + 1, shared->sum[i]);
            shared->sum[i] = 0;
        }
    return weir_steps_meet(&a->member, b, b->blocks, &shared->put, 1, total);
}

/* Under which of three phases the report counts this one: top-down, bottom-up, switching between them. */
WEIR_DEV uint32_t batch_kind(uint32_t phase)
{
    return phase <= BATCH_SETTLE ? 0 : phase == BATCH_UP ? 1 : 2;
}

WEIR_DEV void bfs_batch_body(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                             struct weir_steps_block *b)
{
    struct batch_walk w;
    struct batch_tally t;
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop = WEIR_STEPS_GOES_ON;
    memset(&w, 0, sizeof w);
    memset(&t, 0, sizeof t);
    w.looked = a->rows.arcs_all / BATCH_PART;
    if (b->thread == 0) {
        memset(shared, 0, sizeof *shared);
        shared->since_ns = weir_clock_ns();
    }
    weir_block_sync();
    WEIR_ROLLED
    while (!stop && w.phase != BATCH_END) {
        const uint32_t phase = w.phase, kind = batch_kind(phase);
        batch_work(a, shared, b, &w, &t);
        if ((stop = batch_barrier(a, shared, b, &t, total)))
            return;
        if (phase == BATCH_ABSORB && b->block == 0)
            weir_steps_close(&a->member, b, &shared->inboxes);
        batch_after(a, b, &w, total);
        if (b->block == 0 && b->thread == 0)
            weir_steps_book(&a->member, &shared->since_ns, BATCH_RESULT_NS + kind,
                            BATCH_RESULT_STEPS + kind);
    }
    const uint64_t did[4] = {t.entries, t.down_arcs, t.up_rows, t.up_arcs};
    weir_steps_count(&a->member, b, BATCH_RESULT_ENTRIES, did, 4);
    if (b->block || b->thread)
        return;
    weir_steps_mine(&a->member)->result[BATCH_RESULT_LEVELS] = w.level;
    weir_steps_mine(&a->member)->result[BATCH_RESULT_HUBS] = a->listed[0];
    weir_steps_mine(&a->member)->result[BATCH_RESULT_PARTS] = a->listed[1];
}

#endif
