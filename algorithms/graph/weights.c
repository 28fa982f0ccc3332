/** @file weights.c  Weights in place of those a graph came with: parsed, drawn, put in.
 *
 * A random weight is a function of the two ends of its arc, the smaller one first, and of the seed. So
 * both directions of an edge weigh the same, and neither the order in which arcs were loaded nor the
 * number of threads changes a value. */
#include "algorithms/algorithms.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "algorithms/graph/read.h"
#include "runtime/observe.h"
#include "runtime/support.h"
#include "runtime/room.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARC_CHUNK (UINT64_C(1) << 16)
#define LOW       1
#define HIGH      255
#define SEED      1
/* Floats are multiples of a power of two with so many bits: a number of single precision holds 24, and of sums with 32 bits 10 are
 * left for the length of a path (sssp_estimate.c). */
#define FLOAT_BITS 22

/* ---- text ---------------------------------------------------------------------------------- */

/* Whether what stands behind "random:" asks for floats: 'f' ends the range. */
static int asks_floats(const char *at)
{
    size_t length = strcspn(at, ":");
    return length && at[length - 1] == 'f';
}

static weir_status refuse_floats(const char *text, const char *why)
{
    return weir__fail(WEIR_ERR_INVALID,
                      "weights '%s': %s; write random:LO-HIf[:SEED], numbers from 0 up to %.3g, HI "
                      "at least %.3g",
                      text, why, (double)FLT_MAX, (double)FLT_MIN);
}

/* Up to where HI is, and what is behind it. @return 0: that is not how it is written. */
static int take_floats(const char *at, double *low, double *high, uint64_t *seed)
{
    *seed = SEED;
    if (!(at = weir__parse_real(at, low)) || *at++ != '-' || !(at = weir__parse_real(at, high)) ||
        *at++ != 'f')
        return 0;
    if (*at == ':' && (++at, !weir__take_parameter(&at, 0, UINT64_MAX, seed)))
        return 0;
    return !*at;
}

/* The multiple of 2^exponent that is nearest. */
static uint32_t multiple(double value, int exponent)
{
    const double times = nearbyint(ldexp(value, -exponent));
    return times < (1 << FLOAT_BITS) ? (uint32_t)times : (1 << FLOAT_BITS) - 1;
}

static weir_status parse_floats(const char *text, weir_weights *weights)
{
    double low, high;
    uint64_t seed;
    if (!take_floats(text + strlen("random:"), &low, &high, &seed))
        return refuse_floats(text, "that is no range of numbers");
    if (!(low >= 0) || !(high >= 0))
        return refuse_floats(text, isnan(low) || isnan(high)
                                       ? "a number is too small for any double"
                                       : "weights are not negative");
    if (high > (double)FLT_MAX || high < (double)FLT_MIN)
        return refuse_floats(text, "HI is no number of single precision above 0");
    if (low > high)
        return refuse_floats(text, "LO is above HI");
    const int exponent = ilogb(high) - (FLOAT_BITS - 1);
    *weights = (weir_weights){.kind = WEIR_WEIGHTS_FLOATS,
                              .low = multiple(low, exponent),
                              .high = multiple(high, exponent),
                              .seed = seed,
                              .exponent = exponent};
    if (low > 0 && !weights->low) /* who asks for weights above 0 gets such */
        weights->low = 1;
    return WEIR_OK;
}

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
    *weights = (weir_weights){
        .kind = WEIR_WEIGHTS_RANDOM, .low = (uint32_t)low, .high = (uint32_t)high, .seed = seed};
    return !*at && low <= high && high > 0; /* 0 and 0 would mean the default */
}

weir_status weir_weights_parse(const char *text, weir_weights *weights_out)
{
    static const struct {
        const char *name;
        weir_weights_kind kind;
    } plain[] = {
        {"auto", WEIR_WEIGHTS_AUTO}, {"file", WEIR_WEIGHTS_FILE}, {"unit", WEIR_WEIGHTS_UNIT}};
    weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .low = LOW, .high = HIGH, .seed = SEED};
    *weights_out = (weir_weights){0};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(text, plain[i].name) == 0) {
            weights.kind = plain[i].kind;
            *weights_out = weights;
            return WEIR_OK;
        }
    if (strncmp(text, "random:", 7) == 0 && asks_floats(text + 7)) {
        weir_status status = parse_floats(text, &weights);
        if (!status)
            *weights_out = weights;
        return status;
    }
    if (strncmp(text, "random", 6) != 0 || !take_range(text + 6, &weights))
        return weir__fail(
            WEIR_ERR_INVALID,
            "weights '%s': write auto, file, unit, random:LO-HIf[:SEED] for floats or "
            "random:LO-HI[:SEED], LO to HI within 0 to %u and HI above 0",
            text, UINT32_MAX);
    *weights_out = weights;
    return WEIR_OK;
}

