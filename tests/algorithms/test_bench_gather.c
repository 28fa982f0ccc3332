/** @file test_bench_gather.c  The benchmark of results that come to the host: runs everywhere, compares every value,
 *  gives everything back. Nothing here depends on how fast anything is. */
#include "algorithms/bench.h"
#include "algorithms/common/gather.h"
#include "runtime/internal.h"
#include "tests/topology/bench_fixture.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

/* ---- a gather that does its work badly ---------------------------------------------------------- */

enum spoiling { RIGHT = 0, ONE_BIT, ONCE };

/* What the gather below does. Set and read by the thread of a test, which runs the benchmark too. */
static enum spoiling spoiling;
static uint64_t spoiled; /* ONE_BIT: the vertex whose value has a wrong bit */
static int calls;        /* ONCE: those after the first bring nothing */

/* The benchmark calls this one, since the names of a program come before those of a library that it was linked with. */
weir_status weir__gather(struct weir__numbering *numbering, const void *const *values,
                         size_t value_bytes, void *values_out)
{
    __typeof__(&weir__gather) real;
    *(void **)&real = dlsym(RTLD_NEXT, "weir__gather");
    assert_non_null(real);
    if (spoiling == ONCE && calls++)
        return WEIR_OK;
    weir_status status = real(numbering, values, value_bytes, values_out);
    if (!status && spoiling == ONE_BIT)
        ((char *)values_out)[spoiled * value_bytes + value_bytes - 1] ^= 1;
    return status;
}

static weir_bench_table *run_gather(weir_context *context, const weir_bench_config *config)
{
    weir_bench_table *table;
    OK(weir_algorithms_bench_run(context, "gather", config, &table));
    return table;
}

static const weir_bench_row *find(const weir_bench_table *table, const char *series,
                                  const char *from, double x)
{
    for (size_t i = 0; i < table->count; i++) {
        const weir_bench_row *row = &table->rows[i];
        if (!strcmp(row->series, series) && !strcmp(row->from, from) && row->x == x)
            return row;
    }
    fail_msg("no row \"%s\" from %s of %g bytes", series, from, x);
    return NULL;
}

static void check_row(const weir_bench_row *row, int verified)
{
    assert_string_equal(row->to, "home");
    assert_true(row->low > 0 && row->low <= row->median && row->median <= row->high);
    assert_true(isfinite(row->high));
    assert_int_equal(row->verified, verified);
}

static void rows_are_there_and_compared(void **state)
{
    weir_context *context = open_or_skip(state); /* may leave this function */
    weir_bench_config config = small_config();
    const int several = weir_context_device_count(context) > 1;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(context, 0), &info);
    config.bytes = 1 << 20;
    weir_bench_table *table = run_gather(context, &config);
    assert_string_equal(table->unit, "GB/s");
    assert_true(strlen(table->title) < sizeof table->title - 1); /* not cut short */
    assert_int_equal(table->count, several ? 10 : 6);
    for (int width = 4; width <= 8; width += 4) {
        check_row(find(table, "into ordinary memory", info.label, width), 1);
        check_row(find(table, "into page-locked memory", info.label, width), 1);
        check_row(find(table, "a bare copy into page-locked memory", info.label, width), 0);
        if (several) {
            check_row(find(table, "into ordinary memory", "all", width), 1);
            check_row(find(table, "into page-locked memory", "all", width), 1);
        }
    }
    weir_bench_table_destroy(table);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* A single bit in the first, in some and in the last value; and values that do not come, where the trial before has brought
 * all of them. */
static void values_that_are_wrong_are_told(void **state)
{
    static const uint64_t vertices[] = {0, 777, 16383};
    weir_context *context = open_or_skip(state); /* may leave this function */
    weir_bench_config config = small_config();
    weir_bench_table *table;
    config.bytes = 16384 * 4;
    config.trials = 1;
    config.warmups = UINT32_MAX; /* none */
    spoiling = ONE_BIT;
    for (int i = 0; i < 3; i++) {
        spoiled = vertices[i];
        STATUS(weir_algorithms_bench_run(context, "gather", &config, &table), WEIR_ERR_VERIFY);
        assert_detail("into ordinary memory: 1 of 16384 values are wrong");
        assert_null(table);
    }
    spoiling = ONCE;
    calls = 0;
    STATUS(weir_algorithms_bench_run(context, "gather", &config, &table), WEIR_ERR_VERIFY);
    assert_detail("into ordinary memory: 16384 of 16384 values are wrong");
    assert_int_equal(calls, 2); /* a trial, and the call whose values are compared */
    spoiling = RIGHT;
    table = run_gather(context, &config);
    weir_bench_table_destroy(table);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* As many values as there are bytes for, and no fewer than one: fewer values than devices are fine. */
static void few_values_are_enough(void **state)
{
    weir_context *context = open_or_skip(state); /* may leave this function */
    weir_bench_config config = small_config();
    config.bytes = 1;
    weir_bench_table *table = run_gather(context, &config);
    assert_true(table->count >= 6);
    weir_bench_table_destroy(table);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void simulated_machines_have_no_rows(void **state)
{
    weir_bench_config config = small_config();
    weir_context *context = simulate("nvswitch8");
    (void)state;
    weir_bench_table *table = run_gather(context, &config);
    assert_int_equal(table->count, 0);
    assert_non_null(strstr(table->skipped, "simulated"));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void what_makes_no_sense_is_refused(void **state)
{
    const weir_bench_info *infos;
    weir_context *context;
    weir_bench_table *table = (void *)&table;
    weir_bench_config config = small_config();
    (void)state;
    assert_int_equal(weir_algorithms_bench_list(&infos), 1);
    assert_string_equal(infos[0].name, "gather");
    assert_int_equal(weir_algorithms_bench_list(NULL), 1);
    OK(weir_context_create("host:2", NULL, &context));
    STATUS(weir_algorithms_bench_run(context, "links", &config, &table), WEIR_ERR_INVALID);
    assert_null(table);
    STATUS(weir_bench_run(context, "gather", &config, &table), WEIR_ERR_INVALID);
    config.bytes = UINT64_C(1) << 45; /* before anything of it is taken */
    STATUS(weir_algorithms_bench_run(context, "gather", &config, &table), WEIR_ERR_NOMEM);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* Each allocation and copy fails once: the failure is told, or done without, and nothing is left. */
static void each_failure_is_told_and_leaves_nothing(void **state)
{
    static const enum weir__fault kinds[] = {WEIR__FAULT_ALLOC, WEIR__FAULT_COPY};
    weir_context *context;
    (void)state;
    OK(weir_context_create("host:2", NULL, &context));
    for (int k = 0; k < 2; k++) {
        int failed = 0, struck = 1;
        for (uint64_t n = 1; struck; n++) {
            weir_bench_config config = small_config();
            weir_bench_table *table;
            config.bytes = 64;
            config.trials = 1;
            config.warmups = UINT32_MAX;
            weir__fault_arm(kinds[k], n);
            weir_status status = weir_algorithms_bench_run(context, "gather", &config, &table);
            struck = weir__fault_struck(kinds[k]);
            weir__fault_arm(kinds[k], 0);
            if (!struck)
                OK(status);
            failed += status != WEIR_OK;
            weir_bench_table_destroy(table);
        }
        assert_true(failed > 10);
    }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(rows_are_there_and_compared),
        ON_EACH_BACKEND(values_that_are_wrong_are_told),
        ON_EACH_BACKEND(few_values_are_enough),
        cmocka_unit_test(simulated_machines_have_no_rows),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(each_failure_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests_name("benchmark of results", tests, NULL, NULL);
}
