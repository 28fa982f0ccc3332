/** @file bfs_2d_body.h  The body of a device that searches in two dimensions: level after level, phase after phase. All threads
 * know the same sums and decide the same (bfs_2d_step.h). */
#ifndef WEIR_ALGORITHMS_BFS_BFS_2D_BODY_H
#define WEIR_ALGORITHMS_BFS_BFS_2D_BODY_H

#include "algorithms/bfs/bfs_2d_look.h"
#include "algorithms/bfs/bfs_2d_wire.h"

#include <string.h>

/* The barrier behind a phase. @param[out] total_out  0: rows found, 1: rows of others that were met, 2: pieces that were cut, by all. */
WEIR_DEV uint32_t bfs_2d_barrier(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                                 struct weir_steps_block *b, struct bfs_2d_walk *w,
                                 enum bfs_2d_phase phase, uint64_t *total_out)
{
    weir_block_sync();
    if (b->thread == 0) {
        if (shared->sent)
            weir_steps_add(&a->member, b, 1, shared->sent);
        if (shared->cut)
            weir_steps_add(&a->member, b, 2, shared->cut);
        shared->sent = shared->cut = 0;
    }
    const uint32_t stop = weir_steps_meet(&a->member, b, b->blocks, &shared->put, 1, total_out);
    if (stop)
        return stop;
    w->end += (uint32_t)(a->rows.parts > 1 ? weir_steps_own(&a->member, b) : total_out[0]);
    if (b->block == 0 && b->thread == 0) {
        const uint64_t before = shared->since_ns;
        weir_steps_book(&a->member, &shared->since_ns, BFS_2D_RESULT_NS + phase,
                        BFS_2D_RESULT_STEPS + phase);
        if (phase < BFS_2D_OF_LEVEL)
            shared->ns[phase] += shared->since_ns - before;
    }
    return WEIR_STEPS_GOES_ON;
}

/* The source is found. No device of its row but the owner knows; who meets it tells the owner once. */
WEIR_DEV void bfs_2d_start(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                           const struct weir_steps_block *b, struct bfs_2d_walk *w)
{
    const int own = weir_steps_owner(a->rows.first, a->source) == a->member.index;
    if (b->thread == 0)
        memset(shared, 0, sizeof *shared);
    weir_block_sync();
    if (own && b->block == 0 && b->thread == 0) {
        const uint32_t row = a->source - a->rows.begin;
        (void)bfs_2d_claim(a->seen, a->cell.first[a->cell.column] + row);
        a->level[row] = 0;
        if (a->parent)
            a->parent[row] = a->source;
        a->queue[0] = row;
        weir_store_relaxed_dev_u32(a->queued, 1);
    }
    if (b->block == 0 && b->thread == 0)
        shared->since_ns = weir_clock_ns();
    w->end = own ? 1 : 0;
    w->frontier = 1;
}

/* What was written down of a level before begins anew; block 0. */
WEIR_DEV void bfs_2d_begin(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                           const struct weir_steps_block *b, struct bfs_2d_walk *w)
{
    w->from = w->begin;
    w->to = w->begin = w->end;
    w->frontier = 0;
    if (b->block || b->thread)
        return;
    for (uint32_t i = 0; i < BFS_2D_OF_LEVEL; i++)
        shared->ns[i] = 0;
    if (w->level >= BFS_2D_LEVELS)
        return;
    a->log[w->level].frontier = w->to - w->from;
    for (uint32_t d = 0; d < a->rows.parts; d++)
        a->log[w->level].items[d] = 0;
}

WEIR_DEV void bfs_2d_end(const struct bfs_2d_args *a, const struct bfs_2d_shared *shared,
                         const struct weir_steps_block *b, struct bfs_2d_walk *w)
{
    if (b->block == 0 && b->thread == 0 && w->level < BFS_2D_LEVELS)
        for (uint32_t i = 0; i < BFS_2D_OF_LEVEL; i++)
            a->log[w->level].ns[i] = shared->ns[i];
    w->level++;
}

