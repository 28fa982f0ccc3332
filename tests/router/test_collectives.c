/** @file test_collectives.c  Collectives by ring and tree against a serial reference. */
#include "tests/lib/test_kernels.h"
#include "tests/router/collective_fixture.h"

#include <math.h>

#define SMALL_BYTES (64u << 10)

static void every_type_and_operation(void **state)
{
    static const size_t counts[] = {1, 7, 1001};
    struct job job;
    uint64_t seed = 1;
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < OWN_ALGORITHMS; a++) {
        job_use(&job, own_algorithms[a], 1024);
        for (int type = 0; type < WEIR_TYPE_COUNT; type++)
            for (int op = 0; op < WEIR_OP_COUNT; op++)
                for (int what = WEIR_COLLECTIVE_REDUCE; what <= WEIR_COLLECTIVE_ALL_REDUCE; what++)
                    work_do(&job, &(struct work){.what = (weir_collective)what,
                                                 .root = (uint32_t)seed % job.ranks,
                                                 .count = counts[seed % 3],
                                                 .type = (weir_type)type,
                                                 .op = (weir_op)op,
                                                 .in_place = seed % 2 != 0,
                                                 .seed = seed++});
        OK(weir_collectives_status(job.c));
    }
    job_close(&job);
}

/* Around what ranks, packets and their alignment divide. */
static void every_root_and_uneven_counts(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 5, 63, 64, 65, 127, 128, 129, 500, 513, 1023};
    struct job job;
    uint64_t seed = 1;
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 512);
        for (size_t i = 0; i<sizeof counts / sizeof *counts; i += job.ranks> 4 ? 3 : 1)
            for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++)
                for (uint32_t root = 0; root < job.ranks; root++, seed++)
                    work_do(&job, &(struct work){.what = (weir_collective)what,
                                                 .root = root,
                                                 .count = counts[i],
                                                 .type = seed % 2 ? WEIR_TYPE_I32 : WEIR_TYPE_F64,
                                                 .in_place = seed % 3 == 0,
                                                 .seed = seed});
    }
    job_close(&job);
}

/* Memory that is aligned to its elements and no better. */
static void data_need_not_be_aligned_to_more_than_elements(void **state)
{
    struct job job, shifted;
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 512);
        shifted = job;
        shifted.bytes -= 64;
        for (uint32_t i = 0; i < job.ranks; i++) {
            shifted.send[i] = (char *)job.send[i] + 4 * (i + 1);
            shifted.recv[i] = (char *)job.recv[i] + 4 * (i + 2);
        }
        for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++)
            work_do(&shifted, &(struct work){.what = (weir_collective)what,
                                             .count = 999,
                                             .type = WEIR_TYPE_F32,
                                             .seed = (uint64_t)what});
    }
    job_close(&job);
}

static void random_large_ones(void **state)
{
    struct job job;
    uint64_t seed = 20260721;
    job_open(&job, state, 3u << 19);
    for (size_t a = 0; a < OWN_ALGORITHMS; a++)
        for (int round = 0; round < 4; round++) {
            static const size_t packets[] = {0, 4096, 100000, 1 << 20};
            job_use(&job, own_algorithms[a], packets[round]);
            for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++) {
                size_t most = job.bytes / 8 / (what == WEIR_COLLECTIVE_ALL_GATHER ? job.ranks : 1);
                if (round == 1 && most > 50000)
                    most = 50000;
                work_do(&job, &(struct work){.what = (weir_collective)what,
                                             .root = (uint32_t)(next_random(&seed) % job.ranks),
                                             .count = next_random(&seed) % most,
                                             .type = (weir_type)(next_random(&seed) % 6),
                                             .op = (weir_op)(next_random(&seed) % 4),
                                             .in_place = (int)(next_random(&seed) % 2),
                                             .seed = next_random(&seed)});
            }
        }
    job_close(&job);
}

