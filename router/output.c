/** @file output.c  The receiving side of a link: send queues meet posted buffers.
 *
 * A sender leaves its offers, a receiver its buffers, under the output's lock, which is held for as long as a list
 * takes. They are *matched* by one thread at a time, whichever finds that nobody does: it has the matching, and looks
 * again before it goes, so that nobody who left something has to wait for it. */
#include "router/internal.h"
#include "runtime/config.h"

#include <stdlib.h>

/* A thread that has matched so many packets in one call, rounds without any among them, gives the matching up to the next
 * one that comes. Else a send could last for as long as others send. */
#define SHARE 64

/* ---- making and ending --------------------------------------------------------------------------- */

/* Measured (docs/benchmarks.md): a packet between GPUs has a fixed cost of some 3 us; in packets of 32 MiB
 * a message keeps nine tenths of the rate of one copy. Between host devices there is none. */
#define PACKET_GPU  ((size_t)32 << 20)
#define PACKET_HOST ((size_t)1 << 20)

static size_t default_packet(const weir_context *context)
{
    size_t packet = weir__config_get(weir_context_config(context), WEIR__PACKET_BYTES);
    if (packet)
        return packet;
    if (weir_context_simulated(context))
        return PACKET_GPU;
    for (uint32_t i = 0; i < weir_context_device_count(context); i++)
        if (weir__device_is_gpu(weir_context_device(context, i)))
            return PACKET_GPU;
    return PACKET_HOST;
}

static weir_status make_slots(struct output *output)
{
    weir_status status;
    if ((status = weir__calloc(output->buffers, sizeof *output->slots, "receive buffers",
                               &output->slots)))
        return status;
    for (uint32_t i = 0; i < output->buffers && !status; i++) {
        struct weir_pending *slot = &output->slots[i];
        slot->output = output;
        slot->own = 1;
        slot->room = output->packet_bytes;
        status = weir__device_alloc_as(output->destination->device, "buffers of links", 1,
                                       slot->room, &slot->data);
        if (!status)
            status = weir__output_post(output, slot);
    }
    return status;
}

static void configure(struct output *output, const weir_link_config *config)
{
    const weir_config *tunables = weir_context_config(output->router->context);
    output->packet_bytes =
        config->packet_bytes ? config->packet_bytes : default_packet(output->router->context);
    output->buffers = config->buffers == WEIR_BUFFERS_NONE ? 0
                      : config->buffers                    ? config->buffers
                                        : (uint32_t)weir__config_get(tunables, WEIR__LINK_BUFFERS);
    weir__pace_open(output);
    output->transport = config->transport;
    output->early = config->early;
    output->arrived = config->arrived;
    output->arrived_user = config->arrived_user;
}

weir_status weir__output_create(weir_router *router, weir_endpoint *destination,
                                const weir_link_config *config, struct output **output_out)
{
    struct output *output;
    weir_status status;
    if ((status = weir__calloc(1, sizeof *output, "link", &output)))
        return status;
    atomic_store_explicit(&output->references, 1, memory_order_relaxed);
    output->router = router;
    weir__router_ref(router);
    output->destination = weir__endpoint_retain(destination);
    weir__traced_name(destination, output->to);
    pthread_mutex_init(&output->matching, NULL);
    pthread_mutex_init(&output->lock, NULL);
    pthread_cond_init(&output->told, NULL);
    configure(output, config);
    if ((status = weir__beacon_create(output)) ||
        (status = weir_queue_create(destination->device, 1, &output->pull)) ||
        (status = make_slots(output))) {
        weir__output_unref(output);
        return status;
    }
    weir__queue_role(output->pull, "of a receiver");
    *output_out = output;
    return WEIR_OK;
}

void weir__output_ref(struct output *output)
{
    atomic_fetch_add_explicit(&output->references, 1, memory_order_relaxed);
}

/* A slot's memory, which a queue of the program's may still read: the one that its release named. */
struct remains {
    weir_context *context; /* held */
    weir_device *device;
    void *data, *bounce;
    weir_event *reuse; /* held */
};

static void free_memory(const struct remains *remains)
{
    weir_device_free(remains->device, remains->data);
    weir_device_free(weir_context_home(remains->context), remains->bounce);
}

static void free_remains(void *user)
{
    struct remains *remains = user;
    weir_context *context = remains->context;
    free_memory(remains);
    weir_event_release(remains->reuse);
    free(remains);
    weir__context_release(context);
}

