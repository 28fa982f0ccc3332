/** @file calls.c  The calls: what they refuse, and what they put into the queues. */
#include "router/collective/internal.h"

/* ---- what is refused ------------------------------------------------------------------------------ */

static weir_status check_numbers(const weir_collectives *c, const struct call *call)
{
    const char *name = weir_collective_name(call->what);
    if (call->root >= c->ranks)
        return weir__fail(WEIR_ERR_INVALID, "%s: root %u of %u ranks", name, call->root, c->ranks);
    if (!call->element)
        return weir__fail(WEIR_ERR_INVALID, "%s: %d is no type", name, (int)call->type);
    if ((unsigned)call->op >= WEIR_OP_COUNT)
        return weir__fail(WEIR_ERR_INVALID, "%s: %d is no operation", name, (int)call->op);
    if (call->count > PTRDIFF_MAX / call->element / c->ranks)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: %zu elements of %zu bytes are more than memory has", name,
                          call->count, call->element);
    return WEIR_OK;
}

static weir_status check_pointer(const struct call *call, uint32_t rank, const void *data,
                                 const char *what)
{
    const char *name = weir_collective_name(call->what);
    if (!data)
        return weir__fail(WEIR_ERR_INVALID, "%s: rank %u has no %s memory", name, rank, what);
    if ((uintptr_t)data % call->element)
        return weir__fail(WEIR_ERR_INVALID, "%s: rank %u's %s memory is not aligned to %zu bytes",
                          name, rank, what, call->element);
    return WEIR_OK;
}

/* How much of send[i] is read and of recv[i] is written, in bytes; 0: the entry is not used. They lie apart,
 * unless recv[i] + recv_place is send[i] + send_place, where the two hold the same elements. */
struct extents {
    size_t send, recv, send_place, recv_place;
    int in_place;
};

static struct extents extents_of(const weir_collectives *c, const struct call *call, uint32_t i)
{
    size_t one = call->bytes, all = c->ranks * one;
    struct extents e = {.send = one, .recv = one, .in_place = 1};
    int root = i == call->root;
    switch (call->what) {
    case WEIR_COLLECTIVE_ALL_GATHER:
        e.recv = all;
        e.recv_place = i * one;
        break;
    case WEIR_COLLECTIVE_REDUCE:
        e.recv = root ? one : 0;
        break;
    case WEIR_COLLECTIVE_REDUCE_SCATTER:
        e.send = all;
        e.send_place = i * one;
        break;
    case WEIR_COLLECTIVE_ALL_TO_ALL:
        e = (struct extents){.send = all, .recv = all};
        break;
    case WEIR_COLLECTIVE_GATHER:
        e.recv = root ? all : 0;
        e.recv_place = i * one;
        break;
    case WEIR_COLLECTIVE_SCATTER:
        e.send = root ? all : 0;
        e.send_place = i * one;
        break;
    default:
        break;
    }
    return e;
}

static weir_status overlap(const struct call *call, uint32_t rank)
{
    return weir__fail(WEIR_ERR_INVALID, "%s: what rank %u sends and receives overlap",
                      weir_collective_name(call->what), rank);
}

static weir_status check_memory(const weir_collectives *c, const struct call *call, uint32_t i)
{
    struct extents e = extents_of(c, call, i);
    uintptr_t send = (uintptr_t)call->send[i], recv = (uintptr_t)call->recv[i];
    weir_status status = e.send ? check_pointer(call, i, call->send[i], "send") : WEIR_OK;
    if (!status && e.recv)
        status = check_pointer(call, i, call->recv[i], "receive");
    if (status || !e.send || !e.recv || send + e.send <= recv || recv + e.recv <= send)
        return status;
    if (e.in_place && send + e.send_place == recv + e.recv_place)
        return WEIR_OK;
    return overlap(call, i);
}

static int blocks_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_bytes && b_bytes && x < y + b_bytes && y < x + a_bytes;
}

/* Each block that rank `to` receives against all others of its memory. */
static weir_status check_block(const weir_collectives *c, const struct call *call, uint32_t from,
                               uint32_t to)
{
    struct block in = weir__block(c, call, from, to);
    for (uint32_t i = 0; i < c->ranks; i++) {
        struct block other = weir__block(c, call, i, to), out = weir__block(c, call, to, i);
        int stays = i == to && from == to && out.source == in.target;
        if (i < from && blocks_overlap(in.target, in.bytes, other.target, other.bytes))
            return weir__fail(WEIR_ERR_INVALID,
                              "%s: what rank %u receives from ranks %u and %u overlaps",
                              weir_collective_name(call->what), to, i, from);
        if (!stays && blocks_overlap(in.target, in.bytes, out.source, out.bytes))
            return overlap(call, to);
    }
    return WEIR_OK;
}

