/** @file backend.h  What a kind of device must provide. Not installed.
 *
 * One table of functions for each backend; device.c, event.c and queue.c check arguments and call
 * it. Base structs come first in the backend's own (struct host_queue { weir_queue base; ... }).
 * docs/porting-a-backend.md tells how to add one. */
#ifndef WEIR_RUNTIME_BACKEND_H
#define WEIR_RUNTIME_BACKEND_H

#include "runtime/config.h"
#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define WEIR__ARGS_MAX \
    4000 /* bytes of kernel arguments; CUDA takes 4 KiB on every architecture \
                             */
#define WEIR__ALIGNMENT 256

typedef struct weir__backend weir__backend;

/** Called when an event or future is complete (or failed), from a thread of the runtime; it must
 *  not block and must not call into a backend. */
typedef void (*weir__notify_fn)(void *user);
/** Let go what a future holds, behind all that is in @p queue now, by the queue itself.
 *  @return not WEIR_OK where that cannot be (no sentence is kept): then it has not been let go. */
typedef weir_status (*weir__open_fn)(weir_queue *queue, void *user);

/** Whether a device works. */
enum weir__health { WEIR__WORKS, WEIR__FAILING, WEIR__FAILED };

struct weir_device {
    const weir__backend *ops;
    weir_context *context;
    weir_device_info info;
    struct {
        pthread_mutex_t lock;     /* guards all below */
        struct weir__slab *slabs; /* newest first */
        uint64_t taken_bytes;     /* of the device, in slabs; at most stats.bound_bytes */
        int dropping;             /* slabs are being given back, with the pool unlocked */
        pthread_cond_t dropped;
        weir_pool_stats stats;
    } pool;
    struct {
        pthread_mutex_t lock;
        weir_event *all;              /* linked by next_made: every event of the device */
        weir_event *free, *last_free; /* linked by next_free, the oldest first */
        uint64_t made;
    } events;
    struct {
        _Atomic int health; /* release when FAILED is set, acquire when read: publishes `why` */
        char why[512];      /* written once, by who set FAILING */
    } fault;
};

struct weir_queue {
    weir_device *device;
};

struct weir_event {
    weir_device *device;
    weir_event *next_made, *next_free;
    _Atomic uint32_t references; /* acq_rel: the pool sees what all holders did */
};

struct weir_stamp {
    weir_device *device;
};

struct weir__backend {
    const char *name; /* the part before ':' in a device spec */
    weir_device_kind kind;
    /** Whether a queue that waits for an event of this backend has taken note of the record, so that the
     *  event may be recorded anew before the queue comes to it. Others hold the event meanwhile. */
    int waits_capture;

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
    /** May be NULL: nothing to do. @p failed, of the same context, was marked: what it was to let go of
     *  @p device's, without a host thread between, is let go now. */
    void (*forsake)(weir_device *device, const weir_device *failed);
    /** May be NULL: the monotonic clock. */
    uint64_t (*time_ns)(const weir_context *context);

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
    /** May be NULL: the queues of this backend run no C functions. */
    weir_status (*call)(weir_queue *queue, void (*function)(void *user), void *user);
    weir_status (*record)(weir_queue *queue, weir_event *event);
    weir_status (*wait_event)(weir_queue *queue, weir_event *event);
    weir_status (*wait_future)(weir_queue *queue, weir_future *future);
    /** WEIR_ERR_TIMEOUT if the queue is not empty in time; negative: without limit. */
    weir_status (*sync)(weir_queue *queue, int64_t timeout_ms);
    /** May be NULL: programs' kernels need no loading. Run @p load, which loads kernels on the calling
     *  thread's current GPU and returns a cudaError_t. */
    weir_status (*load)(weir_device *device, int (*load)(void));
    void *(*native)(weir_queue *queue);
    /** May be NULL: there are no events of programs' own. */
    weir_status (*wait_native)(weir_queue *queue, void *native_event);

    /** stamp.c sets stamp->device; a stamp that was never put into a queue is the backend's to refuse. */
    weir_status (*stamp_create)(weir_device *device, weir_stamp **stamp_out);
    void (*stamp_destroy)(weir_stamp *stamp);
    weir_status (*stamp)(weir_queue *queue, weir_stamp *stamp);
    /** WEIR_PENDING until both were reached. */
    weir_status (*stamp_elapsed)(weir_stamp *start, weir_stamp *stop, double *ms_out);

