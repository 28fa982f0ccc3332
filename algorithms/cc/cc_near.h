/** @file cc_near.h  Rows of few arcs on GPUs: the steps *first*, *direct* and *label* of the kernels for graphs whose rows have fewer than CC_FEWER arcs on
 * average (cc_near_body.h, cc_near_several_body.h). cc_sample.h, cc_rest.h and cc_body.h have them for all others.
 *
 * What such a graph takes is joins, and instructions: of the roads of the north-eastern USA three quarters of the rows have a smaller neighbour, and
 * 737 000 arcs are left, for each of which six parents are read and two or three words changed, all over 6 MB. So
 * - a lane scans a row, all of it, while the first step points it at its *nearest* smaller neighbour, which is often a row of the
 *   same warp (cc_shorten()); most rows have no more arcs than a lane looks at together (CC_AT_ONCE);
 * - the arcs to other smaller neighbours are *kept* in a list of the warp's, in the memory of the block, as long as there is room,
 *   so that the step direct does not look for them again: it scans the rows behind those;
 * - lanes whose join is over take the next arcs of the list, so that a warp does not wait for the longest of 32 joins;
 * - the lanes of a warp wait for their swaps and looks together, where cc_join() waits for each kind by itself (struct cc_joining);
 * - the first climb of a join changes nothing (CC_LOOKS_ONLY). */
#ifndef WEIR_ALGORITHMS_CC_NEAR_H
#define WEIR_ALGORITHMS_CC_NEAR_H

#include "algorithms/cc/cc_parts.h"

#include <assert.h>

/** The list of the worker, of run->waiting arcs. */
WEIR_DEV struct cc_arc *cc_list(const struct cc_run *run)
{
    return run->shared->waiting[run->block->thread / WEIR_LANES];
}

/** Put an arc of each lane that has one into the worker's list, where there is room. All lanes of a worker.
 *  @param[in] lanes  which lanes have one. */
WEIR_DEV void cc_keep(struct cc_run *run, uint32_t lanes, uint32_t v, uint32_t to)
{
    const uint32_t lane = weir_lane();
    if (lanes >> lane & 1u) {
        const uint32_t before = weir_popcount_u32(lanes & ((1u << lane) - 1u));
        struct cc_arc *place = &cc_list(run)[run->waiting + before];
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
    const uint32_t lane = weir_lane();
    WEIR_ROLLED
    for (;;) {
        const uint32_t over = weir_broadcast_u32(up, up - first < WEIR_LANES ? up - first : lane);
        if (!weir_ballot(over != up))
            return up;
        up = over;
    }
}

/** Where the arcs of a row lie, as it was read: whatever is made of it waits for it. */
struct cc_bounds {
    uint64_t first;
    uint32_t end; /* its lower bits: a row has fewer arcs */
};

/** Those of a row; of no arcs where it is none. */
WEIR_DEV struct cc_bounds cc_bounds_of(const struct cc_run *run, uint32_t row, int is_one)
{
    struct cc_bounds bounds = {0, 0};
    if (is_one) {
        const uint64_t *offsets = run->args->part.out.offsets + row;
        bounds.first = offsets[0];
        bounds.end = (uint32_t)offsets[1];
    }
    return bounds;
}

/** A row that a lane scans. */
struct cc_scanned {
    const uint32_t *targets;
    uint32_t count;
    uint32_t to[CC_AT_ONCE]; /* the first of them; CC_NONE behind the last */
};

/** Look at the first arcs of a row, none of which waits for another. Of a row of more than CC_SCAN it is one. */
WEIR_DEV struct cc_scanned cc_look_first(struct cc_run *run, const struct cc_bounds *bounds)
{
    struct cc_scanned row = {
        run->args->part.out.targets + bounds->first, bounds->end - (uint32_t)bounds->first, {0}};
    const uint32_t looks = row.count <= CC_SCAN ? row.count : 1;
    CC_UNROLL
    for (uint32_t k = 0; k < CC_AT_ONCE; k++)
        row.to[k] = k < looks ? row.targets[k] : CC_NONE;
    run->arcs += looks < CC_AT_ONCE ? looks : CC_AT_ONCE;
    return row;
}

/** Keep them, if there is room for all, and there was for all before. @param[in,out] keeps  whether there is. */
WEIR_DEV void cc_keep_all(struct cc_run *run, uint32_t lanes, uint32_t v, uint32_t to, int *keeps)
{
    *keeps = *keeps && run->waiting + weir_popcount_u32(lanes) <= CC_WAITING;
    if (*keeps)
        cc_keep(run, lanes, v, to);
}

/** Find the nearest smaller neighbour of each lane's row @p v, and keep the arcs to all others that are smaller. Arcs ascend, so one that
 *  does not lead to a smaller number ends its row. Of a row of more than CC_SCAN arcs only the first is looked at. All lanes.
 *  @param[in,out] keeps  whether arcs are kept; 0 from where there is no room for them on.
 *  @return that neighbour; v where there is none. */
WEIR_DEV uint32_t cc_scan(struct cc_run *run, const struct cc_scanned *row, uint32_t v, int *keeps)
{
    uint32_t near = row->to[0] < v ? row->to[0] : v;
    CC_UNROLL
    for (uint32_t k = 1; k < CC_AT_ONCE; k++) {
        const uint32_t to = row->to[k], lanes = weir_ballot(to < v);
        if (!lanes)
            return near;
        cc_keep_all(run, lanes, v, near, keeps);
        near = to < v ? to : near;
    }
    uint32_t left = row->to[CC_AT_ONCE - 1] < v ? row->count : 0;
    WEIR_ROLLED
    for (uint32_t i = CC_AT_ONCE;; i++) {
        const uint32_t to = i < left ? row->targets[i] : CC_NONE;
        run->arcs += i < left;
        const uint32_t lanes = weir_ballot(to < v);
        if (!lanes)
            return near;
        cc_keep_all(run, lanes, v, near, keeps);
        if (to < v)
            near = to;
        else
            left = 0;
    }
}

/* Tell the other devices the parent of a row. */
WEIR_DEV void cc_tell(const struct cc_run *run, uint64_t row, uint32_t parent)
{
    const struct cc_args *a = run->args;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->part.parts; d++)
        if (d != a->part.part)
            weir_store_relaxed_sys_u32(&a->parent[d][a->part.begin + row], parent);
}

