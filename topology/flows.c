/** @file flows.c  What simultaneous transfers get where they share hops. */
#include "topology/plan.h"

#include <math.h>
#include <stdlib.h>

#define FLOWS_MAX (1u << 20)

struct weir__shares {
    const weir_machine *machine;
    double *capacity, *scratch; /* 2 * hops resources; twice as many */
    uint32_t *begin;
    uint16_t *use;
    double *limit, *rate;
};

uint32_t weir__cost_resources(const weir_cost *cost, uint16_t *resources_out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cost->hop_count; i++) {
        uint16_t resource = (uint16_t)(2 * cost->hops[i].hop + cost->hops[i].backward);
        uint32_t known = 0;
        while (known < count && resources_out[known] != resource)
            known++;
        if (known == count)
            resources_out[count++] = resource;
    }
    return count;
}

void weir__capacities(const weir_machine *machine, double *capacity_out)
{
    uint32_t ends = machine->devices + 1;
    for (uint32_t h = 0; h < machine->hops; h++)
        capacity_out[2 * h] = capacity_out[2 * h + 1] = machine->hop[h].bandwidth_gbs;
    for (uint32_t pair = 0; pair < ends * ends; pair++) {
        const weir_cost *cost = &machine->cost[pair];
        for (uint32_t i = 0; i < cost->hop_count; i++) {
            double *capacity = &capacity_out[2 * cost->hops[i].hop + cost->hops[i].backward];
            *capacity = fmax(*capacity, cost->bandwidth_gbs);
        }
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
    size_t resources =
        2 * (size_t)machine->hops + 1; /* a machine of no hops has one that is not used */
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
        used += weir__cost_resources(cost, shares->use + used);
    }
    shares->begin[count] = used;
    weir__share(shares->capacity, 2 * shares->machine->hops, shares->begin, shares->use,
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
