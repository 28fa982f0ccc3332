/** @file patterns.c  Many transfers at once: around the ring, between all, and into or out of one
 *  device or the host. Figures are those of the slowest end: time runs until the last has arrived.
 *  */
#include "topology/measure/list.h"
#include "topology/measure/schedule.h"

#define STAGE_BYTES (1u << 20) /* packets of transfers through the host; or what a queue takes */

/* A transfer of `bytes` of its own between two devices, beside those that are there.
 * @param[in] packet  0: whole and straight, where they reach; else through the host. */
static void add_message(struct schedule *schedule, uint32_t from, uint32_t to, enum way way,
                        uint64_t packet)
{
    uint64_t bytes = schedule->bench->config.bytes;
    uint32_t pattern = (uint32_t)schedule->sources;
    struct carrier carrier;
    char *source = weir__schedule_source(schedule, from, bytes, pattern);
    char *target = weir__schedule_target(schedule, to, bytes, pattern);
    weir__carrier_init(&carrier, schedule->bench, from, to, way, packet ? packet : bytes,
                       packet ? 2 : 1);
    carrier.staged |= packet != 0;
    weir__carrier_message(schedule, &carrier, target, source, bytes, packet);
}

static weir_status finish(struct schedule *schedule, const weir_bench_row *row)
{
    schedule->bytes = (double)schedule->bench->config.bytes;
    weir_status status = weir__schedule_row(schedule, row);
    weir__schedule_free(schedule);
    return status;
}

weir_status weir__bench_ring(struct bench *bench)
{
    weir_route_plan plan;
    uint32_t n = bench->devices;
    weir__bench_describe(bench, "GB/s", 1, "",
                         "every device sends %llu bytes to its neighbour in the ring at once: out "
                         "of each device",
                         (unsigned long long)bench->config.bytes);
    if (n < 2)
        return weir__bench_skip(bench, "needs two devices");
    weir_status status = weir_route_plan_make(bench->machine, WEIR_ROUTE_RING, &plan);
    for (int way = 0; way < WAYS && !status; way++) {
        struct schedule schedule;
        weir_bench_row row =
            weir__row_make(bench, QUEUE_NONE, QUEUE_NONE, 0, "%s", weir__way_text[way]);
        weir__schedule_init(&schedule, bench);
        for (uint32_t i = 0; i < n; i++)
            add_message(&schedule, plan.order[i], plan.order[(i + 1) % n], (enum way)way, 0);
        status = finish(&schedule, &row);
    }
    return status;
}

/* A device sends to the others in turn, beginning with the next one: at no time do two send to the
 * same, if all are equally fast. Queues are one a device for what leaves it, and one for what is
 * pulled. */
static void build_all(struct schedule *schedule, struct bench *bench, enum way way, uint64_t block)
{
    uint32_t n = bench->devices;
    uint32_t push[WEIR_DEVICES_MAX], pull[WEIR_DEVICES_MAX];
    weir__schedule_init(schedule, bench);
    for (uint32_t d = 0; d < n; d++)
        push[d] = pull[d] = QUEUE_NONE;
    for (uint32_t turn = 1; turn < n; turn++)
        for (uint32_t from = 0; from < n; from++) {
            uint32_t to = (from + turn) % n, pattern = (uint32_t)schedule->sources;
            struct carrier carrier;
            char *source = weir__schedule_source(schedule, from, block, pattern);
            char *target = weir__schedule_target(schedule, to, block, pattern);
            weir__carrier_init(&carrier, bench, from, to, way, block, 1);
            carrier.push = push[from];
            carrier.pull = pull[to];
            weir__carrier_message(schedule, &carrier, target, source, block, 0);
            push[from] = carrier.push;
            pull[to] = carrier.pull;
        }
    schedule->bytes = (double)block * (n - 1);
}

weir_status weir__bench_alltoall(struct bench *bench)
{
    uint32_t n = bench->devices;
    weir_status status = WEIR_OK;
    uint64_t block = (bench->config.bytes / (n > 1 ? n - 1 : 1) + 63) / 64 * 64;
    weir__bench_describe(bench, "GB/s", 1, "",
                         "every device sends %llu bytes to every other at once: out of each device",
                         (unsigned long long)block);
    if (n < 2)
        return weir__bench_skip(bench, "needs two devices");
    for (int way = 0; way < WAYS && !status; way++) {
        struct schedule schedule;
        weir_bench_row row =
            weir__row_make(bench, QUEUE_NONE, QUEUE_NONE, 0, "%s", weir__way_text[way]);
        build_all(&schedule, bench, (enum way)way, block);
        status = weir__schedule_row(&schedule, &row);
        weir__schedule_free(&schedule);
    }
    return status;
}

enum crowd { MANY_TO_ONE, ONE_TO_MANY, THROUGH_HOST, CROWDS };

static void build_crowd(struct schedule *schedule, struct bench *bench, enum crowd crowd,
                        enum way way, uint32_t transfers, uint64_t packet)
{
    weir__schedule_init(schedule, bench);
    for (uint32_t i = 0; i < transfers; i++) {
        const uint32_t ends[CROWDS][2] = {{i + 1, 0}, {0, i + 1}, {2 * i, 2 * i + 1}};
        add_message(schedule, ends[crowd][0], ends[crowd][1], way, packet);
    }
}

static weir_status measure_crowd(struct bench *bench, enum crowd crowd, enum way way,
                                 uint32_t transfers)
{
    uint64_t bytes = bench->config.bytes;
    uint64_t packet = crowd != THROUGH_HOST ? 0 : bytes < STAGE_BYTES ? bytes : STAGE_BYTES;
    static const char *const texts[CROWDS] = {"many to one", "one to many",
                                              "pairs through the host"};
    struct schedule schedule;
    weir_bench_row row = weir__row_make(bench, QUEUE_NONE, QUEUE_NONE, transfers, "%s, %s",
                                        texts[crowd], weir__way_text[way]);
    build_crowd(&schedule, bench, crowd, way, transfers, packet);
    while (packet && packet < bytes && !schedule.status && !weir__schedule_fits(&schedule)) {
        weir__schedule_free(&schedule);
        packet = 2 * packet < bytes ? 2 * packet : bytes;
        build_crowd(&schedule, bench, crowd, way, transfers, packet);
    }
    return finish(&schedule, &row);
}

/* Every number up to 8, then their doubles, and the largest. */
static uint32_t next_count(uint32_t count, uint32_t most)
{
    if (count < 8 || count == most)
        return count + 1;
    return 2 * count < most ? 2 * count : most;
}

weir_status weir__bench_contention(struct bench *bench)
{
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "transfers",
                         "transfers of %llu bytes at once, all into device 0, all out of it, or by "
                         "pairs through host memory: the slowest",
                         (unsigned long long)bench->config.bytes);
    if (bench->devices < 2)
        return weir__bench_skip(bench, "needs two devices");
    for (int crowd = 0; crowd < CROWDS; crowd++) {
        uint32_t most = crowd == THROUGH_HOST ? bench->devices / 2 : bench->devices - 1;
        for (int way = 0; way < WAYS; way++)
            for (uint32_t k = 1; k <= most && !status; k = next_count(k, most))
                status = measure_crowd(bench, (enum crowd)crowd, (enum way)way, k);
    }
    return status;
}
