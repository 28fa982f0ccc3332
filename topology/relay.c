/** @file relay.c  Pairs that do not reach each other, over a third device that both reach.
 *
 * Such a pair is staged through the home memory, or relayed: a copy to the third device and another one on. In an exchange
 * between all, relays share links with each other and with the pairs that send straight, so which third device is best
 * depends on all others. Local search: pair after pair takes the way that keeps the busiest hops least busy (the sum of the
 * eighth powers of their times, which is all but the largest), until a round changes nothing. */
#include "topology/plan.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS_MAX 16u

struct search {
    const weir_machine *machine;
    weir_route_plan *plan; /* next[from][to]: the third device, or `to` */
    double *capacity, *load;
};

static double power(double us)
{
    double square = us * us, fourth = square * square;
    return fourth * fourth;
}

/* One copy's bytes. @return by how much the sum grows. */
static double load_copy(struct search *s, uint32_t from, uint32_t to, double bytes)
{
    uint16_t resources[2 * WEIR_PATH_HOPS_MAX];
    const weir_cost *cost = weir__cost(s->machine, from, to);
    uint32_t count = weir__resources_of(s->machine, from, to, cost->staged, resources);
    double more = 0;
    for (uint32_t i = 0; i < count; i++) {
        double *load = &s->load[resources[i]], gbs = s->capacity[resources[i]];
        more += power((*load + bytes) / gbs) - power(*load / gbs);
        *load += bytes;
    }
    return more;
}

static double load_pair(struct search *s, uint32_t from, uint32_t to, uint32_t via, double bytes)
{
    double more = load_copy(s, from, via, bytes);
    return via == to ? more : more + load_copy(s, via, to, bytes);
}

static int can_relay(const weir_machine *machine, uint32_t from, uint32_t via, uint32_t to)
{
    return via != from && via != to && !weir__cost(machine, from, via)->staged &&
           !weir__cost(machine, via, to)->staged;
}

/* @return whether the pair goes another way now. */
static int improve_pair(struct search *s, uint32_t from, uint32_t to)
{
    const double bytes = WEIR_PLAN_BYTES / 1e3; /* over GB/s: microseconds */
    uint32_t now = s->plan->next[from][to], best = now;
    (void)load_pair(s, from, to, now, -bytes);
    double least = load_pair(s, from, to, now, bytes);
    (void)load_pair(s, from, to, now, -bytes);
    for (uint32_t via = 0; via < s->plan->devices; via++) {
        if (via == now || (via != to && !can_relay(s->machine, from, via, to)))
            continue;
        double more = load_pair(s, from, to, via, bytes);
        (void)load_pair(s, from, to, via, -bytes);
        if (more < least * (1 - 1e-9)) {
            best = via;
            least = more;
        }
    }
    (void)load_pair(s, from, to, best, bytes);
    s->plan->next[from][to] = (uint8_t)best;
    return best != now;
}

static void search(struct search *s)
{
    uint32_t n = s->plan->devices, changes = 1;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            if (from != to)
                (void)load_pair(s, from, to, to, WEIR_PLAN_BYTES / 1e3);
    for (uint32_t round = 0; round < ROUNDS_MAX && changes; round++) {
        changes = 0;
        for (uint32_t from = 0; from < n; from++)
            for (uint32_t to = 0; to < n; to++)
                if (from != to && weir__cost(s->machine, from, to)->staged)
                    changes += (uint32_t)improve_pair(s, from, to);
    }
}

weir_status weir__relays_find(const weir_machine *machine, weir_route_plan *plan)
{
    static const char what[] = "relays";
    struct search s = {.machine = machine, .plan = plan};
    size_t resources = weir__resource_count(machine);
    weir_status status;
    if (!(status = weir__calloc(resources, sizeof(double), what, &s.capacity)) &&
        !(status = weir__calloc(resources, sizeof(double), what, &s.load))) {
        weir__capacities(machine, s.capacity);
        search(&s);
    }
    free(s.load);
    free(s.capacity);
    return status;
}
