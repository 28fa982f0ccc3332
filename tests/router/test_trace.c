/** @file test_trace.c  What a trace has of links: a span for each packet, what they carried, free receives. */
#include "tests/lib/flow.h"
#include "tests/lib/traced.h"
#include "router/channel.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DATA_BYTES 65536
#define PACKET     1000

static json_t *read_trace(weir_context *context)
{
    weir_trace_stats stats = WEIR_TRACE_STATS_INIT;
    OK(weir_context_trace_stop(context, &stats));
    assert_int_equal(stats.dropped, 0);
    json_t *trace = traced(context);
    assert_non_null(trace);
    const char *flaw = traced_flaw(trace);
    if (flaw)
        fail_msg("%s", flaw);
    return trace;
}

static int has_counter(const json_t *trace, const char *name, double *most_out)
{
    size_t i;
    json_t *event;
    int found = 0;
    *most_out = 0;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event)
    {
        const char *is = json_string_value(json_object_get(event, "name"));
        const double value =
            json_number_value(json_object_get(json_object_get(event, "args"), "value"));
        if (!is || strcmp(is, name) != 0)
            continue;
        found = 1;
        *most_out = value > *most_out ? value : *most_out;
    }
    return found;
}

/* A message of several packets over a link of its own: each packet is a span from when it was sent to when it
 * arrived, and the bytes add up. */
static void each_packet_is_a_span(void **state)
{
    enum { BYTES = 7777, PACKETS = 8 };
    weir_context *context = open_or_skip(state);
    const uint32_t last = weir_context_device_count(context) - 1;
    weir_device *s = weir_context_device(context, 0), *d = weir_context_device(context, last);
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    char *data = new_memory(s, DATA_BYTES);
    OK(weir_context_trace(context, NULL));
    weir_link *link = new_link(from, to, PACKET, 2);
    weir_future *done = send_data(link, s, data, BYTES, 3);
    for (int i = 0; i < PACKETS; i++) {
        weir_segment segment;
        OK(weir_pending_release(receive(link, &segment), NULL));
    }
    finish(done);
    weir_link_destroy(link);
    json_t *trace = read_trace(context);
    size_t packets, copies;
    double credits;
    const double whole = traced_ms(trace, "link", "message", 0, &packets);
    const double parts = traced_ms(trace, "link", "wait for a receive", 0, NULL) +
                         traced_ms(trace, "link", "wait in the queue", 0, NULL) +
                         traced_ms(trace, "link", "copy", 0, &copies);
    assert_int_equal(packets, PACKETS);
    assert_true(copies <= PACKETS);
    assert_true(traced_sum(trace, "link", "message", "bytes") == (double)BYTES);
    assert_true(whole > 0);
    assert_true(parts <= whole * 1.001 + 0.001 && parts >= whole * 0.999 - 0.001);
    char *dot = traced_text(context, WEIR_TRACE_DOT);
    assert_non_null(strstr(dot, "\"from ("));
    assert_non_null(strstr(dot, ")\" -> \"to ("));
    assert_non_null(strstr(dot, "8 packets, 7.6 KiB"));
    char name[128];
    weir_device_info a = WEIR_DEVICE_INFO_INIT, b = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(s, &a);
    weir_device_info_get(d, &b);
    snprintf(name, sizeof name, "free receives: from (%s) > to (%s)", a.label, b.label);
    assert_true(has_counter(trace, name, &credits));
    assert_true(credits >= 1 && credits <= 2);
    free(dot);
    json_decref(trace);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(s, data);
    weir_context_destroy(context);
}

/* Receives that come late stall the link, and the graph says for how long. */
static void a_link_that_stands_still_says_so(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *s = weir_context_device(context, 0);
    weir_device *d = weir_context_device(context, weir_context_device_count(context) - 1);
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    weir_link *link = new_link(from, to, PACKET, 1);
    char *data = new_memory(s, DATA_BYTES);
    const struct timespec late = {0, 30000000};
    OK(weir_context_trace(context, NULL));
    weir_future *done = send_data(link, s, data, 2 * PACKET, 3);
    weir_segment segment;
    weir_pending *first = receive(link, &segment);
    nanosleep(&late, NULL);
    OK(weir_pending_release(first, NULL));
    OK(weir_pending_release(receive(link, &segment), NULL));
    finish(done);
    json_t *trace = read_trace(context);
    assert_true(traced_ms(trace, "link", "wait for a receive", 0, NULL) >= 29);
    char *dot = traced_text(context, WEIR_TRACE_DOT);
    const char *stalled = strstr(dot, "stalled ");
    assert_non_null(stalled);
    assert_true(strtod(stalled + strlen("stalled "), NULL) >= 29);
    free(dot);
    json_decref(trace);
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(s, data);
    weir_context_destroy(context);
}

/* Packets through a channel of the home device, whose sides the program's own threads call. */
static void pass_packets(weir_channel *channel, uint32_t count)
{
    const weir_channel_tx tx = weir_channel_tx_of(channel);
    const weir_channel_rx rx = weir_channel_rx_of(channel);
    weir_channel_sender sender = weir_channel_sender_open(&tx, 0);
    weir_channel_receiver receiver = weir_channel_receiver_open(&rx, 0);
    const uint64_t packet = 42;
    for (uint32_t i = 0; i < count; i++) {
        const void *data;
        uint32_t bytes;
        assert_int_equal(weir_channel_put(&sender, WEIR_BY_THREAD, &packet, 8), WEIR_CHANNEL_DONE);
        assert_int_equal(weir_channel_take(&receiver, WEIR_BY_THREAD, &data, &bytes),
                         WEIR_CHANNEL_DONE);
        weir_channel_release(&receiver, WEIR_BY_THREAD);
    }
}

static void assert_edge(weir_context *context, const char *edge)
{
    OK(weir_context_trace_stop(context, NULL));
    char *dot = traced_text(context, WEIR_TRACE_DOT);
    const char *found = strstr(dot, "\"home\" -> ");
    if (edge ? !found || strncmp(found, edge, strlen(edge)) != 0 : found != NULL)
        fail_msg("%s instead of %s", dot, edge ? edge : "no edge");
    free(dot);
}

/* Packets of a channel are counted when it is asked, reset or destroyed, each once: those since the time before. */
static void packets_of_channels_are_counted(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    weir_channel_stats stats = WEIR_CHANNEL_STATS_INIT;
    weir_channel *channel;
    OK(weir_channel_create(home, home, NULL, &channel));
    pass_packets(channel, 5);
    OK(weir_channel_stats_get(channel, &stats)); /* so that the trace does not have these */
    OK(weir_context_trace(context, NULL));
    pass_packets(channel, 100);
    OK(weir_channel_stats_get(channel, &stats));
    assert_int_equal(stats.put, 105);
    OK(weir_channel_stats_get(channel, &stats)); /* no more */
    pass_packets(channel, 20);
    OK(weir_channel_reset(channel));
    pass_packets(channel, 3);
    assert_edge(context, "\"home\" -> \"home\" [label=\"channels\\n120 packets\"];");
    OK(weir_context_trace(context, NULL));
    weir_channel_destroy(channel); /* nobody counted these 3 before */
    assert_edge(context, "\"home\" -> \"home\" [label=\"channels\\n3 packets\"];");
    OK(weir_context_trace(context, NULL));
    assert_edge(context, NULL);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(each_packet_is_a_span),
        ON_EACH_BACKEND(a_link_that_stands_still_says_so),
        ON_EACH_BACKEND(packets_of_channels_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
