/** @file block_queue.h  A part of engine_tmpl.h: the block queue, that is items that a block keeps for itself from one
 * narrow round to the next.
 *
 * A narrow round takes as long as its longest chain of dependent accesses (narrow_tmpl.h). Two accesses of that chain do
 * nothing but carry an item from the lane that made it to the lane that processes it: the atomic that reserves a slot of
 * the bag, and the load from that slot. So a block keeps new items in its own memory and processes them itself in the
 * next round. (Luo, Wong and Hwu, "An effective GPU implementation of breadth-first search", 2010, section 4, put queues
 * of a block in front of the queue of all blocks too; theirs save bandwidth and are emptied in each round.)
 *
 * Narrow rounds are spread over many blocks with few items each. Items that a block has no room for go over the near bag
 * to other blocks. A round in which any block uses the bag takes longer, so all blocks then give away what they have
 * above a fair share, and for many rounds after it no block needs the bag. (On road networks 2 to 7 rounds of 100 use
 * it.) A block with queued items takes part in every round until it hands them back: all of them, into the bag, when
 * the next round is not narrow or block 0 has to decide. Blocks wait for each other after handing back as after a round,
 * by arrivals with a number (generation) that no round has.
 *
 * In here are the counts, slots and arrivals; block_queue_tmpl.h moves the items. */
#ifndef WEIR_WORKLIST_ENGINE_BLOCK_QUEUE_H
#define WEIR_WORKLIST_ENGINE_BLOCK_QUEUE_H

#include "worklist/engine/next_round.h"

/** Items that a block may keep above its fair share when all blocks give items away. */
#define FAIR_ABOVE 8u

/** Slots for the new items of a warp: the first `queued` items go into the block queue, item i into slot queue + i; the
 *  others into the near bag, item i into slot bag + i. */
struct weir_slots {
    uint32_t queued, queue, bag;
};

/** Reserve slots for @p count new items of this warp, which is not 0. All lanes. @param[in] rows  with padded rows; a constant. */
WEIR_DEV struct weir_slots weir_reserve_slots(struct weir_engine_thread *self, uint32_t count,
                                              int rows)
{
    struct weir_block_queue *queue = &self->block->queue;
    struct weir_slots slots = {0, 0, 0};
    const uint32_t to = self->near_bag & 1u, limit = rows ? self->limit : queue->limit[to];
    uint32_t *const asked = rows ? &queue->turn_count[self->turn] : &queue->count[to];
    if (weir_lane() == 0)
        slots.queue = weir_atomic_add_relaxed_dev_u32(asked, count);
    slots.queue = weir_broadcast_u32(slots.queue, 0);
    if (slots.queue < limit)
        slots.queued = limit - slots.queue < count ? limit - slots.queue : count;
    if (slots.queued == count)
        return slots;
    if (weir_lane() == 0)
        slots.bag = weir_atomic_add_relaxed_dev_u32(weir_bag_tail(self->work, self->near_bag),
                                                    count - slots.queued);
    slots.bag = weir_broadcast_u32(slots.bag, 0) - slots.queued;
    self->pushed += count - slots.queued;
    return slots;
}

/** Make the block queue empty, with all its room. One lane. */
WEIR_DEV void weir_block_queue_clear(const struct weir_engine_args *work,
                                     struct weir_block_queue *queue)
{
    queue->count[0] = queue->count[1] = queue->deferred_count = 0;
    for (uint32_t n = 0; n < 4u; n++)
        queue->turn_count[n] = 0;
    queue->outgoing[0] = queue->outgoing[1] = 0;
    queue->limit[0] = queue->limit[1] = work->queue_most;
}

/** Items in a half of the block queue, while no lane puts into that half. */
WEIR_DEV uint32_t weir_block_queue_items(const struct weir_block_queue *queue, uint32_t half)
{
    const uint32_t asked = queue->count[half], limit = queue->limit[half];
    return asked < limit ? asked : limit;
}

/** Items that a block may put into its queue in the round of @p next, which follows that of @p word.
 *  @param[in] queued  items of this block that the round of @p next reads. */
WEIR_DEV uint32_t weir_block_queue_limit(const struct weir_engine_args *work, uint64_t word,
                                         uint64_t next, uint32_t queued)
{
    const uint32_t fair = (weir_word_count(next) >> weir_word_blocks_log(next)) + FAIR_ABOVE;
    const uint32_t most = work->queue_most;
    /* All blocks give items away in the round after the one in which the first block put items into the bag. A block also
     * gives some away by itself if it has more than one set for each of its warps and that is far more than its share. */
    const int give = (weir_word_shared(next) && !weir_word_shared(word)) ||
                     (queued > most / 2 && queued > 2 * fair);
    return give && fair < most ? fair : most;
}

/** Empty the half that the round of @p word has read, so that the round of @p next can put into it. One lane. */
WEIR_DEV void weir_block_queue_swap(const struct weir_engine_args *work,
                                    struct weir_block_queue *queue, uint64_t word, uint64_t next,
                                    uint32_t queued)
{
    const uint32_t from = weir_word_near_bag(word);
    queue->count[from] = 0;
    queue->limit[from] = weir_block_queue_limit(work, word, next, queued);
}

/** The word of the next round if that is narrow too and block 0 has nothing to decide, else 0. One lane.
 *  @param[in] word  of a narrow round of which all blocks have arrived. @param[in] early  of the order (weir_work_order). */
