/** @file test_ring.c  Rings against all rings there are, on machines of random links. */
#include "tests/lib/support.h"

#include "topology/machine.h"
#include "topology/ring.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- machines ------------------------------------------------------------------------------- */

static double one_of(const double *values, size_t count, uint64_t *seed)
{
    return values[next_random(seed) % count];
}

/* Devices on PCIe switches of a host, and NVLinks between some of them; not all reach each
 * other. */
static weir_machine *random_machine(uint32_t devices, uint64_t seed)
{
    static const double pcie[] = {6, 12, 12, 24}, nvlink[] = {25, 25, 50};
    const uint32_t switches = 3, host = devices, first = devices + 1;
    weir_machine *machine;
    OK(weir__machine_create("random", "gpu", devices, 1, switches, &machine));
    for (uint32_t s = 0; s < switches; s++)
        OK(weir__machine_add_hop(machine, (weir_hop){.kind = WEIR_HOP_PCIE,
                                                     .a = host,
                                                     .b = first + s,
                                                     .bandwidth_gbs = one_of(pcie, 4, &seed)}));
    for (uint32_t d = 0; d < devices; d++) {
        uint32_t below = first + (uint32_t)(next_random(&seed) % switches);
        OK(weir__machine_add_hop(machine, (weir_hop){.kind = WEIR_HOP_PCIE,
                                                     .a = d,
                                                     .b = below,
                                                     .bandwidth_gbs = one_of(pcie, 4, &seed)}));
        for (uint32_t to = 0; to < d; to++) {
            uint64_t dice = next_random(&seed) % 8;
            if (dice < 3)
                OK(weir__machine_add_hop(machine,
                                         (weir_hop){.kind = WEIR_HOP_NVLINK,
                                                    .a = to,
                                                    .b = d,
                                                    .bandwidth_gbs = one_of(nvlink, 3, &seed)}));
            if (dice < 6)
                weir__machine_connect(machine, to, d, 0);
            if (dice == 7)
                weir__machine_pair(machine, d, to)->bandwidth_gbs = 9;
        }
    }
    OK(weir__machine_finish(machine));
    return machine;
}

/* ---- all rings ------------------------------------------------------------------------------ */

/* Worked out from public calls alone. */
static struct weir__ring_worth worth(const weir_machine *machine, const uint8_t *order)
{
    uint32_t n = machine->devices;
    struct weir__ring_worth found = {0, INFINITY, 0};
    weir_flow flows[WEIR_DEVICES_MAX];
    for (uint32_t i = 0; i < n; i++) {
        weir_cost cost;
        flows[i] = (weir_flow){order[i], order[(i + 1) % n], 0};
        OK(weir_machine_cost(machine, flows[i].from, flows[i].to, &cost));
        found.staged += (uint32_t)cost.staged;
    }
    OK(weir_machine_share(machine, flows, n));
    for (uint32_t i = 0; i < n; i++) {
        found.least_gbs = fmin(found.least_gbs, flows[i].gbs);
        found.sum_gbs += flows[i].gbs;
    }
    return found;
}

static int is_better(const struct weir__ring_worth *a, const struct weir__ring_worth *b)
{
    if (a->staged != b->staged)
        return a->staged < b->staged;
    if (fabs(a->least_gbs - b->least_gbs) > 1e-6)
        return a->least_gbs > b->least_gbs;
    return a->sum_gbs > b->sum_gbs + 1e-6;
}

/* The next order after this one with device 0 in front; 0 after the last. */
static int advance(uint8_t *order, uint32_t n)
{
    uint32_t i = n - 1, j = n - 1;
    while (i > 1 && order[i - 1] > order[i])
        i--;
    if (i < 2)
        return 0;
    while (order[j] < order[i - 1])
        j--;
    uint8_t swapped = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swapped;
    for (j = n - 1; i < j; i++, j--) {
        swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    return 1;
}

static void find_among_all(const weir_machine *machine, uint8_t *best_out)
{
    uint8_t order[WEIR_DEVICES_MAX];
    struct weir__ring_worth best, found;
    for (uint32_t i = 0; i < machine->devices; i++)
        order[i] = best_out[i] = (uint8_t)i;
    best = worth(machine, order);
    while (advance(order, machine->devices)) {
        found = worth(machine, order);
        if (is_better(&found, &best)) {
            best = found;
            memcpy(best_out, order, machine->devices);
        }
    }
}

static void of_few_devices_the_best_ring_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint32_t n = 3 + (uint32_t)(seed % 4);
        weir_machine *machine = random_machine(n, seed);
        weir_route_plan plan;
        uint8_t best[WEIR_DEVICES_MAX];
        OK(weir_route_plan_make(machine, WEIR_ROUTE_RING, &plan));
        find_among_all(machine, best);
        for (uint32_t i = 0; i < n; i++)
            if (plan.order[i] != best[i])
                fail_msg("seed %llu, %u devices: place %u has %u instead of %u",
                         (unsigned long long)seed, n, i, plan.order[i], best[i]);
        weir_machine_destroy(machine);
    }
}

