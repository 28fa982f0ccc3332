/** @file test_link.c  A link between two endpoints: packets, buffers, order, who may write when. */
#include "tests/lib/flow.h"

#include "runtime/internal.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* Two endpoints, a link, and memory at the source. */
struct pair {
    weir_context *context;
    weir_device *s, *d;
    weir_endpoint *from, *to;
    weir_link *link;
    char *data;
};

#define DATA_BYTES 65536

static void open_ends(struct pair *p, weir_context *context, weir_device *s, weir_device *d,
                      size_t packet, uint32_t buffers)
{
    *p = (struct pair){.context = context, .s = s, .d = d};
    p->from = new_endpoint(s, "from");
    p->to = new_endpoint(d, "to");
    p->link = new_link(p->from, p->to, packet, buffers);
    p->data = new_memory(s, DATA_BYTES);
}

static void close_ends(struct pair *p)
{
    weir_link_destroy(p->link);
    weir_endpoint_destroy(p->from);
    weir_endpoint_destroy(p->to);
    weir_device_free(p->s, p->data);
}

/* From the context's first device to its last one. */
static void open_pair(struct pair *p, void **state, size_t packet, uint32_t buffers)
{
    weir_context *context = open_or_skip(state);
    uint32_t last = weir_context_device_count(context) - 1;
    open_ends(p, context, weir_context_device(context, 0), weir_context_device(context, last),
              packet, buffers);
}

static void close_pair(struct pair *p)
{
    close_ends(p);
    weir_context_destroy(p->context);
}

static void between_every_pair_of_devices(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++) {
            struct pair p;
            open_ends(&p, context, any_device(context, i), any_device(context, j), 4096, 2);
            assert_ptr_equal(weir_endpoint_device(p.to), p.d);
            for (uint64_t round = 0; round < 5; round++) {
                put_pattern(p.s, p.data, 1001, round);
                weir_future *done = send_data(p.link, p.s, p.data, 1001, 40 + round);
                expect_packet(p.link, 1001, 0, 40 + round, round);
                finish(done);
            }
            close_ends(&p);
        }
    weir_context_destroy(context);
}

static void a_message_is_cut_into_packets_in_order(void **state)
{
    static const size_t sizes[] = {1, 999, 1000, 1001, 2000, 7777, 50000};
    struct pair p;
    open_pair(&p, state, 1000, 2);
    for (uint64_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put_pattern(p.s, p.data, sizes[i], i);
        weir_future *done = send_data(p.link, p.s, p.data, sizes[i], i);
        for (size_t at = 0; at < sizes[i]; at += 1000)
            expect_packet(p.link, sizes[i] - at < 1000 ? sizes[i] - at : 1000, at, i, i);
        finish(done);
    }
    close_pair(&p);
}

static void an_empty_message_is_one_packet(void **state)
{
    struct pair p;
    open_pair(&p, state, 1000, 1);
    for (uint64_t meta = 0; meta < 3; meta++) {
        weir_future *done = send_data(p.link, p.s, meta ? p.data : NULL, 0, UINT64_MAX - meta);
        expect_packet(p.link, 0, 0, UINT64_MAX - meta, 0);
        finish(done);
    }
    close_pair(&p);
}

