/** @file cc_rest.h  The arcs of vertices outside the largest tree (cc_op.h says why theirs are enough). */
#ifndef WEIR_ALGORITHMS_CC_REST_H
#define WEIR_ALGORITHMS_CC_REST_H

#include "algorithms/cc/cc_sample.h"

#if WEIR_LANES > 1u
#define CC_SHORT 16u /* arcs that a lane links alone; the whole warp links longer rows */
#else
#define CC_SHORT 0u
#endif

/* Arcs of a row, as a lane holds them. */
struct cc_arcs_of {
    const uint32_t *targets;
    uint64_t first;
    uint32_t count; /* 0: this lane has none */
    uint32_t v;
    uint32_t in; /* CC_PIECE_IN: the arcs are in-arcs */
};

/* Arcs of v to this number and beyond are left out: in the step `direct` they are arcs of the other row. */
WEIR_DEV uint32_t cc_bound(const struct cc_run *run, uint32_t v)
{
    return run->direct ? v : CC_NONE;
}

WEIR_DEV void cc_link_short(struct cc_run *run, const struct cc_arcs_of *row)
{
    const uint32_t count = row->count <= CC_SHORT ? row->count : 0, most = weir_max_u32(count);
    const uint32_t bound = cc_bound(run, row->v);
    WEIR_ROLLED
    for (uint32_t i = 0; i < most; i++) {
        struct cc_hook hook = {0, 0};
        const uint32_t far = cc_name_of(run, i < count ? row->targets[row->first + i] : CC_NONE);
        int joined = far < bound && cc_join(run->parent, row->v, far, 0, &hook);
        cc_note(run, joined, &hook);
    }
}

/* A worker, or the @p threads of a block, link arcs of one row. Those in host memory they read from the begin of a line on, since a
 * link carries less in requests of less than a line. */
WEIR_DEV void cc_link_wide(struct cc_run *run, const uint32_t *targets, uint32_t count, uint32_t v,
                           uint32_t thread, uint32_t threads)
{
    const uint32_t bound = cc_bound(run, v);
    const uint32_t before =
        run->args->lines ? (uint32_t)((uintptr_t)targets / sizeof *targets) & (WEIR_LANES - 1) : 0;
    WEIR_ROLLED
    for (uint32_t i = 0; i < count + before; i += threads) {
        struct cc_hook hook = {0, 0};
        const uint32_t at =
            i + thread - before; /* of a slot before the first arc far above count */
        const uint32_t far = cc_name_of(run, at < count ? targets[at] : CC_NONE);
        int joined = far < bound && cc_join(run->parent, v, far, 0, &hook);
        cc_note(run, joined, &hook);
    }
}

WEIR_DEV void cc_link_middle(struct cc_run *run, const struct cc_arcs_of *row)
{
    uint32_t lanes = weir_ballot(row->count > CC_SHORT && row->count <= CC_PIECE);
    WEIR_ROLLED
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t from = weir_first_bit_u32(lanes);
        const uint64_t first = weir_broadcast_u64(row->first, from);
        cc_link_wide(run, row->targets + first, weir_broadcast_u32(row->count, from),
                     weir_broadcast_u32(row->v, from), weir_lane(), WEIR_LANES);
    }
}

/* All blocks link the pieces of long rows, after the next barrier, whose sum 1 is the number of pieces. A row may have
 * nearly 2^32 arcs: adding a piece to its count could exceed 32 bits. */
WEIR_COLD void cc_put_pieces(const struct cc_args *a, struct cc_shared *shared,
                             const struct weir_steps_block *block, struct cc_arcs_of row)
{
    const uint32_t pieces = (row.count - 1) / CC_PIECE + 1;
    uint32_t at = weir_atomic_add_relaxed_dev_u32(&a->words[a->part.part]->pieces, pieces);
    for (uint32_t left = row.count, count; left; left -= count, at++) {
        struct cc_piece piece;
        count = left < CC_PIECE ? left : CC_PIECE;
        piece.first = row.first + (row.count - left);
        piece.row = row.v;
        piece.count = count | row.in;
        a->pieces[at] = piece;
    }
    weir_steps_add(&a->member, block, 1, pieces);
    (void)weir_atomic_add_relaxed_dev_u64(&shared->arcs, row.count);
}

/* Each lane links the arcs of its row that are not linked yet (cc_linked()); a lane whose row is not outside has none.
 * @return how many arcs the row has. */
WEIR_DEV uint64_t cc_link_rows(struct cc_run *run, const weir_arcs *arcs, int outside, uint64_t row,
                               uint32_t which, uint32_t in)
{
    struct cc_arcs_of mine = {arcs->targets, 0, 0, cc_name_of_row(run, row), in};
    uint64_t degree = 0;
    if (outside) {
        mine.first = arcs->offsets[row];
        degree = arcs->offsets[row + 1] - mine.first;
    }
    if (degree) {
        const uint32_t linked =
            cc_linked(run, mine.v, cc_name_of(run, arcs->targets[mine.first]), which);
        mine.first += linked;
        mine.count = degree > linked ? (uint32_t)(degree - linked) : 0;
        run->arcs += mine.count <= CC_PIECE ? mine.count : 0;
    }
    cc_link_short(run, &mine);
    cc_link_middle(run, &mine);
    if (mine.count > CC_PIECE)
        cc_put_pieces(run->args, run->shared, run->block, mine);
    return degree;
}

