/** @file internal.h  What the layers right above runtime share with it below the public header: topology, router and
 * worklist. algorithms/ has support.h. Not installed. */
#ifndef WEIR_RUNTIME_INTERNAL_H
#define WEIR_RUNTIME_INTERNAL_H

#include "runtime/support.h"

/** The context a device belongs to. */
weir_context *weir__device_context(const weir_device *device);
/** Whether all of it is registered (weir_memory_register()), in one piece. */
int weir__memory_registered(weir_context *context, const void *data, size_t bytes);
/** Load kernels before any of them runs: @p load does so on the calling thread's current GPU and returns
 *  a cudaError_t. Nothing to do for other devices, or where it is NULL. */
weir_status weir__device_load(weir_device *device, int (*load)(void));

/** As weir_device_alloc(), while kernels run that wait for the memory: no slab is given back to make room, since the
 *  driver would wait for those kernels; nor does the call wait for another thread that does so. */
weir_status weir__device_alloc_now(weir_device *device, size_t bytes, void **data_out);

/** As weir_device_alloc() from a host device, for bytes that only @p near and the host use: from its NUMA node, if
 *  there is room. */
weir_status weir__device_alloc_near(weir_device *device, const weir_device *near, size_t bytes,
                                    void **data_out);
/** For tests: devices that tell no node are on node (index mod @p nodes) when they are opened; 0: on none. */
void weir__near_pretend(uint32_t nodes);
/** The node near which the runtime has bound the calling thread, of its own; -1: none. */
int32_t weir__near_here(void);

/** What a backend knows of its device for topology's sake; zero and "" are unknown. */
typedef struct weir__device_facts {
    char bus[16]; /**< PCI bus id in lower case, "0000:1b:00.0" */
    uint32_t copy_engines;
    uint32_t major, minor; /**< compute capability */
    double memory_gbs;     /**< of its memory by clock and width */
} weir__device_facts;
void weir__device_facts_get(weir_device *device, weir__device_facts *facts_out);
/** Be told, once, when a device of the context has failed: @p fn(user, status) is called by the first
 *  thread after that which waits on the host, or by one of the runtime, with weir_error_detail() set; no
 *  lock is held. It must not block; it may destroy the alarm. The creator keeps the context. */
typedef struct weir__alarm weir__alarm;
weir_status weir__alarm_create(weir_context *context, void (*fn)(void *user, weir_status status),
                               void *user, weir__alarm **alarm_out);
/** After it returns @p fn is not running and will not be called. NULL is fine. */
void weir__alarm_destroy(weir__alarm *alarm);

/** Call @p fn(user) once, @p delay_ns from now or some time after: by a thread that waits on the host then, or asks for
 *  something, with no lock held; at the latest at the end of the context. A simulation has no such time.
 *  @retval WEIR_ERR_NOMEM  it will not be called. */
weir_status weir__context_later(weir_context *context, uint64_t delay_ns, void (*fn)(void *user),
                                void *user);

/** Refuse to let something of @p context wait for an event of another one, or for one that was never recorded and would
 *  count as complete. The same for futures and queues of another context. @param[in] what  begins the sentence, "a queue waits". */
weir_status weir__event_check(const weir_event *event, const weir_context *context,
                              const char *what);
weir_status weir__future_context_check(const weir_future *future, const weir_context *context,
                                       const char *what);
weir_status weir__queue_check(const weir_queue *queue, const weir_context *context,
                              const char *what);

/** One more holder of an event: it goes back to the pool with the last weir_event_release(). */
weir_event *weir__event_retain(weir_event *event);
/** Whether the event's last record is complete, or never will be. Waits for nothing, and a simulation does
 *  not go on over it: any lock may be held. */
int weir__event_over(weir_event *event);
/** As weir_event_query(), in the same way. */
weir_status weir__event_look(weir_event *event);
/** weir_event_wait() and weir_queue_sync() without limit, for who holds a lock: no alarm is called, as
 *  those, weir_future_wait() and weir_device_status() may do. */
void weir__event_settle(weir_event *event);
void weir__queue_settle(weir_queue *queue);
/** Call @p fn(user) once when the event's last record is complete, or its device failed; at once if so. From a
 *  thread of the runtime, with locks held: it must not block. If it fails it has not called and never will. The
 *  caller keeps the event until then; @p fn may be who gives up the last user of the context. */
weir_status weir__event_notify(weir_event *event, void (*fn)(void *user), void *user);
/** Of an event whose record was reached, or dropped: WEIR_OK, or the failure of the queue that it carries, its sentence
 *  as this thread's. */
weir_status weir__event_failed(const weir_event *event);
/** As weir_queue_wait_future(), for measurements: the device itself holds the queue where it can, so that what is
 *  put in behind it is there when the future is decided. One queue of a device at a time; while it is held so, a GPU
 *  has one connection less for its other queues (docs/design.md, "Devices").
 *  @retval WEIR_ERR_INVALID  another queue of the device is held like this. */
weir_status weir__queue_hold(weir_queue *queue, weir_future *future);
/** Put one piece of work into several queues of GPUs together: @p fn(user, streams, status) is called once, when
 *  each queue has come so far that its stream may be used, with their native handles (NULL
 *  for one that has none); at once, by the calling thread, if none of them is held. What fails there fails the queues that were held. If one of them failed before,
 *  or its device did, it is called with that status and without streams. Locks may be held then: it must not call
 *  into weir. Where it will never be called @p give_up(user) is, before this call returns with a failure: nothing was put
 *  in. Else the call returns what @p fn returned if that was called at once. */
