/** @file list.c  The list of the machine's benchmarks. */
#include "topology/measure/list.h"

/* X(name, title, sized, function) */
#define BENCHES(X)                                                                                 \
    X("access", "access of kernels to other memories: read, write, atomics; coalesced and random", \
      1, weir__bench_access)                                                                       \
    X("memory", "a device's own memory, by kernels", 1, weir__bench_memory)                        \
    X("atomics", "atomics and random access by working-set size", 1, weir__bench_atomics)          \
    X("packets", "packets against one transfer", 1, weir__bench_packets)                           \
    X("indirect", "direct push against push and pull through host memory", 1,                      \
      weir__bench_indirect)                                                                        \
    X("broadcast", "one device to all others, every way", 1, weir__bench_broadcast)                \
    X("copy", "copy engine against kernel copies, one and both directions, by size", 1,            \
      weir__bench_copy)                                                                            \
    X("pairs", "every pair of devices, and each with the host", 1, weir__bench_pairs)              \
    X("ring", "every device to its neighbour in the ring at once", 1, weir__bench_ring)            \
    X("alltoall", "every device to every other at once", 1, weir__bench_alltoall)                  \
    X("contention", "several transfers that share a device, or the host", 1,                       \
      weir__bench_contention)                                                                      \
    X("flags", "latency of flags between devices and with the host", 0, weir__bench_flags)         \
    X("launch", "starting kernels, the frame of a timed region, barriers", 0, weir__bench_launch)

static const weir_bench_info infos[] = {BENCHES(WEIR__BENCH_INFO)};
static const bench_fn runs[] = {BENCHES(WEIR__BENCH_RUN)};
static const struct bench_list list = {infos, runs, sizeof infos / sizeof *infos};

size_t weir_bench_list(const weir_bench_info **infos_out)
{
    if (infos_out)
        *infos_out = infos;
    return list.count;
}

weir_status weir_bench_run(weir_context *context, const char *name, const weir_bench_config *config,
                           weir_bench_table **table_out)
{
    return weir__bench_run(&list, context, name, config, table_out);
}
