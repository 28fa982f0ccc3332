/** @file watch.c  Outputs look again when an event has come that a packet or a buffer waited for.
 *
 * The call-back of an event may come from any thread of the runtime, in the middle of a call that this
 * layer makes with an output locked, and after the output is gone. So it holds only the output's
 * *beacon*, by which it finds the output while there is one, and never waits for a match: where somebody
 * else matches, it leaves word, and who matches looks again. A thread that holds an output itself looks
 * when it holds none any more. */
#include "router/internal.h"

#include "runtime/backend.h"

#include <stdlib.h>

struct beacon {
    _Atomic uint32_t references; /* the output and its watches; acq_rel */
    pthread_mutex_t lock;        /* guards all below */
    pthread_cond_t idle;
    struct output *output; /* NULL once it is gone */
    uint32_t calls;        /* call-backs that are using the output */
};

struct watch {
    struct watch *next;
    struct beacon *beacon;   /* held; NULL: all outputs look that `message` may go to */
    struct message *message; /* held, or NULL */
    weir_event *event;       /* held */
    int of;                  /* enum watched of the output's, or NOT_COUNTED */
};

#define NOT_COUNTED   (-1)
#define LOOK_AGAIN_NS UINT64_C(10000000) /* between two looks for events, where none is told of */

static _Thread_local uint32_t
    locked; /* locks of outputs that this thread holds, the matching among them */
static _Thread_local uint32_t calling;      /* call-backs that this thread is in */
static _Thread_local struct watch *put_off; /* what came while it held an output */
static _Thread_local struct message *over;  /* messages that ended meanwhile, held */
static _Thread_local int catching_up;       /* it is at these */

int weir__watch_calling(void)
{
    return calling > 0;
}

/* ---- beacons ----------------------------------------------------------------------------------- */

weir_status weir__beacon_create(struct output *output)
{
    weir_status status = weir__calloc(1, sizeof *output->beacon, "link", &output->beacon);
    if (status)
        return status;
    atomic_store_explicit(&output->beacon->references, 1, memory_order_relaxed);
    pthread_mutex_init(&output->beacon->lock, NULL);
    pthread_cond_init(&output->beacon->idle, NULL);
    output->beacon->output = output;
    return WEIR_OK;
}

struct beacon *weir__beacon_ref(struct beacon *beacon)
{
    atomic_fetch_add_explicit(&beacon->references, 1, memory_order_relaxed);
    return beacon;
}

void weir__beacon_unref(struct beacon *beacon)
{
    if (!beacon || atomic_fetch_sub_explicit(&beacon->references, 1, memory_order_acq_rel) > 1)
        return;
    pthread_cond_destroy(&beacon->idle);
    pthread_mutex_destroy(&beacon->lock);
    free(beacon);
}

void weir__beacon_destroy(struct beacon *beacon)
{
    if (!beacon)
        return;
    pthread_mutex_lock(&beacon->lock);
    beacon->output = NULL;
    while (beacon->calls > 0)
        pthread_cond_wait(&beacon->idle, &beacon->lock);
    pthread_mutex_unlock(&beacon->lock);
    weir__beacon_unref(beacon);
}

static struct output *enter(struct beacon *beacon)
{
    pthread_mutex_lock(&beacon->lock);
    struct output *output = beacon->output;
    beacon->calls += output != NULL;
    pthread_mutex_unlock(&beacon->lock);
    return output;
}

static void leave(struct beacon *beacon)
{
    pthread_mutex_lock(&beacon->lock);
    if (--beacon->calls == 0)
        pthread_cond_broadcast(&beacon->idle);
    pthread_mutex_unlock(&beacon->lock);
}

/* ---- locking and looking ------------------------------------------------------------------------- */

void weir__output_lock(struct output *output)
{
    pthread_mutex_lock(&output->lock);
    locked++;
}

void weir__output_ask(struct output *output, uint32_t why)
{
    atomic_fetch_or_explicit(&output->looks, why, memory_order_acq_rel);
}

int weir__output_try(struct output *output)
{
    if (pthread_mutex_trylock(&output->matching))
        return 0;
    locked++;
    return 1;
}

int weir__output_look(struct output *output)
{
    /* A read-modify-write like the one in weir__output_ask(), so that one of the two comes first: either
     * this thread sees the word, or the other one finds the matching free that this thread has let go. */
    return atomic_fetch_or_explicit(&output->looks, 0, memory_order_acq_rel) &&
           weir__output_try(output);
}

int weir__output_relieve(struct output *output)
{
    if (!atomic_load_explicit(&output->weary, memory_order_relaxed) || calling)
        return 0;
    weir__output_seize(output);
    return 1;
}

void weir__output_kick(struct output *output)
{
    weir__output_ask(output, LOOK_CALLED);
    weir_status status = weir__output_progress(output, 0);
    if (status)
        weir_router_cancel(output->router, status);
}

void weir__beacon_kick(struct beacon *beacon)
{
    struct output *output = enter(beacon);
    if (!output)
        return;
    weir__output_kick(output);
    leave(beacon);
}

static void finish_message(struct watch *watch)
{
    struct message *message = watch->message;
    weir_event_release(watch->event);
    free(watch);
    calling++;
    weir__message_kick(message);
    weir__messages_settle();
    calling--;
    weir__message_unref(message, 1);
}

static void finish_output(struct watch *watch)
{
    struct beacon *beacon = watch->beacon;
    struct output *output = enter(beacon);
    weir_event_release(watch->event);
    if (output &&
        watch->of != NOT_COUNTED) /* before it looks, since it may have to be watched again */
        atomic_store_explicit(&output->watches[watch->of], 0, memory_order_relaxed);
    free(watch);
    if (output) {
        calling++;
        weir__output_kick(output);
        weir__messages_settle();
        calling--;
        leave(beacon);
    }
    weir__beacon_unref(beacon);
}

