/** @file test_held.c  Queues that the host holds: what is kept, in which order it is submitted, and how it ends.
 *
 * On strict devices (tests/lib/strict.h), whose queues count what they are told too early, and on GPUs. */
#include "tests/lib/strict.h"
#include "tests/lib/support.h"

#include "runtime/held.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ON_HELD(f)   ON_BACKEND(f, "strict:1"), ON_BACKEND(f, "strict:2"), ON_BACKEND(f, "cuda:0")
#define ON_STRICT(f) ON_BACKEND(f, "strict:1"), ON_BACKEND(f, "strict:2")

static void begin(void)
{
    atomic_store(&strict_seen.early, 0);
    atomic_store(&strict_seen.put, 0);
    atomic_store(&strict_seen.asked, 0);
    atomic_store(&strict_seen.fail_copies, 0);
}

static void nothing_was_early(void)
{
    assert_int_equal(atomic_load(&strict_seen.early), 0);
}

static weir_device *first_of(const weir_context *context)
{
    return weir_context_device(context, 0);
}

static weir_device *last_of(const weir_context *context)
{
    return weir_context_device(context, weir_context_device_count(context) - 1);
}

static uint64_t kept_in(const weir_queue *queue)
{
    weir_queue_stats stats = WEIR_QUEUE_STATS_INIT;
    OK(weir_queue_stats_get(queue, &stats));
    assert_true((stats.kept == 0) == (stats.kept_bytes == 0));
    return stats.kept;
}

/* ---- keeping ----------------------------------------------------------------------------------- */

static void what_is_put_in_is_kept_until_the_future_is_decided(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(device);
    weir_future *future = new_future(context);
    weir_queue_stats stats = WEIR_QUEUE_STATS_INIT;
    char *data = new_memory(device, 256);
    put_pattern(device, data, 256, 3);
    uint64_t before = atomic_load(&strict_seen.put);
    OK(weir_queue_wait_future(queue, future));
    OK(weir_queue_fill(queue, data, 1, 64));
    OK(weir_queue_copy(queue, device, data + 64, device, data, 64));
    OK(weir_queue_push(queue, device, data + 128, device, data + 64, 64));
    OK(weir_queue_record(queue, event));
    STATUS(weir_event_query(event), WEIR_PENDING);
    STATUS(weir_event_wait(event, 1), WEIR_ERR_TIMEOUT);
    assert_int_equal(atomic_load(&strict_seen.put), before);
    assert_int_equal(kept_in(queue), 5);
    assert_pattern(device, data, 256, 3);
    OK(weir_future_set(future, NULL));
    OK(weir_event_wait(event, LONG_MS));
    assert_filled(device, data, 192, 1);
    OK(weir_queue_stats_get(queue, &stats));
    assert_int_equal(stats.kept, 0);
    assert_int_equal(stats.kept_ever, 5);
    OK(weir_queue_fill(queue, data, 2, 64)); /* straight again */
    OK(weir_queue_sync(queue));
    OK(weir_queue_stats_get(queue, &stats));
    assert_int_equal(stats.kept_ever, 5);
    weir_future_release(future);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
    nothing_was_early();
}

struct store_args {
    uint32_t *data;
    uint32_t value, spare[700]; /* more than what is kept for reuse has room for */
};

static void store(const void *args, uint32_t worker, uint32_t workers)
{
    const struct store_args *a = args;
    (void)workers;
    if (worker == 0)
        a->data[0] = a->data[0] * 31 + a->value + a->spare[699];
}

static const weir_kernel store_kernel = {.name = "store", .host = store};

