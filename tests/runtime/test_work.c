/** @file test_work.c  Kernels and functions of queues that say that they failed: who learns of it, and what does not run. */
#include "tests/runtime/sim_model.h"

#include <stdatomic.h>
#include <string.h>

static int runs_functions(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.kind == WEIR_DEVICE_HOST;
}

static void fail_call(void *user)
{
    *(weir_status *)user = weir_work_fail(WEIR_ERR_FORMAT, "item 7 is not a number");
}

static void count_up(void *user)
{
    atomic_fetch_add((_Atomic int *)user, 1);
}

/* The last worker fails, and the others say nothing. */
static void fail_kernel(const void *args, uint32_t worker, uint32_t workers)
{
    (void)args;
    if (worker + 1 == workers)
        (void)weir_work_fail(WEIR_ERR_VERIFY, "the last worker found a wrong sum");
}
static const weir_kernel failing = {.name = "failing", .host = fail_kernel};

static void note_worker(const void *args, uint32_t worker, uint32_t workers)
{
    (void)worker;
    (void)workers;
    atomic_fetch_add(*(_Atomic int *const *)args, 1);
}
static const weir_kernel noting = {.name = "noting", .host = note_worker};

/* What was put in behind the failure before anybody knew of it: a gate holds the queue meanwhile. */
static void stop_a_queue(weir_context *context, weir_device *device, int by_kernel)
{
    weir_status wanted = by_kernel ? WEIR_ERR_VERIFY : WEIR_ERR_FORMAT, said = WEIR_OK;
    const char *why = by_kernel ? "the last worker found a wrong sum" : "item 7 is not a number";
    weir_queue *queue = new_queue(device), *other = new_queue(device);
    weir_future *gate = new_future(context), *future = new_future(context);
    weir_event *before = new_event(device), *behind = new_event(device), *last = new_event(device);
    static _Atomic int runs;
    _Atomic int *const runs_at = &runs;
    unsigned char *data = new_memory(device, 64);
    atomic_store(&runs, 0);
    put_pattern(device, data, 64, 3);
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_record(queue, before));
    if (by_kernel)
        OK(weir_queue_launch(queue, &failing, NULL, 0));
    else
        OK(weir_queue_call(queue, fail_call, &said));
    OK(weir_queue_call(queue, count_up, &runs));
    OK(weir_queue_launch(queue, &noting, &runs_at, sizeof runs_at));
    OK(weir_queue_fill(queue, data, 9, 64));
    OK(weir_queue_record(queue, behind));
    OK(weir_queue_status(queue));
    OK(weir_future_set(gate, NULL));
    STATUS(weir_event_wait(behind, LONG_MS), wanted);
    assert_detail(why);
    STATUS(weir_event_query(behind), wanted);
    STATUS(weir_queue_status(queue), wanted);
    assert_detail(why);
    STATUS(weir_queue_sync(queue), wanted);
    assert_detail(why);
    if (!by_kernel)
        STATUS(said, WEIR_ERR_FORMAT);
    OK(weir_event_wait(before, LONG_MS)); /* it was reached before the failure */
    assert_int_equal(atomic_load(&runs), 0);
    assert_pattern(device, data, 64, 3);
    /* New work is refused with the same; records, and queues that wait for them, go on. */
    STATUS(weir_queue_fill(queue, data, 9, 64), wanted);
    STATUS(weir_queue_copy(queue, device, data, device, data + 32, 32), wanted);
    STATUS(weir_queue_push(queue, device, data, device, data + 32, 32), wanted);
    STATUS(weir_queue_call(queue, count_up, &runs), wanted);
    STATUS(weir_queue_launch(queue, &noting, &runs_at, sizeof runs_at), wanted);
    assert_detail(why);
    OK(weir_queue_record(queue, last));
    OK(weir_queue_wait_event(other, last));
    OK(weir_queue_fill(other, data, 4, 64));
    OK(weir_queue_sync(other)); /* another queue of the device */
    assert_filled(device, data, 64, 4);
    STATUS(weir_event_wait(last, LONG_MS), wanted);
    OK(weir_future_set(future, last));
    STATUS(weir_future_wait(future, LONG_MS), wanted);
    assert_detail(why);
    weir_queue_destroy(queue); /* what it said stays with the event */
    STATUS(weir_future_query(future), wanted);
    assert_detail(why);
    OK(weir_device_status(device));
    /* An event says well again of a queue that is well. */
    OK(weir_queue_record(other, behind));
    OK(weir_event_wait(behind, LONG_MS));
    weir_event_release(before);
    weir_event_release(behind);
    weir_future_release(gate);
    weir_future_release(future);
    weir_queue_destroy(other);
    weir_device_free(device, data);
}

