/** @file steps_cuda_tmpl.cuh  A body of steps.h as a kernel for GPUs, behind C launchers.
 *
 * A .cu file includes the body, defines WEIR_STEPS to its name and may define WEIR_STEPS_THREADS (of a block; a
 * multiple of 32) and WEIR_STEPS_PER_UNIT (blocks of a multiprocessor), defines WEIR_STEPS_EPILOGUE and
 * WEIR_STEPS_NO_RESET if and only if the .c file does (steps_host_tmpl.h; the linker tells), and includes this. The kernel is launched cooperatively: its blocks wait for each other, so
 * all are resident. */
#include "worklist/steps.h"
#include "worklist/steps/names.h"

#include <cuda_runtime.h>

#ifndef WEIR_STEPS_THREADS
#define WEIR_STEPS_THREADS 1024
#endif
#ifndef WEIR_STEPS_PER_UNIT
#define WEIR_STEPS_PER_UNIT 1
#endif

/* What a kernel declares may have 48 KiB. A larger struct is given with the launch, and the kernel is told before that it may be. */
enum {
    WEIR_STEPS_NAME(, _words) = (sizeof(struct WEIR_STEPS_NAME(, _shared)) + 15) / 16,
    WEIR_STEPS_NAME(, _is_large) = WEIR_STEPS_NAME(, _words) > 40 * 64,
    WEIR_STEPS_NAME(, _given) = WEIR_STEPS_NAME(, _is_large) ? WEIR_STEPS_NAME(, _words) * 16 : 0
};

static __global__ void __launch_bounds__(WEIR_STEPS_THREADS, WEIR_STEPS_PER_UNIT)
    WEIR_STEPS_NAME(, _kernel)(const __grid_constant__ struct WEIR_STEPS_NAME(, _args) args)
{
    extern __shared__ uint4 weir_steps_given[];
    __shared__ uint4 declared[WEIR_STEPS_NAME(, _is_large) ? 1 : WEIR_STEPS_NAME(, _words)];
    struct WEIR_STEPS_NAME(, _shared) *shared =
        WEIR_STEPS_NAME(, _is_large) ? (struct WEIR_STEPS_NAME(, _shared) *)weir_steps_given
                                     : (struct WEIR_STEPS_NAME(, _shared) *)declared;
    __shared__ uint64_t share[WEIR_STEPS_SHARE];
    struct weir_steps_block block;
    block.block = blockIdx.x;
    block.blocks = gridDim.x;
    block.thread = threadIdx.x;
    block.threads = WEIR_STEPS_THREADS;
    block.share = share;
    weir_steps_begin(&args.member, &block);
#ifndef WEIR_STEPS_NO_RESET
    if (weir_steps_prologue(&args.member, &block))
        return;
#endif
    WEIR_STEPS_NAME(, _body)(&args, shared, &block);
}

#ifdef WEIR_STEPS_EPILOGUE
#define WEIR_STEPS_EPILOGUE_THREADS 512
static __global__ void __launch_bounds__(WEIR_STEPS_EPILOGUE_THREADS)
    WEIR_STEPS_NAME(,
                    _epilogue_kernel)(const __grid_constant__ struct WEIR_STEPS_NAME(, _args) args)
{
    __shared__ uint64_t share[WEIR_STEPS_SHARE];
    struct weir_steps_block block;
    block.block = blockIdx.x;
    block.blocks = gridDim.x;
    block.thread = threadIdx.x;
    block.threads = WEIR_STEPS_EPILOGUE_THREADS;
    block.step = 0;
    block.until_ns = 0;
    block.share = share;
    WEIR_STEPS_NAME(, _epilogue)(&args, &block);
}
#endif

extern "C" int WEIR_STEPS_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *data);
extern "C" int WEIR_STEPS_LOAD(void);

/* Blocks that are resident together on the current GPU, up to WEIR_STEPS_PER_UNIT a multiprocessor. Asked for
 * once a GPU, since it takes as long as a short run: kept by ordinal; relaxed, all who ask find the same. */
static cudaError_t WEIR_STEPS_NAME(, _blocks)(int *blocks_out)
{
    static int known[WEIR_DEVICES_MAX];
    int device = 0, units = 0, each = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    *blocks_out = device < WEIR_DEVICES_MAX ? __atomic_load_n(&known[device], __ATOMIC_RELAXED) : 0;
    if (*blocks_out)
        return cudaSuccess;
    error = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess && WEIR_STEPS_NAME(, _given))
        error = cudaFuncSetAttribute(WEIR_STEPS_NAME(, _kernel),
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     WEIR_STEPS_NAME(, _given));
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, WEIR_STEPS_NAME(, _kernel), WEIR_STEPS_THREADS, WEIR_STEPS_NAME(, _given));
    if (error == cudaSuccess && each == 0)
        error = cudaErrorLaunchOutOfResources;
    *blocks_out = units * (each < WEIR_STEPS_PER_UNIT ? each : WEIR_STEPS_PER_UNIT);
    if (error == cudaSuccess && device < WEIR_DEVICES_MAX)
        __atomic_store_n(&known[device], *blocks_out, __ATOMIC_RELAXED);
    return error;
}

extern "C" int WEIR_STEPS_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *data)
{
    void *list[] = {(void *)data};
    int blocks = 0;
    (void)workers; /* as many as fit */
    cudaError_t error = WEIR_STEPS_NAME(, _blocks)(&blocks);
    if (error != cudaSuccess)
        return (int)error;
    return (int)cudaLaunchCooperativeKernel((void *)WEIR_STEPS_NAME(, _kernel),
                                            dim3((unsigned)blocks), dim3(WEIR_STEPS_THREADS), list,
                                            WEIR_STEPS_NAME(, _given), (cudaStream_t)stream);
}

/* Asking for a kernel's attributes loads it. Loading one later would wait for those that run. */
extern "C" int WEIR_STEPS_LOAD(void)
{
    cudaFuncAttributes attributes;
#ifdef WEIR_STEPS_EPILOGUE
    cudaError_t error = cudaFuncGetAttributes(&attributes, WEIR_STEPS_NAME(, _epilogue_kernel));
    if (error != cudaSuccess)
        return (int)error;
#endif
    return (int)cudaFuncGetAttributes(&attributes, WEIR_STEPS_NAME(, _kernel));
}

#ifdef WEIR_STEPS_EPILOGUE
extern "C" int WEIR_STEPS_NAME(weir__, _epilogue_cuda)(void *stream, uint32_t workers,
                                                       const void *data);
extern "C" int WEIR_STEPS_NAME(weir__, _epilogue_cuda)(void *stream, uint32_t workers,
                                                       const void *data)
{
    void *list[] = {(void *)data};
    int blocks = 0;
    (void)workers;
    cudaError_t error = WEIR_STEPS_NAME(, _blocks)(&blocks);
    if (error != cudaSuccess)
        return (int)error;
    return (int)cudaLaunchKernel((void *)WEIR_STEPS_NAME(, _epilogue_kernel),
                                 dim3((unsigned)blocks * 2), dim3(WEIR_STEPS_EPILOGUE_THREADS),
                                 list, 0, (cudaStream_t)stream);
}
#endif
