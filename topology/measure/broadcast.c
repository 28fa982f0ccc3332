/** @file broadcast.c  One device to all others, every way (Groute's Figure 2(d)).
 *
 * "Separate transfers" are one asynchronous copy to each other device, all from the first. The
 * ring and the tree forward what arrives: the whole message, or packet after packet while later
 * ones still arrive. Where two neighbours do not reach each other, a send is a push to home memory
 * and a pull from there. The tree's edges are those of the planned one, seen from device 0.
 *
 * "Ring, kernels" starts a kernel for each packet and hop; how kernels that stay do it is the router's benchmark
 * "channelring". */
#include "topology/measure/list.h"
#include "topology/measure/schedule.h"

#include <string.h>

#define PACKET_LEAST (256u << 10)
#define PACKET_MOST  (16u << 20)

/* Who sends to whom: parent[root] is the root; `order` has every device after its parent. */
struct shape {
    uint32_t devices;
    uint8_t order[WEIR_DEVICES_MAX], parent[WEIR_DEVICES_MAX];
};

struct method {
    const char *series;
    const struct shape *shape;
    enum way way;
    int packets;
};

static void star(uint32_t devices, struct shape *shape)
{
    memset(shape, 0, sizeof *shape);
    shape->devices = devices;
    for (uint32_t i = 0; i < devices; i++)
        shape->order[i] = (uint8_t)i;
}

weir_status weir__ring_order(const struct bench *bench, uint8_t order_out[WEIR_DEVICES_MAX])
{
    weir_route_plan plan;
    uint32_t n = bench->devices, at = 0;
    weir_status status = weir_route_plan_make(bench->machine, WEIR_ROUTE_RING, &plan);
    if (status)
        return status;
    while (plan.order[at] != 0)
        at++;
    for (uint32_t i = 0; i < n; i++)
        order_out[i] = plan.order[(at + i) % n];
    return WEIR_OK;
}

static weir_status ring(const struct bench *bench, struct shape *shape)
{
    star(bench->devices, shape);
    weir_status status = weir__ring_order(bench, shape->order);
    for (uint32_t i = 0; i < bench->devices && !status; i++)
        shape->parent[shape->order[i]] = i ? shape->order[i - 1] : 0;
    return status;
}

static weir_status tree(const struct bench *bench, struct shape *shape)
{
    weir_route_plan plan;
    uint32_t n = bench->devices, count = 1;
    unsigned char seen[WEIR_DEVICES_MAX] = {1};
    weir_status status = weir_route_plan_make(bench->machine, WEIR_ROUTE_TREE, &plan);
    if (status)
        return status;
    star(n, shape);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < n; d++) {
            uint32_t at = shape->order[i];
            if (seen[d] || (plan.parent[d] != at && plan.parent[at] != d))
                continue;
            seen[d] = 1;
            shape->parent[d] = (uint8_t)at;
            shape->order[count++] = (uint8_t)d;
        }
    return WEIR_OK;
}

static void build(struct schedule *schedule, struct bench *bench, const struct method *method,
                  uint64_t packet)
{
    const struct shape *shape = method->shape;
    uint64_t bytes = bench->config.bytes;
    struct carrier carrier[WEIR_DEVICES_MAX];
    uint32_t arrived[WEIR_DEVICES_MAX];
    char *data[WEIR_DEVICES_MAX];
    weir__schedule_init(schedule, bench);
    for (uint32_t i = 0; i < shape->devices; i++) {
        uint32_t d = shape->order[i];
        data[d] = i ? weir__schedule_target(schedule, d, bytes, 0)
                    : weir__schedule_source(schedule, d, bytes, 0);
        weir__carrier_init(&carrier[d], bench, shape->parent[d], d, method->way, packet,
                           method->packets ? 2 : 1);
    }
    for (uint64_t at = 0; at < bytes && !schedule->status; at += packet) {
        uint64_t length = bytes - at < packet ? bytes - at : packet;
        arrived[shape->order[0]] = STEP_NONE;
        for (uint32_t i = 1; i < shape->devices; i++) {
            uint32_t d = shape->order[i], up = shape->parent[d];
            arrived[d] = weir__carrier_send(schedule, &carrier[d], data[d] + at, data[up] + at,
                                            length, arrived[up]);
        }
    }
    schedule->bytes = (double)bytes;
}

/* @param[in] enlarged  packets had to be made larger than they should have been. */
static void describe(struct bench *bench, int enlarged)
{
    weir__bench_describe(bench, "GB/s", 1, "packet bytes",
                         "broadcast of %llu bytes from one device to all others, until the last "
                         "one has them%s",
                         (unsigned long long)bench->config.bytes,
                         enlarged ? "; packets as small as a held queue takes" : "");
}

/* A row. Packets that are too many for a held region are made larger; x says how large they were.
 * @param[out] packet  as it was made. */
static weir_status measure(struct bench *bench, const struct method *method, uint64_t *packet)
{
    struct schedule schedule;
    build(&schedule, bench, method, *packet);
    while (!schedule.status && !weir__schedule_fits(&schedule) && *packet < bench->config.bytes) {
        weir__schedule_free(&schedule);
        describe(bench, 1);
        *packet = 2 * *packet < bench->config.bytes ? 2 * *packet : bench->config.bytes;
        build(&schedule, bench, method, *packet);
    }
    weir_bench_row row =
        weir__row_make(bench, 0, QUEUE_NONE, (double)*packet, "%s", method->series);
    strcpy(row.to, "all");
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    return status;
}

static weir_status measure_sizes(struct bench *bench, const struct method *method)
{
    uint64_t sizes[PACKET_SIZES_MAX];
    uint32_t count = weir__packet_sizes(bench->config.bytes, PACKET_LEAST, PACKET_MOST, 4, sizes);
    uint64_t packet = method->packets ? 0 : bench->config.bytes;
    weir_status status = WEIR_OK;
    if (!method->packets)
        return measure(bench, method, &packet);
    for (uint32_t i = 0; i < count && !status; i++) {
        if (sizes[i] <= packet)
            continue; /* the one before was made as large already */
        packet = sizes[i];
        status = measure(bench, method, &packet);
    }
    return status;
}

weir_status weir__bench_broadcast(struct bench *bench)
{
    struct shape direct, around, down;
    const struct method methods[] = {
        {"separate transfers", &direct, WAY_ENGINE, 0},
        {"separate transfers, kernels", &direct, WAY_KERNEL, 0},
        {"ring, whole", &around, WAY_ENGINE, 0},
        {"ring, packets", &around, WAY_ENGINE, 1},
        {"ring, kernels", &around, WAY_KERNEL, 1},
        {"tree, packets", &down, WAY_ENGINE, 1},
    };
    weir_status status;
    describe(bench, 0);
    if (bench->devices < 2)
        return weir__bench_skip(bench, "needs two devices");
    star(bench->devices, &direct);
    if ((status = ring(bench, &around)) || (status = tree(bench, &down)))
        return status;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !status; i++)
        status = measure_sizes(bench, &methods[i]);
    return status;
}
