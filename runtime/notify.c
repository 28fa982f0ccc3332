/** @file notify.c  Call-backs of a program when a future is complete.
 *
 * Many may watch one future, and give it up again, as often as a wait for any of several is repeated. The
 * future, and behind it the backend that knows its event, are therefore asked once: this one *observation*
 * stays until the future is complete, and tells all watches that there are by then.
 *
 * Lock rule: context->watches.lock is not held while a program or a backend is called. A future's lock may
 * be taken inside it. */
#include "runtime/notify.h"

#include <stdlib.h>

/* ---- lists; the watches are locked ------------------------------------------------------------- */

static void link_in(weir_watch *watch, weir_future *future)
{
    struct weir__watched *watched = weir__future_watched(future);
    weir_watch **all = &watch->context->watches.all;
    watch->future = future;
    watch->next = NULL;
    watch->at = watched->end ? watched->end : &watched->first;
    *watch->at = watch;
    watched->end = &watch->next;
    watch->at_all = all;
    if ((watch->next_all = *all))
        watch->next_all->at_all = &watch->next_all;
    *all = watch;
}

static void link_out(weir_watch *watch)
{
    if ((*watch->at = watch->next))
        watch->next->at = watch->at;
    else
        weir__future_watched(watch->future)->end = watch->at;
    if ((*watch->at_all = watch->next_all))
        watch->next_all->at_all = watch->at_all;
    watch->future = NULL;
    watch->next = watch->next_all = NULL;
}

static int state_of(struct weir__watched *watched)
{
    return atomic_load_explicit(&watched->state, memory_order_relaxed);
}

static void set_state(struct weir__watched *watched, enum weir__watched_state state)
{
    atomic_store_explicit(&watched->state, state, memory_order_relaxed);
}

/* ---- telling ----------------------------------------------------------------------------------- */

/* The watches are locked, and unlocked during the call. The watch is in no list. */
static void call(weir_watch *watch, weir_status status)
{
    weir_context *context = watch->context;
    if (!watch->fn) {
        weir__completion_push(watch, status);
        return;
    }
    watch->state = WEIR__WATCH_RUNNING;
    watch->caller = pthread_self();
    pthread_mutex_unlock(&context->watches.lock);
    watch->fn(watch->user, status);
    pthread_mutex_lock(&context->watches.lock);
    watch->state = WEIR__WATCH_TOLD;
    if (watch->orphan)
        free(watch);
    pthread_cond_broadcast(&context->watches.changed);
}

/* A weir__notify_fn: the observed future is complete. A reference to it was taken for this call. The context is
 * kept meanwhile, since a program that is told may give everything up in another thread. */
static void tell(void *user)
{
    weir_future *future = user;
    weir_context *context = weir__future_context(future);
    struct weir__watched *watched = weir__future_watched(future);
    weir_status status = weir__future_look(future);
    weir__context_retain(context);
    pthread_mutex_lock(&context->watches.lock);
    set_state(watched, WEIR__WATCHED_COMPLETE);
    while (watched->first) {
        weir_watch *watch = watched->first;
        link_out(watch);
        call(watch, status);
    }
    pthread_cond_broadcast(&context->watches.changed);
    pthread_mutex_unlock(&context->watches.lock);
    weir_future_release(future);
    weir__context_release(context);
}

/* ---- observing --------------------------------------------------------------------------------- */

/* Nobody watches the future any more, and it may never be set: it is let go. One that was set with an event
 * stays observed, since a backend cannot be asked to forget; its event comes. The watches are locked.
 * @return whether the caller has to release the observation's reference. */
static int forget(weir_future *future)
{
    struct weir__watched *watched = weir__future_watched(future);
    if (watched->first || state_of(watched) != WEIR__WATCHED_OBSERVED ||
        !weir__future_unnotify(future, tell, future))
        return 0;
    set_state(watched, WEIR__WATCHED_NOT);
    return 1;
}

