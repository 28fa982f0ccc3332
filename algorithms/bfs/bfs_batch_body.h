/** @file bfs_batch_body.h  The body of a device that searches from a batch of sources: phase after phase, with a barrier
 * behind each. All threads know the same sums and decide the same. Phases are functions that are called and count for themselves
 * until they end (batch_tell()), so that counts stay in registers there and take none elsewhere. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_BODY_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_BODY_H

#include "algorithms/bfs/bfs_batch_down.h"
#include "algorithms/bfs/bfs_batch_up.h"

#include <string.h>

/* Of a level bottom-up before there was one, the part of all arcs that it is taken to look at: most rows meet all they can in few
 * looks. A look top-down may be an atomic, and settles in a phase of its own: so many looks bottom-up are as dear. */
#define BATCH_GUESS     4u
#define BATCH_DOWN_COST 2u
/* Vertices to go through cost as much as one look to so many of them. */
#define BATCH_THROUGH 2u

/* Which phase finds the next level. @param[in] listed  the queue holds the last one. */
WEIR_DEV uint32_t batch_choose(const struct bfs_batch_args *a, const struct batch_walk *w,
                               int listed)
{
    const uint64_t through = a->rows.vertices / BATCH_THROUGH;
    const uint64_t down = w->arcs * BATCH_DOWN_COST + (listed ? 0 : through);
    return a->pull || down > w->looked + through ? BATCH_UP : listed ? BATCH_DOWN : BATCH_LIST;
}

/* A level is complete. */
WEIR_DEV void batch_level_done(const struct bfs_batch_args *a, struct batch_walk *w, uint64_t found,
                               int listed)
{
    const int was_up = w->phase == BATCH_UP;
    w->level++;
    w->current ^= 1;
    w->phase = found ? batch_choose(a, w, listed) : BATCH_END;
    w->dense = w->arcs > a->rows.vertices;
    if (w->phase == BATCH_UP && !was_up && a->rows.parts > 1)
        w->phase = BATCH_SHARE;
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
        w->shares++;
        w->phase = BATCH_UP;
        break;
    case BATCH_UP:
        w->arcs = total[2];
        w->looked = total[3];
        batch_level_done(a, w, total[0], 0);
        break;
    case BATCH_LIST:
        w->entries = own;
        w->phase = BATCH_DOWN;
        break;
    default: /* BATCH_SETTLE */
        w->entries = own;
        w->arcs = total[2];
        batch_level_done(a, w, total[0], !w->dense);
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
                         const struct weir_steps_block *b, const struct batch_walk *w)
{
    switch (w->phase) {
    case BATCH_START:
        batch_start(a, shared, b, w);
        if (a->first_run)
            batch_find_hubs(a, b);
        break;
    case BATCH_DOWN:
        batch_down(a, shared, *b, *w);
        break;
    case BATCH_SEND:
        batch_send(a, shared, *b, *w);
        break;
    case BATCH_ABSORB:
        batch_absorb(a, shared, *b, *w);
        break;
    case BATCH_SETTLE:
        if (w->dense)
            batch_settle_all(a, shared, *b, *w);
        else
            batch_settle(a, shared, *b, *w);
        break;
    case BATCH_SHARE:
        batch_share(a, *b, *w);
        break;
    case BATCH_UP:
        batch_up(a, shared, *b, *w);
        break;
    default:
        batch_list(a, shared, *b, *w);
    }
    if (b->block == 0 && b->thread == 0)
        batch_clear(a, w);
    if (WEIR_LANES == 1u)
        batch_kept_flush(a, shared);
}

/* The barrier behind a phase, with what all did in it. */
WEIR_DEV uint32_t batch_barrier(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                                struct weir_steps_block *b, uint64_t *total)
{
    weir_block_sync();
    if (b->thread == 0)
        for (uint32_t i = 0; i < 3; i++) {
            if (shared->sum[i])
                weir_steps_add(&a->member, b, i + 1, shared->sum[i]);
            shared->sum[i] = 0;
        }
    return weir_steps_meet(&a->member, b, b->blocks, &shared->put, 1, total);
}

/* Under which of the report's kinds this phase counts: top-down, bottom-up, switching between them, settling all rows. */
WEIR_DEV uint32_t batch_kind(const struct batch_walk *w)
{
    if (w->phase == BATCH_SETTLE && w->dense)
        return 3;
    return w->phase <= BATCH_SETTLE ? 0 : w->phase == BATCH_UP ? 1 : 2;
}

WEIR_DEV void bfs_batch_body(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                             struct weir_steps_block *b)
{
    struct batch_walk w;
    uint64_t total[WEIR_STEPS_SUMS], did[BATCH_DID];
    uint32_t stop = WEIR_STEPS_GOES_ON;
    memset(&w, 0, sizeof w);
    w.looked = a->rows.arcs_all / BATCH_GUESS;
    if (b->thread == 0) {
        memset(shared, 0, sizeof *shared);
        shared->since_ns = weir_clock_ns();
    }
    weir_block_sync();
    WEIR_ROLLED
    while (!stop && w.phase != BATCH_END) {
        const uint32_t phase = w.phase, kind = batch_kind(&w);
        batch_work(a, shared, b, &w);
        if ((stop = batch_barrier(a, shared, b, total)))
            return;
        if (phase == BATCH_ABSORB && b->block == 0)
            weir_steps_close(&a->member, b, &shared->inboxes);
        batch_after(a, b, &w, total);
        if (b->block == 0 && b->thread == 0)
            weir_steps_book(&a->member, &shared->since_ns, BATCH_RESULT_NS + kind,
                            BATCH_RESULT_STEPS + kind);
    }
    batch_count_end(a, shared, *b);
    for (uint32_t i = 0; i < BATCH_DID; i++)
        did[i] = b->thread ? 0 : shared->did[i];
    weir_steps_count(&a->member, b, BATCH_RESULT_ENTRIES, did, BATCH_DID);
    if (b->block || b->thread)
        return;
    weir_steps_mine(&a->member)->result[BATCH_RESULT_LEVELS] = w.level;
    weir_steps_mine(&a->member)->result[BATCH_RESULT_HUBS] = a->listed[0];
    weir_steps_mine(&a->member)->result[BATCH_RESULT_LONGS] = a->listed[1];
    weir_steps_mine(&a->member)->result[BATCH_RESULT_SHARES] = w.shares;
}

#endif
