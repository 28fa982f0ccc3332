/** @file test_faults.c  The n-th allocation, copy or event fails, for every n: it surfaces, and nothing
 *  leaks or hangs. A device that fails ends all that waits, also where nobody calls anything.
 *
 * One scenario has all that can be built: a direct link, staged; a router that gives to any, feeding one
 * that gives to all; memory of the receiver's own. It runs again and again, with the fault one
 * step later each time, until none strikes. */
#include "tests/lib/flow.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define PACKET   64
#define BYTES    200
#define MESSAGES 4
#define LINKS    7
#define OUTPUTS  4
#define HELD     (MESSAGES * 8) /* of one output: no message has as many packets */

enum { DIRECT, IN_A, IN_B, MIDDLE, OUT_LEFT, OUT_RIGHT, OUT_INTO };

/* What the scenario has made so far. */
struct world {
    weir_context *context;
    weir_endpoint *ends[4];
    weir_router *any, *all;
    weir_link *links[LINKS];
    void *data[2]; /* what endpoints 0 and 1 send */
    char *into;    /* HELD packets at endpoint 3 */
    weir_queue *reader;
    weir_future *done[3 * MESSAGES];
    uint32_t done_count;
    uint64_t bytes[LINKS]; /* received, by link */
    int corrupt;
};

static weir_device *device_of(const struct world *w, uint32_t end)
{
    return any_device(w->context, end % all_devices(w->context));
}

static weir_status join(struct world *w, int which, weir_endpoint *from, weir_endpoint *to,
                        weir_transport transport, uint32_t buffers)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = PACKET;
    config.buffers = buffers;
    config.transport = transport;
    return weir_link_create(from, to, &config, &w->links[which]);
}

static weir_status build(struct world *w)
{
    weir_policy any = weir_policy_any(), all = weir_policy_broadcast();
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < 4 && !status; i++)
        status = weir_endpoint_create(device_of(w, i), "e", &w->ends[i]);
    if (status || (status = weir_router_create(w->context, "any", &any, &w->any)) ||
        (status = weir_router_create(w->context, "all", &all, &w->all)))
        return status;
    weir_endpoint *first = weir_router_endpoint(w->any), *second = weir_router_endpoint(w->all);
    if ((status = join(w, DIRECT, w->ends[0], w->ends[2], WEIR_TRANSPORT_STAGED, 2)) ||
        (status = join(w, IN_A, w->ends[0], first, 0, 0)) ||
        (status = join(w, IN_B, w->ends[1], second, 0, 0)) ||
        (status = join(w, OUT_LEFT, first, w->ends[2], 0, 2)) ||
        (status = join(w, MIDDLE, first, second, 0, 0)) ||
        (status = join(w, OUT_RIGHT, second, w->ends[2], 0, 1)) ||
        (status = join(w, OUT_INTO, second, w->ends[3], 0, WEIR_BUFFERS_NONE)))
        return status;
    for (uint32_t i = 0; i < 2; i++)
        if ((status = weir_device_alloc(device_of(w, i), BYTES, &w->data[i])))
            return status;
    if ((status = weir_device_alloc(device_of(w, 3), HELD * PACKET, (void **)&w->into)))
        return status;
    return weir_queue_create(device_of(w, 2), 0, &w->reader);
}

static weir_status send_on(struct world *w, int link, uint32_t end, uint64_t meta)
{
    weir_segment segment = {.device = device_of(w, end),
                            .data = w->data[end],
                            .bytes = BYTES - 60 * (size_t)(meta % 4),
                            .meta = meta};
    weir_status status = weir_link_send(w->links[link], &segment, NULL, &w->done[w->done_count]);
    w->done_count += !status;
    if (status)
        assert_null(w->done[w->done_count]);
    return status;
}

static weir_status send_all(struct world *w)
{
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < MESSAGES && !status; i++)
        if (!(status = send_on(w, DIRECT, 0, i)) && !(status = send_on(w, IN_A, 0, i)))
            status = send_on(w, IN_B, 1, i);
    for (int link = DIRECT; link <= IN_B && !status; link++)
        status = weir_link_shutdown(w->links[link]);
    return status;
}

/* Look at a packet and give it back, by a queue every other time. Host devices: bytes are memory. */
static weir_status take(struct world *w, int link, weir_pending *pending)
{
    weir_segment segment;
    weir_status status = weir_pending_wait(pending, LONG_MS, &segment);
    if (status) {
        weir_status freed = weir_pending_release(pending, NULL);
        return freed && freed != status ? freed : status;
    }
    const unsigned char *bytes = segment.data;
    for (size_t i = 0; i < segment.bytes; i++)
        w->corrupt |= bytes[i] != pattern_byte(1, segment.offset + i);
    w->bytes[link] += segment.bytes;
    if (segment.meta % 2 && !(status = weir_pending_gate(pending, w->reader))) {
        status = weir_pending_release(pending, w->reader);
        if (status == WEIR_FULL) /* no event was left */
            status = weir_pending_release(pending, w->reader);
    } else {
        status = weir_pending_release(pending, NULL);
    }
    return status; /* a release gives back whatever it says, but for WEIR_ERR_INVALID, WEIR_FULL */
}

static weir_status receive_next(struct world *w, int link, weir_pending **pending_out)
{
    if (link != OUT_INTO)
        return weir_link_receive(w->links[link], pending_out);
    return weir_link_receive_into(w->links[link], w->into, PACKET, NULL, pending_out);
}

