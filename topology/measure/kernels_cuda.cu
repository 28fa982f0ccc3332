/** @file kernels_cuda.cu  The benchmarks' kernels on GPUs, behind C launchers.
 *
 * Memory kernels keep four accesses of each thread in flight: they are read into registers before the
 * first is used. */
#include "topology/measure/kernels.h"

#include <cuda_runtime.h>

/* Eight blocks a multiprocessor where it holds 2048 threads: `workers` is half its warps. */
#define BLOCKS(workers) (((workers) + 3u) / 4u)
#define STREAM_BLOCK    512u
#define RANDOM_BLOCK    256u
#define FLIGHT          4

__device__ __forceinline__ static uint64_t thread_number()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ static uint64_t thread_count()
{
    return (uint64_t)gridDim.x * blockDim.x;
}

/* Add every thread's value to *total, once a block: one address takes one atomic a clock. */
__device__ __forceinline__ static void add_up(uint64_t value, uint64_t *total)
{
    __shared__ uint64_t warps[32];
    uint32_t warp = threadIdx.x / 32;
    value = weir_sum_u64(value);
    if (weir_lane() == 0)
        warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = weir_sum_u64(weir_lane() < blockDim.x / 32 ? warps[weir_lane()] : 0);
        if (weir_lane() == 0 && value)
            weir_add_relaxed_dev_u64(total, value);
    }
}

/* ---- patterns ------------------------------------------------------------------------------------- */

static __global__ void pattern_put_kernel(weir__pattern_args a)
{
    for (uint64_t i = thread_number(); i < a.words; i += thread_count())
        a.data[i] = weir__pattern_word(a.seed, i);
}

static __global__ void pattern_check_kernel(weir__pattern_args a)
{
    uint64_t wrong = 0;
    for (uint64_t i = thread_number(); i < a.words; i += thread_count())
        wrong += a.data[i] != weir__pattern_word(a.seed, i);
    add_up(wrong, a.wrong);
}

static __global__ void empty_kernel() {}

/* ---- memory in order ------------------------------------------------------------------------------ */

/* The next FLIGHT pairs of words; past the end zeros. */
__device__ __forceinline__ static void load(const weir__stream_args &a, uint64_t at,
                                            ulonglong2 value[FLIGHT])
{
    const ulonglong2 *from = (const ulonglong2 *)a.from;
#pragma unroll
    for (int j = 0; j < FLIGHT; j++) {
        uint64_t i = at + j * thread_count();
        value[j] = i < a.bytes / 16 ? from[i] : make_ulonglong2(0, 0);
    }
}

#define FOR_STREAM(at) \
    for (uint64_t at = thread_number(); at < a.bytes / 16; at += FLIGHT * thread_count())

static __global__ void __launch_bounds__(STREAM_BLOCK) stream_read_kernel(weir__stream_args a)
{
    uint64_t sum = 0;
    FOR_STREAM(at)
    {
        ulonglong2 value[FLIGHT];
        load(a, at, value);
#pragma unroll
        for (int j = 0; j < FLIGHT; j++)
            sum += value[j].x + value[j].y;
    }
    add_up(sum, a.sum);
}

static __global__ void __launch_bounds__(STREAM_BLOCK) stream_copy_kernel(weir__stream_args a)
{
    ulonglong2 *to = (ulonglong2 *)a.to;
    FOR_STREAM(at)
    {
        ulonglong2 value[FLIGHT];
        load(a, at, value);
#pragma unroll
        for (int j = 0; j < FLIGHT; j++)
            if (at + j * thread_count() < a.bytes / 16)
                to[at + j * thread_count()] = value[j];
    }
}

static __global__ void __launch_bounds__(STREAM_BLOCK) stream_write_kernel(weir__stream_args a)
{
    ulonglong2 *to = (ulonglong2 *)a.to;
    for (uint64_t i = thread_number(); i < a.bytes / 16; i += thread_count()) {
        uint64_t word = a.seed + 2 * i * a.step;
        to[i] = make_ulonglong2(word, word + a.step);
    }
}

template <bool SYSTEM>
static __global__ void __launch_bounds__(STREAM_BLOCK) stream_add_kernel(weir__stream_args a)
{
    uint32_t *counter = (uint32_t *)a.to;
    for (uint64_t i = thread_number(); i < a.bytes / 4; i += thread_count()) {
        if (SYSTEM)
            atomicAdd_system(&counter[i], 1u);
        else
            atomicAdd(&counter[i], 1u);
    }
}

static __global__ void __launch_bounds__(STREAM_BLOCK) stream_check_kernel(weir__stream_args a)
{
    uint64_t wrong = 0;
    for (uint64_t i = thread_number(); i < a.bytes / 8; i += thread_count())
        wrong += a.from[i] != a.seed + i * a.step;
    add_up(wrong, a.sum);
}

/* ---- random places -------------------------------------------------------------------------------- */

template <bool SYSTEM> __device__ __forceinline__ static uint32_t min_of(uint32_t *word, uint32_t v)
{
    return SYSTEM ? atomicMin_system(word, v) : atomicMin(word, v);
}

