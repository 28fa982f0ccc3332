/** @file live_words.h  What the host and live kernels share: queues, channels, counts of items in flight.
 *
 * A *live* kernel has no rounds (live_tmpl.h). What lies here stays from one run to the next, and is 0 at first, but for what
 * is different in each run: that is part of the control words. docs/memory-model.md has a row for every word. */
#ifndef WEIR_WORKLIST_ENGINE_LIVE_WORDS_H
#define WEIR_WORKLIST_ENGINE_LIVE_WORDS_H

#include "runtime/runtime.h"
#include "worklist/engine/live_queue.h"

/** Queues of a device at most. */
#define WEIR_LIVE_QUEUES_MOST 1024u

/** What a worker may find, by number: a bit in what weir_live_look() returns. Each has two words, and something is there
 *  if the second is greater than the first. */
enum weir_live_source {
    WEIR_LIVE_HOME = 0, /* items in the worker's own queue */
    WEIR_LIVE_PIECE,    /* pieces of tiles that were cut */
    WEIR_LIVE_SEED,     /* packed seeds */
    WEIR_LIVE_NUMBER,   /* numbers that seeds are made of */
    WEIR_LIVE_HELD,     /* packed items that found no free slot in their channel */
    WEIR_LIVE_MORE_HELD,
    WEIR_LIVE_MORE, /* items that no queue in device memory had room for */
    WEIR_LIVE_SOURCES,
    WEIR_LIVE_ARRIVED = WEIR_LIVE_SOURCES, /* packed items in a channel */
    WEIR_LIVE_ELSEWHERE,                   /* items in other workers' queues */
    WEIR_LIVE_END,
    WEIR_LIVE_NOTHING
};

/** A channel to another worker. Its slots have marks, as those of a queue have, so that many warps can send at the same time:
 *  the mark of the item that was sent n-th (from 0) is n / slots + 1. The receiver takes items in order and gives credit for
 *  those it has taken. */
struct weir_live_out {
    void *slots;     /* in the receiver's memory, or the host's */
    uint32_t *marks; /* the same; release, system scope */
    uint32_t *
        credit; /* slots that were read since the worklist was made; the receiver releases it, system scope */
    uint32_t room_log, pad;
};
struct weir_live_in {
    const void *slots;
    const uint32_t *marks;
    uint32_t *credit; /* in the sender's memory, or the host's */
    uint32_t room_log, pad;
};

/** What warps that send change; relaxed, device scope. Counts since the worklist was made, which wrap. */
struct weir_live_out_words {
    uint32_t claimed; /* slots; more for a moment, by lanes that find none */
    uint32_t tail;    /* slots that were given out */
    uint32_t pad[30];
};

/** What the warp that drains a channel changes. */
struct weir_live_in_words {
    uint32_t lock; /* 0: nobody drains it; acquire and release, device scope */
    uint32_t head; /* items that were taken; under the lock, and looked at without it, relaxed */
    uint32_t credited; /* the head that the sender was told; under the lock */
    uint32_t pad[29];
};

/** A device's queues and channels; device memory. The pointers and sizes are constant. */
struct weir_live {
    struct weir_live_words more_words[2]; /* of the overflow queues: 0 when a run begins */
    /* Cursors over seeds, and where they end; relaxed, device scope; the ends are written before the first barrier. */
    uint64_t seed_next, number_next, seed_end, number_end;
    const uint64_t *heads[8], *tails[8]; /* of each source but the first one */
    struct weir_live_queue items;        /* the first of several that lie one behind the other */
    struct weir_live_queue pieces, held, more_items, more_held;
    uint32_t queues;
    uint32_t pad[3];
    struct weir_live_out out[WEIR_DEVICES_MAX];
    struct weir_live_in in[WEIR_DEVICES_MAX];
    struct weir_live_out_words out_words[WEIR_DEVICES_MAX];
    struct weir_live_in_words in_words[WEIR_DEVICES_MAX];
};

/** What a device counts in one run; 0 at first. Part of its control words. */
struct weir_live_run {
    /* Items that came into being on this device, without seeds; each is counted before another warp can see it. Relaxed; device
     * scope where there is one worker, else system scope. */
    uint64_t produced;
    uint64_t pad0[15];
    /* Items that were processed or dropped on this device, each counted after all that it produced was. Release; the
     * same scope. */
    uint64_t consumed;
    uint64_t pad1[15];
    uint32_t
        end; /* enum weir_engine_end; release, system scope, by worker 0, or whoever sees that the run must end */
    uint32_t started; /* blocks that have reset what they had to; acq_rel, device scope */
    uint32_t left;    /* blocks that have ended; acq_rel, device scope */
    uint32_t pad2[29];
    /* Added by all warps as they end; relaxed, device scope. */
    uint64_t pieces; /* that were counted as produced and as consumed; added as they are made */
    uint64_t merged, pops, empty_pops, steals, spilled, wait_ns;
    uint32_t waiters; /* workers that wait_ns is the sum of */
    uint32_t high;    /* most items that a queue held */
    uint64_t started_ns;
    uint32_t sent_before[WEIR_DEVICES_MAX];         /* tails of the channels when the run began */
    struct weir_live_run *run_of[WEIR_DEVICES_MAX]; /* of all workers; constant */
};

/** What a warp counts from beginning to end. */
struct weir_live_tally {
    uint64_t pops, empty_pops, steals, wait_ns;
    uint64_t idle_since; /* 0: the warp is at work */
    uint32_t high;
};

#endif
