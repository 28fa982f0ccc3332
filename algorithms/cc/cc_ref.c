/** @file cc_ref.c  Serial connected components: union-find over the arcs, by size.
 *
 * This is what --verify compares with, so it shares nothing with the engine but the graph. */
#include "algorithms/algorithms.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

static uint32_t find(uint32_t *set, uint32_t v)
{
    uint32_t root = v;
    while (set[root] != root)
        root = set[root];
    while (set[v] != root) {
        uint32_t next = set[v];
        set[v] = root;
        v = next;
    }
    return root;
}

static weir_status unite_all(const weir_graph *graph, uint32_t *set, uint32_t *size)
{
    weir_status status = WEIR_OK;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        set[v] = v;
        size[v] = 1;
    }
    for (uint32_t v = 0; v < graph->vertices && !(status = weir__activity_at(v)); v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + UINT64_C(1)]; i++) {
            uint32_t a = find(set, v), b = find(set, graph->targets[i]);
            uint32_t large = size[a] < size[b] ? b : a, small = large == a ? b : a;
            if (large == small)
                continue;
            set[small] = large;
            size[large] += size[small];
        }
    return status;
}

static weir_status find_labels(const weir_graph *graph, uint32_t *set, uint32_t *label,
                               uint32_t *labels_out)
{
    weir_status status = unite_all(graph, set, label);
    for (uint32_t v = 0; v < graph->vertices; v++)
        label[v] = UINT32_MAX;
    /* The first vertex of a set is its smallest. */
    for (uint32_t v = 0; v < graph->vertices && !status; v++) {
        uint32_t root = find(set, v);
        if (label[root] == UINT32_MAX)
            label[root] = v;
        labels_out[v] = label[root];
        if (v % WEIR__LOOK_EACH == 0) /* all vertices were counted before */
            status = weir__activity_went(0);
    }
    return status;
}

void weir__cc_reference_need(const weir_graph *graph, struct weir__need *need)
{
    weir__need_pass(need, graph->vertices, 2 * sizeof(uint32_t));
}

weir_status weir_cc_reference(const weir_graph *graph, uint32_t *labels_out)
{
    uint32_t *set = NULL, *label = NULL;
    struct weir__need need = {0, 0};
    weir_status status;
    if (!graph || !labels_out)
        return weir__fail(WEIR_ERR_INVALID, "weir_cc_reference: no graph or no room for labels");
    weir__cc_reference_need(graph, &need);
    if (!(status = weir_graph_fetch(graph)) &&
        !(status = weir__need_fits(&need, "the reference's components of %s", graph->name)) &&
        !(status = weir__alloc(graph->vertices, sizeof *set, "the reference's sets", &set)) &&
        !(status = weir__alloc(graph->vertices, sizeof *label, "the reference's sizes", &label))) {
        struct weir__activity outer;
        weir__activity_begin(&outer, "finding components by the reference", "vertices",
                             graph->vertices);
        status = weir__activity_end(&outer, find_labels(graph, set, label, labels_out));
    }
    free(set);
    free(label);
    return status;
}
