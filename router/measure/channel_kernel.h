/** @file channel_kernel.h  The kernels of the benchmark of channels, in the common dialect. */
#ifndef WEIR_ROUTER_MEASURE_CHANNEL_KERNEL_H
#define WEIR_ROUTER_MEASURE_CHANNEL_KERNEL_H

#include "router/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a kernel does. */
enum {
    WEIR__CHANNEL_PING, /**< sends, then takes, so many rounds; the other way around with `second` set */
    WEIR__CHANNEL_FEED,   /**< sends packets, each ring its part of the data */
    WEIR__CHANNEL_DRAIN,  /**< takes them, and stores them into `target` */
    WEIR__CHANNEL_FORWARD /**< has a message go on to the next device as it comes */
};
/** Threads of a worker, which then makes the calls in place of a block. */
#define WEIR__CHANNEL_WORKER 32u
/** Threads of a block that has much to move. */
#define WEIR__CHANNEL_THREADS 512u
/** Such blocks that a multiprocessor has at once. */
#define WEIR__CHANNEL_PER_UNIT 2u
struct weir__channel_args {
    weir_channel_tx tx;
    weir_channel_rx rx;
    const char *data; /**< what is sent; multiples of 16 */
    char *target;     /**< where it goes; of a ping the last packet, or NULL */
    uint64_t bytes;   /**< of all packets of a feed or drain */
    uint32_t packet;  /**< bytes */
    uint32_t rounds;
    uint32_t does, second;
    uint32_t takes, sends; /**< of a forward: there is a device before this one, or behind */
    uint32_t rings, share; /**< of a forward: all, and those that share a packet */
    uint32_t threads;      /**< of a block; WEIR__CHANNEL_WORKER: one worker */
};
extern const weir_kernel weir__channel_kernel;
int weir__channel_cuda(void *stream, uint32_t workers, const void *args);

WEIR_DEV void weir__channel_ping(const struct weir__channel_args *a, enum weir_by by)
{
    weir_channel_sender out = weir_channel_sender_open(&a->tx, 0);
    weir_channel_receiver in = weir_channel_receiver_open(&a->rx, 0);
    int good = WEIR_CHANNEL_DONE;
    const void *got;
    uint32_t bytes;
    for (uint32_t i = 0; i < a->rounds && good == WEIR_CHANNEL_DONE; i++) {
        if (!a->second)
            good = weir_channel_put(&out, by, a->data, a->packet);
        if (good == WEIR_CHANNEL_DONE)
            good = weir_channel_take(&in, by, &got, &bytes);
        if (good == WEIR_CHANNEL_DONE &&
            a->second) /* the slot is given back when the reply is on its way */
            good = weir_channel_put(&out, by, a->data, a->packet);
        if (good == WEIR_CHANNEL_DONE) {
            if (a->target && i + 1 == a->rounds)
                weir__channel_copy(by, a->target, got, bytes);
            weir_channel_release(&in, by);
        }
    }
}

/* Ring r has packets r, r + rings and so on. */
WEIR_DEV void weir__channel_feed(const struct weir__channel_args *a, enum weir_by by, uint32_t ring)
{
    weir_channel_sender out = weir_channel_sender_open(&a->tx, ring);
    int good = WEIR_CHANNEL_DONE;
    for (uint64_t at = (uint64_t)ring * a->packet; at < a->bytes && good == WEIR_CHANNEL_DONE;
         at += (uint64_t)a->tx.rings * a->packet) {
        const uint64_t left = a->bytes - at;
        good =
            weir_channel_put(&out, by, a->data + at, left < a->packet ? (uint32_t)left : a->packet);
    }
}

