/** @file test_collectives_refused.c  What collectives refuse, and what they choose. */
#include "tests/router/collective_fixture.h"

#define BYTES (64u << 10)
#define COUNT 4000u

static const struct work all_reduce = {
    .what = WEIR_COLLECTIVE_ALL_REDUCE, .count = COUNT, .type = WEIR_TYPE_F32, .seed = 1};

static weir_status create(struct job *job, uint32_t ranks, const weir_collectives_config *config)
{
    weir_collectives *c = (weir_collectives *)job;
    weir_status status = weir_collectives_create(job->context, job->device, ranks, config, &c);
    assert_true(!status == (c != NULL));
    weir_collectives_destroy(c);
    return status;
}

static void bad_sets_are_refused(void **state)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    struct job job;
    job_open(&job, state, 64);
    STATUS(create(&job, 0, NULL), WEIR_ERR_INVALID);
    assert_detail("collectives of 0 ranks: 1 to 65");
    STATUS(create(&job, 66, NULL), WEIR_ERR_INVALID);
    config.size = 7;
    STATUS(create(&job, 2, &config), WEIR_ERR_INVALID);
    assert_detail("a weir_collectives_config of size 7 was not set by its initialiser");
    config.size = sizeof config;
    config.algorithm = WEIR_ALGORITHM_COUNT;
    STATUS(create(&job, 2, &config), WEIR_ERR_INVALID);
    assert_detail("6 is no algorithm of collectives");
    config.algorithm = WEIR_ALGORITHM_RING;
    config.packet_bytes = 15;
    STATUS(create(&job, 2, &config), WEIR_ERR_INVALID);
    assert_detail("packets of 15 bytes for collectives: at least 16");
    config.packet_bytes = 0;
    config.transport = WEIR_TRANSPORT_COPY;
    STATUS(create(&job, 2, &config), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("transport copy cannot carry from host:");
    config.transport = WEIR_TRANSPORT_AUTO;
    config.algorithm = WEIR_ALGORITHM_NCCL;
    STATUS(create(&job, 2, &config), WEIR_ERR_UNSUPPORTED);
    assert_detail("NCCL joins GPUs, and not all ranks are");
    weir_device *second = job.device[1];
    job.device[1] = job.device[0];
    STATUS(create(&job, 2, NULL), WEIR_ERR_INVALID);
    assert_detail("host:0 is rank 0 and rank 1 of the collectives");
    job.device[1] = NULL;
    STATUS(create(&job, 2, NULL), WEIR_ERR_INVALID);
    assert_detail("rank 1 of the collectives has no device");
    weir_context *other;
    OK(weir_context_create("host:1", NULL, &other));
    job.device[1] = weir_context_device(other, 0);
    STATUS(create(&job, 2, NULL), WEIR_ERR_INVALID);
    assert_detail("rank 1 of the collectives, host:0, is of another context");
    job.device[1] = second;
    weir_context_destroy(other);
    OK(create(&job, 2, NULL));
    job_close(&job);
}

/* A call is refused with this sentence, and a good one goes well after it. */
#define REFUSED(call, sentence)         \
    do {                                \
        STATUS(call, WEIR_ERR_INVALID); \
        assert_detail(sentence);        \
    } while (0)

