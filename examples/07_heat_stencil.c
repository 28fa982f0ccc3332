/** @file 07_heat_stencil.c  Heat spreads over a plate that is cut into strips, one for each device.
 *
 *     strip 0      A step: each strip's first and last row go into the halo rows of its
 *      |   ^       neighbours, then every cell becomes the mean of itself and the four around it.
 *      v   |
 *     strip 1
 *      |   ^
 *      v   |
 *     strip 2
 *
 *     build/examples/07_heat_stencil [DEVICES]      "host:3" if left out; host devices alone
 *
 * Rows are received straight into the halos, and queues, not the host, wait for them: the host puts
 * in work two steps ahead and no step waits for all devices. The result must be that of a serial
 * computation, bit for bit. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <string.h>

enum { WIDTH = 257, HEIGHT = 190, STEPS = 100, ROW_BYTES = WIDTH * sizeof(float) };
enum { ABOVE, BELOW };

struct strip {
    weir_device *device;
    weir_endpoint *endpoint;
    weir_queue *queue;
    uint32_t rows;              /* its own; a halo row lies before them, one behind */
    float *plate[2];            /* step t reads plate[t % 2] and writes the other */
    weir_link *to[2], *from[2]; /* the neighbours; NULL at the edge of the plate */
    weir_future *sent[2][2];    /* by parity of the step and side; see settle() */
    weir_pending *halo[2][2];   /* the same */
};

struct step {
    const float *now;
    float *next;
    size_t rows;
};

/* Rows 1 to `rows`. What surrounds the plate keeps its heat: the rows before and behind, and the
 * columns on the left and on the right. */
static void spread(const void *args, uint32_t worker, uint32_t workers)
{
    const struct step *step = args;
    for (size_t row = 1 + worker; row <= step->rows; row += workers) {
        const float *now = step->now + row * WIDTH;
        float *next = step->next + row * WIDTH;
        for (int x = 1; x < WIDTH - 1; x++)
            next[x] = 0.2f * (now[x] + now[x - 1] + now[x + 1] + now[x - WIDTH] + now[x + WIDTH]);
    }
}

static const weir_kernel kernel = {.name = "spread", .host = spread};

/* Wait for what a step two steps ago left under way: its rows are rewritten now. */
static void settle(struct strip *strip, int parity)
{
    for (int side = ABOVE; side <= BELOW; side++) {
        weir_segment row;
        if (strip->sent[parity][side])
            TRY(weir_future_wait(strip->sent[parity][side], -1));
        weir_future_release(strip->sent[parity][side]);
        strip->sent[parity][side] = NULL;
        if (!strip->halo[parity][side])
            continue;
        TRY(weir_pending_wait(strip->halo[parity][side], -1, &row));
        TRY(weir_pending_release(strip->halo[parity][side], NULL));
        strip->halo[parity][side] = NULL;
    }
}

/* The rows in the halos of plate `p`, and the queue waits for them. They were read last by the step
 * before the last, which is over: settle() waited for what it sent. */
static void receive_halos(struct strip *strip, int p)
{
    float *row[] = {strip->plate[p], strip->plate[p] + (strip->rows + 1) * WIDTH};
    for (int side = ABOVE; side <= BELOW; side++) {
        if (!strip->from[side])
            continue;
        TRY(weir_link_receive_into(strip->from[side], row[side], ROW_BYTES, NULL,
                                   &strip->halo[p][side]));
        TRY(weir_pending_gate(strip->halo[p][side], strip->queue));
    }
}

/* Its outermost rows as this step leaves them, once it has run. */
static void send_rows(struct strip *strip, int p)
{
    float *row[] = {strip->plate[!p] + WIDTH, strip->plate[!p] + strip->rows * WIDTH};
    for (int side = ABOVE; side <= BELOW; side++) {
        weir_segment segment = {.device = strip->device, .data = row[side], .bytes = ROW_BYTES};
        if (strip->to[side])
            TRY(weir_link_send_from(strip->to[side], &segment, strip->queue,
                                    &strip->sent[p][side]));
    }
}

static void put_step(struct strip *strip, int t)
{
    int p = t % 2;
    struct step step = {strip->plate[p], strip->plate[!p], strip->rows};
    settle(strip, p);
    if (t > 0) /* the first step's halos came with the plate */
        receive_halos(strip, p);
    TRY(weir_queue_launch(strip->queue, &kernel, &step, sizeof step));
    if (t + 1 < STEPS)
        send_rows(strip, p);
}

