/** @file stats.c  What a run did, and where it stood when it was stopped. */
#include "worklist/host/internal.h"

#include <stdio.h>

weir_status weir__worklist_end(const struct worker *worker)
{
    const char *name = worker->list->op->name;
    switch (worker->image->ledger.end) {
    case WEIR_ENGINE_DONE:
        return WEIR_OK;
    case WEIR_ENGINE_LATE:
        return weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over", name,
                          worker->list->config.time_limit_ms);
    case WEIR_ENGINE_FULL:
        return weir__fail(
            WEIR_ERR_NOMEM,
            "%s: worker %u has more work items than its queues of %u items and the %llu bytes of "
            "host memory behind them (of %llu by WEIR_SPILL_BYTES) hold: %s",
            name, worker->index, worker->list->queue_items, (unsigned long long)worker->spill.used,
            (unsigned long long)worker->spill.bytes,
            worker->spill.why[0] ? worker->spill.why
                                 : "larger queues (WEIR_QUEUE_ITEMS) or more room help");
    case WEIR_ENGINE_LONG:
        return weir__fail(
            WEIR_ERR_INVALID,
            "%s: worker %u has a tile of more than %u atoms, or tiles beside each other "
            "with more than %llu for whose pieces its queues have no room "
            "(WEIR_QUEUE_ITEMS)",
            name, worker->index, WEIR_TILE_MOST - 1, (unsigned long long)WEIR_SET_MOST - 1);
    case WEIR_ENGINE_ASTRAY:
        return weir__fail(
            WEIR_ERR_INVALID,
            "%s: worker %u passed an item on to itself or to a worker that is not there", name,
            worker->index);
    default:
        return weir__fail(WEIR_ERR_CANCELLED, "%s: worker %u was stopped", name, worker->index);
    }
}

static void add_worker(const struct worker *worker, weir_worklist_stats *out)
{
    const struct weir_ledger *ledger = &worker->image->ledger;
    out->produced += ledger->produced + worker->image->fused;
    out->consumed += ledger->consumed + worker->image->fused;
    out->processed += ledger->processed + worker->image->fused;
    out->fused += worker->image->fused;
    out->flushes += worker->image->flushes;
    out->stale += worker->image->stale;
    out->atoms += worker->image->atoms;
    out->spilled += ledger->spilled;
    out->deferred += ledger->deferred;
    out->rounds += ledger->rounds;
    out->narrow_rounds += ledger->narrow_rounds;
    out->by_rows += ledger->by_rows;
    out->hand_outs += ledger->hand_outs;
    out->early_raises += ledger->early_raises;
    out->woven += ledger->woven_sent;
    out->paced += ledger->paced;
    out->raises = out->raises > ledger->raises ? out->raises : ledger->raises;
    for (uint32_t l = 0; l < worker->hop_count; l++)
        out->sent += ledger->out_sent[l];
    for (int p = 0; p < WEIR_PHASES; p++)
        out->phase_ms[p] += (double)ledger->phase_ns[p] / 1e6;
    if (worker->live)
        weir__live_sum(worker, out);
}

/* How long all workers were at their resets together: the shortest of them. */
static double reset_ms(const struct weir_worklist *list)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint64_t mine = list->workers[i].image->ledger.reset_ns;
        least = mine < least ? mine : least;
    }
    return (double)least / 1e6;
}

/* What was picked. @param[in] delta  the width of a step with order soft. */
static weir_worklist_stats picked(const struct weir_worklist *list, uint32_t delta)
{
    const weir_worklist_config *config = &list->config;
    const int maps = config->worker != WEIR_WORKER_THREAD;
    return (weir_worklist_stats){
        .size = sizeof(weir_worklist_stats),
        .route = list->routes.kind,
        .order = config->order,
        .delta = config->order == WEIR_ORDER_SOFT ? delta : 0,
        .kernel = config->kernel,
        .worker = config->worker,
        .fetch = config->fetch,
        .mapping = maps ? config->mapping : WEIR_MAPPING_AUTO,
        .group = maps && config->mapping == WEIR_MAPPING_GROUP ? config->group : 0,
        .cut = list->cuts && !list->op->folds ? list->cut : 0,
        .lines = list->lines != 0};
}

