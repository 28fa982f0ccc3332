/** @file cc_cells_round.h  Connected components in two dimensions: the rounds over links between trees of several columns, and the body.
 *
 *     PROPOSE  each device looks at the links of its own rows. The larger one of two labels shall hang under the smaller one: whoever
 *              has its column in the row is told
 *     ABSORB   they take that in, the least of several; left out where nothing was sent
 *     TELL     along columns: which labels change, and to what; left out in a grid of one row
 *     HOOK     all devices of a column take the least of what they know
 *     FLATTEN  each root of a column that hangs under another follows labels up to the one that is its own, CC_CELLS_CLIMBS at a time:
 *              each is halved by those before it, so that a path of n takes log n of these phases at most
 *
 * What finds no room in an inbox or a list is not kept: its link stays, and comes again in the next round. */
#ifndef WEIR_ALGORITHMS_CC_CC_CELLS_ROUND_H
#define WEIR_ALGORITHMS_CC_CC_CELLS_ROUND_H

#include "algorithms/cc/cc_cells_link.h"

#include <string.h>

/* The hooks in an inbox: behind the links of this many rows. */
WEIR_DEV uint64_t *cc_cells_hooks(uint32_t *inbox, uint32_t rows)
{
    return (uint64_t *)(void *)(cc_cells_links(inbox) + rows);
}

/* Whether a pair is remembered; it is from now on, until another one takes its word. Of many lanes that come with the same pair at the same
 * time, to a word that is free, one is told that it is not. */
WEIR_DEV int cc_cells_known(const struct cc_cells_args *a, uint32_t x, uint32_t y)
{
    const uint64_t pair = (uint64_t)x << 32 | y;
    uint64_t *word = &a->filter[(x * 0x9E3779B9u ^ y * 0x85EBCA6Bu) >> 20 & (CC_CELLS_FILTER - 1)];
    const uint64_t old = weir_load_relaxed_dev_u64(word);
    return old == pair || weir_atomic_compare_swap_relaxed_dev_u64(word, old, pair) == pair;
}

/** The label of a number, as the device of this row has it that has the number's column. */
WEIR_DEV uint32_t cc_cells_label_of(const struct cc_cells_args *a, uint32_t number,
                                    struct cc_cells_tally *t)
{
    const uint32_t column = weir_steps_owner(a->rows.first, number) / a->cell.rows;
    const uint32_t *label = cc_cells_labels(a, weir__cell_device(&a->cell, a->cell.row, column));
    t->fold += column == a->cell.column ? 0 : sizeof *label;
    return weir_load_relaxed_sys_u32(&label[number - cc_cells_begin(a, column)]);
}

/** The root at a place of the own column shall hang under a number. */
WEIR_DEV void cc_cells_begin_hook(const struct cc_cells_args *a, uint32_t place, uint32_t under)
{
    uint32_t *word = &cc_cells_next(a, a->member.index)[place];
    if (weir_load_relaxed_dev_u32(word) <= under ||
        weir_atomic_min_relaxed_dev_u32(word, under) != CC_NONE)
        return;
    const uint32_t at = weir_atomic_add_relaxed_dev_u32(a->changes, 1);
    if (at < a->room)
        a->changed[at] = place;
    else
        weir_store_relaxed_dev_u32(word, CC_NONE);
}

/* Behind the phases that fill it, the list of this device. */
WEIR_DEV uint32_t cc_cells_changes(const struct cc_cells_args *a)
{
    const uint32_t changes = weir_load_relaxed_dev_u32(a->changes);
    return changes < a->room ? changes : a->room;
}

/* A hook that one of the row is told of. */
struct cc_cells_item {
    uint32_t to; /* a device; UINT32_MAX: none */
    uint64_t hook;
};

/* Look at the link of a row. In the first round its ends are roots of columns, and of many alike one is enough.
 * @return whether it still joins two trees. */
WEIR_DEV int cc_cells_weigh(const struct cc_cells_args *a, uint32_t *link, uint32_t root, int first,
                            struct cc_cells_item *item, struct cc_cells_tally *t)
{
    const uint32_t here = cc_cells_labels(a, a->member.index)[root];
    const uint32_t there = first ? *link : cc_cells_label_of(a, *link, t);
    if (here == there || (first && cc_cells_known(a, here, there))) {
        *link = CC_NONE;
        return 0;
    }
    const uint32_t larger = here > there ? here : there, smaller = here > there ? there : here;
    const uint32_t column = weir_steps_owner(a->rows.first, larger) / a->cell.rows;
    const uint32_t place = larger - cc_cells_begin(a, column);
    if (column == a->cell.column) {
        cc_cells_begin_hook(a, place, smaller);
    } else if (first || !cc_cells_known(a, larger, smaller)) {
        item->to = weir__cell_device(&a->cell, a->cell.row, column);
        item->hook = (uint64_t)place << 32 | smaller;
    }
    return 1;
}

