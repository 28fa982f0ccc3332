/** @file test_device_fault.c  A device that fails ends every receive and every send that needs it, also of
 *  those who wait while nobody calls anything; others go on. */
#include "tests/router/corner_fixture.h"

#include "runtime/backend.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
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

/* The same while copies are under way, any of which would meet an armed fault first. */
static void mark_device(weir_device *device)
{
    weir__device_mark(device, "an operation of a queue failed");
    STATUS(weir_device_status(device), WEIR_ERR_DEVICE);
}

static void sleep_a_little(void)
{
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
}

/* One waits for a packet that nobody sent, another for a send that no receiver takes; all other threads are
 * asleep. A link that does not touch the device goes on. */
static void who_waits_is_told(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 2, .outputs = 2};
    weir_policy direct = weir_policy_direct();
    struct waiter receiver = {0}, sender = {0};
    weir_endpoint *from = new_endpoint(weir_context_home(flow.context), "from"),
                  *to = new_endpoint(weir_context_home(flow.context), "to");
    flow_open(&flow, &direct, 64, 1);
    weir_link *plain = new_link(from, to, 64, 1);
    weir_future *first = send_data(flow.in[0], weir_endpoint_device(flow.from[0]), NULL, 0, 1);
    sender.done = send_data(flow.in[0], weir_endpoint_device(flow.from[0]), NULL, 0, 1);
    OK(weir_link_receive(flow.out[0], &receiver.pending));
    start(&receiver);
    start(&sender);
    sleep_a_little(); /* they sleep by now; if not, they are told at once */
    break_device(weir_context_device(flow.context, 0));
    STATUS(finish_waiter(&receiver), WEIR_ERR_DEVICE);
    STATUS(finish_waiter(&sender), WEIR_ERR_DEVICE);
    finish(send_data(plain, weir_context_home(flow.context), NULL, 0, 9));
    expect_packet(plain, 0, 0, 9, 0);
    STATUS(weir_device_status(weir_context_device(flow.context, 0)), WEIR_ERR_DEVICE);
    OK(weir_pending_release(receiver.pending, NULL));
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
    segment = (weir_segment){.device = weir_endpoint_device(flow.from[0])};
    STATUS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_ERR_DEVICE);
    weir_queue_destroy(queue);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* ---- others go on --------------------------------------------------------------------------------- */

/* The host sends to two devices, of which one or both fail. */
struct fan {
    struct corner c;
    weir_endpoint *host;
    weir_link *in, *out[2];
    char *data;
};

#define FAN_PACKETS 12

static void fan_open(struct fan *fan, void **state, weir_policy policy)
{
    corner_open(&fan->c, open_or_skip(state));
    weir_context *context = fan->c.context;
    weir_router *router = corner_router(&fan->c, policy);
    weir_endpoint *self = weir_router_endpoint(router);
    fan->host = new_endpoint(weir_context_home(context), "host");
    fan->in = corner_link(&fan->c, fan->host, self, 0);
    for (uint32_t i = 0; i < 2; i++) {
        weir_endpoint *to = new_endpoint(weir_context_device(context, i), "device");
        fan->c.ends[fan->c.end_count++] = to;
        fan->out[i] = corner_link(&fan->c, self, to, 2);
    }
    fan->data = new_memory(weir_context_home(context), (size_t)FAN_PACKETS * CORNER_PACKET);
    put_pattern(weir_context_home(context), fan->data, (size_t)FAN_PACKETS * CORNER_PACKET, 1);
}

static weir_future *fan_send(struct fan *fan)
{
    return send_data(fan->in, weir_context_home(fan->c.context), fan->data,
                     (size_t)FAN_PACKETS * CORNER_PACKET, 0);
}

static uint32_t receive_all(weir_link *link)
{
    weir_pending *pending;
    weir_segment segment;
    uint32_t count = 0;
    while (weir_link_next(link, 50, &pending, &segment) == WEIR_OK) {
        assert_piece(&segment, 1);
        OK(weir_pending_release(pending, NULL));
        count++;
    }
    return count;
}

static void fan_close(struct fan *fan)
{
    weir_device_free(weir_context_home(fan->c.context), fan->data);
    weir_endpoint_destroy(fan->host);
    corner_close(&fan->c);
}

/* What the device had and nobody took goes to the other one, and so does what is sent later. */
static void any_fails_over(void **state)
{
    struct fan fan;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    fan_open(&fan, state, weir_policy_any());
    weir_future *done = fan_send(&fan);
    mark_device(weir_context_device(fan.c.context, 0));
    assert_int_equal(receive_all(fan.out[1]), FAN_PACKETS);
    finish(done);
    weir_link_stats_get(fan.out[1], &stats);
    assert_int_equal(stats.failed_over, 1);
    corner_ended(fan.out[0], WEIR_ERR_DEVICE);
    done = fan_send(&fan);
    assert_int_equal(receive_all(fan.out[1]), FAN_PACKETS);
    finish(done);
    fan_close(&fan);
}

