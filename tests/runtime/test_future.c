/** @file test_future.c  Conformance of every backend: futures, on the host and holding queues. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void set_without_an_event_it_is_complete(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    STATUS(weir_future_query(future), WEIR_PENDING);
    STATUS(weir_future_wait(future, 0), WEIR_ERR_TIMEOUT);
    STATUS(weir_future_wait(future, 5), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(future, NULL));
    OK(weir_future_query(future));
    OK(weir_future_wait(future, 0));
    OK(weir_future_wait(future, -1));
    weir_future_release(future);
    weir_future_release(NULL);
    weir_context_destroy(context);
}

static void only_the_first_decision_counts(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_future *set = new_future(context), *failed = new_future(context);
    weir_event *event = new_event(device);
    OK(weir_future_set(set, NULL));
    STATUS(weir_future_set(set, event), WEIR_ERR_INVALID);
    STATUS(weir_future_fail(set, WEIR_ERR_IO), WEIR_ERR_INVALID);
    assert_detail("a future was set or failed twice");
    OK(weir_future_query(set));
    OK(weir_future_fail(failed, WEIR_ERR_CANCELLED));
    STATUS(weir_future_fail(failed, WEIR_ERR_IO), WEIR_ERR_INVALID);
    STATUS(weir_future_set(failed, event), WEIR_ERR_INVALID);
    STATUS(weir_future_query(failed), WEIR_ERR_CANCELLED);
    STATUS(weir_future_wait(failed, -1), WEIR_ERR_CANCELLED);
    weir_event_release(event); /* it stayed ours */
    weir_future_release(set);
    weir_future_release(failed);
    weir_context_destroy(context);
}

static void it_may_end_closed(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    OK(weir_future_fail(future, WEIR_CLOSED));
    STATUS(weir_future_wait(future, LONG_MS), WEIR_CLOSED);
    weir_future_release(future);
    weir_context_destroy(context);
}

static void with_an_event_it_completes_as_the_event_does(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(context), *future = new_future(context);
    weir_event *event = new_event(device);
    void *data = new_memory(device, 100);
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_fill(queue, data, 8, 100));
    OK(weir_queue_record(queue, event));
    OK(weir_future_set(future, event));
    STATUS(weir_future_query(future), WEIR_PENDING);
    STATUS(weir_future_wait(future, 0), WEIR_ERR_TIMEOUT);
    STATUS(weir_future_wait(future, 5), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(gate, NULL));
    OK(weir_future_wait(future, LONG_MS));
    OK(weir_future_query(future));
    assert_filled(device, data, 100, 8);
    weir_future_release(gate);
    weir_future_release(future);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

/* A future that is set takes the event over: with few events, many futures still find one. */
static void releasing_it_gives_the_event_back(void **state)
{
    static const char *const settings[] = {"events=16", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    for (int i = 0; i < 100; i++) {
        weir_future *future = new_future(context);
        weir_event *event = new_event(device);
        OK(weir_queue_record(queue, event));
        OK(weir_future_set(future, event));
        assert_ptr_equal(weir_future_retain(future), future);
        weir_future_release(future);
        OK(weir_future_wait(future, LONG_MS));
        weir_future_release(future);
    }
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void one_that_nobody_set_may_be_dropped(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 100; i++) {
        weir_future *future = new_future(context);
        weir_future_retain(future);
        weir_future_release(future);
        STATUS(weir_future_query(future), WEIR_PENDING);
        weir_future_release(future);
    }
    weir_context_destroy(context);
}

struct setter {
    weir_future *future;
    weir_status decision, result;
};

static void *decide_after_a_while(void *data)
{
    struct setter *setter = data;
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    setter->result = setter->decision ? weir_future_fail(setter->future, setter->decision)
                                      : weir_future_set(setter->future, NULL);
    return NULL;
}

static void a_waiter_is_woken_by_another_thread(void **state)
{
    static const weir_status decisions[] = {WEIR_OK, WEIR_ERR_CANCELLED};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 4; i++) {
        struct setter setter = {new_future(context), decisions[i % 2], WEIR_ERR_IO};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, decide_after_a_while, &setter), 0);
        weir_status seen = weir_future_wait(setter.future, i < 2 ? -1 : LONG_MS);
        pthread_join(thread, NULL);
        STATUS(seen, decisions[i % 2]);
        OK(setter.result);
        weir_future_release(setter.future);
    }
    weir_context_destroy(context);
}

