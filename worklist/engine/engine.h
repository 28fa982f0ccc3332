/** @file engine.h  What the host and the kernels of an engine share: bags, channels, words, the plan.
 *
 * A *worker* of a worklist (a device) runs *rounds*. Between two rounds one warp, the *decider*, looks at
 * all counters, publishes what was stored into channels, and says in one 64-bit *word* what the next round does; all
 * other threads wait for the word. docs/memory-model.md has a row for every word in here: who writes it, who
 * reads it, and in which order. worklist/README.md has a glossary.
 *
 * Counters of channels are 32 bits and wrap; only differences are compared. */
#ifndef WEIR_WORKLIST_ENGINE_ENGINE_H
#define WEIR_WORKLIST_ENGINE_ENGINE_H

#include "runtime/sync.h"
#include "runtime/runtime.h"
#include "worklist/engine/bag.h"
#include "worklist/engine/live_words.h"
#include "worklist/engine/reset.h"
#include "worklist/engine/word.h"
#include "worklist/notes.h"

/** A warp stages packed items in no more bytes than these. */
#define WEIR_STAGE_BYTES 4096u
/** Packed items of each channel that a warp has room for. */
#define WEIR_STAGE_ROOM 64u
/** Channels that are staged at most; items for the others are stored one by one. */
#define WEIR_STAGE_CHANNELS 8u

/** Items that a block queue can hold (block_queue.h). */
#define WEIR_BLOCK_QUEUE_MOST 256u
/** Entries of a padded row at most (operator.h). */
#define WEIR_PADDED_ROW_MOST 8u

/** Items that a thread of a host device keeps at most, and bytes of them: near ones, and deferred ones of each bag
 *  (kept_tmpl.h). It keeps one of each however long they are. */
#define WEIR_KEPT_NEAR           1024u
#define WEIR_KEPT_NEAR_BYTES     16384u
#define WEIR_KEPT_DEFERRED       16u
#define WEIR_KEPT_DEFERRED_BYTES 256u

/** Woven rings of a channel at most, and of all channels of a worker in one direction (woven.h). */
#define WEIR_WOVEN_RINGS 4u
#define WEIR_WOVEN_PAIRS 128u

/** Buckets of deferred items. The threshold rises by whole buckets. */
#define WEIR_BUCKETS_LOG 4u
#define WEIR_BUCKETS     (1u << WEIR_BUCKETS_LOG)

/** Elements of a round that hands out, at most. */
#define WEIR_HAND_OUT_MOST ((uint32_t)1 << 17)
/** The threshold rises early when near items are no more than one in 2^this of those that were handed out last: a round of so few takes
 *  as long as its chain of accesses, and many such rounds would follow. */
#define WEIR_EARLY_LOG 6u

/** Bags of a worker. Of two bags of a kind one is read while lanes put into the other, and then the other way round. */
enum weir_bag_id {
    WEIR_BAG_NEAR = 0, /* items to process; two */
    WEIR_BAG_FAR = 2,  /* items behind the last bucket; two */
    WEIR_BAG_HELD = 4, /* packed items that their channel had no room for; two */
    WEIR_BAG_PIECE = 6,
    WEIR_BAG_BUCKET = 7,
    WEIR_BAGS = 7 + 16
};

/** The look words: all that the decider looks at, side by side so that one warp reads them at once. First the tails of the
 *  bags, then these. */
enum weir_look {
    WEIR_LOOK_URGENCY = WEIR_BAGS, /* largest ~priority put into the far bag; 0: none */
    WEIR_LOOK_STOP,                /* set by the host */
    WEIR_LOOK_MOVED,               /* items that were read and put elsewhere, not processed */
    WEIR_LOOK_STILL_DEFERRED,      /* those of them that were deferred before and still are */
    WEIR_LOOK_MERGED,              /* items dropped before they were processed */
    WEIR_LOOK_ASTRAY,              /* items that an operator passed to itself or to nobody */
    WEIR_LOOK_FULL,                /* an item found no room anywhere */
    WEIR_LOOK_LONG,                /* tiles have more atoms than can be counted */
    WEIR_LOOKS = 32
};

enum weir_segment_kind {
    WEIR_SEGMENT_NEAR = 0, /* items to process */
    WEIR_SEGMENT_PIECE,    /* pieces of tiles that were cut */
    WEIR_SEGMENT_FAR,      /* deferred items to look at again */
    WEIR_SEGMENT_HELD,     /* packed items to send again */
    WEIR_SEGMENT_ARRIVED,  /* packed items that arrived */
    WEIR_SEGMENT_SEED,     /* numbers that the operator makes seeds of; slots is NULL */
    WEIR_SEGMENT_WOVEN     /* packed items that arrived by a woven ring */
};

