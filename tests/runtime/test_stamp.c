/** @file test_stamp.c  Conformance of every backend: moments in queues and the time between them. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

static weir_stamp *new_stamp(weir_device *device)
{
    weir_stamp *stamp;
    OK(weir_stamp_create(device, &stamp));
    return stamp;
}

static void sleep_until(uint64_t ns)
{
    const struct timespec pause = {0, 1000000};
    while (weir__now_ns() < ns)
        nanosleep(&pause, NULL);
}

static void time_runs_forward_in_a_queue(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        weir_queue *queue = new_queue(device);
        weir_stamp *start = new_stamp(device), *stop = new_stamp(device);
        void *data = new_memory(device, 1 << 20);
        double ms = -1, back = -1, none = -1;
        OK(weir_queue_stamp(queue, start));
        OK(weir_queue_fill(queue, data, 1, 1 << 20));
        OK(weir_queue_stamp(queue, stop));
        OK(weir_queue_sync(queue));
        OK(weir_stamp_elapsed(start, stop, &ms));
        OK(weir_stamp_elapsed(stop, start, &back));
        OK(weir_stamp_elapsed(start, start, &none));
        assert_true(ms > 0);
        assert_true(back == -ms);
        assert_true(none == 0);
        weir_stamp_destroy(start);
        weir_stamp_destroy(stop);
        weir_device_free(device, data);
        weir_queue_destroy(queue);
    }
    weir_context_destroy(context);
}

/* The host sees the first stamp reached, lets a known time pass, and only then lets the queue come
 * to the second: no machine is too slow or too fast for these bounds. */
static void it_is_the_time_that_passed(void **state)
{
    const uint64_t held_ns = 20000000;
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_stamp *start = new_stamp(device), *stop = new_stamp(device);
    weir_event *event = new_event(device);
    weir_future *gate = new_future(context);
    double ms = -1;
    uint64_t before = weir__now_ns();
    OK(weir_queue_stamp(queue, start));
    OK(weir_queue_record(queue, event));
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_stamp(queue, stop));
    OK(weir_event_wait(event, LONG_MS));
    sleep_until(weir__now_ns() + held_ns);
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    double all_ms = (double)(weir__now_ns() - before) / 1e6;
    OK(weir_stamp_elapsed(start, stop, &ms));
    assert_true(ms > 0.99 * (double)held_ns / 1e6); /* two clocks: the device's and ours */
    assert_true(ms < 1.01 * all_ms);
    weir_future_release(gate);
    weir_event_release(event);
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void it_is_pending_until_the_queue_comes_to_both(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_stamp *start = new_stamp(device), *stop = new_stamp(device);
    weir_future *gate = new_future(context);
    double ms = -1;
    const uint64_t before = weir__now_ns();
    OK(weir_queue_stamp(queue, start));
    OK(weir_queue_sync(queue));
    const uint64_t pending = weir__now_ns();
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_stamp(queue, stop));
    STATUS(weir_stamp_elapsed(start, stop, &ms), WEIR_PENDING);
    STATUS(weir_stamp_elapsed(stop, start, &ms), WEIR_PENDING);
    STATUS(weir_stamp_elapsed(stop, stop, &ms), WEIR_PENDING);
    sleep_until(pending + 2000000);
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    OK(weir_stamp_elapsed(start, stop, &ms));
    assert_true(ms > 0.99 * 2);
    assert_true(ms < 1.01 * (double)(weir__now_ns() - before) / 1e6);
    weir_future_release(gate);
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void a_stamp_may_be_used_again(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_stamp *start = new_stamp(device), *stop = new_stamp(device);
    weir_future *gate = new_future(context);
    double first = -1, again = -1;
    OK(weir_queue_stamp(queue, start));
    OK(weir_queue_stamp(queue, stop));
    OK(weir_queue_sync(queue));
    OK(weir_stamp_elapsed(start, stop, &first));
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_stamp(queue, stop));
    STATUS(weir_stamp_elapsed(start, stop, &again), WEIR_PENDING); /* not the old time */
    sleep_until(weir__now_ns() + 2000000);
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    OK(weir_stamp_elapsed(start, stop, &again));
    assert_true(again > first);
    weir_future_release(gate);
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* A queue that is held comes to its mark after a later mark of the same stamp was reached. */
static void the_last_mark_counts_though_an_older_is_reached_after_it(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *held = new_queue(device), *queue = new_queue(device);
    weir_stamp *start = new_stamp(device), *stop = new_stamp(device);
    weir_future *gate = new_future(context);
    double first = -1, again = -1;
    OK(weir_queue_stamp(queue, start));
    OK(weir_queue_wait_future(held, gate));
    OK(weir_queue_stamp(held, stop));
    OK(weir_queue_stamp(queue, stop));
    OK(weir_queue_sync(queue));
    OK(weir_stamp_elapsed(start, stop, &first));
    sleep_until(weir__now_ns() + 2000000);
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(held));
    OK(weir_stamp_elapsed(start, stop, &again));
    assert_true(again == first);
    weir_future_release(gate);
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    weir_queue_destroy(held);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void two_devices_have_no_clock_in_common(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0), *home = weir_context_home(context);
    weir_queue *queue = new_queue(device), *far = new_queue(home);
    weir_stamp *here = new_stamp(device), *there = new_stamp(home);
    double ms;
    STATUS(weir_queue_stamp(queue, there), WEIR_ERR_INVALID);
    assert_detail_has("cannot be put into a queue of");
    OK(weir_queue_stamp(queue, here));
    OK(weir_queue_stamp(far, there));
    OK(weir_queue_sync(queue));
    OK(weir_queue_sync(far));
    STATUS(weir_stamp_elapsed(here, there, &ms), WEIR_ERR_INVALID);
    assert_detail_has("no clock in common");
    STATUS(weir_stamp_elapsed(there, here, &ms), WEIR_ERR_INVALID);
    weir_stamp_destroy(here);
    weir_stamp_destroy(there);
    weir_queue_destroy(queue);
    weir_queue_destroy(far);
    weir_context_destroy(context);
}

static void a_stamp_that_was_never_put_is_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_stamp *put = new_stamp(device), *never = new_stamp(device);
    weir_future *gate = new_future(context);
    double ms;
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_stamp(queue, put));
    /* Also while the other is pending: waiting for them would never end. */
    STATUS(weir_stamp_elapsed(put, never, &ms), WEIR_ERR_INVALID);
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    STATUS(weir_stamp_elapsed(put, never, &ms), WEIR_ERR_INVALID);
    assert_detail_has("never put into a queue");
    STATUS(weir_stamp_elapsed(never, put, &ms), WEIR_ERR_INVALID);
    weir_stamp_destroy(put);
    weir_stamp_destroy(never);
    weir_stamp_destroy(NULL);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(time_runs_forward_in_a_queue),
        ON_EACH_BACKEND(it_is_the_time_that_passed),
        ON_EACH_BACKEND(it_is_pending_until_the_queue_comes_to_both),
        ON_EACH_BACKEND(a_stamp_may_be_used_again),
        ON_EACH_BACKEND(the_last_mark_counts_though_an_older_is_reached_after_it),
        ON_EACH_BACKEND(two_devices_have_no_clock_in_common),
        ON_EACH_BACKEND(a_stamp_that_was_never_put_is_refused),
    };
    return cmocka_run_group_tests_name("stamp", tests, NULL, NULL);
}
