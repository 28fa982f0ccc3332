/** @file test_flows.c  What simultaneous transfers get, on machines small enough to work it out by
 *  hand. */
#include "tests/lib/support.h"

#include "topology/ring.h"

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

/* Devices 0 and 1 below one switch (5), 2 and 3 below another (6), 12 GB/s each; the switches
 * hang on the host (4) by 16 GB/s. */
static weir_machine *pcie_tree(int reaches)
{
    weir_machine *machine = empty(4, 1, 2);
    for (uint32_t d = 0; d < 4; d++) {
        join(machine, d, 5 + d / 2, 12, 1);
        for (uint32_t to = 0; to < d && reaches; to++)
            weir__machine_connect(machine, d, to, 0);
    }
    join(machine, 5, 4, 16, 1);
    join(machine, 6, 4, 16, 1);
    OK(weir__machine_finish(machine));
    return machine;
}

static void check_shares(const weir_machine *machine, size_t count, weir_flow *flows,
                         const double *wanted)
{
    OK(weir_machine_share(machine, flows, count));
    for (size_t f = 0; f < count; f++)
        if (fabs(flows[f].gbs - wanted[f]) > 1e-9)
            fail_msg("flow %zu gets %g GB/s instead of %g", f, flows[f].gbs, wanted[f]);
}

