/** @file machine_fabric.c  What a spec's fabrics are made of.
 *
 * Devices are numbered socket by socket; host s is socket s. The usual figures are those of a node
 * of H200s: NVLink 4 with 18 links a GPU, PCIe 5 x16. "hetero" halves units, memory and memory
 * bandwidth of every second device, and the bandwidth of the last main hop. */
#include "topology/machine_spec.h"

#include <stdio.h>

#define PCIE_GENERATION 5
#define PCIE_LANES      16
/* A flag from an H200 to a CPU takes 1.7 us: a switch stands between, which specs leave out. */
#define PCIE_WHOLE_US 1.7

void weir__node_h200(weir_node *node)
{
    snprintf(node->name, sizeof node->name, "NVIDIA H200");
    node->units = 132;
    node->copy_engines = 3;
    node->memory_bytes = (uint64_t)140 << 30;
    node->memory_gbs = 3970;
}

static uint32_t devices_of(const struct weir__spec *spec)
{
    return spec->sockets * spec->devices;
}

static uint32_t host_of(const struct weir__spec *spec, uint32_t device)
{
    return devices_of(spec) + device / spec->devices;
}

static uint32_t first_switch(const struct weir__spec *spec)
{
    return devices_of(spec) + spec->sockets;
}

/* A hop of the fabric itself; the options are about these. */
static weir_status main_hop(const struct weir__spec *spec, weir_machine *machine, uint32_t a,
                            uint32_t b, double latency_us)
{
    return weir__machine_add_hop(
        machine, (weir_hop){.kind = spec->fabric->kind,
                            .a = a,
                            .b = b,
                            .generation = spec->generation,
                            .count = spec->links,
                            .bandwidth_gbs = spec->gbs,
                            .latency_us = spec->latency_us > 0 ? spec->latency_us : latency_us});
}

/* The link to the host of a GPU whose fabric is something faster. */
static weir_status host_links(const struct weir__spec *spec, weir_machine *machine)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < devices_of(spec) && !status; d++)
        status = weir__machine_add_hop(machine, (weir_hop){.kind = WEIR_HOP_PCIE,
                                                           .a = d,
                                                           .b = host_of(spec, d),
                                                           .generation = PCIE_GENERATION,
                                                           .count = PCIE_LANES,
                                                           .latency_us = PCIE_WHOLE_US});
    return status;
}

static weir_status join_nvswitch(const struct weir__spec *spec, weir_machine *machine)
{
    weir_status status = host_links(spec, machine);
    snprintf(machine->node[first_switch(spec)].name, sizeof machine->node->name, "NVSwitch");
    for (uint32_t d = 0; d < devices_of(spec) && !status; d++)
        status = main_hop(spec, machine, d, first_switch(spec), 0);
    return status;
}

static weir_status join_nvlink(const struct weir__spec *spec, weir_machine *machine)
{
    weir_status status = host_links(spec, machine);
    for (uint32_t a = 0; a < devices_of(spec); a++)
        for (uint32_t b = a + 1; b < devices_of(spec) && !status; b++)
            status = main_hop(spec, machine, a, b, 0);
    return status;
}

static weir_status join_host(const struct weir__spec *spec, weir_machine *machine)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < devices_of(spec) && !status; d++)
        status = main_hop(spec, machine, d, host_of(spec, d), 0);
    return status;
}

static weir_status join_pcie(const struct weir__spec *spec, weir_machine *machine)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < devices_of(spec) && !status; d++)
        status = main_hop(spec, machine, d, host_of(spec, d), PCIE_WHOLE_US);
    return status;
}

static uint32_t boards_of(const struct weir__spec *spec)
{
    return (spec->devices + 1) / 2;
}

static uint32_t tree_switches(const struct weir__spec *spec)
{
    return spec->sockets * (1 + boards_of(spec));
}

/* Switches first, GPUs last: the last main hop is a GPU's. */
static weir_status join_pcie_tree(const struct weir__spec *spec, weir_machine *machine)
{
    weir_status status = WEIR_OK;
    uint32_t boards = boards_of(spec);
    for (uint32_t s = 0; s < spec->sockets && !status; s++) {
        uint32_t top = first_switch(spec) + s * (1 + boards);
        snprintf(machine->node[top].name, sizeof machine->node->name, "PCIe switch");
        status = main_hop(spec, machine, devices_of(spec) + s, top, 0);
        for (uint32_t b = 0; b < boards && !status; b++) {
            snprintf(machine->node[top + 1 + b].name, sizeof machine->node->name, "board switch");
            status = main_hop(spec, machine, top, top + 1 + b, 0);
        }
        for (uint32_t d = 0; d < spec->devices && !status; d++)
            status = main_hop(spec, machine, s * spec->devices + d, top + 1 + d / 2, 0);
    }
    return status;
}

