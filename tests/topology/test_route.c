/** @file test_route.c  Route plans lead everywhere, in as few hops as their kind allows; what an
 *  exchange over them takes, worked out by hand; and which kind is chosen. */
#include "tests/lib/support.h"

#include "topology/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const weir_route_kind kinds[] = {WEIR_ROUTE_AUTO, WEIR_ROUTE_DIRECT, WEIR_ROUTE_RING,
                                        WEIR_ROUTE_TREE, WEIR_ROUTE_STAGED};
#define KINDS (sizeof kinds / sizeof *kinds)
static const uint32_t device_counts[] = {1, 2, 3, 8, 64};
#define COUNTS (sizeof device_counts / sizeof *device_counts)

static weir_context *open_hosts(uint32_t devices)
{
    static const char *const settings[] = {"events=16", NULL};
    char spec[16];
    snprintf(spec, sizeof spec, "host:%u", devices);
    return open_with_or_skip(spec, settings);
}

static weir_route_plan plan_of(weir_context *context, weir_route_kind kind)
{
    const weir_machine *machine;
    weir_route_plan plan;
    OK(weir_machine_of(context, &machine));
    OK(weir_route_plan_make(machine, kind, &plan));
    return plan;
}

/* Hops from one device to another, or more than there are devices if the plan never arrives. */
static uint32_t hops(const weir_route_plan *plan, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    while (from != to && count <= plan->devices) {
        from = plan->next[from][to];
        assert_true(from < plan->devices);
        count++;
    }
    return count;
}

static uint32_t longest_route(const weir_route_plan *plan)
{
    uint32_t most = 0;
    for (uint32_t from = 0; from < plan->devices; from++)
        for (uint32_t to = 0; to < plan->devices; to++) {
            uint32_t count = hops(plan, from, to);
            if (from == to)
                assert_int_equal(plan->next[from][to], to);
            most = most > count ? most : count;
        }
    return most;
}

static void check_plan(const weir_route_plan *plan, uint32_t devices, uint32_t longest)
{
    assert_int_equal(plan->devices, devices);
    assert_int_equal(longest_route(plan), longest);
}

/* Each device once. */
static void check_order(const weir_route_plan *plan)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < plan->devices; i++)
        seen |= UINT64_C(1) << plan->order[i];
    assert_true(seen == (plan->devices == 64 ? UINT64_MAX : (UINT64_C(1) << plan->devices) - 1));
}

/* One root, above all others; or none, and all devices by themselves. */
static void check_parents(const weir_route_plan *plan)
{
    uint32_t roots = 0;
    for (uint32_t d = 0; d < plan->devices; d++) {
        uint32_t above = d, levels = 0;
        while (plan->parent[above] != above && levels++ < plan->devices)
            above = plan->parent[above];
        assert_true(levels <= plan->devices);
        roots += plan->parent[d] == d;
    }
    assert_int_equal(roots, plan->kind == WEIR_ROUTE_TREE ? 1 : plan->devices);
}

/* ---- host devices --------------------------------------------------------------------------- */

static void direct_and_staged_take_one_hop(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t n = device_counts[i];
        weir_context *context = open_hosts(n);
        for (size_t k = 0; k < 2; k++) {
            weir_route_kind kind = k ? WEIR_ROUTE_STAGED : WEIR_ROUTE_DIRECT;
            weir_route_plan plan = plan_of(context, kind);
            assert_int_equal(plan.kind, kind);
            assert_string_equal(plan.why, "asked for");
            check_plan(&plan, n, n > 1 ? 1 : 0);
        }
        weir_context_destroy(context);
    }
}

static void a_ring_takes_at_most_one_hop_less_than_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t n = device_counts[i];
        weir_context *context = open_hosts(n);
        weir_route_plan plan = plan_of(context, WEIR_ROUTE_RING);
        assert_int_equal(plan.kind, WEIR_ROUTE_RING);
        check_plan(&plan, n, n - 1);
        check_order(&plan);
        for (uint32_t at = 0; at < n; at++) /* each device sends to one other only */
            for (uint32_t to = 0; to < n; to++)
                assert_true(at == to ||
                            plan.next[plan.order[at]][plan.order[to]] == plan.order[(at + 1) % n]);
        weir_context_destroy(context);
    }
}

/* Host devices are all alike, so all others hang below the first. */
static void a_tree_of_equals_is_two_hops_deep(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t n = device_counts[i];
        weir_machine *machine;
        weir_route_plan plan;
        char spec[16];
        snprintf(spec, sizeof spec, "%u*host", n);
        OK(weir_machine_open(spec, &machine));
        OK(weir_route_plan_make(machine, WEIR_ROUTE_TREE, &plan));
        assert_int_equal(plan.kind, WEIR_ROUTE_TREE);
        check_plan(&plan, n, n < 3 ? n - 1 : 2);
        check_parents(&plan);
        for (uint32_t d = 0; d < n; d++)
            assert_int_equal(plan.parent[d], 0);
        weir_machine_destroy(machine);
    }
}

