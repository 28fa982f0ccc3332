/** @file test_facts.c  What backends tell of their devices for topology's sake. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <string.h>

static weir_device_kind kind_of(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.kind;
}

static void check_host(weir_device *device)
{
    weir__device_facts facts;
    memset(&facts, 0xFF, sizeof facts);
    weir__device_facts_get(device, &facts);
    assert_string_equal(facts.bus, "");
    assert_int_equal(facts.copy_engines, 0);
    assert_int_equal(facts.major, 0);
    assert_int_equal(facts.minor, 0);
    assert_true(facts.memory_gbs == 0);
}

static void check_gpu(weir_device *device)
{
    weir__device_facts facts;
    memset(&facts, 0xFF, sizeof facts);
    weir__device_facts_get(device, &facts);
    assert_int_equal(strlen(facts.bus), strlen("0000:1b:00.0"));
    assert_int_equal(strspn(facts.bus, "0123456789abcdef:."), strlen(facts.bus));
    assert_true(facts.copy_engines > 0);
    assert_true(facts.major > 0);
    assert_true(facts.memory_gbs >= 0);
}

static void a_backend_tells_what_it_knows(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++)
        if (kind_of(any_device(context, d)) == WEIR_DEVICE_HOST)
            check_host(any_device(context, d));
        else
            check_gpu(any_device(context, d));
    weir_context_destroy(context);
}

static void atomics_work_at_home_and_never_from_a_host_on_a_gpu(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++) {
            weir_device *s = any_device(context, i), *d = any_device(context, j);
            int hosts = kind_of(s) == WEIR_DEVICE_HOST && kind_of(d) == WEIR_DEVICE_HOST;
            int native = weir_device_atomics(s, d);
            if (s == d || hosts)
                assert_int_equal(native, 1);
            else if (kind_of(s) == WEIR_DEVICE_HOST)
                assert_int_equal(native, 0);
            else
                assert_in_range(native, 0, 1);
        }
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_backend_tells_what_it_knows),
        ON_EACH_BACKEND(atomics_work_at_home_and_never_from_a_host_on_a_gpu),
    };
    return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
