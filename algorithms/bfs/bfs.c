/** @file bfs.c  Breadth-first search over a distributed worklist: set-up, runs, results.
 *
 * Everything that moves between devices is a work item of bfs_op.h on the worklist's router; this
 * file places the graph, seeds the source, and brings levels back. */
#include "algorithms/bfs/bfs_op.h"
#include "algorithms/graph/distributed.h"
#include "runtime/config.h"
#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

extern const weir_operator weir__bfs_operator;

struct weir_bfs {
    weir_context *context;
    struct weir__distributed *graph;
    weir_worklist *worklist;
    weir_endpoint *source;
    weir_endpoint *worker[WEIR_DEVICES_MAX];
    weir_queue *queue[WEIR_DEVICES_MAX];
    bfs_state state[WEIR_DEVICES_MAX];
    int32_t *levels; /* of the last run, by vertex */
};

static uint64_t cells(const struct weir__part *part)
{
    return (uint64_t)part->owned + part->halo_count;
}

static weir_status create_part(weir_bfs *bfs, uint32_t p)
{
    const struct weir__distributed *graph = bfs->graph;
    const struct weir__part *part = &graph->part[p];
    bfs_state *state = &bfs->state[p];
    void *level;
    weir_status status;
    if ((status = weir_device_alloc(part->device, cells(part) * 4, &level)))
        return status;
    *state = (bfs_state){.offsets = part->offsets,
                         .targets = part->targets,
                         .halo = part->halo,
                         .level = level,
                         .owned = part->owned,
                         .part = p,
                         .parts = graph->parts};
    memcpy(state->part_first, graph->part_first, sizeof state->part_first);
    if ((status = weir_queue_create(part->device, 0, &bfs->queue[p])) ||
        (status = weir_endpoint_create(part->device, NULL, &bfs->worker[p])))
        return status;
    return WEIR_OK;
}

static weir_status create_worklist(weir_bfs *bfs, const weir_run_options *options)
{
    weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
    weir_status status;
    config.route = options->route;
    config.order = options->order;
    config.delta = options->delta;
    config.time_limit_ms = options->time_limit_ms;
    config.queue_items = weir__config_get(weir_context_config(bfs->context), WEIR__QUEUE_ITEMS);
    for (uint32_t p = 0; p < bfs->graph->parts && !config.queue_items; p++)
        if (config.queue_items < bfs->graph->part[p].owned)
            config.queue_items = bfs->graph->part[p].owned;
    if (!weir__config_get(weir_context_config(bfs->context), WEIR__QUEUE_ITEMS))
        config.queue_items = 2 * config.queue_items + 1024; /* items spill from three quarters on */
    if (config.queue_items > UINT64_C(1) << 31)
        config.queue_items = UINT64_C(1) << 31;
    status = weir_endpoint_create(weir_context_home(bfs->context), "source", &bfs->source);
    if (status)
        return status;
    status = weir_worklist_create(bfs->source, bfs->worker, bfs->graph->parts, &weir__bfs_operator,
                                  &config, &bfs->worklist);
    for (uint32_t p = 0; p < bfs->graph->parts && !status; p++)
        status = weir_worklist_bind(bfs->worklist, p, &bfs->state[p]);
    return status;
}

weir_status weir_bfs_create(weir_context *context, const weir_graph *graph,
                            const weir_partition *partition, const weir_run_options *options,
                            weir_bfs **bfs_out)
{
    static const weir_run_options defaults = WEIR_RUN_OPTIONS_INIT;
    weir_bfs *bfs;
    weir_status status;
    *bfs_out = NULL;
    if (!options)
        options = &defaults;
    if (options->size != sizeof *options)
        return weir__fail(WEIR_ERR_INVALID, "weir_run_options was not set by its initialiser");
    if ((status = weir__calloc(1, sizeof *bfs, "bfs", &bfs)))
        return status;
    bfs->context = context;
    weir__context_retain(context);
    if ((status = weir__distribute(context, graph, partition, &bfs->graph)) ||
        (status = weir__alloc(graph->vertices, sizeof *bfs->levels, "levels", &bfs->levels)))
        goto err;
    for (uint32_t p = 0; p < bfs->graph->parts; p++)
        if ((status = create_part(bfs, p)))
            goto err;
    if ((status = create_worklist(bfs, options)))
        goto err;
    for (uint64_t v = 0; v < graph->vertices; v++)
        bfs->levels[v] = -1;
    *bfs_out = bfs;
    return WEIR_OK;
err:
    weir_bfs_destroy(bfs);
    return status;
}

