/** @file cc_sample.h  The first forest, and which of its trees is the largest (cc_op.h says how). */
#ifndef WEIR_ALGORITHMS_CC_SAMPLE_H
#define WEIR_ALGORITHMS_CC_SAMPLE_H

#include "algorithms/cc/cc_near.h"
#include "algorithms/cc/cc_parts.h"

/** The first arc of CC_BATCH rows, the one at @p base and those @p apart from each other.
 *  @param[out] first_out, count_out  where their arcs are; 0 of a row that is none.
 *  @param[out] far_out  names of the far ends; CC_NONE where there is no arc. */
WEIR_DEV void cc_read_first(const struct cc_run *run, const weir_arcs *arcs, uint64_t base,
                            uint32_t apart, uint64_t *first_out, uint32_t *count_out,
                            uint32_t *far_out)
{
    const uint64_t busy = run->args->part.busy;
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * apart;
        first_out[k] = row < busy ? arcs->offsets[row] : 0;
        count_out[k] = row < busy ? (uint32_t)(arcs->offsets[row + 1] - first_out[k]) : 0;
    }
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++)
        far_out[k] = cc_name_of(run, count_out[k] ? arcs->targets[first_out[k]] : CC_NONE);
}

/* The first neighbours of CC_BATCH rows, the one at @p base and those @p apart from each other. @param[in] firsts, rows  of a device. */
WEIR_DEV void cc_read_far(const uint32_t *firsts, uint32_t rows, uint64_t base, uint32_t apart,
                          uint32_t *far_out)
{
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * apart;
        far_out[k] = row < rows ? firsts[row] : CC_NONE;
    }
}

/* Keep the second arcs of CC_BATCH rows, or the first where it leads to a larger number: what the first round links. They lie
 * where the first ones do, which take a line of memory each if rows are long. */
WEIR_DEV void cc_keep_next(struct cc_run *run, uint64_t base, uint32_t apart, const uint64_t *first,
                           const uint32_t *count, const uint32_t *far)
{
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * apart;
        uint32_t next = far[k];
        if (far[k] < cc_name(run, base, apart, k))
            next =
                cc_name_of(run, count[k] > 1 ? run->args->part.out.targets[first[k] + 1] : CC_NONE);
        if (row < run->args->part.busy)
            run->args->next[row] = next;
    }
}

/* What a thread counts in the first step: rows that have an arc, those of them that are roots, and rows without. */
struct cc_firsts_seen {
    cc_tally joined, roots, isolated;
};

/* Rows of a batch point at their first neighbours. @param[in] far  those. */
WEIR_DEV void cc_point(const struct cc_run *run, uint64_t base, uint32_t apart, const uint32_t *far,
                       struct cc_firsts_seen *seen)
{
    const weir_rows_part *part = &run->args->part;
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * apart;
        const uint32_t v = cc_name(run, base, apart, k);
        const uint32_t up = far[k] < v ? far[k] : v;
        if (row >= part->busy)
            continue;
        weir_store_relaxed_dev_u32(cc_words_of(run->parent) + part->begin + row, up);
        seen->joined += far[k] != CC_NONE;
        seen->roots += up == v && far[k] != CC_NONE;
        seen->isolated += far[k] == CC_NONE;
    }
}

/* Behind the last: sum 0 of the next barrier is all roots that have arcs, and in its upper half all rows without. There are no hooks yet, which that
 * sum is of otherwise. */
WEIR_DEV void cc_put_seen(struct cc_run *run, const struct cc_firsts_seen *seen)
{
    const uint64_t all = weir_sum_u64((uint64_t)seen->isolated << 32 | seen->roots);
    run->arcs += seen->joined;
    if (weir_lane() == 0)
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->hooks, all);
}

/* Where the smallest id of a root's tree is kept: by the device that owns it. */
WEIR_DEV uint32_t *cc_least_of(const struct cc_run *run, uint32_t root)
{
#if CC_INTERLEAVED
    return &run->args->least[cc_part_of(run->parent, root)][root >> run->args->bits];
#else
    const uint32_t owner = weir_steps_owner(run->args->part.first, root);
    return &run->args->least[owner][root - run->args->part.first[owner]];
#endif
}

