/** @file test_rows.c  Rows on devices, brought back and named by vertex, hold every arc once.
 */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"
#include "tests/lib/share.h"
#include "algorithms/common/bring.h"
#include "algorithms/rows.h"
#include "runtime/internal.h"

/* ThreadSanitizer is slow: of many combinations it sees some, and none twice. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 13
#else
#define STRIDE test_stride()
#endif

/* A configuration of these members. */
#define ASK(...) ((weir_rows_config){.size = sizeof(weir_rows_config), __VA_ARGS__})

struct placed {
    const weir_graph *graph;
    weir_context *context;
    weir_rows_config config;
    weir_rows *rows;
    uint32_t parts;
    uint8_t *seen; /* by arc of the graph */
};

static void *fetch(const struct placed *placed, uint32_t p, const void *data, uint64_t count,
                   size_t bytes)
{
    void *copy = malloc((size_t)count * bytes + 1);
    assert_non_null(copy);
    assert_non_null(data);
    assert_int_equal(
        weir__download(weir_context_device(placed->context, p), copy, data, (size_t)count * bytes),
        WEIR_OK);
    return copy;
}

/* The same of arcs, which may lie in host memory. */
static void *fetch_arcs(const struct placed *placed, uint32_t p, const void *data, uint64_t count,
                        size_t bytes)
{
    void *copy = malloc((size_t)count * bytes + 1);
    assert_true(copy && data);
    OK(weir__bring_back(weir_context_device(placed->context, p), weir_rows_memory(placed->rows),
                        copy, data, (size_t)count * bytes));
    return copy;
}

/* Where an arc stands in the graph; UINT64_MAX if there is none. */
static uint64_t find_arc(const weir_graph *graph, uint64_t v, uint64_t t)
{
    uint64_t low = graph->offsets[v], end = graph->offsets[v + 1], high = end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->targets[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low == end || graph->targets[low] != t ? UINT64_MAX : low;
}

static uint64_t arc_of(const weir_graph *graph, uint32_t v, uint32_t t)
{
    uint64_t arc = find_arc(graph, v, t);
    if (arc == UINT64_MAX)
        fail_msg("there is no arc from %u to %u", v, t);
    return arc;
}

static uint32_t degree_of(const weir_graph *graph, uint32_t v)
{
    return (uint32_t)(graph->offsets[v + UINT64_C(1)] - graph->offsets[v]);
}

/* Every vertex has one number, in its part; gaps are gaps. */
static void assert_numbers(const struct placed *placed, const weir_partition *partition)
{
    const weir_graph *graph = placed->graph;
    const uint32_t *vertex = weir_rows_vertices(placed->rows);
    const uint32_t *number = weir_rows_numbers(placed->rows);
    const uint32_t *degree = weir_rows_degrees(placed->rows);
    uint32_t end = 0, at, of;
    uint64_t owned = 0;
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        assert_int_equal(part->part, p);
        assert_int_equal(part->parts, placed->parts);
        assert_int_equal(part->vertices, graph->vertices);
        assert_int_equal(part->arcs_all, graph->arcs);
        assert_int_equal(part->begin, end);
        assert_int_equal(part->begin % WEIR_ROWS_ALIGN, 0);
        assert_int_equal(part->numbers % WEIR_ROWS_ALIGN, 0);
        for (uint32_t q = 0; q < placed->parts; q++)
            assert_int_equal(part->first[q], weir_rows_part_of(placed->rows, q)->begin);
        assert_int_equal(part->first[placed->parts], part->numbers);
        end = part->first[p + 1];
        assert_true(end - part->begin >= part->owned);
        assert_true(end - part->begin < part->owned + WEIR_ROWS_ALIGN);
        for (uint32_t i = part->begin; i < end; i++) {
            if (i >= part->begin + part->owned) {
                assert_int_equal(vertex[i], UINT32_MAX);
                assert_int_equal(degree[i], 0);
                continue;
            }
            assert_true(vertex[i] < graph->vertices);
            assert_int_equal(number[vertex[i]], i);
            assert_int_equal(degree[i], degree_of(graph, vertex[i]));
            assert_int_equal(partition->owner[vertex[i]], p);
            assert_int_equal(weir_rows_locate(placed->rows, vertex[i], &of, &at), WEIR_OK);
            assert_int_equal(of, p);
            assert_int_equal(at, i);
        }
        owned += part->owned;
    }
    assert_int_equal(owned, graph->vertices);
    assert_int_equal(weir_rows_locate(placed->rows, graph->vertices, NULL, NULL), WEIR_ERR_INVALID);
}

