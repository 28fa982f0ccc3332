/** @file route.c  Planning routes: a plan of each kind, and the choice among them. */
#include "topology/plan.h"
#include "topology/rehearse.h"

#include <stdio.h>

static const char *const names[] = {"auto", "direct", "ring", "tree", "staged"};
#define KINDS (sizeof names / sizeof *names)

const char *weir_route_kind_text(weir_route_kind kind)
{
    return (unsigned)kind < KINDS ? names[kind] : NULL;
}

static void lead_straight(weir_route_plan *plan)
{
    for (uint32_t at = 0; at < plan->devices; at++) {
        plan->order[at] = plan->parent[at] = (uint8_t)at;
        for (uint32_t to = 0; to < plan->devices; to++)
            plan->next[at][to] = (uint8_t)to;
    }
}

static void lead_around(weir_route_plan *plan)
{
    for (uint32_t i = 0; i < plan->devices; i++) {
        uint8_t at = plan->order[i], after = plan->order[(i + 1) % plan->devices];
        for (uint32_t to = 0; to < plan->devices; to++)
            plan->next[at][to] = at == to ? at : after;
    }
}

/* Down towards what is below, up for everything else. */
static void lead_along_tree(weir_route_plan *plan)
{
    for (uint32_t to = 0; to < plan->devices; to++) {
        for (uint32_t at = 0; at < plan->devices; at++)
            plan->next[at][to] = plan->parent[at];
        plan->next[to][to] = (uint8_t)to;
        for (uint8_t at = (uint8_t)to; plan->parent[at] != at; at = plan->parent[at])
            plan->next[plan->parent[at]][to] = at;
    }
}

static weir_status make(const weir_machine *machine, weir_route_kind kind, weir_route_plan *plan)
{
    weir_status status = WEIR_OK;
    *plan = (weir_route_plan){.kind = kind, .devices = machine->devices};
    lead_straight(plan);
    if (kind == WEIR_ROUTE_RING && !(status = weir__ring_find(machine, plan->order)))
        lead_around(plan);
    if (kind == WEIR_ROUTE_TREE) {
        weir__tree_find(machine, plan->parent);
        lead_along_tree(plan);
    }
    return status ? status : weir__exchange_estimate(machine, plan);
}

/* ---- choosing ------------------------------------------------------------------------------- */

static uint32_t count_reaching(const weir_machine *machine)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < machine->devices; from++)
        for (uint32_t to = 0; to < machine->devices; to++)
            count += from != to && !weir__cost(machine, from, to)->staged;
    return count;
}

static int lies_in_host_memory(const weir_machine *machine)
{
    for (uint32_t h = 0; h < machine->hops; h++)
        if (machine->hop[h].a < machine->devices && machine->hop[h].kind != WEIR_HOP_MEMORY)
            return 0;
    return 1;
}

/* Machines where there is nothing to weigh. @return NULL for all others. */
static const char *special(const weir_machine *machine, weir_route_kind *kind_out)
{
    uint32_t n = machine->devices, reaching = count_reaching(machine);
    *kind_out = WEIR_ROUTE_DIRECT;
    if (n <= 1)
        return "one device";
    if (reaching == n * (n - 1) && lies_in_host_memory(machine))
        return "all devices are in the memory of one host";
    *kind_out = WEIR_ROUTE_STAGED;
    return reaching ? NULL : "no pair reaches another: staged";
}

static int decimals(double us)
{
    return us < 100 ? 1 : 0;
}

static void explain(const double *us, weir_route_kind chosen, char *why, size_t room)
{
    int at = snprintf(why, room, "%s: an exchange of 1 MiB a pair takes %.*f us against",
                      names[chosen], decimals(us[chosen]), us[chosen]);
    const char *comma = "";
    for (weir_route_kind kind = WEIR_ROUTE_DIRECT; kind < KINDS; kind++)
        if (kind != chosen && at > 0 && (size_t)at < room) {
            at += snprintf(why + at, room - (size_t)at, "%s %.*f (%s)", comma, decimals(us[kind]),
                           us[kind], names[kind]);
            comma = ",";
        }
}

/* The cheapest; another kind than the one before it only for more than 1 %. */
static weir_status choose(const weir_machine *machine, weir_route_plan *plan_out)
{
    double us[KINDS] = {0};
    for (weir_route_kind kind = WEIR_ROUTE_DIRECT; kind < KINDS; kind++) {
        weir_route_plan plan;
        weir_status status = make(machine, kind, &plan);
        if (status)
            return status;
        us[kind] = plan.exchange_us;
        if (kind == WEIR_ROUTE_DIRECT || plan.exchange_us < 0.99 * plan_out->exchange_us)
            *plan_out = plan;
    }
    explain(us, plan_out->kind, plan_out->why, sizeof plan_out->why);
    return WEIR_OK;
}

weir_status weir_route_plan_make(const weir_machine *machine, weir_route_kind kind,
                                 weir_route_plan *plan_out)
{
    const char *why = "asked for";
    if (!weir_route_kind_text(kind))
        return weir__fail(WEIR_ERR_INVALID, "route %d: no such kind", (int)kind);
    if (kind == WEIR_ROUTE_AUTO && !(why = special(machine, &kind)))
        return choose(machine, plan_out);
    weir_status status = make(machine, kind, plan_out);
    if (!status)
        snprintf(plan_out->why, sizeof plan_out->why, "%s", why);
    return status;
}

weir_status weir_route_plan_make_over(const weir_machine *machine, const uint32_t *devices,
                                      uint32_t count, weir_route_kind kind,
                                      weir_route_plan *plan_out)
{
    weir_machine *selected;
    weir_status status = weir__machine_select(machine, devices, count, &selected);
    if (status)
        return status;
    status = weir_route_plan_make(selected, kind, plan_out);
    weir_machine_destroy(selected);
    return status;
}

weir_status weir_route_plan_make_relayed(const weir_machine *machine, weir_route_plan *plan_out)
{
    uint32_t relayed = 0;
    weir_status status = make(machine, WEIR_ROUTE_DIRECT, plan_out);
    double direct_us = plan_out->exchange_us;
    if (status || (status = weir__relays_find(machine, plan_out)) ||
        (status = weir__exchange_estimate(machine, plan_out)))
        return status;
    for (uint32_t from = 0; from < machine->devices; from++)
        for (uint32_t to = 0; to < machine->devices; to++)
            relayed += plan_out->next[from][to] != to;
    snprintf(plan_out->why, sizeof plan_out->why,
             "%u pairs over a third device: an exchange of 1 MiB a pair takes %.*f us against %.*f "
             "(direct)",
             relayed, decimals(plan_out->exchange_us), plan_out->exchange_us, decimals(direct_us),
             direct_us);
    return WEIR_OK;
}

weir_status weir_route_plan_make_first(const weir_machine *machine, uint32_t devices,
                                       weir_route_kind kind, weir_route_plan *plan_out)
{
    weir_machine *first;
    weir_status status;
    if (devices < 1 || devices > machine->devices)
        return weir__fail(WEIR_ERR_INVALID, "a route over %u of %u devices", devices,
                          machine->devices);
    if (devices == machine->devices)
        return weir_route_plan_make(machine, kind, plan_out);
    if ((status = weir__machine_first(machine, devices, &first)))
        return status;
    status = weir_route_plan_make(first, kind, plan_out);
    weir_machine_destroy(first);
    return status;
}
