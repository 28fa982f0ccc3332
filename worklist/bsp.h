/** @file bsp.h  Supersteps: one resident kernel a device, with barriers over all devices inside it
 * (bulk synchronous parallel). Not installed.
 *
 * For algorithms that go on in step and know what all of them did before the next step: level by level,
 * iteration by iteration. The host starts a kernel on each device and waits for all of them; between two
 * steps nothing goes over the host. The body of the kernel is written once, in the dialect: a *block* is a
 * thread block of a GPU or a worker thread of a host device, and all blocks of all devices are resident
 * together, since they wait for each other.
 *
 *     WEIR_DEV void NAME_body(const struct NAME_args *args, struct NAME_shared *shared,
 *                             struct weir_bsp_block *block);
 *
 * where `struct NAME_args` begins with a struct weir_bsp_member, is at most 4000 bytes and is passed by
 * value, and `struct NAME_shared` is memory of a block, undefined at first. NAME_host.c includes the body and
 * bsp_host_tmpl.h, NAME_cuda.cu the body and bsp_cuda_tmpl.cuh, both with WEIR_BSP defined to NAME; that
 * makes `const weir_bsp_program weir__NAME_program`. */
#ifndef WEIR_WORKLIST_BSP_H
#define WEIR_WORKLIST_BSP_H

#include "runtime/runtime.h"
#include "runtime/sync.h"

enum {
    WEIR_BSP_SUMS = 4,      /* added up over all devices at a barrier */
    WEIR_BSP_SLOTS = 4,     /* steps whose words exist at a time; a power of two */
    WEIR_BSP_ASLEEP = 8192, /* looks after which weir_pause() lets a thread sleep */
    WEIR_BSP_SHARE = 12,    /* words of a block, see below */
    WEIR_BSP_RESULTS = 32   /* numbers that the body of a device leaves for the host */
};

/** Why a body ends before it is done: what lies in weir_bsp_page.stop. */
enum weir_bsp_stop { WEIR_BSP_GOES_ON = 0, WEIR_BSP_STOPPED, WEIR_BSP_TIME_OVER };

/** What a device tells another, in the memory of the one that is told: its sums of a step, a word for
 *  this device alone, then the step. */
struct weir_bsp_flag {
    uint64_t sum[WEIR_BSP_SUMS];
    uint64_t told;
    uint64_t
        step; /* release sys by a block of the sender, acquire sys by all blocks of the receiver */
    uint64_t pad[2];
};

/** The words of a device, in its memory; zero before a run. Rows of docs/memory-model.md. */
struct weir_bsp_page {
    /* Of step s in slot s % WEIR_BSP_SLOTS. Sums are added relaxed by any thread of the device before its
     * block arrives; arrivals release and acquire, dev. Cleared two steps later by block 0. Sum 0 travels
     * with the arrivals: sum << 16 | blocks; so there are fewer than 2^16 blocks. */
    struct {
        uint64_t sum[WEIR_BSP_SUMS]; /* the first is not used */
        uint64_t arrived;
        uint64_t pad[3];
    } slot[WEIR_BSP_SLOTS];
    struct weir_bsp_flag from[2][WEIR_DEVICES_MAX]; /* of step s in [s % 2]; of several devices */
    uint64_t tell[WEIR_DEVICES_MAX]; /* to each device, with the next barrier; relaxed dev */
    uint64_t wake;                   /* step << 32 | blocks; release dev by block 0 */
    uint64_t board[8];               /* what block 0 tells those it wakes */
    uint32_t stop;                   /* enum weir_bsp_stop; relaxed sys, host and block 0 */
    uint32_t pad;
    uint64_t result[WEIR_BSP_RESULTS]; /* by the body, for the host after the end */
};

/** What a kernel has of the others; the first member of its arguments. */
struct weir_bsp_member {
    struct weir_bsp_page *page[WEIR_DEVICES_MAX]; /* of each device, as this one reaches it */
    uint32_t index, count;                        /* this device, all devices */
    uint64_t limit_ns;                            /* of the run; 0: none */
};

