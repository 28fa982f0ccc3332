/** @file test_steps.c  Supersteps: what barriers add up and hand on, sleeping and waking, every way to stop. */
#include "runtime/internal.h"
#include "tests/lib/beats.h"
#include "tests/topology/sim_fixture.h"

#include <pthread.h>
#include <time.h>

static const weir_steps_program beats_program = {.what = "beats", .body = &weir__beats_steps};

#define ON_EACH_SPEC(f)                                                                \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),         \
        ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "host:1x4"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")
#define SHORT_MS 100 /* a time limit */

/* A context and the body of beats.h on its first devices. */
struct beats {
    weir_context *context;
    weir_steps *bsp;
    uint32_t devices;
    uint64_t *cell[WEIR_DEVICES_MAX];
};

static void beats_open(struct beats *beats, weir_context *context, uint32_t devices,
                       uint32_t time_limit_ms)
{
    beats->context = context;
    beats->devices = devices;
    OK(beats_create(context, devices, &beats_program, time_limit_ms, &beats->bsp));
    for (uint32_t d = 0; d < devices; d++)
        beats->cell[d] = new_memory(weir_context_device(context, d), BEATS_CELLS * 8);
}

static void beats_close(struct beats *beats)
{
    weir_steps_destroy(beats->bsp);
    for (uint32_t d = 0; d < beats->devices; d++)
        weir_device_free(weir_context_device(beats->context, d), beats->cell[d]);
}

static void beats_set(const struct beats *beats, enum beats_mode mode, uint32_t steps,
                      uint32_t seed)
{
    for (uint32_t d = 0; d < beats->devices; d++) {
        struct beats_args *args = weir_steps_args(beats->bsp, d);
        assert_int_equal(args->member.index, d);
        assert_int_equal(args->member.count, beats->devices);
        memcpy(args->cell, beats->cell, sizeof args->cell);
        args->mode = mode;
        args->steps = steps;
        args->seed = seed;
        args->before = 0;
    }
}

static void assert_count_from(const struct beats *beats, uint32_t before, uint32_t steps,
                              uint32_t seed)
{
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    uint64_t slept = 0;
    beats_set(beats, BEATS_COUNT, steps, seed);
    for (uint32_t d = 0; d < beats->devices; d++)
        ((struct beats_args *)weir_steps_args(beats->bsp, d))->before = before;
    OK(weir_steps_run(beats->bsp, &times));
    assert_true(times.kernel_ms > 0);
    for (uint32_t d = 0; d < beats->devices; d++) {
        const uint64_t *result = weir_steps_results(beats->bsp, d);
        assert_int_equal(result[BEATS_WRONG], 0);
        assert_true(result[BEATS_BLOCKS] > 0);
        assert_int_equal(result[BEATS_CAME], result[BEATS_BLOCKS]);
        assert_int_equal(result[BEATS_STEP], steps + UINT64_C(1));
        assert_int_equal(result[BEATS_LAST], seed);
        assert_true(result[BEATS_SLEPT] >= result[BEATS_BLOCKS] - 1);
        slept += result[BEATS_SLEPT];
        for (uint32_t to = 0; to < beats->devices; to++)
            assert_int_equal(weir_steps_tells(beats->bsp, d, to),
                             steps * UINT64_C(4096) + d * 64 + to);
    }
    /* With several blocks some fall asleep and are woken again, more than once. */
    if (weir_steps_results(beats->bsp, 0)[BEATS_BLOCKS] > 1 && steps > 200)
        assert_true(slept > 20);
}

