/** @file wiring.c  What is joined to a router, and which input reaches which output.
 *
 * Packets do not stop at routers, so what counts is which input reaches which output: each such pair
 * has a lane. Joining opens the lanes that become possible, parting ends those that are no more. */
#include "router/internal.h"

#include <stdlib.h>

/* Of a router and all that feed it the one of the lowest number above `last`, or NULL. */
static weir_router *next_above(weir_router *router, uint64_t last)
{
    weir_router *best = router->number > last ? router : NULL;
    for (uint32_t i = 0; i < router->feeder_count; i++) {
        weir_router *other = next_above(router->feeders[i], last);
        if (other && (!best || other->number < best->number))
            best = other;
    }
    return best;
}

/* Nobody routes a message through `router` meanwhile. */
static void lock_routes(weir_router *router)
{
    for (weir_router *r = next_above(router, 0); r; r = next_above(router, r->number))
        pthread_rwlock_wrlock(&r->graph);
}

static void unlock_routes(weir_router *router)
{
    for (weir_router *r = next_above(router, 0); r; r = next_above(router, r->number))
        pthread_rwlock_unlock(&r->graph);
}

static weir_status check_room(const weir_router *router, uint32_t count)
{
    if (count < PORTS_MAX)
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

static weir_status open_lane_to(struct output *output, void *link)
{
    return weir__lane_open(output, link);
}

static weir_status close_lane_to(struct output *output, void *link)
{
    pthread_mutex_lock(&output->lock);
    weir__lane_gone(output, link);
    (void)weir__output_progress(output, 0); /* it was shut before: nothing is left to match */
    return WEIR_OK;
}

static weir_status undo_lane_to(struct output *output, void *link)
{
    weir__lane_undo(output, link);
    return WEIR_OK;
}

void weir__input_remove(weir_link *link)
{
    weir_router *router = link->router;
    pthread_rwlock_wrlock(&router->graph);
    uint32_t at = 0;
    while (at < router->input_count && router->inputs[at] != link)
        at++;
    if (at < router->input_count) {
        router->input_count--;
        for (; at < router->input_count; at++)
            router->inputs[at] = router->inputs[at + 1];
    }
    pthread_rwlock_unlock(&router->graph);
}

weir_status weir__input_add(weir_link *link)
{
    weir_router *router = link->router;
    weir_status status = check_room(router, router->input_count);
    for (uint32_t i = 0; i < router->input_count; i++)
        if (router->inputs[i]->source == link->source)
            return weir__link_doubled(link->source, &router->self);
    if (status)
        return status;
    pthread_rwlock_wrlock(&router->graph);
    router->inputs[router->input_count++] = link;
    router->inputs_ever++;
    pthread_rwlock_unlock(&router->graph);
    if ((status = weir__router_each_output(router, open_lane_to, link))) {
        (void)weir__router_each_output(router, undo_lane_to, link);
        weir__input_remove(link);
        router->inputs_ever--;
    }
    return status;
}

/* ---- outputs and links between routers ----------------------------------------------------------- */

static weir_status open_lane_from(weir_link *link, void *output)
{
    return weir__lane_open(output, link);
}

static uint32_t count_ever(const weir_router *router)
{
    uint32_t ever = router->inputs_ever;
    for (uint32_t i = 0; i < router->feeder_count; i++)
        ever += count_ever(router->feeders[i]);
    return ever;
}

static void add_port(weir_router *router, struct port port, weir_endpoint *candidate)
{
    lock_routes(router);
    router->ports[router->port_count] = port;
    router->candidates[router->port_count++] = candidate;
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
        router->port_count--;
        for (; at < router->port_count; at++) {
            router->ports[at] = router->ports[at + 1];
            router->candidates[at] = router->candidates[at + 1];
        }
    }
    unlock_routes(router);
}

static weir_status check_port(const weir_router *router, const weir_endpoint *destination)
{
    for (uint32_t i = 0; i < router->port_count; i++)
        if (router->candidates[i] == destination)
            return weir__link_doubled(&router->self, destination);
    return check_room(router, router->port_count);
}

/* All that reaches it may have been shut down before. */
static weir_status drain(struct output *output, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&output->lock);
    if (!output->senders) /* some may have come and gone already */
        output->senders = count_ever(output->router) > 0;
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
    if ((status = weir__router_each_input(router, open_lane_from, link->output))) {
        weir__output_orphan(link->output);
        weir__output_unref(link->output);
        link->output = NULL;
        return status;
    }
    add_port(router, (struct port){link->output, NULL}, destination);
    return drain(link->output, NULL);
}

static weir_status open_lanes_to(struct output *output, void *from)
{
    return weir__router_each_input(from, open_lane_from, output);
}

static int reaches(const weir_router *router, const struct output *output)
{
    int does = 0;
    for (uint32_t i = 0; i < router->port_count && !does; i++)
        does = router->ports[i].output ? router->ports[i].output == output
                                       : reaches(router->ports[i].router, output);
    return does;
}

static int is_lost(const weir_link *link, const struct output *output)
{
    return link && !reaches(link->router, output);
}

/* Shut the lanes of inputs that do not reach the output any more. */
static weir_status close_lost(struct output *output, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&output->lock);
    for (uint32_t i = 0; i < output->lane_count; i++)
        if (is_lost(output->lanes[i]->link, output))
            weir__lane_gone(output, output->lanes[i]->link);
    (void)weir__output_progress(output, 0);
    return WEIR_OK;
}

static weir_status undo_lost(struct output *output, void *unused)
{
    (void)unused;
    for (uint32_t i = output->lane_count; i-- > 0;)
        if (is_lost(output->lanes[i]->link, output))
            weir__lane_undo(output, output->lanes[i]->link);
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
    if ((status = weir__router_each_output(to, open_lanes_to, from))) {
        (void)weir__router_each_output(to, undo_lost, NULL);
        return status;
    }
    pthread_rwlock_wrlock(&to->graph);
    to->feeders[to->feeder_count++] = from;
    pthread_rwlock_unlock(&to->graph);
    add_port(from, (struct port){NULL, to}, &to->self); /* the lanes are there: messages may come */
    return weir__router_each_output(to, drain, NULL);
}

void weir__link_part(weir_link *link)
{
    if (link->output)
        remove_port(link->router, (struct port){link->output, NULL});
    if (link->source) {
        weir__input_remove(link);
        (void)weir__router_each_output(link->router, close_lane_to, link);
    }
    if (link->from) {
        remove_chain(link);
        (void)weir__router_each_output(link->router, close_lost, NULL);
    }
}
