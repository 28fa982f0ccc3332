/** @file test_machine_spec.c  The grammar of specs, and the machines they describe. */
#include "tests/topology/machine_fixture.h"

#include <stdio.h>

static uint32_t hops_of(const weir_machine *machine, weir_hop_kind kind)
{
    uint32_t count = 0;
    for (uint32_t h = 0; h < weir_machine_hop_count(machine); h++)
        count += weir_machine_hop(machine, h)->kind == kind;
    return count;
}

static const weir_hop *first_hop(const weir_machine *machine, weir_hop_kind kind)
{
    uint32_t h = 0;
    while (weir_machine_hop(machine, h) && weir_machine_hop(machine, h)->kind != kind)
        h++;
    assert_non_null(weir_machine_hop(machine, h));
    return weir_machine_hop(machine, h);
}

struct shape {
    const char *spec;
    uint32_t devices, hosts, nodes;
    uint32_t hops[4]; /* by kind */
};

static const struct shape shapes[] = {
    {"8*nvswitch", 8, 1, 10, {8, 8, 0, 0}},
    {"2x4*nvswitch", 8, 2, 11, {8, 8, 1, 0}},
    {"1*nvswitch", 1, 1, 3, {1, 1, 0, 0}},
    {"5*nvlink", 5, 1, 6, {10, 5, 0, 0}},
    {"2*pcie,hetero", 2, 1, 3, {0, 2, 0, 0}},
    {"2x3*pcie", 6, 2, 8, {0, 6, 1, 0}},
    {"2x4*pcie-tree", 8, 2, 16, {0, 14, 1, 0}},
    {"5*pcie-tree", 5, 1, 10, {0, 9, 0, 0}},
    {"4x2*host", 8, 4, 12, {0, 0, 6, 8}},
    {"64*nvswitch", 64, 1, 66, {64, 64, 0, 0}},
    {"64x1*nvlink", 64, 64, 128, {2016, 64, 2016, 0}},  /* as many hops as there may be */
    {"64x1*pcie-tree", 64, 64, 256, {0, 192, 2016, 0}}, /* and as many nodes */
};

static void shapes_of_fabrics(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        weir_machine *machine = open_machine(shapes[i].spec);
        assert_string_equal(weir_machine_name(machine), shapes[i].spec);
        assert_int_equal(weir_machine_device_count(machine), shapes[i].devices);
        assert_int_equal(weir_machine_host_count(machine), shapes[i].hosts);
        assert_int_equal(weir_machine_node_count(machine), shapes[i].nodes);
        for (int kind = 0; kind < 4; kind++)
            assert_int_equal(hops_of(machine, (weir_hop_kind)kind), shapes[i].hops[kind]);
        weir_machine_destroy(machine);
    }
}

/* Every pair within `group` consecutive devices reaches each other, no other pair does. */
static void check_reach(const char *spec, uint32_t group, int atomics)
{
    weir_machine *machine = open_machine(spec);
    uint32_t count = weir_machine_device_count(machine);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++) {
            const weir_pair *pair = weir_machine_pair(machine, a, b);
            int reaches = a / group == b / group;
            assert_int_equal(pair->reaches, reaches);
            assert_int_equal(pair->atomics, a == b || (reaches && atomics));
        }
    for (uint32_t a = 0; a < count; a++)
        assert_true(weir_machine_pair(machine, a, count)->reaches &&
                    weir_machine_pair(machine, count, a)->reaches);
    weir_machine_destroy(machine);
}

static void who_reaches_whom(void **state)
{
    (void)state;
    check_reach("2x4*nvswitch", 8, 1);
    check_reach("2x2*nvlink", 4, 1);
    check_reach("2x4*pcie", 4, 0);
    check_reach("2x4*pcie-tree", 4, 0);
    check_reach("2x2*host", 4, 1);
    check_reach("4*nvswitch,nopeer", 1, 0);
    check_reach("2x2*pcie,nopeer", 1, 0);
}

static void usual_figures(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("8*nvswitch");
    const weir_hop *nvlink = first_hop(machine, WEIR_HOP_NVLINK);
    const weir_hop *pcie = first_hop(machine, WEIR_HOP_PCIE);
    assert_int_equal(nvlink->generation, 4);
    assert_int_equal(nvlink->count, 18);
    assert_float_equal(nvlink->bandwidth_gbs, 397, 1e-6);
    assert_int_equal(pcie->generation, 5);
    assert_int_equal(pcie->count, 16);
    assert_float_equal(pcie->bandwidth_gbs, 55, 1e-6);
    assert_float_equal(weir_machine_node(machine, 7)->memory_gbs, 3970, 1e-6);
    weir_machine_destroy(machine);
}

