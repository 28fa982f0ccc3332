/** @file engine_tmpl.h  The engine's kernel, for one operator, in the dialect.
 *
 * Included by engine_host_tmpl.h and engine_cuda_tmpl.cuh with WEIR_OPERATOR defined; binds types and
 * nothing more. One kernel serves both forms: *fused* it stays until the run is over, *discrete* it does
 * one round and ends.
 *
 * A round: workers (threads, warps or blocks, as chosen) fetch elements, `take` finds out what each one
 * is and which atoms it has, a schedule deals the atoms out to lanes, and what comes out is pushed: into
 * a bag of this device, or, staged in whole packets, into the lane to another one. Then block 0, or
 * the last block of a discrete kernel, lets one warp decide (decider.h), and the word that it publishes starts
 * the next round; where nothing is to be decided all blocks come to that word by themselves.
 *
 * Every function is called by all lanes of a warp, converged, unless it says "one lane". On the host a
 * block is a thread, a warp has one lane, and a set of tiles is as long as on a GPU. */
#ifndef WEIR_OPERATOR
#error "define WEIR_OPERATOR before including this"
#endif
#include "worklist/engine/decider.h"
#include "worklist/operator.h"
#include "worklist/schedule.h"

#include <string.h>

#define WEIR_TMPL_PASTE_(a, b) a##_##b
#define WEIR_TMPL_PASTE(a, b)  WEIR_TMPL_PASTE_(a, b)
#define OP(name)               WEIR_TMPL_PASTE(WEIR_OPERATOR, name)

enum {
#if OP(folds)
    OP(folds_here) = 1
#else
    OP(folds_here) = 0
#endif
};
#if OP(folds)
#if OP(narrow)
#error \
    "an operator that adds up the atoms of a tile (NAME_folds) has no narrow rounds (NAME_narrow)"
#endif
/** Its atoms make no items; what walks them one by one is not called. */
WEIR_DEV int OP(atom)(const OP(state) * state, const OP(item) * item, uint64_t atom,
                      OP(item) * next)
{
    (void)state, (void)item, (void)atom, (void)next;
    return 0;
}
#endif

/** Deferred items that a block keeps until narrow rounds end. */
#define PUT_OFF_MOST 256u
/** Tiles of a set that one warp works on. */
#define SET       32u
#define ALL_LANES (WEIR_LANES == 32u ? 0xFFFFFFFFu : 1u)
/** Packed items that are stored into a lane together, and what a warp keeps of them. */
#define STAGE_PACKET 32u
#define STAGE_ROOM   WEIR_STAGE_ROOM
#define STAGE_LANES  WEIR_STAGE_LANES

#ifdef __CUDACC__
/** Which warp this is, asked again rather than kept. */
WEIR_DEV uint32_t OP(warp_now)(void)
{
    uint32_t thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread / 32u;
}
#define WARPS   16u
#define WARP_ID (threadIdx.x / 32u)
#define LANE_ID threadIdx.x
#else
WEIR_DEV uint32_t OP(warp_now)(void)
{
    return 0;
}
#define WARPS   1u
#define WARP_ID 0u
#define LANE_ID 0u
#endif

/** Forms of the kernel: for what is picked by default, where all new items are near and stay on the device (no order but
 *  fifo, one worker); for what is picked by default; for all there is. That for narrow rounds is none of them. */
#define FORM_PLAIN   1
#define FORM_USUAL   2
#define FORM_GENERAL 3

#define BAG_TYPE OP(item)
#define BAG_NAME OP(items)
#include "worklist/engine/bag_tmpl.h"
#define BAG_TYPE OP(wire)
#define BAG_NAME OP(wires)
#include "worklist/engine/bag_tmpl.h"

/** Some of the atoms of a tile that was cut. */
struct OP(piece) {
    OP(item) item; /* first: it is read as one word where its size allows that */
    uint64_t first;
    uint32_t count;
};
#define BAG_TYPE struct OP(piece)
#define BAG_NAME OP(pieces)
#include "worklist/engine/bag_tmpl.h"

struct OP(args) {
    struct weir_engine_args work;
    OP(state) state;
};

/** Call a function that is rare by a pointer that the compiler cannot look through: then the function saves the
 *  registers that it uses, as the rules for calls want, and the caller, which is not, keeps all of its own. */
#ifdef __CUDACC__
template <typename F> static __device__ __forceinline__ F *OP(opaque)(F *function)
{
    asm volatile("" : "+l"(function));
    return function;
}
#define OP_CALL(function) OP(opaque)(function)
#else
#define OP_CALL(function) function
#endif

