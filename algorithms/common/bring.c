/** @file bring.c  What placements and rows do alike. */
#include "algorithms/common/bring.h"
#include "runtime/support.h"

weir_status weir__partition_over_all(const weir_context *context, const weir_graph *graph,
                                     const weir_partition **partition_io, weir_partition **made_out)
{
    *made_out = NULL;
    if (*partition_io)
        return WEIR_OK;
    weir_status status = weir_partition_create(
        graph, WEIR_PARTITION_EDGE, weir_context_device_count(context), 0, NULL, made_out);
    *partition_io = *made_out;
    return status;
}

weir_status weir__refuse_owner(const uint8_t *owner, uint32_t parts)
{
    uint64_t v = 0;
    while (owner[v] < parts)
        v++;
    return weir__fail(WEIR_ERR_INVALID, "vertex %llu is in part %u of %u", (unsigned long long)v,
                      owner[v], parts);
}

weir_status weir__bring(weir_device *device, const char *what, const void *data, uint64_t count,
                        size_t bytes, const void **placed_out)
{
    void *placed;
    weir_status status = weir__device_alloc_as(device, what, count, bytes, &placed);
    if (status)
        return status;
    *placed_out = placed;
    return weir__upload(device, placed, data, (size_t)count * bytes);
}

void weir__bring_free(weir_device *device, const void *placed)
{
    weir_device_free(device, (void *)(uintptr_t)placed);
}
