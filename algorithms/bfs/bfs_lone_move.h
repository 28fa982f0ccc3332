/** @file bfs_lone_move.h  How ownership moves to the device that does narrow levels alone (bfs_lone.h), and back; and when.
 *
 *     all        GATHER ------------------------------------------------> REJOIN --> GIVE --> DOWN, or END
 *     that one   GATHER --> SEIZE --> LONE --> LONE ... --(wide, or over)--> REJOIN --> GIVE
 *
 * GATHER: each device copies its part of the bitmap to that one, and says which stretch of its queue the level is. SEIZE: that one copies
 * the stretches behind its own queue, as entries of the rows that it has. LONE: levels. REJOIN has no work but the barrier, at which the others
 * wait all the time: it tells them where the search is. GIVE: each takes its part of that one's bitmap,
 * the levels and parents of what is new there, and puts what it owns of the last stretch into its own queue.
 *
 * Barriers among the blocks of that device are those of a single device, by the same words, as `shared->alone` says. They count its
 * step on while the others wait at theirs, so before it comes to their barrier it goes on to a step that differs by a multiple of
 * WEIR_STEPS_SLOTS, whose words are clear just as those of their step would be, and takes their number for that barrier. Behind it all go on
 * from the larger number, so that no number comes twice, which blocks that sleep rely on.
 *
 * In the queue of that device a vertex has two entries at the most (times its pieces): one if it is found there alone, and one more in GIVE if
 * the device owns it; else that of its owner's, if this is the same device, and one more in SEIZE. SEIZE takes over the entries of one level alone,
 * and BFS_LONE_AFTER levels of all devices come between GIVE and the next SEIZE: so it never takes over what GIVE has put. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_LONE_MOVE_H
#define WEIR_ALGORITHMS_BFS_BFS_LONE_MOVE_H

#include "algorithms/bfs/bfs_step_direction.h"

/* Ownership moves behind so many narrow levels one after the other: the first and the last levels of a search of few levels are narrow
 * too, and moving takes about as long as what so many levels save. At least 1. */
#define BFS_LONE_AFTER 4u
/* Bounds of what is found for the number of entries. */
#define BFS_LONE_LEAST 64u
#define BFS_LONE_MOST  ((1u << 24) - 1)

#if BFS_STEALS

/* The bitmap of the device's own part as it was before ownership moved: that one's in its other bitmap, which nothing else needs while
 * levels go top-down. */
WEIR_DEV uint32_t *bfs_lone_before(const struct bfs_step_args *a, const struct bfs_walk *w)
{
    const uint32_t which = a->member.index == a->lone ? w->current ^ 1u : w->current;
    return a->found[which][a->member.index] + a->rows.begin / 32;
}

/** GATHER; all blocks. */
WEIR_COLD void bfs_lone_gather(const struct bfs_step_args *a, struct weir_steps_block b,
                               struct bfs_walk w)
{
    const struct bfs_stretch mine = {w.begin, w.end};
    const uint32_t *now = a->found[w.current][a->member.index] + a->rows.begin / 32;
    uint32_t *before = bfs_lone_before(a, &w);
    const uint64_t words = bfs_words(a), stride = weir_steps_threads(&b);
    if (b.block == 0 && b.thread == 0)
        a->stretches[a->member.index] = mine;
    if (a->member.index != a->lone)
        bfs_share_with(a, &b, &w, a->lone, a->lone + 1);
    WEIR_ROLLED
    for (uint64_t at = weir_steps_thread(&b); before != now && at < words; at += stride)
        before[at] = now[at];
}

/** SEIZE; all blocks. */
WEIR_COLD void bfs_lone_seize(const struct bfs_step_args *a, struct weir_steps_block b,
                              struct bfs_walk w)
{
    struct bfs_piece *to = a->queue + w.end;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        const struct bfs_stretch its = a->stretches[d];
        const struct bfs_piece *from = a->peer[d].queue + its.begin;
        WEIR_ROLLED
        for (uint64_t i = weir_steps_thread(&b); i < its.end - its.begin;
             i += (uint64_t)w.awake * b.threads) {
            struct bfs_piece piece = from[i];
            piece.row += a->rows.first[d];
            piece.first += a->peer[d].base;
            to[i] = piece;
        }
        to += its.end - its.begin;
    }
    if (b.block == 0 && b.thread == 0)
        weir_add_relaxed_dev_u32(a->tail, (uint32_t)w.entries);
}

