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
 * Pointers: must not be NULL unless the call says what NULL means; a call that returns weir_status refuses a NULL with
 * WEIR_ERR_INVALID, destroy and cancel calls ignore it. Objects that meet in a call are of one context, or it is refused.
 * Threads: unless a call says otherwise it may be made from any thread; creating and destroying one
 * object, and using it while it is being destroyed, is the caller's to order.
 * Structures: one whose first member is `size` begins as its initialiser (WEIR_DEVICE_INFO_INIT and so on), and grows
 * from version to version without an end of what was compiled before; docs/abi.md has the rules.
 * The library never exits and prints nothing (logging is off by default, see WEIR_LOG).
 */
#ifndef WEIR_RUNTIME_RUNTIME_H
#define WEIR_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the header; weir_version_text() has that of the library. */
#define WEIR_VERSION_MAJOR 0
/** See WEIR_VERSION_MAJOR. */
#define WEIR_VERSION_MINOR 1
/** See WEIR_VERSION_MAJOR. */
#define WEIR_VERSION_PATCH 0

/** The templates and headers that an operator or a step body is compiled with and the library have to be of one
 *  version: what devices share in memory is laid out by both. A library refuses what was compiled with another. */
#define WEIR_ENGINE_VERSION 7u

/** Most devices one context may hold: kernels carry per-device tables of this size. */
#define WEIR_DEVICES_MAX 64

/* ---- status ------------------------------------------------------------------------------- */

/** The one list of status codes: name, value, text. */
#define WEIR_STATUS_MAP(X)                                       \
    X(WEIR_OK, 0, "success")                                     \
    X(WEIR_PENDING, 1, "still in flight")                        \
    X(WEIR_CLOSED, 2, "shut down: nothing more will come")       \
    X(WEIR_FULL, 3, "full: make progress and call again")        \
    X(WEIR_ERR_INVALID, -1, "invalid argument")                  \
    X(WEIR_ERR_NOMEM, -2, "out of memory")                       \
    X(WEIR_ERR_NODEV, -4, "no such device")                      \
    X(WEIR_ERR_DEVICE, -5, "device failed")                      \
    X(WEIR_ERR_TIMEOUT, -6, "time limit reached")                \
    X(WEIR_ERR_CANCELLED, -7, "cancelled")                       \
    X(WEIR_ERR_UNSUPPORTED, -8, "not supported")                 \
    X(WEIR_ERR_IO, -9, "file cannot be read or written")         \
    X(WEIR_ERR_FORMAT, -10, "malformed input")                   \
    X(WEIR_ERR_VERIFY, -11, "result differs from the reference") \
    X(WEIR_ERR_CHILD, -12, "helper program failed")              \
    X(WEIR_ERR_PROCESS, -13, "another process of the group ended")

/** What calls return: the codes of WEIR_STATUS_MAP. */
typedef enum weir_status {
/** One line of the enumeration; undefined again behind it. */
#define WEIR_STATUS_ENUM(name, value, text) name = (value),
    WEIR_STATUS_MAP(WEIR_STATUS_ENUM)
#undef WEIR_STATUS_ENUM
} weir_status;

/** Text of a status code; "unknown status" for values not in the list. Static storage. */
const char *weir_status_text(weir_status status);

/** One sentence on why the last failing weir call *of this thread* failed; "" if none did.
 *  Valid until the next failing call of this thread. Back-pressure (WEIR_FULL) sets none. */
const char *weir_error_detail(void);

/** Fail in a call-back of the program's own (a policy's `choose`), or say why something is about to be ended
 *  (weir_router_cancel(), weir_future_fail() with the same @p status, by the same thread): keeps @p sentence, without
 *  newline or final stop (NULL: the text of the status), for weir_error_detail() of this thread, logs it, and returns @p status. */
weir_status weir_error_set(weir_status status, const char *sentence);

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
    const char *type;         /**< "bytes", "count", "milliseconds", "choice", "word", "path" */
    const char *default_text; /**< with its unit: "16GiB", "30000 ms" */
    const char *help;         /**< one line */
} weir_config_entry;

/** The table of tunables. @return its length; @p entries_out may be NULL. */
size_t weir_config_entries(const weir_config_entry **entries_out);

/** Defaults overridden by the environment; a variable without a value is as if it were not there.
 *  @retval WEIR_ERR_INVALID  a WEIR_* value is malformed, or there is a WEIR_* variable that is no tunable: the sentence
 *                            has the nearest. Left alone are those whose name goes on with one of the words TEST, CHECK,
 *                            DATA, FAULTS, GOLDEN, REQUIRE, SOAK, SWEEP (of weir's own tests), ROOT, DIR, HOME (of build
 *                            tools), alone or with more behind an underscore: WEIR_TEST_SEED. */
weir_status weir_config_create(weir_config **config_out);
/** NULL is fine; contexts have copies. */
void weir_config_destroy(weir_config *config);

