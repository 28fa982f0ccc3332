/** @file test_collectives.c  Collectives by ring and tree against a serial reference. */
#include "tests/router/collective_fixture.h"
#include "tests/lib/share.h"

#include <math.h>

#define SMALL_BYTES (64u << 10)
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LARGE_BYTES \
    (3u << 18) /* each access takes its time there: half as much, in as many packets */
#define COUNTS_APART(ranks) 3
#else
#define LARGE_BYTES         (3u << 19)
#define COUNTS_APART(ranks) ((ranks) > 4 || test_stride() > 1 ? 3 : 1)
#endif

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
                for (int what = WEIR_COLLECTIVE_REDUCE; what <= WEIR_COLLECTIVE_REDUCE_SCATTER;
                     what++)
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
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i += COUNTS_APART(job.ranks))
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
    job_open(&job, state, LARGE_BYTES);
    if (job.ranks > 2)
        job.bytes = job.bytes * 2 / job.ranks; /* as much to look at as with two */
    for (size_t a = 0; a < OWN_ALGORITHMS; a++)
        for (int round = 0; round < 4; round++) {
            /* Some rank has memory of `count` elements for each rank. */
            static const int by_ranks[WEIR_COLLECTIVE_COUNT] = {
                [WEIR_COLLECTIVE_ALL_GATHER] = 1, [WEIR_COLLECTIVE_REDUCE_SCATTER] = 1,
                [WEIR_COLLECTIVE_ALL_TO_ALL] = 1, [WEIR_COLLECTIVE_GATHER] = 1,
                [WEIR_COLLECTIVE_SCATTER] = 1,    [WEIR_COLLECTIVE_ALL_TO_ALL_V] = 1};
            static const size_t packets[] = {0, 4096, 100000, LARGE_BYTES / 3 * 2};
            job_use(&job, own_algorithms[a], packets[round]);
            for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++) {
                size_t most = job.bytes / 8 / (by_ranks[what] ? job.ranks : 1);
                if (round == 1 && most > 50000)
                    most = 50000;
                if (((int)a + round + what) % test_stride() != 0)
                    continue; /* where time is short: each algorithm, packet and call still has its turn */
                work_do(&job,
                        &(struct work){.what = (weir_collective)what,
                                       .root = (uint32_t)(next_random(&seed) % job.ranks),
                                       .count = next_random(&seed) % most,
                                       .type = (weir_type)(next_random(&seed) % WEIR_TYPE_COUNT),
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
    job_open_in(&job, ranks_open(state, settings), SMALL_BYTES);
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

/* Numbers whose sums must be rounded. */
static void put_rounded(void *to, weir_type type, size_t count, uint32_t rank)
{
    size_t element = weir_type_bytes(type);
    for (size_t e = 0; e < count; e++) {
        float value = (float)sin((double)(e * 31 + rank)) * (e % 3 ? 1e-3f : 1e3f);
        uint16_t half = half_encode(value, half_format_of(type));
        memcpy((char *)to + e * element, element == 2 ? (void *)&half : (void *)&value, element);
    }
}

/* The same bits on all ranks, and again in a second run; ring and tree need not agree. */
static void rounding_is_the_same_everywhere(void **state)
{
    enum { COUNT = 3000 };
    static const weir_type types[] = {WEIR_TYPE_F32, WEIR_TYPE_F16, WEIR_TYPE_BF16};
    static float host[COUNT], all[COUNT], part[JOB_RANKS_MAX][COUNT];
    struct job job;
    job_open(&job, state, SMALL_BYTES);
    size_t each = COUNT / job.ranks;
    for (size_t t = 0; t < 6; t++) {
        weir_type type = types[t / 2];
        size_t bytes = COUNT * weir_type_bytes(type), some = each * weir_type_bytes(type);
        job_use(&job, own_algorithms[t % 2], 1024);
        for (int run = 0; run < 2; run++) {
            for (uint32_t i = 0; i < job.ranks; i++) {
                put_rounded(host, type, COUNT, i);
                job_put(&job, i, job.send[i], host, bytes);
            }
            OK(weir_all_reduce(job.c, (const void *const *)job.send, job.recv, COUNT, type,
                               WEIR_OP_SUM, job.queue));
            job_sync(&job);
            if (run == 0)
                OK(weir__download(job.device[0], all, job.recv[0], bytes));
            for (uint32_t i = 0; i < job.ranks; i++)
                job_compare(&job, i, job.recv[i], all, bytes, "rounded");
            OK(weir_reduce_scatter(job.c, (const void *const *)job.send, job.recv, each, type,
                                   WEIR_OP_SUM, job.queue));
            job_sync(&job);
            for (uint32_t i = 0; i < job.ranks && run == 0; i++)
                OK(weir__download(job.device[i], part[i], job.recv[i], some));
            for (uint32_t i = 0; i < job.ranks; i++)
                job_compare(&job, i, job.recv[i], part[i], some, "rounded in blocks");
        }
    }
    job_close(&job);
}

/* Each of ranks - 1 additions is off by half a unit of the last place at most. */
static void sums_of_halves_are_as_near_as_is_said(void **state)
{
    enum { COUNT = 3000 };
    static uint16_t part[JOB_RANKS_MAX][COUNT], sum[COUNT];
    struct job job;
    job_open(&job, state, SMALL_BYTES);
    for (int t = 0; t < 4; t++) {
        weir_type type = t % 2 ? WEIR_TYPE_F16 : WEIR_TYPE_BF16;
        struct half_format format = half_format_of(type);
        double u = ldexp(1, -format.fraction - 1), off = (job.ranks - 1) * u / (1 - job.ranks * u);
        job_use(&job, own_algorithms[t / 2], 1024);
        for (uint32_t i = 0; i < job.ranks; i++) {
            put_rounded(part[i], type, COUNT, i);
            job_put(&job, i, job.recv[i], part[i], sizeof part[i]);
        }
        OK(weir_all_reduce(job.c, (const void *const *)job.recv, job.recv, COUNT, type, WEIR_OP_SUM,
                           job.queue));
        job_sync(&job);
        OK(weir__download(job.device[0], sum, job.recv[0], sizeof sum));
        for (size_t e = 0; e < COUNT; e++) {
            double exact = 0, sizes = 0;
            for (uint32_t i = 0; i < job.ranks; i++) {
                exact += half_decode(part[i][e], format);
                sizes += fabs(half_decode(part[i][e], format));
            }
            assert_true(fabs(half_decode(sum[e], format) - exact) <= off * sizes);
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

/* Ranks of host devices and the home device, which each of these joins: what can be made can be called, although the devices that
 * calls are rehearsed with are joined otherwise. */
static void every_transport_that_joins_the_ranks_carries_calls(void **state)
{
    static const weir_transport transports[] = {WEIR_TRANSPORT_LOCAL, WEIR_TRANSPORT_STORE,
                                                WEIR_TRANSPORT_STAGED};
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    struct job job;
    job_open(&job, state, SMALL_BYTES);
    weir_queue_destroy(job.queue[0]);
    weir_device_free(job.device[0], job.send[0]);
    weir_device_free(job.device[0], job.recv[0]);
    job.device[0] = weir_context_home(job.context);
    job.queue[0] = new_queue(job.device[0]);
    job.send[0] = new_memory(job.device[0], SMALL_BYTES);
    job.recv[0] = new_memory(job.device[0], SMALL_BYTES);
    for (size_t t = 0; t < sizeof transports / sizeof *transports; t++) {
        uint32_t one = 1, sum;
        config.transport = transports[t];
        weir_collectives_destroy(job.c);
        OK(weir_collectives_create(job.context, job.device, job.ranks, &config, &job.c));
        for (uint32_t i = 0; i < job.ranks; i++)
            job_put(&job, i, job.recv[i], &one, sizeof one);
        OK(weir_all_reduce(job.c, (const void *const *)job.recv, job.recv, 1, WEIR_TYPE_U32,
                           WEIR_OP_SUM, job.queue));
        job_sync(&job);
        OK(weir__download(job.device[0], &sum, job.recv[0], sizeof sum));
        assert_int_equal(sum, job.ranks);
    }
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_RANKS(every_type_and_operation),
        ON_RANKS(every_root_and_uneven_counts),
        ON_RANKS(data_need_not_be_aligned_to_more_than_elements),
        ON_RANKS(random_large_ones),
        ON_RANKS(more_packets_than_events),
        ON_RANKS(rounding_is_the_same_everywhere),
        ON_RANKS(sums_of_halves_are_as_near_as_is_said),
        ON_RANKS(min_and_max_skip_what_is_no_number),
        ON_BACKEND(every_transport_that_joins_the_ranks_carries_calls, "host:2"),
        ON_BACKEND(every_transport_that_joins_the_ranks_carries_calls, "host:3"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