WEIR_DEV uint64_t weir_next_narrow(const struct weir_engine_args *work, uint64_t word,
                                   uint64_t arrivals, uint32_t early)
{
    const uint32_t queued = weir_arrivals_queued(arrivals);
    const uint32_t pushed = weir_arrivals_pushed_narrow(arrivals), count = queued + pushed;
    const uint32_t least = weir_word_blocks_log(word), spread = work->narrow_items_log;
    uint32_t log = weir_bits_u32(count - 1u);
    if (weir_arrivals_special(arrivals) || count - 1u >= work->narrow /* or is 0 */ ||
        count <= early || pushed > work->bag[WEIR_BAG_NEAR].room)
        return 0;
    log = log > spread ? log - spread : 0;
    log = log < work->narrow_blocks_log ? log : work->narrow_blocks_log;
    log = log > least ? log : least; /* since blocks with queued items have to take part */
    return weir_word_make(weir_word_generation(word) + 1, WEIR_ACTION_NEAR,
                          weir_word_near_bag(word) ^ 1u, log, queued << 16 | count) |
           WEIR_WORD_QUEUED | WEIR_WORD_BOUNDS;
}

/** Whether other blocks depend on what this block did before it arrived: it put items into the near bag, or it read slots
 *  there that others put into next, or it is block 0 and reset words in this round. On the host every arrival counts as
 *  one of those (weir_was_left_behind()). */
WEIR_DEV int weir_arrival_releases(const struct weir_engine_thread *self, uint64_t word,
                                   uint32_t pushed, uint32_t special)
{
    return WEIR_LANES == 1u || (pushed | special | weir_word_shared(word)) != 0 ||
           (self->block_number == 0 && weir_word_generation(word) % 4u == 0);
}

/** This block has done its part of a narrow round. One lane. @param[in] queued  items that it has put into its queue.
 *  @param[in] rows  with padded rows; a constant. @return the next word; 0 if the next round is not narrow, or
 *  block 0 has to decide. */
WEIR_DEV uint64_t weir_arrive_narrow(const struct weir_engine_thread *self, uint64_t word,
                                     uint32_t queued, int rows)
{
    const struct weir_engine_args *work = self->work;
    struct weir_engine_block *block = self->block;
    const uint32_t active = weir_word_blocks(word, self->blocks);
    const uint32_t pushed = block->pushed, special = block->special;
    uint64_t arrivals = weir_arrivals_one_narrow(pushed, queued, (int)special);
    if (block->sent) /* a tile that was cut stored into channels */
        weir_fence_sys();
    if (active > 1) {
        if (weir_arrival_releases(self, word, pushed, special))
            weir_add_arrivals(self, word, active, arrivals);
        else /* A release would wait until everything that the thread ever stored has arrived. */
            weir_add_relaxed_dev_u64(weir_arrivals_at(self, word), arrivals);
    }
    /* While the arrival is on its way. */
    block->sent = block->pushed = block->special = 0;
    block->queue.outgoing[weir_word_near_bag(word)] = 0; /* they were sent before this round */
    if (active > 1)
        arrivals = weir_await_arrivals(self, word, active);
    const uint64_t next = weir_next_narrow(work, word, arrivals, block->order.early);
    if (next && !rows)
        weir_block_queue_swap(work, &block->queue, word, next, queued);
    if (!next) {
        block->queue.last_arrivals = arrivals;
        block->queue.last_queued = queued;
    }
    if (self->block_number == 0) {
        block->uncounted = word;
        if (next && weir_must_publish(self, next, active))
            weir_store_release_dev_u64(&work->control->word, next);
    }
    return next;
}

/** Wait until all blocks have handed back their items. Warp 0 of all blocks of the round of @p word, of which all blocks
 *  have arrived. @return 0 if the other blocks have gone on for long without this one. */
WEIR_DEV int weir_await_handed_back(const struct weir_engine_thread *self, uint64_t word)
{
    const struct weir_engine_args *work = self->work;
    const uint64_t later = weir_word_later(word);
    const uint32_t active = weir_word_blocks(word, self->blocks);
    uint32_t met = 1;
    if (weir_lane() == 0) {
        weir_block_queue_clear(work, &self->block->queue);
        if (self->block_number == 0) {
            weir_reset_arrivals(work, weir_word_generation(later));
            weir_store_relaxed_dev_u32(&work->control->cursor[0], 0);
            weir_store_relaxed_dev_u32(&work->control->cursor[1], 0);
        }
        if (active > 1) {
            weir_add_arrivals(self, later, active, weir_arrivals_one(0, 0));
            met = weir_await_arrivals(self, later, active) != 0; /* pairs with that release */
        }
    }
    return (int)weir_broadcast_u32(met, 0);
}

/** What comes after narrow rounds. Warp 0. @param[in] word  of the last of them, which queue.last_arrivals belongs to.
 *  @return the next word. */
WEIR_COLD uint64_t weir_leave_narrow(const struct weir_engine_args *work,
                                     struct weir_engine_block *block, uint32_t block_number,
                                     uint32_t blocks, uint64_t word)
{
    struct weir_engine_thread self = weir_thread_make(work, block, block_number, blocks);
    const uint64_t arrivals = block->queue.last_arrivals, later = weir_word_later(word);
    const uint32_t count = weir_arrivals_queued(arrivals) + weir_arrivals_pushed_narrow(arrivals);
    uint64_t next = 0;
    if (arrivals && weir_await_handed_back(&self, word) && !weir_arrivals_special(arrivals) &&
        count > block->order.early)
        next = weir_decide_near(work, later, count);
    next = weir_go_on(&self, later, next);
    if (weir_word_action(next) != WEIR_ACTION_END && block_number < weir_word_blocks(next, blocks))
        weir_read_plan(&self, next, (int)block->fresh);
    return next;
}

#endif
