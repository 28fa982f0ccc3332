/** @file web.h  Random dataflow graphs, and a reference that says what must come out of them.
 *
 * A web is planned from a seed: routers that feed routers without a circle, endpoints on both sides of
 * them, a few links straight from endpoint to endpoint. The reference (web_model.c) shares no code with
 * the library: it walks the plan and names, for each packet of a message, the sets of outputs of
 * which exactly one must get it. */
#ifndef WEIR_TESTS_LIB_WEB_H
#define WEIR_TESTS_LIB_WEB_H

#include "tests/lib/flow.h"

#define WEB_ROUTERS 16
#define WEB_ENDS    64
#define WEB_LINKS   160 /* most inputs, and most outputs */
#define WEB_PORTS   20  /* most outputs of a router */
#define WEB_FAN     24  /* most deliveries of one packet */

enum web_kind {
    WEB_ANY,
    WEB_PRIORITY,
    WEB_BROADCAST,
    WEB_SCATTER,
    WEB_GATHER,
    WEB_RING,
    WEB_TREE,
    WEB_DIRECT,
    WEB_OWN, /**< a policy of the test's: what it chooses follows from meta and `salt` */
    WEB_KINDS
};

/** What a router feeds: another router or an output; the other is -1. */
struct web_port {
    int router, output;
    uint32_t end; /**< who it is to policies: an endpoint's number, or WEB_ENDS + a router's */
};

struct web_router {
    struct web *web;
    enum web_kind kind;
    uint32_t number, root, granule;
    uint64_t salt;
    int splits; /**< an own policy may split */
    int leaf;   /**< feeds and is fed by endpoints alone */
    uint32_t ranks[WEB_PORTS];
    uint32_t port_count; /**< made so far, in the order linked */
    struct web_port ports[WEB_PORTS];
    weir_router *handle;
};

/** An input: into a router, or a link between two endpoints (`router` is -1). */
struct web_input {
    uint32_t end;
    int router, output;
    size_t least, typical; /**< smallest packet of the outputs it reaches, and one of them */
    weir_link *link;
};

struct web_output {
    uint32_t end;
    int router; /**< or -1: the output of a direct link */
    size_t packet;
    uint32_t buffers; /**< or WEIR_BUFFERS_NONE */
    weir_transport transport;
    void (*arrived)(void *user);
    void *arrived_user;
    weir_link *link;
};

/** A link that is planned: from and to number endpoints, and behind WEB_ENDS routers. */
struct web_edge {
    uint32_t from, to;
    int input, output; /**< -1 where it is none */
    weir_link *link;
};

struct web {
    weir_context *context;
    uint64_t seed, random;
    int worded; /**< some policy reads meta as an output's number: bytes must tell who sent */
    uint32_t router_count, end_count, input_count, output_count, edge_count;
    weir_endpoint *ends[WEB_ENDS];
    struct web_router routers[WEB_ROUTERS];
    struct web_input inputs[WEB_LINKS];
    struct web_output outputs[WEB_LINKS];
    struct web_edge edges[2 * WEB_LINKS];
    /** Ways from an input to an output, and whether two routers are in one piece. */
    uint8_t ways[WEB_LINKS][WEB_LINKS];
    int piece[WEB_ROUTERS];
};

/** A random number below @p bound. */
uint32_t web_below(struct web *web, uint64_t bound);
/** Draw a graph over the devices of `context`; nothing is built. */
void web_plan(struct web *web, weir_context *context, uint64_t seed);
/** Build it, links in random order. */
void web_open(struct web *web);
/** Destroy all of it in random order, but for the context. */
void web_close(struct web *web);
weir_device *web_device(const struct web *web, uint32_t end);
/** The part of the graph that is cancelled together: of an input, an output. */
int web_input_piece(const struct web *web, uint32_t input);
int web_output_piece(const struct web *web, uint32_t output);
/** Cancel the part of the graph that an input belongs to. */
void web_cancel(struct web *web, uint32_t input, weir_status status);

/* ---- the reference (web_model.c) ---------------------------------------------------------------- */

#define WEB_ITEMS        4096
#define WEB_ALTERNATIVES 512

/** Outputs that get a packet together; one may be there twice. Sorted. */
struct web_set {
    uint32_t count;
    uint16_t outputs[WEB_FAN];
};

/** A packet, and the sets of which one gets it. */
struct web_item {
    size_t offset, bytes;
    uint32_t first, count; /**< into sets */
};

struct web_answer {
    weir_status status; /**< not WEIR_OK: the send is refused, nothing comes out */
    uint32_t item_count, set_count;
    struct web_item items[WEB_ITEMS];
    struct web_set sets[WEB_ALTERNATIVES];
};

/** What a message must become. Items are sorted by offset and bytes. */
void web_expect(const struct web *web, uint32_t input, uint64_t meta, size_t bytes,
                struct web_answer *answer_out);
/** What an own policy chooses; the policy itself asks this as well. */
void web_own_choice(const struct web_router *router, uint64_t meta, uint32_t count,
                    weir_choice *choice_out);
/** Whether what arrived of packets with one offset and size is what @p items say, each exactly once; with
 *  @p partly, whether it can have been on the way there.
 *  @param[in] got  the outputs it arrived at, sorted. */
int web_explains(const struct web_answer *answer, const struct web_item *items, uint32_t item_count,
                 const struct web_set *got, int partly);

#endif
