/** @file test_sssp_push.c  Shortest paths in step on host devices: which rows a push looks at, and how many stamps for that. */
#include "algorithms/sssp/sssp_step_push.h"
#include "tests/lib/support.h"

#include <string.h>

enum { ROWS = 1000, STAMPS = (ROWS + 31) / 32, WORKERS = 3, ITERATION = 7 };

/* What all workers of a device take in a push. @param[out] taken_out  by row: how often. @return stamps that they looked at. */
static uint32_t take(const uint32_t *stamp, uint32_t which, uint8_t *taken_out)
{
    const struct sssp_step_args args = {.busy = ROWS, .hubs = 64};
    const struct sssp_step_relaxer r = {.a = &args, .stamp = (uint32_t *)stamp};
    const uint32_t tasks = sssp_step_push_tasks(&args);
    uint32_t looks = 0;
    memset(taken_out, 0, ROWS);
    for (uint32_t w = 0; w < WORKERS; w++) {
        const struct sssp_step_worker worker = {
            .index = w, .count = WORKERS, .iteration = ITERATION};
        for (uint32_t base = w; base < tasks; base += WORKERS * WEIR_LANES, looks++) {
            uint32_t who = sssp_step_wanted(&r, &worker, which, base, tasks);
            for (; who; who &= who - 1) {
                const uint32_t row =
                    sssp_step_push_row(&args, &worker, base, weir_first_bit_u32(who));
                if (row < ROWS) /* as gathering has it */
                    taken_out[row]++;
            }
        }
    }
    return looks;
}

/* A thread looks at each stamp once, not once for each of its rows, and takes all rows of those that changed, and no others. */
static void a_stamp_is_looked_at_once(void **state)
{
    static const uint32_t changed[] = {0, 3, STAMPS - 1}; /* the last has fewer rows */
    uint32_t stamp[(STAMPS + SSSP_STEP_SECTOR) * 2] = {0};
    uint8_t taken[ROWS];
    (void)state;
    for (uint32_t i = 0; i < STAMPS; i++) {
        stamp[sssp_step_stamp(i * 32, ITERATION)] = ITERATION - 2;
        stamp[sssp_step_stamp(i * 32, ITERATION + 1)] = ITERATION + 1; /* of the next one */
    }
    for (uint32_t i = 0; i < 3; i++)
        stamp[sssp_step_stamp(changed[i] * 32, ITERATION)] = ITERATION;
    assert_int_equal(take(stamp, SSSP_STEP_CHANGED, taken), STAMPS);
    for (uint32_t row = 0; row < ROWS; row++)
        assert_int_equal(taken[row], row / 32 == 0 || row / 32 == 3 || row / 32 == STAMPS - 1);
}

static void all_rows_are_taken_once(void **state)
{
    const uint32_t stamp[(STAMPS + SSSP_STEP_SECTOR) * 2] = {0};
    uint8_t taken[ROWS];
    (void)state;
    assert_int_equal(take(stamp, SSSP_STEP_ALL, taken), STAMPS);
    for (uint32_t row = 0; row < ROWS; row++)
        assert_int_equal(taken[row], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_is_looked_at_once),
        cmocka_unit_test(all_rows_are_taken_once),
    };
    return cmocka_run_group_tests_name("sssp_push", tests, NULL, NULL);
}
