/** @file cc_stream.c  Streamed components: arcs come in segments from host memory.
 *
 *     host --feed--> [to devices: any] --in--> device --out--> [upwards: direct] --back--> its parent
 *                                                                                --result--> host
 *
 * Segments go to whichever device is free; then each device takes the parents of its children in the merge tree,
 * and sends its own on: to its parent, the top to the host. A run is one over two routers
 * (algorithms/common/dataflow.h). */
#include "algorithms/cc/cc.h"
#include "algorithms/cc/cc_segment.h"
#include "algorithms/common/dataflow.h"

#include <stdlib.h>
#include <string.h>

#define WEIR_KERNEL cc_stream
#include "algorithms/kernel_host_tmpl.h"

/* From 16 MiB on a GPU's host link carries nearly all it can. Below 64 KiB starting a kernel takes longer than
 * the arcs do. */
#define PACKET_MOST  ((size_t)16 << 20)
#define PACKET_LEAST ((size_t)64 << 10)
#define PACKET_SHARE 8u /* segments that each device should get at least */

enum { BUFFERS = 3 }; /* of a link: one comes, one is linked, one waits */

struct weir__cc_streamed {
    weir_context *context;
    weir__cc_segments segments;
    weir__cc_merge_tree merge_tree;
    uint64_t vertices, arcs;
    uint32_t devices, time_limit_ms;
    weir_transport transport; /* between devices */
    size_t packet_bytes;
    uint32_t *parent[WEIR_DEVICES_MAX];  /* device memory */
    void *counted[2 * WEIR_DEVICES_MAX]; /* where devices only count: what links would take */
    uint32_t *labels;                    /* of the last run; page-locked where there are GPUs */
    struct weir__dataflow_owner owner;
};

/* A device's side of a run; its thread's until that was joined. */
struct worker {
    uint32_t
        output; /* of a device with children: the number of its `back` among the router's outputs */
    uint64_t segments, bytes; /* that came */
    double stream_ms;         /* from the start of the run until its segments were linked */
};

struct run {
    struct weir__dataflow flow; /* first */
    weir__cc_streamed *cc;
    uint32_t outputs; /* of the router upwards so far; the host's link is the last one */
    struct worker worker[WEIR_DEVICES_MAX];
};

/* ---- a device's thread ------------------------------------------------------------------------
 *
 * Kernels are put behind packets that are still on the way: the queue waits for them. So the next segments come
 * while one is linked, and the thread waits for nothing but for packets to be assigned. */

static struct worker *mine(const struct weir__dataflow_device *on)
{
    return &((struct run *)on->flow)->worker[on->index];
}

static const weir__cc_streamed *cc_of(const struct weir__dataflow_device *on)
{
    return ((const struct run *)on->flow)->cc;
}

/* A device that has children takes their parents from the router upwards. */
static weir_status open_back(struct weir__dataflow_device *on)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    if (!cc_of(on)->merge_tree.children[on->index])
        return WEIR_OK;
    mine(on)->output = ((struct run *)on->flow)->outputs++;
    config.packet_bytes = on->flow->packet_bytes;
    config.buffers = on->buffers;
    config.transport = cc_of(on)->transport;
    return weir_link_create(weir_router_endpoint(on->flow->onwards), on->endpoint, &config,
                            &on->back);
}

static weir_status launch(struct weir__dataflow_device *on, enum cc_stream_kind kind,
                          const void *data, uint64_t first, uint64_t count)
{
    const struct cc_stream_args args = {.parent = cc_of(on)->parent[on->index],
                                        .data = data,
                                        .kind = kind,
                                        .first = (uint32_t)first,
                                        .count = (uint32_t)count};
    return weir_queue_launch(on->queue, &weir__cc_stream_kernel, &args, sizeof args);
}

/* Over all vertices. */
static weir_status launch_all(struct weir__dataflow_device *on, enum cc_stream_kind kind)
{
    return launch(on, kind, NULL, 0, cc_of(on)->vertices);
}

/* Link what comes next on a link.  @retval WEIR_CLOSED  no more comes. */
static weir_status take(struct weir__dataflow_device *on, weir_link *link, enum cc_stream_kind kind)
{
    weir_pending *pending;
    weir_segment packet;
    weir_status status = weir_link_receive(link, &pending), released;
    if (status)
        return status;
    status = weir_pending_wait_assigned(pending, -1, &packet);
    if (!status)
        status = weir_pending_gate(pending, on->queue);
    if (!status) {
        mine(on)->bytes += packet.bytes;
        status = launch(on, kind, packet.data, packet.offset / 4, packet.bytes / 4);
    }
    if (status < 0) /* a failure: nothing may be written into the buffer after this */
        (void)weir_pending_wait(pending, -1, &packet);
    while ((released = weir_pending_release(pending, status ? NULL : on->queue)) == WEIR_FULL)
        (void)weir_queue_sync(on->queue); /* then its events have come */
    return status ? status : released;
}