/** What the threads of a block share. */
struct OP(block) {
    uint64_t word;
    uint32_t fresh;   /* the word was waited for: what the block knew before may be old */
    uint64_t owed;    /* block 0: the word of the round before, if it is not in the books yet */
    uint32_t pushed;  /* items that the block put into the near bag in this round */
    uint32_t special; /* something happened in it that needs a decider */
    uint32_t sent;    /* a warp stored into a peer's memory in it */
    uint32_t fetched;
    uint32_t scan[WARPS];
    struct weir_work_order order;
    uint32_t segments;
    struct weir_work_segment segment[WEIR_WORK_SEGMENTS + WEIR_WORK_PACKETS];
    struct weir_ledger ledger; /* in the block that decides */
    struct {
        uint64_t stale, atoms;
    } tally[WARPS * WEIR_LANES]; /* narrow: what each lane counted since the kernel began */
#if OP(narrow)
    /* Its own items and the bounds of their tiles: one half is read in a round, the other put into. Counts are what
     * was asked for; what is there is that up to the limit. */
    OP(item) own[2][WEIR_OWN_MOST];
    uint64_t own_bounds[2][WEIR_OWN_MOST];
    uint32_t own_count[2], own_limit[2];
    OP(item) put_off[PUT_OFF_MOST]; /* deferred items */
    uint32_t put_off_count;         /* asked for, too */
    uint64_t left;                  /* arrivals of the round after which narrow rounds were left */
#endif
    OP(item) item[WARPS * SET];
    uint64_t first[WARPS * SET];
    uint32_t ends[WARPS * SET];
    uint32_t staged[WARPS][STAGE_LANES];
    OP(wire) * stage; /* WARPS x stage_lanes x STAGE_ROOM */
    struct OP(
        args) args; /* for functions that are called: behind a pointer the kernel's own are slow */
};

/** What a thread knows while the kernel runs. */
struct OP(run) {
    const struct OP(args) * args;
    struct OP(block) * block;
    uint32_t block_number, blocks;
    uint32_t near_bag;                /* where near items go */
    uint32_t turn;                    /* which cursor the round fetches by */
    const OP(item) * near_items;      /* of a round of one near bag, else NULL */
    int plain;                        /* all new items are near and stay here */
    uint32_t pushed;                  /* of the present round, the warp's */
    uint32_t moved, merged, reparked; /* of the present round, one lane's */
    uint64_t stale, atoms;            /* since the kernel began, one lane's */
};

/** Of a thread that has counted nothing yet. */
WEIR_DEV struct OP(run) OP(begin_run)(const struct OP(args) * args, struct OP(block) * block,
                                      uint32_t block_number, uint32_t blocks)
{
    struct OP(run) run;
    memset(&run, 0, sizeof run);
    run.args = args;
    run.block = block;
    run.block_number = block_number;
    run.blocks = blocks;
    return run;
}

/** The same in a function that is called during a round, for its new items that are near. */
WEIR_DEV struct OP(run)
    OP(call_run)(const struct OP(args) * args, struct OP(block) * block, uint32_t near_bag)
{
    struct OP(run) run = OP(begin_run)(args, block, 0, 0);
    run.near_bag = near_bag;
    run.plain = args->work.workers == 1 && args->work.order != WEIR_ENGINE_SOFT;
    return run;
}

/** An item in either form, and where it is to go. */
struct OP(parcel) {
    uint32_t place;
    OP(item) item;
    OP(wire) wire;
};

/** Places: bags by their number, then one for each lane. */
#define PLACE_NONE 0xFFFFFFFFu
#define PLACE_LANE 64u

/* The parts, in the order in which they need each other. */
#include "worklist/engine/push_tmpl.h"
#include "worklist/engine/take_tmpl.h"
#include "worklist/engine/round_tmpl.h"
#include "worklist/engine/next_round_tmpl.h"
#if OP(narrow)
#include "worklist/engine/block_queue_tmpl.h"
#include "worklist/engine/lookahead_tmpl.h"
#include "worklist/engine/narrow_tmpl.h"
#endif

/** One round of a block that takes part in it, and what block 0 does beside. */
WEIR_DEV void OP(take_part)(struct OP(run) * run, uint64_t word, int form)
{
    const struct weir_engine_args *work = &run->args->work;
    const int keeper = run->block_number == 0 && WARP_ID == WARPS - 1 && !work->once;
    uint32_t total = weir_word_count(word);
    struct weir_peek peek = {0, 0};
    if (keeper) {
        OP(keep_books)(run, word);
        peek = weir_peek_look(work);
    }
    WEIR_ROLLED
    for (uint32_t p = 0; p < work->packets; p++)
        total += work->packet_count[p];
    OP(round)(run, word, total, form);
    if (keeper && weir_peek_judge(work, &run->block->ledger, peek) && weir_lane() == 0)
        run->block->special = 1;
}

/** The kernel, of one block. @param[in] form  a constant. */
WEIR_DEV void OP(engine)(const struct OP(args) * args, struct OP(block) * block,
                         uint32_t block_number, uint32_t blocks, int form)
{
    struct OP(run) state = OP(begin_run)(args, block, block_number, blocks);
    struct OP(run) *run = &state;
    const struct weir_engine_args *work = &args->work;
    run->plain = form == FORM_PLAIN ||
                 (form == FORM_GENERAL && work->workers == 1 && work->order != WEIR_ENGINE_SOFT);
    if (WARP_ID == 0)
        OP(begin)(run);
    weir_block_sync();
    WEIR_ROLLED
    for (;;) {
        const uint64_t word = block->word;
        if (weir_word_action(word) == WEIR_ACTION_END)
            break;
        if (block_number < weir_word_blocks(word, blocks))
            OP(take_part)(run, word, form);
        weir_block_sync();
        if (WARP_ID == 0 && work->once)
            OP(end_once)(run, word);
        if (work->once)
            break;
        if (WARP_ID == 0) {
            uint64_t next = OP(next_word)(run, word);
            if (weir_word_action(next) != WEIR_ACTION_END &&
                block_number < weir_word_blocks(next, blocks))
                OP(read_plan)(run, next, (int)block->fresh);
            if (weir_lane() == 0)
                block->word = next;
        }
        weir_block_sync();
    }
    OP(finish)(run);
}

#undef WALK
