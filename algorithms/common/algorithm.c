/** @file algorithm.c  What weir_bfs and its like have in common. */
#include "algorithms/common/algorithm.h"
#include "algorithms/common/steal_host.h"
#include "algorithms/common/traversal.h"
#include "algorithms/graph/partition.h"
#include "runtime/observe.h"
#include "runtime/support.h"

/* ---- creating --------------------------------------------------------------------------------- */

/* @return whether the first devices differ. @param[out] speeds_out  how fast they are beside each other. */
static int find_speeds(weir_context *context, uint32_t devices, double *speeds_out)
{
    int differ = 0;
    for (uint32_t d = 0; d < devices; d++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(context, d), &info);
        speeds_out[d] = info.units ? info.units : 1;
        differ |= speeds_out[d] != speeds_out[0];
    }
    return differ;
}

static const char alike[] =
    "devices that are alike get equal numbers of arcs, which are what takes time";
static const char alike_1d[] =
    "devices that are alike get equal numbers of arcs, which are what takes time; a grid of them "
    "(2d:RxC) has fewer partners and more barriers, and was not faster wherever it was measured";

/* weir_partition_create_for(), which says why. */
static weir_status create_for(weir_context *context, const weir_graph *graph, uint32_t devices,
                              weir_partition **partition_out, const char **why_out)
{
    double speeds[WEIR_DEVICES_MAX];
    *partition_out = NULL;
    *why_out = alike;
    if (!devices || devices > weir_context_device_count(context))
        return weir__fail(WEIR_ERR_INVALID, "a partition for %u devices of a context that has %u",
                          devices, weir_context_device_count(context));
    if (find_speeds(context, devices, speeds)) {
        *why_out = "devices that differ get arcs by their threads or multiprocessors";
        return weir__partition_by_shares(graph, speeds, devices, partition_out);
    }
    if (devices == 1)
        *why_out = NULL;
    return weir_partition_create(graph, WEIR_PARTITION_EDGE, devices, 0, NULL, partition_out);
}

weir_status weir_partition_create_for(weir_context *context, const weir_graph *graph,
                                      uint32_t devices, weir_partition **partition_out)
{
    const char *why;
    return create_for(context, graph, devices, partition_out, &why);
}

weir_status weir__partition_choose(weir_context *context, const weir_graph *graph,
                                   const weir_partition **partition_io, weir_shape shape,
                                   weir_partition **made_out, struct weir__algorithm *head)
{
    *made_out = NULL;
    head->why_devices = NULL;
    head->why_partition = NULL;
    if (*partition_io) {
        if ((*partition_io)->parts < weir_context_device_count(context))
            head->why_devices = "the partition has fewer parts than there are devices";
        return WEIR_OK;
    }
    weir_status status =
        create_for(context, graph, weir_devices_advise(context, graph, shape, &head->why_devices),
                   made_out, &head->why_partition);
    *partition_io = *made_out;
    return status;
}

weir_status weir__making_begin(struct weir__making *making)
{
    const weir_run_options *given = making->options;
    making->begin = weir__prepare_begin();
    making->known = (weir_run_options)WEIR_RUN_OPTIONS_INIT;
    making->options = &making->known;
    return weir__sized_in(&making->known, sizeof making->known, given, "weir_run_options");
}

weir_status weir__algorithm_create(struct weir__algorithm *head, struct weir__making *making,
                                   weir_shape shape,
                                   weir_status (*create)(struct weir__algorithm *head,
                                                         const struct weir__making *making))
{
    struct weir__activity outer;
    weir_partition *made;
    weir_status status =
        making->cells ? WEIR_OK
                      : weir__partition_1d(making->partition,
                                           making->maker ? making->maker->what : "this algorithm");
    if (status)
        return status;
    weir__activity_begin(&outer, "placing", NULL, 0);
    status = weir__partition_choose(making->context, making->graph, &making->partition, shape,
                                    &made, head);
    if (status)
        return weir__activity_end(&outer, status);
    if (making->cells && head->why_partition == alike)
        head->why_partition = alike_1d;
    head->context = making->context;
    head->vertices = making->graph->vertices;
    head->arcs = making->graph->arcs;
    head->parts = making->partition->parts;
    if (making->maker)
        status = weir__plan_check(making->maker, making->context, making->graph, making->partition,
                                  &head->why_memory);
    if (!status && !(status = create(head, making)))
        head->prepared = weir__prepare_end(&making->begin, making->graph, making->partition, made);
    weir_partition_destroy(made);
    return weir__activity_end(&outer, status);
}

weir_status weir__algorithm_alone(struct weir__algorithm *head, const struct weir__making *making,
                                  struct weir__making *whole_out)
{
    weir_status status = weir__steal_fits(making->partition, making->options);
    if (!status && making->options->route)
        status = weir__fail(WEIR_ERR_UNSUPPORTED,
                            "route %s has no effect with balance ownership, where one device does "
                            "all: leave one of them out",
                            weir_route_kind_text(making->options->route));
    if (!status)
        status = weir__lone_create(making->context, making->graph, making->partition, &head->lone);
    *whole_out = *making;
    if (!status) {
        whole_out->partition = head->lone->all;
        whole_out->lone = head->lone;
    }
    return status;
}

