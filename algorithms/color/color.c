/** @file color.c  Colours of vertices, of which no two neighbours have the same: the object, which form runs, and what runs found. */
#include "algorithms/color/color.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"

#include <stdlib.h>

/* ---- building --------------------------------------------------------------------------------- */

/* A number that follows from a seed and a place (the finalizer of splitmix64). */
static uint64_t drawn(uint64_t seed, uint64_t at)
{
    uint64_t z = seed * UINT64_C(0xD1342543DE82EF95) + (at + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

weir_status weir__color_draw(const weir_color *color, uint32_t d, uint64_t first, uint32_t count,
                             void *order_out)
{
    uint32_t *order = NULL;
    weir_status status;
    if (!count || weir__context_planned(color->head.context))
        return WEIR_OK;
    if ((status = weir__alloc(count, sizeof *order, "an order of the vertices", &order)))
        return status;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = (uint32_t)(drawn(color->config.seed, first + i) % (i + UINT64_C(1)));
        order[i] = order[at];
        order[at] = i;
    }
    status = weir__upload(weir_context_device(color->head.context, d), order_out, order,
                          count * sizeof *order);
    free(order);
    return status;
}

static weir_status possible(const void *user)
{
    const weir_color *color = user;
    return weir_steps_possible(color->head.context, color->head.parts);
}

static weir_status create(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_color *color = (weir_color *)head;
    const struct weir__asked asked = {.options = making->options};
    const struct weir__form_case what = {
        .usual = WEIR__FORM_STEP,
        .why =
            "vertices that took their colors in one step are checked by the next, which takes no "
            "queue of items",
        .possible = possible,
        .user = color};
    int form;
    weir_status status = weir__partition_fits(making->context, making->graph, making->partition);
    if (status || (status = weir__form_choose(&weir__color_forms, &asked, &what, &form,
                                              &color->direction, head->why_form)))
        return status;
    return form == WEIR__FORM_PUSH ? weir__color_push_create(color, making)
                                   : weir__color_step_create(color, making);
}

static weir_status check(const weir_color_config *config)
{
    if (config->permute != 0 && config->permute != 1)
        return weir__fail(WEIR_ERR_INVALID, "permute %d: 0 or 1", config->permute);
    return WEIR_OK;
}

struct asked_for {
    const weir_run_options *options;
    const weir_color_config *config;
};

/* For plans: the same again, elsewhere. */
static weir_status make_again(const void *user, weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, void **object_out)
{
    const struct asked_for *asked = user;
    weir_color *color;
    weir_status status =
        weir_color_create(context, graph, partition, asked->options, asked->config, &color);
    *object_out = color;
    return status;
}

static void destroy_again(void *object)
{
    weir_color_destroy(object);
}

weir_status weir_color_create(weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, const weir_run_options *options,
                              const weir_color_config *config, weir_color **color_out)
{
    struct weir__making making = {
        .context = context, .graph = graph, .partition = partition, .options = options};
    weir_color_config known = WEIR_COLOR_CONFIG_INIT;
    weir_color *color;
    weir_status status = weir__making_begin(&making);
    *color_out = NULL;
    if (status || (status = weir__sized_in(&known, sizeof known, config, "weir_color_config")) ||
        (status = check(&known)) ||
        (status = weir__calloc(1, sizeof *color, "a colouring", &color)))
        return status;
    color->config = known;
    const struct asked_for again = {&making.known, &color->config};
    making.maker =
        &(struct weir__maker){"a colouring", &again, make_again, destroy_again, &making.known};
    if ((status = weir__algorithm_create(&color->head, &making, WEIR_SHAPE_SWEEPS, create))) {
        weir_color_destroy(color);
        return status;
    }
    *color_out = color;
    return WEIR_OK;
}

/* ---- runs ------------------------------------------------------------------------------------- */

weir_status weir_color_run(weir_color *color, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir__algorithm_begin(&color->head);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_run_stats");
    if (status)
        return status;
    status =
        color->head.on ? weir__color_step_run(color, &stats) : weir__color_push_run(color, &stats);
    if (status)
        return weir__algorithm_failed(&color->head, status);
    stats.direction = color->direction;
    stats.reached = stats.least_items = color->head.vertices;
    stats.arcs_reached = color->head.arcs;
    weir__algorithm_ran(&color->head, begin_ns, &stats, stats_out);
    return WEIR_OK;
}

weir_status weir_color_colors(weir_color *color, uint32_t *colors_out)
{
    weir_status status = weir__algorithm_complete(&color->head, "colours");
    if (!status && !color->head.ran)
        status = weir__fail(WEIR_ERR_INVALID, "there are no colours before a complete run");
    if (status)
        return status;
    return color->head.on ? weir__row_steps_gather(&color->on, "color", colors_out)
                          : weir_traversal_gather(color->head.traversal, colors_out);
}

weir_status weir_color_values(weir_color *color, uint32_t device, weir_values *values_out)
{
    return color->head.ran
               ? weir__algorithm_values(&color->head, "colours", device, WEIR_VALUE_U32, values_out)
               : weir__fail(WEIR_ERR_INVALID, "there are no colours before a complete run");
}

weir_status weir_color_link_items(const weir_color *color, uint32_t from, uint32_t to,
                                  uint64_t *items_out)
{
    return weir__algorithm_link_items(&color->head, from, to, items_out);
}

weir_status weir_color_explain(const weir_color *color, weir_run_stats *picked_out,
                               weir_run_reasons *reasons_out)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    const int form = color->head.on ? WEIR__FORM_STEP : WEIR__FORM_PUSH;
    weir_status status = WEIR_OK;
    if (color->head.on)
        weir__color_step_picked(color, &stats);
    else
        status = weir_traversal_explain(color->head.traversal, &stats, &reasons);
    stats.direction = color->direction;
    return status ? status
                  : weir__algorithm_explained(&color->head, &weir__color_forms.form[form], &stats,
                                              &reasons, picked_out, reasons_out);
}

weir_status weir_color_prepared(const weir_color *color, weir_prepare_stats *stats_out)
{
    return weir__algorithm_prepared(&color->head, stats_out);
}

void weir_color_cancel(weir_color *color)
{
    weir__algorithm_cancel(&color->head);
}

void weir_color_destroy(weir_color *color)
{
    if (!color)
        return;
    weir__color_push_destroy(color);
    weir__algorithm_destroy(&color->head);
    weir__row_steps_destroy(&color->on);
    free(color);
}
