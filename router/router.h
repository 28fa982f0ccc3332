/** @file router.h  Endpoints, links and routers: how data moves (Groute sections 3 and 4).
 *
 * A program first builds a graph: *endpoints* (a device's memory, or a router) joined by *links*.
 * Then messages flow. A link from an endpoint into a router is an input; a link from a router to an
 * endpoint is an output and owns receive buffers; a link between two plain endpoints is both; a link
 * from router to router hands on what the first one's policy gives it.
 *
 *     message --policy--> candidates --segmenter--> packets --multiplexer--> first free receiver
 *
 * A *segment* sent is cut into packets no larger than the receiver takes. The router's policy names
 * candidates and how they share the message (weir_delivery). Routers hold no data: a packet goes from
 * the sender's memory straight into the receive buffer, through however many routers.
 *
 * What is promised: packets of one sender arrive at one receiver in the order they were sent, each
 * once; several senders of one receiver take turns packet by packet, so a small message does not wait
 * for the end of somebody else's large one. Not promised: any order between senders, or receivers.
 *
 * Threads: send, receive, release, shutdown and cancel may be called from any thread, one call at a
 * time for each link (cancel: any time). Building the graph is for one thread and is over before data
 * flows. Nothing here blocks but weir_pending_wait() and destroying.
 *
 * Lifetime: destroy in any order. A handle is invalid once it was destroyed; what others still need of
 * it stays until they are gone: a link whose pendings are held keeps its buffers until the last was
 * released, and a context ends with the last endpoint, router and link made from it. Destroying a
 * router cancels it. docs/lifetimes.md has the whole story, docs/router.md a tutorial. */
#ifndef WEIR_ROUTER_ROUTER_H
#define WEIR_ROUTER_ROUTER_H

#include "topology/topology.h"

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
/** Links made from it stay valid. NULL is fine; a router's own ends with the router. */
void weir_endpoint_destroy(weir_endpoint *endpoint);
/** NULL for the endpoint of a router. */
weir_device *weir_endpoint_device(const weir_endpoint *endpoint);
/** Owned by the endpoint; of the name given its first 31 bytes. */
const char *weir_endpoint_name(const weir_endpoint *endpoint);

/* ---- policies ----------------------------------------------------------------------------- */

/** How the candidates that a policy names share a message. */
typedef enum weir_delivery {
    WEIR_DELIVER_ANY = 0, /**< each packet to the first candidate that has a receive posted */
    WEIR_DELIVER_ALL,     /**< each packet to every candidate */
    WEIR_DELIVER_SPLIT /**< the message in as many consecutive parts as candidates, one to each */
} weir_delivery;

/** A policy's answer: indices into the candidates it was given. */
typedef struct weir_choice {
    weir_delivery delivery;
    uint32_t count;   /**< at least 1 */
    uint32_t granule; /**< of WEIR_DELIVER_SPLIT: parts are multiples of it but the last; 0 is 1 */
    int turns;        /**< of WEIR_DELIVER_ANY: non-zero: those free at the same time take turns */
    uint32_t candidate[WEIR_ROUTER_PORTS_MAX]; /**< in order of preference; none twice */
} weir_choice;

/** Where messages go. A plain value, copied by weir_router_create(). */
typedef struct weir_policy {
    const char *name; /**< static storage */
    /** Choose among @p count outputs, in the order in which they were linked; a router that is fed by
     *  this one is one of them.
     *  Called by the sending thread, once a message; senders may call it at the same time. Must not
     *  block or call into weir but for weir_endpoint_device() and weir_endpoint_name().
     *  @param[in] source  who hands the message over: the sender's endpoint, or the router's before.
     *  @return WEIR_OK, or a failure that weir_link_send() returns. */
    weir_status (*choose)(void *user, const weir_segment *message, const weir_endpoint *source,
                          weir_endpoint *const *candidates, uint32_t count,
                          weir_choice *choice_out);
    void *user; /**< the caller's; outlives the router */
} weir_policy;

/** Any output: whichever is free first takes the next packet. Outputs that are free at the same time
 *  take turns. */
