/** @file test_event.c  Conformance of every backend: events, their pool, waiting across queues. */
#include "tests/lib/support.h"

#include <stdlib.h>

/* More than a pool of 20 grows to while all are in use. */
#define MANY 5000

static int compare(const void *a, const void *b)
{
    const weir_event *const *x = a, *const *y = b;
    return (*x > *y) - (*x < *y);
}

/* @return how many there are: those made at start at least, none twice. */
static int take_all(weir_device *device, weir_event **events)
{
    int count = 0;
    weir_status status;
    while (!(status = weir_event_acquire(device, &events[count])))
        assert_in_range(count++, 0, MANY - 2);
    STATUS(status, WEIR_FULL);
    assert_null(events[count]);
    assert_in_range(count, 20, MANY);
    qsort(events, (size_t)count, sizeof *events, compare);
    for (int i = 1; i < count; i++)
        assert_ptr_not_equal(events[i - 1], events[i]);
    return count;
}

static void the_pool_gives_out_all_and_takes_them_back(void **state)
{
    static const char *const settings[] = {"events=20", NULL};
    static weir_event *events[MANY], *more;
    weir_context *context = open_with_or_skip(*state, settings);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        int all = take_all(device, events);
        for (int i = 0; i < all; i++)
            weir_event_release(events[i]);
        for (int round = 0; round < 3; round++) {
            assert_int_equal(take_all(device, events), all);
            weir_event_release(events[7]);
            events[7] = new_event(device);
            STATUS(weir_event_acquire(device, &more), WEIR_FULL);
            for (int i = 0; i < all; i++)
                weir_event_release(events[i]);
        }
    }
    weir_event_release(NULL);
    weir_context_destroy(context);
}

static void one_never_recorded_is_complete_and_nothing_waits_for_it(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(device);
    weir_future *future = new_future(context);
    OK(weir_event_query(event));
    OK(weir_event_wait(event, 0));
    OK(weir_event_wait(event, -1));
    STATUS(weir_queue_wait_event(queue, event), WEIR_ERR_INVALID);
    assert_detail_has("never recorded");
    STATUS(weir_future_set(future, event), WEIR_ERR_INVALID);
    assert_detail_has("never recorded");
    OK(weir_queue_record(queue, event));
    OK(weir_queue_wait_event(queue, event));
    OK(weir_queue_sync(queue));
    weir_event_release(event);
    event = new_event(device); /* it may be the same one: recorded for somebody else */
    STATUS(weir_queue_wait_event(queue, event), WEIR_ERR_INVALID);
    weir_future_release(future);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void it_completes_when_what_came_before_has_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(device);
    weir_future *gate = new_future(context);
    void *data = new_memory(device, 1000);
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_fill(queue, data, 3, 1000));
    OK(weir_queue_record(queue, event));
    STATUS(weir_event_query(event), WEIR_PENDING);
    STATUS(weir_event_wait(event, 0), WEIR_ERR_TIMEOUT);
    STATUS(weir_event_wait(event, 10), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(event, LONG_MS));
    OK(weir_event_query(event));
    assert_filled(device, data, 1000, 3);
    weir_event_release(event);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

