/** @file test_advise_model.c  On how many GPUs: the model against what was measured, and its rules. */
#include "algorithms/common/advise.h"
#include "tests/lib/support.h"

#include <math.h>
#include <string.h>

static uint32_t advised(struct weir__advise facts, uint32_t devices)
{
    const char *why;
    facts.devices = devices;
    uint32_t count = weir__advise_devices(&facts, &why);
    assert_true(count >= 1 && count <= devices);
    assert_int_equal(why == NULL, count == devices);
    return count;
}

/* ---- measured graphs ---- */

/* Levels are those that weir__advise_levels() finds: its look ends after some million arcs. */
#define RMAT_22 .vertices = 4194304, .arcs = 128.3e6, .arcs_a_level = 1.4e6, .found_a_level = 0.4e6
#define RMAT_25 .vertices = 33554432, .arcs = 1.05e9, .arcs_a_level = 2.1e6, .found_a_level = 0.6e6
#define GRID    .vertices = 24.01e6, .arcs = 62.4e6, .arcs_a_level = 5000, .found_a_level = 2000
#define ROAD    .vertices = 1524453, .arcs = 3897636, .arcs_a_level = 3500, .found_a_level = 1400

/* Milliseconds on 1, 2 and 4 H200s; 0: not measured (docs/benchmarks.md). */
static const struct measured {
    const char *name;
    struct weir__advise facts;
    double ms[3];
} all_measured[] = {
    {"bfs rmat:22", {WEIR_SHAPE_LEVELS, RMAT_22}, {0.206, 0.225, 0.470}},
    {"bfs rmat:25", {WEIR_SHAPE_LEVELS, RMAT_25}, {0.927, 0, 0.660}},
    {"sssp rmat:22", {WEIR_SHAPE_LEVELS, RMAT_22}, {0.75, 1.72, 1.88}},
    {"sssp rmat:25", {WEIR_SHAPE_LEVELS, RMAT_25}, {3.17, 0, 3.2}},
    {"cc rmat:22", {WEIR_SHAPE_COMPONENTS, RMAT_22}, {0.211, 0.269, 0.326}},
    {"cc rmat:25", {WEIR_SHAPE_COMPONENTS, RMAT_25}, {1.11, 0, 1.22}},
    {"cc grid:4900x4900", {WEIR_SHAPE_COMPONENTS, GRID}, {2.86, 1.99, 1.74}},
    {"pr rmat:22", {WEIR_SHAPE_SWEEPS, RMAT_22}, {13.0, 7.2, 3.94}},
    {"pr rmat:25, an iteration", {WEIR_SHAPE_SWEEPS, RMAT_25}, {7.28, 0, 2.07}},
};

/* Of `1 << last` GPUs. */
static void compare(const struct measured *row, uint32_t last)
{
    uint32_t devices = advised(row->facts, 1U << last), at = 0;
    double best = row->ms[0];
    while (1U << at < devices)
        at++;
    assert_int_equal(1U << at, devices);
    for (uint32_t i = 1; i <= last; i++)
        best = row->ms[i] > 0 && row->ms[i] < best ? row->ms[i] : best;
    if (row->ms[at] <= 0 || row->ms[at] > 1.1 * best)
        fail_msg("%s on %u of %u GPUs: %g ms, and %g at best", row->name, devices, 1U << last,
                 row->ms[at], best);
}

static void what_was_fastest_is_advised(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all_measured / sizeof *all_measured; i++)
        for (uint32_t last = 0; last < 3; last++)
            if (all_measured[i].ms[last] > 0)
                compare(&all_measured[i], last);
}

/* Of the grid's sweeps one GPU was measured; of roads a barrier on its own, with which several lose by far. */
static void roads_stay_on_one_and_sweeps_go_on_all(void **state)
{
    static const struct weir__advise road = {WEIR_SHAPE_LEVELS, ROAD};
    static const struct weir__advise grid = {WEIR_SHAPE_LEVELS, GRID};
    static const struct weir__advise sweeps[] = {
        {WEIR_SHAPE_SWEEPS, GRID}, {WEIR_SHAPE_SWEEPS, RMAT_22}, {WEIR_SHAPE_SWEEPS, RMAT_25}};
    (void)state;
    for (uint32_t devices = 2; devices <= 8; devices++) {
        assert_int_equal(advised(road, devices), 1);
        assert_int_equal(advised(grid, devices), 1);
        for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++)
            assert_true(devices & (devices - 1) || advised(sweeps[i], devices) == devices);
    }
}

/* ---- rules ---- */

