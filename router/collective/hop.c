/** @file hop.c  One packet from one rank to another, straight or over a third one.
 *
 * A relayed packet lands in memory of the third rank and goes on from there: two hops, which share nothing but links with what
 * the third rank itself sends or combines. */
#include "router/collective/internal.h"

/* The send of a hop, whose receive was posted or has a buffer: it is matched at once. */
static weir_status send(weir_collectives *c, const struct hop *hop, enum landing land,
                        weir_future **sent_out)
{
    weir_segment segment = {.device = c->rank[hop->from].device,
                            .data = (void *)(uintptr_t)hop->source,
                            .bytes = hop->bytes,
                            .meta = hop->to};
    weir_future *done;
    weir_status status = weir_link_send(c->mesh[land].in[hop->from], &segment, hop->ready, &done);
    if (status) {
        /* Some of it may be under way all the same. */
        weir__flight_add(c, weir__event_retain(hop->ready), NULL, hop->from, hop->to);
        return status;
    }
    if (sent_out)
        *sent_out = weir_future_retain(done);
    weir__flight_add(c, weir__event_retain(hop->ready), done, hop->from, hop->to);
    c->sends[hop->from * c->ranks + hop->to] = 1;
    c->hops++;
    return WEIR_OK;
}

/* A receive that nobody will look at is given back: once it was ended, which another thread may be about
 * to do that cancelled first, or behind its bytes. */
static weir_status give_up(weir_collectives *c, weir_pending *pending, weir_queue *work,
                           weir_status status)
{
    weir_segment unused;
    status = weir__collectives_fail(c, status);
    (void)weir_pending_wait_assigned(pending, -1, &unused);
    if (weir_pending_release(pending, NULL) == WEIR_ERR_INVALID)
        (void)weir_pending_release(pending, work);
    return weir__collectives_fail(c, status); /* its sentence again */
}

/* Without an event the call fails: it must not wait for devices. After that no release needs one. */
static weir_status give_back(weir_collectives *c, weir_pending *pending, weir_queue *work)
{
    weir_status status = weir_pending_release(pending, work);
    if (status != WEIR_FULL)
        return status;
    return give_up(c, pending, work,
                   weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)"));
}

/* @param[in] queue  of the receiver: goes on when the packet is there. */
static weir_status copy(weir_collectives *c, const struct hop *hop, weir_queue *queue,
                        weir_event **mark_out, weir_future **sent_out)
{
    weir_event *posted = hop->posted ? hop->posted : c->rank[hop->to].begin;
    weir_pending *pending;
    weir_status status;
    weir__flight_room(c, hop->from, hop->to);
    if ((status = weir_link_receive_into(c->mesh[LAND_IN_PLACE].out[hop->to], hop->target,
                                         hop->bytes, posted, &pending)))
        return status;
    if ((status = send(c, hop, LAND_IN_PLACE, sent_out)) ||
        (status = weir_pending_gate(pending, queue)) ||
        (mark_out && (status = weir__flight_mark(c, hop->to, queue, mark_out))))
        return give_up(c, pending, queue, status);
    return give_back(c, pending, queue);
}

/* @param[in] queue  goes on when what was in the slot was sent. */
static weir_status empty(struct slot *slot, weir_queue *queue)
{
    weir_status status = WEIR_OK;
    if (slot->sent) {
        status = weir_queue_wait_future(queue, slot->sent);
        weir_future_release(slot->sent);
        slot->sent = NULL;
    }
    return status;
}

weir_status weir__slot_take(weir_collectives *c, uint32_t rank, struct slot **slot_out)
{
    struct rank *r = &c->rank[rank];
    *slot_out = &r->slots[r->next_slot++ % BUFFERS];
    return empty(*slot_out, r->work);
}

static uint32_t via_of(const weir_collectives *c, const struct hop *hop)
{
    return c->relaying ? c->via[hop->from * c->ranks + hop->to] : hop->to;
}