static weir_status explain(const weir_worklist *list, weir_worklist_stats *picked_out,
                           weir_worklist_reasons *reasons_out)
{
    const weir_worklist_config *config = &list->config;
    weir_worklist_stats stats = picked(list, weir__worklist_delta(list));
    const weir_worklist_reasons reasons = {
        .size = sizeof reasons,
        .route = config->route || list->count == 1 ? NULL : list->routes.why,
        .order = list->why_order,
        .kernel = list->why_kernel};
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < list->count && weir__worklist_live(list); i++)
        if (list->workers[i].live_queues > stats.queues)
            stats.queues = list->workers[i].live_queues;
    if (reasons_out)
        status = weir__sized_out(reasons_out, &reasons, sizeof reasons, "weir_worklist_reasons");
    return status ? status
                  : weir__sized_out(picked_out, &stats, sizeof stats, "weir_worklist_stats");
}

weir_status weir_worklist_explain(const weir_worklist *list, weir_worklist_stats *picked_out,
                                  weir_worklist_reasons *reasons_out)
{
    return list ? explain(list, picked_out, reasons_out)
                : weir__missing("weir_worklist_explain", "worklist");
}

void weir__worklist_sum(const struct weir_worklist *list, weir_worklist_stats *out)
{
    const double ms = (double)(list->end_ns - list->start_ns) / 1e6, reset = reset_ms(list);
    *out = picked(list, list->workers[0].image->ledger.plan.order.delta);
    out->ms = ms > reset ? ms - reset : 0;
    out->reset_ms = reset;
    for (uint32_t i = 0; i < list->count; i++)
        add_worker(&list->workers[i], out);
}

weir_status weir_worklist_link_items(const weir_worklist *list, uint32_t from, uint32_t to,
                                     uint64_t *items_out)
{
    if (!list || !items_out)
        return weir__missing("weir_worklist_link_items", !list ? "worklist" : "items_out");
    *items_out = 0;
    if (from >= list->count || to >= list->count)
        return weir__fail(WEIR_ERR_INVALID, "workers %u and %u of %u", from, to, list->count);
    const struct worker *worker = &list->workers[from];
    for (uint32_t l = 0; l < worker->hop_count; l++)
        if (worker->hops[l] == to)
            *items_out = worker->image->ledger.out_sent[l];
    return WEIR_OK;
}

/* Items in one bag, or in several that follow one another. */
static unsigned long long length(const struct worker *worker, uint32_t first, uint32_t count)
{
    unsigned long long sum = 0;
    for (uint32_t b = first; b < first + count; b++)
        sum += worker->image->ledger.seen[b];
    return sum;
}

void weir__worklist_dump(const struct weir_worklist *list, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < list->count && used < room; i++) {
        const struct worker *w = &list->workers[i];
        const struct weir_ledger *ledger = &w->image->ledger;
        unsigned long long sent = 0;
        for (uint32_t l = 0; l < w->hop_count; l++)
            sent += ledger->out_sent[l];
        int wrote =
            snprintf(text + used, room - used,
                     "%sworker %u: produced %llu consumed %llu sent %llu, near %llu far %llu "
                     "buckets %llu held %llu pieces %llu, rounds %llu",
                     i ? "; " : "", i, (unsigned long long)ledger->produced,
                     (unsigned long long)ledger->consumed, sent, length(w, WEIR_BAG_NEAR, 2),
                     length(w, WEIR_BAG_FAR, 2), length(w, WEIR_BAG_BUCKET, WEIR_BUCKETS),
                     length(w, WEIR_BAG_HELD, 2), length(w, WEIR_BAG_PIECE, 1),
                     (unsigned long long)ledger->rounds);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}
