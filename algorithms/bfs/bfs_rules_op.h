/** @file bfs_rules_op.h  Graph500's rules for levels and trees, of a vertex and of an arc; written once for host devices and GPUs. Not
 * installed. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_RULES_OP_H
#define WEIR_ALGORITHMS_BFS_BFS_RULES_OP_H

#include "algorithms/common/certify_op.h"

/** What is broken; bfs_tree.c has the sentences. The two of BFS_BELOW and BFS_ARC are about what leads to a vertex. */
enum bfs_rule {
    BFS_HOLDS,
    BFS_SOURCE,
    BFS_LEVELS,
    BFS_NO_VERTEX,
    BFS_NO_PARENT,
    BFS_STEP,
    BFS_ARC,
    BFS_BELOW,
    BFS_SKIPS,
    BFS_SPAN
};

/** A search that is judged. */
typedef struct bfs_found {
    uint64_t vertices, source;
    const int32_t *levels;  /* by vertex, -1: unreached */
    const int64_t *parents; /* by vertex; NULL: there is no tree */
} bfs_found;

/** The rule that a vertex breaks with its level and its parent. */
WEIR_DEV uint32_t bfs_rule_of_vertex(const bfs_found *f, uint64_t v)
{
    const int64_t level = f->levels[v], parent = f->parents ? f->parents[v] : -1;
    if (v == f->source)
        return level == 0 && (!f->parents || parent == (int64_t)v) ? BFS_HOLDS : BFS_SOURCE;
    if (level == -1)
        return parent == -1 ? BFS_HOLDS : BFS_LEVELS;
    if (level < 1)
        return BFS_LEVELS;
    if (!f->parents)
        return BFS_HOLDS;
    if (parent == -1)
        return BFS_NO_PARENT;
    if (parent < 0 || (uint64_t)parent >= f->vertices)
        return BFS_NO_VERTEX;
    return f->levels[parent] == level - 1 ? BFS_HOLDS : BFS_STEP;
}

/** The rule that an arc breaks which leads from one level to another. */
WEIR_DEV uint32_t bfs_rule_of_arc(int64_t from, int64_t to)
{
    if (from == -1)
        return BFS_HOLDS;
    if (to == -1)
        return BFS_SPAN;
    return to > from + 1 ? BFS_SKIPS : BFS_HOLDS;
}

/* ---- on devices (bfs_certify.c) ----------------------------------------------------------------------- */

typedef struct bfs_certify_args {
    arcs_piece here;
    certify_share share;
    bfs_found found;
    uint32_t *
        marks; /* by vertex: an arc leads to it from a vertex, its parent where there is a tree, that is one level above */
} bfs_certify_args;

extern const weir_kernel weir__bfs_certify_vertices_kernel, weir__bfs_certify_arcs_kernel;

WEIR_DEV void bfs_certify_vertex(const bfs_certify_args *a, uint64_t v)
{
    const uint32_t rule = bfs_rule_of_vertex(&a->found, v);
    if (rule)
        certify_breaks(&a->share, CERTIFY_VERTEX, v, rule);
}

WEIR_DEV void bfs_certify_arc(const bfs_certify_args *a, uint64_t tail, uint64_t i)
{
    const uint32_t head = a->here.heads[i];
    const int64_t from = a->found.levels[tail], to = a->found.levels[head];
    const uint32_t rule = bfs_rule_of_arc(from, to);
    if (rule)
        certify_breaks(&a->share, CERTIFY_ARC, a->here.begin + i, rule);
    else if (to == from + 1 && (!a->found.parents || a->found.parents[head] == (int64_t)tail))
        certify_mark(a->marks, head);
}

CERTIFY_VERTICES_KERNEL(bfs_certify_vertices, bfs_certify_args, bfs_certify_vertex)
ARCS_KERNEL(bfs_certify_arcs, bfs_certify_args, bfs_certify_arc)

#endif
