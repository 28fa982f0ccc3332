/** @file test_simulate_threads.c  Several threads over one simulation, and its call-backs. */
#include "tests/topology/sim_fixture.h"

#include "runtime/backend.h" /* event_notify */

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static void *set_later(void *gate)
{
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
    (void)weir_future_set(gate, NULL);
    return NULL;
}

/* Waiting for what another thread does: it sleeps, and is woken. */
static void a_thread_opens_the_gate(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        pthread_t thread;
        struct star s;
        star_open(&s);
        weir_future *gate = new_future(s.context);
        weir_event *event = new_event(s.device[0]);
        OK(weir_queue_wait_future(s.queue[0], gate));
        put_copy(&s, 0, 0, 1, BYTES);
        OK(weir_queue_record(s.queue[0], event));
        assert_int_equal(pthread_create(&thread, NULL, set_later, gate), 0);
        if (way == 0)
            OK(weir_queue_sync(s.queue[0]));
        else if (way == 1)
            OK(weir_event_wait(event, LONG_MS));
        else
            OK(weir_future_wait(gate, LONG_MS));
        pthread_join(thread, NULL);
        OK(weir_queue_sync(s.queue[0]));
        assert_time_us(s.context, COPY_US);
        weir_future_release(gate);
        weir_event_release(event);
        star_close(&s);
    }
}

/* A call-back that takes its time on another thread, in the middle of a simulation. */
struct stay {
    sem_t inside;
    _Atomic int over; /* release: the last that the call-back does */
    weir_queue *queue;
    pthread_t thread;
};

static void stay_inside(void *user)
{
    struct stay *stay = user;
    struct timespec pause = {0, 20000000};
    (void)sem_post(&stay->inside);
    nanosleep(&pause, NULL);
    atomic_store_explicit(&stay->over, 1, memory_order_release);
}

static void *sync_queue(void *user)
{
    struct stay *stay = user;
    return weir_queue_sync(stay->queue) ? stay : NULL;
}

static void stay_begin(struct stay *stay)
{
    assert_int_equal(pthread_create(&stay->thread, NULL, sync_queue, stay), 0);
    while (sem_wait(&stay->inside))
        ;
}

static void stay_end(struct stay *stay)
{
    void *failed;
    assert_int_equal(pthread_join(stay->thread, &failed), 0);
    assert_null(failed);
    sem_destroy(&stay->inside);
}

static void record(struct stay *stay, void *data, weir_event *event)
{
    OK(weir_queue_fill(stay->queue, data, 1, 64));
    OK(weir_queue_record(stay->queue, event));
}

/* All events are about to be reached, but time stands still for a call-back of another thread. */
static void an_event_comes_back_behind_call_backs(void **state)
{
    enum { EVENTS = 16 };
    struct stay stay = {.over = 0};
    weir_config *config;
    weir_event *event[EVENTS], *one_more;
    (void)state;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "events", "16"));
    weir_context *context = simulate(star_machine(0), config);
    weir_config_destroy(config);
    weir_device *device = weir_context_device(context, 0);
    void *data = new_memory(device, 64);
    assert_int_equal(sem_init(&stay.inside, 0, 0), 0);
    stay.queue = new_queue(device);
    for (int i = 0; i < EVENTS; i++) {
        OK(weir_event_acquire(device, &event[i]));
        record(&stay, data, event[i]);
        if (i > 0)
            weir_event_release(event[i]);
    }
    OK(device->ops->event_notify(event[0], stay_inside, &stay));
    stay_begin(&stay);
    OK(weir_event_acquire(device, &one_more));
    weir_event_release(one_more);
    weir_event_release(event[0]);
    stay_end(&stay);
    weir_queue_destroy(stay.queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

/* A context that goes waits for call-backs that another thread makes. */
static void quiet_means_no_call_backs(void **state)
{
    struct stay stay = {.over = 0};
    struct star s;
    (void)state;
    star_open(&s);
    weir_event *event = new_event(s.device[0]);
    assert_int_equal(sem_init(&stay.inside, 0, 0), 0);
    stay.queue = s.queue[0];
    record(&stay, s.data[0], event);
    OK(s.device[0]->ops->event_notify(event, stay_inside, &stay));
    record(&stay, s.data[0], event);
    stay_begin(&stay);
    s.device[0]->ops->quiesce(s.device[0]);
    assert_int_equal(atomic_load_explicit(&stay.over, memory_order_acquire), 1);
    stay_end(&stay);
    weir_event_release(event);
    star_close(&s);
}

#define ROUNDS 200
#define PIECE  4096

struct driver {
    struct star *star;
    uint32_t index;
    weir_event *event;
    weir_status status;
    int wrong;
};

/* Send a piece to the home memory and back, in turn with everybody else. */
static void *drive(void *data)
{
    struct driver *me = data;
    struct star *s = me->star;
    weir_queue *queue = s->queue[me->index];
    unsigned char *mine = s->data[me->index];
    unsigned char *there = s->data[STAR_DEVICES] + me->index * PIECE;
    weir_device *device = s->device[me->index], *home = s->device[STAR_DEVICES];
    for (int i = 0; i < ROUNDS && !me->status; i++) {
        memset(mine, i, PIECE);
        if ((me->status = weir_queue_copy(queue, home, there, device, mine, PIECE)) ||
            (me->status = weir_queue_copy(queue, device, mine + PIECE, home, there, PIECE)) ||
            (me->status = weir_queue_record(queue, me->event)))
            break;
        while (i % 2 && (me->status = weir_event_query(me->event)) == WEIR_PENDING)
            ;
        if (!me->status)
            me->status = weir_event_wait(me->event, LONG_MS);
        for (int b = 0; b < PIECE; b++)
            me->wrong += mine[PIECE + b] != (unsigned char)i;
    }
    return NULL;
}

static void threads_drive_one_device_each(void **state)
{
    struct driver driver[STAR_DEVICES];
    pthread_t thread[STAR_DEVICES];
    struct star s;
    (void)state;
    star_open(&s);
    for (uint32_t i = 0; i < STAR_DEVICES; i++) {
        driver[i] = (struct driver){.star = &s, .index = i, .event = new_event(s.device[i])};
        assert_int_equal(pthread_create(&thread[i], NULL, drive, &driver[i]), 0);
    }
    for (uint32_t i = 0; i < STAR_DEVICES; i++) {
        pthread_join(thread[i], NULL);
        weir_event_release(driver[i].event);
    }
    for (uint32_t i = 0; i < STAR_DEVICES; i++) {
        OK(driver[i].status);
        assert_int_equal(driver[i].wrong, 0);
    }
    star_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_opens_the_gate),
        cmocka_unit_test(an_event_comes_back_behind_call_backs),
        cmocka_unit_test(quiet_means_no_call_backs),
        cmocka_unit_test(threads_drive_one_device_each),
    };
    return cmocka_run_group_tests_name("simulate_threads", tests, NULL, NULL);
}
