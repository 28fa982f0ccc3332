/** @file test_policies.c  The policies that ship: what each does with each source. */
#include "tests/lib/flow.h"
#include "topology/topology.h"

#define PACKET 64

/* Source memory of input i. */
static void *source_memory(struct flow *flow, uint32_t i, size_t bytes)
{
    return new_memory(weir_endpoint_device(flow->from[i]), bytes);
}

static weir_future *send_from(struct flow *flow, uint32_t i, void *data, size_t bytes,
                              uint64_t meta)
{
    return send_data(flow->in[i], weir_endpoint_device(flow->from[i]), data, bytes, meta);
}

static void send_refused(struct flow *flow, uint32_t i, uint64_t meta, const char *detail)
{
    weir_segment segment = {.device = weir_endpoint_device(flow->from[i]), .meta = meta};
    weir_future *done = (weir_future *)flow;
    STATUS(weir_link_send(flow->in[i], &segment, NULL, &done), WEIR_ERR_INVALID);
    assert_null(done);
    assert_detail(detail);
}

static void open_flow(struct flow *flow, void **state, weir_policy policy, uint32_t inputs,
                      uint32_t outputs, int shared)
{
    *flow = (struct flow){
        .context = open_or_skip(state), .inputs = inputs, .outputs = outputs, .shared = shared};
    flow_open(flow, &policy, PACKET, 2);
}

/* Nothing may be left anywhere. */
static void close_flow(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->inputs; i++)
        OK(weir_link_shutdown(flow->in[i]));
    for (uint32_t i = 0; i < flow->outputs; i++)
        receive_closed(flow->out[i]);
    flow_close(flow);
    assert_pools_empty(flow->context);
    weir_context_destroy(flow->context);
}

/* What an empty message of input i must come to. */
static void expect_at(struct flow *flow, uint32_t i, uint32_t output, uint64_t meta)
{
    weir_future *done = send_from(flow, i, NULL, 0, meta);
    expect_packet(flow->out[output], 0, 0, meta, 0);
    finish(done);
}

/* ---- any, priority --------------------------------------------------------------------------- */

/* All outputs are free before each message: each gets as many as the others. */
static void any_takes_turns(void **state)
{
    struct flow flow;
    uint32_t counts[3] = {0};
    open_flow(&flow, state, weir_policy_any(), 1, 3, 0);
    for (uint64_t i = 0; i < 30; i++) {
        weir_future *done = send_from(&flow, 0, NULL, 0, i);
        for (uint32_t o = 0; o < 3; o++) {
            weir_link_stats stats = WEIR_LINK_STATS_INIT;
            weir_link_stats_get(flow.out[o], &stats);
            if (stats.packets == counts[o])
                continue;
            counts[o]++;
            expect_packet(flow.out[o], 0, 0, i, 0);
        }
        finish(done);
    }
    for (uint32_t o = 0; o < 3; o++)
        assert_int_equal(counts[o], 10);
    close_flow(&flow);
}

static void priority_fills_the_lowest_first(void **state)
{
    static const uint32_t ranks[] = {5, 0, 3}, order[] = {1, 2, 0};
    struct flow flow;
    open_flow(&flow, state, weir_policy_priority(ranks), 1, 3, 0);
    weir_future *first[3];
    for (uint64_t i = 0; i < 3; i++) /* one each, since nobody has served one */
        first[i] = send_from(&flow, 0, NULL, 0, i);
    for (uint64_t o = 0; o < 3; o++) {
        expect_packet(flow.out[order[o]], 0, 0, o, 0);
        finish(first[o]);
    }
    for (int round = 0; round < 3; round++) {
        weir_future *done[7];
        for (uint64_t i = 0; i < 7; i++) /* two buffers each, and one that waits */
            done[i] = send_from(&flow, 0, NULL, 0, i);
        for (uint32_t o = 0; o < 3; o++)
            for (uint64_t i = 0; i < 2; i++)
                expect_packet(flow.out[order[o]], 0, 0, 2 * o + i, 0);
        /* The last one came to whoever had a buffer free first: the first that released. */
        expect_packet(flow.out[order[0]], 0, 0, 6, 0);
        for (int i = 0; i < 7; i++)
            finish(done[i]);
    }
    close_flow(&flow);
}

static void priority_without_ranks_goes_by_links(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_priority(NULL), 2, 3, 0);
    for (uint64_t i = 0; i < 5; i++)
        expect_at(&flow, (uint32_t)i % 2, 0, i); /* free again each time */
    close_flow(&flow);
}

/* ---- broadcast, scatter, gather ---------------------------------------------------------------- */

