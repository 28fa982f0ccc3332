/** @file run.c  A run: seeds, the end, and how it is stopped. */
#include "worklist/host/internal.h"

#include <string.h>

void weir__worklist_fail(struct weir_worklist *list, weir_status status)
{
    int first = 0;
    pthread_mutex_lock(&list->state_lock);
    if (!list->status) {
        first = 1;
        list->status = status;
        list->detail = strdup(weir_error_detail());
        atomic_store(&list->stop, 1);
        pthread_cond_broadcast(&list->state_changed);
    }
    pthread_mutex_unlock(&list->state_lock);
    if (!first || weir__worklist_resident(list))
        return; /* the thread that waits for fused kernels sees it at its next look */
    weir_router_cancel(list->router, status);
    weir__discrete_wake_all(list);
}

void weir_worklist_cancel(weir_worklist *list)
{
    if (!list)
        return;
    (void)weir__fail(WEIR_ERR_CANCELLED, "%s: the run was cancelled", list->op->name);
    weir__worklist_fail(list, WEIR_ERR_CANCELLED);
}

/* A cancel may come at any time. Once set, the status and its sentence stay as they are. */
int weir__worklist_failed(struct weir_worklist *list)
{
    pthread_mutex_lock(&list->state_lock);
    int is = list->status != WEIR_OK;
    pthread_mutex_unlock(&list->state_lock);
    return is;
}

weir_status weir__worklist_behind(const struct worker *worker)
{
    const weir_worklist_config *config = &worker->list->config;
    return config->behind ? config->behind(config->user, worker->index) : WEIR_OK;
}

/* Resident kernels have it behind them already. */
static weir_status behind_discrete(struct weir_worklist *list)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < list->count && list->config.behind; i++) {
        const weir_status put = weir__worklist_behind(&list->workers[i]);
        const weir_status done = weir_queue_sync(list->workers[i].queue);
        status = status ? status : put ? put : done;
    }
    return status;
}

static weir_status report_failure(struct weir_worklist *list)
{
    char dump[16000];
    weir__worklist_dump(list, dump, sizeof dump);
    return weir__fail(list->status, "%s; %s", list->detail ? list->detail : "out of memory", dump);
}

weir_status weir_worklist_run(weir_worklist *list, weir_worklist_stats *stats_out)
{
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_worklist_stats");
    if (!list)
        return weir__missing("weir_worklist_run", "worklist");
    if (status)
        return status;
    if (weir__worklist_failed(list))
        return report_failure(list);
    status = weir__worklist_reset(list);
    weir__traced_begin(list);
    if (status) {
        weir__worklist_fail(list, status);
    } else if (weir__worklist_resident(list)) {
        weir__fused_run(list);
    } else {
        weir__discrete_run(list);
        if ((status = behind_discrete(list)))
            weir__worklist_fail(list, status);
    }
    weir__traced_end(list);
    for (uint32_t i = 0; i < list->count; i++)
        list->seeds[i].count = list->seeds[i].numbers = 0;
    if (weir__worklist_failed(list))
        return report_failure(list);
    for (uint32_t i = 0; i < list->count; i++)
        weir__spill_empty(&list->workers[i].spill);
    if (!stats_out)
        return WEIR_OK;
    weir__worklist_sum(list, &stats);
    return weir__sized_out(stats_out, &stats, sizeof stats, "weir_worklist_stats");
}

/* Make room for `count` more seeds. The room is a power of two, since kernels read seeds from it as from a channel. */
static weir_status grow_seeds(struct weir_worklist *list, struct seeds *seeds, uint32_t count)
{
    const uint32_t wire_bytes = list->op->wire_bytes;
    weir_device *home = weir_context_home(list->context);
    uint32_t room = seeds->room ? seeds->room : 64;
    void *grown;
    while (room < seeds->count + count)
        room *= 2;
    if (room == seeds->room)
        return WEIR_OK;
    weir_status status = weir__device_alloc_as(home, "seeds", room, wire_bytes, &grown);
    if (status)
        return status;
    if (seeds->count)
        memcpy(grown, seeds->wires, (size_t)seeds->count * wire_bytes);
    weir_device_free(home, seeds->wires);
    seeds->wires = grown;
    seeds->room = room;
    return WEIR_OK;
}

weir_status weir_worklist_seed(weir_worklist *list, uint32_t owner, const void *wires,
                               uint32_t count)
{
    if (!list || (!wires && count))
        return weir__missing("weir_worklist_seed", !list ? "worklist" : "wires");
    if (owner >= list->count)
        return weir__fail(WEIR_ERR_INVALID, "a seed for worker %u of %u", owner, list->count);
    struct seeds *seeds = &list->seeds[owner];
    if (count > ((uint32_t)1 << 30) - seeds->count)
        return weir__fail(WEIR_ERR_INVALID, "more than 2^30 seeds for worker %u", owner);
    weir_status status = grow_seeds(list, seeds, count);
    if (status || count == 0)
        return status;
    const size_t bytes = list->op->wire_bytes;
    memcpy(seeds->wires + seeds->count * bytes, wires, count * bytes);
    seeds->count += count;
    return WEIR_OK;
}

weir_status weir_worklist_seed_numbers(weir_worklist *list, uint32_t owner, uint32_t count)
{
    if (!list)
        return weir__missing("weir_worklist_seed_numbers", "worklist");
    if (owner >= list->count)
        return weir__fail(WEIR_ERR_INVALID, "seeds for worker %u of %u", owner, list->count);
    if (!list->op->seeds)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "operator %s makes no seeds of numbers (%s_seed)",
                          list->op->name, list->op->name);
    if (count > (uint32_t)1 << 31)
        return weir__fail(WEIR_ERR_INVALID, "more than 2^31 seeds for worker %u", owner);
    list->seeds[owner].numbers = count;
    return WEIR_OK;
}
