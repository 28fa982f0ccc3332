/** @file color_body.h  A colouring in supersteps, speculative; written once for host devices and GPUs. Not installed.
 *
 * Every vertex of a list takes the smallest colour that it sees at none of its neighbours, all at once (Atos, Algorithm 5, after Gebremedhin
 * and Manne). Two neighbours that do so at the same time may take the same one. When all have, each vertex of the list looks again, and the
 * one of larger number of two that are alike goes into the next list. A vertex of d neighbours sees d colours at most, so that its own is at
 * most d, counted from 0. The smallest number of a list always keeps its colour, so lists become empty.
 *
 * On a GPU a lane looks along a short row alone, a warp along a longer one, and a block along that of a hub. Hubs come first, and are lists
 * of their own: they are each other's neighbours, and the fewer take a colour at the same time, the fewer take the same. */
#ifndef WEIR_ALGORITHMS_COLOR_COLOR_BODY_H
#define WEIR_ALGORITHMS_COLOR_COLOR_BODY_H

#include "algorithms/rows.h"
#include "worklist/steps.h"

#define COLOR_NONE UINT32_MAX
enum {
    COLOR_WORDS = 32,   /* of a window of colours */
    COLOR_WORKERS = 32, /* of a block, at most */
    COLOR_ALONE = 32,   /* arcs of a row that a lane looks along alone; its colours are below 64 */
    COLOR_BATCH = 4,    /* of them, those that are under way together */
    COLOR_HUB = 1024    /* arcs of a hub, at least */
};

/** Lists: rows that lanes and warps take, and hubs. */
enum color_class { COLOR_REST = 0, COLOR_HUBS, COLOR_CLASSES };

/** Kinds of supersteps, and what lies in weir_steps_page.result. */
enum color_phase { COLOR_TAKE = 0, COLOR_CHECK, COLOR_FIND, COLOR_PHASES };
enum color_result {
    COLOR_TAKEN = 0, /* colours that vertices took, */
    COLOR_ARCS,      /* and arcs that were looked at */
    COLOR_NS,
    COLOR_STEPS = COLOR_NS + COLOR_PHASES
};

struct color_args {
    struct weir_steps_member member;
    weir_rows_part part;
    uint32_t *color[WEIR_DEVICES_MAX]; /* of each device: by number */
    const uint32_t
        *order; /* rows in the order in which they take colours at first; NULL: as they are */
    uint32_t *list[COLOR_CLASSES][2]; /* rows to be coloured again; they take turns */
    uint32_t *length;                 /* of class c and turn t: number c * 2 + t */
    uint32_t
        both; /* the graph is not symmetric: neighbours lie at both ends of both kinds of arcs */
    uint32_t hubs; /* there may be some; the same on all devices */
};

/* Words that the threads of a block share. */
struct color_shared {
    uint64_t put;   /* rows put into a list since the last barrier */
    uint32_t color; /* of the block's hub */
    uint32_t loses; /* it does */
    uint32_t
        used[COLOR_WORKERS]
            [COLOR_WORDS]; /* a bit for each colour of a worker's window; all of it: of a block's */
};

/* What a thread did. */
struct color_tally {
    uint64_t did[2]; /* COLOR_TAKEN, COLOR_ARCS */
};

WEIR_DEV uint64_t color_degree(const struct color_args *a, uint32_t row)
{
    const weir_rows_part *part = &a->part;
    const uint64_t out = part->out.offsets[row + 1] - part->out.offsets[row];
    return a->both ? out + part->in.offsets[row + 1] - part->in.offsets[row] : out;
}

/* Who looks along a row together: thread `index` of `count`, with a bit for each of so many colours. */
struct color_team {
    uint32_t index, count;
    uint32_t *used;
    uint32_t words;
};

/* Note which colours of the window from base on the heads of a row's arcs have. All of a team. */
WEIR_DEV void color_note(const struct color_args *a, const weir_arcs *arcs, uint32_t row,
                         uint32_t base, const struct color_team *team, struct color_tally *tally)
{
    const uint32_t *color = a->color[a->member.index];
    for (uint64_t i = arcs->offsets[row] + team->index; i < arcs->offsets[row + 1];
         i += team->count) {
        const uint32_t seen = weir_load_relaxed_sys_u32(&color[arcs->targets[i]]) - base;
        tally->did[COLOR_ARCS]++;
        if (seen >= team->words * 32)
            continue;
        if (WEIR_LANES > 1)
            (void)weir_atomic_or_relaxed_dev_u32(&team->used[seen / 32], 1u << seen % 32);
        else
            team->used[seen / 32] |= 1u << seen % 32;
    }
}

