/** @file ring_judge.c  How good a ring is.
 *
 * All devices of a ring send to the next one at the same time, so where hops are shared a ring
 * is more than its pairs: two of them that go over one socket link get half of it each. A ring
 * is judged by the max-min shares of its flows. The smallest share comes without working out the
 * others: it is the smallest of the pairs' own bandwidths and of each hop's part, bandwidth over
 * flows. */
#include "topology/ring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE 1e-9

static int compare_gbs(double a, double b)
{
    double room = ALIKE * fmin(a, b); /* the larger one may be infinite */
    return (a > b + room) - (b > a + room);
}

int weir__ring_compare(const struct weir__ring_worth *a, const struct weir__ring_worth *b)
{
    int least = compare_gbs(a->least_gbs, b->least_gbs);
    if (a->staged != b->staged)
        return a->staged < b->staged ? 1 : -1;
    return least ? least : compare_gbs(a->sum_gbs, b->sum_gbs);
}

void weir__ring_judge_destroy(struct weir__ring_judge *judge)
{
    if (!judge)
        return;
    weir__shares_destroy(judge->shares);
    free(judge->steps);
    free(judge->capacity);
    free(judge->flows);
    free(judge);
}

static void fill_steps(struct weir__ring_judge *judge)
{
    const weir_machine *machine = judge->machine;
    for (uint32_t from = 0; from < judge->n; from++)
        for (uint32_t to = 0; to < judge->n; to++) {
            struct weir__ring_step *step = &judge->steps[from * judge->n + to];
            const weir_cost *cost = weir__cost(machine, from, to);
            if (from == to)
                continue;
            step->gbs = cost->bandwidth_gbs;
            step->staged = (uint32_t)cost->staged;
            step->count = weir__resources_of(machine, from, to, cost->staged, step->resource);
        }
}

weir_status weir__ring_judge_create(const weir_machine *machine,
                                    struct weir__ring_judge **judge_out)
{
    static const char what[] = "ring";
    struct weir__ring_judge *judge;
    size_t n = machine->devices, resources = weir__resource_count(machine);
    weir_status status;
    *judge_out = NULL;
    if ((status = weir__calloc(1, sizeof *judge, what, &judge)))
        return status;
    judge->machine = machine;
    judge->n = machine->devices;
    if ((status = weir__calloc(n * n + 1, sizeof *judge->steps, what, &judge->steps)) ||
        (status = weir__calloc(resources, sizeof *judge->capacity, what, &judge->capacity)) ||
        (status = weir__calloc(resources, sizeof *judge->flows, what, &judge->flows)) ||
        (status = weir__shares_create(machine, n, &judge->shares))) {
        weir__ring_judge_destroy(judge);
        return status;
    }
    weir__capacities(machine, judge->capacity);
    fill_steps(judge);
    *judge_out = judge;
    return WEIR_OK;
}

double weir__ring_add(struct weir__ring_judge *judge, uint32_t from, uint32_t to, double least)
{
    const struct weir__ring_step *step = weir__ring_step(judge, from, to);
    least = fmin(least, step->gbs);
    for (uint32_t i = 0; i < step->count; i++) {
        uint32_t r = step->resource[i];
        least = fmin(least, judge->capacity[r] / ++judge->flows[r]);
    }
    return least;
}

void weir__ring_remove(struct weir__ring_judge *judge, uint32_t from, uint32_t to)
{
    const struct weir__ring_step *step = weir__ring_step(judge, from, to);
    for (uint32_t i = 0; i < step->count; i++)
        judge->flows[step->resource[i]]--;
}

static uint32_t after(const struct weir__ring_judge *judge, const uint8_t *order, uint32_t i)
{
    return order[i + 1 < judge->n ? i + 1 : 0];
}

struct weir__ring_worth weir__ring_judge_least(struct weir__ring_judge *judge, const uint8_t *order)
{
    struct weir__ring_worth worth = {0, INFINITY, INFINITY};
    for (uint32_t i = 0; i < judge->n && judge->n > 1; i++) {
        uint32_t to = after(judge, order, i);
        worth.staged += weir__ring_step(judge, order[i], to)->staged;
        worth.least_gbs = weir__ring_add(judge, order[i], to, worth.least_gbs);
    }
    for (uint32_t i = 0; i < judge->n && judge->n > 1; i++)
        weir__ring_remove(judge, order[i], after(judge, order, i));
    return worth;
}

double weir__ring_judge_sum(struct weir__ring_judge *judge, const uint8_t *order)
{
    weir_flow flows[WEIR_DEVICES_MAX];
    double sum = 0;
    if (judge->n < 2)
        return 0;
    for (uint32_t i = 0; i < judge->n; i++)
        flows[i] = (weir_flow){order[i], after(judge, order, i), 0};
    weir__shares_get(judge->shares, flows, judge->n);
    for (uint32_t i = 0; i < judge->n; i++)
        sum += flows[i].gbs;
    return sum;
}

struct weir__ring_worth weir__ring_judge_worth(struct weir__ring_judge *judge, const uint8_t *order)
{
    struct weir__ring_worth worth = weir__ring_judge_least(judge, order);
    worth.sum_gbs = weir__ring_judge_sum(judge, order);
    if (judge->n < 2)
        worth.least_gbs = 0;
    return worth;
}
