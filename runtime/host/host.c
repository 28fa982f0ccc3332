/** @file host.c  The host backend: devices made of threads and of the program's memory.
 *
 * Not a mock: it is what laptops, sanitizers and CI run, and the oracle for the GPU. Its queues are
 * threads, its kernels run on a team of threads, its copies are memcpy. */
#include "runtime/host/host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t count(void)
{
    return WEIR_DEVICES_MAX;
}

/* Of the last level, which the cores of a socket share. */
static uint64_t last_cache_bytes(void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (uint64_t)bytes : 0;
#else
    return 0;
#endif
}

static weir_status open_device(weir_context *context, uint32_t ordinal, uint32_t threads,
                               weir_device **device_out)
{
    struct host_device *device;
    weir_status status;
    *device_out = NULL;
    if ((status = weir__calloc(1, sizeof *device, "host device", &device)))
        return status;
    weir__device_init(&device->base, &weir__host_backend, context, ordinal);
    if ((status = weir__host_team_open(&device->team, context, threads))) {
        weir__device_fini(&device->base);
        free(device);
        return status;
    }
    weir_device_info *info = &device->base.info;
    strcpy(info->name, "host device");
    info->units = info->workers = threads;
    info->lanes = 1;
    info->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    info->block_bytes = weir__stack_bytes();
    info->cache_bytes = last_cache_bytes();
    *device_out = &device->base;
    return WEIR_OK;
}

static void close_device(weir_device *base)
{
    struct host_device *device = (struct host_device *)base;
    weir__host_team_close(&device->team);
    weir__device_fini(base);
    free(device);
}

static weir_status mem_alloc(weir_device *device, size_t bytes, void **data_out)
{
    return weir__context_host_alloc(device->context, bytes, data_out);
}

static void mem_free(weir_device *device, void *data)
{
    weir__context_host_free(device->context, data);
}

const weir__backend weir__host_backend = {
    .name = "host",
    .kind = WEIR_DEVICE_HOST,
    .made = 1,
    .usual = "host:4",
    .count = count,
    .open = open_device,
    .close = close_device,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .queue_create = weir__host_queue_create,
    .reserve = weir__host_queue_reserve,
    .queue_destroy = weir__host_queue_destroy,
    .copy = weir__host_queue_copy,
    .push = weir__host_queue_push,
    .fill = weir__host_queue_fill,
    .launch = weir__host_queue_launch,
    .has_form = weir__kernel_on_host,
    .call = weir__host_queue_call,
    .record = weir__host_queue_record,
    .wait_event = weir__host_queue_wait_event,
    .wait_future = weir__host_queue_wait_future,
    .sync = weir__host_queue_sync,
    .stamp_create = weir__host_stamp_create,
    .stamp_destroy = weir__host_stamp_destroy,
    .stamp = weir__host_queue_stamp,
    .stamp_elapsed = weir__host_stamp_elapsed,
    .event_create = weir__host_event_create,
    .event_destroy = weir__host_event_destroy,
    .event_query = weir__host_event_query,
    .event_wait = weir__host_event_wait,
    .event_notify = weir__host_event_notify,
};
