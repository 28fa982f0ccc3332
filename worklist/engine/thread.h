/** @file thread.h  What the threads of a block share, and what one of them knows while a kernel runs.
 *
 * Nothing in here depends on the types of an operator, so functions that need only this are compiled from plain headers
 * and are the same text for all operators. engine_tmpl.h puts an operator's own part behind each of the two structs. */
#ifndef WEIR_WORKLIST_ENGINE_THREAD_H
#define WEIR_WORKLIST_ENGINE_THREAD_H

#include "worklist/engine/decider.h"

#include <string.h>

/** Tiles of a set that one warp works on. */
#define SET       32u
#define ALL_LANES (WEIR_LANES == 32u ? 0xFFFFFFFFu : 1u)
/** Deferred items that a block keeps until narrow rounds end: so many bytes of them, but so many at the least. On a mesh a block defers
 *  some 400 items between two rises of the threshold, and each that it has no room for costs its round an atomic. */
#define BLOCK_DEFERRED_BYTES 8192u
#define BLOCK_DEFERRED_LEAST 256u
/** Items for other workers that a block keeps in a narrow round to send them behind it. */
#define OUTGOING_MOST 256u
/** Channels whose items are staged. */
#define STAGE_CHANNELS WEIR_STAGE_CHANNELS

#ifdef __CUDACC__
/** The number of this warp, read again from the hardware, so that no register keeps it. */
WEIR_DEV uint32_t weir_warp_now(void)
{
    uint32_t thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread / 32u;
}
#define WARPS   16u
#define WARP_ID (threadIdx.x / 32u)
#define LANE_ID threadIdx.x

/** The number of this thread among all threads of the kernel, and how many those are; read again from the hardware, too. */
WEIR_DEV uint32_t weir_thread_now(uint32_t block_number)
{
    uint32_t block, thread;
    (void)block_number;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return block * (32u * WARPS) + thread;
}
WEIR_DEV uint32_t weir_threads_now(uint32_t blocks)
{
    uint32_t all;
    (void)blocks;
    asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(all));
    return all * (32u * WARPS);
}

/** Call a function that is seldom needed, by a pointer that the compiler cannot look through. Then the function saves the
 *  registers that it uses, as the calling convention says, and its caller, which runs often, keeps all of its own. */
template <typename F> static __device__ __forceinline__ F *weir_opaque(F *function)
{
    asm volatile("" : "+l"(function));
    return function;
}
#define WEIR_CALL(function) weir_opaque(function)
#else
WEIR_DEV uint32_t weir_warp_now(void)
{
    return 0;
}
WEIR_DEV uint32_t weir_thread_now(uint32_t block_number)
{
    return block_number;
}
WEIR_DEV uint32_t weir_threads_now(uint32_t blocks)
{
    return blocks;
}
#define WARPS               1u
#define WARP_ID             0u
#define LANE_ID             0u
#define WEIR_CALL(function) function
#endif

/** The counts of a block queue (block_queue.h). Of its two halves one is read in a round while lanes put into the other. A
 *  count is what was asked for, which may be more than the limit of the round; what lies there is the smaller of the two. */
struct weir_block_queue {
    uint32_t count[2], limit[2];
    /* The same over padded rows: of round number n, counted from when narrow rounds began, that is count n modulo 4. Lanes read that of
     * the round, put into the next one, and the one behind that is set to 0 while the round runs: nothing is done to them between
     * two rounds, and limits are known to each warp (weir_block_queue_limit()). */
    uint32_t turn_count[4];
    uint32_t deferred_count; /* deferred items, as asked for too */
    uint32_t outgoing
        [2]; /* items for other workers, as asked for too: of this round, and of the one before */
    uint64_t last_arrivals; /* of the last of several narrow rounds, when its blocks hand back */
    uint32_t last_queued;   /* and the items in the half that it has put into */
};

/** What a block has read of the words by which it sends in narrow rounds, so that no item waits for them (woven.h). The decider
 *  writes them, which it does not do in narrow rounds. */
struct weir_woven_known {
    uint64_t *rings[WEIR_DEVICES_MAX]; /* of each channel */
    uint32_t limit[WEIR_WOVEN_PAIRS];  /* of each ring */
    uint8_t channel_of[WEIR_DEVICES_MAX];
    uint32_t *clock_of[WEIR_DEVICES_MAX];
};

