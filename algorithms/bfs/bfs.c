/** @file bfs.c  Breadth-first search: picks its form, the operator of bfs_op.h over a placed graph or the
 * search in step, and passes on to it. */
#include "algorithms/algorithms.h"
#include "algorithms/bfs/bfs_op.h"
#include "algorithms/bfs/bfs_step_run.h"
#include "algorithms/common/choose.h"
#include "algorithms/common/forms.h"
#include "algorithms/common/timing.h"
#include "algorithms/common/traversal.h"
#include "runtime/support.h"

#include <stdlib.h>

/* Arcs of a row and of a mean row of meshes and road networks at most. */
#define SHORT_ROW  64
#define SHORT_MEAN 8

extern const weir_operator weir__bfs_operator;

struct weir_bfs {
    weir_context *context; /* kept by what was placed in it */
    struct bfs_run *run;   /* in step; NULL: through the worklist, with the two below */
    weir_placement *placement;
    weir_traversal *traversal;
    weir_direction direction;
    int parents;
    uint32_t parts;
    const char *why_devices;
    int ran;     /* the last run was complete */
    int stopped; /* the last run was not: there are no levels any more */
    weir_prepare_stats prepared;
};

static weir_status push_fits(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options)
{
    static const weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(context, graph, partition, &sizes);
    if (status)
        return status;
    weir__placement_need(&sizes, WEIR_PART_WEIGHTS_NONE, &need);
    weir__traversal_need(&sizes, &weir__bfs_operator, options, &config, &need);
    weir__need_take(&need, options->reserved_bytes, 1);
    return weir__need_fits(&need, "breadth-first search of %s", graph->name);
}

/* Place the graph for the worklist. */
static weir_status create_push(weir_bfs *bfs, weir_context *context, const weir_graph *graph,
                               const weir_partition *partition, const weir_run_options *options)
{
    weir_status status;
    if ((status = push_fits(context, graph, partition, options)) ||
        (status = weir_placement_create(context, graph, partition, WEIR_PART_WEIGHTS_NONE,
                                        &bfs->placement)) ||
        (status = weir_traversal_create(bfs->placement, &weir__bfs_operator, options, NULL,
                                        &bfs->traversal)))
        return status;
    weir__traversal_watch(bfs->traversal, (uint64_t)INT32_MAX + 1);
    for (uint32_t p = 0; p < partition->parts && !status; p++) {
        bfs_state state = {*weir_placement_part(bfs->placement, p),
                           weir_traversal_values(bfs->traversal, p)};
        status = weir_traversal_bind(bfs->traversal, p, &state);
    }
    return status;
}

/* Rows are short without exception: a mesh or a road network, of many narrow levels. */
static int rows_are_short(const weir_graph *graph)
{
    uint64_t longest = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        uint64_t arcs = graph->offsets[v + 1] - graph->offsets[v];
        longest = arcs > longest ? arcs : longest;
    }
    return longest <= SHORT_ROW && graph->arcs < graph->vertices * SHORT_MEAN;
}

/* What auto becomes. Narrow levels are chains of dependent accesses: the worklist's narrow rounds have the shortest on a
 * GPU (docs/benchmarks.md), and several GPUs need no barrier for each level there. */
static int usual(weir_context *context, const weir_graph *graph)
{
    weir_device_info info;
    weir_device_info_get(weir_context_device(context, 0), &info);
    return info.kind == WEIR_DEVICE_CUDA && rows_are_short(graph) ? WEIR__FORM_PUSH
                                                                  : WEIR__FORM_STEP;
}

struct devices {
    const weir_context *context;
    uint32_t parts;
};

static weir_status possible(const void *user)
{
    const struct devices *devices = user;
    return weir_steps_possible(devices->context, devices->parts);
}

static weir_status create(weir_bfs *bfs, weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options)
{
    const struct devices devices = {context, partition->parts};
    const struct weir__asked asked = {.options = options};
    const struct weir__form_case what = {usual(context, graph), possible, &devices};
    weir_run_options with = *options;
    int form;
    bfs->context = context;
    bfs->parts = partition->parts;
    bfs->parents = options->parents;
    weir_status status = weir__form_choose(&weir__bfs_forms, &asked, &what, &form, &bfs->direction);
    if (status)
        return status;
    if (form == WEIR__FORM_PUSH)
        return create_push(bfs, context, graph, partition, options);
    with.direction = bfs->direction;
    return weir__bfs_run_create(context, graph, partition, &with, &bfs->run);
}

