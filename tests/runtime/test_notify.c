/** @file test_notify.c  Call-backs of futures, and the completion queue with its descriptor. */
#include "tests/runtime/sim_model.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* What a call-back saw; the main thread looks at it after it was called. */
struct call {
    _Atomic int calls;
    _Atomic int status;
    weir_watch *watch; /* destroyed by the call itself, if `own` */
    int own;
    _Atomic int entered, leave;
};

static void note(void *user, weir_status status)
{
    struct call *call = user;
    atomic_store(&call->status, status);
    atomic_fetch_add(&call->calls, 1);
    if (call->own)
        weir_watch_destroy(call->watch);
}

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* Call-backs may come a little after the wait that they belong to. */
static void assert_called(struct call *call, weir_status status)
{
    for (int ms = 0; ms < LONG_MS && !atomic_load(&call->calls); ms++)
        pause_ms(1);
    assert_int_equal(atomic_load(&call->calls), 1);
    STATUS((weir_status)atomic_load(&call->status), status);
}

/* ---- call-backs ---------------------------------------------------------------------------------- */

static void it_is_called_once_with_the_status(void **state)
{
    static const weir_status decisions[] = {WEIR_OK, WEIR_CLOSED, WEIR_ERR_IO};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 6; i++) {
        weir_status decision = decisions[i % 3];
        weir_future *future = new_future(context);
        struct call before = {0}, after = {0}, alone = {0};
        OK(weir_future_notify(future, note, &before, &before.watch));
        OK(weir_future_notify(future, note, &alone, NULL));
        assert_non_null(before.watch);
        assert_int_equal(atomic_load(&before.calls), 0);
        OK(decision ? weir_future_fail(future, decision) : weir_future_set(future, NULL));
        OK(weir_future_notify(future, note, &after,
                              &after.watch)); /* complete: before it returns */
        assert_int_equal(atomic_load(&after.calls), 1);
        assert_called(&before, decision);
        assert_called(&after, decision);
        assert_called(&alone, decision);
        weir_watch_destroy(before.watch);
        weir_watch_destroy(after.watch);
        weir_future_release(future);
    }
    STATUS(weir_future_notify(NULL, NULL, NULL, NULL), WEIR_ERR_INVALID);
    weir_watch_destroy(NULL);
    weir_context_destroy(context);
}

/* The reference of the program's is gone when the event comes. */
static void events_of_every_device_call(void **state)
{
    weir_context *context = open_or_skip(state);
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_device *device = any_device(context, d);
        weir_queue *queue = new_queue(device);
        weir_future *gate = new_future(context), *future = new_future(context);
        weir_event *event = new_event(device);
        struct call first = {0}, second = {.own = 1};
        OK(weir_future_notify(future, note, &first, &first.watch));
        OK(weir_queue_wait_future(queue, gate));
        OK(weir_queue_record(queue, event));
        OK(weir_future_set(future, event));
        OK(weir_future_notify(future, note, &second, &second.watch));
        weir_future_release(future);
        pause_ms(5);
        assert_int_equal(atomic_load(&first.calls) + atomic_load(&second.calls), 0);
        OK(weir_future_set(gate, NULL));
        assert_called(&first, WEIR_OK);
        assert_called(&second, WEIR_OK);
        weir_watch_destroy(first.watch);
        weir_future_release(gate);
        weir_queue_destroy(queue);
    }
    weir_context_destroy(context);
}

static void a_withdrawn_one_is_not_called(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(context), *future = new_future(context);
    weir_event *event = new_event(device);
    struct call undecided = {0}, decided = {0}, kept = {0};
    OK(weir_future_notify(future, note, &undecided, &undecided.watch));
    weir_watch_destroy(undecided.watch);
    OK(weir_future_notify(future, note, &kept, &kept.watch));
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_record(queue, event));
    OK(weir_future_set(future, event));
    for (int i = 0; i < 100; i++) {
        OK(weir_future_notify(future, note, &decided, &decided.watch));
        weir_watch_destroy(decided.watch);
    }
    OK(weir_future_set(gate, NULL));
    OK(weir_future_wait(future, LONG_MS));
    assert_called(&kept, WEIR_OK);
    assert_int_equal(atomic_load(&undecided.calls) + atomic_load(&decided.calls), 0);
    weir_watch_destroy(kept.watch);
    weir_future_release(future);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* With the last reference of the program's goes a future that is watched, uncalled, and what watches it; it is
 * used again. What nobody took goes with the context. */