/** What the threads of a block share, but for items. */
struct weir_engine_block {
    uint64_t word;
    uint32_t cut;       /* tiles of more atoms are cut in this round */
    uint32_t fresh;     /* block 0 decided on the word: what was read before may be out of date */
    uint64_t uncounted; /* block 0: the word of the round before, if the ledger lacks it yet */
    uint64_t reset_ns;  /* fused: when the reset began, then how long it took */
    uint32_t pushed;    /* items that the block put into the near bag in this round */
    uint32_t special;   /* something happened in this round that block 0 has to decide on */
    uint32_t sent;      /* a warp stored into a peer's memory in this round */
    uint32_t fetched;
    uint32_t scan[WARPS];
    struct weir_work_order order;
    uint32_t segments;
    struct weir_work_segment segment[WEIR_WORK_SEGMENTS + WEIR_WORK_PACKETS];
    struct weir_ledger ledger; /* in the block that decides */
    struct {
        uint64_t stale, atoms;
    } tally[WARPS * WEIR_LANES]; /* narrow: what each lane counted since the kernel began */
    struct weir_block_queue queue;
    struct weir_woven_known woven;
    struct {
        uint64_t ticket;
        uint32_t kind, count, queue; /* workers that are blocks: what warp 0 found for all warps */
        uint32_t looker; /* not 0: an idle warp of the block looks for all of them (live.h) */
        uint32_t choked; /* what a warp of the block found last: whether the device is */
    } live;
    uint64_t first[WARPS * SET]; /* first atom of each tile of the set */
    uint32_t ends[WARPS * SET];  /* atoms of each tile; when the set is closed, where each ends */
    uint32_t staged[WARPS][STAGE_CHANNELS];
};

/** What a thread knows while the kernel runs. */
struct weir_engine_thread {
    const struct weir_engine_args *work; /* the beginning of the operator's arguments */
    struct weir_engine_block *block;     /* the beginning of what the operator's threads share */
    uint32_t block_number, blocks;
    uint32_t near_bag; /* where near items go */
    uint32_t turn;     /* narrow, over padded rows: the count of the block queue that is put into */
    uint32_t limit;    /* and the items that may be put there in this round */
    uint32_t cursor;   /* which of the two cursors the round fetches by */
    const void *near_items;                 /* the slots of a round of one near bag, else NULL */
    int plain;                              /* all new items are near and stay on this device */
    uint32_t pushed;                        /* counted by the warp in this round */
    uint32_t moved, merged, still_deferred; /* counted by the lane in this round */
    uint64_t stale, atoms;                  /* counted by the lane since the kernel began */
    int live;                               /* a constant: the kernel is a live one, which has */
    int choked;    /* items that arrive are put into a queue, since the worker processes none now */
    int uncut;     /* the tiles at hand are pieces */
    uint32_t home; /* number of the queue that the worker pops from first */
    uint32_t push_to;              /* and of the one that the warp pushes to at present */
    uint64_t head;                 /* of the queue `home`, as the warp has seen it last */
    struct weir_live_tally *tally; /* what its warp counted since the kernel began */
};

/** A thread that has counted nothing yet. */
WEIR_DEV struct weir_engine_thread weir_thread_make(const struct weir_engine_args *work,
                                                    struct weir_engine_block *block,
                                                    uint32_t block_number, uint32_t blocks)
{
    struct weir_engine_thread self;
    memset(&self, 0, sizeof self);
    self.work = work;
    self.block = block;
    self.block_number = block_number;
    self.blocks = blocks;
    return self;
}

/** A thread that has counted nothing yet, for a function that is called during a round. @param[in] near_bag  where the near items
 *  go that the function makes. */
WEIR_DEV struct weir_engine_thread weir_thread_called(const struct weir_engine_args *work,
                                                      struct weir_engine_block *block,
                                                      uint32_t near_bag)
{
    struct weir_engine_thread self = weir_thread_make(work, block, 0, 0);
    self.near_bag = near_bag;
    self.plain = work->workers == 1 && work->order != WEIR_ENGINE_SOFT;
    return self;
}

#endif
