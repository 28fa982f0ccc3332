/** @file test_resident_ending.c  Supersteps and worklists whose device fails in the middle, and such whose
 *  kernels do not stop. */
#include "tests/lib/beats.h"
#include "tests/lib/tree_world.h"
#include "tests/lib/support.h"

#include "runtime/internal.h"
#include "worklist/engine/engine.h"
#include "worklist/host/resident.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static const weir_steps_program beats_program = {.what = "beats", .body = &weir__beats_steps};

/* ---- runs that only a stop ends ---------------------------------------------------------------- */

/* A context with supersteps, or with a worklist, that go on for ever on all its devices. */
struct endless {
    weir_context *context;
    uint32_t devices;
    weir_steps *bsp; /* or */
    struct tree_world world;
};

static void open_beats(struct endless *run, const char *spec)
{
    memset(run, 0, sizeof *run);
    run->context = open_with_or_skip(spec, NULL);
    run->devices = weir_context_device_count(run->context);
    OK(beats_create(run->context, run->devices, &beats_program, 0, &run->bsp));
    for (uint32_t d = 0; d < run->devices; d++)
        ((struct beats_args *)weir_steps_args(run->bsp, d))->mode = BEATS_FOREVER;
}

static void open_tree(struct endless *run, const char *spec)
{
    struct tree_setup setup;
    memset(&setup, 0, sizeof setup);
    setup.spec = spec;
    setup.spill_bytes = "4MiB";
    setup.tree.shape = TREE_ENDLESS;
    setup.tree.fan = setup.tree.stride = setup.tree.spread = 1;
    setup.config = (weir_worklist_config)WEIR_WORKLIST_CONFIG_INIT;
    setup.config.queue_items = 1024;
    memset(run, 0, sizeof *run);
    OK(tree_world_open(&run->world, &setup));
    OK(tree_world_seed(&run->world, 1, 20));
    run->context = run->world.context;
    run->devices = run->world.devices;
}

static weir_status go(struct endless *run)
{
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    return run->bsp ? weir_steps_run(run->bsp, &times) : weir_worklist_run(run->world.list, NULL);
}

static void finish(struct endless *run)
{
    if (!run->bsp) {
        tree_world_close(&run->world);
        return;
    }
    weir_steps_destroy(run->bsp);
    weir_context_destroy(run->context);
}

/* ---- a device that fails ----------------------------------------------------------------------- */

struct breaker {
    weir_queue *queue; /* of the device */
    pthread_t thread;
};

static void do_nothing(void *user)
{
    (void)user;
}

/* Nothing else is put into any queue by then: the kernels run, and are alone. */
static void *break_soon(void *data)
{
    struct breaker *breaker = data;
    struct timespec soon = {0, 50000000};
    nanosleep(&soon, NULL);
    weir__fault_arm(WEIR__FAULT_DEVICE, 1);
    (void)weir_queue_call(breaker->queue, do_nothing, NULL);
    return NULL;
}

/* Whichever device it is: the run ends, all kernels with it, and it is destroyed as usual. */
static void each_device_fails_in_the_middle(void **state,
                                            void (*open)(struct endless *run, const char *spec))
{
    for (uint32_t d = 0, devices = 1; d < devices; d++) {
        struct endless run;
        struct breaker breaker;
        open(&run, *state);
        devices = run.devices;
        breaker.queue = new_queue(weir_context_device(run.context, d));
        assert_int_equal(pthread_create(&breaker.thread, NULL, break_soon, &breaker), 0);
        weir_status status = go(&run);
        pthread_join(breaker.thread, NULL);
        weir__fault_arm(WEIR__FAULT_DEVICE, 0);
        STATUS(status, WEIR_ERR_DEVICE);
        STATUS(go(&run), WEIR_ERR_DEVICE);
        assert_detail_has("an operation of a queue failed");
        weir_queue_destroy(breaker.queue);
        finish(&run);
    }
}

static void supersteps_whose_device_fails(void **state)
{
    each_device_fails_in_the_middle(state, open_beats);
}

static void worklists_whose_device_fails(void **state)
{
    each_device_fails_in_the_middle(state, open_tree);
}

/* ---- kernels that do not stop ------------------------------------------------------------------ */

static struct {
    _Atomic int let_go;  /* they end */
    _Atomic int ended;   /* kernels that did */
    _Atomic int stopped; /* kernels that saw their stop word */
} deaf;

/* Deaf to its stop word on any device but the first. Then it does what the last round of a kernel may still
 * do: it writes to words of others. */
