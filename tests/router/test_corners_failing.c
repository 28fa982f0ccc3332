/** @file test_corners_failing.c  Corners of failing and of waiting in vain, each of which was
 * wrong once. */
#include "tests/router/corner_fixture.h"

#include "router/internal.h"
#include "runtime/backend.h"
#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static void pause_ms(long ms)
{
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

/* ---- without memory, without a device ------------------------------------------------------------ */

/* Of a message for two the second was copied to the first only; that the second output goes ends
 * it, also where there is no memory to watch for the end of the copy. */
static void a_send_ends_with_its_receiver_when_memory_is_short(void **state)
{
    struct corner c;
    weir_future *done;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_broadcast()));
    weir_link *in = corner_link(&c, corner_sender(&c), router, 0);
    weir_link *first = corner_link(&c, router, corner_receiver(&c), 2);
    weir_link *second = corner_link(&c, router, corner_receiver(&c), 1);
    OK(corner_send(&c, in, 0, NULL));
    OK(corner_send(&c, in, 1, &done));
    assert_int_equal(corner_packets(first), 2);
    assert_int_equal(corner_packets(second), 1);
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    corner_drop(&c, second);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    STATUS(weir_future_wait(done, LONG_MS), WEIR_CLOSED);
    weir_future_release(done);
    corner_close(&c);
}

struct late_send {
    struct corner *corner;
    weir_link *link;
    weir_status status;
    atomic_int returned;
};

static void *send_late(void *user)
{
    struct late_send *send = user;
    send->status = corner_send(send->corner, send->link, 9, NULL);
    atomic_store(&send->returned, 1);
    return NULL;
}

/* One round with the n-th allocation failing. @return whether it struck. The receiver's queue is
 * held by a message that is not ready, for longer than the send may take. */
static int send_behind_what_is_held(void **state, uint64_t nth)
{
    struct corner c;
    pthread_t thread;
    weir_future *done;
    corner_open(&c, open_or_skip(state));
    weir_device *device = weir_context_device(c.context, 0);
    weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 4);
    weir_future *held = new_future(c.context);
    weir_queue *queue = new_queue(device);
    weir_segment message = {.device = device, .data = c.data, .bytes = CORNER_PACKET};
    OK(weir_queue_wait_future(queue, held));
    OK(weir_link_send_from(link, &message, queue, &done));
    struct late_send late = {.corner = &c, .link = link};
    weir__fault_arm(WEIR__FAULT_ALLOC, nth);
    int started = !pthread_create(&thread, NULL, send_late, &late);
    for (int waited = 0; started && waited < LONG_MS && !atomic_load(&late.returned); waited++)
        pause_ms(1);
    int returned = atomic_load(&late.returned), struck = weir__fault_struck(WEIR__FAULT_ALLOC);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    weir_status under_way = weir_future_query(done);
    OK(weir_future_set(held, NULL));
    if (started)
        pthread_join(thread, NULL);
    assert_true(started && returned);
    assert_int_equal(under_way, WEIR_PENDING);
    assert_int_equal(late.status, struck ? WEIR_ERR_NOMEM : WEIR_OK);
    finish(done); /* it was on its way before */
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    weir_future_release(held);
    corner_close(&c);
    return struck;
}

static void a_send_that_fails_does_not_wait_for_what_is_held(void **state)
{
    uint64_t nth = 1;
    while (send_behind_what_is_held(state, nth))
        nth++;
    assert_true(nth > 1);
}

static void a_program_that_only_asks_learns_of_a_failed_device(void **state)
{
    struct corner c;
    weir_pending *pending;
    weir_segment segment;
    weir_status status = WEIR_PENDING;
    corner_open(&c, open_or_skip(state));
    weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 1);
    OK(weir_link_receive(link, &pending));
    STATUS(weir_pending_assigned(pending, &segment), WEIR_PENDING);
    weir__device_mark(weir_context_device(c.context, 0), "it broke");
    for (int i = 0; i < 10000 && status == WEIR_PENDING; i++) {
        status = weir_pending_assigned(pending, &segment);
        if (status == WEIR_PENDING)
            pause_ms(1);
    }
    assert_int_equal(status, WEIR_ERR_DEVICE);
    STATUS(weir_pending_assigned(pending, &segment), WEIR_ERR_DEVICE);
    assert_detail_has("it broke");
    OK(weir_pending_release(pending, NULL));
    corner_close(&c);
}

