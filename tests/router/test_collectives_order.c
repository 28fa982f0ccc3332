/** @file test_collectives_order.c  Calls in a row, with the queues' own work, and beside each other. */
#include "tests/lib/test_kernels.h"
#include "tests/router/collective_fixture.h"

#define SMALL_BYTES (64u << 10)

/* Each call works on what the one before left: sums grow by the number of ranks each time. */
static void many_calls_in_a_row(void **state)
{
    enum { CALLS = 60, COUNT = 700 };
    struct job job;
    static uint32_t wanted[COUNT];
    struct work w = {.what = WEIR_COLLECTIVE_ALL_REDUCE,
                     .count = COUNT,
                     .type = WEIR_TYPE_U32,
                     .in_place = 1,
                     .seed = 77};
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < OWN_ALGORITHMS; a++) {
        job_use(&job, own_algorithms[a], 256);
        work_put(&job, &w);
        put_combined(wanted, 0, COUNT, WEIR_TYPE_U32, WEIR_OP_SUM, job.ranks, w.seed);
        for (uint32_t i = 0; i < CALLS; i++) {
            OK(work_call(&job, &w));
            OK(weir_broadcast(job.c, i % job.ranks, job.recv, COUNT, WEIR_TYPE_U32, job.queue));
            for (uint32_t e = 0; i && e < COUNT; e++)
                wanted[e] *= job.ranks;
        }
        job_sync(&job);
        for (uint32_t i = 0; i < job.ranks; i++)
            job_compare(&job, i, job.recv[i], wanted, sizeof wanted, "after many calls");
        OK(weir_collectives_status(job.c));
    }
    job_close(&job);
}

/* A kernel before and a kernel after, with the first queue held until everything is in the queues. */
static void calls_run_in_order_with_the_queues(void **state)
{
    enum { COUNT = 2000 };
    static uint32_t host[COUNT], wanted[COUNT];
    struct job job;
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 1024);
        weir_future *gate = new_future(job.context);
        memset(wanted, 0, sizeof wanted);
        for (uint32_t i = 0; i < job.ranks; i++) {
            put_elements(host, COUNT, WEIR_TYPE_U32, i, 9);
            job_put(&job, i, job.send[i], host, sizeof host);
            for (uint32_t e = 0; e < COUNT; e++)
                wanted[e] += host[e] * 3 + i;
        }
        for (uint32_t e = 0; e < COUNT; e++)
            wanted[e] = wanted[e] * 5 + 7;
        for (uint32_t i = 0; i < job.ranks; i++) { /* loads the kernel, while no queue is held */
            struct test_affine_args nothing = {job.send[i], 0, 1, 0};
            OK(weir_queue_launch(job.queue[i], &test_affine_kernel, &nothing, sizeof nothing));
        }
        job_sync(&job);
        OK(weir_queue_wait_future(job.queue[0], gate));
        for (uint32_t i = 0; i < job.ranks; i++) {
            struct test_affine_args before = {job.send[i], COUNT, 3, i};
            OK(weir_queue_launch(job.queue[i], &test_affine_kernel, &before, sizeof before));
        }
        OK(weir_all_reduce(job.c, (const void *const *)job.send, job.recv, COUNT, WEIR_TYPE_U32,
                           WEIR_OP_SUM, job.queue));
        for (uint32_t i = 0; i < job.ranks; i++) {
            struct test_affine_args after = {job.recv[i], COUNT, 5, 7};
            OK(weir_queue_launch(job.queue[i], &test_affine_kernel, &after, sizeof after));
            OK(weir_queue_fill(job.queue[i], job.send[i], 0, sizeof host)); /* it was read */
        }
        STATUS(weir_collectives_status(job.c), job.ranks > 1 ? WEIR_PENDING : WEIR_OK);
        OK(weir_future_set(gate, NULL));
        job_sync(&job);
        for (uint32_t i = 0; i < job.ranks; i++)
            job_compare(&job, i, job.recv[i], wanted, sizeof wanted, "between kernels");
        weir_future_release(gate);
    }
    job_close(&job);
}