/* @return 0: there is no memory for it. */
static int free_after(const struct remains *remains)
{
    struct remains *later;
    if (weir__alloc(1, sizeof *later, "receive buffer", &later))
        return 0;
    *later = *remains;
    weir__context_retain(later->context);
    if (!weir__event_notify(later->reuse, free_remains, later))
        return 1;
    weir__context_release(later->context);
    free(later);
    return 0;
}

static void free_slot(const struct output *output, struct weir_pending *slot)
{
    const struct remains remains = {.context = output->router->context,
                                    .device = output->destination->device,
                                    .data = slot->own ? slot->data : NULL,
                                    .bounce = slot->bounce,
                                    .reuse = slot->reuse};
    weir_future_release(slot->future);
    if (slot->reuse && !weir__event_over(slot->reuse)) {
        if (free_after(&remains))
            return;
        weir__event_settle(slot->reuse);
    }
    free_memory(&remains);
    weir_event_release(slot->reuse);
}

void weir__output_unref(struct output *output)
{
    if (atomic_fetch_sub_explicit(&output->references, 1, memory_order_acq_rel) > 1)
        return;
    weir__beacon_destroy(output->beacon);
    /* Queues before buffers: they wait for the copies that use these. */
    weir_queue_destroy(output->pull);
    for (uint32_t i = 0; i <= WEIR_DEVICES_MAX; i++)
        for (uint32_t k = 0; k < STREAMS_MAX; k++)
            weir_queue_destroy(output->push[i][k]);
    for (uint32_t i = 0; output->slots && i < output->buffers; i++)
        free_slot(output, &output->slots[i]);
    free(output->slots);
    while (output->spare) {
        struct weir_pending *slot = output->spare;
        output->spare = slot->next;
        free_slot(output, slot);
        free(slot);
    }
    weir__send_queues_destroy(output);
    if (output->group)
        weir__group_release(output->group);
    pthread_cond_destroy(&output->told);
    pthread_mutex_destroy(&output->lock);
    pthread_mutex_destroy(&output->matching);
    weir__endpoint_release(output->destination);
    weir__router_unref(output->router);
    free(output);
}

weir_status weir__output_push_queue(struct output *output, weir_device *source, uint32_t number,
                                    weir_queue **queue_out)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_status status = WEIR_OK;
    weir_device_info_get(source, &info);
    weir_queue **queue = &output->push[info.index][number];
    if (!*queue && !(status = weir_queue_create(source, 1, queue)))
        weir__queue_role(*queue, "to a receiver");
    *queue_out = *queue;
    return status;
}

/* ---- posted receives ------------------------------------------------------------------------------- */

static void append(struct credits *credits, struct weir_pending *slot)
{
    slot->next_credit = NULL;
    if (credits->first)
        credits->last->next_credit = slot;
    else
        credits->first = slot;
    credits->last = slot;
}

static struct weir_pending *pop(struct credits *credits)
{
    struct weir_pending *slot = credits->first;
    if (slot)
        credits->first = slot->next_credit;
    return slot;
}

static void push(struct credits *credits, struct weir_pending *slot)
{
    slot->next_credit = credits->first;
    if (!credits->first)
        credits->last = slot;
    credits->first = slot;
}

/* A receive that is posted after the end has ended too, for the reason that the router keeps. */
static void post_ended(struct output *output, struct weir_pending *slot)
{
    struct weir__sentence kept = weir__fail_keep();
    (void)weir__router_status(output->router);
    slot->assigned = output->ended;
    (void)weir_future_fail(slot->future, output->ended);
    weir__fail_restore(&kept);
}

weir_status weir__output_post(struct output *output, struct weir_pending *slot)
{
    weir_status status = weir_future_create(output->router->context, &slot->future);
    if (status)
        return status;
    slot->assigned = WEIR_PENDING;
    /* The program has its own memory's receives at once; of another process's program nobody knows yet. */
    slot->taken = !slot->own && !output->destination->group;
    slot->told = 0;
    slot->posted = output->posts++;
    slot->watched = NULL;
    atomic_store_explicit(&slot->gated, NULL, memory_order_relaxed);
    if (slot->own) {
        slot->next = NULL;
        if (output->untaken)
            output->untaken_last->next = slot;
        else
            output->untaken = slot;
        output->untaken_last = slot;
    }
    if (output->ended)
        post_ended(output, slot);
    else
        append(&output->posted, slot);
    return WEIR_OK;
}

