/** @file internal.h  The worklist's own structs. Included in worklist/ only.
 *
 * One host thread drives each worker; all of struct worker but `shared` belongs to that thread
 * while a run is on, and to the thread that runs or destroys the worklist otherwise (thread start
 * and join order the two). */
#ifndef WEIR_WORKLIST_INTERNAL_H
#define WEIR_WORKLIST_INTERNAL_H

#include "runtime/internal.h"
#include "worklist/operator.h"
#include "worklist/worklist.h"

#include <pthread.h>
#include <stdatomic.h>

#define NO_PRIORITY UINT32_MAX

/* ---- spill.c: items that found no room on the device, in host memory, first in first out ----- */

struct spill {
    struct chunk *first, *last;
    uint64_t items;
};

/* ---- ring.c: a queue of items in device memory, filled by kernels, kept track of by the host ---
 */

struct ring {
    char *slots;
    uint32_t item_bytes;
    uint32_t capacity; /* a power of two */
    uint64_t head, tail;
    struct spill spill;
};

/* ---- lane.c: packed items for one next hop ----------------------------------------------------
 */

struct lane_buffer {
    char *data;
    weir_future *sending; /* until it completes the buffer belongs to the link */
};

struct lane {
    uint32_t hop; /* the worker the lane leads to */
    struct lane_buffer *buffers;
    uint32_t current; /* the buffer that kernels append to; never one that is being sent */
    uint32_t used;    /* items in it */
    struct spill spill;
};

/* ---- bell.c -----------------------------------------------------------------------------------
 */

/** Wakes a worker's thread: something arrived, or the state of the run changed. Rings coalesce. */
struct bell {
    pthread_mutex_t lock;
    pthread_cond_t rang;
    int rung;
};

/* ---- workers ----------------------------------------------------------------------------------
 */

struct worker {
    struct weir_worklist *list;
    uint32_t index;
    weir_endpoint *endpoint;
    weir_device *device;
    weir_queue *queue;
    weir_link *in, *out; /* from the router, to the router */
    weir_event *round_done;
    pthread_t thread;
    struct bell bell;

    struct ring near, far;
    struct lane *lanes;
    uint32_t lane_count;
    uint8_t lane_of[WEIR_DEVICES_MAX];
    void *strands;
    uint32_t stranded; /* strands that hold something */
    struct weir_work_counters *device_counters, *host_counters;
    weir_pending **held; /* receives taken from the link, oldest first; a ring of `buffers` */
    uint64_t held_head, held_tail;
    uint64_t spilled_bytes; /* held in spills now */

    uint32_t epoch;        /* of the threshold that the deferred queue was last released under */
    uint64_t release_left; /* deferred items that this epoch has not looked at */
    uint64_t released;     /* items that left the deferred queue; only grows */
    uint32_t far_min;      /* no deferred item is more urgent */
    uint32_t pass_min;     /* the same, of those this epoch has put back */

    weir_worklist_stats stats;
    struct shared { /* written by the worker's thread, read by all; seq_cst, see quiet.c */
        _Atomic uint64_t produced, consumed, parked, released;
        _Atomic uint32_t far_min;
        _Atomic uint32_t epoch;
    } shared;
    unsigned char *args; /* struct weir_work_args, then the operator's state */
};

struct weir_worklist {
    weir_context *context;
    const weir_operator *op;
    weir_worklist_config config;
    weir_route_plan plan;
    int several_hops; /* what arrives may have to go on */
    weir_order_kind order;
    uint32_t packet_items, buffers;
    uint32_t queue_items;
    uint64_t spill_bound;
    weir_endpoint *source;
    weir_router *router;
    weir_link *seed_link;
    uint32_t count;
    struct worker *workers;

    struct seeds {
        char *wires; /* page-locked while a run needs it */
        uint32_t count, room;
    } seeds[WEIR_DEVICES_MAX];
    _Atomic uint64_t seeded; /* counts as produced; seq_cst */