static weir_status stream(struct weir__dataflow_device *on)
{
    weir_status status = launch_all(on, CC_BEGIN);
    while (!status && !(status = take(on, on->in, CC_SEGMENT)))
        mine(on)->segments++;
    if (status == WEIR_CLOSED)
        status = weir_queue_sync(on->queue);
    mine(on)->stream_ms = weir__dataflow_ms(on->flow);
    return status;
}

/* Every child sends its whole array once. */
static weir_status merge(struct weir__dataflow_device *on)
{
    const weir__cc_streamed *cc = cc_of(on);
    const uint64_t all = (uint64_t)cc->merge_tree.children[on->index] * cc->vertices * 4;
    const uint64_t end = mine(on)->bytes + all;
    weir_status status = WEIR_OK;
    while (mine(on)->bytes < end && !status)
        status = take(on, on->back, CC_TREES);
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_DEVICE, "a device shut down before its trees had come");
    return status ? status : launch_all(on, CC_FLATTEN);
}

/* To the parent of the device; the top's go to the host, whose link is the last output of the router. */
static weir_status send_up(struct weir__dataflow_device *on)
{
    const struct run *run = (const struct run *)on->flow;
    const weir__cc_merge_tree *tree = &run->cc->merge_tree;
    weir_segment trees = {.device = on->device,
                          .data = run->cc->parent[on->index],
                          .bytes = run->cc->vertices * 4,
                          .meta = on->index == tree->top
                                      ? run->outputs
                                      : run->worker[tree->parent[on->index]].output};
    weir_future *sent;
    if (!trees.bytes) /* an empty packet would wait for somebody to take it */
        return weir_link_shutdown(on->out);
    weir_status status;
    while ((status = weir_link_send_from(on->out, &trees, on->queue, &sent)) == WEIR_FULL)
        (void)weir_queue_sync(on->queue);
    if (status)
        return status;
    status = weir_future_wait(sent, -1);
    weir_future_release(sent);
    return status ? status : weir_link_shutdown(on->out);
}

static weir_status work(struct weir__dataflow_device *on)
{
    weir_status status;
    if ((status = stream(on)) || (status = merge(on)))
        return status;
    return send_up(on);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static weir_status feed(struct weir__dataflow *flow)
{
    const weir__cc_segments *s = &((const struct run *)flow)->cc->segments;
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < s->count && !status; i++) {
        weir_segment segment = {.device = weir_context_home(flow->context),
                                .data = s->data + s->first[i],
                                .bytes = (s->first[i + 1] - s->first[i]) * sizeof *s->data};
        /* There may be more segments than an input may have under way. */
        status =
            weir_link_send_wait(flow->feed, &segment, NULL, weir__dataflow_left_ms(flow), NULL);
        if (!status && weir__dataflow_left_ms(flow) == 0)
            status = WEIR_ERR_TIMEOUT;
        status = weir__dataflow_explain(flow, status);
    }
    return status;
}

static const struct weir__dataflow_form form = {
    .what = "cc", .onwards = "upwards", .open = open_back, .feed = feed, .work = work};

static void fill_stats(const struct run *run, weir_run_stats *stats)
{
    const weir__cc_streamed *cc = run->cc;
    weir_run_phase stream = {"stream", 0, 0}, merge = {"merge", 0, cc->merge_tree.rounds};
    *stats = (weir_run_stats){.kernel_ms = (double)(run->flow.end_ns - run->flow.start_ns) / 1e6,
                              .reached = cc->vertices,
                              .arcs_reached = cc->arcs,
                              .direction = WEIR_DIRECTION_PUSH,
                              .devices = cc->devices,
                              .least_items = cc->vertices,
                              .wire = WEIR_WIRE_LIST};
    for (uint32_t d = 0; d < cc->devices; d++) {
        const struct worker *worker = &run->worker[d];
        stream.steps += worker->segments;
        stream.ms = worker->stream_ms > stream.ms ? worker->stream_ms : stream.ms;
        stats->bytes_sent += worker->bytes;
    }
    stats->bytes_sent += cc->vertices * 4; /* the labels, to the host */
    merge.ms = stats->kernel_ms - stream.ms;
    stats->phase[0] = stream;
    stats->phase[1] = merge;
    stats->work.processed = cc->vertices;
    stats->work.atoms = cc->segments.arcs;
    stats->work.rounds = stats->steps = stream.steps + merge.steps;
    stats->bytes = cc->segments.words * 4 + cc->segments.arcs * 4 + cc->vertices * 4;
}

