/** @file csr.c  From arcs to a CSR graph by way of a device.
 *
 * Generated arcs are made twice, to count and to deal them out, since that takes less time than keeping them. A list is brought over in
 * pieces, twice as well, so that the device holds the rows and not the list. */
#include "algorithms/graph/csr.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/csr_op.h"
#include "algorithms/graph/sort_keys.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define PIECE_ARCS (UINT64_C(1) << 24)
#define ARC_CHUNK  (UINT64_C(1) << 16)
#define DEVICE_LEAST \
    (UINT64_C(1) << 20) /* fewer arcs are sorted by the host before a device has its kernels */

struct make {
    const struct weir__csr_input *input;
    const weir_context *context;
    weir_device *device;
    weir_queue *queue;
    uint64_t *ends; /* n + 1 */
    uint64_t *offsets;
    uint32_t *targets, *weights, *dropped;
    uint64_t arcs; /* without loops */
    void *temp;    /* of the sums over rows */
    uint64_t temp_bytes;
    struct {
        uint32_t *sources, *targets, *weights;
        uint32_t *integers; /* on the host */
    } piece;
    struct weir__csr_sorter sorter;
    weir_graph graph;
};

weir_device *weir__csr_device(const weir_context *context, uint64_t count)
{
    if (!context || count < DEVICE_LEAST || weir__context_planned(context))
        return NULL;
    for (uint32_t d = 0; d < weir_context_device_count(context); d++)
        if (weir__device_is_gpu(weir_context_device(context, d)))
            return weir_context_device(context, d);
    return NULL;
}

/* ---- arcs -------------------------------------------------------------------------------------------- */

struct integers {
    const double *from;
    uint32_t *to;
};

static void to_integers(void *user, uint64_t begin, uint64_t end)
{
    const struct integers *integers = user;
    for (uint64_t i = begin; i < end; i++) {
        const double weight = integers->from[i]; /* of a loop, which is dropped: anything */
        integers->to[i] = weight >= 0 && weight <= UINT32_MAX ? (uint32_t)weight : 0;
    }
}

static weir_status bring_piece(const struct make *make, uint64_t at, uint64_t count, int weights)
{
    const struct weir__csr_input *input = make->input;
    const size_t bytes = (size_t)count * sizeof(uint32_t);
    weir_status status =
        weir__upload(make->device, make->piece.sources, input->edges.sources + at, bytes);
    if (!status)
        status = weir__upload(make->device, make->piece.targets, input->edges.targets + at, bytes);
    if (status || !weights)
        return status;
    struct integers integers = {input->weights + at, make->piece.integers};
    weir__parallel_for(count, ARC_CHUNK, 0, to_integers, &integers);
    return weir__upload(make->device, make->piece.weights, make->piece.integers, bytes);
}

/* Arcs of the piece that begins at one. */
static uint64_t piece_at(const struct make *make, uint64_t at)
{
    const uint64_t left = make->input->count - at;
    const uint64_t most = make->input->piece ? make->input->piece : PIECE_ARCS;
    return left < most ? left : most;
}

static weir_status take_pieces(struct make *make)
{
    const uint64_t count = piece_at(make, 0);
    weir_status status;
    if (make->input->edges.kind != WEIR__EDGES_LIST)
        return WEIR_OK;
    if ((status = weir__device_alloc_as(make->device, "sources of arcs", count, 4,
                                        &make->piece.sources)) ||
        (status = weir__device_alloc_as(make->device, "targets of arcs", count, 4,
                                        &make->piece.targets)) ||
        !make->input->weights)
        return status;
    status = weir__device_alloc_as(make->device, "weights of arcs", count, 4, &make->piece.weights);
    return status ? status : weir__alloc(count, 4, "weights of arcs", &make->piece.integers);
}

