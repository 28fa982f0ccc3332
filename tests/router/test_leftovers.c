/** @file test_leftovers.c  What links, queues and shortages leave behind: packets that were nobody's any more, buffers that
 *  are still read, outputs that nobody told. Each was wrong once. */
#include "tests/router/corner_fixture.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static void pause_ms(long ms)
{
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

static weir_link_stats stats_of(const weir_link *link)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_link_stats_get(link, &stats);
    return stats;
}

/* ---- a link between routers has gone -------------------------------------------------------------- */

/* A sender before a router before a choice between two receivers: one has a packet, the other waits. */
struct parted {
    struct corner corner;
    weir_router *before;
    weir_link *in, *between, *has, *other;
    weir_future *done;
    _Atomic int rooms; /* calls of `room` of `in` */
};

static void count_room(void *user)
{
    atomic_fetch_add((_Atomic int *)user, 1);
}

static void parted_open(struct parted *p, weir_context *context)
{
    struct corner *c = &p->corner;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.send_messages = 1;
    config.room = count_room;
    config.room_user = &p->rooms;
    atomic_store(&p->rooms, 0);
    corner_open(c, context);
    p->before = corner_router(c, weir_policy_any());
    weir_endpoint *choice = weir_router_endpoint(corner_router(c, weir_policy_any()));
    p->in = corner_link_with(c, corner_sender(c), weir_router_endpoint(p->before), &config);
    p->between = corner_link(c, weir_router_endpoint(p->before), choice, 0);
    weir_link *one = corner_link(c, choice, corner_receiver(c), 1);
    weir_link *two = corner_link(c, choice, corner_receiver(c), 1);
    OK(corner_send(c, p->in, 3, &p->done));
    p->has = corner_packets(one) ? one : two;
    p->other = corner_packets(one) ? two : one;
}

static void a_packet_finds_the_other_where_no_way_leads_any_more(void **state)
{
    struct parted p;
    parted_open(&p, open_or_skip(state));
    corner_drop(&p.corner, p.between);
    corner_drop(&p.corner, p.has);
    expect_packet(p.other, CORNER_PACKET, 0, 3, 1);
    finish(p.done);
    corner_close(&p.corner);
}

static void the_end_finds_the_other_where_no_way_leads_any_more(void **state)
{
    struct parted p;
    weir_pending *pending;
    weir_segment segment;
    parted_open(&p, open_or_skip(state));
    OK(weir_link_receive(p.other, &pending));
    corner_drop(&p.corner, p.between);
    expect_packet(p.has, CORNER_PACKET, 0, 3, 1);
    finish(p.done);
    STATUS(weir_pending_wait(pending, LONG_MS, &segment), WEIR_CLOSED);
    OK(weir_pending_release(pending, NULL));
    corner_close(&p.corner);
}

static void *send_and_wait(void *user)
{
    struct parted *p = user;
    weir_segment segment = {.device = weir_context_device(p->corner.context, 0),
                            .data = p->corner.data,
                            .bytes = CORNER_PACKET};
    return (void *)(intptr_t)weir_link_send_wait(p->in, &segment, NULL, LONG_MS, NULL);
}

static void a_cancel_wakes_who_waits_for_room_that_nobody_will_give(void **state)
{
    struct parted p;
    pthread_t thread;
    void *status;
    parted_open(&p, open_or_skip(state));
    assert_int_equal(pthread_create(&thread, NULL, send_and_wait, &p), 0);
    while (!stats_of(p.in).refused)
        pause_ms(1);
    corner_drop(&p.corner, p.between);
    weir_router_cancel(p.before, WEIR_ERR_CANCELLED);
    assert_int_equal(pthread_join(thread, &status), 0);
    STATUS((weir_status)(intptr_t)status, WEIR_ERR_CANCELLED);
    assert_int_equal(atomic_load(&p.rooms),
                     1); /* a program that waits in its own way is told too */
    expect_packet(p.has, CORNER_PACKET, 0, 3, 1); /* it was sent before, by a router of its own */
    weir_future_release(p.done);
    corner_close(&p.corner);
}

/* ---- no event is left ----------------------------------------------------------------------------- */

/* A choice between receivers on two devices, the first of which has no event left. */
struct starved {
    struct corner corner;
    weir_router *router;
    weir_link *in, *first, *second;
    weir_event *taken[4096];
    uint32_t count;
    weir_future *held; /* behind which they are */
    weir_queue *queue;
};