/** Set one tunable from text ("64MiB", "3", "500ms").
 *  @retval WEIR_ERR_INVALID  no such name, or a value outside the tunable's range. A "word" is looked up by who asks for it:
 *                            `transport` by weir_router_create(). */
weir_status weir_config_set(weir_config *config, const char *name, const char *value);

/** Value of a numeric tunable in its base unit (bytes, count, milliseconds; a choice gives its
 *  position in the list of choices). */
weir_status weir_config_number(const weir_config *config, const char *name, uint64_t *value_out);

/** Text of a "path", "word" or "choice" tunable; owned by @p config. */
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

/** Give a context up; NULL is fine. It ends, with its devices and their memory, at once or with the last
 *  queue, event, future, stamp, endpoint, router, link or worklist made from it; @p context itself is invalid from now
 *  on. Memory does not keep it: it must have been given back, or is not used again. What has been registered is
 *  unregistered.
 *  @par Blocks  the call that ends it, until the devices' threads have ended; with simulated devices,
 *               until what was put into queues has run as far as it can. */
void weir_context_destroy(weir_context *context);

/** Number of devices named by the spec, and the i-th of them (NULL when out of range). */
uint32_t weir_context_device_count(const weir_context *context);
/** See weir_context_device_count(). Owned by the context. */
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
/** Whether the context's devices are simulated (weir_machine_simulate()): their kernels run one after the other. */
int weir_context_simulated(const weir_context *context);

/** What a device is made of: threads, or a GPU. */
typedef enum weir_device_kind { WEIR_DEVICE_HOST = 0, WEIR_DEVICE_CUDA = 1 } weir_device_kind;

/** What is known of a device. Texts are copies. */
typedef struct weir_device_info {
    size_t size; /**< sizeof(weir_device_info), set by WEIR_DEVICE_INFO_INIT */
    weir_device_kind kind;
    uint32_t index;        /**< position in the context */
    uint32_t ordinal;      /**< number behind the colon: "cuda:2" has 2 */
    char label[16];        /**< "cuda:2", "host:0" */
    char name[64];         /**< "NVIDIA H200", "host device" */
    uint32_t units;        /**< multiprocessors, or threads of a host device */
    uint32_t workers;      /**< independent groups of lanes a kernel is started with */
    uint32_t lanes;        /**< lanes a worker has: 32 on a GPU, 1 on the host */
    uint64_t memory_bytes; /**< memory of the device as the system reports it; 0 when unknown */
    /** What the lanes of a block may have of their own at the most: a GPU's shared memory, the stack of a host
     *  device's thread. */
    uint64_t block_bytes;
    /** The system's number of the NUMA node next to it; of the home device the one that all GPUs of the context
     *  share. -1: unknown, or none. Threads and page-locked memory that serve the device are kept there
     *  (WEIR_NUMA). */
    int32_t numa_node;
    uint32_t reserved; /**< 0 */
    /** Of the cache that all units share (a GPU's second level, the largest of the host's): what programs may count on
     *  that go over a large array in pieces. Of host devices it is all that the machine's cores share. 0: unknown. */
    uint64_t cache_bytes;
} weir_device_info;
/** weir_device_info: nothing filled in yet. */
#define WEIR_DEVICE_INFO_INIT                                                             \
    {                                                                                     \
        sizeof(weir_device_info), WEIR_DEVICE_HOST, 0, 0, "", "", 0, 0, 0, 0, 0, -1, 0, 0 \
    }

/** Fill in what is known; any thread.
 *  @param[in,out] info_out  begins as WEIR_DEVICE_INFO_INIT.
 *  @retval WEIR_ERR_INVALID  it does not: its size was never set, and nothing is filled in. */
weir_status weir_device_info_get(const weir_device *device, weir_device_info *info_out);

/** Whether the device still works. A device that failed (a kernel fault, a lost GPU) stays failed: its
 *  queues take nothing more, its events and the futures set with them end with WEIR_ERR_DEVICE, and the
 *  first wait on the host after it (of any thread: weir_future_wait(), weir_event_wait(),
 *  weir_queue_sync(), or this call) ends what needs it with WEIR_ERR_DEVICE (weir_router_cancel() says which
 *  routers those are). Waits ask all devices of the context about twenty times a second; a program that only
 *  queries calls this now and then.
 *  @retval WEIR_ERR_DEVICE  with what it said when it failed. */
weir_status weir_device_status(weir_device *device);

/** Whether a copy between the two devices goes straight from one memory to the other. False where
 *  peer access is missing, switched off (WEIR_PEER=off) or failed its verification: links then
 *  stage through page-locked host memory. Symmetric only if the hardware is. */
int weir_device_reaches(const weir_device *source, const weir_device *destination);
/** Whether kernels of @p source have native atomics on the memory of @p destination. */
int weir_device_atomics(weir_device *source, weir_device *destination);