weir_status weir__queues_join(weir_queue *const *queues, uint32_t count,
                              weir_status (*fn)(void *user, void *const *streams,
                                                weir_status status),
                              void *user, void (*give_up)(void *user));

/** weir_future_set() of an event of the context, for who holds a lock: what cannot be watched for want of memory is not
 *  waited for here. With no lock held any more, weir__futures_settle() follows. */
weir_status weir__future_set(weir_future *future, weir_event *event);

/** Wait for the events of futures that this thread has set and that could not be watched, for want of memory: what waits
 *  for them is let go here. Most often there is nothing. No lock may be held. */
void weir__futures_settle(void);
/** The same by another thread, for one that a queue may wait for. Where there is none to be had it is done here. */
void weir__futures_settle_apart(void);

/** Wait on the host until the future was set or failed, not for its event. @param timeout_ms  negative:
 *  without limit.  @retval WEIR_ERR_TIMEOUT  not within the time. */
weir_status weir__future_wait_decided(weir_future *future, int64_t timeout_ms);

/** Take what the next @p count operations of a queue need, so that none of them fails for want of memory
 *  after others were put in. One thread at a time for a queue. */
weir_status weir__queue_reserve(weir_queue *queue, uint32_t count);

/** Make the n-th from now (1 is the next) allocation, copy, event or operation fail, for tests; 0 turns
 *  it off. Allocations: weir__alloc, weir__calloc, weir_device_alloc, weir__text. Copies: weir_queue_copy,
 *  weir_queue_push. Events: weir_event_acquire. Device: an operation of a host queue breaks its device
 *  for good. Stop: when a call looks whether it is to end, its observer is told to stop it. Process-wide. */
enum weir__fault {
    WEIR__FAULT_ALLOC,
    WEIR__FAULT_COPY,
    WEIR__FAULT_EVENT,
    WEIR__FAULT_DEVICE,
    WEIR__FAULT_STOP,
    WEIR__FAULTS
};
void weir__fault_arm(enum weir__fault kind, uint64_t nth);
/** Whether the armed fault has struck since it was armed. */
int weir__fault_struck(enum weir__fault kind);

/** The one object of a higher layer that lives as long as the context (topology keeps its machine
 *  there); NULL before the first attach. */
void *weir__context_attached(const weir_context *context);
/** Leave @p data with the context, which calls @p destroy in the end. @return what is attached now:
 *  if another thread was first, that one's, and @p data was destroyed. */
void *weir__context_attach(weir_context *context, void *data, void (*destroy)(void *data));

/* ---- giving work up (drop.c) ------------------------------------------------------------ */

/** While *@p word is not 0, queues of host and simulated devices drop copies, fills and kernels, those under
 *  way included, and still reach records, waits and calls in their order: nobody hangs, and the memory that
 *  was worked on holds anything. Queues of GPUs work on. NULL: no more; nothing may be in a queue then. */
void weir__context_drop_when(weir_context *context, const volatile int *word);
/** From now on the calling thread works for queues of @p context; NULL: for none.
 *  @return for whom it did before. */
const weir_context *weir__drop_enter(const weir_context *context);
/** Whether what the calling thread does for a queue is to be dropped: asked by the host halves of kernels
 *  that take long, every few milliseconds. */
int weir__dropping(void);
/** memcpy and memset that end early then. */
void weir__drop_copy(void *destination, const void *source, size_t bytes);
void weir__drop_fill(void *data, int value, size_t bytes);

/* ---- simulation (sim/) and sharing (share.c) ---------------------------------------------------- */

#define WEIR__SIM_PATH_MAX 32

/** What a copy between two simulated devices uses. */
typedef struct weir__sim_path {
    int reaches;
    double latency_us;
    double bandwidth_gbs; /**< a copy alone gets no more; 0: the resources decide */
    uint32_t count;       /**< resources on the way, none twice */
    uint16_t resource[WEIR__SIM_PATH_MAX]; /**< a hop in one direction */
} weir__sim_path;

/** A machine as a table: what the simulation needs and nothing else. */
typedef struct weir__sim_model {
    uint32_t devices;
    uint32_t resources;
    const double *capacity_gbs;  /**< of each resource */
    const weir__sim_path *paths; /**< (devices + 1)^2, row = source; the last is home */
    double copy_us, push_us, launch_us;
    const char (*names)[64]; /**< of each device */
    const uint64_t *memory_bytes;
    int dry; /**< no bytes move and no kernel runs; memory is addresses without pages behind them */
} weir__sim_model;

/** A context of simulated devices; the model is copied. See weir_machine_simulate(). */
weir_status weir__context_simulate(const weir__sim_model *model, const weir_config *config,
                                   weir_context **context_out);
/** Max-min fair shares: flow f uses resources use[begin[f]] to use[begin[f+1]-1], none twice, and gets at
 *  most limit[f] (0: no limit; a flow with neither limit nor resource gets infinity). O(flows *
 *  resources of a flow * bottlenecks).
 *  @param[in] scratch  2 * resources doubles. */
void weir__share(const double *capacity, uint32_t resources, const uint32_t *begin,
                 const uint16_t *use, const double *limit, uint32_t flows, double *rate_out,
                 double *scratch);

/** Parse "64MiB", "4096", "1.5GiB" into bytes; "30", "500ms", "2s" into milliseconds.
 *  @retval WEIR_ERR_INVALID (no sentence kept: the caller knows the name). */
weir_status weir__parse_bytes(const char *text, uint64_t *bytes_out);
weir_status weir__parse_ms(const char *text, uint64_t *ms_out);
/** Parse a whole decimal number without sign or blanks. */
weir_status weir__parse_u64(const char *text, uint64_t *value_out);

#endif
