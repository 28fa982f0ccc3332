/** @file link.c  Links: building the graph, and sending. */
#include "router/internal.h"

#include <stdlib.h>

static weir_status check_ends(const weir_endpoint *source, const weir_endpoint *destination)
{
    if (source == destination)
        return weir__fail(WEIR_ERR_INVALID, "a link from %s to itself", source->name);
    if (source->context != destination->context)
        return weir__fail(WEIR_ERR_INVALID, "a link from %s to %s of another context", source->name,
                          destination->name);
    if (source->router && destination->router)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "a link from router %s to router %s is not built yet", source->name,
                          destination->name);
    return WEIR_OK;
}

static weir_status check_ports(const weir_router *router, weir_endpoint *const *ports,
                               uint32_t count, const weir_endpoint *other)
{
    for (uint32_t i = 0; i < count; i++)
        if (ports[i] == other)
            return weir__fail(WEIR_ERR_INVALID, "a second link between %s and router %s",
                              other->name, router->self.name);
    if (count == PORTS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "router %s has %d links on one side already",
                          router->self.name, PORTS_MAX);
    return WEIR_OK;
}

static weir_status add_input(weir_link *link, weir_router *router, weir_endpoint *source)
{
    weir_status status = check_ports(router, router->inputs, router->input_count, source);
    for (uint32_t i = 0; i < router->output_count && !status; i++)
        status = weir__output_prepare(router->outputs[i], source->device);
    if (status)
        return status;
    if ((status = weir__calloc(1, sizeof *link->marks, "link", &link->marks)))
        return status;
    link->marks->next = router->marks;
    router->marks = link->marks;
    link->source = source;
    router->inputs[router->input_count++] = source;
    return WEIR_OK;
}

static weir_status add_output(weir_link *link, weir_router *router, weir_endpoint *destination,
                              const weir_link_config *config)
{
    struct output *output;
    weir_status status = check_ports(router, router->candidates, router->output_count, destination);
    if (status || (status = weir__output_create(router, destination, config, &output)))
        return status;
    for (uint32_t i = 0; i < router->input_count && !status; i++)
        if (router->inputs[i])
            status = weir__output_prepare(output, router->inputs[i]->device);
    if (status) {
        weir__output_destroy(output);
        return status;
    }
    link->output = output;
    router->candidates[router->output_count] = destination;
    router->outputs[router->output_count++] = output;
    return WEIR_OK;
}

/* The port stays counted, since its shutdown is; its endpoint may go. */
static void remove_input(weir_link *link)
{
    for (uint32_t i = 0; i < link->router->input_count; i++)
        if (link->router->inputs[i] == link->source)
            link->router->inputs[i] = NULL;
}

static void remove_output(weir_link *link)
{
    weir_router *router = link->router;
    uint32_t at = 0;
    while (router->outputs[at] != link->output)
        at++;
    router->output_count--;
    for (; at < router->output_count; at++) {
        router->outputs[at] = router->outputs[at + 1];
        router->candidates[at] = router->candidates[at + 1];
    }
    weir__output_end(link->output, WEIR_CLOSED);
    weir__output_destroy(link->output);
}

weir_status weir_link_create(weir_endpoint *source, weir_endpoint *destination,
                             const weir_link_config *config, weir_link **link_out)
{
    static const weir_link_config defaults = WEIR_LINK_CONFIG_INIT;
    weir_policy any = weir_policy_any();
    weir_link *link;
    weir_status status;
    *link_out = NULL;
    if (config && config->size != sizeof *config)
        return weir__fail(WEIR_ERR_INVALID, "weir_link_config was not set by its initialiser");
    if ((status = check_ends(source, destination)))
        return status;
    if ((status = weir__calloc(1, sizeof *link, "link", &link)))
        return status;
    link->router = source->router ? source->router : destination->router;
    if (!link->router) {
        status = weir_router_create(source->context, source->name, &any, &link->own);
        link->router = link->own;
    }
    if (!status && !source->router)
        status = add_input(link, link->router, source);
    if (!status && !destination->router)
        status = add_output(link, link->router, destination, config ? config : &defaults);
    if (status) {
        weir_router_destroy(link->own);
        free(link);
        return status;
    }
    *link_out = link;
    return WEIR_OK;
}

void weir_link_destroy(weir_link *link)
{
    if (!link)
        return;
    if (link->source && !link->closed)
        (void)weir_link_shutdown(link);
    if (link->source)
        remove_input(link);
    if (link->output)
        remove_output(link);
    weir_router_destroy(link->own);
    free(link);
}

weir_status weir_link_shutdown(weir_link *link)
{
    weir_router *router = link->router;
    weir_status status = WEIR_OK;
    if (!link->source)
        return weir__fail(WEIR_ERR_INVALID, "%s: only a link into a router is shut down",
                          link->output->destination->name);
    if (link->closed)
        return WEIR_OK;
    link->closed = 1;
    atomic_fetch_add_explicit(&router->inputs_shut, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < router->output_count; i++) {
        weir_status one = weir__output_offer(router->outputs[i], &link->marks->offers[i]);
        status = status ? status : one;
    }
    return status;
}

static weir_status check_send(const weir_link *link, const weir_segment *segment)
{
    weir_status cancelled;
    if (!link->source)
        return weir__fail(WEIR_ERR_INVALID, "%s: a link out of a router does not send",
                          link->output->destination->name);
    if ((cancelled = weir__router_status(link->router)))
        return cancelled;
    if (link->closed)
        return WEIR_CLOSED;
    if (segment->device != link->source->device)
        return weir__fail(WEIR_ERR_INVALID, "%s: a message in the memory of another device",
                          link->source->name);
    return WEIR_OK;
}

