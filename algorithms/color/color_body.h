/** @file color_body.h  A colouring in supersteps, speculative; written once for host devices and GPUs. Not installed.
 *
 * Every vertex of a list takes the smallest colour that it sees at none of its neighbours, all at once (Atos, Algorithm 5, after Gebremedhin
 * and Manne). Two neighbours that do so at the same time may take the same one. When all have, each vertex of the list looks again, and the
 * one of larger number of two that are alike goes into the next list. A vertex of d neighbours sees d colours at most, so that its own is at
 * most d, counted from 0. The smallest number of a list always keeps its colour, so lists become empty. */
#ifndef WEIR_ALGORITHMS_COLOR_COLOR_BODY_H
#define WEIR_ALGORITHMS_COLOR_COLOR_BODY_H

#include "algorithms/rows.h"
#include "worklist/steps.h"

#define COLOR_NONE UINT32_MAX
enum {
    COLOR_WORDS = 32,
    COLOR_WORKERS = 32
}; /* of a window of colours; workers of a block, at most */

/** Kinds of supersteps, and what lies in weir_steps_page.result. */
enum color_phase { COLOR_TAKE = 0, COLOR_CHECK, COLOR_PHASES };
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
    uint32_t *list[2]; /* rows to be coloured again; they take turns */
    uint32_t *length;  /* of both */
    uint32_t
        both; /* the graph is not symmetric: neighbours lie at both ends of both kinds of arcs */
};

/* Words that the threads of a block share. */
struct color_shared {
    uint64_t put;                              /* rows put into a list since the last barrier */
    uint32_t used[COLOR_WORKERS][COLOR_WORDS]; /* a bit for each colour of a worker's window */
};

/* What a thread did. */
struct color_tally {
    uint64_t did[2]; /* COLOR_TAKEN, COLOR_ARCS */
};

