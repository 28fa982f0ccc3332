/** @file test_balance.c  Who gets the next packet: the device that is through with the last, not the host thread
 *  that is quick to give buffers back. Devices are held by futures here, so the numbers are exact. */
#include "tests/router/uneven_fixture.h"

#include <unistd.h>

/* The device that stands still has one packet and gets no more, though all buffers but that one's are free; the other one
 * gets all the rest. */
static void a_device_gets_what_it_works_off(void **state)
{
    struct uneven u;
    uneven_open(&u, state, weir_policy_any());
    send_all(&u, PACKETS);
    work_off(&u, 0);
    work_off_until(&u, 1, PACKETS - 1);
    assert_int_equal(work_off(&u, 0), 0);
    assert_int_equal(u.got[0], 1);
    assert_true(withheld(&u, 0) > 0);
    uneven_close(&u);
}

/* What nobody has a buffer for waits, and goes to the device whose queue comes to the release first. */
static void a_buffer_gets_a_packet_when_its_queue_is_there(void **state)
{
    struct uneven u;
    uneven_open(&u, state, weir_policy_any());
    weir_future *other = new_future(u.flow.context);
    OK(weir_queue_wait_future(u.queue[1], other));
    send_all(&u, PACKETS);
    for (int i = 0; i < 2; i++)
        assert_int_equal(work_off(&u, i), 1);
    assert_int_equal(work_off(&u, 0) + work_off(&u, 1), 0);
    open_hold(&u);
    work_off_until(&u, 0, PACKETS - 1);
    assert_int_equal(work_off(&u, 1), 0);
    OK(weir_future_set(other, NULL));
    weir_future_release(other);
    uneven_close(&u);
}

/* A lower rank is busy while its device is not through; then it is asked first again. */
static void a_higher_rank_only_while_all_below_are_busy(void **state)
{
    struct uneven u;
    uneven_open(&u, state, weir_policy_priority(NULL));
    send_all(&u, 3);
    assert_int_equal(work_off(&u, 0), 1);
    work_off_until(&u, 1, 2);
    finish(u.done);
    OK(weir_queue_sync(u.queue[1]));
    open_hold(&u);
    OK(weir_queue_sync(u.queue[0]));
    send_all(&u, BUFFERS);
    work_off_until(&u, 0, 1 + BUFFERS);
    assert_int_equal(work_off(&u, 1), 0);
    uneven_close(&u);
}

