/** @file 18_halo_op.h  A heat stencil over strips that send each other their edge rows, in the common dialect.
 *
 * A strip belongs to one block of a GPU, or to one worker of a host device, for all steps. Nobody else writes or reads its
 * rows: what its neighbours need of them goes over channels. */
#ifndef WEIR_EXAMPLES_18_HALO_OP_H
#define WEIR_EXAMPLES_18_HALO_OP_H

#include <weir/router/channel.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HALO_WIDTH = 1024, HALO_ROW_BYTES = HALO_WIDTH * 4, HALO_THREADS = 256 };
enum { HALO_ABOVE, HALO_BELOW, HALO_SIDES };

/* What leads to the strips on one side, and what comes from there. */
struct halo_side {
    weir_channel_tx out;
    weir_channel_rx in;
};

struct halo_args {
    float *plate[2];       /* row 0 of the device; step t reads plate[t % 2] and writes the other */
    uint32_t rows, strips; /* of the device */
    uint32_t steps;
    uint32_t ends[HALO_SIDES]; /* the plate ends there: a row lies beyond, which keeps its heat */
    struct halo_side inner[HALO_SIDES]; /* strips s and s + 1 of the device: ring s */
    struct halo_side
        outer[HALO_SIDES]; /* its first and last strip, and the neighbouring devices: ring 0 */
};

/* The CUDA form of the kernel (18_halo.cu); returns a cudaError_t. */
int halo_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif

/* A strip's ends of the rings to and from the strip on one side. */
struct halo_neighbour {
    int there;
    weir_channel_sender out;
    weir_channel_receiver in;
};

WEIR_DEV void halo_open(const struct halo_args *a, uint32_t strip, int side,
                        struct halo_neighbour *neighbour)
{
    const int inner = side == HALO_ABOVE ? strip > 0 : strip + 1 < a->strips;
    const struct halo_side *through = inner ? &a->inner[side] : &a->outer[side];
    const uint32_t ring = !inner ? 0 : side == HALO_ABOVE ? strip - 1 : strip;
    neighbour->there = inner || !a->ends[side];
    if (!neighbour->there)
        return;
    neighbour->out = weir_channel_sender_open(&through->out, ring);
    neighbour->in = weir_channel_receiver_open(&through->in, ring);
}

/* Send an edge row of the strip. @return enum weir_channel_result; where the plate ends there is nobody to send to. */
WEIR_DEV int halo_put(struct halo_neighbour *to, const float *edge)
{
    return to->there ? weir_channel_put(&to->out, WEIR_BY_BLOCK, edge, HALO_ROW_BYTES)
                     : WEIR_CHANNEL_DONE;
}

/* Wait for the row of a neighbour. @param[in,out] beyond  the row beyond the strip: the one in the packet, if there is one. */
WEIR_DEV int halo_take(struct halo_neighbour *from, const float **beyond)
{
    const void *row;
    uint32_t bytes;
    if (!from->there)
        return WEIR_CHANNEL_DONE;
    const int result = weir_channel_take(&from->in, WEIR_BY_BLOCK, &row, &bytes);
    if (result == WEIR_CHANNEL_DONE)
        *beyond = (const float *)row;
    return result;
}

WEIR_DEV void halo_release(struct halo_neighbour *from)
{
    if (from->there)
        weir_channel_release(&from->in, WEIR_BY_BLOCK);
}

/* Every cell becomes the mean of itself and the four around it; the columns on the left and on the right keep their heat. */
WEIR_DEV void halo_spread(const float *now, float *next, uint32_t rows, const float *before,
                          const float *behind)
{
    for (uint32_t row = 0; row < rows; row++) {
        const float *here = now + (uint64_t)row * HALO_WIDTH;
        const float *above = row > 0 ? here - HALO_WIDTH : before;
        const float *below = row + 1 < rows ? here + HALO_WIDTH : behind;
        float *to = next + (uint64_t)row * HALO_WIDTH;
        for (uint32_t x = 1 + weir_thread(); x < HALO_WIDTH - 1; x += weir_threads())
            to[x] = 0.2f * (here[x] + here[x - 1] + here[x + 1] + above[x] + below[x]);
    }
}

/* All threads of a block. Both edge rows go out before either neighbour's is waited for: if all waited first, nobody would
 * send. */
WEIR_DEV void halo_op(const struct halo_args *a, uint32_t strip)
{
    const uint32_t first = (uint32_t)((uint64_t)a->rows * strip / a->strips);
    const uint32_t rows = (uint32_t)((uint64_t)a->rows * (strip + 1) / a->strips) - first;
    struct halo_neighbour above, below;
    halo_open(a, strip, HALO_ABOVE, &above);
    halo_open(a, strip, HALO_BELOW, &below);
    for (uint32_t t = 0; t < a->steps; t++) {
        const float *now = a->plate[t % 2] + (uint64_t)first * HALO_WIDTH;
        const float *last = now + (uint64_t)(rows - 1) * HALO_WIDTH;
        const float *before = now - HALO_WIDTH, *behind = last + HALO_WIDTH;
        if (halo_put(&above, now) != WEIR_CHANNEL_DONE ||
            halo_put(&below, last) != WEIR_CHANNEL_DONE ||
            halo_take(&above, &before) != WEIR_CHANNEL_DONE ||
            halo_take(&below, &behind) != WEIR_CHANNEL_DONE)
            return; /* a device failed, and all waits end */
        halo_spread(now, a->plate[(t + 1) % 2] + (uint64_t)first * HALO_WIDTH, rows, before,
                    behind);
        halo_release(&above);
        halo_release(&below);
        weir_block_sync(); /* the next step reads what other threads wrote */
    }
}

#endif
