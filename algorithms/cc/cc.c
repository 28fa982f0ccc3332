/** @file cc.c  Connected components: rows that lie on the devices, or arcs that come in segments. */
#include "algorithms/cc/cc.h"
#include "algorithms/common/algorithm.h"
#include "algorithms/common/forms.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"

#include <stdio.h>
#include <stdlib.h>

struct weir_cc {
    struct weir__algorithm head; /* first */
    weir__cc_streamed *streamed; /* NULL: the rows are resident */
    weir__cc_resident resident;
    int in_2d;             /* `resident.on` has the cells of a grid */
    weir_cc_source source; /* what was asked for */
    int resident_only;     /* rows were, or where their arcs lie: nothing is streamed */
    weir_route_kind route; /* that was asked for */
};

struct asked_of {
    const weir_cc *cc;
    const weir_graph *graph;
};

/* Whether the devices go in step, and their pools hold what rows take at the least. Where rows were asked for, their
 * own set-up finds out, and says how much is missing. */
static weir_status may_reside(const void *user)
{
    const struct asked_of *of = user;
    const struct weir__algorithm *head = &of->cc->head;
    const uint64_t needed = weir__cc_resident_bytes(of->graph, head->parts);
    uint64_t bytes[WEIR_DEVICES_MAX];
    weir_status status;
    if (of->cc->resident_only)
        return WEIR_OK;
    if ((status = weir_steps_possible(head->context, head->parts)))
        return status;
    for (uint32_t d = 0; d < head->parts; d++)
        bytes[d] = needed;
    if (weir__pools_lack(head->context, bytes, head->parts) < head->parts)
        return weir__fail(
            WEIR_ERR_NOMEM,
            "the rows take %llu bytes of each device's pool, which has not so many left",
            (unsigned long long)needed);
    return WEIR_OK;
}

static weir_status create(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_cc *cc = (weir_cc *)head;
    const struct asked_of of = {cc, making->graph};
    const struct weir__asked asked = {.options = making->options, .source = cc->source};
    const struct weir__form_case what = {
        .usual = WEIR__FORM_RESIDENT,
        .why = "the rows fit into the memory of the devices, where each run finds them",
        .possible = may_reside,
        .user = &of};
    int form;
    weir_status status = weir__partition_fits(making->context, making->graph, making->partition);
    if (status ||
        (status = weir__form_choose(&weir__cc_forms, &asked, &what, &form, NULL, head->why_form)))
        return status;
    if (form == WEIR__FORM_RESIDENT) {
        status = weir__cc_resident_create(making->context, making->graph, making->partition,
                                          making->options, &cc->resident);
        head->on = status ? NULL : &cc->resident.on;
        /* The estimate knows neither the balance of parts nor whether in-arcs are needed. */
        if (status != WEIR_ERR_NOMEM || cc->resident_only)
            return status;
        snprintf(head->why_form, sizeof head->why_form, "%s", weir_error_detail());
    }
    head->why_partition = NULL; /* what is streamed has no parts */
    return weir__cc_streamed_create(making->context, making->graph, head->parts, making->options, 0,
                                    &cc->streamed);
}

/* Cells of a grid lie on the devices. */
static weir_status create_2d(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_cc *cc = (weir_cc *)head;
    const struct weir__asked asked = {.options = making->options, .source = cc->source};
    const struct asked_of of = {cc, making->graph};
    const struct weir__form_case what = {.usual = WEIR__FORM_RESIDENT,
                                         .why = "the partition has two dimensions",
                                         .possible = may_reside,
                                         .user = &of};
    int form;
    weir_status status = weir__partition_fits(making->context, making->graph, making->partition);
    if (status || (status = weir__form_choose(&weir__cc_2d_forms, &asked, &what, &form, NULL,
                                              head->why_form)))
        return status;
    status = weir__cc_cells_create(making->context, making->graph, making->partition,
                                   making->options, &cc->resident.on);
    head->on = status ? NULL : &cc->resident.on;
    return status;
}

/* For plans: the same again, elsewhere. */
static weir_status make_again(const void *user, weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, void **object_out)
{
    const weir_run_options *options = user;
    weir_cc *cc;
    weir_status status = weir_cc_create(context, graph, partition, options, WEIR_CC_RESIDENT, &cc);
    *object_out = cc;
    return status;
}

static void destroy_again(void *object)
{
    weir_cc_destroy(object);
}

