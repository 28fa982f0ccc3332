/** @file test_range.c  Ranges: every number once, in order, for any step, and none past what a number holds. */
#include "tests/lib/support.h"
#include "worklist/range.h"

static void steps(void **state)
{
    (void)state;
    for (uint32_t begin = 0; begin < 5; begin++)
        for (uint32_t end = 0; end < 12; end++)
            for (uint32_t step = 1; step < 14; step++) {
                weir_range range = weir_step_range(begin, end, step);
                weir_wide_range wide = weir_wide_step_range(begin, end, step);
                uint32_t number = 0;
                uint64_t far = 0;
                for (uint32_t want = begin; want < end; want += step) {
                    assert_true(weir_range_next(&range, &number));
                    assert_int_equal(number, want);
                    assert_true(weir_wide_range_next(&wide, &far));
                    assert_int_equal(far, want);
                }
                for (int again = 0; again < 3; again++) {
                    assert_false(weir_range_next(&range, &number));
                    assert_false(weir_wide_range_next(&wide, &far));
                }
            }
}

/* A host's worker is a lane: all of them together have every number once. */
static void grids(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers < 7; workers++)
        for (uint32_t begin = 0; begin < 4; begin++)
            for (uint32_t end = 0; end < 20; end++) {
                uint32_t times[20] = {0}, number = 0;
                for (uint32_t worker = 0; worker < workers; worker++) {
                    weir_range range = weir_grid_range(begin, end, worker, workers);
                    while (weir_range_next(&range, &number)) {
                        assert_in_range(number, begin, end - 1);
                        assert_int_equal((number - begin) % workers, worker);
                        times[number]++;
                    }
                }
                for (uint32_t i = 0; i < 20; i++)
                    assert_int_equal(times[i], i >= begin && i < end);
                weir_range warp = weir_warp_range(begin, end), block = weir_block_range(begin, end);
                for (uint32_t i = begin; i < end; i++) {
                    assert_true(weir_range_next(&warp, &number) && number == i);
                    assert_true(weir_range_next(&block, &number) && number == i);
                }
                assert_false(weir_range_next(&warp, &number) || weir_range_next(&block, &number));
            }
}

static void largest_numbers(void **state)
{
    const uint32_t most = UINT32_MAX;
    uint32_t number = 0;
    uint64_t far = 0;
    (void)state;
    weir_range range = weir_step_range(most - 5, most, 4);
    assert_true(weir_range_next(&range, &number) && number == most - 5);
    assert_true(weir_range_next(&range, &number) && number == most - 1);
    assert_false(weir_range_next(&range, &number));
    range = weir_step_range(3, most, most);
    assert_true(weir_range_next(&range, &number) && number == 3);
    assert_false(weir_range_next(&range, &number));
    weir_wide_range wide = weir_wide_grid_range(UINT64_MAX - 10, UINT64_MAX, 7, 9);
    assert_true(weir_wide_range_next(&wide, &far) && far == UINT64_MAX - 3);
    assert_false(weir_wide_range_next(&wide, &far));
    wide = weir_wide_step_range((uint64_t)most - 1, (uint64_t)most + 8, 4);
    for (uint64_t want = (uint64_t)most - 1; want < (uint64_t)most + 8; want += 4)
        assert_true(weir_wide_range_next(&wide, &far) && far == want);
    assert_false(weir_wide_range_next(&wide, &far));
}

static void without_an_end(void **state)
{
    weir_infinite_range range = {UINT32_MAX - 4, 3};
    weir_wide_infinite_range wide = {UINT32_MAX - (uint64_t)4, 3};
    (void)state;
    for (uint64_t want = UINT32_MAX - (uint64_t)4, i = 0; i < 100; i++, want += 3) {
        assert_int_equal(weir_infinite_range_next(&range), (uint32_t)want);
        assert_true(weir_wide_infinite_range_next(&wide) == want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(grids),
        cmocka_unit_test(largest_numbers),
        cmocka_unit_test(without_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
