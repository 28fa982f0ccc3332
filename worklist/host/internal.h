/** @file internal.h  The worklist's own structs. Included in worklist/ only. */
#ifndef WEIR_WORKLIST_HOST_INTERNAL_H
#define WEIR_WORKLIST_HOST_INTERNAL_H

#include "runtime/internal.h"
#include "worklist/engine/decider.h"
#include "worklist/host/notes.h"
#include "worklist/operator.h"
#include "worklist/worklist.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- wakeup.c ------------------------------------------------------------------------------------ */

/** Wakes a worker's thread when something arrived, or when the state of the run changed. Several signals before the thread
 *  looks wake it once. */
struct wakeup {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int signalled;
};

/* ---- send.c: items that the kernels of a discrete worker stored for a next hop -------------------- */

struct send {
    weir_future *done;
    uint32_t items;
};

/** A channel to a next hop: a ring in the worker's own memory that the host sends from. */
struct hop {
    uint32_t sent;       /* slots handed to the link */
    uint32_t credit;     /* slots whose items have left */
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
    int zeroed;           /* chunks are 0 at first */
    pthread_mutex_t lock; /* guards what follows; kernels of host devices take it */
    uint64_t used;
    char why[256]; /* no more was given */
    struct spilling bag[WEIR_SPILLING_BAGS];
};

/** @param[in] element_bytes  of each bag that spills; 0: it does not. */
weir_status weir__spill_create(struct spill *spill, weir_device *home, uint64_t bytes,
                               const uint32_t *element_bytes);
void weir__spill_destroy(struct spill *spill);
/** Take all chunks back. No kernel runs. */
void weir__spill_empty(struct spill *spill);
/** Give the chunks that kernels of a GPU wait for. Called every few milliseconds by the thread that waits for the kernels. */
void weir__spill_tend(struct spill *spill);
/** Give no more chunks: the run has failed, and lanes that wait for one have to go on to the end of the round. Any thread. */
void weir__spill_refuse(struct spill *spill);
/** The members of a bag that say where it spills to; the other members are 0. */
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
    weir_queue *stop_queue; /* of a GPU: for the stop word while a kernel runs */
    weir_event *done;

    /* One piece of the device's memory: a *bank* of words, which is the control words and, unless they lie in host memory, behind
     * them the mail and, with the first worker, the statuses of all. Resident kernels have two banks, one for every other run,
     * and behind them what each is reset to: a kernel resets the bank of the next run. */
    char *words;
    struct weir_control *control; /* of the present run */
    struct weir_mail *mail;       /* of the present run */
    /* A bank in page-locked host memory: what runs begin with is copied from here; behind a kernel the control words come
     * back. */
    struct weir_control *image;
    /* Fused, in the device's memory, for runs with each of the banks: what their kernels reset before anything else. */
    struct weir_reset *reset[2];
    uint32_t resets;
    uint32_t *stop; /* page-locked: the stop word is copied from here */
    void *bags[WEIR_BAGS];
    struct spill spill;
    void *bounds; /* of the tiles of near items; device memory; NULL: no round is narrow */
    void *channel_in[WEIR_DEVICES_MAX];   /* fused: rings that the worker receives in */
    uint64_t *woven_in[WEIR_DEVICES_MAX]; /* of each source: its woven rings */
    uint32_t
        woven_rings; /* of each channel, the same of all workers; 0: rounds are not narrow, or there is one worker */
    /* Live: the device's queues and channels, with the words of its queues behind them; marks of all its queues; and the credit
     * that receivers give it, which lies where channels do. */
    struct weir_live *live;
    void *live_marks;
    uint32_t *live_credit;
    uint32_t live_queues, live_room_log;              /* of each queue, as a power of two */
    void *channel_out[WEIR_DEVICES_MAX];              /* discrete: rings that the host sends from */
    uint32_t hops[WEIR_DEVICES_MAX], hop_count;       /* workers that it sends to */
    uint32_t sources[WEIR_DEVICES_MAX], source_count; /* workers that send to it; fused */
    /* Channels whose packed items each warp stages in the block's own memory. */
    uint32_t stage_channels;
    unsigned char *args;       /* struct weir_engine_args, then the operator's state */
    struct kernel_notes notes; /* fused, once a trace was on */

    /* Discrete. */
    pthread_t thread;
    struct wakeup wakeup;
    weir_link *in, *out; /* from the router, to the router */
    struct hop *hop;
    weir_pending **held; /* receives taken from the link, oldest first; a ring of `buffers` */
    uint64_t held_head, held_tail;
    uint32_t turn;
    int came;         /* slots came back since the last kernel began */
    uint32_t numbers; /* that seeds are still to be made of */
    uint32_t
        *published; /* kernels store tails and epochs here; only the ledger's copies are read */
};