/* Both plates start as the whole one is there, halos and edges included. */
static void open_strip(struct strip *strip, weir_context *context, uint32_t i, const float *whole)
{
    uint32_t count = weir_context_device_count(context);
    uint32_t first = HEIGHT * i / count, end = HEIGHT * (i + 1) / count;
    size_t bytes = (end - first + 2) * ROW_BYTES;
    memset(strip, 0, sizeof *strip);
    strip->device = weir_context_device(context, i);
    strip->rows = end - first;
    TRY(weir_endpoint_create(strip->device, "strip", &strip->endpoint));
    TRY(weir_queue_create(strip->device, 0, &strip->queue));
    for (int p = 0; p < 2; p++) {
        strip->plate[p] = alloc_on(strip->device, bytes);
        TRY(weir_queue_copy(strip->queue, strip->device, strip->plate[p],
                            weir_context_home(context), whole + first * WIDTH, bytes));
    }
    TRY(weir_queue_sync(strip->queue)); /* neighbours will write halos from queues of their own */
}

static void link_strips(struct strip *upper, struct strip *lower)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = ROW_BYTES;
    config.buffers = WEIR_BUFFERS_NONE;
    TRY(weir_link_create(upper->endpoint, lower->endpoint, &config, &upper->to[BELOW]));
    TRY(weir_link_create(lower->endpoint, upper->endpoint, &config, &lower->to[ABOVE]));
    lower->from[ABOVE] = upper->to[BELOW];
    upper->from[BELOW] = lower->to[ABOVE];
}

/* Its own rows go where they belong in the whole plate. */
static void close_strip(struct strip *strip, weir_device *home, float *rows)
{
    TRY(weir_queue_copy(strip->queue, home, rows, strip->device, strip->plate[STEPS % 2] + WIDTH,
                        strip->rows * ROW_BYTES));
    TRY(weir_queue_sync(strip->queue));
    weir_queue_destroy(strip->queue);
    for (int i = 0; i < 2; i++) {
        weir_link_destroy(strip->to[i]);
        weir_device_free(strip->device, strip->plate[i]);
    }
    weir_endpoint_destroy(strip->endpoint);
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:3");
    weir_device *home = weir_context_home(context);
    uint32_t count = weir_context_device_count(context);
    size_t bytes = (HEIGHT + 2) * ROW_BYTES, different = 0;
    struct strip strips[WEIR_DEVICES_MAX];

    need_host_devices(context);
    float *whole = alloc_on(home, bytes), *serial[] = {malloc(bytes), malloc(bytes)};
    if (!serial[0] || !serial[1])
        return WRONG;
    for (int i = 0; i < (HEIGHT + 2) * WIDTH; i++)
        whole[i] = (float)(i * 7919 % 1000);
    memcpy(serial[0], whole, bytes);
    memcpy(serial[1], whole, bytes);

    for (uint32_t i = 0; i < count; i++) {
        open_strip(&strips[i], context, i, whole);
        if (i > 0)
            link_strips(&strips[i - 1], &strips[i]);
    }
    for (int t = 0; t < STEPS; t++)
        for (uint32_t i = 0; i < count; i++)
            put_step(&strips[i], t);
    for (int p = 0; p < 2; p++)
        for (uint32_t i = 0; i < count; i++)
            settle(&strips[i], p);
    for (uint32_t i = 0; i < count; i++)
        close_strip(&strips[i], home, whole + (1 + HEIGHT * i / count) * WIDTH);

    for (int t = 0; t < STEPS; t++)
        spread(&(struct step){serial[t % 2], serial[!(t % 2)], HEIGHT}, 0, 1);
    for (int i = 0; i < (HEIGHT + 2) * WIDTH; i++)
        different += memcmp(&whole[i], &serial[STEPS % 2][i], sizeof *whole) != 0;
    printf("%d steps of %d x %d cells on %u devices: %zu cells differ from the serial result\n",
           STEPS, WIDTH, HEIGHT, count, different);

    free(serial[0]);
    free(serial[1]);
    weir_device_free(home, whole);
    weir_context_destroy(context);
    return different == 0 ? RIGHT : WRONG;
}
