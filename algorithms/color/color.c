/** @file color.c  Colours of vertices, of which no two neighbours have the same: the arrays, runs, and what they found. */
#include "algorithms/color/color_body.h"
#include "algorithms/common/algorithm.h"
#include "algorithms/common/forms.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

extern const weir_steps_body weir__color_steps;

enum {
    BATCH = 256
}; /* rows of the first batch of a device: as a GPU has workers that look together, about */

struct weir_color {
    struct weir__algorithm head; /* first */
    struct weir__row_steps on;
    weir_color_config config;
};

/* ---- the program ------------------------------------------------------------------------------ */

static uint64_t order_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir_color *color = user;
    (void)device;
    (void)sender;
    return color->config.permute != 0;
}

#define FIELD(name) .field = offsetof(struct color_args, name)
static const weir_steps_array arrays[] = {
    {.name = "color",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .fill = 0xFF,
     .bytes = 4,
     FIELD(color)},
    {.name = "order", .extent = WEIR_STEPS_OWNED, .count = order_count, .bytes = 4, FIELD(order)},
    {.name = "even list", .extent = WEIR_STEPS_OWNED, .bytes = 4, FIELD(list[0])},
    {.name = "odd list", .extent = WEIR_STEPS_OWNED, .bytes = 4, FIELD(list[1])},
    {.name = "lengths", .more = 2, .first = WEIR_STEPS_FILLED, .bytes = 4, FIELD(length)},
};

#define PHASE(text, at)                                              \
    {                                                                \
        .name = text, .ns = COLOR_NS + at, .steps = COLOR_STEPS + at \
    }
static const weir_steps_phase phases[] = {PHASE("take", COLOR_TAKE), PHASE("check", COLOR_CHECK)};

static const weir_steps_program program = {
    .what = "a colouring",
    .body = &weir__color_steps,
    .arrays = arrays,
    .array_count = sizeof arrays / sizeof *arrays,
    .phases = phases,
    .phase_count = sizeof phases / sizeof *phases,
};

/* The order of a device's rows is drawn in host memory. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_color *color = user;
    weir__need_pass(need, color->config.permute ? sizes->vertices : 0, sizeof(uint32_t));
}

static const struct weir__row_form form = {.program = &program,
                                           .rows = offsetof(struct color_args, part),
                                           .values = "color",
                                           .kind = WEIR_VALUE_U32,
                                           .need = need};

/* ---- building --------------------------------------------------------------------------------- */

