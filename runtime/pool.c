/** @file pool.c  A device's memory pool: an arena of slabs, bounded by configuration.
 *
 * The pool takes slabs from the backend and cuts pieces from them, first fit, so that an allocation
 * costs no driver call and a free never waits for the device (cudaFree does). Slabs stay until the
 * device is closed, or until their room is needed for another. What describes the pieces lies in host
 * memory, since the host cannot read every device's. */
#include "runtime/backend.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(device, data, bytes) \
    ((device)->info.kind == WEIR_DEVICE_HOST ? __asan_poison_memory_region(data, bytes) : (void)0)
#define UNPOISON(device, data, bytes) \
    ((device)->info.kind == WEIR_DEVICE_HOST ? __asan_unpoison_memory_region(data, bytes) : (void)0)
#else
#define POISON(device, data, bytes)   ((void)0)
#define UNPOISON(device, data, bytes) ((void)0)
#endif

#define SLAB_BYTES ((uint64_t)16 << 20)

/* Consecutive pieces of a slab, in order of address; no two free ones stand beside each other. */
struct piece {
    struct piece *before, *after;
    uint64_t offset, bytes; /* multiples of WEIR__ALIGNMENT */
    uint64_t asked;         /* what the user asked for */
    int used;
};

struct weir__slab {
    struct weir__slab *next;
    char *data;
    uint64_t bytes;
    struct piece *first;
};

void weir__pool_init(weir_device *device, uint64_t bound_bytes)
{
    pthread_mutex_init(&device->pool.lock, NULL);
    pthread_cond_init(&device->pool.dropped, NULL);
    device->pool.stats.bound_bytes = bound_bytes;
}

static void slab_destroy(weir_device *device, struct weir__slab *slab)
{
    while (slab->first) {
        struct piece *piece = slab->first;
        slab->first = piece->after;
        if (piece->used)
            weir__log(WEIR__LOG_ERROR, "%s: %llu bytes were never given back", device->info.label,
                      (unsigned long long)piece->asked);
        free(piece);
    }
    UNPOISON(device, slab->data, slab->bytes);
    device->ops->mem_free(device, slab->data);
    free(slab);
}

void weir__pool_fini(weir_device *device)
{
    while (device->pool.slabs) {
        struct weir__slab *slab = device->pool.slabs;
        device->pool.slabs = slab->next;
        slab_destroy(device, slab);
    }
    pthread_cond_destroy(&device->pool.dropped);
    pthread_mutex_destroy(&device->pool.lock);
}

/* Take out slabs of which nothing is used. */
static struct weir__slab *take_unused(weir_device *device)
{
    struct weir__slab *unused = NULL, **at = &device->pool.slabs;
    while (*at) {
        struct weir__slab *slab = *at;
        if (slab->first->used || slab->first->after) {
            at = &slab->next;
            continue;
        }
        *at = slab->next;
        slab->next = unused;
        unused = slab;
    }
    return unused;
}

/* Give back slabs of which nothing is used. The pool is unlocked meanwhile: the driver waits for kernels that run, and
 * these may wait for somebody's weir__device_alloc_now(). */
static void drop_unused(weir_device *device)
{
    struct weir__slab *slab = take_unused(device), *next;
    uint64_t bytes = 0;
    device->pool.dropping = 1;
    pthread_mutex_unlock(&device->pool.lock);
    for (; slab; slab = next) {
        next = slab->next;
        bytes += slab->bytes;
        slab_destroy(device, slab);
    }
    pthread_mutex_lock(&device->pool.lock);
    device->pool.taken_bytes -= bytes;
    device->pool.dropping = 0;
    pthread_cond_broadcast(&device->pool.dropped);
}

static weir_status slab_create(weir_device *device, uint64_t bytes)
{
    struct weir__slab *slab;
    void *data;
    weir_status status;
    if ((status = weir__calloc(1, sizeof *slab, "slab of a pool", &slab)))
        return status;
    if ((status = weir__calloc(1, sizeof *slab->first, "slab of a pool", &slab->first)))
        goto err_slab;
    if ((status = device->ops->mem_alloc(device, bytes, &data)))
        goto err_piece;
    slab->data = data;
    slab->bytes = slab->first->bytes = bytes;
    slab->next = device->pool.slabs;
    device->pool.slabs = slab;
    device->pool.taken_bytes += bytes;
    POISON(device, data, bytes);
    return WEIR_OK;
err_piece:
    free(slab->first);
err_slab:
    free(slab);
    return status;
}

/* A slab that holds at least `bytes`; the pool is locked, but for while it drops some. */
static weir_status grow(weir_device *device, uint64_t bytes, uint64_t asked, int may_drop)
{
    const weir_pool_stats *stats = &device->pool.stats;
    if (may_drop && bytes > stats->bound_bytes - device->pool.taken_bytes)
        drop_unused(device);
    uint64_t left = stats->bound_bytes - device->pool.taken_bytes;
    if (bytes > left)
        return weir__fail(WEIR_ERR_NOMEM,
                          "%s: its pool of %llu MiB (WEIR_POOL_BYTES) has %llu MiB in use and "
                          "cannot give %llu MiB more",
                          device->info.label, (unsigned long long)(stats->bound_bytes >> 20),
                          (unsigned long long)(stats->used_bytes >> 20),
                          (unsigned long long)(((asked - 1) >> 20) + 1));
    uint64_t want = bytes > SLAB_BYTES ? bytes : SLAB_BYTES < left ? SLAB_BYTES : left;
    weir_status status = slab_create(device, want);
    if (status == WEIR_ERR_NOMEM && want > bytes)
        status = slab_create(device, bytes);
    return status;
}

