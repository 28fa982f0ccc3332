/** @file pending.c  Receives under way (pipelined receivers, Groute 4.1). */
#include "router/internal.h"
#include "runtime/config.h"
#include "runtime/backend.h"

static weir_status check_receive(const char *call, const weir_link *link, int own)
{
    if (!link)
        return weir__missing(call, "link");
    const struct output *output = link->output;
    if (!output)
        return weir__fail(WEIR_ERR_INVALID, "%s: a link into a router does not receive",
                          link->router->self.name);
    if (output->destination->group)
        return weir__remote_refuse(output->destination, "receives");
    if (!atomic_load_explicit(&output->senders, memory_order_relaxed))
        return weir__fail(WEIR_ERR_INVALID, "router %s is unconnected: nobody sends to it",
                          output->router->self.name);
    if (own && !output->buffers)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: the link has no buffers: receive into memory of your own",
                          output->destination->name);
    if (!own && output->buffers)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: the link receives into its own %u buffers (WEIR_BUFFERS_NONE)",
                          output->destination->name, output->buffers);
    return WEIR_OK;
}

/* What the program asks for may be what the output left to others. */
static void leave(struct output *output)
{
    weir_status status;
    weir__output_unlock(output);
    if (atomic_load_explicit(&output->pace.withheld, memory_order_relaxed) &&
        (status = weir__output_progress(output, 0)))
        weir_router_cancel(output->router, status);
    weir__messages_settle();
}

void weir__slot_lend(struct weir_pending *slot, struct offer *offer)
{
    struct output *output = slot->output;
    slot->lent = offer;
    slot->next_lent = output->lent;
    slot->lent_at = &output->lent;
    if (output->lent)
        output->lent->lent_at = &slot->next_lent;
    output->lent = slot;
}

void weir__slot_unlend(struct weir_pending *slot)
{
    *slot->lent_at = slot->next_lent;
    if (slot->next_lent)
        slot->next_lent->lent_at = slot->lent_at;
    slot->lent = NULL;
}

struct loan weir__slot_taken(struct weir_pending *slot)
{
    const struct loan loan = {slot->lent, slot->copied_in, slot->copied};
    slot->taken = 1;
    if (loan.offer) {
        weir__slot_unlend(slot);
        /* Under the lock, so that a later copy of the message in that queue, which may be withdrawn, is not replaced. */
        weir__message_reads(loan.offer->parcel->message, loan.queue, loan.copied);
    }
    return loan;
}

struct message *weir__loan_keep(const struct loan *loan)
{
    struct offer *offer = loan->offer;
    if (!offer)
        return NULL;
    struct message *message = offer->parcel->message;
    weir__offer_keep(offer);
    const int awaited = weir__offer_is_awaited(offer);
    weir__message_copied(message, NULL, loan->queue, NULL);
    weir_event_release(loan->copied);
    if (awaited)
        return message;
    weir__message_unref(message, 1);
    return NULL;
}

/* Nothing locked. */
static void keep(const struct loan *loan)
{
    struct message *message = weir__loan_keep(loan);
    if (message)
        weir__message_kick(message);
    weir__messages_settle();
    if (message)
        weir__message_unref(message, 1);
}

static void take(weir_pending *pending)
{
    struct output *output = pending->output;
    weir__output_lock(output);
    const struct loan loan = weir__slot_taken(pending);
    leave(output);
    keep(&loan);
}

weir_status weir__pending_tell(weir_pending *pending, int *lent_out)
{
    weir__output_lock(pending->output);
    weir_status status = pending->assigned; /* it may have been taken back meanwhile */
    pending->told = status == WEIR_OK;
    *lent_out = pending->lent != NULL;
    leave(pending->output);
    return status;
}

void weir__pending_answered(weir_pending *pending, weir_status status)
{
    struct output *output = pending->output;
    if (status == WEIR_OK) {
        take(pending);
        return;
    }
    weir__output_lock(output);
    struct offer *offer = weir__slot_withdraw(pending, status);
    leave(output);
    if (offer)
        weir__offer_lost(output, offer, status);
    weir__messages_settle();
}

/* The oldest receive that nobody has.
 * @param[out] loan_out  what was lent to it, which is to be kept: it is taken. NULL: it is not yet. */
static weir_status get(const char *call, weir_link *link, struct loan *loan_out,
                       weir_pending **pending_out)
{
    weir_status status;
    if (!pending_out)
        return weir__missing(call, "pending_out");
    *pending_out = NULL;
    if ((status = check_receive(call, link, 1)))
        return status;
    struct output *output = link->output;
    status = WEIR_FULL;
    weir__output_lock(output);
    if (output->returned) { /* posted before all that were not taken yet */
        *pending_out = output->returned;
        output->returned = output->returned->next_returned;
    } else if (output->untaken) {
        *pending_out = output->untaken;
        output->untaken = output->untaken->next;
    }
    if (*pending_out) {
        (*pending_out)->held = 1;
        output->held++;
        weir__output_ref(output);
        if (loan_out)
            *loan_out = weir__slot_taken(*pending_out);
        status = WEIR_OK;
    }
    leave(output);
    return status;
}

