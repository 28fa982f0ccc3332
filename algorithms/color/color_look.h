/** @file color_look.h  A row of a colouring looks along its arcs and takes a colour; written once for host devices and GPUs. Not installed.
 *
 * A colour is open while its row may still have to take another one. Two rows that are neighbours can only take the same colour if they do so
 * at the same time, and of those the one that is behind gives way (color_is_ahead()). So a row that took a colour while a neighbour ahead of
 * it had none yet, or had one from the round before that was open, leaves its own open, and looks again in the next round. All others are
 * final, and are never looked along again.
 *
 * Rows that look at the same time see the same colours. If each took the smallest that is free, one of a clique would keep it in a round. So
 * a row skips some that are free, drawn from as many as a part of those ahead of it that look as well. */
#ifndef WEIR_ALGORITHMS_COLOR_COLOR_LOOK_H
#define WEIR_ALGORITHMS_COLOR_COLOR_LOOK_H

#include "algorithms/rows.h"
#include "worklist/steps.h"

enum {
    COLOR_WORDS = 32,   /* of a window of colours */
    COLOR_WORKERS = 32, /* of a block, at most */
    COLOR_ALONE = 32,   /* arcs of a row that a lane looks along alone; its colours are below 64 */
    COLOR_BATCH = 4,    /* arcs of a lane that are under way together */
    COLOR_SPREAD = 16   /* rows ahead that look as well, to each free colour that may be skipped */
};

/* The upper two bits of a colour: both are set where there is none yet; one says in which round an open colour was taken, even or odd. A
 * colour needs all smaller ones at neighbours, or a clique of rows that look at a time: 2^30 would take more arcs than there are. */
#define COLOR_NONE UINT32_MAX
#define COLOR_OPEN UINT32_C(0xC0000000)

/** What lies in weir_steps_page.result. */
enum color_phase { COLOR_TAKE = 0, COLOR_CHECK, COLOR_PHASES };
enum color_result {
    COLOR_TAKEN = 0, /* colours that rows took when they looked again, */
    COLOR_ARCS,      /* arcs whose far ends were looked at, */
    COLOR_COUNTS,
    COLOR_LOOKS = COLOR_COUNTS, /* and rows that looked again */
    COLOR_NS,
    COLOR_STEPS = COLOR_NS + COLOR_PHASES
};

struct color_args {
    struct weir_steps_member member;
    weir_rows_part part;
    weir_rows_halo halo;
    uint32_t *color[WEIR_DEVICES_MAX]; /* of each device: by local number */
    const uint32_t
        *order; /* rows in the order in which they take colours at first; NULL: as they are */
    uint32_t *list[2]; /* rows whose colours are open: of a round, and of the next, by turns */
    uint32_t *length;  /* of the lists of three rounds, by turns */
    uint32_t stretch;  /* rows that a block takes one after the other; 0: all go side by side */
    uint32_t pieces;   /* stretches of a device, at most */
    uint32_t batch;    /* rows of a device in the first batch; each batch doubles them */
    uint32_t most;     /* rows of a device that have arcs, at most */
    uint32_t sorted;   /* rows take colours as they are numbered, in batches */
    uint32_t both;     /* the graph is not symmetric: neighbours are at arcs of both kinds */
};

/* What a thread did: COLOR_TAKEN and so on; of the first looks, in each of which a row takes a colour, arcs alone. */
struct color_tally {
    uint64_t arcs;
    uint32_t taken;
};

/* A row that looks. */
struct color_looker {
    uint32_t row, round;
    uint32_t own;    /* its colour, without the upper bits; not looked at in its first look */
    uint32_t before; /* the upper bits of a colour that was taken in the round before */
    uint32_t limit;  /* rows of each device from this one on have no colour yet */
    int first;       /* this is its first look */
    uint32_t rank;
    uint64_t degree;
};

/* What it sees beside colours. */
struct color_seen {
    uint32_t ahead; /* neighbours ahead of it that may take a colour in this round */
    int lost;       /* one ahead of it has its colour */
};

