/** @file collective_fixture.h  What the tests of collectives share: ranks with memory, and the reference. */
#ifndef WEIR_TESTS_ROUTER_COLLECTIVE_FIXTURE_H
#define WEIR_TESTS_ROUTER_COLLECTIVE_FIXTURE_H

#include "router/collective.h"
#include "runtime/internal.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

#define JOB_RANKS_MAX 9
static const weir_algorithm own_algorithms[] = {WEIR_ALGORITHM_RING, WEIR_ALGORITHM_TREE,
                                                WEIR_ALGORITHM_AUTO};
#define OWN_ALGORITHMS (sizeof own_algorithms / sizeof *own_algorithms)

/** One rank, several, host devices of several threads, GPUs, and both kinds together. Under
 *  ThreadSanitizer, where a call takes twenty times as long, few of them. */
#if defined(__SANITIZE_THREAD__)
#define ON_RANKS(f) ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:2x2")
#else
#define ON_RANKS(f)                                                                         \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),              \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"),        \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1"), \
        ON_BACKEND(f, "cuda")
#endif

/** All devices of a context as ranks, each with a queue and memory to send from and to receive in. */
struct job {
    weir_context *context;
    uint32_t ranks;
    weir_device *device[JOB_RANKS_MAX];
    weir_queue *queue[JOB_RANKS_MAX];
    void *send[JOB_RANKS_MAX], *recv[JOB_RANKS_MAX];
    size_t bytes; /* of each of them */
    weir_collectives *c;
};

static inline void job_open_in(struct job *job, weir_context *context, size_t bytes)
{
    *job = (struct job){.context = context, .bytes = bytes};
    job->ranks = weir_context_device_count(context);
    assert_in_range(job->ranks, 1, JOB_RANKS_MAX);
    for (uint32_t i = 0; i < job->ranks; i++) {
        job->device[i] = weir_context_device(context, i);
        job->queue[i] = new_queue(job->device[i]);
        job->send[i] = new_memory(job->device[i], bytes);
        job->recv[i] = new_memory(job->device[i], bytes);
    }
}

static inline void job_open(struct job *job, void **state, size_t bytes)
{
    job_open_in(job, open_or_skip(state), bytes);
}

/** @p packet 0: the default. */
static inline void job_use(struct job *job, weir_algorithm algorithm, size_t packet)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    config.algorithm = algorithm;
    config.packet_bytes = packet;
    weir_collectives_destroy(job->c);
    OK(weir_collectives_create(job->context, job->device, job->ranks, &config, &job->c));
}

static inline void job_close(struct job *job)
{
    weir_collectives_destroy(job->c);
    for (uint32_t i = 0; i < job->ranks; i++) {
        weir_queue_destroy(job->queue[i]);
        weir_device_free(job->device[i], job->send[i]);
        weir_device_free(job->device[i], job->recv[i]);
    }
    weir_context_destroy(job->context);
}

/** Wait until everybody's queue is empty, a limited time. */
static inline void job_sync(struct job *job)
{
    for (uint32_t i = 0; i < job->ranks; i++) {
        weir_event *event = new_event(job->device[i]);
        OK(weir_queue_record(job->queue[i], event));
        OK(weir_event_wait(event, LONG_MS));
        weir_event_release(event);
    }
}

/* ---- the reference --------------------------------------------------------------------------- */

/** Element @p i of rank @p rank: integers of all sizes; floating point numbers so small and whole that
 *  every order of combining them gives the same. */
static inline void put_one(void *to, size_t i, weir_type type, size_t element, uint32_t rank,
                           uint64_t seed)
{
    uint64_t state = seed * 1000003 + rank * 7919 + i;
    uint64_t bits = next_random(&state);
    int small = (int)(bits % 5) - 2;
    float f32 = (float)small;
    double f64 = small;
    uint32_t low = (uint32_t)bits;
    /* Sizes are written out: this is called for millions of elements. */
    if (type == WEIR_TYPE_F32)
        memcpy(to, &f32, sizeof f32);
    else if (type == WEIR_TYPE_F64)
        memcpy(to, &f64, sizeof f64);
    else if (element == sizeof low)
        memcpy(to, &low, sizeof low);
    else
        memcpy(to, &bits, sizeof bits);
}

#define COMBINE_WITH(type, wide)                                         \
    do {                                                                 \
        type x = *(type *)into, y = *(const type *)with;                 \
        *(type *)into = op == WEIR_OP_SUM    ? (type)((wide)x + (wide)y) \
                        : op == WEIR_OP_PROD ? (type)((wide)x * (wide)y) \
                        : op == WEIR_OP_MIN  ? (y < x ? y : x)           \
                                             : (y > x ? y : x);           \
    } while (0)

static inline void combine_element(void *into, const void *with, weir_type type, weir_op op)
{
    switch (type) {
    case WEIR_TYPE_I32:
        COMBINE_WITH(int32_t, uint32_t);
        break;
    case WEIR_TYPE_U32:
        COMBINE_WITH(uint32_t, uint32_t);
        break;
    case WEIR_TYPE_I64:
        COMBINE_WITH(int64_t, uint64_t);
        break;
    case WEIR_TYPE_U64:
        COMBINE_WITH(uint64_t, uint64_t);
        break;
    case WEIR_TYPE_F32:
        COMBINE_WITH(float, float);
        break;
    default:
        COMBINE_WITH(double, double);
        break;
    }
}