static weir_status check_offsets(const weir_collectives *c, const struct call *call)
{
    const char *name = weir_collective_name(call->what);
    const size_t most = PTRDIFF_MAX / call->element;
    if (!call->counts || !call->send_offsets || !call->recv_offsets)
        return weir__fail(WEIR_ERR_INVALID, "%s: there is no table of %s", name,
                          !call->counts         ? "counts"
                          : !call->send_offsets ? "offsets to send from"
                                                : "offsets to receive at");
    for (uint32_t i = 0; i < c->ranks * c->ranks; i++) {
        size_t count = call->counts[i];
        if (count > most || call->send_offsets[i] > most - count ||
            call->recv_offsets[i] > most - count)
            return weir__fail(
                WEIR_ERR_INVALID,
                "%s: the block from rank %u to rank %u lies further than memory reaches", name,
                i / c->ranks, i % c->ranks);
    }
    return WEIR_OK;
}

static weir_status check_blocks(const weir_collectives *c, const struct call *call)
{
    weir_status status = check_offsets(c, call);
    for (uint32_t from = 0; from < c->ranks && !status; from++)
        for (uint32_t to = 0; to < c->ranks && !status; to++) {
            if (!call->counts[from * c->ranks + to])
                continue;
            if (!(status = check_pointer(call, from, call->send[from], "send")))
                status = check_pointer(call, to, call->recv[to], "receive");
        }
    for (uint32_t from = 0; from < c->ranks && !status; from++)
        for (uint32_t to = 0; to < c->ranks && !status; to++)
            status = check_block(c, call, from, to);
    return status;
}

static weir_status check(weir_collectives *c, const struct call *call)
{
    const char *name = weir_collective_name(call->what);
    weir_status status = check_numbers(c, call);
    for (uint32_t i = 0; i < c->ranks && !status; i++) {
        if (!call->queues[i])
            return weir__fail(WEIR_ERR_INVALID, "%s: rank %u has no queue", name, i);
        if (weir_queue_device(call->queues[i]) != c->rank[i].device)
            return weir__fail(WEIR_ERR_INVALID, "%s: rank %u's queue is of another device", name,
                              i);
        if (call->count && call->what != WEIR_COLLECTIVE_ALL_TO_ALL_V)
            status = check_memory(c, call, i);
    }
    if (!status && call->what == WEIR_COLLECTIVE_ALL_TO_ALL_V)
        status = check_blocks(c, call);
    return status ? status : weir__collectives_status(c);
}

/* ---- what is put into the queues ------------------------------------------------------------------ */

/* What a rank has of its own result from the start. */
static weir_status copy_own(const weir_collectives *c, const struct call *call, uint32_t i)
{
    size_t place = call->what == WEIR_COLLECTIVE_ALL_GATHER ? i * call->bytes : 0;
    weir_device *device = c->rank[i].device;
    struct block own = {call->send[i], weir__to(call->recv[i], place), call->bytes};
    if (weir__exchanges(call->what))
        own = weir__block(c, call, i, i);
    if (!own.bytes || own.target == own.source)
        return WEIR_OK;
    return weir_queue_copy(call->queues[i], device, own.target, device, own.source, own.bytes);
}

static weir_status put_hops(weir_collectives *c, const struct call *call, const struct plan *plan)
{
    const struct way *way = &plan->way;
    c->relaying = way->relays;
    c->pacing = way->paced;
    if (weir__exchanges(call->what))
        return weir__exchange(c, call, plan->piece);
    return way->algorithm == WEIR_ALGORITHM_RING ? weir__ring(c, call, plan->piece)
                                                 : weir__tree(c, call, way->shape, plan->piece);
}

/* After a failure the algorithms leave marks behind. */
static void drop_marks(weir_collectives *c)
{
    size_t width = c->ranks > BATCH ? c->ranks : BATCH;
    for (size_t i = 0; i < 2 * c->ranks * width; i++) {
        weir_event_release(c->marks[i]);
        c->marks[i] = NULL;
    }
}

static weir_status go(weir_collectives *c, const struct call *call, const struct plan *plan)
{
    weir_status status = weir__flight_begin(c, call), ended;
    if (!status && (call->what == WEIR_COLLECTIVE_ALL_GATHER || weir__exchanges(call->what)))
        for (uint32_t i = 0; i < c->ranks && !status; i++)
            status = copy_own(c, call, i);
    if (!status)
        status = put_hops(c, call, plan);
    if (status) {
        status = weir__collectives_fail(c, status);
        drop_marks(c);
    }
    ended = weir__flight_end(c, call);
    return status ? status : ended;
}

