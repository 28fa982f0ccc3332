/** @file engine_tmpl.h  The engine's kernel, for one operator, in the dialect.
 *
 * Included by engine_host_tmpl.h and engine_cuda_tmpl.cuh with WEIR_OPERATOR defined; binds types and
 * nothing more. One kernel serves both forms: *fused* it stays until the run is over, *discrete* it does
 * one round and ends.
 *
 * A round: workers (threads, warps or blocks, as chosen) fetch elements, `take` finds out what each one
 * is and which atoms it has, a schedule deals the atoms out to lanes, and what comes out is pushed: into
 * a bag of this device, or, staged in whole packets, into the lane to another one. Then block 0, or
 * the last block of a discrete kernel, lets one warp decide (decide.h), and the word that it publishes starts
 * the next round; where nothing is to be decided all blocks come to that word by themselves.
 *
 * Every function is called by all lanes of a warp, converged, unless it says "one lane". On the host a
 * block is a thread, a warp has one lane, and a set of tiles is as long as on a GPU. */
#ifndef WEIR_OPERATOR
#error "define WEIR_OPERATOR before including this"
#endif
#include "worklist/decide.h"
#include "worklist/operator.h"
#include "worklist/schedule.h"

#define WEIR_TMPL_PASTE_(a, b) a##_##b
#define WEIR_TMPL_PASTE(a, b)  WEIR_TMPL_PASTE_(a, b)
#define OP(name)               WEIR_TMPL_PASTE(WEIR_OPERATOR, name)

/** Tiles of a set that one warp works on. */
#define SET 32u
/** Packed items that are stored into a lane together, and what a warp keeps of them. */
#define STAGE_PACKET 32u
#define STAGE_ROOM   64u
/** Lanes that are staged; what goes into others is stored one by one. */
#define STAGE_LANES 8u

#ifdef __CUDACC__
#define WARPS   16u
#define WARP_ID (threadIdx.x / 32u)
#else
#define WARPS   1u
#define WARP_ID 0u
#endif

/** Forms of the kernel: for what is picked by default, where all new items are near and stay on the device
 *  (no order but fifo, one worker); for what is picked by default; for all there is. */
#define FORM_PLAIN   0
#define FORM_USUAL   1
#define FORM_GENERAL 2

#define BAG_TYPE OP(item)
#define BAG_NAME OP(items)
#include "worklist/bag_tmpl.h"
#define BAG_TYPE OP(wire)
#define BAG_NAME OP(wires)
#include "worklist/bag_tmpl.h"

/** Some of the atoms of a tile that was cut. */
struct OP(piece) {
    OP(item) item; /* first: it is read as one word where its size allows that */
    uint64_t first;
    uint32_t count;
};
#define BAG_TYPE struct OP(piece)
#define BAG_NAME OP(pieces)
#include "worklist/bag_tmpl.h"

struct OP(args) {
    struct weir_engine_args work;
    OP(state) state;
};

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
    OP(item) item[WARPS * SET];
    uint64_t first[WARPS * SET];
    uint32_t ends[WARPS * SET];
    uint32_t staged[WARPS][STAGE_LANES];
    OP(wire) * stage; /* WARPS x stage_lanes x STAGE_ROOM */
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

/** An item in either form, and where it is to go. */
struct OP(parcel) {
    uint32_t place;
    OP(item) item;
    OP(wire) wire;
};

/** Places: bags by their number, then one for each lane. */
#define PLACE_NONE 0xFFFFFFFFu
#define PLACE_LANE 64u

/* ---- where items go -------------------------------------------------------------------------- */

/** One lane. */
WEIR_DEV uint32_t OP(near_or_far)(const struct OP(run) * run, const OP(item) * item)
{
    const struct weir_work_order *order = &run->block->order;
    if (run->plain || order->threshold == 0xFFFFFFFFu)
        return run->near_bag;
    uint32_t priority = OP(priority)(&run->args->state, item);
    if (priority < order->threshold)
        return run->near_bag;
    uint32_t step = (priority - order->threshold) / order->delta;
    if (step < order->window)
        return WEIR_BAG_BUCKET + (order->bucket + step) % WEIR_BUCKETS;
    return order->far_bag;
}

WEIR_DEV uint32_t OP(lane_place)(const struct OP(run) * run, uint32_t owner)
{
    const struct weir_engine_args *work = &run->args->work;
    if (owner < work->workers && owner != work->index)
        return PLACE_LANE + work->control->lane_of[owner];
    (void)weir_atomic_add_relaxed_dev_u32(&work->control->look[WEIR_LOOK_ASTRAY], 1);
    return PLACE_NONE;
}

/** Decide where a new item goes. One lane. */
WEIR_DEV void OP(settle_new)(const struct OP(run) * run, struct OP(parcel) * parcel)
{
    const OP(state) *state = &run->args->state;
    enum weir_fate fate = OP(on_send)(state, &parcel->item);
    if (fate == WEIR_FATE_KEEP)
        parcel->place = OP(near_or_far)(run, &parcel->item);
    else if (fate == WEIR_FATE_PASS)
        parcel->place = OP(lane_place)(run, OP(pack)(state, &parcel->item, &parcel->wire));
}

/* ---- pushing --------------------------------------------------------------------------------- */

WEIR_DEV uint32_t *OP(tail)(const struct weir_engine_args *work, uint32_t bag)
{
    return &work->control->look[bag];
}

/** Put the items of the lanes in @p group into the far bag or a bucket. What a bucket has no room for goes
 *  to the far bag; a far bag that is full is seen by the decider. */
