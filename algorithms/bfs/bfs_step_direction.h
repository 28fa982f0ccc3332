/** @file bfs_step_direction.h  What is decided behind a barrier: which direction the next level takes, which phase it
 * begins with, how many blocks it needs. All blocks that are awake have the same sums, so they decide the same. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_DIRECTION_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_DIRECTION_H

#include "algorithms/bfs/bfs_step_eager.h"
#include "algorithms/bfs/bfs_step_narrow.h"
#include "algorithms/bfs/bfs_step_up.h"

/* A level goes back to top-down where it takes less than that part of the looks bottom-up, since the way back costs a phase of its own. */
#define BFS_DOWN_GAIN 3u
/* The least part of all arcs, as a power of two, that is looked at as enough. */
#define BFS_ENOUGH 6u

/* How many looks a level would take bottom-up, if the level before found vertices of so many arcs. A vertex that is not found
 * reads where its row lies and looks along its arcs until it meets the last level; the share of all arcs that the last level
 * has says how soon that is. */
WEIR_DEV uint64_t bfs_up_cost(const struct bfs_step_args *a, const struct bfs_walk *w,
                              uint64_t arcs)
{
    const uint64_t mean = w->unfound_arcs / (w->unfound + 1) + 1;
    const uint64_t soon = a->rows.arcs_all / (arcs + 1) + 1;
    return w->unfound * (2 + (mean < soon ? mean : soon)) + a->rows.numbers / 32;
}

/* bfs_walk.enough for a level that goes top-down. With arcs of that part found the next level goes bottom-up: fewer vertices will be
 * left to look then than there are now. */
WEIR_DEV uint32_t bfs_enough(const struct bfs_step_args *a, const struct bfs_walk *w)
{
    uint32_t enough = 0;
    for (uint32_t log = 1; log <= BFS_ENOUGH; log++) {
        const uint64_t arcs = a->rows.arcs_all >> log;
        if (bfs_up_cost(a, w, arcs) > a->gain * arcs)
            break;
        enough = log;
    }
    return enough;
}

WEIR_DEV uint32_t bfs_choose(const struct bfs_step_args *a, const struct bfs_walk *w, int was_up)
{
    if (a->pull)
        return BFS_UP;
    if (a->down)
        return BFS_DOWN;
    if (was_up)
        return BFS_DOWN_GAIN * w->arcs < bfs_up_cost(a, w, w->arcs) ? BFS_LIST : BFS_UP;
    if (w->enough != BFS_UNLISTED && (!w->wide || bfs_up_cost(a, w, w->arcs) > a->gain * w->arcs))
        return BFS_DOWN;
    return a->rows.parts > 1 ? BFS_SHARE : BFS_UP;
}

WEIR_DEV uint64_t bfs_less(uint64_t from, uint64_t by)
{
    return from > by ? from - by : 0;
}

/* The stretch grows by what a phase put into the queue, and the estimates are brought up to date. */
WEIR_DEV void bfs_grow(const struct bfs_step_args *a, const struct weir_steps_block *b,
                       struct bfs_walk *w, const uint64_t *total)
{
    const uint64_t own = a->rows.parts > 1 ? weir_steps_own(&a->member, b) : total[0];
    const uint64_t entries = (uint32_t)total[0];
    const int eager = w->phase == BFS_EAGER,
              counted = !eager && (BFS_STEALS || w->wide || w->phase != BFS_DOWN);
    w->end += (uint32_t)own;
    w->entries += entries;
    w->split |= total[0] >> 32 != 0;
    w->arcs += counted ? total[2] : entries * (a->rows.arcs_all / (a->rows.vertices + 1) + 1);
    w->unfound = bfs_less(w->unfound, counted ? total[3] : eager ? entries + total[3] : entries);
}

/* A level is complete: choose the phase that the next one begins with. */
WEIR_DEV void bfs_level_done(const struct bfs_step_args *a, struct bfs_walk *w, int was_up)
{
    w->wide = was_up || w->split || w->entries >= bfs_wide_from(a);
    w->unfound_arcs = bfs_less(w->unfound_arcs, w->arcs);
    w->phase = bfs_choose(a, w, was_up);
    w->enough = w->phase == BFS_DOWN && w->wide && !a->down ? bfs_enough(a, w) : 0;
}

