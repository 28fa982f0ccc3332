/** @file cc_stream.h  What the files of streamed components share. Not installed.
 *
 *     host --feed--> [to devices: any] --in--> device --out--> [up the tree: direct] --up--> its parent
 *                                                                                   --result--> host
 *
 * Segments of arcs go to whichever device is free; then each device takes the parents of its children in the
 * planned tree, and sends its own on: to its parent, the top to the host. A run builds the routers anew, because
 * a shutdown, by which devices learn that no segment is left, closes links for good. Threads of a run: the
 * caller's feeds and takes the result, and each device has one.
 *
 * Locks: weir__cc_streamed.lock before weir__cc_flow.lock, and nothing is called under the second. */
#ifndef WEIR_ALGORITHMS_CC_STREAM_H
#define WEIR_ALGORITHMS_CC_STREAM_H

#include "algorithms/cc/cc.h"
#include "algorithms/cc/cc_stream_op.h"
#include "runtime/support.h"
#include "runtime/room.h"

extern const weir_kernel weir__cc_stream_kernel;

/* ---- cc_segment.c: a copy of the graph's arcs in host memory, cut into segments ---- */

typedef struct weir__cc_segments {
    uint32_t *data; /* page-locked where there are GPUs */
    uint64_t words, arcs;
    uint64_t count;
    uint64_t *first; /* count + 1: where each begins in data */
    weir_context *context;
} weir__cc_segments;

/** @param[in] bytes  of a segment at most, a multiple of 4. */
weir_status weir__cc_segments_create(weir_context *context, const weir_graph *graph, size_t bytes,
                                     weir__cc_segments *segments_out);
/** What that needs, @p bytes being those of a segment. */
void weir__cc_segments_need(const weir_graph *graph, size_t bytes, struct weir__need *need);
void weir__cc_segments_destroy(weir__cc_segments *segments);

/* ---- the object and a run ---- */

typedef struct weir__cc_flow weir__cc_flow;

enum { WEIR__CC_BUFFERS = 3 }; /* of a link: one comes, one is linked, one waits */

struct weir__cc_streamed {
    weir_context *context;
    weir__cc_segments segments;
    weir__cc_plan plan;
    uint64_t vertices, arcs;
    uint32_t devices, time_limit_ms;
    weir_transport transport; /* between devices */
    size_t packet_bytes;
    uint32_t *parent[WEIR_DEVICES_MAX]; /* device memory */
    uint32_t *labels;                   /* of the last run; page-locked where there are GPUs */
    pthread_mutex_t lock;
    weir__cc_flow *flow; /* under way, or NULL; guarded by lock */
    int cancelled;       /* a run takes it back; guarded by lock */
};

typedef struct weir__cc_worker {
    weir__cc_flow *flow;
    weir_device *device;
    uint32_t index;
    weir_endpoint *endpoint;
    weir_link *in, *out; /* segments; its parents, to who is above it */
    weir_link *up;       /* the parents of its children; NULL: it has none */
    uint32_t output;     /* number of `up` among the outputs of its router */
    weir_queue *queue;
    pthread_t thread;
    int started;
    uint64_t segments, bytes; /* the thread's until it was joined */
    double stream_ms;         /* from the start of the run until its segments were linked */
} weir__cc_worker;

struct weir__cc_flow {
    weir__cc_streamed *cc;
    uint64_t start_ns, deadline_ns; /* the second by the monotonic clock; 0: none */
    weir_endpoint *host;
    weir_router *to_devices, *upwards;
    weir_link *feed, *result; /* the host's */
    uint32_t result_output;   /* number of `result` among the outputs of its router */
    weir__cc_worker worker[WEIR_DEVICES_MAX];
    pthread_mutex_t lock;
    weir_status status; /* the first failure; guarded by lock */
    char *detail;       /* its sentence, or NULL; guarded by lock */
};

/* cc_stream_graph.c: build the routers; on failure the second frees what there is. */
weir_status weir__cc_flow_open(weir__cc_flow *flow);
void weir__cc_flow_close(weir__cc_flow *flow);

/* cc_stream_worker.c: a device's thread. */
void *weir__cc_work(void *worker);

/* cc_stream_run.c: keep the first failure with this thread's sentence, and end what is under way. */
void weir__cc_flow_fail(weir__cc_flow *flow, weir_status status);

#endif
