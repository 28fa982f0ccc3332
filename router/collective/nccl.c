/** @file nccl.c  The same calls by NVIDIA's library, which is looked for when first asked for.
 *
 * The few functions that are needed are declared here, as NCCL's stable C interface has them since 2.14,
 * so that nothing of it is needed to build. One communicator for each rank; a call is one group of its
 * calls. Streams are those of the callers' queues: nothing else orders it. NCCL's own settings (NCCL_...
 * in the environment) are the program's business.
 *
 * How a call is cancelled that does not come back: communicators are made non-blocking, so that no function
 * of NCCL waits, but for those that end a communicator. A thread of NCCL's starts the group, and the caller
 * asks ncclCommGetAsyncError() until it is started, or until somebody cancels. Aborting frees communicators:
 * nobody may be in a function of theirs by then. So those who use them are counted, without a lock held
 * meanwhile; a cancel only says that it is one, and the last user, or the canceller where there is none,
 * starts the thread that aborts. That thread may take long, as NCCL then waits for its kernels and for
 * memory that CUDA gives back only when streams are empty; destroying the set waits for it, nobody else. */
#include "router/collective/internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#define NCCL_LIBRARY "libnccl.so.2"

/* ncclResult_t, ncclDataType_t and ncclRedOp_t are ints with these values. */
enum { RESULT_SUCCESS = 0, RESULT_IN_PROGRESS = 7 };
static const int data_types[WEIR_TYPE_COUNT] = {2, 3, 4, 5, 7, 8, 6, 9};
static const int operations[WEIR_OP_COUNT] = {0, 1, 3, 2};

typedef struct ncclComm *comm_t;

/* ncclUniqueId, and the first members of ncclConfig_t, which were all in 2.14: NCCL goes by the size and the
 * version, and gives those that came later their defaults. */
typedef struct unique_id {
    char bytes[128];
} unique_id;
struct config {
    size_t size;
    unsigned magic, version;
    int blocking;
};
#define CONFIG_MAGIC   0xCAFEBEEFu
#define CONFIG_VERSION 21400u

/* X(member, result, arguments): name is nccl and the member. */
#define FUNCTIONS(X)                                                                               \
    X(GetUniqueId, int, (unique_id * id))                                                          \
    X(CommInitRankConfig, int,                                                                     \
      (comm_t * comm, int count, unique_id id, int rank, struct config *config))                   \
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
      (const void *send, void *recv, size_t count, int type, int op, comm_t comm, void *stream))   \
    X(ReduceScatter, int,                                                                          \
      (const void *send, void *recv, size_t count, int type, int op, comm_t comm, void *stream))   \
    X(Send, int, (const void *data, size_t count, int type, int peer, comm_t comm, void *stream))  \
    X(Recv, int, (void *data, size_t count, int type, int peer, comm_t comm, void *stream))

