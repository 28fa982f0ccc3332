/** @file bfs_batch_down.h  A level of a batch top-down: what the arcs of the frontier touch, what goes to other devices, and
 * how what was touched becomes the next frontier. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_DOWN_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_DOWN_H

#include "algorithms/bfs/bfs_batch_count.h"

#define BATCH_ALONE 12u /* arcs of an entry that a lane does alone */

/* ---- the list of what is touched -------------------------------------------------------------- */

/** What a thread of a host device has kept goes into the list: one addition to the tail, which all threads share. */
WEIR_DEV void batch_kept_flush(const struct bfs_batch_args *a, struct bfs_batch_shared *shared)
{
    if (!shared->keeps)
        return;
    const uint32_t at = weir_atomic_add_relaxed_dev_u32(&a->tail[BATCH_TOUCHED], shared->keeps);
    for (uint32_t i = 0; i < shared->keeps; i++)
        a->touched[at + i] = shared->kept[i];
    shared->keeps = 0;
}

/* Put the numbers of those lanes into the list that have one. All lanes of a worker. */
WEIR_DEV void batch_touch(const struct bfs_batch_args *a, struct bfs_batch_shared *shared, int is,
                          uint32_t number, struct batch_tally *t)
{
    if (WEIR_LANES == 1u) {
        if (!is)
            return;
        shared->kept[shared->keeps++] = number;
        if (shared->keeps == BATCH_KEPT)
            batch_kept_flush(a, shared);
    } else {
        const uint32_t lanes = weir_ballot(is);
        uint32_t at = 0;
        if (!lanes)
            return;
        if (weir_lane() == 0)
            at = weir_atomic_add_relaxed_dev_u32(&a->tail[BATCH_TOUCHED], weir_popcount_u32(lanes));
        at = weir_broadcast_u32(at, 0) +
             weir_popcount_u32(lanes & ((UINT32_C(1) << weir_lane()) - 1));
        if (is)
            a->touched[at] = number;
    }
    t->put += (uint64_t)is;
    t->far += is && !batch_owns(a, number);
}

/** Sources come to a number. Those that have it already do not count; nobody writes `seen` while numbers are touched. The
 *  lane that brings the first bits puts the number into the list. All lanes of a worker. */
WEIR_DEV void batch_come(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                         const uint64_t *seen, uint64_t *next, int is, uint32_t number,
                         uint64_t mask, struct batch_tally *t)
{
    int first = 0;
    if (is && (mask &= ~seen[number])) {
        uint64_t *word = &next[number];
        /* A look is cheaper than an atomic, and most of a hub's neighbours bring what is there. */
        if (mask & ~weir_load_relaxed_dev_u64(word))
            first = weir_atomic_or_relaxed_dev_u64(word, mask) == 0;
    }
    batch_touch(a, shared, first, number, t);
}

/* ---- phases ----------------------------------------------------------------------------------- */

/** The sources. By the first worker of the device. */
WEIR_DEV void batch_start(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                          const struct weir_steps_block *b, const struct batch_walk *w,
                          struct batch_tally *t)
{
    if (b->block || b->thread >= WEIR_LANES)
        return;
    for (uint32_t base = 0; base < BATCH_SOURCES; base += WEIR_LANES) {
        const uint32_t s = base + weir_lane();
        const int is = s < a->sources && batch_owns(a, a->source[s]);
        batch_come(a, shared, a->seen, batch_next(a, w), is, is ? a->source[s] : 0,
                   UINT64_C(1) << s, t);
    }
}

/** The arcs of the queue: a lane does a few by itself, and all lanes of a worker do many together. */
WEIR_COLD struct batch_tally batch_down(const struct bfs_batch_args *a,
                                        struct bfs_batch_shared *shared, struct weir_steps_block b,
                                        struct batch_walk w, struct batch_tally t)
{
    const uint64_t *seen = a->seen;
    uint64_t *next = batch_next(a, &w);
    uint64_t *front = batch_last(a, &w);
    const struct batch_entry *queue = a->queue;
    const uint64_t *offsets = a->rows.out.offsets;
    const uint32_t *targets = a->rows.out.targets;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < w.entries;
         base += weir_steps_threads(&b)) {
        uint64_t mask = 0, at = 0, last = 0;
        if (base + weir_lane() < w.entries) {
            const struct batch_entry entry = queue[base + weir_lane()];
            const uint64_t end = offsets[entry.row + 1];
            mask = entry.mask;
            at = offsets[entry.row] + (uint64_t)entry.piece * BATCH_PIECE;
            last = end - at > BATCH_PIECE ? at + BATCH_PIECE : end;
            if (!entry.piece) /* nobody else looks there before the level after this one */
                front[a->rows.begin + entry.row] = 0;
            t.entries++;
            t.down_arcs += last - at;
        }
        const int many = last - at > BATCH_ALONE;
        WEIR_ROLLED
        while (weir_ballot(!many && at < last)) {
            const int is = !many && at < last;
            batch_come(a, shared, seen, next, is, is ? targets[at] : 0, mask, &t);
            at += (uint64_t)is;
        }
        WEIR_ROLLED
        for (uint32_t left = weir_ballot(many); left; left &= left - 1) {
            const uint32_t lane = weir_first_bit_u32(left);
            const uint64_t its = weir_broadcast_u64(mask, lane);
            const uint64_t first = weir_broadcast_u64(at, lane);
            const uint64_t end = weir_broadcast_u64(last, lane);
            WEIR_ROLLED
            for (uint64_t i = first; i < end; i += WEIR_LANES) {
                const int is = i + weir_lane() < end;
                batch_come(a, shared, seen, next, is, is ? targets[i + weir_lane()] : 0, its, &t);
            }
        }
    }
    return t;
}

