/** @file cuda.c  The CUDA backend: devices and memory. */
#include "runtime/cuda/cuda.h"
#include "runtime/cuda/push.h"

#include <stdio.h>
#include <stdlib.h>

weir_status weir__cuda_check(const weir_device *device, const char *what, cudaError_t error)
{
    if (error == cudaSuccess)
        return WEIR_OK;
    (void)cudaGetLastError(); /* a failure that is not sticky must not surface in a later call */
    weir_status status = error == cudaErrorMemoryAllocation ? WEIR_ERR_NOMEM : WEIR_ERR_DEVICE;
    return weir__fail(status, "%s: %s: %s", device ? device->info.label : "cuda", what,
                      cudaGetErrorString(error));
}

weir_status weir__cuda_use(const weir_device *device)
{
    return weir__cuda_check(device, "making it current",
                            cudaSetDevice(((const struct cuda_device *)device)->ordinal));
}

static uint32_t count(void)
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices > 0)
        return (uint32_t)devices;
    (void)cudaGetLastError();
    weir__fail(WEIR_ERR_NODEV, "no CUDA device: %s",
               error == cudaSuccess ? "none is visible" : cudaGetErrorString(error));
    return 0;
}

static weir_status describe(struct cuda_device *device)
{
    weir_device_info *info = &device->base.info;
    struct cudaDeviceProp properties;
    weir_status status = weir__cuda_check(&device->base, "reading its properties",
                                          cudaGetDeviceProperties(&properties, device->ordinal));
    if (status)
        return status;
    snprintf(info->name, sizeof info->name, "%.63s", properties.name);
    info->units = (uint32_t)properties.multiProcessorCount;
    info->lanes = 32;
    /* Half of what fits: a worker is a warp, and receivers need room beside it. */
    info->workers = info->units * (uint32_t)properties.maxThreadsPerMultiProcessor / 64;
    info->memory_bytes = properties.totalGlobalMem;
    return WEIR_OK;
}

static weir_status open_device(weir_context *context, uint32_t ordinal, uint32_t threads,
                               weir_device **device_out)
{
    struct cuda_device *device;
    weir_status status;
    (void)threads;
    *device_out = NULL;
    if ((status = weir__calloc(1, sizeof *device, "CUDA device", &device)))
        return status;
    device->ordinal = (int)ordinal;
    weir__device_init(&device->base, &weir__cuda_backend, context, ordinal);
    if ((status = weir__cuda_use(&device->base)) || (status = describe(device)))
        goto err_device;
    if ((status = weir__cuda_check(&device->base, "loading kernels", weir__cuda_push_load())))
        goto err_device;
    if ((status = weir__cuda_gates_open(device)))
        goto err_device;
    weir__cuda_watcher_open(device);
    *device_out = &device->base;
    return WEIR_OK;
err_device:
    weir__device_fini(&device->base);
    free(device);
    return status;
}

static void quiesce(weir_device *device)
{
    weir__cuda_watcher_stop((struct cuda_device *)device);
}

static void close_device(weir_device *base)
{
    struct cuda_device *device = (struct cuda_device *)base;
    weir__cuda_watcher_close(device);
    weir__cuda_gates_close(device);
    weir__device_fini(base);
    free(device);
}

static weir_status mem_alloc(weir_device *device, size_t bytes, void **data_out)
{
    weir_status status = weir__cuda_use(device);
    *data_out = NULL;
    return status ? status : weir__cuda_check(device, "taking memory", cudaMalloc(data_out, bytes));
}

static void mem_free(weir_device *device, void *data)
{
    if (!weir__cuda_use(device))
        (void)weir__cuda_check(device, "giving memory back", cudaFree(data));
}

static weir_status pinned_alloc(weir_device *device, size_t bytes, void **data_out)
{
    weir_status status = weir__cuda_use(device); /* or it would start a context on the first GPU */
    *data_out = NULL;
    if (status)
        return status;
    return weir__cuda_check(device, "taking page-locked memory",
                            cudaHostAlloc(data_out, bytes, cudaHostAllocPortable));
}

static void pinned_free(weir_device *device, void *data)
{
    if (!weir__cuda_use(device))
        (void)weir__cuda_check(device, "giving page-locked memory back", cudaFreeHost(data));
}

const weir__backend weir__cuda_backend = {
    .name = "cuda",
    .kind = WEIR_DEVICE_CUDA,
    .count = count,
    .open = open_device,
    .close = close_device,
    .quiesce = quiesce,
    .connect = weir__cuda_connect,
    .facts = weir__cuda_facts,
    .pair_atomics = weir__cuda_pair_atomics,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .pinned_alloc = pinned_alloc,
    .pinned_free = pinned_free,
    .queue_create = weir__cuda_queue_create,
    .queue_destroy = weir__cuda_queue_destroy,
    .copy = weir__cuda_queue_copy,
    .push = weir__cuda_queue_push,
    .fill = weir__cuda_queue_fill,
    .launch = weir__cuda_queue_launch,
    .record = weir__cuda_queue_record,
    .wait_event = weir__cuda_queue_wait_event,
    .wait_future = weir__cuda_queue_wait_future,
    .sync = weir__cuda_queue_sync,
    .native = weir__cuda_queue_native,
    .stamp_create = weir__cuda_stamp_create,
    .stamp_destroy = weir__cuda_stamp_destroy,
    .stamp = weir__cuda_queue_stamp,
    .stamp_elapsed = weir__cuda_stamp_elapsed,
    .event_create = weir__cuda_event_create,
    .event_destroy = weir__cuda_event_destroy,
    .event_query = weir__cuda_event_query,
    .event_wait = weir__cuda_event_wait,
    .event_notify = weir__cuda_watch_event,
};
