/** @file sim.c  The simulated backend: devices of a machine that nobody here needs to own.
 *
 * Their memory is plain host memory, their kernels run on the host, and only time is made up. One
 * engine plays all devices of a context. */
#include "runtime/sim/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t count(void)
{
    return WEIR_DEVICES_MAX;
}

/* The ordinal behind the last device's is the home memory's. */
static void describe(const struct weir__sim *sim, weir_device_info *info)
{
    info->units = info->workers = info->lanes = 1;
    info->block_bytes = weir__stack_bytes();
    if (info->ordinal < sim->model.devices) {
        memcpy(info->name, sim->model.names[info->ordinal], sizeof info->name);
        info->name[sizeof info->name - 1] = '\0';
        info->memory_bytes = sim->model.memory_bytes[info->ordinal];
        return;
    }
    strcpy(info->name, "host memory");
    info->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static weir_status open_device(weir_context *context, uint32_t ordinal, uint32_t threads,
                               weir_device **device_out)
{
    weir_device *device;
    weir_status status = weir__calloc(1, sizeof *device, "simulated device", &device);
    (void)threads; /* the model has a kernel cost its launch, on however many */
    *device_out = NULL;
    if (status)
        return status;
    weir__device_init(device, &weir__sim_backend, context, ordinal);
    device->hollow = weir__sim_of(device)->model.dry;
    describe(weir__sim_of(device), &device->info);
    *device_out = device;
    return WEIR_OK;
}

static void close_device(weir_device *device)
{
    weir__device_fini(device);
    free(device);
}

/* A wait that is over leaves calls to whoever comes next: here nobody does. */
static void quiesce(weir_device *device)
{
    weir__sim_drain(weir__sim_of(device));
}

static uint64_t time_ns(const weir_context *context)
{
    struct weir__sim *sim = weir__context_engine(context);
    pthread_mutex_lock(&sim->lock);
    uint64_t ns = sim->now_ps / 1000;
    pthread_mutex_unlock(&sim->lock);
    return ns;
}

/* Addresses that nobody reads or writes; the first page keeps how many there are. */
static weir_status reserve(size_t bytes, void **data_out)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = bytes > PTRDIFF_MAX - page
                   ? MAP_FAILED
                   : mmap(NULL, bytes + page, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || mprotect(at, page, PROT_READ | PROT_WRITE)) {
        if (at != MAP_FAILED)
            (void)munmap(at, bytes + page);
        return weir__fail(WEIR_ERR_NOMEM, "no %zu bytes of addresses left", bytes);
    }
    *(size_t *)(void *)at = bytes + page;
    *data_out = at + page;
    return WEIR_OK;
}

static weir_status mem_alloc(weir_device *device, size_t bytes, void **data_out)
{
    if (weir__sim_of(device)->model.dry)
        return reserve(bytes, data_out);
    return weir__context_host_alloc(device->context, bytes, data_out);
}

static void mem_free(weir_device *device, void *data)
{
    char *at = data;
    if (!weir__sim_of(device)->model.dry) {
        weir__context_host_free(device->context, data);
        return;
    }
    at -= sysconf(_SC_PAGESIZE);
    (void)munmap(at, *(size_t *)(void *)at);
}

const weir__backend weir__sim_backend = {
    .name = "sim",
    .kind = WEIR_DEVICE_HOST,
    .simulated = 1,
    .count = count,
    .open = open_device,
    .close = close_device,
    .quiesce = quiesce,
    .time_ns = time_ns,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .queue_create = weir__sim_queue_create,
    .queue_destroy = weir__sim_queue_destroy,
    .copy = weir__sim_queue_copy,
    .push = weir__sim_queue_push,
    .fill = weir__sim_queue_fill,
    .launch = weir__sim_queue_launch,
    .has_form = weir__kernel_on_host,
    .call = weir__sim_queue_call,
    .record = weir__sim_queue_record,
    .wait_event = weir__sim_queue_wait_event,
    .wait_future = weir__sim_queue_wait_future,
    .sync = weir__sim_queue_sync,
    .stamp_create = weir__sim_stamp_create,
    .stamp_destroy = weir__sim_stamp_destroy,
    .stamp = weir__sim_queue_stamp,
    .stamp_elapsed = weir__sim_stamp_elapsed,
    .event_create = weir__sim_event_create,
    .event_destroy = weir__sim_event_destroy,
    .event_query = weir__sim_event_query,
    .event_look = weir__sim_event_look,
    .event_wait = weir__sim_event_wait,
    .event_notify = weir__sim_event_notify,
};
