/** @file machine.c  A machine: made empty, filled by its maker, finished, then only read. */
#include "topology/machine.h"

#include "runtime/text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES_USUAL 16 /* a GPU's PCIe link, when its width is unknown */

double weir__hop_gbs(weir_hop_kind kind, uint32_t generation, uint32_t count)
{
    /* One NVLink, one PCIe lane, by generation: what copies reach, 80 to 94 % of the printed
     * rate. An H200's 18 NVLinks move 397 GB/s, its 16 lanes 55. */
    static const double nvlink[] = {22, 18, 23.5, 23, 397.0 / 18, 44};
    static const double pcie[] = {0.8, 0.2, 0.4, 0.8, 1.65, 55.0 / 16, 6.9};
    const uint32_t nvlinks = sizeof nvlink / sizeof *nvlink, pcies = sizeof pcie / sizeof *pcie;
    switch (kind) {
    case WEIR_HOP_NVLINK:
        return nvlink[generation < nvlinks ? generation : nvlinks - 1] * (count ? count : 1);
    case WEIR_HOP_PCIE:
        return pcie[generation < pcies ? generation : pcies - 1] * (count ? count : LANES_USUAL);
    case WEIR_HOP_SOCKET:
        return 16.0 * (count ? count : 1);
    case WEIR_HOP_MEMORY:
        return 10.0 * (count ? count : 1);
    }
    return 0;
}

static double usual_latency_us(weir_hop_kind kind)
{
    static const double us[] = {0.65, 0.8, 0.3, 0.1};
    return us[kind];
}