/* Within a part ids ascend, or degrees descend and ids ascend among equal ones. */
static void assert_order(const struct placed *placed)
{
    const uint32_t *vertex = weir_rows_vertices(placed->rows);
    uint32_t *both = calloc((size_t)placed->graph->vertices + 1, 4);
    int by_degree = weir_rows_order_of(placed->rows) == WEIR_ROWS_BY_DEGREE;
    assert_non_null(both);
    if (placed->config.order != WEIR_ROWS_AUTO)
        assert_int_equal(weir_rows_order_of(placed->rows), placed->config.order);
    for (uint64_t v = 0; v < placed->graph->vertices; v++)
        both[v] += degree_of(placed->graph, (uint32_t)v);
    for (uint64_t i = 0; placed->config.in_arcs && i < placed->graph->arcs; i++)
        both[placed->graph->targets[i]]++;
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        for (uint32_t i = part->begin + 1; i < part->begin + part->owned; i++) {
            uint32_t a = vertex[i - 1], b = vertex[i];
            assert_true(by_degree ? both[a] > both[b] || (both[a] == both[b] && a < b) : a < b);
        }
    }
    free(both);
}

/* What pairs are of. */
static void part_pairs(const struct placed *placed, uint32_t p, int in, uint64_t count,
                       uint32_t **targets_out, uint32_t **weights_out)
{
    const weir_rows_pairs *pairs = weir_rows_pairs_of(placed->rows, p);
    uint64_t *words = fetch_arcs(placed, p, in ? pairs->in : pairs->out, count, 8);
    *targets_out = malloc(count * 4 + 1);
    *weights_out = malloc(count * 4 + 1);
    assert_true(*targets_out && *weights_out);
    for (uint64_t i = 0; i < count; i++) {
        (*targets_out)[i] = weir_rows_pair_target(words[i]);
        (*weights_out)[i] = weir_rows_pair_weight(words[i]);
        assert_int_equal(weir_rows_pair((*weights_out)[i], (*targets_out)[i]), words[i]);
    }
    free(words);
}

/* One direction of a part's arcs: each is of the graph and was not met before. */
static uint64_t assert_side(const struct placed *placed, uint32_t p, const weir_arcs *arcs, int in)
{
    const weir_graph *graph = placed->graph;
    const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
    const uint32_t *vertex = weir_rows_vertices(placed->rows);
    uint64_t *offsets = fetch(placed, p, arcs->offsets, part->owned + UINT64_C(1), 8);
    uint64_t count = offsets[part->owned];
    uint32_t *targets = NULL, *weights = NULL;
    assert_int_equal(offsets[0], 0);
    assert_int_equal(count, in ? part->arcs_in : part->arcs_out);
    if (placed->config.pairs) {
        assert_true(!arcs->targets && !arcs->weights);
        part_pairs(placed, p, in, count, &targets, &weights);
    } else {
        targets = fetch_arcs(placed, p, arcs->targets, count, 4);
    }
    if (placed->config.weights && !placed->config.pairs)
        weights = fetch_arcs(placed, p, arcs->weights, count, 4);
    else
        assert_null(arcs->weights);
    for (uint32_t r = 0; r < part->owned; r++) {
        uint32_t v = vertex[part->begin + r];
        assert_true(offsets[r] <= offsets[r + 1]);
        for (uint64_t i = offsets[r]; i < offsets[r + 1]; i++) {
            assert_true(targets[i] < part->numbers && vertex[targets[i]] != UINT32_MAX);
            uint32_t far = vertex[targets[i]];
            uint64_t arc = in ? arc_of(graph, far, v) : arc_of(graph, v, far);
            assert_int_equal(placed->seen[arc]++, 0);
            if (weights)
                assert_int_equal(weights[i], graph->weights_u32[arc]);
            if (i == offsets[r])
                continue;
            if (placed->config.by_weight && weights[i - 1] != weights[i])
                assert_true(weights[i - 1] < weights[i]);
            else
                assert_true(targets[i - 1] < targets[i]);
        }
    }
    free(offsets);
    free(targets);
    free(weights);
    return count;
}

