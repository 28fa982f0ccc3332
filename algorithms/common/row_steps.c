/** @file row_steps.c  An algorithm in supersteps over a graph that is placed by rows. */
#include "algorithms/common/row_steps.h"
#include "algorithms/common/gather.h"
#include "runtime/support.h"

#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------ */

/* Elements of an array on all devices together; 0 where the form says it. */
static uint64_t elements_of(const weir_steps_array *array, const struct weir__sizes *sizes)
{
    switch (array->extent) {
    case WEIR_STEPS_COUNTED:
        return 0;
    case WEIR_STEPS_NUMBERS:
        return sizes->numbers * sizes->parts;
    case WEIR_STEPS_OWNED:
        return sizes->vertices;
    case WEIR_STEPS_WORDS:
        return sizes->numbers / 32 * sizes->parts;
    default:
        return sizes->parts;
    }
}

static const weir_steps_array *array_of(const struct weir__row_form *form, const char *name)
{
    for (uint32_t i = 0; i < form->program->array_count; i++)
        if (!strcmp(form->program->arrays[i].name, name))
            return &form->program->arrays[i];
    return NULL;
}

/* What is taken behind the rows: the arrays, what the program takes itself, and for a while what a gather of the values
 * takes. */
static weir_status reserve(const struct weir__row_steps *on, const weir_graph *graph,
                           const weir_partition *partition, const weir_run_options *options,
                           const void *user, uint64_t *bytes_out)
{
    const weir_steps_program *program = on->form->program;
    const weir_device *device = weir_context_device(on->context, 0);
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(on->context, graph, partition, &sizes);
    if (status)
        return status;
    for (uint32_t i = 0; i < program->array_count; i++) {
        const weir_steps_array *array = &program->arrays[i];
        if (array->extent != WEIR_STEPS_COUNTED && array->count && !array->count(user, 0, 0))
            continue;
        weir__need_take_on(&need, device, elements_of(array, &sizes), array->bytes);
    }
    if (on->form->need)
        on->form->need(&sizes, user, &need);
    weir__need_take(&need, options->reserved_bytes, 1);
    weir__need_pass(&need, sizes.numbers, array_of(on->form, on->form->values)->bytes);
    *bytes_out = (uint64_t)need.most;
    return WEIR_OK;
}

/* ---- the object -------------------------------------------------------------------------------- */

/* What bringing results to the host takes of the devices, where they only count. */
static weir_status count_results(const struct weir__row_steps *on, const void *user)
{
    const struct weir__row_form *form = on->form;
    const weir_steps_array *tree = form->tree ? array_of(form, form->tree) : NULL;
    weir_status status =
        weir__rows_count_results(on->rows, array_of(form, form->values)->bytes, form->gathered);
    return status || !tree || !tree->count(user, 0, 0)
               ? status
               : weir__rows_count_results(on->rows, tree->bytes, VALUES_AS_VERTICES);
}

static weir_status place(struct weir__row_steps *on, const weir_graph *graph,
                         const weir_partition *partition, const weir_rows_config *placing)
{
    return on->form->cells
               ? weir__rows_create_cells(on->context, graph, partition, placing, &on->rows)
               : weir_rows_create(on->context, graph, partition, placing, &on->rows);
}

weir_status weir__row_steps_create(struct weir__row_steps *on, const struct weir__row_form *form,
                                   weir_context *context, const weir_graph *graph,
                                   const weir_partition *partition, const weir_run_options *options,
                                   const weir_rows_config *config, void *user)
{
    weir_rows_config placing = *config;
    weir_steps_domain domain;
    weir_status status;
    placing.what = form->program->what;
    placing.halo = form->halo != 0;
    /* Where nobody chose, what follows the rows is known to fit beside them, or whoever made the choice streams arcs if not. */
    placing.memory = options->memory == WEIR_MEMORY_HOST ? WEIR_MEMORY_HOST : WEIR_MEMORY_DEVICE;
    weir__context_retain(context);
    on->form = form;
    on->context = context;
    on->parts = partition->parts;
    on->vertices = graph->vertices;
    if ((status = weir_steps_possible(context, on->parts)) ||
        (status = reserve(on, graph, partition, options, user, &placing.reserved_bytes)) ||
        (status = place(on, graph, partition, &placing)) ||
        (form->placed && (status = form->placed(on, user))))
        return status;
    weir_rows_domain(on->rows, &domain);
    status = weir_steps_create(context, on->form->program, &domain, user, options->time_limit_ms,
                               &on->steps);
    for (uint32_t d = 0; d < on->parts && !status; d++) {
        char *args = weir_steps_args(on->steps, d);
        memcpy(args + form->rows, weir__row_steps_part(on, d), sizeof(weir_rows_part));
        if (form->halo)
            memcpy(args + form->halo, weir_rows_halo_of(on->rows, d), sizeof(weir_rows_halo));
    }
    return status ? status : count_results(on, user);
}

void weir__row_steps_destroy(struct weir__row_steps *on)
{
    if (!on->context)
        return;
    weir_steps_destroy(on->steps); /* first: what a run that failed had queued still reads rows */
    weir_rows_destroy(on->rows);
    weir__context_release(on->context);
}