weir_status weir_link_receive(weir_link *link, weir_pending **pending_out)
{
    struct loan loan;
    weir_status status = get("weir_link_receive", link, &loan, pending_out);
    if (!status)
        keep(&loan);
    return status;
}

/* Take out one whose bounce buffer nobody uses any more. Where there is none, that which was given back first, of as many as a
 * link with buffers has by default, so that staged packets do not wait for each other; NULL: there are fewer. */
static struct weir_pending *find_spare(struct output *output)
{
    const weir_config *tunables = weir_context_config(output->router->context);
    struct weir_pending **at = &output->spare, **first = at, *slot;
    uint64_t busy = 0;
    while (*at && (*at)->reuse && !weir__event_over((*at)->reuse)) {
        first = at;
        at = &(*at)->next;
        busy++;
    }
    if (!*at && busy < weir__config_get(tunables, WEIR__LINK_BUFFERS))
        return NULL;
    if (!*at && busy)
        at = first;
    slot = *at;
    *at = slot->next;
    return slot;
}

static weir_status take_spare(struct output *output, struct weir_pending **slot_out)
{
    struct weir_pending *slot = find_spare(output);
    weir_status status = WEIR_OK;
    if (slot)
        slot->next = NULL;
    else if (!(status = weir__calloc(1, sizeof *slot, "receive", &slot)))
        slot->output = output;
    if (!status && output->bouncing && (status = weir__slot_bounce(output, slot))) {
        slot->next = output->spare;
        output->spare = slot;
    }
    *slot_out = slot;
    return status;
}

weir_status weir_link_receive_into(weir_link *link, void *data, size_t bytes, weir_event *ready,
                                   weir_pending **pending_out)
{
    weir_status status;
    if (!pending_out)
        return weir__missing("weir_link_receive_into", "pending_out");
    *pending_out = NULL;
    if ((status = check_receive("weir_link_receive_into", link, 0)))
        return status;
    struct output *output = link->output;
    if (bytes && !data)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive of %zu bytes at no address",
                          output->destination->name, bytes);
    if (ready && (status = weir__event_check(ready, output->router->context, "memory is posted")))
        return status;
    return weir__output_receive_into(output, data, bytes, ready, pending_out);
}

weir_status weir__output_receive_into(struct output *output, void *data, size_t bytes,
                                      weir_event *ready, weir_pending **pending_out)
{
    struct weir_pending *slot;
    weir_status status;
    *pending_out = NULL;
    weir__output_lock(output);
    if ((status = take_spare(output, &slot))) {
        leave(output);
        return status;
    }
    slot->data = data;
    slot->room = bytes < output->packet_bytes ? bytes : output->packet_bytes;
    slot->ready = ready;
    if ((status = weir__output_post(output, slot))) {
        slot->next = output->spare;
        output->spare = slot;
        leave(output);
        return status;
    }
    slot->held = 1;
    output->held++;
    weir__output_ref(output);
    *pending_out = slot;
    const int ended = output->ended != WEIR_OK;
    weir__output_unlock(output);
    /* A copy that could not be made ends this receive like the others: the pending says so. */
    if ((status = weir__output_progress(output, ended)))
        weir_router_cancel(output->router, status);
    weir__messages_settle();
    return WEIR_OK;
}

/* It will be taken again before all that were not yet, in the order posted among those that came back like it. Others may be
 * taken meanwhile, and posted anew: it does not go back into the order of those that were not. */
static void put_back(weir_pending *pending)
{
    struct output *output = pending->output;
    weir__output_lock(output);
    pending->held = 0;
    output->held--;
    struct weir_pending **at = &output->returned;
    while (*at && (*at)->posted < pending->posted)
        at = &(*at)->next_returned;
    pending->next_returned = *at;
    *at = pending;
    leave(output);
    weir__output_unref(output);
}

weir_status weir_link_next(weir_link *link, int64_t timeout_ms, weir_pending **pending_out,
                           weir_segment *segment_out)
{
    weir_pending *pending;
    weir_status status;
    if (!pending_out || !segment_out)
        return weir__missing("weir_link_next", pending_out ? "segment_out" : "pending_out");
    status = get("weir_link_next", link, NULL, &pending);
    *pending_out = NULL;
    if (status)
        return status;
    if ((status = weir_pending_wait(pending, timeout_ms, segment_out)) == WEIR_ERR_TIMEOUT) {
        put_back(pending);
        return status;
    }
    take(pending);
    if (status == WEIR_OK && (status = weir_pending_assigned(pending, segment_out)) == WEIR_OK)
        *pending_out = pending;
    else
        (void)weir_pending_release(pending, NULL); /* it ended */
    return status;
}

/* What the program sees: who matches decides the future a moment after it has assigned the packet. Output locked. */
static weir_status assigned_to(const weir_pending *pending)
{
    weir_event *event;
    weir_status status;
    if (pending->future && !weir__future_decided(pending->future, &status, &event))
        return WEIR_PENDING;
    return pending->assigned;
}

