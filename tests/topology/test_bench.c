/** @file test_bench.c  Benchmarks over copies run everywhere, and refuse what makes no sense. */
#include "tests/topology/bench_fixture.h"

#include "runtime/internal.h"
#include "topology/measure/kernels.h"
#include "topology/measure/measure.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Benchmarks over copies. Those of kernels have a test of their own. */
static const char *const names[] = {"packets", "indirect", "broadcast", "copy",
                                    "pairs",   "ring",     "alltoall",  "contention"};
#define NAMES (sizeof names / sizeof *names)
/* Of those, what one device has nothing to do in. */
static const char *const need_two[] = {"indirect", "broadcast", "ring", "alltoall", "contention"};

static const char *const machines[] = {"m60",           "dgx1v",      "nvswitch8",
                                       "2*pcie,hetero", "1*nvswitch", "5*nvswitch"};

/* ---- all of them ---------------------------------------------------------------------------- */

/* Whether two rows say that they measured the same. */
static int same_place(const weir_bench_row *a, const weir_bench_row *b)
{
    return !strcmp(a->series, b->series) && !strcmp(a->from, b->from) && !strcmp(a->to, b->to) &&
           a->x == b->x;
}

static void check_table(const weir_bench_table *table, const char *name, uint32_t trials)
{
    assert_string_equal(table->name, name);
    assert_true(table->title[0]);
    assert_string_equal(table->unit, "GB/s");
    assert_int_equal(table->larger_is_better, 1);
    if (table->skipped[0]) {
        assert_int_equal(table->count, 0);
        return;
    }
    assert_true(table->count > 0);
    for (size_t i = 0; i < table->count; i++) {
        const weir_bench_row *row = &table->rows[i];
        assert_true(row->series[0]);
        assert_true(row->low > 0 && row->low <= row->median && row->median <= row->high);
        assert_true(isfinite(row->high));
        assert_int_equal(row->trials, trials);
        assert_int_equal(row->verified, 1);
        assert_true(!table->x_name[0] == !(row->x > 0));
        for (size_t j = 0; j < i; j++)
            assert_false(same_place(row, &table->rows[j]));
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
    assert_no_memory_is_left(context);
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
    assert_non_null(strstr(table->title, "has them; packets as small as a held queue takes"));
    weir_bench_table_destroy(table);
    config.bytes = SMALL_BYTES; /* which are few packets */
    table = run(context, "broadcast", &config);
    assert_null(strstr(table->title, "held queue"));
    weir_bench_table_destroy(table);
    run_all(context);
}

/* However many packets a held region takes: no row comes twice, no packet is above the message. */
static void packets_that_are_made_larger_come_once(void **state)
{
    static const char *const budgets[] = {"16", "64", "100", "256"};
    (void)state;
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        weir_context *context = simulate_with("m60", budgets[i]);
        weir_bench_config config = small_config();
        config.bytes = 5u << 20;
        config.trials = 1;
        config.warmups = 0;
        weir_bench_table *table = run(context, "broadcast", &config);
        check_table(table, "broadcast", 1);
        assert_true(row_of(table, "ring, packets", 0)->x >= 256 << 10);
        for (size_t r = 0; r < table->count; r++)
            assert_true(table->rows[r].x <= 5 << 20);
        weir_bench_table_destroy(table);
        weir_context_destroy(context);
    }
}

/* More packets than a held queue takes: pairs through the host get larger ones, small messages come
 * fewer. */
static void long_messages_fit_into_held_queues(void **state)
{
    static const char *const names_of_long[] = {"contention", "copy", "packets", "indirect"};
    weir_context *context = simulate_with("pcie4-nopeer", "16");
    weir_bench_config config = small_config();
    (void)state;
#ifdef __SANITIZE_THREAD__
    config.bytes = 6u << 20; /* every byte is looked at, which takes its time there */
#else
    config.bytes = 20u << 20;
#endif
    config.trials = 1;
    config.warmups = 0;
    for (size_t i = 0; i < sizeof names_of_long / sizeof *names_of_long; i++) {
        weir_bench_table *table = run(context, names_of_long[i], &config);
        check_table(table, names_of_long[i], 1);
        weir_bench_table_destroy(table);
    }
    weir_context_destroy(context);
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
        check_table(table, need_two[i], 0);
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
    config.size = 0;
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
    assert_detail_has("cannot give 64 MiB more");
    assert_detail_has("; use --bytes with less");
    weir_context_destroy(context);
}

/* Whatever the pools would give: the system would end the program that fills so much. */
static void more_than_the_host_has_is_refused(void **state)
{
    static const char *const settings[] = {"pool_bytes=64TiB", NULL};
    static const char *const some[] = {"copy", "ring", "access", "memory", "broadcast"};
    weir_context *context = open_with_or_skip("host:2", settings);
    weir_bench_config config = small_config();
    (void)state;
    config.bytes = UINT64_C(1) << 44;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        weir_bench_table *table;
        STATUS(weir_bench_run(context, some[i], &config, &table), WEIR_ERR_NOMEM);
        assert_detail_has("transfers of 17592186044416 bytes between 2 devices in host memory");
        assert_null(table);
    }
    weir_context_destroy(context);
}

/* ---- defaults ------------------------------------------------------------------------------- */

static uint64_t default_bytes(weir_context *context)
{
    struct bench bench;
    OK(weir__bench_open(&bench, context, NULL));
    uint64_t bytes = bench.config.bytes;
    weir__bench_close(&bench);
    weir_context_destroy(context);
    return bytes;
}

