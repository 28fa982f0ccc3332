/** @file device.c  What devices are, and who reaches whom. STANDIN_PEERS=0: nobody. */
#include "tests/standin/internal.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small, so that a kernel's workers, which take turns on a thread, are few. */
#define UNITS           4
#define THREADS_OF_UNIT 128
#define BLOCK_BYTES     ((size_t)227 << 10)
#define CACHE_BYTES     (2 << 20)
#define MEMORY_KHZ      1000000
#define MEMORY_BUS_BITS 512
#define ATTRIBUTE_MAJOR 9
#define ATTRIBUTE_MINOR 0
#define BUS_FORMAT      "0000:%02X:00.0"

static int exists(int device)
{
    standin__enter();
    int count = standin__machine.count;
    standin__leave();
    return device >= 0 && device < count;
}

static int has_peers(void)
{
    const char *text = getenv("STANDIN_PEERS");
    return !text || strcmp(text, "0") != 0;
}

static const struct {
    cudaError_t error;
    const char *text;
} texts[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInitializationError, "initialization error"},
    {cudaErrorNoDevice, "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"},
    {cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"},
    {cudaErrorNvlinkUncorrectable, "uncorrectable NVLink error detected during the execution"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorSymbolNotFound, "named symbol not found"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorLaunchTimeout, "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"},
    {cudaErrorHostMemoryAlreadyRegistered, "part or all of the memory is mapped already"},
    {cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "unspecified launch failure"},
    {cudaErrorNotSupported, "operation not supported"},
};

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].error == error)
            return texts[i].text;
    return "unknown error";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = standin__begin(STANDIN_cudaGetDeviceCount);
    if (error)
        return error;
    standin__enter();
    *count = standin__machine.count;
    standin__leave();
    return standin__end(*count ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    cudaError_t error = standin__begin(STANDIN_cudaGetDeviceProperties);
    if (error)
        return error;
    if (!exists(device))
        return standin__end(cudaErrorInvalidDevice);
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "stand-in for a GPU");
    properties->totalGlobalMem = standin__memory_total();
    properties->sharedMemPerBlockOptin = BLOCK_BYTES;
    properties->l2CacheSize = CACHE_BYTES;
    properties->multiProcessorCount = UNITS;
    properties->maxThreadsPerMultiProcessor = THREADS_OF_UNIT;
    return cudaSuccess;
}

static int attribute(enum cudaDeviceAttr which, int *value)
{
    switch (which) {
    case cudaDevAttrMultiProcessorCount:
        *value = UNITS;
        return 1;
    case cudaDevAttrMemoryClockRate:
        *value = MEMORY_KHZ;
        return 1;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = MEMORY_BUS_BITS;
        return 1;
    case cudaDevAttrAsyncEngineCount:
        *value = 2;
        return 1;
    case cudaDevAttrComputeCapabilityMajor:
        *value = ATTRIBUTE_MAJOR;
        return 1;
    case cudaDevAttrComputeCapabilityMinor:
        *value = ATTRIBUTE_MINOR;
        return 1;
    case cudaDevAttrHostNativeAtomicSupported:
        *value = 0;
        return 1;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
        *value = 1;
        return 1;
    }
    return 0;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device)
{
    cudaError_t error = standin__begin(STANDIN_cudaDeviceGetAttribute);
    if (error)
        return error;
    if (!exists(device))
        return standin__end(cudaErrorInvalidDevice);
    return standin__end(attribute(which, value) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr which, int from, int to)
{
    cudaError_t error = standin__begin(STANDIN_cudaDeviceGetP2PAttribute);
    if (error)
        return error;
    if (!exists(from) || !exists(to) || from == to)
        return standin__end(cudaErrorInvalidDevice);
    *value = which == cudaDevP2PAttrPerformanceRank ? 0 : has_peers();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int room, int device)
{
    cudaError_t error = standin__begin(STANDIN_cudaDeviceGetPCIBusId);
    if (error)
        return error;
    if (!exists(device))
        return standin__end(cudaErrorInvalidDevice);
    snprintf(bus, (size_t)room, BUS_FORMAT, (unsigned)(device + 0xE0));
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return standin__begin(STANDIN_cudaDeviceGetStreamPriorityRange);
}

/* ---- peers --------------------------------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t error = standin__begin(STANDIN_cudaDeviceCanAccessPeer);
    if (error)
        return error;
    if (!exists(device) || !exists(peer))
        return standin__end(cudaErrorInvalidDevice);
    *can = device != peer && has_peers();
    return cudaSuccess;
}

/* The lock is held. */
static cudaError_t enable(int peer)
{
    const int device = standin__here();
    cudaError_t error = standin__state(device);
    if (error)
        return error;
    if (device == peer || !has_peers())
        return cudaErrorPeerAccessUnsupported;
    if (standin__machine.device[device].peer[peer])
        return cudaErrorPeerAccessAlreadyEnabled;
    standin__machine.device[device].peer[peer] = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cudaDeviceEnablePeerAccess);
    (void)flags;
    if (error)
        return error;
    if (!exists(peer))
        return standin__end(cudaErrorInvalidDevice);
    standin__enter();
    error = enable(peer);
    standin__leave();
    return standin__end(error);
}

/* ---- the driver ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*function)(void);
} symbols[] = {
    {"cuCtxGetCurrent", (void (*)(void))cuCtxGetCurrent},
    {"cuCtxSetCurrent", (void (*)(void))cuCtxSetCurrent},
    {"cuStreamWaitValue32", (void (*)(void))cuStreamWaitValue32},
    {"cuStreamWriteValue32", (void (*)(void))cuStreamWriteValue32},
};

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    cudaError_t error = standin__begin(STANDIN_cudaGetDriverEntryPointByVersion);
    (void)version;
    (void)flags;
    if (error)
        return error;
    *result = cudaDriverEntryPointSymbolNotFound;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strcmp(symbols[i].name, symbol) == 0) {
            memcpy(function, &symbols[i].function, sizeof *function); /* ISO C has no cast for it */
            *result = cudaDriverEntryPointSuccess;
        }
    return standin__end(*result ? cudaErrorSymbolNotFound : cudaSuccess);
}
