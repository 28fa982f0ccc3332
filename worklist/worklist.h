/** @file worklist.h  Distributed worklists: work items that find their device (Groute 4.3, 4.4).
 *
 * A worklist joins *workers* (endpoints on devices). Work items wait in each worker's queue; a
 * round takes them, runs the *operator* on each, and the items that come out go to the worker's own
 * queue or, packed, to the device that owns them: straight from kernel to kernel (fused), or sent by
 * the host over a router (discrete). It ends when every item produced was consumed.
 *
 * Invariants (tests/worklist holds a test for each):
 *   1. Every item produced is consumed exactly once, or merged with one that is.
 *   2. A run ends when, and only when, produced equals consumed over all workers, seen twice.
 *   3. A full queue pushes back or spills to host memory; it never overwrites. Memory is bounded.
 *   4. An error, a cancel or a time limit stops every worker and returns, with a dump of counters.
 *   5. No worker reads an item before it was published.
 *
 * Soft priority is a hint, not an order: items under the agreed threshold go first where possible.
 *
 * Threads: one thread builds, binds, seeds and runs; weir_worklist_cancel() is for any thread.
 * weir_worklist_run() blocks; with discrete kernels it starts one host thread for each worker. */
#ifndef WEIR_WORKLIST_WORKLIST_H
#define WEIR_WORKLIST_WORKLIST_H

#include "router/router.h"
#include "topology/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An operator as the engine sees it: sizes and kernels. Made by worklist/engine_host_tmpl.h from
 * an operator header (worklist/operator.h says what that holds). */
typedef struct weir_operator {
    uint32_t engine; /**< WEIR_ENGINE_VERSION that it was compiled with */
    const char *name;
    uint32_t item_bytes;  /**< a work item in a worker's queue */
    uint32_t wire_bytes;  /**< a packed item on a link */
    uint32_t piece_bytes; /**< an item with some of its atoms */
    uint32_t state_bytes; /**< the operator's state of one device, passed to kernels by value */
    int own_schedule;     /**< non-zero: compiled with WEIR_SCHEDULE for host devices */
    int narrow;           /**< non-zero: has a kernel for narrow rounds (operator.h) */
    int folds;            /**< non-zero: adds up the atoms of a tile (operator.h) */
    int seeds;            /**< non-zero: makes seeds of numbers (operator.h) */
    weir_kernel fused;    /**< stays until the run is over */
    weir_kernel discrete; /**< one round */
    weir_kernel live;     /**< stays until the run is over, and has no rounds */
    /** Loads every CUDA kernel of the operator on the calling thread's current GPU; @return a
     *  cudaError_t. NULL without CUDA. */
    int (*load)(void);
    int (*own_schedule_cuda)(
        void); /**< as own_schedule, of the kernels for GPUs; NULL without CUDA */
    /** What a kernel's tiles and packed items take on the stack of each thread of a host device. */
    uint64_t block_bytes;
    /** The same in a GPU's memory of a block (weir_device_info.block_bytes) where so many channels are staged; NULL
     *  without CUDA. */
    uint64_t (*block_bytes_cuda)(uint32_t stage_channels);
} weir_operator;

/** In which order a worker takes items. */
typedef enum weir_order_kind {
    WEIR_ORDER_AUTO = 0, /**< soft where a delta_hint is given, else fifo (docs/operators.md) */
    WEIR_ORDER_FIFO,     /**< as items come */
    WEIR_ORDER_SOFT,     /**< items under an agreed threshold first (soft priority, Groute 4.4) */
    WEIR_ORDER_BULK      /**< generation by generation, all devices together */
} weir_order_kind;

/** How rounds are run. */
typedef enum weir_kernel_kind {
    WEIR_KERNEL_AUTO = 0,
    WEIR_KERNEL_FUSED,    /**< one kernel a device that stays until the end and routes by itself */
    WEIR_KERNEL_DISCRETE, /**< a kernel a round; the host sends packets over the router */
    /** One kernel a device that stays until the end and has no rounds: workers go on popping items from queues that they share,
     *  and pushing new ones (Atos 3.1). It takes order fifo alone, and devices that all reach each other's memory. */
    WEIR_KERNEL_LIVE
} weir_kernel_kind;

