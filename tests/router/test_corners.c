/** @file test_corners.c  Corners of sending and routing, each of which was wrong once. */
#include "tests/router/corner_fixture.h"

#include "router/internal.h"

/* ---- choices within choices -------------------------------------------------------------------- */

/* Who has served nothing yet gets one packet at a time. */
static void serve_one(weir_link *link)
{
    weir_segment segment;
    OK(weir_pending_release(receive(link, &segment), NULL));
}

/* any { x, priority { first, second } }: turns are taken between x and the pair, and within the
 * pair the first has all as long as it is free. */
static void nested_choices_keep_their_order(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *outer = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_endpoint *inner = weir_router_endpoint(corner_router(&c, weir_policy_priority(NULL)));
    weir_link *in = corner_link(&c, corner_sender(&c), outer, 0);
    weir_link *x = corner_link(&c, outer, corner_receiver(&c), 8);
    corner_link(&c, outer, inner, 0);
    weir_link *first = corner_link(&c, inner, corner_receiver(&c), 8);
    weir_link *second = corner_link(&c, inner, corner_receiver(&c), 8);
    for (uint64_t i = 0; i < 9; i++) {
        OK(corner_send(&c, in, i, NULL));
        if (i == 2) {
            serve_one(x);
            serve_one(first);
            serve_one(second);
        }
    }
    assert_int_equal(corner_packets(x), 4);
    assert_int_equal(corner_packets(first), 4);
    assert_int_equal(corner_packets(second), 1);
    corner_close(&c);
}

/* priority { any { left, right }, last }: the pair shares what comes to it. */
static void nested_choices_keep_their_turns(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *outer = weir_router_endpoint(corner_router(&c, weir_policy_priority(NULL)));
    weir_endpoint *inner = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_link *in = corner_link(&c, corner_sender(&c), outer, 0);
    corner_link(&c, outer, inner, 0);
    weir_link *left = corner_link(&c, inner, corner_receiver(&c), 8);
    weir_link *right = corner_link(&c, inner, corner_receiver(&c), 8);
    weir_link *last = corner_link(&c, outer, corner_receiver(&c), 8);
    for (uint64_t i = 0; i < 9; i++) {
        OK(corner_send(&c, in, i, NULL));
        if (i == 2) {
            serve_one(left);
            serve_one(right);
            serve_one(last);
        }
    }
    assert_int_equal(corner_packets(left), 4);
    assert_int_equal(corner_packets(right), 4);
    assert_int_equal(corner_packets(last), 1);
    corner_close(&c);
}

/* @return the last router of so many diamonds in a row behind `at`. */
static weir_router *corner_diamonds(struct corner *c, weir_policy policy, weir_router *at,
                                    int count)
{
    for (int diamond = 0; diamond < count; diamond++) {
        weir_endpoint *from = weir_router_endpoint(at);
        weir_endpoint *left = weir_router_endpoint(corner_router(c, policy));
        weir_endpoint *right = weir_router_endpoint(corner_router(c, policy));
        at = corner_router(c, policy);
        corner_link(c, from, left, 0);
        corner_link(c, from, right, 0);
        corner_link(c, left, weir_router_endpoint(at), 0);
        corner_link(c, right, weir_router_endpoint(at), 0);
    }
    return at;
}

/* Sixteen diamonds in a row have 65536 ways through them, which is one more than can be told
 * apart; with fewer the message goes one of them. */
static void too_many_alternatives_are_refused(void **state)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    (void)state;
    print_message("skipped: one thread, and much of its time here\n");
    skip();
#endif
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_policy order = weir_policy_priority(NULL);
    weir_router *first = corner_router(&c, order);
    weir_link *in = corner_link(&c, corner_sender(&c), weir_router_endpoint(first), 0);
    weir_router *at = corner_diamonds(&c, order, first, 16);
    weir_link *out = corner_link(&c, weir_router_endpoint(at), corner_receiver(&c), 2);
    STATUS(corner_send(&c, in, 1, NULL), WEIR_ERR_UNSUPPORTED);
    assert_detail("a choice between more than 65535");
    assert_int_equal(corner_packets(out), 0);
    corner_drop(&c, c.links[1]); /* half of the ways are enough */
    OK(corner_send(&c, in, 2, NULL));
    expect_packet(out, CORNER_PACKET, 0, 2, 1);
    corner_close(&c);
}

static weir_status choose_first(void *user, const weir_segment *segment,
                                const weir_endpoint *source, weir_endpoint *const *candidates,
                                uint32_t count, weir_choice *choice_out)
{
    (void)user, (void)segment, (void)source, (void)candidates, (void)count;
    choice_out->candidate[0] = 0;
    choice_out->count = 1;
    return WEIR_OK;
}

#ifdef __SANITIZE_THREAD__ /* its search for deadlocks knows 64 locks that a thread holds: a router has one */
enum { DIAMONDS = 18 };
#else
enum { DIAMONDS = 40 };
#endif

