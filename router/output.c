/** @file output.c  The receiving side of a link: send queues meet posted buffers. */
#include "router/internal.h"
#include "runtime/config.h"

#include <stdlib.h>

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
    for (uint32_t i = 0; i < weir_context_device_count(context); i++) {
        weir_device_info info;
        weir_device_info_get(weir_context_device(context, i), &info);
        if (info.kind == WEIR_DEVICE_CUDA)
            return PACKET_GPU;
    }
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
        status = weir_device_alloc(output->destination->device, slot->room, &slot->data);
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
    output->transport = config->transport;
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
    pthread_mutex_init(&output->lock, NULL);
    configure(output, config);
    if ((status = weir_queue_create(destination->device, 1, &output->pull)) ||
        (status = make_slots(output))) {
        weir__output_unref(output);
        return status;
    }
    *output_out = output;
    return WEIR_OK;
}

void weir__output_ref(struct output *output)
{
    atomic_fetch_add_explicit(&output->references, 1, memory_order_relaxed);
}

static void free_slot(const struct output *output, struct weir_pending *slot)
{
    weir_future_release(slot->future);
    weir_event_release(slot->reuse);
    if (slot->own)
        weir_device_free(output->destination->device, slot->data);
    weir_device_free(weir_context_home(output->router->context), slot->bounce);
}

void weir__output_unref(struct output *output)
{
    if (atomic_fetch_sub_explicit(&output->references, 1, memory_order_acq_rel) > 1)
        return;
    /* Queues first: they wait for the copies that use the buffers. */
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
    weir__output_lanes_destroy(output);
    pthread_mutex_destroy(&output->lock);
    weir__endpoint_release(output->destination);
    weir__router_unref(output->router);
    free(output);
}

weir_status weir__output_push_queue(struct output *output, weir_device *source, uint32_t number,
                                    weir_queue **queue_out)
{
    weir_device_info info;
    weir_status status = WEIR_OK;
    weir_device_info_get(source, &info);
    weir_queue **queue = &output->push[info.index][number];
    if (!*queue)
        status = weir_queue_create(source, 1, queue);
    *queue_out = *queue;
    return status;
}

/* ---- posted receives ------------------------------------------------------------------------------- */

weir_status weir__output_post(struct output *output, struct weir_pending *slot)
{
    weir_status status = weir_future_create(output->router->context, &slot->future);
    if (status)
        return status;
    slot->next = NULL;
    slot->assigned = WEIR_PENDING;
    atomic_store_explicit(&slot->gated, NULL, memory_order_relaxed);
    /* Cursors at the end of the list stand at NULL: the new one is where they go on. */
    if (output->posted_last && (output->unmatched || output->untaken))
        output->posted_last->next = slot;
    output->posted_last = slot;
    if (!output->untaken)
        output->untaken = slot;
    if (output->ended) {
        slot->assigned = output->ended;
        (void)weir_future_fail(slot->future, output->ended);
    } else if (!output->unmatched) {
        output->unmatched = slot;
    }
    return WEIR_OK;
}

static void end_receives(struct output *output, weir_status status)
{
    output->ended = status;
    for (; output->unmatched; output->unmatched = output->unmatched->next) {
        output->unmatched->assigned = status;
        (void)weir_future_fail(output->unmatched->future, status);
    }
}

/* Pair offers with posted buffers; the output is locked.
 * @param[out] woke_out  set if a receive was assigned or ended. */
static weir_status match(struct output *output, int *woke_out)
{
    weir_status status = WEIR_OK;
    struct lane *lane;
    struct offer *offer;
    while (output->unmatched && !status && (offer = weir__lanes_next(output, &lane))) {
        struct message *message = offer->parcel->message;
        if (weir__offer_claim(offer)) {
            struct weir_pending *slot = output->unmatched;
            output->unmatched = slot->next;
            status = weir__transfer(output, lane, slot, offer->parcel);
            *woke_out = 1;
        }
        weir__message_unref(message, 1);
    }
    /* A receiver that never posts again does not collect what others took. */
    if (!output->unmatched)
        weir__lanes_trim(output);
    if (!output->ended && weir__lanes_drained(output)) {
        end_receives(output, WEIR_CLOSED);
        *woke_out = 1;
    }
    return status;
}

weir_status weir__output_progress(struct output *output, int woke)
{
    weir_status status = match(output, &woke);
    pthread_mutex_unlock(&output->lock);
    if (woke && output->arrived)
        output->arrived(output->arrived_user);
    return status;
}

weir_status weir__output_offer(struct output *output, const weir_link *link, struct offer *first,
                               struct offer *last)
{
    int woke = 0;
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&output->lock);
    weir_status ended = output->ended;
    weir__lane_append(weir__lane_of(output, link), first, last);
    if (!ended)
        status = match(output, &woke);
    pthread_mutex_unlock(&output->lock);
    if (ended)
        weir__output_end(output, ended); /* cancelled meanwhile: nobody else would drop them */
    if (woke && output->arrived)
        output->arrived(output->arrived_user);
    return status;
}

/* All offers of all lanes as one list; the output is locked. */
static struct offer *take_offers(struct output *output)
{
    struct offer *all = NULL;
    for (uint32_t i = 0; i < output->lane_count; i++) {
        struct lane *lane = output->lanes[i];
        if (!lane->head)
            continue;
        lane->tail->next = all;
        all = lane->head;
        lane->head = lane->tail = NULL;
    }
    return all;
}

void weir__output_end(struct output *output, weir_status status)
{
    pthread_mutex_lock(&output->lock);
    int first = !output->ended;
    /* A cancel after the orderly end still ends what was posted since; there is nothing else. */
    end_receives(output, output->ended ? output->ended : status);
    struct offer *offers = take_offers(output);
    pthread_mutex_unlock(&output->lock);
    while (offers) {
        struct offer *offer = offers;
        struct message *message = offer->parcel->message;
        offers = offer->next;
        weir__offer_forgo(offer, status);
        weir__message_unref(message, 1);
    }
    if (first && output->arrived)
        output->arrived(output->arrived_user);
}

void weir__output_orphan(struct output *output)
{
    pthread_mutex_lock(&output->lock);
    output->orphan = 1;
    pthread_mutex_unlock(&output->lock);
    weir__output_end(output, WEIR_CLOSED);
}

weir_status weir__output_give_back(struct output *output, struct weir_pending *slot)
{
    weir_status status = WEIR_OK;
    int woke = 0;
    pthread_mutex_lock(&output->lock);
    if (!slot->own) {
        slot->next = output->spare;
        output->spare = slot;
    } else if (!output->orphan) {
        status = weir__output_post(output, slot);
        woke = output->ended != WEIR_OK; /* the new receive has ended already */
    }
    weir_status moved = weir__output_progress(output, woke);
    status = status ? status : moved;
    if (status)
        weir_router_cancel(output->router, status);
    weir__messages_settle();
    weir__output_unref(output);
    return status;
}
