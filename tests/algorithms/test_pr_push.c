/** @file test_pr_push.c  PageRank by residuals, on every set of devices against the serial reference. */
#include "tests/lib/live.h"
#include "tests/algorithms/pr_fixture.h"

static void all_shapes(void **state)
{
    pr_all_shapes(state, WEIR_DIRECTION_PUSH);
}

static void dangling_rank_may_be_lost(void **state)
{
    pr_dangling_is_lost(state, WEIR_DIRECTION_PUSH, 1e-8, 1e-6);
}

static void every_tolerance_and_damping(void **state)
{
    pr_every_tolerance_and_damping(state, WEIR_DIRECTION_PUSH);
}

static void every_partition_will_do(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pr_config config = pr_config(.85, 1e-6, WEIR_DANGLING_SPREAD);
    for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
        run_shape(context, PR_STEPS, WEIR_DIRECTION_PUSH, kind, &config, LOOSE);
        run_shape(context, PR_GRID, WEIR_DIRECTION_PUSH, kind, &config, LOOSE);
    }
    weir_context_destroy(context);
}

/* Each choice of the worklist; results do not depend on them. */
static void every_choice_of_the_worklist(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_DANGLING);
    weir_pr_config config = pr_config(.85, 1e-6, WEIR_DANGLING_SPREAD);
    double *want = pr_expected(graph, &config);
    for (int i = 0; i < 11; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        if (i >= 9 && !live_runs_on(*state))
            continue;
        options.kernel = i == 0   ? WEIR_KERNEL_DISCRETE
                         : i == 1 ? WEIR_KERNEL_FUSED
                         : i >= 9 ? WEIR_KERNEL_LIVE
                                  : WEIR_KERNEL_AUTO;
        options.order = i == 2   ? WEIR_ORDER_FIFO
                        : i == 3 ? WEIR_ORDER_SOFT
                        : i == 4 ? WEIR_ORDER_BULK
                                 : WEIR_ORDER_AUTO;
        options.mapping = i == 5   ? WEIR_MAPPING_THREAD
                          : i == 6 ? WEIR_MAPPING_MERGE
                                   : WEIR_MAPPING_AUTO;
        options.route = i == 7 ? WEIR_ROUTE_RING : WEIR_ROUTE_AUTO;
        options.fetch = i == 8 ? 3 : 0;
        options.queues = i == 10 ? 1 : 0;
        weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_RANDOM, &options, &config);
        weir_run_stats stats = pr_assert(pr, graph, want, &config, 1e9);
        assert_int_equal(stats.direction, WEIR_DIRECTION_PUSH); /* asked for by the choice */
        assert_true(stats.work.atoms > 0);
        weir_pr_destroy(pr);
    }
    free(want);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Epochs look at no more arcs than steps do, by a fifth: residuals of both signs meet before they are handed on, their sum
 * is brought back to 0 where rank is lost in vertices without out-arcs (which alone is a factor of five on the first graph),
 * and what is below an epoch's threshold waits. */
static void epochs_look_at_as_few_arcs_as_steps(void **state)
{
    static const struct {
        const char *spec;
        int undirected;
    } graphs[] = {
#ifndef __SANITIZE_THREAD__ /* what is counted is counted elsewhere; one graph shows it the threads */
        {"rmat:13", 0},
        {"rmat:13", 1},
        {"uniform:12", 1},
#endif
        {"grid:120x90,0.8", 0},
    };
    weir_context *context = open_or_skip(state);
    weir_pr_config config = pr_config(.85, 1e-6, WEIR_DANGLING_SPREAD);
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        weir_graph *graph = open_graph(graphs[i].spec, graphs[i].undirected);
        double *want = pr_expected(graph, &config);
        weir_run_stats stats[2] = {WEIR_RUN_STATS_INIT, WEIR_RUN_STATS_INIT};
        for (int pull = 0; pull < 2; pull++) {
            weir_run_options options = pr_towards(pull ? WEIR_DIRECTION_PULL : WEIR_DIRECTION_PUSH);
            weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_RANDOM, &options, &config);
            stats[pull] = pr_assert(pr, graph, want, &config, 1e9);
            assert_int_equal(stats[pull].epochs != 0, !pull);
            weir_pr_destroy(pr);
        }
        if (5 * stats[0].work.atoms > 6 * stats[1].work.atoms)
            fail_msg("%s: %llu arcs in %llu epochs, %llu in %llu steps", graphs[i].spec,
                     (unsigned long long)stats[0].work.atoms, (unsigned long long)stats[0].epochs,
                     (unsigned long long)stats[1].work.atoms, (unsigned long long)stats[1].steps);
        free(want);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* What goes to a vertex of another device is added up before it is sent. */
