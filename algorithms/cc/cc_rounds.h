/** @file cc_rounds.h  Arcs that are linked while no tree is the largest: single ones of all rows, or those that roots find (cc_op.h). */
#ifndef WEIR_ALGORITHMS_CC_ROUNDS_H
#define WEIR_ALGORITHMS_CC_ROUNDS_H

#include "algorithms/cc/cc_sample.h"

/* Put the last @p count hooks that wait into the device's list. All lanes of a worker. */
WEIR_DEV void cc_note_waiting(struct cc_run *run, uint32_t count)
{
    struct cc_arc arc = {0, 0};
    run->waiting -= count;
    weir_lanes_sync(); /* other lanes wrote them */
    if (weir_lane() < count)
        arc = cc_list(run)[run->waiting + weir_lane()];
    weir_lanes_sync(); /* their places are for others now */
    const struct cc_hook hook = {arc.v, arc.to};
    cc_put_hook(run->args, run->shared, run->phase, weir_lane() < count, &hook);
}

/* cc_note() where most rows are linked: all workers of a device get their places in its list at one word, one after the other, so a worker
 * asks when it has a hook for each lane. All lanes of a worker. */
WEIR_DEV void cc_note_soon(struct cc_run *run, int joined, const struct cc_hook *hook)
{
    const uint32_t lanes = weir_ballot(joined);
    if (!cc_notes(
            run->args)) { /* it is enough to know how many there are, behind roots; a host thread counts no others, one by one */
        if (lanes && weir_lane() == 0 && (WEIR_LANES > 1u || run->args->roots))
            (void)weir_atomic_add_relaxed_dev_u64(&run->shared->hooks, weir_popcount_u32(lanes));
        return;
    }
    cc_keep(run, lanes, hook->root, hook->under);
    if (run->waiting >= WEIR_LANES)
        cc_note_waiting(run, WEIR_LANES);
}

/* Behind the last. */
WEIR_DEV void cc_note_rest(struct cc_run *run)
{
    if (cc_notes(run->args) && run->waiting)
        cc_note_waiting(run, run->waiting);
}

/* Row number @p i of those that a round takes: one group of rows in every `share`, or in the second round all others. */
WEIR_DEV uint64_t cc_row_of_round(const struct cc_run *run, uint64_t i, uint32_t which)
{
    const uint64_t j = i / CC_GROUP, share = run->args->share;
    return (which == 1 ? j * share : j + j / (share - 1) + 1) * CC_GROUP + i % CC_GROUP;
}

/* Where the arc leads that the first step kept for a row; CC_NONE where there is none. */
WEIR_DEV uint32_t cc_kept(const struct cc_run *run, uint64_t row)
{
    return row < run->args->part.busy ? run->args->next[row] : CC_NONE;
}

/** Link arcs that the first step kept. That of the next row is on its way meanwhile.
 *  @param[in] which  1: of a share of the rows, which most often makes the large tree; 2: of the others. */
WEIR_DEV void cc_link_kept(struct cc_run *run, uint32_t which)
{
    const weir_rows_part *part = &run->args->part;
    const uint64_t lane = weir_lane();
    uint64_t i = cc_begin(run->id), row = cc_row_of_round(run, i, which);
    uint32_t to = cc_kept(run, row);
    WEIR_ROLLED
    while (row - lane < part->busy) {
        const uint32_t v = cc_name_of_row(run, row), far = to;
        struct cc_hook hook = {0, 0};
        i = cc_next(i, run->stride, 1);
        row = cc_row_of_round(run, i, which);
        to = cc_kept(run, row);
        int joined = far != CC_NONE && cc_join(run->parent, v, far, 0, &hook);
        run->arcs += far != CC_NONE;
        cc_note_soon(run, joined, &hook);
    }
    cc_note_rest(run);
}

/* A root looks along its arcs, some at a time, until one of them leads to a tree that goes on to a smaller number, and hangs itself
 * under that. What it reads of other trees may be late, and is an ancestor all the same. @return whether it did. */