/* Note which colours of the window from base on the heads of a row's arcs have. All lanes of a worker. */
WEIR_DEV void color_note(const struct color_args *a, const weir_arcs *arcs, uint32_t row,
                         uint32_t base, uint32_t *used, struct color_tally *tally)
{
    const uint32_t *color = a->color[a->member.index];
    for (uint64_t i = arcs->offsets[row] + weir_lane(); i < arcs->offsets[row + 1];
         i += WEIR_LANES) {
        const uint32_t seen = weir_load_relaxed_dev_u32(&color[arcs->targets[i]]) - base;
        tally->did[COLOR_ARCS]++;
        if (seen >= COLOR_WORDS * 32)
            continue;
        if (WEIR_LANES > 1)
            (void)weir_atomic_or_relaxed_dev_u32(&used[seen / 32], 1u << seen % 32);
        else
            used[seen / 32] |= 1u << seen % 32;
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

/* A row takes a colour. All lanes of a worker. */
WEIR_DEV void color_take(const struct color_args *a, uint32_t row, uint32_t *used,
                         struct color_tally *tally)
{
    const weir_rows_part *part = &a->part;
    uint64_t degree = part->out.offsets[row + 1] - part->out.offsets[row];
    uint32_t color = COLOR_NONE;
    if (a->both)
        degree += part->in.offsets[row + 1] - part->in.offsets[row];
    const uint32_t words = degree < COLOR_WORDS * 32 ? (uint32_t)degree / 32 + 1 : COLOR_WORDS;
    for (uint32_t base = 0; color == COLOR_NONE; base += COLOR_WORDS * 32) {
        for (uint32_t word = weir_lane(); word < words; word += WEIR_LANES)
            used[word] = 0;
        weir_lanes_sync();
        color_note(a, &part->out, row, base, used, tally);
        if (a->both)
            color_note(a, &part->in, row, base, used, tally);
        weir_lanes_sync();
        color = color_free(used, words, base);
        weir_lanes_sync(); /* the words are for the next row */
    }
    for (uint32_t d = weir_lane(); d < a->member.count; d += WEIR_LANES)
        weir_store_relaxed_sys_u32(&a->color[d][part->begin + row], color);
    tally->did[COLOR_TAKEN] += weir_lane() == 0;
}

/* Whether a neighbour of smaller number has the same colour. All lanes of a worker, which nobody writes colours beside. */
WEIR_DEV int color_loses(const struct color_args *a, const weir_arcs *arcs, uint32_t row,
                         struct color_tally *tally)
{
    const uint32_t *color = a->color[a->member.index];
    const uint32_t number = a->part.begin + row, own = color[number];
    const uint64_t end = arcs->offsets[row + 1];
    uint32_t loses = 0;
    for (uint64_t base = arcs->offsets[row]; base < end && !loses; base += WEIR_LANES) {
        const uint64_t i = base + weir_lane();
        const uint32_t other = i < end ? arcs->targets[i] : number;
        tally->did[COLOR_ARCS] += i < end;
        loses = weir_ballot(other < number && color[other] == own);
    }
    return loses != 0;
}

/* The end of a superstep. @param[in,out] own  rows put into the list of this device. @return as weir_steps_sync(). */
WEIR_DEV uint32_t color_barrier(const struct color_args *a, struct color_shared *shared,
                                struct weir_steps_block *b, enum color_phase phase,
                                uint64_t *since_ns, uint32_t *own, uint64_t *all)
{
    uint64_t total[WEIR_STEPS_SUMS];
    const uint32_t stop = weir_steps_sync(&a->member, b, b->blocks, &shared->put, 0, total);
    if (stop)
        return stop;
    *own = (uint32_t)(a->member.count > 1 ? weir_steps_own(&a->member, b) : total[0]);
    *all = total[0];
    if (b->block == 0 && b->thread == 0)
        weir_steps_book(&a->member, since_ns, COLOR_NS + phase, COLOR_STEPS + phase);
    return WEIR_STEPS_GOES_ON;
}

/* Row i of the list of a round. */
WEIR_DEV uint32_t color_row(const struct color_args *a, uint32_t round, uint64_t i)
{
    if (round)
        return a->list[round % 2][i];
    return a->order ? a->order[i] : (uint32_t)i;
}

/* Take, and look again. @param[in,out] count, all  rows of the list, of this device and of all. @return as weir_steps_sync(). */
WEIR_DEV uint32_t color_round(const struct color_args *a, struct color_shared *shared,
                              struct weir_steps_block *b, uint32_t round, uint64_t *since_ns,
                              uint32_t *count, uint64_t *all, struct color_tally *tally)
{
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    uint32_t *used = shared->used[b->thread / WEIR_LANES], none, stop;
    for (uint64_t i = weir_steps_warp(b); i < *count; i += workers)
        color_take(a, color_row(a, round, i), used, tally);
    if (b->block == 0 && b->thread == 0) /* nobody puts a row anywhere in this step */
        weir_store_relaxed_dev_u32(&a->length[(round + 1) % 2], 0);
    if ((stop = color_barrier(a, shared, b, COLOR_TAKE, since_ns, &none, all)))
        return stop;
    for (uint64_t i = weir_steps_warp(b); i < *count; i += workers) {
        const uint32_t row = color_row(a, round, i);
        if (!color_loses(a, &a->part.out, row, tally) &&
            !(a->both && color_loses(a, &a->part.in, row, tally)))
            continue;
        if (weir_lane() == 0) {
            const uint32_t at = weir_atomic_add_relaxed_dev_u32(&a->length[(round + 1) % 2], 1);
            a->list[(round + 1) % 2][at] = row;
            weir_atomic_add_block_u64(&shared->put, 1);
        }
    }
    return color_barrier(a, shared, b, COLOR_CHECK, since_ns, count, all);
}

WEIR_DEV void color_body(const struct color_args *a, struct color_shared *shared,
                         struct weir_steps_block *b)
{
    struct color_tally tally = {{0, 0}};
    uint64_t since_ns = weir_clock_ns(), all = 1;
    uint32_t count = a->part.busy;
    if (b->thread == 0)
        shared->put = 0;
    weir_block_sync();
    for (uint64_t row = a->part.busy + weir_steps_thread(b); row < a->part.owned;
         row += weir_steps_threads(b))
        a->color[a->member.index][a->part.begin + row] = 0; /* it has no neighbours */
    for (uint32_t round = 0; all; round++)
        if (color_round(a, shared, b, round, &since_ns, &count, &all, &tally))
            return;
    weir_steps_count(&a->member, b, COLOR_TAKEN, tally.did, 2);
}

#endif