/* The lanes take what is new in one word after the other, side by side. @param[in] word  of lane 0, in the device's part.
 * @param[in] fresh  bits of this lane's word. @return how many there are. */
WEIR_DEV uint32_t bfs_lone_back(const struct bfs_step_args *a, uint64_t word, uint32_t fresh)
{
    WEIR_ROLLED
    for (uint32_t many = weir_ballot(fresh != 0); many; many &= many - 1) {
        const uint32_t lane = weir_first_bit_u32(many), bits = weir_broadcast_u32(fresh, lane);
        for (uint32_t bit = weir_lane(); bit < 32; bit += WEIR_LANES) {
            const uint64_t row = (word + lane) * 32 + bit, number = a->rows.begin + row;
            if (!(bits >> bit & 1u))
                continue;
            a->level[row] = a->lone_level[number];
            if (a->parent)
                a->parent[row] = a->lone_parent[number];
        }
    }
    return weir_popcount_u32(fresh);
}

/* Levels, parents and bits of what was found of the device's own vertices; all blocks. */
WEIR_DEV void bfs_lone_take_back(const struct bfs_step_args *a, const struct weir_steps_block *b,
                                 const struct bfs_walk *w)
{
    const uint32_t *its = a->found[w->current][a->lone] + a->rows.begin / 32;
    uint32_t *mine = bfs_lone_before(a, w);
    const uint32_t words = bfs_words(a);
    uint64_t back = 0;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(b) * WEIR_LANES; base < words;
         base += (uint64_t)w->awake * b->threads) {
        const uint64_t at = base + weir_lane();
        const uint32_t was = at < words ? mine[at] : 0, is = at < words ? its[at] : 0;
        if (is & ~was)
            mine[at] = was | is; /* of that one nobody reads it again */
        back += bfs_lone_back(a, base, is & ~was);
    }
    back = weir_sum_u64(back);
    if (weir_lane() == 0 && back)
        weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[BFS_RESULT_LONE_BACK], back);
}

/** GIVE; all blocks. */
WEIR_COLD void bfs_lone_give(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                             struct weir_steps_block b, struct bfs_walk w)
{
    const struct bfs_piece *queue = a->peer[a->lone].queue;
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
    bfs_lone_take_back(a, &b, &w);
    WEIR_ROLLED
    for (uint64_t base = w.found.begin + (uint64_t)weir_steps_warp(&b) * WEIR_LANES;
         base < w.found.end; base += (uint64_t)w.awake * b.threads) {
        struct bfs_piece piece = {0, BFS_NONE, 0};
        if (base + weir_lane() < w.found.end)
            piece = queue[base + weir_lane()];
        const uint32_t row = piece.row - a->rows.begin;
        /* A row of several pieces is put once. */
        const int is = bfs_owns(a, piece.row) &&
                       piece.first == a->peer[a->member.index].base + a->rows.out.offsets[row];
        if (weir_ballot(is))
            bfs_put(a, shared, &t, is, row, 1);
    }
    bfs_flush(a, shared, &t);
}

/* ---- when --------------------------------------------------------------------------------------- */

/** Thread 0 of block 0 of that device, behind some narrow levels that it did alone: how long they took. */
WEIR_COLD void bfs_lone_measure(struct bfs_step_shared *shared, uint32_t limit, uint64_t levels,
                                uint64_t entries)
{
    const uint64_t now = weir_clock_ns(), each = (now - shared->lone_since_ns) / levels;
    const uint64_t mean = entries / levels + 1;
    shared->level_ns = each < shared->level_ns ? each : shared->level_ns;
    /* Levels of a few entries say nothing of what an entry takes. */
    if (mean >= limit / 8 && each > shared->level_ns)
        shared->entry_ps = (each - shared->level_ns) * 1000 / mean;
    shared->lone_since_ns = now;
    shared->lone_levels += levels;
}

/* The same: up to how many entries a level is narrow. One device takes z + c * e for a level of e entries, and n of them z + p + c * e / n,
 * where p is what barriers, exchange and waiting for each other take: GUM's z + p * m, for one device and for all. */
