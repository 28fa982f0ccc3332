/** @file outbound.c  The sender's half of a connection: credits become receives that packets are copied into.
 *
 * To the router this is an output like others, and the progress thread the program that posts receives
 * on it: for each credit one, into the inbox. So claims, turns, `any` and the end of streams are the same as
 * within a process, and nothing has to be agreed upon with the receiver. A packet that others may take too is lent to the
 * receive until the receiver says that its program has it: should that process end before, it comes back. */
#include "router/process/internal.h"
#include "router/transport/transport.h"
#include "runtime/backend.h"

#include <stdio.h>
#include <string.h>

/* ---- its two origins: a link of this process, and the inbox of the other one ------------------------- */

weir_status weir__outbound_create(struct output *output)
{
    const weir_endpoint *destination = output->destination;
    struct connection *connection;
    weir_status status =
        weir__connection_create(destination->group, 0, destination->process,
                                output->router->self.name, destination->name, &connection);
    if (status)
        return status;
    atomic_store_explicit(&output->unjoined, 1, memory_order_release);
    weir__output_ref(output);
    connection->output = output;
    weir__connection_add(connection);
    return WEIR_OK;
}

static void post(struct connection *connection, uint32_t index)
{
    struct credit *credit = &connection->credits[index];
    weir_status status = weir__output_receive_into(connection->output,
                                                   connection->inbox + index * connection->stride,
                                                   connection->room, NULL, &credit->pending);
    if (status) {
        weir_router_cancel(connection->output->router, status);
        return;
    }
    uint32_t at = (connection->first + connection->posted_count++) % connection->count;
    connection->posted[at] = index;
}

static void join(struct connection *connection)
{
    struct output *output = connection->output;
    weir__output_lock(output);
    output->packet_bytes = connection->room;
    /* Release: who sees that it is joined cuts messages by the receiver's packets. */
    atomic_store_explicit(&output->unjoined, 0, memory_order_release);
    weir__output_unlock(output);
    weir__connection_say(connection, WIRE_JOINED, 0, WEIR_OK);
    for (uint32_t i = 0; i < connection->count; i++)
        post(connection, i);
    weir__connection_joined(connection);
}

static int is_same(const struct connection *one, const struct connection *other)
{
    return !other->inbound && other->process == one->process &&
           strcmp(other->router, one->router) == 0 &&
           strcmp(other->destination, one->destination) == 0;
}

/* The receiver knows already: here the link ends, and nobody waits to join it. */
static void refuse(struct connection *connection, struct connection *other)
{
    weir_status status = other->refused;
    other->refused = WEIR_OK;
    atomic_store_explicit(&connection->output->unjoined, 0, memory_order_release);
    weir__connection_cancel(connection, status, other->why);
    connection->open = 1;
    connection->number = other->number;
    weir__connection_joined(connection);
}

/* An inbox came before the link was made: the link takes it over. */
static int adopt(struct connection *connection)
{
    struct connection *other = weir__connection_next(connection->group, NULL);
    while (other &&
           !((other->open || other->refused) && !other->output && is_same(connection, other)))
        other = weir__connection_next(connection->group, other);
    if (!other)
        return 0;
    if (other->refused) {
        refuse(connection, other);
        return 0;
    }
    connection->number = other->number;
    connection->transport = other->transport;
    connection->inbox = other->inbox;
    connection->room = other->room;
    connection->stride = other->stride;
    connection->count = other->count;
    connection->credits = other->credits;
    connection->posted = other->posted;
    connection->open = 1;
    other->inbox = NULL;
    other->credits = NULL;
    other->posted = NULL;
    other->open = 0;
    return 1;
}

static weir_status map_inbox(struct connection *connection, const struct wire *wire, int handle)
{
    void *inbox;
    weir_status status = weir__connection_inbox(connection, wire);
    if (status ||
        (status = connection->transport->attach(connection->group->context, handle,
                                                connection->stride * connection->count, &inbox)))
        return status;
    connection->inbox = inbox;
    return WEIR_OK;
}