weir_policy weir_policy_any(void);
/** The free output of the lowest rank takes the next packet; a higher one only while all below are
 *  busy.
 *  @param[in] ranks  one for each output in the order linked; NULL: that order. Outlives the router. */
weir_policy weir_policy_priority(const uint32_t *ranks);
/** Every output. */
weir_policy weir_policy_broadcast(void);
/** An equal consecutive part of the message to each output, in the order linked.
 *  @param[in] granule  parts are multiples of so many bytes (an element's size), but for the last. */
weir_policy weir_policy_scatter(uint32_t granule);
/** Output number @p root, whoever sends. */
weir_policy weir_policy_gather(uint32_t root);
/** The output behind the sender's own, in the order in which they were linked, around the end; the
 *  first output for a sender that is no output itself. */
weir_policy weir_policy_ring(void);
/** The sender's parent in a binary tree over the outputs in the order linked: output (i - 1) / 2 for
 *  output i, whose inner nodes reduce what they get and send it on. Output 0, the root, sends to the
 *  last output, which takes the result: link the taker last; without one the root must not send. A
 *  sender that is no output is refused. */
weir_policy weir_policy_tree(void);
/** The output whose number is the message's `meta` (all-to-all). */
weir_policy weir_policy_direct(void);

/* ---- routers ------------------------------------------------------------------------------ */

/** Make a router; it is connected by links.
 *  @param[in] name    for messages; copied. NULL: the name of the policy.
 *  @param[in] policy  copied; its `user` outlives the router.
 *  @retval WEIR_ERR_INVALID  no policy. */
weir_status weir_router_create(weir_context *context, const char *name, const weir_policy *policy,
                               weir_router **router_out);
/** The router as an endpoint to link to and from. Owned by the router. */
weir_endpoint *weir_router_endpoint(weir_router *router);
/** Whether the router can work: some sender reaches it and it reaches some receiver, through other
 *  routers or not. A send or receive over it checks the same.
 *  @retval WEIR_ERR_INVALID  it is unconnected on one side. */
weir_status weir_router_check(weir_router *router);
/** End everything under way with @p status (a failure; anything else counts as WEIR_ERR_CANCELLED):
 *  every pending receive and every unfinished send completes with it, and later calls return it.
 *  Routers that feed each other are cancelled together. A device that fails cancels all routers of its
 *  context with WEIR_ERR_DEVICE. Any thread, any time; the first status stays. With a failure of the
 *  program's own set its sentence first (weir_error_set()). */
void weir_router_cancel(weir_router *router, weir_status status);
/** Cancels it. Its links stay valid and return the status until they are destroyed. NULL is fine. */
void weir_router_destroy(weir_router *router);

/* ---- links -------------------------------------------------------------------------------- */

/** The ways to carry a packet, in the order in which WEIR_TRANSPORT_AUTO asks them. Between two GPUs it
 *  takes COPY for packets of more than 64 KiB and STORE for others, which start sooner. */
typedef enum weir_transport {
    WEIR_TRANSPORT_AUTO = 0,
    WEIR_TRANSPORT_LOCAL,  /**< both ends in one memory: the device itself, or two host devices */
    WEIR_TRANSPORT_HOST,   /**< between a GPU and host memory, by the GPU's copy engine */
    WEIR_TRANSPORT_COPY,   /**< between two GPUs, by the sender's copy engine */
    WEIR_TRANSPORT_STORE,  /**< a kernel of the sender's device stores into the receiver's memory */
    WEIR_TRANSPORT_STAGED, /**< through page-locked host memory, two halves of a packet overlapping
                            *   (Groute section 2.1, "indirect"); one copy to and from the home device,
                            *   whose memory that is */
    WEIR_TRANSPORT_COUNT
} weir_transport;
/** "auto", "local", "host", "copy", "store", "staged"; static storage. */
const char *weir_transport_name(weir_transport transport);

/** Instead of a number of buffers: the link owns none, see weir_link_receive_into(). */
#define WEIR_BUFFERS_NONE UINT32_MAX