static void the_judge_agrees_with_the_shares(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        weir_machine *machine = random_machine(7, seed);
        struct weir__ring_judge *judge;
        uint8_t order[7] = {0, 1, 2, 3, 4, 5, 6};
        OK(weir__ring_judge_create(machine, &judge));
        for (int i = 0; i < 50 && advance(order, 7); i++) {
            struct weir__ring_worth judged = weir__ring_judge_worth(judge, order);
            struct weir__ring_worth wanted = worth(machine, order);
            assert_int_equal(judged.staged, wanted.staged);
            assert_true(fabs(judged.least_gbs - wanted.least_gbs) < 1e-6);
            assert_true(fabs(judged.sum_gbs - wanted.sum_gbs) < 1e-6);
        }
        weir__ring_judge_destroy(judge);
        weir_machine_destroy(machine);
    }
}

/* ---- local search --------------------------------------------------------------------------- */

static int is_a_ring(const uint8_t *order, uint32_t n)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n; i++)
        seen |= UINT64_C(1) << order[i];
    return order[0] == 0 && seen == (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
}

/* Never better than the best, which would be a mistake of the one or the other; mostly as good. */
static void local_search_comes_close_to_the_best(void **state)
{
    uint32_t as_good = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        weir_machine *machine = random_machine(8, seed);
        struct weir__ring_judge *judge;
        uint8_t best[WEIR_DEVICES_MAX], good[WEIR_DEVICES_MAX];
        OK(weir__ring_judge_create(machine, &judge));
        weir__ring_improve(judge, good);
        memcpy(best, good, sizeof best);
        weir__ring_exact(judge, best);
        assert_true(is_a_ring(good, 8) && is_a_ring(best, 8));
        struct weir__ring_worth of_good = worth(machine, good), of_best = worth(machine, best);
        assert_false(is_better(&of_good, &of_best));
        assert_true(of_good.staged == of_best.staged);
        as_good += fabs(of_good.least_gbs - of_best.least_gbs) < 1e-6;
        weir__ring_judge_destroy(judge);
        weir_machine_destroy(machine);
    }
    assert_true(as_good >= 36);
}

/* Two times eight devices below two switches that 20 GB/s join, numbered in turns: in order
 * every step would cross. */
static weir_machine *alternating(uint32_t n)
{
    weir_machine *machine;
    OK(weir__machine_create("alternating", "gpu", n, 1, 2, &machine));
    for (uint32_t d = 0; d < n; d++) {
        OK(weir__machine_add_hop(
            machine,
            (weir_hop){.kind = WEIR_HOP_PCIE, .a = d, .b = n + 1 + d % 2, .bandwidth_gbs = 12}));
        for (uint32_t to = 0; to < d; to++)
            weir__machine_connect(machine, d, to, 0);
    }
    for (uint32_t s = 0; s < 2; s++)
        OK(weir__machine_add_hop(
            machine,
            (weir_hop){.kind = WEIR_HOP_PCIE, .a = n, .b = n + 1 + s, .bandwidth_gbs = 20}));
    OK(weir__machine_finish(machine));
    return machine;
}

static void rings_of_many_devices_cross_as_seldom_as_possible(void **state)
{
    static const uint32_t counts[] = {9, 16, 63, 64};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        uint32_t n = counts[i], crossings = 0;
        weir_machine *machine = alternating(n);
        weir_route_plan plan;
        OK(weir_route_plan_make(machine, WEIR_ROUTE_RING, &plan));
        assert_true(is_a_ring(plan.order, n));
        for (uint32_t d = 0; d < n; d++)
            crossings += plan.order[d] % 2 != plan.order[(d + 1) % n] % 2;
        assert_int_equal(crossings, 2);
        assert_true(fabs(worth(machine, plan.order).least_gbs - 12) < 1e-9);
        weir_machine_destroy(machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_few_devices_the_best_ring_is_found),
        cmocka_unit_test(the_judge_agrees_with_the_shares),
        cmocka_unit_test(local_search_comes_close_to_the_best),
        cmocka_unit_test(rings_of_many_devices_cross_as_seldom_as_possible),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
