/** @file sssp_tree.c  Graph500's rules for a tree of shortest paths, looked at on the host, vertex by vertex.
 *
 * The rules of a vertex, and what an arc offers, are those of the certificate (sssp_certify_op.h). What differs is the proof that parents
 * lead back to the source: over weights above 0, which is what trees are found over, a vertex is farther away than its parent, so that
 * no circle of parents keeps this rule and a vertex needs no look at more than its own parent. So all cores look at once, and nothing
 * is remembered. */
#include "algorithms/graph/arcs.h"
#include "algorithms/sssp/sssp_rules.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>

struct tree {
    const weir_graph *graph;
    sssp_certify_args found; /* of it, what the rules of a vertex look at */
    arcs_piece all;          /* all arcs, for offers */
};

/* Whether the arc from its parent is there, offers a vertex just what it has, and is longer than nothing. */
static int parent_holds(const struct tree *tree, uint64_t v)
{
    const uint64_t parent = (uint64_t)tree->found.parents[v];
    const double from = tree->found.distances[parent], to = tree->found.distances[v];
    const uint64_t arc = weir__arc_find(tree->graph, parent, v);
    return arc != UINT64_MAX && from < to && sssp_offer(&tree->all, arc, from) == to;
}

/* What a vertex breaks, and with which of its arcs. */
static struct weir__certify_broken look(const struct tree *tree, uint64_t v)
{
    const weir_graph *graph = tree->graph;
    const double distance = tree->found.distances[v];
    struct weir__certify_broken broken = {v, UINT64_MAX, sssp_rule_of_vertex(&tree->found, v)};
    if (broken.rule || !(distance < tree->found.infinity))
        return broken;
    if (v != tree->found.source && !parent_holds(tree, v)) {
        broken.rule = SSSP_HANGS;
        return broken;
    }
    for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
        if (sssp_offer(&tree->all, arc, distance) < tree->found.distances[graph->targets[arc]])
            return (struct weir__certify_broken){v, arc, SSSP_SHORTER};
    return broken;
}

static int breaks(const void *user, uint64_t v)
{
    return look(user, v).rule != SSSP_HOLDS;
}

weir_status weir_sssp_tree_check(const weir_graph *graph, uint64_t source, const int64_t *parents,
                                 const double *distances)
{
    uint64_t first = UINT64_MAX;
    struct weir__activity outer;
    weir_status status;
    if (!graph || !parents || !distances)
        return weir__fail(WEIR_ERR_INVALID, "weir_sssp_tree_check: no graph, parents or distances");
    if ((status = weir__certify_check_source(graph, source)) || (status = weir_graph_fetch(graph)))
        return status;
    const struct tree tree = {
        .graph = graph,
        .found = {.source = source,
                  .vertices = graph->vertices,
                  .infinity = (double)INFINITY,
                  .distances = distances,
                  .parents = parents},
        .all = {.weights_u32 = graph->weights_u32, .weights_f64 = graph->weights_f64}};
    weir__activity_begin(&outer, "checking the tree", "vertices", graph->vertices);
    if (!(status = weir__sssp_check_weights(graph)))
        status = weir__certify_first("checking the tree", "vertices", graph->vertices, breaks,
                                     &tree, &first);
    status = weir__activity_end(&outer, status);
    if (status || first == UINT64_MAX)
        return status;
    const struct weir__certify_broken broken = look(&tree, first);
    return weir__sssp_breaks(graph, distances, parents, &broken);
}
