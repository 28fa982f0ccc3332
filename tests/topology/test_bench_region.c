/** @file test_bench_region.c  What benchmarks rest on: bytes compared, regions held. */
#include "tests/topology/bench_fixture.h"

#include "topology/measure/schedule.h"
#include "topology/measure/work.h"

#include <stdlib.h>
#include <time.h>

/* ---- bytes ---------------------------------------------------------------------------------- */

static void open_bench(struct bench *bench, weir_context *context)
{
    weir_bench_config config = small_config();
    OK(weir__bench_open(bench, context, &config));
    bench->table = calloc(1, sizeof *bench->table);
    assert_non_null(bench->table);
}

static void close_bench(struct bench *bench)
{
    weir_bench_table_destroy(bench->table);
    weir__bench_close(bench);
    weir_context_destroy(bench->context);
}

static void a_pattern_is_found_and_one_wrong_word_too(void **state)
{
    struct bench bench;
    open_bench(&bench, open_or_skip(state));
    for (uint32_t d = 0; d <= bench.devices; d++) {
        char *data;
        weir_queue *queue;
        OK(weir__bench_alloc(&bench, d, SMALL_BYTES, &data));
        OK(weir__pattern_put(&bench, d, data, SMALL_BYTES, 5));
        OK(weir__pattern_check(&bench, d, data, SMALL_BYTES, 5, "this"));
        STATUS(weir__pattern_check(&bench, d, data, SMALL_BYTES, 6, "this"), WEIR_ERR_VERIFY);
        assert_detail_has("8192 of 8192 words");
        OK(weir__bench_queue(&bench, d, &queue));
        OK(weir_queue_fill(queue, data + SMALL_BYTES - 1, 0x11, 1));
        OK(weir__bench_drain(&bench, d, "a fill"));
        weir_status status = weir__pattern_check(&bench, d, data, SMALL_BYTES, 5, "this");
        OK(weir_queue_fill(queue, data + SMALL_BYTES - 1, 0x12, 1));
        OK(weir__bench_drain(&bench, d, "a fill"));
        if (!status) /* the byte happened to be 0x11 */
            status = weir__pattern_check(&bench, d, data, SMALL_BYTES, 5, "this");
        assert_int_equal(status, WEIR_ERR_VERIFY);
        assert_detail_has("this: 1 of 8192 words at ");
        OK(weir__pattern_poison(&bench, d, data, SMALL_BYTES));
        STATUS(weir__pattern_check(&bench, d, data, SMALL_BYTES, 5, "this"), WEIR_ERR_VERIFY);
        weir_device_free(weir__bench_device(&bench, d), data);
    }
    close_bench(&bench);
}

enum broken { WHOLE, SHORT, WRONG_PATTERN, NOTHING };

/* A message from the first device to the last, with something wrong. */
static weir_status send_broken(struct bench *bench, enum broken broken)
{
    uint32_t to = bench->devices - 1;
    struct schedule schedule;
    struct carrier carrier;
    weir_bench_row row = weir__row_make(bench, 0, to, 1, "test");
    weir__schedule_init(&schedule, bench);
    char *source = weir__schedule_source(&schedule, 0, SMALL_BYTES, 0);
    char *target = weir__schedule_target(&schedule, to, SMALL_BYTES, broken == WRONG_PATTERN);
    weir__carrier_init(&carrier, bench, 0, to, WAY_ENGINE, SMALL_BYTES, 1);
    if (broken == NOTHING)
        weir__schedule_queue(&schedule, to);
    else
        weir__carrier_message(&schedule, &carrier, target, source,
                              broken == SHORT ? SMALL_BYTES - 8 : SMALL_BYTES, 0);
    schedule.bytes = SMALL_BYTES;
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    return status;
}

static void a_broken_copy_is_caught(void **state)
{
    struct bench bench;
    open_bench(&bench, open_or_skip(state));
    OK(send_broken(&bench, WHOLE));
    STATUS(send_broken(&bench, SHORT), WEIR_ERR_VERIFY);
    assert_detail_has(": 1 of 8192 words at ");
    STATUS(send_broken(&bench, WRONG_PATTERN), WEIR_ERR_VERIFY);
    assert_detail_has(": 8192 of 8192 words at ");
    STATUS(send_broken(&bench, NOTHING), WEIR_ERR_VERIFY);
    assert_detail_has("test, ");
    close_bench(&bench);
}

/* There the trials themselves are what is compared. */
static void a_broken_copy_is_caught_on_a_simulated_machine(void **state)
{
    struct bench bench;
    (void)state;
    open_bench(&bench, simulate("2*nvswitch"));
    assert_true(bench.simulated);
    OK(send_broken(&bench, WHOLE));
    STATUS(send_broken(&bench, SHORT), WEIR_ERR_VERIFY);
    assert_detail_has(": 1 of 8192 words at ");
    STATUS(send_broken(&bench, WRONG_PATTERN), WEIR_ERR_VERIFY);
    assert_detail_has(": 8192 of 8192 words at ");
    STATUS(send_broken(&bench, NOTHING), WEIR_ERR_VERIFY);
    close_bench(&bench);
}

