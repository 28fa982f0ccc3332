/** @file cc_stream.h  What the files of streamed components share. Not installed.
 *
 *     host --feed--> [to devices: any] --in--> device --out--> [upwards: direct] --back--> its parent
 *                                                                                --result--> host
 *
 * Segments of arcs go to whichever device is free; then each device takes the parents of its children in the
 * planned tree, and sends its own on: to its parent, the top to the host. A run is one over two routers
 * (algorithms/common/dataflow.h). */
#ifndef WEIR_ALGORITHMS_CC_STREAM_H
#define WEIR_ALGORITHMS_CC_STREAM_H

#include "algorithms/cc/cc.h"
#include "algorithms/common/dataflow.h"
#include "runtime/room.h"

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
/** Host memory, page-locked where there are GPUs. @param[in] what  "labels", for the sentence.
 *  @retval WEIR_ERR_NOMEM  with *data_out NULL. */
weir_status weir__cc_locked_alloc(weir_context *context, uint64_t bytes, const char *what,
                                  uint32_t **data_out);
/** NULL is fine. */
void weir__cc_locked_free(weir_context *context, uint32_t *data);

/* ---- the object and a run ---- */

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
    struct weir__dataflow_owner owner;
};

/** What the thread of a device did; its own until it was joined. */
typedef struct weir__cc_worker {
    uint32_t
        output; /* number of its `back` among the outputs of the router; it has one if it has children */
    uint64_t segments, bytes;
    double stream_ms; /* from the start of the run until its segments were linked */
} weir__cc_worker;

typedef struct weir__cc_run {
    struct weir__dataflow flow; /* first */
    weir__cc_streamed *cc;
    uint32_t outputs; /* of the router upwards so far; the host's link is the last one */
    weir__cc_worker worker[WEIR_DEVICES_MAX];
} weir__cc_run;

/* cc_stream_worker.c: weir__dataflow_form.open and work. */
weir_status weir__cc_open(struct weir__dataflow_device *on);
weir_status weir__cc_work(struct weir__dataflow_device *on);

#endif
