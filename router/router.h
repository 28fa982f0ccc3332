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
 * for the end of somebody else's large one. Not promised: any order between senders, or receivers; and
 * a packet that comes back from a receiver that went away may be behind later ones of its sender.
 *
 * A receive buffer is *free* once what was in the queue of its last release has run, and *promised* until
 * then. A packet that only one receiver can get is assigned to a promised buffer at once, and its copy waits
 * in a queue. A packet that several may take (WEIR_DELIVER_ANY) is assigned only when its bytes are ready,
 * and only to a free buffer: so no output holds more packets that its device has not worked off than it has
 * buffers. Until the program takes the receive such a packet may come back: when the output or its
 * device goes, it is offered to the others again.
 *
 * Threads: any, for every call. Send and shutdown: one call at a time for each link (a send in the middle of another one is
 * refused, a shutdown may end a weir_link_send_wait()); cancel and statistics: any time.
 * Receive, wait and release: any number at a time, one for each pending. Links may be made and destroyed while data flows
 * over others; a message goes where the graph leads when it is sent. What is destroyed is used by nobody else.
 * Only weir_pending_wait(), weir_pending_wait_assigned(), weir_link_next(), weir_link_send_wait(), destroying and
 * benchmarks wait for data; making links takes memory and waits for other threads that make or destroy links. Where there
 * is no memory to watch an event, a call may wait for it at its end, with nothing locked.
 *
 * Lifetime: destroy in any order. A handle is invalid once it was destroyed; what others still need of
 * it stays until they are gone: a link whose pendings are held keeps its buffers until the last was
 * released, and a context ends with the last endpoint, router and link made from it. Destroying a
 * router cancels it. docs/lifetimes.md has the whole story, docs/router.md a tutorial. */
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
/** Links made from it stay valid. NULL is fine; a router's own ends with the router. */
void weir_endpoint_destroy(weir_endpoint *endpoint);
/** NULL for the endpoint of a router, and for one in another process. */
weir_device *weir_endpoint_device(const weir_endpoint *endpoint);
/** Owned by the endpoint; of the name given its first 31 bytes. */
const char *weir_endpoint_name(const weir_endpoint *endpoint);
/** A pointer of the program's, by which policies and others find what an endpoint stands for; NULL until it is set. A
 *  router's is that of weir_router_endpoint(). What it points to is the program's to keep. Any thread: who gets the
 *  pointer sees what was written there before it was set. */
void weir_endpoint_user_set(weir_endpoint *endpoint, void *user);
/** That pointer. NULL is fine. */
void *weir_endpoint_user(const weir_endpoint *endpoint);

/* ---- policies ----------------------------------------------------------------------------- */

/** How the candidates that a policy names share a message. */
typedef enum weir_delivery {
    WEIR_DELIVER_ANY = 0, /**< each packet to the first candidate that has a free buffer */
    WEIR_DELIVER_ALL,     /**< each packet to every candidate */
    WEIR_DELIVER_SPLIT /**< the message in as many consecutive parts as candidates, one to each */
} weir_delivery;

/** A policy's answer: indices into the candidates it was given. Those whose link is gone are left out. */
typedef struct weir_choice {
    size_t size; /**< set by the library: bytes of the structure that it has room for */
    weir_delivery delivery;
    uint32_t count;   /**< at least 1, and one of them there */
    uint32_t granule; /**< of WEIR_DELIVER_SPLIT: parts are multiples of it but the last; 0 is 1 */
    int turns;        /**< of WEIR_DELIVER_ANY: non-zero: those free at the same time take turns */
    uint32_t candidate[WEIR_ROUTER_PORTS_MAX]; /**< in order of preference; none twice */
} weir_choice;