/** Fill host memory with @p count elements of @p rank. */
static inline void put_elements(void *to, size_t count, weir_type type, uint32_t rank,
                                uint64_t seed)
{
    const size_t element = weir_type_bytes(type);
    for (size_t i = 0; i < count; i++)
        put_one((char *)to + i * element, i, type, element, rank, seed);
}

/** What all ranks' elements combine to, in host memory. */
static inline void put_combined(void *to, size_t count, weir_type type, weir_op op, uint32_t ranks,
                                uint64_t seed)
{
    size_t element = weir_type_bytes(type);
    uint64_t room;
    put_elements(to, count, type, 0, seed);
    for (uint32_t r = 1; r < ranks; r++)
        for (size_t i = 0; i < count; i++) {
            put_one(&room, i, type, element, r, seed);
            combine_element((char *)to + i * element, &room, type, op);
        }
}

static inline void job_put(struct job *job, uint32_t rank, void *to, const void *from, size_t bytes)
{
    if (bytes)
        OK(weir__upload(job->device[rank], to, from, bytes));
}

/** Fail unless a rank's memory is as it is in host memory. */
static inline void job_compare(struct job *job, uint32_t rank, const void *data, const void *wanted,
                               size_t bytes, const char *what)
{
    unsigned char *got = malloc(bytes + 1);
    assert_non_null(got);
    if (bytes)
        OK(weir__download(job->device[rank], got, data, bytes));
    size_t at = 0;
    const int same = memcmp(got, wanted, bytes) == 0;
    while (!same && got[at] == ((const unsigned char *)wanted)[at])
        at++;
    free(got);
    if (same)
        return;
    print_error("%s: rank %u of %u, byte %zu of %zu\n", what, rank, job->ranks, at, bytes);
    fail();
}

/* ---- one call, checked ----------------------------------------------------------------------- */

/** What to call. */
struct work {
    weir_collective what;
    uint32_t root;
    size_t count;
    weir_type type;
    weir_op op;
    int in_place;
    uint64_t seed;
};

/** Where rank @p i sends from. */
static inline void *work_send(struct job *job, const struct work *w, uint32_t i)
{
    size_t bytes = w->count * weir_type_bytes(w->type);
    if (w->what == WEIR_COLLECTIVE_BROADCAST)
        return job->recv[i];
    if (!w->in_place)
        return job->send[i];
    return (char *)job->recv[i] + (w->what == WEIR_COLLECTIVE_ALL_GATHER ? i * bytes : 0);
}

/** Fill everybody's memory. */
static inline void work_put(struct job *job, const struct work *w)
{
    size_t bytes = w->count * weir_type_bytes(w->type);
    unsigned char *host = malloc(job->bytes);
    assert_non_null(host);
    for (uint32_t i = 0; i < job->ranks; i++) {
        memset(host, 0xA5, job->bytes);
        job_put(job, i, job->recv[i], host, job->bytes);
        put_elements(host, w->count, w->type, i, w->seed);
        job_put(job, i, work_send(job, w, i), host, bytes);
    }
    free(host);
}

static inline weir_status work_call(struct job *job, const struct work *w)
{
    const void *send[JOB_RANKS_MAX];
    for (uint32_t i = 0; i < job->ranks; i++)
        send[i] = work_send(job, w, i);
    switch (w->what) {
    case WEIR_COLLECTIVE_BROADCAST:
        return weir_broadcast(job->c, w->root, job->recv, w->count, w->type, job->queue);
    case WEIR_COLLECTIVE_ALL_GATHER:
        return weir_all_gather(job->c, send, job->recv, w->count, w->type, job->queue);
    case WEIR_COLLECTIVE_REDUCE:
        return weir_reduce(job->c, w->root, send, job->recv, w->count, w->type, w->op, job->queue);
    default:
        return weir_all_reduce(job->c, send, job->recv, w->count, w->type, w->op, job->queue);
    }
}

/** Compare what everybody has, and that nothing behind it was written. */
static inline void work_check(struct job *job, const struct work *w)
{
    size_t bytes = w->count * weir_type_bytes(w->type), all = bytes;
    unsigned char *host = malloc(job->bytes);
    assert_non_null(host);
    memset(host, 0xA5, job->bytes);
    if (w->what == WEIR_COLLECTIVE_BROADCAST) {
        put_elements(host, w->count, w->type, w->root, w->seed);
    } else if (w->what == WEIR_COLLECTIVE_ALL_GATHER) {
        all = bytes * job->ranks;
        for (uint32_t i = 0; i < job->ranks; i++)
            put_elements(host + i * bytes, w->count, w->type, i, w->seed);
    } else {
        put_combined(host, w->count, w->type, w->op, job->ranks, w->seed);
    }
    size_t margin = job->bytes - all < 64 ? job->bytes - all : 64;
    for (uint32_t i = 0; i < job->ranks; i++)
        if (w->what != WEIR_COLLECTIVE_REDUCE || i == w->root)
            job_compare(job, i, job->recv[i], host, all + margin, weir_collective_name(w->what));
    for (uint32_t i = 0; i < job->ranks; i++) /* what is sent stays */
        if (w->what != WEIR_COLLECTIVE_BROADCAST && (!w->in_place)) {
            put_elements(host, w->count, w->type, i, w->seed);
            job_compare(job, i, job->send[i], host, bytes, "what was sent");
        }
    free(host);
}

static inline void work_do(struct job *job, const struct work *w)
{
    work_put(job, w);
    OK(work_call(job, w));
    job_sync(job);
    work_check(job, w);
}

#endif