/** Elements of a round that lie together; `end` counts through all segments. */
struct weir_work_segment {
    const void *slots; /* NULL of elements that spilled */
    uint32_t end;
    uint16_t kind;
    uint16_t bag; /* whose chunks hold elements that spilled */
};

/** A tile has fewer atoms than this, since a set of tiles counts them in 32 bits. */
#define WEIR_TILE_MOST 0xFFFFFFFFu
/** The tiles that one warp processes together have fewer atoms than this: the atoms and tiles of the 16 warps of a block, 32
 *  tiles a warp, are counted together in 32 bits. */
#define WEIR_SET_MOST (((uint64_t)1 << 28) - 32)

/** Packets that one round of a discrete kernel takes in. */
#define WEIR_WORK_PACKETS 8
/** Channels that one round takes items from. */
#define WEIR_WORK_ARRIVALS 16
/** Two near, far and held bags each, the buckets, and two for each channel, since a ring wraps. */
#define WEIR_WORK_SEGMENTS (6 + 16 + 2 * WEIR_WORK_ARRIVALS)

/** Where new items go; constant for a round. */
struct weir_work_order {
    uint32_t threshold; /* priorities below it are near; UINT32_MAX: all are */
    uint32_t delta;     /* width of a bucket */
    uint32_t bucket;    /* the bag, counted from WEIR_BAG_BUCKET, of the first bucket */
    uint32_t window;    /* buckets that may be put into */
    uint32_t early; /* near items that are so few that the threshold rises before they are done */
    uint32_t near_bag, far_bag, held_bag;
};

struct weir_work_plan {
    struct weir_work_order order;
    uint32_t segments;
    uint32_t total;   /* elements */
    uint32_t spilled; /* of these, in host memory */
    uint32_t took;    /* a bit for each bag that the round reads */
    struct weir_work_segment segment[WEIR_WORK_SEGMENTS];
};

/** A channel to another worker: a ring in memory that both reach, the receiver's where possible; and smaller woven rings
 *  for narrow rounds (woven.h). */
struct weir_channel_out {
    void *slots;
    uint64_t *woven; /* its rings, one behind the other; NULL: there are none */
    uint32_t *tail;  /* where the receiver looks; release, system scope */
    uint32_t *epoch; /* the same; written before the tail */
    uint32_t mask;   /* slots of the ring - 1 */
    uint32_t to;
};
struct weir_channel_in {
    const void
        *slots; /* NULL: numbers from 0 on that the operator makes seeds of, read in one round */
    uint32_t *credit; /* where the sender looks; release, system scope */
    uint64_t *woven;
    uint32_t *woven_credit; /* as credit */
    uint32_t mask;
    uint32_t from;
};

/** What a worker without work reports (termination.h). In the coordinator's memory. */
struct weir_status_words {
    uint32_t
        turn; /* number of the report; odd while at work; written last, release, system scope */
    uint32_t epoch;
    uint64_t produced, consumed, deferred;
    uint32_t urgency; /* of the far bag */
    uint32_t pad;
    uint32_t bucket[WEIR_BUCKETS];
};

enum weir_command_kind {
    WEIR_COMMAND_NONE = 0,
    WEIR_COMMAND_RAISE,
    WEIR_COMMAND_REBASE,
    WEIR_COMMAND_DONE
};

/** What the coordinator decides for all. In each worker's memory. */
struct weir_command_words {
    uint32_t epoch; /* grows with each command; written last, release, system scope */
    uint32_t kind;
    uint32_t buckets;   /* RAISE: so many buckets become near */
    uint32_t threshold; /* REBASE */
    uint32_t delta;     /* REBASE */
    uint32_t pad[3];
};

/** Why a run ended. */
enum weir_engine_end {
    WEIR_ENGINE_RUNS = 0,
    WEIR_ENGINE_DONE,
    WEIR_ENGINE_STOPPED,
    WEIR_ENGINE_LATE,
    WEIR_ENGINE_FULL,
    WEIR_ENGINE_ASTRAY,
    WEIR_ENGINE_LONG
};

/** The clock of a worker that nobody need wait for. */
#define WEIR_CLOCK_NONE 0xFFFFFFFFu

/** What others write for a worker: other workers, or the host that stands between them. In memory that
 *  all of them reach, the worker's own where possible. Acquire and release, system scope. */
struct weir_mail {
    struct weir_command_words command;
    uint32_t in_tail[WEIR_DEVICES_MAX + 1];  /* of each channel in */
    uint32_t in_epoch[WEIR_DEVICES_MAX + 1]; /* bulk: the sender's epoch when it wrote that tail */
    uint32_t out_credit[WEIR_DEVICES_MAX];   /* slots of each channel out that were read */
    uint32_t woven_credit[WEIR_WOVEN_PAIRS]; /* the same of each woven ring out */
    /* How far each other worker is (pace.h); WEIR_CLOCK_NONE: nobody need wait for it. Relaxed, system scope. */
    uint32_t clock[WEIR_DEVICES_MAX];
};

