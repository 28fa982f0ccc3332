/** @file test_bench.c  Benchmarks over copies run everywhere, and refuse what makes no sense. */
#include "tests/topology/bench_fixture.h"

#include <math.h>
#include <stdio.h>

/* Benchmarks over copies. Those of kernels have a test of their own. */
static const char *const names[] = {"packets", "indirect", "broadcast", "copy",
                                    "pairs",   "ring",     "alltoall",  "contention"};
#define NAMES (sizeof names / sizeof *names)
/* Of those, what one device has nothing to do in. */
static const char *const need_two[] = {"indirect", "broadcast", "ring", "alltoall", "contention"};

static const char *const machines[] = {"m60",           "dgx1v",      "nvswitch8",
                                       "2*pcie,hetero", "1*nvswitch", "5*nvswitch"};

/* ---- all of them ---------------------------------------------------------------------------- */

static void check_table(const weir_bench_table *table, const char *name, uint32_t trials)
{
    assert_string_equal(table->name, name);
    if (table->skipped[0]) {
        assert_int_equal(table->count, 0);
        return;
    }
    assert_true(table->count > 0);
    assert_true(table->title[0]);
    assert_string_equal(table->unit, "GB/s");
    assert_int_equal(table->larger_is_better, 1);
    for (size_t i = 0; i < table->count; i++) {
        const weir_bench_row *row = &table->rows[i];
        assert_true(row->series[0]);
        assert_true(row->low > 0 && row->low <= row->median && row->median <= row->high);
        assert_true(isfinite(row->high));
        assert_int_equal(row->trials, trials);
        assert_int_equal(row->verified, 1);
        assert_true(!table->x_name[0] == !(row->x > 0));
    }
}

static void run_all(weir_context *context)
{
    weir_bench_config config = small_config();
    for (size_t i = 0; i < NAMES; i++) {
        weir_bench_table *table = run(context, names[i], &config);
        check_table(table, names[i], 3);
        weir_bench_table_destroy(table);
    }
    for (uint32_t d = 0; d < all_devices(context); d++) { /* all memory was given back */
        weir_pool_stats stats;
        weir_device_pool_stats(any_device(context, d), &stats);
        assert_int_equal(stats.allocations, 0);
    }
    weir_context_destroy(context);
}

static void all_run_and_their_rows_are_sane(void **state)
{
    run_all(open_or_skip(state));
}

static void all_run_without_peers(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    run_all(open_with_or_skip(*state, settings));
}

static void all_run_on_simulated_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        run_all(simulate(machines[i]));
}

/* Packets are made larger, or messages shorter, until a held region takes them. */
static void few_events_are_enough(void **state)
{
    static const char *const settings[] = {"events=16", NULL};
    weir_context *context = open_with_or_skip("host:4", settings);
    weir_bench_config config = small_config();
    (void)state;
    config.bytes = 8u << 20;
    config.trials = 1;
    weir_bench_table *table = run(context, "broadcast", &config);
    check_table(table, "broadcast", 1);
    assert_true(row_of(table, "ring, packets", 0)->x > 256 << 10);
    weir_bench_table_destroy(table);
    run_all(context);
}

static void one_device_is_told_why_there_is_nothing(void **state)
{
    static const char *const settings[] = {NULL};
    weir_context *context = open_with_or_skip("host:1", settings);
    weir_bench_config config = small_config();
    (void)state;
    for (size_t i = 0; i < sizeof need_two / sizeof *need_two; i++) {
        weir_bench_table *table = run(context, need_two[i], &config);
        assert_string_equal(table->skipped, "needs two devices");
        assert_int_equal(table->count, 0);
        weir_bench_table_destroy(table);
    }
    weir_context_destroy(context);
}

/* ---- the list, and what is refused ---------------------------------------------------------- */

