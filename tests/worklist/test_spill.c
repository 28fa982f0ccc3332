/** @file test_spill.c  Host memory behind bags, given in chunks out of one budget: to kernels of host devices, which
 *  call, and to lanes of GPUs, which wait. */
#include "tests/lib/support.h"
#include "worklist/host/internal.h"

#include <string.h>

#define MIB     ((uint64_t)1 << 20)
#define BAGS    WEIR_SPILLING_BAGS
#define THREADS 4u

static const uint32_t bytes_of_8[BAGS] = {8, 8, 8, 8, 8, 8};

struct world {
    weir_context *context;
    weir_device *home;
    struct spill spill;
};

static void open_world(struct world *world, const char *pool, uint64_t bytes,
                       const uint32_t *element_bytes)
{
    const char *const settings[] = {pool, NULL};
    memset(world, 0, sizeof *world);
    world->context = open_with_or_skip("host:1", settings);
    world->home = weir_context_home(world->context);
    OK(weir__spill_create(&world->spill, world->home, bytes, element_bytes));
}

/* Whatever was given comes back. */
static void close_world(struct world *world)
{
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    weir__spill_destroy(&world->spill);
    weir_device_pool_stats(world->home, &pool);
    assert_int_equal(pool.used_bytes, 0);
    weir_context_destroy(world->context);
}

static char *chunk_of(const struct spilling *bag, uint32_t chunk)
{
    return (char *)(uintptr_t)*weir_spill_word(bag->words, chunk);
}

static uint32_t refused(const struct spilling *bag)
{
    return weir_load_acquire_sys_u32(&bag->words->refused);
}

static void ask(struct spilling *bag, uint32_t chunks)
{
    bag->words->give(bag->words->user, bag->words, chunks);
}

/* ---- sizes --------------------------------------------------------------------------------------- */

static void check_size(const struct spill *spill, uint32_t b, uint64_t bytes, uint32_t element)
{
    const struct spilling *one = &spill->bag[b];
    const struct weir_bag bag = weir__spill_bag(spill, b);
    if (bytes / BAGS < element) {
        assert_null(one->words);
        assert_int_equal(bag.more_room, 0);
        return;
    }
    const uint64_t elements = (uint64_t)one->most << one->chunk_log;
    assert_non_null(one->words);
    assert_int_equal(one->chunk_bytes, (uint64_t)element << one->chunk_log);
    assert_in_range(one->chunk_bytes, element, bytes / BAGS < 64 * MIB ? bytes / BAGS : 64 * MIB);
    /* All of the bytes, or as many elements as a bag counts. */
    assert_true(elements <= (uint64_t)1 << 30 && one->most * one->chunk_bytes <= bytes);
    assert_true(elements == (uint64_t)1 << 30 || (one->most + 1) * one->chunk_bytes > bytes);
    assert_int_equal(bag.more_room, elements);
    assert_int_equal(bag.chunk_log, one->chunk_log);
    assert_ptr_equal(bag.spill, one->words);
}

static void any_budget_has_a_chunk_for_each_bag(void **state)
{
    static const uint64_t budgets[] = {0,
                                       1,
                                       5,
                                       6,
                                       47,
                                       48,
                                       100,
                                       143,
                                       144,
                                       4096,
                                       6 * MIB - 1,
                                       6 * MIB,
                                       1000 * MIB,
                                       4096 * MIB,
                                       (uint64_t)1 << 36,
                                       ((uint64_t)1 << 46) - 1,
                                       (uint64_t)1 << 46};
    static const uint32_t elements[] = {1, 4, 8, 12, 16, 24, 400};
    weir_context *context = open_with_or_skip("host:1", (const char *const[]){NULL});
    (void)state;
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
        for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
            const uint32_t element = elements[e];
            const uint32_t bytes[BAGS] = {element, element, 0, element, 2 * element, element};
            struct spill spill;
            memset(&spill, 0, sizeof spill);
            OK(weir__spill_create(&spill, weir_context_home(context), budgets[i], bytes));
            for (uint32_t b = 0; b < BAGS; b++)
                if (bytes[b])
                    check_size(&spill, b, budgets[i], bytes[b]);
            assert_null(spill.bag[2].words);
            weir__spill_destroy(&spill);
        }
    weir_context_destroy(context);
}

/* ---- giving -------------------------------------------------------------------------------------- */

