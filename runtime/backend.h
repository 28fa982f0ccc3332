/** @file backend.h  What a kind of device must provide. Not installed.
 *
 * One table of functions for each backend; device.c, event.c and queue.c check arguments and call
 * it. Base structs come first in the backend's own (struct host_queue { weir_queue base; ... }).
 * docs/porting-a-backend.md tells how to add one. */
#ifndef WEIR_RUNTIME_BACKEND_H
#define WEIR_RUNTIME_BACKEND_H

#include "runtime/config.h"
#include "runtime/internal.h"
#include "runtime/trace.h"

#include <pthread.h>
#include <stdatomic.h>

#define WEIR__ARGS_MAX \
    4000 /* bytes of kernel arguments; CUDA takes 4 KiB on every architecture \
                             */
#define WEIR__ALIGNMENT 256

typedef struct weir__backend weir__backend;

/** Called when an event or future is complete (or failed), from a thread of the runtime or of who decided the
 *  future, with locks of the layers above held; it must not block. */
typedef void (*weir__notify_fn)(void *user);

/** Somebody who waits; lies in the waiter's own memory, so that waiting cannot fail for want of any. Who has it
 *  in a list takes it out before the call. */
struct weir__waiter {
    struct weir__waiter *next;
    weir__notify_fn fn;
    void *user;
};

/** Whether a device works. */
enum weir__health { WEIR__WORKS, WEIR__FAILING, WEIR__FAILED };

/** What pools take from: a device's own memory, or the host's, which all host devices of a context share. */
struct weir__supply {
    uint64_t bound_bytes;         /* written before the first pool takes any */
    uint64_t found_bytes;         /* free on the GPU then, where the bound was made of that, */
    int found;                    /* which this says */
    _Atomic uint64_t taken_bytes; /* in slabs, at most the bound; relaxed: a count */
    uint32_t pools;               /* that take from it; written while devices are opened */
};

struct weir_device {
    const weir__backend *ops;
    weir_context *context;
    weir_device_info info;
    int hollow; /* its memory is addresses that nobody reads or writes: of a rehearsal */
    struct {
        pthread_mutex_t lock;        /* guards all below */
        struct weir__slab *slabs;    /* newest first */
        struct weir__supply *supply; /* `own`, or the context's of host memory */
        struct weir__supply own;
        int dropping; /* slabs are being given back, with the pool unlocked */
        pthread_cond_t dropped;
        weir_pool_stats stats;
    } pool;
    struct {
        pthread_mutex_t lock;
        weir_event *all;              /* linked by next_made: every event of the device */
        weir_event *free, *last_free; /* linked by next_free, the oldest first */
        uint64_t made;
        uint64_t out; /* acquired and not released yet: while there are any, the context stays */
    } events;
    struct {
        pthread_mutex_t
            lock; /* guards all below, and what held.c keeps for the device's queues and events */
        pthread_cond_t changed; /* an event was submitted, or a queue is held no longer */
        weir_queue *all;        /* linked by next_made: every queue of the device */
    } queues;
    struct {
        _Atomic int health; /* release when FAILED is set, acquire when read: publishes `why` */
        char why[512];      /* written once, by who set FAILING */
    } fault;
};

/** Why the work of a queue failed; see failure.c. */
struct weir__failure;

struct weir_queue {
    weir_device *device;
    weir_queue *next_made;
    struct {
        _Atomic uint32_t state; /* bits of held.h, set under queues.lock; release, acquire */
        /* Guarded by queues.lock: */
        struct weir__operation *first, *last; /* what is kept, in order */
        struct weir__operation *spare;        /* for the next ones to be kept */
        _Atomic uint32_t spares;              /* relaxed */
        int running;                          /* a thread submits what is kept, or is about to */
        weir_queue *due;                      /* the next that this thread is about to */
        weir_queue_stats stats;
    } held;
    _Atomic(struct weir__failure *) failure; /* NULL: none; release, acquire; set once */
    /* For traces: */
    uint32_t number;  /* the lowest that no other queue of the device has; written once */
    const char *role; /* what it is for, or NULL; static; set before it is used */
    struct weir__trace_place trace;
};