/* One access; @return what it adds to the sum. */
template <uint32_t ACCESS, bool SYSTEM>
__device__ __forceinline__ static uint32_t access_one(const weir__random_args &a, uint64_t place)
{
    uint32_t *word = &a.data[place];
    switch (ACCESS) {
    case WEIR__READ:
        return *word;
    case WEIR__WRITE:
        *word = weir__value(&a, place);
        return 0;
    case WEIR__MIN:
        return min_of<SYSTEM>(word, weir__value(&a, place));
    case WEIR__MIN_UNUSED:
        min_of<SYSTEM>(word, weir__value(&a, place));
        return 0;
    case WEIR__ADD:
        SYSTEM ? atomicAdd_system(word, 1u) : atomicAdd(word, 1u);
        return 0;
    case WEIR__ADD_FLOAT:
        SYSTEM ? atomicAdd_system((float *)word, 1.0f) : atomicAdd((float *)word, 1.0f);
        return 0;
    case WEIR__EXPECT:
        return weir__linear_half(a.seed, place);
    default: /* WEIR__CHECK */
        return *word != weir__value(&a, place);
    }
}

template <uint32_t ACCESS, bool SYSTEM>
static __global__ void __launch_bounds__(RANDOM_BLOCK) random_kernel(weir__random_args a)
{
    uint64_t sum = 0;
    for (uint64_t i = FLIGHT * thread_number(); i < a.count; i += FLIGHT * thread_count()) {
        uint64_t place[FLIGHT];
        uint32_t found[FLIGHT];
#pragma unroll
        for (int j = 0; j < FLIGHT; j++)
            place[j] = weir__place(&a, i + j);
#pragma unroll
        for (int j = 0; j < FLIGHT; j++)
            found[j] = access_one<ACCESS, SYSTEM>(a, place[j]);
#pragma unroll
        for (int j = 0; j < FLIGHT; j++)
            sum += found[j];
    }
    add_up(sum, a.sum);
}

static __global__ void counters_kernel(weir__counters_args a)
{
    uint64_t sum = 0;
    for (uint64_t i = thread_number(); i < a.words; i += thread_count())
        sum += a.floats ? (uint64_t)__uint_as_float(a.data[i]) : a.data[i];
    add_up(sum, a.sum);
}

/* ---- launchers ------------------------------------------------------------------------------------ */

#define LAUNCHER(name) \
    extern "C" int weir__##name##_cuda(void *stream, uint32_t workers, const void *args)

#define STREAM_LAUNCHER(name, type)                                                \
    LAUNCHER(name)                                                                 \
    {                                                                              \
        name##_kernel<<<BLOCKS(workers), STREAM_BLOCK, 0, (cudaStream_t)stream>>>( \
            *(const type *)args);                                                  \
        return (int)cudaGetLastError();                                            \
    }

STREAM_LAUNCHER(pattern_put, weir__pattern_args)
STREAM_LAUNCHER(pattern_check, weir__pattern_args)
STREAM_LAUNCHER(stream_read, weir__stream_args)
STREAM_LAUNCHER(stream_write, weir__stream_args)
STREAM_LAUNCHER(stream_copy, weir__stream_args)
STREAM_LAUNCHER(stream_check, weir__stream_args)
STREAM_LAUNCHER(counters, weir__counters_args)

LAUNCHER(empty)
{
    (void)workers;
    (void)args;
    empty_kernel<<<1, 32, 0, (cudaStream_t)stream>>>();
    return (int)cudaGetLastError();
}

LAUNCHER(stream_add)
{
    const weir__stream_args *a = (const weir__stream_args *)args;
    auto kernel = a->system ? stream_add_kernel<true> : stream_add_kernel<false>;
    kernel<<<BLOCKS(workers), STREAM_BLOCK, 0, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}

typedef void random_fn(weir__random_args);

template <uint32_t ACCESS> static random_fn *in_scope(uint32_t system)
{
    return system ? random_kernel<ACCESS, true> : random_kernel<ACCESS, false>;
}

static random_fn *random_of(const weir__random_args *a)
{
    switch (a->access) {
    case WEIR__READ:
        return random_kernel<WEIR__READ, false>;
    case WEIR__WRITE:
        return random_kernel<WEIR__WRITE, false>;
    case WEIR__MIN:
        return in_scope<WEIR__MIN>(a->system);
    case WEIR__MIN_UNUSED:
        return in_scope<WEIR__MIN_UNUSED>(a->system);
    case WEIR__ADD:
        return in_scope<WEIR__ADD>(a->system);
    case WEIR__ADD_FLOAT:
        return in_scope<WEIR__ADD_FLOAT>(a->system);
    case WEIR__EXPECT:
        return random_kernel<WEIR__EXPECT, false>;
    default:
        return random_kernel<WEIR__CHECK, false>;
    }
}

LAUNCHER(random)
{
    const weir__random_args *a = (const weir__random_args *)args;
    random_of(a)<<<BLOCKS(workers), RANDOM_BLOCK, 0, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}