/** A block's place, and where it is; the same in all its threads. */
struct weir_bsp_block {
    uint32_t block, blocks;   /* of this device */
    uint32_t thread, threads; /* of this block; 0 and 1 on the host */
    uint32_t step;            /* barriers passed */
    uint64_t until_ns;        /* when the time is over, for thread 0 of block 0; 0: never */
    uint64_t *share;          /* WEIR_BSP_SHARE words that the threads of the block share */
};

/** First of all, by every thread. */
WEIR_DEV void weir_bsp_begin(const struct weir_bsp_member *m, struct weir_bsp_block *b)
{
    b->step = 0;
    b->until_ns =
        m->limit_ns && b->block == 0 && b->thread == 0 ? weir_clock_ns() + m->limit_ns : 0;
}

WEIR_DEV struct weir_bsp_page *weir_bsp_mine(const struct weir_bsp_member *m)
{
    return m->page[m->index];
}

/** Add to a sum of the next barrier, one of 1 to WEIR_BSP_SUMS - 1, over all devices. Any thread; add up
 *  over a warp or a block first. */
WEIR_DEV void weir_bsp_add(const struct weir_bsp_member *m, const struct weir_bsp_block *b,
                           uint32_t which, uint64_t value)
{
    weir_atomic_add_relaxed_dev_u64(&weir_bsp_mine(m)->slot[b->step % WEIR_BSP_SLOTS].sum[which],
                                    value);
}

/* Whether this thread's block may go on. Thread 0 of block 0 keeps the time. */
WEIR_DEV uint32_t weir_bsp_look(struct weir_bsp_page *page, const struct weir_bsp_block *b,
                                uint32_t looks)
{
    if (looks % 1024 < 1023)
        return WEIR_BSP_GOES_ON;
    if (b->until_ns && weir_clock_ns() > b->until_ns) {
        weir_store_relaxed_sys_u32(&page->stop, WEIR_BSP_TIME_OVER);
        return WEIR_BSP_TIME_OVER;
    }
    return weir_load_relaxed_sys_u32(&page->stop);
}

/* The last block of a device that arrives tells all devices, this one too. By thread 0. */
WEIR_COLD void weir_bsp_tell(const struct weir_bsp_member *m, uint32_t step, uint64_t first)
{
    struct weir_bsp_page *page = weir_bsp_mine(m);
    uint64_t sum[WEIR_BSP_SUMS];
    sum[0] = first;
    for (uint32_t i = 1; i < WEIR_BSP_SUMS; i++)
        sum[i] = weir_load_relaxed_dev_u64(&page->slot[step % WEIR_BSP_SLOTS].sum[i]);
    WEIR_ROLLED
    for (uint32_t d = 0; d < m->count; d++) {
        struct weir_bsp_flag *flag = &m->page[d]->from[step % 2][m->index];
        for (uint32_t i = 0; i < WEIR_BSP_SUMS; i++)
            weir_store_relaxed_sys_u64(&flag->sum[i], sum[i]);
        weir_store_relaxed_sys_u64(&flag->told, weir_load_relaxed_dev_u64(&page->tell[d]));
    }
    weir_fence_sys();
    WEIR_ROLLED
    for (uint32_t d = 0; d < m->count; d++)
        weir_store_fenced_sys_u64(&m->page[d]->from[step % 2][m->index].step, step + UINT64_C(1));
}

/* Block 0 clears the words of two steps on, after it has arrived: all who used them for the step two back have
 * arrived since, and who uses them next has seen its next arrival. */
WEIR_DEV void weir_bsp_clear(struct weir_bsp_page *page, const struct weir_bsp_block *b)
{
    const uint32_t s = (b->step + 2) % WEIR_BSP_SLOTS;
    for (uint32_t i = 1; i < WEIR_BSP_SUMS; i++)
        weir_store_relaxed_dev_u64(&page->slot[s].sum[i], 0);
    weir_store_relaxed_dev_u64(&page->slot[s].arrived, 0);
}