/** Who fetches tiles from the queue, and waits for them together (Atos 3.2). */
typedef enum weir_worker_kind {
    WEIR_WORKER_AUTO = 0,
    WEIR_WORKER_THREAD,
    WEIR_WORKER_WARP,
    WEIR_WORKER_BLOCK
} weir_worker_kind;

/** How the atoms of the tiles that a worker fetched are spread over its lanes (Loops 5.2;
 *  worklist/schedule.h). One that is wider than a warp is refused where a worker is a warp. On a device whose blocks have
 *  fewer lanes than a group, the group is a block. */
typedef enum weir_mapping_kind {
    WEIR_MAPPING_AUTO =
        0, /**< groups of 4, 8 or 32 lanes by the atoms of a tile on average, up to 8 with
                                one tile each; long tiles are cut in pieces for all workers */
    WEIR_MAPPING_THREAD, /**< a tile a lane */
    WEIR_MAPPING_WARP,   /**< a tile at a time over the lanes of a warp */
    WEIR_MAPPING_BLOCK,  /**< a tile at a time over the lanes of a block */
    WEIR_MAPPING_GROUP,  /**< groups of N lanes share the atoms of their tiles evenly */
    WEIR_MAPPING_MERGE,  /**< tiles and atoms in equal, consecutive shares (merge path) */
    WEIR_MAPPING_OWN     /**< the schedule that the operator was compiled with */
} weir_mapping_kind;

/** "auto", "fifo", ...; NULL for anything else. Static storage. */
const char *weir_order_kind_text(weir_order_kind kind);
/** "auto", "fused", "discrete", "live". */
const char *weir_kernel_kind_text(weir_kernel_kind kind);
/** "auto", "thread", "warp", "block". */
const char *weir_worker_kind_text(weir_worker_kind kind);
/** "auto", "thread", "warp", "block", "group", "merge", "own". */
const char *weir_mapping_kind_text(weir_mapping_kind kind);

/** Memory that every run begins by filling. */
typedef struct weir_worklist_fill {
    uint32_t worker; /**< on whose device it lies */
    uint32_t value;  /**< of each byte, 0 to 255 */
    void *data;      /**< aligned to 16 bytes, as weir_device_alloc() gives it */
    uint64_t bytes;  /**< 0: none */
} weir_worklist_fill;