/* ---- weights ------------------------------------------------------------------------------- */

struct fill {
    const weir_graph *graph;
    uint32_t *weights;
    double *floats; /* in place of them; else NULL */
    double unit;    /* of floats */
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
        const uint32_t drawn =
            fill->low + (uint32_t)weir__below(weir__random(fill->seed, edge), fill->span);
        if (fill->floats)
            fill->floats[i] = drawn * fill->unit; /* exact: a power of two */
        else
            fill->weights[i] = drawn;
    }
}

/* Random weights; equal ones if low and high are the same. */
static weir_status put_random(weir_graph *graph, int floats, const weir_weights *weights)
{
    struct fill fill = {.graph = graph,
                        .unit = ldexp(1, weights->exponent),
                        .low = weights->low,
                        .span = (uint64_t)weights->high - weights->low + 1,
                        .seed = weights->seed};
    const size_t bytes = floats ? sizeof *fill.floats : sizeof *fill.weights;
    struct weir__need need = {0, 0};
    const uint64_t begin_ns = weir__now_ns();
    void *values;
    weir_status status;
    weir__need_take(&need, graph->arcs, bytes);
    if ((status = weir_graph_fetch(graph)) ||
        (status =
             weir__need_fits(&need, "weights of %llu arcs", (unsigned long long)graph->arcs)) ||
        (status = weir__alloc(graph->arcs, bytes, "weights of arcs", &values)))
        return status;
    fill.weights = floats ? NULL : values;
    fill.floats = floats ? values : NULL;
    struct weir__activity outer;
    weir__activity_begin(&outer, "drawing weights", NULL, 0);
    status = weir__activity_end(&outer, weir__activity_for("drawing weights", "arcs", graph->arcs,
                                                           ARC_CHUNK, 0, draw, &fill));
    if (status) {
        free(values);
        return status;
    }
    weir__graph_drop_weights(graph);
    graph->weight_kind = floats ? WEIR_WEIGHT_F64 : WEIR_WEIGHT_U32;
    graph->weights_u32 = fill.weights;
    graph->weights_f64 = fill.floats;
    graph->negative_line = 0;
    graph->prepare_ms += weir__elapsed_ms(begin_ns);
    return WEIR_OK;
}

/* Floats that weir_weights_parse() would make: sums of them are exact as long as those of integers. */
static weir_status check_floats(const weir_weights *weights)
{
    const uint32_t most = (1 << FLOAT_BITS) - 1;
    if (weights->high > most || weights->exponent < FLT_MIN_EXP - 1 - (FLOAT_BITS - 1) ||
        weights->exponent > FLT_MAX_EXP - FLOAT_BITS)
        return weir__fail(WEIR_ERR_INVALID,
                          "floats of up to %u times 2^%d: up to %u times 2^%d .. 2^%d are held",
                          weights->high, (int)weights->exponent, most,
                          FLT_MIN_EXP - 1 - (FLOAT_BITS - 1), FLT_MAX_EXP - FLOAT_BITS);
    return WEIR_OK;
}

weir_status weir_graph_weigh(weir_graph *graph, const weir_weights *weights)
{
    int given = graph->weight_kind != WEIR_WEIGHT_NONE;
    weir_weights is = *weights;
    weir_status status;
    if (is.kind == WEIR_WEIGHTS_AUTO)
        is.kind = given ? WEIR_WEIGHTS_FILE : WEIR_WEIGHTS_RANDOM;
    switch (is.kind) {
    case WEIR_WEIGHTS_FILE:
        if (given)
            return WEIR_OK;
        return weir__fail(WEIR_ERR_INVALID, "%s has no weights: ask for random or unit ones",
                          graph->name);
    case WEIR_WEIGHTS_UNIT:
        is.low = is.high = 1;
        return put_random(graph, 0, &is);
    case WEIR_WEIGHTS_FLOATS:
        if ((status = check_floats(&is)))
            return status;
        break;
    case WEIR_WEIGHTS_RANDOM:
        is.exponent = 0;
        if (!is.high && !is.low) {
            is.low = LOW;
            is.high = HIGH;
        }
        break;
    default:
        return weir__fail(WEIR_ERR_INVALID, "%d is no kind of weights", (int)weights->kind);
    }
    if (is.low > is.high)
        return weir__fail(WEIR_ERR_INVALID, "random weights of %u to %u: there are none", is.low,
                          is.high);
    return put_random(graph, is.kind == WEIR_WEIGHTS_FLOATS, &is);
}
