/** @file channel.h  Channels: packets that running kernels send each other (Groute, Table 1 and 4.1: device-initiated
 *  transfers). docs/router.md "When a link, when a channel" has the choice and a tutorial.
 *
 * A *channel* leads from one device to another. It has a number of *rings* that are independent of each other, so that
 * as many blocks can send at once; a ring has *slots*, each for one packet, in memory that both devices reach: the
 * receiver's, where the sender's kernels can store into it, else page-locked host memory. The host makes channels and
 * passes their two sides to kernels by value; from then on nothing goes over the host. Calls inside kernels are made by
 * one thread, by the lanes of a worker (a warp), or by all threads of a block; on a host device these are all one
 * thread.
 *
 *     // on the sender                                     // on the receiver
 *     weir_channel_sender out =                            weir_channel_receiver in =
 *         weir_channel_sender_open(&args->tx, ring);           weir_channel_receiver_open(&args->rx, ring);
 *     weir_channel_put(&out, WEIR_BY_BLOCK, data, 4096);   weir_channel_take(&in, WEIR_BY_BLOCK, &data, &bytes);
 *                                                          ... read data ...
 *                                                          weir_channel_release(&in, WEIR_BY_BLOCK);
 *
 * Packets of a ring arrive in order, each once. Nothing orders rings or channels among each other.
 *
 * Two formats. *Plain* packets are stored as they are, and a mark is released behind them. A take then also hands on whatever
 * the sending group wrote before the put, to any memory that both reach: a plain packet, of 0 bytes too, can say that
 * other memory is ready. Of *woven* packets every 32 bits travel in one 64-bit store beside the number of their packet
 * (the LL protocol of NCCL), so that nothing waits for a fence, and the receiver unpacks them into its own memory; they
 * hand nothing else on.
 *
 * Threads: each end of a ring is used by one group at a time (spsc). An end that one kernel leaves the next one takes up
 * where it was; so does another group of the same kernel that opens it behind a barrier. Sides and ends are plain values; a copy of an end that was not the last to be used is stale.
 *
 * Waits: put and take wait for the other side, which therefore must be running, or come to run without waiting for
 * this kernel: one kernel for each device, of no more blocks than fit at once. Each wait ends when weir_channel_stop()
 * was called, when a device of the context failed, or when the other side closed.
 *
 * Order and scope of every shared word: docs/memory-model.md "Channels"; tests/model/channel.pml is checked. */
#ifndef WEIR_ROUTER_CHANNEL_H
#define WEIR_ROUTER_CHANNEL_H

#include "router/router.h"
#include "runtime/sync.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most bytes of a woven packet. */
#define WEIR_CHANNEL_WOVEN 8192u
/** Most bytes of a packet, slots of a ring, rings of a channel. */
#define WEIR_CHANNEL_PACKET_MAX ((uint32_t)1 << 30)
#define WEIR_CHANNEL_SLOTS_MAX  1024u
#define WEIR_CHANNEL_RINGS_MAX  1024u

/* ---- on the host ---------------------------------------------------------------------------- */

/** A channel between two devices. Long-lived. */
typedef struct weir_channel weir_channel;

/** How packets lie in slots. */
typedef enum weir_channel_format {
    WEIR_CHANNEL_FORMAT_AUTO =
        0, /**< woven between a GPU and another device, up to WEIR_CHANNEL_WOVEN bytes, but 0; else plain */
    WEIR_CHANNEL_FORMAT_PLAIN,
    WEIR_CHANNEL_FORMAT_WOVEN,
    WEIR_CHANNEL_FORMAT_COUNT
} weir_channel_format;

/** How a channel is made. */
typedef struct weir_channel_config {
    size_t size; /**< sizeof(weir_channel_config), set by WEIR_CHANNEL_CONFIG_INIT */
    uint32_t
        packet_bytes; /**< most of a packet; 0: packets carry nothing, and only say that they came */
    uint32_t slots;   /**< packets that a ring holds, rounded up to a power of two; 0: 8 */
    uint32_t rings;   /**< 0: 1 */
    weir_channel_format format;
} weir_channel_config;
/** Defaults of weir_channel_config: packets of 4 KiB. */
#define WEIR_CHANNEL_CONFIG_INIT                                             \
    {                                                                        \
        sizeof(weir_channel_config), 4096u, 0u, 0u, WEIR_CHANNEL_FORMAT_AUTO \
    }

