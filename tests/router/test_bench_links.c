/** @file test_bench_links.c  The router's benchmarks run everywhere, give everything back, and refuse
 *  what makes no sense. Nothing here depends on how fast anything is. */
#include "tests/topology/bench_fixture.h"

#include "router/measure/measure.h"
#include "tests/lib/share.h"

#include <math.h>
#include <stdio.h>

static const struct expected {
    const char *name, *unit, *x_name;
    int larger_is_better, on_simulated;
} benches[] = {
    {"links", "GB/s", "message bytes", 1, 1},
    {"linkpackets", "GB/s", "packet bytes", 1, 1},
    {"hops", "us", "message bytes", 0, 1},
    {"hostcost", "us", "packets a message", 0, 0},
};
#define BENCHES (sizeof benches / sizeof *benches)

/* From one failure to the next: coprime to what repeats. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define STEP 23
#else
#define STEP (7 * test_stride())
#endif

static weir_bench_table *run_links(weir_context *context, const char *name,
                                   const weir_bench_config *config)
{
    weir_bench_table *table;
    OK(weir_router_bench_run(context, name, config, &table));
    return table;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int same_place(const weir_bench_row *a, const weir_bench_row *b)
{
    return !strcmp(a->series, b->series) && !strcmp(a->from, b->from) && !strcmp(a->to, b->to) &&
           a->x == b->x;
}

static void check_row(const weir_bench_table *table, size_t i)
{
    const weir_bench_row *row = &table->rows[i];
    assert_true(row->series[0] && row->from[0] && row->to[0]);
    assert_true(row->x > 0);
    assert_true(row->low >= 0 && row->low <= row->median && row->median <= row->high);
    assert_true(isfinite(row->high));
    assert_int_equal(row->verified, 1);
    for (size_t j = 0; j < i; j++)
        assert_false(same_place(row, &table->rows[j]));
}

static void check_table(const weir_bench_table *table, const struct expected *expected)
{
    assert_string_equal(table->name, expected->name);
    assert_true(table->title[0]);
    assert_true(strlen(table->title) < sizeof table->title - 1); /* not cut short */
    assert_string_equal(table->unit, expected->unit);
    assert_string_equal(table->x_name, expected->x_name);
    assert_int_equal(table->larger_is_better, expected->larger_is_better);
    assert_string_equal(table->skipped, "");
    assert_true(table->count > 0);
    for (size_t i = 0; i < table->count; i++)
        check_row(table, i);
}

static void run_all(weir_context *context, const weir_bench_config *config)
{
    int simulated = weir_context_simulated(context);
    for (size_t i = 0; i < BENCHES; i++) {
        weir_bench_table *table = run_links(context, benches[i].name, config);
        if (simulated && !benches[i].on_simulated)
            assert_non_null(strstr(table->skipped, "simulated"));
        else
            check_table(table, &benches[i]);
        weir_bench_table_destroy(table);
    }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void all_run_and_their_rows_are_sane(void **state)
{
    weir_bench_config config = small_config();
    run_all(open_or_skip(state), &config);
}

static void all_run_without_peers(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    weir_bench_config config = small_config();
    run_all(open_with_or_skip(*state, settings), &config);
}

static void all_run_on_simulated_machines(void **state)
{
    static const char *const machines[] = {"m60", "nvswitch8", "pcie4-nopeer", "1*nvswitch"};
    weir_bench_config config = small_config();
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        run_all(simulate(machines[i]), &config);
}

/* ---- more packets than held queues take ----------------------------------------------------- */

/* A message of 256 packets is whole all the same: the gate is opened on the way. */
static void many_packets_open_the_gate(void **state)
{
    static const char *const settings[] = {"packet_bytes=256", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_bench_config config = small_config();
    struct bench bench;
    OK(weir__bench_open(&bench, context, &config));
    assert_true(SMALL_BYTES / 256 > 2 * weir__packets_max(&bench));
    weir__bench_close(&bench);
    config.trials = 1;
    config.warmups = UINT32_MAX;
    run_all(context, &config);
}

/* How many events all devices together have to give. */
static size_t free_events(weir_context *context)
{
    size_t total = 0;
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_event *taken[4096];
        size_t count = 0;
        while (count < sizeof taken / sizeof *taken &&
               !weir_event_acquire(any_device(context, d), &taken[count]))
            count++;
        assert_true(count < sizeof taken / sizeof *taken);
        total += count;
        while (count)
            weir_event_release(taken[--count]);
    }
    return total;
}

/* And all of them are given back: a context that measured has as many as one that did not. */
static void few_events_are_enough(void **state)
{
    static const char *const settings[] = {"events=64", "packet_bytes=1024", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_context *fresh = open_with_or_skip(*state, settings);
    weir_bench_config config = small_config();
    config.trials = 1;
    config.warmups = UINT32_MAX;
    for (size_t i = 0; i < BENCHES; i++) {
        weir_bench_table *table = run_links(context, benches[i].name, &config);
        check_table(table, &benches[i]);
        weir_bench_table_destroy(table);
    }
    assert_no_memory_is_left(context);
    assert_int_equal(free_events(context), free_events(fresh));
    weir_context_destroy(fresh);
    weir_context_destroy(context);
}

/* ---- what the rows are ---------------------------------------------------------------------- */

static int has_row(const weir_bench_table *table, const char *series, const char *from,
                   const char *to)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->rows[i].series, series) && !strcmp(table->rows[i].from, from) &&
            !strcmp(table->rows[i].to, to))
            return 1;
    return 0;
}

