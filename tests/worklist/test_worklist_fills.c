/** @file test_worklist_fills.c  Memory that runs fill before their first item, whatever the last one left there. */
#include "tests/lib/live.h"
#include "tests/worklist/worklist_fixture.h"
#include "runtime/internal.h"

#include <stdlib.h>

#define ON_EACH_SPEC_AND_FOUR(f) ON_EACH_SPEC(f), ON(f, "host:4")

static const weir_kernel_kind kernels[] = {WEIR_KERNEL_DISCRETE, WEIR_KERNEL_FUSED,
                                           WEIR_KERNEL_LIVE};

/* Kernels stay where all devices are of one kind. */
static size_t kernels_on(const char *spec)
{
    return strchr(spec, ',') ? 1 : live_runs_on(spec) ? 3 : 2;
}

static struct tree_setup filling(const char *spec, weir_kernel_kind kernel, int merging)
{
    struct tree_setup setup = tree_plain(spec);
    setup.merging = merging;
    setup.fills = 1;
    setup.min.keys = 3001; /* not a multiple of what a lane stores */
    setup.config.kernel = kernel;
    return setup;
}

/* The host walks the same tree. A device that took an item before its record was filled has lost it, and one that did not fill
 * it has what the last run left. */
static void records_are_filled_before_the_first_item(void **state)
{
    for (size_t k = 0; k < kernels_on(*state); k++) {
        struct tree_setup setup = filling(*state, kernels[k], 0);
        struct tree_world world;
        tree_open(&world, &setup);
        for (uint32_t run = 1; run <= 5; run++)
            tree_run(&world, &setup, 100 * run, run == 4 ? 0 : 40 / run);
        tree_world_close(&world);
    }
}

/* Distances begin as 0, so that none would be news. */
static void distances_are_filled_before_the_first_item(void **state)
{
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT, WEIR_ORDER_BULK};
    for (size_t i = 0; i < 3 * kernels_on(*state); i++) {
        struct tree_setup setup = filling(*state, kernels[i / 3], 1);
        struct tree_world world;
        setup.config.order = orders[i % 3];
        if (kernels[i / 3] == WEIR_KERNEL_LIVE && orders[i % 3] != WEIR_ORDER_FIFO)
            continue;
        tree_open(&world, &setup);
        for (uint32_t run = 1; run <= 4; run++) {
            weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
            assert_int_equal(tree_world_seed_keys(&world, 60 / run), WEIR_OK);
            assert_int_equal(weir_worklist_run(world.list, &stats), WEIR_OK);
            const char *wrong = tree_world_check_keys(&world, 60 / run, &stats);
            if (wrong)
                fail_msg("%s, run %u: %s", tree_describe(&setup), run, wrong);
        }
        tree_world_close(&world);
    }
}

/* Not a byte less and not a byte more, for several pieces of one worker; the list is not looked at again. */
#define PIECES 7
#define GUARD  64

static void every_byte_is_filled_and_no_other(void **state)
{
    static const size_t bytes[PIECES] = {0, 1, 15, 16, 17, 5000, 70001};
    for (size_t k = 0; k < kernels_on(*state); k++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        weir_worklist *list;
        weir_worklist_fill fill[PIECES];
        weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
        unsigned char have[70001 + GUARD];
        tree_open(&world, &setup);
        const uint32_t last = world.devices - 1;
        weir_device *device = weir_context_device(world.context, last);
        for (uint32_t i = 0; i < PIECES; i++) {
            fill[i] = (weir_worklist_fill){.worker = last, .value = 0x30 + i, .bytes = bytes[i]};
            assert_int_equal(weir_device_alloc(device, bytes[i] + GUARD, &fill[i].data), WEIR_OK);
        }
        config.kernel = kernels[k];
        config.fills = fill;
        config.fill_count = PIECES;
        void *data[PIECES];
        for (uint32_t i = 0; i < PIECES; i++)
            data[i] = fill[i].data;
        assert_int_equal(weir_worklist_create(world.source, world.worker, world.devices,
                                              &weir__tree_operator, &config, &list),
                         WEIR_OK);
        memset(fill, 0xEE, sizeof fill);
        for (uint32_t d = 0; d < world.devices; d++)
            assert_int_equal(weir_worklist_bind(list, d, &world.tree[d]), WEIR_OK);
        for (int run = 0; run < 3; run++) {
            memset(have, 0xA0 + run, sizeof have);
            for (uint32_t i = 0; i < PIECES; i++)
                assert_int_equal(weir__upload(device, data[i], have, bytes[i] + GUARD), WEIR_OK);
            assert_int_equal(weir_worklist_run(list, NULL), WEIR_OK);
            for (uint32_t i = 0; i < PIECES; i++) {
                assert_int_equal(weir__download(device, have, data[i], bytes[i] + GUARD), WEIR_OK);
                for (size_t b = 0; b < bytes[i] + GUARD; b++)
                    assert_int_equal(have[b], b < bytes[i] ? 0x30 + i : 0xA0u + (unsigned)run);
                memset(have, 0xA0 + run, sizeof have);
            }
        }
        weir_worklist_destroy(list);
        for (uint32_t i = 0; i < PIECES; i++)
            weir_device_free(device, data[i]);
        tree_world_close(&world);
    }
}