static struct {
    pthread_mutex_t lock;
    void *handle; /* of the library, which stays loaded */
#define MEMBER(name, result, arguments) result(*name) arguments;
    FUNCTIONS(MEMBER)
} api = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct weir__nccl {
    uint32_t ranks;        /* communicators that there are */
    pthread_mutex_t order; /* held while a call is put into the queues of all ranks */
    comm_t comm[RANKS_MAX];
    pthread_mutex_t lock; /* guards users, cancelled, aborting; nobody calls NCCL with it held */
    uint32_t users;       /* threads that are, or may be, in a function of NCCL's */
    int cancelled;        /* no user comes any more */
    int aborting;         /* 1: the communicators are, or were, aborted; by `thread` if threaded */
    int threaded;
    pthread_t thread;
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

/* ---- users and the end ---------------------------------------------------------------------------- */

static void *abort_all(void *argument)
{
    struct weir__nccl *nccl = argument;
    for (uint32_t i = 0; i < nccl->ranks; i++)
        (void)api.CommAbort(nccl->comm[i]);
    return NULL;
}

/* With the lock held. Where no thread can be had the communicators are aborted here, and it may take long. */
static void abort_when_unused(struct weir__nccl *nccl)
{
    if (!nccl->cancelled || nccl->users || nccl->aborting)
        return;
    nccl->aborting = 1;
    nccl->threaded = !pthread_create(&nccl->thread, NULL, abort_all, nccl);
    if (!nccl->threaded)
        (void)abort_all(nccl);
}

void weir__nccl_abort(struct weir__nccl *nccl)
{
    if (!nccl)
        return;
    pthread_mutex_lock(&nccl->lock);
    nccl->cancelled = 1;
    abort_when_unused(nccl);
    pthread_mutex_unlock(&nccl->lock);
}

/* @return 0 when the communicators must not be used any more. */
static int enter(struct weir__nccl *nccl)
{
    pthread_mutex_lock(&nccl->lock);
    int good = !nccl->cancelled;
    nccl->users += (uint32_t)good;
    pthread_mutex_unlock(&nccl->lock);
    return good;
}

static void leave(struct weir__nccl *nccl)
{
    pthread_mutex_lock(&nccl->lock);
    nccl->users--;
    abort_when_unused(nccl);
    pthread_mutex_unlock(&nccl->lock);
}

static int is_cancelled(struct weir__nccl *nccl)
{
    pthread_mutex_lock(&nccl->lock);
    int cancelled = nccl->cancelled;
    pthread_mutex_unlock(&nccl->lock);
    return cancelled;
}

/* The first failure of the communicators, or that one of them is at work still. */
static int ask(const struct weir__nccl *nccl)
{
    int result = RESULT_SUCCESS;
    for (uint32_t i = 0; i < nccl->ranks; i++) {
        int one = RESULT_SUCCESS, asked = api.CommGetAsyncError(nccl->comm[i], &one);
        one = asked ? asked : one;
        if (one && one != RESULT_IN_PROGRESS)
            return one;
        result = one ? one : result;
    }
    return result;
}

/* Until NCCL's thread has done what a function began, or somebody cancels: at first without a pause, as that
 * takes some microseconds. */
static int finish(struct weir__nccl *nccl, int result)
{
    const struct timespec pause = {0, 20000};
    for (uint32_t i = 0; result == RESULT_IN_PROGRESS && !is_cancelled(nccl); i++) {
        if (i > 1000)
            nanosleep(&pause, NULL);
        result = ask(nccl);
    }
    return result;
}

/* ---- start ---------------------------------------------------------------------------------------- */

#if WEIR_CUDA
#define SET_DEVICE(ordinal) weir__nccl_set_device(ordinal)
#else
#define SET_DEVICE(ordinal) ((void)(ordinal), 0)
#endif

/* A communicator belongs to the GPU that is current. */
static int init_one(struct weir_collectives *c, const unique_id *id, uint32_t i)
{
    struct config config = {
        .size = sizeof config, .magic = CONFIG_MAGIC, .version = CONFIG_VERSION, .blocking = 0};
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(c->rank[i].device, &info);
    int result = info.kind == WEIR_DEVICE_CUDA ? SET_DEVICE((int)info.ordinal) : 0;
    if (!result)
        result = api.CommInitRankConfig(&c->nccl->comm[i], (int)c->ranks, *id, (int)i, &config);
    if (c->nccl->comm[i])
        c->nccl->ranks = i + 1;
    return result == RESULT_IN_PROGRESS ? 0 : result;
}

static int init(struct weir_collectives *c)
{
    unique_id id;
    int result = api.GetUniqueId(&id), ended;
    if (result || (result = api.GroupStart()))
        return result;
    for (uint32_t i = 0; i < c->ranks && !result; i++)
        result = init_one(c, &id, i);
    ended = api.GroupEnd();
    return finish(c->nccl, result ? result : ended);
}

weir_status weir__nccl_open(weir_collectives *c)
{
    weir_status status;
    if (!c->gpus)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "NCCL joins GPUs, and not all ranks are");
    if ((status = load()) || (status = weir__calloc(1, sizeof *c->nccl, "NCCL", &c->nccl)))
        return status;
    pthread_mutex_init(&c->nccl->lock, NULL);
    pthread_mutex_init(&c->nccl->order, NULL);
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        status = weir_event_acquire(c->rank[i].device, &c->nccl->last[i]);
    if (status == WEIR_FULL)
        status = weir__fail(WEIR_ERR_NOMEM, "no events are left for NCCL: raise WEIR_EVENTS");
    if (status)
        return status;
    int result = init(c);
    if (!result)
        return WEIR_OK;
    status = failed("start", result);
    weir__nccl_abort(c->nccl); /* what there is of them cannot be destroyed */
    return status;
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
    if (nccl->threaded)
        pthread_join(nccl->thread, NULL);
    for (uint32_t i = 0; i < nccl->ranks && !nccl->aborting; i++)
        (void)api.CommDestroy(nccl->comm[i]);
    pthread_mutex_destroy(&nccl->order);
    pthread_mutex_destroy(&nccl->lock);
    free(nccl);
}

/* ---- calls ---------------------------------------------------------------------------------------- */

/* A call and its arrays: queues that are held come to it when the caller's are gone. */
struct group {
    weir_collectives *c;
    struct call call;
    const void *send[RANKS_MAX];
    void *recv[RANKS_MAX];
    size_t sizes
        []; /* what call.counts, .send_offsets and .recv_offsets point to, where they are there */
};

/* All blocks that a rank sends, and all that it receives, its own too: NCCL pairs them by rank. */
static int exchange_one(const struct group *group, uint32_t i, void *stream)
{
    const weir_collectives *c = group->c;
    const struct call *call = &group->call;
    int type = data_types[call->type], result = 0;
    comm_t comm = c->nccl->comm[i];
    for (uint32_t j = 0; j < c->ranks && !result; j++) {
        struct block out = weir__block(c, call, i, j), in = weir__block(c, call, j, i);
        if (i == j && out.source == out.target)
            continue;
        if (out.bytes)
            result = api.Send(out.source, out.bytes / call->element, type, (int)j, comm, stream);
        if (in.bytes && !result)
            result = api.Recv(in.target, in.bytes / call->element, type, (int)j, comm, stream);
    }
    return result;
}

