/** @file test_memory.c  Conformance of every backend: device memory, its pool, who reaches whom. */
#include "tests/lib/support.h"

#include "runtime/context.h"
#include "runtime/room.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 4097, 1 << 20};
#define SIZES (sizeof sizes / sizeof *sizes)

static void memory_is_aligned_and_apart(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        void *data[SIZES];
        for (size_t i = 0; i < SIZES; i++) {
            data[i] = new_memory(device, sizes[i]);
            assert_non_null(data[i]);
            assert_int_equal((uintptr_t)data[i] % 256, 0);
            put_pattern(device, data[i], sizes[i], i);
        }
        for (size_t i = 0; i < SIZES; i++)
            assert_pattern(device, data[i], sizes[i], i);
        for (size_t i = 0; i < SIZES; i++)
            weir_device_free(device, data[i]);
        weir_device_free(device, NULL);
    }
    weir_context_destroy(context);
}

static void the_pool_counts(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_pool_stats start = WEIR_POOL_STATS_INIT, stats = WEIR_POOL_STATS_INIT;
    weir_device_pool_stats(device, &start);
    assert_int_equal(start.used_bytes, 0);
    assert_int_equal(start.allocations, 0);
    assert_int_equal(start.left_bytes, start.bound_bytes);
    void *a = new_memory(device, 1000), *b = new_memory(device, 3000);
    weir_device_free(device, a);
    weir_device_pool_stats(device, &stats);
    assert_int_equal(stats.used_bytes, 3000);
    assert_int_equal(stats.peak_bytes, 4000);
    assert_int_equal(stats.allocations, 1);
    weir_device_free(device, b);
    weir_device_pool_stats(device, &stats);
    assert_int_equal(stats.used_bytes, 0);
    assert_int_equal(stats.peak_bytes, 4000);
    assert_int_equal(stats.allocations, 0);
    weir_context_destroy(context);
}

static void the_pool_is_bounded(void **state)
{
    static const char *const settings[] = {"pool_bytes=2MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    void *whole = new_memory(device, 2 << 20), *more = &stats;
    STATUS(weir_device_alloc(device, 1, &more), WEIR_ERR_NOMEM);
    assert_null(more);
    assert_detail_has(
        ": its pool of 2 MiB (WEIR_POOL_BYTES) has 2 MiB in use and cannot give 1 MiB "
        "more");
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    assert_detail_has(info.label);
    STATUS(weir_device_alloc(device, SIZE_MAX, &more), WEIR_ERR_NOMEM);
    assert_detail_has("cannot give 17592186044416 MiB more");
    weir_device_pool_stats(device, &stats);
    assert_int_equal(stats.used_bytes, 2 << 20);
    assert_int_equal(stats.bound_bytes, 2 << 20);
    /* Each device has a pool of its own, and what is given back can be had again. */
    weir_device_free(weir_context_home(context), new_memory(weir_context_home(context), 2 << 20));
    weir_device_free(device, whole);
    weir_device_free(device, new_memory(device, 2 << 20));
    weir_context_destroy(context);
}

/* What is not given is found: of a GPU what is free, less a reserve; of the host what this process may use. */
static void the_bound_is_what_the_device_has(void **state)
{
    weir_context *context = open_or_skip(state);
    uint64_t sharing = 0;
    for (uint32_t d = 0; d < all_devices(context); d++)
        sharing += !weir__device_is_gpu(any_device(context, d));
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        weir_device_info_get(any_device(context, d), &info);
        weir_device_pool_stats(any_device(context, d), &stats);
        if (info.kind == WEIR_DEVICE_CUDA) {
            assert_in_range(stats.bound_bytes, 1, info.memory_bytes / 16 * 15);
            assert_int_equal(stats.sharing, 1);
        } else {
            const uint64_t least = (uint64_t)16 << 30;
            const uint64_t all = weir__room_all() * (context->pinning ? 1 : 4);
            assert_int_equal(stats.bound_bytes, all < least ? least : all);
            assert_int_equal(stats.sharing, sharing);
        }
    }
    weir_context_destroy(context);
}