/* A graph of mean degree 16; its levels are narrow, wide or, as of a growing R-MAT, ever wider. */
static struct weir__advise graph_of(weir_shape shape, double vertices, int width)
{
    static const double arcs_a_level[] = {3000, 2e6};
    struct weir__advise facts = {.shape = shape, .vertices = vertices, .arcs = 16 * vertices};
    facts.arcs_a_level = width < 2 ? arcs_a_level[width] : facts.arcs / 8;
    facts.found_a_level = facts.arcs_a_level / 16;
    return facts;
}

static void more_vertices_never_ask_for_fewer(void **state)
{
    (void)state;
    for (int i = 0; i < 3 * 3 * 2; i++) { /* shapes, widths, without and with an end of memory */
        weir_shape shape = (weir_shape)(i % 3);
        for (uint32_t devices = 2; devices <= 8; devices++) {
            uint32_t before = 1;
            for (double vertices = 1; vertices < 1e9; vertices *= 1.07) {
                struct weir__advise facts = graph_of(shape, vertices, i / 3 % 3);
                facts.bytes_a_device = i / 9 ? 5e9 : 0;
                uint32_t count = advised(facts, devices);
                assert_true(count >= before);
                facts.devices = devices;
                assert_true(count >= weir__advise_least(&facts));
                before = count;
            }
            assert_true(before == devices || i / 9 == 0);
        }
    }
}

/* The numbers that are advised at all. */
static int is_count(uint32_t count, uint32_t devices)
{
    return (count & (count - 1)) == 0 || count == devices;
}

/* What is asked for is nearly the fastest, and nothing smaller is. */
static void the_advice_is_the_smallest_of_the_fast(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (int i = 0; i < 6000; i++) {
        struct weir__advise facts = {.shape = (weir_shape)(i % 3),
                                     .devices = 1 + (uint32_t)(next_random(&random) % 16)};
        facts.arcs = exp2((double)(next_random(&random) % 3400) / 100);
        facts.vertices = facts.arcs / (double)(1 + next_random(&random) % 64);
        facts.arcs_a_level = facts.arcs / (double)(1 + next_random(&random) % 1000);
        facts.found_a_level = facts.vertices / (double)(1 + next_random(&random) % 1000);
        uint32_t devices = advised(facts, facts.devices);
        double have = weir__advise_us(&facts, devices);
        assert_true(is_count(devices, facts.devices));
        for (uint32_t d = 1; d <= facts.devices; d++) {
            double us = weir__advise_us(&facts, d);
            assert_true(!is_count(d, facts.devices) || have <= 1.06 * us);
            assert_true(!is_count(d, facts.devices) || d >= devices || us >= have * 0.999);
        }
    }
}

/* ---- sentences ---- */

static void assert_why(weir_shape shape, double vertices, double arcs_a_level, const char *part)
{
    struct weir__advise facts = graph_of(shape, vertices, 0);
    const char *why = NULL;
    facts.devices = 8;
    facts.arcs_a_level = arcs_a_level;
    facts.found_a_level = arcs_a_level / 16;
    weir__advise_devices(&facts, &why);
    assert_non_null(why);
    assert_non_null(strstr(why, part));
}

static void each_case_has_its_sentence(void **state)
{
    (void)state;
    assert_why(WEIR_SHAPE_LEVELS, 1e8, 300, "less than a thousand arcs");
    assert_why(WEIR_SHAPE_LEVELS, 1e8, 3e3, "a few thousand arcs");
    assert_why(WEIR_SHAPE_LEVELS, 1e8, 3e4, "some ten thousand arcs");
    assert_why(WEIR_SHAPE_LEVELS, 1e8, 1.2e5, "some hundred thousand arcs");
    assert_why(WEIR_SHAPE_LEVELS, 1e6, 2e6, "before more GPUs have started");
    assert_why(WEIR_SHAPE_LEVELS, 4e6, 2e6, "less of so short a run");
    assert_why(WEIR_SHAPE_LEVELS, 3e7, 2e6, "with more GPUs");
    assert_why(WEIR_SHAPE_SWEEPS, 1e4, 2e6, "too small for a sweep");
    assert_why(WEIR_SHAPE_COMPONENTS, 1e5, 3e3, "before more GPUs have started");
    assert_why(WEIR_SHAPE_COMPONENTS, 1e6, 3e3, "less of so short a run");
    assert_why(WEIR_SHAPE_COMPONENTS, 3e7, 2e6, "are put together");
    assert_why(WEIR_SHAPE_COMPONENTS, 8e6, 3e3, "with more GPUs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_fastest_is_advised),
        cmocka_unit_test(roads_stay_on_one_and_sweeps_go_on_all),
        cmocka_unit_test(more_vertices_never_ask_for_fewer),
        cmocka_unit_test(the_advice_is_the_smallest_of_the_fast),
        cmocka_unit_test(each_case_has_its_sentence),
    };
    return cmocka_run_group_tests_name("advise model", tests, NULL, NULL);
}
