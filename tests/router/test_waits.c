/** @file test_waits.c  Where memory is short a thread may have to wait for what it cannot watch: with nothing locked. */
#include "tests/lib/flow.h"
#include "tests/topology/sim_fixture.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>

/* A link between two simulated devices, whose receiver's queue is gated for a packet that nobody sent yet. */
struct pair {
    struct star star;
    weir_endpoint *from, *to;
    weir_link *link;
    weir_pending *pending;
    weir_future *gate; /* the packet's bytes are ready once it is set */
    weir_event *ready;
    uint64_t nth; /* the allocation of the send that fails */
    int struck;
    weir_status sent;
    _Atomic int asked; /* release: the thread that asked is through */
};

static void open_pair(struct pair *pair, uint64_t nth)
{
    *pair = (struct pair){.nth = nth};
    star_open(&pair->star);
    pair->from = new_endpoint(pair->star.device[0], "from");
    pair->to = new_endpoint(pair->star.device[1], "to");
    pair->link = new_link(pair->from, pair->to, 64, 1);
    pair->gate = new_future(pair->star.context);
    pair->ready = new_event(pair->star.device[0]);
    OK(weir_queue_wait_future(pair->star.queue[0], pair->gate));
    OK(weir_queue_record(pair->star.queue[0], pair->ready));
    OK(weir_link_receive(pair->link, &pair->pending));
    OK(weir_pending_gate(pair->pending, pair->star.queue[1]));
}

static void close_pair(struct pair *pair)
{
    OK(weir_queue_sync(pair->star.queue[0]));
    weir_link_cancel(pair->link, WEIR_ERR_CANCELLED);
    OK(weir_queue_sync(pair->star.queue[1]));
    OK(weir_pending_release(pair->pending, pair->star.queue[1]));
    weir_link_destroy(pair->link);
    weir_endpoint_destroy(pair->from);
    weir_endpoint_destroy(pair->to);
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
    pair->sent = weir_link_send(pair->link, &segment, pair->ready, NULL);
    pair->struck = weir__fault_struck(WEIR__FAULT_ALLOC);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    return NULL;
}

/* Takes the lock of the output. */
static void *ask(void *data)
{
    struct pair *pair = data;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_link_stats_get(pair->link, &stats);
    atomic_store_explicit(&pair->asked, 1, memory_order_release);
    return NULL;
}

static void pause_ms(int ms)
{
    const struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

/* @return whether the fault struck: the sweep is over when it does not. */
static int send_once(uint64_t nth)
{
    struct pair pair;
    pthread_t sender, asker;
    open_pair(&pair, nth);
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
    close_pair(&pair);
    return pair.struck;
}

static void nothing_is_waited_for_with_an_output_locked(void **state)
{
    uint64_t nth = 1;
    (void)state;
    while (send_once(nth))
        nth++;
    assert_true(nth > 3); /* the message, the watch of its event, and others */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_waited_for_with_an_output_locked),
    };
    return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
