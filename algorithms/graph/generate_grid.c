/** @file generate_grid.c  Grids with holes.
 *
 * The edge of vertex v to the right has the number 2v, the one below 2v+1; whether it stays is a
 * function of (seed, number), so each of its ends finds out by itself. */
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"

struct grid {
    uint64_t width, vertices, seed;
    double keep;
};

static int stays(const struct grid *g, uint64_t edge)
{
    return (double)(weir__random(g->seed, edge) >> 11) * 0x1p-53 < g->keep;
}

/* The neighbours of v, ascending. */
static uint32_t neighbours(const struct grid *g, uint64_t v, uint32_t out[4])
{
    uint64_t w = g->width, x = v % w;
    uint32_t count = 0;
    if (v >= w && stays(g, 2 * (v - w) + 1))
        out[count++] = (uint32_t)(v - w);
    if (x > 0 && stays(g, 2 * (v - 1)))
        out[count++] = (uint32_t)(v - 1);
    if (x + 1 < w && stays(g, 2 * v))
        out[count++] = (uint32_t)(v + 1);
    if (v + w < g->vertices && stays(g, 2 * v + 1))
        out[count++] = (uint32_t)(v + w);
    return count;
}

static uint64_t length(const void *user, uint64_t v)
{
    uint32_t row[4];
    return neighbours(user, v, row);
}

static void write(const void *user, const uint32_t *label, uint64_t v, uint32_t *out)
{
    uint32_t row[4]; /* fewer than that may have room */
    const uint32_t count = neighbours(user, v, row);
    (void)label; /* nothing is shuffled */
    for (uint32_t i = 0; i < count; i++)
        out[i] = row[i];
}

/* Of so many draws some more or fewer stay: a sixteenth, and where there are few it does not matter. */
static uint64_t arcs_likely(uint64_t width, uint64_t height, double keep)
{
    const uint64_t all = 2 * ((width - 1) * height + width * (height - 1));
    const double likely = (double)all * keep * (1 + 1.0 / 16);
    return likely < (double)all ? (uint64_t)likely : all;
}

weir_status weir__generate_grid(uint64_t width, uint64_t height, double keep, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out)
{
    const struct grid grid = {
        .width = width, .vertices = width * height, .seed = seed, .keep = keep};
    const struct weir__regular of = {.what = "a grid",
                                     .vertices = grid.vertices,
                                     .arcs = arcs_likely(width, height, keep),
                                     .length = length,
                                     .write = write,
                                     .user = &grid};
    return weir__generate_regular(&of, options, graph_out);
}
