/** @file test_simulate_waits.c  Events, futures and polling over virtual time. */
#include "tests/topology/sim_fixture.h"

#include "runtime/backend.h" /* event_notify */
#include "tests/lib/test_kernels.h"

static void put_kernel(struct star *s, uint32_t queue, uint32_t *calls)
{
    struct test_calls_args args = {calls, calls + 1, 1};
    OK(weir_queue_launch(s->queue[queue], &test_calls_kernel, &args, sizeof args));
}

static void a_chain_through_an_event(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    weir_event *event = new_event(s.device[0]);
    OK(weir_queue_record(s.queue[0], event)); /* an earlier record, which is reached at once */
    put_copy(&s, 0, 0, 1, BYTES);
    OK(weir_queue_record(s.queue[0], event));
    OK(weir_queue_wait_event(s.queue[1], event));
    put_copy(&s, 1, 1, 2, BYTES);
    OK(weir_queue_sync(s.queue[1]));
    assert_time_us(s.context, 2 * COPY_US);
    assert_bytes(s.data[2], BYTES, 1);
    assert_int_equal(weir_event_query(event), WEIR_OK);
    weir_event_release(event);
    star_close(&s);
}

static void waiting_goes_no_further_than_it_must(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    weir_event *event = new_event(s.device[0]);
    put_copy(&s, 0, 0, 1, BYTES);
    OK(weir_queue_record(s.queue[0], event));
    put_copy(&s, 0, 0, 1, BYTES);
    OK(weir_event_wait(event, 0)); /* the simulation can bring it: no time of the wall is needed */
    assert_time_us(s.context, COPY_US);
    OK(weir_event_wait(event, -1));
    assert_time_us(s.context, COPY_US);
    weir_event_release(event);
    star_close(&s);
}

static void polling_makes_progress(void **state)
{
    struct star s;
    int looks = 0;
    (void)state;
    star_open(&s);
    weir_event *event = new_event(s.device[0]);
    put_copy(&s, 0, 0, 1, BYTES);
    put_copy(&s, 0, 0, 1, BYTES);
    OK(weir_queue_record(s.queue[0], event));
    while (weir_event_query(event) == WEIR_PENDING && looks < 100)
        looks++;
    assert_int_equal(looks, 3); /* start and end of two flows, the last of which it sees */
    assert_time_us(s.context, 2 * COPY_US);
    weir_event_release(event);
    star_close(&s);
}

/* Nothing but the program can open the gate, so time stands still before it. */
static void a_gate_holds_until_its_future_is_set(void **state)
{
    uint32_t calls[2] = {0};
    struct star s;
    (void)state;
    star_open(&s);
    weir_future *gate = new_future(s.context);
    weir_event *event = new_event(s.device[0]);
    OK(weir_queue_wait_future(s.queue[0], gate));
    put_copy(&s, 0, 0, 1, BYTES);
    OK(weir_queue_record(s.queue[0], event));
    put_kernel(&s, 1, calls);
    put_kernel(&s, 1, calls);
    OK(weir_queue_sync(s.queue[1]));
    for (int i = 0; i < 10; i++)
        assert_int_equal(weir_event_query(event), WEIR_PENDING);
    STATUS(weir_event_wait(event, 5), WEIR_ERR_TIMEOUT);
    assert_time_us(s.context, 8);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(event, -1));
    assert_time_us(s.context, 8 + COPY_US);
    weir_future_release(gate);
    weir_event_release(event);
    star_close(&s);
}

static void a_failed_future_opens_its_gate(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    weir_future *gate = new_future(s.context);
    OK(weir_queue_wait_future(s.queue[0], gate));
    OK(weir_future_fail(gate, WEIR_ERR_CANCELLED));
    OK(weir_queue_sync(s.queue[0]));
    STATUS(weir_future_query(gate), WEIR_ERR_CANCELLED);
    weir_future_release(gate);
    star_close(&s);
}

