/** @file 18_halo.c  Heat spreads over a plate, and one launch a device does all of the steps.
 *
 *     device 0   strip 0     Each strip of rows is a block's, or a host worker's. In every step it puts its
 *                 |   ^      edge rows into the channels to the strips above and below, takes theirs, and
 *                strip 1     computes. Between strips of one device stands a channel that leads from the
 *                 |   ^      device to itself, with a ring for each pair; between devices one of one ring.
 *     device 1   strip 2     No host and no launch comes in between; 07_heat_stencil.c is the same over links.
 *                   :
 *
 *     build/examples/18_halo [DEVICES]      "host:3" if left out; "cuda", or "host:1x4" for four strips of one device
 *
 * What a strip does is in 18_halo_op.h, once for host devices and GPUs; 18_halo.cu is its CUDA form. The
 * result must be that of a serial computation, bit for bit. docs/router.md, section 18, walks through it. */
#include "examples/18_halo_op.h"
#include "examples/example.h"

#include <string.h>

enum { HEIGHT = 384, STEPS = 200, STRIPS_MAX = 32 };

static void halo_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct halo_args *a = args;
    (void)workers; /* as many as there are strips, or more */
    if (worker < a->strips)
        halo_op(a, worker);
}

#if WEIR_CUDA
static const weir_kernel kernel = {.name = "halo", .host = halo_host, .cuda = halo_cuda};
#else
static const weir_kernel kernel = {.name = "halo", .host = halo_host};
#endif

/* A device's rows of the plate. Channels are those that lead up and down from here. */
struct band {
    weir_device *device;
    weir_queue *queue;
    weir_stamp *start, *stop;
    uint32_t first, rows, strips;
    float *memory[2]; /* a plate each, with a row before it and one behind */
    weir_channel *inner[HALO_SIDES], *outer[HALO_SIDES];
};

/* All strips run at the same time, so there are no more than a device runs: a block for each multiprocessor, a worker for
 * each thread. */
static uint32_t strips_of(const weir_device *device, uint32_t rows)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    uint32_t strips = info.units < STRIPS_MAX ? info.units : STRIPS_MAX;
    return strips < rows ? strips : rows;
}

static void open_channels(struct band *band, weir_device *const *next)
{
    weir_channel_config config = WEIR_CHANNEL_CONFIG_INIT;
    config.packet_bytes = HALO_ROW_BYTES;
    config.slots = 2; /* a neighbour is at most one step ahead */
    for (int side = 0; side < HALO_SIDES; side++) {
        config.rings = 1;
        if (next[side])
            TRY(weir_channel_create(band->device, next[side], &config, &band->outer[side]));
        config.rings = band->strips - 1;
        if (band->strips > 1)
            TRY(weir_channel_create(band->device, band->device, &config, &band->inner[side]));
    }
}

/* Both plates start as the whole one is there. */
static void open_band(struct band *band, weir_context *context, uint32_t i, const float *whole)
{
    const uint32_t count = weir_context_device_count(context);
    weir_device *next[HALO_SIDES] = {i > 0 ? weir_context_device(context, i - 1) : NULL,
                                     i + 1 < count ? weir_context_device(context, i + 1) : NULL};
    memset(band, 0, sizeof *band);
    band->device = weir_context_device(context, i);
    band->first = HEIGHT * i / count;
    band->rows = HEIGHT * (i + 1) / count - band->first;
    band->strips = strips_of(band->device, band->rows);
    const size_t bytes = (size_t)(band->rows + 2) * HALO_ROW_BYTES;
    TRY(weir_queue_create(band->device, 0, &band->queue));
    TRY(weir_stamp_create(band->device, &band->start));
    TRY(weir_stamp_create(band->device, &band->stop));
    for (int p = 0; p < 2; p++) {
        band->memory[p] = alloc_on(band->device, bytes);
        TRY(weir_queue_copy(band->queue, band->device, band->memory[p], weir_context_home(context),
                            whole + (size_t)band->first * HALO_WIDTH, bytes));
    }
    open_channels(band, next);
}

/* A strip sends down by its own device's channel, and receives from above by that of the device above. */
static struct halo_args args_of(const struct band *band, const struct band *above,
                                const struct band *below, uint32_t steps)
{
    struct halo_args args = {.plate = {band->memory[0] + HALO_WIDTH, band->memory[1] + HALO_WIDTH},
                             .rows = band->rows,
                             .strips = band->strips,
                             .steps = steps,
                             .ends = {!above, !below}};
    const weir_channel *from[] = {above ? above->outer[HALO_BELOW] : NULL,
                                  below ? below->outer[HALO_ABOVE] : NULL};
    for (int side = 0; side < HALO_SIDES; side++) {
        args.inner[side].out = weir_channel_tx_of(band->inner[side]);
        args.inner[side].in = weir_channel_rx_of(band->inner[!side]);
        args.outer[side].out = weir_channel_tx_of(band->outer[side]);
        args.outer[side].in = weir_channel_rx_of(from[side]);
    }
    return args;
}

