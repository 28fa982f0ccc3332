/** @file cc_parts.h  Labels where devices make separate trees and ids ascend with numbers within each part alone, as those of a
 * partition by METIS do.
 *
 * The root of a tree is its smallest number then, and not its smallest id, which may be one of a later part. But the smallest id that one
 * part has in a tree is easily had. In the trees that a device makes of its own rows' arcs a root that is one of its own rows is the smallest row,
 * and has the smallest id. Only below a root of another device, which is an end of a cut arc, rows have to compare theirs. So
 *
 *   tell     each device tells which root each end of a cut arc has in its trees, and keeps the smallest id of its rows below
 *            that root (`least`). Rows point at their roots meanwhile, which labels want anyway.
 *   take     each device joins its trees as all devices tell, and
 *   compare  keeps for each of them the least that any device has below a root that became part of it (`told_least`). Where few ends
 *            are told one block does both, and a barrier of all devices is spared.
 *
 * A tree with no end of a cut arc has its root's id. */
#ifndef WEIR_ALGORITHMS_CC_PARTS_H
#define WEIR_ALGORITHMS_CC_PARTS_H

#include "algorithms/cc/cc_op.h"

#if !CC_INTERLEAVED
/* Whether a number is one of this device's rows. */
WEIR_DEV int cc_is_own(const struct cc_args *args, uint32_t number)
{
    return number - args->part.begin < args->part.owned;
}

/** Nobody has compared ids below roots of other devices yet. @param[in] id, stride  of the threads that do it. */
WEIR_DEV void cc_forget_least(const struct cc_args *args, uint32_t id, uint32_t stride)
{
    WEIR_ROLLED
    for (uint64_t i = id; i < args->cuts; i += stride)
        if (!cc_is_own(args, args->cut[i]))
            weir_store_relaxed_dev_u32(&args->least[args->part.part][args->cut[i]], CC_NONE);
}

/* The id of a row below a root of another device. Nearly all such rows are below one of them: the first that a thread of the block meets
 * stands for the block, which compares those ids by itself, and tells the device of the least behind its last row. */
WEIR_DEV void cc_compare_id(const struct cc_args *args, struct cc_shared *shared, uint32_t root,
                            uint32_t id)
{
    uint32_t most = weir_load_relaxed_dev_u32(&shared->choice);
    if (most == CC_NONE) {
        most = cc_swap(&shared->choice, CC_NONE, root);
        most = most == CC_NONE ? root : most;
    }
    uint32_t *least = root == most ? &shared->least : &args->least[args->part.part][root];
    if (id < weir_load_relaxed_dev_u32(least)) /* seldom, after the first few, since ids ascend */
        (void)weir_atomic_min_relaxed_dev_u32(least, id);
}

/* All rows point at their roots, and compare their ids where these are of other devices. */
WEIR_DEV void cc_compare_rows(const struct cc_args *args, struct cc_shared *shared, uint32_t id,
                              uint32_t stride)
{
    const uint32_t begin = args->part.begin, busy = args->part.busy, apart = cc_apart(stride);
    const uint64_t lane = weir_lane();
    const uint32_t *ids = args->least[args->part.part] + begin;
    const cc_trees trees = cc_trees_of(args);
    uint32_t *parent = cc_words_of(trees) + begin;
    WEIR_ROLLED
    for (uint64_t base = cc_begin(id); base - lane < busy; base = cc_next(base, stride, CC_BATCH)) {
        uint32_t up[CC_BATCH], root[CC_BATCH];
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint64_t row = base + (uint64_t)k * apart;
            root[k] = up[k] = row < busy ? weir_load_relaxed_dev_u32(&parent[row]) : 0;
        }
#if CC_NEAREST
        uint32_t was[CC_BATCH];
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            was[k] = args->part.begin + (uint32_t)base + k * apart;
        cc_find(trees, was, root);
#else
        (void)cc_find(trees, CC_NONE, root);
#endif
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint64_t row = base + (uint64_t)k * apart;
            if (row >= busy)
                continue;
            if (root[k] != up[k]) /* nobody joins trees meanwhile */
                weir_store_relaxed_dev_u32(&parent[row], root[k]);
            if (!cc_is_own(args, root[k]))
                cc_compare_id(args, shared, root[k], ids[row]);
        }
    }
}

