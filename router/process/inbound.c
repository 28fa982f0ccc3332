/** @file inbound.c  The receiver's half of a connection: packets in the inbox become messages.
 *
 * A packet that came is sent into its output from the inbox, by a link that stands for the other
 * process's. So it takes its turn beside packets of this process, and goes into whatever memory
 * is posted: buffers of a GPU, memory of the program's own. When it was copied the credit goes back. A packet
 * that others may take too is lent until the program takes it, as within a process: only then its credit goes back, and the
 * sender gives it to others should this process end before. */
#include "router/process/internal.h"
#include "router/transport/transport.h"
#include "runtime/backend.h"

#include <stdio.h>
#include <unistd.h>

/* ---- the inbox --------------------------------------------------------------------------------- */

static weir_status check_memory(const struct connection *connection, const struct wire *about)
{
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    weir_device_pool_stats(weir_context_home(connection->group->context), &pool);
    if (about->bytes <= pool.bound_bytes / about->offset)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_NOMEM,
                      "an inbox of %llu buffers of %llu bytes for process %u is more than the "
                      "home device's pool may hold",
                      (unsigned long long)about->offset, (unsigned long long)about->bytes,
                      connection->process);
}

static weir_status make_inbox(struct connection *connection)
{
    const struct output *output = connection->output;
    const weir_config *tunables = weir_context_config(connection->group->context);
    uint64_t buffers =
        output->buffers ? output->buffers : weir__config_get(tunables, WEIR__LINK_BUFFERS);
    struct wire about = {.number = connection->number,
                         .bytes = output->packet_bytes,
                         .offset = buffers,
                         .meta = weir__transport_between(output->transport)->which};
    void *inbox;
    weir_status status = check_memory(connection, &about);
    if (status || (status = weir__connection_inbox(connection, &about)) ||
        (status = connection->transport->expose(connection->group->context,
                                                connection->stride * connection->count, &inbox,
                                                &connection->handle)))
        return status;
    connection->inbox = inbox;
    return WEIR_OK;
}

weir_status weir__inbound_create(const weir_endpoint *source, struct output *output)
{
    weir_group *group = source->group;
    struct connection *connection;
    weir_status status =
        weir__connection_create(group, 1, source->process, output->router->self.name,
                                output->destination->name, &connection);
    if (status)
        return status;
    pthread_mutex_lock(&group->lock);
    connection->number = ++group->next_number;
    pthread_mutex_unlock(&group->lock);
    weir__output_ref(output);
    connection->output = output;
    if ((status = make_inbox(connection))) {
        weir__connection_destroy(connection);
        return status;
    }
    weir__output_lock(output);
    if (!output->group)
        output->group = weir__group_retain(group);
    weir__output_unlock(output);
    weir__connection_add(connection);
    return WEIR_OK;
}

static void say_open(struct connection *connection)
{
    struct wire wire = {.kind = WIRE_OPEN,
                        .number = connection->number,
                        .bytes = connection->room,
                        .offset = connection->count,
                        .meta = connection->transport->which};
    snprintf(wire.router, sizeof wire.router, "%s", connection->router);
    snprintf(wire.destination, sizeof wire.destination, "%s", connection->destination);
    weir__group_say(connection->group, connection->process, &wire, connection->handle);
    (void)close(connection->handle);
    connection->handle = -1;
    connection->open = 1;
}

/* ---- packets ------------------------------------------------------------------------------------ */

static int is_from(const struct send_queue *sends, const struct connection *connection)
{
    return sends->link && sends->group == connection->group &&
           sends->process == connection->process;
}

/* What stands for the senders of the other process, of which one is enough: their order was made there.
 * The output is locked. */
static struct send_queue *find_send_queue(const struct connection *connection)
{
    const struct output *output = connection->output;
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        if (is_from(output->send_queues[i], connection))
            return output->send_queues[i];
    return NULL;
}

static void offer(struct connection *connection, struct message *message)
{
    struct output *output = connection->output;
    weir_status status = WEIR_OK, ended;
    weir__output_lock(output);
    struct send_queue *sends = find_send_queue(connection);
    ended = output->ended;
    const int takes = sends && !ended;
    if (takes)
        weir__send_queue_append(sends, message->offers, message->offers);
    weir__output_unlock(output);
    if (takes) {
        status = weir__output_progress(output, 0);
    } else {
        weir__message_failed(message, ended ? ended : WEIR_CLOSED);
        weir__message_unref(message, 1);
    }
    weir__message_unref(message, 1);
    if (status)
        weir_router_cancel(output->router, status);
    weir__messages_settle();
}

/* A choice that was made: the packet waits for no other buffer than one without, and may go until the program takes it. */
static void lend(struct message *message, _Atomic uint32_t *claims)
{
    struct parcel *parcel = message->parcels;
    parcel->lends = 1;
    parcel->claims = claims;
    atomic_store_explicit(&parcel->candidates, 1, memory_order_relaxed);
    atomic_store_explicit(&claims[0], 1, memory_order_relaxed);
    message->leaves[0] = (struct leaf){.decisions = 1, .decision = {{.alternative = 1}}};
    message->offers->leaf = &message->leaves[0];
}

