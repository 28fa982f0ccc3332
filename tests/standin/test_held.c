/** @file test_held.c  Queues that wait for futures do not keep those from running that the futures wait for.
 *
 * Far more queues than a GPU has connections, on the stand-in, which stalls as a GPU does where streams wait for words
 * of memory. Each test leaves its context clean when it fails: all that waits is let go before anything is asserted. */
#include "tests/standin/standin_fixture.h"

#include "runtime/internal.h"

#define QUEUES   64u
#define BYTES    256u
#define STALL_MS 4000 /* long past what any of this takes without a stall */

struct crowd {
    weir_context *context;
    weir_device *here, *there; /* the first, where queues wait; the last, where others work */
    weir_queue *held[QUEUES], *beside[QUEUES];
    weir_event *done[QUEUES], *worked[QUEUES];
    weir_future *future[QUEUES];
    char *behind, *data; /* of the two devices; BYTES for each queue */
};

static void open_crowd(struct crowd *crowd, void **state)
{
    crowd->context = open_or_skip(state);
    crowd->here = weir_context_device(crowd->context, 0);
    crowd->there =
        weir_context_device(crowd->context, weir_context_device_count(crowd->context) - 1);
    crowd->behind = new_memory(crowd->here, QUEUES * BYTES);
    crowd->data = new_memory(crowd->there, QUEUES * BYTES);
    for (uint32_t i = 0; i < QUEUES; i++) {
        crowd->held[i] = new_queue(crowd->here);
        crowd->beside[i] = new_queue(crowd->there);
        crowd->done[i] = new_event(crowd->here);
        crowd->worked[i] = new_event(crowd->there);
        crowd->future[i] = new_future(crowd->context);
    }
}

static void close_crowd(struct crowd *crowd)
{
    for (uint32_t i = 0; i < QUEUES; i++) {
        weir_queue_destroy(crowd->held[i]);
        weir_queue_destroy(crowd->beside[i]);
        weir_event_release(crowd->done[i]);
        weir_event_release(crowd->worked[i]);
        weir_future_release(crowd->future[i]);
    }
    weir_device_free(crowd->here, crowd->behind);
    weir_device_free(crowd->there, crowd->data);
    weir_context_destroy(crowd->context);
    assert_nothing_left();
}

/* Fill behind a wait for a future that nobody has set. */
static void hold(struct crowd *crowd)
{
    for (uint32_t i = 0; i < QUEUES; i++) {
        OK(weir_queue_wait_future(crowd->held[i], crowd->future[i]));
        OK(weir_queue_fill(crowd->held[i], crowd->behind + i * BYTES, (int)i + 1, BYTES));
        OK(weir_queue_record(crowd->held[i], crowd->done[i]));
    }
}

static void work(struct crowd *crowd)
{
    for (uint32_t i = 0; i < QUEUES; i++) {
        OK(weir_queue_fill(crowd->beside[i], crowd->data + i * BYTES, (int)i + 101, BYTES));
        OK(weir_queue_record(crowd->beside[i], crowd->worked[i]));
    }
}

/* How many of the events come before the time is over, all of them together. */
static uint32_t count_coming(weir_event *const *event, int64_t ms)
{
    uint32_t coming = 0;
    for (uint32_t i = 0; i < QUEUES; i++) {
        const uint64_t begin = weir__now_ns();
        coming += weir_event_wait(event[i], ms) == WEIR_OK;
        const int64_t spent = (int64_t)((weir__now_ns() - begin) / 1000000u);
        ms = spent < ms ? ms - spent : 0;
    }
    return coming;
}

static void assert_all_was_done(const struct crowd *crowd)
{
    for (uint32_t i = 0; i < QUEUES; i++) {
        assert_filled(crowd->here, crowd->behind + i * BYTES, BYTES, (unsigned char)(i + 1));
        assert_filled(crowd->there, crowd->data + i * BYTES, BYTES, (unsigned char)(i + 101));
    }
}

/* What is put in beside 64 queues that wait runs while they wait; then they go on, the last one first. */
static void queues_beside_64_that_wait_for_futures_work(void **state)
{
    struct crowd crowd;
    uint32_t went_on_early = 0;
    open_crowd(&crowd, state);
    hold(&crowd);
    work(&crowd);
    uint32_t worked = count_coming(crowd.worked, STALL_MS);
    for (uint32_t i = QUEUES; i-- > 0;) {
        went_on_early += weir_event_query(crowd.done[i]) != WEIR_PENDING;
        OK(weir_future_set(crowd.future[i], NULL));
    }
    uint32_t went_on = count_coming(crowd.done, LONG_MS);
    (void)count_coming(crowd.worked, LONG_MS);
    assert_all_was_done(&crowd);
    assert_int_equal(standin_held(0) + standin_held(1), 0);
    close_crowd(&crowd);
    assert_int_equal(went_on_early, 0);
    assert_int_equal(went_on, QUEUES);
    assert_int_equal(worked, QUEUES);
}

/* The same where the futures are set, the last one first, with the events of the work that comes only then: a queue
 * that is let go too early, or keeps the work from running, shows. */
static void futures_of_64_queues_are_set_before_the_work_has_run(void **state)
{
    struct crowd crowd;
    open_crowd(&crowd, state);
    weir_future *start = new_future(crowd.context);
    hold(&crowd);
    for (uint32_t i = 0; i < QUEUES; i++)
        OK(weir_queue_wait_future(crowd.beside[i], start));
    work(&crowd);
    for (uint32_t i = QUEUES; i-- > 0;)
        OK(weir_future_set(crowd.future[i], weir__event_retain(crowd.worked[i])));
    pause_ms(20);
    uint32_t early = 0;
    for (uint32_t i = 0; i < QUEUES; i++)
        early += weir_event_query(crowd.done[i]) != WEIR_PENDING;
    OK(weir_future_set(start, NULL));
    uint32_t went_on = count_coming(crowd.done, STALL_MS);
    standin_connections(4 * QUEUES); /* a test that is to fail ends too */
    assert_int_equal(count_coming(crowd.done, LONG_MS), QUEUES);
    assert_all_was_done(&crowd);
    weir_future_release(start);
    close_crowd(&crowd);
    standin_connections(8);
    assert_int_equal(early, 0);
    assert_int_equal(went_on, QUEUES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(queues_beside_64_that_wait_for_futures_work, "cuda:0"),
        ON_BACKEND(queues_beside_64_that_wait_for_futures_work, "cuda:0-1"),
        ON_BACKEND(futures_of_64_queues_are_set_before_the_work_has_run, "cuda:0"),
        ON_BACKEND(futures_of_64_queues_are_set_before_the_work_has_run, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("held", tests, NULL, NULL);
}
