/** @file link.c  Sending: the segmenter cuts a message, and each packet is offered to its receivers. */
#include "router/internal.h"

struct shutting {
    weir_link *link;
    weir_status status; /* of what was matched on the way */
};

static weir_status shut_queue(struct output *output, void *user)
{
    struct shutting *shutting = user;
    weir__output_lock(output);
    weir__send_queue_shut(output, shutting->link);
    weir__output_unlock(output);
    weir_status status = weir__output_progress(output, 0);
    shutting->status = shutting->status ? shutting->status : status;
    return WEIR_OK;
}

weir_status weir_link_shutdown(weir_link *link)
{
    struct shutting shutting = {link, WEIR_OK};
    if (!link)
        return weir__missing("weir_link_shutdown", "link");
    if (!link->source)
        return weir__fail(WEIR_ERR_INVALID, "%s: only a link into a router is shut down",
                          link->router->self.name);
    if (link->source->group)
        return weir__remote_refuse(link->source, "is shut down");
    pthread_rwlock_rdlock(&link->router->graph);
    atomic_store(&link->router->ending, 1);
    if (!atomic_exchange_explicit(&link->closed, 1, memory_order_relaxed))
        (void)weir__router_each_output(link->router, shut_queue, &shutting);
    pthread_rwlock_unlock(&link->router->graph);
    weir__window_wake(link->window);
    if (shutting.status)
        weir_router_cancel(link->router, shutting.status);
    weir__messages_settle();
    return shutting.status;
}

static weir_status check_send(const weir_link *link, const weir_segment *segment,
                              const weir_event *ready)
{
    weir_status cancelled;
    if (!link || !segment)
        return weir__missing("weir_link_send", link ? "segment" : "link");
    if (!link->source)
        return weir__fail(WEIR_ERR_INVALID, "%s: a link out of a router does not send",
                          link->router->self.name);
    if ((cancelled = weir__remote_refuse(link->source, "sends")) ||
        (cancelled = weir__router_status(link->router)))
        return cancelled;
    if (atomic_load_explicit(&link->closed, memory_order_relaxed))
        return WEIR_CLOSED;
    if (segment->device != link->source->device)
        return weir__fail(WEIR_ERR_INVALID, "%s: a message in the memory of another device",
                          link->source->name);
    if (segment->bytes && !segment->data)
        return weir__fail(WEIR_ERR_INVALID, "%s: a message of %zu bytes at no address",
                          link->source->name, segment->bytes);
    return ready ? weir__event_check(ready, link->router->context, "a message is sent") : WEIR_OK;
}

/* Packets that a piece makes for receivers of this packet size; an empty one makes one. */
static uint64_t packets_for(const struct branch *branch)
{
    return branch->bytes ? branch->bytes / branch->packet + (branch->bytes % branch->packet != 0)
                         : 1;
}

static weir_status measure(const weir_link *link, const struct dispatch *dispatch,
                           struct message_size *size)
{
    *size = (struct message_size){0, 0, 0, dispatch->recipient_count};
    for (uint32_t b = 0; b < dispatch->branch_count; b++) {
        const struct branch *branch = &dispatch->branches[b];
        uint64_t packets = packets_for(branch);
        if (packets > UINT32_MAX / 2 || size->offers + packets * branch->leaves > UINT32_MAX / 2)
            return weir__fail(WEIR_ERR_INVALID, "%s: a message of %zu bytes in packets of %zu",
                              link->source->name, branch->bytes, branch->packet);
        size->parcels += packets;
        size->offers += packets * branch->leaves;
        size->claims += packets * branch->choices;
    }
    return WEIR_OK;
}

/* The segmenter: consecutive parcels for a branch, and for each an offer to every leaf, by leaves. */
static void cut(struct message *message, const struct branch *branch, struct parcel *parcel,
                struct offer *offers, _Atomic uint32_t *claims)
{
    uint64_t packets = packets_for(branch);
    size_t end = branch->offset + branch->bytes, offset = branch->offset;
    for (uint64_t p = 0; p < packets; p++, parcel++) {
        parcel->message = message;
        parcel->offset = offset;
        parcel->bytes = end - offset < branch->packet ? end - offset : branch->packet;
        parcel->claims = branch->choices ? claims + p * branch->choices : NULL;
        parcel->lends = branch->choices && branch->single;
        atomic_store_explicit(&parcel->candidates, branch->leaves, memory_order_relaxed);
        offset += parcel->bytes;
        for (uint32_t l = 0; l < branch->leaves; l++) {
            struct offer *offer = &offers[l * packets + p];
            offer->parcel = parcel;
            offer->leaf = branch->choices ? &message->leaves[branch->first_leaf + l] : NULL;
            offer->next = offer + 1; /* the last one's is overwritten */
        }
    }
}

