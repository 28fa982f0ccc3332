/** @file pool.c  A device's memory pool: an arena of slabs, bounded by configuration or by what the device has.
 *
 * The pool takes slabs from the backend and cuts pieces from them, first fit, so that an allocation
 * costs no driver call and a free never waits for the device (cudaFree does). Slabs stay until the
 * device is closed, or until their room is needed for another. Once half of the bound is taken it is best fit, and little is not cut from
 * a large slab of which nothing is used, while there is room elsewhere, since that would keep all of it from being given back. What describes the pieces lies in host
 * memory, since the host cannot read every device's. */
#include "runtime/config.h"
#include "runtime/context.h"
#include "runtime/near.h"
#include "runtime/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
/* Not where the host cannot write, nor where nobody does. */
#define HAS_SHADOW(device) (!weir__device_is_gpu(device) && !(device)->hollow)
#define POISON(device, data, bytes) \
    (HAS_SHADOW(device) ? __asan_poison_memory_region(data, bytes) : (void)0)
#define UNPOISON(device, data, bytes) \
    (HAS_SHADOW(device) ? __asan_unpoison_memory_region(data, bytes) : (void)0)
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
    const char *what;       /* and for what: so many elements of an array */
    uint64_t elements;
    int used;
};

struct weir__slab {
    struct weir__slab *next;
    char *data;
    uint64_t bytes;
    int32_t node; /* that it was asked for from; -1: none */
    struct piece *first;
};

/* ---- what a pool may take ---------------------------------------------------------------------- */

/* Of a GPU, by default: what is free when the context is made, less what others will want of it. Those are modules that
 * are loaded later, stacks of kernels, NCCL's buffers, and programs beside this one: the 16th part of a card has room for
 * them, and 1 GiB at the least. On a card that is nearly full half of what is free is left. */
#define RESERVE_PART  16
#define RESERVE_LEAST ((uint64_t)1 << 30)
/* Of the host, by default, with other pools: several times what this process may use in all, since what a pool hands out
 * is address space. Pages are given when they are written to, and queues, rings and packets have room for several
 * times what runs write there; whoever takes memory by the size of an input asks beforehand whether what it will write to
 * is there (room.h). Where memory is page-locked, beside GPUs, it is there at once: then it is once what there is. */
#define HOST_TIMES 4
#define HOST_LEAST ((uint64_t)16 << 30)

void weir__pool_init(weir_device *device)
{
    pthread_mutex_init(&device->pool.lock, NULL);
    pthread_cond_init(&device->pool.dropped, NULL);
    device->pool.supply = &device->pool.own;
}

static uint64_t of_gpu(uint64_t left, uint64_t total)
{
    uint64_t reserve = total / RESERVE_PART;
    reserve = reserve < RESERVE_LEAST ? RESERVE_LEAST : reserve;
    reserve = reserve > left / 2 ? left / 2 : reserve;
    return left - reserve;
}

static uint64_t of_host(uint64_t all, int locked)
{
    const uint64_t most = UINT64_MAX / 4 / HOST_TIMES;
    const uint64_t bytes = (all < most ? all : most) * (locked ? 1 : HOST_TIMES);
    return bytes < HOST_LEAST ? HOST_LEAST : bytes;
}

void weir__pool_bound_host(weir_context *context, int locked)
{
    if (!context->host.bound_bytes)
        context->host.bound_bytes = of_host(weir__room_all(), locked);
}

static void share_host(weir_device *device)
{
    device->pool.supply = &device->context->host;
    weir__pool_bound_host(device->context, device->context->pinning != NULL);
}

void weir__pool_share_host(weir_device *device)
{
    share_host(device);
    device->pool.supply->pools++;
}

