/** @file test_device_fault.c  A device that fails ends every receive and every send of its context, also of
 *  those who wait while nobody calls anything. */
#include "tests/lib/flow.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <time.h>

#define SENDS 6

/* A thread that waits, and what it was told. */
struct waiter {
    weir_pending *pending; /* or */
    weir_future *done;     /* or */
    weir_event *event;
    weir_status seen;
    pthread_t thread;
};

static void *wait_long(void *data)
{
    struct waiter *waiter = data;
    weir_segment segment;
    if (waiter->pending)
        waiter->seen = weir_pending_wait(waiter->pending, LONG_MS, &segment);
    else
        waiter->seen = weir_future_wait(waiter->done, LONG_MS);
    return NULL;
}

static void start(struct waiter *waiter)
{
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_long, waiter), 0);
}

static weir_status finish_waiter(struct waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
    return waiter->seen;
}

static void do_nothing(void *user)
{
    (void)user;
}

/* Break a device by an operation in a queue that has nothing to do with any link. */
static void break_device(weir_device *device)
{
    weir_queue *queue = new_queue(device);
    weir__fault_arm(WEIR__FAULT_DEVICE, 1);
    (void)weir_queue_call(queue, do_nothing, NULL);
    weir_queue_destroy(queue);
    assert_true(weir__fault_struck(WEIR__FAULT_DEVICE));
    weir__fault_arm(WEIR__FAULT_DEVICE, 0);
}

static void sleep_a_little(void)
{
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
}

/* One waits for a packet that nobody sent, on a device that is not even the one that fails; another for
 * a send that no receiver takes. All other threads are asleep. */
static void who_waits_is_told(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 2, .outputs = 2};
    weir_policy direct = weir_policy_direct();
    struct waiter receiver = {0}, sender = {0};
    weir_endpoint *from = new_endpoint(weir_context_home(flow.context), "from"),
                  *to = new_endpoint(weir_context_home(flow.context), "to");
    flow_open(&flow, &direct, 64, 1);
    weir_link *plain = new_link(from, to, 64, 1);
    struct waiter plain_receiver = {0};
    weir_future *first = send_data(flow.in[0], weir_endpoint_device(flow.from[0]), NULL, 0, 1);
    sender.done = send_data(flow.in[0], weir_endpoint_device(flow.from[0]), NULL, 0, 1);
    OK(weir_link_receive(flow.out[0], &receiver.pending));
    OK(weir_link_receive(plain, &plain_receiver.pending));
    start(&receiver);
    start(&sender);
    start(&plain_receiver);
    sleep_a_little(); /* they sleep by now; if not, they are told at once */
    break_device(weir_context_device(flow.context, 0));
    STATUS(finish_waiter(&receiver), WEIR_ERR_DEVICE);
    STATUS(finish_waiter(&sender), WEIR_ERR_DEVICE);
    STATUS(finish_waiter(&plain_receiver), WEIR_ERR_DEVICE);
    STATUS(weir_device_status(weir_context_device(flow.context, 0)), WEIR_ERR_DEVICE);
    OK(weir_pending_release(receiver.pending, NULL));
    OK(weir_pending_release(plain_receiver.pending, NULL));
    weir_future_release(sender.done);
    weir_future_release(first);
    weir_link_destroy(plain);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    flow_close(&flow);
    assert_pools_empty(flow.context);
    weir_context_destroy(flow.context);
}

/* A queue that was gated on what will never come goes on; calls afterwards return the status. */
static void what_comes_later_is_refused(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 1};
    weir_policy any = weir_policy_any();
    weir_pending *pending;
    weir_segment segment;
    flow_open(&flow, &any, 64, 2);
    weir_device *home = weir_context_home(flow.context);
    weir_queue *queue = new_queue(home);
    OK(weir_link_receive(flow.out[0], &pending));
    OK(weir_pending_gate(pending, queue));
    break_device(weir_context_device(flow.context, 0));
    STATUS(weir_pending_wait(pending, LONG_MS, &segment), WEIR_ERR_DEVICE);
    /* The queue's own device may be the one that was hit: its gate is an operation too. */
    STATUS(weir_queue_sync(queue), weir_device_status(home));
    OK(weir_pending_release(pending, NULL));
    segment = (weir_segment){weir_endpoint_device(flow.from[0]), NULL, 0, 0, 0};
    STATUS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_ERR_DEVICE);
    weir_queue_destroy(queue);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* Receive until the link ends, in whatever way. */
static void drain(weir_link *link)
{
    weir_pending *pending;
    weir_segment segment;
    weir_status status = WEIR_OK;
    while (!status && !(status = weir_link_receive(link, &pending))) {
        status = weir_pending_wait(pending, LONG_MS, &segment);
        assert_int_not_equal(status, WEIR_ERR_TIMEOUT);
        weir_status freed = weir_pending_release(pending, NULL); /* whatever it says */
        assert_true(freed == WEIR_OK || freed == WEIR_ERR_DEVICE);
    }
    assert_true(status == WEIR_CLOSED || status == WEIR_ERR_DEVICE);
}

/* Every operation of a flow that is under way may be the one that breaks the device. */
static int run_until(weir_context *context, uint64_t nth)
{
    struct flow flow = {.context = context, .inputs = 1, .outputs = 2};
    weir_policy all = weir_policy_broadcast();
    weir_future *done[SENDS] = {NULL};
    weir_device *device = weir_context_device(context, 0);
    void *data = new_memory(device, 256);
    weir_status status = WEIR_OK;
    flow_open(&flow, &all, 64, 2);
    weir__fault_arm(WEIR__FAULT_DEVICE, nth);
    for (uint64_t i = 0; i < SENDS && !status; i++) {
        weir_segment segment = {device, data, 100, 0, i};
        status = weir_link_send(flow.in[0], &segment, NULL, &done[i]);
    }
    if (!status)
        status = weir_link_shutdown(flow.in[0]);
    for (int o = 0; o < 2; o++)
        drain(flow.out[o]);
    int struck = weir__fault_struck(WEIR__FAULT_DEVICE);
    for (int i = 0; i < SENDS; i++) {
        if (done[i]) {
            weir_status one = weir_future_wait(done[i], LONG_MS);
            assert_true(one == WEIR_OK || (struck && one == WEIR_ERR_DEVICE));
        }
        weir_future_release(done[i]);
    }
    weir__fault_arm(WEIR__FAULT_DEVICE, 0);
    weir_device_free(device, data);
    flow_close(&flow);
    assert_pools_empty(context);
    return struck;
}

static void any_operation_may_be_the_last(void **state)
{
    uint64_t nth = 1;
    for (int struck = 1; struck; nth++) {
        weir_context *context = open_or_skip(state);
        struck = run_until(context, nth);
        weir_context_destroy(context);
    }
    assert_true(nth > SENDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(who_waits_is_told, "host:1"),
        ON_BACKEND(who_waits_is_told, "host:4"),
        ON_BACKEND(what_comes_later_is_refused, "host:1"),
        ON_BACKEND(what_comes_later_is_refused, "host:4"),
        ON_BACKEND(any_operation_may_be_the_last, "host:1"),
        ON_BACKEND(any_operation_may_be_the_last, "host:4"),
    };
    return cmocka_run_group_tests_name("device_fault", tests, NULL, NULL);
}
