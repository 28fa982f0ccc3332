/** @file held.h  Queues that the host holds, for backends that set `holds`. Included in runtime/ only.
 *
 * A stream of a GPU that waits for what nobody has submitted keeps a hardware connection, and with it other streams,
 * perhaps the very one that it waits for. So a queue that is told to wait for a future that is not decided, for an
 * event whose record was not submitted, or for an event of another backend, is *held*: what is put into it is *kept*
 * here, in order, with its arguments, and submitted when the wait is over. What lies in streams then waits for
 * what was submitted before it, and nothing else.
 *
 * What cannot be submitted fails its queue as work does that runs (failure.c): the work behind it is skipped, records
 * and waits are still submitted in their order.
 *
 * One thread at a time submits for a queue; who puts something in meanwhile adds it behind the rest. A thread that
 * lets a queue go which lets others go does so one after the other, from a list, not one inside the other.
 * Locks: `queues.lock` of a device is a leaf. No backend, no waiter and no program is called with it held. */
#ifndef WEIR_RUNTIME_HELD_H
#define WEIR_RUNTIME_HELD_H

#include "runtime/backend.h"

/** Bits of weir_queue.held.state. */
enum {
    WEIR__HELD = 1,       /* something is kept, or being submitted */
    WEIR__HANDED_OUT = 2, /* the program has the native handle: the queue cannot be held */
};

enum weir__operation_kind {
    WEIR__COPY,
    WEIR__PUSH,
    WEIR__FILL,
    WEIR__LAUNCH,
    WEIR__CALL,
    WEIR__RECORD,
    WEIR__STAMP,
    WEIR__WAIT_EVENT,
    WEIR__WAIT_FUTURE,
    WEIR__WAIT_NATIVE,
    WEIR__JOIN,
};

struct weir__join;

/** What is put into a queue: on the stack of who puts it in, and kept as a copy if it must be. */
struct weir__operation {
    enum weir__operation_kind kind;
    weir_device *destination_device, *source_device; /* of a copy or push */
    void *destination;                               /* of a fill too */
    const void *source;                              /* of a launch: its arguments */
    size_t bytes;
    int value;
    const weir_kernel *kernel;
    void (*function)(void *user); /* of a call */
    void *user;
    weir_event *event;
    weir_stamp *stamp;
    weir_future *future;
    void *native;
    struct weir__join *join;
    /* Of a kept one: */
    struct weir__trace_mark mark;
    struct weir__operation *next;
    weir_device *device;
    weir_queue *queue; /* NULL: the queue went on without it; who was to call `waiter` frees it */
    uint64_t number;   /* of an event's record, or a stamp's mark */
    int unwatched; /* `waiter` will not be called: no memory to watch the event. weir__held_rescue() tries again */
    struct weir__waiter waiter;
    size_t room; /* bytes behind the struct, for arguments */
    _Alignas(16) unsigned char args[];
};

/** A queue is made, and gone. It is not held any more by then. */
void weir__held_enlist(weir_queue *queue);
void weir__held_delist(weir_queue *queue);

/** Put an operation into a queue: submit it, or keep it. For any backend, but waits for futures.
 *  @retval WEIR_ERR_NOMEM    there is no memory to keep it: nothing was put in.
 *  @retval WEIR_ERR_INVALID  the queue would be held, and the program has its native handle. */
weir_status weir__held_put(weir_queue *queue, const struct weir__operation *put);
/** Make sure that the next @p count operations can be kept. */
weir_status weir__held_reserve(weir_queue *queue, uint32_t count);
/** Wait until nothing is kept. @retval WEIR_ERR_TIMEOUT  not in time. */
weir_status weir__held_wait(weir_queue *queue, int64_t timeout_ms);
/** The handle, if nothing is kept; from then on the queue is not held any more. */
void *weir__held_hand_out(weir_queue *queue);
/** Let go what waits in vain, for a device that failed, and try again to watch what could not be watched. Locks of
 *  the layers above may be held, none of a device. */
void weir__held_rescue(weir_device *device);

/* ---- held.c, for held_join.c -------------------------------------------------------------------- */

/** Memory of an operation that is to be kept, with room for @p bytes of arguments. */
weir_status weir__held_make(size_t bytes, struct weir__operation **operation_out);
void weir__held_fill_in(struct weir__operation *kept, weir_queue *queue,
                        const struct weir__operation *put);
/** Keep it behind what is kept; submit, if nobody does and nothing is waited for. @return 0: the program has the
 *  handle, and would not be held with the queue. */
int weir__held_keep(weir_queue *queue, struct weir__operation *operation);
/** A weir__notify_fn: what an operation waited for has come about, or may have. */
void weir__held_wake(void *operation);
/** Give up what a kept operation holds beside its memory. */
void weir__held_let_loose(const struct weir__operation *operation);
weir_status weir__held_refuse(const weir_device *device);

/* ---- held_join.c -------------------------------------------------------------------------------- */

/** A queue has come to the join. @return whether it is the last; then the call was made, and the others go on. */
int weir__join_arrive(struct weir__operation *mine);
/** The call will be made with @p status, if it is the first, and without streams. */
void weir__join_fail(struct weir__join *join, weir_status status);
/** What a queue failed with before the call, then what the call returned. */
weir_status weir__join_status(struct weir__join *join);
int weir__join_called(struct weir__join *join);
/** NULL is fine. */
void weir__join_unref(struct weir__join *join);

/* ---- event.c ---------------------------------------------------------------------------------- */

/** Whether the event's last record is kept for a held queue. */
int weir__event_unsubmitted(const weir_event *event);
/** A record was submitted, or could not be: then the event is over, and has failed with what its queue did.
 *  @param[in] number  what it was given when it was kept; 0: it was not. */
void weir__event_submitted(weir_event *event, uint64_t number, int dropped);
/** Whether the event's last record could not be submitted: nothing is to come, and the backend is not to be asked. */
int weir__event_dropped(const weir_event *event);
/** Have @p waiter called with the next submission. @return 0: the last record is submitted. */
int weir__event_when_submitted(weir_event *event, struct weir__waiter *waiter);

/* ---- stamp.c ---------------------------------------------------------------------------------- */

/** A mark is put into a queue: its number. */
uint64_t weir__stamp_put(weir_stamp *stamp);
/** Whether no later mark was put anywhere. */
int weir__stamp_is_last(weir_stamp *stamp, uint64_t number);
/** The mark was submitted, or dropped with @p status. */
void weir__stamp_submitted(weir_stamp *stamp, uint64_t number, weir_status status);

#endif
