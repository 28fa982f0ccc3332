/** @file runtime.h  Status codes, configuration, context, devices, memory, queues, events, futures.
 *
 * The lowest layer of weir. A *context* owns *devices* (GPUs, or host devices made of threads);
 * a device owns memory and *queues*; queues run copies and kernels in order; *events* mark a point
 * in a queue; a *future* stands for an event that may not exist yet. Everything above (links,
 * routers, worklists) is written against this header alone, never against CUDA or pthreads.
 *
 * Units: sizes are bytes, times are milliseconds unless the name says otherwise.
 * Errors: every fallible call returns weir_status; 0 is success, positive values inform, negative
 * values are failures. After a failure weir_error_detail() holds one sentence with the exact cause.
 * Pointers: must not be NULL unless the call says what NULL means; destroy calls take NULL.
 * Threads: unless a call says otherwise it may be made from any thread; creating and destroying one
 * object, and using it while it is being destroyed, is the caller's to order.
 * The library never exits and prints nothing (logging is off by default, see WEIR_LOG).
 */
#ifndef WEIR_RUNTIME_RUNTIME_H
#define WEIR_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

/** Most devices one context may hold: kernels carry per-device tables of this size. */
#define WEIR_DEVICES_MAX 64

/* ---- status ------------------------------------------------------------------------------- */

/** The one list of status codes: name, value, text. */
#define WEIR_STATUS_MAP(X)                                       \
    X(WEIR_OK, 0, "success")                                     \
    X(WEIR_PENDING, 1, "still in flight")                        \
    X(WEIR_CLOSED, 2, "shut down: nothing more will come")       \
    X(WEIR_ERR_INVALID, -1, "invalid argument")                  \
    X(WEIR_ERR_NOMEM, -2, "out of memory")                       \
    X(WEIR_ERR_FULL, -3, "full: make progress and call again")   \
    X(WEIR_ERR_NODEV, -4, "no such device")                      \
    X(WEIR_ERR_DEVICE, -5, "device failed")                      \
    X(WEIR_ERR_TIMEOUT, -6, "time limit reached")                \
    X(WEIR_ERR_CANCELLED, -7, "cancelled")                       \
    X(WEIR_ERR_UNSUPPORTED, -8, "not supported")                 \
    X(WEIR_ERR_IO, -9, "file cannot be read or written")         \
    X(WEIR_ERR_FORMAT, -10, "malformed input")                   \
    X(WEIR_ERR_VERIFY, -11, "result differs from the reference") \
    X(WEIR_ERR_CHILD, -12, "helper program failed")

typedef enum weir_status {
#define WEIR_STATUS_ENUM(name, value, text) name = (value),
    WEIR_STATUS_MAP(WEIR_STATUS_ENUM)
#undef WEIR_STATUS_ENUM
} weir_status;

/** Text of a status code; "unknown status" for values not in the list. Static storage. */
const char *weir_status_text(weir_status status);

/** One sentence on why the last failing weir call *of this thread* failed; "" if none did.
 *  Valid until the next failing call of this thread. Back-pressure (WEIR_ERR_FULL) sets none. */
const char *weir_error_detail(void);

/** "0.1.0", and whether CUDA is compiled in: "0.1.0 (host, cuda)". Static storage. */
const char *weir_version_text(void);

/* ---- configuration ------------------------------------------------------------------------ */

/** A set of tunables: defaults, then the WEIR_* environment, then weir_config_set(). Long-lived;
 *  a context copies what it needs, so a config may be destroyed right after. Not thread safe. */
typedef struct weir_config weir_config;

/** One row of the table of tunables. All strings are static. */
typedef struct weir_config_entry {
    const char *name;         /**< as weir_config_set() takes it, "pool_bytes" */
    const char *environment;  /**< "WEIR_POOL_BYTES" */
    const char *type;         /**< "bytes", "count", "milliseconds", "choice" or "path" */
    const char *default_text; /**< with its unit: "16GiB", "30000 ms" */
    const char *help;         /**< one line */
} weir_config_entry;

/** The table of tunables. @return its length; @p entries_out may be NULL. */
size_t weir_config_entries(const weir_config_entry **entries_out);

