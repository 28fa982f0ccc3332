/** @file parallel.c  A parallel loop for loading and generating graphs (not for running them). */
#include "runtime/internal.h"
#include "runtime/observe.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS_MAX 64

struct loop {
    uint64_t count, chunk;
    _Atomic uint64_t next; /* relaxed: it hands out chunks; the join publishes their results */
    void (*fn)(void *user, uint64_t begin, uint64_t end);
    void *user;
    weir_observer *observer; /* who may end the loop; NULL: nobody */
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
    loop.observer = outer.observer;
    run(&loop, threads);
    const weir_status status = (weir_status)loop.ended;
    return weir__activity_end(&outer, status ? weir__activity_fail(status) : WEIR_OK);
}
