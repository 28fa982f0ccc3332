/** @file send_queue.c  What each input has sent to an output, and who has its turn.
 *
 * One queue for all senders would let a small message wait for the whole of a large one before it. So
 * each has its own, and they take turns packet by packet. */
#include "router/transport/transport.h"

#include <stdlib.h>

struct send_queue *weir__send_queue_of(const struct output *output, const weir_link *link)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        if (output->send_queues[i]->link == link)
            return output->send_queues[i];
    return NULL;
}

static weir_status make_room(struct output *output)
{
    uint32_t room = output->send_queue_room ? 2 * output->send_queue_room : 4;
    struct send_queue **grown;
    if (output->send_queue_count < output->send_queue_room)
        return WEIR_OK;
    if (!(grown = realloc(output->send_queues, room * sizeof *grown)))
        return weir__fail(WEIR_ERR_NOMEM, "no memory for a link to %s", output->destination->name);
    output->send_queues = grown;
    output->send_queue_room = room;
    return WEIR_OK;
}

static void remove_at(struct output *output, uint32_t at)
{
    free(output->send_queues[at]);
    output->send_queue_count--;
    for (; at < output->send_queue_count; at++)
        output->send_queues[at] = output->send_queues[at + 1];
}

/* Send queues of inputs that are gone, and of which nothing is left. */
static void sweep(struct output *output)
{
    for (uint32_t i = output->send_queue_count; i-- > 0;)
        if (!output->send_queues[i]->link && !output->send_queues[i]->head &&
            !output->send_queues[i]->new_head)
            remove_at(output, i);
}

static weir_status bounce_slots(struct output *output)
{
    weir_status status = WEIR_OK;
    output->bouncing = 1;
    for (uint32_t i = 0; i < output->buffers && !status; i++)
        status = weir__slot_bounce(output, &output->slots[i]);
    for (struct weir_pending *slot = output->unmatched.first; slot && !status;
         slot = slot->next_credit)
        status = weir__slot_bounce(output, slot);
    for (struct weir_pending *slot = output->posted.first; slot && !status;
         slot = slot->next_credit)
        status = weir__slot_bounce(output, slot);
    return status;
}

weir_status weir__send_queue_open(struct output *output, weir_link *link)
{
    struct send_queue *sends;
    weir_status status;
    if (weir__send_queue_of(output, link) || (link->source->group && output->destination->group))
        return WEIR_OK; /* or what passes between two other processes */
    if ((status = weir__calloc(1, sizeof *sends, "link", &sends)))
        return status;
    sends->link = link;
    sends->source = link->source->device;
    sends->priority = link->priority;
    sends->direct = link->own && link->own == output->router;
    weir__traced_name(link->source, sends->from);
    sends->group = link->source->group;
    sends->process = link->source->process;
    sends->shut = atomic_load_explicit(&link->closed, memory_order_relaxed);
    status = weir__transport_open(output, sends);
    weir__output_seize(output);
    weir__output_lock(output);
    if (!status && sends->large[0].transport->bounces)
        status = bounce_slots(output);
    sweep(output);
    if (!status)
        status = make_room(output);
    if (!status) {
        output->send_queues[output->send_queue_count++] = sends;
        output->senders++;
    }
    weir__output_unlock(output);
    weir__output_cede(
        output); /* which looks if it was asked to: until all inputs are joined it may seem drained */
    if (status)
        free(sends);
    return status;
}

void weir__send_queue_shut(struct output *output, const weir_link *link)
{
    struct send_queue *sends = weir__send_queue_of(output, link);
    if (sends)
        sends->shutting = 1;
}

void weir__send_queue_gone(struct output *output, const weir_link *link)
{
    struct send_queue *sends = weir__send_queue_of(output, link);
    if (!sends)
        return;
    sends->shutting = 1;
    sends->link = NULL;
}

void weir__send_queue_undo(struct output *output, const weir_link *link)
{
    weir__output_seize(output);
    weir__output_lock(output);
    for (uint32_t i = output->send_queue_count; i-- > 0;)
        if (output->send_queues[i]->link == link) {
            remove_at(output, i);
            output->senders--;
        }
    weir__output_unlock(output);
    weir__output_cede(output);
}

/* @param[in] before  the offer in front of it, or NULL. */
static void unlink_offer(struct send_queue *sends, struct offer **at, struct offer *before)
{
    struct offer *offer = *at;
    *at = offer->next;
    if (sends->tail == offer)
        sends->tail = before;
}