/* The smallest id of the tree that has this root; the words of others are read behind a barrier. */
WEIR_DEV uint32_t cc_id_of(const struct cc_run *run, uint32_t root)
{
    const struct cc_args *a = run->args;
#if !CC_INTERLEAVED
    if (a->by_part)
        return cc_id_of_parts(a, root);
#endif
    return !CC_INTERLEAVED && a->in_order ? root - a->gap[weir_steps_owner(a->part.first, root)]
                                          : weir_load_relaxed_sys_u32(cc_least_of(run, root));
}

/* Guess what the label of the largest tree will be: the id that its root has now, or, where ids do not ascend with numbers, the
 * smallest of all that have arcs. All devices guess the same. CC_NONE: nothing is guessed. All threads of a block.
 * @param[in] settled  whether rows have been settled by the same guess in the first step. */
WEIR_DEV void cc_guess(const struct cc_args *args, struct cc_shared *shared, uint32_t thread,
                       uint32_t guess, int settled)
{
    if (thread == 0) {
        shared->guess = args->outside ? guess : CC_NONE;
        shared->settled = (uint32_t)settled;
    }
    weir_block_sync();
}

/* What cc_guess() is told. */
WEIR_DEV uint32_t cc_label_now(const struct cc_run *run, uint32_t giant)
{
    if (giant == CC_NONE)
        return CC_NONE;
    return run->args->in_order ? cc_id_of(run, giant) : run->args->least_id;
}

/* The id of a row is kept with it if it is outside the largest tree; without a guess that of a row inside is compared with the block's smallest. */
WEIR_DEV void cc_put_id(const struct cc_args *args, struct cc_shared *shared, int outside,
                        uint64_t row)
{
    if (outside) {
        weir_store_relaxed_dev_u32(&args->least[args->part.part][row], args->ids[row]);
    } else if (args->least_id == CC_NONE) {
        const uint32_t id = args->ids[row];
        if (id < weir_load_relaxed_dev_u32(&shared->least)) /* seldom, after the first few */
            (void)weir_atomic_min_relaxed_dev_u32(&shared->least, id);
    }
}

/* The names that a batch of rows would have as parents of parents in the first forest, CC_ABREAST times at most or until that is number 0. First
 * neighbours tell, which do not change. @param[in,out] up  the parents. */
WEIR_DEV void cc_walk_up(const struct cc_run *run, uint32_t *up)
{
    const uint32_t *firsts = run->args->firsts;
    WEIR_ROLLED
    for (uint32_t i = 0; i < CC_ABREAST; i++) {
        uint32_t any = 0;
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            any |= up[k];
        if (!any)
            break;
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint32_t far =
                up[k] ? firsts[cc_word(run->parent, up[k]) - cc_words_of(run->parent)] : 0;
            up[k] = far < up[k] ? far : up[k];
        }
    }
}

/* Whether a block of device 0 samples and does nothing else meanwhile. */
WEIR_DEV uint32_t cc_spares(const struct cc_run *run)
{
    return run->args->part.part == 0 && run->block->blocks > 1 && WEIR_LANES > 1u;
}

/* Where entry @p i of a block's list of undecided rows lies: at the place of its row number i, of which it has as many as entries, at least.
 * So no block asks others for places, and lists are empty before there was a barrier. */
WEIR_DEV uint32_t cc_slot(const struct cc_run *run, uint32_t i)
{
    const struct weir_steps_block *b = run->block;
    const uint32_t rows = CC_RUN * b->threads, spared = cc_spares(run);
    return (i / rows * (b->blocks - spared) + b->block - spared) * rows + i % rows;
}

/* Rows of a batch that are in the tree of number 0 get the label that is guessed for it; the others are listed. @param[in] far  their first neighbours. */
WEIR_DEV void cc_settle_first(const struct cc_run *run, uint64_t base, uint32_t apart,
                              const uint32_t *far)
{
    const struct cc_args *a = run->args;
    uint32_t up[CC_BATCH];
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint32_t v = cc_name(run, base, apart, k);
        up[k] = far[k] == CC_NONE ? 0 : far[k] < v ? far[k] : v;
    }
    cc_walk_up(run, up);
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * apart;
        const int outside = up[k] != 0;
        const uint32_t at = cc_place(&run->shared->undecided, NULL, outside);
        if (outside)
            a->outside[cc_slot(run, at)] = (uint32_t)row;
        else if (far[k] != CC_NONE)
            a->label[row] = run->shared->guess;
        if (far[k] != CC_NONE && !a->in_order)
            cc_put_id(a, run->shared, outside, row);
    }
}

