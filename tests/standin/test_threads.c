/** @file test_threads.c  What threads ask of GPUs: nothing on another GPU than theirs, and not more often the more of them
 *  wait. */
#include "tests/standin/standin_fixture.h"

#include "runtime/backend.h"

#include <cuda.h>

struct asked {
    weir_context *context;
    weir_device *device;
    weir_queue *queue;
    weir_event *event;
    weir_future *future;
    weir_stamp *begin, *end;
    weir_status status;
    CUcontext current; /* the thread's, behind what only asks or waits */
};

static void look_for_a_context(struct asked *asked)
{
    (void)cuCtxGetCurrent(&asked->current);
}

static void synchronise(void *user)
{
    struct asked *asked = user;
    asked->status = weir_queue_sync(asked->queue);
}

static void ask_for_the_status(void *user)
{
    struct asked *asked = user;
    asked->status = weir_device_status(asked->device);
    look_for_a_context(asked);
}

static void wait_for_the_event(void *user)
{
    struct asked *asked = user;
    asked->status = weir_event_wait(asked->event, LONG_MS);
    if (!asked->status)
        asked->status = weir_event_query(asked->event);
    look_for_a_context(asked);
}

/* Longer than a slice of a wait, in which all devices are asked whether they work. */
static void wait_for_the_future(void *user)
{
    struct asked *asked = user;
    asked->status = weir_future_wait(asked->future, 200);
    look_for_a_context(asked);
}

static void put_work_in(void *user)
{
    struct asked *asked = user;
    asked->status = weir_queue_wait_event(asked->queue, asked->event);
    if (!asked->status)
        asked->status = weir_queue_record(asked->queue, asked->event);
}

static void read_the_time(void *user)
{
    struct asked *asked = user;
    double ms = -1;
    asked->status = weir_stamp_elapsed(asked->begin, asked->end, &ms);
}

static void make_and_destroy(void *user)
{
    struct asked *asked = user;
    weir_queue *queue;
    void *data;
    asked->status = weir_queue_create(asked->device, 0, &queue);
    if (asked->status)
        return;
    asked->status = weir_device_alloc(asked->device, 1000, &data);
    if (!asked->status)
        weir_device_free(asked->device, data);
    weir_queue_destroy(queue);
}

static void assert_stays_on_its_gpu(struct asked *asked, void (*function)(void *user),
                                    weir_status wanted)
{
    struct task task;
    start_task(&task, function, asked);
    end_task(&task);
    assert_int_equal(asked->status, wanted);
    assert_null(asked->current);
    assert_int_equal(standin_stray_contexts(), 0);
    assert_false(standin_has_context(0));
}

/* The context is made by a fresh thread too: the main one may have had GPUs before. */
static void open_second_gpu(void *user)
{
    struct asked *asked = user;
    asked->status = weir_context_create("cuda:1", NULL, &asked->context);
}

static void only_the_gpus_of_the_spec_are_touched(void **state)
{
    struct asked asked = {0};
    struct task task;
    (void)state;
    standin_reset();
    start_task(&task, open_second_gpu, &asked);
    end_task(&task);
    OK(asked.status);
    asked.device = weir_context_device(asked.context, 0);
    asked.queue = new_queue(asked.device);
    asked.event = new_event(asked.device);
    asked.future = new_future(asked.context);
    OK(weir_stamp_create(asked.device, &asked.begin));
    OK(weir_stamp_create(asked.device, &asked.end));
    OK(weir_queue_stamp(asked.queue, asked.begin));
    OK(weir_queue_stamp(asked.queue, asked.end));
    OK(weir_queue_record(asked.queue, asked.event));
    OK(weir_event_wait(asked.event, LONG_MS));
    assert_true(standin_has_context(1));
    assert_stays_on_its_gpu(&asked, wait_for_the_event, WEIR_OK);
    assert_stays_on_its_gpu(&asked, put_work_in, WEIR_OK);
    assert_stays_on_its_gpu(&asked, read_the_time, WEIR_OK);
    assert_stays_on_its_gpu(&asked, make_and_destroy, WEIR_OK);
    assert_stays_on_its_gpu(&asked, synchronise, WEIR_OK);
    assert_stays_on_its_gpu(&asked, ask_for_the_status, WEIR_OK);
    assert_stays_on_its_gpu(&asked, wait_for_the_future, WEIR_ERR_TIMEOUT);
    weir_stamp_destroy(asked.begin);
    weir_stamp_destroy(asked.end);
    weir_future_release(asked.future);
    weir_event_release(asked.event);
    weir_queue_destroy(asked.queue);
    weir_context_destroy(asked.context);
    assert_nothing_left();
}

/* ---- how often devices are asked --------------------------------------------------------------------- */

#define WAITERS 8
#define QUEUES  4
#define WAIT_MS 400

static void wait_in_vain(void *user)
{
    struct asked *asked = user;
    asked->status = weir_future_wait(asked->future, WAIT_MS);
}

/* All who wait look whether the devices still work: one of them does so for all, once a slice of a wait. */
static void one_asks_for_all_who_wait(void **state)
{
    struct asked asked[WAITERS];
    struct task task[WAITERS];
    weir_queue *queue[QUEUES];
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    for (int i = 0; i < QUEUES; i++)
        queue[i] = new_queue(weir_context_device(context, 0));
    const uint64_t before = standin_calls(STANDIN_cudaStreamQuery), begin = weir__now_ns();
    for (int i = 0; i < WAITERS; i++) {
        asked[i] = (struct asked){.future = future};
        start_task(&task[i], wait_in_vain, &asked[i]);
    }
    for (int i = 0; i < WAITERS; i++)
        end_task(&task[i]);
    const uint64_t calls = standin_calls(STANDIN_cudaStreamQuery) - before;
    const uint64_t slices = (weir__now_ns() - begin) / (WEIR__SLICE_MS * UINT64_C(900000)) + 1;
    for (int i = 0; i < WAITERS; i++)
        STATUS(asked[i].status, WEIR_ERR_TIMEOUT);
    weir_future_release(future);
    for (int i = 0; i < QUEUES; i++)
        weir_queue_destroy(queue[i]);
    weir_context_destroy(context);
    assert_in_range(calls, QUEUES, slices * QUEUES);
    assert_nothing_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(only_the_gpus_of_the_spec_are_touched, "cuda:1"),
        ON_BACKEND(one_asks_for_all_who_wait, "cuda:0"),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
