/** @file host.h  The host backend's own structs. Included in runtime/host only. */
#ifndef WEIR_RUNTIME_HOST_HOST_H
#define WEIR_RUNTIME_HOST_HOST_H

#include "runtime/backend.h"

/** The threads of a host device that run a kernel together; worker 0 is the queue's own thread. */
struct host_team {
    pthread_mutex_t turn; /* one kernel at a time; taken before `lock` */
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t start, finish;
    uint64_t round;   /* grows with each kernel */
    uint32_t running; /* helpers still in it */
    int stop;
    weir_queue *queue; /* that the kernel is of */
    const weir_kernel *kernel;
    const void *args;
    const weir_context *context;
    uint32_t workers;
    uint32_t started; /* helpers alive */
    pthread_t *threads;
};

struct host_device {
    weir_device base;
    struct host_team team;
};

/** Recorded and reached points are counted, so that a queue that waits for an earlier record is
 *  not confused by a later one. */
struct host_event {
    weir_event base;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t reached;
    uint64_t recorded, done; /* numbers of the last record put in and run */
    struct host_watch *watches;
};

/** Marks are counted like an event's records: the time is that of the last one put in. */
struct host_stamp {
    weir_stamp base;
    pthread_mutex_t lock;  /* guards all below */
    uint64_t put, reached; /* numbers of the last mark put in and of the last one reached */
    uint64_t ns;           /* when that was */
};

weir_status weir__host_team_open(struct host_team *team, const weir_context *context,
                                 uint32_t workers);
void weir__host_team_close(struct host_team *team);
/** Run a kernel of @p queue, whose thread calls, on all workers and wait for them. */
void weir__host_team_run(struct host_team *team, weir_queue *queue, const weir_kernel *kernel,
                         const void *args);

/** Learn how many cores there are for weir__host_spins(): a call of the system, so once for each team and not for each kernel. */
void weir__host_count_cores(void);
/** @p threads more threads of this process run kernels from now on; fewer, if it is negative. Any thread. */
void weir__host_crowd(int32_t threads);
/** Since when it is watched what the process computes, and what it had computed then. Nanoseconds. */
struct host_window {
    uint64_t since; /* 0: not yet */
    uint64_t computed;
};
/** For how long threads are to sleep rather than yield; 0: not at all. @param[in] now  when a yield came back late.
 *  @param[in] computed  by the process so far.  @param[in] of_cores  those that its kernels could have. */
uint64_t weir__host_crowded_for(struct host_window *window, uint64_t now, uint64_t computed,
                                uint32_t of_cores);
/** Whether there is a core for each thread that runs a kernel, so that waits need not begin with giving theirs away. */
int weir__host_spins(void);
/** Tells threads whether to sleep at once where other programs want the cores. They do so unless they are told not to. Tests do. */
void weir__host_heed_others(int heed);

weir_status weir__host_queue_create(weir_device *device, int high_priority, weir_queue **queue_out);
void weir__host_queue_destroy(weir_queue *queue);
weir_status weir__host_queue_reserve(weir_queue *queue, uint32_t count);
weir_status weir__host_queue_copy(weir_queue *queue, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes);
weir_status weir__host_queue_push(weir_queue *queue, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes);
weir_status weir__host_queue_fill(weir_queue *queue, void *data, int value, size_t bytes);
weir_status weir__host_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                                    size_t args_bytes);
weir_status weir__host_queue_call(weir_queue *queue, void (*function)(void *user), void *user);
weir_status weir__host_queue_record(weir_queue *queue, weir_event *event);
weir_status weir__host_queue_wait_event(weir_queue *queue, weir_event *event);
weir_status weir__host_queue_wait_future(weir_queue *queue, weir_future *future);
weir_status weir__host_queue_sync(weir_queue *queue, int64_t timeout_ms);

weir_status weir__host_queue_stamp(weir_queue *queue, weir_stamp *stamp);
weir_status weir__host_stamp_create(weir_device *device, weir_stamp **stamp_out);
void weir__host_stamp_destroy(weir_stamp *stamp);
weir_status weir__host_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out);
/** A mark is put into a queue: its number. */
uint64_t weir__host_stamp_put(struct host_stamp *stamp);
/** The queue has come to mark @p number. */
void weir__host_stamp_reached(struct host_stamp *stamp, uint64_t number);

weir_status weir__host_event_create(weir_device *device, weir_event **event_out);
void weir__host_event_destroy(weir_event *event);
weir_status weir__host_event_query(weir_event *event);
weir_status weir__host_event_wait(weir_event *event, int64_t timeout_ms);
weir_status weir__host_event_notify(weir_event *event, weir__notify_fn fn, void *user);
/** A record is put into a queue: its number. */
uint64_t weir__host_event_recorded(struct host_event *event);
/** The queue has come to record @p number. */
void weir__host_event_reached(struct host_event *event, uint64_t number);
/** Wait for record @p number. */
void weir__host_event_wait_number(struct host_event *event, uint64_t number);

#endif