static void flows_share_hops_by_direction(void **state)
{
    weir_machine *machine = pcie_tree(1);
    (void)state;
    check_shares(machine, 1, (weir_flow[]){{0, 1, 0}}, (double[]){12});
    check_shares(machine, 2, (weir_flow[]){{0, 1, 0}, {1, 0, 0}}, (double[]){12, 12});
    check_shares(machine, 2, (weir_flow[]){{0, 2, 0}, {1, 3, 0}}, (double[]){8, 8});
    check_shares(machine, 2, (weir_flow[]){{0, 2, 0}, {3, 1, 0}}, (double[]){12, 12});
    check_shares(machine, 2, (weir_flow[]){{0, 1, 0}, {0, 1, 0}}, (double[]){6, 6});
    /* 0 sends three, of 4 each; 1 has 8 left for what comes from 2. */
    check_shares(machine, 4, (weir_flow[]){{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {2, 1, 0}},
                 (double[]){4, 4, 4, 8});
    /* The uplink's 16 over three is less than all others give. */
    check_shares(machine, 4, (weir_flow[]){{0, 2, 0}, {1, 3, 0}, {0, 4, 0}, {2, 3, 0}},
                 (double[]){16.0 / 3, 16.0 / 3, 16.0 / 3, 12 - 16.0 / 3});
    weir_machine_destroy(machine);
}

static void staged_flows_use_both_halves(void **state)
{
    weir_machine *machine = pcie_tree(0);
    (void)state;
    /* 0 to 1 goes up to the host and down again, although one switch joins them. */
    check_shares(machine, 2, (weir_flow[]){{0, 1, 0}, {1, 4, 0}}, (double[]){8, 8});
    check_shares(machine, 2, (weir_flow[]){{0, 1, 0}, {1, 0, 0}}, (double[]){8, 8});
    check_shares(machine, 2, (weir_flow[]){{0, 1, 0}, {4, 1, 0}}, (double[]){6, 6});
    weir_machine_destroy(machine);
}

static void measured_pairs_limit_shares_and_widen_hops(void **state)
{
    weir_machine *machine = pcie_tree(1);
    (void)state;
    weir__machine_pair(machine, 0, 1)->bandwidth_gbs = 5;
    weir__machine_pair(machine, 2, 3)->bandwidth_gbs = 13;
    machine->node[3].memory_gbs = 90;
    OK(weir__machine_finish(machine));
    check_shares(machine, 2, (weir_flow[]){{0, 1, 0}, {0, 2, 0}}, (double[]){5, 7});
    check_shares(machine, 1, (weir_flow[]){{2, 3, 0}}, (double[]){13});
    check_shares(machine, 2, (weir_flow[]){{2, 3, 0}, {0, 3, 0}}, (double[]){6.5, 6.5});
    check_shares(machine, 2, (weir_flow[]){{3, 3, 0}, {1, 1, 0}}, (double[]){45, 0});
    weir_machine_destroy(machine);
}

static void flows_within_a_memory_share_it(void **state)
{
    weir_machine *machine = pcie_tree(1);
    (void)state;
    machine->node[3].memory_gbs = 90;
    machine->node[4].memory_gbs = 20; /* home */
    OK(weir__machine_finish(machine));
    check_shares(machine, 3, (weir_flow[]){{3, 3, 0}, {3, 3, 0}, {3, 2, 0}},
                 (double[]){22.5, 22.5, 12});
    check_shares(machine, 3, (weir_flow[]){{4, 4, 0}, {4, 4, 0}, {4, 0, 0}}, (double[]){5, 5, 12});
    check_shares(machine, 3, (weir_flow[]){{1, 1, 0}, {1, 1, 0}, {3, 3, 0}},
                 (double[]){0, 0, 45}); /* of device 1 nothing is known */
    weir_machine_destroy(machine);
}

static void a_staged_pair_raises_no_hop(void **state)
{
    weir_machine *machine = pcie_tree(0);
    (void)state;
    weir__machine_pair(machine, 0, 1)->bandwidth_gbs = 1e5;
    weir__machine_pair(machine, 2, 1)->bandwidth_gbs = 13;
    weir__machine_pair(machine, 3, 1)->bandwidth_gbs = 7;
    OK(weir__machine_finish(machine));
    check_shares(machine, 1, (weir_flow[]){{0, 1, 0}}, (double[]){12});
    check_shares(machine, 1, (weir_flow[]){{2, 1, 0}}, (double[]){12});
    check_shares(machine, 1, (weir_flow[]){{3, 1, 0}}, (double[]){7});
    check_shares(machine, 1, (weir_flow[]){{0, 4, 0}}, (double[]){12});
    check_shares(machine, 2, (weir_flow[]){{0, 1, 0}, {1, 4, 0}}, (double[]){8, 8});
    weir_machine_destroy(machine);
}

/* Between home and device 0 there is more than is said: what is staged there gets it too. */
static void a_staged_pair_takes_the_hops_of_its_halves(void **state)
{
    weir_machine *machine = pcie_tree(0);
    (void)state;
    weir__machine_pair(machine, 0, 4)->bandwidth_gbs = 60;
    OK(weir__machine_finish(machine));
    check_shares(machine, 2, (weir_flow[]){{0, 2, 0}, {1, 4, 0}}, (double[]){12, 12});
    check_shares(machine, 2, (weir_flow[]){{0, 2, 0}, {1, 3, 0}}, (double[]){8, 8});
    check_shares(machine, 3, (weir_flow[]){{0, 4, 0}, {1, 4, 0}, {0, 2, 0}},
                 (double[]){60, 12, 12});
    weir_machine_destroy(machine);
}

/* Ten times the switches' 16 GB/s between 0 and 2, and a quarter more between 1 and 3. */
static void a_pair_too_fast_for_its_hops_uses_none(void **state)
{
    weir_machine *machine = pcie_tree(1);
    weir_route_plan plan;
    struct weir__ring_judge *judge;
    (void)state;
    for (uint32_t d = 0; d < 4; d++)
        machine->hop[d].bandwidth_gbs = 24;
    weir__machine_pair(machine, 0, 2)->bandwidth_gbs = 160;
    weir__machine_pair(machine, 2, 0)->bandwidth_gbs = 160;
    OK(weir__machine_finish(machine));
    check_shares(machine, 3, (weir_flow[]){{0, 2, 0}, {0, 3, 0}, {1, 2, 0}}, (double[]){160, 8, 8});
    /* Three pairs are left to each switch's hop, in each direction. */
    OK(weir_route_plan_make(machine, WEIR_ROUTE_DIRECT, &plan));
    NEAR(plan.exchange_us, 4 + 1 + 3 * WEIR_PLAN_BYTES / 16e3);
    OK(weir__ring_judge_create(machine, &judge));
    NEAR(weir__ring_judge_least(judge, (const uint8_t[]){0, 2, 1, 3}).least_gbs, 8);
    weir__ring_judge_destroy(judge);
    weir__machine_pair(machine, 1, 3)->bandwidth_gbs = 20;
    OK(weir__machine_finish(machine));
    check_shares(machine, 2, (weir_flow[]){{1, 3, 0}, {0, 3, 0}}, (double[]){10, 10});
    weir__machine_pair(machine, 1, 3)->bandwidth_gbs = 20.01;
    OK(weir__machine_finish(machine));
    check_shares(machine, 2, (weir_flow[]){{1, 3, 0}, {0, 3, 0}}, (double[]){20.01, 16});
    weir_machine_destroy(machine);
}

/* One device, two, or as many as there may be: figures everywhere, and nothing overflows. */
static void check_plans(const char *spec)
{
    weir_machine *machine;
    weir_route_plan plan;
    weir_reduction reduction;
    OK(weir_machine_open(spec, &machine));
    uint32_t n = weir_machine_device_count(machine);
    for (weir_route_kind kind = WEIR_ROUTE_AUTO; kind <= WEIR_ROUTE_STAGED; kind++) {
        OK(weir_route_plan_make(machine, kind, &plan));
        assert_true(isfinite(plan.exchange_us) && (n == 1 || plan.exchange_us > 0));
    }
    OK(weir_reduction_make(machine, &reduction));
    assert_true(isfinite(reduction.kept_gbs[n]));
    assert_int_equal(weir_reduction_owner(&reduction, 1, n - 1), reduction.leaves[n - 1]);
    for (uint32_t from = 0; from <= n; from++) {
        weir_flow flows[WEIR_DEVICES_MAX + 1];
        for (uint32_t to = 0; to <= n; to++)
            flows[to] = (weir_flow){from, to, -1};
        OK(weir_machine_share(machine, flows, n + 1));
        for (uint32_t to = 0; to <= n; to++)
            assert_true(isfinite(flows[to].gbs) && flows[to].gbs >= (from != to ? 1e-6 : 0));
    }
    weir_machine_destroy(machine);
}

static void the_smallest_and_the_largest_machines(void **state)
{
    static const char *const specs[] = {
        "1*host",        "1*pcie-tree",
        "2*nvswitch",    "2x1*pcie",
        "2*pcie,nopeer", "64*nvswitch,gbs:1000000",
        "64*nvlink",     "64x1*pcie-tree,gbs:0.001,latency:1000000"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_plans(specs[i]);
}

static void flows_of_no_device_are_refused(void **state)
{
    weir_machine *machine = pcie_tree(1);
    (void)state;
    STATUS(weir_machine_share(machine, (weir_flow[]){{0, 1, 0}, {5, 1, 0}}, 2), WEIR_ERR_INVALID);
    assert_detail("flow 1 from device 5 to 1 of a machine of 4");
    STATUS(weir_machine_share(machine, (weir_flow[]){{0, 6, 0}}, 1), WEIR_ERR_INVALID);
    OK(weir_machine_share(machine, NULL, 0));
    weir_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_share_hops_by_direction),
        cmocka_unit_test(staged_flows_use_both_halves),
        cmocka_unit_test(measured_pairs_limit_shares_and_widen_hops),
        cmocka_unit_test(flows_within_a_memory_share_it),
        cmocka_unit_test(a_staged_pair_raises_no_hop),
        cmocka_unit_test(a_staged_pair_takes_the_hops_of_its_halves),
        cmocka_unit_test(a_pair_too_fast_for_its_hops_uses_none),
        cmocka_unit_test(the_smallest_and_the_largest_machines),
        cmocka_unit_test(flows_of_no_device_are_refused),
    };
    return cmocka_run_group_tests_name("flows", tests, NULL, NULL);
}
