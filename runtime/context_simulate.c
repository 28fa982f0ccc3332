/** @file context_simulate.c  A context whose devices, and home, are simulated. */
#include "runtime/context.h"
#include "runtime/sim/sim.h"

#include <string.h>

static weir_status open_simulated(weir_context *context, const weir__sim_model *model)
{
    weir_status status;
    if ((status = weir__sim_create(model, &context->sim)))
        return status;
    for (uint32_t i = 0; i < model->devices && !status; i++) {
        status = weir__context_open(context, &weir__sim_backend, i, 1, i, &context->devices[i]);
        context->count += !status;
    }
    if (!status)
        status = weir__context_open(context, &weir__sim_backend, model->devices, 1, model->devices,
                                    &context->home);
    if (!status) {
        strcpy(context->home->info.label, "home");
        context->home->info.ordinal = 0;
    }
    return status;
}

static void connect_simulated(weir_context *context, const weir__sim_model *model)
{
    int off = weir__config_get(context->config, WEIR__PEER) != 0;
    uint32_t home = model->devices;
    for (uint32_t s = 0; s <= home; s++)
        for (uint32_t d = 0; d <= home; d++)
            context->reaches[s][d] = s == d || s == home || d == home ||
                                     (!off && model->paths[(size_t)s * (home + 1) + d].reaches);
}

weir_status weir__context_simulate(const weir__sim_model *model, const weir_config *config,
                                   weir_context **context_out)
{
    weir_context *context;
    weir_status status;
    *context_out = NULL;
    if ((status = weir__context_empty(config, &context)))
        return status;
    if ((status = open_simulated(context, model))) {
        weir_context_destroy(context);
        return status;
    }
    connect_simulated(context, model);
    weir__log(WEIR__LOG_INFO, "context of %u simulated devices", model->devices);
    *context_out = context;
    return WEIR_OK;
}
