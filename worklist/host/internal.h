/** @file internal.h  The worklist's own structs. Included in worklist/ only. */
#ifndef WEIR_WORKLIST_HOST_INTERNAL_H
#define WEIR_WORKLIST_HOST_INTERNAL_H

#include "runtime/internal.h"
#include "worklist/engine/decider.h"
#include "worklist/operator.h"
#include "worklist/worklist.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- bell.c -----------------------------------------------------------------------------------
 */

/** Wakes a worker's thread: something arrived, or the state of the run changed. Rings coalesce. */
struct bell {
    pthread_mutex_t lock;
    pthread_cond_t rang;
    int rung;
};

/* ---- send.c: what a discrete worker's kernels stored for a next hop, on its way over the router --- */

struct send {
    weir_future *done;
    uint32_t items;
};

/** A lane to a next hop: a ring in the worker's own memory that the host sends from. */
struct hop {
    uint32_t sent;       /* slots handed to the link */
    uint32_t credit;     /* slots that have left */
    struct send *sends;  /* under way, oldest first; a ring of `buffers` */
    uint64_t head, tail; /* of sends */
};

/* ---- spill.c: host memory behind a worker's bags ------------------------------------------------- */

/** Bags that spill: near, far, held; two each. They are the first ones. */
#define WEIR_SPILLING_BAGS 6u

struct spill;
struct spilling {
    struct spill *spill;
    struct weir_spill *words; /* in home memory; NULL: the bag does not spill */
    uint64_t chunk_bytes;
    uint32_t chunk_log;   /* elements of a chunk, as a power of two */
    uint32_t given, most; /* chunks; under the lock while kernels run */
};
struct spill {
    weir_device *home;    /* NULL: not placed */
    uint64_t bytes;       /* of all chunks at most */
    pthread_mutex_t lock; /* guards what follows; kernels of host devices take it */
    uint64_t used;
    char why[256]; /* no more was given */
    struct spilling bag[WEIR_SPILLING_BAGS];
};

/** @param[in] element_bytes  of each bag that spills; 0: it does not. */
weir_status weir__spill_place(struct spill *spill, weir_device *home, uint64_t bytes,
                              const uint32_t *element_bytes);
void weir__spill_unplace(struct spill *spill);
/** Take all chunks back. No kernel runs. */
void weir__spill_empty(struct spill *spill);
/** Give what kernels of a GPU wait for. The thread that waits for them, every few milliseconds. */
void weir__spill_tend(struct spill *spill);
/** Give no more: the run has failed, and who waits is to go on to the end of the round. Any thread. */
void weir__spill_refuse(struct spill *spill);
/** What a bag knows of where it spills to; the rest is 0. */
struct weir_bag weir__spill_bag(const struct spill *spill, uint32_t bag);

/* ---- workers ----------------------------------------------------------------------------------
 */

/** One worker. Belongs to the thread that builds, runs and destroys the worklist; while a run with
 *  discrete kernels is on, to the worker's own thread (thread start and join order the two). */
struct worker {
    struct weir_worklist *list;
    uint32_t index;
    weir_endpoint *endpoint;
    weir_device *device;
    weir_queue *queue;
    weir_queue *side; /* of a GPU: for the stop word while a kernel runs */
    weir_event *done;

    struct weir_control *control; /* in the device's memory */
    struct weir_control *image;   /* the same in host memory, before and after kernels */
    struct weir_mail *mail;
    void *bags[WEIR_BAGS];
    struct spill spill;
    void *bounds; /* beside the near bags; device memory; NULL: no round is narrow */
    void *lane_in[WEIR_DEVICES_MAX];                  /* fused: rings that the worker receives in */
    void *lane_out[WEIR_DEVICES_MAX];                 /* discrete: rings that the host sends from */
    uint32_t hops[WEIR_DEVICES_MAX], hop_count;       /* whom it sends to */
    uint32_t sources[WEIR_DEVICES_MAX], source_count; /* who sends to it; fused */
    uint32_t stage_lanes; /* lanes whose packed items each warp stages in the block's own memory */
    unsigned char *args;  /* struct weir_engine_args, then the operator's state */

    /* Discrete. */
    pthread_t thread;
    struct bell bell;
    weir_link *in, *out; /* from the router, to the router */
    struct hop *hop;
    weir_pending **held; /* receives taken from the link, oldest first; a ring of `buffers` */
    uint64_t held_head, held_tail;
    uint32_t turn;
    int came;            /* slots came back since the last kernel began */
    uint32_t numbers;    /* that seeds are still to be made of */
    uint32_t *published; /* where the kernels' tails and epochs go: nobody looks there */
};

struct weir_worklist {
    weir_context *context;
    const weir_operator *op;
    weir_worklist_config config; /* with what was picked in place of auto */
    weir_route_plan plan;
    uint32_t packet_items, buffers;
    uint32_t queue_items, lane_items;
    uint32_t cut; /* a longer tile is cut in any case: a set of tiles counts its atoms in 32 bits */
    int cuts;     /* tiles are cut so that work is even */
    uint32_t tile_atoms;
    int home_words; /* what several workers write and read lies in host memory */
    uint64_t delay; /* a test delays what is handed on */
    weir_endpoint *source;
    weir_router *router; /* discrete */
    weir_link *seed_link;
    uint32_t count;
    struct worker *workers;
    struct weir_status_words *statuses; /* one a worker */