weir_status weir__algorithm_push_fits(const struct weir__making *making, weir_part_weights weights,
                                      const weir_operator *op, const weir_traversal_config *config,
                                      const char *what)
{
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(making->context, making->graph, making->partition, &sizes);
    if (status)
        return status;
    weir__placement_need(&sizes, weights, making->options->memory, &need);
    weir__traversal_need(&sizes, op, making->options, config, &need);
    if (making->lone)
        weir__lone_need(making->lone, config->value_bytes, &need);
    weir__need_take(&need, making->options->reserved_bytes, 1);
    return weir__need_fits(&need, "%s of %s", what, making->graph->name);
}

weir_status weir__algorithm_place(const struct weir__making *making, weir_part_weights weights,
                                  weir_placement **placement_out)
{
    weir_placement_config config = WEIR_PLACEMENT_CONFIG_INIT;
    config.weights = weights;
    config.memory =
        making->options->memory == WEIR_MEMORY_HOST ? WEIR_MEMORY_HOST : WEIR_MEMORY_DEVICE;
    return weir_placement_create_with(making->context, making->graph, making->partition, &config,
                                      placement_out);
}

void weir__algorithm_destroy(struct weir__algorithm *head)
{
    weir_traversal_destroy(head->traversal);
    weir__lone_destroy(head->lone);
    weir_placement_destroy(head->placement);
}

/* ---- runs and what comes of them --------------------------------------------------------------- */

uint64_t weir__algorithm_begin(struct weir__algorithm *head)
{
    head->naps = weir__host_naps();
    return weir_context_time_ns(head->context);
}

void weir__algorithm_ran(struct weir__algorithm *head, uint64_t begin_ns, weir_run_stats *stats,
                         weir_run_stats *stats_out)
{
    head->ran = 1;
    head->stopped = 0;
    stats->devices = head->parts;
    stats->why_devices = head->why_devices;
    stats->work.ms = stats->kernel_ms; /* of both attempts, where a run was done twice */
    stats->ms = weir__ms_since(head->context, begin_ns);
    stats->naps = weir__host_naps() - head->naps;
    if (stats_out) /* its size was checked before the run */
        (void)weir__sized_out(stats_out, stats, sizeof *stats, "weir_run_stats");
}

weir_status weir__algorithm_explained(const struct weir__algorithm *head,
                                      const struct weir__form *form, weir_run_stats *picked,
                                      weir_run_reasons *reasons, weir_run_stats *picked_out,
                                      weir_run_reasons *reasons_out)
{
    picked->devices = head->parts;
    picked->why_devices = head->why_devices;
    reasons->form = form->name;
    reasons->why_form = *head->why_form ? head->why_form : NULL;
    reasons->why_partition = head->why_partition;
    reasons->why_memory = head->why_memory;
    weir_status status = WEIR_OK;
    if (reasons_out)
        status = weir__sized_out(reasons_out, reasons, sizeof *reasons, "weir_run_reasons");
    return status ? status : weir__sized_out(picked_out, picked, sizeof *picked, "weir_run_stats");
}

weir_status weir__algorithm_prepared(const struct weir__algorithm *head,
                                     weir_prepare_stats *stats_out)
{
    return weir__sized_out(stats_out, &head->prepared, sizeof head->prepared, "weir_prepare_stats");
}

weir_status weir__algorithm_failed(struct weir__algorithm *head, weir_status status)
{
    head->ran = 0;
    head->stopped = 1;
    return status;
}

weir_status weir__algorithm_complete(const struct weir__algorithm *head, const char *what)
{
    return head->stopped ? weir__fail(WEIR_ERR_INVALID,
                                      "the last run was not complete: there are no %s", what)
                         : WEIR_OK;
}

weir_status weir__algorithm_values(const struct weir__algorithm *head, const char *what,
                                   uint32_t device, weir_value_kind kind, weir_values *values_out)
{
    weir_values known = WEIR_VALUES_INIT;
    weir_status status = weir__sized_room(values_out, sizeof known, "weir_values");
    if (status)
        return status;
    if (!head->ran)
        return weir__fail(WEIR_ERR_INVALID, "there are no %s before a complete run", what);
    status = head->on     ? weir__row_steps_values(head->on, device, &known)
             : head->lone ? weir__lone_values(head->lone, device, kind, &known)
                          : weir__traversal_values(head->traversal, device, kind, &known);
    return status ? status : weir__sized_out(values_out, &known, sizeof known, "weir_values");
}

weir_status weir__algorithm_link_items(const struct weir__algorithm *head, uint32_t from,
                                       uint32_t to, uint64_t *items_out)
{
    return head->on     ? weir__row_steps_link_items(head->on, from, to, items_out)
           : head->lone ? weir__lone_link_items(head->lone, from, to, items_out)
                        : weir_traversal_link_items(head->traversal, from, to, items_out);
}

void weir__algorithm_cancel(struct weir__algorithm *head)
{
    if (head->on)
        weir_steps_cancel(head->on->steps);
    else if (head->traversal)
        weir_traversal_cancel(head->traversal);
}
