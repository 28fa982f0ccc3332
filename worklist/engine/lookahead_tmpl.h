/** @file lookahead_tmpl.h  A part of engine_tmpl.h: what a warp knows of a narrow round before it begins.
 *
 * While blocks wait for each other nothing happens to the graph. So the warps of a block look meanwhile at the items
 * that it will process next (block_queue_tmpl.h): what their atoms reach, where the tiles of those begin and end; and they
 * have what the updates will change fetched into L2. When the round begins only the updates are left to do.
 *
 * A small group of lanes has a tile. Where there are more atoms than a lane of the group each, other groups' lanes that
 * have none take second ones over, so that all are under way together. */

/** Lanes of a tile, as the power of two. On the host a lane works alone. */
#ifdef __CUDACC__
#define NARROW_LOG(work) ((work)->group_log)
#else
#define NARROW_LOG(work) ((void)(work), 0u)
#endif

/** A new item that an atom may make, and what its tile will be: loads that are under way while nobody looks. */
struct OP(reached) {
    OP(item) item;
    uint64_t first, last;
};

/** Some tiles that a warp will process, one for each group of lanes, as one lane knows them. */
struct OP(ahead) {
    uint32_t count;              /* tiles; 0: there are none */
    int cut;                     /* some are too long */
    int fresh;                   /* the tile of this lane's next atom is not stale */
    uint32_t stale, fresh_atoms; /* what this lane counts: stale tiles, atoms of others */
    OP(item) item;
    uint64_t first; /* its atoms: first to first + atoms - 1; */
    uint32_t atoms; /* this lane has the one at its rank, and those a group further on each */
    int any, both;  /* which of these two there are: */
    struct OP(reached) one; /* what this lane's first atom makes, */
    struct OP(reached) two; /* and the one a group further on */
};

/** Which of a tile's atoms is this lane's first. */
WEIR_DEV uint32_t OP(rank)(const struct OP(run) * run)
{
    return weir_lane() & ((1u << NARROW_LOG(&run->args->work)) - 1u);
}

/** Give the second atoms of lanes to lanes that have none, as far as these go: then they are under way side by side. */
WEIR_DEV void OP(deal_out)(struct OP(ahead) * ahead)
{
    const uint32_t seconds = weir_ballot(ahead->both), idle = weir_ballot(!ahead->any);
    if (WEIR_LANES == 1u || !seconds)
        return;
    const uint32_t before = (1u << weir_lane()) - 1u, nth = weir_popcount_u32(idle & before);
    uint32_t from = seconds;
    WEIR_ROLLED
    for (uint32_t skip = 0; skip < nth && from; skip++)
        from &= from - 1u;
    const int mine = !ahead->any && from;
    const uint32_t lane = mine ? weir_first_bit_u32(from) : weir_lane();
    const OP(item) item = OP(item_of_lane)(ahead->two.item, lane);
    const int fresh = (int)weir_broadcast_u32((uint32_t)ahead->fresh, lane);
    if (mine) {
        ahead->one.item = item;
        ahead->fresh = fresh;
        ahead->any = 1;
    }
    if (ahead->both && weir_popcount_u32(seconds & before) < weir_popcount_u32(idle))
        ahead->both = 0;
}

/** Begin to fetch what the update that an item stands for needs, and the bounds of its tile. */
WEIR_DEV void OP(expect_one)(const struct OP(run) * run, struct OP(reached) * reached)
{
    OP(expect)(&run->args->state, &reached->item);
    OP(bounds)(&run->args->state, &reached->item, &reached->first, &reached->last);
}

/** Look what this lane's first two atoms reach: both are under way together, then what they need. */
WEIR_DEV void OP(look_at)(const struct OP(run) * run, struct OP(ahead) * ahead)
{
    const OP(state) *state = &run->args->state;
    const uint32_t at = OP(rank)(run), further = at + (1u << NARROW_LOG(&run->args->work));
    ahead->any = at < ahead->atoms;
    ahead->both = further < ahead->atoms;
    if (ahead->any)
        OP(reach)(state, &ahead->item, ahead->first + at, &ahead->one.item);
    if (ahead->both)
        OP(reach)(state, &ahead->item, ahead->first + further, &ahead->two.item);
    OP(deal_out)(ahead);
    if (ahead->any)
        OP(expect_one)(run, &ahead->one);
    if (ahead->both)
        OP(expect_one)(run, &ahead->two);
}

/** Look ahead at @p count tiles: this lane's, and what its first atoms reach. All that is asked for does not change in
 *  a run, but for whether the tile is stale; if it becomes so later its atoms are no news. @param[in] bounds  of it. */