weir_status weir_bfs_create(weir_context *context, const weir_graph *graph,
                            const weir_partition *partition, const weir_run_options *options,
                            weir_bfs **bfs_out)
{
    static const weir_run_options defaults = WEIR_RUN_OPTIONS_INIT;
    const struct weir__prepare begin = weir__prepare_begin();
    weir_partition *own = NULL;
    weir_bfs *bfs;
    weir_status status;
    *bfs_out = NULL;
    options = options ? options : &defaults;
    if (options->size != sizeof *options)
        return weir__fail(WEIR_ERR_INVALID, "weir_run_options was not set by its initialiser");
    if ((status = weir__calloc(1, sizeof *bfs, "bfs", &bfs)))
        return status;
    status = weir__partition_choose(context, graph, &partition, WEIR_SHAPE_LEVELS, &own,
                                    &bfs->why_devices);
    if (!status)
        status = create(bfs, context, graph, partition, options);
    if (!status)
        bfs->prepared = weir__prepare_end(&begin, graph, partition, own);
    weir_partition_destroy(own);
    if (status) {
        weir_bfs_destroy(bfs);
        return status;
    }
    *bfs_out = bfs;
    return WEIR_OK;
}

static weir_status run_push(weir_bfs *bfs, uint64_t source, weir_run_stats *stats_out)
{
    bfs_wire seed = {0, 0};
    uint32_t part;
    weir_status status;
    if ((status = weir_placement_locate(bfs->placement, source, &part, &seed.vertex, NULL)) ||
        (status = weir_traversal_seed(bfs->traversal, part, &seed, 1)))
        return status;
    return weir_traversal_run(bfs->traversal, stats_out);
}

weir_status weir_bfs_run(weir_bfs *bfs, uint64_t source, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir_context_time_ns(bfs->context);
    weir_status status =
        bfs->run ? weir__bfs_run(bfs->run, source, stats_out) : run_push(bfs, source, stats_out);
    if (status != WEIR_ERR_INVALID) { /* refused: what is there stays */
        bfs->ran = !status;
        bfs->stopped = !bfs->ran;
    }
    if (!status && stats_out) {
        stats_out->direction = bfs->direction;
        stats_out->devices = bfs->parts;
        stats_out->why_devices = bfs->why_devices;
        stats_out->least_items = stats_out->reached;
        stats_out->ms = weir__ms_since(bfs->context, begin_ns);
    }
    return status;
}

static weir_status complete(const weir_bfs *bfs)
{
    return bfs->stopped
               ? weir__fail(WEIR_ERR_INVALID, "the last run was not complete: there are no levels")
               : WEIR_OK;
}

weir_status weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out)
{
    weir_status status = complete(bfs);
    if (status)
        return status;
    if (!bfs->parents)
        return weir__fail(WEIR_ERR_INVALID, "no tree of parents was asked for");
    return weir__bfs_run_parents(bfs->run, parents_out);
}

/* On the devices they are 32 bits without a sign, of which BFS_UNREACHED is -1 with one. */
static weir_status levels_fit(const weir_bfs *bfs)
{
    return weir__traversal_far(bfs->traversal) == 0
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
}

weir_status weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out)
{
    weir_status status = complete(bfs);
    if (status || bfs->run)
        return status ? status : weir__bfs_run_levels(bfs->run, levels_out);
    status = levels_fit(bfs);
    return status ? status : weir_traversal_gather(bfs->traversal, levels_out);
}

weir_status weir_bfs_values(weir_bfs *bfs, uint32_t device, weir_values *values_out)
{
    weir_status status = WEIR_OK;
    if (!bfs->ran)
        return weir__fail(WEIR_ERR_INVALID, "there are no levels before a complete run");
    if (bfs->run)
        return weir__row_steps_values(&bfs->run->on, device, values_out);
    status = levels_fit(bfs);
    return status ? status
                  : weir__traversal_values(bfs->traversal, device, WEIR_VALUE_I32, values_out);
}

weir_status weir_bfs_link_items(const weir_bfs *bfs, uint32_t from, uint32_t to,
                                uint64_t *items_out)
{
    return bfs->run ? weir__row_steps_link_items(&bfs->run->on, from, to, items_out)
                    : weir_traversal_link_items(bfs->traversal, from, to, items_out);
}

void weir_bfs_prepared(const weir_bfs *bfs, weir_prepare_stats *stats_out)
{
    *stats_out = bfs->prepared;
}

void weir_bfs_cancel(weir_bfs *bfs)
{
    if (bfs->run)
        weir_steps_cancel(bfs->run->on.steps);
    else
        weir_traversal_cancel(bfs->traversal);
}

void weir_bfs_destroy(weir_bfs *bfs)
{
    if (!bfs)
        return;
    weir__bfs_run_destroy(bfs->run);
    weir_traversal_destroy(bfs->traversal);
    weir_placement_destroy(bfs->placement);
    free(bfs);
}