static void auto_is_direct_on_host_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t n = device_counts[i];
        weir_context *context = open_hosts(n);
        weir_route_plan plan = plan_of(context, WEIR_ROUTE_AUTO);
        assert_int_equal(plan.kind, WEIR_ROUTE_DIRECT);
        assert_string_equal(plan.why,
                            n == 1 ? "one device" : "all devices are in the memory of one host");
        check_plan(&plan, n, n > 1 ? 1 : 0);
        weir_context_destroy(context);
    }
}

static void auto_is_staged_where_peers_are_off(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_route_plan plan = plan_of(context, WEIR_ROUTE_AUTO);
    assert_int_equal(plan.kind, WEIR_ROUTE_STAGED);
    assert_string_equal(plan.why, "no pair reaches another: staged");
    check_plan(&plan, 2, 1);
    weir_context_destroy(context);
}

static void every_backend_has_plans(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t n = weir_context_device_count(context);
    for (size_t k = 0; k < KINDS; k++) {
        weir_route_plan plan = plan_of(context, kinds[k]);
        assert_int_not_equal(plan.kind, WEIR_ROUTE_AUTO);
        assert_true(plan.why[0]);
        assert_int_equal(plan.devices, n);
        assert_true(longest_route(&plan) < n);
    }
    weir_context_destroy(context);
}

/* ---- machines ------------------------------------------------------------------------------- */

static void plans_lead_everywhere_on_every_machine(void **state)
{
    static const char *const specs[] = {"%u*pcie-tree", "%u*nvswitch", "%u*nvlink",
                                        "%u*pcie,nopeer"};
    static const uint32_t counts[] = {1, 2, 3, 5, 7, 8, 11, 64};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            weir_machine *machine;
            char spec[32];
            snprintf(spec, sizeof spec, specs[s], counts[i]);
            OK(weir_machine_open(spec, &machine));
            for (size_t k = 0; k < KINDS; k++) {
                weir_route_plan plan;
                OK(weir_route_plan_make(machine, kinds[k], &plan));
                assert_int_equal(plan.devices, counts[i]);
                assert_true(longest_route(&plan) < counts[i]);
                check_order(&plan);
                check_parents(&plan);
                assert_true(isfinite(plan.exchange_us));
            }
            weir_machine_destroy(machine);
        }
}

static void join(weir_machine *machine, uint32_t a, uint32_t b, double gbs, double us)
{
    OK(weir__machine_add_hop(
        machine,
        (weir_hop){.kind = WEIR_HOP_PCIE, .a = a, .b = b, .bandwidth_gbs = gbs, .latency_us = us}));
}

/* Three devices (0 to 2) at the host (3), 8 GB/s and 2 us each, and @p gbs between each two of
 * them. */
static weir_machine *triangle(const double gbs[3])
{
    weir_machine *machine;
    OK(weir__machine_create("triangle", "gpu", 3, 1, 0, &machine));
    machine->overheads.copy_us = 1;
    for (uint32_t d = 0; d < 3; d++)
        join(machine, d, 3, 8, 2);
    for (uint32_t d = 0; d < 3; d++)
        if (gbs[d] > 0) {
            join(machine, d, (d + 1) % 3, gbs[d], 0.5);
            weir__machine_connect(machine, d, (d + 1) % 3, 1);
        }
    OK(weir__machine_finish(machine));
    return machine;
}

static void check_exchange(const weir_machine *machine, weir_route_kind kind, double wanted)
{
    weir_route_plan plan;
    OK(weir_route_plan_make(machine, kind, &plan));
    if (fabs(plan.exchange_us - wanted) > 1e-6)
        fail_msg("%s: %.9g us instead of %.9g", weir_route_kind_text(kind), plan.exchange_us,
                 wanted);
}

static void an_exchange_takes_what_the_busiest_hop_takes(void **state)
{
    const double mib = WEIR_PLAN_BYTES / 1e3; /* microseconds at 1 GB/s */
    weir_machine *machine = triangle((double[]){20, 20, 20});
    (void)state;
    check_exchange(machine, WEIR_ROUTE_DIRECT, mib / 20 + 1.5);
    /* What goes two steps is on the way twice: of three steps in all each link has three. */
    check_exchange(machine, WEIR_ROUTE_RING, 3 * mib / 20 + 2 * 1.5);
    check_exchange(machine, WEIR_ROUTE_TREE, 2 * mib / 20 + 2 * 1.5);
    /* Every device sends two up its link, and as many come down; in halves, of which the second goes up
     * while the first comes down. */
    check_exchange(machine, WEIR_ROUTE_STAGED, 1.5 * (2 * mib / 8) + 2 * 2 + 3 * 1);
    weir_machine_destroy(machine);
}

