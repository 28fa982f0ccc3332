/** @file worklist.h  Distributed worklists: work items that find their device (Groute 4.3, 4.4).
 *
 * A worklist joins *workers* (endpoints on devices) over one router. Work items wait in each
 * worker's queue; a round of kernels takes them, runs the *operator* on each, and the items that
 * come out go to the worker's own queue or, packed, over the router to the device that owns them.
 * It ends when every item produced was consumed.
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
 * weir_worklist_run() blocks; it starts one host thread for each worker. */
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
    const char *name;
    uint32_t item_bytes;   /**< a work item in a worker's queue */
    uint32_t wire_bytes;   /**< a packed item on a link */
    uint32_t state_bytes;  /**< the operator's state of one device, passed to kernels by value */
    uint32_t strand_bytes; /**< what a worker group keeps when a queue is full */
    weir_kernel process;   /**< take items, run the operator on their atoms, place what comes out */
    weir_kernel receive;   /**< place packed items that arrived */
    weir_kernel release;   /**< place deferred items again under a new threshold */
} weir_operator;

/** In which order a worker takes items. */
typedef enum weir_order_kind {
    WEIR_ORDER_AUTO = 0, /**< fifo on one device, soft on several */
    WEIR_ORDER_FIFO,     /**< as items come */
    WEIR_ORDER_SOFT      /**< items under an agreed threshold first (soft priority, Groute 4.4) */
} weir_order_kind;

/** "auto", "fifo", "soft"; NULL for anything else. Static storage. */
const char *weir_order_kind_text(weir_order_kind kind);

/** How a worklist is made; zero in a field is its default. */
typedef struct weir_worklist_config {
    size_t size; /**< sizeof(weir_worklist_config), set by WEIR_WORKLIST_CONFIG_INIT */
    weir_route_kind route;
    weir_order_kind order;
    uint32_t delta; /**< step of the soft threshold, in priorities; 0: found while running */
    uint32_t time_limit_ms; /**< of one run; 0: none */
    uint64_t queue_items;   /**< a worker's queue, rounded up to a power of two, at least 16;
                                 0: WEIR_QUEUE_ITEMS, or 65536 where that is 0 too */
    uint32_t packet_items;  /**< items of a packet, at most half a queue; 0: by WEIR_PACKET_BYTES */
} weir_worklist_config;
/** Defaults of weir_worklist_config. */
#define WEIR_WORKLIST_CONFIG_INIT                                                  \
    {                                                                              \
        sizeof(weir_worklist_config), WEIR_ROUTE_AUTO, WEIR_ORDER_AUTO, 0, 0, 0, 0 \
    }

/** What a run did, summed over the workers; a plain value. */
typedef struct weir_worklist_stats {
    double ms;             /**< from the first seed sent to the end seen */
    uint64_t produced;     /**< items that came into being, seeds too */
    uint64_t consumed;     /**< items processed or merged; equals produced after a run */
    uint64_t processed;    /**< items taken from a queue by the operator, stale ones too */
    uint64_t sent;         /**< items handed to a link; a ring counts every hop */
    uint64_t spilled;      /**< items that went through host memory because a queue was full */
    uint64_t deferred;     /**< items parked above the threshold at least once */
    uint64_t rounds;       /**< rounds of kernels, summed over workers */
    uint64_t raises;       /**< times the threshold was raised */
    weir_route_kind route; /**< what was picked */
    weir_order_kind order;
    uint32_t delta; /**< the last step of the threshold; 0 with fifo */
} weir_worklist_stats;

typedef struct weir_worklist weir_worklist; /**< long-lived */

/** Build a worklist: a router, links, queues and buffers on every worker's device.
 *  @param[in] source   where seeds are sent from, an endpoint of the same context (the home
 * device).
 *  @param[in] workers  @p count endpoints on the devices of the context, worker i on device i; they
 *                      outlive the worklist.
 *  @param[in] op       outlives the worklist.
 *  @retval WEIR_ERR_NOMEM    a device's pool cannot give the queues.
 *  @retval WEIR_ERR_INVALID  workers that are not the context's devices, or sizes out of range. */
weir_status weir_worklist_create(weir_endpoint *source, weir_endpoint *const *workers,
                                 uint32_t count, const weir_operator *op,
                                 const weir_worklist_config *config, weir_worklist **worklist_out);

/** Set the operator's state for one worker: op->state_bytes, copied. Before every run in which it
 *  changed. */
weir_status weir_worklist_bind(weir_worklist *worklist, uint32_t worker, const void *state);

/** Add packed items that the next run starts with. Through the router, like all others.
 *  @param[in] owner  the worker that owns them; over a direct route one that is wrong fails the run.
 *  @param[in] wires  @p count items of op->wire_bytes in host memory, copied. */
weir_status weir_worklist_seed(weir_worklist *worklist, uint32_t owner, const void *wires,
                               uint32_t count);

/** Run until every item is consumed. @param[out] stats_out  may be NULL.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE, WEIR_ERR_NOMEM (the spill bound)
 *          stopped; weir_error_detail() ends in the dump, and only destroying it is possible then.
 */
weir_status weir_worklist_run(weir_worklist *worklist, weir_worklist_stats *stats_out);

/** Stop a run, or the next one; it returns WEIR_ERR_CANCELLED. Any thread. */
void weir_worklist_cancel(weir_worklist *worklist);

/** Shuts the links down, drains and frees. NULL is fine. @par Blocks  until kernels have ended. */
void weir_worklist_destroy(weir_worklist *worklist);

#ifdef __cplusplus
}
#endif
#endif
