/** @file copy.c  Copies by size: copy engine against kernel, one direction and both at once.
 *
 * Small messages are sent back to back, up to REPEATS of them, so that the figure is that of a
 * stream of messages; the large ones are sent once. */
#include "topology/measure/schedule.h"

#define SIZE_LEAST 4096u
#define REPEATS    64u

/* A row for messages of one size between two devices. */
static weir_status measure(struct bench *bench, uint32_t from, uint32_t to, enum way way, int both,
                           uint64_t size)
{
    uint64_t repeats = bench->config.bytes / size;
    struct schedule schedule;
    struct lane lane[2];
    repeats = repeats < 1 ? 1 : repeats > REPEATS ? REPEATS : repeats;
    weir__schedule_init(&schedule, bench);
    for (uint32_t i = 0; i < (both ? 2u : 1u); i++) {
        uint32_t s = i ? to : from, d = i ? from : to;
        char *source = weir__schedule_source(&schedule, s, size * repeats, i);
        char *target = weir__schedule_target(&schedule, d, size * repeats, i);
        weir__lane_init(&lane[i], bench, s, d, way, size, 2);
        weir__lane_message(&schedule, &lane[i], target, source, size * repeats, size);
        schedule.bytes += (double)(size * repeats);
    }
    weir_bench_row row =
        weir__row_make(bench, from, to, (double)size, "%s%s%s", weir__way_text[way],
                       both ? ", both directions" : "", lane[0].staged ? ", staged" : "");
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    return status;
}

static weir_status measure_sizes(struct bench *bench, uint32_t from, uint32_t to, enum way way,
                                 int both)
{
    weir_status status = WEIR_OK;
    for (uint64_t size = SIZE_LEAST; size < bench->config.bytes && !status; size *= 4)
        status = measure(bench, from, to, way, both, size);
    return status ? status : measure(bench, from, to, way, both, bench->config.bytes);
}

weir_status weir__bench_copy(struct bench *bench)
{
    uint32_t home = bench->devices, other = bench->devices > 1 ? 1 : 0;
    const uint32_t ends[][2] = {{0, other}, {home, 0}, {0, home}};
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "message bytes",
                         "copies by size, from the device or host named to the other; both "
                         "directions: the sum of the two");
    for (int i = 0; i < 3 && !status; i++)
        for (int way = 0; way < WAYS && !status; way++)
            status = measure_sizes(bench, ends[i][0], ends[i][1], (enum way)way, 0);
    for (int i = 0; i < 2 && !status; i++)
        for (int way = 0; way < WAYS && !status; way++)
            if (ends[i][0] != ends[i][1])
                status = measure_sizes(bench, ends[i][0], ends[i][1], (enum way)way, 1);
    return status;
}
