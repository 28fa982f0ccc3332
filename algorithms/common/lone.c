/** @file lone.c  A traversal through the worklist that one device does for all (lone.h says why). */
#include "algorithms/common/lone.h"
#include "algorithms/common/advise.h"
#include "algorithms/common/steal.h"
#include "algorithms/common/timing.h"
#include "algorithms/common/values_op.h"
#include "algorithms/graph/sketch.h"
#include "runtime/support.h"

#include <stdlib.h>

/* A copy that nobody has asked for takes up to this part of what a device has left. */
#define COPY_PART 4

/* ---- when --------------------------------------------------------------------------------------- */

/* The least memory that one of the devices has left. */
static double least_bytes(weir_context *context, uint32_t parts)
{
    double least = 0;
    for (uint32_t p = 0; p < parts; p++) {
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        weir_device_pool_stats(weir_context_device(context, p), &pool);
        const double left = (double)pool.bound_bytes - (double)pool.used_bytes;
        least = p && least < left ? least : left;
    }
    return least;
}

/* It was measured on GPUs alone; host devices take a level in less time than a barrier of GPUs. */
static int are_gpus(weir_context *context, uint32_t parts)
{
    const weir_device *first = weir_context_device(context, 0);
    for (uint32_t p = 0; p < parts; p++) {
        const weir_device *device = weir_context_device(context, p);
        if (!weir__device_is_gpu(device) || (p && !weir_device_reaches(device, first)))
            return 0;
    }
    return !weir_context_simulated(context);
}

int weir__lone_pays(weir_context *context, const weir_graph *graph, uint32_t parts,
                    double vertex_bytes, double arc_bytes, const char **why_out)
{
    struct weir__advise facts = {.shape = WEIR_SHAPE_LEVELS,
                                 .devices = parts,
                                 .vertices = (double)graph->vertices,
                                 .arcs = (double)graph->arcs};
    const double bytes = (double)graph->vertices * vertex_bytes + (double)graph->arcs * arc_bytes;
    *why_out = NULL;
    if (parts < 2 || parts > STEAL_DEVICES || !are_gpus(context, parts) ||
        weir__graph_is_sketch(graph) || bytes * COPY_PART > least_bytes(context, parts))
        return 0;
    /* If there is no memory for a search, nothing is known. */
    if (weir__advise_levels(graph, WEIR__ADVISE_ARCS, &facts) || !weir__advise_deep(&facts) ||
        !weir__advise_narrow(&facts))
        return 0;
    *why_out = "levels are so narrow that a barrier of several devices takes longer than what is "
               "in them, and a copy of the graph fits on the one that goes on alone";
    return 1;
}

int weir__lone_asked(const weir_run_options *options)
{
    return options->route || options->order || options->delta || options->kernel ||
           options->worker || options->fetch || options->mapping || options->group ||
           options->queues || options->memory == WEIR_MEMORY_HOST;
}

/* ---- the object --------------------------------------------------------------------------------- */

static weir_device *device(const struct weir__lone *lone, uint32_t p)
{
    return weir_context_device(lone->owners->context, p);
}

static weir_status reached(const struct weir__lone *lone)
{
    for (uint32_t p = 1; p < lone->owners->parts; p++)
        if (!weir_device_reaches(device(lone, p), device(lone, 0)))
            return weir__fail(WEIR_ERR_UNSUPPORTED,
                              "balance ownership needs devices that reach the first one's memory, "
                              "and device %u does not: leave it out",
                              p);
    return WEIR_OK;
}

static weir_status take_all(const weir_graph *graph, weir_partition **all_out)
{
    return weir_partition_create(graph, WEIR_PARTITION_BLOCK, 1, 0, NULL, all_out);
}

weir_status weir__lone_create(weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, struct weir__lone **lone_out)
{
    struct weir__lone *lone;
    weir_status status = weir__calloc(1, sizeof *lone, "a run by one device", &lone);
    *lone_out = NULL;
    if (status)
        return status;
    if ((status = weir__placement_create_numbers(context, graph, partition, &lone->owners)) ||
        (status = reached(lone)) || (status = take_all(graph, &lone->all)))
        goto err;
    for (uint32_t p = 0; p < partition->parts; p++)
        if ((status = weir_queue_create(device(lone, p), 0, &lone->queue[p])))
            goto err;
    *lone_out = lone;
    return WEIR_OK;
err:
    weir__lone_destroy(lone);
    return status;
}