/* Of a message that no buffer is free for. */
static void a_sender_that_only_asks_learns_of_a_failed_device(void **state)
{
    struct corner c;
    weir_future *first, *second;
    weir_status status = WEIR_PENDING;
    corner_open(&c, open_or_skip(state));
    weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 1);
    OK(corner_send(&c, link, 1, &first));
    OK(corner_send(&c, link, 2, &second));
    OK(weir_future_wait(first, LONG_MS));
    STATUS(weir_future_query(second), WEIR_PENDING);
    weir__device_mark(weir_context_device(c.context, 0), "it broke");
    for (int i = 0; i < 10000 && status == WEIR_PENDING; i++)
        if ((status = weir_future_query(second)) == WEIR_PENDING)
            pause_ms(1);
    assert_int_equal(status, WEIR_ERR_DEVICE);
    weir_future_release(first);
    weir_future_release(second);
    corner_close(&c);
}

static void *set_future(void *future)
{
    OK(weir_future_set(future, NULL));
    return NULL;
}

static void count_call(void *user, weir_status status)
{
    (void)status;
    atomic_fetch_add((atomic_int *)user, 1);
}

/* A packet becomes ready while this thread has the output's matching, so it is this thread's next call that matches it, with
 * the n-th allocation failing. @return whether it struck. Who waits for the receive is told without another call. */
static int ask_where_word_was_left(void **state, uint64_t nth)
{
    struct corner c;
    weir_pending *pending;
    weir_segment segment;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_watch *watch;
    pthread_t thread;
    atomic_int calls = 0;
    corner_open(&c, open_or_skip(state));
    weir_device *device = weir_context_device(c.context, 0);
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_link *in = corner_link(&c, corner_sender(&c), router, 0);
    (void)corner_link(&c, corner_sender(&c), router,
                      0); /* with two senders one that is not ready waits at the host */
    weir_link *out = corner_link(&c, router, corner_receiver(&c), 1);
    weir_future *held = new_future(c.context);
    weir_queue *queue = new_queue(device);
    weir_segment message = {.device = device, .data = c.data, .bytes = CORNER_PACKET};
    OK(weir_queue_wait_future(queue, held));
    OK(weir_link_send_from(in, &message, queue, NULL));
    OK(weir_link_receive(out, &pending));
    OK(weir_future_notify(weir_pending_future(pending), count_call, &calls, &watch));
    weir__output_seize(out->output);
    assert_int_equal(pthread_create(&thread, NULL, set_future, held),
                     0); /* this thread would put off what it is told */
    for (int waited = 0; waited < LONG_MS && !atomic_load(&out->output->looks); waited++)
        pause_ms(1);
    int left = atomic_load(&out->output->looks) > 0;
    weir__output_let_go(out->output);
    pthread_join(thread, NULL);
    assert_true(left);
    weir__fault_arm(WEIR__FAULT_ALLOC, nth);
    (void)weir_link_stats_get(out, &stats);
    int struck = weir__fault_struck(WEIR__FAULT_ALLOC);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    for (int waited = 0; waited < LONG_MS && !atomic_load(&calls); waited++)
        pause_ms(1);
    assert_int_equal(atomic_load(&calls), 1);
    weir_watch_destroy(watch);
    (void)weir_pending_wait(pending, LONG_MS, &segment);
    OK(weir_pending_release(pending, NULL));
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    weir_future_release(held);
    corner_close(&c);
    return struck;
}

static void what_cannot_be_watched_is_waited_for_by_who_matched_it(void **state)
{
    uint64_t nth = 1;
    while (ask_where_word_was_left(state, nth))
        nth++;
    assert_true(nth > 1);
}

/* ---- asking and waiting -------------------------------------------------------------------------- */