WEIR_COLD void OP(push_deferred)(const struct OP(args) * args, struct OP(block) * block,
                                 uint32_t group, uint32_t bag, OP(item) item)
{
    const struct weir_engine_args *work = &args->work;
    const uint32_t far_bag = block->order.far_bag;
    int full = 1;
    if (bag != far_bag) {
        uint32_t slot = weir_bag_reserve_mp(OP(tail)(work, bag), group);
        if (group >> weir_lane() & 1u)
            full = !OP(items_put)(&work->bag[bag], slot, &item);
        group &= weir_ballot(full);
        if (!group)
            return;
    }
    uint32_t slot = weir_bag_reserve_mp(OP(tail)(work, far_bag), group), urgency = 0;
    if (group >> weir_lane() & 1u) {
        (void)OP(items_put)(&work->bag[far_bag], slot, &item);
        urgency = ~OP(priority)(&args->state, &item);
        urgency = urgency ? urgency : 1u; /* the largest counts as the one before it: 0 says none */
    }
    urgency = weir_max_u32(urgency);
    if (weir_lane() == 0)
        (void)weir_atomic_max_relaxed_dev_u32(&work->control->look[WEIR_LOOK_URGENCY], urgency);
}

/** Store the wires of the lanes in @p group into the lane to another worker; what finds no slot there is
 *  put aside. */
WEIR_DEV void OP(store_wires)(const struct OP(args) * args, struct OP(block) * block,
                              uint32_t group, uint32_t lane, const OP(wire) * wire)
{
    struct weir_control *control = args->work.control;
    const struct weir_lane_out *out = &control->out[lane];
    const uint32_t limit = control->out_limit[lane];
    uint32_t slot = weir_bag_reserve_mp(&control->out_tail[lane], group);
    int mine = group >> weir_lane() & 1u, fits = (int32_t)(limit - slot) > 0;
    if (mine && fits)
        OP(wires_copy)((OP(wire) *)out->slots + (slot & out->mask), wire);
    if (weir_lane() == 0)
        block->sent = block->special = 1;
    uint32_t left = weir_ballot(mine && !fits), held = block->order.held_bag;
    if (!left)
        return;
    slot = weir_bag_reserve_mp(OP(tail)(&args->work, held), left);
    if (left >> weir_lane() & 1u)
        (void)OP(wires_put)(&args->work.bag[held], slot, wire);
}

/** What this warp has staged for a lane. */
WEIR_DEV OP(wire) *
    OP(stage_of)(const struct OP(args) * args, struct OP(block) * block, uint32_t lane)
{
    return block->stage + (WARP_ID * args->work.stage_lanes + lane) * STAGE_ROOM;
}

/** Send the first @p count wires that are staged for a lane. */
WEIR_DEV void OP(flush_stage)(const struct OP(args) * args, struct OP(block) * block, uint32_t lane,
                              uint32_t count)
{
    const OP(wire) *stage = OP(stage_of)(args, block, lane);
    WEIR_ROLLED
    for (uint32_t begin = 0; begin < count; begin += WEIR_LANES) {
        uint32_t here = count - begin < WEIR_LANES ? count - begin : WEIR_LANES;
        OP(wire) wire = stage[begin + (weir_lane() < here ? weir_lane() : 0)];
        uint32_t group = here == 32u ? 0xFFFFFFFFu : (1u << here) - 1u;
        OP(store_wires)(args, block, group, lane, &wire);
    }
    weir_lanes_sync();
}

/** Stage the wires of the lanes in @p group; a packet that is whole leaves. */
WEIR_COLD void OP(stage_wires)(const struct OP(args) * args, struct OP(block) * block,
                               uint32_t group, uint32_t lane, OP(wire) wire)
{
    if (lane >= args->work.stage_lanes) {
        OP(store_wires)(args, block, group, lane, &wire);
        return;
    }
    OP(wire) *stage = OP(stage_of)(args, block, lane);
    uint32_t *staged = &block->staged[WARP_ID][lane];
    uint32_t count = *staged;
    if (group >> weir_lane() & 1u)
        stage[count + weir_popcount_u32(group & ((1u << weir_lane()) - 1u))] = wire;
    count += weir_popcount_u32(group);
    weir_lanes_sync();
    if (count >= STAGE_PACKET) {
        OP(flush_stage)(args, block, lane, STAGE_PACKET);
        count -= STAGE_PACKET;
        WEIR_ROLLED
        for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
            stage[i] = stage[STAGE_PACKET + i];
    }
    if (weir_lane() == 0)
        *staged = count;
    weir_lanes_sync();
}

/** At the end of a round: send what is staged. */
WEIR_COLD void OP(flush_all)(const struct OP(args) * args, struct OP(block) * block)
{
    WEIR_ROLLED
    for (uint32_t lane = 0; lane < args->work.stage_lanes; lane++) {
        uint32_t count = block->staged[WARP_ID][lane];
        if (!count)
            continue;
        OP(flush_stage)(args, block, lane, count);
        if (weir_lane() == 0)
            block->staged[WARP_ID][lane] = 0;
    }
    weir_lanes_sync();
}

