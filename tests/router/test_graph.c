/** @file test_graph.c  Graphs of endpoints, links and routers that can be built, and those not. */
#include "tests/lib/flow.h"

#include <pthread.h>

#include <string.h>

static void self_loops_are_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_policy any = weir_policy_any();
    weir_endpoint *a = new_endpoint(weir_context_device(context, 0), "a");
    weir_router *router;
    weir_link *link = (weir_link *)&any;
    OK(weir_router_create(context, "r", &any, &router));
    STATUS(weir_link_create(a, a, NULL, &link), WEIR_ERR_INVALID);
    assert_null(link);
    assert_detail("a link from a to itself");
    weir_endpoint *r = weir_router_endpoint(router);
    STATUS(weir_link_create(r, r, NULL, &link), WEIR_ERR_INVALID);
    weir_router_destroy(router);
    weir_endpoint_destroy(a);
    weir_context_destroy(context);
}

static void a_pair_is_linked_once_a_router(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_policy any = weir_policy_any();
    weir_endpoint *a = new_endpoint(weir_context_device(context, 0), "a");
    weir_router *router, *second;
    weir_link *in, *out, *more, *elsewhere;
    OK(weir_router_create(context, "r", &any, &router));
    OK(weir_router_create(context, NULL, &any, &second));
    weir_endpoint *r = weir_router_endpoint(router);
    OK(weir_link_create(a, r, NULL, &in));
    OK(weir_link_create(r, a, NULL, &out)); /* the other way is another link */
    STATUS(weir_link_create(a, r, NULL, &more), WEIR_ERR_INVALID);
    assert_null(more);
    assert_detail("a second link from a to r");
    STATUS(weir_link_create(r, a, NULL, &more), WEIR_ERR_INVALID);
    OK(weir_link_create(a, weir_router_endpoint(second), NULL, &elsewhere));
    weir_link_destroy(in);
    weir_link_destroy(out);
    weir_link_destroy(elsewhere);
    weir_router_destroy(router);
    weir_router_destroy(second);
    weir_endpoint_destroy(a);
    weir_context_destroy(context);
}

static void contexts_are_not_mixed(void **state)
{
    weir_context *context = open_or_skip(state), *other = open_or_skip(state);
    weir_policy any = weir_policy_any();
    weir_endpoint *a = new_endpoint(weir_context_device(context, 0), "a");
    weir_endpoint *b = new_endpoint(weir_context_device(other, 0), "b");
    weir_router *router;
    weir_link *link;
    OK(weir_router_create(other, "r", &any, &router));
    STATUS(weir_link_create(a, b, NULL, &link), WEIR_ERR_INVALID);
    assert_detail("a link from a to b of another context");
    STATUS(weir_link_create(a, weir_router_endpoint(router), NULL, &link), WEIR_ERR_INVALID);
    STATUS(weir_link_create(weir_router_endpoint(router), a, NULL, &link), WEIR_ERR_INVALID);
    weir_router_destroy(router);
    weir_endpoint_destroy(a);
    weir_endpoint_destroy(b);
    weir_context_destroy(other);
    weir_context_destroy(context);
}

static void a_router_needs_a_policy(void **state)
{
    static const weir_policy empty = {.name = "empty"};
    weir_context *context = open_or_skip(state);
    weir_router *router = (weir_router *)context;
    STATUS(weir_router_create(context, "r", &empty, &router), WEIR_ERR_INVALID);
    assert_null(router);
    assert_detail("router r has no policy");
    STATUS(weir_router_create(context, NULL, NULL, &router), WEIR_ERR_INVALID);
    weir_context_destroy(context);
}

