/** @file 23_communities_body.h  Communities by label propagation: every vertex takes the label that most of its neighbours have, all
 * at once, again and again (Raghavan, Albert, Kumara 2007).
 *
 * A vertex has a vote itself, and of labels with equally many votes the smallest wins: so every run ends with the same labels, and
 * two vertices seldom go on taking each other's. Rows are counted in three ways: in registers, where the lanes of a worker hold all
 * votes; by a worker in a hash table in memory; and, where a row is long, by all threads of a block in such a table. */
#ifndef WEIR_EXAMPLES_23_COMMUNITIES_BODY_H
#define WEIR_EXAMPLES_23_COMMUNITIES_BODY_H

#include <weir/algorithms/rows.h>
#include <weir/worklist/steps.h>

enum {
    LP_LONG = 2048,    /* arcs of a long row */
    LP_ROUNDS_MAX = 50 /* then it stops */
};
enum lp_result { LP_ROUNDS = 0, LP_CHANGED };

struct lp_args {
    struct weir_steps_member member;
    weir_rows_part rows;                  /* in the order of vertices, as ties go by number */
    uint32_t *label[2][WEIR_DEVICES_MAX]; /* of each device: by number; they take turns */
    uint64_t *slots;      /* label << 32 | votes, or 0: for row r, from 2 * offsets[r] + r on */
    uint32_t *longs;      /* long rows, */
    uint32_t *long_count; /* and how many */
};

struct lp_shared {
    uint64_t changed; /* labels, by this block, since the last barrier */
    uint64_t best;    /* bid for a long row */
};

/* Votes above, the label turned around below: the largest is the one to take. 0: no vote. */
WEIR_DEV uint64_t lp_bid(uint32_t label, uint32_t votes)
{
    return votes ? (uint64_t)votes << 32 | (uint32_t)~label : 0;
}

/* The best bid of the lanes of a worker. */
WEIR_DEV uint64_t lp_best(uint64_t bid)
{
    const uint32_t votes = weir_max_u32((uint32_t)(bid >> 32));
    return (uint64_t)votes << 32 | weir_max_u32(bid >> 32 == votes ? (uint32_t)bid : 0);
}

/* A vote. The lane that finds a free slot gets it by compare-and-swap, unless another was faster. */
WEIR_DEV void lp_vote(uint64_t *slots, uint32_t size, uint32_t label)
{
    const uint64_t first = (uint64_t)label << 32 | 1;
    uint32_t at = (uint32_t)((uint64_t)(label * 0x9E3779B1u) * size >> 32);
    for (;; at = at + 1 == size ? 0 : at + 1) {
        uint64_t old = weir_load_relaxed_dev_u64(&slots[at]);
        if (!old && !(old = weir_atomic_compare_swap_relaxed_dev_u64(&slots[at], 0, first)))
            return;
        if (old >> 32 == label) {
            (void)weir_atomic_add_relaxed_dev_u64(&slots[at], 1);
            return;
        }
    }
}

/* The votes of a row are counted in its table, which is empty again then: by thread `me` of `of`, those of a worker or of a block.
 * @return this thread's best bid. */
WEIR_DEV uint64_t lp_count(const struct lp_args *a, uint32_t now, uint64_t row, uint32_t me,
                           uint32_t of)
{
    const uint64_t first = a->rows.out.offsets[row];
    const uint32_t degree = (uint32_t)(a->rows.out.offsets[row + 1] - first), size = 2 * degree + 1;
    const uint32_t *label = a->label[now][a->member.index], *targets = a->rows.out.targets + first;
    uint64_t *slots = a->slots + 2 * first + row, best = 0;
    for (uint32_t i = me; i <= degree; i += of)
        lp_vote(slots, size, label[i < degree ? targets[i] : a->rows.begin + row]);
    if (of == WEIR_LANES)
        weir_lanes_sync();
    else
        weir_block_sync();
    for (uint32_t i = me; i < size; i += of) {
        const uint64_t slot = weir_load_relaxed_dev_u64(&slots[i]);
        const uint64_t bid = lp_bid((uint32_t)(slot >> 32), (uint32_t)slot);
        best = bid > best ? bid : best;
        weir_store_relaxed_dev_u64(&slots[i], 0);
    }
    return best;
}