struct weir_worklist {
    weir_context *context;
    const weir_operator *op;
    weir_worklist_config config; /* with what was picked in place of auto */
    weir_route_plan routes;
    const char *why_order, *why_kernel; /* NULL: asked for */
    uint32_t packet_items, buffers;
    uint32_t queue_items, channel_items;
    uint32_t fuse; /* weir_engine_args.fuse, where that makes sense */
    uint32_t cut; /* a longer tile is cut in any case: a set of tiles counts its atoms in 32 bits */
    int lines;    /* of config.lines, where it has an effect */
    uint32_t cut_least; /* the same on a GPU, in rounds of few items */
    int cuts;           /* tiles are cut so that all warps have about the same work */
    uint32_t tile_atoms;
    int home_words; /* words that several workers write and read lie in host memory */
    uint64_t delay; /* a test delays the tails of channels */
    weir_endpoint *source;
    weir_router *router; /* discrete */
    weir_link *seed_link;
    uint32_t count;
    struct worker *workers;
    struct weir_status_words *statuses; /* one a worker; of the present run */
    uint32_t bank;                      /* of words, of the present run: 0 or 1 */
    weir_worklist_fill *fills;          /* config.fills, copied */

    struct seeds {
        char *wires; /* page-locked while a run needs it; a power of two of room */
        uint32_t count, room;
        uint32_t numbers; /* that the operator makes more of */
    } seeds[WEIR_DEVICES_MAX];

    pthread_mutex_t order_lock;                     /* discrete: one worker at a time coordinates */
    uint32_t epoch, width_sum, width_count, raises; /* under it */
    struct weir_work_order order;                   /* under it */
    _Atomic uint32_t told; /* epoch of the last command that was sent to all */
    _Atomic int done;      /* the run is over; all workers read it */

    pthread_mutex_t state_lock; /* guards all below */
    pthread_cond_t state_changed;
    uint32_t running; /* worker threads that have not ended */
    weir_status status;
    char *detail;     /* the sentence of the failure */
    _Atomic int stop; /* status is set; a relaxed read that is late only delays the end */
    uint64_t start_ns, end_ns;
};

/* ---- choose.c, sizes.c, memory.c, begin.c --------------------------------------------------------- */

/** Pick a value for each member of list->config that is auto, or refuse one that is impossible. */
weir_status weir__worklist_choose(struct weir_worklist *list);
/** Whether one kernel a device stays until the run is over: fused or live. */
int weir__worklist_resident(const struct weir_worklist *list);
/** Whether that kernel has no rounds. */
int weir__worklist_live(const struct weir_worklist *list);
/** Whether all pairs of workers reach each other of which one sends to the other, or one coordinates (the first does). */
int weir__worklist_all_reach(const struct weir_worklist *list);
/** How many tiles are fetched at a time where there are few: so many that each lane of a warp has an atom.
 *  @param[in] warps  of a block; @param[in] lanes  of a warp. */
void weir__worklist_fetch(const struct weir_worklist *list, uint32_t warps, uint32_t lanes,
                          struct weir_engine_args *args);
/** Find out from the route plan which worker sends to which. */
void weir__worklist_wire(struct weir_worklist *list);
/** Find out which channels workers stage; refuse items that no block has room for. After weir__worklist_wire(). */
weir_status weir__worklist_sizes(struct weir_worklist *list);
/** Allocate the bags, channels and words of all workers. Memory that others reach is allocated before words that point to
 *  it. */
weir_status weir__worklist_allocate(struct weir_worklist *list);
void weir__worklist_free(struct weir_worklist *list);
/** Elements of a bag in device memory. @param[out] bytes_out  of each element. */
uint32_t weir__worklist_bag_room(const struct weir_worklist *list, uint32_t bag,
                                 uint32_t *bytes_out);
/** Items of a narrow round at most: what 16 bits of its word count. */
#define WEIR_NARROW_MOST 65535u
/** Bytes of a kernel's arguments. */
size_t weir__worklist_args_bytes(const struct weir_worklist *list);
/** A bank of words of a worker, and where the mail and the statuses lie in it; in bytes. */
size_t weir__worklist_words_bytes(const struct worker *worker);
size_t weir__worklist_mail_at(void);
size_t weir__worklist_statuses_at(void);
/** Bytes of the woven rings of a channel (engine/woven.h). */
size_t weir__worklist_woven_bytes(const struct worker *worker);
/** From now on all workers use this bank of words. */
void weir__worklist_use_bank(struct weir_worklist *list, uint32_t bank);
/** Check and copy config.fills. */
weir_status weir__worklist_keep_fills(struct weir_worklist *list);
/** Once, before the first run: both banks of words of resident kernels, and what these reset. */
weir_status weir__worklist_prepare(struct weir_worklist *list);
/** Before a run. With resident kernels all words have their first values already, and a device alone is not called. Otherwise
 *  all words, and what is to be filled, are there when this returns. */
