/** @file collective.h  Collectives over routers, or by NCCL: broadcast, reduce, all-reduce, reduce-scatter,
 *  all-gather, gather, scatter, all-to-all.
 *
 * A *rank* is a device that takes part; ranks are numbered in the order in which their devices were
 * given. One thread calls for all of them: a call takes one pointer and one queue for each rank, puts
 * the work of all ranks behind what is in their queues, and returns. What is put into a rank's queue
 * later comes after that rank's part: its data is then there, and its memory may be written again.
 *
 *     ring   each rank sends to the next one of the best ring over their devices. Bytes go on packet by packet as
 *            they arrive; every device sends and receives at its full rate. Takes ranks - 1 steps, or twice that.
 *     tree   up and down a tree of the ranks with the root at its top: one with two children below each rank, about
 *            log2(ranks) steps, or a widest spanning tree of the machine.
 *     direct everybody straight to everybody concerned, in one step, or two of an all-reduce: how all-to-all,
 *            gather and scatter go, whether ring or tree was asked for.
 *     channels  one kernel for each rank, which reads what it needs from the others' memory, combines it and stores it
 *            where it is wanted, while the kernels of the others do the same; they meet over channels
 *            (router/channel.h). For up to eight ranks that reach each other's memory.
 *     nccl   the same call of NVIDIA's library, where libnccl.so.2 is found and all ranks are GPUs.
 *
 * Ring, trees, and which ranks send over a third one because they do not reach each other, follow from the machine of
 * the context (weir_machine_of()), and so does which of all this `auto` takes for how many bytes: docs/collectives.md.
 *
 * Rounding: floating point sums and products are the same bits on all ranks, and again whenever algorithm,
 * ranks, root, count and machine are the same. Ring, tree and NCCL combine in different orders, so they differ in the
 * last bits. f16 and bf16 are combined two at a time as f32, and each result is rounded to nearest, ties to
 * even: n ranks round n - 1 times (docs/collectives.md has the error). Integers wrap around. min and max of
 * floating point skip a NaN if there is a number, and may give either zero of -0 and +0.
 *
 * Threads: one call at a time for each weir_collectives; weir_collectives_cancel() any time. Several
 * weir_collectives over the same devices are independent, but for NCCL's and those of channels, whose kernels wait for each
 * other: calls of two of these must not be under way at the same time, or each may wait for the other until one is cancelled.
 * A collective waits for all its ranks: what one rank's queue waits for must not depend on what
 * comes later in another's.
 *
 * Memory: a rank's pointers are memory of its device, aligned to the element, and stay the caller's; they
 * must not be freed before the queues have passed the call. After a failure or a cancel: not before the
 * weir_collectives was destroyed. */
#ifndef WEIR_ROUTER_COLLECTIVE_H
#define WEIR_ROUTER_COLLECTIVE_H

#include "router/router.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Buffers and links between the ranks, made once. Long-lived. */
typedef struct weir_collectives weir_collectives;

/** Who does a collective, and by which paths. */
typedef enum weir_algorithm {
    WEIR_ALGORITHM_AUTO =
        0, /**< the fastest for a call of so many bytes: see weir_collectives_choose() */
    WEIR_ALGORITHM_RING,
    WEIR_ALGORITHM_TREE,
    WEIR_ALGORITHM_NCCL,
    WEIR_ALGORITHM_DIRECT,
    WEIR_ALGORITHM_CHANNELS,
    WEIR_ALGORITHM_COUNT
} weir_algorithm;
/** Places for them in weir_collectives_choice, of which later versions use more. */
#define WEIR_ALGORITHMS_MAX 16
/** "auto", "ring", "tree", "nccl", "direct", "channels"; static storage. */
const char *weir_algorithm_name(weir_algorithm algorithm);

