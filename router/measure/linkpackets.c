/** @file linkpackets.c  One link by the size of its packets and the number of its buffers: where the
 *  defaults come from. */
#include "router/measure/list.h"

#define PACKET_LEAST 65536u
#define PACKET_MOST  (64u << 20)

/* 0: the default number, and the queues are not held */
static const uint32_t numbers[] = {0, 1, 2, 3, 4, 6, 8};
#define NUMBERS (sizeof numbers / sizeof *numbers)

struct sweep {
    uint32_t from, to, buffers;
};

/* More packets than held queues take: fewer of them, which are a shorter message. */
static uint64_t message_bytes(const struct bench *bench, const struct sweep *sweep, uint64_t packet)
{
    uint64_t most = packet * weir__packets_max(bench);
    return sweep->buffers && bench->config.bytes > most ? most : bench->config.bytes;
}

static weir_status row_of(struct bench *bench, const struct sweep *sweep, uint64_t packet)
{
    const struct wire_shape shape = {.from = sweep->from,
                                     .to = sweep->to,
                                     .transport = WEIR_TRANSPORT_AUTO,
                                     .packet = packet,
                                     .buffers = sweep->buffers};
    struct wire wire;
    weir_status status = weir__wire_open(&wire, bench, &shape, message_bytes(bench, sweep, packet));
    if (status)
        return status;
    wire.running = !sweep->buffers;
    weir_bench_row row =
        weir__row_make(bench, sweep->from, sweep->to, (double)packet, "%u buffer%s", sweep->buffers,
                       sweep->buffers == 1 ? "" : "s");
    if (!sweep->buffers)
        row = weir__row_make(bench, sweep->from, sweep->to, (double)packet,
                             "default buffers, as the host sends");
    status = weir__wire_row(&wire, &row, weir__wire_gbs, &wire);
    weir__wire_close(&wire);
    return status;
}

static weir_status rows_between(struct bench *bench, uint32_t from, uint32_t to)
{
    uint64_t packets[PACKET_SIZES_MAX];
    uint32_t count = weir__packet_sizes(bench->config.bytes, PACKET_LEAST, PACKET_MOST, 2, packets);
    weir_status status = WEIR_OK;
    for (size_t n = bench->simulated ? 1 : 0; n < NUMBERS; n++) {
        const struct sweep sweep = {from, to, numbers[n]};
        for (uint32_t i = 0; i < count && !status; i++)
            status = row_of(bench, &sweep, packets[i]);
    }
    return status;
}

weir_status weir__bench_linkpackets(struct bench *bench)
{
    uint32_t home = bench->devices, other = bench->devices > 1 ? 1 : 0;
    const uint32_t ends[][2] = {{0, other}, {home, 0}, {0, home}};
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "packet bytes",
                         "one message of %llu bytes (less where held queues do not take its "
                         "packets) over one link, by packet size and number of buffers",
                         (unsigned long long)bench->config.bytes);
    for (int i = 0; i < 3 && !status; i++)
        status = rows_between(bench, ends[i][0], ends[i][1]);
    return status;
}
