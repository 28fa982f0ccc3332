/** @file generate_grid.c  Grids with holes, written straight into CSR form.
 *
 * The edge of vertex v to the right has the number 2v, the one below 2v+1; whether it stays is a
 * function of (seed, number), so each of its ends finds out by itself. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "runtime/support.h"

#include <stdlib.h>

#define CHUNK (UINT64_C(1) << 14)

struct grid {
    uint64_t width, vertices, seed;
    double keep;
    uint64_t *offsets;
    uint32_t *targets;
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

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    struct grid *g = user;
    uint32_t row[4];
    for (uint64_t v = begin; v < end; v++)
        g->offsets[v] = neighbours(g, v, row);
}

static void write_rows(void *user, uint64_t begin, uint64_t end)
{
    struct grid *g = user;
    uint32_t row[4];
    for (uint64_t v = begin; v < end; v++) {
        uint32_t count = neighbours(g, v, row);
        for (uint32_t i = 0; i < count; i++)
            g->targets[g->offsets[v] + i] = row[i];
    }
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
    uint64_t n = width * height;
    struct grid grid = {.width = width, .vertices = n, .seed = seed, .keep = keep};
    struct weir__need need = {0, 0};
    weir_graph *graph = NULL;
    weir_status status;
    weir__need_take(&need, n + 1, sizeof *grid.offsets);
    weir__need_take(&need, arcs_likely(width, height, keep), sizeof *grid.targets);
    if ((status = weir__need_fits(&need, "a grid of %llu vertices", (unsigned long long)n)) ||
        (status = weir__alloc(n + 1, sizeof *grid.offsets, "graph offsets", &grid.offsets)))
        return status;
    weir__parallel_for(n, CHUNK, options->threads, count_rows, &grid);
    weir__prefix_sum(grid.offsets, n);
    if ((status =
             weir__alloc(grid.offsets[n], sizeof *grid.targets, "graph targets", &grid.targets)) ||
        (status = weir__calloc(1, sizeof *graph, "graph", &graph)))
        goto err_free;
    weir__parallel_for(n, CHUNK, options->threads, write_rows, &grid);
    *graph = (weir_graph){
        .vertices = n, .arcs = grid.offsets[n], .offsets = grid.offsets, .targets = grid.targets};
    *graph_out = graph;
    return WEIR_OK;
err_free:
    free(grid.targets);
    free(grid.offsets);
    return status;
}
