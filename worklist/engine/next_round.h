/** @file next_round.h  A part of engine_tmpl.h: how the blocks of a worker get from one round to the next.
 *
 * A block that has done its part of a round *arrives*: it adds what it counted to one word. When all blocks of the round
 * have arrived, each of them computes the next word by itself where that is possible, and otherwise waits for the word
 * that block 0 decides on and publishes. */
#ifndef WEIR_WORKLIST_ENGINE_NEXT_ROUND_H
#define WEIR_WORKLIST_ENGINE_NEXT_ROUND_H

#include "worklist/engine/round.h"

/** Wait for a newer word of a round that this block takes part in. One lane. */
WEIR_DEV uint64_t weir_await_word(const struct weir_engine_thread *self, uint64_t word)
{
    const uint64_t *at = &self->work->control->word;
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t next = weir_load_acquire_dev_u64(at); /* pairs with weir_publish() */
        if (weir_word_is_newer(next, word)) {
            if (weir_word_action(next) == WEIR_ACTION_END ||
                self->block_number < weir_word_blocks(next, self->blocks))
                return next;
            word = next;
        }
        weir_pause(looks);
    }
}

/** The word that blocks add to when they have done the round of @p word. */
WEIR_DEV uint64_t *weir_arrivals_at(const struct weir_engine_thread *self, uint64_t word)
{
    return &self->work->control->arrived[weir_word_generation(word) % WEIR_ARRIVALS];
}

/** The word at which blocks wait for the arrivals of the round of @p word. On a host device that is another one than they add to:
 *  the last thread to arrive stores the arrivals there, and no thread is held up by those that look. */
WEIR_DEV uint64_t *weir_complete_at(const struct weir_engine_thread *self, uint64_t word)
{
    return WEIR_LANES == 1u
               ? &self->work->control->complete[weir_word_generation(word) % WEIR_ARRIVALS]
               : weir_arrivals_at(self, word);
}

/** Add what this block has to say to the arrivals of the round of @p word, for blocks that depend on what it did. One lane. */
WEIR_DEV void weir_add_arrivals(const struct weir_engine_thread *self, uint64_t word,
                                uint32_t active, uint64_t arrivals)
{
    if (WEIR_LANES > 1u) {
        weir_add_release_dev_u64(weir_arrivals_at(self, word), arrivals);
        return;
    }
    /* The last one has acquired what the others released, and releases it together with its own. */
    const uint64_t now =
        weir_add_acq_rel_dev_u64(weir_arrivals_at(self, word), arrivals) + arrivals;
    if (weir_arrivals_blocks(now) == active)
        weir_store_release_dev_u64(weir_complete_at(self, word), now);
}

/** Whether the other blocks have gone on without this one, which still waits for the end of the round of @p word. The
 *  system may stop a thread of a host device for hundreds of rounds. When that thread runs again, the arrivals may be
 *  those of a later round that uses the same word, but then a newer word was published before that round began. On a GPU
 *  the blocks are resident, and none is stopped for so long. */
WEIR_DEV int weir_was_left_behind(const struct weir_engine_thread *self, uint64_t word)
{
#ifdef __CUDACC__
    (void)self, (void)word;
    return 0;
#else
    const uint64_t published = weir_load_acquire_dev_u64(&self->work->control->word);
    return weir_word_is_newer(published, word) &&
           weir_word_generation(published) != ((weir_word_generation(word) + 1) & 0xFFFFFu);
#endif
}

/** Wait until all blocks of the round have arrived. One lane.
 *  @return their arrivals; 0 if the other blocks have gone on and a later round uses the word. */
WEIR_DEV uint64_t weir_await_arrivals(const struct weir_engine_thread *self, uint64_t word,
                                      uint32_t active)
{
    const uint32_t generation = weir_word_generation(word);
    const uint64_t *at = weir_complete_at(self, word);
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t arrivals = weir_load_acquire_dev_u64(at); /* pairs with weir_add_arrivals() */
        if (!weir_arrivals_are_of(arrivals, generation) || weir_was_left_behind(self, word))
            return 0;
        if (weir_arrivals_blocks(arrivals) == active)
            return arrivals;
        weir_pause(looks);
    }
}

