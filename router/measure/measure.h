/** @file measure.h  The benchmarks of links, routers and collectives. Included in router/measure only.
 *
 * They are made of topology/measure's regions and rows. A region holds the queues of the program; the
 * router's own queues are held with them, because every message is sent with a *ready* event that lies
 * behind the region's start. One thread sends and receives: what was sent is taken at once by a receive
 * that is posted already, and a buffer is posted again as soon as its release is in a queue, so that a
 * message of any number of packets is in the queues before the first byte moves. */
#ifndef WEIR_ROUTER_MEASURE_MEASURE_H
#define WEIR_ROUTER_MEASURE_MEASURE_H

#include "router/bench.h"
#include "router/router.h"
#include "topology/measure/schedule.h"

/** The largest packet and message that benchmarks of latency send. */
#define WEIR__SMALL_MOST 65536u

/** Make an endpoint on a device (or home). */
weir_status weir__bench_endpoint(struct bench *bench, uint32_t device, const char *name,
                                 weir_endpoint **endpoint_out);
/** Take the next receive of an output, which must have a packet by now, and gate @p queue on it.
 *  @retval WEIR_ERR_VERIFY  nothing was assigned; the router is cancelled then, as after any failure,
 *                           and nothing is to be released. */
weir_status weir__bench_take(weir_link *link, weir_queue *queue, weir_pending **pending_out,
                             weir_segment *segment_out);
/** The same for a receive that is held already. */
weir_status weir__bench_gate(weir_link *link, weir_queue *queue, weir_pending *pending,
                             weir_segment *segment_out);
/** Give it back behind what is in @p queue; a failure cancels the router. */
weir_status weir__bench_give(weir_link *link, weir_queue *queue, weir_pending *pending);
/** Copy a packet into memory of the same device, before it is given back. */
weir_status weir__bench_keep(weir_queue *queue, char *target, const weir_segment *segment);
/** A seed for the data of one verified run. */
uint64_t weir__bench_seed(struct bench *bench);

/* ---- pacer.c -------------------------------------------------------------------------------- */

#define PACER_MARKS 2

/** Most packets that are put into held queues: with all that the router adds to its own, no stream is
 *  full by then, and a part of a device's events is left. At least 3. */
uint32_t weir__packets_max(const struct bench *bench);

/** Counts packets as they are put into the receiver's queue. When a message has more of them than held
 *  queues take, it opens the gate and waits for the oldest: the time then has the host's part in it. */
struct pacer {
    struct region *region;
    uint32_t queue;
    weir_event *mark[PACER_MARKS];
    uint64_t packets; /* of this run: the caller sets it to 0 */
};
/** @param[in] queue  the receiver's, of an open region. */
weir_status weir__pacer_open(struct pacer *pacer, struct region *region, uint32_t queue);
/** Fine after a failed open and when it is all zeros. No queue may still be on its way to a mark. */
void weir__pacer_close(struct pacer *pacer);
/** After each packet. */
weir_status weir__pacer_step(struct pacer *pacer);

/* ---- wire.c: a link that is measured -------------------------------------------------------- */

struct wire_shape {
    uint32_t from, to; /* devices; bench->devices is home */
    weir_transport transport;
    uint64_t packet;  /* 0: the default */
    uint32_t buffers; /* 0: the default; WEIR_BUFFERS_NONE: packets land in the target */
};

/** What the calling thread spends, by a clock of nanoseconds. */
struct wire_meter {
    uint64_t (*clock)(void); /* NULL: nothing is metered */
    int whole;               /* only the sum, in `send`: the clock is read twice a run */
    uint64_t send, receive;  /* grow */
};

struct wire {
    struct bench *bench;
    struct wire_shape shape;
    weir_endpoint *source, *sink;
    weir_link *link;
    struct region region; /* queue[0] leads, queue[1] receives */
    char *data, *target;
    uint64_t bytes;         /* of each of the two */
    uint64_t size, repeats; /* messages of a run, set by the caller: size * repeats <= bytes */
    int running;            /* the queues are not held: how fast the host is counts, too */
    int bare;               /* no link: copies, for which the receiver's queue waits once */
    struct wire_meter meter;
    int keeps; /* packets are copied into the target */
    struct pacer pacer;
};

/** @param[in] bytes  most of a run.
 *  @retval WEIR_ERR_UNSUPPORTED  the transport cannot join the two. */
weir_status weir__wire_open(struct wire *wire, struct bench *bench, const struct wire_shape *shape,
                            uint64_t bytes);
/** Fine after a failed open. */
void weir__wire_close(struct wire *wire);
/** Send and receive all messages once. */
weir_status weir__wire_run(struct wire *wire, double *ms_out);
/** A row of such runs, then one more on fresh patterns, every byte of which is compared.
 *  @param[in] trial  makes a figure of runs; its user is @p user. */
weir_status weir__wire_row(struct wire *wire, const weir_bench_row *row, weir__trial_fn trial,
                           void *user);
/** A trial whose figure is GB/s; its user is the wire. */
weir_status weir__wire_gbs(void *user, uint64_t number, double *gbs_out);

/* ---- fair.c --------------------------------------------------------------------------------- */

/** Rows of a small message that a device gets while another sender's large one is under way. */
weir_status weir__fair_rows(struct bench *bench);
/** Bytes of the large one. */
uint64_t weir__fair_bytes(const struct bench *bench);

#endif