/* The first offer that nobody has, behind those that are lent to others and may come back; stale ones on the
 * way are dropped. @param[out] before_out  the offer in front of it, or NULL. @return where it hangs. */
static struct offer **first_open(struct send_queue *sends, struct offer **before_out)
{
    struct offer **at = &sends->head;
    *before_out = NULL;
    while (*at) {
        struct offer *offer = *at;
        if (weir__offer_is_stale(offer)) {
            unlink_offer(sends, at, *before_out);
            weir__message_unref(offer->parcel->message, 1);
        } else if (weir__offer_is_lent(offer)) {
            *before_out = offer;
            at = &offer->next;
        } else {
            return at;
        }
    }
    return NULL;
}

void weir__send_queues_trim(struct output *output)
{
    struct offer *before;
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        (void)first_open(output->send_queues[i], &before);
}

/* Stale ones behind one that is not too, now and then: a receiver that does not receive would collect
 * them, and their messages. */
static void trim_all(struct send_queue *sends)
{
    struct offer **at = &sends->head;
    uint64_t kept = 0;
    sends->tail = NULL;
    while (*at) {
        struct offer *offer = *at;
        if (weir__offer_is_stale(offer)) {
            *at = offer->next;
            weir__message_unref(offer->parcel->message, 1);
        } else {
            sends->tail = offer;
            at = &offer->next;
            kept++;
        }
    }
    sends->choices = 0;
    sends->until_trim = kept + 64;
}

static void append(struct offer **head, struct offer **tail, struct offer *first,
                   struct offer *last)
{
    if (*head)
        (*tail)->next = first;
    else
        *head = first;
    *tail = last;
}

void weir__send_queue_append(struct send_queue *sends, struct offer *first, struct offer *last)
{
    last->next = NULL;
    append(&sends->new_head, &sends->new_tail, first, last);
    sends->new_choices += first->leaf != NULL;
}

void weir__send_queues_collect(struct output *output)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++) {
        struct send_queue *sends = output->send_queues[i];
        if (sends->new_head)
            append(&sends->head, &sends->tail, sends->new_head, sends->new_tail);
        sends->new_head = NULL;
        sends->choices += sends->new_choices;
        sends->new_choices = 0;
        sends->shut |= sends->shutting;
    }
}

void weir__send_queues_thin(struct output *output)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        if (output->send_queues[i]->choices > output->send_queues[i]->until_trim)
            trim_all(output->send_queues[i]);
}

void weir__send_queue_put_back(struct send_queue *sends, struct offer *offer)
{
    offer->next = sends->head;
    sends->head = offer;
    if (!sends->tail)
        sends->tail = offer;
}

/* ---- what may be matched ------------------------------------------------------------------------- */

/* Whether it came, or has been found to, so that nothing has to wait for it any more. */
static int is_over(weir_event **event, int held)
{
    if (*event && !weir__event_over(*event))
        return 0;
    if (held)
        weir_event_release(*event);
    *event = NULL;
    return 1;
}

/* What a slot's buffer waits for, or NULL. */
static weir_event *blocker_of(struct weir_pending *slot)
{
    const int used = slot->reuse != NULL;
    if (!is_over(&slot->reuse, 1))
        return slot->reuse;
    if (used)
        weir__pace_served(slot);
    return is_over(&slot->ready, 0) ? NULL : slot->ready;
}

int weir__slot_is_free(struct weir_pending *slot)
{
    return !blocker_of(slot);
}

/* Where there is no memory to be told, the buffer counts as free, and the copy waits in its queue. */
weir_status weir__slot_await(struct weir_pending *slot)
{
    weir_event *event = blocker_of(slot);
    if (!event)
        return WEIR_CLOSED;
    if (slot->watched == event)
        return WEIR_OK;
    weir_status status = weir__output_watch(slot->output, event);
    if (!status)
        slot->watched = event;
    return status;
}

/* The same for what the sender's memory waits for. */
static weir_status await_message(struct output *output, struct offer *offer)
{
    struct message *message = offer->parcel->message;
    if (weir__message_is_ready(message))
        return WEIR_CLOSED;
    if (offer->leaf)
        return weir__message_watch(message);
    if (offer->watched)
        return WEIR_OK;
    weir_status status = weir__output_watch(output, message->ready);
    offer->watched = !status;
    return status;
}

/* Whether nobody else can send to this output any more. */
static int is_alone(const struct output *output, const struct send_queue *sends)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++) {
        const struct send_queue *other = output->send_queues[i];
        if (other != sends && (!other->shut || other->head))
            return 0;
    }
    return 1;
}

