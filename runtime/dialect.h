/** @file dialect.h  The common subset of C11 and CUDA C++ that operators are written in.
 *
 * An operator header includes this, is compiled by cc into the workers of host devices and by nvcc
 * into kernels, and means the same in both. A *worker* is a group of *lanes* that run together: 32
 * on a GPU (a warp), 1 on the host. The lane functions must be reached by all lanes of a worker.
 *
 * What the dialect leaves out because nvcc rejects it: _Atomic, restrict, _Static_assert,
 * designated initialisers out of order. Shared structs use fixed-width types.
 *
 * Order and scope are in the name of every atomic: relaxed, and visible to the device that runs
 * them. They hand nothing on. Kernels do that by ending, or by the words of runtime/sync.h
 * (docs/memory-model.md). */
#ifndef WEIR_RUNTIME_DIALECT_H
#define WEIR_RUNTIME_DIALECT_H

#include <stdint.h>

#ifdef __CUDACC__
/** What a function of the dialect is declared with. */
#define WEIR_DEV static __device__ __forceinline__
/** The same for what is rare or long: it is called, not copied to where it is used. A kernel's arguments lie in constant memory, and what is
 *  called with their address loads each of them, behind all loads that its warp has under way. So what runs often is copied. */
#define WEIR_COLD static __device__ __noinline__
/** Before a loop that is to stay one: kernels that run for long are fast while their code is in the
 *  instruction cache. */
#define WEIR_ROLLED _Pragma("unroll 1")
/** Before a loop of few rounds, known beforehand, that is to be none. */
#define WEIR_UNROLLED _Pragma("unroll")
/** Before a loop of which four rounds are to be one, so that their loads are under way together. */
#define WEIR_UNROLLED_4 _Pragma("unroll 4")
/** The same for what host code of a .cu file calls too. */
#define WEIR_BOTH static __host__ __device__ __forceinline__
/** Lanes of a worker. */
#define WEIR_LANES 32u
#else
/** What a function of the dialect is declared with. */
#define WEIR_DEV  static inline __attribute__((unused))
/** The same for what is rare or long: it is called, not copied to where it is used. */
#define WEIR_COLD static inline __attribute__((unused))
/** Before a loop that is to stay one, on a GPU. */
#define WEIR_ROLLED
/** Before a loop of few rounds, known beforehand, that is to be none on a GPU. */
#define WEIR_UNROLLED
/** Before a loop of which four rounds are to be one on a GPU. */
#define WEIR_UNROLLED_4
/** The same for what host code of a .cu file calls too. */
#define WEIR_BOTH static inline __attribute__((unused))
/** Lanes of a worker. Tests have those of a GPU on a host, and functions of them that are told apart by this (tests/lib/lanes.h). */
#ifndef WEIR_LANES_OF_TEST
#define WEIR_LANES 1u
#else
#define WEIR_LANES WEIR_LANES_OF_TEST
#endif
#endif

#ifndef WEIR_LANES_OF_TEST
/** This lane's number in its worker. */
WEIR_DEV uint32_t weir_lane(void)
{
#ifdef __CUDACC__
    return threadIdx.x & 31u;
#else
    return 0;
#endif
}
#endif

/** This thread's number in its block; on a host device a block is one thread. */
WEIR_DEV uint32_t weir_thread(void)
{
#ifdef __CUDACC__
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
#else
    return 0;
#endif
}

/** Threads of a block. */
WEIR_DEV uint32_t weir_threads(void)
{
#ifdef __CUDACC__
    return blockDim.x * blockDim.y * blockDim.z;
#else
    return 1;
#endif
}

/** to[i] = from[i], elements of 16 bytes at multiples of that. */
WEIR_DEV void weir_copy_16(void *to, const void *from, uint64_t i)
{
#ifdef __CUDACC__
    ((uint4 *)to)[i] = ((const uint4 *)from)[i];
#else
    __builtin_memcpy((char *)to + 16 * i, (const char *)from + 16 * i, 16);
#endif
}

/** 16 bytes, at a multiple of that, that go through memory once: they take no place of what is looked at more often. An ordinary
 *  load otherwise. @param[out] value_out  16 bytes, of any types. */