/* ---- memory ------------------------------------------------------------------------------- */

/** Take @p bytes of the device's arena, aligned to 256 bytes, not cleared. 0 bytes gives a valid
 *  pointer. The pool is bounded by WEIR_POOL_BYTES, or by what the device had when the context was made, less a reserve
 *  (weir_pool_stats); the device's own refusal has the last word, since others may have taken memory meanwhile.
 *  @par Blocks  only where the pool is at its bound, or the device has no more, and unused memory has to be given back to
 *               make room: a GPU's driver then waits for what runs there. Who finds room meanwhile does not wait.
 *  @retval WEIR_ERR_NOMEM  over the pool's bound, or the device has no such memory left. */
weir_status weir_device_alloc(weir_device *device, size_t bytes, void **data_out);
/** Give memory back to the pool it came from; NULL is fine. Work that uses it must have ended. Never blocks: the
 *  pool keeps it until the context ends or its room is needed. */
void weir_device_free(weir_device *device, void *data);

/** Make memory that the program allocated itself good for segments of the home device: it is page-locked
 *  where there are GPUs, so that copies run asynchronously and kernels reach it. A GPU's own memory
 *  (cudaMalloc) needs no call; memory of a stream-ordered pool must have been opened to the peers.
 *  Whole pages are locked, so two registrations must not share one.
 *  @par Blocks  while the driver locks or unlocks the pages: with GPUs, weir_memory_unregister() waits for all that
 *               runs on them. Registrations of other memory go on meanwhile.
 *  @retval WEIR_ERR_INVALID  some of it is registered already, or bytes is 0.
 *  @retval WEIR_ERR_NOMEM    it cannot be page-locked. */
weir_status weir_memory_register(weir_context *context, void *data, size_t bytes);
/** Undo it, before the memory is freed and while no work uses it. NULL is fine.
 *  @retval WEIR_ERR_INVALID  @p data was not registered here. */
weir_status weir_memory_unregister(weir_context *context, void *data);

/** A device's memory pool, now. */
typedef struct weir_pool_stats {
    size_t size;         /**< sizeof(weir_pool_stats), set by WEIR_POOL_STATS_INIT */
    uint64_t used_bytes; /**< handed out now */
    uint64_t peak_bytes; /**< most ever handed out */
    /** WEIR_POOL_BYTES; where that is 0, what was found when the context was made. Of a GPU what was free then, less a
     *  reserve: the 16th part of its memory, 1 GiB at the least, and never more than half of what was free. Of
     *  host devices, which share it, four times what this process may use in all, 16 GiB at the least: the system gives
     *  pages when they are written to. Beside GPUs, where they are page-locked at once, once what it may use. */
    uint64_t bound_bytes;
    uint64_t allocations; /**< alive now */
    uint64_t
        left_bytes; /**< of the bound, that no pool which shares it has taken from the system */
    uint64_t
        sharing; /**< pools that share the bound, this one included: 1 unless host devices do */
} weir_pool_stats;
/** weir_pool_stats: nothing filled in yet. */
#define WEIR_POOL_STATS_INIT                      \
    {                                             \
        sizeof(weir_pool_stats), 0, 0, 0, 0, 0, 0 \
    }
/** Read the counters of a pool; any thread.
 *  @param[in,out] stats_out  begins as WEIR_POOL_STATS_INIT.
 *  @retval WEIR_ERR_INVALID  it does not: its size was never set, and nothing is filled in. */
weir_status weir_device_pool_stats(const weir_device *device, weir_pool_stats *stats_out);

/* ---- queues, kernels, events -------------------------------------------------------------- */

/** Runs what is put into it in order (a CUDA stream, or a thread of a host device). Long-lived. */
typedef struct weir_queue weir_queue;
/** A point in a queue, taken from the device's pool of events. Short-lived. */
typedef struct weir_event weir_event;
/** An event that may not exist yet. Short-lived, counted. */
typedef struct weir_future weir_future;

/** One kernel in the forms the backends run, a constant as a rule. A form may be NULL: launching it there is refused. */
typedef struct weir_kernel {
    /** sizeof(weir_kernel), or 0 in a constant that names its members: then those of version 0.1 count, which are
     *  all that there are up to `cuda`. */
    size_t size;
    const char *name;
    /** Called by each worker thread of a host device with its number. Must return; must not block.
     *  Says by weir_work_fail() that it failed. */
    void (*host)(const void *args, uint32_t worker, uint32_t workers);
    /** Starts the kernel on a CUDA stream; @return a cudaError_t, 0 is success. Compiled by nvcc. Called by
     *  weir_queue_launch(), or, for a queue that was held, by the thread that lets it go: it must not call into weir.
     */
    int (*cuda)(void *stream, uint32_t workers, const void *args);
} weir_kernel;
/** weir_kernel: no form yet. */
#define WEIR_KERNEL_INIT                      \
    {                                         \
        sizeof(weir_kernel), NULL, NULL, NULL \
    }