/** The sender's side of a channel: pass it to kernels of the sending device. Its members are private. */
typedef struct weir_channel_tx {
    unsigned char *slots;      /* of ring 0, and so on */
    uint64_t *marks;           /* of slots that are not woven, in the same memory */
    uint64_t *credit;          /* ring r's at r * WEIR_CHANNEL_LINE; in memory of the sender */
    uint64_t *state;           /* where this end is; the same */
    const uint32_t *stop;      /* in host memory */
    uint64_t ring_bytes;       /* of slots */
    uint32_t slot_bytes, mask; /* mask: slots - 1 */
    uint32_t packet_bytes, rings, woven;
} weir_channel_tx;

/** The receiver's side: pass it to kernels of the receiving device. Its members are private. */
typedef struct weir_channel_rx {
    unsigned char *slots; /* as above */
    uint64_t *marks;
    uint64_t *credit;     /* the sender's */
    uint64_t *state;      /* in memory of the receiver */
    unsigned char *plain; /* the receiver's: packets that were woven, unpacked */
    const uint32_t *stop;
    uint64_t ring_bytes;
    uint32_t slot_bytes, mask;
    uint32_t packet_bytes, rings, woven;
    uint32_t plain_bytes; /* of a slot */
} weir_channel_rx;

/** Packets so far, of all rings; each ring counts modulo 2^32. */
typedef struct weir_channel_stats {
    size_t size; /**< sizeof(weir_channel_stats), set by WEIR_CHANNEL_STATS_INIT */
    uint64_t put, taken, released;
    uint64_t memory_bytes; /**< that the channel takes of both devices and of the host */
    int woven;             /**< packets are */
    int in_host_memory;    /**< the slots lie there */
} weir_channel_stats;
/** weir_channel_stats: nothing filled in yet. */
#define WEIR_CHANNEL_STATS_INIT                      \
    {                                                \
        sizeof(weir_channel_stats), 0, 0, 0, 0, 0, 0 \
    }

/** Make a channel.
 *  @param[in] from, to  devices of one context; the home device may be one, then threads of the program make the
 *                       calls of that side.
 *  @param[in] config    NULL for defaults.
 *  @retval WEIR_ERR_INVALID      a packet, slots or rings over their limits, woven packets of 0 bytes or of more than
 *                                WEIR_CHANNEL_WOVEN; devices of two contexts.
 *  @retval WEIR_ERR_UNSUPPORTED  simulated devices, whose kernels run one after the other.
 *  @retval WEIR_ERR_NOMEM        a pool cannot give the memory. */
weir_status weir_channel_create(weir_device *from, weir_device *to,
                                const weir_channel_config *config, weir_channel **channel_out);
/** The sides, for arguments of kernels; valid until the channel is destroyed. Of NULL: a side of zeros, which fills a
 *  place in arguments that no kernel opens an end of. */
weir_channel_tx weir_channel_tx_of(const weir_channel *channel);
/** @copydoc weir_channel_tx_of() */
weir_channel_rx weir_channel_rx_of(const weir_channel *channel);
/** End every wait of both sides, now and until weir_channel_reset(): calls return WEIR_CHANNEL_STOPPED. Any thread, any
 *  time. NULL is fine. */
void weir_channel_stop(weir_channel *channel);
/** Empty the rings, open both sides again, and undo a stop. No kernel uses the channel meanwhile.
 *  A trace that is on (weir_context_trace()) is told of the packets before.
 *  @par Blocks  until it is done: microseconds.
 *  @retval WEIR_ERR_DEVICE  a device of the context has failed. */
weir_status weir_channel_reset(weir_channel *channel);
/** Read the counters. No kernel uses the channel meanwhile, as they are kept by the ends. A trace that is on is told of the
 *  packets that were put since the last such call, or since the rings were empty.
 *  @param[in,out] stats_out  begins as WEIR_CHANNEL_STATS_INIT.
 *  @par Blocks  until they are copied. */