/* Thread 0 of a block says that the block is here. */
WEIR_DEV void weir_bsp_arrive(const struct weir_bsp_member *m, const struct weir_bsp_block *b,
                              uint32_t blocks, uint64_t first)
{
    uint64_t *arrived = &weir_bsp_mine(m)->slot[b->step % WEIR_BSP_SLOTS].arrived;
    const uint64_t mine = first << 16 | 1;
    if (m->count == 1) {
        weir_add_release_dev_u64(arrived, mine);
    } else {
        uint64_t now = weir_add_acq_rel_dev_u64(arrived, mine) + mine;
        if ((now & 0xFFFF) == blocks)
            weir_bsp_tell(m, b->step, now >> 16);
    }
    if (b->block == 0)
        weir_bsp_clear(weir_bsp_mine(m), b);
}

/* Thread 0 waits for all blocks of its device, which is alone. */
WEIR_DEV uint32_t weir_bsp_wait_blocks(const struct weir_bsp_member *m,
                                       const struct weir_bsp_block *b, uint32_t blocks, int more,
                                       uint64_t *total)
{
    struct weir_bsp_page *page = weir_bsp_mine(m);
    const uint32_t s = b->step % WEIR_BSP_SLOTS;
    uint64_t arrived;
    uint32_t stop;
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        arrived = weir_load_acquire_dev_u64(&page->slot[s].arrived);
        if ((arrived & 0xFFFF) == blocks)
            break;
        if ((stop = weir_bsp_look(page, b, looks)))
            return stop;
        weir_pause(looks);
    }
    total[0] = arrived >> 16;
    for (uint32_t i = 1; i < WEIR_BSP_SUMS; i++)
        total[i] = more ? weir_load_relaxed_dev_u64(&page->slot[s].sum[i]) : 0;
    return WEIR_BSP_GOES_ON;
}

/* The lanes of a worker wait for the flags of all devices, each for some. */
WEIR_DEV uint32_t weir_bsp_wait_devices(const struct weir_bsp_member *m,
                                        const struct weir_bsp_block *b, uint64_t *total)
{
    struct weir_bsp_page *page = weir_bsp_mine(m);
    uint64_t mine[WEIR_BSP_SUMS] = {0, 0, 0, 0};
    uint32_t stop = WEIR_BSP_GOES_ON;
    WEIR_ROLLED
    for (uint32_t d = weir_lane(); d < m->count && !stop; d += WEIR_LANES) {
        const struct weir_bsp_flag *flag = &page->from[b->step % 2][d];
        WEIR_ROLLED
        for (uint32_t looks = 0; weir_load_acquire_sys_u64(&flag->step) <= b->step; looks++) {
            if ((stop = weir_bsp_look(page, b, looks)))
                break;
            weir_pause(looks);
        }
        for (uint32_t i = 0; i < WEIR_BSP_SUMS; i++)
            mine[i] += weir_load_relaxed_dev_u64(&flag->sum[i]);
    }
    weir_lanes_sync();
    for (uint32_t i = 0; i < WEIR_BSP_SUMS; i++)
        total[i] = weir_sum_u64(mine[i]);
    return weir_max_u32(stop);
}

/** weir_bsp_sync() where a device is alone and sum 0 is all that is wanted: the fastest there is.
 *  @param[in] page     the device's.
 *  @param[in] threads  of each block: its first so many call it, a multiple of the lanes of a worker. */
WEIR_DEV uint32_t weir_bsp_sync_alone(struct weir_bsp_page *page, struct weir_bsp_block *b,
                                      uint32_t blocks, uint32_t threads, uint64_t *first,
                                      uint64_t *total_out)
{
    uint64_t *const slot = &page->slot[b->step % WEIR_BSP_SLOTS].arrived;
    weir_part_sync(threads);
    if (b->thread == 0) {
        uint32_t stop = WEIR_BSP_GOES_ON;
        uint64_t arrived = 0;
        const uint64_t mine = *first;
        *first = 0;
        if (b->block == 0) { /* the others see it while they wait for this one */
            stop = b->step % 64 == 63 ? weir_bsp_look(page, b, 1023) : 0;
        }
        if (!stop)
            weir_add_release_dev_u64(slot, mine << 16 | 1);
        if (b->block == 0)
            weir_bsp_clear(page, b);
        WEIR_ROLLED
        for (uint32_t looks = 0; !stop; looks++) {
            arrived = weir_load_acquire_dev_u64(slot);
            if ((arrived & 0xFFFF) == blocks)
                break;
            stop = weir_bsp_look(page, b, looks);
            weir_pause(looks);
        }
        b->share[0] = arrived >> 16;
        b->share[WEIR_BSP_SUMS] = stop;
    }
    weir_part_sync(threads);
    *total_out = b->share[0];
    b->step++;
    return (uint32_t)b->share[WEIR_BSP_SUMS];
}

