/** @file assemble.c  From what was found out to a machine: nodes, then hops, then pairs.
 *
 * A GPU hangs at the NUMA node next to it, below a PCIe switch if it shares its root port with
 * others. All NVSwitches are one switch here, since each GPU is linked to each of them. */
#include "topology/discover.h"

#include <stdio.h>
#include <string.h>

/* To a GPU without a switch of its own below the root port: there are two PCIe links on the way all
 * the same, of which the usual latency of a hop is one. */
#define PCIE_STRAIGHT_US 1.7
#define MESH_MOST        8 /* hosts */

/* What the steps below share. */
struct build {
    const struct weir__survey *survey;
    struct weir__fabrics fabrics;
    weir_machine *machine;
    weir_status status; /* of the first step that failed; later ones do nothing */
};

static uint32_t host_node(const struct build *build, uint32_t numa)
{
    return build->survey->devices + (numa < build->machine->hosts ? numa : 0);
}

static uint32_t switch_node(const struct build *build, uint32_t fabric)
{
    return build->survey->devices + build->machine->hosts + fabric;
}

static void add_hop(struct build *build, weir_hop hop)
{
    if (!build->status)
        build->status = weir__machine_add_hop(build->machine, hop);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* "8 x NVIDIA H200, 1 host device": devices of one name together, in order of the first. */
static void name_machine(const struct weir__survey *survey, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t d = 0; d < survey->devices && used < room; d++) {
        const struct weir__found *found = survey->found;
        uint32_t before = 0, same = 0;
        for (uint32_t other = 0; other < survey->devices; other++)
            if (!strcmp(found[other].info.name, found[d].info.name)) {
                before += other < d;
                same++;
            }
        if (!before)
            used +=
                (size_t)snprintf(text + used, room - used, "%s%u %s%s%s", used ? ", " : "", same,
                                 weir__found_gpu(&found[d]) ? "x " : "", found[d].info.name,
                                 !weir__found_gpu(&found[d]) && same > 1 ? "s" : "");
    }
}

static void describe_devices(struct build *build)
{
    uint32_t gpus = 0, hosts = 0;
    for (uint32_t d = 0; d < build->survey->devices; d++) {
        const struct weir__found *found = &build->survey->found[d];
        weir_node *node = &build->machine->node[d];
        int gpu = weir__found_gpu(found);
        snprintf(node->label, sizeof node->label, "%s%u", gpu ? "gpu" : "host",
                 gpu ? gpus++ : hosts++);
        snprintf(node->name, sizeof node->name, "%s", found->info.name);
        snprintf(node->bus, sizeof node->bus, "%s", found->facts.bus);
        node->units = found->info.units;
        node->copy_engines = found->facts.copy_engines;
        node->memory_bytes = found->info.memory_bytes;
        node->memory_gbs = found->facts.memory_gbs;
    }
}

static void describe_hosts(struct build *build)
{
    const struct weir__numa *numa = &build->survey->numa;
    for (uint32_t n = 0; n < build->machine->hosts; n++) {
        weir_node *node = &build->machine->node[host_node(build, n)];
        snprintf(node->name, sizeof node->name, "NUMA node %u", numa->node[n].os_index);
        node->units = numa->node[n].cores;
        node->memory_bytes = numa->node[n].memory_bytes;
    }
}

static void describe_switches(struct build *build)
{
    const struct weir__fabrics *fabrics = &build->fabrics;
    for (uint32_t f = 0; f < fabrics->count; f++)
        snprintf(build->machine->node[switch_node(build, f)].name,
                 sizeof build->machine->node->name, "%s",
                 f < fabrics->assumed ? "NVSwitch"
                 : f < fabrics->pcie  ? "NVSwitch (assumed)"
                                      : "PCIe switch");
}

/* ---- hops ------------------------------------------------------------------------------------ */

static uint32_t nvlink_generation(const struct weir__found *found)
{
    uint32_t generation = found->links.generation, links;
    if (!generation)
        weir__usual_nvlinks(found, &generation, &links);
    return generation;
}

static void join_nvswitch(struct build *build, uint32_t d)
{
    const struct weir__found *found = &build->survey->found[d];
    uint32_t fabric = build->fabrics.nvlink_of[d], generation, links;
    weir_hop hop = {.kind = WEIR_HOP_NVLINK, .a = d};
    if (fabric == WEIR__NO_FABRIC)
        return;
    hop.b = switch_node(build, fabric);
    if (fabric < build->fabrics.assumed) {
        hop.generation = nvlink_generation(found);
        hop.count = found->links.to_switch;
    } else { /* estimated, but not given out as known */
        weir__usual_nvlinks(found, &generation, &links);
        hop.bandwidth_gbs = weir__hop_gbs(WEIR_HOP_NVLINK, generation, links);
    }
    add_hop(build, hop);
}

