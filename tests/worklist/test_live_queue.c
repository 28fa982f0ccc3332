/** @file test_live_queue.c  The queue of live kernels alone: each element that was pushed is popped once and whole, a full
 * queue refuses, and nobody waits for a producer that is slow.
 *
 * Elements of each size that move differently; rings from one slot on; slots in device memory and in chunks. */
#include "tests/lib/share.h"
#include "tests/lib/support.h"
#include "runtime/sync.h"
#include "worklist/engine/live_queue.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A producer pushes so often, or less where WEIR_TEST_STRIDE is given, but never less than FEWEST. */
#if defined(__SANITIZE_THREAD__)
enum { PUSHES = 1000 };
#else
enum { PUSHES = 6000 };
#endif
enum { FEWEST = 1000, PRODUCERS = 3, CONSUMERS = 3, CHUNK_LOG = 2, CHUNKS = 64 };

/* Every word of an element says which one it is. */
#define ELEMENT(words)                                                                   \
    typedef struct element_##words {                                                     \
        uint32_t word[words];                                                            \
    } element_##words;                                                                   \
    static void make_##words(element_##words *to, uint32_t number)                       \
    {                                                                                    \
        for (uint32_t w = 0; w < (words); w++)                                           \
            to->word[w] = number * 2654435761u + w;                                      \
    }                                                                                    \
    static uint32_t number_##words(const element_##words *of)                            \
    {                                                                                    \
        const uint32_t number = of->word[0] * 244002641u; /* the inverse of the above */ \
        element_##words want;                                                            \
        make_##words(&want, number);                                                     \
        return memcmp(&want, of, sizeof want) ? UINT32_MAX : number;                     \
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

#define LIVE_TYPE element_1
#define LIVE_NAME live_1
#define LIVE_BAG  bag_1
#include "worklist/engine/live_queue_tmpl.h"
#define LIVE_TYPE element_2
#define LIVE_NAME live_2
#define LIVE_BAG  bag_2
#include "worklist/engine/live_queue_tmpl.h"
#define LIVE_TYPE element_3
#define LIVE_NAME live_3
#define LIVE_BAG  bag_3
#include "worklist/engine/live_queue_tmpl.h"
#define LIVE_TYPE element_4
#define LIVE_NAME live_4
#define LIVE_BAG  bag_4
#include "worklist/engine/live_queue_tmpl.h"

/* What a test knows of an element size. */
struct kind {
    uint32_t bytes;
    int (*push)(const struct weir_live_queue *queue, uint32_t number, const uint32_t *stop,
                uint32_t *high);
    uint32_t (*take)(const struct weir_live_queue *queue, uint64_t ticket);
};

#define KIND(words)                                                                    \
    static int push_##words(const struct weir_live_queue *queue, uint32_t number,      \
                            const uint32_t *stop, uint32_t *high)                      \
    {                                                                                  \
        element_##words element;                                                       \
        make_##words(&element, number);                                                \
        return live_##words##_push(queue, 1, &element, stop, high) == 0;               \
    }                                                                                  \
    static uint32_t take_##words(const struct weir_live_queue *queue, uint64_t ticket) \
    {                                                                                  \
        element_##words element;                                                       \
        live_##words##_take(queue, ticket, &element);                                  \
        return number_##words(&element);                                               \
    }
