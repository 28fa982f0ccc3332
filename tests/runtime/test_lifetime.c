/** @file test_lifetime.c  A context ends with the last of its users, whichever that is. */
#include "tests/runtime/sim_model.h"

#include "runtime/backend.h"

#include <stdatomic.h>

/* What is attached to a context goes when the context does: that is how a test sees its end. */
static void count_end(void *data)
{
    atomic_fetch_add((_Atomic int *)data, 1);
}

static void watch_end(weir_context *context, _Atomic int *ends)
{
    atomic_store(ends, 0);
    assert_ptr_equal(weir__context_attach(context, (void *)ends, count_end), ends);
}

static void ends_at_once_when_nothing_is_left(void **state)
{
    _Atomic int ends;
    weir_context *context = open_or_skip(state);
    watch_end(context, &ends);
    weir_queue_destroy(new_queue(weir_context_home(context)));
    weir_context_destroy(context);
    assert_int_equal(atomic_load(&ends), 1);
    weir_context_destroy(NULL);
}

/* In whatever order they are given back, and used until then. */
static void events_futures_and_stamps_keep_their_context(void **state)
{
    for (int first = 0; first < 3; first++) {
        _Atomic int ends;
        weir_context *context = open_or_skip(state);
        weir_device *device = weir_context_device(context, 0);
        weir_queue *queue = new_queue(device);
        weir_event *event = new_event(device);
        weir_future *future = new_future(context);
        weir_stamp *stamp;
        OK(weir_stamp_create(device, &stamp));
        OK(weir_queue_record(queue, event));
        watch_end(context, &ends);
        weir_queue_destroy(queue);
        weir_context_destroy(context);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(atomic_load(&ends), 0);
            if ((first + i) % 3 == 0) {
                OK(weir_event_wait(event, LONG_MS));
                weir_event_release(event);
            } else if ((first + i) % 3 == 1) {
                OK(weir_future_fail(future, WEIR_ERR_IO));
                STATUS(weir_future_wait(future, -1), WEIR_ERR_IO);
                weir_future_release(future);
            } else {
                weir_stamp_destroy(stamp);
            }
        }
        assert_int_equal(atomic_load(&ends), 1);
    }
}

/* A future owns the event it was set with. */
static void a_future_keeps_the_context_of_its_event(void **state)
{
    _Atomic int ends;
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(device);
    weir_future *future = weir_future_retain(new_future(context));
    OK(weir_queue_record(queue, event));
    OK(weir_future_set(future, event));
    weir_future_release(future);
    watch_end(context, &ends);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
    assert_int_equal(atomic_load(&ends), 0);
    OK(weir_future_wait(future, LONG_MS));
    weir_future_release(future);
    assert_int_equal(atomic_load(&ends), 1);
}

static void a_queue_keeps_its_context(void **state)
{
    _Atomic int ends;
    weir_context *context = open_or_skip(state);
    uint32_t devices = all_devices(context);
    weir_queue *queues[WEIR_DEVICES_MAX + 1];
    watch_end(context, &ends);
    for (uint32_t d = 0; d < devices; d++)
        queues[d] = new_queue(any_device(context, d));
    weir_context_destroy(context);
    assert_int_equal(atomic_load(&ends), 0);
    for (uint32_t d = 0; d < devices; d++) { /* devices, memory and events are as good as before */
        weir_device *device = weir_queue_device(queues[d]);
        weir_event *event = new_event(device);
        void *data = new_memory(device, 1000);
        OK(weir_queue_fill(queues[d], data, 7, 1000));
        OK(weir_queue_record(queues[d], event));
        OK(weir_event_wait(event, LONG_MS));
        assert_filled(device, data, 1000, 7);
        weir_event_release(event);
        weir_device_free(device, data);
        assert_int_equal(atomic_load(&ends), 0);
        weir_queue_destroy(queues[d]);
    }
    assert_int_equal(atomic_load(&ends), 1);
}

