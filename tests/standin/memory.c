/** @file memory.c  Memory of devices, page-locked and registered memory: all of it is the host's, and who has which
 *  is written down, so that a kernel faults on what its device does not reach. */
#include "tests/standin/internal.h"

#include <stdlib.h>
#include <unistd.h>

#define MEMORY_BYTES    ((uint64_t)1 << 30) /* of a device */
#define ALIGNMENT       256u
#define PAGE            4096u
#define HOST            (-1)
#define HOST_REGISTERED (-2)

struct region {
    struct region *next;
    unsigned char *data;
    size_t bytes;
    int owner; /* a device, or one of the above */
};

static struct region *regions;                            /* under the machine's lock */
static uint32_t slow_microseconds;                        /* likewise */
static uint64_t total_bytes = MEMORY_BYTES, others_bytes; /* likewise */

void standin_memory(uint64_t total, uint64_t others)
{
    standin__enter();
    total_bytes = total ? total : MEMORY_BYTES;
    others_bytes = others;
    standin__leave();
}

uint64_t standin__memory_total(void)
{
    standin__enter();
    const uint64_t total = total_bytes;
    standin__leave();
    return total;
}

/* The lock is held. */
static uint64_t free_of(int device)
{
    const uint64_t used = others_bytes + standin__machine.device[device].bytes;
    return used < total_bytes ? total_bytes - used : 0;
}

static struct region **find(const void *data)
{
    struct region **at = &regions;
    while (*at && (*at)->data != data)
        at = &(*at)->next;
    return at;
}

static int holds(const struct region *region, const unsigned char *data, size_t bytes)
{
    return data >= region->data && bytes <= region->bytes &&
           (size_t)(data - region->data) <= region->bytes - bytes;
}

int standin__reaches(int device, const void *data, size_t bytes)
{
    for (const struct region *region = regions; region; region = region->next)
        if (holds(region, data, bytes))
            return region->owner < 0 || region->owner == device ||
                   standin__machine.device[device].peer[region->owner];
    return 0;
}

/* The lock is held. */
static void add_region(struct region *region)
{
    region->next = regions;
    regions = region;
    standin__machine.left.allocations++;
    if (region->owner >= 0) {
        standin__machine.device[region->owner].bytes += region->bytes;
        standin__machine.left.device_bytes += region->bytes;
    }
}

/* The lock is held. */
static struct region *remove_region(struct region **at)
{
    struct region *region = *at;
    *at = region->next;
    standin__machine.left.allocations--;
    if (region->owner >= 0) {
        standin__machine.device[region->owner].bytes -= region->bytes;
        standin__machine.left.device_bytes -= region->bytes;
    }
    return region;
}

static void *take(size_t bytes, size_t alignment)
{
    void *data;
    return posix_memalign(&data, alignment, bytes ? bytes : 1) ? NULL : data;
}

/* @return cudaErrorMemoryAllocation: over what the device has, or it is broken. */
static cudaError_t enter_region(struct region *region, int here)
{
    standin__enter();
    const int device = standin__here();
    cudaError_t error = standin__state(device);
    if (here)
        region->owner = device;
    if (!error && here && region->bytes > free_of(device))
        error = cudaErrorMemoryAllocation;
    if (!error)
        add_region(region);
    standin__leave();
    return error;
}

static cudaError_t allocate(void **data_out, size_t bytes, size_t alignment, int owner)
{
    struct region *region = malloc(sizeof *region);
    void *data = bytes <= standin__memory_total() || owner == HOST ? take(bytes, alignment) : NULL;
    cudaError_t error = cudaErrorMemoryAllocation;
    if (region && data) {
        *region = (struct region){NULL, data, bytes, owner};
        error = enter_region(region, owner >= 0);
    }
    if (error) {
        free(region);
        free(data);
    } else {
        *data_out = data;
    }
    return error;
}

cudaError_t cudaMalloc(void **data, size_t bytes)
{
    cudaError_t error = standin__begin(STANDIN_cudaMalloc);
    return error ? error : standin__end(allocate(data, bytes, ALIGNMENT, 0));
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    cudaError_t error = standin__begin(STANDIN_cudaMemGetInfo);
    if (error)
        return error;
    standin__enter();
    const int device = standin__here();
    error = standin__state(device);
    *left = free_of(device);
    *total = total_bytes;
    standin__leave();
    return standin__end(error);
}

