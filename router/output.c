/** @file output.c  The receiving side of a router: send queue meets posted buffers.
 *
 * The multiplexer has no lock of its own (Groute 4.2): a parcel stands in the send queue of every
 * candidate, the first output with a buffer free claims it, and the others drop their stale offers
 * when they come upon them. */
#include "router/internal.h"
#include "runtime/config.h"

#include <stdlib.h>

/* Post a slot's buffer for a new receive; the output is locked. */
static weir_status post(struct output *output, struct weir_pending *slot)
{
    weir_status status = weir_future_create(output->router->context, &slot->future);
    if (status)
        return status;
    slot->assigned = WEIR_PENDING;
    output->order[output->posted++ % output->buffers] = (uint32_t)(slot - output->slots);
    if (output->ended) {
        slot->assigned = output->ended;
        (void)weir_future_fail(slot->future, output->ended);
        output->matched++;
    }
    return WEIR_OK;
}

static weir_status make_slots(struct output *output)
{
    weir_status status;
    uint32_t count = output->buffers;
    if ((status = weir__calloc(count, sizeof *output->slots, "receive buffers", &output->slots)) ||
        (status = weir__calloc(count, sizeof *output->order, "receive buffers", &output->order)))
        return status;
    for (uint32_t i = 0; i < count && !status; i++) {
        struct weir_pending *slot = &output->slots[i];
        slot->output = output;
        status = weir_device_alloc(output->destination->device, output->packet_bytes, &slot->data);
        if (!status)
            status = post(output, slot);
    }
    return status;
}

weir_status weir__output_create(weir_router *router, weir_endpoint *destination,
                                const weir_link_config *config, struct output **output_out)
{
    const weir_config *tunables = weir_context_config(router->context);
    struct output *output;
    weir_status status;
    if ((status = weir__calloc(1, sizeof *output, "link", &output)))
        return status;
    output->router = router;
    output->destination = destination;
    output->packet_bytes = config->packet_bytes ? config->packet_bytes
                                                : weir__config_get(tunables, WEIR__PACKET_BYTES);
    output->buffers = config->buffers ? config->buffers
                                      : (uint32_t)weir__config_get(tunables, WEIR__LINK_BUFFERS);
    output->inputs_closed = atomic_load_explicit(&router->inputs_shut, memory_order_relaxed);
    output->staged = config->staged;
    output->arrived = config->arrived;
    output->arrived_user = config->arrived_user;
    pthread_mutex_init(&output->lock, NULL);
    if ((status = weir_queue_create(destination->device, 1, &output->pull)) ||
        (status = make_slots(output))) {
        weir__output_destroy(output);
        return status;
    }
    *output_out = output;
    return WEIR_OK;
}

void weir__output_destroy(struct output *output)
{
    weir_device *home = weir_context_home(output->router->context);
    /* Queues first: they wait for the copies that use the buffers. */
    weir_queue_destroy(output->pull);
    for (uint32_t i = 0; i <= WEIR_DEVICES_MAX; i++)
        weir_queue_destroy(output->push[i]);
    for (uint32_t i = 0; output->slots && i < output->buffers; i++) {
        struct weir_pending *slot = &output->slots[i];
        weir_future_release(slot->future);
        weir_event_release(slot->reuse);
        weir_device_free(output->destination->device, slot->data);
        weir_device_free(home, slot->bounce);
    }
    free(output->slots);
    free(output->order);
    pthread_mutex_destroy(&output->lock);
    free(output);
}

static struct offer *pop(struct output *output)
{
    struct offer *offer = output->first;
    if (offer) {
        output->first = offer->next;
        if (!output->first)
            output->last = NULL;
    }
    return offer;
}

static int is_stale(const struct offer *offer)
{
    return offer->parcel && atomic_load_explicit(&offer->parcel->claimed, memory_order_relaxed);
}

/* Drop what others took already from the front, so that a receiver that never posts again does not
 * make the queue grow. */
static void trim(struct output *output)
{
    while (output->first && is_stale(output->first))
        weir__message_unref(pop(output)->parcel->message);
}

/* End the receives that were not matched; the output is locked. */
static void end_receives(struct output *output, weir_status status)
{
    output->ended = status;
    while (output->matched < output->posted) {
        struct weir_pending *slot =
            &output->slots[output->order[output->matched++ % output->buffers]];
        slot->assigned = status;
        (void)weir_future_fail(slot->future, status);
    }
}

/* Pair offers with posted buffers; the output is locked.
 * @param[out] woke_out  set if a receive was assigned or ended. */
static weir_status match(struct output *output, int *woke_out)
{
    weir_status status = WEIR_OK;
    while (output->first && !status) {
        if (!output->first->parcel) { /* a shutdown has come through the queue, behind the data */
            (void)pop(output);
            if (++output->inputs_closed == output->router->input_count && !output->ended) {
                end_receives(output, WEIR_CLOSED);
                *woke_out = 1;
            }
            continue;
        }
        if (output->matched == output->posted || output->ended)
            break;
        struct parcel *parcel = pop(output)->parcel;
        /* Acquire pairs with nothing written by other outputs: the claim itself decides. */
        if (!atomic_exchange_explicit(&parcel->claimed, 1, memory_order_acq_rel)) {
            struct weir_pending *slot =
                &output->slots[output->order[output->matched++ % output->buffers]];
            status = weir__transfer(output, slot, parcel);
            *woke_out = 1;
        }
        weir__message_unref(parcel->message);
    }
    return status;
}

/* After unlocking: tell the receiver, and end everything if a copy could not be made. */
static weir_status settle(struct output *output, weir_status status, int woke)
{
    if (woke && output->arrived)
        output->arrived(output->arrived_user);
    if (status)
        weir_router_cancel(output->router, status);
    return status;
}

weir_status weir__output_offer(struct output *output, struct offer *offer)
{
    int woke = 0;
    offer->next = NULL;
    pthread_mutex_lock(&output->lock);
    trim(output);
    if (output->last)
        output->last->next = offer;
    else
        output->first = offer;
    output->last = offer;
    weir_status status = match(output, &woke);
    weir_status ended = output->ended;
    pthread_mutex_unlock(&output->lock);
    if (ended < 0)
        weir__output_end(output, ended); /* cancelled meanwhile: nobody else would drop it */
    return settle(output, status, woke);
}

void weir__output_end(struct output *output, weir_status status)
{
    pthread_mutex_lock(&output->lock);
    end_receives(output, output->ended ? output->ended : status);
    struct offer *offers = output->first;
    output->first = output->last = NULL;
    pthread_mutex_unlock(&output->lock);
    while (offers) {
        struct offer *offer = offers;
        offers = offer->next;
        if (!offer->parcel)
            continue;
        struct message *message = offer->parcel->message;
        if (!atomic_exchange_explicit(&offer->parcel->claimed, 1, memory_order_acq_rel))
            weir__message_parcel_done(message, NULL, status);
        weir__message_unref(message);
    }
    (void)settle(output, WEIR_OK, 1);
}

weir_status weir__output_repost(struct output *output, struct weir_pending *slot)
{
    int woke = 0;
    pthread_mutex_lock(&output->lock);
    weir_status status = post(output, slot);
    if (!status)
        status = match(output, &woke);
    pthread_mutex_unlock(&output->lock);
    return settle(output, status, woke);
}
