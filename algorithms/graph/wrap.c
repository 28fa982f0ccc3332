/** @file wrap.c  A graph out of arrays that a program has already in CSR form. */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/rows.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

#define SINGLE_CHUNK (UINT64_C(1) << 16)

/* What a walk over the arrays looks for: the first place where one of the rules is broken. Relaxed atomics that only ever fall. */
struct flaw {
    const weir_graph *graph;
    uint64_t row;    /* that ends before it begins */
    uint64_t weight; /* that is not finite */
};

static void lower(uint64_t *first, uint64_t found)
{
    uint64_t known = __atomic_load_n(first, __ATOMIC_RELAXED);
    while (found < known && !__atomic_compare_exchange_n(first, &known, found, 0, __ATOMIC_RELAXED,
                                                         __ATOMIC_RELAXED))
        continue;
}

static void look_at_offsets(void *user, uint64_t begin, uint64_t end)
{
    struct flaw *flaw = user;
    const uint64_t *offsets = flaw->graph->offsets;
    for (uint64_t v = begin; v < end; v++)
        if (offsets[v + 1] < offsets[v] || offsets[v + 1] > flaw->graph->arcs) {
            lower(&flaw->row, v);
            return;
        }
}

static void look_at_weights(void *user, uint64_t begin, uint64_t end)
{
    struct flaw *flaw = user;
    for (uint64_t i = begin; i < end; i++)
        if (!isfinite(flaw->graph->weights_f64[i])) {
            lower(&flaw->weight, i);
            return;
        }
}

/* Name the first arc that is a loop, or does not lead to a larger number than the one before it in its row. */
static weir_status refuse_row(const weir_graph *graph)
{
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            const int loop = graph->targets[i] == v;
            if (loop || (i > graph->offsets[v] && graph->targets[i] <= graph->targets[i - 1]))
                return weir__fail(WEIR_ERR_INVALID,
                                  "the row of vertex %llu %s at arc %llu (weir_graph_from_arcs() "
                                  "takes arcs in any order, and drops loops and second copies)",
                                  (unsigned long long)v, loop ? "has a loop" : "does not ascend",
                                  (unsigned long long)i);
        }
    return WEIR_OK;
}

static weir_status check(const weir_graph *graph)
{
    struct flaw flaw = {graph, UINT64_MAX, UINT64_MAX};
    /* Read only: what reads files takes arrays that it may write to. */
    const weir__rows rows = {.vertices = graph->vertices,
                             .arcs = graph->arcs,
                             .offsets = (uint64_t *)(uintptr_t)graph->offsets,
                             .targets = (uint32_t *)(uintptr_t)graph->targets};
    uint64_t stray;
    int tidy;
    weir_status status = weir__activity_for("looking at offsets", "vertices", graph->vertices,
                                            SINGLE_CHUNK, 0, look_at_offsets, &flaw);
    if (status)
        return status;
    if (graph->offsets[0] || flaw.row != UINT64_MAX ||
        graph->offsets[graph->vertices] != graph->arcs)
        return weir__fail(WEIR_ERR_INVALID,
                          "offsets of %llu arcs do not ascend from 0 to that number (vertex %llu)",
                          (unsigned long long)graph->arcs,
                          (unsigned long long)(graph->offsets[0]        ? 0
                                               : flaw.row != UINT64_MAX ? flaw.row
                                                                        : graph->vertices));
    if ((status = weir__rows_tidy(&rows, 0, &tidy, &stray)))
        return status;
    if (stray != UINT64_MAX)
        return weir__fail(WEIR_ERR_INVALID, "arc %llu leads to vertex %u of %llu",
                          (unsigned long long)stray, graph->targets[stray],
                          (unsigned long long)graph->vertices);
    if (!tidy)
        return refuse_row(graph);
    if (graph->weights_f64 &&
        (status = weir__activity_for("looking at weights", "arcs", graph->arcs, SINGLE_CHUNK, 0,
                                     look_at_weights, &flaw)))
        return status;
    if (flaw.weight != UINT64_MAX)
        return weir__fail(WEIR_ERR_INVALID, "the weight of arc %llu is not finite",
                          (unsigned long long)flaw.weight);
    return WEIR_OK;
}

