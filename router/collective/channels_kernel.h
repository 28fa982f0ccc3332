/** @file channels_kernel.h  The kernel of collectives over channels: what one rank reads, combines and stores while the
 *  kernels of the others do the same (channels.c). */
#ifndef WEIR_ROUTER_COLLECTIVE_CHANNELS_KERNEL_H
#define WEIR_ROUTER_COLLECTIVE_CHANNELS_KERNEL_H

#include "router/channel.h"
#include "router/collective/reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most ranks: the arguments of a kernel have room for the channels to so many. */
#define WEIR__CHANNELS_RANKS 8u

/** Elements that are read from memory of some ranks, combined in that order, and stored into memory of some. */
struct weir__channels_job {
    const void *from[WEIR__CHANNELS_RANKS];
    void *to[WEIR__CHANNELS_RANKS];
    uint32_t froms, tos;
    uint64_t count; /**< elements */
    uint64_t packs; /**< of 16 bytes, that go as such; 0 where a pointer does not allow it */
};

struct weir__channels_args {
    uint32_t rank, ranks;
    uint32_t blocks; /**< of every rank */
    uint32_t
        number; /**< of the reduction; WEIR__REDUCTION_LOAD: nothing is done, but the code is loaded */
    uint32_t element;
    uint32_t jobs;
    weir_channel_tx tx[WEIR__CHANNELS_RANKS]; /**< to rank i, of packets of 0 bytes */
    weir_channel_rx rx[WEIR__CHANNELS_RANKS]; /**< from rank i */
    struct weir__channels_job job[WEIR__CHANNELS_RANKS];
};
extern const weir_kernel weir__channels_kernel;
/** The CUDA form (channels_cuda.cu); @return a cudaError_t. */
int weir__channels_cuda(void *stream, uint32_t workers, const void *args);

/** Tell block @p block of every other rank that this block came here, and wait until they say so. Plain packets: behind it
 *  a rank sees what the others wrote before. One thread for each rank; all threads of the block call.
 *  @return whether the call was cancelled. */
WEIR_DEV int weir__channels_meet(const struct weir__channels_args *args, uint32_t block)
{
    int result = WEIR_CHANNEL_DONE;
    weir_block_sync(); /* all have stored theirs */
    for (uint32_t i = weir_thread(); i < args->ranks; i += weir_threads())
        if (i != args->rank && result == WEIR_CHANNEL_DONE) {
            weir_channel_sender out = weir_channel_sender_open(&args->tx[i], block);
            result = weir_channel_put(&out, WEIR_BY_THREAD, (const void *)0, 0);
        }
    for (uint32_t i = weir_thread(); i < args->ranks; i += weir_threads())
        if (i != args->rank && result == WEIR_CHANNEL_DONE) {
            weir_channel_receiver in = weir_channel_receiver_open(&args->rx[i], block);
            const void *nothing;
            uint32_t bytes;
            result = weir_channel_take(&in, WEIR_BY_THREAD, &nothing, &bytes);
            if (result == WEIR_CHANNEL_DONE)
                weir_channel_release(&in, WEIR_BY_THREAD);
        }
    return weir_block_any(result != WEIR_CHANNEL_DONE);
}

#ifdef __cplusplus
}
#endif
#endif