static void bad_calls_are_refused(void **state)
{
    struct job job;
    job_open(&job, state, BYTES);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    const void *send[2] = {job.send[0], job.send[1]};
    void *recv[2] = {job.recv[0], job.recv[1]};
    weir_queue *queue[2] = {job.queue[0], job.queue[1]};
#define ALL_REDUCE(count, type, op) weir_all_reduce(job.c, send, recv, count, type, op, queue)
    REFUSED(weir_broadcast(job.c, 2, recv, 1, WEIR_TYPE_I32, queue),
            "broadcast: root 2 of 2 ranks");
    REFUSED(weir_reduce(job.c, 9, send, recv, 1, WEIR_TYPE_I32, WEIR_OP_SUM, queue),
            "reduce: root 9 of 2 ranks");
    REFUSED(ALL_REDUCE(1, WEIR_TYPE_COUNT, WEIR_OP_SUM), "all-reduce: 8 is no type");
    REFUSED(ALL_REDUCE(1, WEIR_TYPE_I32, WEIR_OP_COUNT), "all-reduce: 4 is no operation");
    REFUSED(ALL_REDUCE(SIZE_MAX / 2, WEIR_TYPE_F64, WEIR_OP_SUM),
            "all-reduce: 9223372036854775807 elements of 8 bytes are more than memory has");
    send[1] = NULL;
    REFUSED(ALL_REDUCE(1, WEIR_TYPE_I32, WEIR_OP_SUM), "all-reduce: rank 1 has no send memory");
    OK(ALL_REDUCE(0, WEIR_TYPE_I32, WEIR_OP_SUM));
    send[1] = (char *)job.send[1] + 4;
    REFUSED(weir_all_gather(job.c, send, recv, 1, WEIR_TYPE_F64, queue),
            "all-gather: rank 1's send memory is not aligned to 8 bytes");
    OK(ALL_REDUCE(1, WEIR_TYPE_F32, WEIR_OP_SUM));
    send[1] = job.send[1];
    recv[0] = NULL;
    REFUSED(ALL_REDUCE(1, WEIR_TYPE_I32, WEIR_OP_SUM), "all-reduce: rank 0 has no receive memory");
    OK(weir_reduce(job.c, 1, send, recv, 1, WEIR_TYPE_I32, WEIR_OP_SUM, queue));
    recv[0] = (char *)job.send[0] + 4;
    REFUSED(ALL_REDUCE(2, WEIR_TYPE_I32, WEIR_OP_SUM),
            "all-reduce: what rank 0 sends and receives overlap");
    OK(ALL_REDUCE(1, WEIR_TYPE_I32, WEIR_OP_SUM));
    recv[0] = job.recv[0];
    send[1] = job.recv[1]; /* rank 1's place is behind rank 0's */
    REFUSED(weir_all_gather(job.c, send, recv, 1, WEIR_TYPE_I32, queue),
            "all-gather: what rank 1 sends and receives overlap");
    send[1] = job.send[1];
    queue[1] = job.queue[0];
    REFUSED(ALL_REDUCE(1, WEIR_TYPE_I32, WEIR_OP_SUM),
            "all-reduce: rank 1's queue is of another device");
    queue[1] = NULL;
    REFUSED(ALL_REDUCE(0, WEIR_TYPE_I32, WEIR_OP_SUM), "all-reduce: rank 1 has no queue");
    job_sync(&job);
    OK(weir_collectives_status(job.c));
    work_do(&job, &all_reduce);
    job_close(&job);
}

static void bad_calls_of_parts_are_refused(void **state)
{
    struct job job;
    job_open(&job, state, BYTES);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    const void *send[2] = {job.send[0], job.send[1]};
    void *recv[2] = {job.recv[0], job.recv[1]};
    weir_queue **queue = job.queue;
    REFUSED(weir_gather(job.c, 2, send, recv, 1, WEIR_TYPE_I32, queue),
            "gather: root 2 of 2 ranks");
    recv[1] = NULL;
    OK(weir_gather(job.c, 0, send, recv, 1, WEIR_TYPE_BF16, queue)); /* only the root receives */
    REFUSED(weir_gather(job.c, 1, send, recv, 1, WEIR_TYPE_BF16, queue),
            "gather: rank 1 has no receive memory");
    recv[1] = job.recv[1];
    send[1] = NULL;
    OK(weir_scatter(job.c, 0, send, recv, 1, WEIR_TYPE_F16, queue)); /* only the root sends */
    REFUSED(weir_scatter(job.c, 1, send, recv, 1, WEIR_TYPE_F16, queue),
            "scatter: rank 1 has no send memory");
    send[1] = (char *)job.recv[1] - 4; /* rank 1's block would be in place one element later */
    REFUSED(weir_reduce_scatter(job.c, send, recv, 2, WEIR_TYPE_I32, WEIR_OP_SUM, queue),
            "reduce-scatter: what rank 1 sends and receives overlap");
    send[1] = job.recv[1];
    REFUSED(weir_all_to_all(job.c, send, recv, 1, WEIR_TYPE_I32, queue),
            "all-to-all: what rank 1 sends and receives overlap");
    job_sync(&job);
    OK(weir_collectives_status(job.c));
    job_close(&job);
}

