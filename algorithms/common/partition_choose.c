/** @file partition_choose.c  Which partition is used on which devices. */
#include "algorithms/common/choose.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"

weir_status weir__partition_fits(const weir_context *context, const weir_graph *graph,
                                 const weir_partition *partition)
{
    uint32_t devices = weir_context_device_count(context);
    if (partition->vertices == graph->vertices && partition->parts > 0 &&
        partition->parts <= devices)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID,
                      "a partition of %llu vertices into %u parts for a graph of %llu vertices and "
                      "%u devices",
                      (unsigned long long)partition->vertices, partition->parts,
                      (unsigned long long)graph->vertices, devices);
}

weir_status weir__partition_choose(weir_context *context, const weir_graph *graph,
                                   const weir_partition **partition_io, weir_shape shape,
                                   weir_partition **own_out, const char **why_out)
{
    *own_out = NULL;
    *why_out = NULL;
    if (*partition_io) {
        if ((*partition_io)->parts < weir_context_device_count(context))
            *why_out = "the partition has fewer parts than there are devices";
        return WEIR_OK;
    }
    weir_status status = weir_partition_create(graph, WEIR_PARTITION_EDGE,
                                               weir_devices_advise(context, graph, shape, why_out),
                                               0, NULL, own_out);
    *partition_io = *own_out;
    return status;
}
