/** @file sync.h  The dialect's words for handing data on while kernels run: loads that acquire, stores
 *  that release, barriers of a block, and what a wait does between two looks.
 *
 * Order and scope are in each name: _dev orders against all threads of the device, _sys against all
 * devices and the host. On a host device both are the same, and a block is one thread. A release is
 * cumulative: it also publishes what the thread had acquired from others before
 * (docs/memory-model.md). */
#ifndef WEIR_RUNTIME_SYNC_H
#define WEIR_RUNTIME_SYNC_H

#include "runtime/dialect.h"

#ifndef __CUDACC__
#ifdef __cplusplus
extern "C" {
#endif
/** weir_pause() and weir_clock_ns() of host devices; in the library, since plain C11 has neither. */
void weir_host_pause(uint32_t looks);
uint64_t weir_host_clock_ns(void);
#ifdef __cplusplus
}
#endif
#endif

#ifdef __CUDACC__
#define WEIR_SYNC_LOAD(name, type, ptx, constraint)                                    \
    WEIR_DEV type name(const type *word)                                               \
    {                                                                                  \
        type value;                                                                    \
        asm volatile(ptx " %0, [%1];" : "=" constraint(value) : "l"(word) : "memory"); \
        return value;                                                                  \
    }
#define WEIR_SYNC_STORE(name, type, ptx, constraint)                              \
    WEIR_DEV void name(type *word, type value)                                    \
    {                                                                             \
        asm volatile(ptx " [%0], %1;" ::"l"(word), constraint(value) : "memory"); \
    }
WEIR_SYNC_LOAD(weir_load_acquire_dev_u32, uint32_t, "ld.acquire.gpu.u32", "r")
WEIR_SYNC_LOAD(weir_load_acquire_dev_u64, uint64_t, "ld.acquire.gpu.u64", "l")
WEIR_SYNC_LOAD(weir_load_acquire_sys_u32, uint32_t, "ld.acquire.sys.u32", "r")
WEIR_SYNC_LOAD(weir_load_acquire_sys_u64, uint64_t, "ld.acquire.sys.u64", "l")
WEIR_SYNC_LOAD(weir_load_relaxed_block_u32, uint32_t, "ld.relaxed.cta.u32", "r")
WEIR_SYNC_LOAD(weir_load_relaxed_sys_u32, uint32_t, "ld.relaxed.sys.u32", "r")
WEIR_SYNC_LOAD(weir_load_relaxed_sys_u64, uint64_t, "ld.relaxed.sys.u64", "l")
WEIR_SYNC_STORE(weir_store_release_dev_u32, uint32_t, "st.release.gpu.u32", "r")
WEIR_SYNC_STORE(weir_store_release_dev_u64, uint64_t, "st.release.gpu.u64", "l")
WEIR_SYNC_STORE(weir_store_release_sys_u32, uint32_t, "st.release.sys.u32", "r")
WEIR_SYNC_STORE(weir_store_release_sys_u64, uint64_t, "st.release.sys.u64", "l")
WEIR_SYNC_STORE(weir_store_relaxed_sys_u32, uint32_t, "st.relaxed.sys.u32", "r")
WEIR_SYNC_STORE(weir_store_relaxed_sys_u64, uint64_t, "st.relaxed.sys.u64", "l")
/* Stores behind a weir_fence_sys(): what came before the fence is seen by who sees them. */
WEIR_SYNC_STORE(weir_store_fenced_sys_u32, uint32_t, "st.relaxed.sys.u32", "r")
WEIR_SYNC_STORE(weir_store_fenced_sys_u64, uint64_t, "st.relaxed.sys.u64", "l")
#else
#define WEIR_SYNC_LOAD(name, type, order)    \
    WEIR_DEV type name(const type *word)     \
    {                                        \
        return __atomic_load_n(word, order); \
    }
#define WEIR_SYNC_STORE(name, type, order)     \
    WEIR_DEV void name(type *word, type value) \
    {                                          \
        __atomic_store_n(word, value, order);  \
    }
WEIR_SYNC_LOAD(weir_load_acquire_dev_u32, uint32_t, __ATOMIC_ACQUIRE)
WEIR_SYNC_LOAD(weir_load_acquire_dev_u64, uint64_t, __ATOMIC_ACQUIRE)
WEIR_SYNC_LOAD(weir_load_acquire_sys_u32, uint32_t, __ATOMIC_ACQUIRE)
WEIR_SYNC_LOAD(weir_load_acquire_sys_u64, uint64_t, __ATOMIC_ACQUIRE)
WEIR_SYNC_LOAD(weir_load_relaxed_block_u32, uint32_t, __ATOMIC_RELAXED)
WEIR_SYNC_LOAD(weir_load_relaxed_sys_u32, uint32_t, __ATOMIC_RELAXED)
WEIR_SYNC_LOAD(weir_load_relaxed_sys_u64, uint64_t, __ATOMIC_RELAXED)
WEIR_SYNC_STORE(weir_store_release_dev_u32, uint32_t, __ATOMIC_RELEASE)
WEIR_SYNC_STORE(weir_store_release_dev_u64, uint64_t, __ATOMIC_RELEASE)
WEIR_SYNC_STORE(weir_store_release_sys_u32, uint32_t, __ATOMIC_RELEASE)
WEIR_SYNC_STORE(weir_store_release_sys_u64, uint64_t, __ATOMIC_RELEASE)
WEIR_SYNC_STORE(weir_store_relaxed_sys_u32, uint32_t, __ATOMIC_RELAXED)
WEIR_SYNC_STORE(weir_store_relaxed_sys_u64, uint64_t, __ATOMIC_RELAXED)
/* On the host the fence is in the stores: sanitizers know no fences, and here it costs nothing. */
WEIR_SYNC_STORE(weir_store_fenced_sys_u32, uint32_t, __ATOMIC_RELEASE)
WEIR_SYNC_STORE(weir_store_fenced_sys_u64, uint64_t, __ATOMIC_RELEASE)
#endif

