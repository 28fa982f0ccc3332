/** @file nccl_stand_in.c  A stand-in for libnccl.so.2: NCCL's functions over host memory, without streams.
 *
 * As NCCL does with communicators that are not blocking, a thread of its own starts the work of a group, and
 * the group's end comes back at once. The work is done when it is started. Numbers of types and operations
 * are those of nccl.h. It notes calls that NCCL's documentation forbids: with a communicator that was
 * aborted, or is being aborted by another thread. */
#include "tests/router/nccl_stand_in.h"

#include "tests/router/half_reference.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions are looked up by their names: nobody sees a declaration of them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define RANKS_MAX 16
#define OPS_MAX   (2 * RANKS_MAX * RANKS_MAX)
#define CLIQUES   64

enum { SUCCESS = 0, INTERNAL_ERROR = 3, INVALID_ARGUMENT = 4, IN_PROGRESS = 7 };
enum kind { BROADCAST, ALL_GATHER, REDUCE, ALL_REDUCE, REDUCE_SCATTER, SEND, RECV };

typedef struct unique_id {
    char bytes[128];
} unique_id;
struct config {
    size_t size;
    unsigned magic, version;
    int blocking;
};

/** The communicators of one id. */
struct clique {
    int count, aborted; /* ranks; those that were asked to end */
    int running;        /* groups that are being started */
    int result, blocking;
};
typedef struct ncclComm {
    struct clique *clique;
    int rank, inside, ending;
} comm_t;