static void join_nvlinks(struct build *build, uint32_t a)
{
    const struct weir__found *found = build->survey->found;
    for (uint32_t b = a + 1; b < build->survey->devices; b++) {
        uint32_t links = weir__found_nvlinks(&found[a], &found[b]);
        if (links)
            add_hop(build, (weir_hop){.kind = WEIR_HOP_NVLINK,
                                      .a = a,
                                      .b = b,
                                      .generation = nvlink_generation(&found[a]),
                                      .count = links});
    }
}

/* The switch's own link is taken to be as good as that of the first GPU below it. */
static void join_switch(struct build *build, uint32_t d, weir_hop up)
{
    uint32_t fabric = build->fabrics.pcie_of[d];
    for (uint32_t before = 0; before < d; before++)
        if (build->fabrics.pcie_of[before] == fabric)
            return;
    snprintf(build->machine->node[switch_node(build, fabric)].bus, sizeof build->machine->node->bus,
             "%s", build->survey->found[d].root);
    up.a = switch_node(build, fabric);
    up.b = host_node(build, build->survey->found[d].numa);
    add_hop(build, up);
}

static void join_pcie(struct build *build, uint32_t d)
{
    const struct weir__found *found = &build->survey->found[d];
    weir_hop hop = {.kind = WEIR_HOP_PCIE,
                    .a = d,
                    .generation = found->links.pcie_generation,
                    .count = found->links.pcie_lanes};
    if (build->fabrics.pcie_of[d] == WEIR__NO_FABRIC) {
        hop.b = host_node(build, found->numa);
        hop.latency_us = PCIE_STRAIGHT_US;
    } else {
        join_switch(build, d, hop);
        hop.b = switch_node(build, build->fabrics.pcie_of[d]);
    }
    add_hop(build, hop);
}

static void join_devices(struct build *build)
{
    for (uint32_t d = 0; d < build->survey->devices; d++) {
        if (!weir__found_gpu(&build->survey->found[d])) {
            add_hop(build, (weir_hop){.kind = WEIR_HOP_MEMORY, .a = d, .b = host_node(build, 0)});
            continue;
        }
        join_nvswitch(build, d);
        join_nvlinks(build, d);
        join_pcie(build, d);
    }
}

/* How sockets are wired is not told; of two, four or eight, each has a link to each. More are
 * hardly sockets, but parts of some: each is joined to the first then, or hops would grow with the
 * square. */
static void join_hosts(struct build *build)
{
    uint32_t centres = build->machine->hosts <= MESH_MOST ? build->machine->hosts : 1;
    for (uint32_t a = 0; a < centres; a++)
        for (uint32_t b = a + 1; b < build->machine->hosts; b++)
            add_hop(build, (weir_hop){.kind = WEIR_HOP_SOCKET,
                                      .a = host_node(build, a),
                                      .b = host_node(build, b)});
}

static void set_pairs(struct build *build)
{
    const struct weir__survey *survey = build->survey;
    for (uint32_t from = 0; from <= survey->devices; from++)
        for (uint32_t to = 0; to <= survey->devices; to++) {
            weir_pair *pair = weir__machine_pair(build->machine, from, to);
            pair->reaches = survey->reaches[from][to];
            pair->atomics = survey->atomics[from][to];
        }
}

weir_status weir__survey_assemble(const struct weir__survey *survey, weir_machine **machine_out)
{
    struct build build = {.survey = survey};
    char name[64];
    *machine_out = NULL;
    name_machine(survey, name, sizeof name);
    weir__fabrics_find(survey, &build.fabrics);
    build.status = weir__machine_create(name, "gpu", survey->devices, survey->numa.count,
                                        build.fabrics.count, &build.machine);
    if (build.status)
        return build.status;
    snprintf(build.machine->source, sizeof build.machine->source, "discovered");
    describe_devices(&build);
    describe_hosts(&build);
    describe_switches(&build);
    join_devices(&build);
    join_hosts(&build);
    set_pairs(&build);
    if (!build.status)
        build.status = weir__machine_finish(build.machine);
    if (build.status)
        weir_machine_destroy(build.machine);
    else
        *machine_out = build.machine;
    return build.status;
}