/** How a link receives; all zero but for `size` are the defaults. */
typedef struct weir_link_config {
    size_t size; /**< sizeof(weir_link_config), set by WEIR_LINK_CONFIG_INIT */
    /** Largest packet received; 0: WEIR_PACKET_BYTES, whose default is measured. Unused by inputs. */
    size_t packet_bytes;
    /** Receives posted at a time, 1 to 1024, or WEIR_BUFFERS_NONE; 0: WEIR_LINK_BUFFERS. Unused by
     *  inputs. */
    uint32_t buffers;
    /** Called after a posted receive was assigned a packet or ended (not when its bytes are there),
     *  by whichever thread made that happen, at the latest when the call of that thread returns;
     *  wake-ups may coalesce. Must not block or call into weir. May be NULL. */
    void (*arrived)(void *user);
    void *arrived_user;
    /** How packets come to this output; every sender must be able to. Unused by inputs. Where it is
     *  AUTO, WEIR_TRANSPORT decides, and where that cannot the first of the list that can. */
    weir_transport transport;
} weir_link_config;
/** Defaults of weir_link_config. */
#define WEIR_LINK_CONFIG_INIT                                           \
    {                                                                   \
        sizeof(weir_link_config), 0, 0, NULL, NULL, WEIR_TRANSPORT_AUTO \
    }

/** Join two endpoints. Receive buffers are taken from the destination's pool here.
 *  @param[in] config  NULL for defaults. Of a link between two routers all of it is unused.
 *  @retval WEIR_ERR_INVALID      a self loop, a second link between the pair over this router, a
 *                                circle of routers, or two contexts.
 *  @retval WEIR_ERR_UNSUPPORTED  the transport asked for cannot join a sender to this receiver.
 *  @retval WEIR_ERR_NOMEM        the pool cannot give the buffers. */
weir_status weir_link_create(weir_endpoint *source, weir_endpoint *destination,
                             const weir_link_config *config, weir_link **link_out);
/** Shuts an open input down first. What was sent on it still arrives. Receives of an output that were
 *  not taken end; those that are held stay valid until they are released. NULL is fine.
 *  @par Blocks  until the copies into the link's buffers are over. */
void weir_link_destroy(weir_link *link);
/** weir_router_cancel() of the router the link belongs to; a link between two plain endpoints has one
 *  of its own. */
void weir_link_cancel(weir_link *link, weir_status status);
/** Of a link into a router, or between plain endpoints: its source. NULL for others. */
weir_endpoint *weir_link_source(const weir_link *link);

/** Send a message on an input.
 *  @param[in]  segment  memory of the source endpoint's device; 0 bytes travel as one empty packet.
 *                       Stays the caller's, unchanged until @p done_out completes.
 *  @param[in]  ready    the bytes are valid after this event; NULL: now. Not to be recorded again
 *                       before @p done_out completes. Until it comes the message keeps its place
 *                       before what others send to the same receiver later.
 *  @param[out] done_out completes when the segment may be reused; release it. NULL: not wanted.
 *  @retval WEIR_CLOSED       the link was shut down.
 *  @retval WEIR_ERR_INVALID  not an input, memory of another device, an unconnected router, or the
 *                            policy chose nothing.
 *  @return the status the router was cancelled with, if it was. A packet that cannot be
 *  put on its way cancels the router; the segment must then stay until the outputs are destroyed. */
weir_status weir_link_send(weir_link *link, const weir_segment *segment, weir_event *ready,
                           weir_future **done_out);

/** weir_link_send() of bytes that are valid once what is in @p queue now has run. */
weir_status weir_link_send_from(weir_link *link, const weir_segment *segment, weir_queue *queue,
                                weir_future **done_out);

/** No more will be sent on this input. Travels behind what was sent; a receiver sees WEIR_CLOSED
 *  once all inputs that reach it are shut down and drained. Calling it again does nothing. */
weir_status weir_link_shutdown(weir_link *link);

/** Take the oldest posted receive of an output that was not taken yet. It may not have been
 *  assigned a packet; several may be held at a time, which is what pipelining is. Until its release the
 *  buffer is the holder's to read and to write.
 *  @retval WEIR_ERR_FULL     all buffers are taken: release one first.
 *  @retval WEIR_ERR_INVALID  not an output, an unconnected router, or a link without buffers. */
weir_status weir_link_receive(weir_link *link, weir_pending **pending_out);