WEIR_DEV void OP(look_ahead)(const struct OP(run) * run, struct OP(ahead) * ahead, uint32_t count,
                             uint64_t bounds)
{
    const OP(state) *state = &run->args->state;
    const int mine = weir_lane() >> NARROW_LOG(&run->args->work) < count;
    uint64_t last = 0, unused[2];
    ahead->count = count;
    ahead->first = 0;
    ahead->fresh = 0;
    if (mine && bounds != WEIR_BOUNDS_UNKNOWN) {
        ahead->first = weir_bounds_first(bounds);
        last = ahead->first + weir_bounds_count(bounds);
    } else if (mine) {
        OP(bounds)(state, &ahead->item, &ahead->first, &last);
    }
    ahead->cut = weir_ballot(last - ahead->first > run->args->work.cut) != 0;
    ahead->atoms = ahead->cut ? 0 : (uint32_t)(last - ahead->first);
    if (mine && !ahead->cut) /* the answer comes with what the atoms reach */
        ahead->fresh = OP(tile)(state, &ahead->item, &unused[0], &unused[1]);
    ahead->stale = mine && !ahead->cut && !ahead->fresh && OP(rank)(run) == 0;
    ahead->fresh_atoms = ahead->fresh && OP(rank)(run) == 0 ? ahead->atoms : 0;
    OP(look_at)(run, ahead);
}

/* On a GPU the last warp of a block keeps the books and waits for other blocks; the others work, and look ahead while it
 * waits. On the host one thread does everything in turn, and a set is one tile. */
#ifdef __CUDACC__
#define WORKING_WARPS    (WARPS - 1u)
#define IS_KEEPER(warp)  ((warp) == WARPS - 1u)
#define IS_WORKING(warp) ((warp) != WARPS - 1u)
#define EACH_LOG(work)   (5u - (work)->group_log)
#else
#define WORKING_WARPS    1u
#define IS_KEEPER(warp)  ((void)(warp), 1)
#define IS_WORKING(warp) ((void)(warp), 1)
#define EACH_LOG(work)   ((void)(work), 0u)
#endif

/** The sets of a round that a block has: first those of its own items, in half `half`, then its share of those in the near
 *  bag, which is known when the round has begun. */
struct OP(sets) {
    uint32_t half;
    uint32_t own;    /* items of its own */
    uint32_t shared; /* items in the near bag, of all blocks */
    uint32_t step;   /* between two sets in it that are this block's */
    uint32_t first;  /* which of those is the block's first */
    int has_bounds;
};

/** Which share of a round of @p active blocks is this block's: each time another one, so that nobody is dealt most
 *  of what is left over for ever. */
WEIR_DEV uint32_t OP(turned)(uint32_t block_number, uint32_t generation, uint32_t active)
{
    return active & (active - 1u) ? block_number : (block_number + generation) & (active - 1u);
}

/** The round of @p word begins. */
WEIR_DEV void OP(share_out)(const struct OP(run) * run, struct OP(sets) * sets, uint64_t word)
{
    sets->shared = weir_word_shared(word);
    if (!sets->shared)
        return;
    sets->step = weir_word_blocks(word, run->blocks);
    sets->first = OP(turned)(run->block_number, weir_word_generation(word), sets->step);
    sets->has_bounds = weir_word_has_bounds(word);
}

/** Look at set number @p set of the block; ahead->count is 0 if there is none. */
WEIR_DEV void OP(look_at_set)(const struct OP(run) * run, struct OP(ahead) * ahead,
                              const struct OP(sets) * sets, uint32_t set)
{
    const struct weir_engine_args *work = &run->args->work;
    const struct OP(block) *block = run->block;
    const uint32_t log = EACH_LOG(work), each = 1u << log;
    const uint32_t own_sets = (sets->own + each - 1u) >> log;
    const uint32_t tile = weir_lane() >> NARROW_LOG(work);
    uint64_t bounds = WEIR_BOUNDS_UNKNOWN;
    uint32_t begin = set << log, end = sets->own;
    ahead->count = 0;
    if (set >= own_sets) {
        if (!sets->shared)
            return;
        begin = ((set - own_sets) * sets->step + sets->first) << log;
        end = sets->shared;
    }
    if (begin >= end)
        return;
    if (begin + tile < end && tile < each) {
        if (set < own_sets) {
            ahead->item = block->own[sets->half][begin + tile];
            bounds = block->own_bounds[sets->half][begin + tile];
        } else {
            if (sets->has_bounds) /* both loads are under way together */
                bounds = weir_load_relaxed_dev_u64(&work->bounds[sets->half][begin + tile]);
            OP(items_get)
            (&ahead->item,
             (const OP(item) *)work->bag[WEIR_BAG_NEAR + sets->half].slots + begin + tile);
        }
    }
    OP(look_ahead)(run, ahead, end - begin < each ? end - begin : each, bounds);
}