WEIR_DEV uint64_t color_degree(const struct color_args *a, uint32_t row)
{
    const weir_rows_part *part = &a->part;
    const uint64_t out = part->out.offsets[row + 1] - part->out.offsets[row];
    return a->both ? out + part->in.offsets[row + 1] - part->in.offsets[row] : out;
}

/* When a row's turn is, on its device: the blocks go along their stretches side by side. */
WEIR_DEV uint32_t color_rank(const struct color_args *a, uint32_t row)
{
    return a->stretch ? row % a->stretch * a->pieces + row / a->stretch : row;
}

/* The first local number of a device's rows that is not that of one of its first so many rows. Where rows are numbered by degree, or
 * there is one device, whose local numbers are rows. */
WEIR_DEV uint32_t color_behind(const struct color_args *a, uint32_t d, uint32_t rows)
{
    const uint32_t begin = a->part.first[d], end = a->part.first[d + 1];
    const uint32_t number = rows < end - begin ? begin + rows : end;
    return a->halo.known ? weir_rows_local(a->halo.known, number) : number;
}

/* Whether the row of a local number is ahead of one of this device: of two that collide it keeps its colour. Any order of all rows will do; this
 * one is about that in which they take colours at first, so that few rows see one ahead of them that has none. */
WEIR_DEV int color_is_ahead(const struct color_args *a, uint32_t local,
                            const struct color_looker *r)
{
    uint32_t owner = a->part.part, row = local - a->halo.begin, rank;
    if (a->part.parts > 1 && row >= a->part.owned) {
        owner = weir_steps_owner(a->halo.first, local);
        if (a->halo.known) /* ranks are rows */
            return local < color_behind(a, owner, r->row + (owner < a->part.part));
        if (a->halo.whole >> owner & 1)
            row = local - a->halo.first[owner];
        else
            row = a->halo.numbers[local < a->halo.begin ? local : local - a->part.owned] -
                  a->part.first[owner];
    }
    rank = color_rank(a, row);
    return rank < r->rank || (rank == r->rank && owner < a->part.part);
}

WEIR_DEV uint32_t color_mark(uint32_t round)
{
    return round % 2 ? UINT32_C(0x80000000) : UINT32_C(0x40000000);
}

WEIR_DEV struct color_looker color_looker_of(const struct color_args *a, uint32_t row,
                                             uint32_t round, uint32_t limit, int first)
{
    struct color_looker r;
    r.row = row;
    r.round = round;
    r.before = color_mark(round + 1);
    r.limit = limit;
    r.first = first;
    r.rank = color_rank(a, row);
    r.degree = color_degree(a, row);
    r.own = first ? COLOR_NONE
                  : weir_load_relaxed_sys_u32(&a->color[a->member.index][a->halo.begin + row]) &
                        ~COLOR_OPEN;
    return r;
}

/* A row sees a neighbour's colour. */
WEIR_DEV void color_meet(const struct color_args *a, const struct color_looker *r, uint32_t local,
                         uint32_t color, struct color_seen *seen)
{
    const uint32_t open = color & COLOR_OPEN;
    const int may_change = open == COLOR_OPEN || open == r->before;
    const int same = (color & ~COLOR_OPEN) == r->own; /* never in the first look */
    if ((may_change || same) && color_is_ahead(a, local, r)) {
        seen->ahead += may_change != 0;
        seen->lost |= same;
    }
}

/* How many colours that are free a row skips. In its first look it is one of few that look, or those beside it are told from each other
 * (color_settle()); later ones have collided, and half of them move on. */
WEIR_DEV uint32_t color_skip(const struct color_args *a, const struct color_looker *r,
                             uint32_t ahead)
{
    const uint32_t most = ahead / COLOR_SPREAD + (!r->first && ahead);
    uint32_t draw = (a->part.begin + r->row + r->round * UINT32_C(0x9E3779B9)) ^ r->round;
    if (!most || (r->first && a->order)) /* a drawn order: those ahead look whenever they like */
        return 0;
    draw = (draw ^ draw >> 16) * UINT32_C(0x7FEB352D);
    draw = (draw ^ draw >> 15) * UINT32_C(0x846CA68B);
    return (draw ^ draw >> 16) % (most + 1);
}

