/** @file color_ref.c  A serial colouring: each vertex, in their order, takes the smallest colour that none of its neighbours has.
 *
 * It shares nothing with the engine but the graph. Results are not compared with it, since there are many colourings; it says how many
 * colours such a greedy way needs. */
#include "algorithms/algorithms.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

/* Where arcs that come in begin, and their tails. */
struct turned {
    uint64_t *offsets;
    uint32_t *tails;
};

static weir_status turn(const weir_graph *graph, struct turned *in)
{
    weir_status status;
    if ((status = weir__calloc(graph->vertices + 2, sizeof *in->offsets, "the reference's in-arcs",
                               &in->offsets)) ||
        (status = weir__alloc(graph->arcs ? graph->arcs : 1, sizeof *in->tails,
                              "the reference's in-arcs", &in->tails)))
        return status;
    for (uint64_t i = 0; i < graph->arcs; i++)
        in->offsets[graph->targets[i] + UINT64_C(2)]++;
    for (uint64_t v = 2; v < graph->vertices + 2; v++)
        in->offsets[v] += in->offsets[v - 1];
    for (uint64_t v = 0; v < graph->vertices && !status; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            in->tails[in->offsets[graph->targets[i] + UINT64_C(1)]++] = (uint32_t)v;
        if (v % WEIR__LOOK_EACH == 0) /* vertices are counted when they get colours */
            status = weir__activity_went(0);
    }
    return status;
}

/* mark[c] is v + 1 where a neighbour of v has colour c. */
static weir_status color_all(const weir_graph *graph, const struct turned *in, uint32_t *mark,
                             uint32_t *colors)
{
    weir_status status = WEIR_OK;
    for (uint64_t v = 0; v < graph->vertices; v++)
        colors[v] = UINT32_MAX;
    for (uint64_t v = 0; v < graph->vertices && !(status = weir__activity_at(v)); v++) {
        uint32_t color = 0;
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            if (colors[graph->targets[i]] != UINT32_MAX)
                mark[colors[graph->targets[i]]] = (uint32_t)v + 1;
        for (uint64_t i = in->offsets[v]; i < in->offsets[v + 1]; i++)
            if (colors[in->tails[i]] != UINT32_MAX)
                mark[colors[in->tails[i]]] = (uint32_t)v + 1;
        while (mark[color] == (uint32_t)v + 1)
            color++;
        colors[v] = color;
    }
    return status;
}

void weir__color_reference_need(const weir_graph *graph, struct weir__need *need)
{
    struct weir__need own = *need;
    weir__need_take(&own, graph->vertices, sizeof(uint64_t) + sizeof(uint32_t));
    weir__need_take(&own, graph->arcs, sizeof(uint32_t));
    if (own.most > need->most)
        need->most = own.most;
}

static weir_status refer(const weir_graph *graph, uint32_t *colors)
{
    struct turned in = {NULL, NULL};
    uint32_t *mark = NULL; /* a colour is below the number of vertices */
    weir_status status = turn(graph, &in);
    if (!status &&
        !(status = weir__calloc(graph->vertices + 1, sizeof *mark, "the reference's marks", &mark)))
        status = color_all(graph, &in, mark, colors);
    free(in.offsets);
    free(in.tails);
    free(mark);
    return status;
}

weir_status weir_color_reference(const weir_graph *graph, uint32_t *colors_out)
{
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    weir_status status;
    if (!graph || !colors_out)
        return weir__fail(WEIR_ERR_INVALID,
                          "weir_color_reference: no graph or no room for colours");
    weir__color_reference_need(graph, &need);
    if ((status = weir_graph_fetch(graph)) ||
        (status = weir__need_fits(&need, "the reference's colours of %s", graph->name)))
        return status;
    weir__activity_begin(&outer, "colouring by the reference", "vertices", graph->vertices);
    return weir__activity_end(&outer, refer(graph, colors_out));
}