static void the_list_names_each_once(void **state)
{
    const weir_bench_info *infos;
    size_t count = weir_bench_list(&infos);
    (void)state;
    assert_int_equal(count, weir_bench_list(NULL));
    for (size_t i = 0; i < count; i++) {
        assert_true(infos[i].title[0]);
        assert_true(strlen(infos[i].name) < sizeof((weir_bench_table *)0)->name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(infos[i].name, infos[j].name);
    }
    for (size_t n = 0; n < NAMES; n++) {
        size_t i = 0;
        while (i < count && strcmp(infos[i].name, names[n]) != 0)
            i++;
        assert_true(i < count);
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const settings[] = {NULL};
    weir_context *context = open_with_or_skip("host:2", settings);
    weir_bench_table *table = (void *)&table;
    weir_bench_config config = small_config();
    (void)state;
    STATUS(weir_bench_run(context, "warp", &config, &table), WEIR_ERR_INVALID);
    assert_null(table);
    assert_detail("\"warp\": no such benchmark");
    STATUS(weir_bench_run(context, NULL, &config, &table), WEIR_ERR_INVALID);
    config.size--;
    STATUS(weir_bench_run(context, "copy", &config, &table), WEIR_ERR_INVALID);
    assert_detail_has("weir_bench_config");
    config = small_config();
    config.bytes = UINT64_MAX;
    STATUS(weir_bench_run(context, "copy", &config, &table), WEIR_ERR_INVALID);
    config = small_config();
    config.trials = UINT32_MAX;
    STATUS(weir_bench_run(context, "copy", &config, &table), WEIR_ERR_INVALID);
    assert_null(table);
    weir_bench_table_destroy(NULL);
    weir_context_destroy(context);
}

static void too_large_says_the_size_and_the_way_out(void **state)
{
    static const char *const settings[] = {"pool_bytes=4MiB", NULL};
    weir_context *context = open_with_or_skip("host:2", settings);
    weir_bench_config config = small_config();
    weir_bench_table *table;
    (void)state;
    config.bytes = 64u << 20;
    STATUS(weir_bench_run(context, "ring", &config, &table), WEIR_ERR_NOMEM);
    assert_detail_has("67108864 bytes");
    assert_detail_has("--bytes");
    weir_context_destroy(context);
}

/* ---- cancelling and progress ---------------------------------------------------------------- */

struct watcher {
    int rows, stop_at;
    volatile int cancel;
    char last[128];
};

static void on_progress(void *user, const char *what)
{
    struct watcher *watcher = user;
    snprintf(watcher->last, sizeof watcher->last, "%s", what);
    if (++watcher->rows == watcher->stop_at)
        __atomic_store_n(&watcher->cancel, 1, __ATOMIC_RELAXED);
}

static void the_cancel_word_stops_it(void **state)
{
    weir_context *context = open_or_skip(state);
    struct watcher watcher = {0, 3, 0, ""};
    weir_bench_config config = small_config();
    weir_bench_table *table = (void *)&table;
    config.progress = on_progress;
    config.progress_user = &watcher;
    config.cancel = &watcher.cancel;
    STATUS(weir_bench_run(context, "copy", &config, &table), WEIR_ERR_CANCELLED);
    assert_null(table);
    assert_int_equal(watcher.rows, 3);
    STATUS(weir_bench_run(context, "pairs", &config, &table), WEIR_ERR_CANCELLED);
    assert_int_equal(watcher.rows, 3);
    watcher = (struct watcher){0, 0, 0, ""};
    table = run(context, "pairs", &config);
    assert_int_equal(watcher.rows, table->count);
    assert_non_null(strstr(watcher.last, "pairs: kernel"));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_names_each_once),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(too_large_says_the_size_and_the_way_out),
        ON_EACH_BACKEND(all_run_and_their_rows_are_sane),
        ON_BACKEND(all_run_without_peers, "cuda:0-1"),
        cmocka_unit_test(all_run_on_simulated_machines),
        cmocka_unit_test(few_events_are_enough),
        cmocka_unit_test(one_device_is_told_why_there_is_nothing),
        ON_EACH_BACKEND(the_cancel_word_stops_it),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