/* There are 2^40 ways through them: whoever went each of them, to link, to check or to close, would not come back. */
static void a_row_of_diamonds_is_walked_once(void **state)
{
    struct corner c;
    weir_policy policy = WEIR_POLICY_INIT;
    weir_pending *pending;
    weir_segment segment;
    policy.name = "first";
    policy.choose = choose_first;
    corner_open(&c, open_or_skip(state));
    weir_router *first = corner_router(&c, policy);
    weir_router *last = corner_diamonds(&c, policy, first, DIAMONDS);
    STATUS(weir_router_check(last), WEIR_ERR_INVALID);
    STATUS(weir_router_check(first), WEIR_ERR_INVALID);
    weir_link *out = corner_link(&c, weir_router_endpoint(last), corner_receiver(&c), 2);
    weir_link *in = corner_link(&c, corner_sender(&c), weir_router_endpoint(first), 0);
    weir_link *late = corner_link(&c, corner_sender(&c), weir_router_endpoint(first), 0);
    weir_link *circle = in;
    OK(weir_router_check(first));
    OK(weir_router_check(last));
    STATUS(weir_link_create(weir_router_endpoint(last), weir_router_endpoint(first), NULL, &circle),
           WEIR_ERR_INVALID);
    assert_null(circle);
    OK(corner_send(&c, in, 5, NULL));
    expect_packet(out, CORNER_PACKET, 0, 5, 1);
    corner_drop(&c, c.links[1]); /* one way of the first diamond, which no packet takes */
    OK(corner_send(&c, late, 6, NULL));
    expect_packet(out, CORNER_PACKET, 0, 6, 1);
    OK(weir_link_shutdown(in));
    OK(weir_link_shutdown(late));
    STATUS(weir_link_next(out, LONG_MS, &pending, &segment), WEIR_CLOSED);
    corner_close(&c);
}

/* ---- sizes --------------------------------------------------------------------------------------- */

static void a_size_near_the_largest_is_refused(void **state)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - CORNER_PACKET + 1,
                                   SIZE_MAX - CORNER_PACKET, SIZE_MAX / 2 + 1};
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 2);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        weir_segment segment = {
            .device = weir_context_device(c.context, 0), .data = c.data, .bytes = sizes[i]};
        weir_future *done = (weir_future *)&c;
        STATUS(weir_link_send(link, &segment, NULL, &done), WEIR_ERR_INVALID);
        assert_detail_has("in packets of 64");
        assert_null(done);
    }
    OK(corner_send(&c, link, 7, NULL)); /* and nothing is broken */
    expect_packet(link, CORNER_PACKET, 0, 7, 1);
    corner_close(&c);
}

/* ---- staging ------------------------------------------------------------------------------------- */

/* An endpoint's own messages need no bounce buffer, so the receive that waits has none. */
static void a_staged_sender_linked_later_finds_bounce_buffers(void **state)
{
    struct corner c;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_pending *pending;
    weir_segment segment;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_gather(0)));
    weir_endpoint *receiver = corner_receiver(&c);
    weir_device *device = weir_endpoint_device(receiver);
    void *into = new_memory(device, CORNER_PACKET);
    config.packet_bytes = CORNER_PACKET;
    config.buffers = WEIR_BUFFERS_NONE;
    config.transport = WEIR_TRANSPORT_STAGED;
    corner_link(&c, receiver, router, 0);
    weir_link *out = corner_link_with(&c, router, receiver, &config);
    OK(weir_link_receive_into(out, into, CORNER_PACKET, NULL, &pending));
    weir_link *in = corner_link(&c, corner_sender(&c), router, 0);
    OK(corner_send(&c, in, 3, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    assert_int_equal(segment.meta, 3);
    assert_ptr_equal(segment.data, into);
    assert_pattern(device, into, CORNER_PACKET, 1);
    OK(weir_pending_release(pending, NULL));
    weir_device_free(device, into);
    corner_close(&c);
}

/* ---- what others took ---------------------------------------------------------------------------- */

/* Messages of meta 0 are for output 0 alone, others for whoever is free, output 1 first. */
static weir_status second_first(void *user, const weir_segment *message,
                                const weir_endpoint *source, weir_endpoint *const *candidates,
                                uint32_t count, weir_choice *choice)
{
    (void)user;
    (void)source;
    (void)candidates;
    choice->delivery = WEIR_DELIVER_ANY;
    choice->count = message->meta ? count : 1;
    choice->candidate[0] = message->meta ? 1 : 0;
    choice->candidate[1] = 0;
    return WEIR_OK;
}

static uint32_t queue_length(weir_link *link)
{
    struct output *output = link->output;
    uint32_t count = 0;
    pthread_mutex_lock(&output->lock);
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        for (struct offer *offer = output->send_queues[i]->head; offer; offer = offer->next)
            count++;
    pthread_mutex_unlock(&output->lock);
    return count;
}

static void send_from_queue(struct corner *c, weir_link *link, weir_queue *queue, uint64_t meta)
{
    weir_segment segment = {.device = weir_context_device(c->context, 0),
                            .data = c->data,
                            .bytes = CORNER_PACKET,
                            .meta = meta};
    OK(weir_link_send_from(link, &segment, queue, NULL));
}

/* Output 0 is full and one message waits for it alone: what comes behind and is taken by output 1
 * must go, though it is not first in the queue. There are too few events for all of them: a
 * message holds that of its sender's queue, and those of its copies. */
static void stale_offers_keep_neither_events_nor_messages(void **state)
{
    static const char *const settings[] = {"events=32", NULL};
    struct corner c;
    weir_segment segment;
    corner_open(&c, open_with_or_skip(*state, settings));
    weir_policy policy = {.name = "second first", .choose = second_first};
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, policy));
    weir_link *in = corner_link(&c, corner_sender(&c), router, 0);
    weir_link *full = corner_link(&c, router, corner_receiver(&c), 1);
    weir_link *quick = corner_link(&c, router, corner_receiver(&c), 1);
    weir_queue *queue = new_queue(weir_context_device(c.context, 0));
    OK(corner_send(&c, in, 0, NULL));
    OK(corner_send(&c, in, 0, NULL)); /* which waits */
    for (uint64_t i = 1; i <= 1500; i += 2) {
        send_from_queue(&c, in, queue, i);
        send_from_queue(&c, in, queue, i + 1); /* both are full, so that it waits at both */
        expect_packet(quick, CORNER_PACKET, 0, i, 1);
        expect_packet(quick, CORNER_PACKET, 0, i + 1, 1);
        assert_true(queue_length(full) <= 130);
    }
    OK(weir_pending_release(receive(full, &segment), NULL));
    expect_packet(full, CORNER_PACKET, 0, 0, 1); /* the one that waited is not lost */
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    corner_close(&c);
}

