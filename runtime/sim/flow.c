/** @file flow.c  Copies whose bytes are on the way, and what each gets of the resources they share.
 *
 * A flow's end is fixed when its rate is; it ends then, whatever rounding left of it. A flow whose rate
 * stays the same is not touched, so flows that share nothing do not disturb each other by a picosecond. */
#include "runtime/sim/engine.h"

#include <math.h>
#include <string.h>

#define LONGEST_PS 4e18 /* 46 days: no flow lasts longer, for its end must fit into an integer */

void weir__sim_flow_start(struct weir__sim *sim, struct sim_queue *queue)
{
    uint32_t at = sim->flow_count++;
    for (; at && sim->flows[at - 1]->number > queue->number; at--)
        sim->flows[at] = sim->flows[at - 1];
    sim->flows[at] = queue;
    queue->left = (double)queue->first->bytes;
    queue->rate_gbs = 0;
    queue->since_ps = sim->now_ps;
    queue->finish_ps = UINT64_MAX;
    sim->shares_stale = 1;
}

static void ask_shares(struct weir__sim *sim)
{
    uint32_t used = 0;
    for (uint32_t f = 0; f < sim->flow_count; f++) {
        const weir__sim_path *path = sim->flows[f]->first->path;
        sim->share.begin[f] = used;
        sim->share.limit[f] = path->bandwidth_gbs;
        memcpy(sim->share.use + used, path->resource, path->count * sizeof *path->resource);
        used += path->count;
    }
    sim->share.begin[sim->flow_count] = used;
    weir__share(sim->model.capacity_gbs, sim->model.resources, sim->share.begin, sim->share.use,
                sim->share.limit, sim->flow_count, sim->share.rate, sim->share.scratch);
}

/* 1 GB/s is one byte in 1000 ps. */
static void set_rate(struct sim_queue *queue, uint64_t now_ps, double rate_gbs)
{
    if (rate_gbs == queue->rate_gbs)
        return;
    if (now_ps > queue->since_ps) /* an endless rate lasts no time */
        queue->left -= (double)(now_ps - queue->since_ps) * queue->rate_gbs / 1000;
    double ps = queue->left > 0 ? queue->left * 1000 / rate_gbs : 0;
    queue->rate_gbs = rate_gbs;
    queue->since_ps = now_ps;
    queue->finish_ps =
        weir__sim_later(now_ps, (uint64_t)llround(ps < LONGEST_PS ? ps : LONGEST_PS));
}

uint64_t weir__sim_flow_next(struct weir__sim *sim)
{
    uint64_t next = UINT64_MAX;
    if (sim->shares_stale) {
        ask_shares(sim);
        for (uint32_t f = 0; f < sim->flow_count; f++)
            set_rate(sim->flows[f], sim->now_ps, sim->share.rate[f]);
        sim->shares_stale = 0;
    }
    for (uint32_t f = 0; f < sim->flow_count; f++)
        if (sim->flows[f]->finish_ps < next)
            next = sim->flows[f]->finish_ps;
    return next;
}

struct sim_queue *weir__sim_flow_ended(struct weir__sim *sim)
{
    uint32_t at = 0;
    while (at < sim->flow_count && sim->flows[at]->finish_ps > sim->now_ps)
        at++;
    if (at == sim->flow_count)
        return NULL;
    struct sim_queue *queue = sim->flows[at];
    sim->flow_count--;
    memmove(sim->flows + at, sim->flows + at + 1, (sim->flow_count - at) * sizeof *sim->flows);
    sim->shares_stale = 1;
    return queue;
}
