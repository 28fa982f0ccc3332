/** @file generate_uniform.c  Uniform random graphs: each arc between any two vertices, all alike (Erdos and Renyi).
 *
 * Arc i is a function of (seed, i) alone, so threads may make arcs in any order. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#define ARC_CHUNK (UINT64_C(1) << 14)

struct uniform {
    uint32_t scale;
    uint64_t seed;
    weir__arcs arcs;
};

/* The ends are the highest bits of either half of 64 random ones. */
static void make_arcs(void *user, uint64_t begin, uint64_t end)
{
    struct uniform *u = user;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t bits = weir__random(u->seed, i);
        u->arcs.sources[i] = (uint32_t)(bits >> 32 >> (32 - u->scale));
        u->arcs.targets[i] = (uint32_t)((bits & UINT32_MAX) >> (32 - u->scale));
    }
}

weir_status weir__generate_uniform(uint32_t scale, uint64_t edge_factor, uint64_t seed,
                                   const weir_graph_options *options, weir_graph **graph_out)
{
    const uint64_t m = edge_factor << scale;
    struct uniform uniform = {.scale = scale, .seed = seed};
    struct weir__need need = {0, 0};
    weir_status status;
    uniform.arcs.vertices = UINT64_C(1) << scale;
    uniform.arcs.mirror = options->undirected;
    weir__need_take(&need, m, weir__arc_bytes(&uniform.arcs));
    weir__build_need(&uniform.arcs, m, WEIR_WEIGHT_NONE, &need);
    if (!(status = weir__need_fits(&need, "a uniform random graph of scale %u", scale)) &&
        !(status = weir__arcs_reserve(&uniform.arcs, m)) &&
        !(status = weir__activity_for("drawing arcs", "arcs", m, ARC_CHUNK, options->threads,
                                      make_arcs, &uniform))) {
        uniform.arcs.count = m;
        status = weir__build(&uniform.arcs, options->threads, graph_out);
    }
    weir__arcs_free(&uniform.arcs);
    return status;
}