/** Put each lane's parcel where it is to go; one atomic for each place that occurs in the warp. */
WEIR_DEV void OP(push)(struct OP(run) * run, const struct OP(parcel) * parcel)
{
    uint32_t near = weir_ballot(parcel->place == run->near_bag);
    if (near) {
        run->pushed += weir_popcount_u32(near);
        uint32_t slot = weir_bag_reserve_mp(OP(tail)(&run->args->work, run->near_bag), near);
        if (parcel->place == run->near_bag)
            (void)OP(items_put)(&run->args->work.bag[run->near_bag], slot, &parcel->item);
    }
    if (run->plain)
        return;
    uint32_t waiting = weir_ballot(parcel->place != PLACE_NONE) & ~near;
    WEIR_ROLLED
    while (waiting) {
        uint32_t place = weir_broadcast_u32(parcel->place, weir_first_bit_u32(waiting));
        uint32_t group = weir_ballot(parcel->place == place);
        if (place >= PLACE_LANE)
            OP(stage_wires)(run->args, run->block, group, place - PLACE_LANE, parcel->wire);
        else
            OP(push_deferred)(run->args, run->block, group, place, parcel->item);
        waiting &= ~group;
    }
}

/* ---- taking ---------------------------------------------------------------------------------- */

/** An item that may be processed now: its atoms. One lane. @return how many; 0 if it is stale. */
WEIR_DEV uint64_t OP(open_tile)(struct OP(run) * run, const OP(item) * item, uint64_t *first)
{
    uint64_t last = 0;
    if (!OP(tile)(&run->args->state, item, first, &last)) {
        run->stale++;
        return 0;
    }
    return last - *first;
}

/** A packed item that arrived. One lane. */
WEIR_DEV uint64_t OP(take_arrived)(struct OP(run) * run, OP(wire) wire, struct OP(parcel) * parcel,
                                   OP(item) * item, uint64_t *first)
{
    const OP(state) *state = &run->args->state;
    enum weir_fate fate = OP(on_receive)(state, &wire);
    if (fate == WEIR_FATE_DROP) {
        run->merged++;
        return 0;
    }
    if (fate == WEIR_FATE_PASS) {
        run->moved++;
        parcel->wire = wire;
        parcel->place = OP(lane_place)(run, OP(owner)(state, &wire));
        return 0;
    }
    OP(unpack)(state, &wire, item);
    uint32_t place = OP(near_or_far)(run, item);
    if (place == run->near_bag && run->args->work.order != WEIR_ENGINE_BULK)
        return OP(open_tile)(run, item, first);
    run->moved++;
    parcel->item = *item;
    parcel->place = place;
    return 0;
}

/** A deferred item: near, far still, or stale by now. One lane. */
WEIR_DEV uint64_t OP(take_far)(struct OP(run) * run, struct OP(parcel) * parcel, OP(item) * item,
                               uint64_t *first)
{
    uint64_t last;
    if (!OP(tile)(&run->args->state, item, first, &last)) {
        run->merged++;
        return 0;
    }
    uint32_t place = OP(near_or_far)(run, item);
    if (place == run->near_bag)
        return last - *first;
    run->moved++;
    run->reparked++;
    parcel->item = *item;
    parcel->place = place;
    return 0;
}

/** Find out what element @p index of the round is. One lane.
 *  @param[out] parcel  something to push in its place, or PLACE_NONE.
 *  @return its atoms, from *first on. */
WEIR_DEV uint64_t OP(take)(struct OP(run) * run, uint32_t index, struct OP(parcel) * parcel,
                           OP(item) * item, uint64_t *first)
{
    const struct OP(block) *block = run->block;
    uint32_t s = 0, begin = 0;
    WEIR_ROLLED
    while (index >= block->segment[s].end)
        begin = block->segment[s++].end;
    const void *slots = block->segment[s].slots;
    const uint32_t at = index - begin;
    switch (block->segment[s].kind) {
    case WEIR_SEGMENT_NEAR:
        OP(items_get)(item, (const OP(item) *)slots + at);
        return OP(open_tile)(run, item, first);
    case WEIR_SEGMENT_PIECE: {
        const struct OP(piece) *piece = (const struct OP(piece) *)slots + at;
        OP(items_get)(item, &piece->item);
        *first = piece->first;
        return piece->count;
    }
    case WEIR_SEGMENT_FAR:
        OP(items_get)(item, (const OP(item) *)slots + at);
        return OP(take_far)(run, parcel, item, first);
    case WEIR_SEGMENT_HELD:
        OP(wires_get)(&parcel->wire, (const OP(wire) *)slots + at);
        parcel->place = OP(lane_place)(run, OP(owner)(&run->args->state, &parcel->wire));
        run->moved++;
        return 0;
    default: {
        OP(wire) wire;
        OP(wires_get)(&wire, (const OP(wire) *)slots + at);
        return OP(take_arrived)(run, wire, parcel, item, first);
    }
    }
}

/* ---- sets of tiles ---------------------------------------------------------------------------- */

/** What one lane counted in a function that is called, to be added to its run. */
struct OP(counts) {
    uint32_t pushed, moved, merged, reparked, stale, atoms;
};

/** fill() for rounds of more than near items. */
WEIR_COLD struct OP(counts) OP(fill_any)(const struct OP(args) * args, struct OP(block) * block,
                                         uint32_t slot, uint32_t index, int valid)
{
    struct OP(run) run = {args, block, 0, 0, block->order.near_bag, 0, NULL, 0, 0, 0, 0, 0, 0, 0};
    struct OP(parcel) parcel;
    parcel.place = PLACE_NONE;
    run.plain = args->work.workers == 1 && args->work.order != WEIR_ENGINE_SOFT;
    if (valid) {
        OP(item) item;
        uint64_t first = 0;
        run.atoms = OP(take)(&run, index, &parcel, &item, &first);
        block->item[slot] = item;
        block->first[slot] = first;
        block->ends[slot] = (uint32_t)run.atoms;
    }
    OP(push)(&run, &parcel);
    struct OP(counts) counts = {run.pushed,   run.moved,           run.merged,
                                run.reparked, (uint32_t)run.stale, (uint32_t)run.atoms};
    return counts;
}