static void other_users_count_as_well(void **state)
{
    _Atomic int ends;
    weir_context *context = open_or_skip(state);
    watch_end(context, &ends);
    weir__context_retain(context);
    weir__context_retain(context);
    weir_context_destroy(context);
    weir__context_release(context);
    assert_int_equal(atomic_load(&ends), 0);
    weir__context_release(context);
    assert_int_equal(atomic_load(&ends), 1);
}

/* Whose last user is a call-back of an event: of a GPU that is one of the context's own threads. */
struct last_user {
    weir_device *device;
    weir_event *event;
    void *data;
};

static void give_up(void *user)
{
    struct last_user *last = user;
    weir_context *context = weir__device_context(last->device);
    weir_event_release(last->event);
    weir_device_free(last->device, last->data);
    weir__context_release(context);
}

static void end_in_a_call_back(weir_context *context, int settled)
{
    const struct timespec pause = {0, 1000000};
    _Atomic int ends;
    weir_device *device = weir_context_device(context, 0);
    struct last_user last = {device, new_event(device), new_memory(device, 100)};
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(context);
    watch_end(context, &ends);
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_fill(queue, last.data, 1, 100));
    OK(weir_queue_record(queue, last.event));
    weir__context_retain(context);
    OK(weir__event_notify(last.event, give_up, &last));
    OK(weir_future_set(gate, NULL));
    weir_future_release(gate);
    if (settled)
        OK(weir_queue_sync(queue));
    weir_context_destroy(context);
    weir_queue_destroy(queue);
    for (int ms = 0; ms < LONG_MS && !atomic_load(&ends); ms++)
        nanosleep(&pause, NULL);
    assert_int_equal(atomic_load(&ends), 1);
}

static void the_last_may_be_a_call_back(void **state)
{
    for (int i = 0; i < 10; i++)
        end_in_a_call_back(open_or_skip(state), i % 2);
}

static void the_same_when_simulated(void **state)
{
    _Atomic int ends;
    (void)state;
    for (int i = 0; i < 2; i++)
        end_in_a_call_back(sim_open(), i);
    weir_context *context = sim_open();
    weir_queue *queue = new_queue(weir_context_home(context));
    watch_end(context, &ends);
    weir_context_destroy(context);
    assert_int_equal(atomic_load(&ends), 0);
    weir_queue_destroy(queue);
    assert_int_equal(atomic_load(&ends), 1);
}

static void an_event_goes_back_with_its_last_holder(void **state)
{
    enum { MANY = 5000 }; /* more than the pool grows to while all are in use */
    static const char *const settings[] = {"events=16", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    static weir_event *events[MANY], *more;
    int all = 0;
    while (all < MANY && !weir_event_acquire(device, &events[all]))
        all++;
    assert_in_range(all, 16, MANY - 1);
    assert_ptr_equal(weir__event_retain(events[3]), events[3]);
    weir__event_retain(events[3]);
    for (int i = 0; i < 3; i++) {
        STATUS(weir_event_acquire(device, &more), WEIR_FULL);
        weir_event_release(events[3]);
    }
    OK(weir_event_acquire(device, &more));
    assert_ptr_equal(more, events[3]);
    for (int i = 0; i < all; i++)
        weir_event_release(events[i]);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(ends_at_once_when_nothing_is_left),
        ON_EACH_BACKEND(events_futures_and_stamps_keep_their_context),
        ON_EACH_BACKEND(a_future_keeps_the_context_of_its_event),
        ON_EACH_BACKEND(a_queue_keeps_its_context),
        ON_EACH_BACKEND(other_users_count_as_well),
        ON_EACH_BACKEND(the_last_may_be_a_call_back),
        ON_EACH_BACKEND(an_event_goes_back_with_its_last_holder),
        cmocka_unit_test(the_same_when_simulated),
    };
    return cmocka_run_group_tests_name("lifetime", tests, NULL, NULL);
}
