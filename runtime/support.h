/** @file support.h  What every folder of the library may use of runtime beside the public header: failures with a
 * sentence, memory with a sentence, contexts that are kept, copies in and out, loops over all cores, time. Not
 * installed; internal.h is for the layers right above runtime. */
#ifndef WEIR_RUNTIME_SUPPORT_H
#define WEIR_RUNTIME_SUPPORT_H

#include "runtime/runtime.h"

#include <pthread.h>
#include <time.h>

/** Choose a failure: keeps the sentence for weir_error_detail() of this thread, logs it once, and
 *  returns @p status. Those who pass a status up stay silent. No newline, no final stop. */
weir_status weir__fail(weir_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Put the sentence of another thread's failure in place of this thread's (it was logged there). */
void weir__fail_adopt(weir_status status, const char *detail);
/** The sentence of this thread's last failure if that was one of @p status, so that the two belong together;
 *  else NULL. */
const char *weir__fail_cause(weir_status status);
/** How many sentences this thread was given: tells whether a call-back of the program's set one. */
uint64_t weir__fail_count(void);

/** A sentence that was put aside while a thread does what may fail for a reason of its own. */
struct weir__sentence {
    weir_status status;
    char *text; /**< NULL: there was none, or no memory for it */
};
struct weir__sentence weir__fail_keep(void);
/** Make it the thread's again. */
void weir__fail_restore(struct weir__sentence *kept);

/** Refuse a call that was given NULL for its argument @p name. */
weir_status weir__missing(const char *call, const char *name);

/** Whether a future, a router or the like may end with @p status: a failure of the list. Not WEIR_ERR_TIMEOUT, which
 *  says that a wait came to its own limit and changes nothing. */
int weir__status_ends(weir_status status);

/** The sentence of a wait that came to its time limit, which is no failure to log. */
weir_status weir__timed_out(void);

typedef enum weir__log_level {
    WEIR__LOG_ERROR = 1,
    WEIR__LOG_INFO = 2,
    WEIR__LOG_DEBUG = 3
} weir__log_level;
/** Write a line to stderr if WEIR_LOG asks for this level; off by default. */
void weir__log(weir__log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** malloc that fails with WEIR_ERR_NOMEM naming @p what, and refuses count * bytes overflow.
 *  @p count * @p bytes == 0 gives a valid pointer. Freed with free(). */
weir_status weir__alloc(size_t count, size_t bytes, const char *what, void *data_out);
/** The same, cleared. @p data_out is a pointer to any pointer. */
weir_status weir__calloc(size_t count, size_t bytes, const char *what, void *data_out);
/** As weir__alloc(), in whole pages of its own that are registered (weir_memory_register()).
 *  @retval WEIR_ERR_NOMEM  it cannot be page-locked, too.  @par Blocks  as weir_memory_register(). */
weir_status weir__locked_alloc(weir_context *context, size_t count, size_t bytes, const char *what,
                               void *data_out);
/** Free it, or memory of weir__alloc(). NULL is fine. @par Blocks  as weir_memory_unregister(). */
void weir__locked_free(weir_context *context, void *data);

/** Read a structure of a caller's that begins with its size (docs/abi.md). A shorter one is an older caller's, which
 *  leaves the defaults of what it lacks; a longer one is a newer caller's, whose tail has to be zero.
 *  @param[in,out] known  the library's, @p bytes long: defaults on entry.
 *  @param[in] given      NULL: the defaults stay.  @param[in] what  the name of the type, for the sentence.
 *  @retval WEIR_ERR_INVALID      the size was never set.
 *  @retval WEIR_ERR_UNSUPPORTED  the tail sets what this library does not know. */
weir_status weir__sized_in(void *known, size_t bytes, const void *given, const char *what);
/** The same check of a structure that is not copied. */
weir_status weir__sized_check(const void *given, size_t bytes, const char *what);
/** Whether a structure that is to be filled has its size; NULL is fine. For calls that work before they fill it in.
 *  @retval WEIR_ERR_INVALID  the size was never set. */
weir_status weir__sized_room(const void *given, size_t bytes, const char *what);
/** Fill a caller's structure from the library's, behind the size and as far as both go.
 *  @retval WEIR_ERR_INVALID  it is NULL, or the size was never set; nothing is filled. */
weir_status weir__sized_out(void *given, const void *known, size_t bytes, const char *what);

/** One more user of the context, which ends with the last: weir_context_create() counts as one, and so
 *  does every queue, endpoint, router and link. */
void weir__context_retain(weir_context *context);
void weir__context_release(weir_context *context);

/** Bytes that weir__device_alloc_as() rounds up to: kernels set and copy so many at a time. */
#define WEIR__WHOLE UINT64_C(16)
/** As weir_device_alloc(), of @p elements times @p bytes rounded up to WEIR__WHOLE, with a name for the books.
 *  @param[in] what  a constant: the array's name.  @param[out] data_out  a pointer to any pointer; NULL on failure. */
weir_status weir__device_alloc_as(weir_device *device, const char *what, uint64_t elements,
                                  size_t bytes, void *data_out);
/** The same from a host device, for bytes that only @p near and the host use: from its NUMA node, if there is room. */
weir_status weir__device_alloc_near_as(weir_device *device, const weir_device *near,
                                       const char *what, uint64_t elements, size_t bytes,
                                       void *data_out);
/** As weir__device_alloc_as(), of host memory that kernels of @p reader read in place, at the same address as the host does:
 *  page-locked and near it, if it is a GPU. It counts as the host's, and WEIR_POOL_BYTES does not bound it. */
weir_status weir__zero_copy_alloc(const weir_device *reader, const char *what, uint64_t elements,
                                  size_t bytes, void *data_out);
/** As weir__upload() and weir__download(), to memory of weir__zero_copy_alloc() and from it. */
weir_status weir__zero_copy_write(const weir_device *reader, void *destination, const void *source,
                                  size_t bytes);
weir_status weir__zero_copy_read(const weir_device *reader, void *destination, const void *source,
                                 size_t bytes);
/** Give it back, to the system at once, since page-locked memory is nobody else's. NULL is fine. @par Blocks  while the
 *  driver waits for what runs on a GPU. */
void weir__zero_copy_free(const weir_device *reader, void *data);
/** The device whose pool has it all; NULL: nothing was taken yet, or the context is simulated. */
weir_device *weir__zero_copy_device(weir_context *context);
/** One array of a pool: its name, how many elements it has, and what was asked for. */
typedef void (*weir__pool_use_fn)(void *user, const char *what, uint64_t elements, uint64_t bytes);
/** Tell of everything that a pool has handed out. @p tell is called with the pool locked. */
void weir__pool_uses(weir_device *device, weir__pool_use_fn tell, void *user);

/** What a device of a plan is like. */
struct weir__plan_device {
    weir_device_info info;
    uint64_t bound_bytes; /**< of its pool, if it were there; 0: unknown */
    int shared;           /**< the pools of all devices that say so have that bound together */
};
/** The devices of a context as they are, with what their pools may still hand out. */
void weir__plan_devices_of(const weir_context *context, struct weir__plan_device *devices_out);
/** Those of a device spec on a machine that nobody knows: GPUs are taken to be like an H100, without a bound unless
 *  @p config has one. @param[out] devices_out  WEIR_DEVICES_MAX of them.
 *  @retval WEIR_ERR_INVALID  malformed, or "cuda" without numbers. */
weir_status weir__plan_devices_parse(const char *spec, const weir_config *config,
                                     struct weir__plan_device *devices_out, uint32_t *count_out);
/** The bound that a pool has of a GPU of so many bytes which nobody uses, or the pools of host devices of such a host. */
uint64_t weir__pool_usual_bound(weir_device_kind kind, uint64_t memory_bytes);
/** A context of devices that only count (plan/plan.c): their pools never refuse, their memory has no bytes, and their
 *  queues do nothing. Whoever makes something ready there finds out by weir__pool_uses() what it takes. Home is a real
 *  host device. weir_pool_stats has the bounds of @p devices.
 *  @param[in] like  a context with the same devices, whose reach is taken over; NULL: all reach each other, but for GPUs
 *  where the tunable `peer` is off. */
weir_status weir__context_plan(const struct weir__plan_device *devices, uint32_t count,
                               const weir_config *config, const weir_context *like,
                               weir_context **context_out);
/** From here on copies from device @p from to @p to are staged; the number of devices stands for home. Before anything is
 *  made there. */
void weir__plan_part(weir_context *planned, uint32_t from, uint32_t to);
/** Whether it is one of those: then what would be brought to devices need not be made. */
int weir__context_planned(const weir_context *context);
/** Whether the pools of the first @p count devices could hold @p bytes[d] more than they hold, with those that share a
 *  bound taken together. @return the first that could not; UINT32_MAX: all could. */
uint32_t weir__pools_lack(const weir_context *context, const uint64_t *bytes, uint32_t count);

/** Whether the device has compute units and memory of its own, which others reach by copies and over a bus: a GPU of
 *  whatever maker. Else it works in the host's memory. */
int weir__device_is_gpu(const weir_device *device);

/** Number of cores this process may run on, at least 1. */
uint32_t weir__cores(void);
/** Bytes of the stack that a thread gets unless its maker says otherwise. */
uint64_t weir__stack_bytes(void);
/** Monotonic time in nanoseconds. */
uint64_t weir__now_ns(void);
/** Milliseconds since @p begin_ns, a reading of weir__now_ns(). */
static inline double weir__elapsed_ms(uint64_t begin_ns)
{
    return (double)(weir__now_ns() - begin_ns) / 1e6;
}

/** The time @p timeout_ms from now on CLOCK_MONOTONIC, for timed waits; negative counts as 0. */
struct timespec weir__deadline(int64_t timeout_ms);

/** A condition whose timed waits take weir__deadline(). */
void weir__cond_init(pthread_cond_t *condition);

/** Copy between ordinary host memory and a device's, in pieces through page-locked memory; into memory that was
 *  registered (weir_memory_register()) straight.
 *  @par Blocks  until the bytes are there. */
weir_status weir__upload(weir_device *device, void *destination, const void *source, size_t bytes);
weir_status weir__download(weir_device *device, void *destination, const void *source,
                           size_t bytes);
/** How often threads that run kernels of host devices slept for want of anything to do, in this process so far. Any thread. */
uint64_t weir__host_naps(void);
/** Nanoseconds that the calling thread has spent in weir__upload() since it began: the difference of two readings is
 *  what a longer call spent on copying. */
uint64_t weir__upload_ns(void);
/** The calling thread waited so much longer for others that were in such calls for it. */
void weir__upload_waited(uint64_t ns);

/** Call fn(user, begin, end) for chunks of [0, count) on @p threads threads (0: one per core), and
 *  wait for all. Chunks are cut by @p chunk alone, never by the number of threads. Runs on the
 *  calling thread too, and alone there when no thread can be started. */
void weir__parallel_for(uint64_t count, uint64_t chunk, uint32_t threads,
                        void (*fn)(void *user, uint64_t begin, uint64_t end), void *user);

#endif