/** This block has done its part of a round of a fused kernel. Warp 0. @return the arrivals of all blocks, or 0. */
WEIR_DEV uint64_t weir_arrive(const struct weir_engine_thread *self, uint64_t word, uint32_t active)
{
    struct weir_engine_block *block = self->block;
    uint64_t arrivals = 0;
    if (weir_lane() == 0) {
        arrivals = weir_arrivals_one(block->pushed, (int)block->special);
        if (block->sent)
            weir_fence_sys(); /* what this block stored into peers comes before the tail that tells of it */
        block->sent = block->special = block->pushed = 0;
        if (active > 1) {
            weir_add_arrivals(self, word, active, arrivals);
            arrivals = weir_await_arrivals(self, word, active);
        }
    }
    return weir_broadcast_u64(arrivals, 0);
}

/** Show a word to the blocks that wait for one. Warp 0 of block 0. */
WEIR_DEV void weir_publish(const struct weir_engine_thread *self, uint64_t next)
{
    if (weir_lane() == 0) /* pairs with weir_await_word() */
        weir_store_release_dev_u64(&self->work->control->word, next);
}

/** Whether block 0 must publish the word that follows a round of @p active blocks: when other blocks join, and once in
 *  65536 rounds in any case, since the number of a round wraps and a block that waits for long would take a very old word
 *  for a new one. (It does so at two numbers in a row: blocks hand items back under a number without a word, and that may be
 *  one of the two.) */
WEIR_DEV int weir_must_publish(const struct weir_engine_thread *self, uint64_t next,
                               uint32_t active)
{
    return weir_word_blocks(next, self->blocks) > active ||
           (weir_word_generation(next) & 0xFFFFu) <= 1u;
}

/** Go on after the round of @p word: to @p next, or, if that is 0, to what block 0 decides. Warp 0.
 *  @return the next word. */
WEIR_DEV uint64_t weir_go_on(const struct weir_engine_thread *self, uint64_t word, uint64_t next)
{
    const struct weir_engine_args *work = self->work;
    const uint32_t active = weir_word_blocks(word, self->blocks);
    if (weir_lane() == 0) {
        self->block->uncounted = next ? word : 0;
        self->block->fresh = !next;
    }
    weir_lanes_sync();
    if (next) {
        if (self->block_number == 0 && weir_must_publish(self, next, active))
            weir_publish(self, next);
        return next;
    }
    if (self->block_number == 0) {
        next = weir_decide(work, &self->block->ledger, word);
        /* A block that works alone publishes nothing, since no other block looks. */
        if (active > 1 || weir_must_publish(self, next, active) ||
            weir_word_action(next) == WEIR_ACTION_END)
            weir_publish(self, next);
        return next;
    }
    if (weir_lane() == 0)
        next = weir_await_word(self, word);
    return weir_broadcast_u64(next, 0);
}

/** What comes after the round of @p word, in a fused kernel. Warp 0. */
WEIR_DEV uint64_t weir_next_word(const struct weir_engine_thread *self, uint64_t word)
{
    const uint32_t active = weir_word_blocks(word, self->blocks);
    uint64_t next = 0, arrivals = 0;
    if (self->block_number < active)
        arrivals = weir_arrive(self, word, active);
    if (arrivals && !weir_arrivals_special(arrivals))
        next = weir_decide_near(self->work, word, weir_arrivals_pushed(arrivals));
    return weir_go_on(self, word, next);
}

/** The end of a discrete kernel. Its blocks may run one after the other, so none may wait: the last one to come
 *  decides. Warp 0. */
WEIR_DEV void weir_end_discrete(const struct weir_engine_thread *self, uint64_t word)
{
    struct weir_control *control = self->work->control;
    uint32_t last = 0;
    if (self->block_number >= weir_word_blocks(word, self->blocks))
        return;
    if (weir_lane() == 0)
        last = weir_add_acq_rel_dev_u32(&control->tickets, 1) ==
               weir_word_blocks(word, self->blocks) - 1;
    if (!weir_broadcast_u32(last, 0))
        return;
    uint64_t next = weir_decide(self->work, &control->ledger, word);
    if (weir_lane() == 0) {
        weir_store_relaxed_dev_u32(&control->tickets, 0);
        weir_store_release_dev_u64(&control->word, next);
    }
}

/** Reset four of the eight words of arrivals, in every fourth round: those that blocks add to three to six rounds from
 *  now. No block reads them any more, since all blocks have arrived in the round before this one. One lane of block 0. */
WEIR_DEV void weir_reset_arrivals(const struct weir_engine_args *work, uint32_t generation)
{
    if (generation % 4u)
        return;
    WEIR_ROLLED
    for (uint32_t g = generation + 3; g < generation + 7; g++) {
        weir_store_relaxed_dev_u64(&work->control->arrived[g % WEIR_ARRIVALS],
                                   weir_arrivals_none(g));
        if (WEIR_LANES == 1u)
            weir_store_relaxed_dev_u64(&work->control->complete[g % WEIR_ARRIVALS],
                                       weir_arrivals_none(g));
    }
}