struct weir_event {
    weir_device *device;
    weir_event *next_made, *next_free;
    /* Of the queue that reached its last record; relaxed, since the record publishes it. */
    _Atomic(struct weir__failure *) failure;
    _Atomic uint32_t references; /* acq_rel: the pool sees what all holders did */
    /* Of a backend whose queues are held by the host: records are counted, so that one whose submission is
     * outstanding is told from one that a stream has. Written under queues.lock while any is kept. */
    struct {
        _Atomic uint64_t put, submitted; /* release, acquire */
        _Atomic int dropped; /* the last could not be submitted: `failure` says why; the same */
        struct weir__waiter *waiters; /* for the submission; under queues.lock */
        uint32_t sleepers;            /* threads that sleep until then; the same */
    } record;
    /* Since it was acquired; relaxed: who hands an event over orders what was done to it before. */
    _Atomic int recorded;
};

struct weir_stamp {
    weir_device *device;
    /* Marks are counted as an event's records are. */
    _Atomic uint64_t put, submitted; /* release, acquire */
    _Atomic int
        status; /* what the last mark was dropped with, or WEIR_OK; written before `submitted` */
};

struct weir__backend {
    const char *name; /* the part before ':' in a device spec, and in labels */
    weir_device_kind kind;
    /** Devices are made as a spec says, NAME:COUNT or NAME:COUNTxTHREADS; else it says which of those that `count` finds,
     *  NAME, NAME:ORDINAL or NAME:FIRST-LAST, and each can be had once. */
    int made;
    const char
        *usual;    /* the spec that contexts take which are told none, if `count` finds a device */
    int simulated; /* its devices are made up: weir_context_simulated() */
    /** Whether a queue that waits for an event of this backend has taken note of the record, so that the
     *  event may be recorded anew before the queue comes to it. Others hold the event meanwhile. */
    int waits_capture;
    /** Whether the host has to hold a queue that is told to wait for what was not submitted yet, since the device
     *  could not, or not without holding up others of its queues: held.c does. Then there is no wait_future,
     *  and wait_event gets recorded events of this backend alone. */
    int holds;

    /** Number of devices there are; 0 when the driver is missing. Sets a failure sentence then. */
    uint32_t (*count)(void);
    /** @param threads  of a host device; others ignore it. Fills info but index and kind. */
    weir_status (*open)(weir_context *context, uint32_t ordinal, uint32_t threads,
                        weir_device **device_out);
    void (*close)(weir_device *device);
    /** May be NULL: nothing calls back any more after it. Before any device of a context is closed. */
    void (*quiesce)(weir_device *device);
    /** May be NULL: all devices of this backend reach each other. Otherwise verifies the pair. */
    weir_status (*connect)(weir_device *source, weir_device *destination, int *reaches_out);
    /** May be NULL: nothing is known beyond weir_device_info. */
    void (*facts)(weir_device *device, weir__device_facts *facts_out);
    /** May be NULL: native atomics on all peers. */
    int (*pair_atomics)(weir_device *source, weir_device *destination);
    /** May be NULL: devices fail only where weir__device_mark() is called. Ask the device whether it still
     *  works; marks it if not. May be called with locks held. */
    weir_status (*status)(weir_device *device);
    /** May be NULL: the monotonic clock. */
    uint64_t (*time_ns)(const weir_context *context);

    /** May be NULL: the device's memory is the host's. What the device has in all, and how much of it nobody uses now. */
    weir_status (*mem_left)(weir_device *device, uint64_t *free_out, uint64_t *total_out);
    weir_status (*mem_alloc)(weir_device *device, size_t bytes, void **data_out);
    void (*mem_free)(weir_device *device, void *data);
    /** Page-locked host memory all devices of the backend can copy from and to; NULL: malloc.
     *  @param device  any of the context's. */
    weir_status (*pinned_alloc)(weir_device *device, size_t bytes, void **data_out);
    void (*pinned_free)(weir_device *device, void *data);
    /** Make memory of the program's own as good as that of pinned_alloc, in place; both or none. */
    weir_status (*pin)(weir_device *device, void *data, size_t bytes);
    void (*unpin)(weir_device *device, void *data);

