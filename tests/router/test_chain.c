/** @file test_chain.c  Routers that feed routers, and small messages beside large ones. */
#include "tests/lib/flow.h"

#include <stdio.h>
#include <string.h>

#define PACKET  64
#define ROUTERS 5
#define OUTS    4

/* A few routers, joined as each test likes; an input into router 0, outputs where they are put. */
struct chain {
    weir_context *context;
    weir_device *device;
    weir_router *routers[ROUTERS];
    weir_endpoint *from, *second, *to[OUTS];
    weir_link *in, *in_second, *out[OUTS], *between[8];
    uint32_t out_count, between_count;
    char *data;
};

static weir_policy policies(char letter)
{
    switch (letter) {
    case 'a':
        return weir_policy_any();
    case 'p':
        return weir_policy_priority(NULL);
    case 'b':
        return weir_policy_broadcast();
    case 's':
        return weir_policy_scatter(1);
    default:
        return weir_policy_ring();
    }
}

/* @param letters  a policy a router. */
static void open_chain(struct chain *c, void **state, const char *letters)
{
    *c = (struct chain){.context = open_or_skip(state)};
    c->device = weir_context_device(c->context, 0);
    c->from = new_endpoint(c->device, "from");
    c->second = new_endpoint(c->device, "second");
    for (uint32_t i = 0; i < strlen(letters); i++) {
        weir_policy policy = policies(letters[i]);
        char name[16];
        snprintf(name, sizeof name, "r%u", i);
        OK(weir_router_create(c->context, name, &policy, &c->routers[i]));
    }
    c->in = new_link(c->from, weir_router_endpoint(c->routers[0]), 0, 0);
    c->data = new_memory(c->device, 100 * PACKET);
    put_pattern(c->device, c->data, 100 * PACKET, 1);
}

static void feed(struct chain *c, uint32_t from, uint32_t to)
{
    c->between[c->between_count++] = new_link(weir_router_endpoint(c->routers[from]),
                                              weir_router_endpoint(c->routers[to]), 0, 0);
}

static weir_link *put_out(struct chain *c, uint32_t router, size_t packet, uint32_t buffers)
{
    uint32_t o = c->out_count++;
    c->to[o] = new_endpoint(any_device(c->context, o % all_devices(c->context)), "to");
    return c->out[o] =
               new_link(weir_router_endpoint(c->routers[router]), c->to[o], packet, buffers);
}

static void close_chain(struct chain *c)
{
    weir_link_destroy(c->in);
    weir_link_destroy(c->in_second);
    for (uint32_t i = 0; i < c->out_count; i++)
        weir_link_destroy(c->out[i]);
    for (uint32_t i = 0; i < c->between_count; i++)
        weir_link_destroy(c->between[i]);
    for (uint32_t i = 0; i < ROUTERS; i++)
        weir_router_destroy(c->routers[i]);
    weir_endpoint_destroy(c->from);
    weir_endpoint_destroy(c->second);
    for (uint32_t i = 0; i < c->out_count; i++)
        weir_endpoint_destroy(c->to[i]);
    weir_device_free(c->device, c->data);
    assert_pools_empty(c->context);
    weir_context_destroy(c->context);
}

static weir_future *send_in(struct chain *c, size_t bytes, uint64_t meta)
{
    return send_data(c->in, c->device, c->data, bytes, meta);
}

static void assert_open(weir_link *link, weir_pending **pending_out)
{
    weir_segment segment;
    OK(weir_link_receive(link, pending_out));
    STATUS(weir_pending_assigned(*pending_out, &segment), WEIR_PENDING);
}

static void expect_end(weir_pending *pending, weir_status status)
{
    weir_segment segment;
    STATUS(weir_pending_wait(pending, LONG_MS, &segment), status);
    OK(weir_pending_release(pending, NULL));
}

/* ---- deliveries ----------------------------------------------------------------------------- */

