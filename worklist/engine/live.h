/** @file live.h  A part of live_tmpl.h: what a live kernel does that needs no type of the operator.
 *
 * *When a run is over.* Each item is counted as produced before another warp can see it, and as consumed after all that it
 * produced was counted; a count off is a release. Worker 0, while it finds nothing, adds up what all workers consumed and then,
 * in a second look, what they produced. If the sums are equal the run is over. For let C be the items in the first sum. Whoever
 * acquires a count off sees everything that was counted before it. So the second sum has all seeds, all children of items in C, and
 * all items in C themselves, since those were counted before they could be consumed. If it has no more items than C, then all
 * children of C are in C, and nothing is on its way. Nobody votes, so a worker that finds nothing may find something later.
 * (docs/termination.md; tests/model/live.pml) */
#ifndef WEIR_WORKLIST_ENGINE_LIVE_H
#define WEIR_WORKLIST_ENGINE_LIVE_H

#include "worklist/engine/round.h"

/** A busy worker looks at stop words and clocks once in so many tasks. */
#define WEIR_LIVE_LOOKS 16u
/** Pieces of tiles that a worker takes at a time at most. */
#define WEIR_LIVE_PIECES 16u
/** A warp that sees more items than this in the queue that it pushes to goes on with another one. */
#define WEIR_LIVE_LONG 64u

/* ---- counts ---------------------------------------------------------------------------------- */

/** Items come into being. One lane, before any of them can be seen by another warp. */
WEIR_DEV void weir_live_count_new(const struct weir_engine_args *work, uint64_t count)
{
    uint64_t *word = &work->control->live.produced;
    if (work->workers > 1)
        weir_add_relaxed_sys_u64(word, count);
    else
        weir_add_relaxed_dev_u64(word, count);
}

/** Items are done with. One lane, after all lanes have met behind what they did with them. */
WEIR_DEV void weir_live_count_off(const struct weir_engine_args *work, uint64_t count)
{
    uint64_t *word = &work->control->live.consumed;
    if (work->workers > 1)
        weir_add_release_sys_u64(word, count);
    else
        weir_add_release_dev_u64(word, count);
}

/** Whether nothing is in flight on any worker. All lanes of a warp. */
WEIR_DEV int weir_live_is_over(const struct weir_engine_args *work)
{
    const struct weir_control *control = work->control;
    uint64_t consumed = 0, produced = 0;
    if (work->workers == 1) {
        if (weir_lane() == 0) {
            consumed = weir_load_acquire_dev_u64(&control->live.consumed);
            produced = weir_load_relaxed_dev_u64(&control->live.produced);
        }
    } else {
        WEIR_ROLLED
        for (uint32_t i = weir_lane(); i < work->workers; i += WEIR_LANES)
            consumed += weir_load_acquire_sys_u64(&control->live.run_of[i]->consumed);
        weir_lanes_sync(); /* one lane may have acquired what tells of a count that another lane looks at next */
        WEIR_ROLLED
        for (uint32_t i = weir_lane(); i < work->workers; i += WEIR_LANES)
            produced += weir_load_relaxed_sys_u64(&control->live.run_of[i]->produced);
    }
    return weir_sum_u64(consumed) == weir_sum_u64(produced) + work->live_seeds;
}

/** Tell all workers that the run is over. All lanes of a warp of worker 0. */
WEIR_DEV void weir_live_announce(const struct weir_engine_args *work)
{
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < work->workers; i += WEIR_LANES)
        weir_store_release_sys_u32(&work->control->live.run_of[i]->end, WEIR_ENGINE_DONE);
    weir_lanes_sync();
}

/* ---- the end --------------------------------------------------------------------------------- */

/** Why the run has to end before it is over. One lane. @return enum weir_engine_end. */
WEIR_DEV uint32_t weir_live_why(const struct weir_engine_args *work)
{
    const struct weir_word_apart *look = work->control->look;
    const uint64_t started = weir_load_relaxed_dev_u64(&work->control->live.started_ns);
    if (weir_load_relaxed_dev_u32(&look[WEIR_LOOK_FULL].word))
        return WEIR_ENGINE_FULL;
    if (weir_load_relaxed_dev_u32(&look[WEIR_LOOK_LONG].word))
        return WEIR_ENGINE_LONG;
    if (weir_load_relaxed_dev_u32(&look[WEIR_LOOK_ASTRAY].word))
        return WEIR_ENGINE_ASTRAY;
    if (weir_load_relaxed_sys_u32(&look[WEIR_LOOK_STOP].word))
        return WEIR_ENGINE_STOPPED;
    if (work->limit_ns && started && weir_clock_ns() - started > work->limit_ns)
        return WEIR_ENGINE_LATE;
    return WEIR_ENGINE_RUNS;
}