/* All outputs in turn, one receive at a time each, until each is closed or one fails. */
static weir_status receive_all(struct world *w)
{
    static const int outputs[OUTPUTS] = {DIRECT, OUT_LEFT, OUT_RIGHT, OUT_INTO};
    weir_pending *pending[OUTPUTS] = {NULL};
    int open = OUTPUTS, closed[OUTPUTS] = {0};
    uint64_t start = weir__now_ns();
    weir_status status = WEIR_OK;
    weir_segment segment;
    while (open && !status) {
        const struct timespec pause = {0, 20000};
        int came = 0;
        for (int o = 0; o < OUTPUTS && !status; o++) {
            if (closed[o] || (!pending[o] && (status = receive_next(w, outputs[o], &pending[o]))))
                continue;
            if (weir_pending_assigned(pending[o], &segment) == WEIR_PENDING)
                continue;
            status = take(w, outputs[o], pending[o]);
            pending[o] = NULL;
            came = 1;
            if (status == WEIR_CLOSED) {
                closed[o] = 1;
                open--;
                status = WEIR_OK;
            }
        }
        if (weir__now_ns() - start > LONG_MS * 1000000ull)
            return WEIR_ERR_TIMEOUT;
        if (!came && !status)
            nanosleep(&pause, NULL);
    }
    if (status) { /* the others need not end by themselves */
        weir_router_cancel(w->any, status);
        weir_link_cancel(w->links[DIRECT], status);
    }
    for (int o = 0; o < OUTPUTS; o++)
        if (pending[o] && take(w, outputs[o], pending[o]) == WEIR_ERR_TIMEOUT)
            fail_msg("a receive has not ended within a minute after a failure");
    return status;
}

/* Take all down, whatever there is. @return the first status a future ended with that is none of OK. */
static weir_status end(struct world *w, weir_status status)
{
    weir_status seen = WEIR_OK;
    if (status && w->any)
        weir_router_cancel(w->any, status);
    if (status && w->all)
        weir_router_cancel(w->all, status);
    if (status && w->links[DIRECT])
        weir_link_cancel(w->links[DIRECT], status);
    for (uint32_t i = 0; i < w->done_count; i++) {
        weir_status one = weir_future_wait(w->done[i], LONG_MS);
        if (one == WEIR_ERR_TIMEOUT && status != WEIR_ERR_TIMEOUT)
            fail_msg("a send has not ended within a minute after a failure");
        weir_future_release(w->done[i]);
        seen = seen ? seen : one;
    }
    for (int i = 0; i < LINKS; i++)
        weir_link_destroy(w->links[i]);
    weir_router_destroy(w->any);
    weir_router_destroy(w->all);
    for (int i = 0; i < 4; i++)
        weir_endpoint_destroy(w->ends[i]);
    weir_queue_destroy(w->reader);
    for (uint32_t i = 0; i < 2; i++)
        weir_device_free(device_of(w, i), w->data[i]);
    weir_device_free(device_of(w, 3), w->into);
    return seen;
}

/* What came if nothing failed: each message once by the direct link; once by any, which may have given
 * it to all; and to all. */
static void check_complete(const struct world *w)
{
    uint64_t once = 0;
    for (uint64_t i = 0; i < MESSAGES; i++)
        once += BYTES - 60 * (i % 4);
    assert_int_equal(w->bytes[DIRECT], once);
    assert_int_equal(w->bytes[OUT_RIGHT], w->bytes[OUT_INTO]);
    assert_int_equal(w->bytes[OUT_LEFT] + w->bytes[OUT_RIGHT], 2 * once);
}

/* Run the scenario with the n-th of a kind failing. @return whether it struck. */
static int run(weir_context *context, enum weir__fault kind, uint64_t nth)
{
    struct world w = {.context = context};
    weir__fault_arm(kind, nth);
    weir_status status = build(&w);
    for (uint32_t i = 0; i < 2 && !status; i++)
        for (size_t k = 0; k < BYTES; k++)
            ((unsigned char *)w.data[i])[k] = pattern_byte(1, k);
    if (!status)
        status = send_all(&w);
    if (!status)
        status = receive_all(&w);
    if (status)
        assert_true(status < 0);
    weir_status later = end(&w, status);
    int struck = weir__fault_struck(kind);
    weir__fault_arm(kind, 0);
    if (w.corrupt)
        fail_msg("fault %d number %llu: wrong bytes", (int)kind, (unsigned long long)nth);
    if (!struck && (status || later))
        fail_msg("nothing was made to fail, and still: %s", weir_error_detail());
    if (!status && !later)
        check_complete(&w);
    assert_pools_empty(context);
    return struck;
}

static void every(enum weir__fault kind, uint64_t least)
{
    uint64_t nth = 1;
    int struck = 1;
    for (; struck; nth++) {
        weir_context *context = open_with_or_skip("host:2", NULL);
        struck = run(context, kind, nth);
        weir_context_destroy(context);
    }
    /* A hook that never strikes would pass all of the above. */
    assert_true(nth > least);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    every(WEIR__FAULT_ALLOC, 20);
}

static void every_copy_may_fail(void **state)
{
    (void)state;
    every(WEIR__FAULT_COPY, 3 * MESSAGES);
}

static void every_event_may_fail(void **state)
{
    (void)state;
    every(WEIR__FAULT_EVENT, 3 * MESSAGES);
}

static void a_context_may_fail_at_every_allocation(void **state)
{
    weir_status status = WEIR_ERR_NOMEM;
    uint64_t nth = 1;
    (void)state;
    for (; status; nth++) {
        weir_context *context = (weir_context *)&nth;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        status = weir_context_create("host:2", NULL, &context);
        int struck = weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        if (status) {
            assert_null(context);
            assert_int_equal(status, WEIR_ERR_NOMEM);
            assert_true(struck);
        }
        weir_context_destroy(context);
    }
    assert_true(nth > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_copy_may_fail),
        cmocka_unit_test(every_event_may_fail),
        cmocka_unit_test(a_context_may_fail_at_every_allocation),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
