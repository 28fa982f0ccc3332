/** @file test_drop.c  Work that is given up: queues of host devices drop it, and what is long ends early. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <string.h>

#define BYTES 100000
#define LARGE ((size_t)72 << 20) /* more than two pieces of a copy */

static void set_bytes(const void *args, uint32_t worker, uint32_t workers)
{
    unsigned char *const *data = args;
    (void)workers;
    if (worker == 0)
        memset(*data, 3, BYTES);
}
static const weir_kernel setter = {.name = "setter", .host = set_bytes};

static void count(void *user)
{
    ++*(int *)user;
}

struct work {
    weir_device *device;
    weir_queue *queue;
    unsigned char *from, *to;
    int calls;
};

/* One of each kind of operation, behind a gate; the word, if any, is set before the gate opens. */
static void work_through(struct work *work, volatile int *word)
{
    weir_device *device = work->device;
    weir_future *gate = new_future(weir__device_context(device));
    weir_event *event = new_event(device);
    OK(weir_queue_wait_future(work->queue, gate));
    OK(weir_queue_fill(work->queue, work->from, 7, BYTES));
    OK(weir_queue_copy(work->queue, device, work->to, device, work->from, BYTES));
    OK(weir_queue_push(work->queue, device, work->to + BYTES, device, work->from, BYTES));
    unsigned char *third = work->to + 2 * BYTES;
    OK(weir_queue_launch(work->queue, &setter, &third, sizeof third));
    OK(weir_queue_call(work->queue, count, &work->calls));
    OK(weir_queue_record(work->queue, event));
    if (word)
        __atomic_store_n(word, 1, __ATOMIC_RELAXED);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(event, LONG_MS));
    OK(weir_queue_sync(work->queue));
    weir_event_release(event);
    weir_future_release(gate);
}

static void what_is_given_up_is_dropped(void **state)
{
    weir_context *context = open_or_skip(state);
    volatile int word = 0;
    struct work work = {.device = weir_context_device(context, 0)};
    work.queue = new_queue(work.device);
    work.from = new_memory(work.device, BYTES);
    work.to = new_memory(work.device, 3 * BYTES);
    memset(work.from, 1, BYTES);
    memset(work.to, 2, 3 * BYTES);
    weir__context_drop_when(context, &word);
    work_through(&work, &word);
    weir__context_drop_when(context, NULL);
    assert_filled(work.device, work.from, BYTES, 1);
    assert_filled(work.device, work.to, 3 * BYTES, 2);
    assert_int_equal(work.calls, 1); /* who is called may count on it */
    work_through(&work, NULL);
    assert_filled(work.device, work.to, 2 * BYTES, 7);
    assert_filled(work.device, work.to + 2 * BYTES, BYTES, 3);
    assert_int_equal(work.calls, 2);
    weir_queue_destroy(work.queue);
    weir_device_free(work.device, work.to);
    weir_device_free(work.device, work.from);
    weir_context_destroy(context);
}

/* The word lies in what is written, so that it is set when the first piece has come. */
static void what_is_long_ends_early(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    unsigned char *from = new_memory(device, LARGE), *to = new_memory(device, LARGE);
    memset(from, 5, LARGE);
    for (int kind = 0; kind < 3; kind++) {
        memset(to, 0, LARGE);
        weir__context_drop_when(context, (const volatile int *)(const void *)to);
        OK(kind == 0   ? weir_queue_fill(queue, to, 5, LARGE)
           : kind == 1 ? weir_queue_copy(queue, device, to, device, from, LARGE)
                       : weir_queue_push(queue, device, to, device, from, LARGE));
        OK(weir_queue_sync(queue));
        weir__context_drop_when(context, NULL);
        assert_int_equal(to[0], 5);
        assert_int_equal(to[LARGE - 1], 0);
    }
    weir_queue_destroy(queue);
    weir_device_free(device, to);
    weir_device_free(device, from);
    weir_context_destroy(context);
}

static void nobody_drops_for_another_context(void **state)
{
    weir_context *context = open_or_skip(state), *other = open_or_skip(state);
    const volatile int word = 1;
    struct work work = {.device = weir_context_device(other, 0)};
    work.queue = new_queue(work.device);
    work.from = new_memory(work.device, BYTES);
    work.to = new_memory(work.device, 3 * BYTES);
    assert_int_equal(weir__dropping(), 0);
    weir__context_drop_when(context, &word);
    assert_int_equal(weir__dropping(), 0); /* this thread works for nobody */
    const weir_context *before = weir__drop_enter(context);
    assert_null(before);
    assert_int_equal(weir__dropping(), 1);
    assert_ptr_equal(weir__drop_enter(NULL), context);
    work_through(&work, NULL);
    assert_filled(work.device, work.to, 2 * BYTES, 7);
    weir_queue_destroy(work.queue);
    weir_device_free(work.device, work.to);
    weir_device_free(work.device, work.from);
    weir_context_destroy(other);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(what_is_given_up_is_dropped, "host:1"),
        ON_BACKEND(what_is_given_up_is_dropped, "host:4"),
        ON_BACKEND(what_is_given_up_is_dropped, "host:2x3"),
        ON_BACKEND(what_is_long_ends_early, "host:1"),
        ON_BACKEND(nobody_drops_for_another_context, "host:2x3"),
    };
    return cmocka_run_group_tests_name("drop", tests, NULL, NULL);
}
