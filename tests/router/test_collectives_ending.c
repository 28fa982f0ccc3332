/** @file test_collectives_ending.c  How collectives end: cancelled, failed, destroyed. */
#include "tests/router/collective_fixture.h"
#include "tests/lib/share.h"

#include <pthread.h>
#include <time.h>

#define BYTES (64u << 10)
#define COUNT 4000u

static const struct work all_reduce = {
    .what = WEIR_COLLECTIVE_ALL_REDUCE, .count = COUNT, .type = WEIR_TYPE_F32, .seed = 1};

/* ---- ended ---------------------------------------------------------------------------------- */

static void a_cancel_ends_what_is_under_way(void **state)
{
    struct job job;
    job_open(&job, state, BYTES);
    for (size_t a = 0; a < 2; a++)
        for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++) {
            struct work w = {.what = (weir_collective)what, .count = 1000, .seed = 1};
            weir_future *gate = new_future(job.context);
            job_use(&job, own_algorithms[a], 1024);
            work_put(&job, &w);
            OK(weir_queue_wait_future(job.queue[job.ranks - 1], gate));
            OK(work_call(&job, &w));
            STATUS(weir_collectives_status(job.c), WEIR_PENDING);
            weir_collectives_cancel(job.c, WEIR_ERR_TIMEOUT);
            weir_collectives_cancel(job.c, WEIR_ERR_CANCELLED); /* the first one stays */
            STATUS(weir_collectives_status(job.c), WEIR_ERR_TIMEOUT);
            assert_detail("the collectives were cancelled: time limit reached");
            STATUS(work_call(&job, &w), WEIR_ERR_TIMEOUT);
            OK(weir_future_set(gate, NULL));
            job_sync(&job); /* the queues go on */
            STATUS(weir_collectives_status(job.c), WEIR_ERR_TIMEOUT);
            weir_future_release(gate);
        }
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    weir_collectives_cancel(job.c, WEIR_OK); /* no failure: counts as cancelled */
    STATUS(weir_collectives_status(job.c), WEIR_ERR_CANCELLED);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0); /* nor is this one of the list */
    weir_collectives_cancel(job.c, (weir_status)-77);
    STATUS(weir_collectives_status(job.c), WEIR_ERR_CANCELLED);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0); /* a new set works */
    work_do(&job, &all_reduce);
    job_close(&job);
}

/* Who cancels may say why, and what the thread failed with before is not taken for it. */
static void a_cancel_has_the_sentence_of_who_cancels(void **state)
{
    struct job job;
    job_open(&job, state, BYTES);
    job_use(&job, WEIR_ALGORITHM_RING, 0);
    (void)weir_error_set(WEIR_ERR_IO, "something older");
    weir_collectives_cancel(job.c, WEIR_ERR_VERIFY);
    assert_detail("something older"); /* still this thread's */
    STATUS(weir_collectives_status(job.c), WEIR_ERR_VERIFY);
    assert_detail("the collectives were cancelled: result differs from the reference");
    job_use(&job, WEIR_ALGORITHM_RING, 0);
    weir_collectives_cancel(job.c, weir_error_set(WEIR_ERR_VERIFY, "the loss is no number"));
    assert_detail("the loss is no number");
    (void)weir_error_set(WEIR_ERR_IO, "something newer");
    STATUS(weir_collectives_status(job.c), WEIR_ERR_VERIFY);
    assert_detail("the loss is no number");
    job_close(&job);
}

struct canceller {
    weir_collectives *c;
    long delay_ns;
};

static void *cancel_later(void *argument)
{
    struct canceller *canceller = argument;
    struct timespec delay = {0, canceller->delay_ns};
    nanosleep(&delay, NULL);
    weir_collectives_cancel(canceller->c, WEIR_ERR_CANCELLED);
    return NULL;
}