/* Of a worker's links of one column one a lane. All lanes. @param[in] in  where links begin. @param[in] list  whether they are one.
 * @param[in,out] count  links that still join two trees; hooks that were sent. */
WEIR_DEV void cc_cells_propose_some(const struct cc_cells_args *a,
                                    const struct cc_cells_shared *shared, uint32_t *in, int list,
                                    uint64_t at, uint64_t end, int first, uint64_t count[2],
                                    struct cc_cells_tally *t)
{
    struct cc_cells_item item = {UINT32_MAX, 0};
    uint32_t *link = list ? in + 2 * at + 1 : in + at;
    if (at < end && *link != CC_NONE) {
        const uint64_t row = cc_cells_own(a) + (list ? in[2 * at] : at);
        count[0] += (uint64_t)cc_cells_weigh(a, link, cc_cells_roots(a)[row], first, &item, t);
    }
    if (!weir_ballot(item.to != UINT32_MAX))
        return;
    uint64_t place = weir_steps_send_to(&a->member, item.to);
    if (item.to == UINT32_MAX)
        return;
    place -= shared->inboxes.sent[item.to];
    if (place >= a->room)
        return;
    cc_cells_hooks(a->outbox[item.to], cc_cells_stretch(a, item.to))[place] = item.hook;
    t->fold += sizeof item.hook;
    count[1]++;
}

/** PROPOSE. */
WEIR_COLD void cc_cells_propose(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                                struct weir_steps_block b, int first, struct cc_cells_tally *t)
{
    const uint32_t rows = cc_cells_stretch(a, a->member.index);
    uint64_t count[2] = {0, 0};
    WEIR_ROLLED
    for (uint32_t column = 0; column < a->cell.columns; column++) {
        if (column == a->cell.column)
            continue;
        uint32_t *in = a->inbox[weir__cell_device(&a->cell, a->cell.row, column)];
        const uint32_t links = in[0];
        const int list = cc_cells_is_list(links, rows);
        const uint64_t end = list ? links : rows;
        WEIR_ROLLED
        for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < end;
             base += weir_steps_threads(&b))
            cc_cells_propose_some(a, shared, cc_cells_links(in), list, base + weir_lane(), end,
                                  first, count, t);
    }
    for (int i = 0; i < 2; i++) {
        count[i] = weir_sum_u64(count[i]);
        if (weir_lane() == 0 && count[i])
            weir_atomic_add_block_u64(&shared->count[i], count[i]);
    }
}

/* How many hooks a device has sent this one in this phase. */
WEIR_DEV uint64_t cc_cells_came(const struct cc_cells_args *a, const struct cc_cells_shared *shared,
                                uint32_t from)
{
    const uint64_t came = shared->inboxes.end[from] - shared->inboxes.first[from];
    return came < a->room ? came : a->room;
}

/** ABSORB. */
WEIR_COLD void cc_cells_absorb(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                               struct weir_steps_block b)
{
    weir_steps_open(&a->member, &b, &shared->inboxes);
    WEIR_ROLLED
    for (uint32_t column = 0; column < a->cell.columns; column++) {
        const uint32_t from = weir__cell_device(&a->cell, a->cell.row, column);
        if (column == a->cell.column)
            continue;
        const uint64_t *hook = cc_cells_hooks(a->inbox[from], cc_cells_stretch(a, a->member.index));
        const uint64_t came = cc_cells_came(a, shared, from);
        WEIR_ROLLED
        for (uint64_t i = weir_steps_thread(&b); i < came; i += weir_steps_threads(&b))
            cc_cells_begin_hook(a, (uint32_t)(hook[i] >> 32), (uint32_t)hook[i]);
    }
}

/** TELL. */
WEIR_COLD void cc_cells_tell(const struct cc_cells_args *a, struct weir_steps_block b,
                             struct cc_cells_tally *t)
{
    const uint32_t count = cc_cells_changes(a);
    WEIR_ROLLED
    for (uint32_t row = 0; row < a->cell.rows; row++) {
        const uint32_t to = weir__cell_device(&a->cell, row, a->cell.column);
        if (row == a->cell.row || !count)
            continue;
        uint64_t *hook = cc_cells_hooks(a->outbox[to], 0);
        WEIR_ROLLED
        for (uint64_t i = weir_steps_thread(&b); i < count; i += weir_steps_threads(&b)) {
            const uint32_t place = a->changed[i];
            hook[i] = (uint64_t)place << 32 |
                      weir_load_relaxed_dev_u32(&cc_cells_next(a, a->member.index)[place]);
            t->expand += sizeof *hook;
        }
        if (b.block == 0 && b.thread < WEIR_LANES)
            (void)weir_steps_reserve(&a->member, to, count);
    }
}

