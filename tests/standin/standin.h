/** @file standin.h  What a test may ask of the stand-in for the CUDA runtime, and what it may make it do.
 *
 * Everything here may be called from any thread. The stand-in is one machine for the whole process, as a driver is:
 * what a test arms it also takes back, by standin_reset(). */
#ifndef WEIR_TESTS_STANDIN_STANDIN_H
#define WEIR_TESTS_STANDIN_STANDIN_H

#include <cuda_runtime_api.h>
#include <stdint.h>

/** Calls that are counted and can be made to fail: X(name). */
#define STANDIN_CALLS(X)                \
    X(cudaGetDeviceCount)               \
    X(cudaGetDevice)                    \
    X(cudaSetDevice)                    \
    X(cudaGetDeviceProperties)          \
    X(cudaDeviceGetAttribute)           \
    X(cudaDeviceGetP2PAttribute)        \
    X(cudaDeviceGetPCIBusId)            \
    X(cudaDeviceGetStreamPriorityRange) \
    X(cudaDeviceCanAccessPeer)          \
    X(cudaDeviceEnablePeerAccess)       \
    X(cudaDeviceSynchronize)            \
    X(cudaGetDriverEntryPointByVersion) \
    X(cudaMalloc)                       \
    X(cudaMemGetInfo)                   \
    X(cudaFree)                         \
    X(cudaHostAlloc)                    \
    X(cudaFreeHost)                     \
    X(cudaHostRegister)                 \
    X(cudaHostUnregister)               \
    X(cudaMemcpy)                       \
    X(cudaMemcpyAsync)                  \
    X(cudaMemsetAsync)                  \
    X(cudaLaunchKernel)                 \
    X(cudaLaunchHostFunc)               \
    X(cudaStreamCreateWithFlags)        \
    X(cudaStreamCreateWithPriority)     \
    X(cudaStreamDestroy)                \
    X(cudaStreamQuery)                  \
    X(cudaStreamSynchronize)            \
    X(cudaStreamGetDevice)              \
    X(cudaStreamIsCapturing)            \
    X(cudaStreamBeginCapture)           \
    X(cudaStreamEndCapture)             \
    X(cudaGraphDestroy)                 \
    X(cudaStreamWaitEvent)              \
    X(cudaEventCreateWithFlags)         \
    X(cudaEventDestroy)                 \
    X(cudaEventRecord)                  \
    X(cudaEventQuery)                   \
    X(cudaEventSynchronize)             \
    X(cudaEventElapsedTime)             \
    X(cuCtxGetCurrent)                  \
    X(cuCtxSetCurrent)                  \
    X(cuStreamWaitValue32)              \
    X(cuStreamWriteValue32)

enum standin_call {
#define STANDIN_ENUM(name) STANDIN_##name,
    STANDIN_CALLS(STANDIN_ENUM)
#undef STANDIN_ENUM
        STANDIN_CALL_COUNT,
    STANDIN_ANY = STANDIN_CALL_COUNT /**< for standin_fail(): whichever call comes */
};

/** How often the program made the call since it began; of STANDIN_ANY: all calls together. */
uint64_t standin_calls(enum standin_call call);
/** Make the @p nth such call from now (1 is the next) return @p error and do nothing; 0 disarms. One call is armed
 *  at a time. An error that CUDA does not recover from breaks the device that is current, as it does there. */
void standin_fail(enum standin_call call, uint64_t nth, cudaError_t error);
/** Whether the armed failure has come since it was armed. */
int standin_struck(void);

/** Break a device: what its streams are running ends, the rest is dropped, and every call that touches it says
 *  @p error from then on. */
void standin_break(int device, cudaError_t error);
/** Break it when it comes to the @p nth copy, fill, kernel or write of a word from now; 0 disarms. */
void standin_break_at(int device, uint64_t nth, cudaError_t error);
/** All devices work again and have the memory they began with, nothing is armed, frees take no extra time, contexts and the calling thread's last error
 *  are forgotten, and memory that is still taken is given back: a broken device let nobody free it. Streams and events
 *  must have been destroyed. */
void standin_reset(void);

/** Every device has @p total bytes from now on, of which other programs have @p others; 0, 0: as at the start. Nothing is
 *  taken for it. */
void standin_memory(uint64_t total, uint64_t others);
/** Let cudaFree, cudaFreeHost and cudaHostUnregister take this much longer. */
void standin_slow_frees(uint32_t microseconds);
/** Hardware connections of each device from now on (CUDA_DEVICE_MAX_CONNECTIONS at the start). Not fewer than streams
 *  have now; with more, streams that stood still go on. */
void standin_connections(uint32_t connections);

/** Whether the process has a context on the device. */
int standin_has_context(int device);
/** Calls that made use of device 0 because the thread had chosen none. */
uint64_t standin_stray_contexts(void);
/** Streams of the device that wait for a word of memory now and keep a connection meanwhile. */
uint32_t standin_held(int device);
/** Connections of the device that nobody has now. */
uint32_t standin_free_connections(int device);

/** What the program has made and not yet given back. */
struct standin_left {
    uint32_t streams, events;
    uint32_t allocations;    /**< of devices and page-locked, registered memory too */
    uint64_t device_bytes;   /**< of all devices together */
    uint64_t destroyed_busy; /**< streams that were destroyed with work in them, since the start */
};
struct standin_left standin_left(void);

#endif
