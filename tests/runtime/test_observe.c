/** @file test_observe.c  Observers of long calls: what they see, how they end a call, and that each is its thread's alone. */
#include "runtime/internal.h"
#include "runtime/observe.h"
#include "tests/lib/support.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static weir_observer *new_observer(void)
{
    weir_observer *observer;
    OK(weir_observer_create(&observer));
    assert_null(weir_observer_attach(observer));
    return observer;
}

static weir_activity look(weir_observer *observer)
{
    weir_activity seen = WEIR_ACTIVITY_INIT;
    OK(weir_observer_look(observer, &seen));
    return seen;
}

static void sees_what_a_call_is_busy_with(void **state)
{
    weir_observer *observer = new_observer();
    struct weir__activity call, part;
    (void)state;
    assert_null(look(observer).name);
    weir__activity_begin(&call, "reading", "bytes", 0);
    OK(weir__activity_went(7));
    weir__activity_expect(93);
    weir_activity seen = look(observer);
    assert_string_equal(seen.name, "reading");
    assert_string_equal(seen.unit, "bytes");
    assert_int_equal(seen.done, 7);
    assert_int_equal(seen.total, 100);
    assert_true(seen.ms >= 0 && seen.ms < LONG_MS);
    weir__activity_part(&part, "sorting", "arcs", 5);
    OK(weir__activity_went(2));
    seen = look(observer);
    assert_string_equal(seen.name, "sorting");
    assert_int_equal(seen.done, 2);
    assert_int_equal(seen.total, 5);
    assert_int_equal(weir__activity_end(&part, WEIR_ERR_IO), WEIR_ERR_IO);
    seen = look(observer); /* as it was before the part */
    assert_string_equal(seen.name, "reading");
    assert_int_equal(seen.done, 7);
    assert_int_equal(seen.total, 100);
    OK(weir__activity_end(&call, WEIR_OK));
    seen = look(observer);
    assert_null(seen.name);
    assert_null(seen.unit);
    assert_true(seen.ms == 0);
    weir_observer_destroy(observer);
    OK(weir__activity_went(1)); /* it is attached no more */
}

static void a_stop_ends_this_call_and_later_ones(void **state)
{
    weir_observer *observer = new_observer();
    struct weir__activity call;
    (void)state;
    weir__activity_begin(&call, "sorting rows", "vertices", 0);
    OK(weir__activity_went(0));
    weir_observer_stop(observer);
    STATUS(weir__activity_went(0), WEIR_ERR_CANCELLED);
    assert_detail("cancelled while sorting rows");
    (void)weir__activity_end(&call, WEIR_ERR_CANCELLED);
    OK(weir__activity_went(0)); /* no call is running */
    weir__activity_begin(&call, "reading", NULL, 0);
    STATUS(weir__activity_went(0), WEIR_ERR_CANCELLED);
    assert_ptr_equal(weir_observer_attach(NULL), observer);
    OK(weir__activity_went(0)); /* nobody observes it */
    assert_null(weir_observer_attach(observer));
    (void)weir__activity_end(&call, WEIR_ERR_CANCELLED);
    weir_observer_destroy(observer);
}

static void a_limit_counts_from_where_each_call_begins(void **state)
{
    weir_observer *observer = new_observer();
    struct weir__activity call, part;
    (void)state;
    weir_observer_limit(observer, 40);
    for (int i = 0; i < 2; i++) {
        weir__activity_begin(&call, "placing", NULL, 0);
        OK(weir__activity_went(0));
        usleep(50000);
        weir__activity_part(&part, "sorting arcs", NULL, 0); /* no new time for a part */
        STATUS(weir__activity_went(0), WEIR_ERR_TIMEOUT);
        assert_detail("the time limit of 40 ms is over while sorting arcs");
        (void)weir__activity_end(&part, WEIR_ERR_TIMEOUT);
        (void)weir__activity_end(&call, WEIR_ERR_TIMEOUT);
    }
    weir_observer_limit(observer, 0);
    weir__activity_begin(&call, "placing", NULL, 0);
    usleep(50000);
    OK(weir__activity_went(0));
    OK(weir__activity_end(&call, WEIR_OK));
    weir_observer_destroy(observer);
}

struct chunks {
    weir_observer *stop; /* by the chunk with this number */
    uint64_t stop_at;
    _Atomic uint64_t ran, covered;
};

static void chunk(void *user, uint64_t begin, uint64_t end)
{
    struct chunks *chunks = user;
    atomic_fetch_add(&chunks->covered, end - begin);
    if (atomic_fetch_add(&chunks->ran, 1) == chunks->stop_at)
        weir_observer_stop(chunks->stop);
}

