/** @file generate_mesh.c  Triangulated meshes, written straight into CSR form.
 *
 * A vertex at (x, y) is joined to those at (x + 1, y), (x, y + 1) and (x + 1, y + 1), in both directions. It is numbered along
 * rows, or by a random permutation, which leaves no locality in the numbers. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "runtime/support.h"

#include <stdlib.h>

#define CHUNK (UINT64_C(1) << 14)

struct mesh {
    uint64_t width, vertices;
    uint32_t *label; /* by place; NULL: the place itself */
    uint64_t *offsets;
    uint32_t *targets;
};

static uint64_t number(const struct mesh *m, uint64_t place)
{
    return m->label ? m->label[place] : place;
}

static uint32_t neighbours(const struct mesh *m, uint64_t place, uint32_t out[6])
{
    const uint64_t w = m->width, x = place % w;
    const int above = place >= w, below = place + w<m->vertices, left = x> 0, right = x + 1 < w;
    uint64_t at[6];
    uint32_t count = 0;
    if (above && left)
        at[count++] = place - w - 1;
    if (above)
        at[count++] = place - w;
    if (left)
        at[count++] = place - 1;
    if (right)
        at[count++] = place + 1;
    if (below)
        at[count++] = place + w;
    if (below && right)
        at[count++] = place + w + 1;
    for (uint32_t i = 0; i < count; i++) { /* ascending by number */
        const uint32_t far = (uint32_t)number(m, at[i]);
        uint32_t to = i;
        for (; to && out[to - 1] > far; to--)
            out[to] = out[to - 1];
        out[to] = far;
    }
    return count;
}

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    struct mesh *m = user;
    uint32_t row[6];
    for (uint64_t place = begin; place < end; place++)
        m->offsets[number(m, place)] = neighbours(m, place, row);
}

static void write_rows(void *user, uint64_t begin, uint64_t end)
{
    struct mesh *m = user;
    for (uint64_t place = begin; place < end; place++) {
        uint32_t row[6];
        const uint32_t count = neighbours(m, place, row);
        uint32_t *to = m->targets + m->offsets[number(m, place)];
        for (uint32_t i = 0; i < count; i++)
            to[i] = row[i];
    }
}

weir_status weir__generate_mesh(uint64_t width, uint64_t height, int shuffle, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out)
{
    const uint64_t n = width * height;
    const uint64_t arcs =
        2 * ((width - 1) * height + width * (height - 1) + (width - 1) * (height - 1));
    struct mesh mesh = {.width = width, .vertices = n};
    struct weir__need need = {0, 0};
    weir_graph *graph = NULL;
    weir_status status;
    weir__need_take(&need, n + 1, sizeof *mesh.offsets);
    weir__need_take(&need, shuffle ? n : 0, sizeof *mesh.label);
    weir__need_take(&need, arcs, sizeof *mesh.targets);
    if ((status = weir__need_fits(&need, "a mesh of %llu vertices", (unsigned long long)n)) ||
        (status = weir__alloc(n + 1, sizeof *mesh.offsets, "graph offsets", &mesh.offsets)))
        return status;
    if (shuffle) {
        if ((status = weir__alloc(n, sizeof *mesh.label, "mesh labels", &mesh.label)))
            goto err_free;
        weir__shuffle(mesh.label, n, seed);
    }
    weir__parallel_for(n, CHUNK, options->threads, count_rows, &mesh);
    weir__prefix_sum(mesh.offsets, n);
    if ((status = weir__alloc(arcs, sizeof *mesh.targets, "graph targets", &mesh.targets)) ||
        (status = weir__calloc(1, sizeof *graph, "graph", &graph)))
        goto err_free;
    weir__parallel_for(n, CHUNK, options->threads, write_rows, &mesh);
    free(mesh.label);
    *graph =
        (weir_graph){.vertices = n, .arcs = arcs, .offsets = mesh.offsets, .targets = mesh.targets};
    *graph_out = graph;
    return WEIR_OK;
err_free:
    free(mesh.label);
    free(mesh.targets);
    free(mesh.offsets);
    return status;
}