/** @param[in] high_priority  non-zero: the device prefers this queue's kernels (CUDA only). */
weir_status weir_queue_create(weir_device *device, int high_priority, weir_queue **queue_out);
/** A queue over a CUDA stream of the program's own (a cudaStream_t), so that what the program, cuBLAS or NCCL
 *  put into that stream is ordered with copies, events and futures of weir's without an event between. The
 *  stream stays the program's: weir_queue_destroy() waits until it is empty and leaves it there. It must not
 *  be destroyed before, and no capture may begin on it. A stream that was made without
 *  cudaStreamNonBlocking goes on waiting for the default stream, as CUDA has it. Since the program has the
 *  stream, the queue cannot be held: see weir_queue_native() and weir_queue_wait_future().
 *  @retval WEIR_ERR_UNSUPPORTED  @p device is no GPU: make a queue of its own for it.
 *  @retval WEIR_ERR_INVALID  a default stream (NULL, cudaStreamLegacy, cudaStreamPerThread), which is not
 *                            one stream but another for each thread or device; a stream of another GPU;
 *                            one that is being captured. */
weir_status weir_queue_adopt(weir_device *device, void *native_stream, weir_queue **queue_out);
/** Waits until the queue is empty, then frees it; NULL is fine. A queue that waits for a future
 *  that nobody will set never empties: fail the future first. */
void weir_queue_destroy(weir_queue *queue);
/** What the host keeps for a queue of a GPU; all 0 for others. See weir_queue_wait_future(). */
typedef struct weir_queue_stats {
    size_t size;         /**< sizeof(weir_queue_stats), set by WEIR_QUEUE_STATS_INIT */
    uint64_t kept;       /**< operations kept now */
    uint64_t kept_bytes; /**< host memory that they take */
    uint64_t kept_ever;  /**< operations that were kept since the queue was made */
} weir_queue_stats;
/** weir_queue_stats: nothing filled in yet. */
#define WEIR_QUEUE_STATS_INIT             \
    {                                     \
        sizeof(weir_queue_stats), 0, 0, 0 \
    }
/** Read them; any thread.
 *  @param[in,out] stats_out  begins as WEIR_QUEUE_STATS_INIT.
 *  @retval WEIR_ERR_INVALID  it does not: its size was never set, and nothing is filled in. */
weir_status weir_queue_stats_get(const weir_queue *queue, weir_queue_stats *stats_out);
/** The device that the queue was made for. */
weir_device *weir_queue_device(const weir_queue *queue);

/** Whether the queue's work went well so far; does not wait. A queue whose work failed (weir_work_fail(), or
 *  its device) stays failed: copies, fills, kernels and functions behind the failure do not run, and new ones
 *  are refused with it. Records and waits are still reached in order. Destroy the queue and make another.
 *  @return WEIR_OK, or the first failure, with its sentence. */
weir_status weir_queue_status(weir_queue *queue);

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
 *  @retval WEIR_ERR_INVALID      the size of @p kernel is neither 0 nor that of any version.
 *  @retval WEIR_ERR_UNSUPPORTED  the kernel has no form for this backend, or is of a newer version and sets what this
 *                                library does not have. */
weir_status weir_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                              size_t args_bytes);
/** Put a C function into a queue of a host device (the home device included); it runs in order, on a
 *  thread of the queue. It may take its time but must not wait for what comes later in this queue (a
 *  weir_queue_sync() of it is refused), and must not destroy it. It says by weir_work_fail() that it failed.
 *  On a simulated device it takes the time of a launch and must not call into weir otherwise.
 *  @retval WEIR_ERR_UNSUPPORTED  the queue is a GPU's: put a weir_kernel in, or your own kernels into
 *                                weir_queue_native(). */
weir_status weir_queue_call(weir_queue *queue, void (*function)(void *user), void *user);
/** Say that the work at hand failed: called in the host form of a kernel, by any of its workers, or in a
 *  function of weir_queue_call(). The queue keeps the first failure and stops (weir_queue_status()), its
 *  device goes on. weir_queue_sync(), waits for events that are recorded behind the failure, and waits for
 *  futures set with them return @p status, with @p sentence for weir_error_detail(). Queues that wait for
 *  such an event go on, as behind a future that failed. The call returns and so must the kernel or function.
 *  @param[in] status    a failure. Of a queue WEIR_ERR_TIMEOUT becomes WEIR_ERR_CANCELLED, which a wait can
 *                       tell from its own time limit.
 *  @param[in] sentence  why, without newline or final stop; copied. NULL: the text of the status.
 *  @return the failure; WEIR_ERR_INVALID: the calling thread runs no work of a queue, or @p status is none. */
weir_status weir_work_fail(weir_status status, const char *sentence);
/** Mark the present end of the queue with @p event, which is of the queue's device; an event may be
 *  recorded again.
 *  @retval WEIR_ERR_INVALID  an event of another device. */
