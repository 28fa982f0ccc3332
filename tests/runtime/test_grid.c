/** @file test_grid.c  Sizes of a program's own kernels, on GPUs that are only described. */
#include "tests/lib/support.h"

#include "runtime/backend.h"

#include <stdio.h>
#include <string.h>

/* A multiprocessor holds 2048 threads, as on the GPUs that weir is built for. */
#define FIT 2048u

static weir_device gpu(uint32_t units)
{
    weir_device device;
    memset(&device, 0, sizeof device);
    device.info.kind = WEIR_DEVICE_CUDA;
    device.info.units = units;
    device.info.workers = units * FIT / 64;
    device.info.lanes = 32;
    return device;
}

static uint32_t blocks_for(const weir_device *device, uint64_t items, uint32_t threads,
                           uint32_t blocks_per_unit, uint32_t receivers)
{
    weir_grid grid = {0, 0};
    OK(weir_grid_for(device, items, threads, blocks_per_unit, receivers, &grid));
    assert_int_equal(grid.threads, threads);
    return grid.blocks;
}

static void alone_it_fills_the_device(void **state)
{
    weir_device device = gpu(132);
    (void)state;
    assert_int_equal(blocks_for(&device, UINT64_MAX, 256, 0, 0), 132 * 8);
    assert_int_equal(blocks_for(&device, UINT64_MAX, 1024, 0, 0), 132 * 2);
    assert_int_equal(blocks_for(&device, UINT64_MAX, 32, 0, 0), 132 * 64);
    assert_int_equal(blocks_for(&device, UINT64_MAX, 256, 3, 0), 132 * 3);
    assert_int_equal(blocks_for(&device, UINT64_MAX, 256, 99, 0), 132 * 8);
}

static void never_more_blocks_than_items_need(void **state)
{
    weir_device device = gpu(132);
    (void)state;
    assert_int_equal(blocks_for(&device, 0, 256, 0, 0), 1); /* none cannot be launched */
    assert_int_equal(blocks_for(&device, 1, 256, 0, 0), 1);
    assert_int_equal(blocks_for(&device, 256, 256, 0, 3), 1);
    assert_int_equal(blocks_for(&device, 257, 256, 0, 3), 2);
    assert_int_equal(blocks_for(&device, 256 * 100, 256, 0, 0), 100);
}

/* Deal the blocks out over the multiprocessors and count those on which a copy's block still fits:
 * its threads, or what of the kernel's own blocks holds so many. */
static uint32_t with_room(uint32_t units, uint32_t blocks, uint32_t threads, uint32_t per_unit)
{
    uint32_t room = 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        uint32_t here = blocks / units + (unit < blocks % units);
        room += here == 0 || (per_unit - here) * threads >= 512;
    }
    return room;
}

static void receivers_find_room_beside_it(void **state)
{
    static const uint32_t units[] = {1, 8, 84, 132};
    (void)state;
    for (size_t u = 0; u < 4; u++)
        for (uint32_t threads = 32; threads <= 1024; threads += 32)
            for (uint32_t receivers = 1; receivers <= 200; receivers += 7) {
                weir_device device = gpu(units[u]);
                uint32_t per_unit = FIT / threads, wanted = (units[u] + 7) / 8;
                uint32_t blocks = blocks_for(&device, UINT64_MAX, threads, 0, receivers);
                wanted = receivers > wanted ? receivers : wanted;
                wanted = wanted > units[u] ? units[u] : wanted;
                assert_true(with_room(units[u], blocks, threads, per_unit) >= wanted);
                /* and no more is left than asked for: one block more would be too many */
                assert_true(with_room(units[u], blocks + 1, threads, per_unit) < wanted);
            }
}

static void a_kernel_that_fits_once_leaves_whole_multiprocessors(void **state)
{
    weir_device device = gpu(132), tiny = gpu(1);
    (void)state;
    assert_int_equal(blocks_for(&device, UINT64_MAX, 512, 1, 1), 132 - 17);
    assert_int_equal(blocks_for(&device, UINT64_MAX, 512, 1, 40), 132 - 40);
    assert_int_equal(blocks_for(&device, UINT64_MAX, 512, 1, 500), 1);
    assert_int_equal(blocks_for(&tiny, UINT64_MAX, 512, 1, 1), 1);
}

static void threads_that_no_block_has_are_refused(void **state)
{
    static const uint32_t wrong[] = {0, 1, 31, 33, 100, 1000, 1025, 1056, 2048, UINT32_MAX};
    weir_device device = gpu(132);
    char sentence[100];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weir_grid grid = {5, 5};
        STATUS(weir_grid_for(&device, 100, wrong[i], 0, 0, &grid), WEIR_ERR_INVALID);
        snprintf(sentence, sizeof sentence,
                 "%u threads a block: choose a multiple of 32 from 32 to 1024", wrong[i]);
        assert_detail(sentence);
        assert_int_equal(grid.blocks, 0);
        assert_int_equal(grid.threads, 0);
    }
}

static void a_host_device_has_its_threads(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_grid grid;
        weir_device_info_get(device, &info);
        OK(weir_grid_for(device, 1 << 20, 128, 0, 2, &grid));
        assert_true(grid.blocks >= 1);
        assert_int_equal(grid.threads, info.kind == WEIR_DEVICE_HOST ? 1 : 128);
        if (info.kind == WEIR_DEVICE_HOST)
            assert_int_equal(grid.blocks, info.units);
        OK(weir_grid_for(device, 1, 128, 0, 2, &grid));
        assert_int_equal(grid.blocks, 1);
    }
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_fills_the_device),
        cmocka_unit_test(never_more_blocks_than_items_need),
        cmocka_unit_test(receivers_find_room_beside_it),
        cmocka_unit_test(a_kernel_that_fits_once_leaves_whole_multiprocessors),
        cmocka_unit_test(threads_that_no_block_has_are_refused),
        ON_EACH_BACKEND(a_host_device_has_its_threads),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
