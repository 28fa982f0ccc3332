/** @file test_route.c  Route plans lead everywhere, and directly where they should. */
#include "tests/lib/support.h"

#include "topology/topology.h"

#include <stdio.h>
#include <string.h>

static const uint32_t device_counts[] = {1, 2, 3, 8, 64};
#define COUNTS (sizeof device_counts / sizeof *device_counts)

static weir_context *open_hosts(uint32_t devices)
{
    static const char *const settings[] = {"events=16", NULL};
    char spec[16];
    snprintf(spec, sizeof spec, "host:%u", devices);
    return open_with_or_skip(spec, settings);
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

static void check_plan(const weir_route_plan *plan, uint32_t devices, uint32_t longest)
{
    uint32_t most = 0;
    assert_int_equal(plan->devices, devices);
    for (uint32_t from = 0; from < devices; from++)
        for (uint32_t to = 0; to < devices; to++) {
            uint32_t count = hops(plan, from, to);
            if (from == to)
                assert_int_equal(plan->next[from][to], to);
            most = most > count ? most : count;
        }
    assert_int_equal(most, longest);
}

static void direct_takes_one_hop(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t n = device_counts[i];
        weir_context *context = open_hosts(n);
        weir_route_plan plan;
        OK(weir_route_plan_make(context, WEIR_ROUTE_DIRECT, &plan));
        assert_int_equal(plan.kind, WEIR_ROUTE_DIRECT);
        assert_string_equal(plan.why, "asked for");
        check_plan(&plan, n, n > 1 ? 1 : 0);
        weir_context_destroy(context);
    }
}

static void a_ring_takes_at_most_one_hop_less_than_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t n = device_counts[i];
        weir_context *context = open_hosts(n);
        weir_route_plan plan;
        OK(weir_route_plan_make(context, WEIR_ROUTE_RING, &plan));
        assert_int_equal(plan.kind, WEIR_ROUTE_RING);
        check_plan(&plan, n, n - 1);
        for (uint32_t at = 0; at < n; at++) /* each device sends to one other only */
            for (uint32_t to = 0; to < n; to++)
                assert_true(at == to || plan.next[at][to] == (at + 1) % n);
        weir_context_destroy(context);
    }
}

static void auto_is_direct_where_all_reach_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t n = device_counts[i];
        weir_context *context = open_hosts(n);
        weir_route_plan plan;
        OK(weir_route_plan_make(context, WEIR_ROUTE_AUTO, &plan));
        assert_int_equal(plan.kind, WEIR_ROUTE_DIRECT);
        assert_string_equal(plan.why, "all devices reach each other");
        check_plan(&plan, n, n > 1 ? 1 : 0);
        weir_context_destroy(context);
    }
}

static void auto_is_a_ring_where_peers_are_off(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_route_plan plan;
    OK(weir_route_plan_make(context, WEIR_ROUTE_AUTO, &plan));
    assert_int_equal(plan.kind, WEIR_ROUTE_RING);
    assert_string_equal(plan.why, "cuda:0 does not reach cuda:1");
    check_plan(&plan, 2, 1);
    weir_context_destroy(context);
}

static void every_backend_has_plans(void **state)
{
    static const weir_route_kind kinds[] = {WEIR_ROUTE_AUTO, WEIR_ROUTE_DIRECT, WEIR_ROUTE_RING};
    weir_context *context = open_or_skip(state);
    uint32_t n = weir_context_device_count(context);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        weir_route_plan plan;
        OK(weir_route_plan_make(context, kinds[k], &plan));
        assert_int_not_equal(plan.kind, WEIR_ROUTE_AUTO);
        assert_true(plan.why[0]);
        check_plan(&plan, n, plan.kind == WEIR_ROUTE_RING ? n - 1 : n > 1);
    }
    weir_context_destroy(context);
}

static void other_kinds_are_refused(void **state)
{
    static const int kinds[] = {3, -1, 1000};
    weir_context *context = open_hosts(2);
    weir_route_plan plan;
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        STATUS(weir_route_plan_make(context, (weir_route_kind)kinds[i], &plan), WEIR_ERR_INVALID);
        assert_detail_has(": no such kind");
    }
    weir_context_destroy(context);
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(weir_route_kind_text(WEIR_ROUTE_AUTO), "auto");
    assert_string_equal(weir_route_kind_text(WEIR_ROUTE_DIRECT), "direct");
    assert_string_equal(weir_route_kind_text(WEIR_ROUTE_RING), "ring");
    assert_null(weir_route_kind_text((weir_route_kind)3));
    assert_null(weir_route_kind_text((weir_route_kind)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_takes_one_hop),
        cmocka_unit_test(a_ring_takes_at_most_one_hop_less_than_devices),
        cmocka_unit_test(auto_is_direct_where_all_reach_each_other),
        ON_BACKEND(auto_is_a_ring_where_peers_are_off, "cuda:0-1"),
        ON_EACH_BACKEND(every_backend_has_plans),
        cmocka_unit_test(other_kinds_are_refused),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
