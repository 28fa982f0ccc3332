/** @file test_receive.c  Receiving into the program's own memory, waiting in other ways, and whose turn it
 *  is when several send. */
#include "tests/lib/flow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define PACKET 64

/* A link without buffers from the first device to the last, and memory on both sides. */
struct into {
    weir_context *context;
    weir_device *s, *d;
    weir_endpoint *from, *to;
    weir_link *link;
    char *data, *room;
};

#define ROOM (16 * PACKET)

static void open_into(struct into *t, void **state, uint32_t buffers)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    *t = (struct into){.context = open_or_skip(state)};
    t->s = weir_context_device(t->context, 0);
    t->d = weir_context_device(t->context, weir_context_device_count(t->context) - 1);
    t->from = new_endpoint(t->s, "from");
    t->to = new_endpoint(t->d, "to");
    config.packet_bytes = PACKET;
    config.buffers = buffers;
    t->link = new_link_with(t->from, t->to, &config);
    t->data = new_memory(t->s, ROOM);
    t->room = new_memory(t->d, ROOM);
    put_pattern(t->s, t->data, ROOM, 1);
}

static void close_into(struct into *t)
{
    weir_link_destroy(t->link);
    weir_endpoint_destroy(t->from);
    weir_endpoint_destroy(t->to);
    weir_device_free(t->s, t->data);
    weir_device_free(t->d, t->room);
    assert_pools_empty(t->context);
    weir_context_destroy(t->context);
}

static weir_pending *post(struct into *t, size_t at, size_t bytes)
{
    weir_pending *pending;
    OK(weir_link_receive_into(t->link, t->room + at, bytes, NULL, &pending));
    assert_non_null(pending);
    return pending;
}

static void expect_end(weir_pending *pending, weir_status status)
{
    weir_segment segment;
    STATUS(weir_pending_wait(pending, LONG_MS, &segment), status);
    STATUS(weir_pending_assigned(pending, &segment), status);
    OK(weir_pending_release(pending, NULL));
}

static void packets_land_where_they_are_wanted(void **state)
{
    struct into t;
    weir_pending *pending[4];
    weir_segment segment;
    open_into(&t, state, WEIR_BUFFERS_NONE);
    for (int round = 0; round < 3; round++) {
        weir_future *done = NULL;
        if (round == 1) /* it waits for memory */
            done = send_data(t.link, t.s, t.data, 200, 5);
        for (size_t i = 0; i < 4; i++) /* the last two have more room than packets may have */
            pending[i] = post(&t, i * 2 * PACKET, i < 2 ? PACKET : 2 * PACKET);
        if (round != 1)
            done = send_data(t.link, t.s, t.data, 200, 5);
        for (size_t i = 0; i < 4; i++) {
            OK(weir_pending_wait(pending[i], LONG_MS, &segment));
            assert_ptr_equal(segment.data, t.room + i * 2 * PACKET);
            assert_int_equal(segment.bytes, i < 3 ? PACKET : 200 - 3 * PACKET);
            assert_int_equal(segment.offset, i * PACKET);
            assert_piece(&segment, 1);
        }
        for (size_t i = 4; i-- > 0;)
            OK(weir_pending_release(pending[i], NULL));
        finish(done);
    }
    close_into(&t);
}

static void an_exact_fit_is_room_enough(void **state)
{
    struct into t;
    weir_segment segment;
    open_into(&t, state, WEIR_BUFFERS_NONE);
    static const size_t sizes[] = {0, 1, 63, 64};
    for (size_t i = 0; i < 4; i++) {
        weir_pending *pending = post(&t, 0, sizes[i]);
        weir_future *done = send_data(t.link, t.s, t.data, sizes[i], i);
        OK(weir_pending_wait(pending, LONG_MS, &segment));
        assert_int_equal(segment.bytes, sizes[i]);
        assert_piece(&segment, 1);
        OK(weir_pending_release(pending, NULL));
        finish(done);
    }
    close_into(&t);
}