static uint32_t no_switch(const struct weir__spec *spec)
{
    (void)spec;
    return 0;
}

static uint32_t one_switch(const struct weir__spec *spec)
{
    (void)spec;
    return 1;
}

static int all_reach(const struct weir__spec *spec, uint32_t a, uint32_t b)
{
    (void)spec, (void)a, (void)b;
    return 1;
}

/* PCIe peers do not go through the link between sockets. */
static int socket_reaches(const struct weir__spec *spec, uint32_t a, uint32_t b)
{
    return host_of(spec, a) == host_of(spec, b);
}

const struct weir__fabric weir__fabrics[WEIR__FABRICS] = {
    {
        .name = "nvswitch",
        .kind = WEIR_HOP_NVLINK,
        .generation = 4,
        .generation_most = 5,
        .links = 18,
        .links_most = 32,
        .atomics = 1,
        .switches = one_switch,
        .join = join_nvswitch,
        .reaches = all_reach,
    },
    {
        .name = "nvlink",
        .kind = WEIR_HOP_NVLINK,
        .generation = 4,
        .generation_most = 5,
        .links = 4,
        .links_most = 32,
        .atomics = 1,
        .switches = no_switch,
        .join = join_nvlink,
        .reaches = all_reach,
    },
    {
        .name = "pcie",
        .kind = WEIR_HOP_PCIE,
        .generation = 5,
        .generation_most = 6,
        .links = 16,
        .links_most = 32,
        .switches = no_switch,
        .join = join_pcie,
        .reaches = socket_reaches,
    },
    {
        .name = "pcie-tree",
        .kind = WEIR_HOP_PCIE,
        .generation = 5,
        .generation_most = 6,
        .links = 16,
        .links_most = 32,
        .switches = tree_switches,
        .join = join_pcie_tree,
        .reaches = socket_reaches,
    },
    {
        .name = "host",
        .kind = WEIR_HOP_MEMORY,
        .atomics = 1,
        .switches = no_switch,
        .join = join_host,
        .reaches = all_reach,
    },
};

static void describe_devices(const struct weir__spec *spec, weir_machine *machine)
{
    for (uint32_t d = 0; d < machine->devices; d++) {
        weir_node *node = &machine->node[d];
        if (spec->fabric->kind == WEIR_HOP_MEMORY) {
            snprintf(node->name, sizeof node->name, "host device");
            node->units = 4;
            node->memory_bytes = (uint64_t)16 << 30;
            /* a copy reads and writes every byte */
            node->memory_gbs = 2 * weir__hop_gbs(WEIR_HOP_MEMORY, 0, 1);
        } else {
            weir__node_h200(node);
        }
        if (spec->hetero && d % 2) {
            node->units /= 2;
            node->memory_bytes /= 2;
            node->memory_gbs /= 2;
        }
    }
    for (uint32_t h = 0; h < machine->hosts; h++)
        snprintf(machine->node[machine->devices + h].name, sizeof machine->node->name, "socket %u",
                 h);
}

static weir_status join_sockets(const struct weir__spec *spec, weir_machine *machine)
{
    weir_status status = WEIR_OK;
    uint32_t first = devices_of(spec);
    for (uint32_t a = 0; a < spec->sockets; a++)
        for (uint32_t b = a + 1; b < spec->sockets && !status; b++)
            status = weir__machine_add_hop(
                machine,
                (weir_hop){.kind = WEIR_HOP_SOCKET, .a = first + a, .b = first + b, .count = 2});
    return status;
}

static void connect(const struct weir__spec *spec, weir_machine *machine)
{
    if (spec->nopeer)
        return;
    for (uint32_t a = 0; a < machine->devices; a++)
        for (uint32_t b = a + 1; b < machine->devices; b++)
            if (spec->fabric->reaches(spec, a, b))
                weir__machine_connect(machine, a, b, spec->fabric->atomics);
}

weir_status weir__machine_build(const struct weir__spec *spec, const char *name,
                                weir_machine **machine_out)
{
    weir_machine *machine;
    const struct weir__fabric *fabric = spec->fabric;
    weir_status status =
        weir__machine_create(name, fabric->kind == WEIR_HOP_MEMORY ? "host" : "gpu",
                             devices_of(spec), spec->sockets, fabric->switches(spec), &machine);
    *machine_out = NULL;
    if (status)
        return status;
    describe_devices(spec, machine);
    connect(spec, machine);
    status = fabric->join(spec, machine);
    if (!status && spec->hetero)
        machine->hop[machine->hops - 1].bandwidth_gbs /= 2;
    if (!status)
        status = join_sockets(spec, machine);
    if (!status)
        status = weir__machine_finish(machine);
    if (status)
        weir_machine_destroy(machine);
    else
        *machine_out = machine;
    return status;
}