/* The inbox's buffer as a message of one packet. */
static weir_status deliver(struct connection *connection, const struct wire *wire)
{
    static const struct message_size size = {.parcels = 1, .offers = 1, .claims = 1, .leaves = 1};
    weir_segment segment = {.device = weir_context_home(connection->group->context),
                            .data = connection->inbox + wire->credit * connection->stride,
                            .bytes = (size_t)wire->bytes,
                            .meta = wire->meta,
                            .tag = wire->tag,
                            .source = (uint32_t)wire->source};
    struct message *message;
    _Atomic uint32_t *claims;
    weir_future **done = &connection->credits[wire->credit].done;
    weir_status status = weir__message_create(connection->output->router, NULL, &segment, NULL,
                                              &size, 1, done, &message, &claims);
    if (status) {
        *done = NULL;
        return status;
    }
    message->base = (size_t)wire->offset;
    message->parcels->message = message;
    message->parcels->bytes = segment.bytes;
    message->offers->parcel = message->parcels;
    if (wire->lent)
        lend(message, claims);
    connection->in_flight++;
    if (weir__future_notify(*done, weir__group_notified, weir__group_retain(connection->group))) {
        weir__group_release(connection->group);
        connection->credits[wire->credit].unwatched = 1;
    }
    offer(connection, message);
    return WEIR_OK;
}

void weir__inbound_packet(struct connection *connection, const struct wire *wire)
{
    weir_status status;
    if (connection->ended)
        return;
    if (connection->stopped) {
        weir__connection_say(connection, WIRE_CREDIT, wire->credit, WEIR_CLOSED);
        return;
    }
    if (wire->credit >= connection->count || connection->credits[wire->credit].done ||
        wire->bytes > connection->room)
        status = weir__fail(WEIR_ERR_INVALID, "process %u sent a packet that has no room to %s",
                            connection->process, connection->destination);
    else
        status = deliver(connection, wire);
    if (status)
        weir_router_cancel(connection->output->router, status);
}

static void return_credits(struct connection *connection)
{
    weir_status status;
    for (uint32_t i = 0; connection->in_flight > 0 && i < connection->count; i++) {
        struct credit *credit = &connection->credits[i];
        if (!credit->done)
            continue;
        if ((status = weir_future_query(credit->done)) == WEIR_PENDING) {
            connection->group->watch_failed |= credit->unwatched;
            continue;
        }
        weir_future_release(credit->done);
        credit->done = NULL;
        credit->unwatched = 0;
        connection->in_flight--;
        weir__connection_say(connection, WIRE_CREDIT, i, status);
    }
}

static int is_ours(const struct connection *connection, const struct weir_pending *slot)
{
    const weir_future *done = slot->lent->parcel->message->done;
    uint32_t i = 0;
    while (i < connection->count && connection->credits[i].done != done)
        i++;
    return i < connection->count;
}

static struct loan take_ours(const struct connection *connection)
{
    struct output *output = connection->output;
    struct loan loan = {NULL, NULL, NULL};
    weir__output_lock(output);
    struct weir_pending *slot = output->lent;
    while (slot && !is_ours(connection, slot))
        slot = slot->next_lent;
    if (slot)
        loan = weir__slot_taken(slot);
    weir__output_unlock(output);
    return loan;
}

/* This process leaves: what came stays with it, whether its program takes it or not, and the inbox goes. */
static void keep_all(struct connection *connection)
{
    struct loan loan;
    do {
        loan = take_ours(connection);
        struct message *message = weir__loan_keep(&loan);
        if (message) /* of other outputs none has its offers */
            weir__message_unref(message, 1);
    } while (loan.offer);
    weir__messages_settle();
}

/* ---- the end ------------------------------------------------------------------------------------ */

static void shut(struct connection *connection)
{
    struct output *output = connection->output;
    weir__output_lock(output);
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        if (is_from(output->send_queues[i], connection))
            output->send_queues[i]->shutting = 1;
    weir__output_unlock(output);
    weir_status status = weir__output_progress(output, 0);
    if (status)
        weir_router_cancel(output->router, status);
    weir__messages_settle();
}

void weir__inbound_end(struct connection *connection, const struct wire *wire)
{
    connection->ended = 1;
    if (wire->status < 0)
        weir__connection_cancel(connection, (weir_status)wire->status, wire->detail);
    else
        shut(connection);
}

void weir__inbound_gone(struct connection *connection)
{
    const int over = connection->ended || connection->stopped;
    connection->ended = 1;
    if (over)
        return;
    weir_router_cancel(
        connection->output->router,
        weir__fail(WEIR_ERR_PROCESS, "process %u ended before its link from %s to %s was shut down",
                   connection->process, connection->router, connection->destination));
}

/* The links that the other process sends by were destroyed here. */
static int is_alone(struct connection *connection)
{
    weir__output_lock(connection->output);
    int alone = !find_send_queue(connection);
    weir__output_unlock(connection->output);
    return alone;
}

void weir__inbound_progress(struct connection *connection)
{
    if (!connection->open)
        say_open(connection);
    const int over = weir__group_is_over(connection->group, connection->process);
    if (over && connection->in_flight > 0)
        keep_all(connection);
    return_credits(connection);
    if (!connection->ended && !connection->stopped) {
        weir_status ended = weir__connection_output_ended(connection);
        if (!ended && is_alone(connection))
            ended = WEIR_CLOSED;
        if (ended)
            weir__connection_say_end(connection, WIRE_STOP, ended);
        connection->stopped = ended != WEIR_OK;
    }
    /* Where it has stopped packets may still come, of which the sender wants to hear that nobody takes them. */
    if ((connection->ended || (connection->stopped && over)) && connection->in_flight == 0)
        weir__connection_close(connection);
}