/** Whether the worker has to end. All lanes of a warp. */
WEIR_DEV int weir_live_ends(const struct weir_engine_args *work)
{
    uint32_t end = 0;
    if (weir_lane() == 0) {
        /* Pairs with the release in weir_live_announce(). */
        end = weir_load_acquire_sys_u32(&work->control->live.end);
        if (!end && (end = weir_live_why(work)))
            weir_store_release_sys_u32(&work->control->live.end, end);
    }
    return weir_broadcast_u32(end, 0) != 0;
}

/* ---- looking for work ------------------------------------------------------------------------ */

/** Queue @p number of this device. */
WEIR_DEV struct weir_live_queue weir_live_queue_at(const struct weir_live *live, uint32_t number)
{
    struct weir_live_queue queue = live->items;
    const uint64_t first = (uint64_t)number << queue.room_log;
    queue.words += number;
    queue.slots = (char *)queue.slots + first * queue.element_bytes;
    queue.marks += first;
    return queue;
}

/** What a worker has seen at one look. */
struct weir_live_found {
    uint32_t
        sources; /* a bit for each enum weir_live_source; of channels and other workers' queues none */
    uint64_t head;   /* of the worker's own queue */
    uint64_t length; /* the same; of no meaning if nothing is there */
};

/** Look what there is, but for channels and other workers' queues. All lanes of a warp; the words are loaded side by side. */
WEIR_DEV struct weir_live_found weir_live_look(const struct weir_engine_thread *self)
{
    const struct weir_live *live = self->work->live;
    struct weir_live_found found = {0, 0, 0};
    WEIR_ROLLED
    for (uint32_t s = weir_lane(); s < WEIR_LIVE_SOURCES; s += WEIR_LANES) {
        const struct weir_live_words *home = live->items.words + self->home;
        const uint64_t *heads = s == WEIR_LIVE_HOME ? &home->head : live->heads[s];
        const uint64_t *tails = s == WEIR_LIVE_HOME ? &home->tail : live->tails[s];
        const uint64_t head = weir_load_relaxed_dev_u64(heads);
        const uint64_t tail = weir_load_relaxed_dev_u64(tails);
        if (tail > head)
            found.sources |= (uint32_t)1 << s;
        if (s == WEIR_LIVE_HOME) {
            found.head = head;
            found.length = tail - head;
        }
    }
    if (WEIR_LANES == 32u)
        found.sources = weir_ballot(found.sources != 0);
    found.head = weir_broadcast_u64(found.head, WEIR_LIVE_HOME);
    found.length = weir_broadcast_u64(found.length, WEIR_LIVE_HOME);
    return found;
}

/** What there may be without a look: an item behind the head of the worker's own queue, where a claim looks first. */
WEIR_DEV struct weir_live_found weir_live_guess(const struct weir_engine_thread *self)
{
    const struct weir_live_found found = {(uint32_t)1 << WEIR_LIVE_HOME, self->head, 0};
    return found;
}

/** Where a warp pushes next, if it has seen @p length elements in the queue that it pushes to. What fills one queue is dealt out to
 *  others: one head is claimed by one warp at a time, and thousands of them would have to take turns there. */
WEIR_DEV uint32_t weir_live_push_next(const struct weir_live *live, uint32_t queue, uint32_t length)
{
    return length > WEIR_LIVE_LONG ? (queue + 1u + weir_warp_now()) % live->queues : queue;
}

/** Whether this warp may look at what all warps of the device look at. One that has just been at work may. Of those of a block
 *  that have found nothing one at a time may: words that thousands of warps ask for again and again are late for those
 *  that have something to do. All lanes of a warp; who may gives it back with weir_live_looked(). */
WEIR_DEV int weir_live_may_look(const struct weir_engine_thread *self, uint32_t idle)
{
    uint32_t *looker = &self->block->live.looker, mine = 1;
    if (!idle || WARPS == 1u)
        return 1;
    if (weir_lane() == 0)
        mine = weir_atomic_exchange_relaxed_dev_u32(looker, 1) == 0;
    return (int)weir_broadcast_u32(mine, 0);
}