/** The first step. Where the rows of the next two turns lie, and the first arcs of the next, are on their way meanwhile.
 *  @param[in] id, stride  of the threads that do it. */
WEIR_DEV void cc_first_near(struct cc_run *run, uint32_t id, uint32_t stride)
{
    const weir_rows_part *part = &run->args->part;
    const uint32_t lane = weir_lane();
    uint32_t row = id, left = part->busy > id ? part->busy - id : 0; /* rows, this one with it */
    uint32_t roots = 0, scanned = 0; /* up to where arcs were kept */
    int keeps = 1;
    struct cc_bounds after = cc_bounds_of(run, row, left > 0);
    struct cc_scanned next = cc_look_first(run, &after);
    after = cc_bounds_of(run, row + stride, left > stride);
    WEIR_ROLLED
    while (weir_ballot(left != 0)) {
        const struct cc_scanned mine = next;
        const uint32_t v = part->begin + row, before = run->waiting;
        const int kept = keeps;
        next = cc_look_first(run, &after);
        after = cc_bounds_of(run, row + 2 * stride, left > 2 * stride);
        if (weir_ballot(mine.count > CC_SCAN))
            keeps = 0; /* the step direct has to meet such a row */
        uint32_t up = cc_scan(run, &mine, v, &keeps);
        if (kept && !keeps) { /* what was kept of these rows is dropped */
            run->waiting = before;
            scanned = row;
        }
        up = cc_shorten(up, v - lane);
        if (left) {
            weir_store_relaxed_dev_u32(cc_words_of(run->parent) + v, up);
            roots += up == v;
            if (cc_notes(run->args))
                cc_tell(run, row, up);
        }
        row += stride;
        left = left > stride ? left - stride : 0;
    }
    const uint64_t all = weir_sum_u64(roots);
    if (lane == 0) {
        run->shared->scanned[run->block->thread / WEIR_LANES] = keeps ? part->busy : scanned;
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->hooks, all);
    }
}

/** A lane's join in the step direct: cc_join() in steps of a warp, so that the swaps and looks of all lanes are under way together. */
struct cc_joining {
    struct cc_ends ends;
    uint32_t swapped; /* what was found in the word of ends.x */
    int joins;        /* whether there is a join */
    int swaps; /* whether ends.x was taken for a root, and hung under ends.above_y if it was one */
    int looks; /* whether ends.above_x has to be looked at */
};

/** What the swap of the step before found; a hook is noted. All lanes. */
WEIR_DEV void cc_joining_swapped(struct cc_run *run, struct cc_joining *j)
{
    const int hooked = j->swaps && j->swapped == j->ends.x;
    const struct cc_hook hook = {j->ends.x, j->ends.above_y};
    cc_note(run, hooked, &hook);
    if (j->swaps)
        j->ends.above_x = j->swapped;
    j->joins = j->joins && !hooked;
}

/** A step of it. Of what it asks for it waits for the first look of a climb, and seldom for one that lifts (cc_lifts()): a swap is under way when
 *  it ends, and where the climb came is to be looked at. */