/** Defaults overridden by the environment. @retval WEIR_ERR_INVALID  a WEIR_* value is malformed.
 */
weir_status weir_config_create(weir_config **config_out);
void weir_config_destroy(weir_config *config);

/** Set one tunable from text ("64MiB", "3", "500ms").
 *  @retval WEIR_ERR_INVALID  no such name, or a value outside the tunable's range. */
weir_status weir_config_set(weir_config *config, const char *name, const char *value);

/** Value of a numeric tunable in its base unit (bytes, count, milliseconds; a choice gives its
 *  position in the list of choices). */
weir_status weir_config_number(const weir_config *config, const char *name, uint64_t *value_out);

/** Text of a "path" or "choice" tunable; owned by @p config. */
weir_status weir_config_string(const weir_config *config, const char *name, const char **text_out);

/* ---- context and devices ------------------------------------------------------------------ */

/** Devices, their pools and how they reach each other. Several contexts may coexist. Long-lived. */
typedef struct weir_context weir_context;
/** A GPU or a host device. Owned by its context, valid until the context is destroyed. */
typedef struct weir_device weir_device;

/** Make a context from a device spec.
 *
 *     spec  = item {"," item}
 *     item  = "host" [":" COUNT ["x" THREADS]]      COUNT host devices of THREADS threads each
 *           | "cuda" [":" INDEX ["-" INDEX]] | INDEX ["-" INDEX]     (bare: continues "cuda:")
 *
 *  "host:4", "host:2x3", "cuda", "cuda:0-3", "cuda:0,2", "cuda:0,host:1". NULL or "" picks "cuda"
 *  where a GPU works, else "host:4". Peer access is believed only after a verified copy.
 *
 *  @param[in]  config  tunables; NULL for defaults and environment.
 *  @retval WEIR_ERR_INVALID  malformed spec, zero or more than WEIR_DEVICES_MAX devices, one twice.
 *  @retval WEIR_ERR_NODEV    a named GPU does not exist, or CUDA is not built in.
 *  @retval WEIR_ERR_NOMEM    no memory for the context's fixed parts.
 *  @par Blocks  while devices start (CUDA: up to seconds). */
weir_status weir_context_create(const char *spec, const weir_config *config,
                                weir_context **context_out);

/** Free a context and its devices. Everything made from it must be destroyed before.
 *  @par Blocks  until the devices' threads have ended. */
void weir_context_destroy(weir_context *context);

/** Number of devices named by the spec, and the i-th of them (NULL when out of range). */
uint32_t weir_context_device_count(const weir_context *context);
weir_device *weir_context_device(const weir_context *context, uint32_t index);

/** The program's own memory as a device: a host device of one thread that every context has beside
 *  the ones of its spec. Endpoints of the host live here; its memory is page-locked where there
 *  are GPUs. Its index is weir_context_device_count(). */
weir_device *weir_context_home(const weir_context *context);

/** The context's configuration; owned by the context. */
const weir_config *weir_context_config(const weir_context *context);

/** Nanoseconds of the context's time from an arbitrary start: the monotonic clock, or virtual time
 *  where the devices are simulated (weir_machine_simulate()). */
uint64_t weir_context_time_ns(const weir_context *context);

typedef enum weir_device_kind { WEIR_DEVICE_HOST = 0, WEIR_DEVICE_CUDA = 1 } weir_device_kind;

typedef struct weir_device_info {
    weir_device_kind kind;
    uint32_t index;        /**< position in the context */
    uint32_t ordinal;      /**< number behind the colon: "cuda:2" has 2 */
    char label[16];        /**< "cuda:2", "host:0" */
    char name[64];         /**< "NVIDIA H200", "host device" */
    uint32_t units;        /**< multiprocessors, or threads of a host device */
    uint32_t workers;      /**< independent groups of lanes a kernel is started with */
    uint32_t lanes;        /**< lanes a worker has: 32 on a GPU, 1 on the host */
    uint64_t memory_bytes; /**< memory of the device as the system reports it; 0 when unknown */
} weir_device_info;

void weir_device_info_get(const weir_device *device, weir_device_info *info_out);

