/** @file launch_tmpl.cuh  What the files that hold an operator's kernels for GPUs share.
 *
 * Included by engine_cuda_tmpl.cuh and engine_narrow_cuda_tmpl.cuh with WEIR_OPERATOR defined. */
#ifdef LAUNCHER
#error \
    "worklist/engine_cuda_tmpl.cuh and worklist/engine_narrow_cuda_tmpl.cuh want a .cu file each, for one operator"
#endif
#include "worklist/engine/engine_tmpl.h"

#include <cuda_runtime.h>

#define WEIR_TMPL_CUDA_(op, name) weir__##op##_##name##_cuda
#define WEIR_TMPL_CUDA(op, name)  WEIR_TMPL_CUDA_(op, name)
#define LAUNCHER(name)            WEIR_TMPL_CUDA(WEIR_OPERATOR, name)
/* What the second .cu file of an operator defines: a linker that misses it prints the name, which says what to do. */
#define WEIR_TMPL_NARROW_(op, name) \
    weir__##op##_##name##_is_in_a_cu_file_that_includes_worklist_engine_narrow_cuda_tmpl_cuh
#define WEIR_TMPL_NARROW(op, name) WEIR_TMPL_NARROW_(op, name)
#define NARROW_LAUNCHER(name)      WEIR_TMPL_NARROW(WEIR_OPERATOR, name)
#define THREADS                    (32u * WARPS)
/** Blocks of a fused kernel on a multiprocessor; more would only lengthen its barriers. */
#ifndef BLOCKS_PER_UNIT
#define BLOCKS_PER_UNIT 2
#endif

/* This block's own memory. */
WEIR_DEV struct OP(block) * OP(block_here)(void)
{
    extern __shared__ __align__(16) unsigned char weir_block_memory[];
    struct OP(block) *block = (struct OP(block) *)weir_block_memory;
    if (threadIdx.x == 0)
        block->stage = (OP(wire) *)(weir_block_memory + (sizeof *block + 15) / 16 * 16);
    return block;
}

static size_t OP(block_bytes)(uint32_t stage_channels)
{
    return (sizeof(struct OP(block)) + 15) / 16 * 16 +
           (size_t)WARPS * stage_channels * STAGE_ROOM * sizeof(OP(wire));
}

/* A kernel, and for each GPU how many of its blocks are resident there together, below the bytes that this was asked for: it
 * takes as long as a short run to find out. Relaxed, all who ask find the same. */
struct OP(launched) {
    void *kernel;
    uint64_t known[WEIR_DEVICES_MAX];
};

/* Blocks that are resident together on the current GPU; 0 and *error_out set if that cannot be told. */
static uint32_t OP(resident)(struct OP(launched) * launched, size_t bytes, cudaError_t *error_out)
{
    void *const kernel = launched->kernel;
    int device = 0, units = 0, each = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device < WEIR_DEVICES_MAX) {
        const uint64_t known = __atomic_load_n(&launched->known[device], __ATOMIC_RELAXED);
        if (known && known >> 16 == bytes)
            return (uint32_t)(known & 0xFFFF);
    }
    if (error == cudaSuccess)
        error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)THREADS, bytes);
    if (error == cudaSuccess && each == 0)
        error = cudaErrorLaunchOutOfResources;
    *error_out = error;
    each = each < BLOCKS_PER_UNIT ? each : BLOCKS_PER_UNIT;
    uint32_t blocks = (uint32_t)(units * each);
    if (error != cudaSuccess)
        return 0;
    blocks = blocks < WEIR_BLOCKS_MOST ? blocks : WEIR_BLOCKS_MOST;
    if (device < WEIR_DEVICES_MAX)
        __atomic_store_n(&launched->known[device], (uint64_t)bytes << 16 | blocks,
                         __ATOMIC_RELAXED);
    return blocks;
}

/* Start a resident kernel with all its blocks. @return a cudaError_t. */
static int OP(launch_resident)(struct OP(launched) * launched, void *stream, const void *data)
{
    const struct OP(args) *args = (const struct OP(args) *)data;
    void *list[] = {(void *)args};
    size_t bytes = OP(block_bytes)(args->work.stage_channels);
    cudaError_t error;
    uint32_t blocks = OP(resident)(launched, bytes, &error);
    if (blocks == 0)
        return (int)error;
    return (int)cudaLaunchCooperativeKernel(launched->kernel, dim3(blocks), dim3(THREADS), list,
                                            bytes, (cudaStream_t)stream);
}
