/** @file flow.h  What the tests of the router share: building graphs, sending, receiving. */
#ifndef WEIR_TESTS_LIB_FLOW_H
#define WEIR_TESTS_LIB_FLOW_H

#include "router/router.h"
#include "tests/lib/support.h"

/** Most endpoints on either side of a test's router. */
#define FLOW_MAX 8

/** A router with inputs and outputs. Endpoints lie on the context's devices in turn; with
 *  `shared`, input i and output i are links of one endpoint. */
struct flow {
    weir_context *context;
    weir_router *router;
    uint32_t inputs, outputs;
    int shared;
    weir_endpoint *from[FLOW_MAX], *to[FLOW_MAX];
    weir_link *in[FLOW_MAX], *out[FLOW_MAX];
};

weir_endpoint *new_endpoint(weir_device *device, const char *name);
/** @p packet and @p buffers 0: defaults. */
weir_link *new_link(weir_endpoint *source, weir_endpoint *destination, size_t packet,
                    uint32_t buffers);

/** The same with all that a link can be told; @p config NULL: defaults. */
weir_link *new_link_with(weir_endpoint *source, weir_endpoint *destination,
                         const weir_link_config *config);
/** Whether a transport can carry packets from one device to the other. */
int transport_fits(weir_transport transport, const weir_device *source,
                   const weir_device *destination);
/** Fail unless so many allocations are left of a device. A buffer that a queue of its release still read goes when the
 *  runtime hears that the queue has come so far, so it waits for that. */
void await_allocations(weir_device *device, uint64_t allocations);
/** Fail unless all memory of all devices was given back, in the same way. */
void assert_pools_empty(const weir_context *context);

/** Build what is described in @p flow: context, inputs, outputs, shared are set by the caller. */
void flow_open(struct flow *flow, const weir_policy *policy, size_t packet, uint32_t buffers);
/** Destroy links, router and endpoints; not the context. */
void flow_close(struct flow *flow);

/** Send; fails the test unless it is taken. @return the future, to be released. */
weir_future *send_data(weir_link *link, weir_device *device, void *data, size_t bytes,
                       uint64_t meta);
/** Wait for a future and release it. */
void finish(weir_future *future);
/** Take a receive and wait for its bytes. */
weir_pending *receive(weir_link *link, weir_segment *segment_out);
/** Take a receive that must end closed, and give it back. */
void receive_closed(weir_link *link);
/** Receive one packet, fail unless it is as said and holds the pattern from `offset` on, release. */
void expect_packet(weir_link *link, size_t bytes, size_t offset, uint64_t meta, uint64_t seed);
/** Fail unless the segment holds a pattern from the segment's offset on. */
void assert_piece(const weir_segment *segment, uint64_t seed);

#endif
