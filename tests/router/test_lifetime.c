/** @file test_lifetime.c  Destroying in any order: handles end one by one, what others need stays. */
#include "tests/lib/flow.h"

#include "runtime/internal.h"

#include <string.h>

#define PACKET 64

enum { CONTEXT, FROM, TO, ROUTER, IN, OUT, BASIC, SECOND = BASIC, MIDDLE, OUT_SECOND, OBJECTS };

/* Two endpoints, a router between them that may feed a second one, and what is under way. */
struct life {
    weir_context *context; /* the handle may be gone: devices stay as long as anything does */
    weir_device *s, *d;
    weir_endpoint *from, *to;
    weir_router *router, *second;
    weir_link *in, *out, *middle, *out_second;
    weir_pending *came, *open; /* receives that are held: with a packet, and without */
    weir_segment segment;
    weir_queue *keeper; /* keeps the context, for memory and futures */
    void *data;
    weir_future *done[4];
};

enum state { IDLE, HELD, SENDING, STATES };

static void open_life(struct life *l, weir_context *context, uint32_t objects, enum state state)
{
    weir_policy first = weir_policy_priority(NULL); /* `out` as long as it is free */
    *l = (struct life){.context = context, .s = weir_context_device(context, 0)};
    l->d = weir_context_device(context, weir_context_device_count(context) - 1);
    l->from = new_endpoint(l->s, "from");
    l->to = new_endpoint(l->d, "to");
    OK(weir_router_create(context, "first", &first, &l->router));
    l->in = new_link(l->from, weir_router_endpoint(l->router), 0, 0);
    l->out = new_link(weir_router_endpoint(l->router), l->to, PACKET, 2);
    if (objects > BASIC) {
        OK(weir_router_create(context, "second", &first, &l->second));
        l->middle =
            new_link(weir_router_endpoint(l->router), weir_router_endpoint(l->second), 0, 0);
        l->out_second = new_link(weir_router_endpoint(l->second), l->to, PACKET, 1);
    }
    if (state == IDLE)
        return;
    l->keeper = new_queue(l->s);
    l->data = new_memory(l->s, PACKET);
    put_pattern(l->s, l->data, PACKET, 1);
    if (state == HELD) {
        weir_future *done = send_data(l->in, l->s, l->data, PACKET, 5);
        l->came = receive(l->out, &l->segment);
        finish(done);
        OK(weir_link_receive(l->out, &l->open));
    }
    for (uint64_t i = 0; i < 4 && state == SENDING; i++)
        l->done[i] = send_data(l->in, l->s, l->data, PACKET, i);
    if (state == HELD) { /* nothing of the program's is left but pendings */
        weir_device_free(l->s, l->data);
        l->data = NULL;
        weir_queue_destroy(l->keeper);
        l->keeper = NULL;
    }
}

static void destroy_one(struct life *l, uint32_t which)
{
    switch (which) {
    case CONTEXT:
        weir_context_destroy(l->context);
        break;
    case FROM:
        weir_endpoint_destroy(l->from);
        break;
    case TO:
        weir_endpoint_destroy(l->to);
        break;
    case ROUTER:
        weir_router_destroy(l->router);
        break;
    case IN:
        weir_link_destroy(l->in);
        break;
    case OUT:
        weir_link_destroy(l->out);
        break;
    case SECOND:
        weir_router_destroy(l->second);
        break;
    case MIDDLE:
        weir_link_destroy(l->middle);
        break;
    default:
        weir_link_destroy(l->out_second);
    }
}

