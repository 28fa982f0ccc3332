/** @file bring.c  What placements and rows do alike, and where their arcs lie. */
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

/* ---- arcs ---------------------------------------------------------------------------------------- */

const char *weir_memory_text(weir_memory memory)
{
    static const char *const names[] = {"auto", "device", "host"};
    return (unsigned)memory < sizeof names / sizeof *names ? names[memory] : NULL;
}

weir_status weir__bring_arcs(weir_device *device, weir_memory memory, const char *what,
                             const void *data, uint64_t count, size_t bytes,
                             const void **placed_out)
{
    void *placed;
    if (memory != WEIR_MEMORY_HOST)
        return weir__bring(device, what, data, count, bytes, placed_out);
    weir_status status = weir__zero_copy_alloc(device, what, count, bytes, &placed);
    if (status)
        return status;
    *placed_out = placed;
    return weir__zero_copy_write(device, placed, data, (size_t)count * bytes);
}

void weir__bring_arcs_free(weir_device *device, weir_memory memory, const void *placed)
{
    if (memory == WEIR_MEMORY_HOST)
        weir__zero_copy_free(device, (void *)(uintptr_t)placed);
    else
        weir__bring_free(device, placed);
}

weir_status weir__bring_back(weir_device *device, weir_memory memory, void *destination,
                             const void *placed, size_t bytes)
{
    if (memory != WEIR_MEMORY_HOST)
        return weir__download(device, destination, placed, bytes);
    return weir__zero_copy_read(device, destination, placed, bytes);
}

void weir__need_take_arcs(struct weir__need *need, const weir_device *device, weir_memory memory,
                          uint64_t count, uint64_t bytes)
{
    if (memory == WEIR_MEMORY_HOST)
        weir__need_take(need, count, bytes);
    else
        weir__need_take_on(need, device, count, bytes);
}

weir_status weir__memory_choose(const struct weir__sizes *sizes, uint64_t arc_bytes,
                                const uint64_t *beside, weir_memory *memory_io)
{
    uint64_t bytes[WEIR_DEVICES_MAX];
    if (!weir_memory_text(*memory_io))
        return weir__fail(WEIR_ERR_INVALID, "memory %d: there is none", (int)*memory_io);
    if (*memory_io != WEIR_MEMORY_AUTO)
        return WEIR_OK;
    for (uint32_t p = 0; p < sizes->parts; p++)
        bytes[p] = (sizes->arcs_of[p] + sizes->in_arcs_of[p]) * arc_bytes + beside[p];
    *memory_io = weir__pools_lack(sizes->context, bytes, sizes->parts) < sizes->parts
                     ? WEIR_MEMORY_HOST
                     : WEIR_MEMORY_DEVICE;
    return WEIR_OK;
}