/* The packet's first half of the way. @param[out] rest  the second; its `ready` is the caller's to release. @param[out] slot_out
 * its `sent` is to be set when the rest is. @param[out] sent_out  when hop->source was read; NULL: not wanted. */
static weir_status relay(weir_collectives *c, const struct hop *hop, struct hop *rest,
                         struct slot **slot_out, weir_future **sent_out)
{
    uint32_t via = via_of(c, hop);
    struct rank *third = &c->rank[via];
    struct passage *passage = &third->passing[third->next_passing++ % PASSAGES];
    weir_event *free_now = NULL;
    weir_status status = empty(&passage->slot, passage->queue);
    struct hop first = *hop;
    *slot_out = &passage->slot;
    *rest = *hop;
    rest->from = via;
    rest->source = passage->slot.data;
    rest->ready = NULL;
    first.to = via;
    first.target = passage->slot.data;
    if (status || (status = weir__flight_mark(c, via, passage->queue, &free_now)))
        return status;
    first.posted = free_now;
    status = copy(c, &first, passage->queue, &rest->ready, sent_out);
    weir_event_release(free_now);
    return status;
}

weir_status weir__hop_copy(weir_collectives *c, const struct hop *hop, weir_event **mark_out)
{
    const struct rank *to = &c->rank[hop->to];
    struct slot *slot;
    struct hop rest;
    if (via_of(c, hop) == hop->to)
        return copy(c, hop, to->work, mark_out, NULL);
    weir_status status = relay(c, hop, &rest, &slot, NULL);
    if (status)
        return status;
    status = copy(c, &rest, to->work, mark_out, &slot->sent);
    weir_event_release(rest.ready);
    return status;
}

/* Where a packet's bytes are, or will be. It was matched with its send; where that had to wait for
 * something of the receiver's, so does this. */
static weir_status find(weir_pending *pending, weir_segment *segment)
{
    weir_status status = weir_pending_assigned(pending, segment);
    return status == WEIR_PENDING ? weir_pending_wait_assigned(pending, -1, segment) : status;
}

static weir_status reduce(weir_collectives *c, const struct hop *hop, const void *own,
                          const struct call *call, weir_event **mark_out, weir_future **sent_out)
{
    struct rank *to = &c->rank[hop->to];
    struct weir__reduction_args args = {.out = hop->target,
                                        .a = own,
                                        .count = hop->bytes / call->element,
                                        .element = (uint32_t)call->element,
                                        .number = (uint32_t)call->type * WEIR_OP_COUNT +
                                                  (uint32_t)call->op};
    weir_pending *pending;
    weir_segment segment;
    weir_status status;
    weir__flight_room(c, hop->from, hop->to);
    if ((status = send(c, hop, LAND_IN_BUFFER, sent_out)) ||
        (status = weir_link_receive(c->mesh[LAND_IN_BUFFER].out[hop->to], &pending)))
        return status;
    if ((status = find(pending, &segment)) || (status = weir_pending_gate(pending, to->work)))
        return give_up(c, pending, to->work, status);
    args.b = segment.data;
    if ((status = weir_queue_launch(to->work, &weir__reduction_kernel, &args, sizeof args)) ||
        (mark_out && (status = weir__flight_mark(c, hop->to, to->work, mark_out))))
        return give_up(c, pending, to->work, status);
    return give_back(c, pending, to->work);
}

weir_status weir__hop_reduce(weir_collectives *c, const struct hop *hop, const void *own,
                             const struct call *call, weir_event **mark_out, weir_future **sent_out)
{
    struct slot *slot;
    struct hop rest;
    if (via_of(c, hop) == hop->to)
        return reduce(c, hop, own, call, mark_out, sent_out);
    weir_status status = relay(c, hop, &rest, &slot, sent_out);
    if (status)
        return status;
    status = reduce(c, &rest, own, call, mark_out, &slot->sent);
    weir_event_release(rest.ready);
    return status;
}