static void measured_pairs_count_in_an_exchange(void **state)
{
    const double mib = WEIR_PLAN_BYTES / 1e3;
    weir_machine *machine = triangle((double[]){20, 20, 20});
    (void)state;
    *weir__machine_pair(machine, 1, 0) = (weir_pair){1, 1, 4, 0.25};
    OK(weir__machine_finish(machine));
    check_exchange(machine, WEIR_ROUTE_DIRECT, mib / 4 + 1.5); /* another pair's is longer */
    weir__machine_pair(machine, 1, 0)->latency_us = 9;
    OK(weir__machine_finish(machine));
    check_exchange(machine, WEIR_ROUTE_DIRECT, mib / 4 + 10);
    weir_machine_destroy(machine);
}

static void check_choice(const weir_machine *machine, weir_route_kind kind, const char *why)
{
    weir_route_plan plan;
    OK(weir_route_plan_make(machine, WEIR_ROUTE_AUTO, &plan));
    assert_int_equal(plan.kind, kind);
    assert_string_equal(plan.why, why);
}

static void the_cheapest_kind_is_chosen(void **state)
{
    weir_machine *machine = triangle((double[]){20, 20, 20});
    (void)state;
    check_choice(
        machine, WEIR_ROUTE_DIRECT,
        "direct: an exchange of 1 MiB a pair takes 53.9 us against 160 (ring), 108 (tree), "
        "400 (staged)");
    weir_machine_destroy(machine);
    /* 0 and 2 do not reach each other, but 1 reaches both, and better than the host does. */
    machine = triangle((double[]){20, 20, 0});
    check_choice(machine, WEIR_ROUTE_TREE,
                 "tree: an exchange of 1 MiB a pair takes 108 us against 204 (direct), 598 (ring), "
                 "400 (staged)");
    weir_machine_destroy(machine);
    machine = triangle((double[]){0, 0, 0});
    check_choice(machine, WEIR_ROUTE_STAGED, "no pair reaches another: staged");
    weir_machine_destroy(machine);
}

/* Between two devices all kinds but staged are the same. */
static void direct_is_chosen_among_equals(void **state)
{
    weir_machine *machine;
    (void)state;
    OK(weir_machine_open("2*nvswitch", &machine));
    weir_route_plan plan;
    OK(weir_route_plan_make(machine, WEIR_ROUTE_AUTO, &plan));
    assert_int_equal(plan.kind, WEIR_ROUTE_DIRECT);
    assert_non_null(strstr(plan.why, "(ring)"));
    weir_machine_destroy(machine);
}

/* A hub (3) in the middle, two devices beyond one of its neighbours: 4 - 1 - 3 - 0, 3 - 2. The
 * root is the one from which no other is more than two steps away. */
static void the_root_of_a_tree_is_in_the_middle(void **state)
{
    static const uint8_t links[][2] = {{1, 4}, {1, 3}, {0, 3}, {2, 3}};
    weir_machine *machine;
    weir_route_plan plan;
    (void)state;
    OK(weir__machine_create("hub", "gpu", 5, 1, 0, &machine));
    for (uint32_t d = 0; d < 5; d++)
        join(machine, d, 5, 8, 2);
    for (size_t i = 0; i < 4; i++) {
        join(machine, links[i][0], links[i][1], 20, 0.5);
        weir__machine_connect(machine, links[i][0], links[i][1], 1);
    }
    OK(weir__machine_finish(machine));
    OK(weir_route_plan_make(machine, WEIR_ROUTE_TREE, &plan));
    assert_memory_equal(plan.parent, ((uint8_t[]){3, 1, 3, 1, 1}), 5);
    check_plan(&plan, 5, 3);
    assert_int_equal(plan.next[4][2], 1);
    assert_int_equal(plan.next[1][2], 3);
    assert_int_equal(plan.next[2][4], 3);
    weir_machine_destroy(machine);
}

static void other_kinds_are_refused(void **state)
{
    static const int others[] = {5, -1, 1000};
    weir_machine *machine = triangle((double[]){20, 20, 20});
    weir_route_plan plan;
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        STATUS(weir_route_plan_make(machine, (weir_route_kind)others[i], &plan), WEIR_ERR_INVALID);
        assert_detail_has(": no such kind");
    }
    weir_machine_destroy(machine);
}