static void what_nobody_decides_ends_uncalled(void **state)
{
    weir_context *context = open_or_skip(state);
    struct call call = {0}, again = {0};
    uint64_t word;
    weir_future *future = new_future(context);
    OK(weir_future_notify(future, note, &call, &call.watch));
    OK(weir_future_notify(future, note, &call, NULL));
    OK(weir_future_post(future, 1));
    weir_future_retain(future);
    weir_future_release(future);
    weir_future_release(future);
    weir_future *same = new_future(context);
    assert_ptr_equal(same, future);
    OK(weir_future_notify(same, note, &again, &again.watch));
    weir_watch_destroy(again.watch);
    OK(weir_future_notify(same, note, &again, &again.watch));
    OK(weir_future_set(same, NULL));
    assert_called(&again, WEIR_OK);
    weir_watch_destroy(call.watch);
    weir_watch_destroy(again.watch);
    weir_future_release(same);
    STATUS(weir_context_next(context, &word, NULL), WEIR_PENDING);
    OK(weir_context_post(context, 2));
    weir_context_destroy(context);
    assert_int_equal(atomic_load(&call.calls), 0);
}

static void a_completion_that_nobody_took_ends_with_the_context(void **state)
{
    weir_context *context = open_or_skip(state);
    struct call call = {0};
    weir_future *future = new_future(context);
    OK(weir_future_notify(future, note, &call, NULL));
    OK(weir_future_post(future, 1));
    OK(weir_future_fail(future, WEIR_ERR_CANCELLED));
    assert_called(&call, WEIR_ERR_CANCELLED);
    weir_future_release(future);
    weir_context_destroy(context);
}

static void stay_a_while(void *user, weir_status status)
{
    struct call *call = user;
    (void)status;
    atomic_store(&call->entered, 1);
    for (int ms = 0; ms < LONG_MS && !atomic_load(&call->leave); ms++)
        pause_ms(1);
    pause_ms(20);
    atomic_fetch_add(&call->calls, 1);
}

static void *set_future(void *future)
{
    (void)weir_future_set(future, NULL);
    return NULL;
}

static void withdrawing_waits_for_one_that_runs(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    struct call call = {0};
    pthread_t thread;
    OK(weir_future_notify(future, stay_a_while, &call, &call.watch));
    assert_int_equal(pthread_create(&thread, NULL, set_future, future), 0);
    while (!atomic_load(&call.entered))
        pause_ms(1);
    atomic_store(&call.leave, 1);
    weir_watch_destroy(call.watch);
    int calls = atomic_load(&call.calls); /* the function has returned */
    pthread_join(thread, NULL);
    assert_int_equal(calls, 1);
    weir_future_release(future);
    weir_context_destroy(context);
}

/* Threads that watch and give up while another decides: each is called, or not called after it gave up. */
enum { ROUNDS = 400, WATCHERS = 3 };
struct race {
    weir_future *future;
    pthread_barrier_t barrier;
    _Atomic int late;
};

struct gone {
    struct race *race;
    _Atomic int over;
};

static void must_not_be_over(void *user, weir_status status)
{
    struct gone *gone = user;
    (void)status;
    if (atomic_load(&gone->over))
        atomic_fetch_add(&gone->race->late, 1);
}

static void *watch_and_give_up(void *data)
{
    struct race *race = data;
    for (int i = 0; i < ROUNDS; i++) {
        struct gone gone = {race, 0};
        weir_watch *watch;
        pthread_barrier_wait(&race->barrier);
        if (weir_future_notify(race->future, must_not_be_over, &gone, &watch))
            atomic_fetch_add(&race->late, 1);
        weir_watch_destroy(watch);
        atomic_store(&gone.over, 1);
        pthread_barrier_wait(&race->barrier);
    }
    return NULL;
}

static void giving_up_while_it_is_decided(void **state)
{
    weir_context *context = open_or_skip(state);
    struct race race = {.late = 0};
    pthread_t threads[WATCHERS];
    pthread_barrier_init(&race.barrier, NULL, WATCHERS + 1);
    for (int i = 0; i < WATCHERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, watch_and_give_up, &race), 0);
    int wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        wrong += weir_future_create(context, &race.future) != WEIR_OK;
        pthread_barrier_wait(&race.barrier);
        wrong += weir_future_set(race.future, NULL) != WEIR_OK;
        pthread_barrier_wait(&race.barrier);
        weir_future_release(race.future);
    }
    for (int i = 0; i < WATCHERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&race.barrier);
    assert_int_equal(wrong, 0);
    assert_int_equal(atomic_load(&race.late), 0);
    weir_context_destroy(context);
}

