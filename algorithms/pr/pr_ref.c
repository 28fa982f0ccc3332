/** @file pr_ref.c  PageRank for comparison: power iteration in doubles.
 *
 * This is what --verify compares with where tolerances are small, so it shares nothing with the engine but the
 * graph. It goes on until doubles have no better answer. A rank is added up in the order of the vertices that give
 * to it, as a serial loop would, whatever the number of cores; to take seconds and not minutes, it first finds
 * out who gives to whom, and then each vertex is one core's. */
#include "algorithms/pr/pr.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

#define CHANGE_LEAST 1e-15
#define CALM         20 /* iterations without a smaller change than ever before: it no longer falls */
#define CHUNK        (UINT64_C(1) << 10) /* vertices; few, since some have most of the arcs */
#define ALONE        (UINT64_C(1) << 18) /* arcs and vertices that are not worth a second thread */

/* What a chunk of vertices adds to sums, which are added up in the order of chunks. */
struct part {
    double change, dangling;
};

struct reference {
    const weir_graph *graph;
    uint64_t *into; /* givers of vertex v are into[v] to into[v + 1] - 1 of giver, by number */
    uint32_t *giver;
    double *rank;     /* the caller's */
    double *share[2]; /* of each out-arc, by vertex: before and after an iteration */
    struct part *part;
    double damping, even; /* the second: what every vertex gets */
};

static void reference_free(struct reference *reference)
{
    free(reference->into);
    free(reference->giver);
    free(reference->share[0]);
    free(reference->share[1]);
    free(reference->part);
}

void weir__pr_reference_need(const weir_graph *graph, struct weir__need *need)
{
    const int64_t before = need->held;
    weir__need_take(need, graph->vertices + 1, sizeof(uint64_t));
    weir__need_take(need, graph->arcs, sizeof(uint32_t));
    weir__need_take(need, graph->vertices, 2 * sizeof(double));
    need->held = before;
}

static weir_status reference_alloc(struct reference *reference)
{
    const weir_graph *graph = reference->graph;
    const uint64_t n = graph->vertices;
    weir_status status;
    if ((status = weir__calloc(n + 1, sizeof *reference->into, "the reference's offsets",
                               &reference->into)) ||
        (status = weir__alloc(graph->arcs, sizeof *reference->giver, "the reference's arcs",
                              &reference->giver)) ||
        (status = weir__alloc(n, sizeof(double), "the reference's shares", &reference->share[0])) ||
        (status = weir__alloc(n, sizeof(double), "the reference's shares", &reference->share[1])))
        return status;
    return weir__alloc(n / CHUNK + 1, sizeof *reference->part, "the reference's sums",
                       &reference->part);
}

/* Arcs by where they lead to. Filled from the end, ends of rows become beginnings. */
static weir_status turn_round(struct reference *reference)
{
    const weir_graph *graph = reference->graph;
    uint64_t *into = reference->into, end = 0, turned = 0;
    weir_status status = WEIR_OK;
    for (uint64_t arc = 0; arc < graph->arcs && !(status = weir__activity_at(arc)); arc++)
        into[graph->targets[arc]]++;
    for (uint64_t v = 0; v <= graph->vertices; v++)
        into[v] = end += into[v];
    for (uint64_t v = graph->vertices; v-- > 0 && !status; status = weir__activity_at(turned++))
        for (uint64_t arc = graph->offsets[v + 1]; arc-- > graph->offsets[v];)
            reference->giver[--into[graph->targets[arc]]] = (uint32_t)v;
    return status;
}

/* A vertex has this rank now. */
static void hand_out(struct reference *reference, uint64_t v, double rank, struct part *part)
{
    const uint64_t degree = reference->graph->offsets[v + 1] - reference->graph->offsets[v];
    part->change += fabs(rank - reference->rank[v]);
    part->dangling += degree ? 0 : rank;
    reference->rank[v] = rank;
    reference->share[1][v] = degree ? rank / (double)degree : 0;
}

