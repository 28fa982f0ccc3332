/** @file corner_fixture.h  A few endpoints, routers and links of a test, that end together. */
#ifndef WEIR_TESTS_ROUTER_CORNER_FIXTURE_H
#define WEIR_TESTS_ROUTER_CORNER_FIXTURE_H

#include "tests/lib/flow.h"

#define CORNER_PACKET 64
#define CORNER_MAX    200 /* of each kind */

struct corner {
    weir_context *context;
    uint32_t end_count, router_count, link_count;
    weir_endpoint *ends[CORNER_MAX];
    weir_router *routers[CORNER_MAX];
    weir_link *links[CORNER_MAX]; /* NULL: dropped */
    void *data;                   /* CORNER_PACKET bytes of pattern 1 on device 0, which sends */
};

static inline void corner_open(struct corner *corner, weir_context *context)
{
    *corner = (struct corner){.context = context};
    corner->data = new_memory(weir_context_device(context, 0), CORNER_PACKET);
    put_pattern(weir_context_device(context, 0), corner->data, CORNER_PACKET, 1);
}

/** An endpoint that may send: on device 0. */
static inline weir_endpoint *corner_sender(struct corner *corner)
{
    weir_device *device = weir_context_device(corner->context, 0);
    assert_true(corner->end_count < CORNER_MAX);
    return corner->ends[corner->end_count++] = new_endpoint(device, "sender");
}

/** One on the last device. */
static inline weir_endpoint *corner_receiver(struct corner *corner)
{
    uint32_t last = weir_context_device_count(corner->context) - 1;
    weir_device *device = weir_context_device(corner->context, last);
    assert_true(corner->end_count < CORNER_MAX);
    return corner->ends[corner->end_count++] = new_endpoint(device, "receiver");
}

static inline weir_router *corner_router(struct corner *corner, weir_policy policy)
{
    assert_true(corner->router_count < CORNER_MAX);
    weir_router **router = &corner->routers[corner->router_count++];
    OK(weir_router_create(corner->context, NULL, &policy, router));
    return *router;
}

static inline weir_link *corner_link_with(struct corner *corner, weir_endpoint *from,
                                          weir_endpoint *to, const weir_link_config *config)
{
    assert_true(corner->link_count < CORNER_MAX);
    return corner->links[corner->link_count++] = new_link_with(from, to, config);
}

/** @param[in] buffers  of an output; for others anything. */
static inline weir_link *corner_link(struct corner *corner, weir_endpoint *from, weir_endpoint *to,
                                     uint32_t buffers)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = CORNER_PACKET;
    config.buffers = buffers;
    return corner_link_with(corner, from, to, &config);
}

/** Destroy a link before the others. */
static inline void corner_drop(struct corner *corner, weir_link *link)
{
    uint32_t i = 0;
    while (corner->links[i] != link)
        i++;
    corner->links[i] = NULL;
    weir_link_destroy(link);
}

/** A message of one packet. @param[out] done_out  may be NULL. */
static inline weir_status corner_send(struct corner *corner, weir_link *link, uint64_t meta,
                                      weir_future **done_out)
{
    weir_segment segment = {.device = weir_context_device(corner->context, 0),
                            .data = corner->data,
                            .bytes = CORNER_PACKET,
                            .meta = meta};
    return weir_link_send(link, &segment, NULL, done_out);
}

/** The next receive of an output has ended already, with @p status. */
static inline void corner_ended(weir_link *link, weir_status status)
{
    weir_pending *pending;
    weir_segment segment;
    OK(weir_link_receive(link, &pending));
    STATUS(weir_pending_assigned(pending, &segment), status);
    OK(weir_pending_release(pending, NULL));
}

static inline uint64_t corner_packets(const weir_link *link)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_link_stats_get(link, &stats);
    return stats.packets;
}

/** Nothing may be left anywhere. */
static inline void corner_close(struct corner *corner)
{
    for (uint32_t i = corner->link_count; i-- > 0;)
        weir_link_destroy(corner->links[i]);
    for (uint32_t i = corner->router_count; i-- > 0;)
        weir_router_destroy(corner->routers[i]);
    for (uint32_t i = corner->end_count; i-- > 0;)
        weir_endpoint_destroy(corner->ends[i]);
    weir_device_free(weir_context_device(corner->context, 0), corner->data);
    assert_pools_empty(corner->context);
    weir_context_destroy(corner->context);
}

#endif
