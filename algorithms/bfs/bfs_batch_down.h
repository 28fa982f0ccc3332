/** @file bfs_batch_down.h  A level of a batch top-down: what the arcs of the frontier touch, what goes to other devices, and
 * how what was touched becomes the next frontier. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_DOWN_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_DOWN_H

#include "algorithms/bfs/bfs_batch_count.h"

#define BATCH_ALONE  12u /* arcs of an entry that a lane does alone */
#define BATCH_PIECES 4u  /* of a row, whose entries a lane lists alone */

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

/* Put the numbers of those lanes into the list that have one, up to BATCH_ABREAST each. All lanes of a worker. */
WEIR_DEV void batch_list_touched(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                                 const int *is, const uint32_t *number)
{
    if (WEIR_LANES == 1u) {
        for (uint32_t k = 0; k < BATCH_ABREAST; k++) {
            if (!is[k])
                continue;
            shared->kept[shared->keeps++] = number[k];
            if (shared->keeps == BATCH_KEPT)
                batch_kept_flush(a, shared);
        }
        return;
    }
    uint32_t lanes[BATCH_ABREAST], all = 0, at = 0;
    for (uint32_t k = 0; k < BATCH_ABREAST; k++) {
        lanes[k] = weir_ballot(is[k]);
        all += weir_popcount_u32(lanes[k]);
    }
    if (!all)
        return;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(&a->tail[BATCH_TOUCHED], all);
    at = weir_broadcast_u32(at, 0);
    for (uint32_t k = 0; k < BATCH_ABREAST; k++) {
        if (is[k])
            a->touched[at + weir_popcount_u32(lanes[k] & ((UINT32_C(1) << weir_lane()) - 1))] =
                number[k];
        at += weir_popcount_u32(lanes[k]);
    }
}

/** Sources come to numbers, BATCH_ABREAST of each lane, all of them under way together; WEIR_ROWS_NONE: to none. Those that it has already do
 *  not count; nobody writes `seen` while numbers are touched. The lane that brings the first bits puts the number into the list, where
 *  there is one. All lanes of a worker. */
WEIR_DEV void batch_come(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                         const struct batch_walk *w, const uint32_t *number, uint64_t mask,
                         struct batch_tally *t)
{
    const uint64_t *seen = a->seen;
    uint64_t *next = batch_next(a, w), fresh[BATCH_ABREAST];
    int is[BATCH_ABREAST];
    for (uint32_t k = 0; k < BATCH_ABREAST; k++)
        fresh[k] = number[k] != WEIR_ROWS_NONE ? mask & ~seen[number[k]] : 0;
    /* A look is cheaper than an atomic, and most of a hub's neighbours bring what is there. */
    for (uint32_t k = 0; k < BATCH_ABREAST; k++)
        if (fresh[k])
            fresh[k] &= ~weir_load_relaxed_dev_u64(&next[number[k]]);
    if (w->dense) {
        for (uint32_t k = 0; k < BATCH_ABREAST; k++)
            if (fresh[k]) {
                weir_or_relaxed_dev_u64(&next[number[k]], fresh[k]);
                t->far |= !batch_owns(a, number[k]); /* whether there are any */
            }
        return;
    }
    for (uint32_t k = 0; k < BATCH_ABREAST; k++) {
        is[k] = 0;
        if (fresh[k])
            is[k] = weir_atomic_or_relaxed_dev_u64(&next[number[k]], fresh[k]) == 0;
        t->put += (uint32_t)is[k];
        t->far += is[k] && !batch_owns(a, number[k]);
    }
    batch_list_touched(a, shared, is, number);
}

/* The same of one number of each lane. */
WEIR_DEV void batch_come_one(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                             const struct batch_walk *w, int is, uint32_t number, uint64_t mask,
                             struct batch_tally *t)
{
    uint32_t numbers[BATCH_ABREAST];
    for (uint32_t k = 0; k < BATCH_ABREAST; k++)
        numbers[k] = is && !k ? number : WEIR_ROWS_NONE;
    batch_come(a, shared, w, numbers, mask, t);
}

/* ---- phases ----------------------------------------------------------------------------------- */

