/** @file list.c  The list of the router's benchmarks. */
#include "router/measure/list.h"

/* X(name, title, sized, function) */
#define BENCHES(X)                                                                                \
    X("links", "one link against a bare copy, every transport, by message size", 1,               \
      weir__bench_links)                                                                          \
    X("linkpackets", "one link by packet size and number of buffers", 1, weir__bench_linkpackets) \
    X("hops", "latency of a segment through a router, alone and beside a large one", 1,           \
      weir__bench_hops)                                                                           \
    X("channels", "latency of a packet between two running kernels, through a channel", 0,        \
      weir__bench_channels)                                                                       \
    X("channelstreams", "what a channel carries, by packet size and number of rings", 1,          \
      weir__bench_channelstreams)                                                                 \
    X("channelring", "one device to all others along the ring, by kernels that stay", 1,          \
      weir__bench_channelring)                                                                    \
    X("hostcost", "what sending and receiving a segment costs the calling thread", 0,             \
      weir__bench_hostcost)                                                                       \
    X("collectives",                                                                              \
      "collectives by ring, by tree, directly, over channels, by NCCL, and by auto", 1,           \
      weir__bench_collectives)

static const weir_bench_info infos[] = {BENCHES(WEIR__BENCH_INFO)};
static const bench_fn runs[] = {BENCHES(WEIR__BENCH_RUN)};
static const struct bench_list list = {infos, runs, sizeof infos / sizeof *infos};

size_t weir_router_bench_list(const weir_bench_info **infos_out)
{
    if (infos_out)
        *infos_out = infos;
    return list.count;
}

weir_status weir_router_bench_run(weir_context *context, const char *name,
                                  const weir_bench_config *config, weir_bench_table **table_out)
{
    return weir__bench_run(&list, context, name, config, table_out);
}
