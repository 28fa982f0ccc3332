/** @file placement.c  A partitioned graph on the devices of a context: the object. */
#include "algorithms/common/bring.h"
#include "algorithms/common/need.h"
#include "algorithms/graph/partition.h"
#include "algorithms/graph/sketch.h"
#include "algorithms/common/placement.h"
#include "algorithms/common/timing.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static weir_status check(const weir_context *context, const weir_graph *graph,
                         const weir_partition *partition, weir_part_weights weights)
{
    weir_status status = weir__partition_fits(context, graph, partition);
    if (status)
        return status;
    if (weights == WEIR_PART_WEIGHTS_NONE)
        return WEIR_OK;
    if (weights != WEIR_PART_WEIGHTS_U32 && weights != WEIR_PART_WEIGHTS_F64)
        return weir__fail(WEIR_ERR_INVALID, "weights of kind %d: there is none", (int)weights);
    if (graph->weight_kind == WEIR_WEIGHT_NONE)
        return weir__fail(WEIR_ERR_INVALID, "the graph has no weights (weir_graph_weigh())");
    if (weights == WEIR_PART_WEIGHTS_U32 && graph->weight_kind != WEIR_WEIGHT_U32)
        return weir__fail(WEIR_ERR_INVALID, "the graph's weights are not all 32-bit integers");
    return WEIR_OK;
}

/* Make the tables that bring results back into the order of vertices. */
static weir_status number(weir_placement *placement)
{
    struct weir__numbering fields = {.context = placement->context,
                                     .vertices = placement->vertices,
                                     .parts = placement->parts,
                                     .numbers = (uint32_t)placement->vertices,
                                     .number = placement->global};
    for (uint32_t p = 0; p < placement->parts; p++) {
        fields.begin[p] = placement->first[p];
        fields.owned[p] = placement->part[p].owned;
    }
    return weir__numbering_create(&fields, &placement->numbering);
}

/* How many vertices and arcs parts have, without numbers. */
static void number_sketch(weir_placement *placement, const struct weir__sizes *sizes)
{
    for (uint32_t p = 0; p < placement->parts; p++) {
        placement->part[p].owned = (uint32_t)sizes->owned[p];
        placement->arcs[p] = sizes->arcs_of[p];
        placement->in_arcs[p] = sizes->transposed ? sizes->in_arcs_of[p] : 0;
        placement->first[p + 1] = placement->first[p] + (uint32_t)sizes->owned[p];
    }
}

static weir_status choose_memory(weir_placement *placement, const struct weir__sizes *sizes,
                                 weir_part_weights weights)
{
    uint64_t beside[WEIR_DEVICES_MAX];
    const uint64_t arc_bytes = 4 + (weights == WEIR_PART_WEIGHTS_U32   ? 4
                                    : weights == WEIR_PART_WEIGHTS_F64 ? 8
                                                                       : 0);
    for (uint32_t p = 0; p < sizes->parts; p++)
        beside[p] =
            (sizes->owned[p] + 1) * (sizes->transposed ? 16 : 8) + weir__halo_most(sizes, p) * 4;
    return weir__memory_choose(sizes, arc_bytes, beside, &placement->memory);
}

static weir_status place_all(weir_placement *placement, const weir_graph *graph,
                             const weir_partition *partition, weir_part_weights weights, int in)
{
    struct weir__place place = {
        .placement = placement, .graph = graph, .owner = partition->owner, .in = in};
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(placement->context, graph, partition, &sizes);
    if (status)
        return status;
    if (in && !weir__place_symmetric(graph, weights) &&
        (status = weir__sizes_transpose(graph, partition, &sizes)))
        return status;
    if ((status = choose_memory(placement, &sizes, weights)))
        return status;
    weir__placement_need(&sizes, weights, placement->memory, &need);
    status = weir__need_fits(&need, "%s on %u devices", graph->name, partition->parts);
    if (weir__context_planned(placement->context))
        place.sizes = &sizes;
    if (!status && sizes.transposed && !weir__graph_is_sketch(graph))
        status = weir__place_transpose(&place, weights);
    if (!status && weir__graph_is_sketch(graph))
        number_sketch(placement, &sizes);
    else if (!status)
        status = weir__place_number(&place);
    for (uint32_t p = 0; p < placement->parts && !status; p++)
        status = weir__place_part(&place, p, weights);
    weir__place_free(&place);
    return status ? status : number(placement);
}

