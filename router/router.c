/** @file router.c  Routers: made from a policy, cancelled as a whole. */
#include "router/internal.h"

#include <stdio.h>
#include <stdlib.h>

weir_status weir_router_create(weir_context *context, const char *name, const weir_policy *policy,
                               weir_router **router_out)
{
    weir_router *router;
    weir_status status;
    *router_out = NULL;
    if (!policy || !policy->choose)
        return weir__fail(WEIR_ERR_INVALID, "router %s has no policy", name ? name : "");
    if ((status = weir__calloc(1, sizeof *router, "router", &router)))
        return status;
    router->context = router->self.context = context;
    router->self.router = router;
    router->policy = *policy;
    pthread_mutex_init(&router->cancel_lock, NULL);
    snprintf(router->self.name, sizeof router->self.name, "%s", name ? name : policy->name);
    *router_out = router;
    return WEIR_OK;
}

weir_endpoint *weir_router_endpoint(weir_router *router)
{
    return &router->self;
}

void weir_router_cancel(weir_router *router, weir_status status)
{
    if (status >= 0)
        status = WEIR_ERR_CANCELLED;
    pthread_mutex_lock(&router->cancel_lock);
    if (!atomic_load_explicit(&router->status, memory_order_relaxed)) { /* the first one stays */
        snprintf(router->detail, sizeof router->detail, "%s", weir_error_detail());
        /* Release: who sees the status may read the sentence. */
        atomic_store_explicit(&router->status, (int)status, memory_order_release);
    }
    status = (weir_status)atomic_load_explicit(&router->status, memory_order_relaxed);
    pthread_mutex_unlock(&router->cancel_lock);
    for (uint32_t i = 0; i < router->output_count; i++)
        weir__output_end(router->outputs[i], status);
}

weir_status weir__router_status(weir_router *router)
{
    weir_status status = (weir_status)atomic_load_explicit(&router->status, memory_order_acquire);
    if (status)
        weir__fail_adopt(router->detail);
    return status;
}

void weir_router_destroy(weir_router *router)
{
    if (!router)
        return;
    while (router->marks) {
        struct marks *marks = router->marks;
        router->marks = marks->next;
        free(marks);
    }
    pthread_mutex_destroy(&router->cancel_lock);
    free(router);
}
