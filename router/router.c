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
    int open = WEIR_OK;
    /* Release: who sees the status sees what led to it. The first one stays. */
    atomic_compare_exchange_strong_explicit(&router->status, &open, (int)status,
                                            memory_order_acq_rel, memory_order_acquire);
    status = (weir_status)atomic_load_explicit(&router->status, memory_order_acquire);
    for (uint32_t i = 0; i < router->output_count; i++)
        weir__output_end(router->outputs[i], status);
}

void weir_router_destroy(weir_router *router)
{
    free(router);
}