/* The next rank of vertices begin to end - 1. */
static void receive(void *user, uint64_t begin, uint64_t end)
{
    struct reference *reference = user;
    struct part part = {0, 0};
    for (uint64_t v = begin; v < end; v++) {
        long double sum =
            0; /* millions of shares, rounded in doubles, are off by more than is asked */
        for (uint64_t i = reference->into[v]; i < reference->into[v + 1]; i++)
            sum += reference->share[0][reference->giver[i]];
        hand_out(reference, v, reference->even + reference->damping * (double)sum, &part);
    }
    reference->part[begin / CHUNK] = part;
}

static void start(void *user, uint64_t begin, uint64_t end)
{
    struct reference *reference = user;
    struct part part = {0, 0};
    for (uint64_t v = begin; v < end; v++) {
        reference->rank[v] = 0;
        hand_out(reference, v, 1 / (double)reference->graph->vertices, &part);
    }
    reference->part[begin / CHUNK] = part;
}

/* All vertices. @param[out] all_out  what they add to sums. */
static weir_status sweep(struct reference *reference,
                         void (*fn)(void *user, uint64_t begin, uint64_t end), struct part *all_out)
{
    const weir_graph *graph = reference->graph;
    struct part all = {0, 0};
    double *before = reference->share[0];
    weir_status status =
        weir__activity_for("iterating by the reference", "vertices", graph->vertices, CHUNK,
                           graph->arcs + graph->vertices < ALONE, fn, reference);
    if (status)
        return status;
    for (uint64_t chunk = 0; chunk * CHUNK < graph->vertices; chunk++) {
        all.change += reference->part[chunk].change;
        all.dangling += reference->part[chunk].dangling;
    }
    reference->share[0] = reference->share[1];
    reference->share[1] = before;
    *all_out = all;
    return WEIR_OK;
}

static weir_status iterate(struct reference *reference, const weir_pr_config *config)
{
    const double d = config->damping, n = (double)reference->graph->vertices;
    double least = INFINITY;
    struct part all = {0, 0};
    weir_status status = sweep(reference, start, &all);
    for (uint32_t calm = 0, done = 0; calm < CALM && least >= CHANGE_LEAST && !status; done++) {
        if (config->iterations && done == config->iterations)
            break;
        const double spread = config->dangling == WEIR_DANGLING_SPREAD ? all.dangling : 0;
        reference->even = ((1 - d) + d * spread) / n;
        status = sweep(reference, receive, &all);
        calm = all.change < least ? 0 : calm + 1;
        least = all.change < least ? all.change : least;
    }
    return status;
}

weir_status weir__pr_reference_config(const char *who, const weir_pr_config *config,
                                      weir_pr_config *config_out)
{
    weir_status status = weir__sized_in(config_out, sizeof *config_out, config, "weir_pr_config");
    if (!status && !(config_out->damping >= 0 && config_out->damping < 1))
        status = weir__fail(WEIR_ERR_INVALID, "%s: a damping of %g: from 0 to below 1", who,
                            config_out->damping);
    return status;
}

weir_status weir_pr_reference(const weir_graph *graph, const weir_pr_config *config,
                              double *ranks_out)
{
    struct reference reference = {.graph = graph, .rank = ranks_out};
    struct weir__need need = {0, 0};
    weir_pr_config checked = WEIR_PR_CONFIG_INIT;
    weir_status status;
    if (!graph || !ranks_out)
        return weir__fail(WEIR_ERR_INVALID, "weir_pr_reference: no graph or no room for ranks");
    if ((status = weir__pr_reference_config("weir_pr_reference", config, &checked)) ||
        (status = weir_graph_fetch(graph)))
        return status;
    reference.damping = checked.damping;
    weir__pr_reference_need(graph, &need);
    if (!(status = weir__need_fits(&need, "the reference's PageRank of %s", graph->name)))
        status = reference_alloc(&reference);
    struct weir__activity outer;
    weir__activity_begin(&outer, "turning arcs round for the reference", "arcs", graph->arcs);
    if (!status && graph->vertices && !(status = turn_round(&reference)))
        status = iterate(&reference, &checked);
    (void)weir__activity_end(&outer, status);
    reference_free(&reference);
    return status;
}
