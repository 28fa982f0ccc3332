/** @file test_reduce.c  Which devices stay, and who takes over from those that leave. */
#include "tests/lib/support.h"

#include "topology/machine.h"

#include <math.h>
#include <stdio.h>

static weir_machine *open_machine(const char *text)
{
    weir_machine *machine;
    OK(weir_machine_open(text, &machine));
    return machine;
}

static weir_reduction reduce(const weir_machine *machine)
{
    weir_reduction reduction;
    OK(weir_reduction_make(machine, &reduction));
    return reduction;
}

/* Between those that are in the set, both directions; what is staged counts half. */
static double gbs_within(const weir_machine *machine, uint64_t set)
{
    double sum = 0;
    for (uint32_t a = 0; a < machine->devices; a++)
        for (uint32_t b = 0; b < machine->devices; b++)
            if (a != b && set >> a & 1 && set >> b & 1) {
                weir_cost cost;
                OK(weir_machine_cost(machine, a, b, &cost));
                sum += cost.bandwidth_gbs / (cost.staged ? 2 : 1);
            }
    return sum;
}

/* The set of those that stay when so many do. */
static uint64_t kept(const weir_reduction *reduction, uint32_t count)
{
    uint64_t set = 0;
    for (uint32_t i = reduction->devices - count; i < reduction->devices; i++)
        set |= UINT64_C(1) << reduction->leaves[i];
    return set;
}

static void check_reduction(const weir_machine *machine, const weir_reduction *reduction)
{
    uint32_t n = machine->devices;
    assert_int_equal(reduction->devices, n);
    for (uint32_t count = 1; count <= n; count++) {
        uint64_t set = kept(reduction, count);
        assert_int_equal(__builtin_popcountll(set), count); /* nobody leaves twice */
        assert_true(fabs(reduction->kept_gbs[count] - gbs_within(machine, set)) < 1e-3);
        for (uint32_t d = 0; d < n; d++) {
            uint32_t owner = weir_reduction_owner(reduction, count, d);
            assert_true(owner < n && set >> owner & 1);
            if (set >> d & 1)
                assert_int_equal(owner, d);
        }
    }
    assert_true(reduction->kept_gbs[1] < 1e-9);
    assert_int_equal(reduction->taker[reduction->leaves[n - 1]], reduction->leaves[n - 1]);
}

static void of_equals_the_highest_number_goes_and_work_spreads(void **state)
{
    weir_machine *machine = open_machine("8*nvswitch");
    weir_reduction reduction = reduce(machine);
    (void)state;
    check_reduction(machine, &reduction);
    assert_memory_equal(reduction.leaves, ((uint8_t[]){7, 6, 5, 4, 3, 2, 1, 0}), 8);
    assert_memory_equal(reduction.taker, ((uint8_t[]){0, 0, 1, 0, 3, 2, 1, 0}), 8);
    for (uint32_t count = 1; count <= 8; count *= 2) { /* halved, each has as much as the others */
        uint32_t has[8] = {0};
        for (uint32_t d = 0; d < 8; d++)
            has[weir_reduction_owner(&reduction, count, d)]++;
        for (uint32_t d = 0; d < count; d++)
            assert_int_equal(has[d], 8 / count);
    }
    weir_machine_destroy(machine);
}

static void every_machine_has_a_reduction(void **state)
{
    static const char *const names[] = {"m60",          "dgx1v",          "hetero2",
                                        "1*nvswitch",   "5*pcie-tree",    "2x8*pcie-tree",
                                        "17*nvswitch",  "2x16*pcie-tree", "64*host",
                                        "pcie4-nopeer", "7*nvlink,hetero"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_machine *machine = open_machine(names[i]);
        weir_reduction reduction = reduce(machine);
        check_reduction(machine, &reduction);
        weir_machine_destroy(machine);
    }
}

