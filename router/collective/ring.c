/** @file ring.c  Collectives around the ring of ranks.
 *
 * Broadcast and reduce are chains: packet after packet from the root all around, or around to the root.
 * All-gather and all-reduce keep every link busy all the time. Each rank has a chunk; in step s each rank
 * sends the chunk of the rank s places before it to the next one. Places are those of the route plan (routes.c). All-reduce goes around twice: in the first ranks - 1 steps what
 * arrives is combined with the receiver's own, in the others it is final and just lands: 2 (ranks - 1) / ranks of the bytes over every link, which is the least possible.
 *
 * Reduce-scatter is the first round alone, one chunk later, so that the last combination of chunk k is made
 * by rank k. Its partial results have no place in `recv`, which has room for one chunk: they go into slots.
 *
 * Why a rank's partial result may lie in `recv`, where the final one will land: the final one has come
 * around from the rank that the partial one was read by. */
#include "router/collective/internal.h"

static uint32_t after(const weir_collectives *c, uint32_t rank)
{
    uint32_t place = c->seat[rank] + 1u;
    return c->order[place == c->ranks ? 0 : place];
}

/* The rank so many places (at most twice around) before another. */
static uint32_t before(const weir_collectives *c, uint32_t rank, uint32_t places)
{
    return c->order[(c->seat[rank] + 2 * c->ranks - places) % c->ranks];
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
    uint32_t to = after(c, from), chunk = before(c, from, step);
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

/* ---- one round ------------------------------------------------------------------------------------ */

/* Pieces of a chunk that go one step together. At the time of a step a rank has combined so many for the
 * next one, at most, and takes one slot more before the oldest of them was sent: BUFFERS in all. */
#define PAIR (BUFFERS - 1)

/* So many bytes of every chunk from `within` on, by the place in the pair and the rank that has it. */
struct scatter {
    weir_collectives *c;
    const struct call *call;
    size_t within, piece;
    struct slot *slot[2][PAIR][RANKS_MAX]; /* [step % 2]: combined in the step before */
    weir_event *ready[2][PAIR][RANKS_MAX];
};

/* One piece from rank `from` to the next, which combines it with its own. */
static weir_status scatter_one(struct scatter *s, uint32_t step, uint32_t b, uint32_t from)
{
    weir_collectives *c = s->c;
    const struct call *call = s->call;
    uint32_t n = c->ranks, to = after(c, from), chunk = before(c, from, 1 + step);
    int now = step % 2, last = step + 2 == n;
    size_t at = s->within + b * s->piece, offset = chunk * call->bytes + at;
    struct slot *slot = s->slot[now][b][from], *next = NULL;
    weir_status status = last ? WEIR_OK : weir__slot_take(c, to, &next);
    if (status)
        return status;
    struct hop hop = {.from = from,
                      .to = to,
                      .source = step ? slot->data : weir__at(call->send[from], offset),
                      .ready = step ? s->ready[now][b][from] : c->rank[from].begin,
                      .target = last ? weir__to(call->recv[to], at) : next->data,
                      .bytes = call->bytes - at < s->piece ? call->bytes - at : s->piece};
    s->slot[!now][b][to] = next;
    status = weir__hop_reduce(c, &hop, weir__at(call->send[to], offset), call,
                              last ? NULL : &s->ready[!now][b][to], step ? &slot->sent : NULL);
    weir_event_release(s->ready[now][b][from]);
    s->ready[now][b][from] = NULL;
    return status;
}

static weir_status scatter_pair(weir_collectives *c, const struct call *call, size_t within,
                                size_t piece)
{
    struct scatter s = {.c = c, .call = call, .within = within, .piece = piece};
    weir_status status = WEIR_OK;
    for (uint32_t step = 0; step + 1 < c->ranks && !status; step++)
        for (uint32_t b = 0; b < PAIR && !status; b++)
            for (uint32_t from = 0; from < c->ranks && !status; from++)
                if (within + b * piece < call->bytes)
                    status = scatter_one(&s, step, b, from);
    for (uint32_t i = 0; i < 2 * PAIR * RANKS_MAX; i++) /* left by a failure */
        weir_event_release((&s.ready[0][0][0])[i]);
    return status;
}

static weir_status scatter(weir_collectives *c, const struct call *call, size_t piece)
{
    weir_status status = WEIR_OK;
    for (size_t at = 0; at < call->bytes && !status; at += PAIR * piece)
        status = scatter_pair(c, call, at, piece);
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
    if (call->what == WEIR_COLLECTIVE_REDUCE_SCATTER)
        return scatter(c, call, piece);
    for (size_t at = 0; at < call->bytes && !status; at += piece) {
        size_t bytes = call->bytes - at < piece ? call->bytes - at : piece;
        status = (call->what == WEIR_COLLECTIVE_REDUCE ? reduce_piece : broadcast_piece)(c, call,
                                                                                         at, bytes);
    }
    return status;
}
