/** @file barrier.h  Supersteps: barriers over all devices, with sums. Included by steps.h.
 *
 * On a single device each block adds to one word when it arrives, and waits until all blocks have. With several devices the
 * last block of a device that arrives writes a flag into the memory of every device, and each block waits for the flags of
 * all devices (docs/memory-model.md "Words of supersteps"). */
#ifndef WEIR_WORKLIST_STEPS_BARRIER_H
#define WEIR_WORKLIST_STEPS_BARRIER_H

#include "worklist/steps/words.h"

/** Every thread calls it before anything else; the templates do. */
WEIR_DEV void weir_steps_begin(const struct weir_steps_member *m, struct weir_steps_block *b)
{
    b->step = 0;
    if (b->thread == 0)
        b->share[WEIR_STEPS_HEARD] = 0; /* no block was woken yet */
    if (b->block == 0 && b->thread == 0)
        weir_notes_clear(m->notes);
    b->until_ns =
        m->limit_ns && b->block == 0 && b->thread == 0 ? weir_clock_ns() + m->limit_ns : 0;
}

/** The words of this device. */
WEIR_DEV struct weir_steps_page *weir_steps_mine(const struct weir_steps_member *m)
{
    return m->page[m->index];
}

/** Add to sum number @p which of the next barrier, 1 to WEIR_STEPS_SUMS - 1; the barrier adds it up over all devices. Any
 *  thread may call it, but it is an atomic, so values are best added up over a warp or a block first. */
WEIR_DEV void weir_steps_add(const struct weir_steps_member *m, const struct weir_steps_block *b,
                             uint32_t which, uint64_t value)
{
    weir_add_relaxed_dev_u64(&weir_steps_mine(m)->slot[b->step % WEIR_STEPS_SLOTS].sum[which],
                             value);
}

/** Whether the time limit is over; if so, all blocks are told to stop. Only thread 0 of block 0 finds out. It may ask at any
 *  time, and a body should ask where that thread hardly ever waits, since barriers look at the clock only while they wait. */
WEIR_DEV int weir_steps_late(struct weir_steps_page *page, const struct weir_steps_block *b)
{
    if (!b->until_ns || weir_clock_ns() <= b->until_ns)
        return 0;
    page->over = 1;
    weir_store_relaxed_sys_u32(&page->stop, WEIR_STEPS_TIME_OVER);
    return 1;
}

/* Whether this thread's block may go on, asked while it waits. Thread 0 of block 0 also looks at the clock. If that thread
 * has its flags already while other lanes still wait for a device, the host keeps the time limit, a little later
 * (resident.c). */
WEIR_DEV uint32_t weir_steps_look(struct weir_steps_page *page, const struct weir_steps_block *b,
                                  uint32_t looks)
{
    if (looks % WEIR_STEPS_LOOK_WAITS < WEIR_STEPS_LOOK_WAITS - 1)
        return WEIR_STEPS_GOES_ON;
    if (weir_steps_late(page, b))
        return WEIR_STEPS_TIME_OVER;
    return weir_load_relaxed_sys_u32(&page->stop);
}

/* The last block of a device that arrives writes the device's sums to all devices, its own included. By thread 0. The fence
 * stands before the first word, so nobody waits for one that crosses a link before the next is sent. Nothing is loaded between the
 * fence and the first word. It is copied to where it is used: a function that is called would load where the words of each device lie,
 * which are arguments of the kernel, behind all loads that are under way. */
