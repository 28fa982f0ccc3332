/** @file push.cu  A copy by loads and stores: local, to and from a peer, to and from the host.
 *
 * Each thread stores 16 bytes at a time, aligned, whatever the source's alignment: narrow stores
 * would cost a packet each on a link, while narrow loads of neighbours are joined by the cache. A
 * few bytes before and after make any start and length good. Chunks of one step lie side by side
 * across the grid, and a thread has several on the way before its first store: a peer answers
 * after a microsecond or more. */
#include "runtime/cuda/push.h"

#include <stdint.h>

#define BLOCK_LANES     512u
#define BLOCKS_PER_UNIT 4u /* as many as fit: 2048 threads */
#define IN_FLIGHT       4

#define CHUNK sizeof(uint4)

struct push {
    unsigned char *to;
    const unsigned char *from;
    size_t head, chunks, tail; /* bytes, chunks, bytes */
};

/* A chunk, from words that lie no better than this. */
static __device__ uint4 gather(const uint4 *from)
{
    return *from;
}

static __device__ uint4 gather(const uint2 *from)
{
    return make_uint4(from[0].x, from[0].y, from[1].x, from[1].y);
}

template <typename word> static __device__ uint32_t quarter(const word *from)
{
    uint32_t bytes = 0;
#pragma unroll
    for (unsigned i = 0; i < 4 / sizeof(word); i++)
        bytes |= (uint32_t)from[i] << (8 * sizeof(word) * i);
    return bytes;
}

template <typename word> static __device__ uint4 gather(const word *from)
{
    const unsigned n = 4 / sizeof(word);
    return make_uint4(quarter(from), quarter(from + n), quarter(from + 2 * n),
                      quarter(from + 3 * n));
}

template <typename word> static __device__ void push_chunks(const struct push *push)
{
    const size_t words = CHUNK / sizeof(word);
    uint4 *to = (uint4 *)(push->to + push->head);
    const word *from = (const word *)(push->from + push->head);
    size_t step = (size_t)gridDim.x * BLOCK_LANES;
    size_t i = (size_t)blockIdx.x * BLOCK_LANES + threadIdx.x;
    for (; i + (IN_FLIGHT - 1) * step < push->chunks; i += IN_FLIGHT * step) {
        uint4 got[IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < IN_FLIGHT; k++)
            got[k] = gather(from + (i + k * step) * words);
#pragma unroll
        for (int k = 0; k < IN_FLIGHT; k++)
            to[i + k * step] = got[k];
    }
    for (; i < push->chunks; i += step)
        to[i] = gather(from + i * words);
}

template <typename word>
static __global__ void __launch_bounds__(BLOCK_LANES, BLOCKS_PER_UNIT)
    push_kernel(const struct push push)
{
    push_chunks<word>(&push);
    if (blockIdx.x > 0)
        return;
    size_t end = push.head + push.chunks * CHUNK;
    if (threadIdx.x < push.head)
        push.to[threadIdx.x] = push.from[threadIdx.x];
    if (threadIdx.x < push.tail)
        push.to[end + threadIdx.x] = push.from[end + threadIdx.x];
}

template <typename word>
static cudaError_t start(cudaStream_t stream, unsigned units, struct push push, size_t bytes)
{
    push.head = (0 - (uintptr_t)push.to) % CHUNK;
    if (push.head > bytes)
        push.head = bytes;
    push.chunks = (bytes - push.head) / CHUNK;
    push.tail = (bytes - push.head) % CHUNK;
    size_t blocks = (push.chunks + BLOCK_LANES - 1) / BLOCK_LANES;
    if (blocks > units * BLOCKS_PER_UNIT)
        blocks = units * BLOCKS_PER_UNIT;
    push_kernel<word><<<blocks ? (unsigned)blocks : 1, BLOCK_LANES, 0, stream>>>(push);
    return cudaGetLastError();
}

extern "C" cudaError_t weir__cuda_push_start(cudaStream_t stream, unsigned units, void *destination,
                                             const void *source, size_t bytes)
{
    struct push push;
    push.to = (unsigned char *)destination;
    push.from = (const unsigned char *)source;
    push.head = push.chunks = push.tail = 0;
    uintptr_t apart = (uintptr_t)destination - (uintptr_t)source;
    if (apart % 16 == 0)
        return start<uint4>(stream, units, push, bytes);
    if (apart % 8 == 0)
        return start<uint2>(stream, units, push, bytes);
    if (apart % 4 == 0)
        return start<uint32_t>(stream, units, push, bytes);
    if (apart % 2 == 0)
        return start<uint16_t>(stream, units, push, bytes);
    return start<uint8_t>(stream, units, push, bytes);
}

template <typename word> static cudaError_t load(void)
{
    struct cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, (const void *)push_kernel<word>);
}

extern "C" cudaError_t weir__cuda_push_load(void)
{
    cudaError_t error;
    if ((error = load<uint4>()) || (error = load<uint2>()) || (error = load<uint32_t>()) ||
        (error = load<uint16_t>()))
        return error;
    return load<uint8_t>();
}