/** Where messages go. Copied by weir_router_create(). */
typedef struct weir_policy {
    /** sizeof(weir_policy), or 0 in a constant that names its members: then those of version 0.1 count, which are
     *  all that there are up to `user`. */
    size_t size;
    const char *name; /**< static storage */
    /** Choose among @p count outputs by their numbers (weir_link_number()), which are the order in which they were
     *  linked; a router that is fed by this one is one of them. A number whose link was destroyed keeps its place, as
     *  NULL, until another link is given it.
     *  Called by the sending thread, once a message; senders may call it at the same time. Must not
     *  block or call into weir but for weir_endpoint_device(), weir_endpoint_name(), weir_endpoint_user(), all of which take
     *  NULL, and weir_error_set().
     *  @param[in] source  who hands the message over: the sender's endpoint, or the router's before.
     *  @return WEIR_OK, or a failure that weir_link_send() returns, with the sentence of weir_error_set() or one that
     *          names the policy. WEIR_ERR_TIMEOUT, and what is no failure, is refused with WEIR_ERR_INVALID. */
    weir_status (*choose)(void *user, const weir_segment *message, const weir_endpoint *source,
                          weir_endpoint *const *candidates, uint32_t count,
                          weir_choice *choice_out);
    void *user; /**< the caller's; outlives the router */
} weir_policy;
/** weir_policy: no call-back yet. */
#define WEIR_POLICY_INIT                      \
    {                                         \
        sizeof(weir_policy), NULL, NULL, NULL \
    }

/** The policies that ship; weir_policy_any() and its like say what each does. */
typedef enum weir_policy_kind {
    WEIR_POLICY_ANY = 0,
    WEIR_POLICY_PRIORITY,
    WEIR_POLICY_BROADCAST,
    WEIR_POLICY_SCATTER,
    WEIR_POLICY_GATHER,
    WEIR_POLICY_RING,
    WEIR_POLICY_TREE,
    WEIR_POLICY_DIRECT,
    WEIR_POLICY_COUNT
} weir_policy_kind;
struct weir_route_plan; /* topology/topology.h */
/** Get a policy that ships. The functions below are easier to read; this one is for other languages than C, and keeps
 *  the size of the structure that of the caller.
 *  @param[in] user  WEIR_POLICY_PRIORITY: the ranks; SCATTER and GATHER: the number as a pointer; RING and
 *                   TREE: NULL, or a weir_route_plan; others: NULL.
 *  @param[in,out] policy_out  begins as WEIR_POLICY_INIT.
 *  @retval WEIR_ERR_INVALID   no such policy, or a size that was never set. */
weir_status weir_policy_get(weir_policy_kind kind, void *user, weir_policy *policy_out);
/** One of them, by value: compiled into the caller, whose structure it is. */
static inline weir_policy weir_policy_of(weir_policy_kind kind, void *user)
{
    weir_policy policy = WEIR_POLICY_INIT;
    (void)weir_policy_get(kind, user, &policy);
    return policy;
}

/* Numbers in what follows are those of weir_link_number(): destroying a link changes no other's. A message for one output
 * whose link is gone is refused with WEIR_ERR_INVALID. */

/** Any output: whichever has a free buffer first takes the next packet. Outputs that have one at the same
 *  time take turns. One whose device is far behind leaves packets to the others for a time (the tunable `link_patience`,
 *  weir_link_stats.withheld); until it is through with its first packet it gets no second one. */
static inline weir_policy weir_policy_any(void)
{
    return weir_policy_of(WEIR_POLICY_ANY, NULL);
}
/** The output of the lowest rank that has a free buffer takes the next packet; a higher one only while all
 *  below are busy, or far behind as with weir_policy_any().
 *  @param[in] ranks  one for each output by its number; NULL: that number. Outlives the router. */
static inline weir_policy weir_policy_priority(const uint32_t *ranks)
{
    return weir_policy_of(WEIR_POLICY_PRIORITY, (void *)(uintptr_t)ranks);
}
/** Every output. */
static inline weir_policy weir_policy_broadcast(void)
{
    return weir_policy_of(WEIR_POLICY_BROADCAST, NULL);
}
/** An equal consecutive part of the message to each output, in the order linked.
 *  @param[in] granule  parts are multiples of so many bytes (an element's size), but for the last. */
static inline weir_policy weir_policy_scatter(uint32_t granule)
{
    return weir_policy_of(WEIR_POLICY_SCATTER, (void *)(uintptr_t)granule);
}
/** Output number @p root, whoever sends (`source` of a packet says who did). */
static inline weir_policy weir_policy_gather(uint32_t root)
{
    return weir_policy_of(WEIR_POLICY_GATHER, (void *)(uintptr_t)root);
}
/** The output behind the sender's own, by their numbers, around the end and over those that are gone; the
 *  first output for a sender that is no output itself. */
