/** @file 02_bfs.c  Breadth-first search over several devices, with the library alone.
 *
 *     part 0 --> device 0 --+
 *     part 1 --> device 1 --+-- each comes upon vertices of others and sends them to their owners
 *     part 2 --> device 2 --+
 *
 *     build/examples/02_bfs [DEVICES]      say "cuda"; "host:4" if left out
 *
 * A grid of streets with some of them closed, cut into one part for each device; then the levels
 * from one corner, compared with a serial search. */
#include <weir/algorithms/algorithms.h>
#include "examples/example.h"

/* The levels with most vertices: as far out as the grid is wide. */
static void print_widest(const int32_t *levels, uint64_t vertices, uint32_t lines)
{
    uint64_t *count = calloc(vertices, sizeof *count);
    if (!count)
        exit(WRONG);
    for (uint64_t v = 0; v < vertices; v++)
        if (levels[v] >= 0)
            count[levels[v]]++;
    for (; lines > 0; lines--) {
        uint64_t widest = 0;
        for (uint64_t level = 1; level < vertices; level++)
            if (count[level] > count[widest])
                widest = level;
        printf("  level %4llu: %llu vertices\n", (unsigned long long)widest,
               (unsigned long long)count[widest]);
        count[widest] = 0;
    }
    free(count);
}

static uint64_t count_differences(const int32_t *a, const int32_t *b, uint64_t vertices)
{
    uint64_t different = 0;
    for (uint64_t v = 0; v < vertices; v++)
        different += a[v] != b[v];
    return different;
}

int main(int argc, char **argv)
{
    const uint64_t source = 0;
    weir_context *context = open_devices(argc, argv, "host:4");
    weir_graph *graph;
    weir_partition *partition;
    weir_bfs *bfs;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;

    uint32_t devices = weir_context_device_count(context);
    TRY(weir_graph_open("grid:300x200,.8", NULL, &graph));
    TRY(weir_partition_create(graph, WEIR_PARTITION_BLOCK, devices, 1, NULL, &partition));
    printf("%s: %llu vertices, %llu arcs, %llu of them between %u devices\n", graph->name,
           (unsigned long long)graph->vertices, (unsigned long long)graph->arcs,
           (unsigned long long)partition->cut_arcs, devices);

    /* The graph is placed once; any number of runs may follow. Left to itself the library picks the
     * route and the order, and says in the stats what it picked. */
    TRY(weir_bfs_create(context, graph, partition, NULL, &bfs));
    TRY(weir_bfs_run(bfs, source, &stats));

    int32_t *levels = malloc(graph->vertices * sizeof *levels);
    int32_t *reference = malloc(graph->vertices * sizeof *reference);
    if (!levels || !reference)
        return WRONG;
    TRY(weir_bfs_levels(bfs, levels));
    TRY(weir_bfs_reference(graph, source, reference));
    uint64_t different = count_differences(levels, reference, graph->vertices);

    printf("reached %llu in %.2f ms, route %s, order %s\n", (unsigned long long)stats.reached,
           stats.ms, weir_route_kind_text(stats.work.route),
           weir_order_kind_text(stats.work.order));
    print_widest(levels, graph->vertices, 5);
    printf("%llu levels differ from the serial search\n", (unsigned long long)different);

    free(reference);
    free(levels);
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    return different == 0 && stats.reached > 1 ? RIGHT : WRONG;
}
