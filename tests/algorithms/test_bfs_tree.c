/** @file test_bfs_tree.c  weir_bfs_tree_check(): right trees pass, and each rule that is broken is named. */
#include "algorithms/algorithms.h"
#include "tests/lib/support.h"

#include <stdlib.h>

struct tree {
    weir_graph *graph;
    uint64_t source;
    int32_t *levels;
    int64_t *parents; /* of the smallest number one level nearer */
};

static struct tree grow(const char *text, int undirected, uint64_t source)
{
    struct tree tree = {.source = source};
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    options.undirected = undirected;
    OK(weir_graph_open(text, &options, &tree.graph));
    size_t vertices = (size_t)tree.graph->vertices;
    tree.levels = malloc(vertices * sizeof *tree.levels);
    tree.parents = malloc(vertices * sizeof *tree.parents);
    assert_non_null(tree.levels);
    assert_non_null(tree.parents);
    OK(weir_bfs_reference(tree.graph, source, tree.levels));
    for (size_t v = 0; v < vertices; v++)
        tree.parents[v] = v == source ? (int64_t)v : -1;
    for (size_t v = vertices; v-- > 0;)
        for (uint64_t a = tree.graph->offsets[v]; a < tree.graph->offsets[v + 1]; a++) {
            uint32_t to = tree.graph->targets[a];
            if (tree.levels[v] >= 0 && tree.levels[to] == tree.levels[v] + 1)
                tree.parents[to] = (int64_t)v;
        }
    return tree;
}

static void fell(struct tree *tree)
{
    weir_graph_destroy(tree->graph);
    free(tree->levels);
    free(tree->parents);
}

static weir_status check(const struct tree *tree)
{
    return weir_bfs_tree_check(tree->graph, tree->source, tree->parents, tree->levels);
}

static void right_trees_pass(void **state)
{
    (void)state;
    const char *texts[] = {"rmat:10", "grid:40x30,0.7", "grid:1x1", "grid:9000x3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int undirected = 0; undirected < 2; undirected++)
            for (uint64_t source = 0; source < 2; source++) {
                struct tree tree = grow(texts[i], undirected, i == 2 ? 0 : source);
                OK(check(&tree));
                fell(&tree);
            }
}

/* A vertex changed in a tree of grid:8x8 from 0, where 9 has the parents 1 and 8 to choose from. */
static void broken(uint64_t v, int64_t parent, int32_t level, const char *says)
{
    struct tree tree = grow("grid:8x8", 0, 0);
    tree.parents[v] = parent;
    tree.levels[v] = level;
    STATUS(check(&tree), WEIR_ERR_VERIFY);
    assert_detail_has(says);
    fell(&tree);
}

static void each_rule_is_named(void **state)
{
    (void)state;
    broken(0, 1, 0, "vertex 0 at level 0 has parent 1, but the source");
    broken(0, -1, 0, "the source");
    broken(0, 0, 1, "the source");
    broken(9, -1, 2, "must have a parent");
    broken(9, 64, 2, "a parent must be a vertex");
    broken(9, -2, 2, "a parent must be a vertex");
    broken(9, INT64_MAX, 2, "a parent must be a vertex");
    broken(9, 2, 2, "one level below its parent"); /* joined, but no nearer: 2 is at level 2 */
    broken(9, 9, 2, "one level below its parent"); /* a circle of one */
    broken(63, 0, 14, "one level below its parent");
    broken(27, 40, 6, "an arc must lead from a parent"); /* 40 is at level 5, elsewhere */
    broken(9, 1, -1,
           "vertex 1 at level 1 has parent 0 and an arc to vertex 9 at level -1, but what an "
           "arc leads to");
    broken(63, -1, -1, "what an arc leads to");
    broken(63, 55, -5, "levels and tree");
    broken(63, 55, 0, "levels and tree");
    broken(63, 55, INT32_MIN, "levels and tree");
    broken(63, -1, 14, "must have a parent");
}

/* Vertices that are a level too far, tree and all: every parent fits, and only an arc tells. */
static void a_longer_way_is_found(void **state)
{
    (void)state;
    const uint32_t from[] = {0, 1, 0, 2}, to[] = {1, 2, 2, 3};
    int64_t parents[] = {0, 0, 1, 2, -1};
    int32_t levels[] = {0, 1, 2, 3, -1};
    weir_graph *graph;
    OK(weir_graph_from_arcs(5, 4, from, to, NULL, NULL, &graph));
    STATUS(weir_bfs_tree_check(graph, 0, parents, levels), WEIR_ERR_VERIFY);
    assert_detail_has("more than one level down");
    parents[2] = 0;
    levels[2] = 1;
    levels[3] = 2;
    OK(weir_bfs_tree_check(graph, 0, parents, levels));
    levels[4] = 2; /* reached, says the level; not so, says the tree */
    STATUS(weir_bfs_tree_check(graph, 0, parents, levels), WEIR_ERR_VERIFY);
    levels[4] = -1;
    parents[4] = 3; /* an arc that is not there */
    STATUS(weir_bfs_tree_check(graph, 0, parents, levels), WEIR_ERR_VERIFY);
    assert_detail_has("vertex 4");
    weir_graph_destroy(graph);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    struct tree tree = grow("grid:3x3", 0, 0);
    STATUS(weir_bfs_tree_check(tree.graph, 9, tree.parents, tree.levels), WEIR_ERR_INVALID);
    STATUS(weir_bfs_tree_check(NULL, 0, tree.parents, tree.levels), WEIR_ERR_INVALID);
    STATUS(weir_bfs_tree_check(tree.graph, 0, NULL, tree.levels), WEIR_ERR_INVALID);
    STATUS(weir_bfs_tree_check(tree.graph, 0, tree.parents, NULL), WEIR_ERR_INVALID);
    fell(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_trees_pass),
        cmocka_unit_test(each_rule_is_named),
        cmocka_unit_test(a_longer_way_is_found),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
