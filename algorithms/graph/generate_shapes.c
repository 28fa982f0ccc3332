/** @file generate_shapes.c  Chains, stars, complete graphs and trees: what is narrow, or wide, or has one hub, and nothing else. */
#include "algorithms/graph/generate.h"

struct shape {
    uint64_t vertices;
    uint64_t arity; /* of a tree */
};

/* ---- trees, of which a chain is the one that has one child each --------------------------------- */

static uint64_t first_child(const struct shape *s, uint64_t v)
{
    return s->arity * v + 1;
}

static uint64_t children(const struct shape *s, uint64_t v)
{
    const uint64_t first = first_child(s, v);
    const uint64_t left = first < s->vertices ? s->vertices - first : 0;
    return left < s->arity ? left : s->arity;
}

static uint64_t tree_length(const void *user, uint64_t v)
{
    return (v > 0) + children(user, v);
}

static void tree_write(const void *user, const uint32_t *label, uint64_t v, uint32_t *out)
{
    const struct shape *s = user;
    const uint64_t count = children(s, v);
    (void)label; /* nothing is shuffled */
    if (v > 0)
        *out++ = (uint32_t)((v - 1) / s->arity);
    for (uint64_t i = 0; i < count; i++)
        out[i] = (uint32_t)(first_child(s, v) + i);
}

static weir_status make_tree(const char *what, uint64_t vertices, uint64_t arity,
                             const weir_graph_options *options, weir_graph **graph_out)
{
    const struct shape shape = {vertices, arity};
    const struct weir__regular of = {.what = what,
                                     .vertices = vertices,
                                     .arcs = 2 * (vertices - 1),
                                     .length = tree_length,
                                     .write = tree_write,
                                     .user = &shape};
    return weir__generate_regular(&of, options, graph_out);
}

weir_status weir__generate_tree(uint64_t vertices, uint64_t arity,
                                const weir_graph_options *options, weir_graph **graph_out)
{
    return make_tree("a tree", vertices, arity, options, graph_out);
}

weir_status weir__generate_chain(uint64_t vertices, const weir_graph_options *options,
                                 weir_graph **graph_out)
{
    return make_tree("a chain", vertices, 1, options, graph_out);
}

/* All others are children of the first. */
weir_status weir__generate_star(uint64_t vertices, const weir_graph_options *options,
                                weir_graph **graph_out)
{
    return make_tree("a star", vertices, vertices, options, graph_out);
}

/* ---- complete graphs ----------------------------------------------------------------------------- */

static uint64_t complete_length(const void *user, uint64_t v)
{
    (void)v;
    return ((const struct shape *)user)->vertices - 1;
}

static void complete_write(const void *user, const uint32_t *label, uint64_t v, uint32_t *out)
{
    const uint64_t others = complete_length(user, v);
    (void)label;
    for (uint64_t i = 0; i < others; i++)
        out[i] = (uint32_t)(i + (i >= v));
}

weir_status weir__generate_complete(uint64_t vertices, const weir_graph_options *options,
                                    weir_graph **graph_out)
{
    const struct shape shape = {vertices, 0};
    const struct weir__regular of = {.what = "a complete graph",
                                     .vertices = vertices,
                                     .arcs = vertices * (vertices - 1),
                                     .length = complete_length,
                                     .write = complete_write,
                                     .user = &shape};
    return weir__generate_regular(&of, options, graph_out);
}
