/** @file cc_near.h  Rows of few arcs on GPUs: the steps *first*, *direct* and *label* of the kernels for graphs whose rows have fewer than CC_FEWER arcs on
 * average (cc_near_body.h, cc_near_several_body.h). cc_sample.h, cc_rest.h and cc_body.h have them for all others.
 *
 * What such a graph takes is joins: of the roads of the north-eastern USA three quarters of the rows have a smaller neighbour, and
 * 737 000 arcs are left, for each of which six parents are read and two or three words changed, all over 6 MB. So
 * - a lane scans a row, all of it, while the first step points it at its *nearest* smaller neighbour, which is often a row of the
 *   same warp (cc_shorten());
 * - the arcs to other smaller neighbours are *kept* in a list of the warp's, in the memory of the block, as long as there is room,
 *   so that the step direct does not look for them again: it scans the rows behind those;
 * - lanes whose join is over take the next arcs of the list, so that a warp does not wait for the longest of 32 joins;
 * - the first climb of a join changes nothing (CC_LOOKS_ONLY). */
#ifndef WEIR_ALGORITHMS_CC_NEAR_H
#define WEIR_ALGORITHMS_CC_NEAR_H

#include "algorithms/cc/cc_parts.h"

#include <assert.h>

/** Put an arc of each lane that has one into the worker's list, where there is room. All lanes of a worker.
 *  @param[in] lanes  which lanes have one. */
WEIR_DEV void cc_keep(struct cc_run *run, uint32_t lanes, uint32_t v, uint32_t to)
{
    const uint32_t lane = weir_lane();
    if (lanes >> lane & 1u) {
        const uint32_t before = weir_popcount_u32(lanes & ((1u << lane) - 1u));
        struct cc_arc *place =
            &run->shared->waiting[run->block->thread / WEIR_LANES][run->waiting + before];
        place->v = v;
        place->to = to;
    }
    run->waiting += weir_popcount_u32(lanes);
}

#if CC_NEAREST
static_assert(WEIR_LANES * CC_SCAN <= CC_WAITING,
              "a list that has no arc for each lane has room for those of one row a lane");

/** Parents of rows that follow one another, a lane each: those that lead to another lane's row are followed up to the first
 * that does not. @param[in] first  the number of lane 0's row. */
WEIR_DEV uint32_t cc_shorten(uint32_t up, uint32_t first)
{
    WEIR_ROLLED
    for (uint32_t step = 1; step < WEIR_LANES; step <<= 1) {
        const uint32_t inside = up - first < WEIR_LANES;
        if (!weir_ballot(inside && up - first != weir_lane()))
            break;
        const uint32_t over = weir_broadcast_u32(up, inside ? up - first : weir_lane());
        up = inside ? over : up;
    }
    return up;
}

/** A row that a lane scans. */
struct cc_scanned {
    const uint32_t *targets;
    uint32_t count;
    uint32_t to; /* targets[0], or CC_NONE */
};

/** Where the arcs of a row lie; none of a row that is none. */
WEIR_DEV struct cc_scanned cc_scanned_at(const struct cc_run *run, uint64_t row)
{
    const weir_arcs *arcs = &run->args->part.out;
    struct cc_scanned scanned = {arcs->targets, 0, CC_NONE};
    if (row < run->args->part.busy) {
        const uint64_t first = arcs->offsets[row];
        scanned.count = (uint32_t)(arcs->offsets[row + 1] - first);
        scanned.targets += first;
    }
    return scanned;
}

WEIR_DEV void cc_look_first(struct cc_scanned *scanned)
{
    if (scanned->count)
        scanned->to = scanned->targets[0];
}

/** Find the nearest smaller neighbour of each lane's row @p v, and keep the arcs to all others that are smaller. Arcs ascend, so one that
 *  does not lead to a smaller number ends its row. Of a row of more than CC_SCAN arcs only the first is looked at. All lanes.
 *  @param[in,out] keeps  whether arcs are kept; 0 from where there is no room for them on.
 *  @return that neighbour; v where there is none. */
WEIR_DEV uint32_t cc_scan(struct cc_run *run, const struct cc_scanned *row, uint32_t v, int *keeps)
{
    uint32_t near = row->to < v ? row->to : v;
    uint32_t left = row->to < v && row->count <= CC_SCAN ? row->count : 0;
    run->arcs += row->count != 0;
    WEIR_ROLLED
    for (uint32_t i = 1;; i++) {
        const uint32_t to = i < left ? row->targets[i] : CC_NONE;
        run->arcs += i < left;
        const uint32_t lanes = weir_ballot(to < v);
        if (!lanes)
            return near;
        *keeps = *keeps && run->waiting + weir_popcount_u32(lanes) <= CC_WAITING;
        if (*keeps)
            cc_keep(run, lanes, v, near);
        if (to < v)
            near = to;
        else
            left = 0;
    }
}

/** The first step. Where the rows of the next two turns lie, and the first arc of the next, are on their way meanwhile.
 *  @param[in] id, stride  of the threads that do it. */
