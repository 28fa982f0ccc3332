/** @file cost.c  What a pair costs, once the paths are known.
 *
 * A measured figure is believed rather than the path's. What does not reach is staged: a copy to
 * the home memory and another one on from there, in pieces, so that both halves run at once; its
 * latency is that of both, its bandwidth the smaller one's. A device's cost to itself is a copy
 * within its memory, which reads every byte and writes it: half of what the memory moves. */
#include "topology/plan.h"

#include <math.h>
#include <string.h>

static weir_cost *cost_of(weir_machine *machine, uint32_t from, uint32_t to)
{
    return &machine->cost[(size_t)from * (machine->devices + 1) + to];
}

void weir__cost_staged(const weir_machine *machine, uint32_t from, uint32_t to, weir_cost *cost_out)
{
    const weir_cost *up = weir__cost(machine, from, machine->devices);
    const weir_cost *down = weir__cost(machine, machine->devices, to);
    *cost_out = *up;
    cost_out->staged = 1;
    memcpy(cost_out->hops + up->hop_count, down->hops, down->hop_count * sizeof *down->hops);
    cost_out->hop_count += down->hop_count;
    cost_out->latency_us += down->latency_us;
    cost_out->bandwidth_gbs = fmin(up->bandwidth_gbs, down->bandwidth_gbs);
}

static void believe_measured(weir_machine *machine, uint32_t from, uint32_t to)
{
    const weir_pair *pair = weir_machine_pair(machine, from, to);
    weir_cost *cost = cost_of(machine, from, to);
    if (pair->bandwidth_gbs > 0)
        cost->bandwidth_gbs = pair->bandwidth_gbs;
    if (pair->latency_us > 0)
        cost->latency_us = pair->latency_us;
}

/* The ways to and from home come first: they decide what staging costs. */
void weir__costs_complete(weir_machine *machine)
{
    uint32_t home = machine->devices;
    for (uint32_t d = 0; d <= home; d++) {
        cost_of(machine, d, d)->bandwidth_gbs = machine->node[d].memory_gbs / 2;
        believe_measured(machine, d, d);
    }
    for (uint32_t d = 0; d < home; d++) {
        believe_measured(machine, d, home);
        believe_measured(machine, home, d);
    }
    for (uint32_t from = 0; from < home; from++)
        for (uint32_t to = 0; to < home; to++) {
            if (from == to)
                continue;
            if (!weir_machine_pair(machine, from, to)->reaches)
                weir__cost_staged(machine, from, to, cost_of(machine, from, to));
            believe_measured(machine, from, to);
        }
}
