/** @file engine_tmpl.h  The engine's kernels, for one operator, in the dialect.
 *
 * Included by engine_host_tmpl.h and engine_cuda_tmpl.cuh with WEIR_OPERATOR defined; binds types
 * and nothing more. Every function is called by all lanes of a worker unless it says "one lane".
 *
 * How a full place is handled: a worker asks for slots with one atomic add; slots past the room
 * were not given, and since the count only grows in a launch those before it are all given, so
 * there are no holes. What found no slot is kept in the worker's *strand* together with how far the
 * item got, and the worker stops; the next round begins with the strands. So nothing is lost, no
 * atom is done twice, and a strand never holds more than one item for each lane.
 */
#ifndef WEIR_OPERATOR
#error "define WEIR_OPERATOR before including this"
#endif

#define WEIR_TMPL_PASTE_(a, b) a##_##b
#define WEIR_TMPL_PASTE(a, b)  WEIR_TMPL_PASTE_(a, b)
#define OP(name)               WEIR_TMPL_PASTE(WEIR_OPERATOR, name)

/** An item in either form, and where it is to go. */
struct OP(parcel) {
    uint32_t place;
    union {
        OP(item) item;
        OP(wire) wire;
    } as;
};

/** Lanes of a strand: as many as a worker can have on any device. */
#define STRAND_LANES 32

struct OP(strand) {
    uint32_t count; /* parcels that found no slot */
    uint32_t open;  /* the item below has atoms left */
    uint64_t atom;  /* the first of them */
    OP(item) item;
    struct OP(parcel) parcel[STRAND_LANES];
};

struct OP(args) {
    struct weir_work_args work;
    OP(state) state;
};

/** What one lane counted; added up once, at the end. */
struct OP(tally) {
    uint64_t produced, merged, finished, parked, released;
    uint32_t urgency;
};

WEIR_DEV void OP(tally_add)(const struct OP(args) * args, const struct OP(tally) * tally)
{
    struct weir_work_counters *counters = args->work.counters;
    uint64_t produced = weir_sum_u64(tally->produced), merged = weir_sum_u64(tally->merged);
    uint64_t parked = weir_sum_u64(tally->parked), released = weir_sum_u64(tally->released);
    uint32_t urgency = weir_max_u32(tally->urgency);
    if (weir_lane() != 0)
        return;
    if (produced)
        weir_atomic_add_relaxed_dev_u64(&counters->produced, produced);
    if (merged)
        weir_atomic_add_relaxed_dev_u64(&counters->merged, merged);
    if (tally->finished) /* counted by lane 0 alone: items belong to the worker */
        weir_atomic_add_relaxed_dev_u64(&counters->finished, tally->finished);
    if (parked)
        weir_atomic_add_relaxed_dev_u64(&counters->parked, parked);
    if (released)
        weir_atomic_add_relaxed_dev_u64(&counters->released, released);
    if (urgency)
        weir_atomic_max_relaxed_dev_u32(&counters->urgency, urgency);
}

/** Near or far, by priority. One lane. */
WEIR_DEV uint32_t OP(near_or_far)(const struct OP(args) * args, const OP(item) * item,
                                  struct OP(tally) * tally)
{
    uint32_t priority = OP(priority)(&args->state, item);
    if (args->work.threshold == 0xFFFFFFFFu || priority < args->work.threshold)
        return WEIR_PLACE_NEAR;
    /* The largest priority counts as the one before it: 0 says that nothing was deferred. */
    uint32_t urgency = priority == 0xFFFFFFFFu ? 1u : ~priority;
    if (tally->urgency < urgency)
        tally->urgency = urgency;
    return WEIR_PLACE_FAR;
}

/** Decide where a new item goes. One lane. */
WEIR_DEV void OP(settle_new)(const struct OP(args) * args, const OP(item) * item,
                             struct OP(parcel) * parcel, struct OP(tally) * tally)
{
    enum weir_fate fate = OP(on_send)(&args->state, item);
    if (fate == WEIR_FATE_DROP)
        return;
    tally->produced++;
    if (fate == WEIR_FATE_KEEP) {
        parcel->as.item = *item;
        parcel->place = OP(near_or_far)(args, item, tally);
        tally->parked += parcel->place == WEIR_PLACE_FAR;
    } else {
        uint32_t owner = OP(pack)(&args->state, item, &parcel->as.wire);
        parcel->place = WEIR_PLACE_LANE + args->work.lane_of[owner];
    }
}

