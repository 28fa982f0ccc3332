/** @file machine_fixture.h  Comparing machines, for the tests of machines as data. */
#ifndef WEIR_TESTS_TOPOLOGY_MACHINE_FIXTURE_H
#define WEIR_TESTS_TOPOLOGY_MACHINE_FIXTURE_H

#include "tests/lib/support.h"

#include "topology/machine.h"

#include <stdlib.h>
#include <string.h>

static inline weir_machine *open_machine(const char *text)
{
    weir_machine *machine = NULL;
    OK(weir_machine_open(text, &machine));
    assert_non_null(machine);
    return machine;
}

static inline char *json_of(const weir_machine *machine)
{
    char *text = NULL;
    OK(weir_machine_json(machine, &text));
    assert_non_null(text);
    return text;
}

/* Figures must be the same to the last bit: they were written and read back. */
static inline void assert_same(double a, double b)
{
    assert_true(a == b);
}

static inline void assert_nodes_equal(const weir_node *a, const weir_node *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->label, b->label);
    assert_string_equal(a->bus, b->bus);
    assert_int_equal(a->units, b->units);
    assert_int_equal(a->copy_engines, b->copy_engines);
    assert_int_equal(a->memory_bytes, b->memory_bytes);
    assert_same(a->memory_gbs, b->memory_gbs);
    assert_same(a->arc_ns, b->arc_ns);
    assert_same(a->entry_ns, b->entry_ns);
    assert_same(a->find_ns, b->find_ns);
}

static inline void assert_hops_equal(const weir_hop *a, const weir_hop *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->a, b->a);
    assert_int_equal(a->b, b->b);
    assert_int_equal(a->generation, b->generation);
    assert_int_equal(a->count, b->count);
    assert_same(a->bandwidth_gbs, b->bandwidth_gbs);
    assert_same(a->latency_us, b->latency_us);
}

static inline void assert_pairs_equal(const weir_machine *a, const weir_machine *b, uint32_t from,
                                      uint32_t to)
{
    const weir_pair *one = weir_machine_pair(a, from, to), *other = weir_machine_pair(b, from, to);
    weir_cost cost, other_cost;
    assert_int_equal(one->reaches, other->reaches);
    assert_int_equal(one->atomics, other->atomics);
    assert_same(one->bandwidth_gbs, other->bandwidth_gbs);
    assert_same(one->latency_us, other->latency_us);
    OK(weir_machine_cost(a, from, to, &cost));
    OK(weir_machine_cost(b, from, to, &other_cost));
    assert_same(cost.bandwidth_gbs, other_cost.bandwidth_gbs);
    assert_same(cost.latency_us, other_cost.latency_us);
    assert_int_equal(cost.staged, other_cost.staged);
    assert_int_equal(cost.hop_count, other_cost.hop_count);
}

static inline void assert_machines_equal(const weir_machine *a, const weir_machine *b)
{
    weir_overheads one = weir_machine_overheads(a), other = weir_machine_overheads(b);
    assert_string_equal(weir_machine_name(a), weir_machine_name(b));
    assert_int_equal(weir_machine_device_count(a), weir_machine_device_count(b));
    assert_int_equal(weir_machine_host_count(a), weir_machine_host_count(b));
    assert_int_equal(weir_machine_node_count(a), weir_machine_node_count(b));
    assert_int_equal(weir_machine_hop_count(a), weir_machine_hop_count(b));
    for (uint32_t i = 0; i < weir_machine_node_count(a); i++)
        assert_nodes_equal(weir_machine_node(a, i), weir_machine_node(b, i));
    for (uint32_t i = 0; i < weir_machine_hop_count(a); i++)
        assert_hops_equal(weir_machine_hop(a, i), weir_machine_hop(b, i));
    for (uint32_t from = 0; from <= weir_machine_device_count(a); from++)
        for (uint32_t to = 0; to <= weir_machine_device_count(a); to++)
            assert_pairs_equal(a, b, from, to);
    assert_same(one.copy_us, other.copy_us);
    assert_same(one.push_us, other.push_us);
    assert_same(one.launch_us, other.launch_us);
}

#endif
