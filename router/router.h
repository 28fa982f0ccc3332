/** @file router.h  Endpoints, links and routers: how data moves (Groute sections 3 and 4.2).
 *
 * A program first builds a graph: *endpoints* (a device's memory, or a router) joined by *links*.
 * Then messages flow. A link from an endpoint into a router is an input; a link from a router to an
 * endpoint is an output and owns receive buffers; a link between two plain endpoints is both.
 *
 *     message --segmenter--> packets --policy--> candidates --multiplexer--> first free receiver
 *
 * A *segment* sent is cut into packets no larger than the receiver takes. The router's policy names
 * candidate outputs; under WEIR_DELIVER_ANY each packet goes to the first candidate with a receive
 * buffer free, under WEIR_DELIVER_ALL each candidate gets every packet.
 *
 * What is promised: packets of one sender arrive at one receiver in the order they were sent, each
 * once. Not promised: any order between senders, or between receivers.
 *
 * Threads: send, receive, release, shutdown and cancel may be called from any thread, one call at a
 * time for each link (cancel: any time). Building and destroying the graph is for one thread, and
 * is over before data flows. Nothing here blocks but weir_pending_wait().
 * Lifetime: endpoints outlive their links, routers outlive theirs; destroy links first. */
#ifndef WEIR_ROUTER_ROUTER_H
#define WEIR_ROUTER_ROUTER_H

#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most outputs, and most inputs, of one router: every device and the host. */
#define WEIR_ROUTER_PORTS_MAX (WEIR_DEVICES_MAX + 1)

typedef struct weir_endpoint weir_endpoint; /**< long-lived */
typedef struct weir_router weir_router;     /**< long-lived */
typedef struct weir_link weir_link;         /**< long-lived */
typedef struct weir_pending weir_pending;   /**< short-lived: a receive that is under way */

/* ---- endpoints ---------------------------------------------------------------------------- */

/** An endpoint in a device's memory (weir_context_home() for the host's). A device may have
 * several.
 *  @param[in] name  for messages; copied. */
weir_status weir_endpoint_create(weir_device *device, const char *name,
                                 weir_endpoint **endpoint_out);
void weir_endpoint_destroy(weir_endpoint *endpoint);
/** NULL for the endpoint of a router. */
weir_device *weir_endpoint_device(const weir_endpoint *endpoint);
const char *weir_endpoint_name(const weir_endpoint *endpoint);

/* ---- policies ----------------------------------------------------------------------------- */

typedef enum weir_delivery {
    WEIR_DELIVER_ANY = 0, /**< each packet to the first candidate that is free */
    WEIR_DELIVER_ALL      /**< each packet to every candidate */
} weir_delivery;

/** A policy's answer: indices into the candidates it was given. */
typedef struct weir_choice {
    weir_delivery delivery;
    uint32_t count; /**< at least 1 */
    uint32_t candidate[WEIR_ROUTER_PORTS_MAX];
} weir_choice;

/** Where messages go. A plain value, copied by weir_router_create(). */
typedef struct weir_policy {
    const char *name; /**< static storage */
    /** Choose among @p count outputs, in the order in which they were linked.
     *  Called by the sending thread, once a message; senders may call it at the same time. Must not
     *  block or call into weir. @return WEIR_OK, or a failure that weir_link_send() returns. */
    weir_status (*choose)(void *user, const weir_segment *message, const weir_endpoint *source,
                          weir_endpoint *const *candidates, uint32_t count,
                          weir_choice *choice_out);
    void *user;
} weir_policy;

/** Any output: whichever is free first takes the next packet. */
weir_policy weir_policy_any(void);
/** The output behind the sender's own, in the order in which they were linked, around the end; the
 *  first output for a sender that is no output itself. */
weir_policy weir_policy_ring(void);
/** The output whose number is the message's `meta` (all-to-all). */
weir_policy weir_policy_direct(void);

/* ---- routers ------------------------------------------------------------------------------ */

weir_status weir_router_create(weir_context *context, const char *name, const weir_policy *policy,
                               weir_router **router_out);
/** The router as an endpoint to link to and from. Owned by the router. */
weir_endpoint *weir_router_endpoint(weir_router *router);
/** End everything under way with @p status (a failure; anything else counts as WEIR_ERR_CANCELLED):
 *  every pending receive and every unfinished
 *  send completes with it, and later calls return it. Any thread, any time; the first status stays.
 */
void weir_router_cancel(weir_router *router, weir_status status);
/** Its links must have been destroyed. NULL is fine. */
void weir_router_destroy(weir_router *router);

/* ---- links -------------------------------------------------------------------------------- */

