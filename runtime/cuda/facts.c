/** @file facts.c  What the CUDA runtime tells of a GPU and of a pair, for topology. */
#include "runtime/cuda/cuda.h"

#include <ctype.h>

static int ordinal_of(const weir_device *device)
{
    return ((const struct cuda_device *)device)->ordinal;
}

/* 0 where the driver does not know it. */
static uint32_t attribute(const weir_device *device, enum cudaDeviceAttr which)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, ordinal_of(device)) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return value > 0 ? (uint32_t)value : 0;
}

static void read_bus(const weir_device *device, char *bus, int room)
{
    if (cudaDeviceGetPCIBusId(bus, room, ordinal_of(device)) != cudaSuccess) {
        (void)cudaGetLastError();
        bus[0] = 0;
    }
    for (char *c = bus; *c; c++)
        *c = (char)tolower((unsigned char)*c);
}

void weir__cuda_facts(weir_device *device, weir__device_facts *facts_out)
{
    double khz = attribute(device, cudaDevAttrMemoryClockRate);
    double bits = attribute(device, cudaDevAttrGlobalMemoryBusWidth);
    read_bus(device, facts_out->bus, (int)sizeof facts_out->bus);
    facts_out->copy_engines = attribute(device, cudaDevAttrAsyncEngineCount);
    facts_out->major = attribute(device, cudaDevAttrComputeCapabilityMajor);
    facts_out->minor = attribute(device, cudaDevAttrComputeCapabilityMinor);
    facts_out->memory_gbs = 2 * khz * bits / 8 / 1e6; /* two transfers a clock */
}

int weir__cuda_pair_atomics(weir_device *source, weir_device *destination)
{
    int value = 0;
    if (destination->ops != source->ops)
        return attribute(source, cudaDevAttrHostNativeAtomicSupported) != 0;
    if (cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, ordinal_of(source),
                                  ordinal_of(destination)) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return value;
}