/* The arguments are copied, whatever their size. */
static void arguments_are_copied(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(first_of(context));
    weir_future *future = new_future(context);
    uint32_t word = 0, want = 0;
    struct store_args args = {.data = &word};
    OK(weir_queue_wait_future(queue, future));
    for (uint32_t i = 1; i < 200; i++) {
        args.value = i;
        args.spare[699] = i % 7;
        want = want * 31 + i + i % 7;
        OK(weir_queue_launch(queue, &store_kernel, &args, sizeof args));
    }
    memset(&args, 0, sizeof args);
    OK(weir_future_set(future, NULL));
    OK(weir_queue_sync(queue));
    assert_int_equal(word, want);
    weir_future_release(future);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

struct steps {
    uint32_t next, wrong;
};
struct step {
    struct steps *steps;
    uint32_t number;
};

static void step(void *user)
{
    struct step *one = user;
    one->steps->wrong += one->number != one->steps->next++;
}

struct decider {
    weir_future *future[200];
};

static void *decide_one_by_one(void *user)
{
    struct decider *decider = user;
    for (int i = 0; i < 200; i++) {
        const struct timespec pause = {0, i % 3 ? 0 : 50000};
        nanosleep(&pause, NULL);
        (void)weir_future_set(decider->future[i], NULL);
    }
    return NULL;
}

/* One thread puts in while another lets the queue go, again and again. */
static void the_order_stays_while_another_thread_submits(void **state)
{
    enum { STEPS = 20000 };
    begin();
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(first_of(context));
    struct step *all = malloc(STEPS * sizeof *all);
    struct steps steps = {0, 0};
    struct decider decider;
    pthread_t thread;
    assert_non_null(all);
    for (int i = 0; i < 200; i++)
        decider.future[i] = new_future(context);
    assert_int_equal(pthread_create(&thread, NULL, decide_one_by_one, &decider), 0);
    for (uint32_t i = 0; i < STEPS; i++) {
        if (i % 100 == 0)
            OK(weir_queue_wait_future(queue, decider.future[i / 100]));
        all[i] = (struct step){&steps, i};
        OK(weir_queue_call(queue, step, &all[i]));
    }
    pthread_join(thread, NULL);
    OK(weir_queue_sync(queue));
    assert_int_equal(steps.next, STEPS);
    assert_int_equal(steps.wrong, 0);
    for (int i = 0; i < 200; i++)
        weir_future_release(decider.future[i]);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
    free(all);
    nothing_was_early();
}

/* Each waits for the event of the next one, the last for a future: letting one go lets the one before it go. */
static void a_chain_of_a_thousand_queues_comes_to_its_end(void **state)
{
    enum { QUEUES = 1000 };
    begin();
    weir_context *context = open_or_skip(state);
    static weir_queue *queue[QUEUES];
    static weir_event *event[QUEUES];
    weir_future *future = new_future(context);
    for (uint32_t i = 0; i < QUEUES; i++) {
        weir_device *device = weir_context_device(context, i % weir_context_device_count(context));
        queue[i] = new_queue(device);
        event[i] = new_event(device);
    }
    OK(weir_queue_wait_future(queue[0], future));
    for (uint32_t i = 0; i < QUEUES; i++) {
        if (i > 0)
            OK(weir_queue_wait_event(queue[i], event[i - 1]));
        OK(weir_queue_record(queue[i], event[i]));
        assert_true(kept_in(queue[i]) > 0);
    }
    OK(weir_future_set(future, NULL));
    OK(weir_event_wait(event[QUEUES - 1], LONG_MS));
    for (uint32_t i = 0; i < QUEUES; i++) {
        assert_int_equal(kept_in(queue[i]), 0);
        weir_event_release(event[i]);
        weir_queue_destroy(queue[i]);
    }
    weir_future_release(future);
    weir_context_destroy(context);
    nothing_was_early();
}

/* A queue is held for an event of the home device until that is complete, though it was recorded. */
static void an_event_of_another_backend_holds_until_it_is_complete(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context), *home = weir_context_home(context);
    weir_queue *queue = new_queue(device), *far = new_queue(home);
    weir_event *event = new_event(home);
    weir_future *future = new_future(context);
    void *data = new_memory(device, 64);
    STATUS(weir_queue_wait_event(queue, event), WEIR_ERR_INVALID); /* never recorded */
    assert_int_equal(kept_in(queue), 0);
    OK(weir_queue_wait_future(far, future));
    OK(weir_queue_record(far, event));
    OK(weir_queue_wait_event(queue, event));
    OK(weir_queue_fill(queue, data, 4, 64));
    assert_int_equal(kept_in(queue), 2);
    OK(weir_future_set(future, NULL));
    OK(weir_queue_sync(queue));
    assert_filled(device, data, 64, 4);
    weir_future_release(future);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_queue_destroy(far);
    weir_device_free(device, data);
    weir_context_destroy(context);
    nothing_was_early();
}

static void count_call(void *user)
{
    atomic_fetch_add((_Atomic int *)user, 1);
}