static void ports_are_bounded(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_policy any = weir_policy_any();
    weir_router *router;
    weir_endpoint *ends[WEIR_ROUTER_PORTS_MAX + 1];
    weir_link *links[WEIR_ROUTER_PORTS_MAX], *more;
    OK(weir_router_create(context, "wide", &any, &router));
    for (int i = 0; i <= WEIR_ROUTER_PORTS_MAX; i++)
        ends[i] = new_endpoint(device, NULL);
    for (int i = 0; i < WEIR_ROUTER_PORTS_MAX; i++)
        OK(weir_link_create(ends[i], weir_router_endpoint(router), NULL, &links[i]));
    STATUS(weir_link_create(ends[WEIR_ROUTER_PORTS_MAX], weir_router_endpoint(router), NULL, &more),
           WEIR_ERR_INVALID);
    assert_detail("router wide has 65 links on one side already"); /* 64 devices and the host */
    for (int i = 0; i < WEIR_ROUTER_PORTS_MAX; i++)
        weir_link_destroy(links[i]);
    weir_router_destroy(router);
    for (int i = 0; i <= WEIR_ROUTER_PORTS_MAX; i++)
        weir_endpoint_destroy(ends[i]);
    weir_context_destroy(context);
}

static void a_configuration_needs_its_initialiser(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_endpoint *a = new_endpoint(weir_context_device(context, 0), "a");
    weir_endpoint *b = new_endpoint(weir_context_home(context), "b");
    weir_link_config config = {0};
    weir_link *link;
    STATUS(weir_link_create(a, b, &config, &link), WEIR_ERR_INVALID);
    assert_null(link);
    assert_detail("a weir_link_config of size 0 was not set by its initialiser");
    weir_endpoint_destroy(a);
    weir_endpoint_destroy(b);
    weir_context_destroy(context);
}

static void a_configuration_is_checked(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_endpoint *a = new_endpoint(weir_context_device(context, 0), "a");
    weir_endpoint *b = new_endpoint(weir_context_home(context), "b");
    const weir_link_config init = WEIR_LINK_CONFIG_INIT;
    weir_link_config config = init;
    weir_link *link;
    config.buffers = 1025;
    STATUS(weir_link_create(a, b, &config, &link), WEIR_ERR_INVALID);
    assert_null(link);
    assert_detail_has("1025");
    config = init;
    config.transport = WEIR_TRANSPORT_COUNT;
    STATUS(weir_link_create(a, b, &config, &link), WEIR_ERR_INVALID);
    assert_null(link);
    config = init;
    config.packet_bytes = SIZE_MAX;
    STATUS(weir_link_create(a, b, &config, &link), WEIR_ERR_INVALID);
    assert_null(link);
    config = init;
    config.packet_bytes = 8;
    config.buffers = 1024;
    OK(weir_link_create(a, b, &config, &link));
    weir_link_destroy(link);
    weir_endpoint_destroy(a);
    weir_endpoint_destroy(b);
    assert_pools_empty(context);
    weir_context_destroy(context);
}

/* Each by itself is fine; two links from one to the other have no router between that tells them apart. */
static void plain_endpoints_are_linked_once(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_endpoint *a = new_endpoint(weir_context_device(context, 0), "a");
    weir_endpoint *b = new_endpoint(weir_context_home(context), "b");
    weir_link *there, *back, *more;
    OK(weir_link_create(a, b, NULL, &there));
    OK(weir_link_create(b, a, NULL, &back));
    STATUS(weir_link_create(a, b, NULL, &more), WEIR_ERR_INVALID);
    assert_null(more);
    assert_detail("a second link from a to b");
    weir_link_destroy(there);
    OK(weir_link_create(a, b, NULL, &more)); /* it is gone */
    weir_link_destroy(more);
    weir_link_destroy(back);
    weir_endpoint_destroy(a);
    weir_endpoint_destroy(b);
    weir_context_destroy(context);
}

