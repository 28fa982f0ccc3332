/** @file test_transport.c  Ways to carry packets: each where it can, refused where it cannot. */
#include "router/transport/transport.h"
#include "tests/lib/flow.h"

#include <stdio.h>
#include <string.h>

#define PACKET (160u << 10)
#define BYTES  (400u << 10)

/* A link between two devices by one transport, or what refused it. */
static weir_status join(weir_endpoint *from, weir_endpoint *to, weir_transport transport,
                        weir_link **link_out)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = PACKET;
    config.buffers = 2;
    config.transport = transport;
    return weir_link_create(from, to, &config, link_out);
}

/* The way that packets take when a link asks for one. Without: the first that can. What is to be staged
 * but starts or ends in the home memory is there already. */
static weir_transport way_of(weir_transport asked, weir_context *context, const weir_device *s,
                             const weir_device *d)
{
    const weir_device *home = weir_context_home(context);
    if (asked != WEIR_TRANSPORT_AUTO &&
        (asked != WEIR_TRANSPORT_STAGED || (s != home && d != home)))
        return asked;
    for (asked = WEIR_TRANSPORT_LOCAL; !transport_fits(asked, s, d);)
        asked++;
    return asked;
}

/* Odd sizes on both sides of what is worth two halves; all packets must have come in the way wanted, but
 * that small ones may be stored where copies are made and nothing was asked for. */
static void check_carries(weir_link *link, weir_device *s, void *data, weir_transport asked,
                          weir_transport wanted)
{
    static const size_t sizes[] = {0,     1,      255,    65535,      65536,
                                   65537, 100001, 163839, PACKET + 1, 2 * PACKET + 77777};
    uint64_t packets = 0, bytes = 0;
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t at = 0;
        weir_future *done = send_data(link, s, data, sizes[i], i);
        do {
            size_t piece = sizes[i] - at < PACKET ? sizes[i] - at : PACKET;
            expect_packet(link, piece, at, i, 1);
            at += piece;
            packets++;
        } while (at < sizes[i]);
        bytes += at;
        finish(done);
    }
    weir_link_stats_get(link, &stats);
    assert_int_equal(stats.packets, packets);
    assert_int_equal(stats.bytes, bytes);
    if (asked == WEIR_TRANSPORT_AUTO && wanted == WEIR_TRANSPORT_COPY) {
        stats.by[wanted] += stats.by[WEIR_TRANSPORT_STORE];
        stats.by[WEIR_TRANSPORT_STORE] = 0;
    }
    for (int i = 0; i < WEIR_TRANSPORT_COUNT; i++)
        assert_int_equal(stats.by[i], i == (int)wanted ? packets : 0);
}

static void check_refused(const weir_device *s, const weir_device *d, weir_transport transport,
                          const weir_link *link)
{
    weir_device_info from = WEIR_DEVICE_INFO_INIT, to = WEIR_DEVICE_INFO_INIT;
    char sentence[128];
    weir_device_info_get(s, &from);
    weir_device_info_get(d, &to);
    snprintf(sentence, sizeof sentence, "transport %s cannot carry from %s to %s%s",
             weir_transport_name(transport), from.label, to.label,
             weir__transport_row((uint64_t)transport)->processes ? ": it joins two processes" : "");
    assert_detail(sentence);
    assert_null(link);
}

static void check_pair(weir_context *context, weir_device *s, weir_device *d)
{
    weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
    void *data = new_memory(s, BYTES);
    put_pattern(s, data, BYTES, 1);
    for (int t = 0; t < WEIR_TRANSPORT_COUNT; t++) {
        weir_transport transport = (weir_transport)t;
        weir_link *link = (weir_link *)from;
        weir_status status = join(from, to, transport, &link);
        if (!transport_fits(transport, s, d)) {
            assert_int_equal(status, WEIR_ERR_UNSUPPORTED);
            check_refused(s, d, transport, link);
            continue;
        }
        assert_int_equal(status, WEIR_OK);
        check_carries(link, s, data, transport, way_of(transport, context, s, d));
        weir_link_destroy(link);
    }
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    weir_device_free(s, data);
}

static void every_transport_between_every_pair(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t i = 0; i < all_devices(context); i++)
        for (uint32_t j = 0; j < all_devices(context); j++)
            check_pair(context, any_device(context, i), any_device(context, j));
    assert_pools_empty(context);
    weir_context_destroy(context);
}