weir_status weir_queue_record(weir_queue *queue, weir_event *event);
/** What comes after in this queue waits for @p event; any backend, any device of the context.
 *  The event must not be recorded again or released before the queue has passed this point.
 *  @retval WEIR_ERR_INVALID  it is of another context, or was not recorded since it was acquired. */
weir_status weir_queue_wait_event(weir_queue *queue, weir_event *event);
/** The same for a future whose event may not exist yet; the future may be released right after. If
 *  the future fails the queue goes on: check weir_future_query() before trusting the data.
 *
 *  A queue of a GPU is *held* from here until the future is decided: what is put in behind is kept on the host and
 *  submitted then, by the thread that decides it, so that any number of held queues holds up nobody else on the
 *  device. The same happens behind an event whose record is itself kept, and behind one of a host device that is not
 *  complete. The calls return as always; they take host memory (weir_queue_stats_get()), and may fail for want of it
 *  with WEIR_ERR_NOMEM, then nothing was put in. An operation that fails when it is submitted breaks the queue: what
 *  was put in behind is dropped, events and stamps recorded there end with that status, and so do weir_queue_sync()
 *  and every later call.
 *  @retval WEIR_ERR_INVALID  the queue would be held, and its stream was handed out (weir_queue_native()): the
 *                            program could put in what runs too early. Wait on the host first. */
weir_status weir_queue_wait_future(weir_queue *queue, weir_future *future);
/** Wait on the host until everything put in so far has run; also for the futures that hold the queue.
 *  @retval WEIR_ERR_DEVICE  a kernel or copy failed; or what weir_queue_status() returns. */
weir_status weir_queue_sync(weir_queue *queue);
/** The CUDA stream (cudaStream_t) for a program's own kernels, cuBLAS, NCCL, or NULL on a host device.
 *  What is put into it runs in order with what weir puts there. Owned by the queue. From then on the queue cannot be
 *  held: a wait that would hold it is refused, see weir_queue_wait_future(). NULL if the device has failed.
 *  @par Blocks  while the queue is held: until its futures are set or failed, or its device fails. */
void *weir_queue_native(weir_queue *queue);
/** What comes after in this queue waits for an event of the program's own (a cudaEvent_t of any GPU
 *  that was recorded already). It must not be recorded again, nor destroyed, before the queue has passed this point.
 *  @retval WEIR_ERR_UNSUPPORTED  a host device's queue, which has no foreign events. */
weir_status weir_queue_wait_native(weir_queue *queue, void *native_event);
/** The cudaEvent_t behind an event, for the program's own streams to wait for; NULL on a host device.
 *  @par Blocks  while the event's record is kept for a held queue: the program's stream would not wait for it. */
void *weir_event_native(weir_event *event);

/** How a program's own CUDA kernel should be started so that copies by kernel and the kernels of
 *  receivers find room beside it (Groute section 4.5, KernelSizing). */
typedef struct weir_grid {
    uint32_t blocks;
    uint32_t threads; /**< of a block */
} weir_grid;
/** Choose a grid for @p items items of work, one a thread: as many blocks as fit the device at a time, less
 *  what lets a copy by kernel (512 threads a block) start on an eighth of the multiprocessors, and on one
 *  for each receiver; never more than the items need, and at least one block.
 *  @param[in] threads          threads of a block, a multiple of 32 up to 1024.
 *  @param[in] blocks_per_unit  blocks of this kernel that fit a multiprocessor at a time
 *                              (cudaOccupancyMaxActiveBlocksPerMultiprocessor); 0: by threads alone.
 *  @param[in] receivers        links that deliver to this device while the kernel runs; 0: it may have
 *                              the whole device.
 *  On a host device: the number of its threads, of 1 lane each.
 *  @retval WEIR_ERR_INVALID  no block has so many threads. */
weir_status weir_grid_for(const weir_device *device, uint64_t items, uint32_t threads,
                          uint32_t blocks_per_unit, uint32_t receivers, weir_grid *grid_out);

/** A moment in a queue and the time at which the device came to it: what measurements are made of.
 *  Events carry no time, which makes them cheaper. Long-lived. */
typedef struct weir_stamp weir_stamp;
/** A stamp for queues of one device. @retval WEIR_ERR_NOMEM  no memory for it. */
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

/** Take an event from the device's pool, whose WEIR_EVENTS were made at start; more are made, up to 16
 *  times as many, only while all of them are in use. On a simulated device it may wait for call-backs
 *  that another thread is making.
 *  @retval WEIR_FULL  all that there may be are in use. */
weir_status weir_event_acquire(weir_device *device, weir_event **event_out);
/** Give it back, before or after the context was destroyed; NULL is fine. No queue may still be about to wait for it.
 */