WEIR_DEV void weir_load_stream_16(void *value_out, const void *place)
{
#ifdef __CUDACC__
    const uint4 value = __ldcs((const uint4 *)place);
    memcpy(value_out, &value, 16);
#else
    __builtin_memcpy(value_out, place, 16);
#endif
}
/** The same of 8 bytes. */
WEIR_DEV void weir_load_stream_8(void *value_out, const void *place)
{
#ifdef __CUDACC__
    const uint2 value = __ldcs((const uint2 *)place);
    memcpy(value_out, &value, 8);
#else
    __builtin_memcpy(value_out, place, 8);
#endif
}
/** Store such bytes. */
WEIR_DEV void weir_store_stream_16(void *place, const void *value)
{
#ifdef __CUDACC__
    uint4 stored;
    memcpy(&stored, value, 16);
    __stcs((uint4 *)place, stored);
#else
    __builtin_memcpy(place, value, 16);
#endif
}

/** Of a member or variable: it lies at a multiple of so many bytes. */
#ifdef __CUDACC__
#define WEIR_ALIGNED(bytes) __align__(bytes)
#else
#define WEIR_ALIGNED(bytes) _Alignas(bytes)
#endif

/** Load 16 bytes, at a multiple of that. @param[out] value_out  of any types. */
WEIR_DEV void weir_load_16(void *value_out, const void *place)
{
#ifdef __CUDACC__
    const uint4 value = *(const uint4 *)place;
    memcpy(value_out, &value, 16);
#else
    __builtin_memcpy(value_out, place, 16);
#endif
}
/** Store such bytes. */
WEIR_DEV void weir_store_16(void *place, const void *value)
{
#ifdef __CUDACC__
    uint4 stored;
    memcpy(&stored, value, 16);
    *(uint4 *)place = stored;
#else
    __builtin_memcpy(place, value, 16);
#endif
}

/** How many elements weir_copy_16_abreast() moves. */
#define WEIR_ABREAST 4u
/** to[i] = from[i] of WEIR_ABREAST elements of 16 bytes, @p step apart from @p at on, that lie below @p end. All are loaded
 *  before the first is stored, so that the loads are under way together. */
WEIR_DEV void weir_copy_16_abreast(void *to, const void *from, uint64_t at, uint64_t step,
                                   uint64_t end)
{
#ifdef __CUDACC__
    uint4 value[WEIR_ABREAST];
#pragma unroll
    for (uint32_t k = 0; k < WEIR_ABREAST; k++)
        if (at + k * step < end)
            value[k] = ((const uint4 *)from)[at + k * step];
#pragma unroll
    for (uint32_t k = 0; k < WEIR_ABREAST; k++)
        if (at + k * step < end)
            ((uint4 *)to)[at + k * step] = value[k];
#else
    for (uint32_t k = 0; k < WEIR_ABREAST; k++)
        if (at + k * step < end)
            weir_copy_16(to, from, at + k * step);
#endif
}

#ifndef WEIR_LANES_OF_TEST
/** Bit i is set if lane i passed a non-zero value. */
WEIR_DEV uint32_t weir_ballot(int value)
{
#ifdef __CUDACC__
    return __ballot_sync(0xFFFFFFFFu, value);
#else
    return value ? 1u : 0u;
#endif
}

/** The value that lane @p from passed. */
WEIR_DEV uint32_t weir_broadcast_u32(uint32_t value, uint32_t from)
{
#ifdef __CUDACC__
    return __shfl_sync(0xFFFFFFFFu, value, (int)from);
#else
    (void)from;
    return value;
#endif
}

/** The lanes that passed the same value as this one. All lanes of a warp. */
WEIR_DEV uint32_t weir_match_u32(uint32_t value)
{
#ifdef __CUDACC__
    return __match_any_sync(0xFFFFFFFFu, value);
#else
    (void)value;
    return 1;
#endif
}

/** The value that lane @p from passed. */
WEIR_DEV uint64_t weir_broadcast_u64(uint64_t value, uint32_t from)
{
#ifdef __CUDACC__
    return __shfl_sync(0xFFFFFFFFu, (unsigned long long)value, (int)from);
#else
    (void)from;
    return value;
#endif
}

