/** @file ring.c  Collectives around the ring of ranks.
 *
 * Broadcast and reduce are chains: packet after packet from the root all around, or around to the root.
 * All-gather and all-reduce keep every link busy all the time. Each rank has a chunk; in step s rank i
 * sends chunk i - s to the next rank. All-reduce goes around twice: in the first ranks - 1 steps what
 * arrives is combined with the receiver's own (reduce-scatter), in the others it is final and just lands
 * (all-gather): 2 (ranks - 1) / ranks of the bytes over every link, which is the least possible.
 *
 * Why a rank's partial result may lie in `recv`, where the final one will land: the final one has come
 * around from the rank that the partial one was read by. */
#include "router/collective/internal.h"

static uint32_t after(const weir_collectives *c, uint32_t rank)
{
    return rank + 1 == c->ranks ? 0 : rank + 1;
}

/* ---- chains --------------------------------------------------------------------------------------- */

static weir_status broadcast_piece(weir_collectives *c, const struct call *call, size_t offset,
                                   size_t bytes)
{
    uint32_t from = call->root;
    weir_event *ready = weir__event_retain(c->rank[from].begin), *mark;
    weir_status status = WEIR_OK;
    for (uint32_t n = c->ranks; n > 1 && !status; n--, from = after(c, from)) {
        uint32_t to = after(c, from);
        struct hop hop = {.from = from,
                          .to = to,
                          .source = weir__at(call->recv[from], offset),
                          .ready = ready,
                          .target = weir__to(call->recv[to], offset),
                          .bytes = bytes};
        mark = NULL;
        status = weir__hop_copy(c, &hop, n > 2 ? &mark : NULL);
        weir_event_release(ready);
        ready = mark;
    }
    weir_event_release(ready);
    return status;
}

static weir_status reduce_piece(weir_collectives *c, const struct call *call, size_t offset,
                                size_t bytes)
{
    uint32_t from = after(c, call->root);
    weir_event *ready = weir__event_retain(c->rank[from].begin), *mark;
    struct slot *slot = NULL, *next = NULL; /* where the partial result is, and will be */
    weir_status status = WEIR_OK;
    for (; from != call->root && !status; from = after(c, from)) {
        uint32_t to = after(c, from);
        int last = to == call->root;
        if (!last && (status = weir__slot_take(c, to, &next)))
            break;
        struct hop hop = {.from = from,
                          .to = to,
                          .source = slot ? slot->data : weir__at(call->send[from], offset),
                          .ready = ready,
                          .target = last ? weir__to(call->recv[to], offset) : next->data,
                          .bytes = bytes};
        mark = NULL;
        status = weir__hop_reduce(c, &hop, weir__at(call->send[to], offset), call,
                                  last ? NULL : &mark, slot ? &slot->sent : NULL);
        weir_event_release(ready);
        ready = mark;
        slot = next;
    }
    weir_event_release(ready);
    return status;
}

/* ---- rounds --------------------------------------------------------------------------------------- */

/* What goes around: chunk k is bytes [k * chunk, ...) of recv. */
struct rounds {
    weir_collectives *c;
    const struct call *call;
    size_t chunk, total, piece;
    uint32_t reducing, steps; /* the first so many steps combine */
};

/* The piece of a chunk: where it is in recv. @return its bytes, 0 when there is no such piece. */
static size_t find(const struct rounds *r, uint32_t chunk, size_t within, size_t *offset)
{
    size_t begin = chunk * r->chunk, end = begin + r->chunk;
    end = end < r->total ? end : r->total;
    *offset = begin + within;
    if (begin >= r->total || *offset >= end)
        return 0;
    return end - *offset < r->piece ? end - *offset : r->piece;
}

/* What rank `from` sends of chunk `chunk` in this step. In the first one it is its own. */
static const void *source(const struct rounds *r, uint32_t step, uint32_t from, size_t offset,
                          size_t within)
{
    if (step)
        return weir__at(r->call->recv[from], offset);
    return weir__at(r->call->send[from], r->reducing ? offset : within);
}

/* @param[in] marks  of what arrived in the step before. @param[out] next  of what arrives in this. */
static weir_status send_one(const struct rounds *r, uint32_t step, uint32_t from, size_t within,
                            weir_event **mark, weir_event **next)
{
    weir_collectives *c = r->c;
    uint32_t to = after(c, from), chunk = (from + 2 * c->ranks - step) % c->ranks;
    int last = step + 1 == r->steps;
    size_t offset, bytes = find(r, chunk, within, &offset);
    weir_status status;
    if (!bytes)
        return WEIR_OK;
    struct hop hop = {.from = from,
                      .to = to,
                      .source = source(r, step, from, offset, within),
                      .ready = step ? *mark : c->rank[from].begin,
                      .target = weir__to(r->call->recv[to], offset),
                      .bytes = bytes};
    if (step < r->reducing)
        status =
            weir__hop_reduce(c, &hop, weir__at(r->call->send[to], offset), r->call, next, NULL);
    else
        status = weir__hop_copy(c, &hop, last ? NULL : next);
    weir_event_release(*mark);
    *mark = NULL;
    return status;
}

/* All steps for BATCH pieces of every chunk from `within` on. */
static weir_status go_around(const struct rounds *r, size_t within)
{
    weir_collectives *c = r->c;
    weir_status status = WEIR_OK;
    for (uint32_t step = 0; step < r->steps && !status; step++) {
        weir_event **marks = c->marks + (step % 2 ? c->ranks * BATCH : 0);
        weir_event **next = c->marks + (step % 2 ? 0 : c->ranks * BATCH);
        for (uint32_t b = 0; b < BATCH && !status; b++)
            for (uint32_t from = 0; from < c->ranks && !status; from++)
                status = send_one(r, step, from, within + b * r->piece, &marks[from * BATCH + b],
                                  &next[after(c, from) * BATCH + b]);
    }
    return status;
}

static weir_status all_around(const struct rounds *r)
{
    weir_status status = WEIR_OK;
    for (size_t at = 0; at < r->chunk && !status; at += BATCH * r->piece)
        status = go_around(r, at);
    return status;
}

weir_status weir__ring(weir_collectives *c, const struct call *call, size_t piece)
{
    uint32_t n = c->ranks;
    struct rounds gather = {.c = c,
                            .call = call,
                            .chunk = call->bytes,
                            .total = n * call->bytes,
                            .piece = piece,
                            .steps = n - 1};
    struct rounds reduce = {.c = c,
                            .call = call,
                            .chunk = weir__chunk(call->bytes, n),
                            .total = call->bytes,
                            .piece = piece,
                            .reducing = n - 1,
                            .steps = 2 * (n - 1)};
    weir_status status = WEIR_OK;
    if (call->what == WEIR_COLLECTIVE_ALL_GATHER)
        return all_around(&gather);
    if (call->what == WEIR_COLLECTIVE_ALL_REDUCE)
        return all_around(&reduce);
    for (size_t at = 0; at < call->bytes && !status; at += piece) {
        size_t bytes = call->bytes - at < piece ? call->bytes - at : piece;
        status = (call->what == WEIR_COLLECTIVE_REDUCE ? reduce_piece : broadcast_piece)(c, call,
                                                                                         at, bytes);
    }
    return status;
}
