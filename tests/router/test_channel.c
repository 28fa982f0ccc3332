/** @file test_channel.c  Channels: packets between running kernels of every kind of device. */
#include "tests/lib/channel_kernels.h"
#include "tests/lib/support.h"

#include <string.h>

#define RINGS_MAX 8

/* A channel and the kernels at both of its sides. */
struct pair {
    weir_context *context;
    weir_device *from, *to;
    weir_queue *sends, *takes;
    weir_channel *channel, *back; /* back: for echoes, or NULL */
    uint64_t *result[2];          /* of the sender, of the receiver; device memory */
    uint32_t *buffer, *states;
    struct test_channel_args sender, receiver;
};

static uint32_t rings_of(const struct pair *pair)
{
    return pair->sender.tx.rings;
}

/* The last device of a context, or the first where there is but one: it may send to itself if it is a GPU. */
static void open_pair(struct pair *pair, weir_context *context, const weir_channel_config *config,
                      uint32_t does)
{
    const uint32_t devices = weir_context_device_count(context);
    const size_t results = sizeof(uint64_t) * TEST_CHANNEL_RESULTS * RINGS_MAX;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    memset(pair, 0, sizeof *pair);
    pair->context = context;
    pair->from = weir_context_device(context, 0);
    pair->to = weir_context_device(context, devices - 1);
    weir_device_info_get(pair->from, &info);
    if (devices == 1 && info.kind == WEIR_DEVICE_HOST) {
        weir_context_destroy(context);
        skip(); /* its kernels run one after the other */
    }
    OK(weir_channel_create(pair->from, pair->to, config, &pair->channel));
    if (does & TEST_CHANNEL_ECHOES)
        OK(weir_channel_create(pair->to, pair->from, config, &pair->back));
    pair->sends = new_queue(pair->from);
    pair->takes = new_queue(pair->to);
    pair->result[0] = new_memory(pair->from, results);
    pair->result[1] = new_memory(pair->to, results);
    pair->states = new_memory(weir_context_home(context), sizeof(uint32_t) * RINGS_MAX);
    pair->buffer = new_memory(pair->from, ((size_t)config->packet_bytes + 16) * RINGS_MAX);
    pair->sender = (struct test_channel_args){.tx = weir_channel_tx_of(pair->channel),
                                              .result = pair->result[0],
                                              .buffer = pair->buffer,
                                              .states = pair->states,
                                              .seed = 7,
                                              .does = (does & ~(uint32_t)TEST_CHANNEL_HOLDS) |
                                                      TEST_CHANNEL_SENDS};
    pair->receiver = (struct test_channel_args){.rx = weir_channel_rx_of(pair->channel),
                                                .result = pair->result[1],
                                                .states = pair->states,
                                                .seed = 7,
                                                .does = does};
    if (pair->back) {
        pair->sender.rx = weir_channel_rx_of(pair->back);
        pair->receiver.tx = weir_channel_tx_of(pair->back);
    }
}

static void close_pair(struct pair *pair)
{
    weir_channel_destroy(pair->channel);
    weir_channel_destroy(pair->back);
    weir_queue_destroy(pair->sends);
    weir_queue_destroy(pair->takes);
    weir_device_free(pair->from, pair->result[0]);
    weir_device_free(pair->to, pair->result[1]);
    weir_device_free(pair->from, pair->buffer);
    weir_device_free(weir_context_home(pair->context), pair->states);
}

static void launch(struct pair *pair, uint32_t packets, enum weir_by by)
{
    const size_t results = sizeof(uint64_t) * TEST_CHANNEL_RESULTS * RINGS_MAX;
    pair->sender.packets = pair->receiver.packets = packets;
    pair->sender.by = pair->receiver.by = by;
    OK(weir_queue_fill(pair->sends, pair->result[0], 0, results));
    OK(weir_queue_fill(pair->takes, pair->result[1], 0, results));
    OK(weir_queue_launch(pair->takes, &test_channel_kernel, &pair->receiver,
                         sizeof pair->receiver));
    OK(weir_queue_launch(pair->sends, &test_channel_kernel, &pair->sender, sizeof pair->sender));
}