/* The smallest colour of the window that is free; COLOR_NONE: there is none. All lanes of a worker. */
WEIR_DEV uint32_t color_free(const uint32_t *used, uint32_t words, uint32_t base)
{
    for (uint32_t at = 0; at < words; at += WEIR_LANES) {
        const uint32_t word = at + weir_lane(), free = word < words ? ~used[word] : 0;
        const uint32_t lanes = weir_ballot(free != 0);
        if (!lanes)
            continue;
        const uint32_t first = weir_first_bit_u32(lanes);
        return base + (at + first) * 32 + weir_first_bit_u32(weir_broadcast_u32(free, first));
    }
    return COLOR_NONE;
}

/* A row has a colour now, on all devices. One thread. */
WEIR_DEV void color_tell(const struct color_args *a, uint32_t row, uint32_t color,
                         struct color_tally *tally)
{
    for (uint32_t d = 0; d < a->member.count; d++)
        weir_store_relaxed_sys_u32(&a->color[d][a->part.begin + row], color);
    tally->did[COLOR_TAKEN]++;
}

/* Whether a row looks along its arcs again, for the window from *base on. A neighbour that changes its colour between two looks, from one of the
 * first window to one of the second, makes a row see more colours than it has neighbours. Then it begins again; each neighbour changes
 * once in a step. */
WEIR_DEV int color_looks_again(uint32_t color, uint64_t degree, uint32_t window, uint32_t *base)
{
    if (color != COLOR_NONE && color <= degree)
        return 0;
    *base = color == COLOR_NONE && (uint64_t)*base + window <= degree ? *base + window : 0;
    return 1;
}

/* A row takes a colour. All lanes of a worker. */
WEIR_DEV void color_take(const struct color_args *a, uint32_t row, uint32_t *used,
                         struct color_tally *tally)
{
    const uint64_t degree = color_degree(a, row);
    uint32_t color = COLOR_NONE, base = 0;
    struct color_team team;
    team.index = weir_lane();
    team.count = WEIR_LANES;
    team.used = used;
    team.words = degree < COLOR_WORDS * 32 ? (uint32_t)degree / 32 + 1 : COLOR_WORDS;
    do {
        for (uint32_t word = weir_lane(); word < team.words; word += WEIR_LANES)
            used[word] = 0;
        weir_lanes_sync();
        color_note(a, &a->part.out, row, base, &team, tally);
        if (a->both)
            color_note(a, &a->part.in, row, base, &team, tally);
        weir_lanes_sync();
        color = color_free(used, team.words, base);
        weir_lanes_sync(); /* the words are for the next row */
    } while (color_looks_again(color, degree, team.words * 32, &base));
    if (weir_lane() == 0)
        color_tell(a, row, color, tally);
}

/* The same of a hub. All threads of a block; `words` of color_free() are a multiple of its lanes. */
WEIR_DEV void color_take_hub(const struct color_args *a, struct color_shared *shared,
                             const struct weir_steps_block *b, uint32_t row,
                             struct color_tally *tally)
{
    struct color_team team;
    uint32_t base = 0, color;
    team.index = b->thread;
    team.count = b->threads;
    team.used = shared->used[0];
    team.words = COLOR_WORKERS * COLOR_WORDS;
    do {
        for (uint32_t word = b->thread; word < team.words; word += b->threads)
            team.used[word] = 0;
        weir_block_sync();
        color_note(a, &a->part.out, row, base, &team, tally);
        if (a->both)
            color_note(a, &a->part.in, row, base, &team, tally);
        weir_block_sync();
        if (b->thread < WEIR_LANES) {
            color = color_free(team.used, team.words, base);
            if (b->thread == 0)
                shared->color = color;
        }
        weir_block_sync();
        color = shared->color;
        weir_block_sync(); /* what is shared is for the next look */
    } while (color_looks_again(color, color_degree(a, row), team.words * 32, &base));
    if (b->thread == 0)
        color_tell(a, row, color, tally);
}