/** All lanes of a warp. @param[in] idle  as above. */
WEIR_DEV void weir_live_looked(const struct weir_engine_thread *self, uint32_t idle)
{
    weir_lanes_sync();
    if (idle && WARPS != 1u && weir_lane() == 0)
        (void)weir_atomic_exchange_relaxed_dev_u32(&self->block->live.looker, 0);
}

/** A channel in which something waits. All lanes of a warp. @param[in] turn  where to begin.
 *  @return its number; channels_in: there is none. */
WEIR_DEV uint32_t weir_live_arrived(const struct weir_engine_args *work, uint32_t turn)
{
    const struct weir_live *live = work->live;
    const uint32_t channels = work->channels_in;
    WEIR_ROLLED
    for (uint32_t first = 0; first < channels; first += WEIR_LANES) {
        const uint32_t at = first + weir_lane(), channel = (at + turn) % channels;
        int there = 0;
        if (at < channels) {
            const struct weir_live_in *in = &live->in[channel];
            const uint32_t head = weir_load_relaxed_dev_u32(&live->in_words[channel].head);
            const uint32_t slot = head & (((uint32_t)1 << in->room_log) - 1u);
            there = weir_load_relaxed_sys_u32(&in->marks[slot]) == (head >> in->room_log) + 1u;
        }
        const uint32_t found = weir_ballot(there);
        if (found)
            return (first + weir_first_bit_u32(found) + turn) % channels;
    }
    return channels;
}

/** A queue of other workers in which something waits. All lanes of a warp. @return its number; the worker's own: there is none. */
WEIR_DEV uint32_t weir_live_elsewhere(const struct weir_engine_thread *self)
{
    const struct weir_live *live = self->work->live;
    WEIR_ROLLED
    for (uint32_t first = 1; first < live->queues; first += WEIR_LANES) {
        const uint32_t at = first + weir_lane(), number = (self->home + at) % live->queues;
        const struct weir_live_words *words = live->items.words + number;
        const uint32_t found =
            weir_ballot(at < live->queues && weir_load_relaxed_dev_u64(&words->tail) >
                                                 weir_load_relaxed_dev_u64(&words->head));
        if (found)
            return (self->home + first + weir_first_bit_u32(found)) % live->queues;
    }
    return self->home;
}

/** Whether some channel has a free slot for items that are held. All lanes of a warp. */
WEIR_DEV int weir_live_may_send(const struct weir_engine_args *work)
{
    const struct weir_live *live = work->live;
    int free = 0;
    WEIR_ROLLED
    for (uint32_t c = weir_lane(); c < work->channels_out; c += WEIR_LANES) {
        const struct weir_live_out *out = &live->out[c];
        const uint32_t limit =
            weir_load_relaxed_sys_u32(out->credit) + ((uint32_t)1 << out->room_log);
        free |= (int32_t)(limit - weir_load_relaxed_dev_u32(&live->out_words[c].claimed)) > 0;
    }
    return weir_ballot(free) != 0;
}

/** Whether the worker may process nothing now, since that would only make more items that it has to hold: it holds more than half
 *  of what fits on its device, and its own items have not run out of room. All lanes of a warp. */
WEIR_DEV int weir_live_is_choked(const struct weir_engine_args *work, uint32_t found)
{
    const struct weir_live *live = work->live;
    uint32_t choked = 0;
    if (!(found & ((uint32_t)1 << WEIR_LIVE_HELD | (uint32_t)1 << WEIR_LIVE_MORE_HELD)) ||
        (found & (uint32_t)1 << WEIR_LIVE_MORE))
        return 0;
    if (weir_lane() == 0)
        choked = weir_live_length(&live->held) > ((uint64_t)1 << live->held.room_log) / 2 ||
                 (found & (uint32_t)1 << WEIR_LIVE_MORE_HELD);
    return (int)weir_broadcast_u32(choked, 0);
}

/** The same, as far as this warp knows. @param[in] everywhere  it has looked at all sources, not at its own queue alone; then
 *  other warps of its block learn from it. */
WEIR_DEV int weir_live_knows_choked(const struct weir_engine_thread *self, uint32_t found,
                                    int everywhere)
{
    uint32_t *word = &self->block->live.choked, choked = 0;
    if (self->work->workers == 1)
        return 0;
    /* Several warps write the word, others read it, and no barrier is between: all of it is atomic. */
    if (everywhere) {
        choked = (uint32_t)weir_live_is_choked(self->work, found);
        if (weir_lane() == 0)
            (void)weir_atomic_exchange_relaxed_dev_u32(word, choked);
    } else if (weir_lane() == 0) {
        choked = weir_atomic_add_relaxed_dev_u32(word, 0);
    }
    return (int)weir_broadcast_u32(choked, 0);
}

