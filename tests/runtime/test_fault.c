/** @file test_fault.c  Failures made to order: they surface as statuses, and nothing leaks or hangs.
 *
 * Leaks are what AddressSanitizer's build of this test finds. */
#include "tests/runtime/sim_model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Fail the n-th allocation of `make`, for every n until it gets through. @return how many there were. */
static uint64_t fail_each(weir_status (*make)(void *user), void *user, uint64_t *failed)
{
    *failed = 0;
    for (uint64_t n = 1;; n++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        weir_status status = make(user);
        int struck = weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        if (!struck) {
            OK(status);
            return n - 1;
        }
        if (status) { /* or it made do with less: a pool's slab does */
            STATUS(status, WEIR_ERR_NOMEM);
            assert_string_not_equal(weir_error_detail(), "");
            *failed += 1;
        }
    }
}

static weir_status make_context(void *spec)
{
    static const char *const settings[] = {"16"};
    weir_config *config;
    weir_context *context = (weir_context *)spec;
    weir_status status = weir_config_create(&config);
    if (status)
        return status;
    (void)weir_config_set(config, "events", settings[0]);
    status = weir_context_create(spec, config, &context);
    weir_config_destroy(config);
    if (status)
        return context ? WEIR_ERR_IO : status; /* it must have been cleared */
    weir_context_destroy(context);
    return WEIR_OK;
}

static weir_status make_simulation(void *unused)
{
    weir_context *context;
    weir_status status = sim_try_open(&context);
    (void)unused;
    if (!status)
        weir_context_destroy(context);
    return status;
}

static void a_context_survives_each_allocation(void **state)
{
    uint64_t failed;
    (void)state;
    assert_true(fail_each(make_context, "host:2x3", &failed) > 60); /* 3 devices of 16 events */
    assert_true(failed > 60);
    assert_true(fail_each(make_simulation, NULL, &failed) > 60);
    assert_true(failed > 60);
}

/* All that a queue takes memory for. */
static void nothing(void *user)
{
    (void)user;
}

static weir_status fill_queue(weir_context *context, weir_queue *queue, weir_event *event,
                              void *data)
{
    weir_device *device = weir_queue_device(queue);
    weir_future *future;
    weir__alarm *alarm = NULL;
    weir_status status = weir_future_create(context, &future);
    if (status)
        return status;
    (void)((status = weir__alarm_create(context, NULL, NULL, &alarm)) ||
           (status = weir_queue_wait_future(queue, future)) ||
           (status = weir_queue_copy(queue, device, data, device, (char *)data + 32, 32)) ||
           (status = weir_queue_push(queue, device, data, device, (char *)data + 32, 32)) ||
           (status = weir_queue_call(queue, nothing, NULL)) ||
           (status = weir_queue_record(queue, event)) ||
           (status = weir_queue_wait_event(queue, event)));
    weir_status set = weir_future_set(future, NULL);
    weir_future_release(future);
    weir__alarm_destroy(alarm);
    return status ? status : set;
}

static weir_status use_queue(void *user)
{
    weir_context *context = user;
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue;
    weir_event *event;
    void *data = NULL;
    char own[10];
    weir_status status = weir_queue_create(device, 0, &queue);
    if (status)
        return status;
    if (!(status = weir_event_acquire(device, &event)) &&
        !(status = weir_device_alloc(device, 64, &data)) &&
        !(status = weir_memory_register(context, own, sizeof own)))
        status = fill_queue(context, queue, event, data);
    weir_queue_destroy(queue);
    (void)weir_memory_unregister(context, own);
    weir_event_release(event);
    weir_device_free(device, data);
    return status;
}

static void a_queue_survives_each_allocation(void **state)
{
    uint64_t failed;
    weir_context *context = open_or_skip(state);
    assert_true(fail_each(use_queue, context, &failed) >= 6);
    assert_true(failed >= 6);
    weir_context_destroy(context);
    context = sim_open();
    assert_true(fail_each(use_queue, context, &failed) >= 6);
    assert_true(failed >= 6);
    weir_context_destroy(context);
}

