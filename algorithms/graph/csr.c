/** @file csr.c  From arcs to a CSR graph by way of devices.
 *
 * The first device counts how many arcs each vertex has. Then rows are dealt out: each device makes a range of them (csr_range.c), side by
 * side, and again where all devices together have no room for all. Several devices so take as long as one for making arcs, which each does
 * for all rows and keeps its own; what they do with them, and what comes back to the host, is shared. */
#include "algorithms/graph/csr.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/csr_range.h"
#include "algorithms/graph/resident.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define DEVICE_LEAST \
    (UINT64_C(1) << 20) /* fewer arcs are sorted by the host before a device has its kernels */
#define SHARE_LEAST \
    (UINT64_C(1) << 28) /* of arcs for a device: fewer are made before two have begun */
#define STAY_LEAST \
    (UINT64_C(1)   \
     << 28) /* of arcs that stay: fewer are copied in less time than it takes to begin */
#define PASSES_MOST 16u /* in more the host is as quick */

/* Bytes of a pool for each vertex, beside those for arcs, from which on arcs stay there. */
#define ROOM_VERTEX 64

struct make {
    const struct weir__csr_input *input;
    struct weir__csr_range range[WEIR_DEVICES_MAX];
    uint32_t devices; /* that take part */
    uint64_t *first;  /* by range: its first row; one more: behind the last */
    uint32_t ranges;
    uint64_t arcs, kept;                  /* without loops, and so far without duplicates */
    struct weir_graph_resident *resident; /* where arcs stay; NULL: they go to the host */
    weir_graph graph;
};

static _Thread_local int pretended;

void weir__csr_pretend(int pretend)
{
    pretended = pretend;
}

uint32_t weir__csr_devices(const weir_context *context, uint64_t count, weir_device **devices_out)
{
    uint32_t gpus = 0;
    if (!context || (count < DEVICE_LEAST && !pretended) || weir__context_planned(context))
        return 0;
    for (uint32_t d = 0; d < weir_context_device_count(context); d++)
        if (pretended || weir__device_is_gpu(weir_context_device(context, d)))
            devices_out[gpus++] = weir_context_device(context, d);
    return gpus;
}

weir_status weir__csr_ask(weir_graph_options *options, uint64_t count)
{
    const uint64_t said = weir__fail_count();
    if (!options->context_of || (count < DEVICE_LEAST && !pretended))
        return WEIR_OK;
    const weir_status status = options->context_of(options->user, &options->context);
    options->context_of = NULL;
    if (status && weir__fail_count() == said)
        return weir__fail(status, "weir_graph_options.context_of gave no context");
    return status;
}

/* ---- ranges ---------------------------------------------------------------------------------------- */

/* Arcs of rows that each device has room for, beside what sorting them and the rows themselves take. */
static uint64_t arcs_most(const struct make *make, uint32_t devices)
{
    const struct weir__csr_input *input = make->input;
    const uint64_t weights = input->weights != NULL;
    uint64_t most = UINT64_MAX;
    if (input->range)
        return input->range;
    for (uint32_t d = 0; d < devices; d++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        const uint64_t sorted = weir__csr_stretch_usual(make->arcs, input->stretch);
        const uint64_t beside =
            input->vertices * 20 + sorted * (weights ? 26 : 18) + weir__csr_piece_bytes(input);
        if (weir_device_pool_stats(make->range[d].device, &stats))
            return 0;
        const uint64_t left = stats.left_bytes > beside ? stats.left_bytes - beside : 0;
        most = left / (weights ? 8 : 4) < most ? left / (weights ? 8 : 4) : most;
    }
    return most;
}

/* Whether arcs may stay where they are made: in one range for each device, beside all that a run takes. */
static int may_stay(const struct make *make, uint32_t devices)
{
    const struct weir__csr_input *input = make->input;
    const uint64_t most =
        input->vertices * ROOM_VERTEX + make->arcs / devices * sizeof(uint32_t) * input->resident;
    if (!input->keeper || input->weights || (make->arcs < STAY_LEAST && !pretended))
        return 0;
    for (uint32_t d = 0; d < devices; d++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        if (weir_device_pool_stats(make->range[d].device, &stats) || stats.left_bytes < most)
            return 0;
    }
    return 1;
}

