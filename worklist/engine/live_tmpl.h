/** @file live_tmpl.h  The live kernel: no rounds, no barriers, one queue or several that all workers share (Atos 3.1 to 3.3).
 *
 * Included by engine_tmpl.h. A worker (a thread, a warp or a block) goes on taking items, runs the operator on them, and pushes
 * the new ones, until no item is in flight on any device (live.h). What one warp pushes another may pop at once. A *task* is
 * what a worker does between two counts off: up to `fetch` items that are taken in batches, as many at a time as it has room
 * for, with all that it sends on the way. A worker looks for, in this order: pieces of tiles that were cut; its own queue; seeds;
 * what arrived from other devices, every second time before its own queue; packed items that found no free slot; and, if there
 * is none of this, queues of other workers and those that overflowed.
 *
 * Memory is bounded: a push that finds no room in its queue tries the others, then the overflow queue in host memory, and
 * where that is full, too, the run ends. Packed items that find no slot are held in the same way. A worker takes in what arrives
 * whatever it holds, so full channels around a ring do not wait for each other for ever. */

#define LIVE_TYPE OP(item)
#define LIVE_NAME OP(live_items)
#define LIVE_BAG  OP(items)
#include "worklist/engine/live_queue_tmpl.h"
#define LIVE_TYPE OP(wire)
#define LIVE_NAME OP(live_wires)
#define LIVE_BAG  OP(wires)
#include "worklist/engine/live_queue_tmpl.h"
#define LIVE_TYPE struct OP(piece)
#define LIVE_NAME OP(live_pieces)
#define LIVE_BAG  OP(pieces)
#include "worklist/engine/live_queue_tmpl.h"

/* ---- where items go ---------------------------------------------------------------------------- */

/** Push items of the lanes in @p group to a queue that has room for them, other than the worker's own. Without any room the run
 *  ends. */
WEIR_COLD void OP(live_keep_elsewhere)(const struct OP(args) * args, struct OP(block) * block,
                                       uint32_t home, uint32_t group, OP(item) item)
{
    const struct weir_engine_args *work = &args->work;
    const struct weir_live *live = work->live;
    const uint32_t *stop = &work->control->look[WEIR_LOOK_STOP].word;
    uint32_t high = 0;
    WEIR_ROLLED
    for (uint32_t k = 1; k < live->queues && group; k++) {
        const struct weir_live_queue queue = weir_live_queue_at(live, (home + k) % live->queues);
        group = OP(live_items_push)(&queue, group, &item, stop, &high);
    }
    if (group) {
        const uint32_t left = OP(live_items_push)(&live->more_items, group, &item, stop, &high);
        if (weir_lane() == 0)
            weir_add_relaxed_dev_u64(&work->control->live.spilled,
                                     weir_popcount_u32(group & ~left));
        if (left)
            weir_refuse(work, &block->base, WEIR_LOOK_FULL);
    }
    high = weir_max_u32(high);
    if (high && weir_lane() == 0)
        weir_max_relaxed_dev_u32(&work->control->live.high, high);
}

/** Store the wires of the lanes in @p group into a channel; wires that find no free slot there are held. */
WEIR_DEV void OP(live_store_wires)(const struct OP(args) * args, struct OP(block) * block,
                                   uint32_t group, uint32_t channel, const OP(wire) * wire)
{
    const struct weir_engine_args *work = &args->work;
    struct weir_live *live = work->live;
    const struct weir_live_out *out = &live->out[channel];
    struct weir_live_out_words *words = &live->out_words[channel];
    const uint32_t leader = weir_first_bit_u32(group), wanted = weir_popcount_u32(group);
    const uint32_t rank = weir_popcount_u32(group & (((uint32_t)1 << weir_lane()) - 1u));
    const int mine = group >> weir_lane() & 1u;
    uint32_t got = 0, first = 0, high = 0;
    if (weir_lane() == leader) {
        /* Pairs with the release in live_drain(): the slots were read. */
        const uint32_t limit =
            weir_load_acquire_sys_u32(out->credit) + ((uint32_t)1 << out->room_log);
        if ((int32_t)(limit - weir_load_relaxed_dev_u32(&words->claimed)) > 0) {
            const uint32_t before = weir_atomic_add_relaxed_dev_u32(&words->claimed, wanted);
            const int32_t room = (int32_t)(limit - before);
            got = room <= 0 ? 0 : (uint32_t)room < wanted ? (uint32_t)room : wanted;
            if (got < wanted)
                weir_add_relaxed_dev_u32(&words->claimed, 0u - (wanted - got));
        }
        /* Tails are not given in the order of claims. This one may be beyond the credit that this warp has acquired; then a
         * warp that had claimed under more was given one before, and hands its credit on. */
        if (got)
            first = weir_add_acq_rel_dev_u32(&words->tail, got);
    }
    got = weir_broadcast_u32(got, leader);
    first = weir_broadcast_u32(first, leader);
    weir_lanes_sync(); /* the leader has acquired the credit */
    if (mine && rank < got) {
        const uint32_t number = first + rank;
        const uint32_t slot = number & (((uint32_t)1 << out->room_log) - 1u);
        OP(wires_copy)((OP(wire) *)out->slots + slot, wire);
        /* The item first, its mark second; pairs with the acquire in live_drain(). */
        weir_store_release_sys_u32(&out->marks[slot], (number >> out->room_log) + 1u);
    }
    uint32_t left = weir_ballot(mine && rank >= got);
    const uint32_t *stop = &work->control->look[WEIR_LOOK_STOP].word;
    if (left)
        left = OP(live_wires_push)(&live->held, left, wire, stop, &high);
    if (left)
        left = OP(live_wires_push)(&live->more_held, left, wire, stop, &high);
    if (left)
        weir_refuse(work, &block->base, WEIR_LOOK_FULL);
}