static void a_message_goes_through_a_row_of_routers(void **state)
{
    struct chain c;
    open_chain(&c, state, "aaaaa");
    for (uint32_t i = 0; i < 4; i++)
        feed(&c, i, i + 1);
    weir_link *out = put_out(&c, 4, PACKET, 2);
    for (uint64_t round = 0; round < 5; round++) {
        weir_future *done = send_in(&c, 150, round);
        expect_packet(out, 64, 0, round, 1);
        expect_packet(out, 64, 64, round, 1);
        expect_packet(out, 22, 128, round, 1);
        finish(done);
    }
    close_chain(&c);
}

/* All over routers: each one's own rule, and its own packets. */
static void all_over_routers(void **state)
{
    struct chain c;
    open_chain(&c, state, "bbs");
    feed(&c, 0, 1);
    feed(&c, 0, 2);
    weir_link *left = put_out(&c, 1, 100, 1), *right = put_out(&c, 1, 30, 4);
    weir_link *one = put_out(&c, 2, 20, 4), *two = put_out(&c, 2, 1000, 1);
    weir_future *done = send_in(&c, 100, 3);
    expect_packet(left, 100, 0, 3, 1);
    for (size_t at = 0; at < 90; at += 30)
        expect_packet(right, 30, at, 3, 1);
    expect_packet(right, 10, 90, 3, 1);
    expect_packet(one, 20, 0, 3, 1);
    expect_packet(one, 20, 20, 3, 1);
    expect_packet(one, 10, 40, 3, 1);
    expect_packet(two, 50, 50, 3, 1);
    finish(done);
    close_chain(&c);
}

/* One of: an output; or both of those that a nested router gives all to. */
static void any_over_an_output_and_a_pair(void **state)
{
    struct chain c;
    open_chain(&c, state, "pb");
    weir_link *alone = put_out(&c, 0, PACKET, 1);
    feed(&c, 0, 1);
    weir_link *left = put_out(&c, 1, PACKET, 3), *right = put_out(&c, 1, 40, 3);
    weir_pending *pending;
    weir_future *done = send_in(&c, 40, 1), *second = send_in(&c, 40, 2);
    expect_packet(left, 40, 0, 2, 1); /* the output of the lower rank is taken by the first */
    expect_packet(right, 40, 0, 2, 1);
    finish(second);
    expect_packet(alone, 40, 0, 1, 1);
    finish(done);
    /* Packets that anybody may get are cut for the one who takes least. */
    done = send_in(&c, 80, 3);
    expect_packet(alone, 40, 0, 3, 1);
    expect_packet(left, 40, 40, 3, 1);
    expect_packet(right, 40, 40, 3, 1);
    finish(done);
    assert_open(alone, &pending);
    OK(weir_link_shutdown(c.in));
    expect_end(pending, WEIR_CLOSED);
    receive_closed(left);
    receive_closed(right);
    close_chain(&c);
}

static void a_split_below_a_choice_is_refused(void **state)
{
    struct chain c;
    weir_future *done = (weir_future *)&c;
    open_chain(&c, state, "as");
    (void)put_out(&c, 0, PACKET, 1);
    feed(&c, 0, 1);
    (void)put_out(&c, 1, PACKET, 1);
    (void)put_out(&c, 1, PACKET, 1);
    weir_segment segment = {.device = c.device, .data = c.data, .bytes = 10};
    STATUS(weir_link_send(c.in, &segment, NULL, &done), WEIR_ERR_UNSUPPORTED);
    assert_null(done);
    OK(weir_link_shutdown(c.in)); /* nothing came of it */
    for (uint32_t o = 0; o < 3; o++)
        receive_closed(c.out[o]);
    close_chain(&c);
}

/* Two ways to one router: what each of them gives arrives. */
static void both_ways_of_a_diamond_deliver(void **state)
{
    struct chain c;
    weir_segment segment;
    open_chain(&c, state, "baaa");
    feed(&c, 0, 1);
    feed(&c, 0, 2);
    feed(&c, 1, 3);
    feed(&c, 2, 3);
    weir_link *out = put_out(&c, 3, PACKET, 2);
    weir_future *done = send_in(&c, 100, 6);
    unsigned seen[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        weir_pending *pending = receive(out, &segment);
        assert_true(segment.offset == 0 || segment.offset == 64);
        seen[segment.offset / 64]++;
        assert_piece(&segment, 1);
        OK(weir_pending_release(pending, NULL));
    }
    assert_int_equal(seen[0], 2);
    assert_int_equal(seen[1], 2);
    finish(done);
    OK(weir_link_shutdown(c.in));
    receive_closed(out);
    close_chain(&c);
}

