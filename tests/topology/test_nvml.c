/** @file test_nvml.c  What is made of NVML's answers, with a management library that is made up. */
#include "tests/lib/support.h"

#include "topology/nvml.h"

#include <stdio.h>
#include <string.h>

/* ---- a made-up library: eight GPUs, each with as many links as link_count -------------------- */

#define GPUS 8
#define FAIL 3 /* NVML_ERROR_NOT_SUPPORTED */

static struct {
    unsigned active, version, generation, lanes;
    unsigned link_count;
    int remote_fails, type_fails;
    struct {
        unsigned type, domain, bus;
    } link[GPUS][64];
} fake;
static char handles[GPUS]; /* a device is the address of one of them */

static int fake_device(const char *bus, void **device_out)
{
    unsigned number;
    if (sscanf(bus, "0000:%x:00.0", &number) != 1 || number < 0x1a || number >= 0x1a + GPUS)
        return 6;
    *device_out = &handles[number - 0x1a];
    return 0;
}

static unsigned number_of(void *device)
{
    return (unsigned)((char *)device - handles);
}

static int fake_state(void *device, unsigned link, unsigned *active_out)
{
    (void)device;
    if (link >= fake.link_count)
        return 2; /* NVML_ERROR_INVALID_ARGUMENT */
    *active_out = fake.active;
    return 0;
}

static int fake_version(void *device, unsigned link, unsigned *version_out)
{
    (void)device, (void)link;
    *version_out = fake.version;
    return 0;
}

static int fake_remote(void *device, unsigned link, struct weir__nvml_pci *remote_out)
{
    unsigned bus = fake.link[number_of(device)][link].bus;
    if (fake.remote_fails)
        return FAIL;
    memset(remote_out, 'x', sizeof *remote_out); /* no text is terminated */
    remote_out->domain = fake.link[number_of(device)][link].domain;
    remote_out->bus = bus;
    remote_out->device = 0;
    return 0;
}

static int fake_type(void *device, unsigned link, unsigned *type_out)
{
    *type_out = fake.link[number_of(device)][link].type;
    return fake.type_fails ? FAIL : 0;
}

static int fake_generation(void *device, unsigned *out)
{
    (void)device;
    *out = fake.generation;
    return 0;
}

static int fake_width(void *device, unsigned *out)
{
    (void)device;
    *out = fake.lanes;
    return 0;
}

static const struct weir__nvml_api whole = {fake_device, fake_state,      fake_version, fake_remote,
                                            fake_type,   fake_generation, fake_width};

/* An H200 in an NVSwitch node: 18 links of version 4.0 (which NVML counts as 6), PCIe 5 x16. */
static void fake_switch_node(void)
{
    memset(&fake, 0, sizeof fake);
    fake.active = 1, fake.version = 6, fake.generation = 5, fake.lanes = 16, fake.link_count = 18;
    for (unsigned g = 0; g < GPUS; g++)
        for (unsigned link = 0; link < 18; link++) {
            fake.link[g][link].type = WEIR__NVML_SWITCH;
            fake.link[g][link].bus = link % 4;
        }
}

/* A DGX-1V: six links of version 2.0, two of them to each of two GPUs and one to each of two. */
static const unsigned dgx1v[GPUS][6] = {{1, 2, 3, 3, 4, 4}, {0, 2, 2, 3, 5, 5}, {0, 1, 1, 3, 3, 6},
                                        {0, 0, 1, 2, 2, 7}, {0, 0, 5, 6, 7, 7}, {1, 1, 4, 6, 6, 7},
                                        {2, 4, 5, 5, 7, 7}, {3, 4, 4, 5, 6, 6}};

static void fake_dgx1v(void)
{
    memset(&fake, 0, sizeof fake);
    fake.active = 1, fake.version = 2, fake.generation = 3, fake.lanes = 16, fake.link_count = 6;
    for (unsigned g = 0; g < GPUS; g++)
        for (unsigned link = 0; link < 6; link++)
            fake.link[g][link].bus = 0x1a + dgx1v[g][link];
}

static struct weir__nvlinks ask(const struct weir__nvml_api *api, unsigned gpu)
{
    struct weir__nvlinks links;
    char bus[16];
    memset(&links, 0xff, sizeof links);
    snprintf(bus, sizeof bus, "0000:%02x:00.0", 0x1a + gpu);
    weir__nvml_links_with(api, bus, &links);
    return links;
}

