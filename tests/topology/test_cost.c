/** @file test_cost.c  Paths and their costs on machines small enough to work them out by hand. */
#include "tests/lib/support.h"

#include "topology/machine.h"

#include <math.h>
#include <stdio.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static weir_machine *empty(uint32_t devices, uint32_t hosts, uint32_t switches)
{
    weir_machine *machine;
    OK(weir__machine_create("test", "gpu", devices, hosts, switches, &machine));
    return machine;
}

/* The hop's number. */
static uint16_t join(weir_machine *machine, uint32_t a, uint32_t b, double gbs, double us)
{
    OK(weir__machine_add_hop(
        machine,
        (weir_hop){.kind = WEIR_HOP_PCIE, .a = a, .b = b, .bandwidth_gbs = gbs, .latency_us = us}));
    return (uint16_t)(machine->hops - 1);
}

static weir_cost cost(const weir_machine *machine, uint32_t from, uint32_t to)
{
    weir_cost found;
    OK(weir_machine_cost(machine, from, to, &found));
    return found;
}

/* The path is these hops in this order, and its ends meet. */
static void check_hops(const weir_machine *machine, uint32_t from, uint32_t to, uint32_t count,
                       const uint16_t *hops)
{
    weir_cost found = cost(machine, from, to);
    uint32_t at = from;
    assert_int_equal(found.hop_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const weir_hop *hop = weir_machine_hop(machine, found.hops[i].hop);
        assert_int_equal(found.hops[i].hop, hops[i]);
        assert_int_equal(found.hops[i].backward ? hop->b : hop->a, at);
        at = found.hops[i].backward ? hop->a : hop->b;
    }
    assert_int_equal(at, to);
}

/* Two devices (0, 1), home (2), four switches (3 to 6), and a way home for both that is too
 * narrow to matter. */
static weir_machine *two_devices(void)
{
    weir_machine *machine = empty(2, 1, 4);
    weir__machine_connect(machine, 0, 1, 1);
    join(machine, 0, 2, 1, 1);
    join(machine, 1, 2, 1, 1);
    return machine;
}

static void the_widest_path_is_taken_however_slow(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    join(machine, 0, 3, 10, 0.1);
    join(machine, 1, 3, 10, 0.1);
    uint16_t there = join(machine, 0, 4, 20, 5), on = join(machine, 1, 4, 12, 6);
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 2, (uint16_t[]){there, on});
    NEAR(cost(machine, 0, 1).bandwidth_gbs, 12);
    NEAR(cost(machine, 0, 1).latency_us, 11);
    assert_false(cost(machine, 0, 1).staged);
    weir_machine_destroy(machine);
}

static void nvlinks_are_taken_however_narrow(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    join(machine, 0, 3, 50, 0.1);
    join(machine, 1, 3, 50, 0.1);
    OK(weir__machine_add_hop(
        machine,
        (weir_hop){.kind = WEIR_HOP_NVLINK, .a = 0, .b = 1, .bandwidth_gbs = 25, .latency_us = 1}));
    uint16_t nvlink = (uint16_t)(machine->hops - 1);
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 1, &nvlink);
    check_hops(machine, 1, 0, 1, &nvlink);
    NEAR(cost(machine, 0, 1).bandwidth_gbs, 25);
    weir_machine_destroy(machine);
}

static void of_equally_wide_paths_the_fastest_is_taken(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    join(machine, 0, 3, 10, 2);
    join(machine, 1, 3, 20, 2);
    uint16_t there = join(machine, 0, 4, 30, 1), on = join(machine, 4, 5, 10, 1);
    uint16_t last = join(machine, 5, 1, 10, 1);
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 3, (uint16_t[]){there, on, last});
    NEAR(cost(machine, 0, 1).latency_us, 3);
    weir_machine_destroy(machine);
}

/* The wide way to switch 3 is no part of the best path, for the rest of it is narrow. */
static void width_counts_over_the_whole_path_only(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    join(machine, 0, 3, 20, 5);
    uint16_t fast = join(machine, 0, 3, 10, 1), last = join(machine, 3, 1, 8, 1);
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 2, (uint16_t[]){fast, last});
    weir_machine_destroy(machine);
}

