/** @file 19_closeness.c  How central vertices are: searches from 64 of them share one run.
 *
 *     closeness of v = (r - 1) / sum of distances from v * (r - 1) / (n - 1)      r: vertices that v reaches, of n
 *
 *     build/examples/19_closeness [DEVICES]      say "cuda"; "host:3" if left out
 *
 * (Wasserman and Faust's form, which compares vertices of different components.) A batch counts vertices and distances on the
 * devices, so nothing is kept for each vertex. The same numbers from one search after another stand beside it. */
#include <weir/algorithms/algorithms.h>
#include "examples/example.h"

enum { BEST = 5 };

static double closeness(uint64_t reached, uint64_t sum, uint64_t vertices)
{
    const double others = (double)reached - 1;
    return sum ? others / (double)sum * others / ((double)vertices - 1) : 0;
}

/* Each vertex by a search of its own, whose levels are added up on the host. @return milliseconds of the searches. */
static double one_by_one(weir_context *context, const weir_graph *graph, const uint64_t *sources,
                         double *closeness_out)
{
    int32_t *levels = malloc(graph->vertices * sizeof *levels);
    weir_bfs *bfs;
    double ms = 0;
    if (!levels)
        exit(WRONG);
    TRY(weir_bfs_create(context, graph, NULL, NULL, &bfs));
    for (uint32_t s = 0; s < WEIR_BFS_BATCH_MAX; s++) {
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        uint64_t sum = 0;
        TRY(weir_bfs_run(bfs, sources[s], &stats));
        TRY(weir_bfs_levels(bfs, levels));
        for (uint64_t v = 0; v < graph->vertices; v++)
            sum += levels[v] > 0 ? (uint64_t)levels[v] : 0;
        closeness_out[s] = closeness(stats.reached, sum, graph->vertices);
        ms += stats.ms;
    }
    weir_bfs_destroy(bfs);
    free(levels);
    return ms;
}

/* All at once. */
static double together(weir_context *context, const weir_graph *graph, const uint64_t *sources,
                       double *closeness_out)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_bfs_batch *batch;
    weir_status status = weir_bfs_batch_create(context, graph, NULL, NULL, NULL, &batch);
    if (status == WEIR_ERR_UNSUPPORTED) {
        fprintf(stderr, "%s\n", weir_error_detail());
        exit(SKIPPED); /* devices that do not reach each other's memory */
    }
    TRY(status);
    TRY(weir_bfs_batch_run(batch, sources, WEIR_BFS_BATCH_MAX, &stats));
    for (uint32_t s = 0; s < WEIR_BFS_BATCH_MAX; s++) {
        weir_bfs_found found = WEIR_BFS_FOUND_INIT;
        TRY(weir_bfs_batch_found(batch, s, &found));
        closeness_out[s] = closeness(found.reached, found.sum_levels, graph->vertices);
    }
    weir_bfs_batch_destroy(batch);
    return stats.ms;
}

static void print_best(const uint64_t *sources, const double *closeness_of)
{
    int taken[WEIR_BFS_BATCH_MAX] = {0};
    for (int i = 0; i < BEST; i++) {
        uint32_t best = WEIR_BFS_BATCH_MAX;
        for (uint32_t s = 0; s < WEIR_BFS_BATCH_MAX; s++)
            if (!taken[s] && (best == WEIR_BFS_BATCH_MAX || closeness_of[s] > closeness_of[best]))
                best = s;
        taken[best] = 1;
        printf("  vertex %6llu: %.4f\n", (unsigned long long)sources[best], closeness_of[best]);
    }
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:3");
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    uint64_t sources[WEIR_BFS_BATCH_MAX];
    double alone[WEIR_BFS_BATCH_MAX], shared[WEIR_BFS_BATCH_MAX];
    weir_graph *graph;
    uint32_t different = 0;

    options.undirected = 1;
    TRY(weir_graph_open("rmat:13", &options, &graph));
    for (uint32_t s = 0; s < WEIR_BFS_BATCH_MAX; s++)
        sources[s] = s * (graph->vertices / WEIR_BFS_BATCH_MAX);
    const double batch_ms = together(context, graph, sources, shared);
    const double single_ms = one_by_one(context, graph, sources, alone);
    for (uint32_t s = 0; s < WEIR_BFS_BATCH_MAX; s++)
        different += alone[s] != shared[s];
    printf("%s: %d vertices of %llu, together in %.2f ms, one after another in %.2f ms\n",
           graph->name, WEIR_BFS_BATCH_MAX, (unsigned long long)graph->vertices, batch_ms,
           single_ms);
    print_best(sources, shared);
    printf("%u differ from searches of their own\n", different);

    weir_graph_destroy(graph);
    weir_context_destroy(context);
    return different ? WRONG : RIGHT;
}