static inline weir_policy weir_policy_ring(void)
{
    return weir_policy_of(WEIR_POLICY_RING, NULL);
}
/** The same in the order of a route plan, in which output i is the plan's device i: links on which the most bytes pass at the same
 *  time lie beside each other in it. Sender and receiver are as weir_policy_ring() has them, but for who is behind whom. An output
 *  that is none of the plan's devices, as sender, is refused.
 *  @param[in] plan  of the kind WEIR_ROUTE_RING (topology/topology.h); outlives the router. */
static inline weir_policy weir_policy_ring_by(const struct weir_route_plan *plan)
{
    return weir_policy_of(WEIR_POLICY_RING, (void *)(uintptr_t)plan);
}
/** The sender's parent in a binary tree over the outputs in the order linked: output (i - 1) / 2 for
 *  output i, whose inner nodes reduce what they get and send it on. Output 0, the root, sends to the
 *  last output, which takes the result: link the taker last; without one the root must not send. An inner node
 *  that is gone leaves its children to its parent. A sender that is no output, or has nobody above it, is refused. */
static inline weir_policy weir_policy_tree(void)
{
    return weir_policy_of(WEIR_POLICY_TREE, NULL);
}
/** The same in the tree of a route plan, in which output i is the plan's device i, and plan->parent[i] is who is above it. The root
 *  sends to the last output, which is behind those of the plan. What else is refused, is refused here.
 *  @param[in] plan  of the kind WEIR_ROUTE_TREE (topology/topology.h); outlives the router. */
static inline weir_policy weir_policy_tree_by(const struct weir_route_plan *plan)
{
    return weir_policy_of(WEIR_POLICY_TREE, (void *)(uintptr_t)plan);
}
/** The output whose number is the message's `meta` (all-to-all). The receiver finds who sent a packet in `source`, and what
 *  the sender has to say of it in `tag`. */
static inline weir_policy weir_policy_direct(void)
{
    return weir_policy_of(WEIR_POLICY_DIRECT, NULL);
}

/* ---- routers ------------------------------------------------------------------------------ */

/** Make a router; it is connected by links.
 *  @param[in] name    for messages; copied. NULL: the name of the policy.
 *  @param[in] policy  copied; its `user` outlives the router.
 *  @retval WEIR_ERR_INVALID      no policy, or one whose size is not that of any version; or the tunable `transport` is
 *                                the name of none: the sentence lists them.
 *  @retval WEIR_ERR_UNSUPPORTED  the policy is of a newer version and sets what this library does not have. */
weir_status weir_router_create(weir_context *context, const char *name, const weir_policy *policy,
                               weir_router **router_out);
/** The router as an endpoint to link to and from. Owned by the router. */
weir_endpoint *weir_router_endpoint(weir_router *router);
/** Whether the router can work: some sender reaches it and it reaches some receiver, through other
 *  routers or not. A send or receive over it checks the same.
 *  @retval WEIR_ERR_INVALID  it is unconnected on one side. */
weir_status weir_router_check(weir_router *router);
/** End everything under way with @p status (a failure; anything else counts as WEIR_ERR_CANCELLED, and so does
 *  WEIR_ERR_TIMEOUT, by which waits say that they came to their own limit):
 *  every pending receive and every unfinished send completes with it, and later calls return it.
 *  Routers that feed each other are cancelled together. Packets assigned to receives that nobody took are
 *  dropped where they could have come back, and their `done` fails. Any thread, any time; the first status
 *  stays. The sentence of this thread's last failure goes with it if that was one of @p status: set one with
 *  weir_error_set().
 *
 *  A device that fails cancels with WEIR_ERR_DEVICE the routers that it sends into, since others may wait for
 *  what is lost. One that it only receives from goes on while there is another output: the failed output
 *  ends, packets that others may take go to those (weir_link_stats.failed_over), and a message that needs
 *  the device ends with WEIR_ERR_DEVICE. The home device cancels all. Other routers do not notice. */
void weir_router_cancel(weir_router *router, weir_status status);
/** Cancels it. Its links stay valid and return the status until they are destroyed. NULL is fine. */
void weir_router_destroy(weir_router *router);

/* ---- links -------------------------------------------------------------------------------- */

/** X(ID, name, which ends it joins and who moves the bytes): the ways to carry a packet, in the order in which
 *  WEIR_TRANSPORT_AUTO asks them. New ones come at the end. */