static void the_nth_copy_fails_and_no_other(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    char *data = new_memory(device, 20);
    for (uint64_t n = 1; n <= 11; n++) {
        uint64_t failed = 0;
        weir__fault_arm(WEIR__FAULT_COPY, n);
        OK(weir_queue_copy(queue, device, data, device, data + 10, 0)); /* is none */
        for (uint64_t i = 1; i <= 10; i++) {
            weir_status status = i % 2
                                     ? weir_queue_copy(queue, device, data, device, data + 10, 10)
                                     : weir_queue_push(queue, device, data, device, data + 10, 10);
            if (status) {
                STATUS(status, WEIR_ERR_DEVICE);
                assert_detail_has(": a copy could not be started");
                failed = failed ? UINT64_MAX : i;
            }
        }
        assert_int_equal(failed, n <= 10 ? n : 0);
        assert_int_equal(weir__fault_struck(WEIR__FAULT_COPY), n <= 10);
        weir__fault_arm(WEIR__FAULT_COPY, 0);
        assert_int_equal(weir__fault_struck(WEIR__FAULT_COPY), 0);
    }
    OK(weir_queue_sync(queue)); /* the device itself is well */
    OK(weir_device_status(device));
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

static void the_nth_event_is_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_event *event = (weir_event *)state;
    weir__fault_arm(WEIR__FAULT_EVENT, 2);
    weir_event_release(new_event(device));
    STATUS(weir_event_acquire(device, &event), WEIR_FULL);
    assert_null(event);
    assert_true(weir__fault_struck(WEIR__FAULT_EVENT));
    weir_event_release(new_event(device));
    weir__fault_arm(WEIR__FAULT_EVENT, 1);
    weir__fault_arm(WEIR__FAULT_EVENT, 0); /* thought better of */
    weir_event_release(new_event(device));
    assert_false(weir__fault_struck(WEIR__FAULT_EVENT));
    weir_context_destroy(context);
}

/* ---- a host device that breaks -------------------------------------------------------------- */

static void break_now(weir_device *device)
{
    weir_queue *queue = new_queue(device);
    weir__fault_arm(WEIR__FAULT_DEVICE, 1);
    OK(weir_queue_call(queue, nothing, NULL));
    STATUS(weir_queue_sync(queue), WEIR_ERR_DEVICE);
    assert_true(weir__fault_struck(WEIR__FAULT_DEVICE));
    weir_queue_destroy(queue);
}

/* The n-th operation of six breaks it: what changes memory before it has run, what comes after has not,
 * and all events are over. */
static void break_at(void **state, uint64_t n)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0), *home = weir_context_home(context);
    weir_queue *queue = new_queue(device), *other = new_queue(home);
    weir_event *events[3], *well = new_event(home);
    weir_future *future = new_future(context), *gate = new_future(context);
    unsigned char data[3] = {0};
    OK(weir_queue_wait_future(queue, gate));
    for (int i = 0; i < 3; i++) {
        events[i] = new_event(device);
        OK(weir_queue_fill(queue, &data[i], 1, 1));
        OK(weir_queue_record(queue, events[i]));
    }
    OK(weir_future_set(future, events[2]));
    OK(weir_queue_wait_future(other, future));
    OK(weir_queue_record(other, well));
    weir__fault_arm(WEIR__FAULT_DEVICE, 0);
    OK(weir_future_set(gate, NULL));
    weir__fault_arm(WEIR__FAULT_DEVICE,
                    n); /* the gate and the other queue's two may or may not count */
    weir_status ended = weir_future_wait(future, LONG_MS);
    weir_status synced = weir_queue_sync(queue);
    (void)weir_queue_sync(other);
    int struck = weir__fault_struck(WEIR__FAULT_DEVICE);
    weir__fault_arm(WEIR__FAULT_DEVICE, 0);
    int broken = weir_device_status(device) == WEIR_ERR_DEVICE;
    assert_int_equal(struck, broken || weir_device_status(home) == WEIR_ERR_DEVICE);
    if (broken) {
        STATUS(weir_future_query(future), WEIR_ERR_DEVICE);
        STATUS(synced, WEIR_ERR_DEVICE);
        STATUS(weir_event_query(events[0]), WEIR_ERR_DEVICE);
        STATUS(weir_event_wait(events[1], -1), WEIR_ERR_DEVICE);
        assert_detail("host:0: an operation of a queue failed");
    } else {
        OK(ended);
        OK(synced);
    }
    for (int i = 0; i < 2; i++) { /* a prefix has run */
        assert_true(data[i] || !data[i + 1]);
        weir_event_release(events[i]);
    }
    assert_true(broken || data[2]);
    weir_future_release(future);
    weir_future_release(gate);
    weir_event_release(well);
    weir_queue_destroy(queue);
    weir_queue_destroy(other);
    weir_context_destroy(context);
}

