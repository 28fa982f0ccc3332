/** @file color_body.h  A colouring in supersteps, speculative; written once for host devices and GPUs. Not installed.
 *
 * Rows take a colour that they see at none of their neighbours, all at once (Atos, Algorithm 5, after Gebremedhin and Manne). Two neighbours
 * that do so at the same time may take the same one; color_look.h tells how small a colour it is, which rows have to look again in the next
 * round, and which of two gives way. A row that looks again and has lost its colour takes another one at once, so a round is one superstep: to take and to
 * check are one look. A vertex of d neighbours sees d colours at most, so that its own is at most d, counted from 0. Of the rows
 * that look again the one ahead of all others keeps its colour, so lists become empty.
 *
 * Where rows are numbered by degree they come in batches, each twice as long as the one before, which begins when few of those
 * before are still open. What collides most is then among few, and the others find the colours of the hubs settled; and no row is looked at
 * behind its batch, which are most neighbours of a hub. Elsewhere neighbours have numbers side by side. There is one batch,
 * of which each block has a stretch that it goes along, and the lanes of a worker, whose rows are neighbours, settle it among them. */
#ifndef WEIR_ALGORITHMS_COLOR_COLOR_BODY_H
#define WEIR_ALGORITHMS_COLOR_COLOR_BODY_H

#include "algorithms/color/color_look.h"

/* Words that the threads of a block share. */
struct color_shared {
    uint64_t put; /* rows put into the next list since the last barrier */
    uint32_t used[COLOR_WORKERS][COLOR_WORDS]; /* a bit for each colour of a worker's window */
    uint64_t told[WEIR_DEVICES_MAX];           /* colours that the block told each device */
};

/* A round on a device. */
struct color_round {
    uint32_t number, from, to; /* rows from to to - 1 of each device look for the first time */
    uint32_t open;             /* rows of this device's list */
};

/* ---- rows of few arcs, a lane each ------------------------------------------------------------ */

/* The WEIR_LANES rows that look together. */
struct color_group {
    uint32_t
        begin; /* the local number of the first lane's row; COLOR_NONE: they do not follow one another, or have colours */
    uint32_t alone; /* lanes whose row has few arcs */
};

/* Colours below 64 that the far ends of a short row's arcs have. @param[in,out] near  lanes before this one whose rows are among them, and
 * look at the same time. */
WEIR_DEV uint64_t color_note_alone(const struct color_args *a, const weir_arcs *arcs,
                                   const struct color_looker *r, const struct color_group *group,
                                   uint32_t *near, struct color_seen *seen,
                                   struct color_tally *tally)
{
    const uint32_t *colors = a->color[a->member.index];
    const uint64_t end = arcs->offsets[r->row + 1];
    /* With one device targets from here on have no color, or are behind this row. */
    const uint32_t bound = a->part.parts == 1 ? color_bound(a, r, 0) : COLOR_NONE;
    uint64_t used = 0;
    for (uint64_t at = arcs->offsets[r->row]; at < end; at += COLOR_BATCH) {
        uint32_t local[COLOR_BATCH], color[COLOR_BATCH];
        for (uint32_t j = 0; j < COLOR_BATCH; j++)
            local[j] = at + j < end ? arcs->targets[at + j] : COLOR_NONE;
        for (uint32_t j = 0; j < COLOR_BATCH; j++)
            color[j] = local[j] < bound ? weir_load_relaxed_sys_u32(&colors[local[j]]) : COLOR_NONE;
        for (uint32_t j = 0; j < COLOR_BATCH; j++) {
            const uint32_t lane = local[j] - group->begin, value = color[j] & ~COLOR_OPEN;
            if (local[j] >= bound)
                return used;
            tally->arcs++;
            if (group->begin != COLOR_NONE && lane < weir_lane() && group->alone >> lane & 1)
                *near |= 1u << lane;
            else
                color_meet(a, r, local[j], color[j], seen);
            used |= value < 64 ? UINT64_C(1) << value : 0;
        }
    }
    return used;
}

/* The free colour that has `skip` free ones before it, or the last one that is not above the number of the row's neighbours. */
WEIR_DEV uint32_t color_pick_alone(uint64_t used, uint32_t skip, uint64_t degree)
{
    uint64_t free =
        ~used &
        (UINT64_MAX >> (63 - degree)); /* not 0: of d neighbours one of d + 1 colours is left */
    for (; skip && (free & (free - 1)); skip--)
        free &= free - 1;
    return (uint32_t)free ? weir_first_bit_u32((uint32_t)free)
                          : 32 + weir_first_bit_u32((uint32_t)(free >> 32));
}

/* Lanes whose rows are neighbours take colours one after the other, so that none of them has to look again. All lanes of a worker.
 * @return what this lane's row sees used, with the colours of those before it. */