/* A number that follows from a seed and a place (the finalizer of splitmix64). */
static uint64_t drawn(uint64_t seed, uint64_t at)
{
    uint64_t z = seed * UINT64_C(0xD1342543DE82EF95) + (at + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Rows that have arcs, in any order, each as likely as the others. */
static weir_status enter_order(const weir_color *color, uint32_t d)
{
    const weir_rows_part *part = weir__row_steps_part(&color->on, d);
    uint32_t *order = NULL;
    weir_status status;
    if (!part->busy || weir__context_planned(color->on.context))
        return WEIR_OK;
    if ((status = weir__alloc(part->busy, sizeof *order, "an order of the rows", &order)))
        return status;
    for (uint32_t row = 0; row < part->busy; row++) {
        const uint32_t at = (uint32_t)(drawn(color->config.seed, part->begin + (uint64_t)row) %
                                       (row + UINT64_C(1)));
        order[row] = order[at];
        order[at] = row;
    }
    status = weir__upload(weir_context_device(color->on.context, d),
                          weir_steps_data(color->on.steps, "order", d), order,
                          part->busy * sizeof *order);
    free(order);
    return status;
}

/* Rows are cut into as many stretches as the first device has blocks. */
static weir_status cut_stretches(const weir_color *color, struct color_args *args)
{
    const weir_device *first = weir_context_device(color->on.context, 0);
    const uint32_t lanes = weir__device_is_gpu(first) ? 32 : 1; /* a worker's rows are of one */
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    const weir_status status = weir_device_info_get(first, &info);
    const uint32_t pieces = info.units ? info.units : 1;
    args->stretch = (args->most / pieces / lanes + 1) * lanes;
    args->pieces = args->most / args->stretch + 1;
    return status;
}

/* What kernels are told beside the arrays. All devices are told the same, so that they agree on who is ahead of whom. */
static weir_status tell(const weir_color *color, struct color_args *args)
{
    const int by_degree = weir_rows_order_of(color->on.rows) == WEIR_ROWS_BY_DEGREE;
    args->both = !weir_rows_symmetric(color->on.rows);
    args->most = 0;
    for (uint32_t d = 0; d < color->on.parts; d++) {
        const uint32_t busy = weir__row_steps_part(&color->on, d)->busy;
        args->most = busy > args->most ? busy : args->most;
    }
    args->sorted = by_degree && !color->config.permute;
    args->batch = args->sorted ? BATCH : args->most;
    return by_degree || color->config.permute ? WEIR_OK : cut_stretches(color, args);
}

static weir_status create(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_color *color = (weir_color *)head;
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_status status = weir__partition_fits(making->context, making->graph, making->partition);
    if (status)
        return status;
    config.in_arcs = 1; /* neighbours are at both ends */
    snprintf(head->why_form, sizeof head->why_form, "there is no other form");
    head->on = &color->on;
    status = weir__row_steps_create(&color->on, &form, making->context, making->graph,
                                    making->partition, making->options, &config, color);
    for (uint32_t d = 0; d < color->on.parts && !status; d++) {
        status = tell(color, weir_steps_args(color->on.steps, d));
        if (!status && color->config.permute)
            status = enter_order(color, d);
    }
    return status;
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
    struct weir__asked asked = {.options = NULL};
    weir_color_config known = WEIR_COLOR_CONFIG_INIT;
    weir_color *color;
    weir_status status = weir__making_begin(&making);
    *color_out = NULL;
    asked.options = making.options;
    if (status || (status = weir__sized_in(&known, sizeof known, config, "weir_color_config")) ||
        (status = check(&known)) ||
        (status = weir__forms_check(&weir__color_forms, &asked, NULL)) ||
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

static void picked(const weir_color *color, weir_run_stats *stats)
{
    weir__row_steps_picked(&color->on, stats);
    stats->direction = WEIR_DIRECTION_PULL;
    stats->work.order = WEIR_ORDER_AUTO; /* there is no order to choose */
}

weir_status weir_color_run(weir_color *color, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir_context_time_ns(color->head.context);
    const weir_rows_part *part = weir__row_steps_part(&color->on, 0);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_run_stats");
    if (status)
        return status;
    if ((status = weir__row_steps_run(&color->on, &stats)))
        return weir__algorithm_failed(&color->head, status);
    picked(color, &stats);
    stats.reached = stats.least_items = part->vertices;
    stats.arcs_reached = part->arcs_all;
    stats.work.processed = weir_steps_total(color->on.steps, COLOR_TAKEN);
    stats.work.atoms = weir_steps_total(color->on.steps, COLOR_ARCS);
    stats.work.rounds = stats.steps;
    const uint64_t looks = weir_steps_total(color->on.steps, COLOR_LOOKS);
    /* A row's place and its colour; an arc and the colour behind it. */
    stats.bytes = looks * (16 + 4) + stats.work.atoms * 8;
    stats.bytes_sent = looks * (color->on.parts - 1) * sizeof(uint32_t);
    weir__algorithm_ran(&color->head, begin_ns, &stats, stats_out);
    return WEIR_OK;
}

weir_status weir_color_colors(weir_color *color, uint32_t *colors_out)
{
    weir_status status = weir__algorithm_complete(&color->head, "colours");
    if (!status && !color->head.ran)
        status = weir__fail(WEIR_ERR_INVALID, "there are no colours before a complete run");
    return status ? status : weir__row_steps_gather(&color->on, "color", colors_out);
}

weir_status weir_color_values(weir_color *color, uint32_t device, weir_values *values_out)
{
    return color->head.ran
               ? weir__algorithm_values(&color->head, "colours", device, WEIR_VALUE_U32, values_out)
               : weir__fail(WEIR_ERR_INVALID, "there are no colours before a complete run");
}

weir_status weir_color_explain(const weir_color *color, weir_run_stats *picked_out,
                               weir_run_reasons *reasons_out)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    picked(color, &stats);
    return weir__algorithm_explained(&color->head, &weir__color_forms.form[WEIR__FORM_STEP], &stats,
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
    weir__row_steps_destroy(&color->on);
    free(color);
}
