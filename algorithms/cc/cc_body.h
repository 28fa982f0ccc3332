/** @file cc_body.h  The kernel of connected components in step, from end to end (cc_op.h). */
#ifndef WEIR_ALGORITHMS_CC_BODY_H
#define WEIR_ALGORITHMS_CC_BODY_H

/* Nobody asks what single devices told, and a block has no memory to spare for it. */
#ifndef WEIR_STEPS_FLAGS_KEPT /* tests include several bodies */
#define WEIR_STEPS_FLAGS_KEPT 0
#endif

#include "algorithms/cc/cc_rest.h"
#include "algorithms/cc/cc_rounds.h"

/* ---- merging --------------------------------------------------------------------------------- */

/* Link the hooks of device @p from. Those that join two trees go into this device's own list as they are: what they were
 * hung under here may be a row that only this device knows anything of.
 * @param[in] keep  whether there is a list; else they are counted. */
WEIR_DEV void cc_take(struct cc_run *run, uint32_t from, int keep)
{
    const struct cc_args *a = run->args;
    const uint32_t lane = weir_lane();
    /* All threads would go over the link for one word. */
    weir_block_sync(); /* of the list before */
    if (run->block->thread == 0)
        run->shared->taken = weir_load_relaxed_sys_u32(&a->words[from]->hooks[run->phase]);
    weir_block_sync();
    const uint32_t count = run->shared->taken;
    const struct cc_hook none = {0, 0}; /* joins nothing */
    struct cc_hook next = run->id < count ? a->hooks[from][run->id] : none;
    WEIR_ROLLED
    for (uint64_t i = run->id; i - lane < count;) {
        const struct cc_hook theirs = next;
        struct cc_hook hook;
        i += run->stride;
        next = i < count ? a->hooks[from][i] : none; /* on its way over the link meanwhile */
        const int joined = cc_join(run->parent, theirs.root, theirs.under, 0, &hook);
        const uint32_t joins = weir_popcount_u32(weir_ballot(joined));
        if (keep)
            cc_put_hook(a, run->shared, run->phase, joined, &theirs);
        else if (joins && lane == 0)
            (void)weir_atomic_add_relaxed_dev_u64(&run->shared->hooks, joins);
    }
    if (run->block->block == 0) /* for all that the device fetched */
        cc_sent(run, run->block->thread == 0 ? count * sizeof(struct cc_hook) : 0);
}

/* Lists of hooks go up the reduction tree, then from its top to all devices. Two devices take each other's at the same time, and so do
 * several where lists are short: the same joins make the same trees, whose roots are their smallest names.
 * @param[in] hooks  how many all devices made; the same number on all.  @param[out] joins_out  how many joined two trees, on all devices together, whose
 * own are among them. @return as weir_steps_sync(). */
WEIR_DEV uint32_t cc_merge(struct cc_run *run, uint64_t hooks, uint64_t *joins_out)
{
    const struct cc_args *a = run->args;
    const uint32_t me = a->part.part;
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop = 0;
    *joins_out = hooks;
    if (CC_ONE_DEVICE || a->part.parts == 1 || !hooks)
        return 0;
    if (a->part.parts == 2 || hooks <= CC_SWAPPED) {
        WEIR_ROLLED
        for (uint32_t d = 0; d < a->part.parts; d++)
            if (d != me)
                cc_take(run, d, 0);
        run->phase++;
        stop = cc_step(run, CC_AT_MERGE, total);
        *joins_out += total[0];
        return stop;
    }
    WEIR_ROLLED
    for (uint32_t r = 0; r < a->rounds && !stop; r++) {
        if (a->from[r] != me)
            cc_take(run, a->from[r], 1);
        stop = cc_step(run, CC_AT_MERGE, total);
        *joins_out += total[0];
    }
    if (stop)
        return stop;
    if (a->top != me)
        cc_take(run, a->top, 0);
    run->phase++;
    stop = cc_step(run, CC_AT_MERGE, total);
    *joins_out += total[0];
    return stop;
}

/* The ends of cut arcs become hooks, each under the root that it has on this device. Of an end that is a root nothing is
 * known here, or nothing but what others tell that hang under it. A function of its own, for the registers of the others. */