static void any_operation_may_break_a_device(void **state)
{
    for (uint64_t n = 1; n <= 10; n++)
        break_at(state, n);
}

static void a_broken_device_takes_nothing_more(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0), *well = weir_context_device(context, 1);
    weir_queue *queue = new_queue(device), *more = (weir_queue *)state, *fine = new_queue(well);
    weir_event *event = new_event(device);
    weir_future *future = new_future(context);
    weir_stamp *stamp;
    void *data = new_memory(device, 100);
    OK(weir_stamp_create(device, &stamp));
    OK(weir_device_status(device));
    break_now(device);
    STATUS(weir_device_status(device), WEIR_ERR_DEVICE);
    assert_detail("host:0: an operation of a queue failed");
    STATUS(weir_queue_copy(queue, device, data, device, data, 9), WEIR_ERR_DEVICE);
    STATUS(weir_queue_push(queue, device, data, device, data, 9), WEIR_ERR_DEVICE);
    STATUS(weir_queue_fill(queue, data, 1, 9), WEIR_ERR_DEVICE);
    STATUS(weir_queue_call(queue, nothing, NULL), WEIR_ERR_DEVICE);
    STATUS(weir_queue_record(queue, event), WEIR_ERR_DEVICE);
    STATUS(weir_queue_stamp(queue, stamp), WEIR_ERR_DEVICE);
    STATUS(weir_queue_wait_event(queue, event), WEIR_ERR_DEVICE);
    STATUS(weir_queue_wait_future(queue, future), WEIR_ERR_DEVICE);
    STATUS(weir_queue_create(device, 0, &more), WEIR_ERR_DEVICE);
    assert_null(more);
    STATUS(weir_queue_sync(queue), WEIR_ERR_DEVICE);
    OK(weir_device_status(well));
    OK(weir_queue_fill(fine, data, 1, 9));
    OK(weir_queue_sync(fine));
    weir_future_release(future);
    weir_stamp_destroy(stamp);
    weir_event_release(event);
    weir_device_free(device, data);
    weir_queue_destroy(queue);
    weir_queue_destroy(fine);
    weir_context_destroy(context);
}

/* Nobody sets the future, and the queue that waits for it can be destroyed all the same. Events are waited
 * for: what they stand behind may use the same memory. */
static void a_broken_device_waits_for_events_and_for_no_future(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0), *well = weir_context_device(context, 1);
    weir_queue *queue = new_queue(device), *held = new_queue(device), *stuck = new_queue(well);
    weir_future *never = new_future(context), *later = new_future(context);
    weir_event *event = new_event(device), *behind = new_event(well);
    unsigned char data = 0;
    OK(weir_queue_wait_future(stuck, later));
    OK(weir_queue_record(stuck, behind));
    OK(weir_queue_wait_event(held, behind)); /* a host's event */
    OK(weir_queue_wait_future(queue, never));
    OK(weir_queue_fill(queue, &data, 1, 1));
    OK(weir_queue_record(queue, event));
    STATUS(weir_event_wait(event, 10), WEIR_ERR_TIMEOUT);
    break_now(device);
    STATUS(weir_event_wait(event, LONG_MS), WEIR_ERR_DEVICE);
    OK(weir_future_set(later, NULL));
    STATUS(weir_queue_sync(held), WEIR_ERR_DEVICE);
    weir_queue_destroy(queue);
    weir_queue_destroy(held);
    assert_int_equal(data, 0);
    OK(weir_queue_sync(stuck));
    weir_event_release(event);
    weir_event_release(behind);
    weir_future_release(never);
    weir_future_release(later);
    weir_queue_destroy(stuck);
    weir_context_destroy(context);
}

/* ---- alarms ----------------------------------------------------------------------------------- */

struct bell {
    weir__alarm *alarm;
    weir_future *future; /* failed by the alarm, or NULL */
    int destroys;        /* its own alarm */
    _Atomic int rings, right;
};

static void ring(void *user, weir_status status)
{
    struct bell *bell = user;
    atomic_store(&bell->right,
                 status == WEIR_ERR_DEVICE &&
                     !strcmp(weir_error_detail(), "host:0: an operation of a queue failed"));
    if (bell->future)
        (void)weir_future_fail(bell->future, status);
    if (bell->destroys)
        weir__alarm_destroy(bell->alarm);
    atomic_fetch_add(&bell->rings, 1);
}

static void hang_up(weir_context *context, struct bell *bell)
{
    OK(weir__alarm_create(context, ring, bell, &bell->alarm));
}