/** The collectives, by name. */
typedef enum weir_collective {
    WEIR_COLLECTIVE_BROADCAST = 0,
    WEIR_COLLECTIVE_ALL_GATHER,
    WEIR_COLLECTIVE_REDUCE,
    WEIR_COLLECTIVE_ALL_REDUCE,
    WEIR_COLLECTIVE_REDUCE_SCATTER,
    WEIR_COLLECTIVE_ALL_TO_ALL,
    WEIR_COLLECTIVE_GATHER,
    WEIR_COLLECTIVE_SCATTER,
    WEIR_COLLECTIVE_ALL_TO_ALL_V, /**< blocks of any sizes */
    WEIR_COLLECTIVE_COUNT
} weir_collective;
/** "broadcast", "all-gather", "reduce-scatter", "all-to-all-v" and so on; static storage. */
const char *weir_collective_name(weir_collective collective);

/** Type of an element. */
typedef enum weir_type {
    WEIR_TYPE_I32 = 0,
    WEIR_TYPE_U32,
    WEIR_TYPE_I64,
    WEIR_TYPE_U64,
    WEIR_TYPE_F32,
    WEIR_TYPE_F64,
    WEIR_TYPE_F16,  /**< IEEE binary16: CUDA's __half, C's _Float16 */
    WEIR_TYPE_BF16, /**< bfloat16: the upper half of an f32 */
    WEIR_TYPE_COUNT
} weir_type;
/** Bytes of an element; 0 for what is no type. */
size_t weir_type_bytes(weir_type type);
/** "i32" and so on; static storage. */
const char *weir_type_name(weir_type type);

/** How two elements become one. */
typedef enum weir_op {
    WEIR_OP_SUM = 0,
    WEIR_OP_PROD,
    WEIR_OP_MIN,
    WEIR_OP_MAX,
    WEIR_OP_COUNT
} weir_op;
/** "sum", "prod", "min", "max"; static storage. */
const char *weir_op_name(weir_op op);

/** How ranks are joined. */
typedef struct weir_collectives_config {
    size_t size; /**< sizeof(weir_collectives_config), set by WEIR_COLLECTIVES_CONFIG_INIT */
    weir_algorithm algorithm;
    /** Bytes that travel at a time, at least 16, rounded down to a multiple of 16; 0: WEIR_PACKET_BYTES, and
     *  where that is 0 too, chosen for each call by its bytes. Every rank takes three to six times as much
     *  of its device's pool for packets that are combined, 32 MiB each between GPUs where it is chosen.
     *  Unused by NCCL. */
    size_t packet_bytes;
    /** How packets travel, as in weir_link_config. Unused by NCCL. */
    weir_transport transport;
    /** 1: AUTO may take ways that are one kernel for each rank, which wait for each other while they run: channels and NCCL, where
     *  they can be had. Such kernels have to run at the same time: no other ones of that kind, of another set or of the
     *  program, may run over the same devices beside them. NCCL takes a second to start, too, and memory of its own.
     *  0: it takes neither. */
    int resident;
} weir_collectives_config;
/** Defaults of weir_collectives_config. */
#define WEIR_COLLECTIVES_CONFIG_INIT                                                    \
    {                                                                                   \
        sizeof(weir_collectives_config), WEIR_ALGORITHM_AUTO, 0, WEIR_TRANSPORT_AUTO, 0 \
    }

/** Join devices of @p context as ranks.
 *  @param[in] devices  one for each rank, none twice; the home device may be one. In any order: it numbers
 *                      them, and the machine says who sends to whom.
 *  @param[in] ranks    1 to WEIR_DEVICES_MAX + 1.
 *  @param[in] config   NULL for defaults.
 *  @retval WEIR_ERR_INVALID      no or too many ranks, a device twice or of another context, a packet
 *                                below 16 bytes.
 *  @retval WEIR_ERR_UNSUPPORTED  the transport cannot join the ranks; NCCL without its library, or with a
 *                                rank that is no GPU.
 *  @retval WEIR_ERR_NOMEM        a pool cannot give the buffers.
 *  @par Blocks  NCCL: while it starts, seconds. */
