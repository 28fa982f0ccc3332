/** @file failure.c  Work of a queue that failed: what it said, and who learns of it.
 *
 * The first failure of a queue stays with it, and the work behind it does not run, as behind a kernel's fault
 * on a GPU; but only this queue is stopped, not its device. Records and waits are still reached in their
 * order, so that nobody hangs, and events recorded behind the failure carry it to who waits for them. */
#include "runtime/backend.h"

#include <stdlib.h>
#include <string.h>

struct weir__failure {
    uint32_t references; /* guarded by the lock */
    weir_status status;
    char *why;
};

/* Where no memory is left to say more; never freed. */
static struct weir__failure no_memory = {
    .references = 1,
    .status = WEIR_ERR_NOMEM,
    .why = "work of a queue failed, and no memory was left to keep why"};

/* Of all queues: it is taken only once something has failed. Nothing is taken inside. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local weir_queue *working_in;

weir_queue *weir__work_enter(weir_queue *queue)
{
    weir_queue *before = working_in;
    working_in = queue;
    return before;
}

static struct weir__failure *make(weir_status status, const char *sentence)
{
    struct weir__failure *failure = malloc(sizeof *failure);
    char *why = strdup(sentence);
    if (!failure || !why) {
        free(failure);
        free(why);
        return &no_memory;
    }
    *failure = (struct weir__failure){.references = 1, .status = status, .why = why};
    return failure;
}

/* The lock is held. */
static void drop(struct weir__failure *failure)
{
    if (!failure || failure == &no_memory || --failure->references)
        return;
    free(failure->why);
    free(failure);
}

/* Release and acquire: who finds the pointer may read what the failure says. A queue's never changes again. */
static struct weir__failure *of_queue(const weir_queue *queue)
{
    return atomic_load_explicit(&queue->failure, memory_order_acquire);
}

void weir__queue_fail(weir_queue *queue, weir_status status, const char *sentence)
{
    struct weir__failure *failure = make(status, sentence);
    pthread_mutex_lock(&lock);
    if (of_queue(queue))
        drop(failure); /* the first counts: others follow from it */
    else
        atomic_store_explicit(&queue->failure, failure, memory_order_release);
    pthread_mutex_unlock(&lock);
}

weir_status weir__queue_failed(const weir_queue *queue)
{
    weir_status status = weir__device_failed(queue->device);
    const struct weir__failure *failure = of_queue(queue);
    if (status || !failure)
        return status;
    weir__fail_adopt(failure->status, failure->why);
    return failure->status;
}

struct weir__failure *weir__queue_failure(weir_queue *queue)
{
    return of_queue(queue);
}

void weir__failure_drop(struct weir__failure *failure)
{
    if (!failure)
        return;
    pthread_mutex_lock(&lock);
    drop(failure);
    pthread_mutex_unlock(&lock);
}

void weir__event_carry(weir_event *event, const weir_queue *queue)
{
    struct weir__failure *failure = queue ? of_queue(queue) : NULL;
    if (!failure && !atomic_load_explicit(&event->failure, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    drop(atomic_load_explicit(&event->failure, memory_order_relaxed));
    if (failure && failure != &no_memory)
        failure->references++;
    /* Relaxed: the backend publishes it with the record that was reached. */
    atomic_store_explicit(&event->failure, failure, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

weir_status weir__event_failed(const weir_event *event)
{
    weir_status status = WEIR_OK;
    if (!atomic_load_explicit(&event->failure, memory_order_relaxed))
        return WEIR_OK;
    pthread_mutex_lock(&lock);
    const struct weir__failure *failure =
        atomic_load_explicit(&event->failure, memory_order_relaxed);
    if (failure) { /* else the event was recorded anew meanwhile */
        weir__fail_adopt(failure->status, failure->why);
        status = failure->status;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

weir_status weir_queue_status(weir_queue *queue)
{
    return queue ? weir__queue_failed(queue) : weir__missing("weir_queue_status", "queue");
}

weir_status weir_work_fail(weir_status status, const char *sentence)
{
    if (!working_in)
        return weir__fail(WEIR_ERR_INVALID,
                          "weir_work_fail: the calling thread runs no work of a queue");
    if (status >= 0)
        return weir__fail(WEIR_ERR_INVALID, "weir_work_fail: status %d is not a failure",
                          (int)status);
    if (status == WEIR_ERR_TIMEOUT) /* whoever waits would take it for the end of its own time */
        status = WEIR_ERR_CANCELLED;
    if (!sentence)
        sentence = weir_status_text(status);
    weir__queue_fail(working_in, status, sentence);
    return weir__fail(status, "%s", sentence);
}