static weir_link *starved_receiver(struct starved *s, uint32_t device)
{
    struct corner *c = &s->corner;
    weir_endpoint *end = new_endpoint(weir_context_device(c->context, device), "receiver");
    c->ends[c->end_count++] = end;
    return corner_link(c, weir_router_endpoint(s->router), end, 1);
}

static void starved_open(struct starved *s, void **state)
{
    static const char *const settings[] = {"events=64", NULL};
    struct corner *c = &s->corner;
    corner_open(c, open_with_or_skip(*state, settings));
    s->router = corner_router(c, weir_policy_any());
    s->in = corner_link(c, corner_sender(c), weir_router_endpoint(s->router), 0);
    s->first = starved_receiver(s, 0);
    s->second = starved_receiver(s, 1);
    s->held = new_future(c->context);
    s->queue = new_queue(weir_context_device(c->context, 0));
    OK(weir_queue_wait_future(s->queue, s->held));
    for (s->count = 0; s->count < 4096; s->count++)
        if (weir_event_acquire(weir_context_device(c->context, 0), &s->taken[s->count]))
            break;
    for (uint32_t i = 0; i < s->count; i++)
        OK(weir_queue_record(s->queue, s->taken[i]));
}

static void starved_close(struct starved *s)
{
    OK(weir_future_set(s->held, NULL));
    OK(weir_queue_sync(s->queue));
    for (uint32_t i = 0; i < s->count; i++)
        weir_event_release(s->taken[i]);
    weir_queue_destroy(s->queue);
    weir_future_release(s->held);
    corner_close(&s->corner);
}

/* Taken or not, what the first cannot copy goes to the second, and at once. */
static void what_is_claimed_without_an_event_goes_to_another(void **state)
{
    for (int taken = 0; taken < 2; taken++) {
        struct starved s;
        weir_pending *pending;
        weir_segment segment;
        weir_future *done;
        starved_open(&s, state);
        if (taken)
            OK(weir_link_receive(s.first, &pending));
        OK(corner_send(&s.corner, s.in, 5, &done));
        assert_int_equal(corner_packets(s.first), 0);
        expect_packet(s.second, CORNER_PACKET, 0, 5, 1);
        finish(done);
        OK(weir_link_shutdown(s.in));
        if (taken) {
            STATUS(weir_pending_wait(pending, LONG_MS, &segment), WEIR_CLOSED);
            OK(weir_pending_release(pending, NULL));
        } else {
            receive_closed(s.first);
        }
        starved_close(&s);
    }
}

/* Where the second has no buffer yet, the first goes: the packet does not go with it. */
static void what_is_claimed_without_an_event_outlives_the_link(void **state)
{
    for (int cancelled = 0; cancelled < 2; cancelled++) {
        struct starved s;
        weir_pending *held;
        weir_segment segment;
        weir_future *done[2];
        starved_open(&s, state);
        OK(corner_send(&s.corner, s.in, 1, &done[0]));
        OK(weir_link_next(s.second, LONG_MS, &held, &segment));
        OK(corner_send(&s.corner, s.in, 2, &done[1]));
        if (cancelled) {
            weir_router_cancel(s.router, WEIR_ERR_CANCELLED);
            OK(weir_pending_release(held, NULL));
            STATUS(weir_future_wait(done[1], LONG_MS), WEIR_ERR_CANCELLED);
            weir_future_release(done[1]);
        } else {
            corner_drop(&s.corner, s.first);
            OK(weir_pending_release(held, NULL));
            expect_packet(s.second, CORNER_PACKET, 0, 2, 1);
            finish(done[1]);
        }
        finish(done[0]);
        assert_int_equal(stats_of(s.in).backlog_messages, 0);
        starved_close(&s);
    }
}

