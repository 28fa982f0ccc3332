/** @file test_bench_simulated.c  Figures of simulated machines are exact. */
#include "tests/topology/bench_fixture.h"

#include "topology/measure/measure.h"

#include <math.h>

/* ---- simulated figures ---------------------------------------------------------------------- */

/* gpu0, gpu1 and gpu2 at a switch, 10 GB/s and 1 us; the host behind it, 8 GB/s and 0.5 us. The
 * first two reach each other. */
static weir_machine *new_machine(void)
{
    weir_machine *machine;
    OK(weir__machine_create("test", "gpu", 3, 1, 1, &machine));
    for (uint32_t d = 0; d < 4; d++)
        machine->node[d].memory_gbs = 200 + 20 * d;
    for (uint32_t d = 0; d < 3; d++)
        OK(weir__machine_add_hop(
            machine,
            (weir_hop){
                .kind = WEIR_HOP_PCIE, .a = d, .b = 4, .bandwidth_gbs = 10, .latency_us = 1}));
    OK(weir__machine_add_hop(
        machine,
        (weir_hop){.kind = WEIR_HOP_PCIE, .a = 3, .b = 4, .bandwidth_gbs = 8, .latency_us = 0.5}));
    weir__machine_connect(machine, 0, 1, 1);
    machine->overheads = (weir_overheads){3, 2, 4};
    OK(weir__machine_finish(machine));
    return machine;
}

static weir_context *simulate_new(void)
{
    weir_machine *machine = new_machine();
    weir_context *context;
    OK(weir_machine_simulate(machine, NULL, &context));
    weir_machine_destroy(machine);
    return context;
}

/* GB/s of a message of 1 MB that takes @p us; the clock of the simulation counts picoseconds. */
static void assert_us(const weir_bench_row *row, double us)
{
    assert_float_equal(row->median, 1e3 / us, 1e-4);
    assert_true(row->low == row->median && row->high == row->median);
}

static const weir_bench_row *pair_of(const weir_bench_table *table, const char *series,
                                     const char *from, const char *to)
{
    for (size_t i = 0; i < table->count; i++) {
        const weir_bench_row *row = &table->rows[i];
        if (!strcmp(row->series, series) && !strcmp(row->from, from) && !strcmp(row->to, to))
            return row;
    }
    fail_msg("no row \"%s\" from %s to %s", series, from, to);
    return NULL;
}

static void simulated_pairs_are_as_computed_by_hand(void **state)
{
    weir_context *context = simulate_new();
    weir_bench_config config = small_config();
    (void)state;
    config.bytes = 1000000;
    weir_bench_table *table = run(context, "pairs", &config);
    assert_us(pair_of(table, "copy engine", "sim:0", "sim:1"), 3 + 2 + 100);
    assert_us(pair_of(table, "copy engine", "sim:1", "sim:0"), 3 + 2 + 100);
    assert_us(pair_of(table, "kernel", "sim:0", "sim:1"), 2 + 2 + 100);
    assert_us(pair_of(table, "copy engine", "sim:2", "home"), 3 + 1.5 + 125);
    assert_us(pair_of(table, "kernel", "home", "sim:2"), 2 + 1.5 + 125);
    assert_us(pair_of(table, "copy engine, staged", "sim:0", "sim:2"), 2 * (3 + 1.5 + 125));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void simulated_packets_are_as_computed_by_hand(void **state)
{
    weir_context *context = simulate_new();
    weir_bench_config config = small_config();
    const double packet = 65536, rest = 1e6 - 15 * packet; /* the last of 16 */
    const double push = 3 + 1.5 + packet / 8e3, last = 3 + 1.5 + rest / 8e3;
    (void)state;
    config.bytes = 1000000;
    weir_bench_table *table = run(context, "packets", &config);
    assert_us(row_of(table, "copy engine, one transfer", 1e6), 3 + 2 + 100);
    assert_us(row_of(table, "copy engine, packets", packet), 16 * (3 + 2) + 100);
    assert_us(row_of(table, "kernel, packets", 2 * packet), 8 * (2 + 2) + 100);
    weir_bench_table_destroy(table);
    table = run(context, "indirect", &config);
    assert_us(row_of(table, "push and pull, copy engine, whole", 1e6), 2 * (3 + 1.5 + 125));
    /* The pull of a packet beside the push of the next one; the last push is the shorter one. */
    assert_us(row_of(table, "push and pull, copy engine, packets", packet), 16 * push + last);
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void simulated_patterns_are_as_computed_by_hand(void **state)
{
    weir_context *context = simulate_new();
    weir_bench_config config = small_config();
    (void)state;
    config.bytes = 1000000;
    weir_bench_table *table = run(context, "copy", &config);
    /* Directions do not disturb each other: twice the bytes in the same time. */
    assert_us(row_of(table, "copy engine, both directions", 1e6), (3 + 2 + 100) / 2.0);
    weir_bench_table_destroy(table);
    table = run(context, "contention", &config);
    assert_us(row_of(table, "pairs through the host, copy engine", 1), 2 * (3 + 1.5 + 125));
    assert_us(row_of(table, "many to one, kernel", 1), 2 + 2 + 100);
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void simulated_figures_are_the_same_twice(void **state)
{
    static const char *const twice[] = {"broadcast", "alltoall", "contention"};
    weir_bench_config config = small_config();
    (void)state;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        weir_context *a = simulate("m60"), *b = simulate("m60");
        weir_bench_table *first = run(a, twice[i], &config), *second = run(b, twice[i], &config);
        assert_int_equal(first->count, second->count);
        assert_memory_equal(first->rows, second->rows, first->count * sizeof *first->rows);
        for (size_t r = 0; r < first->count; r++)
            assert_true(first->rows[r].low == first->rows[r].high);
        weir_bench_table_destroy(first);
        weir_bench_table_destroy(second);
        weir_context_destroy(a);
        weir_context_destroy(b);
    }
}

/* The best figure of a series. */
static double best_of(const weir_bench_table *table, const char *series)
{
    double best = row_of(table, series, 0)->median;
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->rows[i].series, series) && table->rows[i].median > best)
            best = table->rows[i].median;
    return best;
}

