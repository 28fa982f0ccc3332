/** @file schedule_kernels.h  A kernel that walks a tile set by any schedule and notes what it met. */
#ifndef WEIR_TESTS_LIB_SCHEDULE_KERNELS_H
#define WEIR_TESTS_LIB_SCHEDULE_KERNELS_H

#include "runtime/runtime.h"
#include "tests/lib/schedule_own.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Every schedule there is, and one that is a test's own. */
#define EACH_SCHEDULE(X) \
    X(weir_thread) X(weir_strided) X(weir_warp) X(weir_block) X(weir_group) X(weir_merge) X(runs)
#define SCHEDULE_NUMBER(schedule) SCHEDULE_##schedule,
enum { EACH_SCHEDULE(SCHEDULE_NUMBER) SCHEDULES };
#undef SCHEDULE_NUMBER

/** Lanes 0 to lanes - 1 walk the set, each by whichever lane of the device. For atom i of the set, counted
 *  from 0: times[i] goes up by 1, and tile[i] and lane[i] are set. */
struct test_schedule_args {
    weir_tile_set set;
    uint32_t *times, *tile, *lane;
    uint32_t lanes;
    uint32_t schedule;
};
extern const weir_kernel test_schedule_kernel;

/** Its CUDA form (schedule_kernels.cu); returns a cudaError_t. */
int test_schedule_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif
#endif