/* What one of them has the others lack; what it does not use any more they may have. */
static void host_pools_share_a_bound(void **state)
{
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_device *first = weir_context_device(context, 0), *second = weir_context_device(context, 1);
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    void *more;
    uint64_t two[2] = {40 << 20, 25 << 20}, one[2] = {40 << 20, 24 << 20};
    (void)state;
    context->host.bound_bytes = 64 << 20;
    assert_int_equal(weir__pools_lack(context, two, 2), 1);
    assert_int_equal(weir__pools_lack(context, one, 2), UINT32_MAX);
    void *data = new_memory(first, 40 << 20);
    weir_device_pool_stats(second, &stats);
    assert_int_equal(stats.left_bytes, 24 << 20);
    assert_int_equal(weir__pools_lack(context, two, 2), 0);
    STATUS(weir_device_alloc(second, 30 << 20, &more), WEIR_ERR_NOMEM);
    assert_detail_has(
        "host:1: its pool of 64 MiB (WEIR_POOL_BYTES) has 0 MiB in use, 40 MiB with the "
        "pools that share it, and cannot give 30 MiB more");
    weir_device_free(first, data);
    weir_device_free(second, new_memory(second, 30 << 20));
    weir_context_destroy(context);
}

/* What is large comes free, little is asked for, and what is large again: first little that fits beside what was there before, then
 * little that needs a slab of its own. Where there is no room elsewhere, it is cut from what is large. */
static void little_does_not_keep_what_is_large(void **state)
{
    static const char *const settings[] = {"pool_bytes=120MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    void *before = new_memory(device, 1000), *large = new_memory(device, 80 << 20), *little[2];
    for (int i = 0; i < 2; i++) {
        weir_device_free(device, large);
        little[i] = new_memory(device, i ? 16 << 20 : 5 << 20);
        large = new_memory(device, 80 << 20);
    }
    weir_device_free(device, large);
    weir_device_free(device, little[0]);
    weir_device_free(device, little[1]);
    weir_device_free(device, before);
    large = new_memory(device, 120 << 20);
    weir_device_free(device, large);
    weir_device_free(device, new_memory(device, 5 << 20));
    weir_context_destroy(context);
}

static void memory_the_machine_lacks_is_an_answer(void **state)
{
    static const char *const settings[] = {"pool_bytes=64TiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    void *data = &stats;
    weir_device_info_get(device, &info);
    /* The system may promise a host device more memory than there is, so only a GPU is asked. */
    if (info.kind == WEIR_DEVICE_CUDA) {
        STATUS(weir_device_alloc(device, (size_t)1 << 45, &data), WEIR_ERR_NOMEM);
        assert_null(data);
        assert_detail_has(info.label);
        weir_device_pool_stats(device, &stats);
        assert_int_equal(stats.used_bytes, 0);
    }
    void *good = new_memory(device, 100);
    put_pattern(device, good, 100, 3);
    assert_pattern(device, good, 100, 3);
    weir_device_free(device, good);
    weir_context_destroy(context);
}

static void what_was_never_given_back_goes_with_the_context(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++)
        (void)new_memory(any_device(context, d), 12345);
    weir_context_destroy(context);
}

static void every_device_reaches_home_and_itself(void **state)
{
    weir_context *context = open_or_skip(state), *other = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        assert_true(weir_device_reaches(device, device));
        assert_true(weir_device_reaches(device, home));
        assert_true(weir_device_reaches(home, device));
        assert_false(weir_device_reaches(device, any_device(other, d)));
    }
    weir_context_destroy(other);
    weir_context_destroy(context);
}

/* Around the piece that uploads are cut into, and with a source that is not aligned. */
static void uploads_and_downloads_of_any_size(void **state)
{
    static const size_t lengths[] = {
        0, 1, 4095, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 4 << 20, (9 << 20) + 5};
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    unsigned char *host = malloc(10 << 20), *back = malloc(10 << 20);
    void *data = new_memory(device, 10 << 20);
    assert_non_null(host);
    assert_non_null(back);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i];
        for (size_t at = 0; at < n; at++)
            host[1 + at] = (unsigned char)((at * 2654435761u) >> 13 ^ i);
        memset(back, 0, n + 2);
        OK(weir__upload(device, data, host + 1, n));
        OK(weir__download(device, back + 1, data, n));
        assert_memory_equal(back + 1, host + 1, n);
        assert_int_equal(back[0], 0);
        assert_int_equal(back[n + 1], 0);
    }
    free(back);
    free(host);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

