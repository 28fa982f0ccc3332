/** @file device.c  The part of a device that is the same for every backend: facts and the pool.
 *
 * The pool is a bound with a list of what is handed out: allocation belongs to set-up, so each goes
 * to the backend by itself and memory checkers see its true ends. */
#include "runtime/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weir__block {
    struct weir__block *next;
    void *data;
    size_t bytes;
};

void weir__device_init(weir_device *device, const weir__backend *ops, weir_context *context,
                       uint32_t ordinal)
{
    device->ops = ops;
    device->context = context;
    device->info.kind = ops->kind;
    device->info.ordinal = ordinal;
    snprintf(device->info.label, sizeof device->info.label, "%s:%u", ops->name, ordinal);
    pthread_mutex_init(&device->pool.lock, NULL);
    pthread_mutex_init(&device->events.lock, NULL);
    device->pool.stats.bound_bytes =
        weir__config_get(weir_context_config(context), WEIR__POOL_BYTES);
}

void weir__device_fini(weir_device *device)
{
    while (device->pool.blocks) {
        struct weir__block *block = device->pool.blocks;
        device->pool.blocks = block->next;
        weir__log(WEIR__LOG_ERROR, "%s: %zu bytes were never given back", device->info.label,
                  block->bytes);
        device->ops->mem_free(device, block->data);
        free(block);
    }
    pthread_mutex_destroy(&device->pool.lock);
    pthread_mutex_destroy(&device->events.lock);
}

void weir_device_info_get(const weir_device *device, weir_device_info *info_out)
{
    *info_out = device->info;
}

weir_context *weir__device_context(const weir_device *device)
{
    return device->context;
}

static weir_status reserve(weir_device *device, size_t bytes)
{
    weir_pool_stats *stats = &device->pool.stats;
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&device->pool.lock);
    if (bytes > stats->bound_bytes - stats->used_bytes) {
        status = weir__fail(WEIR_ERR_NOMEM,
                            "%s: its pool of %llu MiB (WEIR_POOL_BYTES) has %llu MiB in use and "
                            "cannot give %llu MiB more",
                            device->info.label, (unsigned long long)(stats->bound_bytes >> 20),
                            (unsigned long long)(stats->used_bytes >> 20),
                            (unsigned long long)((bytes + (1u << 20) - 1) >> 20));
    } else {
        stats->used_bytes += bytes;
    }
    pthread_mutex_unlock(&device->pool.lock);
    return status;
}

static void unreserve(weir_device *device, size_t bytes)
{
    pthread_mutex_lock(&device->pool.lock);
    device->pool.stats.used_bytes -= bytes;
    pthread_mutex_unlock(&device->pool.lock);
}

weir_status weir_device_alloc(weir_device *device, size_t bytes, void **data_out)
{
    struct weir__block *block;
    weir_status status;
    *data_out = NULL;
    if (bytes == 0)
        bytes = 1;
    if ((status = reserve(device, bytes)))
        return status;
    if ((status = weir__alloc(1, sizeof *block, "pool block", &block)))
        goto err_reserve;
    if ((status = device->ops->mem_alloc(device, bytes, &block->data)))
        goto err_block;
    block->bytes = bytes;
    pthread_mutex_lock(&device->pool.lock);
    block->next = device->pool.blocks;
    device->pool.blocks = block;
    device->pool.stats.allocations++;
    if (device->pool.stats.peak_bytes < device->pool.stats.used_bytes)
        device->pool.stats.peak_bytes = device->pool.stats.used_bytes;
    pthread_mutex_unlock(&device->pool.lock);
    *data_out = block->data;
    return WEIR_OK;
err_block:
    free(block);
err_reserve:
    unreserve(device, bytes);
    return status;
}

void weir_device_free(weir_device *device, void *data)
{
    struct weir__block **at, *found = NULL;
    if (!data)
        return;
    pthread_mutex_lock(&device->pool.lock);
    for (at = &device->pool.blocks; *at && (*at)->data != data; at = &(*at)->next)
        ;
    if (*at) {
        found = *at;
        *at = found->next;
        device->pool.stats.used_bytes -= found->bytes;
        device->pool.stats.allocations--;
    }
    pthread_mutex_unlock(&device->pool.lock);
    if (!found) {
        weir__log(WEIR__LOG_ERROR, "%s: freed %p, which is not of its pool", device->info.label,
                  data);
        return;
    }
    device->ops->mem_free(device, data);
    free(found);
}

void weir_device_pool_stats(const weir_device *device, weir_pool_stats *stats_out)
{
    weir_device *shared = (weir_device *)device; /* the lock is not part of what is const */
    pthread_mutex_lock(&shared->pool.lock);
    *stats_out = shared->pool.stats;
    pthread_mutex_unlock(&shared->pool.lock);
}