/* Block 0 notes that what came was taken in. */
WEIR_DEV void bfs_2d_close(const struct bfs_2d_args *a, const struct bfs_2d_shared *shared,
                           const struct weir_steps_block *b)
{
    if (b->block == 0)
        weir_steps_close(&a->member, b, &shared->inboxes);
}

/* LOOK, and SHARE where rows are long. @param[out] others_out  rows that were met of other devices. */
WEIR_DEV uint32_t bfs_2d_compute(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                                 struct weir_steps_block *b, struct bfs_2d_walk *w,
                                 struct bfs_2d_tally *t, uint64_t *others_out)
{
    uint64_t total[WEIR_STEPS_SUMS];
    const struct bfs_2d_tally did = bfs_2d_look(a, shared, *b, *w);
    t->arcs += did.arcs;
    t->rows += did.rows;
    uint32_t stop = bfs_2d_barrier(a, shared, b, w, BFS_2D_LOOK, total);
    if (stop)
        return stop;
    if (a->cell.rows > 1)
        bfs_2d_close(a, shared, b);
    w->frontier = total[0];
    *others_out = total[1];
    if (!total[2])
        return WEIR_STEPS_GOES_ON;
    const uint32_t end = weir_load_relaxed_dev_u32(a->cut); /* which nobody adds to now */
    bfs_2d_share(a, shared, *b, *w, end);
    w->pieces = end;
    stop = bfs_2d_barrier(a, shared, b, w, BFS_2D_LOOK, total);
    w->frontier += total[0];
    *others_out += total[1];
    return stop;
}

WEIR_DEV uint32_t bfs_2d_one_level(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                                   struct weir_steps_block *b, struct bfs_2d_walk *w,
                                   struct bfs_2d_tally *t)
{
    uint64_t total[WEIR_STEPS_SUMS], others = 0;
    uint32_t stop = WEIR_STEPS_GOES_ON;
    bfs_2d_begin(a, shared, b, w);
    if (a->cell.rows > 1) {
        bfs_2d_expand(a, *b, *w);
        stop = bfs_2d_barrier(a, shared, b, w, BFS_2D_EXPAND, total);
    }
    if (!stop)
        stop = bfs_2d_compute(a, shared, b, w, t, &others);
    if (!stop && others) {
        bfs_2d_fold(a, *b, *w);
        stop = bfs_2d_barrier(a, shared, b, w, BFS_2D_FOLD, total);
        if (!stop) {
            bfs_2d_update(a, shared, *b, *w);
            stop = bfs_2d_barrier(a, shared, b, w, BFS_2D_UPDATE, total);
        }
        if (!stop) {
            bfs_2d_close(a, shared, b);
            w->frontier += total[0];
        }
    }
    if (!stop)
        bfs_2d_end(a, shared, b, w);
    return stop;
}

WEIR_DEV void bfs_2d_body(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                          struct weir_steps_block *b)
{
    uint64_t total[WEIR_STEPS_SUMS], count[3] = {0, 0, 0};
    struct bfs_2d_tally t = {0, 0};
    struct bfs_2d_walk w;
    memset(&w, 0, sizeof w);
    bfs_2d_start(a, shared, b, &w);
    /* The source stands in the queue before anybody looks there. */
    uint32_t stop = weir_steps_sync(&a->member, b, b->blocks, &shared->put, 1, total);
    WEIR_ROLLED
    while (!stop && w.frontier)
        stop = bfs_2d_one_level(a, shared, b, &w, &t);
    if (!stop && a->parent) {
        count[2] = bfs_2d_parents(a, *b);
        stop = bfs_2d_barrier(a, shared, b, &w, BFS_2D_PARENTS, total);
    }
    if (stop)
        return;
    count[0] = t.arcs;
    count[1] = t.rows;
    weir_steps_count(&a->member, b, BFS_2D_RESULT_ARCS, count, 3);
    if (b->block || b->thread)
        return;
    weir_steps_mine(&a->member)->result[BFS_2D_RESULT_LEVELS] = w.level;
    weir_steps_mine(&a->member)->result[BFS_2D_RESULT_REACHED] = w.end;
}

#endif
