/** @file round.h  A part of engine_tmpl.h: what a round does that needs no type of the operator. */
#ifndef WEIR_WORKLIST_ENGINE_ROUND_H
#define WEIR_WORKLIST_ENGINE_ROUND_H

#include "worklist/engine/thread.h"
#include "worklist/operator.h"

/** Destinations of an item: bags by their number, then one for each channel. */
#define TO_NOWHERE 0xFFFFFFFFu
#define TO_CHANNEL 64u

/** Where the tail of a bag lies. */
WEIR_DEV uint32_t *weir_bag_tail(const struct weir_engine_args *work, uint32_t bag)
{
    return &work->control->look[bag].word;
}

/** An operator named an owner that an item cannot be sent to: the run ends after this round. Any lane. */
WEIR_DEV void weir_report_astray(const struct weir_engine_args *work)
{
    weir_add_relaxed_dev_u32(&work->control->look[WEIR_LOOK_ASTRAY].word, 1);
}

/** The destination of an item that another worker owns. One lane. */
WEIR_DEV uint32_t weir_channel_to(const struct weir_engine_args *work, uint32_t owner)
{
    if (owner < work->workers && owner != work->index)
        return TO_CHANNEL + work->control->channel_of[owner];
    weir_report_astray(work);
    return TO_NOWHERE;
}

/** Atoms from which on tiles are cut in a round. A warp that has a long tile keeps all others waiting at the end of the round, unless
 *  they have as much to do: so tiles are cut at what a warp has to do on average, between the two bounds. In a narrow round
 *  a piece costs more than it saves, a decision and a round of its own. */
WEIR_DEV uint32_t weir_cut_of(const struct weir_engine_args *work, uint64_t word, uint32_t blocks)
{
    const uint64_t atoms = (uint64_t)weir_word_count(word) * work->tile_atoms;
    const uint64_t share = atoms / ((uint64_t)blocks * WARPS);
    if (share >= work->cut || weir_is_narrow(work, word, blocks))
        return work->cut;
    return share > work->cut_least ? (uint32_t)share : work->cut_least;
}

/** The block's next round is that of @p word. One lane. */
WEIR_DEV void weir_block_begins(const struct weir_engine_args *work,
                                struct weir_engine_block *block, uint32_t blocks, uint64_t word)
{
    block->word = word;
    block->cut = weir_cut_of(work, word, blocks);
}

/** There is no room for an item, or the atoms of a tile cannot be counted: the run ends after this round. Any lane.
 *  @param[in] why  enum weir_look. */
WEIR_DEV void weir_refuse(const struct weir_engine_args *work, struct weir_engine_block *block,
                          uint32_t why)
{
    weir_store_relaxed_dev_u32(&work->control->look[why].word, 1);
    block->special = 1;
}

/** Atoms of a tile, as a set counts them: WEIR_TILE_MOST stands for more than can be counted. */
WEIR_DEV uint32_t weir_countable(uint64_t atoms)
{
    return atoms < WEIR_TILE_MOST ? (uint32_t)atoms : WEIR_TILE_MOST;
}

