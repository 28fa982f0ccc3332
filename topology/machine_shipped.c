/** @file machine_shipped.c  Machines that ship with weir, by name.
 *
 * Where each figure comes from stands in docs/machines.md. Memory bandwidths that nobody measured
 * are 80 % of the data sheet's. */
#include "topology/machine_spec.h"

#include <stdio.h>
#include <string.h>

static void describe(weir_node *node, const char *name, uint32_t units, double memory_gib,
                     double memory_gbs)
{
    snprintf(node->name, sizeof node->name, "%s", name);
    node->units = units;
    node->memory_bytes = (uint64_t)(memory_gib * (1 << 30));
    node->memory_gbs = memory_gbs;
}

static void describe_gpus(weir_machine *machine, const char *name, uint32_t units,
                          uint32_t copy_engines, double memory_gib, double memory_gbs)
{
    for (uint32_t d = 0; d < machine->devices; d++) {
        describe(&machine->node[d], name, units, memory_gib, memory_gbs);
        machine->node[d].copy_engines = copy_engines;
    }
}

static void describe_hosts(weir_machine *machine, const char *name, uint32_t cores,
                           double memory_gbs)
{
    for (uint32_t h = 0; h < machine->hosts; h++)
        describe(&machine->node[machine->devices + h], name, cores, 0, memory_gbs);
}

static weir_status pcie(weir_machine *machine, uint32_t a, uint32_t b, uint32_t generation,
                        double gbs)
{
    return weir__machine_add_hop(machine, (weir_hop){.kind = WEIR_HOP_PCIE,
                                                     .a = a,
                                                     .b = b,
                                                     .generation = generation,
                                                     .count = 16,
                                                     .bandwidth_gbs = gbs});
}

static weir_status qpi(weir_machine *machine, uint32_t a, uint32_t b, uint32_t links, double gbs)
{
    return weir__machine_add_hop(
        machine,
        (weir_hop){.kind = WEIR_HOP_SOCKET, .a = a, .b = b, .count = links, .bandwidth_gbs = gbs});
}

/* ---- m60: Groute, section 5 and Figure 1(a) -------------------------------------------------- */

enum {
    M60_GPUS = 8,
    M60_HOST = M60_GPUS,
    M60_ROOT = M60_HOST + 2,
    M60_QUAD,
    M60_BOARD = M60_QUAD + 2
};
/* A board's link to its quadruplet's switch is a little slower than a GPU's to its board's: what
 * leaves a board takes one switch more (assumed; the order is Figure 2(a)'s). */
#define M60_BOARD_GBS 12.0
/* Between boards a transfer goes up and down again, below what it gets to the CPU (assumed too). */
#define M60_ACROSS_GBS 10.4
/* Figure 2(b): packets of 1 MB cost a tenth more than one transfer, at some 12 GB/s, so each start costs
 * 8 us. Figure 2(d): kernels that forward by themselves are slightly faster (5 us is assumed). */
static const weir_overheads m60_overheads = {.copy_us = 8, .push_us = 5, .launch_us = 5};

static weir_status m60_hops(weir_machine *machine)
{
    weir_status status = WEIR_OK;
    for (uint32_t host = 0; host < 2 && !status; host++)
        status = qpi(machine, M60_HOST + host, M60_ROOT, 2, 32); /* two links at 8 GT/s */
    for (uint32_t quad = 0; quad < 2 && !status; quad++)
        status = pcie(machine, M60_ROOT, M60_QUAD + quad, 3, 0);
    for (uint32_t board = 0; board < 4 && !status; board++)
        status = pcie(machine, M60_QUAD + board / 2, M60_BOARD + board, 3, M60_BOARD_GBS);
    for (uint32_t gpu = 0; gpu < M60_GPUS && !status; gpu++)
        status = pcie(machine, gpu, M60_BOARD + gpu / 2, 3, 0);
    return status;
}

