/** @file tile_kind_tmpl.h  Every schedule over one kind of tile set, on the host, held against the plans of schedule_plan.h.
 *
 *     #define KIND weir_coo            its prefix
 *     #define KIND_NUMBER uint32_t     what its numbers are
 *     #define KIND_COUNTS 1            it knows how long tiles are alone: thread and team, atoms from 0 in each tile
 *     #define KIND_ENDS   1            it is of ends: a group's lane may go along tiles to its first atom
 *     #include "tests/lib/tile_kind_tmpl.h"
 *
 * makes kind_KIND(case, set): `set` is that of the case, in this kind. */
#define K(name)    WEIR_SCHEDULE_NAME(KIND, name)
#define KIND_(x)   WEIR_SCHEDULE_NAME(kind, x)
#define HERE(name) WEIR_SCHEDULE_NAME(KIND_(KIND), name)

/* What a lane met: an atom counted within its tile. */
static void HERE(atom)(struct tile_case *c, uint32_t lane, KIND_NUMBER tile, KIND_NUMBER atom)
{
    assert_true(tile < c->set.tiles);
    const uint32_t begin = weir_tile_set_first(c->set, (uint32_t)tile) - c->set.first;
    assert_true(atom < c->set.ends[tile] - c->set.first - begin);
    const uint32_t i = begin + (uint32_t)atom;
    assert_int_equal(c->met[i], TILE_NOBODY);
    c->met[i] = lane;
}

/* A run: within its tile, further on than the one before, and said to be whole if it is. */
static void HERE(run)(struct tile_case *c, K(tile_set) set, uint32_t lane, K(tile_run) * run,
                      int64_t *last)
{
    (void)set;
    assert_true(run->tile < c->set.tiles);
    assert_true((int64_t)run->tile > *last);
    *last = (int64_t)run->tile;
    const uint32_t tile = (uint32_t)run->tile, begin = weir_tile_set_first(c->set, tile);
    const uint32_t count = c->set.ends[tile] - begin;
    KIND_NUMBER atoms = 0;
#if KIND_COUNTS
    assert_int_equal(run->first, 0);
#else
    if (count)
        assert_int_equal(run->first, K(tile_set_first)(set, run->tile));
    if (count)
        assert_int_equal(K(tile_set_end)(set, run->tile) - run->first, count);
#endif
    assert_int_equal(run->end - run->first <= count, 1);
    if (run->whole) /* one lane alone is told so */
        assert_int_equal(c->whole[tile]++, 0);
    const uint32_t whole = run->whole;
    for (; run->at < run->end; run->at += run->step, atoms++) {
        HERE(atom)(c, lane, run->tile, run->at - run->first);
#if !KIND_COUNTS
        assert_int_equal(K(tile_set_tile)(set, run->at), tile);
#endif
    }
    assert_true(!whole || atoms == count);
    assert_true(whole || c->tails || atoms < count || count == 0);
}