weir_status weir_pending_assigned(weir_pending *pending, weir_segment *segment_out)
{
    if (!pending || !segment_out)
        return weir__missing("weir_pending_assigned", pending ? "segment_out" : "pending");
    weir__output_lock(pending->output);
    weir_status status = assigned_to(pending);
    if (status == WEIR_OK)
        *segment_out = pending->segment;
    leave(pending->output);
    weir__alarms_raise(pending->output->router->context); /* a program may do nothing but ask */
    if (status < 0)
        (void)weir_future_query(pending->future); /* for its sentence */
    return status;
}

weir_status weir_pending_wait_assigned(weir_pending *pending, int64_t timeout_ms,
                                       weir_segment *segment_out)
{
    if (!pending || !segment_out)
        return weir__missing("weir_pending_wait_assigned", pending ? "segment_out" : "pending");
    weir_status status = weir__future_wait_decided(pending->future, timeout_ms);
    return status ? status : weir_pending_assigned(pending, segment_out);
}

weir_status weir_pending_wait(weir_pending *pending, int64_t timeout_ms, weir_segment *segment_out)
{
    if (!pending || !segment_out)
        return weir__missing("weir_pending_wait", pending ? "segment_out" : "pending");
    weir_status status = weir_future_wait(pending->future, timeout_ms);
    return status ? status : weir_pending_assigned(pending, segment_out);
}

weir_status weir_pending_gate(weir_pending *pending, weir_queue *queue)
{
    if (!pending)
        return weir__missing("weir_pending_gate", "pending");
    struct output *output = pending->output;
    weir_status status = weir_queue_wait_future(queue, pending->future);
    if (status)
        return status;
    atomic_store(&pending->gated, queue);
    if (atomic_load(
            &output->pace.withheld)) { /* it was left to others, and the queue waits for it */
        weir__output_lock(output);
        leave(output);
    }
    return WEIR_OK;
}

weir_future *weir_pending_future(weir_pending *pending)
{
    return pending ? pending->future : NULL;
}

/* The event behind all that is in `queue` now, which waits for the bytes itself: whoever writes the
 * buffer next waits for the copy into it too, not only for its readers. */
static weir_status mark(weir_pending *pending, weir_queue *queue, weir_event **event_out)
{
    weir_status status;
    if ((status = weir_event_acquire(weir_queue_device(queue), event_out)))
        return status;
    if (atomic_load_explicit(&pending->gated, memory_order_relaxed) != queue)
        status = weir_queue_wait_future(queue, pending->future);
    if (status || (status = weir_queue_record(queue, *event_out))) {
        weir_event_release(*event_out);
        *event_out = NULL;
    }
    return status;
}

/* Whether the buffer is written no more, so that a release needs no event to succeed. The output says so, and not its
 * router: a cancel reaches the outputs one after the other, and until then packets are matched. What has ended stays so. */
static int has_failed(const weir_pending *pending)
{
    weir__output_lock(pending->output);
    const int failed = pending->output->ended < 0;
    leave(pending->output);
    return failed;
}

/* What is refused here leaves the receive as it is. @param[out] assigned_out  WEIR_OK, or what the receive ended with. */
static weir_status check_release(weir_pending *pending, const weir_queue *queue,
                                 weir_status *assigned_out)
{
    struct output *output = pending->output;
    const char *name = output->destination->name;
    weir_status status;
    weir__output_lock(output);
    int held = pending->held;
    *assigned_out = assigned_to(pending);
    leave(output);
    weir__alarms_raise(output->router->context); /* a program may do nothing but this */
    if (!held)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive is released that nobody holds", name);
    if (queue &&
        (status = weir__queue_check(queue, output->router->context, "a receive is released")))
        return status;
    if (*assigned_out == WEIR_PENDING)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive is released before anything came", name);
    if (*assigned_out == WEIR_OK && !queue && weir_future_query(pending->future) == WEIR_PENDING)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive is released before its bytes came",
                          name);
    return WEIR_OK;
}

weir_status weir_pending_release(weir_pending *pending, weir_queue *queue)
{
    weir_event *event = NULL;
    weir_status given, status, assigned;
    if (!pending)
        return weir__missing("weir_pending_release", "pending");
    if ((status = check_release(pending, queue, &assigned)))
        return status;
    struct output *output = pending->output;
    /* Nothing was written into a buffer of a receive that ended, and nothing will be. Of ours, who writes it next and who
     * frees it wait for its readers. */
    if (assigned == WEIR_OK && queue && (pending->own || pending->bounced) &&
        (status = mark(pending, queue, &event)) && has_failed(pending))
        status = WEIR_OK;
    /* Nothing happened: there is no event, or the queue cannot be held. The receive stays the caller's. */
    if (status == WEIR_FULL || status == WEIR_ERR_INVALID)
        return status;
    if (status) /* nothing says when the buffer may be written: nobody writes it any more */
        weir_router_cancel(output->router, status);
    if (event) /* else the one before stays: it was not waited for */
        pending->reuse = event;
    weir_future_release(pending->future);
    pending->future = NULL;
    given = weir__output_give_back(output, pending);
    return status ? status : given;
}
