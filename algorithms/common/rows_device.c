/** @file rows_device.c  The rows of a part, put in order by its device.
 *
 * The arcs come over as the graph has them, in pieces; the device gives their ends numbers and deals them out to rows, which it then sorts
 * where they lie (graph/csr.h). What comes out is what rows_part.c makes on the cores of the host, bit for bit. Memory that is taken for a
 * while is taken where there is room: WEIR_ERR_NOMEM sends the part the other way, which is also that of arcs that are to lie in host
 * memory. */
#include "algorithms/common/bring.h"
#include "algorithms/common/pieces.h"
#include "algorithms/common/rows_build.h"
#include "algorithms/common/rows_device_op.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/csr.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define ROW_CHUNK  (UINT64_C(1) << 16)
#define LEAST_ARCS (UINT64_C(1) << 22) /* of a part: the host sorts fewer about as fast */

static weir_status open_pieces(const struct weir__rows_build *build, weir_device *device,
                               int weights, struct weir__pieces *pieces)
{
    const uint64_t usual = weir__pieces_usual(build->graph);
    return weir__pieces_open(build->graph, device,
                             build->piece && build->piece < usual ? build->piece : usual, weights,
                             pieces);
}

/* Run a kernel over the arcs from @p begin to @p end. */
static weir_status each_piece(struct weir__pieces *pieces, const weir_kernel *kernel,
                              rows_arcs_args *args, uint64_t begin, uint64_t end)
{
    return weir__pieces_each(pieces, kernel, &args->here, args, sizeof *args, begin, end);
}

/* ---- in-degrees -------------------------------------------------------------------------------------- */

int weir__rows_go_there(const weir_device *device, weir_memory memory, uint64_t arcs)
{
    return memory != WEIR_MEMORY_HOST && arcs >= LEAST_ARCS && weir__device_is_gpu(device);
}

int weir__rows_on_device(const struct weir__rows_build *build, uint32_t part)
{
    const weir_rows *rows = build->rows;
    const uint64_t arcs = build->graph->arcs / rows->parts;
    if (build->piece)
        return rows->memory != WEIR_MEMORY_HOST && arcs;
    return weir__rows_go_there(weir_context_device(rows->context, part), rows->memory, arcs);
}

weir_status weir__rows_count_in_there(struct weir__rows_build *build)
{
    const weir_graph *graph = build->graph;
    const size_t bytes = graph->vertices * sizeof(uint32_t);
    weir_device *device = weir_context_device(build->rows->context, 0);
    struct weir__pieces pieces;
    rows_arcs_args args = {.in_degree = NULL};
    weir_status status;
    if (build->sizes ||
        !weir__rows_on_device(build, 0)) /* one that only counts bytes counts no arcs */
        return WEIR_ERR_NOMEM;
    if (!(status = open_pieces(build, device, 0, &pieces)) &&
        !(status =
              weir__device_alloc_as(device, "in-degrees", graph->vertices, 4, &args.in_degree)) &&
        !(status = weir_queue_fill(pieces.queue, args.in_degree, 0, bytes)) &&
        !(status = each_piece(&pieces, &weir__rows_heads_kernel, &args, 0, graph->arcs)) &&
        !(status = weir_queue_sync(pieces.queue)))
        status = weir__download(device, build->in_degree, args.in_degree, bytes);
    weir__pieces_close(&pieces);
    weir_device_free(device, args.in_degree);
    return status;
}

/* ---- one direction of a part's arcs ------------------------------------------------------------------- */

struct placing {
    const struct weir__rows_build *build;
    weir_rows_part *part;
    weir_device *device;
    int in;
    uint64_t *offsets; /* of the rows, on the host: owned + 1 */
    uint64_t arcs;
    weir_arcs placed;
    uint64_t *pairs; /* in place of its targets and weights, if pairs are wanted */
    /* For a while: */
    struct weir__pieces pieces;
    uint64_t *graph_offsets, *cursors;
    uint32_t *number;
    struct weir__csr_sorter sorter;
    uint64_t begin, end; /* arcs of the graph that any of the part's may be among */
};

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct placing *p = user;
    const weir_rows *rows = p->build->rows;
    const uint32_t *vertex = rows->vertex + p->part->begin;
    const uint32_t *degree = rows->degree + p->part->begin;
    for (uint64_t r = begin; r < end; r++)
        p->offsets[r] = p->in ? p->build->in_degree[vertex[r]] : degree[r];
}