/* With the matching, and locked. */
static void end_receives(struct output *output, weir_status status)
{
    struct weir_pending *slot;
    output->ended = status;
    while ((slot = pop(&output->unmatched)) || (slot = pop(&output->posted))) {
        weir__pace_dropped(slot);
        slot->assigned = status;
        (void)weir_future_fail(slot->future, status);
    }
}

void weir__output_collect(struct output *output)
{
    struct weir_pending *slot;
    weir__output_lock(output);
    weir__send_queues_collect(output);
    while ((slot = pop(&output->posted))) {
        append(&output->unmatched, slot);
        if (!slot->reuse) /* else it is served when that has come */
            weir__pace_served(slot);
    }
    weir__output_unlock(output);
    weir__send_queues_thin(output);
}

/* Packets wait for receives, or receives for packets. Where both are there, a buffer is still worked on, or a packet is not
 * ready: time of theirs. */
static enum idling idling_of(const struct output *output)
{
    int offers = weir__send_queues_wait(output, 1);
    if (output->ended || (offers && output->unmatched.first))
        return FLOWING;
    return offers ? STALLED : output->unmatched.first ? STARVED : FLOWING;
}

/* The clock is read where the answer changes, which it does not while packets meet receives that wait. */
static void note_idling(struct output *output, enum idling now)
{
    if (now == output->idling)
        return;
    uint64_t time = weir_context_time_ns(output->router->context);
    const uint64_t stalled = output->idling == STALLED ? time - output->idling_since : 0;
    const uint64_t starved = output->idling == STARVED ? time - output->idling_since : 0;
    struct weir__trace *trace = weir__tracing(output->router->context);
    output->stats.stalled_ns += stalled;
    output->stats.starved_ns += starved;
    if (trace && stalled + starved)
        weir__traced_idled(trace, output, stalled, starved);
    output->idling = now;
    output->idling_since = time;
}

void weir__output_read(struct output *output, weir_link_stats *stats)
{
    weir__output_seize(output);
    enum idling now = output->idling;
    weir__output_collect(output);
    note_idling(output, FLOWING); /* its time up to now counts */
    note_idling(output, now);
    *stats = output->stats;
    stats->size = sizeof *stats;
    stats->waiting = weir__send_queues_waiting(output);
    for (const struct weir_pending *slot = output->unmatched.first; slot; slot = slot->next_credit)
        stats->posted++;
    weir__output_let_go(output);
    weir__output_kick(output); /* what was collected is not matched yet */
}

/* No event is left: it goes on from here when some have come back, or others with what they may take too; those are told
 * once. @return the message of which they are to be told, held, or NULL. */
static struct message *put_back(struct output *output, struct weir_pending *slot,
                                struct send_queue *sends, struct offer *offer)
{
    push(&output->unmatched, slot);
    weir__send_queue_put_back(sends, offer);
    if (!weir__offer_unclaim(offer))
        return NULL;
    weir__message_ref(offer->parcel->message);
    return offer->parcel->message;
}

/* Whether somebody waits to go on where this thread has done its share. */
static int is_relieved(struct output *output, uint32_t matched)
{
    if (matched < SHARE)
        return 0;
    atomic_store_explicit(&output->weary, 1, memory_order_relaxed);
    return atomic_load_explicit(&output->reliefs, memory_order_relaxed) > 0;
}

static int end_drained(struct output *output)
{
    if (output->ended || !weir__send_queues_drained(output))
        return 0;
    /* A send that was not refused yet may have left something behind what was collected. */
    weir__output_lock(output);
    weir__send_queues_collect(output);
    const int drained = weir__send_queues_drained(output);
    if (drained)
        end_receives(output, WEIR_CLOSED);
    weir__output_unlock(output);
    return drained;
}

/* Pair offers with posted buffers, by who has the matching.
 * @param[in,out] matched_io  packets, and rounds, of the call so far.
 * @param[out] woke_out  set if a receive was assigned or ended.
 * @param[out] tell_out  whose outputs are to look, held, or NULL. */
