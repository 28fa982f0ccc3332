/** @file test_sentences.c  Every call that fails says why, in a sentence of its own; who ends something is heard by all who
 *  wait for it. */
#include "tests/lib/flow.h"

#include "router/collective.h"
#include "router/process.h"

#include <pthread.h>
#include <string.h>

#define PACKET 64
#define STALE  "an older sentence"

/* What stands there already must not be taken for the reason. */
static void expect_failure(const char *call, weir_status got, weir_status wanted, const char *part)
{
    if (got != wanted || !strstr(weir_error_detail(), part))
        print_error("%s: %d (%s), '%s'\n", call, (int)got, weir_status_text(got),
                    weir_error_detail());
    assert_int_equal(got, wanted);
    assert_string_not_equal(weir_error_detail(), STALE);
    assert_detail_has(part);
}

#define FAILS(call, wanted, part)                    \
    do {                                             \
        (void)weir_error_set(WEIR_ERR_IO, STALE);    \
        expect_failure(#call, (call), wanted, part); \
    } while (0)
#define REFUSED(call, part) FAILS(call, WEIR_ERR_INVALID, part)

/* ---- the table ----------------------------------------------------------------------------------- */

static void runtime_calls_say_why(void **state)
{
    weir_context *context = open_or_skip(state), *none;
    weir_device *device = weir_context_device(context, 0);
    weir_config *config;
    const char *text;
    uint64_t value;
    int number;
    weir_grid grid;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    void *data;
    OK(weir_config_create(&config));
    REFUSED(weir_config_create(NULL), "config_out is NULL");
    REFUSED(weir_config_set(config, "nonsense", "1"), "nonsense");
    REFUSED(weir_config_set(config, "events", "no"), "events=no");
    REFUSED(weir_config_set(config, "events", NULL), "no value");
    REFUSED(weir_config_number(config, "nonsense", &value), "nonsense");
    REFUSED(weir_config_number(config, "events", NULL), "value_out is NULL");
    REFUSED(weir_config_string(config, "events", &text), "events");
    REFUSED(weir_config_string(config, "log", NULL), "text_out is NULL");
    weir_config_destroy(config);
    REFUSED(weir_context_create("hots:1", NULL, &none), "hots:1");
    REFUSED(weir_context_create("host:1", NULL, NULL), "context_out is NULL");
    REFUSED(weir_context_post(NULL, 1), "context is NULL");
    REFUSED(weir_context_next(NULL, &value, NULL), "context is NULL");
    REFUSED(weir_context_next(context, NULL, NULL), "word_out is NULL");
    REFUSED(weir_context_fd(NULL, &number), "context is NULL");
    REFUSED(weir_context_fd(context, NULL), "fd_out is NULL");
    REFUSED(weir_device_status(NULL), "device is NULL");
    REFUSED(weir_device_info_get(NULL, &info), "device is NULL");
    REFUSED(weir_device_info_get(device, NULL), "weir_device_info to fill in is NULL");
    REFUSED(weir_device_pool_stats(NULL, &pool), "device is NULL");
    REFUSED(weir_device_pool_stats(device, NULL), "weir_pool_stats to fill in is NULL");
    FAILS(weir_device_alloc(device, SIZE_MAX, &data), WEIR_ERR_NOMEM, "WEIR_POOL_BYTES");
    REFUSED(weir_device_alloc(NULL, 1, &data), "device is NULL");
    REFUSED(weir_device_alloc(device, 1, NULL), "data_out is NULL");
    REFUSED(weir_memory_register(context, &value, 0), "0 bytes");
    REFUSED(weir_memory_register(NULL, &value, 8), "context is NULL");
    REFUSED(weir_memory_unregister(context, &value), "was not registered");
    REFUSED(weir_memory_unregister(NULL, &value), "context is NULL");
    REFUSED(weir_grid_for(device, 1, 3, 0, 0, &grid), "3 threads");
    REFUSED(weir_grid_for(NULL, 1, 32, 0, 0, &grid), "device is NULL");
    weir_context_destroy(context);
}

static void queue_calls_say_why(void **state)
{
    static const weir_kernel formless = {.name = "formless"};
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device), *none;
    weir_event *event = new_event(device);
    weir_stamp *stamp, *other;
    double ms;
    REFUSED(weir_queue_create(NULL, 0, &none), "device is NULL");
    REFUSED(weir_queue_copy(NULL, device, NULL, device, NULL, 0), "queue is NULL");
    REFUSED(weir_queue_copy(queue, device, NULL, device, &ms, 1), "destination is NULL");
    REFUSED(weir_queue_push(queue, device, &ms, device, NULL, 1), "source is NULL");
    REFUSED(weir_queue_push(queue, NULL, &ms, device, NULL, 1), "device is NULL");
    REFUSED(weir_queue_fill(queue, NULL, 0, 1), "data is NULL");
    REFUSED(weir_queue_launch(queue, NULL, NULL, 0), "kernel is NULL");
    REFUSED(weir_queue_launch(queue, &formless, NULL, 8), "args is NULL");
    FAILS(weir_queue_launch(queue, &formless, NULL, 0), WEIR_ERR_UNSUPPORTED, "formless");
    REFUSED(weir_queue_call(queue, NULL, NULL), "function is NULL");
    REFUSED(weir_queue_record(queue, NULL), "event is NULL");
    REFUSED(weir_queue_wait_event(queue, NULL), "event is NULL");
    REFUSED(weir_queue_wait_event(queue, event), "never recorded");
    REFUSED(weir_queue_wait_future(queue, NULL), "future is NULL");
    REFUSED(weir_queue_adopt(NULL, NULL, &none), "device is NULL");
    REFUSED(weir_queue_adopt(device, NULL, NULL), "queue_out is NULL");
    REFUSED(weir_queue_status(NULL), "queue is NULL");
    REFUSED(weir_queue_stats_get(NULL, NULL), "queue is NULL");
    REFUSED(weir_queue_sync(NULL), "queue is NULL");
    REFUSED(weir_queue_wait_native(queue, NULL), "native_event is NULL");
    REFUSED(weir_event_acquire(NULL, &event), "device is NULL");
    REFUSED(weir_event_query(NULL), "event is NULL");
    REFUSED(weir_event_wait(NULL, 0), "event is NULL");
    REFUSED(weir_stamp_create(NULL, &stamp), "device is NULL");
    OK(weir_stamp_create(device, &stamp));
    OK(weir_stamp_create(weir_context_home(context), &other));
    REFUSED(weir_queue_stamp(queue, NULL), "stamp is NULL");
    REFUSED(weir_queue_stamp(queue, other), "home");
    REFUSED(weir_stamp_elapsed(stamp, other, &ms), "no clock in common");
    REFUSED(weir_stamp_elapsed(stamp, stamp, &ms), "never put into a queue");
    weir_stamp_destroy(stamp);
    weir_stamp_destroy(other);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void future_calls_say_why(void **state)
{
    static const weir_status never[] = {WEIR_OK, WEIR_PENDING, WEIR_FULL, (weir_status)12345,
                                        (weir_status)-77};
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    weir_future *none;
    size_t which;
    REFUSED(weir_future_create(NULL, &none), "context is NULL");
    REFUSED(weir_future_query(NULL), "future is NULL");
    REFUSED(weir_future_wait(NULL, 0), "future is NULL");
    REFUSED(weir_future_set(NULL, NULL), "future is NULL");
    REFUSED(weir_future_fail(NULL, WEIR_ERR_IO), "future is NULL");
    REFUSED(weir_future_post(NULL, 1), "future is NULL");
    REFUSED(weir_future_wait_any(NULL, 1, 0, &which), "futures is NULL");
    REFUSED(weir_future_wait_any(&future, 1, 0, NULL), "index_out is NULL");
    REFUSED(weir_future_wait_all(NULL, 1, 0, NULL), "futures is NULL");
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        REFUSED(weir_future_fail(future, never[i]), "cannot be failed with");
        STATUS(weir_future_query(future), WEIR_PENDING);
    }
    FAILS(weir_future_wait(future, 1), WEIR_ERR_TIMEOUT, "time limit");
    OK(weir_future_fail(future, WEIR_ERR_VERIFY));
    REFUSED(weir_future_fail(future, WEIR_ERR_IO), "twice");
    REFUSED(weir_future_set(future, NULL), "twice");
    FAILS(weir_future_query(future), WEIR_ERR_VERIFY, "a future was failed: result differs");
    FAILS(weir_future_wait(future, 0), WEIR_ERR_VERIFY, "a future was failed: result differs");
    weir_future_release(future);
    weir_context_destroy(context);
}