weir_status weir_collectives_create(weir_context *context, weir_device *const *devices,
                                    uint32_t ranks, const weir_collectives_config *config,
                                    weir_collectives **collectives_out);
/** Waits for the calls under way; cancel first what must not be waited for. NULL is fine. The queues of
 *  those calls must still be there. */
void weir_collectives_destroy(weir_collectives *collectives);

/** What a call is to take, and by which way it goes. */
typedef struct weir_collectives_choice {
    size_t size; /**< sizeof(weir_collectives_choice), set by WEIR_COLLECTIVES_CHOICE_INIT */
    weir_algorithm algorithm;
    size_t packet_bytes; /**< at most; 0: NCCL's, or nothing travels */
    uint32_t
        relays; /**< ordered pairs of ranks that send to each other over a third rank; 0: none does */
    /** Of each algorithm that the set has, in its best packets, microseconds: the call alone, from the time when all queues have
     *  come to it. 0: it has none, or was not asked. */
    double us[WEIR_ALGORITHMS_MAX];
    char why[192]; /**< one sentence */
} weir_collectives_choice;
/** Nothing chosen. */
#define WEIR_COLLECTIVES_CHOICE_INIT                                     \
    {                                                                    \
        sizeof(weir_collectives_choice), WEIR_ALGORITHM_AUTO, 0, 0, {0}, \
        {                                                                \
            0                                                            \
        }                                                                \
    }

/** What a call will do whose `count` is so many bytes (of weir_all_to_all_v(): its largest one). Whatever takes the least time by
 *  the figures of the machine (weir_machine_of(): measured ones where the tunable `machine` names a file with them), among the
 *  ways of the algorithm asked for, or of all; docs/collectives.md tells how that is found. All-to-all, gather and
 *  scatter go directly, or by NCCL, whatever was asked for.
 *  @param[in] root  of a broadcast, reduce, gather or scatter. @param[in,out] choice_out  begins as
 *  WEIR_COLLECTIVES_CHOICE_INIT. @retval WEIR_ERR_INVALID  no such collective or root.
 *  @par Threads  any, any time.
 *  @par Blocks  no, but the first time for a size it takes milliseconds, as the first call of it
 *  does; of eight devices some tens. */
weir_status weir_collectives_choose(weir_collectives *collectives, weir_collective collective,
                                    uint32_t root, size_t bytes,
                                    weir_collectives_choice *choice_out);
/** Its algorithm alone, with root 0. WEIR_ALGORITHM_AUTO: there is no memory to find it out. */
weir_algorithm weir_collectives_chosen(const weir_collectives *collectives,
                                       weir_collective collective, size_t bytes);

/** End what is under way, and refuse every later call, with @p status (a failure; anything else counts as
 *  WEIR_ERR_CANCELLED). The queues go on; what the calls would have written is undefined. The first
 *  status stays. The sentence of this thread's last failure goes with it if that was one of @p status: set one with
 *  weir_error_set(). Any thread, any time. */
void weir_collectives_cancel(weir_collectives *collectives, weir_status status);
/** How the calls made so far went. To be asked once the queues were waited for, as data of a call that
 *  failed on the way is undefined.
 *  @retval WEIR_OK       all are over and went well.
 *  @retval WEIR_PENDING  some are under way, none failed.
 *  @return what it was cancelled with, or the failure of a device or link, which cancels it. */
weir_status weir_collectives_status(weir_collectives *collectives);

/* ---- calls -----------------------------------------------------------------------------------
 *
 * Arrays have one entry for each rank. `queues[i]` is a queue of rank i's device. count 0 is fine: nothing
 * is moved, and pointers may be NULL.
 *
 * They return WEIR_ERR_INVALID, before anything was put into a queue, for a missing or misaligned pointer,
 * a queue of another device, memory that overlaps, a root, type or operation that there is not, or more
 * bytes than memory has; or the status of a cancel or failure, which ends the weir_collectives.
 *
 * Blocks: no, as a rule. Calls wait on the host for the oldest of their own packets where so many are under
 * way that events (WEIR_EVENTS) would run out, and CUDA makes them wait when a stream holds about a
 * thousand operations: then a rank's queue must not be held back by this thread. */

