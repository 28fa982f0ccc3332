/** @file graph.c  Routers and links between the ranks, their queues and their memory. */
#include "router/collective/internal.h"

#include <stdio.h>

static int relays(const weir_collectives *c, uint32_t rank)
{
    for (uint32_t from = 0; c->relays && from < c->ranks; from++)
        for (uint32_t to = 0; to < c->ranks; to++)
            if (to != rank && c->via[from * c->ranks + to] == rank)
                return 1;
    return 0;
}

static weir_status open_rank(weir_collectives *c, uint32_t i)
{
    const struct weir__reduction_args load = {.element = 1, .number = WEIR__REDUCTION_LOAD};
    struct rank *rank = &c->rank[i];
    char name[32];
    weir_status status;
    snprintf(name, sizeof name, "rank %u", i);
    if ((status = weir_endpoint_create(rank->device, name, &rank->endpoint)) ||
        (status = weir_queue_create(rank->device, 1, &rank->work)) ||
        (status = weir_queue_launch(rank->work, &weir__reduction_kernel, &load, sizeof load)))
        return status;
    /* Of two ranks one has the result, and the other nothing but its own. */
    for (uint32_t s = 0; s < BUFFERS && c->ranks > 2 && !status; s++)
        status = weir_device_alloc(rank->device, c->packet, &rank->slots[s].data);
    for (uint32_t s = 0; s < PASSAGES && relays(c, i) && !status; s++)
        if (!(status = weir_queue_create(rank->device, 1, &rank->passing[s].queue)))
            status = weir_device_alloc(rank->device, c->packet, &rank->passing[s].slot.data);
    return status;
}

static weir_status open_mesh(weir_collectives *c, enum landing land, weir_transport transport)
{
    static const char *const names[LANDINGS] = {"collectives: place", "collectives: combine"};
    struct mesh *mesh = &c->mesh[land];
    weir_policy direct = weir_policy_direct();
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status = weir_router_create(c->context, names[land], &direct, &mesh->router);
    config.packet_bytes = land == LAND_IN_PLACE ? c->place : c->packet;
    config.buffers = land == LAND_IN_PLACE ? WEIR_BUFFERS_NONE : BUFFERS;
    config.transport = transport;
    config.early = 1; /* a call knows whose packet is next, and must not wait for devices */
    for (uint32_t i = 0; i < c->ranks && !status; i++) {
        weir_endpoint *self = weir_router_endpoint(mesh->router);
        if (!(status = weir_link_create(c->rank[i].endpoint, self, &config, &mesh->in[i])))
            status = weir_link_create(self, c->rank[i].endpoint, &config, &mesh->out[i]);
    }
    return status;
}

weir_status weir__collectives_build(weir_collectives *c, weir_transport transport)
{
    weir_status status = WEIR_OK;
    if (c->ranks < 2)
        return WEIR_OK; /* nothing travels */
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        status = open_rank(c, i);
    for (int land = 0; land < LANDINGS && !status; land++)
        status = open_mesh(c, (enum landing)land, transport);
    return status;
}

/* Links first: then nothing is under way into memory, and the queues can be emptied. */
void weir__collectives_raze(weir_collectives *c)
{
    for (int land = 0; land < LANDINGS; land++) {
        struct mesh *mesh = &c->mesh[land];
        for (uint32_t i = 0; i < c->ranks; i++) {
            weir_link_destroy(mesh->in[i]);
            weir_link_destroy(mesh->out[i]);
        }
        weir_router_destroy(mesh->router);
    }
    for (uint32_t i = 0; i < c->ranks; i++) {
        struct rank *rank = &c->rank[i];
        weir_queue_destroy(rank->work);
        for (uint32_t s = 0; s < BUFFERS; s++) {
            weir_future_release(rank->slots[s].sent);
            weir_device_free(rank->device, rank->slots[s].data);
        }
        for (uint32_t s = 0; s < PASSAGES; s++) {
            weir_queue_destroy(rank->passing[s].queue);
            weir_future_release(rank->passing[s].slot.sent);
            weir_device_free(rank->device, rank->passing[s].slot.data);
        }
        weir_endpoint_destroy(rank->endpoint);
    }
}

void weir__collectives_cancel_meshes(weir_collectives *c, weir_status status)
{
    for (int land = 0; land < LANDINGS; land++)
        if (c->mesh[land].router)
            weir_router_cancel(c->mesh[land].router, status);
}
