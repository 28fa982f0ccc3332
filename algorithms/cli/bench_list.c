/** @file bench_list.c  The benchmarks of all layers as one list. */
#include "algorithms/cli/result.h"

#include "algorithms/bench.h"
#include "router/bench.h"

#include <string.h>

static const struct layer {
    size_t (*list)(const weir_bench_info **infos_out);
    weir_status (*run)(weir_context *context, const char *name, const weir_bench_config *config,
                       weir_bench_table **table_out);
} layers[] = {
    {weir_bench_list, weir_bench_run},
    {weir_router_bench_list, weir_router_bench_run},
    {weir_algorithms_bench_list, weir_algorithms_bench_run},
};
#define LAYERS (sizeof layers / sizeof *layers)

const weir_bench_info *weir__cli_bench_at(size_t index)
{
    for (size_t i = 0; i < LAYERS; i++) {
        const weir_bench_info *infos;
        size_t count = layers[i].list(&infos);
        if (index < count)
            return &infos[index];
        index -= count;
    }
    return NULL;
}

const weir_bench_info *weir__cli_bench_find(const char *name)
{
    const weir_bench_info *info;
    for (size_t i = 0; (info = weir__cli_bench_at(i)); i++)
        if (strcmp(info->name, name) == 0)
            return info;
    return NULL;
}

static const struct layer *layer_of(const char *name)
{
    for (size_t i = 0; i < LAYERS; i++) {
        const weir_bench_info *infos;
        size_t count = layers[i].list(&infos);
        for (size_t j = 0; j < count; j++)
            if (strcmp(infos[j].name, name) == 0)
                return &layers[i];
    }
    return &layers[0]; /* which says that there is none of that name */
}

weir_status weir__cli_bench_run(weir_context *context, const char *name,
                                const weir_bench_config *config, weir_bench_table **table_out)
{
    return layer_of(name)->run(context, name, config, table_out);
}
