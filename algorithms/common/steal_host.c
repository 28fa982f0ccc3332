/** @file steal_host.c  Lists that are shared out, on the host's side: what is refused, what an arc takes on whose behalf, and what a run
 * did. */
#include "algorithms/common/steal_host.h"
#include "algorithms/common/own_machine.h"
#include "runtime/config.h"
#include "runtime/support.h"
#include "topology/topology.h"

/* What looking along an arc takes a device of its own memory, nanoseconds, where the machine's file does not say (arc_ns): a wide level of an
 * R-MAT graph top-down, measured on a core of a server, and reckoned for a GPU. Only its ratio to what a link adds counts. */
#define GPU_ARC_NS  0.12
#define CORE_ARC_NS 3.0
/* Lists of fewer arcs take less time than the steps in front of them: two barriers over links, and a decision. */
#define GPU_ARCS  (UINT64_C(1) << 20)
#define HOST_ARCS (UINT64_C(1) << 16)

weir_status weir__steal_refuse(weir_balance balance, const char *why)
{
    return weir__fail(WEIR_ERR_UNSUPPORTED, "balance %s %s: leave it out",
                      weir_balance_text(balance), why);
}

weir_status weir__steal_fits(const weir_partition *partition, const weir_run_options *options)
{
    if (options->balance == WEIR_BALANCE_OFF)
        return WEIR_OK;
    if (partition->parts < 2)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "balance %s is about several devices, and this run has one: leave "
                          "it out, or give "
                          "a partition over several",
                          weir_balance_text(options->balance));
    if (partition->parts > STEAL_DEVICES)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "balance %s is for %u devices at the most, and this run has %u: "
                          "leave it out",
                          weir_balance_text(options->balance), STEAL_DEVICES, partition->parts);
    if (options->memory == WEIR_MEMORY_HOST)
        return weir__steal_refuse(
            options->balance,
            options->balance == WEIR_BALANCE_FRONTIER
                ? "has no effect on arcs in host memory, which no device is nearer to"
                : "is not built yet for arcs in host memory");
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

static weir_status find_costs(const struct weir__row_steps *on, int gpu, double arc_bytes,
                              struct steal_cost *cost)
{
    const weir_machine *machine;
    weir_status status = weir_machine_of(on->context, &machine);
    for (uint32_t i = 0; i < on->parts && !status; i++)
        for (uint32_t j = 0; j < on->parts && !status; j++) {
            const double own = arc_ns(machine, weir_context_device(on->context, j), j);
            double more = 0;
            if (i != j)
                status = weir__own_far_ns(machine, i, j, gpu, own, arc_bytes, &more);
            cost[i * STEAL_DEVICES + j] =
                (struct steal_cost){.arc = own + more,
                                    .entry = weir_machine_node(machine, j)->entry_ns,
                                    .find = weir_machine_node(machine, j)->find_ns};
        }
    return status;
}

/* How fast device @p index is, beside the fastest. */
static uint32_t speed_of(const struct steal_cost *cost, uint32_t parts, uint32_t index)
{
    double least = cost[0].arc;
    for (uint32_t d = 1; d < parts; d++)
        least = cost[d * STEAL_DEVICES + d].arc < least ? cost[d * STEAL_DEVICES + d].arc : least;
    const double speed = STEAL_FASTEST * least / cost[index * STEAL_DEVICES + index].arc;
    return speed > 1 ? (uint32_t)(speed + 0.5) : 1;
}

/* As how much of an arc something counts. */
static uint32_t part_of(double arc, double ns)
{
    const double parts = STEAL_OF_ARC * ns / arc + 0.5;
    return (uint32_t)(parts < STEAL_MOST ? parts : STEAL_MOST);
}

/* What devices reckon with in whole numbers. */
static void weigh(struct steal_cost *cost, uint32_t parts)
{
    for (uint32_t j = 0; j < parts; j++) {
        struct steal_cost *own = &cost[j * STEAL_DEVICES + j];
        own->speed = speed_of(cost, parts, j);
        own->entry_weight = part_of(own->arc, own->entry);
        own->find_weight = part_of(own->arc, own->find);
    }
}