/* The queue is held before the event exists, on every device, by an event of every other. */
static void hold_one(weir_context *context, weir_device *maker, weir_device *holder)
{
    weir_queue *first = new_queue(maker), *second = new_queue(holder);
    weir_event *event = new_event(maker), *done = new_event(holder);
    weir_future *gate = new_future(context), *future = new_future(context);
    void *data = new_memory(holder, 300);
    put_pattern(holder, data, 300, 1);
    OK(weir_queue_wait_future(second, future));
    OK(weir_queue_fill(second, data, 5, 300));
    OK(weir_queue_record(second, done));
    STATUS(weir_event_wait(done, 1), WEIR_ERR_TIMEOUT);
    OK(weir_queue_wait_future(first, gate));
    OK(weir_queue_record(first, event));
    OK(weir_future_set(future, event)); /* set, but its event is not complete */
    weir_future_release(future);        /* the queue needs no reference of ours */
    STATUS(weir_event_wait(done, 1), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(done, LONG_MS));
    assert_filled(holder, data, 300, 5);
    weir_queue_destroy(first);
    weir_queue_destroy(second);
    weir_event_release(done);
    weir_future_release(gate);
    weir_device_free(holder, data);
}

static void queues_wait_for_events_that_do_not_exist_yet(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++)
            hold_one(context, any_device(context, i), any_device(context, j));
    weir_context_destroy(context);
}

static void a_failed_future_lets_queues_go_on(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        weir_queue *queue = new_queue(device);
        weir_future *before = new_future(context), *after = new_future(context);
        void *data = new_memory(device, 10);
        OK(weir_future_fail(before, WEIR_ERR_DEVICE));
        OK(weir_queue_wait_future(queue, before));
        OK(weir_queue_wait_future(queue, after));
        OK(weir_queue_fill(queue, data, 6, 10));
        OK(weir_future_fail(after, WEIR_ERR_CANCELLED));
        OK(weir_queue_sync(queue));
        assert_filled(device, data, 10, 6);
        STATUS(weir_future_query(after), WEIR_ERR_CANCELLED);
        weir_future_release(before);
        weir_future_release(after);
        weir_queue_destroy(queue);
        weir_device_free(device, data);
    }
    weir_context_destroy(context);
}

static void one_future_holds_many_queues(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    weir_queue *queues[12];
    weir_event *done[12];
    for (uint32_t i = 0; i < 12; i++) {
        weir_device *device = any_device(context, i % all_devices(context));
        queues[i] = new_queue(device);
        done[i] = new_event(device);
    }
    for (uint32_t i = 0; i < 12; i++) {
        OK(weir_queue_wait_future(queues[i], future));
        OK(weir_queue_record(queues[i], done[i]));
    }
    for (int i = 0; i < 12; i++)
        STATUS(weir_event_query(done[i]), WEIR_PENDING);
    OK(weir_future_set(future, NULL));
    weir_future_release(future);
    for (int i = 0; i < 12; i++) {
        OK(weir_event_wait(done[i], LONG_MS));
        weir_event_release(done[i]);
        weir_queue_destroy(queues[i]);
    }
    weir_context_destroy(context);
}

/* The queue waits for the event that the future was set with. That the future is released, and its
 * event then taken and recorded by others, must not let the queue go on early. */
static void a_released_future_still_holds_its_queue(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t devices = all_devices(context);
    for (uint32_t pair = 0; pair < devices * devices; pair++) {
        weir_device *maker = any_device(context, pair / devices);
        weir_device *holder = any_device(context, pair % devices);
        weir_queue *slow = new_queue(maker), *quick = new_queue(maker), *held = new_queue(holder);
        weir_future *gate = new_future(context), *future = new_future(context);
        weir_event *event = new_event(maker), *done = new_event(holder);
        OK(weir_queue_wait_future(slow, gate));
        OK(weir_queue_record(slow, event));
        OK(weir_future_set(future, event));
        OK(weir_queue_wait_future(held, future));
        OK(weir_queue_record(held, done));
        weir_future_release(future);
        for (int i = 0; i < 3; i++) {
            weir_event *other = new_event(maker);
            OK(weir_queue_record(quick, other));
            OK(weir_queue_sync(quick));
            weir_event_release(other);
        }
        STATUS(weir_event_wait(done, 5), WEIR_ERR_TIMEOUT);
        OK(weir_future_set(gate, NULL));
        OK(weir_event_wait(done, LONG_MS));
        weir_queue_destroy(slow);
        weir_queue_destroy(quick);
        weir_queue_destroy(held);
        weir_event_release(done);
        weir_future_release(gate);
    }
    weir_context_destroy(context);
}

