/** @file reset.h  Memory that kernels set to its first value before their run begins; of the worklist and of supersteps. */
#ifndef WEIR_WORKLIST_ENGINE_RESET_H
#define WEIR_WORKLIST_ENGINE_RESET_H

#include "runtime/dialect.h"

#include <stdint.h>

/** A piece of memory to be reset; in the device's memory, never written while kernels run. */
struct weir_reset {
    void *data;       /* aligned to 16 bytes */
    const void *from; /* what is copied, aligned to 16 bytes; NULL: data is filled */
    uint64_t bytes;
    uint64_t value; /* a byte, eight times */
};

/* 16 bytes, which a lane loads and stores at once. */
struct weir_reset_pair {
    uint64_t word[2];
} __attribute__((aligned(16)));

/* Stores that a lane has under way together. */
enum { WEIR_RESET_BATCH = WEIR_LANES == 1 ? 1 : 4 };

/* What is behind the last whole pair, byte by byte. By one thread. */
WEIR_DEV void weir_reset_rest(const struct weir_reset *one)
{
    const uint8_t *from = (const uint8_t *)one->from;
    WEIR_ROLLED
    for (uint64_t at = one->bytes / 16 * 16; at < one->bytes; at++)
        ((uint8_t *)one->data)[at] = from ? from[at] : (uint8_t)one->value;
}

/** Reset @p count pieces of memory; by all threads of the device, of which this is number @p thread. Another thread may look
 *  only behind a barrier of all of them. */
WEIR_COLD void weir_reset_all(const struct weir_reset *all, uint32_t count, uint64_t thread,
                              uint64_t threads)
{
    /* Lanes of a warp write neighbouring pairs; a thread of a host device writes whole cache lines. */
    const uint64_t each = WEIR_LANES == 1 ? 256 : 1;
    WEIR_ROLLED
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t pairs = all[i].bytes / 16, value = all[i].value, stride = threads * each;
        struct weir_reset_pair *to = (struct weir_reset_pair *)all[i].data;
        const struct weir_reset_pair *from = (const struct weir_reset_pair *)all[i].from;
        WEIR_ROLLED
        for (uint64_t first = thread * each; first < pairs; first += stride * WEIR_RESET_BATCH) {
            struct weir_reset_pair pair[WEIR_RESET_BATCH];
            for (uint64_t at = first, end = first + each; at < end && at < pairs; at++) {
                for (uint32_t k = 0; k < WEIR_RESET_BATCH; k++) {
                    pair[k].word[0] = pair[k].word[1] = value;
                    if (from && at + k * stride < pairs)
                        pair[k] = from[at + k * stride];
                }
                for (uint32_t k = 0; k < WEIR_RESET_BATCH; k++) {
                    if (at + k * stride < pairs)
                        to[at + k * stride] = pair[k];
                }
            }
        }
        if (thread == 0)
            weir_reset_rest(&all[i]);
    }
}

#endif
