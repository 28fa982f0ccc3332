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
    WEIR__CHANNEL_FEED, /**< sends packets, each ring its part of the data */
    WEIR__CHANNEL_DRAIN /**< takes them, and stores them into `target` */
};
/** Threads of a worker, which then makes the calls in place of a block. */
#define WEIR__CHANNEL_WORKER 32u
struct weir__channel_args {
    weir_channel_tx tx;
    weir_channel_rx rx;
    const char *data; /**< what is sent; multiples of 16 */
    char *target;     /**< where it goes; of a ping the last packet, or NULL */
    uint64_t bytes;   /**< of all packets of a feed or drain */
    uint32_t packet;  /**< bytes */
    uint32_t rounds;
    uint32_t does, second;
    uint32_t threads; /**< of a block; WEIR__CHANNEL_WORKER: one worker */
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

WEIR_DEV void weir__channel_work(const struct weir__channel_args *a, enum weir_by by, uint32_t ring)
{
    if (a->does == WEIR__CHANNEL_PING)
        weir__channel_ping(a, by);
    else if (a->does == WEIR__CHANNEL_FEED)
        weir__channel_feed(a, by, ring);
    else
        weir__channel_drain(a, by, ring);
}

#ifdef __cplusplus
}
#endif
#endif
