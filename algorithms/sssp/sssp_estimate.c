/** @file sssp_estimate.c  What weights say before the first run: whether distances fit 32 bits, how much
 * a mean arc weighs, and how wide a step of the threshold should be.
 *
 * Chunks of rows are looked at on all cores and added up in their order, so that the sums, which are
 * rounded, do not depend on the number of threads. */
#include "algorithms/sssp/sssp.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

#define ROW_CHUNK  (UINT64_C(1) << 14)
#define NO_ARC     UINT64_MAX
#define MEAN_STEPS 64 /* priorities of a mean weight with 64 bits */
#define SCALE_MAX  1e300
/* 32 bits hold paths of a thousand arcs of this mean weight; with more they are not even tried. */
#define MEAN_NARROW 4194304.0

struct facts {
    double sum, max;
    double longest;    /* sum of the largest weight of each row */
    double squares;    /* of out-degrees, added up */
    uint64_t rows;     /* that have arcs */
    uint64_t negative; /* the first arc that has no weight of 0 or more, or NO_ARC */
    uint64_t nothing;  /* the first arc of weight 0, or NO_ARC */
    int whole;
};

struct look {
    const weir_graph *graph;
    struct facts *facts; /* one a chunk */
};

static double weight_of(const weir_graph *graph, uint64_t arc)
{
    return graph->weights_u32 ? graph->weights_u32[arc] : graph->weights_f64[arc];
}

static void look_at_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct look *look = user;
    const weir_graph *graph = look->graph;
    struct facts facts = {.negative = NO_ARC, .nothing = NO_ARC, .whole = 1};
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t degree = graph->offsets[v + 1] - graph->offsets[v];
        double largest = 0;
        facts.squares += (double)degree * (double)degree;
        facts.rows += degree != 0;
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
            double weight = weight_of(graph, arc);
            if (!(weight >= 0) && facts.negative == NO_ARC)
                facts.negative = arc;
            if (weight == 0 && facts.nothing == NO_ARC)
                facts.nothing = arc;
            facts.whole &= weight == floor(weight);
            facts.sum += weight;
            largest = weight > largest ? weight : largest;
        }
        facts.longest += largest;
        facts.max = largest > facts.max ? largest : facts.max;
    }
    look->facts[begin / ROW_CHUNK] = facts;
}

static weir_status look_at(const weir_graph *graph, struct facts *all)
{
    uint64_t chunks = (graph->vertices + ROW_CHUNK - 1) / ROW_CHUNK;
    struct look look = {graph, NULL};
    weir_status status =
        weir__alloc(chunks, sizeof *look.facts, "what is known of weights", &look.facts);
    if (status)
        return status;
    if ((status = weir__activity_for("looking at weights", "vertices", graph->vertices, ROW_CHUNK,
                                     0, look_at_rows, &look))) {
        free(look.facts);
        return status;
    }
    *all = (struct facts){.negative = NO_ARC, .nothing = NO_ARC, .whole = 1};
    for (uint64_t i = 0; i < chunks; i++) {
        const struct facts *one = &look.facts[i];
        all->sum += one->sum;
        all->longest += one->longest;
        all->squares += one->squares;
        all->rows += one->rows;
        all->max = one->max > all->max ? one->max : all->max;
        all->whole &= one->whole;
        if (all->negative == NO_ARC)
            all->negative = one->negative;
        if (all->nothing == NO_ARC)
            all->nothing = one->nothing;
    }
    free(look.facts);
    return WEIR_OK;
}

/* How wide a step of the threshold is, when a mean arc is `mean` wide. A wide step does work twice, a
 * narrow one starves the lanes, the more so the fewer arcs a vertex has. Measured best with weights of 1
 * to 255: 3200 on road networks (2.5 arcs a vertex), 8 on R-MAT graphs (30 arcs); a power of the degree
 * that goes through both is taken for those between. */
static uint32_t delta(double mean, double degree)
{
    double step = 225 * mean / pow(degree > 1 ? degree : 1, 2.4);
    return step < 1 ? 1 : step > 1e9 ? 1000000000 : (uint32_t)step;
}

/* The width of a bucket in step. Where there are hubs, nearly all is reached through them in the first buckets, and about half an arc of a
 * vertex with a mean number of arcs is best. On an H200, from five sources of R-MAT graphs of scale 22, 24 and 26 with weights of 22 bits, one
 * arc took 0.98, 1.04 and 1.12 times as long, a quarter 0.97, 1.19 and 1.09, two arcs 1.18 and 1.24 (scale 26 was not tried). Weights that are small whole numbers are no finer than 1: then two arcs, or 8 if
 * that is less. Without hubs there are some twenty buckets of several steps each, and six arcs are better: 24 on random graphs of 32
 * arcs a vertex, with weights of 1 to 255. */
static uint32_t delta_step(double mean, double degree, int hubs)
{
    const double arc = mean / (degree > 1 ? degree : 1);
    const double step = hubs ? fmax(arc / 2, fmin(2 * arc, 8)) : 6 * arc;
    return step < 1 ? 1 : step > 1e9 ? 1000000000 : (uint32_t)step;
}