/** Turn @p count values into their running sums, in memory that the lanes of the worker share; at most
 *  as many values as a warp has lanes. What was written before needs no weir_lanes_sync() in between.
 *  @return the last sum, in every lane. */
WEIR_DEV uint32_t weir_scan_u32(uint32_t *values, uint32_t count)
{
#ifdef __CUDACC__
    const uint32_t lane = threadIdx.x & 31u;
    __syncwarp();
    uint32_t sum = lane < count ? values[lane] : 0;
    for (uint32_t step = 1; step < 32u; step <<= 1) {
        uint32_t before = __shfl_up_sync(0xFFFFFFFFu, sum, step);
        if (lane >= step)
            sum += before;
    }
    if (lane < count)
        values[lane] = sum;
    __syncwarp();
    return __shfl_sync(0xFFFFFFFFu, sum, 31);
#else
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        values[i] = sum += values[i];
    return sum;
#endif
}

/** Sum of the values of this lane and of those before it. */
WEIR_DEV uint32_t weir_prefix_u32(uint32_t value)
{
#ifdef __CUDACC__
    for (uint32_t step = 1; step < 32u; step <<= 1) {
        uint32_t before = __shfl_up_sync(0xFFFFFFFFu, value, step);
        if ((threadIdx.x & 31u) >= step)
            value += before;
    }
#endif
    return value;
}

/** Sum over the lanes of a worker; every lane gets it. */
WEIR_DEV uint64_t weir_sum_u64(uint64_t value)
{
#ifdef __CUDACC__
    /* Compute capability 8.0 and up adds 32 bits at once: pieces of 20 leave room for 32 lanes. */
    const uint32_t all = 0xFFFFFFFFu, piece = 0xFFFFFu;
    uint64_t low = __reduce_add_sync(all, (uint32_t)value & piece);
    uint64_t middle = __reduce_add_sync(all, (uint32_t)(value >> 20) & piece);
    uint64_t high = __reduce_add_sync(all, (uint32_t)(value >> 40) & piece);
    uint64_t top = __reduce_add_sync(all, (uint32_t)(value >> 60));
    value = low + (middle << 20) + (high << 40) + (top << 60);
#endif
    return value;
}

/** Sum over the lanes of a worker; every lane gets it. */
WEIR_DEV uint32_t weir_sum_u32(uint32_t value)
{
#ifdef __CUDACC__
    return __reduce_add_sync(0xFFFFFFFFu, value); /* compute capability 8.0 and up */
#else
    return value;
#endif
}

/** All bits that any lane of a worker passed; every lane gets them. */
WEIR_DEV uint64_t weir_or_u64(uint64_t value)
{
#ifdef __CUDACC__
    const uint32_t all = 0xFFFFFFFFu; /* compute capability 8.0 and up */
    const uint64_t low = __reduce_or_sync(all, (uint32_t)value);
    return low | (uint64_t)__reduce_or_sync(all, (uint32_t)(value >> 32)) << 32;
#else
    return value;
#endif
}

/** What the lane passed whose number differs from this one's in the bits of @p step. */
WEIR_DEV uint32_t weir_exchange_u32(uint32_t value, uint32_t step)
{
#ifdef __CUDACC__
    return __shfl_xor_sync(0xFFFFFFFFu, value, (int)step);
#else
    (void)step;
    return value;
#endif
}

/** Sum over each @p width lanes that follow one another, a power of two up to WEIR_LANES; every lane gets that
 *  of its own group. The same in every run: lanes are added in one order. */
WEIR_DEV double weir_group_sum_f64(double value, uint32_t width)
{
#ifdef __CUDACC__
    for (uint32_t step = 1; step < width; step <<= 1)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, (int)step);
#else
    (void)width;
#endif
    return value;
}

/** As weir_group_sum_f64(). */
WEIR_DEV float weir_group_sum_f32(float value, uint32_t width)
{
#ifdef __CUDACC__
    for (uint32_t step = 1; step < width; step <<= 1)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, (int)step);
#else
    (void)width;
#endif
    return value;
}

