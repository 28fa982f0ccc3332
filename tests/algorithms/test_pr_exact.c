/** @file test_pr_exact.c  PageRank at fine tolerances: each vertex to 1e-9 of itself, real graphs against the
 * recorded answers; and how rows are dealt out.
 *
 * The folder of graphs is WEIR_DATA, or shared/data beside the repository; without it those tests are
 * skipped. */
#include "tests/algorithms/data_fixture.h"
#include "tests/algorithms/pr_fixture.h"

#include "algorithms/pr/pr.h"

/* ---- every vertex ---------------------------------------------------------------------------- */

static void every_vertex_to_a_billionth(void **state)
{
    static const char *const graphs[] = {"rmat:12,16", "grid:90x80,0.65", "rmat:12,3"};
    weir_context *context = open_or_skip(state);
    weir_pr_config config = pr_config(.85, 1e-10, WEIR_DANGLING_SPREAD);
    for (int i = 0; i < 3; i++) {
        weir_graph *graph = open_graph(graphs[i], i == 0);
        double *want = pr_expected(graph, &config);
        for (int direction = WEIR_DIRECTION_PUSH; direction <= WEIR_DIRECTION_PULL; direction++) {
            weir_run_options options = pr_towards(direction);
            weir_pr *pr = pr_placed(context, graph, -1, &options, &config);
            pr_assert(pr, graph, want, &config, 1e-9);
            weir_pr_destroy(pr);
        }
        free(want);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- rows of few arcs ------------------------------------------------------------------------- */

static void assert_gathered(weir_context *context, const char *spec, int are_short)
{
    weir_pr_config config = pr_config(.85, 1e-6, WEIR_DANGLING_SPREAD);
    weir_graph *graph = open_graph(spec, 1);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_pr *pr = pr_placed(context, graph, -1, &options, &config);
    OK(weir_pr_run(pr, &stats));
    assert_int_equal(stats.gathered, are_short ? stats.steps * graph->arcs : 0);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
}

/* On host devices the shares of short rows are brought before they are added up; lanes of a GPU read side by side. */
static void shares_of_short_rows_are_brought_first(void **state)
{
    weir_context *context = open_or_skip(state);
    const int on_hosts = strncmp(*state, "host", 4) == 0;
    assert_gathered(context, "grid:90x80", on_hosts);
    assert_gathered(context, "complete:40", 0);
    weir_context_destroy(context);
}

/* ---- the recorded answers -------------------------------------------------------------------- */

/* Recorded with 12 digits. */
static void assert_near(const char *name, const char *what, double have, double want)
{
    if (!(fabs(have - want) <= 1.01e-9 * want))
        fail_msg("%s: %s is %.15g, not %.15g", name, what, have, want);
}

static void check(weir_context *context, const char *name, json_t *wanted, int undirected)
{
    char path[4300], what[60];
    weir_pr_config config = pr_config(.85, 1e-10, WEIR_DANGLING_SPREAD);
    size_t i;
    json_t *entry;
    double squares = 0;
    snprintf(path, sizeof path, "%s/%s", data, name);
    weir_graph *graph = open_graph(path, undirected);
    weir_pr *pr = pr_placed(context, graph, -1, NULL, &config);
    double *have = malloc(graph->vertices * sizeof *have);
    OK(weir_pr_run(pr, NULL));
    OK(weir_pr_ranks(pr, have));
    json_array_foreach(json_object_get(wanted, "top"), i, entry)
    {
        long long v = json_integer_value(json_array_get(entry, 0));
        snprintf(what, sizeof what, "the rank of vertex %lld", v);
        assert_near(name, what, have[v], json_number_value(json_array_get(entry, 1)));
    }
    assert_int_equal(i, 10);
    for (uint64_t v = 0; v < graph->vertices; v++)
        squares += have[v] * have[v];
    assert_near(name, "the sum of squares", squares,
                json_number_value(json_object_get(wanted, "sum_of_squares")));
    free(have);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
}

static void the_recorded_answers(void **state)
{
    char path[4300];
    const char *name;
    json_t *value;
    data_or_skip();
    weir_context *context = open_or_skip(state);
    json_t *root = open_answers();
    int checked = 0;
    json_object_foreach(root, name, value)
    {
        static const char *const kinds[] = {"directed", "undirected"};
        snprintf(path, sizeof path, "%s/%s", data, name);
        if (access(path, R_OK) != 0)
            continue;
        if (strstr(*state, "host") && /* large ones take long there */
            (json_integer_value(json_object_get(value, "vertices")) > 90000 ||
             json_integer_value(json_object_get(value, "entries_stored")) > 1000000))
            continue;
        for (int i = 0; i < 2; i++) {
            json_t *wanted = json_object_get(json_object_get(value, kinds[i]), "pr");
            if (!wanted)
                continue;
            check(context, name, wanted, i);
            checked++;
        }
    }
    assert_true(checked > 0);
    json_decref(root);
    weir_context_destroy(context);
}

/* ---- how rows are dealt out -------------------------------------------------------------------- */

/* Every arc of every row is in one piece of work, and no piece is too long; also where several threads deal out, 2^18 rows each. */
static void rows_are_dealt_out(void **state)
{
    (void)state;
    enum { MOST = 3 * (1 << 18) + 77 };
    uint64_t seed = 3, *offsets = calloc(MOST + 1, sizeof *offsets);
    assert_non_null(offsets);
    static const uint32_t around[] = {0, 1, 2, 100, 254, 255, 256, 1024, 1025, 5000};
    struct weir__pr_lists lists;
    for (int trial = 0; trial < 34; trial++) {
        uint64_t rows = trial < 2 ? (uint64_t)trial : 3000, row = 0, arc = 0, piece = 0, longs = 0;
        if (trial >= 30)
            rows = trial % 2 ? MOST : 2 * (1 << 18);
        for (uint64_t r = 0; r < rows; r++) {
            uint64_t length = trial < 10 || trial >= 32 ? next_random(&seed) % 4
                                                        : around[next_random(&seed) % 10];
            offsets[r + 1] = offsets[r] + length;
        }
        OK(weir__pr_lists(offsets, rows, &lists));
        for (uint64_t c = 0; row < rows;) { /* rows in order: a chunk's, or a longer one */
            uint64_t length = offsets[row + 1] - offsets[row];
            if (length > PR_CHUNK_ARCS) {
                uint64_t pieces = 0;
                for (uint64_t end = offsets[row + 1]; arc < end; piece++, pieces++) {
                    assert_true(piece < lists.pieces);
                    assert_int_equal(lists.piece[piece].row, row);
                    assert_int_equal(lists.piece[piece].arc, arc);
                    assert_in_range(lists.piece[piece].arcs, 1, PR_PIECE_ARCS);
                    assert_int_equal(lists.piece[piece].whole, length <= PR_PIECE_ARCS);
                    arc += lists.piece[piece].arcs;
                }
                if (pieces > 1) {
                    assert_int_equal(lists.row[longs].row, row);
                    assert_int_equal(lists.row[longs].arcs, length);
                    assert_int_equal(lists.row[longs].pieces, pieces);
                    assert_int_equal(lists.row[longs++].first, piece - pieces);
                }
                row++;
                continue;
            }
            assert_true(c < lists.chunks);
            assert_int_equal(lists.chunk[c].row, row);
            assert_int_equal(lists.chunk[c].arc, arc);
            assert_in_range(lists.chunk[c].rows, 1, PR_CHUNK_ROWS);
            assert_in_range(lists.chunk[c].arcs, 0, PR_CHUNK_ARCS);
            for (uint64_t r = 0; r < lists.chunk[c].rows; r++, row++)
                assert_int_equal(arc + lists.end[row], offsets[row + 1]);
            arc += lists.chunk[c++].arcs;
        }
        assert_int_equal(arc, offsets[rows]);
        assert_int_equal(piece, lists.pieces);
        assert_int_equal(longs, lists.longs);
        weir__pr_lists_free(&lists);
    }
    free(offsets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PR_SPEC(every_vertex_to_a_billionth, "host:1"),
        PR_SPEC(every_vertex_to_a_billionth, "host:2x3"),
        PR_SPEC(every_vertex_to_a_billionth, "cuda:0"),
        PR_SPEC(every_vertex_to_a_billionth, "cuda:0-1"),
        PR_SPEC(shares_of_short_rows_are_brought_first, "host:1"),
        PR_SPEC(shares_of_short_rows_are_brought_first, "host:2x3"),
        PR_SPEC(shares_of_short_rows_are_brought_first, "cuda:0"),
        PR_SPEC(the_recorded_answers, "host:2"),
        PR_SPEC(the_recorded_answers, "cuda:0"),
        PR_SPEC(the_recorded_answers, "cuda:0-3"),
        PR_SPEC(rows_are_dealt_out, ""),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