/** Decide where an item that arrived goes. One lane. */
WEIR_DEV void OP(settle_arrived)(const struct OP(args) * args, const OP(wire) * wire,
                                 struct OP(parcel) * parcel, struct OP(tally) * tally)
{
    enum weir_fate fate = OP(on_receive)(&args->state, wire);
    if (fate == WEIR_FATE_DROP) {
        tally->merged++;
    } else if (fate == WEIR_FATE_KEEP) {
        OP(unpack)(&args->state, wire, &parcel->as.item);
        OP(item) item = parcel->as.item;
        parcel->place = OP(near_or_far)(args, &item, tally);
        tally->parked += parcel->place == WEIR_PLACE_FAR;
    } else {
        parcel->as.wire = *wire;
        parcel->place = WEIR_PLACE_LANE + args->work.lane_of[OP(owner)(&args->state, wire)];
    }
}

WEIR_DEV void OP(store)(const struct weir_work_place *place, uint32_t slot,
                        const struct OP(parcel) * parcel)
{
    uint32_t at = (place->tail + slot) & place->mask;
    if (parcel->place < WEIR_PLACE_LANE)
        ((OP(item) *)place->slots)[at] = parcel->as.item;
    else
        ((OP(wire) *)place->slots)[at] = parcel->as.wire;
}

/** Put each lane's parcel into its place; one atomic for each place that occurs in the worker.
 *  @return non-zero in lanes whose parcel found no slot. */
WEIR_DEV int OP(push)(const struct OP(args) * args, const struct OP(parcel) * parcel)
{
    uint32_t waiting = weir_ballot(parcel->place != WEIR_PLACE_NONE);
    int failed = 0;
    while (waiting) {
        uint32_t leader = weir_first_bit_u32(waiting);
        uint32_t target = weir_broadcast_u32(parcel->place, leader);
        uint32_t group = weir_ballot(parcel->place == target);
        uint32_t base = 0;
        if (weir_lane() == leader)
            base = weir_atomic_add_relaxed_dev_u32(&args->work.counters->pushed[target],
                                                   weir_popcount_u32(group));
        base = weir_broadcast_u32(base, leader);
        if (parcel->place == target) {
            const struct weir_work_place *place = &args->work.place[target];
            uint32_t slot = base + weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
            failed = slot >= place->room;
            if (!failed)
                OP(store)(place, slot, parcel);
        }
        waiting &= ~group;
    }
    return failed;
}

/** Keep the parcels of the lanes in @p failed. */
WEIR_DEV void OP(strand_parcels)(struct OP(strand) * strand, uint32_t failed,
                                 const struct OP(parcel) * parcel)
{
    if (failed >> weir_lane() & 1u)
        strand->parcel[weir_popcount_u32(failed & ((1u << weir_lane()) - 1u))] = *parcel;
    if (weir_lane() == 0)
        strand->count = weir_popcount_u32(failed);
    weir_lanes_sync();
}

/** Run the operator on the atoms of an item from @p atom on. @return 0 if a place was full. */
WEIR_DEV int OP(expand)(const struct OP(args) * args, struct OP(strand) * strand,
                        const OP(item) * item, int resumed, uint64_t atom, struct OP(tally) * tally)
{
    uint64_t first = 0, last = 0;
    int live = OP(tile)(&args->state, item, &first, &last);
    /* Lanes look at memory that others change: one that finds the item stale decides for all. */
    if (weir_ballot(!live))
        last = first;
    if (resumed)
        first = atom;
    for (uint64_t at = first; at < last; at += WEIR_LANES) {
        struct OP(parcel) parcel;
        OP(item) next;
        uint64_t mine = at + weir_lane();
        parcel.place = WEIR_PLACE_NONE;
        if (mine < last && OP(atom)(&args->state, item, mine, &next))
            OP(settle_new)(args, &next, &parcel, tally);
        uint32_t failed = weir_ballot(OP(push)(args, &parcel));
        if (!failed)
            continue;
        OP(strand_parcels)(strand, failed, &parcel);
        int open = at + WEIR_LANES < last;
        if (weir_lane() == 0) {
            strand->item = *item;
            strand->open = (uint32_t)open;
            strand->atom = at + WEIR_LANES;
        }
        weir_lanes_sync();
        tally->finished += !open;
        return 0;
    }
    tally->finished++;
    return 1;
}

