/** @file internal.h  What the files of router/collective share. Included there only.
 *
 * A call is cut into *hops*: one packet from one rank to another, which lands in the caller's memory
 * (a copy) or in a buffer of the link, from which a kernel combines it (a reduction). One thread puts
 * all hops of all ranks into queues in an order in which each depends on earlier ones only, so nothing
 * ever waits for what was not put in yet, and the host waits for nothing at all.
 *
 * Each rank has one queue of weir's own, `work`: it waits for what arrives, combines, and marks what may
 * be sent on. For every hop a receive is posted before the send, so a packet is matched at once and with
 * the receive that it is meant for, although ranks have several senders, of which links promise no order. */
#ifndef WEIR_ROUTER_COLLECTIVE_INTERNAL_H
#define WEIR_ROUTER_COLLECTIVE_INTERNAL_H

#include "router/collective.h"
#include "router/collective/reduction.h"
#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define RANKS_MAX (WEIR_DEVICES_MAX + 1)
/** Receive buffers of a link whose packets are combined, and slots for partial results. */
#define BUFFERS 3u
/** Packets that a rank relays at a time. */
#define PASSAGES 4u
/** Packets of each rank's chunk that go one step together: what hides the time from a packet's arrival
 *  to its departure behind other packets' bytes. */
#define BATCH 4u

/** A call, checked. For a broadcast send and recv are its data; where blocks differ, count is the largest. */
struct call {
    weir_collective what;
    uint32_t root;
    const void *const *send;
    void *const *recv;
    size_t count, element, bytes; /* elements, of so many bytes; both of `count` */
    weir_type type;
    weir_op op;
    weir_queue *const *queues;
    const size_t *counts, *send_offsets,
        *recv_offsets; /* all-to-all-v: by sender * ranks + receiver */
};

/** Trees of the ranks that calls go along: one for each root. */
enum shape {
    SHAPE_HEAP, /* two below each, in the order of the ring */
    SHAPE_SPAN, /* a widest spanning tree of the machine */
    SHAPE_STAR, /* all below the root: everybody straight to everybody */
    SHAPES
};

/** By position; the root has position 0, and who is above another has the lower position. */
struct tree {
    uint8_t rank[RANKS_MAX];
    uint8_t above[RANKS_MAX]; /* position of the parent */
    uint8_t first[RANKS_MAX],
        last[RANKS_MAX]; /* positions of its children between which all are; 0: a leaf */
    uint32_t depth;
};

/** How a call can be carried out. */
struct way {
    weir_algorithm algorithm;
    enum shape shape;
    int relays; /* ranks that do not reach each other send over a third one */
    int paced; /* of blocks: a rank receives them one after another, where they would share links for long */
};

/** How it is. */
struct plan {
    struct way way;
    size_t piece; /* bytes of a packet, at most */
};

/** Ring, two trees, direct and paced, with relays and without; kernels of their own (choose.c). */
#define WAYS_MAX 12u

/** Meshes, routers that join all ranks with each other: the number of the receiver is a message's meta. */
enum landing {
    LAND_IN_PLACE,  /* packets land in the caller's memory */
    LAND_IN_BUFFER, /* packets land in the link's buffers, to be combined */
    LANDINGS
};
struct mesh {
    weir_router *router;
    weir_link *in[RANKS_MAX], *out[RANKS_MAX];
};

/** Memory for a partial result on its way up. */
struct slot {
    void *data;
    weir_future *sent; /* complete when the last one in it was sent; or NULL */
};

/** A slot for what a rank relays, and the queue that waits for it: passages do not wait for each other. */
struct passage {
    struct slot slot;
    weir_queue *queue;
};

struct rank {
    weir_device *device;
    weir_endpoint *endpoint;
    weir_queue *work;
    struct slot slots[BUFFERS];
    struct passage passing[PASSAGES];
    uint32_t next_slot, next_passing;
    weir_event *begin;  /* of the call being made: its queue comes to it */
    uint32_t in_flight; /* records that are about this rank */
};

/** What must be kept until it is over. */
struct record {
    weir_event *event;
    weir_future *done; /* over when this is complete; NULL: when `event` is */
    uint32_t from, to;
};