static void finish_watch(struct watch *watch)
{
    if (watch->message)
        finish_message(watch);
    else
        finish_output(watch);
}

static void give_back(struct message *message)
{
    weir__window_give(message->window, message->segment.bytes);
    weir__message_unref(message, 1);
}

void weir__message_over(struct message *message)
{
    weir__message_ref(message);
    if (!locked) {
        give_back(message);
        return;
    }
    message->next_over = over;
    over = message;
}

/* One lock less: without any, what was put off is done. */
static void catch_up(void)
{
    locked--;
    if (locked || catching_up)
        return;
    catching_up = 1;
    while (put_off || over) {
        struct watch *watch = put_off;
        struct message *message = over;
        if (message) {
            over = message->next_over;
            give_back(message);
        } else {
            put_off = watch->next;
            finish_watch(watch);
        }
    }
    catching_up = 0;
}

void weir__output_unlock(struct output *output)
{
    pthread_mutex_unlock(&output->lock);
    catch_up();
}

void weir__output_seize(struct output *output)
{
    atomic_fetch_add_explicit(&output->reliefs, 1, memory_order_relaxed);
    pthread_mutex_lock(&output->matching);
    atomic_fetch_sub_explicit(&output->reliefs, 1, memory_order_relaxed);
    locked++;
}

void weir__output_let_go(struct output *output)
{
    pthread_mutex_unlock(&output->matching);
    catch_up();
}

void weir__output_cede(struct output *output)
{
    weir_status status = WEIR_OK;
    weir__output_let_go(output);
    if (atomic_fetch_or_explicit(&output->looks, 0, memory_order_acq_rel) &&
        (status = weir__output_progress(output, 0)))
        weir_router_cancel(output->router, status);
}

/* ---- call-backs ---------------------------------------------------------------------------------- */

static void on_event(void *user)
{
    struct watch *watch = user;
    if (!locked) {
        finish_watch(watch);
        return;
    }
    watch->next = put_off;
    put_off = watch;
}

static weir_status make(struct output *output, weir_event *event, struct watch **watch_out)
{
    weir_status status = weir__alloc(1, sizeof **watch_out, "receive's watch", watch_out);
    if (status)
        return status;
    **watch_out = (struct watch){
        .beacon = weir__beacon_ref(output->beacon), .event = event, .of = NOT_COUNTED};
    return WEIR_OK;
}

static void drop(struct watch *watch)
{
    weir__beacon_unref(watch->beacon);
    weir_event_release(watch->event);
    free(watch);
}

weir_status weir__output_watch(struct output *output, weir_event *event)
{
    struct watch *watch;
    weir_status status = make(output, weir__event_retain(event), &watch);
    if (status)
        weir_event_release(event);
    else if ((status = weir__event_notify(event, on_event, watch)))
        drop(watch);
    return status;
}

/* Not each output by itself: who is told first would take it, whatever the policy prefers. The lock keeps others from relying on
 * a watch that could not be made; the call-back may come at once, and is put off. */
weir_status weir__message_watch(struct message *message)
{
    struct watch *watch = NULL;
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&message->lock);
    if (!message->watched && !(status = weir__alloc(1, sizeof *watch, "packet's watch", &watch))) {
        *watch = (struct watch){
            .message = message, .event = weir__event_retain(message->ready), .of = NOT_COUNTED};
        weir__message_ref(message);
        message->watched = 1;
        if ((status = weir__event_notify(message->ready, on_event, watch)))
            message->watched = 0;
    }
    pthread_mutex_unlock(&message->lock);
    if (status && watch) {
        weir__message_unref(message, 1); /* not the last */
        weir_event_release(watch->event);
        free(watch);
    }
    return status;
}

weir_status weir__output_watch_time(struct output *output, uint64_t delay_ns)
{
    struct watch *watch;
    weir_status status = make(output, NULL, &watch);
    if (!status &&
        (status = weir__context_later(output->router->context, delay_ns, on_event, watch)))
        drop(watch);
    return status;
}

/* One of each kind at a time: an output may look, and find nothing, any number of times meanwhile. */
static weir_status watch_once(struct output *output, enum watched of, weir_device *device)
{
    struct watch *watch;
    weir_status status = WEIR_OK;
    if (atomic_load_explicit(&output->watches[of], memory_order_relaxed) ||
        (status = make(output, NULL, &watch)))
        return status;
    watch->of = (int)of;
    atomic_store_explicit(&output->watches[of], 1,
                          memory_order_relaxed); /* it may be called at once */
    status = of == WATCHED_CLOCK
                 ? weir__context_later(output->router->context, LOOK_AGAIN_NS, on_event, watch)
                 : weir__events_notify(device, on_event, watch);
    if (!status)
        return WEIR_OK;
    atomic_store_explicit(&output->watches[of], 0, memory_order_relaxed);
    drop(watch);
    return status;
}

/* What tells of the pool is the end of one event, which may lie behind this very packet while others are given back: the
 * clock is for that. A simulation has none. */
weir_status weir__output_watch_pool(struct output *output, weir_device *device)
{
    const int has_clock = !weir_context_simulated(output->router->context);
    if (!has_clock) /* then whatever is in use now is watched, each time */
        atomic_store_explicit(&output->watches[WATCHED_POOL], 0, memory_order_relaxed);
    weir_status status = watch_once(output, WATCHED_POOL, device);
    if (!status && has_clock)
        (void)watch_once(output, WATCHED_CLOCK, device); /* without memory it has to do without */
    return status;
}
