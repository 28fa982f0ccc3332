/** @file cuda.h  The CUDA backend's own structs. Included in runtime/cuda only.
 *
 * Plain C against the CUDA runtime; the two driver calls it needs (stream memory operations) are
 * asked for at run time, so nothing links with libcuda. */
#ifndef WEIR_RUNTIME_CUDA_CUDA_H
#define WEIR_RUNTIME_CUDA_CUDA_H

#include "runtime/backend.h"

#include <cuda_runtime_api.h>

/** A word of page-locked memory that a stream waits for: how a stream is held by something that is
 *  not a CUDA event. Words only grow, so one that was opened can be used again; but only when the
 *  number has arrived, or a late write of it could overwrite a newer one. */
struct cuda_gate {
    struct cuda_device *device;
    struct cuda_gate *next_free;
    uint32_t
        *word; /* written by the host (release, system scope) or a stream, read by the stream */
    uint32_t number;           /* what the stream waits for: at least this */
    const weir_device *writer; /* whose stream writes the number; NULL: the host did */
};

struct cuda_device {
    weir_device base;
    int ordinal;
    struct {
        pthread_mutex_t lock; /* guards the free list, the oldest first, and writers */
        struct cuda_gate *all, *free, *last;
        uint32_t *words;
    } gates;
    struct {
        pthread_mutex_t lock; /* guards all below */
        pthread_cond_t more;
        pthread_t thread;
        int started, stop;
        struct cuda_watch *list;
        struct cuda_watch *due; /* the thread's own: it calls them without the lock */
        int *ended;             /* on the thread's stack, set by itself: the device is gone */
    } watcher;
    struct {
        pthread_mutex_t lock; /* guards the list */
        struct cuda_queue *list;
    } queues;
};

struct cuda_queue {
    weir_queue base;
    struct cuda_queue *next;
    cudaStream_t stream;
};

struct cuda_event {
    weir_event base;
    cudaEvent_t event;
};

struct cuda_stamp {
    weir_stamp base;
    cudaEvent_t event;
    int put; /* into a queue, once at least; release when set, acquire when read */
};

/** Turn a CUDA error into a status with a sentence; cudaSuccess gives WEIR_OK. An error that the device
 *  does not recover from marks it. */
weir_status weir__cuda_check(const weir_device *device, const char *what, cudaError_t error);
/** Make @p device the calling thread's current one. */
weir_status weir__cuda_use(const weir_device *device);

weir_status weir__cuda_gates_open(struct cuda_device *device);
void weir__cuda_gates_close(struct cuda_device *device);
/** Hold @p queue; @p gate_out opens it with weir__cuda_gate_open(). */
weir_status weir__cuda_gate_put(struct cuda_queue *queue, struct cuda_gate **gate_out);
/** A weir__notify_fn: lets the stream go on and gives the gate back. */
void weir__cuda_gate_open(void *gate);
/** A weir__open_fn: the same by @p queue, a GPU's, when it comes there. */
weir_status weir__cuda_gate_open_in(weir_queue *queue, void *gate);
/** Open what @p failed was to open. */
void weir__cuda_gates_forsake(weir_device *device, const weir_device *failed);

weir_status weir__cuda_queue_create(weir_device *device, int high_priority, weir_queue **queue_out);
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
weir_status weir__cuda_queue_wait_future(weir_queue *queue, weir_future *future);
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

weir_status weir__cuda_connect(weir_device *source, weir_device *destination, int *reaches_out);
void weir__cuda_facts(weir_device *device, weir__device_facts *facts_out);
int weir__cuda_pair_atomics(weir_device *source, weir_device *destination);

#endif
