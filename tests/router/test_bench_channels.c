/** @file test_bench_channels.c  The benchmarks of kernels that send: their rows, what they refuse, and that a message goes
 *  along a ring whole, whatever its packets and however many share them. */
#include "tests/topology/bench_fixture.h"

#include "router/bench.h"
#include "router/measure/channel_kernel.h"
#include "router/measure/measure.h"

static const char *const benches[] = {"channels", "channelstreams", "channelring"};
#define BENCHES (sizeof benches / sizeof *benches)

static weir_bench_table *run_named(weir_context *context, const char *name,
                                   const weir_bench_config *config)
{
    weir_bench_table *table;
    OK(weir_router_bench_run(context, name, config, &table));
    assert_string_equal(table->name, name);
    return table;
}

static void rows_are_verified(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_config config = small_config();
    config.bytes = 1 << 20;
    for (size_t b = 0; b < BENCHES; b++) {
        weir_bench_table *table = run_named(context, benches[b], &config);
        assert_string_equal(table->skipped, "");
        assert_true(table->count > 0);
        for (size_t i = 0; i < table->count; i++) {
            const weir_bench_row *row = &table->rows[i];
            assert_int_equal(row->verified, 1);
            assert_true(row->low > 0 && row->low <= row->median && row->median <= row->high);
            assert_true(row->x > 0);
        }
        weir_bench_table_destroy(table);
    }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void one_device_is_no_ring(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_config config = small_config();
    weir_bench_table *table = run_named(context, "channelring", &config);
    assert_string_equal(table->skipped, "needs two devices");
    assert_int_equal(table->count, 0);
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void simulated_machines_run_no_kernels(void **state)
{
    weir_context *context = simulate("2*nvlink");
    weir_bench_config config = small_config();
    (void)state;
    for (size_t b = 0; b < BENCHES; b++) {
        weir_bench_table *table = run_named(context, benches[b], &config);
        assert_non_null(strstr(table->skipped, "simulated"));
        weir_bench_table_destroy(table);
    }
    weir_context_destroy(context);
}

/* Slices follow each other without a gap from the first chunk to the last, and begin at lines. */
static void slices_cover_a_packet(void **state)
{
    static const uint64_t chunks[] = {0, 1, 4, 7, 8, 9, 1024, 4100, 16388, 1000003};
    static const uint32_t parts[] = {1, 2, 3, 127, 128};
    (void)state;
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            uint64_t end = 0;
            for (uint32_t i = 0; i < parts[p]; i++) {
                struct weir__slice slice = weir__slice_of(chunks[c], i, parts[p]);
                assert_int_equal(slice.begin, end);
                assert_true(slice.end >= slice.begin);
                assert_true(slice.begin % 8 == 0 || slice.begin == chunks[c]);
                end = slice.end;
            }
            assert_int_equal(end, chunks[c]);
        }
}

/* ---- the kernel of the ring, all devices of a context in a row --------------------------------------------- */

#define MESSAGE (64u * 1001u)
#define AFTER   64u /* bytes behind it, which nobody writes */

struct row {
    weir_context *context;
    uint32_t count;
    weir_channel *next[8];
    weir_queue *queue[8];
    char *data[8];
};

static void open_row(struct row *row, uint32_t rings)
{
    weir_channel_config config = WEIR_CHANNEL_CONFIG_INIT;
    config.packet_bytes = 0;
    config.slots = 2; /* so that senders wait for room, too */
    config.rings = rings;
    for (uint32_t i = 0; i < row->count; i++) {
        weir_device *device = weir_context_device(row->context, i);
        OK(weir_device_alloc(device, MESSAGE + AFTER, (void **)&row->data[i]));
        OK(weir_queue_create(device, 0, &row->queue[i]));
        if (i + 1 < row->count)
            OK(weir_channel_create(device, weir_context_device(row->context, i + 1), &config,
                                   &row->next[i]));
    }
}

static void close_row(struct row *row)
{
    for (uint32_t i = 0; i < row->count; i++) {
        weir_queue_destroy(row->queue[i]);
        weir_channel_destroy(row->next[i]);
        weir_device_free(weir_context_device(row->context, i), row->data[i]);
        row->next[i] = NULL;
    }
}

static void start(struct row *row, uint32_t i, uint32_t rings, uint32_t share, uint32_t packet)
{
    const int first = i == 0, last = i + 1 == row->count;
    struct weir__channel_args args = {.tx = weir_channel_tx_of(last ? NULL : row->next[i]),
                                      .rx = weir_channel_rx_of(first ? NULL : row->next[i - 1]),
                                      .data = row->data[i],
                                      .target = last ? NULL : row->data[i + 1],
                                      .bytes = MESSAGE,
                                      .packet = packet,
                                      .does = WEIR__CHANNEL_FORWARD,
                                      .takes = !first,
                                      .sends = !last,
                                      .rings = rings,
                                      .share = share,
                                      .threads = WEIR__CHANNEL_THREADS};
    OK(weir_queue_launch(row->queue[i], &weir__channel_kernel, &args, sizeof args));
}

static void forward(struct row *row, uint32_t rings, uint32_t share, uint32_t packet)
{
    weir_device *home = weir_context_home(row->context);
    unsigned char *sent, *got;
    OK(weir_device_alloc(home, MESSAGE, (void **)&sent));
    OK(weir_device_alloc(home, MESSAGE + AFTER, (void **)&got));
    for (uint32_t i = 0; i < MESSAGE; i++)
        sent[i] = (unsigned char)(i * 31u + i / 251u + packet + share);
    for (uint32_t i = 0; i < row->count; i++)
        OK(weir_queue_fill(row->queue[i], row->data[i], 0x5a, MESSAGE + AFTER));
    OK(weir_queue_copy(row->queue[0], weir_context_device(row->context, 0), row->data[0], home,
                       sent, MESSAGE));
    for (uint32_t i = 0; i < row->count; i++)
        OK(weir_queue_sync(row->queue[i]));
    for (uint32_t i = 0; i < row->count; i++)
        start(row, i, rings, share, packet);
    for (uint32_t i = 0; i < row->count; i++)
        OK(weir_queue_sync(row->queue[i]));
    for (uint32_t i = 1; i < row->count; i++) {
        OK(weir_queue_copy(row->queue[i], home, got, weir_context_device(row->context, i),
                           row->data[i], MESSAGE + AFTER));
        OK(weir_queue_sync(row->queue[i]));
        assert_memory_equal(got, sent, MESSAGE);
        for (uint32_t k = 0; k < AFTER; k++)
            assert_int_equal(got[MESSAGE + k], 0x5a);
    }
    weir_device_free(home, sent);
    weir_device_free(home, got);
}

static uint32_t rings_at_once(const struct row *row)
{
    uint32_t least = 6;
    for (uint32_t i = 0; i < row->count; i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(row->context, i), &info);
        least = info.units < least ? info.units : least;
    }
    return least;
}

