/** @file test_pr_turns.c  Turns of PageRank's threads on a host device (pr_turns_host.h): each is taken once an iteration, by its own worker or another. */
#include "tests/algorithms/pr_fixture.h"

#include "algorithms/pr/pr_pull.h"

#include <stdlib.h>
#include <string.h>

enum { WORKERS_MOST = 7, ENTRIES_MOST = 5000 };

static struct pr_chunk chunks[ENTRIES_MOST];
static struct pr_taken taken[WORKERS_MOST];

/* Workers go on one after another in a random order, each by a random number of chunks; @p iterations times all of it.
 * @return the turns that changed hands. */
static uint64_t deal_out(uint32_t entries, uint32_t workers, uint32_t iterations, uint64_t seed)
{
    struct pr_pull_args args = {.lists = {.chunk = chunks, .chunks = entries}, .turns = taken};
    uint64_t stolen = 0;
    memset(taken, 0, sizeof taken);
    for (uint32_t i = 0; i < entries; i++)
        chunks[i] = (struct pr_chunk){.row = i, .rows = 1};
    for (uint32_t number = 0; number < iterations; number++) {
        static uint8_t times[ENTRIES_MOST];
        struct pr_turns turns[WORKERS_MOST];
        uint32_t left = (1u << workers) - 1;
        memset(times, 0, sizeof times);
        for (uint32_t w = 0; w < workers; w++)
            turns[w] = (struct pr_turns){
                .args = &args, .number = number, .index = w, .workers = workers, .from = w};
        while (left) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const uint32_t w = (uint32_t)(seed >> 33) % workers;
            for (uint32_t some = (uint32_t)(seed >> 43) % 100; some && left >> w & 1u; some--) {
                int turned;
                const struct pr_chunk chunk = pr_next_chunk(&turns[w], &turned);
                if (chunk.rows)
                    times[chunk.row]++;
                else
                    left &= ~(1u << w);
            }
        }
        for (uint32_t i = 0; i < entries; i++)
            if (times[i] != 1)
                fail_msg("chunk %u of %u was taken %u times in iteration %u", i, entries, times[i],
                         number);
        for (uint32_t w = 0; w < workers; w++)
            stolen += turns[w].stolen;
    }
    return stolen;
}

static void each_turn_is_taken_once(void **state)
{
    static const uint32_t entries[] = {0, 1, 6, 7, 8, 111, 112, 113, 1000, 3583, 3584, 3585, 5000};
    (void)state;
    for (uint32_t workers = 1; workers <= WORKERS_MOST; workers++)
        for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
            const uint64_t stolen = deal_out(entries[i], workers, 5, workers * 77 + i);
            if (workers == 1)
                assert_int_equal(stolen, 0);
            else if (entries[i] >= 1000)
                assert_true(stolen > 0);
        }
}

/* A worker that has taken all of its own turns goes on with those of the next one, which takes none here. */
static void its_own_come_first(void **state)
{
    struct pr_pull_args args = {.lists = {.chunk = chunks, .chunks = 10}, .turns = taken};
    struct pr_turns turns = {.args = &args, .index = 1, .workers = 2, .from = 1};
    static const uint32_t order[] = {1, 2, 5, 6, 9, 0, 3, 4, 7, 8};
    int turned;
    (void)state;
    memset(taken, 0, sizeof taken);
    for (uint32_t i = 0; i < 10; i++)
        chunks[i] = (struct pr_chunk){.row = i, .rows = 1};
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(pr_next_chunk(&turns, &turned).row, order[i]);
        assert_true(turned); /* a turn is one chunk where they are few */
    }
    assert_int_equal(pr_next_chunk(&turns, &turned).rows, 0);
    assert_true(turned);
    assert_int_equal(turns.stolen, 5);
}

/* Ranks are the same bits whoever added them up. With more threads than cores some turns change hands. */
static void ranks_do_not_depend_on_who_takes_turns(void **state)
{
    static const struct {
        const char *spec;
        int steals;
    } cases[] = {{"host:1x1", 0}, {"host:1x6", 1}, {"host:2x3", 1}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t)cases[c].spec});
        weir_graph *graph = open_graph("grid:300x300,0.8", 0);
        weir_pr_config config = pr_config(.85, 1e-7, WEIR_DANGLING_SPREAD);
        weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
        double *ranks = calloc(graph->vertices, sizeof *ranks),
               *others = calloc(graph->vertices, sizeof *others);
        uint64_t stolen = 0;
        assert_true(ranks && others);
        config.iterations = 60;
        weir_pr *pr = pr_placed(context, graph, -1, &options, &config);
        weir_run_stats first = WEIR_RUN_STATS_INIT;
        OK(weir_pr_run(pr, &first));
        OK(weir_pr_ranks(pr, ranks));
        for (int i = 0; i < 3; i++) {
            weir_run_stats stats = WEIR_RUN_STATS_INIT;
            OK(weir_pr_run(pr, &stats));
            OK(weir_pr_ranks(pr, others));
            assert_memory_equal(ranks, others, graph->vertices * sizeof *ranks);
            assert_int_equal(stats.steps, first.steps);
            assert_true(stats.residual == first.residual);
            stolen += stats.turns_stolen;
        }
        assert_int_equal(stolen > 0, cases[c].steals);
        free(ranks);
        free(others);
        weir_pr_destroy(pr);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_turn_is_taken_once),
        cmocka_unit_test(its_own_come_first),
        cmocka_unit_test(ranks_do_not_depend_on_who_takes_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