/* An input that is gone sends from no device. */
static void an_input_that_is_gone_is_not_asked(void **state)
{
    struct fan fan;
    fan_open(&fan, state, weir_policy_any());
    corner_drop(&fan.c, corner_link(&fan.c, corner_sender(&fan.c),
                                    weir_router_endpoint(fan.c.routers[0]), 0));
    weir_future *done = fan_send(&fan);
    mark_device(weir_context_device(fan.c.context, 0));
    assert_int_equal(receive_all(fan.out[1]), FAN_PACKETS);
    finish(done);
    fan_close(&fan);
}

/* An output that is gone is no receiver that is left. */
static void an_output_that_is_gone_does_not_count(void **state)
{
    struct fan fan;
    weir_segment segment;
    fan_open(&fan, state, weir_policy_any());
    corner_drop(&fan.c, fan.out[0]);
    mark_device(weir_context_device(fan.c.context, 1));
    segment = (weir_segment){.device = weir_context_home(fan.c.context)};
    STATUS(weir_link_send(fan.in, &segment, NULL, NULL), WEIR_ERR_DEVICE);
    fan_close(&fan);
}

/* A message that needs the device ends; the other receiver gets it all the same. */
static void a_broadcast_ends_for_that_message(void **state)
{
    struct fan fan;
    fan_open(&fan, state, weir_policy_broadcast());
    mark_device(weir_context_device(fan.c.context, 0));
    weir_future *done = fan_send(&fan);
    assert_int_equal(receive_all(fan.out[1]), FAN_PACKETS);
    STATUS(weir_future_wait(done, LONG_MS), WEIR_ERR_DEVICE);
    weir_future_release(done);
    fan_close(&fan);
}

/* The second device to fail is the last. */
static void the_last_receiver_takes_the_router_along(void **state)
{
    struct fan fan;
    weir_future *done;
    fan_open(&fan, state, weir_policy_any());
    for (uint32_t i = 0; i < 2; i++)
        mark_device(weir_context_device(fan.c.context, i));
    weir_segment segment = {.device = weir_context_home(fan.c.context)};
    STATUS(weir_link_send(fan.in, &segment, NULL, &done), WEIR_ERR_DEVICE);
    fan_close(&fan);
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
        weir_segment segment = {.device = device, .data = data, .bytes = 100, .meta = i};
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

struct asker {
    weir_device *device;
    _Atomic int over;
};

/* Whoever asks a device that failed calls the alarms of all routers, those of this moment included. */
static void *ask(void *data)
{
    struct asker *asker = data;
    while (!atomic_load_explicit(&asker->over, memory_order_relaxed))
        (void)weir_device_status(asker->device);
    return NULL;
}

/* ThreadSanitizer sees a cancel of a router that is not there yet. */
static void a_router_is_whole_when_it_is_cancelled(void **state)
{
    weir_context *context = open_or_skip(state);
    struct asker asker = {.device = weir_context_home(context)}; /* all routers need it */
    weir_policy any = weir_policy_any();
    weir_endpoint *from = new_endpoint(weir_context_home(context), "from");
    weir_segment segment = {.device = weir_context_home(context)};
    pthread_t thread;
    break_device(asker.device);
    assert_int_equal(pthread_create(&thread, NULL, ask, &asker), 0);
    for (int i = 0; i < 300; i++) {
        weir_router *router;
        OK(weir_router_create(context, "late", &any, &router));
        weir_link *link = new_link(from, weir_router_endpoint(router), 0, 0);
        weir_status status = WEIR_ERR_INVALID; /* it has no receiver, until it is cancelled */
        for (uint64_t wait = 0; status == WEIR_ERR_INVALID && wait < 1000000; wait++) {
            status = weir_link_send(link, &segment, NULL, NULL);
            (void)sched_yield();
        }
        STATUS(status, WEIR_ERR_DEVICE);
        assert_detail_has("an operation of a queue failed");
        weir_link_destroy(link);
        weir_router_destroy(router);
    }
    atomic_store_explicit(&asker.over, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    weir_endpoint_destroy(from);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(who_waits_is_told, "host:1"),
        ON_BACKEND(who_waits_is_told, "host:4"),
        ON_BACKEND(what_comes_later_is_refused, "host:1"),
        ON_BACKEND(what_comes_later_is_refused, "host:4"),
        ON_BACKEND(a_router_is_whole_when_it_is_cancelled, "host:1"),
        ON_BACKEND(any_fails_over, "host:2"),
        ON_BACKEND(an_input_that_is_gone_is_not_asked, "host:2"),
        ON_BACKEND(an_output_that_is_gone_does_not_count, "host:2"),
        ON_BACKEND(a_broadcast_ends_for_that_message, "host:2"),
        ON_BACKEND(the_last_receiver_takes_the_router_along, "host:2"),
        ON_BACKEND(any_operation_may_be_the_last, "host:1"),
        ON_BACKEND(any_operation_may_be_the_last, "host:4"),
    };
    return cmocka_run_group_tests_name("device_fault", tests, NULL, NULL);
}