/* To the only one there is: all packets at once. */
static weir_status offer_plainly(const weir_link *link, const struct branch *branch,
                                 struct offer *offers)
{
    return weir__output_offer(link->dispatch.recipients[branch->first_leaf].output, link, offers,
                              offers + packets_for(branch) - 1);
}

/* The leaf that the next packet is offered to first: candidates take turns, what lies below one keeps its
 * order. */
static uint32_t first_leaf(const weir_link *link, const struct branch *branch)
{
    const struct recipient *recipients = &link->dispatch.recipients[branch->first_leaf];
    uint32_t leaf = 0;
    if (!branch->groups)
        return 0;
    uint32_t turn = atomic_fetch_add_explicit(&link->router->turn, 1, memory_order_relaxed);
    while (recipients[leaf].group != turn % branch->groups)
        leaf++;
    return leaf;
}

/* Packet by packet, so that receivers that are free share the message. */
static weir_status offer_choices(const weir_link *link, const struct branch *branch,
                                 struct message *message, struct offer *offers)
{
    uint64_t packets = packets_for(branch);
    weir_status status = WEIR_OK;
    for (uint64_t p = 0; p < packets; p++) {
        uint32_t first = first_leaf(link, branch);
        for (uint32_t i = 0; i < branch->leaves; i++) {
            uint32_t l = (first + i) % branch->leaves;
            struct offer *offer = &offers[l * packets + p];
            weir_status one = WEIR_OK;
            if (weir__offer_is_stale(offer))
                weir__message_unref(message, 1);
            else
                one = weir__output_offer(link->dispatch.recipients[branch->first_leaf + l].output,
                                         link, offer, offer);
            status = status ? status : one;
        }
    }
    return status;
}

static weir_status offer_all(const weir_link *link, struct message *message,
                             _Atomic uint32_t *claims)
{
    struct parcel *parcel = message->parcels;
    struct offer *offer = message->offers;
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < link->dispatch.recipient_count; i++)
        message->leaves[i] = link->dispatch.recipients[i].leaf;
    message->turns = link->dispatch.branch_count == 1 &&
                     link->dispatch.branches[0].groups == link->dispatch.branches[0].leaves;
    for (uint32_t b = 0; b < link->dispatch.branch_count; b++) {
        const struct branch *branch = &link->dispatch.branches[b];
        uint64_t packets = packets_for(branch);
        for (uint32_t l = 0; branch->choices && l < branch->leaves; l++)
            message->leaves[branch->first_leaf + l].beacon =
                weir__beacon_ref(link->dispatch.recipients[branch->first_leaf + l].output->beacon);
        cut(message, branch, parcel, offer, claims);
        weir_status one = branch->choices ? offer_choices(link, branch, message, offer)
                                          : offer_plainly(link, branch, offer);
        status = status ? status : one;
        parcel += packets;
        offer += packets * branch->leaves;
        claims += packets * branch->choices;
    }
    return status;
}

/* Two threads that send on one link at a time, or a call-back that does so in the middle of a send, would cut by each
 * other's answers of the policies. */
static weir_status take_dispatch(weir_link *link)
{
    if (!atomic_exchange_explicit(&link->sending, 1, memory_order_acquire))
        return WEIR_OK;
    return weir__fail(
        WEIR_ERR_INVALID,
        "%s: a message is sent while another one is (one call at a time for each link)",
        link->source->name);
}

static void give_dispatch(weir_link *link)
{
    atomic_store_explicit(&link->sending, 0, memory_order_release);
}

