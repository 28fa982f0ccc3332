/** @file connection.c  Connections: which links make them, how they are found, and their end. */
#include "router/process/internal.h"
#include "router/transport/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

weir_status weir__connection_create(weir_group *group, int inbound, uint32_t process,
                                    const char *router, const char *destination,
                                    struct connection **connection_out)
{
    struct connection *connection;
    weir_status status =
        weir__calloc(1, sizeof *connection, "link to another process", &connection);
    if (status)
        return status;
    connection->group = weir__group_retain(group);
    connection->inbound = inbound;
    connection->process = process;
    connection->handle = -1;
    snprintf(connection->router, sizeof connection->router, "%s", router);
    snprintf(connection->destination, sizeof connection->destination, "%s", destination);
    *connection_out = connection;
    return WEIR_OK;
}

void weir__connection_destroy(struct connection *connection)
{
    weir_group *group = connection->group;
    /* Queues first: the last holder of an output waits for the copies into the inbox. */
    if (connection->output)
        weir__output_unref(connection->output);
    if (connection->inbox) {
        connection->transport->close(group->context, connection->inbox,
                                     connection->stride * connection->count);
    }
    if (connection->handle >= 0)
        (void)close(connection->handle);
    free(connection->credits);
    free(connection->posted);
    free(connection);
    weir__group_release(group);
}

void weir__connection_add(struct connection *connection)
{
    weir_group *group = connection->group;
    pthread_mutex_lock(&group->lock);
    struct connection **at = &group->connections;
    while (*at)
        at = &(*at)->next;
    *at = connection;
    pthread_mutex_unlock(&group->lock);
    weir__group_wake(group);
}

void weir__connection_close(struct connection *connection)
{
    weir_group *group = connection->group;
    pthread_mutex_lock(&group->lock);
    struct connection **at = &group->connections;
    while (*at != connection)
        at = &(*at)->next;
    *at = connection->next;
    if (!connection->joined && connection->output && group->peers[connection->process].gone)
        weir__group_lost(connection);
    pthread_cond_broadcast(&group->changed);
    pthread_mutex_unlock(&group->lock);
    weir__connection_destroy(connection);
}

void weir__connection_joined(struct connection *connection)
{
    pthread_mutex_lock(&connection->group->lock);
    connection->joined = 1;
    pthread_cond_broadcast(&connection->group->changed);
    pthread_mutex_unlock(&connection->group->lock);
}

weir_status weir__connection_inbox(struct connection *connection, const struct wire *about)
{
    size_t page = 4096;
    weir_status status;
    connection->number = about->number;
    connection->room = (size_t)about->bytes;
    connection->stride = (connection->room + page - 1) / page * page;
    connection->count = (uint32_t)about->offset;
    connection->transport = weir__transport_row(about->meta);
    if (!connection->transport || !connection->transport->processes || connection->room == 0 ||
        connection->room > (size_t)1 << 40 || about->offset == 0 || about->offset > 1024)
        return weir__fail(WEIR_ERR_INVALID, "process %u sent an inbox that makes no sense",
                          connection->process);
    if ((status = weir__calloc(connection->count, sizeof *connection->credits, "inbox",
                               &connection->credits)))
        return status;
    return weir__calloc(connection->count, sizeof *connection->posted, "inbox",
                        &connection->posted);
}

struct connection *weir__connection_next(weir_group *group, const struct connection *connection)
{
    pthread_mutex_lock(&group->lock);
    struct connection *next = connection ? connection->next : group->connections;
    pthread_mutex_unlock(&group->lock);
    return next;
}

struct connection *weir__connection_numbered(weir_group *group, int inbound, uint32_t process,
                                             uint32_t number)
{
    struct connection *connection = weir__connection_next(group, NULL);
    while (connection && !(connection->inbound == inbound && connection->process == process &&
                           connection->open && connection->number == number))
        connection = weir__connection_next(group, connection);
    return connection;
}

weir_status weir__connection_output_ended(struct connection *connection)
{
    weir__output_lock(connection->output);
    weir_status ended = connection->output->ended;
    weir__output_unlock(connection->output);
    return ended;
}

