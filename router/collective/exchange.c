/** @file exchange.c  Blocks that go straight from their senders to their receivers: all-to-all, gather, scatter.
 *
 * In step s every rank sends to the one that comes s ranks later, around the end: in each step everybody
 * sends to one and receives from one. A packet costs the host the same on whatever link it goes, so a block
 * that others pass on, around a ring or along a tree, takes more hops or more bytes, and never less time. */
#include "router/collective/internal.h"

struct block weir__block(const weir_collectives *c, const struct call *call, uint32_t from,
                         uint32_t to)
{
    size_t one = call->bytes, source = 0, target = 0, bytes = one, at = from * c->ranks + to;
    switch (call->what) {
    case WEIR_COLLECTIVE_ALL_TO_ALL:
        source = to * one;
        target = from * one;
        break;
    case WEIR_COLLECTIVE_GATHER:
        target = from * one;
        bytes = to == call->root ? one : 0;
        break;
    case WEIR_COLLECTIVE_SCATTER:
        source = to * one;
        bytes = from == call->root ? one : 0;
        break;
    default:
        source = call->send_offsets[at] * call->element;
        target = call->recv_offsets[at] * call->element;
        bytes = call->counts[at] * call->element;
        break;
    }
    if (!bytes) /* the pointers may be NULL */
        return (struct block){NULL, NULL, 0};
    return (struct block){weir__at(call->send[from], source), weir__to(call->recv[to], target),
                          bytes};
}

static weir_status send_piece(weir_collectives *c, const struct call *call, uint32_t from,
                              uint32_t to, size_t at, size_t piece)
{
    struct block block = weir__block(c, call, from, to);
    if (at >= block.bytes)
        return WEIR_OK;
    struct hop hop = {.from = from,
                      .to = to,
                      .source = weir__at(block.source, at),
                      .ready = c->rank[from].begin,
                      .target = weir__to(block.target, at),
                      .bytes = block.bytes - at < piece ? block.bytes - at : piece};
    return weir__hop_copy(c, &hop, NULL);
}

weir_status weir__exchange(weir_collectives *c, const struct call *call, size_t piece)
{
    weir_status status = WEIR_OK;
    for (uint32_t step = 1; step < c->ranks && !status; step++)
        for (size_t at = 0; at < call->bytes && !status; at += piece)
            for (uint32_t from = 0; from < c->ranks && !status; from++)
                status = send_piece(c, call, from, (from + step) % c->ranks, at, piece);
    return status;
}
