/** @file test_fabric.c  Which NVLinks follow from what was found out; no GPU is needed for it. */
#include "tests/topology/survey.h"

/* ---- NVLink ---------------------------------------------------------------------------------- */

static void gpus_on_an_nvswitch(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(8, "NVIDIA H200", 9);
    for (uint32_t d = 0; d < 8; d++) {
        survey->found[d].links.generation = 4;
        survey->found[d].links.to_switch = 18;
    }
    weir_machine *machine = machine_of(survey);
    const uint32_t hub = 8 + 2;
    weir_cost cost;
    assert_string_equal(weir_machine_name(machine), "8 x NVIDIA H200");
    assert_int_equal(weir_machine_device_count(machine), 8);
    assert_int_equal(weir_machine_host_count(machine), 2);
    assert_int_equal(weir_machine_node_count(machine), 8 + 2 + 1);
    assert_int_equal(weir_machine_node(machine, hub)->kind, WEIR_NODE_SWITCH);
    assert_string_equal(weir_machine_node(machine, hub)->name, "NVSwitch");
    assert_int_equal(hops_of(machine, WEIR_HOP_NVLINK), 8);
    for (uint32_t d = 0; d < 8; d++) {
        const weir_hop *link = hop_between(machine, d, hub, WEIR_HOP_NVLINK);
        const weir_hop *pcie = hop_between(machine, d, 8 + d / 4, WEIR_HOP_PCIE);
        assert_non_null(link);
        assert_non_null(pcie);
        assert_int_equal(link->generation, 4);
        assert_int_equal(link->count, 18);
        assert_close(link->bandwidth_gbs, weir__hop_gbs(WEIR_HOP_NVLINK, 4, 18));
        assert_int_equal(pcie->generation, 5);
        assert_int_equal(pcie->count, 16);
    }
    OK(weir_machine_cost(machine, 0, 7, &cost));
    assert_int_equal(cost.hop_count, 2);
    assert_false(cost.staged);
    assert_close(cost.bandwidth_gbs, weir__hop_gbs(WEIR_HOP_NVLINK, 4, 18));
    weir_machine_destroy(machine);
}

/* Without a generation of NVML's, the kind of GPU says it. */
static void generation_follows_the_gpu(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(2, "NVIDIA H200", 9);
    survey->found[0].links.to_switch = survey->found[1].links.to_switch = 18;
    weir_machine *machine = machine_of(survey);
    assert_int_equal(hop_between(machine, 1, 4, WEIR_HOP_NVLINK)->generation, 4);
    weir_machine_destroy(machine);
}

static void add_peer(struct weir__survey *survey, uint32_t from, uint32_t to, uint32_t count)
{
    struct weir__nvlinks *links = &survey->found[from].links;
    memcpy(links->peer[links->peer_count].bus, survey->found[to].facts.bus,
           sizeof links->peer->bus);
    links->peer[links->peer_count++].links = count;
    links->generation = 2;
}

/* Each pair once, whichever of its ends tells of it; GPUs of other contexts are left out. */
static void gpus_linked_to_each_other(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(4, "Tesla V100-SXM2-16GB", 7);
    struct weir__nvlinks *first = &survey->found[0].links;
    add_peer(survey, 0, 1, 2);
    add_peer(survey, 1, 0, 2);
    add_peer(survey, 3, 2, 1);
    add_peer(survey, 0, 3, 1);
    snprintf(first->peer[first->peer_count].bus, sizeof first->peer->bus, "0000:77:00.0");
    first->peer[first->peer_count++].links = 2;
    weir_machine *machine = machine_of(survey);
    assert_int_equal(weir_machine_node_count(machine), 4 + 2);
    assert_int_equal(hops_of(machine, WEIR_HOP_NVLINK), 3);
    assert_int_equal(hop_between(machine, 0, 1, WEIR_HOP_NVLINK)->count, 2);
    assert_int_equal(hop_between(machine, 0, 1, WEIR_HOP_NVLINK)->generation, 2);
    assert_int_equal(hop_between(machine, 2, 3, WEIR_HOP_NVLINK)->count, 1);
    assert_int_equal(hop_between(machine, 0, 3, WEIR_HOP_NVLINK)->count, 1);
    weir_machine_destroy(machine);
}

/* ---- NVLinks that nobody tells of ------------------------------------------------------------ */

static void native_atomics_mean_an_nvswitch(void **state)
{
    (void)state;
    weir_machine *machine = machine_of(survey_of(4, "NVIDIA H200", 9));
    const uint32_t hub = 4 + 2;
    weir_cost cost;
    assert_int_equal(weir_machine_node_count(machine), 4 + 2 + 1);
    assert_string_equal(weir_machine_node(machine, hub)->name, "NVSwitch (assumed)");
    for (uint32_t d = 0; d < 4; d++) {
        const weir_hop *link = hop_between(machine, d, hub, WEIR_HOP_NVLINK);
        assert_non_null(link);
        assert_int_equal(link->generation, 0); /* assumed is not known */
        assert_int_equal(link->count, 0);
        assert_close(link->bandwidth_gbs, weir__hop_gbs(WEIR_HOP_NVLINK, 4, 18));
    }
    OK(weir_machine_cost(machine, 0, 3, &cost));
    assert_close(cost.bandwidth_gbs, weir__hop_gbs(WEIR_HOP_NVLINK, 4, 18));
    weir_machine_destroy(machine);
}

/* Two pairs with a bridge each are no fabric of four; a GPU that is close to nobody is in none. */
static void each_clique_has_its_own(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(5, "NVIDIA A100 80GB PCIe", 8);
    for (uint32_t s = 0; s < 5; s++)
        for (uint32_t d = 0; d < 5; d++)
            survey->atomics[s][d] = s == d || (s < 4 && d < 4 && s % 2 == d % 2);
    weir_machine *machine = machine_of(survey);
    assert_int_equal(weir_machine_node_count(machine), 5 + 2 + 2);
    assert_int_equal(hops_of(machine, WEIR_HOP_NVLINK), 4);
    for (uint32_t d = 0; d < 4; d++)
        assert_non_null(hop_between(machine, d, 5 + 2 + d % 2, WEIR_HOP_NVLINK));
    weir_machine_destroy(machine);
}

static void expect_no_nvlink(struct weir__survey *survey)
{
    weir_machine *machine = machine_of(survey);
    assert_int_equal(hops_of(machine, WEIR_HOP_NVLINK), 0);
    assert_int_equal(weir_machine_node_count(machine), 2 + 2);
    weir_machine_destroy(machine);
}

static void nothing_else_means_an_nvswitch(void **state)
{
    (void)state;
    struct weir__survey *survey = survey_of(2, "NVIDIA H200", 9);
    survey->atomics[1][0] = 0;
    expect_no_nvlink(survey);
    survey = survey_of(2, "NVIDIA H200", 9);
    survey->atomics[0][1] = 0;
    expect_no_nvlink(survey);
    survey = survey_of(2, "NVIDIA H200", 9);
    survey->reaches[0][1] = 0;
    expect_no_nvlink(survey);
    survey = survey_of(2, "NVIDIA L40S", 8);
    survey->found[0].facts.minor = survey->found[1].facts.minor = 9; /* has no NVLink at all */
    expect_no_nvlink(survey);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_on_an_nvswitch),
        cmocka_unit_test(generation_follows_the_gpu),
        cmocka_unit_test(gpus_linked_to_each_other),
        cmocka_unit_test(native_atomics_mean_an_nvswitch),
        cmocka_unit_test(each_clique_has_its_own),
        cmocka_unit_test(nothing_else_means_an_nvswitch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
