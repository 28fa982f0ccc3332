/** @file bfs_step_eager.h  Eager levels: on several devices whose rows are short, what others found is expanded in the step in which it is
 * taken in.
 *
 * Else a level is two steps, one that expands the stretch and one that takes in what others found, and each has a barrier over links,
 * which takes longer than the work of a narrow level. Here a vertex that came is expanded at once, beside those of the stretch. In the same step a
 * neighbor on this device may find that vertex too, for the next level, which is one too late. So levels are minima in such a
 * step, and who takes a vertex in expands it if it lowered the level, whether or not its bit was set. The entry that the neighbor has put
 * into the queue then finds nothing new. A run begins with all levels reset, since those of the run before are no bound.
 *
 * Not with a tree: the minimum would have to be of level and parent. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_EAGER_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_EAGER_H

#include "algorithms/bfs/bfs_step_down.h"

/** Reset the levels of all rows, by all blocks, before the source has one. @return as weir_steps_sync(). */
WEIR_DEV uint32_t bfs_forget(const struct bfs_step_args *a, struct weir_steps_block *b)
{
    uint64_t total[WEIR_STEPS_SUMS];
    const uint64_t stride = weir_steps_threads(b);
    WEIR_ROLLED
    for (uint64_t row = (uint64_t)b->block * b->threads + b->thread; row < a->rows.owned;
         row += stride)
        a->level[row] = BFS_NONE;
    return weir_steps_sync(&a->member, b, b->blocks, 0, 0, total);
}

/* A number came that is of this level. @param[out] piece_out  its arcs. @return whether its level was higher, or none yet. */
WEIR_DEV int bfs_take_in(const struct bfs_step_args *a, const struct bfs_walk *w, uint32_t number,
                         struct bfs_piece *piece_out)
{
    const uint32_t row = number - a->rows.begin;
    const uint64_t first = a->rows.out.offsets[row], last = a->rows.out.offsets[row + 1];
    const struct bfs_piece piece = {first, row, (uint32_t)(last - first)};
    (void)bfs_claim(a->found[w->current][a->member.index], number);
    if (weir_atomic_min_relaxed_dev_u32(&a->level[row], w->level) <= w->level)
        return 0;
    *piece_out = piece;
    return 1;
}

/** The blocks that are awake take all entries of the stretch and all that the opened inboxes hold. */
WEIR_DEV struct bfs_tally bfs_eager(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                    struct weir_steps_block b, struct bfs_walk w)
{
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
    const uint32_t workers = w.awake * b.threads / WEIR_LANES, entries = w.end - w.begin;
    uint64_t all = entries, passed;
    for (uint32_t d = 0; d < a->rows.parts; d++)
        all += shared->inboxes.end[d] - shared->inboxes.first[d];
    /* Few at a time where they are few, so that all workers have some. */
    const uint64_t each = (all + workers - 1) / workers;
    const uint32_t take = (uint32_t)(each < 1 ? 1 : each > WEIR_LANES ? WEIR_LANES : each);
    passed = (entries + take - 1) / take;
    WEIR_ROLLED
    for (uint64_t i = weir_steps_warp(&b); i < passed; i += workers) {
        const uint32_t at = (uint32_t)i * take, left = entries - at,
                       count = left < take ? left : take;
        if (WEIR_LANES == 1u)
            bfs_expand_alone(a, &w, &t, &shared->kept, w.begin + at, count, 0, 0, 1);
        else
            bfs_expand(a, shared, &w, &t, w.begin + at, count, 0, 1, 0, 0, 1);
    }
    /* Who has had no entry is the first to take something in. */
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        const uint64_t first = shared->inboxes.first[d], came = shared->inboxes.end[d] - first;
        const uint64_t groups = (came + take - 1) / take;
        const uint32_t mine =
            (weir_steps_warp(&b) + workers - (uint32_t)(passed % workers)) % workers;
        WEIR_ROLLED
        for (uint64_t i = mine; i < groups; i += workers) {
            const uint64_t at = i * take + weir_lane();
            struct bfs_piece piece = {0, 0, 0};
            const int is = weir_lane() < take && at < came &&
                           bfs_take_in(a, &w, a->inbox[d][first + at], &piece);
            const uint32_t those = weir_ballot(is);
            t.pieces += (uint64_t)is;
            t.found += weir_popcount_u32(those);
            if (!those)
                continue;
            if (WEIR_LANES == 1u)
                bfs_arcs_alone(a, &w, &t, &shared->kept, piece, BFS_TARGETS(a, &w), 0, 0, NULL);
            else
                bfs_expand_pieces(a, shared, &w, &t, piece, 0, 0, 1);
        }
        passed += groups;
    }
    bfs_flush(a, shared, &t);
    return t;
}

#endif