static void who_waits_for_a_kept_record_is_told(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context);
    weir_queue *queue = new_queue(device), *other = new_queue(last_of(context));
    weir_event *event = new_event(device), *after = new_event(last_of(context));
    weir_future *gate = new_future(context), *future = new_future(context);
    const struct timespec pause = {0, 1000000};
    _Atomic int calls = 0;
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_record(queue, event));
    OK(weir_queue_wait_event(other, event));
    OK(weir_queue_record(other, after));
    OK(weir__event_notify(event, count_call, &calls));
    OK(weir__event_notify(after, count_call, &calls));
    OK(weir_future_set(future, event));
    STATUS(weir_future_query(future), WEIR_PENDING);
    STATUS(weir_event_query(after), WEIR_PENDING);
    assert_int_equal(atomic_load(&calls), 0);
    OK(weir_future_set(gate, NULL));
    OK(weir_future_wait(future, LONG_MS));
    OK(weir_event_wait(after, LONG_MS));
    for (int ms = 0; ms < LONG_MS && atomic_load(&calls) < 2; ms++)
        nanosleep(&pause, NULL);
    assert_int_equal(atomic_load(&calls), 2);
    weir_future_release(gate);
    weir_future_release(future);
    weir_event_release(after);
    weir_queue_destroy(queue);
    weir_queue_destroy(other);
    weir_context_destroy(context);
    nothing_was_early();
}

/* ---- failures ---------------------------------------------------------------------------------- */

static void an_operation_that_fails_later_breaks_its_queue(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context);
    weir_queue *queue = new_queue(device), *other = new_queue(last_of(context));
    weir_event *before = new_event(device), *behind = new_event(device);
    weir_future *gate = new_future(context), *future = new_future(context);
    weir_stamp *stamp;
    char *data = new_memory(device, 128);
    double ms;
    OK(weir_stamp_create(device, &stamp));
    put_pattern(device, data, 128, 1);
    atomic_store(&strict_seen.fail_copies, 1);
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_queue_record(queue, before));
    OK(weir_queue_copy(queue, device, data, device, data + 64, 64));
    OK(weir_queue_fill(queue, data, 7, 128));
    OK(weir_queue_record(queue, behind));
    OK(weir_queue_stamp(queue, stamp));
    OK(weir_queue_wait_event(other, behind));
    OK(weir_future_set(future, behind));
    STATUS(weir_stamp_elapsed(stamp, stamp, &ms), WEIR_PENDING);
    OK(weir_future_set(gate, NULL)); /* of whom it is no failure */
    OK(weir_event_wait(before, LONG_MS));
    STATUS(weir_future_wait(future, LONG_MS), WEIR_ERR_DEVICE);
    assert_detail_has("the device refuses a copy");
    STATUS(weir_event_query(behind), WEIR_ERR_DEVICE);
    STATUS(weir_stamp_elapsed(stamp, stamp, &ms), WEIR_ERR_DEVICE);
    (void)weir_error_set(WEIR_ERR_IO, "something else");
    STATUS(weir_queue_sync(queue), WEIR_ERR_DEVICE);
    assert_detail_has("the device refuses a copy");
    STATUS(weir_queue_fill(queue, data, 1, 1), WEIR_ERR_DEVICE);
    OK(weir_queue_wait_future(queue, gate)); /* waits and records are taken, and reached */
    OK(weir_queue_record(queue, before));
    STATUS(weir_event_wait(before, LONG_MS), WEIR_ERR_DEVICE);
    assert_detail_has("the device refuses a copy");
    OK(weir_queue_sync(other));
    OK(weir_device_status(device));
    assert_pattern(device, data, 128, 1); /* nothing ran behind what failed */
    weir_future_release(gate);
    weir_future_release(future);
    weir_event_release(before);
    weir_stamp_destroy(stamp);
    weir_queue_destroy(queue);
    weir_queue_destroy(other);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

static void without_memory_nothing_is_put_in(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(device);
    weir_future *gate = new_future(context);
    char *data = new_memory(device, 64);
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    STATUS(weir_queue_wait_future(queue, gate), WEIR_ERR_NOMEM);
    assert_int_equal(kept_in(queue), 0);
    OK(weir_queue_wait_future(queue, gate));
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    STATUS(weir_queue_record(queue, event), WEIR_ERR_NOMEM);
    assert_int_equal(kept_in(queue), 1);
    OK(weir_event_query(event)); /* it was not recorded */
    OK(weir__queue_reserve(queue, 8));
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    for (int i = 0; i < 7; i++)
        OK(weir_queue_fill(queue, data, i, 64));
    OK(weir_queue_record(queue, event));
    assert_false(weir__fault_struck(WEIR__FAULT_ALLOC));
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    OK(weir_future_set(gate, NULL));
    OK(weir_event_wait(event, LONG_MS));
    assert_filled(device, data, 64, 6);
    weir_future_release(gate);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

/* Without memory to watch an event of another backend, the host's waits try again. */
static void an_event_that_cannot_be_watched_is_asked_for_again(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context), *home = weir_context_home(context);
    weir_queue *queue = new_queue(device), *far = new_queue(home);
    weir_event *event = new_event(home);
    weir_future *gate = new_future(context);
    OK(weir_queue_wait_future(far, gate));
    OK(weir_queue_record(far, event));
    OK(weir__queue_reserve(queue, 4));
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    OK(weir_queue_wait_event(queue, event));
    assert_true(weir__fault_struck(WEIR__FAULT_ALLOC));
    assert_int_equal(kept_in(queue), 1);
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    weir_future_release(gate);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_queue_destroy(far);
    weir_context_destroy(context);
    nothing_was_early();
}