#define STAGE(name) OP(live_##name)
#include "worklist/engine/stage_tmpl.h"

/** At the end of a task: store all wires that are still staged. */
WEIR_COLD void OP(live_flush_all)(const struct OP(args) * args, struct OP(block) * block)
{
    WEIR_ROLLED
    for (uint32_t channel = 0; channel < args->work.stage_channels; channel++) {
        const uint32_t count = block->base.staged[WARP_ID][channel];
        weir_lanes_sync();
        if (!count)
            continue;
        OP(live_flush_stage)(args, block, channel, count);
        if (weir_lane() == 0)
            block->base.staged[WARP_ID][channel] = 0;
    }
    weir_lanes_sync();
}

/** Send the parcels of the lanes in @p all where they are to go. It is called, so that the loops over atoms, which it is in the
 *  middle of, keep their registers. @param[in] home  the queue that the warp pushes to.
 *  @return the most items that it was seen to hold. */
WEIR_COLD uint32_t OP(live_send_all)(const struct OP(args) * args, struct OP(block) * block,
                                     uint32_t home, uint32_t all, int fresh, uint32_t to,
                                     OP(item) item, OP(wire) wire)
{
    const struct weir_engine_args *work = &args->work;
    const uint32_t near = weir_ballot(to == WEIR_BAG_NEAR);
    uint32_t high = 0;
    if (fresh && weir_lane() == 0)
        weir_live_count_new(work, weir_popcount_u32(all));
    weir_lanes_sync(); /* counted before any lane shows its item */
    if (near) {
        const struct weir_live_queue queue = weir_live_queue_at(work->live, home);
        const uint32_t left = OP(live_items_push)(&queue, near, &item,
                                                  &work->control->look[WEIR_LOOK_STOP].word, &high);
        high = weir_broadcast_u32(high, weir_first_bit_u32(near));
        if (left)
            OP(live_keep_elsewhere)(args, block, home, left, item);
    }
    uint32_t waiting = all & ~near;
    WEIR_ROLLED
    while (waiting) {
        const uint32_t channel = weir_broadcast_u32(to, weir_first_bit_u32(waiting));
        const uint32_t group = weir_ballot(to == channel);
        OP(live_stage_wires)(args, block, group, channel - TO_CHANNEL, wire);
        waiting &= ~group;
    }
    return high;
}

/** Send each lane's parcel where it is to go. @param[in] fresh  the items are new, and are counted here. */
WEIR_DEV void OP(live_send)(struct weir_engine_thread *self, const struct OP(parcel) * parcel,
                            int fresh)
{
    const uint32_t all = weir_ballot(parcel->to != TO_NOWHERE);
    if (!all)
        return;
    const uint32_t high = OP(live_send_all)(OP(args_of)(self), OP(block_of)(self), self->push_to,
                                            all, fresh, parcel->to, parcel->item, parcel->wire);
    self->push_to = weir_live_push_next(self->work->live, self->push_to, high);
    self->tally->high = self->tally->high > high ? self->tally->high : high;
}

/* ---- tiles that are cut ----------------------------------------------------------------------- */

/** Cut the first atoms of a tile off, in pieces that any worker takes. A piece is counted as an item is. Atoms for whose pieces
 *  there is no room stay with the tile. */
WEIR_DEV void OP(live_cut_tile)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t slot)
{
    const struct weir_engine_args *work = &args->work;
    const struct weir_live *live = work->live;
    struct weir_live_run *run = &work->control->live;
    const uint32_t atoms = block->base.ends[slot];
    uint32_t length = atoms / 1024u + 1u, given = 0, high = 0;
    struct OP(piece) piece;
    length = length > work->cut ? length : work->cut;
    const uint32_t pieces = atoms / length;
    piece.item = block->item[slot];
    piece.count = length;
    WEIR_ROLLED
    for (uint32_t i = 0; i < pieces; i += WEIR_LANES) {
        const uint32_t now = pieces - i < WEIR_LANES ? pieces - i : WEIR_LANES;
        const uint32_t group = now == 32u ? 0xFFFFFFFFu : (1u << now) - 1u;
        if (weir_lane() == 0) {
            weir_live_count_new(work, now);
            weir_add_relaxed_dev_u64(&run->pieces, now);
        }
        weir_lanes_sync();
        piece.first = block->base.first[slot] + (uint64_t)(i + weir_lane()) * length;
        const uint32_t left = OP(live_pieces_push)(
            &live->pieces, group, &piece, &work->control->look[WEIR_LOOK_STOP].word, &high);
        given += now - weir_popcount_u32(left);
        if (!left)
            continue;
        if (weir_lane() == 0) /* those that do not exist after all */
            weir_live_count_off(work, weir_popcount_u32(left));
        break;
    }
    weir_skip_atoms(&block->base, slot, given * length);
}