/* Of links that are there, and open. */
static void link_calls_refuse(struct flow *flow)
{
    weir_segment segment = {.device = weir_endpoint_device(flow->from[0])};
    weir_segment nowhere = {.device = segment.device, .bytes = 1}, foreign = {.device = NULL};
    weir_link *none;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_pending *pending;
    REFUSED(weir_link_create(NULL, flow->to[0], NULL, &none), "source is NULL");
    REFUSED(weir_link_create(flow->from[0], NULL, NULL, &none), "destination is NULL");
    REFUSED(weir_link_create(flow->from[0], flow->from[0], NULL, &none), "to itself");
    REFUSED(weir_link_send(NULL, &segment, NULL, NULL), "link is NULL");
    REFUSED(weir_link_send(flow->in[0], NULL, NULL, NULL), "segment is NULL");
    REFUSED(weir_link_send(flow->in[0], &nowhere, NULL, NULL), "1 bytes at no address");
    REFUSED(weir_link_send(flow->in[0], &foreign, NULL, NULL), "another device");
    REFUSED(weir_link_send(flow->out[0], &segment, NULL, NULL), "does not send");
    REFUSED(weir_link_send_from(flow->in[0], &segment, NULL, NULL), "queue is NULL");
    REFUSED(weir_link_stats_get(NULL, &stats), "link is NULL");
    REFUSED(weir_link_stats_get(flow->in[0], NULL), "weir_link_stats to fill in is NULL");
    REFUSED(weir_link_shutdown(NULL), "link is NULL");
    REFUSED(weir_link_shutdown(flow->out[0]), "only a link into a router");
    REFUSED(weir_link_receive(NULL, &pending), "link is NULL");
    REFUSED(weir_link_receive(flow->in[0], &pending), "does not receive");
    REFUSED(weir_link_receive(flow->out[0], NULL), "pending_out is NULL");
    REFUSED(weir_link_receive_into(flow->out[0], &none, 1, NULL, &pending), "WEIR_BUFFERS_NONE");
    REFUSED(weir_link_next(NULL, 0, &pending, &segment), "link is NULL");
    FAILS(weir_link_next(flow->out[0], 0, &pending, &segment), WEIR_ERR_TIMEOUT, "time limit");
}

