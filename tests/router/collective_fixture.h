/** @file collective_fixture.h  What the tests of collectives share: ranks with memory, and the reference. */
#ifndef WEIR_TESTS_ROUTER_COLLECTIVE_FIXTURE_H
#define WEIR_TESTS_ROUTER_COLLECTIVE_FIXTURE_H

#include "router/collective.h"
#include "runtime/internal.h"
#include "tests/lib/choices.h"
#include "tests/lib/support.h"
#include "tests/router/half_reference.h"

#include <stdlib.h>
#include <string.h>

#define JOB_RANKS_MAX 9
static const weir_algorithm own_algorithms[] = {WEIR_ALGORITHM_RING, WEIR_ALGORITHM_TREE,
                                                WEIR_ALGORITHM_DIRECT, WEIR_ALGORITHM_AUTO,
                                                WEIR_ALGORITHM_CHANNELS};
#define OWN_ALGORITHMS (sizeof own_algorithms / sizeof *own_algorithms)

/** One rank, several, host devices of several threads, a simulated machine, GPUs, and both kinds together. Under
 *  sanitizers, where a call takes up to twenty times as long, few of them. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ON_RANKS(f) ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:2x2"), ON_BACKEND(f, "cuda:0-1")
#else
#define ON_RANKS(f)                                                                          \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),               \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"),         \
        ON_BACKEND(f, "sim:4*nvswitch"), ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0,host:1"), ON_BACKEND(f, "cuda")
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

/** The context of a test's spec, which may be a simulated machine; skips where the devices are not there. */
static inline weir_context *ranks_open(void **state, const char *const *settings)
{
    weir_context *context;
    if (strncmp(*state, "sim:", 4) != 0)
        return open_with_or_skip(*state, settings);
    OK(choice_context(*state, settings, &context));
    return context;
}

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
    job_open_in(job, ranks_open(state, NULL), bytes);
}

/** @p packet 0: the default. Where the ranks have no channels to each other, "auto" is used in their place. */
static inline void job_use(struct job *job, weir_algorithm algorithm, size_t packet)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    config.algorithm = algorithm;
    config.packet_bytes = packet;
    weir_collectives_destroy(job->c);
    weir_status status =
        weir_collectives_create(job->context, job->device, job->ranks, &config, &job->c);
    if (status == WEIR_ERR_UNSUPPORTED && algorithm == WEIR_ALGORITHM_CHANNELS) {
        config.algorithm = WEIR_ALGORITHM_AUTO;
        status = weir_collectives_create(job->context, job->device, job->ranks, &config, &job->c);
    }
    OK(status);
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
    uint16_t half = half_encode(small, half_format_of(type));
    /* Sizes are written out: this is called for millions of elements. */
    if (type == WEIR_TYPE_F32)
        memcpy(to, &f32, sizeof f32);
    else if (type == WEIR_TYPE_F64)
        memcpy(to, &f64, sizeof f64);
    else if (element == sizeof half)
        memcpy(to, &half, sizeof half);
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

static inline void combine_halves(void *into, const void *with, struct half_format format,
                                  weir_op op)
{
    double x = half_decode(*(uint16_t *)into, format),
           y = half_decode(*(const uint16_t *)with, format);
    double r = op == WEIR_OP_SUM    ? x + y
               : op == WEIR_OP_PROD ? x * y
               : op == WEIR_OP_MIN  ? (y < x ? y : x)
                                    : (y > x ? y : x);
    *(uint16_t *)into = half_encode(r, format);
}

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
    case WEIR_TYPE_F16:
    case WEIR_TYPE_BF16:
        combine_halves(into, with, half_format_of(type), op);
        break;
    default:
        COMBINE_WITH(double, double);
        break;
    }
}

/** Fill host memory with @p count elements of @p rank, from its element @p first on. */
static inline void put_some(void *to, size_t first, size_t count, weir_type type, uint32_t rank,
                            uint64_t seed)
{
    const size_t element = weir_type_bytes(type);
    for (size_t i = 0; i < count; i++)
        put_one((char *)to + i * element, first + i, type, element, rank, seed);
}

static inline void put_elements(void *to, size_t count, weir_type type, uint32_t rank,
                                uint64_t seed)
{
    put_some(to, 0, count, type, rank, seed);
}

