/** @file plan.h  What the planners share. Included in topology/ only. */
#ifndef WEIR_TOPOLOGY_PLAN_H
#define WEIR_TOPOLOGY_PLAN_H

#include "topology/machine.h"

static inline const weir_cost *weir__cost(const weir_machine *machine, uint32_t from, uint32_t to)
{
    return &machine->cost[(size_t)from * (machine->devices + 1) + to];
}

/* ---- cost.c ---------------------------------------------------------------------------------- */

/** Of two halves, a copy to the home memory and one on from there, which run as one pipeline. */
void weir__cost_staged(const weir_machine *machine, uint32_t from, uint32_t to,
                       weir_cost *cost_out);
/** Once the paths through hosts and switches are found: measured figures, pairs that do not
 *  reach each other, and each device's own memory. */
void weir__costs_complete(weir_machine *machine);

/* ---- flows.c: a hop is two resources, one a direction; each memory is one -------------------- */

struct weir__shares; /**< room to work out shares of up to so many flows, again and again */

weir_status weir__shares_create(const weir_machine *machine, size_t flows_max,
                                struct weir__shares **shares_out);
void weir__shares_destroy(struct weir__shares *shares);
/** Fill in every flow's share; see weir_machine_share(). */
void weir__shares_get(struct weir__shares *shares, weir_flow *flows, size_t count);
/** How many resources there are: 2 * hops, then one for each device, then the home memory. */
uint32_t weir__resource_count(const weir_machine *machine);
/** What each resource carries: a hop its bandwidth, or a little more where a pair that goes over it
 *  was measured faster; a memory what a copy within it moves, INFINITY when unknown. */
void weir__capacities(const weir_machine *machine, double *capacity_out);
/** The resources that a copy uses, none twice; of a pair that reaches too when it is staged all the
 *  same. None: only the pair's own bandwidth limits it.
 *  @return how many; at most 2 * WEIR_PATH_HOPS_MAX. */
uint32_t weir__resources_of(const weir_machine *machine, uint32_t from, uint32_t to, int staged,
                            uint16_t *resources_out);

/* ---- plans: ring.c, tree.c, exchange.c ---------------------------------------------- */

/** The best ring; order[0] is 0. */
weir_status weir__ring_find(const weir_machine *machine, uint8_t *order_out);
/** A widest spanning tree, each device's parent; the root's is itself. */
void weir__tree_find(const weir_machine *machine, uint8_t *parent_out);

/** From a plan that leads straight: pairs that do not reach each other go over a third device where that helps an
 *  exchange. */
weir_status weir__relays_find(const weir_machine *machine, weir_route_plan *plan);

/** Fill in the plan's exchange_us. */
weir_status weir__exchange_estimate(const weir_machine *machine, weir_route_plan *plan);

#endif