static void router_calls_say_why(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 1};
    weir_policy any = weir_policy_any();
    weir_segment segment;
    weir_router *router;
    weir_endpoint *endpoint;
    weir_group *group;
    weir_collectives *collectives;
    weir_pending *pending;
    flow_open(&flow, &any, PACKET, 1);
    REFUSED(weir_endpoint_create(NULL, "x", &endpoint), "device is NULL");
    REFUSED(weir_router_create(NULL, "x", &any, &router), "context is NULL");
    REFUSED(weir_router_create(flow.context, "x", NULL, &router), "x has no policy");
    OK(weir_router_create(flow.context, "x", &any, &router));
    REFUSED(weir_router_check(router), "x is unconnected");
    REFUSED(weir_router_check(NULL), "router is NULL");
    REFUSED(weir_policy_get(WEIR_POLICY_ANY, NULL, NULL), "weir_policy to fill in is NULL");
    REFUSED(weir_group_create(NULL, 0, &group), "context is NULL");
    REFUSED(weir_group_create(flow.context, 0, NULL), "group_out is NULL");
    REFUSED(weir_group_join(NULL, 0), "group is NULL");
    REFUSED(weir_endpoint_create_remote(NULL, 0, "x", &endpoint), "group is NULL");
    REFUSED(weir_collectives_create(NULL, NULL, 1, NULL, &collectives), "context is NULL");
    REFUSED(weir_collectives_create(flow.context, NULL, 1, NULL, &collectives), "devices is NULL");
    REFUSED(weir_collectives_status(NULL), "collectives is NULL");
    REFUSED(weir_broadcast(NULL, 0, NULL, 1, WEIR_TYPE_I32, NULL), "collectives is NULL");
    weir_router_destroy(router);
    weir_router_cancel(NULL, WEIR_ERR_CANCELLED);
    weir_link_cancel(NULL, WEIR_ERR_CANCELLED);
    link_calls_refuse(&flow);
    OK(weir_link_receive(flow.out[0], &pending));
    REFUSED(weir_pending_assigned(NULL, &segment), "pending is NULL");
    REFUSED(weir_pending_wait(NULL, 0, &segment), "pending is NULL");
    REFUSED(weir_pending_wait_assigned(NULL, 0, &segment), "pending is NULL");
    REFUSED(weir_pending_gate(pending, NULL), "queue is NULL");
    REFUSED(weir_pending_release(NULL, NULL), "pending is NULL");
    REFUSED(weir_pending_release(pending, NULL), "before anything came");
    FAILS(weir_pending_wait(pending, 0, &segment), WEIR_ERR_TIMEOUT, "time limit");
    weir_router_cancel(flow.router, WEIR_ERR_CANCELLED);
    OK(weir_pending_release(pending, NULL));
    REFUSED(weir_pending_release(pending, NULL), "nobody holds");
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* ---- who ends it -------------------------------------------------------------------------------- */

