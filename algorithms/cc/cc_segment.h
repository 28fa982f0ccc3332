/** @file cc_segment.h  A copy of a graph's arcs in host memory, cut into segments for a router. Not installed. */
#ifndef WEIR_ALGORITHMS_CC_SEGMENT_H
#define WEIR_ALGORITHMS_CC_SEGMENT_H

#include "algorithms/algorithms.h"
#include "algorithms/cc/cc_stream_op.h"
#include "runtime/room.h"
#include "runtime/support.h"

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

#endif