/* All handles are gone; requests that are left still can be used and ended. */
static void close_life(struct life *l)
{
    weir_segment segment;
    for (int i = 0; i < 4; i++)
        if (l->done[i]) {
            weir_status status = weir_future_wait(l->done[i], LONG_MS);
            assert_true(status == WEIR_OK || status == WEIR_CLOSED || status == WEIR_ERR_CANCELLED);
            weir_future_release(l->done[i]);
        }
    if (l->open) {
        weir_status status = weir_pending_wait(l->open, LONG_MS, &segment);
        assert_true(status == WEIR_CLOSED || status == WEIR_ERR_CANCELLED);
        STATUS(weir_pending_assigned(l->open, &segment), status);
        OK(weir_pending_release(l->open, NULL));
    }
    if (l->came) {
        OK(weir_pending_assigned(l->came, &segment));
        assert_int_equal(segment.meta, 5);
        assert_ptr_equal(segment.data, l->segment.data);
        assert_piece(&segment, 1);
        OK(weir_pending_release(l->came, NULL));
    }
    if (l->data)
        weir_device_free(l->s, l->data);
    weir_queue_destroy(l->keeper);
}

/* The next order of `count` numbers, by size; 0 behind the last. */
static int next_order(uint32_t *order, uint32_t count)
{
    uint32_t i = count - 1, k = count - 1;
    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i == 0)
        return 0;
    while (order[k] < order[i - 1])
        k--;
    uint32_t swap = order[i - 1];
    order[i - 1] = order[k];
    order[k] = swap;
    for (k = count - 1; i < k; i++, k--) {
        swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    return 1;
}

/* Sanitizers take up to thirty times as long, and see the same in some of the 720. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SKIPPED 6
#else
#define SKIPPED 0
#endif

static int go_on(uint32_t *order)
{
    int more = next_order(order, BASIC);
    for (int i = 0; i < SKIPPED && more; i++)
        more = next_order(order, BASIC);
    return more;
}

static void every_order(void **state, enum state what)
{
    uint32_t order[BASIC] = {CONTEXT, FROM, TO, ROUTER, IN, OUT};
    do {
        struct life life;
        open_life(&life, open_or_skip(state), BASIC, what);
        for (uint32_t i = 0; i < BASIC; i++)
            destroy_one(&life, order[i]);
        close_life(&life);
    } while (go_on(order));
}

static void idle_flows_end_in_every_order(void **state)
{
    every_order(state, IDLE);
}

static void held_receives_outlive_everything(void **state)
{
    every_order(state, HELD);
}

static void sends_under_way_end_in_every_order(void **state)
{
    every_order(state, SENDING);
}

/* Nine handles have more orders than can be tried; the draw is the same each time. */
static void chains_end_in_any_order(void **state)
{
    uint64_t random = 4;
    for (int round = 0; round < 150; round++) {
        struct life life;
        uint32_t order[OBJECTS];
        for (uint32_t i = 0; i < OBJECTS; i++) {
            uint32_t other = (uint32_t)(next_random(&random) % (i + 1));
            order[i] = order[other];
            order[other] = i;
        }
        open_life(&life, open_or_skip(state), OBJECTS, (enum state)(round % STATES));
        for (uint32_t i = 0; i < OBJECTS; i++)
            destroy_one(&life, order[i]);
        close_life(&life);
    }
}

/* ---- what is left works ------------------------------------------------------------------------- */

static void links_work_without_their_endpoints_and_context(void **state)
{
    struct life l;
    open_life(&l, open_or_skip(state), OBJECTS, SENDING);
    weir_endpoint_destroy(l.from);
    weir_endpoint_destroy(l.to);
    weir_context_destroy(l.context);
    weir_link_destroy(l.out_second); /* what it holds comes back */
    for (int i = 0; i < 4; i++) {
        weir_segment segment;
        weir_pending *pending = receive(l.out, &segment);
        assert_piece(&segment, 1);
        OK(weir_pending_release(pending, NULL));
    }
    for (int i = 0; i < 4; i++) {
        finish(l.done[i]);
        l.done[i] = NULL;
    }
    weir_link_destroy(l.middle);
    weir_router_destroy(l.second);
    weir_link_destroy(l.in);
    weir_link_destroy(l.out);
    weir_router_destroy(l.router);
    close_life(&l);
}

