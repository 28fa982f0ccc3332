/** @file test_assemble.c  What machine follows from what was found out; it takes no GPU. */
#include "tests/topology/survey.h"

static void gpus_below_one_port_share_a_switch(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(4, "NVIDIA L40S", 0);
    static const char *const roots[] = {"0000:00:01.0", "0000:80:01.0", "0000:00:01.0", ""};
    for (uint32_t d = 0; d < 4; d++) {
        snprintf(survey->found[d].root, sizeof survey->found[d].root, "%s", roots[d]);
        survey->found[d].numa = d % 2;
    }
    weir_machine *machine = machine_of(survey);
    const uint32_t shared = 4 + 2;
    assert_int_equal(weir_machine_node_count(machine), 4 + 2 + 1);
    assert_string_equal(weir_machine_node(machine, shared)->name, "PCIe switch");
    assert_string_equal(weir_machine_node(machine, shared)->bus, "0000:00:01.0");
    assert_non_null(hop_between(machine, 0, shared, WEIR_HOP_PCIE));
    assert_non_null(hop_between(machine, 2, shared, WEIR_HOP_PCIE));
    assert_non_null(hop_between(machine, 4, shared, WEIR_HOP_PCIE));
    assert_non_null(hop_between(machine, 1, 5, WEIR_HOP_PCIE));
    assert_non_null(hop_between(machine, 3, 5, WEIR_HOP_PCIE));
    assert_int_equal(hops_of(machine, WEIR_HOP_PCIE), 5);
    assert_int_equal(hops_of(machine, WEIR_HOP_SOCKET), 1);
    weir_machine_destroy(machine);
}

static void what_is_unknown_takes_the_usual(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(1, "GPU", 0);
    memset(&survey->found[0].facts, 0, sizeof survey->found[0].facts);
    memset(&survey->found[0].links, 0, sizeof survey->found[0].links);
    survey->found[0].numa = 63; /* there are two */
    weir_machine *machine = machine_of(survey);
    const weir_hop *hop = hop_between(machine, 0, 1, WEIR_HOP_PCIE);
    assert_non_null(hop);
    assert_int_equal(hop->generation, 0);
    assert_int_equal(hop->count, 0);
    assert_close(hop->bandwidth_gbs, weir__hop_gbs(WEIR_HOP_PCIE, 0, 0));
    assert_string_equal(weir_machine_node(machine, 0)->bus, "");
    weir_machine_destroy(machine);
}

static void nodes_say_what_was_found(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(2, "NVIDIA H200", 9);
    survey->numa.node[0].os_index = 1;
    survey->numa.node[1].os_index = 0;
    weir_machine *machine = machine_of(survey);
    const weir_node *gpu = weir_machine_node(machine, 1), *host = weir_machine_node(machine, 2);
    assert_string_equal(gpu->name, "NVIDIA H200");
    assert_string_equal(gpu->label, "gpu1");
    assert_string_equal(gpu->bus, "0000:11:00.0");
    assert_int_equal(gpu->units, 132);
    assert_int_equal(gpu->copy_engines, 3);
    assert_int_equal(gpu->memory_bytes, 7);
    assert_close(gpu->memory_gbs, 4000);
    assert_string_equal(host->name, "NUMA node 1");
    assert_string_equal(host->label, "numa0");
    assert_int_equal(host->units, 48);
    assert_int_equal(host->memory_bytes, 1000);
    weir_machine_destroy(machine);
}

static void pairs_are_as_they_were_verified(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(3, "NVIDIA A40", 8);
    weir_cost cost;
    survey->reaches[0][1] = 0;
    survey->atomics[2][1] = 0;
    weir_machine *machine = machine_of(survey);
    for (uint32_t s = 0; s < 4; s++)
        for (uint32_t d = 0; d < 4; d++) {
            const weir_pair *pair = weir_machine_pair(machine, s, d);
            int home = (s == 3 || d == 3) && s != d;
            assert_int_equal(pair->reaches, !(s == 0 && d == 1));
            assert_int_equal(pair->atomics, !home && !(s == 2 && d == 1));
        }
    OK(weir_machine_cost(machine, 0, 1, &cost));
    assert_true(cost.staged);
    OK(weir_machine_cost(machine, 1, 0, &cost));
    assert_false(cost.staged);
    weir_machine_destroy(machine);
}

