/** @file exchange.c  How long an exchange between all devices takes over a plan, roughly.
 *
 * Every device sends WEIR_PLAN_BYTES to every other at once, each packet along the plan's hops.
 * The estimate is the time in which the most loaded direction of a hop (or the most loaded
 * measured pair) moves what goes over it, plus, for the route that has the most of them, the
 * latencies of its steps and one start of a copy for each (three for a step that is staged). Staged
 * packets move twice, in two halves (router/transport/staged.c): the first half on its way from the home memory
 * overlaps with the second on its way there. Those that start together share the way and come together,
 * so that makes three phases. It leaves out what packets wait for each other on the way and the work of forwarding, which a
 * device's kernels do: it tells plans apart where hops decide, and is no promise. */
#include "topology/plan.h"

#include <math.h>
#include <stdlib.h>

struct exchange {
    const weir_machine *machine;
    const weir_route_plan *plan;
    double *capacity, *load[2]; /* of each resource; bytes in the first phase, in the second */
    double start_us[WEIR_DEVICES_MAX]
                   [WEIR_DEVICES_MAX]; /* of a step: latency and starts of copies */
    uint32_t packets[WEIR_DEVICES_MAX][WEIR_DEVICES_MAX]; /* that take this step */
};

static void cost_of_step(const struct exchange *exchange, uint32_t from, uint32_t to,
                         weir_cost *cost_out)
{
    if (exchange->plan->kind == WEIR_ROUTE_STAGED)
        weir__cost_staged(exchange->machine, from, to, cost_out);
    else
        *cost_out = *weir__cost(exchange->machine, from, to);
}

static double time_us(double bytes, double gbs)
{
    return bytes / (gbs * 1e3);
}

/* Put one copy of a step's packets on its hops. @return what the copy alone would take. */
static double load_copy(struct exchange *exchange, int phase, uint32_t from, uint32_t to,
                        double bytes)
{
    uint16_t resources[2 * WEIR_PATH_HOPS_MAX];
    uint32_t count = weir__resources_of(exchange->machine, from, to, 0, resources);
    for (uint32_t i = 0; i < count; i++)
        exchange->load[phase][resources[i]] += bytes;
    return time_us(bytes, weir__cost(exchange->machine, from, to)->bandwidth_gbs);
}

static void load_step(struct exchange *exchange, uint32_t from, uint32_t to, double *us)
{
    uint32_t home = exchange->machine->devices;
    double bytes = (double)exchange->packets[from][to] * WEIR_PLAN_BYTES;
    weir_cost cost;
    cost_of_step(exchange, from, to, &cost);
    us[0] = fmax(us[0], load_copy(exchange, 0, from, cost.staged ? home : to, bytes));
    if (cost.staged)
        us[1] = fmax(us[1], load_copy(exchange, 1, home, to, bytes));
}

static double busiest_us(struct exchange *exchange)
{
    uint32_t n = exchange->machine->devices;
    double us[2] = {0, 0};
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            if (exchange->packets[from][to])
                load_step(exchange, from, to, us);
    for (uint32_t r = 0; r < weir__resource_count(exchange->machine); r++)
        for (int phase = 0; phase < 2; phase++)
            us[phase] = fmax(us[phase], time_us(exchange->load[phase][r], exchange->capacity[r]));
    /* One half there, one there and one on, one half on; without staged steps us[1] is 0. */
    return us[1] > 0 ? us[0] / 2 + fmax(us[0], us[1]) / 2 + us[1] / 2 : us[0];
}

static void fill_starts(struct exchange *exchange)
{
    uint32_t n = exchange->machine->devices;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            weir_cost cost;
            if (from == to)
                continue;
            cost_of_step(exchange, from, to, &cost);
            exchange->start_us[from][to] =
                cost.latency_us + (cost.staged ? 3 : 1) * exchange->machine->overheads.copy_us;
        }
}

/* Send a packet over every route, and find the one that takes longest to get going. */
static double longest_us(struct exchange *exchange)
{
    uint32_t n = exchange->machine->devices;
    double longest = 0;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            double us = 0;
            for (uint32_t at = from; at != to;) {
                uint32_t next = exchange->plan->next[at][to];
                exchange->packets[at][next]++;
                us += exchange->start_us[at][next];
                at = next;
            }
            longest = fmax(longest, us);
        }
    return longest;
}

weir_status weir__exchange_estimate(const weir_machine *machine, weir_route_plan *plan)
{
    static const char what[] = "an exchange";
    struct exchange *exchange;
    size_t resources = weir__resource_count(machine);
    weir_status status = weir__calloc(1, sizeof *exchange, what, &exchange);
    if (status)
        return status;
    exchange->machine = machine;
    exchange->plan = plan;
    if ((status = weir__calloc(resources, sizeof(double), what, &exchange->capacity)) ||
        (status = weir__calloc(resources, sizeof(double), what, &exchange->load[0])) ||
        (status = weir__calloc(resources, sizeof(double), what, &exchange->load[1])))
        goto end;
    weir__capacities(machine, exchange->capacity);
    fill_starts(exchange);
    plan->exchange_us = longest_us(exchange);
    plan->exchange_us += busiest_us(exchange);
end:
    free(exchange->load[1]);
    free(exchange->load[0]);
    free(exchange->capacity);
    free(exchange);
    return status;
}