/** HOOK; pairs are forgotten, since what found no room comes again. */
WEIR_COLD void cc_cells_hook(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                             struct weir_steps_block b)
{
    uint32_t *label = cc_cells_labels(a, a->member.index);
    const uint64_t me = weir_steps_thread(&b), threads = weir_steps_threads(&b);
    const uint32_t count = cc_cells_changes(a);
    WEIR_ROLLED
    for (uint64_t i = me; i < count; i += threads) {
        const uint32_t place = a->changed[i];
        weir_min_relaxed_dev_u32(
            &label[place], weir_load_relaxed_dev_u32(&cc_cells_next(a, a->member.index)[place]));
        weir_store_relaxed_dev_u32(&cc_cells_next(a, a->member.index)[place], CC_NONE);
    }
    WEIR_ROLLED
    for (uint64_t i = me; i < CC_CELLS_FILTER; i += threads)
        weir_store_relaxed_dev_u64(&a->filter[i], UINT64_MAX);
    if (a->cell.rows == 1)
        return;
    weir_steps_open(&a->member, &b, &shared->inboxes);
    WEIR_ROLLED
    for (uint32_t row = 0; row < a->cell.rows; row++) {
        const uint32_t from = weir__cell_device(&a->cell, row, a->cell.column);
        const uint64_t came = row == a->cell.row ? 0 : cc_cells_came(a, shared, from);
        const uint64_t *hook = cc_cells_hooks(a->inbox[from], 0);
        WEIR_ROLLED
        for (uint64_t i = me; i < came; i += threads)
            weir_min_relaxed_dev_u32(&label[hook[i] >> 32], (uint32_t)hook[i]);
    }
}

/** FLATTEN. Labels go up alone, so one that was read late is one of a number further down the same path. */
WEIR_COLD void cc_cells_flatten(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                                struct weir_steps_block b, struct cc_cells_tally *t)
{
    const uint32_t *root = cc_cells_roots(a);
    uint32_t *label = cc_cells_labels(a, a->member.index);
    uint64_t left = 0;
    if (b.block == 0 && b.thread == 0)
        weir_store_relaxed_dev_u32(a->changes, 0);
    WEIR_ROLLED
    for (uint64_t place = weir_steps_thread(&b); place < a->cell.width;
         place += weir_steps_threads(&b)) {
        const uint32_t below =
            root[place] == place ? weir_load_relaxed_sys_u32(&label[place]) : CC_NONE;
        uint32_t at = below, steps = CC_CELLS_CLIMBS;
        if (below == CC_NONE || below == a->cell.begin + place)
            continue;
        WEIR_ROLLED
        for (uint32_t up; steps && (up = cc_cells_label_of(a, at, t)) != at; steps--)
            at = up;
        left += !steps;
        if (at != below)
            weir_store_relaxed_sys_u32(&label[place], at);
    }
    left = weir_sum_u64(left);
    if (weir_lane() == 0 && left)
        weir_atomic_add_block_u64(&shared->count[0], left);
}

/* ---- the body -------------------------------------------------------------------------------- */

/* The barrier behind a phase; block 0 books its time. @return as weir_steps_sync(). */
WEIR_DEV uint32_t cc_cells_barrier(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                                   struct weir_steps_block *b, enum cc_cells_phase phase,
                                   uint64_t *total_out)
{
    weir_block_sync();
    if (b->thread == 0)
        for (uint32_t i = 0; i < 2; i++) {
            if (shared->count[i])
                weir_steps_add(&a->member, b, i + 1, shared->count[i]);
            shared->count[i] = 0;
        }
    const uint32_t stop = weir_steps_meet(&a->member, b, b->blocks, 0, 1, total_out);
    if (!stop && b->block == 0 && b->thread == 0)
        weir_steps_book(&a->member, &shared->since_ns, CC_CELLS_RESULT_NS + phase,
                        CC_CELLS_RESULT_STEPS + phase);
    return stop;
}

/* Block 0 notes that what came was taken in. */
WEIR_DEV void cc_cells_close(const struct cc_cells_args *a, const struct cc_cells_shared *shared,
                             const struct weir_steps_block *b)
{
    if (b->block == 0)
        weir_steps_close(&a->member, b, &shared->inboxes);
}

/* The first arcs of each place. @param[out] tree_out  the largest tree, if all devices' are known to be of one component; else CC_NONE. */
WEIR_DEV uint32_t cc_cells_firsts(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                                  struct weir_steps_block *b, uint32_t *tree_out,
                                  struct cc_cells_tally *t)
{
    uint64_t total[WEIR_STEPS_SUMS];
    cc_cells_link(a, shared, *b, (struct cc_cells_which){0, a->firsts, CC_NONE, 0}, t);
    uint32_t stop = cc_cells_barrier(a, shared, b, CC_CELLS_LINK, total);
    if (!stop && b->block == 0)
        cc_cells_sample(a, shared, b);
    if (!stop)
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_LINK, total);
    if (!stop && b->block == 0)
        cc_cells_prove(a, shared, b);
    if (!stop)
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_LINK, total);
    if (!stop && total[1] == a->cell.rows * a->cell.columns)
        *tree_out = a->sample[a->member.index][0];
    return stop;
}

