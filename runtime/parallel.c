/** @file parallel.c  A parallel loop for loading and generating graphs (not for running them). */
#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS_MAX 64

struct loop {
    uint64_t count, chunk;
    _Atomic uint64_t next; /* relaxed: it hands out chunks; the join publishes their results */
    void (*fn)(void *user, uint64_t begin, uint64_t end);
    void *user;
};

static void *work(void *data)
{
    struct loop *loop = data;
    for (;;) {
        uint64_t begin = atomic_fetch_add_explicit(&loop->next, loop->chunk, memory_order_relaxed);
        if (begin >= loop->count)
            return NULL;
        uint64_t left = loop->count - begin;
        loop->fn(loop->user, begin, begin + (left < loop->chunk ? left : loop->chunk));
    }
}

void weir__parallel_for(uint64_t count, uint64_t chunk, uint32_t threads,
                        void (*fn)(void *user, uint64_t begin, uint64_t end), void *user)
{
    struct loop loop = {
        .count = count, .chunk = chunk ? chunk : 1, .next = 0, .fn = fn, .user = user};
    pthread_t started[THREADS_MAX];
    uint64_t chunks = count / loop.chunk + (count % loop.chunk != 0);
    uint32_t want = threads ? threads : weir__cores(), alive = 0;
    if (want > THREADS_MAX)
        want = THREADS_MAX;
    if (want > chunks)
        want = (uint32_t)chunks;
    while (alive + 1 < want && pthread_create(&started[alive], NULL, work, &loop) == 0)
        alive++;
    work(&loop);
    while (alive > 0)
        pthread_join(started[--alive], NULL);
}
