/** @file engine_tmpl.h  The engine's kernel, for one operator, in the dialect.
 *
 * Included by engine_host_tmpl.h and engine_cuda_tmpl.cuh with WEIR_OPERATOR defined. It binds the operator's types to
 * the parts that handle items; what needs no such type is plain code in the headers that it includes. One kernel serves
 * both forms: a *fused* kernel stays until the run is over, a *discrete* one does one round and ends.
 *
 * A round: workers (threads, warps or blocks, as chosen) fetch elements, `take` finds out what each element is and which
 * atoms it has, a schedule deals the atoms out to lanes, and the new items are pushed: into a bag of this device, or,
 * staged in whole packets, into the channel to another device. Then block 0, or the last block of a discrete kernel, lets
 * one warp decide (decider.h), and the word that it publishes starts the next round. Where there is nothing to decide each
 * block computes that word by itself.
 *
 * Every function is called by all lanes of a warp, converged, unless its comment says "one lane". On the host a block is a
 * thread, a warp has one lane, and a set of tiles is as long as on a GPU. */
#ifndef WEIR_OPERATOR
#error "define WEIR_OPERATOR before including this"
#endif
#include "worklist/engine/live.h"
#include "worklist/engine/narrow.h"
#include "worklist/schedule.h"

#include <assert.h>

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
enum {
#if OP(padded_rows)
    OP(has_rows) = 1
#else
    OP(has_rows) = 0
#endif
};
#if OP(padded_rows) && !OP(narrow)
#error "an operator with padded rows (NAME_padded_rows) needs narrow rounds (NAME_narrow)"
#endif
#if OP(folds)
#if OP(narrow)
#error \
    "an operator that adds up the atoms of a tile (NAME_folds) has no narrow rounds (NAME_narrow)"
#endif
/** The atoms of such an operator make no items; the functions that walk atoms one by one compile with this and are not
 *  called. */
WEIR_DEV int OP(atom)(const OP(state) * state, const OP(item) * item, uint64_t atom,
                      OP(item) * next)
{
    (void)state, (void)item, (void)atom, (void)next;
    return 0;
}
#endif

/** Packed items that are stored into a channel together, and how many of them a warp has room for. */
#define STAGE_PACKET 32u
#define STAGE_ROOM   WEIR_STAGE_ROOM

/** Forms of the kernel. PLAIN has the code for what is picked by default for one worker without priorities, where all new
 *  items are near and stay on the device. USUAL has the code for what is picked by default, and GENERAL has all code. The
 *  kernel for narrow rounds is none of the three. */
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

#ifndef __CUDACC__
/* In a thread of a host device (kept_tmpl.h): near items that it keeps, and deferred ones of each bag. */

enum {
    OP(kept_near_fit) = WEIR_KEPT_NEAR_BYTES / sizeof(OP(item)),
    OP(kept_deferred_fit) = WEIR_KEPT_DEFERRED_BYTES / sizeof(OP(item)),
    OP(kept_near) = OP(kept_near_fit) < 1                ? 1
                    : OP(kept_near_fit) < WEIR_KEPT_NEAR ? OP(kept_near_fit)
                                                         : WEIR_KEPT_NEAR,
    OP(kept_deferred) = OP(kept_deferred_fit) < 1                    ? 1
                        : OP(kept_deferred_fit) < WEIR_KEPT_DEFERRED ? OP(kept_deferred_fit)
                                                                     : WEIR_KEPT_DEFERRED
};
struct OP(kept) {
    uint32_t head, count;              /* near items head to count - 1 are there */
    uint32_t others[WEIR_BUCKETS + 1]; /* deferred items: of each bucket, and of the far bag */
    uint64_t
        fused; /* near items that the thread has processed in the round in which it made them */
    uint64_t flushes; /* additions to the tails of bags */
    OP(item) near[OP(kept_near)];
    OP(item) deferred[WEIR_BUCKETS + 1][OP(kept_deferred)];
};
#endif

#if OP(narrow)
enum { /* deferred items that a block keeps until narrow rounds end */
       OP(deferred_fit) = BLOCK_DEFERRED_BYTES / sizeof(OP(item)),
       OP(deferred_most) =
           OP(deferred_fit) > BLOCK_DEFERRED_LEAST ? OP(deferred_fit) : BLOCK_DEFERRED_LEAST
};
#endif

