/** @file generate_smallworld.c  Small worlds: rings of near neighbours, with some edges that lead anywhere (Watts and Strogatz,
 * "Collective dynamics of 'small-world' networks", Nature 393, 1998).
 *
 * Edge i leads from vertex i / half to one of the next `half` on the ring, or anywhere, by a function of (seed, i) alone, so threads may make
 * edges in any order. An edge that is drawn twice, or leads back, is dropped with the other duplicates. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#define EDGE_CHUNK (UINT64_C(1) << 14)

struct world {
    uint64_t half; /* edges that a vertex begins */
    double rewired;
    uint64_t seed;
    weir__arcs arcs;
};

static void make_edges(void *user, uint64_t begin, uint64_t end)
{
    struct world *w = user;
    const uint64_t n = w->arcs.vertices;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t v = i / w->half, draw = weir__random(w->seed, 2 * i);
        const int anew = (double)(draw >> 11) * 0x1p-53 < w->rewired;
        w->arcs.sources[i] = (uint32_t)v;
        w->arcs.targets[i] = (uint32_t)(anew ? weir__below(weir__random(w->seed, 2 * i + 1), n)
                                             : (v + 1 + i % w->half) % n);
    }
}

weir_status weir__generate_smallworld(uint64_t vertices, uint64_t degree, double rewired,
                                      uint64_t seed, const weir_graph_options *options,
                                      weir_graph **graph_out)
{
    const uint64_t edges = vertices * (degree / 2);
    struct world world = {.half = degree / 2, .rewired = rewired, .seed = seed};
    struct weir__need need = {0, 0};
    weir_status status;
    world.arcs.vertices = vertices;
    world.arcs.mirror = 1;
    weir__need_take(&need, edges, weir__arc_bytes(&world.arcs));
    weir__build_need(&world.arcs, edges, WEIR_WEIGHT_NONE, &need);
    if (!(status = weir__need_fits(&need, "a small world of %llu vertices",
                                   (unsigned long long)vertices)) &&
        !(status = weir__arcs_reserve(&world.arcs, edges)) &&
        !(status = weir__activity_for("drawing edges", "edges", edges, EDGE_CHUNK, options->threads,
                                      make_edges, &world))) {
        world.arcs.count = edges;
        status = weir__build_with(&world.arcs, options, graph_out);
    }
    weir__arcs_free(&world.arcs);
    return status;
}