/** Take element @p index, if @p valid, as tile @p slot of the block's set. */
WEIR_DEV void OP(fill)(struct OP(run) * run, uint32_t slot, uint32_t index, int valid)
{
    if (!run->near_items) {
        struct OP(counts) counts = OP(fill_any)(run->args, run->block, slot, index, valid);
        run->pushed += counts.pushed;
        run->moved += counts.moved;
        run->merged += counts.merged;
        run->reparked += counts.reparked;
        run->stale += counts.stale;
        run->atoms += counts.atoms;
    } else if (valid) { /* near items are processed or stale, never moved */
        OP(item) item;
        uint64_t first = 0;
        OP(items_get)(&item, run->near_items + index);
        uint64_t count = OP(open_tile)(run, &item, &first);
        run->block->item[slot] = item;
        run->block->first[slot] = first;
        run->block->ends[slot] = (uint32_t)count;
        run->atoms += count;
    }
}

/** Put the first atoms of a tile aside, in pieces for a round of their own. @return how many. */
WEIR_COLD uint32_t OP(cut_tile)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t slot)
{
    const struct weir_bag *bag = &args->work.bag[WEIR_BAG_PIECE];
    const uint32_t atoms = block->ends[slot];
    uint32_t length = atoms / 1024u + 1u, base = 0;
    length = length > args->work.cut ? length : args->work.cut;
    const uint32_t pieces = atoms / length;
    struct OP(piece) piece;
    if (weir_lane() == 0) {
        base = weir_atomic_add_relaxed_dev_u32(OP(tail)(&args->work, WEIR_BAG_PIECE), pieces);
        block->special = 1;
    }
    base = weir_broadcast_u32(base, 0);
    uint32_t given = base < bag->room ? bag->room - base : 0; /* the rest is done in place */
    given = given < pieces ? given : pieces;
    piece.item = block->item[slot];
    piece.count = length;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < given; i += WEIR_LANES) {
        piece.first = block->first[slot] + (uint64_t)i * length;
        (void)OP(pieces_put)(bag, base + i, &piece);
    }
    weir_lanes_sync();
    if (weir_lane() == 0) {
        block->first[slot] += (uint64_t)given * length;
        block->ends[slot] -= given * length;
    }
    weir_lanes_sync();
    return given * length;
}

/** Cut long tiles, then turn the numbers of atoms into where each tile ends.
 *  @return atoms of the warp's part of the set, which begins at @p base. */
WEIR_DEV uint32_t OP(close_set)(struct OP(run) * run, uint32_t base, uint32_t count)
{
    uint32_t *ends = run->block->ends + base, longest = 0;
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
        longest = longest > ends[i] ? longest : ends[i];
    if (weir_max_u32(longest) > run->args->work.cut)
        WEIR_ROLLED
    for (uint32_t i = 0; i < count; i++)
        if (ends[i] > run->args->work.cut) {
            uint32_t put_aside = OP(cut_tile)(run->args, run->block, base + i);
            run->atoms -= weir_lane() == 0 ? put_aside : 0; /* they are counted with the pieces */
        }
    return weir_scan_u32(ends, count);
}

/* ---- atoms ------------------------------------------------------------------------------------ */

/** One atom of tile @p slot in each lane that has @p go. */
WEIR_DEV void OP(run_atom)(struct OP(run) * run, int go, uint32_t slot, uint32_t atom)
{
    struct OP(parcel) parcel;
    parcel.place = PLACE_NONE;
    if (go) {
        OP(item) item = run->block->item[slot];
        if (OP(atom)(&run->args->state, &item, run->block->first[slot] + atom, &parcel.item))
            OP(settle_new)(run, &parcel);
    }
    OP(push)(run, &parcel);
}

/** Walk a set with schedule @p S. Lanes leave the walk at different times; the warp stays together. */
#define WALK(S, set, base, lane, lanes)                                     \
    do {                                                                    \
        WEIR_SCHEDULE_NAME(S, walk) walk;                                   \
        uint32_t tile = 0, atom = 0;                                        \
        WEIR_SCHEDULE_NAME(S, start)(&walk, set, lane, lanes);              \
        WEIR_ROLLED                                                         \
        for (;;) {                                                          \
            int go = WEIR_SCHEDULE_NAME(S, next)(&walk, set, &tile, &atom); \
            if (!weir_ballot(go))                                           \
                break;                                                      \
            OP(run_atom)(run, go, (base) + tile, atom);                     \
        }                                                                   \
    } while (0)

/** Deal the atoms of a set out to @p lanes lanes, of which this is @p lane. */
WEIR_DEV void OP(walk_groups)(struct OP(run) * run, weir_tile_set set, uint32_t base, uint32_t lane,
                              uint32_t lanes, uint32_t group)
{
    group = group < lanes ? group : lanes;
    weir_tile_set part = weir_tile_set_part(set, lane / group, lanes / group);
    uint32_t begin = base + weir_share_begin(set.tiles, lane / group, lanes / group);
    WALK(weir_group, part, begin, lane % group, group);
}

