/** @file test_window.c  Who sends faster than others receive is held back, and nothing is lost by it. */
#include "tests/lib/flow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define PACKET 64

struct bounded {
    weir_context *context;
    weir_device *device;
    weir_endpoint *from, *to;
    weir_link *link;
    _Atomic int rooms, ended; /* calls of `room`, and waits that came to an end */
};

static void count_room(void *user)
{
    atomic_fetch_add((_Atomic int *)user, 1);
}

static void bounded_open(struct bounded *b, weir_context *context, uint64_t messages,
                         uint64_t bytes)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    *b = (struct bounded){.context = context, .device = weir_context_device(context, 0)};
    b->from = new_endpoint(b->device, "from");
    b->to = new_endpoint(b->device, "to");
    config.packet_bytes = PACKET;
    config.buffers = 1;
    config.send_messages = messages;
    config.send_bytes = bytes;
    config.room = count_room;
    config.room_user = &b->rooms;
    b->link = new_link_with(b->from, b->to, &config);
}

static void bounded_close(struct bounded *b)
{
    weir_link_destroy(b->link);
    weir_endpoint_destroy(b->from);
    weir_endpoint_destroy(b->to);
    weir_context_destroy(b->context);
}

/* Close it with messages under way. @param[in] data  what they are sent from; freed. */
static void bounded_cancel(struct bounded *b, void *data)
{
    weir_link_cancel(b->link, WEIR_ERR_CANCELLED);
    weir_link_destroy(b->link); /* a copy that had begun may still read the data until then */
    b->link = NULL;
    weir_device_free(b->device, data);
    bounded_close(b);
}

static weir_status send_meta(struct bounded *b, uint64_t meta)
{
    weir_segment segment = {.device = b->device, .meta = meta};
    return weir_link_send(b->link, &segment, NULL, NULL);
}

/* One message has the buffer and is nobody's burden any more; three wait, and a fifth is not taken. */
static void a_link_says_when_it_is_full(void **state)
{
    struct bounded b;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_future *done = (weir_future *)&b;
    weir_segment segment = {.meta = 9};
    bounded_open(&b, open_or_skip(state), 3, 0);
    segment.device = b.device;
    for (uint64_t i = 0; i < 4; i++)
        OK(send_meta(&b, i));
    STATUS(weir_link_send(b.link, &segment, NULL, &done), WEIR_FULL);
    assert_null(done);
    weir_link_stats_get(b.link, &stats);
    assert_int_equal(stats.send_messages, 3);
    assert_int_equal(stats.backlog_messages, 3);
    assert_int_equal(stats.messages, 4);
    assert_int_equal(atomic_load(&b.rooms), 0);
    expect_packet(b.link, 0, 0, 0, 0);
    assert_int_equal(atomic_load(&b.rooms), 1);
    OK(send_meta(&b, 4));
    for (uint64_t i = 1; i < 5; i++)
        expect_packet(b.link, 0, 0, i, 0);
    assert_int_equal(atomic_load(&b.rooms), 1); /* nobody was refused since */
    weir_link_stats_get(b.link, &stats);
    assert_int_equal(stats.backlog_messages, 0);
    bounded_close(&b);
}

struct posting {
    struct bounded bounded;
    weir_status posted;
};

static void post_room(void *user)
{
    struct posting *posting = user;
    posting->posted = weir_context_post(posting->bounded.context, 7);
}