/* Bits of the colours below 64 that the heads of a short row's arcs have. One lane. */
WEIR_DEV void color_note_alone(const struct color_args *a, const weir_arcs *arcs, uint32_t row,
                               uint32_t used[2], struct color_tally *tally)
{
    const uint32_t *color = a->color[a->member.index];
    const uint64_t end = arcs->offsets[row + 1];
    for (uint64_t at = arcs->offsets[row]; at < end; at += COLOR_BATCH) {
        uint32_t seen[COLOR_BATCH];
        for (uint32_t j = 0; j < COLOR_BATCH; j++)
            seen[j] = at + j < end ? weir_load_relaxed_sys_u32(&color[arcs->targets[at + j]])
                                   : COLOR_NONE;
        for (uint32_t j = 0; j < COLOR_BATCH; j++) {
            used[0] |= seen[j] < 32 ? 1u << seen[j] : 0;
            used[1] |= seen[j] - 32 < 32 ? 1u << (seen[j] - 32) : 0;
        }
        tally->did[COLOR_ARCS] += end - at < COLOR_BATCH ? end - at : COLOR_BATCH;
    }
}

WEIR_DEV void color_take_alone(const struct color_args *a, uint32_t row, struct color_tally *tally)
{
    uint32_t used[2] = {0, 0};
    color_note_alone(a, &a->part.out, row, used, tally);
    if (a->both)
        color_note_alone(a, &a->part.in, row, used, tally);
    const uint32_t color =
        ~used[0] ? weir_first_bit_u32(~used[0]) : 32 + weir_first_bit_u32(~used[1]);
    color_tell(a, row, color, tally);
}

/* Whether a neighbour of smaller number has the same colour, which nobody writes beside. All of a team look at arcs each: whether one of
 * this thread's is so. */
WEIR_DEV int color_loses(const struct color_args *a, const weir_arcs *arcs, uint32_t row,
                         uint32_t index, uint32_t count, struct color_tally *tally)
{
    const uint32_t *color = a->color[a->member.index];
    const uint32_t number = a->part.begin + row, own = color[number];
    const uint64_t end = arcs->offsets[row + 1];
    int loses = 0;
    for (uint64_t i = arcs->offsets[row] + index; i < end && !loses; i += count) {
        const uint32_t other = arcs->targets[i];
        tally->did[COLOR_ARCS]++;
        loses = other < number && color[other] == own;
    }
    return loses;
}

/* The same of a short row, by one lane. */
WEIR_DEV int color_loses_alone(const struct color_args *a, const weir_arcs *arcs, uint32_t row,
                               struct color_tally *tally)
{
    const uint32_t *color = a->color[a->member.index];
    const uint32_t number = a->part.begin + row, own = color[number];
    const uint64_t end = arcs->offsets[row + 1];
    int loses = 0;
    for (uint64_t at = arcs->offsets[row]; at < end && !loses; at += COLOR_BATCH) {
        uint32_t other[COLOR_BATCH], seen[COLOR_BATCH];
        for (uint32_t j = 0; j < COLOR_BATCH; j++)
            other[j] = at + j < end ? arcs->targets[at + j] : number;
        for (uint32_t j = 0; j < COLOR_BATCH; j++)
            seen[j] = other[j] < number ? color[other[j]] : COLOR_NONE;
        for (uint32_t j = 0; j < COLOR_BATCH; j++)
            loses |= seen[j] == own;
        tally->did[COLOR_ARCS] += end - at < COLOR_BATCH ? end - at : COLOR_BATCH;
    }
    return loses;
}

WEIR_DEV int color_is_lost_alone(const struct color_args *a, uint32_t row,
                                 struct color_tally *tally)
{
    return color_loses_alone(a, &a->part.out, row, tally) ||
           (a->both && color_loses_alone(a, &a->part.in, row, tally));
}

WEIR_DEV int color_is_lost(const struct color_args *a, uint32_t row, uint32_t index, uint32_t count,
                           struct color_tally *tally)
{
    return color_loses(a, &a->part.out, row, index, count, tally) ||
           (a->both && color_loses(a, &a->part.in, row, index, count, tally));
}