static void too_little_memory_cancels(void **state)
{
    struct into t;
    weir_segment segment;
    open_into(&t, state, WEIR_BUFFERS_NONE);
    put_pattern(t.d, t.room, ROOM, 7);
    weir_pending *small = post(&t, 0, 63), *other = post(&t, PACKET, PACKET);
    weir_future *done = NULL;
    segment = (weir_segment){.device = t.s, .data = t.data, .bytes = 64};
    weir_status status = weir_link_send(t.link, &segment, NULL, &done);
    if (status == WEIR_OK) { /* or it completes with the status */
        status = weir_future_wait(done, LONG_MS);
        weir_future_release(done);
    } else {
        assert_null(done);
    }
    assert_int_equal(status, WEIR_ERR_INVALID);
    expect_end(small, WEIR_ERR_INVALID);
    expect_end(other, WEIR_ERR_INVALID);
    STATUS(weir_link_send(t.link, &segment, NULL, NULL), WEIR_ERR_INVALID);
    assert_detail("to: a packet of 64 bytes came into 63 bytes of memory");
    assert_pattern(t.d, t.room, ROOM, 7); /* nothing was written anywhere */
    close_into(&t);
}

static void memory_is_written_after_its_ready_event(void **state)
{
    struct into t;
    weir_pending *pending;
    weir_segment segment;
    open_into(&t, state, WEIR_BUFFERS_NONE);
    weir_queue *reader = new_queue(t.d);
    weir_future *hold = new_future(t.context);
    weir_event *ready = new_event(t.d);
    char *result = new_memory(t.d, PACKET);
    put_pattern(t.d, t.room, PACKET, 2);
    OK(weir_queue_wait_future(reader, hold));
    OK(weir_queue_copy(reader, t.d, result, t.d, t.room, PACKET));
    OK(weir_queue_record(reader, ready));
    OK(weir_link_receive_into(t.link, t.room, PACKET, ready, &pending));
    weir_future *done = send_data(t.link, t.s, t.data, PACKET, 0);
    OK(weir_pending_wait_assigned(pending, LONG_MS, &segment));
    STATUS(weir_pending_wait(pending, 5, &segment), WEIR_ERR_TIMEOUT);
    STATUS(weir_future_query(done), WEIR_PENDING);
    OK(weir_future_set(hold, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    OK(weir_queue_sync(reader));
    assert_pattern(t.d, result, PACKET, 2); /* what was there before */
    assert_piece(&segment, 1);
    OK(weir_pending_release(pending, NULL));
    finish(done);
    weir_event_release(ready);
    weir_future_release(hold);
    weir_device_free(t.d, result);
    weir_queue_destroy(reader);
    close_into(&t);
}

static void a_shutdown_ends_memory_that_is_posted(void **state)
{
    struct into t;
    weir_segment segment;
    open_into(&t, state, WEIR_BUFFERS_NONE);
    weir_pending *first = post(&t, 0, PACKET), *second = post(&t, PACKET, PACKET);
    weir_future *done = send_data(t.link, t.s, t.data, 10, 4);
    OK(weir_link_shutdown(t.link));
    OK(weir_pending_wait(first, LONG_MS, &segment));
    assert_int_equal(segment.meta, 4);
    OK(weir_pending_release(first, NULL));
    expect_end(second, WEIR_CLOSED);
    expect_end(post(&t, 0, PACKET), WEIR_CLOSED); /* and whatever comes later */
    finish(done);
    close_into(&t);
}

static void each_kind_of_link_has_its_call(void **state)
{
    struct into t;
    weir_pending *pending = (weir_pending *)&t;
    open_into(&t, state, WEIR_BUFFERS_NONE);
    STATUS(weir_link_receive(t.link, &pending), WEIR_ERR_INVALID);
    assert_null(pending);
    assert_detail("to: the link has no buffers: receive into memory of your own");
    close_into(&t);
    open_into(&t, state, 3);
    pending = (weir_pending *)&t;
    STATUS(weir_link_receive_into(t.link, t.room, PACKET, NULL, &pending), WEIR_ERR_INVALID);
    assert_null(pending);
    assert_detail("to: the link receives into its own 3 buffers (WEIR_BUFFERS_NONE)");
    close_into(&t);
}

/* ---- other ways to wait -------------------------------------------------------------------------- */

static void next_waits_and_gives_up(void **state)
{
    struct into t;
    weir_pending *pending = (weir_pending *)&t;
    weir_segment segment;
    open_into(&t, state, 2);
    for (int i = 0; i < 5; i++) { /* more often than there are buffers: none is lost */
        STATUS(weir_link_next(t.link, i, &pending, &segment), WEIR_ERR_TIMEOUT);
        assert_null(pending);
    }
    weir_future *done[3];
    for (uint64_t i = 0; i < 3; i++)
        done[i] = send_data(t.link, t.s, t.data, 10, i);
    OK(weir_link_shutdown(t.link));
    for (uint64_t i = 0; i < 3; i++) {
        OK(weir_link_next(t.link, LONG_MS, &pending, &segment));
        assert_int_equal(segment.meta, i);
        assert_piece(&segment, 1);
        OK(weir_pending_release(pending, NULL));
        finish(done[i]);
    }
    STATUS(weir_link_next(t.link, LONG_MS, &pending, &segment), WEIR_CLOSED);
    assert_null(pending);
    close_into(&t);
}

#define SHARED 300

/* One of several receivers of a link, each of which gives up after a short time and comes again. */
struct taker {
    weir_link *link;
    _Atomic unsigned char *seen; /* relaxed: how often a packet came; read when all have ended */
    weir_status status;
    pthread_t thread;
};

static void *take_all(void *data)
{
    struct taker *taker = data;
    while (!taker->status) {
        weir_pending *pending;
        weir_segment segment;
        weir_status status = weir_link_next(taker->link, 1, &pending, &segment);
        if (status == WEIR_ERR_TIMEOUT || status == WEIR_FULL)
            continue;
        if (!status) {
            atomic_fetch_add_explicit(&taker->seen[segment.meta], 1, memory_order_relaxed);
            status = weir_pending_release(pending, NULL);
        }
        taker->status = status;
    }
    return NULL;
}

/* A receive that one gives back does not take those that others hold along. */
static void several_may_wait_and_give_up(void **state)
{
    _Atomic unsigned char seen[SHARED] = {0};
    struct taker taker[3];
    struct into t;
    open_into(&t, state, 4);
    for (int i = 0; i < 3; i++) {
        taker[i] = (struct taker){.link = t.link, .seen = seen};
        assert_int_equal(pthread_create(&taker[i].thread, NULL, take_all, &taker[i]), 0);
    }
    for (uint64_t i = 0; i < SHARED; i++) {
        const struct timespec pause = {0, i % 16 ? 100000
                                                 : 3000000}; /* now they wait, now they do not */
        nanosleep(&pause, NULL);
        weir_future_release(send_data(t.link, t.s, NULL, 0, i));
    }
    OK(weir_link_shutdown(t.link));
    for (int i = 0; i < 3; i++) {
        pthread_join(taker[i].thread, NULL);
        STATUS(taker[i].status, WEIR_CLOSED);
    }
    for (int i = 0; i < SHARED; i++)
        assert_int_equal(seen[i], 1);
    close_into(&t);
}

/* Bytes are sent once what is in the sender's queue has run; the receiver knows of the packet before. */
static void a_queue_of_the_sender_is_waited_for(void **state)
{
    struct into t;
    weir_pending *pending;
    weir_segment segment;
    weir_future *done;
    open_into(&t, state, 2);
    weir_queue *producer = new_queue(t.s);
    weir_future *hold = new_future(t.context);
    OK(weir_queue_fill(producer, t.data, 0, PACKET));
    OK(weir_queue_sync(producer));
    OK(weir_queue_wait_future(producer, hold));
    OK(weir_queue_copy(producer, t.s, t.data, t.s, t.data + PACKET, PACKET));
    segment = (weir_segment){.device = t.s, .data = t.data, .bytes = PACKET, .meta = 6};
    OK(weir_link_send_from(t.link, &segment, producer, &done));
    OK(weir_link_receive(t.link, &pending));
    OK(weir_pending_wait_assigned(pending, LONG_MS, &segment));
    assert_int_equal(segment.meta, 6);
    STATUS(weir_pending_wait(pending, 5, &segment), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(hold, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    segment.offset = PACKET;
    assert_piece(&segment, 1);
    OK(weir_pending_release(pending, NULL));
    finish(done);
    weir_future_release(hold);
    weir_queue_destroy(producer);
    close_into(&t);
}

/* ---- turns ------------------------------------------------------------------------------------- */

/* A message of 100 packets is on its way when a small one of another sender comes: after what has been
 * copied already, they take turns. */
static void a_small_message_is_not_stuck_behind_a_large_one(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 2, .outputs = 1};
    weir_policy any = weir_policy_any();
    uint32_t place = 0;
    flow_open(&flow, &any, PACKET, 2);
    weir_device *device = weir_endpoint_device(flow.from[0]);
    void *data = new_memory(device, 100 * PACKET);
    put_pattern(device, data, 100 * PACKET, 1);
    weir_future *large = send_data(flow.in[0], device, data, 100 * PACKET, 1);
    weir_future *small = send_data(flow.in[1], weir_endpoint_device(flow.from[1]), NULL, 0, 2);
    size_t at = 0;
    for (uint32_t i = 0; i < 101; i++) {
        weir_segment segment;
        weir_pending *pending = receive(flow.out[0], &segment);
        if (segment.meta == 2) {
            place = i + 1;
        } else {
            assert_int_equal(segment.offset, at);
            assert_piece(&segment, 1);
            at += PACKET;
        }
        OK(weir_pending_release(pending, NULL));
    }
    assert_in_range(place, 1, 4); /* two buffers were full */
    finish(large);
    finish(small);
    weir_device_free(device, data);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* Three senders of 20 packets each, all waiting: every three packets hold one of each. */
static void senders_take_turns(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 4, .outputs = 1};
    weir_policy any = weir_policy_any();
    weir_future *done[4];
    weir_segment segment;
    flow_open(&flow, &any, 1, 1);
    done[3] = send_data(flow.in[3], weir_endpoint_device(flow.from[3]), NULL, 0, 3);
    void *data[3]; /* the one buffer is taken: nothing of these is matched yet */
    for (uint32_t i = 0; i < 3; i++) {
        data[i] = new_memory(weir_endpoint_device(flow.from[i]), 20);
        done[i] = send_data(flow.in[i], weir_endpoint_device(flow.from[i]), data[i], 20, i);
    }
    expect_packet(flow.out[0], 0, 0, 3, 0);
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 3; i++) {
            weir_pending *pending = receive(flow.out[0], &segment);
            assert_int_equal(segment.offset, round);
            seen |= 1u << segment.meta;
            OK(weir_pending_release(pending, NULL));
        }
        assert_int_equal(seen, 7);
    }
    for (uint32_t i = 0; i < 4; i++)
        finish(done[i]);
    for (uint32_t i = 0; i < 3; i++)
        weir_device_free(weir_endpoint_device(flow.from[i]), data[i]);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(packets_land_where_they_are_wanted),
        ON_EACH_BACKEND(an_exact_fit_is_room_enough),
        ON_EACH_BACKEND(too_little_memory_cancels),
        ON_EACH_BACKEND(memory_is_written_after_its_ready_event),
        ON_EACH_BACKEND(a_shutdown_ends_memory_that_is_posted),
        ON_EACH_BACKEND(each_kind_of_link_has_its_call),
        ON_EACH_BACKEND(next_waits_and_gives_up),
        ON_EACH_BACKEND(several_may_wait_and_give_up),
        ON_EACH_BACKEND(a_queue_of_the_sender_is_waited_for),
        ON_EACH_BACKEND(a_small_message_is_not_stuck_behind_a_large_one),
        ON_EACH_BACKEND(senders_take_turns),
    };
    return cmocka_run_group_tests_name("receive", tests, NULL, NULL);
}