/** Finish what the last round left with this worker. @return 0 if a place is still full. */
WEIR_DEV int OP(unstrand)(const struct OP(args) * args, struct OP(strand) * strand,
                          struct OP(tally) * tally)
{
    uint32_t count = strand->count, open = strand->open;
    uint64_t atom = strand->atom;
    OP(item) item = strand->item;
    if (count == 0 && !open)
        return 1;
    struct OP(parcel) parcel;
    parcel.place = WEIR_PLACE_NONE;
    if (weir_lane() < count) /* a strand holds one parcel for each lane at most */
        parcel = strand->parcel[weir_lane()];
    uint32_t failed = weir_ballot(OP(push)(args, &parcel));
    weir_lanes_sync();
    if (failed) {
        OP(strand_parcels)(strand, failed, &parcel);
        return 0;
    }
    if (weir_lane() == 0)
        strand->count = strand->open = 0;
    weir_lanes_sync();
    return open ? OP(expand)(args, strand, &item, 1, atom, tally) : 1;
}

/** Kernel: finish the strands, then take items of the batch until it is empty or a place is full.
 */
WEIR_DEV void OP(process)(const struct OP(args) * args, uint32_t worker)
{
    struct OP(strand) *strand = (struct OP(strand) *)args->work.strands + worker;
    const OP(item) *queue = (const OP(item) *)args->work.batch;
    struct OP(tally) tally = {0, 0, 0, 0, 0, 0};
    int going = OP(unstrand)(args, strand, &tally);
    while (going) {
        uint32_t taken = 0;
        if (weir_lane() == 0)
            taken = weir_atomic_add_relaxed_dev_u32(&args->work.counters->cursor, 1);
        taken = weir_broadcast_u32(taken, 0);
        if (taken >= args->work.batch_count)
            break;
        OP(item) item = queue[(args->work.batch_head + taken) & args->work.batch_mask];
        going = OP(expand)(args, strand, &item, 0, 0, &tally);
    }
    if (!going && weir_lane() == 0)
        weir_atomic_add_relaxed_dev_u32(&args->work.counters->stranded, 1);
    OP(tally_add)(args, &tally);
}

/** Count parcels that had no room where the host made sure there is some: a fault of the engine. */
WEIR_DEV void OP(push_all)(const struct OP(args) * args, const struct OP(parcel) * parcel)
{
    uint32_t lost = weir_popcount_u32(weir_ballot(OP(push)(args, parcel)));
    if (lost && weir_lane() == 0)
        weir_atomic_add_relaxed_dev_u32(&args->work.counters->lost, lost);
}

/** Kernel: place the items of packets that arrived. The host made room for all of them. */
WEIR_DEV void OP(receive)(const struct OP(args) * args, uint32_t worker, uint32_t workers)
{
    struct OP(tally) tally = {0, 0, 0, 0, 0, 0};
    for (uint32_t p = 0; p < args->work.packets; p++) {
        const OP(wire) *wires = (const OP(wire) *)args->work.packet[p];
        uint32_t count = args->work.packet_count[p];
        for (uint64_t at = (uint64_t)worker * WEIR_LANES; at < count;
             at += (uint64_t)workers * WEIR_LANES) {
            struct OP(parcel) parcel;
            parcel.place = WEIR_PLACE_NONE;
            if (at + weir_lane() < count) {
                OP(wire) wire = wires[at + weir_lane()];
                OP(settle_arrived)(args, &wire, &parcel, &tally);
            }
            OP(push_all)(args, &parcel);
        }
    }
    OP(tally_add)(args, &tally);
}

/** Kernel: look again at deferred items: near, far still, or stale by now. */
WEIR_DEV void OP(release)(const struct OP(args) * args, uint32_t worker, uint32_t workers)
{
    const OP(item) *queue = (const OP(item) *)args->work.deferred;
    uint32_t count = args->work.deferred_count;
    struct OP(tally) tally = {0, 0, 0, 0, 0, 0};
    for (uint64_t at = (uint64_t)worker * WEIR_LANES; at < count;
         at += (uint64_t)workers * WEIR_LANES) {
        struct OP(parcel) parcel;
        uint64_t first, last;
        parcel.place = WEIR_PLACE_NONE;
        if (at + weir_lane() < count) {
            uint32_t slot = args->work.deferred_head + (uint32_t)at + weir_lane();
            OP(item) item = queue[slot & args->work.deferred_mask];
            parcel.as.item = item;
            if (!OP(tile)(&args->state, &item, &first, &last)) {
                tally.released++;
                tally.merged++;
            } else {
                parcel.place = OP(near_or_far)(args, &item, &tally);
                tally.released += parcel.place == WEIR_PLACE_NEAR;
            }
        }
        OP(push_all)(args, &parcel);
    }
    OP(tally_add)(args, &tally);
}