/** Whether a copy between the two devices goes straight from one memory to the other. False where
 *  peer access is missing, switched off (WEIR_PEER=off) or failed its verification: links then
 *  stage through page-locked host memory. Symmetric only if the hardware is. */
int weir_device_reaches(const weir_device *source, const weir_device *destination);

/* ---- memory ------------------------------------------------------------------------------- */

/** Take @p bytes of the device's arena, aligned to 256 bytes, not cleared. 0 bytes gives a valid
 *  pointer. The pool is bounded by WEIR_POOL_BYTES, whatever is free on the device.
 *  @retval WEIR_ERR_NOMEM  over the pool's bound, or the device has no such memory left. */
weir_status weir_device_alloc(weir_device *device, size_t bytes, void **data_out);
/** Give memory back to the pool it came from; NULL is fine. Work that uses it must have ended. */
void weir_device_free(weir_device *device, void *data);

typedef struct weir_pool_stats {
    uint64_t used_bytes;  /**< handed out now */
    uint64_t peak_bytes;  /**< most ever handed out */
    uint64_t bound_bytes; /**< WEIR_POOL_BYTES */
    uint64_t allocations; /**< alive now */
} weir_pool_stats;
void weir_device_pool_stats(const weir_device *device, weir_pool_stats *stats_out);

/* ---- queues, kernels, events -------------------------------------------------------------- */

/** Runs what is put into it in order (a CUDA stream, or a thread of a host device). Long-lived. */
typedef struct weir_queue weir_queue;
/** A point in a queue, taken from the device's pool of events. Short-lived. */
typedef struct weir_event weir_event;
/** An event that may not exist yet. Short-lived, counted. */
typedef struct weir_future weir_future;

/** One kernel in the forms the backends run. A form may be NULL: launching it there is refused. */
typedef struct weir_kernel {
    const char *name;
    /** Called by each worker thread of a host device with its number. Must return; must not block.
     */
    void (*host)(const void *args, uint32_t worker, uint32_t workers);
    /** Starts the kernel on a CUDA stream; @return a cudaError_t, 0 is success. Compiled by nvcc.
     */
    int (*cuda)(void *stream, uint32_t workers, const void *args);
} weir_kernel;

/** @param[in] high_priority  non-zero: the device prefers this queue's kernels (CUDA only). */
weir_status weir_queue_create(weir_device *device, int high_priority, weir_queue **queue_out);
/** Waits until the queue is empty, then frees it; NULL is fine. A queue that waits for a future
 *  that nobody will set never empties: fail the future first. */
void weir_queue_destroy(weir_queue *queue);
weir_device *weir_queue_device(const weir_queue *queue);

/** Put a copy into the queue. The two memories belong to the devices named; one of them is the
 *  queue's (for two host devices, any), and weir_device_reaches() holds between them.
 *  @retval WEIR_ERR_INVALID  the queue's device can reach neither or the pair is not reachable.
 *  @par Blocks  never; memory must stay valid until the copy has run. */
weir_status weir_queue_copy(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes);
/** The same, but by a kernel of the queue's device that loads and stores (Groute's direct access) instead
 *  of a copy engine. The copy shares the device with other kernels and starts as fast as one. */
weir_status weir_queue_push(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes);
/** Put a fill of @p bytes bytes with @p value into the queue; memory of the queue's device. */
weir_status weir_queue_fill(weir_queue *queue, void *data, int value, size_t bytes);
/** Put a kernel into the queue. @p args is copied (at most 4000 bytes); @p kernel is not, and must be
 *  there until the kernel has run (a static constant, as a rule).
 *  @retval WEIR_ERR_UNSUPPORTED  the kernel has no form for this backend. */
weir_status weir_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                              size_t args_bytes);
/** Mark the present end of the queue with @p event, which is of the queue's device; an event may be
 *  recorded again. */
weir_status weir_queue_record(weir_queue *queue, weir_event *event);
/** What comes after in this queue waits for @p event; any backend, any device of the context.
 *  The event must have been recorded and must not be recorded again or released before the queue
 *  has passed this point. */
