/** @file push.c  A copy by the device's team of threads, each its slice, where a plain copy is the
 * queue thread's alone. */
#include "runtime/host/host.h"

#define CACHE_LINE 64 /* no two workers write one */

struct push {
    unsigned char *destination;
    const unsigned char *source;
    size_t bytes;
};

static void push_slice(const void *args, uint32_t worker, uint32_t workers)
{
    const struct push *push = args;
    size_t lines = push->bytes / CACHE_LINE + 1;
    size_t slice = (lines + workers - 1) / workers * CACHE_LINE;
    size_t begin = worker * slice;
    if (begin >= push->bytes)
        return;
    size_t left = push->bytes - begin;
    weir__drop_copy(push->destination + begin, push->source + begin, left < slice ? left : slice);
}

static const weir_kernel push_kernel = {.name = "push", .host = push_slice};

weir_status weir__host_queue_push(weir_queue *queue, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes)
{
    struct push push = {destination, source, bytes};
    (void)destination_device;
    (void)source_device;
    return weir__host_queue_launch(queue, &push_kernel, &push, sizeof push);
}