/* Routes over the first devices are those of a machine that has no others. */
static void routes_over_the_first_devices(void **state)
{
    static const char *const specs[] = {"8*nvswitch", "8*nvlink", "2x4*pcie-tree", "dgx1v"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        weir_machine *whole;
        if (weir_machine_open(specs[s], &whole))
            fail_msg("%s: %s", specs[s], weir_error_detail());
        for (uint32_t count = 1; count <= 8; count++)
            for (size_t k = 0; k < KINDS; k++) {
                weir_route_plan plan;
                OK(weir_route_plan_make_first(whole, count, kinds[k], &plan));
                check_plan(&plan, count, longest_route(&plan));
                assert_true(longest_route(&plan) < count);
                check_order(&plan);
                check_parents(&plan);
            }
        weir_machine_destroy(whole);
    }
}

static void the_first_of_a_machine_are_a_machine(void **state)
{
    weir_machine *whole, *first, *small;
    (void)state;
    OK(weir_machine_open("8*nvswitch", &whole));
    OK(weir_machine_open("3*nvswitch", &small));
    OK(weir__machine_first(whole, 3, &first));
    assert_int_equal(weir_machine_device_count(first), 3);
    assert_int_equal(weir_machine_host_count(first), weir_machine_host_count(whole));
    assert_int_equal(weir_machine_node_count(first), weir_machine_node_count(whole) - 5);
    for (uint32_t from = 0; from <= 3; from++)
        for (uint32_t to = 0; to <= 3; to++) {
            weir_cost have, want;
            OK(weir_machine_cost(whole, from < 3 ? from : 8, to < 3 ? to : 8, &want));
            OK(weir_machine_cost(first, from, to, &have));
            assert_true(have.bandwidth_gbs == want.bandwidth_gbs);
            assert_true(have.latency_us == want.latency_us);
            assert_int_equal(have.hop_count, want.hop_count);
            for (uint32_t i = 0; i < have.hop_count; i++) {
                const weir_hop *a = weir_machine_hop(first, have.hops[i].hop);
                const weir_hop *b = weir_machine_hop(whole, want.hops[i].hop);
                assert_string_equal(weir_machine_node(first, a->a)->label,
                                    weir_machine_node(whole, b->a)->label);
                assert_string_equal(weir_machine_node(first, a->b)->label,
                                    weir_machine_node(whole, b->b)->label);
            }
        }
    for (size_t k = 0; k < KINDS; k++) {
        weir_route_plan have, want;
        OK(weir_route_plan_make_first(whole, 3, kinds[k], &have));
        OK(weir_route_plan_make(small, kinds[k], &want));
        assert_int_equal(have.kind, want.kind);
        assert_memory_equal(have.next, want.next, sizeof have.next);
        assert_true(fabs(have.exchange_us - want.exchange_us) < 1e-6);
    }
    weir_route_plan plan;
    STATUS(weir_route_plan_make_first(whole, 0, WEIR_ROUTE_AUTO, &plan), WEIR_ERR_INVALID);
    STATUS(weir_route_plan_make_first(whole, 9, WEIR_ROUTE_AUTO, &plan), WEIR_ERR_INVALID);
    weir_machine_destroy(first);
    weir_machine_destroy(small);
    weir_machine_destroy(whole);
}

static void kinds_have_names(void **state)
{
    static const char *const names[] = {"auto", "direct", "ring", "tree", "staged"};
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        assert_string_equal(weir_route_kind_text(kinds[k]), names[k]);
    assert_null(weir_route_kind_text((weir_route_kind)5));
    assert_null(weir_route_kind_text((weir_route_kind)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_and_staged_take_one_hop),
        cmocka_unit_test(a_ring_takes_at_most_one_hop_less_than_devices),
        cmocka_unit_test(a_tree_of_equals_is_two_hops_deep),
        cmocka_unit_test(auto_is_direct_on_host_devices),
        ON_BACKEND(auto_is_staged_where_peers_are_off, "cuda:0-1"),
        ON_EACH_BACKEND(every_backend_has_plans),
        cmocka_unit_test(plans_lead_everywhere_on_every_machine),
        cmocka_unit_test(an_exchange_takes_what_the_busiest_hop_takes),
        cmocka_unit_test(measured_pairs_count_in_an_exchange),
        cmocka_unit_test(the_cheapest_kind_is_chosen),
        cmocka_unit_test(direct_is_chosen_among_equals),
        cmocka_unit_test(the_root_of_a_tree_is_in_the_middle),
        cmocka_unit_test(other_kinds_are_refused),
        cmocka_unit_test(routes_over_the_first_devices),
        cmocka_unit_test(the_first_of_a_machine_are_a_machine),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