/* The event that the pool tells of lies behind this very packet: that others came back is seen all the same. */
static void events_that_come_back_are_seen_whichever_is_watched(void **state)
{
    static const char *const settings[] = {"events=64", NULL};
    for (int gated = 0; gated < 2; gated++) { /* the first event, or the last */
        struct corner c;
        weir_pending *pending;
        weir_segment segment;
        weir_future *done;
        static weir_event *taken[4096];
        uint32_t count = 0;
        corner_open(&c, open_with_or_skip(*state, settings));
        weir_device *device = weir_context_device(c.context, 0);
        weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 2);
        weir_queue *behind = new_queue(device), *beside = new_queue(device);
        weir_future *held = new_future(c.context);
        OK(weir_link_receive(link, &pending));
        OK(weir_pending_gate(pending, behind));
        OK(weir_queue_wait_future(beside, held));
        while (count < 4096 && weir_event_acquire(device, &taken[count]) == WEIR_OK)
            count++;
        const uint32_t one = gated ? count - 1 : 0;
        for (uint32_t i = 0; i < count; i++)
            OK(weir_queue_record(i == one ? behind : beside, taken[i]));
        OK(corner_send(&c, link, 4, &done));
        STATUS(weir_pending_assigned(pending, &segment), WEIR_PENDING);
        OK(weir_future_set(held, NULL));
        OK(weir_queue_sync(beside));
        for (uint32_t i = 0; i < count; i++)
            if (i != one)
                weir_event_release(taken[i]);
        OK(weir_pending_wait(pending, LONG_MS, &segment));
        OK(weir_pending_release(pending, NULL));
        finish(done);
        OK(weir_queue_sync(behind));
        weir_event_release(taken[one]);
        weir_queue_destroy(behind);
        weir_queue_destroy(beside);
        weir_future_release(held);
        corner_close(&c);
    }
}

/* ---- no memory to be told ------------------------------------------------------------------------- */

/* A message that is not ready, and a buffer that is still read, with the n-th allocation failing in between. @return whether
 * it struck. */
static int send_unready(void **state, uint64_t nth)
{
    struct corner c;
    weir_pending *pending;
    weir_segment segment;
    weir_future *done = NULL;
    corner_open(&c, open_or_skip(state));
    weir_device *device = weir_context_device(c.context, 0);
    weir_endpoint *choice = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_link *in = corner_link(&c, corner_sender(&c), choice, 0);
    weir_link *out = corner_link(&c, choice, corner_receiver(&c), 1);
    weir_link *second = corner_link(&c, choice, corner_receiver(&c), 1);
    weir_future *read = new_future(c.context), *written = new_future(c.context);
    weir_queue *reader = new_queue(weir_endpoint_device(c.ends[1])), *writer = new_queue(device);
    weir_event *ready = new_event(device);
    OK(weir_queue_wait_future(reader, read));
    OK(weir_queue_wait_future(writer, written));
    OK(weir_queue_record(writer, ready));
    for (int i = 0; i < 2; i++)
        OK(corner_send(&c, in, 0, NULL));
    OK(weir_link_next(out, LONG_MS, &pending, &segment));
    OK(weir_pending_release(pending, reader));
    weir_segment message = {.device = device, .data = c.data, .bytes = CORNER_PACKET, .meta = 9};
    weir__fault_arm(WEIR__FAULT_ALLOC, nth);
    weir_status status = weir_link_send(in, &message, ready, &done);
    int struck = weir__fault_struck(WEIR__FAULT_ALLOC);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    OK(weir_future_set(read, NULL));
    OK(weir_queue_sync(reader));
    OK(weir_future_set(written, NULL));
    OK(weir_queue_sync(writer));
    if (status)
        STATUS(status, WEIR_ERR_NOMEM);
    else
        expect_packet(out, CORNER_PACKET, 0, 9, 1);
    expect_packet(second, CORNER_PACKET, 0, 0, 1);
    if (done)
        finish(done);
    weir_event_release(ready);
    weir_queue_destroy(reader);
    weir_queue_destroy(writer);
    weir_future_release(read);
    weir_future_release(written);
    corner_close(&c);
    return struck;
}

static void what_cannot_be_watched_is_looked_at_again(void **state)
{
    uint64_t nth = 1;
    while (send_unready(state, nth))
        nth++;
    assert_true(nth > 3); /* it struck at more than the message */
}

/* ---- buffers, order, statistics ------------------------------------------------------------------- */