/* What is sent, what arrives and what is on the way, of all devices, is within two gigabytes. */
static void many_devices_in_one_memory_take_less_each(void **state)
{
    static const char *const settings[] = {NULL};
    (void)state;
    assert_int_equal(default_bytes(simulate("2*nvswitch")), 100000000);
    assert_int_equal(default_bytes(open_with_or_skip("host:2", settings)), 4000000);
    uint64_t bytes = default_bytes(simulate("64*nvswitch"));
    assert_true(bytes > 10000000 && 64 * 3 * bytes <= 2000000000);
    assert_int_equal(bytes % 64, 0);
}

static uint32_t warmups_of(uint32_t asked)
{
    static const char *const settings[] = {NULL};
    weir_context *context = open_with_or_skip("host:1", settings);
    weir_bench_config config = small_config();
    struct bench bench;
    config.warmups = asked;
    OK(weir__bench_open(&bench, context, &config));
    uint32_t warmups = bench.config.warmups;
    weir__bench_close(&bench);
    weir_context_destroy(context);
    return warmups;
}

static void warmups_can_be_left_out(void **state)
{
    (void)state;
    assert_int_equal(warmups_of(0), 2);
    assert_int_equal(warmups_of(5), 5);
    assert_int_equal(warmups_of(UINT32_MAX), 0);
}

/* However short the limit: the sentence, and nobody works on what was given back. */
static void a_limit_that_is_reached_leaves_nothing_behind(void **state)
{
    static const char *const settings[] = {NULL};
    static const char *const some[] = {"access", "atomics", "memory", "copy", "pairs", "launch"};
    weir_context *context = open_with_or_skip("host:2", settings);
    weir_bench_config config = small_config();
    (void)state;
    config.bytes = 4u << 20;
    config.trials = 1;
    config.warmups = UINT32_MAX;
    config.limit_ms = 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        weir_bench_table *table;
        weir_status status = weir_bench_run(context, some[i], &config, &table);
        if (status) { /* a fast machine may be done */
            assert_int_equal(status, WEIR_ERR_TIMEOUT);
            assert_true(weir_error_detail()[0]);
        }
        weir_bench_table_destroy(table);
    }
    assert_no_memory_is_left(context);
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

static void *stop_later(void *user)
{
    struct watcher *watcher = user;
    const struct timespec pause = {0, watcher->stop_at * 1000000L};
    nanosleep(&pause, NULL);
    __atomic_store_n(&watcher->cancel, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Whenever it comes, and whatever was dropped by then: cancelled, never wrong bytes. */
static void a_cancel_within_a_trial_is_no_wrong_result(void **state)
{
    static const char *const several[] = {"memory", "copy", "access", "alltoall"};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 12; i++) {
        struct watcher watcher = {0, 1 + 7 * i, 0, ""};
        weir_bench_config config = small_config();
        weir_bench_table *table = NULL;
        pthread_t thread;
        config.bytes = 1000000;
        config.trials = 100000;
        config.cancel = &watcher.cancel;
        assert_int_equal(pthread_create(&thread, NULL, stop_later, &watcher), 0);
        weir_status status = weir_bench_run(context, several[i % 4], &config, &table);
        pthread_join(thread, NULL);
        if (!status) /* "needs two devices" */
            assert_true(*table->skipped);
        else
            STATUS(status, WEIR_ERR_CANCELLED);
        weir_bench_table_destroy(table);
    }
    weir_bench_config config = small_config(); /* nothing is dropped any more */
    weir_bench_table_destroy(run(context, "memory", &config));
    weir_context_destroy(context);
}

/* The cancel word is the first that the kernel writes: it stops long before the last. */
static void a_long_kernel_ends_early(void **state)
{
    enum { WORDS = 3 << 20 };
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    uint64_t *data = new_memory(device, WORDS * sizeof *data);
    struct weir__stream_args args = {.to = data, .bytes = WORDS * sizeof *data, .seed = 1};
    memset(data, 0, WORDS * sizeof *data);
    weir__context_drop_when(context, (const volatile int *)(const void *)data);
    OK(weir_queue_launch(queue, &weir__kernel_stream_write, &args, sizeof args));
    OK(weir_queue_sync(queue));
    weir__context_drop_when(context, NULL);
    assert_int_equal(data[0], 1);
    assert_int_equal(data[WORDS - 1], 0);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_names_each_once),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(too_large_says_the_size_and_the_way_out),
        cmocka_unit_test(more_than_the_host_has_is_refused),
        cmocka_unit_test(many_devices_in_one_memory_take_less_each),
        cmocka_unit_test(warmups_can_be_left_out),
        cmocka_unit_test(a_limit_that_is_reached_leaves_nothing_behind),
        ON_EACH_BACKEND(all_run_and_their_rows_are_sane),
        ON_BACKEND(all_run_without_peers, "cuda:0-1"),
        cmocka_unit_test(all_run_on_simulated_machines),
        cmocka_unit_test(few_events_are_enough),
        cmocka_unit_test(packets_that_are_made_larger_come_once),
        cmocka_unit_test(long_messages_fit_into_held_queues),
        cmocka_unit_test(one_device_is_told_why_there_is_nothing),
        ON_EACH_BACKEND(the_cancel_word_stops_it),
        ON_BACKEND(a_long_kernel_ends_early, "host:1"),
        ON_EACH_BACKEND(a_cancel_within_a_trial_is_no_wrong_result),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
