/** @file endpoint.c  Endpoints on devices. */
#include "router/internal.h"

#include <stdio.h>
#include <stdlib.h>

weir_status weir_endpoint_create(weir_device *device, const char *name,
                                 weir_endpoint **endpoint_out)
{
    weir_status status;
    if (endpoint_out)
        *endpoint_out = NULL;
    if (!device || !endpoint_out)
        return weir__missing("weir_endpoint_create", device ? "endpoint_out" : "device");
    if ((status = weir__calloc(1, sizeof **endpoint_out, "endpoint", endpoint_out)))
        return status;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    weir_endpoint *endpoint = *endpoint_out;
    atomic_store_explicit(&endpoint->references, 1, memory_order_relaxed);
    endpoint->device = device;
    endpoint->context = weir__device_context(device);
    weir__context_retain(endpoint->context);
    pthread_mutex_init(&endpoint->lock, NULL);
    snprintf(endpoint->name, sizeof endpoint->name, "%s", name ? name : info.label);
    return WEIR_OK;
}

weir_endpoint *weir__endpoint_retain(weir_endpoint *endpoint)
{
    if (endpoint->router)
        weir__router_ref(endpoint->router);
    else
        atomic_fetch_add_explicit(&endpoint->references, 1, memory_order_relaxed);
    return endpoint;
}

void weir__endpoint_release(weir_endpoint *endpoint)
{
    if (!endpoint)
        return;
    if (endpoint->router) {
        weir__router_unref(endpoint->router);
        return;
    }
    if (atomic_fetch_sub_explicit(&endpoint->references, 1, memory_order_acq_rel) > 1)
        return;
    weir_context *context = endpoint->context;
    if (endpoint->group)
        weir__group_release(endpoint->group);
    pthread_mutex_destroy(&endpoint->lock);
    free(endpoint);
    weir__context_release(context);
}

void weir_endpoint_destroy(weir_endpoint *endpoint)
{
    /* A router's is the router's own. */
    if (endpoint && !endpoint->router)
        weir__endpoint_release(endpoint);
}

weir_device *weir_endpoint_device(const weir_endpoint *endpoint)
{
    return endpoint && !endpoint->group ? endpoint->device : NULL;
}

const char *weir_endpoint_name(const weir_endpoint *endpoint)
{
    return endpoint ? endpoint->name : "";
}

void weir_endpoint_user_set(weir_endpoint *endpoint, void *user)
{
    if (endpoint)
        atomic_store_explicit(&endpoint->user, user, memory_order_release);
}

void *weir_endpoint_user(const weir_endpoint *endpoint)
{
    return endpoint ? atomic_load_explicit(&((weir_endpoint *)endpoint)->user, memory_order_acquire)
                    : NULL;
}