void weir__lone_need(const struct weir__lone *lone, size_t value_bytes, struct weir__need *need)
{
    weir__need_take(need, lone->owners->vertices, 4 + 4); /* numbers and degrees */
    for (uint32_t p = 0; p < lone->owners->parts; p++) {
        const uint64_t owned = lone->owners->part[p].owned;
        weir__need_pass(need, owned, sizeof(uint32_t)); /* a map, before it is brought there */
        weir__need_take_on(need, device(lone, p), owned, sizeof(uint32_t) + value_bytes);
    }
}

void weir__lone_destroy(struct weir__lone *lone)
{
    if (!lone)
        return;
    for (uint32_t p = 0; lone->owners && p < lone->owners->parts; p++) {
        weir_queue_destroy(lone->queue[p]);
        weir_device_free(device(lone, p), lone->values[p]);
    }
    weir_partition_destroy(lone->all);
    weir_placement_destroy(lone->owners);
    free(lone);
}

/* Have a device's values copied from those of all. The number of a vertex is the vertex itself where all are the first device's. */
static weir_status start(struct weir__lone *lone, const void *values, uint32_t p)
{
    values_order_args args = {.parts = 1,
                              .bytes = (uint32_t)lone->value_bytes,
                              .form = VALUES_AS_THEY_ARE,
                              .count = lone->owners->part[p].owned,
                              .out = lone->values[p]};
    weir_status status = weir__numbering_map(lone->owners->numbering, p, &args.number);
    args.values[0] = values;
    args.first[1] = UINT32_MAX;
    return status
               ? status
               : weir_queue_launch(lone->queue[p], &weir__values_order_kernel, &args, sizeof args);
}

static weir_status give(struct weir__lone *lone, const void *values)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < lone->owners->parts && !status; p++)
        if (lone->owners->part[p].owned)
            status = start(lone, values, p);
    for (uint32_t p = 0; p < lone->owners->parts; p++) {
        const weir_status synced = weir_queue_sync(lone->queue[p]);
        status = status ? status : synced;
    }
    return status;
}

weir_status weir__lone_take(struct weir__lone *lone, size_t value_bytes)
{
    weir_status status = WEIR_OK;
    const uint32_t *map;
    if (lone->value_bytes == value_bytes)
        return WEIR_OK;
    for (uint32_t p = 0; p < lone->owners->parts && !status; p++) {
        weir_device_free(device(lone, p), lone->values[p]);
        lone->values[p] = NULL;
        lone->value_bytes = 0;
        if (!(status = weir__device_alloc_as(device(lone, p), "values of owners",
                                             lone->owners->part[p].owned, value_bytes,
                                             &lone->values[p])))
            status = weir__numbering_map(lone->owners->numbering, p, &map);
    }
    if (!status)
        lone->value_bytes = value_bytes;
    return status;
}

weir_status weir__lone_give(struct weir__lone *lone, const void *values, weir_run_stats *stats)
{
    weir_context *context = lone->owners->context;
    const uint64_t begin_ns = weir_context_time_ns(context);
    const weir_status status = give(lone, values);
    if (status)
        return status;
    stats->kernel_ms += weir__ms_since(context, begin_ns);
    stats->balance = WEIR_BALANCE_OWNERSHIP;
    stats->lone_moves = 1;
    stats->lone_arcs = stats->work.atoms;
    stats->lone_bytes =
        (lone->owners->vertices - lone->owners->part[0].owned) * (uint64_t)lone->value_bytes;
    return WEIR_OK;
}

weir_status weir__lone_values(const struct weir__lone *lone, uint32_t device, weir_value_kind kind,
                              weir_values *values_out)
{
    return weir__numbering_values(lone->owners->numbering, device,
                                  device < lone->owners->parts ? lone->values[device] : NULL, kind,
                                  values_out);
}

weir_status weir__lone_link_items(const struct weir__lone *lone, uint32_t from, uint32_t to,
                                  uint64_t *items_out)
{
    *items_out = 0;
    return from < lone->owners->parts && to < lone->owners->parts
               ? WEIR_OK
               : weir__fail(WEIR_ERR_INVALID, "devices %u and %u of %u", from, to,
                            lone->owners->parts);
}
