/** @file partition_metis.c  METIS k-way through the weir-metis program.
 *
 * METIS aborts or crashes on some inputs, so it runs in a child process. The child is given the
 * undirected graph with 32-bit indices and vertex weights 1 + out-degree: what a part costs. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/child.h"
#include "algorithms/graph/metis_helper.h"
#include "algorithms/graph/partition.h"
#include "algorithms/graph/arcs.h"
#include "runtime/config.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

/* How much METIS takes is its own affair. The child had at its largest, measured, 52 to 57 bytes for each arc of
 * R-MAT graphs with both directions of each, and 31 of grids. */
#define CHILD_VERTEX_BYTES 20
#define CHILD_ARC_BYTES    56

/* METIS's own sums are 32 bits too: all vertex weights together must stay below. */
static weir_status check_size(const weir_graph *graph, uint64_t arcs)
{
    if (graph->vertices < INT32_MAX && arcs < INT32_MAX &&
        graph->vertices + graph->arcs < INT32_MAX)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID,
                      "%s: %llu vertices and %llu arcs are too many for METIS's 32-bit indices",
                      graph->name, (unsigned long long)graph->vertices, (unsigned long long)arcs);
}

weir_status weir__partition_metis_check(const weir_graph *graph)
{
    return graph->arcs ? check_size(graph, graph->arcs) : WEIR_OK;
}

static weir_status check_reply(const char *path, const struct weir__metis_reply *reply,
                               size_t bytes, const uint8_t *owner, uint64_t vertices,
                               uint32_t parts)
{
    if (bytes < sizeof *reply || reply->magic != WEIR__METIS_MAGIC)
        return weir__fail(WEIR_ERR_CHILD, "%s: gave no answer that can be understood", path);
    if (reply->code != WEIR__METIS_OK)
        return weir__fail(WEIR_ERR_CHILD, "%s: METIS returned %lld (%s)", path,
                          (long long)reply->code,
                          reply->code == -2   ? "METIS_ERROR_INPUT"
                          : reply->code == -3 ? "METIS_ERROR_MEMORY"
                                              : "METIS_ERROR");
    if (bytes != sizeof *reply + vertices)
        return weir__fail(WEIR_ERR_CHILD, "%s: answered %zu bytes instead of %zu", path, bytes,
                          sizeof *reply + (size_t)vertices);
    for (uint64_t v = 0; v < vertices; v++)
        if (owner[v] >= parts)
            return weir__fail(WEIR_ERR_CHILD, "%s: put vertex %llu into part %u of %u", path,
                              (unsigned long long)v, owner[v], parts);
    return WEIR_OK;
}

/* Talk to the helper; rows, targets and weights are in METIS's types. */
static weir_status ask(const weir_graph *undirected, const int32_t *rows, const int32_t *weights,
                       uint32_t parts, uint64_t seed, const weir_config *config, uint8_t *owner)
{
    uint64_t n = undirected->vertices, m = undirected->arcs;
    struct weir__metis_request request = {
        .magic = WEIR__METIS_MAGIC, .vertices = n, .arcs = m, .parts = parts, .seed = seed};
    struct iovec pieces[] = {{&request, sizeof request},
                             {(void *)rows, (n + 1) * sizeof *rows},
                             {(void *)undirected->targets, m * sizeof *undirected->targets},
                             {(void *)weights, n * sizeof *weights}};
    size_t room = sizeof(struct weir__metis_reply) + n, bytes;
    struct weir__metis_reply reply = {0};
    char *path = NULL;
    uint8_t *answer = NULL;
    weir_status status;
    struct weir__activity outer;
    weir__activity_begin(&outer, "partitioning with METIS", NULL, 0);
    if ((status = weir__metis_helper(config, &path)) ||
        (status = weir__alloc(room, 1, "METIS answer", &answer)) ||
        (status = weir__child_run(path, pieces, 4, answer, room,
                                  weir__config_get(config, WEIR__METIS_TIMEOUT), &bytes)))
        goto out;
    memcpy(&reply, answer, bytes < sizeof reply ? bytes : sizeof reply);
    if ((status = check_reply(path, &reply, bytes, answer + sizeof reply, n, parts)))
        goto out;
    memcpy(owner, answer + sizeof reply, n);
    weir__log(WEIR__LOG_INFO, "%s: %lld edges cut", path, (long long)reply.cut);
out:
    free(answer);
    free(path);
    return weir__activity_end(&outer, status);
}

static weir_status run(const weir_graph *graph, const weir_graph *undirected, uint32_t parts,
                       uint64_t seed, const weir_config *config, uint8_t *owner)
{
    uint64_t n = graph->vertices;
    int32_t *rows = NULL, *weights = NULL;
    weir_status status;
    if ((status = weir__alloc(n + 1, sizeof *rows, "METIS rows", &rows)) ||
        (status = weir__alloc(n, sizeof *weights, "METIS weights", &weights)))
        goto out;
    for (uint64_t v = 0; v <= n; v++)
        rows[v] = (int32_t)undirected->offsets[v];
    for (uint64_t v = 0; v < n; v++)
        weights[v] = (int32_t)(1 + graph->offsets[v + 1] - graph->offsets[v]);
    status = ask(undirected, rows, weights, parts, seed, config, owner);
out:
    free(weights);
    free(rows);
    return status;
}

void weir__partition_metis_need(const weir_graph *graph, struct weir__need *need)
{
    const int64_t before = need->held;
    const int symmetric = weir__graph_symmetric(graph, NULL);
    weir__undirected_need(graph, need);
    weir__need_take(need, graph->vertices, 2 * sizeof(int32_t) + 1);
    weir__need_take(need, graph->vertices, CHILD_VERTEX_BYTES);
    weir__need_take(need, graph->arcs, (symmetric ? 1 : 2) * CHILD_ARC_BYTES);
    need->held = before;
}

weir_status weir__partition_metis(const weir_graph *graph, uint32_t parts, uint64_t seed,
                                  const weir_config *config, uint8_t *owner)
{
    weir_graph *undirected = NULL;
    weir_config *copy = NULL;
    uint64_t n = graph->vertices;
    weir_status status;
    /* Without edges, or with a part for every vertex, there is no cut to minimise, and METIS is
     * at its least reliable. */
    if (graph->arcs == 0 || n <= parts) {
        for (uint64_t v = 0; v < n; v++)
            owner[v] = (uint8_t)(n <= parts ? v : v * parts / n);
        return WEIR_OK;
    }
    if ((status = weir__config_copy(config, &copy)) ||
        (status = weir_graph_undirected(graph, &undirected)))
        goto out;
    if (!(status = check_size(graph, undirected->arcs)))
        status = run(graph, undirected, parts, seed, copy, owner);
out:
    weir_graph_destroy(undirected);
    weir_config_destroy(copy);
    return status;
}