weir_status weir__steal_bind(const struct weir__row_steps *on, size_t field, double arc_bytes)
{
    const weir_config *tunables = weir_context_config(on->context);
    const uint64_t least = weir__config_get(tunables, WEIR__STEAL_ARCS);
    const int gpu = weir__device_is_gpu(weir_context_device(on->context, 0));
    struct steal_cost cost[STEAL_DEVICES * STEAL_DEVICES] = {{.arc = 0}};
    weir_status status = find_costs(on, gpu, arc_bytes, cost);
    if (!status)
        weigh(cost, on->parts);
    for (uint32_t p = 0; p < on->parts && !status; p++) {
        struct steal_args *args =
            (struct steal_args *)((char *)weir_steps_args(on->steps, p) + field);
        args->least = least ? least : gpu ? GPU_ARCS : HOST_ARCS;
        args->percent = (uint32_t)weir__config_get(tunables, WEIR__STEAL_PERCENT);
        args->devices = on->parts;
        for (uint32_t q = 0; q < on->parts; q++) {
            args->tell[q] = weir_steps_data(on->steps, "cuts", q);
        }
        status = weir__upload(weir_context_device(on->context, p),
                              weir_steps_data(on->steps, "cost", p), cost, sizeof cost);
    }
    return status;
}

/* ---- behind a run ------------------------------------------------------------------------------- */

static uint64_t looked_for(const struct weir__row_steps *on,
                           const struct weir__steal_results *results, uint32_t owner,
                           uint32_t worker)
{
    const uint64_t *result = weir_steps_results(on->steps, worker);
    uint64_t arcs = result[results->owner + owner];
    if (owner != worker)
        return arcs;
    arcs = result[results->looked];
    if (results->without < WEIR_STEPS_RESULTS)
        arcs -= result[results->without];
    for (uint32_t other = 0; other < on->parts; other++)
        arcs -= result[results->owner + other];
    return arcs;
}

weir_status weir__steal_stolen(const struct weir__row_steps *on, weir_balance balance,
                               const struct weir__steal_results *results, uint32_t owner,
                               uint32_t worker, uint64_t *arcs_out)
{
    const uint32_t devices = weir_context_device_count(on->context);
    *arcs_out = 0;
    if (balance == WEIR_BALANCE_OFF)
        return weir__fail(WEIR_ERR_INVALID, "the search runs with balance off");
    if (owner >= devices || worker >= devices)
        return weir__fail(WEIR_ERR_INVALID, "arcs of device %u, looked along by device %u, of %u",
                          owner, worker, devices);
    if (owner < on->parts && worker < on->parts)
        *arcs_out = looked_for(on, results, owner, worker);
    return WEIR_OK;
}

void weir__steal_report(const struct weir__row_steps *on, const struct weir__steal_results *results,
                        weir_run_stats *stats)
{
    const uint64_t *first = weir_steps_results(on->steps, 0);
    const double parts = on->parts;
    uint64_t arcs = 0;
    stats->stolen_levels = first[results->steps] / 2;
    for (uint32_t i = 0; i < on->parts; i++)
        for (uint32_t j = 0; j < on->parts; j++) {
            const uint64_t its = looked_for(on, results, i, j);
            stats->stolen_arcs += i != j ? its : 0;
            arcs += its;
        }
    if (results->copied < WEIR_STEPS_RESULTS)
        stats->stolen_copied = weir_steps_total(on->steps, results->copied);
    stats->stolen_bytes =
        (stats->stolen_arcs - stats->stolen_copied) * results->arc_bytes +
        weir_steps_total(on->steps, (uint32_t)results->entries) * results->entry_bytes;
    if (first[results->most_owned])
        stats->stall_before = 1 - (double)arcs / (parts * (double)first[results->most_owned]);
    if (first[results->most_done])
        stats->stall_after = 1 - (double)arcs / (parts * (double)first[results->most_done]);
}