/* The time of the fill is told apart: it is no part of that of the kernels. */
static void the_time_of_a_fill_is_told_apart(void **state)
{
    const size_t bytes = (size_t)64 << 20;
    struct tree_setup setup = tree_plain(*state);
    struct tree_world world;
    weir_worklist_fill fill[WEIR_DEVICES_MAX];
    tree_open(&world, &setup);
    for (uint32_t d = 0; d < world.devices; d++) {
        fill[d] = (weir_worklist_fill){.worker = d, .value = 1, .bytes = bytes};
        assert_int_equal(
            weir_device_alloc(weir_context_device(world.context, d), bytes, &fill[d].data),
            WEIR_OK);
    }
    for (size_t k = 0; k < kernels_on(*state); k++) {
        weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
        weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
        weir_worklist *list;
        config.kernel = kernels[k];
        config.fills = fill;
        config.fill_count = world.devices;
        assert_int_equal(weir_worklist_create(world.source, world.worker, world.devices,
                                              &weir__tree_operator, &config, &list),
                         WEIR_OK);
        for (uint32_t d = 0; d < world.devices; d++)
            assert_int_equal(weir_worklist_bind(list, d, &world.tree[d]), WEIR_OK);
        const uint64_t begin = weir_context_time_ns(world.context);
        assert_int_equal(weir_worklist_run(list, &stats), WEIR_OK);
        const double all = (double)(weir_context_time_ns(world.context) - begin) / 1e6;
        if (kernels[k] == WEIR_KERNEL_DISCRETE)
            assert_true(stats.reset_ms == 0);
        else /* no device fills so much in a microsecond */
            assert_true(stats.reset_ms > 0.001);
        assert_true(stats.ms + stats.reset_ms <= all);
        weir_worklist_destroy(list);
    }
    for (uint32_t d = 0; d < world.devices; d++)
        weir_device_free(weir_context_device(world.context, d), fill[d].data);
    tree_world_close(&world);
}

static void assert_refused(struct tree_world *world, const weir_worklist_fill *fills, size_t count,
                           const char *says)
{
    weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
    weir_worklist *list;
    config.fills = fills;
    config.fill_count = count;
    assert_int_equal(weir_worklist_create(world->source, world->worker, world->devices,
                                          &weir__tree_operator, &config, &list),
                     WEIR_ERR_INVALID);
    assert_null(list);
    if (!strstr(weir_error_detail(), says))
        fail_msg("no '%s' in: %s", says, weir_error_detail());
}

static void what_cannot_be_filled_is_refused(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    struct tree_world world;
    tree_open(&world, &setup);
    const weir_worklist_fill good = {.worker = 0, .value = 1, .data = world.memory[0], .bytes = 1};
    weir_worklist_fill fill[2] = {good, good};
    fill[1].worker = world.devices;
    assert_refused(&world, fill, 2, "fill 1: worker");
    fill[1] = good;
    fill[1].value = 256;
    assert_refused(&world, fill, 2, "fill 1: the value 256 is no byte");
    fill[1] = good;
    fill[1].data = (char *)good.data + 8;
    assert_refused(&world, fill, 2, "fill 1: no memory aligned to 16 bytes");
    fill[1].data = NULL;
    assert_refused(&world, fill, 2, "fill 1: no memory aligned to 16 bytes");
    assert_refused(&world, NULL, 2, "2 fills, but no list of them");
    assert_refused(&world, fill, 65537, "65537 fills: at most 65536");
    tree_world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC_AND_FOUR(records_are_filled_before_the_first_item),
        ON_EACH_SPEC_AND_FOUR(distances_are_filled_before_the_first_item),
        ON_EACH_SPEC_AND_FOUR(every_byte_is_filled_and_no_other),
        ON(the_time_of_a_fill_is_told_apart, "host:1"),
        ON(the_time_of_a_fill_is_told_apart, "host:3"),
        ON(the_time_of_a_fill_is_told_apart, "cuda:0"),
        ON(the_time_of_a_fill_is_told_apart, "cuda:0-1"),
        ON(what_cannot_be_filled_is_refused, "host:2"),
    };
    return cmocka_run_group_tests_name("memory that runs fill", tests, NULL, NULL);
}
