/** @file engine.h  What the host and the kernels of an engine share: bags, lanes, words, the plan.
 *
 * A *worker* of a worklist (a device) runs *rounds*. Between two rounds one warp, the *decider*, looks at
 * all counters, sends what is to be sent, and says in one 64-bit *word* what the next round does; all
 * other threads wait for the word. docs/memory-model.md has a row for every word in here: who writes, who
 * reads, in which order.
 *
 * Counters of lanes are 32 bits and wrap; only differences are compared. */
#ifndef WEIR_WORKLIST_ENGINE_ENGINE_H
#define WEIR_WORKLIST_ENGINE_ENGINE_H

#include "runtime/sync.h"
#include "runtime/runtime.h"
#include "worklist/engine/bag.h"

/** Packed items that a warp stages take no more bytes. */
#define WEIR_STAGE_BYTES 4096u
/** Of each lane that is staged a warp keeps so many. */
#define WEIR_STAGE_ROOM 64u
/** Lanes that are staged at most; what goes into others is stored one by one. */
#define WEIR_STAGE_LANES 8u

/** Items that a block can keep for itself in narrow rounds (block_queue_tmpl.h). */
#define WEIR_OWN_MOST 256u

/** Buckets of deferred items, each one step of the threshold wide. */
#define WEIR_BUCKETS 16u

/** Bags of a worker. Two of a kind take turns: one is read while the other is put into. */
enum weir_bag_id {
    WEIR_BAG_NEAR = 0, /* items to process; two */
    WEIR_BAG_FAR = 2,  /* items behind the last bucket; two */
    WEIR_BAG_HELD = 4, /* packed items that their lane had no room for; two */
    WEIR_BAG_PIECE = 6,
    WEIR_BAG_BUCKET = 7,
    WEIR_BAGS = 7 + 16
};

/** Words that the decider looks at together, and one warp reads at once: the bags' tails, then these. */
enum weir_look {
    WEIR_LOOK_URGENCY = WEIR_BAGS, /* largest ~priority put into the far bag; 0: none */
    WEIR_LOOK_STOP,                /* set by the host */
    WEIR_LOOK_MOVED,               /* items that changed place without being processed */
    WEIR_LOOK_REPARKED,            /* those of them that were deferred before and still are */
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
    WEIR_SEGMENT_SEED      /* numbers that the operator makes seeds of; slots is NULL */
};

/** Elements of a round that lie together; `end` counts through all segments. */
struct weir_work_segment {
    const void *slots; /* NULL of elements that spilled */
    uint32_t end;
    uint16_t kind;
    uint16_t bag; /* whose chunks hold elements that spilled */
};

/** Atoms of a tile are fewer: a set of tiles counts them in 32 bits. */
#define WEIR_TILE_MOST 0xFFFFFFFFu
/** Atoms of the tiles that one warp looks at together are fewer: those of the 16 warps of a block are counted in 32 bits, with
 *  the tiles, 32 a warp. */
#define WEIR_SET_MOST (((uint64_t)1 << 28) - 32)

/** Packets that one round of a discrete kernel takes in. */
#define WEIR_WORK_PACKETS 8
/** Lanes that one round takes in from. */
#define WEIR_WORK_ARRIVALS 16
/** near 2, far 2, held 2, buckets, and two for each lane (a ring wraps). */
#define WEIR_WORK_SEGMENTS (6 + 16 + 2 * WEIR_WORK_ARRIVALS)

/** Where new items go; constant for a round. */
struct weir_work_order {
    uint32_t threshold; /* priorities below it are near; UINT32_MAX: all are */
    uint32_t delta;     /* width of a bucket */
    uint32_t bucket;    /* the bag, counted from WEIR_BAG_BUCKET, of the first bucket */
    uint32_t window;    /* buckets that may be put into */
    uint32_t near_bag, far_bag, held_bag;
};

struct weir_work_plan {
    struct weir_work_order order;
    uint32_t segments;
    uint32_t total; /* elements */
    uint32_t took;  /* a bit for each bag that the round reads */
    struct weir_work_segment segment[WEIR_WORK_SEGMENTS];
};

