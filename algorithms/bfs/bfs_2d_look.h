/** @file bfs_2d_look.h  LOOK and SHARE of a search in two dimensions: along the arcs that this device has of the column's frontier. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_2D_LOOK_H
#define WEIR_ALGORITHMS_BFS_BFS_2D_LOOK_H

#include "algorithms/bfs/bfs_2d_step.h"

/* Write down what was met for others, of the lanes for which @p is holds: column by column, with one atomic for each. All lanes. */
WEIR_DEV void bfs_2d_meet(const struct bfs_2d_args *a, struct bfs_2d_shared *shared, int is,
                          uint32_t column, uint32_t local_row)
{
    uint32_t left = weir_ballot(is);
    if (left && weir_lane() == 0)
        weir_atomic_add_block_u64(&shared->sent, weir_popcount_u32(left));
    WEIR_ROLLED
    while (left) {
        const uint32_t to = weir_broadcast_u32(column, weir_first_bit_u32(left));
        const int its = is && column == to;
        const uint32_t lanes = weir_ballot(its);
        uint32_t at = 0;
        if (weir_lane() == 0)
            at = weir_atomic_add_relaxed_dev_u32(&a->met_of[to], weir_popcount_u32(lanes));
        at = weir_broadcast_u32(at, 0);
        if (its)
            a->met[a->cell.first[to] + at + bfs_2d_rank(lanes)] = local_row - a->cell.first[to];
        left &= ~lanes;
    }
}

/* Look at an arc, of the lanes for which @p is holds. All lanes. @param[in] tail  a number. */
WEIR_DEV void bfs_2d_arc(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                         const struct bfs_2d_walk *w, int is, uint32_t tail, uint32_t head)
{
    uint32_t column = 0;
    is = is && bfs_2d_claim(a->seen, head);
    if (!weir_ballot(is))
        return;
    if (is) {
        column = weir__cell_column(&a->cell, head);
        if (a->parent)
            a->tail[a->member.index][head] = tail;
    }
    const int own = is && column == a->cell.column;
    const uint32_t row = own ? head - a->cell.first[column] : 0;
    if (own) {
        a->level[row] = w->level + 1;
        if (a->parent)
            a->parent[row] = tail;
    }
    bfs_2d_put(a, shared, own, row);
    bfs_2d_meet(a, shared, is && !own, column, head);
}

/* List the pieces of a long row; by one lane. The lists of a run have room for each row once. */
WEIR_DEV void bfs_2d_cut(const struct bfs_2d_args *a, struct bfs_2d_shared *shared, uint32_t place,
                         uint64_t first, uint64_t arcs)
{
    const uint32_t count = (uint32_t)((arcs + BFS_2D_PIECE - 1) / BFS_2D_PIECE);
    const uint32_t at = weir_atomic_add_relaxed_dev_u32(a->cut, count);
    weir_atomic_add_block_u64(&shared->cut, count);
    WEIR_ROLLED
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = (uint64_t)i * BFS_2D_PIECE, left = arcs - begin;
        struct bfs_2d_piece piece;
        piece.first = first + begin;
        piece.place = place;
        piece.count = (uint32_t)(left < BFS_2D_PIECE ? left : BFS_2D_PIECE);
        a->pieces[at + i] = piece;
    }
}

/* Look at arcs of the lanes' rows, each lane at those which come next of all: rows of any length keep all lanes busy. All lanes.
 * @param[in] count  of this lane's row, up to BFS_2D_LONG. */
WEIR_DEV void bfs_2d_arcs(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                          const struct bfs_2d_walk *w, uint32_t place, uint64_t first,
                          uint32_t count)
{
    const uint32_t upto = weir_prefix_u32(count), all = weir_broadcast_u32(upto, WEIR_LANES - 1);
    WEIR_ROLLED
    for (uint32_t base = 0; base < all; base += WEIR_LANES) {
        const uint32_t at = base + weir_lane();
        uint32_t lane = 0; /* whose arc it is: the first that has more arcs up to its own */
        for (uint32_t step = WEIR_LANES / 2; step; step /= 2)
            lane += weir_broadcast_u32(upto, lane + step - 1) <= at ? step : 0;
        const uint64_t its = weir_broadcast_u64(first, lane);
        const uint32_t before = weir_broadcast_u32(upto - count, lane);
        const uint32_t tail = a->cell.begin + weir_broadcast_u32(place, lane);
        const int is = at < all;
        bfs_2d_arc(a, shared, w, is, tail, is ? a->rows.out.targets[its + (at - before)] : 0);
    }
}

