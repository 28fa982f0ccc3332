/** @file test_trace.c  Traces: what is kept of queues, on whose clock, and what is not. Links: tests/router/test_trace.c;
 * workers and supersteps: tests/algorithms/test_trace.c. */
#include "tests/lib/test_kernels.h"
#include "tests/lib/traced.h"
#include "tests/runtime/sim_model.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST (1u << 20)
#define EVENTS     (ROOM_LEAST / 96) /* that fit there */

static weir_trace_stats stop(weir_context *context)
{
    weir_trace_stats stats = WEIR_TRACE_STATS_INIT;
    OK(weir_context_trace_stop(context, &stats));
    return stats;
}

static json_t *read_trace(weir_context *context)
{
    json_t *trace = traced(context);
    assert_non_null(trace);
    const char *flaw = traced_flaw(trace);
    if (flaw)
        fail_msg("%s", flaw);
    return trace;
}

static size_t count(const json_t *trace, const char *category, const char *name)
{
    size_t number;
    (void)traced_ms(trace, category, name, 0, &number);
    return number;
}

static int throw_away(void *user, const char *text, size_t bytes)
{
    (void)user;
    (void)text;
    (void)bytes;
    return 0;
}

static int refuse(void *user, const char *text, size_t bytes)
{
    (void)user;
    (void)text;
    (void)bytes;
    return ENOSPC;
}

/* ---- begin and end ----------------------------------------------------------------------------------- */

static void what_makes_no_sense_is_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_trace_config config = WEIR_TRACE_CONFIG_INIT, unset = WEIR_TRACE_CONFIG_INIT;
    weir_trace_stats stats = WEIR_TRACE_STATS_INIT;
    STATUS(weir_context_trace_stop(context, &stats), WEIR_ERR_INVALID);
    assert_detail("no trace of this context is on");
    STATUS(weir_context_trace_write(context, WEIR_TRACE_JSON, throw_away, NULL), WEIR_ERR_INVALID);
    assert_detail("there is no trace of this context that was stopped");
    config.bytes = ROOM_LEAST - 1;
    STATUS(weir_context_trace(context, &config), WEIR_ERR_INVALID);
    assert_detail("a trace of 1048575 bytes: from 1 MiB to 64 GiB are possible");
    config.bytes = ((uint64_t)64 << 30) + 1;
    STATUS(weir_context_trace(context, &config), WEIR_ERR_INVALID);
    config.bytes = 0;
    config.stamps = 65537;
    STATUS(weir_context_trace(context, &config), WEIR_ERR_INVALID);
    assert_detail("a trace with 65537 stamps: at most 65536 are possible");
    config.stamps = 0;
    config.notes = (1u << 24) + 1;
    STATUS(weir_context_trace(context, &config), WEIR_ERR_INVALID);
    unset.size = 0;
    STATUS(weir_context_trace(context, &unset), WEIR_ERR_INVALID);
    OK(weir_context_trace(context, NULL));
    STATUS(weir_context_trace(context, NULL), WEIR_ERR_INVALID);
    assert_detail("a trace of this context is on already");
    STATUS(weir_context_trace_write(context, WEIR_TRACE_JSON, throw_away, NULL), WEIR_ERR_INVALID);
    stats.size = 0;
    STATUS(weir_context_trace_stop(context, &stats), WEIR_ERR_INVALID);
    OK(weir_context_trace_stop(context, NULL));
    STATUS(weir_context_trace_stop(context, NULL), WEIR_ERR_INVALID);
    STATUS(weir_context_trace_write(context, WEIR_TRACE_JSON, refuse, NULL), WEIR_ERR_IO);
    assert_detail_has("a trace cannot be written: ");
    STATUS(weir_context_trace_write(context, (weir_trace_form)2, throw_away, NULL),
           WEIR_ERR_INVALID);
    OK(weir_context_trace_write(context, WEIR_TRACE_DOT, throw_away, NULL));
    weir_context_destroy(context);
}