weir_status weir__pool_open(weir_device *device)
{
    const uint64_t asked = weir__config_get(weir_context_config(device->context), WEIR__POOL_BYTES);
    uint64_t left, total;
    weir_status status;
    if (asked) {
        device->pool.own.bound_bytes = asked;
    } else if (!device->ops->mem_left) {
        share_host(device);
    } else if ((status = device->ops->mem_left(device, &left, &total))) {
        return status;
    } else {
        device->pool.own.bound_bytes = of_gpu(left, total);
        device->pool.own.found_bytes = left;
        device->pool.own.found = 1;
    }
    device->pool.supply->pools++;
    return WEIR_OK;
}

static uint64_t left_of(const weir_device *device)
{
    const struct weir__supply *supply = device->pool.supply;
    return supply->bound_bytes - atomic_load_explicit(&supply->taken_bytes, memory_order_relaxed);
}

/* Count bytes as taken, if the bound has them: others that share it may be at the same. */
static int claim(weir_device *device, uint64_t bytes)
{
    struct weir__supply *supply = device->pool.supply;
    uint64_t taken = atomic_load_explicit(&supply->taken_bytes, memory_order_relaxed);
    do {
        if (bytes > supply->bound_bytes - taken)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&supply->taken_bytes, &taken, taken + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return 1;
}

static void unclaim(weir_device *device, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&device->pool.supply->taken_bytes, bytes, memory_order_relaxed);
}

/* ---- slabs ------------------------------------------------------------------------------------- */

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
        unclaim(device, slab->bytes);
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
    unclaim(device, bytes);
    device->pool.dropping = 0;
    pthread_cond_broadcast(&device->pool.dropped);
}

static weir_status take_pages(weir_device *device, int32_t node, uint64_t bytes, void **data_out)
{
    struct weir__near before;
    weir__near_enter(node, &before);
    weir_status status = device->ops->mem_alloc(device, bytes, data_out);
    weir__near_leave(&before);
    return status;
}

static unsigned long long mib(uint64_t bytes)
{
    return (unsigned long long)(bytes >> 20);
}

/* What is asked of a pool that shares its bound, others may have. */
static weir_status over_bound(const weir_device *device, uint64_t bytes)
{
    const struct weir__supply *supply = device->pool.supply;
    const uint64_t more = ((bytes - 1) >> 20) + 1, used = device->pool.stats.used_bytes;
    char shared[64] = "", from[96] = "(WEIR_POOL_BYTES)";
    if (supply->found)
        snprintf(from, sizeof from,
                 "(the GPU had %llu MiB free when the context was made; WEIR_POOL_BYTES)",
                 mib(supply->found_bytes));
    if (supply->pools > 1)
        snprintf(shared, sizeof shared, ", %llu MiB with the pools that share it,",
                 mib(supply->bound_bytes - left_of(device)));
    return weir__fail(WEIR_ERR_NOMEM,
                      "%s: its pool of %llu MiB %s has %llu MiB in use%s and "
                      "cannot give %llu MiB more",
                      device->info.label, mib(supply->bound_bytes), from, mib(used), shared,
                      (unsigned long long)more);
}

static weir_status slab_create(weir_device *device, int32_t node, uint64_t bytes)
{
    struct weir__slab *slab;
    void *data;
    weir_status status;
    if (!claim(device, bytes))
        return over_bound(device, bytes);
    if ((status = weir__calloc(1, sizeof *slab, "slab of a pool", &slab)))
        goto err_claim;
    if ((status = weir__calloc(1, sizeof *slab->first, "slab of a pool", &slab->first)))
        goto err_slab;
    if ((status = take_pages(device, node, bytes, &data)))
        goto err_piece;
    slab->data = data;
    slab->node = node;
    slab->bytes = slab->first->bytes = bytes;
    slab->next = device->pool.slabs;
    device->pool.slabs = slab;
    POISON(device, data, bytes);
    return WEIR_OK;
err_piece:
    free(slab->first);
err_slab:
    free(slab);
err_claim:
    unclaim(device, bytes);
    return status;
}