/** weir_link_receive() and weir_pending_wait() in one, for programs that take one packet after the other.
 *  @param[out] pending_out  to be released; NULL unless WEIR_OK is returned.
 *  @par Blocks  until the bytes are there. */
weir_status weir_link_next(weir_link *link, int64_t timeout_ms, weir_pending **pending_out,
                           weir_segment *segment_out);

/** Post a receive into memory of the program's own, on a link made with WEIR_BUFFERS_NONE: packets
 *  land where they are wanted and are not copied again.
 *  @param[in] data   memory of the link's destination device; the program's again after the release.
 *  @param[in] bytes  at least what comes; at most packet_bytes of it is used. A packet that is larger
 *                    cancels the router with WEIR_ERR_INVALID.
 *  @param[in] ready  @p data may be written after this event, as for weir_link_send(); NULL: now.
 *  @retval WEIR_ERR_INVALID  not an output, an unconnected router, or a link with buffers. */
weir_status weir_link_receive_into(weir_link *link, void *data, size_t bytes, weir_event *ready,
                                   weir_pending **pending_out);

/** What went over a link since it was made; a plain value. */
typedef struct weir_link_stats {
    uint64_t messages;                 /**< sent on this input */
    uint64_t packets;                  /**< received on this output */
    uint64_t bytes;                    /**< received on this output */
    uint64_t by[WEIR_TRANSPORT_COUNT]; /**< packets received, by how they came */
} weir_link_stats;
/** Read the counters of a link; any thread. */
void weir_link_stats_get(const weir_link *link, weir_link_stats *stats_out);

/* ---- pending receives --------------------------------------------------------------------- */

/** Whether a packet was assigned; its bytes may still be on the way.
 *  @param[out] segment_out  filled on WEIR_OK: the receive buffer, bytes, offset and meta.
 *  @retval WEIR_PENDING not yet.  @retval WEIR_CLOSED nothing will come.  @return or a failure. */
weir_status weir_pending_assigned(weir_pending *pending, weir_segment *segment_out);
/** Wait on the host until a packet is assigned, so that its buffer and size are known while its bytes are
 *  still on the way: then gate a queue and put in what works on it.
 *  @param[in] timeout_ms  negative: without limit.  @retval WEIR_ERR_TIMEOUT  not within the time. */
weir_status weir_pending_wait_assigned(weir_pending *pending, int64_t timeout_ms,
                                       weir_segment *segment_out);
/** Wait on the host until the bytes are there. @param[in] timeout_ms  negative: without limit. */
weir_status weir_pending_wait(weir_pending *pending, int64_t timeout_ms, weir_segment *segment_out);
/** Make @p queue wait until the bytes are there, assigned already or not. */
weir_status weir_pending_gate(weir_pending *pending, weir_queue *queue);
/** The receive as a future; borrowed, valid until the release. */
weir_future *weir_pending_future(weir_pending *pending);
/** Give the buffer back to the link, which posts it again, to be written once what is in @p queue
 *  now has run (NULL: it may be written now). The handle is invalid after. One that a cancel or a
 *  shutdown ended is given back the same way. Memory of weir_link_receive_into() is the program's once
 *  its bytes are there, which a queue gated before the release comes after.
 *  @retval WEIR_ERR_INVALID  nothing was assigned yet, or NULL and the bytes have not come; the receive
 *                            goes on.
 *  @return or another failure, which cancels the router; the handle is invalid all the same. */
weir_status weir_pending_release(weir_pending *pending, weir_queue *queue);

/* ---- benchmarks --------------------------------------------------------------------------- */

/** The benchmarks of links, routers and collectives: weir_bench_list() has those of the machine.
 *  @return how many; @p infos_out may be NULL. */
size_t weir_router_bench_list(const weir_bench_info **infos_out);
/** Run one of them, as weir_bench_run() does; the table is destroyed the same way.
 *  @par Blocks  as weir_bench_run(), with which it shares the context's only benchmark at a time. */
weir_status weir_router_bench_run(weir_context *context, const char *name,
                                  const weir_bench_config *config, weir_bench_table **table_out);

#ifdef __cplusplus
}
#endif
#endif