/* The row of each lane that has @p mine one has a colour: those that have it in their halos are told, and counted. All lanes of a worker.
 * @param[in,out] told  the block's: by device. The device's own words would have an atomic of every worker that tells. */
WEIR_DEV void color_tell(const struct color_args *a, int mine, uint32_t row, uint32_t color,
                         uint64_t *told)
{
    for (uint32_t d = 0; d < a->member.count && a->member.count > 1; d++) {
        const uint64_t *to = a->halo.to[d];
        uint32_t at = a->halo.whole_at[d] + row, lanes;
        int tells = mine;
        if (!to)
            continue;
        if (a->halo.whole_at[d] == WEIR_ROWS_NONE) {
            const uint64_t word = mine ? to[row / 32] : 0;
            at = weir_rows_local_in(word, row);
            tells = (int)(word >> row % 32 & 1);
        }
        lanes = weir_ballot(tells);
        if (tells)
            weir_store_relaxed_sys_u32(&a->color[d][at], color);
        if (lanes && weir_lane() == 0)
            weir_atomic_add_block_u64(&told[d], weir_popcount_u32(lanes));
    }
}

/* The end of a look. One thread. @return the colour, which color_tell() has still to tell the others; where it is open the row looks
 * again in the next round. */
WEIR_DEV uint32_t color_end(const struct color_args *a, const struct color_looker *r,
                            uint32_t color, uint32_t ahead, struct color_tally *tally)
{
    const int took = color != r->own;
    if (took && ahead)
        color |= color_mark(r->round);
    weir_store_relaxed_sys_u32(&a->color[a->member.index][a->halo.begin + r->row], color);
    tally->taken += took && !r->first;
    return color;
}

/* ---- a row of many arcs, by all lanes of a worker --------------------------------------------- */

