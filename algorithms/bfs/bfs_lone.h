/** @file bfs_lone.h  Narrow levels that one device does for all (`balance ownership`), after GUM's ownership stealing.
 *
 * A level of few entries takes less time than the barriers that all devices have behind it. So while levels are narrow one device owns
 * everything: it looks along the arcs of all where they lie, claims vertices in its own bitmap, which was made whole before, and stores
 * the levels of what it finds into the memory of their owners, which nobody waits for. Between two levels there is a barrier of its own
 * blocks alone. The others wait meanwhile at one barrier of all devices for its flag, a word of their own memory. bfs_lone_move.h says how
 * ownership moves there and back.
 *
 * Here is what the loop over narrow levels (bfs_step_narrow.h) needs for that: where things lie, and the arcs for a worker of one lane.
 * Entries of the queue have numbers for rows in it. In the kernel that shares nothing there is one device, whose rows are numbers. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_LONE_H
#define WEIR_ALGORITHMS_BFS_BFS_LONE_H

#include "algorithms/bfs/bfs_step_down.h"

/* What narrow levels need, in locals. */
struct bfs_here {
    struct bfs_piece *queue;
    uint32_t *found, *tail;
#if BFS_STEALS
    const struct bfs_lie *lies; /* by owner */
    uint64_t *arcs;             /* the same: looked at */
    uint32_t parts;
#else
    struct bfs_lie lie;
#endif
};

#if BFS_STEALS

/* Before the first step, by all threads of a block; a barrier follows. */
WEIR_DEV void bfs_lone_begin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, struct bfs_walk *w)
{
    w->lone_entries = a->lone_entries;
    for (uint32_t d = b->thread; d < a->rows.parts; d += b->threads) {
        shared->lone_arcs[d] = 0;
        shared->lies[d].offsets = a->peer[d].offsets;
        shared->lies[d].targets = a->peer[d].targets;
        shared->lies[d].level = a->peer[d].level;
        shared->lies[d].parent = a->peer[d].parent;
        shared->lies[d].first = a->rows.first[d];
    }
    if (b->thread)
        return;
    shared->alone.page[0] = a->member.page[a->member.index];
    shared->alone.index = 0;
    shared->alone.count = 1; /* the rest of it is for the prologue, and for notes */
    shared->lone_levels = shared->lone_moves = 0;
    shared->entry_ps = shared->together_ns = shared->together = 0;
    shared->level_ns = UINT64_MAX;
    shared->lone_next = a->lone_entries;
}

WEIR_DEV void bfs_lies(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                       struct bfs_here *h)
{
    h->lies = shared->lies;
    h->arcs = shared->lone_arcs;
    h->parts = a->rows.parts;
}

/* Where what the owner of a number has lies. Devices that own nothing come out right: numbers of theirs there are none. */
WEIR_DEV const struct bfs_lie *bfs_lie_of(const struct bfs_here *h, uint32_t number)
{
    uint32_t owner = 0;
    WEIR_ROLLED
    for (uint32_t d = 1; d < h->parts; d++)
        owner += number >= h->lies[d].first;
    return &h->lies[owner];
}

WEIR_DEV void bfs_lone_count(const struct bfs_here *h, const struct bfs_lie *from, uint32_t arcs)
{
    if (arcs)
        weir_atomic_add_block_u64(&h->arcs[from - h->lies], arcs);
}

/* Up to how many entries the next level is done as the last one was. */
WEIR_DEV uint32_t bfs_lone_room(const struct bfs_walk *w, uint32_t room)
{
    return room < w->lone_entries ? room : w->lone_entries;
}

/* As bfs_expand_alone() on one entry whose row is a number. */
WEIR_DEV void bfs_lone_arcs_alone(const struct bfs_step_args *a, const struct bfs_here *h,
                                  const struct bfs_walk *w, struct bfs_tally *t,
                                  struct bfs_kept *kept, struct bfs_piece piece)
{
    const struct bfs_lie *const from = bfs_lie_of(h, piece.row);
    for (uint32_t i = 0; i < piece.count; i++) {
        const uint32_t number = from->targets[piece.first + i];
        if (bfs_is_set(h->found, number) || !bfs_claim(h->found, number))
            continue;
        const struct bfs_lie *const lie = bfs_lie_of(h, number);
        const uint32_t row = number - lie->first;
        lie->level[row] = w->level + 1;
        if (lie->parent)
            lie->parent[row] = piece.row;
        bfs_keep_row(a, t, kept, number, lie->offsets[row], lie->offsets[row + 1], 0, 0);
    }
    t->down_arcs += piece.count;
    bfs_lone_count(h, from, piece.count);
}

/* As bfs_share_alone(), of entries whose rows are numbers. */
WEIR_DEV void bfs_lone_alone(const struct bfs_step_args *a, const struct bfs_here *h,
                             const struct bfs_walk *w, struct bfs_tally *t, struct bfs_kept *kept,
                             uint32_t index, uint32_t workers)
{
    const uint32_t entries = w->end - w->begin, take = (entries + workers - 1) / workers;
    const uint64_t from = (uint64_t)index * take,
                   to = from + take < entries ? from + take : entries;
    for (uint64_t i = from; i < to; i++) {
        if (i + BFS_AHEAD < to) {
            const struct bfs_piece next = h->queue[w->begin + i + BFS_AHEAD];
            weir_prefetch(&bfs_lie_of(h, next.row)->targets[next.first]);
        }
        bfs_lone_arcs_alone(a, h, w, t, kept, h->queue[w->begin + i]);
        t->pieces++;
    }
}

#else /* one device, whose rows are numbers */

WEIR_DEV void bfs_lone_begin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             const struct weir_steps_block *b, struct bfs_walk *w)
{
    (void)a, (void)shared, (void)b, (void)w;
}
WEIR_DEV void bfs_lies(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                       struct bfs_here *h)
{
    (void)shared;
    h->lie.offsets = a->rows.out.offsets;
    h->lie.targets = a->rows.out.targets;
    h->lie.level = a->level;
    h->lie.parent = a->parent;
    h->lie.first = 0;
}
WEIR_DEV const struct bfs_lie *bfs_lie_of(const struct bfs_here *h, uint32_t number)
{
    (void)number;
    return &h->lie;
}
WEIR_DEV void bfs_lone_count(const struct bfs_here *h, const struct bfs_lie *from, uint32_t arcs)
{
    (void)h, (void)from, (void)arcs;
}
WEIR_DEV uint32_t bfs_lone_room(const struct bfs_walk *w, uint32_t room)
{
    (void)w;
    return room;
}
WEIR_DEV void bfs_lone_alone(const struct bfs_step_args *a, const struct bfs_here *h,
                             const struct bfs_walk *w, struct bfs_tally *t, struct bfs_kept *kept,
                             uint32_t index, uint32_t workers)
{
    (void)a, (void)h, (void)w, (void)t, (void)kept, (void)index, (void)workers;
}

#endif

#endif
