/** @file context_end.c  Who uses a context, and its end with the last of them.
 *
 * The last may be a call-back: then the context ends on a thread of its own backend, which must not wait
 * for itself (see cuda/watch.c). A host queue's thread is never the last, since its queue is a user. */
#include "runtime/context.h"

#include "runtime/sim/sim.h"

#include <stdlib.h>

static void quiesce_device(weir_device *device)
{
    if (device && device->ops->quiesce)
        device->ops->quiesce(device);
}

static void close_device(weir_device **at)
{
    weir_device *device = *at;
    if (!device)
        return;
    weir__events_drop(device);
    *at = NULL; /* a device that is found broken while others close looks for its peers */
    device->ops->close(device);
}

/* The device that page-locks memory for host devices is closed behind them. */
static void close_all(weir_context *context)
{
    weir_device **pinning = NULL;
    close_device(&context->home);
    for (uint32_t i = context->count; i > 0; i--)
        if (context->devices[i - 1] == context->pinning)
            pinning = &context->devices[i - 1];
        else
            close_device(&context->devices[i - 1]);
    if (pinning)
        close_device(pinning);
}

static void end(weir_context *context)
{
    for (uint32_t i = 0; i < context->count; i++)
        quiesce_device(context->devices[i]); /* then nobody touches events and futures any more */
    weir__watches_drop(context);
    for (size_t i = 0; i < context->futures_count; i++)
        weir__future_free(context->futures[i]);
    free(context->futures);
    weir__context_unpin_all(context);
    close_all(context);
    if (atomic_load_explicit(&context->attached, memory_order_acquire))
        context->detach(context->attached);
    weir__sim_destroy(context->sim);
    weir_config_destroy(context->config);
    pthread_cond_destroy(&context->watches.changed);
    pthread_mutex_destroy(&context->watches.lock);
    pthread_mutex_destroy(&context->pinned.lock);
    pthread_cond_destroy(&context->alarms.called);
    pthread_mutex_destroy(&context->alarms.lock);
    pthread_mutex_destroy(&context->attach_lock);
    pthread_mutex_destroy(&context->futures_lock);
    free(context);
}

void weir__context_retain(weir_context *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void weir__context_release(weir_context *context)
{
    if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) == 1)
        end(context);
}

void weir_context_destroy(weir_context *context)
{
    if (!context)
        return;
    /* Simulated time goes on in waits alone, and nobody may wait from now on: what is under way and keeps
     * the context would never be over. */
    while (context->sim && weir__sim_go_on(context->sim)) {
    }
    weir__context_release(context);
}