KIND(1)
KIND(2)
KIND(3)
KIND(4)
static const struct kind kinds[] = {{sizeof(element_1), push_1, take_1},
                                    {sizeof(element_2), push_2, take_2},
                                    {sizeof(element_3), push_3, take_3},
                                    {sizeof(element_4), push_4, take_4}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Chunks of an overflow queue, given when they are asked for. */
struct chunks {
    struct weir_spill spill; /* the words of the chunks follow it */
    uint64_t word[CHUNKS];
    pthread_mutex_t lock;
    uint32_t given, most; /* under the lock */
    uint32_t bytes;
};

static void give(void *user, struct weir_spill *spill, uint32_t count)
{
    struct chunks *chunks = user;
    pthread_mutex_lock(&chunks->lock);
    while (chunks->given < count && chunks->given < chunks->most) {
        void *chunk = calloc(1, chunks->bytes);
        if (!chunk)
            abort();
        weir_store_release_sys_u64(weir_spill_word(spill, chunks->given++),
                                   (uint64_t)(uintptr_t)chunk);
    }
    if (chunks->given < count)
        weir_store_release_sys_u32(&spill->refused, 1);
    pthread_mutex_unlock(&chunks->lock);
}

struct memory {
    struct weir_live_queue queue;
    struct weir_live_words words;
    struct chunks chunks;
};

/* @param[in] most  chunks that an overflow queue gets; 0: it is none. */
static struct memory *make(const struct kind *kind, uint32_t room_log, uint32_t most)
{
    struct memory *memory = calloc(1, sizeof *memory);
    const size_t room = (size_t)1 << room_log;
    assert_non_null(memory);
    memory->queue = (struct weir_live_queue){.words = &memory->words,
                                             .room_log = room_log,
                                             .chunk_log = CHUNK_LOG,
                                             .element_bytes = kind->bytes,
                                             .exists = 1};
    pthread_mutex_init(&memory->chunks.lock, NULL);
    if (most) {
        memory->chunks.spill.give = give;
        memory->chunks.spill.user = &memory->chunks;
        memory->chunks.most = most;
        memory->chunks.bytes = (kind->bytes + WEIR_LIVE_MARK_BYTES) << CHUNK_LOG;
        memory->queue.spill = &memory->chunks.spill;
        return memory;
    }
    memory->queue.slots = calloc(room, kind->bytes);
    memory->queue.marks = calloc(room, sizeof *memory->queue.marks);
    assert_non_null(memory->queue.slots);
    assert_non_null(memory->queue.marks);
    return memory;
}

static void drop(struct memory *memory)
{
    free(memory->queue.slots);
    free(memory->queue.marks);
    for (uint32_t c = 0; c < memory->chunks.given; c++)
        free((void *)(uintptr_t)*weir_spill_word(&memory->chunks.spill, c));
    pthread_mutex_destroy(&memory->chunks.lock);
    free(memory);
}

/* Pop up to @p want elements, which have to be the next numbers. @return how many there were. */
static uint32_t pop_in_order(const struct kind *kind, const struct weir_live_queue *queue,
                             uint32_t want, uint32_t *next)
{
    uint64_t ticket;
    const uint32_t count = weir_live_claim_mpmc(queue, want, &ticket);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(kind->take(queue, ticket + i), (*next)++);
    weir_live_return_mpmc(queue, count);
    return count;
}

/* Fill a ring to the last slot, see that it refuses, empty it, and that many times: turns of the ring follow one another. */
static void fill_and_empty(const struct kind *kind, uint32_t room_log, uint32_t most)
{
    struct memory *memory = make(kind, room_log, most);
    const uint32_t room = (uint32_t)1 << room_log, stop = 0;
    uint32_t pushed = 0, popped = 0, high = 0;
    for (uint32_t turn = 0; turn < 5; turn++) {
        while (kind->push(&memory->queue, pushed, &stop, &high))
            pushed++;
        assert_int_equal(pushed - popped, room);
        assert_int_equal(weir_live_length(&memory->queue), room);
        assert_int_equal(high, room);
        assert_int_equal(memory->words.used, room); /* a refused push leaves nothing behind */
        for (uint32_t want = 1; pop_in_order(kind, &memory->queue, want, &popped); want++)
            ;
        assert_int_equal(pushed, popped);
        assert_int_equal(memory->words.used, 0);
        /* Begin the next turn elsewhere in the ring. */
        assert_true(kind->push(&memory->queue, pushed++, &stop, &high));
        assert_int_equal(pop_in_order(kind, &memory->queue, 9, &popped), 1);
    }
    drop(memory);
}

static void a_ring_keeps_order_and_refuses_what_does_not_fit(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (uint32_t log = 0; log <= 5; log++) {
            fill_and_empty(&kinds[k], log, 0);
            fill_and_empty(&kinds[k], log, CHUNKS);
        }
}

static void a_queue_that_does_not_exist_is_full_and_empty(void **state)
{
    (void)state;
    struct memory *memory = make(&kinds[0], 3, 0);
    const uint32_t stop = 0;
    uint32_t high = 0;
    memory->queue.exists = 0;
    assert_false(kinds[0].push(&memory->queue, 1, &stop, &high));
    assert_int_equal(weir_live_length(&memory->queue), 0);
    drop(memory);
}

/* Chunks are asked for one by one; when there are no more, a push fails. A look at what was not given asks for nothing. */
static void chunks_come_when_they_are_needed(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct memory *memory = make(&kinds[k], 6, 3);
        const uint32_t stop = 0, chunk = 1u << CHUNK_LOG;
        uint32_t high = 0, popped = 0;
        uint64_t ticket;
        assert_int_equal(weir_live_claim_mpmc(&memory->queue, 5, &ticket), 0);
        assert_int_equal(memory->chunks.given, 0);
        for (uint32_t i = 0; i < 3 * chunk; i++) {
            assert_true(kinds[k].push(&memory->queue, i, &stop, &high));
            assert_int_equal(memory->chunks.given, i / chunk + 1);
        }
        assert_false(kinds[k].push(&memory->queue, 3 * chunk, &stop, &high));
        while (pop_in_order(&kinds[k], &memory->queue, 7, &popped))
            ;
        assert_int_equal(popped, 3 * chunk);
        drop(memory);
    }
}