/** Claim up to @p want seeds. All lanes of a warp. @return how many, from *first_out on. */
WEIR_DEV uint32_t weir_live_claim_seeds(uint64_t *next, uint64_t end, uint32_t want,
                                        uint64_t *first_out)
{
    uint64_t first = 0;
    if (weir_lane() == 0)
        first = weir_atomic_add_relaxed_dev_u64(next, want);
    first = weir_broadcast_u64(first, 0);
    *first_out = first;
    if (first >= end)
        return 0;
    return end - first < want ? (uint32_t)(end - first) : want;
}

/** Items that a worker takes at a time: what the user said, or its share of what waits in its queue.
 *  @param[in] workers  that pop from the queue first; @param[in] most  that the worker has room for. */
WEIR_DEV uint32_t weir_live_share(const struct weir_engine_args *work,
                                  const struct weir_live_found *found, uint32_t workers,
                                  uint32_t most)
{
    const uint32_t least = work->fetch_least < most ? work->fetch_least : most;
    if (work->fetch || !(found->sources & (uint32_t)1 << WEIR_LIVE_HOME))
        return least;
    const uint64_t share = found->length / (workers ? workers : 1u);
    return share < least ? least : share < most ? (uint32_t)share : most;
}

/* ---- beginning, waiting, ending -------------------------------------------------------------- */

/** Begin: all blocks have reset what they had to before any goes on. Warp 0.
 *  @return in lane 0, whether the run was stopped before that, so that this block must touch nothing. */
WEIR_DEV int weir_live_start(const struct weir_engine_thread *self)
{
    const struct weir_engine_args *work = self->work;
    struct weir_live_run *run = &work->control->live;
    struct weir_live *live = work->live;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < WARPS * STAGE_CHANNELS; i += WEIR_LANES)
        self->block->staged[i / STAGE_CHANNELS][i % STAGE_CHANNELS] = 0;
    if (weir_lane() == 0) {
        self->block->live.looker = self->block->live.choked = 0;
        self->block->cut = work->cut;
    }
    WEIR_ROLLED
    for (uint32_t c = weir_lane(); self->block_number == 0 && c < work->channels_out;
         c += WEIR_LANES)
        run->sent_before[c] = weir_load_relaxed_dev_u32(&live->out_words[c].tail);
    weir_lanes_sync();
    if (weir_lane() != 0)
        return 0;
    if (self->block_number == 0) {
        const uint64_t now = weir_clock_ns();
        weir_store_relaxed_dev_u64(&live->seed_next, 0);
        weir_store_relaxed_dev_u64(&live->number_next, 0);
        weir_store_relaxed_dev_u64(&live->seed_end, work->seed_count);
        weir_store_relaxed_dev_u64(&live->number_end, work->seed_numbers);
        weir_store_relaxed_dev_u64(&run->started_ns, now);
        work->control->ledger.reset_ns = now - self->block->reset_ns;
    }
    /* Pairs with itself: who sees all blocks here sees what they have reset. */
    uint32_t started = weir_add_acq_rel_dev_u32(&run->started, 1) + 1;
    WEIR_ROLLED
    for (uint32_t looks = 0; started < self->blocks &&
                             !weir_load_relaxed_sys_u32(&work->control->look[WEIR_LOOK_STOP].word);
         looks++) {
        weir_pause(looks);
        started = weir_load_acquire_dev_u32(&run->started);
    }
    return started < self->blocks;
}

/** A worker that has found something. One lane. */
WEIR_DEV void weir_live_busy(struct weir_live_tally *tally)
{
    if (tally->idle_since)
        tally->wait_ns += weir_clock_ns() - tally->idle_since;
    tally->idle_since = 0;
}

/** A worker has found nothing @p looks + 1 times in a row. All lanes of a warp. @return whether it has to end. */
WEIR_DEV int weir_live_idle(const struct weir_engine_thread *self, uint32_t looks)
{
    const struct weir_engine_args *work = self->work;
    if (!self->tally->idle_since)
        self->tally->idle_since = weir_clock_ns();
    self->tally->empty_pops++;
    /* One warp coordinates. If it is at work the run is not over. */
    if (work->index == 0 && self->block_number == 0 && WARP_ID == 0 && weir_live_is_over(work))
        weir_live_announce(work);
    if (weir_live_ends(work))
        return 1;
    weir_pause_of_many(looks);
    return 0;
}