    weir_status (*queue_create)(weir_device *device, int high_priority, weir_queue **queue_out);
    /** May be NULL: there are no streams of programs' own. A queue over one, which stays the program's. */
    weir_status (*queue_adopt)(weir_device *device, void *native_stream, weir_queue **queue_out);
    void (*queue_destroy)(weir_queue *queue);
    /** May be NULL: putting something into a queue takes no memory. Makes sure that the next @p count
     *  operations, kernels of programs aside, do not fail for want of it. */
    weir_status (*reserve)(weir_queue *queue, uint32_t count);
    weir_status (*copy)(weir_queue *queue, weir_device *destination_device, void *destination,
                        weir_device *source_device, const void *source, size_t bytes);
    /** The same by a kernel of the queue's device. */
    weir_status (*push)(weir_queue *queue, weir_device *destination_device, void *destination,
                        weir_device *source_device, const void *source, size_t bytes);
    weir_status (*fill)(weir_queue *queue, void *data, int value, size_t bytes);
    weir_status (*launch)(weir_queue *queue, const weir_kernel *kernel, const void *args,
                          size_t args_bytes);
    /** Whether a kernel was compiled for such devices. */
    int (*has_form)(const weir_kernel *kernel);
    /** May be NULL: the queues of this backend run no C functions. */
    weir_status (*call)(weir_queue *queue, void (*function)(void *user), void *user);
    weir_status (*record)(weir_queue *queue, weir_event *event);
    weir_status (*wait_event)(weir_queue *queue, weir_event *event);
    /** NULL where `holds` is set. */
    weir_status (*wait_future)(weir_queue *queue, weir_future *future);
    /** May be NULL, for the two above: what comes after in the queue waits in the device itself until the future is
     *  decided, so that a measurement starts with all of it there. See weir__queue_hold(). */
    weir_status (*hold)(weir_queue *queue, weir_future *future);
    /** WEIR_ERR_TIMEOUT if the queue is not empty in time; negative: without limit. */
    weir_status (*sync)(weir_queue *queue, int64_t timeout_ms);
    /** May be NULL: programs' kernels need no loading. Run @p load, which loads kernels on the calling
     *  thread's current GPU and returns a cudaError_t. */
    weir_status (*load)(weir_device *device, int (*load)(void));
    /** May be NULL: there are no streams. */
    void *(*native)(weir_queue *queue);
    /** May be NULL: there are no events of programs' own. */
    weir_status (*wait_native)(weir_queue *queue, void *native_event);
    /** May be NULL: kernels keep no time of their own (weir_clock_ns()). Read it by a kernel in a queue that is empty.
     *  @param[out] before_ns, after_ns  the context's time on both sides of the reading.
     *  @retval WEIR_ERR_TIMEOUT  the device did not come to it. */
    weir_status (*clock)(weir_queue *queue, int64_t timeout_ms, uint64_t *device_ns,
                         uint64_t *before_ns, uint64_t *after_ns);
    /** May be NULL: no tools watch programs of this backend. Open a range on this thread; NULL: close the last one. */
    void (*range)(const char *name);

    /** stamp.c sets stamp->device. */
    weir_status (*stamp_create)(weir_device *device, weir_stamp **stamp_out);
    void (*stamp_destroy)(weir_stamp *stamp);
    weir_status (*stamp)(weir_queue *queue, weir_stamp *stamp);
    /** WEIR_PENDING until both were reached; both were put into a queue. */
    weir_status (*stamp_elapsed)(weir_stamp *start, weir_stamp *stop, double *ms_out);

    weir_status (*event_create)(weir_device *device, weir_event **event_out);
    void (*event_destroy)(weir_event *event);
    weir_status (*event_query)(weir_event *event);
    /** May be NULL: event_query lets nothing go on. The same without that: any lock may be held. */
    weir_status (*event_look)(weir_event *event);
    weir_status (*event_wait)(weir_event *event, int64_t timeout_ms);
    /** Call @p fn once when the event's last record is complete; at once if it is. */
    weir_status (*event_notify)(weir_event *event, weir__notify_fn fn, void *user);
    /** May be NULL. */
    void *(*event_native)(weir_event *event);
};

extern const weir__backend weir__host_backend;
extern const weir__backend weir__sim_backend;
extern const weir__backend weir__cuda_backend;
/** Those that device specs name, the usual ones first; NULL ends the list. */
extern const weir__backend *const weir__backends[];

/* ---- shared by device.c, event.c, context.c ------------------------------------------------- */

/** Fill a device's base: pool, info.kind, label. */
void weir__device_init(weir_device *device, const weir__backend *ops, weir_context *context,
                       uint32_t ordinal);
/** Free what weir__device_init made; reports memory that was never given back to the log. */
void weir__device_fini(weir_device *device);
/** has_form of backends whose kernels run on the host. */
int weir__kernel_on_host(const weir_kernel *kernel);
void weir__pool_init(weir_device *device);
/** Find the pool's bound, once the device is open and before anything is taken. */
weir_status weir__pool_open(weir_device *device);
/** Find the bound that pools of host memory share, if nobody has. @param[in] locked  pages of it will be page-locked. */
void weir__pool_bound_host(weir_context *context, int locked);
/** Have the pool, which has handed out nothing yet, take from what the host has, and share that bound. */
void weir__pool_share_host(weir_device *device);
/** Give slabs of which nothing is used back at once. @par Blocks  while the driver waits for what runs on its GPU. */
void weir__pool_trim(weir_device *device);
/** A host device that only counts, without a bound (plan/plan.c). */
weir_status weir__plan_open_host(weir_context *planned, weir_device **device_out);
/** Gives all slabs back; memory that was never freed is reported to the log. */
void weir__pool_fini(weir_device *device);
weir_status weir__events_make(weir_device *device, uint64_t count);
void weir__events_drop(weir_device *device);