static weir_status check_sizes(const weir_csr *csr)
{
    if (csr->vertices > WEIR_VERTICES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%llu vertices are over the limit of %llu",
                          (unsigned long long)csr->vertices, (unsigned long long)WEIR_VERTICES_MAX);
    if (csr->arcs >= UINT64_MAX / 16)
        return weir__fail(WEIR_ERR_INVALID, "%llu arcs cannot be addressed",
                          (unsigned long long)csr->arcs);
    if (!csr->offsets || (csr->arcs && !csr->targets))
        return weir__fail(WEIR_ERR_INVALID, "weir_graph_wrap: no %s",
                          csr->offsets ? "targets" : "offsets");
    if (csr->weights_u32 && csr->weights_f64)
        return weir__fail(WEIR_ERR_INVALID, "weir_graph_wrap: weights of both kinds");
    return WEIR_OK;
}

/* ---- arrays on a device ---------------------------------------------------------------------------- */

static weir_status fetch(weir_device *device, const char *what, const void *data, uint64_t count,
                         size_t bytes, const void **here_out)
{
    void *here = NULL;
    weir_status status = data ? weir__alloc(count, bytes, what, &here) : WEIR_OK;
    *here_out = here;
    return status || !data ? status : weir__download(device, here, data, count * bytes);
}

static weir_status fetch_all(const weir_csr *csr, weir_graph *graph)
{
    struct weir__need need = {0, 0};
    const void *offsets = NULL, *targets = NULL, *u32 = NULL, *f64 = NULL;
    weir_status status;
    weir__need_take(&need, csr->vertices + 1, sizeof *csr->offsets);
    weir__need_take(&need, csr->arcs, sizeof *csr->targets);
    weir__need_take(&need, csr->arcs, csr->weights_u32 ? 4 : csr->weights_f64 ? 8 : 0);
    if (!(status = weir__need_fits(&need, "a graph of %llu arcs that lies on a device",
                                   (unsigned long long)csr->arcs)) &&
        !(status =
              fetch(csr->device, "graph offsets", csr->offsets, csr->vertices + 1, 8, &offsets)) &&
        !(status = fetch(csr->device, "graph targets", csr->targets, csr->arcs, 4, &targets)) &&
        !(status = fetch(csr->device, "graph weights", csr->weights_u32, csr->arcs, 4, &u32)))
        status = fetch(csr->device, "graph weights", csr->weights_f64, csr->arcs, 8, &f64);
    graph->offsets = offsets;
    graph->targets = targets;
    graph->weights_u32 = u32;
    graph->weights_f64 = f64;
    graph->borrowed = graph->borrowed_weights = 0;
    return status;
}

weir_status weir_graph_wrap(const weir_csr *csr, weir_graph **graph_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_csr given = WEIR_CSR_INIT;
    weir_graph *graph;
    weir_status status;
    if (!graph_out)
        return weir__missing("weir_graph_wrap", "graph_out");
    *graph_out = NULL;
    if (!csr)
        return weir__missing("weir_graph_wrap", "csr");
    if ((status = weir__sized_in(&given, sizeof given, csr, "weir_csr")) ||
        (status = check_sizes(&given)) ||
        (status = weir__calloc(1, sizeof *graph, "graph", &graph)))
        return status;
    *graph = (weir_graph){.vertices = given.vertices,
                          .arcs = given.arcs,
                          .offsets = given.offsets,
                          .targets = given.targets,
                          .weight_kind = given.weights_u32   ? WEIR_WEIGHT_U32
                                         : given.weights_f64 ? WEIR_WEIGHT_F64
                                                             : WEIR_WEIGHT_NONE,
                          .weights_u32 = given.weights_u32,
                          .weights_f64 = given.weights_f64,
                          .borrowed = 1,
                          .borrowed_weights = 1};
    struct weir__activity outer;
    weir__activity_begin(&outer, "wrapping a graph", NULL, 0);
    if (!given.device || !(status = fetch_all(&given, graph)))
        status = check(graph);
    if (weir__activity_end(&outer, status)) {
        weir_graph_destroy(graph);
        return status;
    }
    if ((status = weir__graph_name(&graph, "arrays", "memory")))
        return status;
    graph->prepare_ms = weir__elapsed_ms(begin_ns);
    *graph_out = graph;
    return WEIR_OK;
}