static int call_one(const struct group *group, uint32_t i, void *stream)
{
    const struct call *call = &group->call;
    int type = data_types[call->type], op = operations[call->op], root = (int)call->root;
    const void *send = group->send[i];
    void *recv = group->recv[i];
    comm_t comm = group->c->nccl->comm[i];
    switch (call->what) {
    case WEIR_COLLECTIVE_BROADCAST:
        return api.Broadcast(send, recv, call->count, type, root, comm, stream);
    case WEIR_COLLECTIVE_ALL_GATHER:
        return api.AllGather(send, recv, call->count, type, comm, stream);
    case WEIR_COLLECTIVE_REDUCE:
        return api.Reduce(send, recv, call->count, type, op, root, comm, stream);
    case WEIR_COLLECTIVE_REDUCE_SCATTER:
        return api.ReduceScatter(send, recv, call->count, type, op, comm, stream);
    case WEIR_COLLECTIVE_ALL_TO_ALL:
    case WEIR_COLLECTIVE_GATHER:
    case WEIR_COLLECTIVE_SCATTER:
    case WEIR_COLLECTIVE_ALL_TO_ALL_V:
        return exchange_one(group, i, stream);
    default:
        return api.AllReduce(send, recv, call->count, type, op, comm, stream);
    }
}

/* A group is always ended, or NCCL's next call in this thread would be part of it. It is in the queues when
 * this comes back. */
static int call_all(const struct group *group, void *const *streams)
{
    int result = api.GroupStart(), ended;
    if (result)
        return result;
    for (uint32_t i = 0; i < group->c->ranks && !result; i++) {
        result = call_one(group, i, streams[i]);
        result = result == RESULT_IN_PROGRESS ? 0 : result;
    }
    ended = api.GroupEnd();
    return finish(group->c->nccl, result ? result : ended);
}

/* All queues have come to the call, or one never will. */
static weir_status call_group(void *user, void *const *streams, weir_status status)
{
    struct group *group = user;
    weir_collectives *c = group->c;
    int result = 0;
    if (!status && enter(c->nccl)) {
        result = call_all(group, streams);
        leave(c->nccl);
    }
    if (result && result != RESULT_IN_PROGRESS) /* in progress: cancelled */
        status = failed(weir_collective_name(group->call.what), result);
    free(group);
    return status;
}

/* The offsets of an all-to-all-v are the caller's, and gone when a held queue comes to the call. */
static void keep_sizes(struct group *group, const struct call *call, size_t each)
{
    size_t *counts = group->sizes, *send = counts + each, *recv = send + each;
    memcpy(counts, call->counts, each * sizeof *counts);
    memcpy(send, call->send_offsets, each * sizeof *send);
    memcpy(recv, call->recv_offsets, each * sizeof *recv);
    group->call.counts = counts;
    group->call.send_offsets = send;
    group->call.recv_offsets = recv;
}

static weir_status make_group(weir_collectives *c, const struct call *call,
                              struct group **group_out)
{
    const size_t each = call->counts ? (size_t)c->ranks * c->ranks : 0;
    struct group *group;
    weir_status status =
        weir__alloc(1, sizeof *group + 3 * each * sizeof(size_t), "collective call", &group);
    if (status)
        return status;
    group->c = c;
    group->call = *call;
    for (uint32_t i = 0; i < c->ranks; i++) {
        group->send[i] = call->send[i];
        group->recv[i] = call->recv[i];
    }
    group->call.send = group->send;
    group->call.recv = group->recv;
    if (each)
        keep_sizes(group, call, each);
    *group_out = group;
    return WEIR_OK;
}

weir_status weir__nccl_call(weir_collectives *c, const struct call *call)
{
    struct group *group;
    weir_status status = make_group(c, call, &group), called;
    if (status)
        return weir__collectives_fail(c, status);
    pthread_mutex_lock(&c->nccl->order);
    called = weir__queues_join(call->queues, c->ranks, call_group, group, free);
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        status = weir_queue_record(call->queues[i], c->nccl->last[i]);
    pthread_mutex_unlock(&c->nccl->order);
    status = called ? called : status;
    return status ? weir__collectives_fail(c, status) : weir__collectives_status(c);
}

weir_status weir__nccl_status(weir_collectives *c)
{
    weir_status status = WEIR_OK;
    int result = 0;
    if (enter(c->nccl)) {
        result = ask(c->nccl);
        leave(c->nccl);
    }
    if (result && result != RESULT_IN_PROGRESS)
        status = failed("in a call", result);
    for (uint32_t i = 0; i < c->nccl->ranks && status >= 0; i++) {
        weir_status one = weir_event_query(c->nccl->last[i]);
        status = one < 0 || !status ? one : status;
    }
    return status;
}