static void broadcast_gives_all_to_all(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_broadcast(), 2, 4, 0);
    for (uint32_t i = 0; i < 2; i++) {
        void *data = source_memory(&flow, i, 100);
        put_pattern(weir_endpoint_device(flow.from[i]), data, 100, i);
        weir_future *done = send_from(&flow, i, data, 100, i);
        for (uint32_t o = 0; o < 4; o++) {
            expect_packet(flow.out[o], 64, 0, i, i);
            expect_packet(flow.out[o], 36, 64, i, i);
        }
        finish(done);
        expect_at(&flow, i, 3, 9);
        for (uint32_t o = 0; o < 3; o++)
            expect_packet(flow.out[o], 0, 0, 9, 0);
        weir_device_free(weir_endpoint_device(flow.from[i]), data);
    }
    close_flow(&flow);
}

/* Parts lie one behind the other, are multiples of the granule but for the last, and differ by less than
 * two granules; one of 0 bytes comes as an empty packet. */
static void scatter_deals_out_equal_parts(void **state)
{
    static const struct {
        uint32_t granule;
        size_t bytes, parts[3];
    } rows[] = {
        {1, 9, {3, 3, 3}},         {1, 10, {4, 3, 3}},  {1, 11, {4, 4, 3}},
        {1, 300, {100, 100, 100}}, {4, 24, {8, 8, 8}},  {4, 16, {8, 4, 4}},
        {4, 18, {8, 4, 6}},        {0, 6, {2, 2, 2}},   {8, 8, {8, 0, 0}},
        {8, 3, {0, 0, 3}},         {8, 16, {8, 8, 0}},  {1, 1, {1, 0, 0}},
        {1, 0, {0, 0, 0}},         {100, 0, {0, 0, 0}}, {64, 400, {128, 128, 144}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct flow flow;
        size_t at = 0;
        open_flow(&flow, state, weir_policy_scatter(rows[r].granule), 1, 3, 0);
        weir_device *device = weir_endpoint_device(flow.from[0]);
        void *data = new_memory(device, rows[r].bytes);
        put_pattern(device, data, rows[r].bytes, r);
        weir_future *done = send_from(&flow, 0, data, rows[r].bytes, 0);
        for (uint32_t o = 0; o < 3; o++) {
            size_t end = at + rows[r].parts[o];
            do {
                size_t piece = end - at < PACKET ? end - at : PACKET;
                expect_packet(flow.out[o], piece, at, 0, r);
                at += piece;
            } while (at < end);
        }
        assert_int_equal(at, rows[r].bytes);
        finish(done);
        weir_device_free(device, data);
        close_flow(&flow);
    }
}

static void gather_goes_to_the_root(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_gather(2), 3, 3, 1);
    for (uint32_t i = 0; i < 3; i++) /* also from the root itself */
        expect_at(&flow, i, 2, i);
    close_flow(&flow);
}

static void gather_needs_its_root(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_gather(3), 1, 3, 0);
    send_refused(&flow, 0, 0, "a message from from is gathered at output 3 of a router that has 3");
    close_flow(&flow);
}

/* ---- tree -------------------------------------------------------------------------------------- */

/* Outputs 0 to 5 are the nodes, output 6 takes the result. */
static void tree_sends_to_the_parent(void **state)
{
    static const uint32_t parents[] = {6, 0, 0, 1, 1, 2};
    struct flow flow;
    open_flow(&flow, state, weir_policy_tree(), 6, 6, 1);
    weir_endpoint *taker = new_endpoint(weir_context_home(flow.context), "taker");
    flow.out[6] = new_link(weir_router_endpoint(flow.router), taker, PACKET, 2);
    for (uint32_t i = 0; i < 6; i++)
        expect_at(&flow, i, parents[i], i);
    for (uint32_t i = 0; i < 6; i++)
        OK(weir_link_shutdown(flow.in[i]));
    receive_closed(flow.out[6]);
    weir_link_destroy(flow.out[6]);
    weir_endpoint_destroy(taker);
    close_flow(&flow);
}

static void tree_refuses_who_has_no_parent(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_tree(), 1, 1, 1);
    send_refused(&flow, 0, 0, "from is the root of the tree and nobody takes its result");
    close_flow(&flow);
    open_flow(&flow, state, weir_policy_tree(), 1, 3, 0);
    send_refused(&flow, 0, 0, "from is no node of the tree: it is no output itself");
    close_flow(&flow);
}

/* ---- ring, direct ------------------------------------------------------------------------------ */

static void ring_sends_to_the_next(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_ring(), 3, 3, 1);
    for (uint32_t i = 0; i < 3; i++) {
        void *data = source_memory(&flow, i, 100);
        put_pattern(weir_endpoint_device(flow.from[i]), data, 100, i);
        weir_future *done = send_from(&flow, i, data, 100, 70 + i);
        expect_packet(flow.out[(i + 1) % 3], 64, 0, 70 + i, i);
        expect_packet(flow.out[(i + 1) % 3], 36, 64, 70 + i, i);
        finish(done);
        weir_device_free(weir_endpoint_device(flow.from[i]), data);
    }
    close_flow(&flow);
}

