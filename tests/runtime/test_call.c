/** @file test_call.c  C functions in queues: of host devices and simulated ones; refused by GPUs. */
#include "tests/runtime/sim_model.h"

#include <stdatomic.h>
#include <string.h>

static int is_gpu(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return info.kind == WEIR_DEVICE_CUDA;
}

/* What a function saw of memory that the queue's other operations write. */
struct look {
    const unsigned char *data;
    size_t bytes;
    unsigned char seen, uniform;
};

static void look_at(void *user)
{
    struct look *look = user;
    look->seen = look->data[0];
    look->uniform = 1;
    for (size_t i = 1; i < look->bytes; i++)
        look->uniform &= look->data[i] == look->seen;
}

static void run_in_order(weir_context *context, weir_device *device)
{
    enum { ROUNDS = 40, BYTES = 5000 };
    static struct look looks[ROUNDS];
    weir_queue *queue = new_queue(device);
    unsigned char *data = new_memory(device, BYTES);
    (void)context;
    for (int i = 0; i < ROUNDS; i++) {
        looks[i] = (struct look){.data = data, .bytes = BYTES};
        OK(weir_queue_fill(queue, data, i + 1, BYTES));
        OK(weir_queue_call(queue, look_at, &looks[i]));
    }
    OK(weir_queue_sync(queue));
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(looks[i].seen, i + 1);
        assert_true(looks[i].uniform);
    }
    weir_queue_destroy(queue);
    weir_device_free(device, data);
}

static void refuse(weir_device *device)
{
    weir_queue *queue = new_queue(device);
    struct look look = {.seen = 77};
    STATUS(weir_queue_call(queue, look_at, &look), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("runs no C functions: put a weir_kernel in");
    OK(weir_queue_sync(queue));
    assert_int_equal(look.seen, 77);
    weir_queue_destroy(queue);
}

static void functions_run_in_order_with_all_else(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++)
        if (is_gpu(any_device(context, d)))
            refuse(any_device(context, d));
        else
            run_in_order(context, any_device(context, d));
    weir_context_destroy(context);
}

static void count_up(void *user)
{
    atomic_fetch_add((_Atomic int *)user, 1);
}

static void a_gate_and_an_event_stand_around_it(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    weir_queue *queue = new_queue(home);
    weir_future *gate = new_future(context);
    weir_event *event = new_event(home);
    _Atomic int calls = 0;
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_call(queue, count_up, &calls));
    OK(weir_queue_record(queue, event));
    STATUS(weir_event_wait(event, 20), WEIR_ERR_TIMEOUT);
    assert_int_equal(atomic_load(&calls), 0);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(event, LONG_MS));
    assert_int_equal(atomic_load(&calls), 1);
    weir_event_release(event);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* A function on a host device may use the library: here it feeds another queue and sets a future. */
struct feeder {
    weir_queue *other;
    _Atomic int *calls;
    weir_future *done;
    weir_status put, set;
};

static void feed(void *user)
{
    struct feeder *feeder = user;
    feeder->put = weir_queue_call(feeder->other, count_up, (void *)feeder->calls);
    feeder->set = weir_future_set(feeder->done, NULL);
}

static void a_function_may_feed_another_queue(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    weir_queue *queue = new_queue(home), *other = new_queue(home);
    _Atomic int calls = 0;
    struct feeder feeder = {other, &calls, new_future(context), WEIR_ERR_IO, WEIR_ERR_IO};
    OK(weir_queue_call(queue, feed, &feeder));
    OK(weir_future_wait(feeder.done, LONG_MS));
    OK(weir_queue_sync(queue));
    OK(feeder.put);
    OK(feeder.set);
    OK(weir_queue_sync(other));
    assert_int_equal(atomic_load(&calls), 1);
    weir_future_release(feeder.done);
    weir_queue_destroy(queue);
    weir_queue_destroy(other);
    weir_context_destroy(context);
}

static void a_simulated_one_takes_a_launch(void **state)
{
    weir_context *context = sim_open();
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    _Atomic int calls = 0;
    (void)state;
    run_in_order(context, device);
    uint64_t before = weir_context_time_ns(context);
    OK(weir_queue_call(queue, count_up, &calls));
    OK(weir_queue_call(queue, count_up, &calls));
    assert_int_equal(atomic_load(&calls), 0);
    OK(weir_queue_sync(queue));
    assert_int_equal(atomic_load(&calls), 2);
    assert_int_equal(weir_context_time_ns(context) - before, (uint64_t)(2e3 * SIM_LAUNCH_US));
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(functions_run_in_order_with_all_else),
        ON_EACH_BACKEND(a_gate_and_an_event_stand_around_it),
        ON_EACH_BACKEND(a_function_may_feed_another_queue),
        cmocka_unit_test(a_simulated_one_takes_a_launch),
    };
    return cmocka_run_group_tests_name("call", tests, NULL, NULL);
}