/* ---- shutdown and cancel ----------------------------------------------------------------------- */

static void a_shutdown_goes_through_behind_the_data(void **state)
{
    struct chain c;
    open_chain(&c, state, "baab");
    feed(&c, 0, 1);
    feed(&c, 0, 2);
    feed(&c, 1, 3);
    feed(&c, 2, 3);
    weir_link *out = put_out(&c, 3, PACKET, 1);
    weir_future *done = send_in(&c, PACKET, 4);
    OK(weir_link_shutdown(c.in));
    expect_packet(out, PACKET, 0, 4, 1);
    expect_packet(out, PACKET, 0, 4, 1); /* by the other way */
    finish(done);
    receive_closed(out);
    close_chain(&c);
}

/* An output waits for the inputs that reach it, and for no others. */
static void outputs_close_with_the_inputs_that_reach_them(void **state)
{
    struct chain c;
    weir_pending *late, *early;
    open_chain(&c, state, "bb");
    feed(&c, 0, 1);
    weir_link *first = put_out(&c, 0, PACKET, 1), *last = put_out(&c, 1, PACKET, 1);
    c.in_second = new_link(c.second, weir_router_endpoint(c.routers[1]), 0, 0);
    assert_open(first, &early);
    assert_open(last, &late);
    OK(weir_link_shutdown(c.in));
    expect_end(early, WEIR_CLOSED);
    weir_segment segment;
    STATUS(weir_pending_assigned(late, &segment), WEIR_PENDING);
    weir_future *done = send_data(c.in_second, c.device, NULL, 0, 9);
    OK(weir_pending_wait(late, LONG_MS, &segment));
    assert_int_equal(segment.meta, 9);
    finish(done);
    OK(weir_pending_release(late, NULL));
    assert_open(last, &late);
    OK(weir_link_shutdown(c.in_second));
    expect_end(late, WEIR_CLOSED);
    close_chain(&c);
}

static void an_inner_link_is_no_input(void **state)
{
    struct chain c;
    weir_pending *pending = (weir_pending *)&c;
    open_chain(&c, state, "aa");
    feed(&c, 0, 1);
    (void)put_out(&c, 1, PACKET, 1);
    weir_segment segment = {.device = c.device};
    STATUS(weir_link_send(c.between[0], &segment, NULL, NULL), WEIR_ERR_INVALID);
    STATUS(weir_link_receive(c.between[0], &pending), WEIR_ERR_INVALID);
    assert_null(pending);
    STATUS(weir_link_shutdown(c.between[0]), WEIR_ERR_INVALID);
    assert_null(weir_link_source(c.between[0]));
    close_chain(&c);
}

/* Whichever router of a chain is cancelled, all are; a router beside it is not. */
static void a_cancel_goes_through_chains(void **state)
{
    for (uint32_t which = 0; which < 3; which++) {
        struct chain c;
        weir_pending *pending[3];
        open_chain(&c, state, "aaaa");
        feed(&c, 0, 1);
        feed(&c, 1, 2);
        for (uint32_t r = 1; r < 4; r++)
            (void)put_out(&c, r, PACKET, 1);
        c.in_second = new_link(c.second, weir_router_endpoint(c.routers[3]), 0, 0);
        weir_future *done[3];
        for (uint64_t i = 0; i < 3; i++) /* two buffers: the last one waits */
            done[i] = send_in(&c, 8, i);
        for (uint32_t o = 0; o < 3; o++)
            OK(weir_link_receive(c.out[o], &pending[o]));
        weir_router_cancel(c.routers[which], WEIR_ERR_IO);
        STATUS(weir_future_wait(done[2], LONG_MS), WEIR_ERR_IO);
        weir_segment segment;
        for (uint32_t o = 0; o < 2; o++) {
            OK(weir_pending_wait(pending[o], LONG_MS, &segment)); /* that had come */
            OK(weir_pending_release(pending[o], NULL));
            OK(weir_link_receive(c.out[o], &pending[o]));
            expect_end(pending[o], WEIR_ERR_IO);
        }
        segment = (weir_segment){.device = c.device};
        STATUS(weir_link_send(c.in, &segment, NULL, NULL), WEIR_ERR_IO);
        STATUS(weir_pending_assigned(pending[2], &segment), WEIR_PENDING);
        finish(send_data(c.in_second, c.device, NULL, 0, 1));
        OK(weir_pending_wait(pending[2], LONG_MS, &segment));
        for (int i = 0; i < 3; i++)
            weir_future_release(done[i]);
        OK(weir_pending_release(pending[2], NULL));
        close_chain(&c);
    }
}