/* By another thread, at any time, while calls are made. */
static void a_cancel_may_come_at_any_time(void **state)
{
    struct job job;
    uint64_t seed = 7;
    job_open(&job, state, BYTES);
    work_put(&job, &all_reduce);
    for (int round = 0; round < 30; round++) {
        struct canceller canceller;
        pthread_t thread;
        weir_status status = WEIR_OK;
        job_use(&job, own_algorithms[round % 3], 512);
        canceller = (struct canceller){job.c, (long)(next_random(&seed) % 3000000)};
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
        for (uint32_t i = 0; !status; i++) {
            struct work w = {.what = (weir_collective)(i % WEIR_COLLECTIVE_COUNT),
                             .count = 1000,
                             .root = i % job.ranks};
            status = work_call(&job, &w);
        }
        pthread_join(thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        if (round % 2)
            job_sync(&job);
        STATUS(weir_collectives_status(job.c), WEIR_ERR_CANCELLED);
    }
    job_close(&job);
}

static void destroying_waits_for_what_is_under_way(void **state)
{
    struct job job;
    job_open(&job, state, BYTES);
    for (int round = 0; round < 27; round++) {
        struct work w = {
            .what = (weir_collective)(round % WEIR_COLLECTIVE_COUNT), .count = 1500, .seed = 1};
        job_use(&job, own_algorithms[round % 3], 1024);
        work_put(&job, &w);
        OK(work_call(&job, &w));
        weir_collectives_destroy(job.c);
        job.c = NULL;
        work_check(&job, &w); /* it is over, and went well */
    }
    weir_collectives_destroy(NULL);
    job_close(&job);
}

static void the_context_may_be_given_up_first(void **state)
{
    struct job job;
    job_open(&job, state, BYTES);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    work_do(&job, &all_reduce);
    for (uint32_t i = 0; i < job.ranks; i++) {
        weir_queue_destroy(job.queue[i]);
        weir_device_free(job.device[i], job.send[i]);
        weir_device_free(job.device[i], job.recv[i]);
    }
    weir_context_destroy(job.context);
    weir_collectives_destroy(job.c); /* ends it */
}

/* ---- failing -------------------------------------------------------------------------------- */

static uint64_t pool_used(const struct job *job)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < all_devices(job->context); i++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        weir_device_pool_stats(any_device(job->context, i), &stats);
        used += stats.used_bytes;
    }
    return used;
}

/* How many events can be taken from all devices. */
static uint32_t free_events(const struct job *job)
{
    enum { ROOM = 4096 };
    static weir_event *event[ROOM];
    uint32_t all = 0;
    for (uint32_t i = 0; i < job->ranks; i++) {
        uint32_t taken = 0;
        while (taken < ROOM && !weir_event_acquire(job->device[i], &event[taken]))
            taken++;
        assert_true(taken < ROOM);
        for (uint32_t e = 0; e < taken; e++)
            weir_event_release(event[e]);
        all += taken;
    }
    return all;
}

/* Make a set and a few calls while the n-th allocation, copy or event fails. @return what they said. */
static weir_status try_with_fault(struct job *job, weir_algorithm algorithm, int *wrong)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    weir_status status, ended;
    config.algorithm = algorithm;
    config.packet_bytes = 1024;
    status = weir_collectives_create(job->context, job->device, job->ranks, &config, &job->c);
    for (int what = 0; what < WEIR_COLLECTIVE_COUNT && !status; what++) {
        struct work w = {.what = (weir_collective)what, .root = 1, .count = 600, .seed = 1};
        status = work_call(job, &w);
    }
    for (uint32_t i = 0; i < job->ranks; i++) /* not job_sync(): it takes events */
        *wrong |= weir_queue_sync(job->queue[i]) != WEIR_OK;
    ended = job->c ? weir_collectives_status(job->c) : status;
    *wrong |= status ? ended != status : ended != WEIR_OK;
    weir_collectives_destroy(job->c);
    job->c = NULL;
    return status;
}

/* All of the first failures are tried, and of the others one in a few. Threads do the same after most of them. */
#ifdef __SANITIZE_THREAD__
#define FAILURES_ALL  10
#define FAILURES_STEP 19
#else
#define FAILURES_ALL  (40u / (unsigned)test_stride())
#define FAILURES_STEP 7
#endif

static void each_failure_surfaces_and_nothing_leaks(void **state)
{
    static const char *const settings[] = {"events=96", NULL};
    struct job job;
    job_open_in(&job, ranks_open(state, settings), BYTES);
    for (uint32_t i = 0; i < job.ranks; i++)
        OK(weir_queue_fill(job.queue[i], job.send[i], 0, BYTES));
    job_sync(&job);
    uint64_t used = pool_used(&job);
    uint32_t events = free_events(&job);
    for (int kind = WEIR__FAULT_ALLOC; kind <= WEIR__FAULT_EVENT; kind++)
        for (size_t a = 0; a < 2; a++) {
            int struck = 1;
            for (uint64_t n = 1; struck; n += n < FAILURES_ALL ? 1 : FAILURES_STEP) {
                int wrong = 0;
                weir__fault_arm((enum weir__fault)kind, n);
                weir_status status = try_with_fault(&job, own_algorithms[a], &wrong);
                struck = weir__fault_struck((enum weir__fault)kind);
                weir__fault_arm((enum weir__fault)kind, 0);
                if (wrong || (status && !struck) || status > 0) {
                    print_error("kind %d, number %d: %s: %s\n", kind, (int)n,
                                weir_status_text(status), weir_error_detail());
                    fail();
                }
                assert_int_equal(pool_used(&job), used);
            }
        }
    assert_int_equal(free_events(&job), events);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    work_do(&job, &all_reduce);
    job_close(&job);
}