struct weir__nccl;
struct weir__channels;
struct rehearsal; /* choose.c */
struct outlook;
struct weir_collectives {
    weir_context *context;
    weir_algorithm algorithm;
    weir_transport transport;
    int may_reside; /* AUTO may take kernels that wait for each other */
    size_t packet; /* most of packets that are combined: links and slots have so much memory each */
    size_t place;  /* of packets that land where they are wanted, and take none */
    int fixed;     /* the program chose it */
    int gpus;      /* all ranks are */
    uint32_t ranks;
    uint32_t limit; /* records of a rank */
    struct rank rank[RANKS_MAX];
    struct mesh mesh[LANDINGS];
    /* routes.c */
    uint8_t order[RANKS_MAX],
        seat[RANKS_MAX];        /* the ring: order[i] sends to order[i + 1]; seat[order[i]] is i */
    struct tree *trees[SHAPES]; /* by root; NULL: there is none of this shape */
    uint32_t top[SHAPES];       /* the root of an all-reduce */
    uint8_t *via;               /* [from * ranks + to]: the rank between, or `to` */
    uint32_t relays;            /* pairs that have one between */
    double narrowest_gbs;       /* of all pairs of ranks; 0: unknown, or one is the home device */
    double memory_gbs;          /* of the rank whose memory is slowest; 0: unknown */
    int alike;                  /* it makes no difference which rank is the root */
    /* choose.c */
    struct way ways[WAYS_MAX];
    uint32_t way_count;
    pthread_mutex_t planning;    /* guards the rehearsal and what it told */
    struct rehearsal *rehearsal; /* made when it is first asked */
    struct outlook *outlooks;
    struct { /* the last call's plan, which the next one mostly has too */
        weir_collective what;
        uint32_t root;
        size_t bytes; /* 0: there is none yet */
        struct plan plan;
    } last;
    const struct plan *dictated; /* of a set that is a rehearsal itself: what to do */
    uint64_t hops;               /* ever put into queues */
    /* of the call being made */
    int relaying, pacing;
    struct record *records; /* a ring, the oldest first */
    uint32_t first, held, room;
    weir_event **marks;      /* 2 * ranks * (ranks or BATCH): the algorithms'; NULL between calls */
    unsigned char *sends;    /* [from * ranks + to]: the call being made sends so */
    struct weir__nccl *nccl; /* NULL for others */
    struct weir__channels *channels; /* NULL where they are not used */
    pthread_mutex_t lock;            /* guards detail, and who cancels first */
    _Atomic int status; /* WEIR_OK, or what it was cancelled with; release after detail */
    char detail[512];
};

/* ---- collectives.c ---- */
/** What it was cancelled with, and the sentence as this thread's; WEIR_OK while it is good. */
weir_status weir__collectives_status(weir_collectives *c);
/** Cancel with @p status and this thread's sentence. @return what it is cancelled with. */
weir_status weir__collectives_fail(weir_collectives *c, weir_status status);

/* ---- graph.c ---- */
weir_status weir__collectives_build(weir_collectives *c, weir_transport transport);
/** Fine after a failed build. */
void weir__collectives_raze(weir_collectives *c);
void weir__collectives_cancel_meshes(weir_collectives *c, weir_status status);

/** Make a set of what was checked. @param[in] of, dictated  of a rehearsal: the set that it is one of, and what to do in its
 *  calls, which may change between them; else NULL. @return as weir_collectives_create(). */
weir_status weir__collectives_open(weir_context *context, weir_device *const *devices,
                                   uint32_t ranks, const weir_collectives_config *config,
                                   const weir_collectives *of, const struct plan *dictated,
                                   weir_collectives **collectives_out);
/** A checked call whose queues and memory are good: put it into the queues. */
weir_status weir__call_go(weir_collectives *c, const struct call *call);

/** Whether a set has links, over which calls go in hops: all but those that were asked for kernels of their own, NCCL's or
 *  channels'. */
static inline int weir__has_links(const weir_collectives *c)
{
    return c->algorithm != WEIR_ALGORITHM_NCCL && c->algorithm != WEIR_ALGORITHM_CHANNELS;
}

/* ---- routes.c ---- */
/** Ring, trees and relays, from the machine of the context. */
weir_status weir__routes_find(weir_collectives *c);
void weir__routes_free(weir_collectives *c);

/* ---- kernel_times.c ---- */

/* An H200's memory is faster than this, an H100's is not; kernels of collectives take less time on an H200. */
#define FAST_GBS 4000.0

/** Microseconds of a call by channels whose busiest link carries @p load bytes. */
double weir__channels_us(const weir_collectives *c, weir_collective what, double load);
/** The same by NCCL. */
double weir__nccl_us(const weir_collectives *c, weir_collective what, double load);

/* ---- choose.c ---- */
/** Bytes of a rank's chunk of @p bytes, but for the last ones; a multiple of 256. */
size_t weir__chunk(size_t bytes, uint32_t ranks);
/** The ways that this set may take, in the order in which the first of equals wins. */
void weir__ways_list(weir_collectives *c);
weir_status weir__collectives_plan(weir_collectives *c, weir_collective what, uint32_t root,
                                   size_t bytes, struct plan *plan_out);
void weir__rehearsal_close(weir_collectives *c);

