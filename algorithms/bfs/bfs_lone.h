/** @file bfs_lone.h  Narrow levels that one device does for all (`balance ownership`), after GUM's ownership stealing.
 *
 * A level of few entries takes less time than the barriers that all devices have behind it, and so does a single access over a link. So
 * while levels are narrow one device owns everything, and has all that it needs in its own memory: a copy of the rows of all devices, by
 * number, and its bitmap, which was made whole before. It keeps the levels and parents of what it finds in arrays of its own, by number; when it
 * is through, each device copies those of its own vertices from there. Between two levels there is a barrier of its own blocks alone. The
 * others wait meanwhile at one barrier of all devices, for a flag that it will write into their memory.
 * bfs_lone_move.h says how ownership moves there and back.
 *
 * Here is what the loop over narrow levels (bfs_step_narrow.h) needs for that. Entries of the queue have numbers for rows in it. In the kernel
 * that shares nothing there is one device, whose rows are numbers. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_LONE_H
#define WEIR_ALGORITHMS_BFS_BFS_LONE_H

#include "algorithms/bfs/bfs_step_down.h"

/* What narrow levels need, in locals; rows are numbers. */
struct bfs_here {
    struct bfs_piece *queue;
    const uint64_t *offsets;
    const uint32_t *targets;
    uint32_t *found, *level, *parent, *tail;
};

/* Whether this is the one device, and its rows are short: then narrow levels are done in a loop of their own. */
WEIR_DEV int bfs_short_rows(const struct bfs_step_args *a)
{
    return a->rows.parts == 1 && a->rows.arcs_all < BFS_SHORT * a->rows.vertices;
}

/* A level of so many entries of all devices is wide. */
WEIR_DEV uint32_t bfs_wide_from(const struct bfs_step_args *a)
{
    return WEIR_LANES > 1u && bfs_short_rows(a) ? BFS_WIDE_SHORT : BFS_WIDE;
}

#if BFS_STEALS

/* Before the first step, by all threads of a block; a barrier follows. */
WEIR_DEV void bfs_lone_begin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, struct bfs_walk *w)
{
    w->lone_entries = a->lone_entries;
    if (b->thread)
        return;
    shared->alone.page[0] = a->member.page[a->member.index];
    shared->alone.index = 0;
    shared->alone.count = 1; /* the rest of it is for the prologue, and for notes */
    shared->lone_arcs = shared->lone_levels = shared->lone_moves = 0;
    shared->entry_ps = shared->together_ns = shared->together = 0;
    shared->level_ns = UINT64_MAX;
    shared->lone_next = a->lone_entries;
}

WEIR_DEV struct bfs_here bfs_here_of(const struct bfs_step_args *a, const struct bfs_walk *w)
{
    const struct bfs_here here = {
        a->queue,      a->lone_offsets, a->lone_targets, a->found[w->current][a->member.index],
        a->lone_level, a->lone_parent,  a->tail};
    return here;
}

/* Up to how many entries the next level is done as the last one was. @param[in] room  of the blocks that are awake. */
WEIR_DEV uint32_t bfs_narrow_room(const struct bfs_step_args *a, const struct bfs_walk *w,
                                  uint32_t room)
{
    (void)a;
    return room < w->lone_entries ? room : w->lone_entries;
}

/* As bfs_share_alone(), of entries whose rows are numbers. */
WEIR_DEV void bfs_lone_alone(const struct bfs_step_args *a, const struct bfs_here *h,
                             const struct bfs_walk *w, struct bfs_tally *t, struct bfs_kept *kept,
                             uint32_t index, uint32_t workers)
{
    const uint32_t entries = w->end - w->begin, take = (entries + workers - 1) / workers;
    const uint64_t from = (uint64_t)index * take,
                   to = from + take < entries ? from + take : entries;
    for (uint64_t at = from; at < to; at++) {
        const struct bfs_piece *entry = &h->queue[w->begin + at], piece = *entry;
        if (at + BFS_AHEAD < to)
            weir_prefetch(&h->targets[entry[BFS_AHEAD].first]);
        for (uint32_t i = 0; i < piece.count; i++) {
            const uint32_t number = h->targets[piece.first + i];
            if (bfs_is_set(h->found, number) || !bfs_claim(h->found, number))
                continue;
            h->level[number] = w->level + 1;
            if (h->parent)
                h->parent[number] = piece.row;
            bfs_keep_row(a, t, kept, number, h->offsets[number], h->offsets[number + 1], 0, 0);
        }
        t->down_arcs += piece.count;
        t->pieces++;
    }
}

#else /* one device, whose rows are numbers */

WEIR_DEV void bfs_lone_begin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, struct bfs_walk *w)
{
    (void)a, (void)shared, (void)b, (void)w;
}
WEIR_DEV struct bfs_here bfs_here_of(const struct bfs_step_args *a, const struct bfs_walk *w)
{
    const struct bfs_here here = {a->queue,
                                  a->rows.out.offsets,
                                  a->rows.out.targets,
                                  a->found[w->current][0],
                                  a->level,
                                  a->parent,
                                  a->tail};
    return here;
}
WEIR_DEV uint32_t bfs_narrow_room(const struct bfs_step_args *a, const struct bfs_walk *w,
                                  uint32_t room)
{
    const uint32_t most = bfs_wide_from(a) - 1;
    (void)w;
    return room < most ? room : most;
}
WEIR_DEV void bfs_lone_alone(const struct bfs_step_args *a, const struct bfs_here *h,
                             const struct bfs_walk *w, struct bfs_tally *t, struct bfs_kept *kept,
                             uint32_t index, uint32_t workers)
{
    (void)a, (void)h, (void)w, (void)t, (void)kept, (void)index, (void)workers;
}

#endif

#endif
