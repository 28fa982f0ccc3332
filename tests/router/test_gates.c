/** @file test_gates.c  Many queues that wait for what other queues are yet to do: those others must get there.
 *
 * More of them than a GPU has connections to its host: queues that wait for a future are held by the host (held.c), so that
 * nothing on the device is held up, whatever CUDA_DEVICE_MAX_CONNECTIONS says. */
#include "tests/lib/flow.h"

#include <string.h>

#define QUEUES 72u
#define BYTES  4096u

/* On the first device what waits, on the last what it waits for. */
struct gates {
    weir_context *context;
    weir_device *here, *there;
    weir_queue *held[QUEUES], *other[QUEUES];
    weir_event *done[QUEUES]; /* of a held queue, behind its wait */
    char *data;               /* there; BYTES each */
    char *behind;             /* here; a byte each, filled behind the wait */
};

static void gates_open(struct gates *gates, void **state)
{
    memset(gates, 0, sizeof *gates);
    gates->context = open_or_skip(state);
    const uint32_t last = weir_context_device_count(gates->context) - 1;
    gates->here = weir_context_device(gates->context, 0);
    gates->there = weir_context_device(gates->context, last);
    gates->data = new_memory(gates->there, QUEUES * BYTES);
    gates->behind = new_memory(gates->here, QUEUES);
    for (uint32_t i = 0; i < QUEUES; i++) {
        gates->held[i] = new_queue(gates->here);
        gates->other[i] = new_queue(gates->there);
        gates->done[i] = new_event(gates->here);
    }
}

static void gates_close(struct gates *gates)
{
    for (uint32_t i = 0; i < QUEUES; i++) {
        weir_queue_destroy(gates->held[i]);
        weir_queue_destroy(gates->other[i]);
        weir_event_release(gates->done[i]);
    }
    weir_device_free(gates->there, gates->data);
    weir_device_free(gates->here, gates->behind);
    weir_context_destroy(gates->context);
}

/* Put something behind the wait of a held queue. */
static void follow(const struct gates *gates, uint32_t i)
{
    OK(weir_queue_fill(gates->held[i], gates->behind + i, (int)i, 1));
    OK(weir_queue_record(gates->held[i], gates->done[i]));
}

static void work(const struct gates *gates, uint32_t i)
{
    OK(weir_queue_fill(gates->other[i], gates->data + i * BYTES, (int)i, BYTES));
}

static void assert_followed(const struct gates *gates)
{
    for (uint32_t i = 0; i < QUEUES; i++)
        OK(weir_event_wait(gates->done[i], LONG_MS));
    for (uint32_t i = 0; i < QUEUES; i++)
        assert_filled(gates->here, gates->behind + i, 1, (unsigned char)i);
}

/* ---- futures ------------------------------------------------------------------------------------- */

static void queues_held_by_futures(void **state)
{
    struct gates gates;
    weir_future *future[QUEUES];
    weir_event *event[QUEUES];
    gates_open(&gates, state);
    for (uint32_t i = 0; i < QUEUES; i++) {
        future[i] = new_future(gates.context);
        OK(weir_queue_wait_future(gates.held[i], future[i]));
        follow(&gates, i);
    }
    for (uint32_t i = 0; i < QUEUES; i++) {
        event[i] = new_event(gates.there);
        work(&gates, i);
        OK(weir_queue_record(gates.other[i], event[i]));
        STATUS(weir_event_query(gates.done[i]), WEIR_PENDING);
    }
    for (uint32_t i = 0; i < QUEUES; i++)
        OK(weir_event_wait(event[i], LONG_MS)); /* beside all that are held */
    for (uint32_t i = 0; i < QUEUES; i++)
        STATUS(weir_event_query(gates.done[i]), WEIR_PENDING);
    for (uint32_t i = 0; i < QUEUES; i++)
        OK(weir_future_set(future[i], event[i]));
    assert_followed(&gates);
    for (uint32_t i = 0; i < QUEUES; i++) {
        assert_filled(gates.there, gates.data + i * BYTES, BYTES, (unsigned char)i);
        weir_future_release(future[i]);
    }
    gates_close(&gates);
}

/* The futures are set before the work has run, in the opposite order: each is let go by what it waits for, not
 * by who set it. */
static void futures_that_are_set_early(void **state)
{
    struct gates gates;
    weir_future *future[QUEUES], *start = NULL;
    gates_open(&gates, state);
    start = new_future(gates.context);
    for (uint32_t i = 0; i < QUEUES; i++) {
        future[i] = new_future(gates.context);
        OK(weir_queue_wait_future(gates.held[i], future[i]));
        follow(&gates, i);
        OK(weir_queue_wait_future(gates.other[i], start));
    }
    for (uint32_t i = QUEUES; i-- > 0;) {
        weir_event *event = new_event(gates.there);
        work(&gates, i);
        OK(weir_queue_record(gates.other[i], event));
        OK(weir_future_set(future[i], event));
        STATUS(weir_event_query(gates.done[i]), WEIR_PENDING);
    }
    OK(weir_future_set(start, NULL));
    assert_followed(&gates);
    weir_future_release(start);
    for (uint32_t i = 0; i < QUEUES; i++) {
        assert_filled(gates.there, gates.data + i * BYTES, BYTES, (unsigned char)i);
        weir_future_release(future[i]);
    }
    gates_close(&gates);
}

/* ---- receives ------------------------------------------------------------------------------------- */

/* Queues gated for receives of packets that are sent later, from as many other queues. */
static void queues_held_by_receives(void **state)
{
    struct gates gates;
    weir_pending *pending[QUEUES];
    gates_open(&gates, state);
    weir_endpoint *from = new_endpoint(gates.there, "from"), *to = new_endpoint(gates.here, "to");
    weir_link *link = new_link(from, to, BYTES, QUEUES);
    for (uint32_t i = 0; i < QUEUES; i++) {
        OK(weir_link_receive(link, &pending[i]));
        OK(weir_pending_gate(pending[i], gates.held[i]));
        follow(&gates, i);
    }
    for (uint32_t i = 0; i < QUEUES; i++) {
        weir_segment segment = {
            .device = gates.there, .data = gates.data + i * BYTES, .bytes = BYTES, .meta = i};
        work(&gates, i);
        OK(weir_link_send_from(link, &segment, gates.other[i], NULL));
    }
    assert_followed(&gates);
    for (uint32_t i = 0; i < QUEUES; i++) {
        weir_segment segment;
        OK(weir_pending_wait(pending[i], LONG_MS, &segment));
        assert_int_equal(segment.meta, i);
        assert_filled(gates.here, segment.data, BYTES, (unsigned char)i);
        OK(weir_pending_release(pending[i], NULL));
    }
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    gates_close(&gates);
}

#define ON_HOSTS(f) ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:2x3")
#define ON_HELD(f)                                                                 \
    ON_BACKEND(f, "strict:1"), ON_BACKEND(f, "strict:2"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1")
#define ON_ALL(f) ON_HOSTS(f), ON_HELD(f)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_ALL(queues_held_by_futures),
        ON_ALL(futures_that_are_set_early),
        ON_ALL(queues_held_by_receives),
    };
    return cmocka_run_group_tests_name("gates", tests, NULL, NULL);
}