/** A barrier of `blocks` blocks of each device: all threads of blocks 0 to blocks - 1 call it, and see
 *  afterwards what any thread of any device wrote before. The other blocks are asleep (weir_bsp_sleep()).
 *  @param[in]  blocks     of this device; devices may differ.
 *  @param[in]  first      a word that the block shares: what it adds to sum 0, below 2^48 over all; read after
 *                         all threads of the block are here, and 0 afterwards. NULL: nothing.
 *  @param[in]  more       non-zero: the sums that weir_bsp_add() made are wanted too.
 *  @param[out] total_out  the WEIR_BSP_SUMS sums over all devices, in every thread.
 *  @return 0, or why the body has to return at once (enum weir_bsp_stop), in every thread. */
WEIR_DEV uint32_t weir_bsp_sync(const struct weir_bsp_member *m, struct weir_bsp_block *b,
                                uint32_t blocks, uint64_t *first, int more, uint64_t *total_out)
{
    uint64_t total[WEIR_BSP_SUMS] = {0, 0, 0, 0};
    uint32_t stop = WEIR_BSP_GOES_ON;
    weir_block_sync();
    if (b->thread == 0) {
        const uint64_t mine = first ? *first : 0;
        if (first)
            *first = 0;
        if (b->block == 0) { /* the others see it while they wait for this one */
            stop = b->step % 64 == 63 ? weir_bsp_look(weir_bsp_mine(m), b, 1023) : 0;
        }
        if (!stop)
            weir_bsp_arrive(m, b, blocks, mine);
        if (!stop && m->count == 1)
            stop = weir_bsp_wait_blocks(m, b, blocks, more, total);
    }
    if (m->count > 1 && b->thread < WEIR_LANES) {
        stop = weir_max_u32(stop);
        if (!stop)
            stop = weir_bsp_wait_devices(m, b, total);
    }
    if (b->thread == 0) {
        for (uint32_t i = 0; i < WEIR_BSP_SUMS; i++)
            b->share[i] = total[i];
        b->share[WEIR_BSP_SUMS] = stop;
    }
    weir_block_sync();
    for (uint32_t i = 0; i < WEIR_BSP_SUMS; i++)
        total_out[i] = b->share[i];
    b->step++;
    return (uint32_t)b->share[WEIR_BSP_SUMS];
}

/** In place of weir_bsp_sync() by a block that goes to sleep: it arrives and does not wait. The others still
 *  count it at this barrier, and from the next one on no more. */
WEIR_DEV void weir_bsp_leave(const struct weir_bsp_member *m, struct weir_bsp_block *b,
                             uint32_t blocks, uint64_t *first)
{
    weir_block_sync();
    if (b->thread == 0) {
        weir_bsp_arrive(m, b, blocks, first ? *first : 0);
        if (first)
            *first = 0;
    }
    weir_block_sync();
    b->step++;
}

/** What device @p from had in tell[this device] when its last block arrived at the barrier passed last; of
 *  several devices alone. Any thread, before the next barrier. */
WEIR_DEV uint64_t weir_bsp_told(const struct weir_bsp_member *m, const struct weir_bsp_block *b,
                                uint32_t from)
{
    return weir_load_relaxed_dev_u64(&weir_bsp_mine(m)->from[(b->step + 1) % 2][from].told);
}

/** What this device had in sum 0 at the barrier passed last. As weir_bsp_told(). */
WEIR_DEV uint64_t weir_bsp_own(const struct weir_bsp_member *m, const struct weir_bsp_block *b)
{
    return weir_load_relaxed_dev_u64(&weir_bsp_mine(m)->from[(b->step + 1) % 2][m->index].sum[0]);
}

/** Block 0 alone, all its threads: blocks up to `blocks` - 1 that sleep take part from the next step on.
 *  @param[in] board  8 words that they get; as many blocks as take part already: nobody is woken. */
