/** @file certify_fixture.h  What the tests of certificates share: devices, sizes of pieces, graphs that are written down. */
#ifndef WEIR_TESTS_ALGORITHMS_CERTIFY_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_CERTIFY_FIXTURE_H

#include "algorithms/common/certify.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <math.h>

#define ON_EACH_SPEC(f)                                                              \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),       \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1")

/** Take pieces of another size: as is best, and so small that every device has some where there are arcs for all. */
#define PIECES 3
static inline void take_pieces(const weir_graph *graph, int which)
{
    static const uint64_t parts[PIECES] = {0, 40, 7};
    weir__certify_pretend(which ? graph->arcs / parts[which] + 1 : 0);
}

/** A graph of arcs that are given as triples: from, to, weight. */
static inline weir_graph *written(uint64_t vertices, const double (*arcs)[3], uint64_t count)
{
    uint32_t from[64], to[64];
    double weight[64];
    weir_graph *graph;
    assert_true(count <= 64);
    for (uint64_t i = 0; i < count; i++) {
        from[i] = (uint32_t)arcs[i][0];
        to[i] = (uint32_t)arcs[i][1];
        weight[i] = arcs[i][2];
    }
    OK(weir_graph_from_arcs(vertices, count, from, to, weight, NULL, &graph));
    return graph;
}
#define WRITTEN(vertices, arcs) written(vertices, arcs, sizeof(arcs) / sizeof *(arcs))

static inline void weigh(weir_graph *graph, const char *text)
{
    weir_weights weights;
    OK(weir_weights_parse(text, &weights));
    OK(weir_graph_weigh(graph, &weights));
}

/** Shapes that right results are found right on. */
static const struct certify_shape {
    const char *text;
    int undirected;
} certify_shapes[] = {{"rmat:9", 0},        {"rmat:8", 1},      {"grid:40x30,0.7", 0},
                      {"grid:1x1", 0},      {"chain:300", 0},   {"star:70", 0},
                      {"tree:200,3", 0},    {"uniform:9,1", 0}, {"complete:20", 0},
                      {"smallworld:200", 0}};
#define CERTIFY_SHAPES (sizeof certify_shapes / sizeof *certify_shapes)

static inline weir_graph *certify_graph(size_t shape)
{
    return open_graph(certify_shapes[shape].text, certify_shapes[shape].undirected);
}

/** What is refused, with this sentence, whatever the size of pieces. */
#define BROKEN(graph, call, says)             \
    do {                                      \
        for (int p_ = 0; p_ < PIECES; p_++) { \
            take_pieces(graph, p_);           \
            STATUS(call, WEIR_ERR_VERIFY);    \
            assert_detail(says);              \
        }                                     \
        weir__certify_pretend(0);             \
    } while (0)
#define HOLDS(graph, call)                    \
    do {                                      \
        for (int p_ = 0; p_ < PIECES; p_++) { \
            take_pieces(graph, p_);           \
            OK(call);                         \
        }                                     \
        weir__certify_pretend(0);             \
    } while (0)

#endif