/* As hold_one(), but what ran before the event is seen behind the wait. */
static void hold_for_data(weir_context *context, weir_device *maker, weir_device *holder)
{
    weir_queue *first = new_queue(maker), *second = new_queue(holder);
    weir_event *event = new_event(maker), *done = new_event(holder);
    weir_future *gate = new_future(context), *future = new_future(context);
    weir_device *home = weir_context_home(context);
    void *source = new_memory(maker, 300), *between = new_memory(home, 300);
    void *data = new_memory(holder, 300);
    put_pattern(maker, source, 300, 2);
    put_pattern(home, between, 300, 1);
    OK(weir_queue_wait_future(second, future));
    OK(weir_queue_copy(second, holder, data, home, between, 300));
    OK(weir_queue_record(second, done));
    OK(weir_queue_wait_future(first, gate));
    OK(weir_queue_copy(first, home, between, maker, source, 300));
    OK(weir_queue_record(first, event));
    OK(weir_future_set(future, event));
    STATUS(weir_future_set(future, NULL), WEIR_ERR_INVALID);
    STATUS(weir_future_query(future), WEIR_PENDING);
    STATUS(weir_event_wait(done, 5), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(done, LONG_MS));
    OK(weir_future_wait(future, LONG_MS));
    assert_pattern(holder, data, 300, 2);
    weir_future_release(future);
    weir_queue_destroy(first);
    weir_queue_destroy(second);
    weir_event_release(done);
    weir_future_release(gate);
    weir_device_free(maker, source);
    weir_device_free(home, between);
    weir_device_free(holder, data);
}

static void what_ran_before_the_event_is_seen(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++)
            hold_for_data(context, any_device(context, i), any_device(context, j));
    weir_context_destroy(context);
}

/* More at a time than fit when each were used once, in turns of two queues: whatever holds a queue is
 * used again, and never lets it go before its turn. */
static void thousands_of_them_follow_each_other(void **state)
{
    enum { ROUNDS = 3000, AHEAD = 40 };
    weir_context *context = open_or_skip(state);
    weir_device *one = weir_context_device(context, 0);
    weir_device *two = any_device(context, weir_context_device_count(context) - 1);
    weir_queue *queues[2] = {new_queue(one), new_queue(two)};
    weir_future *turns[AHEAD] = {NULL};
    void *data = new_memory(two, 64), *copies = new_memory(two, ROUNDS);
    put_pattern(two, data, 64, 5);
    for (int i = 0; i < ROUNDS; i++) {
        int slot = i % AHEAD;
        weir_event *event;
        if (turns[slot])
            OK(weir_future_wait(turns[slot], LONG_MS));
        weir_future_release(turns[slot]);
        turns[slot] = new_future(context);
        OK(weir_queue_wait_future(queues[1], turns[slot])); /* before it is set */
        OK(weir_queue_copy(queues[1], two, (char *)copies + i, two, data, 1));
        if (i % 7 == 0)
            OK(weir_queue_fill(queues[1], data, i % 251, 1));
        event = new_event(one);
        OK(weir_queue_record(queues[0], event));
        OK(weir_future_set(turns[slot], event));
        if (i % 500 == 499) /* who waits may hold an event for as long as it has not come there */
            OK(weir_queue_sync(queues[1]));
    }
    OK(weir_queue_sync(queues[1]));
    unsigned char *host = malloc(ROUNDS);
    assert_non_null(host);
    OK(weir__download(two, host, copies, ROUNDS));
    for (int i = 0; i < ROUNDS; i++)
        assert_int_equal(host[i], i == 0 ? pattern_byte(5, 0) : (i - 1) / 7 * 7 % 251);
    free(host);
    for (int i = 0; i < AHEAD; i++)
        weir_future_release(turns[i]);
    weir_queue_destroy(queues[0]);
    weir_queue_destroy(queues[1]);
    weir_device_free(two, data);
    weir_device_free(two, copies);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(set_without_an_event_it_is_complete),
        ON_EACH_BACKEND(only_the_first_decision_counts),
        ON_EACH_BACKEND(it_may_end_closed),
        ON_EACH_BACKEND(with_an_event_it_completes_as_the_event_does),
        ON_EACH_BACKEND(releasing_it_gives_the_event_back),
        ON_EACH_BACKEND(one_that_nobody_set_may_be_dropped),
        ON_EACH_BACKEND(a_waiter_is_woken_by_another_thread),
        ON_EACH_BACKEND(queues_wait_for_events_that_do_not_exist_yet),
        ON_EACH_BACKEND(a_failed_future_lets_queues_go_on),
        ON_EACH_BACKEND(one_future_holds_many_queues),
        ON_EACH_BACKEND(a_released_future_still_holds_its_queue),
        ON_EACH_BACKEND(what_ran_before_the_event_is_seen),
        ON_EACH_BACKEND(thousands_of_them_follow_each_other),
    };
    return cmocka_run_group_tests_name("future", tests, NULL, NULL);
}
