/** @file tree.c  Collectives over a binary tree of the ranks.
 *
 * Position v of the tree is rank root + v, around the end: its parent is position (v - 1) / 2. Results go
 * up the tree and are combined on the way, data goes down it, packet by packet. All-reduce does both, and
 * all-gather is a broadcast from every rank over a tree of its own, so that every rank is an inner one of
 * some trees and a leaf of others. Reduce-scatter is a reduce to every rank, in the same way. */
#include "router/collective/internal.h"

static uint32_t rank_at(const weir_collectives *c, uint32_t root, uint32_t position)
{
    return (root + position) % c->ranks;
}

static uint32_t parent_of(uint32_t position)
{
    return (position - 1) / 2;
}

static void drop(weir_event **mark)
{
    weir_event_release(*mark);
    *mark = NULL;
}

/* ---- down ----------------------------------------------------------------------------------------- */

/* A packet on its way down a tree. */
struct fall {
    const struct call *call;
    uint32_t root;
    const void *top; /* where the root has it */
    size_t offset;   /* where it goes in recv */
    size_t bytes;
    weir_event **marks; /* by position: it is there */
};

/* From its parent to position v. */
static weir_status down_to(weir_collectives *c, const struct fall *fall, uint32_t v)
{
    uint32_t u = parent_of(v), from = rank_at(c, fall->root, u), to = rank_at(c, fall->root, v);
    int leaf = 2 * v + 1 >= c->ranks, last = v == 2 * u + 2 || v + 1 == c->ranks;
    struct hop hop = {.from = from,
                      .to = to,
                      .source = u ? weir__at(fall->call->recv[from], fall->offset) : fall->top,
                      .ready = fall->marks[u],
                      .target = weir__to(fall->call->recv[to], fall->offset),
                      .bytes = fall->bytes};
    weir_status status = weir__hop_copy(c, &hop, leaf ? NULL : &fall->marks[v]);
    if (last)
        drop(&fall->marks[u]);
    return status;
}

/* @param[in] ready  at the root; taken over. */
static weir_status down(weir_collectives *c, const struct fall *fall, weir_event *ready)
{
    weir_status status = WEIR_OK;
    fall->marks[0] = ready;
    for (uint32_t v = 1; v < c->ranks && !status; v++)
        status = down_to(c, fall, v);
    return status;
}

static weir_status broadcast_piece(weir_collectives *c, const struct call *call, size_t at,
                                   size_t bytes)
{
    const void *top = weir__at(call->send[call->root], at);
    struct fall fall = {.call = call,
                        .root = call->root,
                        .top = top,
                        .offset = at,
                        .bytes = bytes,
                        .marks = c->marks};
    return down(c, &fall, weir__event_retain(c->rank[call->root].begin));
}

/* A piece of everybody's part, position by position in all trees at a time. */
static weir_status gather_piece(weir_collectives *c, const struct call *call, size_t at,
                                size_t bytes)
{
    weir_status status = WEIR_OK;
    for (uint32_t root = 0; root < c->ranks; root++)
        c->marks[root * c->ranks] = weir__event_retain(c->rank[root].begin);
    for (uint32_t v = 1; v < c->ranks && !status; v++)
        for (uint32_t root = 0; root < c->ranks && !status; root++) {
            const void *top = weir__at(call->send[root], at);
            struct fall fall = {.call = call,
                                .root = root,
                                .top = top,
                                .offset = root * call->bytes + at,
                                .bytes = bytes,
                                .marks = c->marks + root * c->ranks};
            status = down_to(c, &fall, v);
        }
    return status;
}

/* ---- up ------------------------------------------------------------------------------------------- */

/* A piece on its way up: partial results by position, where something was combined already. */
struct climb {
    weir_collectives *c;
    const struct call *call;
    uint32_t root;
    size_t offset, place, bytes; /* offset: in what is sent; place: in the result */
    void *partial[RANKS_MAX];
    struct slot *slot[RANKS_MAX];
};

/* Where position v's partial result goes: the root's is the result, and where everybody gets that,
 * everybody's memory for it serves. */
static weir_status find_room(struct climb *climb, uint32_t v)
{
    uint32_t rank = rank_at(climb->c, climb->root, v);
    weir_status status;
    if (v == 0 || climb->call->what == WEIR_COLLECTIVE_ALL_REDUCE) {
        climb->partial[v] = weir__to(climb->call->recv[rank], climb->place);
        return WEIR_OK;
    }
    if (!(status = weir__slot_take(climb->c, rank, &climb->slot[v])))
        climb->partial[v] = climb->slot[v]->data;
    return status;
}

/* Position v sends what it has to its parent, which has combined its second child's already when the
 * first one's comes. */
