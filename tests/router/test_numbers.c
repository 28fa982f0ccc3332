/** @file test_numbers.c  Inputs and outputs keep their numbers when others are destroyed, and packets tell who sent them. */
#include "tests/lib/flow.h"

#include <string.h>

#define PACKET 64

static void open_flow(struct flow *flow, void **state, weir_policy policy, uint32_t inputs,
                      uint32_t outputs, int shared)
{
    *flow = (struct flow){
        .context = open_or_skip(state), .inputs = inputs, .outputs = outputs, .shared = shared};
    flow_open(flow, &policy, PACKET, 2);
}

static void close_flow(struct flow *flow)
{
    flow_close(flow); /* links that are gone already are NULL */
    assert_pools_empty(flow->context);
    weir_context_destroy(flow->context);
}

static void drop_output(struct flow *flow, uint32_t output)
{
    weir_link_destroy(flow->out[output]);
    flow->out[output] = NULL;
}

static void relink_output(struct flow *flow, uint32_t output)
{
    flow->out[output] = new_link(weir_router_endpoint(flow->router), flow->to[output], PACKET, 2);
    assert_int_equal(weir_link_number(flow->out[output]), output);
}

static weir_status try_send(struct flow *flow, uint32_t input, uint64_t meta)
{
    weir_segment segment = {.device = weir_endpoint_device(flow->from[input]), .meta = meta};
    return weir_link_send(flow->in[input], &segment, NULL, NULL);
}

static void expect_at(struct flow *flow, uint32_t input, uint32_t output, uint64_t meta)
{
    OK(try_send(flow, input, meta));
    expect_packet(flow->out[output], 0, 0, meta, 0);
}

static void expect_refused(struct flow *flow, uint32_t input, uint64_t meta, const char *detail)
{
    STATUS(try_send(flow, input, meta), WEIR_ERR_INVALID);
    assert_detail(detail);
}

/* ---- policies ---------------------------------------------------------------------------------- */

static void gather_keeps_its_root(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_gather(1), 1, 3, 0);
    drop_output(&flow, 0);
    expect_at(&flow, 0, 1, 7);
    drop_output(&flow, 1);
    expect_refused(&flow, 0, 0,
                   "policy gather of router r chose output 1, whose link was destroyed");
    relink_output(&flow, 0);
    relink_output(&flow, 1);
    expect_at(&flow, 0, 1, 8);
    close_flow(&flow);
}

static void priority_keeps_its_ranks(void **state)
{
    static const uint32_t ranks[3] = {0, 5, 1};
    struct flow flow;
    open_flow(&flow, state, weir_policy_priority(ranks), 1, 3, 0);
    expect_at(&flow, 0, 0, 1);
    drop_output(&flow, 0);
    expect_at(&flow, 0, 2, 2);
    relink_output(&flow, 0);
    expect_at(&flow, 0, 0, 3);
    close_flow(&flow);
}

static void direct_keeps_its_numbers(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_direct(), 1, 4, 0);
    drop_output(&flow, 1);
    drop_output(&flow, 3); /* the last: its number is not given up either */
    expect_at(&flow, 0, 2, 2);
    expect_refused(&flow, 0, 3,
                   "policy direct of router r chose output 3, whose link was destroyed");
    relink_output(&flow, 1); /* the lowest that is free */
    relink_output(&flow, 3);
    for (uint32_t o = 0; o < 4; o++)
        expect_at(&flow, 0, o, o);
    close_flow(&flow);
}

static void all_and_any_leave_out_what_is_gone(void **state)
{
    const weir_policy policies[] = {weir_policy_broadcast(), weir_policy_any()};
    for (int p = 0; p < 2; p++) {
        struct flow flow;
        weir_link_stats stats[2] = {WEIR_LINK_STATS_INIT, WEIR_LINK_STATS_INIT};
        open_flow(&flow, state, policies[p], 1, 3, 0);
        drop_output(&flow, 1);
        for (uint64_t i = 0; i < 2; i++)
            OK(try_send(&flow, 0, i));
        for (int i = 0; i < 2; i++) {
            for (int n = 0; n < (p ? 1 : 2); n++) {
                weir_segment segment;
                OK(weir_pending_release(receive(flow.out[2 * i], &segment), NULL));
            }
            weir_link_stats_get(flow.out[2 * i], &stats[i]);
            assert_int_equal(stats[i].packets, p ? 1 : 2);
        }
        close_flow(&flow);
    }
}