/* Looking a plan up takes a microsecond, and calls in a row are mostly alike. */
static weir_status plan_of(weir_collectives *c, const struct call *call, struct plan *plan_out)
{
    weir_status status;
    if (c->last.bytes && c->last.bytes == call->bytes && c->last.what == call->what &&
        c->last.root == call->root) {
        *plan_out = c->last.plan;
        return WEIR_OK;
    }
    if ((status = weir__collectives_plan(c, call->what, call->root, call->bytes, plan_out)))
        return status;
    c->last.what = call->what;
    c->last.root = call->root;
    c->last.bytes = call->bytes;
    c->last.plan = *plan_out;
    return WEIR_OK;
}

weir_status weir__call_go(weir_collectives *c, const struct call *call)
{
    struct plan plan = {.way = {.algorithm = c->algorithm}};
    weir_status status = WEIR_OK;
    if (c->dictated)
        plan = *c->dictated;
    else if (c->ranks > 1)
        status = plan_of(c, call, &plan);
    if (status)
        return weir__collectives_fail(c, status);
    if (plan.way.algorithm == WEIR_ALGORITHM_NCCL)
        return weir__nccl_call(c, call);
    if (c->ranks == 1)
        return copy_own(c, call, 0);
    if (plan.way.algorithm == WEIR_ALGORITHM_CHANNELS)
        return weir__channels_call(c, call);
    return go(c, call, &plan);
}

/* The arrays themselves; entries that are not used may be NULL. */
static weir_status check_arrays(const weir_collectives *c, const struct call *call)
{
    const char *name = weir_collective_name(call->what);
    const int broadcasts = call->what == WEIR_COLLECTIVE_BROADCAST;
    if (!c || !call->queues)
        return weir__missing(name, c ? "queues" : "collectives");
    if (call->count && (!call->send || !call->recv))
        return weir__missing(name, broadcasts ? "data" : call->send ? "recv" : "send");
    return WEIR_OK;
}

static weir_status make(weir_collectives *c, struct call *call)
{
    weir_status status = check_arrays(c, call);
    if (status)
        return status;
    call->element = weir_type_bytes(call->type);
    call->bytes = call->count * call->element; /* not used before it was checked */
    if ((status = check(c, call)) || !call->count)
        return status;
    return weir__call_go(c, call);
}

weir_status weir_broadcast(weir_collectives *c, uint32_t root, void *const *data, size_t count,
                           weir_type type, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_BROADCAST,
                        .root = root,
                        .send = (const void *const *)data,
                        .recv = data,
                        .count = count,
                        .type = type,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_all_gather(weir_collectives *c, const void *const *send, void *const *recv,
                            size_t count, weir_type type, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_ALL_GATHER,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_reduce(weir_collectives *c, uint32_t root, const void *const *send,
                        void *const *recv, size_t count, weir_type type, weir_op op,
                        weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_REDUCE,
                        .root = root,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .op = op,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_all_reduce(weir_collectives *c, const void *const *send, void *const *recv,
                            size_t count, weir_type type, weir_op op, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_ALL_REDUCE,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .op = op,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_reduce_scatter(weir_collectives *c, const void *const *send, void *const *recv,
                                size_t count, weir_type type, weir_op op, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_REDUCE_SCATTER,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .op = op,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_all_to_all(weir_collectives *c, const void *const *send, void *const *recv,
                            size_t count, weir_type type, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_ALL_TO_ALL,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_gather(weir_collectives *c, uint32_t root, const void *const *send,
                        void *const *recv, size_t count, weir_type type, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_GATHER,
                        .root = root,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_scatter(weir_collectives *c, uint32_t root, const void *const *send,
                         void *const *recv, size_t count, weir_type type, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_SCATTER,
                        .root = root,
                        .send = send,
                        .recv = recv,
                        .count = count,
                        .type = type,
                        .queues = queues};
    return make(c, &call);
}

weir_status weir_all_to_all_v(weir_collectives *c, const void *const *send, void *const *recv,
                              const size_t *counts, const size_t *send_offsets,
                              const size_t *recv_offsets, weir_type type, weir_queue *const *queues)
{
    struct call call = {.what = WEIR_COLLECTIVE_ALL_TO_ALL_V,
                        .send = send,
                        .recv = recv,
                        .counts = counts,
                        .send_offsets = send_offsets,
                        .recv_offsets = recv_offsets,
                        .type = type,
                        .queues = queues};
    for (uint32_t i = 0; c && counts && i < c->ranks * c->ranks; i++)
        call.count = counts[i] > call.count ? counts[i] : call.count;
    return make(c, &call);
}
