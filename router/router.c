/** @file router.c  Routers: made from a policy, walked, cancelled as a whole. */
#include "router/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_alarm(void *user, weir_status status)
{
    weir__router_fail_over(user, status);
}

/* A constant that names its members has no size; what 0.1 had ends with `user`. */
static weir_status read_policy(const weir_policy *given, weir_policy *policy)
{
    if (!given || given->size != 0)
        return weir__sized_in(policy, sizeof *policy, given, "weir_policy");
    memcpy(policy, given, offsetof(weir_policy, user) + sizeof given->user);
    policy->size = sizeof *policy;
    return WEIR_OK;
}

weir_status weir_router_create(weir_context *context, const char *name, const weir_policy *policy,
                               weir_router **router_out)
{
    static _Atomic uint64_t numbers;
    weir_router *router;
    weir_policy known = WEIR_POLICY_INIT;
    weir_transport tuned;
    weir_status status;
    if (router_out)
        *router_out = NULL;
    if (!context || !router_out)
        return weir__missing("weir_router_create", context ? "router_out" : "context");
    status = read_policy(policy, &known);
    /* Every link has a router: here a word that is no transport is found before anything is sent. */
    if (status || (status = weir__transport_tuned(context, &tuned)))
        return status;
    if (!known.choose)
        return weir__fail(WEIR_ERR_INVALID, "router %s has no policy", name ? name : "");
    if ((status = weir__calloc(1, sizeof *router, "router", &router)))
        return status;
    pthread_mutex_init(&router->cancel_lock, NULL);
    pthread_rwlock_init(&router->graph, NULL);
    weir__context_retain(context);
    atomic_store_explicit(&router->references, 1, memory_order_relaxed);
    router->number = 1 + atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed);
    router->context = router->self.context = context;
    router->self.router = router;
    router->policy = known;
    snprintf(router->self.name, sizeof router->self.name, "%s",
             name         ? name
             : known.name ? known.name
                          : "router");
    /* Last: once the alarm is there a device that fails cancels the router, from another thread. */
    if ((status = weir__alarm_create(context, on_alarm, router, &router->alarm)))
        weir__router_unref(router);
    else
        *router_out = router;
    return status;
}

void weir__router_ref(weir_router *router)
{
    atomic_fetch_add_explicit(&router->references, 1, memory_order_relaxed);
}

void weir__router_unref(weir_router *router)
{
    if (atomic_fetch_sub_explicit(&router->references, 1, memory_order_acq_rel) > 1)
        return;
    weir_context *context = router->context;
    pthread_rwlock_destroy(&router->graph);
    pthread_mutex_destroy(&router->cancel_lock);
    free(router);
    weir__context_release(context);
}

weir_endpoint *weir_router_endpoint(weir_router *router)
{
    return &router->self;
}

/* ---- walks over the graph ------------------------------------------------------------------------ */

uint64_t weir__walk_begin(void)
{
    static _Atomic uint64_t walks;
    return atomic_fetch_add_explicit(&walks, 1, memory_order_relaxed) + 1;
}

/* A mark of another walk hides ours, and then we come again; ours is of this walk alone. */
int weir__walk_enters(weir_router *router, uint64_t walk)
{
    return atomic_exchange_explicit(&router->walked, walk, memory_order_relaxed) != walk;
}

static weir_status each_output(weir_router *router, uint64_t walk,
                               weir_status (*fn)(struct output *output, void *user), void *user)
{
    weir_status status = WEIR_OK;
    if (!weir__walk_enters(router, walk))
        return WEIR_OK;
    for (uint32_t i = 0; i < router->port_count && !status; i++)
        if (router->ports[i].output)
            status = fn(router->ports[i].output, user);
        else if (router->ports[i].router)
            status = each_output(router->ports[i].router, walk, fn, user);
    return status;
}

weir_status weir__router_each_output(weir_router *router,
                                     weir_status (*fn)(struct output *output, void *user),
                                     void *user)
{
    return each_output(router, weir__walk_begin(), fn, user);
}

static weir_status each_input(weir_router *router, uint64_t walk,
                              weir_status (*fn)(weir_link *link, void *user), void *user)
{
    weir_status status = WEIR_OK;
    if (!weir__walk_enters(router, walk))
        return WEIR_OK;
    for (uint32_t i = 0; i < router->input_count && !status; i++)
        if (router->inputs[i])
            status = fn(router->inputs[i], user);
    for (uint32_t i = 0; i < router->feeder_count && !status; i++)
        status = each_input(router->feeders[i], walk, fn, user);
    return status;
}

weir_status weir__router_each_input(weir_router *router,
                                    weir_status (*fn)(weir_link *link, void *user), void *user)
{
    return each_input(router, weir__walk_begin(), fn, user);
}

int weir__router_has_sender(weir_router *router, uint64_t walk)
{
    if (!weir__walk_enters(router, walk))
        return 0;
    int has = router->inputs_ever > 0;
    for (uint32_t i = 0; i < router->feeder_count && !has; i++)
        has = weir__router_has_sender(router->feeders[i], walk);
    return has;
}