static weir_status match(struct output *output, uint32_t *matched_io, int *woke_out,
                         struct message **tell_out)
{
    weir_status status = WEIR_OK;
    struct send_queue *sends, *last = NULL;
    struct weir__trace *trace = weir__tracing(output->router->context);
    struct offer *offer;
    /* This is the look: what was left before is collected behind it. Who asks later is seen when the matching was let go. */
    if (atomic_load_explicit(&output->looks, memory_order_relaxed) &&
        atomic_exchange_explicit(&output->looks, 0, memory_order_acq_rel) & LOOK_CALLED)
        output->starved = 0;
    atomic_store_explicit(&output->pace.withheld, 0, memory_order_relaxed);
    weir__output_collect(output);
    while (output->unmatched.first && !status && !is_relieved(output, *matched_io) &&
           (offer = weir__send_queues_next(output, &sends))) {
        struct weir_pending *slot = pop(&output->unmatched);
        status = weir__transfer(output, sends, slot, offer);
        if (status == WEIR_FULL) {
            *tell_out = put_back(output, slot, sends, offer);
            return WEIR_OK;
        }
        *woke_out = 1;
        ++*matched_io;
        last = sends;
    }
    if (trace)
        weir__traced_level(trace, output, last);
    /* A receiver that never posts again does not collect what others took. */
    if (!output->unmatched.first)
        weir__send_queues_trim(output);
    *woke_out |= end_drained(output);
    note_idling(output, idling_of(output));
    return status;
}

/* Once its link is gone the program is not called any more, and what it gave to be called with may go. */
static void tell_program(struct output *output)
{
    if (!output->arrived)
        return;
    weir__output_lock(output);
    const int tells = !output->unlinked;
    output->telling += (uint32_t)tells;
    weir__output_unlock(output);
    if (!tells)
        return;
    output->arrived(output->arrived_user);
    weir__output_lock(output);
    if (--output->telling == 0)
        pthread_cond_broadcast(&output->told);
    weir__output_unlock(output);
}

static void stop_telling(struct output *output)
{
    weir__output_lock(output);
    output->unlinked = 1;
    while (output->telling > 0)
        pthread_cond_wait(&output->told, &output->lock);
    weir__output_unlock(output);
}

/* Let the matching go. @return whether somebody waits to go on with it: that one looks, since there may be something left. */
static int hand_on(struct output *output)
{
    atomic_store_explicit(&output->weary, 0, memory_order_relaxed);
    const int relieved = atomic_load_explicit(&output->reliefs, memory_order_relaxed) > 0;
    if (relieved)
        weir__output_ask(output, LOOK_ASKED);
    weir__output_let_go(output);
    return relieved;
}

weir_status weir__output_progress(struct output *output, int woke)
{
    weir_status status = WEIR_OK;
    uint32_t matched = 0;
    int matches = weir__output_relieve(output) || weir__output_try(output);
    if (!matches) {
        weir__output_ask(output, LOOK_ASKED);
        matches = weir__output_look(output);
    }
    while (matches) {
        struct message *tell = NULL;
        weir_status one = match(output, &matched, &woke, &tell);
        status = status ? status : one;
        const int relieved = hand_on(output);
        matched++; /* a round without a packet takes time too */
        if (tell) {
            weir__message_kick(tell);
            weir__message_unref(tell, 1);
        }
        if (woke)
            tell_program(output);
        woke = 0;
        matches = !relieved && weir__output_look(output);
    }
    if (woke)
        tell_program(output);
    return status;
}

weir_status weir__output_offer(struct output *output, const weir_link *link, struct offer *first,
                               struct offer *last)
{
    weir__output_lock(output);
    weir_status ended = output->ended;
    weir__send_queue_append(weir__send_queue_of(output, link), first, last);
    weir__output_unlock(output);
    if (!ended)
        return weir__output_progress(output, 0);
    weir__output_end(output, ended); /* cancelled meanwhile: nobody else would drop them */
    return WEIR_OK;
}

/* All offers of all send queues as one list, by who has the matching. */
static struct offer *take_offers(struct output *output)
{
    struct offer *all = NULL;
    for (uint32_t i = 0; i < output->send_queue_count; i++) {
        struct send_queue *sends = output->send_queues[i];
        if (!sends->head)
            continue;
        sends->tail->next = all;
        all = sends->head;
        sends->head = sends->tail = NULL;
    }
    return all;
}

static void forgo(struct offer *offer, weir_status status)
{
    struct message *message = offer->parcel->message;
    weir__offer_forgo(offer, status);
    if (atomic_load(&offer->parcel->left)) /* to this output, perhaps */
        weir__message_offered_again(offer);
    else
        weir__message_unref(message, 1);
}

