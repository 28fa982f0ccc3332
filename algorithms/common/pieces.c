/** @file pieces.c  Arcs of a graph to a device, a piece at a time; those that lie there already are read in place (graph/resident.h). */
#include "algorithms/common/pieces.h"
#include "algorithms/graph/resident.h"
#include "runtime/support.h"

uint64_t weir__pieces_usual(const weir_graph *graph)
{
    const uint64_t most = WEIR__PIECES_ARCS / 2;
    return graph->arcs < most ? graph->arcs : most;
}

weir_status weir__pieces_open(const weir_graph *graph, weir_device *device, uint64_t most,
                              int weights, struct weir__pieces *pieces)
{
    weir_status status;
    *pieces = (struct weir__pieces){.graph = graph,
                                    .device = device,
                                    .most = most,
                                    .weights = weights,
                                    .rooms = graph->arcs > most ? 2 : 1};
    status = weir_queue_create(device, 0, &pieces->queue);
    for (int i = 0; i < pieces->rooms && !status; i++) {
        status = weir__device_alloc_as(device, "arcs of the graph, a piece", most, 4,
                                       &pieces->room[i].heads);
        if (!status && pieces->weights)
            status = weir__device_alloc_as(device, "their weights", most,
                                           graph->weight_kind == WEIR_WEIGHT_F64 ? sizeof(double)
                                                                                 : sizeof(uint32_t),
                                           &pieces->room[i].weights);
    }
    return status;
}

/* The queue first: what a call that failed left in it uses memory. */
void weir__pieces_close(struct weir__pieces *pieces)
{
    weir_queue_destroy(pieces->queue);
    for (int i = 0; i < 2; i++) {
        weir_device_free(pieces->device, pieces->room[i].heads);
        weir_device_free(pieces->device, pieces->room[i].weights);
    }
}

/* Where arcs that are on devices can be read: in place, or after a copy from the others. */
static weir_status bring_resident(struct weir__pieces *pieces, uint32_t *room, uint64_t begin,
                                  uint64_t count, const uint32_t **heads_out)
{
    const struct weir__resident_range *range = weir__resident_at(pieces->graph, begin);
    weir_status status = WEIR_OK;
    *heads_out = room;
    if (range->device == pieces->device && range->end - begin >= count) {
        *heads_out = range->targets + (begin - range->begin);
        return WEIR_OK;
    }
    for (uint64_t done = 0, some; done < count && !status; done += some) {
        range = weir__resident_at(pieces->graph, begin + done);
        some =
            range->end - (begin + done) < count - done ? range->end - (begin + done) : count - done;
        status = weir_queue_copy(pieces->queue, pieces->device, room + done, range->device,
                                 range->targets + (begin + done - range->begin), some * 4);
    }
    return status ? status : weir_queue_sync(pieces->queue);
}

static weir_status bring_heads(struct weir__pieces *pieces, uint32_t *room, uint64_t begin,
                               uint64_t count, const uint32_t **heads_out)
{
    if (weir__resident_at(pieces->graph, begin))
        return bring_resident(pieces, room, begin, count, heads_out);
    *heads_out = room;
    return weir__upload(pieces->device, room, pieces->graph->targets + begin, count * 4);
}

weir_status weir__pieces_feed(struct weir__pieces *pieces, const weir_kernel *kernel,
                              arcs_piece *here, const void *args, size_t bytes, uint64_t begin,
                              uint64_t count)
{
    const weir_graph *graph = pieces->graph;
    uint32_t *heads = pieces->room[pieces->turn].heads;
    void *weights = pieces->room[pieces->turn].weights;
    weir_status status = pieces->rooms > 1 ? WEIR_OK : weir_queue_sync(pieces->queue);
    here->begin = begin;
    here->count = count;
    here->weights_u32 = graph->weights_u32 ? weights : NULL;
    here->weights_f64 = graph->weights_u32 ? NULL : weights;
    if (status || (status = bring_heads(pieces, heads, begin, count, &here->heads)))
        return status;
    if (here->weights_u32)
        status = weir__upload(pieces->device, weights, graph->weights_u32 + begin, count * 4);
    else if (here->weights_f64)
        status = weir__upload(pieces->device, weights, graph->weights_f64 + begin, count * 8);
    /* The kernel before looks at the other room, into which the next piece goes. */
    if (status || (status = weir_queue_sync(pieces->queue)))
        return status;
    pieces->turn = (pieces->turn + 1) % pieces->rooms;
    return weir_queue_launch(pieces->queue, kernel, args, bytes);
}

weir_status weir__pieces_each(struct weir__pieces *pieces, const weir_kernel *kernel,
                              arcs_piece *here, const void *args, size_t bytes, uint64_t begin,
                              uint64_t end)
{
    weir_status status = WEIR_OK;
    for (; begin < end && !status; begin += here->count)
        status = weir__pieces_feed(pieces, kernel, here, args, bytes, begin,
                                   end - begin < pieces->most ? end - begin : pieces->most);
    return status ? status : weir_queue_sync(pieces->queue);
}