WEIR_COLD void cc_tell_cuts(const struct cc_args *args, struct cc_shared *shared, uint32_t phase,
                            uint32_t id, uint32_t stride)
{
    const uint32_t lane = weir_lane();
    WEIR_ROLLED
    for (uint64_t i = id; i - lane < args->cuts; i += stride) {
        struct cc_hook hook = {0, 0};
        if (i < args->cuts) {
            hook.root = args->cut[i];
            hook.under = cc_root(cc_trees_of(args), hook.root, CC_NONE);
        }
        cc_put_hook(args, shared, phase, hook.root != hook.under, &hook);
    }
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The smallest id that the block met in the largest tree goes into the device's word. */
WEIR_DEV void cc_put_least(const struct cc_run *run)
{
    weir_block_sync();
    if (run->block->thread == 0 && run->shared->least != CC_NONE)
        weir_max_relaxed_dev_u32(&cc_mine(run)->least_not, ~run->shared->least);
}

/* A list of rows, and which of its entries a thread takes. */
struct cc_turns {
    uint32_t begin, count, apart;
};

/* The rows outside the largest tree. */
WEIR_DEV struct cc_turns cc_turns_outside(const struct cc_run *run)
{
    const struct cc_shared *shared = run->shared;
    struct cc_turns turns;
    turns.begin = shared->settled ? run->block->thread : run->id;
    turns.apart = shared->settled ? run->block->threads : run->stride;
    turns.count =
        shared->settled ? shared->undecided : weir_load_relaxed_dev_u32(&cc_mine(run)->outside);
    return turns;
}

WEIR_DEV uint32_t cc_row_outside(const struct cc_run *run, uint32_t i)
{
    return run->args->outside[run->shared->settled ? cc_slot(run, i) : i];
}

/* Whether the label that was guessed is that of the largest tree. All devices know it from their trees. One thread of a block looks, since all
 * would change the same few words on the way. @param[in] giant  the root of that tree. */
WEIR_DEV void cc_check_guess(const struct cc_run *run, uint32_t giant)
{
    const struct cc_args *a = run->args;
    if (run->block->thread == 0) {
        uint32_t is_right = giant != CC_NONE && run->shared->guess != CC_NONE;
        if (is_right)
            is_right = a->in_order ? cc_id_of(run, giant) == run->shared->guess
                                   : cc_root(run->parent, a->least_name, giant) == giant;
        run->shared->is_right = is_right;
    }
    weir_block_sync();
}

/* The ids of all rows inside the largest tree, where a wrong one was guessed to be the smallest. */
WEIR_COLD void cc_compare_inside(const struct cc_args *args, struct cc_shared *shared, uint32_t id,
                                 uint32_t stride, uint32_t giant)
{
    const cc_trees trees = cc_trees_of(args);
    const uint32_t *parent = cc_words_of(trees) + args->part.begin;
    WEIR_ROLLED
    for (uint64_t row = cc_begin(id); row < args->part.busy; row = cc_next(row, stride, 1)) {
        const uint32_t root = cc_root(trees, weir_load_relaxed_dev_u32(&parent[row]), giant);
        if (root == giant && args->ids[row] < weir_load_relaxed_dev_u32(&shared->least))
            (void)weir_atomic_min_relaxed_dev_u32(&shared->least, args->ids[row]);
    }
}

/* The smallest id of each tree: rows outside the largest tree compare their ids with that kept at their root. */
WEIR_DEV void cc_compare_ids(struct cc_run *run, uint32_t giant)
{
    const struct cc_args *a = run->args;
    const struct cc_turns turns = cc_turns_outside(run);
    WEIR_ROLLED
    for (uint64_t i = turns.begin; i < turns.count; i += turns.apart) {
        const uint32_t row = cc_row_outside(run, (uint32_t)i);
        const uint32_t id = a->ids[row], v = cc_name_of_row(run, row);
        const uint32_t root = cc_root(run->parent, v, giant);
        if (root == giant)
            (void)weir_atomic_min_relaxed_dev_u32(&run->shared->least, id);
        else if (root != v) /* the root's own id is kept there from the beginning */
            cc_min_sys(cc_least_of(run, root), id);
    }
    if (giant != CC_NONE && a->least_id != CC_NONE && !run->shared->is_right)
        cc_compare_inside(a, run->shared, run->id, run->stride, giant);
    cc_put_least(run);
}

/* The label of the largest tree. */
WEIR_DEV uint32_t cc_giant_label(const struct cc_run *run, uint32_t giant)
{
    const struct cc_args *a = run->args;
    uint32_t least = CC_NONE;
    if (giant == CC_NONE)
        return CC_NONE;
    if (a->in_order)
        return cc_id_of(run, giant);
    if (run->shared->is_right)
        return run->shared->guess;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->part.parts; d++) {
        const uint32_t theirs = ~weir_load_relaxed_sys_u32(&a->words[d]->least_not);
        least = theirs < least ? theirs : least;
    }
    return least;
}