/* A slab that holds at least `bytes`; the pool is locked. */
static weir_status grow(weir_device *device, int32_t node, uint64_t bytes)
{
    const uint64_t left = left_of(device);
    const uint64_t want = bytes > SLAB_BYTES || left < bytes ? bytes
                          : SLAB_BYTES < left                ? SLAB_BYTES
                                                             : left;
    weir_status status = slab_create(device, node, want);
    if (status == WEIR_ERR_NOMEM && want > bytes)
        status = slab_create(device, node, bytes);
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

/* Whether a large slab that could be given back would be kept for little. */
static int pins(const struct weir__slab *slab, const struct piece *piece, uint64_t bytes)
{
    return slab->bytes > SLAB_BYTES && piece->bytes == slab->bytes && bytes < slab->bytes / 2;
}

enum spare { SPARE_NONE, SPARE_LARGE };

static enum spare sparing(const struct weir_device *device)
{
    return left_of(device) < device->pool.supply->bound_bytes / 2 ? SPARE_LARGE : SPARE_NONE;
}

/* A free piece that holds so much, in a slab of the node; -1: in any. The first, or the smallest. */
static struct piece *find_free(const weir_device *device, int32_t node, uint64_t bytes,
                               enum spare spare, struct weir__slab **in)
{
    struct piece *best = NULL;
    for (struct weir__slab *slab = device->pool.slabs; slab; slab = slab->next)
        for (struct piece *piece = slab->first; piece && (node < 0 || node == slab->node);
             piece = piece->after)
            if (!piece->used && piece->bytes >= bytes && (!best || piece->bytes < best->bytes) &&
                !(spare == SPARE_LARGE && pins(slab, piece, bytes))) {
                best = piece;
                *in = slab;
                if (spare == SPARE_NONE)
                    return piece;
            }
    return best;
}

/* Of the other pools that share the bound, whose locks are taken one at a time. */
static void drop_others(weir_device *device, uint64_t bytes)
{
    const weir_context *context = device->context;
    pthread_mutex_unlock(&device->pool.lock);
    for (uint32_t d = 0; d <= context->count && bytes > left_of(device); d++) {
        weir_device *other = d < context->count ? context->devices[d] : context->home;
        if (!other || other == device || other->pool.supply != device->pool.supply)
            continue;
        pthread_mutex_lock(&other->pool.lock);
        while (other->pool.dropping && bytes > left_of(device)) /* it is about to come free */
            pthread_cond_wait(&other->pool.dropped, &other->pool.lock);
        if (!other->pool.dropping && bytes > left_of(device))
            drop_unused(other);
        pthread_mutex_unlock(&other->pool.lock);
    }
    pthread_mutex_lock(&device->pool.lock);
}

/* A free piece of the slabs there are, or will be when nothing unused takes up room any more; or NULL. */
static struct piece *find_or_drop(weir_device *device, int32_t node, uint64_t bytes, int may_drop,
                                  struct weir__slab **in)
{
    struct piece *piece;
    while (!(piece = find_free(device, node, bytes, sparing(device), in)) &&
           device->pool.dropping && may_drop && bytes > left_of(device))
        pthread_cond_wait(&device->pool.dropped, &device->pool.lock);
    if (piece || !may_drop || bytes <= left_of(device))
        return piece;
    drop_unused(device); /* others may have had the time to make a slab */
    if (device->pool.supply != &device->pool.own && bytes > left_of(device))
        drop_others(device, bytes);
    return find_free(device, node, bytes, sparing(device), in);
}

/* Of memory that nobody said more of. */
static int32_t home_node(const weir_device *device)
{
    return weir__device_is_gpu(device) ? -1 : weir__near_node(device);
}

/* A device may have less than the bound, since others took of it: then what is unused is of use there. */
static weir_status grow_or_drop(weir_device *device, int32_t node, uint64_t bytes, int may_drop)
{
    weir_status status = grow(device, node, bytes);
    if (status == WEIR_ERR_NOMEM && may_drop && !device->pool.dropping &&
        bytes <= left_of(device)) {
        drop_unused(device);
        status = grow(device, node, bytes);
    }
    return status;
}

/* @param node  where it should lie if there is room; -1: anywhere. */
static weir_status take(weir_device *device, int32_t node, uint64_t asked, int may_drop,
                        struct piece **piece_out, void **data_out)
{
    uint64_t bytes = asked; /* over the bound in any case where rounding would overflow */
    if (asked <= UINT64_MAX - WEIR__ALIGNMENT)
        bytes = (asked + WEIR__ALIGNMENT - 1) / WEIR__ALIGNMENT * WEIR__ALIGNMENT;
    weir_pool_stats *stats = &device->pool.stats;
    struct weir__slab *slab = NULL;
    struct piece *piece = find_or_drop(device, node, bytes, may_drop, &slab);
    weir_status status = WEIR_OK;
    if (!piece)
        status = grow_or_drop(device, node < 0 ? home_node(device) : node, bytes, may_drop);
    if (!piece && !status)
        piece = find_free(device, -1, bytes, SPARE_NONE, &slab);
    if (!piece && status == WEIR_ERR_NOMEM &&
        (piece = find_free(device, -1, bytes, SPARE_NONE, &slab)))
        status = WEIR_OK; /* if no new slab could be had: memory that is far is better than none */
    if (status || (status = cut(piece, bytes)))
        return status;
    piece->asked = asked;
    stats->allocations++;
    stats->used_bytes += asked;
    if (stats->peak_bytes < stats->used_bytes)
        stats->peak_bytes = stats->used_bytes;
    *piece_out = piece;
    *data_out = slab->data + piece->offset;
    UNPOISON(device, *data_out, asked);
    return WEIR_OK;
}

/* What memory is for: elements of an array with a name, which is a constant. */
struct purpose {
    const char *what;
    uint64_t elements;
};

static weir_status alloc(weir_device *device, int32_t node, size_t bytes, int may_drop,
                         struct purpose purpose, void **data_out)
{
    struct piece *piece = NULL;
    *data_out = NULL;
    if (bytes == 0)
        bytes = 1;
    if (weir__fault_strikes(WEIR__FAULT_ALLOC))
        return weir__fail(WEIR_ERR_NOMEM, "%s: no %zu bytes of device memory left",
                          device->info.label, bytes);
    pthread_mutex_lock(&device->pool.lock);
    weir_status status = take(device, node, bytes, may_drop, &piece, data_out);
    if (!status) {
        piece->what = purpose.what;
        piece->elements = purpose.elements;
    }
    pthread_mutex_unlock(&device->pool.lock);
    return status;
}

weir_status weir_device_alloc(weir_device *device, size_t bytes, void **data_out)
{
    if (!device || !data_out)
        return weir__missing("weir_device_alloc", device ? "data_out" : "device");
    return alloc(device, -1, bytes, 1, (struct purpose){"not named", 1}, data_out);
}

static weir_status alloc_as(weir_device *device, int32_t node, const char *what, uint64_t elements,
                            size_t bytes, void *data_out)
{
    uint64_t all;
    void *data = NULL;
    memcpy(data_out, &data, sizeof data); /* a pointer to any type */
    if (__builtin_mul_overflow(elements, bytes, &all) || all > SIZE_MAX - WEIR__WHOLE)
        return weir__fail(WEIR_ERR_NOMEM, "%s: %llu elements of %s do not fit in memory",
                          device->info.label, (unsigned long long)elements, what);
    all = (all + WEIR__WHOLE - 1) / WEIR__WHOLE * WEIR__WHOLE;
    weir_status status =
        alloc(device, node, (size_t)all, 1, (struct purpose){what, elements}, &data);
    memcpy(data_out, &data, sizeof data);
    return status;
}

weir_status weir__device_alloc_as(weir_device *device, const char *what, uint64_t elements,
                                  size_t bytes, void *data_out)
{
    return alloc_as(device, -1, what, elements, bytes, data_out);
}

weir_status weir__device_alloc_near_as(weir_device *device, const weir_device *near,
                                       const char *what, uint64_t elements, size_t bytes,
                                       void *data_out)
{
    return alloc_as(device, weir__near_node(near), what, elements, bytes, data_out);
}

weir_status weir__device_alloc_near(weir_device *device, const weir_device *near, size_t bytes,
                                    void **data_out)
{
    return alloc(device, weir__near_node(near), bytes, 1, (struct purpose){"page-locked", 1},
                 data_out);
}

weir_status weir__device_alloc_now(weir_device *device, size_t bytes, void **data_out)
{
    return alloc(device, -1, bytes, 0, (struct purpose){"taken in a run", 1}, data_out);
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

void weir__pool_trim(weir_device *device)
{
    pthread_mutex_lock(&device->pool.lock);
    if (!device->pool.dropping)
        drop_unused(device);
    pthread_mutex_unlock(&device->pool.lock);
}

/* The pool has no bound, but whoever makes choices by it is to make those of a real device. */
static void say_planned(const weir_device *device, weir_pool_stats *stats)
{
    const uint64_t bound = device->context->planned.bound[device->info.index];
    const uint64_t taken = device->pool.supply->bound_bytes - left_of(device);
    if (bound) {
        stats->bound_bytes = bound;
        stats->left_bytes = taken < bound ? bound - taken : 0;
    }
    stats->sharing = device->context->planned.shared[device->info.index] ? 2 : 1;
}

weir_status weir_device_pool_stats(const weir_device *device, weir_pool_stats *stats_out)
{
    weir_device *shared = (weir_device *)device; /* the lock is not part of what is const */
    if (!device)
        return weir__missing("weir_device_pool_stats", "device");
    pthread_mutex_lock(&shared->pool.lock);
    weir_pool_stats stats = shared->pool.stats;
    stats.bound_bytes = shared->pool.supply->bound_bytes;
    stats.left_bytes = left_of(shared);
    stats.sharing = shared->pool.supply->pools;
    if (device->hollow && device->info.index < device->context->count &&
        weir__context_planned(device->context))
        say_planned(device, &stats);
    weir_status status = weir__sized_out(stats_out, &stats, sizeof stats, "weir_pool_stats");
    pthread_mutex_unlock(&shared->pool.lock);
    return status;
}

void weir__pool_uses(weir_device *device, weir__pool_use_fn tell, void *user)
{
    pthread_mutex_lock(&device->pool.lock);
    for (const struct weir__slab *slab = device->pool.slabs; slab; slab = slab->next)
        for (const struct piece *piece = slab->first; piece; piece = piece->after)
            if (piece->used)
                tell(user, piece->what, piece->elements, piece->asked);
    pthread_mutex_unlock(&device->pool.lock);
}

uint64_t weir__pool_usual_bound(weir_device_kind kind, uint64_t memory_bytes)
{
    return kind == WEIR_DEVICE_HOST ? of_host(memory_bytes, 0) : of_gpu(memory_bytes, memory_bytes);
}

static uint64_t used_of(weir_device *device)
{
    pthread_mutex_lock(&device->pool.lock);
    const uint64_t used = device->pool.stats.used_bytes;
    pthread_mutex_unlock(&device->pool.lock);
    return used;
}

/* Of a device that only counts the one that it is said to have. */
static uint64_t planned_bound(const weir_device *device)
{
    const uint64_t said = device->hollow ? device->context->planned.bound[device->info.index] : 0;
    return said ? said : device->pool.supply->bound_bytes;
}

uint32_t weir__pools_lack(const weir_context *context, const uint64_t *bytes, uint32_t count)
{
    uint64_t shared = used_of(context->home);
    for (uint32_t d = 0; d < context->count; d++)
        if (context->devices[d]->pool.supply == &context->host)
            shared += used_of(context->devices[d]);
    for (uint32_t d = 0; d < count; d++) {
        weir_device *device = context->devices[d];
        const int own = device->pool.supply == &device->pool.own;
        const uint64_t used = own ? used_of(device) : shared;
        const uint64_t bound = planned_bound(device);
        if (used > bound || bytes[d] > bound - used)
            return d;
        shared += own ? 0 : bytes[d];
    }
    return UINT32_MAX;
}
