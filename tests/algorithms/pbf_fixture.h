/** @file pbf_fixture.h  A filter with its arrays, for the tests of filtering. */
#ifndef WEIR_TESTS_ALGORITHMS_PBF_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_PBF_FIXTURE_H

#include "algorithms/algorithms.h"
#include "tests/lib/support.h"

struct bench {
    weir_context *context;
    weir_pbf_config config;
    weir_pbf *pbf;
    uint32_t *input, *output;
    uint64_t elements;
    weir_pbf_stats stats;
};

enum { SEED = 7 };

static inline weir_pbf_config config_for(double selectivity, size_t packet_bytes)
{
    weir_pbf_config config = WEIR_PBF_CONFIG_INIT;
    config.below = (uint64_t)(selectivity * 4294967296.0);
    config.packet_bytes = packet_bytes;
    config.pieces = 1;
    return config;
}

static inline void bench_open(struct bench *bench, weir_context *context,
                              const weir_pbf_config *config, uint64_t elements)
{
    *bench = (struct bench){
        .context = context, .config = *config, .elements = elements, .stats = WEIR_PBF_STATS_INIT};
    bench->input = new_memory(weir_context_home(context), elements * sizeof(uint32_t));
    bench->output = new_memory(weir_context_home(context), elements * sizeof(uint32_t));
    weir_pbf_generate(SEED, elements, bench->input);
    OK(weir_pbf_create(context, config, &bench->pbf));
}

static inline void bench_close(struct bench *bench)
{
    weir_pbf_destroy(bench->pbf);
    weir_device_free(weir_context_home(bench->context), bench->output);
    weir_device_free(weir_context_home(bench->context), bench->input);
}

static inline weir_status run(struct bench *bench)
{
    return weir_pbf_run(bench->pbf, bench->input, bench->elements, bench->output, bench->elements,
                        &bench->stats);
}

static inline void check_result(const struct bench *bench)
{
    OK(weir_pbf_verify(&bench->config, SEED, bench->elements, bench->output, bench->stats.kept));
}

#endif
