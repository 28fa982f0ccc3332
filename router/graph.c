/** @file graph.c  The graph: links come and go, and who reaches whom.
 *
 * Packets do not stop at routers, so what counts is which input reaches which output: each such pair
 * has a lane. Making a link opens the lanes that it makes possible. */
#include "router/internal.h"

#include <stdlib.h>

/* One thread builds at a time, in whatever context: links come and go rarely. */
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

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

/* ---- what is refused --------------------------------------------------------------------------- */

static int leads_to(weir_router *from, const weir_router *to)
{
    int leads = from == to;
    for (uint32_t i = 0; i < from->port_count && !leads; i++)
        leads = from->ports[i].router && leads_to(from->ports[i].router, to);
    return leads;
}

static weir_status check_ends(const weir_endpoint *source, const weir_endpoint *destination)
{
    if (source == destination)
        return weir__fail(WEIR_ERR_INVALID, "a link from %s to itself", source->name);
    if (source->context != destination->context)
        return weir__fail(WEIR_ERR_INVALID, "a link from %s to %s of another context", source->name,
                          destination->name);
    if (source->router && destination->router && leads_to(destination->router, source->router))
        return weir__fail(WEIR_ERR_INVALID,
                          "a link from router %s to router %s would close a circle", source->name,
                          destination->name);
    return WEIR_OK;
}

static weir_status check_room(const weir_router *router, uint32_t count)
{
    if (count < PORTS_MAX)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "router %s has %d links on one side already",
                      router->self.name, PORTS_MAX);
}

static weir_status doubled(const weir_endpoint *source, const weir_endpoint *destination)
{
    return weir__fail(WEIR_ERR_INVALID, "a second link from %s to %s", source->name,
                      destination->name);
}