static void of_equally_fast_paths_the_shortest_is_taken_then_the_lowest(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    join(machine, 0, 3, 10, 1); /* three hops of 3 us, lower numbers */
    join(machine, 3, 4, 10, 1);
    join(machine, 4, 1, 10, 1);
    uint16_t a = join(machine, 0, 5, 10, 2), c = join(machine, 0, 6, 10, 1);
    join(machine, 6, 1, 10, 2);
    uint16_t b = join(machine, 5, 1, 10, 1);
    OK(weir__machine_finish(machine));
    assert_true(a < c);
    check_hops(machine, 0, 1, 2, (uint16_t[]){a, b});
    weir_machine_destroy(machine);
}

/* 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 are not the same double. */
static void latencies_do_not_depend_on_the_order_of_sums(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    uint16_t a = join(machine, 0, 3, 10, 0.3), b = join(machine, 3, 4, 10, 0.2);
    uint16_t c = join(machine, 4, 1, 10, 0.1);
    join(machine, 0, 5, 10, 0.1);
    join(machine, 5, 6, 10, 0.2);
    join(machine, 6, 1, 10, 0.3);
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 3, (uint16_t[]){a, b, c});
    weir_machine_destroy(machine);
}

static void the_way_back_is_the_way_there(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    uint16_t a = join(machine, 0, 3, 10, 1), b = join(machine, 4, 3, 10, 1);
    uint16_t c = join(machine, 4, 1, 10, 1);
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 3, (uint16_t[]){a, b, c});
    check_hops(machine, 1, 0, 3, (uint16_t[]){c, b, a});
    check_hops(machine, 0, 2, 1, (uint16_t[]){0});
    check_hops(machine, 2, 0, 1, (uint16_t[]){0});
    weir_machine_destroy(machine);
}

/* 0 = 1 = 2 by wide links: 0 and 2 still go through the host. */
static void a_device_never_forwards(void **state)
{
    weir_machine *machine = empty(3, 1, 0);
    uint16_t up[3];
    (void)state;
    for (uint32_t d = 0; d < 3; d++)
        up[d] = join(machine, d, 3, 10, 1);
    uint16_t link = join(machine, 0, 1, 50, 0.5);
    join(machine, 1, 2, 50, 0.5);
    for (uint32_t d = 0; d < 3; d++)
        weir__machine_connect(machine, d, (d + 1) % 3, 1);
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 1, &link);
    NEAR(cost(machine, 0, 1).bandwidth_gbs, 50);
    check_hops(machine, 0, 2, 2, (uint16_t[]){up[0], up[2]});
    NEAR(cost(machine, 0, 2).bandwidth_gbs, 10);
    check_hops(machine, 2, 3, 1, &up[2]);
    weir_machine_destroy(machine);
}

static void a_pair_that_does_not_reach_is_staged(void **state)
{
    weir_machine *machine = empty(2, 2, 0); /* home is 2; device 1 is behind the other host, 3 */
    (void)state;
    uint16_t a = join(machine, 0, 2, 12, 1), b = join(machine, 1, 3, 11, 2);
    uint16_t socket = join(machine, 2, 3, 16, 0.5);
    join(machine, 0, 1, 50, 0.5); /* which nobody may use */
    OK(weir__machine_finish(machine));
    check_hops(machine, 0, 1, 3, (uint16_t[]){a, socket, b});
    check_hops(machine, 1, 0, 3, (uint16_t[]){b, socket, a});
    assert_true(cost(machine, 0, 1).staged);
    assert_false(cost(machine, 0, 2).staged);
    NEAR(cost(machine, 0, 1).bandwidth_gbs, 11);
    NEAR(cost(machine, 0, 1).latency_us, 3.5);
    weir_machine_destroy(machine);
}

