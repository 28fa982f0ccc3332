/** @file channels_cuda.cu  Collectives over channels on GPUs.
 *
 * A thread handles 16 bytes at a time and keeps FLIGHT of them in flight from each rank that it reads from. */
#include "router/collective/channels_kernel.h"
#include "router/collective/combine.cuh"

#define BLOCK  512u
#define FLIGHT 4

/* Packs of a job, a stretch of FLIGHT * BLOCK at a time. */
template <class R>
__device__ __forceinline__ static void packs(const struct weir__channels_job *job, uint32_t block,
                                             uint32_t blocks)
{
    for (uint64_t at = (uint64_t)block * BLOCK + threadIdx.x; at < job->packs;
         at += (uint64_t)FLIGHT * BLOCK * blocks) {
        uint4 x[FLIGHT], y[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            if (at + (uint64_t)f * BLOCK * blocks < job->packs)
                x[f] = ((const uint4 *)job->from[0])[at + (uint64_t)f * BLOCK * blocks];
        for (uint32_t s = 1; s < job->froms; s++) {
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
                if (at + (uint64_t)f * BLOCK * blocks < job->packs)
                    y[f] = ((const uint4 *)job->from[s])[at + (uint64_t)f * BLOCK * blocks];
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
                x[f] = combine<R>(x[f], y[f]);
        }
        for (uint32_t t = 0; t < job->tos; t++)
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
                if (at + (uint64_t)f * BLOCK * blocks < job->packs)
                    ((uint4 *)job->to[t])[at + (uint64_t)f * BLOCK * blocks] = x[f];
    }
}

template <class R>
__device__ __forceinline__ static void rest(const struct weir__channels_job *job, uint32_t block,
                                            uint32_t blocks)
{
    typedef typename R::element element;
    for (uint64_t i = job->packs * (16 / sizeof(element)) + (uint64_t)block * BLOCK + threadIdx.x;
         i < job->count; i += (uint64_t)BLOCK * blocks) {
        element x = ((const element *)job->from[0])[i];
        for (uint32_t s = 1; s < job->froms; s++)
            x = R::combine(x, ((const element *)job->from[s])[i]);
        for (uint32_t t = 0; t < job->tos; t++)
            ((element *)job->to[t])[i] = x;
    }
}

template <class R>
static __global__ void __launch_bounds__(BLOCK)
    channels(const __grid_constant__ struct weir__channels_args args)
{
    const uint32_t block = blockIdx.x;
    if (weir__channels_meet(&args, block))
        return;
    /* Blocks begin with different jobs, so that what stays on the device goes beside what does not. */
    for (uint32_t j = 0; j < args.jobs; j++) {
        const struct weir__channels_job *job = &args.job[(j + block) % args.jobs];
        packs<R>(job, block, args.blocks);
        rest<R>(job, block, args.blocks);
    }
    (void)weir__channels_meet(&args, block);
}

template <class R> static void launch(cudaStream_t stream, const struct weir__channels_args *args)
{
    channels<R><<<args->blocks, BLOCK, 0, stream>>>(*args);
}

static cudaError_t load_all()
{
#define KERNEL(number, type_name, op_name, type, combination) \
    (const void *)channels<type_name##_##op_name>,
    static const void *const kernels[WEIR__REDUCTION_COUNT] = {WEIR__REDUCTIONS(KERNEL)};
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < WEIR__REDUCTION_COUNT && error == cudaSuccess; i++) {
        cudaFuncAttributes unused;
        error = cudaFuncGetAttributes(&unused, kernels[i]);
    }
    return error;
}

extern "C" int weir__channels_cuda(void *stream, uint32_t workers, const void *args)
{
    typedef void (*launcher)(cudaStream_t stream, const struct weir__channels_args *args);
#define ENTRY(number, type_name, op_name, type, combination) launch<type_name##_##op_name>,
    static const launcher launchers[WEIR__REDUCTION_COUNT] = {WEIR__REDUCTIONS(ENTRY)};
    const struct weir__channels_args *a = (const struct weir__channels_args *)args;
    (void)workers;
    if (a->number == WEIR__REDUCTION_LOAD)
        return (int)load_all();
    launchers[a->number]((cudaStream_t)stream, a);
    return (int)cudaGetLastError();
}
