/** @file generate_random.c  Random graphs of which arc i is a function of (seed, i) alone (edges.h): R-MAT with the parameters of Graph500,
 * and uniform ones. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/csr.h"
#include "algorithms/graph/draw.h"
#include "algorithms/graph/generate.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#define ARC_CHUNK (UINT64_C(1) << 14)

/* Where arcs are written to, from number `first` on. */
struct list {
    const weir__edges *edges;
    uint64_t first;
    uint32_t *sources, *targets;
};

static void make_arcs(void *user, uint64_t begin, uint64_t end)
{
    const struct list *list = user;
    weir__draw(list->edges, list->first + begin, end - begin, list->sources + begin,
               list->targets + begin);
}

static weir__edges edges_of(uint32_t kind, uint32_t scale, uint64_t seed, int unshuffled)
{
    const uint64_t vertices = UINT64_C(1) << scale;
    return (weir__edges){.kind = kind,
                         .scale = scale,
                         .seed = seed,
                         .label = unshuffled ? weir__relabeling_none(vertices)
                                             : weir__relabeling_of(vertices, ~seed)};
}

weir_status weir__generate_arcs(uint32_t kind, uint32_t scale, uint64_t seed, int unshuffled,
                                uint64_t first, uint64_t count, uint32_t *sources_out,
                                uint32_t *targets_out)
{
    const weir__edges edges = edges_of(kind, scale, seed, unshuffled);
    struct list list = {&edges, first, sources_out, targets_out};
    struct weir__activity outer;
    weir__activity_begin(&outer, "drawing arcs", NULL, 0);
    return weir__activity_end(
        &outer, weir__activity_for("drawing arcs", "arcs", count, ARC_CHUNK, 0, make_arcs, &list));
}

static weir_status make_list(const struct weir__csr_input *input, const char *what,
                             const weir_graph_options *options, weir_graph **graph_out)
{
    weir__arcs arcs = {.vertices = input->vertices, .mirror = input->mirror};
    struct list list = {.edges = &input->edges};
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, input->count, weir__arc_bytes(&arcs));
    weir__build_need(&arcs, input->count, WEIR_WEIGHT_NONE, &need);
    if (!(status = weir__need_fits(&need, "%s of scale %u", what, input->edges.scale)) &&
        !(status = weir__arcs_reserve(&arcs, input->count))) {
        list.sources = arcs.sources;
        list.targets = arcs.targets;
        status = weir__activity_for("drawing arcs", "arcs", input->count, ARC_CHUNK,
                                    options->threads, make_arcs, &list);
    }
    if (!status) {
        arcs.count = input->count;
        status = weir__build(&arcs, options->threads, graph_out);
    }
    weir__arcs_free(&arcs);
    return status;
}

static weir_status generate(enum weir__edges_kind kind, uint32_t scale, uint64_t edge_factor,
                            uint64_t seed, int unshuffled, const weir_graph_options *given,
                            weir_graph **graph_out)
{
    weir_graph_options options = *given;
    weir_status status = weir__csr_ask(&options, edge_factor << scale);
    if (status)
        return status;
    const struct weir__csr_input input = {.edges = edges_of(kind, scale, seed, unshuffled),
                                          .vertices = UINT64_C(1) << scale,
                                          .count = edge_factor << scale,
                                          .mirror = options.undirected,
                                          .keeper = options.resident ? options.context : NULL,
                                          .resident = options.resident};
    if (weir__csr_made(&input, &options, graph_out, &status))
        return status;
    return make_list(&input, kind == WEIR__EDGES_RMAT ? "an R-MAT graph" : "a uniform random graph",
                     &options, graph_out);
}

weir_status weir__generate_rmat(uint32_t scale, uint64_t edge_factor, uint64_t seed, int unshuffled,
                                const weir_graph_options *options, weir_graph **graph_out)
{
    return generate(WEIR__EDGES_RMAT, scale, edge_factor, seed, unshuffled, options, graph_out);
}

weir_status weir__generate_uniform(uint32_t scale, uint64_t edge_factor, uint64_t seed,
                                   const weir_graph_options *options, weir_graph **graph_out)
{
    return generate(WEIR__EDGES_UNIFORM, scale, edge_factor, seed, 0, options, graph_out);
}
