/** @file test_bfs_data.c  BFS in step on real graphs, where the folder of them is there: levels against the serial
 * reference, trees by their rules. */
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/algorithms/data_fixture.h"

static void real_graphs(void **state)
{
    static const char *const names[] = {"ego-Twitter.txt.xz", "p2p-Gnutella31.weighted.e.xz",
                                        "uk-2007-05_100000.txt.xz", "USA-road-d.NY.gr.xz"};
    char path[4300];
    data_or_skip();
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        const weir_graph *graph = graph_kept(names[i], 0);
        snprintf(path, sizeof path, "%s/%s", data, names[i]);
        graph = graph ? graph : keep_graph(names[i], 0, open_graph(path, 0));
        options.direction = WEIR_DIRECTION_SWITCH;
        options.parents = 1;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
        assert_bfs(bfs, graph, parts, &options, 1);
        assert_bfs(bfs, graph, parts, &options, graph->vertices / 2);
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(real_graphs, "host:1"),
        ON_BACKEND(real_graphs, "host:3"),
        ON_BACKEND(real_graphs, "cuda:0"),
        ON_BACKEND(real_graphs, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("bfs on real graphs", tests, NULL, keep_nothing);
}
