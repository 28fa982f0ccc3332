/** @file bench.c  The list of the router's benchmarks, and what they share. */
#include "router/measure/measure.h"

#include "runtime/internal.h"

#define SEEDS 65536u /* as in topology/measure: patterns of one run differ from those of the next */

/* X(name, title, sized, function) */
#define BENCHES(X)                                                                                \
    X("links", "one link against a bare copy, every transport, by message size", 1,               \
      weir__bench_links)                                                                          \
    X("linkpackets", "one link by packet size and number of buffers", 1, weir__bench_linkpackets) \
    X("hops", "latency of a segment through a router, alone and beside a large one", 1,           \
      weir__bench_hops)                                                                           \
    X("hostcost", "what sending and receiving a segment costs the calling thread", 0,             \
      weir__bench_hostcost)                                                                       \
    X("collectives", "collectives over routers, by ring and by tree, beside NCCL's", 1,           \
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

weir_status weir__bench_endpoint(struct bench *bench, uint32_t device, const char *name,
                                 weir_endpoint **endpoint_out)
{
    return weir_endpoint_create(weir__bench_device(bench, device), name, endpoint_out);
}

/* A receive that stays behind would keep its link's buffers and memory. Once the link is cancelled it has
 * ended, or its bytes are on their way: then it is given back behind them, in @p queue, which may be held
 * until the region ends. */
static weir_status give_up(weir_link *link, weir_pending *pending, weir_queue *queue,
                           weir_status status)
{
    weir_segment unused;
    weir_link_cancel(link, status);
    (void)weir_pending_wait_assigned(pending, -1, &unused);
    int under_way = weir_future_query(weir_pending_future(pending)) == WEIR_PENDING;
    (void)weir_pending_release(pending, under_way ? queue : NULL);
    return status;
}

static weir_status not_assigned(weir_status status)
{
    if (status < 0)
        return status;
    return weir__fail(WEIR_ERR_VERIFY, "a packet that was sent was not taken by a posted receive");
}

weir_status weir__bench_take(weir_link *link, weir_queue *queue, weir_pending **pending_out,
                             weir_segment *segment_out)
{
    weir_status status = weir_link_receive(link, pending_out);
    if (status == WEIR_ERR_FULL)
        status = weir__fail(WEIR_ERR_VERIFY, "all buffers of a link are taken, but none is held");
    if (status) {
        weir_link_cancel(link, status);
        return status;
    }
    return weir__bench_gate(link, queue, *pending_out, segment_out);
}

weir_status weir__bench_gate(weir_link *link, weir_queue *queue, weir_pending *pending,
                             weir_segment *segment_out)
{
    weir_status status = weir_pending_assigned(pending, segment_out);
    if (status)
        return give_up(link, pending, queue, not_assigned(status));
    status = weir_pending_gate(pending, queue);
    return status ? give_up(link, pending, queue, status) : WEIR_OK;
}

weir_status weir__bench_give(weir_link *link, weir_queue *queue, weir_pending *pending)
{
    weir_status status = weir_pending_release(pending, queue);
    if (status) /* there is no receive any more that could be given up */
        weir_link_cancel(link, status);
    return status;
}

weir_status weir__bench_keep(weir_queue *queue, char *target, const weir_segment *segment)
{
    return weir_queue_copy(queue, segment->device, target, segment->device, segment->data,
                           segment->bytes);
}

uint64_t weir__bench_seed(struct bench *bench)
{
    return ++bench->number * SEEDS;
}