static void options_change_main_hops(void **state)
{
    (void)state;
    weir_machine *plain = open_machine("2*nvlink");
    weir_machine *machine = open_machine("2*nvlink,latency:2.25,gbs:48.5,links:2,gen:3");
    const weir_hop *nvlink = first_hop(machine, WEIR_HOP_NVLINK);
    assert_int_equal(nvlink->generation, 3);
    assert_int_equal(nvlink->count, 2);
    assert_same(nvlink->bandwidth_gbs, 48.5);
    assert_same(nvlink->latency_us, 2.25);
    assert_hops_equal(first_hop(machine, WEIR_HOP_PCIE), first_hop(plain, WEIR_HOP_PCIE));
    weir_machine_destroy(machine);
    weir_machine_destroy(plain);
    machine = open_machine("2*pcie,gen:3,links:8");
    assert_float_equal(first_hop(machine, WEIR_HOP_PCIE)->bandwidth_gbs, 6.4, 1e-9);
    weir_machine_destroy(machine);
}

static void hetero_halves(void **state)
{
    (void)state;
    static const char *const specs[] = {"3*pcie,hetero", "3*nvswitch,hetero", "3*nvlink,hetero",
                                        "3*pcie-tree,hetero", "3*host,hetero"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        weir_machine *machine = open_machine(specs[i]);
        const weir_node *whole = weir_machine_node(machine, 0),
                        *half = weir_machine_node(machine, 1);
        const weir_hop *last = weir_machine_hop(machine, weir_machine_hop_count(machine) - 1);
        assert_int_equal(half->units, whole->units / 2);
        assert_int_equal(half->memory_bytes, whole->memory_bytes / 2);
        assert_same(half->memory_gbs, whole->memory_gbs / 2);
        assert_int_equal(weir_machine_node(machine, 2)->units, whole->units);
        assert_true(last->a == 2 || last->b == 2);
        assert_same(last->bandwidth_gbs, first_hop(machine, last->kind)->bandwidth_gbs / 2);
        weir_machine_destroy(machine);
    }
}

struct wrong {
    const char *spec, *sentence;
};

#define OPTIONS "; there are hetero, nopeer, gen:N, links:N, gbs:F, latency:F"
#define FABRICS "; there are nvswitch, nvlink, pcie, pcie-tree, host"
#define GBS     "GB/s from 0.001 to 1000000, such as 12 or 12.5, are expected at column "

