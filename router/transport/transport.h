/** @file transport.h  Transports: one row for each way to carry a packet.
 *
 * A row is a constant in a file of its own, NAME.c, and a line of WEIR_TRANSPORT_MAP (router.h), from which its value, its
 * name, its help and its place in the table and in the statistics come. Nothing else has to know it: what is
 * special to a way stands in its row.
 *
 * A packet is *sent* when the source's memory may be written again, and has *arrived* when the receiver has all of it:
 * two events, which are one where a single copy carries it. Between processes a packet that has arrived lies in the receiver's
 * inbox, memory that the receiver exposes once and the sender attaches to; how many packets fit is for
 * credits to say (process/). */
#ifndef WEIR_ROUTER_TRANSPORT_TRANSPORT_H
#define WEIR_ROUTER_TRANSPORT_TRANSPORT_H

#include "router/internal.h"

/** A packet on its way through the queues of a stream. */
struct crossing {
    struct output *output;
    struct weir_pending *slot;
    const struct stream *stream;
    weir_device *source;
    const void *from;
    size_t bytes;
    weir_event *arrived; /* held by who puts the packet; put() records it */
    weir_event *sent;    /* of put(): its reference, if it succeeds */
    int begun;           /* of put(): a copy is in a queue, or may be, though it failed */
};

struct transport {
    weir_transport which;
    int processes; /* joins two processes; the others join devices of one */
    int bounces;   /* needs the bounce buffer of a receive: weir__slot_bounce() */
    int or_auto;   /* who asks for it means: where that joins the two, else what AUTO takes */
    /* Streams that large packets take turns in: 1, or 2, so that a packet that waits for its buffer stands beside
     * the one before it, not behind. */
    uint32_t streams;
    /* Where nothing was asked for, packets of at most small_bytes take this row, in a stream of their own. */
    weir_transport small;
    size_t small_bytes;
    /** Whether it can carry from @p source to @p destination. Of an end in another process, the home device. */
    int (*joins)(weir_device *source, weir_device *destination);
    /** Fill in the queues of a stream. @param number  which of the send queue's. While building. */
    weir_status (*open)(struct output *output, weir_device *source, uint32_t number,
                        struct stream *stream);
    /** Put the copies of a packet into the stream's queues, which wait for source and receive already. Output locked;
     *  never waits.
     *  @retval WEIR_FULL  there is no event; nothing was put. */
    weir_status (*put)(struct crossing *crossing);
    /** For rows that join processes, NULL in others. The receiver makes an inbox that another process may write, and
     *  registers it for copies. @param[out] handle_out  a descriptor to be sent to that process; the caller's. */
    weir_status (*expose)(weir_context *context, size_t bytes, void **inbox_out, int *handle_out);
    /** The sender reaches the inbox of a handle, which stays the caller's, and registers it. */
    weir_status (*attach)(weir_context *context, int handle, size_t bytes, void **inbox_out);
    /** Either side gives it up; no copy uses it any more. */
    void (*close)(weir_context *context, void *inbox, size_t bytes);
};

#define WEIR__TRANSPORT_DECLARE(id, word, help) \
    extern const struct transport weir__transport_##word;
WEIR_TRANSPORT_MAP(WEIR__TRANSPORT_DECLARE)
#undef WEIR__TRANSPORT_DECLARE

/** The row of that value, or NULL. */
const struct transport *weir__transport_row(uint64_t which);
/** The row by which a receiver that asks for @p asked is reached from other processes, or NULL. */
const struct transport *weir__transport_between(weir_transport asked);

/** Whether a device starts copies by itself: a GPU does, and so does a simulated device, which plays one. */
int weir__has_copy_engine(const weir_device *device);

/* ---- what rows share (single.c): packets that one copy carries ---------------------------------- */

/** Copies start in the receiver's queue. */
weir_status weir__open_pull(struct output *output, weir_device *source, uint32_t number,
                            struct stream *stream);
/** In a queue of the source. */
weir_status weir__open_push(struct output *output, weir_device *source, uint32_t number,
                            struct stream *stream);
/** In the queue of whichever is a GPU; the receiver's if none is. */
weir_status weir__open_gpu(struct output *output, weir_device *source, uint32_t number,
                           struct stream *stream);
/** One copy by the queue's copy engine, or host thread. */
weir_status weir__put_copy(struct crossing *crossing);
/** The copy was put: it is the whole packet. */
weir_status weir__crossing_end(struct crossing *crossing);

#endif