static void buffers_come_from_the_receivers_pool(void **state)
{
    static const char *const settings[] = {"pool_bytes=1MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_endpoint *a = new_endpoint(weir_context_home(context), "a"),
                  *b = new_endpoint(device, "b");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    config.packet_bytes = 300 << 10;
    config.buffers = 4;
    STATUS(weir_link_create(a, b, &config, &link), WEIR_ERR_NOMEM);
    assert_null(link);
    assert_detail_has("WEIR_POOL_BYTES");
    weir_device_pool_stats(device, &stats);
    assert_int_equal(stats.used_bytes, 0);
    config.buffers = 3;
    OK(weir_link_create(a, b, &config, &link));
    weir_device_pool_stats(device, &stats);
    assert_int_equal(stats.used_bytes, 900 << 10);
    weir_link_destroy(link);
    weir_device_pool_stats(device, &stats);
    assert_int_equal(stats.used_bytes, 0);
    weir_endpoint_destroy(a);
    weir_endpoint_destroy(b);
    weir_context_destroy(context);
}

static void calls_ask_for_the_right_end(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 1};
    weir_policy any = weir_policy_any();
    weir_pending *pending = (weir_pending *)&flow;
    weir_future *done = (weir_future *)&flow;
    flow_open(&flow, &any, 64, 1);
    weir_segment segment = {.device = weir_endpoint_device(flow.from[0])};
    STATUS(weir_link_send(flow.out[0], &segment, NULL, &done), WEIR_ERR_INVALID);
    assert_null(done);
    assert_detail("r: a link out of a router does not send");
    STATUS(weir_link_receive(flow.in[0], &pending), WEIR_ERR_INVALID);
    assert_null(pending);
    assert_detail("r: a link into a router does not receive");
    STATUS(weir_link_shutdown(flow.out[0]), WEIR_ERR_INVALID);
    assert_null(weir_endpoint_device(weir_router_endpoint(flow.router)));
    assert_string_equal(weir_endpoint_name(weir_router_endpoint(flow.router)), "r");
    flow_close(&flow);
    weir_endpoint *unnamed = new_endpoint(weir_context_home(flow.context), NULL);
    assert_string_equal(weir_endpoint_name(unnamed), "home");
    weir_endpoint_destroy(unnamed);
    weir_endpoint_destroy(NULL);
    weir_link_destroy(NULL);
    weir_context_destroy(flow.context);
}

struct taker {
    weir_link *link;
    weir_status status;
    uint64_t got;
};

static void *take_until_closed(void *data)
{
    struct taker *taker = data;
    weir_pending *pending;
    weir_segment segment;
    while ((taker->status = weir_link_next(taker->link, LONG_MS, &pending, &segment)) == WEIR_OK) {
        taker->got++;
        (void)weir_pending_release(pending, NULL);
    }
    return NULL;
}

/* Links may come and go while data flows over others: ThreadSanitizer sees what a receive reads meanwhile. */
static void inputs_are_linked_while_others_receive(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 2, .outputs = 1};
    weir_policy all = weir_policy_broadcast();
    pthread_t thread;
    flow_open(&flow, &all, 64, 2);
    struct taker taker = {.link = flow.out[0]};
    assert_int_equal(pthread_create(&thread, NULL, take_until_closed, &taker), 0);
    for (int i = 0; i < 200; i++) {
        weir_segment segment = {.device = weir_endpoint_device(flow.from[1])};
        weir_link_destroy(flow.in[1]);
        flow.in[1] = new_link(flow.from[1], weir_router_endpoint(flow.router), 0, 0);
        OK(weir_link_send_wait(flow.in[1], &segment, NULL, LONG_MS, NULL));
    }
    for (int i = 0; i < 2; i++)
        OK(weir_link_shutdown(flow.in[i]));
    pthread_join(thread, NULL);
    STATUS(taker.status, WEIR_CLOSED);
    assert_int_equal(taker.got, 200);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(self_loops_are_refused),
        ON_EACH_BACKEND(a_pair_is_linked_once_a_router),
        ON_EACH_BACKEND(contexts_are_not_mixed),
        ON_EACH_BACKEND(a_router_needs_a_policy),
        ON_EACH_BACKEND(ports_are_bounded),
        ON_EACH_BACKEND(a_configuration_needs_its_initialiser),
        ON_EACH_BACKEND(a_configuration_is_checked),
        ON_EACH_BACKEND(plain_endpoints_are_linked_once),
        ON_EACH_BACKEND(buffers_come_from_the_receivers_pool),
        ON_EACH_BACKEND(calls_ask_for_the_right_end),
        ON_EACH_BACKEND(inputs_are_linked_while_others_receive),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
