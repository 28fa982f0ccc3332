/** @file test_staging.c  Links between GPUs without peer access go through host memory, and so
 *  do those that were told to. */
#include "router/internal.h"
#include "tests/lib/flow.h"

#define PACKET  65536
#define PACKETS 20

static weir_link *new_staged_link(weir_endpoint *from, weir_endpoint *to, size_t packet, int staged)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = packet;
    config.buffers = 2;
    config.transport = staged ? WEIR_TRANSPORT_STAGED : WEIR_TRANSPORT_AUTO;
    return new_link_with(from, to, &config);
}

/* Every ordered pair of devices, by a link each. What starts or ends in the home memory has one
 * copy to make, for the other half of staging is there already. */
static void check_every_pair(weir_context *context, int staged)
{
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++) {
            weir_device *s = any_device(context, i), *d = any_device(context, j);
            weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
            weir_link *link = new_staged_link(from, to, PACKET, staged);
            int home = s == weir_context_home(context) || d == weir_context_home(context);
            weir_link_stats stats = WEIR_LINK_STATS_INIT;
            void *data = new_memory(s, PACKET * PACKETS);
            put_pattern(s, data, PACKET * PACKETS, i + 1);
            weir_future *done = send_data(link, s, data, PACKET * PACKETS, 0);
            for (size_t at = 0; at < PACKETS; at++)
                expect_packet(link, PACKET, at * PACKET, 0, i + 1);
            finish(done);
            weir_link_stats_get(link, &stats);
            assert_int_equal(stats.packets, PACKETS);
            assert_int_equal(stats.by[WEIR_TRANSPORT_STAGED],
                             !weir_device_reaches(s, d) || (staged && !home) ? PACKETS : 0);
            weir_link_destroy(link);
            weir_endpoint_destroy(from);
            weir_endpoint_destroy(to);
            weir_device_free(s, data);
        }
}

static void bytes_are_right_and_staged_where_they_must_be(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    check_every_pair(context, 0);
    weir_context_destroy(context);
}

static void links_are_staged_where_they_are_told_to(void **state)
{
    weir_context *context = open_or_skip(state);
    check_every_pair(context, 0);
    check_every_pair(context, 1);
    weir_context_destroy(context);
}

static void gpus_without_peers_do_not_reach_each_other(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *a = weir_context_device(context, 0), *b = weir_context_device(context, 1);
    assert_false(weir_device_reaches(a, b));
    assert_false(weir_device_reaches(b, a));
    weir_context_destroy(context);
}

/* Readers hold the buffers while the host runs ahead; the bounce buffers are reused as well. */
static void staged_buffers_wait_for_their_readers(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t last = weir_context_device_count(context) - 1;
    weir_device *s = weir_context_device(context, 0), *d = weir_context_device(context, last);
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    weir_link *link = new_staged_link(from, to, PACKET, 1);
    weir_queue *reader = new_queue(d);
    char *data = new_memory(s, PACKET * PACKETS), *result = new_memory(d, PACKET * PACKETS);
    put_pattern(s, data, PACKET * PACKETS, 7);
    weir_future *hold = new_future(context);
    OK(weir_queue_wait_future(reader, hold));
    weir_future *done = send_data(link, s, data, PACKET * PACKETS, 0);
    for (size_t at = 0; at < PACKETS; at++) {
        weir_pending *pending;
        weir_segment segment;
        OK(weir_link_receive(link, &pending));
        OK(weir_pending_assigned(pending, &segment));
        OK(weir_pending_gate(pending, reader));
        OK(weir_queue_copy(reader, d, result + segment.offset, d, segment.data, segment.bytes));
        OK(weir_pending_release(pending, reader));
    }
    STATUS(weir_future_wait(done, 5), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(hold, NULL));
    finish(done);
    OK(weir_queue_sync(reader));
    assert_pattern(d, result, PACKET * PACKETS, 7);
    weir_future_release(hold);
    weir_queue_destroy(reader);
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(s, data);
    weir_device_free(d, result);
    weir_context_destroy(context);
}

/* Sent is not arrived: the sender's memory is its own again when the packet lies in the bounce buffer, whatever holds up
 * the receiver's copies. */
static void the_sender_does_not_wait_for_the_second_copy(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *s = weir_context_device(context, 0), *d = weir_context_device(context, 1);
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    weir_link *link = new_staged_link(from, to, 2 * PACKET, 1);
    weir_future *hold = new_future(context);
    void *data = new_memory(s, 2 * PACKET);
    weir_pending *pending;
    weir_segment segment;
    OK(weir_queue_wait_future(link->output->pull, hold));
    for (size_t bytes = 1; bytes <= 2 * PACKET; bytes = bytes > 1 ? bytes + 1 : 2 * PACKET) {
        put_pattern(s, data, 2 * PACKET, bytes);
        finish(send_data(link, s, data, bytes, 0));
        put_pattern(s, data, 2 * PACKET, 99); /* what is on its way is another copy */
    }
    OK(weir_link_receive(link, &pending));
    OK(weir_pending_assigned(pending, &segment));
    STATUS(weir_pending_wait(pending, 5, &segment), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(hold, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    assert_pattern(d, segment.data, 1, 1);
    OK(weir_pending_release(pending, NULL));
    OK(weir_link_next(link, LONG_MS, &pending, &segment));
    assert_pattern(d, segment.data, 2 * PACKET, 2 * PACKET);
    OK(weir_pending_release(pending, NULL));
    weir_future_release(hold);
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(s, data);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(bytes_are_right_and_staged_where_they_must_be),
        ON_EACH_BACKEND(links_are_staged_where_they_are_told_to),
        ON_BACKEND(gpus_without_peers_do_not_reach_each_other, "cuda:0-1"),
        ON_EACH_BACKEND(staged_buffers_wait_for_their_readers),
        ON_BACKEND(the_sender_does_not_wait_for_the_second_copy, "host:4"),
        ON_BACKEND(the_sender_does_not_wait_for_the_second_copy, "strict:2"),
        ON_BACKEND(the_sender_does_not_wait_for_the_second_copy, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("staging", tests, NULL, NULL);
}
