/** @file sssp_steal.h  Pushes whose pieces are shared out (`balance frontier`): devices that have few arcs on their lists relax some of
 * those of others. After GUM's frontier stealing (algorithms/common/steal.h says who does how much, steal_step.h how).
 *
 * What a push leaves of a long row it cuts into pieces of up to SSSP_STEP_PIECE arcs, a list that the device goes along in the next push
 * (sssp_step_relax.h). The barrier behind that push tells every block how many arcs each device has on its list. If these are many, and
 * one device has far more than the mean, two steps come in front of the next push: COUNT and CUT. In the push a device then takes its
 * pieces of every device's list. It reads those and their arcs over links; a piece has the distance that its row passes on, so no word
 * is read that anybody writes in this step. What it finds is its own find: an own vertex it relaxes, others it sends to their owners,
 * through the inboxes that it has anyway, where what does not fit goes as an atomic minimum. A row's mark and cursor stand for its pieces
 * from when they are cut, and whoever lowers a distance counts that, so a run ends as it does without. The rest of a push, rows that
 * have changed, is the owners'.
 *
 * The numbers of arcs travel in sums of the barrier behind a push, which has none to spare. So there one sum says whether
 * blocks have sent anything, and how many distances fell; and what is known and what is left, of which only the sum decides, are one. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEAL_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEAL_H

#include "algorithms/sssp/sssp_step_push.h"

#if SSSP_STEALS

/* Sum 0 of the barrier behind a push: blocks that have sent something, and, from this bit on, distances that fell. There are fewer than
 * 2^16 blocks a device, and a device's sum has 48 bits: so what a block tells of the latter has a bound, which all of a device's blocks together
 * keep below 2^24. Whether they are few is all that is asked. */
#define SSSP_STEAL_SHIFT 24

WEIR_DEV int sssp_steal_pushes(uint32_t kind)
{
    return kind == SSSP_STEP_LIGHT || kind == SSSP_STEP_PUSH;
}

/* Before the first step, by all threads; a weir_block_sync() follows. */
WEIR_DEV void sssp_steal_begin(struct sssp_step_shared *shared, const struct weir_steps_block *b)
{
    steal_reset(&shared->steal, b->thread, b->threads);
    if (b->thread == 0) {
        shared->listed = shared->looked = 0;
        shared->at.shared_out = shared->at.was_out = shared->at.asks = shared->at.owed = 0;
    }
}

/* In front of the barrier behind a push; thread 0 of a block. */
WEIR_DEV void sssp_steal_pack(struct sssp_step_shared *shared, uint32_t blocks)
{
    const uint32_t most = ((1u << SSSP_STEAL_SHIFT) - 1) / blocks;
    const uint64_t looks = shared->looks[SSSP_STEP_LIGHT] + shared->looks[SSSP_STEP_COUNT];
    shared->sent = (uint64_t)(shared->sent != 0) |
                   (uint64_t)(shared->sum[0] < most ? shared->sum[0] : most) << SSSP_STEAL_SHIFT;
    shared->sum[0] = shared->listed;
    shared->sum[2] += shared->sum[1];
    shared->sum[1] = looks - shared->looked;
    shared->looked = looks;
    shared->listed = 0;
}

/* What a push came to, which block 0 keeps count of, and what is on the lists that it leaves: by one thread of a block, between the barrier
 * of the push and the next one. A function of its own, as phases are: the kernel has no register to spare. */
WEIR_COLD void sssp_steal_learn(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                struct weir_steps_block b)
{
    const struct steal_args *steal = &a->steal;
    const uint32_t me = a->member.index;
    const int shared_out = (int)shared->at.was_out;
    if (b.block == 0) {
        for (uint32_t d = 0; d < steal->devices; d++)
            shared->beside[d] = weir_steps_flagged(&a->member, &b, d, 2) -
                                steal_done(steal, &shared->steal, d, shared_out);
        steal_book(steal, &shared->steal, me, shared_out, shared->beside);
        for (uint32_t i = 0; i < steal->devices && shared_out; i++)
            if (i != me)
                weir_add_relaxed_dev_u64(
                    &weir_steps_mine(&a->member)->result[SSSP_STEP_RESULT_FOR + i],
                    steal->cuts[i * STEAL_DEVICES + me].units);
    }
    for (uint32_t d = 0; d < steal->devices; d++) {
        shared->steal.load[d] = weir_steps_flagged(&a->member, &b, d, 1);
        shared->steal.list[d] = 0; /* until they are counted */
    }
}

/* Block 0 learns what nobody had to wait for, during the step behind the push. Its last worker does, whose lanes ask for the devices side by
 * side: where pieces were not shared out a device does what it has. All threads call it. */
WEIR_DEV void sssp_steal_learn_late(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                    const struct weir_steps_block *b)
{
    if (!shared->at.owed || b->thread < b->threads - WEIR_LANES)
        return;
    if (shared->at.was_out) {
        if (weir_lane() == 0)
            sssp_steal_learn(a, shared, *b);
        return;
    }
    for (uint32_t d = weir_lane(); d < a->steal.devices; d += WEIR_LANES) {
        shared->beside[d] = weir_steps_flagged(&a->member, b, d, 2);
        shared->steal.load[d] = weir_steps_flagged(&a->member, b, d, 1);
        shared->steal.list[d] = 0;
    }
    weir_lanes_sync();
    if (weir_lane() == 0) {
        uint64_t most = 0;
        for (uint32_t d = 0; d < a->steal.devices; d++)
            most = shared->beside[d] > most ? shared->beside[d] : most;
        shared->steal.most_owned += most;
        shared->steal.most_done += most;
    }
}