/** The sources. By the first worker of the device. */
WEIR_DEV void batch_start(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                          const struct weir_steps_block *b, const struct batch_walk *w)
{
    struct batch_tally t = batch_nothing();
    if (b->block || b->thread >= WEIR_LANES)
        return;
    for (uint32_t base = 0; base < BATCH_SOURCES; base += WEIR_LANES) {
        const uint32_t s = base + weir_lane();
        const int is = s < a->sources && batch_owns(a, a->source[s]);
        batch_come_one(a, shared, w, is, is ? a->source[s] : 0, UINT64_C(1) << s, &t);
    }
    batch_tell(shared, &t, BATCH_RESULT_ENTRIES);
}

/* The lanes of a worker bring what one of them has along its arcs. */
WEIR_DEV void batch_come_together(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                                  const struct batch_walk *w, uint64_t first, uint64_t last,
                                  uint64_t mask, struct batch_tally *t)
{
    const uint32_t *targets = a->rows.out.targets;
    WEIR_ROLLED
    for (uint64_t i = first; i < last; i += BATCH_ABREAST * WEIR_LANES) {
        uint32_t number[BATCH_ABREAST];
        for (uint32_t k = 0; k < BATCH_ABREAST; k++) {
            const uint64_t arc = i + k * WEIR_LANES + weir_lane();
            number[k] = arc < last ? targets[arc] : WEIR_ROWS_NONE;
        }
        batch_come(a, shared, w, number, mask, t);
    }
}

/** The arcs of the queue: a lane does a few by itself, and all lanes of a worker do many together. */
WEIR_COLD void batch_down(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                          struct weir_steps_block b, struct batch_walk w)
{
    struct batch_tally t = batch_nothing();
    const uint32_t workers = (uint32_t)(weir_steps_threads(&b) / WEIR_LANES);
    uint64_t *front = batch_last(a, &w);
    const struct batch_entry *queue = a->queue;
    const uint64_t *offsets = a->rows.out.offsets;
    const uint32_t *targets = a->rows.out.targets;
    /* Entries that a worker takes at a time: so few that each worker has some. */
    uint32_t span = WEIR_LANES;
    while (span > 1 && w.entries < (uint64_t)workers * span)
        span /= 2;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * span; base < w.entries;
         base += (uint64_t)workers * span) {
        uint64_t mask = 0, at = 0, last = 0;
        if (weir_lane() < span && base + weir_lane() < w.entries) {
            const struct batch_entry entry = queue[base + weir_lane()];
            const uint64_t end = offsets[entry.row + 1];
            mask = entry.mask;
            at = offsets[entry.row] + (uint64_t)entry.piece * BATCH_PIECE;
            last = end - at > BATCH_PIECE ? at + BATCH_PIECE : end;
            if (!entry.piece) /* nobody else looks there before the level after this one */
                front[a->rows.begin + entry.row] = 0;
            t.items++;
            t.looked += (batch_sum)(last - at);
        }
        const int many = last - at > BATCH_ALONE;
        WEIR_ROLLED
        while (weir_ballot(!many && at < last)) {
            uint32_t number[BATCH_ABREAST];
            for (uint32_t k = 0; k < BATCH_ABREAST; k++)
                number[k] = !many && at + k < last ? targets[at + k] : WEIR_ROWS_NONE;
            batch_come(a, shared, &w, number, mask, &t);
            at += many ? 0 : BATCH_ABREAST;
        }
        WEIR_ROLLED
        for (uint32_t left = weir_ballot(many); left; left &= left - 1) {
            const uint32_t lane = weir_first_bit_u32(left);
            batch_come_together(a, shared, &w, weir_broadcast_u64(at, lane),
                                weir_broadcast_u64(last, lane), weir_broadcast_u64(mask, lane), &t);
        }
    }
    batch_tell(shared, &t, BATCH_RESULT_ENTRIES);
}

