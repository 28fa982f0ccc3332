/** @file bfs_step_narrow.h  Narrow levels of short rows on one device, one after the other, as road networks have; and those that one
 * device does for all (bfs_lone.h).
 *
 * A level is a chain of dependent accesses and a barrier, a few microseconds in all, so nothing else is done
 * here: four lanes to an entry, no look before the atomic, and nothing decided but whether it goes on like
 * that. All that a level needs is copied into locals first: what lies behind a pointer would be read again
 * after each barrier, which also empties the first-level cache. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_NARROW_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_NARROW_H

#include "algorithms/bfs/bfs_lone.h"

/* Entries for each worker of a block that is awake. A thread of a host device takes in many by itself before it is worth another
 * one's coming to a barrier. */
#define BFS_TAKE (WEIR_LANES == 1u ? 64u : 4u)
/* Threads of a block that take part, each worker with BFS_GROUPS entries: a level spread over more units is
 * faster, and so is a barrier of few threads. */
#define BFS_BUSY   256u
#define BFS_GROUP  (WEIR_LANES < 4u ? 1u : 4u)
#define BFS_GROUPS (WEIR_LANES / BFS_GROUP)

/* Arcs that a lane has under way: with BFS_GROUP lanes, all of nearly every row of a road network. */
#define BFS_PAIR 2u

/* Put the vertices number[k] for which is[k] holds, found from `row`, into the queue; rows are numbers here.
 * All lanes of a worker. @return entries put. */
WEIR_DEV uint64_t bfs_narrow_put(const struct bfs_here *h, const int *is, const uint32_t *number,
                                 const uint64_t *first, const uint64_t *last, uint32_t row,
                                 uint32_t level)
{
    uint32_t those[BFS_PAIR], at = 0, count = 0;
    uint64_t put;
    int rest = 0;
    for (uint32_t k = 0; k < BFS_PAIR; k++)
        count += weir_popcount_u32(those[k] = weir_ballot(is[k]));
    if (!count)
        return 0;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(h->tail, count);
    for (uint32_t k = 0; k < BFS_PAIR; k++)
        if (is[k]) {
            h->level[number[k]] = level;
            if (h->parent)
                h->parent[number[k]] = row;
        }
    put = count;
    at = weir_broadcast_u32(at, 0);
    for (uint32_t k = 0; k < BFS_PAIR; k++) {
        uint32_t slot = at + weir_popcount_u32(those[k] & ((1u << weir_lane()) - 1));
        if (is[k]) {
            h->queue[slot] = bfs_piece_of(number[k], first[k], last[k], 0);
            weir_prefetch(&h->targets[first[k]]); /* for the next level */
        }
        at += weir_popcount_u32(those[k]);
        rest |= is[k] && last[k] - first[k] > BFS_PIECE;
    }
    if (weir_ballot(rest))
        for (uint32_t k = 0; k < BFS_PAIR; k++)
            put += BFS_SPLIT +
                   bfs_put_rest(h->queue, h->tail, number[k], first[k], is[k] ? last[k] : first[k]);
    return put;
}

/* Take the entries begin to end - 1. @return entries put. */
WEIR_DEV uint64_t bfs_narrow_level(const struct bfs_here *h, struct bfs_narrow *n, uint32_t group,
                                   uint32_t groups)
{
    const uint32_t lane = weir_lane() % BFS_GROUP;
    uint64_t put = 0;
    WEIR_ROLLED
    for (uint32_t base = n->begin + group; base < n->end; base += groups) {
        const uint32_t at = base + weir_lane() / BFS_GROUP;
        struct bfs_piece piece = {0, 0, 0};
        if (at < n->end)
            piece = h->queue[at];
        n->pieces += at < n->end && lane == 0;
        WEIR_ROLLED
        for (uint32_t i = lane; weir_ballot(i < piece.count); i += BFS_GROUP * BFS_PAIR) {
            uint32_t number[BFS_PAIR];
            uint64_t first[BFS_PAIR], last[BFS_PAIR];
            int is[BFS_PAIR];
            for (uint32_t k = 0; k < BFS_PAIR; k++) {
                is[k] = i + k * BFS_GROUP < piece.count;
                number[k] = is[k] ? h->targets[piece.first + i + k * BFS_GROUP] : 0;
                n->down_arcs += (uint64_t)is[k];
            }
            /* Offsets are read before it is known whether they are needed, so that nothing waits for them later. */
            for (uint32_t k = 0; k < BFS_PAIR; k++) {
                first[k] = h->offsets[number[k]];
                last[k] = h->offsets[number[k] + 1];
            }
            for (uint32_t k = 0; k < BFS_PAIR; k++)
                is[k] = is[k] && bfs_claim(h->found, number[k]);
            put += bfs_narrow_put(h, is, number, first, last, piece.row, n->level + 1);
        }
    }
    return put;
}

