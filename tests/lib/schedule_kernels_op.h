/** @file schedule_kernels_op.h  What a worker of the schedules' test kernel does, in the dialect. */
#ifndef WEIR_TESTS_LIB_SCHEDULE_KERNELS_OP_H
#define WEIR_TESTS_LIB_SCHEDULE_KERNELS_OP_H

#include "tests/lib/schedule_kernels.h"

WEIR_DEV void test_schedule_note(const struct test_schedule_args *a, uint32_t lane, uint32_t tile,
                                 uint32_t atom)
{
    uint32_t i = weir_tile_set_first(a->set, tile) - a->set.first + atom;
    weir_atomic_add_relaxed_dev_u32(&a->times[i], 1);
    a->tile[i] = tile;
    a->lane[i] = lane;
}

#define WALK(schedule)                                                                    \
    WEIR_DEV void test_walk_##schedule(const struct test_schedule_args *a, uint32_t lane) \
    {                                                                                     \
        WEIR_SCHEDULE_NAME(schedule, walk) walk;                                          \
        uint32_t tile, atom;                                                              \
        WEIR_SCHEDULE_NAME(schedule, start)(&walk, a->set, lane, a->lanes);               \
        while (WEIR_SCHEDULE_NAME(schedule, next)(&walk, a->set, &tile, &atom))           \
            test_schedule_note(a, lane, tile, atom);                                      \
    }
EACH_SCHEDULE(WALK)
#undef WALK

WEIR_DEV void test_schedule_op(const struct test_schedule_args *a, uint32_t worker,
                               uint32_t workers)
{
    for (uint32_t lane = worker * WEIR_LANES + weir_lane(); lane < a->lanes;
         lane += workers * WEIR_LANES) {
        switch (a->schedule) {
#define WALK(schedule)                 \
    case SCHEDULE_##schedule:          \
        test_walk_##schedule(a, lane); \
        break;
            EACH_SCHEDULE(WALK)
#undef WALK
        }
    }
}

#endif