/* ---- progress.c ------------------------------------------------------------------------------ */

/** Longest that a wait on the host sleeps before it asks the devices whether they still work. */
#define WEIR__SLICE_MS 50

/** Something that a thread of the program waits for. */
struct weir__wait {
    /** Whether it is over. Asked with locks of the row held: it may take a future's lock, or one that nothing else is
     *  taken in. NULL: `sleep` asks a backend, whose own waits let the context go on. */
    int (*is)(void *user);
    /** Sleep until it is over. Over is also what failed. @param timeout_ms  negative: without limit, where `is` is NULL
     *  and the row does not cut waits.  @return 0: it is not over. */
    int (*sleep)(void *user, int64_t timeout_ms);
    void *user;
    int quiet; /* the waiter holds locks: no alarm may be called */
};

/** How a context goes on while its threads wait, ask, or run out of something: one row for each way. A row whose work is
 *  done in calls (a simulation; a network whose progress has to be polled) has all of `wait`, `poll`, `step`; one whose
 *  devices work by themselves has `wait` alone. */
typedef struct weir__progress {
    /** Until the wait is over. @retval WEIR_ERR_TIMEOUT  it is not within the time; no sentence is kept. */
    weir_status (*wait)(weir_context *context, const struct weir__wait *wait, int64_t timeout_ms);
    /** May be NULL. Somebody asks, and does not wait: do what is due, and unless is(user) then, a little more. */
    void (*poll)(weir_context *context, int (*is)(void *user), void *user);
    /** May be NULL. Let something happen by which what is in use may come free. @return 0: nothing did, nor will. */
    int (*step)(weir_context *context);
    /** May be NULL: who waits is woken by what it waits for. What somebody waits for may have come. */
    void (*kick)(weir_context *context);
    /** May be NULL. The context ends: its devices are closed. */
    void (*end)(weir_context *context);
    /** Nothing goes on unless somebody calls: a descriptor to sleep on would never become readable. */
    int by_calls;
} weir__progress;

/** Of host devices and GPUs. */
extern const weir__progress weir__progress_slices;

weir_status weir__context_wait(weir_context *context, const struct weir__wait *wait,
                               int64_t timeout_ms);
void weir__context_poll(weir_context *context, int (*is)(void *user), void *user);
int weir__context_step(weir_context *context);
/** The row, for who calls `kick` when the context may be gone: rows are constants. */
const weir__progress *weir__context_progress(const weir_context *context);
/** What the context's row keeps. */
void *weir__context_engine(const weir_context *context);

/** Allocator for memory of host devices: page-locked if the context has GPUs, else plain. */
weir_status weir__context_host_alloc(weir_context *context, size_t bytes, void **data_out);
void weir__context_host_free(weir_context *context, void *data);

/** Whether a future was set or failed, and with what; the event stays valid while the caller holds
 * a reference to the future. */
int weir__future_decided(weir_future *future, weir_status *status_out, weir_event **event_out);
/** Call @p fn once when @p future is complete or failed; at once if it is. A failure is returned without a call, and
 *  without a wait. The reference that kept the future and its event until then is gone when @p fn is called. */
weir_status weir__future_notify(weir_future *future, weir__notify_fn fn, void *user);
/** Have @p waiter called when the future is set or failed, not when its event is complete. The caller keeps the
 *  future until then. @return 0: it is decided already, and the waiter is not called. */
int weir__future_when_decided(weir_future *future, struct weir__waiter *waiter);
/** Take that back, with the reference that it holds. The caller has another one.
 *  @return 0: the future was set or failed meanwhile, and @p fn is called, or was. */
int weir__future_unnotify(weir_future *future, weir__notify_fn fn, const void *user);
weir_context *weir__future_context(const weir_future *future);
/** As weir_future_query(), but virtual time stands still and no alarm is called. */
weir_status weir__future_look(weir_future *future);

/* ---- notify.c -------------------------------------------------------------------------------- */

