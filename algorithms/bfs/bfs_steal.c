/** @file bfs_steal.c  Breadth-first search in step whose levels are shared out, or done by one device, on the host's side: what is
 * refused, which device that is, and what a run did. */
#include "algorithms/bfs/bfs_in_step.h"
#include "algorithms/bfs/bfs_step.h"
#include "algorithms/common/own_machine.h"
#include "algorithms/common/steal_host.h"
#include "runtime/config.h"
#include "runtime/support.h"
#include "topology/topology.h"

#include <stddef.h>
#include <stdlib.h>

/* Levels of so many entries are narrow until it is measured: on a GPU about what all its workers have under way at a time. */
#define GPU_ENTRIES  (UINT32_C(1) << 14)
#define HOST_ENTRIES (UINT32_C(1) << 10)

#define LONE_PHASE 4 /* of weir_run_stats.phase: "by one device" */

/* Where results of a run are, and what comes over a link: a target an arc, and entries of queues. */
static const struct weir__steal_results results = {.looked = BFS_RESULT_DOWN_ARCS,
                                                   .without = BFS_RESULT_LONE_ARCS,
                                                   .owner = BFS_RESULT_FOR,
                                                   .entries = BFS_RESULT_STOLEN,
                                                   .steps = BFS_RESULT_STEAL_STEPS,
                                                   .most_owned = BFS_RESULT_MOST_OWNED,
                                                   .most_done = BFS_RESULT_MOST_DONE,
                                                   .copied = BFS_RESULT_COPIED,
                                                   .arc_bytes = 4,
                                                   .entry_bytes = sizeof(struct bfs_piece)};

weir_status weir__bfs_steal_fits(const weir_partition *partition, const weir_run_options *options)
{
    const weir_status status = weir__steal_fits(partition, options);
    return !status && options->balance != WEIR_BALANCE_OFF &&
                   options->direction == WEIR_DIRECTION_PULL
               ? weir__steal_refuse(
                     options->balance,
                     "is about levels that go top-down, and with direction pull none does")
               : status;
}

/* Of a machine with more devices than take part, the one of these that leaves last. */
weir_status weir__bfs_lone_of(weir_balance balance, weir_context *context, uint32_t parts,
                              uint32_t *lone_out)
{
    const weir_machine *machine;
    weir_reduction reduction;
    weir_status status;
    *lone_out = BFS_NONE;
    if (balance != WEIR_BALANCE_OWNERSHIP && balance != WEIR_BALANCE_BOTH)
        return WEIR_OK;
    if ((status = weir_machine_of(context, &machine)) ||
        (status = weir_reduction_make(machine, &reduction)))
        return status;
    for (uint32_t i = 0; i < reduction.devices; i++)
        if (reduction.leaves[i] < parts)
            *lone_out = reduction.leaves[i];
    return WEIR_OK;
}

/* ---- before runs -------------------------------------------------------------------------------- */

/* Where the rows of a part lie among those of all, by number. @param[in,out] base  of its arcs; of the next part. */
static weir_status place_offsets(weir_device *device, const weir_rows_part *part, uint64_t *base,
                                 uint64_t *offsets)
{
    uint64_t *its = offsets + part->begin;
    const uint64_t behind = part->first[part->part + 1];
    weir_status status = part->owned ? weir__download(device, its, part->out.offsets,
                                                      (part->owned + UINT64_C(1)) * 8)
                                     : WEIR_OK;
    for (uint64_t row = 0; row < part->owned && !status; row++)
        its[row] += *base;
    *base += part->arcs_out;
    for (uint64_t number = part->begin + part->owned; number <= behind; number++)
        offsets[number] = *base;
    return status;
}

/* Fill the rows of all on the device that does narrow levels alone. */
static weir_status place_rows(const struct bfs_in_step *in_step)
{
    weir_context *context = in_step->on.context;
    weir_device *lone = weir_context_device(context, in_step->lone);
    weir_queue *queue = weir_steps_queue(in_step->on.steps, in_step->lone);
    char *targets = weir_steps_data(in_step->on.steps, "targets of all", in_step->lone);
    const uint64_t numbers = weir__row_steps_part(&in_step->on, in_step->lone)->numbers;
    uint64_t *offsets, base = 0;
    weir_status status = weir__alloc(numbers + 1, 8, "offsets of all rows", &offsets);
    if (status)
        return status;
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++) {
        const weir_rows_part *part = weir__row_steps_part(&in_step->on, p);
        weir_device *device = weir_context_device(context, p);
        if (part->arcs_out)
            status = weir_queue_copy(queue, lone, targets + base * 4, device, part->out.targets,
                                     part->arcs_out * 4);
        if (!status)
            status = place_offsets(device, part, &base, offsets);
    }
    if (!status)
        status =
            weir__upload(lone, weir_steps_data(in_step->on.steps, "offsets of all", in_step->lone),
                         offsets, (numbers + 1) * 8);
    if (!status)
        status = weir_queue_sync(queue);
    free(offsets);
    return status;
}