WEIR_DEV void weir_steps_tell(const struct weir_steps_member *m, uint32_t step, uint64_t first)
{
    struct weir_steps_page *page = weir_steps_mine(m);
    const uint64_t number = (uint64_t)(step + 1u) << 32;
    uint64_t value[WEIR_STEPS_SUMS + 1];
    uint32_t d = (m->index + 1) % m->count; /* this device comes last */
    value[0] = first;
    value[WEIR_STEPS_SUMS] = weir_load_relaxed_dev_u64(&page->tell[d]);
    for (uint32_t i = 1; i < WEIR_STEPS_SUMS; i++)
        value[i] = weir_load_relaxed_dev_u64(&page->slot[step % WEIR_STEPS_SLOTS].sum[i]);
    weir_fence_sys();
    WEIR_ROLLED
    for (uint32_t k = 0; k < m->count; k++) {
        struct weir_steps_flag *flag = &m->page[d]->from[step % 2][m->index];
        for (uint32_t i = 0; i <= WEIR_STEPS_SUMS; i++) {
            weir_store_fenced_sys_u64(&flag->word[2 * i], number | (uint32_t)value[i]);
            weir_store_fenced_sys_u64(&flag->word[2 * i + 1], number | value[i] >> 32);
        }
        d = d + 1 < m->count ? d + 1 : 0;
        if (k + 1 < m->count) /* behind the last words other blocks go on, and may tell anew */
            value[WEIR_STEPS_SUMS] = weir_load_relaxed_dev_u64(&page->tell[d]);
    }
}

/* After it has arrived at a step, block 0 clears the words of the step after the next one. They were last used two steps
 * ago, and every block that used them then has arrived at a later barrier since. A block uses them again only after the next barrier,
 * at which block 0 arrives after this. */
WEIR_DEV void weir_steps_clear(struct weir_steps_page *page, const struct weir_steps_block *b)
{
    const uint32_t s = (b->step + 2) % WEIR_STEPS_SLOTS;
    for (uint32_t i = 1; i < WEIR_STEPS_SUMS; i++)
        weir_store_relaxed_dev_u64(&page->slot[s].sum[i], 0);
    weir_store_relaxed_dev_u64(&page->slot[s].arrived, 0);
    if (WEIR_LANES == 1u)
        weir_store_relaxed_dev_u64(&page->complete[s].arrived, 0);
}

/* A block of a device that is alone arrives at step @p s, with what it adds. By thread 0. Threads of a host device add to one
 * word and wait at another, so that none is held up by those that look; the last one has acquired what the others released. */
WEIR_DEV void weir_steps_come(struct weir_steps_page *page, uint32_t s, uint32_t blocks,
                              uint64_t mine)
{
    uint64_t *const arrived = &page->slot[s].arrived;
    if (WEIR_LANES > 1u) {
        weir_add_release_dev_u64(arrived, mine);
        return;
    }
    const uint64_t now = weir_add_acq_rel_dev_u64(arrived, mine) + mine;
    if ((now & 0xFFFF) == blocks)
        weir_store_release_dev_u64(&page->complete[s].arrived, now);
}

/* The arrivals at step @p s so far; on a host device none are seen until all are there. By thread 0. */
WEIR_DEV uint64_t weir_steps_came(const struct weir_steps_page *page, uint32_t s)
{
    return weir_load_acquire_dev_u64(WEIR_LANES > 1u ? &page->slot[s].arrived
                                                     : &page->complete[s].arrived);
}

/* The block arrives at the barrier. By thread 0. */
WEIR_DEV void weir_steps_arrive(const struct weir_steps_member *m, const struct weir_steps_block *b,
                                uint32_t blocks, uint64_t first)
{
    uint64_t *arrived = &weir_steps_mine(m)->slot[b->step % WEIR_STEPS_SLOTS].arrived;
    const uint64_t mine = first << 16 | 1;
    if (m->count == 1) {
        weir_steps_come(weir_steps_mine(m), b->step % WEIR_STEPS_SLOTS, blocks, mine);
    } else {
        uint64_t now = weir_add_acq_rel_dev_u64(arrived, mine) + mine;
        if ((now & 0xFFFF) == blocks)
            weir_steps_tell(m, b->step, now >> 16);
    }
    if (b->block == 0)
        weir_steps_clear(weir_steps_mine(m), b);
}