static unsigned links_to(const struct weir__nvlinks *links, unsigned gpu)
{
    char bus[16];
    snprintf(bus, sizeof bus, "0000:%02x:00.0", 0x1a + gpu);
    for (uint32_t p = 0; p < links->peer_count; p++)
        if (!strcmp(links->peer[p].bus, bus))
            return links->peer[p].links;
    return 0;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void links_to_switches_are_counted(void **state)
{
    (void)state;
    fake_switch_node();
    for (unsigned g = 0; g < GPUS; g++) {
        struct weir__nvlinks links = ask(&whole, g);
        assert_int_equal(links.to_switch, 18);
        assert_int_equal(links.peer_count, 0);
        assert_int_equal(links.generation, 4);
        assert_int_equal(links.pcie_generation, 5);
        assert_int_equal(links.pcie_lanes, 16);
    }
}

static void check_dgx1v(const struct weir__nvml_api *api)
{
    for (unsigned g = 0; g < GPUS; g++) {
        struct weir__nvlinks links = ask(api, g);
        assert_int_equal(links.to_switch, 0);
        assert_int_equal(links.peer_count, 4);
        assert_int_equal(links.generation, 2);
        for (unsigned to = 0; to < GPUS; to++) {
            unsigned expected = 0;
            for (unsigned link = 0; link < 6; link++)
                expected += dgx1v[g][link] == to;
            assert_int_equal(links_to(&links, to), expected);
        }
    }
}

static void links_between_gpus_are_counted_by_peer(void **state)
{
    (void)state;
    fake_dgx1v();
    check_dgx1v(&whole);
}

/* Old libraries do not say what is at the far end; that it is a GPU shows from its bus id. */
static void far_ends_are_told_by_their_bus(void **state)
{
    (void)state;
    struct weir__nvml_api old = whole;
    fake_dgx1v();
    fake.type_fails = 1;
    check_dgx1v(&whole);
    old.link_remote_type = NULL;
    fake_dgx1v();
    check_dgx1v(&old);
    fake_switch_node();
    assert_int_equal(ask(&old, 0).to_switch, 18);
}

static void a_gpu_without_nvlink_has_its_pcie_link(void **state)
{
    (void)state;
    fake_dgx1v();
    fake.link_count = 0;
    struct weir__nvlinks links = ask(&whole, 3);
    assert_int_equal(links.to_switch + links.peer_count + links.generation, 0);
    assert_int_equal(links.pcie_generation, 3);
    assert_int_equal(links.pcie_lanes, 16);
}

static void links_that_are_down_do_not_count(void **state)
{
    (void)state;
    fake_switch_node();
    fake.active = 0;
    assert_int_equal(ask(&whole, 0).to_switch, 0);
    fake.active = 77; /* neither up nor down */
    assert_int_equal(ask(&whole, 0).to_switch, 0);
}

static void nonsense_is_unknown(void **state)
{
    (void)state;
    fake_switch_node();
    fake.version = 99, fake.generation = 0xffffffff, fake.lanes = 4096, fake.link_count = 64;
    for (unsigned link = 0; link < 64; link++) {
        fake.link[0][link].domain = 0xffffffff;
        fake.link[0][link].type = WEIR__NVML_GPU;
        fake.link[1][link].type = 41;
        fake.link[2][link].type = WEIR__NVML_GPU;
        fake.link[2][link].bus = link; /* each to another, and some beyond any bus */
    }
    struct weir__nvlinks links = ask(&whole, 0);
    assert_int_equal(links.to_switch + links.peer_count, 0);
    assert_int_equal(links.generation + links.pcie_generation + links.pcie_lanes, 0);
    links = ask(&whole, 1);
    assert_int_equal(links.to_switch + links.peer_count, 0);
    links = ask(&whole, 2);
    assert_in_range(links.peer_count, 18, WEIR_DEVICES_MAX);
    for (uint32_t p = 0; p < links.peer_count; p++)
        assert_int_equal(links.peer[p].links, 1);
}

/* Switches count even if their address is withheld, as in virtual machines; GPUs cannot. */
static void withheld_addresses(void **state)
{
    (void)state;
    fake_switch_node();
    fake.remote_fails = 1;
    assert_int_equal(ask(&whole, 0).to_switch, 18);
    fake_dgx1v();
    fake.remote_fails = 1;
    assert_int_equal(ask(&whole, 0).peer_count, 0);
    fake.type_fails = 1;
    assert_int_equal(ask(&whole, 0).to_switch, 0);
}

static void missing_entry_points_leave_their_figure_unknown(void **state)
{
    (void)state;
    static const struct weir__nvml_api none = {0};
    struct weir__nvml_api some = {.device_by_bus = fake_device, .link_state = fake_state};
    struct weir__nvlinks zero, links;
    memset(&zero, 0, sizeof zero);
    fake_switch_node();
    links = ask(&none, 0);
    assert_memory_equal(&links, &zero, sizeof zero);
    links = ask(&some, 0); /* links, but nobody says where to */
    assert_memory_equal(&links, &zero, sizeof zero);
    some.link_remote_type = fake_type;
    assert_int_equal(ask(&some, 0).to_switch, 18);
    assert_int_equal(ask(&some, 0).generation, 0);
    some.link_state = NULL;
    assert_int_equal(ask(&some, 0).to_switch, 0);
}

static void an_unknown_bus_has_nothing(void **state)
{
    (void)state;
    static const char *const buses[] = {"ffff:ff:1f.7", "", "no bus"};
    struct weir__nvlinks zero, links;
    memset(&zero, 0, sizeof zero);
    fake_switch_node();
    for (size_t i = 0; i < sizeof buses / sizeof *buses; i++) {
        memset(&links, 0xff, sizeof links);
        weir__nvml_links_with(&whole, buses[i], &links);
        assert_memory_equal(&links, &zero, sizeof zero);
        for (int turn = 0; turn < 2; turn++) { /* asked of this system, then as kept */
            memset(&links, 0xff, sizeof links);
            weir__nvml_links(buses[i], &links);
            assert_memory_equal(&links, &zero, sizeof zero);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_to_switches_are_counted),
        cmocka_unit_test(links_between_gpus_are_counted_by_peer),
        cmocka_unit_test(far_ends_are_told_by_their_bus),
        cmocka_unit_test(a_gpu_without_nvlink_has_its_pcie_link),
        cmocka_unit_test(links_that_are_down_do_not_count),
        cmocka_unit_test(nonsense_is_unknown),
        cmocka_unit_test(withheld_addresses),
        cmocka_unit_test(missing_entry_points_leave_their_figure_unknown),
        cmocka_unit_test(an_unknown_bus_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
