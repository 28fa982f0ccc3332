/** @file padded_rows_tmpl.h  A part of engine_tmpl.h: narrow rounds over padded rows, for operators that have such (NAME_padded_rows).
 *
 * In a narrow round an update waits for the atoms of a tile, and those for the bounds of the tile: three accesses that depend on
 * each other, with a barrier beside the last two (narrow_tmpl.h). A *padded row* (as of ELLPACK) has all atoms of a tile in it and
 * as many entries that are none as are left, in a place that the item alone names, 16 to 64 bytes from there on. So while blocks wait for each other a warp has the whole rows under way of what its items
 * reach, whether they will be news or not, and what turns out to be news goes into the block queue with its atoms. The next round
 * begins with them: an update, and a row that is loaded beside the barrier, are all that is left of the chain. And the code is
 * short, which counts as much: a lane has one atom, and nothing is dealt out. */

#if OP(padded_rows)
static_assert(sizeof(OP(entry)) == 4 || sizeof(OP(entry)) == 8, "NAME_entry has 4 or 8 bytes");

/** Parts of 16 bytes that a padded row has at most. */
#define ROW_PARTS (WEIR_PADDED_ROW_MOST * sizeof(OP(entry)) / 16u)

/** Some tiles that a warp will process, one for each group of as many lanes as a padded row has entries, as one lane knows them. On a host
 *  device the lane has all entries of one tile, one after the other. */
struct OP(rows_ahead) {
    uint32_t count;      /* tiles; 0: there are none */
    int fresh;           /* the lane's tile is not stale */
    uint32_t stale;      /* what this lane counts */
    int any;             /* its entry makes an item */
    OP(item) item, next; /* that of its tile, and the one that it makes */
    OP(entry)
    row[WEIR_PADDED_ROW_MOST]; /* the padded row of the latter, a load that need not have finished */
    enum weir_fate fate;       /* what became of it */
    OP(entry) own[WEIR_PADDED_ROW_MOST]; /* that of the tile, on a host device */
};

/** Load a padded row of 2^@p log entries. */
WEIR_DEV void OP(load_row)(OP(entry) * row, const OP(entry) * from, uint32_t log)
{
    for (uint32_t p = 0; p < ROW_PARTS; p++)
        if (p * (16u / sizeof(OP(entry))) < 1u << log)
            weir_load_16((char *)row + 16u * p, (const char *)from + 16u * p);
}

/** Put new items and their padded rows into the block queue, or without them into the near bag. All lanes. @param[in] near  the lane
 *  has one. */
WEIR_DEV void OP(put_rows)(struct weir_engine_thread *self, int near, const OP(item) * item,
                           uint32_t log, const OP(entry) * row)
{
    struct OP(block) *block = OP(block_of)(self);
    const uint32_t group = weir_ballot(near), half = self->near_bag & 1u;
    if (!group)
        return;
    const struct weir_slots slots = weir_reserve_slots(self, weir_popcount_u32(group), 1);
    const uint32_t nth = weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
    const uint32_t slot = slots.queue + nth;
    if (near && nth < slots.queued) {
        char *to = (char *)&block->queued_row[half][slot << log];
        block->queued[half][slot] = *item;
        for (uint32_t p = 0; p < ROW_PARTS; p++)
            if (p * (16u / sizeof(OP(entry))) < 1u << log)
                weir_store_16(to + 16u * p, (const char *)row + 16u * p);
    } else if (near) {
        OP(put_narrow)(self, slots.bag + nth, item, WEIR_BOUNDS_UNKNOWN);
    }
}

/** Put items that are handed out into the block queue. All lanes. @param[in] near  the lane has one, whose tile has the atoms @p first to
 *  @p last - 1. */
WEIR_DEV void OP(put_handed_out)(struct weir_engine_thread *self, int near, const OP(item) * item,
                                 uint64_t first, uint64_t last)
{
    const uint32_t log = OP(row_log_of)(&OP(block_of)(self)->args);
    OP(entry) row[WEIR_PADDED_ROW_MOST];
    if (!log) {
        OP(put_bounded)(self, near, item, weir_bounds_make(first, last));
        return;
    }
    if (near)
        OP(load_row)(row, OP(padded_row)(OP(state_of)(self), item), log);
    OP(put_rows)(self, near, item, log, row);
}

/** Look at an entry of this lane's tile: what it makes, and the padded row of that. */
WEIR_DEV void OP(look_at_entry)(const struct weir_engine_thread *self,
                                struct OP(rows_ahead) * ahead, const OP(entry) * entry, int mine,
                                uint32_t log)
{
    const OP(state) *state = OP(state_of)(self);
    ahead->any = mine && OP(enter)(state, &ahead->item, entry, &ahead->next);
    if (!ahead->any)
        return;
    OP(expect)(state, &ahead->next);
    OP(load_row)(ahead->row, OP(padded_row)(state, &ahead->next), log);
}

