/** @file flows.c  What simultaneous transfers get where they share hops and memories.
 *
 * A direction of a hop is a resource: hop h is number 2h from a to b, and 2h + 1 from b to a.
 * Behind them comes each device's memory, and last the home memory, which copies and fills within
 * it share: as a copy reads every byte and writes it, it carries half of what the memory moves.
 * What goes to another device does not draw on memories: links are an order slower than they are.
 *
 * A measured pair is believed, but it is no reason to believe anything of its hops. Up to a
 * quarter above what the narrowest one says, the hops move more than was said, and carry as much.
 * More than that cannot go over those hops: there is a link that nobody told of, so the pair uses
 * none of them, and nothing but its own figure limits it. A staged pair goes over the hops that
 * its devices' pairs with the home memory use; what is measured of it limits it, and raises no
 * hop. One function decides (goes_over_hops), so planning and simulation agree. */
#include "topology/plan.h"

#include <math.h>
#include <stdlib.h>

#define FLOWS_MAX   (1u << 20)
#define ABOVE_WORDS 1.25 /* of a hop's bandwidth: so much more may be measured over it */

struct weir__shares {
    const weir_machine *machine;
    double *capacity, *scratch; /* of each resource; twice as many */
    uint32_t *begin;
    uint16_t *use;
    double *limit, *rate;
};

uint32_t weir__resource_count(const weir_machine *machine)
{
    return 2 * machine->hops + machine->devices + 1;
}

static uint16_t resource_of_hop(const weir_cost *cost, uint32_t i)
{
    return (uint16_t)(2 * cost->hops[i].hop + cost->hops[i].backward);
}

/* Whether the pair's figure can be that of its hops. */
static int goes_over_hops(const weir_machine *machine, const weir_cost *cost)
{
    double narrowest = INFINITY;
    for (uint32_t i = 0; i < cost->hop_count; i++)
        narrowest = fmin(narrowest, machine->hop[cost->hops[i].hop].bandwidth_gbs);
    return cost->bandwidth_gbs <= ABOVE_WORDS * narrowest;
}

static uint32_t add_hops(const weir_machine *machine, const weir_cost *cost, uint16_t *resources,
                         uint32_t count)
{
    if (!goes_over_hops(machine, cost))
        return count;
    for (uint32_t i = 0; i < cost->hop_count; i++) {
        uint16_t resource = resource_of_hop(cost, i);
        uint32_t known = 0;
        while (known < count && resources[known] != resource)
            known++;
        if (known == count)
            resources[count++] = resource;
    }
    return count;
}

uint32_t weir__resources_of(const weir_machine *machine, uint32_t from, uint32_t to, int staged,
                            uint16_t *resources_out)
{
    uint32_t home = machine->devices, count;
    if (from == to) {
        resources_out[0] = (uint16_t)(2 * machine->hops + from);
        return 1;
    }
    if (!staged)
        return add_hops(machine, weir__cost(machine, from, to), resources_out, 0);
    count = add_hops(machine, weir__cost(machine, from, home), resources_out, 0);
    return add_hops(machine, weir__cost(machine, home, to), resources_out, count);
}

static void raise_hops(const weir_machine *machine, const weir_cost *cost, double *capacity)
{
    if (cost->staged || !goes_over_hops(machine, cost))
        return;
    for (uint32_t i = 0; i < cost->hop_count; i++) {
        double *hop = &capacity[resource_of_hop(cost, i)];
        *hop = fmax(*hop, cost->bandwidth_gbs);
    }
}

void weir__capacities(const weir_machine *machine, double *capacity_out)
{
    uint32_t ends = machine->devices + 1;
    for (uint32_t h = 0; h < machine->hops; h++)
        capacity_out[2 * h] = capacity_out[2 * h + 1] = machine->hop[h].bandwidth_gbs;
    for (uint32_t pair = 0; pair < ends * ends; pair++)
        raise_hops(machine, &machine->cost[pair], capacity_out);
    for (uint32_t d = 0; d < ends; d++) {
        double gbs = weir__cost(machine, d, d)->bandwidth_gbs;
        capacity_out[2 * machine->hops + d] = gbs > 0 ? gbs : INFINITY;
    }
}

void weir__shares_destroy(struct weir__shares *shares)
{
    if (!shares)
        return;
    free(shares->capacity);
    free(shares->scratch);
    free(shares->begin);
    free(shares->use);
    free(shares->limit);
    free(shares->rate);
    free(shares);
}

weir_status weir__shares_create(const weir_machine *machine, size_t flows_max,
                                struct weir__shares **shares_out)
{
    static const char what[] = "shares of flows";
    struct weir__shares *shares;
    size_t resources = weir__resource_count(machine);
    weir_status status;
    *shares_out = NULL;
    if ((status = weir__calloc(1, sizeof *shares, what, &shares)))
        return status;
    shares->machine = machine;
    if ((status = weir__calloc(resources, sizeof(double), what, &shares->capacity)) ||
        (status = weir__calloc(2 * resources, sizeof(double), what, &shares->scratch)) ||
        (status = weir__calloc(flows_max + 1, sizeof *shares->begin, what, &shares->begin)) ||
        (status = weir__calloc((flows_max + 1) * 2 * WEIR_PATH_HOPS_MAX, sizeof *shares->use, what,
                               &shares->use)) ||
        (status = weir__calloc(flows_max + 1, sizeof(double), what, &shares->limit)) ||
        (status = weir__calloc(flows_max + 1, sizeof(double), what, &shares->rate))) {
        weir__shares_destroy(shares);
        return status;
    }
    weir__capacities(machine, shares->capacity);
    *shares_out = shares;
    return WEIR_OK;
}

void weir__shares_get(struct weir__shares *shares, weir_flow *flows, size_t count)
{
    uint32_t used = 0;
    for (size_t f = 0; f < count; f++) {
        const weir_cost *cost = weir__cost(shares->machine, flows[f].from, flows[f].to);
        shares->begin[f] = used;
        shares->limit[f] = cost->bandwidth_gbs;
        used += weir__resources_of(shares->machine, flows[f].from, flows[f].to, cost->staged,
                                   shares->use + used);
    }
    shares->begin[count] = used;
    weir__share(shares->capacity, weir__resource_count(shares->machine), shares->begin, shares->use,
                shares->limit, (uint32_t)count, shares->rate, shares->scratch);
    for (size_t f = 0; f < count; f++) /* unknown when neither a memory nor a hop decides */
        flows[f].gbs = isfinite(shares->rate[f]) ? shares->rate[f] : 0;
}

weir_status weir_machine_share(const weir_machine *machine, weir_flow *flows, size_t count)
{
    struct weir__shares *shares;
    weir_status status;
    if (count > FLOWS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%zu flows: at most %u", count, FLOWS_MAX);
    for (size_t f = 0; f < count; f++)
        if (flows[f].from > machine->devices || flows[f].to > machine->devices)
            return weir__fail(WEIR_ERR_INVALID, "flow %zu from device %u to %u of a machine of %u",
                              f, flows[f].from, flows[f].to, machine->devices);
    if ((status = weir__shares_create(machine, count, &shares)))
        return status;
    weir__shares_get(shares, flows, count);
    weir__shares_destroy(shares);
    return WEIR_OK;
}