weir_status weir_channel_stats_get(const weir_channel *channel, weir_channel_stats *stats_out);
/** No kernel uses the channel any more. A trace that is on is told of its packets. NULL is fine. */
void weir_channel_destroy(weir_channel *channel);

/* ---- in kernels ----------------------------------------------------------------------------- */

/** Who makes a call together: all of them, with the same arguments. */
enum weir_by {
    WEIR_BY_THREAD, /**< one thread alone */
    WEIR_BY_WORKER, /**< the lanes of a worker */
    WEIR_BY_BLOCK   /**< all threads of a block */
};

/** What calls in kernels return; the same to each of the group. */
enum weir_channel_result {
    WEIR_CHANNEL_DONE = 1,
    WEIR_CHANNEL_AGAIN = 0, /**< nothing happened: no room, or no packet */
    WEIR_CHANNEL_CLOSED =
        -1, /**< the other side closed; of a receiver: and every packet was taken */
    WEIR_CHANNEL_STOPPED =
        -2, /**< weir_channel_stop(); what the call would have moved is undefined */
    WEIR_CHANNEL_INVALID =
        -3 /**< the packet has more bytes than the channel's may have; nothing happened */
};

/** 64-bit words between those of two rings: they are polled, so each has a cache line, or two. */
#define WEIR_CHANNEL_LINE 16u
/* Bytes of a packet that says there will be no more; a credit that says so. */
#define WEIR__CHANNEL_NO_MORE 0xFFFFFFFFu
#define WEIR__CHANNEL_CLOSED  (UINT64_C(1) << 63)
/* Looks between two at the stop word, which lies in host memory. */
#define WEIR__CHANNEL_LOOKS 256u
/* Pairs of words of a woven packet that a thread has in flight. */
#define WEIR__CHANNEL_PAIRS 4u

/** The sender's end of a ring, in registers of each thread of the group. Its members are private. */
typedef struct weir_channel_sender {
    const weir_channel_tx *tx;
    unsigned char *slots;
    uint64_t *marks, *credit, *state;
    uint32_t next;  /* the number of the next packet; numbers wrap around */
    uint32_t limit; /* packets below it have room */
} weir_channel_sender;

/** The receiver's end of a ring. */
typedef struct weir_channel_receiver {
    const weir_channel_rx *rx;
    unsigned char *slots, *plain;
    uint64_t *marks, *credit, *state;
    uint32_t next;      /* the number of the next packet to be taken */
    uint32_t released;  /* packets below it were */
    uint32_t published; /* packets below it were released as far as the sender knows */
} weir_channel_receiver;

/** This thread's number in its group, and how many there are. */
WEIR_DEV uint32_t weir__by_rank(enum weir_by by)
{
    return by == WEIR_BY_THREAD ? 0 : by == WEIR_BY_WORKER ? weir_lane() : weir_thread();
}
WEIR_DEV uint32_t weir__by_count(enum weir_by by)
{
    return by == WEIR_BY_THREAD ? 1 : by == WEIR_BY_WORKER ? WEIR_LANES : weir_threads();
}

/* All threads of the group come here before any goes on, and see what the others wrote. @return whether any passed
 * other than 0. */
WEIR_DEV int weir__by_any(enum weir_by by, int value)
{
    if (by == WEIR_BY_BLOCK)
        return weir_block_any(value);
    if (by == WEIR_BY_WORKER) {
        value = weir_ballot(value) != 0;
        weir_lanes_sync();
    }
    return value;
}

WEIR_DEV void weir__by_sync(enum weir_by by)
{
    if (by == WEIR_BY_BLOCK)
        weir_block_sync();
    else if (by == WEIR_BY_WORKER)
        weir_lanes_sync();
}

/* Between two looks. @return whether to give up. Threads of a worker that wait apart from each other get answers of their
 * own. */
WEIR_DEV int weir__channel_stopped(const uint32_t *stop, uint32_t looks)
{
    weir_pause(looks);
    return looks % WEIR__CHANNEL_LOOKS == 0 && weir_load_relaxed_sys_u32(stop) != 0;
}

/** Open an end in a kernel. @param[in] tx  must stay where it is while the end is used (a kernel's arguments do).
 *  @param[in] ring  below the number of rings. */
