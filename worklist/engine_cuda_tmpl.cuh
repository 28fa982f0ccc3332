/** @file engine_cuda_tmpl.cuh  The kernels of one operator for GPUs, behind C launchers.
 *
 * A .cu file includes the operator's header, defines WEIR_OPERATOR to its name, and includes this.
 *
 * There are three kernels: `general` holds every schedule, `usual` only what is picked by default, `plain`
 * only what that needs on one device without priorities; the less a kernel can do the faster are its rounds. A fused one is launched cooperatively: all its blocks are resident, since they
 * wait for each other. */
#include "worklist/engine_tmpl.h"

#include <cuda_runtime.h>

#define WEIR_TMPL_CUDA_(op, name) weir__##op##_##name##_cuda
#define WEIR_TMPL_CUDA(op, name)  WEIR_TMPL_CUDA_(op, name)
#define LAUNCHER(name)            WEIR_TMPL_CUDA(WEIR_OPERATOR, name)
#define THREADS                   (32u * WARPS)
/** Blocks of a fused kernel on a multiprocessor; more would only lengthen its barriers. */
#define BLOCKS_PER_UNIT 2

WEIR_DEV void OP(enter)(const struct OP(args) * args, int form)
{
    extern __shared__ __align__(16) unsigned char weir_block_memory[];
    struct OP(block) *block = (struct OP(block) *)weir_block_memory;
    if (threadIdx.x == 0)
        block->stage = (OP(wire) *)(weir_block_memory + (sizeof *block + 15) / 16 * 16);
    OP(engine)(args, block, blockIdx.x, gridDim.x, form);
}

static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_UNIT)
    OP(plain_kernel)(const __grid_constant__ struct OP(args) args)
{
    OP(enter)(&args, FORM_PLAIN);
}

static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_UNIT)
    OP(usual_kernel)(const __grid_constant__ struct OP(args) args)
{
    OP(enter)(&args, FORM_USUAL);
}

static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_UNIT)
    OP(general_kernel)(const __grid_constant__ struct OP(args) args)
{
    OP(enter)(&args, FORM_GENERAL);
}

static void *OP(kernel_for)(const struct weir_engine_args *work)
{
    if (!work->usual)
        return (void *)OP(general_kernel);
    return work->workers == 1 && work->order != WEIR_ENGINE_SOFT ? (void *)OP(plain_kernel)
                                                                 : (void *)OP(usual_kernel);
}

static size_t OP(block_bytes)(uint32_t stage_lanes)
{
    return (sizeof(struct OP(block)) + 15) / 16 * 16 +
           (size_t)WARPS * stage_lanes * STAGE_ROOM * sizeof(OP(wire));
}

/* Blocks that are resident together on the current GPU; 0 and *error_out set if that cannot be told. */
static uint32_t OP(resident)(void *kernel, size_t bytes, cudaError_t *error_out)
{
    int device = 0, units = 0, each = 0;
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)THREADS, bytes);
    if (error == cudaSuccess && each == 0)
        error = cudaErrorLaunchOutOfResources;
    *error_out = error;
    each = each < BLOCKS_PER_UNIT ? each : BLOCKS_PER_UNIT;
    return error == cudaSuccess ? (uint32_t)(units * each) : 0;
}

extern "C" int LAUNCHER(fused)(void *stream, uint32_t workers, const void *data);
extern "C" int LAUNCHER(discrete)(void *stream, uint32_t workers, const void *data);
extern "C" int LAUNCHER(load)(void);

extern "C" int LAUNCHER(fused)(void *stream, uint32_t workers, const void *data)
{
    const struct OP(args) *args = (const struct OP(args) *)data;
    void *kernel = OP(kernel_for)(&args->work), *list[] = {(void *)args};
    size_t bytes = OP(block_bytes)(args->work.stage_lanes);
    cudaError_t error;
    uint32_t blocks = OP(resident)(kernel, bytes, &error);
    (void)workers; /* as many as fit */
    if (blocks == 0)
        return (int)error;
    return (int)cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(THREADS), list, bytes,
                                            (cudaStream_t)stream);
}

extern "C" int LAUNCHER(discrete)(void *stream, uint32_t workers, const void *data)
{
    const struct OP(args) *args = (const struct OP(args) *)data;
    void *kernel = OP(kernel_for)(&args->work), *list[] = {(void *)args};
    size_t bytes = OP(block_bytes)(args->work.stage_lanes);
    cudaError_t error;
    uint32_t blocks = OP(resident)(kernel, bytes, &error);
    (void)workers;
    if (blocks == 0)
        return (int)error;
    blocks = weir_word_blocks(args->work.word, blocks);
    return (int)cudaLaunchKernel(kernel, dim3(blocks), dim3(THREADS), list, bytes,
                                 (cudaStream_t)stream);
}

/* Asking for a kernel's attributes loads it. Loading one later would wait for those that run, and a fused
 * kernel runs until others have begun. */
extern "C" int LAUNCHER(load)(void)
{
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, OP(plain_kernel));
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, OP(usual_kernel));
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, OP(general_kernel));
    return (int)error;
}