static void a_buffer_stays_while_the_queue_of_its_release_reads_it(void **state)
{
    for (int cancelled = 0; cancelled < 2; cancelled++) {
        struct corner c;
        weir_pending *pending;
        weir_segment segment;
        corner_open(&c, open_or_skip(state));
        weir_endpoint *receiver = corner_receiver(&c);
        weir_link *link = corner_link(&c, corner_sender(&c), receiver, 1);
        weir_device *device = weir_endpoint_device(receiver);
        weir_future *held = new_future(c.context);
        weir_queue *queue = new_queue(device);
        void *copy = new_memory(device, CORNER_PACKET);
        OK(corner_send(&c, link, 0, NULL));
        OK(weir_link_next(link, LONG_MS, &pending, &segment));
        OK(weir_queue_wait_future(queue, held));
        OK(weir_queue_copy(queue, device, copy, device, segment.data, CORNER_PACKET));
        if (cancelled)
            weir_link_cancel(link, WEIR_ERR_CANCELLED);
        OK(weir_pending_release(pending, queue));
        corner_drop(&c, link);
        const uint64_t sender = device == weir_context_device(c.context, 0);
        await_allocations(device, sender + 2); /* the buffer and its copy */
        void *next = new_memory(device, CORNER_PACKET);
        put_pattern(device, next, CORNER_PACKET, 2);
        OK(weir_future_set(held, NULL));
        OK(weir_queue_sync(queue));
        assert_pattern(device, copy, CORNER_PACKET, 1);
        await_allocations(device, sender + 2); /* that copy and `next` */
        weir_queue_destroy(queue);
        weir_future_release(held);
        weir_device_free(device, next);
        weir_device_free(device, copy);
        corner_close(&c);
    }
}

struct waiter {
    weir_link *link;
    int64_t timeout_ms;
    weir_status status;
};

static void *wait_for_packet(void *user)
{
    struct waiter *waiter = user;
    weir_pending *pending;
    weir_segment segment;
    waiter->status = weir_link_next(waiter->link, waiter->timeout_ms, &pending, &segment);
    return NULL;
}

static void waits_that_time_out_leave_the_order(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 2);
    struct waiter waiters[2] = {{.link = link, .timeout_ms = 60},
                                {.link = link, .timeout_ms = 120}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_packet, &waiters[i]), 0);
        pause_ms(20);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        STATUS(waiters[i].status, WEIR_ERR_TIMEOUT);
    }
    for (uint64_t i = 0; i < 4; i++)
        OK(corner_send(&c, link, i, NULL));
    for (uint64_t i = 0; i < 4; i++)
        expect_packet(link, CORNER_PACKET, 0, i, 1);
    corner_close(&c);
}

/* A packet that another has does not count as waiting here: nobody is held up, nor overtaken. */
static void what_another_has_does_not_wait_here(void **state)
{
    struct corner c;
    weir_pending *pending;
    weir_segment segment;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *choice = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_link *in = corner_link(&c, corner_sender(&c), choice, 0);
    weir_link *first = corner_link(&c, choice, corner_receiver(&c), 1);
    weir_link *second = corner_link(&c, choice, corner_receiver(&c), 1);
    for (int i = 0; i < 2; i++)
        OK(corner_send(&c, in, 0, NULL));
    OK(weir_link_next(second, LONG_MS, &pending, &segment));
    expect_packet(first, CORNER_PACKET, 0, 0, 1);
    OK(corner_send(&c, in, 0, NULL));
    assert_int_equal(corner_packets(first), 2);
    const uint64_t before = stats_of(second).stalled_ns;
    pause_ms(2);
    assert_int_equal(stats_of(second).stalled_ns, before);
    assert_int_equal(stats_of(second).waiting, 0);
    OK(weir_pending_release(pending, NULL));
    expect_packet(first, CORNER_PACKET, 0, 0, 1);
    corner_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_packet_finds_the_other_where_no_way_leads_any_more),
        ON_EACH_BACKEND(the_end_finds_the_other_where_no_way_leads_any_more),
        ON_BACKEND(a_cancel_wakes_who_waits_for_room_that_nobody_will_give, "host:1"),
        ON_BACKEND(what_is_claimed_without_an_event_goes_to_another, "host:2"),
        ON_BACKEND(what_is_claimed_without_an_event_outlives_the_link, "host:2"),
        ON_BACKEND(events_that_come_back_are_seen_whichever_is_watched, "host:1"),
        ON_BACKEND(what_cannot_be_watched_is_looked_at_again, "host:1"),
        ON_BACKEND(what_cannot_be_watched_is_looked_at_again, "strict:1"),
        ON_EACH_BACKEND(a_buffer_stays_while_the_queue_of_its_release_reads_it),
        ON_BACKEND(waits_that_time_out_leave_the_order, "host:1"),
        ON_BACKEND(what_another_has_does_not_wait_here, "host:1"),
    };
    return cmocka_run_group_tests_name("leftovers", tests, NULL, NULL);
}
