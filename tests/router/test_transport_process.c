/** @file test_transport_process.c  Packets between processes: counted by their transport, and no other joins two processes. */
#include "tests/lib/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKET  4096
#define PACKETS 9

static weir_status join(weir_endpoint *from, weir_endpoint *to, weir_transport transport,
                        weir_link **link_out)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = PACKET;
    config.buffers = 2;
    config.transport = transport;
    return weir_link_create(from, to, &config, link_out);
}

static void send_packets(const struct world *world, weir_link *link)
{
    weir_future *done;
    void *data;
    CHECK_OK(weir_device_alloc(world->device, (size_t)PACKETS * PACKET, &data));
    memset(data, 7, (size_t)PACKETS * PACKET);
    weir_segment segment = {
        .device = world->device, .data = data, .bytes = (size_t)PACKETS * PACKET};
    CHECK_OK(weir_link_send(link, &segment, NULL, &done));
    CHECK_OK(weir_future_wait(done, LONG_MS));
    weir_future_release(done);
    weir_device_free(world->device, data);
    CHECK_OK(weir_link_shutdown(link));
}

static void receive_packets(weir_link *link)
{
    weir_pending *pending;
    weir_segment got;
    for (int i = 0; i < PACKETS; i++) {
        CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
        CHECK(got.bytes == PACKET && ((const char *)got.data)[PACKET - 1] == 7);
        CHECK_OK(weir_pending_release(pending, NULL));
    }
    CHECK_STATUS(weir_link_next(link, LONG_MS, &pending, &got), WEIR_CLOSED);
}

static void carry(struct world *world, weir_transport transport)
{
    weir_endpoint *from = endpoint_of(world, 0, "from"), *to = endpoint_of(world, 1, "to");
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_link *link;
    CHECK_OK(join(from, to, transport, &link));
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 0)
        send_packets(world, link);
    else
        receive_packets(link);
    CHECK_OK(weir_link_stats_get(link, &stats));
    for (int i = 0; i < WEIR_TRANSPORTS_MAX; i++)
        CHECK(stats.by[i] == (i == WEIR_TRANSPORT_SHM ? PACKETS : 0));
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
}

static void it_is_counted_on_both_sides(struct world *world)
{
    carry(world, WEIR_TRANSPORT_AUTO);
}

static void it_may_be_asked_for(struct world *world)
{
    carry(world, WEIR_TRANSPORT_SHM);
}

/* On the sender's side as on the receiver's; nothing is left of what was refused. */
static void others_are_refused(struct world *world)
{
    weir_endpoint *from = endpoint_of(world, 0, "from"), *to = endpoint_of(world, 1, "to");
    for (int t = WEIR_TRANSPORT_AUTO + 1; t < WEIR_TRANSPORT_COUNT; t++) {
        weir_link *link = NULL;
        char wanted[128];
        if (t == WEIR_TRANSPORT_SHM)
            continue;
        CHECK_STATUS(join(from, to, (weir_transport)t, &link), WEIR_ERR_UNSUPPORTED);
        CHECK(link == NULL);
        snprintf(wanted, sizeof wanted, "transport %s cannot carry from ",
                 weir_transport_name((weir_transport)t));
        CHECK(strstr(weir_error_detail(), wanted) != NULL);
        CHECK(strstr(weir_error_detail(), world->rank ? "from process 0 to host:1"
                                                      : "from host:0 to process 1") != NULL);
        CHECK(strstr(weir_error_detail(), ": it joins devices of one process") != NULL);
    }
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    carry(world, WEIR_TRANSPORT_AUTO);
}

/* One output, to which this process sends too: what joins one of them does not join the other. */
static void a_local_sender_beside_a_remote_one(struct world *world)
{
    weir_policy any = weir_policy_any();
    weir_endpoint *from = endpoint_of(world, 0, "from"), *to = endpoint_of(world, 1, "to");
    weir_endpoint *here = NULL;
    weir_link *in[2] = {NULL}, *out;
    weir_router *router;
    CHECK_OK(weir_router_create(world->context, "r", &any, &router));
    CHECK_OK(join(weir_router_endpoint(router), to, WEIR_TRANSPORT_SHM, &out));
    CHECK_OK(weir_link_create(from, weir_router_endpoint(router), NULL, &in[0]));
    if (world->rank == 1) {
        CHECK_OK(weir_endpoint_create(weir_context_device(world->context, 0), "here", &here));
        CHECK_STATUS(weir_link_create(here, weir_router_endpoint(router), NULL, &in[1]),
                     WEIR_ERR_UNSUPPORTED);
        CHECK(strcmp(weir_error_detail(), "transport shm cannot carry from host:0 to host:1: it "
                                          "joins two processes") == 0);
    }
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 0)
        send_packets(world, in[0]);
    else
        receive_packets(out);
    weir_link_destroy(in[0]);
    weir_link_destroy(out);
    weir_endpoint_destroy(here);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_router_destroy(router);
}

static const struct scene scenes[] = {
    {"counted", it_is_counted_on_both_sides},
    {"asked for", it_may_be_asked_for},
    {"refused", others_are_refused},
    {"beside", a_local_sender_beside_a_remote_one},
    {NULL, NULL},
};

static void in_two_processes(void **state)
{
    play(*state, 2);
}

/* A tunable that does not join two processes leaves their links alone. */
static void whatever_the_tunable_says(void **state)
{
    for (int t = WEIR_TRANSPORT_AUTO; t < WEIR_TRANSPORT_COUNT; t++) {
        setenv("WEIR_TRANSPORT", weir_transport_name((weir_transport)t), 1);
        play(*state, 2);
    }
    unsetenv("WEIR_TRANSPORT");
}

#define PLAYED(f, i)                                             \
    {                                                            \
#f ", " #i, f, NULL, NULL, (void *)(uintptr_t)&scenes[i] \
    }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        PLAYED(in_two_processes, 0),          PLAYED(in_two_processes, 1),
        PLAYED(in_two_processes, 2),          PLAYED(in_two_processes, 3),
        PLAYED(whatever_the_tunable_says, 0),
    };
    play_if_spawned(argc, argv, scenes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