/** The step of tell. @param[in] id, stride  of this thread among all of the device. */
CC_SEPARATE void cc_tell_parts(const struct cc_args *args, struct cc_shared *shared,
                               const struct weir_steps_block *block, uint32_t id, uint32_t stride)
{
    const uint32_t me = args->part.part;
    WEIR_ROLLED
    for (uint64_t i = id; i < args->cuts; i += stride) {
        const uint32_t end = args->cut[i];
        const struct cc_hook hook = {end, cc_root(cc_trees_of(args), end, CC_NONE)};
        args->hooks[me][i] = hook;
    }
    if (block->thread == 0)
        shared->choice = shared->least = CC_NONE;
    weir_block_sync();
    cc_compare_rows(args, shared, id, stride);
    weir_block_sync();
    if (block->thread == 0 && shared->least != CC_NONE)
        weir_min_relaxed_dev_u32(&args->least[me][shared->choice], shared->least);
}

/** The step of take. @param[in] id, stride  of the threads that do it. */
CC_SEPARATE void cc_take_parts(const struct cc_args *args, uint32_t id, uint32_t stride)
{
    WEIR_ROLLED
    for (uint32_t d = 0; d < args->part.parts; d++) {
        WEIR_ROLLED
        for (uint64_t i = id; i < args->cuts; i += stride) {
            const struct cc_hook theirs = args->hooks[d][i];
            struct cc_hook hook;
            /* The root of a tree that is put together is one of these. */
            weir_store_relaxed_dev_u32(&args->told_least[theirs.under], CC_NONE);
            if (d != args->part.part)
                (void)cc_join(cc_trees_of(args), theirs.root, theirs.under, 0, &hook);
        }
    }
}

/** The step of compare. @param[in] id, stride  of the threads that do it. */
CC_SEPARATE void cc_compare_parts(const struct cc_args *args, uint32_t id, uint32_t stride)
{
    WEIR_ROLLED
    for (uint64_t i = id; i < args->cuts; i += stride) {
        const uint32_t root = cc_root(cc_trees_of(args), args->cut[i], CC_NONE);
        uint32_t least = CC_NONE;
        WEIR_ROLLED
        for (uint32_t d = 0; d < args->part.parts; d++) {
            const uint32_t there = args->hooks[d][i].under;
            const uint32_t theirs = weir_load_relaxed_sys_u32(&args->least[d][there]);
            least = theirs < least ? theirs : least;
        }
        weir_min_relaxed_dev_u32(&args->told_least[root], least);
    }
}

/** Put the trees of all devices together, behind what cc_tell_parts() told. @return as weir_steps_sync(). */
WEIR_DEV uint32_t cc_merge_parts(struct cc_run *run)
{
    const struct cc_args *a = run->args;
    const struct weir_steps_block *b = run->block;
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop;
    if ((uint64_t)a->cuts * a->part.parts <= CC_ALONE_CUTS) {
        if (b->block == 0) {
            cc_take_parts(a, b->thread, b->threads);
            weir_block_sync();
            cc_compare_parts(a, b->thread, b->threads);
        }
    } else {
        cc_take_parts(a, run->id, run->stride);
        if ((stop = cc_step(run, CC_AT_MERGE, total)))
            return stop;
        cc_compare_parts(a, run->id, run->stride);
    }
    if (b->block == 0) /* a hook and an id of each end, from each other device */
        cc_sent(run, b->thread == 0 ? (uint64_t)a->cuts * (a->part.parts - 1) *
                                          (sizeof(struct cc_hook) + sizeof(uint32_t))
                                    : 0);
    return cc_step(run, CC_AT_MERGE, total);
}

/** The smallest id of the tree that has this root, in the end. */
WEIR_DEV uint32_t cc_id_of_parts(const struct cc_args *args, uint32_t root)
{
    const uint32_t told = weir_load_relaxed_dev_u32(&args->told_least[root]);
    return told != CC_NONE ? told : weir_load_relaxed_dev_u32(&args->least[args->part.part][root]);
}
#endif

#endif