/* A producer that has its ticket and stores nothing: what lies before it can be popped, what lies behind it cannot yet,
 * and whoever tries goes away at once. */
static void a_slow_producer_keeps_nobody_waiting(void **state)
{
    (void)state;
    const struct kind *kind = &kinds[1];
    struct memory *memory = make(kind, 4, 0);
    const uint32_t stop = 0;
    uint32_t high = 0, next = 0;
    uint64_t slow, ticket;
    assert_true(kind->push(&memory->queue, 0, &stop, &high));
    assert_true(kind->push(&memory->queue, 1, &stop, &high));
    assert_int_equal(weir_live_reserve_mpmc(&memory->queue, 1, &slow, &high), 1);
    assert_true(kind->push(&memory->queue, 3, &stop, &high));
    assert_int_equal(pop_in_order(kind, &memory->queue, 16, &next), 2);
    assert_int_equal(weir_live_claim_mpmc(&memory->queue, 16, &ticket), 0);
    assert_int_equal(weir_live_length(&memory->queue), 2);
    element_2 late;
    make_2(&late, 2);
    assert_true(live_2_put(&memory->queue, slow, &late, &stop));
    assert_int_equal(pop_in_order(kind, &memory->queue, 16, &next), 2);
    assert_int_equal(next, 4);
    drop(memory);
}

/* A head that was seen a while ago leads to what is there now, and to nothing where nothing is. */
static void an_old_head_finds_what_is_there(void **state)
{
    (void)state;
    const struct kind *kind = &kinds[2];
    struct memory *memory = make(kind, 3, 0);
    const uint32_t stop = 0;
    uint32_t high = 0, next = 0;
    uint64_t ticket;
    for (uint32_t i = 0; i < 8; i++)
        assert_true(kind->push(&memory->queue, i, &stop, &high));
    assert_int_equal(pop_in_order(kind, &memory->queue, 5, &next), 5);
    for (uint64_t old = 0; old < 5; old++) { /* slots that are free, or of the next turn */
        if (old < 2)
            assert_true(kind->push(&memory->queue, 8 + (uint32_t)old, &stop, &high));
        uint64_t head = old;
        assert_int_equal(weir_live_claim_from_mpmc(&memory->queue, 1, &head, &ticket), 1);
        assert_int_equal(head, next + 1);
        assert_int_equal(kind->take(&memory->queue, ticket), next++);
        weir_live_return_mpmc(&memory->queue, 1);
    }
    assert_int_equal(next, 10);
    for (uint64_t old = 0; old <= 10; old++) {
        uint64_t head = old;
        assert_int_equal(weir_live_claim_from_mpmc(&memory->queue, 3, &head, &ticket), 0);
        assert_int_equal(head, 10);
    }
    drop(memory);
}

/* One warp at a time claims from an overflow queue; others find nothing, and do not wait. */
static void one_at_a_time_claims_from_an_overflow_queue(void **state)
{
    (void)state;
    const struct kind *kind = &kinds[2];
    struct memory *memory = make(kind, 3, 4);
    const uint32_t stop = 0;
    uint32_t high = 0;
    uint64_t ticket;
    assert_true(kind->push(&memory->queue, 7, &stop, &high));
    memory->queue.words->lock = 1;
    assert_int_equal(weir_live_claim_mpmc(&memory->queue, 1, &ticket), 0);
    memory->queue.words->lock = 0;
    assert_int_equal(weir_live_claim_mpmc(&memory->queue, 1, &ticket), 1);
    assert_int_equal(memory->queue.words->lock, 0);
    assert_int_equal(kind->take(&memory->queue, ticket), 7);
    weir_live_return_mpmc(&memory->queue, 1);
    drop(memory);
}

/* A consumer that has claimed an element and not copied it: its slot is not overwritten. A stop ends the producer's wait. */
static void a_slow_consumer_is_not_overwritten(void **state)
{
    (void)state;
    const struct kind *kind = &kinds[0];
    struct memory *memory = make(kind, 1, 0);
    uint32_t stop = 0, high = 0;
    uint64_t first, second, third;
    assert_true(kind->push(&memory->queue, 7, &stop, &high));
    assert_true(kind->push(&memory->queue, 8, &stop, &high));
    assert_int_equal(weir_live_claim_mpmc(&memory->queue, 1, &first), 1);
    assert_false(kind->push(&memory->queue, 9, &stop, &high)); /* the room was not returned */
    assert_int_equal(weir_live_claim_mpmc(&memory->queue, 1, &second), 1);
    assert_int_equal(kind->take(&memory->queue, second), 8);
    weir_live_return_mpmc(&memory->queue, 1);
    /* There is room for one, but the next ticket's slot is the one that the slow consumer reads. */
    assert_int_equal(weir_live_reserve_mpmc(&memory->queue, 1, &third, &high), 1);
    stop = 1;
    element_1 late;
    make_1(&late, 9);
    assert_false(live_1_put(&memory->queue, third, &late, &stop));
    assert_int_equal(kind->take(&memory->queue, first), 7);
    assert_true(live_1_put(&memory->queue, third, &late, &stop));
    drop(memory);
}