static int has_reverses(const weir_graph *graph, int weights)
{
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            uint64_t back = find_arc(graph, graph->targets[i], v);
            if (back == UINT64_MAX ||
                (weights && graph->weights_u32[i] != graph->weights_u32[back]))
                return 0;
        }
    return 1;
}

static void assert_arcs(struct placed *placed)
{
    uint64_t out = 0, in = 0, arcs = placed->graph->arcs;
    placed->seen = calloc((size_t)arcs + 1, 1);
    assert_non_null(placed->seen);
    for (uint32_t p = 0; p < placed->parts; p++)
        out += assert_side(placed, p, &weir_rows_part_of(placed->rows, p)->out, 0);
    assert_int_equal(out, arcs);
    memset(placed->seen, 0, (size_t)arcs);
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        if (!placed->config.in_arcs) {
            assert_null(part->in.offsets);
            assert_null(part->in.targets);
            continue;
        }
        in += assert_side(placed, p, &part->in, 1);
        assert_int_equal(part->in.targets == part->out.targets,
                         placed->config.pairs || weir_rows_symmetric(placed->rows));
        if (placed->config.pairs)
            assert_int_equal(weir_rows_pairs_of(placed->rows, p)->in ==
                                 weir_rows_pairs_of(placed->rows, p)->out,
                             weir_rows_symmetric(placed->rows));
    }
    assert_int_equal(in, placed->config.in_arcs ? arcs : 0);
    free(placed->seen);
}

static void assert_out_degree(const struct placed *placed)
{
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        if (!placed->config.out_degrees) {
            assert_null(part->out_degree);
            continue;
        }
        uint32_t *copy = fetch(placed, p, part->out_degree, part->numbers, 4);
        for (uint32_t i = 0; i < part->numbers; i++)
            assert_int_equal(copy[i], weir_rows_degrees(placed->rows)[i]);
        free(copy);
    }
}

static void assert_out_byte(const struct placed *placed)
{
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        const uint32_t *degree = weir_rows_degrees(placed->rows) + part->begin;
        if (!placed->config.out_bytes) {
            assert_null(part->out_byte);
            continue;
        }
        if (part->owned == 0)
            continue;
        uint8_t *copy = fetch(placed, p, part->out_byte, part->owned, 1);
        for (uint32_t r = 0; r < part->owned; r++)
            assert_int_equal(copy[r], degree[r] < WEIR_ROWS_BYTE ? degree[r] : WEIR_ROWS_BYTE);
        free(copy);
    }
}

static void assert_firsts_of(const struct placed *placed, uint32_t p, const weir_arcs *arcs)
{
    const uint32_t owned = weir_rows_part_of(placed->rows, p)->owned;
    if (!placed->config.firsts || placed->config.pairs || !arcs->offsets) {
        assert_null(arcs->firsts);
        return;
    }
    if (owned == 0)
        return;
    uint32_t *firsts = fetch(placed, p, arcs->firsts, owned, 4);
    uint64_t *offsets = fetch(placed, p, arcs->offsets, owned + (size_t)1, 8);
    uint32_t *targets = offsets[owned] ? fetch(placed, p, arcs->targets, offsets[owned], 4) : NULL;
    for (uint32_t r = 0; r < owned; r++)
        assert_int_equal(firsts[r],
                         offsets[r] < offsets[r + 1] ? targets[offsets[r]] : WEIR_ROWS_NONE);
    free(firsts);
    free(offsets);
    free(targets);
}

