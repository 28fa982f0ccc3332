/** @file window.c  The bound of an input: how much may be sent that receivers have not got yet.
 *
 * A window outlives its link as long as messages are under way. Room that a message gives back may be found
 * with outputs locked; then it is told when the thread holds none any more (watch.c), since `room` is the
 * program's. */
#include "router/internal.h"
#include "runtime/config.h"

#include <stdlib.h>

struct window {
    _Atomic uint32_t references; /* the link and its messages; acq_rel */
    const weir_context *context; /* kept by those */
    uint64_t messages_most, bytes_most;
    pthread_mutex_t lock;     /* guards all below; held while `room` is called */
    uint64_t messages, bytes; /* under way */
    int refused;              /* since room was told last */
    uint64_t refused_at;      /* nanoseconds of the context, when that was */
    uint64_t refusals, full_ns;
    weir_future *waiter;      /* of who waits for room; held, or NULL */
    void (*room)(void *user); /* NULL once the link is gone */
    void *room_user;
};

weir_status weir__window_create(const weir_context *context, const weir_link_config *config,
                                struct window **window_out)
{
    const weir_config *tunables = weir_context_config(context);
    struct window *window;
    weir_status status = weir__calloc(1, sizeof *window, "link", &window);
    *window_out = window;
    if (status)
        return status;
    atomic_store_explicit(&window->references, 1, memory_order_relaxed);
    window->messages_most = config->send_messages ? config->send_messages
                                                  : weir__config_get(tunables, WEIR__LINK_MESSAGES);
    window->bytes_most =
        config->send_bytes ? config->send_bytes : weir__config_get(tunables, WEIR__LINK_BYTES);
    window->context = context;
    window->room = config->room;
    window->room_user = config->room_user;
    pthread_mutex_init(&window->lock, NULL);
    return WEIR_OK;
}

void weir__window_ref(struct window *window)
{
    atomic_fetch_add_explicit(&window->references, 1, memory_order_relaxed);
}

void weir__window_unref(struct window *window)
{
    if (!window || atomic_fetch_sub_explicit(&window->references, 1, memory_order_acq_rel) > 1)
        return;
    weir_future_release(window->waiter);
    pthread_mutex_destroy(&window->lock);
    free(window);
}

void weir__window_close(struct window *window)
{
    if (!window)
        return;
    pthread_mutex_lock(&window->lock);
    window->room = NULL;
    pthread_mutex_unlock(&window->lock);
    weir__window_unref(window);
}

/* What is larger than all of it goes when it is alone. Locked. */
static int has_room(const struct window *window, uint64_t bytes)
{
    if (window->messages == 0)
        return 1;
    return window->messages < window->messages_most && bytes <= window->bytes_most &&
           window->bytes <= window->bytes_most - bytes;
}

weir_status weir__window_take(struct window *window, uint64_t bytes)
{
    pthread_mutex_lock(&window->lock);
    int has = has_room(window, bytes);
    if (has) {
        window->messages++;
        window->bytes += bytes;
    } else {
        window->refusals++;
        if (!window->refused)
            window->refused_at = weir_context_time_ns(window->context);
        window->refused = 1;
    }
    pthread_mutex_unlock(&window->lock);
    return has ? WEIR_OK : WEIR_FULL;
}

/* Who waits looks for itself whether what it has fits. @return its future, to be set and released. */
static weir_future *wake(struct window *window)
{
    weir_future *waiter = window->waiter;
    window->waiter = NULL;
    return waiter;
}

static void set(weir_future *waiter)
{
    if (!waiter)
        return;
    (void)weir_future_set(waiter, NULL);
    weir_future_release(waiter);
}

void weir__window_give(struct window *window, uint64_t bytes)
{
    pthread_mutex_lock(&window->lock);
    window->messages--;
    window->bytes -= bytes;
    weir_future *waiter = wake(window);
    if (window->refused)
        window->full_ns += weir_context_time_ns(window->context) - window->refused_at;
    if (window->refused && window->room)
        window->room(window->room_user);
    window->refused = 0;
    pthread_mutex_unlock(&window->lock);
    set(waiter);
}

void weir__window_wake(struct window *window)
{
    pthread_mutex_lock(&window->lock);
    weir_future *waiter = wake(window);
    if (window->refused && window->room) /* whose program waits in its own way */
        window->room(window->room_user);
    pthread_mutex_unlock(&window->lock);
    set(waiter);
}

weir_status weir__window_await(struct window *window, uint64_t bytes, weir_future *future)
{
    pthread_mutex_lock(&window->lock);
    int has = has_room(window, bytes), first = !window->waiter;
    if (!has && first)
        window->waiter = weir_future_retain(future);
    pthread_mutex_unlock(&window->lock);
    if (!has && !first)
        return weir__fail(WEIR_ERR_INVALID,
                          "two calls wait for room on one link (one at a time for each link)");
    return has ? WEIR_OK : WEIR_PENDING;
}

void weir__window_forget(struct window *window, const weir_future *future)
{
    pthread_mutex_lock(&window->lock);
    weir_future *waiter = window->waiter == future ? wake(window) : NULL;
    pthread_mutex_unlock(&window->lock);
    weir_future_release(waiter);
}

void weir__window_read(struct window *window, weir_link_stats *stats)
{
    pthread_mutex_lock(&window->lock);
    stats->send_messages = window->messages_most;
    stats->send_bytes = window->bytes_most;
    stats->backlog_messages = window->messages;
    stats->backlog_bytes = window->bytes;
    stats->refused = window->refusals;
    stats->full_ns = window->full_ns;
    if (window->refused)
        stats->full_ns += weir_context_time_ns(window->context) - window->refused_at;
    pthread_mutex_unlock(&window->lock);
}
