/** @file resident.h  Arcs that stay in the memory of the devices that made them, until somebody wants them on the host. Not installed.
 *
 * A graph whose arcs lie there has no targets (weir_graph.targets is NULL) before weir_graph_fetch(). Whoever goes over arcs on the host
 * fetches them first; whoever goes over them on devices asks where they lie. */
#ifndef WEIR_ALGORITHMS_GRAPH_RESIDENT_H
#define WEIR_ALGORITHMS_GRAPH_RESIDENT_H

#include "algorithms/algorithms.h"

#include <pthread.h>

/** Consecutive arcs in the memory of one device. */
struct weir__resident_range {
    weir_device *device;
    uint64_t begin, end; /* arcs of the graph */
    uint32_t *targets;   /* on the device, from `begin` on */
};

struct weir_graph_resident {
    weir_context *context; /* lives as long */
    pthread_mutex_t lock;  /* held by who fetches */
    uint32_t ranges;
    struct weir__resident_range range[WEIR_DEVICES_MAX]; /* in order, without gaps */
};

/** Nothing lies there yet. */
weir_status weir__resident_create(weir_context *context, struct weir_graph_resident **resident_out);
/** Free what lies there; NULL is fine. */
void weir__resident_destroy(struct weir_graph_resident *resident);
/** Give the devices' memory back, once the arcs are on the host. By whoever has the graph alone.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE  as of weir_graph_fetch(): they stay. */
weir_status weir__resident_release(const weir_graph *graph);
/** The range that an arc lies in; NULL: the graph's arcs are not on devices, or no more. */
const struct weir__resident_range *weir__resident_at(const weir_graph *graph, uint64_t arc);

#endif