weir_status weir_cc_create(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, const weir_run_options *options,
                           weir_cc_source source, weir_cc **cc_out)
{
    struct weir__making making = {
        .context = context, .graph = graph, .partition = partition, .options = options};
    struct weir__asked asked = {.source = source};
    weir_cc *cc;
    weir_status status = weir__making_begin(&making);
    *cc_out = NULL;
    asked.options = making.options;
    const int in_2d = partition && partition->kind == WEIR_PARTITION_2D;
    const struct weir__forms *forms = in_2d ? &weir__cc_2d_forms : &weir__cc_forms;
    if (status || (status = weir__forms_check(forms, &asked, NULL)) ||
        (status = weir__calloc(1, sizeof *cc, "connected components", &cc)))
        return status;
    cc->in_2d = in_2d;
    cc->source = source;
    cc->resident_only =
        in_2d || source == WEIR_CC_RESIDENT || making.options->memory != WEIR_MEMORY_AUTO;
    cc->route = making.options->route;
    const struct weir__maker again = {
        in_2d ? "connected components in two dimensions" : "connected components", &making.known,
        make_again, destroy_again, in_2d ? NULL : &making.known};
    if (cc->resident_only) /* arcs that do not fit are streamed otherwise */
        making.maker = &again;
    making.cells = 1;
    if ((status = weir__algorithm_create(&cc->head, &making, WEIR_SHAPE_COMPONENTS,
                                         in_2d ? create_2d : create))) {
        weir_cc_destroy(cc);
        return status;
    }
    *cc_out = cc;
    return WEIR_OK;
}

weir_status weir_cc_run(weir_cc *cc, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir__algorithm_begin(&cc->head);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_run_stats");
    if (status)
        return status;
    status = cc->streamed ? weir__cc_streamed_run(cc->streamed, &stats)
             : cc->in_2d  ? weir__cc_cells_run(&cc->resident.on, &stats)
                          : weir__cc_resident_run(&cc->resident, &stats);
    if (status)
        return weir__algorithm_failed(&cc->head, status);
    stats.work.route = cc->route;
    weir__algorithm_ran(&cc->head, begin_ns, &stats, stats_out);
    return WEIR_OK;
}

weir_status weir_cc_labels(weir_cc *cc, uint32_t *labels_out)
{
    weir_status status = weir__algorithm_complete(&cc->head, "labels");
    if (status)
        return status;
    for (uint64_t v = 0; v < cc->head.vertices && !cc->head.ran;
         v++) /* before a run each is alone */
        labels_out[v] = (uint32_t)v;
    if (!cc->head.ran)
        return WEIR_OK;
    return cc->streamed ? weir__cc_streamed_labels(cc->streamed, labels_out)
                        : weir__row_steps_gather(&cc->resident.on, "label", labels_out);
}

weir_status weir_cc_values(weir_cc *cc, uint32_t device, weir_values *values_out)
{
    return cc->head.ran && cc->streamed
               ? weir__fail(WEIR_ERR_UNSUPPORTED,
                            "labels of arcs that are streamed lie in host memory alone")
               : weir__algorithm_values(&cc->head, "labels", device, WEIR_VALUE_U32, values_out);
}

weir_status weir_cc_explain(const weir_cc *cc, weir_run_stats *picked_out,
                            weir_run_reasons *reasons_out)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    const int form = cc->streamed ? WEIR__FORM_STREAMED : WEIR__FORM_RESIDENT;
    if (cc->streamed) {
        picked.direction = WEIR_DIRECTION_PUSH;
        picked.phase[0].name = "stream";
    } else {
        weir__cc_picked(&cc->resident.on, &picked);
    }
    picked.work.route = cc->route;
    const struct weir__forms *forms = cc->in_2d ? &weir__cc_2d_forms : &weir__cc_forms;
    return weir__algorithm_explained(&cc->head, &forms->form[form], &picked, &reasons, picked_out,
                                     reasons_out);
}

weir_status weir_cc_prepared(const weir_cc *cc, weir_prepare_stats *stats_out)
{
    return weir__algorithm_prepared(&cc->head, stats_out);
}

void weir_cc_cancel(weir_cc *cc)
{
    if (cc->streamed)
        weir__cc_streamed_cancel(cc->streamed);
    weir__algorithm_cancel(&cc->head);
}

void weir_cc_destroy(weir_cc *cc)
{
    if (!cc)
        return;
    weir__row_steps_destroy(&cc->resident.on);
    weir__cc_streamed_destroy(cc->streamed);
    free(cc);
}
