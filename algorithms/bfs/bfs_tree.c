/** @file bfs_tree.c  Graph500's rules for the tree of a breadth-first search.
 *
 * Its validation asks that (1) the tree has no cycle and all of it hangs on the source, (2) a vertex is one
 * level below its parent, (3) the ends of every edge differ by one level at most, or none of them was
 * reached, (4) the tree spans the whole component, and (5) a vertex and its parent are joined by an edge.
 * Each is looked at vertex by vertex, so that all cores can: by (2) levels fall by one along every
 * parent, and as the source alone has level 0, every chain of parents ends there, which is (1). An arc
 * from what was reached to what was not breaks (4); in a directed graph (3) is that no arc leads more than
 * one level down. The levels are an argument, which callers compare with a reference's or take from a run:
 * levels that obey (3) with a parent for each are those of the shortest ways. */
#include "algorithms/algorithms.h"
#include "algorithms/bfs/bfs_rules.h"
#include "algorithms/graph/arcs.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdio.h>

enum { CHUNK = 1 << 14 };

struct tree {
    const weir_graph *graph;
    bfs_found found;
    uint64_t first; /* smallest vertex that breaks a rule; relaxed, the join publishes it */
};

/* What a vertex breaks, and with which of its arcs. */
static uint32_t look(const struct tree *tree, uint64_t v, uint64_t *arc_out)
{
    const weir_graph *graph = tree->graph;
    const bfs_found *f = &tree->found;
    uint32_t rule = bfs_rule_of_vertex(f, v);
    *arc_out = UINT64_MAX;
    if (!rule && v != f->source && f->levels[v] != -1 &&
        weir__arc_find(graph, (uint64_t)f->parents[v], v) == UINT64_MAX)
        rule = BFS_ARC;
    if (rule || f->levels[v] == -1)
        return rule;
    for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1] && !rule; arc++) {
        rule = bfs_rule_of_arc(f->levels[v], f->levels[graph->targets[arc]]);
        *arc_out = rule ? arc : UINT64_MAX;
    }
    return rule;
}

static void look_at_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct tree *tree = user;
    uint64_t arc;
    for (uint64_t v = begin; v < end; v++) {
        if (!look(tree, v, &arc))
            continue;
        uint64_t first = __atomic_load_n(&tree->first, __ATOMIC_RELAXED);
        while (v < first && !__atomic_compare_exchange_n(&tree->first, &first, v, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        return; /* all that follow are larger */
    }
}

static const char *text_of(uint32_t rule, int tree)
{
    switch (rule) {
    case BFS_SOURCE:
        return tree ? "the source must be its own parent, at level 0"
                    : "the source must be at level 0";
    case BFS_LEVELS:
        return tree ? "levels and tree must have reached the same vertices"
                    : "a level must be 1 or more, or -1";
    case BFS_NO_PARENT:
        return "a vertex that was reached must have a parent";
    case BFS_NO_VERTEX:
        return "a parent must be a vertex";
    case BFS_STEP:
        return "a vertex must be one level below its parent";
    case BFS_ARC:
        return "an arc must lead from a parent to its vertex";
    case BFS_BELOW:
        return "an arc must lead to it from one level above";
    case BFS_SKIPS:
        return "no arc may lead more than one level down";
    default:
        return tree ? "what an arc leads to from the tree must be in it"
                    : "what an arc leads to from a vertex that was reached must have been reached";
    }
}

weir_status weir__bfs_breaks(const weir_graph *graph, const bfs_found *found, uint64_t vertex,
                             uint64_t arc, uint32_t rule)
{
    char parent[48] = "", where[64] = "";
    const weir_status status = weir_graph_fetch(graph);
    if (status)
        return status;
    if (found->parents)
        snprintf(parent, sizeof parent, " has parent %lld", (long long)found->parents[vertex]);
    if (arc != UINT64_MAX)
        snprintf(where, sizeof where, "%s an arc to vertex %u at level %d",
                 found->parents ? " and" : " has", graph->targets[arc],
                 found->levels[graph->targets[arc]]);
    return weir__fail(WEIR_ERR_VERIFY, "vertex %llu at level %d%s%s, but %s",
                      (unsigned long long)vertex, found->levels[vertex], parent, where,
                      text_of(rule, found->parents != NULL));
}

weir_status weir_bfs_tree_check(const weir_graph *graph, uint64_t source, const int64_t *parents,
                                const int32_t *levels)
{
    struct tree tree = {.graph = graph, .first = UINT64_MAX};
    uint64_t arc;
    if (!graph || !parents || !levels)
        return weir__fail(WEIR_ERR_INVALID, "weir_bfs_tree_check: no graph, parents or levels");
    if (source >= graph->vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu: the graph has %llu vertices",
                          (unsigned long long)source, (unsigned long long)graph->vertices);
    const weir_status fetched = weir_graph_fetch(graph);
    if (fetched)
        return fetched;
    tree.found = (bfs_found){graph->vertices, source, levels, parents};
    struct weir__activity outer;
    weir__activity_begin(&outer, "checking the tree", NULL, 0);
    weir_status status = weir__activity_end(
        &outer, weir__activity_for("checking the tree", "vertices", graph->vertices, CHUNK, 0,
                                   look_at_chunk, &tree));
    if (status)
        return status;
    if (tree.first == UINT64_MAX)
        return WEIR_OK;
    const uint32_t rule = look(&tree, tree.first, &arc);
    return weir__bfs_breaks(graph, &tree.found, tree.first, arc, rule);
}
