/** @file test_broken.c  A GPU that a kernel's fault breaks: it is found, told, and nothing hangs.
 *
 * One test in a program of its own: after the fault CUDA does no more work for this process. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <stdatomic.h>

struct bell {
    weir_future *future;
    _Atomic int rings;
};

static void ring(void *user, weir_status status)
{
    struct bell *bell = user;
    (void)weir_future_fail(bell->future, status);
    atomic_fetch_add(&bell->rings, 1);
}

/* A copy by a kernel from where nothing is. */
static void put_fault(weir_queue *queue, void *data)
{
    weir_device *device = weir_queue_device(queue);
    OK(weir_queue_push(queue, device, data, device, (void *)(uintptr_t)4096, 64));
}

/* The last GPU breaks; a queue of the first is held by a future that the broken queue was to let go,
 * and the host waits for one that only the alarm ends. */
static void a_fault_is_found_by_who_waits_for_something_else(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *first = weir_context_device(context, 0);
    weir_device *last = weir_context_device(context, weir_context_device_count(context) - 1);
    weir_queue *broken = new_queue(last), *held = new_queue(first);
    weir_future *passed = new_future(context), *gate = new_future(context);
    weir_event *event = new_event(last), *mark = new_event(last);
    struct bell bell = {new_future(context), 0};
    weir__alarm *alarm;
    void *data = new_memory(last, 64);
    OK(weir__alarm_create(context, ring, &bell, &alarm));
    OK(weir_device_status(last));
    OK(weir_queue_wait_future(held, passed));
    OK(weir_queue_wait_future(broken, gate));
    put_fault(broken, data);
    OK(weir_queue_record(broken, mark));
    OK(weir_queue_record(broken, event));
    OK(weir_future_set(passed, event));
    OK(weir_device_status(last));
    OK(weir_future_set(gate, NULL));
    STATUS(weir_future_wait(bell.future, LONG_MS), WEIR_ERR_DEVICE);
    assert_true(atomic_load(&bell.rings) > 0);
    STATUS(weir_device_status(last), WEIR_ERR_DEVICE);
    assert_detail_has("illegal memory access");
    STATUS(weir_event_query(mark), WEIR_ERR_DEVICE);
    STATUS(weir_event_wait(mark, -1), WEIR_ERR_DEVICE);
    STATUS(weir_queue_fill(broken, data, 1, 64), WEIR_ERR_DEVICE);
    STATUS(weir_queue_sync(broken), WEIR_ERR_DEVICE);
    (void)weir_queue_sync(held); /* well or not: it ends */
    /* CUDA may take the other GPUs of the process away too; the alarm rings once for each. */
    assert_in_range(atomic_load(&bell.rings), 1, weir_context_device_count(context));
    weir__alarm_destroy(alarm);
    weir_event_release(mark);
    weir_future_release(passed);
    weir_future_release(gate);
    weir_future_release(bell.future);
    weir_device_free(last, data);
    weir_queue_destroy(held);
    weir_queue_destroy(broken);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(a_fault_is_found_by_who_waits_for_something_else, "cuda"),
    };
    return cmocka_run_group_tests_name("broken", tests, NULL, NULL);
}
