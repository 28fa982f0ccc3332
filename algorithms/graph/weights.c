/** @file weights.c  Weights in place of those a graph came with: parsed, drawn, put in.
 *
 * A random weight is a function of the two ends of its arc, the smaller one first, and of the seed. So
 * both directions of an edge weigh the same, and neither the order in which arcs were loaded nor the
 * number of threads changes a value. */
#include "algorithms/algorithms.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "runtime/observe.h"
#include "runtime/support.h"
#include "runtime/room.h"

#include <stdlib.h>
#include <string.h>

#define ARC_CHUNK (UINT64_C(1) << 16)
#define LOW       1
#define HIGH      255
#define SEED      1

/* What stands behind "random". */
static int take_range(const char *at, weir_weights *weights)
{
    uint64_t low, high, seed = SEED;
    if (!*at)
        return 1;
    if (*at++ != ':' || !weir__take_parameter(&at, 0, UINT32_MAX, &low) || *at++ != '-' ||
        !weir__take_parameter(&at, 0, UINT32_MAX, &high))
        return 0;
    if (*at == ':' && (++at, !weir__take_parameter(&at, 0, UINT64_MAX, &seed)))
        return 0;
    *weights = (weir_weights){WEIR_WEIGHTS_RANDOM, (uint32_t)low, (uint32_t)high, seed};
    return !*at && low <= high && high > 0; /* 0 and 0 would mean the default */
}

weir_status weir_weights_parse(const char *text, weir_weights *weights_out)
{
    static const struct {
        const char *name;
        weir_weights_kind kind;
    } plain[] = {
        {"auto", WEIR_WEIGHTS_AUTO}, {"file", WEIR_WEIGHTS_FILE}, {"unit", WEIR_WEIGHTS_UNIT}};
    weir_weights weights = {WEIR_WEIGHTS_RANDOM, LOW, HIGH, SEED};
    *weights_out = (weir_weights){0};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(text, plain[i].name) == 0) {
            weights.kind = plain[i].kind;
            *weights_out = weights;
            return WEIR_OK;
        }
    if (strncmp(text, "random", 6) != 0 || !take_range(text + 6, &weights))
        return weir__fail(WEIR_ERR_INVALID,
                          "weights '%s': write auto, file, unit or random:LO-HI[:SEED], LO to HI "
                          "within 0 to %u and HI above 0",
                          text, UINT32_MAX);
    *weights_out = weights;
    return WEIR_OK;
}

struct fill {
    const weir_graph *graph;
    uint32_t *weights;
    uint32_t low;
    uint64_t span; /* number of values, at most 2^32 */
    uint64_t seed;
};

/* The row that holds an arc. */
static uint64_t row_of(const weir_graph *graph, uint64_t arc)
{
    uint64_t low = 0, high = graph->vertices; /* offsets[low] <= arc < offsets[high] */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (arc < graph->offsets[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

static void draw(void *user, uint64_t begin, uint64_t end)
{
    const struct fill *fill = user;
    const weir_graph *graph = fill->graph;
    uint64_t v = row_of(graph, begin);
    for (uint64_t i = begin; i < end; i++) {
        while (i >= graph->offsets[v + 1])
            v++;
        uint64_t u = graph->targets[i];
        uint64_t edge = u < v ? u << 32 | v : v << 32 | u;
        fill->weights[i] =
            fill->low + (uint32_t)weir__below(weir__random(fill->seed, edge), fill->span);
    }
}

/* Random weights; equal ones if low and high are the same. */
static weir_status put_random(weir_graph *graph, uint32_t low, uint32_t high, uint64_t seed)
{
    struct fill fill = {.graph = graph, .low = low, .span = (uint64_t)high - low + 1, .seed = seed};
    struct weir__need need = {0, 0};
    const uint64_t begin_ns = weir__now_ns();
    weir_status status;
    weir__need_take(&need, graph->arcs, sizeof *fill.weights);
    if ((status = weir_graph_fetch(graph)) ||
        (status =
             weir__need_fits(&need, "weights of %llu arcs", (unsigned long long)graph->arcs)) ||
        (status = weir__alloc(graph->arcs, sizeof *fill.weights, "weights of arcs", &fill.weights)))
        return status;
    struct weir__activity outer;
    weir__activity_begin(&outer, "drawing weights", NULL, 0);
    status = weir__activity_end(&outer, weir__activity_for("drawing weights", "arcs", graph->arcs,
                                                           ARC_CHUNK, 0, draw, &fill));
    if (status) {
        free(fill.weights);
        return status;
    }
    weir__graph_drop_weights(graph);
    graph->weight_kind = WEIR_WEIGHT_U32;
    graph->weights_u32 = fill.weights;
    graph->negative_line = 0;
    graph->prepare_ms += weir__elapsed_ms(begin_ns);
    return WEIR_OK;
}

weir_status weir_graph_weigh(weir_graph *graph, const weir_weights *weights)
{
    int given = graph->weight_kind != WEIR_WEIGHT_NONE;
    weir_weights_kind kind = weights->kind;
    uint32_t low = weights->low, high = weights->high;
    if (kind == WEIR_WEIGHTS_AUTO)
        kind = given ? WEIR_WEIGHTS_FILE : WEIR_WEIGHTS_RANDOM;
    switch (kind) {
    case WEIR_WEIGHTS_FILE:
        if (given)
            return WEIR_OK;
        return weir__fail(WEIR_ERR_INVALID, "%s has no weights: ask for random or unit ones",
                          graph->name);
    case WEIR_WEIGHTS_UNIT:
        return put_random(graph, 1, 1, SEED);
    case WEIR_WEIGHTS_RANDOM:
        if (!high && !low)
            low = LOW, high = HIGH;
        if (low > high)
            return weir__fail(WEIR_ERR_INVALID, "random weights of %u to %u: there are none", low,
                              high);
        return put_random(graph, low, high, weights->seed);
    default:
        return weir__fail(WEIR_ERR_INVALID, "%d is no kind of weights", (int)weights->kind);
    }
}