/* Groute's Figure 2(d). */
static void broadcast_on_m60s_comes_out_in_the_papers_order(void **state)
{
    weir_context *context = simulate("m60");
    weir_bench_config config = WEIR_BENCH_CONFIG_INIT;
    (void)state;
    config.bytes = 20000000;
    weir_bench_table *table = run(context, "broadcast", &config);
    double separate = best_of(table, "separate transfers"), whole = best_of(table, "ring, whole");
    double packets = best_of(table, "ring, packets"), kernels = best_of(table, "ring, kernels");
    assert_true(separate < whole);
    assert_true(2 * whole < packets);
    assert_true(packets <= kernels && kernels < 1.5 * packets);
    for (size_t i = 0; i < table->count; i++) /* "ring, kernels" stands for both */
        assert_null(strstr(table->rows[i].series, "resident"));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

/* On an NVSwitch, a device still has one way out: the ring uses all of them, separate ones one. */
static void broadcast_on_an_nvswitch_is_faster_by_ring(void **state)
{
    weir_context *context = simulate("nvswitch8");
    weir_bench_config config = WEIR_BENCH_CONFIG_INIT;
    (void)state;
    config.bytes = 20000000;
    weir_bench_table *table = run(context, "broadcast", &config);
    assert_true(best_of(table, "separate transfers") < best_of(table, "ring, packets"));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

/* ---- measuring a machine -------------------------------------------------------------------- */

static void assert_near(double got, double wanted)
{
    if (fabs(got - wanted) > 0.01 * wanted)
        fail_msg("%g instead of %g", got, wanted);
}

static void assert_same_machine(const weir_machine *got, const weir_machine *wanted)
{
    weir_overheads a = weir_machine_overheads(got), b = weir_machine_overheads(wanted);
    uint32_t n = weir_machine_device_count(wanted);
    assert_int_equal(weir_machine_device_count(got), n);
    assert_near(a.copy_us, b.copy_us);
    assert_near(a.push_us, b.push_us);
    assert_near(a.launch_us, b.launch_us);
    for (uint32_t from = 0; from <= n; from++)
        for (uint32_t to = 0; to <= n; to++) {
            weir_cost x, y;
            OK(weir_machine_cost(got, from, to, &x));
            OK(weir_machine_cost(wanted, from, to, &y));
            assert_int_equal(x.staged, y.staged);
            if (y.bandwidth_gbs == 0) /* nothing is known of that memory */
                continue;
            assert_near(x.bandwidth_gbs, y.bandwidth_gbs);
            assert_near(x.latency_us, y.latency_us);
        }
}

static void a_simulated_machine_measures_as_it_is(void **state)
{
    weir_machine *machine = new_machine(), *measured;
    weir_context *context = simulate_new();
    weir_bench_config config = small_config();
    (void)state;
    config.bytes = 1000000;
    OK(weir_machine_measure(context, &config, &measured));
    assert_same_machine(measured, machine);
    weir_machine_destroy(measured);
    weir_machine_destroy(machine);
    weir_context_destroy(context);
}

/* Less than what is told apart from nothing: not unknown, which a default would replace. */
static void tiny_overheads_are_not_unknown(void **state)
{
    weir_machine *machine = new_machine(), *measured;
    weir_bench_config config = small_config();
    weir_context *context;
    (void)state;
    machine->overheads = (weir_overheads){1e-5, 1e-5, 1e-5};
    OK(weir_machine_simulate(machine, NULL, &context));
    config.bytes = 1000000;
    OK(weir_machine_measure(context, &config, &measured));
    weir_overheads got = weir_machine_overheads(measured);
    assert_float_equal(got.copy_us, 0.001, 1e-4);
    assert_float_equal(got.push_us, 0.001, 1e-4);
    assert_float_equal(got.launch_us, 0.001, 1e-4);
    weir_machine_destroy(measured);
    weir_machine_destroy(machine);
    weir_context_destroy(context);
}

/* n copies of b bytes in a region take frame + n * (floor - 4096 / rate + b / rate). */
static struct weir__speed speed_with(double frame_us)
{
    const double floor_us = 3, bytes_us = 50000; /* a microsecond: 50 GB/s */
    const uint64_t small = 4096, large = 4096 + 5000000;
    const struct weir__copy_times times = {small, large, frame_us + WEIR__COPIES_FEW * floor_us,
                                           frame_us + WEIR__COPIES_MANY * floor_us,
                                           frame_us + floor_us + 5000000 / bytes_us};
    return weir__speed_of(&times);
}

static void a_regions_frame_is_no_part_of_a_speed(void **state)
{
    static const double frames[] = {0, 0.5, 4, 100};
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        struct weir__speed speed = speed_with(frames[i]);
        assert_float_equal(speed.floor_us, 3, 1e-6);
        assert_float_equal(speed.gbs, 50, 1e-6);
    }
    /* Noise that makes the small ones take longer than the large one. */
    const struct weir__copy_times noisy = {4096, 8192, 900, 1000, 10};
    assert_float_equal(weir__speed_of(&noisy).gbs, 8192 / 10e3, 1e-6);
}

static void shipped_machines_measure_as_they_are(void **state)
{
    static const char *const some[] = {"m60", "dgx1v", "nvswitch8"};
    weir_bench_config config = small_config();
    (void)state;
    config.bytes = 1000000;
    config.trials = 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        weir_machine *machine, *measured;
        weir_context *context = simulate(some[i]);
        OK(weir_machine_open(some[i], &machine));
        OK(weir_machine_measure(context, &config, &measured));
        assert_same_machine(measured, machine);
        weir_machine_destroy(measured);
        weir_machine_destroy(machine);
        weir_context_destroy(context);
    }
}