WEIR_DEV uint64_t color_settle(uint64_t used, uint32_t near, uint32_t skip, uint64_t degree)
{
    for (uint32_t who = (uint32_t)weir_or_u64(near); who; who &= who - 1) {
        const uint32_t lane = weir_first_bit_u32(who);
        const uint32_t color = weir_broadcast_u32(color_pick_alone(used, skip, degree), lane);
        if (near >> lane & 1)
            used |= UINT64_C(1) << color;
    }
    return used;
}

/* Rows of few arcs look, in each lane that has @p mine one. All lanes of a worker. @return whether this lane's looks again. */
WEIR_DEV int color_look_alone(const struct color_args *a, const struct color_looker *r, int mine,
                              const struct color_group *group, uint64_t *told,
                              struct color_tally *tally)
{
    struct color_seen seen = {0, 0};
    uint32_t near = 0, skip = 0, color = 0;
    uint64_t used = 0;
    if (mine) {
        used = color_note_alone(a, &a->part.out, r, group, &near, &seen, tally);
        if (a->both)
            used |= color_note_alone(a, &a->part.in, r, group, &near, &seen, tally);
        skip = color_skip(a, r, seen.ahead);
    }
    if (group->begin != COLOR_NONE)
        used = color_settle(used, near, skip, r->degree);
    if (mine)
        color = color_end(a, r,
                          r->first || seen.lost ? color_pick_alone(used, skip, r->degree) : r->own,
                          seen.ahead, tally);
    color_tell(a, mine, r->row, color, told);
    return (color & COLOR_OPEN) != 0;
}

/* ---- rounds ----------------------------------------------------------------------------------- */

/* Put a row into the list of the next round, in each lane that has @p put. All lanes of a worker. */
WEIR_DEV void color_put(const struct color_args *a, struct color_shared *shared,
                        const struct color_round *now, int put, uint32_t row)
{
    const uint32_t lanes = weir_ballot(put), next = now->number + 1;
    uint32_t base = 0;
    if (!lanes)
        return;
    if (weir_lane() == 0) {
        base = weir_atomic_add_relaxed_dev_u32(&a->length[next % 3], weir_popcount_u32(lanes));
        weir_atomic_add_block_u64(&shared->put, weir_popcount_u32(lanes));
    }
    base = weir_broadcast_u32(base, 0);
    if (put)
        a->list[next % 2][base + weir_popcount_u32(lanes & ((1u << weir_lane()) - 1u))] = row;
}

/* A worker's rows look: this lane's is `row` if it has `any`. @param[in] first  it is their first look. */
WEIR_DEV void color_look_all(const struct color_args *a, struct color_shared *shared,
                             const struct weir_steps_block *b, const struct color_round *now,
                             int any, uint32_t row, int first, struct color_tally *tally)
{
    struct color_looker r = color_looker_of(a, any ? row : 0, now->number, now->to, first);
    struct color_group group;
    const int alone = any && r.degree <= COLOR_ALONE;
    int again;
    group.alone = weir_ballot(alone);
    group.begin = first && !a->order ? a->halo.begin + weir_broadcast_u32(row, 0) : COLOR_NONE;
    again = color_look_alone(a, &r, alone, &group, shared->told, tally);
    weir_lanes_sync();
    for (uint32_t who = weir_ballot(any && !alone); who; who &= who - 1) {
        const uint32_t lane = weir_first_bit_u32(who);
        const struct color_looker long_one =
            color_looker_of(a, weir_broadcast_u32(row, lane), now->number, now->to, first);
        const int looks =
            color_look(a, &long_one, shared->used[b->thread / WEIR_LANES], shared->told, tally);
        if (weir_lane() == lane)
            again = looks;
    }
    color_put(a, shared, now, again, row);
}

/* Rows of a list of so many that each worker takes together: all its lanes have one if there are enough. */
WEIR_DEV uint32_t color_width(const struct weir_steps_block *b, uint64_t count)
{
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    const uint64_t each = (count + workers - 1) / workers;
    return each < WEIR_LANES ? (uint32_t)each : WEIR_LANES;
}

/* Rows that have open colours look again. */
WEIR_DEV void color_again(const struct color_args *a, struct color_shared *shared,
                          const struct weir_steps_block *b, const struct color_round *now,
                          struct color_tally *tally)
{
    const uint32_t *list = a->list[now->number % 2];
    const uint64_t width = color_width(b, now->open);
    const uint64_t stride = width * (weir_steps_threads(b) / WEIR_LANES);
    for (uint64_t i = weir_steps_warp(b) * width; i < now->open; i += stride) {
        const int any = weir_lane() < width && i + weir_lane() < now->open;
        color_look_all(a, shared, b, now, any, any ? list[i + weir_lane()] : 0, 0, tally);
    }
}