static void residuals_are_merged_before_they_are_sent(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_STAR_BOTH);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PUSH);
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_BLOCK, &options, &config);
    double *want = pr_expected(graph, &config);
    weir_run_stats stats = pr_assert(pr, graph, want, &config, LOOSE);
    uint64_t sent = 0, items;
    for (uint32_t i = 0; i < stats.devices; i++)
        for (uint32_t j = 0; j < stats.devices; j++)
            if (i != j) {
                OK(weir_pr_link_items(pr, i, j, &items));
                sent += items;
            }
    assert_int_equal(sent, stats.work.sent);
    /* Each arc of each vertex handed on would be one: most lead to vertex 7, from other devices. */
    assert_true(stats.devices == 1 ? sent == 0 : sent > 0 && sent < stats.work.atoms / 2);
    free(want);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Most vertices that a part names are others' where it has few of many. An item for each of them waits in its
 * queues, which have room for that without being told how much, and little to spill into. */
static void queues_have_room_for_the_halo(void **state)
{
    static const char *const settings[] = {"spill_bytes=24576", NULL}; /* 256 items a queue */
    weir_context *context = open_with_or_skip(*state, settings);
    weir_pr_config config = pr_config(.85, 1e-3, WEIR_DANGLING_SPREAD);
    weir_graph *graph = open_graph("grid:200x100,.8", 0);
    for (int route = WEIR_ROUTE_DIRECT; route <= WEIR_ROUTE_TREE; route++) {
        weir_run_options options = pr_towards(WEIR_DIRECTION_PUSH);
        options.route = (weir_route_kind)route;
        weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_RANDOM, &options, &config);
        OK(weir_pr_run(pr, NULL));
        weir_pr_destroy(pr);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PR_SPEC(all_shapes, "host:1"),
        PR_SPEC(all_shapes, "host:3"),
        PR_SPEC(all_shapes, "cuda:0"),
        PR_SPEC(all_shapes, "cuda:0-1"),
        PR_SPEC(all_shapes, "cuda:0-3"),
        PR_SPEC(all_shapes, "cuda:0,host:1"),
        PR_SPEC(dangling_rank_may_be_lost, "host:2"),
        PR_SPEC(dangling_rank_may_be_lost, "host:8"),
        PR_SPEC(dangling_rank_may_be_lost, "host:2x3"),
        PR_SPEC(dangling_rank_may_be_lost, "cuda:0-3"),
        PR_SPEC(every_partition_will_do, "host:4"),
        PR_SPEC(every_partition_will_do, "cuda:0-1"),
        PR_SPEC(every_tolerance_and_damping, "host:1"),
        PR_SPEC(every_tolerance_and_damping, "host:2x3"),
        PR_SPEC(every_tolerance_and_damping, "cuda:0"),
        PR_SPEC(every_choice_of_the_worklist, "host:2x3"),
        PR_SPEC(every_choice_of_the_worklist, "cuda:0"),
        PR_SPEC(every_choice_of_the_worklist, "cuda:0-3"),
        PR_SPEC(queues_have_room_for_the_halo, "host:8"),
        PR_SPEC(queues_have_room_for_the_halo, "cuda:0-3"),
        PR_ON_EACH_SPEC(epochs_look_at_as_few_arcs_as_steps),
        PR_ON_EACH_SPEC(residuals_are_merged_before_they_are_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