/* The first two pairs of each row, where they are of use. */
static void assert_pair_firsts(const struct placed *placed, uint32_t p)
{
    const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
    const weir_rows_pairs *pairs = weir_rows_pairs_of(placed->rows, p);
    const int in = placed->config.in_arcs;
    if (!placed->config.pairs) {
        assert_null(pairs);
        return;
    }
    if (!placed->config.firsts || weir_rows_memory(placed->rows) != WEIR_MEMORY_HOST) {
        assert_null(pairs->firsts);
        return;
    }
    if (!part->owned)
        return;
    uint64_t *offsets =
        fetch(placed, p, (in ? &part->in : &part->out)->offsets, part->owned + UINT64_C(1), 8);
    uint64_t *words = fetch_arcs(placed, p, in ? pairs->in : pairs->out, offsets[part->owned], 8);
    uint64_t *firsts = fetch(placed, p, pairs->firsts, part->owned, 16);
    for (uint32_t r = 0; r < part->owned; r++)
        for (uint64_t k = 0; k < 2; k++)
            assert_int_equal(firsts[2 * (uint64_t)r + k], offsets[r] + k < offsets[r + 1]
                                                              ? words[offsets[r] + k]
                                                              : WEIR_ROWS_NO_PAIR);
    free(offsets);
    free(words);
    free(firsts);
}

static void assert_firsts(const struct placed *placed)
{
    assert_null(weir_rows_pairs_of(placed->rows, placed->parts));
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        assert_pair_firsts(placed, p);
        assert_firsts_of(placed, p, &part->out);
        assert_firsts_of(placed, p, &part->in);
        if (part->in.offsets == part->out.offsets)
            assert_ptr_equal(part->in.firsts, part->out.firsts);
    }
}

/* Rows from `busy` on have no arcs, and the one before them has some. */
static void assert_busy(const struct placed *placed)
{
    const weir_graph *graph = placed->graph;
    const uint32_t *number = weir_rows_numbers(placed->rows);
    uint32_t numbers = weir_rows_part_of(placed->rows, 0)->numbers;
    uint8_t *has = calloc(numbers + UINT64_C(1), 1);
    assert_non_null(has);
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            has[number[v]] = 1;
            if (placed->config.in_arcs)
                has[number[graph->targets[i]]] = 1;
        }
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        assert_true(part->busy <= part->owned);
        assert_true(part->busy == 0 || has[part->begin + part->busy - 1]);
        for (uint32_t r = part->busy; r < part->owned; r++)
            assert_false(has[part->begin + r]);
    }
    free(has);
}

/* Values of a part's rows come back to their vertices. */
static void assert_gather(const struct placed *placed)
{
    uint64_t n = placed->graph->vertices;
    uint64_t *have = malloc((size_t)n * 8 + 1);
    void *values[WEIR_DEVICES_MAX];
    assert_non_null(have);
    for (uint32_t p = 0; p < placed->parts; p++) {
        const weir_rows_part *part = weir_rows_part_of(placed->rows, p);
        weir_device *device = weir_context_device(placed->context, p);
        uint64_t *host = malloc((size_t)part->owned * 8 + 1);
        assert_non_null(host);
        for (uint32_t r = 0; r < part->owned; r++)
            host[r] = (weir_rows_vertices(placed->rows)[part->begin + r] + UINT64_C(1)) << 29;
        assert_int_equal(weir_device_alloc(device, (size_t)part->owned * 8, &values[p]), WEIR_OK);
        assert_int_equal(weir__upload(device, values[p], host, (size_t)part->owned * 8), WEIR_OK);
        free(host);
    }
    assert_int_equal(weir_rows_gather(placed->rows, (const void *const *)values, 8, have), WEIR_OK);
    for (uint64_t v = 0; v < n; v++)
        assert_int_equal(have[v], (v + 1) << 29);
    for (uint32_t p = 0; p < placed->parts; p++)
        weir_device_free(weir_context_device(placed->context, p), values[p]);
    free(have);
}

static int skipped(void)
{
    static unsigned combination;
    return combination++ % STRIDE != 0;
}

static void assert_rows(weir_context *context, const weir_graph *graph,
                        const weir_partition *partition, weir_rows_config config)
{
    struct placed placed = {
        .graph = graph, .context = context, .config = config, .parts = partition->parts};
    if (weir_rows_create(context, graph, partition, &config, &placed.rows))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    assert_ptr_equal(weir_rows_context(placed.rows), context);
    assert_int_equal(weir_rows_symmetric(placed.rows),
                     config.in_arcs && has_reverses(graph, config.weights));
    assert_numbers(&placed, partition);
    assert_order(&placed);
    assert_arcs(&placed);
    assert_out_degree(&placed);
    assert_out_byte(&placed);
    assert_firsts(&placed);
    assert_busy(&placed);
    assert_gather(&placed);
    weir_rows_destroy(placed.rows);
}

