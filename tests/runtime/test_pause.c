/** @file test_pause.c  How threads of host devices wait: they spin only where there is a core for each thread that runs a
 *  kernel, and sleep where other programs want the cores. */
#include "algorithms/algorithms.h"
#include "runtime/host/host.h"
#include "runtime/sync.h"
#include "tests/lib/support.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void no_spins_in_a_crowd(void **state)
{
    const int32_t cores = (int32_t)weir__cores();
    (void)state;
    weir__host_count_cores();
    weir__host_crowd(cores);
    assert_true(weir__host_spins());
    weir__host_crowd(1);
    assert_false(weir__host_spins());
    weir__host_crowd(-1);
    assert_true(weir__host_spins());
    weir__host_crowd(-cores);
    assert_true(weir__host_spins());
}

static int32_t seen;

static void look(const void *args, uint32_t worker, uint32_t workers)
{
    (void)args, (void)workers;
    if (worker == 0)
        __atomic_store_n(&seen, weir__host_spins(), __ATOMIC_RELAXED);
}

/* Kernels count their threads, and no longer when they are through. */
static void kernels_are_counted(void **state)
{
    static const weir_kernel kernel = {.name = "look", .host = look};
    char spec[32];
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        snprintf(spec, sizeof spec, "host:1x%u", weir__cores() + more);
        weir_context *context = open_with_or_skip(spec, NULL);
        weir_queue *queue;
        OK(weir_queue_create(weir_context_device(context, 0), 0, &queue));
        OK(weir_queue_launch(queue, &kernel, &seen, sizeof seen));
        OK(weir_queue_sync(queue));
        assert_int_equal(__atomic_load_n(&seen, __ATOMIC_RELAXED), !more);
        weir_queue_destroy(queue);
        weir_context_destroy(context);
    }
    assert_true(weir__host_spins());
}

/* Looks 0 to @p looks - 1 of a wait. @return how many of them were naps. */
static uint64_t naps_of(uint32_t looks)
{
    const uint64_t before = weir__host_naps();
    for (uint32_t look = 0; look < looks; look++)
        weir_host_pause(look);
    return weir__host_naps() - before;
}

/* A thread with a core of its own yields eight times as long before it sleeps, since a nap is as long as several levels of a road. */
static void naps_come_late_where_there_are_cores(void **state)
{
    const int32_t cores = (int32_t)weir__cores();
    (void)state;
    weir__host_count_cores();
    weir__host_heed_others(0);
    assert_int_equal(naps_of(256 + 512 + 10), 10);
    weir__host_crowd(cores + 1);
    assert_int_equal(naps_of(64 + 10), 10);
    weir__host_crowd(-(cores + 1));
    weir__host_heed_others(1);
}

/* Two loops for each core that never end, of other processes: they go with this one. @return how many there are. */
static size_t occupy(pid_t *loops, size_t most)
{
    size_t begun = 0;
    while (begun < 2 * (size_t)weir__cores() && begun < most) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (volatile uint64_t turns = 0;; turns++)
                ;
        }
        loops[begun++] = child;
    }
    return begun;
}

static void release(const pid_t *loops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(kill(loops[i], SIGKILL), 0);
        assert_int_equal(waitpid(loops[i], NULL, 0), loops[i]);
    }
}

/* Where other programs want the cores, a thread stops to yield, since it would not come back for milliseconds each time. */
static void a_crowded_machine_makes_naps(void **state)
{
    static pid_t loops[1024];
    const int32_t cores = (int32_t)weir__cores();
    const uint64_t before = weir__host_naps(),
                   until = weir_host_clock_ns() + 20 * UINT64_C(1000000000);
    (void)state;
    const size_t begun = occupy(loops, sizeof loops / sizeof *loops);
    weir__host_count_cores();
    weir__host_crowd(cores + 1);
    /* Only first looks: not one of them is a nap for want of patience. */
    while (weir__host_naps() < before + 100 && weir_host_clock_ns() < until)
        weir_host_pause(0);
    weir__host_crowd(-(cores + 1));
    release(loops, begun);
    assert_true(weir__host_naps() >= before + 100);
}

/* It is a crowd where the process had less than a quarter of its cores for 10 ms or more. A second that nobody looked at says nothing:
 * threads that have no work sleep too, and one late yield after an hour of it would make them sleep for sixteen hours. */
static void a_crowd_is_of_late(void **state)
{
    const uint64_t ms = 1000000, begin = 5000 * ms;
    struct host_window window = {0, 0};
    (void)state;
    assert_int_equal(weir__host_crowded_for(&window, begin, 70 * ms, 4), 0);
    assert_int_equal(weir__host_crowded_for(&window, begin + 9 * ms, 70 * ms, 4), 0);
    assert_int_equal(weir__host_crowded_for(&window, begin + 20 * ms, 89 * ms, 4), 16 * 20 * ms);
    assert_int_equal(window.since, begin + 20 * ms);
    assert_int_equal(weir__host_crowded_for(&window, begin + 40 * ms, 109 * ms, 4), 0);
    assert_int_equal(weir__host_crowded_for(&window, begin + 3600000 * ms, 110 * ms, 4), 0);
    assert_int_equal(window.since, begin + 3600000 * ms);
    assert_true(weir__host_crowded_for(&window, begin + 3601000 * ms, 110 * ms, 4) > 0);
}

static int awake;

/* Naps until it is told to end. */
static void *sleeper(void *unused)
{
    (void)unused;
    while (__atomic_load_n(&awake, __ATOMIC_RELAXED))
        weir_host_pause(UINT32_MAX);
    return NULL;
}

/* A run says how many there were in the process while it lasted, whoever took them: here a thread that does nothing else, since
 * whether a kernel's own threads sleep depends on what else the machine does. */
static void runs_count_naps(void **state)
{
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_graph *graph;
    weir_pr *pr;
    pthread_t thread;
    (void)state;
    options.direction = WEIR_DIRECTION_PULL;
    OK(weir_graph_open("rmat:16", NULL, &graph));
    OK(weir_pr_create(context, graph, NULL, &options, NULL, &pr));
    uint64_t before = weir__host_naps();
    __atomic_store_n(&awake, 1, __ATOMIC_RELAXED);
    assert_int_equal(pthread_create(&thread, NULL, sleeper, NULL), 0);
    while (weir__host_naps() == before)
        sched_yield();
    before = weir__host_naps();
    OK(weir_pr_run(pr, &stats));
    const uint64_t most = weir__host_naps() - before;
    __atomic_store_n(&awake, 0, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_in_range(stats.naps, 1, most);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_spins_in_a_crowd),
        cmocka_unit_test(kernels_are_counted),
        cmocka_unit_test(naps_come_late_where_there_are_cores),
        cmocka_unit_test(a_crowded_machine_makes_naps),
        cmocka_unit_test(a_crowd_is_of_late),
        cmocka_unit_test(runs_count_naps),
    };
    return cmocka_run_group_tests_name("pause", tests, NULL, NULL);
}