/** Run the operator on the atoms of a set, as the mapping says. */
WEIR_DEV void OP(walk_set)(struct OP(run) * run, weir_tile_set set, uint32_t base, uint32_t lane,
                           uint32_t lanes, int form)
{
    const struct weir_engine_args *work = &run->args->work;
    if (form !=
        FORM_GENERAL) { /* the kernel for what is picked by default has no other schedule in it */
        WALK(weir_group, set, base, lane, lanes);
        return;
    }
    switch (work->mapping) {
    case WEIR_ENGINE_BY_THREAD:
        WALK(weir_thread, set, base, lane, lanes);
        break;
    case WEIR_ENGINE_BY_WARP:
    case WEIR_ENGINE_BY_BLOCK:
        WALK(weir_strided, set, base, lane, lanes);
        break;
    case WEIR_ENGINE_BY_MERGE:
        WALK(weir_merge, set, base, lane, lanes);
        break;
#ifdef WEIR_SCHEDULE
    case WEIR_ENGINE_BY_OWN:
        WALK(WEIR_SCHEDULE, set, base, lane, lanes);
        break;
#endif
    default:
        OP(walk_groups)(run, set, base, lane, lanes, work->group);
    }
}

/** Run the operator on the set that a warp has filled in from @p base on. */
WEIR_DEV void OP(walk_warp_set)(struct OP(run) * run, uint32_t base, uint32_t count, int form)
{
    if (OP(close_set)(run, base, count) == 0)
        return;
    weir_tile_set set = {run->block->ends + base, count, 0};
    OP(walk_set)(run, set, base, weir_lane(), WEIR_LANES, form);
}

/** The words of an item that lane @p from holds. */
WEIR_DEV OP(item) OP(item_of_lane)(OP(item) item, uint32_t from)
{
#ifdef __CUDACC__
    uint32_t words[(sizeof item + 3) / 4];
    memcpy(words, &item, sizeof item);
#pragma unroll
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = weir_broadcast_u32(words[i], from);
    memcpy(&item, words, sizeof item);
#else
    (void)from;
#endif
    return item;
}

/** Near items, one for each group of @p lanes lanes, without a detour over shared memory: for tiles that
 *  have about as many atoms as a group has lanes. */
WEIR_DEV void OP(do_near_groups)(struct OP(run) * run, uint32_t begin, uint32_t count,
                                 uint32_t lanes)
{
    const uint32_t lane = weir_lane() & (lanes - 1u), leader = weir_lane() - lane;
    const uint32_t group = weir_lane() / lanes;
    OP(item) item;
    uint64_t first = 0, atoms = 0;
    if (lane == 0 && group < count) {
        OP(items_get)(&item, run->near_items + begin + group);
        atoms = OP(open_tile)(run, &item, &first);
        run->atoms += atoms;
    }
    if (weir_ballot(atoms > run->args->work.cut)) { /* the way of sets can cut */
        const uint32_t slot = WARP_ID * SET + group;
        weir_lanes_sync(); /* the last set has been walked */
        if (lane == 0 && group < count) {
            run->block->item[slot] = item;
            run->block->first[slot] = first;
            run->block->ends[slot] = (uint32_t)atoms;
        }
        OP(walk_warp_set)(run, WARP_ID * SET, count, FORM_USUAL);
        return;
    }
    item = OP(item_of_lane)(item, leader);
    first = weir_broadcast_u64(first, leader);
    const uint32_t last = weir_broadcast_u32((uint32_t)atoms, leader);
    WEIR_ROLLED
    for (uint32_t at = lane;; at += lanes) {
        struct OP(parcel) parcel;
        parcel.place = PLACE_NONE;
        if (!weir_ballot(at < last))
            return;
        if (at < last && OP(atom)(&run->args->state, &item, first + at, &parcel.item))
            OP(settle_new)(run, &parcel);
        OP(push)(run, &parcel);
    }
}

/** One warp's set: @p count elements from @p index on; in thread workers one a lane, @p index its own. */
WEIR_DEV void OP(do_warp_set)(struct OP(run) * run, uint32_t index, uint32_t count, int form)
{
    const uint32_t base = WARP_ID * SET;
    weir_lanes_sync(); /* the last set has been walked */
    WEIR_ROLLED
    for (uint32_t i = 0; i < count; i += WEIR_LANES)
        OP(fill)(run, base + i + weir_lane(), index + i + weir_lane(), i + weir_lane() < count);
    OP(walk_warp_set)(run, base, count, form);
}

/** A block's set: up to WARPS x SET elements from @p index on. All threads of the block. */
WEIR_DEV void OP(do_block_set)(struct OP(run) * run, uint32_t index, uint32_t count)
{
    struct OP(block) *block = run->block;
    const uint32_t base = WARP_ID * SET, tiles = count < WARPS * SET ? count : WARPS * SET;
    uint32_t mine = tiles > base ? tiles - base : 0, before = 0;
    mine = mine < SET ? mine : SET;
    weir_block_sync();
    WEIR_ROLLED
    for (uint32_t i = 0; i < mine; i += WEIR_LANES)
        OP(fill)
    (run, base + i + weir_lane(), index + base + i + weir_lane(), i + weir_lane() < mine);
    uint32_t atoms = OP(close_set)(run, base, mine);
    if (weir_lane() == 0)
        block->scan[WARP_ID] = atoms;
    weir_block_sync();
    WEIR_ROLLED
    for (uint32_t w = 0; w != WARP_ID; w++)
        before += block->scan[w];
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < mine; i += WEIR_LANES)
        block->ends[base + i] += before;
    weir_block_sync();
    weir_tile_set set = {block->ends, tiles, 0};
    OP(walk_set)(run, set, 0, WARP_ID * WEIR_LANES + weir_lane(), WARPS * WEIR_LANES, FORM_GENERAL);
}

