/** @file sssp_ref.c  Serial shortest paths: Dijkstra with a binary heap.
 *
 * This is what --verify compares with, so it shares nothing with the engine but the graph. Each vertex
 * is in the heap at most once; `place` tells where, so that its key can be lowered there. */
#include "algorithms/algorithms.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

#define NOWHERE UINT32_MAX

struct heap {
    double *key;     /* by vertex: its distance */
    uint32_t *entry; /* vertices, the nearest one first */
    uint32_t *place; /* by vertex: its entry, or NOWHERE */
    uint64_t count;
};

static void put(struct heap *heap, uint64_t at, uint32_t vertex)
{
    heap->entry[at] = vertex;
    heap->place[vertex] = (uint32_t)at;
}

/* The entry at `at` is `vertex`, which may be nearer than those above it. */
static void rise(struct heap *heap, uint64_t at, uint32_t vertex)
{
    while (at > 0) {
        uint32_t above = heap->entry[(at - 1) / 2];
        if (heap->key[above] <= heap->key[vertex])
            break;
        put(heap, at, above);
        at = (at - 1) / 2;
    }
    put(heap, at, vertex);
}

static uint32_t take_nearest(struct heap *heap)
{
    uint32_t nearest = heap->entry[0], last = heap->entry[--heap->count];
    uint64_t at = 0, below;
    heap->place[nearest] = NOWHERE;
    if (!heap->count)
        return nearest;
    while ((below = 2 * at + 1) < heap->count) {
        if (below + 1 < heap->count &&
            heap->key[heap->entry[below + 1]] < heap->key[heap->entry[below]])
            below++;
        if (heap->key[last] <= heap->key[heap->entry[below]])
            break;
        put(heap, at, heap->entry[below]);
        at = below;
    }
    put(heap, at, last);
    return nearest;
}

static weir_status search(const weir_graph *graph, uint64_t source, struct heap *heap)
{
    weir_status status = WEIR_OK;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        heap->key[v] = INFINITY;
        heap->place[v] = NOWHERE;
    }
    heap->key[source] = 0;
    put(heap, heap->count++, (uint32_t)source);
    for (uint64_t i = 0; heap->count && !(status = weir__activity_at(i)); i++) {
        uint32_t v = take_nearest(heap);
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + UINT64_C(1)]; arc++) {
            uint32_t target = graph->targets[arc];
            double weight = graph->weights_u32 ? graph->weights_u32[arc] : graph->weights_f64[arc];
            if (!(heap->key[v] + weight < heap->key[target]))
                continue;
            heap->key[target] = heap->key[v] + weight;
            rise(heap, heap->place[target] == NOWHERE ? heap->count++ : heap->place[target],
                 target);
        }
    }
    return status;
}

static weir_status check(const weir_graph *graph, uint64_t source)
{
    if (source >= graph->vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu: the graph has %llu vertices",
                          (unsigned long long)source, (unsigned long long)graph->vertices);
    if (graph->weight_kind == WEIR_WEIGHT_NONE)
        return weir__fail(WEIR_ERR_INVALID, "shortest paths need weights, %s has none",
                          graph->name);
    for (uint64_t arc = 0; graph->weights_f64 && arc < graph->arcs; arc++)
        if (!(graph->weights_f64[arc] >= 0))
            return weir__fail(WEIR_ERR_INVALID, "arc %llu of %s weighs %g: not 0 or more",
                              (unsigned long long)arc, graph->name, graph->weights_f64[arc]);
    return WEIR_OK;
}

void weir__sssp_reference_need(const weir_graph *graph, struct weir__need *need)
{
    weir__need_pass(need, graph->vertices, 2 * sizeof(uint32_t));
}

weir_status weir_sssp_reference(const weir_graph *graph, uint64_t source, double *distances_out)
{
    struct heap heap = {.key = distances_out};
    struct weir__need need = {0, 0};
    weir_status status;
    if (!graph || !distances_out)
        return weir__fail(WEIR_ERR_INVALID,
                          "weir_sssp_reference: no graph or no room for distances");
    weir__sssp_reference_need(graph, &need);
    if ((status = check(graph, source)) || (status = weir_graph_fetch(graph)) ||
        (status = weir__need_fits(&need, "the reference's paths of %s", graph->name)))
        return status;
    if ((status = weir__alloc(graph->vertices, sizeof *heap.entry, "the reference's heap",
                              &heap.entry)) ||
        (status =
             weir__alloc(graph->vertices, sizeof *heap.place, "the reference's heap", &heap.place)))
        goto out;
    struct weir__activity outer;
    weir__activity_begin(&outer, "finding paths by the reference", "vertices", graph->vertices);
    status = weir__activity_end(&outer, search(graph, source, &heap));
out:
    free(heap.entry);
    free(heap.place);
    return status;
}