/* A link has nobody to choose: its packets are put behind the release at once. */
static void a_link_does_not_wait_for_its_queue(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_endpoint *from = new_endpoint(device, "from"), *to = new_endpoint(device, "to");
    weir_link *link = new_link(from, to, PACKET, 1);
    weir_future *hold = new_future(context);
    weir_queue *queue = new_queue(device);
    weir_pending *pending;
    weir_segment segment;
    OK(weir_queue_wait_future(queue, hold));
    finish(send_data(link, device, NULL, 0, 1));
    OK(weir_link_receive(link, &pending));
    OK(weir_pending_release(pending, queue));
    weir_future *done = send_data(link, device, NULL, 0, 2);
    OK(weir_link_receive(link, &pending));
    OK(weir_pending_assigned(pending, &segment));
    STATUS(weir_future_query(done), WEIR_PENDING);
    OK(weir_future_set(hold, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    OK(weir_pending_release(pending, NULL));
    finish(done);
    weir_future_release(hold);
    weir_queue_destroy(queue);
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_context_destroy(context);
}

/* ---- senders that are not ready ------------------------------------------------------------------ */

/* Two senders; the queue of the first one stands still until `hold` is set. */
struct senders {
    struct flow flow;
    weir_queue *queue;
    weir_future *hold;
};

static void senders_open(struct senders *s, void **state, weir_policy policy, uint32_t outputs)
{
    static const char *const settings[] = {"link_patience=0", NULL}; /* nothing is left to others */
    *s = (struct senders){
        .flow = {.context = open_with_or_skip(*state, settings), .inputs = 2, .outputs = outputs}};
    flow_open(&s->flow, &policy, PACKET, BUFFERS);
    s->queue = new_queue(weir_endpoint_device(s->flow.from[0]));
    s->hold = new_future(s->flow.context);
    OK(weir_queue_wait_future(s->queue, s->hold));
}

/* An empty message; of the first sender one that is ready when its queue gets there. */
static void send_empty(struct senders *s, int input, uint64_t meta)
{
    weir_segment segment = {.device = weir_endpoint_device(s->flow.from[input]), .meta = meta};
    if (input == 0)
        OK(weir_link_send_from(s->flow.in[0], &segment, s->queue, NULL));
    else
        OK(weir_link_send(s->flow.in[1], &segment, NULL, NULL));
}

static void senders_close(struct senders *s)
{
    for (int i = 0; i < 2; i++)
        OK(weir_link_shutdown(s->flow.in[i]));
    for (uint32_t i = 0; i < s->flow.outputs; i++)
        receive_closed(s->flow.out[i]);
    flow_close(&s->flow);
    weir_queue_destroy(s->queue);
    weir_future_release(s->hold);
    weir_context_destroy(s->flow.context);
}

static void what_is_not_ready_lets_others_pass(void **state)
{
    struct senders s;
    senders_open(&s, state, weir_policy_gather(0), 1);
    weir_segment ready = {.device = weir_endpoint_device(s.flow.from[0]), .meta = 2};
    send_empty(&s, 0, 1);
    OK(weir_link_send(s.flow.in[0], &ready, NULL, NULL)); /* ready, but behind what is not */
    for (uint64_t i = 0; i < 2 * BUFFERS; i++)
        send_empty(&s, 1, 10 + i);
    for (uint64_t i = 0; i < 2 * BUFFERS; i++)
        expect_packet(s.flow.out[0], 0, 0, 10 + i, 0);
    OK(weir_future_set(s.hold, NULL));
    expect_packet(s.flow.out[0], 0, 0, 1, 0);
    expect_packet(s.flow.out[0], 0, 0, 2, 0);
    senders_close(&s);
}

/* The only sender that is left takes its buffer early: nobody would use it meanwhile. */
static void who_is_alone_does_not_wait(void **state)
{
    struct senders s;
    weir_pending *pending;
    weir_segment segment;
    senders_open(&s, state, weir_policy_gather(0), 1);
    OK(weir_link_shutdown(s.flow.in[1]));
    send_empty(&s, 0, 1);
    OK(weir_link_receive(s.flow.out[0], &pending));
    OK(weir_pending_assigned(pending, &segment));
    OK(weir_future_set(s.hold, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    OK(weir_pending_release(pending, NULL));
    senders_close(&s);
}

/* Receive what comes next, at whatever output. @return its meta. */
static uint64_t next_meta(struct senders *s)
{
    weir_pending *pending;
    weir_segment segment;
    for (uint32_t i = 0;; i = (i + 1) % s->flow.outputs)
        if (weir_link_next(s->flow.out[i], 1, &pending, &segment) == WEIR_OK) {
            OK(weir_pending_release(pending, NULL));
            return segment.meta;
        }
}

/* Of several receivers none gives a buffer to what is not ready, while another packet could use it. */
static void what_is_not_ready_takes_no_free_buffer(void **state)
{
    struct senders s;
    senders_open(&s, state, weir_policy_any(), 2);
    send_empty(&s, 0, 1);
    for (uint64_t i = 0; i < 2 * BUFFERS; i++)
        send_empty(&s, 1, 10);
    for (int i = 0; i < 2 * BUFFERS; i++)
        assert_int_equal(next_meta(&s), 10);
    OK(weir_future_set(s.hold, NULL));
    assert_int_equal(next_meta(&s), 1);
    senders_close(&s);
}

/* Nor does the only sender that is left, since nobody knows whose buffer is free by then; and what it sends behind that
 * does not go before it. */
static void a_choice_waits_for_the_bytes(void **state)
{
    struct senders s;
    weir_pending *pending[2];
    weir_segment segment;
    senders_open(&s, state, weir_policy_priority(NULL), 2);
    OK(weir_link_shutdown(s.flow.in[1]));
    weir_segment ready = {.device = weir_endpoint_device(s.flow.from[0]), .meta = 2};
    send_empty(&s, 0, 1);
    OK(weir_link_send(s.flow.in[0], &ready, NULL, NULL));
    for (int i = 0; i < 2; i++) {
        OK(weir_link_receive(s.flow.out[i], &pending[i]));
        STATUS(weir_pending_assigned(pending[i], &segment), WEIR_PENDING);
    }
    OK(weir_future_set(s.hold, NULL));
    OK(weir_pending_wait(pending[0], LONG_MS, &segment));
    assert_int_equal(segment.meta, 1);
    OK(weir_pending_release(pending[0], NULL));
    expect_packet(s.flow.out[0], 0, 0, 2, 0);
    OK(weir_link_shutdown(s.flow.in[0]));
    STATUS(weir_pending_wait(pending[1], LONG_MS, &segment), WEIR_CLOSED);
    OK(weir_pending_release(pending[1], NULL));
    senders_close(&s);
}

/* Receive what comes, at whatever output, and ask for the next there. @return which output it was. */
static int take_next(struct senders *s, weir_pending **pending)
{
    weir_segment segment;
    for (int i = 0;; i = !i) {
        const weir_status status = weir_pending_assigned(pending[i], &segment);
        if (status == WEIR_PENDING) {
            usleep(200); /* nobody finds the output locked by this thread, or hardly ever */
            continue;
        }
        OK(status);
        OK(weir_pending_wait(pending[i], LONG_MS, &segment));
        OK(weir_pending_release(pending[i], NULL));
        OK(weir_link_receive(s->flow.out[i], &pending[i]));
        return i;
    }
}

/* Two packets become ready, one after the other. @return whether each output got one. */
static int take_a_turn_each(struct senders *s, weir_pending **pending)
{
    weir_segment segment = {.device = weir_endpoint_device(s->flow.from[0])};
    weir_queue *queue[2];
    weir_future *hold[2];
    int took[2];
    for (int i = 0; i < 2; i++) {
        queue[i] = new_queue(segment.device);
        hold[i] = new_future(s->flow.context);
        OK(weir_queue_wait_future(queue[i], hold[i]));
        OK(weir_link_send_from(s->flow.in[0], &segment, queue[i], NULL));
    }
    for (int i = 0; i < 2; i++) {
        OK(weir_future_set(hold[i], NULL));
        took[i] = take_next(s, pending);
        weir_future_release(hold[i]);
        weir_queue_destroy(queue[i]);
    }
    return took[0] != took[1];
}

/* Packets that become ready one after the other, while all outputs are free: with any, outputs take turns. One that is locked
 * at that moment is passed over, so it is so most of the time. */
static void who_is_free_takes_turns_with_what_becomes_ready(void **state)
{
    enum { ROUNDS = 20 };
    struct senders s;
    weir_pending *pending[2];
    weir_segment segment;
    int turns = 0;
    senders_open(&s, state, weir_policy_any(), 2);
    for (int i = 0; i < 2; i++)
        OK(weir_link_receive(s.flow.out[i], &pending[i]));
    for (int round = 0; round < ROUNDS; round++)
        turns += take_a_turn_each(&s, pending);
    assert_true(turns > ROUNDS / 2);
    OK(weir_future_set(s.hold, NULL));
    for (int i = 0; i < 2; i++)
        OK(weir_link_shutdown(s.flow.in[i]));
    for (int i = 0; i < 2; i++) {
        STATUS(weir_pending_wait(pending[i], LONG_MS, &segment), WEIR_CLOSED);
        OK(weir_pending_release(pending[i], NULL));
    }
    senders_close(&s);
}

/* A receiver that knows whose packet is next has it assigned early. */
static void early_links_assign_what_is_not_ready(void **state)
{
    struct senders s;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_pending *pending;
    weir_segment segment;
    senders_open(&s, state, weir_policy_gather(0), 1);
    weir_link_destroy(s.flow.out[0]);
    config.packet_bytes = PACKET;
    config.buffers = BUFFERS;
    config.early = 1;
    s.flow.out[0] = new_link_with(weir_router_endpoint(s.flow.router), s.flow.to[0], &config);
    send_empty(&s, 0, 1);
    OK(weir_link_receive(s.flow.out[0], &pending));
    OK(weir_pending_assigned(pending, &segment));
    assert_int_equal(segment.meta, 1);
    OK(weir_future_set(s.hold, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    OK(weir_pending_release(pending, NULL));
    senders_close(&s);
}

/* ---- what is waited for comes when the link is gone ----------------------------------------------- */

static void an_event_may_outlive_its_link(void **state)
{
    struct uneven u;
    uneven_open(&u, state, weir_policy_any());
    send_all(&u, PACKETS);
    assert_int_equal(work_off(&u, 0), 1); /* packets wait for the devices of both */
    assert_int_equal(work_off(&u, 0), 0);
    weir_router_cancel(u.flow.router, WEIR_ERR_CANCELLED);
    if (u.pending[0])
        OK(weir_pending_release(u.pending[0], NULL));
    /* Behind the first packets' copies, which the buffers' readers stand behind. */
    STATUS(weir_future_wait(u.done, LONG_MS), WEIR_ERR_CANCELLED);
    weir_future_release(u.done);
    flow_close(&u.flow);
    open_hold(&u);
    for (int i = 0; i < 2; i++)
        weir_queue_destroy(u.queue[i]);
    weir_device_free(u.source, u.data);
    assert_pools_empty(u.flow.context);
    weir_context_destroy(u.flow.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_device_gets_what_it_works_off),
        ON_EACH_BACKEND(a_buffer_gets_a_packet_when_its_queue_is_there),
        ON_EACH_BACKEND(a_higher_rank_only_while_all_below_are_busy),
        ON_EACH_BACKEND(a_link_does_not_wait_for_its_queue),
        ON_EACH_BACKEND(what_is_not_ready_lets_others_pass),
        ON_EACH_BACKEND(who_is_alone_does_not_wait),
        ON_EACH_BACKEND(what_is_not_ready_takes_no_free_buffer),
        ON_EACH_BACKEND(a_choice_waits_for_the_bytes),
        ON_EACH_BACKEND(who_is_free_takes_turns_with_what_becomes_ready),
        ON_EACH_BACKEND(early_links_assign_what_is_not_ready),
        ON_EACH_BACKEND(an_event_may_outlive_its_link),
    };
    return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