#if !CC_NEAREST
/* Label all rows that have arcs: they are one tree. */
WEIR_DEV void cc_label_one(const struct cc_run *run)
{
    const struct cc_args *a = run->args;
    const uint32_t label = a->least_id, *firsts = a->firsts;
    weir_block_sync(); /* thread 0 told how many rows have none */
    const uint32_t isolated = run->shared->isolated;
    if (run->id == 0)
        run->shared->labelled = a->part.busy;
    WEIR_ROLLED
    for (uint64_t row = cc_begin(run->id); row < a->part.busy; row = cc_next(row, run->stride, 1)) {
        int has_arcs = 1;
        if (isolated)
            has_arcs = firsts ? firsts[a->part.begin + row] != CC_NONE
                              : a->part.out.offsets[row + 1] > a->part.out.offsets[row];
        if (has_arcs)
            a->label[row] = label;
    }
}

/* Label the rows outside the largest tree, where the others have got its label already. */
WEIR_DEV void cc_label_outside(const struct cc_run *run, uint32_t giant, uint32_t label)
{
    const struct cc_args *a = run->args;
    const struct cc_turns turns = cc_turns_outside(run);
    if (turns.begin == 0)
        run->shared->labelled = turns.count;
    WEIR_ROLLED
    for (uint64_t i = turns.begin; i < turns.count; i += turns.apart) {
        const uint32_t row = cc_row_outside(run, (uint32_t)i);
        const uint32_t root = cc_root(run->parent, cc_name_of_row(run, row), giant);
        a->label[row] = root == giant ? label : cc_id_of(run, root);
    }
}

#if WEIR_LANES == 1u
/** Label the rows as a thread of a host device does, one after the other, since it has no lanes that would wait for the longest path of a
 *  batch. Each is left below its root, where rows behind it, which climb by way of it, find the root at once.
 *  @param[in] giant  the root of the largest tree.  @param[in] label  its label. */
WEIR_DEV void cc_label_rows(const struct cc_run *run, const struct cc_args *a, uint32_t giant,
                            uint32_t label)
{
    for (uint64_t row = cc_begin(run->id); row < a->part.busy; row = cc_next(row, run->stride, 1)) {
        uint32_t *word = cc_words_of(run->parent) + a->part.begin + row;
        const uint32_t up = weir_load_relaxed_dev_u32(word);
        uint32_t root = up, over = cc_up(run->parent, up);
        while (over != root) {
            root = over;
            over = cc_up(run->parent, root);
        }
        if (root != up)
            weir_store_relaxed_dev_u32(word, root);
        a->label[row] = root == giant ? label : cc_id_of(run, root);
    }
}
#endif

/* @param[in] giant  the root of the tree that the largest one is part of now. */
WEIR_DEV void cc_label(struct cc_run *run, uint32_t giant)
{
    const struct cc_args *a = run->args;
    if (run->block->thread == 0)
        run->shared->least = cc_giant_label(run, giant);
    weir_block_sync();
    const uint32_t label = run->shared->least;
    if (run->shared->is_right) {
        cc_label_outside(run, giant, label);
        return;
    }
    if (run->id == 0)
        run->shared->labelled = a->part.busy;
#if WEIR_LANES == 1u
    cc_label_rows(run, a, giant, label);
#else
    const uint32_t busy = a->part.busy;
    WEIR_ROLLED
    for (uint64_t base = cc_begin(run->id); base < busy;
         base = cc_next(base, run->stride, CC_BATCH)) {
        uint32_t up[CC_BATCH];
        cc_read_parents(run, base, cc_apart(run->stride), giant, up);
        (void)cc_find(run->parent, giant, up);
        WEIR_ROLLED
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint64_t row = base + (uint64_t)k * cc_apart(run->stride);
            const uint32_t root = cc_pick(up, k);
            if (row < busy)
                a->label[row] = root == giant ? label : cc_id_of(run, root);
        }
    }
#endif
}
#endif

/* ---- all of it ------------------------------------------------------------------------------- */

/* Nobody reads or adds to the words of a device before the first barrier. A reset by the frame would cost the kernel a
 * barrier and registers for a few words; so would this one if it were not a function of its own (8 bytes of spills, and
 * linking on a grid took 6 % longer). */
