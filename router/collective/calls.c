/** @file calls.c  The four calls: what they refuse, and what they put into the queues. */
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

/* What is received lies apart from what is sent, or the latter is where the result of it goes. */
static weir_status check_overlap(const struct call *call, uint32_t rank, size_t place, size_t bytes)
{
    uintptr_t send = (uintptr_t)call->send[rank], recv = (uintptr_t)call->recv[rank];
    if (send == recv + place || send + call->bytes <= recv || recv + bytes <= send)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%s: what rank %u sends and receives overlap",
                      weir_collective_name(call->what), rank);
}

static weir_status check_memory(const weir_collectives *c, const struct call *call, uint32_t i)
{
    int gather = call->what == WEIR_COLLECTIVE_ALL_GATHER;
    size_t place = gather ? i * call->bytes : 0,
           all = gather ? c->ranks * call->bytes : call->bytes;
    int receives = call->what != WEIR_COLLECTIVE_REDUCE || i == call->root;
    weir_status status = check_pointer(call, i, call->send[i], "send");
    if (!status && receives)
        status = check_pointer(call, i, call->recv[i], "receive");
    return status || !receives ? status : check_overlap(call, i, place, all);
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
        if (call->count)
            status = check_memory(c, call, i);
    }
    return status ? status : weir__collectives_status(c);
}

/* ---- what is put into the queues ------------------------------------------------------------------ */

/* What a rank has of its own result from the start. */
static weir_status copy_own(const weir_collectives *c, const struct call *call, uint32_t i)
{
    size_t place = call->what == WEIR_COLLECTIVE_ALL_GATHER ? i * call->bytes : 0;
    weir_device *device = c->rank[i].device;
    void *to = weir__to(call->recv[i], place);
    if (to == call->send[i])
        return WEIR_OK;
    return weir_queue_copy(call->queues[i], device, to, device, call->send[i], call->bytes);
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

static weir_status go(weir_collectives *c, const struct call *call)
{
    struct plan plan = weir__collectives_plan(c, call->what, call->bytes);
    weir_status status = weir__flight_begin(c, call), ended;
    if (!status && call->what == WEIR_COLLECTIVE_ALL_GATHER)
        for (uint32_t i = 0; i < c->ranks && !status; i++)
            status = copy_own(c, call, i);
    if (!status)
        status =
            (plan.algorithm == WEIR_ALGORITHM_TREE ? weir__tree : weir__ring)(c, call, plan.piece);
    if (status) {
        status = weir__collectives_fail(c, status);
        drop_marks(c);
    }
    ended = weir__flight_end(c, call);
    return status ? status : ended;
}

static weir_status make(weir_collectives *c, struct call *call)
{
    weir_status status;
    call->element = weir_type_bytes(call->type);
    call->bytes = call->count * call->element; /* not used before it was checked */
    if ((status = check(c, call)) || !call->count)
        return status;
    if (c->nccl)
        return weir__nccl_call(c, call);
    return c->ranks == 1 ? copy_own(c, call, 0) : go(c, call);
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
