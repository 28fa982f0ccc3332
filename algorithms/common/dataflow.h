/** @file dataflow.h  A run over two routers: packets go from the host to devices, and what these make of them goes on
 * over another router, into an array of the host in the end. Not installed.
 *
 *     host --feed--> [to devices] --in--> device 0 --out--> [onwards] --result--> host
 *                                 --in--> device 1 --out-->
 *
 * The algorithm says how the routers decide, what the host sends and what a device does; this file builds the graph
 * of links, starts a thread for each device, receives the results where they belong, and ends the run. A run builds
 * the graph anew, because a shutdown, by which all learn that nothing more will come, closes links for good.
 *
 * Whatever stops a run (a failure anywhere, a cancel, the time limit) cancels both routers with its status; then all
 * waits end, and nothing else has to be told.
 *
 * Locks: weir__dataflow_owner.lock before weir__dataflow.lock, and nothing is called under the second. */
#ifndef WEIR_ALGORITHMS_COMMON_DATAFLOW_H
#define WEIR_ALGORITHMS_COMMON_DATAFLOW_H

#include "router/router.h"
#include "runtime/support.h"

struct weir__dataflow;

/** A device that takes part. */
struct weir__dataflow_device {
    struct weir__dataflow *flow;
    uint32_t index;
    uint32_t buffers; /**< of the links that lead to it; set before a run */
    weir_device *device;
    weir_endpoint *endpoint;
    weir_link *in, *out;
    weir_link *back; /**< made by `open`: from the router onwards to this device; NULL: none */
    weir_queue *queue;
    pthread_t thread;
    int opened, started;
};

/** What an algorithm says of its runs: one const object. */
struct weir__dataflow_form {
    const char *what;    /**< in sentences: "cc" */
    const char *onwards; /**< name of the router that devices send to */
    /** What a device has beside its links and its queue; may be NULL. */
    weir_status (*open)(struct weir__dataflow_device *device);
    /** Free that; also after `open` has failed. Links are gone, threads have ended. May be NULL. */
    void (*close)(struct weir__dataflow_device *device);
    /** The caller's thread sends all there is on flow->feed, which is shut down behind it. */
    weir_status (*feed)(struct weir__dataflow *flow);
    /** The thread of a device, until it has shut its `out` down. A failure ends the run. */
    weir_status (*work)(struct weir__dataflow_device *device);
    /** A result of segment->bytes will lie @p offset bytes behind the begin of the output. May be NULL. */
    weir_status (*result)(struct weir__dataflow *flow, const weir_segment *segment,
                          uint64_t offset);
};

/** The part of an algorithm's object by which a run is cancelled. */
struct weir__dataflow_owner {
    const struct weir__dataflow_form *form;
    pthread_mutex_t lock;
    struct weir__dataflow *flow; /**< under way, or NULL; guarded by lock */
    int cancelled;               /**< until a run has seen it; guarded by lock */
};

/** A run: the first member of an algorithm's own. 0 before, but for what is to be set. */
struct weir__dataflow {
    weir_context *context;     /* set before a run, as is all up to output_bytes */
    uint32_t devices;          /* the first so many of the context */
    uint32_t time_limit_ms;    /* 0: none */
    weir_policy spread;        /* of the router to the devices */
    weir_policy collect;       /* of the router onwards */
    size_t packet_bytes;       /* of a packet that a device or the host takes, at most */
    void *output;              /* where results go, one behind the other */
    uint64_t output_bytes;     /* it has room for; no more may come */
    uint64_t start_ns, end_ns; /* of the context's clock: first send, last arrival */
    double prepare_ms;         /* building the graph of links */
    uint64_t deadline_ns;      /* of the monotonic clock; 0: none */
    const struct weir__dataflow_form *form;
    weir_endpoint *host;
    weir_router *to_devices, *onwards;
    weir_link *feed, *result; /* the host's */
    struct weir__dataflow_device device[WEIR_DEVICES_MAX];
    pthread_mutex_t lock;
    weir_status status; /* the first failure; guarded by lock */
    char *detail;       /* its sentence, or NULL; guarded by lock */
};

void weir__dataflow_owner_init(struct weir__dataflow_owner *owner,
                               const struct weir__dataflow_form *form);
void weir__dataflow_owner_destroy(struct weir__dataflow_owner *owner);
/** End the run that is under way, or the next one, with WEIR_ERR_CANCELLED. Any thread. */
void weir__dataflow_cancel(struct weir__dataflow_owner *owner);

/** Build the graph, run, and free the graph. @par Blocks  until all threads have ended.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, or what a function of the form returned first. */
weir_status weir__dataflow_run(struct weir__dataflow_owner *owner, struct weir__dataflow *flow);
/** Milliseconds since the first send. */
double weir__dataflow_ms(const struct weir__dataflow *flow);
/** Milliseconds until the time limit, 0 when it has passed, -1 without one: for waits of the caller's thread. */
int64_t weir__dataflow_left_ms(const struct weir__dataflow *flow);
/** What the end of such a wait means: WEIR_ERR_TIMEOUT with the run's sentence, others as they are. */
weir_status weir__dataflow_explain(const struct weir__dataflow *flow, weir_status status);
/** Keep the first failure with this thread's sentence, and end all that is under way. Any thread of the run. */
void weir__dataflow_fail(struct weir__dataflow *flow, weir_status status);

#endif