weir_status weir_queue_wait_event(weir_queue *queue, weir_event *event);
/** The same for a future whose event may not exist yet; the future may be released right after. If
 *  the future fails the queue goes on: check weir_future_query() before trusting the data. */
weir_status weir_queue_wait_future(weir_queue *queue, weir_future *future);
/** Wait on the host until everything put in so far has run.
 *  @retval WEIR_ERR_DEVICE  a kernel or copy failed. */
weir_status weir_queue_sync(weir_queue *queue);
/** The CUDA stream (cudaStream_t) for a program's own kernels, or NULL on a host device. */
void *weir_queue_native(weir_queue *queue);

/** A moment in a queue and the time at which the device came to it: what measurements are made of.
 *  Events carry no time, which makes them cheaper. Long-lived. */
typedef struct weir_stamp weir_stamp;
weir_status weir_stamp_create(weir_device *device, weir_stamp **stamp_out);
/** No queue may still be about to come to it. NULL is fine. */
void weir_stamp_destroy(weir_stamp *stamp);
/** Mark the present end of a queue of the stamp's device; a stamp may be used again. */
weir_status weir_queue_stamp(weir_queue *queue, weir_stamp *stamp);
/** Time between two stamps of one device by the device's clock (virtual time when simulated).
 *  @param[out] ms_out  milliseconds, negative if @p stop came first.
 *  @retval WEIR_PENDING  the queue has not come to one of them.
 *  @retval WEIR_ERR_INVALID  two devices, or one was never put into a queue. */
weir_status weir_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out);

/** Take an event from the device's pool: no event is created after start-up. On a simulated device it
 *  may wait for call-backs that another thread is making.
 *  @retval WEIR_ERR_FULL  all WEIR_EVENTS events of the device are in use. */
weir_status weir_event_acquire(weir_device *device, weir_event **event_out);
/** Give it back; NULL is fine. No queue may still be about to wait for it. */
void weir_event_release(weir_event *event);
/** @retval WEIR_OK  everything before it has run, or it was never recorded.
 *  @retval WEIR_PENDING  not yet.  @retval WEIR_ERR_DEVICE  the device failed. */
weir_status weir_event_query(weir_event *event);
/** Wait on the host. @param[in] timeout_ms  negative: without limit.
 *  @retval WEIR_ERR_TIMEOUT  not within the time. */
weir_status weir_event_wait(weir_event *event, int64_t timeout_ms);

/* ---- futures ------------------------------------------------------------------------------ */

/** A new future, referenced once. */
weir_status weir_future_create(weir_context *context, weir_future **future_out);
/** One more reference; @return @p future. */
weir_future *weir_future_retain(weir_future *future);
/** One reference less; the last frees it. NULL is fine. A future must be set or failed by then if a
 *  queue waits for it. */
void weir_future_release(weir_future *future);
/** Fulfil it: it completes when @p event does (NULL: now). The future takes the event over and
 *  releases it. Only the first of set and fail counts.
 *  @retval WEIR_ERR_INVALID  it was already set or failed; the event stays the caller's. */
weir_status weir_future_set(weir_future *future, weir_event *event);
/** End it with a failure (or WEIR_CLOSED): waiters return @p status, gated queues go on. */
weir_status weir_future_fail(weir_future *future, weir_status status);
/** @retval WEIR_OK complete.  @retval WEIR_PENDING not yet.  Otherwise the status it ended with. */
weir_status weir_future_query(weir_future *future);
/** Wait on the host until it is complete. @param[in] timeout_ms  negative: without limit. */
weir_status weir_future_wait(weir_future *future, int64_t timeout_ms);

/* ---- segments ----------------------------------------------------------------------------- */

/** A piece of memory on a device with a word of the user's: what links carry. A plain value; it
 * owns nothing. */
typedef struct weir_segment {
    weir_device *device; /**< whose memory @p data is */
    void *data;          /**< first byte; may be NULL when bytes is 0 */
    size_t bytes;
    size_t offset; /**< where in its message a received packet lies; 0 when sending */
    uint64_t meta; /**< travels unchanged; policies may read it */
} weir_segment;

#ifdef __cplusplus
}
#endif
#endif
