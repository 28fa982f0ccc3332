/** @file sssp_certify.c  Distances judged on the devices of a context.
 *
 * No arc offers its head less than it has: so no distance is larger than that of any path. And every vertex that was reached is *held*:
 * an arc offers exactly what it has, from a tail that is held, back to the source: so there is a path of that length. An arc of positive
 * length holds its head without a look at the tail, which is nearer: by induction on the distance it is held too, or named itself. An arc
 * that adds nothing (of length 0, or too short to change a sum in doubles) holds its head only if the tail is held, since a circle of
 * such arcs would hold itself. Where a vertex has no other, one more pass over the arcs tells which are held by one that is held
 * already, and from those on a queue on the host goes along such arcs alone, each once: rounds over all arcs would be as many as the
 * longest chain of them. */
#include "algorithms/reference.h"
#include "algorithms/sssp/sssp_rules.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

struct paths {
    const weir_graph *graph;
    uint64_t source;
    const double *distances;
    const int64_t *parents;       /* NULL: there is no tree */
    uint32_t *held, *more, *room; /* marks */
    int level;                    /* this pass looks at arcs that add nothing */
};

static weir_status look(void *user, struct weir__certify_on *on)
{
    struct paths *paths = user;
    const uint64_t n = paths->graph->vertices, words = weir__certify_words(n);
    sssp_certify_args args = {
        .share = on->share, .source = paths->source, .vertices = n, .infinity = (double)INFINITY};
    weir_status status;
    if ((status = weir__certify_bring(on, "distances", paths->distances, n, sizeof(double),
                                      &args.distances)) ||
        (paths->parents && (status = weir__certify_bring(on, "parents", paths->parents, n,
                                                         sizeof(int64_t), &args.parents))) ||
        (paths->level && (status = weir__certify_bring(on, "vertices that are held", paths->held,
                                                       words, sizeof(uint32_t), &args.held))) ||
        (status = weir__certify_bring(on, "marks of vertices", NULL, words, sizeof(uint32_t),
                                      &args.marks)))
        return status;
    args.here = on->here;
    if ((!paths->level && (status = weir__certify_vertices(on, &weir__sssp_certify_vertices_kernel,
                                                           &args, sizeof args))) ||
        (status = weir__certify_arcs(
             on, paths->level ? &weir__sssp_certify_level_kernel : &weir__sssp_certify_arcs_kernel,
             &args.here, &args, sizeof args)))
        return status;
    return weir__certify_join_marks(on, args.marks, paths->level ? paths->more : paths->held,
                                    paths->room);
}

/* ---- arcs that add nothing ---------------------------------------------------------------------------- */

static int hangs(const void *user, uint64_t v)
{
    const struct paths *paths = user;
    return paths->distances[v] < (double)INFINITY && !certify_marked(paths->held, v);
}

/* Hold what is held by the vertices of the queue, and by what is held by those. Nobody marks meanwhile. */
static weir_status follow(struct paths *paths, uint32_t *queue, uint64_t count)
{
    const weir_graph *graph = paths->graph;
    const arcs_piece all = {.weights_u32 = graph->weights_u32, .weights_f64 = graph->weights_f64};
    weir_status status = WEIR_OK;
    for (uint64_t at = 0; at < count && !status; at++) {
        const uint32_t v = queue[at];
        const double from = paths->distances[v];
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + UINT64_C(1)]; arc++) {
            const uint32_t head = graph->targets[arc];
            if (paths->distances[head] != from || certify_marked(paths->held, head) ||
                sssp_offer(&all, arc, from) != from || !sssp_may_hold(paths->parents, v, head))
                continue;
            certify_mark(paths->held, head);
            queue[count++] = head;
        }
        if (at % 1024 == 0)
            status = weir__activity_went(0);
    }
    return status;
}

static weir_status hold_level(weir_context *context, struct paths *paths)
{
    const uint64_t n = paths->graph->vertices, words = weir__certify_words(n);
    uint64_t found[CERTIFY_FOUND], hanging = 0, count = 0;
    uint32_t *queue = NULL;
    weir_status status;
    for (uint64_t v = 0; v < n; v++)
        hanging += (uint64_t)hangs(paths, v);
    paths->level = 1;
    weir__activity_expect(paths->graph->arcs);
    if ((status = weir__calloc(words, sizeof(uint32_t), "marks of vertices", &paths->more)) ||
        (status = weir__alloc(hanging, sizeof *queue, "vertices that hold others", &queue)) ||
        (status = weir__certify_each(context, paths->graph, 1, look, paths, found)))
        goto out;
    for (uint64_t v = 0; v < n; v++)
        if (certify_marked(paths->more, v)) {
            certify_mark(paths->held, v);
            queue[count++] = (uint32_t)v;
        }
    status = follow(paths, queue, count);
out:
    free(paths->more);
    free(queue);
    return status;
}

/* ---- the call ---------------------------------------------------------------------------------------- */