/* List the rows that are outside and have arcs: their ids are compared in the end, or they are labelled alone. */
WEIR_DEV void cc_put_outside(struct cc_run *run, int outside, uint64_t row)
{
    if (CC_NEAREST || run->shared->settled ||
        (run->args->in_order && run->shared->guess == CC_NONE))
        return;
    const uint32_t at = cc_place(&cc_mine(run)->outside, NULL, outside);
    if (outside)
        run->args->outside[at] = (uint32_t)row;
}

/* One row a lane. */
WEIR_DEV void cc_rest_row(struct cc_run *run, int outside, uint64_t row, uint32_t which)
{
    const weir_rows_part *part = &run->args->part;
    if (!weir_ballot(outside))
        return;
    uint64_t degree = cc_link_rows(run, &part->out, outside, row, which, 0);
    if (run->args->both)
        degree += cc_link_rows(run, &part->in, outside, row, which, CC_PIECE_IN);
    cc_put_outside(run, degree > 0, row);
}

/* Link the last `count` arcs that wait, one a lane. All lanes of a worker. */
WEIR_DEV void cc_link_waiting(struct cc_run *run, uint32_t count)
{
    struct cc_arc arc = {0, 0};
    struct cc_hook hook = {0, 0};
    run->waiting -= count;
    weir_lanes_sync(); /* other lanes wrote them */
    if (weir_lane() < count)
        arc = cc_list(run)[run->waiting + weir_lane()];
    weir_lanes_sync(); /* their places are for others now */
    const int joined = weir_lane() < count && cc_join(run->parent, arc.v, arc.to, 1, &hook);
    cc_note(run, joined, &hook);
}

#if WEIR_LANES > 1u
/* Link an arc of each lane that has one. A join is a chain of looks that wait for each other, and of the rows of a batch few have an arc left, which the
 * warp would wait for row after row: so arcs wait until there is one for every lane. All lanes of a worker. */
WEIR_DEV void cc_link_soon(struct cc_run *run, int is_there, uint32_t v, uint32_t to)
{
    cc_keep(run, weir_ballot(is_there), v, to);
    if (run->waiting < WEIR_LANES)
        return;
    if (weir_lane() == 0)
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->gathered, WEIR_LANES);
    cc_link_waiting(run, WEIR_LANES);
}

/* Link the arcs of CC_BATCH rows that lead to smaller numbers, but for the first, which the first step took. They ascend, so
 * one that does not lead there ends its row.
 * @return rows of more than CC_ALONE arcs, a bit each: those are left to others. */
WEIR_DEV uint32_t cc_link_lower(struct cc_run *run, const weir_arcs *arcs, uint64_t base)
{
    const uint32_t apart = cc_apart(run->stride);
    uint64_t first[CC_BATCH];
    uint32_t count[CC_BATCH], far[CC_BATCH];
    uint32_t longer = 0,
             ends = 0; /* 8 bits a row: how many arcs are left to look at, from the first on */
    cc_read_first(run, arcs, base, apart, first, count, far);
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        longer |= (uint32_t)(count[k] > CC_ALONE) << k;
        if (count[k] <= CC_ALONE && far[k] < cc_name(run, base, apart, k))
            ends |= count[k] << 8 * k;
    }
    WEIR_ROLLED
    for (uint32_t i = !run->args->both; weir_ballot(ends != 0); i++) {
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint32_t is_there = i < (ends >> 8 * k & 255u);
            const uint32_t next = is_there ? arcs->targets[first[k] + i] : CC_NONE;
            run->arcs += is_there;
            if (next >= cc_name(run, base, apart, k)) {
                ends &= ~(255u << 8 * k);
                far[k] = CC_NONE;
            } else {
                far[k] = next;
            }
        }
        WEIR_ROLLED
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint32_t v = cc_name(run, base, apart, k), to = cc_pick(far, k);
            cc_link_soon(run, to < v, v, to);
        }
    }
    return longer;
}
#else
#include "algorithms/cc/cc_host.h"
#endif

#if CC_NEAREST
/** The step "direct" of rows of few arcs: behind those that are scanned, the long ones among a worker's rows.
 *  @param[in] which  see cc_linked(). */
WEIR_DEV void cc_rest(struct cc_run *run, uint32_t giant, uint32_t which)
{
    const uint64_t lane = weir_lane();
    (void)giant; /* nobody looked for one */
    if (!cc_direct_near(run))
        return;
    WEIR_ROLLED
    for (uint64_t base = run->id; base - lane < run->args->part.busy;
         base += (uint64_t)CC_BATCH * run->stride) {
        const uint32_t longer = cc_longer(run, base);
        WEIR_ROLLED
        for (uint32_t k = 0; weir_ballot(longer >> k != 0); k++)
            cc_rest_row(run, longer >> k & 1u, base + (uint64_t)k * run->stride, which);
    }
}
#else
/* Which of CC_BATCH rows are outside the largest tree, a bit each. The others get the label that is guessed, and point at its root
 * from now on, for those that find it by way of them. The look is at the trees as they are now, while others join trees; a row that
 * comes into the largest tree later links its arcs, which is more than it had to. */
