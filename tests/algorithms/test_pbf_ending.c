/** @file test_pbf_ending.c  Whatever stops a filter (a limit, a cancel, any fault), the run ends with that
 *  status, nothing hangs, and the next one is right. */
#include "runtime/internal.h"
#include "tests/algorithms/pbf_fixture.h"

#include <pthread.h>
#include <time.h>

/* More work than any machine does within a test: a hundred thousand rounds for each element. */
static weir_pbf_config endless(void)
{
    weir_pbf_config config = config_for(0.5, 256);
    config.work = 100000;
    return config;
}

static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = endless();
    struct bench bench;
    config.time_limit_ms = 20;
    bench_open(&bench, context, &config, 1 << 20);
    STATUS(run(&bench), WEIR_ERR_TIMEOUT);
    assert_detail_has("time limit of 20 ms");
    bench_close(&bench);
    weir_context_destroy(context);
}

struct canceller {
    weir_pbf *pbf;
    struct timespec delay;
    pthread_t thread;
};

static void *cancel(void *data)
{
    struct canceller *me = data;
    nanosleep(&me->delay, NULL);
    weir_pbf_cancel(me->pbf);
    return NULL;
}

static void start_canceller(struct canceller *canceller, weir_pbf *pbf, long ns)
{
    *canceller = (struct canceller){.pbf = pbf, .delay = {0, ns}};
    assert_int_equal(pthread_create(&canceller->thread, NULL, cancel, canceller), 0);
}

static void a_cancel_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = endless();
    struct bench bench;
    struct canceller canceller;
    bench_open(&bench, context, &config, 1 << 20);
    start_canceller(&canceller, bench.pbf, 20000000);
    weir_status status = run(&bench);
    pthread_join(canceller.thread, NULL);
    STATUS(status, WEIR_ERR_CANCELLED);
    assert_detail_has("cancelled");
    bench_close(&bench);
    weir_context_destroy(context);
}

static void a_cancel_before_it_counts_once(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.5, 4096);
    struct bench bench;
    bench_open(&bench, context, &config, 10000);
    weir_pbf_cancel(bench.pbf);
    weir_pbf_cancel(bench.pbf);
    STATUS(run(&bench), WEIR_ERR_CANCELLED);
    OK(run(&bench));
    check_result(&bench);
    bench_close(&bench);
    weir_context_destroy(context);
}

/* Cancels that come at any moment: the run ends with its result or with the cancel. */
static void cancels_at_any_time(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.5, 1024);
    struct bench bench;
    uint64_t random = SEED;
    bench_open(&bench, context, &config, 100000);
    for (int i = 0; i < 40; i++) {
        struct canceller canceller;
        weir_status status = WEIR_OK;
        start_canceller(&canceller, bench.pbf, (long)(next_random(&random) % 3000000));
        while (!status) /* the cancel ends one of them */
            status = run(&bench);
        pthread_join(canceller.thread, NULL);
        STATUS(status, WEIR_ERR_CANCELLED);
    }
    bench_close(&bench);
    weir_context_destroy(context);
}

/* ---- faults ---- */

/* Fail the n-th of a kind for every n until a run gets by without it: the failure comes out, nothing
 * hangs, and the run after it is right. */
static void every_fault(void **state, enum weir__fault kind)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.5, 4096);
    struct bench bench;
    int struck = 1;
    config.buffers = 2;
    bench_open(&bench, context, &config, 10000);
    for (uint64_t n = 1; struck; n++) {
        weir__fault_arm(kind, n);
        weir_status status = run(&bench);
        struck = weir__fault_struck(kind);
        weir__fault_arm(kind, 0);
        if (!struck)
            OK(status);
        if (!status)
            check_result(&bench);
        assert_true(n < 10000);
    }
    OK(run(&bench));
    check_result(&bench);
    bench_close(&bench);
    weir_context_destroy(context);
}

static void every_allocation_may_fail(void **state)
{
    every_fault(state, WEIR__FAULT_ALLOC);
}

static void every_copy_may_fail(void **state)
{
    every_fault(state, WEIR__FAULT_COPY);
}

static void every_event_may_fail(void **state)
{
    every_fault(state, WEIR__FAULT_EVENT);
}

/* A broken device stays broken, so each try has a context of its own. */
static void every_operation_may_break_its_device(void **state)
{
    weir_pbf_config config = config_for(0.5, 4096);
    int struck = 1;
    for (uint64_t n = 1; struck; n++) {
        weir_context *context = open_or_skip(state);
        struct bench bench;
        bench_open(&bench, context, &config, 3000);
        weir__fault_arm(WEIR__FAULT_DEVICE, n);
        weir_status status = run(&bench);
        struck = weir__fault_struck(WEIR__FAULT_DEVICE);
        weir__fault_arm(WEIR__FAULT_DEVICE, 0);
        if (status || !struck)
            STATUS(status, struck ? WEIR_ERR_DEVICE : WEIR_OK);
        else
            check_result(&bench);
        bench_close(&bench);
        weir_context_destroy(context);
        assert_true(n < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_time_limit_ends_a_run),
        ON_EACH_BACKEND(a_cancel_ends_a_run),
        ON_EACH_BACKEND(a_cancel_before_it_counts_once),
        ON_EACH_BACKEND(cancels_at_any_time),
        ON_BACKEND(every_allocation_may_fail, "host:2"),
        ON_BACKEND(every_allocation_may_fail, "cuda:0"),
        ON_BACKEND(every_copy_may_fail, "host:2"),
        ON_BACKEND(every_copy_may_fail, "cuda:0"),
        ON_BACKEND(every_event_may_fail, "host:2"),
        ON_BACKEND(every_event_may_fail, "cuda:0"),
        ON_BACKEND(every_operation_may_break_its_device, "host:2"),
    };
    return cmocka_run_group_tests_name("pbf endings", tests, NULL, NULL);
}
