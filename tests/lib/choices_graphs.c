/** @file choices_graphs.c  Small graphs with something difficult about each. */
#include "tests/lib/choices.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer than any piece that a tile is cut in; with ThreadSanitizer a tenth, or it takes minutes. */
#ifdef __SANITIZE_THREAD__
#define HUB_ARCS 2000
#else
#define HUB_ARCS 20000
#endif

struct arcs {
    uint64_t vertices, count, room;
    uint32_t *source, *target;
    int failed;
};

static void grow(struct arcs *arcs)
{
    uint64_t room = 2 * arcs->room + 64;
    uint32_t *source = realloc(arcs->source, room * sizeof *source);
    if (source)
        arcs->source = source;
    uint32_t *target = realloc(arcs->target, room * sizeof *target);
    if (target)
        arcs->target = target;
    if (source && target)
        arcs->room = room;
    else
        arcs->failed = 1;
}

static void arc(struct arcs *arcs, uint32_t source, uint32_t target)
{
    if (arcs->count == arcs->room)
        grow(arcs);
    if (arcs->failed)
        return;
    arcs->source[arcs->count] = source;
    arcs->target[arcs->count++] = target;
}

static void generated(struct arcs *arcs, const char *text)
{
    weir_graph *graph;
    if (weir_graph_open(text, NULL, &graph)) {
        arcs->failed = 1;
        return;
    }
    arcs->vertices = graph->vertices;
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            arc(arcs, v, graph->targets[i]);
    weir_graph_destroy(graph);
}

/* Both ways around a circle of some consecutive vertices. */
static void circle(struct arcs *arcs, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        arc(arcs, first + i, first + (i + 1) % count);
        arc(arcs, first + (i + 1) % count, first + i);
    }
}

static void draw(struct arcs *arcs, enum choice_shape shape)
{
    switch (shape) {
    case CHOICE_CHAIN: /* one way, so that the second source reaches half of it */
        arcs->vertices = 70;
        for (uint32_t i = 0; i < 69; i++)
            arc(arcs, i, i + 1);
        break;
    case CHOICE_STAR: /* both ways, the middle is the last vertex */
        arcs->vertices = 601;
        for (uint32_t i = 0; i < 600; i++)
            arc(arcs, i, 600), arc(arcs, 600, i);
        break;
    case CHOICE_GRID:
        generated(arcs, "grid:13x11,.7");
        break;
    case CHOICE_RMAT:
        generated(arcs, "rmat:8");
        break;
    case CHOICE_DISCONNECTED: /* two circles, and vertices without arcs between and behind them */
        arcs->vertices = 60;
        circle(arcs, 0, 25);
        circle(arcs, 30, 20);
        break;
    case CHOICE_ONE:
        arcs->vertices = 1;
        break;
    case CHOICE_NO_ARCS:
        arcs->vertices = 20;
        break;
    case CHOICE_BIPARTITE:
        arcs->vertices = 40;
        for (uint32_t i = 0; i < 20; i++)
            for (uint32_t j = 20; j < 40; j++)
                arc(arcs, i, j), arc(arcs, j, i);
        break;
    default: /* CHOICE_HUB: a vertex to all others, and on from some of them */
        arcs->vertices = HUB_ARCS + 1;
        for (uint32_t i = 1; i <= HUB_ARCS; i++)
            arc(arcs, 0, i);
        for (uint32_t i = HUB_ARCS / 2; i < HUB_ARCS; i += 7)
            arc(arcs, i, i + 1), arc(arcs, i, 0);
        break;
    }
}

const char *choice_shape_text(enum choice_shape shape)
{
    static const char *const names[] = {
        "chain",        "star",       "grid",    "rmat",
        "disconnected", "one vertex", "no arcs", "complete bipartite",
        "hub"};
    return names[shape];
}

/* Weights that follow from the ends of an arc. Some are 0, and floats are no multiples of anything:
 * both sides add along a path from its source, so even then the smallest sums are equal. */
static double weight(enum choice_weights kind, uint32_t source, uint32_t target)
{
    uint64_t state = (uint64_t)source << 32 | target;
    uint64_t random = next_random(&state);
    if (kind == CHOICE_WEIGHTS_U32)
        return (double)(random % 100);
    return (double)(random % 1000003) / 7;
}

