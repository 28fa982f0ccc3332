/** @file test_dealing.c  How work is dealt out to the threads of a host device: all of it, once, and so that no two threads write
 * to one line of a cache. */
#include "algorithms/cc/cc_body.h"
#include "algorithms/pr/pr_pull.h"
#include "tests/lib/support.h"

#include <string.h>

enum { MOST = 20000, LINE = 16 /* words of 32 bits in a line of a cache */ };

static uint8_t by[MOST]; /* who has it, counted from 1 */

static void take(uint64_t at, uint32_t thread)
{
    assert_true(at < MOST);
    assert_int_equal(by[at], 0);
    by[at] = (uint8_t)(thread + 1);
}

static void all_are_taken(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        assert_int_not_equal(by[i], 0);
}

static void rows_of_components(void **state)
{
    static const uint64_t rows[] = {0, 1, 3, 255, 256, 257, 5000, 19999};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t threads = 1; threads <= 33; threads += threads < 4 ? 1 : 7) {
            memset(by, 0, sizeof by);
            for (uint32_t t = 0; t < threads; t++)
                for (uint64_t base = cc_begin(t); base < rows[r];
                     base = cc_next(base, threads, CC_BATCH))
                    for (uint32_t k = 0; k < CC_BATCH; k++)
                        if (base + (uint64_t)k * cc_apart(threads) < rows[r])
                            take(base + (uint64_t)k * cc_apart(threads), t);
            all_are_taken(rows[r]);
            for (uint64_t i = 0; i + 1 < rows[r]; i++)
                if ((i + 1) % LINE)
                    assert_int_equal(by[i], by[i + 1]);
        }
}

/* Rounds that link what the first step kept: a share of the groups of rows, then all others. */
static void rows_of_rounds(void **state)
{
    static const uint64_t rows[] = {0, 1, 31, 33, 256, 5000, 19999};
    static struct cc_args args;
    const struct cc_run run = {.args = &args};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t threads = 1; threads <= 33; threads += threads < 4 ? 1 : 7)
            for (args.share = 2; args.share <= 4; args.share += 2) {
                uint64_t row;
                memset(by, 0, sizeof by);
                for (uint32_t which = 1; which <= 2; which++)
                    for (uint32_t t = 0; t < threads; t++)
                        for (uint64_t i = cc_begin(t);
                             (row = cc_row_of_round(&run, i, which)) < rows[r];
                             i = cc_next(i, threads, 1))
                            take(row, t);
                all_are_taken(rows[r]);
                for (uint64_t i = 0; i + 1 < rows[r]; i++)
                    if ((i + 1) % LINE)
                        assert_int_equal(by[i], by[i + 1]);
            }
}

/* Strips of bands are taken one a pass: the last pass ends a band. */
static void strips_of_pagerank(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 33; threads += threads < 4 ? 1 : 7) {
        memset(by, 0, sizeof by);
        for (uint32_t t = 0; t < threads; t++)
            for (uint32_t pass = 0; pass < 100; pass++) {
                const struct pr_worker worker = {.index = t, .count = threads};
                const uint64_t at = pr_entry(&worker, 0, pass);
                assert_int_equal(at / threads, pass);
                take(at, t);
            }
        all_are_taken(UINT64_C(100) * threads);
    }
}

static void entries_of_pagerank(void **state)
{
    static const uint32_t entries[] = {0, 1, 7, 100, 5000, 19999};
    (void)state;
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++)
        for (uint32_t threads = 1; threads <= 33; threads += threads < 4 ? 1 : 7) {
            uint64_t together = 0;
            memset(by, 0, sizeof by);
            for (uint32_t t = 0; t < threads; t++) {
                const struct pr_worker worker = {.index = t, .count = threads};
                uint64_t last = UINT64_MAX - 1, at;
                for (uint32_t pass = 0; (at = pr_entry(&worker, entries[e], pass)) < entries[e];
                     pass++) {
                    take(at, t);
                    together += at == last + 1;
                    last = at;
                }
            }
            all_are_taken(entries[e]);
            /* Seven of eight follow the one before, where each thread has many. */
            if (entries[e] >= 5000 && threads <= 32)
                assert_true(together * 8 >= (entries[e] - 8 * threads) * UINT64_C(7));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_components),
        cmocka_unit_test(rows_of_rounds),
        cmocka_unit_test(entries_of_pagerank),
        cmocka_unit_test(strips_of_pagerank),
    };
    return cmocka_run_group_tests_name("dealing", tests, NULL, NULL);
}
