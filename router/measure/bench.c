/** @file bench.c  What the router's benchmarks share. */
#include "router/measure/measure.h"

#include "runtime/internal.h"

#define SEEDS 65536u /* as in topology/measure: patterns of one run differ from those of the next */

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
    if (status == WEIR_FULL)
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
    if (status == WEIR_FULL)
        return give_up(
            link, pending, queue,
            weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)"));
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
