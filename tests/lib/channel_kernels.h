/** @file channel_kernels.h  Kernels that send packets through channels and take them, in the common dialect. */
#ifndef WEIR_TESTS_LIB_CHANNEL_KERNELS_H
#define WEIR_TESTS_LIB_CHANNEL_KERNELS_H

#include "router/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a kernel of the tests does: a bit each. */
enum {
    TEST_CHANNEL_SENDS = 1,   /**< else it takes */
    TEST_CHANNEL_TRIES = 2,   /**< by calls that do not wait */
    TEST_CHANNEL_CLOSES = 4,  /**< the end, behind the packets */
    TEST_CHANNEL_HOLDS = 8,   /**< a receiver: packets are released when the ring is full of them */
    TEST_CHANNEL_STATES = 16, /**< packets say that `state` of their ring was written */
    TEST_CHANNEL_ENDLESS = 32, /**< until a call does not succeed */
    TEST_CHANNEL_ECHOES = 64   /**< a receiver sends each packet back through its own channel */
};

struct test_channel_args {
    weir_channel_tx tx;
    weir_channel_rx rx;
    uint64_t *result; /**< of each ring: packets, wrong bytes, the last call's result */
    uint32_t
        *buffer; /**< of each ring packet_bytes, rounded up to 16: what a sender makes packets in */
    uint32_t *states;        /**< of each ring a word, in memory that both reach */
    uint32_t packets, first; /**< numbers of the packets of each ring */
    uint32_t seed;
    uint32_t does;
    uint32_t by;    /**< enum weir_by */
    uint32_t whole; /**< packets have packet_bytes; else any number up to that */
};
enum { TEST_CHANNEL_PACKETS, TEST_CHANNEL_WRONG, TEST_CHANNEL_RESULT, TEST_CHANNEL_RESULTS };
extern const weir_kernel test_channel_kernel;
int test_channel_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif
#endif