#define WALKS(way, S, START)                                                              \
    static void HERE(way##_by_next)(struct tile_case * c, K(tile_set) set)                \
    {                                                                                     \
        for (uint32_t lane = 0; lane < c->lanes; lane++) {                                \
            K(S##_walk) walk;                                                             \
            KIND_NUMBER tile = 0, atom = 0;                                               \
            START;                                                                        \
            while (K(S##_next)(&walk, set, &tile, &atom))                                 \
                HERE(atom)(c, lane, tile, atom);                                          \
            assert_false(K(S##_next)(&walk, set, &tile, &atom));                          \
        }                                                                                 \
    }                                                                                     \
    static void HERE(way##_by_run)(struct tile_case * c, K(tile_set) set)                 \
    {                                                                                     \
        for (uint32_t lane = 0; lane < c->lanes; lane++) {                                \
            K(S##_walk) walk;                                                             \
            K(tile_run) run = WEIR_TILE_RUN_INIT;                                         \
            int64_t last = -1;                                                            \
            START;                                                                        \
            while (K(S##_run)(&walk, set, &run))                                          \
                HERE(run)(c, set, lane, &run, &last);                                     \
            assert_false(K(S##_run)(&walk, set, &run));                                   \
        }                                                                                 \
    }                                                                                     \
    static void HERE(way)(struct tile_case * c, K(tile_set) set, schedule_plan_fn * plan) \
    {                                                                                     \
        tile_case_begin(c, plan);                                                         \
        HERE(way##_by_next)(c, set);                                                      \
        tile_case_end(c, #way " by next");                                                \
        tile_case_begin(c, plan);                                                         \
        HERE(way##_by_run)(c, set);                                                       \
        tile_case_end(c, #way " by run");                                                 \
    }
WALKS(thread, thread, K(thread_start)(&walk, set, lane, c->lanes))
WALKS(team, team, K(team_start)(&walk, set, lane, c->lanes, c->size))
#if !KIND_COUNTS
WALKS(strided, strided, K(strided_start)(&walk, set, lane, c->lanes))
WALKS(warp, warp, K(warp_start)(&walk, set, lane, c->lanes))
WALKS(block, block, K(block_start)(&walk, set, lane, c->lanes))
WALKS(group, group, K(group_start)(&walk, set, lane, c->lanes))
WALKS(merge, merge, K(merge_start)(&walk, set, lane, c->lanes))
#endif
#if KIND_ENDS
WALKS(along, group, K(group_along)(&walk, set, lane, c->lanes))
#endif
#undef WALKS

#if !KIND_COUNTS
/* The parts of shares apart. Of a tail it is not said whether others have atoms of the tile. */
static void HERE(parts)(struct tile_case *c, K(tile_set) set)
{
    tile_case_begin(c, schedule_plan[SCHEDULE_weir_merge]);
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        K(merge_walk) walk;
        K(tile_run) run = WEIR_TILE_RUN_INIT;
        int64_t last = -1;
        K(merge_start)(&walk, set, lane, c->lanes);
        if (K(merge_head)(&walk, set, &run)) {
            assert_true(!run.whole && run.at > run.first && run.at < run.end);
            HERE(run)(c, set, lane, &run, &last);
        }
        while (K(merge_complete)(&walk, set, &run)) {
            assert_true(run.whole);
            HERE(run)(c, set, lane, &run, &last);
        }
        c->tails = 1;
        if (K(merge_tail)(&walk, set, &run)) {
            assert_true(!run.whole && run.at < run.end);
            HERE(run)(c, set, lane, &run, &last);
        }
        c->tails = 0;
        assert_false(K(merge_complete)(&walk, set, &run) || K(merge_tail)(&walk, set, &run));
    }
    tile_case_end(c, "merge by parts");
    tile_case_empties(c, 1);
}
#endif

static void WEIR_SCHEDULE_NAME(kind, KIND)(struct tile_case *c, K(tile_set) set)
{
    HERE(thread)(c, set, schedule_plan[SCHEDULE_weir_thread]);
    tile_case_empties(c, 1);
    const uint32_t sizes[] = {1, 2, 3, c->lanes, c->lanes + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        c->size = sizes[i];
        HERE(team)(c, set, NULL);
        tile_case_empties(c, 1);
    }
#if !KIND_COUNTS
    HERE(strided)(c, set, schedule_plan[SCHEDULE_weir_strided]);
    tile_case_empties(c, 1);
    HERE(warp)(c, set, schedule_plan[SCHEDULE_weir_warp]);
    HERE(block)(c, set, schedule_plan[SCHEDULE_weir_block]);
    HERE(group)(c, set, schedule_plan[SCHEDULE_weir_group]);
    tile_case_empties(c, 0);
#if KIND_ENDS
    HERE(along)(c, set, schedule_plan[SCHEDULE_weir_group]);
    tile_case_empties(c, 0);
#endif
    HERE(merge)(c, set, schedule_plan[SCHEDULE_weir_merge]);
    tile_case_empties(c, 1);
    HERE(parts)(c, set);
    assert_int_equal(K(tile_set_atoms)(set), weir_tile_set_atoms(c->set));
#endif
    for (uint32_t tile = 0; tile < c->set.tiles; tile++)
        assert_int_equal(K(tile_set_count)(set, tile),
                         c->set.ends[tile] - weir_tile_set_first(c->set, tile));
}

#undef K
#undef KIND_
#undef HERE
#undef KIND
#undef KIND_NUMBER
#undef KIND_COUNTS
#undef KIND_ENDS
