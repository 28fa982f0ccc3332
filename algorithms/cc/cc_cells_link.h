/** @file cc_cells_link.h  Connected components in two dimensions: trees of the arcs of a cell.
 *
 * Of a symmetric graph with arcs enough the first few of each place are linked, and then each device finds the largest of its trees by a
 * sample. Places in it may leave out all their other arcs: an arc from one in it to one outside is looked at in the other direction, and one
 * between two in such trees joins nothing, *if the largest trees of all devices are known to be of one component*. That takes no round over
 * trees, only a proof: a place that is in the largest tree of device (i, j) and in that of device (0, j) is one that MERGE joins them at, and
 * a head whose representatives are in those of devices (0, j) and (0, 0) is one whose links join them. Devices tell which of the same 512 places
 * and heads are; if one of them shares none, all arcs are linked.
 *
 * Of other symmetric graphs the arcs to smaller numbers are linked, one of each pair. */
#ifndef WEIR_ALGORITHMS_CC_CC_CELLS_LINK_H
#define WEIR_ALGORITHMS_CC_CC_CELLS_LINK_H

#include "algorithms/cc/cc_cells.h"

/* Arcs of a place that a lane of a warp links alone, and places that a worker takes which follow one another: threads of host devices write to
 * few lines of the caches in common. */
#define CC_CELLS_ALONE  (WEIR_LANES > 1u ? 16u : 0u)
#define CC_CELLS_PLACES (WEIR_LANES > 1u ? WEIR_LANES : 2048u)
#define CC_CELLS_PIECE  1024u /* arcs of a place that a worker takes; longer ones are cut */

/** What of a place is linked. */
struct cc_cells_which {
    uint32_t from;   /* arcs before this one are linked already */
    uint32_t to;     /* and from this one on not yet */
    uint32_t tree;   /* the root of a tree whose places are left out; CC_NONE: none are */
    uint32_t halved; /* arcs to larger numbers are left out */
};

/** Arcs of a place, as a lane holds them. */
struct cc_cells_arcs {
    uint64_t first;
    uint32_t count, place;
};

/** Before a run. */
WEIR_COLD void cc_cells_start(const struct cc_cells_args *a, struct weir_steps_block b)
{
    const uint32_t own = a->cell.first[a->cell.column], end = a->cell.first[a->cell.column + 1];
    uint32_t *tree = cc_cells_array(a, a->member.index, 0);
    const uint64_t me = weir_steps_thread(&b), threads = weir_steps_threads(&b);
    WEIR_ROLLED
    for (uint64_t place = me; place < a->cell.width; place += threads)
        tree[place] = (uint32_t)place;
    WEIR_ROLLED
    for (uint64_t row = me; row < a->cell.first[a->cell.columns]; row += threads)
        a->representative[row] =
            row >= own && row < end ? cc_cells_own(a) + (uint32_t)row - own : CC_NONE;
    WEIR_ROLLED
    for (uint64_t i = me; i < CC_CELLS_FILTER; i += threads)
        a->filter[i] = UINT64_MAX;
    WEIR_ROLLED
    for (uint64_t column = me; column < a->cell.columns; column += threads)
        a->heads[column] = a->listed[column] = 0;
    if (me < 2)
        a->next[a->member.index][me] = 0;
    if (me == 0)
        *a->changes = 0;
}

/* Own rows represent themselves, and local rows of columns before the own one have smaller numbers: so most arcs of a mesh need no more than
 * the parents of their ends. */
WEIR_DEV void cc_cells_arc(const struct cc_cells_args *a, const struct cc_cells_which *which,
                           uint32_t place, uint64_t arc)
{
    const uint32_t own = a->cell.first[a->cell.column], end = a->cell.first[a->cell.column + 1];
    const uint32_t head = a->rows.out.targets[arc];
    uint32_t *tree = cc_cells_array(a, a->member.index, 0);
    uint32_t met = cc_cells_own(a) + head - own;
    struct cc_hook hook;
    if (which->halved && (head >= end || (head >= own && met > place)))
        return;
    if (head < own || head >= end) {
        met = weir_load_relaxed_dev_u32(&a->representative[head]);
        if (met == CC_NONE) { /* what is above is often a root, at which many others look */
            const uint32_t up = cc_up_near(tree, place);
            met = cc_swap(&a->representative[head], CC_NONE, up);
            if (met == CC_NONE)
                return;
        }
    }
    if (met != place)
        (void)cc_join(tree, place, met, 1, &hook);
}

/* The lanes of a worker link arcs of one place. */
WEIR_DEV void cc_cells_wide(const struct cc_cells_args *a, const struct cc_cells_which *which,
                            uint32_t place, uint64_t first, uint32_t count)
{
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
        cc_cells_arc(a, which, place, first + i);
}

