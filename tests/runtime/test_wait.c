/** @file test_wait.c  Waiting for any, and for all, of several futures; on every backend and simulated. */
#include "tests/runtime/sim_model.h"

#include <pthread.h>
#include <time.h>

enum { MANY = 6 };

static void make_many(weir_context *context, weir_future **futures)
{
    for (int i = 0; i < MANY; i++)
        futures[i] = new_future(context);
}

static void release_many(weir_future **futures)
{
    for (int i = 0; i < MANY; i++)
        weir_future_release(futures[i]);
}

/* A future that completes when a queue of the device has come as far as a gate allows. */
static weir_future *behind(weir_queue *queue, weir_future *gate)
{
    weir_device *device = weir_queue_device(queue);
    weir_future *future = new_future(weir__device_context(device));
    weir_event *event = new_event(device);
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_record(queue, event));
    OK(weir_future_set(future, event));
    return future;
}

static void none_of_none(void **state)
{
    weir_context *context = open_or_skip(state), *other = open_or_skip(state);
    weir_future *nothing[2] = {NULL, NULL}, *mixed[2] = {new_future(context), new_future(other)};
    size_t index = 77;
    STATUS(weir_future_wait_any(NULL, 0, -1, &index), WEIR_ERR_INVALID);
    assert_int_equal(index, 0);
    assert_detail_has("would never end");
    STATUS(weir_future_wait_any(nothing, 2, -1, &index), WEIR_ERR_INVALID);
    assert_int_equal(index, 2);
    OK(weir_future_wait_all(NULL, 0, -1, &index));
    assert_int_equal(index, 0);
    OK(weir_future_wait_all(nothing, 2, -1, NULL));
    OK(weir_future_set(mixed[0], NULL));
    STATUS(weir_future_wait_any(mixed, 2, -1, &index), WEIR_ERR_INVALID);
    assert_detail_has("of another context");
    STATUS(weir_future_wait_all(mixed, 2, -1, &index), WEIR_ERR_INVALID);
    assert_int_equal(index, 2);
    weir_future_release(mixed[0]);
    weir_future_release(mixed[1]);
    weir_context_destroy(context);
    weir_context_destroy(other);
}

static void any_takes_the_first_that_is_complete(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *futures[MANY];
    size_t index;
    make_many(context, futures);
    STATUS(weir_future_wait_any(futures, MANY, 0, &index), WEIR_ERR_TIMEOUT);
    assert_int_equal(index, MANY);
    STATUS(weir_future_wait_any(futures, MANY, 5, &index), WEIR_ERR_TIMEOUT);
    assert_int_equal(index, MANY);
    OK(weir_future_set(futures[4], NULL));
    OK(weir_future_wait_any(futures, MANY, -1, &index));
    assert_int_equal(index, 4);
    OK(weir_future_fail(futures[2], WEIR_ERR_IO));
    STATUS(weir_future_wait_any(futures, MANY, -1, &index), WEIR_ERR_IO);
    assert_int_equal(index, 2);
    weir_future *struck[MANY] = {NULL, futures[1], NULL, futures[3], futures[4], NULL};
    OK(weir_future_wait_any(struck, MANY, -1, &index));
    assert_int_equal(index, 4);
    release_many(futures);
    weir_context_destroy(context);
}

static void all_waits_for_each(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *futures[MANY];
    size_t index;
    make_many(context, futures);
    for (int i = 0; i < MANY; i++)
        if (i != 3)
            OK(weir_future_set(futures[i], NULL));
    STATUS(weir_future_wait_all(futures, MANY, 0, &index), WEIR_ERR_TIMEOUT);
    assert_int_equal(index, 3);
    STATUS(weir_future_wait_all(futures, MANY, 5, NULL), WEIR_ERR_TIMEOUT);
    OK(weir_future_fail(futures[3], WEIR_ERR_FORMAT));
    STATUS(weir_future_wait_all(futures, MANY, -1, &index), WEIR_ERR_FORMAT);
    assert_int_equal(index, 3);
    OK(weir_future_wait_all(futures, 3, -1, &index));
    assert_int_equal(index, 3);
    release_many(futures);
    weir_context_destroy(context);
}