/* The future's first watch; the watches are locked, and unlocked meanwhile. */
static weir_status observe(weir_context *context, weir_future *future)
{
    struct weir__watched *watched = weir__future_watched(future);
    set_state(watched, WEIR__WATCHED_STARTING);
    weir_future_retain(future);
    pthread_mutex_unlock(&context->watches.lock);
    weir_status status = weir__future_notify(future, tell, future);
    pthread_mutex_lock(&context->watches.lock);
    if (state_of(watched) == WEIR__WATCHED_STARTING) /* else it has been told already */
        set_state(watched, status ? WEIR__WATCHED_NOT : WEIR__WATCHED_OBSERVED);
    pthread_cond_broadcast(&context->watches.changed);
    return status;
}

weir_status weir__watch_start(weir_watch *watch, weir_future *future)
{
    weir_context *context = watch->context;
    struct weir__watched *watched = weir__future_watched(future);
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&context->watches.lock);
    while (state_of(watched) == WEIR__WATCHED_STARTING)
        pthread_cond_wait(&context->watches.changed, &context->watches.lock);
    if (state_of(watched) == WEIR__WATCHED_NOT)
        status = observe(context, future);
    if (!status && state_of(watched) == WEIR__WATCHED_COMPLETE)
        call(watch, weir__future_look(future));
    else if (!status)
        link_in(watch, future);
    pthread_mutex_unlock(&context->watches.lock);
    if (status)
        weir_future_release(future); /* the reference that was to be the observation's */
    return status;
}

/* ---- the public calls -------------------------------------------------------------------------- */

weir_status weir_future_notify(weir_future *future, void (*fn)(void *user, weir_status status),
                               void *user, weir_watch **watch_out)
{
    weir_watch *watch = NULL;
    weir_status status;
    if (watch_out)
        *watch_out = NULL;
    if (!future || !fn)
        return weir__missing("weir_future_notify", future ? "fn" : "future");
    if ((status = weir__calloc(1, sizeof *watch, "watch of a future", &watch)))
        return status;
    watch->context = weir__future_context(future);
    watch->fn = fn;
    watch->user = user;
    watch->orphan = !watch_out;
    if (watch_out)
        *watch_out = watch; /* before the call, which may destroy it */
    if ((status = weir__watch_start(watch, future))) {
        if (watch_out)
            *watch_out = NULL;
        free(watch);
    }
    return status;
}

void weir_watch_destroy(weir_watch *watch)
{
    if (!watch)
        return;
    weir_context *context = watch->context;
    weir_future *forgotten = NULL;
    pthread_mutex_lock(&context->watches.lock);
    if (watch->state == WEIR__WATCH_WAITING) {
        weir_future *future = watch->future;
        link_out(watch);
        if (forget(future))
            forgotten = future;
    }
    int own = watch->state == WEIR__WATCH_RUNNING && pthread_equal(watch->caller, pthread_self());
    watch->orphan = own;
    while (watch->state == WEIR__WATCH_RUNNING && !own)
        pthread_cond_wait(&context->watches.changed, &context->watches.lock);
    pthread_mutex_unlock(&context->watches.lock);
    if (!own)
        free(watch);
    weir_future_release(forgotten);
}

/* Uncalled. Who made a watch still has it to destroy, unless nobody has. The watches are locked. */
static void drop_watches(weir_future *future)
{
    weir_watch *watch;
    while ((watch = weir__future_watched(future)->first)) {
        link_out(watch);
        watch->state = WEIR__WATCH_TOLD;
        if (!watch->fn || watch->orphan)
            free(watch);
    }
}

void weir__watches_abandon(weir_future *future)
{
    weir_context *context = weir__future_context(future);
    weir_status status;
    weir_event *event;
    int forgotten = 0;
    pthread_mutex_lock(&context->watches.lock);
    if (!weir__future_decided(future, &status, &event)) { /* nor will it be any more */
        drop_watches(future);
        forgotten = forget(future);
    }
    pthread_mutex_unlock(&context->watches.lock);
    if (forgotten)
        weir_future_release(future);
}

void weir__watches_drop(weir_context *context)
{
    while (context->watches.all) {
        weir_future *future = context->watches.all->future;
        drop_watches(future);
        if (forget(future))
            weir_future_release(future);
    }
    weir__completions_drop(context);
}
