/** @file links.c  One link against a bare copy of the same bytes, in the same run.
 *
 * Messages are sent back to back, as the copies they are compared with are: the figure is that of a
 * stream, in which the start and the last message's way are a small part. *Alone* is one message, start
 * and way and all; a copy that is *awaited* has the receiver's queue wait for it, as it waits for a
 * message. All with the queues held until everything is in them, so that the devices are measured; "as
 * the host sends" is the stream with nothing held. */
#include "router/measure/list.h"

static const uint64_t sizes[] = {4096,      16384,     65536,     262144,     1u << 20, 4u << 20,
                                 10u << 20, 16u << 20, 64u << 20, 256u << 20, 1u << 30};
#define SIZES (sizeof sizes / sizeof *sizes)

static const struct way_of_link {
    const char *series;
    weir_transport transport;
    uint32_t buffers;
    int alone, running, bare;
} ways[] = {{.series = "bare copy, alone, awaited", .alone = 1, .bare = 1},
            {.series = "link"},
            {.series = "link, into own memory", .buffers = WEIR_BUFFERS_NONE},
            {.series = "link, as the host sends", .running = 1},
            {.series = "link, alone", .alone = 1},
#define FORCED(id, word, help) {.series = "link, " #word, .transport = WEIR_TRANSPORT_##id},
            WEIR_TRANSPORT_MAP(FORCED)};
#define LINK_WAYS (sizeof ways / sizeof *ways)

/* The i-th message size of a run of `most` bytes; 0 behind the last, which is all of it. */
static uint64_t size_at(size_t i, uint64_t most)
{
    if (i && (i > SIZES || sizes[i - 1] >= most))
        return 0;
    return i < SIZES && sizes[i] < most ? sizes[i] : most;
}

static uint64_t repeats_of(const struct bench *bench, uint64_t size, int alone)
{
    uint64_t most = weir__packets_max(bench);
    uint64_t repeats = bench->config.bytes / size;
    return alone || !repeats ? 1 : repeats < most ? repeats : most;
}

/* ---- the bare copy -------------------------------------------------------------------------- */

static weir_status bare_row(struct bench *bench, const uint32_t ends[2], uint64_t size, int alone)
{
    uint64_t bytes = size * repeats_of(bench, size, alone);
    struct schedule schedule;
    struct carrier carrier;
    weir__schedule_init(&schedule, bench);
    char *source = weir__schedule_source(&schedule, ends[0], bytes, 0);
    char *target = weir__schedule_target(&schedule, ends[1], bytes, 0);
    weir__carrier_init(&carrier, bench, ends[0], ends[1], WAY_ENGINE, size, 2);
    weir__carrier_message(&schedule, &carrier, target, source, bytes, size);
    schedule.bytes = (double)bytes;
    weir_bench_row row = weir__row_make(bench, ends[0], ends[1], (double)size, "bare copy%s%s",
                                        alone ? ", alone" : "", carrier.staged ? ", staged" : "");
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    return status;
}

static weir_status bare_rows(struct bench *bench, const uint32_t ends[2])
{
    weir_status status = WEIR_OK;
    for (int alone = 0; alone < 2; alone++)
        for (size_t i = 0; size_at(i, bench->config.bytes) && !status; i++)
            status = bare_row(bench, ends, size_at(i, bench->config.bytes), alone);
    return status;
}

/* ---- the link ------------------------------------------------------------------------------- */

static weir_status link_rows(struct bench *bench, const uint32_t ends[2],
                             const struct way_of_link *way)
{
    const struct wire_shape shape = {
        .from = ends[0], .to = ends[1], .transport = way->transport, .buffers = way->buffers};
    struct wire wire;
    weir_status status = weir__wire_open(&wire, bench, &shape, bench->config.bytes);
    if (status == WEIR_ERR_UNSUPPORTED && way->transport != WEIR_TRANSPORT_AUTO)
        return WEIR_OK;
    for (size_t i = 0; !status && size_at(i, bench->config.bytes); i++) {
        wire.size = size_at(i, bench->config.bytes);
        wire.repeats = repeats_of(bench, wire.size, way->alone);
        wire.running = way->running;
        wire.bare = way->bare;
        weir_bench_row row =
            weir__row_make(bench, ends[0], ends[1], (double)wire.size, "%s", way->series);
        status = weir__wire_row(&wire, &row, weir__wire_gbs, &wire);
    }
    weir__wire_close(&wire);
    return status;
}

/* A simulated machine has no host that could be slow; one copy goes only where it reaches. */
static int makes_sense(const struct bench *bench, const uint32_t ends[2],
                       const struct way_of_link *way)
{
    if (way->bare)
        return weir_device_reaches(weir__bench_device(bench, ends[0]),
                                   weir__bench_device(bench, ends[1]));
    return !(way->running && bench->simulated);
}

static weir_status rows_between(struct bench *bench, const uint32_t ends[2])
{
    weir_status status = bare_rows(bench, ends);
    for (size_t i = 0; i < LINK_WAYS && !status; i++)
        if (makes_sense(bench, ends, &ways[i]))
            status = link_rows(bench, ends, &ways[i]);
    return status;
}

weir_status weir__bench_links(struct bench *bench)
{
    uint32_t home = bench->devices, other = bench->devices > 1 ? 1 : 0;
    const uint32_t ends[][2] = {{0, other}, {home, 0}, {0, home}, {0, 0}};
    size_t count = bench->devices > 1 ? 4 : 3;
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "message bytes",
                         "messages over one link of default packets and buffers, received by a "
                         "gated queue, against bare copies; back to back, or one alone");
    for (size_t i = 0; i < count && !status; i++)
        status = rows_between(bench, ends[i]);
    return status;
}
