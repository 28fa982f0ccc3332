/** @file schedule_plan.h  Which lane each atom should come to: the schedules, said as plainly as can be. */
#ifndef WEIR_TESTS_LIB_SCHEDULE_PLAN_H
#define WEIR_TESTS_LIB_SCHEDULE_PLAN_H

#include "tests/lib/schedule_kernels.h"

/** The lane of each atom of the set, counted from 0, into @p lane_of. */
typedef void schedule_plan_fn(weir_tile_set set, uint32_t lanes, uint32_t *lane_of);

/** A plan for each schedule of EACH_SCHEDULE. */
extern schedule_plan_fn *const schedule_plan[SCHEDULES];

#endif
