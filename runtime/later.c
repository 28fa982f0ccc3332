/** @file later.c  Calls that are due at a time, made by the next thread that comes by.
 *
 * No thread of their own: threads that wait come by once a slice, and who asks or polls does too, as with
 * alarms. They are for what nobody needs on time, only some time. */
#include "runtime/context.h"

#include <stdlib.h>

struct weir__due_call {
    struct weir__due_call *next; /* of those that are due no earlier */
    uint64_t due_ns;
    weir__notify_fn fn;
    void *user;
};

/* The list is locked. */
static void note_first(weir_context *context)
{
    atomic_store_explicit(&context->later.due_ns,
                          context->later.first ? context->later.first->due_ns : UINT64_MAX,
                          memory_order_relaxed);
}

weir_status weir__context_later(weir_context *context, uint64_t delay_ns, weir__notify_fn fn,
                                void *user)
{
    struct weir__due_call *later;
    weir_status status = weir__alloc(1, sizeof *later, "call at a later time", &later);
    if (status)
        return status;
    *later = (struct weir__due_call){.due_ns = weir__now_ns() + delay_ns, .fn = fn, .user = user};
    pthread_mutex_lock(&context->later.lock);
    struct weir__due_call **at = &context->later.first;
    while (*at && (*at)->due_ns <= later->due_ns)
        at = &(*at)->next;
    later->next = *at;
    *at = later;
    note_first(context);
    pthread_mutex_unlock(&context->later.lock);
    return WEIR_OK;
}

static struct weir__due_call *take(weir_context *context, uint64_t now)
{
    pthread_mutex_lock(&context->later.lock);
    struct weir__due_call *due = context->later.first;
    if (due && due->due_ns <= now)
        context->later.first = due->next;
    else
        due = NULL;
    note_first(context);
    pthread_mutex_unlock(&context->later.lock);
    return due;
}

static void call_until(weir_context *context, uint64_t now)
{
    struct weir__due_call *due;
    while ((due = take(context, now))) {
        due->fn(due->user);
        free(due);
    }
}

void weir__context_call_due(weir_context *context)
{
    const uint64_t first = atomic_load_explicit(&context->later.due_ns, memory_order_relaxed);
    uint64_t now;
    if (first == UINT64_MAX || (now = weir__now_ns()) < first)
        return;
    weir__context_retain(context); /* a call may give up all others */
    call_until(context, now);
    weir__context_release(context);
}

void weir__later_open(weir_context *context)
{
    pthread_mutex_init(&context->later.lock, NULL);
    note_first(context);
}

void weir__later_close(weir_context *context)
{
    call_until(context, UINT64_MAX);
    pthread_mutex_destroy(&context->later.lock);
}
