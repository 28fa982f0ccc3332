/** @file simulate.c  A context of simulated devices from a machine.
 *
 * Resources, and who uses which, are those of flows.c, so copies share hops as planning has it. A
 * copy alone gets the pair's bandwidth (a staged one no more than its hops carry). Copies and
 * fills within a device, or within the home memory, share what its memory copies; copies between
 * devices do not draw on that, as links are an order slower than memories.
 *
 * Not modelled: how many copy engines a device has (any number of copies run at once), and what
 * kernels do with units and memory. Operations of one queue run in their order; kernels and copies
 * of different queues of a device do not wait for each other, other than through what they share. */
#include "topology/plan.h"
#include "topology/rehearse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_GBS 500.0 /* of a copy within a memory of which nothing is known */

struct tables {
    double *capacity_gbs;
    weir__sim_path *paths;
    char (*names)[64];
    uint64_t *memory_bytes;
};

static void fill_path(const weir_machine *machine, uint32_t from, uint32_t to, weir__sim_path *path)
{
    const size_t at = (size_t)from * (machine->devices + 1) + to;
    const weir_cost *cost = &machine->cost[at];
    path->reaches = machine->pair[at].reaches;
    path->latency_us = cost->latency_us;
    path->bandwidth_gbs = cost->bandwidth_gbs;
    if (from == to && !(cost->bandwidth_gbs > 0))
        path->bandwidth_gbs = MEMORY_GBS;
    path->count = weir__resources_of(machine, from, to, cost->staged, path->resource);
}

static weir_status alloc_tables(const weir_machine *machine, struct tables *tables)
{
    const size_t pairs = (size_t)(machine->devices + 1) * (machine->devices + 1);
    const char *what = "simulated machine";
    weir_status status;
    if ((status = weir__calloc(weir__resource_count(machine), sizeof(double), what,
                               &tables->capacity_gbs)) ||
        (status = weir__calloc(pairs, sizeof *tables->paths, what, &tables->paths)) ||
        (status = weir__calloc(machine->devices, sizeof *tables->names, what, &tables->names)))
        return status;
    return weir__calloc(machine->devices, sizeof(uint64_t), what, &tables->memory_bytes);
}

static void fill_tables(const weir_machine *machine, struct tables *tables)
{
    weir__capacities(machine, tables->capacity_gbs);
    for (uint32_t r = 0; r < weir__resource_count(machine); r++)
        if (isinf(tables->capacity_gbs[r])) /* only a memory's may be unknown */
            tables->capacity_gbs[r] = MEMORY_GBS;
    for (uint32_t from = 0; from <= machine->devices; from++)
        for (uint32_t to = 0; to <= machine->devices; to++)
            fill_path(machine, from, to,
                      &tables->paths[(size_t)from * (machine->devices + 1) + to]);
    for (uint32_t d = 0; d < machine->devices; d++) {
        memcpy(tables->names[d], machine->node[d].name, sizeof tables->names[d]);
        tables->memory_bytes[d] = machine->node[d].memory_bytes;
    }
}

static void free_tables(struct tables *tables)
{
    free(tables->capacity_gbs);
    free(tables->paths);
    free(tables->names);
    free(tables->memory_bytes);
}

static weir_status make_context(const weir_machine *machine, const weir_config *config, int dry,
                                weir_context **context_out)
{
    struct tables tables = {NULL, NULL, NULL, NULL};
    weir_status status = alloc_tables(machine, &tables);
    if (!status) {
        fill_tables(machine, &tables);
        const weir__sim_model model = {.devices = machine->devices,
                                       .resources = weir__resource_count(machine),
                                       .capacity_gbs = tables.capacity_gbs,
                                       .paths = tables.paths,
                                       .copy_us = machine->overheads.copy_us,
                                       .push_us = machine->overheads.push_us,
                                       .launch_us = machine->overheads.launch_us,
                                       .names = (const char(*)[64])tables.names,
                                       .memory_bytes = tables.memory_bytes,
                                       .dry = dry};
        status = weir__context_simulate(&model, config, context_out);
    }
    free_tables(&tables);
    return status;
}

static void destroy(void *machine)
{
    weir_machine_destroy(machine);
}

static weir_status simulate(const weir_machine *machine, const weir_overheads *overheads,
                            const weir_config *config, int dry, weir_context **context_out)
{
    weir_machine *copy;
    weir_status status;
    *context_out = NULL;
    if ((status = weir__machine_copy(machine, &copy)))
        return status;
    if (overheads)
        copy->overheads = *overheads;
    if ((status = make_context(copy, config, dry, context_out)))
        weir_machine_destroy(copy);
    else
        (void)weir__context_attach(*context_out, copy, destroy);
    return status;
}

weir_status weir_machine_simulate(const weir_machine *machine, const weir_config *config,
                                  weir_context **context_out)
{
    return simulate(machine, NULL, config, 0, context_out);
}

weir_status weir__machine_rehearse(const weir_machine *machine, const weir_overheads *overheads,
                                   const weir_config *config, weir_context **context_out)
{
    return simulate(machine, overheads, config, 1, context_out);
}