static void defaults_come_from_the_configuration(void **state)
{
    static const char *const settings[] = {"packet_bytes=100", "link_buffers=2", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_pending *first, *second, *third;
    struct pair p;
    open_ends(&p, context, device, device, 0, 0);
    put_pattern(device, p.data, 150, 1);
    weir_future *done = send_data(p.link, device, p.data, 150, 0);
    expect_packet(p.link, 100, 0, 0, 1);
    expect_packet(p.link, 50, 100, 0, 1);
    finish(done);
    OK(weir_link_receive(p.link, &first));
    OK(weir_link_receive(p.link, &second));
    STATUS(weir_link_receive(p.link, &third), WEIR_FULL);
    close_ends(&p);
    OK(weir_pending_release(first, NULL));
    OK(weir_pending_release(second, NULL));
    weir_context_destroy(context);
}

static void receives_may_be_taken_before_anything_is_sent(void **state)
{
    struct pair p;
    weir_pending *pending[3], *fourth = (weir_pending *)&p;
    weir_segment segment[3];
    open_pair(&p, state, 100, 3);
    for (int i = 0; i < 3; i++)
        OK(weir_link_receive(p.link, &pending[i]));
    STATUS(weir_link_receive(p.link, &fourth), WEIR_FULL);
    assert_null(fourth);
    STATUS(weir_pending_assigned(pending[0], &segment[0]), WEIR_PENDING);
    STATUS(weir_pending_wait(pending[0], 0, &segment[0]), WEIR_ERR_TIMEOUT);
    STATUS(weir_pending_wait(pending[2], 5, &segment[2]), WEIR_ERR_TIMEOUT);
    STATUS(weir_pending_release(pending[1], NULL), WEIR_ERR_INVALID);
    assert_detail("to: a receive is released before anything came");
    put_pattern(p.s, p.data, 300, 9);
    weir_future *done = send_data(p.link, p.s, p.data, 300, 5);
    for (int i = 0; i < 3; i++) {
        OK(weir_pending_wait(pending[i], LONG_MS, &segment[i]));
        OK(weir_pending_assigned(pending[i], &segment[i]));
        assert_int_equal(segment[i].offset, 100 * i);
        assert_ptr_equal(segment[i].device, p.d);
        assert_piece(&segment[i], 9);
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(segment[i].data, segment[j].data);
    }
    finish(done);
    /* Any order of release; each makes one receive available. */
    OK(weir_pending_release(pending[1], NULL));
    OK(weir_link_receive(p.link, &pending[1]));
    STATUS(weir_link_receive(p.link, &fourth), WEIR_FULL);
    OK(weir_pending_release(pending[0], NULL));
    OK(weir_pending_release(pending[2], NULL));
    OK(weir_link_receive(p.link, &pending[0]));
    OK(weir_link_receive(p.link, &pending[2]));
    STATUS(weir_link_receive(p.link, &fourth), WEIR_FULL);
    close_ends(&p);
    for (int i = 0; i < 3; i++)
        OK(weir_pending_release(pending[i], NULL));
    weir_context_destroy(p.context);
}

static void messages_wait_for_buffers(void **state)
{
    struct pair p;
    weir_future *done[10];
    open_pair(&p, state, 64, 1);
    put_pattern(p.s, p.data, 10 * 64, 2);
    for (uint64_t i = 0; i < 10; i++)
        done[i] = send_data(p.link, p.s, p.data + 64 * i, 64, i);
    OK(weir_future_wait(done[0], LONG_MS));
    STATUS(weir_future_query(done[1]), WEIR_PENDING);
    for (uint64_t i = 0; i < 10; i++) {
        weir_segment segment;
        weir_pending *pending = receive(p.link, &segment);
        assert_int_equal(segment.meta, i);
        segment.offset = 64 * i;
        assert_piece(&segment, 2);
        OK(weir_pending_release(pending, NULL));
        finish(done[i]);
    }
    close_pair(&p);
}

static void a_queue_is_held_before_a_packet_is_assigned(void **state)
{
    struct pair p;
    weir_pending *pending;
    weir_segment segment;
    open_pair(&p, state, 4096, 1);
    weir_queue *queue = new_queue(p.d);
    weir_event *event = new_event(p.d);
    put_pattern(p.s, p.data, 4096, 3);
    OK(weir_link_receive(p.link, &pending));
    OK(weir_pending_gate(pending, queue));
    OK(weir_queue_record(queue, event));
    STATUS(weir_future_query(weir_pending_future(pending)), WEIR_PENDING);
    STATUS(weir_event_wait(event, 2), WEIR_ERR_TIMEOUT);
    weir_future *done = send_data(p.link, p.s, p.data, 4096, 0);
    OK(weir_event_wait(event, LONG_MS));
    OK(weir_future_query(weir_pending_future(pending)));
    OK(weir_pending_assigned(pending, &segment));
    assert_piece(&segment, 3);
    OK(weir_pending_release(pending, NULL));
    finish(done);
    weir_event_release(event);
    weir_queue_destroy(queue);
    close_pair(&p);
}

static void a_buffer_is_not_written_before_its_reader_has_run(void **state)
{
    struct pair p;
    weir_segment segment;
    open_pair(&p, state, 2048, 1);
    weir_queue *reader = new_queue(p.d);
    weir_future *hold = new_future(p.context);
    void *result = new_memory(p.d, 2048);
    put_pattern(p.s, p.data, 2048, 1);
    put_pattern(p.s, p.data + 2048, 2048, 2);
    finish(send_data(p.link, p.s, p.data, 2048, 1));
    weir_pending *pending = receive(p.link, &segment);
    OK(weir_queue_wait_future(reader, hold));
    OK(weir_queue_copy(reader, p.d, result, p.d, segment.data, 2048));
    OK(weir_pending_release(pending, reader));
    weir_future *done = send_data(p.link, p.s, p.data + 2048, 2048, 2);
    OK(weir_link_receive(p.link, &pending));
    OK(weir_pending_assigned(pending, &segment));
    STATUS(weir_pending_wait(pending, 10, &segment), WEIR_ERR_TIMEOUT);
    STATUS(weir_future_query(done), WEIR_PENDING);
    OK(weir_future_set(hold, NULL));
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    OK(weir_queue_sync(reader));
    assert_pattern(p.d, result, 2048, 1);
    assert_piece(&segment, 2);
    OK(weir_pending_release(pending, NULL));
    finish(done);
    weir_queue_destroy(reader);
    weir_future_release(hold);
    weir_device_free(p.d, result);
    close_pair(&p);
}

#define AHEAD 4

/* The host runs ahead: it holds the reader, gates it on each packet and gives the buffers back
 * before any bytes came, while other work of the device takes and records events. */
static void running_ahead_keeps_readers_and_writers_apart(void **state)
{
    struct pair p;
    weir_future *done[AHEAD];
    char *result;
    open_pair(&p, state, 512, 1);
    weir_queue *reader = new_queue(p.d), *other = new_queue(p.d);
    weir_future *hold = new_future(p.context);
    result = new_memory(p.d, AHEAD * 512);
    for (uint64_t i = 0; i < AHEAD; i++)
        put_pattern(p.s, p.data + 512 * i, 512, i);
    OK(weir_queue_wait_future(reader, hold));
    for (uint64_t i = 0; i < AHEAD; i++) {
        weir_pending *pending;
        weir_segment segment;
        done[i] = send_data(p.link, p.s, p.data + 512 * i, 512, i);
        OK(weir_link_receive(p.link, &pending));
        OK(weir_pending_assigned(pending, &segment));
        OK(weir_pending_gate(pending, reader));
        OK(weir_queue_copy(reader, p.d, result + 512 * i, p.d, segment.data, 512));
        OK(weir_pending_release(pending, reader));
        for (int j = 0; j < 3; j++) {
            weir_event *event = new_event(p.d);
            OK(weir_queue_record(other, event));
            OK(weir_queue_sync(other));
            weir_event_release(event);
        }
    }
    STATUS(weir_future_wait(done[1], 10), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(hold, NULL));
    for (int i = 0; i < AHEAD; i++)
        finish(done[i]);
    OK(weir_queue_sync(reader));
    for (uint64_t i = 0; i < AHEAD; i++)
        assert_pattern(p.d, result + 512 * i, 512, i);
    weir_queue_destroy(reader);
    weir_queue_destroy(other);
    weir_future_release(hold);
    weir_device_free(p.d, result);
    close_pair(&p);
}

static void bytes_are_read_after_the_ready_event(void **state)
{
    struct pair p;
    open_pair(&p, state, 1024, 2);
    weir_queue *producer = new_queue(p.s);
    weir_event *ready = new_event(p.s);
    weir_future *hold = new_future(p.context), *done;
    weir_segment segment = {.device = p.s, .data = p.data, .bytes = 2000};
    put_pattern(p.s, p.data + 4096, 2000, 4);
    OK(weir_queue_fill(producer, p.data, 0, 2000));
    OK(weir_queue_sync(producer));
    OK(weir_queue_wait_future(producer, hold));
    OK(weir_queue_copy(producer, p.s, p.data, p.s, p.data + 4096, 2000));
    OK(weir_queue_record(producer, ready));
    OK(weir_link_send(p.link, &segment, ready, &done));
    STATUS(weir_future_wait(done, 5), WEIR_ERR_TIMEOUT);
    OK(weir_future_set(hold, NULL));
    expect_packet(p.link, 1024, 0, 0, 4);
    expect_packet(p.link, 976, 1024, 0, 4);
    finish(done);
    weir_queue_destroy(producer);
    weir_event_release(ready);
    weir_future_release(hold);
    close_pair(&p);
}

/* Overwritten as soon as the future is complete: what arrives must be what was sent. */
static void memory_may_be_reused_when_done(void **state)
{
    struct pair p;
    open_pair(&p, state, 3000, 3);
    weir_queue *queue = new_queue(p.s);
    for (uint64_t i = 0; i < 30; i++) {
        put_pattern(p.s, p.data, 9000, i);
        finish(send_data(p.link, p.s, p.data, 9000, i));
        OK(weir_queue_fill(queue, p.data, 0xDD, 9000));
        OK(weir_queue_sync(queue));
        for (size_t at = 0; at < 9000; at += 3000)
            expect_packet(p.link, 3000, at, i, i);
    }
    weir_queue_destroy(queue);
    close_pair(&p);
}

static void nobody_needs_to_ask_for_the_future(void **state)
{
    struct pair p;
    open_pair(&p, state, 256, 1);
    weir_segment segment = {.device = p.s, .data = p.data, .bytes = 1000, .meta = 1};
    put_pattern(p.s, p.data, 1000, 6);
    OK(weir_link_send(p.link, &segment, NULL, NULL));
    for (size_t at = 0; at < 1000; at += 256)
        expect_packet(p.link, at < 768 ? 256 : 232, at, 1, 6);
    close_pair(&p);
}

static void what_cannot_be_sent_is_refused(void **state)
{
    struct pair p;
    open_pair(&p, state, 64, 1);
    weir_segment segment = {.device = weir_context_home(p.context), .data = p.data, .bytes = 10};
    weir_future *done = (weir_future *)&p;
    STATUS(weir_link_send(p.link, &segment, NULL, &done), WEIR_ERR_INVALID);
    assert_null(done);
    assert_detail("from: a message in the memory of another device");
    segment.device = p.s;
    OK(weir_link_shutdown(p.link));
    done = (weir_future *)&p;
    STATUS(weir_link_send(p.link, &segment, NULL, &done), WEIR_CLOSED);
    assert_null(done);
    close_pair(&p);
}

static void statistics_count(void **state)
{
    struct pair p;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    open_pair(&p, state, 100, 3);
    weir_link_stats_get(p.link, &stats);
    assert_true(stats.send_messages > 0 && stats.send_bytes > 0);
    assert_int_equal(stats.posted, 3);
    stats.send_messages = stats.send_bytes = stats.posted = stats.starved_ns = 0;
    assert_memory_equal(&stats, &(weir_link_stats)WEIR_LINK_STATS_INIT, sizeof stats);
    for (int i = 0; i < 2; i++) {
        weir_future *done = send_data(p.link, p.s, p.data, 250, 0);
        for (int k = 0; k < 3; k++) {
            weir_segment segment;
            OK(weir_pending_release(receive(p.link, &segment), NULL));
        }
        finish(done);
    }
    weir_link_stats_get(p.link, &stats);
    assert_int_equal(stats.messages, 2);
    assert_int_equal(stats.packets, 6);
    assert_int_equal(stats.bytes, 500);
    uint64_t sum = 0;
    for (int i = 0; i < WEIR_TRANSPORT_COUNT; i++)
        sum += stats.by[i];
    assert_int_equal(sum, 6);
    if (weir_device_reaches(p.s, p.d))
        assert_int_equal(stats.by[WEIR_TRANSPORT_STAGED], 0);
    close_pair(&p);
}

static void count_arrival(void *user)
{
    atomic_fetch_add((atomic_int *)user, 1);
}

static void a_receiver_is_told(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_endpoint *from = new_endpoint(device, NULL), *to = new_endpoint(device, NULL);
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    atomic_int told = 0;
    void *data = new_memory(device, 64);
    config.arrived = count_arrival;
    config.arrived_user = &told;
    OK(weir_link_create(from, to, &config, &link));
    assert_int_equal(told, 0);
    weir_future *done = send_data(link, device, data, 64, 0);
    int after_data = told;
    assert_true(after_data >= 1);
    OK(weir_link_shutdown(link));
    assert_true(told > after_data);
    finish(done);
    weir_segment segment;
    OK(weir_pending_release(receive(link, &segment), NULL));
    receive_closed(link);
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(between_every_pair_of_devices),
        ON_EACH_BACKEND(a_message_is_cut_into_packets_in_order),
        ON_EACH_BACKEND(an_empty_message_is_one_packet),
        ON_EACH_BACKEND(defaults_come_from_the_configuration),
        ON_EACH_BACKEND(receives_may_be_taken_before_anything_is_sent),
        ON_EACH_BACKEND(messages_wait_for_buffers),
        ON_EACH_BACKEND(a_queue_is_held_before_a_packet_is_assigned),
        ON_EACH_BACKEND(a_buffer_is_not_written_before_its_reader_has_run),
        ON_EACH_BACKEND(running_ahead_keeps_readers_and_writers_apart),
        ON_EACH_BACKEND(bytes_are_read_after_the_ready_event),
        ON_EACH_BACKEND(memory_may_be_reused_when_done),
        ON_EACH_BACKEND(nobody_needs_to_ask_for_the_future),
        ON_EACH_BACKEND(what_cannot_be_sent_is_refused),
        ON_EACH_BACKEND(statistics_count),
        ON_EACH_BACKEND(a_receiver_is_told),
    };
    return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