WEIR_DEV void cc_first_near(struct cc_run *run, uint32_t id, uint32_t stride)
{
    const weir_rows_part *part = &run->args->part;
    const uint64_t lane = weir_lane();
    uint32_t roots = 0;
    uint64_t row = id, scanned = 0; /* up to where arcs were kept */
    int keeps = 1;
    struct cc_scanned next = cc_scanned_at(run, row), after = cc_scanned_at(run, row + stride);
    cc_look_first(&next);
    WEIR_ROLLED
    while (row - lane < part->busy) {
        const struct cc_scanned mine = next;
        const uint32_t v = part->begin + (uint32_t)row, before = run->waiting;
        const int kept = keeps;
        next = after;
        cc_look_first(&next);
        after = cc_scanned_at(run, row + 2 * (uint64_t)stride);
        if (weir_ballot(mine.count > CC_SCAN))
            keeps = 0; /* the step direct has to meet such a row */
        uint32_t up = cc_scan(run, &mine, v, &keeps);
        if (kept && !keeps) { /* what was kept of these rows is dropped */
            run->waiting = before;
            scanned = row;
        }
        up = cc_shorten(up, v - (uint32_t)lane);
        if (row < part->busy) {
            weir_store_relaxed_dev_u32(cc_words_of(run->parent) + v, up);
            roots += up == v;
            if (cc_notes(run->args))
                cc_tell(run, row, up);
        }
        row += stride;
    }
    const uint64_t all = weir_sum_u64(roots);
    if (lane == 0) {
        run->shared->scanned[run->block->thread / WEIR_LANES] = keeps ? row : scanned;
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->hooks, all);
    }
}

/** Lanes without a join take the last arcs of the list. All lanes of a worker.
 *  @param[in] idle  those lanes.  @param[in,out] joins  whether this lane has a join. */
WEIR_DEV void cc_take_kept(struct cc_run *run, uint32_t idle, struct cc_ends *ends, int *joins)
{
    const struct cc_arc *list = run->shared->waiting[run->block->thread / WEIR_LANES];
    const uint32_t before = weir_popcount_u32(idle & ((1u << weir_lane()) - 1u));
    const uint32_t count = weir_popcount_u32(idle);
    const uint32_t takes = count < run->waiting ? count : run->waiting;
    weir_lanes_sync(); /* other lanes wrote them */
    if (!*joins && before < takes) {
        const struct cc_arc arc = list[run->waiting - 1 - before];
        cc_join_begin(run->parent, arc.v, arc.to, ends);
        *joins = 1;
    }
    run->waiting -= takes;
    if (weir_lane() == 0)
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->gathered, takes);
    weir_lanes_sync(); /* their places are for others now */
}

/** The step direct: link what was kept, and scan the rows behind that.
 *  @return whether this worker met rows of more than CC_SCAN arcs, which are left to others. */
WEIR_DEV int cc_direct_near(struct cc_run *run)
{
    const uint64_t lane = weir_lane(), busy = run->args->part.busy;
    uint64_t row = run->shared->scanned[run->block->thread / WEIR_LANES] + lane;
    struct cc_ends ends = {0, 0, 0, 0, 0};
    uint32_t longer = 0;
    int joins = 0;
    WEIR_ROLLED
    for (;;) {
        const uint32_t idle = weir_ballot(!joins);
        struct cc_hook hook = {0, 0};
        if (weir_popcount_u32(idle) >= CC_IDLE) {
            WEIR_ROLLED
            while (row - lane < busy && run->waiting < WEIR_LANES) {
                struct cc_scanned mine = cc_scanned_at(run, row);
                int keeps = 1; /* there is room for all that these rows may have */
                cc_look_first(&mine);
                longer |= mine.count > CC_SCAN;
                (void)cc_scan(run, &mine, run->args->part.begin + (uint32_t)row, &keeps);
                row += run->stride;
            }
            if (run->waiting)
                cc_take_kept(run, idle, &ends, &joins);
            else if (weir_popcount_u32(idle) == WEIR_LANES)
                break;
        }
        const enum cc_found found =
            joins ? cc_join_step(run->parent, &ends, 1, &hook) : CC_ON_ITS_WAY;
        joins = joins && found == CC_ON_ITS_WAY;
        cc_note(run, found == CC_HOOKED, &hook);
    }
    return weir_ballot(longer) != 0;
}

/** Which of CC_BATCH rows the scan left, a bit each. */
WEIR_DEV uint32_t cc_longer(const struct cc_run *run, uint64_t base)
{
    const uint64_t *offsets = run->args->part.out.offsets;
    uint32_t longer = 0;
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * run->stride;
        if (row < run->args->part.busy)
            longer |= (uint32_t)(offsets[row + 1] - offsets[row] > CC_SCAN) << k;
    }
    return longer;
}

/** The label of a tree that has this root. */
WEIR_DEV uint32_t cc_label_of(const struct cc_args *a, uint32_t root)
{
    if (CC_ONE_DEVICE) /* its numbers are ids */
        return root;
    return a->by_part ? cc_id_of_parts(a, root)
                      : root - a->gap[weir_steps_owner(a->part.first, root)];
}

/** Label the rows, of which a lane has CC_BATCH at a time. */
WEIR_DEV void cc_label_near(const struct cc_run *run)
{
    const struct cc_args *a = run->args;
    const uint32_t busy = a->part.busy, stride = run->stride, lane = weir_lane();
    uint32_t *label = a->label;
    WEIR_ROLLED
    for (uint64_t base = run->id; base - lane < busy; base += (uint64_t)CC_BATCH * stride) {
        uint32_t up[CC_BATCH];
        cc_read_parents(run, base, stride, 0, up);
        (void)cc_find(run->parent, CC_NONE, up);
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            if (base + (uint64_t)k * stride < busy)
                label[base + (uint64_t)k * stride] = cc_label_of(a, up[k]);
    }
}
#endif

#endif
