/** @file context.c  A context whose devices, and home, are simulated, and how it goes on: in the calls of its threads. */
#include "runtime/context.h"
#include "runtime/sim/engine.h"

#include <string.h>

static struct weir__sim *engine_of(const weir_context *context)
{
    return context->engine;
}

static weir_status wait(weir_context *context, const struct weir__wait *wait, int64_t timeout_ms)
{
    if (wait->is)
        return weir__sim_wait(engine_of(context), wait->is, wait->user, timeout_ms);
    return wait->sleep(wait->user, timeout_ms) ? WEIR_OK : WEIR_ERR_TIMEOUT;
}

static void poll(weir_context *context, int (*is)(void *user), void *user)
{
    (void)weir__sim_poll(engine_of(context), is, user);
}

static int step(weir_context *context)
{
    return context->engine && weir__sim_go_on(engine_of(context));
}

static void kick(weir_context *context)
{
    weir__sim_changed(engine_of(context));
}

static void end(weir_context *context)
{
    weir__sim_destroy(context->engine);
}

static const weir__progress virtual_time = {
    .wait = wait, .poll = poll, .step = step, .kick = kick, .end = end, .by_calls = 1};

static weir_status open_simulated(weir_context *context, const weir__sim_model *model)
{
    struct weir__sim *sim;
    weir_status status = weir__sim_create(model, &sim);
    if (status)
        return status;
    context->engine = sim;
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
    context->progress = &virtual_time;
    if ((status = open_simulated(context, model))) {
        weir_context_destroy(context);
        return status;
    }
    connect_simulated(context, model);
    weir__log(WEIR__LOG_INFO, "context of %u simulated devices", model->devices);
    *context_out = context;
    return WEIR_OK;
}
