/** @file endpoint.c  Endpoints on devices. */
#include "router/internal.h"

#include <stdio.h>
#include <stdlib.h>

weir_status weir_endpoint_create(weir_device *device, const char *name,
                                 weir_endpoint **endpoint_out)
{
    weir_status status = weir__calloc(1, sizeof **endpoint_out, "endpoint", endpoint_out);
    if (status)
        return status;
    weir_device_info info;
    weir_device_info_get(device, &info);
    (*endpoint_out)->device = device;
    (*endpoint_out)->context = weir__device_context(device);
    snprintf((*endpoint_out)->name, sizeof(*endpoint_out)->name, "%s", name ? name : info.label);
    return WEIR_OK;
}

void weir_endpoint_destroy(weir_endpoint *endpoint)
{
    free(endpoint);
}

weir_device *weir_endpoint_device(const weir_endpoint *endpoint)
{
    return endpoint->device;
}

const char *weir_endpoint_name(const weir_endpoint *endpoint)
{
    return endpoint->name;
}