/* The first place from `at` on whose target is not below a local number. */
WEIR_DEV uint64_t color_place(const uint32_t *targets, uint64_t at, uint64_t end, uint32_t local)
{
    while (at < end) {
        const uint64_t middle = at + (end - at) / 2;
        if (targets[middle] < local)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

/* Local numbers of a device's rows that a row looks at end here: all those behind it have no colour yet, or have one that does not matter, since they are
 * behind this row and give way. */
WEIR_DEV uint32_t color_bound(const struct color_args *a, const struct color_looker *r, uint32_t d)
{
    if (!a->sorted)
        return COLOR_NONE;
    return color_behind(a, d, r->first ? r->row + (d < a->part.part) : r->limit);
}

/* Note which colours of the window from base on the far ends of a row's arcs have. Targets ascend, those of a device after those of the one
 * before, so what is behind a bound is not even read. */
WEIR_DEV void color_note(const struct color_args *a, const weir_arcs *arcs,
                         const struct color_looker *r, uint32_t base, uint32_t *used,
                         uint32_t words, struct color_seen *seen, struct color_tally *tally)
{
    const uint32_t *colors = a->color[a->member.index];
    const uint64_t end = arcs->offsets[r->row + 1];
    uint64_t at = arcs->offsets[r->row];
    for (uint32_t d = 0; d < (a->sorted ? a->part.parts : 1) && at < end; d++) {
        const uint32_t bound = color_bound(a, r, d);
        if (d)
            at = color_place(arcs->targets, at, end, a->halo.first[d]);
        for (; at < end; at += COLOR_BATCH * WEIR_LANES) {
            uint32_t local[COLOR_BATCH], color[COLOR_BATCH];
            for (uint32_t j = 0; j < COLOR_BATCH; j++) {
                const uint64_t arc = at + j * WEIR_LANES + weir_lane();
                local[j] = arc < end ? arcs->targets[arc] : COLOR_NONE;
            }
            for (uint32_t j = 0; j < COLOR_BATCH; j++)
                color[j] =
                    local[j] < bound ? weir_load_relaxed_sys_u32(&colors[local[j]]) : COLOR_NONE;
            for (uint32_t j = 0; j < COLOR_BATCH; j++) {
                const uint32_t bit = (color[j] & ~COLOR_OPEN) - base;
                if (local[j] >= bound)
                    continue;
                tally->arcs++;
                color_meet(a, r, local[j], color[j], seen);
                if (color[j] == COLOR_NONE || bit >= words * 32)
                    continue;
                if (WEIR_LANES > 1)
                    (void)weir_atomic_or_relaxed_dev_u32(&used[bit / 32], 1u << bit % 32);
                else
                    used[bit / 32] |= 1u << bit % 32;
            }
            if (weir_ballot(local[COLOR_BATCH - 1] >= bound))
                break; /* what is left of these arcs may be another device's */
        }
    }
}

/* The bit number n of those that are set. */
WEIR_DEV uint32_t color_nth(uint32_t bits, uint32_t n)
{
    for (; n; n--)
        bits &= bits - 1;
    return weir_first_bit_u32(bits);
}

/* The free colour of a window that has *skip free ones before it. COLOR_NONE: there are not as many, and *skip is less by those that there
 * are. */
WEIR_DEV uint32_t color_pick(const uint32_t *used, uint32_t words, uint32_t base, uint32_t *skip)
{
    for (uint32_t at = 0; at < words; at += WEIR_LANES) {
        const uint32_t word = at + weir_lane(), free = word < words ? ~used[word] : 0;
        const uint32_t count = weir_popcount_u32(free), to = weir_prefix_u32(count);
        const uint32_t lanes = weir_ballot(to > *skip);
        if (lanes) {
            const uint32_t lane = weir_first_bit_u32(lanes);
            const uint32_t nth = *skip - weir_broadcast_u32(to - count, lane);
            return base + (at + lane) * 32 + color_nth(weir_broadcast_u32(free, lane), nth);
        }
        *skip -= weir_broadcast_u32(to, WEIR_LANES - 1);
    }
    return COLOR_NONE;
}

/* A row looks. All lanes of a worker. @param[in] used  COLOR_WORDS words, the worker's. @param[in,out] told  color_tell(). @return whether it looks again in the next round.
 *
 * Where a window has no colour for it the row looks along its arcs again, for the next one. A colour above the number of its neighbours, because it
 * skipped too many, or because one of these changed its colour between two looks, from one of the second window to one of the first: then it
 * begins again and skips none. Each neighbour changes once in a round. */
WEIR_DEV int color_look(const struct color_args *a, const struct color_looker *r, uint32_t *used,
                        uint64_t *told, struct color_tally *tally)
{
    const uint32_t words =
        r->degree < COLOR_WORDS * 32 ? (uint32_t)r->degree / 32 + 1 : COLOR_WORDS;
    uint32_t color = r->own, base = 0, ahead = 0, skip = 0;
    for (int looks = 0;; looks = 1) {
        struct color_seen seen = {0, 0};
        for (uint32_t word = weir_lane(); word < words; word += WEIR_LANES)
            used[word] = 0;
        weir_lanes_sync();
        color_note(a, &a->part.out, r, base, used, words, &seen, tally);
        if (a->both)
            color_note(a, &a->part.in, r, base, used, words, &seen, tally);
        weir_lanes_sync();
        ahead += weir_sum_u32(seen.ahead);
        if (!looks && !r->first && !weir_ballot(seen.lost))
            break;
        if (!looks)
            skip = color_skip(a, r, ahead);
        color = color_pick(used, words, base, &skip);
        weir_lanes_sync(); /* the words are for the next look */
        if (color <= r->degree)
            break;
        base =
            color == COLOR_NONE && base + UINT64_C(32) * words <= r->degree ? base + words * 32 : 0;
        if (!base)
            skip = 0;
    }
    if (weir_lane() == 0)
        color = color_end(a, r, color, ahead, tally);
    color_tell(a, weir_lane() == 0, r->row, color, told);
    return (weir_broadcast_u32(color, 0) & COLOR_OPEN) != 0;
}

#endif
