/** @file narrow.h  A part of engine_tmpl.h: which warp does what in a narrow round, and which sets of items a block has.
 * The rounds themselves: narrow_tmpl.h. */
#ifndef WEIR_WORKLIST_ENGINE_NARROW_H
#define WEIR_WORKLIST_ENGINE_NARROW_H

#include "worklist/engine/block_queue.h"

/* On a GPU the last warp of a block waits for the other blocks and counts; the other warps work, and they look ahead while
 * it waits. On the host one thread does both, one after the other, and a set is one tile. GROUP_LOG is the number of lanes
 * that share a tile, SET_LOG the number of tiles of a set, both as powers of two. */
#ifdef __CUDACC__
#define WORKING_WARPS         (WARPS - 1u)
#define IS_BARRIER_WARP(warp) ((warp) == WARPS - 1u)
#define IS_WORKING(warp)      ((warp) != WARPS - 1u)
#define TAKER_OF(warp) \
    (WARPS - 2u - (warp)) /* which rings a warp takes from; the last that works is the first */
#define IS_LOOK_WARP(warp) (TAKER_OF(warp) == WEIR_WOVEN_RINGS)
#define IS_PACE_WARP(warp) (TAKER_OF(warp) == WEIR_WOVEN_RINGS + 1u)
#define PACE_BESIDE        1 /* the pace is kept beside the work of a round, not behind it */
#define LOOKS_SELDOM       1 /* warps that have a set look at woven rings every fourth round */
#define GROUP_LOG(work)    ((work)->group_log)
#define SET_LOG(work)      (5u - (work)->group_log)
#define ROWS_SET_LOG(log)  (5u - (log))
#else
#define WORKING_WARPS         1u
#define IS_BARRIER_WARP(warp) ((void)(warp), 1)
#define IS_WORKING(warp)      ((void)(warp), 1)
#define TAKER_OF(warp)        ((void)(warp), 0u)
#define IS_LOOK_WARP(warp)    ((void)(warp), 1)
#define IS_PACE_WARP(warp)    ((void)(warp), 1)
#define PACE_BESIDE           0
#define LOOKS_SELDOM          0
#define GROUP_LOG(work)       ((void)(work), 0u)
#define SET_LOG(work)         ((void)(work), 0u)
#define ROWS_SET_LOG(log)     ((void)(log), 0u)
#endif

/** The sets of a round that a block has: first those of its queued items, which lie in half `half`; then its share of the
 *  sets in the near bag, which the block knows only when the round has begun. */
struct weir_narrow_sets {
    uint32_t half;
    uint32_t queued; /* items in the block queue */
    uint32_t shared; /* items in the near bag, of all blocks */
    uint32_t stride; /* from one set of this block in the near bag to its next one */
    uint32_t first;  /* the block's first set there */
    int has_bounds;
};

/** The sets of the round of @p word before any of them is known. */
WEIR_DEV struct weir_narrow_sets weir_narrow_sets_make(uint64_t word)
{
    struct weir_narrow_sets sets;
    sets.half = weir_word_near_bag(word);
    sets.queued = sets.shared = sets.stride = sets.first = 0;
    sets.has_bounds = 0;
    return sets;
}

/** Number of this lane in its group: the number of its first atom in the group's tile. */
WEIR_DEV uint32_t weir_narrow_rank(const struct weir_engine_args *work)
{
    return weir_lane() & ((1u << GROUP_LOG(work)) - 1u);
}

/** Which share of a round of @p active blocks this block gets. It is another one in each round, so that no block always
 *  gets the larger shares. */
WEIR_DEV uint32_t weir_narrow_share(uint32_t block_number, uint32_t generation, uint32_t active)
{
    return active & (active - 1u) ? block_number : (block_number + generation) & (active - 1u);
}

/** The round of @p word begins: compute this block's share of the near bag. */
WEIR_DEV void weir_narrow_deal(const struct weir_engine_thread *self, struct weir_narrow_sets *sets,
                               uint64_t word)
{
    sets->shared = weir_word_shared(word);
    if (!sets->shared)
        return;
    sets->stride = weir_word_blocks(word, self->blocks);
    sets->first = weir_narrow_share(self->block_number, weir_word_generation(word), sets->stride);
    sets->has_bounds = weir_word_has_bounds(word);
}

/** Whether block 0 has to decide because of other workers: something came by a channel, or a ring wants credit. What came by a
 *  woven ring is taken in the round. All lanes of a warp of block 0. */
WEIR_DEV int weir_looks_beyond(const struct weir_engine_args *work,
                               const struct weir_engine_block *block)
{
    struct weir_peek peek = {0, 0, 0};
    if (weir_lane() < work->channels_in)
        peek.tail = weir_load_relaxed_sys_u32(&work->mail->in_tail[weir_lane()]);
    return weir_peek_judge(work, &block->ledger, peek) |
           weir_woven_wants_credit(work, &block->ledger);
}

/** What block 0 has to do with other workers beside a narrow round, each thing by a warp of its own, so that none waits for the
 *  loads of another. None of them takes what arrives. */
WEIR_COLD void weir_beside_others(const struct weir_engine_args *work,
                                  struct weir_engine_block *block, uint32_t warp, uint64_t word)
{
    if (IS_PACE_WARP(warp) && work->pace) {
        weir_pace_begin(work, &block->ledger, block->woven.clock_of);
        if (PACE_BESIDE)
            weir_pace_keep(work, &block->ledger);
    }
    if (IS_LOOK_WARP(warp) && weir_word_generation(word) % 8u == 0 &&
        weir_looks_beyond(work, block) && weir_lane() == 0)
        block->special = 1;
}