weir_status weir__worklist_reset(struct weir_worklist *list);
/** How wide the first step of a run is with order soft, at least 1: as asked for, or what the operator hints at, shared out. */
uint32_t weir__worklist_delta(const struct weir_worklist *list);
/** Tests only: in the runs to come, publish the tails of channels only in some decisions, at random.
 *  @param[in] seed  0: no longer. */
void weir__worklist_delay(struct weir_worklist *list, uint64_t seed);

/* ---- run.c, stats.c ------------------------------------------------------------------------------ */

/** End the run: the first failure stays, with the calling thread's sentence. Any thread. */
void weir__worklist_fail(struct weir_worklist *list, weir_status status);
/** Whether a failure was reported. */
int weir__worklist_failed(struct weir_worklist *list);
/** Have the program put its work behind a worker's kernels (weir_worklist_config.behind). */
weir_status weir__worklist_behind(const struct worker *worker);
/** Turn the reason for which a kernel ended into a status with a sentence. */
weir_status weir__worklist_end(const struct worker *worker);
void weir__worklist_sum(const struct weir_worklist *list, weir_worklist_stats *out);
/** The dump: one line of counters and queue lengths a worker. Workers have stopped. */
void weir__worklist_dump(const struct weir_worklist *list, char *text, size_t room);

/* ---- live.c -------------------------------------------------------------------------------------- */

/** Refuse what live kernels cannot serve. */
weir_status weir__live_check(const struct weir_worklist *list);
/** How many queues each worker has, and how large they are. */
weir_status weir__live_choose(struct weir_worklist *list);
/** Allocate a worker's queues. */
weir_status weir__live_allocate(struct worker *worker);
/** Bytes of a channel's ring with its marks, and where the marks begin. */
size_t weir__live_ring_bytes(const struct weir_worklist *list, size_t *marks_at_out);
/** Once, when all workers have their memory: what says where queues and channels lie. */
weir_status weir__live_prepare(struct weir_worklist *list);
void weir__live_free(struct worker *worker);
/** What a live run adds to the statistics of a worker. */
void weir__live_sum(const struct worker *worker, weir_worklist_stats *out);

/* ---- fused.c, discrete.c, round.c, send.c, wakeup.c ---------------------------------------------- */

/** Run with resident kernels. */
void weir__fused_run(struct weir_worklist *list);

/** Router, links and what rounds need. */
weir_status weir__discrete_create(struct weir_worklist *list);
void weir__discrete_destroy(struct weir_worklist *list);
/** Run with a thread and a kernel a round for each worker; status and times are left in @p list. */
void weir__discrete_run(struct weir_worklist *list);
void weir__discrete_wake_all(struct weir_worklist *list);

/** One round. @param[out] worked_out  0 if there was nothing to do. */
weir_status weir__round(struct worker *worker, int *worked_out);
/** Whether the worker keeps items that it could not hand to the link yet. */
int weir__round_holds(const struct worker *worker);
/** Release the packets that were received but not processed; after a cancel or a shutdown. */
void weir__round_release_held(struct worker *worker);

/** Free the slots of items that have left, and send items that were stored.
 *  @param[out] came_out  set if slots became free. */
weir_status weir__sends_progress(struct worker *worker, int *came_out);
/** Whether items are stored that could not be sent yet. */
int weir__sends_waiting(const struct worker *worker);
/** Wait for all sends that are under way. */
void weir__sends_finish(struct worker *worker);

void weir__wakeup_init(struct wakeup *wakeup);
void weir__wakeup_destroy(struct wakeup *wakeup);
/** @param[in] wakeup  a struct wakeup; links call this. Any thread. */
void weir__wakeup_signal(void *wakeup);
/** Wait until it is signalled, or return at once if it was since the last wait. @p timeout_us negative: without limit. */
void weir__wakeup_wait(struct wakeup *wakeup, int64_t timeout_us);

/* ---- traced.c: what a trace is told of a run --------------------------------------------------------- */

/** Before a run, behind its words: resident kernels are given memory to note their phases in, if a trace is on. */
void weir__traced_begin(struct weir_worklist *list);
/** Behind a resident kernel: what it notes comes back. Nothing is put into the queue if no trace was on before. */
weir_status weir__traced_behind(struct worker *worker);
/** After it: what they noted, what went over the links, and the run. */
void weir__traced_end(struct weir_worklist *list);

#endif
