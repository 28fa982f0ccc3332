/** @file lane.c  Lanes: what each input has sent to an output, and who has its turn.
 *
 * One queue for all senders would let a small message wait for the whole of a large one before it. So
 * each has its own, and they take turns packet by packet. */
#include "router/internal.h"

#include <stdlib.h>

struct lane *weir__lane_of(const struct output *output, const weir_link *link)
{
    for (uint32_t i = 0; i < output->lane_count; i++)
        if (output->lanes[i]->link == link)
            return output->lanes[i];
    return NULL;
}

static weir_status make_room(struct output *output)
{
    uint32_t room = output->lane_room ? 2 * output->lane_room : 4;
    struct lane **grown;
    if (output->lane_count < output->lane_room)
        return WEIR_OK;
    if (!(grown = realloc(output->lanes, room * sizeof *grown)))
        return weir__fail(WEIR_ERR_NOMEM, "no memory for a link to %s", output->destination->name);
    output->lanes = grown;
    output->lane_room = room;
    return WEIR_OK;
}

static void remove_at(struct output *output, uint32_t at)
{
    free(output->lanes[at]);
    output->lane_count--;
    for (; at < output->lane_count; at++)
        output->lanes[at] = output->lanes[at + 1];
}

/* Lanes of inputs that are gone, and of which nothing is left. */
static void sweep(struct output *output)
{
    for (uint32_t i = output->lane_count; i-- > 0;)
        if (!output->lanes[i]->link && !output->lanes[i]->head)
            remove_at(output, i);
}

static weir_status bounce_slots(struct output *output)
{
    weir_status status = WEIR_OK;
    output->bouncing = 1;
    for (uint32_t i = 0; i < output->buffers && !status; i++)
        status = weir__slot_bounce(output, &output->slots[i]);
    for (struct weir_pending *slot = output->unmatched; slot && !status; slot = slot->next)
        status = weir__slot_bounce(output, slot);
    return status;
}

weir_status weir__lane_open(struct output *output, weir_link *link)
{
    struct lane *lane;
    weir_status status;
    if (weir__lane_of(output, link))
        return WEIR_OK;
    if ((status = weir__calloc(1, sizeof *lane, "link", &lane)))
        return status;
    lane->link = link;
    lane->source = link->source->device;
    lane->shut = atomic_load_explicit(&link->closed, memory_order_relaxed);
    status = weir__transport_open(output, lane);
    pthread_mutex_lock(&output->lock);
    if (!status && lane->large[0].first != lane->large[0].last)
        status = bounce_slots(output);
    sweep(output);
    if (!status)
        status = make_room(output);
    if (!status) {
        output->lanes[output->lane_count++] = lane;
        output->senders++;
    }
    pthread_mutex_unlock(&output->lock);
    if (status)
        free(lane);
    return status;
}

void weir__lane_shut(struct output *output, const weir_link *link)
{
    struct lane *lane = weir__lane_of(output, link);
    if (lane)
        lane->shut = 1;
}

void weir__lane_gone(struct output *output, const weir_link *link)
{
    struct lane *lane = weir__lane_of(output, link);
    if (!lane)
        return;
    lane->shut = 1;
    lane->link = NULL;
}

void weir__lane_undo(struct output *output, const weir_link *link)
{
    pthread_mutex_lock(&output->lock);
    for (uint32_t i = output->lane_count; i-- > 0;)
        if (output->lanes[i]->link == link) {
            remove_at(output, i);
            output->senders--;
        }
    pthread_mutex_unlock(&output->lock);
}

static void drop_head(struct lane *lane)
{
    lane->head = lane->head->next;
    if (!lane->head)
        lane->tail = NULL;
}

static void trim(struct lane *lane)
{
    while (lane->head && weir__offer_is_stale(lane->head)) {
        struct message *message = lane->head->parcel->message;
        drop_head(lane);
        weir__message_unref(message, 1);
    }
}

void weir__lanes_trim(struct output *output)
{
    for (uint32_t i = 0; i < output->lane_count; i++)
        trim(output->lanes[i]);
}

/* Stale ones behind one that is not too, now and then: a receiver that does not receive would collect
 * them, and their messages. */
static void trim_all(struct lane *lane)
{
    struct offer **at = &lane->head;
    uint64_t kept = 0;
    lane->tail = NULL;
    while (*at) {
        struct offer *offer = *at;
        if (weir__offer_is_stale(offer)) {
            *at = offer->next;
            weir__message_unref(offer->parcel->message, 1);
        } else {
            lane->tail = offer;
            at = &offer->next;
            kept++;
        }
    }
    lane->until_trim = kept + 64;
}

void weir__lane_append(struct lane *lane, struct offer *first, struct offer *last)
{
    last->next = NULL;
    if (lane->tail)
        lane->tail->next = first;
    else
        lane->head = first;
    lane->tail = last;
    if (first->leaf && lane->until_trim-- == 0)
        trim_all(lane);
}

struct offer *weir__lanes_next(struct output *output, struct lane **lane_out)
{
    for (uint32_t i = 0; i < output->lane_count; i++) {
        uint32_t at = (output->turn + i) % output->lane_count;
        struct lane *lane = output->lanes[at];
        trim(lane);
        if (!lane->head)
            continue;
        struct offer *offer = lane->head;
        drop_head(lane);
        output->turn = at + 1;
        *lane_out = lane;
        return offer;
    }
    return NULL;
}

int weir__lanes_drained(const struct output *output)
{
    for (uint32_t i = 0; i < output->lane_count; i++)
        if (!output->lanes[i]->shut || output->lanes[i]->head)
            return 0;
    return output->senders > 0;
}

void weir__output_lanes_destroy(struct output *output)
{
    for (uint32_t i = 0; i < output->lane_count; i++)
        free(output->lanes[i]);
    free(output->lanes);
}
