/** @file machine.c  The machine as a whole: its lock, its devices, calls that fail, devices that break. */
#include "tests/standin/internal.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

struct standin__machine standin__machine = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .progress = PTHREAD_COND_INITIALIZER,
};

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define WATCHED 1
#endif

#ifdef WATCHED
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#else
#define AnnotateIgnoreSyncBegin(file, line)   ((void)0)
#define AnnotateIgnoreSyncEnd(file, line)     ((void)0)
#define AnnotateIgnoreReadsBegin(file, line)  ((void)0)
#define AnnotateIgnoreReadsEnd(file, line)    ((void)0)
#define AnnotateIgnoreWritesBegin(file, line) ((void)0)
#define AnnotateIgnoreWritesEnd(file, line)   ((void)0)
#define __tsan_acquire(address)               ((void)(address))
#define __tsan_release(address)               ((void)(address))
#endif

void standin__enter(void)
{
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    pthread_mutex_lock(&standin__machine.lock);
}

void standin__leave(void)
{
    pthread_mutex_unlock(&standin__machine.lock);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
}

void standin__release(void *address)
{
    __tsan_release(address);
}

void standin__acquire(void *address)
{
    __tsan_acquire(address);
}

/* ---- set-up ------------------------------------------------------------------------------------- */

static uint64_t number(const char *name, uint64_t least, uint64_t most, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return otherwise;
    uint64_t value = strtoull(text, &end, 10);
    return *end || value < least || value > most ? otherwise : value;
}

/* The lock is held, or there is no other thread. */
static void connect_all(uint32_t connections)
{
    for (int i = 0; i < STANDIN_DEVICES_MAX; i++) {
        standin__device *device = &standin__machine.device[i];
        device->free += connections - device->connections; /* modulo 2^32: fewer, too */
        device->connections = connections;
        standin__grant(device);
    }
}

/* Before any thread and any test: the environment says what the machine is. */
__attribute__((constructor)) static void assemble(void)
{
    standin__machine.count = (int)number("STANDIN_DEVICES", 0, STANDIN_DEVICES_MAX, 2);
    standin__machine.seed = number("STANDIN_SEED", 0, UINT64_MAX, 1);
    connect_all((uint32_t)number("CUDA_DEVICE_MAX_CONNECTIONS", 1, 32, 8));
}

void standin_connections(uint32_t connections)
{
    standin__enter();
    connect_all(connections);
    standin__leave();
}

/* ---- calls ---------------------------------------------------------------------------------------- */

static uint64_t calls[STANDIN_CALL_COUNT + 1]; /* counted; relaxed: they order nothing */
static struct {
    enum standin_call call;
    uint64_t left; /* such calls until it strikes; 0: nothing is armed */
    cudaError_t error;
    int struck;
} armed; /* under the machine's lock */

static _Thread_local cudaError_t last_error;
static _Thread_local int current = -1; /* -1: the thread has chosen none */
static uint64_t strays;                /* under the machine's lock */

/* After these CUDA does no more work on the device. */
static int is_sticky(cudaError_t error)
{
    return (error >= cudaErrorIllegalAddress && error <= cudaErrorLaunchTimeout &&
            error != cudaErrorLaunchOutOfResources) ||
           (error >= cudaErrorContextIsDestroyed && error <= cudaErrorAssert) ||
           (error >= cudaErrorHardwareStackError && error <= cudaErrorLaunchFailure) ||
           error == cudaErrorECCUncorrectable || error == cudaErrorNvlinkUncorrectable ||
           error == cudaErrorExternalDevice || error == cudaErrorUnknown;
}

/* The lock is held. */
static cudaError_t strike(enum standin_call call)
{
    if (!armed.left || (armed.call != STANDIN_ANY && armed.call != call) || --armed.left)
        return cudaSuccess;
    armed.struck = 1;
    if (is_sticky(armed.error))
        standin__break_locked(current < 0 ? 0 : current, armed.error);
    return armed.error;
}

cudaError_t standin__begin(enum standin_call call)
{
    __atomic_fetch_add(&calls[call], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&calls[STANDIN_ANY], 1, __ATOMIC_RELAXED);
    standin__enter();
    cudaError_t error = strike(call);
    standin__leave();
    return standin__end(error);
}