struct op {
    enum kind kind;
    const void *send;
    void *recv;
    size_t count;
    int type, op, peer; /* peer: the root, too */
    comm_t *comm;
};
struct job {
    size_t ops;
    struct op op[OPS_MAX];
    struct clique *clique;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all that follows */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct stand_in_ways ways;
static struct stand_in_report report;
static struct clique cliques[CLIQUES];
static unsigned ids;
static comm_t comms[4096]; /* never taken twice, so that their use after the end can be noted */
static unsigned comms_taken;

static _Thread_local int depth;
static _Thread_local struct job *group; /* of this thread */

void stand_in_set(const struct stand_in_ways *new_ways)
{
    pthread_mutex_lock(&lock);
    ways = *new_ways;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void stand_in_get(struct stand_in_report *report_out)
{
    pthread_mutex_lock(&lock);
    *report_out = report;
    pthread_mutex_unlock(&lock);
}

/* ---- the work ------------------------------------------------------------------------------- */

static size_t size_of(int type)
{
    static const size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return bytes[type];
}

#define COMBINE(type, wide)                                   \
    do {                                                      \
        type x = *(type *)into, y = *(const type *)with;      \
        *(type *)into = op == 0   ? (type)((wide)x + (wide)y) \
                        : op == 1 ? (type)((wide)x * (wide)y) \
                        : op == 2 ? (y > x ? y : x)           \
                                  : (y < x ? y : x);          \
    } while (0)

static void combine_halves(void *into, const void *with, int op, struct half_format f)
{
    double a = half_decode(*(uint16_t *)into, f), b = half_decode(*(const uint16_t *)with, f);
    double c = op == 0 ? a + b : op == 1 ? a * b : op == 2 ? fmax(a, b) : fmin(a, b);
    *(uint16_t *)into = half_encode(c, f);
}

static void combine(void *into, const void *with, int type, int op)
{
    switch (type) {
    case 2:
        COMBINE(int32_t, uint32_t);
        break;
    case 3:
        COMBINE(uint32_t, uint32_t);
        break;
    case 4:
        COMBINE(int64_t, uint64_t);
        break;
    case 5:
        COMBINE(uint64_t, uint64_t);
        break;
    case 7:
        COMBINE(float, float);
        break;
    case 8:
        COMBINE(double, double);
        break;
    default:
        combine_halves(into, with, op, half_format_of(type == 9 ? WEIR_TYPE_BF16 : WEIR_TYPE_F16));
        break;
    }
}

/* What all ranks' elements combine to. */
static char *combined(const struct job *job, size_t count)
{
    const struct op *first = &job->op[0];
    size_t element = size_of(first->type);
    char *sum = malloc(count * element);
    if (!sum)
        abort();
    memcpy(sum, first->send, count * element);
    for (size_t r = 1; r < job->ops; r++)
        for (size_t i = 0; i < count; i++)
            combine(sum + i * element, (const char *)job->op[r].send + i * element, first->type,
                    first->op);
    return sum;
}

static void reduce_all(const struct job *job)
{
    const struct op *first = &job->op[0];
    int scatters = first->kind == REDUCE_SCATTER;
    size_t bytes = first->count * size_of(first->type);
    char *sum = combined(job, first->count * (scatters ? job->ops : 1));
    for (size_t r = 0; r < job->ops; r++)
        if (first->kind != REDUCE || (int)r == first->peer)
            memcpy(job->op[r].recv, sum + (scatters ? r * bytes : 0), bytes);
    free(sum);
}

static void copy_all(const struct job *job)
{
    const struct op *first = &job->op[0];
    size_t bytes = first->count * size_of(first->type);
    for (size_t r = 0; r < job->ops; r++)
        for (size_t from = 0; from < job->ops; from++) {
            if (first->kind == ALL_GATHER)
                memmove((char *)job->op[r].recv + from * bytes, job->op[from].send, bytes);
            else if ((int)from == first->peer)
                memmove(job->op[r].recv, job->op[from].send, bytes);
        }
}

/* @return sends and receives that have no other end. */
static int exchange(struct job *job)
{
    int alone = (int)job->ops;
    for (size_t r = 0; r < job->ops; r++)
        for (size_t s = 0; s < job->ops && job->op[r].kind == RECV; s++) {
            struct op *in = &job->op[r], *out = &job->op[s];
            if (out->kind != SEND || out->comm->rank != in->peer || out->peer != in->comm->rank ||
                out->count != in->count || out->type != in->type)
                continue;
            memmove(in->recv, out->send, in->count * size_of(in->type));
            alone -= 2;
            break;
        }
    return alone;
}

static void *start(void *argument)
{
    struct job *job = argument;
    struct clique *clique = job->clique;
    enum kind kind = job->op[0].kind;
    int alone = 0;
    pthread_mutex_lock(&lock);
    while (ways.hang && !clique->aborted)
        pthread_cond_wait(&changed, &lock);
    int go = !clique->aborted && !ways.fail;
    pthread_mutex_unlock(&lock);
    if (go && kind >= SEND)
        alone = exchange(job);
    else if (go)
        (kind == BROADCAST || kind == ALL_GATHER ? copy_all : reduce_all)(job);
    pthread_mutex_lock(&lock);
    report.not_matched += alone;
    clique->result = clique->aborted ? INTERNAL_ERROR : ways.fail;
    clique->running--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(job);
    return NULL;
}

/* ---- NCCL's functions: groups --------------------------------------------------------------- */

int ncclGroupStart(void)
{
    if (depth++ == 0 && !(group = calloc(1, sizeof *group)))
        abort();
    return SUCCESS;
}

int ncclGroupEnd(void)
{
    struct job *job = group;
    pthread_t thread;
    if (--depth)
        return SUCCESS;
    if (!job->ops) {
        free(job);
        return SUCCESS;
    }
    job->clique = job->op[0].comm->clique;
    pthread_mutex_lock(&lock);
    report.groups++;
    job->clique->running++;
    job->clique->result = IN_PROGRESS;
    int blocking = job->clique->blocking;
    pthread_mutex_unlock(&lock);
    if (blocking) {
        (void)start(job);
        return SUCCESS;
    }
    if (pthread_create(&thread, NULL, start, job))
        abort();
    pthread_detach(thread);
    return IN_PROGRESS;
}

static int add(struct op op)
{
    pthread_mutex_lock(&lock);
    report.used_when_gone += op.comm->ending;
    pthread_mutex_unlock(&lock);
    if (!depth || group->ops == OPS_MAX)
        return INVALID_ARGUMENT;
    group->op[group->ops++] = op;
    return SUCCESS;
}

int ncclBroadcast(const void *send, void *recv, size_t count, int type, int root, comm_t *comm,
                  void *stream)
{
    (void)stream;
    return add((struct op){BROADCAST, send, recv, count, type, 0, root, comm});
}
int ncclAllGather(const void *send, void *recv, size_t count, int type, comm_t *comm, void *stream)
{
    (void)stream;
    return add((struct op){ALL_GATHER, send, recv, count, type, 0, 0, comm});
}
int ncclReduce(const void *send, void *recv, size_t count, int type, int op, int root, comm_t *comm,
               void *stream)
{
    (void)stream;
    return add((struct op){REDUCE, send, recv, count, type, op, root, comm});
}
int ncclAllReduce(const void *send, void *recv, size_t count, int type, int op, comm_t *comm,
                  void *stream)
{
    (void)stream;
    return add((struct op){ALL_REDUCE, send, recv, count, type, op, 0, comm});
}
int ncclReduceScatter(const void *send, void *recv, size_t count, int type, int op, comm_t *comm,
                      void *stream)
{
    (void)stream;
    return add((struct op){REDUCE_SCATTER, send, recv, count, type, op, 0, comm});
}
int ncclSend(const void *data, size_t count, int type, int peer, comm_t *comm, void *stream)
{
    (void)stream;
    return add((struct op){SEND, data, NULL, count, type, 0, peer, comm});
}
int ncclRecv(void *data, size_t count, int type, int peer, comm_t *comm, void *stream)
{
    (void)stream;
    return add((struct op){RECV, NULL, data, count, type, 0, peer, comm});
}

/* ---- NCCL's functions: communicators -------------------------------------------------------- */

const char *ncclGetErrorString(int result)
{
    return result == INTERNAL_ERROR ? "internal error" : "another error";
}

int ncclGetUniqueId(unique_id *id)
{
    pthread_mutex_lock(&lock);
    snprintf(id->bytes, sizeof id->bytes, "%u", ids++ % CLIQUES);
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int ncclCommInitRankConfig(comm_t **comm_out, int count, unique_id id, int rank,
                           struct config *config)
{
    struct clique *clique = &cliques[atoi(id.bytes)];
    if (config->magic != 0xCAFEBEEF || config->size < sizeof *config || count > RANKS_MAX)
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    if (comms_taken == sizeof comms / sizeof *comms)
        abort();
    *comm_out = &comms[comms_taken++];
    **comm_out = (comm_t){.clique = clique, .rank = rank};
    *clique = (struct clique){.count = count, .blocking = config->blocking};
    report.blocking += config->blocking;
    pthread_mutex_unlock(&lock);
    return config->blocking ? SUCCESS : IN_PROGRESS;
}

int ncclCommGetAsyncError(comm_t *comm, int *result)
{
    pthread_mutex_lock(&lock);
    report.used_when_gone += comm->ending;
    comm->inside++;
    pthread_mutex_unlock(&lock);
    sched_yield(); /* the moment at which nobody may abort it */
    pthread_mutex_lock(&lock);
    comm->inside--;
    *result = comm->clique->result;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int ncclCommAbort(comm_t *comm)
{
    pthread_mutex_lock(&lock);
    report.used_while += comm->inside;
    report.aborts_begun++;
    comm->ending = 1;
    comm->clique->aborted++;
    pthread_cond_broadcast(&changed);
    while (comm->clique->running || ways.abort_waits)
        pthread_cond_wait(&changed, &lock);
    report.aborts++;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int ncclCommDestroy(comm_t *comm)
{
    pthread_mutex_lock(&lock);
    report.used_when_gone += comm->ending;
    report.used_while += comm->inside;
    comm->ending = 1;
    while (comm->clique->running)
        pthread_cond_wait(&changed, &lock);
    report.destroys++;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}