/* The end of a superstep. @param[out] all  rows put into lists in it, by all devices. @return as weir_steps_sync(). */
WEIR_DEV uint32_t color_barrier(const struct color_args *a, struct color_shared *shared,
                                struct weir_steps_block *b, enum color_phase phase,
                                uint64_t *since_ns, uint64_t *all)
{
    uint64_t total[WEIR_STEPS_SUMS];
    const uint32_t stop = weir_steps_sync(&a->member, b, b->blocks, &shared->put, 0, total);
    if (stop)
        return stop;
    *all = total[0];
    if (b->block == 0 && b->thread == 0)
        weir_steps_book(&a->member, since_ns, COLOR_NS + phase, COLOR_STEPS + phase);
    return WEIR_STEPS_GOES_ON;
}

/* Put a row into the list of a class for a round, in each lane that has @p put. All lanes of a worker. */
WEIR_DEV void color_put(const struct color_args *a, struct color_shared *shared,
                        enum color_class of, uint32_t round, int put, uint32_t row)
{
    const uint32_t lanes = weir_ballot(put), turn = round % 2;
    uint32_t base = 0;
    if (!lanes)
        return;
    if (weir_lane() == 0) {
        base =
            weir_atomic_add_relaxed_dev_u32(&a->length[of * 2u + turn], weir_popcount_u32(lanes));
        weir_atomic_add_block_u64(&shared->put, weir_popcount_u32(lanes));
    }
    base = weir_broadcast_u32(base, 0);
    if (put)
        a->list[of][turn][base + weir_popcount_u32(lanes & ((1u << weir_lane()) - 1u))] = row;
}

/* Row i of the list of a round; of the first one, all rows are. */
WEIR_DEV uint32_t color_row(const struct color_args *a, uint32_t round, uint64_t i)
{
    if (round)
        return a->list[COLOR_REST][round % 2][i];
    return a->order ? a->order[i] : (uint32_t)i;
}

/* What a lane has of its worker's next WEIR_LANES rows. */
struct color_mine {
    uint32_t row;
    int alone,
        together; /* this lane looks along it, or all do; neither: there is none, or a hub, which is in another list */
};

WEIR_DEV struct color_mine color_next(const struct color_args *a, uint32_t round, uint64_t i,
                                      uint64_t count)
{
    struct color_mine mine = {0, 0, 0};
    if (i >= count)
        return mine;
    mine.row = color_row(a, round, i);
    const uint64_t degree = color_degree(a, mine.row);
    mine.alone = degree <= COLOR_ALONE;
    mine.together = !mine.alone && !(a->hubs && degree >= COLOR_HUB);
    return mine;
}

WEIR_DEV void color_take_rest(const struct color_args *a, struct color_shared *shared,
                              const struct weir_steps_block *b, uint32_t round, uint64_t count,
                              struct color_tally *tally)
{
    const uint64_t stride = weir_steps_threads(b);
    for (uint64_t i = (uint64_t)weir_steps_warp(b) * WEIR_LANES; i < count; i += stride) {
        const struct color_mine mine = color_next(a, round, i + weir_lane(), count);
        if (mine.alone)
            color_take_alone(a, mine.row, tally);
        weir_lanes_sync();
        for (uint32_t who = weir_ballot(mine.together); who; who &= who - 1)
            color_take(a, weir_broadcast_u32(mine.row, weir_first_bit_u32(who)),
                       shared->used[b->thread / WEIR_LANES], tally);
    }
}

WEIR_DEV void color_check_rest(const struct color_args *a, struct color_shared *shared,
                               const struct weir_steps_block *b, uint32_t round, uint64_t count,
                               struct color_tally *tally)
{
    const uint64_t stride = weir_steps_threads(b);
    for (uint64_t i = (uint64_t)weir_steps_warp(b) * WEIR_LANES; i < count; i += stride) {
        const struct color_mine mine = color_next(a, round, i + weir_lane(), count);
        int lost = mine.alone && color_is_lost_alone(a, mine.row, tally);
        weir_lanes_sync();
        for (uint32_t who = weir_ballot(mine.together); who; who &= who - 1) {
            const uint32_t lane = weir_first_bit_u32(who);
            const int one = color_is_lost(a, weir_broadcast_u32(mine.row, lane), weir_lane(),
                                          WEIR_LANES, tally);
            const int any = weir_ballot(one) != 0;
            if (weir_lane() == lane)
                lost = any;
        }
        color_put(a, shared, COLOR_REST, round + 1, lost, mine.row);
    }
}