static void a_plain_link_works_alone(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *keeper = new_queue(device);
    weir_endpoint *from = new_endpoint(device, "from"),
                  *to = new_endpoint(weir_context_home(context), "to");
    weir_link *link = new_link(from, to, PACKET, 2);
    void *data = new_memory(device, 3 * PACKET);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_context_destroy(context);
    put_pattern(device, data, 3 * PACKET, 3);
    weir_future *done = send_data(link, device, data, 3 * PACKET, 8);
    OK(weir_link_shutdown(link));
    for (size_t at = 0; at < 3 * PACKET; at += PACKET)
        expect_packet(link, PACKET, at, 8, 3);
    finish(done);
    receive_closed(link);
    weir_link_destroy(link);
    weir_device_free(device, data);
    weir_queue_destroy(keeper);
}

static void links_of_a_destroyed_router_say_so(void **state)
{
    struct life l;
    weir_pending *pending;
    weir_future *done = (weir_future *)&l;
    open_life(&l, open_or_skip(state), OBJECTS, HELD);
    weir_router_destroy(l.second); /* routers that feed each other are cancelled together */
    weir_segment segment = {.device = l.s};
    STATUS(weir_link_send(l.in, &segment, NULL, &done), WEIR_ERR_CANCELLED);
    assert_null(done);
    STATUS(weir_pending_wait(l.open, LONG_MS, &segment), WEIR_ERR_CANCELLED);
    OK(weir_link_receive(l.out_second, &pending));
    STATUS(weir_pending_wait(pending, LONG_MS, &segment), WEIR_ERR_CANCELLED);
    OK(weir_pending_release(pending, NULL));
    OK(weir_link_shutdown(l.in));
    l.second = NULL;
    for (uint32_t i = OBJECTS; i-- > 0;)
        destroy_one(&l, i);
    close_life(&l);
}

static void a_router_may_be_used_after_a_cancel(void **state)
{
    struct life l;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    open_life(&l, open_or_skip(state), BASIC, HELD);
    weir_router_cancel(l.router, WEIR_ERR_VERIFY);
    weir_router_cancel(l.router, WEIR_OK);
    weir_link_cancel(l.out, WEIR_ERR_IO); /* the first one stays */
    weir_segment segment = {.device = l.s};
    STATUS(weir_link_send(l.in, &segment, NULL, NULL), WEIR_ERR_VERIFY);
    STATUS(weir_pending_wait(l.open, LONG_MS, &segment), WEIR_ERR_VERIFY);
    weir_link_stats_get(l.out, &stats);
    assert_int_equal(stats.packets, 1);
    assert_string_equal(weir_endpoint_name(weir_link_source(l.in)), "from");
    assert_null(weir_link_source(l.out));
    OK(weir_pending_release(l.open, NULL));
    l.open = NULL;
    for (uint32_t i = 0; i < BASIC; i++)
        destroy_one(&l, i);
    close_life(&l);
}

/* Anything but a failure counts as WEIR_ERR_CANCELLED. */
static void a_cancel_is_a_failure(void **state)
{
    static const weir_status with[] = {WEIR_OK, WEIR_PENDING, WEIR_CLOSED, WEIR_ERR_CANCELLED};
    for (int i = 0; i < 4; i++) {
        struct life l;
        weir_segment segment;
        open_life(&l, open_or_skip(state), BASIC, HELD);
        weir_link_cancel(l.in, with[i]);
        STATUS(weir_pending_wait(l.open, LONG_MS, &segment), WEIR_ERR_CANCELLED);
        for (uint32_t k = 0; k < BASIC; k++)
            destroy_one(&l, k);
        close_life(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(idle_flows_end_in_every_order, "host:1"),
        ON_BACKEND(held_receives_outlive_everything, "host:1"),
        ON_BACKEND(sends_under_way_end_in_every_order, "host:1"),
        ON_BACKEND(chains_end_in_any_order, "host:2"),
        ON_EACH_BACKEND(links_work_without_their_endpoints_and_context),
        ON_EACH_BACKEND(a_plain_link_works_alone),
        ON_EACH_BACKEND(links_of_a_destroyed_router_say_so),
        ON_EACH_BACKEND(a_router_may_be_used_after_a_cancel),
        ON_EACH_BACKEND(a_cancel_is_a_failure),
    };
    return cmocka_run_group_tests_name("lifetime", tests, NULL, NULL);
}