static void a_context_may_end_while_a_trace_is_on(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_queue *queue = new_queue(weir_context_device(context, 0));
    void *data = new_memory(weir_context_device(context, 0), 64);
    OK(weir_context_trace(context, NULL));
    OK(weir_queue_fill(queue, data, 1, 64));
    OK(weir_queue_sync(queue));
    weir_device_free(weir_context_device(context, 0), data);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* ---- what is kept --------------------------------------------------------------------------------------- */

static void nothing(void *user)
{
    *(int *)user += 1;
}

/* Each operation once, between the times that the host noted around all of them. */
static void every_operation_is_a_span_of_its_queue(void **state)
{
    enum { BYTES = 4096 };
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0), *home = weir_context_home(context);
    weir_queue *queue = new_queue(device), *other = new_queue(home);
    uint32_t *data = new_memory(device, BYTES);
    void *host = new_memory(home, BYTES);
    int calls = 0;
    const struct test_affine_args args = {data, BYTES / 4, 3, 1};
    OK(weir_queue_fill(queue, data, 0, BYTES)); /* before: not kept */
    OK(weir_queue_sync(queue));
    const uint64_t before = weir_context_time_ns(context);
    OK(weir_context_trace(context, NULL));
    for (int i = 0; i < 10; i++) {
        OK(weir_queue_fill(queue, data, i, BYTES));
        OK(weir_queue_launch(queue, &test_affine_kernel, &args, sizeof args));
        OK(weir_queue_copy(queue, home, host, device, data, BYTES));
        OK(weir_queue_push(queue, home, host, device, data, BYTES));
    }
    OK(weir_queue_sync(queue));
    OK(weir_queue_call(other, nothing, &calls));
    OK(weir_queue_sync(other));
    const weir_trace_stats stats = stop(context);
    const double all_ms = (double)(weir_context_time_ns(context) - before) / 1e6;
    OK(weir_queue_fill(queue, data, 0, BYTES)); /* behind: not kept */
    OK(weir_queue_sync(queue));
    assert_int_equal(calls, 1);
    assert_int_equal(stats.dropped, 0);
    assert_int_equal(stats.events, 41);
    json_t *trace = read_trace(context);
    assert_int_equal(count(trace, "queue", "fill"), 10);
    assert_int_equal(count(trace, "queue", test_affine_kernel.name), 10);
    assert_int_equal(count(trace, "queue", "copy"), 10);
    assert_int_equal(count(trace, "queue", "push"), 10);
    assert_int_equal(count(trace, "queue", "function"), 1);
    assert_true(traced_sum(trace, "queue", "copy", "bytes") == 10.0 * BYTES);
    assert_true(traced_ms(trace, "queue", NULL, 1, NULL) <= all_ms + 0.1);
    assert_true(traced_ms(trace, "queue", NULL, 1, NULL) > 0);
    json_decref(trace);
    weir_device_free(home, host);
    weir_device_free(device, data);
    weir_queue_destroy(other);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

static void wait_a_moment(void *user)
{
    const struct timespec moment = {0, 20000000};
    (void)user;
    nanosleep(&moment, NULL);
}

/* A span is as long as its work, and lies behind what the queue waited for. */
static void a_span_is_as_long_as_its_work(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *home = weir_context_home(context);
    weir_queue *first = new_queue(home), *second = new_queue(home);
    weir_event *event = new_event(home);
    int calls = 0;
    OK(weir_context_trace(context, NULL));
    OK(weir_queue_call(first, wait_a_moment, NULL));
    OK(weir_queue_record(first, event));
    OK(weir_queue_wait_event(second, event));
    OK(weir_queue_call(second, nothing, &calls));
    OK(weir_queue_sync(second));
    (void)stop(context);
    json_t *trace = read_trace(context);
    double longest = 0, behind = -1;
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, one)
    {
        const double took = json_number_value(json_object_get(one, "dur"));
        const double ts = json_number_value(json_object_get(one, "ts"));
        if (took >= 20000)
            longest = ts + took;
        else if (took > 0 && ts > behind)
            behind = ts;
    }
    assert_true(longest > 0);
    assert_true(behind >= longest);
    json_decref(trace);
    weir_event_release(event);
    weir_queue_destroy(first);
    weir_queue_destroy(second);
    weir_context_destroy(context);
}