/* The same by a worker of one lane. @return entries put. */
WEIR_DEV uint64_t bfs_narrow_alone(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                   const struct bfs_here *h, const struct bfs_walk *walk,
                                   struct bfs_narrow *n, uint32_t group, uint32_t groups)
{
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
    struct bfs_walk w = *walk;
    w.begin = n->begin;
    w.end = n->end;
    w.level = n->level;
    if (BFS_STEALS)
        bfs_lone_alone(a, h, &w, &t, &shared->kept, group, groups);
    else
        bfs_share_alone(a, &w, &t, &shared->kept, group, groups, 0, 0, 0);
    bfs_kept_flush(a, &shared->kept);
    n->pieces += t.pieces;
    n->down_arcs += t.down_arcs;
    return t.put;
}

/* The threads that take part search level after level. */
WEIR_DEV void bfs_narrow_busy(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                              struct weir_steps_block *b, const struct bfs_walk *w, uint32_t busy,
                              struct bfs_narrow *n)
{
    const struct bfs_here here = bfs_here_of(a, w);
    struct weir_steps_page *page = weir_steps_mine(&a->member);
    const uint32_t each = w->awake * (b->threads / WEIR_LANES) * BFS_TAKE;
    const uint32_t room = bfs_narrow_room(a, w, w->awake < b->blocks ? each : UINT32_MAX);
    const uint32_t least = w->awake == 1 || each < 8 ? 1 : each / 8;
    const uint32_t groups = w->awake * busy / BFS_GROUP;
    /* Groups are dealt out to one worker of each block after the other, so that all units have some. */
    const uint32_t group = (b->thread / WEIR_LANES * w->awake + b->block) * BFS_GROUPS;
    const uint32_t arriving = w->arriving;
    WEIR_ROLLED
    for (;;) {
        const uint64_t put = WEIR_LANES == 1u
                                 ? bfs_narrow_alone(a, shared, &here, w, n, group, groups)
                                 : bfs_narrow_level(&here, n, group, groups);
        if (put && weir_lane() == 0)
            weir_atomic_add_block_u64(&shared->first, put);
        n->levels++;
        if (arriving == 1 && n->levels % 16) { /* one block alone needs no more than this */
            weir_part_sync(busy);
            n->total = shared->first;
            weir_part_sync(busy);
            if (b->thread == 0) /* not set to 0: others may have added for the next level */
                weir_atomic_add_block_u64(&shared->first, 0 - n->total);
        } else {
            n->stop = weir_steps_sync_alone(page, b, arriving, busy, &shared->first, &n->total);
        }
        if (n->stop || n->total < least || n->total > room || arriving != w->awake)
            break;
        n->begin = n->end;
        n->end += (uint32_t)n->total;
        n->level++;
    }
    n->step = b->step;
}

/** All blocks that are awake search levels for as long as these need about as many blocks. */
WEIR_COLD struct bfs_narrow bfs_narrow_levels(const struct bfs_step_args *a,
                                              struct bfs_step_shared *shared,
                                              struct weir_steps_block b, struct bfs_walk w)
{
    const uint32_t busy = b.threads < BFS_BUSY ? b.threads : BFS_BUSY;
    struct bfs_narrow n = {0, 0, 0, w.begin, w.end, w.level, 0, 0, 0}, end;
    if (b.thread < busy) {
        bfs_narrow_busy(a, shared, &b, &w, busy, &n);
        if (b.thread == 0)
            shared->narrow = n;
    }
    weir_block_sync();
    end = shared->narrow;
    end.down_arcs = n.down_arcs;
    end.pieces = n.pieces;
    weir_block_sync();
    return end;
}

#endif