/* Go over all arcs with one kernel or the other. */
static weir_status pass(struct make *make, const weir_kernel *kernel, int weights)
{
    const struct weir__csr_input *input = make->input;
    const int list = input->edges.kind == WEIR__EDGES_LIST;
    csr_deal_args args = {.edges = input->edges,
                          .ends = make->ends,
                          .targets = make->targets,
                          .weights = weights ? make->weights : NULL,
                          .mirror = input->mirror != 0};
    weir_status status = weir__activity_went(0);
    if (status)
        return status;
    if (!list) {
        args.end = input->count;
        return weir_queue_launch(make->queue, kernel, &args, sizeof args);
    }
    args.edges.sources = make->piece.sources;
    args.edges.targets = make->piece.targets;
    args.edges.weights = make->piece.weights;
    for (uint64_t at = 0; at < input->count && !status; at += args.end) {
        args.end = piece_at(make, at);
        if (!(status = bring_piece(make, at, args.end, weights)) &&
            !(status = weir_queue_launch(make->queue, kernel, &args, sizeof args)))
            status = weir_queue_sync(make->queue); /* the next piece takes its place */
    }
    return status;
}

/* ---- sums -------------------------------------------------------------------------------------------- */

static weir_status sum_rows(struct make *make, uint64_t *values)
{
    uint64_t bytes = 0;
    sum_before_args args = {
        .values = values, .count = make->input->vertices + 1, .temp_bytes_out = &bytes};
    weir_status status;
    if (!make->temp) {
        if ((status =
                 weir_queue_launch(make->queue, &weir__sum_before_kernel, &args, sizeof args)) ||
            (status = weir_queue_sync(make->queue)))
            return status;
        make->temp_bytes = bytes + 1;
        if ((status =
                 weir__device_alloc_as(make->device, "a sum", make->temp_bytes, 1, &make->temp)))
            return status;
    }
    args.temp = make->temp;
    args.temp_bytes = make->temp_bytes;
    if ((status = weir_queue_launch(make->queue, &weir__sum_before_kernel, &args, sizeof args)))
        return status;
    return weir_queue_sync(make->queue);
}

/* ---- in order ---------------------------------------------------------------------------------------- */

/* What comes back to the host, with all arcs: how many are equal is not known yet. */
static weir_status host_has_room(const struct weir__csr_input *input)
{
    const uint64_t most = input->count << (input->mirror != 0);
    struct weir__need need = {0, 0};
    weir__need_take(&need, input->vertices + 1, sizeof(uint64_t));
    weir__need_take(&need, most, input->weights ? 8 : 4);
    return weir__need_fits(&need, "a graph of %llu vertices and up to %llu arcs",
                           (unsigned long long)input->vertices, (unsigned long long)most);
}

static weir_status count(struct make *make)
{
    const uint64_t n = make->input->vertices;
    weir_status status;
    if ((status = weir__device_alloc_as(make->device, "ends of rows", n + 1, 8, &make->ends)) ||
        (status = take_pieces(make)) ||
        (status = weir_queue_fill(make->queue, make->ends, 0, (n + 1) * sizeof *make->ends)) ||
        (status = pass(make, &weir__csr_count_kernel, 0)) || (status = sum_rows(make, make->ends)))
        return status;
    return weir__download(make->device, &make->arcs, make->ends + n, sizeof make->arcs);
}

static weir_status deal(struct make *make)
{
    weir_status status;
    const uint64_t n = make->input->vertices;
    if ((status = weir__device_alloc_as(make->device, "targets", make->arcs, 4, &make->targets)) ||
        (make->input->weights && (status = weir__device_alloc_as(make->device, "weights",
                                                                 make->arcs, 4, &make->weights))) ||
        (status = pass(make, &weir__csr_deal_kernel, make->input->weights != NULL)) ||
        (status = weir_queue_sync(make->queue)) ||
        (status = weir__alloc(n + 1, 8, "graph offsets", &make->graph.offsets)))
        return status;
    return weir__download(make->device, (void *)make->graph.offsets, make->ends, n * 8);
}

static weir_status clean(struct make *make)
{
    const uint64_t n = make->input->vertices;
    const struct weir__csr_rows rows = {.ends = make->graph.offsets,
                                        .placed = make->ends,
                                        .rows = n,
                                        .targets = make->targets,
                                        .weights = make->weights,
                                        .bits = weir__csr_bits(n)};
    weir_status status;
    if ((status = weir__device_alloc_as(make->device, "arcs dropped", n, 4, &make->dropped)) ||
        (status = weir_queue_fill(make->queue, make->dropped, 0, n * sizeof *make->dropped)) ||
        (status = weir__csr_sorter_open(make->context, make->device, make->queue,
                                        weir__csr_stretch(rows.ends, n, make->input->stretch),
                                        make->weights != NULL, &make->sorter)))
        return status;
    if ((status = weir__csr_clean(&make->sorter, &rows, make->dropped, &make->graph.arcs)))
        return status; /* the queue may still work with what the sorter has: it is closed later */
    weir__csr_sorter_close(&make->sorter);
    return WEIR_OK;
}

