/** @file color_step.c  A colouring in step: the table of arrays, what kernels are told, what they counted. */
#include "algorithms/color/color.h"
#include "algorithms/color/color_body.h"
#include "runtime/support.h"

#include <stddef.h>
#include <stdlib.h>

extern const weir_steps_body weir__color_steps;

enum { BATCH = 256 }; /* rows of the first batch of a device */

/* ---- the program ------------------------------------------------------------------------------ */

static uint64_t order_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir_color *color = user;
    (void)device;
    (void)sender;
    return color->config.permute != 0;
}

/* A device has colours of its own vertices and of those of its halo. */
static uint64_t color_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir_color *color = user;
    (void)sender;
    return weir_rows_halo_of(color->on.rows, device)->count;
}

#define FIELD(name) .field = offsetof(struct color_args, name)
static const weir_steps_array arrays[] = {
    {.name = "color",
     .extent = WEIR_STEPS_COUNTED,
     .count = color_count,
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

/* Colours, of a halo that may be all others; and the order of a device's rows is drawn in host memory. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_color *color = user;
    for (uint32_t p = 0; p < sizes->parts; p++)
        weir__need_take_on(need, weir_context_device(sizes->context, p), sizes->vertices,
                           sizeof(uint32_t));
    weir__need_pass(need, color->config.permute ? sizes->vertices : 0, sizeof(uint32_t));
}

static const struct weir__row_form form = {.program = &program,
                                           .rows = offsetof(struct color_args, part),
                                           .halo = offsetof(struct color_args, halo),
                                           .values = "color",
                                           .kind = WEIR_VALUE_U32,
                                           .need = need};

/* ---- building --------------------------------------------------------------------------------- */

/* Rows that have arcs, in the order in which they look at first. */
static weir_status enter_order(const weir_color *color, uint32_t d)
{
    const weir_rows_part *part = weir__row_steps_part(&color->on, d);
    return weir__color_draw(color, d, part->begin, part->busy,
                            weir_steps_data(color->on.steps, "order", d));
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
    if ((uint64_t)args->stretch * args->pieces > UINT32_MAX) /* ranks have 32 bits */
        args->stretch = 0;
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

weir_status weir__color_step_create(weir_color *color, const struct weir__making *making)
{
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_status status;
    config.in_arcs = 1; /* neighbours are at both ends */
    color->head.on = &color->on;
    status = weir__row_steps_create(&color->on, &form, making->context, making->graph,
                                    making->partition, making->options, &config, color);
    for (uint32_t d = 0; d < color->on.parts && !status; d++) {
        status = tell(color, weir_steps_args(color->on.steps, d));
        if (!status && color->config.permute)
            status = enter_order(color, d);
    }
    return status;
}

void weir__color_step_picked(const weir_color *color, weir_run_stats *stats)
{
    weir__row_steps_picked(&color->on, stats);
    stats->work.order = WEIR_ORDER_AUTO; /* there is no order to choose */
}

weir_status weir__color_step_run(weir_color *color, weir_run_stats *stats)
{
    const weir_status status = weir__row_steps_run(&color->on, stats);
    if (status)
        return status;
    uint64_t busy = 0; /* each of these looks for the first time, and takes a colour */
    for (uint32_t d = 0; d < color->on.parts; d++)
        busy += weir__row_steps_part(&color->on, d)->busy;
    const uint64_t looks = busy + weir_steps_total(color->on.steps, COLOR_LOOKS);
    weir__color_step_picked(color, stats);
    stats->work.processed = busy + weir_steps_total(color->on.steps, COLOR_TAKEN);
    stats->work.atoms = weir_steps_total(color->on.steps, COLOR_ARCS);
    stats->work.rounds = stats->steps;
    /* A row's place and its colour; an arc and the colour behind it. */
    stats->bytes = looks * (16 + 4) + stats->work.atoms * 8;
    stats->bytes_sent = stats->work.sent * sizeof(uint32_t);
    return WEIR_OK;
}
