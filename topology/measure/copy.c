/** @file copy.c  Copies by size: copy engine against kernel, one direction and both at once.
 *
 * Small messages are sent back to back, up to REPEATS of them or as many as a held queue takes, so
 * that the figure is that of a stream of messages, in which the frame of the region and the first
 * message's way are a small part; the large ones are sent once. */
#include "topology/measure/list.h"
#include "topology/measure/schedule.h"

#define SIZE_LEAST 4096u
#define REPEATS    384u

struct stream {
    uint32_t from, to;
    enum way way;
    int both;
    uint64_t size, repeats;
};

/* @return whether they are staged. */
static int build(struct schedule *schedule, struct bench *bench, const struct stream *stream)
{
    uint64_t bytes = stream->size * stream->repeats;
    struct carrier carrier;
    weir__schedule_init(schedule, bench);
    for (uint32_t i = 0; i < (stream->both ? 2u : 1u); i++) {
        uint32_t s = i ? stream->to : stream->from, d = i ? stream->from : stream->to;
        char *source = weir__schedule_source(schedule, s, bytes, i);
        char *target = weir__schedule_target(schedule, d, bytes, i);
        weir__carrier_init(&carrier, bench, s, d, stream->way, stream->size, 2);
        weir__carrier_message(schedule, &carrier, target, source, bytes, stream->size);
        schedule->bytes += (double)bytes;
    }
    return carrier.staged;
}

/* A row for messages of one size between two devices. */
static weir_status measure(struct bench *bench, struct stream stream)
{
    struct schedule schedule;
    stream.repeats = bench->config.bytes / stream.size;
    stream.repeats = stream.repeats < 1 ? 1 : stream.repeats > REPEATS ? REPEATS : stream.repeats;
    int staged = build(&schedule, bench, &stream);
    while (!schedule.status && !weir__schedule_fits(&schedule) && stream.repeats > 1) {
        weir__schedule_free(&schedule);
        stream.repeats /= 2;
        staged = build(&schedule, bench, &stream);
    }
    weir_bench_row row = weir__row_make(
        bench, stream.from, stream.to, (double)stream.size, "%s%s%s", weir__way_text[stream.way],
        stream.both ? ", both directions" : "", staged ? ", staged" : "");
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    return status;
}

static weir_status measure_sizes(struct bench *bench, uint32_t from, uint32_t to, enum way way,
                                 int both)
{
    weir_status status = WEIR_OK;
    struct stream stream = {.from = from, .to = to, .way = way, .both = both, .size = SIZE_LEAST};
    for (; stream.size < bench->config.bytes && !status; stream.size *= 4)
        status = measure(bench, stream);
    stream.size = bench->config.bytes;
    return status ? status : measure(bench, stream);
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