/* Hubs of all rows, which are the first list of these. A step of its own. */
WEIR_DEV void color_find_hubs(const struct color_args *a, struct color_shared *shared,
                              const struct weir_steps_block *b)
{
    const uint64_t busy = a->part.busy, stride = weir_steps_threads(b);
    for (uint64_t i = (uint64_t)weir_steps_warp(b) * WEIR_LANES; i < busy; i += stride) {
        const uint64_t row = i + weir_lane();
        const int hub = row < busy && color_degree(a, (uint32_t)row) >= COLOR_HUB;
        color_put(a, shared, COLOR_HUBS, 0, hub, (uint32_t)row);
    }
}

WEIR_DEV void color_check_hub(const struct color_args *a, struct color_shared *shared,
                              const struct weir_steps_block *b, uint32_t round, uint32_t row,
                              struct color_tally *tally)
{
    if (b->thread == 0)
        shared->loses = 0;
    weir_block_sync();
    if (color_is_lost(a, row, b->thread, b->threads, tally))
        weir_store_relaxed_dev_u32(&shared->loses, 1);
    weir_block_sync();
    if (b->thread < WEIR_LANES)
        color_put(a, shared, COLOR_HUBS, round + 1, shared->loses && weir_lane() == 0, row);
    weir_block_sync(); /* the word is for the next one */
}

/* Take, and look again. @param[in,out] all  rows of the lists of all devices. @return as weir_steps_sync(). */
WEIR_DEV uint32_t color_round(const struct color_args *a, struct color_shared *shared,
                              struct weir_steps_block *b, uint32_t round, uint64_t *since_ns,
                              uint64_t *all, struct color_tally *tally)
{
    const uint32_t turn = round % 2, next = (round + 1) % 2;
    const uint32_t rest =
        round ? weir_load_relaxed_dev_u32(&a->length[COLOR_REST * 2u + turn]) : a->part.busy;
    const uint32_t hubs =
        a->hubs ? weir_load_relaxed_dev_u32(&a->length[COLOR_HUBS * 2u + turn]) : 0;
    uint32_t stop;
    for (uint32_t i = b->block; i < hubs; i += b->blocks)
        color_take_hub(a, shared, b, a->list[COLOR_HUBS][turn][i], tally);
    color_take_rest(a, shared, b, round, rest, tally);
    if (b->block == 0 && b->thread == 0) { /* nobody puts a row anywhere in this step */
        weir_store_relaxed_dev_u32(&a->length[COLOR_REST * 2u + next], 0);
        weir_store_relaxed_dev_u32(&a->length[COLOR_HUBS * 2u + next], 0);
    }
    if ((stop = color_barrier(a, shared, b, COLOR_TAKE, since_ns, all)))
        return stop;
    for (uint32_t i = b->block; i < hubs; i += b->blocks)
        color_check_hub(a, shared, b, round, a->list[COLOR_HUBS][turn][i], tally);
    color_check_rest(a, shared, b, round, rest, tally);
    return color_barrier(a, shared, b, COLOR_CHECK, since_ns, all);
}

WEIR_DEV void color_body(const struct color_args *a, struct color_shared *shared,
                         struct weir_steps_block *b)
{
    struct color_tally tally = {{0, 0}};
    uint64_t since_ns = weir_clock_ns(), all = 1;
    if (b->thread == 0)
        shared->put = 0;
    weir_block_sync();
    for (uint64_t row = a->part.busy + weir_steps_thread(b); row < a->part.owned;
         row += weir_steps_threads(b))
        a->color[a->member.index][a->part.begin + row] = 0; /* it has no neighbours */
    if (a->hubs) {
        color_find_hubs(a, shared, b);
        if (color_barrier(a, shared, b, COLOR_FIND, &since_ns, &all))
            return;
        all = 1;
    }
    for (uint32_t round = 0; all; round++)
        if (color_round(a, shared, b, round, &since_ns, &all, &tally))
            return;
    weir_steps_count(&a->member, b, COLOR_TAKEN, tally.did, 2);
}

#endif