/* ---- rounds ----------------------------------------------------------------------------------- */

/** Fetch again: @p each elements beyond those that all fetchers begin with. One lane. */
WEIR_DEV uint32_t OP(fetch)(const struct OP(run) * run, uint32_t dealt, uint32_t each)
{
    return dealt +
           weir_atomic_add_relaxed_dev_u32(&run->args->work.control->cursor[run->turn], each);
}

/** A worker is a thread: each lane fetches for itself. */
WEIR_DEV void OP(round_of_threads)(struct OP(run) * run, uint32_t total, uint32_t active)
{
    const uint32_t threads = active * WARPS * WEIR_LANES;
    const uint32_t each = weir_fetch_now(&run->args->work, total, threads, WARPS);
    const uint32_t base = WARP_ID * SET;
    uint64_t begin =
        ((uint64_t)run->block_number * WARPS * WEIR_LANES + WARP_ID * WEIR_LANES + weir_lane()) *
        each;
    WEIR_ROLLED
    while (weir_ballot(begin < total)) {
        WEIR_ROLLED
        for (uint32_t j = 0; j < each; j++) {
            int valid = begin + j < total;
            weir_lanes_sync();
            run->block->ends[base + weir_lane()] = 0;
            OP(fill)(run, base + weir_lane(), (uint32_t)begin + j, valid);
            if (OP(close_set)(run, base, WEIR_LANES) == 0)
                continue;
            weir_tile_set set = {run->block->ends + base, WEIR_LANES, 0};
            WALK(weir_thread, set, base, weir_lane(), WEIR_LANES);
        }
        if ((uint64_t)threads * each >= total)
            break;
        begin = begin < total ? OP(fetch)(run, threads * each, each) : total;
    }
}

/** A worker is a warp. */
WEIR_DEV void OP(round_of_warps)(struct OP(run) * run, uint32_t total, uint32_t active, int form)
{
    const uint32_t warps = active * WARPS;
    const uint32_t each = weir_fetch_now(&run->args->work, total, warps, WARPS);
    const int near_groups = form != FORM_GENERAL && run->near_items && run->args->work.group < SET;
    uint64_t begin = ((uint64_t)run->block_number * WARPS + WARP_ID) * each;
    WEIR_ROLLED
    while (begin < total) {
        uint32_t count = total - begin < each ? (uint32_t)(total - begin) : each;
        const uint32_t step = near_groups ? SET / run->args->work.group : SET;
        WEIR_ROLLED
        for (uint32_t i = 0; i < count; i += step) {
            const uint32_t now = count - i < step ? count - i : step;
            if (near_groups)
                OP(do_near_groups)(run, (uint32_t)begin + i, now, run->args->work.group);
            else
                OP(do_warp_set)(run, (uint32_t)begin + i, now, form);
        }
        if ((uint64_t)warps * each >= total)
            return;
        uint32_t next = 0;
        if (weir_lane() == 0)
            next = OP(fetch)(run, warps * each, each);
        begin = weir_broadcast_u32(next, 0);
    }
}

/** The elements that a block fetched, by mappings that stay within a warp. */
WEIR_DEV void OP(share_of_warp)(struct OP(run) * run, uint32_t begin, uint32_t count)
{
    uint32_t from = weir_share_begin(count, WARP_ID, WARPS);
    uint32_t to = weir_share_begin(count, WARP_ID + 1, WARPS);
    WEIR_ROLLED
    for (uint32_t i = from; i < to; i += SET)
        OP(do_warp_set)(run, begin + i, to - i < SET ? to - i : SET, FORM_GENERAL);
}

/** A worker is a block. */
WEIR_DEV void OP(round_of_blocks)(struct OP(run) * run, uint32_t total, uint32_t active)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t each = weir_fetch_now(work, total, active, WARPS);
    const int whole = work->mapping == WEIR_ENGINE_BY_BLOCK ||
                      work->mapping == WEIR_ENGINE_BY_MERGE ||
                      work->mapping == WEIR_ENGINE_BY_OWN ||
                      (work->mapping == WEIR_ENGINE_BY_GROUP && work->group > 32u);
    uint64_t begin = (uint64_t)run->block_number * each;
    WEIR_ROLLED
    while (begin < total) {
        uint32_t count = total - begin < each ? (uint32_t)(total - begin) : each;
        if (!whole)
            OP(share_of_warp)(run, (uint32_t)begin, count);
        WEIR_ROLLED
        for (uint32_t i = 0; whole && i < count; i += WARPS * SET)
            OP(do_block_set)(run, (uint32_t)begin + i, count - i);
        if ((uint64_t)active * each >= total)
            return;
        weir_block_sync();
        if (WARP_ID == 0 && weir_lane() == 0)
            run->block->fetched = OP(fetch)(run, active * each, each);
        weir_block_sync();
        begin = run->block->fetched;
    }
}

/** Add what the lanes of this warp counted in the round to what the decider looks at. */
WEIR_DEV void OP(tally)(struct OP(run) * run)
{
    uint32_t *look = run->args->work.control->look;
    uint32_t moved = (uint32_t)weir_sum_u64(run->moved),
             merged = (uint32_t)weir_sum_u64(run->merged);
    uint32_t reparked = (uint32_t)weir_sum_u64(run->reparked);
    if (weir_lane() == 0) {
        if (moved)
            weir_atomic_add_relaxed_dev_u32(&look[WEIR_LOOK_MOVED], moved);
        if (merged)
            weir_atomic_add_relaxed_dev_u32(&look[WEIR_LOOK_MERGED], merged);
        if (reparked)
            weir_atomic_add_relaxed_dev_u32(&look[WEIR_LOOK_REPARKED], reparked);
    }
    run->moved = run->merged = run->reparked = 0;
}