WEIR_COLD uint32_t bfs_lone_limit(const struct bfs_step_args *a,
                                  const struct bfs_step_shared *shared)
{
    const uint64_t n = a->rows.parts;
    if (a->lone_fixed || !shared->entry_ps || !shared->together)
        return a->lone_entries;
    const uint64_t entries = shared->together_ns * 1000 * n / ((n - 1) * shared->entry_ps);
    return (uint32_t)(entries < BFS_LONE_LEAST  ? BFS_LONE_LEAST
                      : entries > BFS_LONE_MOST ? BFS_LONE_MOST
                                                : entries);
}

/** The same, behind a level that all did: how much longer it took than the work in it. The last levels count most.
 *  @param[in] entries  of the next one.  @param[in] timed  it began with the last call. */
WEIR_COLD void bfs_lone_compare(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                uint64_t entries, int timed)
{
    const uint64_t now = weir_clock_ns(), took = now - shared->lone_since_ns;
    const uint64_t least = shared->level_ns == UINT64_MAX ? 0 : shared->level_ns;
    const uint64_t work =
        least + shared->entry_ps * shared->together_entries / 1000 / a->rows.parts;
    /* Of a wide level it would be the small difference of two large numbers. */
    if (timed && shared->together_entries <= 2 * (uint64_t)shared->lone_next) {
        const uint64_t more = bfs_less(took, work);
        shared->together_ns = shared->together++ ? (7 * shared->together_ns + more) / 8 : more;
        shared->lone_next = bfs_lone_limit(a, shared);
    }
    shared->lone_since_ns = now;
    shared->together_entries = entries;
}

/** A level is complete that all devices did, but for phase @p was, and the next one would be a level top-down of all. All threads. */
WEIR_DEV void bfs_lone_next(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                            const struct weir_steps_block *b, struct bfs_walk *w, uint32_t was)
{
    /* Fewer than when it ends, so that ownership does not move to and fro. */
    const int narrow = w->entries <= w->lone_entries - w->lone_entries / 4;
    if (b->block == 0 && b->thread == 0 && a->lone == a->member.index)
        bfs_lone_compare(a, shared, w->entries, was <= BFS_ABSORB);
    w->narrow_levels = narrow ? w->narrow_levels + 1 : 0;
    if (a->lone == BFS_NONE || w->narrow_levels <= BFS_LONE_AFTER)
        return;
    w->narrow_levels = 0;
    w->phase = BFS_GATHER;
}

/* ---- barriers ----------------------------------------------------------------------------------- */

/* Whether the barrier behind a phase is one of the blocks of this device alone. */
WEIR_DEV int bfs_is_alone(const struct bfs_walk *w)
{
    return w->phase == BFS_SEIZE || w->phase == BFS_LONE;
}

/** Whether blocks of a device that has few leave it too, in narrow levels: all of them have had bitmaps to copy before. */
WEIR_DEV int bfs_lone_spares(const struct bfs_walk *w, uint32_t need)
{
    return w->phase == BFS_LONE && w->awake < 8 && 2 * need <= w->awake;
}

/* With whom a block has the barrier behind a phase. */
WEIR_DEV const struct weir_steps_member *bfs_with(const struct bfs_step_args *a,
                                                  const struct bfs_step_shared *shared,
                                                  const struct bfs_walk *w)
{
    return bfs_is_alone(w) ? &shared->alone : &a->member;
}

/* Sum 3 of a barrier of all devices counts vertices in its low bits, and has above them up to how many entries a level is narrow. */
#define BFS_LONE_SHIFT 40

/** What block 0 of the device that does narrow levels adds to sum 3. By thread 0. */
WEIR_DEV uint64_t bfs_lone_told(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                                const struct weir_steps_block *b, const struct bfs_walk *w)
{
    return b->block == 0 && a->member.index == a->lone && !bfs_is_alone(w) && w->phase != BFS_REJOIN
               ? (uint64_t)shared->lone_next << BFS_LONE_SHIFT
               : 0;
}

