/** @file device.c  The part of a device that is the same for every backend. */
#include "runtime/backend.h"

#include <stdio.h>

void weir__device_init(weir_device *device, const weir__backend *ops, weir_context *context,
                       uint32_t ordinal)
{
    device->ops = ops;
    device->context = context;
    device->info.kind = ops->kind;
    device->info.ordinal = ordinal;
    snprintf(device->info.label, sizeof device->info.label, "%s:%u", ops->name, ordinal);
    pthread_mutex_init(&device->events.lock, NULL);
    pthread_mutex_init(&device->queues.lock, NULL);
    weir__cond_init(&device->queues.changed);
    weir__pool_init(device);
}

void weir__device_fini(weir_device *device)
{
    weir__pool_fini(device);
    pthread_cond_destroy(&device->queues.changed);
    pthread_mutex_destroy(&device->queues.lock);
    pthread_mutex_destroy(&device->events.lock);
}

int weir__kernel_on_host(const weir_kernel *kernel)
{
    return kernel->host != NULL;
}

weir_status weir_device_info_get(const weir_device *device, weir_device_info *info_out)
{
    if (!device)
        return weir__missing("weir_device_info_get", "device");
    return weir__sized_out(info_out, &device->info, sizeof device->info, "weir_device_info");
}

int weir__device_is_gpu(const weir_device *device)
{
    return device->info.kind != WEIR_DEVICE_HOST;
}

weir_context *weir__device_context(const weir_device *device)
{
    return device->context;
}
