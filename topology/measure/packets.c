/** @file packets.c  Packets against one transfer (Groute's Figure 2(b)), and direct against
 *  indirect transfers (Figure 2(c)). */
#include "topology/measure/list.h"
#include "topology/measure/schedule.h"

#define PACKET_LEAST 65536u
#define PACKET_MOST  (64u << 20)

struct message {
    uint32_t from, to;
    enum way way;
    int staged;      /* asked for, also where the pair reaches */
    uint64_t bytes;  /* of the message; less when its packets are too many for a held queue */
    uint64_t packet; /* 0: whole */
};

static void build(struct schedule *schedule, struct bench *bench, const struct message *m)
{
    struct carrier carrier;
    weir__schedule_init(schedule, bench);
    char *source = weir__schedule_source(schedule, m->from, m->bytes, 0);
    char *target = weir__schedule_target(schedule, m->to, m->bytes, 0);
    weir__carrier_init(&carrier, bench, m->from, m->to, m->way, m->packet ? m->packet : m->bytes,
                       m->packet ? 2 : 1);
    carrier.staged |= m->staged;
    weir__carrier_message(schedule, &carrier, target, source, m->bytes, m->packet);
    schedule->bytes = (double)m->bytes;
}

/* A row. Too many packets for a held queue: fewer of them, which are a shorter message. */
static weir_status measure(struct bench *bench, struct message m, const char *series)
{
    struct schedule schedule;
    uint64_t x = m.packet ? m.packet : m.bytes;
    weir_bench_row row = weir__row_make(bench, m.from, m.to, (double)x, "%s", series);
    build(&schedule, bench, &m);
    while (!schedule.status && !weir__schedule_fits(&schedule) && m.bytes > x) {
        weir__schedule_free(&schedule);
        m.bytes = m.bytes / 2 / x * x;
        m.bytes = m.bytes < x ? x : m.bytes;
        build(&schedule, bench, &m);
    }
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    return status;
}

static weir_status measure_sizes(struct bench *bench, struct message m, uint32_t factor,
                                 const char *series)
{
    uint64_t sizes[PACKET_SIZES_MAX];
    uint32_t count = weir__packet_sizes(m.bytes, PACKET_LEAST, PACKET_MOST, factor, sizes);
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        m.packet = sizes[i];
        status = measure(bench, m, series);
    }
    return status;
}

weir_status weir__bench_packets(struct bench *bench)
{
    static const char *const whole[WAYS] = {"copy engine, one transfer", "kernel, one transfer"};
    static const char *const cut[WAYS] = {"copy engine, packets", "kernel, packets"};
    uint32_t to = bench->devices > 1 ? 1 : 0;
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "packet bytes",
                         "a message of %llu bytes in packets back to back against one transfer, "
                         "from one device to %s",
                         (unsigned long long)bench->config.bytes, to ? "another" : "itself");
    for (int way = 0; way < WAYS && !status; way++) {
        struct message m = {.to = to, .way = (enum way)way, .bytes = bench->config.bytes};
        if (!(status = measure(bench, m, whole[way])))
            status = measure_sizes(bench, m, 2, cut[way]);
    }
    return status;
}

static weir_status measure_indirect(struct bench *bench, enum way way, int staged)
{
    static const char *const whole[2][WAYS] = {
        {"direct push, copy engine, whole", "direct push, kernel, whole"},
        {"push and pull, copy engine, whole", "push and pull, kernel, whole"}};
    static const char *const cut[2][WAYS] = {
        {"direct push, copy engine, packets", "direct push, kernel, packets"},
        {"push and pull, copy engine, packets", "push and pull, kernel, packets"}};
    struct message m = {.to = 1, .way = way, .staged = staged, .bytes = bench->config.bytes};
    weir_status status = measure(bench, m, whole[staged][way]);
    return status ? status : measure_sizes(bench, m, 4, cut[staged][way]);
}

weir_status weir__bench_indirect(struct bench *bench)
{
    weir_status status = WEIR_OK;
    int alone = bench->devices < 2;
    int reaches =
        alone || weir_device_reaches(weir__bench_device(bench, 0), weir__bench_device(bench, 1));
    weir__bench_describe(bench, "GB/s", 1, "packet bytes",
                         "%llu bytes from one device to another: direct push%s against push to "
                         "host memory and pull from there",
                         (unsigned long long)bench->config.bytes,
                         reaches ? "" : " (they do not reach each other)");
    if (alone)
        return weir__bench_skip(bench, "needs two devices");
    for (int staged = !reaches; staged < 2 && !status; staged++)
        for (int way = 0; way < WAYS && !status; way++)
            status = measure_indirect(bench, (enum way)way, staged);
    return status;
}