static weir_status set_offsets(struct make *make)
{
    const uint64_t n = make->input->vertices;
    csr_lengths_args args = {.ends = make->ends, .dropped = make->dropped, .rows = n};
    weir_status status;
    if ((status = weir__device_alloc_as(make->device, "offsets", n + 1, 8, &make->offsets)))
        return status;
    args.lengths = make->offsets;
    if ((status = weir_queue_launch(make->queue, &weir__csr_lengths_kernel, &args, sizeof args)) ||
        (status = sum_rows(make, make->offsets)))
        return status;
    return weir__download(make->device, (void *)make->graph.offsets, make->offsets, (n + 1) * 8);
}

static weir_status bring_back(struct make *make)
{
    const uint64_t arcs = make->graph.arcs;
    weir_status status;
    if ((status = weir__alloc(arcs, 4, "graph targets", &make->graph.targets)) ||
        (status =
             weir__download(make->device, (void *)make->graph.targets, make->targets, arcs * 4)) ||
        !make->weights)
        return status;
    if ((status = weir__alloc(arcs, 4, "graph weights", &make->graph.weights_u32)))
        return status;
    return weir__download(make->device, (void *)make->graph.weights_u32, make->weights, arcs * 4);
}

static void free_all(struct make *make)
{
    weir__csr_sorter_close(&make->sorter);
    weir_device_free(make->device, make->ends);
    weir_device_free(make->device, make->offsets);
    weir_device_free(make->device, make->targets);
    weir_device_free(make->device, make->weights);
    weir_device_free(make->device, make->dropped);
    weir_device_free(make->device, make->temp);
    weir_device_free(make->device, make->piece.sources);
    weir_device_free(make->device, make->piece.targets);
    weir_device_free(make->device, make->piece.weights);
    free(make->piece.integers);
}

weir_status weir__csr_make(const weir_context *context, weir_device *device,
                           const struct weir__csr_input *input, weir_graph **graph_out)
{
    struct make make = {.input = input, .context = context, .device = device};
    weir_graph *graph = NULL;
    weir_status status;
    *graph_out = NULL;
    struct weir__activity outer;
    if ((status = host_has_room(input)))
        return status;
    weir__activity_part(&outer, "making a graph", "arcs", 0);
    if (!(status = weir_queue_create(device, 0, &make.queue)) && !(status = count(&make)) &&
        !(status = deal(&make)) && !(status = clean(&make)) && !(status = set_offsets(&make)) &&
        !(status = bring_back(&make)))
        status = weir__calloc(1, sizeof *graph, "graph", &graph);
    weir_queue_destroy(make.queue); /* first: what a call that failed left in it uses the memory */
    free_all(&make);
    if (weir__activity_end(&outer, status)) {
        free((void *)make.graph.weights_u32);
        free((void *)make.graph.targets);
        free((void *)make.graph.offsets);
        return status;
    }
    *graph = make.graph;
    graph->vertices = input->vertices;
    graph->weight_kind = input->weights ? WEIR_WEIGHT_U32 : WEIR_WEIGHT_NONE;
    graph->loops_dropped = input->count - (make.arcs >> (input->mirror != 0));
    graph->duplicates_dropped = make.arcs - graph->arcs;
    graph->mirrored = input->mirror != 0;
    *graph_out = graph;
    return WEIR_OK;
}

int weir__csr_made(const struct weir__csr_input *input, const weir_graph_options *options,
                   weir_graph **graph_out, weir_status *status_out)
{
    weir_device *device = weir__csr_device(options->context, input->count);
    if (!device)
        return 0;
    *status_out = weir__csr_make(options->context, device, input, graph_out);
    return *status_out != WEIR_ERR_NOMEM && *status_out != WEIR_ERR_UNSUPPORTED;
}