static weir_status choose(const weir_link *link, const weir_segment *segment, weir_choice *choice)
{
    weir_router *router = link->router;
    weir_status status = router->policy.choose(router->policy.user, segment, link->source,
                                               router->candidates, router->output_count, choice);
    if (status)
        return status;
    if (choice->count == 0 || choice->count > router->output_count)
        return weir__fail(WEIR_ERR_INVALID, "policy %s of router %s chose %u of %u outputs",
                          router->policy.name, router->self.name, choice->count,
                          router->output_count);
    for (uint32_t i = 0; i < choice->count; i++)
        if (choice->candidate[i] >= router->output_count)
            return weir__fail(WEIR_ERR_INVALID, "policy %s of router %s chose output %u of %u",
                              router->policy.name, router->self.name, choice->candidate[i],
                              router->output_count);
    return WEIR_OK;
}

/* Packets that a message makes for receivers of this packet size; an empty one makes one. */
static uint64_t packets_for(size_t bytes, size_t packet)
{
    return bytes ? (bytes + packet - 1) / packet : 1;
}

/* The segmenter: fill parcels [first, first + n) with consecutive pieces of the message. */
static void cut(struct message *message, uint64_t first, size_t packet)
{
    size_t bytes = message->segment.bytes, offset = 0;
    struct parcel *parcel = &message->parcels[first];
    do {
        parcel->offset = offset;
        parcel->bytes = bytes - offset < packet ? bytes - offset : packet;
        offset += parcel->bytes;
        parcel++;
    } while (offset < bytes);
}

/* Every candidate may take each packet: packets are as small as the most modest needs. */
static weir_status send_any(const weir_link *link, const weir_segment *segment, weir_event *ready,
                            const weir_choice *choice, weir_future **done_out)
{
    struct output **outputs = link->router->outputs;
    struct message *message;
    size_t packet = SIZE_MAX;
    weir_status status;
    for (uint32_t i = 0; i < choice->count; i++)
        if (packet > outputs[choice->candidate[i]]->packet_bytes)
            packet = outputs[choice->candidate[i]]->packet_bytes;
    uint64_t packets = packets_for(segment->bytes, packet);
    if (packets * choice->count > UINT32_MAX / 2)
        return weir__fail(WEIR_ERR_INVALID, "%s: a message of %zu bytes in packets of %zu",
                          link->source->name, segment->bytes, packet);
    status = weir__message_create(link->router->context, segment, ready, (uint32_t)packets,
                                  choice->count, done_out, &message);
    if (status)
        return status;
    cut(message, 0, packet);
    for (uint64_t p = 0; p < packets; p++)
        for (uint32_t i = 0; i < choice->count; i++) {
            weir_status one = weir__output_offer(outputs[choice->candidate[i]],
                                                 &message->offers[p * choice->count + i]);
            status = status ? status : one;
        }
    weir__message_unref(message);
    return status;
}

/* Every candidate gets the whole message, in packets of its own size. */
static weir_status send_all(const weir_link *link, const weir_segment *segment, weir_event *ready,
                            const weir_choice *choice, weir_future **done_out)
{
    struct output **outputs = link->router->outputs;
    struct message *message;
    uint64_t packets = 0, p = 0;
    weir_status status;
    for (uint32_t i = 0; i < choice->count; i++)
        packets += packets_for(segment->bytes, outputs[choice->candidate[i]]->packet_bytes);
    if (packets > UINT32_MAX / 2)
        return weir__fail(WEIR_ERR_INVALID, "%s: a message of %zu bytes makes too many packets",
                          link->source->name, segment->bytes);
    status = weir__message_create(link->router->context, segment, ready, (uint32_t)packets, 1,
                                  done_out, &message);
    if (status)
        return status;
    for (uint32_t i = 0; i < choice->count; i++) {
        struct output *output = outputs[choice->candidate[i]];
        uint64_t end = p + packets_for(segment->bytes, output->packet_bytes);
        cut(message, p, output->packet_bytes);
        for (; p < end; p++) {
            weir_status one = weir__output_offer(output, &message->offers[p]);
            status = status ? status : one;
        }
    }
    weir__message_unref(message);
    return status;
}

weir_status weir_link_send(weir_link *link, const weir_segment *segment, weir_event *ready,
                           weir_future **done_out)
{
    weir_choice choice = {WEIR_DELIVER_ANY, 0, {0}};
    weir_status status;
    if (done_out)
        *done_out = NULL;
    if ((status = check_send(link, segment)) || (status = choose(link, segment, &choice)))
        return status;
    atomic_fetch_add_explicit(&link->messages, 1, memory_order_relaxed);
    status = (choice.delivery == WEIR_DELIVER_ALL ? send_all : send_any)(link, segment, ready,
                                                                         &choice, done_out);
    /* A failed send still completes its future, but the caller is told by the status. */
    if (status && done_out && *done_out) {
        weir_future_release(*done_out);
        *done_out = NULL;
    }
    return status;
}

void weir_link_stats_get(const weir_link *link, weir_link_stats *stats_out)
{
    *stats_out = (weir_link_stats){0, 0, 0, 0};
    if (link->output) {
        pthread_mutex_lock(&link->output->lock);
        *stats_out = link->output->stats;
        pthread_mutex_unlock(&link->output->lock);
    }
    stats_out->messages = atomic_load_explicit(&link->messages, memory_order_relaxed);
}