weir_status weir__bfs_steal_bind(struct bfs_in_step *in_step)
{
    const weir_config *tunables = weir_context_config(in_step->on.context);
    const uint32_t entries = (uint32_t)weir__config_get(tunables, WEIR__STEAL_ENTRIES);
    const int gpu = weir__device_is_gpu(weir_context_device(in_step->on.context, 0));
    weir_status status;
    if (in_step->balance == WEIR_BALANCE_OFF)
        return WEIR_OK;
    status =
        weir__steal_bind(&in_step->on, offsetof(struct bfs_step_args, steal), WEIR__OWN_BFS_BYTES);
    if (!status && in_step->lone != BFS_NONE)
        status = place_rows(in_step);
    if (!status && in_step->hubs.rows)
        status = weir__bfs_hubs_place(in_step);
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++) {
        struct bfs_step_args *args = weir_steps_args(in_step->on.steps, p);
        if (in_step->balance == WEIR_BALANCE_OWNERSHIP)
            args->steal.least = UINT64_MAX;
        uint64_t base = 0;
        args->lone = in_step->lone;
        args->lone_entries = entries ? entries : gpu ? GPU_ENTRIES : HOST_ENTRIES;
        args->lone_fixed = entries != 0;
        if (in_step->lone != BFS_NONE) {
            args->stretches = weir_steps_data(in_step->on.steps, "stretches", in_step->lone);
            args->lone_level = weir_steps_data(in_step->on.steps, "level of all", in_step->lone);
            args->lone_parent = weir_steps_data(in_step->on.steps, "parent of all", in_step->lone);
        }
        for (uint32_t q = 0; q < in_step->on.parts; q++) {
            const weir_rows_part *its = weir__row_steps_part(&in_step->on, q);
            args->peer[q] = (struct bfs_peer){
                .queue = weir_steps_data(in_step->on.steps, "queue", q),
                .targets = its->out.targets,
                .base = base,
            };
            base += its->arcs_out;
        }
    }
    return status;
}

/* ---- behind a run ------------------------------------------------------------------------------- */

weir_status weir__bfs_in_step_stolen(const struct bfs_in_step *in_step, uint32_t owner,
                                     uint32_t worker, uint64_t *arcs_out)
{
    return weir__steal_stolen(&in_step->on, in_step->balance, &results, owner, worker, arcs_out);
}

/* What moved between devices: bits there and back, levels and parents back; stretches of queues are little beside that. */
static void report_lone(const struct bfs_in_step *in_step, weir_run_stats *stats)
{
    const uint64_t *its = weir_steps_results(in_step->on.steps, in_step->lone);
    const weir_rows_part *part = weir__row_steps_part(&in_step->on, in_step->lone);
    const uint64_t back =
        weir_steps_total(in_step->on.steps, BFS_RESULT_LONE_BACK) - its[BFS_RESULT_LONE_BACK];
    const uint64_t bits = part->numbers - (part->first[part->part + 1] - part->begin);
    const uint64_t on_first = stats->phase[LONE_PHASE].steps;
    stats->lone_levels = its[BFS_RESULT_LONE_LEVELS];
    stats->lone_moves = its[BFS_RESULT_LONE_MOVES];
    stats->lone_arcs = its[BFS_RESULT_LONE_ARCS];
    stats->lone_bytes = stats->lone_moves * 2 * bits / 8 + back * (in_step->parents ? 8 : 4);
    stats->lone_entries = its[BFS_RESULT_LONE_ENTRIES];
    stats->together_ns = its[BFS_RESULT_TOGETHER_NS];
    stats->lone_device = in_step->lone;
    /* Phases have the steps of the first device; the others wait while that one goes on. */
    stats->phase[LONE_PHASE].steps = its[BFS_RESULT_LONE_STEPS];
    stats->work.rounds += (its[BFS_RESULT_LONE_STEPS] - on_first) * in_step->on.parts;
}

void weir__bfs_steal_report(const struct bfs_in_step *in_step, weir_run_stats *stats)
{
    if (in_step->balance == WEIR_BALANCE_OFF)
        return;
    stats->balance = in_step->balance;
    weir__steal_report(&in_step->on, &results, stats);
    if (in_step->lone != BFS_NONE)
        report_lone(in_step, stats);
}