static void a_failure_stops_its_queue(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++)
        for (int by_kernel = 0; by_kernel < 2 && runs_functions(any_device(context, d));
             by_kernel++)
            stop_a_queue(context, any_device(context, d), by_kernel);
    weir_context_destroy(context);
}

static void of_simulated_devices_too(void **state)
{
    weir_context *context = sim_open();
    (void)state;
    stop_a_queue(context, weir_context_device(context, 0), 0);
    stop_a_queue(context, weir_context_device(context, 1), 1);
    weir_context_destroy(context);
}

/* Events are used again: one that carried a failure is handed out well. */
static void a_released_event_forgets_it(void **state)
{
    static const char *const settings[] = {"events=16", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_status said;
    OK(weir_queue_call(queue, fail_call, &said));
    for (int i = 0; i < 40; i++) {
        weir_event *event = new_event(device);
        OK(weir_event_query(event));
        OK(weir_queue_record(queue, event));
        STATUS(weir_event_wait(event, LONG_MS), WEIR_ERR_FORMAT);
        weir_event_release(event);
    }
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

struct said {
    weir_status status;
    const char *sentence;
    weir_status answer;
};

static void say(void *user)
{
    struct said *said = user;
    said->answer = weir_work_fail(said->status, said->sentence);
}

static void the_first_counts_and_a_status_is_checked(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(weir_context_home(context));
    struct said odd[] = {{WEIR_OK, "well", WEIR_OK}, {WEIR_FULL, "full", WEIR_OK}};
    struct said mute = {WEIR_ERR_IO, NULL, WEIR_OK};
    struct said late = {WEIR_ERR_TIMEOUT, "the sum did not settle", WEIR_OK};
    STATUS(weir_work_fail(WEIR_ERR_IO, "nowhere"), WEIR_ERR_INVALID);
    assert_detail_has("runs no work of a queue");
    OK(weir_queue_call(queue, say, &odd[0]));
    OK(weir_queue_call(queue, say, &odd[1]));
    OK(weir_queue_sync(queue));
    STATUS(odd[0].answer, WEIR_ERR_INVALID);
    STATUS(odd[1].answer, WEIR_ERR_INVALID);
    OK(weir_queue_call(queue, say, &late));
    STATUS(weir_queue_sync(queue), WEIR_ERR_CANCELLED); /* not a limit of the wait's */
    assert_detail("the sum did not settle");
    STATUS(late.answer, WEIR_ERR_CANCELLED);
    weir_queue_destroy(queue);
    queue = new_queue(weir_context_home(context));
    OK(weir_queue_call(queue, say, &mute));
    STATUS(weir_queue_sync(queue), WEIR_ERR_IO);
    assert_detail(weir_status_text(WEIR_ERR_IO)); /* where no sentence was given */
    STATUS(mute.answer, WEIR_ERR_IO);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void say_twice(void *user)
{
    (void)user;
    (void)weir_work_fail(WEIR_ERR_IO, "first");
    (void)weir_work_fail(WEIR_ERR_FORMAT, "second");
}

/* A call-back and a completion learn of it like everybody else. */
static void note_status(void *user, weir_status status)
{
    atomic_store((_Atomic int *)user, status);
}

static void watches_are_told_of_it(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    weir_queue *queue = new_queue(home);
    weir_future *future = new_future(context);
    weir_event *event = new_event(home);
    static _Atomic int told;
    weir_watch *watch;
    uint64_t word;
    weir_status status;
    size_t index;
    atomic_store(&told, 0);
    OK(weir_future_notify(future, note_status, &told, &watch));
    OK(weir_future_post(future, 3));
    OK(weir_queue_call(queue, say_twice, NULL));
    OK(weir_queue_record(queue, event));
    OK(weir_future_set(future, event));
    STATUS(weir_future_wait_any(&future, 1, LONG_MS, &index), WEIR_ERR_IO);
    assert_detail("first");
    STATUS(weir_future_wait_all(&future, 1, LONG_MS, &index), WEIR_ERR_IO);
    assert_int_equal(index, 0);
    STATUS(weir_queue_sync(queue), WEIR_ERR_IO);
    OK(weir_context_next(context, &word, &status));
    STATUS(status, WEIR_ERR_IO);
    assert_int_equal(atomic_load(&told), WEIR_ERR_IO);
    weir_watch_destroy(watch);
    weir_future_release(future);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_failure_stops_its_queue),
        cmocka_unit_test(of_simulated_devices_too),
        ON_BACKEND(a_released_event_forgets_it, "host:1"),
        ON_EACH_BACKEND(the_first_counts_and_a_status_is_checked),
        ON_EACH_BACKEND(watches_are_told_of_it),
    };
    return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