/* What a side reports of each ring. */
static void expect(struct pair *pair, int side, uint32_t packets, int result)
{
    uint64_t rows[RINGS_MAX][TEST_CHANNEL_RESULTS];
    weir_device *device = side ? pair->to : pair->from;
    weir_queue *queue = side ? pair->takes : pair->sends;
    void *home = new_memory(weir_context_home(pair->context), sizeof rows);
    OK(weir_queue_copy(queue, weir_context_home(pair->context), home, device, pair->result[side],
                       sizeof rows));
    OK(weir_queue_sync(queue));
    memcpy(rows, home, sizeof rows);
    weir_device_free(weir_context_home(pair->context), home);
    for (uint32_t r = 0; r < rings_of(pair); r++) {
        assert_int_equal((int64_t)rows[r][TEST_CHANNEL_RESULT], result);
        assert_int_equal(rows[r][TEST_CHANNEL_PACKETS], packets);
        assert_int_equal(rows[r][TEST_CHANNEL_WRONG], 0);
    }
}

static void run(struct pair *pair, uint32_t packets, enum weir_by by)
{
    launch(pair, packets, by);
    expect(pair, 0, packets, WEIR_CHANNEL_DONE);
    expect(pair, 1, packets, WEIR_CHANNEL_DONE);
    pair->sender.first += packets;
    pair->receiver.first += packets;
}

/* ---- packets -------------------------------------------------------------------------------- */

static const enum weir_by all_by[] = {WEIR_BY_THREAD, WEIR_BY_WORKER, WEIR_BY_BLOCK};

