/** @file cuda.h  The CUDA backend's own structs. Included in runtime/cuda only.
 *
 * Plain C against the CUDA runtime; the driver calls it needs are asked for at run time, so nothing links with
 * libcuda. */
#ifndef WEIR_RUNTIME_CUDA_CUDA_H
#define WEIR_RUNTIME_CUDA_CUDA_H

#include "runtime/backend.h"

#include <cuda_runtime_api.h>

struct cuda_device {
    weir_device base;
    int ordinal;
    void *context; /* a CUcontext, the device's primary one; NULL: the driver does not tell */
    struct weir__clock_words
        *clock; /* page-locked; of weir__cuda_clock(), one call at a time; NULL at first */
    struct {
        pthread_mutex_t lock; /* guards all below but what `word` points to */
        uint32_t *word;       /* page-locked; NULL until a stream is first held */
        uint32_t number;      /* what the stream waits for in the word: at least this */
        int taken;
    } hold;
    struct {
        pthread_mutex_t lock; /* guards all below */
        pthread_cond_t more;
        pthread_t thread;
        int started, stop;
        struct cuda_watch *list;
        struct cuda_watch *due; /* the thread's own: it calls them without the lock */
        int *ended;             /* on the thread's stack, set by itself: the device is gone */
    } watcher;
};

struct cuda_queue {
    weir_queue base;
    cudaStream_t stream;
    int adopted; /* the stream is the program's, and stays */
};

struct cuda_event {
    weir_event base;
    cudaEvent_t event;
};

struct cuda_stamp {
    weir_stamp base;
    cudaEvent_t event;
};

/** Turn a CUDA error into a status with a sentence; cudaSuccess gives WEIR_OK. An error that the device
 *  does not recover from marks it. */
weir_status weir__cuda_check(const weir_device *device, const char *what, cudaError_t error);
/** Make @p device the calling thread's current one. */
weir_status weir__cuda_use(const weir_device *device);

/** What the calling thread had as its current context, to be put back. */
struct cuda_before {
    void *context; /* a CUcontext, or NULL: the thread had none */
    int ordinal;   /* of its device, where the driver does not tell of contexts */
    int by_driver;
};
/** What the driver calls the context of the calling thread's current device; NULL if it does not tell. */
void *weir__cuda_current(void);
/** Make @p device current for a while, where the thread is the program's and not here to work for weir.
 *  weir__cuda_leave() follows if it succeeds. */
weir_status weir__cuda_enter(const weir_device *device, struct cuda_before *before_out);
void weir__cuda_leave(const struct cuda_before *before);

weir_status weir__cuda_queue_hold(weir_queue *queue, weir_future *future);
void weir__cuda_hold_close(struct cuda_device *device);
/** Find a function of the driver. @return NULL: it has none of that name. */
void *weir__cuda_driver(const char *name);

weir_status weir__cuda_queue_create(weir_device *device, int high_priority, weir_queue **queue_out);
weir_status weir__cuda_queue_adopt(weir_device *device, void *native_stream,
                                   weir_queue **queue_out);
/** Put it among the device's queues, which weir__cuda_status() asks. */
void weir__cuda_queue_destroy(weir_queue *queue);
weir_status weir__cuda_queue_copy(weir_queue *queue, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes);
weir_status weir__cuda_queue_push(weir_queue *queue, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes);
weir_status weir__cuda_queue_fill(weir_queue *queue, void *data, int value, size_t bytes);
weir_status weir__cuda_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                                    size_t args_bytes);
weir_status weir__cuda_queue_record(weir_queue *queue, weir_event *event);
weir_status weir__cuda_queue_wait_event(weir_queue *queue, weir_event *event);
weir_status weir__cuda_queue_sync(weir_queue *queue, int64_t timeout_ms);
weir_status weir__cuda_load(weir_device *device, int (*load)(void));
void *weir__cuda_queue_native(weir_queue *queue);
weir_status weir__cuda_queue_wait_native(weir_queue *queue, void *native_event);
/** Ask the streams of the device whether it still works. */
weir_status weir__cuda_status(weir_device *device);

weir_status weir__cuda_queue_stamp(weir_queue *queue, weir_stamp *stamp);
weir_status weir__cuda_stamp_create(weir_device *device, weir_stamp **stamp_out);
void weir__cuda_stamp_destroy(weir_stamp *stamp);
weir_status weir__cuda_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out);

weir_status weir__cuda_event_create(weir_device *device, weir_event **event_out);
void weir__cuda_event_destroy(weir_event *event);
weir_status weir__cuda_event_query(weir_event *event);
weir_status weir__cuda_event_wait(weir_event *event, int64_t timeout_ms);
void *weir__cuda_event_native(weir_event *event);
/** What to do between two polls of a wait that has taken @p spent_ns. */
void weir__cuda_pause(uint64_t spent_ns);

weir_status weir__cuda_watch_event(weir_event *event, weir__notify_fn fn, void *user);
void weir__cuda_watcher_open(struct cuda_device *device);
/** Call what is watched and end the thread. */
void weir__cuda_watcher_stop(struct cuda_device *device);
void weir__cuda_watcher_close(struct cuda_device *device);

weir_status weir__cuda_clock(weir_queue *queue, int64_t timeout_ms, uint64_t *device_ns,
                             uint64_t *before_ns, uint64_t *after_ns);
void weir__cuda_range(const char *name);

weir_status weir__cuda_connect(weir_device *source, weir_device *destination, int *reaches_out);
void weir__cuda_facts(weir_device *device, weir__device_facts *facts_out);
int weir__cuda_pair_atomics(weir_device *source, weir_device *destination);

#endif
