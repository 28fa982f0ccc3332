/** @file tree.c  Collectives along trees of the ranks.
 *
 * There is a tree for each root (routes.c). Results go up it and are combined on the way, data goes down it, packet by packet.
 * All-reduce does both, and all-gather is a broadcast from every rank over a tree of its own, so that every rank is an inner one
 * of some trees and a leaf of others. Reduce-scatter is a reduce to every rank, in the same way.
 *
 * A star is a tree too: all below its root. That is how calls go directly; there an all-reduce is a reduce-scatter of chunks and an
 * all-gather of them, as one root would have everybody's bytes on its links. */
#include "router/collective/internal.h"

static uint32_t parent_of(const struct tree *tree, uint32_t position)
{
    return tree->above[position];
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
    const struct tree *tree;
    const void *top; /* where the root has it */
    size_t offset;   /* where it goes in recv */
    size_t bytes;
    weir_event **marks; /* by position: it is there */
};

/* From its parent to position v. */
static weir_status down_to(weir_collectives *c, const struct fall *fall, uint32_t v)
{
    const struct tree *tree = fall->tree;
    uint32_t u = parent_of(tree, v), from = tree->rank[u], to = tree->rank[v];
    int leaf = !tree->last[v], last = v == tree->last[u];
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

static weir_status broadcast_piece(weir_collectives *c, const struct call *call,
                                   const struct tree *trees, size_t at, size_t bytes)
{
    const void *top = weir__at(call->send[call->root], at);
    struct fall fall = {.call = call,
                        .tree = &trees[call->root],
                        .top = top,
                        .offset = at,
                        .bytes = bytes,
                        .marks = c->marks};
    return down(c, &fall, weir__event_retain(c->rank[call->root].begin));
}

/* A piece of everybody's part, position by position in all trees at a time. */
static weir_status gather_piece(weir_collectives *c, const struct call *call,
                                const struct tree *trees, size_t at, size_t bytes)
{
    weir_status status = WEIR_OK;
    for (uint32_t root = 0; root < c->ranks; root++)
        c->marks[root * c->ranks] = weir__event_retain(c->rank[root].begin);
    for (uint32_t v = 1; v < c->ranks && !status; v++)
        for (uint32_t root = 0; root < c->ranks && !status; root++) {
            const void *top = weir__at(call->send[root], at);
            struct fall fall = {.call = call,
                                .tree = &trees[root],
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
    const struct tree *tree;
    size_t offset, place, bytes; /* offset: in what is sent; place: in the result */
    void *partial[RANKS_MAX];
    struct slot *slot[RANKS_MAX];
};

/* Where position v's partial result goes: the root's is the result, and where everybody gets that,
 * everybody's memory for it serves. */
static weir_status find_room(struct climb *climb, uint32_t v)
{
    uint32_t rank = climb->tree->rank[v];
    weir_status status;
    if (v == 0 || climb->call->what == WEIR_COLLECTIVE_ALL_REDUCE) {
        climb->partial[v] = weir__to(climb->call->recv[rank], climb->place);
        return WEIR_OK;
    }
    if (!(status = weir__slot_take(climb->c, rank, &climb->slot[v])))
        climb->partial[v] = climb->slot[v]->data;
    return status;
}

/* Position v sends what it has to its parent, which has combined that of its children behind v
 * already: the last one's first. */
static weir_status up_from(struct climb *climb, uint32_t v)
{
    weir_collectives *c = climb->c;
    const struct tree *tree = climb->tree;
    uint32_t u = parent_of(tree, v), from = tree->rank[v], to = tree->rank[u];
    int more = v != tree->first[u]; /* children of u that come after this one */
    const void *own =
        climb->partial[u] ? climb->partial[u] : weir__at(climb->call->send[to], climb->offset);
    int marked = !more && (u || climb->call->what == WEIR_COLLECTIVE_ALL_REDUCE);
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
static weir_status up(weir_collectives *c, const struct call *call, const struct tree *tree,
                      size_t offset, size_t bytes, weir_event **ready_out)
{
    struct climb climb = {
        .c = c, .call = call, .tree = tree, .offset = offset, .place = offset, .bytes = bytes};
    weir_status status = climb_up(&climb);
    *ready_out = c->marks[0];
    c->marks[0] = NULL;
    return status;
}

/* A piece of every rank's chunk, up a tree that this rank is the root of. */
static weir_status scatter_piece(weir_collectives *c, const struct call *call,
                                 const struct tree *trees, size_t at, size_t bytes)
{
    weir_status status = WEIR_OK;
    for (uint32_t root = 0; root < c->ranks && !status; root++) {
        struct climb climb = {.c = c,
                              .call = call,
                              .tree = &trees[root],
                              .offset = root * call->bytes + at,
                              .place = at,
                              .bytes = bytes};
        status = climb_up(&climb);
    }
    return status;
}

/* ---- up and down ---------------------------------------------------------------------------------- */

/* An all-reduce: chunk i goes up trees[i] and down again. */
struct swing {
    weir_collectives *c;
    const struct call *call;
    const struct tree *trees;
    uint32_t chunks;
    size_t chunk, piece; /* bytes of all but the last chunks; of a packet */
    size_t lag;          /* pieces */
};

/* @return the bytes of piece p of chunk i, 0 when there is no such piece. */
static size_t swing_find(const struct swing *s, uint32_t i, size_t p, size_t *at)
{
    size_t begin = i * s->chunk, end = begin + s->chunk;
    end = end < s->call->bytes ? end : s->call->bytes;
    *at = begin + p * s->piece;
    if (begin >= s->call->bytes || *at >= end)
        return 0;
    return end - *at < s->piece ? end - *at : s->piece;
}

static weir_status swing_down(const struct swing *s, uint32_t i, size_t p, weir_event **top)
{
    const struct tree *tree = &s->trees[i];
    struct fall fall = {.call = s->call, .tree = tree, .marks = s->c->marks};
    weir_event *ready = *top;
    fall.bytes = swing_find(s, i, p, &fall.offset);
    *top = NULL;
    if (!fall.bytes)
        return WEIR_OK;
    fall.top = weir__at(s->call->recv[tree->rank[0]], fall.offset);
    return down(s->c, &fall, ready);
}

/* A packet goes down some packets later than it went up: a rank's work waits in order, and what comes up must not wait
 * behind what has not come around yet. */
static weir_status swing(const struct swing *s)
{
    weir_collectives *c = s->c;
    size_t pieces = (s->chunk + s->piece - 1) / s->piece;
    weir_event **tops = c->marks + c->ranks; /* of pieces that are up: by p % lag, and chunk */
    weir_status status = WEIR_OK;
    for (size_t p = 0; p < pieces + s->lag && !status; p++) {
        weir_event **top = &tops[p % s->lag * s->chunks];
        for (uint32_t i = 0; i < s->chunks && p >= s->lag && !status; i++)
            status = swing_down(s, i, p - s->lag, &top[i]);
        for (uint32_t i = 0; i < s->chunks && p < pieces && !status; i++) {
            size_t at, bytes = swing_find(s, i, p, &at);
            if (bytes)
                status = up(c, s->call, &s->trees[i], at, bytes, &top[i]);
        }
    }
    return status;
}

static weir_status up_and_down(weir_collectives *c, const struct call *call, enum shape shape,
                               size_t piece)
{
    struct swing s = {.c = c, .call = call, .trees = c->trees[shape], .piece = piece};
    if (shape == SHAPE_STAR) {
        s.chunks = c->ranks;
        s.chunk = weir__chunk(call->bytes, c->ranks);
    } else {
        s.trees += c->top[shape];
        s.chunks = 1;
        s.chunk = call->bytes;
    }
    s.lag = 2 * (size_t)s.trees->depth + 1;
    return swing(&s);
}

weir_status weir__tree(weir_collectives *c, const struct call *call, enum shape shape, size_t piece)
{
    const struct tree *trees = c->trees[shape];
    weir_event *unused;
    weir_status status = WEIR_OK;
    if (call->what == WEIR_COLLECTIVE_ALL_REDUCE)
        return up_and_down(c, call, shape, piece);
    for (size_t at = 0; at < call->bytes && !status; at += piece) {
        size_t bytes = call->bytes - at < piece ? call->bytes - at : piece;
        if (call->what == WEIR_COLLECTIVE_BROADCAST)
            status = broadcast_piece(c, call, trees, at, bytes);
        else if (call->what == WEIR_COLLECTIVE_ALL_GATHER)
            status = gather_piece(c, call, trees, at, bytes);
        else if (call->what == WEIR_COLLECTIVE_REDUCE_SCATTER)
            status = scatter_piece(c, call, trees, at, bytes);
        else
            status = up(c, call, &trees[call->root], at, bytes, &unused);
    }
    return status;
}
