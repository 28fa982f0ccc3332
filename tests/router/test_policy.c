/** @file test_policy.c  Who gets which packet: choices between receivers, and a program's own policy. */
#include "router/internal.h" /* the length of a send queue is seen in no other way */
#include "tests/lib/flow.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#define PACKET 64

/* Source memory of input i. */
static void *source_memory(struct flow *flow, uint32_t i, size_t bytes)
{
    return new_memory(weir_endpoint_device(flow->from[i]), bytes);
}

static weir_future *send_from(struct flow *flow, uint32_t i, void *data, size_t bytes,
                              uint64_t meta)
{
    return send_data(flow->in[i], weir_endpoint_device(flow->from[i]), data, bytes, meta);
}

static void shut_all(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->inputs; i++)
        OK(weir_link_shutdown(flow->in[i]));
    for (uint32_t i = 0; i < flow->outputs; i++)
        receive_closed(flow->out[i]);
}

#define MESSAGES 300

/* All outputs are polled in turn; each packet must come out of exactly one of them. */
static void any_gives_each_packet_to_one_receiver(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 3};
    weir_policy any = weir_policy_any();
    weir_pending *taken[3] = {NULL};
    unsigned char seen[MESSAGES][2];
    weir_future *done[MESSAGES];
    flow_open(&flow, &any, PACKET, 2);
    char *data = source_memory(&flow, 0, 2 * PACKET);
    put_pattern(weir_endpoint_device(flow.from[0]), data, 2 * PACKET, 3);
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < MESSAGES; i++)
        done[i] = send_from(&flow, 0, data, 2 * PACKET, i);
    uint64_t start = weir__now_ns();
    for (uint32_t got = 0, o = 0; got < 2 * MESSAGES; o = (o + 1) % 3) {
        weir_segment segment;
        assert_true(weir__now_ns() - start < LONG_MS * 1000000ull);
        if (!taken[o])
            OK(weir_link_receive(flow.out[o], &taken[o]));
        if (weir_pending_assigned(taken[o], &segment) == WEIR_PENDING)
            continue;
        OK(weir_pending_wait(taken[o], LONG_MS, &segment));
        assert_piece(&segment, 3);
        assert_true(segment.meta < MESSAGES);
        assert_int_equal(segment.offset % PACKET, 0);
        assert_int_equal(seen[segment.meta][segment.offset / PACKET]++, 0);
        OK(weir_pending_release(taken[o], NULL));
        taken[o] = NULL;
        got++;
    }
    for (int i = 0; i < MESSAGES; i++)
        finish(done[i]);
    OK(weir_link_shutdown(flow.in[0]));
    for (int o = 0; o < 3; o++) {
        weir_segment segment;
        if (!taken[o])
            OK(weir_link_receive(flow.out[o], &taken[o]));
        STATUS(weir_pending_wait(taken[o], LONG_MS, &segment), WEIR_CLOSED);
        OK(weir_pending_release(taken[o], NULL));
    }
    weir_device_free(weir_endpoint_device(flow.from[0]), data);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* ---- one send at a time -------------------------------------------------------------------------- */

struct meeting {
    struct flow *flow;
    sem_t inside, go;
    weir_status nested, sent;
    char nested_says[128];
};

/* Sends on the link that it is asked for, then waits for another thread to do so. */
static weir_status choose_slowly(void *user, const weir_segment *message,
                                 const weir_endpoint *source, weir_endpoint *const *candidates,
                                 uint32_t count, weir_choice *choice)
{
    struct meeting *meeting = user;
    (void)source;
    (void)candidates;
    (void)count;
    meeting->nested = weir_link_send(meeting->flow->in[0], message, NULL, NULL);
    snprintf(meeting->nested_says, sizeof meeting->nested_says, "%s", weir_error_detail());
    sem_post(&meeting->inside);
    sem_wait(&meeting->go);
    choice->count = 1;
    choice->candidate[0] = 0;
    return WEIR_OK;
}