/* An event loop sends in one thread: what wakes it is a word, put there by whoever makes the room. */
static void room_wakes_an_event_loop(void **state)
{
    struct posting p;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    uint64_t word = 0;
    bounded_open(&p.bounded, open_or_skip(state), 1, 0);
    weir_link_destroy(p.bounded.link);
    config.packet_bytes = PACKET;
    config.buffers = config.send_messages = 1;
    config.room = post_room;
    config.room_user = &p;
    p.posted = WEIR_ERR_INVALID;
    p.bounded.link = new_link_with(p.bounded.from, p.bounded.to, &config);
    OK(send_meta(&p.bounded, 0));
    OK(send_meta(&p.bounded, 1));
    STATUS(send_meta(&p.bounded, 2), WEIR_FULL);
    STATUS(weir_context_next(p.bounded.context, &word, NULL), WEIR_PENDING);
    expect_packet(p.bounded.link, 0, 0, 0, 0); /* here, or a thread of the runtime's */
    for (int64_t ms = 0; weir_context_next(p.bounded.context, &word, NULL); ms++) {
        assert_true(ms < LONG_MS);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_int_equal(word, 7);
    OK(p.posted);
    OK(send_meta(&p.bounded, 2));
    expect_packet(p.bounded.link, 0, 0, 1, 0);
    expect_packet(p.bounded.link, 0, 0, 2, 0);
    bounded_close(&p.bounded);
}

static void bytes_are_bounded_too(void **state)
{
    struct bounded b;
    weir_segment segment;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    bounded_open(&b, open_or_skip(state), 0, 3 * PACKET);
    char *data = new_memory(b.device, 8 * PACKET);
    put_pattern(b.device, data, 8 * PACKET, 1);
    weir_future *large = send_data(b.link, b.device, data, 8 * PACKET, 1); /* alone */
    segment = (weir_segment){.device = b.device, .data = data, .bytes = PACKET, .meta = 2};
    STATUS(weir_link_send(b.link, &segment, NULL, NULL), WEIR_FULL);
    weir_link_stats_get(b.link, &stats);
    assert_int_equal(stats.backlog_bytes, 8 * PACKET);
    for (size_t at = 0; at < 8 * PACKET; at += PACKET)
        expect_packet(b.link, PACKET, at, 1, 1);
    finish(large);
    OK(weir_link_send(b.link, &segment, NULL, NULL)); /* has the buffer */
    segment.bytes = 3 * PACKET;
    OK(weir_link_send(b.link, &segment, NULL, NULL));
    segment.bytes = 0;
    OK(weir_link_send(b.link, &segment, NULL, NULL));
    segment.bytes = 1;
    STATUS(weir_link_send(b.link, &segment, NULL, NULL), WEIR_FULL);
    bounded_cancel(&b, data);
}

static void a_link_that_names_no_bound_has_one(void **state)
{
    static const char *const settings[] = {"link_messages=5", "link_bytes=1024", NULL};
    struct bounded b;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    bounded_open(&b, open_with_or_skip(*state, settings), 0, 0);
    OK(weir_link_stats_get(b.link, &stats));
    assert_int_equal(stats.send_messages, 5);
    assert_int_equal(stats.send_bytes, 1024);
    for (uint64_t i = 0; i < 6; i++)
        OK(send_meta(&b, i));
    STATUS(send_meta(&b, 6), WEIR_FULL);
    for (uint64_t i = 0; i < 6; i++)
        expect_packet(b.link, 0, 0, i, 0);
    void *data = new_memory(b.device, 1024);
    weir_segment segment = {.device = b.device, .data = data, .bytes = 1024};
    OK(weir_link_send(b.link, &segment, NULL, NULL));
    segment.bytes = 1;
    STATUS(weir_link_send(b.link, &segment, NULL, NULL), WEIR_FULL);
    bounded_cancel(&b, data);
}

/* A message that is refused after its room was taken gives that back. */
static void what_is_refused_takes_no_room(void **state)
{
    struct bounded b;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    bounded_open(&b, open_or_skip(state), 1, 0);
    weir_segment huge = {.device = b.device, .data = &b, .bytes = SIZE_MAX / 2};
    STATUS(weir_link_send(b.link, &huge, NULL, NULL), WEIR_ERR_INVALID);
    OK(weir_link_stats_get(b.link, &stats));
    assert_int_equal(stats.backlog_messages, 0);
    assert_true(stats.backlog_bytes == 0);
    for (uint64_t i = 0; i < 2; i++)
        OK(send_meta(&b, i));
    STATUS(send_meta(&b, 2), WEIR_FULL);
    bounded_close(&b);
}

/* Messages that were sent on it go on, but who would be told of room may be gone. */
static void a_link_that_is_gone_tells_nobody(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 2, .outputs = 1};
    weir_policy all = weir_policy_broadcast();
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    _Atomic int rooms = 0;
    flow_open(&flow, &all, PACKET, 1);
    weir_link_destroy(flow.in[0]);
    config.send_messages = 1;
    config.room = count_room;
    config.room_user = &rooms;
    flow.in[0] = new_link_with(flow.from[0], weir_router_endpoint(flow.router), &config);
    weir_segment segment = {.device = weir_endpoint_device(flow.from[0])};
    for (int i = 0; i < 2; i++)
        OK(weir_link_send(flow.in[0], &segment, NULL, NULL));
    STATUS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_FULL);
    weir_link_destroy(flow.in[0]);
    flow.in[0] = NULL;
    const int told = atomic_load(&rooms); /* of the shutdown */
    for (int i = 0; i < 2; i++)
        expect_packet(flow.out[0], 0, 0, 0, 0);
    assert_int_equal(atomic_load(&rooms), told);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* ---- waiting for room ----------------------------------------------------------------------------- */

