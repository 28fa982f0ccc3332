/** @file test_bag.c  The local queue alone: what threads put into a bag is in it, once and whole.
 *
 * Elements of each size that bags move differently; the room of the device, chunks behind it, and none. */
#include "tests/lib/support.h"
#include "worklist/engine/bag.h"
#include "runtime/sync.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 6
#define GUARD   0xA5
#if defined(__SANITIZE_THREAD__)
enum { PUTS = 500, REPEATS = 7 };
#else
enum { PUTS = 5000, REPEATS = 14 };
#endif

/* Every word of an element says which one it is. */
#define ELEMENT(words)                                                   \
    typedef struct element_##words {                                     \
        uint32_t word[words];                                            \
    } element_##words;                                                   \
    static void make_##words(void *to, uint32_t number)                  \
    {                                                                    \
        for (uint32_t w = 0; w < (words); w++)                           \
            ((element_##words *)to)->word[w] = number * 2654435761u + w; \
    }
ELEMENT(1)
ELEMENT(2)
ELEMENT(3)
ELEMENT(4)

#define BAG_TYPE element_1
#define BAG_NAME bag_1
#include "worklist/engine/bag_tmpl.h"
#define BAG_TYPE element_2
#define BAG_NAME bag_2
#include "worklist/engine/bag_tmpl.h"
#define BAG_TYPE element_3
#define BAG_NAME bag_3
#include "worklist/engine/bag_tmpl.h"
#define BAG_TYPE element_4
#define BAG_NAME bag_4
#include "worklist/engine/bag_tmpl.h"

/* What a test knows of an element size. */
struct kind {
    uint32_t bytes;
    void (*make)(void *to, uint32_t number);
    int (*put)(const struct weir_bag *bag, uint32_t slot, uint32_t number);
    void (*get)(void *to, const void *from);
};

#define KIND(words)                                                                    \
    static int put_##words(const struct weir_bag *bag, uint32_t slot, uint32_t number) \
    {                                                                                  \
        element_##words element;                                                       \
        make_##words(&element, number);                                                \
        return bag_##words##_put(bag, slot, &element);                                 \
    }                                                                                  \
    static void get_##words(void *to, const void *from)                                \
    {                                                                                  \
        bag_##words##_get(to, from);                                                   \
    }
KIND(1)
KIND(2)
KIND(3)
KIND(4)
static const struct kind kinds[] = {{4, make_1, put_1, get_1},
                                    {8, make_2, put_2, get_2},
                                    {12, make_3, put_3, get_3},
                                    {16, make_4, put_4, get_4}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Where a bag spills to: chunks of eight elements, each with a guard behind it, made when they are asked for. */
#define CHUNK     8u
#define CHUNK_LOG 3u
struct chunks {
    struct weir_spill spill; /* the words of the chunks follow it */
    uint64_t word[THREADS * PUTS / CHUNK + 2];
    pthread_mutex_t lock;
    uint32_t given, most; /* under the lock */
    uint32_t bytes;       /* of an element */
};

static void give(void *user, struct weir_spill *spill, uint32_t count)
{
    struct chunks *chunks = user;
    pthread_mutex_lock(&chunks->lock);
    while (chunks->given < count && chunks->given < chunks->most) {
        char *chunk = malloc((size_t)(CHUNK + 1) * chunks->bytes);
        if (!chunk)
            abort();
        memset(chunk, GUARD, (size_t)(CHUNK + 1) * chunks->bytes);
        weir_store_release_sys_u64(weir_spill_word(spill, chunks->given++),
                                   (uint64_t)(uintptr_t)chunk);
    }
    if (chunks->given < count)
        weir_store_release_sys_u32(&spill->refused, 1);
    pthread_mutex_unlock(&chunks->lock);
}

/* A bag with a guard behind each of its parts. @p chunks  that it gets at most. */
static struct weir_bag make_bag_of(const struct kind *kind, uint32_t room, uint32_t more_room,
                                   uint32_t most)
{
    struct weir_bag bag = {.slots = malloc((size_t)(room + 1) * kind->bytes),
                           .room = room,
                           .more_room = more_room,
                           .chunk_log = CHUNK_LOG};
    struct chunks *chunks = calloc(1, sizeof *chunks);
    assert_non_null(bag.slots);
    assert_non_null(chunks);
    chunks->spill.give = give;
    chunks->spill.user = chunks;
    chunks->most = most;
    chunks->bytes = kind->bytes;
    pthread_mutex_init(&chunks->lock, NULL);
    bag.spill = &chunks->spill;
    memset(bag.slots, GUARD, (size_t)(room + 1) * kind->bytes);
    return bag;
}

static struct weir_bag make_bag(const struct kind *kind, uint32_t room, uint32_t more_room)
{
    return make_bag_of(kind, room, more_room, more_room / CHUNK + 1);
}

static struct chunks *chunks_of(const struct weir_bag *bag)
{
    return (struct chunks *)(void *)bag->spill;
}

static char *chunk_of(const struct weir_bag *bag, uint32_t number)
{
    return (char *)(uintptr_t)*weir_spill_word(bag->spill, number);
}

static void free_bag(const struct weir_bag *bag)
{
    struct chunks *chunks = chunks_of(bag);
    free(bag->slots);
    for (uint32_t c = 0; c < chunks->given; c++)
        free(chunk_of(bag, c));
    pthread_mutex_destroy(&chunks->lock);
    free(chunks);
}

static const char *at(const struct weir_bag *bag, const struct kind *kind, uint32_t slot)
{
    if (slot < bag->room)
        return (const char *)bag->slots + (size_t)slot * kind->bytes;
    slot -= bag->room;
    return chunk_of(bag, slot / CHUNK) + (size_t)(slot % CHUNK) * kind->bytes;
}

static void assert_untouched(const char *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal((unsigned char)bytes[i], GUARD);
}

/* Nothing was written behind the parts, nor where nothing was put, and no chunk was taken that nobody needs. */
static void assert_guards(const struct weir_bag *bag, const struct kind *kind, uint32_t filled)
{
    const uint32_t spilled = filled > bag->room ? filled - bag->room : 0;
    assert_untouched((const char *)bag->slots + (size_t)bag->room * kind->bytes, kind->bytes);
    for (uint32_t slot = filled; slot < bag->room; slot++)
        assert_untouched(at(bag, kind, slot), kind->bytes);
    assert_int_equal(chunks_of(bag)->given, (spilled + CHUNK - 1) / CHUNK);
    for (uint32_t c = 0; c < chunks_of(bag)->given; c++)
        for (uint32_t i = c * CHUNK + CHUNK <= spilled ? CHUNK : spilled - c * CHUNK; i <= CHUNK;
             i++)
            assert_untouched(chunk_of(bag, c) + (size_t)i * kind->bytes, kind->bytes);
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The numbers below `count` were offered, in this order, by one thread. */
static void check_in_order(const struct weir_bag *bag, const struct kind *kind, uint32_t count)
{
    char want[16], have[16];
    uint32_t filled = lesser(count, bag->room + bag->more_room);
    for (uint32_t slot = 0; slot < filled; slot++) {
        kind->make(want, slot);
        kind->get(have, at(bag, kind, slot));
        assert_memory_equal(have, want, kind->bytes);
    }
    assert_guards(bag, kind, filled);
}

static void one_thread_fills_a_bag(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (uint32_t room = 0; room <= 4; room++)
            for (uint32_t more = 0; more <= 16; more += 4)
                for (uint32_t count = 0; count <= 22; count++) {
                    struct weir_bag bag = make_bag(&kinds[k], room, more);
                    uint32_t tail = 0;
                    for (uint32_t i = 0; i < count; i++) {
                        uint32_t slot = weir_bag_reserve_mp(&tail, 1);
                        assert_int_equal(slot, i);
                        assert_int_equal(kinds[k].put(&bag, slot, i), i < room + more);
                    }
                    assert_int_equal(tail,
                                     count); /* refused ones count too: that is how they show */
                    check_in_order(&bag, &kinds[k], count);
                    free_bag(&bag);
                }
}

/* A bag whose host has no more chunks refuses what would lie in them, whatever it may hold. */
static void a_bag_without_more_chunks_refuses(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct weir_bag bag = make_bag_of(&kinds[k], 2, 100, 2);
        for (uint32_t slot = 0; slot < 30; slot++)
            assert_int_equal(kinds[k].put(&bag, slot, slot), slot < 2 + 2 * CHUNK);
        check_in_order(&bag, &kinds[k], 2 + 2 * CHUNK);
        free_bag(&bag);
    }
}

/* ---- many threads ------------------------------------------------------------------------------- */

struct shared {
    const struct kind *kind;
    struct weir_bag bag;
    uint32_t tail;
    pthread_barrier_t start;
    unsigned char accepted[THREADS * PUTS]; /* by number of the element */
};

struct producer {
    struct shared *shared;
    uint32_t index;
    pthread_t thread;
};

static void *produce(void *data)
{
    const struct producer *me = data;
    struct shared *shared = me->shared;
    pthread_barrier_wait(&shared->start);
    for (uint32_t i = 0; i < PUTS; i++) {
        uint32_t number = me->index * PUTS + i, slot = weir_bag_reserve_mp(&shared->tail, 1);
        shared->accepted[number] = (unsigned char)shared->kind->put(&shared->bag, slot, number);
    }
    return NULL;
}

/* Which of the numbers is in a slot; each may be met once. */
static void meet(const struct shared *shared, uint32_t slot, unsigned char *met)
{
    char have[16], want[16];
    uint32_t word, number;
    shared->kind->get(have, at(&shared->bag, shared->kind, slot));
    memcpy(&word, have, sizeof word);
    number = word * 244002641u; /* the inverse of what make_() multiplies with */
    assert_true(number < THREADS * PUTS);
    shared->kind->make(want, number);
    assert_memory_equal(have, want, shared->kind->bytes);
    assert_int_equal(met[number], 0);
    met[number] = 1;
}

static void put_from_all(const struct kind *kind, uint32_t room, uint32_t more)
{
    struct shared *shared = calloc(1, sizeof *shared);
    unsigned char *met = calloc(THREADS, PUTS);
    struct producer producers[THREADS];
    assert_non_null(shared);
    assert_non_null(met);
    shared->kind = kind;
    shared->bag = make_bag(kind, room, more);
    pthread_barrier_init(&shared->start, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        producers[i] = (struct producer){.shared = shared, .index = i};
        assert_int_equal(pthread_create(&producers[i].thread, NULL, produce, &producers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(producers[i].thread, NULL);
    uint32_t filled = lesser(THREADS * PUTS, room + more);
    assert_int_equal(shared->tail, THREADS * PUTS);
    for (uint32_t slot = 0; slot < filled; slot++)
        meet(shared, slot, met);
    assert_memory_equal(met, shared->accepted, THREADS * PUTS); /* what was refused is not there */
    assert_guards(&shared->bag, kind, filled);
    pthread_barrier_destroy(&shared->start);
    free_bag(&shared->bag);
    free(shared);
    free(met);
}

static void many_threads_fill_a_bag(void **state)
{
    static const uint32_t parts[][2] = {{THREADS * PUTS, 0},
                                        {THREADS * PUTS + 1, 10},
                                        {PUTS, THREADS * PUTS},
                                        {0, THREADS * PUTS},
                                        {2 * PUTS + 3, PUTS + 17},
                                        {PUTS, 0},
                                        {0, 0}};
    (void)state;
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (size_t k = 0; k < KINDS; k++)
            put_from_all(&kinds[k], parts[repeat % 7][0], parts[repeat % 7][1]);
}

/* ---- rounds: one bag is read while the other is put into ----------------------------------------- */

#define ROUNDS 8

struct rounds {
    struct weir_bag bag[2];
    uint32_t tail[2];
    pthread_barrier_t barrier;
};

struct mover {
    struct rounds *rounds;
    uint32_t index;
    pthread_t thread;
};

/* Hand on every THREADS-th element, with nothing but the barrier between a put and the get. */
static void *move(void *data)
{
    const struct mover *me = data;
    struct rounds *rounds = me->rounds;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct weir_bag *from = &rounds->bag[round & 1], *to = &rounds->bag[~round & 1];
        uint32_t count = weir_load_relaxed_dev_u32(&rounds->tail[round & 1]);
        for (uint32_t slot = me->index; slot < count; slot += THREADS) {
            element_3 element;
            bag_3_get(&element, at(from, &kinds[2], slot));
            (void)bag_3_put(to, weir_bag_reserve_mp(&rounds->tail[~round & 1], 1), &element);
        }
        if (pthread_barrier_wait(&rounds->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            weir_store_relaxed_dev_u32(&rounds->tail[round & 1], 0);
        pthread_barrier_wait(&rounds->barrier);
    }
    return NULL;
}

static void elements_survive_rounds(void **state)
{
    enum { ELEMENTS = PUTS };
    struct rounds rounds = {.tail = {0, 0}};
    struct mover movers[THREADS];
    static unsigned char met[ELEMENTS];
    (void)state;
    memset(met, 0, sizeof met);
    for (int b = 0; b < 2; b++)
        rounds.bag[b] = make_bag(&kinds[2], ELEMENTS / 3, ELEMENTS);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        assert_true(put_3(&rounds.bag[0], weir_bag_reserve_mp(&rounds.tail[0], 1), i));
    pthread_barrier_init(&rounds.barrier, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        movers[i] = (struct mover){.rounds = &rounds, .index = i};
        assert_int_equal(pthread_create(&movers[i].thread, NULL, move, &movers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(movers[i].thread, NULL);
    assert_int_equal(rounds.tail[ROUNDS & 1], ELEMENTS);
    for (uint32_t slot = 0; slot < ELEMENTS; slot++) {
        element_3 element;
        bag_3_get(&element, at(&rounds.bag[ROUNDS & 1], &kinds[2], slot));
        uint32_t number = element.word[0] * 244002641u;
        assert_true(number < ELEMENTS && !met[number]);
        assert_int_equal(element.word[2], element.word[0] + 2);
        met[number] = 1;
    }
    pthread_barrier_destroy(&rounds.barrier);
    free_bag(&rounds.bag[0]);
    free_bag(&rounds.bag[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_fills_a_bag),
        cmocka_unit_test(a_bag_without_more_chunks_refuses),
        cmocka_unit_test(many_threads_fill_a_bag),
        cmocka_unit_test(elements_survive_rounds),
    };
    return cmocka_run_group_tests_name("bag", tests, NULL, NULL);
}