WEIR_COLD void cc_clear_words(const struct cc_args *args, const struct weir_steps_block *block)
{
    uint32_t *words = (uint32_t *)args->words[args->part.part];
    if (block->block)
        return;
    WEIR_ROLLED
    for (uint32_t i = block->thread; i < sizeof(struct cc_words) / 4; i += block->threads)
        weir_store_relaxed_dev_u32(&words[i], 0);
}

WEIR_DEV void cc_start(struct cc_run *run, const struct cc_args *args, struct cc_shared *shared,
                       struct weir_steps_block *block)
{
    run->args = args;
    run->shared = shared;
    run->block = block;
    run->parent = cc_trees_of(args);
    run->id = block->block * block->threads + block->thread;
    run->stride = block->blocks * block->threads;
    run->phase = 0;
    run->direct = args->direct;
    run->waiting = 0;
    run->arcs = 0;
    if (block->thread == 0) {
        shared->hooks = 0;
        shared->undecided = shared->looked = shared->labelled = 0;
        shared->least = CC_NONE;
        shared->arcs = shared->sent = shared->gathered = 0;
        shared->since_ns = weir_clock_ns();
    }
    cc_clear_words(args, block);
    weir_block_sync();
}

/* Whether the first forest has few trees, of which none was found to be the largest. Their paths are long then, as along the lines
 * of a grid: a walk over rows does not come to an end, and every join would go up such a path. So each row points at its root before
 * arcs are linked, and a sample is taken again. @param[in] total  of the barrier behind the first step. */
WEIR_DEV int cc_is_deep(const struct cc_run *run, const uint64_t *total)
{
    return (uint32_t)total[0] < run->args->few_roots && (run->direct || 2 * total[2] < total[3]);
}

#if CC_NEAREST
/* The first forest, flattened where it is deep. Nobody looks for the largest tree. */
WEIR_DEV uint32_t cc_grow(struct cc_run *run, uint32_t *giant_out, uint32_t *which_out)
{
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop;
    *giant_out = CC_NONE;
    *which_out = 1;
    cc_first_near(run, run->id, run->stride);
    if (cc_is_separate(run->args))
        cc_first_of_others(run->args, run->id, run->stride);
    if ((stop = cc_step(run, CC_AT_FIRST, total)) || total[0] >= run->args->few_roots)
        return stop;
    cc_flatten_rows(run, run->id, run->stride);
    return cc_step(run, CC_AT_FLATTEN, total);
}
#else
/* Whether all that has arcs is one tree: each join makes one of two. @param[in] roots  sum 0 of the barrier behind the first step.
 * @param[in] joins  since then, each counted by each device. */
WEIR_DEV int cc_is_one(struct cc_run *run, uint64_t roots, uint64_t joins)
{
    if (run->block->thread == 0)
        run->shared->isolated = (uint32_t)(roots >> 32);
    return run->args->least_id != CC_NONE &&
           joins + run->args->part.parts == run->args->part.parts * (uint64_t)(uint32_t)roots;
}

/* The first forest, then single arcs of all rows, until a sample says that one tree has half of them.
 * @param[out] giant_out  the root of that tree.  @param[out] which_out  see cc_linked(); 0: all are one tree. */
WEIR_DEV uint32_t cc_grow(struct cc_run *run, uint32_t *giant_out, uint32_t *which_out)
{
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop;
    if (run->args->settles)
        cc_guess(run->args, run->shared, run->block->thread, cc_label_now(run, 0), 1);
    WEIR_ROLLED
    for (uint32_t which = 1;; which++) {
        /* Lanes do not flatten trees before the step `rest`, which climbs anyway: rows of small numbers, by way of which others do, early. A
         * thread of a host device waits for each look of a climb. Behind roots few joins follow. */
        cc_grow_and_sample(run, which, WEIR_LANES == 1u && !run->args->roots);
        if ((stop = cc_step(run, which == 1 ? CC_AT_FIRST : CC_AT_SAMPLE, total)))
            return stop;
        const uint64_t roots =
            total[0]; /* of the first forest, in the first round; cc_put_seen() */
        uint64_t joins;
        if (which == 1 && cc_is_deep(run, total)) {
            cc_grow_and_sample(run, 2, 1);
            if ((stop = cc_step(run, CC_AT_FLATTEN, total)))
                return stop;
            /* The tree that a sample finds is that of one device, where devices have trees of their own. */
            run->direct = run->direct && (run->args->separate || 2 * total[2] < total[3]);
        }
        *giant_out = run->direct ? CC_NONE : (uint32_t)total[1];
        *which_out = which;
        if (run->args->next) /* two rounds are one arc a row; of one round a part is linked again */
            *which_out = which > CC_ROUNDS ? 2 : 1;
        if (run->args->roots) /* a round of roots leaves next to nothing out */
            *which_out = which > 1 ? which - 1 : 1;
        if (run->direct || 2 * total[2] >= total[3] || which > CC_ROUNDS)
            return 0;
        if (run->args->roots && which == 1) {
            if (run->id == 0)
                weir_steps_mine(&run->args->member)->result[CC_ROOTS] = (uint32_t)roots;
            cc_hook_roots(run);
            cc_link_sparse(run);
        } else if (run->args->next) {
            cc_link_kept(run, which);
        } else {
            /* Behind roots, which link no certain arc, as if it were the round before. */
            cc_link_next(run, &run->args->part.out, *which_out);
        }
        if (run->args->both)
            cc_link_next(run, &run->args->part.in, which);
        if ((stop = cc_step(run, CC_AT_LINK, total)) || (stop = cc_merge(run, total[0], &joins)))
            return stop;
        if (which == 1 && run->args->roots && cc_is_one(run, roots, joins)) {
            *which_out = 0;
            return 0;
        }
    }
}