/** As cut_set(). */
WEIR_COLD void OP(live_cut_set)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t base, uint32_t count)
{
    uint64_t left = 0;
    int countable = 1;
    WEIR_ROLLED
    for (uint32_t i = base; i < base + count; i++) {
        countable &= block->base.ends[i] != WEIR_TILE_MOST;
        if (countable && block->base.ends[i] > args->work.cut)
            OP(live_cut_tile)(args, block, i);
        left += block->base.ends[i];
    }
    if (countable && left < WEIR_SET_MOST)
        return;
    weir_refuse(&args->work, &block->base, WEIR_LOOK_LONG);
    WEIR_ROLLED
    for (uint32_t i = base; i < base + count; i++)
        weir_skip_atoms(&block->base, i, block->base.ends[i]);
}

/* ---- batches ---------------------------------------------------------------------------------- */

/** What a warp has taken. */
struct OP(live_batch) {
    uint32_t taken; /* elements of any kind; 0: it found none */
    uint32_t tiles; /* of its set, which are to be walked */
    uint32_t off;   /* items to count off when that is done */
};

/** Make tile @p slot of an item. One lane. */
WEIR_DEV void OP(live_open)(struct weir_engine_thread *self, uint32_t slot, const OP(item) * item)
{
    uint64_t first = 0;
    const uint64_t atoms = OP(open_tile)(self, item, &first);
    OP(block_of)(self)->item[slot] = *item;
    self->block->first[slot] = first;
    self->block->ends[slot] = weir_countable(atoms);
    self->atoms += atoms;
}

/** Take the items with @p count tickets that were claimed, from @p ticket on, as the tiles of a warp's set. */
WEIR_DEV void OP(live_take_items)(struct weir_engine_thread *self,
                                  const struct weir_live_queue *queue, uint64_t ticket,
                                  uint32_t base, uint32_t count)
{
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES) {
        OP(item) item;
        OP(live_items_take)(queue, ticket + i, &item);
        OP(live_open)(self, base + i, &item);
    }
    weir_lanes_sync();
}

/** Pop pieces as the tiles of a warp's set: one, where few wait, since each is much work. There is one queue of them, from which
 *  one warp pops at a time, so where many wait a warp takes its share of them, up to @p most. */
WEIR_DEV struct OP(live_batch)
    OP(live_pop_pieces)(struct weir_engine_thread *self, uint32_t warps, uint32_t most)
{
    const struct weir_live_queue *queue = &self->work->live->pieces;
    const uint32_t base = WARP_ID * SET;
    uint64_t ticket, length = 0;
    if (weir_lane() == 0)
        length = weir_live_length(queue);
    const uint64_t share = 1u + weir_broadcast_u64(length, 0) / warps;
    const uint32_t count =
        weir_live_claim_mpmc(queue, share < most ? (uint32_t)share : most, &ticket);
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES) {
        struct OP(piece) piece;
        OP(live_pieces_take)(queue, ticket + i, &piece);
        OP(block_of)(self)->item[base + i] = piece.item;
        self->block->first[base + i] = piece.first;
        self->block->ends[base + i] = piece.count;
    }
    weir_lanes_sync();
    if (count && weir_lane() == 0)
        weir_live_return_mpmc(queue, count);
    const struct OP(live_batch) batch = {count, count, count};
    return batch;
}

/** Take one element in each lane that has @p valid: a seed, a number that a seed is made of, or a packed item that arrived. It
 *  becomes tile @p slot, or goes elsewhere. @return how many items are to be counted off here, after the tiles are walked. */
WEIR_DEV uint32_t OP(live_take_one)(struct weir_engine_thread *self, int valid, int is_number,
                                    uint64_t number, const OP(wire) * wire, uint32_t slot)
{
    struct OP(parcel) parcel;
    parcel.to = TO_NOWHERE;
    if (valid) {
        OP(item) item;
        uint64_t first = 0, atoms = 0;
        self->moved = 0;
#if OP(seeds)
        if (is_number)
            atoms = OP(take_number)(self, (uint32_t)number, &parcel, &item, &first);
        else
#endif
            atoms = OP(take_arrived)(self, *wire, &parcel, &item, &first);
        (void)is_number, (void)number;
        if (atoms) /* there may be no item if there are no atoms */
            OP(block_of)(self)->item[slot] = item;
        self->block->first[slot] = first;
        self->block->ends[slot] = weir_countable(atoms);
        self->atoms += atoms;
    }
    OP(live_send)(self, &parcel, 0);
    return weir_popcount_u32(weir_ballot(valid && !self->moved));
}

