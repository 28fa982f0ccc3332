/** @file bench.h  Benchmarks of links, routers and collectives, in tables of topology/bench.h. */
#ifndef WEIR_ROUTER_BENCH_H
#define WEIR_ROUTER_BENCH_H

#include "topology/bench.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The benchmarks of links, routers and collectives: weir_bench_list() has those of the machine.
 *  @return how many; @p infos_out may be NULL. */
size_t weir_router_bench_list(const weir_bench_info **infos_out);
/** Run one of them, as weir_bench_run() does; the table is destroyed the same way.
 *  @par Blocks  as weir_bench_run(), with which it shares the context's only benchmark at a time. */
weir_status weir_router_bench_run(weir_context *context, const char *name,
                                  const weir_bench_config *config, weir_bench_table **table_out);

#ifdef __cplusplus
}
#endif
#endif
