/** @file cc_certify.c  Labels of components judged on the devices of a context.
 *
 * A label is a vertex that is labelled with itself, and none that has it is smaller: a *root*. Both ends of every arc have one label: so
 * no component is split. Then as many roots as components mean that no two components share one, and a root is the smallest vertex of its
 * component. Components are counted apart from the labels: each device puts the arcs that it gets into a forest of its own, whose trees
 * hang on their smallest vertices, and the forests are joined on the host. */
#include "algorithms/algorithms.h"
#include "algorithms/cc/cc_certify_op.h"
#include "algorithms/common/certify.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define CHUNK (UINT64_C(1) << 16)

struct labels {
    const uint32_t *labels;
    uint64_t vertices;
    uint32_t *forest, *room;
    int has_forest; /* a device's, or several joined; guarded by the certificate's lock */
};

static void join_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct labels *l = user;
    for (uint64_t v = begin; v < end; v++)
        if (l->room[v] != v)
            cc_certify_join(l->forest, (uint32_t)v, l->room[v]);
}

static weir_status join_forest(struct labels *l, struct weir__certify_on *on,
                               const uint32_t *placed)
{
    weir__certify_lock(on);
    const weir_status status = weir__certify_fetch(on, l->has_forest ? l->room : l->forest, placed,
                                                   (size_t)l->vertices * sizeof *placed);
    if (!status && l->has_forest)
        weir__parallel_for(l->vertices, CHUNK, 0, join_chunk, l);
    l->has_forest = 1;
    weir__certify_unlock(on);
    return status;
}

static weir_status look(void *user, struct weir__certify_on *on)
{
    struct labels *l = user;
    cc_certify_args args = {.share = on->share};
    weir_status status;
    if ((status = weir__certify_bring(on, "labels", l->labels, l->vertices, sizeof(uint32_t),
                                      &args.labels)) ||
        (status = weir__certify_bring(on, "a forest of the arcs", NULL, l->vertices,
                                      sizeof(uint32_t), &args.forest)))
        return status;
    args.here = on->here;
    if ((status = weir__certify_vertices(on, &weir__cc_certify_start_kernel, &args, sizeof args)) ||
        (status =
             weir__certify_vertices(on, &weir__cc_certify_vertices_kernel, &args, sizeof args)) ||
        (status =
             weir__certify_arcs(on, &weir__cc_certify_arcs_kernel, &args.here, &args, sizeof args)))
        return status;
    return join_forest(l, on, args.forest);
}

/* ---- roots ------------------------------------------------------------------------------------------- */

struct roots {
    const struct labels *labels;
    uint64_t components, labelled; /* relaxed atomics */
};

static void count_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct roots *roots = user;
    uint64_t components = 0, labelled = 0;
    for (uint64_t v = begin; v < end; v++) {
        components += roots->labels->forest[v] == v;
        labelled += roots->labels->labels[v] == v;
    }
    __atomic_fetch_add(&roots->components, components, __ATOMIC_RELAXED);
    __atomic_fetch_add(&roots->labelled, labelled, __ATOMIC_RELAXED);
}

/* Whether a vertex is the smallest of a component, and its label is another component's. */
static int is_joined(const void *user, uint64_t v)
{
    const struct labels *l = user;
    return l->forest[v] == v && l->labels[v] != v;
}

static weir_status breaks(const weir_graph *graph, const struct labels *l,
                          const struct roots *roots, const struct weir__certify_broken *broken)
{
    const unsigned long long v = broken->vertex;
    const weir_status status = weir_graph_fetch(graph);
    if (status)
        return status;
    const uint32_t label = l->labels[v];
    switch (broken->rule) {
    case CC_LABEL:
        return weir__fail(WEIR_ERR_VERIFY,
                          "vertex %llu has label %u, but no label may be larger than its vertex", v,
                          label);
    case CC_ROOT:
        return weir__fail(WEIR_ERR_VERIFY,
                          "vertex %llu has label %u, but that vertex has label %u itself", v, label,
                          l->labels[label]);
    case CC_SPLIT:
        return weir__fail(
            WEIR_ERR_VERIFY,
            "vertex %llu has label %u and an arc to vertex %u with label %u, but both "
            "ends of an arc must have one label",
            v, label, graph->targets[broken->arc], l->labels[graph->targets[broken->arc]]);
    default:
        return weir__fail(WEIR_ERR_VERIFY,
                          "vertex %llu has label %u, but no arcs join the two: there are %llu "
                          "components and %llu labels",
                          v, label, (unsigned long long)roots->components,
                          (unsigned long long)roots->labelled);
    }
}

static weir_status certify(weir_context *context, const weir_graph *graph, struct labels *l)
{
    struct roots roots = {l, 0, 0};
    uint64_t found[CERTIFY_FOUND], joined = UINT64_MAX;
    weir_status status;
    if ((status = weir__certify_each(context, graph, 0, look, l, found)) ||
        (status = weir__activity_for("counting components", "vertices", graph->vertices, CHUNK, 0,
                                     count_chunk, &roots)))
        return status;
    /* There are as many roots as components or, if all arcs are kept, less. */
    if (roots.components != roots.labelled &&
        (status = weir__certify_first("looking for what is joined", "vertices", graph->vertices,
                                      is_joined, l, &joined)))
        return status;
    const struct weir__certify_broken broken =
        weir__certify_broken_of(graph, found, joined, CC_JOINED);
    return broken.vertex == UINT64_MAX ? WEIR_OK : breaks(graph, l, &roots, &broken);
}

void weir__cc_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                           struct weir__need *need)
{
    struct weir__need own = *need;
    (void)parents; /* there is no tree */
    weir__need_take(&own, graph->vertices, 2 * sizeof(uint32_t));
    weir__certify_need(context, graph, 0, 2 * sizeof(uint32_t), &own);
    need->most = own.most;
}

weir_status weir_cc_certify(weir_context *context, const weir_graph *graph, const uint32_t *labels)
{
    struct labels l = {.labels = labels};
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    weir_status status;
    if ((status = weir__certify_check("weir_cc_certify", context, graph, labels)) ||
        !graph->vertices)
        return status;
    l.vertices = graph->vertices;
    weir__cc_certify_need(context, graph, 0, &need);
    if (!(status =
              weir__need_fits(&need, "the certificate of the components of %s", graph->name)) &&
        !(status = weir__alloc(l.vertices, sizeof(uint32_t), "a forest of the arcs", &l.forest)) &&
        !(status = weir__alloc(l.vertices, sizeof(uint32_t), "a device's forest", &l.room))) {
        weir__activity_begin(&outer, "certifying labels", "arcs", graph->arcs);
        status = weir__activity_end(&outer, certify(context, graph, &l));
    }
    free(l.forest);
    free(l.room);
    return status;
}