cudaError_t cudaHostAlloc(void **data, size_t bytes, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cudaHostAlloc);
    (void)flags;
    return error ? error : standin__end(allocate(data, bytes, PAGE, HOST));
}

/* ---- giving back: after all that the streams have now --------------------------------------------- */

void standin_slow_frees(uint32_t microseconds)
{
    standin__enter();
    slow_microseconds = microseconds;
    standin__leave();
}

/* Whose memory it is, or what is wrong with it. */
static cudaError_t owner_of(const void *data, int *owner_out)
{
    standin__enter();
    const int here = standin__here();
    const struct region *region = *find(data);
    cudaError_t error = standin__state(here);
    uint32_t microseconds = slow_microseconds;
    if (region)
        *owner_out = region->owner;
    else if (!error)
        error = cudaErrorInvalidValue;
    standin__leave();
    if (microseconds)
        usleep(microseconds);
    return error;
}

/* @param kind  HOST, HOST_REGISTERED, or 0: a device's. */
static cudaError_t give_back(void *data, int kind, cudaError_t unknown)
{
    int owner = HOST;
    cudaError_t error = owner_of(data, &owner);
    if (error == cudaErrorInvalidValue || (!error && (owner >= 0 ? 0 : owner) != kind))
        return unknown;
    if (error)
        return error;
    standin__drain(owner >= 0 ? owner : -1);
    standin__enter();
    struct region *region = remove_region(find(data));
    standin__leave();
    if (kind != HOST_REGISTERED)
        free(data);
    free(region);
    return cudaSuccess;
}

cudaError_t cudaFree(void *data)
{
    cudaError_t error = standin__begin(STANDIN_cudaFree);
    if (error || !data)
        return error;
    return standin__end(give_back(data, 0, cudaErrorInvalidValue));
}

cudaError_t cudaFreeHost(void *data)
{
    cudaError_t error = standin__begin(STANDIN_cudaFreeHost);
    if (error || !data)
        return error;
    return standin__end(give_back(data, HOST, cudaErrorInvalidValue));
}

/* Whole pages are locked. */
static int overlaps(const unsigned char *data, size_t bytes)
{
    const uintptr_t first = (uintptr_t)data / PAGE, last = ((uintptr_t)data + bytes - 1) / PAGE;
    for (const struct region *region = regions; region; region = region->next) {
        const uintptr_t from = (uintptr_t)region->data / PAGE;
        const uintptr_t to = ((uintptr_t)region->data + region->bytes - 1) / PAGE;
        if (region->owner < 0 && first <= to && from <= last)
            return 1;
    }
    return 0;
}

static cudaError_t register_memory(void *data, size_t bytes)
{
    struct region *region = malloc(sizeof *region);
    if (!region)
        return cudaErrorMemoryAllocation;
    *region = (struct region){NULL, data, bytes, HOST_REGISTERED};
    standin__enter();
    cudaError_t error = standin__state(standin__here());
    if (!error && overlaps(data, bytes))
        error = cudaErrorHostMemoryAlreadyRegistered;
    if (!error)
        add_region(region);
    standin__leave();
    if (error)
        free(region);
    return error;
}

cudaError_t cudaHostRegister(void *data, size_t bytes, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cudaHostRegister);
    (void)flags;
    if (error)
        return error;
    if (!data || !bytes)
        return standin__end(cudaErrorInvalidValue);
    return standin__end(register_memory(data, bytes));
}

cudaError_t cudaHostUnregister(void *data)
{
    cudaError_t error = standin__begin(STANDIN_cudaHostUnregister);
    if (error)
        return error;
    return standin__end(give_back(data, HOST_REGISTERED, cudaErrorHostMemoryNotRegistered));
}

void standin__memory_reset(void)
{
    standin_memory(0, 0);
    standin__enter();
    while (regions) {
        struct region *region = remove_region(&regions);
        if (region->owner != HOST_REGISTERED)
            free(region->data);
        free(region);
    }
    standin__leave();
}
