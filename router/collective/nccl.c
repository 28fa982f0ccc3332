/** @file nccl.c  The same calls by NVIDIA's library, which is looked for when first asked for.
 *
 * The few functions that are needed are declared here, as NCCL's stable C interface has them since 2.0,
 * so that nothing of it is needed to build. One communicator for each rank; a call is one group of its
 * calls. Streams are those of the callers' queues: nothing else orders it. NCCL's own settings (NCCL_...
 * in the environment) are the program's business. */
#include "router/collective/internal.h"

#include <dlfcn.h>
#include <stdlib.h>

#define NCCL_LIBRARY "libnccl.so.2"

/* ncclResult_t, ncclDataType_t and ncclRedOp_t are ints with these values. */
enum { RESULT_SUCCESS = 0, RESULT_IN_PROGRESS = 7 };
static const int data_types[WEIR_TYPE_COUNT] = {2, 3, 4, 5, 7, 8};
static const int operations[WEIR_OP_COUNT] = {0, 1, 3, 2};

typedef struct ncclComm *comm_t;

/* X(member, result, arguments): name is nccl and the member. */
#define FUNCTIONS(X)                                                                               \
    X(CommInitAll, int, (comm_t * comms, int count, const int *devices))                           \
    X(CommDestroy, int, (comm_t comm))                                                             \
    X(CommAbort, int, (comm_t comm))                                                               \
    X(CommGetAsyncError, int, (comm_t comm, int *result))                                          \
    X(GetErrorString, const char *, (int result))                                                  \
    X(GroupStart, int, (void))                                                                     \
    X(GroupEnd, int, (void))                                                                       \
    X(Broadcast, int,                                                                              \
      (const void *send, void *recv, size_t count, int type, int root, comm_t comm, void *stream)) \
    X(AllGather, int,                                                                              \
      (const void *send, void *recv, size_t count, int type, comm_t comm, void *stream))           \
    X(Reduce, int,                                                                                 \
      (const void *send, void *recv, size_t count, int type, int op, int root, comm_t comm,        \
       void *stream))                                                                              \
    X(AllReduce, int,                                                                              \
      (const void *send, void *recv, size_t count, int type, int op, comm_t comm, void *stream))

static struct {
    pthread_mutex_t lock;
    void *handle; /* of the library, which stays loaded */
#define MEMBER(name, result, arguments) result(*name) arguments;
    FUNCTIONS(MEMBER)
} api = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct weir__nccl {
    uint32_t ranks;
    int aborted;
    comm_t comm[RANKS_MAX];
    weir_event *last[RANKS_MAX]; /* behind the last call */
};

/* POSIX lets dlsym()'s pointer be a function's; ISO C has no cast for it. */
static weir_status find(const char *name, void *function_out)
{
    *(void **)function_out = dlsym(api.handle, name);
    if (!*(void **)function_out)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "%s has no %s", NCCL_LIBRARY, name);
    return WEIR_OK;
}

static weir_status load_locked(void)
{
    weir_status status = WEIR_OK;
    if (api.handle)
        return WEIR_OK;
    api.handle = dlopen(NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!api.handle)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "NCCL is not there: %s", dlerror());
#define FIND(name, result, arguments) \
    if (!status)                      \
        status = find("nccl" #name, (void *)&api.name);
    FUNCTIONS(FIND)
    if (status) {
        dlclose(api.handle);
        api.handle = NULL;
    }
    return status;
}

static weir_status load(void)
{
    pthread_mutex_lock(&api.lock);
    weir_status status = load_locked();
    pthread_mutex_unlock(&api.lock);
    return status;
}

static weir_status failed(const char *what, int result)
{
    return weir__fail(WEIR_ERR_DEVICE, "NCCL, %s: %s", what, api.GetErrorString(result));
}

