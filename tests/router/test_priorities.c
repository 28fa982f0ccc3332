/** @file test_priorities.c  Inputs of higher priority go first, wherever packets of several wait for the same output. */
#include "tests/router/corner_fixture.h"

static weir_link *input_of(struct corner *c, weir_endpoint *router, int32_t priority)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.priority = priority;
    return corner_link_with(c, corner_sender(c), router, &config);
}

static void expect_in_order(weir_link *out, const uint64_t *metas, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_packet(out, CORNER_PACKET, 0, metas[i], 1);
}

static uint64_t overtook(const weir_link *out)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    OK(weir_link_stats_get(out, &stats));
    return stats.overtook;
}

/* The first has the buffer already; each input keeps its own order. */
static void the_highest_goes_first(void **state)
{
    static const uint64_t order[] = {0, 200, 201, 100, 101, 1, 2};
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_gather(0)));
    weir_link *low = input_of(&c, router, -5), *middle = input_of(&c, router, 0),
              *high = input_of(&c, router, INT32_MAX);
    weir_link *out = corner_link(&c, router, corner_receiver(&c), 1);
    for (uint64_t i = 0; i < 3; i++)
        OK(corner_send(&c, low, i, NULL));
    for (uint64_t i = 0; i < 2; i++)
        OK(corner_send(&c, middle, 100 + i, NULL));
    for (uint64_t i = 0; i < 2; i++)
        OK(corner_send(&c, high, 200 + i, NULL));
    expect_in_order(out, order, sizeof order / sizeof *order);
    assert_int_equal(overtook(out), 4);
    corner_close(&c);
}

/* As without priorities. */
static void equals_take_turns(void **state)
{
    static const uint64_t order[] = {0, 100, 1, 101, 2, 102};
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_gather(0)));
    weir_link *one = input_of(&c, router, 7), *other = input_of(&c, router, 7);
    weir_link *out = corner_link(&c, router, corner_receiver(&c), 1);
    for (uint64_t i = 0; i < 3; i++)
        OK(corner_send(&c, one, i, NULL));
    for (uint64_t i = 0; i < 3; i++)
        OK(corner_send(&c, other, 100 + i, NULL));
    expect_in_order(out, order, sizeof order / sizeof *order);
    assert_int_equal(overtook(out), 0);
    corner_close(&c);
}

/* Through two routers, with a choice at the end: whichever output is free first takes what is urgent. */
static void choices_and_chains_know_priorities(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *first = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_endpoint *second = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_link *low = input_of(&c, first, 0), *high = input_of(&c, second, 1), *out[2];
    corner_link(&c, first, second, 0);
    for (int i = 0; i < 2; i++)
        out[i] = corner_link(&c, second, corner_receiver(&c), 1);
    for (uint64_t i = 0; i < 4; i++)
        OK(corner_send(&c, low, i, NULL));
    for (uint64_t i = 0; i < 2; i++)
        OK(corner_send(&c, high, 100 + i, NULL));
    expect_packet(out[1], CORNER_PACKET, 0, 1, 1);
    expect_packet(out[1], CORNER_PACKET, 0, 100, 1);
    expect_packet(out[1], CORNER_PACKET, 0, 101, 1);
    expect_packet(out[0], CORNER_PACKET, 0, 0, 1);
    corner_close(&c);
}

/* A packet that is not ready holds nobody up. */
static void what_is_not_ready_lets_lower_ones_pass(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_gather(0)));
    weir_link *low = input_of(&c, router, 0), *high = input_of(&c, router, 1);
    weir_link *out = corner_link(&c, router, corner_receiver(&c), 2);
    weir_device *device = weir_context_device(c.context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(c.context);
    weir_segment segment = {.device = device, .data = c.data, .bytes = CORNER_PACKET, .meta = 100};
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_link_send_from(high, &segment, queue, NULL));
    OK(corner_send(&c, low, 0, NULL));
    expect_packet(out, CORNER_PACKET, 0, 0, 1);
    OK(weir_future_set(gate, NULL));
    expect_packet(out, CORNER_PACKET, 0, 100, 1);
    weir_queue_destroy(queue);
    weir_future_release(gate);
    corner_close(&c);
}

static void a_reserved_word_is_refused(void **state)
{
    struct corner c;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    corner_open(&c, open_or_skip(state));
    config.reserved = 1;
    STATUS(weir_link_create(corner_sender(&c), corner_receiver(&c), &config, &link),
           WEIR_ERR_INVALID);
    corner_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(the_highest_goes_first),
        ON_EACH_BACKEND(equals_take_turns),
        ON_EACH_BACKEND(choices_and_chains_know_priorities),
        ON_EACH_BACKEND(what_is_not_ready_lets_lower_ones_pass),
        ON_BACKEND(a_reserved_word_is_refused, "host:1"),
    };
    return cmocka_run_group_tests_name("priorities", tests, NULL, NULL);
}
