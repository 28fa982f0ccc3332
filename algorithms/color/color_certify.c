/** @file color_certify.c  Colours judged on the devices of a context: no arc has ends of one colour, and no colour is larger than a greedy
 * colouring can need, which is the largest number of neighbours of a vertex. */
#include "algorithms/algorithms.h"
#include "algorithms/color/color_certify_op.h"
#include "algorithms/common/certify.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

struct colors {
    const uint32_t *colors;
    uint64_t vertices;
    uint32_t most;
};

static weir_status look(void *user, struct weir__certify_on *on)
{
    struct colors *c = user;
    color_certify_args args = {.share = on->share, .most = c->most};
    weir_status status;
    if ((status = weir__certify_bring(on, "colours", c->colors, c->vertices, sizeof(uint32_t),
                                      &args.colors)))
        return status;
    args.here = on->here;
    if ((status =
             weir__certify_vertices(on, &weir__color_certify_vertices_kernel, &args, sizeof args)))
        return status;
    return weir__certify_arcs(on, &weir__color_certify_arcs_kernel, &args.here, &args, sizeof args);
}

/* Arcs that come to each vertex; only where they are not those that leave it. */
static weir_status count_in(const weir_graph *graph, uint32_t *in)
{
    weir_status status = weir_graph_fetch(graph);
    for (uint64_t v = 0; v < graph->vertices && !status; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            in[graph->targets[i]]++;
        if (v % WEIR__LOOK_EACH == 0)
            status = weir__activity_went(0); /* arcs are counted where they are judged */
    }
    return status;
}

static weir_status find_most(const weir_graph *graph, uint32_t *most_out)
{
    uint32_t *in = NULL;
    uint64_t most = 0;
    weir_status status = WEIR_OK;
    if (!graph->mirrored &&
        !(status = weir__calloc(graph->vertices, sizeof *in, "counts of in-arcs", &in)))
        status = count_in(graph, in);
    for (uint64_t v = 0; v < graph->vertices && !status; v++) {
        const uint64_t degree = graph->offsets[v + 1] - graph->offsets[v] + (in ? in[v] : 0);
        most = degree > most ? degree : most;
    }
    free(in);
    *most_out = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    return status;
}

static weir_status certify(weir_context *context, const weir_graph *graph, struct colors *c)
{
    uint64_t found[CERTIFY_FOUND];
    weir_status status;
    if ((status = find_most(graph, &c->most)) ||
        (status = weir__certify_each(context, graph, 0, look, c, found)))
        return status;
    const struct weir__certify_broken broken =
        weir__certify_broken_of(graph, found, UINT64_MAX, COLOR_HOLDS);
    const unsigned long long v = broken.vertex;
    if (broken.vertex == UINT64_MAX)
        return WEIR_OK;
    if (broken.rule == COLOR_MANY)
        return weir__fail(WEIR_ERR_VERIFY,
                          "vertex %llu has color %u, but no vertex has more than %u neighbours", v,
                          c->colors[v], c->most);
    if ((status = weir_graph_fetch(graph)))
        return status;
    return weir__fail(WEIR_ERR_VERIFY,
                      "vertex %llu has color %u and an arc to vertex %u, which has the same", v,
                      c->colors[v], graph->targets[broken.arc]);
}

void weir__color_certify_need(const weir_context *context, const weir_graph *graph, int parents,
                              struct weir__need *need)
{
    (void)parents; /* there is no tree */
    weir__need_pass(need, graph->mirrored ? 0 : graph->vertices, sizeof(uint32_t));
    weir__certify_need(context, graph, 0, sizeof(uint32_t), need);
}

weir_status weir_color_certify(weir_context *context, const weir_graph *graph,
                               const uint32_t *colors)
{
    struct colors c = {.colors = colors};
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    weir_status status;
    if ((status = weir__certify_check("weir_color_certify", context, graph, colors)) ||
        !graph->vertices)
        return status;
    c.vertices = graph->vertices;
    weir__color_certify_need(context, graph, 0, &need);
    if ((status = weir__need_fits(&need, "the certificate of the colours of %s", graph->name)))
        return status;
    weir__activity_begin(&outer, "certifying colours", "arcs", graph->arcs);
    return weir__activity_end(&outer, certify(context, graph, &c));
}
