/** @file failover.c  A device has failed: who is told, and who goes on.
 *
 * What came from it is lost, and its receivers may wait for it: a router that it sends into is cancelled.
 * One that it only receives from goes on without it, as long as there are other receivers: packets that
 * others may take go to those, and messages that need the device end. What does not touch it stays. */
#include "router/internal.h"

#include "runtime/backend.h"

static int has_failed(const weir_endpoint *endpoint)
{
    return weir__device_failed(endpoint->device) != WEIR_OK;
}

static int is_there(const struct port *port)
{
    return port->output || port->router;
}

/* Packets that go through the host's memory need that device. Links that are gone have left gaps.
 * @param[out] lost_out  the number of outputs whose device has failed. */
static int may_go_on(weir_router *router, uint32_t *lost_out)
{
    int may = !weir__device_failed(weir_context_home(router->context));
    uint32_t left = 0;
    *lost_out = 0;
    for (uint32_t i = 0; i < router->input_count; i++)
        may = may && !(router->inputs[i] && has_failed(router->inputs[i]->source));
    for (uint32_t i = 0; i < router->port_count; i++)
        if (router->ports[i].output && has_failed(router->candidates[i]))
            ++*lost_out;
        else
            left += is_there(&router->ports[i]);
    return may && (left > 0 || *lost_out == 0);
}

static void end_failed(weir_router *router, weir_status status)
{
    for (uint32_t i = 0; i < router->port_count; i++)
        if (router->ports[i].output && has_failed(router->candidates[i]))
            weir__output_end(router->ports[i].output, status);
}

void weir__router_fail_over(weir_router *router, weir_status status)
{
    uint32_t lost;
    pthread_rwlock_rdlock(&router->graph);
    int goes_on = may_go_on(router, &lost);
    if (goes_on && lost)
        end_failed(router, status);
    pthread_rwlock_unlock(&router->graph);
    if (!goes_on)
        weir_router_cancel(router, status);
    weir__messages_settle();
}