static weir_graph *weighted(const struct arcs *arcs, enum choice_weights kind)
{
    weir_graph *graph = NULL;
    double *weights = NULL;
    if (kind != CHOICE_WEIGHTS_NONE) {
        if (!(weights = malloc((arcs->count + 1) * sizeof *weights)))
            return NULL;
        for (uint64_t i = 0; i < arcs->count; i++)
            weights[i] = weight(kind, arcs->source[i], arcs->target[i]);
    }
    if (weir_graph_from_arcs(arcs->vertices, arcs->count, arcs->source, arcs->target, weights, NULL,
                             &graph))
        graph = NULL;
    free(weights);
    return graph;
}

struct choice_graph *choice_graph_make(enum choice_shape shape)
{
    struct arcs arcs = {.vertices = 0};
    struct choice_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return NULL;
    draw(&arcs, shape);
    graph->name = choice_shape_text(shape);
    graph->source[1] = arcs.vertices / 2;
#ifndef __SANITIZE_THREAD__
    graph->cut_below = shape == CHOICE_HUB ? HUB_ARCS : 0;
#endif
    for (int kind = 0; kind < CHOICE_WEIGHTS && !arcs.failed; kind++)
        arcs.failed |= !(graph->with[kind] = weighted(&arcs, (enum choice_weights)kind));
    free(arcs.source);
    free(arcs.target);
    if (!arcs.failed)
        return graph;
    choice_graph_free(graph);
    return NULL;
}

void choice_graph_free(struct choice_graph *graph)
{
    if (!graph)
        return;
    for (int kind = 0; kind < CHOICE_WEIGHTS; kind++)
        weir_graph_destroy(graph->with[kind]);
    for (int i = 0; i < CHOICE_OPERATORS_MAX * CHOICE_SOURCES; i++)
        free(graph->expected[i / CHOICE_SOURCES][i % CHOICE_SOURCES]);
    for (uint32_t parts = 0; parts <= WEIR_DEVICES_MAX; parts++)
        for (int kind = 0; kind <= WEIR_PARTITION_FILE; kind++)
            weir_partition_destroy(graph->partition[parts][kind]);
    free(graph);
}

const double *choice_graph_expected(struct choice_graph *graph, uint32_t op, uint32_t source)
{
    const weir_graph *with = graph->with[choice_operators[op].weights];
    double **values = &graph->expected[op][source];
    if (!*values && (*values = malloc((with->vertices + 1) * sizeof **values)) &&
        choice_operators[op].reference(with, graph->source[source], *values)) {
        free(*values);
        *values = NULL;
    }
    return *values;
}

/* One that is no other kind's, through a file. */
static weir_status read_cut(const weir_graph *graph, uint32_t parts, weir_partition **partition_out)
{
    char path[] = "/tmp/weir-cut-XXXXXX";
    weir_partition *random;
    weir_status status =
        weir_partition_create(graph, WEIR_PARTITION_RANDOM, parts, 2, NULL, &random);
    const int descriptor = status ? -1 : mkstemp(path);
    *partition_out = NULL;
    if (status)
        return status;
    if (descriptor < 0) {
        weir_partition_destroy(random);
        return WEIR_ERR_IO;
    }
    (void)close(descriptor);
    if (!(status = weir_partition_write(random, path)))
        status = weir_partition_read(graph, path, parts, partition_out);
    weir_partition_destroy(random);
    (void)unlink(path);
    return status;
}

const weir_partition *choice_graph_cut(struct choice_graph *graph, uint32_t parts,
                                       weir_partition_kind kind)
{
    weir_partition **partition = &graph->partition[parts][kind];
    const weir_graph *with = graph->with[CHOICE_WEIGHTS_NONE];
    if (*partition)
        return *partition;
    if (kind == WEIR_PARTITION_FILE ? read_cut(with, parts, partition)
                                    : weir_partition_create(with, kind, parts, 1, NULL, partition))
        *partition = NULL;
    return *partition;
}