/** What was touched of other devices' numbers goes to their owners, and is not sent again. */
WEIR_COLD void batch_send(const struct bfs_batch_args *a, const struct bfs_batch_shared *shared,
                          struct weir_steps_block b, struct batch_walk w)
{
    uint64_t *next = batch_next(a, &w);
    const struct weir_steps_member *m = &a->member;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < w.touched;
         base += weir_steps_threads(&b)) {
        const uint64_t i = base + weir_lane();
        const uint32_t number = i < w.touched ? a->touched[i] : a->rows.begin;
        const int far = i < w.touched && !batch_owns(a, number);
        const uint32_t owner = far ? weir_steps_owner(a->rows.first, number) : UINT32_MAX;
        const uint64_t mask = far ? next[number] : 0;
        if (far) {
            next[number] = 0;
            a->seen[number] |= mask;
        }
        for (uint32_t d = 0; d < m->count; d++) {
            const uint32_t lanes = weir_ballot(owner == d);
            if (!lanes)
                continue;
            const uint64_t at = weir_steps_send(m, d, lanes) - shared->inboxes.sent[d];
            if (owner == d) {
                a->outbox[d][2 * at] = number;
                a->outbox[d][2 * at + 1] = mask;
            }
        }
    }
}

/** What the others sent. */
WEIR_COLD struct batch_tally batch_absorb(const struct bfs_batch_args *a,
                                          struct bfs_batch_shared *shared,
                                          struct weir_steps_block b, struct batch_walk w,
                                          struct batch_tally t)
{
    const uint64_t *seen = a->seen;
    uint64_t *next = batch_next(a, &w);
    const struct weir_steps_inboxes *inboxes = &shared->inboxes;
    weir_steps_open(&a->member, &b, &shared->inboxes);
    for (uint32_t d = 0; d < a->member.count; d++) {
        const uint64_t items = inboxes->end[d] - inboxes->first[d];
        WEIR_ROLLED
        for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < items;
             base += weir_steps_threads(&b)) {
            const uint64_t i = base + weir_lane();
            const int is = i < items;
            batch_come(a, shared, seen, next, is, is ? (uint32_t)a->inbox[d][2 * i] : 0,
                       is ? a->inbox[d][2 * i + 1] : 0, &t);
        }
    }
    return t;
}

/** Rows of the frontier that is being made become entries of the queue. All lanes of a worker. A row without arcs, which
 *  nobody will take, leaves no bits. */
WEIR_DEV void batch_list_rows(const struct bfs_batch_args *a, int is, uint32_t row, uint64_t mask,
                              uint64_t *front, struct batch_tally *t)
{
    const uint64_t *offsets = a->rows.out.offsets;
    const uint64_t arcs = is ? offsets[row + 1] - offsets[row] : 0;
    const uint32_t pieces = (uint32_t)((arcs + BATCH_PIECE - 1) / BATCH_PIECE);
    const uint32_t up_to = weir_prefix_u32(pieces);
    const uint32_t all = weir_broadcast_u32(up_to, WEIR_LANES - 1);
    uint32_t at = 0;
    if (is && !arcs)
        front[a->rows.begin + row] = 0;
    if (!all)
        return;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(&a->tail[BATCH_QUEUE], all);
    at = weir_broadcast_u32(at, 0) + up_to - pieces;
    for (uint32_t p = 0; p < pieces; p++) {
        const struct batch_entry entry = {mask, row, p};
        a->queue[at + p] = entry;
    }
    t->put += pieces;
    t->arcs += arcs;
}

/** What was touched is found: it is counted, and is the frontier from now on. */
WEIR_COLD struct batch_tally batch_settle(const struct bfs_batch_args *a,
                                          struct bfs_batch_shared *shared,
                                          struct weir_steps_block b, struct batch_walk w,
                                          struct batch_tally t)
{
    uint64_t *next = batch_next(a, &w);
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < w.touched;
         base += weir_steps_threads(&b)) {
        const uint64_t i = base + weir_lane();
        const uint32_t number = i < w.touched ? a->touched[i] : 0;
        const int is = i < w.touched && batch_owns(a, number);
        const uint32_t row = is ? number - a->rows.begin : 0;
        const uint64_t mask = is ? next[number] : 0;
        if (is) {
            a->seen[number] |= mask;
            batch_keep_levels(a, &w, row, mask);
        }
        batch_count(shared, &t, mask);
        batch_list_rows(a, is, row, mask, next, &t);
    }
    return t;
}

/** From bottom-up to top-down: the last frontier becomes a queue, and all else is cleared, here alone: nobody else writes to
 *  the words of this device in this phase. */
WEIR_COLD struct batch_tally batch_list(const struct bfs_batch_args *a, struct weir_steps_block b,
                                        struct batch_walk w, struct batch_tally t)
{
    uint64_t *last = batch_last(a, &w), *next = batch_next(a, &w);
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < a->rows.numbers;
         base += weir_steps_threads(&b)) {
        const uint32_t number = (uint32_t)base + weir_lane(); /* numbers are whole warps */
        const int own = batch_owns(a, number);
        const uint64_t mask = own ? last[number] : 0;
        next[number] = 0;
        if (!own)
            last[number] = 0;
        batch_list_rows(a, mask != 0, own ? number - a->rows.begin : 0, mask, last, &t);
    }
    return t;
}

#endif
