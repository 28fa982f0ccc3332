/** @file sssp_step_run.c  Shortest paths in step: set-up, runs, results. */
#include "algorithms/sssp/sssp_step_side.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

extern const weir_steps_program weir__sssp_step_program;

static weir_device *device(const struct sssp_run *run, uint32_t p)
{
    return weir_context_device(run->context, p);
}

const uint32_t *weir__sssp_run_distances(const struct sssp_run *run)
{
    return run->distances;
}

const weir__rows *weir__sssp_run_rows(const struct sssp_run *run)
{
    return run->rows;
}

/* ---- set-up --------------------------------------------------------------------------------- */

weir_status weir__sssp_run_possible(const weir_context *context, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t j = 0; j < parts; j++)
            if (i != j && !weir_device_atomics(weir_context_device(context, i),
                                               weir_context_device(context, j)))
                return weir__fail(WEIR_ERR_UNSUPPORTED,
                                  "device %u has no atomics on the memory of device %u", i, j);
    return WEIR_OK;
}

static weir_status fits(const struct sssp_run *run, const weir_graph *graph,
                        const weir_partition *partition, const weir_run_options *options,
                        const struct weir__rows_config *config)
{
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(run->context, graph, partition, &sizes);
    if (status)
        return status;
    weir__rows_need(&sizes, config, &need);
    weir__need_take(&need, sizes.vertices, 4);
    weir__sssp_sides_need(&sizes, &need);
    weir__need_take(&need, options->reserved_bytes, 1);
    weir__need_pass(&need, sizes.numbers, 4);
    return weir__need_fits(&need, "shortest paths of %s", graph->name);
}

static weir_status build(struct sssp_run *run, const weir_graph *graph,
                         const weir_partition *partition, const weir_run_options *options)
{
    struct weir__rows_config config = {.in = 1, .weights = 1, .by_weight = 1};
    weir_status status;
    weir__rows_look(graph, &config);
    if ((status = fits(run, graph, partition, options, &config)) ||
        (status = weir_steps_create(run->context, run->parts, &weir__sssp_step_program,
                                    options->time_limit_ms, &run->bsp)) ||
        (status = weir__rows_create(run->context, graph, partition, &config, &run->rows)) ||
        (status = weir__alloc(graph->vertices, 4, "distances", &run->distances)))
        return status;
    memset(run->distances, 0xFF, graph->vertices * 4);
    return weir__sssp_sides_take(run);
}

weir_status weir__sssp_run_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, const weir_run_options *options,
                                  uint32_t delta, struct sssp_run **run_out)
{
    struct sssp_run *run;
    weir_status status;
    *run_out = NULL;
    if ((status = weir__calloc(1, sizeof *run, "shortest paths", &run)))
        return status;
    weir__context_retain(context);
    run->context = context;
    run->parts = partition->parts;
    run->delta = delta;
    if ((status = build(run, graph, partition, options))) {
        weir__sssp_run_destroy(run);
        return status;
    }
    *run_out = run;
    return WEIR_OK;
}

void weir__sssp_run_destroy(struct sssp_run *run)
{
    if (!run)
        return;
    weir_steps_destroy(run->bsp);
    weir__sssp_sides_free(run);
    weir__rows_destroy(run->rows);
    free(run->distances);
    weir__context_release(run->context);
    free(run);
}

/* ---- a run ---------------------------------------------------------------------------------- */

static weir_status collect(struct sssp_run *run)
{
    const void *own[WEIR_DEVICES_MAX];
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < run->parts && !status; p++) {
        own[p] = run->side[p].tent + weir__rows_part(run->rows, p)->begin;
        status = weir__download(device(run, p), &run->side[p].last, run->side[p].words,
                                sizeof run->side[p].last);
    }
    return status ? status : weir__rows_gather(run->rows, own, 4, run->distances);
}

/* Items that a device sent to another in pushes of the last run. */
static uint64_t pushed_items(const struct sssp_run *run, uint32_t from, uint32_t to)
{
    return from == to ? 0 : weir_steps_tells(run->bsp, from, to);
}

struct count {
    const uint32_t *distances, *numbers, *degrees;
    uint64_t reached, arcs, far; /* relaxed additions; the join publishes them */
};

static void count_reached(void *user, uint64_t begin, uint64_t end)
{
    struct count *count = user;
    uint64_t reached = 0, arcs = 0, far = 0;
    for (uint64_t v = begin; v < end; v++)
        if (count->distances[v] != SSSP_U32_UNREACHED) {
            reached++;
            arcs += count->degrees[count->numbers[v]];
            far += count->distances[v] == SSSP_U32_FAR;
        }
    __atomic_fetch_add(&count->reached, reached, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->arcs, arcs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->far, far, __ATOMIC_RELAXED);
}

weir_status weir__sssp_run(struct sssp_run *run, uint64_t source, weir_run_stats *stats_out,
                           int *far_out)
{
    struct count count = {.distances = run->distances,
                          .numbers = weir__rows_numbers(run->rows),
                          .degrees = weir__rows_degrees(run->rows)};
    const struct sssp_step_words *words[WEIR_DEVICES_MAX];
    uint32_t number;
    uint64_t items = 0;
    double ms;
    weir_status status = weir__rows_locate(run->rows, source, NULL, &number);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = weir__sssp_side_prepare(run, p, number);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = weir_queue_sync(weir_steps_queue(run->bsp, p));
    if (status || (status = weir_steps_run(run->bsp, &ms)) || (status = collect(run)))
        return status;
    weir__parallel_for(weir__rows_part(run->rows, 0)->vertices, UINT64_C(1) << 16, 0, count_reached,
                       &count);
    *far_out = count.far != 0;
    for (uint32_t p = 0; p < run->parts; p++) {
        words[p] = &run->side[p].last;
        for (uint32_t to = 0; to < run->parts; to++)
            items += pushed_items(run, p, to);
    }
    *stats_out =
        (weir_run_stats){.kernel_ms = ms, .reached = count.reached, .arcs_reached = count.arcs};
    stats_out->work.delta = run->delta;
    weir__sssp_step_report(words, run->parts, items, stats_out);
    return WEIR_OK;
}

weir_status weir__sssp_run_values(const struct sssp_run *run, uint32_t device_index,
                                  weir_values *values_out)
{
    const uint32_t *own =
        device_index < run->parts
            ? run->side[device_index].tent + weir__rows_part(run->rows, device_index)->begin
            : NULL;
    return weir__rows_values(run->rows, device_index, own, WEIR_VALUE_U32, values_out);
}

weir_status weir__sssp_run_link_items(const struct sssp_run *run, uint32_t from, uint32_t to,
                                      uint64_t *items_out)
{
    const uint32_t devices = weir_context_device_count(run->context);
    *items_out = 0;
    if (from >= devices || to >= devices)
        return weir__fail(WEIR_ERR_INVALID, "a link from device %u to %u of %u", from, to, devices);
    if (from < run->parts && to < run->parts && from != to)
        *items_out = pushed_items(run, from, to) + run->side[from].last.values;
    return WEIR_OK;
}

uint64_t weir__sssp_run_spilled(const struct sssp_run *run)
{
    uint64_t spilled = 0;
    for (uint32_t p = 0; p < run->parts; p++)
        spilled += run->side[p].last.spilled;
    return spilled;
}

void weir__sssp_run_cancel(struct sssp_run *run)
{
    weir_steps_cancel(run->bsp);
}