static void scatter_parts_go_to_those_that_are_there(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_scatter(1), 1, 3, 0);
    weir_device *device = weir_endpoint_device(flow.from[0]);
    void *data = new_memory(device, 64);
    put_pattern(device, data, 64, 5);
    drop_output(&flow, 1);
    weir_future *done = send_data(flow.in[0], device, data, 64, 9);
    expect_packet(flow.out[0], 32, 0, 9, 5);
    expect_packet(flow.out[2], 32, 32, 9, 5);
    finish(done);
    weir_device_free(device, data);
    close_flow(&flow);
}

static void a_ring_closes_over_a_gap(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_ring(), 4, 4, 1);
    drop_output(&flow, 2);
    expect_at(&flow, 1, 3, 1);
    expect_at(&flow, 3, 0, 2);
    drop_output(&flow, 0);
    expect_at(&flow, 3, 1, 3);
    close_flow(&flow);
}

/* Output 5 takes the result; 1 and 2 are the root's children, 3 and 4 those of 1. */
static void a_tree_keeps_its_shape(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_tree(), 6, 6, 1);
    drop_output(&flow, 2);
    expect_at(&flow, 3, 1, 1);
    expect_at(&flow, 0, 5, 2);
    drop_output(&flow, 1); /* its children go to the root */
    expect_at(&flow, 4, 0, 3);
    drop_output(&flow, 5);
    STATUS(try_send(&flow, 0, 0), WEIR_ERR_INVALID);
    assert_detail_has("nobody takes its result");
    drop_output(&flow, 0);
    STATUS(try_send(&flow, 4, 0), WEIR_ERR_INVALID);
    assert_detail_has("its root is gone");
    close_flow(&flow);
}

/* ---- a policy of the program's ------------------------------------------------------------------- */

struct seen {
    uint32_t count;
    int there[3];
    uint32_t take[3];
};

static weir_status choose(void *user, const weir_segment *message, const weir_endpoint *source,
                          weir_endpoint *const *candidates, uint32_t count, weir_choice *choice_out)
{
    struct seen *seen = user;
    (void)message;
    (void)source;
    seen->count = count;
    for (uint32_t i = 0; i < count && i < 3; i++)
        seen->there[i] = candidates[i] != NULL && weir_endpoint_device(candidates[i]) != NULL;
    choice_out->delivery = WEIR_DELIVER_ALL;
    choice_out->count = 2;
    memcpy(choice_out->candidate, seen->take, sizeof seen->take);
    return WEIR_OK;
}

static void a_policy_sees_the_gap(void **state)
{
    struct seen seen = {.take = {1, 2}};
    struct flow flow;
    open_flow(&flow, state, (weir_policy){.name = "own", .choose = choose, .user = &seen}, 1, 3, 0);
    drop_output(&flow, 1);
    expect_at(&flow, 0, 2, 4); /* 1 was chosen too, and is left out */
    assert_int_equal(seen.count, 3);
    assert_true(seen.there[0] && !seen.there[1] && seen.there[2]);
    drop_output(&flow, 2);
    expect_refused(&flow, 0, 0, "policy own of router r chose output 1, whose link was destroyed");
    drop_output(&flow, 0);
    expect_refused(&flow, 0, 0, "router r is unconnected: it leads to no receiver");
    close_flow(&flow);
}

/* ---- room ---------------------------------------------------------------------------------------- */

