/** @file bench_list.c  The benchmarks of all layers as one list. */
#include "algorithms/cli/result.h"

#include "router/router.h"

#include <string.h>

const weir_bench_info *weir__cli_bench_at(size_t index)
{
    const weir_bench_info *infos;
    size_t count = weir_bench_list(&infos);
    if (index < count)
        return &infos[index];
    index -= count;
    count = weir_router_bench_list(&infos);
    return index < count ? &infos[index] : NULL;
}

const weir_bench_info *weir__cli_bench_find(const char *name)
{
    const weir_bench_info *info;
    for (size_t i = 0; (info = weir__cli_bench_at(i)); i++)
        if (strcmp(info->name, name) == 0)
            return info;
    return NULL;
}

static int is_routers(const char *name)
{
    const weir_bench_info *infos;
    size_t count = weir_router_bench_list(&infos);
    for (size_t i = 0; i < count; i++)
        if (strcmp(infos[i].name, name) == 0)
            return 1;
    return 0;
}

weir_status weir__cli_bench_run(weir_context *context, const char *name,
                                const weir_bench_config *config, weir_bench_table **table_out)
{
    return (is_routers(name) ? weir_router_bench_run : weir_bench_run)(context, name, config,
                                                                       table_out);
}