/* A row whose votes fit into the lanes of a worker: each holds one, and counts those like it. */
WEIR_DEV uint64_t lp_match(const struct lp_args *a, uint32_t now, uint64_t row, uint32_t degree)
{
    const uint32_t *targets = a->rows.out.targets + a->rows.out.offsets[row], lane = weir_lane();
    uint32_t mine = UINT32_MAX; /* no label */
    if (lane <= degree)
        mine = a->label[now][a->member.index][lane < degree ? targets[lane] : a->rows.begin + row];
    const uint32_t votes = weir_popcount_u32(weir_match_u32(mine));
    return lp_bid(mine, lane <= degree ? votes : 0);
}

/* A row takes its new label. All lanes of a worker. */
WEIR_DEV void lp_take(const struct lp_args *a, struct lp_shared *shared, uint32_t now, uint64_t row,
                      uint64_t bid)
{
    const uint32_t number = a->rows.begin + (uint32_t)row, label = ~(uint32_t)bid;
    for (uint32_t d = weir_lane(); d < a->member.count; d += WEIR_LANES)
        a->label[1 - now][d][number] = label;
    if (weir_lane() == 0 && label != a->label[now][a->member.index][number])
        weir_atomic_add_block_u64(&shared->changed, 1);
}

/* A block takes each long row. */
WEIR_DEV void lp_long(const struct lp_args *a, struct lp_shared *shared,
                      const struct weir_steps_block *b, uint32_t now)
{
    const uint32_t count = weir_load_relaxed_dev_u32(a->long_count);
    for (uint32_t i = b->block; i < count; i += b->blocks) {
        if (b->thread == 0)
            shared->best = 0;
        const uint64_t bid = lp_best(lp_count(a, now, a->longs[i], b->thread, b->threads));
        if (weir_lane() == 0)
            (void)weir_atomic_max_relaxed_dev_u64(&shared->best, bid);
        weir_block_sync();
        if (b->thread < WEIR_LANES)
            lp_take(a, shared, now, a->longs[i], shared->best);
        weir_block_sync();
    }
}

/* A round. */
WEIR_DEV void lp_round(const struct lp_args *a, struct lp_shared *shared,
                       const struct weir_steps_block *b, uint32_t now)
{
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    lp_long(a, shared, b, now);
    for (uint64_t row = weir_steps_warp(b); row < a->rows.owned; row += workers) {
        const uint64_t degree = a->rows.out.offsets[row + 1] - a->rows.out.offsets[row];
        if (degree >= LP_LONG)
            continue;
        lp_take(a, shared, now, row,
                lp_best(degree < WEIR_LANES ? lp_match(a, now, row, (uint32_t)degree)
                                            : lp_count(a, now, row, weir_lane(), WEIR_LANES)));
    }
}

WEIR_DEV void lp_body(const struct lp_args *a, struct lp_shared *shared, struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    uint64_t total[WEIR_STEPS_SUMS] = {1, 0, 0, 0};
    uint32_t round = 0;
    if (b->thread == 0)
        shared->changed = 0;
    for (uint64_t i = weir_steps_thread(b); i < a->rows.numbers; i += weir_steps_threads(b))
        a->label[0][m->index][i] = (uint32_t)i;
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b))
        if (a->rows.out.offsets[row + 1] - a->rows.out.offsets[row] >= LP_LONG)
            a->longs[weir_atomic_add_relaxed_dev_u32(a->long_count, 1)] = (uint32_t)row;
    if (weir_steps_sync(m, b, b->blocks, 0, 0, total))
        return;
    for (total[0] = 1; total[0] && round < LP_ROUNDS_MAX; round++) {
        lp_round(a, shared, b, round % 2);
        if (weir_steps_sync(m, b, b->blocks, &shared->changed, 0, total))
            return;
    }
    if (b->block == 0 && b->thread == 0) {
        weir_steps_mine(m)->result[LP_ROUNDS] = round;
        weir_steps_mine(m)->result[LP_CHANGED] = total[0];
    }
}

#endif
