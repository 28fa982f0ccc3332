/** @file channel_kernels_op.h  What a group does with a ring of a channel. */
#ifndef WEIR_TESTS_LIB_CHANNEL_KERNELS_OP_H
#define WEIR_TESTS_LIB_CHANNEL_KERNELS_OP_H

#include "tests/lib/channel_kernels.h"

WEIR_DEV uint32_t test_channel_mixed(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7FEB352Du;
    i = (i ^ i >> 15) * 0x846CA68Bu;
    return i ^ i >> 16;
}

/** Byte i of a packet. */
WEIR_DEV unsigned char test_channel_byte(const struct test_channel_args *a, uint32_t ring,
                                         uint32_t packet, uint32_t i)
{
    return (unsigned char)test_channel_mixed(a->seed + test_channel_mixed(ring * 7919u + packet) +
                                             i);
}

WEIR_DEV uint32_t test_channel_bytes(const struct test_channel_args *a, uint32_t most,
                                     uint32_t ring, uint32_t packet)
{
    return a->whole ? most : test_channel_mixed(a->seed ^ (ring * 104729u + packet)) % (most + 1);
}

WEIR_DEV void test_channel_end(const struct test_channel_args *a, uint32_t ring, uint32_t rank,
                               uint32_t packets, int result)
{
    uint64_t *row = a->result + TEST_CHANNEL_RESULTS * ring;
    if (rank == 0) {
        row[TEST_CHANNEL_PACKETS] = packets;
        row[TEST_CHANNEL_RESULT] = (uint64_t)(int64_t)result;
    }
}

WEIR_DEV int test_channel_put(const struct test_channel_args *a, weir_channel_sender *sender,
                              enum weir_by by, const void *data, uint32_t bytes)
{
    int result;
    if (!(a->does & TEST_CHANNEL_TRIES))
        return weir_channel_put(sender, by, data, bytes);
    for (uint32_t looks = 1;
         (result = weir_channel_try_put(sender, by, data, bytes)) == WEIR_CHANNEL_AGAIN; looks++)
        weir_pause(looks);
    return result;
}

WEIR_DEV void test_channel_sends(const struct test_channel_args *a, enum weir_by by, uint32_t ring)
{
    const uint32_t most = a->tx.packet_bytes, room = (most + 15) / 16 * 4;
    const uint32_t rank = weir__by_rank(by), count = weir__by_count(by);
    weir_channel_sender sender = weir_channel_sender_open(&a->tx, ring);
    unsigned char *packet = (unsigned char *)(a->buffer + (uint64_t)ring * room);
    int result = WEIR_CHANNEL_DONE;
    uint32_t n = 0;
    for (; result == WEIR_CHANNEL_DONE && (n < a->packets || a->does & TEST_CHANNEL_ENDLESS); n++) {
        const uint32_t bytes = test_channel_bytes(a, most, ring, a->first + n);
        for (uint32_t i = rank; i < bytes; i += count)
            packet[i] = test_channel_byte(a, ring, a->first + n, i);
        if (rank == 0 && a->does & TEST_CHANNEL_STATES)
            a->states[ring] = a->first + n;
        result = test_channel_put(a, &sender, by, packet, bytes);
        if (a->does & TEST_CHANNEL_STATES && result == WEIR_CHANNEL_DONE) {
            /* The word may be written again when the echo has come. */
            weir_channel_receiver echo = weir_channel_receiver_open(&a->rx, ring);
            const void *data;
            uint32_t back;
            result = weir_channel_take(&echo, by, &data, &back);
            weir_channel_release(&echo, by);
            weir__by_sync(by); /* rank 0 has written where the end is */
        }
    }
    if (result == WEIR_CHANNEL_DONE && a->does & TEST_CHANNEL_CLOSES)
        result = weir_channel_sender_close(&sender, by);
    test_channel_end(a, ring, rank, n - (result != WEIR_CHANNEL_DONE), result);
}

WEIR_DEV uint64_t test_channel_wrong(const struct test_channel_args *a, enum weir_by by,
                                     uint32_t ring, uint32_t number, const void *data,
                                     uint32_t bytes)
{
    const uint32_t rank = weir__by_rank(by), count = weir__by_count(by);
    uint64_t wrong = rank == 0 && bytes != test_channel_bytes(a, a->rx.packet_bytes, ring, number);
    for (uint32_t i = rank; i < bytes; i += count)
        wrong += ((const unsigned char *)data)[i] != test_channel_byte(a, ring, number, i);
    if (rank == 0 && a->does & TEST_CHANNEL_STATES)
        wrong += a->states[ring] != number;
    return wrong;
}

WEIR_DEV int test_channel_take(const struct test_channel_args *a, weir_channel_receiver *receiver,
                               enum weir_by by, const void **data, uint32_t *bytes)
{
    int result;
    if (!(a->does & TEST_CHANNEL_TRIES))
        return weir_channel_take(receiver, by, data, bytes);
    for (uint32_t looks = 1;
         (result = weir_channel_try_take(receiver, by, data, bytes)) == WEIR_CHANNEL_AGAIN; looks++)
        weir_pause(looks);
    return result;
}

WEIR_DEV void test_channel_takes(const struct test_channel_args *a, enum weir_by by, uint32_t ring)
{
    const uint32_t rank = weir__by_rank(by);
    const uint32_t slots = a->does & TEST_CHANNEL_HOLDS ? a->rx.mask + 1 : 1;
    weir_channel_receiver receiver = weir_channel_receiver_open(&a->rx, ring);
    int result = WEIR_CHANNEL_DONE;
    uint64_t wrong = 0;
    uint32_t n = 0, held = 0, bytes;
    const void *data;
    for (; result == WEIR_CHANNEL_DONE && (n < a->packets || a->does & TEST_CHANNEL_ENDLESS); n++) {
        result = test_channel_take(a, &receiver, by, &data, &bytes);
        if (result != WEIR_CHANNEL_DONE)
            continue;
        wrong += test_channel_wrong(a, by, ring, a->first + n, data, bytes);
        if (a->does & TEST_CHANNEL_ECHOES) {
            weir_channel_sender echo = weir_channel_sender_open(&a->tx, ring);
            result = weir_channel_put(&echo, by, data, bytes);
        }
        for (held++; held == slots || (held && n + 1 == a->packets); held--)
            weir_channel_release(&receiver, by);
    }
    for (; held; held--)
        weir_channel_release(&receiver, by);
    if (result == WEIR_CHANNEL_DONE && a->does & TEST_CHANNEL_CLOSES)
        weir_channel_receiver_close(&receiver, by);
    if (wrong)
        (void)weir_atomic_add_relaxed_dev_u64(
            a->result + TEST_CHANNEL_RESULTS * ring + TEST_CHANNEL_WRONG, wrong);
    test_channel_end(a, ring, rank, n - (result != WEIR_CHANNEL_DONE), result);
}

WEIR_DEV void test_channel_op(const struct test_channel_args *a, enum weir_by by, uint32_t ring)
{
    if (a->does & TEST_CHANNEL_SENDS)
        test_channel_sends(a, by, ring);
    else
        test_channel_takes(a, by, ring);
}

#endif
