/** @file sim_model.h  A simulated context for tests of the runtime: two devices and home, all alike. */
#ifndef WEIR_TESTS_RUNTIME_SIM_MODEL_H
#define WEIR_TESTS_RUNTIME_SIM_MODEL_H

#include "runtime/internal.h"
#include "tests/lib/support.h"

#define SIM_DEVICES   2
#define SIM_LAUNCH_US 5.0

/** Copies between any two run at 1 GB/s, starting takes a microsecond. */
static inline weir_status sim_try_open(weir_context **context_out)
{
    static weir__sim_path paths[(SIM_DEVICES + 1) * (SIM_DEVICES + 1)];
    static const char names[SIM_DEVICES][64] = {"one", "two"};
    static const uint64_t memory[SIM_DEVICES] = {1 << 30, 1 << 30};
    static const double capacity[1] = {1};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        paths[i] = (weir__sim_path){.reaches = 1, .latency_us = 1, .bandwidth_gbs = 1};
    const weir__sim_model model = {.devices = SIM_DEVICES,
                                   .resources = 1,
                                   .capacity_gbs = capacity,
                                   .paths = paths,
                                   .copy_us = 1,
                                   .push_us = 1,
                                   .launch_us = SIM_LAUNCH_US,
                                   .names = names,
                                   .memory_bytes = memory};
    return weir__context_simulate(&model, NULL, context_out);
}

static inline weir_context *sim_open(void)
{
    weir_context *context;
    OK(sim_try_open(&context));
    return context;
}

#endif