/* Nobody decides the future: the device's queue ends all the same, and so does who waits for it elsewhere. */
static void a_device_that_fails_ends_what_is_kept(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context), *works = last_of(context);
    weir_queue *queue = new_queue(device), *other = new_queue(works);
    weir_event *event = new_event(device);
    weir_future *never = new_future(context);
    OK(weir_queue_wait_future(queue, never));
    OK(weir_queue_record(queue, event));
    OK(weir_queue_wait_event(other, event));
    assert_int_equal(kept_in(other), 1);
    weir__device_mark(device, "it was pulled out");
    STATUS(weir_event_query(event), WEIR_ERR_DEVICE);
    STATUS(weir_event_wait(event, LONG_MS), WEIR_ERR_DEVICE);
    assert_detail_has("it was pulled out");
    STATUS(weir_queue_sync(queue), WEIR_ERR_DEVICE);
    OK(weir_queue_sync(other));
    assert_int_equal(kept_in(queue), 0);
    weir_queue_destroy(queue);
    weir_queue_destroy(other);
    OK(weir_future_fail(never, WEIR_ERR_CANCELLED)); /* who waited is gone */
    weir_future_release(never);
    weir_event_release(event);
    weir_context_destroy(context);
}

/* ---- native handles ------------------------------------------------------------------------------ */

static void *set_after_a_while(void *future)
{
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    (void)weir_future_set(future, NULL);
    return NULL;
}

static void a_handle_is_handed_out_when_nothing_is_kept(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context);
    weir_queue *queue = new_queue(device);
    weir_event *event = new_event(device);
    weir_future *future = new_future(context);
    pthread_t thread;
    OK(weir_queue_wait_future(queue, future));
    OK(weir_queue_record(queue, event));
    assert_int_equal(pthread_create(&thread, NULL, set_after_a_while, future), 0);
    assert_non_null(weir_event_native(event)); /* its record is in the stream by then */
    assert_false(weir__event_unsubmitted(event));
    assert_non_null(weir_queue_native(queue));
    assert_int_equal(kept_in(queue), 0);
    pthread_join(thread, NULL);
    weir_future_release(future);
    weir_event_release(event);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
    nothing_was_early();
}

static void a_queue_that_was_handed_out_is_not_held(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_device *device = first_of(context);
    weir_queue *queue = new_queue(device), *other = new_queue(device);
    weir_event *event = new_event(device);
    weir_future *future = new_future(context), *gate = new_future(context);
    assert_non_null(weir_queue_native(queue));
    STATUS(weir_queue_wait_future(queue, gate), WEIR_ERR_INVALID);
    assert_detail_has("wait for it on the host first");
    OK(weir_queue_wait_future(other, gate));
    OK(weir_queue_record(other, event));
    STATUS(weir_queue_wait_event(queue, event), WEIR_ERR_INVALID);
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_wait_event(queue, event)); /* recorded by now */
    OK(weir_queue_wait_future(queue, gate));
    OK(weir_future_set(future, event));
    OK(weir_queue_wait_future(queue, future));
    OK(weir_queue_sync(queue));
    weir_future_release(future);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_queue_destroy(other);
    weir_context_destroy(context);
    nothing_was_early();
}

/* ---- joint work ---------------------------------------------------------------------------------- */

struct joint {
    uint32_t calls, dropped;
    weir_status status, answer;
    int streams;
};

static weir_status join_in(void *user, void *const *streams, weir_status status)
{
    struct joint *joint = user;
    joint->calls++;
    joint->status = status;
    joint->streams = streams && streams[0] && streams[1];
    return status          ? status
           : joint->answer ? weir__fail(joint->answer, "the joint work fails")
                           : WEIR_OK;
}

static void drop_it(void *user)
{
    ((struct joint *)user)->dropped++;
}

