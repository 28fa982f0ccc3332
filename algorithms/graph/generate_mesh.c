/** @file generate_mesh.c  Triangulated meshes.
 *
 * A vertex at (x, y) is joined to those at (x + 1, y), (x, y + 1) and (x + 1, y + 1), in both directions. It is numbered along
 * rows, or by a random permutation, which leaves no locality in the numbers. */
#include "algorithms/graph/generate.h"

struct mesh {
    uint64_t width, vertices;
};

/* The places of the neighbours, ascending. */
static uint32_t neighbours(const struct mesh *m, uint64_t place, uint64_t at[6])
{
    const uint64_t w = m->width, x = place % w;
    const int above = place >= w, below = place + w<m->vertices, left = x> 0, right = x + 1 < w;
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
    return count;
}

static uint64_t length(const void *user, uint64_t place)
{
    uint64_t at[6];
    return neighbours(user, place, at);
}

static void write(const void *user, const uint32_t *label, uint64_t place, uint32_t *out)
{
    uint64_t at[6];
    const uint32_t count = neighbours(user, place, at);
    for (uint32_t i = 0; i < count; i++) { /* ascending by number */
        const uint32_t far = label ? label[at[i]] : (uint32_t)at[i];
        uint32_t to = i;
        for (; to && out[to - 1] > far; to--)
            out[to] = out[to - 1];
        out[to] = far;
    }
}

weir_status weir__generate_mesh(uint64_t width, uint64_t height, int shuffle, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out)
{
    const struct mesh mesh = {width, width * height};
    const struct weir__regular of = {
        .what = "a mesh",
        .vertices = mesh.vertices,
        .arcs = 2 * ((width - 1) * height + width * (height - 1) + (width - 1) * (height - 1)),
        .shuffle = shuffle,
        .seed = seed,
        .length = length,
        .write = write,
        .user = &mesh};
    return weir__generate_regular(&of, options, graph_out);
}