/* ---- many threads ------------------------------------------------------------------------------- */

struct shared {
    const struct kind *kind;
    struct weir_live_queue queue;
    uint32_t stop;
    uint32_t popped; /* relaxed */
    uint32_t torn;
    pthread_barrier_t start;
    uint32_t pushes, all;             /* of each producer, and of all of them */
    uint32_t met[PRODUCERS * PUSHES]; /* how often each number was popped; relaxed */
};

struct party {
    struct shared *shared;
    uint32_t index;
    pthread_t thread;
};

static void *produce(void *data)
{
    const struct party *me = data;
    struct shared *shared = me->shared;
    uint32_t high = 0;
    pthread_barrier_wait(&shared->start);
    for (uint32_t i = 0; i < shared->pushes; i++)
        for (uint32_t looks = 0; !shared->kind->push(&shared->queue, me->index * shared->pushes + i,
                                                     &shared->stop, &high);
             looks++)
            weir_pause(looks);
    return NULL;
}

static void *consume(void *data)
{
    const struct party *me = data;
    struct shared *shared = me->shared;
    pthread_barrier_wait(&shared->start);
    for (uint32_t looks = 0; weir_load_relaxed_dev_u32(&shared->popped) < shared->all; looks++) {
        uint64_t ticket;
        const uint32_t count =
            weir_live_claim_mpmc(&shared->queue, 1 + (me->index + looks) % 5, &ticket);
        if (!count) {
            weir_pause(looks);
            continue;
        }
        if (looks % 64 == 0) /* others overtake it */
            (void)sched_yield();
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t number = shared->kind->take(&shared->queue, ticket + i);
            if (number < shared->all)
                (void)weir_atomic_add_relaxed_dev_u32(&shared->met[number], 1);
            else
                weir_store_relaxed_dev_u32(&shared->torn, 1);
        }
        weir_live_return_mpmc(&shared->queue, count);
        (void)weir_atomic_add_relaxed_dev_u32(&shared->popped, count);
    }
    return NULL;
}

static void run_threads(const struct kind *kind, uint32_t room_log, uint32_t most)
{
    struct memory *memory = make(kind, room_log, most);
    struct shared *shared = calloc(1, sizeof *shared);
    struct party party[PRODUCERS + CONSUMERS];
    assert_non_null(shared);
    shared->kind = kind;
    shared->queue = memory->queue;
    shared->pushes = FEWEST + (PUSHES - FEWEST) / (uint32_t)test_stride();
    shared->all = PRODUCERS * shared->pushes;
    pthread_barrier_init(&shared->start, NULL, PRODUCERS + CONSUMERS);
    for (uint32_t i = 0; i < PRODUCERS + CONSUMERS; i++) {
        party[i] = (struct party){shared, i, 0};
        assert_int_equal(
            pthread_create(&party[i].thread, NULL, i < PRODUCERS ? produce : consume, &party[i]),
            0);
    }
    for (uint32_t i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(party[i].thread, NULL);
    pthread_barrier_destroy(&shared->start);
    assert_int_equal(shared->torn, 0);
    for (uint32_t i = 0; i < shared->all; i++)
        assert_int_equal(shared->met[i], 1);
    assert_int_equal(memory->words.head, shared->all);
    assert_int_equal(memory->words.tail, shared->all);
    assert_int_equal(memory->words.used, 0);
    free(shared);
    drop(memory);
}

static void threads_push_and_pop_each_element_once(void **state)
{
    static const uint32_t logs[] = {0, 1, 4, 8};
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t l = 0; l < sizeof logs / sizeof *logs; l++)
            run_threads(&kinds[k], logs[l], 0);
}

static void threads_push_and_pop_through_chunks(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (uint32_t log = CHUNK_LOG; log <= CHUNK_LOG + 4; log += 4)
            run_threads(&kinds[k], log, CHUNKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_keeps_order_and_refuses_what_does_not_fit),
        cmocka_unit_test(a_queue_that_does_not_exist_is_full_and_empty),
        cmocka_unit_test(chunks_come_when_they_are_needed),
        cmocka_unit_test(a_slow_producer_keeps_nobody_waiting),
        cmocka_unit_test(an_old_head_finds_what_is_there),
        cmocka_unit_test(one_at_a_time_claims_from_an_overflow_queue),
        cmocka_unit_test(a_slow_consumer_is_not_overwritten),
        cmocka_unit_test(threads_push_and_pop_each_element_once),
        cmocka_unit_test(threads_push_and_pop_through_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