/** A lane to another worker: a ring in memory that both reach, the receiver's where possible. */
struct weir_lane_out {
    void *slots;
    uint32_t *tail;  /* where the receiver looks; release, system scope */
    uint32_t *epoch; /* the same; written before the tail */
    uint32_t mask;   /* slots of the ring - 1 */
    uint32_t to;
};
struct weir_lane_in {
    const void
        *slots; /* NULL: numbers from 0 on that the operator makes seeds of, taken in one round */
    uint32_t *credit; /* where the sender looks; release, system scope */
    uint32_t mask;
    uint32_t from;
};

/** What a worker without work reports (termination.h). In the coordinator's memory. */
struct weir_status_words {
    uint32_t turn; /* odd: at work; written last, release, system scope */
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
    uint32_t steps;     /* RAISE: buckets whose items become near */
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

/** What others write for a worker: other workers, or the host that stands between them. In memory that
 *  all of them reach, the worker's own where possible. Acquire and release, system scope. */
struct weir_mail {
    struct weir_command_words command;
    uint32_t in_tail[WEIR_DEVICES_MAX + 1];  /* of each lane in */
    uint32_t in_epoch[WEIR_DEVICES_MAX + 1]; /* bulk: the sender's epoch when it wrote that tail */
    uint32_t out_credit[WEIR_DEVICES_MAX];   /* slots of each lane out that were read */
};

/** Sums over the workers' reports (termination.h). */
struct weir_agreement {
    uint64_t open; /* produced - consumed - deferred */
    uint64_t deferred;
    uint32_t urgency;
    uint32_t bucket[WEIR_BUCKETS]; /* saturating */
    uint32_t turn[WEIR_DEVICES_MAX];
};

/** The decider's own. While a fused kernel runs it lies in the memory of the block that decides; before
 *  and after, and between the rounds of discrete kernels, in the device's memory. */
struct weir_ledger {
    struct weir_work_plan plan;
    uint32_t window_told;     /* the window that the other blocks know */
    uint32_t seen[WEIR_BAGS]; /* tails at the last decision */
    uint32_t far_pending;     /* the far bag is to be looked through */
    uint32_t bucket_pending;  /* a bit for each bucket whose items became near */
    uint32_t epoch, turn, raises;
    uint32_t width_sum,
        width_count;      /* steps of the raises since the last rebase, and their number */
    uint32_t retry;       /* a credit came since held items were last sent */
    uint32_t unpublished; /* a test keeps tails back */
    uint32_t end;         /* enum weir_engine_end */
    uint64_t started_ns, mark_ns, delay;
    uint64_t rounds, narrow_rounds, produced, consumed, processed, deferred, spilled;
    uint64_t phase_ns[4]; /* enum weir_phase */
    uint32_t out_published[WEIR_DEVICES_MAX];
    uint32_t out_credit_seen[WEIR_DEVICES_MAX];
    uint64_t out_sent[WEIR_DEVICES_MAX];
    uint32_t in_head[WEIR_DEVICES_MAX + 1];
    uint32_t in_credited[WEIR_DEVICES_MAX + 1]; /* the head that the sender was told */
    uint32_t in_next[WEIR_DEVICES_MAX + 1];     /* the head when the present round is over */

    /* Of one decision. */
    uint32_t look[WEIR_LOOKS];
    uint32_t available[WEIR_DEVICES_MAX + 1]; /* items that wait in the lanes in */
    struct weir_agreement sums;
    struct weir_command_words command;
};

/** Rounds whose arrivals are told apart. */
#define WEIR_ARRIVALS 8u

/** All of a worker's state but its bags; device memory. */
struct weir_control {
    uint64_t word; /* the decider's answer; release, device scope */
    uint32_t pad0[30];
    /* Arrivals of the round whose generation has these last three bits; release and acquire, device scope; relaxed
     * where nothing is handed on. Block 0 sets four of them back in each fourth round. */
    uint64_t arrived[WEIR_ARRIVALS];
    uint32_t tickets; /* discrete: blocks that are through; acq_rel, device scope */
    uint32_t pad1[15];
    /* Elements that were fetched beyond the first fetch of each worker; relaxed, device scope. One for even
     * generations of the word and one for odd ones: the next round's is set back during this one. */
    uint32_t cursor[2];
    uint32_t pad2[30];
    uint32_t look[WEIR_LOOKS]; /* relaxed, device scope, but for the stop word: system scope */

    struct weir_work_plan plan; /* written by the decider, published by the word */
    uint64_t stale, atoms;      /* added by all warps as they end; relaxed, device scope */