/** Sums over the reports of all workers (termination.h). */
struct weir_status_sums {
    uint64_t open; /* produced - consumed - deferred */
    uint64_t deferred;
    uint32_t urgency;
    uint32_t bucket[WEIR_BUCKETS]; /* saturating */
    uint32_t turn[WEIR_DEVICES_MAX];
};

/** What the decider counts and remembers. While a fused kernel runs the ledger lies in the memory of the block that decides;
 *  before and after, and between the rounds of discrete kernels, in the device's memory. */
struct weir_ledger {
    struct weir_work_plan plan;
    uint32_t window_told, early_told; /* what the plan of the other blocks has of these */
    uint32_t seen[WEIR_BAGS];         /* tails at the last decision */
    uint32_t far_pending;             /* the far bag is to be looked through */
    uint32_t bucket_pending;          /* a bit for each bucket whose items became near */
    uint32_t epoch, turn, raises;
    uint32_t early_raises; /* of these, while there were near items; one worker */
    uint32_t width_sum,
        width_count;      /* buckets that the threshold rose by since the last rebase; how often */
    uint32_t retry;       /* a credit came since held items were last sent */
    uint32_t unpublished; /* a test delays the tails of channels */
    uint32_t end;         /* enum weir_engine_end */
    uint64_t started_ns, mark_ns, delay;
    uint64_t reset_ns; /* what the kernel took to reset memory before its run began */
    uint64_t rounds, narrow_rounds, hand_outs, by_rows;
    uint64_t produced, consumed, processed, deferred, spilled;
    uint64_t phase_ns[4]; /* enum weir_phase */
    uint32_t out_published[WEIR_DEVICES_MAX];
    uint32_t out_credit_seen[WEIR_DEVICES_MAX];
    uint64_t out_sent[WEIR_DEVICES_MAX];
    uint32_t in_head[WEIR_DEVICES_MAX + 1];
    uint32_t in_credited[WEIR_DEVICES_MAX + 1]; /* the head that the sender was told */
    uint32_t in_next[WEIR_DEVICES_MAX + 1];     /* the head when the present round is over */
    uint64_t woven_sent;                        /* items sent by woven rings */
    uint64_t paced; /* rounds before which this worker waited for another */
    uint64_t judged, exchanged,
        wide_until;      /* woven.h: processed when that was judged last, taken since; a round */
    uint32_t clock;      /* of this worker */
    uint32_t clock_seen; /* the least clock of the others when the present round began */
    uint32_t
        woven_head[WEIR_WOVEN_PAIRS]; /* of each woven ring in; it moves in narrow rounds, too */

    /* Of one decision. */
    uint32_t woven_waits; /* something waits in a woven ring */
    uint32_t look[WEIR_LOOKS];
    uint32_t available[WEIR_DEVICES_MAX + 1]; /* items that wait in the channels in */
    struct weir_status_sums sums;
    struct weir_command_words command;
};

/** Words for arrivals; a round uses the one of its number modulo this. */
#define WEIR_ARRIVALS 8u

/** A word alone in its line of the cache: atomics on words of one line take turns, whoever makes them. */
struct weir_word_apart {
    uint32_t word;
    uint32_t pad[31];
};

/** All of a worker's state but its bags; device memory. */
struct weir_control {
    uint64_t word; /* the decider's answer; release, device scope */
    uint32_t pad0[30];
    /* Arrivals of the round whose generation has these last three bits; release and acquire, device scope; relaxed
     * where no other block depends on what the block did. Block 0 resets four of them in each fourth round. */
    uint64_t arrived[WEIR_ARRIVALS];
    uint32_t tickets; /* discrete: blocks that have done the round; acq_rel, device scope */
    uint32_t pad1[15];
    /* Elements that were fetched beyond the first fetch of each worker; relaxed, device scope. Rounds of even and of odd
     * generations have one each, so that the next round's is reset during this one. */
    uint32_t cursor[2];
    uint32_t pad2[30];
    struct weir_word_apart
        look[WEIR_LOOKS]; /* relaxed, device scope, but for the stop word: system scope */

    struct weir_work_plan plan; /* written by the decider, published by the word */
    uint64_t stale, atoms;      /* added by all warps as they end; relaxed, device scope */
    uint64_t fused, flushes;    /* the same, by threads of host devices (kept_tmpl.h) */

    uint32_t out_tail[WEIR_DEVICES_MAX];  /* reserved slots; relaxed, device scope, all warps */
    uint32_t out_limit[WEIR_DEVICES_MAX]; /* slots that may be filled; published by the word */

