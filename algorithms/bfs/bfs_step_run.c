/** @file bfs_step_run.c  Breadth-first search in step: runs, and what they found. */
#include "algorithms/bfs/bfs_step_object.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

weir_status weir__bfs_run_no_parents(struct bfs_run *run, uint32_t p)
{
    return run->parents ? weir_queue_fill(weir_steps_queue(run->bsp, p), run->side[p].parent, 0xFF,
                                          (size_t)weir__rows_part(run->rows, p)->owned * 4)
                        : WEIR_OK;
}

static weir_status prepare(struct bfs_run *run, uint32_t p)
{
    struct bfs_side *side = &run->side[p];
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    weir_queue *queue = weir_steps_queue(run->bsp, p);
    weir_status status;
    if ((status = weir_queue_copy(queue, weir__bfs_run_device(run, p), side->found[0],
                                  weir__bfs_run_device(run, p), side->base, part->numbers / 8)) ||
        (status = weir_queue_fill(queue, side->level, 0xFF, (size_t)part->owned * 4)) ||
        (status = weir_queue_fill(queue, side->tail, 0, 4)) ||
        (status = weir_queue_fill(queue, side->absorbed, 0, (size_t)run->parts * 4)))
        return status;
    return weir__bfs_run_no_parents(run, p);
}

static weir_status gather(struct bfs_run *run, uint32_t *const *values, void *values_out)
{
    const void *all[WEIR_DEVICES_MAX];
    for (uint32_t p = 0; p < run->parts; p++)
        all[p] = values[p];
    return weir__rows_gather(run->rows, all, 4, values_out);
}

struct count {
    const int32_t *levels;
    const uint32_t *numbers, *degrees;
    uint64_t reached, arcs; /* relaxed additions; the join publishes them */
};

static void count_reached(void *user, uint64_t begin, uint64_t end)
{
    struct count *count = user;
    uint64_t reached = 0, arcs = 0;
    for (uint64_t v = begin; v < end; v++)
        if (count->levels[v] >= 0) {
            reached++;
            arcs += count->degrees[count->numbers[v]];
        }
    __atomic_fetch_add(&count->reached, reached, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->arcs, arcs, __ATOMIC_RELAXED);
}

static uint64_t sum_of(const struct bfs_run *run, enum bfs_result which)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < run->parts; p++)
        sum += weir_steps_results(run->bsp, p)[which];
    return sum;
}

static weir_run_phase phase_of(const struct bfs_run *run, const char *name, enum bfs_result ns,
                               enum bfs_result steps)
{
    weir_run_phase phase = {name, 0, weir_steps_results(run->bsp, 0)[steps]};
    for (uint32_t p = 0; p < run->parts; p++) {
        double ms = (double)weir_steps_results(run->bsp, p)[ns] / 1e6;
        phase.ms = phase.ms < ms ? ms : phase.ms;
    }
    return phase;
}

static uint64_t items_sent(const struct bfs_run *run)
{
    uint64_t sent = 0;
    for (uint32_t from = 0; from < run->parts; from++)
        for (uint32_t to = 0; to < run->parts; to++)
            sent += weir_steps_tells(run->bsp, from, to);
    return sent;
}

static void report(const struct bfs_run *run, double ms, weir_run_stats *stats)
{
    const uint64_t *first = weir_steps_results(run->bsp, 0);
    const uint64_t words = weir__rows_part(run->rows, 0)->numbers / 32;
    struct count count = {.levels = run->levels,
                          .numbers = weir__rows_numbers(run->rows),
                          .degrees = weir__rows_degrees(run->rows)};
    weir__parallel_for(run->vertices, UINT64_C(1) << 16, 0, count_reached, &count);
    *stats =
        (weir_run_stats){.kernel_ms = ms, .reached = count.reached, .arcs_reached = count.arcs};
    stats->direction = run->direction;
    stats->devices = run->parts;
    stats->steps = first[BFS_RESULT_LEVELS];
    stats->least_items = count.reached;
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
    stats->phase[0] = phase_of(run, "top-down", BFS_RESULT_DOWN_NS, BFS_RESULT_DOWN_STEPS);
    stats->phase[1] = phase_of(run, "bottom-up", BFS_RESULT_UP_NS, BFS_RESULT_UP_STEPS);
    stats->phase[2] = phase_of(run, "turning", BFS_RESULT_TURN_NS, BFS_RESULT_TURN_STEPS);
}

/* On the device they are 32 bits without a sign. */
static weir_status levels_fit(const struct bfs_run *run)
{
    return weir_steps_results(run->bsp, 0)[BFS_RESULT_LEVELS] <= (uint64_t)INT32_MAX + 1
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
}

weir_status weir__bfs_run(struct bfs_run *run, uint64_t source, weir_run_stats *stats_out)
{
    uint32_t *levels[WEIR_DEVICES_MAX], number;
    weir_status status = weir__rows_locate(run->rows, source, NULL, &number);
    double ms;
    for (uint32_t p = 0; p < run->parts && !status; p++) {
        ((struct bfs_step_args *)weir_steps_args(run->bsp, p))->source = number;
        levels[p] = run->side[p].level;
        status = prepare(run, p);
    }
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = weir_queue_sync(weir_steps_queue(run->bsp, p));
    if (status || (status = weir_steps_run(run->bsp, &ms)) || (status = levels_fit(run)) ||
        (status = gather(run, levels, run->levels)))
        return status;
    if (stats_out)
        report(run, ms, stats_out);
    return WEIR_OK;
}

weir_status weir__bfs_run_levels(const struct bfs_run *run, int32_t *levels_out)
{
    memcpy(levels_out, run->levels, run->vertices * 4);
    return WEIR_OK;
}

weir_status weir__bfs_run_values(const struct bfs_run *run, uint32_t device,
                                 weir_values *values_out)
{
    return weir__rows_values(run->rows, device,
                             device < run->parts ? run->side[device].level : NULL, WEIR_VALUE_I32,
                             values_out);
}

weir_status weir__bfs_run_parents(const struct bfs_run *run, int64_t *parents_out)
{
    const uint32_t *vertices = weir__rows_vertices(run->rows);
    const void *parents[WEIR_DEVICES_MAX];
    uint32_t *numbers;
    weir_status status = weir__alloc(run->vertices, 4, "parents", &numbers);
    if (status)
        return status;
    for (uint32_t p = 0; p < run->parts; p++)
        parents[p] = run->side[p].parent;
    if (!(status = weir__rows_gather(run->rows, parents, 4, numbers)))
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
        *items_out = weir_steps_tells(run->bsp, from, to);
    return WEIR_OK;
}

void weir__bfs_run_cancel(struct bfs_run *run)
{
    weir_steps_cancel(run->bsp);
}
