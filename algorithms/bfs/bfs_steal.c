/** @file bfs_steal.c  Breadth-first search in step whose levels are shared out, or done by one device, on the host's side: what is
 * refused, which device that is, what an arc takes on whose behalf, and what a run did. */
#include "algorithms/bfs/bfs_in_step.h"
#include "algorithms/bfs/bfs_step.h"
#include "algorithms/common/own_machine.h"
#include "runtime/config.h"
#include "runtime/support.h"
#include "topology/topology.h"

#include <stdlib.h>

/* What looking along an arc takes a device of its own memory, nanoseconds, where the machine's file does not say (arc_ns): a wide level of an
 * R-MAT graph top-down, measured on a core of a server, and reckoned for a GPU. Only its ratio to what a link adds counts. */
#define GPU_ARC_NS  0.12
#define CORE_ARC_NS 3.0
/* Levels of fewer arcs take less time than the steps in front of them: two barriers over links, and a decision. */
#define GPU_ARCS  (UINT64_C(1) << 20)
#define HOST_ARCS (UINT64_C(1) << 16)
/* Levels of so many entries are narrow until it is measured: on a GPU about what all its workers have under way at a time. */
#define GPU_ENTRIES  (UINT32_C(1) << 14)
#define HOST_ENTRIES (UINT32_C(1) << 10)

#define LONE_PHASE 4 /* of weir_run_stats.phase: "by one device" */

static weir_status refuse(weir_balance balance, const char *why)
{
    return weir__fail(WEIR_ERR_UNSUPPORTED, "balance %s %s: leave it out",
                      weir_balance_text(balance), why);
}

weir_status weir__bfs_steal_fits(const weir_partition *partition, const weir_run_options *options)
{
    if (options->balance == WEIR_BALANCE_OFF)
        return WEIR_OK;
    if (partition->parts < 2)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "balance %s is about several devices, and this search runs on one: leave "
                          "it out, or give "
                          "a partition over several",
                          weir_balance_text(options->balance));
    if (partition->parts > STEAL_DEVICES)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "balance %s is for %u devices at the most, and this search runs on %u: "
                          "leave it out",
                          weir_balance_text(options->balance), STEAL_DEVICES, partition->parts);
    if (options->direction == WEIR_DIRECTION_PULL)
        return refuse(options->balance,
                      "is about levels that go top-down, and with direction pull none does");
    if (options->memory == WEIR_MEMORY_HOST)
        return refuse(options->balance,
                      options->balance == WEIR_BALANCE_FRONTIER
                          ? "has no effect on arcs in host memory, which no device is nearer to"
                          : "is not built yet for arcs in host memory");
    return WEIR_OK;
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

/* What an arc takes a device by itself: as was measured, or as such devices take. */
static double arc_ns(const weir_machine *machine, const weir_device *device, uint32_t index)
{
    const weir_node *node = weir_machine_node(machine, index);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    return node->arc_ns > 0              ? node->arc_ns
           : weir__device_is_gpu(device) ? GPU_ARC_NS
                                         : CORE_ARC_NS / (info.units ? info.units : 1);
}

static weir_status find_costs(const struct bfs_in_step *in_step, int gpu, double *cost)
{
    const weir_machine *machine;
    weir_status status = weir_machine_of(in_step->on.context, &machine);
    for (uint32_t i = 0; i < in_step->on.parts && !status; i++)
        for (uint32_t j = 0; j < in_step->on.parts && !status; j++) {
            const double own = arc_ns(machine, weir_context_device(in_step->on.context, j), j);
            double more = 0;
            if (i != j)
                status = weir__own_far_ns(machine, i, j, gpu, own, &more);
            cost[i * STEAL_DEVICES + j] = own + more;
        }
    return status;
}

/* How fast device @p index is, beside the fastest. */
static uint32_t speed_of(const double *cost, uint32_t parts, uint32_t index)
{
    double least = cost[0];
    for (uint32_t d = 1; d < parts; d++)
        least = cost[d * STEAL_DEVICES + d] < least ? cost[d * STEAL_DEVICES + d] : least;
    const double speed = STEAL_FASTEST * least / cost[index * STEAL_DEVICES + index];
    return speed > 1 ? (uint32_t)(speed + 0.5) : 1;
}