/* ---- streams ------------------------------------------------------------------------------------- */

/* Take the three buffers of a link, and give them back in order, the first for when `queue` is
 * through. */
static void hold_first_buffer(struct corner *c, weir_link *link, weir_queue *queue)
{
    weir_pending *pending[3];
    weir_segment segment;
    for (uint64_t i = 0; i < 3; i++)
        OK(corner_send(c, link, i, NULL));
    for (int i = 0; i < 3; i++)
        pending[i] = receive(link, &segment);
    for (int i = 0; i < 3; i++)
        OK(weir_pending_release(pending[i], i == 0 ? queue : NULL));
}

/* Between GPUs large packets and small ones have streams of their own. Of a large message the
 * first packet waits for its buffer, and the second is a small one. The small message behind it
 * must come all the same: that the large one is over only after both its packets holds up nobody
 * in the small ones' stream. */
static void a_small_message_does_not_wait_for_a_large_ones_tail(void **state)
{
    const size_t large = (size_t)1 << 20;
    struct corner c;
    weir_pending *pending[3];
    weir_segment segment;
    corner_open(&c, open_or_skip(state));
    weir_device *from = weir_context_device(c.context, 0), *to = weir_context_device(c.context, 1);
    int fits = transport_fits(WEIR_TRANSPORT_COPY, from, to);
    weir_link *link = new_link(corner_sender(&c), corner_receiver(&c), large, 3);
    void *data = new_memory(from, large + 8);
    weir_future *held = new_future(c.context);
    weir_queue *queue = new_queue(to);
    OK(weir_queue_wait_future(queue, held));
    hold_first_buffer(&c, link, queue);
    weir_future *done = send_data(link, from, data, large + 8, 7);
    OK(corner_send(&c, link, 8, NULL));
    for (int i = 0; i < 3; i++)
        OK(weir_link_receive(link, &pending[i]));
    weir_status came = fits ? weir_pending_wait(pending[2], LONG_MS, &segment) : WEIR_OK;
    weir_status early = weir_future_query(done);
    OK(weir_future_set(held, NULL));
    for (int i = 0; i < 3; i++)
        OK(weir_pending_wait(pending[i], LONG_MS, &segment));
    assert_int_equal(segment.meta, 8);
    assert_int_equal(came, WEIR_OK);
    assert_int_equal(early, WEIR_PENDING);
    finish(done);
    for (int i = 0; i < 3; i++)
        OK(weir_pending_release(pending[i], NULL));
    weir_queue_destroy(queue);
    weir_future_release(held);
    weir_link_destroy(link);
    weir_device_free(from, data);
    corner_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(nested_choices_keep_their_order, "host:2"),
        ON_BACKEND(nested_choices_keep_their_turns, "host:2"),
        ON_BACKEND(too_many_alternatives_are_refused, "host:1"),
        ON_EACH_BACKEND(a_row_of_diamonds_is_walked_once),
        ON_EACH_BACKEND(a_size_near_the_largest_is_refused),
        ON_EACH_BACKEND(a_staged_sender_linked_later_finds_bounce_buffers),
        ON_BACKEND(a_staged_sender_linked_later_finds_bounce_buffers, "host:1,host:1"),
        ON_EACH_BACKEND(stale_offers_keep_neither_events_nor_messages),
        ON_BACKEND(a_small_message_does_not_wait_for_a_large_ones_tail, "host:1,host:1"),
        ON_BACKEND(a_small_message_does_not_wait_for_a_large_ones_tail, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("corners", tests, NULL, NULL);
}