cudaError_t standin__end(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

uint64_t standin_calls(enum standin_call call)
{
    return __atomic_load_n(&calls[call], __ATOMIC_RELAXED);
}

void standin_fail(enum standin_call call, uint64_t nth, cudaError_t error)
{
    standin__enter();
    armed.call = call;
    armed.left = nth;
    armed.error = error;
    armed.struck = 0;
    standin__leave();
}

int standin_struck(void)
{
    standin__enter();
    int struck = armed.struck;
    standin__leave();
    return struck;
}

cudaError_t cudaGetLastError(void)
{
    standin__enter();
    cudaError_t error = current >= 0 ? standin__state(current) : cudaSuccess;
    standin__leave();
    if (error == cudaSuccess)
        error = last_error;
    last_error = cudaSuccess;
    return error;
}

/* ---- the current device ---------------------------------------------------------------------------- */

int standin__here(void)
{
    const int device = current < 0 ? 0 : current;
    strays += current < 0;
    standin__machine.device[device].has_context = 1;
    return device;
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = standin__begin(STANDIN_cudaSetDevice);
    if (error)
        return error;
    standin__enter();
    if (device < 0 || device >= standin__machine.count)
        error = cudaErrorInvalidDevice;
    else
        standin__machine.device[device].has_context = 1;
    standin__leave();
    if (!error)
        current = device;
    return standin__end(error);
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t error = standin__begin(STANDIN_cudaGetDevice);
    *device = current < 0 ? 0 : current;
    return error;
}

/* A context is its device's; NULL stands for a thread that has chosen none. */
CUresult cuCtxGetCurrent(CUcontext *context)
{
    cudaError_t error = standin__begin(STANDIN_cuCtxGetCurrent);
    *context = current < 0 ? NULL : (CUcontext)(void *)&standin__machine.device[current];
    return (CUresult)error;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    cudaError_t error = standin__begin(STANDIN_cuCtxSetCurrent);
    if (error)
        return (CUresult)error;
    current = context ? (int)((standin__device *)(void *)context - standin__machine.device) : -1;
    return CUDA_SUCCESS;
}

int standin_has_context(int device)
{
    standin__enter();
    int has = standin__machine.device[device].has_context;
    standin__leave();
    return has;
}

uint64_t standin_stray_contexts(void)
{
    standin__enter();
    uint64_t count = strays;
    standin__leave();
    return count;
}

/* ---- devices that break ----------------------------------------------------------------------------- */

/* Not before what it is running has ended: who is told may free what that works on. */
cudaError_t standin__state(int index)
{
    const standin__device *device = &standin__machine.device[index];
    return device->running ? cudaSuccess : device->broken;
}

void standin__break_locked(int index, cudaError_t error)
{
    standin__device *device = &standin__machine.device[index];
    if (!device->broken)
        device->broken = error;
    for (standin__stream *stream = standin__machine.streams; stream; stream = stream->next)
        pthread_cond_signal(&stream->wake);
    pthread_cond_broadcast(&standin__machine.progress);
}

void standin_break(int device, cudaError_t error)
{
    standin__enter();
    standin__break_locked(device, error);
    standin__leave();
}

void standin_break_at(int device, uint64_t nth, cudaError_t error)
{
    standin__enter();
    standin__machine.device[device].break_at = nth;
    standin__machine.device[device].break_with = error;
    standin__leave();
}

void standin_reset(void)
{
    standin_fail(STANDIN_ANY, 0, cudaSuccess);
    standin_slow_frees(0);
    standin__memory_reset();
    last_error = cudaSuccess;
    standin__enter();
    strays = 0;
    for (int i = 0; i < STANDIN_DEVICES_MAX; i++) {
        standin__device *device = &standin__machine.device[i];
        device->broken = cudaSuccess;
        device->break_at = 0;
        device->has_context = 0;
    }
    standin__leave();
}

uint32_t standin_held(int device)
{
    uint32_t held = 0;
    standin__enter();
    for (standin__stream *stream = standin__machine.streams; stream; stream = stream->next)
        held += stream->device == device && stream->held;
    standin__leave();
    return held;
}

uint32_t standin_free_connections(int device)
{
    standin__enter();
    uint32_t left = standin__machine.device[device].free;
    standin__leave();
    return left;
}

struct standin_left standin_left(void)
{
    standin__enter();
    struct standin_left left = standin__machine.left;
    standin__leave();
    return left;
}
