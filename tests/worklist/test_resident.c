/** @file test_resident.c  Starting, stopping and giving up resident kernels (worklist/host/resident.h), with
 *  kernels that count what they are told. Host devices with a side queue behave as GPUs do here: the stop word
 *  arrives by a copy. */
#include "tests/lib/support.h"

#include "runtime/internal.h"
#include "runtime/sync.h"
#include "worklist/host/resident.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEVICES 3
#define STOPS   7u /* what a stop word says */

/* What a kernel is to do, and what it saw; of the test's memory. */
struct script {
    _Atomic int let_go; /* by the test: end, stopped or not */
    uint32_t stays_ms;  /* goes on for so long when it was stopped */
    uint32_t *stop;
    _Atomic int begun, told, ended;
};

struct trial {
    weir_context *context;
    weir_device *device[DEVICES];
    uint32_t *words; /* stop words and what they are copied from */
    struct script script[DEVICES];
    struct script *args[DEVICES];
    struct residents all;
    weir_status failure; /* the first */
    int fails;
    int collected[DEVICES];
    uint32_t refuse; /* a kernel that did not end well, from 1; 0: none */
    uint32_t tended; /* how often what kernels wait for was seen to */
    char last[256];  /* the sentence of the last failure */
};

static void pause_ms(uint32_t ms)
{
    const struct timespec pause = {0, (long)ms * 1000000};
    nanosleep(&pause, NULL);
}

/* Counts how often the stop word was written: it takes it back each time. */
static void play(const void *data, uint32_t worker, uint32_t workers)
{
    struct script *script = *(struct script *const *)data;
    uint32_t left = script->stays_ms;
    (void)workers;
    if (worker)
        return;
    atomic_store(&script->begun, 1);
    while (!atomic_load(&script->let_go)) {
        if (weir_load_relaxed_sys_u32(script->stop) == STOPS) {
            weir_store_relaxed_sys_u32(script->stop, 0);
            atomic_fetch_add(&script->told, 1);
        }
        if (atomic_load(&script->told) && left-- == 0)
            break;
        pause_ms(1);
    }
    atomic_store(&script->ended, 1);
}

static void note_failure(void *user, weir_status status)
{
    struct trial *trial = user;
    trial->failure = trial->failure ? trial->failure : status;
    trial->fails++;
    snprintf(trial->last, sizeof trial->last, "%s", weir_error_detail());
}

static int failed(void *user)
{
    return ((struct trial *)user)->failure != WEIR_OK;
}

static weir_status collect(void *user, uint32_t index)
{
    struct trial *trial = user;
    trial->collected[index]++;
    return trial->refuse == index + 1 ? weir__fail(WEIR_ERR_INVALID, "as asked") : WEIR_OK;
}

#define TENDED 30u /* both ways of waiting for the next time */

/* Kernels wait for this to be called often enough. */
static void tend(void *user)
{
    struct trial *trial = user;
    if (++trial->tended == TENDED)
        for (uint32_t d = 0; d < trial->all.count; d++)
            atomic_store(&trial->script[d].let_go, 1);
}

static const weir_kernel kernel = {.name = "play", .host = play};

static void trial_open(struct trial *trial, const char *spec, int sides)
{
    memset(trial, 0, sizeof *trial);
    trial->context = open_with_or_skip(spec, NULL);
    const uint32_t count = weir_context_device_count(trial->context);
    assert_true(count <= DEVICES);
    trial->words = new_memory(weir_context_home(trial->context), 2 * DEVICES * sizeof(uint32_t));
    memset(trial->words, 0, 2 * DEVICES * sizeof(uint32_t));
    trial->all = (struct residents){.context = trial->context,
                                    .name = "trial",
                                    .kernel = &kernel,
                                    .args_bytes = sizeof(struct script *),
                                    .count = count,
                                    .stop_value = STOPS,
                                    .fail = note_failure,
                                    .failed = failed,
                                    .collect = collect,
                                    .user = trial};
    for (uint32_t d = 0; d < count; d++) {
        weir_device *device = weir_context_device(trial->context, d);
        trial->args[d] = &trial->script[d];
        trial->script[d].stop = &trial->words[d];
        trial->all.one[d] = (struct resident){.device = device,
                                              .queue = new_queue(device),
                                              .stop_queue = sides ? new_queue(device) : NULL,
                                              .done = new_event(device),
                                              .args = &trial->args[d],
                                              .stop = &trial->words[d],
                                              .image = &trial->words[DEVICES + d]};
    }
}