/** The root's elements to all ranks. @param[in,out] data  read at the root, written elsewhere. */
weir_status weir_broadcast(weir_collectives *collectives, uint32_t root, void *const *data,
                           size_t count, weir_type type, weir_queue *const *queues);

/** Everybody's elements to all ranks: @p count of rank r at recv[i] + r * count.
 *  @param[in]  send  @p count elements each; may be their place in recv[i].
 *  @param[out] recv  ranks * @p count elements each. */
weir_status weir_all_gather(weir_collectives *collectives, const void *const *send,
                            void *const *recv, size_t count, weir_type type,
                            weir_queue *const *queues);

/** The combination of everybody's elements to the root.
 *  @param[in]  send  @p count elements each.
 *  @param[out] recv  of the root, @p count elements; may be send[root]. Others' entries are not used. */
weir_status weir_reduce(weir_collectives *collectives, uint32_t root, const void *const *send,
                        void *const *recv, size_t count, weir_type type, weir_op op,
                        weir_queue *const *queues);

/** The combination of everybody's elements to all ranks.
 *  @param[in]  send  @p count elements each.
 *  @param[out] recv  @p count elements each; recv[i] may be send[i]. */
weir_status weir_all_reduce(weir_collectives *collectives, const void *const *send,
                            void *const *recv, size_t count, weir_type type, weir_op op,
                            weir_queue *const *queues);

/** The combination of everybody's elements, a block of it to each rank: elements r * count and on to rank r.
 *  @param[in]  send  ranks * @p count elements each.
 *  @param[out] recv  @p count elements each; recv[i] may be its place in send[i]. */
weir_status weir_reduce_scatter(weir_collectives *collectives, const void *const *send,
                                void *const *recv, size_t count, weir_type type, weir_op op,
                                weir_queue *const *queues);

/** A block of everybody's to everybody: @p count elements at send[i] + j * count to recv[j] + i * count.
 *  @param[in]  send  ranks * @p count elements each.
 *  @param[out] recv  ranks * @p count elements each, apart from send[i]. */
weir_status weir_all_to_all(weir_collectives *collectives, const void *const *send,
                            void *const *recv, size_t count, weir_type type,
                            weir_queue *const *queues);

/** Everybody's elements to the root: @p count of rank r at recv[root] + r * count.
 *  @param[in]  send  @p count elements each; the root's may be their place in recv[root].
 *  @param[out] recv  of the root, ranks * @p count elements. Others' entries are not used. */
weir_status weir_gather(weir_collectives *collectives, uint32_t root, const void *const *send,
                        void *const *recv, size_t count, weir_type type, weir_queue *const *queues);

/** A block of the root's to each rank: @p count elements at send[root] + r * count to rank r.
 *  @param[in]  send  of the root, ranks * @p count elements. Others' entries are not used.
 *  @param[out] recv  @p count elements each; the root's may be their place in send[root]. */
weir_status weir_scatter(weir_collectives *collectives, uint32_t root, const void *const *send,
                         void *const *recv, size_t count, weir_type type,
                         weir_queue *const *queues);

/** A block of any size of everybody's to everybody. The three tables have ranks * ranks entries, that of the
 *  block from rank i to rank j at i * ranks + j; they are read during the call only. What a rank receives
 *  overlaps neither other blocks that it receives nor blocks that it sends; one to itself may stay in its place.
 *  @param[in]  counts        elements of the block; may be 0.
 *  @param[in]  send_offsets  elements before it in send[i].
 *  @param[in]  recv_offsets  elements before it in recv[j]. */
weir_status weir_all_to_all_v(weir_collectives *collectives, const void *const *send,
                              void *const *recv, const size_t *counts, const size_t *send_offsets,
                              const size_t *recv_offsets, weir_type type,
                              weir_queue *const *queues);

#ifdef __cplusplus
}
#endif
#endif