    weir_status (*event_create)(weir_device *device, weir_event **event_out);
    void (*event_destroy)(weir_event *event);
    weir_status (*event_query)(weir_event *event);
    weir_status (*event_wait)(weir_event *event, int64_t timeout_ms);
    /** Call @p fn once when the event's last record is complete; at once if it is. */
    weir_status (*event_notify)(weir_event *event, weir__notify_fn fn, void *user);
    /** May be NULL. */
    void *(*event_native)(weir_event *event);
};

extern const weir__backend weir__host_backend;
extern const weir__backend weir__sim_backend;
#if WEIR_CUDA
extern const weir__backend weir__cuda_backend;
#endif

/* ---- shared by device.c, event.c, context.c ------------------------------------------------- */

/** Fill a device's base: pool, info.kind, label. */
void weir__device_init(weir_device *device, const weir__backend *ops, weir_context *context,
                       uint32_t ordinal);
/** Free what weir__device_init made; reports memory that was never given back to the log. */
void weir__device_fini(weir_device *device);
void weir__pool_init(weir_device *device, uint64_t bound_bytes);
/** Gives all slabs back; memory that was never freed is reported to the log. */
void weir__pool_fini(weir_device *device);
weir_status weir__events_make(weir_device *device, uint64_t count);
void weir__events_drop(weir_device *device);

/** The simulation behind a context made by weir__context_simulate(); NULL for others. */
struct weir__sim;
struct weir__sim *weir__context_sim(const weir_context *context);

/** Allocator for memory of host devices: page-locked if the context has GPUs, else plain. */
weir_status weir__context_host_alloc(weir_context *context, size_t bytes, void **data_out);
void weir__context_host_free(weir_context *context, void *data);

/** Whether a future was set or failed, and with what; the event stays valid while the caller holds
 * a reference to the future. */
int weir__future_decided(weir_future *future, weir_status *status_out, weir_event **event_out);
/** Call @p fn once when @p future is complete or failed; at once if it is. The reference that kept the
 *  future and its event until then is gone when @p fn is called.
 *  @param[in] open  called in place of @p fn if a queue can let it go, see weir__future_set_in(); NULL:
 *                   none can. */
weir_status weir__future_notify_in(weir_future *future, weir__notify_fn fn, weir__open_fn open,
                                   void *user);
/** The same without `open`. */
weir_status weir__future_notify(weir_future *future, weir__notify_fn fn, void *user);

/** Futures that were released, kept by the context for reuse. */
weir_future *weir__context_future_take(weir_context *context);
void weir__context_future_keep(weir_context *context, weir_future *future);
void weir__future_free(weir_future *future);

/* ---- context_alarm.c ------------------------------------------------------------------------- */

/** Longest that a wait on the host sleeps before it asks the devices whether they still work. */
#define WEIR__SLICE_MS 50

/** A device failed, for good. Keeps the first sentence; lets go what waits for the device in others'
 *  queues. Any thread, with any lock but a gate's held: alarms come later. */
void weir__device_mark(weir_device *device, const char *why);
/** WEIR_OK, or WEIR_ERR_DEVICE with the sentence of the device's failure. */
weir_status weir__device_failed(const weir_device *device);
/** Call the alarms if a device has failed. No lock may be held. */
void weir__alarms_raise(weir_context *context);
/** Ask all devices whether they still work. Calls nobody. */
void weir__context_probe(weir_context *context);
/** How long the next slice of a wait is that began at @p start_ns. */
int64_t weir__wait_slice(uint64_t start_ns, int64_t timeout_ms);

/* ---- fault.c --------------------------------------------------------------------------------- */

/** Whether the armed fault strikes here. Costs a relaxed load when nothing is armed. */
int weir__fault_strikes(enum weir__fault kind);

/* ---- spec.c ------------------------------------------------------------------------------- */

struct weir__spec_item {
    int cuda;         /* else host */
    uint32_t ordinal; /* of a GPU */
    uint32_t threads; /* of a host device; 0: the configured number */
};
/** Parse a device spec into @p items (WEIR_DEVICES_MAX long).
 *  @param[in] gpus  number of GPUs there are, asked for only when the spec says cuda. */
weir_status weir__spec_parse(const char *spec, uint32_t (*gpus)(void),
                             struct weir__spec_item *items, uint32_t *count_out);

#endif
