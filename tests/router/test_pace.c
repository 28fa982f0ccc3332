/** @file test_pace.c  Who of several gets the next packet: what is left to others, and that nobody waits for ever for
 *  what was. */
#include "tests/router/uneven_fixture.h"

/* Both devices have served packets, the second one `fast` while the first served one, and nothing is under way. */
static void serve(struct uneven *u, uint32_t fast)
{
    send_all(u, fast + 1);
    assert_int_equal(work_off(u, 0), 1);
    work_off_until(u, 1, fast);
    finish(u->done);
    u->done = NULL;
    OK(weir_queue_sync(u->queue[1]));
    open_hold(u);
    OK(weir_queue_sync(u->queue[0]));
}

/* Have a queue stand still. */
static weir_future *hold_queue(struct uneven *u, int output)
{
    weir_future *hold = new_future(u->flow.context);
    OK(weir_queue_wait_future(u->queue[output], hold));
    return hold;
}

static void let_go(weir_future *hold)
{
    OK(weir_future_set(hold, NULL));
    weir_future_release(hold);
}

/* The first device has nothing to do and is known to be slow: what the other is through with sooner is left to that. */
static void a_slow_device_gets_no_last_packets(void **state)
{
    struct uneven u;
    uneven_open(&u, state, weir_policy_priority(NULL));
    serve(&u, 30);
    u.hold = hold_queue(&u, 1);
    uint64_t before = withheld(&u, 0);
    send_all(&u, 4);
    assert_int_equal(work_off(&u, 1), BUFFERS);
    assert_int_equal(work_off(&u, 0), 0);
    assert_true(withheld(&u, 0) > before);
    open_hold(&u);
    work_off_until(&u, 1, 30 + 4);
    assert_int_equal(work_off(&u, 0), 0);
    uneven_close(&u);
}

/* As long as more waits than the fast device is through with sooner, the slow one has its share. */
static void a_slow_device_gets_its_share(void **state)
{
    struct uneven u;
    uneven_open(&u, state, weir_policy_any());
    serve(&u, 10);
    u.hold = hold_queue(&u, 1);
    send_all(&u, 24);
    work_off(&u, 1);
    work_off_until(&u, 0, 2);
    open_hold(&u);
    while (u.got[0] + u.got[1] < 11 + 24) {
        work_off(&u, 0);
        work_off(&u, 1);
    }
    uneven_close(&u);
}

/* A program that collects packets gets as many as there are buffers, whatever its device has served. */
static void who_asks_for_more_gets_it(void **state)
{
    struct uneven u;
    weir_pending *pending[BUFFERS];
    weir_segment segment;
    uneven_open(&u, state, weir_policy_any());
    send_all(&u, 1 + BUFFERS);
    for (int i = 0; i < BUFFERS; i++)
        pending[i] = receive(u.flow.out[0], &segment);
    assert_int_equal(work_off(&u, 1), 1);
    for (int i = 0; i < BUFFERS; i++)
        OK(weir_pending_release(pending[i], NULL));
    uneven_close(&u);
}

/* So does a queue that waits for the next packet, with work on the one before behind that. */
static void a_queue_that_waits_for_more_gets_it(void **state)
{
    struct uneven u;
    weir_segment segment;
    uneven_open(&u, state, weir_policy_any());
    weir_future *other = hold_queue(&u, 1);
    send_all(&u, 3);
    assert_int_equal(work_off(&u, 0), 1);
    assert_int_equal(work_off(&u, 1), 1);
    STATUS(weir_pending_assigned(u.pending[0], &segment), WEIR_PENDING);
    OK(weir_pending_gate(u.pending[0], u.queue[0]));
    OK(weir_pending_assigned(u.pending[0], &segment));
    open_hold(&u);
    let_go(other);
    work_off_until(&u, 0, 2);
    uneven_close(&u);
}

/* Both devices go on only when a second packet has come to each: nobody is faster, so it is taken after a time. */
static void what_nobody_takes_is_not_left_for_ever(void **state)
{
    struct uneven u;
    uneven_open_with(&u, state, weir_policy_any(), "link_patience=20");
    weir_future *other = hold_queue(&u, 1);
    send_all(&u, 2 * BUFFERS);
    for (int i = 0; i < 2; i++)
        work_off_until(&u, i, BUFFERS);
    open_hold(&u);
    let_go(other);
    uneven_close(&u);
}

static void without_patience_nothing_is_left(void **state)
{
    struct uneven u;
    uneven_open_with(&u, state, weir_policy_any(), "link_patience=0");
    send_all(&u, PACKETS);
    work_off(&u, 0);
    work_off_until(&u, 1, PACKETS - BUFFERS);
    assert_int_equal(u.got[0], BUFFERS);
    assert_int_equal(withheld(&u, 0) + withheld(&u, 1), 0);
    uneven_close(&u);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

/* Who is called when a packet comes may wait without weir: nobody would look again what was left to others. */
static void nothing_is_left_by_who_waits_to_be_called(void **state)
{
    struct uneven u;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    uneven_open(&u, state, weir_policy_any());
    config.packet_bytes = PACKET;
    config.buffers = BUFFERS;
    config.arrived = do_nothing;
    weir_link_destroy(u.flow.out[0]);
    u.flow.out[0] = new_link_with(weir_router_endpoint(u.flow.router), u.flow.to[0], &config);
    send_all(&u, PACKETS);
    work_off(&u, 0);
    work_off_until(&u, 1, PACKETS - BUFFERS);
    assert_int_equal(u.got[0], BUFFERS);
    assert_int_equal(withheld(&u, 0), 0);
    uneven_close(&u);
}

/* The receiver to which a packet was left goes away: it comes at once to who left it. */
static void what_was_left_to_one_that_went_comes(void **state)
{
    struct uneven u;
    weir_segment segment;
    uneven_open(&u, state, weir_policy_any());
    weir_future *other = hold_queue(&u, 1);
    send_all(&u, 3);
    assert_int_equal(work_off(&u, 0), 1);
    assert_int_equal(work_off(&u, 1), 1);
    weir_link_destroy(u.flow.out[1]);
    u.flow.out[1] = NULL;
    STATUS(weir_pending_assigned(u.pending[1], &segment), WEIR_CLOSED);
    OK(weir_pending_release(u.pending[1], NULL));
    u.pending[1] = NULL;
    assert_int_equal(work_off(&u, 0), 1);
    let_go(other);
    uneven_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_slow_device_gets_no_last_packets),
        ON_EACH_BACKEND(a_slow_device_gets_its_share),
        ON_EACH_BACKEND(who_asks_for_more_gets_it),
        ON_EACH_BACKEND(a_queue_that_waits_for_more_gets_it),
        ON_EACH_BACKEND(what_nobody_takes_is_not_left_for_ever),
        ON_EACH_BACKEND(without_patience_nothing_is_left),
        ON_EACH_BACKEND(nothing_is_left_by_who_waits_to_be_called),
        ON_EACH_BACKEND(what_was_left_to_one_that_went_comes),
    };
    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