/* cc_first_rows() where rows are numbered by degree: nearly all of them are in the tree of number 0, the first hub, two or three steps below
 * it, and are settled here. The step `rest` looks at the others alone, if that tree turns out to be the largest. */
WEIR_DEV void cc_first_settled(struct cc_run *run, uint32_t id, uint32_t stride)
{
    const weir_rows_part *part = &run->args->part;
    const uint64_t lane = weir_lane();
    const uint32_t apart = cc_apart(stride);
    struct cc_firsts_seen seen = {0, 0, 0};
    WEIR_ROLLED
    for (uint64_t base = cc_begin(id); base - lane < part->busy;
         base = cc_next(base, stride, CC_BATCH)) {
        uint32_t far[CC_BATCH];
        cc_read_far(run->args->firsts + part->begin, part->busy, base, apart, far);
        cc_point(run, base, apart, far, &seen);
        cc_settle_first(run, base, apart, far);
    }
    cc_put_seen(run, &seen);
}

/** Rows of this device point at their first neighbours, the smallest by name, or at themselves. Those that do are counted among the block's hooks, of which
 *  there are none yet.
 *  @param[in] id, stride  of the threads that do it. */
WEIR_DEV void cc_first_rows(struct cc_run *run, uint32_t id, uint32_t stride)
{
    const struct cc_args *a = run->args;
    const weir_rows_part *part = &a->part;
    const uint64_t lane = weir_lane();
    const uint32_t apart = cc_apart(stride);
    /* They are all that is read of most graphs; others need the arcs behind them, and find both there. */
    const int alone = a->firsts && !a->next;
    struct cc_firsts_seen seen = {0, 0, 0};
    WEIR_ROLLED
    for (uint64_t base = cc_begin(id); base - lane < part->busy;
         base = cc_next(base, stride, CC_BATCH)) {
        uint64_t first[CC_BATCH];
        uint32_t count[CC_BATCH], far[CC_BATCH], in[CC_BATCH];
        if (alone) {
            cc_read_far(a->firsts + part->begin, part->busy, base, apart, far);
        } else {
            cc_read_first(run, &part->out, base, apart, first, count, far);
            if (a->next)
                cc_keep_next(run, base, apart, first, count, far);
            if (a->both) {
                cc_read_first(run, &part->in, base, apart, first, count, in);
                CC_UNROLL
                for (uint32_t k = 0; k < CC_BATCH; k++)
                    far[k] = in[k] < far[k] ? in[k] : far[k];
            }
        }
        cc_point(run, base, apart, far, &seen);
    }
    cc_put_seen(run, &seen);
}

/* The rows of the other devices point where they do there. Four bytes of the device's own memory and a store take less time than a
 * parent that crosses a link: only looks into rows are divided among devices in the first step.
 * @param[in] id, stride  of the threads that do it. */
WEIR_DEV void cc_first_rows_of_others(const struct cc_run *run, uint32_t id, uint32_t stride)
{
    const struct cc_args *a = run->args;
    const uint32_t apart = cc_apart(stride);
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->part.parts; d++) {
        const uint32_t begin = a->part.first[d], rows = d == a->part.part ? 0 : a->busy[d];
        WEIR_ROLLED
        for (uint64_t base = cc_begin(id); base < rows; base = cc_next(base, stride, CC_BATCH)) {
            uint32_t far[CC_BATCH];
            cc_read_far(a->firsts + begin, rows, base, apart, far);
            CC_UNROLL
            for (uint32_t k = 0; k < CC_BATCH; k++) {
                const uint64_t row = base + (uint64_t)k * apart;
                const uint32_t v = cc_name_at(run, d, (uint32_t)row);
                if (row < rows)
                    weir_store_relaxed_dev_u32(cc_words_of(run->parent) + begin + row,
                                               far[k] < v ? far[k] : v);
            }
        }
    }
}