WEIR_DEV weir_channel_sender weir_channel_sender_open(const weir_channel_tx *tx, uint32_t ring)
{
    weir_channel_sender sender;
    sender.tx = tx;
    sender.slots = tx->slots + ring * tx->ring_bytes;
    sender.marks = tx->marks + (uint64_t)ring * (tx->mask + 1u) * WEIR_CHANNEL_LINE;
    sender.credit = tx->credit + (uint64_t)ring * WEIR_CHANNEL_LINE;
    sender.state = tx->state + (uint64_t)ring * WEIR_CHANNEL_LINE;
    sender.next = (uint32_t)*sender.state;
    sender.limit = sender.next; /* it will look */
    return sender;
}

/** @copydoc weir_channel_sender_open() */
WEIR_DEV weir_channel_receiver weir_channel_receiver_open(const weir_channel_rx *rx, uint32_t ring)
{
    weir_channel_receiver receiver;
    receiver.rx = rx;
    receiver.slots = rx->slots + ring * rx->ring_bytes;
    receiver.plain = rx->plain + (uint64_t)ring * (rx->mask + 1u) * rx->plain_bytes;
    receiver.marks = rx->marks + (uint64_t)ring * (rx->mask + 1u) * WEIR_CHANNEL_LINE;
    receiver.credit = rx->credit + (uint64_t)ring * WEIR_CHANNEL_LINE;
    receiver.state = rx->state + (uint64_t)ring * WEIR_CHANNEL_LINE;
    receiver.next = (uint32_t)receiver.state[0];
    receiver.released = (uint32_t)(receiver.state[0] >> 32);
    receiver.published = (uint32_t)receiver.state[1];
    return receiver;
}

/* ---- sending -------------------------------------------------------------------------------- */

/* Read the credit. Acquire: a slot is written again only behind the receiver's reads of it. All threads of the group do so,
 * since each of them writes. @return whether there is room now. */
WEIR_DEV int weir__channel_look(weir_channel_sender *sender, int *closed)
{
    const uint64_t credit = weir_load_acquire_sys_u64(sender->credit);
    sender->limit = (uint32_t)credit + sender->tx->mask + 1u;
    *closed = (credit & WEIR__CHANNEL_CLOSED) != 0;
    return sender->limit != sender->next;
}

/* Wait until there is room for a packet, unless @p once. The group has written what it puts. */
WEIR_DEV int weir__channel_room(weir_channel_sender *sender, enum weir_by by, int once)
{
    int closed = 0, stopped = 0, room = sender->limit != sender->next;
    for (uint32_t looks = 1; !room && !closed && !stopped; looks++) {
        room = weir__channel_look(sender, &closed);
        if (room || closed || once)
            break;
        stopped = weir__channel_stopped(sender->tx->stop, looks);
    }
    if (by == WEIR_BY_THREAD)
        return closed ? WEIR_CHANNEL_CLOSED
                      : (stopped ? WEIR_CHANNEL_STOPPED
                                 : (room ? WEIR_CHANNEL_DONE : WEIR_CHANNEL_AGAIN));
    /* Threads may have looked at different times; they agree here, and what they wrote is seen by all. */
    if (weir__by_any(by, !room || closed)) {
        if (weir__by_any(by, closed))
            return WEIR_CHANNEL_CLOSED;
        return weir__by_any(by, stopped) ? WEIR_CHANNEL_STOPPED : WEIR_CHANNEL_AGAIN;
    }
    return WEIR_CHANNEL_DONE;
}

/* The 32 bits of a packet at @p word, of which the last may have fewer bytes. */
WEIR_DEV uint32_t weir__channel_word(const void *data, uint32_t word, uint32_t bytes)
{
    if (4 * word + 4 <= bytes)
        return ((const uint32_t *)data)[word];
    uint32_t value = 0;
    for (uint32_t b = 0; 4 * word + b < bytes; b++)
        value |= (uint32_t)((const unsigned char *)data)[4 * word + b] << (8 * b);
    return value;
}

/* What stands beside the words of a woven packet: its number, but never 0, which words have that were wiped. The head has
 * the number itself beside it: it is not wiped, and must differ from the one before in its slot. */