/* The first row that begins at an arc or behind it. */
static uint64_t row_at(const struct make *make, uint64_t arc)
{
    uint64_t low = 0, high = make->input->vertices;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (make->graph.offsets[middle] < arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many devices take part, and which rows are made together. Where all rows fit on a device, a list is brought to that alone. */
static weir_status cut(struct make *make, uint32_t devices)
{
    const uint64_t most = arcs_most(make, devices);
    const uint64_t least = make->input->range ? 1 : SHARE_LEAST;
    uint64_t ranges = most ? (make->arcs + most - 1) / most : PASSES_MOST * devices + 1, shared;
    if (ranges <= 1) {
        shared = make->input->edges.kind == WEIR__EDGES_LIST ? 1 : make->arcs / least;
        ranges = shared < devices ? shared + !shared : devices;
    }
    make->devices = ranges < devices ? (uint32_t)ranges : devices;
    ranges = (ranges + make->devices - 1) / make->devices * make->devices;
    if (!make->input->range && ranges > PASSES_MOST * make->devices)
        return weir__fail(WEIR_ERR_NOMEM, "devices have room for few of %llu arcs",
                          (unsigned long long)make->arcs);
    weir_status status = weir__alloc(ranges + 1, 8, "ranges of rows", &make->first);
    if (status)
        return status;
    make->ranges = (uint32_t)ranges;
    for (uint64_t r = 0; r < ranges; r++)
        make->first[r] = r ? row_at(make, make->arcs / ranges * r) : 0;
    make->first[ranges] = make->input->vertices;
    return WEIR_OK;
}

/* What comes back to the host: so many offsets, and so many arcs, as how many are equal is not known yet. */
static weir_status host_has_room(const struct weir__csr_input *input, uint64_t offsets,
                                 uint64_t arcs)
{
    struct weir__need need = {0, 0};
    weir__need_take(&need, offsets, sizeof(uint64_t));
    weir__need_take(&need, arcs, input->weights ? 8 : 4);
    return weir__need_fits(&need, "a graph of %llu vertices and up to %llu arcs",
                           (unsigned long long)input->vertices,
                           (unsigned long long)(input->count << (input->mirror != 0)));
}

/* ---- passes ----------------------------------------------------------------------------------------- */

static weir_status count(struct make *make)
{
    const uint64_t n = make->input->vertices;
    struct weir__csr_range *range = &make->range[0];
    weir_status status;
    range->rows = n;
    if ((status = weir_queue_create(range->device, 0, &range->queue)) ||
        (status = weir__alloc(n + 1, 8, "graph offsets", &make->graph.offsets)) ||
        (status = weir__csr_range_count(range, (void *)make->graph.offsets)))
        return status;
    make->arcs = make->graph.offsets[n];
    return WEIR_OK;
}

static weir_status make_range(void *user, uint32_t device)
{
    struct make *make = user;
    struct weir__csr_range *range = &make->range[device];
    weir_status status = WEIR_OK;
    if (!range->queue)
        status = weir_queue_create(range->device, 0, &range->queue);
    return status ? status : weir__csr_range_make(range, make->graph.offsets);
}

/* The arcs of the ranges before one. */
static uint64_t begin_of(const struct make *make, uint32_t device)
{
    uint64_t begin = make->kept;
    for (uint32_t d = 0; d < device; d++)
        begin += make->range[d].kept;
    return begin;
}

/* They are the graph's from now on. */
static void leave_range(struct make *make, uint32_t device)
{
    struct weir__csr_range *range = &make->range[device];
    const uint64_t begin = begin_of(make, device);
    make->resident->range[device] =
        (struct weir__resident_range){range->device, begin, begin + range->kept, range->targets};
    make->resident->ranges = make->devices;
    range->targets = NULL;
}

static weir_status bring_range(void *user, uint32_t device)
{
    struct make *make = user;
    const uint64_t to = begin_of(make, device);
    return weir__csr_range_bring(&make->range[device], to, (void *)make->graph.offsets,
                                 (void *)make->graph.targets, (void *)make->graph.weights_u32);
}

/* As many as will be kept, if that is known. */
static weir_status take_arcs(struct make *make)
{
    uint64_t arcs = make->arcs;
    if (make->ranges == make->devices) {
        arcs = 0;
        for (uint32_t d = 0; d < make->devices; d++)
            arcs += make->range[d].kept;
    }
    weir_status status = weir__alloc(arcs, 4, "graph targets", &make->graph.targets);
    return status || !make->input->weights
               ? status
               : weir__alloc(arcs, 4, "graph weights", &make->graph.weights_u32);
}

/* Each device makes a range. */
static weir_status pass(struct make *make, uint32_t first)
{
    weir_status status;
    for (uint32_t d = 0; d < make->devices; d++) {
        struct weir__csr_range *range = &make->range[d];
        const uint64_t *row = make->first + first + d;
        if (make->ranges > 1) /* else it is as it was counted */
            weir__csr_range_clear(range);
        range->first = row[0];
        range->rows = row[1] - row[0];
        range->before = make->graph.offsets[row[0]];
        range->arcs = make->graph.offsets[row[1]] - range->before;
    }
    if ((status = weir__activity_each(make->devices, make_range, make)) ||
        (!make->resident && !make->graph.targets && (status = take_arcs(make))) ||
        (status = weir__activity_each(make->devices, bring_range, make)))
        return status;
    for (uint32_t d = 0; d < make->devices && make->resident; d++)
        leave_range(make, d);
    for (uint32_t d = 0; d < make->devices; d++)
        make->kept += make->range[d].kept;
    return WEIR_OK;
}

/* What is behind the arcs that were kept goes back; an array that cannot be made shorter stays. */
static void shorten(const uint32_t **array_io, uint64_t count)
{
    void *shorter = *array_io ? realloc((void *)*array_io, (count ? count : 1) * 4) : NULL;
    *array_io = shorter ? shorter : *array_io;
}

static weir_status make_all(struct make *make, uint32_t devices)
{
    weir_status status;
    if ((status = count(make)) || (status = cut(make, devices)))
        return status;
    if (make->ranges == make->devices && may_stay(make, make->devices) &&
        (status = weir__resident_create(make->input->keeper, &make->resident)))
        return status;
    /* Arcs that stay take none of the host's memory; offsets are there. */
    if (!make->resident && (status = host_has_room(make->input, 0, make->arcs)))
        return status;
    for (uint32_t r = 0; r < make->ranges && !status; r += make->devices)
        status = pass(make, r);
    if (status)
        return status;
    memcpy((void *)&make->graph.offsets[make->input->vertices], &make->kept, sizeof make->kept);
    if (make->ranges > make->devices) {
        shorten(&make->graph.targets, make->kept);
        shorten(&make->graph.weights_u32, make->kept);
    }
    return WEIR_OK;
}

weir_status weir__csr_make(const weir_context *context, weir_device *const *devices, uint32_t count,
                           const struct weir__csr_input *input, weir_graph **graph_out)
{
    struct make *make;
    weir_graph *graph = NULL;
    struct weir__activity outer;
    weir_status status;
    *graph_out = NULL;
    if ((status = host_has_room(input, input->vertices + 1, 0)) ||
        (status = weir__calloc(1, sizeof *make, "the making of a graph", &make)))
        return status;
    make->input = input;
    for (uint32_t d = 0; d < count; d++) {
        make->range[d].input = input;
        make->range[d].context = context;
        make->range[d].device = devices[d];
    }
    weir__activity_part(&outer, "making a graph", "arcs", 0);
    if (!(status = make_all(make, count)))
        status = weir__calloc(1, sizeof *graph, "graph", &graph);
    for (uint32_t d = 0; d < count; d++)
        weir__csr_range_close(&make->range[d]);
    if (!weir__activity_end(&outer, status)) {
        *graph = make->graph;
        graph->vertices = input->vertices;
        graph->arcs = make->kept;
        graph->weight_kind = input->weights ? WEIR_WEIGHT_U32 : WEIR_WEIGHT_NONE;
        graph->loops_dropped = input->count - (make->arcs >> (input->mirror != 0));
        graph->duplicates_dropped = make->arcs - make->kept;
        graph->mirrored = input->mirror != 0;
        graph->resident = make->resident;
        *graph_out = graph;
    } else {
        free((void *)make->graph.weights_u32);
        free((void *)make->graph.targets);
        free((void *)make->graph.offsets);
        weir__resident_destroy(make->resident);
    }
    free(make->first);
    free(make);
    return status;
}

int weir__csr_made(const struct weir__csr_input *input, const weir_graph_options *options,
                   weir_graph **graph_out, weir_status *status_out)
{
    weir_device *devices[WEIR_DEVICES_MAX];
    const uint32_t count = weir__csr_devices(options->context, input->count, devices);
    if (!count)
        return 0;
    *status_out = weir__csr_make(options->context, devices, count, input, graph_out);
    return *status_out != WEIR_ERR_NOMEM && *status_out != WEIR_ERR_UNSUPPORTED;
}
