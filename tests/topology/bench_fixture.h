/** @file bench_fixture.h  What the tests of benchmarks share. */
#ifndef WEIR_TESTS_TOPOLOGY_BENCH_FIXTURE_H
#define WEIR_TESTS_TOPOLOGY_BENCH_FIXTURE_H

#include "tests/lib/support.h"

#include "topology/bench.h"

#include <string.h>

#define SMALL_BYTES 65536

static inline weir_bench_config small_config(void)
{
    weir_bench_config config = WEIR_BENCH_CONFIG_INIT;
    config.bytes = SMALL_BYTES;
    config.trials = 3;
    config.warmups = 1;
    config.limit_ms = LONG_MS;
    return config;
}

/** The simulated devices of a machine, with so many events each. */
static inline weir_context *simulate_with(const char *text, const char *events)
{
    weir_machine *machine;
    weir_config *config;
    weir_context *context;
    OK(weir_machine_open(text, &machine));
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "events", events));
    OK(weir_machine_simulate(machine, config, &context));
    weir_config_destroy(config);
    weir_machine_destroy(machine);
    return context;
}

static inline weir_context *simulate(const char *text)
{
    return simulate_with(text, "1024");
}

static inline weir_bench_table *run(weir_context *context, const char *name,
                                    const weir_bench_config *config)
{
    weir_bench_table *table;
    OK(weir_bench_run(context, name, config, &table));
    return table;
}

/** The row of a series; x 0: any. */
static inline const weir_bench_row *row_of(const weir_bench_table *table, const char *series,
                                           double x)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->rows[i].series, series) && (x == 0 || table->rows[i].x == x))
            return &table->rows[i];
    fail_msg("%s has no row \"%s\" at %g", table->name, series, x);
    return NULL;
}

#endif