/** As look_at_set(), over padded rows of 2^@p log entries. */
WEIR_DEV void OP(look_at_rows)(const struct weir_engine_thread *self, struct OP(rows_ahead) * ahead,
                               const struct weir_narrow_sets *sets, uint32_t set, uint32_t log)
{
    const uint32_t each_log = ROWS_SET_LOG(log), each = 1u << each_log;
    const uint32_t queued_sets = (sets->queued + each - 1u) >> each_log;
    const uint32_t tile = weir_lane() >> log, k = weir_lane() & ((1u << log) - 1u);
    const int queued = set < queued_sets;
    uint32_t begin = set << each_log, end = sets->queued;
    const OP(entry) *row = NULL;
    uint64_t unused[2];
    ahead->count = 0;
    if (!queued) {
        if (!sets->shared)
            return;
        begin = ((set - queued_sets) * sets->stride + sets->first) << each_log;
        end = sets->shared;
    }
    if (begin >= end)
        return;
    const int mine = begin + tile < end;
    ahead->count = end - begin < each ? end - begin : each;
    ahead->fresh = 0;
    if (mine && queued) {
        ahead->item = OP(block_of)(self)->queued[sets->half][begin + tile];
        row = &OP(block_of)(self)->queued_row[sets->half][(begin + tile) << log];
    } else if (mine) {
        OP(items_get)
        (&ahead->item,
         (const OP(item) *)self->work->bag[WEIR_BAG_NEAR + sets->half].slots + begin + tile);
        row = OP(padded_row)(OP(state_of)(self), &ahead->item);
    }
    if (mine)
        ahead->fresh = OP(tile)(OP(state_of)(self), &ahead->item, &unused[0], &unused[1]);
    ahead->stale = mine && !ahead->fresh && k == 0;
    if (WEIR_LANES > 1u)
        OP(look_at_entry)(self, ahead, row + k, mine, log);
    for (uint32_t e = 0; WEIR_LANES == 1u && e < 1u << log; e++)
        ahead->own[e] = row[e];
}

/** Make the update of the entry that the lane looked ahead at. */
WEIR_DEV void OP(send_entry)(const struct weir_engine_thread *self, struct OP(rows_ahead) * ahead)
{
    ahead->fate = WEIR_FATE_DROP;
    if (ahead->count && ahead->any && ahead->fresh)
        ahead->fate = OP(on_send)(OP(state_of)(self), &ahead->next);
}

/** Put the item that the update made, if it was news, into its slot. */
WEIR_DEV void OP(do_entry)(struct weir_engine_thread *self, const struct OP(rows_ahead) * ahead,
                           uint32_t log)
{
    if (ahead->fate == WEIR_FATE_PASS)
        weir_report_astray(self->work);
    const int near = OP(keep_near)(self, ahead->fate == WEIR_FATE_KEEP, &ahead->next);
    OP(put_rows)(self, near, &ahead->next, log, ahead->row);
    self->atoms += ahead->any && ahead->fresh;
}

/** Process the tiles that the warp looked ahead at. @param[in] sent  the updates have been made (send_entry()), which a thread of a host
 *  device does here. */
WEIR_DEV void OP(do_rows)(struct weir_engine_thread *self, struct OP(rows_ahead) * ahead,
                          uint32_t log, int sent)
{
    self->stale += ahead->stale;
    if (WEIR_LANES > 1u && !sent)
        OP(send_entry)(self, ahead);
    if (WEIR_LANES > 1u)
        OP(do_entry)(self, ahead, log);
    for (uint32_t e = 0; WEIR_LANES == 1u && e < 1u << log; e++) {
        OP(look_at_entry)(self, ahead, &ahead->own[e], 1, log);
        OP(send_entry)(self, ahead);
        OP(do_entry)(self, ahead, log);
    }
}
#else
struct OP(rows_ahead) {
    uint32_t count;
};

WEIR_DEV void OP(look_at_rows)(const struct weir_engine_thread *self, struct OP(rows_ahead) * ahead,
                               const struct weir_narrow_sets *sets, uint32_t set, uint32_t log)
{
    (void)self, (void)ahead, (void)sets, (void)set, (void)log;
}

WEIR_DEV void OP(put_handed_out)(struct weir_engine_thread *self, int near, const OP(item) * item,
                                 uint64_t first, uint64_t last)
{
    OP(put_bounded)(self, near, item, weir_bounds_make(first, last));
}

WEIR_DEV void OP(send_entry)(const struct weir_engine_thread *self, struct OP(rows_ahead) * ahead)
{
    (void)self, (void)ahead;
}

WEIR_DEV void OP(do_rows)(struct weir_engine_thread *self, struct OP(rows_ahead) * ahead,
                          uint32_t log, int sent)
{
    (void)self, (void)ahead, (void)log, (void)sent;
}
#endif