struct end {
    weir_router *router;
    weir_status status;
    const char *sentence; /* NULL: the thread has none */
};

static void *cancel_elsewhere(void *data)
{
    struct end *end = data;
    if (end->sentence)
        (void)weir_error_set(end->status, end->sentence);
    weir_router_cancel(end->router, end->status);
    return NULL;
}

/* All that is under way, and all later calls, tell the same. */
static void expect_ended(struct flow *flow, weir_future *done, weir_pending *pending,
                         weir_status status, const char *sentence)
{
    weir_segment segment = {.device = weir_endpoint_device(flow->from[0])};
    weir_pending *next;
    FAILS(weir_future_wait(done, LONG_MS), status, sentence);
    FAILS(weir_future_query(done), status, sentence);
    FAILS(weir_link_send(flow->in[0], &segment, NULL, NULL), status, sentence);
    FAILS(weir_pending_wait(pending, LONG_MS, &segment), status, sentence);
    FAILS(weir_pending_wait_assigned(pending, LONG_MS, &segment), status, sentence);
    FAILS(weir_pending_assigned(pending, &segment), status, sentence);
    FAILS(weir_future_wait(weir_pending_future(pending), LONG_MS), status, sentence);
    OK(weir_pending_release(pending, NULL));
    FAILS(weir_link_next(flow->out[0], -1, &next, &segment), status, sentence);
    assert_null(next);
}

static void end_with(void **state, weir_status status, const char *sentence, weir_status wanted,
                     const char *heard)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 1};
    weir_policy any = weir_policy_any();
    weir_pending *first, *second;
    weir_segment segment;
    pthread_t thread;
    flow_open(&flow, &any, PACKET, 2);
    struct end end = {flow.router, status, sentence};
    weir_device *device = weir_endpoint_device(flow.from[0]);
    finish(send_data(flow.in[0], device, NULL, 0, 0));
    first = receive(flow.out[0], &segment);
    finish(send_data(flow.in[0], device, NULL, 0, 0));
    second = receive(flow.out[0], &segment);
    weir_future *done = send_data(flow.in[0], device, NULL, 0, 0); /* there is no buffer for it */
    OK(weir_pending_release(first, NULL)); /* now there is: the next has none */
    finish(done);
    first = receive(flow.out[0], &segment);
    done = send_data(flow.in[0], device, NULL, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, cancel_elsewhere, &end), 0);
    pthread_join(thread, NULL);
    OK(weir_pending_release(second, NULL));
    OK(weir_link_receive(flow.out[0], &second));
    expect_ended(&flow, done, second, wanted, heard);
    weir_future_release(done);
    OK(weir_pending_release(first, NULL));
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

static void a_cancel_keeps_the_programs_sentence(void **state)
{
    end_with(state, WEIR_ERR_CANCELLED, "the user pressed a key", WEIR_ERR_CANCELLED,
             "the user pressed a key");
    end_with(state, WEIR_ERR_VERIFY, "row 7 is wrong", WEIR_ERR_VERIFY, "row 7 is wrong");
    end_with(state, WEIR_ERR_CANCELLED, NULL, WEIR_ERR_CANCELLED, "router r was cancelled");
    end_with(state, WEIR_ERR_IO, NULL, WEIR_ERR_IO, "router r was cancelled: file cannot be read");
}