WEIR_DEV void cc_joining_step(cc_trees trees, struct cc_joining *j)
{
    struct cc_ends *ends = &j->ends;
    cc_join_order(ends);
    const uint32_t x = ends->x, up = ends->above_x;
    j->joins = j->joins && up != ends->above_y;
    j->swaps = j->joins && up == x;
    j->looks = 0;
    const int climbs = j->joins && up != x, far = ends->steps >= CC_FAR;
    uint32_t over = up;
    if (climbs)
        over = far ? cc_up(trees, up) : cc_up_near(trees, up);
    if (j->swaps)
        j->swapped = cc_swap(cc_word(trees, x), x, ends->above_y);
    if (!climbs)
        return;
    if (over != up && ends->steps >= CC_LOOKS_ONLY)
        weir_min_relaxed_dev_u32(cc_word(trees, x), over);
    ends->steps++;
    if (over == ends->above_y) {
        if (cc_lifts(x)) /* its parent may have been lifted since */
            (void)cc_climb(trees, up, cc_up(trees, up), 1);
        j->joins = 0;
        return;
    }
    ends->x = over;
    j->looks = over != up;
}

/** Lanes without a join take the last arcs of the list. All lanes of a worker.
 *  @param[in] idle  those lanes.  @return whether this lane took one, whose ends are not looked at yet. */
WEIR_DEV int cc_take_kept(struct cc_run *run, uint32_t idle, struct cc_ends *ends)
{
    const uint32_t lane = weir_lane(), count = weir_popcount_u32(idle);
    const uint32_t before = weir_popcount_u32(idle & ((1u << lane) - 1u));
    const int takes = (idle >> lane & 1u) && before < run->waiting;
    weir_lanes_sync(); /* other lanes wrote them */
    if (takes) {
        const struct cc_arc arc = cc_list(run)[run->waiting - 1 - before];
        ends->x = arc.v;
        ends->y = arc.to;
        ends->steps = 0;
    }
    run->waiting -= count < run->waiting ? count : run->waiting;
    weir_lanes_sync(); /* their places are for others now */
    return takes;
}

/** The step direct: link what was kept, and scan the rows behind that.
 *  @return whether this worker met rows of more than CC_SCAN arcs, which are left to others. */
WEIR_DEV int cc_direct_near(struct cc_run *run)
{
    const uint32_t lane = weir_lane(), busy = run->args->part.busy;
    const uint64_t from = run->shared->scanned[run->block->thread / WEIR_LANES] + lane;
    uint32_t row = (uint32_t)from, left = from < busy ? busy - row : 0;
    struct cc_joining j = {{0, 0, 0, 0, 0}, 0, 0, 0, 0};
    uint32_t longer = 0, gathered = run->waiting;
    WEIR_ROLLED
    for (;;) {
        cc_joining_swapped(run, &j);
        cc_joining_step(run->parent, &j);
        const uint32_t idle = weir_ballot(!j.joins);
        int takes = 0;
        if (weir_popcount_u32(idle) >= CC_IDLE) {
            WEIR_ROLLED
            while (run->waiting < WEIR_LANES && weir_ballot(left != 0)) {
                const uint32_t before = run->waiting;
                const struct cc_bounds bounds = cc_bounds_of(run, row, left > 0);
                const struct cc_scanned mine = cc_look_first(run, &bounds);
                int keeps = 1; /* there is room for all that these rows may have */
                longer |= mine.count > CC_SCAN;
                (void)cc_scan(run, &mine, run->args->part.begin + row, &keeps);
                row += run->stride;
                left = left > run->stride ? left - run->stride : 0;
                gathered += run->waiting - before;
            }
            if (run->waiting)
                takes = cc_take_kept(run, idle, &j.ends);
            else if (weir_popcount_u32(idle) == WEIR_LANES)
                break;
        }
        j.joins = j.joins || takes;
        if (takes)
            j.ends.above_y = cc_up_near(run->parent, j.ends.y);
        if (j.looks || takes)
            j.ends.above_x = !takes && j.ends.steps > CC_FAR ? cc_up(run->parent, j.ends.x)
                                                             : cc_up_near(run->parent, j.ends.x);
    }
    if (lane == 0)
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->gathered, gathered);
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
    const uint32_t busy = a->part.busy, stride = run->stride;
    uint32_t row = run->id, left = busy > row ? busy - row : 0;
    WEIR_ROLLED
    while (weir_ballot(left != 0)) {
        const uint32_t *parent = cc_words_of(run->parent) + a->part.begin;
        uint32_t up[CC_BATCH], was[CC_BATCH];
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            was[k] = a->part.begin + row + k * stride;
            up[k] = left > k * stride ? weir_load_relaxed_dev_u32(&parent[row + k * stride]) : 0;
        }
        cc_find(run->parent, was, up);
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            if (left > k * stride)
                a->label[row + k * stride] = cc_label_of(a, up[k]);
        row += CC_BATCH * stride;
        left = left > CC_BATCH * stride ? left - CC_BATCH * stride : 0;
    }
}
#endif

#endif
