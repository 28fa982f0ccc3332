/** @file exchange.c  Blocks that go straight from their senders to their receivers: all-to-all, gather, scatter.
 *
 * In step s every rank sends to the one that comes s ranks later, around the end: in each step everybody
 * sends to one and receives from one. Two ranks that do not reach each other may send over a third one (hop.c). Blocks that
 * others pass on all the way around a ring or along a tree take as many packets, and more bytes. */
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
                      .bytes = block.bytes - at < piece ? block.bytes - at : piece,
                      .posted = c->marks[to]};
    weir_event *mark = NULL;
    weir_status status = weir__hop_copy(c, &hop, c->pacing ? &mark : NULL);
    weir_event_release(c->marks[to]);
    c->marks[to] = mark; /* by receiver: what it received last is there */
    return status;
}

/* The blocks that are relayed, or those that are not. */
static weir_status send_all(weir_collectives *c, const struct call *call, int relayed, size_t piece)
{
    weir_status status = WEIR_OK;
    for (uint32_t step = 1; step < c->ranks && !status; step++)
        for (size_t at = 0; at < call->bytes && !status; at += piece)
            for (uint32_t from = 0; from < c->ranks && !status; from++) {
                uint32_t to = (from + step) % c->ranks;
                int has_via = c->relaying && c->via[from * c->ranks + to] != to;
                if (has_via == relayed)
                    status = send_piece(c, call, from, to, at, piece);
            }
    return status;
}

/* Blocks with the longer way first: the rank between waits for them in its work, in order, and must not wait there for others
 * that nobody needs yet. */
weir_status weir__exchange(weir_collectives *c, const struct call *call, size_t piece)
{
    weir_status status = c->relaying ? send_all(c, call, 1, piece) : WEIR_OK;
    if (!status)
        status = send_all(c, call, 0, piece);
    for (uint32_t i = 0; i < c->ranks; i++) {
        weir_event_release(c->marks[i]);
        c->marks[i] = NULL;
    }
    return status;
}