static void *send_one(void *data)
{
    struct meeting *meeting = data;
    weir_segment segment = {.device = weir_endpoint_device(meeting->flow->from[0]), .meta = 1};
    meeting->sent = weir_link_send(meeting->flow->in[0], &segment, NULL, NULL);
    return NULL;
}

/* A link keeps the answers of its policies from one message to the next: who comes in between is refused. */
static void a_send_in_the_middle_of_another_is_refused(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 2};
    struct meeting meeting = {.flow = &flow};
    weir_policy slow = {.name = "slow", .choose = choose_slowly, .user = &meeting};
    weir_segment segment;
    pthread_t thread;
    sem_init(&meeting.inside, 0, 0);
    sem_init(&meeting.go, 0, 0);
    flow_open(&flow, &slow, PACKET, 2);
    segment = (weir_segment){.device = weir_endpoint_device(flow.from[0]), .meta = 2};
    assert_int_equal(pthread_create(&thread, NULL, send_one, &meeting), 0);
    sem_wait(&meeting.inside);
    STATUS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_ERR_INVALID);
    assert_detail_has("one call at a time");
    sem_post(&meeting.go);
    pthread_join(thread, NULL);
    OK(meeting.sent);
    STATUS(meeting.nested, WEIR_ERR_INVALID);
    assert_non_null(strstr(meeting.nested_says, "one call at a time"));
    expect_packet(flow.out[0], 0, 0, 1, 0);
    shut_all(&flow);
    flow_close(&flow);
    weir_context_destroy(flow.context);
    sem_destroy(&meeting.inside);
    sem_destroy(&meeting.go);
}

/* ---- what waits ---------------------------------------------------------------------------------- */

static uint32_t queue_length(weir_link *link)
{
    uint32_t count = 0;
    pthread_mutex_lock(&link->output->lock);
    for (uint32_t i = 0; i < link->output->send_queue_count; i++)
        for (struct offer *offer = link->output->send_queues[i]->head; offer; offer = offer->next)
            count++;
    pthread_mutex_unlock(&link->output->lock);
    return count;
}

/* One receiver never comes back; what the other one took must not pile up in its queue. */
static void stale_offers_do_not_pile_up(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 2};
    weir_policy in_order = weir_policy_priority(NULL);
    weir_segment first, second;
    flow_open(&flow, &in_order, PACKET, 1);
    void *data = source_memory(&flow, 0, PACKET);
    weir_future *done = send_from(&flow, 0, data, PACKET, 0);
    weir_future *other = send_from(&flow, 0, data, PACKET, 1); /* the first is full */
    weir_pending *quick = receive(flow.out[0], &first), *stalled = receive(flow.out[1], &second);
    assert_int_equal(first.meta, 0);
    assert_int_equal(second.meta, 1);
    finish(done);
    finish(other);
    for (uint64_t i = 2; i < 2000; i++) {
        done = send_from(&flow, 0, data, PACKET, i);
        STATUS(weir_future_query(done), WEIR_PENDING);
        OK(weir_pending_release(quick, NULL));
        quick = receive(flow.out[0], &first);
        finish(done);
        assert_int_equal(first.meta, i);
        assert_true(queue_length(flow.out[1]) <= 2);
    }
    OK(weir_pending_release(quick, NULL));
    OK(weir_pending_release(stalled, NULL));
    shut_all(&flow);
    weir_device_free(weir_endpoint_device(flow.from[0]), data);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* ---- a program's own ------------------------------------------------------------------------- */

/* Answers as told, and notes what it was asked. */
struct own {
    weir_status status;
    weir_choice answer;
    uint32_t asked, count;
    weir_segment message;
    const weir_endpoint *source, *last;
};

static weir_status answer_as_told(void *user, const weir_segment *message,
                                  const weir_endpoint *source, weir_endpoint *const *candidates,
                                  uint32_t count, weir_choice *choice)
{
    struct own *own = user;
    own->asked++;
    own->count = count;
    own->message = *message;
    own->source = source;
    own->last = count ? candidates[count - 1] : NULL;
    *choice = own->answer;
    return own->status;
}