/* The first events are kept, the others counted; the next trace has room again. */
static void what_has_no_room_is_counted(void **state)
{
    enum { MORE = 500 };
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    void *data = new_memory(device, 64);
    weir_trace_config config = WEIR_TRACE_CONFIG_INIT;
    config.bytes = ROOM_LEAST;
    config.stamps = 64;
    OK(weir_context_trace(context, &config));
    for (unsigned i = 0; i < EVENTS + MORE; i++) {
        OK(weir_queue_fill(queue, data, 1, 64));
        if (i % 32 == 31)
            OK(weir_queue_sync(queue));
    }
    OK(weir_queue_sync(queue));
    weir_trace_stats stats = stop(context);
    assert_int_equal(stats.events, EVENTS);
    assert_int_equal(stats.dropped, MORE);
    json_t *trace = read_trace(context);
    assert_int_equal(count(trace, "queue", "fill"), EVENTS);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(trace, "otherData"), "dropped")), MORE);
    json_decref(trace);
    OK(weir_context_trace(context, NULL));
    OK(weir_queue_fill(queue, data, 1, 64));
    OK(weir_queue_sync(queue));
    stats = stop(context);
    assert_int_equal(stats.events, 1);
    assert_int_equal(stats.dropped, 0);
    weir_device_free(device, data);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* A device that keeps its own times has so many stamps: what finds none is counted, and what has not ended too. */
static void what_finds_no_stamp_is_counted(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    weir_future *gate = new_future(context);
    void *data = new_memory(device, 64);
    weir_trace_config config = WEIR_TRACE_CONFIG_INIT;
    config.stamps = 4;
    OK(weir_context_trace(context, &config));
    OK(weir_queue_wait_future(queue,
                              gate)); /* what follows is kept by the host, or waits in the queue */
    for (int i = 0; i < 20; i++)
        OK(weir_queue_fill(queue, data, 1, 64));
    OK(weir_future_set(gate, NULL));
    OK(weir_queue_sync(queue));
    const weir_trace_stats stats = stop(context);
    assert_int_equal(stats.events + stats.dropped, 20);
    assert_true(stats.events >= 4);
    json_t *trace = read_trace(context);
    assert_int_equal(count(trace, "queue", "fill"), stats.events);
    json_decref(trace);
    weir_device_free(device, data);
    weir_future_release(gate);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

#define THREADS 4

struct filler {
    pthread_t thread;
    weir_queue *queue;
    void *data;
    _Atomic int *over;
    weir_status status;
    uint64_t puts;
};

static void *fill_on(void *user)
{
    struct filler *filler = user;
    do { /* at least once, however late the thread is */
        for (int i = 0; i < 8 && !filler->status; i++, filler->puts++)
            filler->status = weir_queue_fill(filler->queue, filler->data, 1, 64);
        if (!filler->status)
            filler->status = weir_queue_sync(filler->queue);
    } while (!atomic_load(filler->over) && !filler->status);
    return NULL;
}

/* A device that keeps its own time may be too busy to tell it, on a machine with other work. */
static weir_status start_patiently(weir_context *context, const weir_trace_config *config)
{
    weir_status status = WEIR_ERR_TIMEOUT;
    for (int tries = 0; tries < 100 && status == WEIR_ERR_TIMEOUT; tries++)
        status = weir_context_trace(context, config);
    return status;
}

/* A trace of what goes on meanwhile. @return what is wrong with it; NULL: nothing. */
static const char *trace_once(weir_context *context, uint64_t bytes)
{
    const struct timespec moment = {0, 3000000};
    weir_trace_config config = WEIR_TRACE_CONFIG_INIT;
    weir_trace_stats stats = WEIR_TRACE_STATS_INIT;
    config.bytes = bytes;
    if (start_patiently(context, &config))
        return weir_error_detail();
    nanosleep(&moment, NULL);
    if (weir_context_trace_stop(context, &stats))
        return weir_error_detail();
    json_t *trace = traced(context);
    const char *flaw = trace ? traced_flaw(trace) : "it cannot be read";
    if (!flaw && count(trace, "queue", "fill") != stats.events)
        flaw = "it has not as many events as it says";
    json_decref(trace);
    return flaw;
}

/* Traces begin, end and are written while queues are at work; nothing is lost between. A failed assertion leaves the test, and the
 * threads look at its variables: so nothing is asserted before they have ended. */
static void traces_come_and_go_beside_work(void **state)
{
    weir_context *context = open_or_skip(state);
    struct filler fillers[THREADS];
    _Atomic int over = 0;
    const char *flaw = NULL;
    int started = 0, stopped = 0;
    for (int i = 0; i < THREADS; i++) {
        weir_device *device =
            weir_context_device(context, (uint32_t)i % weir_context_device_count(context));
        fillers[i] = (struct filler){
            .queue = new_queue(device), .data = new_memory(device, 64), .over = &over};
    }
    while (started < THREADS &&
           pthread_create(&fillers[started].thread, NULL, fill_on, &fillers[started]) == 0)
        started++;
    for (int round = 0; round < 5 && started == THREADS && !flaw; round++)
        flaw = trace_once(context, round % 2 ? 0 : ROOM_LEAST);
    atomic_store(&over, 1);
    while (stopped < started && pthread_join(fillers[stopped].thread, NULL) == 0)
        stopped++;
    assert_int_equal(started, THREADS);
    assert_int_equal(stopped, THREADS);
    if (flaw)
        fail_msg("a trace beside work: %s", flaw);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(fillers[i].status, WEIR_OK);
        assert_true(fillers[i].puts > 0);
        weir_device_free(weir_queue_device(fillers[i].queue), fillers[i].data);
        weir_queue_destroy(fillers[i].queue);
    }
    weir_context_destroy(context);
}