/* Numbers are given out again: links may come and go for as long as a program runs. */
static void numbers_never_run_out(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_direct(), 2, 2, 0);
    for (int i = 0; i < 3 * WEIR_ROUTER_PORTS_MAX; i++) {
        drop_output(&flow, 0);
        relink_output(&flow, 0);
        weir_link_destroy(flow.in[0]);
        flow.in[0] = new_link(flow.from[0], weir_router_endpoint(flow.router), 0, 0);
        assert_int_equal(weir_link_number(flow.in[0]), 0);
    }
    expect_at(&flow, 0, 0, 0);
    expect_at(&flow, 1, 1, 1);
    close_flow(&flow);
}

/* ---- who sent it, and what it is --------------------------------------------------------------------- */

static void expect_from(weir_link *output, uint32_t source, uint64_t tag, uint64_t meta)
{
    weir_segment segment;
    weir_pending *pending = receive(output, &segment);
    assert_int_equal(segment.source, source);
    assert_true(segment.tag == tag);
    assert_true(segment.meta == meta);
    OK(weir_pending_release(pending, NULL));
}

/* All to all: `meta` is used up by the policy, the tag is the program's. */
static void a_packet_tells_its_sender_and_its_tag(void **state)
{
    struct flow flow;
    open_flow(&flow, state, weir_policy_direct(), 4, 4, 1);
    for (uint32_t from = 0; from < 4; from++)
        for (uint32_t to = 0; to < 4; to++) {
            weir_segment segment = {.device = weir_endpoint_device(flow.from[from]),
                                    .meta = to,
                                    .tag = UINT64_MAX - from,
                                    .source = 99}; /* not the sender's to say */
            OK(weir_link_send(flow.in[from], &segment, NULL, NULL));
            expect_from(flow.out[to], from, UINT64_MAX - from, to);
        }
    weir_link_destroy(flow.in[1]);
    flow.in[1] = NULL;
    assert_int_equal(weir_link_number(flow.in[3]), 3);
    weir_segment segment = {.device = weir_endpoint_device(flow.from[3]), .tag = 1};
    OK(weir_link_send(flow.in[3], &segment, NULL, NULL));
    expect_from(flow.out[0], 3, 1, 0);
    close_flow(&flow);
}

/* Every transport that joins the two, every packet of a message. */
static void every_transport_carries_them(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0), *home = weir_context_home(context);
    weir_endpoint *a = new_endpoint(device, "a"), *b = new_endpoint(home, "b");
    void *data = new_memory(device, 3 * PACKET);
    put_pattern(device, data, 3 * PACKET, 1);
    for (int t = 0; t < WEIR_TRANSPORT_COUNT; t++) {
        weir_link_config config = WEIR_LINK_CONFIG_INIT;
        config.packet_bytes = PACKET;
        config.transport = (weir_transport)t;
        if (!transport_fits(config.transport, device, home))
            continue;
        weir_link *link = new_link_with(a, b, &config);
        weir_segment segment = {
            .device = device, .data = data, .bytes = 3 * PACKET, .tag = 10 + (uint64_t)t};
        OK(weir_link_send(link, &segment, NULL, NULL));
        for (int i = 0; i < 3; i++)
            expect_from(link, 0, 10 + (uint64_t)t, 0);
        weir_link_destroy(link);
    }
    weir_device_free(device, data);
    weir_endpoint_destroy(a);
    weir_endpoint_destroy(b);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(gather_keeps_its_root),
        ON_EACH_BACKEND(priority_keeps_its_ranks),
        ON_EACH_BACKEND(direct_keeps_its_numbers),
        ON_EACH_BACKEND(all_and_any_leave_out_what_is_gone),
        ON_EACH_BACKEND(scatter_parts_go_to_those_that_are_there),
        ON_EACH_BACKEND(a_ring_closes_over_a_gap),
        ON_EACH_BACKEND(a_tree_keeps_its_shape),
        ON_EACH_BACKEND(a_policy_sees_the_gap),
        ON_EACH_BACKEND(numbers_never_run_out),
        ON_EACH_BACKEND(a_packet_tells_its_sender_and_its_tag),
        ON_EACH_BACKEND(every_transport_carries_them),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