static void trial_close(struct trial *trial)
{
    for (uint32_t d = 0; d < trial->all.count; d++) {
        weir_queue_destroy(trial->all.one[d].queue);
        weir_queue_destroy(trial->all.one[d].stop_queue);
        weir_event_release(trial->all.one[d].done);
    }
    weir_device_free(weir_context_home(trial->context), trial->words);
    weir_context_destroy(trial->context);
}

static void assert_ended(const struct trial *trial, uint32_t d, int told)
{
    assert_int_equal(atomic_load(&trial->script[d].ended), 1);
    assert_int_equal(atomic_load(&trial->script[d].told), told);
    assert_int_equal(trial->collected[d], 1);
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void kernels_that_end_are_collected_once(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    for (int again = 1; again < 3; again++) {
        for (uint32_t d = 0; d < trial.all.count; d++)
            atomic_store(&trial.script[d].let_go, 1);
        weir__resident_run(&trial.all);
        assert_int_equal(trial.fails, 0);
        for (uint32_t d = 0; d < trial.all.count; d++)
            assert_int_equal(trial.collected[d], again);
        assert_true(trial.all.end_ns >= trial.all.start_ns && trial.all.start_ns > 0);
        assert_int_equal(trial.all.stopped_ns, 0);
    }
    trial_close(&trial);
}

/* Cancelled between the last look of who runs it and the start. */
static void a_cancel_before_the_start(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    trial.failure = WEIR_ERR_CANCELLED;
    weir__resident_run(&trial.all);
    for (uint32_t d = 0; d < trial.all.count; d++)
        assert_ended(&trial, d, 1);
    assert_int_equal(trial.fails, 0);
    trial_close(&trial);
}

/* Several looks go by before the kernels end. */
static void each_kernel_is_told_once(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    trial.all.time_limit_ms = 1;
    for (uint32_t d = 0; d < trial.all.count; d++)
        trial.script[d].stays_ms = 100;
    weir__resident_run(&trial.all);
    for (uint32_t d = 0; d < trial.all.count; d++)
        assert_ended(&trial, d, 1);
    assert_int_equal(trial.failure, WEIR_ERR_TIMEOUT);
    assert_string_equal(trial.last, "trial: the time limit of 1 ms is over");
    assert_int_equal(trial.fails, 1);
    trial_close(&trial);
}

/* A copy that cannot be put in is put in again at the next look. */
static void the_side_queue_carries_the_stop_word(void **state)
{
#ifdef __SANITIZE_THREAD__
    (void)state;
    skip(); /* a copy by memcpy() while a kernel looks: fine for GPUs only */
#else
    for (uint64_t nth = 0; nth < 3; nth++) {
        struct trial trial;
        trial_open(&trial, *state, 1);
        trial.failure = WEIR_ERR_CANCELLED;
        for (uint32_t d = 0; d < trial.all.count; d++)
            trial.script[d].stays_ms = 50;
        weir__fault_arm(WEIR__FAULT_COPY, nth);
        weir__resident_run(&trial.all);
        assert_int_equal(weir__fault_struck(WEIR__FAULT_COPY), nth > 0 && nth <= trial.all.count);
        weir__fault_arm(WEIR__FAULT_COPY, 0);
        for (uint32_t d = 0; d < trial.all.count; d++)
            assert_ended(&trial, d, 1);
        trial_close(&trial);
    }
#endif
}

/* The last kernel ends badly while the first is waited for. */
static void what_kernels_wait_for_is_seen_to(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    trial.all.tend = tend;
    trial.all.time_limit_ms = 20000; /* they would wait for ever */
    weir__resident_run(&trial.all);
    assert_int_equal(trial.failure, WEIR_OK);
    for (uint32_t d = 0; d < trial.all.count; d++)
        assert_ended(&trial, d, 0);
    trial_close(&trial);
}

/* Also when the run has failed: a kernel may wait that is to stop. */
static void what_stopped_kernels_wait_for_is_seen_to(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    trial.all.tend = tend;
    trial.failure = WEIR_ERR_CANCELLED;
    for (uint32_t d = 0; d < trial.all.count; d++)
        trial.script[d].stays_ms = 5000;
    weir__resident_run(&trial.all);
    for (uint32_t d = 0; d < trial.all.count; d++)
        assert_ended(&trial, d, 1);
    assert_true(trial.tended >= TENDED);
    trial_close(&trial);
}

static void one_that_ends_badly_stops_the_others(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    const uint32_t last = trial.all.count - 1;
    atomic_store(&trial.script[last].let_go, 1);
    trial.refuse = last + 1;
    weir__resident_run(&trial.all);
    assert_int_equal(trial.failure, WEIR_ERR_INVALID);
    assert_int_equal(trial.fails, 1);
    for (uint32_t d = 0; d <= last; d++)
        assert_ended(&trial, d, d < last);
    trial_close(&trial);
}

/* The kernel of a device that failed before cannot be started; those that could are stopped. */
static void one_that_cannot_be_started(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    const uint32_t last = trial.all.count - 1;
    weir__fault_arm(WEIR__FAULT_DEVICE, 1);
    (void)weir_queue_fill(trial.all.one[last].queue, &trial.words[DEVICES], 0, 1);
    STATUS(weir_queue_sync(trial.all.one[last].queue), WEIR_ERR_DEVICE);
    weir__fault_arm(WEIR__FAULT_DEVICE, 0);
    weir__resident_run(&trial.all);
    assert_int_equal(trial.failure, WEIR_ERR_DEVICE);
    for (uint32_t d = 0; d < last; d++)
        assert_ended(&trial, d, 1);
    assert_int_equal(atomic_load(&trial.script[last].begun), 0);
    assert_int_equal(trial.collected[last], 0);
    trial_close(&trial);
}

/* All but the last are deaf. They are given up together, not one after the other. */
static void kernels_that_do_not_end_are_given_up(void **state)
{
    struct trial trial;
    trial_open(&trial, *state, 0);
    const uint32_t last = trial.all.count - 1;
    trial.failure = WEIR_ERR_CANCELLED;
    for (uint32_t d = 0; d < last; d++)
        trial.script[d].stays_ms = 60000;
    weir__resident_patience(last); /* s */
    weir__resident_run(&trial.all);
    weir__resident_patience(0);
    const uint64_t took_ns = trial.all.end_ns - trial.all.start_ns, second = 1000000000;
    assert_true(took_ns > last * second);
    assert_true(last < 2 || took_ns < last * last * second);
    assert_ended(&trial, last, 1);
    for (uint32_t d = 0; d < last; d++) {
        assert_int_equal(atomic_load(&trial.script[d].ended), 0);
        assert_int_equal(trial.collected[d], 0);
        atomic_store(&trial.script[d].let_go, 1);
    }
    assert_int_equal(trial.fails, last);
    char sentence[80];
    snprintf(sentence, sizeof sentence,
             "trial: the kernel of device %u did not end within %u s of a stop", last - 1, last);
    assert_string_equal(trial.last, sentence);
    trial_close(&trial);
}

#define ON_HOSTS(f) ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3x2")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(kernels_that_end_are_collected_once, "host:1"),
        ON_HOSTS(kernels_that_end_are_collected_once),
        ON_BACKEND(a_cancel_before_the_start, "host:1"),
        ON_HOSTS(a_cancel_before_the_start),
        ON_HOSTS(each_kernel_is_told_once),
        ON_BACKEND(the_side_queue_carries_the_stop_word, "host:1"),
        ON_HOSTS(the_side_queue_carries_the_stop_word),
        ON_HOSTS(what_kernels_wait_for_is_seen_to),
        ON_HOSTS(what_stopped_kernels_wait_for_is_seen_to),
        ON_HOSTS(one_that_ends_badly_stops_the_others),
        ON_HOSTS(one_that_cannot_be_started),
        ON_HOSTS(kernels_that_do_not_end_are_given_up),
    };
    return cmocka_run_group_tests_name("resident", tests, NULL, NULL);
}