/* Rows look for the first time, those of a worker far from those of the next. */
WEIR_DEV void color_batch(const struct color_args *a, struct color_shared *shared,
                          const struct weir_steps_block *b, const struct color_round *now,
                          struct color_tally *tally)
{
    const uint64_t to = now->to < a->part.busy ? now->to : a->part.busy;
    const uint64_t width = color_width(b, to > now->from ? to - now->from : 0);
    const uint64_t stride = width * (weir_steps_threads(b) / WEIR_LANES);
    for (uint64_t i = now->from + weir_steps_warp(b) * width; i < to; i += stride) {
        const uint64_t at = i + weir_lane();
        const int any = weir_lane() < width && at < to;
        color_look_all(a, shared, b, now, any, any && a->order ? a->order[at] : (uint32_t)at, 1,
                       tally);
    }
}

/* The same along the stretches of the blocks. */
WEIR_DEV void color_stretches(const struct color_args *a, struct color_shared *shared,
                              const struct weir_steps_block *b, const struct color_round *now,
                              struct color_tally *tally)
{
    const uint64_t busy = a->part.busy;
    const uint64_t each = a->stretch;
    for (uint64_t begin = b->block * each; begin < busy; begin += b->blocks * each) {
        const uint64_t end = begin + each < busy ? begin + each : busy;
        for (uint64_t i = begin + b->thread / WEIR_LANES * WEIR_LANES; i < end; i += b->threads) {
            const uint64_t row = i + weir_lane();
            color_look_all(a, shared, b, now, row < end, (uint32_t)row, 1, tally);
        }
    }
}

/* A round, to its barrier. @param[out] all  rows of the next lists of all devices. @return as weir_steps_sync(). */
WEIR_DEV uint32_t color_one_round(const struct color_args *a, struct color_shared *shared,
                                  struct weir_steps_block *b, struct color_round *now,
                                  uint64_t *since_ns, uint64_t *all, struct color_tally *tally)
{
    const enum color_phase phase = now->from < now->to ? COLOR_TAKE : COLOR_CHECK;
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop;
    now->open = weir_load_relaxed_dev_u32(&a->length[now->number % 3]);
    if (b->block == 0 && b->thread == 0) {
        /* It was read in the last round. */
        weir_store_relaxed_dev_u32(&a->length[(now->number + 2) % 3], 0);
        weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[COLOR_LOOKS], now->open);
    }
    color_again(a, shared, b, now, tally);
    if (phase == COLOR_TAKE && a->stretch)
        color_stretches(a, shared, b, now, tally);
    else if (phase == COLOR_TAKE)
        color_batch(a, shared, b, now, tally);
    if ((stop = weir_steps_sync(&a->member, b, b->blocks, &shared->put, 0, total)))
        return stop;
    *all = total[0];
    if (b->block == 0 && b->thread == 0)
        weir_steps_book(&a->member, since_ns, COLOR_NS + phase, COLOR_STEPS + phase);
    return WEIR_STEPS_GOES_ON;
}

/* Where the batch ends that begins at a row. */
WEIR_DEV uint32_t color_batch_end(const struct color_args *a, uint32_t from)
{
    const uint32_t rows = from ? from : a->batch;
    return rows < a->most - from ? from + rows : a->most;
}

/* Behind the last look of the block. */
WEIR_DEV void color_count_told(const struct color_args *a, const struct color_shared *shared,
                               const struct weir_steps_block *b)
{
    for (uint32_t d = b->thread; d < a->member.count; d += b->threads)
        if (shared->told[d])
            weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->tell[d], shared->told[d]);
}

WEIR_DEV void color_body(const struct color_args *a, struct color_shared *shared,
                         struct weir_steps_block *b)
{
    struct color_tally tally = {0, 0};
    struct color_round now = {0, 0, 0, 0};
    uint64_t since_ns = weir_clock_ns(), all = 0;
    if (b->thread == 0)
        shared->put = 0;
    for (uint32_t d = b->thread; d < a->member.count; d += b->threads)
        shared->told[d] = 0;
    weir_block_sync();
    for (uint64_t row = a->part.busy + weir_steps_thread(b); row < a->part.owned;
         row += weir_steps_threads(b))
        a->color[a->member.index][a->halo.begin + row] = 0; /* it has no neighbours */
    for (;; now.number++) {
        const uint32_t end = color_batch_end(a, now.to);
        now.from = now.to;
        /* Few that are open take as long as many do: the next batch comes with them. */
        if (all <= (uint64_t)(end - now.from) * a->member.count / 4)
            now.to = end;
        if (now.from == now.to && !all)
            break;
        if (color_one_round(a, shared, b, &now, &since_ns, &all, &tally))
            return;
    }
    const uint64_t did[COLOR_COUNTS] = {tally.taken, tally.arcs};
    weir_steps_count(&a->member, b, COLOR_TAKEN, did, COLOR_COUNTS);
    color_count_told(a, shared, b);
}

#endif