/** Do this block's part of a round. */
WEIR_DEV void OP(round)(struct OP(run) * run, uint64_t word, uint32_t total, int form)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t active = weir_word_blocks(word, run->blocks);
    run->near_bag = run->block->order.near_bag;
    run->turn = weir_word_generation(word) & 1u;
    run->near_items = NULL;
    if (weir_word_action(word) == WEIR_ACTION_NEAR) {
        run->near_bag = WEIR_BAG_NEAR + (weir_word_near_bag(word) ^ 1u);
        if (!work->packets)
            run->near_items = (const OP(item) *)work->bag[run->near_bag ^ 1u].slots;
    }
    if (form != FORM_GENERAL || work->worker == WEIR_ENGINE_WARP)
        OP(round_of_warps)(run, total, active, form);
    else if (work->worker == WEIR_ENGINE_THREAD)
        OP(round_of_threads)(run, total, active);
    else
        OP(round_of_blocks)(run, total, active);
    if (work->stage_lanes)
        OP(flush_all)(run->args, run->block);
    if (!run->near_items) /* packets of a discrete kernel may come with a near bag */
        OP(tally)(run);
    if (weir_lane() == 0 && run->pushed)
        (void)weir_atomic_add_relaxed_dev_u32(&run->block->pushed, run->pushed);
    run->pushed = 0;
}

/** Learn what the word says beyond itself. Warp 0 of the block, before its other warps go on.
 *  @param[in] fresh  what the block knows may be old. */
WEIR_DEV void OP(read_plan)(const struct OP(run) * run, uint64_t word, int fresh)
{
    const struct weir_engine_args *work = &run->args->work;
    const struct weir_work_plan *plan = &work->control->plan;
    struct OP(block) *block = run->block;
    const uint32_t action = weir_word_action(word);
    if (action == WEIR_ACTION_NEAR && !fresh && !work->packets)
        return;        /* the word says it all */
    weir_lanes_sync(); /* one lane has acquired the word */
    if (weir_lane() == 0)
        block->order = plan->order;
    if (action == WEIR_ACTION_PLAN)
        WEIR_ROLLED
    for (uint32_t s = weir_lane(); s < plan->segments; s += WEIR_LANES)
        block->segment[s] = plan->segment[s];
    weir_lanes_sync();
    if (weir_lane() != 0)
        return;
    if (action == WEIR_ACTION_NEAR) {
        uint32_t bag = WEIR_BAG_NEAR + weir_word_near_bag(word);
        block->segments = 1;
        block->segment[0].slots = work->bag[bag].slots;
        block->segment[0].end = weir_word_count(word);
        block->segment[0].kind = WEIR_SEGMENT_NEAR;
    } else {
        block->segments = action == WEIR_ACTION_PLAN ? plan->segments : 0;
    }
    uint32_t total = weir_word_count(word);
    WEIR_ROLLED
    for (uint32_t p = 0; p < work->packets; p++) { /* discrete: what the host received */
        total += work->packet_count[p];
        block->segment[block->segments].slots = work->packet[p];
        block->segment[block->segments].end = total;
        block->segment[block->segments++].kind = WEIR_SEGMENT_ARRIVED;
    }
}

/* ---- between rounds --------------------------------------------------------------------------- */

/** Wait for a newer word that this block takes part in. One lane. */
WEIR_DEV uint64_t OP(await)(const struct OP(run) * run, uint64_t word)
{
    const uint64_t *at = &run->args->work.control->word;
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t next = weir_load_acquire_dev_u64(at); /* pairs with the release in publish() */
        if (weir_word_is_newer(next, word)) {
            if (weir_word_action(next) == WEIR_ACTION_END ||
                run->block_number < weir_word_blocks(next, run->blocks))
                return next;
            word = next;
        }
        weir_pause(looks);
    }
}

/** Wait until all blocks of the round have arrived. One lane. @return their arrivals; 0 if the others have
 *  gone on for so long without this block that the count is used anew. */
WEIR_DEV uint64_t OP(await_arrivals)(const struct OP(run) * run, uint64_t word, uint32_t active)
{
    const uint32_t generation = weir_word_generation(word);
    const uint64_t *at = &run->args->work.control->arrived[generation & 3u];
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t arrivals = weir_load_acquire_dev_u64(at); /* pairs with the release in arrive() */
        if (!weir_arrivals_are_of(arrivals, generation))
            return 0;
        if (weir_arrivals_blocks(arrivals) == active) {
#ifndef __CUDACC__
            /* A thread that did not run for hundreds of rounds may take those of a later one for its own.
             * Who added to them had acquired the word that this thread missed. */
            uint64_t told = weir_load_acquire_dev_u64(&run->args->work.control->word);
            if (weir_word_is_newer(told, word) &&
                weir_word_generation(told) != ((generation + 1) & 0xFFFFFu))
                return 0;
#endif
            return arrivals;
        }
        weir_pause(looks);
    }
}