static void a_loop_is_left_at_the_next_chunk(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        weir_observer *observer = new_observer();
        struct chunks chunks = {.stop = observer, .stop_at = 3};
        struct weir__activity call;
        OK(weir__activity_for("no call", "arcs", 100, 1, threads, chunk,
                              &chunks)); /* not observed */
        assert_int_equal(chunks.covered, 100);
        weir_observer_destroy(observer);
        chunks = (struct chunks){.stop = observer = new_observer(), .stop_at = 3};
        weir__activity_begin(&call, "making", NULL, 0);
        STATUS(weir__activity_for("drawing arcs", "arcs", 100000, 10, threads, chunk, &chunks),
               WEIR_ERR_CANCELLED);
        assert_detail("cancelled while drawing arcs");
        assert_in_range(chunks.ran, 4, 4 + threads); /* those that were begun are finished */
        (void)weir__activity_end(&call, WEIR_ERR_CANCELLED);
        weir_observer_destroy(observer);
    }
}

static void a_loop_counts_what_is_done(void **state)
{
    weir_observer *observer = new_observer();
    struct chunks chunks = {.stop_at = UINT64_MAX};
    struct weir__activity call;
    (void)state;
    weir__activity_begin(&call, "making", "arcs", 9);
    OK(weir__activity_for("drawing arcs", "arcs", 1234, 100, 3, chunk, &chunks));
    assert_int_equal(chunks.covered, 1234);
    assert_int_equal(look(observer).total, 9);
    OK(weir__activity_end(&call, WEIR_OK));
    weir_observer_destroy(observer);
}

/* A thread with a call of its own, which it stops by itself or not. */
struct other {
    int stopped;
    weir_status status;
    char detail[100];
};

static void *call_of_its_own(void *user)
{
    struct other *other = user;
    struct weir__activity call;
    weir_observer *observer;
    if ((other->status = weir_observer_create(&observer)))
        return NULL;
    (void)weir_observer_attach(observer);
    weir__activity_begin(&call, "waiting", NULL, 0);
    if (other->stopped)
        weir_observer_stop(observer);
    for (int i = 0; i < 1000 && !other->status; i++)
        other->status = weir__activity_went(1);
    if (other->status)
        snprintf(other->detail, sizeof other->detail, "%s", weir_error_detail());
    (void)weir__activity_end(&call, other->status);
    weir_observer_destroy(observer);
    return NULL;
}

