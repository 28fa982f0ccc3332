/** @file bfs_step_run.c  Breadth-first search in step: runs, and what they found. */
#include "algorithms/bfs/bfs_step_object.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

/* One of the arrays of all devices, in the order of vertices. */
static weir_status gather(const struct bfs_run *run, const char *name, void *values_out)
{
    const void *all[WEIR_DEVICES_MAX];
    for (uint32_t p = 0; p < run->parts; p++)
        all[p] = weir_steps_data(run->steps, name, p);
    return weir__rows_gather(run->rows, all, 4, values_out);
}

static uint64_t sum_of(const struct bfs_run *run, enum bfs_result which)
{
    return weir_steps_total(run->steps, which);
}

static uint64_t items_sent(const struct bfs_run *run)
{
    uint64_t sent = 0;
    for (uint32_t from = 0; from < run->parts; from++)
        for (uint32_t to = 0; to < run->parts; to++)
            sent += weir_steps_tells(run->steps, from, to);
    return sent;
}

static void report(const struct bfs_run *run, double ms, weir_run_stats *stats)
{
    const uint64_t *first = weir_steps_results(run->steps, 0);
    const uint64_t words = weir__rows_part(run->rows, 0)->numbers / 32;
    *stats = (weir_run_stats){.kernel_ms = ms,
                              .reached = sum_of(run, BFS_RESULT_REACHED),
                              .arcs_reached = weir__rows_part(run->rows, 0)->arcs_all -
                                              sum_of(run, BFS_RESULT_ARCS_LEFT)};
    stats->direction = run->direction;
    stats->devices = run->parts;
    stats->steps = first[BFS_RESULT_LEVELS];
    stats->least_items = stats->reached;
    stats->work.ms = ms;
    stats->work.kernel = WEIR_KERNEL_FUSED;
    stats->work.order = WEIR_ORDER_BULK;
    stats->work.processed = sum_of(run, BFS_RESULT_PIECES) + sum_of(run, BFS_RESULT_UP_ROWS);
    stats->work.atoms = sum_of(run, BFS_RESULT_DOWN_ARCS) + sum_of(run, BFS_RESULT_UP_ARCS);
    stats->work.sent = items_sent(run);
    stats->work.rounds =
        (first[BFS_RESULT_DOWN_STEPS] + first[BFS_RESULT_UP_STEPS] + first[BFS_RESULT_TURN_STEPS]) *
        run->parts;
    /* An arc's target and its bit; a row's two offsets, its level, and an entry of the queue. */
    stats->bytes = stats->work.atoms * 8 + stats->work.processed * (8 + 4 + 32) +
                   first[BFS_RESULT_UP_STEPS] * words * 8;
    /* An item; and a bitmap that all bring to all, at each level bottom-up and on the way there. Of several
     * devices the steps between the ways are there, back, there, ... */
    stats->bytes_sent = stats->work.sent * (run->parents ? 8 : 4) +
                        (first[BFS_RESULT_UP_STEPS] + (first[BFS_RESULT_TURN_STEPS] + 1) / 2) *
                            words * 4 * (run->parts - 1);
    for (uint32_t i = 0; (stats->phase[i].name = weir_steps_phase_of(
                              run->steps, i, &stats->phase[i].ms, &stats->phase[i].steps));
         i++)
        ;
}

/* On the device they are 32 bits without a sign. */
static weir_status levels_fit(const struct bfs_run *run)
{
    return weir_steps_results(run->steps, 0)[BFS_RESULT_LEVELS] <= (uint64_t)INT32_MAX + 1
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
}

weir_status weir__bfs_run(struct bfs_run *run, uint64_t source, weir_run_stats *stats_out)
{
    weir_steps_times times;
    uint32_t number;
    weir_status status = weir__rows_locate(run->rows, source, NULL, &number);
    if (status)
        return status;
    for (uint32_t p = 0; p < run->parts; p++) {
        struct bfs_step_args *args = weir_steps_args(run->steps, p);
        args->source = number;
        args->previous = run->previous;
    }
    run->previous = number;
    if ((status = weir_steps_run(run->steps, &times)) || (status = levels_fit(run)))
        return status;
    if (stats_out)
        report(run, times.kernel_ms, stats_out);
    return WEIR_OK;
}

weir_status weir__bfs_run_levels(const struct bfs_run *run, int32_t *levels_out)
{
    return gather(run, "level", levels_out);
}

weir_status weir__bfs_run_values(const struct bfs_run *run, uint32_t device,
                                 weir_values *values_out)
{
    return weir__rows_values(run->rows, device,
                             device < run->parts ? weir_steps_data(run->steps, "level", device)
                                                 : NULL,
                             WEIR_VALUE_I32, values_out);
}

weir_status weir__bfs_run_parents(const struct bfs_run *run, int64_t *parents_out)
{
    const uint32_t *vertices = weir__rows_vertices(run->rows);
    uint32_t *numbers;
    weir_status status = weir__alloc(run->vertices, 4, "parents", &numbers);
    if (status)
        return status;
    if (!(status = gather(run, "parent", numbers)))
        for (uint64_t v = 0; v < run->vertices; v++)
            parents_out[v] = numbers[v] == BFS_NONE ? -1 : (int64_t)vertices[numbers[v]];
    free(numbers);
    return status;
}

weir_status weir__bfs_run_link_items(const struct bfs_run *run, uint32_t from, uint32_t to,
                                     uint64_t *items_out)
{
    const uint32_t devices = weir_context_device_count(run->context);
    *items_out = 0;
    if (from >= devices || to >= devices)
        return weir__fail(WEIR_ERR_INVALID, "a link from device %u to %u of %u", from, to, devices);
    if (from < run->parts && to < run->parts)
        *items_out = weir_steps_tells(run->steps, from, to);
    return WEIR_OK;
}

void weir__bfs_run_cancel(struct bfs_run *run)
{
    weir_steps_cancel(run->steps);
}