static weir_partition *cut(const weir_graph *graph, int kind, uint32_t parts)
{
    weir_partition *partition;
    if (weir_partition_create(graph, (weir_partition_kind)kind, parts, 1, NULL, &partition))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    return partition;
}

/* Every way in which rows can be asked for of an unweighted graph. */
static void try_plain(weir_context *context, const weir_graph *graph,
                      const weir_partition *partition)
{
    for (int order = WEIR_ROWS_AUTO; order <= WEIR_ROWS_BY_DEGREE; order++)
        for (int in = 0; in < 2; in++)
            if (!skipped())
                assert_rows(
                    context, graph, partition,
                    ASK(.in_arcs = in, .out_degrees = !in, .out_bytes = order != WEIR_ROWS_BY_ID,
                        .firsts = order != WEIR_ROWS_BY_DEGREE, .order = (weir_rows_order)order));
}

static void try_weighted(weir_context *context, const weir_graph *graph,
                         const weir_partition *partition)
{
    for (int order = WEIR_ROWS_BY_ID; order <= WEIR_ROWS_BY_DEGREE; order++)
        for (int how = 0; how < 4; how++)
            if (!skipped())
                assert_rows(context, graph, partition,
                            ASK(.in_arcs = how & 1, .weights = 1, .by_weight = how >> 1,
                                .firsts = 1, .order = (weir_rows_order)order));
}

static void try_pairs(weir_context *context, const weir_graph *graph,
                      const weir_partition *partition)
{
    for (int order = WEIR_ROWS_BY_ID; order <= WEIR_ROWS_BY_DEGREE; order++)
        for (int how = 0; how < 16; how++)
            if (!skipped())
                assert_rows(context, graph, partition,
                            ASK(.in_arcs = how & 1, .weights = 1, .by_weight = how >> 1 & 1,
                                .pairs = 1, .firsts = how >> 2 & 1,
                                .memory = how >> 3 ? WEIR_MEMORY_HOST : WEIR_MEMORY_DEVICE,
                                .order = (weir_rows_order)order));
}

