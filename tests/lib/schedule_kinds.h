/** @file schedule_kinds.h  A kernel that walks tile sets of all kinds, run by run, or piece by piece in scratchpad memory, and notes
 *  what it met. */
#ifndef WEIR_TESTS_LIB_SCHEDULE_KINDS_H
#define WEIR_TESTS_LIB_SCHEDULE_KINDS_H

#include "runtime/runtime.h"
#include "worklist/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds, with what tells the set of each from the arguments, and the type of its numbers. */
#define EACH_KIND(X)                                                             \
    X(weir, uint32_t, {a->ends32 + 1, a->tiles, 0})                              \
    X(weir_wide, uint64_t, {a->ends64 + 1, a->tiles, 0})                         \
    X(weir_csr, uint32_t, {a->ends32, a->tiles})                                 \
    X(weir_wide_csr, uint64_t, {a->ends64, a->tiles})                            \
    X(weir_coo, uint32_t, {a->tile_of, a->tiles, (uint32_t)a->ends64[a->tiles]}) \
    X(weir_wide_coo, uint64_t, {a->tile_of, a->tiles, a->ends64[a->tiles]})
#define KIND_NUMBER_OF(kind, number, ...) KIND_##kind,
enum { EACH_KIND(KIND_NUMBER_OF) KINDS };
#undef KIND_NUMBER_OF

/** By runs; the last two in scratchpad memory, by groups of `size` lanes that share no more than a warp, or a block. */
#define EACH_WAY(X)     X(thread) X(team) X(strided) X(group) X(merge) X(scratch_warp) X(scratch_block)
#define WAY_NUMBER(way) WAY_##way,
enum { EACH_WAY(WAY_NUMBER) WAYS };
#undef WAY_NUMBER

/** Lanes 0 to lanes - 1 walk the set, each by whichever lane of the device; in scratchpad memory all lanes of the device do. For
 *  atom i of the set: times[i] goes up by 1, and tile[i] is set. whole[t] goes up by 1 where tile t comes as a whole one. */
struct test_kinds_args {
    const uint32_t *ends32; /**< tiles + 1, from 0 on */
    const uint64_t *ends64;
    const uint32_t *tile_of;
    uint32_t *times, *tile, *whole;
    uint32_t tiles, lanes, size;
    uint32_t kind, way;
};
extern const weir_kernel test_kinds_kernel;

/** Its CUDA form (schedule_kinds.cu); returns a cudaError_t. */
int test_kinds_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif
#endif