#define WEIR_TRANSPORT_MAP(X)                                                                      \
    X(LOCAL, local, "both ends in one memory: a device and itself, or two host devices")           \
    X(HOST, host, "between a GPU and host memory, by the GPU's copy engine")                       \
    X(COPY, copy, "between two GPUs that reach each other, by the sender's copy engine")           \
    X(STORE, store, "a kernel of the sender's device stores into memory that it reaches")          \
    X(STAGED, staged,                                                                              \
      "through page-locked host memory, two halves of a packet overlapping; one copy to and from " \
      "the home device, whose memory that is")                                                     \
    X(SHM, shm, "between two processes of one machine, through memory that both map")

/** WEIR_TRANSPORT_LOCAL, WEIR_TRANSPORT_HOST and so on, a value for each row of the list. AUTO takes the first that joins
 *  the two ends; between two GPUs COPY for packets of more than 64 KiB and STORE for others, which start sooner. Between
 *  processes there is SHM alone, and within one it joins nothing. */
typedef enum weir_transport {
    WEIR_TRANSPORT_AUTO = 0,
/** One value of the enumeration; not for programs. */
#define WEIR_TRANSPORT_VALUE(id, name, help) WEIR_TRANSPORT_##id,
    WEIR_TRANSPORT_MAP(WEIR_TRANSPORT_VALUE)
#undef WEIR_TRANSPORT_VALUE
        WEIR_TRANSPORT_COUNT
} weir_transport;
/** Places for them in weir_link_stats, of which later versions use more. */
#define WEIR_TRANSPORTS_MAX 16
/** "auto", "local" and so on, as WEIR_TRANSPORT takes them; static storage. */
const char *weir_transport_name(weir_transport transport);
/** What it joins, and who moves the bytes: a line without a full stop; static storage. */
const char *weir_transport_help(weir_transport transport);

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
     *  wake-ups may coalesce. Must not block or call into weir but for weir_context_post(). Not called any more once
     *  weir_link_destroy() has returned, which waits for who is in it. May be NULL. */
    void (*arrived)(void *user);
    void *arrived_user;
    /** How packets come to this output; every sender must be able to. Unused by inputs. Where it is
     *  AUTO, the tunable `transport` (WEIR_TRANSPORT) decides, and where that cannot the first of the list that can. */
    weir_transport transport;
    /** Non-zero: a packet whose `ready` has not come gets a buffer in its turn although others send to
     *  this output too, who then wait behind it. For graphs in which a receiver knows whose packet is next,
     *  as in collectives: the device goes on without the host. Unused by inputs. */
    int early;
    /** Of an input, or a link between plain endpoints: messages, and bytes of them, that may be under way:
     *  sent, and not yet assigned to receives (where they may come back, not yet taken).
     *  0: WEIR_LINK_MESSAGES, WEIR_LINK_BYTES. A message that is larger than `send_bytes` goes when
     *  nothing else is under way. Unused by outputs. */
    uint64_t send_messages, send_bytes;
    /** Called when there may be room again after weir_link_send() said WEIR_FULL, or when the link was shut down or
     *  cancelled since, by whichever thread did that. Must not block or call into weir but for weir_context_post(). May be
     *  NULL. Unused by outputs. */
    void (*room)(void *user);
    void *room_user;
    /** Of an input, or a link between plain endpoints: where packets of several inputs wait for the same output those of
     *  the highest priority go first, and inputs of one priority take turns. Packets of one input keep their order, what
     *  is assigned to a receive stays there, and a packet whose `ready` has not come lets lower ones pass. Nothing else
     *  holds higher ones back: lower ones may wait for ever. Unused by outputs. */
    int32_t priority;
    uint32_t reserved; /**< 0 */
} weir_link_config;
/** Defaults of weir_link_config. */
#define WEIR_LINK_CONFIG_INIT                                                                      \
    {                                                                                              \
        sizeof(weir_link_config), 0, 0, NULL, NULL, WEIR_TRANSPORT_AUTO, 0, 0, 0, NULL, NULL, 0, 0 \
    }

/** Join two endpoints. Receive buffers are taken from the destination's pool here.
 *  @param[in] config  NULL for defaults. Of a link between two routers all of it is unused.
 *  @retval WEIR_ERR_INVALID      a self loop, a second link between the pair over this router, a
 *                                circle of routers, or two contexts.
 *  @retval WEIR_ERR_UNSUPPORTED  the transport asked for cannot join a sender to this receiver, as SHM cannot in one
 *                                process and no other between two.
 *  @retval WEIR_ERR_NOMEM        the pool cannot give the buffers. */