static void assert_count(const struct beats *beats, uint32_t steps, uint32_t seed)
{
    assert_count_from(beats, 0, steps, seed);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void thousands_of_barriers(void **state)
{
    struct beats beats;
    weir_context *context = open_or_skip(state);
    beats_open(&beats, context, weir_context_device_count(context), LONG_MS);
    assert_count(&beats, 3000, 1);
    beats_close(&beats);
    weir_context_destroy(context);
}

/* Pages are as new each time; the fewest barriers there are, too. */
static void one_object_for_many_runs(void **state)
{
    struct beats beats;
    weir_context *context = open_or_skip(state);
    beats_open(&beats, context, weir_context_device_count(context), 0);
    for (uint32_t run = 0; run < 30; run++)
        assert_count(&beats, run < 10 ? run : run * 5, run + 7);
    beats_close(&beats);
    weir_context_destroy(context);
}

/* A day of barriers. Blocks fall asleep before steps go round, and are woken behind. As in a run, some steps were
 * made before they do: a flag of none is 0, which is that of the last one. */
static void steps_go_round(void **state)
{
    struct beats beats;
    weir_context *context = open_or_skip(state);
    beats_open(&beats, context, weir_context_device_count(context), LONG_MS);
    for (uint32_t left = 4; left < 40; left += 2)
        assert_count_from(&beats, 0 - left, 300, left);
    assert_count_from(&beats, 0 - 1000u, 2000, 1);
    beats_close(&beats);
    weir_context_destroy(context);
}

static void on_the_first_devices(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t devices = 1; devices < weir_context_device_count(context); devices++) {
        struct beats beats;
        beats_open(&beats, context, devices, LONG_MS);
        assert_count(&beats, 100, devices);
        beats_close(&beats);
    }
    weir_context_destroy(context);
}

/* Whatever a body waits for. What is stopped once stays so; the context is as good as before. */
static void a_time_limit_ends_a_run(void **state)
{
    static const enum beats_mode modes[] = {BEATS_FOREVER, BEATS_STUCK, BEATS_ASLEEP};
    struct beats beats;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 3; i++) {
        beats_open(&beats, context, weir_context_device_count(context), SHORT_MS);
        beats_set(&beats, modes[i], 20, 1);
        STATUS(weir_steps_run(beats.bsp, &times), WEIR_ERR_TIMEOUT);
        assert_detail("beats: the time limit of 100 ms is over");
        STATUS(weir_steps_run(beats.bsp, &times), WEIR_ERR_TIMEOUT);
        beats_close(&beats);
    }
    beats_open(&beats, context, weir_context_device_count(context), LONG_MS);
    assert_count(&beats, 50, 3);
    beats_close(&beats);
    weir_context_destroy(context);
}

/* Steps may take longer than the limit, and be so few and so equal that nobody ever waits. Over long before
 * the host would step in. */
static void a_time_limit_between_long_steps(void **state)
{
    const uint32_t steps = 10;
    struct beats beats;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    weir_context *context = open_or_skip(state);
    beats_open(&beats, context, weir_context_device_count(context), 20);
    beats_set(&beats, BEATS_SLOW, steps, 1);
    STATUS(weir_steps_run(beats.bsp, &times), WEIR_ERR_TIMEOUT);
    assert_detail("beats: the time limit of 20 ms is over");
    assert_in_range(weir_steps_results(beats.bsp, 0)[BEATS_STEP], 1, steps - 1);
    beats_close(&beats);
    weir_context_destroy(context);
}

static void *cancel_soon(void *bsp)
{
    struct timespec soon = {0, 30000000};
    nanosleep(&soon, NULL);
    weir_steps_cancel(bsp);
    return NULL;
}

static void a_cancel_ends_a_run(void **state)
{
    static const enum beats_mode modes[] = {BEATS_FOREVER, BEATS_STUCK, BEATS_ASLEEP};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 3; i++) {
        struct beats beats;
        weir_steps_times times = WEIR_STEPS_TIMES_INIT;
        pthread_t thread;
        beats_open(&beats, context, weir_context_device_count(context), 0);
        beats_set(&beats, modes[i], 20, 1);
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, beats.bsp), 0);
        weir_status status = weir_steps_run(beats.bsp, &times);
        pthread_join(thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        STATUS(weir_steps_run(beats.bsp, &times), WEIR_ERR_CANCELLED);
        assert_detail("beats: the run was cancelled");
        beats_close(&beats);
    }
    weir_context_destroy(context);
}

static void a_cancel_before_a_run(void **state)
{
    struct beats beats;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    weir_context *context = open_or_skip(state);
    beats_open(&beats, context, weir_context_device_count(context), 0);
    beats_set(&beats, BEATS_FOREVER, 0, 1);
    weir_steps_cancel(beats.bsp);
    STATUS(weir_steps_run(beats.bsp, &times), WEIR_ERR_CANCELLED);
    beats_close(&beats);
    weir_context_destroy(context);
}

