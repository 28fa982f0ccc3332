/** @file engine.h  What the engine of a simulation is inside. Included in runtime/sim only.
 *
 * Lock rules: `lock` guards the whole engine, its queues, events and stamps. A future's lock may be taken
 * inside it; a device's events lock may not (weir_event_acquire() takes them the other way round), so
 * call-backs are made without it.
 *
 * Call-backs may be made inside weir_event_acquire(), which a router calls with the lock of an
 * output or of a message held; and who acquires waits for call-backs that another thread makes. So a
 * call-back may take neither of those locks, and may not wait for who holds one. */
#ifndef WEIR_RUNTIME_SIM_ENGINE_H
#define WEIR_RUNTIME_SIM_ENGINE_H

#include "runtime/backend.h"

enum sim_kind {
    SIM_COPY,
    SIM_FILL,
    SIM_LAUNCH,
    SIM_CALL,
    SIM_RECORD,
    SIM_STAMP,
    SIM_WAIT,
    SIM_GATE
};

struct sim_queue;

struct sim_op {
    struct sim_op *next;
    struct sim_queue *queue;
    enum sim_kind kind;
    uint64_t delay_ps;          /* before bytes flow, of a kernel or call */
    const weir__sim_path *path; /* of a copy or fill */
    void *destination;
    const void *source;
    size_t bytes;
    int value; /* of a fill */
    const weir_kernel *kernel;
    void (*function)(void *user); /* of a call */
    void *user;
    struct sim_event *event;
    uint64_t number; /* of an event's record, or a stamp's */
    struct sim_stamp *stamp;
    int open; /* of a gate */
    struct weir__trace_mark mark;
    uint64_t begun_ps; /* when its queue came to it */
    size_t room;       /* bytes behind the struct, for arguments */
    _Alignas(16) unsigned char args[];
};

enum sim_state {
    SIM_IDLE,    /* nothing in it */
    SIM_READY,   /* among the due: comes to its first operation */
    SIM_DELAYED, /* among the due: its first operation's delay */
    SIM_FLOWING, /* among the flows: the bytes of its first operation */
    SIM_BLOCKED  /* its first operation waits for an event, or is a gate */
};

struct sim_queue {
    weir_queue base;
    struct weir__sim *sim;
    uint64_t number; /* in the order made: what happens at the same time happens in this order */
    enum sim_state state;
    uint64_t due_ps;
    struct sim_op *first, *last, *spare;
    uint64_t put, done;        /* operations, ever */
    struct sim_queue *waiting; /* the next one that waits for the same event */
    /* Its bytes while they flow: `left` of them at `since_ps`, at this rate from then on. */
    double left, rate_gbs;
    uint64_t since_ps, finish_ps;
};

struct sim_watch {
    struct sim_watch *next;
    uint64_t number;
    weir__notify_fn fn;
    void *user;
};

struct sim_calls {
    struct sim_watch *first, *last;
};

/** Records are counted, so that who waits for one is not confused by a later one. */
struct sim_event {
    weir_event base;
    uint64_t recorded, done;
    struct sim_queue *waiting; /* a queue that waits for it as its first operation */
    struct sim_calls watches;
};

struct sim_stamp {
    weir_stamp base;
    uint64_t put, reached;
    uint64_t time_ps; /* of the last one reached */
};

#define WEIR__SIM_LAST_PS (UINT64_MAX - 1) /* seven months; UINT64_MAX stands for never */

/* Time does not wrap: at its end it stands still, and what is left happens there, in order. */
static inline uint64_t weir__sim_later(uint64_t time_ps, uint64_t by_ps)
{
    return by_ps < WEIR__SIM_LAST_PS - time_ps ? time_ps + by_ps : WEIR__SIM_LAST_PS;
}

struct weir__sim {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something was put in, opened, reached or called */
    struct {
        uint32_t devices, resources;
        double *capacity_gbs;
        weir__sim_path *paths;
        char (*names)[64];
        uint64_t *memory_bytes;
        uint64_t copy_ps, push_ps, launch_ps;
        int dry;
    } model;
    uint64_t now_ps;
    uint64_t made;            /* queues, ever */
    uint64_t puts;            /* operations, ever */
    struct sim_calls calls;   /* due; time stands still while there are any */
    uint32_t calling;         /* nested rounds of calls that `caller` makes right now */
    pthread_t caller;         /* valid while calling */
    uint32_t queues, room;    /* alive, and for how many the tables below are long enough */
    struct sim_queue **due;   /* a heap, the earliest first */
    struct sim_queue **flows; /* in the order of their numbers */
    uint32_t due_count, flow_count;
    int shares_stale;
    struct { /* what weir__share() is given */
        uint32_t *begin;
        uint16_t *use;
        double *limit, *rate, *scratch;
    } share;
};

/* ---- engine.c ------------------------------------------------------------------------------- */

static inline struct weir__sim *weir__sim_of(const weir_device *device)
{
    return weir__context_engine(device->context);
}

/** An engine for a model, which is copied.
 *  @retval WEIR_ERR_INVALID  a figure of the model is negative or no number, or names no resource. */