const char *weir_hop_kind_text(weir_hop_kind kind)
{
    static const char *const names[] = {"nvlink", "pcie", "socket", "memory"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

static void label(weir_machine *machine, uint32_t first, uint32_t count, weir_node_kind kind,
                  const char *prefix)
{
    for (uint32_t i = 0; i < count; i++) {
        weir_node *node = &machine->node[first + i];
        node->kind = kind;
        /* Nodes are few; the compiler wants to see it. */
        snprintf(node->label, sizeof node->label, "%.8s%u", prefix,
                 i % (WEIR_MACHINE_NODES_MAX + 1u));
    }
}

weir_status weir__machine_create(const char *name, const char *prefix, uint32_t devices,
                                 uint32_t hosts, uint32_t switches, weir_machine **machine_out)
{
    weir_machine *machine;
    weir_status status;
    size_t pairs = (size_t)(devices + 1) * (devices + 1);
    *machine_out = NULL;
    if (devices > WEIR_DEVICES_MAX || hosts > WEIR_MACHINE_NODES_MAX ||
        switches > WEIR_MACHINE_NODES_MAX || devices + hosts + switches > WEIR_MACHINE_NODES_MAX)
        return weir__fail(
            WEIR_ERR_INVALID,
            "a machine of %u devices, %u hosts and %u switches: at most %d devices and "
            "%d nodes",
            devices, hosts, switches, WEIR_DEVICES_MAX, WEIR_MACHINE_NODES_MAX);
    if (!devices || !hosts)
        return weir__fail(WEIR_ERR_INVALID, "a machine without a %s", hosts ? "device" : "host");
    if ((status = weir__calloc(1, sizeof *machine, "machine", &machine)))
        return status;
    if ((status = weir__calloc(pairs, sizeof *machine->pair, "machine", &machine->pair)) ||
        (status = weir__calloc(pairs, sizeof *machine->cost, "machine", &machine->cost))) {
        weir_machine_destroy(machine);
        return status;
    }
    snprintf(machine->name, sizeof machine->name, "%.63s", name);
    machine->devices = devices;
    machine->hosts = hosts;
    machine->nodes = devices + hosts + switches;
    label(machine, 0, devices, WEIR_NODE_DEVICE, prefix);
    label(machine, devices, hosts, WEIR_NODE_HOST, "numa");
    label(machine, devices + hosts, switches, WEIR_NODE_SWITCH, "switch");
    for (uint32_t d = 0; d <= devices; d++)
        weir__machine_pair(machine, d, d)->reaches = weir__machine_pair(machine, d, d)->atomics =
            weir__machine_pair(machine, d, devices)->reaches =
                weir__machine_pair(machine, devices, d)->reaches = 1;
    *machine_out = machine;
    return WEIR_OK;
}

weir_status weir__machine_add_hop(weir_machine *machine, weir_hop hop)
{
    if (hop.a > hop.b) {
        uint32_t a = hop.a;
        hop.a = hop.b;
        hop.b = a;
    }
    if (hop.a == hop.b || hop.b >= machine->nodes)
        return weir__fail(WEIR_ERR_INVALID,
                          "a hop between nodes %u and %u of a machine of %u nodes", hop.a, hop.b,
                          machine->nodes);
    if (machine->hops == WEIR_MACHINE_HOPS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "a machine of more than %d hops",
                          WEIR_MACHINE_HOPS_MAX);
    if ((machine->hops & (machine->hops - 1)) == 0) { /* full at powers of two */
        size_t room = machine->hops ? 2 * (size_t)machine->hops : 1;
        weir_hop *grown = realloc(machine->hop, room * sizeof *grown);
        if (!grown)
            return weir__fail(WEIR_ERR_NOMEM, "no memory for the hops of a machine");
        machine->hop = grown;
    }
    if (!(hop.bandwidth_gbs > 0))
        hop.bandwidth_gbs = weir__hop_gbs(hop.kind, hop.generation, hop.count);
    if (!(hop.latency_us > 0))
        hop.latency_us = usual_latency_us(hop.kind);
    machine->hop[machine->hops++] = hop;
    return WEIR_OK;
}

void weir__machine_connect(weir_machine *machine, uint32_t a, uint32_t b, int atomics)
{
    weir_pair *there = weir__machine_pair(machine, a, b), *back = weir__machine_pair(machine, b, a);
    there->reaches = back->reaches = 1;
    there->atomics = back->atomics = atomics;
}

weir_status weir__machine_finish(weir_machine *machine)
{
    weir_overheads *overheads = &machine->overheads;
    if (!(overheads->copy_us > 0))
        overheads->copy_us = 1;
    if (!(overheads->push_us > 0))
        overheads->push_us = 3.4;
    if (!(overheads->launch_us > 0))
        overheads->launch_us = 3.4;
    return weir__machine_find_paths(machine);
}

weir_status weir__machine_copy(const weir_machine *machine, weir_machine **copy_out)
{
    weir_machine *copy;
    uint32_t switches = machine->nodes - machine->devices - machine->hosts;
    size_t pairs = (size_t)(machine->devices + 1) * (machine->devices + 1);
    weir_status status =
        weir__machine_create(machine->name, "", machine->devices, machine->hosts, switches, &copy);
    for (uint32_t h = 0; h < machine->hops && !status; h++)
        status = weir__machine_add_hop(copy, machine->hop[h]);
    *copy_out = NULL;
    if (status) {
        weir_machine_destroy(copy);
        return status;
    }
    memcpy(copy->source, machine->source, sizeof copy->source);
    memcpy(copy->node, machine->node, sizeof copy->node);
    memcpy(copy->pair, machine->pair, pairs * sizeof *copy->pair);
    memcpy(copy->cost, machine->cost, pairs * sizeof *copy->cost);
    copy->overheads = machine->overheads;
    *copy_out = copy;
    return WEIR_OK;
}

void weir_machine_destroy(weir_machine *machine)
{
    if (!machine)
        return;
    free(machine->hop);
    free(machine->pair);
    free(machine->cost);
    free(machine);
}

const char *weir_machine_name(const weir_machine *machine)
{
    return machine->name;
}

uint32_t weir_machine_device_count(const weir_machine *machine)
{
    return machine->devices;
}

uint32_t weir_machine_host_count(const weir_machine *machine)
{
    return machine->hosts;
}

uint32_t weir_machine_node_count(const weir_machine *machine)
{
    return machine->nodes;
}

uint32_t weir_machine_hop_count(const weir_machine *machine)
{
    return machine->hops;
}

const weir_node *weir_machine_node(const weir_machine *machine, uint32_t index)
{
    return index < machine->nodes ? &machine->node[index] : NULL;
}

const weir_hop *weir_machine_hop(const weir_machine *machine, uint32_t index)
{
    return index < machine->hops ? &machine->hop[index] : NULL;
}

const weir_pair *weir_machine_pair(const weir_machine *machine, uint32_t from, uint32_t to)
{
    if (from > machine->devices || to > machine->devices)
        return NULL;
    return &machine->pair[(size_t)from * (machine->devices + 1) + to];
}

weir_overheads weir_machine_overheads(const weir_machine *machine)
{
    return machine->overheads;
}

weir_status weir_machine_cost(const weir_machine *machine, uint32_t from, uint32_t to,
                              weir_cost *cost_out)
{
    if (from > machine->devices || to > machine->devices)
        return weir__fail(WEIR_ERR_INVALID, "cost from device %u to %u of a machine of %u", from,
                          to, machine->devices);
    *cost_out = machine->cost[(size_t)from * (machine->devices + 1) + to];
    return WEIR_OK;
}

weir_status weir__machine_text(const weir_machine *machine,
                               void (*put)(FILE *out, const weir_machine *machine), char **text_out)
{
    weir__text text = {.file = NULL};
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    FILE *out = plain ? weir__text_open(&text) : NULL;
    if (out) {
        locale_t before = uselocale(plain);
        put(out, machine);
        uselocale(before);
    }
    if (plain)
        freelocale(plain);
    if (!(*text_out = weir__text_close(&text, NULL)))
        return weir__fail(WEIR_ERR_NOMEM, "no memory for the text of machine %s", machine->name);
    return WEIR_OK;
}