/* Kernels one after another, by groups of all kinds, go on where those before them ended. */
static void stream_as(void **state, weir_channel_format format, uint32_t packet_bytes,
                      uint32_t slots, uint32_t rings, uint32_t packets, uint32_t does)
{
    const weir_channel_config config = {sizeof config, packet_bytes, slots, rings, format};
    weir_channel_stats stats = WEIR_CHANNEL_STATS_INIT;
    weir_context *context = open_or_skip(state);
    struct pair pair;
    open_pair(&pair, context, &config, does);
    for (uint32_t b = 0; b < 3; b++)
        for (uint32_t whole = 0; whole < 2; whole++) {
            pair.sender.whole = pair.receiver.whole = whole;
            run(&pair, packets, all_by[b]);
        }
    OK(weir_channel_stats_get(pair.channel, &stats));
    assert_int_equal(stats.put, 6 * (uint64_t)packets * rings);
    assert_int_equal(stats.taken, stats.put);
    assert_int_equal(stats.released, stats.put);
    if (format)
        assert_int_equal(stats.woven, format == WEIR_CHANNEL_FORMAT_WOVEN);
    close_pair(&pair);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void stream(void **state, uint32_t packet_bytes, uint32_t slots, uint32_t rings,
                   uint32_t packets, uint32_t does)
{
    stream_as(state, WEIR_CHANNEL_FORMAT_PLAIN, packet_bytes, slots, rings, packets, does);
    if (packet_bytes && packet_bytes <= WEIR_CHANNEL_WOVEN && !(does & TEST_CHANNEL_STATES))
        stream_as(state, WEIR_CHANNEL_FORMAT_WOVEN, packet_bytes, slots, rings, packets, does);
    stream_as(state, WEIR_CHANNEL_FORMAT_AUTO, packet_bytes, slots, rings, packets / 4, does);
}

static void small_packets_arrive_in_order(void **state)
{
    stream(state, 100, 0, 3, 200, 0);
}

static void words_arrive_in_order(void **state)
{
    stream(state, 4, 2, 1, 300, 0);
}

static void the_largest_woven_packets_arrive(void **state)
{
    stream(state, WEIR_CHANNEL_WOVEN, 3, 2, 40, 0);
}

static void large_packets_arrive_in_order(void **state)
{
    stream(state, 40001, 4, 2, 30, 0);
}

static void a_ring_of_one_slot_works(void **state)
{
    stream(state, 512, 1, 2, 60, 0);
}

static void packets_may_be_held(void **state)
{
    stream(state, 512, 8, 2, 64, TEST_CHANNEL_HOLDS);
}

static void large_packets_may_be_held(void **state)
{
    stream(state, 16384, 16, 1, 64, TEST_CHANNEL_HOLDS);
}

static void calls_that_do_not_wait(void **state)
{
    stream(state, 900, 4, 2, 60, TEST_CHANNEL_TRIES);
}

static void large_ones_that_do_not_wait(void **state)
{
    stream(state, 9000, 4, 2, 30, TEST_CHANNEL_TRIES | TEST_CHANNEL_HOLDS);
}

/* A word of another memory is written before the packet, and read behind it. */
static void packets_of_nothing_hand_memory_on(void **state)
{
    stream(state, 0, 2, 3, 100, TEST_CHANNEL_STATES | TEST_CHANNEL_ECHOES);
}

static void large_packets_hand_memory_on(void **state)
{
    stream(state, 20000, 4, 1, 20, TEST_CHANNEL_STATES | TEST_CHANNEL_ECHOES);
}

/* ---- ends ----------------------------------------------------------------------------------- */

static const weir_channel_config ends_of_two[] = {
    {sizeof(weir_channel_config), 256, 4, 2, WEIR_CHANNEL_FORMAT_WOVEN},
    {sizeof(weir_channel_config), 10000, 4, 2, WEIR_CHANNEL_FORMAT_PLAIN}};

static void a_sender_closes(void **state)
{
    for (int c = 0; c < 2; c++) {
        struct pair pair;
        weir_context *context = open_or_skip(state);
        open_pair(&pair, context, &ends_of_two[c], 0);
        pair.sender.does |= TEST_CHANNEL_CLOSES;
        for (int round = 0; round < 2; round++) {
            for (uint32_t b = 0; b < 3; b++) {
                pair.receiver.does =
                    b % 2 ? TEST_CHANNEL_ENDLESS | TEST_CHANNEL_TRIES : TEST_CHANNEL_ENDLESS;
                launch(&pair, 11, all_by[b]);
                expect(&pair, 0, 11, WEIR_CHANNEL_DONE);
                expect(&pair, 1, 11, WEIR_CHANNEL_CLOSED);
                OK(weir_channel_reset(pair.channel));
            }
        }
        close_pair(&pair);
        weir_context_destroy(context);
    }
}

static void a_receiver_closes(void **state)
{
    for (int c = 0; c < 2; c++) {
        struct pair pair;
        weir_context *context = open_or_skip(state);
        open_pair(&pair, context, &ends_of_two[c], TEST_CHANNEL_CLOSES);
        pair.sender.does = TEST_CHANNEL_SENDS | TEST_CHANNEL_ENDLESS;
        for (uint32_t b = 0; b < 3; b++) {
            launch(&pair, 9, all_by[b]);
            expect(&pair, 1, 9, WEIR_CHANNEL_DONE);
            /* The sender sees it when the ring is full, so it has put some more; how many is not said. */
            OK(weir_queue_sync(pair.sends));
            weir_channel_stats stats = WEIR_CHANNEL_STATS_INIT;
            OK(weir_channel_stats_get(pair.channel, &stats));
            assert_int_equal(stats.taken, 9 * 2);
            assert_true(stats.put >= stats.taken && stats.put <= stats.taken + 2 * 4);
            OK(weir_channel_reset(pair.channel));
        }
        close_pair(&pair);
        weir_context_destroy(context);
    }
}

/* A side whose other one never comes waits until it is stopped; behind a reset the channel is good again. */
static void a_stop_ends_waits(void **state)
{
    for (int c = 0; c < 2; c++) {
        struct pair pair;
        weir_context *context = open_or_skip(state);
        open_pair(&pair, context, &ends_of_two[c], 0);
        for (uint32_t b = 0; b < 3; b++)
            for (int side = 0; side < 2; side++) {
                struct test_channel_args args = side ? pair.receiver : pair.sender;
                weir_queue *queue = side ? pair.takes : pair.sends;
                args.by = all_by[b];
                args.packets = 100;
                OK(weir_queue_fill(queue, pair.result[side], 0,
                                   sizeof(uint64_t) * TEST_CHANNEL_RESULTS * RINGS_MAX));
                OK(weir_queue_launch(queue, &test_channel_kernel, &args, sizeof args));
                weir_channel_stop(pair.channel);
                expect(&pair, side, side ? 0 : 4, WEIR_CHANNEL_STOPPED);
                OK(weir_channel_reset(pair.channel));
            }
        run(&pair, 50, WEIR_BY_BLOCK);
        close_pair(&pair);
        weir_context_destroy(context);
    }
}

/* A thread of the program is the other side. */
static void the_home_device_takes_part(void **state)
{
    const weir_channel_config config = {sizeof config, 4096, 4, 1, WEIR_CHANNEL_FORMAT_AUTO};
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context), *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_channel *channel;
    weir_channel_tx tx;
    uint64_t *result = new_memory(device, sizeof(uint64_t) * TEST_CHANNEL_RESULTS), row[3] = {0};
    unsigned char packet[4096];
    OK(weir_channel_create(home, device, &config, &channel));
    OK(weir_queue_fill(queue, result, 0, sizeof row));
    struct test_channel_args args = {.rx = weir_channel_rx_of(channel),
                                     .result = result,
                                     .packets = 10,
                                     .whole = 1,
                                     .by = WEIR_BY_BLOCK};
    OK(weir_queue_launch(queue, &test_channel_kernel, &args, sizeof args));
    tx = weir_channel_tx_of(channel);
    weir_channel_sender sender = weir_channel_sender_open(&tx, 0);
    memset(packet, 1, sizeof packet);
    for (int i = 0; i < 10; i++)
        assert_int_equal(weir_channel_put(&sender, WEIR_BY_THREAD, packet, 4096),
                         WEIR_CHANNEL_DONE);
    OK(weir_queue_sync(queue));
    void *read = new_memory(home, sizeof row);
    OK(weir_queue_copy(queue, home, read, device, result, sizeof row));
    OK(weir_queue_sync(queue));
    memcpy(row, read, sizeof row);
    assert_int_equal(row[TEST_CHANNEL_PACKETS], 10);
    assert_true(row[TEST_CHANNEL_WRONG] > 10 * 4000); /* they have another pattern */
    weir_device_free(home, read);
    weir_device_free(device, result);
    weir_queue_destroy(queue);
    weir_channel_destroy(channel);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* As if so many packets had gone through each ring of a channel between host devices before. */
static void begin_at(struct pair *pair, uint32_t number)
{
    for (uint32_t r = 0; r < rings_of(pair); r++) {
        const size_t line = (size_t)r * WEIR_CHANNEL_LINE;
        pair->sender.tx.state[line] = number;
        pair->sender.tx.credit[line] = number;
        pair->receiver.rx.state[line] = (uint64_t)number << 32 | number;
        pair->receiver.rx.state[line + 1] = number;
    }
}

/* Numbers wrap around after 2^32 packets, and nothing changes. */
static void numbers_wrap_around(void **state)
{
    (void)state;
    for (int f = WEIR_CHANNEL_FORMAT_PLAIN; f <= WEIR_CHANNEL_FORMAT_WOVEN; f++)
        for (uint32_t slots = 1; slots <= 8; slots *= 8) {
            const weir_channel_config config = {sizeof config, 256, slots, 2,
                                                (weir_channel_format)f};
            struct pair pair;
            weir_context *context;
            OK(weir_context_create("host:2x2", NULL, &context));
            open_pair(&pair, context, &config, 0);
            for (uint32_t b = 0; b < 3; b++) {
                begin_at(&pair, 0u - 20u);
                run(&pair, 50, all_by[b]);
            }
            close_pair(&pair);
            weir_context_destroy(context);
        }
}

/* The packet whose number is 0 has come, but for one word: a word that was wiped is not taken for it. */
static void a_wiped_word_is_no_word(void **state)
{
    (void)state;
    const weir_channel_config config = {sizeof config, 8, 4, 1, WEIR_CHANNEL_FORMAT_WOVEN};
    const uint32_t packet[2] = {0, 0};
    uint32_t bytes;
    const void *data;
    struct pair pair;
    weir_context *context;
    OK(weir_context_create("host:2x2", NULL, &context));
    open_pair(&pair, context, &config, 0);
    begin_at(&pair, 0u - 5u);
    weir_channel_sender sender = weir_channel_sender_open(&pair.sender.tx, 0);
    weir_channel_receiver receiver = weir_channel_receiver_open(&pair.receiver.rx, 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(weir_channel_put(&sender, WEIR_BY_THREAD, packet, 8), WEIR_CHANNEL_DONE);
        assert_int_equal(weir_channel_take(&receiver, WEIR_BY_THREAD, &data, &bytes),
                         WEIR_CHANNEL_DONE);
        weir_channel_release(&receiver, WEIR_BY_THREAD);
    }
    assert_int_equal(sender.next + 1u, 0);
    assert_int_equal(weir_channel_put(&sender, WEIR_BY_THREAD, packet, 8), WEIR_CHANNEL_DONE);
    uint64_t *word = (uint64_t *)(void *)(pair.sender.tx.slots + 3u * pair.sender.tx.slot_bytes);
    const uint64_t late = word[2];
    word[2] = 0; /* as it was wiped: the store is on its way */
    weir_channel_stop(pair.channel);
    assert_int_equal(weir_channel_take(&receiver, WEIR_BY_THREAD, &data, &bytes),
                     WEIR_CHANNEL_STOPPED);
    assert_true(late != 0);
    close_pair(&pair);
    weir_context_destroy(context);
}

static void a_packet_that_is_too_large_is_refused(void **state)
{
    const weir_channel_config config = {sizeof config, 100, 4, 1, WEIR_CHANNEL_FORMAT_WOVEN};
    weir_context *context = open_or_skip(state);
    weir_channel *channel;
    unsigned char packet[101] = {0};
    OK(weir_channel_create(weir_context_home(context), weir_context_home(context), &config,
                           &channel));
    weir_channel_tx tx = weir_channel_tx_of(channel);
    weir_channel_rx rx = weir_channel_rx_of(channel);
    weir_channel_sender sender = weir_channel_sender_open(&tx, 0);
    weir_channel_receiver receiver = weir_channel_receiver_open(&rx, 0);
    const void *data;
    uint32_t bytes;
    assert_int_equal(weir_channel_put(&sender, WEIR_BY_THREAD, packet, 101), WEIR_CHANNEL_INVALID);
    assert_int_equal(weir_channel_poll(&receiver, WEIR_BY_THREAD), WEIR_CHANNEL_AGAIN);
    for (int i = 0; i < 4; i++)
        assert_int_equal(weir_channel_try_put(&sender, WEIR_BY_THREAD, packet, 100),
                         WEIR_CHANNEL_DONE);
    assert_int_equal(weir_channel_try_put(&sender, WEIR_BY_THREAD, packet, 1), WEIR_CHANNEL_AGAIN);
    assert_int_equal(weir_channel_take(&receiver, WEIR_BY_THREAD, &data, &bytes),
                     WEIR_CHANNEL_DONE);
    assert_int_equal(bytes, 100);
    assert_int_equal(weir_channel_try_put(&sender, WEIR_BY_THREAD, packet, 1), WEIR_CHANNEL_AGAIN);
    weir_channel_release(&receiver, WEIR_BY_THREAD);
    assert_int_equal(weir_channel_try_put(&sender, WEIR_BY_THREAD, packet, 1), WEIR_CHANNEL_DONE);
    weir_channel_destroy(channel);
    weir_context_destroy(context);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void wrong_configurations_are_refused(void **state)
{
    weir_context *context, *other;
    weir_channel *channel = NULL;
    weir_channel_config config = WEIR_CHANNEL_CONFIG_INIT;
    (void)state;
    OK(weir_context_create("host:2", NULL, &context));
    OK(weir_context_create("host:1", NULL, &other));
    weir_device *a = weir_context_device(context, 0), *b = weir_context_device(context, 1);
    STATUS(weir_channel_create(a, weir_context_device(other, 0), NULL, &channel), WEIR_ERR_INVALID);
    assert_detail("a channel between devices of two contexts");
    config.packet_bytes = WEIR_CHANNEL_PACKET_MAX + 1;
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_INVALID);
    assert_detail("packets of 1073741825 bytes in a channel: at most 1073741824");
    config.packet_bytes = 8193;
    config.format = WEIR_CHANNEL_FORMAT_WOVEN;
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_INVALID);
    assert_detail("woven packets of 8193 bytes in a channel: 1 to 8192");
    config.packet_bytes = 0;
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_INVALID);
    config.format = WEIR_CHANNEL_FORMAT_COUNT;
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_INVALID);
    assert_detail("3 is no format of a channel's packets");
    config.format = WEIR_CHANNEL_FORMAT_AUTO;
    config.packet_bytes = 1;
    config.slots = 1025;
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_INVALID);
    assert_detail("1025 slots in a ring of a channel: at most 1024");
    config.slots = 1;
    config.rings = 1025;
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_INVALID);
    assert_detail("1025 rings in a channel: at most 1024");
    config = (weir_channel_config){sizeof config, WEIR_CHANNEL_PACKET_MAX, 1024, 1024,
                                   WEIR_CHANNEL_FORMAT_AUTO};
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_NOMEM);
    config.size = 0;
    STATUS(weir_channel_create(a, b, &config, &channel), WEIR_ERR_INVALID);
    assert_null(channel);
    STATUS(weir_channel_create(NULL, b, NULL, &channel), WEIR_ERR_INVALID);
    STATUS(weir_channel_create(a, b, NULL, NULL), WEIR_ERR_INVALID);
    STATUS(weir_channel_reset(NULL), WEIR_ERR_INVALID);
    weir_channel_stop(NULL);
    weir_channel_destroy(NULL);
    weir_context_destroy(context);
    weir_context_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_KIND(small_packets_arrive_in_order),
        ON_EACH_KIND(words_arrive_in_order),
        ON_EACH_KIND(the_largest_woven_packets_arrive),
        ON_EACH_KIND(large_packets_arrive_in_order),
        ON_EACH_KIND(a_ring_of_one_slot_works),
        ON_EACH_KIND(packets_may_be_held),
        ON_EACH_KIND(large_packets_may_be_held),
        ON_EACH_KIND(calls_that_do_not_wait),
        ON_EACH_KIND(large_ones_that_do_not_wait),
        ON_EACH_KIND(packets_of_nothing_hand_memory_on),
        ON_EACH_KIND(large_packets_hand_memory_on),
        ON_EACH_KIND(a_sender_closes),
        ON_EACH_KIND(a_receiver_closes),
        ON_EACH_KIND(a_stop_ends_waits),
        ON_EACH_KIND(the_home_device_takes_part),
        cmocka_unit_test(numbers_wrap_around),
        cmocka_unit_test(a_wiped_word_is_no_word),
        ON_EACH_KIND(a_packet_that_is_too_large_is_refused),
        cmocka_unit_test(wrong_configurations_are_refused),
    };
    return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}
