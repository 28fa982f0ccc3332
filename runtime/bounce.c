/** @file bounce.c  Getting ordinary host memory onto a device and back, for loading and results.
 *
 * In pieces through two page-locked buffers, so that the host fills or empties one while the other is copied. To
 * memory that the program registered they go straight. */
#include "runtime/backend.h"
#include "runtime/observe.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES  ((size_t)1 << 20)
#define SHARED_BYTES ((size_t)64 << 20) /* from here on several threads share a copy */
#define THREADS      16u

/* Whether the device's memory is the host's own: then there is nothing to go through. */
static int is_here(const weir_device *device)
{
    return !weir__device_is_gpu(device) && !device->hollow;
}

/* Nothing is there that bytes could go to or come from. */
static int only_counts(const weir_device *device)
{
    return weir__context_planned(device->context) && device->hollow;
}

static size_t piece_at(size_t at, size_t bytes)
{
    return bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
}

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
        status = weir__device_alloc_near(bounce->home, device, piece, &bounce->buffer[i]);
        if (!status && (status = weir_event_acquire(device, &bounce->copied[i])))
            status = weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    }
    if (status)
        close_bounce(bounce);
    return status;
}

struct here {
    char *destination;
    const char *source;
};

static void copy_some(void *user, uint64_t begin, uint64_t end)
{
    const struct here *here = user;
    memcpy(here->destination + begin, here->source + begin, end - begin);
}

/* One core copies slower than memory goes. */
static weir_status copy_here(weir_device *device, void *destination, const void *source,
                             size_t bytes)
{
    weir_status status;
    if ((status = weir__device_failed(device)) || (status = weir__copy_strikes(device)))
        return status;
    for (size_t at = 0, n; at < bytes && !status; at += n) {
        struct here here = {(char *)destination + at, (const char *)source + at};
        n = bytes - at < SHARED_BYTES ? bytes - at : SHARED_BYTES;
        weir__parallel_for(n, PIECE_BYTES, THREADS, copy_some, &here);
        status = weir__activity_went(n);
    }
    return status;
}

static weir_status upload_pieces(weir_device *device, char *destination, const char *source,
                                 size_t bytes)
{
    struct bounce bounce;
    weir_status status = open_bounce(device, bytes, &bounce);
    if (status)
        return status;
    for (size_t at = 0, turn = 0; at < bytes && !status; at += PIECE_BYTES, turn ^= 1) {
        const size_t n = piece_at(at, bytes);
        if ((status = weir_event_wait(bounce.copied[turn], -1)))
            break;
        memcpy(bounce.buffer[turn], source + at, n);
        status = weir_queue_copy(bounce.queue, device, destination + at, bounce.home,
                                 bounce.buffer[turn], n);
        if (!status)
            status = weir_queue_record(bounce.queue, bounce.copied[turn]);
        if (!status)
            status = weir__activity_went(n);
    }
    if (!status)
        status = weir_queue_sync(bounce.queue);
    close_bounce(&bounce); /* waits for the queue */
    return status;
}

/* One piece is copied while the host empties the one before it. */
static weir_status download_pieces(weir_device *device, char *destination, const char *source,
                                   size_t bytes)
{
    const size_t pieces = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
    struct bounce bounce;
    weir_status status = open_bounce(device, bytes, &bounce);
    if (status)
        return status;
    for (size_t i = 0; i <= pieces && !status; i++) {
        const size_t at = i * PIECE_BYTES, last = i ? at - PIECE_BYTES : 0;
        if (i < pieces &&
            !(status = weir_queue_copy(bounce.queue, bounce.home, bounce.buffer[i & 1], device,
                                       source + at, piece_at(at, bytes))))
            status = weir_queue_record(bounce.queue, bounce.copied[i & 1]);
        if (i > 0 && !status && !(status = weir_event_wait(bounce.copied[(i - 1) & 1], -1)))
            memcpy(destination + last, bounce.buffer[(i - 1) & 1], piece_at(last, bytes));
    }
    if (!status)
        status = weir_queue_sync(bounce.queue); /* which says what went wrong on the device */
    close_bounce(&bounce);
    return status;
}