#endif

WEIR_DEV uint32_t cc_finish(struct cc_run *run, uint32_t giant, uint32_t which)
{
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop;
    const uint32_t at = run->direct ? CC_AT_DIRECT : CC_AT_REST;
    uint64_t joins;
#if !CC_NEAREST
    if (!which) {
        cc_label_one(run);
        return 0;
    }
#endif
    cc_rest(run, giant, which);
    if (!CC_NEAREST && !run->args->in_order)
        cc_put_least(run);
    if ((stop = cc_step(run, at, total)))
        return stop;
    uint64_t hooks = total[0];
    if (total[1]) {
        cc_rest_long(run);
        if ((stop = cc_step(run, at, total)))
            return stop;
        hooks += total[0];
    }
#if !CC_INTERLEAVED && !CC_ONE_DEVICE
    if (run->args->separate) {
        if (run->args->by_part)
            cc_tell_parts(run->args, run->shared, run->block, run->id, run->stride);
        else
            cc_tell_cuts(run->args, run->shared, run->phase, run->id, run->stride);
        if ((stop = cc_step(run, CC_AT_MERGE, total)))
            return stop;
        hooks = total[0];
    }
    if (run->args->by_part && (stop = cc_merge_parts(run)))
        return stop;
#endif
    if ((stop = cc_merge(run, hooks,
                         &joins))) /* by parts nothing is left to merge: none were listed */
        return stop;
#if CC_NEAREST
    if (run->id == 0)
        run->shared->labelled = run->args->part.busy;
    cc_label_near(run);
#else
    giant = giant == CC_NONE ? CC_NONE : cc_root(run->parent, giant, CC_NONE);
    cc_check_guess(run, giant);
    if (!run->args->in_order) {
        cc_compare_ids(run, giant);
        if ((stop = cc_step(run, CC_AT_LABEL, total)))
            return stop;
    }
    cc_label(run, giant);
#endif
    return 0;
}

/* Add what the threads of the block counted to the device's results. */
WEIR_DEV void cc_count(struct cc_run *run)
{
    uint64_t *result = weir_steps_mine(&run->args->member)->result;
    const uint64_t arcs = weir_sum_u64(run->arcs);
    if (weir_lane() == 0)
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->arcs, arcs);
    weir_block_sync();
    if (run->block->thread)
        return;
    weir_add_relaxed_dev_u64(&result[CC_ARCS], run->shared->arcs);
    weir_add_relaxed_dev_u64(&result[CC_SENT], run->shared->sent);
    weir_add_relaxed_dev_u64(&result[CC_GATHERED], run->shared->gathered);
    weir_add_relaxed_dev_u64(&result[CC_REST_ROWS], run->shared->looked);
    weir_add_relaxed_dev_u64(&result[CC_LABEL_ROWS], run->shared->labelled);
    if (run->block->block == 0)
        weir_steps_book(&run->args->member, &run->shared->since_ns, CC_AT_LABEL,
                        CC_STEPS_OF + CC_AT_LABEL);
}

WEIR_DEV void cc_body(const struct cc_args *args, struct cc_shared *shared,
                      struct weir_steps_block *block)
{
    uint32_t giant, which;
    struct cc_run run;
    cc_start(&run, args, shared, block);
    if (cc_grow(&run, &giant, &which) || cc_finish(&run, giant, which))
        return;
    cc_count(&run);
}

#endif