static void threads_have_an_observer_each(void **state)
{
    enum { THREADS = 6 };
    pthread_t thread[THREADS];
    struct other other[THREADS] = {{0}};
    weir_observer *mine = new_observer();
    (void)state;
    weir_observer_stop(mine);
    for (int i = 0; i < THREADS; i++) {
        other[i].stopped = i % 2;
        assert_int_equal(pthread_create(&thread[i], NULL, call_of_its_own, &other[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(other[i].status, i % 2 ? WEIR_ERR_CANCELLED : WEIR_OK);
        assert_string_equal(other[i].detail, i % 2 ? "cancelled while waiting" : "");
    }
    weir_observer_destroy(mine);
}

static _Atomic int over;

static void *look_all_the_time(void *user)
{
    weir_observer *observer = user;
    uint64_t bad = 0;
    while (!over) {
        weir_activity seen = WEIR_ACTIVITY_INIT;
        bad += weir_observer_look(observer, &seen) != WEIR_OK;
        /* A name and a total are always of one activity. */
        bad += seen.name && strcmp(seen.name, "loop") == 0 ? seen.total != 64
                                                           : seen.name && seen.total != 5;
    }
    return (void *)(uintptr_t)bad;
}

static void looks_from_another_thread_fit_together(void **state)
{
    weir_observer *observer = new_observer();
    struct chunks chunks = {.stop_at = UINT64_MAX};
    struct weir__activity call;
    pthread_t thread;
    void *bad;
    (void)state;
    over = 0;
    assert_int_equal(pthread_create(&thread, NULL, look_all_the_time, observer), 0);
    for (int i = 0; i < 2000; i++) {
        weir__activity_begin(&call, "call", "things", 5);
        OK(weir__activity_for("loop", "chunks", 64, 1, 2, chunk, &chunks));
        OK(weir__activity_end(&call, WEIR_OK));
    }
    over = 1;
    pthread_join(thread, &bad);
    assert_null(bad);
    weir_observer_destroy(observer);
}

static void *stop_soon(void *user)
{
    usleep(60000);
    weir_observer_stop(user);
    return NULL;
}

static void waiting_for_a_pipe_is_ended_too(void **state)
{
    weir_observer *observer = new_observer();
    struct weir__activity call;
    pthread_t thread;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    weir__activity_begin(&call, "reading", "bytes", 0);
    OK(weir__activity_wait(ends[0], POLLIN));
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, observer), 0);
    const uint64_t begin_ns = weir__now_ns();
    STATUS(weir__activity_wait(ends[0], POLLIN), WEIR_ERR_CANCELLED);
    assert_true(weir__elapsed_ms(begin_ns) < LONG_MS / 2);
    pthread_join(thread, NULL);
    (void)weir__activity_end(&call, WEIR_ERR_CANCELLED);
    close(ends[0]);
    close(ends[1]);
    weir_observer_destroy(observer);
}

static void what_cannot_be_is_refused(void **state)
{
    weir_activity seen = WEIR_ACTIVITY_INIT;
    (void)state;
    STATUS(weir_observer_create(NULL), WEIR_ERR_INVALID);
    STATUS(weir_observer_look(NULL, &seen), WEIR_ERR_INVALID);
    weir_observer *observer = new_observer();
    STATUS(weir_observer_look(observer, NULL), WEIR_ERR_INVALID);
    weir_observer_destroy(observer);
    weir_observer_destroy(NULL);
    weir_observer_stop(NULL);
    weir_observer_limit(NULL, 1);
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    STATUS(weir_observer_create(&observer), WEIR_ERR_NOMEM);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    assert_null(observer);
}

/* ---- work side by side ------------------------------------------------------------------------------- */

struct side {
    weir_observer *observer;
    _Atomic uint32_t called, stopped;
    int fails, stops;
    pthread_t thread[4];
};

static weir_status work_aside(void *user, uint32_t index)
{
    struct side *side = user;
    struct weir__activity part;
    struct chunks chunks = {.stop_at = UINT64_MAX};
    weir_status status;
    atomic_fetch_or(&side->called, 1u << index);
    side->thread[index] = pthread_self();
    weir__upload_waited(index + UINT64_C(1));
    weir__activity_part(&part, "not shown", "things", 9);
    weir__activity_expect(1000);
    if ((status = weir__activity_went(10)) ||
        (status = weir__activity_for("nor this", "chunks", 50, 1, 2, chunk, &chunks)))
        return weir__activity_end(&part, status);
    if (side->observer)
        assert_string_equal(look(side->observer).name, "placing");
    if (side->stops) {
        weir_observer_stop(side->observer);
        while (!(status = weir__activity_for("nor that", "chunks", 50, 1, 2, chunk, &chunks)))
            ;
        atomic_fetch_add(&side->stopped, 1);
    } else if (side->fails && index % 2) {
        status = weir__fail(WEIR_ERR_IO, "number %u", (unsigned)index);
    }
    return weir__activity_end(&part, status);
}

static void each_is_called_on_a_thread_of_its_own(void **state)
{
    struct side side = {.observer = new_observer()};
    struct weir__activity call;
    (void)state;
    const uint64_t before_ns = weir__upload_ns();
    weir__activity_begin(&call, "placing", "arcs", 100);
    OK(weir__activity_each(4, work_aside, &side));
    assert_int_equal(side.called, 15);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_false(pthread_equal(side.thread[i], side.thread[k]));
    assert_true(pthread_equal(side.thread[3], pthread_self()));
    assert_int_equal(look(side.observer).done, 40);
    assert_int_equal(look(side.observer).total, 100);
    assert_int_equal(weir__upload_ns() - before_ns, 4); /* the calling thread's own, the longest */
    side.fails = 1;
    STATUS(weir__activity_each(4, work_aside, &side), WEIR_ERR_IO);
    assert_detail("number 1");
    side.fails = 0;
    OK(weir__activity_went(1)); /* the calling thread is as it was before */
    assert_int_equal(look(side.observer).done, 81);
    side.stops = 1;
    STATUS(weir__activity_each(4, work_aside, &side), WEIR_ERR_CANCELLED);
    assert_detail("cancelled while placing");
    assert_true(side.stopped >= 1);
    (void)weir__activity_end(&call, WEIR_ERR_CANCELLED);
    weir_observer_destroy(side.observer);
    side = (struct side){.fails = 1};
    STATUS(weir__activity_each(3, work_aside, &side), WEIR_ERR_IO);
    OK(weir__activity_each(1, work_aside, &side));
    OK(weir__activity_each(0, work_aside, &side));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_called_on_a_thread_of_its_own),
        cmocka_unit_test(sees_what_a_call_is_busy_with),
        cmocka_unit_test(a_stop_ends_this_call_and_later_ones),
        cmocka_unit_test(a_limit_counts_from_where_each_call_begins),
        cmocka_unit_test(a_loop_is_left_at_the_next_chunk),
        cmocka_unit_test(a_loop_counts_what_is_done),
        cmocka_unit_test(threads_have_an_observer_each),
        cmocka_unit_test(looks_from_another_thread_fit_together),
        cmocka_unit_test(waiting_for_a_pipe_is_ended_too),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