/* Thread 0 waits for all blocks of its device, which is the only one. */
WEIR_DEV uint32_t weir_steps_wait_blocks(const struct weir_steps_member *m,
                                         const struct weir_steps_block *b, uint32_t blocks,
                                         int more, uint64_t *total)
{
    struct weir_steps_page *page = weir_steps_mine(m);
    const uint32_t s = b->step % WEIR_STEPS_SLOTS;
    uint64_t arrived;
    uint32_t stop;
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        arrived = weir_steps_came(page, s);
        if ((arrived & 0xFFFF) == blocks)
            break;
        if ((stop = weir_steps_look(page, b, looks)))
            return stop;
        weir_pause(looks);
    }
    total[0] = arrived >> 16;
    for (uint32_t i = 1; i < WEIR_STEPS_SUMS; i++)
        total[i] = more ? weir_load_relaxed_dev_u64(&page->slot[s].sum[i]) : 0;
    return WEIR_STEPS_GOES_ON;
}

/* The lanes of a warp wait for the flags of all devices, each lane for some of their words. Until a word has the number of this
 * step it has that of the step two before, or 0 at first. The lane waits for one number, not for a larger one, since numbers of
 * steps wrap. */
WEIR_DEV uint32_t weir_steps_wait_devices(const struct weir_steps_member *m,
                                          const struct weir_steps_block *b, uint64_t *total)
{
    struct weir_steps_page *page = weir_steps_mine(m);
    uint64_t mine[WEIR_STEPS_SUMS] = {0, 0, 0, 0}, word;
    uint32_t stop = WEIR_STEPS_GOES_ON;
    WEIR_ROLLED
    for (uint32_t at = weir_lane(); at < m->count * WEIR_STEPS_FLAG_WORDS && !stop;
         at += WEIR_LANES) {
        const uint32_t which = at % WEIR_STEPS_FLAG_WORDS;
        const uint64_t *flag = page->from[b->step % 2][at / WEIR_STEPS_FLAG_WORDS].word;
        WEIR_ROLLED
        for (uint32_t looks = 0;
             (uint32_t)((word = weir_load_acquire_sys_u64(&flag[which])) >> 32) != b->step + 1;
             looks++) {
            if ((stop = weir_steps_look(page, b, looks)))
                break;
            weir_pause(looks);
        }
        if (at + 1u <= WEIR_STEPS_FLAGS_KEPT * WEIR_STEPS_FLAG_WORDS)
            b->share[WEIR_STEPS_FLAGS + at] = (uint32_t)word;
        const uint64_t half = which % 2 ? word << 32 : (uint32_t)word;
        for (uint32_t i = 0; i < WEIR_STEPS_SUMS; i++)
            mine[i] += which / 2 == i ? half : 0;
    }
    weir_lanes_sync();
    for (uint32_t i = 0; i < WEIR_STEPS_SUMS; i++)
        total[i] = weir_sum_u64(mine[i]);
    return weir_max_u32(stop);
}

/** As weir_steps_sync(), for a single device and sum 0 only: the fastest barrier there is.
 *  @param[in] page     of the device.
 *  @param[in] threads  of each block that call it: the first ones, a multiple of the lanes of a warp. */
