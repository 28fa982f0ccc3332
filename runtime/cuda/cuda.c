/** @file cuda.c  The CUDA backend: devices and memory. */
#include "runtime/cuda/cuda.h"
#include "runtime/cuda/push.h"

#include <stdio.h>
#include <stdlib.h>

/* Those after which a device does no more work for this process. */
static int is_lasting(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorExternalDevice:
    case cudaErrorContextIsDestroyed:
    case cudaErrorUnknown: /* what a GPU that is gone gives */
        return 1;
    default:
        return 0;
    }
}

weir_status weir__cuda_check(const weir_device *device, const char *what, cudaError_t error)
{
    if (error == cudaSuccess)
        return WEIR_OK;
    if (device && is_lasting(error) && weir__device_failed(device))
        return WEIR_ERR_DEVICE; /* every call says so from now on: the first said why */
    (void)cudaGetLastError();   /* a failure that is not sticky must not surface in a later call */
    weir_status status = error == cudaErrorMemoryAllocation ? WEIR_ERR_NOMEM : WEIR_ERR_DEVICE;
    weir__fail(status, "%s: %s: %s", device ? device->info.label : "cuda", what,
               cudaGetErrorString(error));
    if (device && is_lasting(error))
        weir__device_mark((weir_device *)device, weir_error_detail());
    return status;
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
    info->block_bytes = properties.sharedMemPerBlockOptin;
    info->cache_bytes = properties.l2CacheSize > 0 ? (uint64_t)properties.l2CacheSize : 0;
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
    device->context = weir__cuda_current();
    weir__cuda_watcher_open(device);
    pthread_mutex_init(&device->hold.lock, NULL);
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
    weir__cuda_hold_close(device);
    if (device->clock)
        base->ops->pinned_free(base, device->clock);
    weir__device_fini(base);
    free(device);
}

static weir_status mem_left(weir_device *device, uint64_t *free_out, uint64_t *total_out)
{
    size_t left = 0, total = 0;
    weir_status status = weir__cuda_use(device);
    if (!status)
        status = weir__cuda_check(device, "asking for its memory", cudaMemGetInfo(&left, &total));
    *free_out = left;
    *total_out = total;
    return status;
}

static weir_status mem_alloc(weir_device *device, size_t bytes, void **data_out)
{
    uint64_t left, total;
    weir_status status = weir__cuda_use(device);
    *data_out = NULL;
    if (status)
        return status;
    status = weir__cuda_check(device, "taking memory", cudaMalloc(data_out, bytes));
    if (status != WEIR_ERR_NOMEM || mem_left(device, &left, &total))
        return status;
    return weir__fail(
        WEIR_ERR_NOMEM,
        "%s: the GPU cannot give %llu MiB more: %llu of its %llu MiB are free, and others "
        "may have the rest",
        device->info.label, (unsigned long long)(((bytes - 1) >> 20) + 1),
        (unsigned long long)(left >> 20), (unsigned long long)(total >> 20));
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

static weir_status pin(weir_device *device, void *data, size_t bytes)
{
    int same = 0, ordinal = ((struct cuda_device *)device)->ordinal;
    weir_status status = weir__cuda_use(device);
    if (status)
        return status;
    if (cudaDeviceGetAttribute(&same, cudaDevAttrCanUseHostPointerForRegisteredMem, ordinal) ||
        !same)
        return weir__fail(WEIR_ERR_NOMEM,
                          "%s: it would see registered memory at another address than the host",
                          device->info.label);
    cudaError_t error =
        cudaHostRegister(data, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
    if (error == cudaSuccess || is_lasting(error))
        return weir__cuda_check(device, "page-locking memory", error);
    (void)cudaGetLastError();
    return weir__fail(error == cudaErrorHostMemoryAlreadyRegistered ? WEIR_ERR_INVALID
                                                                    : WEIR_ERR_NOMEM,
                      "%s: page-locking %zu bytes at %p: %s", device->info.label, bytes, data,
                      cudaGetErrorString(error));
}

static void unpin(weir_device *device, void *data)
{
    if (!weir__cuda_use(device))
        (void)weir__cuda_check(device, "giving up page-locked memory", cudaHostUnregister(data));
}

static int has_form(const weir_kernel *kernel)
{
    return kernel->cuda != NULL;
}

const weir__backend weir__cuda_backend = {
    .name = "cuda",
    .kind = WEIR_DEVICE_CUDA,
    .usual = "cuda",
    .waits_capture = 1, /* cudaStreamWaitEvent takes the record there is */
    .holds = 1,         /* and goes on at once if there is none */
    .count = count,
    .open = open_device,
    .close = close_device,
    .quiesce = quiesce,
    .connect = weir__cuda_connect,
    .facts = weir__cuda_facts,
    .pair_atomics = weir__cuda_pair_atomics,
    .status = weir__cuda_status,
    .mem_left = mem_left,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .pinned_alloc = pinned_alloc,
    .pinned_free = pinned_free,
    .pin = pin,
    .unpin = unpin,
    .queue_create = weir__cuda_queue_create,
    .queue_adopt = weir__cuda_queue_adopt,
    .queue_destroy = weir__cuda_queue_destroy,
    .copy = weir__cuda_queue_copy,
    .push = weir__cuda_queue_push,
    .fill = weir__cuda_queue_fill,
    .launch = weir__cuda_queue_launch,
    .has_form = has_form,
    .record = weir__cuda_queue_record,
    .wait_event = weir__cuda_queue_wait_event,
    .hold = weir__cuda_queue_hold,
    .sync = weir__cuda_queue_sync,
    .load = weir__cuda_load,
    .native = weir__cuda_queue_native,
    .wait_native = weir__cuda_queue_wait_native,
    .clock = weir__cuda_clock,
    .range = weir__cuda_range,
    .stamp_create = weir__cuda_stamp_create,
    .stamp_destroy = weir__cuda_stamp_destroy,
    .stamp = weir__cuda_queue_stamp,
    .stamp_elapsed = weir__cuda_stamp_elapsed,
    .event_create = weir__cuda_event_create,
    .event_destroy = weir__cuda_event_destroy,
    .event_query = weir__cuda_event_query,
    .event_wait = weir__cuda_event_wait,
    .event_notify = weir__cuda_watch_event,
    .event_native = weir__cuda_event_native,
};