/* ---- the completion queue ------------------------------------------------------------------------ */

static int readable(int fd, int timeout_ms)
{
    struct pollfd poll_one = {.fd = fd, .events = POLLIN};
    return poll(&poll_one, 1, timeout_ms) == 1 && poll_one.revents == POLLIN;
}

static void words_come_in_the_order_of_completion(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *futures[3] = {new_future(context), new_future(context), new_future(context)};
    uint64_t word = 99;
    weir_status status = WEIR_ERR_IO;
    STATUS(weir_context_next(context, &word, &status), WEIR_PENDING);
    assert_int_equal(word, 99);
    for (uint64_t i = 0; i < 3; i++)
        OK(weir_future_post(futures[i], 10 + i));
    OK(weir_future_set(futures[1], NULL));
    OK(weir_context_post(context, UINT64_MAX));
    OK(weir_future_fail(futures[0], WEIR_ERR_CANCELLED));
    OK(weir_future_post(futures[0], 20)); /* once more, complete already */
    static const uint64_t words[] = {11, UINT64_MAX, 10, 20};
    static const weir_status ends[] = {WEIR_OK, WEIR_OK, WEIR_ERR_CANCELLED, WEIR_ERR_CANCELLED};
    for (int i = 0; i < 4; i++) {
        OK(weir_context_next(context, &word, i == 1 ? NULL : &status));
        assert_true(word == words[i]);
        if (i != 1)
            STATUS(status, ends[i]);
    }
    STATUS(weir_context_next(context, &word, NULL), WEIR_PENDING);
    for (int i = 0; i < 3; i++)
        weir_future_release(futures[i]);
    weir_context_destroy(context);
}

static void the_descriptor_is_readable_while_there_are_any(void **state)
{
    weir_context *context = open_or_skip(state);
    int fd, again;
    uint64_t word;
    OK(weir_context_post(context, 1)); /* before anybody asked for a descriptor */
    OK(weir_context_fd(context, &fd));
    OK(weir_context_fd(context, &again));
    assert_int_equal(fd, again);
    assert_true(readable(fd, 0));
    OK(weir_context_post(context, 2));
    OK(weir_context_next(context, &word, NULL));
    assert_true(readable(fd, 0));
    OK(weir_context_next(context, &word, NULL));
    assert_int_equal(word, 2);
    assert_false(readable(fd, 0));
    STATUS(weir_context_next(context, &word, NULL), WEIR_PENDING);
    OK(weir_context_post(context, 3));
    assert_true(readable(fd, 0));
    weir_context_destroy(context);
}

/* Work on every device; the loop sleeps in poll() alone. */
static void a_loop_serves_every_device(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t devices = all_devices(context), seen = 0;
    weir_queue *queues[WEIR_DEVICES_MAX + 1];
    weir_future *gate = new_future(context);
    int fd;
    OK(weir_context_fd(context, &fd));
    for (uint32_t d = 0; d < devices; d++) {
        weir_future *future = new_future(context);
        weir_event *event = new_event(any_device(context, d));
        queues[d] = new_queue(any_device(context, d));
        OK(weir_queue_wait_future(queues[d], gate));
        OK(weir_queue_record(queues[d], event));
        OK(weir_future_set(future, event));
        OK(weir_future_post(future, d));
        weir_future_release(future);
    }
    assert_false(readable(fd, 5));
    OK(weir_future_set(gate, NULL));
    while (seen != (1u << devices) - 1) {
        uint64_t word;
        weir_status status;
        assert_true(readable(fd, LONG_MS));
        OK(weir_context_next(context, &word, &status));
        OK(status);
        assert_false(seen >> word & 1);
        seen |= 1u << word;
    }
    assert_false(readable(fd, 0));
    for (uint32_t d = 0; d < devices; d++)
        weir_queue_destroy(queues[d]);
    weir_future_release(gate);
    weir_context_destroy(context);
}

/* Several threads put in, several take out: each word is taken once. */
enum { THREADS = 3, WORDS = 2000 };
struct crowd {
    weir_context *context;
    _Atomic uint64_t left;
    _Atomic int taken[THREADS * WORDS];
    _Atomic int wrong, number;
};