/** As weir_group_sum_f64(), of integers. */
WEIR_DEV uint32_t weir_group_sum_u32(uint32_t value, uint32_t width)
{
#ifdef __CUDACC__
    for (uint32_t step = 1; step < width; step <<= 1)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, (int)step);
#else
    (void)width;
#endif
    return value;
}

/** All bits that any of @p width lanes that follow one another passed, as weir_group_sum_f64() has them. */
WEIR_DEV uint64_t weir_group_or_u64(uint64_t value, uint32_t width)
{
#ifdef __CUDACC__
    for (uint32_t step = 1; step < width; step <<= 1)
        value |= __shfl_xor_sync(0xFFFFFFFFu, value, (int)step);
#else
    (void)width;
#endif
    return value;
}

/** Largest over the lanes of a worker; every lane gets it. */
WEIR_DEV uint32_t weir_max_u32(uint32_t value)
{
#ifdef __CUDACC__
    return __reduce_max_sync(0xFFFFFFFFu, value); /* compute capability 8.0 and up */
#else
    return value;
#endif
}

/** All lanes come here before any goes on, and see what the others wrote before. */
WEIR_DEV void weir_lanes_sync(void)
{
#ifdef __CUDACC__
    __syncwarp();
#endif
}
#endif

/** Number of set bits. */
WEIR_DEV uint32_t weir_popcount_u32(uint32_t value)
{
#ifdef __CUDACC__
    return (uint32_t)__popc(value);
#else
    return (uint32_t)__builtin_popcount(value);
#endif
}

/** Number of the highest set bit, plus 1; 0 of 0. */
WEIR_DEV uint32_t weir_bits_u32(uint32_t value)
{
#ifdef __CUDACC__
    return 32u - (uint32_t)__clz((int)value);
#else
    return value ? 32u - (uint32_t)__builtin_clz(value) : 0u;
#endif
}

/** Number of the lowest set bit; @p value is not 0. */
WEIR_DEV uint32_t weir_first_bit_u32(uint32_t value)
{
#ifdef __CUDACC__
    return (uint32_t)__ffs((int)value) - 1u;
#else
    return (uint32_t)__builtin_ctz(value);
#endif
}

/** What lies there will be read before long: bring it nearer. Waits for nothing. */
WEIR_DEV void weir_prefetch(const void *place)
{
#ifdef __CUDACC__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(place));
#else
    __builtin_prefetch(place);
#endif
}

/** The word as it is now, while others may be changing it. */
WEIR_DEV uint32_t weir_load_relaxed_dev_u32(const uint32_t *word)
{
#ifdef __CUDACC__
    return *(const volatile uint32_t *)word; /* a relaxed load: never from a stale L1 line */
#else
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

/** A word that nobody writes while kernels run and that is looked at once: what is looked at more often
 *  stays in the caches in its place. */
WEIR_DEV uint32_t weir_load_once_u32(const uint32_t *word)
{
#ifdef __CUDACC__
    return __ldcs(word);
#else
    return *word;
#endif
}

/** A value that goes through memory once in a while, such as a sum that is added to in each pass over an array: what is
 *  looked at more often stays in the caches in its place. An ordinary load otherwise. */
WEIR_DEV double weir_load_stream_f64(const double *value)
{
#ifdef __CUDACC__
    return __ldcs(value);
#else
    return *value;
#endif
}
/** The same of floats. */
WEIR_DEV float weir_load_stream_f32(const float *value)
{
#ifdef __CUDACC__
    return __ldcs(value);
#else
    return *value;
#endif
}
/** Store such a value. */
WEIR_DEV void weir_store_stream_f64(double *place, double value)
{
#ifdef __CUDACC__
    __stcs(place, value);
#else
    *place = value;
#endif
}

/** *word = min(*word, value); @return what it was. */
WEIR_DEV uint32_t weir_atomic_min_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    return atomicMin(word, value);
#else
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (old > value &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

/** *word = max(*word, value); @return what it was. */
WEIR_DEV uint32_t weir_atomic_max_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    return atomicMax(word, value);
#else
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (old < value &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

/** *word += value; @return what it was. */
WEIR_DEV uint32_t weir_atomic_add_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    return atomicAdd(word, value);
#else
    return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

/** *word += value, of memory that the threads of one block share; those of others do not touch it. The sum
 *  is there when all who added have met at a barrier of the block, not before. */
WEIR_DEV void weir_atomic_add_block_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    /* Shared memory adds 32 bits by itself and 64 only by trying again and again. */
    unsigned *half = (unsigned *)word, low = (unsigned)value;
    unsigned before = atomicAdd_block(&half[0], low);
    unsigned high = (unsigned)(value >> 32) + (before + low < before);
    if (high)
        atomicAdd_block(&half[1], high);
#else
    *word += value; /* a block is one thread */
#endif
}

/** *word += value, a word in the memory of a block; @return what it was. */
WEIR_DEV uint32_t weir_atomic_add_block_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    return atomicAdd_block(word, value);
#else
    const uint32_t before = *word;
    *word += value;
    return before;
#endif
}

/** *word |= value; @return what it was. */
WEIR_DEV uint32_t weir_atomic_or_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    return atomicOr(word, value);
#else
    return __atomic_fetch_or(word, value, __ATOMIC_RELAXED);
#endif
}