enum verdict { TAKE, PASS, STOP };

/* What only this output can take may be put behind what its buffer and its bytes wait for: the device goes
 * from one to the next without the host. But what others may take waits for a buffer that is free, and for a device
 * that is near it, or the output would hold packets that its device is far from; and what is not ready lets others pass. */
static enum verdict judge(struct output *output, const struct send_queue *sends,
                          struct offer *offer)
{
    int open = weir__offer_is_open(offer);
    if ((open || (!output->early && !is_alone(output, sends))) && !await_message(output, offer))
        return PASS;
    if (open && !weir__slot_await(output->unmatched.first))
        return STOP;
    return open && weir__pace_withholds(output, offer) ? PASS : TAKE;
}

/* The next one of a send queue, claimed and taken out, or NULL. */
static struct offer *next_of(struct output *output, struct send_queue *sends, enum verdict *verdict)
{
    struct offer *before, **at;
    *verdict = PASS;
    while ((at = first_open(sends, &before))) {
        struct offer *offer = *at;
        if ((*verdict = judge(output, sends, offer)) != TAKE) {
            if (weir__offer_is_stale(
                    offer)) /* meanwhile: who kept it may not have seen that it was left */
                continue;
            return NULL;
        }
        if (!weir__offer_claim(offer))
            continue; /* somebody was faster */
        unlink_offer(sends, at, before);
        return offer;
    }
    return NULL;
}

/* The next one of a level of priority: its queues take turns. */
static struct offer *next_at(struct output *output, int64_t level, struct send_queue **sends_out,
                             enum verdict *verdict)
{
    for (uint32_t i = 0; i < output->send_queue_count && *verdict != STOP; i++) {
        uint32_t at = (output->turn + i) % output->send_queue_count;
        struct send_queue *sends = output->send_queues[at];
        struct offer *offer = sends->priority == level ? next_of(output, sends, verdict) : NULL;
        if (!offer)
            continue;
        *sends_out = sends;
        output->turn = at + 1;
        return offer;
    }
    return NULL;
}

/* The highest priority of a send queue below `*level`, in it. @return 0: there is none. */
static int next_level(const struct output *output, int64_t *level)
{
    int64_t best = INT64_MIN;
    for (uint32_t i = 0; i < output->send_queue_count; i++) {
        int64_t priority = output->send_queues[i]->priority;
        if (priority < *level && priority > best)
            best = priority;
    }
    *level = best;
    return best > INT64_MIN;
}

static int waits(const struct offer *offer)
{
    return !weir__offer_is_stale(offer) && !weir__offer_is_lent(offer);
}

static int has_waiting(const struct send_queue *sends)
{
    const struct offer *offer = sends->head;
    while (offer && !waits(offer))
        offer = offer->next;
    return offer != NULL;
}

/* A packet goes before what waits of inputs of lower priority. */
static void count_overtaking(struct output *output, int64_t level)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        if (output->send_queues[i]->priority < level && has_waiting(output->send_queues[i])) {
            output->stats.overtook++;
            return;
        }
}

struct offer *weir__send_queues_next(struct output *output, struct send_queue **sends_out)
{
    enum verdict verdict = PASS;
    int64_t level = INT64_MAX;
    while (verdict != STOP && next_level(output, &level)) {
        struct offer *offer = next_at(output, level, sends_out, &verdict);
        if (!offer)
            continue;
        count_overtaking(output, level);
        return offer;
    }
    return NULL;
}

uint64_t weir__send_queue_length(const struct send_queue *sends, uint64_t most)
{
    uint64_t waiting = 0;
    for (struct offer *offer = sends->head; offer && waiting < most; offer = offer->next)
        waiting += waits(offer);
    return waiting;
}

static uint64_t count_waiting(const struct output *output, uint64_t most)
{
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < output->send_queue_count && waiting < most; i++)
        waiting += weir__send_queue_length(output->send_queues[i], most - waiting);
    return waiting;
}

uint64_t weir__send_queues_waiting(const struct output *output)
{
    return count_waiting(output, UINT64_MAX);
}

int weir__send_queues_wait(const struct output *output, uint64_t packets)
{
    return count_waiting(output, packets) == packets;
}

int weir__send_queues_drained(const struct output *output)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        if (!output->send_queues[i]->shut || output->send_queues[i]->head)
            return 0;
    return output->senders > 0;
}

void weir__send_queues_destroy(struct output *output)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        free(output->send_queues[i]);
    free(output->send_queues);
}