static weir_status download_straight(weir_device *device, void *destination, const void *source,
                                     size_t bytes)
{
    weir_queue *queue;
    weir_status status = weir_queue_create(device, 0, &queue);
    if (status)
        return status;
    status = weir_queue_copy(queue, weir_context_home(weir__device_context(device)), destination,
                             device, source, bytes);
    if (!status)
        status = weir_queue_sync(queue);
    weir_queue_destroy(queue);
    return status;
}

/* A copy of which each thread has a part. */
struct share {
    weir_device *device;
    char *destination;
    const char *source;
    weir_status (*copy)(weir_device *device, char *destination, const char *source, size_t bytes);
    pthread_mutex_t lock; /* guards what follows */
    weir_status status;   /* the first failure, */
    char *detail;         /* and its sentence */
};

static void copy_share(void *user, uint64_t begin, uint64_t end)
{
    struct share *share = user;
    weir_status status =
        share->copy(share->device, share->destination + begin, share->source + begin, end - begin);
    if (!status)
        return;
    pthread_mutex_lock(&share->lock);
    if (!share->status) {
        share->status = status;
        share->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&share->lock);
}

/* One core fills and empties pieces slower than a link to a GPU moves them: a sixth as fast, where memory is touched for the first
 * time a tenth. */
static weir_status copy_pieces(struct share *share, size_t bytes)
{
    const uint32_t cores = weir__cores(), threads = cores < THREADS ? cores : THREADS;
    if (!weir__device_is_gpu(share->device) || bytes < SHARED_BYTES || threads == 1)
        return share->copy(share->device, share->destination, share->source, bytes);
    pthread_mutex_init(&share->lock, NULL);
    weir_status status = weir__activity_for("copying", "bytes", bytes,
                                            (bytes / threads / PIECE_BYTES + 1) * PIECE_BYTES,
                                            threads, copy_share, share);
    pthread_mutex_destroy(&share->lock);
    if (!status && share->status && share->detail)
        weir__fail_adopt(share->status, share->detail);
    free(share->detail);
    if (status || share->status != WEIR_ERR_NOMEM)
        return status ? status : share->status;
    /* Pieces or events for so many are not to be had: one thread needs few of them. */
    return share->copy(share->device, share->destination, share->source, bytes);
}

static weir_status upload(weir_device *device, void *destination, const void *source, size_t bytes)
{
    struct share share = {
        .device = device, .destination = destination, .source = source, .copy = upload_pieces};
    if (only_counts(device))
        return WEIR_OK;
    if (is_here(device))
        return copy_here(device, destination, source, bytes);
    return copy_pieces(&share, bytes);
}

static _Thread_local uint64_t uploading_ns; /* of this thread so far */

weir_status weir__upload(weir_device *device, void *destination, const void *source, size_t bytes)
{
    const uint64_t begin_ns = weir__now_ns();
    struct weir__activity outer;
    weir_status status = WEIR_OK;
    if (bytes) {
        weir__activity_part(&outer, "copying to a device", "bytes", bytes);
        status = weir__activity_end(&outer, upload(device, destination, source, bytes));
    }
    uploading_ns += weir__now_ns() - begin_ns;
    return status;
}

uint64_t weir__upload_ns(void)
{
    return uploading_ns;
}

void weir__upload_waited(uint64_t ns)
{
    uploading_ns += ns;
}

weir_status weir__download(weir_device *device, void *destination, const void *source, size_t bytes)
{
    struct share share = {
        .device = device, .destination = destination, .source = source, .copy = download_pieces};
    if (bytes == 0)
        return WEIR_OK;
    if (only_counts(device)) {
        memset(destination, 0, bytes);
        return WEIR_OK;
    }
    if (is_here(device))
        return copy_here(device, destination, source, bytes);
    if (weir__memory_registered(weir__device_context(device), destination, bytes))
        return download_straight(device, destination, source, bytes);
    return copy_pieces(&share, bytes);
}