/* Every chain of nested sets, from all devices down to none. */
static double best_chain(const weir_machine *machine, uint64_t set)
{
    double best = 0;
    for (uint32_t d = 0; d < machine->devices; d++)
        if (set >> d & 1)
            best = fmax(best, best_chain(machine, set ^ UINT64_C(1) << d));
    return best + gbs_within(machine, set);
}

static weir_machine *random_machine(uint32_t devices, uint64_t seed)
{
    weir_machine *machine;
    OK(weir__machine_create("random", "gpu", devices, 1, 0, &machine));
    for (uint32_t d = 0; d < devices; d++) {
        OK(weir__machine_add_hop(
            machine, (weir_hop){.kind = WEIR_HOP_PCIE, .a = d, .b = devices, .bandwidth_gbs = 12}));
        for (uint32_t to = 0; to < d; to++) {
            weir__machine_connect(machine, d, to, 0);
            weir__machine_pair(machine, d, to)->bandwidth_gbs =
                1 + (double)(next_random(&seed) % 50);
            weir__machine_pair(machine, d, to)->reaches = next_random(&seed) % 4 != 0;
        }
    }
    OK(weir__machine_finish(machine));
    return machine;
}

static void the_chain_of_sets_is_the_best_there_is(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        weir_machine *machine = random_machine(3 + (uint32_t)(seed % 4), seed);
        weir_reduction reduction = reduce(machine);
        double sum = 0;
        for (uint32_t count = 1; count <= machine->devices; count++)
            sum += reduction.kept_gbs[count];
        check_reduction(machine, &reduction);
        assert_true(fabs(sum - best_chain(machine, (UINT64_C(1) << machine->devices) - 1)) < 1e-3);
        weir_machine_destroy(machine);
    }
}

/* Of two quadruplets one stays whole, however many devices there are (above 16 they leave
 * greedily). */
static void those_that_stay_are_near_each_other(void **state)
{
    static const char *const names[] = {"2x4*pcie-tree", "2x16*pcie-tree"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        weir_machine *machine = open_machine(names[i]);
        weir_reduction reduction = reduce(machine);
        uint32_t half = machine->devices / 2;
        assert_true(kept(&reduction, half) == (UINT64_C(1) << half) - 1);
        weir_machine_destroy(machine);
    }
}

/* GPU 2 has the wide link of those that are left, however much it has taken already. */
static void the_widest_link_decides_who_takes_over(void **state)
{
    weir_machine *machine;
    weir_reduction reduction;
    (void)state;
    OK(weir__machine_create("star", "gpu", 4, 1, 0, &machine));
    for (uint32_t d = 0; d < 4; d++)
        OK(weir__machine_add_hop(
            machine, (weir_hop){.kind = WEIR_HOP_PCIE, .a = d, .b = 4, .bandwidth_gbs = 12}));
    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t to = 0; to < 4; to++)
            if (d != to)
                *weir__machine_pair(machine, d, to) =
                    (weir_pair){1, 0, d == 2 || to == 2 ? 20 : 10, 0};
    OK(weir__machine_finish(machine));
    reduction = reduce(machine);
    assert_memory_equal(reduction.leaves, ((uint8_t[]){3, 1, 2, 0}), 4);
    assert_memory_equal(reduction.taker, ((uint8_t[]){0, 2, 0, 2}), 4);
    assert_int_equal(weir_reduction_owner(&reduction, 2, 3), 2);
    assert_int_equal(weir_reduction_owner(&reduction, 1, 3), 0);
    weir_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_equals_the_highest_number_goes_and_work_spreads),
        cmocka_unit_test(every_machine_has_a_reduction),
        cmocka_unit_test(the_chain_of_sets_is_the_best_there_is),
        cmocka_unit_test(those_that_stay_are_near_each_other),
        cmocka_unit_test(the_widest_link_decides_who_takes_over),
    };
    return cmocka_run_group_tests_name("reduce", tests, NULL, NULL);
}