/* The blocks of that device pass so many more barriers. Called, as it would take registers from what is always there. @return as weir_steps_sync(). */
WEIR_COLD uint32_t bfs_lone_pad(struct bfs_step_shared *shared, struct weir_steps_block b,
                                uint32_t barriers, uint32_t blocks)
{
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop = WEIR_STEPS_GOES_ON;
    WEIR_ROLLED
    for (uint32_t i = 0; i < barriers && !stop; i++)
        stop = weir_steps_sync(&shared->alone, &b, blocks, 0, 0, total);
    return stop;
}

/** REJOIN, in front of its barrier; all threads of all blocks that are awake. The device that went on alone comes to the step of the
 *  others. @return as weir_steps_sync(). */
WEIR_DEV uint32_t bfs_lone_rejoin(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                  struct weir_steps_block *b, const struct bfs_walk *w)
{
    const uint32_t barriers = (w->lone_step - b->step) % WEIR_STEPS_SLOTS;
    if (a->member.index != a->lone)
        return WEIR_STEPS_GOES_ON;
    const uint32_t stop = bfs_lone_pad(shared, *b, barriers, w->arriving);
    if (stop)
        return stop;
    b->step += barriers;
    if (b->block == 0 && b->thread == 0) {
        shared->lone_next = bfs_lone_limit(a, shared);
        shared->first = shared->lone_next;
        shared->sent = (uint64_t)w->end << 32 | w->begin;
        shared->arcs = (uint64_t)(b->step - w->lone_step) << 32 | w->level;
        shared->found = w->end - shared->lone_end;
    }
    b->step = w->lone_step;
    weir_block_sync();
    return WEIR_STEPS_GOES_ON;
}

/** Behind the barrier of REJOIN; all threads. What was found meanwhile is told by the barrier, and on no device subtracted before: all of them
 *  choose the next direction by these estimates, and devices that chose differently would wait for each other for ever. The arcs of the last stretch
 *  are left to GIVE, which counts them. */
WEIR_DEV void bfs_lone_joined(const struct bfs_step_args *a, struct weir_steps_block *b,
                              struct bfs_walk *w, const uint64_t *total)
{
    const uint64_t mean = a->rows.arcs_all / (a->rows.vertices + 1) + 1;
    b->step += (uint32_t)(total[2] >> 32);
    w->lone_entries = (uint32_t)total[0];
    w->found.begin = (uint32_t)total[1];
    w->found.end = (uint32_t)(total[1] >> 32);
    w->level = (uint32_t)total[2];
    w->unfound_arcs =
        bfs_less(w->unfound_arcs, bfs_less(total[3], w->found.end - w->found.begin) * mean);
    w->unfound = bfs_less(w->unfound, total[3]);
    w->phase = BFS_GIVE;
}

/** Behind a barrier among the blocks of that device; all threads. */
WEIR_DEV void bfs_lone_went_on(struct bfs_step_shared *shared, const struct weir_steps_block *b,
                               struct bfs_walk *w, const uint64_t *total)
{
    w->begin = w->end;
    if (w->phase == BFS_SEIZE) {
        w->end += (uint32_t)w->entries;
        w->phase = BFS_LONE;
        if (b->block == 0 && b->thread == 0) {
            shared->lone_since_ns = weir_clock_ns();
            shared->lone_end = w->end;
            shared->lone_moves++;
        }
        return;
    }
    w->entries = (uint32_t)total[0];
    w->end += (uint32_t)w->entries;
    w->level++;
    if (w->entries == 0 || w->entries > w->lone_entries)
        w->phase = BFS_REJOIN;
}

/* Thread 0 of each block adds what it looked along in narrow levels; that of block 0 has the rest. At the end. */
WEIR_DEV void bfs_lone_finish(const struct bfs_step_args *a, const struct bfs_step_shared *shared,
                              const struct weir_steps_block *b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    if (b->thread)
        return;
    if (shared->lone_arcs)
        weir_add_relaxed_dev_u64(&result[BFS_RESULT_LONE_ARCS], shared->lone_arcs);
    if (b->block)
        return;
    result[BFS_RESULT_LONE_LEVELS] = shared->lone_levels;
    result[BFS_RESULT_LONE_MOVES] = shared->lone_moves;
    result[BFS_RESULT_LONE_ENTRIES] = shared->lone_next;
    result[BFS_RESULT_TOGETHER_NS] = shared->together_ns;
}

#endif

#endif