/** As weir_atomic_or_relaxed_dev_u32() where @p value is not 0; where it is, the word is left alone and the answer is 0. There
 *  is no branch: a lane that has several of these in a row waits for all of them together, and behind branches it would wait
 *  for each. @p word is one that may be looked at in any case. */
WEIR_DEV uint32_t weir_atomic_or_bits_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
    uint32_t was = 0;
#ifdef __CUDACC__
    asm volatile("{\n\t"
                 ".reg .pred some;\n\t"
                 "setp.ne.u32 some, %2, 0;\n\t"
                 "@some atom.relaxed.gpu.or.b32 %0, [%1], %2;\n\t"
                 "}"
                 : "+r"(was)
                 : "l"(word), "r"(value)
                 : "memory");
#else
    if (value)
        was = weir_atomic_or_relaxed_dev_u32(word, value);
#endif
    return was;
}

/** *word |= value; @return what it was. */
WEIR_DEV uint64_t weir_atomic_or_relaxed_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    return atomicOr((unsigned long long *)word, (unsigned long long)value);
#else
    return __atomic_fetch_or(word, value, __ATOMIC_RELAXED);
#endif
}

/** *word &= value; @return what it was. */
WEIR_DEV uint32_t weir_atomic_and_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    return atomicAnd(word, value);
#else
    return __atomic_fetch_and(word, value, __ATOMIC_RELAXED);
#endif
}

/** *word &= value; @return what it was. */
WEIR_DEV uint64_t weir_atomic_and_relaxed_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    return atomicAnd((unsigned long long *)word, (unsigned long long)value);
#else
    return __atomic_fetch_and(word, value, __ATOMIC_RELAXED);
#endif
}

/** *word += value; @return what it was. */
WEIR_DEV uint64_t weir_atomic_add_relaxed_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    return atomicAdd((unsigned long long *)word, (unsigned long long)value);
#else
    return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