static void each_alarm_is_called_once_for_a_device(void **state)
{
    weir_context *context = open_or_skip(state);
    struct bell bells[3] = {{0}}, late = {0}, gone = {0}, itself = {.destroys = 1};
    for (int i = 0; i < 3; i++)
        hang_up(context, &bells[i]);
    hang_up(context, &gone);
    hang_up(context, &itself);
    weir__alarm_destroy(gone.alarm);
    OK(weir_device_status(weir_context_device(context, 0)));
    assert_int_equal(atomic_load(&bells[0].rings), 0);
    break_now(weir_context_device(context, 0));
    hang_up(context, &late);
    OK(weir_device_status(weir_context_device(context, 1))); /* any wait would do */
    break_now(weir_context_device(context, 1));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(atomic_load(&bells[i].rings), 2);
        assert_true(atomic_load(&bells[i].right));
        weir__alarm_destroy(bells[i].alarm);
    }
    assert_int_equal(atomic_load(&late.rings), 2);
    assert_int_equal(atomic_load(&itself.rings), 1);
    assert_int_equal(atomic_load(&gone.rings), 0);
    weir__alarm_destroy(late.alarm);
    weir__alarm_destroy(NULL);
    weir_context_destroy(context);
}

/* The device breaks while this thread waits for a future that only the alarm will end. */
static void a_waiter_is_woken_by_the_alarm(void **state)
{
    for (int i = 0; i < 5; i++) {
        weir_context *context = open_or_skip(state);
        weir_device *device = weir_context_device(context, 0);
        weir_queue *queue = new_queue(device);
        weir_future *gate = new_future(context);
        struct bell bell = {.future = new_future(context)};
        hang_up(context, &bell);
        weir__fault_arm(WEIR__FAULT_DEVICE, 2);
        OK(weir_queue_wait_future(queue, gate));
        OK(weir_queue_call(queue, nothing, NULL));
        OK(weir_future_set(gate, NULL));
        STATUS(weir_future_wait(bell.future, i % 2 ? -1 : LONG_MS), WEIR_ERR_DEVICE);
        assert_true(atomic_load(&bell.right));
        weir__alarm_destroy(bell.alarm);
        weir_future_release(bell.future);
        weir_future_release(gate);
        weir_queue_destroy(queue);
        weir_context_destroy(context);
    }
}

struct breaker {
    weir_queue *queue;
    weir_status status;
};

static void *put_one(void *data)
{
    struct breaker *breaker = data;
    breaker->status = weir_queue_call(breaker->queue, nothing, NULL);
    return NULL;
}

/* Alarms come and go while another thread breaks the device: none is called after its destroy. */
static void an_alarm_that_is_gone_is_not_called(void **state)
{
    for (int i = 0; i < 20; i++) {
        weir_context *context = open_or_skip(state);
        struct breaker breaker = {new_queue(weir_context_device(context, 0)), WEIR_ERR_IO};
        pthread_t thread;
        weir__fault_arm(WEIR__FAULT_DEVICE, 1);
        assert_int_equal(pthread_create(&thread, NULL, put_one, &breaker), 0);
        int wrong = 0;
        for (int j = 0; j < 200; j++) {
            struct bell *bell = calloc(1, sizeof *bell);
            wrong |= !bell || weir__alarm_create(context, ring, bell, &bell->alarm);
            if (wrong)
                break;
            weir__alarm_destroy(bell->alarm);
            wrong |= atomic_load(&bell->rings) > 1;
            free(bell); /* a later call would write here */
        }
        pthread_join(thread, NULL);
        assert_false(wrong);
        OK(breaker.status);
        weir_queue_destroy(breaker.queue);
        weir_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_survives_each_allocation),
        ON_BACKEND(a_queue_survives_each_allocation, "host:2"),
        ON_EACH_BACKEND(the_nth_copy_fails_and_no_other),
        ON_EACH_BACKEND(the_nth_event_is_refused),
        ON_BACKEND(any_operation_may_break_a_device, "host:2"),
        ON_BACKEND(a_broken_device_takes_nothing_more, "host:2"),
        ON_BACKEND(a_broken_device_waits_for_events_and_for_no_future, "host:2"),
        ON_BACKEND(each_alarm_is_called_once_for_a_device, "host:2"),
        ON_BACKEND(a_waiter_is_woken_by_the_alarm, "host:2"),
        ON_BACKEND(an_alarm_that_is_gone_is_not_called, "host:2"),
    };
    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