/* The oldest receive that something is lent to which can be had back. What another process was told of it may have taken: it
 * says so, or is gone, or the router was cancelled, and `done` with it. */
static struct weir_pending *first_lent(const struct output *output, int cancelled)
{
    struct weir_pending *first = NULL;
    for (struct weir_pending *slot = output->lent; slot; slot = slot->next_lent)
        if ((!slot->told || output->forfeited || cancelled) &&
            (!first || slot->posted < first->posted))
            first = slot;
    return first;
}

struct offer *weir__slot_withdraw(struct weir_pending *slot, weir_status status)
{
    struct offer *offer = slot->lent;
    slot->assigned = status;
    weir__pace_dropped(slot);
    if (!offer)
        return NULL;
    weir__slot_unlend(slot);
    if (!slot->told) /* else it was copied: later copies of the message, which it waits for, may be behind it */
        weir__message_reads(offer->parcel->message, slot->copied_in, slot->copied);
    weir_event_release(slot->copied);
    return offer;
}

/* Of a router that was cancelled: the others end too, and one that a cancel has not reached yet would get the packet behind
 * later ones. */
static void drop_lent(struct offer *offer, weir_status status)
{
    struct message *message = offer->parcel->message;
    weir__offer_keep(offer);
    weir__message_failed(message, status);
    weir__message_unref(message, 1);
}

static int is_cancelled(const struct output *output)
{
    return atomic_load_explicit(&output->router->status, memory_order_relaxed) != WEIR_OK;
}

void weir__offer_lost(struct output *output, struct offer *offer, weir_status status)
{
    if (is_cancelled(output)) {
        drop_lent(offer, status);
        return;
    }
    weir__offer_return(offer);
    weir__offer_forgo(offer, status);
    weir__message_offered_again(offer);
}

/* What was lent to receives that nobody took comes back: to other candidates, if there are any. The oldest
 * is first, since a message remembers only its last copy in each queue. */
static void take_back(struct output *output, weir_status status)
{
    struct weir_pending *slot;
    do {
        weir__output_lock(output);
        slot = first_lent(output, is_cancelled(output));
        struct offer *offer = slot ? weir__slot_withdraw(slot, status) : NULL;
        weir__output_unlock(output);
        if (offer)
            weir__offer_lost(output, offer, status);
    } while (slot);
}

void weir__output_end(struct output *output, weir_status status)
{
    weir__output_seize(output);
    weir__output_lock(output);
    int first = !output->ended;
    struct weir_group *group = output->group;
    /* A cancel after the orderly end still ends what was posted since; there is nothing else. */
    end_receives(output, output->ended ? output->ended : status);
    weir__output_unlock(output);
    weir__output_collect(output); /* offers: nothing is posted any more */
    struct offer *offers = take_offers(output);
    weir__output_cede(output);
    while (offers) {
        struct offer *offer = offers;
        offers = offer->next;
        forgo(offer, status);
    }
    take_back(output, status);
    if (first)
        tell_program(output);
    if (first && group)
        weir__group_wake(group);
}

void weir__output_forfeit(struct output *output, weir_status status)
{
    weir__output_lock(output);
    output->forfeited = 1;
    weir__output_unlock(output);
    weir__output_end(output, status);
}

void weir__output_orphan(struct output *output)
{
    weir__output_lock(output);
    output->orphan = 1;
    weir__output_unlock(output);
    weir__output_end(output, WEIR_CLOSED);
    if (!output->destination->group) /* a group is told for as long as it has the output */
        stop_telling(output);
}

weir_status weir__output_give_back(struct output *output, struct weir_pending *slot)
{
    weir_status status = WEIR_OK;
    int woke = 0;
    weir__output_lock(output);
    slot->held = 0;
    output->held--;
    if (output->ended || output->orphan)
        weir__pace_dropped(slot);
    if (!slot->own) {
        slot->next = output->spare;
        output->spare = slot;
    } else if (!output->orphan) {
        status = weir__output_post(output, slot);
        woke = output->ended != WEIR_OK; /* the new receive has ended already */
    }
    weir__output_unlock(output);
    weir_status moved = weir__output_progress(output, woke);
    status = status ? status : moved;
    if (status)
        weir_router_cancel(output->router, status);
    weir__messages_settle();
    weir__output_unref(output);
    return status;
}