static void listen(const uint32_t *stop, int hears)
{
    const struct timespec pause = {0, 1000000};
    while (!atomic_load(&deaf.let_go) && !(hears && weir_load_relaxed_sys_u32(stop)))
        nanosleep(&pause, NULL);
    if (hears)
        atomic_fetch_add(&deaf.stopped, weir_load_relaxed_sys_u32(stop) != 0);
}

static void deaf_beats(const void *data, uint32_t worker, uint32_t workers)
{
    const struct weir_steps_member *member = data;
    (void)workers;
    if (worker)
        return;
    listen(&member->page[member->index]->stop, member->index == 0);
    for (uint32_t d = 0; d < member->count; d++)
        weir_store_relaxed_sys_u64(&member->page[d]->from[0][member->index].word[0], 1);
    atomic_fetch_add(&deaf.ended, 1);
}

static void deaf_worker(const void *data, uint32_t worker, uint32_t workers)
{
    const struct weir_engine_args *args = data;
    (void)workers;
    if (worker)
        return;
    listen(&args->control->look[WEIR_LOOK_STOP].word, args->index == 0);
    weir_store_relaxed_sys_u32(&args->statuses[args->index].turn, 1);
    for (uint32_t l = 0; l < args->channels_out; l++)
        weir_store_relaxed_sys_u32(args->control->out[l].tail, 0);
    for (uint32_t i = 0; i < args->workers; i++)
        weir_store_relaxed_sys_u32(&args->control->command_of[i]->kind, 0);
    atomic_fetch_add(&deaf.ended, 1);
}

static const weir_steps_body deaf_body = {.engine = WEIR_ENGINE_VERSION,
                                          .name = "deaf",
                                          .kernel = {.name = "deaf", .host = deaf_beats},
                                          .args_bytes = sizeof(struct beats_args)};
static const weir_steps_program deaf_program = {.what = "deaf", .body = &deaf_body};

static void open_deaf_beats(struct endless *run, const char *spec)
{
    open_beats(run, spec);
    weir_steps_destroy(run->bsp);
    OK(beats_create(run->context, run->devices, &deaf_program, 50, &run->bsp));
}

static void open_deaf_tree(struct endless *run, const char *spec)
{
    static weir_operator op; /* borrowed by the worklist */
    weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
    open_tree(run, spec);
    weir_worklist_destroy(run->world.list);
    op = weir__tree_operator;
    op.fused.host = deaf_worker;
    config.queue_items = 1024;
    config.time_limit_ms = 50;
    OK(weir_worklist_create(run->world.source, run->world.worker, run->devices, &op, &config,
                            &run->world.list));
}

static void *let_go_soon(void *data)
{
    struct timespec soon = {0, 50000000};
    nanosleep(&soon, NULL);
    atomic_store(&deaf.let_go, 1);
    return data;
}

/* The time is over, but only the first kernel hears of it: the run returns all the same. What the others
 * still write to is there until they are through. */
static void deaf_kernels_are_given_up(void **state,
                                      void (*open)(struct endless *run, const char *spec))
{
    struct endless run;
    pthread_t thread;
    open(&run, *state);
    memset(&deaf, 0, sizeof deaf);
    weir__resident_patience(1);
    weir_status status = go(&run);
    weir__resident_patience(0);
    assert_int_equal(atomic_load(&deaf.ended), 1);
    assert_int_equal(atomic_load(&deaf.stopped), 1);
    STATUS(status, WEIR_ERR_TIMEOUT);
    assert_detail_has("the time limit of 50 ms is over");
    assert_int_equal(pthread_create(&thread, NULL, let_go_soon, NULL), 0);
    finish(&run);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&deaf.ended), run.devices);
}

static void supersteps_that_do_not_stop(void **state)
{
    deaf_kernels_are_given_up(state, open_deaf_beats);
}

static void worklists_that_do_not_stop(void **state)
{
    deaf_kernels_are_given_up(state, open_deaf_tree);
}

#define ON_HOSTS(f)                                                              \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:2x3"), \
        ON_BACKEND(f, "host:3")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOSTS(supersteps_whose_device_fails),
        ON_HOSTS(worklists_whose_device_fails),
        ON_BACKEND(supersteps_that_do_not_stop, "host:2"),
        ON_BACKEND(supersteps_that_do_not_stop, "host:3"),
        ON_BACKEND(worklists_that_do_not_stop, "host:2"),
        ON_BACKEND(worklists_that_do_not_stop, "host:3"),
    };
    return cmocka_run_group_tests_name("resident ending", tests, NULL, NULL);
}