static weir_status clear_levels(weir_bfs *bfs)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < bfs->graph->parts && !status; p++)
        status = weir_queue_fill(bfs->queue[p], bfs->state[p].level, 0xFF,
                                 cells(&bfs->graph->part[p]) * 4);
    for (uint32_t p = 0; p < bfs->graph->parts && !status; p++)
        status = weir_queue_sync(bfs->queue[p]);
    return status;
}

/* Levels of all parts, part after part. */
static weir_status fetch_levels(weir_bfs *bfs)
{
    const struct weir__distributed *graph = bfs->graph;
    uint32_t *level;
    weir_status status = weir__alloc(graph->vertices, 4, "levels", &level);
    if (status)
        return status;
    for (uint32_t p = 0; p < graph->parts && !status; p++)
        status = weir__download(graph->part[p].device, level + graph->part_first[p],
                                bfs->state[p].level, (size_t)graph->part[p].owned * 4);
    for (uint64_t v = 0; v < graph->vertices && !status; v++) {
        uint32_t at = graph->part_first[graph->owner[v]] + graph->local[v];
        if (level[at] > INT32_MAX && level[at] != BFS_UNREACHED)
            status = weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
        bfs->levels[v] = level[at] == BFS_UNREACHED ? -1 : (int32_t)level[at];
    }
    free(level);
    return status;
}

static void fill_stats(const weir_bfs *bfs, const weir_worklist_stats *from, weir_run_stats *to)
{
    *to = (weir_run_stats){.ms = from->ms,
                           .items_processed = from->processed,
                           .items_sent = from->sent,
                           .items_spilled = from->spilled,
                           .rounds = from->rounds,
                           .route = from->route,
                           .order = from->order,
                           .delta = from->delta};
    for (uint64_t v = 0; v < bfs->graph->vertices; v++) {
        to->reached += bfs->levels[v] >= 0;
        to->arcs_reached += bfs->levels[v] >= 0 ? bfs->graph->degree[v] : 0;
    }
}

weir_status weir_bfs_run(weir_bfs *bfs, uint64_t source, weir_run_stats *stats_out)
{
    const struct weir__distributed *graph = bfs->graph;
    weir_worklist_stats stats;
    weir_status status;
    if (source >= graph->vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu is not a vertex: the graph has %llu",
                          (unsigned long long)source, (unsigned long long)graph->vertices);
    uint32_t owner = graph->owner[source];
    bfs_wire seed = {graph->part_first[owner] + graph->local[source], 0};
    if ((status = clear_levels(bfs)) ||
        (status = weir_worklist_seed(bfs->worklist, owner, &seed, 1)) ||
        (status = weir_worklist_run(bfs->worklist, &stats)) || (status = fetch_levels(bfs)))
        return status;
    if (stats_out)
        fill_stats(bfs, &stats, stats_out);
    return WEIR_OK;
}

weir_status weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out)
{
    memcpy(levels_out, bfs->levels, bfs->graph->vertices * sizeof *levels_out);
    return WEIR_OK;
}

void weir_bfs_cancel(weir_bfs *bfs)
{
    weir_worklist_cancel(bfs->worklist);
}

void weir_bfs_destroy(weir_bfs *bfs)
{
    if (!bfs)
        return;
    weir_worklist_destroy(bfs->worklist);
    weir_endpoint_destroy(bfs->source);
    for (uint32_t p = 0; bfs->graph && p < bfs->graph->parts; p++) {
        weir_endpoint_destroy(bfs->worker[p]);
        weir_queue_destroy(bfs->queue[p]);
        weir_device_free(bfs->graph->part[p].device, bfs->state[p].level);
    }
    weir__distributed_destroy(bfs->graph);
    weir__context_release(bfs->context);
    free(bfs->levels);
    free(bfs);
}
