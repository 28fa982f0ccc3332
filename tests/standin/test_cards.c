/** @file test_cards.c  What the pool of a GPU is bounded by: cards of many sizes, with others on them. */
#include "tests/standin/standin_fixture.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static uint64_t bound_of(weir_device *device)
{
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    OK(weir_device_pool_stats(device, &stats));
    assert_int_equal(stats.left_bytes, stats.bound_bytes);
    assert_int_equal(stats.sharing, 1);
    return stats.bound_bytes;
}

static uint64_t bound_on_a_card(uint64_t total, uint64_t others, const char *const *settings)
{
    standin_memory(total, others);
    weir_context *context = open_with_or_skip("cuda:0", settings);
    const uint64_t bound = bound_of(weir_context_device(context, 0));
    weir_context_destroy(context);
    standin_memory(0, 0);
    return bound;
}

static void the_bound_is_what_is_free_less_a_reserve(void **state)
{
    static const char *const set[] = {"pool_bytes=200GiB", NULL};
    (void)state;
    assert_int_equal(bound_on_a_card(140 * GIB, 0, NULL), 140 * GIB - 8960 * MIB);
    assert_int_equal(bound_on_a_card(140 * GIB, 100 * GIB, NULL), 40 * GIB - 8960 * MIB);
    assert_int_equal(bound_on_a_card(8 * GIB, 0, NULL), 7 * GIB);
    /* Nearly full: half of what is free. */
    assert_int_equal(bound_on_a_card(140 * GIB, 140 * GIB - 600 * MIB, NULL), 300 * MIB);
    assert_int_equal(bound_on_a_card(GIB, 0, NULL), 512 * MIB);
    assert_int_equal(bound_on_a_card(140 * GIB, 0, set), 200 * GIB);
}

static uint64_t bound_of_host(weir_context *context, uint32_t index)
{
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    weir_device_pool_stats(weir_context_device(context, index), &stats);
    return stats.bound_bytes;
}

/* Beside GPUs the memory of host devices is page-locked, whichever comes first in the spec. */
static void host_pools_are_bounded_alike_in_any_order(void **state)
{
    (void)state;
    weir_context *before = open_with_or_skip("host:2,cuda:0", NULL),
                 *behind = open_with_or_skip("cuda:0,host:2", NULL),
                 *alone = open_with_or_skip("host:2", NULL);
    assert_int_equal(bound_of_host(before, 0), bound_of_host(behind, 1));
    assert_true(bound_of_host(alone, 0) >= bound_of_host(before, 0));
    weir_context_destroy(alone);
    weir_context_destroy(behind);
    weir_context_destroy(before);
    assert_nothing_left();
}

/* A full card opens, and says so when somebody wants memory. */
static void a_full_card_is_an_answer(void **state)
{
    void *data;
    (void)state;
    standin_memory(4 * GIB, 4 * GIB);
    weir_context *context = open_with_or_skip("cuda:0", NULL);
    assert_int_equal(bound_of(weir_context_device(context, 0)), 0);
    STATUS(weir_device_alloc(weir_context_device(context, 0), 1, &data), WEIR_ERR_NOMEM);
    assert_detail_has("cuda:0: its pool of 0 MiB (the GPU had 0 MiB free when the context was "
                      "made; WEIR_POOL_BYTES) has 0 MiB in use");
    weir_context_destroy(context);
    standin_memory(0, 0);
    assert_nothing_left();
}

/* Two contexts found the same memory. The driver refuses the second; what the first no longer uses it has when it is asked
 * for again, since a pool gives unused slabs back before it fails. */
static void the_driver_has_the_last_word(void **state)
{
    void *data;
    (void)state;
    standin_memory(4 * GIB, 0);
    weir_context *one = open_with_or_skip("cuda:0", NULL), *two = open_with_or_skip("cuda:0", NULL);
    weir_device *first = weir_context_device(one, 0), *second = weir_context_device(two, 0);
    assert_int_equal(bound_of(first), 3 * GIB);
    assert_int_equal(bound_of(second), 3 * GIB);
    void *most = new_memory(first, 3 * GIB);
    STATUS(weir_device_alloc(second, 2 * GIB, &data), WEIR_ERR_NOMEM);
    assert_detail_has("cuda:0: the GPU cannot give 2048 MiB more: 1024 of its 4096 MiB are free");
    assert_int_equal(bound_of(second), 3 * GIB); /* nothing is taken of it */
    weir_device_free(first, most);
    weir_device_free(first, new_memory(first, 16 * MIB));
    standin_memory(5 * GIB, 0);
    /* The second's own slab is in the way of its next: 3 GiB of the first, 1.5 of this, 0.5 are free. */
    weir_device_free(second, new_memory(second, 3 * GIB / 2));
    weir_device_free(second, new_memory(second, 3 * GIB / 2 + 256 * MIB));
    weir_context_destroy(two);
    weir_context_destroy(one);
    standin_memory(0, 0);
    assert_nothing_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(the_bound_is_what_is_free_less_a_reserve, "cuda:0"),
        ON_BACKEND(host_pools_are_bounded_alike_in_any_order, "cuda:0"),
        ON_BACKEND(a_full_card_is_an_answer, "cuda:0"),
        ON_BACKEND(the_driver_has_the_last_word, "cuda:0"),
    };
    return cmocka_run_group_tests_name("cards", tests, NULL, NULL);
}