weir_status weir_link_create(weir_endpoint *source, weir_endpoint *destination,
                             const weir_link_config *config, weir_link **link_out);
/** Shuts an open input down first. What was sent on it still arrives. Receives of an output that were
 *  not taken end, and packets assigned to them go to another receiver if the policy gave them a choice;
 *  receives that are held stay valid until they are released. NULL is fine.
 *  @par Blocks  until the copies into the link's buffers are over, and no thread is in its `arrived`. */
void weir_link_destroy(weir_link *link);
/** weir_router_cancel() of the router the link belongs to; a link between two plain endpoints has one
 *  of its own. */
void weir_link_cancel(weir_link *link, weir_status status);
/** Of a link into a router, or between plain endpoints: its source. NULL for others. */
weir_endpoint *weir_link_source(const weir_link *link);
/** Where it leads: an endpoint on a device, or a router's. Valid as long as the link. */
weir_endpoint *weir_link_destination(const weir_link *link);
/** As weir_endpoint_user_set() and weir_endpoint_user(). */
void weir_link_user_set(weir_link *link, void *user);
/** That pointer. NULL is fine. */
void *weir_link_user(const weir_link *link);
/** Call @p visit for every link of a context, or of a router (its inputs, its outputs, and links to and from other
 *  routers), the newest first. Meanwhile no link of the process is made or destroyed, in any thread, so handles are
 *  valid during the call, and only then unless the program keeps the link. @p visit may read the link (its statistics,
 *  number, ends, user pointers, names of ends) and nothing else of weir.
 *  @return how many there are. @p visit may be NULL, to count them. */
uint32_t weir_context_links(weir_context *context, void (*visit)(void *user, weir_link *link),
                            void *user);
/** The same for the links of one router. */
uint32_t weir_router_links(weir_router *router, void (*visit)(void *user, weir_link *link),
                           void *user);
/** Of an input: its number among the inputs of its router, in the order linked, which receivers find as `source` of a
 *  packet. Of an output, to an endpoint or to a router: its number among the outputs, by which policies know it. 0 of a
 *  link between plain endpoints. It is the link's until it is destroyed; then the next link made on that side of the
 *  router takes the lowest number that is free. */
uint32_t weir_link_number(const weir_link *link);

/** Send a message on an input.
 *  @param[in]  segment  memory of the source endpoint's device; 0 bytes travel as one empty packet.
 *                       Stays the caller's, unchanged until @p done_out completes.
 *  @param[in]  ready    the bytes are valid after this event, which was recorded; NULL: now. Not to be recorded
 *                       again before @p done_out completes. Until it comes, what others send to the same
 *                       receiver passes; where nobody else can send, or the output is `early`, a packet
 *                       that has no choice is assigned before.
 *  @param[out] done_out completes when the segment may be reused; release it. NULL: not wanted. Packets
 *                       with one possible receiver were copied out of it then, and it does not matter whether
 *                       anybody took them, as with a buffered send. Packets with a choice were also
 *                       taken: do not wait for it in the thread that is to receive. It fails with
 *                       WEIR_CLOSED if no receiver was left.
 *  @retval WEIR_FULL         the input has as much under way as it may: nothing was taken.
 *  @retval WEIR_CLOSED       the link was shut down.
 *  @retval WEIR_ERR_INVALID  not an input, memory of another device, an unconnected router, the policy chose
 *                            nothing, or another call sends on the link just now.
 *  @return the status the router was cancelled with, if it was. A packet that cannot be
 *  put on its way cancels the router; the segment must then stay until the outputs are destroyed. */
weir_status weir_link_send(weir_link *link, const weir_segment *segment, weir_event *ready,
                           weir_future **done_out);

/** weir_link_send() that waits for room where there is none.
 *  @param[in] timeout_ms  negative: without limit.  @retval WEIR_ERR_TIMEOUT  there was none in time.
 *  @return WEIR_CLOSED, or the status of a cancel, if that came meanwhile.
 *  @par Blocks  until there is room. */
weir_status weir_link_send_wait(weir_link *link, const weir_segment *segment, weir_event *ready,
                                int64_t timeout_ms, weir_future **done_out);

