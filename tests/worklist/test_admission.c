/** @file test_admission.c  Runs of resident kernels that two threads start on the same devices: one after the other,
 * each to its end; a cancel of one that waits; devices that are not shared. */
#include "algorithms/algorithms.h"
#include "tests/lib/beats.h"
#include "tests/lib/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const weir_steps_program beats_program = {.what = "beats", .body = &weir__beats_steps};

#define ON_EACH_SPEC(f)                                                          \
    ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:2x3"), \
        ON_BACKEND(f, "cuda:0-1")
#define RUNS 30 /* of a thread */

/* ---- searches ------------------------------------------------------------------------------- */

struct search {
    weir_bfs *bfs;
    weir_status status; /* the first that is not WEIR_OK */
};

static void *search_often(void *data)
{
    struct search *search = data;
    for (uint64_t source = 0; source < RUNS && !search->status; source++)
        search->status = weir_bfs_run(search->bfs, source, NULL);
    return NULL;
}

static void assert_together(weir_context *context, const weir_graph *graph,
                            const weir_direction *direction)
{
    enum { THREADS = 3 };
    struct search search[THREADS];
    pthread_t thread[THREADS];
    weir_partition *partition;
    int32_t *have = malloc(graph->vertices * 4), *want = malloc(graph->vertices * 4);
    assert_true(have && want);
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context), 1,
                             NULL, &partition));
    for (int i = 0; i < THREADS; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
        options.direction = direction[i];
        search[i].status = WEIR_OK;
        OK(weir_bfs_create(context, graph, partition, &options, &search[i].bfs));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, search_often, &search[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    OK(weir_bfs_reference(graph, RUNS - 1, want));
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(search[i].status, WEIR_OK);
        OK(weir_bfs_levels(search[i].bfs, have));
        assert_memory_equal(have, want, graph->vertices * 4);
        weir_bfs_destroy(search[i].bfs);
    }
    weir_partition_destroy(partition);
    free(have);
    free(want);
}

/* In step, through the worklist, and both. */
static void searches_of_three_threads(void **state)
{
    static const weir_direction directions[][3] = {
        {WEIR_DIRECTION_SWITCH, WEIR_DIRECTION_SWITCH, WEIR_DIRECTION_SWITCH},
        {WEIR_DIRECTION_PUSH, WEIR_DIRECTION_PUSH, WEIR_DIRECTION_PUSH},
        {WEIR_DIRECTION_SWITCH, WEIR_DIRECTION_PUSH, WEIR_DIRECTION_PULL},
    };
    weir_context *context = open_or_skip(state);
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    OK(weir_graph_open("rmat:8", &options, &graph));
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        assert_together(context, graph, directions[i]);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- one that waits ------------------------------------------------------------------------- */

struct beating {
    weir_steps *bsp;
    pthread_t thread;
    weir_status status;
    _Atomic int ended;
};

static void *beat(void *data)
{
    struct beating *beating = data;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    beating->status = weir_steps_run(beating->bsp, &times);
    atomic_store(&beating->ended, 1);
    return NULL;
}

/* Barriers that go on until somebody stops them, by a thread of their own. */
static void beat_for_ever(struct beating *beating, weir_context *context, uint32_t devices)
{
    OK(beats_create(context, devices, &beats_program, LONG_MS, &beating->bsp));
    for (uint32_t d = 0; d < devices; d++)
        ((struct beats_args *)weir_steps_args(beating->bsp, d))->mode = BEATS_FOREVER;
    atomic_init(&beating->ended, 0);
    assert_int_equal(pthread_create(&beating->thread, NULL, beat, beating), 0);
}

static void assert_cancel(struct beating *beating)
{
    weir_steps_cancel(beating->bsp);
    pthread_join(beating->thread, NULL);
    assert_int_equal(beating->status, WEIR_ERR_CANCELLED);
    weir_steps_destroy(beating->bsp);
}

static void sleep_ms(long ms)
{
    struct timespec span = {0, ms * 1000000};
    nanosleep(&span, NULL);
}

static void a_cancel_of_one_that_waits(void **state)
{
    weir_context *context = open_or_skip(state);
    struct beating first, second, third;
    beat_for_ever(&first, context, 2);
    sleep_ms(30);
    beat_for_ever(&second, context, 2);
    sleep_ms(30);
    beat_for_ever(&third, context, 2);
    sleep_ms(30);
    assert_cancel(&second); /* from the middle of those that wait */
    assert_false(atomic_load(&first.ended) || atomic_load(&third.ended));
    assert_cancel(&first);
    sleep_ms(30);
    assert_false(atomic_load(&third.ended));
    assert_cancel(&third);
    weir_context_destroy(context);
}

/* Host devices are those of their context, so runs in two contexts do not wait for each other. */
static void devices_that_are_not_shared(void **state)
{
    (void)state;
    weir_context *one = open_with_or_skip("host:2", NULL), *two = open_with_or_skip("host:2", NULL);
    struct beating endless;
    weir_steps *bsp;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    beat_for_ever(&endless, one, 2);
    sleep_ms(30);
    OK(beats_create(two, 2, &beats_program, LONG_MS, &bsp));
    for (uint32_t d = 0; d < 2; d++) {
        struct beats_args *args = weir_steps_args(bsp, d);
        args->mode = BEATS_STOPS;
        args->steps = 10;
    }
    OK(weir_steps_run(bsp, &times));
    assert_false(atomic_load(&endless.ended));
    weir_steps_destroy(bsp);
    assert_cancel(&endless);
    weir_context_destroy(two);
    weir_context_destroy(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(searches_of_three_threads),
        ON_BACKEND(a_cancel_of_one_that_waits, "host:2"),
        ON_BACKEND(a_cancel_of_one_that_waits, "cuda:0-1"),
        cmocka_unit_test(devices_that_are_not_shared),
    };
    return cmocka_run_group_tests_name("turns of resident kernels", tests, NULL, NULL);
}