void weir_event_release(weir_event *event);
/** @retval WEIR_OK  everything before it has run, or it was never recorded.
 *  @retval WEIR_PENDING  not yet.  @retval WEIR_ERR_DEVICE  the device failed. Or the failure of the queue
 *  that it was recorded in (weir_work_fail()). */
weir_status weir_event_query(weir_event *event);
/** Wait on the host. @param[in] timeout_ms  negative: without limit.
 *  @retval WEIR_ERR_TIMEOUT  not within the time. */
weir_status weir_event_wait(weir_event *event, int64_t timeout_ms);

/* ---- futures ------------------------------------------------------------------------------ */

/** A new future, referenced once. It keeps the context. */
weir_status weir_future_create(weir_context *context, weir_future **future_out);
/** One more reference; @return @p future. */
weir_future *weir_future_retain(weir_future *future);
/** One reference less; the last frees it. NULL is fine. A future must be set or failed by then if a
 *  queue waits for it. */
void weir_future_release(weir_future *future);
/** Fulfil it: it completes when @p event does (NULL: now). The future takes the event over and
 *  releases it. Only the first of set and fail counts.
 *  @retval WEIR_ERR_INVALID  it was already set or failed, or the event is of another context or was never recorded; the
 *                            event stays the caller's.
 *  @par Blocks  no; but where there is no memory to watch the event, and a queue waits for the future, until the event
 *               has come. */
weir_status weir_future_set(weir_future *future, weir_event *event);
/** End it with a failure (or WEIR_CLOSED): waiters return @p status, gated queues go on. The sentence of this thread's
 *  last failure goes with it if that was one of @p status (weir_error_set()). WEIR_ERR_TIMEOUT, by which waits say that
 *  they came to their own limit, counts as WEIR_ERR_CANCELLED.
 *  @retval WEIR_ERR_INVALID  it was already set or failed, or @p status is neither a failure nor WEIR_CLOSED: it is still
 *                            to be ended. */
weir_status weir_future_fail(weir_future *future, weir_status status);
/** @retval WEIR_OK complete.  @retval WEIR_PENDING not yet.  Otherwise the status it ended with. */
weir_status weir_future_query(weir_future *future);
/** Wait on the host until it is complete. @param[in] timeout_ms  negative: without limit. */
weir_status weir_future_wait(weir_future *future, int64_t timeout_ms);

/** Wait on the host until one of @p count futures is complete or failed. They are of one context; the same one
 *  may stand there several times, and NULL is passed over, so that a program may strike out those that it is
 *  through with. Of several that are complete the first in the list is taken.
 *  @param[in]  timeout_ms  negative: without limit; 0: looks, and waits for nobody.
 *  @param[out] index_out   which one; @p count if none is.
 *  @return what that future ended with.
 *  @retval WEIR_ERR_TIMEOUT  with @p count in @p index_out: none within the time.
 *  @retval WEIR_ERR_INVALID  with @p count in @p index_out: there is no future, or two contexts.
 *  @retval WEIR_ERR_NOMEM    with @p count in @p index_out: no memory to wait for several. */
weir_status weir_future_wait_any(weir_future *const *futures, size_t count, int64_t timeout_ms,
                                 size_t *index_out);
/** Wait on the host until all of them are complete or failed; the same rules. None at all are complete.
 *  @param[out] index_out  the first in the list that failed; on WEIR_ERR_TIMEOUT one that is not complete;
 *                         else @p count. May be NULL.
 *  @return what the first in the list that failed ended with, or WEIR_OK. */
weir_status weir_future_wait_all(weir_future *const *futures, size_t count, int64_t timeout_ms,
                                 size_t *index_out);

/** A call-back that waits for a future. Short-lived. */
typedef struct weir_watch weir_watch;
/** Have @p fn called, once, when the future is complete or failed, with the status it ended with. The caller's
 *  reference may be released right after, if somebody else holds one to decide it: with the last of those a
 *  future that was never decided goes, and calls nobody.
 *
 *  The thread that calls is the one that finds out: a thread of the runtime (a host queue's, the one that
 *  watches a GPU's events), the one that sets or fails the future, one that drives a simulation, or the
 *  caller before this call returns, if the future is complete. It may hold locks of the runtime: @p fn must
 *  not block, and of weir may call weir_context_post() and weir_watch_destroy() of its own watch, nothing
 *  else. To do more, go by weir_future_post().
 *  @param[out] watch_out  to withdraw the call with weir_watch_destroy(), which somebody must then call, also
 *                         after @p fn was called; set before @p fn can be called. NULL: it is not withdrawn,
 *                         and frees itself.
 *  @retval WEIR_ERR_NOMEM  no memory: @p fn is not called. */
weir_status weir_future_notify(weir_future *future, void (*fn)(void *user, weir_status status),
                               void *user, weir_watch **watch_out);
/** When this returns the function is not running and will not be called: what its `user` points to may go.
 *  In its own function a watch may be destroyed too; that call is then the last. NULL is fine.
 *  @par Blocks  while another thread is in the function. */