/** While a round begins, block 0 counts the round before it, and resets the words that a later round needs. One warp. */
WEIR_DEV void weir_count_beside(const struct weir_engine_thread *self, uint64_t word)
{
    const struct weir_engine_args *work = self->work;
    if (work->pace)
        weir_pace_begin(work, &self->block->ledger, work->control->clock_of);
    if (weir_lane() != 0)
        return;
    weir_reset_arrivals(work, weir_word_generation(word));
    weir_store_relaxed_dev_u32(&work->control->cursor[(weir_word_generation(word) + 1) & 1u], 0);
    if (self->block->uncounted)
        weir_count_near_round(work, &self->block->ledger, self->block->uncounted, word);
}

/** Copy @p bytes, a multiple of 8. Warp 0. */
WEIR_DEV void weir_copy_words(void *to, const void *from, size_t bytes)
{
#ifdef __CUDACC__
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < bytes / sizeof(uint64_t); i += WEIR_LANES)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
    weir_lanes_sync();
#else
    memcpy(to, from, bytes);
#endif
}

/** Before anything else in a fused kernel: reset what is to be reset. By all threads. The first round has no elements and all
 *  blocks take part in it, so its arrivals are the barrier that comes before the first item. */
WEIR_DEV void weir_engine_reset(const struct weir_engine_args *work,
                                struct weir_engine_block *block, uint32_t block_number,
                                uint32_t blocks)
{
    if (work->once)
        return;
    if (LANE_ID == 0)
        block->reset_ns = weir_clock_ns();
    weir_reset_all(work->reset, work->resets, weir_thread_now(block_number),
                   weir_threads_now(blocks));
}

/** What differs from run to run, of a fused kernel. One lane of block 0, which reads all of it: the seeds lie in two channels
 *  behind those of other workers. */
WEIR_DEV void weir_engine_begin_run(const struct weir_engine_args *work,
                                    struct weir_engine_block *block)
{
    struct weir_ledger *ledger = &block->ledger;
    const uint32_t channel = work->seed_channel;
    ledger->produced = (uint64_t)work->seed_count + work->seed_numbers;
    ledger->delay = work->delay;
    ledger->reset_ns = block->reset_ns;
    weir_notes_clear(work->notes);
    work->control->in[channel].slots = work->seeds;
    work->control->in[channel].mask = work->seed_mask;
    weir_store_relaxed_sys_u32(&work->mail->in_tail[channel], work->seed_count);
    weir_store_relaxed_sys_u32(&work->mail->in_tail[channel + 1], work->seed_numbers);
}

/** Before the first round. Warp 0. */
WEIR_DEV void weir_engine_begin(const struct weir_engine_thread *self)
{
    const struct weir_engine_args *work = self->work;
    struct weir_engine_block *block = self->block;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < WARPS * STAGE_CHANNELS; i += WEIR_LANES)
        block->staged[i / STAGE_CHANNELS][i % STAGE_CHANNELS] = 0;
    if (!work->once && self->block_number == 0) {
        if (weir_lane() == 0)
            block->reset_ns = weir_clock_ns() - block->reset_ns;
        weir_copy_words(&block->ledger, &work->control->ledger, sizeof block->ledger);
        if (weir_lane() == 0)
            weir_engine_begin_run(work, block);
    }
    if (self->block_number < weir_word_blocks(work->word, self->blocks))
        weir_read_plan(self, work->word, 1);
    if (weir_lane() == 0) {
        block->sent = block->special = block->pushed = 0;
        block->uncounted = 0;
        weir_block_begins(work, block, self->blocks, work->word);
    }
}

/** After the last round. All warps. */
WEIR_DEV void weir_engine_finish(const struct weir_engine_thread *self)
{
    const struct weir_engine_args *work = self->work;
    uint64_t stale = weir_sum_u64(self->stale), atoms = weir_sum_u64(self->atoms);
    if (weir_lane() == 0 && (stale | atoms)) {
        weir_add_relaxed_dev_u64(&work->control->stale, stale);
        weir_add_relaxed_dev_u64(&work->control->atoms, atoms);
    }
    if (WARP_ID == 0 && !work->once && self->block_number == 0)
        weir_copy_words(&work->control->ledger, &self->block->ledger, sizeof self->block->ledger);
}

#endif