/* Take all that a pool has, in pieces, and give a few back. @return how many are left. */
static uint32_t leave_pieces(weir_device *device, size_t piece, uint32_t few, void **taken,
                             uint32_t room)
{
    uint32_t count = 0;
    while (count < room && !weir_device_alloc(device, piece, &taken[count]))
        count++;
    assert_in_range(count, few, room - 1);
    while (few--)
        weir_device_free(device, taken[--count]);
    return count;
}

/* So many bytes that several threads share a copy; and the same where home has room for the two pieces of one thread alone. */
static void large_copies(void **state)
{
    const size_t n = (64 << 20) + 5;
    static const char *const settings[] = {"pool_bytes=80MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0), *home = weir_context_home(context);
    uint32_t *host = malloc(n + 3), *back = malloc(n + 3), taken_count = 0;
    void *data = new_memory(device, n), *taken[100];
    assert_non_null(host);
    assert_non_null(back);
    for (int little = 0; little <= 1; little++) {
        for (size_t i = 0; i < (n + 3) / 4; i++)
            host[i] = (uint32_t)i * 2654435761u + (uint32_t)little;
        if (little)
            taken_count = leave_pieces(home, 1 << 20, 3, taken, 100);
        memset(back, 0, n);
        OK(weir__upload(device, data, host, n));
        OK(weir__download(device, back, data, n));
        assert_memory_equal(back, host, n);
    }
    while (taken_count)
        weir_device_free(home, taken[--taken_count]);
    weir_device_free(device, data);
    free(back);
    free(host);
    weir_context_destroy(context);
}

/* ---- giving memory back while kernels wait for some ---------------------------------------------- */

static const weir__backend *real;
static _Atomic int dropping, may_drop;

/* As a driver that waits for a kernel. */
static void late_free(weir_device *device, void *data)
{
    atomic_store(&dropping, 1);
    while (!atomic_load(&may_drop))
        usleep(100);
    real->mem_free(device, data);
}

struct taker {
    pthread_t thread;
    weir_device *device;
    size_t bytes;
    void *data;
    weir_status status;
    _Atomic int done;
};

static void *take_some(void *user)
{
    struct taker *taker = user;
    taker->status = weir_device_alloc(taker->device, taker->bytes, &taker->data);
    atomic_store(&taker->done, 1);
    return NULL;
}

/* One thread asks for more than there is, so that what is unused goes back, which takes as long as a kernel runs. What
 * that kernel waits for is given meanwhile; whoever else asks waits, and is not refused room that comes free. */
static void who_gives_memory_back_keeps_no_kernel_waiting(void **state)
{
    static const char *const settings[] = {"pool_bytes=100MiB", NULL};
    weir_context *context = open_with_or_skip("host:1", settings);
    weir_device *home = weir_context_home(context);
    void *first = new_memory(home, 1 << 20), *big = new_memory(home, 80u << 20), *now;
    weir__backend slow = *home->ops;
    struct taker asks = {.device = home, .bytes = 200u << 20};
    struct taker waits = {.device = home, .bytes = 20u << 20};
    (void)state;
    real = home->ops;
    slow.mem_free = late_free;
    home->ops = &slow;
    weir_device_free(home, big);
    assert_int_equal(pthread_create(&asks.thread, NULL, take_some, &asks), 0);
    while (!atomic_load(&dropping))
        usleep(100);
    assert_int_equal(pthread_create(&waits.thread, NULL, take_some, &waits), 0);
    OK(weir__device_alloc_now(home, 1 << 20, &now));
    weir_device_free(home, now);
    STATUS(weir__device_alloc_now(home, 20u << 20, &now), WEIR_ERR_NOMEM);
    usleep(20000);
    assert_false(atomic_load(&waits.done));
    atomic_store(&may_drop, 1);
    pthread_join(asks.thread, NULL);
    pthread_join(waits.thread, NULL);
    assert_int_equal(asks.status, WEIR_ERR_NOMEM);
    assert_int_equal(waits.status, WEIR_OK);
    weir_device_free(home, waits.data);
    weir_device_free(home, first);
    home->ops = real;
    weir_context_destroy(context);
}

/* The same of another pool that shares the bound: its memory is about to come free. */
static void who_shares_a_bound_waits_for_what_comes_free(void **state)
{
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_device *first = weir_context_device(context, 0), *second = weir_context_device(context, 1);
    weir__backend slowly = *first->ops;
    struct taker asks = {.device = first, .bytes = 200u << 20};
    struct taker waits = {.device = second, .bytes = 30u << 20};
    (void)state;
    context->host.bound_bytes = 64 << 20;
    atomic_store(&dropping, 0);
    atomic_store(&may_drop, 0);
    real = first->ops;
    slowly.mem_free = late_free;
    weir_device_free(first, new_memory(first, 40 << 20));
    first->ops = &slowly;
    assert_int_equal(pthread_create(&asks.thread, NULL, take_some, &asks), 0);
    while (!atomic_load(&dropping))
        usleep(100);
    assert_int_equal(pthread_create(&waits.thread, NULL, take_some, &waits), 0);
    usleep(20000);
    assert_false(atomic_load(&waits.done));
    atomic_store(&may_drop, 1);
    pthread_join(asks.thread, NULL);
    pthread_join(waits.thread, NULL);
    assert_int_equal(asks.status, WEIR_ERR_NOMEM);
    assert_int_equal(waits.status, WEIR_OK);
    weir_device_free(second, waits.data);
    first->ops = real;
    weir_context_destroy(context);
}

/* ---- devices that are slow to give memory back ----------------------------------------------------- */

/* Whoever gives memory back stays there until told, as a GPU's driver does while kernels run; 5 s at the most. */
static struct {
    _Atomic int inside, go_on;
} slow;

static void be_slow(void)
{
    const struct timespec pause = {0, 1000000};
    atomic_store(&slow.inside, 1);
    for (int ms = 0; ms < 5000 && !atomic_load(&slow.go_on); ms++)
        nanosleep(&pause, NULL);
    atomic_store(&slow.inside, 0);
}

static void slow_free(weir_device *device, void *data)
{
    be_slow();
    weir__host_backend.mem_free(device, data);
}

static weir_status plain_alloc(weir_device *device, size_t bytes, void **data_out)
{
    (void)device;
    return posix_memalign(data_out, WEIR__ALIGNMENT, bytes) ? WEIR_ERR_NOMEM : WEIR_OK;
}

static void plain_free(weir_device *device, void *data)
{
    (void)device;
    free(data);
}

static weir_status pin_nothing(weir_device *device, void *data, size_t bytes)
{
    (void)device;
    (void)data;
    (void)bytes;
    return WEIR_OK;
}

static void slow_unpin(weir_device *device, void *data)
{
    (void)device;
    (void)data;
    be_slow();
}

static weir__backend slow_backend;

static weir_context *open_slowly(const char *spec, const char *const *settings)
{
    weir_context *context = open_with_or_skip(spec, settings);
    slow_backend = weir__host_backend;
    slow_backend.mem_free = slow_free;
    slow_backend.pinned_alloc = plain_alloc;
    slow_backend.pinned_free = plain_free;
    slow_backend.pin = pin_nothing;
    slow_backend.unpin = slow_unpin;
    weir_context_device(context, 0)->ops = &slow_backend;
    atomic_store(&slow.inside, 0);
    atomic_store(&slow.go_on, 0);
    return context;
}

static void wait_until_inside(void)
{
    const struct timespec pause = {0, 1000000};
    for (int ms = 0; ms < LONG_MS && !atomic_load(&slow.inside); ms++)
        nanosleep(&pause, NULL);
    assert_int_equal(atomic_load(&slow.inside), 1);
}

struct asker {
    weir_context *context;
    void *data;
    weir_status status;
};

static void *ask_for_much(void *user)
{
    struct asker *asker = user;
    asker->status =
        weir_device_alloc(weir_context_device(asker->context, 0), 50 << 20, &asker->data);
    return NULL;
}

/* One allocation has a slab given back to make room, which takes its time; others that find room go on. */
static void who_finds_room_does_not_wait_for_a_slow_free(void **state)
{
    static const char *const settings[] = {"pool_bytes=64MiB", NULL};
    weir_context *context = open_slowly(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    struct asker asker = {context, NULL, WEIR_ERR_IO};
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    pthread_t thread;
    void *unused = new_memory(device, 40 << 20), *small = new_memory(device, 100);
    weir_device_free(device, unused);
    void *more = new_memory(device, 17 << 20); /* out of the 40, so that another slab is there */
    weir_device_free(device, more);
    assert_int_equal(pthread_create(&thread, NULL, ask_for_much, &asker), 0);
    wait_until_inside();
    void *other = new_memory(device, 4096);
    weir_device_free(device, small);
    weir_device_pool_stats(device, &stats);
    assert_int_equal(atomic_load(&slow.inside), 1);
    assert_int_equal(stats.allocations, 1);
    weir_device_free(device, other);
    atomic_store(&slow.go_on, 1);
    pthread_join(thread, NULL);
    if (!asker.status)
        weir_device_free(device, asker.data);
    weir_context_destroy(context);
}

static void *unregister(void *user)
{
    struct asker *asker = user;
    asker->status = weir_memory_unregister(asker->context, asker->data);
    return NULL;
}

/* While one piece of memory is being unlocked, others are registered. */
static void registrations_do_not_wait_for_each_other(void **state)
{
    weir_context *context = open_slowly(*state, NULL);
    char *memory = aligned_alloc(65536, 2 * 65536);
    struct asker asker = {context, memory, WEIR_ERR_IO};
    pthread_t thread;
    assert_non_null(memory);
    context->pinning = weir_context_device(context, 0);
    OK(weir_memory_register(context, memory, 65536));
    assert_true(weir__memory_registered(context, memory, 65536));
    assert_int_equal(pthread_create(&thread, NULL, unregister, &asker), 0);
    wait_until_inside();
    OK(weir_memory_register(context, memory + 65536, 65536));
    assert_true(weir__memory_registered(context, memory + 65536, 65536));
    assert_false(weir__memory_registered(context, memory, 65536));
    STATUS(weir_memory_unregister(context, memory), WEIR_ERR_INVALID);
    STATUS(weir_memory_register(context, memory, 65536), WEIR_ERR_INVALID);
    assert_int_equal(atomic_load(&slow.inside), 1);
    atomic_store(&slow.go_on, 1);
    pthread_join(thread, NULL);
    OK(asker.status);
    OK(weir_memory_register(context, memory, 65536));
    OK(weir_memory_unregister(context, memory));
    OK(weir_memory_unregister(context, memory + 65536));
    weir_context_destroy(context);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(memory_is_aligned_and_apart),
        ON_EACH_BACKEND(the_pool_counts),
        ON_EACH_BACKEND(the_pool_is_bounded),
        ON_EACH_BACKEND(the_bound_is_what_the_device_has),
        cmocka_unit_test(host_pools_share_a_bound),
        ON_EACH_BACKEND(little_does_not_keep_what_is_large),
        ON_EACH_BACKEND(memory_the_machine_lacks_is_an_answer),
        ON_EACH_BACKEND(what_was_never_given_back_goes_with_the_context),
        ON_EACH_BACKEND(every_device_reaches_home_and_itself),
        ON_EACH_BACKEND(uploads_and_downloads_of_any_size),
        ON_EACH_BACKEND(large_copies),
        cmocka_unit_test(who_gives_memory_back_keeps_no_kernel_waiting),
        cmocka_unit_test(who_shares_a_bound_waits_for_what_comes_free),
        ON_BACKEND(who_finds_room_does_not_wait_for_a_slow_free, "host:1"),
        ON_BACKEND(registrations_do_not_wait_for_each_other, "host:1"),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
