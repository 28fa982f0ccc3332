/** @file graph.c  Links are made and ended; what is refused. */
#include "router/internal.h"

#include <stdlib.h>

/* One thread builds at a time, in whatever context: links come and go rarely. */
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;
static weir_link *made; /* all links that are whole, guarded by it */

static void enlist(weir_link *link)
{
    link->next_made = made;
    link->made_at = &made;
    if (made)
        made->made_at = &link->next_made;
    made = link;
}

static void delist(weir_link *link)
{
    *link->made_at = link->next_made;
    if (link->next_made)
        link->next_made->made_at = link->made_at;
}

/* ---- what is refused --------------------------------------------------------------------------- */

static int leads_to(weir_router *from, const weir_router *to, uint64_t walk)
{
    int leads = from == to;
    if (!weir__walk_enters(from, walk))
        return 0;
    for (uint32_t i = 0; i < from->port_count && !leads; i++)
        leads = from->ports[i].router && leads_to(from->ports[i].router, to, walk);
    return leads;
}

static weir_status check_ends(const weir_endpoint *source, const weir_endpoint *destination)
{
    if (source == destination)
        return weir__fail(WEIR_ERR_INVALID, "a link from %s to itself", source->name);
    if (source->context != destination->context)
        return weir__fail(WEIR_ERR_INVALID, "a link from %s to %s of another context", source->name,
                          destination->name);
    if (source->router && destination->router &&
        leads_to(destination->router, source->router, weir__walk_begin()))
        return weir__fail(WEIR_ERR_INVALID,
                          "a link from router %s to router %s would close a circle", source->name,
                          destination->name);
    return weir__remote_check(source, destination);
}

static weir_status check_config(const weir_link_config *config)
{
    if (config->buffers > 1024 && config->buffers != WEIR_BUFFERS_NONE)
        return weir__fail(WEIR_ERR_INVALID, "a link with %u buffers: 1024 at most",
                          config->buffers);
    if (config->packet_bytes > (size_t)1 << 40)
        return weir__fail(WEIR_ERR_INVALID, "a link with packets of %zu bytes",
                          config->packet_bytes);
    if (config->reserved)
        return weir__fail(WEIR_ERR_INVALID, "a link whose reserved word is not 0");
    if ((unsigned)config->transport >= WEIR_TRANSPORT_COUNT)
        return weir__fail(WEIR_ERR_INVALID, "there is no transport %d", (int)config->transport);
    return WEIR_OK;
}

/* ---- links between plain endpoints --------------------------------------------------------------- */

static weir_status add_direct(weir_link *link, weir_endpoint *destination)
{
    weir_endpoint *source = link->source;
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&source->lock);
    for (weir_link *other = source->direct; other && !status; other = other->next_direct)
        if (other->destination == destination)
            status = weir__link_doubled(source, destination);
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
    weir_link_config own = *config;
    weir_status status = WEIR_OK;
    weir__remote_config(destination, &own);
    link->priority = config->priority;
    if (!source->router) {
        link->source = weir__endpoint_retain(source);
        if ((status = weir__window_create(source->context, config, &link->window)))
            return status;
    }
    link->router = destination->router ? destination->router : source->router;
    if (!link->router && (status = make_own_router(link, destination)))
        return status;
    weir__router_ref(link->router);
    if (source->router && destination->router) {
        link->from = source->router;
        weir__router_ref(link->from);
        return weir__chain_add(link);
    }
    if (!source->router)
        status = weir__input_add(link);
    if (!status && !destination->router)
        status = weir__output_add(link, destination, &own);
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
    weir__window_close(link->window);
    weir__dispatch_free(&link->dispatch);
    free(link);
}

static void end_output(weir_link *link)
{
    if (!link->output)
        return;
    weir__remote_parted(link->output);
    weir__output_orphan(link->output);
    weir__messages_settle();
    weir__output_unref(link->output);
}

/* What was cancelled before, or while the link was made, takes the new part with it. */
static void join_cancel(weir_link *link)
{
    weir_status status = weir__router_status(link->router);
    if (link->from && !status)
        status = weir__router_status(link->from);
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
    weir_link_config known = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    weir_status status;
    if (link_out)
        *link_out = NULL;
    if (!source || !destination || !link_out)
        return weir__missing("weir_link_create", !source        ? "source"
                                                 : !destination ? "destination"
                                                                : "link_out");
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_link_config")) ||
        (status = check_config(&known)) || (status = weir__calloc(1, sizeof *link, "link", &link)))
        return status;
    pthread_mutex_lock(&building);
    if (!(status = check_ends(source, destination)) &&
        !(status = connect(link, source, destination, &known)) &&
        (status = weir__remote_linked(link)))
        weir__link_part(link);
    if (status && link->source && link->own && link->router == link->own)
        weir__input_remove(link);
    if (!status)
        enlist(link);
    pthread_mutex_unlock(&building);
    if (status) {
        end_output(link);
        release(link);
        return status;
    }
    weir__messages_settle();
    join_cancel(link);
    *link_out = link;
    return WEIR_OK;
}

void weir_link_destroy(weir_link *link)
{
    if (!link)
        return;
    if (link->source && !link->source->group)
        (void)weir_link_shutdown(link);
    pthread_mutex_lock(&building);
    delist(link);
    weir__link_part(link);
    pthread_mutex_unlock(&building);
    if (link->source && link->source->group)
        weir__group_wake(link->source->group);
    end_output(link);
    release(link);
    weir__messages_settle();
}

void weir_link_cancel(weir_link *link, weir_status status)
{
    if (link)
        weir_router_cancel(link->router, status);
}

weir_endpoint *weir_link_source(const weir_link *link)
{
    return link ? link->source : NULL;
}

uint32_t weir_link_number(const weir_link *link)
{
    return link ? link->number : 0;
}

/* ---- looking at links ------------------------------------------------------------------------------ */

weir_endpoint *weir_link_destination(const weir_link *link)
{
    if (!link)
        return NULL;
    return link->output ? link->output->destination : &link->router->self;
}

void weir_link_user_set(weir_link *link, void *user)
{
    if (link)
        atomic_store_explicit(&link->user, user, memory_order_release);
}

void *weir_link_user(const weir_link *link)
{
    return link ? atomic_load_explicit(&((weir_link *)link)->user, memory_order_acquire) : NULL;
}

/* @param[in] router  NULL: of any. */
static uint32_t visit_links(const weir_context *context, const weir_router *router,
                            void (*visit)(void *user, weir_link *link), void *user)
{
    uint32_t count = 0;
    pthread_mutex_lock(&building);
    for (weir_link *link = made; link; link = link->next_made) {
        if (link->router->context != context ||
            (router && link->router != router && link->from != router))
            continue;
        count++;
        if (visit)
            visit(user, link);
    }
    pthread_mutex_unlock(&building);
    return count;
}

uint32_t weir_context_links(weir_context *context, void (*visit)(void *user, weir_link *link),
                            void *user)
{
    return context ? visit_links(context, NULL, visit, user) : 0;
}

uint32_t weir_router_links(weir_router *router, void (*visit)(void *user, weir_link *link),
                           void *user)
{
    return router ? visit_links(router->context, router, visit, user) : 0;
}
