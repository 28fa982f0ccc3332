/** @file schedule_kinds_op.h  What a lane of the kernel of schedule_kinds.h does, in the dialect. */
#ifndef WEIR_TESTS_LIB_SCHEDULE_KINDS_OP_H
#define WEIR_TESTS_LIB_SCHEDULE_KINDS_OP_H

#include "tests/lib/schedule_kinds.h"

/* Where a lane stands. Scratch memory is the block's, KIND_PIECE words of 64 bits for each lane. */
struct kinds_place {
    uint32_t worker, workers;
    uint32_t thread, threads, block, blocks;
    uint64_t *scratch;
};
#define KIND_PIECE 5u

WEIR_DEV void kinds_note(const struct test_kinds_args *a, uint64_t atom, uint64_t tile)
{
    (void)weir_atomic_add_relaxed_dev_u32(&a->times[atom], 1);
    a->tile[atom] = (uint32_t)tile;
}

#define RUNS(kind, number, S, START)                                                 \
    WEIR_DEV void kinds_##kind##_##S(const struct test_kinds_args *a, uint32_t lane, \
                                     kind##_tile_set set)                            \
    {                                                                                \
        kind##_##S##_walk walk;                                                      \
        kind##_tile_run run = WEIR_TILE_RUN_INIT;                                    \
        kind##_##S##_start START;                                                    \
        while (kind##_##S##_run(&walk, set, &run)) {                                 \
            if (run.whole)                                                           \
                (void)weir_atomic_add_relaxed_dev_u32(&a->whole[run.tile], 1);       \
            for (; run.at < run.end; run.at += run.step)                             \
                kinds_note(a, run.at, run.tile);                                     \
        }                                                                            \
    }
/* Groups of lanes of a block take as many tiles at a time as their words hold; all groups of a block come together. */
#define SCRATCH(kind, number)                                                                    \
    WEIR_DEV void kinds_##kind##_scratch(const struct test_kinds_args *a,                        \
                                         const struct kinds_place *p, kind##_tile_set set,       \
                                         int scope)                                              \
    {                                                                                            \
        const uint32_t within = scope == WEIR_SCRATCH_WARP ? WEIR_LANES : p->threads;            \
        const uint32_t size = a->size < within ? a->size : within;                               \
        const uint32_t corner = p->thread / within * within, place = p->thread - corner;         \
        const uint32_t teams = within / size, team = place / size, room = size * KIND_PIECE;     \
        number *words = (number *)(p->scratch + (corner + team * size) * (size_t)KIND_PIECE);    \
        const uint32_t all = p->blocks * (p->threads / within) * teams;                          \
        const uint32_t me = (p->block * (p->threads / within) + corner / within) * teams + team; \
        for (uint64_t turn = 0; turn < a->tiles; turn += (uint64_t)all * room) {                 \
            const uint64_t from = turn + (uint64_t)me * room;                                    \
            uint32_t count = team < teams && from < a->tiles ? room : 0;                         \
            if (count > a->tiles - from)                                                         \
                count = (uint32_t)(a->tiles - from);                                             \
            scratch_##number set_here =                                                          \
                kind##_scratch_fill(set, (number)from, count, words, place % size, size, scope); \
            walk_##number(a, set_here, from, place % size, size);                                \
        }                                                                                        \
    }
typedef weir_tile_set scratch_uint32_t;
typedef weir_wide_tile_set scratch_uint64_t;
#define WALK(number, prefix)                                                            \
    WEIR_DEV void walk_##number(const struct test_kinds_args *a, prefix##_tile_set set, \
                                uint64_t from, uint32_t lane, uint32_t lanes)           \
    {                                                                                   \
        prefix##_group_walk walk;                                                       \
        number tile, atom;                                                              \
        prefix##_group_start(&walk, set, lane, lanes);                                  \
        while (prefix##_group_next(&walk, set, &tile, &atom))                           \
            kinds_note(a, a->ends64[from + tile] + atom, from + tile);                  \
    }
WALK(uint32_t, weir)
WALK(uint64_t, weir_wide)
#undef WALK

#define KIND(kind, number, ...)                                                              \
    RUNS(kind, number, thread, (&walk, set, lane, a->lanes))                                 \
    RUNS(kind, number, team, (&walk, set, lane, a->lanes, a->size))                          \
    RUNS(kind, number, strided, (&walk, set, lane, a->lanes))                                \
    RUNS(kind, number, group, (&walk, set, lane, a->lanes))                                  \
    RUNS(kind, number, merge, (&walk, set, lane, a->lanes))                                  \
    SCRATCH(kind, number)                                                                    \
    WEIR_DEV void kinds_##kind(const struct test_kinds_args *a, const struct kinds_place *p) \
    {                                                                                        \
        const kind##_tile_set tiles = __VA_ARGS__;                                           \
        if (a->way == WAY_scratch_warp)                                                      \
            kinds_##kind##_scratch(a, p, tiles, WEIR_SCRATCH_WARP);                          \
        if (a->way == WAY_scratch_block)                                                     \
            kinds_##kind##_scratch(a, p, tiles, WEIR_SCRATCH_BLOCK);                         \
        for (uint32_t lane = p->worker * WEIR_LANES + weir_lane(); lane < a->lanes;          \
             lane += p->workers * WEIR_LANES) {                                              \
            if (a->way == WAY_thread)                                                        \
                kinds_##kind##_thread(a, lane, tiles);                                       \
            if (a->way == WAY_team)                                                          \
                kinds_##kind##_team(a, lane, tiles);                                         \
            if (a->way == WAY_strided)                                                       \
                kinds_##kind##_strided(a, lane, tiles);                                      \
            if (a->way == WAY_group)                                                         \
                kinds_##kind##_group(a, lane, tiles);                                        \
            if (a->way == WAY_merge)                                                         \
                kinds_##kind##_merge(a, lane, tiles);                                        \
        }                                                                                    \
    }
EACH_KIND(KIND)
#undef KIND
#undef RUNS
#undef SCRATCH

WEIR_DEV void test_kinds_op(const struct test_kinds_args *a, const struct kinds_place *p)
{
    switch (a->kind) {
#define CASE(kind, number, ...) \
    case KIND_##kind:           \
        kinds_##kind(a, p);     \
        break;
        EACH_KIND(CASE)
#undef CASE
    }
}

#endif
