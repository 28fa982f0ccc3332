/** @file test_missing.c  Every public call of runtime and router that returns a status refuses NULL by the argument's name,
 * but where its header says what NULL means. scripts/check_layers.sh holds the calls of this file against the headers. */
#include "router/channel.h"
#include "router/collective.h"
#include "router/process.h"
#include "tests/lib/support.h"

static void do_nothing(void *user)
{
    (void)user;
}

static void note_nothing(void *user, weir_status status)
{
    (void)user;
    (void)status;
}

static int throw_away(void *user, const char *text, size_t bytes)
{
    (void)user;
    (void)text;
    (void)bytes;
    return 0;
}

static void configuration(void **state)
{
    weir_config *config;
    const char *text;
    uint64_t number;
    (void)state;
    OK(weir_config_create(&config));
    MISSING(weir_config_create(NULL), "config_out");
    MISSING(weir_config_set(NULL, "rank", "1"), "config");
    MISSING(weir_config_set(config, NULL, "1"), "name");
    MISSING(weir_config_set(config, "rank", NULL), "value");
    MISSING(weir_config_number(NULL, "rank", &number), "config");
    MISSING(weir_config_number(config, NULL, &number), "name");
    MISSING(weir_config_number(config, "rank", NULL), "value_out");
    MISSING(weir_config_string(NULL, "group", &text), "config");
    MISSING(weir_config_string(config, NULL, &text), "name");
    MISSING(weir_config_string(config, "group", NULL), "text_out");
    weir_config_destroy(config);
}

static void observers(void **state)
{
    weir_observer *observer;
    weir_activity activity = WEIR_ACTIVITY_INIT;
    (void)state;
    MISSING(weir_observer_create(NULL), "observer_out");
    MISSING(weir_observer_look(NULL, &activity), "observer");
    OK(weir_observer_create(&observer));
    MISSING(weir_observer_look(observer, NULL), "weir_activity to fill in: it");
    weir_observer_destroy(observer);
}

static void devices_and_memory(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    weir_grid grid;
    char bytes[8];
    void *data;
    MISSING(weir_context_create("host:1", NULL, NULL), "context_out");
    MISSING(weir_device_info_get(NULL, &info), "device");
    MISSING(weir_device_info_get(device, NULL), "weir_device_info");
    MISSING(weir_device_status(NULL), "device");
    MISSING(weir_device_alloc(NULL, 8, &data), "device");
    MISSING(weir_device_alloc(device, 8, NULL), "data_out");
    MISSING(weir_device_pool_stats(NULL, &pool), "device");
    MISSING(weir_device_pool_stats(device, NULL), "weir_pool_stats");
    MISSING(weir_memory_register(NULL, bytes, 8), "context");
    MISSING(weir_memory_register(context, NULL, 8), "data");
    MISSING(weir_memory_unregister(NULL, bytes), "context");
    MISSING(weir_grid_for(NULL, 1, 32, 0, 0, &grid), "device");
    MISSING(weir_grid_for(device, 1, 32, 0, 0, NULL), "grid_out");
    weir_context_destroy(context);
}

static void copies(weir_queue *queue, weir_device *device)
{
    char bytes[8];
    MISSING(weir_queue_copy(NULL, device, bytes, device, bytes, 8), "queue");
    MISSING(weir_queue_copy(queue, NULL, bytes, device, bytes, 8), "device");
    MISSING(weir_queue_copy(queue, device, NULL, device, bytes, 8), "destination");
    MISSING(weir_queue_copy(queue, device, bytes, NULL, bytes, 8), "device");
    MISSING(weir_queue_copy(queue, device, bytes, device, NULL, 8), "source");
    MISSING(weir_queue_push(NULL, device, bytes, device, bytes, 8), "queue");
    MISSING(weir_queue_push(queue, NULL, bytes, device, bytes, 8), "device");
    MISSING(weir_queue_push(queue, device, NULL, device, bytes, 8), "destination");
    MISSING(weir_queue_push(queue, device, bytes, NULL, bytes, 8), "device");
    MISSING(weir_queue_push(queue, device, bytes, device, NULL, 8), "source");
}