/* A schedule that would block the host is refused before anything is held. */
static void a_queue_of_too_many_operations_is_refused(void **state)
{
    static const char *const settings[] = {NULL};
    struct bench bench;
    struct schedule schedule;
    struct carrier carrier;
    weir_bench_row row;
    (void)state;
    open_bench(&bench, open_with_or_skip("host:1", settings));
    row = weir__row_make(&bench, 0, 0, 1, "test");
    weir__schedule_init(&schedule, &bench);
    char *source = weir__schedule_source(&schedule, 0, SMALL_BYTES, 0);
    char *target = weir__schedule_target(&schedule, 0, SMALL_BYTES, 0);
    weir__carrier_init(&carrier, &bench, 0, 0, WAY_ENGINE, 64, 1);
    weir__carrier_message(&schedule, &carrier, target, source, SMALL_BYTES, 64);
    assert_false(weir__schedule_fits(&schedule));
    STATUS(weir__schedule_row(&schedule, &row), WEIR_ERR_INVALID);
    assert_detail_has("a held queue of 1029 operations: at most 600");
    assert_int_equal(bench.table->count, 0);
    weir__schedule_free(&schedule);
    close_bench(&bench);
}

/* ---- timed regions -------------------------------------------------------------------------- */

/* Queues of all devices and home, twice as many as there are. */
static void open_region(struct region *region, struct bench *bench)
{
    uint32_t devices[REGION_QUEUES_MAX], count = 0;
    for (uint32_t i = 0; i < 2 * (bench->devices + 1); i++)
        devices[count++] = i % (bench->devices + 1);
    OK(weir__region_open(region, bench, devices, count));
}

/* Nothing put into a region runs before its end, and all of it runs by then. */
static void a_region_is_held_and_then_runs_whole(void **state)
{
    struct bench bench;
    struct region region;
    double ms = -1;
    unsigned char *word;
    open_bench(&bench, open_or_skip(state));
    OK(weir__bench_alloc(&bench, bench.devices, 64, &word));
    memset(word, 1, 64);
    open_region(&region, &bench);
    uint32_t last = region.count - 1; /* of home */
    OK(weir__region_begin(&region));
    OK(weir_queue_fill(region.queue[last], word, 2, 64));
    OK(weir__region_chain(&region, last, 0));
    assert_int_equal(*word, 1);
    OK(weir__region_end(&region, WEIR_OK, &ms));
    assert_int_equal(*word, 2);
    assert_true(ms > 0);
    weir__region_close(&region);
    weir_device_free(weir__bench_device(&bench, bench.devices), word);
    close_bench(&bench);
}

static void a_failed_region_is_emptied_and_can_be_used_again(void **state)
{
    struct bench bench;
    struct region region;
    double ms;
    open_bench(&bench, open_or_skip(state));
    open_region(&region, &bench);
    OK(weir__region_begin(&region));
    OK(weir__region_chain(&region, 1, 0));
    STATUS(weir__region_end(&region, WEIR_ERR_IO, &ms), WEIR_ERR_IO);
    assert_int_equal(region.held, 0);
    OK(weir__region_begin(&region));
    OK(weir__region_end(&region, WEIR_OK, &ms));
    OK(weir__region_begin(&region)); /* left open: close lets go */
    weir__region_close(&region);
    weir__region_close(&region);
    close_bench(&bench);
}

static void sleep_long(const void *args, uint32_t worker, uint32_t workers)
{
    const struct timespec time = {0, 500000000};
    (void)args;
    (void)worker;
    (void)workers;
    nanosleep(&time, NULL);
}

static int slept; /* written by the kernel; relaxed: the queue's end publishes it */

static void sleep_and_say(const void *args, uint32_t worker, uint32_t workers)
{
    sleep_long(args, worker, workers);
    __atomic_store_n(&slept, 1, __ATOMIC_RELAXED);
}

/* A kernel of half a second in the queue for what is not timed, on the last device. */
static void start_sleeping(struct bench *bench)
{
    static const weir_kernel kernel = {.name = "sleep", .host = sleep_and_say};
    weir_queue *queue;
    __atomic_store_n(&slept, 0, __ATOMIC_RELAXED);
    OK(weir__bench_queue(bench, bench->devices - 1, &queue));
    OK(weir_queue_launch(queue, &kernel, NULL, 0));
}

