/** @file facts.c  What a backend knows of its devices beyond weir_device_info. */
#include "runtime/backend.h"

void weir__device_facts_get(weir_device *device, weir__device_facts *facts_out)
{
    *facts_out = (weir__device_facts){0};
    if (device->ops->facts)
        device->ops->facts(device, facts_out);
}

int weir_device_atomics(weir_device *source, weir_device *destination)
{
    if (!source || !destination ||
        weir__device_context(source) != weir__device_context(destination))
        return 0;
    if (source == destination)
        return 1;
    if (source->ops->pair_atomics)
        return source->ops->pair_atomics(source, destination);
    /* A host device's threads reach no memory of a GPU at all. */
    return source->info.kind == destination->info.kind;
}
