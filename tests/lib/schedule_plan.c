/** @file schedule_plan.c  Plans of all schedules, by plain loops that take one atom after the other. */
#include "tests/lib/schedule_plan.h"

static uint32_t atoms_of(weir_tile_set set, uint32_t tile)
{
    return set.ends[tile] - (tile ? set.ends[tile - 1] : set.first);
}

/* Lane t mod lanes has tile t. */
static void plan_thread(weir_tile_set set, uint32_t lanes, uint32_t *lane_of)
{
    for (uint32_t tile = 0, i = 0; tile < set.tiles; tile++)
        for (uint32_t atom = 0; atom < atoms_of(set, tile); atom++)
            lane_of[i++] = tile % lanes;
}

/* Lane a mod lanes has atom a of a tile. */
static void plan_strided(weir_tile_set set, uint32_t lanes, uint32_t *lane_of)
{
    for (uint32_t tile = 0, i = 0; tile < set.tiles; tile++)
        for (uint32_t atom = 0; atom < atoms_of(set, tile); atom++)
            lane_of[i++] = atom % lanes;
}

/* Lane i mod lanes has atom i of the set. */
static void plan_group(weir_tile_set set, uint32_t lanes, uint32_t *lane_of)
{
    for (uint32_t tile = 0, i = 0; tile < set.tiles; tile++)
        for (uint32_t atom = 0; atom < atoms_of(set, tile); atom++, i++)
            lane_of[i] = i % lanes;
}

/* Consecutive shares of `count` things that differ by one at most, dealt out one thing at a time. */
struct dealer {
    uint32_t count, lanes, lane, taken;
};

static uint32_t deal_one(struct dealer *dealer)
{
    while (dealer->taken ==
           dealer->count / dealer->lanes + (dealer->lane < dealer->count % dealer->lanes)) {
        dealer->lane++;
        dealer->taken = 0;
    }
    dealer->taken++;
    return dealer->lane;
}

/* Steps are atoms and, after the atoms of each tile, its end. */
static void plan_merge(weir_tile_set set, uint32_t lanes, uint32_t *lane_of)
{
    uint32_t atoms = set.tiles ? set.ends[set.tiles - 1] - set.first : 0;
    struct dealer dealer = {set.tiles + atoms, lanes, 0, 0};
    for (uint32_t tile = 0, i = 0; tile < set.tiles; tile++) {
        for (uint32_t atom = 0; atom < atoms_of(set, tile); atom++)
            lane_of[i++] = deal_one(&dealer);
        deal_one(&dealer);
    }
}

/* Whole tiles, in consecutive shares. */
static void plan_runs(weir_tile_set set, uint32_t lanes, uint32_t *lane_of)
{
    struct dealer dealer = {set.tiles, lanes, 0, 0};
    for (uint32_t tile = 0, i = 0; tile < set.tiles; tile++) {
        uint32_t lane = deal_one(&dealer);
        for (uint32_t atom = 0; atom < atoms_of(set, tile); atom++)
            lane_of[i++] = lane;
    }
}

schedule_plan_fn *const schedule_plan[SCHEDULES] = {
    plan_thread, plan_strided, plan_strided, plan_strided, plan_group, plan_merge, plan_runs};