static int has_receiver(weir_router *router, uint64_t walk)
{
    int has = 0;
    if (!weir__walk_enters(router, walk))
        return 0;
    for (uint32_t i = 0; i < router->port_count && !has; i++)
        has = router->ports[i].output ||
              (router->ports[i].router && has_receiver(router->ports[i].router, walk));
    return has;
}

weir_status weir_router_check(weir_router *router)
{
    weir_status status = WEIR_OK;
    if (!router)
        return weir__missing("weir_router_check", "router");
    pthread_rwlock_rdlock(&router->graph);
    if (!weir__router_has_sender(router, weir__walk_begin()))
        status = weir__fail(WEIR_ERR_INVALID, "router %s is unconnected: nobody sends to it",
                            router->self.name);
    else if (!has_receiver(router, weir__walk_begin()))
        status = weir__fail(WEIR_ERR_INVALID, "router %s is unconnected: it leads to no receiver",
                            router->self.name);
    pthread_rwlock_unlock(&router->graph);
    return status;
}

/* The routers that feed this one or are fed by it, each held. */
static uint32_t neighbours(weir_router *router, weir_router **found)
{
    uint32_t count = 0;
    pthread_rwlock_rdlock(&router->graph);
    for (uint32_t i = 0; i < router->port_count; i++)
        if (router->ports[i].router)
            found[count++] = router->ports[i].router;
    for (uint32_t i = 0; i < router->feeder_count; i++)
        found[count++] = router->feeders[i];
    for (uint32_t i = 0; i < count; i++)
        weir__router_ref(found[i]);
    pthread_rwlock_unlock(&router->graph);
    return count;
}

static void end_outputs(weir_router *router, weir_status status)
{
    pthread_rwlock_rdlock(&router->graph);
    for (uint32_t i = 0; i < router->port_count; i++)
        if (router->ports[i].output)
            weir__output_end(router->ports[i].output, status);
    /* What fills their windows may lie where nothing leads to any more. */
    for (uint32_t i = 0; i < router->input_count; i++)
        if (router->inputs[i] && router->inputs[i]->window)
            weir__window_wake(router->inputs[i]->window);
    pthread_rwlock_unlock(&router->graph);
}

/* Set the status unless there is one. @return whether this call set it. */
static int mark_cancelled(weir_router *router, weir_status *status, const char *detail)
{
    pthread_mutex_lock(&router->cancel_lock);
    int first = !atomic_load_explicit(&router->status, memory_order_relaxed);
    if (first) {
        snprintf(router->detail, sizeof router->detail, "%s", detail);
        /* Release: who sees the status may read the sentence. */
        atomic_store_explicit(&router->status, (int)*status, memory_order_release);
    }
    *status = (weir_status)atomic_load_explicit(&router->status, memory_order_relaxed);
    pthread_mutex_unlock(&router->cancel_lock);
    return first;
}

static void cancel(weir_router *router, weir_status status, const char *detail)
{
    weir_router *others[2 * PORTS_MAX];
    int first = mark_cancelled(router, &status, detail);
    (void)weir__router_status(router); /* futures that end keep the sentence of this thread */
    end_outputs(router, status);       /* again for a later call: a send may have come between */
    uint32_t count = first ? neighbours(router, others) : 0;
    for (uint32_t i = 0; i < count; i++) {
        cancel(others[i], status, detail);
        weir__router_unref(others[i]);
    }
    weir__messages_settle();
}

/* The calling thread keeps the sentence that it has. */
static void cancel_quietly(weir_router *router, weir_status status, const char *detail)
{
    struct weir__sentence kept = weir__fail_keep();
    cancel(router, status, detail);
    weir__fail_restore(&kept);
}

void weir_router_cancel(weir_router *router, weir_status status)
{
    char detail[512];
    if (!router)
        return;
    /* The cause is what this thread failed with, or was given, if that was this status: any other sentence is of
     * something older. */
    const char *cause = weir__fail_cause(status);
    if (cause)
        snprintf(detail, sizeof detail, "%s", cause);
    else if (weir__status_ends(status) && status != WEIR_ERR_CANCELLED)
        snprintf(detail, sizeof detail, "router %s was cancelled: %s", router->self.name,
                 weir_status_text(status));
    else
        snprintf(detail, sizeof detail, "router %s was cancelled", router->self.name);
    cancel_quietly(router, weir__status_ends(status) ? status : WEIR_ERR_CANCELLED, detail);
}

weir_status weir__router_status(weir_router *router)
{
    weir_status status = (weir_status)atomic_load_explicit(&router->status, memory_order_acquire);
    if (status)
        weir__fail_adopt(status, router->detail);
    return status;
}

void weir_router_destroy(weir_router *router)
{
    if (!router)
        return;
    weir__alarm_destroy(router->alarm); /* it would call with a router that may be gone */
    router->alarm = NULL;
    cancel_quietly(router, WEIR_ERR_CANCELLED, "the router was destroyed");
    weir__router_unref(router);
}