/* One launch on every device. @return the longest, ms. */
static double run(struct band *bands, uint32_t count, uint32_t steps)
{
    double longest = 0, ms;
    for (uint32_t i = 0; i < count; i++) {
        const struct band *above = i > 0 ? &bands[i - 1] : NULL;
        const struct band *below = i + 1 < count ? &bands[i + 1] : NULL;
        struct halo_args args = args_of(&bands[i], above, below, steps);
        TRY(weir_queue_stamp(bands[i].queue, bands[i].start));
        TRY(weir_queue_launch(bands[i].queue, &kernel, &args, sizeof args));
        TRY(weir_queue_stamp(bands[i].queue, bands[i].stop));
    }
    for (uint32_t i = 0; i < count; i++) {
        TRY(weir_queue_sync(bands[i].queue));
        TRY(weir_stamp_elapsed(bands[i].start, bands[i].stop, &ms));
        longest = ms > longest ? ms : longest;
    }
    return longest;
}

/* Its rows go where they belong in the whole plate. */
static void close_band(struct band *band, weir_device *home, float *whole)
{
    TRY(weir_queue_copy(band->queue, home, whole + (size_t)(band->first + 1) * HALO_WIDTH,
                        band->device, band->memory[STEPS % 2] + HALO_WIDTH,
                        (size_t)band->rows * HALO_ROW_BYTES));
    TRY(weir_queue_sync(band->queue));
    for (int i = 0; i < 2; i++) {
        weir_channel_destroy(band->inner[i]);
        weir_channel_destroy(band->outer[i]);
        weir_device_free(band->device, band->memory[i]);
    }
    weir_stamp_destroy(band->start);
    weir_stamp_destroy(band->stop);
    weir_queue_destroy(band->queue);
}

/* The same steps of the whole plate by one thread, which adds in the same order. @return cells of `whole` that differ. */
static size_t differences(float *const *serial, const float *whole)
{
    size_t different = 0;
    for (int t = 0; t < STEPS; t++) {
        const float *now = serial[t % 2] + HALO_WIDTH;
        halo_spread(now, serial[(t + 1) % 2] + HALO_WIDTH, HEIGHT, now - HALO_WIDTH,
                    now + HEIGHT * HALO_WIDTH);
    }
    for (int i = 0; i < (HEIGHT + 2) * HALO_WIDTH; i++)
        different += memcmp(&whole[i], &serial[STEPS % 2][i], sizeof *whole) != 0;
    return different;
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:3");
    weir_device *home = weir_context_home(context);
    const uint32_t count = weir_context_device_count(context);
    const size_t bytes = (HEIGHT + 2) * (size_t)HALO_ROW_BYTES;
    struct band bands[WEIR_DEVICES_MAX];
    uint32_t strips = 0;

    float *whole = alloc_on(home, bytes);
    float *serial[] = {alloc_on(home, bytes), alloc_on(home, bytes)};
    for (int i = 0; i < (HEIGHT + 2) * HALO_WIDTH; i++)
        whole[i] = (float)(i * 7919u % 1000);
    memcpy(serial[0], whole, bytes);
    memcpy(serial[1], whole, bytes);

    for (uint32_t i = 0; i < count; i++) {
        open_band(&bands[i], context, i, whole);
        strips += bands[i].strips;
    }
    /* No step: a kernel's first launch may wait for what runs on any device, and in the next run that waits for it. */
    run(bands, count, 0);
    double ms = run(bands, count, STEPS);
    for (uint32_t i = 0; i < count; i++)
        close_band(&bands[i], home, whole);
    size_t different = differences(serial, whole);
    printf("%d steps of %d x %d cells in %u strips on %u devices: %.2f us a step; %zu cells differ "
           "from the serial "
           "result\n",
           STEPS, HALO_WIDTH, HEIGHT, strips, count, ms * 1e3 / STEPS, different);

    weir_device_free(home, whole);
    weir_device_free(home, serial[0]);
    weir_device_free(home, serial[1]);
    weir_context_destroy(context);
    return different == 0 ? RIGHT : WRONG;
}
