/** @file bench.h  Benchmarks of what algorithms do around their kernels, in tables of topology/bench.h. */
#ifndef WEIR_ALGORITHMS_BENCH_H
#define WEIR_ALGORITHMS_BENCH_H

#include "topology/bench.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The benchmarks of this layer: weir_bench_list() and weir_router_bench_list() have those of the layers below.
 *  @return how many; @p infos_out may be NULL. */
size_t weir_algorithms_bench_list(const weir_bench_info **infos_out);
/** Run one of them, as weir_bench_run() does; the table is destroyed the same way.
 *  @par Blocks  as weir_bench_run(), with which it shares the context's only benchmark at a time. */
weir_status weir_algorithms_bench_run(weir_context *context, const char *name,
                                      const weir_bench_config *config,
                                      weir_bench_table **table_out);

#ifdef __cplusplus
}
#endif
#endif