/** What all ranks' elements combine to, from element @p first on, in host memory. */
static inline void put_combined(void *to, size_t first, size_t count, weir_type type, weir_op op,
                                uint32_t ranks, uint64_t seed)
{
    size_t element = weir_type_bytes(type);
    uint64_t room;
    put_some(to, first, count, type, 0, seed);
    for (uint32_t r = 1; r < ranks; r++)
        for (size_t i = 0; i < count; i++) {
            put_one(&room, first + i, type, element, r, seed);
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

/** How many times `count` elements rank @p i sends, and receives. */
static inline uint32_t work_sends(const struct job *job, const struct work *w, uint32_t i)
{
    switch (w->what) {
    case WEIR_COLLECTIVE_BROADCAST:
        return i == w->root;
    case WEIR_COLLECTIVE_SCATTER:
        return i == w->root ? job->ranks : 0;
    case WEIR_COLLECTIVE_REDUCE_SCATTER:
    case WEIR_COLLECTIVE_ALL_TO_ALL:
    case WEIR_COLLECTIVE_ALL_TO_ALL_V:
        return job->ranks;
    default:
        return 1;
    }
}
static inline uint32_t work_receives(const struct job *job, const struct work *w, uint32_t i)
{
    switch (w->what) {
    case WEIR_COLLECTIVE_REDUCE:
        return i == w->root;
    case WEIR_COLLECTIVE_GATHER:
        return i == w->root ? job->ranks : 0;
    case WEIR_COLLECTIVE_ALL_GATHER:
    case WEIR_COLLECTIVE_ALL_TO_ALL:
    case WEIR_COLLECTIVE_ALL_TO_ALL_V:
        return job->ranks;
    default:
        return 1;
    }
}

/** Does rank @p i send from its memory to receive in? */
static inline int work_in_place(const struct work *w, uint32_t i)
{
    if (w->what == WEIR_COLLECTIVE_BROADCAST)
        return 1;
    if (w->what == WEIR_COLLECTIVE_ALL_TO_ALL || w->what == WEIR_COLLECTIVE_ALL_TO_ALL_V)
        return 0;
    return w->in_place && (w->what != WEIR_COLLECTIVE_GATHER || i == w->root);
}

/** Where rank @p i sends from, and where it receives. */
static inline void *work_send(struct job *job, const struct work *w, uint32_t i)
{
    size_t bytes = w->count * weir_type_bytes(w->type);
    int gathers = w->what == WEIR_COLLECTIVE_ALL_GATHER || w->what == WEIR_COLLECTIVE_GATHER;
    if (!work_in_place(w, i))
        return job->send[i];
    return (char *)job->recv[i] + (gathers ? i * bytes : 0);
}
static inline void *work_recv(struct job *job, const struct work *w, uint32_t i)
{
    size_t bytes = w->count * weir_type_bytes(w->type);
    int scatters = w->what == WEIR_COLLECTIVE_REDUCE_SCATTER ||
                   (w->what == WEIR_COLLECTIVE_SCATTER && i == w->root);
    return (char *)job->recv[i] + (work_in_place(w, i) && scatters ? i * bytes : 0);
}

/** The block from rank @p i to rank @p j of an all-to-all-v: some are empty. */
static inline size_t work_block(const struct work *w, uint32_t i, uint32_t j)
{
    return w->count * ((3 * i + 5 * j + (uint32_t)w->seed) % 4) / 3;
}

/** Blocks lie `count` elements apart: sent in the order of receivers, received in that of senders, from the
 *  last one on. */
static inline weir_status work_call_v(struct job *job, const struct work *w,
                                      const void *const *send, void *const *recv)
{
    enum { MOST = JOB_RANKS_MAX * JOB_RANKS_MAX };
    size_t counts[MOST], from[MOST], to[MOST];
    for (uint32_t i = 0; i < job->ranks; i++)
        for (uint32_t j = 0; j < job->ranks; j++) {
            counts[i * job->ranks + j] = work_block(w, i, j);
            from[i * job->ranks + j] = j * w->count;
            to[i * job->ranks + j] = (job->ranks - 1 - i) * w->count;
        }
    return weir_all_to_all_v(job->c, send, recv, counts, from, to, w->type, job->queue);
}

/** What rank @p j receives, into host memory that is like its own. */
static inline void work_result(const struct job *job, const struct work *w, uint32_t j,
                               unsigned char *to)
{
    size_t n = w->count, bytes = n * weir_type_bytes(w->type);
    for (uint32_t i = 0; i < job->ranks; i++) {
        unsigned char *place = to + i * bytes;
        if (w->what == WEIR_COLLECTIVE_ALL_GATHER || w->what == WEIR_COLLECTIVE_GATHER)
            put_some(place, 0, n, w->type, i, w->seed);
        else if (w->what == WEIR_COLLECTIVE_ALL_TO_ALL)
            put_some(place, j * n, n, w->type, i, w->seed);
        else if (w->what == WEIR_COLLECTIVE_ALL_TO_ALL_V)
            put_some(to + (job->ranks - 1 - i) * bytes, j * n, work_block(w, i, j), w->type, i,
                     w->seed);
    }
    if (w->what == WEIR_COLLECTIVE_BROADCAST)
        put_some(to, 0, n, w->type, w->root, w->seed);
    else if (w->what == WEIR_COLLECTIVE_SCATTER)
        put_some(to, j * n, n, w->type, w->root, w->seed);
    else if (w->what == WEIR_COLLECTIVE_REDUCE || w->what == WEIR_COLLECTIVE_ALL_REDUCE)
        put_combined(to, 0, n, w->type, w->op, job->ranks, w->seed);
    else if (w->what == WEIR_COLLECTIVE_REDUCE_SCATTER)
        put_combined(to, j * n, n, w->type, w->op, job->ranks, w->seed);
}

/** Rank @p i's memory to receive in, before the call or after it. @return bytes of it that matter. */
static inline size_t work_image(struct job *job, const struct work *w, uint32_t i, int after,
                                unsigned char *host)
{
    size_t element = weir_type_bytes(w->type), parts = work_receives(job, w, i), bytes;
    memset(host, 0xA5, job->bytes);
    if (work_in_place(w, i)) {
        size_t at = (size_t)((char *)work_send(job, w, i) - (char *)job->recv[i]);
        put_elements(host + at, work_sends(job, w, i) * w->count, w->type, i, w->seed);
        parts = parts > work_sends(job, w, i) ? parts : work_sends(job, w, i);
    }
    if (after && work_receives(job, w, i))
        work_result(job, w, i, host + ((char *)work_recv(job, w, i) - (char *)job->recv[i]));
    bytes = parts * w->count * element;
    return bytes + 64 < job->bytes ? bytes + 64 : job->bytes;
}

/** Fill everybody's memory. */
static inline void work_put(struct job *job, const struct work *w)
{
    unsigned char *host = malloc(job->bytes);
    assert_non_null(host);
    for (uint32_t i = 0; i < job->ranks; i++) {
        size_t all = work_sends(job, w, i) * w->count;
        (void)work_image(job, w, i, 0, host);
        job_put(job, i, job->recv[i], host, job->bytes);
        if (work_in_place(w, i))
            continue;
        put_elements(host, all, w->type, i, w->seed);
        job_put(job, i, job->send[i], host, all * weir_type_bytes(w->type));
    }
    free(host);
}

static inline weir_status work_call(struct job *job, const struct work *w)
{
    const void *send[JOB_RANKS_MAX];
    void *recv[JOB_RANKS_MAX];
    weir_collectives *c = job->c;
    for (uint32_t i = 0; i < job->ranks; i++) {
        send[i] = work_send(job, w, i);
        recv[i] = work_recv(job, w, i);
    }
    switch (w->what) {
    case WEIR_COLLECTIVE_BROADCAST:
        return weir_broadcast(c, w->root, recv, w->count, w->type, job->queue);
    case WEIR_COLLECTIVE_ALL_GATHER:
        return weir_all_gather(c, send, recv, w->count, w->type, job->queue);
    case WEIR_COLLECTIVE_REDUCE:
        return weir_reduce(c, w->root, send, recv, w->count, w->type, w->op, job->queue);
    case WEIR_COLLECTIVE_REDUCE_SCATTER:
        return weir_reduce_scatter(c, send, recv, w->count, w->type, w->op, job->queue);
    case WEIR_COLLECTIVE_ALL_TO_ALL:
        return weir_all_to_all(c, send, recv, w->count, w->type, job->queue);
    case WEIR_COLLECTIVE_GATHER:
        return weir_gather(c, w->root, send, recv, w->count, w->type, job->queue);
    case WEIR_COLLECTIVE_SCATTER:
        return weir_scatter(c, w->root, send, recv, w->count, w->type, job->queue);
    case WEIR_COLLECTIVE_ALL_TO_ALL_V:
        return work_call_v(job, w, send, recv);
    default:
        return weir_all_reduce(c, send, recv, w->count, w->type, w->op, job->queue);
    }
}

/** Compare what everybody has, that nothing beside it was written, and that what is sent stays. */
static inline void work_check(struct job *job, const struct work *w)
{
    unsigned char *host = malloc(job->bytes);
    assert_non_null(host);
    for (uint32_t i = 0; i < job->ranks; i++) {
        size_t all = work_sends(job, w, i) * w->count, bytes = work_image(job, w, i, 1, host);
        job_compare(job, i, job->recv[i], host, bytes, weir_collective_name(w->what));
        if (work_in_place(w, i))
            continue;
        put_elements(host, all, w->type, i, w->seed);
        job_compare(job, i, job->send[i], host, all * weir_type_bytes(w->type), "what was sent");
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
