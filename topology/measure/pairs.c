/** @file pairs.c  Every ordered pair of devices, and each with home memory: one large copy. */
#include "topology/measure/list.h"
#include "topology/measure/schedule.h"

static weir_status measure(struct bench *bench, uint32_t from, uint32_t to, enum way way)
{
    uint64_t bytes = bench->config.bytes;
    struct schedule schedule;
    struct carrier carrier;
    weir__schedule_init(&schedule, bench);
    char *source = weir__schedule_source(&schedule, from, bytes, 0);
    char *target = weir__schedule_target(&schedule, to, bytes, 0);
    weir__carrier_init(&carrier, bench, from, to, way, bytes, 1);
    weir__carrier_message(&schedule, &carrier, target, source, bytes, 0);
    schedule.bytes = (double)bytes;
    weir_bench_row row = weir__row_make(bench, from, to, 0, "%s%s", weir__way_text[way],
                                        carrier.staged ? ", staged" : "");
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    return status;
}

weir_status weir__bench_pairs(struct bench *bench)
{
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "",
                         "one copy of %llu bytes alone, from each device to each other, and from "
                         "and to the host (home)",
                         (unsigned long long)bench->config.bytes);
    for (int way = 0; way < WAYS && !status; way++)
        for (uint32_t from = 0; from <= bench->devices && !status; from++)
            for (uint32_t to = 0; to <= bench->devices && !status; to++)
                if (from != to)
                    status = measure(bench, from, to, (enum way)way);
    return status;
}