void weir_watch_destroy(weir_watch *watch);

/* ---- completion queue --------------------------------------------------------------------- */

/** Have @p word put into the completion queue of the future's context when the future is complete or failed;
 *  at once if it is. References as for weir_future_notify(). Each post is taken once; a future may be posted
 *  several times. Needs memory now, none later.
 *  @retval WEIR_ERR_NOMEM  no memory: nothing will come. */
weir_status weir_future_post(weir_future *future, uint64_t word);
/** Put @p word into the completion queue now: by this another thread, or a call-back (`arrived` and `room` of a
 *  link, a function of weir_future_notify()), wakes the thread that serves the queue. Words come in the order in which
 *  they were put there. @retval WEIR_ERR_NOMEM  no memory for it. */
weir_status weir_context_post(weir_context *context, uint64_t word);
/** Take the oldest completion; any thread. Does not wait; on simulated devices time goes on by one moment if
 *  there is none, as in weir_future_query().
 *  @param[out] status_out  what the future ended with; WEIR_OK for weir_context_post(). May be NULL.
 *  @retval WEIR_PENDING  there is none now; the outputs are left as they are. */
weir_status weir_context_next(weir_context *context, uint64_t *word_out, weir_status *status_out);
/** A descriptor for poll(), epoll or an event loop that is readable while the completion queue is not empty.
 *  It is the context's, and closed with it; do not read from it: weir_context_next() does. Nobody else
 *  wakes the loop, so ask weir_device_status() now and then, by a timer, as programs do that only query. Some things
 *  that routers put off for a time go on by that call, too.
 *  @retval WEIR_ERR_UNSUPPORTED  the devices are simulated: time goes on only in calls.
 *  @retval WEIR_ERR_NOMEM        the process has no descriptor left. */
weir_status weir_context_fd(weir_context *context, int *fd_out);

/* ---- tracing ------------------------------------------------------------------------------ */

/** How much a trace may keep; zero in a field is its default. */
typedef struct weir_trace_config {
    size_t size;    /**< sizeof(weir_trace_config), set by WEIR_TRACE_CONFIG_INIT */
    uint64_t bytes; /**< of host memory for events of 96 bytes, 1 MiB to 64 GiB; 0: 64 MiB */
    /** Operations of a GPU's queues whose times are not known yet, up to 65536: two timing events each; 0: 2048. */
    uint32_t stamps;
    /** Phases that the resident kernel of a device may note in one run, up to 2^24: 64 bytes each of the device's
     *  memory, and of a GPU as much page-locked memory, up to 4 MiB; taken with the first run; 0: 65536. */
    uint32_t notes;
} weir_trace_config;
/** Defaults of weir_trace_config. */
#define WEIR_TRACE_CONFIG_INIT             \
    {                                      \
        sizeof(weir_trace_config), 0, 0, 0 \
    }

/** What a trace has kept. */
typedef struct weir_trace_stats {
    size_t size;      /**< sizeof(weir_trace_stats), set by WEIR_TRACE_STATS_INIT */
    uint64_t events;  /**< kept */
    uint64_t dropped; /**< not kept, since some bound of weir_trace_config was reached */
    double
        error_us; /**< by which the time of a GPU may be off against the host's, at most; 0: no GPU */
} weir_trace_stats;
/** weir_trace_stats: nothing filled in yet. */
#define WEIR_TRACE_STATS_INIT             \
    {                                     \
        sizeof(weir_trace_stats), 0, 0, 0 \
    }

/** In what form a trace is written. */
typedef enum weir_trace_form {
    WEIR_TRACE_JSON = 0, /**< the events as JSON of Chrome's tracing, which ui.perfetto.dev opens */
    WEIR_TRACE_DOT /**< who sent to whom as a graph for Graphviz, with traffic and idle times */
} weir_trace_form;

/** Begin a trace: from now on operations of queues, messages of links, phases of workers and supersteps, and runs are
 *  kept, until weir_context_trace_stop(). What was kept by an earlier trace is forgotten. What is under way
 *  is left out. The memory for events is taken here; when it is full, later events are counted and dropped.
 *  docs/tracing.md tells what is in a trace, and what it costs.
 *  @param[in] config  NULL for defaults.
 *  @retval WEIR_ERR_INVALID  one is on already, or a number is out of range.
 *  @retval WEIR_ERR_NOMEM    no memory for the events, or a GPU has none for stamps.
 *  @retval WEIR_ERR_TIMEOUT  a GPU is so busy that it did not tell its time within 200 ms.
 *  @par Threads  any; work may go on meanwhile.
 *  @par Blocks   with GPUs, while the clocks are compared: a millisecond for each. */