static void queues(void **state)
{
    static const weir_kernel kernel = {.name = "none"};
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device), *none;
    weir_event *event = new_event(device);
    weir_future *future = new_future(context);
    weir_queue_stats stats = WEIR_QUEUE_STATS_INIT;
    char bytes[8];
    copies(queue, device);
    MAKES_NONE(weir_queue_create(NULL, 0, &none), "device", none);
    MISSING(weir_queue_create(device, 0, NULL), "queue_out");
    MAKES_NONE(weir_queue_adopt(NULL, bytes, &none), "device", none);
    MISSING(weir_queue_adopt(device, bytes, NULL), "queue_out");
    MISSING(weir_queue_stats_get(NULL, &stats), "queue");
    MISSING(weir_queue_stats_get(queue, NULL), "weir_queue_stats");
    MISSING(weir_queue_status(NULL), "queue");
    MISSING(weir_queue_fill(NULL, bytes, 0, 8), "queue");
    MISSING(weir_queue_fill(queue, NULL, 0, 8), "data");
    MISSING(weir_queue_launch(NULL, &kernel, bytes, 8), "queue");
    MISSING(weir_queue_launch(queue, NULL, bytes, 8), "kernel");
    MISSING(weir_queue_launch(queue, &kernel, NULL, 8), "args");
    MISSING(weir_queue_call(NULL, do_nothing, NULL), "queue");
    MISSING(weir_queue_call(queue, NULL, NULL), "function");
    MISSING(weir_queue_record(NULL, event), "queue");
    MISSING(weir_queue_record(queue, NULL), "event");
    MISSING(weir_queue_wait_event(NULL, event), "queue");
    MISSING(weir_queue_wait_event(queue, NULL), "event");
    MISSING(weir_queue_wait_future(NULL, future), "queue");
    MISSING(weir_queue_wait_future(queue, NULL), "future");
    MISSING(weir_queue_wait_native(NULL, bytes), "queue");
    MISSING(weir_queue_wait_native(queue, NULL), "native_event");
    MISSING(weir_queue_sync(NULL), "queue");
    weir_future_release(future);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void stamps_and_events(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_stamp *stamp, *none;
    weir_event *event;
    double ms;
    OK(weir_stamp_create(device, &stamp));
    MAKES_NONE(weir_stamp_create(NULL, &none), "device", none);
    MISSING(weir_stamp_create(device, NULL), "stamp_out");
    MISSING(weir_queue_stamp(NULL, stamp), "queue");
    MISSING(weir_queue_stamp(queue, NULL), "stamp");
    MISSING(weir_stamp_elapsed(NULL, stamp, &ms), "stamp");
    MISSING(weir_stamp_elapsed(stamp, NULL, &ms), "stamp");
    MISSING(weir_stamp_elapsed(stamp, stamp, NULL), "ms_out");
    MAKES_NONE(weir_event_acquire(NULL, &event), "device", event);
    MISSING(weir_event_acquire(device, NULL), "event_out");
    MISSING(weir_event_query(NULL), "event");
    MISSING(weir_event_wait(NULL, 0), "event");
    weir_stamp_destroy(stamp);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void futures(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context), *none;
    weir_watch *watch;
    weir_status ended;
    uint64_t word;
    size_t index;
    int fd;
    MAKES_NONE(weir_future_create(NULL, &none), "context", none);
    MISSING(weir_future_create(context, NULL), "future_out");
    MISSING(weir_future_set(NULL, NULL), "future");
    MISSING(weir_future_fail(NULL, WEIR_ERR_IO), "future");
    MISSING(weir_future_query(NULL), "future");
    MISSING(weir_future_wait(NULL, 0), "future");
    MISSING(weir_future_wait_any(NULL, 2, 0, &index), "futures");
    MISSING(weir_future_wait_any(&future, 1, 0, NULL), "index_out");
    MISSING(weir_future_wait_all(NULL, 2, 0, &index), "futures");
    MISSING(weir_future_notify(NULL, note_nothing, NULL, &watch), "future");
    MISSING(weir_future_notify(future, NULL, NULL, &watch), "fn");
    assert_null(watch);
    MISSING(weir_future_post(NULL, 1), "future");
    MISSING(weir_context_post(NULL, 1), "context");
    MISSING(weir_context_next(NULL, &word, &ended), "context");
    MISSING(weir_context_next(context, NULL, &ended), "word_out");
    MISSING(weir_context_trace(NULL, NULL), "context");
    MISSING(weir_context_trace_stop(NULL, NULL), "context");
    MISSING(weir_context_trace_write(NULL, WEIR_TRACE_JSON, throw_away, NULL), "context");
    MISSING(weir_context_trace_write(context, WEIR_TRACE_JSON, NULL, NULL), "write");
    MISSING(weir_context_fd(NULL, &fd), "context");
    MISSING(weir_context_fd(context, NULL), "fd_out");
    weir_future_release(future);
    weir_context_destroy(context);
}