/** How a worklist is made; zero in a field is its default. */
typedef struct weir_worklist_config {
    size_t size; /**< sizeof(weir_worklist_config), set by WEIR_WORKLIST_CONFIG_INIT */
    weir_route_kind route;
    weir_order_kind order;
    uint32_t
        delta; /**< width of a step of the soft threshold, in priorities; 0: found while running */
    uint32_t delta_hint; /**< a width to begin with where delta is 0; 0: none */
    weir_kernel_kind kernel;
    weir_worker_kind worker;
    uint32_t fetch; /**< tiles a worker takes at a time, at most 4096; 0: by how many there are */
    weir_mapping_kind mapping;
    uint32_t group; /**< lanes of a group of WEIR_MAPPING_GROUP: 1 to 1024, a power of two; 0: 32 */
    uint32_t time_limit_ms; /**< of one run; 0: none */
    uint64_t queue_items;   /**< what a worker's queue holds in device memory, at least 16;
                                 0: WEIR_QUEUE_ITEMS, or 65536 where that is 0 too. With order soft four
                                 times as much of near items (48 Mi more at most) and of far ones */
    uint32_t packet_items;  /**< items of a packet; 0: by WEIR_PACKET_BYTES */
    uint32_t tile_atoms;    /**< atoms that a tile has on average; 0: 4. Sizes what is fetched */
    /** Called once for each worker in every run that starts: behind the start of its resident kernel, or the end of its last
     *  discrete one. What it puts into weir_worklist_queue() runs behind the kernel, and is done when the run returns, so that
     *  counting results, say, costs the host no wait of its own. It must not wait for other devices, and runs in the thread
     *  of weir_worklist_run(). Kernels that it starts have to be loaded, by an earlier start before the first run: CUDA loads
     *  a kernel when it is first started, and waits for running ones then, which may wait for the host. A failure ends the
     *  run with that status. Its work is done after a run that was stopped, too. NULL: nothing. */
    weir_status (*behind)(void *user, uint32_t worker);
    void *user; /**< for @c behind */
    /** What every run fills before the operator is called on that worker's device: values, say, that were not reached yet. A
     *  resident kernel does it by itself, with all its threads, so that the host needs no call of its own for it; for discrete
     *  ones it is in the workers' queues before the first. What the last run, or the program, left there is lost. The list is
     *  copied, the memory is the program's and outlives the worklist. NULL: nothing. */
    const weir_worklist_fill *fills;
    size_t
        fill_count; /**< of @c fills, in any order, at most 65536; several may be of one worker */
    /** Of 1000 new items so many are passed to other workers, as a guess before the run: of a graph the arcs between parts, for
     *  example. Where it is more than WEIR_NARROW_PASSED_MOST several workers have no narrow rounds (docs/operators.md,
     *  "Narrow rounds"). 0: not known. */
    uint32_t passed_permille;
    /** Queues of each device that live kernels push to and pop from, at most 1024; they share queue_items, each with
     *  a power of two of them, at least 16, so that they may have up to twice as many. A block of threads has one of them as its own, and looks into the others when that is empty. 0: as
     *  many as it has multiprocessors, or threads. */
    uint32_t queues;
    /** Non-zero: atoms are 4 bytes each, or several times 4 bytes in arrays apart, and lie where whole lines of 128 bytes are read best, as
     *  arcs in host memory do. Lanes of a GPU's warp then read each tile along its lines. Where tiles are short, the kernel is
     *  live, the operator adds up tiles, or somebody chose a mapping, or a worker other than a warp, it has no effect. */
    int lines;
} weir_worklist_config;
/** Most of weir_worklist_config.passed_permille with which several workers have narrow rounds. */
#define WEIR_NARROW_PASSED_MOST 20u
/** Defaults of weir_worklist_config. */
#define WEIR_WORKLIST_CONFIG_INIT                                                               \
    {                                                                                           \
        sizeof(weir_worklist_config), WEIR_ROUTE_AUTO, WEIR_ORDER_AUTO, 0, 0, WEIR_KERNEL_AUTO, \
            WEIR_WORKER_AUTO, 0, WEIR_MAPPING_AUTO, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0 \
    }

/** What the time of a run went into; sums over the workers, so a run of 4 ms on two devices has 8. */
typedef enum weir_phase {
    WEIR_PHASE_PROCESS = 0, /**< rounds that ran the operator on tiles of the worker's queue */
    WEIR_PHASE_RECEIVE,     /**< rounds that did nothing but take in what arrived, or send again */
    WEIR_PHASE_ORDER,       /**< rounds that sorted deferred items anew */
    WEIR_PHASE_WAIT,        /**< nothing to do: waiting for others, or for termination detection */
    WEIR_PHASES
} weir_phase;
/** "process", "receive", "order", "wait". */
const char *weir_phase_text(weir_phase phase);

