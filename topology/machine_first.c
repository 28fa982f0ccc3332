/** @file machine_first.c  A machine of the first devices of another, for plans that leave the others out.
 *
 * A device never forwards, so none of the paths that stay goes through one that left; its hops leave with
 * it, and the rest keep their order under lower numbers. */
#include "topology/machine.h"

#include <stdlib.h>
#include <string.h>

/* A node's number among the fewer; UINT32_MAX for a device that left. */
static uint32_t node_among(const weir_machine *machine, uint32_t count, uint32_t node)
{
    if (node < count)
        return node;
    return node < machine->devices ? UINT32_MAX : node - (machine->devices - count);
}

/* @param[out] hop_out  by hop of the machine: its number among the fewer. */
static weir_status keep_hops(const weir_machine *machine, weir_machine *first, uint16_t *hop_out)
{
    weir_status status = WEIR_OK;
    for (uint32_t h = 0; h < machine->hops && !status; h++) {
        weir_hop hop = machine->hop[h];
        hop.a = node_among(machine, first->devices, hop.a);
        hop.b = node_among(machine, first->devices, hop.b);
        hop_out[h] = (uint16_t)first->hops;
        if (hop.a != UINT32_MAX && hop.b != UINT32_MAX)
            status = weir__machine_add_hop(first, hop);
    }
    return status;
}

static void keep_pairs(const weir_machine *machine, weir_machine *first, const uint16_t *hop)
{
    uint32_t ends = first->devices + 1;
    for (uint32_t from = 0; from < ends; from++)
        for (uint32_t to = 0; to < ends; to++) {
            size_t old =
                (size_t)(from < first->devices ? from : machine->devices) * (machine->devices + 1) +
                (to < first->devices ? to : machine->devices);
            weir_cost *cost = &first->cost[(size_t)from * ends + to];
            *weir__machine_pair(first, from, to) = machine->pair[old];
            *cost = machine->cost[old];
            for (uint32_t i = 0; i < cost->hop_count; i++)
                cost->hops[i].hop = hop[cost->hops[i].hop];
        }
}

weir_status weir__machine_first(const weir_machine *machine, uint32_t count,
                                weir_machine **first_out)
{
    weir_machine *first;
    uint16_t *hop = NULL;
    uint32_t rest = machine->nodes - machine->devices;
    weir_status status = weir__machine_create(machine->name, "", count, machine->hosts,
                                              rest - machine->hosts, &first);
    *first_out = NULL;
    if (status)
        return status;
    if ((status = weir__alloc((size_t)machine->hops + 1, sizeof *hop, "hops of a machine", &hop)) ||
        (status = keep_hops(machine, first, hop))) {
        free(hop);
        weir_machine_destroy(first);
        return status;
    }
    keep_pairs(machine, first, hop);
    memcpy(first->source, machine->source, sizeof first->source);
    memcpy(first->node, machine->node, count * sizeof *first->node);
    memcpy(first->node + count, machine->node + machine->devices, rest * sizeof *first->node);
    first->overheads = machine->overheads;
    free(hop);
    *first_out = first;
    return WEIR_OK;
}