weir_status weir_context_trace(weir_context *context, const weir_trace_config *config);
/** End it. What is kept stays until the next trace begins, or the context ends. Work whose end is not known yet
 *  is left out, and counted as dropped where it is in a queue of a GPU: wait for queues first.
 *  @param[in,out] stats_out  begins as WEIR_TRACE_STATS_INIT; may be NULL.
 *  @retval WEIR_ERR_INVALID  none is on.
 *  @par Blocks  as weir_context_trace(). */
weir_status weir_context_trace_stop(weir_context *context, weir_trace_stats *stats_out);
/** Write what the last trace kept, piece by piece: no more than some bytes for each event are taken meanwhile.
 *  @param[in] write  called with the pieces, in order; @return 0, or an errno that ends the writing.
 *  @retval WEIR_ERR_INVALID  there is none, or it was not stopped.
 *  @retval WEIR_ERR_IO       @p write said so.
 *  @retval WEIR_ERR_NOMEM    no memory to put the events in order.
 *  @par Threads  any; no trace may begin meanwhile. */
weir_status weir_context_trace_write(weir_context *context, weir_trace_form form,
                                     int (*write)(void *user, const char *text, size_t bytes),
                                     void *user);

/* ---- long calls ---------------------------------------------------------------------------- */

/** Who waits for long calls. While an observer is attached to a thread, it sees what calls of that thread are busy with, and may
 *  end them: those that read, make, weigh, write, partition and summarize graphs, that create placements, rows and
 *  algorithms, copies to devices included, and that compute references (the list stands at the head of algorithms/algorithms.h).
 *  A call that is ended leaves nothing behind: no object, no half of a file, no process; what it was given is as it was, but for
 *  results that it would have filled. Runs are not among them: they have a cancel and a time limit of their own. Threads that a call starts
 *  belong to it. Any number of threads may have an observer each. Long-lived. docs/waiting.md has an example. */
typedef struct weir_observer weir_observer;

/** What a call is busy with; a plain value. */
typedef struct weir_activity {
    size_t size;      /**< sizeof(weir_activity), set by WEIR_ACTIVITY_INIT */
    const char *name; /**< "sorting arcs"; static storage; NULL: no such call is running */
    const char
        *unit; /**< of the two below: "bytes", "arcs", "vertices", ...; NULL: nothing is counted */
    uint64_t done;
    uint64_t total; /**< 0: nobody knows yet */
    double ms;      /**< since the call began, milliseconds */
} weir_activity;
/** weir_activity: nothing filled in yet. */
#define WEIR_ACTIVITY_INIT                         \
    {                                              \
        sizeof(weir_activity), NULL, NULL, 0, 0, 0 \
    }

/** Make an observer, attached to no thread, without a limit.
 *  @retval WEIR_ERR_NOMEM
 *  @par Threads  any. */
weir_status weir_observer_create(weir_observer **observer_out);
/** Destroy it; NULL is fine. If it is attached to the calling thread, that has none from then on; it may not be attached to another. */
void weir_observer_destroy(weir_observer *observer);
/** Have the calling thread's calls observed from now on; NULL: by nobody. To one thread at a time.
 *  @return what was attached before, or NULL. */
weir_observer *weir_observer_attach(weir_observer *observer);
/** From now on a call that takes longer ends with WEIR_ERR_TIMEOUT, within tenths of a second. Each call has all of the time.
 *  @param[in] time_limit_ms  milliseconds; 0: no limit.
 *  @par Threads  any. */
void weir_observer_limit(weir_observer *observer, uint32_t time_limit_ms);
/** End the call that is running, within tenths of a second, and all later ones: they return WEIR_ERR_CANCELLED. A call that was about to be
 *  complete may still succeed. It cannot be taken back: for other calls there is another observer.
 *  @par Threads  any. */
void weir_observer_stop(weir_observer *observer);
/** What the call that is running is busy with. Counts grow until another activity begins.
 *  @param[in,out] activity_out  begins as WEIR_ACTIVITY_INIT.
 *  @retval WEIR_ERR_INVALID  @p observer is NULL, or the size was never set.
 *  @par Threads  any. */
weir_status weir_observer_look(weir_observer *observer, weir_activity *activity_out);

/* ---- segments ----------------------------------------------------------------------------- */

/** A piece of memory on a device with two words of the user's: what links carry. A plain value; it
 * owns nothing. */
typedef struct weir_segment {
    weir_device *device; /**< whose memory @p data is */
    void *data;          /**< first byte; may be NULL when bytes is 0 */
    size_t bytes;
    size_t offset; /**< where in its message a received packet lies; 0 when sending */
    uint64_t meta; /**< travels unchanged; policies may read it */
    uint64_t tag;  /**< travels unchanged; no policy that ships reads it */
    /** Of a received packet: who sent it, as the number of the link it was sent on among the inputs of the router that
     *  link leads into (weir_link_number()). Unused when sending. */
    uint32_t source;
} weir_segment;

#ifdef __cplusplus
}
#endif
#endif
