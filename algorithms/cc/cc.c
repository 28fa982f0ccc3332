/** @file cc.c  Connected components: rows that lie on the devices, or arcs that come in segments. */
#include "algorithms/cc/cc.h"
#include "algorithms/common/choose.h"
#include "algorithms/common/forms.h"
#include "algorithms/common/timing.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"

#include <stdlib.h>

struct weir_cc {
    weir_context *context;       /* kept by what runs in it */
    weir__cc_streamed *streamed; /* NULL: the rows are resident */
    weir__cc_resident resident;
    uint64_t vertices;
    weir_route_kind route; /* what was asked for */
    const char *why_devices;
    int ran; /* the last run was complete */
    weir_prepare_stats prepared;
    int stopped; /* the last run was: its labels are in part those of the run before */
};

struct asked_of {
    weir_context *context;
    const weir_graph *graph;
    uint32_t devices;
    weir_cc_source source;
};

/* Whether the devices go in step, and their pools hold what rows take at the least. Where rows were asked for, their
 * own set-up finds out, and says how much is missing. */
static weir_status may_reside(const void *user)
{
    const struct asked_of *of = user;
    const uint64_t needed = weir__cc_resident_bytes(of->graph, of->devices);
    weir_status status;
    if (of->source == WEIR_CC_RESIDENT)
        return WEIR_OK;
    if ((status = weir_steps_possible(of->context, of->devices)))
        return status;
    for (uint32_t d = 0; d < of->devices; d++) {
        weir_pool_stats pool;
        weir_device_pool_stats(weir_context_device(of->context, d), &pool);
        if (pool.bound_bytes < pool.used_bytes + needed)
            return WEIR_ERR_NOMEM;
    }
    return WEIR_OK;
}

static weir_status create(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options,
                          weir_cc_source source, weir_cc *cc)
{
    const struct asked_of of = {context, graph, partition->parts, source};
    const struct weir__asked asked = {.options = options, .source = source};
    const struct weir__form_case what = {WEIR__FORM_RESIDENT, may_reside, &of};
    int form;
    weir_status status = weir__partition_fits(context, graph, partition);
    if (status || (status = weir__form_choose(&weir__cc_forms, &asked, &what, &form, NULL)))
        return status;
    if (form == WEIR__FORM_RESIDENT) {
        status = weir__cc_resident_create(context, graph, partition, options, &cc->resident);
        /* The estimate knows neither the balance of parts nor whether in-arcs are needed. */
        if (status != WEIR_ERR_NOMEM || source == WEIR_CC_RESIDENT)
            return status;
    }
    return weir__cc_streamed_create(context, graph, partition->parts, options, 0, &cc->streamed);
}

static weir_status check(const weir_run_options *options, weir_cc_source source)
{
    if (options->size != sizeof *options)
        return weir__fail(WEIR_ERR_INVALID, "weir_run_options was not set by its initialiser");
    return weir__forms_check(&weir__cc_forms,
                             &(struct weir__asked){.options = options, .source = source}, NULL);
}

weir_status weir_cc_create(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, const weir_run_options *options,
                           weir_cc_source source, weir_cc **cc_out)
{
    static const weir_run_options defaults = WEIR_RUN_OPTIONS_INIT;
    const struct weir__prepare begin = weir__prepare_begin();
    weir_partition *made = NULL;
    weir_cc *cc;
    weir_status status;
    *cc_out = NULL;
    options = options ? options : &defaults;
    if ((status = check(options, source)) ||
        (status = weir__calloc(1, sizeof *cc, "connected components", &cc)))
        return status;
    cc->context = context;
    cc->vertices = graph->vertices;
    status = weir__partition_choose(context, graph, &partition, WEIR_SHAPE_COMPONENTS, &made,
                                    &cc->why_devices);
    cc->route = options->route;
    if (!status)
        status = create(context, graph, partition, options, source, cc);
    if (!status)
        cc->prepared = weir__prepare_end(&begin, graph, partition, made);
    weir_partition_destroy(made);
    if (status) {
        free(cc);
        return status;
    }
    *cc_out = cc;
    return WEIR_OK;
}

weir_status weir_cc_run(weir_cc *cc, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir_context_time_ns(cc->context);
    weir_run_stats stats;
    weir_status status = cc->streamed ? weir__cc_streamed_run(cc->streamed, &stats)
                                      : weir__cc_resident_run(&cc->resident, &stats);
    cc->stopped = status != WEIR_OK;
    cc->ran = !status;
    if (status)
        return status;
    stats.why_devices = cc->why_devices;
    stats.work.route = cc->route;
    stats.ms = weir__ms_since(cc->context, begin_ns);
    if (stats_out)
        *stats_out = stats;
    return WEIR_OK;
}

weir_status weir_cc_labels(weir_cc *cc, uint32_t *labels_out)
{
    if (cc->stopped)
        return weir__fail(WEIR_ERR_INVALID,
                          "cc: the last run was not complete: there are no labels");
    for (uint64_t v = 0; v < cc->vertices && !cc->ran; v++) /* before a run each is alone */
        labels_out[v] = (uint32_t)v;
    if (!cc->ran)
        return WEIR_OK;
    return cc->streamed ? weir__cc_streamed_labels(cc->streamed, labels_out)
                        : weir__row_steps_gather(&cc->resident.on, "label", labels_out);
}

weir_status weir_cc_values(weir_cc *cc, uint32_t device, weir_values *values_out)
{
    if (!cc->ran)
        return weir__fail(WEIR_ERR_INVALID, "there are no labels before a complete run");
    return cc->streamed ? weir__fail(WEIR_ERR_UNSUPPORTED,
                                     "labels of arcs that are streamed lie in host memory alone")
                        : weir__row_steps_values(&cc->resident.on, device, values_out);
}

void weir_cc_prepared(const weir_cc *cc, weir_prepare_stats *stats_out)
{
    *stats_out = cc->prepared;
}

void weir_cc_cancel(weir_cc *cc)
{
    if (cc->streamed)
        weir__cc_streamed_cancel(cc->streamed);
    else
        weir_steps_cancel(cc->resident.on.steps);
}

void weir_cc_destroy(weir_cc *cc)
{
    if (!cc)
        return;
    weir__row_steps_destroy(&cc->resident.on);
    weir__cc_streamed_destroy(cc->streamed);
    free(cc);
}