/* A rank whose queue is late takes part late; the others' data waits for it. */
static void every_rank_may_be_the_late_one(void **state)
{
    struct job job;
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 1024); /* few packets: the host must not have to wait */
        for (uint32_t late = 0; late < job.ranks; late++)
            for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++) {
                struct work w = {.what = (weir_collective)what,
                                 .root = (late + 1) % job.ranks,
                                 .count = 300,
                                 .type = WEIR_TYPE_I64,
                                 .seed = late};
                weir_future *gate = new_future(job.context);
                work_put(&job, &w);
                OK(weir_queue_wait_future(job.queue[late], gate));
                OK(work_call(&job, &w));
                OK(weir_future_set(gate, NULL));
                job_sync(&job);
                work_check(&job, &w);
                weir_future_release(gate);
            }
    }
    job_close(&job);
}

/* Some of the devices, in another order, with the home device. */
static void any_devices_in_any_order(void **state)
{
    weir_context *context = ranks_open(state, NULL);
    struct job job;
    job_open_in(&job, context, SMALL_BYTES);
    uint32_t last = job.ranks - 1;
    weir_device *first = job.device[0], *home = weir_context_home(context);
    weir_queue_destroy(job.queue[0]);
    weir_device_free(first, job.send[0]);
    weir_device_free(first, job.recv[0]);
    for (uint32_t i = 0; i < last; i++) { /* rank i is device i + 1, the last one is home */
        job.device[i] = job.device[i + 1];
        job.queue[i] = job.queue[i + 1];
        job.send[i] = job.send[i + 1];
        job.recv[i] = job.recv[i + 1];
    }
    job.device[last] = home;
    job.queue[last] = new_queue(home);
    job.send[last] = new_memory(home, SMALL_BYTES);
    job.recv[last] = new_memory(home, SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 2048);
        for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++)
            work_do(&job, &(struct work){.what = (weir_collective)what,
                                         .count = 900,
                                         .type = WEIR_TYPE_U64,
                                         .op = WEIR_OP_MAX,
                                         .seed = 3});
    }
    job_close(&job);
}

/* Two sets over the same devices, whose calls are made in turns. */
static void several_sets_do_not_disturb_each_other(void **state)
{
    struct job job, other;
    job_open(&job, state, SMALL_BYTES);
    other = job;
    other.c = NULL;
    for (uint32_t i = 0; i < job.ranks; i++) {
        other.queue[i] = new_queue(job.device[i]);
        other.send[i] = new_memory(job.device[i], SMALL_BYTES);
        other.recv[i] = new_memory(job.device[i], SMALL_BYTES);
    }
    job_use(&job, WEIR_ALGORITHM_RING, 256);
    job_use(&other, WEIR_ALGORITHM_TREE, 512);
    for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++) {
        struct work w = {.what = (weir_collective)what, .count = 500, .seed = 4};
        struct work v = {
            .what = (weir_collective)(WEIR_COLLECTIVE_COUNT - 1 - what), .count = 400, .seed = 5};
        work_put(&job, &w);
        work_put(&other, &v);
        OK(work_call(&job, &w));
        OK(work_call(&other, &v));
        job_sync(&other);
        job_sync(&job);
        work_check(&job, &w);
        work_check(&other, &v);
    }
    weir_collectives_destroy(other.c);
    for (uint32_t i = 0; i < job.ranks; i++) {
        weir_queue_destroy(other.queue[i]);
        weir_device_free(job.device[i], other.send[i]);
        weir_device_free(job.device[i], other.recv[i]);
    }
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_RANKS(many_calls_in_a_row),
        ON_RANKS(calls_run_in_order_with_the_queues),
        ON_RANKS(every_rank_may_be_the_late_one),
        ON_RANKS(any_devices_in_any_order),
        ON_RANKS(several_sets_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
