/** @file web_build.c  Building a planned web, links in any order, and taking it down in any order. */
#include "tests/lib/web.h"

#include <stdio.h>

static weir_status choose_own(void *user, const weir_segment *message, const weir_endpoint *source,
                              weir_endpoint *const *candidates, uint32_t count,
                              weir_choice *choice_out)
{
    (void)source;
    (void)candidates;
    web_own_choice(user, message->meta, count, choice_out);
    return WEIR_OK;
}

static weir_policy policy_of(struct web *web, struct web_router *router)
{
    switch (router->kind) {
    case WEB_ANY:
        return weir_policy_any();
    case WEB_PRIORITY:
        return weir_policy_priority(web_below(web, 4) ? router->ranks : NULL);
    case WEB_BROADCAST:
        return weir_policy_broadcast();
    case WEB_SCATTER:
        return weir_policy_scatter(router->granule);
    case WEB_GATHER:
        return weir_policy_gather(router->root);
    case WEB_RING:
        return weir_policy_ring();
    case WEB_TREE:
        return weir_policy_tree();
    case WEB_DIRECT:
        return weir_policy_direct();
    default:
        return (weir_policy){.name = "own", .choose = choose_own, .user = router};
    }
}

static weir_endpoint *end_of(const struct web *web, uint32_t end)
{
    return end < WEB_ENDS ? web->ends[end]
                          : weir_router_endpoint(web->routers[end - WEB_ENDS].handle);
}

static void build_link(struct web *web, struct web_edge *edge)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    if (edge->output >= 0) {
        const struct web_output *output = &web->outputs[edge->output];
        config.packet_bytes = output->packet;
        config.buffers = output->buffers;
        config.transport = output->transport;
        config.arrived = output->arrived;
        config.arrived_user = output->arrived_user;
    }
    OK(weir_link_create(end_of(web, edge->from), end_of(web, edge->to), &config, &edge->link));
    if (edge->input >= 0)
        web->inputs[edge->input].link = edge->link;
    if (edge->output >= 0)
        web->outputs[edge->output].link = edge->link;
    if (edge->from >= WEB_ENDS) {
        struct web_router *router = &web->routers[edge->from - WEB_ENDS];
        router->ports[router->port_count++] = (struct web_port){
            .router = edge->to < WEB_ENDS ? -1 : (int)edge->to - WEB_ENDS,
            .output = edge->output,
            .end = edge->to,
        };
    }
}

static void shuffle(struct web *web, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = web_below(web, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

void web_open(struct web *web)
{
    uint32_t order[2 * WEB_LINKS];
    char name[16];
    for (uint32_t e = 0; e < web->end_count; e++) {
        snprintf(name, sizeof name, "e%u", e);
        web->ends[e] = new_endpoint(web_device(web, e), name);
    }
    for (uint32_t r = 0; r < web->router_count; r++) {
        weir_policy policy = policy_of(web, &web->routers[r]);
        snprintf(name, sizeof name, "r%u", r);
        OK(weir_router_create(web->context, name, &policy, &web->routers[r].handle));
    }
    shuffle(web, order, web->edge_count);
    for (uint32_t i = 0; i < web->edge_count; i++)
        build_link(web, &web->edges[order[i]]);
    for (uint32_t r = 0; r < web->router_count; r++)
        OK(weir_router_check(web->routers[r].handle));
}

void web_close(struct web *web)
{
    uint32_t order[2 * WEB_LINKS + WEB_ROUTERS + WEB_ENDS];
    uint32_t links = web->edge_count, routers = links + web->router_count;
    shuffle(web, order, routers + web->end_count);
    for (uint32_t i = 0; i < routers + web->end_count; i++)
        if (order[i] < links)
            weir_link_destroy(web->edges[order[i]].link);
        else if (order[i] < routers)
            weir_router_destroy(web->routers[order[i] - links].handle);
        else
            weir_endpoint_destroy(web->ends[order[i] - routers]);
}