/** What block 0 counts and resets beside a narrow round. Its last warp. */
WEIR_COLD void weir_count_beside_narrow(const struct weir_engine_args *work,
                                        struct weir_engine_block *block, uint64_t word)
{
    struct weir_ledger *ledger = &block->ledger;
    const uint32_t generation = weir_word_generation(word);
    if (weir_lane() != 0)
        return;
    weir_reset_arrivals(work, generation);
    ledger->narrow_rounds++;
    if (block->uncounted)
        weir_count_near_round(work, ledger, block->uncounted, word);
    /* What weir_peek_judge() asks where there is one worker; narrow rounds are short, so every 16th one asks. */
    if (generation % 16u == 0 &&
        (ledger->end || weir_load_relaxed_sys_u32(&work->control->look[WEIR_LOOK_STOP].word)))
        block->special = 1;
}

/** Whether something came by a woven ring of this warp of block 0 beyond its first one, which OP(look_at_ring) looks at.
 *  @param[in] taker  TAKER_OF() this warp. */
WEIR_DEV int weir_woven_came(const struct weir_engine_args *args, const struct weir_ledger *ledger,
                             uint32_t taker)
{
    const uint32_t rings = 1u << args->woven_log;
    int came = 0;
    WEIR_ROLLED
    for (uint32_t i = taker + (weir_lane() + 1u) * rings; i < args->woven_in;
         i += WEIR_LANES * rings)
        came |= weir_woven_begins(args, ledger, i);
    return weir_ballot(came) != 0;
}

/** Read the words by which this block sends in narrow rounds. All of the block. */
WEIR_DEV void weir_know_woven(const struct weir_engine_thread *self)
{
    const struct weir_engine_args *work = self->work;
    const struct weir_control *control = work->control;
    struct weir_woven_known *known = &self->block->woven;
    const uint32_t stride = WARPS * WEIR_LANES;
    WEIR_ROLLED
    for (uint32_t i = LANE_ID; i < work->woven_out; i += stride)
        known->limit[i] = control->woven_limit[i];
    WEIR_ROLLED
    for (uint32_t l = LANE_ID; l < work->channels_out; l += stride)
        known->rings[l] = control->out[l].woven;
    WEIR_ROLLED
    for (uint32_t w = LANE_ID; w < work->workers; w += stride) {
        known->channel_of[w] = control->channel_of[w];
        known->clock_of[w] = control->clock_of[w];
    }
    weir_block_sync();
}

/** As weir_channel_to(), in narrow rounds. One lane. */
WEIR_DEV uint32_t weir_channel_known(const struct weir_engine_args *work,
                                     const struct weir_engine_block *block, uint32_t owner)
{
    if (owner < work->workers && owner != work->index)
        return TO_CHANNEL + block->woven.channel_of[owner];
    weir_report_astray(work);
    return TO_NOWHERE;
}

/** Find the next word of narrow rounds, or 0. By the barrier warp, while the others look ahead. The rest as weir_arrive_narrow(). */
WEIR_DEV void weir_narrow_find_next(const struct weir_engine_thread *self, uint32_t warp,
                                    uint64_t word, uint32_t queued, int rows)
{
    if (IS_BARRIER_WARP(warp) && weir_lane() == 0)
        self->block->word = weir_arrive_narrow(self, word, queued, rows);
}

/** The round of @p word begins. All warps. @param[in] args  the copy of the arguments in the block's memory.
 *  @param[in] before  the word of the narrow round before, or @p word itself. @param[in] rows  over padded rows; a constant. */
WEIR_DEV void weir_narrow_begin_round(struct weir_engine_thread *self, uint32_t warp,
                                      const struct weir_engine_args *args,
                                      struct weir_narrow_sets *sets, uint64_t before, uint64_t word,
                                      int rows)
{
    self->near_bag = WEIR_BAG_NEAR + (sets->half ^ 1u);
    weir_narrow_deal(self, sets, word);
    if (rows) {
        self->limit = weir_block_queue_limit(args, before, word, sets->queued);
        if (IS_BARRIER_WARP(warp) && weir_lane() == 0)
            self->block->queue.turn_count[(self->turn + 1u) % 4u] = 0; /* of the next round */
    }
    if (IS_BARRIER_WARP(warp) && self->block_number == 0) {
        if (rows && weir_lane() == 0 && weir_word_action(word) == WEIR_ACTION_NEAR)
            self->block->ledger.by_rows += weir_word_count(word);
        WEIR_CALL(weir_count_beside_narrow)(args, self->block, word);
    }
}

/** This warp has done its part of a round: wait for the other warps of the block, and see which items are queued now. */
WEIR_DEV void weir_narrow_end_round(struct weir_engine_thread *self, struct weir_narrow_sets *sets,
                                    int rows)
{
    weir_add_pushed(self);
    weir_block_sync();
    sets->half ^= 1u;
    sets->shared = 0;
    if (!rows) {
        sets->queued = weir_block_queue_items(&self->block->queue, sets->half);
        return;
    }
    const uint32_t asked = self->block->queue.turn_count[self->turn];
    sets->queued = asked < self->limit ? asked : self->limit;
    self->turn = (self->turn + 1u) % 4u;
}

#endif