/* Where devices make trees of their own, the rows of the others are roots.
 * @param[in] id, stride  of the threads that do it. */
CC_SEPARATE void cc_first_of_others(const struct cc_args *args, uint32_t id, uint32_t stride)
{
    const weir_rows_part *part = &args->part;
    WEIR_ROLLED
    for (uint64_t i = cc_begin(id); i < part->numbers; i = cc_next(i, stride, 1))
        if (i < part->begin || i >= (uint64_t)part->begin + part->busy)
            weir_store_relaxed_dev_u32(&args->parent[part->part][i], (uint32_t)i);
#if !CC_INTERLEAVED
    if (args->by_part)
        cc_forget_least(args, id, stride);
#endif
}

/* Rows that follow one another point at their roots. Nobody joins trees meanwhile, so what is its own parent is a root. All lanes of a worker
 * go on until the last is done: the warp would fall apart, and look at each batch in several parts.
 * @param[in] begin  the number of the first one.  @param[in] id, stride  of the threads that do it. */
WEIR_COLD void cc_jump(cc_trees all, uint32_t begin, uint32_t rows, uint32_t id, uint32_t stride)
{
    const uint32_t apart = cc_apart(stride);
    const uint64_t lane = weir_lane();
    WEIR_ROLLED
    for (uint64_t base = cc_begin(id); base - lane < rows; base = cc_next(base, stride, CC_BATCH)) {
        uint32_t *parent = cc_words_of(all) + begin + (uint32_t)base;
        uint32_t up[CC_BATCH], over[CC_BATCH], live = 0; /* rows that are not done, a bit each */
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            up[k] = base + (uint64_t)k * apart < rows
                        ? weir_load_relaxed_dev_u32(&parent[(uint64_t)k * apart])
                        : 0;
            live |= (uint32_t)(up[k] != 0) << k;
        }
        WEIR_ROLLED
        while (weir_ballot(live != 0)) {
            CC_UNROLL
            for (uint32_t k = 0; k < CC_BATCH; k++) /* the looks do not wait for each other */
                over[k] = live >> k & 1u ? cc_up(all, up[k]) : up[k];
            CC_UNROLL
            for (uint32_t k = 0; k < CC_BATCH; k++) {
                if (over[k] != up[k])
                    weir_store_relaxed_dev_u32(&parent[(uint64_t)k * apart], over[k]);
                if (over[k] == up[k] || !over[k])
                    live &= ~(1u << k);
                up[k] = over[k];
            }
        }
    }
}

/** Rows point at their roots. Paths lead from a device's own rows to those of the devices before it, or of all where names are
 *  interleaved, of which it has the parents, and nobody else flattens them there.
 *  @param[in] id, stride  of the threads that do it. */
WEIR_DEV void cc_flatten_rows(struct cc_run *run, uint32_t id, uint32_t stride)
{
    const struct cc_args *a = run->args;
    WEIR_ROLLED
    for (uint32_t d = cc_is_separate(a) ? a->part.part : 0;
         d < (CC_INTERLEAVED ? a->part.parts : a->part.part + 1); d++)
        cc_jump(run->parent, a->part.first[d], a->busy[d], id, stride);
}

/* The first neighbour of v, in either direction the smaller; CC_NONE where there is none. Without `firsts` the device is alone. */
WEIR_DEV uint32_t cc_first_of(const struct cc_run *run, uint32_t v)
{
    const struct cc_args *a = run->args;
    uint32_t least = CC_NONE;
    if (a->firsts)
        return a->firsts[cc_word(run->parent, v) - cc_words_of(run->parent)];
    WEIR_ROLLED
    for (uint32_t in = 0; in <= a->both; in++) {
        const weir_arcs *arcs = in ? &a->part.in : &a->part.out;
        const uint64_t first = arcs->offsets[v];
        const uint32_t far = first < arcs->offsets[v + 1] ? arcs->targets[first] : CC_NONE;
        least = far < least ? far : least;
    }
    return least;
}

/* The root of v's tree in the first forest. First neighbours tell what the parents will be, which other blocks are writing.
 * @return CC_NONE if the root is too far away: along the lines of a mesh, where numbers hardly become smaller, the walk is given up soon. */