    _Atomic uint32_t threshold; /* written before epoch, read after it; seq_cst */
    _Atomic uint32_t epoch;     /* grows with each raise */
    _Atomic int done;           /* seen by all workers at their next look; seq_cst */
    pthread_mutex_t order_lock; /* guards raising: delta, raises, processed_before, end_ns */
    uint32_t delta;
    uint64_t raises, processed_before;
    uint64_t end_ns;

    pthread_mutex_t state_lock; /* guards all below */
    pthread_cond_t state_changed;
    uint32_t running; /* worker threads that have not ended */
    weir_status status;
    char *detail;     /* the sentence of the failure */
    _Atomic int stop; /* status is set; relaxed reads only hurry */
};

/** End the run: the first failure stays, with the calling thread's sentence. Any thread. */
void weir__worklist_fail(struct weir_worklist *list, weir_status status);
void weir__worklist_ring_all(struct weir_worklist *list);

void weir__bell_init(struct bell *bell);
void weir__bell_destroy(struct bell *bell);
void weir__bell_ring(void *bell);
/** Wait until it was rung since the last wait. @p timeout_us negative: without limit. */
void weir__bell_wait(struct bell *bell, int64_t timeout_us);

/** Move @p count items from device memory into the spill; waits for the copy.
 *  @retval WEIR_ERR_NOMEM  over WEIR_SPILL_BYTES. */
weir_status weir__spill_push(struct worker *worker, struct spill *spill, const char *items,
                             uint32_t count, uint32_t item_bytes);
/** Move up to @p count of its first items to device memory; waits for the copy. */
weir_status weir__spill_pop(struct worker *worker, struct spill *spill, char *items, uint32_t count,
                            uint32_t item_bytes, uint32_t *moved_out);
void weir__spill_drop(struct worker *worker, struct spill *spill);

weir_status weir__ring_create(struct worker *worker, struct ring *ring, uint32_t capacity,
                              uint32_t item_bytes);
void weir__ring_destroy(struct worker *worker, struct ring *ring);
uint32_t weir__ring_count(const struct ring *ring);
uint32_t weir__ring_room(const struct ring *ring);
/** Spill the newest items until half the ring is free, if less than a quarter or @p need is. */
weir_status weir__ring_make_room(struct worker *worker, struct ring *ring, uint32_t need);
/** Spill the newest @p count items if older ones are spilled already, so that they stay in order. */
weir_status weir__ring_keep_order(struct worker *worker, struct ring *ring, uint32_t count);
/** Bring spilled items back until half the ring is used. */
weir_status weir__ring_refill(struct worker *worker, struct ring *ring);

weir_status weir__lanes_create(struct worker *worker);
void weir__lanes_destroy(struct worker *worker);
/** Take back buffers that were sent, move spilled items up, send what there is. */
weir_status weir__lanes_flush(struct worker *worker);
/** Spill a lane's items if it has no room for @p need. */
weir_status weir__lane_make_room(struct worker *worker, struct lane *lane, uint32_t need);
uint32_t weir__lane_room(const struct worker *worker, const struct lane *lane);
/** Whether some lane holds items that could not be sent yet. */
int weir__lanes_waiting(const struct worker *worker);

/** One round of kernels. @param[out] worked_out  0 if there was nothing to do. */
weir_status weir__round(struct worker *worker, int *worked_out);
/** Drop receives that were taken; after a cancel or a shutdown. */
void weir__round_release_held(struct worker *worker);

/** Called by a worker with nothing to do: ends the run, or raises the threshold, if all have
 *  nothing to do. @return non-zero if it changed something. */
int weir__quiet_check(struct weir_worklist *list);
void weir__quiet_publish(struct worker *worker);

/** The dump: one line of counters and queue lengths a worker. Workers have stopped. */
void weir__worklist_dump(const struct weir_worklist *list, char *text, size_t room);

#endif
