/** @file sleep.h  Supersteps: blocks that a step does not need leave and sleep, and block 0 wakes them. Included by
 * steps.h. */
#ifndef WEIR_WORKLIST_STEPS_SLEEP_H
#define WEIR_WORKLIST_STEPS_SLEEP_H

#include "worklist/steps/barrier.h"

/** A block that goes to sleep calls it in place of weir_steps_sync(): the block arrives and does not wait. The other
 *  blocks count it at this barrier for the last time. Block 0 must not have woken any block since the barrier before.
 *  The first barrier of a body counts all blocks, also those that leave at it (weir_steps_prologue()). A body ends on all
 *  blocks, so blocks that sleep are woken for its end. */
WEIR_DEV void weir_steps_leave(const struct weir_steps_member *m, struct weir_steps_block *b,
                               uint32_t blocks, uint64_t *first)
{
    weir_block_sync();
    if (b->thread == 0) {
        b->share[WEIR_STEPS_HEARD] = weir_load_relaxed_dev_u64(&weir_steps_mine(m)->wake);
        weir_steps_arrive(m, b, blocks, first ? *first : 0);
        if (first)
            *first = 0;
    }
    weir_block_sync();
    b->step++;
}

/** Block 0 alone, all its threads: blocks up to `blocks` - 1 that sleep take part from the next step on.
 *  @param[in] blocks  as many as take part already: no block is woken.
 *  @param[in] board   8 words that the woken blocks get. */
WEIR_DEV void weir_steps_wake(const struct weir_steps_member *m, const struct weir_steps_block *b,
                              uint32_t blocks, const uint64_t *board)
{
    struct weir_steps_page *page = weir_steps_mine(m);
    if (b->thread)
        return;
    for (uint32_t i = 0; i < 8; i++)
        weir_store_relaxed_dev_u64(&page->board[i], board[i]);
    weir_store_release_dev_u64(&page->wake, (uint64_t)b->step << 32 | blocks);
}

/* What devices told at the last barrier, which this block has slept through; all its threads. */
WEIR_DEV void weir_steps_keep_flags(const struct weir_steps_member *m,
                                    const struct weir_steps_block *b)
{
    const struct weir_steps_flag *from = weir_steps_mine(m)->from[(b->step + 1) % 2];
    const uint32_t kept =
        m->count <= WEIR_STEPS_FLAGS_KEPT ? m->count : (uint32_t)WEIR_STEPS_FLAGS_KEPT;
    WEIR_ROLLED
    for (uint32_t at = b->thread; at + 1u <= kept * WEIR_STEPS_FLAG_WORDS && m->count > 1;
         at += b->threads)
        b->share[WEIR_STEPS_FLAGS + at] = (uint32_t)weir_load_relaxed_dev_u64(
            &from[at / WEIR_STEPS_FLAG_WORDS].word[at % WEIR_STEPS_FLAG_WORDS]);
}

/** Sleep until block 0 wakes this block; all its threads.
 *  @param[out] board_out   8 words, in every thread.
 *  @param[out] blocks_out  how many blocks take part.
 *  @return as weir_steps_sync(). The block's step is that of block 0 then. */
WEIR_DEV uint32_t weir_steps_sleep(const struct weir_steps_member *m, struct weir_steps_block *b,
                                   uint64_t *board_out, uint32_t *blocks_out)
{
    struct weir_steps_page *page = weir_steps_mine(m);
    if (b->thread == 0) {
        uint32_t stop = 0;
        uint64_t wake;
        WEIR_ROLLED
        for (uint32_t looks = 0;; looks++) {
            wake = weir_load_acquire_dev_u64(&page->wake);
            if (wake != b->share[WEIR_STEPS_HEARD] && (uint32_t)wake > b->block)
                break;
            if ((stop = weir_steps_look(page, b, looks)))
                break;
            weir_pause(WEIR_STEPS_ASLEEP +
                       looks % 1024); /* seldom, since the blocks that work use the same memory */
        }
        b->share[8] = wake;
        b->share[9] = stop;
        for (uint32_t i = 0; i < 8; i++)
            b->share[i] = weir_load_relaxed_dev_u64(&page->board[i]);
    }
    weir_block_sync();
    for (uint32_t i = 0; i < 8; i++)
        board_out[i] = b->share[i];
    b->step = (uint32_t)(b->share[8] >> 32);
    *blocks_out = (uint32_t)b->share[8];
    uint32_t stop = (uint32_t)b->share[9];
    weir_steps_keep_flags(m, b);
    weir_block_sync();
    return stop;
}

#endif