/* Output i is the plan's device i: 0, 2, 1 around, and 2 below 1 below 0, whatever the outputs' order. */
static weir_route_plan made_up_plan(weir_route_kind kind)
{
    weir_route_plan plan = {.kind = kind, .devices = 3, .order = {0, 2, 1}, .parent = {0, 0, 1}};
    return plan;
}

static void ring_goes_by_a_plan(void **state)
{
    static const uint32_t next[] = {2, 0, 1};
    weir_route_plan plan = made_up_plan(WEIR_ROUTE_RING);
    struct flow flow;
    open_flow(&flow, state, weir_policy_ring_by(&plan), 4, 4, 1);
    for (uint32_t i = 0; i < 3; i++)
        expect_at(&flow, i, next[i], i);
    send_refused(&flow, 3, 0, "from is output 3, and the ring's plan has 3 devices");
    close_flow(&flow);
    open_flow(&flow, state, weir_policy_ring_by(&plan), 1, 3, 0);
    expect_at(&flow, 0, 0, 7); /* an outsider: at the first of the plan */
    close_flow(&flow);
}

/* Over who is gone. */
static void a_planned_ring_closes_up(void **state)
{
    weir_route_plan plan = made_up_plan(WEIR_ROUTE_RING);
    struct flow flow;
    open_flow(&flow, state, weir_policy_ring_by(&plan), 2, 2, 1);
    expect_at(&flow, 0, 1, 1);
    expect_at(&flow, 1, 0, 2);
    close_flow(&flow);
}

static void tree_goes_by_a_plan(void **state)
{
    static const uint32_t parents[] = {3, 0, 1};
    weir_route_plan plan = made_up_plan(WEIR_ROUTE_TREE);
    struct flow flow;
    open_flow(&flow, state, weir_policy_tree_by(&plan), 3, 3, 1);
    send_refused(&flow, 0, 0, "from is the root of the tree and nobody takes its result");
    weir_endpoint *taker = new_endpoint(weir_context_home(flow.context), "taker");
    flow.out[3] = new_link(weir_router_endpoint(flow.router), taker, PACKET, 2);
    for (uint32_t i = 0; i < 3; i++)
        expect_at(&flow, i, parents[i], i);
    for (uint32_t i = 0; i < 3; i++)
        OK(weir_link_shutdown(flow.in[i]));
    receive_closed(flow.out[3]);
    weir_link_destroy(flow.out[3]);
    weir_endpoint_destroy(taker);
    close_flow(&flow);
    open_flow(&flow, state, weir_policy_tree_by(&plan), 4, 4, 1);
    send_refused(&flow, 3, 0, "from is output 3, and the tree's plan has 3 devices");
    close_flow(&flow);
}

static void ring_starts_at_the_first_for_an_outsider(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_ring(), 2, 3, 0);
    for (uint32_t i = 0; i < 2; i++)
        expect_at(&flow, i, 0, i);
    close_flow(&flow);
}

static void direct_goes_by_meta(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_direct(), 2, 4, 0);
    for (uint32_t i = 0; i < 2; i++) {
        void *data = source_memory(&flow, i, PACKET);
        for (uint64_t o = 4; o-- > 0;) {
            put_pattern(weir_endpoint_device(flow.from[i]), data, PACKET, 10 * i + o);
            weir_future *done = send_from(&flow, i, data, PACKET, o);
            expect_packet(flow.out[o], PACKET, 0, o, 10 * i + o);
            finish(done);
        }
        weir_device_free(weir_endpoint_device(flow.from[i]), data);
    }
    send_refused(&flow, 1, 4, "a message from from is for output 4 of a router that has 4");
    send_refused(&flow, 1, UINT64_MAX,
                 "a message from from is for output 18446744073709551615 of a router that has 4");
    close_flow(&flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(any_takes_turns),
        ON_EACH_BACKEND(priority_fills_the_lowest_first),
        ON_EACH_BACKEND(priority_without_ranks_goes_by_links),
        ON_EACH_BACKEND(broadcast_gives_all_to_all),
        ON_EACH_BACKEND(scatter_deals_out_equal_parts),
        ON_EACH_BACKEND(gather_goes_to_the_root),
        ON_EACH_BACKEND(gather_needs_its_root),
        ON_EACH_BACKEND(tree_sends_to_the_parent),
        ON_EACH_BACKEND(tree_refuses_who_has_no_parent),
        ON_EACH_BACKEND(ring_sends_to_the_next),
        ON_EACH_BACKEND(ring_goes_by_a_plan),
        ON_EACH_BACKEND(a_planned_ring_closes_up),
        ON_EACH_BACKEND(tree_goes_by_a_plan),
        ON_EACH_BACKEND(ring_starts_at_the_first_for_an_outsider),
        ON_EACH_BACKEND(direct_goes_by_meta),
    };
    return cmocka_run_group_tests_name("policies", tests, NULL, NULL);
}