WEIR_DEV void weir__channel_drain(const struct weir__channel_args *a, enum weir_by by,
                                  uint32_t ring)
{
    weir_channel_receiver in = weir_channel_receiver_open(&a->rx, ring);
    int good = WEIR_CHANNEL_DONE;
    const void *got;
    uint32_t bytes;
    for (uint64_t at = (uint64_t)ring * a->packet; at < a->bytes && good == WEIR_CHANNEL_DONE;
         at += (uint64_t)a->rx.rings * a->packet)
        if ((good = weir_channel_take(&in, by, &got, &bytes)) == WEIR_CHANNEL_DONE) {
            weir__channel_copy(by, a->target + at, got, bytes);
            weir_channel_release(&in, by);
        }
}

/** Part @p part of @p parts of a packet of @p chunks of 16 bytes. All begin at a cache line of the packet; the last ones of
 *  a small packet are empty. */
struct weir__slice {
    uint64_t begin, end;
};
WEIR_DEV struct weir__slice weir__slice_of(uint64_t chunks, uint32_t part, uint32_t parts)
{
    const uint64_t line = 8;
    const uint64_t length = ((chunks + parts - 1) / parts + line - 1) / line * line;
    struct weir__slice slice = {part * length, (part + 1) * length};
    slice.begin = slice.begin < chunks ? slice.begin : chunks;
    slice.end = slice.end < chunks ? slice.end : chunks;
    return slice;
}

/* A forward's channels carry packets of 0 bytes, which say that a ring's share of a packet lies in the next device's
 * memory. The first `share` rings have packet 0, the next ones packet 1, and so on around, so that some store while others
 * wait until what they stored is there. Nobody waits for one further down but for room in a ring. */
WEIR_DEV void weir__channel_forward(const struct weir__channel_args *a, enum weir_by by,
                                    uint32_t ring)
{
    const uint64_t stride = (uint64_t)(a->rings / a->share) * a->packet;
    const uint32_t part = ring % a->share;
    weir_channel_sender out;
    weir_channel_receiver in;
    int good = WEIR_CHANNEL_DONE;
    if (a->sends)
        out = weir_channel_sender_open(&a->tx, ring);
    if (a->takes)
        in = weir_channel_receiver_open(&a->rx, ring);
    for (uint64_t at = (uint64_t)(ring / a->share) * a->packet;
         at < a->bytes && good == WEIR_CHANNEL_DONE; at += stride) {
        const uint64_t left = a->bytes - at, bytes = left < a->packet ? left : a->packet;
        const struct weir__slice mine = weir__slice_of(bytes / 16, part, a->share);
        const void *nothing;
        uint32_t none;
        if (a->takes)
            good = weir_channel_take(&in, by, &nothing, &none);
        if (good == WEIR_CHANNEL_DONE && a->sends) {
            weir__channel_copy(by, a->target + at + 16 * mine.begin, a->data + at + 16 * mine.begin,
                               (uint32_t)(16 * (mine.end - mine.begin)));
            good = weir_channel_put(&out, by, a->data, 0);
        }
        if (good == WEIR_CHANNEL_DONE && a->takes)
            weir_channel_release(&in, by);
    }
}

/** How many rings a kernel serves, a block each. */
static inline uint32_t weir__channel_rings(const struct weir__channel_args *a)
{
    return a->does == WEIR__CHANNEL_FORWARD ? a->rings
           : a->does == WEIR__CHANNEL_FEED  ? a->tx.rings
           : a->does == WEIR__CHANNEL_DRAIN ? a->rx.rings
                                            : 1;
}

WEIR_DEV void weir__channel_work(const struct weir__channel_args *a, enum weir_by by, uint32_t ring)
{
    if (a->does == WEIR__CHANNEL_PING)
        weir__channel_ping(a, by);
    else if (a->does == WEIR__CHANNEL_FEED)
        weir__channel_feed(a, by, ring);
    else if (a->does == WEIR__CHANNEL_FORWARD)
        weir__channel_forward(a, by, ring);
    else
        weir__channel_drain(a, by, ring);
}

#ifdef __cplusplus
}
#endif
#endif
