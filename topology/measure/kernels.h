/** @file kernels.h  The kernels of the benchmarks, in the form both compilers take.
 *
 * kernels_host.c, kernels_cuda.cu and sync_cuda.cu define the two halves of the weir_kernel objects;
 * kernels.c joins them. All sizes are multiples of 16 bytes. Words called `sum` are memory of the
 * kernel's device, zeroed by the caller. */
#ifndef WEIR_TOPOLOGY_MEASURE_KERNELS_H
#define WEIR_TOPOLOGY_MEASURE_KERNELS_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Word i (8 bytes) of a pattern is a hash of seed and i. */
struct weir__pattern_args {
    uint64_t *data;
    uint64_t words, seed;
    uint64_t *wrong; /* check: words that differ are added here; memory of the kernel's device */
};

/** Memory from its beginning to its end, 16 bytes a lane. Word i (8 bytes) of what is written or
 *  expected is seed + i * step. */
struct weir__stream_args {
    uint64_t *to;
    const uint64_t *from;
    uint64_t bytes, seed, step;
    uint64_t *sum;   /* read: the sum of the words modulo 2^64; check: how many differ */
    uint32_t system; /* add: system scope, for memory that others see */
};

/** What is done to words of 4 bytes at places in random order. */
enum weir__access {
    WEIR__READ,       /* sum: of the words read */
    WEIR__WRITE,      /* of weir__value() */
    WEIR__MIN,        /* atomic minimum with weir__value(); sum: of the words before */
    WEIR__MIN_UNUSED, /* the same, and nobody asks for the word before */
    WEIR__ADD,        /* atomic addition of 1 */
    WEIR__ADD_FLOAT,  /* of 1.0f, to floats */
    /* What checks those above. */
    WEIR__EXPECT, /* sum: what WEIR__READ gives where stream_write filled with this seed, step 1 */
    WEIR__CHECK   /* sum: accesses that do not find weir__value() */
};
struct weir__random_args {
    uint32_t *data;
    uint64_t words; /* a power of two; a word's place is a hash of seed and the access's number */
    uint64_t count; /* accesses, a multiple of 4 */
    uint64_t seed;
    uint64_t *sum;
    uint32_t access; /* enum weir__access */
    uint32_t system; /* atomics in system scope, for memory of a peer */
};

/** The sum of counters of 4 bytes. */
struct weir__counters_args {
    const uint32_t *data;
    uint64_t words;
    uint64_t *sum;
    uint32_t floats; /* they are floats that hold whole numbers */
};

/** How a kernel that waits for others ends when they do not come. */
struct weir__patience {
    const uint32_t *stop; /* page-locked; the host sets it to end the kernel */
    uint32_t *failed;     /* page-locked; set by a kernel that gave up */
    uint64_t limit_ns;
};

/** One side of rounds of a flag that goes forth and back. Flags only grow, from round to round and from
 *  kernel to kernel. */
struct weir__ping_args {
    uint32_t *mine, *theirs; /* I wait for mine, written by the other side */
    uint32_t base, rounds;   /* rounds base+1 to base+rounds */
    uint32_t first;          /* I begin */
    struct weir__patience patience;
};

#define WEIR__FLAG_STRIDE 32 /* words between two flags: a cache line each */
/** Barriers over running kernels, one on each device: each tells all others, and waits for all. */
struct weir__barrier_args {
    uint32_t *flags[WEIR_DEVICES_MAX]; /* of each device; word i * stride is written by device i */
    uint32_t me, devices;
    uint32_t base, rounds;
    struct weir__patience patience;
};

/** Barriers over the blocks of one kernel. */
struct weir__grid_args {
    uint32_t rounds, blocks_a_unit;
};

/** Kernels with both halves: X(name). */
#define WEIR__BENCH_KERNELS(X) \
    X(pattern_put)             \
    X(pattern_check)           \
    X(empty)                   \
    X(stream_read)             \
    X(stream_write)            \
    X(stream_copy)             \
    X(stream_add)              \
    X(stream_check)            \
    X(random)                  \
    X(counters)
/** Those that wait for each other: a kernel of a host device must not. */
#define WEIR__SYNC_KERNELS(X) \
    X(ping)                   \
    X(barrier)                \
    X(grid)

#define WEIR__DECLARE_HOST(name) \
    void weir__##name##_host(const void *args, uint32_t worker, uint32_t workers);
#define WEIR__DECLARE(name)                       \
    extern const weir_kernel weir__kernel_##name; \
    int weir__##name##_cuda(void *stream, uint32_t workers, const void *args);
WEIR__BENCH_KERNELS(WEIR__DECLARE_HOST)
WEIR__BENCH_KERNELS(WEIR__DECLARE)
WEIR__SYNC_KERNELS(WEIR__DECLARE)

/** splitmix64's finaliser: every bit of @p x moves about half of the result's. */
WEIR_DEV uint64_t weir__hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/** Word @p i of the pattern with this seed. */
WEIR_DEV uint64_t weir__pattern_word(uint64_t seed, uint64_t i)
{
    return weir__hash(i + seed * 0x9E3779B97F4A7C15u + 1);
}

/** Where access @p i of a random kernel goes. */
WEIR_DEV uint64_t weir__place(const struct weir__random_args *a, uint64_t i)
{
    return weir__pattern_word(a->seed, i) & (a->words - 1);
}

/** What belongs into the word at @p place; as unsigned number never above the initial 0xFFFFFFFF. */
WEIR_DEV uint32_t weir__value(const struct weir__random_args *a, uint64_t place)
{
    return (uint32_t)(place ^ a->seed);
}

/** The word of 4 bytes at @p place where word i of 8 bytes is seed + i. */
WEIR_DEV uint32_t weir__linear_half(uint64_t seed, uint64_t place)
{
    return (uint32_t)((seed + (place >> 1)) >> (place & 1 ? 32 : 0));
}

#ifdef __cplusplus
}
#endif
#endif