/** weir_link_send() of bytes that are valid once what is in @p queue now has run.
 *  @retval WEIR_FULL  as there, or no event of the queue's device is left. */
weir_status weir_link_send_from(weir_link *link, const weir_segment *segment, weir_queue *queue,
                                weir_future **done_out);

/** No more will be sent on this input. Travels behind what was sent; a receiver sees WEIR_CLOSED
 *  once all inputs that reach it are shut down and drained. Calling it again does nothing. */
weir_status weir_link_shutdown(weir_link *link);

/** Take the oldest posted receive of an output that was not taken yet. It may not have been
 *  assigned a packet; several may be held at a time, which is what pipelining is. Until its release the
 *  buffer is the holder's to read and to write.
 *  @retval WEIR_FULL     all buffers are taken: release one first.
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

/** What went over a link since it was made. */
typedef struct weir_link_stats {
    size_t size;                        /**< sizeof(weir_link_stats), set by WEIR_LINK_STATS_INIT */
    uint64_t messages;                  /**< sent on this input */
    uint64_t packets;                   /**< received on this output */
    uint64_t bytes;                     /**< received on this output */
    uint64_t by[WEIR_TRANSPORTS_MAX];   /**< packets received, by how they came: weir_transport */
    uint64_t send_messages, send_bytes; /**< the bounds of this input */
    uint64_t backlog_messages, backlog_bytes; /**< of them: under way on this input now */
    uint64_t failed_over; /**< of these: assigned before to another receiver, which went away */
    uint64_t refused;     /**< sends on this input that came back with WEIR_FULL */
    uint64_t full_ns;     /**< time between such a send and the next room on this input */
    uint64_t
        waiting; /**< packets that wait for a receive of this output now; one that several outputs may take waits
                           *   for each */
    uint64_t posted; /**< receives of this output that wait for a packet now */
    uint64_t
        stalled_ns; /**< time in which packets waited for this output and no receive was posted */
    uint64_t
        starved_ns; /**< time in which receives of this output waited and there was no packet. In a simulation all
                           *   three are times of the simulated machine */
    uint64_t
        overtook; /**< packets of this output that went before some of an input of lower priority */
    uint64_t
        withheld; /**< packets that others could take too, and that this output left to them though a buffer was free,
                           *   since its device was too far behind; for a time, or for good */
} weir_link_stats;
/** weir_link_stats: nothing filled in yet. */
#define WEIR_LINK_STATS_INIT                                                         \
    {                                                                                \
        sizeof(weir_link_stats), 0, 0, 0, {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
/** Read the counters of a link; any thread.
 *  @param[in,out] stats_out  begins as WEIR_LINK_STATS_INIT.
 *  @retval WEIR_ERR_INVALID  it does not: its size was never set, and nothing is filled in. */
weir_status weir_link_stats_get(const weir_link *link, weir_link_stats *stats_out);

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
/** Make @p queue wait until the bytes are there, assigned already or not: see weir_queue_wait_future().
 *  @retval WEIR_ERR_INVALID  nothing was assigned yet, and the queue's stream was handed out (weir_queue_native()):
 *                            weir_pending_wait_assigned() first. */
weir_status weir_pending_gate(weir_pending *pending, weir_queue *queue);
/** The receive as a future; borrowed, valid until the release. */
weir_future *weir_pending_future(weir_pending *pending);
/** Give the buffer back to the link, which posts it again, to be written once what is in @p queue
 *  now has run (NULL: it may be written now). The handle is invalid after. One that a cancel or a
 *  shutdown ended is given back the same way. Memory of weir_link_receive_into() is the program's once
 *  its bytes are there, which a queue gated before the release comes after.
 *  @retval WEIR_FULL         no event of the queue's device is left; the receive is still held: release it
 *                            again when the device has got on.
 *  @retval WEIR_ERR_INVALID  nothing was assigned yet, or NULL and the bytes have not come, or a queue of another
 *                            context or one that weir_pending_gate() would refuse; the receive goes on. Or nobody
 *                            holds it: it was released before.
 *  @return or another failure, which cancels the router; the handle is invalid all the same. */
weir_status weir_pending_release(weir_pending *pending, weir_queue *queue);

#ifdef __cplusplus
}
#endif
#endif
