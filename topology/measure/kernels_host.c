/** @file kernels_host.c  The benchmarks' kernels on a host device's threads. */
#include "topology/measure/kernels.h"

#include "runtime/internal.h"

#include <string.h>

/* Elements between two looks at whether the benchmark goes on: a tenth of a second at random places. */
#define PART ((uint64_t)1 << 20)

/* A worker's share of `count`: a contiguous piece, so that a thread reads along its memory. */
static uint64_t begin_of(uint64_t count, uint32_t worker, uint32_t workers)
{
    uint64_t more = count % workers;
    return count / workers * worker + (worker < more ? worker : more);
}

/* The part of the share at hand, and where the share ends. */
struct share {
    uint64_t begin, end, last;
};

static struct share share_of(uint64_t count, uint32_t worker, uint32_t workers)
{
    uint64_t begin = begin_of(count, worker, workers);
    return (struct share){begin, begin, begin_of(count, worker + 1, workers)};
}

/* Go on to the next part. @return whether there is one, and anybody wants it. */
static int next_part(struct share *share)
{
    share->begin = share->end;
    share->end = share->last - share->begin < PART ? share->last : share->begin + PART;
    return share->begin < share->last && !weir__dropping();
}

#define FOR_SHARE(i, count)                                                         \
    for (struct share share = share_of(count, worker, workers); next_part(&share);) \
        for (uint64_t i = share.begin; i < share.end; i++)

void weir__pattern_put_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__pattern_args *a = args;
    FOR_SHARE(i, a->words)
    a->data[i] = weir__pattern_word(a->seed, i);
}

void weir__pattern_check_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__pattern_args *a = args;
    uint64_t wrong = 0;
    FOR_SHARE(i, a->words)
    wrong += a->data[i] != weir__pattern_word(a->seed, i);
    weir_atomic_add_relaxed_dev_u64(a->wrong, wrong);
}

void weir__empty_host(const void *args, uint32_t worker, uint32_t workers)
{
    (void)args;
    (void)worker;
    (void)workers;
}

/* ---- memory in order ------------------------------------------------------------------------------ */

void weir__stream_read_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__stream_args *a = args;
    uint64_t sum = 0;
    FOR_SHARE(i, a->bytes / 8)
    sum += a->from[i];
    weir_atomic_add_relaxed_dev_u64(a->sum, sum);
}

void weir__stream_write_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__stream_args *a = args;
    FOR_SHARE(i, a->bytes / 8)
    a->to[i] = a->seed + i * a->step;
}

void weir__stream_copy_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__stream_args *a = args;
    uint64_t begin = begin_of(a->bytes / 8, worker, workers);
    uint64_t end = begin_of(a->bytes / 8, worker + 1, workers);
    weir__drop_copy(a->to + begin, a->from + begin, (size_t)(end - begin) * 8);
}

void weir__stream_add_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__stream_args *a = args;
    uint32_t *counters = (uint32_t *)a->to;
    FOR_SHARE(i, a->bytes / 4)
    weir_atomic_add_relaxed_dev_u32(&counters[i], 1);
}

void weir__stream_check_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__stream_args *a = args;
    uint64_t wrong = 0;
    FOR_SHARE(i, a->bytes / 8)
    wrong += a->from[i] != a->seed + i * a->step;
    weir_atomic_add_relaxed_dev_u64(a->sum, wrong);
}

/* ---- random places -------------------------------------------------------------------------------- */

static void add_float(uint32_t *word)
{
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), next;
    float value;
    do {
        memcpy(&value, &old, sizeof value);
        value += 1.0f;
        memcpy(&next, &value, sizeof next);
    } while (!__atomic_compare_exchange_n(word, &old, next, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* One access; @return what it adds to the sum. Relaxed atomics even for reading and writing: two
 * workers may meet at a place. */
static uint64_t access_one(const struct weir__random_args *a, uint64_t place)
{
    uint32_t *word = &a->data[place];
    switch ((enum weir__access)a->access) {
    case WEIR__READ:
        return weir_load_relaxed_dev_u32(word);
    case WEIR__WRITE:
        __atomic_store_n(word, weir__value(a, place), __ATOMIC_RELAXED);
        return 0;
    case WEIR__MIN:
        return weir_atomic_min_relaxed_dev_u32(word, weir__value(a, place));
    case WEIR__MIN_UNUSED:
        weir_atomic_min_relaxed_dev_u32(word, weir__value(a, place));
        return 0;
    case WEIR__ADD:
        weir_atomic_add_relaxed_dev_u32(word, 1);
        return 0;
    case WEIR__ADD_FLOAT:
        add_float(word);
        return 0;
    case WEIR__EXPECT:
        return weir__linear_half(a->seed, place);
    case WEIR__CHECK:
        return weir_load_relaxed_dev_u32(word) != weir__value(a, place);
    }
    return 0;
}

void weir__random_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__random_args *a = args;
    uint64_t sum = 0;
    FOR_SHARE(i, a->count)
    sum += access_one(a, weir__place(a, i));
    weir_atomic_add_relaxed_dev_u64(a->sum, sum);
}

void weir__counters_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__counters_args *a = args;
    uint64_t sum = 0;
    FOR_SHARE(i, a->words)
    {
        float value;
        memcpy(&value, &a->data[i], sizeof value);
        sum += a->floats ? (uint64_t)value : a->data[i];
    }
    weir_atomic_add_relaxed_dev_u64(a->sum, sum);
}