/* By sender and receiver: 0 to 0, 0 to 1, 1 to 0, 1 to 1. */
static void bad_blocks_are_refused(void **state)
{
    struct job job;
    job_open(&job, state, BYTES);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    const void *send[2] = {job.send[0], job.send[1]};
    void *recv[2] = {job.recv[0], job.recv[1]};
    size_t counts[4] = {1, 2, 3, 4}, from[4] = {0, 1, 0, 3}, to[4] = {0, 0, 1, 2};
#define ALL_TO_ALL_V(counts, from, to) \
    weir_all_to_all_v(job.c, send, recv, counts, from, to, WEIR_TYPE_I32, job.queue)
    REFUSED(ALL_TO_ALL_V(NULL, from, to), "all-to-all-v: there is no table of counts");
    REFUSED(ALL_TO_ALL_V(counts, NULL, to),
            "all-to-all-v: there is no table of offsets to send from");
    REFUSED(ALL_TO_ALL_V(counts, from, NULL),
            "all-to-all-v: there is no table of offsets to receive at");
    OK(ALL_TO_ALL_V(counts, from, to));
    from[2] = PTRDIFF_MAX / 4 - 2;
    REFUSED(ALL_TO_ALL_V(counts, from, to),
            "all-to-all-v: the block from rank 1 to rank 0 lies further than memory reaches");
    from[2] = 2; /* the same elements to both ranks: they are only read */
    OK(ALL_TO_ALL_V(counts, from, to));
    to[3] = 1;
    REFUSED(ALL_TO_ALL_V(counts, from, to),
            "all-to-all-v: what rank 1 receives from ranks 0 and 1 overlaps");
    to[3] = 2;
    send[0] = job.recv[0];
    REFUSED(ALL_TO_ALL_V(counts, from, to), "all-to-all-v: what rank 0 sends and receives overlap");
    from[1] = 4; /* behind what rank 0 receives; its block to itself stays where it is */
    OK(ALL_TO_ALL_V(counts, from, to));
    send[1] = NULL;
    REFUSED(ALL_TO_ALL_V(counts, from, to), "all-to-all-v: rank 1 has no send memory");
    counts[2] = counts[3] = 0;
    OK(ALL_TO_ALL_V(counts, from, to));
    job_sync(&job);
    OK(weir_collectives_status(job.c));
    job_close(&job);
}

static void names_and_choices(void **state)
{
    struct job job;
    job_open(&job, state, 64);
    assert_string_equal(weir_algorithm_name(WEIR_ALGORITHM_TREE), "tree");
    assert_string_equal(weir_algorithm_name((weir_algorithm)99), "unknown");
    assert_string_equal(weir_collective_name(WEIR_COLLECTIVE_ALL_GATHER), "all-gather");
    assert_string_equal(weir_collective_name(WEIR_COLLECTIVE_ALL_TO_ALL_V), "all-to-all-v");
    assert_string_equal(weir_algorithm_name(WEIR_ALGORITHM_DIRECT), "direct");
    assert_string_equal(weir_type_name(WEIR_TYPE_U64), "u64");
    assert_string_equal(weir_type_name(WEIR_TYPE_BF16), "bf16");
    assert_int_equal(weir_type_bytes(WEIR_TYPE_F16), 2);
    assert_string_equal(weir_op_name(WEIR_OP_MAX), "max");
    assert_int_equal(weir_type_bytes(WEIR_TYPE_F64), 8);
    assert_int_equal(weir_type_bytes((weir_type)-1), 0);
    for (int a = WEIR_ALGORITHM_RING; a <= WEIR_ALGORITHM_TREE; a++) {
        job_use(&job, (weir_algorithm)a, 0);
        for (size_t bytes = 1; bytes < (size_t)1 << 40; bytes *= 32) {
            assert_int_equal(weir_collectives_chosen(job.c, WEIR_COLLECTIVE_REDUCE, bytes), a);
            assert_int_equal(weir_collectives_chosen(job.c, WEIR_COLLECTIVE_GATHER, bytes),
                             WEIR_ALGORITHM_DIRECT);
        }
    }
    /* Never what would take longer, and not the same for all. */
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    uint32_t times[WEIR_ALGORITHM_COUNT] = {0};
    for (size_t bytes = 64; bytes < (size_t)1 << 34; bytes *= 2) {
        weir_collectives_choice choice = WEIR_COLLECTIVES_CHOICE_INIT;
        OK(weir_collectives_choose(job.c, WEIR_COLLECTIVE_ALL_REDUCE, 0, bytes, &choice));
        times[choice.algorithm]++;
        for (int a = WEIR_ALGORITHM_RING; a < WEIR_ALGORITHM_COUNT; a++)
            assert_true(choice.us[a] >= choice.us[choice.algorithm] || choice.us[a] <= 0);
    }
    assert_true(times[WEIR_ALGORITHM_TREE] > 0 && times[WEIR_ALGORITHM_RING] > 0);
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(bad_sets_are_refused, "host:2"),
        ON_BACKEND(bad_calls_are_refused, "host:2"),
        ON_BACKEND(bad_calls_are_refused, "cuda:0-1"),
        ON_BACKEND(bad_blocks_are_refused, "host:2"),
        ON_BACKEND(bad_calls_of_parts_are_refused, "host:2"),
        ON_BACKEND(bad_calls_of_parts_are_refused, "cuda:0-1"),
        ON_BACKEND(names_and_choices, "host:8"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
