/** @file test_numa.c  NUMA nodes and root ports, of machines written down and of this one. */
#include "tests/lib/support.h"

#include "runtime/numa.h"

#include <string.h>

/* Two sockets of two cores. On the first: a GPU on a bus of the host, a pair of GPUs below a
 * switch, a network card next to them. On the second: a GPU below a root port. */
static const char two_sockets[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<!DOCTYPE topology SYSTEM 'hwloc2.dtd'>\n"
    "<topology version='2.0'>\n"
    "<object type='Machine' os_index='0' cpuset='0xf' complete_cpuset='0xf' allowed_cpuset='0xf'"
    " nodeset='0x3' complete_nodeset='0x3' allowed_nodeset='0x3' gp_index='1'>\n"
    "<object type='Package' os_index='0' cpuset='0x3' complete_cpuset='0x3' nodeset='0x1'"
    " complete_nodeset='0x1' gp_index='2'>\n"
    "<object type='NUMANode' os_index='0' cpuset='0x3' complete_cpuset='0x3' nodeset='0x1'"
    " complete_nodeset='0x1' gp_index='3' local_memory='1000000'/>\n"
    "<object type='Core' os_index='0' cpuset='0x1' complete_cpuset='0x1' nodeset='0x1'"
    " complete_nodeset='0x1' gp_index='4'>"
    "<object type='PU' os_index='0' cpuset='0x1' complete_cpuset='0x1' nodeset='0x1'"
    " complete_nodeset='0x1' gp_index='5'/></object>\n"
    "<object type='Core' os_index='1' cpuset='0x2' complete_cpuset='0x2' nodeset='0x1'"
    " complete_nodeset='0x1' gp_index='6'>"
    "<object type='PU' os_index='1' cpuset='0x2' complete_cpuset='0x2' nodeset='0x1'"
    " complete_nodeset='0x1' gp_index='7'/></object>\n"
    "<object type='Bridge' gp_index='20' bridge_type='0-1' depth='0' bridge_pci='0000:[00-1f]'>\n"
    "<object type='PCIDev' gp_index='21' pci_busid='0000:00:05.0'"
    " pci_type='0302 [10de:2335] [10de:18be] a1' pci_link_speed='0'/>\n"
    "<object type='Bridge' gp_index='22' bridge_type='1-1' depth='1' bridge_pci='0000:[01-05]'"
    " pci_busid='0000:00:01.0' pci_type='0604 [8086:347a] [0000:0000] 04' pci_link_speed='0'>\n"
    "<object type='Bridge' gp_index='23' bridge_type='1-1' depth='2' bridge_pci='0000:[02-05]'"
    " pci_busid='0000:01:00.0' pci_type='0604 [1000:c030] [0000:0000] b0' pci_link_speed='0'>\n"
    "<object type='PCIDev' gp_index='24' pci_busid='0000:03:00.0'"
    " pci_type='0302 [10de:2335] [10de:18be] a1' pci_link_speed='0'/>\n"
    "<object type='PCIDev' gp_index='25' pci_busid='0000:04:00.0'"
    " pci_type='0302 [10de:2335] [10de:18be] a1' pci_link_speed='0'/>\n"
    "<object type='PCIDev' gp_index='26' pci_busid='0000:05:00.0'"
    " pci_type='0200 [15b3:1021] [15b3:0041] 00' pci_link_speed='0'/>\n"
    "</object></object></object></object>\n"
    "<object type='Package' os_index='1' cpuset='0xc' complete_cpuset='0xc' nodeset='0x2'"
    " complete_nodeset='0x2' gp_index='8'>\n"
    "<object type='NUMANode' os_index='1' cpuset='0xc' complete_cpuset='0xc' nodeset='0x2'"
    " complete_nodeset='0x2' gp_index='9' local_memory='2000000'/>\n"
    "<object type='Core' os_index='2' cpuset='0x4' complete_cpuset='0x4' nodeset='0x2'"
    " complete_nodeset='0x2' gp_index='10'>"
    "<object type='PU' os_index='2' cpuset='0x4' complete_cpuset='0x4' nodeset='0x2'"
    " complete_nodeset='0x2' gp_index='11'/></object>\n"
    "<object type='Core' os_index='3' cpuset='0x8' complete_cpuset='0x8' nodeset='0x2'"
    " complete_nodeset='0x2' gp_index='12'>"
    "<object type='PU' os_index='3' cpuset='0x8' complete_cpuset='0x8' nodeset='0x2'"
    " complete_nodeset='0x2' gp_index='13'/></object>\n"
    "<object type='Bridge' gp_index='30' bridge_type='0-1' depth='0' bridge_pci='0000:[80-9f]'>\n"
    "<object type='Bridge' gp_index='31' bridge_type='1-1' depth='1' bridge_pci='0000:[9b-9b]'"
    " pci_busid='0000:80:01.0' pci_type='0604 [8086:347a] [0000:0000] 04' pci_link_speed='0'>\n"
    "<object type='PCIDev' gp_index='32' pci_busid='0000:9b:00.0'"
    " pci_type='0302 [10de:2335] [10de:18be] a1' pci_link_speed='0'/>\n"
    "</object></object></object></object></topology>\n";

/* hwloc wants double quotes, which are hard to read above. */
static struct hwloc_topology *load(const char *text, int with_pci)
{
    static char buffer[sizeof two_sockets];
    struct hwloc_topology *topology;
    size_t length = strlen(text);
    assert_true(length < sizeof buffer);
    for (size_t i = 0; i <= length; i++)
        buffer[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    topology = weir__numa_load(buffer, with_pci);
    assert_non_null(topology);
    return topology;
}

static void nodes_have_cores_and_memory(void **state)
{
    (void)state;
    for (int with_pci = 0; with_pci < 2; with_pci++) {
        struct hwloc_topology *topology = load(two_sockets, with_pci);
        struct weir__numa numa;
        weir__numa_read(topology, &numa);
        weir__numa_unload(topology);
        assert_int_equal(numa.count, 2);
        for (uint32_t n = 0; n < 2; n++) {
            assert_int_equal(numa.node[n].os_index, n);
            assert_int_equal(numa.node[n].cores, 2);
            assert_int_equal(numa.node[n].memory_bytes, (n + 1) * 1000000);
        }
    }
}

/* Cores, not the two threads of each; and fast memory on the package is no node of its own. */
static void memory_without_cores_is_no_node(void **state)
{
    (void)state;
    struct hwloc_topology *topology = load("pack:2 [numa] [numa] core:4 pu:2", 0);
    struct weir__numa numa;
    weir__numa_read(topology, &numa);
    weir__numa_unload(topology);
    assert_int_equal(numa.count, 2);
    assert_int_equal(numa.node[0].cores, 4);
    assert_int_equal(numa.node[1].cores, 4);
    assert_int_not_equal(numa.node[0].os_index, numa.node[1].os_index);
}

/* A socket may be divided, along caches or not. */
static void a_socket_may_have_several_nodes(void **state)
{
    (void)state;
    static const char *const texts[] = {"pack:2 l3:2 [numa] core:3 pu:1",
                                        "pack:2 group:2 [numa] core:3 pu:2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct hwloc_topology *topology = load(texts[i], 0);
        struct weir__numa numa;
        weir__numa_read(topology, &numa);
        weir__numa_unload(topology);
        assert_int_equal(numa.count, 4);
        for (uint32_t n = 0; n < 4; n++)
            assert_int_equal(numa.node[n].cores, 3);
    }
}

static void more_nodes_than_there_is_room_for(void **state)
{
    (void)state;
    struct hwloc_topology *topology = load("pack:70 [numa] core:1 pu:1", 0);
    struct weir__numa numa;
    weir__numa_read(topology, &numa);
    weir__numa_unload(topology);
    assert_int_equal(numa.count, sizeof numa.node / sizeof *numa.node);
}

static void gpus_are_next_to_their_socket(void **state)
{
    (void)state;
    static const struct {
        const char *bus;
        uint32_t numa;
    } expected[] = {{"0000:00:05.0", 0}, {"0000:03:00.0", 0}, {"0000:9b:00.0", 1},
                    {"0000:9c:00.0", 0}, {"no bus", 0},       {"", 0}};
    struct hwloc_topology *topology = load(two_sockets, 1);
    struct weir__numa numa;
    weir__numa_read(topology, &numa);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(weir__numa_find(topology, &numa, expected[i].bus), expected[i].numa);
    assert_int_equal(weir__numa_find_node(topology, &numa, "0000:03:00.0"), 0);
    assert_int_equal(weir__numa_find_node(topology, &numa, "0000:9b:00.0"), 1);
    assert_int_equal(weir__numa_find_node(topology, &numa, "no bus"), -1);
    assert_int_equal(weir__numa_find_node(topology, &numa, ""), -1);
    weir__numa_unload(topology);
    assert_int_equal(weir__numa_find(NULL, &numa, "0000:9b:00.0"), 0);
    assert_int_equal(weir__numa_find_node(NULL, &numa, "0000:9b:00.0"), -1);
}

/* The home node comes first, so a position is not an operating system's number. */
static void positions_follow_the_list_of_nodes(void **state)
{
    (void)state;
    static const struct weir__numa turned = {2, {{1, 2, 0}, {0, 2, 0}}};
    struct hwloc_topology *topology = load(two_sockets, 1);
    assert_int_equal(weir__numa_find(topology, &turned, "0000:03:00.0"), 1);
    assert_int_equal(weir__numa_find(topology, &turned, "0000:9b:00.0"), 0);
    assert_int_equal(weir__numa_find_node(topology, &turned, "0000:9b:00.0"), 1);
    weir__numa_unload(topology);
}

static void root_is_the_topmost_port(void **state)
{
    (void)state;
    static const struct {
        const char *bus, *root;
    } expected[] = {{"0000:03:00.0", "0000:00:01.0"},
                    {"0000:04:00.0", "0000:00:01.0"},
                    {"0000:9b:00.0", "0000:80:01.0"},
                    {"0000:00:05.0", NULL},
                    {"0000:9c:00.0", NULL}};
    struct hwloc_topology *topology = load(two_sockets, 1);
    char root[16], small[12];
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int known = weir__pci_root_find(topology, expected[i].bus, root, sizeof root);
        assert_int_equal(known, expected[i].root != NULL);
        if (known)
            assert_string_equal(root, expected[i].root);
    }
    assert_false(weir__pci_root_find(topology, "0000:03:00.0", small, sizeof small));
    weir__numa_unload(topology);
    assert_false(weir__pci_root_find(NULL, "0000:03:00.0", root, sizeof root));
}

static void a_system_that_tells_nothing_has_one_node(void **state)
{
    (void)state;
    struct weir__numa numa;
    assert_null(weir__numa_load("no such: thing", 0));
    assert_null(weir__numa_load("<nonsense/>", 1));
    weir__numa_read(NULL, &numa);
    assert_int_equal(numa.count, 1);
    assert_int_equal(numa.node[0].cores, weir__cores());
    assert_true(numa.node[0].memory_bytes > 0);
}

static void this_system_is_read_once(void **state)
{
    (void)state;
    struct weir__numa first, second;
    char root[16];
    weir__numa_get(&first);
    weir__numa_get(&second);
    assert_memory_equal(&first, &second, sizeof first);
    assert_in_range(first.count, 1, sizeof first.node / sizeof *first.node);
    for (uint32_t n = 0; n < first.count; n++) {
        assert_true(first.node[n].cores > 0);
        for (uint32_t other = 0; other < n; other++)
            assert_int_not_equal(first.node[n].os_index, first.node[other].os_index);
    }
    assert_int_equal(weir__numa_of_bus(""), 0);
    assert_int_equal(weir__numa_of_bus("ffff:ff:1f.7"), 0);
    assert_false(weir__pci_root_of("ffff:ff:1f.7", root, sizeof root));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_have_cores_and_memory),
        cmocka_unit_test(memory_without_cores_is_no_node),
        cmocka_unit_test(a_socket_may_have_several_nodes),
        cmocka_unit_test(more_nodes_than_there_is_room_for),
        cmocka_unit_test(gpus_are_next_to_their_socket),
        cmocka_unit_test(positions_follow_the_list_of_nodes),
        cmocka_unit_test(root_is_the_topmost_port),
        cmocka_unit_test(a_system_that_tells_nothing_has_one_node),
        cmocka_unit_test(this_system_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