static void a_policy_is_told_all_about_a_message(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .inputs = 2, .outputs = 3};
    struct own own = {.answer = {.delivery = WEIR_DELIVER_ANY, .count = 1, .candidate = {2}}};
    weir_policy policy = {.name = "own", .choose = answer_as_told, .user = &own};
    flow_open(&flow, &policy, PACKET, 3);
    void *data = source_memory(&flow, 1, 150);
    put_pattern(weir_endpoint_device(flow.from[1]), data, 150, 1);
    weir_future *done = send_from(&flow, 1, data, 150, 99);
    for (size_t at = 0; at < 150; at += PACKET)
        expect_packet(flow.out[2], at < 128 ? 64 : 22, at, 99, 1);
    finish(done);
    assert_int_equal(own.asked, 1); /* once a message, not once a packet */
    assert_int_equal(own.count, 3);
    assert_ptr_equal(own.source, flow.from[1]);
    assert_ptr_equal(own.last, flow.to[2]);
    assert_int_equal(own.message.bytes, 150);
    assert_int_equal(own.message.meta, 99);
    assert_ptr_equal(own.message.data, data);
    shut_all(&flow);
    weir_device_free(weir_endpoint_device(flow.from[1]), data);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

#define CHOICE(what, n, ...)                                                      \
    {                                                                             \
        .delivery = WEIR_DELIVER_##what, .count = n, .candidate = { __VA_ARGS__ } \
    }

static void bad_choices_are_refused(void **state)
{
    static const struct {
        weir_status status;
        weir_choice answer;
        weir_status wanted;
        const char *detail;
    } rows[] = {
        {WEIR_OK, CHOICE(ANY, 0, 0), WEIR_ERR_INVALID,
         "policy own of router r chose 0 of 2 outputs"},
        {WEIR_OK, CHOICE(ALL, 3, 0, 1, 0), WEIR_ERR_INVALID,
         "policy own of router r chose 3 of 2 outputs"},
        {WEIR_OK, CHOICE(ALL, UINT32_MAX, 0), WEIR_ERR_INVALID, "chose 4294967295 of 2"},
        {WEIR_OK, CHOICE(ALL, 1, 2), WEIR_ERR_INVALID,
         "policy own of router r chose output 2 of 2"},
        {WEIR_OK, CHOICE(ANY, 2, 0, UINT32_MAX), WEIR_ERR_INVALID, "of 2"},
        {WEIR_OK, CHOICE(ANY, 2, 1, 1), WEIR_ERR_INVALID, "chose output 1 twice"},
        {WEIR_OK, {.delivery = (weir_delivery)3, .count = 1}, WEIR_ERR_INVALID, "delivery 3"},
        {WEIR_ERR_VERIFY, CHOICE(ANY, 1, 0), WEIR_ERR_VERIFY, ""},
    };
    struct flow flow = {.context = open_or_skip(state), .inputs = 1, .outputs = 2};
    struct own own = {.status = WEIR_OK};
    weir_policy policy = {.name = "own", .choose = answer_as_told, .user = &own};
    flow_open(&flow, &policy, PACKET, 2);
    weir_segment segment = {.device = weir_endpoint_device(flow.from[0])};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_future *done = (weir_future *)&flow;
        own.status = rows[i].status;
        own.answer = rows[i].answer;
        STATUS(weir_link_send(flow.in[0], &segment, NULL, &done), rows[i].wanted);
        assert_null(done);
        assert_detail_has(rows[i].detail);
    }
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_link_stats_get(flow.in[0], &stats);
    assert_int_equal(stats.messages, 0);
    shut_all(&flow); /* nothing came out of any of it */
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

