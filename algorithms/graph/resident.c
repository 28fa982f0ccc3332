/** @file resident.c  Arcs that stay in the memory of the devices that made them. */
#include "algorithms/graph/resident.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <stdlib.h>

weir_status weir__resident_create(weir_context *context, struct weir_graph_resident **resident_out)
{
    struct weir_graph_resident *resident;
    weir_status status = weir__calloc(1, sizeof *resident, "a graph in devices' memory", &resident);
    *resident_out = resident;
    if (status)
        return status;
    weir__context_retain(context);
    resident->context = context;
    pthread_mutex_init(&resident->lock, NULL);
    return WEIR_OK;
}

static void free_ranges(struct weir_graph_resident *resident)
{
    for (uint32_t r = 0; r < resident->ranges; r++)
        weir_device_free(resident->range[r].device, resident->range[r].targets);
    resident->ranges = 0;
}

void weir__resident_destroy(struct weir_graph_resident *resident)
{
    if (!resident)
        return;
    free_ranges(resident);
    weir_context *context = resident->context;
    pthread_mutex_destroy(&resident->lock);
    free(resident);
    weir_context_destroy(context);
}

const struct weir__resident_range *weir__resident_at(const weir_graph *graph, uint64_t arc)
{
    const struct weir_graph_resident *resident = graph->resident;
    for (uint32_t r = 0; resident && r < resident->ranges; r++)
        if (arc >= resident->range[r].begin && arc < resident->range[r].end)
            return &resident->range[r];
    return NULL;
}

static weir_status fetch(const weir_graph *graph, uint32_t **targets_out)
{
    const struct weir_graph_resident *resident = graph->resident;
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, graph->arcs, sizeof **targets_out);
    if ((status = weir__need_fits(&need, "the arcs of %s on the host", graph->name)) ||
        (status = weir__alloc(graph->arcs, sizeof **targets_out, "graph targets", targets_out)))
        return status;
    for (uint32_t r = 0; r < resident->ranges && !status; r++) {
        const struct weir__resident_range *range = &resident->range[r];
        status = weir__download(range->device, *targets_out + range->begin, range->targets,
                                (range->end - range->begin) * sizeof **targets_out);
    }
    return status;
}

weir_status weir_graph_fetch(const weir_graph *graph)
{
    uint32_t *targets = NULL;
    struct weir__activity outer;
    weir_status status = WEIR_OK;
    if (!graph)
        return weir__missing("weir_graph_fetch", "graph");
    /* Acquire: what is found was written before. */
    if (!graph->resident || __atomic_load_n(&graph->targets, __ATOMIC_ACQUIRE))
        return WEIR_OK;
    pthread_mutex_lock(&graph->resident->lock);
    if (!graph->targets && graph->arcs) {
        weir__activity_begin(&outer, "fetching arcs", "bytes", graph->arcs * sizeof *targets);
        status = weir__activity_end(&outer, fetch(graph, &targets));
        if (status)
            free(targets);
        else /* release: they may be found without the lock */
            __atomic_store_n((const uint32_t **)(uintptr_t)&graph->targets, targets,
                             __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&graph->resident->lock);
    return status;
}

weir_status weir__resident_release(const weir_graph *graph)
{
    const weir_status status = weir_graph_fetch(graph);
    if (!status && graph->resident)
        free_ranges(graph->resident);
    return status;
}