WEIR_DEV int cc_hook_root(struct cc_run *run, uint64_t row, uint32_t v, struct cc_hook *hook_out)
{
    const weir_arcs *arcs = &run->args->part.out;
    const uint64_t first = arcs->offsets[row], last = arcs->offsets[row + 1];
    WEIR_ROLLED
    for (uint64_t i = first; i < last && i < first + CC_TRIED * CC_TRIES; i += CC_TRIED) {
        uint32_t far[CC_TRIED], least = CC_NONE;
        CC_UNROLL
        for (uint32_t k = 0; k < CC_TRIED; k++)
            far[k] = cc_name_of(run, arcs->targets[i + k < last ? i + k : last - 1]);
        run->arcs += last - i < CC_TRIED ? (uint32_t)(last - i) : CC_TRIED;
        CC_UNROLL
        for (uint32_t k = 0; k < CC_TRIED; k++) {
            const uint32_t up = cc_up_near(run->parent, far[k]);
            least = up < least ? up : least;
        }
        if (least < v) {
            hook_out->root = v;
            hook_out->under = least;
            if (cc_swap(cc_word(run->parent, v), v, least) == v)
                return 1;
            /* It hangs under another since: these two are joined all the same, or trees of few rows would be left. */
            return cc_join(run->parent, v, least, 0, hook_out);
        }
    }
    return 0;
}

/* Which of CC_SCANNED rows are roots of the first forest, a bit each; of their batches, `apart` rows from each other. Where first neighbours tell, those
 * are found that hang under another since. */
WEIR_DEV uint32_t cc_find_roots(const struct cc_run *run, uint64_t base, uint32_t apart)
{
    const weir_rows_part *part = &run->args->part;
    const uint32_t *firsts = run->args->firsts;
    uint32_t roots = 0;
    for (uint32_t i = 0; i < CC_SCANNED; i += CC_BATCH) {
        uint32_t up[CC_BATCH];
        const uint64_t at = base + (uint64_t)i * apart;
        if (firsts)
            cc_read_far(firsts + part->begin, part->busy, at, apart, up);
        else
            cc_read_parents(run, at, apart, CC_NONE, up);
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            roots |= (uint32_t)(up[k] != CC_NONE && up[k] >= cc_name(run, at, apart, k)) << (i + k);
    }
    return roots;
}

/* A root that found none: all neighbours have it for their smallest. So one of them that is a row of this device, number @p skip from the last on,
 * links its last arc. @return whether that joined two trees. */
WEIR_DEV int cc_link_around(struct cc_run *run, uint64_t row, uint32_t skip,
                            struct cc_hook *hook_out)
{
    const weir_rows_part *part = &run->args->part;
    const uint64_t *offsets = part->out.offsets;
    const uint32_t *targets = part->out.targets;
    const uint64_t last = offsets[row + 1];
    WEIR_ROLLED
    for (uint64_t i = last; i > offsets[row] && i + CC_TRIED * CC_TRIES > last; i--) {
        const uint32_t near = targets[i - 1] - part->begin;
        if (near >= part->owned || skip--)
            continue;
        run->arcs++;
        return cc_join(run->parent, cc_name_of_row(run, near),
                       cc_name_of(run, targets[offsets[near + 1] - 1]), 0, hook_out);
    }
    return 0;
}

/* The roots of a worker that are stuck, since they found none: room for one a lane. */
WEIR_DEV uint32_t *cc_stuck(const struct cc_run *run)
{
    return &run->shared->root[run->block->thread / WEIR_LANES * WEIR_LANES];
}

/* The first @p count of them link arcs around them, one root a lane: CC_AROUND each, since one may lead back to it, by way of a tree that hangs
 * under it. All lanes of a worker. */
WEIR_DEV void cc_link_stuck(struct cc_run *run, uint32_t count)
{
    uint32_t row = 0;
    weir_lanes_sync(); /* other lanes wrote them */
    if (weir_lane() < count)
        row = cc_stuck(run)[weir_lane()];
    weir_lanes_sync(); /* their places are for others now */
    WEIR_ROLLED
    for (uint32_t i = 0; i < CC_AROUND; i++) {
        struct cc_hook hook = {0, 0};
        const int joined = weir_lane() < count && cc_link_around(run, row, i, &hook);
        cc_note_soon(run, joined, &hook);
    }
}

