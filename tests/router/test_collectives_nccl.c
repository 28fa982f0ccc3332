/** @file test_collectives_nccl.c  Collectives by NCCL, with a stand-in for its library over host memory: what is
 *  passed to it, and how a call is cancelled that does not come back. */
#include "router/collective/internal.h"
#include "tests/router/collective_fixture.h"
#include "tests/router/nccl_stand_in.h"

#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BYTES (64u << 10)

static const struct work all_reduce = {
    .what = WEIR_COLLECTIVE_ALL_REDUCE, .count = 1000, .type = WEIR_TYPE_F32, .seed = 1};

/* ---- the stand-in ---------------------------------------------------------------------------- */

static struct {
    void (*set)(const struct stand_in_ways *ways);
    void (*get)(struct stand_in_report *report_out);
} stand_in;

/* It lies beside the test. The loader takes a library that is loaded for the one that is asked for by its inner
 * name, which is NCCL's. */
static int load_stand_in(void **state)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    (void)state;
    if (length < 0)
        return -1;
    path[length] = 0;
    snprintf(strrchr(path, '/'), 64, "/libnccl-stand-in.so");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        print_error("%s\n", dlerror());
        return -1;
    }
    *(void **)&stand_in.set = dlsym(handle, "stand_in_set");
    *(void **)&stand_in.get = dlsym(handle, "stand_in_get");
    return stand_in.set && stand_in.get ? 0 : -1;
}

/* A set of host devices that calls NCCL as one of GPUs does. */
static void use_nccl(struct job *job)
{
    job_use(job, WEIR_ALGORITHM_RING, 1024);
    job->c->algorithm = WEIR_ALGORITHM_NCCL;
    job->c->gpus = 1;
    OK(weir__nccl_open(job->c));
}

/* What happened since `before`. */
static struct stand_in_report since(const struct stand_in_report *before)
{
    struct stand_in_report r;
    stand_in.get(&r);
    r.groups -= before->groups;
    r.aborts -= before->aborts;
    r.aborts_begun -= before->aborts_begun;
    r.destroys -= before->destroys;
    return r;
}

static void assert_allowed(void)
{
    struct stand_in_report r;
    stand_in.get(&r);
    assert_int_equal(r.blocking, 0);
    assert_int_equal(r.used_when_gone, 0);
    assert_int_equal(r.used_while, 0);
    assert_int_equal(r.not_matched, 0);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- good calls ------------------------------------------------------------------------------ */

static void every_call_says_what_is_meant(void **state)
{
    struct stand_in_report before, after;
    struct job job;
    uint64_t seed = 1;
    job_open(&job, state, BYTES);
    stand_in.get(&before);
    use_nccl(&job);
    for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++)
        for (int type = 0; type < WEIR_TYPE_COUNT; type++)
            for (int op = 0; op < WEIR_OP_COUNT; op++, seed++)
                work_do(&job, &(struct work){.what = (weir_collective)what,
                                             .root = (uint32_t)seed % job.ranks,
                                             .count = 101,
                                             .type = (weir_type)type,
                                             .op = (weir_op)op,
                                             .in_place = seed % 2 != 0,
                                             .seed = seed});
    OK(weir_collectives_status(job.c));
    assert_int_equal(weir_collectives_chosen(job.c, WEIR_COLLECTIVE_GATHER, 1),
                     WEIR_ALGORITHM_NCCL);
    uint32_t ranks = job.ranks;
    job_close(&job);
    after = since(&before);
    assert_true(after.groups > 0);
    assert_int_equal(after.destroys, ranks);
    assert_int_equal(after.aborts_begun, 0);
    assert_allowed();
}

/* AUTO takes it where it is the fastest, beside ways of weir's own in the same set. Host devices pay so much for a hop that a call of
 * NCCL's is less than one of theirs, unless it makes a thread, which alone takes longer than a small call. */