/** What a run did, summed over the workers. */
typedef struct weir_worklist_stats {
    size_t size; /**< sizeof(weir_worklist_stats), set by WEIR_WORKLIST_STATS_INIT */
    double
        ms; /**< of the kernels: from the start of the workers to the end of the last one, less reset_ms */
    uint64_t
        produced; /**< items that came into being, seeds too, and numbers that seeds were to be made of */
    uint64_t consumed;  /**< items processed or merged; equals produced after a run */
    uint64_t processed; /**< items taken from a queue by the operator, stale ones too */
    uint64_t stale;     /**< those of them that the operator dropped whole */
    uint64_t atoms;     /**< atoms the operator was run on */
    uint64_t sent;      /**< items handed to another worker; a route of several hops counts each */
    uint64_t spilled;   /**< items that went through host memory because a queue was full */
    uint64_t deferred;  /**< items deferred above the threshold at least once */
    uint64_t rounds;    /**< rounds, summed over workers; live kernels have none */
    uint64_t
        narrow_rounds; /**< of them, those that the kernel for narrow rounds ran (operator.h) */
    uint64_t raises;   /**< times the threshold was raised; with bulk, generations */
    double phase_ms[WEIR_PHASES];
    weir_route_kind route; /**< what was picked, as all below */
    weir_order_kind order;
    uint32_t delta; /**< the last step of the threshold; 0 without soft */
    weir_kernel_kind kernel;
    weir_worker_kind worker;
    uint32_t fetch;            /**< 0: by how many tiles there are */
    weir_mapping_kind mapping; /**< WEIR_MAPPING_AUTO: none, each worker is a thread */
    uint32_t group;            /**< of WEIR_MAPPING_GROUP */
    uint32_t cut; /**< longest piece of a tile that is cut, in atoms; 0: tiles are not cut */
    /** How long resident kernels took to fill what the configuration says (fills), and to reset their words, all workers at
     *  a time; 0 with discrete ones, which begin behind that. */
    double reset_ms;
    uint64_t
        woven; /**< of the items sent, those of narrow rounds, which wait for no fence (operator.h) */
    uint64_t
        paced; /**< rounds before which a worker waited for one that was behind it; order fifo */
    /** Of live kernels, all 0 with others: times that a worker popped something, looked and found nothing, popped from a queue of
     *  another block; the most items that a queue of a device held; queues of each device. */
    uint64_t pops, empty_pops, steals;
    uint32_t queue_high, queues;
    /** Items that a thread of a host device processed in the round in which it made them (WEIR_FUSE_ITEMS): they are among those
     *  produced, consumed and processed. */
    uint64_t fused;
    /** Times that a thread of a host device put the items that it had kept where all threads of the device find them: additions
     *  to a word that they share. Of breadth-first search in step too. */
    uint64_t flushes;
    /** 1: lanes read tiles along lines (weir_worklist_config.lines); else 0. */
    uint64_t lines;
    /** Items of narrow rounds that were processed by padded rows (operator.h). */
    uint64_t by_rows;
    /** Narrow rounds that handed out what became near as the threshold rose, and rises while near items were left; order soft on one
     *  device. */
    uint64_t hand_outs, early_raises;
} weir_worklist_stats;
/** weir_worklist_stats: nothing filled in yet. */
#define WEIR_WORKLIST_STATS_INIT                                                                   \
    {                                                                                              \
        sizeof(weir_worklist_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, WEIR_ROUTE_AUTO,     \
            WEIR_ORDER_AUTO, 0, WEIR_KERNEL_AUTO, WEIR_WORKER_AUTO, 0, WEIR_MAPPING_AUTO, 0, 0, 0, \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                                  \
    }

typedef struct weir_worklist weir_worklist; /**< long-lived */

/** Build a worklist: queues and channels on every worker's device; with discrete kernels a router and links.
 *  @param[in] source   where seeds are sent from, an endpoint of the same context (the home
 * device).
 *  @param[in] workers  @p count endpoints on the first devices of the context, worker i on device i; they
 *                      outlive the worklist. Devices behind the last one take no part.
 *  @param[in] op       outlives the worklist.
 *  @retval WEIR_ERR_NOMEM    a device's pool cannot give the queues.
 *  @retval WEIR_ERR_INVALID  workers that are not the context's first devices, or sizes out of range: of the
 *                            configuration, or of items, packed items and states (docs/operators.md, Limits).
 *  @retval WEIR_ERR_UNSUPPORTED  a choice that would have no effect, which the detail names: a mapping where a worker
 *                    is a thread, mapping block or a group of more than 32 lanes where it is a warp, a group without
 *                    mapping group, a delta without order soft, queues without kernel live; or one that the devices or
 *                    the operator's kernels do not have, or that kernel live cannot serve (order soft or bulk). */
weir_status weir_worklist_create(weir_endpoint *source, weir_endpoint *const *workers,
                                 uint32_t count, const weir_operator *op,
                                 const weir_worklist_config *config, weir_worklist **worklist_out);

/** The queue that a worker's kernels run in: what a program puts into it before a run is done before the run's
 *  kernels begin, what it puts there afterwards follows them. The worklist's; NULL: no such worker. */
weir_queue *weir_worklist_queue(const weir_worklist *worklist, uint32_t worker);

/** Set the operator's state for one worker: op->state_bytes, copied. Before every run in which it
 *  changed. */
weir_status weir_worklist_bind(weir_worklist *worklist, uint32_t worker, const void *state);

/** Add packed items that the next run starts with. They arrive like all others, by on_receive.
 *  @param[in] owner  the worker that owns them; one that does not has to PASS them on (on_receive).
 *  @param[in] wires  @p count items of op->wire_bytes in host memory, copied; at most 2^30 a worker and run.
 *  @retval WEIR_ERR_INVALID  no such worker, or too many.  @retval WEIR_ERR_NOMEM */
weir_status weir_worklist_seed(weir_worklist *worklist, uint32_t owner, const void *wires,
                               uint32_t count);

/** Let the next run begin with a seed for each number below @p count, besides other seeds: the operator makes them on
 *  the worker's device (NAME_seed in operator.h), so that nothing is copied. A later call takes the place of an
 *  earlier one.
 *  @param[in] count  at most 2^31; 0: none.
 *  @retval WEIR_ERR_INVALID  no such worker, or too many.
 *  @retval WEIR_ERR_UNSUPPORTED  the operator has no NAME_seed. */
weir_status weir_worklist_seed_numbers(weir_worklist *worklist, uint32_t owner, uint32_t count);

/** Run until every item is consumed. @param[in,out] stats_out  begins as WEIR_WORKLIST_STATS_INIT; may be NULL.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE, WEIR_ERR_NOMEM (the spill bound),
 *          WEIR_ERR_INVALID (an item that was passed to its own worker or to none) stopped;
 *          weir_error_detail() ends in the dump, and only destroying it is possible then.
 */
weir_status weir_worklist_run(weir_worklist *worklist, weir_worklist_stats *stats_out);

/** Why runs go as they do: of what the library picked when the object was made. NULL: it was asked for, or there is no such
 *  choice. Texts are static, or the object's. */
typedef struct weir_worklist_reasons {
    size_t size; /**< sizeof(weir_worklist_reasons), set by WEIR_WORKLIST_REASONS_INIT */
    const char *route;
    const char *order;
    const char *kernel;
} weir_worklist_reasons;
/** weir_worklist_reasons: nothing filled in yet. */
#define WEIR_WORKLIST_REASONS_INIT                      \
    {                                                   \
        sizeof(weir_worklist_reasons), NULL, NULL, NULL \
    }
/** What runs will say was picked, before there is one: route, order, kernel, worker, fetch, mapping, group, cut and queues.
 *  delta is the width that the first step has with order soft; all else is 0.
 *  @param[in,out] picked_out   begins as WEIR_WORKLIST_STATS_INIT.
 *  @param[in,out] reasons_out  begins as WEIR_WORKLIST_REASONS_INIT; may be NULL. Texts stay as long as the worklist.
 *  @retval WEIR_ERR_INVALID  no picked_out, or a structure whose size no version has.
 *  @par Threads  not beside a run; beside another such call, yes.
 *  @par Blocks  no. */
weir_status weir_worklist_explain(const weir_worklist *worklist, weir_worklist_stats *picked_out,
                                  weir_worklist_reasons *reasons_out);

/** Items that the last run sent over the link from worker @p from to worker @p to; 0 for pairs that the
 *  route has no link between, and before the first run. @retval WEIR_ERR_INVALID  no such worker. */
weir_status weir_worklist_link_items(const weir_worklist *worklist, uint32_t from, uint32_t to,
                                     uint64_t *items_out);

/** Stop a run, or the next one; it returns WEIR_ERR_CANCELLED. Any thread. */
void weir_worklist_cancel(weir_worklist *worklist);

/** Shuts the links down, drains and frees. NULL is fine. @par Blocks  until kernels have ended. */
void weir_worklist_destroy(weir_worklist *worklist);

#ifdef __cplusplus
}
#endif
#endif