struct gater {
    weir_pending *pending;
    weir_queue *queue;
    weir_status status;
};

static void *gate(void *user)
{
    struct gater *gater = user;
    gater->status = weir_pending_gate(gater->pending, gater->queue);
    return NULL;
}

static void two_threads_may_gate_one_pending(void **state)
{
    struct corner c;
    weir_pending *pending;
    weir_segment segment;
    struct gater gaters[2];
    pthread_t threads[2];
    int started = 0;
    void *copies[2];
    corner_open(&c, open_or_skip(state));
    weir_endpoint *receiver = corner_receiver(&c);
    weir_device *device = weir_endpoint_device(receiver);
    weir_link *link = corner_link(&c, corner_sender(&c), receiver, 1);
    OK(weir_link_receive(link, &pending));
    for (int i = 0; i < 2; i++) {
        copies[i] = new_memory(device, CORNER_PACKET);
        gaters[i] = (struct gater){pending, new_queue(device), WEIR_PENDING};
    }
    while (started < 2 && !pthread_create(&threads[started], NULL, gate, &gaters[started]))
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(started, 2);
    OK(corner_send(&c, link, 0, NULL));
    OK(weir_pending_wait_assigned(pending, LONG_MS, &segment));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gaters[i].status, WEIR_OK);
        OK(weir_queue_copy(gaters[i].queue, device, copies[i], device, segment.data,
                           segment.bytes));
        OK(weir_queue_sync(gaters[i].queue));
        weir_queue_destroy(gaters[i].queue);
        assert_pattern(device, copies[i], CORNER_PACKET, 1);
        weir_device_free(device, copies[i]);
    }
    OK(weir_pending_release(pending, NULL));
    corner_close(&c);
}

/* An older failure's sentence does not stand for the wait. */
#define TIMES_OUT(call)                                 \
    do {                                                \
        weir_error_set(WEIR_ERR_IO, "something older"); \
        STATUS(call, WEIR_ERR_TIMEOUT);                 \
        assert_detail_has("within the time limit");     \
    } while (0)

static void a_wait_that_times_out_leaves_a_sentence(void **state)
{
    struct corner c;
    weir_pending *pending;
    weir_segment segment;
    corner_open(&c, open_or_skip(state));
    weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 1);
    weir_future *future = new_future(c.context);
    weir_queue *queue = new_queue(weir_context_device(c.context, 0));
    weir_event *event = new_event(weir_context_device(c.context, 0));
    OK(weir_queue_wait_future(queue, future));
    OK(weir_queue_record(queue, event));
    TIMES_OUT(weir_link_next(link, 1, &pending, &segment));
    OK(weir_link_receive(link, &pending));
    TIMES_OUT(weir_pending_wait(pending, 1, &segment));
    TIMES_OUT(weir_pending_wait_assigned(pending, 1, &segment));
    TIMES_OUT(weir_future_wait(future, 1));
    TIMES_OUT(weir_event_wait(event, 1));
    OK(weir_future_set(future, NULL));
    OK(weir_queue_sync(queue));
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_future_release(future);
    OK(weir_link_shutdown(link));
    STATUS(weir_pending_wait(pending, LONG_MS, &segment), WEIR_CLOSED);
    OK(weir_pending_release(pending, NULL));
    corner_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_send_ends_with_its_receiver_when_memory_is_short),
        ON_EACH_BACKEND(a_send_that_fails_does_not_wait_for_what_is_held),
        ON_BACKEND(what_cannot_be_watched_is_waited_for_by_who_matched_it, "host:1"),
        ON_BACKEND(what_cannot_be_watched_is_waited_for_by_who_matched_it, "strict:1"),
        ON_EACH_BACKEND(a_program_that_only_asks_learns_of_a_failed_device),
        ON_EACH_BACKEND(a_sender_that_only_asks_learns_of_a_failed_device),
        ON_EACH_BACKEND(two_threads_may_gate_one_pending),
        ON_EACH_BACKEND(a_wait_that_times_out_leaves_a_sentence),
    };
    return cmocka_run_group_tests_name("corners_failing", tests, NULL, NULL);
}