struct waiter {
    struct bounded *bounded;
    int64_t timeout_ms;
    weir_status seen;
    pthread_t thread;
};

static void *wait_and_send(void *data)
{
    struct waiter *waiter = data;
    weir_segment segment = {.device = waiter->bounded->device, .meta = 7};
    waiter->seen =
        weir_link_send_wait(waiter->bounded->link, &segment, NULL, waiter->timeout_ms, NULL);
    atomic_fetch_add(&waiter->bounded->ended, 1);
    return NULL;
}

static void full_and_waiting(struct bounded *b, void **state, struct waiter *waiter)
{
    bounded_open(b, open_or_skip(state), 1, 0);
    OK(send_meta(b, 0));
    OK(send_meta(b, 1));
    *waiter = (struct waiter){.bounded = b, .timeout_ms = LONG_MS};
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_and_send, waiter), 0);
}

static weir_status join(struct waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
    return waiter->seen;
}

static void who_waits_gets_room(void **state)
{
    struct bounded b;
    struct waiter waiter;
    full_and_waiting(&b, state, &waiter);
    expect_packet(b.link, 0, 0, 0, 0);
    OK(join(&waiter));
    expect_packet(b.link, 0, 0, 1, 0);
    expect_packet(b.link, 0, 0, 7, 0);
    waiter.timeout_ms = 0;
    for (int i = 0; i < 2; i++)
        (void)wait_and_send(&waiter);
    OK(waiter.seen);
    for (int i = 0; i < 2; i++) { /* who gave up is in nobody's way */
        (void)wait_and_send(&waiter);
        assert_int_equal(waiter.seen, WEIR_ERR_TIMEOUT);
    }
    bounded_close(&b);
}

static void a_cancel_ends_the_wait(void **state)
{
    struct bounded b;
    struct waiter waiter;
    full_and_waiting(&b, state, &waiter);
    weir_link_cancel(b.link, WEIR_ERR_IO);
    STATUS(join(&waiter), WEIR_ERR_IO);
    bounded_close(&b);
}

static void a_shutdown_ends_the_wait(void **state)
{
    struct bounded b;
    struct waiter waiter;
    full_and_waiting(&b, state, &waiter);
    OK(weir_link_shutdown(b.link));
    STATUS(join(&waiter), WEIR_CLOSED);
    bounded_close(&b);
}

/* A program that waits in its own way would sleep for ever. */
static void a_shutdown_is_told_by_room(void **state)
{
    struct bounded b;
    bounded_open(&b, open_or_skip(state), 1, 0);
    for (uint64_t i = 0; i < 2; i++)
        OK(send_meta(&b, i));
    STATUS(send_meta(&b, 2), WEIR_FULL);
    OK(weir_link_shutdown(b.link));
    assert_int_equal(atomic_load(&b.rooms), 1);
    bounded_close(&b);
}