    struct seeds {
        char *wires; /* page-locked while a run needs it; a power of two of room */
        uint32_t count, room;
        uint32_t numbers; /* that the operator makes more of */
    } seeds[WEIR_DEVICES_MAX];

    pthread_mutex_t order_lock;                     /* discrete: one worker at a time coordinates */
    uint32_t epoch, width_sum, width_count, raises; /* under it */
    struct weir_work_order order;                   /* under it */
    _Atomic uint32_t told;                          /* epoch of the last command that all have */
    _Atomic int done;                               /* seen by all workers at their next look */

    pthread_mutex_t state_lock; /* guards all below */
    pthread_cond_t state_changed;
    uint32_t running; /* worker threads that have not ended */
    weir_status status;
    char *detail;     /* the sentence of the failure */
    _Atomic int stop; /* status is set; relaxed reads only hurry */
    uint64_t start_ns, end_ns;
};

/* ---- worklist.c, choose.c, sizes.c, memory.c ---------------------------------------------------- */

/** Replace what is auto in list->config, or refuse what cannot be. */
weir_status weir__worklist_choose(struct weir_worklist *list);
/** Whether all rounds run in one kernel. */
int weir__worklist_fused(const struct weir_worklist *list);
/** How many tiles are fetched at a time where there are few: so many that each lane has an atom.
 *  @param[in] warps  of a block; @param[in] lanes  of a warp. */
void weir__worklist_fetch(const struct weir_worklist *list, uint32_t warps, uint32_t lanes,
                          struct weir_engine_args *args);
/** Who sends to whom by the plan. */
void weir__worklist_wire(struct weir_worklist *list);
/** Which lanes workers stage; refuse items that no block has room for. After weir__worklist_wire(). */
weir_status weir__worklist_sizes(struct weir_worklist *list);
/** Bags, lanes and words of all workers. Device memory that others reach comes before what points to it. */
weir_status weir__worklist_place(struct weir_worklist *list);
void weir__worklist_unplace(struct weir_worklist *list);
/** Bytes of a kernel's arguments. */
size_t weir__worklist_args_bytes(const struct weir_worklist *list);
/** Fill in all words of a run that begins, and put them into the devices' memory. */
weir_status weir__worklist_reset(struct weir_worklist *list);
/** Tests only: publish the tails of lanes with a random part of the decisions of the runs to come.
 *  @param[in] seed  0: no longer. */
void weir__worklist_delay(struct weir_worklist *list, uint64_t seed);

/* ---- run.c, stats.c ------------------------------------------------------------------------------ */

/** End the run: the first failure stays, with the calling thread's sentence. Any thread. */
void weir__worklist_fail(struct weir_worklist *list, weir_status status);
/** Whether a failure was reported. */
int weir__worklist_failed(struct weir_worklist *list);
/** Turn the reason that a kernel ended with into a status with a sentence. */
weir_status weir__worklist_end(const struct worker *worker);
void weir__worklist_sum(const struct weir_worklist *list, weir_worklist_stats *out);
/** The dump: one line of counters and queue lengths a worker. Workers have stopped. */
void weir__worklist_dump(const struct weir_worklist *list, char *text, size_t room);

/* ---- fused.c, discrete.c, round.c, send.c, bell.c ---------------------------------------------- */

/** Run with resident kernels. */
void weir__fused_run(struct weir_worklist *list);

/** Router, links and what rounds need. */
weir_status weir__discrete_create(struct weir_worklist *list);
void weir__discrete_destroy(struct weir_worklist *list);
/** Run with a thread and a kernel a round for each worker; status and times are left in @p list. */
void weir__discrete_run(struct weir_worklist *list);
void weir__discrete_ring_all(struct weir_worklist *list);

/** One round. @param[out] worked_out  0 if there was nothing to do. */
weir_status weir__round(struct worker *worker, int *worked_out);
/** Whether the worker keeps items that it could not hand to the link yet. */
int weir__round_holds(const struct worker *worker);
/** Drop receives that were taken; after a cancel or a shutdown. */
void weir__round_release_held(struct worker *worker);

/** Take note of what has left, and send what was stored. @param[out] came_out  slots became free. */
weir_status weir__sends_progress(struct worker *worker, int *came_out);
/** Whether something is stored that could not be sent yet. */
int weir__sends_waiting(const struct worker *worker);
/** Wait for what is under way. */
void weir__sends_finish(struct worker *worker);

void weir__bell_init(struct bell *bell);
void weir__bell_destroy(struct bell *bell);
void weir__bell_ring(void *bell);
/** Wait until it was rung since the last wait. @p timeout_us negative: without limit. */
void weir__bell_wait(struct bell *bell, int64_t timeout_us);

#endif
