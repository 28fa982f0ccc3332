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
#include "algorithms/graph/arcs.h"
#include "runtime/observe.h"
#include "runtime/support.h"

enum { CHUNK = 1 << 14 };

enum rule { HOLDS, SOURCE, LEVELS, NO_VERTEX, NO_PARENT, STEP, ARC, SKIPS, SPAN };

struct tree {
    const weir_graph *graph;
    uint64_t source;
    const int64_t *parents;
    const int32_t *levels;
    uint64_t first; /* smallest vertex that breaks a rule; relaxed, the join publishes it */
};

static enum rule look_up(const struct tree *tree, uint64_t v)
{
    int64_t parent = tree->parents[v];
    if (v == tree->source)
        return parent == (int64_t)v && tree->levels[v] == 0 ? HOLDS : SOURCE;
    if (tree->levels[v] == -1)
        return parent == -1 ? HOLDS : LEVELS;
    if (tree->levels[v] < 1)
        return LEVELS;
    if (parent == -1)
        return NO_PARENT;
    if (parent < 0 || (uint64_t)parent >= tree->graph->vertices)
        return NO_VERTEX;
    if (tree->levels[parent] != tree->levels[v] - 1)
        return STEP;
    return weir__arc_find(tree->graph, (uint64_t)parent, v) != UINT64_MAX ? HOLDS : ARC;
}

static enum rule look_down(const struct tree *tree, uint64_t v)
{
    const weir_graph *graph = tree->graph;
    if (tree->levels[v] == -1)
        return HOLDS;
    for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
        int64_t level = tree->levels[graph->targets[arc]];
        if (level == -1)
            return SPAN;
        if (level > (int64_t)tree->levels[v] + 1)
            return SKIPS;
    }
    return HOLDS;
}

static enum rule look(const struct tree *tree, uint64_t v)
{
    enum rule rule = look_up(tree, v);
    return rule ? rule : look_down(tree, v);
}

static void look_at_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct tree *tree = user;
    for (uint64_t v = begin; v < end; v++) {
        if (!look(tree, v))
            continue;
        uint64_t first = __atomic_load_n(&tree->first, __ATOMIC_RELAXED);
        while (v < first && !__atomic_compare_exchange_n(&tree->first, &first, v, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        return; /* all that follow are larger */
    }
}

static const char *text_of(enum rule rule)
{
    switch (rule) {
    case SOURCE:
        return "the source must be its own parent, at level 0";
    case LEVELS:
        return "levels and tree must have reached the same vertices";
    case NO_PARENT:
        return "a vertex that was reached must have a parent";
    case NO_VERTEX:
        return "a parent must be a vertex";
    case STEP:
        return "a vertex must be one level below its parent";
    case ARC:
        return "an arc must lead from a parent to its vertex";
    case SKIPS:
        return "no arc may lead more than one level down";
    default:
        return "what an arc leads to from the tree must be in it";
    }
}

weir_status weir_bfs_tree_check(const weir_graph *graph, uint64_t source, const int64_t *parents,
                                const int32_t *levels)
{
    struct tree tree = {.graph = graph,
                        .source = source,
                        .parents = parents,
                        .levels = levels,
                        .first = UINT64_MAX};
    if (!graph || !parents || !levels)
        return weir__fail(WEIR_ERR_INVALID, "weir_bfs_tree_check: no graph, parents or levels");
    if (source >= graph->vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu: the graph has %llu vertices",
                          (unsigned long long)source, (unsigned long long)graph->vertices);
    struct weir__activity outer;
    weir__activity_begin(&outer, "checking the tree", NULL, 0);
    weir_status status = weir__activity_end(
        &outer, weir__activity_for("checking the tree", "vertices", graph->vertices, CHUNK, 0,
                                   look_at_chunk, &tree));
    if (status)
        return status;
    if (tree.first == UINT64_MAX)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_VERIFY, "vertex %llu at level %d has parent %lld, but %s",
                      (unsigned long long)tree.first, levels[tree.first],
                      (long long)parents[tree.first], text_of(look(&tree, tree.first)));
}