/* Where the rows of a part lie among those of all, by number. @param[in,out] base  of its arcs; of the next part. */
static weir_status place_offsets(weir_device *device, const weir_rows_part *part, uint64_t *base,
                                 uint64_t *offsets)
{
    uint64_t *its = offsets + part->begin;
    const uint64_t behind = part->first[part->part + 1];
    weir_status status = part->owned
                             ? weir__download(device, its, part->out.offsets, (part->owned + 1) * 8)
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
    weir_context *context = in_step->on.context;
    const weir_config *tunables = weir_context_config(context);
    const uint64_t least = weir__config_get(tunables, WEIR__STEAL_ARCS);
    const uint32_t entries = (uint32_t)weir__config_get(tunables, WEIR__STEAL_ENTRIES);
    const int gpu = weir__device_is_gpu(weir_context_device(context, 0));
    double cost[STEAL_DEVICES * STEAL_DEVICES] = {0};
    weir_status status;
    if (in_step->balance == WEIR_BALANCE_OFF)
        return WEIR_OK;
    status = find_costs(in_step, gpu, cost);
    if (!status && in_step->lone != BFS_NONE)
        status = place_rows(in_step);
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++) {
        struct bfs_step_args *args = weir_steps_args(in_step->on.steps, p);
        args->steal_arcs = in_step->balance == WEIR_BALANCE_OWNERSHIP ? UINT64_MAX
                           : least                                    ? least
                           : gpu                                      ? GPU_ARCS
                                                                      : HOST_ARCS;
        args->steal_percent = weir__config_get(tunables, WEIR__STEAL_PERCENT);
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
            args->steal_speed[q] = speed_of(cost, in_step->on.parts, q);
            args->peer[q] = (struct bfs_peer){
                .queue = weir_steps_data(in_step->on.steps, "queue", q),
                .targets = its->out.targets,
                .cuts = weir_steps_data(in_step->on.steps, "cuts", q),
                .base = base,
            };
            base += its->arcs_out;
        }
        status = weir__upload(weir_context_device(context, p),
                              weir_steps_data(in_step->on.steps, "cost", p), cost, sizeof cost);
    }
    return status;
}

/* ---- behind a run ------------------------------------------------------------------------------- */

static uint64_t looked_for(const struct bfs_in_step *in_step, uint32_t owner, uint32_t worker)
{
    const uint64_t *result = weir_steps_results(in_step->on.steps, worker);
    uint64_t arcs = owner == worker ? result[BFS_RESULT_DOWN_ARCS] - result[BFS_RESULT_LONE_ARCS]
                                    : result[BFS_RESULT_FOR + owner];
    for (uint32_t other = 0; other < in_step->on.parts && owner == worker; other++)
        arcs -= result[BFS_RESULT_FOR + other];
    return arcs;
}

weir_status weir__bfs_in_step_stolen(const struct bfs_in_step *in_step, uint32_t owner,
                                     uint32_t worker, uint64_t *arcs_out)
{
    const uint32_t devices = weir_context_device_count(in_step->on.context);
    *arcs_out = 0;
    if (in_step->balance == WEIR_BALANCE_OFF)
        return weir__fail(WEIR_ERR_INVALID, "the search runs with balance off");
    if (owner >= devices || worker >= devices)
        return weir__fail(WEIR_ERR_INVALID, "arcs of device %u, looked along by device %u, of %u",
                          owner, worker, devices);
    if (owner < in_step->on.parts && worker < in_step->on.parts)
        *arcs_out = looked_for(in_step, owner, worker);
    return WEIR_OK;
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
    const uint64_t *first = weir_steps_results(in_step->on.steps, 0);
    const double arcs = (double)(weir_steps_total(in_step->on.steps, BFS_RESULT_DOWN_ARCS) -
                                 weir_steps_total(in_step->on.steps, BFS_RESULT_LONE_ARCS));
    const double parts = in_step->on.parts;
    if (in_step->balance == WEIR_BALANCE_OFF)
        return;
    stats->balance = in_step->balance;
    stats->stolen_levels = first[BFS_RESULT_STEAL_STEPS] / 2;
    for (uint32_t i = 0; i < in_step->on.parts; i++)
        for (uint32_t j = 0; j < in_step->on.parts; j++)
            stats->stolen_arcs += i != j ? looked_for(in_step, i, j) : 0;
    if (in_step->lone != BFS_NONE)
        report_lone(in_step, stats);
    stats->stolen_bytes =
        stats->stolen_arcs * 4 +
        weir_steps_total(in_step->on.steps, BFS_RESULT_STOLEN) * sizeof(struct bfs_piece);
    if (first[BFS_RESULT_MOST_OWNED])
        stats->stall_before = 1 - arcs / (parts * (double)first[BFS_RESULT_MOST_OWNED]);
    if (first[BFS_RESULT_MOST_DONE])
        stats->stall_after = 1 - arcs / (parts * (double)first[BFS_RESULT_MOST_DONE]);
}