static void one_budget_is_for_all_bags(void **state)
{
    struct world world;
    struct spill *spill = &world.spill;
    (void)state;
    open_world(&world, NULL, 16 * MIB, bytes_of_8);
    for (int again = 0; again < 2; again++) {
        for (uint32_t b = 0; b < BAGS; b++) {
            ask(&spill->bag[b], 1);
            assert_non_null(chunk_of(&spill->bag[b], 0));
        }
        ask(&spill->bag[2], 11);
        assert_int_equal(spill->used, 16 * MIB);
        assert_int_equal(spill->bag[2].given, 11);
        assert_int_equal(refused(&spill->bag[2]), 0);
        assert_int_equal(spill->why[0], 0);
        ask(&spill->bag[2], 12);
        assert_int_equal(spill->bag[2].given, 11);
        assert_int_equal(refused(&spill->bag[2]), 1);
        assert_int_equal(refused(&spill->bag[3]), 0);
        assert_non_null(strstr(spill->why, "WEIR_QUEUE_ITEMS"));
        for (uint32_t c = 0; c < 11; c++)
            memset(chunk_of(&spill->bag[2], c), 0xA5, MIB);
        spill->bag[2].words->wanted = 12;
        weir__spill_empty(spill);
        assert_int_equal(spill->used, 0);
        assert_int_equal(spill->why[0], 0);
        assert_int_equal(refused(&spill->bag[2]), 0);
        assert_int_equal(spill->bag[2].words->wanted, 0);
        for (uint32_t c = 0; c < 11; c++)
            assert_null(chunk_of(&spill->bag[2], c));
    }
    close_world(&world);
}

/* The first reason is told. */
static void a_pool_without_room_is_named(void **state)
{
    struct world world;
    (void)state;
    open_world(&world, "pool_bytes=4MiB", 64 * MIB, bytes_of_8);
    ask(&world.spill.bag[0], 9);
    assert_int_equal(world.spill.bag[0].given, 3);
    assert_int_equal(refused(&world.spill.bag[0]), 1);
    ask(&world.spill.bag[1], 65);
    assert_non_null(strstr(world.spill.why, "WEIR_POOL_BYTES"));
    close_world(&world);
}

struct caller {
    pthread_t thread;
    struct spill *spill;
    uint32_t number;
};

static void *call(void *data)
{
    struct caller *caller = data;
    for (uint32_t i = 1; i <= 20; i++)
        ask(&caller->spill->bag[(caller->number + i) % 2], i);
    return NULL;
}

static void kernels_of_host_devices_ask_together(void **state)
{
    struct world world;
    struct caller caller[THREADS];
    (void)state;
    open_world(&world, NULL, 64 * MIB, bytes_of_8);
    for (uint32_t t = 0; t < THREADS; t++) {
        caller[t] = (struct caller){.spill = &world.spill, .number = t};
        assert_int_equal(pthread_create(&caller[t].thread, NULL, call, &caller[t]), 0);
    }
    for (int i = 0; i < 50; i++)
        weir__spill_tend(&world.spill);
    for (uint32_t t = 0; t < THREADS; t++)
        pthread_join(caller[t].thread, NULL);
    assert_int_equal(world.spill.bag[0].given, 20);
    assert_int_equal(world.spill.bag[1].given, 20);
    assert_int_equal(world.spill.used, 40 * MIB);
    close_world(&world);
}

/* ---- lanes of a GPU ------------------------------------------------------------------------------ */

/* What weir_spill_chunk() does there. */
static char *wait_as_a_lane(struct weir_spill *spill, uint32_t chunk)
{
    for (uint32_t looks = 0;; looks++) {
        uint64_t place = weir_load_acquire_sys_u64(weir_spill_word(spill, chunk));
        if (place || weir_load_acquire_sys_u32(&spill->refused))
            return (char *)(uintptr_t)place;
        if (weir_load_relaxed_sys_u32(&spill->wanted) <= chunk)
            weir_store_relaxed_sys_u32(&spill->wanted, chunk + 1);
        weir_pause(looks);
    }
}

struct carrier {
    pthread_t thread;
    struct weir_spill *words;
    uint32_t number, most;
    uint32_t missed;
    _Atomic uint32_t *running;
};

static void *wait_for_all(void *data)
{
    struct carrier *lane = data;
    for (uint32_t chunk = lane->number; chunk < lane->most; chunk += THREADS) {
        char *place = wait_as_a_lane(lane->words, chunk);
        if (place)
            memset(place, (int)lane->number, MIB);
        lane->missed += !place;
    }
    atomic_fetch_sub(lane->running, 1);
    return NULL;
}

static uint32_t run_lanes(struct world *world, struct spilling *bag, uint32_t most, int fails)
{
    struct carrier lane[THREADS];
    _Atomic uint32_t running = THREADS;
    uint32_t missed = 0;
    for (uint32_t t = 0; t < THREADS; t++) {
        lane[t] =
            (struct carrier){.words = bag->words, .number = t, .most = most, .running = &running};
        assert_int_equal(pthread_create(&lane[t].thread, NULL, wait_for_all, &lane[t]), 0);
    }
    while (atomic_load(&running))
        if (fails)
            weir__spill_refuse(&world->spill);
        else
            weir__spill_tend(&world->spill);
    for (uint32_t t = 0; t < THREADS; t++) {
        pthread_join(lane[t].thread, NULL);
        missed += lane[t].missed;
    }
    return missed;
}