static void any_context_can_be_measured(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t n = weir_context_device_count(context);
    weir_bench_config config = small_config();
    weir_machine *machine;
    OK(weir_machine_measure(context, &config, &machine));
    for (uint32_t from = 0; from <= n; from++)
        for (uint32_t to = 0; to <= n; to++) {
            const weir_pair *pair = weir_machine_pair(machine, from, to);
            if (from == to || !pair->reaches)
                continue;
            assert_true(pair->bandwidth_gbs > 0 && isfinite(pair->bandwidth_gbs));
            assert_true(pair->latency_us > 0 && isfinite(pair->latency_us));
        }
    assert_true(weir_machine_overheads(machine).launch_us > 0);
    weir_machine_destroy(machine);
    volatile int cancel = 1;
    config.cancel = &cancel;
    STATUS(weir_machine_measure(context, &config, &machine), WEIR_ERR_CANCELLED);
    assert_null(machine);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulated_pairs_are_as_computed_by_hand),
        cmocka_unit_test(simulated_packets_are_as_computed_by_hand),
        cmocka_unit_test(simulated_patterns_are_as_computed_by_hand),
        cmocka_unit_test(simulated_figures_are_the_same_twice),
        cmocka_unit_test(broadcast_on_m60s_comes_out_in_the_papers_order),
        cmocka_unit_test(broadcast_on_an_nvswitch_is_faster_by_ring),
        cmocka_unit_test(a_simulated_machine_measures_as_it_is),
        cmocka_unit_test(tiny_overheads_are_not_unknown),
        cmocka_unit_test(a_regions_frame_is_no_part_of_a_speed),
        cmocka_unit_test(shipped_machines_measure_as_they_are),
        ON_EACH_BACKEND(any_context_can_be_measured),
    };
    return cmocka_run_group_tests_name("bench simulated", tests, NULL, NULL);
}