/* Each way that can join two devices has its rows, and no other. */
static void host_devices_have_the_ways_that_join_them(void **state)
{
    static const char *const settings[] = {NULL};
    weir_context *context = open_with_or_skip("host:2", settings);
    weir_bench_config config = small_config();
    (void)state;
    weir_bench_table *table = run_links(context, "links", &config);
    assert_true(has_row(table, "bare copy", "host:0", "host:1"));
    assert_true(has_row(table, "link", "host:0", "host:1"));
    assert_true(has_row(table, "link, local", "host:0", "host:1"));
    assert_true(has_row(table, "link", "home", "host:0"));
    assert_true(has_row(table, "link", "host:0", "home"));
    assert_false(has_row(table, "link, host", "host:0", "host:1"));
    assert_false(has_row(table, "link, copy", "host:0", "host:1"));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void gpus_have_the_ways_that_join_them(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_config config = small_config();
    int reaches =
        weir_device_reaches(weir_context_device(context, 0), weir_context_device(context, 1));
    weir_bench_table *table = run_links(context, "links", &config);
    assert_true(has_row(table, "link, staged", "cuda:0", "cuda:1"));
    assert_int_equal(has_row(table, "link, copy", "cuda:0", "cuda:1"), reaches);
    assert_int_equal(has_row(table, "link, store", "cuda:0", "cuda:1"), reaches);
    assert_false(has_row(table, "link, local", "cuda:0", "cuda:1"));
    assert_true(has_row(table, "link, local", "cuda:0", "cuda:0"));
    assert_true(has_row(table, "link, host", "home", "cuda:0"));
    assert_true(has_row(table, "link, host", "cuda:0", "home"));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

/* Every call of equal blocks by every way that it has, and by AUTO, from 1 KiB on; AUTO is not behind. */
static void check_collectives(weir_context *context)
{
    static const char *const calls[] = {"broadcast",      "all-gather", "reduce", "all-reduce",
                                        "reduce-scatter", "all-to-all", "gather", "scatter"};
    static const char *const ways[] = {"auto", "direct", "ring", "tree"};
    weir_bench_config config = small_config();
    weir_bench_table *table = run_links(context, "collectives", &config);
    for (size_t i = 0; i < table->count; i++)
        assert_int_equal(table->rows[i].verified, 1);
    for (size_t c = 0; c < 8; c++)
        for (size_t w = 0; w < (c < 5 ? 4 : 2); w++)
            for (double x = 1024; x <= SMALL_BYTES; x *= 4) {
                char series[64], best[64];
                snprintf(series, sizeof series, "%s, %s", calls[c], ways[w]);
                snprintf(best, sizeof best, "%s, auto", calls[c]);
                double gbs = row_of(table, series, x)->median;
                assert_true(gbs > 0);
                if (weir_context_simulated(context) && row_of(table, best, x)->median < gbs / 1.05)
                    fail_msg("%s of %g bytes: %.3f GB/s, %.3f by auto", series, x, gbs,
                             row_of(table, best, x)->median);
            }
    /* Those of channels, where there are some, besides. */
    size_t channels = weir_context_simulated(context) ? 0 : 4 * 8;
    assert_int_equal(table->count, 4 * (5 * 4 + 3 * 2) + channels);
    weir_bench_table_destroy(table);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void collectives_have_a_row_for_every_way(void **state)
{
    check_collectives(open_or_skip(state));
}

static void simulated_collectives_too(void **state)
{
    (void)state;
#ifndef __SANITIZE_ADDRESS__ /* eight ranks go the same ways as two */
    check_collectives(simulate("dgx1v"));
#endif
    check_collectives(simulate("2*nvlink"));
}

/* In virtual time the small message comes long before the end of the other's large one, which is 160
 * packets, of which three have buffers. */
static void a_small_message_does_not_wait_for_the_end(void **state)
{
    weir_bench_config config = small_config();
    weir_machine *machine;
    weir_config *tunables;
    weir_context *context;
    (void)state;
    OK(weir_machine_open("2*nvswitch", &machine));
    OK(weir_config_create(&tunables));
    OK(weir_config_set(tunables, "packet_bytes", "4096"));
    OK(weir_machine_simulate(machine, tunables, &context));
    weir_config_destroy(tunables);
    weir_machine_destroy(machine);
    weir_bench_table *table = run_links(context, "hops", &config);
    double alone = row_of(table, "small message, alone", 0)->median;
    double behind = row_of(table, "small message, behind another's large one", 0)->median;
    assert_true(alone > 0 && behind > alone);
    assert_true(behind < 20 * alone);
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

/* ---- the list, and what is refused ---------------------------------------------------------- */

static void the_lists_name_each_once(void **state)
{
    const weir_bench_info *mine, *machines;
    size_t count = weir_router_bench_list(&mine), others = weir_bench_list(&machines);
    (void)state;
    assert_int_equal(count, weir_router_bench_list(NULL));
    for (size_t i = 0; i < count; i++) {
        assert_true(mine[i].title[0]);
        assert_true(strlen(mine[i].name) < sizeof((weir_bench_table *)0)->name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(mine[i].name, mine[j].name);
        for (size_t j = 0; j < others; j++)
            assert_string_not_equal(mine[i].name, machines[j].name);
    }
    for (size_t b = 0; b < BENCHES; b++) {
        size_t i = 0;
        while (i < count && strcmp(mine[i].name, benches[b].name) != 0)
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
    STATUS(weir_router_bench_run(context, "copy", &config, &table), WEIR_ERR_INVALID);
    assert_null(table);
    assert_detail("\"copy\": no such benchmark");
    STATUS(weir_bench_run(context, "links", &config, &table), WEIR_ERR_INVALID);
    assert_detail("\"links\": no such benchmark");
    config.size = 0;
    STATUS(weir_router_bench_run(context, "links", &config, &table), WEIR_ERR_INVALID);
    assert_detail_has("weir_bench_config");
    weir_context_destroy(context);
}

/* Memory that does not suffice: the sentence, and nothing is left behind. */
static void too_large_says_so_and_leaves_nothing(void **state)
{
    static const char *const settings[] = {"pool_bytes=8MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_bench_config config = small_config();
    config.bytes = 64u << 20;
    for (size_t i = 0; i < 2; i++) {
        weir_bench_table *table;
        STATUS(weir_router_bench_run(context, benches[i].name, &config, &table), WEIR_ERR_NOMEM);
        assert_null(table);
    }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* ---- failures made to order -------------------------------------------------------------------- */

/* Let the n-th call of a kind fail in a benchmark, for n = 1, 1 + step, ... @return how many failed it. */
static int fail_each(weir_context *context, const char *name, enum weir__fault kind, uint64_t step)
{
    weir_bench_config config = small_config();
    int failed = 0, struck = 1;
    config.bytes = 64;
    config.trials = 1;
    config.warmups = UINT32_MAX;
    for (uint64_t n = 1; struck; n += step) {
        weir_bench_table *table;
        weir__fault_arm(kind, n);
        weir_status status = weir_router_bench_run(context, name, &config, &table);
        struck = weir__fault_struck(kind);
        weir__fault_arm(kind, 0);
        if (!struck || !status)
            OK(status); /* or it made do without */
        else
            STATUS(status, kind == WEIR__FAULT_COPY ? WEIR_ERR_DEVICE : WEIR_ERR_NOMEM);
        failed += status != WEIR_OK;
        weir_bench_table_destroy(table);
    }
    return failed;
}

/* Each fails in its own way, wherever it is, and everything is given back: receives, buffers, events. */
static void each_failure_is_told_and_leaves_nothing(void **state)
{
    static const char *const settings[] = {"events=16", NULL}, *const names[] = {"hops", "links"};
    weir_context *context = open_with_or_skip("host:2", settings);
    weir_context *fresh = open_with_or_skip("host:2", settings);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(fail_each(context, names[i], WEIR__FAULT_ALLOC, STEP) > 140 / STEP);
        assert_true(fail_each(context, names[i], WEIR__FAULT_EVENT, STEP) > 140 / STEP);
        assert_true(fail_each(context, names[i], WEIR__FAULT_COPY, STEP) > 35 / STEP);
    }
    assert_no_memory_is_left(context);
    assert_int_equal(free_events(context), free_events(fresh));
    weir_context_destroy(fresh);
    weir_context_destroy(context);
}

/* ---- cancelling ----------------------------------------------------------------------------- */

struct watcher {
    int rows, stop_at;
    volatile int cancel;
};

static void on_progress(void *user, const char *what)
{
    struct watcher *watcher = user;
    (void)what;
    if (++watcher->rows == watcher->stop_at)
        __atomic_store_n(&watcher->cancel, 1, __ATOMIC_RELAXED);
}

static void the_cancel_word_stops_each(void **state)
{
    weir_context *context = open_or_skip(state);
    for (size_t i = 0; i < BENCHES; i++) {
        struct watcher watcher = {0, 3, 0};
        weir_bench_config config = small_config();
        weir_bench_table *table = (void *)&table;
        config.progress = on_progress;
        config.progress_user = &watcher;
        config.cancel = &watcher.cancel;
        STATUS(weir_router_bench_run(context, benches[i].name, &config, &table),
               WEIR_ERR_CANCELLED);
        assert_null(table);
        assert_int_equal(watcher.rows, 3);
    }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lists_name_each_once),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(each_failure_is_told_and_leaves_nothing),
        ON_EACH_BACKEND(all_run_and_their_rows_are_sane),
        ON_BACKEND(all_run_without_peers, "cuda:0-1"),
        cmocka_unit_test(all_run_on_simulated_machines),
        ON_BACKEND(many_packets_open_the_gate, "host:2"),
        ON_BACKEND(many_packets_open_the_gate, "cuda:0-1"),
        ON_BACKEND(few_events_are_enough, "host:2"),
        ON_BACKEND(few_events_are_enough, "cuda:0-1"),
        cmocka_unit_test(host_devices_have_the_ways_that_join_them),
        ON_BACKEND(gpus_have_the_ways_that_join_them, "cuda:0-1"),
        ON_BACKEND(collectives_have_a_row_for_every_way, "host:2"),
        ON_BACKEND(collectives_have_a_row_for_every_way, "host:4"),
        cmocka_unit_test(simulated_collectives_too),
        cmocka_unit_test(a_small_message_does_not_wait_for_the_end),
        ON_BACKEND(too_large_says_so_and_leaves_nothing, "host:2"),
        ON_EACH_BACKEND(the_cancel_word_stops_each),
    };
    return cmocka_run_group_tests_name("bench_links", tests, NULL, NULL);
}
