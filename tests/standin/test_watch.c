/** @file test_watch.c  The thread that watches events of a GPU: told of many at a time, and ended at any time. */
#include "tests/standin/standin_fixture.h"

#include "runtime/internal.h"

#define ROUNDS  24
#define THREADS 3
#define EVENTS  8u

/* A thread with a queue of the host that waits for events of the GPU, each of which the watcher tells of. */
struct watcher {
    weir_context *context;
    _Atomic uint32_t calls;
    uint32_t round;
    weir_status status;
};

static void count_call(void *user)
{
    atomic_fetch_add((_Atomic uint32_t *)user, 1);
}

/* Work that lasts until its events are watched. */
static void last_a_little(void *user)
{
    (void)user;
    pause_ms(1);
}

static weir_status follow(struct watcher *watcher, weir_queue *gpu, weir_queue *host,
                          weir_event *event, void *data)
{
    weir_status status;
    if (cudaLaunchHostFunc(weir_queue_native(gpu), last_a_little, NULL))
        return WEIR_ERR_DEVICE;
    if ((status = weir_queue_fill(gpu, data, 1, 256)) || (status = weir_queue_record(gpu, event)) ||
        (status = weir_queue_wait_event(host, event)))
        return status;
    return weir_queue_call(host, count_call, &watcher->calls);
}

static void watch(void *user)
{
    struct watcher *watcher = user;
    weir_device *device = weir_context_device(watcher->context, 0);
    weir_event *event[EVENTS] = {NULL};
    weir_queue *gpu = NULL, *host = NULL;
    void *data = NULL;
    weir_status status;
    if ((status = weir_queue_create(device, 0, &gpu)) ||
        (status = weir_queue_create(weir_context_home(watcher->context), 0, &host)) ||
        (status = weir_device_alloc(device, 256, &data)))
        watcher->status = status;
    for (uint32_t i = 0; i < EVENTS && !watcher->status; i++)
        if (!(watcher->status = weir_event_acquire(device, &event[i])))
            watcher->status = follow(watcher, gpu, host, event[i], data);
    weir_queue_destroy(host); /* waits for its calls, and they for the watcher */
    weir_queue_destroy(gpu);
    for (uint32_t i = 0; i < EVENTS; i++)
        weir_event_release(event[i]);
    weir_device_free(device, data);
}

/* The context is destroyed right behind the last call: the watcher may be asleep, polling, or calling. */
static void the_watcher_ends_with_its_context(void **state)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct watcher watcher[THREADS];
        struct task task[THREADS];
        weir_context *context = open_or_skip(state);
        for (int i = 0; i < THREADS; i++) {
            watcher[i] = (struct watcher){.context = context, .round = round};
            start_task(&task[i], watch, &watcher[i]);
        }
        for (int i = 0; i < THREADS; i++)
            end_task(&task[i]);
        weir_context_destroy(context);
        for (int i = 0; i < THREADS; i++) {
            OK(watcher[i].status);
            assert_int_equal(atomic_load(&watcher[i].calls), EVENTS);
        }
        assert_nothing_left();
    }
}

/* Futures that several threads set at once, with events, while queues of GPU and host wait for them. */
struct setter {
    weir_future **future;
    weir_event **event;
    uint32_t first;
    weir_status status;
};

static void set_futures(void *user)
{
    struct setter *setter = user;
    for (uint32_t i = setter->first; i < EVENTS && !setter->status; i += 2)
        setter->status = weir_future_set(setter->future[i], weir__event_retain(setter->event[i]));
}

static void wait_everywhere(weir_context *context, weir_queue *gpu, weir_queue *host,
                            weir_future **future, weir_event **event)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        future[i] = new_future(context);
        event[i] = new_event(weir_queue_device(gpu));
        OK(weir_queue_wait_future(i % 2 ? gpu : host, future[i]));
    }
}

static void a_round_of_futures(weir_context *context)
{
    weir_device *device = weir_context_device(context, 0);
    weir_queue *gpu = new_queue(device), *host = new_queue(weir_context_home(context)),
               *worker = new_queue(device);
    weir_future *future[EVENTS];
    weir_event *event[EVENTS];
    struct setter setter[2];
    struct task task[2];
    char *data = new_memory(device, EVENTS);
    wait_everywhere(context, gpu, host, future, event);
    for (uint32_t i = 0; i < EVENTS; i++) {
        assert_int_equal(cudaLaunchHostFunc(weir_queue_native(worker), last_a_little, NULL),
                         cudaSuccess);
        OK(weir_queue_fill(worker, data + i, 1, 1));
        OK(weir_queue_record(worker, event[i]));
    }
    for (uint32_t i = 0; i < 2; i++) {
        setter[i] = (struct setter){future, event, i, WEIR_OK};
        start_task(&task[i], set_futures, &setter[i]);
    }
    for (uint32_t i = 0; i < EVENTS; i++)
        OK(weir_future_wait(future[i], LONG_MS));
    for (int i = 0; i < 2; i++) {
        end_task(&task[i]);
        OK(setter[i].status);
    }
    weir_queue_destroy(gpu);
    weir_queue_destroy(host);
    weir_queue_destroy(worker);
    for (uint32_t i = 0; i < EVENTS; i++) {
        weir_future_release(future[i]);
        weir_event_release(event[i]);
    }
    weir_device_free(device, data);
}

static void futures_are_set_by_several_threads(void **state)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        weir_context *context = open_or_skip(state);
        a_round_of_futures(context);
        weir_context_destroy(context);
        assert_nothing_left();
    }
}

/* The GPU breaks while the watcher has events of it: whoever waits is let go. */
static void a_gpu_breaks_while_it_is_watched(void **state)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        weir_context *context = open_or_skip(state);
        struct watcher watcher[THREADS];
        struct task task[THREADS];
        standin_break_at(0, 1 + round, cudaErrorLaunchFailure);
        for (int i = 0; i < THREADS; i++) {
            watcher[i] = (struct watcher){.context = context};
            start_task(&task[i], watch, &watcher[i]);
        }
        for (int i = 0; i < THREADS; i++)
            end_task(&task[i]);
        for (int i = 0; i < THREADS; i++)
            assert_true(watcher[i].status == WEIR_OK || watcher[i].status == WEIR_ERR_DEVICE);
        weir_context_destroy(context);
        standin_reset();
        assert_int_equal(standin_left().streams + standin_left().events, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(the_watcher_ends_with_its_context, "cuda:0"),
        ON_BACKEND(futures_are_set_by_several_threads, "cuda:0"),
        ON_BACKEND(a_gpu_breaks_while_it_is_watched, "cuda:0"),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