/* Futures that were set with events, in a queue for each device, which one gate after the other lets go. */
static void events_of_every_device_end_it(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t devices = all_devices(context);
    weir_future *gates[WEIR_DEVICES_MAX + 1], *futures[WEIR_DEVICES_MAX + 1];
    weir_queue *queues[WEIR_DEVICES_MAX + 1];
    size_t index;
    for (uint32_t d = 0; d < devices; d++) {
        gates[d] = new_future(context);
        queues[d] = new_queue(any_device(context, d));
        futures[d] = behind(queues[d], gates[d]);
    }
    for (uint32_t d = devices; d-- > 0;) {
        STATUS(weir_future_wait_any(futures, d + 1, 3, &index), WEIR_ERR_TIMEOUT);
        OK(weir_future_set(gates[d], NULL));
        OK(weir_future_wait_any(futures, d + 1, LONG_MS, &index));
        assert_int_equal(index, d);
    }
    OK(weir_future_wait_all(futures, devices, LONG_MS, &index));
    for (uint32_t d = 0; d < devices; d++) {
        weir_queue_destroy(queues[d]);
        weir_future_release(gates[d]);
        weir_future_release(futures[d]);
    }
    weir_context_destroy(context);
}

struct decider {
    weir_future *future;
    weir_status result;
};

static void *decide_after_a_while(void *data)
{
    struct decider *decider = data;
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    decider->result = weir_future_fail(decider->future, WEIR_ERR_CANCELLED);
    return NULL;
}

static void another_thread_wakes_it(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < MANY; i++) {
        weir_future *futures[MANY];
        size_t index;
        pthread_t thread;
        make_many(context, futures);
        struct decider decider = {futures[i], WEIR_ERR_IO};
        assert_int_equal(pthread_create(&thread, NULL, decide_after_a_while, &decider), 0);
        weir_status seen = weir_future_wait_any(futures, MANY, i % 2 ? -1 : LONG_MS, &index);
        pthread_join(thread, NULL);
        STATUS(seen, WEIR_ERR_CANCELLED);
        OK(decider.result);
        assert_int_equal(index, i);
        release_many(futures);
    }
    weir_context_destroy(context);
}

