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

/** How a call is carried out. */
struct plan {
    weir_algorithm algorithm;
    size_t piece; /* bytes of a packet, at most */
};

/** Meshes, routers that join all ranks with each other: the number of the receiver is a message's meta. */
enum way {
    WAY_PLACE,   /* packets land in the caller's memory */
    WAY_COMBINE, /* packets land in the link's buffers, to be combined */
    WAYS
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

struct rank {
    weir_device *device;
    weir_endpoint *endpoint;
    weir_queue *work;
    struct slot slots[BUFFERS];
    uint32_t next_slot;
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
struct weir_collectives {
    weir_context *context;
    weir_algorithm algorithm;
    size_t packet; /* most of packets that are combined: links and slots have so much memory each */
    size_t place;  /* of packets that land where they are wanted, and take none */
    int fixed;     /* the program chose it */
    int gpus;      /* all ranks are */
    uint32_t ranks;
    uint32_t limit; /* records of a rank */
    struct rank rank[RANKS_MAX];
    struct mesh mesh[WAYS];
    struct record *records; /* a ring, the oldest first */
    uint32_t first, held, room;
    weir_event **marks;      /* 2 * ranks * (ranks or BATCH): the algorithms'; NULL between calls */
    unsigned char *sends;    /* [from * ranks + to]: the call being made sends so */
    struct weir__nccl *nccl; /* NULL for others */
    struct weir__channels *channels; /* NULL where they are not used */
    pthread_mutex_t lock;    /* guards detail, and who cancels first */
    _Atomic int status;      /* WEIR_OK, or what it was cancelled with; release after detail */
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

/* ---- choose.c ---- */
/** Bytes of a rank's chunk of @p bytes, but for the last ones; a multiple of 256. */
size_t weir__chunk(size_t bytes, uint32_t ranks);
/** Steps from the root of a tree to its deepest leaf. */
uint32_t weir__depth(uint32_t ranks);
struct plan weir__collectives_plan(const weir_collectives *c, weir_collective what, size_t bytes);

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
};
/** @param[out] mark_out  an event of `to`, when target is valid; NULL: not wanted. */
weir_status weir__hop_copy(weir_collectives *c, const struct hop *hop, weir_event **mark_out);
/** target = own op packet, by the receiver. @param[out] sent_out  when source was read, retained;
 *  NULL: not wanted. */
weir_status weir__hop_reduce(weir_collectives *c, const struct hop *hop, const void *own,
                             const struct call *call, weir_event **mark_out,
                             weir_future **sent_out);
/** Memory of a packet's size whose last content was sent by the time the rank's work comes here. */
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
weir_status weir__tree(weir_collectives *c, const struct call *call, size_t piece);

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