/** What the threads of a block share. */
struct OP(block) {
    struct weir_engine_block base; /* first: plain functions know only this */
#if OP(narrow)
    /* The items of the block queue and the bounds of their tiles, in two halves; base.queue has the counts. */
    OP(item) queued[2][WEIR_BLOCK_QUEUE_MOST];
    uint64_t queued_bounds[2][WEIR_BLOCK_QUEUE_MOST];
#if OP(padded_rows)
    /* Beside the items their padded rows. */
    WEIR_ALIGNED(16) OP(entry) queued_row[2][WEIR_BLOCK_QUEUE_MOST * WEIR_PADDED_ROW_MOST];
#endif
    OP(item) deferred[OP(deferred_most)];
    OP(item) outgoing[2][OUTGOING_MOST];
#endif
    OP(item) item[WARPS * SET]; /* of the set */
#ifndef __CUDACC__
    struct OP(kept) kept;
#endif
    OP(wire) * stage; /* WARPS x stage_channels x STAGE_ROOM */
    /* A copy for functions that are called: a pointer to the kernel's own arguments would slow down the kernel. */
    struct OP(args) args;
};

/** What a thread's pointers lead to, with the operator's types. */
WEIR_DEV const struct OP(args) * OP(args_of)(const struct weir_engine_thread *self)
{
    return (const struct OP(args) *)self->work;
}
WEIR_DEV const OP(state) * OP(state_of)(const struct weir_engine_thread *self)
{
    return &OP(args_of)(self)->state;
}
WEIR_DEV struct OP(block) * OP(block_of)(const struct weir_engine_thread *self)
{
    return (struct OP(block) *)self->block;
}

/** An item in either form, and its destination (round.h). */
struct OP(parcel) {
    uint32_t to;
    OP(item) item;
    OP(wire) wire;
};

/* The parts, in the order in which they need each other. */
#include "worklist/engine/woven_tmpl.h"
#include "worklist/engine/push_tmpl.h"
#ifndef __CUDACC__
#include "worklist/engine/alone_tmpl.h"
#endif
#include "worklist/engine/take_tmpl.h"
#include "worklist/engine/round_tmpl.h"
#include "worklist/engine/live_tmpl.h"
#if OP(narrow)
#include "worklist/engine/block_queue_tmpl.h"
#include "worklist/engine/lookahead_tmpl.h"
#include "worklist/engine/narrow_tmpl.h"
#endif

/** Do a round in a block that takes part in it. Block 0 counts the round before beside it. */
WEIR_DEV void OP(take_part)(struct weir_engine_thread *self, uint64_t word, int form)
{
    const struct weir_engine_args *work = self->work;
    const int counts = self->block_number == 0 && WARP_ID == WARPS - 1 && !work->once;
    uint32_t total = weir_word_count(word);
    struct weir_peek peek = {0, 0, 0};
    if (counts) {
        weir_count_beside(self, word);
        peek = weir_peek_look(work, &self->block->ledger);
    }
    WEIR_ROLLED
    for (uint32_t p = 0; p < work->packets; p++)
        total += work->packet_count[p];
    OP(round)(self, word, total, form);
    if (counts && weir_peek_judge(work, &self->block->ledger, peek) && weir_lane() == 0)
        self->block->special = 1;
    if (counts && work->pace)
        weir_pace_keep(work, &self->block->ledger);
}

/** The kernel, of one block. @param[in] form  a constant. */
WEIR_DEV void OP(engine)(const struct OP(args) * args, struct OP(block) * shared,
                         uint32_t block_number, uint32_t blocks, int form)
{
    weir_engine_reset(&args->work, &shared->base, block_number, blocks);
    struct weir_engine_thread thread =
        weir_thread_make(&args->work, &shared->base, block_number, blocks);
    struct weir_engine_thread *self = &thread;
    struct weir_engine_block *block = &shared->base;
    const struct weir_engine_args *work = &args->work;
    self->plain = form == FORM_PLAIN ||
                  (form == FORM_GENERAL && work->workers == 1 && work->order != WEIR_ENGINE_SOFT);
    if (WARP_ID == 0)
        weir_engine_begin(self);
#ifndef __CUDACC__
    OP(kept_clear)(shared);
#endif
    weir_block_sync();
    WEIR_ROLLED
    for (;;) {
        const uint64_t word = block->word;
        if (weir_word_action(word) == WEIR_ACTION_END)
            break;
        if (block_number < weir_word_blocks(word, blocks))
            OP(take_part)(self, word, form);
        weir_block_sync();
        if (WARP_ID == 0 && work->once)
            weir_end_discrete(self, word);
        if (work->once)
            break;
        if (WARP_ID == 0) {
            uint64_t next = weir_next_word(self, word);
            if (weir_word_action(next) != WEIR_ACTION_END &&
                block_number < weir_word_blocks(next, blocks))
                weir_read_plan(self, next, (int)block->fresh);
            if (weir_lane() == 0)
                weir_block_begins(work, block, blocks, next);
        }
        weir_block_sync();
    }
#ifndef __CUDACC__
    OP(kept_finish)(args, shared);
#endif
    weir_engine_finish(self);
}

#undef WALK
