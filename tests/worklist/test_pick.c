/** @file test_pick.c  Which schedule is picked, on both sides of each limit. */
#include "tests/lib/support.h"
#include "worklist/pick.h"

static const weir_pick_limits limits = {100, 1000, 4, 500};

static void large_sets_are_merged(void **state)
{
    (void)state;
    assert_int_equal(weir_schedule_pick(99, 999, 12, &limits), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(100, 999, 12, &limits), WEIR_PICK_MERGE);
    assert_int_equal(weir_schedule_pick(99, 1000, 12, &limits), WEIR_PICK_MERGE);
    assert_int_equal(weir_schedule_pick(UINT64_MAX, UINT64_MAX, UINT64_MAX, &limits),
                     WEIR_PICK_MERGE);
}

/* The mean is 5: up to 21 atoms are even. */
static void small_sets_by_their_longest_tile(void **state)
{
    (void)state;
    assert_int_equal(weir_schedule_pick(50, 250, 5, &limits), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(50, 250, 21, &limits), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(50, 250, 22, &limits), WEIR_PICK_GROUP);
    assert_int_equal(weir_schedule_pick(50, 499, 100, &limits), WEIR_PICK_GROUP);
    assert_int_equal(weir_schedule_pick(50, 500, 100, &limits), WEIR_PICK_MERGE);
    assert_int_equal(weir_schedule_pick(0, 0, 0, &limits), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(80, 0, 0, &limits), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(80, 1, 1, &limits), WEIR_PICK_THREAD);
}

/* With no limits all is merged; with wide ones nothing. */
static void limits_of_a_program(void **state)
{
    const weir_pick_limits none = {0, 0, 1, 0}, all = {UINT64_MAX, UINT64_MAX, 1, UINT64_MAX};
    const weir_pick_limits host = WEIR_PICK_LIMITS_HOST, cuda = WEIR_PICK_LIMITS_CUDA;
    (void)state;
    assert_int_equal(weir_schedule_pick(1, 1, 1, &none), WEIR_PICK_MERGE);
    assert_int_equal(weir_schedule_pick(1u << 30, 1u << 31, 3, &all), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(1u << 30, 1u << 31, 4, &all), WEIR_PICK_GROUP);
    assert_int_equal(weir_schedule_pick(host.tiles - 1, host.tiles, 4, &host), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(host.tiles, host.tiles, 4, &host), WEIR_PICK_MERGE);
    assert_int_equal(weir_schedule_pick(cuda.tiles, cuda.tiles, 4, &cuda), WEIR_PICK_MERGE);
    /* 3 of 4 rows empty, and one long row, as they were measured. */
    assert_int_equal(weir_schedule_pick(2097153, 4188771, 15, &cuda), WEIR_PICK_THREAD);
    assert_int_equal(weir_schedule_pick(16385, 262152, 131080, &cuda), WEIR_PICK_MERGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_sets_are_merged),
        cmocka_unit_test(small_sets_by_their_longest_tile),
        cmocka_unit_test(limits_of_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
