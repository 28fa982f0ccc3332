/** @file cc_stream.c  Streamed components: the object. */
#include "algorithms/cc/cc_stream.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From 16 MiB on a GPU's host link carries nearly all it can. Below 64 KiB starting a kernel takes longer than
 * the arcs do. */
#define PACKET_MOST  ((size_t)16 << 20)
#define PACKET_LEAST ((size_t)64 << 10)
#define PACKET_SHARE 8u /* segments that each device should get at least */

/* Six buffers and the parents are all that a device holds. */
static size_t packet_of(const weir__cc_streamed *cc, const weir_graph *graph)
{
    uint64_t bytes = (graph->arcs * 4 + graph->vertices * 8) / (cc->devices * PACKET_SHARE);
    bytes = bytes < PACKET_LEAST ? PACKET_LEAST : bytes;
    bytes = bytes > PACKET_MOST ? PACKET_MOST : bytes;
    for (uint32_t d = 0; d < cc->devices; d++) {
        weir_pool_stats pool;
        weir_device_pool_stats(weir_context_device(cc->context, d), &pool);
        uint64_t left = pool.bound_bytes > pool.used_bytes ? pool.bound_bytes - pool.used_bytes : 0;
        bytes = bytes > left / 8 ? left / 8 : bytes;
    }
    return bytes < 256 ? 256 : (size_t)bytes / 256 * 256;
}

static weir_status take_labels(weir__cc_streamed *cc)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (cc->vertices * sizeof *cc->labels + page) / page * page;
    weir_status status;
    if (!(cc->labels = aligned_alloc(page, bytes)))
        return weir__fail(WEIR_ERR_NOMEM, "no memory for %zu bytes of labels", bytes);
    if ((status = weir_memory_register(cc->context, cc->labels, bytes))) {
        free(cc->labels);
        cc->labels = NULL;
        return status;
    }
    for (uint64_t v = 0; v < cc->vertices; v++) /* before a run everybody is alone */
        cc->labels[v] = (uint32_t)v;
    return WEIR_OK;
}

/* A device holds the parents and buffers of two links; with few arcs most buffers stay empty. */
static weir_status fits(const weir__cc_streamed *cc, const weir_graph *graph,
                        const weir_run_options *options)
{
    const uint64_t n = graph->vertices, sent = graph->arcs * 4 + n * 4;
    struct weir__need need = {0, 0};
    for (uint32_t d = 0; d < cc->devices; d++) {
        const weir_device *device = weir_context_device(cc->context, d);
        const uint64_t buffers = WEIR__CC_BUFFERS * cc->packet_bytes;
        weir__need_take_on(&need, device, n, 4);
        weir__need_take_on(&need, device, buffers < sent ? buffers : sent, 1);
        if (cc->plan.children[d])
            weir__need_take_on(&need, device, buffers < n * 4 ? buffers : n * 4, 1);
    }
    weir__need_take(&need, n, sizeof *cc->labels);
    weir__cc_segments_need(graph, cc->packet_bytes, &need);
    weir__need_take(&need, options->reserved_bytes, 1);
    return weir__need_fits(&need, "connected components of %s", graph->name);
}

static weir_status create_all(weir__cc_streamed *cc, const weir_graph *graph,
                              const weir_run_options *options, size_t packet_bytes)
{
    weir_status status = weir__cc_plan_make(cc->context, cc->devices, options->route, &cc->plan);
    cc->packet_bytes = packet_bytes ? packet_bytes : packet_of(cc, graph);
    if (!status)
        status = fits(cc, graph, options);
    for (uint32_t d = 0; d < cc->devices && !status; d++) {
        void *place;
        if (!(status = weir_device_alloc(weir_context_device(cc->context, d),
                                         (size_t)cc->vertices * 4, &place)))
            cc->parent[d] = place;
    }
    if (status || (status = take_labels(cc)))
        return status;
    return weir__cc_segments_create(cc->context, graph, cc->packet_bytes, &cc->segments);
}

weir_status weir__cc_streamed_create(weir_context *context, const weir_graph *graph,
                                     uint32_t devices, const weir_run_options *options,
                                     size_t packet_bytes, weir__cc_streamed **out)
{
    weir__cc_streamed *cc;
    weir_status status;
    *out = NULL;
    if (packet_bytes && (packet_bytes < 64 || packet_bytes % 16))
        return weir__fail(WEIR_ERR_INVALID, "segments of %zu bytes: multiples of 16 from 64 on",
                          packet_bytes);
    if ((status = weir__calloc(1, sizeof *cc, "connected components", &cc)))
        return status;
    weir__context_retain(context);
    pthread_mutex_init(&cc->lock, NULL);
    cc->context = context;
    cc->vertices = graph->vertices;
    cc->arcs = graph->arcs;
    cc->devices = devices;
    cc->time_limit_ms = options->time_limit_ms;
    cc->transport =
        options->route == WEIR_ROUTE_STAGED ? WEIR_TRANSPORT_STAGED : WEIR_TRANSPORT_AUTO;
    if ((status = create_all(cc, graph, options, packet_bytes))) {
        weir__cc_streamed_destroy(cc);
        return status;
    }
    *out = cc;
    return WEIR_OK;
}

weir_status weir__cc_streamed_labels(const weir__cc_streamed *cc, uint32_t *labels_out)
{
    memcpy(labels_out, cc->labels, (size_t)cc->vertices * sizeof *labels_out);
    return WEIR_OK;
}

void weir__cc_streamed_cancel(weir__cc_streamed *cc)
{
    pthread_mutex_lock(&cc->lock);
    cc->cancelled = 1;
    if (cc->flow)
        weir__cc_flow_fail(cc->flow, weir__fail(WEIR_ERR_CANCELLED, "cc: the run was cancelled"));
    pthread_mutex_unlock(&cc->lock);
}

void weir__cc_streamed_destroy(weir__cc_streamed *cc)
{
    if (!cc)
        return;
    for (uint32_t d = 0; d < cc->devices; d++)
        weir_device_free(weir_context_device(cc->context, d), cc->parent[d]);
    weir__cc_segments_destroy(&cc->segments);
    if (cc->labels)
        (void)weir_memory_unregister(cc->context, cc->labels);
    free(cc->labels);
    pthread_mutex_destroy(&cc->lock);
    weir__context_release(cc->context);
    free(cc);
}
