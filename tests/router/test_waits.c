/** @file test_waits.c  Where memory is short a thread may have to wait for what it cannot watch: with nothing locked. */
#include "tests/lib/flow.h"
#include "tests/topology/sim_fixture.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>

/* A simulated device sends to one other, or to two through a router. The queue of the first receiver is gated for a packet
 * that nobody sent yet. */
struct pair {
    struct star star;
    weir_router *router; /* NULL: there is one link */
    weir_endpoint *from, *to[2];
    weir_link *link, *out[2];
    weir_pending *pending;
    weir_future *gate; /* the packet's bytes are ready once it is set */
    weir_future *done; /* of the sender; asked for where there are two */
    weir_event *ready;
    uint64_t nth; /* the allocation of the send that fails */
    int struck;
    weir_status sent;
    _Atomic int asked; /* release: the thread that asked is through */
};

static void link_two(struct pair *pair)
{
    weir_policy all = weir_policy_broadcast();
    OK(weir_router_create(pair->star.context, "all", &all, &pair->router));
    weir_endpoint *router = weir_router_endpoint(pair->router);
    pair->link = new_link(pair->from, router, 0, 0);
    for (int i = 0; i < 2; i++)
        pair->out[i] = new_link(router, pair->to[i], 64, 1);
}

static void open_pair(struct pair *pair, uint64_t nth, int two)
{
    *pair = (struct pair){.nth = nth};
    star_open(&pair->star);
    pair->from = new_endpoint(pair->star.device[0], "from");
    for (int i = 0; i < 2; i++)
        pair->to[i] = new_endpoint(pair->star.device[1 + i], "to");
    if (two)
        link_two(pair);
    else
        pair->link = pair->out[0] = new_link(pair->from, pair->to[0], 64, 1);
    pair->gate = new_future(pair->star.context);
    pair->ready = new_event(pair->star.device[0]);
    OK(weir_queue_wait_future(pair->star.queue[0], pair->gate));
    OK(weir_queue_record(pair->star.queue[0], pair->ready));
    OK(weir_link_receive(pair->out[0], &pair->pending));
    OK(weir_pending_gate(pair->pending, pair->star.queue[1]));
}

static void close_pair(struct pair *pair)
{
    OK(weir_queue_sync(pair->star.queue[0]));
    weir_link_cancel(pair->link, WEIR_ERR_CANCELLED);
    OK(weir_queue_sync(pair->star.queue[1]));
    OK(weir_pending_release(pair->pending, pair->star.queue[1]));
    for (int i = 0; i < 2 && pair->router; i++)
        weir_link_destroy(pair->out[i]);
    weir_link_destroy(pair->link);
    weir_router_destroy(pair->router);
    weir_endpoint_destroy(pair->from);
    for (int i = 0; i < 2; i++)
        weir_endpoint_destroy(pair->to[i]);
    weir_future_release(pair->done);
    weir_event_release(pair->ready);
    weir_future_release(pair->gate);
    star_close(&pair->star);
}

static void *send_short_of_memory(void *data)
{
    struct pair *pair = data;
    weir_segment segment = {
        .device = pair->star.device[0], .data = pair->star.data[0], .bytes = 64};
    weir__fault_arm(WEIR__FAULT_ALLOC, pair->nth);
    pair->sent =
        weir_link_send(pair->link, &segment, pair->ready, pair->router ? &pair->done : NULL);
    pair->struck = weir__fault_struck(WEIR__FAULT_ALLOC);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    return NULL;
}

/* Takes the locks of the outputs, one by one. */
static void *ask(void *data)
{
    struct pair *pair = data;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    for (int i = 0; i < 2 && pair->out[i]; i++)
        weir_link_stats_get(pair->out[i], &stats);
    atomic_store_explicit(&pair->asked, 1, memory_order_release);
    return NULL;
}

static void pause_ms(int ms)
{
    const struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

/* @return whether the fault struck: the sweep is over when it does not. */
static int send_once(uint64_t nth, int two)
{
    struct pair pair;
    pthread_t sender, asker;
    open_pair(&pair, nth, two);
    assert_int_equal(pthread_create(&sender, NULL, send_short_of_memory, &pair), 0);
    pause_ms(20); /* it waits by now, if it does */
    assert_int_equal(pthread_create(&asker, NULL, ask, &pair), 0);
    for (int ms = 0; ms < 2000 && !atomic_load_explicit(&pair.asked, memory_order_acquire); ms++)
        pause_ms(1);
    int asked = atomic_load_explicit(&pair.asked, memory_order_acquire);
    OK(weir_future_set(pair.gate, NULL));
    pthread_join(sender, NULL);
    pthread_join(asker, NULL);
    assert_true(asked);
    assert_true(pair.sent == WEIR_OK || pair.sent == WEIR_ERR_NOMEM);
    if (pair.done)
        OK(weir_future_wait(pair.done, LONG_MS));
    close_pair(&pair);
    return pair.struck;
}

static void nothing_is_waited_for_with_an_output_locked(void **state)
{
    (void)state;
    for (int two = 0; two < 2;
         two++) { /* the end of a message with several receivers is watched in each one's queue */
        uint64_t nth = 1;
        while (send_once(nth, two))
            nth++;
        assert_true(nth > 3); /* the message, the watch of its event, and others */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_waited_for_with_an_output_locked),
    };
    return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