/** As weir_load_relaxed_dev_u32(). */
WEIR_DEV uint64_t weir_load_relaxed_dev_u64(const uint64_t *word)
{
#ifdef __CUDACC__
    return *(const volatile uint64_t *)word;
#else
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

/** *word = min(*word, value); @return what it was. */
WEIR_DEV uint64_t weir_atomic_min_relaxed_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    return atomicMin((unsigned long long *)word, (unsigned long long)value);
#else
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (old > value &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

/** *word += value; @return what it was. */
WEIR_DEV double weir_atomic_add_relaxed_dev_f64(double *word, double value)
{
#ifdef __CUDACC__
    return atomicAdd(word, value);
#else
    double old, sum;
    __atomic_load(word, &old, __ATOMIC_RELAXED);
    do
        sum = old + value;
    while (!__atomic_compare_exchange(word, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
#endif
}

/** *word = value; @return what it was. */
WEIR_DEV double weir_atomic_exchange_relaxed_dev_f64(double *word, double value)
{
#ifdef __CUDACC__
    return __longlong_as_double((long long)atomicExch(
        (unsigned long long *)word, (unsigned long long)__double_as_longlong(value)));
#else
    double old;
    __atomic_exchange(word, &value, &old, __ATOMIC_RELAXED);
    return old;
#endif
}

/** As weir_load_relaxed_dev_u32(). */
WEIR_DEV double weir_load_relaxed_dev_f64(const double *word)
{
#ifdef __CUDACC__
    return *(const volatile double *)word;
#else
    double value;
    __atomic_load(word, &value, __ATOMIC_RELAXED);
    return value;
#endif
}

/** As weir_load_relaxed_dev_u32(). */
WEIR_DEV float weir_load_relaxed_dev_f32(const float *word)
{
#ifdef __CUDACC__
    return *(const volatile float *)word;
#else
    float value;
    __atomic_load(word, &value, __ATOMIC_RELAXED);
    return value;
#endif
}

/** *word = value, while others may be reading or changing it. */
WEIR_DEV void weir_store_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/** As weir_store_relaxed_dev_u32(). */
WEIR_DEV void weir_store_relaxed_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/** As weir_store_relaxed_dev_u32(). */
WEIR_DEV void weir_store_relaxed_dev_f32(float *word, float value)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.f32 [%0], %1;" ::"l"(word), "f"(value) : "memory");
#else
    __atomic_store(word, &value, __ATOMIC_RELAXED);
#endif
}

/** As weir_store_relaxed_dev_u32(). */
WEIR_DEV void weir_store_relaxed_dev_f64(double *word, double value)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.f64 [%0], %1;" ::"l"(word), "d"(value) : "memory");
#else
    __atomic_store(word, &value, __ATOMIC_RELAXED);
#endif
}

/** *word = value; @return what it was. */
WEIR_DEV uint32_t weir_atomic_exchange_relaxed_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    return atomicExch(word, value);
#else
    return __atomic_exchange_n(word, value, __ATOMIC_RELAXED);
#endif
}

/** *word = value; @return what it was. */
WEIR_DEV uint64_t weir_atomic_exchange_relaxed_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    return atomicExch((unsigned long long *)word, (unsigned long long)value);
#else
    return __atomic_exchange_n(word, value, __ATOMIC_RELAXED);
#endif
}

/** *word = value; @return what it was. */
WEIR_DEV float weir_atomic_exchange_relaxed_dev_f32(float *word, float value)
{
#ifdef __CUDACC__
    return atomicExch(word, value);
#else
    float old;
    __atomic_exchange(word, &value, &old, __ATOMIC_RELAXED);
    return old;
#endif
}

/** If *word is @p expected: *word = value. @return what it was: @p expected, if and only if it was changed. */
WEIR_DEV uint32_t weir_atomic_compare_swap_relaxed_dev_u32(uint32_t *word, uint32_t expected,
                                                           uint32_t value)
{
#ifdef __CUDACC__
    return atomicCAS(word, expected, value);
#else
    (void)__atomic_compare_exchange_n(word, &expected, value, 0, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED);
    return expected;
#endif
}

/** As weir_atomic_compare_swap_relaxed_dev_u32(). */
WEIR_DEV uint64_t weir_atomic_compare_swap_relaxed_dev_u64(uint64_t *word, uint64_t expected,
                                                           uint64_t value)
{
#ifdef __CUDACC__
    return atomicCAS((unsigned long long *)word, (unsigned long long)expected,
                     (unsigned long long)value);
#else
    (void)__atomic_compare_exchange_n(word, &expected, value, 0, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED);
    return expected;
#endif
}