/* There is no memory to remember that an inbox came: its receiver is told, and the link, if it is there already. */
static void turn_away(weir_group *group, uint32_t process, const struct wire *wire,
                      weir_status status)
{
    struct wire end = {.kind = WIRE_END, .number = wire->number, .status = status};
    struct connection other = {.process = process, .number = wire->number, .refused = status};
    snprintf(end.detail, sizeof end.detail, "%.*s", WIRE_DETAIL - 1, weir_error_detail());
    snprintf(other.why, sizeof other.why, "%s", end.detail);
    snprintf(other.router, sizeof other.router, "%s", wire->router);
    snprintf(other.destination, sizeof other.destination, "%s", wire->destination);
    weir__group_say(group, process, &end, -1);
    for (struct connection *c = weir__connection_next(group, NULL); c;
         c = weir__connection_next(group, c))
        if (c->output && !c->open && is_same(c, &other))
            refuse(c, &other);
}

void weir__outbound_open(weir_group *group, uint32_t process, const struct wire *wire, int handle)
{
    struct connection *connection;
    weir_status status =
        weir__connection_create(group, 0, process, wire->router, wire->destination, &connection);
    if (status) {
        turn_away(group, process, wire, status);
        return;
    }
    status = map_inbox(connection, wire, handle);
    connection->open = !status;
    if (status) {
        connection->refused = status;
        snprintf(connection->why, sizeof connection->why, "%.*s", WIRE_DETAIL - 1,
                 weir_error_detail());
        weir__connection_say_end(connection, WIRE_END, status);
    }
    weir__connection_add(connection);
}

/* ---- packets ------------------------------------------------------------------------------------ */

/* Be woken when the copy is over. */
static void watch(struct connection *connection, weir_pending *pending)
{
    weir_group *group = connection->group;
    if (connection->watched)
        return;
    connection->watched = 1;
    if (!weir__future_notify(weir_pending_future(pending), weir__group_notified,
                             weir__group_retain(group)))
        return;
    weir__group_release(group);
    group->watch_failed = 1;
    connection->watched = 0;
}

static void say_packet(struct connection *connection, uint32_t credit, const weir_segment *segment,
                       int lent)
{
    struct wire wire = {.kind = WIRE_PACKET,
                        .number = connection->number,
                        .credit = credit,
                        .lent = (uint32_t)lent,
                        .bytes = segment->bytes,
                        .offset = segment->offset,
                        .meta = segment->meta,
                        .tag = segment->tag,
                        .source = segment->source};
    weir__group_say(connection->group, connection->process, &wire, -1);
}

/* The oldest posted receive: packets are told of in the order in which they were assigned, since that is the order of
 * each sender. @return whether there may be more to do. */
static int move_first(struct connection *connection)
{
    uint32_t index = connection->posted[connection->first];
    weir_pending *pending = connection->credits[index].pending;
    weir_segment segment;
    int lent;
    weir_status status = weir_pending_assigned(pending, &segment), copied;
    if (status == WEIR_PENDING)
        return 0;
    /* What was withdrawn may still be on its way into the inbox, which must not go before. */
    if ((copied = weir_future_query(weir_pending_future(pending))) == WEIR_PENDING) {
        watch(connection, pending);
        return 0;
    }
    status = status ? status : copied;
    connection->first = (connection->first + 1) % connection->count;
    connection->posted_count--;
    connection->watched = 0;
    if (status == WEIR_OK && (status = weir__pending_tell(pending, &lent)) == WEIR_OK) {
        say_packet(connection, index, &segment, lent);
        connection->credits[index].told = 1;
        connection->in_flight++;
        return 1;
    }
    connection->credits[index].pending = NULL;
    (void)weir_pending_release(pending, NULL);
    /* It has ended, or a device failed below the copy. */
    weir__output_end(connection->output, status);
    weir__messages_settle();
    return 1;
}

/* The receiver has the packet for good, or never will. */
static void answer(struct connection *connection, struct credit *credit, weir_status status)
{
    weir_pending *pending = credit->pending;
    credit->pending = NULL;
    credit->told = 0;
    connection->in_flight--;
    weir__pending_answered(pending, status);
    (void)weir_pending_release(pending, NULL);
}

/* Nobody answers any more: this process leaves, and what it told of is the receiver's; or that one has ended, and what it had not
 * taken has come back. */