/* ---- graphs that are refused ------------------------------------------------------------------- */

static void circles_are_refused(void **state)
{
    struct chain c;
    weir_link *link = (weir_link *)&c;
    open_chain(&c, state, "aaa");
    feed(&c, 0, 1);
    feed(&c, 1, 2);
    for (uint32_t to = 0; to < 2; to++) {
        STATUS(weir_link_create(weir_router_endpoint(c.routers[2]),
                                weir_router_endpoint(c.routers[to]), NULL, &link),
               WEIR_ERR_INVALID);
        assert_null(link);
        assert_detail_has("r2");
    }
    STATUS(weir_link_create(weir_router_endpoint(c.routers[1]), weir_router_endpoint(c.routers[1]),
                            NULL, &link),
           WEIR_ERR_INVALID);
    STATUS(weir_link_create(weir_router_endpoint(c.routers[0]), weir_router_endpoint(c.routers[1]),
                            NULL, &link),
           WEIR_ERR_INVALID); /* a second one */
    feed(&c, 0, 2);           /* no circle */
    close_chain(&c);
}

/* A chain that ends nowhere, or begins nowhere. */
static void unconnected_routers_are_refused(void **state)
{
    struct chain c;
    weir_pending *pending = (weir_pending *)&c;
    weir_future *done = (weir_future *)&c;
    open_chain(&c, state, "aaaa");
    weir_segment segment = {.device = c.device};
    STATUS(weir_router_check(c.routers[0]), WEIR_ERR_INVALID);
    assert_detail_has("r0");
    STATUS(weir_router_check(c.routers[1]), WEIR_ERR_INVALID);
    feed(&c, 0, 1);
    STATUS(weir_router_check(c.routers[0]), WEIR_ERR_INVALID);
    STATUS(weir_link_send(c.in, &segment, NULL, &done), WEIR_ERR_INVALID);
    assert_null(done);
    weir_link *out = put_out(&c, 1, PACKET, 1), *lonely = put_out(&c, 3, PACKET, 1);
    OK(weir_router_check(c.routers[0]));
    OK(weir_router_check(c.routers[1]));
    finish(send_in(&c, 0, 1));
    expect_packet(out, 0, 0, 1, 0);
    feed(&c, 2, 3);
    STATUS(weir_router_check(c.routers[3]), WEIR_ERR_INVALID); /* nobody sends to it */
    STATUS(weir_link_receive(lonely, &pending), WEIR_ERR_INVALID);
    assert_null(pending);
    feed(&c, 1, 2);
    OK(weir_router_check(c.routers[3]));
    assert_open(lonely, &pending);
    OK(weir_link_shutdown(c.in));
    expect_end(pending, WEIR_CLOSED);
    close_chain(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_message_goes_through_a_row_of_routers),
        ON_EACH_BACKEND(all_over_routers),
        ON_EACH_BACKEND(any_over_an_output_and_a_pair),
        ON_EACH_BACKEND(a_split_below_a_choice_is_refused),
        ON_EACH_BACKEND(both_ways_of_a_diamond_deliver),
        ON_EACH_BACKEND(a_shutdown_goes_through_behind_the_data),
        ON_EACH_BACKEND(outputs_close_with_the_inputs_that_reach_them),
        ON_EACH_BACKEND(an_inner_link_is_no_input),
        ON_EACH_BACKEND(a_cancel_goes_through_chains),
        ON_EACH_BACKEND(circles_are_refused),
        ON_EACH_BACKEND(unconnected_routers_are_refused),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
