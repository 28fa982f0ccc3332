/** @file bounce.c  Getting ordinary host memory onto a device and back, for loading and results.
 *
 * In pieces through two page-locked buffers, so that the host fills one while the other is copied.
 */
#include "runtime/internal.h"

#include <string.h>

#define PIECE_BYTES ((size_t)4 << 20)

struct bounce {
    weir_device *home, *device;
    weir_queue *queue;
    void *buffer[2];
    weir_event *copied[2];
};

static void close_bounce(struct bounce *bounce)
{
    weir_queue_destroy(bounce->queue);
    for (int i = 0; i < 2; i++) {
        weir_event_release(bounce->copied[i]);
        weir_device_free(bounce->home, bounce->buffer[i]);
    }
}

static weir_status open_bounce(weir_device *device, size_t bytes, struct bounce *bounce)
{
    size_t piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    weir_status status;
    *bounce =
        (struct bounce){.home = weir_context_home(weir__device_context(device)), .device = device};
    status = weir_queue_create(device, 0, &bounce->queue);
    for (int i = 0; i < 2 && !status; i++) {
        status = weir_device_alloc(bounce->home, piece, &bounce->buffer[i]);
        if (!status && (status = weir_event_acquire(device, &bounce->copied[i])))
            status = weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    }
    if (status)
        close_bounce(bounce);
    return status;
}

weir_status weir__upload(weir_device *device, void *destination, const void *source, size_t bytes)
{
    struct bounce bounce;
    weir_status status;
    if (bytes == 0)
        return WEIR_OK;
    if ((status = open_bounce(device, bytes, &bounce)))
        return status;
    for (size_t at = 0, turn = 0; at < bytes && !status; at += PIECE_BYTES, turn ^= 1) {
        size_t n = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        if ((status = weir_event_wait(bounce.copied[turn], -1)))
            break;
        memcpy(bounce.buffer[turn], (const char *)source + at, n);
        status = weir_queue_copy(bounce.queue, device, (char *)destination + at, bounce.home,
                                 bounce.buffer[turn], n);
        if (!status)
            status = weir_queue_record(bounce.queue, bounce.copied[turn]);
    }
    if (!status)
        status = weir_queue_sync(bounce.queue);
    close_bounce(&bounce);
    return status;
}

weir_status weir__download(weir_device *device, void *destination, const void *source, size_t bytes)
{
    struct bounce bounce;
    weir_status status;
    if (bytes == 0)
        return WEIR_OK;
    if ((status = open_bounce(device, bytes, &bounce)))
        return status;
    for (size_t at = 0; at < bytes && !status; at += PIECE_BYTES) {
        size_t n = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        status = weir_queue_copy(bounce.queue, bounce.home, bounce.buffer[0], device,
                                 (const char *)source + at, n);
        if (!status)
            status = weir_queue_sync(bounce.queue);
        if (!status)
            memcpy((char *)destination + at, bounce.buffer[0], n);
    }
    close_bounce(&bounce);
    return status;
}
