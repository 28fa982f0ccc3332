/** @file engine_cuda_tmpl.cuh  The kernels of one operator for GPUs, behind C launchers.
 *
 * A .cu file includes the operator's header, defines WEIR_OPERATOR to its name, and includes this.
 *
 * There are three kernels with rounds here: `general` holds every schedule, `usual` only what is picked by default, `plain`
 * only what that needs on one device without priorities. Two have no rounds (live_tmpl.h): `live_general` and `live_usual`. The less a kernel can do, the faster are its rounds. A fused
 * kernel is launched cooperatively: all its blocks are resident, since they wait for each other. The kernel for narrow
 * rounds is in another file (engine_narrow_cuda_tmpl.cuh). */
#include "worklist/engine/launch_tmpl.cuh"

/** Blocks of a live kernel on a multiprocessor: one that keeps all it needs in registers is twice as fast as two that do not. */
#define LIVE_PER_UNIT 1

WEIR_DEV void OP(enter)(const struct OP(args) * args, int form)
{
    OP(engine)(args, OP(block_here)(), blockIdx.x, gridDim.x, form);
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

static __global__ void __launch_bounds__(THREADS, LIVE_PER_UNIT)
    OP(live_usual_kernel)(const __grid_constant__ struct OP(args) args)
{
    OP(live_engine)(&args, OP(block_here)(), blockIdx.x, gridDim.x, FORM_USUAL);
}

static __global__ void __launch_bounds__(THREADS, LIVE_PER_UNIT)
    OP(live_general_kernel)(const __grid_constant__ struct OP(args) args)
{
    OP(live_engine)(&args, OP(block_here)(), blockIdx.x, gridDim.x, FORM_GENERAL);
}

static struct OP(launched) * OP(kernel_for)(const struct weir_engine_args *work)
{
    static struct OP(launched) plain = {(void *)OP(plain_kernel), {0}};
    static struct OP(launched) usual = {(void *)OP(usual_kernel), {0}};
    static struct OP(launched) general = {(void *)OP(general_kernel), {0}};
    if (!work->usual)
        return &general;
    return work->workers == 1 && work->order != WEIR_ENGINE_SOFT ? &plain : &usual;
}

extern "C" int LAUNCHER(fused)(void *stream, uint32_t workers, const void *data);
extern "C" int LAUNCHER(discrete)(void *stream, uint32_t workers, const void *data);
extern "C" int LAUNCHER(live)(void *stream, uint32_t workers, const void *data);
extern "C" int LAUNCHER(load)(void);
extern "C" int LAUNCHER(own_schedule)(void);
extern "C" uint64_t LAUNCHER(block_bytes)(uint32_t stage_channels);
#if OP(narrow)
extern "C" int NARROW_LAUNCHER(narrow)(void *stream, const void *data);
extern "C" int NARROW_LAUNCHER(narrow_load)(void);
#endif

extern "C" int LAUNCHER(fused)(void *stream, uint32_t workers, const void *data)
{
    const struct OP(args) *args = (const struct OP(args) *)data;
    (void)workers; /* as many as fit */
#if OP(narrow)
    if (args->work.narrow)
        return NARROW_LAUNCHER(narrow)(stream, data);
#endif
    return OP(launch_resident)(OP(kernel_for)(&args->work), stream, data);
}

extern "C" int LAUNCHER(discrete)(void *stream, uint32_t workers, const void *data)
{
    const struct OP(args) *args = (const struct OP(args) *)data;
    struct OP(launched) *launched = OP(kernel_for)(&args->work);
    void *list[] = {(void *)args};
    size_t bytes = OP(block_bytes)(args->work.stage_channels);
    cudaError_t error;
    uint32_t blocks = OP(resident)(launched, bytes, &error);
    (void)workers;
    if (blocks == 0)
        return (int)error;
    blocks = weir_word_blocks(args->work.word, blocks);
    return (int)cudaLaunchKernel(launched->kernel, dim3(blocks), dim3(THREADS), list, bytes,
                                 (cudaStream_t)stream);
}

extern "C" int LAUNCHER(live)(void *stream, uint32_t workers, const void *data)
{
    const struct OP(args) *args = (const struct OP(args) *)data;
    static struct OP(launched) usual = {(void *)OP(live_usual_kernel), {0}};
    static struct OP(launched) general = {(void *)OP(live_general_kernel), {0}};
    (void)workers; /* as many as fit */
    return OP(launch_resident)(args->work.usual ? &usual : &general, stream, data);
}

extern "C" int LAUNCHER(own_schedule)(void)
{
#ifdef WEIR_SCHEDULE
    return 1;
#else
    return 0;
#endif
}

extern "C" uint64_t LAUNCHER(block_bytes)(uint32_t stage_channels)
{
    return OP(block_bytes)(stage_channels);
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
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, OP(live_usual_kernel));
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, OP(live_general_kernel));
#if OP(narrow)
    if (error == cudaSuccess)
        return NARROW_LAUNCHER(narrow_load)();
#endif
    return (int)error;
}