typedef struct weir_link_config {
    size_t size;         /**< sizeof(weir_link_config), set by WEIR_LINK_CONFIG_INIT */
    size_t packet_bytes; /**< largest packet received; 0: WEIR_PACKET_BYTES. Unused by inputs */
    uint32_t buffers;    /**< receives posted at a time; 0: WEIR_LINK_BUFFERS. Unused by inputs */
    /** Called after a posted receive was assigned a packet or ended (not when its bytes are there),
     *  by whichever thread made that happen; wake-ups may coalesce. Must not block or call into
     *  weir. May be NULL. */
    void (*arrived)(void *user);
    void *arrived_user;
    /** Non-zero: always through page-locked host memory, even where the ends reach each other
     *  (Groute 2.1, indirect copies); a route that is WEIR_ROUTE_STAGED asks for it. Unused by inputs */
    int staged;
} weir_link_config;
#define WEIR_LINK_CONFIG_INIT                         \
    {                                                 \
        sizeof(weir_link_config), 0, 0, NULL, NULL, 0 \
    }

/** Join two endpoints; one of them, or none, is a router's. Receive buffers are taken from the
 *  destination's pool here.
 *  @param[in] config  NULL for defaults.
 *  @retval WEIR_ERR_INVALID      a self loop, a second link between the pair over this router, or
 *                                two contexts.
 *  @retval WEIR_ERR_UNSUPPORTED  router to router: not built yet.
 *  @retval WEIR_ERR_NOMEM        the pool cannot give the buffers. */
weir_status weir_link_create(weir_endpoint *source, weir_endpoint *destination,
                             const weir_link_config *config, weir_link **link_out);
/** Shuts an open input down first. All pendings must have been released, all copies be over (cancel
 *  or drain first). NULL is fine. */
void weir_link_destroy(weir_link *link);

/** Send a message on an input.
 *  @param[in]  segment  memory of the source endpoint's device; 0 bytes travel as one empty packet.
 *                       Stays the caller's, unchanged until @p done_out completes.
 *  @param[in]  ready    the bytes are valid after this event; NULL: now. Not to be recorded again
 * or released before @p done_out completes.
 *  @param[out] done_out completes when the segment may be reused; release it. NULL: not wanted.
 *  @retval WEIR_CLOSED       the link was shut down.
 *  @retval WEIR_ERR_INVALID  not an input, memory of another device, or the policy chose nothing.
 *  @return the status the router was cancelled with, if it was. A failure after the first packet
 *  went out cancels the router; the segment must then stay until the router's outputs are destroyed. */
weir_status weir_link_send(weir_link *link, const weir_segment *segment, weir_event *ready,
                           weir_future **done_out);

/** No more will be sent on this input. Travels behind what was sent; a receiver sees WEIR_CLOSED
 *  once all inputs of its router are shut down and drained. Calling it again does nothing. */
weir_status weir_link_shutdown(weir_link *link);

/** Take the oldest posted receive of an output that was not taken yet. It may not have been
 *  assigned a packet; several may be held at a time, which is what pipelining is.
 *  @retval WEIR_ERR_FULL     all buffers are taken: release one first.
 *  @retval WEIR_ERR_INVALID  not an output. */
weir_status weir_link_receive(weir_link *link, weir_pending **pending_out);

typedef struct weir_link_stats {
    uint64_t messages; /**< sent on this input */
    uint64_t packets;  /**< received on this output */
    uint64_t bytes;    /**< received on this output */
    uint64_t staged;   /**< packets that went through host memory */
} weir_link_stats;
void weir_link_stats_get(const weir_link *link, weir_link_stats *stats_out);

/* ---- pending receives --------------------------------------------------------------------- */

/** Whether a packet was assigned; its bytes may still be on the way.
 *  @param[out] segment_out  filled on WEIR_OK: the receive buffer, bytes, offset and meta.
 *  @retval WEIR_PENDING not yet.  @retval WEIR_CLOSED nothing will come.  @return or a failure. */
weir_status weir_pending_assigned(weir_pending *pending, weir_segment *segment_out);
/** Wait on the host until the bytes are there. @param[in] timeout_ms  negative: without limit. */
weir_status weir_pending_wait(weir_pending *pending, int64_t timeout_ms, weir_segment *segment_out);
/** Make @p queue wait until the bytes are there, assigned already or not. */
weir_status weir_pending_gate(weir_pending *pending, weir_queue *queue);
/** The receive as a future; borrowed, valid until the release. */
weir_future *weir_pending_future(weir_pending *pending);
/** Give the buffer back to the link, which posts it again, to be written once what is in @p queue
 *  now has run (NULL: it may be written now). The handle is invalid after.
 *  @retval WEIR_ERR_INVALID  nothing was assigned yet, or NULL and the bytes have not come; the receive
 *                            goes on. */
weir_status weir_pending_release(weir_pending *pending, weir_queue *queue);

#ifdef __cplusplus
}
#endif
#endif
