/** @file test_simulate_programs.c  Links, routers and a worklist over simulated devices. */
#include "tests/topology/sim_fixture.h"

#include "algorithms/algorithms.h"
#include "tests/lib/flow.h"

#include <math.h>
#include <stdlib.h>

#define PACKET  4096
#define PACKETS 16

/* Two halves, the second of which goes up while the first goes on: three half copies with their starts. */
#define STAGED_US (1.5 * (COPY_US - 3) + 3 * 3)

/* One packet of BYTES by a link; @return the time it took, in microseconds. */
static double time_of_packet(uint32_t apart, int staged, uint64_t *staged_out)
{
    weir_context *context = simulate(star_machine(apart), NULL);
    weir_device *s = weir_context_device(context, 0), *d = weir_context_device(context, 2);
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_link *link;
    config.packet_bytes = BYTES;
    config.transport = staged ? WEIR_TRANSPORT_STAGED : WEIR_TRANSPORT_AUTO;
    OK(weir_link_create(from, to, &config, &link));
    unsigned char *data = new_memory(s, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        data[i] = pattern_byte(4, i);
    weir_future *done = send_data(link, s, data, BYTES, 7);
    weir_segment segment;
    weir_pending *pending = receive(link, &segment);
    double us = (double)weir_context_time_ns(context) / 1000;
    assert_piece(&segment, 4);
    OK(weir_pending_release(pending, NULL));
    finish(done);
    weir_link_stats_get(link, &stats);
    *staged_out = stats.by[WEIR_TRANSPORT_STAGED];
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(s, data);
    weir_context_destroy(context);
    return us;
}

static void a_staged_pair_takes_two_copies(void **state)
{
    uint64_t staged;
    (void)state;
    assert_true(time_of_packet(0, 0, &staged) == COPY_US);
    assert_int_equal(staged, 0);
    assert_true(fabs(time_of_packet(1 << 0 | 1 << 2, 0, &staged) - STAGED_US) < 0.1);
    assert_int_equal(staged, 1);
    assert_true(fabs(time_of_packet(0, 1, &staged) - STAGED_US) < 0.1);
    assert_int_equal(staged, 1);
}

static double now_us(const weir_context *context)
{
    return (double)weir_context_time_ns(context) / 1000;
}

/* Two halves down, and the sender's memory is its own; the second is still to go up. */
static void a_staged_packet_is_sent_before_it_has_arrived(void **state)
{
    (void)state;
    weir_context *context = simulate(star_machine(0), NULL);
    weir_device *s = weir_context_device(context, 0), *d = weir_context_device(context, 2);
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_pending *pending;
    weir_segment segment;
    config.packet_bytes = BYTES;
    config.transport = WEIR_TRANSPORT_STAGED;
    weir_link *link = new_link_with(from, to, &config);
    void *data = new_memory(s, BYTES);
    finish(send_data(link, s, data, BYTES, 7));
    assert_true(fabs(now_us(context) - (COPY_US + 3)) < 0.1);
    OK(weir_link_next(link, LONG_MS, &pending, &segment));
    assert_true(fabs(now_us(context) - STAGED_US) < 0.1);
    OK(weir_pending_release(pending, NULL));
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(s, data);
    weir_context_destroy(context);
}

/* One packet between two devices by one transport, or the refusal. @return 1 if it was carried. */
static int carry_by(weir_transport transport, weir_device *s, weir_device *d)
{
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_segment segment;
    weir_link *link;
    config.packet_bytes = BYTES;
    config.transport = transport;
    weir_status status = weir_link_create(from, to, &config, &link);
    if (status) {
        assert_int_equal(status, WEIR_ERR_UNSUPPORTED);
        assert_detail_has("cannot carry from");
    } else {
        unsigned char *data = new_memory(s, BYTES);
        for (size_t i = 0; i < BYTES; i++)
            data[i] = pattern_byte(4, i);
        weir_future *done = send_data(link, s, data, BYTES, 7);
        weir_pending *pending = receive(link, &segment);
        assert_piece(&segment, 4);
        OK(weir_pending_release(pending, NULL));
        finish(done);
        weir_link_stats_get(link, &stats);
        assert_int_equal(stats.by[transport], 1);
        weir_link_destroy(link);
        weir_device_free(s, data);
    }
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    return !status;
}

static void each_transport_carries_what_it_joins(void **state)
{
    (void)state;
    weir_context *context = simulate(star_machine(0), NULL);
    weir_device *a = weir_context_device(context, 0), *b = weir_context_device(context, 2);
    weir_device *home = weir_context_home(context);
    for (int t = WEIR_TRANSPORT_AUTO + 1; t < WEIR_TRANSPORT_COUNT; t++) {
        weir_transport transport = (weir_transport)t;
        assert_int_equal(carry_by(transport, a, b), transport_fits(transport, a, b));
        assert_int_equal(carry_by(transport, a, a), transport_fits(transport, a, a));
    }
    assert_true(carry_by(WEIR_TRANSPORT_LOCAL, home, home) &&
                carry_by(WEIR_TRANSPORT_STORE, a, home));
    assert_false(carry_by(WEIR_TRANSPORT_SHM, a, home));
    weir_context_destroy(context);
}

/* What a router has given out: which pieces of which message, and from which output. */
struct seen {
    unsigned char piece[FLOW_MAX][PACKETS];
    uint32_t packets[FLOW_MAX];
};

/* A message says in its `meta` who sent it: low byte for the direct policy, the rest is the sender. */
static void look_at(const weir_segment *segment, uint32_t output, struct seen *seen)
{
    uint32_t sender = (uint32_t)segment->meta >> 8, piece = (uint32_t)(segment->offset / PACKET);
    assert_int_equal(segment->bytes, PACKET);
    assert_true(sender < FLOW_MAX && piece < PACKETS);
    assert_int_equal(seen->piece[sender][piece]++, 0);
    assert_piece(segment, sender);
    seen->packets[output]++;
}

/* One thread takes what there is from all outputs in turn. */
static void collect(struct flow *flow, struct seen *seen)
{
    weir_pending *held[FLOW_MAX] = {NULL};
    uint32_t wanted = flow->inputs * PACKETS, got = 0;
    for (uint32_t looks = 0; got < wanted; looks++) {
        uint32_t o = looks % flow->outputs;
        weir_segment segment;
        assert_true(looks < 100 * wanted);
        if (!held[o])
            OK(weir_link_receive(flow->out[o], &held[o]));
        if (weir_pending_assigned(held[o], &segment) == WEIR_PENDING)
            continue;
        OK(weir_pending_wait(held[o], LONG_MS, &segment));
        look_at(&segment, o, seen);
        OK(weir_pending_release(held[o], NULL));
        held[o] = NULL;
        got++;
    }
}

static void send_all(struct flow *flow, unsigned char **data, weir_future **done)
{
    for (uint32_t i = 0; i < flow->inputs; i++) {
        weir_device *device = weir_endpoint_device(flow->from[i]);
        data[i] = new_memory(device, PACKET * PACKETS);
        for (size_t b = 0; b < PACKET * PACKETS; b++)
            data[i][b] = pattern_byte(i, b);
        done[i] = send_data(flow->in[i], device, data[i], PACKET * PACKETS,
                            (i + 1) % flow->outputs | i << 8);
    }
}

/* Every device sends through one router to all. @return virtual nanoseconds. */
static uint64_t exchange(weir_policy policy, struct seen *seen)
{
    struct flow flow = {.context = simulate(star_machine(1 << 0 | 1 << 2), NULL),
                        .inputs = STAR_DEVICES,
                        .outputs = STAR_DEVICES,
                        .shared = 1};
    unsigned char *data[STAR_DEVICES];
    weir_future *done[STAR_DEVICES];
    *seen = (struct seen){.packets = {0}};
    flow_open(&flow, &policy, PACKET, 2);
    send_all(&flow, data, done);
    collect(&flow, seen);
    for (uint32_t i = 0; i < STAR_DEVICES; i++)
        finish(done[i]);
    uint64_t ns = weir_context_time_ns(flow.context);
    for (uint32_t i = 0; i < STAR_DEVICES; i++)
        weir_device_free(weir_endpoint_device(flow.from[i]), data[i]);
    weir_router_cancel(flow.router, WEIR_ERR_CANCELLED);
    flow_close(&flow);
    weir_context_destroy(flow.context);
    return ns;
}

/* weir_policy_direct() takes the whole `meta` for the output. */
static weir_status choose_low_byte(void *user, const weir_segment *message,
                                   const weir_endpoint *source, weir_endpoint *const *candidates,
                                   uint32_t count, weir_choice *choice_out)
{
    weir_segment low = *message;
    weir_policy direct = weir_policy_direct();
    (void)user;
    low.meta &= 255;
    return direct.choose(direct.user, &low, source, candidates, count, choice_out);
}

static void all_packets_come_once(const struct seen *seen)
{
    for (uint32_t i = 0; i < STAR_DEVICES; i++)
        for (uint32_t p = 0; p < PACKETS; p++)
            assert_int_equal(seen->piece[i][p], 1);
}

static void a_router_moves_everything(void **state)
{
    const weir_policy policies[] = {
        weir_policy_any(), weir_policy_ring(), {.name = "direct", .choose = choose_low_byte}};
    (void)state;
    for (int p = 0; p < 3; p++) {
        struct seen seen, again;
        uint64_t ns = exchange(policies[p], &seen);
        assert_true(ns > 0);
        assert_int_equal(exchange(policies[p], &again), ns);
        assert_memory_equal(&seen, &again, sizeof seen);
        all_packets_come_once(&seen);
        for (uint32_t o = 0; o < STAR_DEVICES && p > 0; o++)
            assert_int_equal(seen.packets[o], PACKETS);
    }
}

/* Many packets into queues that are held: no figure here but the bytes and the last moment. */
static void a_broadcast_in_packets(void **state)
{
    enum { PIECE = 10000, PIECES = BYTES / PIECE };
    struct star s;
    (void)state;
    star_open(&s);
    weir_future *gate = new_future(s.context);
    for (uint32_t d = 1; d < STAR_DEVICES; d++)
        OK(weir_queue_wait_future(s.queue[d], gate));
    for (size_t at = 0; at < BYTES; at += PIECE)
        for (uint32_t d = 1; d < STAR_DEVICES; d++)
            OK(weir_queue_copy(s.queue[d], s.device[d], s.data[d] + at, s.device[0], s.data[0] + at,
                               PIECE));
    OK(weir_future_set(gate, NULL));
    for (uint32_t d = 1; d < STAR_DEVICES; d++) {
        OK(weir_queue_sync(s.queue[d]));
        assert_bytes(s.data[d], BYTES, 1);
        assert_time_us(s.context, PIECES * (3 + 2));
    }
    weir_future_release(gate);
    star_close(&s);
}

/* The worklist drives each device from a thread of its own. */
static void a_traversal_equals_the_reference(void **state)
{
    weir_machine *machine;
    weir_graph *graph;
    weir_partition *partition;
    weir_bfs *bfs;
    (void)state;
    OK(weir_machine_open("4*nvswitch", &machine));
    weir_context *context = simulate(machine, NULL);
    OK(weir_graph_open("rmat:10,8,3", NULL, &graph));
    int32_t *levels = malloc(graph->vertices * sizeof *levels);
    int32_t *wanted = malloc(graph->vertices * sizeof *wanted);
    assert_true(levels && wanted);
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, 4, 1, NULL, &partition));
    for (int route = WEIR_ROUTE_DIRECT; route <= WEIR_ROUTE_STAGED; route++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.route = (weir_route_kind)route;
        options.time_limit_ms = LONG_MS;
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 3) {
            OK(weir_bfs_run(bfs, source, NULL));
            OK(weir_bfs_levels(bfs, levels));
            OK(weir_bfs_reference(graph, source, wanted));
            assert_memory_equal(levels, wanted, graph->vertices * sizeof *levels);
        }
        weir_bfs_destroy(bfs);
    }
    free(levels);
    free(wanted);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_staged_pair_takes_two_copies),
        cmocka_unit_test(a_staged_packet_is_sent_before_it_has_arrived),
        cmocka_unit_test(each_transport_carries_what_it_joins),
        cmocka_unit_test(a_router_moves_everything),
        cmocka_unit_test(a_broadcast_in_packets),
        cmocka_unit_test(a_traversal_equals_the_reference),
    };
    return cmocka_run_group_tests_name("simulate_programs", tests, NULL, NULL);
}