/* ---- router ----------------------------------------------------------------------------------------- */

struct pair {
    weir_endpoint *from, *to;
    weir_router *router;
    weir_link *in, *out, *own; /* own: receives into the program's memory */
};

static void pair_open(struct pair *pair, weir_context *context)
{
    weir_policy any = weir_policy_any();
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.buffers = WEIR_BUFFERS_NONE;
    OK(weir_endpoint_create(weir_context_home(context), "from", &pair->from));
    OK(weir_endpoint_create(weir_context_device(context, 0), "to", &pair->to));
    OK(weir_router_create(context, NULL, &any, &pair->router));
    OK(weir_link_create(pair->from, weir_router_endpoint(pair->router), NULL, &pair->in));
    OK(weir_link_create(weir_router_endpoint(pair->router), pair->to, NULL, &pair->out));
    OK(weir_link_create(pair->from, pair->to, &config, &pair->own));
}

static void pair_close(struct pair *pair)
{
    weir_link_destroy(pair->own);
    weir_link_destroy(pair->in);
    weir_link_destroy(pair->out);
    weir_router_destroy(pair->router);
    weir_endpoint_destroy(pair->from);
    weir_endpoint_destroy(pair->to);
}

static void routers(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_policy any = weir_policy_any();
    weir_endpoint *end;
    weir_router *router;
    weir_link *link;
    struct pair pair;
    pair_open(&pair, context);
    MAKES_NONE(weir_endpoint_create(NULL, "x", &end), "device", end);
    MISSING(weir_endpoint_create(weir_context_home(context), "x", NULL), "endpoint_out");
    MISSING(weir_policy_get(WEIR_POLICY_ANY, NULL, NULL), "weir_policy");
    MAKES_NONE(weir_router_create(NULL, "x", &any, &router), "context", router);
    MISSING(weir_router_create(context, "x", &any, NULL), "router_out");
    MISSING(weir_router_check(NULL), "router");
    MAKES_NONE(weir_link_create(NULL, pair.to, NULL, &link), "source", link);
    MAKES_NONE(weir_link_create(pair.from, NULL, NULL, &link), "destination", link);
    MISSING(weir_link_create(pair.from, pair.to, NULL, NULL), "link_out");
    pair_close(&pair);
    weir_context_destroy(context);
}

