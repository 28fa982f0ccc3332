/** @file wiring.c  What is joined to a router, and which input reaches which output.
 *
 * Packets do not stop at routers, so what counts is which input reaches which output: each such pair
 * has a send queue. Joining opens those that become possible, parting ends those that are no more. */
#include "router/internal.h"

#include <stdlib.h>

/* Of a router and all that feed it the one of the lowest number above `last`, or NULL. */
static weir_router *next_above(weir_router *router, uint64_t last, uint64_t walk)
{
    if (!weir__walk_enters(router, walk))
        return NULL;
    weir_router *best = router->number > last ? router : NULL;
    for (uint32_t i = 0; i < router->feeder_count; i++) {
        weir_router *other = next_above(router->feeders[i], last, walk);
        if (other && (!best || other->number < best->number))
            best = other;
    }
    return best;
}

/* Those that feed `router` and itself, one by one in the order of their numbers: all threads lock them in that. */
static weir_router *next_route(weir_router *router, const weir_router *last)
{
    return next_above(router, last ? last->number : 0, weir__walk_begin());
}

/* Nobody routes a message through `router` meanwhile. */
static void lock_routes(weir_router *router)
{
    for (weir_router *r = next_route(router, NULL); r; r = next_route(router, r))
        pthread_rwlock_wrlock(&r->graph);
}

static void unlock_routes(weir_router *router)
{
    for (weir_router *r = next_route(router, NULL); r; r = next_route(router, r))
        pthread_rwlock_unlock(&r->graph);
}

/* The lowest number that no link has: those of links that are gone are given out again, and nobody else's change. */
static uint32_t free_input(const weir_router *router)
{
    uint32_t at = 0;
    while (at < router->input_count && router->inputs[at])
        at++;
    return at;
}

static uint32_t free_port(const weir_router *router)
{
    uint32_t at = 0;
    while (at < router->port_count && router->candidates[at])
        at++;
    return at;
}

static weir_status check_room(const weir_router *router, uint32_t number)
{
    if (number < PORTS_MAX)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "router %s has %d links on one side already",
                      router->self.name, PORTS_MAX);
}

weir_status weir__link_doubled(const weir_endpoint *source, const weir_endpoint *destination)
{
    return weir__fail(WEIR_ERR_INVALID, "a second link from %s to %s", source->name,
                      destination->name);
}

/* ---- inputs ------------------------------------------------------------------------------------ */

static weir_status open_queue_to(struct output *output, void *link)
{
    return weir__send_queue_open(output, link);
}

static weir_status close_queue_to(struct output *output, void *link)
{
    weir__output_lock(output);
    weir__send_queue_gone(output, link);
    weir__output_unlock(output);
    (void)weir__output_progress(output, 0); /* it was shut before: nothing is left to match */
    return WEIR_OK;
}

static weir_status undo_queue_to(struct output *output, void *link)
{
    weir__send_queue_undo(output, link);
    return WEIR_OK;
}

void weir__input_remove(weir_link *link)
{
    weir_router *router = link->router;
    pthread_rwlock_wrlock(&router->graph);
    uint32_t at = 0;
    while (at < router->input_count && router->inputs[at] != link)
        at++;
    if (at < router->input_count)
        router->inputs[at] = NULL;
    pthread_rwlock_unlock(&router->graph);
}

weir_status weir__input_add(weir_link *link)
{
    weir_router *router = link->router;
    uint32_t at = free_input(router);
    weir_status status = check_room(router, at);
    for (uint32_t i = 0; i < router->input_count; i++)
        if (router->inputs[i] && router->inputs[i]->source == link->source)
            return weir__link_doubled(link->source, &router->self);
    if (status)
        return status;
    pthread_rwlock_wrlock(&router->graph);
    router->inputs[link->number = at] = link;
    router->input_count += at == router->input_count;
    router->inputs_ever++;
    pthread_rwlock_unlock(&router->graph);
    if ((status = weir__router_each_output(router, open_queue_to, link))) {
        (void)weir__router_each_output(router, undo_queue_to, link);
        weir__input_remove(link);
        router->inputs_ever--;
    }
    return status;
}

/* ---- outputs and links between routers ----------------------------------------------------------- */

static weir_status open_queue_from(weir_link *link, void *output)
{
    return weir__send_queue_open(output, link);
}

static void add_port(weir_router *router, weir_link *link, struct port port,
                     weir_endpoint *candidate)
{
    uint32_t at = free_port(router);
    if (!link->source) /* of a link between plain endpoints both are 0 */
        link->number = at;
    lock_routes(router);
    router->ports[at] = port;
    router->candidates[at] = candidate;
    router->port_count += at == router->port_count;
    router->ports_linked++;
    unlock_routes(router);
}