static weir_status take(weir_context *context, const weir_graph *graph,
                        const weir_partition *partition, weir_memory memory,
                        weir_placement **placement_out)
{
    weir_placement *placement;
    weir_status status = weir__calloc(1, sizeof *placement, "placement", &placement);
    if (status)
        return status;
    weir__context_retain(context);
    atomic_init(&placement->users, 1);
    placement->context = context;
    placement->vertices = graph->vertices;
    placement->parts = partition->parts;
    placement->memory = memory;
    for (uint32_t p = 0; p < placement->parts; p++) {
        placement->part[p].part = p;
        placement->part[p].parts = placement->parts;
    }
    *placement_out = placement;
    return WEIR_OK;
}

static weir_status create(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_placement_config *config,
                          weir_placement **placement_out)
{
    weir_placement *placement;
    weir_status status;
    if ((status = check(context, graph, partition, config->weights)) ||
        (status = take(context, graph, partition, config->memory, &placement)))
        return status;
    placement->weights = config->weights;
    if ((status = place_all(placement, graph, partition, config->weights, config->in_arcs))) {
        weir_placement_destroy(placement);
        return status;
    }
    *placement_out = placement;
    return WEIR_OK;
}

static weir_status number_all(weir_placement *placement, const weir_graph *graph,
                              const weir_partition *partition)
{
    struct weir__place place = {
        .placement = placement, .graph = graph, .owner = partition->owner, .in = 0};
    struct weir__sizes sizes;
    weir_status status;
    if (weir__graph_is_sketch(graph)) {
        if (!(status = weir__sizes_of(placement->context, graph, partition, &sizes)))
            number_sketch(placement, &sizes);
    } else {
        status = weir__place_number(&place);
        weir__place_free(&place);
    }
    return status ? status : number(placement);
}

weir_status weir__placement_create_numbers(weir_context *context, const weir_graph *graph,
                                           const weir_partition *partition,
                                           weir_placement **placement_out)
{
    weir_placement *placement;
    weir_status status;
    if ((status = check(context, graph, partition, WEIR_PART_WEIGHTS_NONE)) ||
        (status = take(context, graph, partition, WEIR_MEMORY_DEVICE, &placement)))
        return status;
    if ((status = number_all(placement, graph, partition))) {
        weir_placement_destroy(placement);
        return status;
    }
    *placement_out = placement;
    return WEIR_OK;
}

weir_status weir_placement_create_with(weir_context *context, const weir_graph *graph,
                                       const weir_partition *partition,
                                       const weir_placement_config *config,
                                       weir_placement **placement_out)
{
    const struct weir__prepare begin = weir__prepare_begin();
    weir_placement_config known = WEIR_PLACEMENT_CONFIG_INIT;
    struct weir__activity outer;
    weir_partition *made;
    weir_status status;
    *placement_out = NULL;
    if ((status = weir__partition_1d(partition, "a placement")) ||
        (status = weir__sized_in(&known, sizeof known, config, "weir_placement_config")))
        return status;
    weir__activity_begin(&outer, "placing", NULL, 0);
    if (!(status = weir__partition_over_all(context, graph, &partition, &made)))
        status = create(context, graph, partition, &known, placement_out);
    if (!status)
        (*placement_out)->prepared = weir__prepare_end(&begin, graph, partition, made);
    weir_partition_destroy(made);
    return weir__activity_end(&outer, status);
}

