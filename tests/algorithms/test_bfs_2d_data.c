/** @file test_bfs_2d_data.c  BFS in two dimensions of real graphs, on 1, 2, 3, 4, 6 and 8 host devices and on GPUs, against the recorded
 * answers, and trees by their rules.
 *
 * The folder of graphs is WEIR_DATA, or shared/data beside the repository; without it all tests are skipped. */
#include "tests/algorithms/data_fixture.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"
#include "tests/lib/share.h"

static const struct {
    uint32_t rows, columns;
    int many; /* graphs of many levels too: a barrier of more threads than there are cores takes its time */
} grids[] = {{1, 1, 1}, {1, 2, 0}, {2, 1, 1}, {3, 1, 0},
             {2, 2, 0}, {2, 3, 0}, {2, 4, 0}, {4, 2, 0}};

#define MANY_LEVELS 500 /* levels */

static void assert_levels(const int32_t *levels, uint64_t vertices, const json_t *answer,
                          const char *what)
{
    uint64_t reached = 0, sum = 0, deepest = 0;
    for (uint64_t v = 0; v < vertices; v++) {
        if (levels[v] < 0)
            continue;
        reached++;
        sum += (uint64_t)levels[v];
        deepest = (uint64_t)levels[v] > deepest ? (uint64_t)levels[v] : deepest;
    }
    if (reached != (uint64_t)json_integer_value(json_object_get(answer, "reached")) ||
        sum != (uint64_t)json_integer_value(json_object_get(answer, "sum_levels")) ||
        deepest != (uint64_t)json_integer_value(json_object_get(answer, "max_level")))
        fail_msg("%s: %llu reached, levels to %llu, sum %llu", what, (unsigned long long)reached,
                 (unsigned long long)deepest, (unsigned long long)sum);
}

/* Every recorded source. */
static void check(const weir_graph *graph, const char *spec, size_t at, json_t *answers,
                  const char *name)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_context *context = NULL;
    weir_partition *partition;
    weir_bfs *bfs;
    const char *source;
    json_t *answer;
    char what[256];
    int32_t *levels = malloc(graph->vertices * sizeof *levels);
    int64_t *parents = malloc(graph->vertices * sizeof *parents);
    assert_true(levels && parents);
    options.wire = (weir_wire)(at % 3);
    options.parents = 1;
    OK(weir_context_create(spec, NULL, &context));
    OK(weir_partition_create_2d(graph, grids[at].rows, grids[at].columns, &partition));
    OK(weir_bfs_create(context, graph, partition, &options, &bfs));
    json_object_foreach(answers, source, answer)
    {
        const uint64_t from = strtoull(source, NULL, 10);
        snprintf(what, sizeof what, "%s on %s, 2d:%ux%u, from %s", name, spec, grids[at].rows,
                 grids[at].columns, source);
        OK(weir_bfs_run(bfs, from, NULL));
        OK(weir_bfs_levels(bfs, levels));
        OK(weir_bfs_parents(bfs, parents));
        assert_levels(levels, graph->vertices, answer, what);
        OK(weir_bfs_tree_check(graph, from, parents, levels));
    }
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    weir_context_destroy(context);
    free(levels);
    free(parents);
}

static uint64_t most_levels(json_t *answers)
{
    const char *source;
    json_t *answer;
    uint64_t most = 0;
    json_object_foreach(answers, source, answer)
    {
        const uint64_t its = (uint64_t)json_integer_value(json_object_get(answer, "max_level"));
        most = its > most ? its : most;
    }
    return most;
}

/* @param[in] gpus  0: host devices. @return how many graphs there were. */
static int check_all(uint32_t gpus)
{
    static const char *const ways[] = {"directed", "undirected"};
    json_t *value, *root = open_answers();
    const char *name;
    char path[4300], spec[16];
    int checked = 0, turn = 0;
    json_object_foreach(root, name, value)
    {
        snprintf(path, sizeof path, "%s/%s", data, name);
        for (int undirected = 0; undirected < 2 && access(path, R_OK) == 0; undirected++) {
            json_t *answers = json_object_get(json_object_get(value, ways[undirected]), "bfs");
            if (!answers)
                continue;
            weir_graph *graph = open_graph(path, undirected);
            for (size_t at = 0; at < sizeof grids / sizeof *grids; at++) {
                const uint32_t devices = grids[at].rows * grids[at].columns;
                if (!gpus && !grids[at].many && most_levels(answers) > MANY_LEVELS)
                    continue;
                if (gpus && devices > gpus)
                    continue;
                if (turn++ % test_stride())
                    continue;
                if (gpus)
                    snprintf(spec, sizeof spec, "cuda:0-%u", devices - 1);
                else
                    snprintf(spec, sizeof spec, "host:%u", devices);
                check(graph, gpus && devices == 1 ? "cuda:0" : spec, at, answers, name);
            }
            weir_graph_destroy(graph);
            checked++;
        }
    }
    json_decref(root);
    return checked;
}

static void on_host_devices(void **state)
{
    (void)state;
    data_or_skip();
    assert_true(check_all(0) > 0);
}

static void on_gpus(void **state)
{
    data_or_skip();
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    weir_context_destroy(context);
    assert_true(check_all(devices) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_host_devices),
        ON_BACKEND(on_gpus, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("bfs in two dimensions on real graphs", tests, NULL, NULL);
}