/** *word = max(*word, value); @return what it was. */
WEIR_DEV uint64_t weir_atomic_max_relaxed_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    return atomicMax((unsigned long long *)word, (unsigned long long)value);
#else
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (old < value &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

/** *word += value; @return what it was. */
WEIR_DEV float weir_atomic_add_relaxed_dev_f32(float *word, float value)
{
#ifdef __CUDACC__
    return atomicAdd(word, value);
#else
    float old, sum;
    __atomic_load(word, &old, __ATOMIC_RELAXED);
    do
        sum = old + value;
    while (!__atomic_compare_exchange(word, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
#endif
}

/** *word = min(*word, value) of numbers with any sign, infinity too; @return what it was. Neither is NaN; which of two
 *  zeros is left is not said. */
WEIR_DEV float weir_atomic_min_relaxed_dev_f32(float *word, float value)
{
#ifdef __CUDACC__
    /* The bits of floats that are not negative have the order of the floats. Those of negative floats are below all
     * of them as signed integers, above all of them as unsigned ones, and then the least float is the largest. */
    const int bits = __float_as_int(value);
    return bits >= 0 ? __int_as_float(atomicMin((int *)word, bits))
                     : __uint_as_float(atomicMax((unsigned *)word, (unsigned)bits));
#else
    float old;
    __atomic_load(word, &old, __ATOMIC_RELAXED);
    while (value < old &&
           !__atomic_compare_exchange(word, &old, &value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

/** As weir_atomic_min_relaxed_dev_f32(). */
WEIR_DEV double weir_atomic_min_relaxed_dev_f64(double *word, double value)
{
#ifdef __CUDACC__
    const long long bits = __double_as_longlong(value);
    const long long old =
        bits >= 0 ? atomicMin((long long *)word, bits)
                  : (long long)atomicMax((unsigned long long *)word, (unsigned long long)bits);
    return __longlong_as_double(old);
#else
    double old;
    __atomic_load(word, &old, __ATOMIC_RELAXED);
    while (value < old &&
           !__atomic_compare_exchange(word, &old, &value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

/* Reductions: *word becomes what the atomic of the same name makes it, and nobody is told what it was. Of words in the memory of a device, not in that of a
 * block. A GPU has an answer sent to who asks for an atomic even where nobody reads it: minima of random words take longer so
 * (docs/benchmarks.md). */
#ifdef __CUDACC__
/** Makes a reduction of an atomic. */
#define WEIR__REDUCTION(name, atomic, op, in, type)                      \
    WEIR_DEV void name(type *word, type value)                           \
    {                                                                    \
        asm volatile("red.relaxed.gpu.global." op                        \
                     " [%0], %1;" ::"l"(__cvta_generic_to_global(word)), \
                     in(value)                                           \
                     : "memory");                                        \
    }
#else
/** Makes a reduction of an atomic. */
#define WEIR__REDUCTION(name, atomic, op, in, type) \
    WEIR_DEV void name(type *word, type value)      \
    {                                               \
        (void)atomic(word, value);                  \
    }
#endif
/** *word += value. */
WEIR__REDUCTION(weir_add_relaxed_dev_u32, weir_atomic_add_relaxed_dev_u32, "add.u32", "r", uint32_t)
/** *word += value. */
WEIR__REDUCTION(weir_add_relaxed_dev_u64, weir_atomic_add_relaxed_dev_u64, "add.u64", "l", uint64_t)
/** *word += value. */
WEIR__REDUCTION(weir_add_relaxed_dev_f32, weir_atomic_add_relaxed_dev_f32, "add.f32", "f", float)
/** *word += value. */
WEIR__REDUCTION(weir_add_relaxed_dev_f64, weir_atomic_add_relaxed_dev_f64, "add.f64", "d", double)
/** *word = min(*word, value). */
WEIR__REDUCTION(weir_min_relaxed_dev_u32, weir_atomic_min_relaxed_dev_u32, "min.u32", "r", uint32_t)
/** *word = min(*word, value). */
WEIR__REDUCTION(weir_min_relaxed_dev_u64, weir_atomic_min_relaxed_dev_u64, "min.u64", "l", uint64_t)
/** *word = max(*word, value). */
WEIR__REDUCTION(weir_max_relaxed_dev_u32, weir_atomic_max_relaxed_dev_u32, "max.u32", "r", uint32_t)
/** *word = max(*word, value). */
WEIR__REDUCTION(weir_max_relaxed_dev_u64, weir_atomic_max_relaxed_dev_u64, "max.u64", "l", uint64_t)
/** *word |= value. */
WEIR__REDUCTION(weir_or_relaxed_dev_u32, weir_atomic_or_relaxed_dev_u32, "or.b32", "r", uint32_t)
/** *word |= value. */
WEIR__REDUCTION(weir_or_relaxed_dev_u64, weir_atomic_or_relaxed_dev_u64, "or.b64", "l", uint64_t)
#undef WEIR__REDUCTION

#endif