/* Whoever gives memory back after a failure, even of another device: nobody works on it then. */
static void nothing_is_under_way_after_a_failure(void **state)
{
    static const char *const settings[] = {NULL};
    struct bench bench;
    struct schedule schedule;
    struct work work;
    uint64_t *word;
    (void)state;
    open_bench(&bench, open_with_or_skip("host:2", settings));
    bench.config.limit_ms = 0;
    start_sleeping(&bench);
    STATUS(weir__bench_drain(&bench, 1, "a nap"), WEIR_ERR_TIMEOUT);
    assert_detail("host:1: a nap did not end within 0 ms");
    assert_int_equal(__atomic_load_n(&slept, __ATOMIC_RELAXED), 1);
    bench.config.limit_ms = LONG_MS;
    weir__schedule_init(&schedule, &bench);
    (void)weir__schedule_source(&schedule, 0, 64, 0);
    start_sleeping(&bench);
    weir__schedule_free(&schedule);
    assert_int_equal(__atomic_load_n(&slept, __ATOMIC_RELAXED), 1);
    OK(weir__work_open(&work, &bench, 0));
    start_sleeping(&bench);
    weir__work_close(&work);
    assert_int_equal(__atomic_load_n(&slept, __ATOMIC_RELAXED), 1);
    OK(weir__bench_alloc(&bench, 1, sizeof *word, &word)); /* the pools are as they were */
    weir_device_free(weir__bench_device(&bench, 1), word);
    close_bench(&bench);
}

/* A kernel of half a second where no time is given: who was late is named, and the end waits for
 * it. */
static void what_does_not_end_in_time_is_named(void **state)
{
    static const char *const settings[] = {NULL};
    static const weir_kernel kernel = {.name = "sleep", .host = sleep_long};
    struct bench bench;
    struct region region;
    double ms;
    (void)state;
    open_bench(&bench, open_with_or_skip("host:2", settings));
    open_region(&region, &bench);
    bench.config.limit_ms = 0;
    OK(weir__region_begin(&region));
    OK(weir_queue_launch(region.queue[1], &kernel, NULL, 0));
    STATUS(weir__region_end(&region, WEIR_OK, &ms), WEIR_ERR_TIMEOUT);
    assert_detail("a queue of host:1 (number 1 of 6 of a timed region) did not end within 0 ms");
    bench.config.limit_ms = LONG_MS;
    OK(weir__region_begin(&region));
    OK(weir__region_end(&region, WEIR_OK, &ms));
    weir__region_close(&region);
    close_bench(&bench);
}

/* Who fills the queues is stuck: the gate opens all the same. */
static void a_region_that_nobody_ends_is_let_go(void **state)
{
    static const char *const settings[] = {NULL};
    struct bench bench;
    struct region region;
    double ms;
    (void)state;
    open_bench(&bench, open_with_or_skip("host:2", settings));
    open_region(&region, &bench);
    bench.config.limit_ms = 1;
    OK(weir__region_begin(&region));
    OK(weir_future_wait(region.gate, LONG_MS));
    STATUS(weir__region_end(&region, WEIR_OK, &ms), WEIR_ERR_TIMEOUT);
    assert_detail_has("was not filled in time");
    bench.config.limit_ms = LONG_MS;
    OK(weir__region_begin(&region));
    OK(weir__region_end(&region, WEIR_OK, &ms));
    weir__region_close(&region);
    close_bench(&bench);
}

static void marks_that_run_out_are_said_so(void **state)
{
    static const char *const settings[] = {"events=16", NULL};
    struct bench bench;
    struct region region;
    weir_event *mark;
    weir_status status = WEIR_OK;
    double ms;
    (void)state;
    open_bench(&bench, open_with_or_skip("host:1", settings));
    open_region(&region, &bench);
    assert_int_equal(weir__region_marks_max(&bench), 8);
    OK(weir__region_begin(&region));
    for (int i = 0; i < 4096 && !status; i++) /* a device makes more, but not without bound */
        status = weir__region_mark(&region, 0, &mark);
    assert_int_equal(status, WEIR_ERR_NOMEM);
    assert_detail_has("raise WEIR_EVENTS");
    STATUS(weir__region_end(&region, status, &ms), WEIR_ERR_NOMEM);
    weir__region_close(&region);
    close_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_pattern_is_found_and_one_wrong_word_too),
        ON_EACH_BACKEND(a_broken_copy_is_caught),
        cmocka_unit_test(a_broken_copy_is_caught_on_a_simulated_machine),
        cmocka_unit_test(a_queue_of_too_many_operations_is_refused),
        ON_EACH_BACKEND(a_region_is_held_and_then_runs_whole),
        ON_EACH_BACKEND(a_failed_region_is_emptied_and_can_be_used_again),
        cmocka_unit_test(nothing_is_under_way_after_a_failure),
        cmocka_unit_test(what_does_not_end_in_time_is_named),
        cmocka_unit_test(a_region_that_nobody_ends_is_let_go),
        cmocka_unit_test(marks_that_run_out_are_said_so),
    };
    return cmocka_run_group_tests_name("bench region", tests, NULL, NULL);
}