/* ---- flight.c ---- */
/** Keep @p event until @p done (NULL: itself) is over; both are taken over. */
void weir__flight_add(weir_collectives *c, weir_event *event, weir_future *done, uint32_t from,
                      uint32_t to);
/** Give back what is over; with @p wait, wait for the oldest first. */
void weir__flight_retire(weir_collectives *c, int wait);
/** Wait until there is room for one more record of both ranks. */
void weir__flight_room(weir_collectives *c, uint32_t from, uint32_t to);
/** An event of a rank's device that marks the present end of @p queue. Waits for events. */
weir_status weir__flight_mark(weir_collectives *c, uint32_t rank, weir_queue *queue,
                              weir_event **event_out);
/** Put the call behind what is in the queues; what comes later behind the call. */
weir_status weir__flight_begin(weir_collectives *c, const struct call *call);
weir_status weir__flight_end(weir_collectives *c, const struct call *call);

/* ---- hop.c ---- */
/** One packet. */
struct hop {
    uint32_t from, to;
    const void *source; /* memory of `from` */
    weir_event *ready;  /* then it may be read */
    void *target;       /* memory of `to`: where the packet, or the combination, goes */
    size_t bytes;
    weir_event *posted; /* then it may be written, of copies; NULL: from the call's begin on */
};
/** @param[out] mark_out  an event of `to`, when target is valid; NULL: not wanted. */
weir_status weir__hop_copy(weir_collectives *c, const struct hop *hop, weir_event **mark_out);
/** target = own op packet, by the receiver. @param[out] sent_out  when source was read, retained;
 *  NULL: not wanted. */
weir_status weir__hop_reduce(weir_collectives *c, const struct hop *hop, const void *own,
                             const struct call *call, weir_event **mark_out,
                             weir_future **sent_out);
/** Memory of a packet's size whose last content was sent by the time the rank's work comes here. At most BUFFERS are
 *  filled and not sent at a time. */
weir_status weir__slot_take(weir_collectives *c, uint32_t rank, struct slot **slot_out);

/* ---- exchange.c ---- */
/** What one rank sends to another when nothing is combined and nothing passed on. */
struct block {
    const void *source;
    void *target;
    size_t bytes;
};
/** Does a collective consist of blocks? */
static inline int weir__exchanges(weir_collective what)
{
    return what == WEIR_COLLECTIVE_ALL_TO_ALL || what == WEIR_COLLECTIVE_GATHER ||
           what == WEIR_COLLECTIVE_SCATTER || what == WEIR_COLLECTIVE_ALL_TO_ALL_V;
}
/** The block of such a call from one rank to another, or to itself; bytes is 0 where there is none. */
struct block weir__block(const weir_collectives *c, const struct call *call, uint32_t from,
                         uint32_t to);
/** All blocks but those from a rank to itself. */
weir_status weir__exchange(weir_collectives *c, const struct call *call, size_t piece);

/* ---- ring.c, tree.c ---- */
weir_status weir__ring(weir_collectives *c, const struct call *call, size_t piece);
/** @param[in] shape  SHAPE_STAR: an all-reduce combines a chunk at each rank, others at rank 0. */
weir_status weir__tree(weir_collectives *c, const struct call *call, enum shape shape,
                       size_t piece);

/* ---- channels.c ---- */
/** Whether the ranks can be joined so. @retval WEIR_ERR_UNSUPPORTED  with a sentence why not. */
weir_status weir__channels_possible(const weir_collectives *c);
weir_status weir__channels_open(weir_collectives *c);
/** Waits for what is under way; fine after a failed open, and where there are none. */
void weir__channels_close(weir_collectives *c);
/** End what is under way. Any thread, any time until they are closed. */
void weir__channels_stop(weir_collectives *c);
weir_status weir__channels_call(weir_collectives *c, const struct call *call);
/** @retval WEIR_PENDING  calls are under way. */
weir_status weir__channels_status(weir_collectives *c);

/* ---- nccl.c ---- */
weir_status weir__nccl_open(weir_collectives *c);
void weir__nccl_close(weir_collectives *c);
/** Begin to end what is under way; waits for nothing. Any thread, any time until it is closed; NULL is fine. */
void weir__nccl_abort(struct weir__nccl *nccl);
weir_status weir__nccl_call(weir_collectives *c, const struct call *call);
/** @retval WEIR_PENDING  calls are under way. */
weir_status weir__nccl_status(weir_collectives *c);
/** Make a GPU current in this thread (nccl_cuda.cu). @return 0, or not. */
int weir__nccl_set_device(int ordinal);

/* ---- small helpers ---- */
static inline const void *weir__at(const void *data, size_t offset)
{
    return (const char *)data + offset;
}
static inline void *weir__to(void *data, size_t offset)
{
    return (char *)data + offset;
}

#endif