static void answer_all(struct connection *connection)
{
    for (uint32_t i = 0; connection->in_flight > 0 && i < connection->count; i++)
        if (connection->credits[i].told)
            answer(connection, &connection->credits[i], WEIR_OK);
}

void weir__remote_parted(struct output *output)
{
    if (!output->destination->group)
        return;
    weir__output_seize(output);
    weir__output_collect(output);
    for (uint32_t i = 0; i < output->send_queue_count && !output->ended; i++)
        for (const struct offer *o = output->send_queues[i]->head; o; o = o->next)
            output->dropped |= !o->parcel->lends; /* what has other candidates goes to them */
    weir__output_cede(output);
}

/* A stream that has a hole does not just end. */
static weir_status name_end(const struct connection *connection, weir_status ended)
{
    if (ended != WEIR_CLOSED || !connection->output->dropped)
        return ended;
    return weir__fail(WEIR_ERR_CANCELLED,
                      "process %u destroyed its link from %s to %s before all was sent",
                      connection->group->rank, connection->router, connection->destination);
}

void weir__outbound_progress(struct connection *connection)
{
    if (!connection->output) {
        if (!connection->open && !connection->refused) /* a link took it over */
            weir__connection_close(connection);
        return;
    }
    if (!connection->open && adopt(connection))
        join(connection);
    while (connection->posted_count > 0 && move_first(connection)) {
    }
    weir_status ended = weir__connection_output_ended(connection);
    int over = weir__group_is_over(connection->group, connection->process);
    if (!ended || connection->posted_count > 0 || !(connection->open || over))
        return;
    if (connection->open && !connection->stopped)
        weir__connection_say_end(connection, WIRE_END, name_end(connection, ended));
    connection->stopped = 1;
    if (over)
        answer_all(connection);
    if (connection->in_flight == 0)
        weir__connection_close(connection);
}

void weir__outbound_credit(struct connection *connection, const struct wire *wire)
{
    if (!connection->output || wire->credit >= connection->count ||
        !connection->credits[wire->credit].told)
        return;
    answer(connection, &connection->credits[wire->credit],
           wire->status > 0 ? WEIR_CLOSED : (weir_status)wire->status);
    if (!connection->stopped)
        post(connection, wire->credit);
}

/* ---- the end ------------------------------------------------------------------------------------ */

struct others {
    const struct output *lost;
    int open;
};

static weir_status is_open(struct output *output, void *user)
{
    struct others *others = user;
    weir__output_lock(output);
    others->open |= output != others->lost && !output->ended;
    weir__output_unlock(output);
    return WEIR_OK;
}

/* Nobody takes anything here any more: other candidates do, and where there are none the router ends. */
static void lose(struct connection *connection, weir_status status)
{
    weir_router *router = connection->output->router;
    struct others others = {.lost = connection->output};
    pthread_rwlock_rdlock(&router->graph);
    (void)weir__router_each_output(router, is_open, &others);
    others.open |= router->feeder_count > 0;
    pthread_rwlock_unlock(&router->graph);
    if (!others.open && status < 0)
        weir_router_cancel(router, status);
    else
        weir__output_end(connection->output, status);
    weir__messages_settle();
}

void weir__outbound_stop(struct connection *connection, const struct wire *wire)
{
    if (!connection->output) {
        /* There will be no packets, and the receiver need not wait for any. */
        weir__connection_say(connection, WIRE_END, 0, WEIR_OK);
        weir__connection_close(connection);
    } else if (wire->status < 0)
        weir__connection_cancel(connection, (weir_status)wire->status, wire->detail);
    else
        lose(connection, WEIR_CLOSED);
}

void weir__outbound_gone(struct connection *connection)
{
    if (!connection->output) {
        weir__connection_close(connection);
        return;
    }
    atomic_store_explicit(&connection->output->unjoined, 0, memory_order_release);
    weir_status status =
        weir__fail(WEIR_ERR_PROCESS, "process %u ended, to which %s sent by way of %s",
                   connection->process, connection->router, connection->destination);
    if (!weir__connection_output_ended(connection))
        lose(connection, status);
    weir__output_forfeit(connection->output, status);
    weir__messages_settle();
}