/* The tunable decides where a link names none and the way can join the two. */
static void the_tunable_is_asked_first(void **state)
{
    for (int t = 0; t < WEIR_TRANSPORT_COUNT; t++) {
        char setting[32];
        const char *const settings[] = {setting, NULL};
        weir_transport tuned = (weir_transport)t;
        snprintf(setting, sizeof setting, "transport=%s", weir_transport_name(tuned));
        weir_context *context = open_with_or_skip(*state, settings);
        weir_device *s = weir_context_device(context, 0), *d = weir_context_home(context);
        weir_endpoint *from = new_endpoint(s, "from"), *to = new_endpoint(d, "to");
        weir_link *link;
        void *data = new_memory(s, BYTES);
        put_pattern(s, data, BYTES, 1);
        OK(join(from, to, WEIR_TRANSPORT_AUTO, &link));
        weir_transport asked = transport_fits(tuned, s, d) ? tuned : WEIR_TRANSPORT_AUTO;
        check_carries(link, s, data, asked, way_of(asked, context, s, d));
        weir_link_destroy(link);
        OK(join(from, to, WEIR_TRANSPORT_STORE, &link)); /* a link that names one has it */
        check_carries(link, s, data, WEIR_TRANSPORT_STORE, WEIR_TRANSPORT_STORE);
        weir_link_destroy(link);
        weir_endpoint_destroy(from);
        weir_endpoint_destroy(to);
        weir_device_free(s, data);
        weir_context_destroy(context);
    }
}

static void an_unknown_tunable_is_refused(void **state)
{
    static const char *const words[] = {"pigeon", "Copy", "1", "", "auto local"};
    weir_policy any = weir_policy_any();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char setting[32], wanted[160];
        const char *const settings[] = {setting, NULL};
        snprintf(setting, sizeof setting, "transport=%s", words[i]);
        snprintf(wanted, sizeof wanted, "transport=%s: choose one of:", words[i]);
        for (int t = 0; t < WEIR_TRANSPORT_COUNT; t++) {
            strcat(wanted, " ");
            strcat(wanted, weir_transport_name((weir_transport)t));
        }
        weir_context *context = open_with_or_skip(*state, settings);
        weir_router *router = (weir_router *)state;
        weir_link *link = (weir_link *)state;
        weir_endpoint *from = new_endpoint(weir_context_device(context, 0), "from");
        weir_endpoint *to = new_endpoint(weir_context_home(context), "to");
        STATUS(weir_router_create(context, "r", &any, &router), WEIR_ERR_INVALID);
        assert_detail(wanted);
        assert_null(router);
        STATUS(join(from, to, WEIR_TRANSPORT_STORE, &link), WEIR_ERR_INVALID);
        assert_detail(wanted);
        assert_null(link);
        weir_endpoint_destroy(from);
        weir_endpoint_destroy(to);
        weir_context_destroy(context);
    }
}

/* Between two memories of the host no GPU copies: the sender that comes too late is refused as well, and
 * nothing is left of it. */
static void a_sender_that_cannot_is_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_home(context);
    weir_policy any = weir_policy_any();
    weir_endpoint *from = new_endpoint(device, "from"), *to = new_endpoint(device, "to");
    weir_router *first, *second;
    weir_link *between, *out, *in = (weir_link *)from;
    OK(weir_router_create(context, "first", &any, &first));
    OK(weir_router_create(context, "second", &any, &second));
    OK(join(weir_router_endpoint(second), to, WEIR_TRANSPORT_HOST, &out));
    OK(weir_link_create(weir_router_endpoint(first), weir_router_endpoint(second), NULL, &between));
    STATUS(weir_link_create(from, weir_router_endpoint(first), NULL, &in), WEIR_ERR_UNSUPPORTED);
    check_refused(device, device, WEIR_TRANSPORT_HOST, in);
    STATUS(weir_router_check(first), WEIR_ERR_INVALID);
    weir_link_destroy(between);
    OK(weir_link_create(from, weir_router_endpoint(first), NULL, &in)); /* it reaches nobody now */
    STATUS(
        weir_link_create(weir_router_endpoint(first), weir_router_endpoint(second), NULL, &between),
        WEIR_ERR_UNSUPPORTED);
    assert_null(between);
    weir_link_destroy(out);
    OK(join(weir_router_endpoint(second), to, WEIR_TRANSPORT_LOCAL, &out));
    OK(weir_link_create(weir_router_endpoint(first), weir_router_endpoint(second), NULL, &between));
    finish(send_data(in, device, NULL, 0, 3));
    expect_packet(out, 0, 0, 3, 0);
    weir_link_destroy(in);
    weir_link_destroy(out);
    weir_link_destroy(between);
    weir_router_destroy(first);
    weir_router_destroy(second);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
    assert_pools_empty(context);
    weir_context_destroy(context);
}