/* Lanes overwrite what others want; each gets its own in the end. */
static void lanes_wait_until_they_are_given(void **state)
{
    struct world world;
    (void)state;
    open_world(&world, NULL, 64 * MIB, bytes_of_8);
    assert_int_equal(run_lanes(&world, &world.spill.bag[4], 40, 0), 0);
    assert_in_range(world.spill.bag[4].given, 40, 60);
    close_world(&world);
}

static void lanes_are_told_that_there_is_no_more(void **state)
{
    struct world world;
    (void)state;
    open_world(&world, NULL, 16 * MIB, bytes_of_8);
    ask(&world.spill.bag[1], 4);
    assert_int_equal(run_lanes(&world, &world.spill.bag[0], 16, 0), 4);
    assert_int_equal(world.spill.bag[0].given, 12);
    close_world(&world);
}

/* A run that has failed keeps none of them waiting, in whichever bag. */
static void lanes_of_a_failed_run_are_let_go(void **state)
{
    struct world world;
    (void)state;
    open_world(&world, NULL, 64 * MIB, bytes_of_8);
    for (uint32_t b = 0; b < BAGS; b++)
        assert_int_equal(run_lanes(&world, &world.spill.bag[b], 8, 1), 8);
    assert_int_equal(world.spill.used, 0);
    close_world(&world);
}

static void want(struct world *world, uint32_t chunks)
{
    weir_store_relaxed_sys_u32(&world->spill.bag[0].words->wanted, chunks);
    weir__spill_tend(&world->spill);
}

/* Half as much again, up to half of all there is: what is given ahead is not there for other bags. */
static void what_grows_is_given_more(void **state)
{
    static const uint32_t wanted[] = {1, 2, 4, 6, 9, 12, 13, 14, 20, 24},
                          given[] = {1, 3, 6, 6, 12, 12, 13, 14, 20, 24};
    struct world world;
    (void)state;
    open_world(&world, NULL, 25 * MIB, bytes_of_8);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        want(&world, wanted[i]);
        assert_int_equal(world.spill.bag[0].given, given[i]);
    }
    assert_int_equal(refused(&world.spill.bag[0]), 0);
    close_world(&world);
}

/* Not more than a bag can hold, either. */
static void what_is_given_ahead_has_a_word(void **state)
{
    static const uint32_t one[BAGS] = {8, 0, 0, 0, 0, 0};
    struct world world;
    (void)state;
    open_world(&world, NULL, 25 * MIB, one);
    world.spill.bag[0].most = 5; /* as of a bag of 2^30 elements in much more memory */
    want(&world, 4);
    assert_int_equal(world.spill.bag[0].given, 5);
    assert_int_equal(refused(&world.spill.bag[0]), 0);
    want(&world, 6);
    assert_int_equal(world.spill.bag[0].given, 5);
    assert_int_equal(refused(&world.spill.bag[0]), 1);
    close_world(&world);
}

/* Memory that is short for what nobody needs yet may be there when it is needed. */
static void what_is_given_ahead_refuses_nothing(void **state)
{
    struct world world;
    void *other;
    (void)state;
    open_world(&world, "pool_bytes=4MiB", 64 * MIB, bytes_of_8);
    OK(weir_device_alloc(world.home, 3 * MIB / 2, &other));
    want(&world, 2);
    assert_int_equal(world.spill.bag[0].given, 2);
    assert_int_equal(refused(&world.spill.bag[0]), 0);
    weir_device_free(world.home, other);
    want(&world, 3);
    assert_int_equal(world.spill.bag[0].given, 3);
    assert_int_equal(refused(&world.spill.bag[0]), 0);
    want(&world, 4);
    assert_int_equal(refused(&world.spill.bag[0]), 1);
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_budget_has_a_chunk_for_each_bag),
        cmocka_unit_test(one_budget_is_for_all_bags),
        cmocka_unit_test(a_pool_without_room_is_named),
        cmocka_unit_test(kernels_of_host_devices_ask_together),
        cmocka_unit_test(lanes_wait_until_they_are_given),
        cmocka_unit_test(lanes_are_told_that_there_is_no_more),
        cmocka_unit_test(lanes_of_a_failed_run_are_let_go),
        cmocka_unit_test(what_grows_is_given_more),
        cmocka_unit_test(what_is_given_ahead_has_a_word),
        cmocka_unit_test(what_is_given_ahead_refuses_nothing),
    };
    return cmocka_run_group_tests_name("spill", tests, NULL, NULL);
}