/* Look along the rows of the lanes for which @p is holds. All lanes. */
WEIR_DEV void bfs_2d_rows(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                          const struct bfs_2d_walk *w, struct bfs_2d_tally *t, int is,
                          uint32_t place)
{
    uint64_t first = 0, arcs = 0;
    if (is) {
        first = a->rows.out.offsets[place];
        arcs = a->rows.out.offsets[place + (uint64_t)1] - first;
        t->rows++;
        t->arcs += arcs;
    }
    if (arcs > BFS_2D_LONG) {
        bfs_2d_cut(a, shared, place, first, arcs);
        arcs = 0;
    }
    bfs_2d_arcs(a, shared, w, place, first, (uint32_t)arcs);
}

/* What a device of the column has in its frontier. */
struct bfs_2d_part {
    const uint32_t *items; /* rows, or the words of a bitmap */
    uint32_t count;        /* of these */
    uint32_t base;         /* the place of its row 0 */
    int bitmap;
};

WEIR_DEV struct bfs_2d_part bfs_2d_part_of(const struct bfs_2d_args *a,
                                           const struct bfs_2d_shared *shared,
                                           const struct bfs_2d_walk *w, uint32_t row)
{
    const uint32_t device = weir__cell_device(&a->cell, row, a->cell.column);
    struct bfs_2d_part part;
    part.base = a->rows.first[device] - a->cell.begin;
    part.bitmap = 0;
    if (row == a->cell.row) {
        part.items = a->queue + w->from;
        part.count = w->to - w->from;
        return part;
    }
    part.items = a->inbox[device];
    part.count = (uint32_t)(shared->inboxes.end[device] - shared->inboxes.first[device]);
    if (part.count) {
        const uint32_t words = bfs_2d_stretch(a, device) / 32;
        part.bitmap = bfs_is_bitmap(a->wire, part.count, words);
        part.count = part.bitmap ? words : part.count;
    }
    return part;
}

/* Some items of a part, one a lane. All lanes. */
WEIR_DEV void bfs_2d_items(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                           const struct bfs_2d_walk *w, struct bfs_2d_tally *t,
                           const struct bfs_2d_part *part, int is, uint32_t at)
{
    if (!part->bitmap) {
        bfs_2d_rows(a, shared, w, t, is, is ? part->base + part->items[at] : 0);
        return;
    }
    uint32_t bits = is ? part->items[at] : 0;
    WEIR_ROLLED
    while (weir_ballot(bits != 0)) {
        const int has = bits != 0;
        bfs_2d_rows(a, shared, w, t, has,
                    has ? part->base + at * 32 + weir_first_bit_u32(bits) : 0);
        bits &= bits - 1;
    }
}

/** The frontier of the column. Where it has few items a worker takes few at a time, so that all workers have some; the chunks of
 *  all parts are dealt out in turn. */
WEIR_COLD struct bfs_2d_tally bfs_2d_look(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                                          struct weir_steps_block b, struct bfs_2d_walk w)
{
    struct bfs_2d_tally t = {0, 0};
    const uint64_t workers = weir_steps_threads(&b) / WEIR_LANES, me = weir_steps_warp(&b);
    uint64_t all = 0, dealt = 0;
    if (a->cell.rows > 1)
        weir_steps_open(&a->member, &b, &shared->inboxes);
    WEIR_ROLLED
    for (uint32_t row = 0; row < a->cell.rows; row++)
        all += bfs_2d_part_of(a, shared, &w, row).count;
    uint64_t take = (all + workers - 1) / workers;
    take = take < 1 ? 1 : take > WEIR_LANES ? WEIR_LANES : take;
    WEIR_ROLLED
    for (uint32_t row = 0; row < a->cell.rows; row++) {
        const struct bfs_2d_part part = bfs_2d_part_of(a, shared, &w, row);
        const uint64_t chunks = (part.count + take - 1) / take;
        WEIR_ROLLED
        for (uint64_t c = (me + workers - dealt % workers) % workers; c < chunks; c += workers) {
            const uint64_t at = c * take + weir_lane();
            bfs_2d_items(a, shared, &w, &t, &part, weir_lane() < take && at < part.count,
                         (uint32_t)at);
        }
        dealt += chunks;
    }
    return t;
}

/** SHARE: the pieces that LOOK has listed. @param[in] end  how many there are in all. */
WEIR_COLD void bfs_2d_share(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                            struct weir_steps_block b, struct bfs_2d_walk w, uint32_t end)
{
    const uint64_t workers = weir_steps_threads(&b) / WEIR_LANES;
    WEIR_ROLLED
    for (uint64_t i = w.pieces + weir_steps_warp(&b); i < end; i += workers) {
        const struct bfs_2d_piece piece = a->pieces[i];
        WEIR_ROLLED
        for (uint32_t base = 0; base < piece.count; base += WEIR_LANES) {
            const uint32_t at = base + weir_lane();
            const int is = at < piece.count;
            bfs_2d_arc(a, shared, &w, is, a->cell.begin + piece.place,
                       is ? a->rows.out.targets[piece.first + at] : 0);
        }
    }
}

#endif