/* A device that breaks while calls are under way ends them for all ranks. */
static void a_broken_device_ends_the_calls(void **state)
{
    for (uint64_t n = 1; n < 400; n = n * 3 / 2 + 1) {
        struct job job;
        weir_status status = WEIR_OK;
        job_open(&job, state, BYTES);
        job_use(&job, own_algorithms[n % 2], 512);
        work_put(&job, &all_reduce);
        weir__fault_arm(WEIR__FAULT_DEVICE, n);
        for (int i = 0; i < 50 && !status; i++)
            status = work_call(&job, &all_reduce);
        for (uint32_t i = 0; i < job.ranks; i++)
            (void)weir_queue_sync(job.queue[i]);
        assert_true(weir__fault_struck(WEIR__FAULT_DEVICE));
        weir__fault_arm(WEIR__FAULT_DEVICE, 0);
        STATUS(weir_collectives_status(job.c), WEIR_ERR_DEVICE);
        STATUS(work_call(&job, &all_reduce), WEIR_ERR_DEVICE);
        job_close(&job);
    }
}

/* ---- NCCL ----------------------------------------------------------------------------------- */

/* Where the library is not installed, its absence is what is tested. */
static void nccl_gives_the_same(void **state)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    struct job job;
    uint64_t seed = 1;
    job_open(&job, state, BYTES);
    config.algorithm = WEIR_ALGORITHM_NCCL;
    weir_status status =
        weir_collectives_create(job.context, job.device, job.ranks, &config, &job.c);
    if (status == WEIR_ERR_UNSUPPORTED) {
        assert_detail_has("NCCL is not there");
        job_close(&job);
        return;
    }
    OK(status);
    for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++)
        for (int type = 0; type < WEIR_TYPE_COUNT; type++)
            for (int op = 0; op < WEIR_OP_COUNT; op++, seed++)
                work_do(&job, &(struct work){.what = (weir_collective)what,
                                             .root = job.ranks - 1,
                                             .count = 1001,
                                             .type = (weir_type)type,
                                             .op = (weir_op)op,
                                             .in_place = seed % 2 != 0,
                                             .seed = seed});
    OK(weir_collectives_status(job.c));
    assert_int_equal(weir_collectives_chosen(job.c, WEIR_COLLECTIVE_REDUCE, 1),
                     WEIR_ALGORITHM_NCCL);
    work_put(&job, &all_reduce);
    OK(work_call(&job, &all_reduce));
    weir_collectives_cancel(job.c, WEIR_ERR_CANCELLED);
    STATUS(work_call(&job, &all_reduce), WEIR_ERR_CANCELLED);
    job_sync(&job);
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(a_cancel_ends_what_is_under_way, "host:2"),
        ON_BACKEND(a_cancel_has_the_sentence_of_who_cancels, "host:2"),
        ON_BACKEND(a_cancel_ends_what_is_under_way, "host:5"),
        ON_BACKEND(a_cancel_ends_what_is_under_way, "cuda:0-1"),
        ON_BACKEND(a_cancel_may_come_at_any_time, "host:4"),
        ON_BACKEND(a_cancel_may_come_at_any_time, "cuda:0-1"),
        ON_BACKEND(destroying_waits_for_what_is_under_way, "host:4"),
        ON_BACKEND(destroying_waits_for_what_is_under_way, "cuda:0-1"),
        ON_BACKEND(the_context_may_be_given_up_first, "host:3"),
        ON_BACKEND(the_context_may_be_given_up_first, "cuda:0-1"),
        ON_BACKEND(each_failure_surfaces_and_nothing_leaks, "host:2"),
        ON_BACKEND(each_failure_surfaces_and_nothing_leaks, "host:3"),
        ON_BACKEND(each_failure_surfaces_and_nothing_leaks, "cuda:0-1"),
        ON_BACKEND(a_broken_device_ends_the_calls, "host:3"),
        ON_BACKEND(nccl_gives_the_same, "cuda:0"),
        ON_BACKEND(nccl_gives_the_same, "cuda:0-1"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