/* A level is complete but for what came from other devices: take it in by itself, or with the next level. */
WEIR_DEV void bfs_come(const struct bfs_step_args *a, struct bfs_walk *w)
{
    if (a->eager && w->entries + w->came < BFS_EAGER_MOST) {
        w->unfound_arcs = bfs_less(w->unfound_arcs, w->arcs);
        w->phase = BFS_EAGER;
        w->wide = w->enough = 0;
    } else {
#if BFS_WIRES
        w->phase = BFS_FOLD;
#else
        w->phase = BFS_ABSORB;
#endif
        w->wide |= w->came >= BFS_WIDE;
    }
}

/* After a barrier: what comes next. */
WEIR_DEV void bfs_next(const struct bfs_step_args *a, const struct weir_steps_block *b,
                       struct bfs_walk *w, const uint64_t *total)
{
    switch (w->phase) {
    case BFS_DOWN:
    case BFS_EAGER:
        if (w->phase == BFS_EAGER) {
            w->opened ^= 1;
            w->eager_levels++;
            if (w->entries == 0 &&
                total[3] == 0) { /* all that came was known: there was no such level */
                w->phase = BFS_END;
                break;
            }
        }
#if BFS_STEALS
        w->stolen = 0;
#endif
        w->begin = w->end;
        w->entries = w->arcs = w->split = 0;
        w->enough = w->enough && total[2] >= a->rows.arcs_all >> w->enough ? BFS_UNLISTED : 0;
        w->level++;
        bfs_grow(a, b, w, total);
        w->came = total[1];
        if (w->came) {
            bfs_come(a, w);
        } else if (w->entries == 0) {
            w->phase = BFS_END;
        } else {
            bfs_level_done(a, w, 0);
        }
        break;
#if BFS_WIRES
    case BFS_FOLD:
        w->phase = BFS_ABSORB;
        break;
#endif
    case BFS_ABSORB:
        w->opened ^= 1;
        bfs_grow(a, b, w, total);
        if (w->entries == 0)
            w->phase = BFS_END;
        else
            bfs_level_done(a, w, 0);
        break;
#if BFS_STEALS
    case BFS_COUNT:
        w->phase = BFS_CUT;
        break;
    case BFS_CUT:
        w->phase = BFS_DOWN;
        w->stolen = 1;
        break;
    case BFS_GATHER:
        w->phase = a->member.index == a->lone ? BFS_SEIZE : BFS_REJOIN;
        w->lone_step = b->step;
        w->wide = 0;
        break;
    case BFS_GIVE: {
        const uint64_t unfound = w->unfound; /* what is given back is found already */
        w->begin = w->end;
        w->entries = w->arcs = w->split = 0;
        bfs_grow(a, b, w, total);
        w->unfound = unfound;
        if (w->entries == 0)
            w->phase = BFS_END;
        else
            bfs_level_done(a, w, 0);
        break;
    }
#endif
    case BFS_SHARE:
        w->phase = BFS_UP;
        break;
    case BFS_UP:
        w->level++;
        w->current ^= 1;
        w->arcs = total[2];
        w->unfound = bfs_less(w->unfound, total[3]);
        w->begin = w->end;
        w->entries = total[3];
        if (total[3] == 0)
            w->phase = BFS_END;
        else
            bfs_level_done(a, w, 1);
        break;
    default: /* BFS_LIST */
        w->begin = w->end;
        w->end += (uint32_t)(a->rows.parts > 1 ? weir_steps_own(&a->member, b) : total[0]);
        w->entries = (uint32_t)total[0];
        w->split = total[0] >> 32 != 0;
        w->enough = 0; /* the frontier shrinks */
        w->phase = BFS_DOWN;
    }
}

/* Blocks of this device that the next phase needs. */
WEIR_DEV uint32_t bfs_need(const struct bfs_step_args *a, const struct weir_steps_block *b,
                           const struct bfs_walk *w)
{
    const uint32_t each = b->threads / WEIR_LANES * BFS_TAKE;
    if (BFS_STEALS && w->phase == BFS_REJOIN) /* who waits needs one; who comes comes with all */
        return a->member.index == a->lone ? w->awake : 1;
    if ((w->phase > BFS_EAGER && !(BFS_STEALS && w->phase == BFS_LONE)) || w->wide)
        return b->blocks;
#if BFS_WIRES
    const int takes_in = w->phase != BFS_DOWN;
    const uint64_t came = takes_in ? (w->came > w->words ? w->came : w->words) : 0;
#else
    const uint64_t came = w->phase == BFS_EAGER ? w->came : 0; /* by all, to all */
#endif
    const uint64_t need = (w->end - w->begin + came + each - 1) / each;
    return need < 1 ? 1 : need < b->blocks ? (uint32_t)need : b->blocks;
}

#endif