/* ---- virtual time ---------------------------------------------------------------------------------------------- */

static char *simulated_text(void)
{
    weir_context *context = sim_open();
    weir_device *one = weir_context_device(context, 0), *two = weir_context_device(context, 1);
    weir_queue *queue = new_queue(one);
    unsigned char *from = new_memory(one, 100000), *to = new_memory(two, 100000);
    int calls = 0;
    OK(weir_context_trace(context, NULL));
    OK(weir_queue_copy(queue, two, to, one, from, 100000)); /* 1 + 1 + 100 us */
    OK(weir_queue_call(queue, nothing, &calls));            /* 5 us */
    OK(weir_queue_sync(queue));
    (void)stop(context);
    json_t *trace = read_trace(context);
    assert_true(fabs(traced_ms(trace, "queue", "copy", 1, NULL) - 0.102) < 1e-9);
    assert_true(fabs(traced_ms(trace, "queue", "function", 1, NULL) - 0.005) < 1e-9);
    assert_true(json_is_true(json_object_get(json_object_get(trace, "otherData"), "simulated")));
    json_decref(trace);
    char *text = traced_text(context, WEIR_TRACE_JSON);
    weir_device_free(one, from);
    weir_device_free(two, to);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
    return text;
}

static void simulated_devices_have_virtual_times(void **state)
{
    char *once = simulated_text(), *again = simulated_text();
    (void)state;
    assert_non_null(once);
    assert_string_equal(once, again);
    free(once);
    free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(what_makes_no_sense_is_refused),
        ON_EACH_BACKEND(a_context_may_end_while_a_trace_is_on),
        ON_EACH_BACKEND(every_operation_is_a_span_of_its_queue),
        ON_BACKEND(a_span_is_as_long_as_its_work, "host:1"),
        ON_EACH_BACKEND(what_has_no_room_is_counted),
        ON_EACH_BACKEND(what_finds_no_stamp_is_counted),
        ON_EACH_BACKEND(traces_come_and_go_beside_work),
        cmocka_unit_test(simulated_devices_have_virtual_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
