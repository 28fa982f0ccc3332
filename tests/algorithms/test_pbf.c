/** @file test_pbf.c  Filtering: every element that should stay is there once, on any devices, under
 *  either schedule; and a wrong result is found. */
#include "tests/algorithms/pbf_fixture.h"

#include <string.h>

/* What the devices say they did adds up to the whole. */
static void check_shares(const struct bench *bench)
{
    uint64_t elements = 0, kept = 0;
    assert_int_equal(bench->stats.devices, weir_context_device_count(bench->context));
    for (uint32_t i = 0; i < bench->stats.devices; i++) {
        const weir_pbf_share *share = &bench->stats.device[i];
        elements += share->elements;
        kept += share->kept;
        assert_true(share->kept <= share->elements);
        assert_true(share->elements * 4 <= share->packets * bench->stats.packet_bytes);
        assert_true((share->packets == 0) == (share->elements == 0));
        assert_true((share->packets == 0) == (share->busy_ms == 0));
        assert_true(share->ms > 0);
    }
    assert_int_equal(elements, bench->elements);
    assert_int_equal(kept, bench->stats.kept);
    assert_true(bench->stats.ms > 0);
    assert_true(bench->stats.prepare_ms > 0);
}

/* Each piece lies behind the one before it and holds elements of the packet that it names. */
static void check_pieces(const struct bench *bench)
{
    const weir_pbf_piece *pieces;
    uint64_t count, end = 0;
    OK(weir_pbf_pieces(bench->pbf, &pieces, &count));
    for (uint64_t i = 0; i < count; i++) {
        const weir_pbf_piece *piece = &pieces[i];
        assert_int_equal(piece->output, end);
        assert_true(piece->kept > 0);
        assert_true(piece->device < bench->stats.devices);
        uint64_t last = piece->input + bench->stats.packet_bytes / 4;
        for (uint32_t k = 0; k < piece->kept; k++) {
            uint64_t at = piece->input;
            while (at < last && at < bench->elements && bench->input[at] != bench->output[end + k])
                at++;
            assert_true(at < last && at < bench->elements);
        }
        end += piece->kept;
    }
    assert_int_equal(end, bench->stats.kept);
}

/* ---- results ---- */

static void each_size_and_share(void **state)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 511, 512, 513, 5000, 100003};
    static const double shares[] = {0, 0.1, 0.5, 1};
    weir_context *context = open_or_skip(state);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int f = 0; f < 4; f++)
            for (int schedule = 0; schedule < 2; schedule++) {
                weir_pbf_config config = config_for(shares[f], sizes[s] > 5000 ? 16384 : 256);
                struct bench bench;
                config.schedule = (weir_pbf_schedule)schedule;
                bench_open(&bench, context, &config, sizes[s]);
                OK(run(&bench));
                check_result(&bench);
                check_shares(&bench);
                if (f == 0)
                    assert_int_equal(bench.stats.kept, 0);
                if (f == 3)
                    assert_int_equal(bench.stats.kept, sizes[s]);
                if (sizes[s] <= 5000)
                    check_pieces(&bench);
                bench_close(&bench);
            }
    weir_context_destroy(context);
}

static void packets_of_one_element(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.5, 4);
    struct bench bench;
    config.buffers = 16;
    bench_open(&bench, context, &config, 600);
    OK(run(&bench));
    check_result(&bench);
    check_shares(&bench);
    check_pieces(&bench);
    bench_close(&bench);
    weir_context_destroy(context);
}

static void one_buffer_is_enough(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.9, 4096);
    struct bench bench;
    config.buffers = 1;
    bench_open(&bench, context, &config, 200000);
    for (int i = 0; i < 3; i++) { /* and an object runs many times */
        OK(run(&bench));
        check_result(&bench);
        check_shares(&bench);
    }
    bench_close(&bench);
    weir_context_destroy(context);
}

static void work_is_part_of_the_predicate(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.3, 0);
    struct bench bench;
    config.work = 5;
    bench_open(&bench, context, &config, 300000);
    OK(run(&bench));
    check_result(&bench);
    uint64_t expected = 0;
    for (uint64_t i = 0; i < bench.elements; i++) {
        uint32_t value = bench.input[i];
        for (int r = 0; r < 5; r++)
            value = weir_pbf_mix(value);
        expected += value < config.below;
    }
    assert_int_equal(bench.stats.kept, expected);
    bench_close(&bench);
    weir_context_destroy(context);
}

static void static_shares_are_equal(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t devices = weir_context_device_count(context);
    weir_pbf_config config = config_for(0.5, 1024);
    struct bench bench;
    config.schedule = WEIR_PBF_STATIC;
    bench_open(&bench, context, &config, (uint64_t)devices * 10007);
    OK(run(&bench));
    check_result(&bench);
    check_shares(&bench);
    for (uint32_t i = 0; i < devices; i++)
        assert_int_equal(bench.stats.device[i].elements, 10007);
    bench_close(&bench);
    weir_context_destroy(context);
}

/* ---- room ---- */