static void m60_pairs(weir_machine *machine)
{
    for (uint32_t a = 0; a < M60_GPUS; a++)
        for (uint32_t b = a + 1; b < M60_GPUS && b / 4 == a / 4; b++) {
            weir__machine_connect(machine, a, b, 0);
            if (a / 2 != b / 2)
                weir__machine_pair(machine, a, b)->bandwidth_gbs =
                    weir__machine_pair(machine, b, a)->bandwidth_gbs = M60_ACROSS_GBS;
        }
}

static weir_status make_m60(const char *name, weir_machine **machine_out)
{
    weir_status status = weir__machine_create(name, "gpu", M60_GPUS, 2, 7, machine_out);
    if (status)
        return status;
    weir_machine *machine = *machine_out;
    describe_gpus(machine, "Tesla M60", 16, 2, 8, 128);
    describe_hosts(machine, "Intel Xeon E5-2630 v3", 8, 47);
    snprintf(machine->node[M60_ROOT].name, sizeof machine->node->name, "PCIe root switch");
    for (uint32_t quad = 0; quad < 2; quad++)
        snprintf(machine->node[M60_QUAD + quad].name, sizeof machine->node->name,
                 "quadruplet switch");
    for (uint32_t board = 0; board < 4; board++)
        snprintf(machine->node[M60_BOARD + board].name, sizeof machine->node->name, "board switch");
    m60_pairs(machine);
    machine->overheads = m60_overheads;
    return m60_hops(machine);
}

/* ---- dgx1v: GUM, Figure 2 -------------------------------------------------------------------- */

#define NVLINK2_GBS 25.0 /* one link, each way, as GUM counts */

static weir_status dgx1v_nvlinks(weir_machine *machine)
{
    /* GUM's numbers: nvidia-smi's 0 1 2 3 4 5 6 7 are 0 1 2 3 6 7 4 5 here. */
    static const uint8_t cube_mesh[][3] = {
        {0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 6, 2}, {1, 2, 2}, {1, 3, 1}, {1, 7, 2}, {2, 3, 2},
        {2, 4, 1}, {3, 5, 1}, {4, 5, 2}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 1}};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof cube_mesh / sizeof *cube_mesh && !status; i++) {
        const uint8_t *link = cube_mesh[i];
        weir__machine_connect(machine, link[0], link[1], 1);
        status = weir__machine_add_hop(machine, (weir_hop){.kind = WEIR_HOP_NVLINK,
                                                           .a = link[0],
                                                           .b = link[1],
                                                           .generation = 2,
                                                           .count = link[2],
                                                           .bandwidth_gbs = NVLINK2_GBS * link[2]});
    }
    return status;
}

static weir_status make_dgx1v(const char *name, weir_machine **machine_out)
{
    const uint32_t gpus = 8, host = gpus, first = host + 2, switches = 4;
    weir_status status = weir__machine_create(name, "gpu", gpus, 2, switches, machine_out);
    if (status)
        return status;
    weir_machine *machine = *machine_out;
    describe_gpus(machine, "Tesla V100-SXM2", 80, 0, 16, 720);
    describe_hosts(machine, "Intel Xeon E5-2698 v4", 20, 61);
    status = dgx1v_nvlinks(machine);
    for (uint32_t gpu = 0; gpu < gpus && !status; gpu++)
        status = pcie(machine, gpu, first + gpu / 2, 3, 0);
    for (uint32_t s = 0; s < switches && !status; s++) {
        snprintf(machine->node[first + s].name, sizeof machine->node->name, "PCIe switch");
        status = pcie(machine, host + s / 2, first + s, 3, 0);
    }
    return status ? status : qpi(machine, host, host + 1, 2, 0);
}

/* ---- the others ------------------------------------------------------------------------------ */

