/** @file test_zero_copy.c  Host memory that kernels read in place: its bytes, its bound, its books, its end. */
#include "runtime/context.h"
#include "runtime/room.h"
#include "tests/lib/support.h"

#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

static uint64_t used_of(weir_device *device)
{
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    OK(weir_device_pool_stats(device, &stats));
    return stats.used_bytes;
}

/* Written and read by the host, and read by the device's queue: nothing of it is in the device's pool or home's. */
static void bytes_are_the_hosts(void **state)
{
    enum { BYTES = 300000 };
    weir_context *context = open_or_skip(state);
    static unsigned char pattern[BYTES], back[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        pattern[i] = pattern_byte(5, i);
    assert_null(weir__zero_copy_device(context));
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        weir_device *device = weir_context_device(context, d);
        unsigned char *data, *copy = new_memory(device, BYTES);
        const uint64_t here = used_of(device), home = used_of(weir_context_home(context));
        OK(weir__zero_copy_alloc(device, "pattern", BYTES / 4, 4, &data));
        assert_int_equal((uintptr_t)data % 128, 0); /* kernels read whole lines */
        assert_int_equal(used_of(device), here);
        assert_int_equal(used_of(weir_context_home(context)), home);
        assert_int_equal(used_of(weir__zero_copy_device(context)), BYTES);
        OK(weir__zero_copy_write(device, data, pattern, BYTES));
        assert_memory_equal(data, pattern, BYTES);
        memset(back, 0, sizeof back);
        OK(weir__zero_copy_read(device, back, data, BYTES));
        assert_memory_equal(back, pattern, BYTES);
        weir_queue *queue = new_queue(device);
        OK(weir_queue_copy(queue, device, copy, weir_context_home(context), data, BYTES));
        OK(weir_queue_sync(queue));
        assert_pattern(device, copy, BYTES, 5);
        weir_queue_destroy(queue);
        weir_device_free(device, copy);
        weir__zero_copy_free(device, data);
        assert_int_equal(used_of(weir__zero_copy_device(context)), 0);
    }
    weir_context_destroy(context);
}

/* So large that several threads copy. */
static void large_copies_are_whole(void **state)
{
    const size_t bytes = ((size_t)64 << 20) + 12345;
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    unsigned char *data, *pattern;
    OK(weir__calloc(bytes, 1, "pattern", &pattern));
    for (size_t i = 0; i < bytes; i++)
        pattern[i] = (unsigned char)(i * 7 + (i >> 12));
    OK(weir__zero_copy_alloc(device, "pattern", bytes, 1, &data));
    OK(weir__zero_copy_write(device, data, pattern, bytes));
    assert_memory_equal(data, pattern, bytes);
    memset(pattern, 0, bytes);
    OK(weir__zero_copy_read(device, pattern, data, bytes));
    assert_memory_equal(data, pattern, bytes);
    free(pattern);
    weir__zero_copy_free(device, data);
    weir_context_destroy(context);
}

/* Devices and home have a bound, this memory has the host's; and what nobody uses is not kept. */
static void its_bound_is_the_hosts(void **state)
{
    static const char *const settings[] = {"pool_bytes=1MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    void *data, *none;
    STATUS(weir_device_alloc(device, 8 << 20, &none), WEIR_ERR_NOMEM);
    OK(weir__zero_copy_alloc(device, "large", 2 << 20, 4, &data));
    OK(weir_device_pool_stats(weir__zero_copy_device(context), &stats));
    assert_true(stats.bound_bytes >= UINT64_C(16) << 30);
    assert_true(stats.bound_bytes - stats.left_bytes >= 8 << 20);
    weir__zero_copy_free(device, data);
    OK(weir_device_pool_stats(weir__zero_copy_device(context), &stats));
    assert_int_equal(stats.left_bytes, stats.bound_bytes);
    STATUS(weir__zero_copy_alloc(device, "too large", UINT64_C(1) << 60, 4, &none), WEIR_ERR_NOMEM);
    assert_null(none);
    STATUS(weir__zero_copy_alloc(device, "too large", UINT64_C(1) << 50, 4, &none), WEIR_ERR_NOMEM);
    assert_detail_has("host memory: its pool of ");
    weir__zero_copy_free(device, NULL);
    weir_context_destroy(context);
}

struct seen {
    uint64_t elements, bytes;
};

static void note(void *user, const char *what, uint64_t elements, uint64_t bytes)
{
    struct seen *seen = user;
    assert_string_equal(what, "arcs");
    seen->elements += elements;
    seen->bytes += bytes;
}

/* In a context that only counts nothing is taken, and all of it is in the books. */
static void a_plan_only_counts(void **state)
{
    struct weir__plan_device devices[WEIR_DEVICES_MAX];
    struct seen seen = {0, 0};
    weir_config *config;
    weir_context *planned;
    void *data;
    uint32_t count;
    (void)state;
    OK(weir_config_create(&config));
    OK(weir__plan_devices_parse("cuda:0-63", config, devices, &count));
    assert_int_equal(count, WEIR_DEVICES_MAX);
    OK(weir__context_plan(devices, count, config, NULL, &planned));
    OK(weir__zero_copy_alloc(weir_context_device(planned, 3), "arcs", UINT64_C(1) << 44, 4, &data));
    OK(weir__zero_copy_write(weir_context_device(planned, 3), data, NULL, (size_t)1 << 46));
    weir__pool_uses(weir__zero_copy_device(planned), note, &seen);
    assert_int_equal(seen.elements, UINT64_C(1) << 44);
    assert_int_equal(seen.bytes, UINT64_C(1) << 46);
    assert_int_equal(used_of(weir_context_home(planned)), 0);
    weir__zero_copy_free(weir_context_device(planned, 3), data);
    assert_int_equal(used_of(weir__zero_copy_device(planned)), 0);
    weir_context_destroy(planned);
    weir_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_KIND(bytes_are_the_hosts),
        ON_BACKEND(large_copies_are_whole, "host:1"),
        ON_BACKEND(its_bound_is_the_hosts, "host:2"),
        ON_BACKEND(its_bound_is_the_hosts, "cuda:0"),
        cmocka_unit_test(a_plan_only_counts),
    };
    return cmocka_run_group_tests_name("zero_copy", tests, NULL, NULL);
}