static void auto_takes_it_where_it_is_faster(void **state)
{
    weir_collectives_choice choice = WEIR_COLLECTIVES_CHOICE_INIT;
    struct stand_in_report before, after;
    struct job job;
    job_open(&job, state, BYTES);
    stand_in.get(&before);
    assert_int_equal(unsetenv("NCCL_COMM_BLOCKING"), 0); /* whatever the test was started with */
    for (int blocking = 0; blocking < 2; blocking++) {
        if (blocking)
            assert_int_equal(setenv("NCCL_COMM_BLOCKING", "1", 1), 0);
        job_use(&job, WEIR_ALGORITHM_AUTO, 0);
        OK(weir_collectives_choose(job.c, WEIR_COLLECTIVE_ALL_REDUCE, 0, 1024, &choice));
        assert_true(choice.us[WEIR_ALGORITHM_NCCL] == 0); /* it was not allowed */
        job.c->gpus = 1;
        OK(weir__nccl_open(job.c));
        weir__ways_list(job.c);
        weir__rehearsal_close(job.c); /* what it told, it told without NCCL */
        job.c->gpus = 0;
        OK(weir_collectives_choose(job.c, WEIR_COLLECTIVE_ALL_REDUCE, 0, 1024, &choice));
        assert_true(choice.us[WEIR_ALGORITHM_NCCL] > 0);
        assert_int_equal(choice.algorithm == WEIR_ALGORITHM_NCCL, blocking);
        struct stand_in_report calls;
        stand_in.get(&calls);
        work_do(&job, &(struct work){.what = WEIR_COLLECTIVE_ALL_REDUCE,
                                     .count = 256,
                                     .type = WEIR_TYPE_F32,
                                     .seed = 5});
        after = since(&calls);
        assert_int_equal(after.groups > 0, blocking);
        OK(weir_collectives_choose(job.c, WEIR_COLLECTIVE_ALL_TO_ALL, 0, (size_t)1 << 30, &choice));
        assert_int_equal(choice.algorithm, WEIR_ALGORITHM_NCCL);
        OK(weir_collectives_status(job.c));
    }
    assert_int_equal(unsetenv("NCCL_COMM_BLOCKING"), 0);
    uint32_t ranks = job.ranks;
    job_close(&job);
    after = since(&before);
    assert_int_equal(after.destroys, 2 * ranks);
    assert_allowed();
}

static void a_group_that_fails_ends_the_set(void **state)
{
    struct stand_in_report before, after;
    struct job job;
    job_open(&job, state, BYTES);
    stand_in.get(&before);
    use_nccl(&job);
    work_do(&job, &all_reduce);
    stand_in.set(&(struct stand_in_ways){.fail = 3});
    STATUS(work_call(&job, &all_reduce), WEIR_ERR_DEVICE);
    assert_detail("NCCL, all-reduce: internal error");
    stand_in.set(&(struct stand_in_ways){0});
    STATUS(work_call(&job, &all_reduce), WEIR_ERR_DEVICE);
    STATUS(weir_collectives_status(job.c), WEIR_ERR_DEVICE);
    uint32_t ranks = job.ranks;
    job_close(&job);
    after = since(&before);
    assert_int_equal(after.aborts, ranks);
    assert_int_equal(after.destroys, 0);
    assert_allowed();
}

/* ---- cancelled ------------------------------------------------------------------------------- */

struct caller {
    struct job *job;
    weir_status status; /* of the call that did not go well */
};

static void *call_on(void *argument)
{
    struct caller *caller = argument;
    while (!caller->status)
        caller->status = work_call(caller->job, &all_reduce);
    return NULL;
}

/* The group is never started, and the abort does not come back either, as when CUDA waits for a stream that
 * only the canceller will let go on: the cancel comes back, and so does the call. */