WEIR_DEV uint32_t cc_walk(const struct cc_run *run, uint32_t v)
{
    uint32_t since = v;
    WEIR_ROLLED
    for (uint32_t i = 1; i <= CC_WALK; i++) {
        const uint32_t far = cc_first_of(run, v);
        if (far >= v)
            return v;
        v = far;
        if (i % CC_SOON)
            continue;
        if (v > since / 2)
            break;
        since = v;
    }
    return CC_NONE;
}

/* The roots of a sample of the rows of device 0; CC_NONE for roots, most of which are isolated.
 * @param[in] which  1: of the first forest, which is only being made; else of the forest as it is.
 * @return how many of the lanes' samples count. */
WEIR_DEV uint32_t cc_take_sample(struct cc_run *run, uint32_t which)
{
    const uint32_t busy = run->args->part.busy;
    uint32_t count = 0;
    for (uint32_t i = run->block->thread; i < CC_SAMPLES; i += run->block->threads) {
        const uint32_t v = cc_name_of_row(run, (uint64_t)i * busy / CC_SAMPLES);
        uint32_t root = v;
        if (busy)
            root = which == 1 ? cc_walk(run, v) : cc_root(run->parent, v, CC_NONE);
        run->shared->root[i] = root == v ? CC_NONE : root;
        count += root != v;
    }
    return count;
}

/** A block finds the most frequent root of a sample, and adds to the sums of the next barrier: to sum 1 the root, to
 *  sum 2 how many of the sample have it, to sum 3 how many count. */
WEIR_DEV void cc_sample(struct cc_run *run, uint32_t which)
{
    const struct weir_steps_member *m = &run->args->member;
    struct weir_steps_block *b = run->block;
    struct cc_shared *shared = run->shared;
    uint32_t best = 0, root = CC_NONE;
    uint64_t counted = weir_sum_u64(cc_take_sample(run, which));
    if (b->thread == 0) {
        shared->most = 0;
        shared->choice = CC_NONE;
    }
    if (weir_lane() == 0 && counted)
        weir_steps_add(m, b, 3, counted);
    weir_block_sync();
    for (uint32_t i = b->thread; i < CC_SAMPLES; i += b->threads) {
        uint32_t same = 0, mine = shared->root[i];
        for (uint32_t j = 0; j < CC_SAMPLES; j++)
            same += shared->root[j] == mine;
        if (mine != CC_NONE && same > best) {
            best = same;
            root = mine;
        }
    }
    (void)weir_atomic_max_relaxed_dev_u32(&shared->most, best);
    weir_block_sync();
    if (best && best == weir_load_relaxed_dev_u32(&shared->most))
        (void)weir_atomic_min_relaxed_dev_u32(&shared->choice, root);
    weir_block_sync();
    if (b->thread == 0) {
        weir_steps_add(m, b, 1, shared->choice);
        weir_steps_add(m, b, 2, shared->most);
    }
}

/** Block 0 of device 0 samples, while all other blocks make the first forest, or flatten the one that there is. A block that is
 *  alone does both; and so does a thread of a host device, of which there are few, so that rows keep all of them busy for far longer
 *  than a sample does. @param[in] which  as of cc_take_sample(). @param[in] flatten  0: the forest stays as it is. */
WEIR_DEV void cc_grow_and_sample(struct cc_run *run, uint32_t which, int flatten)
{
    const struct weir_steps_block *b = run->block;
    const uint32_t samples =
        run->args->part.part == 0 && !(run->direct && (which == 1 || run->args->separate));
    const uint32_t spared = samples && cc_spares(run);
    const uint32_t id = run->id - spared * b->threads, stride = run->stride - spared * b->threads;
    if (b->block >= spared && which == 1) {
        if (run->args->settles)
            cc_first_settled(run, id, stride);
        else
            cc_first_rows(run, id, stride);
        if (run->args->notes)
            cc_first_rows_of_others(run, id, stride);
    } else if (b->block >= spared && flatten) {
        cc_flatten_rows(run, id, stride);
    }
    if (run->args->separate && which == 1) /* no block was spared */
        cc_first_of_others(run->args, id, stride);
    if (samples && b->block == 0)
        cc_sample(run, which);
}

#endif