static weir_status check_config(const weir_link_config *config)
{
    if (config->size != sizeof *config)
        return weir__fail(WEIR_ERR_INVALID, "weir_link_config was not set by its initialiser");
    if (config->buffers > 1024 && config->buffers != WEIR_BUFFERS_NONE)
        return weir__fail(WEIR_ERR_INVALID, "a link with %u buffers: 1024 at most",
                          config->buffers);
    if (config->packet_bytes > (size_t)1 << 40)
        return weir__fail(WEIR_ERR_INVALID, "a link with packets of %zu bytes",
                          config->packet_bytes);
    if ((unsigned)config->transport >= WEIR_TRANSPORT_COUNT)
        return weir__fail(WEIR_ERR_INVALID, "there is no transport %d", (int)config->transport);
    return WEIR_OK;
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

static void remove_input(weir_link *link)
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

static weir_status add_input(weir_link *link)
{
    weir_router *router = link->router;
    weir_status status = check_room(router, router->input_count);
    for (uint32_t i = 0; i < router->input_count; i++)
        if (router->inputs[i]->source == link->source)
            return doubled(link->source, &router->self);
    if (status)
        return status;
    pthread_rwlock_wrlock(&router->graph);
    router->inputs[router->input_count++] = link;
    router->inputs_ever++;
    pthread_rwlock_unlock(&router->graph);
    if ((status = weir__router_each_output(router, open_lane_to, link))) {
        (void)weir__router_each_output(router, undo_lane_to, link);
        remove_input(link);
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
            return doubled(&router->self, destination);
    return check_room(router, router->port_count);
}

/* All that reaches it may have been shut down before. */
static weir_status drain(struct output *output, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&output->lock);
    (void)weir__output_progress(output, 0); /* nothing was sent: nothing can fail */
    return WEIR_OK;
}

static weir_status add_output(weir_link *link, weir_endpoint *destination,
                              const weir_link_config *config)
{
    weir_router *router = link->router;
    weir_status status = check_port(router, destination);
    if (status || (status = weir__output_create(router, destination, config, &link->output)))
        return status;
    link->output->senders = count_ever(router) > 0; /* some may have come and gone already */
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

static weir_status add_chain(weir_link *link)
{
    weir_router *from = link->from, *to = link->router;
    weir_status status = check_port(from, &to->self);
    if (status || (status = check_room(to, to->feeder_count)))
        return status;
    add_port(from, (struct port){NULL, to}, &to->self);
    pthread_rwlock_wrlock(&to->graph);
    to->feeders[to->feeder_count++] = from;
    pthread_rwlock_unlock(&to->graph);
    if ((status = weir__router_each_output(to, open_lanes_to, from))) {
        remove_chain(link);
        (void)weir__router_each_output(to, undo_lost, NULL);
        return status;
    }
    return weir__router_each_output(to, drain, NULL);
}

/* ---- links between plain endpoints --------------------------------------------------------------- */

static weir_status add_direct(weir_link *link, weir_endpoint *destination)
{
    weir_endpoint *source = link->source;
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&source->lock);
    for (weir_link *other = source->direct; other && !status; other = other->next_direct)
        if (other->destination == destination)
            status = doubled(source, destination);
    if (!status) {
        link->destination = destination;
        link->next_direct = source->direct;
        source->direct = link;
    }
    pthread_mutex_unlock(&source->lock);
    return status;
}

static void remove_direct(weir_link *link)
{
    pthread_mutex_lock(&link->source->lock);
    weir_link **at = &link->source->direct;
    while (*at != link)
        at = &(*at)->next_direct;
    *at = link->next_direct;
    pthread_mutex_unlock(&link->source->lock);
}

/* ---- making and ending ----------------------------------------------------------------------------- */

static weir_status make_own_router(weir_link *link, weir_endpoint *destination)
{
    weir_policy any = weir_policy_any();
    weir_status status = add_direct(link, destination);
    if (!status)
        status = weir_router_create(link->source->context, link->source->name, &any, &link->own);
    link->router = link->own;
    return status;
}

static weir_status connect(weir_link *link, weir_endpoint *source, weir_endpoint *destination,
                           const weir_link_config *config)
{
    weir_status status = WEIR_OK;
    if (!source->router)
        link->source = weir__endpoint_retain(source);
    link->router = destination->router ? destination->router : source->router;
    if (!link->router && (status = make_own_router(link, destination)))
        return status;
    weir__router_ref(link->router);
    if (source->router && destination->router) {
        link->from = source->router;
        weir__router_ref(link->from);
        return add_chain(link);
    }
    if (!source->router)
        status = add_input(link);
    if (!status && !destination->router)
        status = add_output(link, destination, config);
    return status;
}

/* What connect() did, as far as it came. */
static void release(weir_link *link)
{
    if (link->destination)
        remove_direct(link);
    if (link->own)
        weir_router_destroy(link->own);
    if (link->from)
        weir__router_unref(link->from);
    if (link->router)
        weir__router_unref(link->router);
    weir__endpoint_release(link->source);
    weir__plan_free(&link->plan);
    free(link);
}

static weir_status status_of(weir_router *router)
{
    return (weir_status)atomic_load_explicit(&router->status, memory_order_acquire);
}

/* What was cancelled before, or while the link was made, takes the new part with it. */
static void join_cancel(weir_link *link)
{
    weir_status status = status_of(link->router);
    if (link->from && !status)
        status = status_of(link->from);
    if (status && link->from) {
        weir_router_cancel(link->from, status);
        weir_router_cancel(link->router, status);
    } else if (status && link->output) {
        weir__output_end(link->output, status);
    }
}

weir_status weir_link_create(weir_endpoint *source, weir_endpoint *destination,
                             const weir_link_config *config, weir_link **link_out)
{
    static const weir_link_config defaults = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    weir_status status;
    *link_out = NULL;
    config = config ? config : &defaults;
    if ((status = check_config(config)) || (status = weir__calloc(1, sizeof *link, "link", &link)))
        return status;
    pthread_mutex_lock(&building);
    if (!(status = check_ends(source, destination)))
        status = connect(link, source, destination, config);
    if (status && link->source && link->own && link->router == link->own)
        remove_input(link);
    pthread_mutex_unlock(&building);
    if (status) {
        release(link);
        return status;
    }
    join_cancel(link);
    *link_out = link;
    return WEIR_OK;
}

void weir_link_destroy(weir_link *link)
{
    if (!link)
        return;
    if (link->source)
        (void)weir_link_shutdown(link);
    pthread_mutex_lock(&building);
    if (link->output)
        remove_port(link->router, (struct port){link->output, NULL});
    if (link->source) {
        remove_input(link);
        (void)weir__router_each_output(link->router, close_lane_to, link);
    }
    if (link->from) {
        remove_chain(link);
        (void)weir__router_each_output(link->router, close_lost, NULL);
    }
    pthread_mutex_unlock(&building);
    if (link->output) {
        weir__output_orphan(link->output);
        weir__messages_settle();
        weir__output_unref(link->output);
    }
    release(link);
}

void weir_link_cancel(weir_link *link, weir_status status)
{
    weir_router_cancel(link->router, status);
}

weir_endpoint *weir_link_source(const weir_link *link)
{
    return link->source;
}