/* Pieces are listed for the next phase. One that finds no room is linked now. */
WEIR_DEV uint32_t cc_cells_cut(const struct cc_cells_args *a, const struct cc_cells_which *which,
                               const struct cc_cells_arcs *mine)
{
    uint32_t *list = cc_cells_next(a, a->member.index), pieces = 0;
    WEIR_ROLLED
    for (uint64_t done = 0; done < mine->count; done += CC_CELLS_PIECE, pieces++) {
        const uint32_t at = weir_atomic_add_relaxed_dev_u32(a->changes, 1);
        if (at < a->cell.width / 2) {
            list[2 * (uint64_t)at] = mine->place;
            list[2 * (uint64_t)at + 1] = pieces;
            continue;
        }
        WEIR_ROLLED
        for (uint64_t i = done; i < done + CC_CELLS_PIECE && i < mine->count; i++)
            cc_cells_arc(a, which, mine->place, mine->first + i);
    }
    return pieces;
}

/* What there is to link of a place: nothing, if it is in the largest tree. */
WEIR_DEV struct cc_cells_arcs cc_cells_arcs_of(const struct cc_cells_args *a,
                                               const struct cc_cells_which *which, uint32_t place)
{
    struct cc_cells_arcs arcs = {0, 0, place};
    uint32_t *tree = cc_cells_array(a, a->member.index, 0);
    if (which->tree != CC_NONE && cc_root(tree, place, which->tree) == which->tree)
        return arcs;
    const uint64_t first = a->rows.out.offsets[place];
    const uint64_t degree = a->rows.out.offsets[place + 1] - first;
    arcs.first = first + which->from;
    if (degree > which->from)
        arcs.count = (uint32_t)((degree < which->to ? degree : which->to) - which->from);
    return arcs;
}

/* A place a lane. Lanes link short ones alone, then the worker longer ones one by one. @return pieces of the longest. */
WEIR_DEV uint64_t cc_cells_some(const struct cc_cells_args *a, const struct cc_cells_which *which,
                                uint32_t place, struct cc_cells_tally *t)
{
    const struct cc_cells_arcs mine = cc_cells_arcs_of(a, which, place);
    uint32_t lanes = weir_ballot(mine.count > CC_CELLS_ALONE && mine.count <= CC_CELLS_PIECE);
    t->arcs += mine.count;
    WEIR_ROLLED
    for (uint32_t i = 0; i < mine.count && mine.count <= CC_CELLS_ALONE; i++)
        cc_cells_arc(a, which, place, mine.first + i);
    WEIR_ROLLED
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t from = weir_first_bit_u32(lanes);
        cc_cells_wide(a, which, weir_broadcast_u32(place, from),
                      weir_broadcast_u64(mine.first, from), weir_broadcast_u32(mine.count, from));
    }
    return mine.count > CC_CELLS_PIECE ? cc_cells_cut(a, which, &mine) : 0;
}

/** Arcs of all places; pieces of the longest are counted for the barrier. */
WEIR_COLD void cc_cells_link(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                             struct weir_steps_block b, struct cc_cells_which which,
                             struct cc_cells_tally *t)
{
    const uint64_t workers = weir_steps_threads(&b) / WEIR_LANES;
    uint64_t pieces = 0;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * CC_CELLS_PLACES; base < a->cell.width;
         base += workers * CC_CELLS_PLACES) {
        WEIR_ROLLED
        for (uint32_t i = 0; i < CC_CELLS_PLACES && base + i < a->cell.width; i += WEIR_LANES)
            pieces += cc_cells_some(a, &which, (uint32_t)base + i + weir_lane(), t);
    }
    pieces = weir_sum_u64(pieces);
    if (weir_lane() == 0 && pieces)
        weir_atomic_add_block_u64(&shared->count[0], pieces);
}

/** The pieces that were listed, one a worker. */
WEIR_COLD void cc_cells_long(const struct cc_cells_args *a, struct weir_steps_block b,
                             struct cc_cells_which which)
{
    const uint32_t *list = cc_cells_next(a, a->member.index);
    const uint32_t all = weir_load_relaxed_dev_u32(a->changes);
    const uint32_t count = all < a->cell.width / 2 ? all : a->cell.width / 2;
    WEIR_ROLLED
    for (uint64_t i = weir_steps_warp(&b); i < count; i += weir_steps_threads(&b) / WEIR_LANES) {
        const uint32_t place = list[2 * i];
        const uint64_t done = (uint64_t)list[2 * i + 1] * CC_CELLS_PIECE;
        const uint64_t first = a->rows.out.offsets[place] + which.from + done;
        const uint64_t left = a->rows.out.offsets[place + 1] - first;
        cc_cells_wide(a, &which, place, first,
                      left < CC_CELLS_PIECE ? (uint32_t)left : CC_CELLS_PIECE);
    }
}