weir_status weir__nccl_open(weir_collectives *c)
{
    int ordinals[RANKS_MAX];
    weir_status status;
    if (!c->gpus)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "NCCL joins GPUs, and not all ranks are");
    for (uint32_t i = 0; i < c->ranks; i++) {
        weir_device_info info;
        weir_device_info_get(c->rank[i].device, &info);
        ordinals[i] = (int)info.ordinal;
    }
    if ((status = load()) || (status = weir__calloc(1, sizeof *c->nccl, "NCCL", &c->nccl)))
        return status;
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        status = weir_event_acquire(c->rank[i].device, &c->nccl->last[i]);
    if (status == WEIR_ERR_FULL)
        status = weir__fail(WEIR_ERR_NOMEM, "no events are left for NCCL: raise WEIR_EVENTS");
    if (status)
        return status;
    int result = api.CommInitAll(c->nccl->comm, (int)c->ranks, ordinals);
    if (result)
        return failed("start", result);
    c->nccl->ranks = c->ranks;
    return WEIR_OK;
}

void weir__nccl_close(weir_collectives *c)
{
    struct weir__nccl *nccl = c->nccl;
    if (!nccl)
        return;
    for (uint32_t i = 0; i < c->ranks; i++) {
        if (nccl->last[i])
            (void)weir_event_wait(nccl->last[i], -1);
        weir_event_release(nccl->last[i]);
    }
    for (uint32_t i = 0; i < nccl->ranks && !nccl->aborted; i++)
        (void)api.CommDestroy(nccl->comm[i]);
    free(nccl);
}

/* With the lock of its collectives held. */
void weir__nccl_abort(struct weir__nccl *nccl)
{
    for (uint32_t i = 0; nccl && i < nccl->ranks && !nccl->aborted; i++)
        (void)api.CommAbort(nccl->comm[i]);
    if (nccl)
        nccl->aborted = 1;
}

static int call_one(const weir_collectives *c, const struct call *call, uint32_t i)
{
    int type = data_types[call->type], op = operations[call->op], root = (int)call->root;
    const void *send = call->send[i];
    void *recv = call->recv[i], *stream = weir_queue_native(call->queues[i]);
    comm_t comm = c->nccl->comm[i];
    switch (call->what) {
    case WEIR_COLLECTIVE_BROADCAST:
        return api.Broadcast(send, recv, call->count, type, root, comm, stream);
    case WEIR_COLLECTIVE_ALL_GATHER:
        return api.AllGather(send, recv, call->count, type, comm, stream);
    case WEIR_COLLECTIVE_REDUCE:
        return api.Reduce(send, recv, call->count, type, op, root, comm, stream);
    default:
        return api.AllReduce(send, recv, call->count, type, op, comm, stream);
    }
}

/* A group is always ended, or NCCL's next call in this thread would be part of it. */
static int call_group(const weir_collectives *c, const struct call *call)
{
    int result = api.GroupStart(), ended;
    if (result)
        return result;
    for (uint32_t i = 0; i < c->ranks && !result; i++)
        result = call_one(c, call, i);
    ended = api.GroupEnd();
    return result ? result : ended;
}

weir_status weir__nccl_call(weir_collectives *c, const struct call *call)
{
    weir_status status = WEIR_OK;
    int result = 0;
    pthread_mutex_lock(&c->lock);
    if (!c->nccl->aborted)
        result = call_group(c, call);
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        status = weir_queue_record(call->queues[i], c->nccl->last[i]);
    if (result && result != RESULT_IN_PROGRESS)
        status = failed(weir_collective_name(call->what), result);
    pthread_mutex_unlock(&c->lock);
    return status ? weir__collectives_fail(c, status) : weir__collectives_status(c);
}

weir_status weir__nccl_status(weir_collectives *c)
{
    weir_status status = WEIR_OK;
    int result = 0, asked = 0;
    pthread_mutex_lock(&c->lock);
    for (uint32_t i = 0; i < c->nccl->ranks && !c->nccl->aborted && !result && !asked; i++)
        if (!(asked = api.CommGetAsyncError(c->nccl->comm[i], &result)) &&
            result == RESULT_IN_PROGRESS)
            result = 0;
    if (asked || result)
        status = failed("in a call", asked ? asked : result);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->nccl->ranks && status >= 0; i++) {
        weir_status one = weir_event_query(c->nccl->last[i]);
        status = one < 0 || !status ? one : status;
    }
    return status;
}