/* A wait without limit that came back with WEIR_ERR_TIMEOUT would say nothing; answers and unknown values neither. */
static void what_waits_say_themselves_ends_nothing(void **state)
{
    static const weir_status others[] = {WEIR_ERR_TIMEOUT, WEIR_OK,   WEIR_PENDING,
                                         WEIR_CLOSED,      WEIR_FULL, (weir_status)-77};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        end_with(state, others[i], "too slow", WEIR_ERR_CANCELLED, "too slow");
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    (void)weir_error_set(WEIR_ERR_TIMEOUT, "too slow");
    OK(weir_future_fail(future, WEIR_ERR_TIMEOUT));
    FAILS(weir_future_wait(future, -1), WEIR_ERR_CANCELLED, "too slow");
    weir_future_release(future);
    weir_context_destroy(context);
}

/* The thread that cancels keeps what it failed with, and that is not taken for the reason of another status. */
static void an_older_sentence_is_no_reason(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_policy any = weir_policy_any();
    weir_router *router;
    weir_endpoint *endpoint = new_endpoint(weir_context_home(context), "from");
    weir_segment segment = {.device = weir_context_home(context)};
    OK(weir_router_create(context, "r", &any, &router));
    weir_link *link = new_link(endpoint, weir_router_endpoint(router), 0, 0);
    (void)weir_error_set(WEIR_ERR_IO, STALE);
    weir_router_cancel(router, WEIR_ERR_VERIFY);
    assert_detail(STALE);
    FAILS(weir_link_send(link, &segment, NULL, NULL), WEIR_ERR_VERIFY,
          "router r was cancelled: result differs");
    (void)weir_error_set(WEIR_ERR_IO, STALE);
    weir_router_destroy(router);
    assert_detail(STALE);
    weir_link_destroy(link);
    weir_endpoint_destroy(endpoint);
    weir_context_destroy(context);
}

/* ---- policies -------------------------------------------------------------------------------------- */

struct answer {
    weir_status status;
    const char *sentence;
};

static weir_status choose(void *user, const weir_segment *message, const weir_endpoint *source,
                          weir_endpoint *const *candidates, uint32_t count, weir_choice *choice_out)
{
    const struct answer *answer = user;
    (void)message;
    (void)source;
    (void)candidates;
    (void)count;
    choice_out->count = 1;
    choice_out->candidate[0] = 0;
    return answer->sentence ? weir_error_set(answer->status, answer->sentence) : answer->status;
}

static void a_policy_refuses_with_a_failure_alone(void **state)
{
    static const weir_status answers[] = {WEIR_CLOSED, WEIR_PENDING, WEIR_FULL, WEIR_ERR_TIMEOUT,
                                          (weir_status)12345};
    struct answer answer = {WEIR_ERR_IO, NULL};
    weir_policy own = {.name = "own", .choose = choose, .user = &answer};
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 1};
    flow_open(&flow, &own, PACKET, 1);
    weir_segment segment = {.device = weir_endpoint_device(flow.from[0])};
    FAILS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_ERR_IO,
          "policy own of router r refused a message from");
    answer.sentence = "not on a Sunday";
    FAILS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_ERR_IO, "not on a Sunday");
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        answer.status = answers[i];
        REFUSED(weir_link_send(flow.in[0], &segment, NULL, NULL), "no failure of a policy");
    }
    answer = (struct answer){WEIR_OK, NULL};
    finish(send_data(flow.in[0], segment.device, NULL, 0, 3)); /* the router goes on */
    expect_packet(flow.out[0], 0, 0, 3, 0);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(runtime_calls_say_why),
        ON_EACH_BACKEND(queue_calls_say_why),
        ON_EACH_BACKEND(future_calls_say_why),
        ON_EACH_BACKEND(router_calls_say_why),
        ON_EACH_BACKEND(a_cancel_keeps_the_programs_sentence),
        ON_EACH_BACKEND(what_waits_say_themselves_ends_nothing),
        ON_EACH_BACKEND(an_older_sentence_is_no_reason),
        ON_EACH_BACKEND(a_policy_refuses_with_a_failure_alone),
    };
    return cmocka_run_group_tests_name("sentences", tests, NULL, NULL);
}