WEIR_DEV uint32_t weir__channel_tag(uint32_t number)
{
    return number ? number : 1u;
}

/* A woven packet: word 0 has the number of bytes, the others its words, each beside the packet's number. A thread stores pairs
 * of words, each of which is whole or not there; it reads WEIR__CHANNEL_PAIRS of them before it stores the first. */
WEIR_DEV void weir__channel_weave(const weir_channel_sender *sender, enum weir_by by,
                                  uint64_t *slot, const void *data, uint32_t bytes)
{
    const uint64_t number = (uint64_t)(sender->next + 1u) << 32;
    const uint64_t tag = (uint64_t)weir__channel_tag(sender->next + 1u) << 32;
    const uint32_t words = bytes == WEIR__CHANNEL_NO_MORE ? 0 : (bytes + 3) / 4;
    const uint32_t step = 2 * weir__by_count(by);
    for (uint32_t at = 2 * weir__by_rank(by); at < words + 1; at += WEIR__CHANNEL_PAIRS * step) {
        uint32_t first[WEIR__CHANNEL_PAIRS], second[WEIR__CHANNEL_PAIRS];
        for (uint32_t p = 0; p < WEIR__CHANNEL_PAIRS; p++) {
            const uint32_t w = at + p * step;
            first[p] = w == 0 ? bytes : w < words + 1 ? weir__channel_word(data, w - 1, bytes) : 0;
            second[p] = w < words ? weir__channel_word(data, w, bytes) : 0;
        }
        for (uint32_t p = 0; p < WEIR__CHANNEL_PAIRS; p++) {
            const uint32_t w = at + p * step;
            if (w < words + 1)
                weir_store_relaxed_sys_pair(slot + w, (w ? tag : number) | first[p],
                                            w < words ? tag | second[p] : 0);
        }
    }
}

