/** @file test_untaken.c  Packets that were assigned to receives which nobody takes are not lost: they go to
 *  another receiver of their choice, and where there is none `done` says so. */
#include "tests/lib/flow.h"

#define PACKET  64
#define BUFFERS 2
#define SOON_MS 500 /* for what comes at once: a busy machine may take a while */

/* One sender, and two receivers to choose from. */
struct choice {
    struct flow flow;
    weir_device *source;
    char *data;
    weir_future *done;
};

static void choice_open(struct choice *c, void **state, weir_policy policy, uint32_t packets)
{
    c->flow = (struct flow){.context = open_or_skip(state), .inputs = 1, .outputs = 2};
    flow_open(&c->flow, &policy, PACKET, BUFFERS);
    c->source = weir_endpoint_device(c->flow.from[0]);
    c->data = new_memory(c->source, (size_t)packets * PACKET);
    put_pattern(c->source, c->data, (size_t)packets * PACKET, 1);
    c->done = send_data(c->flow.in[0], c->source, c->data, (size_t)packets * PACKET, 7);
}

static void choice_close(struct choice *c)
{
    weir_future_release(c->done);
    flow_close(&c->flow);
    weir_device_free(c->source, c->data);
    assert_pools_empty(c->flow.context);
    weir_context_destroy(c->flow.context);
}

/* Receive what is there at an output. @return how many packets; @p seen_out has a bit for each. */
static uint32_t receive_some(weir_link *link, int wait_ms, uint64_t *seen_out)
{
    weir_pending *pending;
    weir_segment segment;
    uint32_t count = 0;
    while (weir_link_next(link, wait_ms, &pending, &segment) == WEIR_OK) {
        assert_piece(&segment, 1);
        uint64_t bit = UINT64_C(1) << (segment.offset / PACKET);
        assert_int_equal(*seen_out & bit, 0);
        *seen_out |= bit;
        OK(weir_pending_release(pending, NULL));
        count++;
    }
    return count;
}

static uint64_t failed_over(const weir_link *link)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_link_stats_get(link, &stats);
    return stats.failed_over;
}

/* The sender's memory is not its own again before each packet was taken, and what a receiver leaves behind
 * goes to the other. */
static void what_was_left_behind_goes_to_another(void **state)
{
    struct choice c;
    uint64_t seen = 0;
    choice_open(&c, state, weir_policy_any(), 16);
    assert_int_equal(receive_some(c.flow.out[1], SOON_MS, &seen), 15);
    STATUS(weir_future_query(c.done), WEIR_PENDING);
    assert_int_equal(failed_over(c.flow.out[1]), 0);
    weir_link_destroy(c.flow.out[0]);
    c.flow.out[0] = NULL;
    assert_int_equal(receive_some(c.flow.out[1], SOON_MS, &seen), 1);
    OK(weir_future_wait(c.done, LONG_MS));
    assert_int_equal(seen, 0xffff);
    assert_int_equal(failed_over(c.flow.out[1]), 1);
    choice_close(&c);
}

/* The second receiver waits for its end while the first one could still leave something behind. */
static void the_end_waits_for_what_may_come_back(void **state)
{
    struct choice c;
    uint64_t seen = 0;
    weir_pending *pending;
    weir_segment segment;
    choice_open(&c, state, weir_policy_priority(NULL), 1);
    OK(weir_link_shutdown(c.flow.in[0]));
    OK(weir_link_receive(c.flow.out[1], &pending));
    STATUS(weir_pending_assigned(pending, &segment), WEIR_PENDING);
    assert_int_equal(receive_some(c.flow.out[0], LONG_MS, &seen), 1);
    STATUS(weir_pending_assigned(pending, &segment), WEIR_CLOSED);
    OK(weir_pending_release(pending, NULL));
    OK(weir_future_wait(c.done, LONG_MS));
    choice_close(&c);
}

/* A receive that the program holds is its own, whatever becomes of the link. */
static void what_was_taken_stays(void **state)
{
    struct choice c;
    weir_pending *pending;
    weir_segment segment;
    uint64_t seen = 0;
    choice_open(&c, state, weir_policy_priority(NULL), 2);
    OK(weir_link_receive(c.flow.out[0], &pending));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    weir_link_destroy(c.flow.out[0]);
    c.flow.out[0] = NULL;
    assert_int_equal(receive_some(c.flow.out[1], SOON_MS, &seen), 1);
    assert_int_equal(seen, 2);
    OK(weir_future_wait(c.done, LONG_MS));
    assert_piece(&segment, 1);
    OK(weir_pending_release(pending, NULL));
    choice_close(&c);
}

static void where_nobody_is_left_done_says_so(void **state)
{
    struct choice c;
    choice_open(&c, state, weir_policy_any(), 2 * BUFFERS);
    for (int i = 0; i < 2; i++) {
        STATUS(weir_future_query(c.done), WEIR_PENDING);
        weir_link_destroy(c.flow.out[i]);
        c.flow.out[i] = NULL;
    }
    STATUS(weir_future_wait(c.done, LONG_MS), WEIR_CLOSED);
    choice_close(&c);
}

/* The packet comes back from the last receiver that there is, which has had it. */
static void the_last_one_had_it_and_done_says_so(void **state)
{
    struct choice c;
    choice_open(&c, state, weir_policy_priority(NULL), 1);
    weir_link_destroy(c.flow.out[1]);
    c.flow.out[1] = NULL;
    STATUS(weir_future_query(c.done), WEIR_PENDING);
    weir_link_destroy(c.flow.out[0]);
    c.flow.out[0] = NULL;
    STATUS(weir_future_wait(c.done, LONG_MS), WEIR_CLOSED);
    choice_close(&c);
}

static void a_cancel_takes_back_what_nobody_took(void **state)
{
    struct choice c;
    weir_pending *pending;
    weir_segment segment;
    choice_open(&c, state, weir_policy_any(), 2);
    weir_router_cancel(c.flow.router, WEIR_ERR_IO);
    STATUS(weir_future_wait(c.done, LONG_MS), WEIR_ERR_IO);
    for (int i = 0; i < 2; i++) {
        OK(weir_link_receive(c.flow.out[i], &pending));
        STATUS(weir_pending_wait(pending, LONG_MS, &segment), WEIR_ERR_IO);
        OK(weir_pending_release(pending, NULL));
    }
    choice_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(what_was_left_behind_goes_to_another),
        ON_EACH_BACKEND(the_end_waits_for_what_may_come_back),
        ON_EACH_BACKEND(what_was_taken_stays),
        ON_EACH_BACKEND(where_nobody_is_left_done_says_so),
        ON_EACH_BACKEND(the_last_one_had_it_and_done_says_so),
        ON_EACH_BACKEND(a_cancel_takes_back_what_nobody_took),
    };
    return cmocka_run_group_tests_name("untaken", tests, NULL, NULL);
}