weir_status weir__cc_streamed_run(weir__cc_streamed *cc, weir_run_stats *stats)
{
    struct run *run;
    weir_status status = weir__calloc(1, sizeof *run, "run", &run);
    if (status)
        return status;
    run->cc = cc;
    run->flow.context = cc->context;
    run->flow.devices = cc->devices;
    run->flow.time_limit_ms = cc->time_limit_ms;
    run->flow.spread = weir_policy_any();
    run->flow.collect = weir_policy_direct();
    run->flow.packet_bytes = cc->packet_bytes;
    run->flow.output = cc->labels;
    run->flow.output_bytes = cc->vertices * 4;
    for (uint32_t d = 0; d < cc->devices; d++)
        run->flow.device[d].buffers = BUFFERS;
    if (!(status = weir__dataflow_run(&cc->owner, &run->flow)))
        fill_stats(run, stats);
    free(run);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

/* Six buffers and the parents are all that a device holds. */
static size_t packet_of(const weir__cc_streamed *cc, const weir_graph *graph)
{
    uint64_t bytes = (graph->arcs * 4 + graph->vertices * 8) / (cc->devices * PACKET_SHARE);
    bytes = bytes < PACKET_LEAST ? PACKET_LEAST : bytes;
    bytes = bytes > PACKET_MOST ? PACKET_MOST : bytes;
    for (uint32_t d = 0; d < cc->devices; d++) {
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        weir_device_pool_stats(weir_context_device(cc->context, d), &pool);
        uint64_t left = pool.bound_bytes > pool.used_bytes ? pool.bound_bytes - pool.used_bytes : 0;
        bytes = bytes > left / 8 ? left / 8 : bytes;
    }
    return bytes < 256 ? 256 : (size_t)bytes / 256 * 256;
}

/* A device holds the parents and buffers of two links; with few arcs most buffers stay empty. */
static weir_status fits(const weir__cc_streamed *cc, const weir_graph *graph,
                        const weir_run_options *options)
{
    const uint64_t n = graph->vertices, sent = graph->arcs * 4 + n * 4;
    struct weir__need need = {0, 0};
    for (uint32_t d = 0; d < cc->devices; d++) {
        const weir_device *device = weir_context_device(cc->context, d);
        const uint64_t buffers = BUFFERS * cc->packet_bytes;
        weir__need_take_on(&need, device, n, 4);
        weir__need_take_on(&need, device, buffers < sent ? buffers : sent, 1);
        if (cc->merge_tree.children[d])
            weir__need_take_on(&need, device, buffers < n * 4 ? buffers : n * 4, 1);
    }
    weir__need_take(&need, n, sizeof *cc->labels);
    weir__cc_segments_need(graph, cc->packet_bytes, &need);
    weir__need_take(&need, options->reserved_bytes, 1);
    return weir__need_fits(&need, "connected components of %s", graph->name);
}

/* Where devices only count: what links take when a run begins. */
static weir_status count_buffers(weir__cc_streamed *cc)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < cc->devices && !status; d++)
        for (uint32_t link = 0; link < (cc->merge_tree.children[d] ? 2u : 1u) && !status; link++)
            status = weir__device_alloc_as(weir_context_device(cc->context, d), "buffers of links",
                                           BUFFERS, cc->packet_bytes, &cc->counted[2 * d + link]);
    return status;
}

static weir_status create_all(weir__cc_streamed *cc, const weir_graph *graph,
                              const weir_run_options *options, size_t packet_bytes)
{
    weir_status status =
        weir__cc_merge_tree_make(cc->context, cc->devices, options->route, &cc->merge_tree);
    cc->packet_bytes = packet_bytes ? packet_bytes : packet_of(cc, graph);
    if (!status)
        status = fits(cc, graph, options);
    for (uint32_t d = 0; d < cc->devices && !status; d++) {
        void *place;
        if (!(status = weir__device_alloc_as(weir_context_device(cc->context, d), "parents",
                                             cc->vertices, 4, &place)))
            cc->parent[d] = place;
    }
    if (status || weir__context_planned(cc->context))
        return status ? status : count_buffers(cc);
    if ((status = weir__locked_alloc(cc->context, cc->vertices, 4, "labels", &cc->labels)))
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
    weir__dataflow_owner_init(&cc->owner, &form);
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
    weir__dataflow_cancel(&cc->owner);
}

void weir__cc_streamed_destroy(weir__cc_streamed *cc)
{
    if (!cc)
        return;
    for (uint32_t d = 0; d < cc->devices; d++)
        weir_device_free(weir_context_device(cc->context, d), cc->parent[d]);
    for (uint32_t i = 0; i < 2 * cc->devices; i++)
        weir_device_free(weir_context_device(cc->context, i / 2), cc->counted[i]);
    weir__cc_segments_destroy(&cc->segments);
    weir__locked_free(cc->context, cc->labels);
    weir__dataflow_owner_destroy(&cc->owner);
    weir__context_release(cc->context);
    free(cc);
}