static void joint_work_is_done_when_all_queues_come_to_it(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_queue *queues[2] = {new_queue(first_of(context)), new_queue(last_of(context))};
    weir_future *gates[2] = {new_future(context), new_future(context)};
    struct joint now = {0}, late = {0}, bad = {.answer = WEIR_ERR_IO}, never = {0};
    OK(weir__queues_join(queues, 2, join_in, &now, drop_it));
    assert_true(now.calls == 1 && now.streams);
    for (int i = 0; i < 2; i++)
        OK(weir_queue_wait_future(queues[i], gates[i]));
    OK(weir__queues_join(queues, 2, join_in, &late, drop_it));
    OK(weir__queues_join(queues, 2, join_in, &bad, drop_it));
    OK(weir_future_set(gates[1], NULL));
    assert_int_equal(late.calls, 0);
    assert_true(kept_in(queues[1]) > 0);
    OK(weir_future_set(gates[0], NULL));
    assert_true(late.calls == 1 && late.streams && !late.status);
    assert_int_equal(bad.calls, 1);
    for (int i = 0; i < 2; i++) {
        STATUS(weir_queue_sync(queues[i]), WEIR_ERR_IO);
        assert_int_equal(kept_in(queues[i]), 0);
    }
    STATUS(weir__queues_join(queues, 2, join_in, &never, drop_it), WEIR_ERR_IO);
    assert_true(never.calls == 0 && never.dropped == 1);
    for (int i = 0; i < 2; i++) {
        weir_future_release(gates[i]);
        weir_queue_destroy(queues[i]);
    }
    weir_context_destroy(context);
}

/* One queue's device fails while the other is held: the work is called off once that comes there. */
static void joint_work_is_called_off_where_a_queue_never_comes(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_queue *queues[2] = {new_queue(first_of(context)), new_queue(last_of(context))};
    weir_future *gate = new_future(context);
    struct joint joint = {0};
    OK(weir_queue_wait_future(queues[1], gate));
    OK(weir__queues_join(queues, 2, join_in, &joint, drop_it));
    weir__device_mark(first_of(context), "it was pulled out");
    STATUS(weir_queue_sync(queues[0]), WEIR_ERR_DEVICE);
    OK(weir_future_set(gate, NULL));
    STATUS(weir_queue_sync(queues[1]), WEIR_ERR_DEVICE);
    assert_true(joint.calls == 1 && joint.status == WEIR_ERR_DEVICE && !joint.streams);
    for (int i = 0; i < 2; i++)
        weir_queue_destroy(queues[i]);
    weir_future_release(gate);
    weir_context_destroy(context);
}

/* ---- asking the devices ---------------------------------------------------------------------------- */

#define WAITERS 16

static void *wait_for_it(void *future)
{
    (void)weir_future_wait(future, -1);
    return NULL;
}

/* Many threads wait for most of a second: a device is asked about twenty times a second, not by each of them. */
static void one_of_all_who_wait_asks_the_devices(void **state)
{
    begin();
    weir_context *context = open_or_skip(state);
    weir_future *future = new_future(context);
    const uint32_t devices = weir_context_device_count(context);
    pthread_t threads[WAITERS];
    for (int i = 0; i < WAITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_it, future), 0);
    STATUS(weir_future_wait(future, 800), WEIR_ERR_TIMEOUT);
    uint64_t asked = atomic_load(&strict_seen.asked);
    OK(weir_future_set(future, NULL));
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    assert_in_range(asked, 4u * devices, 18u * devices); /* 16 slices; a busy machine has fewer */
    weir_future_release(future);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HELD(what_is_put_in_is_kept_until_the_future_is_decided),
        ON_STRICT(arguments_are_copied),
        ON_STRICT(the_order_stays_while_another_thread_submits),
        ON_HELD(a_chain_of_a_thousand_queues_comes_to_its_end),
        ON_HELD(an_event_of_another_backend_holds_until_it_is_complete),
        ON_HELD(who_waits_for_a_kept_record_is_told),
        ON_STRICT(an_operation_that_fails_later_breaks_its_queue),
        ON_HELD(without_memory_nothing_is_put_in),
        ON_STRICT(an_event_that_cannot_be_watched_is_asked_for_again),
        ON_BACKEND(a_device_that_fails_ends_what_is_kept, "strict:2"),
        ON_HELD(a_handle_is_handed_out_when_nothing_is_kept),
        ON_HELD(a_queue_that_was_handed_out_is_not_held),
        ON_STRICT(joint_work_is_done_when_all_queues_come_to_it),
        ON_BACKEND(joint_work_is_called_off_where_a_queue_never_comes, "strict:2"),
        ON_STRICT(one_of_all_who_wait_asks_the_devices),
    };
    return cmocka_run_group_tests_name("held", tests, NULL, NULL);
}
