/** @file 06_ring_all_reduce.c  Everybody's numbers, added up, at everybody: around a ring, by hand.
 *
 *     rank 0 --> rank 1 --> rank 2 --> rank 3 --> rank 0     one router, whose policy is "ring"
 *
 *     build/examples/06_ring_all_reduce [DEVICES]      "host:4" if left out; kernels for host devices alone
 *
 * The numbers are cut into as many chunks as there are ranks. In step s rank i sends chunk i - s on: in
 * the first ranks - 1 steps what comes is added to the receiver's own, after which each chunk is complete
 * somewhere; in the other ranks - 1 steps it goes around once more and just lands. One thread puts all of
 * it into the devices' queues and waits at the end. weir_all_reduce() (router/collective.h) is this, with
 * packets of a step overlapping those of the next. */
#include "examples/example.h"
#include <weir/router/router.h>
#include <weir/topology/topology.h>

enum { RANKS_MAX = 16, CHUNK = 3000, PACKET = 1024 * sizeof(float) };

struct rank {
    weir_device *device;
    weir_endpoint *endpoint;
    weir_link *to_ring, *from_ring;
    weir_queue *queue;
    float *data; /* ranks chunks */
};

struct add {
    float *to;
    const float *from;
    size_t count;
};

static void add(const void *args, uint32_t worker, uint32_t workers)
{
    const struct add *a = args;
    for (size_t i = worker; i < a->count; i += workers)
        a->to[i] += a->from[i];
}

static const weir_kernel add_kernel = {.name = "add", .host = add};

/* Ready is what the rank's queue has done by then. The chunk is not written again before its sum has come
 * around, and on that way it was read: nobody has to ask when it was sent. */
static void send_chunk(const struct rank *rank, uint32_t chunk)
{
    weir_segment segment = {.device = rank->device,
                            .data = rank->data + (size_t)chunk * CHUNK,
                            .bytes = CHUNK * sizeof(float),
                            .meta = chunk};
    TRY(weir_link_send_from(rank->to_ring, &segment, rank->queue, NULL));
}

/* One packet of whichever chunk comes. @return its bytes. */
static size_t receive_packet(const struct rank *rank, int adding)
{
    weir_pending *pending;
    weir_segment packet;
    TRY(weir_link_receive(rank->from_ring, &pending));
    TRY(weir_pending_wait_assigned(pending, -1, &packet)); /* its bytes may be on the way still */
    TRY(weir_pending_gate(pending, rank->queue));          /* the queue waits for them, not we */
    float *place = rank->data + packet.meta * CHUNK + packet.offset / sizeof(float);
    struct add args = {place, packet.data, packet.bytes / sizeof(float)};
    if (adding)
        TRY(weir_queue_launch(rank->queue, &add_kernel, &args, sizeof args));
    else
        TRY(weir_queue_copy(rank->queue, rank->device, place, rank->device, packet.data,
                            packet.bytes));
    TRY(weir_pending_release(pending, rank->queue)); /* to be filled again behind that */
    return packet.bytes;
}

static void receive_chunk(const struct rank *rank, int adding)
{
    for (size_t got = 0; got < CHUNK * sizeof(float);)
        got += receive_packet(rank, adding);
}

static void all_reduce(const struct rank *rank, uint32_t ranks)
{
    for (uint32_t step = 0; step < 2 * (ranks - 1); step++) {
        for (uint32_t i = 0; i < ranks; i++)
            send_chunk(&rank[i], (i + 2 * ranks - step) % ranks);
        for (uint32_t i = 0; i < ranks; i++)
            receive_chunk(&rank[i], step < ranks - 1);
    }
    for (uint32_t i = 0; i < ranks; i++)
        TRY(weir_queue_sync(rank[i].queue));
}

/* Small whole numbers: their sum is exact in any order. */
static float number(uint32_t rank, size_t i)
{
    return (float)((rank * 31 + i * 7) % 101);
}

static size_t count_wrong(const struct rank *rank, uint32_t ranks)
{
    size_t wrong = 0;
    for (size_t e = 0; e < (size_t)ranks * CHUNK; e++) {
        float sum = 0;
        for (uint32_t i = 0; i < ranks; i++)
            sum += number(i, e);
        for (uint32_t i = 0; i < ranks; i++)
            wrong += rank[i].data[e] != sum;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:4");
    weir_policy around = weir_policy_ring();
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    struct rank rank[RANKS_MAX];
    const weir_machine *machine;
    weir_route_plan plan; /* of all rings that in which neighbours are best joined */
    weir_router *router;
    uint32_t ranks = weir_context_device_count(context);

    need_host_devices(context);
    if (ranks > RANKS_MAX)
        ranks = RANKS_MAX;
    TRY(weir_machine_of(context, &machine));
    TRY(weir_route_plan_make_first(machine, ranks, WEIR_ROUTE_RING, &plan));
    config.packet_bytes = PACKET;
    TRY(weir_router_create(context, "ring", &around, &router));
    for (uint32_t i = 0; i < ranks; i++) {
        struct rank *r = &rank[i];
        r->device = weir_context_device(context, plan.order[i]);
        r->data = alloc_on(r->device, (size_t)ranks * CHUNK * sizeof(float));
        for (size_t e = 0; e < (size_t)ranks * CHUNK; e++)
            r->data[e] = number(i, e);
        TRY(weir_queue_create(r->device, 0, &r->queue));
        TRY(weir_endpoint_create(r->device, "rank", &r->endpoint));
        TRY(weir_link_create(r->endpoint, weir_router_endpoint(router), NULL, &r->to_ring));
        TRY(weir_link_create(weir_router_endpoint(router), r->endpoint, &config, &r->from_ring));
    }

    all_reduce(rank, ranks);
    size_t wrong = count_wrong(rank, ranks);
    printf("%u ranks added up %zu numbers each, %zu wrong\n", ranks, (size_t)ranks * CHUNK, wrong);

    for (uint32_t i = 0; i < ranks; i++) {
        weir_link_destroy(rank[i].to_ring);
        weir_link_destroy(rank[i].from_ring);
        weir_endpoint_destroy(rank[i].endpoint);
        weir_queue_destroy(rank[i].queue);
        weir_device_free(rank[i].device, rank[i].data);
    }
    weir_router_destroy(router);
    weir_context_destroy(context);
    return wrong == 0 ? RIGHT : WRONG;
}
