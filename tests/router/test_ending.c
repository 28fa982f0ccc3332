/** @file test_ending.c  How flows end: shut down, cancelled, or just destroyed. */
#include "tests/lib/flow.h"

#include <pthread.h>
#include <time.h>

static void open_flow(struct flow *flow, void **state, uint32_t inputs, uint32_t outputs)
{
    weir_policy first = weir_policy_priority(NULL); /* the first output that is free */
    *flow = (struct flow){.context = open_or_skip(state), .inputs = inputs, .outputs = outputs};
    flow_open(flow, &first, 64, 2);
}

static void close_flow(struct flow *flow)
{
    flow_close(flow);
    weir_context_destroy(flow->context);
}

static weir_future *send_empty(struct flow *flow, uint32_t i, uint64_t meta)
{
    return send_data(flow->in[i], weir_endpoint_device(flow->from[i]), NULL, 0, meta);
}

static void shutdown_comes_behind_the_data(void **state)
{
    struct flow flow;
    weir_future *done[5];
    open_flow(&flow, state, 1, 1);
    for (uint64_t i = 0; i < 5; i++)
        done[i] = send_empty(&flow, 0, i);
    OK(weir_link_shutdown(flow.in[0]));
    OK(weir_link_shutdown(flow.in[0]));
    for (uint64_t i = 0; i < 5; i++) {
        expect_packet(flow.out[0], 0, 0, i, 0);
        finish(done[i]);
    }
    for (int i = 0; i < 5; i++) /* it stays closed */
        receive_closed(flow.out[0]);
    weir_segment segment = {.device = weir_endpoint_device(flow.from[0])};
    STATUS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_CLOSED);
    close_flow(&flow);
}

static void it_takes_the_shutdown_of_all_inputs(void **state)
{
    struct flow flow;
    weir_pending *pending[2];
    weir_segment segment;
    open_flow(&flow, state, 3, 2);
    for (int o = 0; o < 2; o++)
        OK(weir_link_receive(flow.out[o], &pending[o]));
    OK(weir_link_shutdown(flow.in[2]));
    OK(weir_link_shutdown(flow.in[2])); /* counts once */
    OK(weir_link_shutdown(flow.in[0]));
    for (int o = 0; o < 2; o++)
        STATUS(weir_pending_assigned(pending[o], &segment), WEIR_PENDING);
    finish(send_empty(&flow, 1, 8));
    OK(weir_pending_wait(pending[0], LONG_MS, &segment));
    assert_int_equal(segment.meta, 8);
    STATUS(weir_pending_assigned(pending[1], &segment), WEIR_PENDING);
    OK(weir_link_shutdown(flow.in[1]));
    STATUS(weir_pending_wait(pending[1], LONG_MS, &segment), WEIR_CLOSED);
    for (int o = 0; o < 2; o++) {
        OK(weir_pending_release(pending[o], NULL));
        receive_closed(flow.out[o]);
    }
    close_flow(&flow);
}

static void a_queue_goes_on_when_nothing_will_come(void **state)
{
    static const weir_status ends[] = {WEIR_CLOSED, WEIR_ERR_CANCELLED};
    for (int i = 0; i < 2; i++) {
        struct flow flow;
        weir_pending *pending;
        weir_segment segment;
        open_flow(&flow, state, 1, 1);
        weir_queue *queue = new_queue(weir_endpoint_device(flow.to[0]));
        OK(weir_link_receive(flow.out[0], &pending));
        OK(weir_pending_gate(pending, queue));
        if (ends[i] == WEIR_CLOSED)
            OK(weir_link_shutdown(flow.in[0]));
        else
            weir_router_cancel(flow.router, ends[i]);
        OK(weir_queue_sync(queue));
        STATUS(weir_pending_assigned(pending, &segment), ends[i]);
        STATUS(weir_future_query(weir_pending_future(pending)), ends[i]);
        OK(weir_pending_release(pending, queue));
        weir_queue_destroy(queue);
        close_flow(&flow);
    }
}

static void cancel_ends_all_that_is_under_way(void **state)
{
    struct flow flow;
    weir_future *done[6];
    weir_pending *first, *second;
    weir_segment segment;
    open_flow(&flow, state, 2, 1);
    for (int i = 0; i < 6; i++)
        done[i] = send_empty(&flow, (uint32_t)i % 2, (uint64_t)i);
    first = receive(flow.out[0], &segment); /* what has come is not taken back */
    OK(weir_link_receive(flow.out[0], &second));
    OK(weir_pending_wait(second, LONG_MS, &segment));
    weir_router_cancel(flow.router, WEIR_ERR_VERIFY);
    weir_router_cancel(flow.router, WEIR_ERR_IO); /* the first one stays */
    OK(weir_pending_assigned(first, &segment));
    for (int i = 0; i < 6; i++) {
        STATUS(weir_future_wait(done[i], LONG_MS), i < 2 ? WEIR_OK : WEIR_ERR_VERIFY);
        weir_future_release(done[i]);
    }
    OK(weir_pending_release(first, NULL));
    OK(weir_pending_release(second, NULL));
    segment = (weir_segment){.device = weir_endpoint_device(flow.from[1])};
    done[0] = (weir_future *)&flow;
    STATUS(weir_link_send(flow.in[1], &segment, NULL, &done[0]), WEIR_ERR_VERIFY);
    assert_null(done[0]);
    for (int i = 0; i < 3; i++) {
        OK(weir_link_receive(flow.out[0], &first));
        STATUS(weir_pending_wait(first, LONG_MS, &segment), WEIR_ERR_VERIFY);
        OK(weir_pending_release(first, NULL));
    }
    OK(weir_link_shutdown(flow.in[0]));
    close_flow(&flow);
}