enum weir__watched_state {
    WEIR__WATCHED_NOT,
    WEIR__WATCHED_STARTING, /* a thread is about to ask */
    WEIR__WATCHED_OBSERVED, /* by weir__future_notify() */
    WEIR__WATCHED_COMPLETE
};
/** What notify.c keeps in each future; guarded by context->watches.lock. All zero in a new future. */
struct weir__watched {
    weir_watch *first, **end; /* those that wait, the oldest first; NULL: at `first` */
    _Atomic int state;        /* written under the lock; relaxed when it is read without */
};
struct weir__watched *weir__future_watched(weir_future *future);
/** How many references to an observed future are not a program's, or somebody's who may decide it. */
#define WEIR__OBSERVING 2
/** Only these and the caller's are left: unless the future is decided, its watches are dropped, uncalled. */
void weir__watches_abandon(weir_future *future);
/** Free the watches of futures that nobody decided, uncalled, and what nobody took; the context ends. */
void weir__watches_drop(weir_context *context);

/** Futures that were released, kept by the context for reuse. The context stays while more were taken than
 *  given back; NULL gives back one that could not be made. */
weir_future *weir__context_future_take(weir_context *context);
void weir__context_future_keep(weir_context *context, weir_future *future);
void weir__future_free(weir_future *future);

/* ---- failure.c ------------------------------------------------------------------------------- */

/** Work of the queue failed: what comes after does not run. The first failure counts. Any thread. */
void weir__queue_fail(weir_queue *queue, weir_status status, const char *sentence);
/** WEIR_OK, or the failure of the queue or of its device, with its sentence. */
weir_status weir__queue_failed(const weir_queue *queue);
/** From now on the calling thread runs a kernel or a function of @p queue, for weir_work_fail(); NULL: of none.
 *  @return of which it did before. */
weir_queue *weir__work_enter(weir_queue *queue);
/** A queue is about to reach a record of @p event, which carries the queue's failure from then on, if there is
 *  one. NULL: the event is taken anew. A backend calls it before anybody sees that the record was reached. */
void weir__event_carry(weir_event *event, const weir_queue *queue);
/** The failure that a queue leaves behind as it is freed, or NULL; and its end. */
struct weir__failure *weir__queue_failure(weir_queue *queue);
void weir__failure_drop(struct weir__failure *failure);
/** Call @p fn once when some event of the device that is in use has come, so that one may be free again.
 *  @retval WEIR_CLOSED  none is to come.  @return or a failure of the backend. */
weir_status weir__events_notify(weir_device *device, weir__notify_fn fn, void *user);

/* ---- later.c ------------------------------------------------------------------------- */

/** Make what is due of weir__context_later(). No lock may be held. */
void weir__context_call_due(weir_context *context);

/* ---- alarm.c ------------------------------------------------------------------------- */

/** A device failed, for good. Keeps the first sentence. Any thread, with any lock held: alarms, and the end of
 *  what is kept for the device's queues, come later. */
void weir__device_mark(weir_device *device, const char *why);
/** WEIR_OK, or WEIR_ERR_DEVICE with the sentence of the device's failure. */
weir_status weir__device_failed(const weir_device *device);
/** Call the alarms if a device has failed, and what is due of weir__context_later(). No lock may be held. */
void weir__alarms_raise(weir_context *context);
/** Ask all devices whether they still work, unless somebody has within the last WEIR__SLICE_MS, and let held queues
 *  go on whose time it is. Calls no alarm. Every wait on the host comes here once a slice. */
void weir__context_probe(weir_context *context);
/** Have the next wait on the host, or call of alarms, look for held queues that are to go on: weir__held_rescue(). */
void weir__context_rescue_later(weir_context *context);

/* ---- fault.c --------------------------------------------------------------------------------- */

/** Whether the armed fault strikes here. Costs a relaxed load when nothing is armed. */
int weir__fault_strikes(enum weir__fault kind);
/** WEIR_ERR_DEVICE, with a sentence, if the one that makes a copy fail strikes here. */
weir_status weir__copy_strikes(const weir_device *device);

/* ---- spec.c ------------------------------------------------------------------------------- */

struct weir__spec_item {
    const weir__backend *ops;
    uint32_t ordinal; /* of those that count() finds */
    uint32_t threads; /* of one that is made; 0: the configured number */
};
/** Parse a device spec into @p items (WEIR_DEVICES_MAX long).
 *  @param[in] backends  those that it may name; count() is called of those that it does. NULL ends the list. */
weir_status weir__spec_parse(const char *spec, const weir__backend *const *backends,
                             struct weir__spec_item *items, uint32_t *count_out);
/** What a context takes that is told none: the first usual spec of a backend that finds a device. */
const char *weir__spec_usual(const weir__backend *const *backends);

#endif
