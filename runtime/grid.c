/** @file grid.c  How large a program's own kernel should be (Groute section 4.5, KernelSizing).
 *
 * Blocks are dealt out over the multiprocessors in turn, and stay where they are: a grid that is a little
 * smaller than the device leaves a little room everywhere and enough of it nowhere. So the grid is chosen
 * by what it leaves: on an eighth of the multiprocessors, and on one for each receiver, as many of its
 * blocks are missing as one block of a copy by kernel (cuda/push.cu) has threads; that much is enough for
 * any copy to start, and a copy needs no more than that to end. */
#include "runtime/backend.h"

#define COPY_THREADS 512u
#define SPARE_PART   8u

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

/* Blocks that fit the whole device with room left for the receivers. */
static uint64_t blocks_beside(uint32_t units, uint32_t per_unit, uint32_t threads,
                              uint32_t receivers)
{
    uint32_t gap = ceil_div(COPY_THREADS, threads);
    uint32_t spare = ceil_div(units, SPARE_PART);
    if (spare < receivers)
        spare = receivers < units ? receivers : units;
    uint32_t least =
        per_unit > gap ? per_unit - gap : 0; /* on spare units; the others have one more */
    return (uint64_t)units * least + (units - spare);
}

weir_status weir_grid_for(const weir_device *device, uint64_t items, uint32_t threads,
                          uint32_t blocks_per_unit, uint32_t receivers, weir_grid *grid_out)
{
    uint64_t blocks, needed;
    if (!device || !grid_out)
        return weir__missing("weir_grid_for", device ? "grid_out" : "device");
    const weir_device_info *info = &device->info;
    *grid_out = (weir_grid){0, 0};
    if (threads == 0 || threads > 1024 || threads % 32)
        return weir__fail(WEIR_ERR_INVALID,
                          "%u threads a block: choose a multiple of 32 from 32 to 1024", threads);
    if (info->kind == WEIR_DEVICE_HOST) {
        threads = 1;
        blocks = info->units;
    } else {
        /* A worker is a warp, and half of the warps that fit are workers (cuda/cuda.c). */
        uint32_t fit = 2 * info->workers / info->units * info->lanes / threads;
        uint32_t per_unit = blocks_per_unit && blocks_per_unit < fit ? blocks_per_unit : fit;
        blocks = receivers ? blocks_beside(info->units, per_unit, threads, receivers)
                           : (uint64_t)info->units * per_unit;
    }
    needed = items / threads + (items % threads != 0);
    if (blocks > needed)
        blocks = needed;
    *grid_out = (weir_grid){blocks ? (uint32_t)blocks : 1, threads};
    return WEIR_OK;
}
