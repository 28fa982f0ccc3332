/** @file bfs_ref.c  Serial breadth-first search: a plain queue over the CSR.
 *
 * This is what --verify compares with, so it shares nothing with the engine but the graph. */
#include "algorithms/algorithms.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

static weir_status traverse(const weir_graph *graph, uint64_t source, uint32_t *queue,
                            int32_t *levels)
{
    uint64_t head = 0, tail = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        levels[v] = -1;
    levels[source] = 0;
    queue[tail++] = (uint32_t)source;
    while (head < tail) {
        const weir_status status = weir__activity_at(head);
        if (status)
            return status;
        uint32_t v = queue[head++];
        if (levels[v] == INT32_MAX)
            return weir__fail(WEIR_ERR_UNSUPPORTED, "source %llu: levels above %d do not fit",
                              (unsigned long long)source, INT32_MAX);
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + UINT64_C(1)]; arc++) {
            uint32_t target = graph->targets[arc];
            if (levels[target] >= 0)
                continue;
            levels[target] = levels[v] + 1;
            queue[tail++] = target;
        }
    }
    return WEIR_OK;
}

void weir__bfs_reference_need(const weir_graph *graph, struct weir__need *need)
{
    weir__need_pass(need, graph->vertices, sizeof(uint32_t));
}

weir_status weir_bfs_reference(const weir_graph *graph, uint64_t source, int32_t *levels_out)
{
    uint32_t *queue = NULL;
    if (!graph || !levels_out)
        return weir__fail(WEIR_ERR_INVALID, "weir_bfs_reference: no graph or no room for levels");
    if (source >= graph->vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu: the graph has %llu vertices",
                          (unsigned long long)source, (unsigned long long)graph->vertices);
    struct weir__need need = {0, 0};
    weir__bfs_reference_need(graph, &need);
    /* Every vertex enters the queue at most once, so it never wraps. */
    weir_status status = weir_graph_fetch(graph);
    if (!status)
        status = weir__need_fits(&need, "the reference's search of %s", graph->name);
    if (!status)
        status = weir__alloc(graph->vertices, sizeof *queue, "the reference's queue", &queue);
    if (!status) {
        struct weir__activity outer;
        weir__activity_begin(&outer, "searching by the reference", "vertices", graph->vertices);
        status = weir__activity_end(&outer, traverse(graph, source, queue, levels_out));
    }
    free(queue);
    return status;
}
