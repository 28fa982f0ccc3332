/** @file internal.h  The router layer's own structs. Included in router/ only.
 *
 * Lock rules. Each output has a lock; no two outputs' locks are held at a time. A message's lock
 * may be taken inside an output's, a future's inside both. A program's `arrived` callback is called
 * with no lock held. */
#ifndef WEIR_ROUTER_INTERNAL_H
#define WEIR_ROUTER_INTERNAL_H

#include "router/router.h"
#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define PORTS_MAX WEIR_ROUTER_PORTS_MAX

struct weir_endpoint {
    weir_context *context;
    weir_device *device; /* NULL for a router's */
    weir_router *router; /* NULL for a device's */
    char name[32];
};

/* ---- messages (message.c) ------------------------------------------------------------------- */

/** One packet's worth of a message, offered to one output or to several. */
struct parcel {
    struct message *message;
    size_t offset, bytes;
    atomic_int claimed; /* 0 until an output takes it; acq_rel: who takes it owns it */
};

/** A parcel in the send queue of one output; a parcel of several candidates has one in each, and
 *  those that come too late are stale and dropped (Groute 4.2). */
struct offer {
    struct offer *next;
    struct parcel *parcel; /* NULL: the mark that an input was shut down */
};

/** Sent once, cut into parcels, done when the last of them was copied. One block of memory. */
struct message {
    _Atomic uint32_t references; /* offers, and the sender while it cuts; acq_rel */
    weir_segment segment;
    weir_event *ready;    /* borrowed, may be NULL */
    weir_future *done;    /* may be NULL */
    pthread_mutex_t lock; /* guards all below */
    uint32_t parcels_left;
    weir_status status; /* of the first parcel that failed */
    uint32_t tail_count;
    struct tail {
        weir_queue *queue;
        weir_event *event; /* behind this message's last copy in that queue */
    } tails[2 * PORTS_MAX];
    struct offer *offers;
    struct parcel parcels[];
};

/** @param[in] offers_each  outputs each parcel is offered to. @p done_out may be NULL. */
weir_status weir__message_create(weir_context *context, const weir_segment *segment,
                                 weir_event *ready, uint32_t parcels, uint32_t offers_each,
                                 weir_future **done_out, struct message **message_out);
void weir__message_unref(struct message *message);
/** Make sure that a copy put into @p queue can be noted: before it is put there. */
weir_status weir__message_reserve(struct message *message, weir_queue *queue);
/** A parcel's copy was put into @p queue (NULL: it never will be, for @p status). */
void weir__message_parcel_done(struct message *message, weir_queue *queue, weir_status status);

/* ---- outputs (output.c, transfer.c) --------------------------------------------------------- */

/** A receive buffer and the receive it is posted for. */
struct weir_pending {
    struct output *output;
    void *data;           /* packet_bytes of the destination's memory */
    void *bounce;         /* as much of page-locked host memory, if some source needs it */
    weir_future *future;  /* complete when the bytes are there */
    weir_segment segment; /* valid once assigned is WEIR_OK */
    weir_status assigned; /* WEIR_PENDING until matched or ended */
    weir_event *reuse;    /* the buffer is free after this; kept until the next release */
};

struct output {
    weir_router *router;
    weir_endpoint *destination;
    size_t packet_bytes;
    uint32_t buffers;
    int staged; /* always through host memory */
    void (*arrived)(void *user);
    void *arrived_user;
    weir_queue *pull;                       /* on the destination's device */
    weir_queue *push[WEIR_DEVICES_MAX + 1]; /* on a source's device: from GPUs, and where staged */
    pthread_mutex_t lock;                   /* guards all below */
    struct offer *first, *last;             /* the send queue */
    uint32_t inputs_closed;
    weir_status ended; /* WEIR_OK while open, then WEIR_CLOSED or the failure */
    struct weir_pending *slots;
    uint32_t *order;                 /* slots in the order posted; `buffers` long, a ring */
    uint64_t posted, matched, taken; /* counts into order: taken <= posted, matched <= posted */
    weir_link_stats stats;
};

weir_status weir__output_create(weir_router *router, weir_endpoint *destination,
                                const weir_link_config *config, struct output **output_out);
void weir__output_destroy(struct output *output);
/** Make what copies from @p source need: queues, bounce buffers. At build time. */
weir_status weir__output_prepare(struct output *output, weir_device *source);
/** Put an offer behind the others and match; offer->parcel NULL marks a shutdown. */
weir_status weir__output_offer(struct output *output, struct offer *offer);
/** End every open receive, drop every offer. */
void weir__output_end(struct output *output, weir_status status);
/** Post a buffer again after its release. */
weir_status weir__output_repost(struct output *output, struct weir_pending *slot);

/** Copy a parcel into a slot's buffer; the slot's future completes with it. Output locked. */
weir_status weir__transfer(struct output *output, struct weir_pending *slot, struct parcel *parcel);

/* ---- routers and links ---------------------------------------------------------------------- */

/** The shutdown of an input, one offer for each output. The router's own: they may stand in send
 *  queues longer than their link lives. */
struct marks {
    struct marks *next;
    struct offer offers[PORTS_MAX];
};

struct weir_router {
    weir_context *context;
    weir_policy policy;
    weir_endpoint self;
    _Atomic int status; /* WEIR_OK or what it was cancelled with; release after detail */
    pthread_mutex_t cancel_lock;
    char detail[512]; /* the sentence of who cancelled first; written before status, once */
    _Atomic uint32_t inputs_shut; /* relaxed: read while building, for outputs made later */
    uint32_t input_count, output_count;
    weir_endpoint *inputs[PORTS_MAX]; /* where they come from; NULL once the link is gone */
    struct output *outputs[PORTS_MAX];
    weir_endpoint *candidates[PORTS_MAX]; /* destinations of the outputs, as policies see them */
    struct marks *marks;                  /* of all inputs that there ever were */
};

/** What the router was cancelled with, and its sentence as this thread's; WEIR_OK while it is open. */
weir_status weir__router_status(weir_router *router);

struct weir_link {
    weir_router *router;
    weir_router *own;          /* the private router of a link between two plain endpoints */
    weir_endpoint *source;     /* of an input; NULL if the link is only an output */
    struct output *output;     /* NULL if the link is only an input */
    int closed;                /* the input was shut down */
    struct marks *marks;       /* of an input; the router's */
    _Atomic uint64_t messages; /* relaxed: a statistic */
};

#endif