static void without_outputs_nothing_can_be_chosen(void **state)
{
    const weir_policy policies[] = {weir_policy_any(), weir_policy_ring(), weir_policy_direct()};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 3; i++) {
        struct flow flow = {.context = context, .inputs = 1, .outputs = 0};
        flow_open(&flow, &policies[i], PACKET, 1);
        weir_segment segment = {.device = weir_endpoint_device(flow.from[0])};
        STATUS(weir_link_send(flow.in[0], &segment, NULL, NULL), WEIR_ERR_INVALID);
        OK(weir_link_shutdown(flow.in[0]));
        flow_close(&flow);
    }
    weir_context_destroy(context);
}

/* Each gets the whole message, cut as its own packets are; the sender is done when all have it. */
static void all_gives_each_a_copy(void **state)
{
    static const size_t packets[] = {100, 30, 1000};
    weir_context *context = open_or_skip(state);
    struct own own = {.answer = {.delivery = WEIR_DELIVER_ALL, .count = 3, .candidate = {2, 0, 1}}};
    weir_policy policy = {.name = "own", .choose = answer_as_told, .user = &own};
    struct flow flow = {.context = context, .inputs = 1, .outputs = 0};
    flow_open(&flow, &policy, 0, 0);
    for (uint32_t o = 0; o < 3; o++) {
        flow.to[o] = new_endpoint(any_device(context, o % all_devices(context)), "to");
        flow.out[o] = new_link(weir_router_endpoint(flow.router), flow.to[o], packets[o], 1);
    }
    flow.outputs = 3;
    void *data = source_memory(&flow, 0, 250);
    for (uint64_t round = 0; round < 3; round++) {
        put_pattern(weir_endpoint_device(flow.from[0]), data, 250, round);
        weir_future *done = send_from(&flow, 0, data, 250, round);
        for (uint32_t o = 0; o < 2; o++) { /* the last one has its single packet by now */
            STATUS(weir_future_query(done), WEIR_PENDING);
            for (size_t at = 0; at < 250; at += packets[o])
                expect_packet(flow.out[o], 250 - at < packets[o] ? 250 - at : packets[o], at, round,
                              round);
        }
        finish(done);
        expect_packet(flow.out[2], 250, 0, round, round);
    }
    shut_all(&flow);
    weir_device_free(weir_endpoint_device(flow.from[0]), data);
    flow_close(&flow);
    weir_context_destroy(context);
}

/* Whoever takes a packet must have room for it. */
static void any_cuts_for_the_smallest_receiver(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_policy in_order = weir_policy_priority(NULL);
    struct flow flow = {.context = context, .inputs = 1, .outputs = 0};
    flow_open(&flow, &in_order, 0, 0);
    for (uint32_t o = 0; o < 2; o++) {
        flow.to[o] = new_endpoint(weir_context_device(context, 0), "to");
        flow.out[o] = new_link(weir_router_endpoint(flow.router), flow.to[o], o ? 30 : 100, 2);
    }
    flow.outputs = 2;
    void *data = source_memory(&flow, 0, 40);
    put_pattern(weir_endpoint_device(flow.from[0]), data, 40, 2);
    weir_future *done = send_from(&flow, 0, data, 40, 0);
    expect_packet(flow.out[0], 30, 0, 0, 2);
    expect_packet(flow.out[1], 10, 30, 0, 2); /* the first had one when it was offered */
    finish(done);
    shut_all(&flow);
    weir_device_free(weir_endpoint_device(flow.from[0]), data);
    flow_close(&flow);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(any_gives_each_packet_to_one_receiver),
        ON_EACH_BACKEND(a_send_in_the_middle_of_another_is_refused),
        ON_EACH_BACKEND(stale_offers_do_not_pile_up),
        ON_EACH_BACKEND(a_policy_is_told_all_about_a_message),
        ON_EACH_BACKEND(bad_choices_are_refused),
        ON_EACH_BACKEND(without_outputs_nothing_can_be_chosen),
        ON_EACH_BACKEND(all_gives_each_a_copy),
        ON_EACH_BACKEND(any_cuts_for_the_smallest_receiver),
    };
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