/* Behind the barrier of a push, before it is decided what comes next; thread 0 of a block. Where what is on lists is too little to be shared out, no
 * block has to know who has it before it goes on: that takes loads that wait for memory, one after the other.
 * @param[in,out] total  becomes what it is without. */
WEIR_DEV void sssp_steal_unpack(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                const struct weir_steps_block *b, uint64_t *total)
{
    const uint64_t flags = total[0];
    struct sssp_step_at *at = &shared->at;
    at->was_out = at->shared_out;
    at->asks = total[1] && total[1] >= a->steal.least;
    at->owed = !at->asks && b->block == 0;
    if (at->asks)
        sssp_steal_learn(a, shared, *b);
    total[0] = flags & ((UINT64_C(1) << SSSP_STEAL_SHIFT) - 1);
    total[1] = flags >> SSSP_STEAL_SHIFT;
    total[2] = 0; /* what is known is in total[3] */
}

WEIR_COLD int sssp_steal_pays(const struct sssp_step_args *a, const struct sssp_step_shared *shared)
{
    return steal_pays(&a->steal, &shared->steal, 0);
}

/* Behind sssp_step_next(); thread 0 of a block. Every block of every device knows the same and decides the same. */
WEIR_DEV void sssp_steal_next(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                              uint32_t was)
{
    struct sssp_step_at *at = &shared->at;
    if (!sssp_steal_pushes(was) && was != SSSP_STEP_ABSORB)
        return;
    at->shared_out = 0;
    if (at->asks && at->goes_on && sssp_steal_pushes(at->kind) && sssp_steal_pays(a, shared)) {
        at->push = at->kind;
        at->kind = SSSP_STEP_COUNT;
        at->direct = 0;
    }
}

/** Pieces of this device. */
WEIR_DEV uint32_t sssp_steal_pieces_of(const struct sssp_step_args *a, uint32_t iteration)
{
    return weir_load_relaxed_dev_u32(&a->piece_count[iteration % SSSP_STEP_SLOTS]);
}

/* Behind the barrier of COUNT; thread 0 of a block. */
WEIR_DEV void sssp_steal_counted(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                 const struct weir_steps_block *b)
{
    for (uint32_t d = 0; d < a->steal.devices; d++)
        shared->steal.list[d] = weir_steps_flagged(&a->member, b, d, 1);
}

/** COUNT: what the chunks of the device's list come to, and, which the barrier tells all, how many pieces there are. */
WEIR_COLD void sssp_steal_count(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                struct sssp_step_worker worker)
{
    const struct sssp_step_piece *list = sssp_step_piece_list(a, worker.iteration);
    const uint32_t pieces = sssp_steal_pieces_of(a, worker.iteration);
    if (worker.index == 0 && weir_lane() == 0)
        shared->sum[0] = pieces;
    if (pieces) /* all that they come to was counted when they were cut */
        (void)steal_count(&a->steal, &list->count, sizeof *list / 4, 0, pieces, worker.index,
                          worker.count);
}

/** CUT: block 0 decides, and tells all devices who takes which pieces of its own device's list. */
WEIR_COLD void sssp_steal_out(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                              uint32_t iteration, uint32_t thread, uint32_t threads)
{
    steal_out(&a->steal, &shared->steal, 0, a->member.index, 0, sssp_steal_pieces_of(a, iteration),
              thread, threads);
}

/** Whether the pieces of a push are shared out. */
WEIR_DEV int sssp_steal_is_out(const struct sssp_step_at *at)
{
    return (int)at->shared_out;
}

/** All workers relax the pieces that the device takes of each list, its own first. Workers go on counting from one list to the next, so that
 *  each gets as many. */
WEIR_COLD void sssp_steal_pieces(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                 struct sssp_step_worker worker)
{
    struct sssp_step_found found = sssp_step_nothing();
    struct sssp_step_relaxer r = sssp_step_relaxer_of(a, shared, &worker);
    const uint32_t me = a->member.index, n = a->steal.devices;
    uint32_t from = worker.index; /* the worker's first piece of a list, behind where that begins */
    r.far = 1;
    r.pairs = a->pairs.out;
    WEIR_ROLLED
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t owner = (me + k) % n;
        const struct steal_cut cut = a->steal.cuts[owner * STEAL_DEVICES + me];
        const uint32_t taken = (cut.end - cut.begin) % worker.count;
        r.pairs = a->peer[owner].pairs;
        if (from < cut.end - cut.begin)
            sssp_step_list(&r, a->peer[owner].piece[worker.iteration % 2], cut.begin + from,
                           cut.end, worker.count, &found);
        from += from < taken ? worker.count - taken : 0 - taken;
    }
    if (r.waiting)
        sssp_step_send(a, shared, r.stage, r.waiting, r.iteration);
    sssp_step_flush(shared, &found, SSSP_STEP_COUNT);
}

/** Thread 0 of block 0, at the end. */
WEIR_DEV void sssp_steal_finish(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                const struct weir_steps_block *b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    if (b->block || b->thread)
        return;
    if (shared->at.owed) /* the last push */
        sssp_steal_learn(a, shared, *b);
    result[SSSP_STEP_RESULT_STOLEN] = shared->steal.entries;
    result[SSSP_STEP_RESULT_MOST_OWNED] = shared->steal.most_owned;
    result[SSSP_STEP_RESULT_MOST_DONE] = shared->steal.most_done;
}

#else
WEIR_DEV int sssp_steal_is_out(const struct sssp_step_at *at)
{
    (void)at;
    return 0;
}
#endif

#endif