weir_status weir__sim_create(const weir__sim_model *model, struct weir__sim **sim_out);
/** All queues, events and devices must be gone. NULL is fine. */
void weir__sim_destroy(struct weir__sim *sim);

/** Let virtual time go on until is(user), which is asked with the engine locked.
 *  @param[in] timeout_ms  wall time; counts only while the simulation can do nothing by itself, or while
 *                         other threads give it work. Negative: without limit.
 *  @retval WEIR_ERR_TIMEOUT  not within the time.
 *  @par Blocks  while nothing can be done, until another thread changes something. */
weir_status weir__sim_wait(struct weir__sim *sim, int (*is)(void *user), void *user,
                           int64_t timeout_ms);
/** Do what is due now; unless is(user) then, go on to the next moment at which something happens.
 *  @return is(user) after it. */
int weir__sim_poll(struct weir__sim *sim, int (*is)(void *user), void *user);
/** Do what is due now, then go on to the next moment at which something happens.
 *  @return 0: nothing could be done, nor will another thread that makes call-backs right now.
 *  @par Blocks  while time stands still for another thread's call-backs. */
int weir__sim_go_on(struct weir__sim *sim);
/** What a waiting thread waits for may have come: it looks again. */
void weir__sim_changed(struct weir__sim *sim);

/** Make the call-backs that are due; those that another thread makes are over, too, after it. */
void weir__sim_drain(struct weir__sim *sim);

/* All below is called with the engine locked. */

/** Whether another thread is inside call-backs: until it is through no others are made, and time
 *  stands still. */
int weir__sim_calls_elsewhere(const struct weir__sim *sim);

/* ---- due.c ---------------------------------------------------------------------------------- */

/** Tables for one more queue: then nothing is allocated while time goes on. */
weir_status weir__sim_reserve(struct weir__sim *sim);
void weir__sim_due_push(struct weir__sim *sim, struct sim_queue *queue, uint64_t due_ps);
struct sim_queue *weir__sim_due_pop(struct weir__sim *sim);

/* ---- flow.c --------------------------------------------------------------------------------- */

void weir__sim_flow_start(struct weir__sim *sim, struct sim_queue *queue);
/** When the next flow ends; UINT64_MAX: none flows. */
uint64_t weir__sim_flow_next(struct weir__sim *sim);
/** Take a flow that ends now out; NULL: none does. */
struct sim_queue *weir__sim_flow_ended(struct weir__sim *sim);

/* ---- run.c ---------------------------------------------------------------------------------- */

/** The queue comes to its first operation at the present time. */
void weir__sim_ready(struct weir__sim *sim, struct sim_queue *queue);
/** A queue is due: go on as far as it gets at the present time. */
void weir__sim_run(struct weir__sim *sim, struct sim_queue *queue);
/** Its bytes have flown: go on behind them. */
void weir__sim_arrived(struct weir__sim *sim, struct sim_queue *queue);

/* ---- event.c -------------------------------------------------------------------------------- */

void weir__sim_event_reached(struct weir__sim *sim, struct sim_event *event, uint64_t number);

/* ---- the backend's functions, which lock the engine ------------------------------------------- */

weir_status weir__sim_queue_create(weir_device *device, int high_priority, weir_queue **queue_out);
void weir__sim_queue_destroy(weir_queue *queue);
weir_status weir__sim_queue_copy(weir_queue *queue, weir_device *destination_device,
                                 void *destination, weir_device *source_device, const void *source,
                                 size_t bytes);
weir_status weir__sim_queue_push(weir_queue *queue, weir_device *destination_device,
                                 void *destination, weir_device *source_device, const void *source,
                                 size_t bytes);
weir_status weir__sim_queue_fill(weir_queue *queue, void *data, int value, size_t bytes);
weir_status weir__sim_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                                   size_t args_bytes);
weir_status weir__sim_queue_call(weir_queue *queue, void (*function)(void *user), void *user);
weir_status weir__sim_queue_record(weir_queue *queue, weir_event *event);
weir_status weir__sim_queue_wait_event(weir_queue *queue, weir_event *event);
weir_status weir__sim_queue_wait_future(weir_queue *queue, weir_future *future);
weir_status weir__sim_queue_sync(weir_queue *queue, int64_t timeout_ms);
weir_status weir__sim_queue_stamp(weir_queue *queue, weir_stamp *stamp);

weir_status weir__sim_event_create(weir_device *device, weir_event **event_out);
void weir__sim_event_destroy(weir_event *event);
weir_status weir__sim_event_query(weir_event *event);
weir_status weir__sim_event_look(weir_event *event);
weir_status weir__sim_event_wait(weir_event *event, int64_t timeout_ms);
weir_status weir__sim_event_notify(weir_event *event, weir__notify_fn fn, void *user);
weir_status weir__sim_stamp_create(weir_device *device, weir_stamp **stamp_out);
void weir__sim_stamp_destroy(weir_stamp *stamp);
weir_status weir__sim_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out);

#endif