/** Take up to @p want seeds of either kind. */
WEIR_DEV struct OP(live_batch)
    OP(live_take_seeds)(struct weir_engine_thread *self, int is_number, uint32_t want)
{
    const struct weir_engine_args *work = self->work;
    struct weir_live *live = work->live;
    struct OP(live_batch) batch = {0, 0, 0};
    const uint32_t base = WARP_ID * SET;
    uint64_t first;
    batch.taken = is_number
                      ? weir_live_claim_seeds(&live->number_next, work->seed_numbers, want, &first)
                      : weir_live_claim_seeds(&live->seed_next, work->seed_count, want, &first);
    batch.tiles = batch.taken;
    WEIR_ROLLED
    for (uint32_t i = 0; i < batch.taken; i += WEIR_LANES) {
        const uint32_t at = i + weir_lane();
        const int valid = at < batch.taken;
        OP(wire) wire;
        memset(&wire, 0, sizeof wire);
        if (valid && !is_number)
            OP(wires_get)(&wire, (const OP(wire) *)work->seeds + first + at);
        batch.off += OP(live_take_one)(self, valid, is_number, first + at, &wire, base + at);
    }
    weir_lanes_sync();
    return batch;
}

/** Take up to as many packed items as a warp has lanes out of a channel. One warp at a time drains it; another one finds it
 *  empty and looks elsewhere. @param[in] at  the first slot of the warp's set that is free. */
WEIR_DEV struct OP(live_batch)
    OP(live_drain)(struct weir_engine_thread *self, uint32_t channel, uint32_t at)
{
    struct weir_live *live = self->work->live;
    const struct weir_live_in *in = &live->in[channel];
    struct weir_live_in_words *words = &live->in_words[channel];
    struct OP(live_batch) batch = {0, 0, 0};
    const uint32_t room = (uint32_t)1 << in->room_log;
    uint32_t head = 0, mine = 0;
    OP(wire) wire;
    memset(&wire, 0, sizeof wire);
    if (weir_lane() == 0 && !weir_load_relaxed_dev_u32(&words->lock))
        mine = weir_add_acq_rel_dev_u32(&words->lock, 1) == 0;
    if (!weir_broadcast_u32(mine, 0))
        return batch;
    weir_lanes_sync(); /* one lane has the lock */
    if (weir_lane() == 0)
        head = weir_load_relaxed_dev_u32(&words->head);
    head = weir_broadcast_u32(head, 0);
    const uint32_t number = head + weir_lane(), slot = number & (room - 1u);
    /* Pairs with the release in live_store_wires(): who sees the mark sees the item. */
    const uint32_t there =
        weir_ballot(weir_load_acquire_sys_u32(&in->marks[slot]) == (number >> in->room_log) + 1u);
    batch.taken = there == ALL_LANES ? WEIR_LANES : weir_first_bit_u32(~there);
    const int valid = weir_lane() < batch.taken;
    if (valid)
        OP(wires_get)(&wire, (const OP(wire) *)in->slots + slot);
    weir_lanes_sync(); /* all lanes have read their slots */
    if (weir_lane() == 0) {
        weir_store_relaxed_dev_u32(&words->head, head + batch.taken);
        /* Credit is given for a quarter of the ring at a time. A sender that waits for slots has filled the whole ring. */
        if (batch.taken && head + batch.taken - words->credited >= room / 4) {
            words->credited = head + batch.taken;
            weir_store_release_sys_u32(in->credit, head + batch.taken);
        }
        weir_store_release_dev_u32(&words->lock, 0); /* pairs with whoever locks next */
    }
    batch.tiles = batch.taken;
    if (batch.taken)
        batch.off = OP(live_take_one)(self, valid, 0, 0, &wire, WARP_ID * SET + at + weir_lane());
    weir_lanes_sync();
    return batch;
}

/** Send held items again. They stay in flight. */
WEIR_DEV struct OP(live_batch) OP(live_send_held)(struct weir_engine_thread *self, uint32_t found)
{
    const struct weir_engine_args *work = self->work;
    const struct weir_live *live = work->live;
    const struct weir_live_queue *queue =
        found & (uint32_t)1 << WEIR_LIVE_HELD ? &live->held : &live->more_held;
    struct OP(live_batch) batch = {0, 0, 0};
    struct OP(parcel) parcel;
    uint64_t ticket;
    parcel.to = TO_NOWHERE;
    if (!weir_live_may_send(work))
        return batch;
    batch.taken = weir_live_claim_mpmc(queue, WEIR_LANES, &ticket);
    if (weir_lane() < batch.taken) {
        OP(live_wires_take)(queue, ticket + weir_lane(), &parcel.wire);
        parcel.to = weir_channel_to(work, OP(owner)(OP(state_of)(self), &parcel.wire));
    }
    weir_lanes_sync();
    if (batch.taken && weir_lane() == 0)
        weir_live_return_mpmc(queue, batch.taken);
    OP(live_send)(self, &parcel, 0);
    return batch;
}

