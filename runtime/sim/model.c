/** @file model.c  The machine that a simulation plays: checked and copied. */
#include "runtime/sim/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No overhead, nor the latency of a whole path, is longer: their sum fits into picoseconds. */
#define LONGEST_US 1e9

static int is_time(double us)
{
    return us >= 0 && us <= LONGEST_US;
}

static weir_status check_path(const weir__sim_model *model, uint32_t from, uint32_t to)
{
    const weir__sim_path *path = &model->paths[(size_t)from * (model->devices + 1) + to];
    int good = is_time(path->latency_us) && path->bandwidth_gbs >= 0 &&
               isfinite(path->bandwidth_gbs) && path->count <= WEIR__SIM_PATH_MAX;
    for (uint32_t i = 0; good && i < path->count; i++)
        good = path->resource[i] < model->resources;
    if (good)
        return WEIR_OK;
    return weir__fail(
        WEIR_ERR_INVALID,
        "the path from device %u to %u of a simulated machine has a latency, bandwidth "
        "or hop that cannot be",
        from, to);
}

static weir_status check(const weir__sim_model *model)
{
    weir_status status = WEIR_OK;
    if (model->devices == 0 || model->devices > WEIR_DEVICES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "a simulated machine of %u devices: 1 to %d can be",
                          model->devices, WEIR_DEVICES_MAX);
    if (!is_time(model->copy_us) || !is_time(model->push_us) || !is_time(model->launch_us))
        return weir__fail(WEIR_ERR_INVALID, "an overhead of a simulated machine is no time");
    for (uint32_t r = 0; r < model->resources; r++)
        if (!(model->capacity_gbs[r] > 0) || !isfinite(model->capacity_gbs[r]))
            return weir__fail(WEIR_ERR_INVALID,
                              "hop or memory %u of a simulated machine has no bandwidth", r);
    for (uint32_t from = 0; from <= model->devices && !status; from++)
        for (uint32_t to = 0; to <= model->devices && !status; to++)
            status = check_path(model, from, to);
    return status;
}

static weir_status copy_table(const void *table, size_t count, size_t bytes, void *copy_out)
{
    void *copy;
    weir_status status = weir__alloc(count, bytes, "simulated machine", &copy);
    if (!status && count)
        memcpy(copy, table, count * bytes);
    *(void **)copy_out = status ? NULL : copy;
    return status;
}

static weir_status copy_tables(const weir__sim_model *model, struct weir__sim *sim)
{
    size_t pairs = (size_t)(model->devices + 1) * (model->devices + 1);
    weir_status status;
    if ((status = copy_table(model->capacity_gbs, model->resources, sizeof(double),
                             &sim->model.capacity_gbs)) ||
        (status = copy_table(model->paths, pairs, sizeof *model->paths, &sim->model.paths)) ||
        (status =
             copy_table(model->names, model->devices, sizeof *model->names, &sim->model.names)) ||
        (status = copy_table(model->memory_bytes, model->devices, sizeof(uint64_t),
                             &sim->model.memory_bytes)))
        return status;
    return weir__calloc(model->resources, 2 * sizeof(double), "simulated machine",
                        &sim->share.scratch);
}

static uint64_t picoseconds(double us)
{
    return (uint64_t)llround(us * 1e6);
}

weir_status weir__sim_create(const weir__sim_model *model, struct weir__sim **sim_out)
{
    struct weir__sim *sim;
    weir_status status;
    *sim_out = NULL;
    if ((status = check(model)) || (status = weir__calloc(1, sizeof *sim, "simulation", &sim)))
        return status;
    pthread_mutex_init(&sim->lock, NULL);
    weir__cond_init(&sim->changed);
    sim->model.devices = model->devices;
    sim->model.resources = model->resources;
    sim->model.copy_ps = picoseconds(model->copy_us);
    sim->model.push_ps = picoseconds(model->push_us);
    sim->model.launch_ps = picoseconds(model->launch_us);
    sim->model.dry = model->dry;
    if ((status = copy_tables(model, sim)))
        weir__sim_destroy(sim);
    else
        *sim_out = sim;
    return status;
}

void weir__sim_destroy(struct weir__sim *sim)
{
    if (!sim)
        return;
    free(sim->model.capacity_gbs);
    free(sim->model.paths);
    free(sim->model.names);
    free(sim->model.memory_bytes);
    free(sim->share.scratch);
    free(sim->share.begin);
    free(sim->share.use);
    free(sim->share.limit);
    free(sim->share.rate);
    free(sim->due);
    free(sim->flows);
    pthread_cond_destroy(&sim->changed);
    pthread_mutex_destroy(&sim->lock);
    free(sim);
}