/** What was touched of other devices' numbers goes to their owners, and is not sent again. A gap between parts has no bits. */
WEIR_COLD void batch_send(const struct bfs_batch_args *a, const struct bfs_batch_shared *shared,
                          struct weir_steps_block b, struct batch_walk w)
{
    uint64_t *next = batch_next(a, &w);
    const struct weir_steps_member *m = &a->member;
    const uint64_t count = w.dense ? a->rows.numbers : w.touched;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < count;
         base += weir_steps_threads(&b)) {
        const uint64_t i = base + weir_lane();
        const uint32_t number = i >= count ? a->rows.begin : w.dense ? (uint32_t)i : a->touched[i];
        const uint64_t mask = i < count && !batch_owns(a, number) ? next[number] : 0;
        const int far = mask != 0;
        const uint32_t owner = far ? weir_steps_owner(a->rows.first, number) : UINT32_MAX;
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
WEIR_COLD void batch_absorb(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                            struct weir_steps_block b, struct batch_walk w)
{
    struct batch_tally t = batch_nothing();
    const struct weir_steps_inboxes *inboxes = &shared->inboxes;
    weir_steps_open(&a->member, &b, &shared->inboxes);
    for (uint32_t d = 0; d < a->member.count; d++) {
        const uint64_t items = inboxes->end[d] - inboxes->first[d];
        WEIR_ROLLED
        for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < items;
             base += weir_steps_threads(&b)) {
            const uint64_t i = base + weir_lane();
            const int is = i < items;
            batch_come_one(a, shared, &w, is, is ? (uint32_t)a->inbox[d][2 * i] : 0,
                           is ? a->inbox[d][2 * i + 1] : 0, &t);
        }
    }
    batch_tell(shared, &t, BATCH_RESULT_ENTRIES);
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
    const int many = pieces > BATCH_PIECES;
    for (uint32_t p = 0; p < pieces && !many; p++) {
        const struct batch_entry entry = {mask, row, p};
        a->queue[at + p] = entry;
    }
    WEIR_ROLLED
    for (uint32_t left = weir_ballot(many); left; left &= left - 1) {
        const uint32_t lane = weir_first_bit_u32(left), its = weir_broadcast_u32(pieces, lane);
        const uint32_t to = weir_broadcast_u32(at, lane);
        struct batch_entry entry = {weir_broadcast_u64(mask, lane), weir_broadcast_u32(row, lane),
                                    weir_lane()};
        for (; entry.piece < its; entry.piece += WEIR_LANES)
            a->queue[to + entry.piece] = entry;
    }
    t->put += pieces;
    t->arcs += arcs;
}

/** What was touched is found: it is counted, and is the frontier from now on. */
WEIR_COLD void batch_settle(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                            struct weir_steps_block b, struct batch_walk w)
{
    struct batch_tally t = batch_nothing();
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
    batch_count_flush(a, shared, &b, &w, &t);
    batch_tell(shared, &t, BATCH_RESULT_ENTRIES);
}

/** The same where nothing was listed: in all rows that an arc may lead to. The frontier is not listed either. */
WEIR_COLD void batch_settle_all(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                                struct weir_steps_block b, struct batch_walk w)
{
    struct batch_tally t = batch_nothing();
    const uint64_t *next = batch_next(a, &w) + a->rows.begin, *offsets = a->rows.out.offsets;
    uint64_t *seen = a->seen + a->rows.begin;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < a->rows.busy;
         base += weir_steps_threads(&b)) {
        const uint32_t row = (uint32_t)base + weir_lane();
        const uint64_t mask = row < a->rows.busy ? next[row] : 0;
        if (mask) {
            const uint64_t arcs = offsets[row + 1] - offsets[row];
            seen[row] |= mask;
            batch_keep_levels(a, &w, row, mask);
            t.put += arcs != 0;
            t.arcs += arcs;
        }
        batch_count(shared, &t, mask);
    }
    batch_count_flush(a, shared, &b, &w, &t);
    batch_tell(shared, &t, BATCH_RESULT_ENTRIES);
}

/** The last frontier becomes a queue, and all else is cleared, here alone: nobody else writes to the words of this device in
 *  this phase. */
WEIR_COLD void batch_list(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                          struct weir_steps_block b, struct batch_walk w)
{
    struct batch_tally t = batch_nothing();
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
    batch_tell(shared, &t, BATCH_RESULT_ENTRIES);
}

#endif