/* Set before, or after, the queue waits for it: it opens when the event is reached, not earlier. */
static void a_gate_opens_at_its_event_s_time(void **state)
{
    (void)state;
    for (int set_first = 0; set_first < 2; set_first++) {
        struct star s;
        star_open(&s);
        weir_future *gate = new_future(s.context);
        weir_event *event = new_event(s.device[0]);
        put_copy(&s, 0, 0, 1, BYTES);
        OK(weir_queue_record(s.queue[0], event));
        if (set_first)
            OK(weir_future_set(gate, event));
        OK(weir_queue_wait_future(s.queue[1], gate));
        put_copy(&s, 1, 1, 2, BYTES);
        if (!set_first)
            OK(weir_future_set(gate, event));
        weir_future_release(gate); /* the queue does not need it */
        OK(weir_queue_sync(s.queue[1]));
        assert_time_us(s.context, 2 * COPY_US);
        assert_bytes(s.data[2], BYTES, 1);
        star_close(&s);
    }
}

static void set_future(void *future)
{
    (void)weir_future_set(future, NULL);
}

/* A future that only the simulation will decide, by a call-back: one thread waits, or polls. */
static void a_future_may_wait_for_the_simulation(void **state)
{
    (void)state;
    for (int polling = 0; polling < 2; polling++) {
        struct star s;
        int looks = 0;
        star_open(&s);
        weir_future *future = new_future(s.context);
        weir_event *event = new_event(s.device[0]);
        put_copy(&s, 0, 0, 1, BYTES);
        OK(weir_queue_record(s.queue[0], event));
        put_copy(&s, 0, 0, 1, BYTES);
        OK(event->device->ops->event_notify(event, set_future, future));
        while (polling && weir_future_query(future) == WEIR_PENDING && looks < 100)
            looks++;
        assert_true(looks < 100);
        OK(weir_future_wait(future, -1));
        assert_time_us(s.context, COPY_US);
        weir_future_release(future);
        weir_event_release(event);
        star_close(&s);
    }
}

static void a_future_that_nobody_sets_times_out(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    weir_future *future = new_future(s.context);
    put_copy(&s, 0, 0, 1, BYTES);
    STATUS(weir_future_wait(future, 5), WEIR_ERR_TIMEOUT);
    STATUS(weir_future_query(future), WEIR_PENDING);
    weir_future_release(future);
    star_close(&s);
}

/* Events that are given back before they are reached: when there is no other the simulation goes on until
 * one is. */
static void events_come_back(void **state)
{
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "events", "16"));
    weir_context *context = simulate(star_machine(0), config);
    weir_config_destroy(config);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *done[200];
    void *data = new_memory(device, 64);
    for (int i = 0; i < 200; i++) {
        weir_event *event;
        OK(weir_queue_fill(queue, data, i, 64));
        OK(weir_event_acquire(device, &event));
        OK(weir_queue_record(queue, event));
        done[i] = new_future(context);
        OK(event->device->ops->event_notify(event, set_future, done[i]));
        weir_event_release(event);
    }
    for (int i = 0; i < 200; i++) {
        OK(weir_future_wait(done[i], -1));
        weir_future_release(done[i]);
    }
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

static void note(void *user)
{
    char **at = user;
    *(*at)++ = '1';
}

static void note_second(void *user)
{
    char **at = user;
    *(*at)++ = '2';
}

/* The first is due, and made by nobody yet, when the second is asked for. */
static void call_backs_keep_their_order(void **state)
{
    char order[3] = "", *at = order;
    struct star s;
    (void)state;
    star_open(&s);
    weir_event *event = new_event(s.device[0]);
    put_copy(&s, 0, 0, 1, BYTES);
    OK(weir_queue_record(s.queue[0], event));
    OK(event->device->ops->event_notify(event, note, &at));
    OK(weir_event_wait(event, -1));
    OK(event->device->ops->event_notify(event, note_second, &at));
    OK(weir_event_query(event));
    assert_string_equal(order, "12");
    weir_event_release(event);
    star_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_through_an_event),
        cmocka_unit_test(waiting_goes_no_further_than_it_must),
        cmocka_unit_test(polling_makes_progress),
        cmocka_unit_test(a_gate_holds_until_its_future_is_set),
        cmocka_unit_test(a_failed_future_opens_its_gate),
        cmocka_unit_test(a_gate_opens_at_its_event_s_time),
        cmocka_unit_test(a_future_may_wait_for_the_simulation),
        cmocka_unit_test(a_future_that_nobody_sets_times_out),
        cmocka_unit_test(events_come_back),
        cmocka_unit_test(call_backs_keep_their_order),
    };
    return cmocka_run_group_tests_name("simulate_waits", tests, NULL, NULL);
}