struct canceller {
    weir_router *router;
    pthread_t thread;
};

static void *cancel_after_a_while(void *data)
{
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    weir_router_cancel(((struct canceller *)data)->router, WEIR_ERR_CANCELLED);
    return NULL;
}

static void cancel_wakes_a_receiver_and_a_sender(void **state)
{
    for (int who = 0; who < 2; who++) {
        struct flow flow;
        weir_future *done[3] = {NULL};
        weir_pending *pending = NULL;
        weir_segment segment;
        open_flow(&flow, state, 1, 1);
        if (who == 0)
            OK(weir_link_receive(flow.out[0], &pending));
        for (uint64_t i = 0; i < 3 && who == 1; i++) /* one more than there are buffers */
            done[i] = send_empty(&flow, 0, i);
        struct canceller canceller = {.router = flow.router};
        assert_int_equal(pthread_create(&canceller.thread, NULL, cancel_after_a_while, &canceller),
                         0);
        weir_status seen =
            who ? weir_future_wait(done[2], -1) : weir_pending_wait(pending, -1, &segment);
        pthread_join(canceller.thread, NULL);
        STATUS(seen, WEIR_ERR_CANCELLED);
        if (pending)
            OK(weir_pending_release(pending, NULL));
        for (int i = 0; i < 3; i++)
            weir_future_release(done[i]);
        close_flow(&flow);
    }
}

static void a_flow_may_be_destroyed_without_a_shutdown(void **state)
{
    struct flow flow;
    open_flow(&flow, state, 3, 2); /* nothing was ever sent */
    close_flow(&flow);
    open_flow(&flow, state, 1, 1); /* all that was sent was received */
    weir_future *done = send_empty(&flow, 0, 1);
    expect_packet(flow.out[0], 0, 0, 1, 0);
    finish(done);
    close_flow(&flow);
}

static void a_cancelled_flow_may_be_destroyed_full(void **state)
{
    struct flow flow;
    weir_future *done[20];
    open_flow(&flow, state, 2, 3);
    for (uint32_t i = 0; i < 20; i++)
        done[i] = send_empty(&flow, i % 2, i);
    weir_router_cancel(flow.router, WEIR_ERR_CANCELLED);
    for (int i = 0; i < 20; i++) {
        weir_status status = weir_future_wait(done[i], LONG_MS);
        assert_true(status == WEIR_OK || status == WEIR_ERR_CANCELLED);
        weir_future_release(done[i]);
    }
    close_flow(&flow);
}

/* Outputs may go before inputs, whose shutdown then finds those that are left. */
static void links_may_be_destroyed_in_any_order(void **state)
{
    struct flow flow;
    open_flow(&flow, state, 2, 3);
    weir_future *done = send_empty(&flow, 0, 4);
    expect_packet(flow.out[0], 0, 0, 4, 0);
    finish(done);
    weir_link_destroy(flow.out[1]);
    flow.out[1] = NULL;
    done = send_empty(&flow, 1, 5);
    expect_packet(flow.out[0], 0, 0, 5, 0);
    finish(done);
    weir_link_destroy(flow.in[0]);
    flow.in[0] = NULL;
    OK(weir_link_shutdown(flow.in[1]));
    receive_closed(flow.out[2]);
    weir_link_destroy(flow.out[0]);
    flow.out[0] = NULL;
    close_flow(&flow);
}

/* A link between two endpoints, destroyed with messages that nobody received. */
static void a_plain_link_may_be_destroyed_full(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_endpoint *from = new_endpoint(device, "from"), *to = new_endpoint(device, "to");
    weir_link *link = new_link(from, to, 64, 2);
    weir_future *done[5];
    for (uint64_t i = 0; i < 5; i++)
        done[i] = send_data(link, device, NULL, 0, i);
    OK(weir_link_shutdown(link));
    OK(weir_future_wait(done[0], LONG_MS));
    OK(weir_future_wait(done[1], LONG_MS));
    weir_link_destroy(link);
    for (int i = 0; i < 5; i++) {
        STATUS(weir_future_wait(done[i], LONG_MS), i < 2 ? WEIR_OK : WEIR_CLOSED);
        weir_future_release(done[i]);
    }
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(shutdown_comes_behind_the_data),
        ON_EACH_BACKEND(it_takes_the_shutdown_of_all_inputs),
        ON_EACH_BACKEND(a_queue_goes_on_when_nothing_will_come),
        ON_EACH_BACKEND(cancel_ends_all_that_is_under_way),
        ON_EACH_BACKEND(cancel_wakes_a_receiver_and_a_sender),
        ON_EACH_BACKEND(a_flow_may_be_destroyed_without_a_shutdown),
        ON_EACH_BACKEND(a_cancelled_flow_may_be_destroyed_full),
        ON_EACH_BACKEND(links_may_be_destroyed_in_any_order),
        ON_EACH_BACKEND(a_plain_link_may_be_destroyed_full),
    };
    return cmocka_run_group_tests_name("ending", tests, NULL, NULL);
}