static void a_message_goes_on_whole(void **state)
{
    static const uint32_t packets[] = {64, 4096, MESSAGE};
    struct row row = {.context = open_or_skip(state)};
    row.count = weir_context_device_count(row.context);
    for (uint32_t rings = rings_at_once(&row); rings > 0; rings--) {
        open_row(&row, rings);
        for (uint32_t share = 1; share <= rings; share++)
            if (rings % share == 0)
                for (size_t p = 0; p < sizeof packets / sizeof *packets; p++)
                    forward(&row, rings, share, packets[p]);
        close_row(&row);
    }
    assert_no_memory_is_left(row.context);
    weir_context_destroy(row.context);
}

/* A device before that never sends: the stop of the channel ends the kernel. */
static void a_wait_in_vain_can_be_stopped(void **state)
{
    struct row row = {.context = open_or_skip(state)};
    row.count = 2;
    open_row(&row, 1);
    start(&row, 1, 1, 1, 4096);
    weir_channel_stop(row.next[0]);
    OK(weir_queue_sync(row.queue[1]));
    close_row(&row);
    weir_context_destroy(row.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(rows_are_verified, "host:2"),
        ON_BACKEND(rows_are_verified, "host:2x3"),
        ON_BACKEND(rows_are_verified, "host:4"),
        ON_BACKEND(rows_are_verified, "cuda:0-1"),
        ON_BACKEND(one_device_is_no_ring, "host:1"),
        ON_BACKEND(one_device_is_no_ring, "cuda:0"),
        cmocka_unit_test(simulated_machines_run_no_kernels),
        cmocka_unit_test(slices_cover_a_packet),
        ON_BACKEND(a_message_goes_on_whole, "host:2"),
        ON_BACKEND(a_message_goes_on_whole, "host:3x4"),
        ON_BACKEND(a_message_goes_on_whole, "host:8"),
        ON_BACKEND(a_message_goes_on_whole, "cuda:0-1"),
        ON_BACKEND(a_wait_in_vain_can_be_stopped, "host:2"),
        ON_BACKEND(a_wait_in_vain_can_be_stopped, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("bench_channels", tests, NULL, NULL);
}
