/** @file parallel.c  Parallel loops for loading, generating and placing graphs (not for running them). */
#include "runtime/internal.h"
#include "runtime/observe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS_MAX 64

struct loop {
    uint64_t count, chunk;
    _Atomic uint64_t next; /* relaxed: it hands out chunks; the join publishes their results */
    void (*fn)(void *user, uint64_t begin, uint64_t end);
    void *user;
    weir_observer *observer; /* who may end the loop; NULL: nobody */
    int counts;              /* it is told what is done */
    _Atomic int ended;       /* with this status, some chunks were left out; relaxed, as above */
};

static void *work(void *data)
{
    struct loop *loop = data;
    for (;;) {
        uint64_t begin = atomic_fetch_add_explicit(&loop->next, loop->chunk, memory_order_relaxed);
        if (begin >= loop->count)
            return NULL;
        const weir_status status = weir__observer_ends(loop->observer);
        if (status) {
            atomic_store_explicit(&loop->ended, (int)status, memory_order_relaxed);
            return NULL;
        }
        const uint64_t left = loop->count - begin, here = left < loop->chunk ? left : loop->chunk;
        loop->fn(loop->user, begin, begin + here);
        if (loop->counts)
            weir__observer_add(loop->observer, here);
    }
}

static void run(struct loop *loop, uint32_t threads)
{
    pthread_t started[THREADS_MAX];
    uint64_t chunks = loop->count / loop->chunk + (loop->count % loop->chunk != 0);
    uint32_t want = threads ? threads : weir__cores(), alive = 0;
    if (want > THREADS_MAX)
        want = THREADS_MAX;
    if (want > chunks)
        want = (uint32_t)chunks;
    while (alive + 1 < want && pthread_create(&started[alive], NULL, work, loop) == 0)
        alive++;
    work(loop);
    while (alive > 0)
        pthread_join(started[--alive], NULL);
}

void weir__parallel_for(uint64_t count, uint64_t chunk, uint32_t threads,
                        void (*fn)(void *user, uint64_t begin, uint64_t end), void *user)
{
    struct loop loop = {.count = count, .chunk = chunk ? chunk : 1, .fn = fn, .user = user};
    run(&loop, threads);
}

weir_status weir__activity_for(const char *name, const char *unit, uint64_t count, uint64_t chunk,
                               uint32_t threads,
                               void (*fn)(void *user, uint64_t begin, uint64_t end), void *user)
{
    struct loop loop = {.count = count, .chunk = chunk ? chunk : 1, .fn = fn, .user = user};
    struct weir__activity outer;
    weir__activity_part(&outer, name, unit, count);
    loop.counts = outer.observer != NULL;
    loop.observer = weir__activity_is_aside() ? weir__activity_observer() : outer.observer;
    run(&loop, threads);
    const weir_status status = (weir_status)loop.ended;
    return weir__activity_end(&outer, status ? weir__activity_fail(status) : WEIR_OK);
}

/* ---- devices side by side --------------------------------------------------------------------------- */

struct each {
    weir_status (*fn)(void *user, uint32_t index);
    void *user;
    uint32_t index;
    weir_observer *observer;
    weir_status status;
    struct weir__sentence sentence; /* why it failed: sentences are a thread's own, */
    uint64_t upload_ns;             /* and so is the time that copies take */
};

static void *call_one(void *data)
{
    struct each *each = data;
    const struct weir__aside before = weir__activity_aside(each->observer);
    const uint64_t begin_ns = weir__upload_ns();
    each->status = each->fn(each->user, each->index);
    if (each->status)
        each->sentence = weir__fail_keep();
    each->upload_ns = weir__upload_ns() - begin_ns;
    weir__activity_back(before);
    return NULL;
}

/* @param[in] apart  on threads of their own. */
static weir_status end_each(struct each *each, uint32_t apart, uint32_t count)
{
    weir_status status = WEIR_OK;
    uint64_t own_ns = 0, longest_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= apart)
            own_ns += each[i].upload_ns;
        else if (each[i].upload_ns > longest_ns)
            longest_ns = each[i].upload_ns;
        if (!status && (status = each[i].status))
            weir__fail_restore(&each[i].sentence);
        free(each[i].sentence.text);
    }
    weir__upload_waited(longest_ns > own_ns ? longest_ns - own_ns : 0);
    return status;
}

weir_status weir__activity_each(uint32_t count, weir_status (*fn)(void *user, uint32_t index),
                                void *user)
{
    struct each each[WEIR_DEVICES_MAX];
    pthread_t thread[WEIR_DEVICES_MAX];
    uint32_t apart = 0;
    if (count == 1) /* nobody is beside it: what it is busy with may be seen */
        return fn(user, 0);
    for (uint32_t i = 0; i < count; i++)
        each[i] = (struct each){
            .fn = fn, .user = user, .index = i, .observer = weir__activity_observer()};
    while (apart + 1 < count && pthread_create(&thread[apart], NULL, call_one, &each[apart]) == 0)
        apart++;
    for (uint32_t i = apart; i < count; i++)
        (void)call_one(&each[i]);
    for (uint32_t i = 0; i < apart; i++)
        pthread_join(thread[i], NULL);
    return end_each(each, apart, count);
}