weir_status weir__row_steps_take(struct weir__row_steps *on, const char *array)
{
    const weir_steps_array *of = array_of(on->form, array);
    const struct weir__sizes sizes = {.vertices = on->vertices,
                                      .parts = on->parts,
                                      .numbers = weir__row_steps_part(on, 0)->numbers};
    struct weir__need need = {0, 0};
    weir_status status = WEIR_OK;
    if (!weir_steps_data(on->steps, array, 0)) {
        weir__need_take_on(&need, weir_context_device(on->context, 0), elements_of(of, &sizes),
                           of->bytes);
        status = weir__need_fits(&need, "%s with %s", on->form->program->what, array);
    }
    return status ? status : weir_steps_take(on->steps, array);
}

const weir_rows_part *weir__row_steps_part(const struct weir__row_steps *on, uint32_t device)
{
    return weir_rows_part_of(on->rows, device);
}

uint64_t weir__row_steps_stretch(const struct weir__row_steps *on, uint32_t device)
{
    const uint32_t *first = weir__row_steps_part(on, 0)->first;
    return first[device + 1] - first[device];
}

struct weir__cell weir__row_steps_cell(const struct weir__row_steps *on, uint32_t device)
{
    struct weir__cell cell;
    weir__rows_cell(on->rows, device, &cell);
    return cell;
}

/* ---- runs -------------------------------------------------------------------------------------- */

void weir__row_steps_picked(const struct weir__row_steps *on, weir_run_stats *stats)
{
    stats->devices = on->parts;
    stats->memory = weir_rows_memory(on->rows);
    stats->work.kernel = WEIR_KERNEL_FUSED;
    stats->work.order = WEIR_ORDER_BULK;
}

weir_status weir__row_steps_run(struct weir__row_steps *on, weir_run_stats *stats_out)
{
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    weir_run_phase *phase = stats_out->phase;
    weir_status status = weir_steps_run(on->steps, &times);
    if (status)
        return status;
    *stats_out = (weir_run_stats)WEIR_RUN_STATS_INIT;
    stats_out->kernel_ms = times.kernel_ms;
    weir__row_steps_picked(on, stats_out);
    for (uint32_t i = 0; i < WEIR_RUN_PHASES; i++) {
        phase[i].name = weir_steps_phase_of(on->steps, i, &phase[i].ms, &phase[i].steps);
        stats_out->steps += phase[i].steps;
    }
    for (uint32_t from = 0; from < on->parts; from++)
        for (uint32_t to = 0; to < on->parts; to++)
            stats_out->work.sent += from == to ? 0 : weir_steps_tells(on->steps, from, to);
    return WEIR_OK;
}

/* ---- results ----------------------------------------------------------------------------------- */

/* The element of the device's first row. */
static const void *rows_of(const struct weir__row_steps *on, const weir_steps_array *array,
                           uint32_t device)
{
    const char *data = weir_steps_data(on->steps, array->name, device);
    size_t row = 0;
    if (array->extent == WEIR_STEPS_NUMBERS)
        row = weir__row_steps_part(on, device)->begin;
    else if (array->extent == WEIR_STEPS_COUNTED && on->form->halo)
        row = weir_rows_halo_of(on->rows, device)->begin;
    return data ? data + row * array->bytes : NULL;
}

weir_status weir__row_steps_gather(const struct weir__row_steps *on, const char *array,
                                   void *values_out)
{
    const weir_steps_array *of = array_of(on->form, array);
    const void *all[WEIR_DEVICES_MAX];
    for (uint32_t d = 0; d < on->parts; d++)
        all[d] = rows_of(on, of, d);
    return weir_rows_gather(on->rows, all, of->bytes, values_out);
}

weir_status weir__row_steps_gather_wide(const struct weir__row_steps *on, const char *array,
                                        enum values_form form, void *values_out)
{
    const void *all[WEIR_DEVICES_MAX];
    for (uint32_t d = 0; d < on->parts; d++)
        all[d] = rows_of(on, array_of(on->form, array), d);
    return weir__rows_gather_wide(on->rows, all, form, values_out);
}

weir_status weir__row_steps_values(const struct weir__row_steps *on, uint32_t device,
                                   weir_values *values_out)
{
    const weir_steps_array *of = array_of(on->form, on->form->values);
    return weir_rows_values(on->rows, device, device < on->parts ? rows_of(on, of, device) : NULL,
                            on->form->kind, values_out);
}

weir_status weir__row_steps_link_items(const struct weir__row_steps *on, uint32_t from, uint32_t to,
                                       uint64_t *items_out)
{
    const uint32_t devices = weir_context_device_count(on->context);
    *items_out = 0;
    if (from >= devices || to >= devices)
        return weir__fail(WEIR_ERR_INVALID, "a link from device %u to %u of %u", from, to, devices);
    if (from < on->parts && to < on->parts && from != to)
        *items_out = weir_steps_tells(on->steps, from, to);
    return WEIR_OK;
}