static void remove_port(weir_router *router, struct port port)
{
    lock_routes(router);
    uint32_t at = 0;
    while (at < router->port_count &&
           (router->ports[at].output != port.output || router->ports[at].router != port.router))
        at++;
    if (at < router->port_count) {
        router->ports[at] = (struct port){NULL, NULL};
        router->candidates[at] = NULL;
        router->ports_linked--;
    }
    unlock_routes(router);
}

static weir_status check_port(const weir_router *router, const weir_endpoint *destination)
{
    for (uint32_t i = 0; i < router->port_count; i++)
        if (router->candidates[i] == destination)
            return weir__link_doubled(&router->self, destination);
    return check_room(router, free_port(router));
}

/* All that reaches it may have been shut down before. */
static weir_status drain(struct output *output, void *unused)
{
    (void)unused;
    weir__output_lock(output);
    if (!output->senders && !output->destination->group) /* some may have come and gone already */
        output->senders = (uint32_t)weir__router_has_sender(output->router, weir__walk_begin());
    weir__output_unlock(output);
    (void)weir__output_progress(output, 0); /* nothing was sent: nothing can fail */
    return WEIR_OK;
}

weir_status weir__output_add(weir_link *link, weir_endpoint *destination,
                             const weir_link_config *config)
{
    weir_router *router = link->router;
    weir_status status = check_port(router, destination);
    if (status || (status = weir__output_create(router, destination, config, &link->output)))
        return status;
    if ((status = weir__router_each_input(router, open_queue_from, link->output))) {
        weir__output_orphan(link->output);
        weir__output_unref(link->output);
        link->output = NULL;
        return status;
    }
    add_port(router, link, (struct port){link->output, NULL}, destination);
    return drain(link->output, NULL);
}

static weir_status open_all_to(struct output *output, void *from)
{
    return weir__router_each_input(from, open_queue_from, output);
}

static int reaches(weir_router *router, const struct output *output, uint64_t walk)
{
    int does = 0;
    if (!weir__walk_enters(router, walk))
        return 0;
    for (uint32_t i = 0; i < router->port_count && !does; i++)
        does = router->ports[i].router ? reaches(router->ports[i].router, output, walk)
                                       : router->ports[i].output == output;
    return does;
}

static int is_lost(const weir_link *link, const struct output *output)
{
    return link && !reaches(link->router, output, weir__walk_begin());
}

/* Shut the send queues of inputs that do not reach the output any more. */
static weir_status close_lost(struct output *output, void *unused)
{
    (void)unused;
    weir__output_lock(output);
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        if (is_lost(output->send_queues[i]->link, output)) {
            atomic_store(&output->send_queues[i]->link->router->ending, 1);
            weir__send_queue_gone(output, output->send_queues[i]->link);
        }
    weir__output_unlock(output);
    (void)weir__output_progress(output, 0);
    return WEIR_OK;
}

static weir_status undo_lost(struct output *output, void *unused)
{
    (void)unused;
    for (uint32_t i = output->send_queue_count; i-- > 0;)
        if (is_lost(output->send_queues[i]->link, output))
            weir__send_queue_undo(output, output->send_queues[i]->link);
    return WEIR_OK;
}

static void remove_feeder(weir_router *to, weir_router *from)
{
    pthread_rwlock_wrlock(&to->graph);
    uint32_t at = 0;
    while (to->feeders[at] != from)
        at++;
    to->feeder_count--;
    for (; at < to->feeder_count; at++)
        to->feeders[at] = to->feeders[at + 1];
    pthread_rwlock_unlock(&to->graph);
}

static void remove_chain(weir_link *link)
{
    remove_port(link->from, (struct port){NULL, link->router});
    remove_feeder(link->router, link->from);
}

weir_status weir__chain_add(weir_link *link)
{
    weir_router *from = link->from, *to = link->router;
    weir_status status = check_port(from, &to->self);
    if (status || (status = check_room(to, to->feeder_count)))
        return status;
    if ((status = weir__router_each_output(to, open_all_to, from))) {
        (void)weir__router_each_output(to, undo_lost, NULL);
        return status;
    }
    pthread_rwlock_wrlock(&to->graph);
    to->feeders[to->feeder_count++] = from;
    pthread_rwlock_unlock(&to->graph);
    /* The send queues are there: messages may come. */
    add_port(from, link, (struct port){NULL, to}, &to->self);
    return weir__router_each_output(to, drain, NULL);
}

void weir__link_part(weir_link *link)
{
    if (link->output)
        remove_port(link->router, (struct port){link->output, NULL});
    if (link->source) {
        weir__input_remove(link);
        (void)weir__router_each_output(link->router, close_queue_to, link);
    }
    if (link->from) {
        remove_chain(link);
        (void)weir__router_each_output(link->router, close_lost, NULL);
    }
}