static weir_status up_from(struct climb *climb, uint32_t v)
{
    weir_collectives *c = climb->c;
    uint32_t u = parent_of(v), from = rank_at(c, climb->root, v), to = rank_at(c, climb->root, u);
    int second = v == 2 * u + 2;
    const void *own =
        climb->partial[u] ? climb->partial[u] : weir__at(climb->call->send[to], climb->offset);
    int marked = !second && (u || climb->call->what == WEIR_COLLECTIVE_ALL_REDUCE);
    weir_status status = climb->partial[u] ? WEIR_OK : find_room(climb, u);
    if (status)
        return status;
    struct hop hop = {.from = from,
                      .to = to,
                      .source = climb->partial[v]
                                    ? climb->partial[v]
                                    : weir__at(climb->call->send[from], climb->offset),
                      .ready = c->marks[v] ? c->marks[v] : c->rank[from].begin,
                      .target = climb->partial[u],
                      .bytes = climb->bytes};
    status = weir__hop_reduce(c, &hop, own, climb->call, marked ? &c->marks[u] : NULL,
                              climb->slot[v] ? &climb->slot[v]->sent : NULL);
    drop(&c->marks[v]);
    return status;
}

static weir_status climb_up(struct climb *climb)
{
    weir_status status = WEIR_OK;
    for (uint32_t v = climb->c->ranks - 1; v > 0 && !status; v--)
        status = up_from(climb, v);
    return status;
}

/* @param[out] ready_out  the result is there; NULL for a reduce, where nobody needs it. */
static weir_status up(weir_collectives *c, const struct call *call, uint32_t root, size_t offset,
                      size_t bytes, weir_event **ready_out)
{
    struct climb climb = {
        .c = c, .call = call, .root = root, .offset = offset, .place = offset, .bytes = bytes};
    weir_status status = climb_up(&climb);
    *ready_out = c->marks[0];
    c->marks[0] = NULL;
    return status;
}

/* A piece of every rank's chunk, up a tree that this rank is the root of. */
static weir_status scatter_piece(weir_collectives *c, const struct call *call, size_t at,
                                 size_t bytes)
{
    weir_status status = WEIR_OK;
    for (uint32_t root = 0; root < c->ranks && !status; root++) {
        struct climb climb = {.c = c,
                              .call = call,
                              .root = root,
                              .offset = root * call->bytes + at,
                              .place = at,
                              .bytes = bytes};
        status = climb_up(&climb);
    }
    return status;
}

/* The result's part of a piece. */
static size_t bytes_at(const struct call *call, size_t at, size_t piece)
{
    return call->bytes - at < piece ? call->bytes - at : piece;
}

/* Up and down. A packet goes down some packets later than it went up: a rank's work waits in order, and
 * what comes up must not wait behind what has not come around yet. */
static weir_status up_and_down(weir_collectives *c, const struct call *call, size_t piece)
{
    size_t pieces = (call->bytes + piece - 1) / piece, lag = 2 * (size_t)weir__depth(c->ranks) + 1;
    weir_event **tops = c->marks + c->ranks; /* of pieces that are up */
    weir_status status = WEIR_OK;
    for (size_t p = 0; p < pieces + lag && !status; p++) {
        size_t at = p * piece, low = p < lag ? call->bytes : (p - lag) * piece;
        weir_event **top = &tops[p % lag];
        if (low < call->bytes) {
            const void *result = weir__at(call->recv[0], low);
            struct fall fall = {.call = call,
                                .top = result,
                                .offset = low,
                                .bytes = bytes_at(call, low, piece),
                                .marks = c->marks};
            status = down(c, &fall, *top);
            *top = NULL;
        }
        if (p < pieces && !status)
            status = up(c, call, 0, at, bytes_at(call, at, piece), top);
    }
    return status;
}

weir_status weir__tree(weir_collectives *c, const struct call *call, size_t piece)
{
    weir_event *unused;
    weir_status status = WEIR_OK;
    if (call->what == WEIR_COLLECTIVE_ALL_REDUCE)
        return up_and_down(c, call, piece);
    for (size_t at = 0; at < call->bytes && !status; at += piece) {
        size_t bytes = bytes_at(call, at, piece);
        if (call->what == WEIR_COLLECTIVE_BROADCAST)
            status = broadcast_piece(c, call, at, bytes);
        else if (call->what == WEIR_COLLECTIVE_ALL_GATHER)
            status = gather_piece(c, call, at, bytes);
        else if (call->what == WEIR_COLLECTIVE_REDUCE_SCATTER)
            status = scatter_piece(c, call, at, bytes);
        else
            status = up(c, call, call->root, at, bytes, &unused);
    }
    return status;
}