static void rows_hold_every_arc_once(void **state)
{
    static const char *const texts[] = {"rmat:9", "rmat:6,1", "grid:17x23", "grid:3x1",
                                        "grid:30x30,0"};
    weir_context *context = open_or_skip(state);
    for (size_t g = 0; g < 2 * sizeof texts / sizeof *texts; g++) {
        weir_graph *graph = open_graph(texts[g / 2], g & 1);
        for (int kind = 0; kind < 4; kind++)
            for (uint32_t parts = 1; parts <= weir_context_device_count(context); parts++) {
                weir_partition *partition = cut(graph, kind, parts);
                try_plain(context, graph, partition);
                weir_partition_destroy(partition);
            }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Several blocks of vertices and of arcs, and rows long enough for every branch of the sort: the center of a
 * star of 90 000 has an arc to each, and every second one has one back. */
static void large_graphs_and_long_rows(void **state)
{
    enum { N = 90000 };
    weir_context *context = open_or_skip(state);
    uint32_t *sources = malloc(2 * N * sizeof *sources), *targets = malloc(2 * N * sizeof *targets);
    uint64_t arcs = 0;
    weir_graph *star, *rmat = open_graph("rmat:17,4", 0);
    assert_non_null(sources);
    assert_non_null(targets);
    for (uint32_t v = 0; v < N; v++) {
        sources[arcs] = 77777;
        targets[arcs++] = v;
        if (v % 2) {
            sources[arcs] = v;
            targets[arcs++] = 77777;
        }
    }
    assert_int_equal(weir_graph_from_arcs(N, arcs, sources, targets, NULL, NULL, &star), WEIR_OK);
    for (int kind = WEIR_PARTITION_EDGE; kind <= WEIR_PARTITION_RANDOM; kind++) {
        weir_partition *of_star = cut(star, kind, weir_context_device_count(context));
        weir_partition *of_rmat = cut(rmat, kind, weir_context_device_count(context));
        weir_rows_config config = ASK(.in_arcs = 1, .order = WEIR_ROWS_BY_DEGREE);
        assert_rows(context, star, of_star, config);
        assert_rows(context, rmat, of_rmat, config);
        weir_partition_destroy(of_star);
        weir_partition_destroy(of_rmat);
    }
    weir_graph_destroy(star);
    weir_graph_destroy(rmat);
    free(sources);
    free(targets);
    weir_context_destroy(context);
}

/* Many batches of rows with weights, which have a word for number, weight and row of a batch; weights of 32 bits beside numbers of 18
 * leave no bits for rows. */
static void batches_of_weighted_rows(void **state)
{
    static const char *const texts[] = {"random:1-255", "random:0-4294967295"};
    weir_context *context = open_or_skip(state);
    for (size_t w = 0; w < 4; w++) {
        weir_graph *graph = open_graph("rmat:18,1", w & 1);
        weir_weights weights;
        assert_int_equal(weir_weights_parse(texts[w / 2], &weights), WEIR_OK);
        assert_int_equal(weir_graph_weigh(graph, &weights), WEIR_OK);
        weir_partition *partition =
            cut(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context));
        for (int by_weight = 0; by_weight < 2; by_weight++)
            if (!skipped())
                assert_rows(context, graph, partition,
                            ASK(.in_arcs = 1, .weights = 1, .by_weight = by_weight));
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void weights_stay_with_their_arcs(void **state)
{
    static const char *const texts[] = {"random:1-255", "random:0-4294967295", "random:1-2",
                                        "unit"};
    weir_context *context = open_or_skip(state);
    for (size_t w = 0; w < 2 * sizeof texts / sizeof *texts; w++) {
        weir_graph *graph = open_graph("rmat:9", w & 1);
        weir_weights weights;
        assert_int_equal(weir_weights_parse(texts[w / 2], &weights), WEIR_OK);
        assert_int_equal(weir_graph_weigh(graph, &weights), WEIR_OK);
        weir_partition *partition =
            cut(graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context));
        try_weighted(context, graph, partition);
        try_pairs(context, graph, partition);
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Both directions of every edge of a circle; one may weigh more than the other, or lack. */
static weir_graph *circle(uint32_t n, double more, int lacks)
{
    uint32_t sources[400], targets[400];
    double weights[400];
    weir_graph *graph;
    assert_true(n <= 200);
    for (uint32_t v = 0; v < n; v++) {
        sources[2 * v] = targets[2 * v + 1] = v;
        targets[2 * v] = sources[2 * v + 1] = (v + 1) % n;
        weights[2 * v] = 3 * v;
        weights[2 * v + 1] = 3 * v + (v == n / 2 ? more : 0);
    }
    sources[0] = lacks ? sources[1] : sources[0];
    targets[0] = lacks ? n / 2 : targets[0]; /* as many arcs, but a reverse is missing */
    assert_int_equal(weir_graph_from_arcs(n, 2 * n, sources, targets, weights, NULL, &graph),
                     WEIR_OK);
    return graph;
}

static void one_arc_decides_on_symmetry(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int variant = 0; variant < 3; variant++) {
        weir_graph *graph = circle(100, variant == 1, variant == 2);
        weir_partition *partition =
            cut(graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context));
        weir_rows *rows;
        for (int weights = 0; weights < 2; weights++) {
            weir_rows_config config = ASK(.in_arcs = 1, .weights = weights);
            assert_rows(context, graph, partition, config);
            assert_int_equal(weir_rows_create(context, graph, partition, &config, &rows), WEIR_OK);
            assert_int_equal(weir_rows_symmetric(rows), variant == 0 || (variant == 1 && !weights));
            weir_rows_destroy(rows);
        }
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void graphs_of_next_to_nothing(void **state)
{
    static const uint32_t zero = 0, one = 1;
    weir_context *context = open_or_skip(state);
    for (int g = 0; g < 4; g++) { /* no vertex, one, two without an arc, two with one */
        weir_graph *graph;
        assert_int_equal(
            weir_graph_from_arcs(g < 3 ? (uint64_t)g : 2, g == 3, &zero, &one, NULL, NULL, &graph),
            WEIR_OK);
        for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
            weir_partition *partition = cut(graph, kind, weir_context_device_count(context));
            try_plain(context, graph, partition);
            weir_partition_destroy(partition);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void parts_that_own_nothing(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:4", NULL);
    weir_graph *graph = open_graph("rmat:9", 0);
    uint8_t *owner = malloc(graph->vertices);
    weir_partition partition = {.parts = 4, .vertices = graph->vertices, .owner = owner};
    assert_non_null(owner);
    for (uint32_t only = 0; only < 4; only++) {
        memset(owner, (int)only, graph->vertices);
        try_plain(context, graph, &partition);
    }
    for (uint64_t v = 0; v < graph->vertices; v++)
        owner[v] = v % 2 ? 1 : 3; /* parts 0 and 2 are empty */
    try_plain(context, graph, &partition);
    free(owner);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void skewed_degrees_are_numbered_by_degree(void **state)
{
    static const struct {
        const char *text;
        weir_rows_order order;
    } cases[] = {{"rmat:14", WEIR_ROWS_BY_DEGREE},
                 {"rmat:16,4", WEIR_ROWS_BY_DEGREE},
                 {"grid:100x120", WEIR_ROWS_BY_ID},
                 {"grid:100x100,0.5", WEIR_ROWS_BY_ID}};
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_rows_config config = ASK(.in_arcs = 1);
        weir_graph *graph = open_graph(cases[i].text, 0);
        weir_rows *rows;
        assert_int_equal(weir_rows_create(context, graph, NULL, &config, &rows), WEIR_OK);
        assert_int_equal(weir_rows_order_of(rows), cases[i].order);
        weir_rows_destroy(rows);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void assert_refused(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, weir_rows_config config,
                           const char *why)
{
    weir_rows *rows;
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    assert_int_equal(weir_rows_create(context, graph, partition, &config, &rows), WEIR_ERR_INVALID);
    assert_null(rows);
    if (!strstr(weir_error_detail(), why))
        fail_msg("\"%s\" is not in \"%s\"", why, weir_error_detail());
    weir_device_pool_stats(weir_context_device(context, 0), &pool);
    assert_int_equal(pool.allocations, 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    weir_rows_config plain = ASK(.in_arcs = 1), weights = ASK(.weights = 1),
                     only = ASK(.by_weight = 1), pairs = ASK(.pairs = 1),
                     halo = ASK(.weights = 1, .pairs = 1, .halo = 1);
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:200x200", 0), *fractions;
    uint8_t *owner = calloc(graph->vertices, 1);
    weir_partition partition = {.parts = 2, .vertices = graph->vertices, .owner = owner};
    static const uint32_t zero = 0, one = 1;
    static const double half = .5;
    assert_non_null(owner);
    assert_refused(context, graph, &partition, weights, "no weights");
    assert_refused(context, graph, &partition, only, "rows by weight without weights");
    assert_refused(context, graph, &partition, pairs, "rows of pairs without weights");
    assert_refused(context, graph, &partition, halo, "rows of pairs, and halos");
    owner[30000] = 2;
    owner[39999] = 255;
    assert_refused(context, graph, &partition, plain, "vertex 30000 is in part 2 of 2");
    owner[30000] = owner[39999] = 1;
    partition.parts = 3;
    assert_refused(context, graph, &partition, plain, "into 3 parts");
    partition.parts = 0;
    assert_refused(context, graph, &partition, plain, "into 0 parts");
    partition.parts = 2;
    partition.vertices--;
    assert_refused(context, graph, &partition, plain, "a partition of 39999 vertices");
    assert_int_equal(weir_graph_from_arcs(2, 1, &zero, &one, &half, NULL, &fractions), WEIR_OK);
    assert_refused(context, fractions, NULL, weights, "not all 32-bit integers");
    weir_rows_destroy(NULL);
    free(owner);
    weir_graph_destroy(graph);
    weir_graph_destroy(fractions);
    weir_context_destroy(context);
}

/* @return how many allocations there are, about: each fails once. */
static uint32_t fail_each(weir_context *context, const weir_graph *graph, weir_rows_config config)
{
    uint32_t failures = 0, struck = 1;
    for (uint64_t nth = 1; struck; nth++) {
        weir_rows *rows;
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = weir_rows_create(context, graph, NULL, &config, &rows);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(rows != NULL, status == WEIR_OK);
        weir_rows_destroy(rows);
        for (uint32_t d = 0; d < 2; d++) {
            weir_device_pool_stats(weir_context_device(context, d), &pool);
            assert_int_equal(pool.allocations, 0);
        }
        if (status)
            assert_int_equal(status, WEIR_ERR_NOMEM);
        failures += status != WEIR_OK;
    }
    return failures;
}

/* Whichever allocation fails, nothing is left behind. Pools do without some; in the end all succeed. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("rmat:7", 0);
    weir_weights weights;
    assert_int_equal(weir_weights_parse("random", &weights), WEIR_OK);
    assert_int_equal(weir_graph_weigh(graph, &weights), WEIR_OK);
    assert_true(fail_each(context, graph, ASK(.in_arcs = 1, .weights = 1, .out_degrees = 1)) > 30);
    for (int host = 0; host < 2; host++)
        assert_true(fail_each(context, graph,
                              ASK(.in_arcs = 1, .weights = 1, .pairs = 1, .firsts = 1,
                                  .memory = host ? WEIR_MEMORY_HOST : WEIR_MEMORY_DEVICE,
                                  .order = WEIR_ROWS_BY_DEGREE)) > 20);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Nothing of a graph that does not fit stays on the devices. */
static void a_part_too_large_for_its_pool(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:17", 0);
    weir_rows_config rows_config = ASK(.in_arcs = 1, .out_degrees = 1);
    weir_rows *rows;
    weir_config *config;
    weir_context *context;
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    assert_int_equal(weir_config_create(&config), WEIR_OK);
    assert_int_equal(weir_config_set(config, "pool_bytes", "5MiB"), WEIR_OK);
    weir_status status = weir_context_create("host:2", config, &context);
    rows_config.memory = WEIR_MEMORY_DEVICE;
    weir_config_destroy(config);
    assert_int_equal(status, WEIR_OK);
    assert_int_equal(weir_rows_create(context, graph, NULL, &rows_config, &rows), WEIR_ERR_NOMEM);
    assert_null(rows);
    assert_non_null(strstr(weir_error_detail(), "WEIR_POOL_BYTES"));
    for (uint32_t i = 0; i < 2; i++) {
        weir_device_pool_stats(weir_context_device(context, i), &pool);
        assert_int_equal(pool.allocations, 0);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
#define ON(f, spec)                                             \
    {                                                           \
#f "[" spec "]", f, NULL, NULL, (void *)(uintptr_t)spec \
    }
    const struct CMUnitTest tests[] = {
        ON(rows_hold_every_arc_once, "host:4"),
        ON(rows_hold_every_arc_once, "cuda:0"),
        ON(rows_hold_every_arc_once, "cuda:0-1"),
        ON(rows_hold_every_arc_once, "cuda:0,host:1"),
        ON(large_graphs_and_long_rows, "host:1"),
        ON(large_graphs_and_long_rows, "host:8"),
        ON(large_graphs_and_long_rows, "cuda:0-1"),
        ON(batches_of_weighted_rows, "host:1"),
        ON(batches_of_weighted_rows, "host:3"),
        ON(weights_stay_with_their_arcs, "host:1"),
        ON(weights_stay_with_their_arcs, "host:3"),
        ON(weights_stay_with_their_arcs, "cuda:0-1"),
        ON(one_arc_decides_on_symmetry, "host:1"),
        ON(one_arc_decides_on_symmetry, "host:3"),
        ON(graphs_of_next_to_nothing, "host:1"),
        ON(graphs_of_next_to_nothing, "host:8"),
        ON(graphs_of_next_to_nothing, "cuda:0"),
        cmocka_unit_test(parts_that_own_nothing),
        cmocka_unit_test(skewed_degrees_are_numbered_by_degree),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_part_too_large_for_its_pool),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