/* ---- a sample -------------------------------------------------------------------------------- */

/* Of so many things one of the sample. */
WEIR_DEV uint32_t cc_cells_sampled(uint32_t i, uint32_t things)
{
    return (uint32_t)((uint64_t)i * things / CC_CELLS_SAMPLES);
}

/* The trees of 16 of the sampled places are candidates; each has a vote of every sampled place in it that is not its root. All threads of a
 * block. */
WEIR_DEV void cc_cells_vote(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                            const struct weir_steps_block *b)
{
    uint32_t *tree = cc_cells_array(a, a->member.index, 0);
    for (uint32_t i = b->thread; i < CC_CELLS_CANDIDATES; i += b->threads)
        shared->votes[i] = 0;
    for (uint32_t i = b->thread; i < CC_CELLS_SAMPLES; i += b->threads) {
        const uint32_t place = cc_cells_sampled(i, a->cell.width);
        const uint32_t root = cc_root(tree, place, CC_NONE);
        shared->root[i] = root == place ? CC_NONE : root; /* most of these have no arc */
    }
    weir_block_sync();
    for (uint32_t i = b->thread; i < CC_CELLS_SAMPLES; i += b->threads)
        for (uint32_t j = 0; j < CC_CELLS_CANDIDATES; j++) {
            const uint32_t candidate = shared->root[j * (CC_CELLS_SAMPLES / CC_CELLS_CANDIDATES)];
            const uint64_t votes =
                weir_sum_u64(candidate != CC_NONE && shared->root[i] == candidate);
            if (weir_lane() == 0 && votes)
                (void)weir_atomic_add_block_u32(&shared->votes[j], (uint32_t)votes);
        }
    weir_block_sync();
}

/** A block finds the largest tree, and tells what of the sample is in it. A tree of less than an eighth is not worth a look at every place. */
WEIR_COLD void cc_cells_sample(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                               const struct weir_steps_block *b)
{
    uint32_t *tree = cc_cells_array(a, a->member.index, 0), *out = a->sample[a->member.index];
    const uint32_t heads = a->cell.first[a->cell.columns];
    uint32_t best = 0, largest = CC_NONE;
    if (!a->cell.width || !heads) { /* there is no tree, and nothing to prove */
        for (uint32_t i = b->thread; i <= 2 * CC_CELLS_SAMPLES; i += b->threads)
            out[i] = i ? 0 : CC_NONE;
        return;
    }
    cc_cells_vote(a, shared, b);
    for (uint32_t j = 1; j < CC_CELLS_CANDIDATES; j++)
        if (shared->votes[j] > shared->votes[best])
            best = j;
    if (shared->votes[best] >= CC_CELLS_SAMPLES / 8)
        largest = shared->root[best * (CC_CELLS_SAMPLES / CC_CELLS_CANDIDATES)];
    if (b->thread == 0)
        out[0] = largest;
    for (uint32_t i = b->thread; i < CC_CELLS_SAMPLES; i += b->threads) {
        const uint32_t met = a->representative[cc_cells_sampled(i, heads)];
        out[1 + i] = largest != CC_NONE && shared->root[i] == largest;
        out[1 + CC_CELLS_SAMPLES + i] =
            largest != CC_NONE && met != CC_NONE && cc_root(tree, met, CC_NONE) == largest;
    }
}

/** A block adds 1 to sum 1 of the next barrier if the largest tree here is known to be of one component with that of device (0, 0): if all do,
 *  all are. */
WEIR_COLD void cc_cells_prove(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                              const struct weir_steps_block *b)
{
    const uint32_t partner = weir__cell_device(&a->cell, 0, a->cell.row ? a->cell.column : 0);
    const uint32_t begin = 1 + (a->cell.row ? 0 : CC_CELLS_SAMPLES); /* places, or heads */
    const uint32_t *mine = a->sample[a->member.index] + begin, *other = a->sample[partner] + begin;
    uint64_t both = 0;
    for (uint32_t i = b->thread; i < CC_CELLS_SAMPLES; i += b->threads)
        both += mine[i] && other[i];
    both = weir_sum_u64(both);
    if (weir_lane() == 0 && both)
        weir_atomic_add_block_u64(&shared->count[1], both);
    weir_block_sync();
    if (b->thread == 0) {
        shared->count[0] = shared->count[1] > 0;
        shared->count[1] = 0;
    }
}

#endif
