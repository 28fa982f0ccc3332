/** @file gate.c  Holding a stream for something that is no CUDA event yet.
 *
 * The stream waits for a word of page-locked memory (cuStreamWaitValue32) that a host thread
 * writes, or another stream where it is known which one will (cuStreamWriteValue32). A host function in
 * the stream would do too, but it would block the thread that runs the host functions of other streams,
 * which may be the ones that have to go on first. */
#include "runtime/cuda/cuda.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#define GATES 1024

typedef CUresult (*value_fn)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static value_fn wait_value, write_value; /* written once; pthread_once orders it before readers */

static value_fn find(const char *name)
{
    void *symbol = NULL;
    value_fn found = NULL;
    enum cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion(name, &symbol, 12000, cudaEnableDefault, &result) ==
            cudaSuccess &&
        result == cudaDriverEntryPointSuccess)
        memcpy(&found, &symbol, sizeof symbol); /* ISO C has no cast for this */
    return found;
}

static void find_both(void)
{
    wait_value = find("cuStreamWaitValue32");
    write_value = find("cuStreamWriteValue32");
}

/* The gates are locked. */
static void append(struct cuda_device *device, struct cuda_gate *gate)
{
    gate->next_free = NULL;
    if (device->gates.last)
        device->gates.last->next_free = gate;
    else
        device->gates.free = gate;
    device->gates.last = gate;
}

/* Release: what the host wrote for the stream to read comes before the word. */
static void write_word(struct cuda_gate *gate)
{
    __atomic_store_n(gate->word, gate->number, __ATOMIC_RELEASE);
}

static int has_arrived(const struct cuda_gate *gate)
{
    return __atomic_load_n(gate->word, __ATOMIC_ACQUIRE) == gate->number;
}

weir_status weir__cuda_gates_open(struct cuda_device *device)
{
    void *words;
    weir_status status;
    pthread_once(&once, find_both);
    if (!wait_value || !write_value)
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
        append(device, gate);
    }
    return WEIR_OK;
}

void weir__cuda_gates_close(struct cuda_device *device)
{
    weir__cuda_backend.pinned_free(&device->base, device->gates.words);
    pthread_mutex_destroy(&device->gates.lock);
    free(device->gates.all);
}

/* The one that was given back first; not one whose number is still on its way. */
static struct cuda_gate *take(struct cuda_device *device)
{
    struct cuda_gate *before = NULL, *gate;
    pthread_mutex_lock(&device->gates.lock);
    for (gate = device->gates.free; gate; before = gate, gate = gate->next_free)
        if (has_arrived(gate))
            break;
    if (gate && before)
        before->next_free = gate->next_free;
    else if (gate)
        device->gates.free = gate->next_free;
    if (gate && gate == device->gates.last)
        device->gates.last = before;
    pthread_mutex_unlock(&device->gates.lock);
    return gate;
}

weir_status weir__cuda_gate_put(struct cuda_queue *queue, struct cuda_gate **gate_out)
{
    struct cuda_device *device = (struct cuda_device *)queue->base.device;
    struct cuda_gate *gate = take(device);
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
    write_word(gate);
    pthread_mutex_lock(&device->gates.lock);
    gate->writer = NULL;
    append(device, gate);
    pthread_mutex_unlock(&device->gates.lock);
}

weir_status weir__cuda_gate_open_in(weir_queue *queue, void *user)
{
    struct cuda_gate *gate = user;
    struct cuda_device *device = gate->device;
    if (queue->device->ops != &weir__cuda_backend || weir__cuda_use(queue->device))
        return WEIR_ERR_UNSUPPORTED;
    /* By default the write comes after all that the stream wrote before, for every reader. */
    if (write_value((CUstream)((struct cuda_queue *)queue)->stream,
                    (CUdeviceptr)(uintptr_t)gate->word, gate->number,
                    CU_STREAM_WRITE_VALUE_DEFAULT) != CUDA_SUCCESS)
        return WEIR_ERR_UNSUPPORTED;
    pthread_mutex_lock(&device->gates.lock);
    gate->writer = queue->device;
    append(device, gate);
    /* Marked before the lock: whoever marked it may have looked for its gates too early to see this one.
     * Marked after it: it will be seen. */
    if (weir__device_failed(queue->device))
        write_word(gate);
    pthread_mutex_unlock(&device->gates.lock);
    return WEIR_OK;
}

void weir__cuda_gates_forsake(weir_device *base, const weir_device *failed)
{
    struct cuda_device *device = (struct cuda_device *)base;
    pthread_mutex_lock(&device->gates.lock);
    for (struct cuda_gate *gate = device->gates.free; gate; gate = gate->next_free)
        if (gate->writer == failed && !has_arrived(gate))
            write_word(gate);
    pthread_mutex_unlock(&device->gates.lock);
}