/* Packets of 16 bytes, and few events: the host has to wait for its own oldest ones. */
static void more_packets_than_events(void **state)
{
    static const char *const settings[] = {"events=128", NULL};
    struct job job;
    job_open_in(&job, open_with_or_skip(*state, settings), SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 16);
        for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++)
            work_do(&job, &(struct work){.what = (weir_collective)what,
                                         .root = job.ranks - 1,
                                         .count = 1500,
                                         .type = WEIR_TYPE_U32,
                                         .seed = 5});
        OK(weir_collectives_status(job.c));
    }
    job_close(&job);
}

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
        put_combined(wanted, COUNT, WEIR_TYPE_U32, WEIR_OP_SUM, job.ranks, w.seed);
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

/* The same bits on all ranks, and again in a second run; ring and tree need not agree. */
static void rounding_is_the_same_everywhere(void **state)
{
    enum { COUNT = 3000 };
    static float first[COUNT], again[COUNT];
    struct job job;
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 1024);
        for (int run = 0; run < 2; run++) {
            for (uint32_t i = 0; i < job.ranks; i++) {
                for (uint32_t e = 0; e < COUNT; e++)
                    first[e] = (float)sin((double)(e * 31 + i)) * (e % 3 ? 1e-3f : 1e3f);
                job_put(&job, i, job.recv[i], first, sizeof first);
            }
            OK(weir_all_reduce(job.c, (const void *const *)job.recv, job.recv, COUNT, WEIR_TYPE_F32,
                               WEIR_OP_SUM, job.queue));
            job_sync(&job);
            OK(weir__download(job.device[0], first, job.recv[0], sizeof first));
            if (run == 0)
                memcpy(again, first, sizeof first);
            assert_memory_equal(first, again, sizeof first);
            for (uint32_t i = 1; i < job.ranks; i++)
                job_compare(&job, i, job.recv[i], first, sizeof first, "rounded");
        }
    }
    job_close(&job);
}

static void min_and_max_skip_what_is_no_number(void **state)
{
    struct job job;
    job_open(&job, state, SMALL_BYTES);
    for (size_t a = 0; a < 2; a++) {
        job_use(&job, own_algorithms[a], 0);
        for (int op = WEIR_OP_MIN; op <= WEIR_OP_MAX; op++) {
            float host[2], wanted[2] = {0, NAN};
            for (uint32_t i = 0; i < job.ranks; i++) {
                host[0] = i + 1 < job.ranks ? NAN : 0; /* one of them is a number */
                host[1] = NAN;
                job_put(&job, i, job.recv[i], host, sizeof host);
            }
            OK(weir_all_reduce(job.c, (const void *const *)job.recv, job.recv, 2, WEIR_TYPE_F32,
                               (weir_op)op, job.queue));
            job_sync(&job);
            for (uint32_t i = 0; i < job.ranks; i++) {
                OK(weir__download(job.device[i], host, job.recv[i], sizeof host));
                assert_true(host[0] == wanted[0]);
                assert_true(isnan(host[1]));
            }
        }
    }
    job_close(&job);
}

/* Some of the devices, in another order, with the home device. */
static void any_devices_in_any_order(void **state)
{
    weir_context *context = open_or_skip(state);
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
        struct work v = {.what = (weir_collective)(3 - what), .count = 400, .seed = 5};
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

#define ON_RANKS(f)                                                                         \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),              \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"),        \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1"), \
        ON_BACKEND(f, "cuda")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_RANKS(every_type_and_operation),
        ON_RANKS(every_root_and_uneven_counts),
        ON_RANKS(data_need_not_be_aligned_to_more_than_elements),
        ON_RANKS(random_large_ones),
        ON_RANKS(more_packets_than_events),
        ON_RANKS(many_calls_in_a_row),
        ON_RANKS(calls_run_in_order_with_the_queues),
        ON_RANKS(every_rank_may_be_the_late_one),
        ON_RANKS(rounding_is_the_same_everywhere),
        ON_RANKS(min_and_max_skip_what_is_no_number),
        ON_RANKS(any_devices_in_any_order),
        ON_RANKS(several_sets_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