/* Of two that wait on one link one is refused, and the other one goes on waiting: neither is forgotten. */
static void one_at_a_time_waits(void **state)
{
    struct bounded b;
    struct waiter first, second;
    full_and_waiting(&b, state, &first);
    second = first;
    assert_int_equal(pthread_create(&second.thread, NULL, wait_and_send, &second), 0);
    while (atomic_load(&b.ended) == 0)
        (void)sched_yield();
    weir_link_cancel(b.link, WEIR_ERR_IO);
    weir_status one = join(&first), other = join(&second);
    assert_true((one == WEIR_ERR_INVALID && other == WEIR_ERR_IO) ||
                (one == WEIR_ERR_IO && other == WEIR_ERR_INVALID));
    bounded_close(&b);
}

/* The wake-up may come between the look that finds no room and the wait for it. */
static void an_end_meets_who_is_about_to_wait(void **state)
{
    for (int round = 0; round < 150; round++) {
        struct bounded b;
        struct waiter waiter;
        full_and_waiting(&b, state, &waiter);
        for (volatile int spin = 0; spin < round * 300; spin++) {
        }
        if (round % 2) {
            OK(weir_link_shutdown(b.link));
            STATUS(join(&waiter), WEIR_CLOSED);
        } else {
            weir_link_cancel(b.link, WEIR_ERR_IO);
            STATUS(join(&waiter), WEIR_ERR_IO);
        }
        bounded_close(&b);
    }
}

/* ---- ahead of a device ---------------------------------------------------------------------------- */

#define AHEAD 600 /* more than twice what there are events */

/* Receive and give back behind a queue that stands still, as long as events last. */
static uint64_t run_ahead(struct bounded *b, weir_queue *queue, weir_pending **pending)
{
    weir_segment segment;
    for (uint64_t got = 0;; got++) {
        if (!*pending)
            OK(weir_link_receive(b->link, pending));
        if (weir_pending_assigned(*pending, &segment) == WEIR_PENDING)
            return got;
        OK(weir_pending_assigned(*pending, &segment));
        weir_status status = weir_pending_release(*pending, queue);
        if (status == WEIR_FULL)
            return got;
        OK(status);
        *pending = NULL;
    }
}

static void events_that_run_out_hold_back(void **state)
{
    static const char *const settings[] = {"events=16", NULL};
    struct bounded b;
    weir_pending *pending = NULL;
    weir_segment segment;
    bounded_open(&b, open_with_or_skip(*state, settings), 0, 0);
    weir_future *hold = new_future(b.context);
    weir_queue *queue = new_queue(b.device);
    OK(weir_queue_wait_future(queue, hold));
    for (uint64_t i = 0; i < AHEAD; i++)
        OK(send_meta(&b, i));
    uint64_t got = run_ahead(&b, queue, &pending);
    assert_true(got > 0 && got < AHEAD);
    OK(weir_future_set(hold, NULL));
    weir_future_release(hold);
    while (got < AHEAD) {
        if (!pending)
            OK(weir_link_receive(b.link, &pending));
        OK(weir_pending_wait(pending, LONG_MS, &segment));
        assert_int_equal(segment.meta, got);
        OK(weir_pending_release(pending, NULL));
        pending = NULL;
        got++;
    }
    OK(weir_link_shutdown(b.link));
    receive_closed(b.link);
    weir_queue_destroy(queue);
    bounded_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_link_says_when_it_is_full),
        ON_EACH_BACKEND(room_wakes_an_event_loop),
        ON_EACH_BACKEND(bytes_are_bounded_too),
        ON_EACH_BACKEND(a_link_that_names_no_bound_has_one),
        ON_EACH_BACKEND(what_is_refused_takes_no_room),
        ON_EACH_BACKEND(a_link_that_is_gone_tells_nobody),
        ON_EACH_BACKEND(who_waits_gets_room),
        ON_EACH_BACKEND(a_cancel_ends_the_wait),
        ON_EACH_BACKEND(a_shutdown_ends_the_wait),
        ON_EACH_BACKEND(a_shutdown_is_told_by_room),
        ON_EACH_BACKEND(one_at_a_time_waits),
        ON_BACKEND(an_end_meets_who_is_about_to_wait, "host:1"),
        ON_EACH_BACKEND(events_that_run_out_hold_back),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