/* Put a row of each lane that has one among them, behind @p count others. @return how many there are then. */
WEIR_DEV uint32_t cc_put_stuck(struct cc_run *run, uint32_t count, int is_one, uint32_t row)
{
    const uint32_t lanes = weir_ballot(is_one), lane = weir_lane();
    if (count + weir_popcount_u32(lanes) > WEIR_LANES) {
        cc_link_stuck(run, count);
        count = 0;
    }
    if (is_one)
        cc_stuck(run)[count + weir_popcount_u32(lanes & ((1u << lane) - 1u))] = row;
    return count + weir_popcount_u32(lanes);
}

/** Rows of this device that are roots look for another tree. Lanes go side by side, each with one of its roots. */
WEIR_DEV void cc_hook_roots(struct cc_run *run)
{
    const uint64_t lane = weir_lane();
    const uint32_t apart = cc_apart(run->stride);
    uint32_t stuck = 0;
    WEIR_ROLLED
    for (uint64_t base = cc_begin(run->id); base - lane < run->args->part.busy;
         base = cc_next(base, run->stride, CC_SCANNED)) {
        uint32_t left = cc_find_roots(run, base, apart);
        WEIR_ROLLED
        for (; weir_ballot(left != 0); left &= left - 1) {
            const uint32_t k = left ? weir_first_bit_u32(left) : 0;
            struct cc_hook hook = {0, 0};
            const uint64_t row = base + (uint64_t)k * apart;
            const int joined = left && cc_hook_root(run, row, cc_name(run, base, apart, k), &hook);
            cc_note_soon(run, joined, &hook);
            stuck = cc_put_stuck(run, stuck, left && !joined, (uint32_t)row);
        }
    }
    cc_link_stuck(run, stuck);
    cc_note_rest(run);
}

/** Behind that, where few trees are left: link the last arcs of some rows. */
WEIR_DEV void cc_link_sparse(struct cc_run *run)
{
    const weir_arcs *arcs = &run->args->part.out;
    const uint64_t lane = weir_lane();
    WEIR_ROLLED
    for (uint64_t i = cc_begin(run->id);; i = cc_next(i, run->stride, 1)) {
        const uint64_t row = cc_row_of_round(run, i, 1);
        struct cc_hook hook = {0, 0};
        int joined = 0;
        if (cc_row_of_round(run, i - lane, 1) >= run->args->part.busy)
            break;
        if (row < run->args->part.busy && arcs->offsets[row] < arcs->offsets[row + 1]) {
            const uint32_t far = arcs->targets[arcs->offsets[row + 1] - 1];
            joined = cc_join(run->parent, cc_name_of_row(run, row), cc_name_of(run, far), 0, &hook);
            run->arcs++;
        }
        cc_note_soon(run, joined, &hook);
    }
    cc_note_rest(run);
}

/** Link the next arc of every row. @param[in] which  as of cc_linked(). */
WEIR_DEV void cc_link_next(struct cc_run *run, const weir_arcs *arcs, uint32_t which)
{
    const weir_rows_part *part = &run->args->part;
    const uint64_t lane = weir_lane();
    WEIR_ROLLED
    for (uint64_t base = cc_begin(run->id); base - lane < part->busy;
         base = cc_next(base, run->stride, CC_BATCH)) {
        uint64_t first[CC_BATCH];
        uint32_t count[CC_BATCH], far[CC_BATCH];
        cc_read_first(run, arcs, base, cc_apart(run->stride), first, count, far);
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint32_t v = cc_name(run, base, cc_apart(run->stride), k);
            const uint32_t next = cc_linked(run, v, far[k], which);
            far[k] = cc_name_of(run, next < count[k] ? arcs->targets[first[k] + next] : CC_NONE);
        }
        WEIR_ROLLED
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            struct cc_hook hook = {0, 0};
            const uint32_t to = cc_pick(far, k);
            const uint32_t v = cc_name(run, base, cc_apart(run->stride), k);
            int joined = to != CC_NONE && cc_join(run->parent, v, to, 0, &hook);
            run->arcs += to != CC_NONE;
            cc_note_soon(run, joined, &hook);
        }
    }
    cc_note_rest(run);
}

#endif