/* Bytes from one memory to another, by the group: 16 at a time where both allow it. */
WEIR_DEV void weir__channel_copy(enum weir_by by, void *to, const void *from, uint32_t bytes)
{
    const uint32_t rank = weir__by_rank(by), count = weir__by_count(by);
    uint32_t done = 0;
    if (((uintptr_t)to | (uintptr_t)from) % 16 == 0) {
        for (uint32_t i = rank; i < bytes / 16; i += WEIR_ABREAST * count)
            weir_copy_16_abreast(to, from, i, count, bytes / 16);
        done = bytes / 16 * 16;
    } else if (((uintptr_t)to | (uintptr_t)from) % 4 == 0) {
        for (uint32_t i = rank; i < bytes / 4; i += count)
            ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
        done = bytes / 4 * 4;
    }
    for (uint32_t i = done + rank; i < bytes; i += count)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

/* Store a packet; there is room. */
WEIR_DEV void weir__channel_store(weir_channel_sender *sender, enum weir_by by, const void *data,
                                  uint32_t bytes)
{
    const weir_channel_tx *tx = sender->tx;
    const uint32_t at = sender->next & tx->mask;
    unsigned char *slot = sender->slots + (uint64_t)at * tx->slot_bytes;
    if (tx->woven) {
        weir__channel_weave(sender, by, (uint64_t *)(void *)slot, data, bytes);
    } else {
        if (bytes != WEIR__CHANNEL_NO_MORE)
            weir__channel_copy(by, slot, data, bytes);
        weir__by_sync(by); /* all have stored theirs before one tells of it */
        if (weir__by_rank(by) == 0)
            /* Release: who sees the mark sees the packet, and what the group wrote before. Pairs with the
             * acquire in weir__channel_arrived(). */
            weir_store_release_sys_u64(sender->marks + (uint64_t)at * WEIR_CHANNEL_LINE,
                                       (uint64_t)(sender->next + 1u) << 32 | bytes);
    }
    sender->next++;
    if (weir__by_rank(by) == 0)
        *sender->state = sender->next;
    weir__by_sync(by); /* the packet's memory may be written again */
}

WEIR_DEV int weir__channel_send(weir_channel_sender *sender, enum weir_by by, const void *data,
                                uint32_t bytes, int once)
{
    if (bytes > sender->tx->packet_bytes && bytes != WEIR__CHANNEL_NO_MORE)
        return WEIR_CHANNEL_INVALID;
    const int result = weir__channel_room(sender, by, once);
    if (result == WEIR_CHANNEL_DONE)
        weir__channel_store(sender, by, data, bytes);
    return result;
}

/** Send a packet, and wait for room if there is none. What the threads of the group wrote to @p data before needs no
 *  barrier in between; when the call returns it may be written again.
 *  @param[in] data   aligned to 4 bytes, better to 16; memory that the device reaches.
 *  @param[in] bytes  at most packet_bytes of the channel.
 *  @retval WEIR_CHANNEL_DONE     the packet will be there.
 *  @retval WEIR_CHANNEL_CLOSED   the receiver closed. That is seen when the ring seems full: packets before may have
 *                                been put that nobody takes.
 *  @retval WEIR_CHANNEL_STOPPED
 *  @retval WEIR_CHANNEL_INVALID */
WEIR_DEV int weir_channel_put(weir_channel_sender *sender, enum weir_by by, const void *data,
                              uint32_t bytes)
{
    return weir__channel_send(sender, by, data, bytes, 0);
}

/** The same without a wait. @retval WEIR_CHANNEL_AGAIN  there is no room now. */
WEIR_DEV int weir_channel_try_put(weir_channel_sender *sender, enum weir_by by, const void *data,
                                  uint32_t bytes)
{
    return weir__channel_send(sender, by, data, bytes, 1);
}

/** Say that there will be no more packets: the receiver's calls return WEIR_CHANNEL_CLOSED when it has taken all. Waits
 *  for room as a put does. The ring is used again only behind weir_channel_reset(). */
WEIR_DEV int weir_channel_sender_close(weir_channel_sender *sender, enum weir_by by)
{
    return weir__channel_send(sender, by, (const void *)0, WEIR__CHANNEL_NO_MORE, 0);
}

/* ---- receiving ------------------------------------------------------------------------------ */

/* Whether the next packet is there. Acquire of its mark, for all threads of a worker; the words of a woven packet hand
 * themselves on. @param[out] bytes  of the packet. */
WEIR_DEV int weir__channel_arrived(const weir_channel_receiver *receiver, enum weir_by by,
                                   uint32_t *bytes)
{
    const weir_channel_rx *rx = receiver->rx;
    const uint32_t at = receiver->next & rx->mask;
    uint64_t word;
    if (rx->woven)
        word = weir_load_relaxed_sys_u64(
            (const uint64_t *)(const void *)(receiver->slots + (uint64_t)at * rx->slot_bytes));
    else
        word = weir_load_acquire_sys_u64(receiver->marks + (uint64_t)at * WEIR_CHANNEL_LINE);
    if (by != WEIR_BY_THREAD)
        word = weir_broadcast_u64(word, 0);
    *bytes = (uint32_t)word;
    return (uint32_t)(word >> 32) == receiver->next + 1u;
}

/* Tell the sender of what was released. */
WEIR_DEV void weir__channel_publish(weir_channel_receiver *receiver, enum weir_by by)
{
    receiver->published = receiver->released;
    if (weir__by_rank(by) != 0)
        return;
    receiver->state[1] = receiver->published;
    /* Release: the group's reads of the slots, and its wiping of woven words, come before the sender's writes. Pairs with
     * the acquire in weir__channel_look(). */
    weir_store_release_sys_u64(receiver->credit, receiver->released);
}

/* A receiver tells of several packets at once, since a release waits for a fence; but when it waits for a packet the sender
 * has room for one. All packets that were put have been taken then. */
WEIR_DEV void weir__channel_make_room(weir_channel_receiver *receiver, enum weir_by by)
{
    if (receiver->next - receiver->published > receiver->rx->mask &&
        receiver->published != receiver->released)
        weir__channel_publish(receiver, by);
}

/** Whether a take would find a packet: WEIR_CHANNEL_DONE, _AGAIN or _CLOSED; of a stop it says nothing. */
WEIR_DEV int weir_channel_poll(weir_channel_receiver *receiver, enum weir_by by)
{
    uint32_t bytes;
    int here = weir__channel_arrived(receiver, by, &bytes);
    const int closed = here && bytes == WEIR__CHANNEL_NO_MORE;
    if (by == WEIR_BY_BLOCK) /* it counts as there if all of its workers saw it */
        here = !weir_block_any(!here);
    if (!here)
        weir__channel_make_room(receiver, by);
    return !here ? WEIR_CHANNEL_AGAIN : (closed ? WEIR_CHANNEL_CLOSED : WEIR_CHANNEL_DONE);
}

/* A thread's words of a woven packet: WEIR__CHANNEL_PAIRS pairs from word @c at, a step apart. */
struct weir__channel_words {
    uint64_t pair[WEIR__CHANNEL_PAIRS][2];
    uint32_t at, step;
};

/* Read those of them that lie below @p end, all at once. */
WEIR_DEV void weir__channel_read(struct weir__channel_words *words, const uint64_t *slot,
                                 uint32_t end)
{
    for (uint32_t p = 0; p < WEIR__CHANNEL_PAIRS; p++) {
        const uint32_t w = words->at + p * words->step;
        if (w < end)
            weir_load_relaxed_sys_pair(slot + w, &words->pair[p][0], &words->pair[p][1]);
    }
}

/* Whether those of them that a packet of @p end words has are there. Its head is. */
WEIR_DEV int weir__channel_whole(const struct weir__channel_words *words, uint32_t end,
                                 uint32_t tag)
{
    int whole = 1;
    for (uint32_t p = 0; p < WEIR__CHANNEL_PAIRS; p++) {
        const uint32_t w = words->at + p * words->step;
        whole &= w == 0 || w >= end || (uint32_t)(words->pair[p][0] >> 32) == tag;
        whole &= w + 1 >= end || (uint32_t)(words->pair[p][1] >> 32) == tag;
    }
    return whole;
}

/* Store them without the numbers, and wipe them, so that none is ever taken for one of a later packet when numbers have
 * wrapped around. Word 0 is the packet's head, which every packet has. */
WEIR_DEV void weir__channel_unpack(const struct weir__channel_words *words, uint64_t *slot,
                                   uint32_t *plain, uint32_t end)
{
    for (uint32_t p = 0; p < WEIR__CHANNEL_PAIRS; p++) {
        const uint32_t w = words->at + p * words->step;
        if (w && w < end) {
            plain[w - 1] = (uint32_t)words->pair[p][0];
            weir_store_relaxed_sys_u64(slot + w, 0);
        }
        if (w + 1 < end) {
            plain[w] = (uint32_t)words->pair[p][1];
            weir_store_relaxed_sys_u64(slot + w + 1, 0);
        }
    }
}

/* Wait for a woven packet and unpack it into the receiver's own memory. A thread reads the head together with the first of
 * its own words, before it knows whether the packet has those. @param[out] bytes  of the packet.
 * @return whether the wait was given up. */
WEIR_DEV int weir__channel_unweave(weir_channel_receiver *receiver, enum weir_by by,
                                   uint32_t *bytes)
{
    const weir_channel_rx *rx = receiver->rx;
    const uint32_t slot_at = receiver->next & rx->mask, number = receiver->next + 1u;
    const uint32_t tag = weir__channel_tag(number);
    uint64_t *slot = (uint64_t *)(void *)(receiver->slots + (uint64_t)slot_at * rx->slot_bytes);
    uint32_t *plain = (uint32_t *)(void *)(receiver->plain + (uint64_t)slot_at * rx->plain_bytes);
    struct weir__channel_words words;
    uint32_t end = (rx->packet_bytes + 3) / 4 + 1;
    words.at = 2 * weir__by_rank(by);
    words.step = 2 * weir__by_count(by);
    for (uint32_t looks = 1;; looks++) {
        const uint64_t head = weir_load_relaxed_sys_u64(slot);
        weir__channel_read(&words, slot, end);
        if ((uint32_t)(head >> 32) == number) {
            *bytes = (uint32_t)head;
            end = *bytes == WEIR__CHANNEL_NO_MORE ? 0 : (*bytes + 3) / 4 + 1;
            if (weir__channel_whole(&words, end, tag))
                break;
        } else if (looks == 1) {
            weir__channel_make_room(receiver, by);
        }
        if (weir__channel_stopped(rx->stop, looks))
            return 1;
    }
    while (words.at < end) {
        weir__channel_unpack(&words, slot, plain, end);
        words.at += WEIR__CHANNEL_PAIRS * words.step;
        for (uint32_t looks = 1; words.at < end; looks++) {
            weir__channel_read(&words, slot, end);
            if (weir__channel_whole(&words, end, tag))
                break;
            if (weir__channel_stopped(rx->stop, looks))
                return 1;
        }
    }
    return 0;
}

/* Wait for a plain packet: its mark. */
WEIR_DEV int weir__channel_await(weir_channel_receiver *receiver, enum weir_by by, uint32_t *bytes)
{
    int stopped = 0;
    for (uint32_t looks = 1; !weir__channel_arrived(receiver, by, bytes) && !stopped; looks++) {
        if (looks == 1)
            weir__channel_make_room(receiver, by);
        stopped = weir__channel_stopped(receiver->rx->stop, looks);
        if (by != WEIR_BY_THREAD) /* a worker leaves the loop as one */
            stopped = weir_ballot(stopped) != 0;
    }
    return stopped;
}

/** Take the next packet, and wait for it. Several may be taken before the first is released, up to the slots of a ring.
 *  @param[out] data   the packet, for reads by the threads of the group until it is released; aligned to 16 bytes.
 *  @param[out] bytes_out  of it.
 *  @retval WEIR_CHANNEL_CLOSED   all packets were taken, and there will be no more.
 *  @retval WEIR_CHANNEL_STOPPED  */
WEIR_DEV int weir_channel_take(weir_channel_receiver *receiver, enum weir_by by, const void **data,
                               uint32_t *bytes_out)
{
    const weir_channel_rx *rx = receiver->rx;
    const uint32_t at = receiver->next & rx->mask;
    uint32_t bytes = 0;
    const int stopped = rx->woven ? weir__channel_unweave(receiver, by, &bytes)
                                  : weir__channel_await(receiver, by, &bytes);
    if (weir__by_any(by, stopped))
        return WEIR_CHANNEL_STOPPED;
    if (bytes ==
        WEIR__CHANNEL_NO_MORE) /* all saw it, as the slot has no other packet before this one is released */
        return WEIR_CHANNEL_CLOSED;
    *data = rx->woven ? receiver->plain + (uint64_t)at * rx->plain_bytes
                      : receiver->slots + (uint64_t)at * rx->slot_bytes;
    *bytes_out = bytes;
    receiver->next++;
    if (weir__by_rank(by) == 0)
        *receiver->state = (uint64_t)receiver->released << 32 | receiver->next;
    return WEIR_CHANNEL_DONE;
}

/** The same without a wait. @retval WEIR_CHANNEL_AGAIN  there is none now. */
WEIR_DEV int weir_channel_try_take(weir_channel_receiver *receiver, enum weir_by by,
                                   const void **data, uint32_t *bytes_out)
{
    const int result = weir_channel_poll(receiver, by);
    return result == WEIR_CHANNEL_DONE ? weir_channel_take(receiver, by, data, bytes_out) : result;
}

/** Give the slot of the oldest packet that was taken back to the sender. It may then be overwritten. */
WEIR_DEV void weir_channel_release(weir_channel_receiver *receiver, enum weir_by by)
{
    const uint32_t lot = receiver->rx->mask < 4 ? 1 : (receiver->rx->mask + 1u) / 4;
    weir__by_sync(by); /* all have read it */
    receiver->released++;
    if (weir__by_rank(by) == 0)
        *receiver->state = (uint64_t)receiver->released << 32 | receiver->next;
    if (receiver->released - receiver->published >= lot)
        weir__channel_publish(receiver, by);
}

/** Say that no more packets will be taken: the sender's calls return WEIR_CHANNEL_CLOSED when they find no room. The ring
 *  is used again only behind weir_channel_reset(). */
WEIR_DEV void weir_channel_receiver_close(weir_channel_receiver *receiver, enum weir_by by)
{
    weir__by_sync(by);
    if (weir__by_rank(by) == 0)
        weir_store_release_sys_u64(receiver->credit, WEIR__CHANNEL_CLOSED | receiver->released);
}

#ifdef __cplusplus
}
#endif
#endif