/* Many waits that end by their time limit leave nothing behind, and one future may stand there twice. */
static void a_wait_is_repeated(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(weir_context_device(context, 0));
    weir_future *gate = new_future(context), *event = behind(queue, gate);
    weir_future *futures[4] = {new_future(context), event, event, NULL};
    size_t index;
    for (int i = 0; i < 300; i++)
        STATUS(weir_future_wait_any(futures, 4, 0, &index), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(gate, NULL));
    OK(weir_future_wait_any(futures, 4, LONG_MS, &index));
    assert_in_range(index, 1, 2); /* it may be set between the two looks at it */
    weir_future_release(futures[0]);
    weir_future_release(event);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* Virtual time goes on until the first is there, and no further. */
static void simulated_time_goes_on_in_it(void **state)
{
    enum { BYTES = 4000 };
    weir_context *context = sim_open();
    weir_device *one = weir_context_device(context, 0), *two = weir_context_device(context, 1);
    weir_queue *slow = new_queue(one), *fast = new_queue(two);
    weir_future *futures[3] = {new_future(context), new_future(context), new_future(context)};
    weir_event *late = new_event(one), *early = new_event(two);
    void *from = new_memory(one, BYTES), *to = new_memory(one, BYTES), *own = new_memory(two, 10);
    size_t index;
    (void)state;
    OK(weir_queue_copy(slow, one, to, one, from, BYTES)); /* 4 us of bytes */
    OK(weir_queue_record(slow, late));
    OK(weir_queue_fill(fast, own, 1, 10));
    OK(weir_queue_record(fast, early));
    OK(weir_future_set(futures[1], late));
    OK(weir_future_set(futures[2], early));
    OK(weir_future_wait_any(futures, 3, -1, &index));
    assert_int_equal(index, 2);
    assert_true(weir_context_time_ns(context) < 4000);
    OK(weir_future_wait_any(futures, 2, -1, &index));
    assert_int_equal(index, 1);
    assert_true(weir_context_time_ns(context) >= 4000);
    STATUS(weir_future_wait_any(futures, 1, 5, &index), WEIR_ERR_TIMEOUT);
    STATUS(weir_future_wait_all(futures, 3, 5, &index), WEIR_ERR_TIMEOUT);
    assert_int_equal(index, 0);
    struct decider decider = {futures[0], WEIR_ERR_IO};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, decide_after_a_while, &decider), 0);
    weir_status seen = weir_future_wait_any(futures, 1, -1, &index);
    pthread_join(thread, NULL);
    STATUS(seen, WEIR_ERR_CANCELLED);
    STATUS(weir_future_wait_all(futures, 3, -1, &index), WEIR_ERR_CANCELLED);
    for (int i = 0; i < 3; i++)
        weir_future_release(futures[i]);
    weir_device_free(one, from);
    weir_device_free(one, to);
    weir_device_free(two, own);
    weir_queue_destroy(slow);
    weir_queue_destroy(fast);
    weir_context_destroy(context);
}

/* A device that fails while the host waits for something that only the alarm ends. */
static void fail_future(void *user, weir_status status)
{
    (void)weir_future_fail(user, status);
}

static void a_device_that_fails_is_told(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(weir_context_device(context, 0));
    weir_future *futures[2] = {new_future(context), new_future(context)};
    weir__alarm *alarm;
    size_t index;
    void *data = new_memory(weir_context_device(context, 0), 10);
    OK(weir__alarm_create(context, fail_future, futures[1], &alarm));
    weir__fault_arm(WEIR__FAULT_DEVICE, 1);
    OK(weir_queue_fill(queue, data, 1, 10));
    STATUS(weir_future_wait_any(futures, 2, LONG_MS, &index), WEIR_ERR_DEVICE);
    weir__fault_arm(WEIR__FAULT_DEVICE, 0);
    assert_int_equal(index, 1);
    weir__alarm_destroy(alarm);
    weir_future_release(futures[0]);
    weir_future_release(futures[1]);
    weir_device_free(weir_context_device(context, 0), data);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* Of each allocation that it needs; nothing stays watched. */
static void no_memory_is_told(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *futures[MANY];
    size_t index;
    uint64_t nth = 0;
    weir_status status;
    make_many(context, futures);
    do {
        weir__fault_arm(WEIR__FAULT_ALLOC, ++nth);
        status = weir_future_wait_any(futures, MANY, 0, &index);
        assert_int_equal(index, MANY);
    } while (status == WEIR_ERR_NOMEM);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    STATUS(status, WEIR_ERR_TIMEOUT);
    assert_true(nth > MANY);
    release_many(futures);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(none_of_none),
        ON_EACH_BACKEND(any_takes_the_first_that_is_complete),
        ON_EACH_BACKEND(all_waits_for_each),
        ON_EACH_BACKEND(events_of_every_device_end_it),
        ON_EACH_BACKEND(another_thread_wakes_it),
        ON_EACH_BACKEND(a_wait_is_repeated),
        cmocka_unit_test(simulated_time_goes_on_in_it),
        ON_BACKEND(a_device_that_fails_is_told, "host:2"),
        ON_BACKEND(no_memory_is_told, "host:1"),
    };
    return cmocka_run_group_tests_name("wait", tests, NULL, NULL);
}