static void measured_figures_are_believed(void **state)
{
    weir_machine *machine = two_devices();
    (void)state;
    join(machine, 0, 1, 50, 0.5);
    *weir__machine_pair(machine, 0, 1) = (weir_pair){1, 1, 43, 1.9};
    weir__machine_pair(machine, 2, 1)->bandwidth_gbs = 0.7;
    weir__machine_pair(machine, 1, 1)->bandwidth_gbs = 1000;
    machine->node[0].memory_gbs = 4000;
    machine->node[1].memory_gbs = 4000;
    weir__machine_pair(machine, 1, 0)->reaches = 0;
    OK(weir__machine_finish(machine));
    NEAR(cost(machine, 0, 1).bandwidth_gbs, 43);
    NEAR(cost(machine, 0, 1).latency_us, 1.9);
    NEAR(cost(machine, 1, 0).bandwidth_gbs,
         1); /* not measured, and staged in this direction only */
    assert_true(cost(machine, 1, 0).staged);
    NEAR(cost(machine, 0, 0).bandwidth_gbs, 2000); /* every byte is read and written */
    NEAR(cost(machine, 1, 1).bandwidth_gbs, 1000);
    NEAR(cost(machine, 2, 2).bandwidth_gbs, 0); /* unknown */
    assert_int_equal(cost(machine, 0, 0).hop_count, 0);
    weir__machine_pair(machine, 0, 1)->reaches = 0;
    weir__machine_pair(machine, 0, 1)->bandwidth_gbs = 0;
    OK(weir__machine_finish(machine));
    NEAR(cost(machine, 0, 1).bandwidth_gbs, 0.7); /* the measured half of the way */
    weir_machine_destroy(machine);
}

static void a_device_without_a_way_home_is_refused(void **state)
{
    weir_machine *machine = empty(2, 1, 1);
    (void)state;
    join(machine, 0, 2, 10, 1);
    join(machine, 1, 0, 10, 1); /* a device does not forward */
    join(machine, 1, 3, 10, 1);
    STATUS(weir__machine_finish(machine), WEIR_ERR_INVALID);
    assert_detail("gpu1 has no way of at most 16 hops to the home memory, numa0");
    weir_machine_destroy(machine);
}

/* From both devices it is eleven hops to home, and so 22 from one to the other. */
static weir_machine *far_apart(void)
{
    weir_machine *machine = empty(2, 1, 20);
    for (uint32_t d = 0; d < 2; d++) {
        uint32_t first = 3 + 10 * d;
        join(machine, d, first, 10, 1);
        for (uint32_t i = 1; i < 10; i++)
            join(machine, first + i - 1, first + i, 10, 1);
        join(machine, first + 9, 2, 10, 1);
    }
    return machine;
}

static void only_a_staged_path_is_longer_than_sixteen_hops(void **state)
{
    weir_machine *machine = far_apart();
    (void)state;
    OK(weir__machine_finish(machine));
    assert_int_equal(cost(machine, 0, 1).hop_count, 22);
    assert_true(cost(machine, 0, 1).staged);
    NEAR(cost(machine, 0, 1).latency_us, 22);
    weir__machine_connect(machine, 0, 1, 0);
    STATUS(weir__machine_finish(machine), WEIR_ERR_INVALID);
    assert_detail("gpu0 and gpu1 are said to reach each other, but no way of at most 16 hops joins "
                  "them");
    weir_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_path_is_taken_however_slow),
        cmocka_unit_test(nvlinks_are_taken_however_narrow),
        cmocka_unit_test(of_equally_wide_paths_the_fastest_is_taken),
        cmocka_unit_test(width_counts_over_the_whole_path_only),
        cmocka_unit_test(of_equally_fast_paths_the_shortest_is_taken_then_the_lowest),
        cmocka_unit_test(latencies_do_not_depend_on_the_order_of_sums),
        cmocka_unit_test(the_way_back_is_the_way_there),
        cmocka_unit_test(a_device_never_forwards),
        cmocka_unit_test(a_pair_that_does_not_reach_is_staged),
        cmocka_unit_test(measured_figures_are_believed),
        cmocka_unit_test(a_device_without_a_way_home_is_refused),
        cmocka_unit_test(only_a_staged_path_is_longer_than_sixteen_hops),
    };
    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