    uint32_t out_tail[WEIR_DEVICES_MAX];  /* reserved slots; relaxed, device scope, all warps */
    uint32_t out_limit[WEIR_DEVICES_MAX]; /* slots that may be filled; published by the word */

    /* Constant for a run. */
    struct weir_lane_out out[WEIR_DEVICES_MAX];
    struct weir_lane_in
        in[WEIR_DEVICES_MAX + 1]; /* the last are seeds, and numbers that seeds are made of */
    struct weir_command_words *command_of[WEIR_DEVICES_MAX];
    uint8_t lane_of[WEIR_DEVICES_MAX]; /* owner to lane */

    struct weir_ledger ledger;
};

/** Arguments of a kernel; the operator's state follows. 16-byte multiple. */
struct weir_engine_args {
    struct weir_control *control;
    struct weir_status_words *statuses;
    const struct weir_mail *mail;
    uint64_t word;     /* what the kernel begins with */
    uint64_t limit_ns; /* of a run; 0: none */
    uint64_t target;   /* items that a raise should release, over all workers */
    uint32_t index, workers, lanes_out, lanes_in;
    uint32_t order, worker, fetch, mapping, group, cut; /* enums of worklist.h */
    uint32_t delta_fixed;
    uint32_t tile_atoms; /* atoms a tile has on average */
    uint32_t wire_bytes;
    uint32_t usual;           /* worker and mapping are what is picked by default */
    uint32_t once;            /* one round, then back to the host */
    uint32_t fetch_least;     /* tiles that a worker takes at a time where there are few */
    uint32_t block_least_log; /* the same, of a block, as the power of two below it */
    uint32_t stage_lanes;     /* lanes whose items are staged in a warp's own memory */
    uint32_t narrow;          /* items of a round that may be narrow; 0: none is */
    uint32_t group_log;       /* lanes of a group, as a power of two */
    uint32_t own_most;        /* narrow: items that a block may keep for itself */
    uint32_t
        own_least_log; /* items to a block that narrow rounds are spread to, as a power of two */
    uint32_t own_blocks_log; /* blocks that they are spread to at most, as a power of two */
    uint64_t *bounds[2]; /* beside the near bags: bounds of the tiles of the first `narrow` items */
    uint32_t packets;
    uint32_t packet_count[WEIR_WORK_PACKETS];
    const void *packet[WEIR_WORK_PACKETS];
    struct weir_bag bag[WEIR_BAGS];
};

/* ---- the word -------------------------------------------------------------------------------- */

enum weir_action {
    WEIR_ACTION_END = 0,
    WEIR_ACTION_NEAR, /* process one near bag, which lies on the device whole */
    WEIR_ACTION_PLAN, /* what the plan says */
    WEIR_ACTION_IDLE  /* discrete: nothing to do before something arrives */
};

WEIR_BOTH uint64_t weir_word_make(uint32_t generation, uint32_t action, uint32_t near_bag,
                                  uint32_t blocks_log, uint32_t count)
{
    return (uint64_t)(generation & 0xFFFFFu) << 44 | (uint64_t)action << 41 |
           (uint64_t)near_bag << 40 | (uint64_t)blocks_log << 32 | count;
}
/** Whether the bounds of the near bag's tiles lie beside its items. */
#define WEIR_WORD_BOUNDS ((uint64_t)1 << 37)
WEIR_BOTH int weir_word_has_bounds(uint64_t word)
{
    return (word & WEIR_WORD_BOUNDS) != 0;
}
WEIR_BOTH uint32_t weir_word_generation(uint64_t word)
{
    return (uint32_t)(word >> 44);
}
WEIR_BOTH uint32_t weir_word_action(uint64_t word)
{
    return (uint32_t)(word >> 41) & 7u;
}
WEIR_BOTH uint32_t weir_word_near_bag(uint64_t word)
{
    return (uint32_t)(word >> 40) & 1u;
}
/** Whether @p word is of a later generation than @p than; they are less than half of all apart. */
WEIR_BOTH int weir_word_is_newer(uint64_t word, uint64_t than)
{
    uint32_t steps = (weir_word_generation(word) - weir_word_generation(than)) & 0xFFFFFu;
    return steps != 0 && steps < 0x80000u;
}
WEIR_BOTH uint32_t weir_word_blocks_log(uint64_t word)
{
    return (uint32_t)(word >> 32) & 31u;
}
/** Blocks that take part in the round: the first ones, at most @p blocks. */
WEIR_BOTH uint32_t weir_word_blocks(uint64_t word, uint32_t blocks)
{
    uint32_t active = 1u << weir_word_blocks_log(word);
    return active < blocks ? active : blocks;
}
/** In a narrow round some of its items are blocks' own and not in the bag; they are fewer than 2^16 together, and so
 *  are all. */
#define WEIR_WORD_OWN ((uint64_t)1 << 38)
/** Items that are blocks' own. */
WEIR_BOTH uint32_t weir_word_own(uint64_t word)
{
    return word & WEIR_WORD_OWN ? (uint32_t)word >> 16 : 0;
}
/** Items of the round, all of them. */
WEIR_BOTH uint32_t weir_word_count(uint64_t word)
{
    return word & WEIR_WORD_OWN ? (uint32_t)word & 0xFFFFu : (uint32_t)word;
}
/** Items of the round that lie in its bags. */
WEIR_BOTH uint32_t weir_word_shared(uint64_t word)
{
    return weir_word_count(word) - weir_word_own(word);
}
/** The next generation's word, otherwise the same. */
WEIR_BOTH uint64_t weir_word_later(uint64_t word)
{
    return word + ((uint64_t)1 << 44);
}

/* ---- the bounds of a tile in one word: first atom (40 bits), atoms (24) ---- */

/** They do not fit, or are not known: ask the operator. */
#define WEIR_BOUNDS_UNKNOWN (~(uint64_t)0)
WEIR_BOTH uint64_t weir_bounds_make(uint64_t first, uint64_t last)
{
    return first >> 40 || (last - first) >= 0xFFFFFFu ? WEIR_BOUNDS_UNKNOWN
                                                      : first << 24 | (last - first);
}
WEIR_BOTH uint64_t weir_bounds_first(uint64_t bounds)
{
    return bounds >> 24;
}
WEIR_BOTH uint32_t weir_bounds_count(uint64_t bounds)
{
    return (uint32_t)bounds & 0xFFFFFFu;
}

/* ---- arrivals: generation (8 bits), items put into the near bag (36), blocks that saw something special (10),
 * blocks (10). In a narrow round the 36 bits are two numbers: items that blocks kept for themselves (15), items put
 * into the near bag (21). ---- */

/** Blocks of a kernel. */
#define WEIR_BLOCKS_MOST 1023u
/** Blocks of a narrow round. */
#define WEIR_NARROW_BLOCKS 512u
/** Items that one of them may put into the near bag for the sum to fit; more is special. */
#define WEIR_NARROW_PUSHED 4095u
/** Items that blocks may keep in a narrow round, all together. */
#define WEIR_NARROW_OWN 32767u

WEIR_BOTH uint64_t weir_arrivals_none(uint32_t generation)
{
    return (uint64_t)(generation & 0xFFu) << 56;
}
/** What one block adds. */
WEIR_BOTH uint64_t weir_arrivals_one(uint32_t pushed, int special)
{
    return (uint64_t)pushed << 20 | (special ? 1u << 10 : 0u) | 1u;
}
/** The same after a narrow round. */
WEIR_BOTH uint64_t weir_arrivals_one_narrow(uint32_t pushed, uint32_t own, int special)
{
    const int fits = pushed <= WEIR_NARROW_PUSHED;
    return (uint64_t)own << 41 | weir_arrivals_one(fits ? pushed : 0, special || !fits);
}
WEIR_BOTH uint32_t weir_arrivals_pushed(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 20);
}
WEIR_BOTH uint32_t weir_arrivals_pushed_narrow(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 20) & 0x1FFFFFu;
}
WEIR_BOTH uint32_t weir_arrivals_own(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 41) & 0x7FFFu;
}
WEIR_BOTH uint32_t weir_arrivals_special(uint64_t arrivals)
{
    return (uint32_t)(arrivals >> 10) & 0x3FFu;
}
WEIR_BOTH uint32_t weir_arrivals_blocks(uint64_t arrivals)
{
    return (uint32_t)arrivals & 0x3FFu;
}
/** Whether they are of the round of that generation, or of one eight, sixteen, ... rounds later. */
WEIR_BOTH int weir_arrivals_are_of(uint64_t arrivals, uint32_t generation)
{
    return (uint32_t)(arrivals >> 56) == (generation & 0xFFu);
}

#endif