/** A queue with items, and how many of them were claimed. */
struct OP(live_claim) {
    uint32_t queue; /* as many as there are queues: the overflow queue */
    uint32_t count;
    uint64_t ticket;
};

WEIR_DEV struct weir_live_queue OP(live_queue)(const struct weir_live *live, uint32_t number)
{
    return number == live->queues ? live->more_items : weir_live_queue_at(live, number);
}

/** Claim up to @p want items of one queue. @param[in] found  from weir_live_look(). @param[in] elsewhere  look there, too. */
WEIR_DEV struct OP(live_claim)
    OP(live_claim_items)(struct weir_engine_thread *self, const struct weir_live_found *found,
                         uint32_t want, int elsewhere)
{
    const struct weir_live *live = self->work->live;
    struct OP(live_claim) claim = {0, 0, 0};
    WEIR_ROLLED
    for (uint32_t step = elsewhere ? 1 : 0; step < 3 && !claim.count; step++) {
        claim.queue = self->home;
        if (step == 1)
            claim.queue = weir_live_elsewhere(self);
        else if (step == 2)
            claim.queue = live->queues;
        if ((step == 0 && !(found->sources & (uint32_t)1 << WEIR_LIVE_HOME)) ||
            (step == 1 && claim.queue == self->home) ||
            (step == 2 && !(found->sources & (uint32_t)1 << WEIR_LIVE_MORE)))
            continue;
        if (step != 0 && !elsewhere)
            break;
        const struct weir_live_queue queue = OP(live_queue)(live, claim.queue);
        uint64_t head = step == 0 ? found->head : weir_live_head(&queue);
        claim.count = weir_live_claim_from_mpmc(&queue, want, &head, &claim.ticket);
        if (step == 0)
            self->head = head;
        self->tally->pops += claim.count != 0;
        self->tally->steals += claim.count != 0 && step == 1;
    }
    return claim;
}

/** What a function that is called has taken, and what its lane counted. */
struct OP(live_other) {
    struct OP(live_batch) batch;
    uint32_t stale, merged, high, atoms;
};

/** Take a batch of anything but items of queues. @param[in] found  from weir_live_look(). @param[in] warps  of the kernel. */
WEIR_COLD struct OP(live_other)
    OP(live_take_other)(const struct OP(args) * args, struct OP(block) * block, uint32_t home,
                        uint32_t warps, int choked, uint32_t found, uint32_t source, uint32_t turn,
                        uint32_t want)
{
    const struct weir_engine_args *work = &args->work;
    struct weir_engine_thread thread = weir_thread_called(work, &block->base, WEIR_BAG_NEAR);
    struct weir_engine_thread *self = &thread;
    struct weir_live_tally tally;
    struct OP(live_other) other;
    memset(&tally, 0, sizeof tally);
    memset(&other, 0, sizeof other);
    self->live = self->plain = 1;
    /* What arrives queues up behind what waits, here or in other queues, so that the order stays that in which items came, and
     * what says the same as others can be merged with them. */
    self->choked = choked || (source == WEIR_LIVE_ARRIVED &&
                              (work->live->queues > 1 || (found & (uint32_t)1 << WEIR_LIVE_HOME)));
    self->home = self->push_to = home;
    self->tally = &tally;
    if (source == WEIR_LIVE_PIECE) {
        other.batch =
            OP(live_pop_pieces)(self, work->worker == WEIR_ENGINE_THREAD ? 1u : warps,
                                work->worker == WEIR_ENGINE_THREAD ? WEIR_LANES : WEIR_LIVE_PIECES);
    } else if (source == WEIR_LIVE_SEED) {
        other.batch = OP(live_take_seeds)(self, !(found & (uint32_t)1 << WEIR_LIVE_SEED), want);
    } else if (source == WEIR_LIVE_ARRIVED) {
        const uint32_t channel = weir_live_arrived(work, turn);
        /* A set's worth, which is one go on a GPU. */
        WEIR_ROLLED
        for (uint32_t at = 0; at < SET && channel < work->channels_in; at += WEIR_LANES) {
            const struct OP(live_batch) more = OP(live_drain)(self, channel, at);
            other.batch.taken += more.taken;
            other.batch.tiles += more.tiles;
            other.batch.off += more.off;
            if (more.taken < WEIR_LANES)
                break;
        }
    } else {
        other.batch = OP(live_send_held)(self, found);
    }
    other.stale = (uint32_t)self->stale;
    other.merged = self->merged;
    other.atoms = weir_countable(self->atoms);
    other.high = tally.high;
    return other;
}