/* In step all devices wait for each other once a step, and a search over a mesh or roads has thousands of
 * them with next to nothing to do. Where a vertex that an arc leads to has many times the arcs of a mean
 * vertex, there are hubs and few steps; and where all have many arcs too. */
#define SKEW_TIMES 8
#define MANY_ARCS  16

static double mean_row(const struct facts *facts, double arcs)
{
    return facts->rows ? arcs / (double)facts->rows : 0;
}

static int has_hubs(const struct facts *facts, double arcs)
{
    return arcs > 0 && facts->squares / arcs >= SKEW_TIMES * mean_row(facts, arcs);
}

static int skewed(const struct facts *facts, double arcs)
{
    return has_hubs(facts, arcs) || mean_row(facts, arcs) >= MANY_ARCS;
}

/* On GPUs what a step costs decides, too. A graph of few arcs and long rows is searched in some tens of rounds, each as long as
 * its longest row: what is done twice costs less than one round more, and steps of 32 mean weights hold nearly all of it.
 * A step of less than a mean weight is not worth its cost where all rows are alike, nor where several GPUs wait for each other. On
 * one GPU it is for R-MAT graphs of 30 arcs a vertex. */
#define FEW_ARCS  (UINT64_C(1) << 22)
#define ALL_MEANS 32

static double least_means(const struct weir__sssp_estimate *estimate, uint32_t gpus)
{
    if (!gpus)
        return 0;
    if (estimate->few)
        return ALL_MEANS;
    return gpus > 1 || !estimate->hubs ? 1 : 0;
}

uint32_t weir__sssp_width(const struct weir__sssp_estimate *estimate, int wide, uint32_t gpus)
{
    const uint32_t width = wide ? estimate->delta_f64 : estimate->delta_u32;
    const double mean = wide ? MEAN_STEPS : estimate->mean;
    const double least = least_means(estimate, gpus) * mean;
    return width < least && least < 1e9 ? (uint32_t)least : width;
}

/* As of an R-MAT graph with weights of 1 to 255. */
static struct weir__sssp_estimate of_sketch(const weir_graph *graph, double degree)
{
    return (struct weir__sssp_estimate){.mean = 128,
                                        .whole = graph->weight_kind == WEIR_WEIGHT_U32,
                                        .nothing = NO_ARC,
                                        .wide = graph->weight_kind != WEIR_WEIGHT_U32,
                                        .scale = MEAN_STEPS / 128.0,
                                        .delta_u32 = delta(128, degree),
                                        .delta_f64 = delta(MEAN_STEPS, degree),
                                        .delta_step = delta_step(128, degree, 1),
                                        .skewed = 1,
                                        .hubs = 1};
}

weir_status weir__sssp_estimate(const weir_graph *graph, struct weir__sssp_estimate *estimate_out)
{
    struct facts facts;
    double degree = graph->vertices ? (double)graph->arcs / (double)graph->vertices : 0;
    weir_status status;
    *estimate_out = (struct weir__sssp_estimate){0};
    if (graph->weight_kind == WEIR_WEIGHT_NONE)
        return weir__fail(WEIR_ERR_INVALID,
                          "shortest paths need weights and %s has none (weir_graph_weigh())",
                          graph->name);
    if (weir__graph_is_sketch(graph)) {
        *estimate_out = of_sketch(graph, degree);
        return WEIR_OK;
    }
    if ((status = look_at(graph, &facts)))
        return status;
    if (facts.negative != NO_ARC && graph->negative_line)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s:%llu: a weight below 0; shortest paths need weights of 0 and more",
                          graph->name, (unsigned long long)graph->negative_line);
    if (facts.negative != NO_ARC)
        return weir__fail(
            WEIR_ERR_INVALID,
            "shortest paths need weights of 0 and more, and %s has one of %g (arc %llu)",
            graph->name, weight_of(graph, facts.negative), (unsigned long long)facts.negative);
    if (!isfinite(facts.longest + facts.max))
        return weir__fail(WEIR_ERR_INVALID,
                          "the weights of %s are so large that paths could pass %g", graph->name,
                          1.7976931348623157e308);
    estimate_out->mean = !graph->arcs          ? 0
                         : isfinite(facts.sum) ? facts.sum / (double)graph->arcs
                                               : facts.max;
    estimate_out->longest = facts.longest + facts.max;
    estimate_out->whole = facts.whole;
    estimate_out->nothing = facts.nothing;
    estimate_out->wide =
        graph->weight_kind != WEIR_WEIGHT_U32 ||
        (estimate_out->longest >= SSSP_U32_FAR && estimate_out->mean >= MEAN_NARROW);
    estimate_out->scale =
        estimate_out->mean > 0 ? fmin(MEAN_STEPS / estimate_out->mean, SCALE_MAX) : 0;
    estimate_out->skewed = skewed(&facts, (double)graph->arcs);
    estimate_out->hubs = has_hubs(&facts, (double)graph->arcs);
    estimate_out->delta_step = delta_step(estimate_out->mean, degree, estimate_out->hubs);
    estimate_out->few = estimate_out->skewed && graph->arcs <= FEW_ARCS;
    estimate_out->delta_u32 = delta(estimate_out->mean, degree);
    estimate_out->delta_f64 = delta(estimate_out->mean > 0 ? MEAN_STEPS : 0, degree);
    return WEIR_OK;
}