static void a_cancel_waits_for_nothing(void **state)
{
    struct stand_in_report before, now;
    struct job job;
    struct caller caller = {&job, WEIR_OK};
    pthread_t thread;
    job_open(&job, state, BYTES);
    stand_in.get(&before);
    use_nccl(&job);
    work_put(&job, &all_reduce);
    stand_in.set(&(struct stand_in_ways){.hang = 1, .abort_waits = 1});
    assert_int_equal(pthread_create(&thread, NULL, call_on, &caller), 0);
    do
        now = since(&before);
    while (!now.groups);
    double start = seconds();
    weir_collectives_cancel(job.c, WEIR_ERR_TIMEOUT);
    double took = seconds() - start;
    pthread_join(thread, NULL);
    double came_back = seconds() - start;
    assert_true(took < 5); /* it takes microseconds: this is for machines that are busy */
    assert_true(came_back < 10);
    assert_int_equal(caller.status, WEIR_ERR_TIMEOUT);
    STATUS(weir_collectives_status(job.c), WEIR_ERR_TIMEOUT);
    assert_detail("the collectives were cancelled: time limit reached");
    STATUS(work_call(&job, &all_reduce), WEIR_ERR_TIMEOUT);
    assert_int_equal(since(&before).aborts, 0);
    stand_in.set(&(struct stand_in_ways){0});
    uint32_t ranks = job.ranks;
    job_close(&job); /* this waits for the abort */
    now = since(&before);
    assert_int_equal(now.groups, 1);
    assert_int_equal(now.aborts, ranks);
    assert_int_equal(now.destroys, 0);
    assert_allowed();
}

/* What was started may wait for ever in the streams: then nobody is in a call whom the abort could be left to. */
static void a_cancel_between_calls_aborts_by_itself(void **state)
{
    struct stand_in_report before;
    struct job job;
    job_open(&job, state, BYTES);
    stand_in.get(&before);
    use_nccl(&job);
    work_do(&job, &all_reduce);
    stand_in.set(&(struct stand_in_ways){.abort_waits = 1});
    double start = seconds();
    weir_collectives_cancel(job.c, WEIR_ERR_CANCELLED);
    assert_true(seconds() - start < 5);
    while (!since(&before).aborts_begun && seconds() - start < LONG_MS / 1000)
        ;
    assert_int_equal(since(&before).aborts_begun, 1);
    stand_in.set(&(struct stand_in_ways){0});
    job_close(&job);
    assert_allowed();
}

/* Nothing of NCCL is used by two threads of which one frees it, whenever the cancel comes. */
static void a_cancel_may_come_at_any_time(void **state)
{
    uint64_t seed = 3;
    struct job job;
    job_open(&job, state, BYTES);
    work_put(&job, &all_reduce);
    for (int round = 0; round < 40; round++) {
        struct caller caller = {&job, WEIR_OK};
        struct timespec delay = {0, (long)(next_random(&seed) % 1000000)};
        pthread_t thread;
        use_nccl(&job);
        assert_int_equal(pthread_create(&thread, NULL, call_on, &caller), 0);
        nanosleep(&delay, NULL);
        weir_collectives_cancel(job.c, WEIR_ERR_CANCELLED);
        pthread_join(thread, NULL);
        assert_int_equal(caller.status, WEIR_ERR_CANCELLED);
        STATUS(weir_collectives_status(job.c), WEIR_ERR_CANCELLED);
    }
    job_close(&job);
    assert_allowed();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(every_call_says_what_is_meant, "host:1"),
        ON_BACKEND(every_call_says_what_is_meant, "host:2"),
        ON_BACKEND(every_call_says_what_is_meant, "host:5"),
        ON_BACKEND(auto_takes_it_where_it_is_faster, "host:2"),
        ON_BACKEND(a_group_that_fails_ends_the_set, "host:3"),
        ON_BACKEND(a_cancel_waits_for_nothing, "host:3"),
        ON_BACKEND(a_cancel_between_calls_aborts_by_itself, "host:2"),
        ON_BACKEND(a_cancel_may_come_at_any_time, "host:3"),
    };
    return cmocka_run_group_tests(tests, load_stand_in, NULL);
}
