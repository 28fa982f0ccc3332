/** @file test_rows_halo.c  Rows with halos name the same far ends as rows by number, know those and no others, and know who knows theirs. */
#include "tests/algorithms/cc_fixture.h"
#include "tests/lib/share.h"
#include "algorithms/rows.h"
#include "runtime/internal.h"

/* ThreadSanitizer is slow: of many combinations it sees some. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 5
#else
#define STRIDE test_stride()
#endif

struct names {
    weir_rows *rows, *plain; /* of one graph, one partition */
    uint32_t parts;
    weir_rows_halo halo[WEIR_DEVICES_MAX]; /* with pointers to host memory */
};

static void *fetch(const weir_rows *rows, uint32_t p, const void *data, uint64_t count,
                   size_t bytes)
{
    void *copy = malloc((size_t)count * bytes + 1);
    assert_non_null(copy);
    OK(weir__download(weir_context_device(weir_rows_context(rows), p), copy, data,
                      (size_t)count * bytes));
    return copy;
}

static void fetch_halo(struct names *names, uint32_t p)
{
    const weir_rows_part *part = weir_rows_part_of(names->rows, p);
    weir_rows_halo *halo = &names->halo[p];
    *halo = *weir_rows_halo_of(names->rows, p);
    assert_int_equal(names->parts > 1 && weir_rows_order_of(names->rows) == WEIR_ROWS_BY_DEGREE,
                     halo->known != NULL);
    if (halo->numbers)
        halo->numbers = fetch(names->rows, p, halo->numbers, halo->count - part->owned, 4);
    if (halo->known)
        halo->known = fetch(names->rows, p, halo->known, part->numbers / 32 + 1, 8);
    for (uint32_t d = 0; d < names->parts; d++)
        if (halo->to[d])
            halo->to[d] = fetch(names->rows, p, halo->to[d], (part->owned + 31) / 32, 8);
}

static void free_halo(weir_rows_halo *halo)
{
    free((void *)(uintptr_t)halo->numbers);
    free((void *)(uintptr_t)halo->known);
    for (uint32_t d = 0; d < WEIR_DEVICES_MAX; d++)
        free((void *)(uintptr_t)halo->to[d]);
}

/* Each arc names what the one by number does, and the first targets too. @param[out] seen  by number: it is named. */
static void assert_targets(const struct names *names, uint32_t p, const weir_arcs *have,
                           const weir_arcs *want, uint64_t arcs, uint8_t *seen)
{
    const weir_rows_part *part = weir_rows_part_of(names->rows, p);
    const weir_rows_halo *halo = &names->halo[p];
    uint32_t *locals = fetch(names->rows, p, have->targets, arcs, 4);
    uint32_t *numbers = fetch(names->plain, p, want->targets, arcs, 4);
    uint32_t *firsts = fetch(names->rows, p, have->firsts, part->owned, 4);
    uint32_t *first_numbers = fetch(names->plain, p, want->firsts, part->owned, 4);
    for (uint64_t i = 0; i < arcs; i++) {
        assert_true(locals[i] < halo->count);
        assert_int_equal(weir_rows_number_of(part, halo, locals[i]), numbers[i]);
        seen[numbers[i]] = 1;
    }
    for (uint32_t r = 0; r < part->owned; r++)
        if (firsts[r] == WEIR_ROWS_NONE)
            assert_int_equal(first_numbers[r], WEIR_ROWS_NONE);
        else
            assert_int_equal(weir_rows_number_of(part, halo, firsts[r]), first_numbers[r]);
    free(locals);
    free(numbers);
    free(firsts);
    free(first_numbers);
}

/* A halo has all rows of a part of which its arcs name 15 in 16. */
static int has_all(const struct names *names, uint32_t d, const uint8_t *seen)
{
    const weir_rows_part *other = weir_rows_part_of(names->rows, d);
    uint32_t named = 0;
    for (uint32_t r = 0; r < other->owned; r++)
        named += seen[other->begin + r];
    return named && named >= other->owned - other->owned / 16;
}

/* Local numbers are those of what was seen and what is owned, in the order of numbers. */
static void assert_locals(const struct names *names, uint32_t p, const uint8_t *seen)
{
    const weir_rows_part *part = weir_rows_part_of(names->rows, p);
    const weir_rows_halo *halo = &names->halo[p];
    uint32_t local = 0;
    for (uint32_t d = 0; d < names->parts; d++) {
        const weir_rows_part *other = weir_rows_part_of(names->rows, d);
        const uint64_t *to = names->halo[d].to[p];
        const int whole = d != p && has_all(names, d, seen);
        uint32_t told = 0;
        assert_int_equal(halo->first[d], local);
        assert_int_equal(halo->whole >> d & 1, whole);
        assert_int_equal(names->halo[d].whole_at[p], whole ? local : WEIR_ROWS_NONE);
        for (uint32_t n = other->begin; n < part->first[d + 1]; n++) {
            const int owned = d == p && n - part->begin < part->owned;
            const int knows = owned || seen[n] || (whole && n - other->begin < other->owned);
            if (halo->known) {
                assert_int_equal(weir_rows_local(halo->known, n), local);
                assert_int_equal(weir_rows_knows(halo->known, n), knows);
            }
            if (to && n - other->begin < other->owned)
                assert_int_equal(weir_rows_knows(to, n - other->begin), knows);
            if (!knows)
                continue;
            if (d != p)
                assert_int_equal(weir_rows_local(to, n - other->begin), local);
            assert_int_equal(weir_rows_number_of(part, halo, local++), n);
            told += d != p;
        }
        assert_int_equal(to != NULL, told != 0); /* who tells nobody has no table */
    }
    assert_int_equal(halo->begin, halo->first[p]);
    assert_int_equal(halo->first[names->parts], local);
    assert_int_equal(halo->count, local);
    if (halo->known)
        assert_int_equal(weir_rows_local(halo->known, part->numbers), local);
}

