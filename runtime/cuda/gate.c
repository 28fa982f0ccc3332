/** @file gate.c  Holding a stream for something that is no CUDA event yet.
 *
 * The stream waits for a word of page-locked memory (cuStreamWaitValue32) that a host thread
 * writes. A host function in the stream would do too, but it would block the thread that runs the
 * host functions of other streams, which may be the ones that have to go on first. */
#include "runtime/cuda/cuda.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#define GATES 1024

typedef CUresult (*wait_value_fn)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static wait_value_fn wait_value; /* written once; pthread_once orders it before its readers */

static void find_wait_value(void)
{
    void *symbol = NULL;
    enum cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &symbol, 12000, cudaEnableDefault,
                                         &result) == cudaSuccess &&
        result == cudaDriverEntryPointSuccess)
        memcpy(&wait_value, &symbol, sizeof symbol); /* ISO C has no cast for this */
}

weir_status weir__cuda_gates_open(struct cuda_device *device)
{
    void *words;
    weir_status status;
    pthread_once(&once, find_wait_value);
    if (!wait_value)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "%s: the driver has no stream memory operations (CUDA 12 is needed)",
                          device->base.info.label);
    status = weir__calloc(GATES, sizeof *device->gates.all, "gates", &device->gates.all);
    if (status)
        return status;
    if ((status =
             weir__cuda_backend.pinned_alloc(&device->base, GATES * sizeof(uint32_t), &words))) {
        free(device->gates.all);
        return status;
    }
    memset(words, 0, GATES * sizeof(uint32_t));
    device->gates.words = words;
    pthread_mutex_init(&device->gates.lock, NULL);
    for (int i = 0; i < GATES; i++) {
        struct cuda_gate *gate = &device->gates.all[i];
        gate->device = device;
        gate->word = &device->gates.words[i];
        gate->next_free = device->gates.free;
        device->gates.free = gate;
    }
    return WEIR_OK;
}

void weir__cuda_gates_close(struct cuda_device *device)
{
    weir__cuda_backend.pinned_free(&device->base, device->gates.words);
    pthread_mutex_destroy(&device->gates.lock);
    free(device->gates.all);
}

weir_status weir__cuda_gate_put(struct cuda_queue *queue, struct cuda_gate **gate_out)
{
    struct cuda_device *device = (struct cuda_device *)queue->base.device;
    pthread_mutex_lock(&device->gates.lock);
    struct cuda_gate *gate = device->gates.free;
    if (gate)
        device->gates.free = gate->next_free;
    pthread_mutex_unlock(&device->gates.lock);
    if (!gate)
        return weir__fail(WEIR_ERR_NOMEM, "%s: %d queues are held at a time already",
                          device->base.info.label, GATES);
    gate->number++;
    CUresult result = wait_value((CUstream)queue->stream, (CUdeviceptr)(uintptr_t)gate->word,
                                 gate->number, CU_STREAM_WAIT_VALUE_GEQ);
    if (result != CUDA_SUCCESS) {
        weir__cuda_gate_open(gate);
        return weir__fail(WEIR_ERR_DEVICE, "%s: a stream cannot wait for a word: CUDA error %d",
                          device->base.info.label, (int)result);
    }
    *gate_out = gate;
    return WEIR_OK;
}

void weir__cuda_gate_open(void *user)
{
    struct cuda_gate *gate = user;
    struct cuda_device *device = gate->device;
    /* Release: what the host wrote for the stream to read comes before the word. */
    __atomic_store_n(gate->word, gate->number, __ATOMIC_RELEASE);
    pthread_mutex_lock(&device->gates.lock);
    gate->next_free = device->gates.free;
    device->gates.free = gate;
    pthread_mutex_unlock(&device->gates.lock);
}