/** This block is through with a round of a fused kernel. Warp 0. @return the arrivals of all, or 0. */
WEIR_DEV uint64_t OP(arrive)(const struct OP(run) * run, uint64_t word, uint32_t active)
{
    struct OP(block) *block = run->block;
    uint64_t arrivals = 0;
    if (weir_lane() == 0) {
        arrivals = weir_arrivals_one(block->pushed, (int)block->special);
        if (block->sent)
            weir_fence_sys(); /* this block's stores into peers, before a tail tells of them */
        block->sent = block->special = block->pushed = 0;
        if (active > 1) {
            weir_add_release_dev_u64(
                &run->args->work.control->arrived[weir_word_generation(word) & 3u], arrivals);
            arrivals = OP(await_arrivals)(run, word, active);
        }
    }
    return weir_broadcast_u64(arrivals, 0);
}

/** Show a word to the blocks that wait for one. Warp 0 of block 0. */
WEIR_DEV void OP(publish)(const struct OP(run) * run, uint64_t next)
{
    if (weir_lane() == 0)
        weir_store_release_dev_u64(&run->args->work.control->word, next); /* pairs with await() */
}

/** What comes after the round of @p word, in a fused kernel. Warp 0. */
WEIR_DEV uint64_t OP(next_word)(struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t active = weir_word_blocks(word, run->blocks);
    uint64_t next = 0, arrivals = 0;
    if (run->block_number < active)
        arrivals = OP(arrive)(run, word, active);
    if (arrivals)
        next = weir_decide_near(work, word, arrivals);
    if (weir_lane() == 0) {
        run->block->owed = next ? word : 0;
        run->block->fresh = !next && run->block_number != 0;
    }
    weir_lanes_sync();
    if (next) {
        /* Blocks that join must be told; those that wait for long must not take a very old word for new. */
        if (run->block_number == 0 && (weir_word_blocks(next, run->blocks) > active ||
                                       (weir_word_generation(next) & 0xFFFFu) == 0))
            OP(publish)(run, next);
        return next;
    }
    if (run->block_number == 0) {
        next = weir_decide(work, &run->block->ledger, word);
        /* A block that works alone goes on alone: nobody else looks. */
        if (active > 1 || weir_word_blocks(next, run->blocks) > 1 ||
            weir_word_action(next) == WEIR_ACTION_END ||
            (weir_word_generation(next) & 0xFFFFu) == 0)
            OP(publish)(run, next);
        return next;
    }
    if (weir_lane() == 0)
        next = OP(await)(run, word);
    return weir_broadcast_u64(next, 0);
}

/** The end of a discrete kernel: the last block to come decides, since blocks may run one after the
 *  other. Warp 0. */
WEIR_DEV void OP(end_once)(const struct OP(run) * run, uint64_t word)
{
    struct weir_control *control = run->args->work.control;
    uint32_t last = 0;
    if (run->block_number >= weir_word_blocks(word, run->blocks))
        return;
    if (weir_lane() == 0)
        last = weir_add_acq_rel_dev_u32(&control->tickets, 1) ==
               weir_word_blocks(word, run->blocks) - 1;
    if (!weir_broadcast_u32(last, 0))
        return;
    uint64_t next = weir_decide(&run->args->work, &control->ledger, word);
    if (weir_lane() == 0) {
        weir_store_relaxed_dev_u32(&control->tickets, 0);
        weir_store_release_dev_u64(&control->word, next);
    }
}

/** While a round begins, block 0 does the books of the step to it and sets back what a later one needs.
 *  One warp. */
WEIR_DEV void OP(keep_books)(const struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t generation = weir_word_generation(word);
    if (weir_lane() != 0)
        return;
    weir_store_relaxed_dev_u64(&work->control->arrived[(generation + 2) & 3u],
                               weir_arrivals_none(generation + 2));
    weir_store_relaxed_dev_u32(&work->control->cursor[(generation + 1) & 1u], 0);
    if (run->block->owed)
        weir_decide_near_books(work, &run->block->ledger, run->block->owed, word);
}

/** Copy the ledger, word by word. Warp 0. */
WEIR_DEV void OP(copy_ledger)(struct weir_ledger *to, const struct weir_ledger *from)
{
#ifdef __CUDACC__
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < sizeof *to / sizeof(uint64_t); i += WEIR_LANES)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
    weir_lanes_sync();
#else
    *to = *from;
#endif
}

/** Before the first round. Warp 0. */
WEIR_DEV void OP(begin)(const struct OP(run) * run)
{
    const struct weir_engine_args *work = &run->args->work;
    struct OP(block) *block = run->block;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < WARPS * STAGE_LANES; i += WEIR_LANES)
        block->staged[i / STAGE_LANES][i % STAGE_LANES] = 0;
    if (!work->once && run->block_number == 0)
        OP(copy_ledger)(&block->ledger, &work->control->ledger);
    if (run->block_number < weir_word_blocks(work->word, run->blocks))
        OP(read_plan)(run, work->word, 1);
    if (weir_lane() == 0) {
        block->sent = block->special = block->pushed = 0;
        block->owed = 0;
        block->word = work->word;
    }
}

/** After the last round. */
WEIR_DEV void OP(finish)(const struct OP(run) * run)
{
    const struct weir_engine_args *work = &run->args->work;
    uint64_t stale = weir_sum_u64(run->stale), atoms = weir_sum_u64(run->atoms);
    if (weir_lane() == 0 && (stale | atoms)) {
        (void)weir_atomic_add_relaxed_dev_u64(&work->control->stale, stale);
        (void)weir_atomic_add_relaxed_dev_u64(&work->control->atoms, atoms);
    }
    if (WARP_ID == 0 && !work->once && run->block_number == 0)
        OP(copy_ledger)(&work->control->ledger, &run->block->ledger);
}

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
    struct OP(run) state = {args, block, block_number, blocks, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0};
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