/** Add what a warp has counted. All lanes. */
WEIR_DEV void weir_live_add(const struct weir_engine_thread *self, int is_worker)
{
    struct weir_control *control = self->work->control;
    struct weir_live_run *run = &control->live;
    struct weir_live_tally *tally = self->tally;
    const uint64_t stale = weir_sum_u64(self->stale), atoms = weir_sum_u64(self->atoms);
    const uint64_t merged = weir_sum_u64(self->merged);
    const uint32_t high = weir_max_u32(tally->high);
    if (weir_lane() != 0)
        return;
    weir_live_busy(tally);
    weir_add_relaxed_dev_u64(&control->stale, stale);
    weir_add_relaxed_dev_u64(&control->atoms, atoms);
    weir_add_relaxed_dev_u64(&run->merged, merged);
    weir_max_relaxed_dev_u32(&run->high, high);
    if (!is_worker)
        return;
    weir_add_relaxed_dev_u64(&run->pops, tally->pops);
    weir_add_relaxed_dev_u64(&run->empty_pops, tally->empty_pops);
    weir_add_relaxed_dev_u64(&run->steals, tally->steals);
    weir_add_relaxed_dev_u64(&run->wait_ns, tally->wait_ns);
    weir_add_relaxed_dev_u32(&run->waiters, 1);
}

/** Elements that lie in all queues. One lane. */
WEIR_DEV uint32_t weir_live_left_over(const struct weir_live *live)
{
    uint64_t sum = weir_live_length(&live->more_items);
    WEIR_ROLLED
    for (uint32_t q = 0; q < live->queues; q++) {
        const struct weir_live_queue queue = weir_live_queue_at(live, q);
        sum += weir_live_length(&queue);
    }
    return sum < 0xFFFFFFFFu ? (uint32_t)sum : 0xFFFFFFFFu;
}

/** Fill in the ledger, from which the host makes statistics. One lane of the last block. */
WEIR_DEV void weir_live_close(const struct weir_engine_args *work)
{
    struct weir_control *control = work->control;
    struct weir_ledger *ledger = &control->ledger;
    struct weir_live_run *run = &control->live;
    const struct weir_live *live = work->live;
    const uint64_t all_ns = weir_clock_ns() - run->started_ns;
    const uint64_t wait_ns = run->waiters ? run->wait_ns / run->waiters : 0;
    const uint32_t why = weir_live_why(work);
    const uint64_t waiting = weir_live_length(&live->pieces); /* of a run that was stopped */
    ledger->produced =
        (uint64_t)work->seed_count + work->seed_numbers + run->produced - run->pieces;
    ledger->consumed = run->consumed - (run->pieces - waiting);
    ledger->processed = ledger->consumed - run->merged;
    ledger->spilled = run->spilled;
    ledger->phase_ns[3] = wait_ns < all_ns ? wait_ns : all_ns;
    ledger->phase_ns[0] = all_ns - ledger->phase_ns[3];
    ledger->seen[WEIR_BAG_NEAR] = weir_live_left_over(live);
    ledger->seen[WEIR_BAG_PIECE] = (uint32_t)waiting;
    ledger->seen[WEIR_BAG_HELD] =
        (uint32_t)(weir_live_length(&live->held) + weir_live_length(&live->more_held));
    WEIR_ROLLED
    for (uint32_t c = 0; c < work->channels_out; c++)
        ledger->out_sent[c] = live->out_words[c].tail - run->sent_before[c];
    /* An item that found no room, say, may have been the last one. */
    ledger->end = why && why != WEIR_ENGINE_STOPPED && why != WEIR_ENGINE_LATE
                      ? why
                      : weir_load_acquire_sys_u32(&run->end);
}

/** End: the last block closes the books. All warps of the block. @param[in] is_worker  of this warp. */
WEIR_DEV void weir_live_finish(const struct weir_engine_thread *self, int is_worker)
{
    uint32_t left = 0;
    weir_live_add(self, is_worker);
    weir_block_sync();
    if (WARP_ID != 0 || weir_lane() != 0)
        return;
    /* Pairs with itself: the last block sees what the others have added. */
    left = weir_add_acq_rel_dev_u32(&self->work->control->live.left, 1);
    if (left == self->blocks - 1)
        weir_live_close(self->work);
}

#endif