static const struct wrong wrongs[] = {
    {"8*nvswich", "unknown fabric 'nvswich' at column 3" FABRICS},
    {"8*", "unknown fabric '' at column 3" FABRICS},
    {"8*pcie-", "unknown fabric 'pcie-' at column 3" FABRICS},
    {"8 *pcie", "'*' and a fabric are expected at column 2"},
    {"8", "'*' and a fabric are expected at column 2"},
    {"2x4", "'*' and a fabric are expected at column 4"},
    {"2x*pcie", "a number of devices from 1 to 64 is expected at column 3"},
    {"2x-4*pcie", "a number of devices from 1 to 64 is expected at column 3"},
    {"0*pcie", "a number of devices from 1 to 64 is expected at column 1"},
    {"65*pcie", "a number of devices from 1 to 64 is expected at column 1"},
    {"0x4*pcie", "a number of sockets from 1 to 64 is expected at column 1"},
    {"4294967297x1*pcie", "a number of sockets from 1 to 64 is expected at column 1"},
    {"1x18446744073709551617*pcie", "a number of devices from 1 to 64 is expected at column 3"},
    {"9x8*pcie", "9 sockets of 8 devices are more than 64 devices"},
    {"8*pcie,", "unknown option '' at column 8" OPTIONS},
    {"8*pcie,,nopeer", "unknown option '' at column 8" OPTIONS},
    {"8*pcie,fast", "unknown option 'fast' at column 8" OPTIONS},
    {"8*pcie,gen", "unknown option 'gen' at column 8" OPTIONS},
    {"8*pcie,nopeer:1", "unknown option 'nopeer:' at column 8" OPTIONS},
    {"8*pcie;nopeer", "',' or the end is expected at column 7"},
    {"8*pcie,nopeer,gen:4,nopeer", "the option 'nopeer' stands twice, at column 21"},
    {"8*pcie,gen:4,gen:4", "the option 'gen:' stands twice, at column 14"},
    {"1*pcie,hetero", "'hetero' at column 8 needs at least two devices"},
    {"8*pcie,gen:7", "the generation is a number from 1 to 6, at column 12"},
    {"8*nvlink,gen:6", "the generation is a number from 1 to 5, at column 14"},
    {"8*pcie,gen:", "the generation is a number from 1 to 6, at column 12"},
    {"8*pcie,links:0", "the number of links is a number from 1 to 32, at column 14"},
    {"8*pcie,links:4294967312", "the number of links is a number from 1 to 32, at column 14"},
    {"8*host,gen:4", "the fabric 'host' has no generation to set at column 8"},
    {"8*host,links:4", "the fabric 'host' has no number of links to set at column 8"},
    {"8*pcie,gbs:0", GBS "12"},
    {"8*pcie,gbs:-1", GBS "12"},
    {"8*pcie,gbs:nan", GBS "12"},
    {"8*pcie,gbs:inf", GBS "12"},
    {"8*pcie,gbs:.5", GBS "12"},
    {"8*pcie,gbs:5.", GBS "12"},
    {"8*pcie,gbs:1000001", GBS "12"},
    {"8*pcie,gbs:1.0000000000000001", GBS "12"},
    {"8*pcie,gbs:1e3", "',' or the end is expected at column 13"},
    {"8*pcie,gbs:1.2.3", "',' or the end is expected at column 15"},
    {"8*pcie,latency:0.0001", "microseconds from 0.001 to 1000000, such as 12 or 12.5, are "
                              "expected at column 16"},
};

static void wrong_specs_name_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        weir_machine *machine = (weir_machine *)&machine;
        char sentence[256];
        snprintf(sentence, sizeof sentence, "%s: %s", wrongs[i].spec, wrongs[i].sentence);
        STATUS(weir_machine_open(wrongs[i].spec, &machine), WEIR_ERR_INVALID);
        assert_null(machine);
        assert_detail(sentence);
    }
}

static void long_specs_are_refused(void **state)
{
    (void)state;
    char spec[400] = "8*pcie,gbs:";
    weir_machine *machine;
    memset(spec + strlen(spec), '1', sizeof spec - 12);
    STATUS(weir_machine_open(spec, &machine), WEIR_ERR_INVALID);
    assert_detail_has("at most 120 characters");
}

/* Whatever is typed, the answer is a machine or a sentence. */
static void mangled_specs(void **state)
{
    (void)state;
    static const char letters[] = "0123456789xX*,.:-; abcdehiklnoprstvw";
    static const char *const seeds[] = {"8*nvswitch", "2x4*pcie-tree,gen:3", "2*pcie,hetero,nopeer",
                                        "3x2*host,gbs:12.5,latency:0.5"};
    uint64_t random = 7;
    uint32_t good = 0, bad = 0;
    for (int round = 0; round < 4000; round++) {
        char spec[64];
        weir_machine *machine;
        strcpy(spec, seeds[next_random(&random) % 4]);
        for (uint64_t times = next_random(&random) % 3 + 1; times; times--)
            spec[next_random(&random) % strlen(spec)] =
                letters[next_random(&random) % (sizeof letters - 1)];
        weir_status status = weir__machine_from_spec(spec, &machine);
        assert_int_equal(status == WEIR_OK, machine != NULL);
        assert_true(status == WEIR_OK || status == WEIR_ERR_INVALID);
        if (status)
            assert_int_equal(strncmp(weir_error_detail(), spec, strlen(spec)), 0);
        good += !status;
        bad += status != 0;
        weir_machine_destroy(machine);
    }
    assert_true(good > 100 && bad > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_fabrics),      cmocka_unit_test(who_reaches_whom),
        cmocka_unit_test(usual_figures),          cmocka_unit_test(options_change_main_hops),
        cmocka_unit_test(hetero_halves),          cmocka_unit_test(wrong_specs_name_the_place),
        cmocka_unit_test(long_specs_are_refused), cmocka_unit_test(mangled_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