/** Whether there may be something at a source that is not a queue of items. */
WEIR_DEV int OP(live_is_there)(uint32_t found, uint32_t source)
{
    const uint32_t seeds = (uint32_t)1 << WEIR_LIVE_SEED | (uint32_t)1 << WEIR_LIVE_NUMBER;
    const uint32_t held = (uint32_t)1 << WEIR_LIVE_HELD | (uint32_t)1 << WEIR_LIVE_MORE_HELD;
    return source == WEIR_LIVE_ARRIVED ||
           (found & (source == WEIR_LIVE_SEED   ? seeds
                     : source == WEIR_LIVE_HELD ? held
                                                : (uint32_t)1 << source)) != 0;
}

/** The same, for this thread. */
WEIR_DEV struct OP(live_batch) OP(live_try_other)(struct weir_engine_thread *self, uint32_t found,
                                                  uint32_t source, uint32_t turn, uint32_t want)
{
    struct OP(live_batch) none = {0, 0, 0};
    if (!OP(live_is_there)(found, source))
        return none;
    const struct OP(live_other) other =
        OP(live_take_other)(OP(args_of)(self), OP(block_of)(self), self->home, self->blocks * WARPS,
                            self->choked, found, source, turn, want);
    self->stale += other.stale;
    self->merged += other.merged;
    self->atoms += other.atoms;
    self->tally->high = self->tally->high > other.high ? self->tally->high : other.high;
    self->uncut = source == WEIR_LIVE_PIECE && other.batch.taken;
    return other.batch;
}

/** What a worker looks for, one after the other; every second time what arrived comes before its own queue. */
WEIR_DEV uint32_t OP(live_source)(uint32_t step, uint32_t turn)
{
    switch (step) {
    case 0:
        return WEIR_LIVE_PIECE;
    case 1:
        return turn & 1u ? WEIR_LIVE_ARRIVED : WEIR_LIVE_HOME;
    case 2:
        return turn & 1u ? WEIR_LIVE_HOME : WEIR_LIVE_ARRIVED;
    case 3:
        return WEIR_LIVE_HELD;
    case 4:
        return WEIR_LIVE_SEED;
    default:
        return WEIR_LIVE_ELSEWHERE;
    }
}
enum { OP(live_steps) = 6 };

/** Whether a worker may take from a source now. */
WEIR_DEV int OP(live_may)(const struct weir_engine_thread *self, uint32_t source)
{
    if (source == WEIR_LIVE_ARRIVED || source == WEIR_LIVE_HELD)
        return self->work->workers > 1;
    return !self->choked;
}

/* ---- workers that are threads or warps --------------------------------------------------------- */

/** Take a batch of items, or of anything else, as the set of this warp. @param[in] threads  workers are threads.
 *  @param[in] idle  how often in a row it has found nothing. */
WEIR_DEV struct OP(live_batch)
    OP(live_take)(struct weir_engine_thread *self, uint32_t turn, uint32_t threads, uint32_t idle)
{
    struct OP(live_batch) batch = {0, 0, 0};
    const int everywhere = weir_live_may_look(self, idle);
    const struct weir_live_found seen = everywhere ? weir_live_look(self) : weir_live_guess(self);
    const uint32_t found = seen.sources;
    const uint32_t workers = self->blocks * WARPS / self->work->live->queues;
    const uint32_t want = threads ? WEIR_LANES : weir_live_share(self->work, &seen, workers, SET);
    self->choked = weir_live_knows_choked(self, found, everywhere);
    self->uncut = 0;
    weir_lanes_sync(); /* the last set has been walked */
    WEIR_ROLLED
    for (uint32_t step = 0; step < OP(live_steps) && !batch.taken; step++) {
        const uint32_t source = OP(live_source)(step, turn);
        if (!OP(live_may)(self, source) || (!everywhere && source != WEIR_LIVE_HOME))
            continue;
        if (source != WEIR_LIVE_HOME && source != WEIR_LIVE_ELSEWHERE) {
            batch = OP(live_try_other)(self, found, source, turn, want);
            continue;
        }
        const struct OP(live_claim) claim =
            OP(live_claim_items)(self, &seen, want, source == WEIR_LIVE_ELSEWHERE);
        batch.taken = batch.tiles = batch.off = claim.count;
        if (!claim.count)
            continue;
        const struct weir_live_queue queue = OP(live_queue)(self->work->live, claim.queue);
        OP(live_take_items)(self, &queue, claim.ticket, WARP_ID * SET, claim.count);
        if (weir_lane() == 0)
            weir_live_return_mpmc(&queue, claim.count);
    }
    if (everywhere)
        weir_live_looked(self, idle);
    return batch;
}

/** Run the operator on the tiles of this warp's set. */
WEIR_DEV void OP(live_walk)(struct weir_engine_thread *self, uint32_t tiles, int form)
{
    const uint32_t base = WARP_ID * SET;
    if (OP(folds_here) || form != FORM_GENERAL || self->work->worker != WEIR_ENGINE_THREAD) {
        OP(walk_warp_set)(self, base, tiles, form);
    } else if (OP(close_set)(self, base, tiles, FORM_USUAL)) {
        weir_tile_set set = {self->block->ends + base, tiles, 0};
        WALK(weir_thread, set, base, weir_lane(), WEIR_LANES, FORM_USUAL);
    }
}