WEIR_DEV uint32_t weir_steps_sync_alone(struct weir_steps_page *page, struct weir_steps_block *b,
                                        uint32_t blocks, uint32_t threads, uint64_t *first,
                                        uint64_t *total_out)
{
    const uint32_t slot = b->step % WEIR_STEPS_SLOTS;
    weir_part_sync(threads);
    if (b->thread == 0) {
        uint32_t stop = WEIR_STEPS_GOES_ON;
        uint64_t arrived = 0;
        const uint64_t mine = *first;
        *first = 0;
        if (b->block == 0) { /* the other blocks see a stop while they wait for this one */
            stop = b->step % WEIR_STEPS_LOOK_STEPS == WEIR_STEPS_LOOK_STEPS - 1
                       ? weir_steps_look(page, b, WEIR_STEPS_LOOK_WAITS - 1)
                       : 0;
        }
        if (!stop)
            weir_steps_come(page, slot, blocks, mine << 16 | 1);
        if (b->block == 0)
            weir_steps_clear(page, b);
        WEIR_ROLLED
        for (uint32_t looks = 0; !stop; looks++) {
            arrived = weir_steps_came(page, slot);
            if ((arrived & 0xFFFF) == blocks)
                break;
            stop = weir_steps_look(page, b, looks);
            weir_pause(looks);
        }
        b->share[0] = arrived >> 16;
        b->share[WEIR_STEPS_SUMS] = stop;
    }
    weir_part_sync(threads);
    *total_out = b->share[0];
    b->step++;
    return (uint32_t)b->share[WEIR_STEPS_SUMS];
}

/** weir_steps_sync() for bodies whose threads have met since the last barrier returned (weir_block_sync()), as where thread 0 then adds to sums what the
 *  block found: no thread but 0 has done anything since they met, nor read a sum or what was told, which are overwritten at
 *  once. All else is as there. */
WEIR_DEV uint32_t weir_steps_meet(const struct weir_steps_member *m, struct weir_steps_block *b,
                                  uint32_t blocks, uint64_t *first, int more, uint64_t *total_out)
{
    uint64_t total[WEIR_STEPS_SUMS] = {0, 0, 0, 0};
    uint32_t stop = WEIR_STEPS_GOES_ON;
    if (b->thread == 0) {
        const uint64_t mine = first ? *first : 0;
        if (first)
            *first = 0;
        if (b->block == 0) { /* the other blocks see a stop while they wait for this one */
            stop = b->step % WEIR_STEPS_LOOK_STEPS == WEIR_STEPS_LOOK_STEPS - 1
                       ? weir_steps_look(weir_steps_mine(m), b, WEIR_STEPS_LOOK_WAITS - 1)
                       : 0;
        }
        if (!stop)
            weir_steps_arrive(m, b, blocks, mine);
        if (!stop && m->count == 1)
            stop = weir_steps_wait_blocks(m, b, blocks, more, total);
    }
    if (m->count > 1 && b->thread < WEIR_LANES) {
        stop = weir_max_u32(stop);
        if (!stop)
            stop = weir_steps_wait_devices(m, b, total);
    }
    if (b->thread == 0) {
        for (uint32_t i = 0; i < WEIR_STEPS_SUMS; i++)
            b->share[i] = total[i];
        b->share[WEIR_STEPS_SUMS] = stop;
    }
    weir_block_sync();
    for (uint32_t i = 0; i < WEIR_STEPS_SUMS; i++)
        total_out[i] = b->share[i];
    b->step++;
    return (uint32_t)b->share[WEIR_STEPS_SUMS];
}

/** A barrier of `blocks` blocks of each device: all threads of blocks 0 to blocks - 1 call it, and see
 *  afterwards what any thread of any device wrote before. The other blocks are asleep (weir_steps_sleep()).
 *  @param[in]  blocks     of this device; devices may differ.
 *  @param[in]  first      a word that the block shares: what it adds to sum 0, modulo 2^48 over the
 *                         device; read after all threads of the block are here, and 0 afterwards.
 *                         NULL: nothing.
 *  @param[in]  more       non-zero: the sums that weir_steps_add() made are wanted too.
 *  @param[out] total_out  the WEIR_STEPS_SUMS sums over all devices, in every thread.
 *  @return 0, or why the body has to return at once (enum weir_steps_stop), in every thread. */
WEIR_DEV uint32_t weir_steps_sync(const struct weir_steps_member *m, struct weir_steps_block *b,
                                  uint32_t blocks, uint64_t *first, int more, uint64_t *total_out)
{
    weir_block_sync();
    return weir_steps_meet(m, b, blocks, first, more, total_out);
}