void weir__connection_cancel(struct connection *connection, weir_status status, const char *detail)
{
    weir__fail_adopt(status, detail);
    weir_router_cancel(connection->output->router, status);
}

void weir__connection_say(struct connection *connection, uint32_t kind, uint32_t credit,
                          weir_status status)
{
    struct wire wire = {
        .kind = kind, .number = connection->number, .credit = credit, .status = status};
    weir__group_say(connection->group, connection->process, &wire, -1);
}

void weir__connection_say_end(struct connection *connection, uint32_t kind, weir_status status)
{
    struct wire wire = {.kind = kind, .number = connection->number, .status = status};
    if (status < 0) {
        if (connection->output) /* else, or if it was not cancelled, this thread has the sentence */
            (void)weir__router_status(connection->output->router);
        snprintf(wire.detail, sizeof wire.detail, "%.*s", WIRE_DETAIL - 1, weir_error_detail());
    }
    weir__group_say(connection->group, connection->process, &wire, -1);
}

/* ---- links that make them ----------------------------------------------------------------------- */

weir_status weir__remote_check(const weir_endpoint *source, const weir_endpoint *destination)
{
    if (source->group && destination->group && source->group != destination->group)
        return weir__fail(WEIR_ERR_INVALID, "a link from %s to %s of another group of processes",
                          source->name, destination->name);
    if (source->group && destination->group)
        return weir__fail(WEIR_ERR_INVALID,
                          "a link from %s to %s, which lie both in other processes: it is theirs",
                          source->name, destination->name);
    return WEIR_OK;
}

weir_status weir__remote_refuse(const weir_endpoint *endpoint, const char *what)
{
    if (!endpoint->group)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%s lies in process %u: it is there that it %s",
                      endpoint->name, endpoint->process, what);
}

void weir__remote_config(const weir_endpoint *destination, weir_link_config *config)
{
    if (!destination->group)
        return;
    weir_transport asked = config->transport; /* the one thing that both sides have a say in */
    *config = (weir_link_config)WEIR_LINK_CONFIG_INIT;
    config->transport = asked;
    config->buffers = WEIR_BUFFERS_NONE;
    config->arrived = weir__group_wake;
    config->arrived_user = destination->group; /* held by the endpoint, which the output holds */
}

static int is_there(weir_group *group, const struct output *output, uint32_t process)
{
    pthread_mutex_lock(&group->lock);
    const struct connection *connection = group->connections;
    while (connection && !(connection->output == output && connection->process == process))
        connection = connection->next;
    pthread_mutex_unlock(&group->lock);
    return connection != NULL;
}

/* What `input` sends comes to `output`: where one of them lies in another process there is a connection. */
static weir_status pair(weir_link *input, struct output *output)
{
    weir_endpoint *source = input->source, *destination = output->destination;
    const weir_endpoint *other = source->group ? source : destination;
    if (!source->group == !destination->group || is_there(other->group, output, other->process))
        return WEIR_OK;
    pthread_mutex_lock(&other->group->lock);
    int gone = other->group->peers[other->process].gone;
    pthread_mutex_unlock(&other->group->lock);
    if (gone)
        return weir__fail(WEIR_ERR_PROCESS, "process %u, where %s lies, has ended", other->process,
                          other->name);
    return source->group ? weir__inbound_create(source, output) : weir__outbound_create(output);
}

static weir_status pair_input(weir_link *input, void *output)
{
    return pair(input, output);
}

static weir_status pair_output(struct output *output, void *input)
{
    return pair(input, output);
}

static weir_status pair_all(struct output *output, void *router)
{
    return weir__router_each_input(router, pair_input, output);
}

weir_status weir__remote_linked(weir_link *link)
{
    if (link->from)
        return weir__router_each_output(link->router, pair_all, link->from);
    if (link->output)
        return weir__router_each_input(link->router, pair_input, link->output);
    return weir__router_each_output(link->router, pair_output, link);
}