/** A task of a worker that is a thread or a warp. @param[in] idle  as live_take(). @return whether it found anything. */
WEIR_DEV int OP(live_task)(struct weir_engine_thread *self, uint32_t turn, uint32_t threads,
                           uint32_t idle, uint32_t fetch, int form)
{
    uint32_t taken = 0, off = 0;
    WEIR_ROLLED
    do {
        const struct OP(live_batch) batch = OP(live_take)(self, turn, threads, taken ? 0 : idle);
        if (!batch.taken)
            break;
        if (batch.tiles)
            OP(live_walk)(self, batch.tiles, form);
        taken += batch.taken;
        off += batch.off;
    } while (taken < fetch);
    if (!taken)
        return 0;
    if (self->work->workers > 1)
        OP(live_flush_all)(OP(args_of)(self), OP(block_of)(self));
    weir_lanes_sync(); /* all that the items produced was counted by some lane */
    if (off && weir_lane() == 0)
        weir_live_count_off(self->work, off);
    return 1;
}

/** What a worker does that found nothing. */
WEIR_DEV void OP(live_found_nothing)(struct weir_engine_thread *self, uint32_t looks)
{
#if OP(idles)
    if (weir_lane() == 0)
        OP(idle)(OP(state_of)(self), looks);
    weir_lanes_sync();
#else
    (void)self, (void)looks;
#endif
}

WEIR_DEV void OP(live_warps)(struct weir_engine_thread *self, int form)
{
    const struct weir_engine_args *work = self->work;
    const uint32_t threads =
        form == FORM_GENERAL && work->worker == WEIR_ENGINE_THREAD && !OP(folds_here);
    uint32_t looks = 0;
    WEIR_ROLLED
    for (uint32_t turn = 0;; turn++) {
        const uint32_t fetch = work->fetch * (threads ? WEIR_LANES : 1u);
        if (OP(live_task)(self, turn, threads, looks, fetch, form)) {
            looks = 0;
            weir_live_busy(self->tally);
            if (turn % WEIR_LIVE_LOOKS || !weir_live_ends(work))
                continue;
            return;
        }
        OP(live_found_nothing)(self, looks);
        if (weir_live_idle(self, looks++))
            return;
    }
}

/* ---- workers that are blocks -------------------------------------------------------------------- */

/** Whether the mapping deals the tiles of a block out to all its lanes, rather than within warps. */
WEIR_DEV int OP(live_is_whole)(const struct weir_engine_args *work)
{
    return work->mapping == WEIR_ENGINE_BY_BLOCK || work->mapping == WEIR_ENGINE_BY_MERGE ||
           work->mapping == WEIR_ENGINE_BY_OWN ||
           (work->mapping == WEIR_ENGINE_BY_GROUP && work->group > 32u);
}

/** Warp 0: find a batch for the block, and tell the other warps. @return what warp 0 took by itself. */
WEIR_DEV struct OP(live_batch) OP(live_find)(struct weir_engine_thread *self, uint32_t turn)
{
    struct OP(live_batch) batch = {0, 0, 0};
    struct OP(live_claim) claim = {0, 0, 0};
    uint32_t kind = WEIR_LIVE_NOTHING;
    const struct weir_live_found seen = weir_live_look(self);
    const uint32_t found = seen.sources;
    /* Few blocks share a queue, or one alone. Some is left for those that have nothing. */
    const uint32_t blocks = self->blocks / self->work->live->queues;
    const uint32_t want =
        weir_live_share(self->work, &seen, blocks > 4u ? blocks : 4u, WARPS * SET);
    self->choked = weir_live_knows_choked(self, found, 1);
    self->uncut = 0;
    WEIR_ROLLED
    for (uint32_t step = 0; step < OP(live_steps) && kind == WEIR_LIVE_NOTHING; step++) {
        const uint32_t source = OP(live_source)(step, turn);
        if (!OP(live_may)(self, source))
            continue;
        if (source != WEIR_LIVE_HOME && source != WEIR_LIVE_ELSEWHERE) {
            batch = OP(live_try_other)(self, found, source, turn, want < SET ? want : SET);
            if (batch.taken)
                kind = source;
            continue;
        }
        claim = OP(live_claim_items)(self, &seen, want, source == WEIR_LIVE_ELSEWHERE);
        if (claim.count)
            kind = WEIR_LIVE_HOME;
    }
    if (weir_lane() == 0) {
        self->block->live.kind = kind;
        self->block->live.queue = claim.queue;
        self->block->live.ticket = claim.ticket;
        self->block->live.count = kind == WEIR_LIVE_HOME ? claim.count : batch.tiles;
    }
    if (kind == WEIR_LIVE_HOME)
        batch.taken = batch.off = claim.count;
    return batch;
}