WEIR_DEV void weir_bsp_wake(const struct weir_bsp_member *m, const struct weir_bsp_block *b,
                            uint32_t blocks, const uint64_t *board)
{
    struct weir_bsp_page *page = weir_bsp_mine(m);
    if (b->thread)
        return;
    for (uint32_t i = 0; i < 8; i++)
        weir_store_relaxed_dev_u64(&page->board[i], board[i]);
    weir_store_release_dev_u64(&page->wake, (uint64_t)b->step << 32 | blocks);
}

/** Wait until block 0 wants this block; all its threads.
 *  @param[out] board_out   8 words, in every thread.
 *  @param[out] blocks_out  how many take part.
 *  @return as weir_bsp_sync(). The block's step is that of block 0 then. */
WEIR_DEV uint32_t weir_bsp_sleep(const struct weir_bsp_member *m, struct weir_bsp_block *b,
                                 uint64_t *board_out, uint32_t *blocks_out)
{
    struct weir_bsp_page *page = weir_bsp_mine(m);
    if (b->thread == 0) {
        uint32_t stop = 0;
        uint64_t wake;
        WEIR_ROLLED
        for (uint32_t looks = 0;; looks++) {
            wake = weir_load_acquire_dev_u64(&page->wake);
            if ((uint32_t)(wake >> 32) >= b->step && (uint32_t)wake > b->block)
                break;
            if ((stop = weir_bsp_look(page, b, looks)))
                break;
            weir_pause(WEIR_BSP_ASLEEP +
                       looks % 1024); /* rarely: those who work use the same memory */
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
    weir_block_sync();
    return stop;
}

/* ---- the host ------------------------------------------------------------------------------- */

/** A body, compiled for both kinds of devices. */
typedef struct weir_bsp_program {
    const char *name;
    weir_kernel kernel;
    int (*load)(void); /* loads the kernel on the current GPU; NULL without CUDA */
    size_t args_bytes;
} weir_bsp_program;

typedef struct weir_bsp weir_bsp; /* long-lived; one run at a time */

/** Whether bodies can run on the first `devices` devices of a context together: all host devices, or all
 *  GPUs that reach each other.
 *  @retval WEIR_ERR_UNSUPPORTED  with a sentence why not.
 *  @retval WEIR_ERR_INVALID      @p devices is 0, or more than the context has. */
weir_status weir_bsp_possible(const weir_context *context, uint32_t devices);
/** @param[in] devices  the first so many of the context take part.
 *  @param[in] time_limit_ms  of a run; 0: none.
 *  @retval WEIR_ERR_UNSUPPORTED, WEIR_ERR_INVALID  weir_bsp_possible().  @retval WEIR_ERR_NOMEM */
weir_status weir_bsp_create(weir_context *context, uint32_t devices,
                            const weir_bsp_program *program, uint32_t time_limit_ms,
                            weir_bsp **bsp_out);
/** The arguments that device's kernel will be started with: program->args_bytes in host memory, zero but for
 *  the member at its beginning. Fill in the rest before a run. */
void *weir_bsp_args(weir_bsp *bsp, uint32_t device);
/** Start all kernels and wait for all.
 *  @param[out] ms_out  from before the first start to the end of the last kernel.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE  the object may only be destroyed.
 *  @par Blocks  until done. */
weir_status weir_bsp_run(weir_bsp *bsp, double *ms_out);
/** What the body of a device left in weir_bsp_page.result; WEIR_BSP_RESULTS values, of the last run;
 *  0 before the first. */
const uint64_t *weir_bsp_results(const weir_bsp *bsp, uint32_t device);
/** What weir_bsp_page.tell[to] of device @p from was in the end; 0 before the first run. */
uint64_t weir_bsp_tells(const weir_bsp *bsp, uint32_t from, uint32_t to);
/** A queue of the device: for copies and fills between runs. */
weir_queue *weir_bsp_queue(const weir_bsp *bsp, uint32_t device);
/** Stop a run, or the next one; it returns WEIR_ERR_CANCELLED. Any thread. */
void weir_bsp_cancel(weir_bsp *bsp);
/** NULL is fine. */
void weir_bsp_destroy(weir_bsp *bsp);

#endif