weir_status weir_placement_prepared(const weir_placement *placement, weir_prepare_stats *stats_out)
{
    return weir__sized_out(stats_out, &placement->prepared, sizeof *stats_out,
                           "weir_prepare_stats");
}

weir_status weir_placement_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, weir_part_weights weights,
                                  weir_placement **placement_out)
{
    weir_placement_config config = WEIR_PLACEMENT_CONFIG_INIT;
    config.weights = weights;
    return weir_placement_create_with(context, graph, partition, &config, placement_out);
}

weir_status weir_placement_create_with_in_arcs(weir_context *context, const weir_graph *graph,
                                               const weir_partition *partition,
                                               weir_part_weights weights,
                                               weir_placement **placement_out)
{
    weir_placement_config config = WEIR_PLACEMENT_CONFIG_INIT;
    config.weights = weights;
    config.in_arcs = 1;
    return weir_placement_create_with(context, graph, partition, &config, placement_out);
}

weir_memory weir_placement_memory(const weir_placement *placement)
{
    return placement->memory;
}

weir_context *weir_placement_context(const weir_placement *placement)
{
    return placement->context;
}

uint64_t weir_placement_vertices(const weir_placement *placement)
{
    return placement->vertices;
}

const weir_part *weir_placement_part(const weir_placement *placement, uint32_t part)
{
    return &placement->part[part];
}

weir_status weir_placement_locate(const weir_placement *placement, uint64_t vertex,
                                  uint32_t *part_out, uint32_t *global_out, uint32_t *local_out)
{
    uint32_t part = 0;
    if (vertex >= placement->vertices)
        return weir__fail(WEIR_ERR_INVALID, "%llu is not a vertex: the graph has %llu",
                          (unsigned long long)vertex, (unsigned long long)placement->vertices);
    uint32_t global = placement->global[vertex];
    while (global >= placement->first[part + 1])
        part++;
    if (part_out)
        *part_out = part;
    if (global_out)
        *global_out = global;
    if (local_out)
        *local_out = global - placement->first[part];
    return WEIR_OK;
}

uint32_t weir_placement_degree(const weir_placement *placement, uint64_t vertex)
{
    return vertex < placement->vertices ? placement->degree[placement->global[vertex]] : 0;
}

weir_status weir__placement_count_results(const weir_placement *placement, size_t value_bytes)
{
    return weir__gather_count(placement->numbering, value_bytes, VALUES_AS_THEY_ARE);
}

weir_status weir_placement_gather(const weir_placement *placement, const void *const *values,
                                  size_t value_bytes, void *values_out)
{
    return weir__gather(placement->numbering, values, value_bytes, values_out);
}

void weir__placement_retain(weir_placement *placement)
{
    atomic_fetch_add_explicit(&placement->users, 1, memory_order_relaxed);
}

void weir_placement_destroy(weir_placement *placement)
{
    if (!placement || atomic_fetch_sub_explicit(&placement->users, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t p = 0; p < placement->parts; p++) {
        weir_device *device = weir_context_device(placement->context, p);
        const weir_part *part = &placement->part[p];
        weir__bring_free(device, part->offsets);
        weir__bring_arcs_free(device, placement->memory, part->targets);
        weir__bring_arcs_free(device, placement->memory, part->weights);
        weir__bring_free(device, part->halo);
        weir__bring_free(device, part->first);
        if (part->in_offsets == part->offsets) /* in-arcs of a symmetric graph are its out-arcs */
            continue;
        weir__bring_free(device, part->in_offsets);
        weir__bring_arcs_free(device, placement->memory, part->in_sources);
        weir__bring_arcs_free(device, placement->memory, part->in_weights);
    }
    weir__numbering_destroy(placement->numbering);
    weir__context_release(placement->context);
    free(placement->global);
    free(placement->degree);
    free(placement);
}