/** All warps: take this warp's part of the items that warp 0 claimed. @return tiles of its set. */
WEIR_DEV uint32_t OP(live_take_part)(struct weir_engine_thread *self, int whole)
{
    const struct weir_engine_block *block = self->block;
    const uint32_t count = block->live.count;
    uint32_t from = whole ? WARP_ID * SET : weir_share_begin(count, WARP_ID, WARPS);
    uint32_t to = whole ? from + SET : weir_share_begin(count, WARP_ID + 1, WARPS);
    if (block->live.kind != WEIR_LIVE_HOME) /* warp 0 has the tiles */
        return WARP_ID == 0 ? count : 0;
    from = from < count ? from : count;
    to = to < count ? to : count;
    const struct weir_live_queue queue = OP(live_queue)(self->work->live, block->live.queue);
    OP(live_take_items)(self, &queue, block->live.ticket + from, WARP_ID * SET, to - from);
    return to - from;
}

/** A batch of a worker that is a block, by all its warps. @param[in,out] off  items to count off; of warp 0.
 *  @return 0 if it found nothing, else at least 1, the same in all warps. */
WEIR_DEV uint32_t OP(live_block_batch)(struct weir_engine_thread *self, uint32_t turn,
                                       uint32_t *off)
{
    const struct weir_engine_block *block = self->block;
    const int whole = OP(live_is_whole)(self->work);
    weir_block_sync(); /* the last set has been walked */
    if (WARP_ID == 0)
        *off += OP(live_find)(self, turn).off;
    weir_block_sync();
    const uint32_t kind = block->live.kind, count = block->live.count;
    if (kind == WEIR_LIVE_NOTHING)
        return 0;
    self->uncut = kind == WEIR_LIVE_PIECE;
    const uint32_t mine = OP(live_take_part)(self, whole);
    weir_block_sync();
    if (kind == WEIR_LIVE_HOME && WARP_ID == 0 &&
        weir_lane() == 0) { /* all warps took their part */
        const struct weir_live_queue queue = OP(live_queue)(self->work->live, block->live.queue);
        weir_live_return_mpmc(&queue, count);
    }
    if (whole)
        OP(walk_block_set)(self, mine, count);
    else if (mine)
        OP(live_walk)(self, mine, FORM_GENERAL);
    return count ? count : 1;
}

/** A task of a worker that is a block. @return whether it found anything, the same in all warps. */
WEIR_DEV int OP(live_block_task)(struct weir_engine_thread *self, uint32_t turn)
{
    uint32_t taken = 0, batch, off = 0;
    WEIR_ROLLED
    do {
        batch = OP(live_block_batch)(self, turn, &off);
        taken += batch;
    } while (batch && taken < self->work->fetch);
    if (!taken)
        return 0;
    if (self->work->workers > 1)
        OP(live_flush_all)(OP(args_of)(self), OP(block_of)(self));
    weir_block_sync(); /* all that the items produced was counted by some lane */
    if (off && WARP_ID == 0 && weir_lane() == 0)
        weir_live_count_off(self->work, off);
    return 1;
}

WEIR_DEV void OP(live_blocks)(struct weir_engine_thread *self)
{
    const struct weir_engine_args *work = self->work;
    uint32_t looks = 0;
    WEIR_ROLLED
    for (uint32_t turn = 0;; turn++) {
        int ends = 0;
        const int found = OP(live_block_task)(self, turn);
        if (WARP_ID == 0 && found) {
            looks = 0;
            weir_live_busy(self->tally);
        }
        if (found && turn % WEIR_LIVE_LOOKS)
            continue;
        if (WARP_ID == 0 && found) {
            ends = weir_live_ends(work);
        } else if (WARP_ID == 0) {
            OP(live_found_nothing)(self, looks);
            ends = weir_live_idle(self, looks++);
        }
        if (weir_block_any(ends))
            return;
    }
}

/* ---- the kernel --------------------------------------------------------------------------------- */

/** The live kernel, of one block. @param[in] form  FORM_USUAL or FORM_GENERAL, a constant. */
WEIR_DEV void OP(live_engine)(const struct OP(args) * args, struct OP(block) * shared,
                              uint32_t block_number, uint32_t blocks, int form)
{
    weir_engine_reset(&args->work, &shared->base, block_number, blocks);
    struct weir_engine_thread thread =
        weir_thread_make(&args->work, &shared->base, block_number, blocks);
    struct weir_engine_thread *self = &thread;
    struct weir_live_tally tally;
    memset(&tally, 0, sizeof tally);
    const int by_blocks =
        form == FORM_GENERAL && !OP(folds_here) && args->work.worker == WEIR_ENGINE_BLOCK;
    self->live = self->plain = 1;
    self->near_bag = WEIR_BAG_NEAR;
    self->home = self->push_to = block_number % args->work.live->queues;
    self->tally = &tally;
    int stopped = 0;
    weir_block_sync();
    if (WARP_ID == 0)
        stopped = weir_live_start(self);
    stopped = weir_block_any(stopped);
    if (!stopped && by_blocks)
        OP(live_blocks)(self);
    else if (!stopped)
        OP(live_warps)(self, form);
    weir_live_finish(self, !by_blocks || WARP_ID == 0);
}
