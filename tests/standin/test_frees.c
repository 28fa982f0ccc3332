/** @file test_frees.c  The driver's frees wait for what streams run: only who asked for one may wait with it. */
#include "tests/standin/standin_fixture.h"

#include "runtime/internal.h"

#include <stdlib.h>

#define MIB       ((size_t)1 << 20)
#define PROMPT_MS 2000 /* for what waits for nobody */

/* A stream that works until it is told to stop. */
struct busy {
    weir_context *context;
    weir_device *device;
    weir_queue *queue;
    _Atomic int stop;
};

static void work_until_told(void *user)
{
    struct busy *busy = user;
    while (!atomic_load(&busy->stop))
        pause_ms(1);
}

static void open_busy(struct busy *busy, const char *const *settings)
{
    busy->context = open_with_or_skip("cuda:0", settings);
    busy->device = weir_context_device(busy->context, 0);
    busy->queue = new_queue(busy->device);
    atomic_store(&busy->stop, 0);
}

static void make_busy(struct busy *busy)
{
    assert_int_equal(cudaLaunchHostFunc(weir_queue_native(busy->queue), work_until_told, busy),
                     cudaSuccess);
}

static void close_busy(struct busy *busy)
{
    atomic_store(&busy->stop, 1);
    OK(weir_queue_sync(busy->queue));
    weir_queue_destroy(busy->queue);
    weir_context_destroy(busy->context);
    assert_nothing_left();
}

/* ---- memory of the program's own ---------------------------------------------------------------------- */

struct memory {
    weir_context *context;
    char *data;
    weir_status status;
};

static void unregister(void *user)
{
    struct memory *memory = user;
    memory->status = weir_memory_unregister(memory->context, memory->data);
}

static void register_and_look(void *user)
{
    struct memory *memory = user;
    memory->status = weir_memory_register(memory->context, memory->data, 8192);
    if (!memory->status && !weir__memory_registered(memory->context, memory->data, 8192))
        memory->status = WEIR_ERR_VERIFY;
}

/* One thread gives up registered memory while a stream works; another registers some, and looks. */
static void unregistering_holds_up_nobody_else(void **state)
{
    struct busy busy;
    struct task slow, prompt;
    (void)state;
    open_busy(&busy, NULL);
    struct memory given = {busy.context, aligned_alloc(4096, 8192), WEIR_PENDING};
    struct memory taken = {busy.context, aligned_alloc(4096, 8192), WEIR_PENDING};
    assert_true(given.data && taken.data);
    OK(weir_memory_register(given.context, given.data, 8192));
    make_busy(&busy);
    start_task(&slow, unregister, &given);
    pause_ms(50);
    start_task(&prompt, register_and_look, &taken);
    int went_on = task_ends(&prompt, PROMPT_MS);
    atomic_store(&busy.stop, 1);
    end_task(&slow);
    end_task(&prompt);
    OK(given.status);
    OK(taken.status);
    OK(weir_memory_unregister(taken.context, taken.data));
    close_busy(&busy);
    free(given.data);
    free(taken.data);
    assert_true(went_on);
}

/* ---- memory of the device ---------------------------------------------------------------------------------- */

struct room {
    weir_device *device;
    void *small, *large;
    weir_status status;
};

static void take_what_needs_a_free(void *user)
{
    struct room *room = user;
    room->status = weir_device_alloc(room->device, 220 * MIB, &room->large);
}

static void use_the_pool(void *user)
{
    struct room *room = user;
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    void *data;
    weir_device_pool_stats(room->device, &stats);
    weir_device_free(room->device, room->small);
    room->status = weir__device_alloc_now(room->device, 1000, &data);
    if (!room->status)
        weir_device_free(room->device, data);
}

/* One thread takes so much that the pool has to give a slab back; others use the pool meanwhile. */
static void a_pool_that_makes_room_holds_up_nobody_else(void **state)
{
    const char *settings[] = {"pool_bytes=256MiB", NULL};
    struct busy busy;
    struct task slow, prompt;
    (void)state;
    open_busy(&busy, settings);
    void *first = new_memory(busy.device, 200 * MIB);
    struct room needy = {.device = busy.device}, other = {.device = busy.device};
    other.small = new_memory(busy.device, 1000);
    weir_device_free(busy.device, first);
    make_busy(&busy);
    start_task(&slow, take_what_needs_a_free, &needy);
    int came_early = task_ends(&slow, 50);
    start_task(&prompt, use_the_pool, &other);
    int went_on = task_ends(&prompt, PROMPT_MS);
    atomic_store(&busy.stop, 1);
    end_task(&slow);
    end_task(&prompt);
    OK(needy.status);
    OK(other.status);
    weir_device_free(busy.device, needy.large);
    close_busy(&busy);
    assert_false(came_early); /* or this tries nothing */
    assert_true(went_on);
}

/* ---- contexts ------------------------------------------------------------------------------------------------- */

static void destroy_context(void *context)
{
    weir_context_destroy(context);
}

/* A context ends beside a busy one: that waits, as runtime.h says, but goes on with slow frees and keeps nothing. */
static void a_context_ends_beside_a_busy_one(void **state)
{
    struct busy busy;
    struct task task, prompt;
    (void)state;
    open_busy(&busy, NULL);
    weir_context *beside = open_with_or_skip("cuda:0", NULL);
    struct room room = {.device = busy.device, .small = new_memory(busy.device, 1000)};
    weir_device_free(weir_context_device(beside, 0),
                     new_memory(weir_context_device(beside, 0), 1000));
    make_busy(&busy);
    standin_slow_frees(1000);
    start_task(&task, destroy_context, beside);
    pause_ms(20);
    start_task(&prompt, use_the_pool, &room);
    int went_on = task_ends(&prompt, PROMPT_MS);
    atomic_store(&busy.stop, 1);
    end_task(&prompt);
    int ended = task_ends(&task, LONG_MS);
    end_task(&task);
    OK(room.status);
    standin_slow_frees(0);
    close_busy(&busy);
    assert_true(went_on && ended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(unregistering_holds_up_nobody_else, "cuda:0"),
        ON_BACKEND(a_pool_that_makes_room_holds_up_nobody_else, "cuda:0"),
        ON_BACKEND(a_context_ends_beside_a_busy_one, "cuda:0"),
    };
    return cmocka_run_group_tests_name("frees", tests, NULL, NULL);
}