/* A receiver whose senders need different ways. */
static void one_output_has_senders_of_several_kinds(void **state)
{
    struct flow flow = {.context = open_or_skip(state), .outputs = 1};
    weir_policy any = weir_policy_any();
    flow.inputs = all_devices(flow.context) > 4 ? 4 : all_devices(flow.context);
    flow_open(&flow, &any, PACKET, 2);
    weir_endpoint *host = new_endpoint(weir_context_home(flow.context), "host");
    weir_link *extra = new_link(host, weir_router_endpoint(flow.router), 0, 0);
    for (uint32_t i = 0; i <= flow.inputs; i++) {
        weir_link *in = i < flow.inputs ? flow.in[i] : extra;
        weir_device *device = weir_endpoint_device(weir_link_source(in));
        void *data = new_memory(device, BYTES);
        put_pattern(device, data, BYTES, i);
        weir_future *done = send_data(in, device, data, BYTES, i);
        for (size_t at = 0; at < BYTES; at += PACKET)
            expect_packet(flow.out[0], BYTES - at < PACKET ? BYTES - at : PACKET, at, i, i);
        finish(done);
        weir_device_free(device, data);
    }
    weir_link_destroy(extra);
    weir_endpoint_destroy(host);
    flow_close(&flow);
    weir_context_destroy(flow.context);
}

/* Values and names are what compiled programs have: they stay. */
static void values_and_names_stay(void **state)
{
    (void)state;
    assert_int_equal(WEIR_TRANSPORT_AUTO, 0);
    assert_string_equal(weir_transport_name(WEIR_TRANSPORT_AUTO), "auto");
    assert_string_equal(weir_transport_name((weir_transport)1), "local");
    assert_string_equal(weir_transport_name((weir_transport)2), "host");
    assert_string_equal(weir_transport_name((weir_transport)3), "copy");
    assert_string_equal(weir_transport_name((weir_transport)4), "store");
    assert_string_equal(weir_transport_name((weir_transport)5), "staged");
    assert_string_equal(weir_transport_name((weir_transport)6), "shm");
    assert_string_equal(weir_transport_name(WEIR_TRANSPORT_COUNT), "unknown");
    assert_string_equal(weir_transport_help((weir_transport)-1), "unknown");
}

static weir_transport tuned_to(const char *word)
{
    weir_config *config;
    weir_context *context;
    weir_transport transport;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "transport", word));
    OK(weir_context_create("host:1", config, &context));
    OK(weir__transport_tuned(context, &transport));
    weir_context_destroy(context);
    weir_config_destroy(config);
    return transport;
}

/* There is no second list: each row is in its place, whole, has a name that the tunable takes, a line of help and a
 * place in the statistics. */
static void every_row_is_whole(void **state)
{
    (void)state;
    assert_in_range(WEIR_TRANSPORT_COUNT, 1, WEIR_TRANSPORTS_MAX);
    for (int i = 1; i < WEIR_TRANSPORT_COUNT; i++) {
        const struct transport *row = weir__transport_row((uint64_t)i);
        const char *help = weir_transport_help(row->which);
        assert_int_equal(row->which, i);
        assert_int_equal(tuned_to(weir_transport_name(row->which)), i);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(weir_transport_name((weir_transport)k),
                                    weir_transport_name(row->which));
        assert_true(strlen(help) > 10 && help[strlen(help) - 1] != '.');
        assert_true(row->joins && row->open && row->put);
        assert_in_range(row->streams, 1, 2);
        assert_true(!row->processes == !row->expose && !row->processes == !row->attach &&
                    !row->processes == !row->close);
        assert_true(!row->small == !row->small_bytes);
    }
    assert_null(weir__transport_row(WEIR_TRANSPORT_AUTO));
    assert_null(weir__transport_row(WEIR_TRANSPORT_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(every_transport_between_every_pair),
        ON_EACH_BACKEND(the_tunable_is_asked_first),
        ON_EACH_BACKEND(an_unknown_tunable_is_refused),
        ON_EACH_BACKEND(a_sender_that_cannot_is_refused),
        ON_EACH_BACKEND(one_output_has_senders_of_several_kinds),
        cmocka_unit_test(values_and_names_stay),
        cmocka_unit_test(every_row_is_whole),
    };
    return cmocka_run_group_tests_name("transport", tests, NULL, NULL);
}