static void expect_name(uint32_t gpus, uint32_t hosts, const char *expected)
{
    struct weir__survey *survey = survey_of(gpus + hosts, "NVIDIA H200", 9);
    weir_machine *machine;
    for (uint32_t d = gpus; d < gpus + hosts; d++) {
        memset(&survey->found[d], 0, sizeof survey->found[d]);
        strcpy(survey->found[d].info.name, "host device");
    }
    machine = machine_of(survey);
    assert_string_equal(weir_machine_name(machine), expected);
    for (uint32_t d = 0; d < gpus + hosts; d++) {
        char label[16];
        snprintf(label, sizeof label, "%s%u", d < gpus ? "gpu" : "host", d < gpus ? d : d - gpus);
        assert_string_equal(weir_machine_node(machine, d)->label, label);
        if (d >= gpus)
            assert_non_null(hop_between(machine, d, gpus + hosts, WEIR_HOP_MEMORY));
    }
    weir_machine_destroy(machine);
}

static void machines_are_named_for_their_devices(void **state)
{
    (void)state;
    expect_name(1, 0, "1 x NVIDIA H200");
    expect_name(8, 0, "8 x NVIDIA H200");
    expect_name(0, 1, "1 host device");
    expect_name(0, 4, "4 host devices");
    expect_name(2, 3, "2 x NVIDIA H200, 3 host devices");
}

/* 64 devices, each with a name of its own of 63 letters, on 64 NUMA nodes. */
static void the_largest_machine(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(WEIR_DEVICES_MAX, "GPU", 9);
    survey->numa.count = 64;
    for (uint32_t d = 0; d < WEIR_DEVICES_MAX; d++) {
        snprintf(survey->found[d].info.name, sizeof survey->found[d].info.name, "%063u", d);
        snprintf(survey->found[d].root, sizeof survey->found[d].root, "0000:%02x:01.0", d / 2);
        survey->found[d].numa = d;
        survey->found[d].links.to_switch = 18;
    }
    weir_machine *machine = machine_of(survey);
    assert_int_equal(strlen(weir_machine_name(machine)), 63);
    assert_int_equal(weir_machine_node_count(machine), 64 + 64 + 1 + 32);
    assert_int_equal(weir_machine_hop_count(machine), 64 + 64 + 32 + 63);
    weir_machine_destroy(machine);
}

/* 64 GPUs, each linked to each other one, on 64 NUMA nodes: two full meshes would be too many
 * hops. */
static void the_most_links(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(WEIR_DEVICES_MAX, "GPU", 9);
    survey->numa.count = 64;
    for (uint32_t d = 0; d < WEIR_DEVICES_MAX; d++) {
        struct weir__nvlinks *links = &survey->found[d].links;
        survey->found[d].numa = d;
        links->to_switch = 18;
        for (uint32_t to = d + 1; to < WEIR_DEVICES_MAX; to++) {
            memcpy(links->peer[links->peer_count].bus, survey->found[to].facts.bus,
                   sizeof links->peer->bus);
            links->peer[links->peer_count++].links = 1;
        }
    }
    weir_machine *machine = machine_of(survey);
    assert_int_equal(hops_of(machine, WEIR_HOP_NVLINK), 64 + 64 * 63 / 2);
    assert_int_equal(hops_of(machine, WEIR_HOP_PCIE), 64);
    assert_int_equal(hops_of(machine, WEIR_HOP_SOCKET), 63);
    weir_machine_destroy(machine);
}

/* Up to eight are joined each to each; nine are joined to the first. */
static void hosts_are_joined(void **state)
{
    (void)state;
    for (uint32_t hosts = 8; hosts <= 9; hosts++) {
        struct weir__survey *survey = survey_of(2, "GPU", 9);
        survey->numa.count = hosts;
        weir_machine *machine = machine_of(survey);
        assert_int_equal(hops_of(machine, WEIR_HOP_SOCKET), hosts == 8 ? 8 * 7 / 2 : 8);
        for (uint32_t h = 1; h < hosts; h++)
            assert_non_null(hop_between(machine, 2, 2 + h, WEIR_HOP_SOCKET));
        weir_machine_destroy(machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_below_one_port_share_a_switch),
        cmocka_unit_test(what_is_unknown_takes_the_usual),
        cmocka_unit_test(nodes_say_what_was_found),
        cmocka_unit_test(pairs_are_as_they_were_verified),
        cmocka_unit_test(machines_are_named_for_their_devices),
        cmocka_unit_test(the_largest_machine),
        cmocka_unit_test(the_most_links),
        cmocka_unit_test(hosts_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
