/** @file hold.c  Holding a stream in the device, so that a measurement begins with everything in the streams.
 *
 * The stream waits for a word of page-locked memory (cuStreamWaitValue32) that the host writes. The driver does not know
 * of that wait, and the stream keeps its hardware connection meanwhile: with as many streams held as a device has
 * connections (8, unless CUDA_DEVICE_MAX_CONNECTIONS says otherwise) all others stand still. So one stream of a
 * device is held like this at a time, for measurements alone, and the host alone lets it go, whatever the device does; what waits for a future is held by the host (held.c). */
#include "runtime/cuda/cuda.h"

#include <cuda.h>
#include <string.h>

typedef CUresult (*wait_fn)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

static weir_status find_wait(const struct cuda_device *device, wait_fn *wait_out)
{
    void *symbol = weir__cuda_driver("cuStreamWaitValue32");
    memcpy(wait_out, &symbol, sizeof symbol); /* ISO C has no cast for this */
    return symbol ? WEIR_OK
                  : weir__fail(WEIR_ERR_UNSUPPORTED,
                               "%s: the driver has no stream memory operations (CUDA 12 is needed)",
                               device->base.info.label);
}

/* The lock is held. */
static weir_status make_word(struct cuda_device *device)
{
    void *word;
    if (device->hold.word)
        return WEIR_OK;
    weir_status status = weir__cuda_backend.pinned_alloc(&device->base, sizeof(uint32_t), &word);
    if (!status)
        device->hold.word = memset(word, 0, sizeof(uint32_t));
    return status;
}

/* A weir__notify_fn. Release: what the host wrote for the stream to read comes before the word. Numbers only grow, so a
 * stream that has not come to its wait yet when the word is used again still finds it high enough. */
static void let_go(void *user)
{
    struct cuda_device *device = user;
    pthread_mutex_lock(&device->hold.lock);
    __atomic_store_n(device->hold.word, device->hold.number, __ATOMIC_RELEASE);
    device->hold.taken = 0;
    pthread_mutex_unlock(&device->hold.lock);
}

static weir_status take(struct cuda_device *device, uint32_t *number_out)
{
    pthread_mutex_lock(&device->hold.lock);
    weir_status status =
        device->hold.taken
            ? weir__fail(WEIR_ERR_INVALID, "%s: a queue is held for a measurement already",
                         device->base.info.label)
            : make_word(device);
    if (!status) {
        device->hold.taken = 1;
        *number_out = ++device->hold.number;
    }
    pthread_mutex_unlock(&device->hold.lock);
    return status;
}

weir_status weir__cuda_queue_hold(weir_queue *queue, weir_future *future)
{
    struct cuda_device *device = (struct cuda_device *)queue->device;
    uint32_t number = 0;
    wait_fn wait;
    weir_status status;
    if ((status = weir__cuda_use(queue->device)) || (status = find_wait(device, &wait)) ||
        (status = take(device, &number)))
        return status;
    CUresult result =
        wait((CUstream)((struct cuda_queue *)queue)->stream,
             (CUdeviceptr)(uintptr_t)device->hold.word, number, CU_STREAM_WAIT_VALUE_GEQ);
    if (result != CUDA_SUCCESS)
        status = weir__fail(WEIR_ERR_DEVICE, "%s: a stream cannot wait for a word: CUDA error %d",
                            device->base.info.label, (int)result);
    else
        status = weir__future_notify(future, let_go, device);
    if (status)
        let_go(device);
    return status;
}

void weir__cuda_hold_close(struct cuda_device *device)
{
    if (device->hold.word)
        weir__cuda_backend.pinned_free(&device->base, device->hold.word);
    pthread_mutex_destroy(&device->hold.lock);
}