static void *put_in(void *data)
{
    struct crowd *crowd = data;
    uint64_t first = (uint64_t)atomic_fetch_add(&crowd->number, 1) * WORDS;
    for (uint64_t i = first; i < first + WORDS; i++) {
        weir_future *future;
        if (weir_future_create(crowd->context, &future) || weir_future_post(future, i) ||
            weir_future_set(future, NULL))
            atomic_fetch_add(&crowd->wrong, 1);
        weir_future_release(future);
    }
    return NULL;
}

static void *take_out(void *data)
{
    struct crowd *crowd = data;
    int fd;
    if (weir_context_fd(crowd->context, &fd))
        return NULL;
    while (atomic_load(&crowd->left)) {
        uint64_t word;
        if (!readable(fd, 1) || weir_context_next(crowd->context, &word, NULL))
            continue;
        atomic_fetch_add(&crowd->taken[word], 1);
        atomic_fetch_sub(&crowd->left, 1);
    }
    return NULL;
}

static void each_word_is_taken_once(void **state)
{
    static struct crowd crowd;
    pthread_t threads[2 * THREADS];
    memset(&crowd, 0, sizeof crowd);
    crowd.context = open_or_skip(state);
    atomic_store(&crowd.left, THREADS * WORDS);
    for (int i = 0; i < 2 * THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i % 2 ? take_out : put_in, &crowd), 0);
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&crowd.wrong), 0);
    for (int i = 0; i < THREADS * WORDS; i++)
        assert_int_equal(atomic_load(&crowd.taken[i]), 1);
    weir_context_destroy(crowd.context);
}

/* ---- simulated, and without memory --------------------------------------------------------------- */

static void simulated_devices_are_asked(void **state)
{
    weir_context *context = sim_open();
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *future = new_future(context);
    weir_event *event = new_event(device);
    void *data = new_memory(device, 100);
    struct call call = {0};
    uint64_t word = 0;
    int fd = 7, asked = 0;
    (void)state;
    STATUS(weir_context_fd(context, &fd), WEIR_ERR_UNSUPPORTED);
    assert_int_equal(fd, -1);
    OK(weir_queue_fill(queue, data, 1, 100));
    OK(weir_queue_record(queue, event));
    OK(weir_future_set(future, event));
    OK(weir_future_notify(future, note, &call, &call.watch));
    OK(weir_future_post(future, 5));
    weir_future_release(future);
    while (weir_context_next(context, &word, NULL) == WEIR_PENDING)
        assert_true(++asked < 100);
    assert_int_equal(word, 5);
    assert_called(&call, WEIR_OK);
    weir_watch_destroy(call.watch);
    weir_device_free(device, data);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void no_memory_is_told(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    struct call call = {0};
    uint64_t word;
    for (uint64_t nth = 1; nth <= 2; nth++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        STATUS(weir_future_notify(future, note, &call, &call.watch), WEIR_ERR_NOMEM);
        assert_null(call.watch);
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        STATUS(weir_future_post(future, 1), WEIR_ERR_NOMEM);
    }
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    STATUS(weir_context_post(context, 1), WEIR_ERR_NOMEM);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    OK(weir_future_post(future, 2));
    OK(weir_future_set(future, NULL));
    OK(weir_context_next(context, &word, NULL));
    assert_int_equal(word, 2);
    STATUS(weir_context_next(context, &word, NULL), WEIR_PENDING);
    assert_int_equal(atomic_load(&call.calls), 0);
    weir_future_release(future);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(it_is_called_once_with_the_status),
        ON_EACH_BACKEND(events_of_every_device_call),
        ON_EACH_BACKEND(a_withdrawn_one_is_not_called),
        ON_EACH_BACKEND(what_nobody_decides_ends_uncalled),
        ON_EACH_BACKEND(a_completion_that_nobody_took_ends_with_the_context),
        ON_EACH_BACKEND(withdrawing_waits_for_one_that_runs),
        ON_BACKEND(giving_up_while_it_is_decided, "host:1"),
        ON_EACH_BACKEND(words_come_in_the_order_of_completion),
        ON_EACH_BACKEND(the_descriptor_is_readable_while_there_are_any),
        ON_EACH_BACKEND(a_loop_serves_every_device),
        ON_BACKEND(each_word_is_taken_once, "host:1"),
        cmocka_unit_test(simulated_devices_are_asked),
        ON_BACKEND(no_memory_is_told, "host:1"),
    };
    return cmocka_run_group_tests_name("notify", tests, NULL, NULL);
}