WEIR_DEV uint32_t cc_settle(const struct cc_run *run, uint32_t giant, uint64_t base)
{
    const uint32_t apart = cc_apart(run->stride), guess = run->shared->guess;
    uint32_t up[CC_BATCH], outside = 0, deep = 0;
    cc_read_parents(run, base, apart, giant, up);
    if (giant != CC_NONE)
        deep = cc_find(run->parent, giant, up);
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++)
        outside |= (uint32_t)(up[k] != giant) << k;
    if (outside && giant != CC_NONE) {
        /* The root itself may hang under another by now, and parents have gone on there. */
        const uint32_t now = cc_root(run->parent, giant, CC_NONE);
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            outside &= ~((uint32_t)(up[k] == now) << k);
    }
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * apart;
        if ((outside >> k & 1u) || row >= run->args->part.busy)
            continue;
        if (deep >> k & 1u)
            weir_min_relaxed_dev_u32(cc_words_of(run->parent) + run->args->part.begin + row, up[k]);
        if (guess != CC_NONE)
            run->args->label[row] = guess;
    }
    weir_lanes_sync(); /* the warp would look at what follows, and at the next batch, in several parts */
    return outside;
}

/* The step "rest" where rows were settled in the first step: those that were not are looked at again. */
WEIR_DEV void cc_rest_undecided(struct cc_run *run, uint32_t giant, uint32_t which)
{
    const struct cc_args *a = run->args;
    const uint32_t lane = weir_lane(), count = run->shared->undecided;
    if (run->block->thread == 0)
        run->shared->looked = count;
    WEIR_ROLLED
    for (uint32_t i = run->block->thread; i - lane < count; i += run->block->threads) {
        const uint32_t row = i < count ? a->outside[cc_slot(run, i)] : 0;
        const int outside =
            i < count && cc_root(run->parent, cc_name_of_row(run, row), giant) != giant;
        weir_lanes_sync();
        cc_rest_row(run, outside, row, which);
    }
}

/** The step "rest"; where rows have few arcs, "direct", which leaves long rows to the same lines, in both directions.
 *  @param[in] giant  the root of the largest tree.  @param[in] which  see cc_linked(). */
WEIR_DEV void cc_rest(struct cc_run *run, uint32_t giant, uint32_t which)
{
    const weir_rows_part *part = &run->args->part;
    const uint64_t lane = weir_lane();
    const int settled = run->args->settles && giant == 0 && which == 1;
    cc_guess(run->args, run->shared, run->block->thread, cc_label_now(run, giant), settled);
    if (settled) {
        cc_rest_undecided(run, giant, which);
        return;
    }
    if (run->id == 0 && !run->direct)
        run->shared->looked = part->busy;
    WEIR_ROLLED
    for (uint64_t base = cc_begin(run->id); base - lane < part->busy;
         base = cc_next(base, run->stride, CC_BATCH)) {
        uint32_t outside = 0;
        if (!run->direct)
            outside = cc_settle(run, giant, base);
        WEIR_ROLLED
        for (uint32_t in = 0; !CC_INTERLEAVED && run->direct && in <= run->args->both; in++)
            outside |= cc_link_lower(run, in ? &part->in : &part->out, base);
        if (!run->args->in_order) {
            CC_UNROLL
            for (uint32_t k = 0; k < CC_BATCH; k++) {
                const uint64_t row = base + (uint64_t)k * cc_apart(run->stride);
                if (row < part->busy)
                    cc_put_id(run->args, run->shared, outside >> k & 1u, row);
            }
        }
        WEIR_ROLLED
        for (uint32_t k = 0; weir_ballot(outside >> k != 0); k++)
            cc_rest_row(run, outside >> k & 1u, base + (uint64_t)k * cc_apart(run->stride), which);
    }
    if (run->waiting)
        cc_link_waiting(run, run->waiting);
}
#endif

/** Link the pieces of long rows; a block takes one at a time. */
WEIR_DEV void cc_rest_long(struct cc_run *run)
{
    const struct cc_args *a = run->args;
    const struct weir_steps_block *b = run->block;
    const uint32_t pieces = weir_load_relaxed_dev_u32(&cc_mine(run)->pieces);
    WEIR_ROLLED
    for (uint32_t i = b->block; i < pieces; i += b->blocks) {
        const struct cc_piece *piece = &a->pieces[i];
        const weir_arcs *arcs = piece->count & CC_PIECE_IN ? &a->part.in : &a->part.out;
        cc_link_wide(run, arcs->targets + piece->first, piece->count & ~CC_PIECE_IN, piece->row,
                     b->thread, b->threads);
    }
}

#endif