static void assert_halos(weir_context *context, const weir_graph *graph,
                         const weir_partition *partition, weir_rows_config config)
{
    struct names names = {.parts = partition->parts};
    config.firsts = 1;
    OK(weir_rows_create(context, graph, partition, &config, &names.plain));
    assert_null(weir_rows_halo_of(names.plain, 0));
    config.halo = 1;
    OK(weir_rows_create(context, graph, partition, &config, &names.rows));
    assert_null(weir_rows_halo_of(names.rows, names.parts));
    for (uint32_t p = 0; p < names.parts; p++)
        fetch_halo(&names, p);
    for (uint32_t p = 0; p < names.parts; p++) {
        const weir_rows_part *have = weir_rows_part_of(names.rows, p);
        const weir_rows_part *want = weir_rows_part_of(names.plain, p);
        uint8_t *seen = calloc(have->numbers + UINT64_C(1), 1);
        assert_non_null(seen);
        assert_int_equal(have->arcs_out, want->arcs_out);
        assert_targets(&names, p, &have->out, &want->out, have->arcs_out, seen);
        if (config.in_arcs)
            assert_targets(&names, p, &have->in, &want->in, have->arcs_in, seen);
        assert_locals(&names, p, seen);
        free(seen);
    }
    for (uint32_t p = 0; p < names.parts; p++)
        free_halo(&names.halo[p]);
    weir_rows_destroy(names.rows);
    weir_rows_destroy(names.plain);
}

static void local_numbers_stand_for_numbers(void **state)
{
    weir_context *context = context_or_skip(*state);
    static const char *const graphs[] = {"rmat:10", "grid:50x40,0.7", "star:300", "complete:40",
                                         "mesh:40x40,shuffle"};
    for (int i = 0; i < 40; i += STRIDE) {
        weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
        weir_partition *partition;
        weir_graph *graph = open_graph(graphs[i / 8], i % 2);
        config.in_arcs = i % 4 < 3;
        config.order = i / 4 % 2 ? WEIR_ROWS_BY_DEGREE : WEIR_ROWS_BY_ID;
        config.memory = i % 5 ? WEIR_MEMORY_DEVICE : WEIR_MEMORY_HOST;
        OK(weir_partition_create(graph, i % 3 ? WEIR_PARTITION_EDGE : WEIR_PARTITION_RANDOM,
                                 weir_context_device_count(context), 3, NULL, &partition));
        assert_halos(context, graph, partition, config);
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void degrees_by_number_are_refused(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_graph *graph = open_graph("rmat:5", 0);
    weir_rows *rows;
    config.halo = config.out_degrees = 1;
    STATUS(weir_rows_create(context, graph, NULL, &config, &rows), WEIR_ERR_INVALID);
    assert_detail_has("rows with halos, and out-degrees by number");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Whichever allocation fails, nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:8", 0);
    weir_status status = WEIR_ERR_NOMEM;
    for (int by_degree = 0; by_degree < 2; by_degree++) {
        weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
        uint32_t struck = 1;
        config.in_arcs = config.halo = 1;
        config.order = by_degree ? WEIR_ROWS_BY_DEGREE : WEIR_ROWS_BY_ID;
        for (uint64_t nth = 1; struck; nth++) {
            weir_rows *rows;
            weir__fault_arm(WEIR__FAULT_ALLOC, nth);
            status = weir_rows_create(context, graph, NULL, &config, &rows);
            struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
            weir__fault_arm(WEIR__FAULT_ALLOC, 0);
            assert_int_equal(rows != NULL, status == WEIR_OK);
            weir_rows_destroy(rows);
            for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
                weir_pool_stats pool = WEIR_POOL_STATS_INIT;
                weir_device_pool_stats(weir_context_device(context, d), &pool);
                assert_int_equal(pool.allocations, 0);
            }
            if (status)
                assert_int_equal(status, WEIR_ERR_NOMEM);
        }
        OK(status);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_EACH_SPEC(local_numbers_stand_for_numbers) CC_TEST(
        degrees_by_number_are_refused, "host:2") CC_TEST(every_allocation_may_fail, "host:3")};
    return cmocka_run_group_tests_name("halos of rows", tests, NULL, NULL);
}