weir_status weir_link_send(weir_link *link, const weir_segment *segment, weir_event *ready,
                           weir_future **done_out)
{
    struct message_size size;
    struct message *message;
    _Atomic uint32_t *claims;
    weir_status status, sent = WEIR_OK;
    if (done_out)
        *done_out = NULL;
    if ((status = check_send(link, segment, ready)) || (status = take_dispatch(link)))
        return status;
    if ((status = weir__window_take(link->window, segment->bytes))) {
        give_dispatch(link);
        return status;
    }
    /* A cancel drops what is under way, and makes room by that: who finds it is told of the cancel. */
    if ((status = weir__router_status(link->router))) {
        weir__window_give(link->window, segment->bytes);
        give_dispatch(link);
        weir__messages_settle();
        return status;
    }
    pthread_rwlock_rdlock(&link->router->graph);
    if (!(status = weir__dispatch_make(&link->dispatch, link, segment)) &&
        !(status = measure(link, &link->dispatch, &size)) &&
        !(status = weir__message_create(link->router, link->window, segment, ready, &size,
                                        size.parcels, done_out, &message, &claims))) {
        atomic_fetch_add_explicit(&link->messages, 1, memory_order_relaxed);
        message->segment.source = link->number;
        sent = offer_all(link, message, claims);
        weir__message_unref(message, 1);
    }
    pthread_rwlock_unlock(&link->router->graph);
    give_dispatch(link);
    if (status)
        weir__window_give(link->window, segment->bytes);
    if (sent)
        weir_router_cancel(link->router, sent);
    weir__messages_settle();
    if (!sent)
        return status;
    /* The future completes all the same, but the caller is told by the status. */
    if (done_out)
        weir_future_release(*done_out);
    if (done_out)
        *done_out = NULL;
    return sent;
}

/* Who shuts the link down, or cancels the router, says so and wakes who waits by then. Who waits later looks for itself: what
 * was said before is seen behind the window's lock. */
static int is_over(const weir_link *link)
{
    return atomic_load_explicit(&link->closed, memory_order_relaxed) ||
           atomic_load_explicit(&link->router->status, memory_order_relaxed);
}

/* Wait until a message of so many bytes may fit, or there is another reason to look. */
static weir_status wait_for_room(weir_link *link, uint64_t bytes, int64_t timeout_ms)
{
    weir_future *future;
    weir_status status = weir_future_create(link->router->context, &future);
    if (status)
        return status;
    status = weir__window_await(link->window, bytes, future);
    if (status == WEIR_PENDING) {
        status = is_over(link) ? WEIR_OK : weir_future_wait(future, timeout_ms);
        weir__window_forget(link->window, future);
    }
    weir_future_release(future);
    return status;
}

static int64_t time_left(uint64_t start_ns, int64_t timeout_ms)
{
    int64_t spent = (int64_t)((weir__now_ns() - start_ns) / 1000000u);
    return timeout_ms < 0 ? timeout_ms : spent < timeout_ms ? timeout_ms - spent : 0;
}

weir_status weir_link_send_wait(weir_link *link, const weir_segment *segment, weir_event *ready,
                                int64_t timeout_ms, weir_future **done_out)
{
    uint64_t start = weir__now_ns();
    weir_status status;
    while ((status = weir_link_send(link, segment, ready, done_out)) == WEIR_FULL)
        if ((status = wait_for_room(link, segment->bytes, time_left(start, timeout_ms))))
            break;
    return status;
}

weir_status weir_link_send_from(weir_link *link, const weir_segment *segment, weir_queue *queue,
                                weir_future **done_out)
{
    weir_event *ready;
    weir_status status;
    if (done_out)
        *done_out = NULL;
    if (!queue)
        return weir__missing("weir_link_send_from", "queue");
    if ((status = check_send(link, segment, NULL)) ||
        (status = weir__queue_check(queue, link->router->context, "a message is sent")))
        return status;
    if ((status = weir_event_acquire(weir_queue_device(queue), &ready)))
        return status;
    if (!(status = weir_queue_record(queue, ready)))
        status = weir_link_send(link, segment, ready, done_out);
    weir_event_release(ready); /* the message holds it */
    return status;
}

weir_status weir_link_stats_get(const weir_link *link, weir_link_stats *stats_out)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    if (!link)
        return weir__missing("weir_link_stats_get", "link");
    if (link->output) {
        weir__output_read(link->output, &stats);
        weir__messages_settle();
    }
    if (link->window)
        weir__window_read(link->window, &stats);
    stats.messages = atomic_load_explicit(&link->messages, memory_order_relaxed);
    return weir__sized_out(stats_out, &stats, sizeof stats, "weir_link_stats");
}