static void it_may_be_recorded_again(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(device);
    void *data = new_memory(device, 64);
    for (int i = 0; i < 100; i++) {
        weir_future *gate = new_future(context);
        OK(weir_queue_record(queue, event));
        OK(weir_queue_wait_future(queue, gate));
        OK(weir_queue_fill(queue, data, i, 64));
        OK(weir_queue_record(queue, event));
        STATUS(weir_event_query(event), WEIR_PENDING);
        OK(weir_future_set(gate, NULL));
        OK(weir_event_wait(event, LONG_MS));
        OK(weir_event_query(event));
        weir_future_release(gate);
    }
    assert_filled(device, data, 64, 99);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

static void an_event_belongs_to_its_device(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(weir_context_home(context));
    STATUS(weir_queue_record(queue, event), WEIR_ERR_INVALID);
    assert_detail_has("an event of home cannot be recorded in a queue of ");
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* The second queue reads what the first one writes only after being held up. */
static void wait_between(weir_context *context, weir_device *first, weir_device *second)
{
    weir_device *home = weir_context_home(context);
    weir_queue *writer = new_queue(first), *reader = new_queue(second);
    weir_event *written = new_event(first), *done = new_event(second);
    weir_future *gate = new_future(context);
    void *word = new_memory(second, 256), *seen = new_memory(second, 256);
    /* The writer's mark travels through home memory, which both ends can copy to and from. */
    void *source = new_memory(first, 256), *between = new_memory(home, 256);
    put_pattern(first, source, 256, 21);
    put_pattern(home, between, 256, 22);
    OK(weir_queue_wait_future(writer, gate));
    OK(weir_queue_copy(writer, home, between, first, source, 256));
    OK(weir_queue_record(writer, written));
    OK(weir_queue_wait_event(reader, written));
    OK(weir_queue_copy(reader, second, word, home, between, 256));
    OK(weir_queue_copy(reader, second, seen, second, word, 256));
    OK(weir_queue_record(reader, done));
    STATUS(weir_event_query(done), WEIR_PENDING);
    STATUS(weir_event_wait(done, 2), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(done, LONG_MS));
    OK(weir_event_query(written));
    assert_pattern(second, seen, 256, 21);
    weir_queue_destroy(writer);
    weir_queue_destroy(reader);
    weir_event_release(written);
    weir_event_release(done);
    weir_future_release(gate);
    weir_device_free(second, word);
    weir_device_free(second, seen);
    weir_device_free(first, source);
    weir_device_free(home, between);
}

static void queues_wait_across_devices_and_backends(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++)
            wait_between(context, any_device(context, i), any_device(context, j));
    weir_context_destroy(context);
}

/* A chain through every device and back, many times over, put in without waiting. */
static void long_chains_of_waits_come_to_an_end(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t devices = all_devices(context);
    weir_queue *queue[WEIR_DEVICES_MAX + 1];
    weir_event *event[200];
    weir_future *gate = new_future(context);
    for (uint32_t d = 0; d < devices; d++)
        queue[d] = new_queue(any_device(context, d));
    OK(weir_queue_wait_future(queue[0], gate));
    for (uint32_t i = 0; i < 200; i++) {
        if (i > 0)
            OK(weir_queue_wait_event(queue[i % devices], event[i - 1]));
        event[i] = new_event(any_device(context, i % devices));
        OK(weir_queue_record(queue[i % devices], event[i]));
    }
    STATUS(weir_event_query(event[199]), WEIR_PENDING);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(event[199], LONG_MS));
    for (uint32_t i = 0; i < 200; i++) {
        OK(weir_event_query(event[i]));
        weir_event_release(event[i]);
    }
    for (uint32_t d = 0; d < devices; d++)
        weir_queue_destroy(queue[d]);
    weir_future_release(gate);
    weir_context_destroy(context);
}

/* A released event that is taken again and recorded elsewhere is complete when that record is, and
 * does not tell that the earlier one is. */
static void one_that_is_taken_again_starts_afresh(void **state)
{
    static const char *const settings[] = {"events=16", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *held = new_queue(device), *free_one = new_queue(device);
    weir_future *gate = new_future(context);
    OK(weir_queue_wait_future(held, gate));
    weir_event *event = new_event(device);
    OK(weir_queue_record(held, event));
    weir_event_release(event);
    for (int i = 0; i < 15; i++) {
        event = new_event(device);
        OK(weir_event_query(event));
        OK(weir_queue_record(free_one, event));
        OK(weir_event_wait(event, LONG_MS));
        weir_event_release(event);
    }
    OK(weir_future_set(gate, NULL));
    weir_queue_destroy(held);
    weir_queue_destroy(free_one);
    weir_future_release(gate);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(the_pool_gives_out_all_and_takes_them_back),
        ON_EACH_BACKEND(one_never_recorded_is_complete_and_nothing_waits_for_it),
        ON_EACH_BACKEND(it_completes_when_what_came_before_has_run),
        ON_EACH_BACKEND(it_may_be_recorded_again),
        ON_EACH_BACKEND(an_event_belongs_to_its_device),
        ON_EACH_BACKEND(queues_wait_across_devices_and_backends),
        ON_EACH_BACKEND(long_chains_of_waits_come_to_an_end),
        ON_EACH_BACKEND(one_that_is_taken_again_starts_afresh),
    };
    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