/** Take the first @p atoms atoms out of a tile of the set, since they are processed elsewhere or not at all. All lanes. */
WEIR_DEV void weir_skip_atoms(struct weir_engine_block *block, uint32_t slot, uint32_t atoms)
{
    weir_lanes_sync();
    if (weir_lane() == 0) {
        block->first[slot] += atoms;
        block->ends[slot] -= atoms;
    }
    weir_lanes_sync();
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Atoms that lie in lines of WEIR_LINE_ATOMS are read best if the lanes of a warp read along one line: two parts of two lines are two
 * requests, which a link to host memory serves one after the other. So each tile of a set is led by as many numbers of no atom as make its
 * atoms fall to the lanes that they have in their lines; the number of these, its *lead*, stands in the upper bits of its first atom. */
#define WEIR_LINE_ATOMS 32u
#define WEIR_LEAD_SHIFT 59

WEIR_DEV uint32_t weir_lead_of(uint64_t first)
{
    return (uint32_t)(first >> WEIR_LEAD_SHIFT);
}

WEIR_DEV uint64_t weir_without_lead(uint64_t first)
{
    return first & ((UINT64_C(1) << WEIR_LEAD_SHIFT) - 1u);
}

/** Lead the tiles of a warp's set, of at most WEIR_LANES tiles whose atoms are not added up yet. All lanes of a warp. */
WEIR_DEV void weir_align_set(struct weir_engine_block *block, uint32_t base, uint32_t count)
{
    const uint32_t slot = base + weir_lane();
    const uint32_t atoms = weir_lane() < count ? block->ends[slot] : 0;
    const uint64_t first = atoms ? block->first[slot] : 0;
    /* Where the tile before ends, modulo a line; tiles without atoms are nowhere. */
    const uint32_t before = weir_ballot(atoms != 0) & ((1u << weir_lane()) - 1u);
    const uint32_t last = before ? weir_bits_u32(before) - 1u : 0;
    const uint32_t end = weir_broadcast_u32((uint32_t)first + atoms, last);
    const uint32_t lead = ((uint32_t)first - (before ? end : 0)) % WEIR_LINE_ATOMS;
    if (atoms) {
        block->ends[slot] = atoms + lead;
        block->first[slot] = weir_without_lead(first - lead) | (uint64_t)lead << WEIR_LEAD_SHIFT;
    }
    weir_lanes_sync();
}

/** Fetch again: @p each elements beyond those that all fetchers begin with. One lane.
 *  @param[in] dealt  elements that all fetchers begin with. @return the first of the new ones. */
WEIR_DEV uint32_t weir_fetch_again(const struct weir_engine_thread *self, uint32_t dealt,
                                   uint32_t each)
{
    return dealt +
           weir_atomic_add_relaxed_dev_u32(&self->work->control->cursor[self->cursor], each);
}

/** Add what the lanes of this warp counted in the round to the words that the decider looks at. */
WEIR_DEV void weir_add_counts(struct weir_engine_thread *self)
{
    struct weir_word_apart *look = self->work->control->look;
    uint32_t moved = (uint32_t)weir_sum_u64(self->moved),
             merged = (uint32_t)weir_sum_u64(self->merged);
    uint32_t still_deferred = (uint32_t)weir_sum_u64(self->still_deferred);
    if (weir_lane() == 0) {
        if (moved)
            weir_add_relaxed_dev_u32(&look[WEIR_LOOK_MOVED].word, moved);
        if (merged)
            weir_add_relaxed_dev_u32(&look[WEIR_LOOK_MERGED].word, merged);
        if (still_deferred)
            weir_add_relaxed_dev_u32(&look[WEIR_LOOK_STILL_DEFERRED].word, still_deferred);
    }
    self->moved = self->merged = self->still_deferred = 0;
}

/** Add the near items that this warp made to those of its block. All lanes. */
WEIR_DEV void weir_add_pushed(struct weir_engine_thread *self)
{
    if (weir_lane() == 0 && self->pushed)
        (void)weir_atomic_add_relaxed_dev_u32(&self->block->pushed, self->pushed);
    self->pushed = 0;
}

/** Read what the word does not say itself. Warp 0 of the block, before the other warps of the block go on.
 *  @param[in] fresh  what the block read before may be out of date. */
WEIR_DEV void weir_read_plan(const struct weir_engine_thread *self, uint64_t word, int fresh)
{
    const struct weir_engine_args *work = self->work;
    const struct weir_work_plan *plan = &work->control->plan;
    struct weir_engine_block *block = self->block;
    const uint32_t action = weir_word_action(word);
    if (action == WEIR_ACTION_NEAR && !fresh && !work->packets)
        return;        /* the word says all that the block needs */
    weir_lanes_sync(); /* one lane has acquired the word */
    if (weir_lane() == 0)
        block->order = plan->order;
    if (weir_word_is_planned(word)) {
        WEIR_ROLLED
        for (uint32_t s = weir_lane(); s < plan->segments; s += WEIR_LANES)
            block->segment[s] = plan->segment[s];
    }
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
        block->segments = weir_word_is_planned(word) ? plan->segments : 0;
    }
    uint32_t total = weir_word_count(word);
    WEIR_ROLLED
    for (uint32_t p = 0; p < work->packets; p++) { /* discrete: what the host received */
        total += work->packet_count[p];
        block->segment[block->segments].slots = work->packet[p];
        block->segment[block->segments].end = total;
        block->segment[block->segments++].kind =
            work->packet[p] ? WEIR_SEGMENT_ARRIVED : WEIR_SEGMENT_SEED;
    }
}

#endif