    /* Of each woven ring out: as out_tail and out_limit; what the decider has counted of it, the credit that it has seen. */
    uint32_t woven_tail[WEIR_WOVEN_PAIRS], woven_limit[WEIR_WOVEN_PAIRS];
    uint32_t woven_counted[WEIR_WOVEN_PAIRS], woven_credit_seen[WEIR_WOVEN_PAIRS];
    /* Of each woven ring in, for the decider alone: what it saw there, the head as far as it has counted what was taken, and
     * the head that the sender was told. */
    uint32_t woven_waiting[WEIR_WOVEN_PAIRS];
    uint32_t woven_next[WEIR_WOVEN_PAIRS], woven_credited[WEIR_WOVEN_PAIRS];

    /* Constant for a run; of `in` block 0 writes where the seeds of the run are, before its first decision. */
    struct weir_channel_out out[WEIR_DEVICES_MAX];
    /* The last two are seeds, and numbers that seeds are made of. */
    struct weir_channel_in in[WEIR_DEVICES_MAX + 1];
    struct weir_command_words *command_of[WEIR_DEVICES_MAX];
    uint32_t *clock_of[WEIR_DEVICES_MAX]; /* where each other worker looks for this one's clock */
    uint8_t channel_of[WEIR_DEVICES_MAX]; /* owner to channel */

    struct weir_ledger ledger;
    struct weir_live_run live; /* live kernels */

    /* Of a host device: the arrivals of a round that is complete, stored by the last of its threads; release and acquire. Lines
     * of their own, since threads that wait look at nothing else. Reset as `arrived` is. */
    uint32_t pad3[16];
    uint64_t complete[WEIR_ARRIVALS];
    uint32_t pad4[16];
};

/** Arguments of a kernel; the operator's state follows. 16-byte multiple. */
struct weir_engine_args {
    struct weir_control *control;
    struct weir_status_words *statuses;
    struct weir_mail *mail;
    uint64_t word; /* what the kernel begins with */
    /* Fused: what all threads reset before the run begins. First the words that the next run will use in place of this run's,
     * then what the program wants to be filled. */
    const struct weir_reset *reset;
    uint32_t resets;
    uint32_t seed_channel; /* fused: the channel in that seeds come by, numbers by the next one */
    uint32_t seed_mask, seed_count, seed_numbers; /* fused: of this run's seeds */
    const void *seeds;
    uint64_t delay;    /* fused: ledger.delay to begin with */
    uint64_t limit_ns; /* of a run; 0: none */
    uint64_t target; /* items that should become near when the threshold rises, over all workers */
    uint32_t index, workers, channels_out, channels_in;
    uint32_t order, worker, fetch, mapping, group; /* enums of worklist.h */
    uint32_t cut,
        cut_least; /* atoms of a piece, in rounds of many items and of few (weir_cut_of()) */
    uint32_t delta_fixed;
    uint32_t gradual;    /* the threshold rises by few buckets at first (weir_raise_most()) */
    uint32_t tile_atoms; /* atoms a tile has on average */
    uint32_t wire_bytes;
    uint32_t usual;           /* worker and mapping are those that are picked by default */
    uint32_t once;            /* discrete: the kernel does one round and ends */
    uint32_t fetch_least;     /* tiles that a worker fetches at a time where there are few */
    uint32_t block_least_log; /* the same of a block, as the power of two below it */
    uint32_t stage_channels;  /* channels whose items are staged in a warp's own memory */
    uint32_t woven_mask;      /* slots of a woven ring - 1; 0: there are none */
    uint32_t pace; /* a worker waits for others that are so many rounds behind it; 0: it does not */
    uint32_t woven_log;           /* woven rings of a channel, as a power of two */
    uint32_t woven_in, woven_out; /* woven rings in and out, of all channels */
    uint32_t narrow;              /* items of a round that may be narrow; 0: none is */
    uint32_t lines;               /* atoms are read along lines (round.h) */
    uint32_t group_log;           /* lanes of a group, as a power of two */
    uint32_t narrow_sets_log; /* sets of a narrow round for each warp at most, as a power of two */
    uint32_t queue_most;      /* narrow: items that a block may keep for itself */
    uint32_t
        narrow_items_log; /* items to a block that narrow rounds are spread to, as a power of two */
    uint32_t narrow_blocks_log; /* blocks that they are spread to at most, as a power of two */
    uint64_t *bounds[2]; /* beside the near bags: bounds of the tiles of the first `narrow` items */
    uint32_t packets;
    uint32_t packet_count[WEIR_WORK_PACKETS];
    const void *packet[WEIR_WORK_PACKETS];
    struct weir_notes *notes; /* of the device, for a trace; NULL: there is none */
    struct weir_live *live;   /* live: the device's queues and channels */
    uint64_t live_seeds;      /* live: seeds and numbers of all workers */
    uint32_t
        fuse; /* near items that a thread of a host device processes itself in the round in which it made them; 0: none */
    struct weir_bag bag[WEIR_BAGS];
};

#endif
