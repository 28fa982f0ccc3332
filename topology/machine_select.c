/** @file machine_select.c  A machine of some devices of another, for plans that leave the others out.
 *
 * A device never forwards, so none of the paths that stay goes through one that left; its hops leave with
 * it, and the rest keep their order under other numbers. */
#include "topology/machine.h"
#include "topology/rehearse.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of nodes and hops among those that stay. */
struct numbers {
    uint32_t node[WEIR_MACHINE_NODES_MAX]; /* UINT32_MAX: it left */
    uint16_t hop[WEIR_MACHINE_HOPS_MAX];
    uint8_t backward[WEIR_MACHINE_HOPS_MAX]; /* its ends have changed places */
};

static weir_status number_nodes(const weir_machine *machine, const uint32_t *devices,
                                uint32_t count, struct numbers *numbers)
{
    memset(numbers->node, 0xff, sizeof numbers->node);
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] >= machine->devices || numbers->node[devices[i]] != UINT32_MAX)
            return weir__fail(WEIR_ERR_INVALID, "device %u of a machine of %u is %s", devices[i],
                              machine->devices,
                              devices[i] < machine->devices ? "named twice" : "none");
        numbers->node[devices[i]] = i;
    }
    for (uint32_t n = machine->devices; n < machine->nodes; n++)
        numbers->node[n] = n - machine->devices + count;
    return WEIR_OK;
}

static weir_status keep_hops(const weir_machine *machine, weir_machine *selected,
                             struct numbers *numbers)
{
    weir_status status = WEIR_OK;
    for (uint32_t h = 0; h < machine->hops && !status; h++) {
        weir_hop hop = machine->hop[h];
        hop.a = numbers->node[hop.a];
        hop.b = numbers->node[hop.b];
        numbers->hop[h] = (uint16_t)selected->hops;
        numbers->backward[h] = hop.a > hop.b;
        if (hop.a != UINT32_MAX && hop.b != UINT32_MAX)
            status = weir__machine_add_hop(selected, hop);
    }
    return status;
}

static void keep_pairs(const weir_machine *machine, const uint32_t *devices, weir_machine *selected,
                       const struct numbers *numbers)
{
    uint32_t count = selected->devices;
    for (uint32_t from = 0; from <= count; from++)
        for (uint32_t to = 0; to <= count; to++) {
            uint32_t a = from < count ? devices[from] : machine->devices;
            uint32_t b = to < count ? devices[to] : machine->devices;
            size_t old = (size_t)a * (machine->devices + 1) + b;
            weir_cost *cost = &selected->cost[(size_t)from * (count + 1) + to];
            *weir__machine_pair(selected, from, to) = machine->pair[old];
            *cost = machine->cost[old];
            for (uint32_t i = 0; i < cost->hop_count; i++) {
                cost->hops[i].backward ^= numbers->backward[cost->hops[i].hop];
                cost->hops[i].hop = numbers->hop[cost->hops[i].hop];
            }
        }
}

static weir_status fill(const weir_machine *machine, const uint32_t *devices,
                        weir_machine *selected, struct numbers *numbers)
{
    uint32_t count = selected->devices, rest = machine->nodes - machine->devices;
    weir_status status = keep_hops(machine, selected, numbers);
    if (status)
        return status;
    keep_pairs(machine, devices, selected, numbers);
    memcpy(selected->source, machine->source, sizeof selected->source);
    for (uint32_t i = 0; i < count; i++)
        selected->node[i] = machine->node[devices[i]];
    memcpy(selected->node + count, machine->node + machine->devices, rest * sizeof *selected->node);
    selected->overheads = machine->overheads;
    return WEIR_OK;
}

weir_status weir__machine_select(const weir_machine *machine, const uint32_t *devices,
                                 uint32_t count, weir_machine **selected_out)
{
    struct numbers *numbers;
    weir_machine *selected = NULL;
    weir_status status;
    *selected_out = NULL;
    if (count < 1 || count > machine->devices)
        return weir__fail(WEIR_ERR_INVALID, "%u devices of a machine of %u", count,
                          machine->devices);
    if ((status = weir__alloc(1, sizeof *numbers, "part of a machine", &numbers)))
        return status;
    if (!(status = number_nodes(machine, devices, count, numbers)) &&
        !(status =
              weir__machine_create(machine->name, "", count, machine->hosts,
                                   machine->nodes - machine->devices - machine->hosts, &selected)))
        status = fill(machine, devices, selected, numbers);
    free(numbers);
    if (status)
        weir_machine_destroy(selected);
    else
        *selected_out = selected;
    return status;
}

weir_status weir__machine_first(const weir_machine *machine, uint32_t count,
                                weir_machine **first_out)
{
    uint32_t devices[WEIR_DEVICES_MAX];
    for (uint32_t d = 0; d < WEIR_DEVICES_MAX; d++)
        devices[d] = d;
    return weir__machine_select(machine, devices, count, first_out);
}