static void sending(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_segment segment = {.device = weir_context_home(context)};
    weir_queue *queue = new_queue(weir_context_home(context));
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    struct pair pair;
    pair_open(&pair, context);
    MISSING(weir_link_send(NULL, &segment, NULL, NULL), "link");
    MISSING(weir_link_send(pair.in, NULL, NULL, NULL), "segment");
    MISSING(weir_link_send_wait(NULL, &segment, NULL, 0, NULL), "link");
    MISSING(weir_link_send_wait(pair.in, NULL, NULL, 0, NULL), "segment");
    MISSING(weir_link_send_from(NULL, &segment, queue, NULL), "link");
    MISSING(weir_link_send_from(pair.in, NULL, queue, NULL), "segment");
    MISSING(weir_link_send_from(pair.in, &segment, NULL, NULL), "queue");
    MISSING(weir_link_shutdown(NULL), "link");
    MISSING(weir_link_stats_get(NULL, &stats), "link");
    MISSING(weir_link_stats_get(pair.in, NULL), "weir_link_stats");
    pair_close(&pair);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void receiving(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pending *pending, *none;
    weir_segment segment;
    struct pair pair;
    char bytes[8];
    pair_open(&pair, context);
    MISSING(weir_link_receive(NULL, &none), "link");
    MISSING(weir_link_receive(pair.out, NULL), "pending_out");
    MISSING(weir_link_receive_into(NULL, bytes, 8, NULL, &none), "link");
    MISSING(weir_link_receive_into(pair.own, bytes, 8, NULL, NULL), "pending_out");
    MISSING(weir_link_next(NULL, 0, &none, &segment), "link");
    MISSING(weir_link_next(pair.out, 0, NULL, &segment), "pending_out");
    MISSING(weir_link_next(pair.out, 0, &none, NULL), "segment_out");
    OK(weir_link_receive(pair.out, &pending));
    MISSING(weir_pending_assigned(NULL, &segment), "pending");
    MISSING(weir_pending_assigned(pending, NULL), "segment_out");
    /* Before they wait. */
    MISSING(weir_pending_wait_assigned(NULL, -1, &segment), "pending");
    MISSING(weir_pending_wait_assigned(pending, -1, NULL), "segment_out");
    MISSING(weir_pending_wait(NULL, -1, &segment), "pending");
    MISSING(weir_pending_wait(pending, -1, NULL), "segment_out");
    MISSING(weir_pending_gate(NULL, NULL), "pending");
    MISSING(weir_pending_gate(pending, NULL), "queue");
    MISSING(weir_pending_release(NULL, NULL), "pending");
    weir_router_cancel(pair.router, WEIR_ERR_CANCELLED);
    OK(weir_pending_release(pending, NULL));
    pair_close(&pair);
    weir_context_destroy(context);
}

static void channels(void **state)
{
    static const weir_channel_tx no_sender;
    static const weir_channel_rx no_receiver;
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_channel_stats stats = WEIR_CHANNEL_STATS_INIT;
    weir_channel *channel, *none;
    OK(weir_channel_create(device, device, NULL, &channel));
    MAKES_NONE(weir_channel_create(NULL, device, NULL, &none), "from", none);
    MAKES_NONE(weir_channel_create(device, NULL, NULL, &none), "to", none);
    MISSING(weir_channel_create(device, device, NULL, NULL), "channel_out");
    MISSING(weir_channel_reset(NULL), "channel");
    MISSING(weir_channel_stats_get(NULL, &stats), "channel");
    MISSING(weir_channel_stats_get(channel, NULL), "weir_channel_stats");
    const weir_channel_tx tx = weir_channel_tx_of(NULL);
    const weir_channel_rx rx = weir_channel_rx_of(NULL);
    assert_memory_equal(&tx, &no_sender, sizeof tx);
    assert_memory_equal(&rx, &no_receiver, sizeof rx);
    weir_channel_destroy(channel);
    weir_context_destroy(context);
}

static void groups(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_group *group;
    weir_endpoint *end;
    MAKES_NONE(weir_group_create(NULL, 0, &group), "context", group);
    MISSING(weir_group_create(context, 0, NULL), "group_out");
    MAKES_NONE(weir_endpoint_create_remote(NULL, 1, "x", &end), "group", end);
    MISSING(weir_group_join(NULL, 0), "group");
    weir_context_destroy(context);
}

/* ---- collectives ------------------------------------------------------------------------------------ */

#define I32 WEIR_TYPE_I32
#define SUM WEIR_OP_SUM
enum { RANKS = 2 };

/* Of what is to be combined, and of what is not. */
static void calls(weir_collectives *c, const void *const *send, void *const *recv,
                  weir_queue *const *queues)
{
    const size_t table[RANKS * RANKS] = {1, 1, 1, 1};
    const char *name = !c ? "collectives" : !queues ? "queues" : send ? "recv" : "send";
    MISSING(weir_all_gather(c, send, recv, 1, I32, queues), name);
    MISSING(weir_reduce(c, 0, send, recv, 1, I32, SUM, queues), name);
    MISSING(weir_all_reduce(c, send, recv, 1, I32, SUM, queues), name);
    MISSING(weir_reduce_scatter(c, send, recv, 1, I32, SUM, queues), name);
    MISSING(weir_all_to_all(c, send, recv, 1, I32, queues), name);
    MISSING(weir_gather(c, 0, send, recv, 1, I32, queues), name);
    MISSING(weir_scatter(c, 0, send, recv, 1, I32, queues), name);
    MISSING(weir_all_to_all_v(c, send, recv, table, table, table, I32, queues), name);
}

static void collectives(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *devices[RANKS];
    weir_queue *queues[RANKS];
    int32_t data[2 * RANKS][RANKS] = {{0}};
    const void *send[RANKS];
    void *recv[RANKS];
    weir_collectives *c, *none;
    weir_collectives_choice choice = WEIR_COLLECTIVES_CHOICE_INIT;
    for (uint32_t i = 0; i < RANKS; i++) {
        devices[i] = weir_context_device(context, i);
        queues[i] = new_queue(devices[i]);
        send[i] = data[i];
        recv[i] = data[RANKS + i];
    }
    OK(weir_collectives_create(context, devices, RANKS, NULL, &c));
    MAKES_NONE(weir_collectives_create(NULL, devices, RANKS, NULL, &none), "context", none);
    MAKES_NONE(weir_collectives_create(context, NULL, RANKS, NULL, &none), "devices", none);
    MISSING(weir_collectives_create(context, devices, RANKS, NULL, NULL), "collectives_out");
    MISSING(weir_collectives_status(NULL), "collectives");
    MISSING(weir_collectives_choose(NULL, WEIR_COLLECTIVE_REDUCE, 0, 1, &choice), "collectives");
    MISSING(weir_collectives_choose(c, WEIR_COLLECTIVE_REDUCE, 0, 1, NULL), "choice_out");
    MISSING(weir_broadcast(NULL, 0, recv, 1, I32, queues), "collectives");
    MISSING(weir_broadcast(c, 0, NULL, 1, I32, queues), "data");
    MISSING(weir_broadcast(c, 0, recv, 1, I32, NULL), "queues");
    calls(NULL, send, recv, queues);
    calls(c, NULL, recv, queues);
    calls(c, send, NULL, queues);
    calls(c, send, recv, NULL);
    OK(weir_all_reduce(c, NULL, NULL, 0, I32, SUM, queues)); /* nothing is moved */
    weir_collectives_destroy(c);
    for (uint32_t i = 0; i < RANKS; i++)
        weir_queue_destroy(queues[i]);
    weir_context_destroy(context);
}

/* What ends or cancels ignores it. */
static void ends(void **state)
{
    (void)state;
    weir_config_destroy(NULL);
    weir_context_destroy(NULL);
    weir_queue_destroy(NULL);
    weir_stamp_destroy(NULL);
    weir_event_release(NULL);
    weir_future_release(NULL);
    weir_watch_destroy(NULL);
    weir_endpoint_destroy(NULL);
    weir_router_cancel(NULL, WEIR_ERR_CANCELLED);
    weir_router_destroy(NULL);
    weir_link_cancel(NULL, WEIR_ERR_CANCELLED);
    weir_link_destroy(NULL);
    weir_group_destroy(NULL);
    weir_channel_stop(NULL);
    weir_channel_destroy(NULL);
    weir_collectives_cancel(NULL, WEIR_ERR_CANCELLED);
    weir_collectives_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configuration),
        cmocka_unit_test(observers),
        cmocka_unit_test(ends),
        ON_BACKEND(devices_and_memory, "host:1"),
        ON_BACKEND(queues, "host:1"),
        ON_BACKEND(queues, "strict:2"),
        ON_BACKEND(stamps_and_events, "host:1"),
        ON_BACKEND(futures, "host:1"),
        ON_BACKEND(routers, "host:1"),
        ON_BACKEND(sending, "host:1"),
        ON_BACKEND(receiving, "host:1"),
        ON_BACKEND(channels, "host:1"),
        ON_BACKEND(groups, "host:1"),
        ON_BACKEND(collectives, "host:2"),
    };
    return cmocka_run_group_tests_name("missing", tests, NULL, NULL);
}
