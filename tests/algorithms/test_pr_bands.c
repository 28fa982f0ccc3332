/** @file test_pr_bands.c  PageRank in step that reads shares band by band: the order of arcs and the lists, ranks with any
 * number of bands, and when bands are taken. */
#include "tests/algorithms/pr_fixture.h"

#include "algorithms/pr/pr.h"
#include "tests/lib/share.h"

/* ---- order and lists ------------------------------------------------------------------------------ */

#define NUMBERS 3072u
#define ROWS    3000u

/* Rows of all lengths, in each band or in some; ascending. */
struct sample {
    uint64_t rows, offsets[ROWS + 1];
    uint32_t *targets, *ordered;
    uint8_t *end;
    struct weir__pr_bands bands;
};

static int by_target(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void make_sample(struct sample *sample, int trial, uint64_t *seed)
{
    static const uint32_t length[] = {0, 1, 2, 3, 9, 30, 127, 254, 255, 256, 900, 1024, 1025, 2500};
    sample->rows = trial < 3 ? (uint64_t)trial : ROWS;
    sample->bands.count = trial % 2 ? 5 : PR_BANDS_MAX;
    for (uint32_t b = 1; b <= sample->bands.count; b++) /* the third of five is empty */
        sample->bands.begin[b] = trial % 2 ? (uint32_t[]){0, 100, 900, 900, 2047, NUMBERS}[b]
                                           : b * NUMBERS / PR_BANDS_MAX;
    for (uint64_t r = 0; r < sample->rows; r++)
        sample->offsets[r + 1] =
            sample->offsets[r] + length[next_random(seed) % (trial % 3 ? 6 : 14)];
    const uint64_t arcs = sample->offsets[sample->rows];
    sample->targets = calloc(arcs + 1, sizeof *sample->targets);
    sample->ordered = calloc(arcs + 1, sizeof *sample->ordered);
    sample->end = calloc(sample->rows * sample->bands.count + 1, 1);
    assert_true(sample->targets && sample->ordered && sample->end);
    for (uint64_t r = 0; r < sample->rows; r++) {
        const uint64_t from = sample->offsets[r], count = sample->offsets[r + 1] - from;
        const uint32_t low = next_random(seed) % 2 ? 0 : 2000;
        for (uint64_t i = 0; i < count; i++)
            sample->targets[from + i] = low + (uint32_t)(next_random(seed) % (NUMBERS - low));
        qsort(sample->targets + from, count, sizeof *sample->targets, by_target);
    }
    memcpy(sample->ordered, sample->targets, arcs * sizeof *sample->targets);
}

/* What a row has found of its arcs in the lists, which is where the next ones have to go on. */
static void find_arcs(const struct sample *sample, uint64_t row, uint64_t *found, uint64_t arc,
                      uint64_t count)
{
    assert_true(sample->offsets[row] + found[row] + count <= sample->offsets[row + 1]);
    assert_memory_equal(sample->targets + sample->offsets[row] + found[row], sample->ordered + arc,
                        count * sizeof *sample->targets);
    found[row] += count;
}

static void check_chunk(const struct sample *sample, const struct weir__pr_lists *lists,
                        const struct pr_chunk *chunk, uint64_t *found)
{
    const uint8_t *end = lists->end + chunk->band * sample->rows + chunk->row;
    uint64_t before = 0;
    assert_in_range(chunk->rows, 1, PR_CHUNK_ROWS);
    for (uint32_t r = 0; r < chunk->rows; before = end[r++]) {
        assert_true(end[r] >= before);
        find_arcs(sample, chunk->row + r, found, chunk->arc + before, end[r] - before);
    }
    assert_int_equal(before, chunk->arcs);
    for (uint32_t i = 0; i < chunk->arcs; i++)
        assert_in_range(sample->ordered[chunk->arc + i], sample->bands.begin[chunk->band],
                        sample->bands.begin[chunk->band + 1] - 1);
}

/* A strip has, in each band, all its short rows once, whether they have arcs there or not. */
static void check_strips(const struct sample *sample, const struct weir__pr_lists *lists,
                         uint64_t *found)
{
    const uint32_t each = weir__pr_strip_rows(sample->rows);
    assert_int_equal(lists->strips, (sample->rows + each - 1) / each);
    for (uint32_t band = 0; band < lists->bands; band++)
        for (uint64_t row = 0, c = 0; row < sample->rows;) {
            const uint64_t lot = (uint64_t)band * lists->strips + row / each;
            if (row % each == 0)
                c = lists->first[lot];
            if (sample->offsets[row + 1] - sample->offsets[row] > PR_CHUNK_ARCS) {
                row++;
            } else {
                assert_true(c < lists->first[lot + 1]);
                assert_int_equal(lists->chunk[c].band, band);
                assert_int_equal(lists->chunk[c].row, row);
                check_chunk(sample, lists, &lists->chunk[c], found);
                row += lists->chunk[c++].rows;
            }
            if (row % each == 0 || row == sample->rows)
                assert_int_equal(c, lists->first[lot + 1]);
        }
    assert_int_equal(lists->first[(uint64_t)lists->bands * lists->strips], lists->chunks);
}

static void arcs_lie_by_band(void **state)
{
    weir_context *context = open_or_skip(state);
    uint64_t seed = 5;
    for (int trial = 0; trial < 12; trial++) {
        struct sample sample = {0};
        struct weir__pr_lists lists;
        make_sample(&sample, trial, &seed);
        const struct weir__pr_rows rows = {.device = weir_context_device(context, 0),
                                           .count = sample.rows,
                                           .offsets = sample.offsets,
                                           .targets = sample.ordered};
        uint64_t *found = calloc(sample.rows + 1, sizeof *found), longs = 0;
        assert_non_null(found);
        OK(weir__pr_order(&rows, &sample.bands, sample.end));
        OK(weir__pr_band_lists(sample.offsets, sample.rows, sample.bands.count, sample.end,
                               &lists));
        check_strips(&sample, &lists, found);
        for (uint64_t i = 0; i < lists.pieces; i++)
            find_arcs(&sample, lists.piece[i].row, found, lists.piece[i].arc, lists.piece[i].arcs);
        for (uint64_t r = 0; r < sample.rows; r++) {
            assert_int_equal(found[r], sample.offsets[r + 1] - sample.offsets[r]);
            longs += found[r] > PR_PIECE_ARCS;
        }
        assert_int_equal(longs, lists.longs);
        weir__pr_lists_free(&lists); /* its ends are the sample's */
        free(found);
        free(sample.targets);
        free(sample.ordered);
    }
    weir_context_destroy(context);
}

/* ---- ranks ------------------------------------------------------------------------------------------ */

static weir_pr_config in_bands(double tolerance, uint32_t bands)
{
    weir_pr_config config = pr_config(.85, tolerance, WEIR_DANGLING_SPREAD);
    config.bands = bands;
    return config;
}

/* Threads do the same with each number of bands, and are up to twenty times as slow where they are watched. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define BANDS_BEGIN 2
#define BANDS_STEP  5
#else
#define BANDS_BEGIN 0
#define BANDS_STEP \
    (test_stride() > 1 ? 3 : 1) /* some floats and some doubles, of other numbers of bands */
#endif

static void every_shape_in_bands(void **state)
{
    static const uint32_t bands[] = {1, 2, 3, 17, PR_BANDS_MAX};
    weir_context *context = open_or_skip(state);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    for (int shape = 0; shape < PR_SHAPES; shape++) {
        weir_graph *graph = pr_graph(shape);
        weir_pr_config exact = in_bands(1e-10, 0);
        double *want = pr_expected(graph, &exact);
        for (int i = BANDS_BEGIN; i < 10; i += BANDS_STEP) { /* floats, then doubles */
            weir_pr_config config = in_bands(i < 5 ? 1e-6 : 1e-10, bands[i % 5]);
            weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
            weir_run_stats stats = pr_assert(pr, graph, want, &config, i < 5 ? LOOSE : 1e-9);
            assert_int_equal(stats.bands, bands[i % 5]);
            assert_true(stats.bytes >= stats.work.atoms * 4 +
                                           stats.steps * (stats.bands - 1) * 17 * graph->vertices);
            weir_pr_destroy(pr);
        }
        free(want);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void runs_repeat_bit_by_bit(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("uniform:12,9", 0);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    for (int fine = 0; fine < 2; fine++) {
        weir_pr_config config = in_bands(fine ? 1e-10 : 1e-6, 7);
        weir_pr *one = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
        weir_pr *two = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
        double *first = pr_ranks_of(one, graph), *again = pr_ranks_of(one, graph);
        double *other = pr_ranks_of(two, graph);
        assert_memory_equal(first, again, graph->vertices * sizeof *first);
        assert_memory_equal(first, other, graph->vertices * sizeof *first);
        free(first);
        free(again);
        free(other);
        weir_pr_destroy(one);
        weir_pr_destroy(two);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- when ------------------------------------------------------------------------------------------- */

static uint64_t bands_of(const char *spec, const char *cache, const char *text, uint32_t asked,
                         double tolerance)
{
    const char *settings[] = {cache, NULL};
    weir_context *context = open_with_or_skip(spec, settings);
    weir_graph *graph = open_graph(text, 0);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config config = in_bands(tolerance, asked);
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
    double *want = pr_expected(graph, &config);
    weir_run_stats stats = pr_assert(pr, graph, want, &config, LOOSE);
    free(want);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    return stats.bands;
}

/* Shares of 16 KiB in a cache of 4: bands of a third of it. */
static void bands_are_taken_where_they_save(void **state)
{
    const char *spec = *state;
    assert_int_equal(bands_of(spec, "cache_bytes=4KiB", "uniform:12,16", 0, 1e-6), 13);
    assert_int_equal(bands_of(spec, "cache_bytes=4KiB", "uniform:12,16", 0, 1e-9), 25);
    assert_int_equal(bands_of(spec, "cache_bytes=8KiB", "uniform:12,16", 0, 1e-6), 7);
    assert_int_equal(bands_of(spec, "cache_bytes=4KiB", "mesh:64x64,shuffle", 0, 1e-6), 1);
    assert_int_equal(bands_of(spec, "cache_bytes=8KiB", "mesh:64x64,shuffle", 0, 1e-6), 7);
    /* Most of what is asked for is there anyhow. */
    assert_int_equal(bands_of(spec, "cache_bytes=32KiB", "uniform:12,16", 0, 1e-6), 1);
    assert_int_equal(bands_of(spec, "cache_bytes=8KiB", "mesh:64x64", 0, 1e-6), 1);
    assert_int_equal(bands_of(spec, "cache_bytes=8KiB", "grid:64x64,0.8", 0, 1e-6), 1);
    assert_int_equal(bands_of(spec, "cache_bytes=32KiB", "rmat:14,16", 0, 1e-6), 1);
    /* Rows have fewer arcs than bands, and sums would cost more. */
    assert_int_equal(bands_of(spec, "cache_bytes=1KiB", "uniform:12,4", 0, 1e-6), 1);
    /* Whoever asks gets them. */
    assert_int_equal(bands_of(spec, "cache_bytes=4KiB", "uniform:12,16", 1, 1e-6), 1);
    assert_int_equal(bands_of(spec, "cache_bytes=4KiB", "uniform:12,16", 4, 1e-6), 4);
    assert_int_equal(bands_of(spec, "cache_bytes=1TiB", "mesh:64x64", 4, 1e-6), 4);
}

/* With the least pool that ranks fit into without bands there is no room for their sums and ends. */
static void without_room_there_are_none(void **state)
{
    weir_context_destroy(open_or_skip(state));
    weir_graph *graph = open_graph("uniform:16,4", 0);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config plain = in_bands(1e-6, 1), many = in_bands(1e-6, PR_BANDS_MAX);
    uint64_t bands[2] = {0, 0};
    options.memory = WEIR_MEMORY_DEVICE;
    for (unsigned mib = 1, left = 2; left; mib++) {
        char pool[40];
        const char *settings[] = {pool, NULL};
        snprintf(pool, sizeof pool, "pool_bytes=%uMiB", mib);
        weir_context *context = open_with_or_skip(*state, settings);
        weir_pr *pr;
        if (left == 1 || !weir_pr_create(context, graph, NULL, &options, &plain, &pr)) {
            weir_run_stats stats = WEIR_RUN_STATS_INIT;
            if (left == 2)
                weir_pr_destroy(pr);
            OK(weir_pr_create(context, graph, NULL, &options, &many, &pr));
            OK(weir_pr_run(pr, &stats));
            bands[--left] = stats.bands;
            weir_pr_destroy(pr);
            mib += 30; /* enough */
        }
        weir_context_destroy(context);
    }
    assert_int_equal(bands[1], 1);
    assert_int_equal(bands[0], PR_BANDS_MAX);
    weir_graph_destroy(graph);
}

static void what_there_is_not(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:6", 0);
    weir_pr_config config = in_bands(1e-6, PR_BANDS_MAX + 1);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PUSH);
    weir_pr *pr;
    STATUS(weir_pr_create(context, graph, NULL, NULL, &config, &pr), WEIR_ERR_INVALID);
    assert_detail("65 bands: up to 64");
    config.bands = 2;
    STATUS(weir_pr_create(context, graph, NULL, &options, &config, &pr), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("bands has no effect on PageRank through the worklist");
    config.bands = 0;
    OK(weir_pr_create(context, graph, NULL, &options, &config, &pr));
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(weir_pr_run(pr, &stats));
    assert_int_equal(stats.bands, 0);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Of many vertices with many bands there are more ends than 32 bits count. */
static void ends_of_many_rows(void **state)
{
    const struct weir__pr_lists lists = {.bands = PR_BANDS_MAX};
    (void)state;
    assert_int_equal(weir__pr_ends(&lists, 67200000), UINT64_C(67200000) * PR_BANDS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PR_SPEC(arcs_lie_by_band, "host:1"),
        PR_ON_EACH_SPEC(every_shape_in_bands),
        PR_ON_EACH_SPEC(runs_repeat_bit_by_bit),
        PR_SPEC(bands_are_taken_where_they_save, "host:1"),
        PR_SPEC(bands_are_taken_where_they_save, "cuda:0"),
        PR_SPEC(without_room_there_are_none, "host:1"),
        PR_SPEC(without_room_there_are_none, "cuda:0"),
        PR_SPEC(what_there_is_not, "host:2"),
        cmocka_unit_test(ends_of_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