static void a_result_needs_room(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.5, 4096);
    struct bench bench;
    bench_open(&bench, context, &config, 100000);
    OK(run(&bench));
    uint64_t kept = bench.stats.kept;
    memset(bench.output, 0xFF, bench.elements * 4);
    OK(weir_pbf_run(bench.pbf, bench.input, bench.elements, bench.output, kept, &bench.stats));
    check_result(&bench);
    assert_int_equal(bench.output[kept], 0xFFFFFFFF); /* nothing behind the room is touched */
    STATUS(
        weir_pbf_run(bench.pbf, bench.input, bench.elements, bench.output, kept - 1, &bench.stats),
        WEIR_ERR_NOMEM);
    assert_detail_has("the output has room for");
    assert_int_equal(bench.stats.kept, 0);
    assert_int_equal(bench.output[kept], 0xFFFFFFFF);
    STATUS(weir_pbf_run(bench.pbf, bench.input, bench.elements, NULL, 0, NULL), WEIR_ERR_NOMEM);
    OK(run(&bench)); /* a failed run leaves the object as it was */
    check_result(&bench);
    bench_close(&bench);
    weir_context_destroy(context);
}

/* ---- what is refused ---- */

static void bad_configurations(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pbf_config config = config_for(0.5, 4096), bad;
    weir_pbf *pbf = (weir_pbf *)context;
    const weir_pbf_piece *pieces;
    uint64_t count;
#define REFUSED(field, value, part)                                     \
    do {                                                                \
        bad = config;                                                   \
        bad.field = (value);                                            \
        STATUS(weir_pbf_create(context, &bad, &pbf), WEIR_ERR_INVALID); \
        assert_detail_has(part);                                        \
        assert_null(pbf);                                               \
    } while (0)
    REFUSED(size, 3, "initialiser");
    REFUSED(schedule, (weir_pbf_schedule)2, "schedule");
    REFUSED(below, (UINT64_C(1) << 32) + 1, "2^32");
    REFUSED(packet_bytes, 1002, "whole elements");
    REFUSED(packet_bytes, ((size_t)1 << 30) + 4, "1 GiB");
    REFUSED(buffers, 17, "at most 16");
    OK(weir_pbf_create(context, NULL, &pbf));
    STATUS(weir_pbf_pieces(pbf, &pieces, &count), WEIR_ERR_INVALID);
    STATUS(weir_pbf_run(pbf, NULL, WEIR_PBF_ELEMENTS_MAX + 1, NULL, 0, NULL), WEIR_ERR_INVALID);
    OK(weir_pbf_run(pbf, NULL, 0, NULL, 0, NULL));
    weir_pbf_destroy(pbf);
    weir_pbf_destroy(NULL);
    weir_context_destroy(context);
}

static void devices_need_memory_for_packets(void **state)
{
    static const char *const settings[] = {"pool_bytes=1MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_pbf_config config = config_for(0.5, 200000);
    struct bench bench;
    config.buffers = 3;
    bench_open(&bench, context, &config, 60000);
    STATUS(run(&bench), WEIR_ERR_NOMEM);
    assert_detail_has("WEIR_POOL_BYTES");
    bench_close(&bench);
    weir_context_destroy(context);
}

/* Without room on a link a result waits for it. */
static void one_message_under_way(void **state)
{
    static const char *const settings[] = {"link_messages=1", "link_bytes=16", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_pbf_config config = config_for(0.5, 256);
    struct bench bench;
    bench_open(&bench, context, &config, 50000);
    OK(run(&bench));
    check_result(&bench);
    bench_close(&bench);
    weir_context_destroy(context);
}

/* ---- the check itself ---- */

static void verify_finds(const weir_pbf_config *config, const uint32_t *output, uint64_t kept,
                         const char *part)
{
    STATUS(weir_pbf_verify(config, SEED, 1000, output, kept), WEIR_ERR_VERIFY);
    assert_detail_has(part);
}

static void a_wrong_result_is_found(void **state)
{
    weir_pbf_config config = config_for(0.5, 0);
    uint32_t output[1000], drop = 0;
    uint64_t kept = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t value = weir_pbf_value(SEED, i);
        if (value < config.below)
            output[kept++] = value;
        else
            drop = value;
    }
    OK(weir_pbf_verify(&config, SEED, 1000, output, kept));
    verify_finds(&config, output, kept - 1, "the reference keeps");
    uint32_t right = output[5];
    output[5] = output[4];
    verify_finds(&config, output, kept, "is there twice");
    output[5] = drop;
    verify_finds(&config, output, kept, "does not satisfy");
    output[5] = weir_pbf_value(SEED, 1000);
    verify_finds(&config, output, kept, "element 5 of the result");
    assert_detail_has("is not in the input");
    output[5] = right;
    OK(weir_pbf_verify(&config, SEED, 1000, output, kept));
    STATUS(weir_pbf_verify(&config, SEED + 1, 1000, output, kept), WEIR_ERR_VERIFY);
    OK(weir_pbf_verify(&config, SEED, 0, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(each_size_and_share),     ON_EACH_BACKEND(packets_of_one_element),
        ON_EACH_BACKEND(one_buffer_is_enough),    ON_EACH_BACKEND(work_is_part_of_the_predicate),
        ON_EACH_BACKEND(static_shares_are_equal), ON_EACH_BACKEND(a_result_needs_room),
        ON_BACKEND(bad_configurations, "host:1"), ON_EACH_BACKEND(devices_need_memory_for_packets),
        ON_EACH_BACKEND(one_message_under_way),   cmocka_unit_test(a_wrong_result_is_found),
    };
    return cmocka_run_group_tests_name("pbf", tests, NULL, NULL);
}