static weir_status make_hetero2(const char *name, weir_machine **machine_out)
{
    weir_status status = weir__machine_create(name, "gpu", 2, 1, 0, machine_out);
    if (status)
        return status;
    weir_machine *machine = *machine_out;
    describe_gpus(machine, "Quadro M4000", 13, 2, 8, 154);
    describe(&machine->node[1], "Tesla K40c", 15, 12, 230);
    describe_hosts(machine, "Intel Xeon E5-2630", 6, 34);
    status = pcie(machine, 0, 2, 3, 0);
    return status ? status : pcie(machine, 1, 2, 3, 0);
}

static weir_status make_pcie4_nopeer(const char *name, weir_machine **machine_out)
{
    const uint32_t gpus = 4;
    weir_status status = weir__machine_create(name, "gpu", gpus, 1, 0, machine_out);
    if (status)
        return status;
    describe_gpus(*machine_out, "NVIDIA GeForce RTX 4090", 128, 2, 24, 806);
    describe_hosts(*machine_out, "socket", 0, 0);
    for (uint32_t gpu = 0; gpu < gpus && !status; gpu++)
        status = pcie(*machine_out, gpu, gpus, 4, 0);
    return status;
}

/* Two sockets, four H200s at each: the spec with its name and its hosts told. */
static weir_status make_nvswitch8(const char *name, weir_machine **machine_out)
{
    weir_status status = weir__machine_from_spec("2x4*nvswitch", machine_out);
    if (!status)
        snprintf((*machine_out)->name, sizeof(*machine_out)->name, "%s", name);
    return status;
}

/* X(name, text, maker); all three tables come from it. */
#define SHIPPED_MAP(X)                                                                             \
    X("m60", "four dual-board Tesla M60, two quadruplets of GPUs on PCIe 3 (Groute, Figure 1a)",   \
      make_m60)                                                                                    \
    X("dgx1v", "DGX-1V, eight V100 in a hybrid cube mesh of NVLink 2 (GUM, Figure 2)", make_dgx1v) \
    X("nvswitch8", "eight H200, NVLink 4 through NVSwitch, all pairs alike", make_nvswitch8)       \
    X("hetero2", "one Quadro M4000 and one Tesla K40c on PCIe 3 (Groute, section 5)",              \
      make_hetero2)                                                                                \
    X("pcie4-nopeer", "four GeForce RTX 4090 on PCIe 4 without peer access", make_pcie4_nopeer)

#define SHIPPED_NAME(name, text, make) name,
#define SHIPPED_TEXT(name, text, make) text,
#define SHIPPED_MAKE(name, text, make) make,
static const char *const names[] = {SHIPPED_MAP(SHIPPED_NAME)};
static const char *const texts[] = {SHIPPED_MAP(SHIPPED_TEXT)};
/* May leave a machine behind on failure. */
static weir_status (*const makers[])(const char *name,
                                     weir_machine **machine_out) = {SHIPPED_MAP(SHIPPED_MAKE)};
#define SHIPPED (sizeof names / sizeof *names)

size_t weir_machine_shipped(const char *const **names_out, const char *const **texts_out)
{
    if (names_out)
        *names_out = names;
    if (texts_out)
        *texts_out = texts;
    return SHIPPED;
}

static weir_status make(size_t which, weir_machine **machine_out)
{
    weir_status status = makers[which](names[which], machine_out);
    if (!status)
        status = weir__machine_finish(*machine_out);
    if (!status) {
        snprintf((*machine_out)->source, sizeof(*machine_out)->source, "shipped %s", names[which]);
        return WEIR_OK;
    }
    weir_machine_destroy(*machine_out);
    *machine_out = NULL;
    return status;
}

int weir__machine_from_name(const char *name, weir_machine **machine_out, weir_status *status_out)
{
    *machine_out = NULL;
    for (size_t i = 0; i < SHIPPED; i++)
        if (strcmp(names[i], name) == 0) {
            *status_out = make(i, machine_out);
            return 1;
        }
    return 0;
}