/** Two words that lie one behind the other, at a multiple of 16 bytes, in one access; each is whole, and nothing orders
 *  the two. */
WEIR_DEV void weir_load_relaxed_sys_pair(const uint64_t *words, uint64_t *first, uint64_t *second)
{
#ifdef __CUDACC__
    asm volatile("ld.relaxed.sys.v2.u64 {%0, %1}, [%2];"
                 : "=l"(*first), "=l"(*second)
                 : "l"(words)
                 : "memory");
#else
    *first = __atomic_load_n(words, __ATOMIC_RELAXED);
    *second = __atomic_load_n(words + 1, __ATOMIC_RELAXED);
#endif
}

/** The same of a store. */
WEIR_DEV void weir_store_relaxed_sys_pair(uint64_t *words, uint64_t first, uint64_t second)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.sys.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first), "l"(second)
                 : "memory");
#else
    __atomic_store_n(words, first, __ATOMIC_RELAXED);
    __atomic_store_n(words + 1, second, __ATOMIC_RELAXED);
#endif
}

/** *word = min(*word, value), of any device's memory that this one reaches with native atomics; @return what
 *  it was. Hands nothing on. */
WEIR_DEV uint32_t weir_atomic_min_relaxed_sys_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    uint32_t old;
    asm volatile("atom.min.relaxed.sys.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(word), "r"(value)
                 : "memory");
    return old;
#else
    return weir_atomic_min_relaxed_dev_u32(word, value);
#endif
}

/** *word += value; @return what it was. Releases what the thread did, acquires what others released. */
WEIR_DEV uint32_t weir_add_acq_rel_dev_u32(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    uint32_t old;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(word), "r"(value)
                 : "memory");
    return old;
#else
    return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
#endif
}

/** *word += value; @return what it was. Releases what the thread did, acquires what others released. */
WEIR_DEV uint64_t weir_add_acq_rel_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    uint64_t old;
    asm volatile("atom.add.acq_rel.gpu.u64 %0, [%1], %2;"
                 : "=l"(old)
                 : "l"(word), "l"(value)
                 : "memory");
    return old;
#else
    return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
#endif
}

/** *word += value. Releases what the thread did, and what it had acquired from others. */
WEIR_DEV void weir_add_release_dev_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)),
                 "l"(value)
                 : "memory");
#else
    (void)__atomic_fetch_add(word, value, __ATOMIC_RELEASE);
#endif
}

/** *word += value, of memory that other devices look at meanwhile. Hands nothing on. */
WEIR_DEV void weir_add_relaxed_sys_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)),
                 "l"(value)
                 : "memory");
#else
    (void)__atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

/** The same, and releases what the thread did, and what it had acquired from others, to all devices. */
WEIR_DEV void weir_add_release_sys_u64(uint64_t *word, uint64_t value)
{
#ifdef __CUDACC__
    asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)),
                 "l"(value)
                 : "memory");
#else
    (void)__atomic_fetch_add(word, value, __ATOMIC_RELEASE);
#endif
}

/** Orders all that the thread did before, and what it had acquired, before all it does after, for every
 *  device: stores into a peer's memory have arrived there. */
WEIR_DEV void weir_fence_sys(void)
{
#ifdef __CUDACC__
    __threadfence_system();
#else
    /* One memory: the release, or the fenced stores, that follow in every use order as much. */
#endif
}

#ifndef WEIR_LANES_OF_TEST
/** All threads of a block come here before any goes on, and see what the others wrote before. */
WEIR_DEV void weir_block_sync(void)
{
#ifdef __CUDACC__
    __syncthreads();
#endif
}
#endif

/** The same, and @return whether any thread passed a value other than 0, to all of them. */
WEIR_DEV int weir_block_any(int value)
{
#ifdef __CUDACC__
    return __syncthreads_or(value);
#else
    return value;
#endif
}

/** The first @p threads threads of a block, a multiple of the lanes of a worker, come here before any goes on,
 *  and see what the others wrote before; the rest of the block has no part in it. */
WEIR_DEV void weir_part_sync(uint32_t threads)
{
#ifdef __CUDACC__
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
#else
    (void)threads;
#endif
}

/** Nanoseconds of a clock that does not go back and that all threads of a device share. */
WEIR_DEV uint64_t weir_clock_ns(void)
{
#ifdef __CUDACC__
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return weir_host_clock_ns();
#endif
}

#ifndef WEIR_LANES_OF_TEST
/** Between two looks at a word that another thread will change. @param[in] looks  so far. */
WEIR_DEV void weir_pause(uint32_t looks)
{
#ifdef __CUDACC__
    if (looks > 4096) /* a sleep takes a microsecond at least, as long as a barrier */
        __nanosleep(100);
#else
    weir_host_pause(looks);
#endif
}
#endif

/** The same for a wait in which most threads of the device may be for long, and look at the same words. @param[in] looks  so far. */
WEIR_DEV void weir_pause_of_many(uint32_t looks)
{
#ifdef __CUDACC__
    __nanosleep(32u << (looks < 4u ? looks : 4u));
#else
    weir_host_pause(looks);
#endif
}

#endif