/** A barrier of all blocks that adds up a number of every thread: for bodies that want a sum more than they count each barrier. It is
 *  sum 1 of the barrier; sums 0, 2 and 3 are lost.
 *  @param[in]  value    of this thread.
 *  @param[out] sum_out  over all threads of all devices, in every thread.
 *  @return as weir_steps_sync(). */
WEIR_DEV uint32_t weir_steps_sum(const struct weir_steps_member *m, struct weir_steps_block *b,
                                 uint64_t value, uint64_t *sum_out)
{
    uint64_t total[WEIR_STEPS_SUMS];
    value = weir_sum_u64(value);
    if (weir_lane() == 0 && value)
        weir_steps_add(m, b, 1, value);
    const uint32_t stop = weir_steps_sync(m, b, b->blocks, 0, 1, total);
    *sum_out = total[1];
    return stop;
}

/* Value @p which of the flag of device @p from at the last barrier. Of the first devices the block has kept it: a look at memory would be waited for. */
WEIR_DEV uint64_t weir_steps_flagged(const struct weir_steps_member *m,
                                     const struct weir_steps_block *b, uint32_t from,
                                     uint32_t which)
{
    const uint32_t at = WEIR_STEPS_FLAGS + from * WEIR_STEPS_FLAG_WORDS + 2 * which;
    if (m->count == 1)
        return 0;
    if (from + 1u <= WEIR_STEPS_FLAGS_KEPT)
        return b->share[at + 1] << 32 | b->share[at];
    const uint64_t *word = &weir_steps_mine(m)->from[(b->step + 1) % 2][from].word[2 * which];
    return weir_load_relaxed_dev_u64(&word[1]) << 32 |
           (uint32_t)weir_load_relaxed_dev_u64(&word[0]);
}

/** The word that device @p from had in tell[this device] when its last block arrived at the last barrier. Any thread, behind the
 *  first barrier and before the next one. It is 0 on a single device. */
WEIR_DEV uint64_t weir_steps_told(const struct weir_steps_member *m,
                                  const struct weir_steps_block *b, uint32_t from)
{
    return weir_steps_flagged(m, b, from, WEIR_STEPS_SUMS);
}

/** What this device added to sum 0 at the last barrier. Any thread, behind the first barrier and before the next one. It is 0 on a single device,
 *  where the whole sum is the device's own. */
WEIR_DEV uint64_t weir_steps_own(const struct weir_steps_member *m,
                                 const struct weir_steps_block *b)
{
    return weir_steps_flagged(m, b, m->index, 0);
}

/** Before the body, by every thread: reset the device's arrays, and wait until all devices have done so. It does nothing if
 *  no array is to be reset on any device. If a body lets blocks sleep from the beginning, they must leave a barrier of all
 *  blocks first (weir_steps_leave()). Otherwise block 0 could pass two more barriers while such a block still waits here, and
 *  clear the words that the block waits for.
 *  @return as weir_steps_sync(). */
WEIR_DEV uint32_t weir_steps_prologue(const struct weir_steps_member *m, struct weir_steps_block *b)
{
    uint64_t total[WEIR_STEPS_SUMS], begin = 0;
    const int keeps_time = b->block == 0 && b->thread == 0;
    if (!m->resets)
        return WEIR_STEPS_GOES_ON;
    if (keeps_time)
        begin = weir_clock_ns();
    weir_reset_all(m->reset, m->resets, (uint64_t)b->block * b->threads + b->thread,
                   (uint64_t)b->blocks * b->threads);
    const uint32_t stop = weir_steps_sync(m, b, b->blocks, 0, 0, total);
    if (keeps_time)
        weir_steps_mine(m)->reset_ns = weir_clock_ns() - begin;
    return stop;
}

#endif