/* LINK. */
WEIR_DEV uint32_t cc_cells_trees(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                                 struct weir_steps_block *b, struct cc_cells_tally *t)
{
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop = WEIR_STEPS_GOES_ON, tree = CC_NONE;
    if (a->firsts)
        stop = cc_cells_firsts(a, shared, b, &tree, t);
    if (stop)
        return stop;
    const struct cc_cells_which rest = {a->firsts, CC_NONE, tree, a->symmetric && tree == CC_NONE};
    cc_cells_link(a, shared, *b, rest, t);
    stop = cc_cells_barrier(a, shared, b, CC_CELLS_LINK, total);
    if (stop || !total[1])
        return stop;
    cc_cells_long(a, *b, rest);
    return cc_cells_barrier(a, shared, b, CC_CELLS_LINK, total);
}

/** Everything before the rounds. */
WEIR_DEV uint32_t cc_cells_prepare(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                                   struct weir_steps_block *b, struct cc_cells_tally *t)
{
    uint64_t total[WEIR_STEPS_SUMS];
    if (b->thread == 0)
        memset(shared, 0, sizeof *shared);
    if (b->thread == 0)
        shared->since_ns = weir_clock_ns();
    cc_cells_start(a, *b);
    uint32_t stop = cc_cells_barrier(a, shared, b, CC_CELLS_LINK, total);
    if (!stop)
        stop = cc_cells_trees(a, shared, b, t);
    WEIR_ROLLED
    for (uint32_t i = 0; i < a->merges && !stop; i++) {
        cc_cells_settle(a, *b, i);
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_MERGE, total);
        if (stop)
            break;
        cc_cells_merge(a, *b, i, t);
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_MERGE, total);
    }
    if (stop)
        return stop;
    cc_cells_settle(a, *b, a->merges);
    cc_cells_count(a, *b);
    stop = cc_cells_barrier(a, shared, b, CC_CELLS_FOLD, total);
    if (stop)
        return stop;
    cc_cells_fold(a, *b, t);
    return cc_cells_barrier(a, shared, b, CC_CELLS_FOLD, total);
}

/* Behind PROPOSE: the hooks of a round. */
WEIR_DEV uint32_t cc_cells_change(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                                  struct weir_steps_block *b, uint64_t sent,
                                  struct cc_cells_tally *t)
{
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop = WEIR_STEPS_GOES_ON;
    if (sent) {
        cc_cells_absorb(a, shared, *b);
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_PROPOSE, total);
        if (!stop)
            cc_cells_close(a, shared, b);
    }
    if (!stop && a->cell.rows > 1) {
        cc_cells_tell(a, *b, t);
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_HOOK, total);
    }
    if (stop)
        return stop;
    cc_cells_hook(a, shared, *b);
    stop = cc_cells_barrier(a, shared, b, CC_CELLS_HOOK, total);
    if (!stop && a->cell.rows > 1)
        cc_cells_close(a, shared, b);
    WEIR_ROLLED
    for (total[1] = 1; !stop && total[1];) {
        cc_cells_flatten(a, shared, *b, t);
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_FLATTEN, total);
    }
    return stop;
}

WEIR_DEV void cc_cells_body(const struct cc_cells_args *a, struct cc_cells_shared *shared,
                            struct weir_steps_block *b)
{
    struct cc_cells_tally t = {0, 0, 0};
    uint64_t total[WEIR_STEPS_SUMS], rounds = 0;
    uint32_t stop = cc_cells_prepare(a, shared, b, &t);
    WEIR_ROLLED
    for (total[1] = a->cell.columns > 1; !stop && total[1]; rounds++) {
        cc_cells_propose(a, shared, *b, !rounds, &t);
        stop = cc_cells_barrier(a, shared, b, CC_CELLS_PROPOSE, total);
        if (!stop && total[1])
            stop = cc_cells_change(a, shared, b, total[2], &t);
    }
    if (stop)
        return;
    cc_cells_label(a, *b);
    const uint64_t count[3] = {t.expand, t.fold, t.arcs};
    weir_steps_count(&a->member, b, CC_CELLS_RESULT_EXPAND_BYTES, count, 3);
    if (cc_cells_barrier(a, shared, b, CC_CELLS_LABEL, total) || b->block || b->thread)
        return;
    weir_steps_mine(&a->member)->result[CC_CELLS_RESULT_ROUNDS] = rounds;
}

#endif