/* Use the first `bytes` of a free piece; what is left over stays free. */
static weir_status cut(struct piece *piece, uint64_t bytes)
{
    if (piece->bytes > bytes) {
        struct piece *rest;
        weir_status status = weir__calloc(1, sizeof *rest, "piece of a pool", &rest);
        if (status)
            return status;
        *rest = (struct piece){.before = piece,
                               .after = piece->after,
                               .offset = piece->offset + bytes,
                               .bytes = piece->bytes - bytes};
        if (rest->after)
            rest->after->before = rest;
        piece->after = rest;
        piece->bytes = bytes;
    }
    piece->used = 1;
    return WEIR_OK;
}

static struct piece *find_free(const weir_device *device, uint64_t bytes, struct weir__slab **in)
{
    for (struct weir__slab *slab = device->pool.slabs; slab; slab = slab->next)
        for (struct piece *piece = slab->first; piece; piece = piece->after)
            if (!piece->used && piece->bytes >= bytes) {
                *in = slab;
                return piece;
            }
    return NULL;
}

static weir_status take(weir_device *device, uint64_t asked, int may_drop, void **data_out)
{
    uint64_t bytes = asked; /* over the bound in any case where rounding would overflow */
    if (asked <= UINT64_MAX - WEIR__ALIGNMENT)
        bytes = (asked + WEIR__ALIGNMENT - 1) / WEIR__ALIGNMENT * WEIR__ALIGNMENT;
    weir_pool_stats *stats = &device->pool.stats;
    struct weir__slab *slab = NULL;
    struct piece *piece = find_free(device, bytes, &slab);
    weir_status status = WEIR_OK;
    if (!piece && !(status = grow(device, bytes, asked, may_drop)))
        piece = find_free(device, bytes, &slab);
    if (status || (status = cut(piece, bytes)))
        return status;
    piece->asked = asked;
    stats->allocations++;
    stats->used_bytes += asked;
    if (stats->peak_bytes < stats->used_bytes)
        stats->peak_bytes = stats->used_bytes;
    *data_out = slab->data + piece->offset;
    UNPOISON(device, *data_out, asked);
    return WEIR_OK;
}

static weir_status alloc(weir_device *device, size_t bytes, int may_drop, void **data_out)
{
    *data_out = NULL;
    if (bytes == 0)
        bytes = 1;
    if (weir__fault_strikes(WEIR__FAULT_ALLOC))
        return weir__fail(WEIR_ERR_NOMEM, "%s: no %zu bytes of device memory left",
                          device->info.label, bytes);
    pthread_mutex_lock(&device->pool.lock);
    while (may_drop && device->pool.dropping) /* there will be more room */
        pthread_cond_wait(&device->pool.dropped, &device->pool.lock);
    weir_status status = take(device, bytes, may_drop, data_out);
    pthread_mutex_unlock(&device->pool.lock);
    return status;
}

weir_status weir_device_alloc(weir_device *device, size_t bytes, void **data_out)
{
    return alloc(device, bytes, 1, data_out);
}

weir_status weir__device_alloc_now(weir_device *device, size_t bytes, void **data_out)
{
    return alloc(device, bytes, 0, data_out);
}

/* Join a free piece with the one behind it. */
static void join(struct piece *piece)
{
    struct piece *after = piece->after;
    piece->bytes += after->bytes;
    piece->after = after->after;
    if (piece->after)
        piece->after->before = piece;
    free(after);
}

static struct piece *find_used(const weir_device *device, const char *data)
{
    for (struct weir__slab *slab = device->pool.slabs; slab; slab = slab->next) {
        if (data < slab->data || data >= slab->data + slab->bytes)
            continue;
        for (struct piece *piece = slab->first; piece; piece = piece->after)
            if (piece->used && slab->data + piece->offset == data)
                return piece;
    }
    return NULL;
}

void weir_device_free(weir_device *device, void *data)
{
    if (!data)
        return;
    pthread_mutex_lock(&device->pool.lock);
    struct piece *piece = find_used(device, data);
    if (piece) {
        device->pool.stats.used_bytes -= piece->asked;
        device->pool.stats.allocations--;
        POISON(device, data, piece->bytes);
        piece->used = 0;
        if (piece->after && !piece->after->used)
            join(piece);
        if (piece->before && !piece->before->used)
            join(piece->before);
    }
    pthread_mutex_unlock(&device->pool.lock);
    if (!piece)
        weir__log(WEIR__LOG_ERROR, "%s: freed %p, which is not of its pool", device->info.label,
                  data);
}

void weir_device_pool_stats(const weir_device *device, weir_pool_stats *stats_out)
{
    weir_device *shared = (weir_device *)device; /* the lock is not part of what is const */
    pthread_mutex_lock(&shared->pool.lock);
    *stats_out = shared->pool.stats;
    pthread_mutex_unlock(&shared->pool.lock);
}