weir_status weir__sssp_breaks(const weir_graph *graph, const double *distances,
                              const int64_t *parents, const struct weir__certify_broken *broken)
{
    const unsigned long long v = broken->vertex;
    const double distance = distances[v];
    if (broken->rule == SSSP_SHORTER) {
        const arcs_piece all = {.weights_u32 = graph->weights_u32,
                                .weights_f64 = graph->weights_f64};
        const uint32_t head = graph->targets[broken->arc];
        return weir__fail(WEIR_ERR_VERIFY,
                          "vertex %llu at distance %.17g has an arc that offers vertex %u a "
                          "distance of %.17g, but that has %.17g",
                          v, distance, head, sssp_offer(&all, broken->arc, distance),
                          distances[head]);
    }
    if (parents && broken->rule != SSSP_SOURCE && broken->rule != SSSP_NUMBER)
        return weir__fail(WEIR_ERR_VERIFY, "vertex %llu at distance %.17g has parent %lld, but %s",
                          v, distance, (long long)parents[v],
                          broken->rule == SSSP_ROOT ? "the source must be its own parent"
                          : broken->rule == SSSP_BOTH
                              ? "distances and tree must have reached the same"
                          : broken->rule == SSSP_NO_VERTEX ? "a parent must be a vertex"
                                                           : "no path through it is that long");
    return weir__fail(WEIR_ERR_VERIFY, "vertex %llu has distance %.17g, but %s", v, distance,
                      broken->rule == SSSP_SOURCE   ? "it is the source, which has 0"
                      : broken->rule == SSSP_NUMBER ? "a distance must be 0 or more, or inf"
                                                    : "no path from the source is that long");
}

static weir_status certify(weir_context *context, struct paths *paths)
{
    const uint64_t n = paths->graph->vertices;
    uint64_t found[CERTIFY_FOUND], hanging = UINT64_MAX;
    weir_status status;
    certify_mark(paths->held, paths->source);
    if ((status = weir__certify_each(context, paths->graph, 1, look, paths, found)) ||
        (status = weir__certify_first("looking for what is not held", "vertices", n, hangs, paths,
                                      &hanging)))
        return status;
    if (hanging != UINT64_MAX &&
        ((status = hold_level(context, paths)) ||
         (status = weir__certify_first("looking for what is not held", "vertices", n, hangs, paths,
                                       &hanging))))
        return status;
    const struct weir__certify_broken broken =
        weir__certify_broken_of(paths->graph, found, hanging, SSSP_HANGS);
    return broken.vertex == UINT64_MAX
               ? WEIR_OK
               : weir__sssp_breaks(paths->graph, paths->distances, paths->parents, &broken);
}

static int is_negative(const void *user, uint64_t arc)
{
    return !(((const double *)user)[arc] >= 0);
}

weir_status weir__sssp_check_weights(const weir_graph *graph)
{
    uint64_t first = UINT64_MAX;
    weir_status status = WEIR_OK;
    if (graph->weight_kind == WEIR_WEIGHT_NONE)
        return weir__fail(WEIR_ERR_INVALID, "shortest paths need weights, %s has none",
                          graph->name);
    if (graph->weights_f64)
        status = weir__certify_first("looking at weights", "arcs", graph->arcs, is_negative,
                                     graph->weights_f64, &first);
    return status || first == UINT64_MAX
               ? status
               : weir__fail(WEIR_ERR_INVALID, "arc %llu of %s weighs %g: not 0 or more",
                            (unsigned long long)first, graph->name, graph->weights_f64[first]);
}

void weir__sssp_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                             struct weir__need *need)
{
    struct weir__need own = *need;
    weir__need_take(&own, 3 * weir__certify_words(graph->vertices), sizeof(uint32_t));
    weir__need_take(&own, graph->vertices, sizeof(uint32_t));
    weir__certify_need(context, graph, 1, sizeof(double) + (parents ? sizeof(int64_t) : 0) + 1,
                       &own);
    need->most = own.most;
}

weir_status weir_sssp_certify(weir_context *context, const weir_graph *graph, uint64_t source,
                              const double *distances, const int64_t *parents)
{
    struct paths paths = {
        .graph = graph, .source = source, .distances = distances, .parents = parents};
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    weir_status status;
    if ((status = weir__certify_check("weir_sssp_certify", context, graph, distances)) ||
        (status = weir__certify_check_source(graph, source)) || (status = weir_graph_fetch(graph)))
        return status;
    const uint64_t words = weir__certify_words(graph->vertices);
    weir__sssp_certify_need(context, graph, parents != NULL, &need);
    if (!(status = weir__need_fits(&need, "the certificate of paths in %s", graph->name)) &&
        !(status = weir__calloc(words, sizeof(uint32_t), "marks of vertices", &paths.held)) &&
        !(status = weir__alloc(words, sizeof(uint32_t), "marks of a device", &paths.room))) {
        weir__activity_begin(&outer, "certifying distances", "arcs", graph->arcs);
        if (!(status = weir__sssp_check_weights(graph)))
            status = certify(context, &paths);
        (void)weir__activity_end(&outer, status);
    }
    free(paths.held);
    free(paths.room);
    return status;
}