struct range {
    const uint32_t *vertex;
    uint32_t low, high; /* relaxed atomics, read after the join */
};

static void find_range(void *user, uint64_t begin, uint64_t end)
{
    struct range *range = user;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint64_t r = begin; r < end; r++) {
        low = range->vertex[r] < low ? range->vertex[r] : low;
        high = range->vertex[r] > high ? range->vertex[r] : high;
    }
    uint32_t before = __atomic_load_n(&range->low, __ATOMIC_RELAXED);
    while (low < before && !__atomic_compare_exchange_n(&range->low, &before, low, 0,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    before = __atomic_load_n(&range->high, __ATOMIC_RELAXED);
    while (high > before && !__atomic_compare_exchange_n(&range->high, &before, high, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Where the rows begin, and which arcs of the graph have to come over: out-arcs of the vertices between the part's first and last. */
static weir_status count(struct placing *p)
{
    const struct weir__rows_build *build = p->build;
    struct range range = {NULL, UINT32_MAX, 0};
    if (weir__graph_is_sketch(build->graph)) {
        p->arcs =
            p->in ? build->sizes->in_arcs_of[p->part->part] : build->sizes->arcs_of[p->part->part];
        return WEIR_OK;
    }
    weir_status status = weir__alloc((size_t)p->part->owned + 1, 8, "part offsets", &p->offsets);
    if (status)
        return status;
    weir__parallel_for(p->part->owned, ROW_CHUNK, 0, count_rows, p);
    weir__prefix_sum(p->offsets, p->part->owned);
    p->arcs = p->offsets[p->part->owned];
    p->end = p->arcs ? build->graph->arcs : 0;
    if (p->in || !p->arcs)
        return WEIR_OK;
    range.vertex = build->rows->vertex + p->part->begin;
    weir__parallel_for(p->part->owned, ROW_CHUNK, 0, find_range, &range);
    p->begin = build->graph->offsets[range.low];
    p->end = build->graph->offsets[(uint64_t)range.high + 1];
    return WEIR_OK;
}

/* The arrays that stay. */
static weir_status take(struct placing *p)
{
    const char *names[2][2] = {{"offsets of out-arcs", "weights of out-arcs"},
                               {"offsets of in-arcs", "weights of in-arcs"}};
    const char **name = names[p->in], *arcs = weir__rows_arcs_name(p->build->config, p->in);
    const void *offsets = NULL;
    uint32_t *targets = NULL, *weights = NULL;
    weir_status status =
        weir__bring(p->device, name[0], p->offsets, (uint64_t)p->part->owned + 1, 8, &offsets);
    if (!status && p->build->config->pairs)
        status = weir__device_alloc_as(p->device, arcs, p->arcs, 8, &p->pairs);
    else if (!status)
        status = weir__device_alloc_as(p->device, arcs, p->arcs, 4, &targets);
    if (!status && weir__rows_part_halves(p->build->config))
        status = weir__device_alloc_as(p->device, name[1], p->arcs, 4, &weights);
    p->placed = (weir_arcs){.offsets = offsets, .targets = targets, .weights = weights};
    return status;
}

/* The arrays that are there for a while. */
static weir_status take_helpers(struct placing *p)
{
    const struct weir__rows_build *build = p->build;
    const uint64_t n = build->graph->vertices;
    const uint64_t stretch =
        p->offsets ? weir__csr_stretch(p->offsets + 1, 0, p->part->owned, build->stretch)
                   : weir__csr_stretch_usual(p->arcs, build->stretch);
    weir_status status;
    if ((status = open_pieces(build, p->device, build->config->weights, &p->pieces)) ||
        (status = weir__device_alloc_as(p->device, "offsets of the graph", n + 1, 8,
                                        &p->graph_offsets)) ||
        (status = weir__device_alloc_as(p->device, "numbers", n, 4, &p->number)) ||
        (p->in && (status = weir__device_alloc_as(p->device, "cursors of rows", p->part->owned, 8,
                                                  &p->cursors))))
        return status;
    return weir__csr_sorter_open(build->rows->context, p->device, p->pieces.queue, stretch,
                                 build->config->weights, &p->sorter);
}

static void free_helpers(struct placing *p)
{
    weir__pieces_close(&p->pieces); /* first, for its queue */
    weir__csr_sorter_close(&p->sorter);
    weir_device_free(p->device, p->graph_offsets);
    weir_device_free(p->device, p->number);
    weir_device_free(p->device, p->cursors);
}

static weir_status deal(struct placing *p)
{
    const struct weir__rows_build *build = p->build;
    const weir_graph *graph = build->graph;
    rows_arcs_args args = {.here = {.offsets = p->graph_offsets, .vertices = graph->vertices},
                           .number = p->number,
                           .first = p->part->begin,
                           .owned = p->part->owned,
                           .rows = p->placed.offsets,
                           .cursors = p->cursors,
                           .targets = (uint32_t *)p->placed.targets,
                           .weights = (uint32_t *)p->placed.weights,
                           .pairs = p->pairs};
    weir_status status;
    if ((status = weir__upload(p->device, p->graph_offsets, graph->offsets,
                               (graph->vertices + 1) * 8)) ||
        (status = weir__upload(p->device, p->number, build->rows->number, graph->vertices * 4)) ||
        (p->in &&
         (status = weir__upload(p->device, p->cursors, p->offsets, (size_t)p->part->owned * 8))))
        return status;
    return each_piece(&p->pieces, &weir__rows_arcs_kernel, &args, p->begin, p->end);
}

static weir_status sort(struct placing *p)
{
    const struct weir__rows_build *build = p->build;
    const uint32_t weight = weir__csr_bits(build->weight_bits + UINT64_C(1)),
                   whole = (weight + 7) / 8 * 8; /* bytes, as a radix sort takes them */
    const struct weir__csr_rows rows = {.ends = p->offsets + 1,
                                        .placed = p->placed.offsets + 1,
                                        .rows = p->part->owned,
                                        .targets = (uint32_t *)p->placed.targets,
                                        .weights = (uint32_t *)p->placed.weights,
                                        .pairs = p->pairs,
                                        .bits = weir__csr_bits(build->rows->numbers),
                                        .weight_bits = build->config->by_weight ? whole : 0};
    return weir__csr_sort(&p->sorter, &rows);
}

weir_status weir__rows_place_there(const struct weir__rows_build *build, weir_rows_part *part,
                                   int in)
{
    struct placing p = {.build = build,
                        .part = part,
                        .device = weir_context_device(build->rows->context, part->part),
                        .in = in};
    weir_status status;
    struct weir__activity outer;
    weir__activity_part(&outer, "putting rows in order", "arcs", 0);
    if (!(status = count(&p)) && !(status = take(&p)) && p.arcs) {
        if (!(status = take_helpers(&p)) && !build->sizes && !(status = deal(&p)))
            status = sort(&p);
        free_helpers(&p);
    }
    free(p.offsets);
    if (weir__activity_end(&outer, status)) {
        weir__bring_free(p.device, p.placed.offsets);
        weir__bring_free(p.device, p.placed.targets);
        weir__bring_free(p.device, p.placed.weights);
        weir__bring_free(p.device, p.pairs);
        return status;
    }
    *(in ? &part->in : &part->out) = p.placed;
    *(in ? &build->rows->pairs[part->part].in : &build->rows->pairs[part->part].out) = p.pairs;
    *(in ? &part->arcs_in : &part->arcs_out) = p.arcs;
    return WEIR_OK;
}
