/** @file flow.c  Building graphs, sending and receiving, for the tests of the router. */
#include "tests/lib/flow.h"

#include <poll.h>

#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

weir_endpoint *new_endpoint(weir_device *device, const char *name)
{
    weir_endpoint *endpoint;
    OK(weir_endpoint_create(device, name, &endpoint));
    return endpoint;
}

weir_link *new_link(weir_endpoint *source, weir_endpoint *destination, size_t packet,
                    uint32_t buffers)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = packet;
    config.buffers = buffers;
    return new_link_with(source, destination, &config);
}

weir_link *new_link_with(weir_endpoint *source, weir_endpoint *destination,
                         const weir_link_config *config)
{
    weir_link *link;
    OK(weir_link_create(source, destination, config, &link));
    return link;
}

/* Simulated devices play GPUs. */
static int is_gpu(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.kind == WEIR_DEVICE_CUDA || strncmp(info.label, "sim:", 4) == 0;
}

int transport_fits(weir_transport transport, const weir_device *source,
                   const weir_device *destination)
{
    int from = is_gpu(source), to = is_gpu(destination);
    switch (transport) {
    case WEIR_TRANSPORT_LOCAL:
        return source == destination || (!from && !to);
    case WEIR_TRANSPORT_HOST:
        return from != to;
    case WEIR_TRANSPORT_COPY:
        return from && to && source != destination && weir_device_reaches(source, destination);
    case WEIR_TRANSPORT_STORE:
        return (from || !to) && weir_device_reaches(source, destination);
    case WEIR_TRANSPORT_SHM:
        return 0; /* both are in this process */
    default:
        return 1;
    }
}

void await_allocations(weir_device *device, uint64_t allocations)
{
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    for (int i = 0; i < 10000; i++) {
        weir_device_pool_stats(device, &stats);
        if (stats.allocations == allocations)
            break;
        (void)poll(NULL, 0, 1);
    }
    assert_int_equal(stats.allocations, allocations);
}

void assert_pools_empty(const weir_context *context)
{
    for (uint32_t i = 0; i < all_devices(context); i++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        await_allocations(any_device(context, i), 0);
        weir_device_pool_stats(any_device(context, i), &stats);
        assert_int_equal(stats.used_bytes, 0);
    }
}

void flow_open(struct flow *flow, const weir_policy *policy, size_t packet, uint32_t buffers)
{
    uint32_t devices = weir_context_device_count(flow->context);
    OK(weir_router_create(flow->context, "r", policy, &flow->router));
    weir_endpoint *router = weir_router_endpoint(flow->router);
    for (uint32_t i = 0; i < flow->inputs; i++) {
        flow->from[i] = new_endpoint(weir_context_device(flow->context, i % devices), "from");
        flow->in[i] = new_link(flow->from[i], router, 0, 0);
    }
    for (uint32_t i = 0; i < flow->outputs; i++) {
        flow->to[i] = flow->shared
                          ? flow->from[i]
                          : new_endpoint(any_device(flow->context, (i + 1) % (devices + 1)), "to");
        flow->out[i] = new_link(router, flow->to[i], packet, buffers);
    }
}

void flow_close(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->inputs; i++)
        weir_link_destroy(flow->in[i]);
    for (uint32_t i = 0; i < flow->outputs; i++)
        weir_link_destroy(flow->out[i]);
    weir_router_destroy(flow->router);
    for (uint32_t i = 0; i < flow->inputs; i++)
        weir_endpoint_destroy(flow->from[i]);
    for (uint32_t i = 0; i < flow->outputs && !flow->shared; i++)
        weir_endpoint_destroy(flow->to[i]);
}

weir_future *send_data(weir_link *link, weir_device *device, void *data, size_t bytes,
                       uint64_t meta)
{
    weir_segment segment = {.device = device, .data = data, .bytes = bytes, .meta = meta};
    weir_future *done;
    OK(weir_link_send(link, &segment, NULL, &done));
    assert_non_null(done);
    return done;
}

void finish(weir_future *future)
{
    OK(weir_future_wait(future, LONG_MS));
    weir_future_release(future);
}

weir_pending *receive(weir_link *link, weir_segment *segment_out)
{
    weir_pending *pending;
    OK(weir_link_receive(link, &pending));
    OK(weir_pending_wait(pending, LONG_MS, segment_out));
    return pending;
}

void receive_closed(weir_link *link)
{
    weir_pending *pending;
    weir_segment segment;
    OK(weir_link_receive(link, &pending));
    STATUS(weir_pending_wait(pending, LONG_MS, &segment), WEIR_CLOSED);
    STATUS(weir_pending_assigned(pending, &segment), WEIR_CLOSED);
    OK(weir_pending_release(pending, NULL));
}

void assert_piece(const weir_segment *segment, uint64_t seed)
{
    unsigned char *host = malloc(segment->bytes + 1);
    assert_non_null(host);
    OK(weir__download(segment->device, host, segment->data, segment->bytes));
    const size_t i = pattern_length(host, segment->offset, segment->bytes, seed);
    free(host);
    if (i < segment->bytes)
        fail_msg("byte %zu of a packet of %zu at %zu is not that of pattern %llu", i,
                 segment->bytes, segment->offset, (unsigned long long)seed);
}

void expect_packet(weir_link *link, size_t bytes, size_t offset, uint64_t meta, uint64_t seed)
{
    weir_segment segment;
    weir_pending *pending = receive(link, &segment);
    assert_int_equal(segment.bytes, bytes);
    assert_int_equal(segment.offset, offset);
    assert_int_equal(segment.meta, meta);
    assert_piece(&segment, seed);
    OK(weir_pending_release(pending, NULL));
}