/* Bodies stop each other: no failure, and the object is good for more. */
static void a_body_stops_the_others(void **state)
{
    struct beats beats;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    weir_context *context = open_or_skip(state);
    beats_open(&beats, context, weir_context_device_count(context), LONG_MS);
    beats_set(&beats, BEATS_STOPS, 500, 1);
    OK(weir_steps_run(beats.bsp, &times));
    for (uint32_t d = 0; d < beats.devices; d++) {
        assert_int_equal(weir_steps_results(beats.bsp, d)[BEATS_CAME], 0);
        /* Who is not kept waiting looks at every 64th barrier on a GPU, at each on a host device. */
        assert_in_range(weir_steps_results(beats.bsp, d)[BEATS_STEP], 500, 500 + 130);
    }
    assert_count(&beats, 100, 5);
    beats_close(&beats);
    weir_context_destroy(context);
}

/* A device that was stopped earlier is written to by others until these stop too: here 50 ms after its body has ended. The
 * next run looks for such flags before its first barrier, and finds none. */
static void a_stop_leaves_nothing_for_the_next_run(void **state)
{
    struct beats beats;
    weir_context *context = open_or_skip(state);
    beats_open(&beats, context, weir_context_device_count(context), LONG_MS);
    for (uint32_t run = 0; run < 3; run++) {
        beats_set(&beats, BEATS_LATE, 20 + run, 1);
        OK(weir_steps_run(beats.bsp, NULL));
        assert_count(&beats, 40, run + 2);
    }
    beats_close(&beats);
    weir_context_destroy(context);
}

static void assert_refused(weir_context *context, uint32_t devices, weir_status status,
                           const char *detail)
{
    weir_steps *bsp;
    STATUS(weir_steps_possible(context, devices), status);
    assert_detail_has(detail);
    STATUS(beats_create(context, devices, &beats_program, 0, &bsp), status);
    assert_null(bsp);
}

static void numbers_of_devices_that_are_not_there(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:3", NULL);
    OK(weir_steps_possible(context, 1));
    OK(weir_steps_possible(context, 3));
    assert_refused(context, 0, WEIR_ERR_INVALID, "0 devices");
    assert_refused(context, 4, WEIR_ERR_INVALID, "4 devices of a context of 3");
    assert_refused(context, UINT32_MAX, WEIR_ERR_INVALID, "of a context of 3");
    weir_steps_destroy(NULL);
    weir_context_destroy(context);
}

static void simulated_devices_are_refused(void **state)
{
    (void)state;
    weir_context *context = simulate(star_machine(0), NULL);
    assert_refused(context, STAR_DEVICES, WEIR_ERR_UNSUPPORTED, "simulated");
    assert_refused(context, 1, WEIR_ERR_UNSUPPORTED, "simulated");
    weir_context_destroy(context);
}

static void mixed_devices_are_refused(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("cuda:0,host:1", NULL);
    assert_refused(context, 2, WEIR_ERR_UNSUPPORTED, "GPUs");
    OK(weir_steps_possible(context, 1)); /* the first alone */
    weir_context_destroy(context);
}

/* Whichever allocation fails, nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    uint32_t failures = 0, struck = 1;
    for (uint64_t nth = 1; struck; nth++) {
        weir_steps *bsp;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = beats_create(context, 2, &beats_program, 0, &bsp);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(bsp != NULL, status == WEIR_OK);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        weir_steps_destroy(bsp);
        assert_no_memory_is_left(context);
        failures += status != WEIR_OK;
    }
    assert_true(failures > 4);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(thousands_of_barriers),
        ON_EACH_SPEC(one_object_for_many_runs),
        ON_EACH_SPEC(steps_go_round),
        ON_BACKEND(on_the_first_devices, "host:4"),
        ON_BACKEND(on_the_first_devices, "cuda:0-3"),
        ON_EACH_SPEC(a_time_limit_ends_a_run),
        ON_BACKEND(a_time_limit_between_long_steps, "host:1"),
        ON_BACKEND(a_time_limit_between_long_steps, "host:2"),
        ON_BACKEND(a_time_limit_between_long_steps, "host:2x3"),
        ON_EACH_SPEC(a_cancel_ends_a_run),
        ON_EACH_SPEC(a_cancel_before_a_run),
        ON_EACH_SPEC(a_body_stops_the_others),
        ON_EACH_SPEC(a_stop_leaves_nothing_for_the_next_run),
        cmocka_unit_test(numbers_of_devices_that_are_not_there),
        cmocka_unit_test(simulated_devices_are_refused),
        cmocka_unit_test(mixed_devices_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("bsp", tests, NULL, NULL);
}
