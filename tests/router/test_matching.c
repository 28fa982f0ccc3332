/** @file test_matching.c  What is sent and what is posted is matched by one thread at a time, and nobody waits for it. */
#include "router/internal.h"
#include "tests/router/corner_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MANY 200 /* packets: more than one thread's share */
#define LATE 2   /* threads that come with one more each */

static void pause_ms(long ms)
{
    const struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

/* A thread that has an output's matching, as it has during calls of the driver, until it is let go. */
struct matcher {
    struct output *output;
    int leaves; /* the rest to others */
    atomic_int has, go, gave_up;
    pthread_t thread;
};

static void *match_for_long(void *user)
{
    struct matcher *matcher = user;
    weir__output_seize(matcher->output);
    atomic_store(&matcher->has, 1);
    for (int ms = 0; ms < LONG_MS && !atomic_load(&matcher->go); ms++)
        pause_ms(1);
    atomic_store(&matcher->gave_up, !atomic_load(&matcher->go));
    weir__output_let_go(matcher->output);
    if (!matcher->leaves)
        weir__output_kick(matcher->output);
    weir__messages_settle();
    return NULL;
}

static void matcher_start(struct matcher *matcher, weir_link *link, int leaves)
{
    *matcher = (struct matcher){.output = link->output, .leaves = leaves};
    assert_int_equal(pthread_create(&matcher->thread, NULL, match_for_long, matcher), 0);
    while (!atomic_load(&matcher->has))
        pause_ms(1);
}

static void matcher_end(struct matcher *matcher)
{
    atomic_store(&matcher->go, 1);
    pthread_join(matcher->thread, NULL);
    assert_false(atomic_load(&matcher->gave_up));
}

static void take(weir_link *link, uint64_t meta)
{
    weir_pending *pending;
    weir_segment segment;
    OK(weir_link_next(link, LONG_MS, &pending, &segment));
    assert_int_equal(segment.meta, meta);
    OK(weir_pending_release(pending, NULL));
}

/* Senders and the receiver do what they do while another thread matches, and it sees all of it. */
static void nobody_waits_for_who_matches(void **state)
{
    struct corner c;
    struct matcher matcher;
    weir_pending *before, *pending;
    weir_segment segment;
    weir_link *in[2];
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    for (int i = 0; i < 2; i++)
        in[i] = corner_link(&c, corner_sender(&c), router, 0);
    weir_link *out = corner_link(&c, router, corner_receiver(&c), 1);
    OK(corner_send(&c, in[0], 1, NULL));
    OK(weir_link_next(out, LONG_MS, &before, &segment));
    matcher_start(&matcher, out, 0);
    OK(corner_send(&c, in[0], 2, NULL));
    OK(corner_send(&c, in[1], 3, NULL));
    OK(weir_pending_release(before, NULL));
    OK(weir_link_receive(out, &pending));
    STATUS(weir_pending_assigned(pending, &segment), WEIR_PENDING);
    STATUS(weir_pending_wait(pending, 0, &segment), WEIR_ERR_TIMEOUT);
    for (int i = 0; i < 2; i++)
        OK(weir_link_shutdown(in[i]));
    matcher_end(&matcher);
    OK(weir_pending_wait(pending, LONG_MS, &segment));
    assert_true(segment.meta == 2 || segment.meta == 3);
    OK(weir_pending_release(pending, NULL));
    take(out, segment.meta == 2 ? 3 : 2);
    STATUS(weir_link_next(out, LONG_MS, &pending, &segment), WEIR_CLOSED);
    corner_close(&c);
}

/* Inputs are joined to a new output one after the other: the first, which is shut down, does not end it before the second is there. */
static void an_output_waits_for_all_its_inputs(void **state)
{
    struct corner c;
    weir_link *in[2];
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    for (int i = 0; i < 2; i++)
        in[i] = corner_link(&c, corner_sender(&c), router, 0);
    OK(weir_link_shutdown(in[0]));
    weir_link *out = corner_link(&c, router, corner_receiver(&c), 1);
    OK(corner_send(&c, in[1], 5, NULL));
    take(out, 5);
    corner_close(&c);
}

/* ---- the share of one thread --------------------------------------------------------------------- */

struct calls {
    pthread_mutex_t lock;
    pthread_t by[4];
    uint32_t threads; /* that called */
};

static void note_caller(void *user)
{
    struct calls *calls = user;
    uint32_t i = 0;
    pthread_mutex_lock(&calls->lock);
    while (i < calls->threads && !pthread_equal(calls->by[i], pthread_self()))
        i++;
    if (i == calls->threads && i < 4)
        calls->by[calls->threads++] = pthread_self();
    pthread_mutex_unlock(&calls->lock);
}

struct late {
    struct corner *corner;
    weir_link *link;
    weir_status status;
    pthread_t thread;
};

static void *send_late(void *user)
{
    struct late *late = user;
    late->status = corner_send(late->corner, late->link, MANY, NULL);
    return NULL;
}

/* Of two that came with a packet each, the first to match leaves what is beyond its share to the other; both tell the program. */
static void a_thread_matches_no_more_than_its_share(void **state)
{
    struct corner c;
    struct matcher matcher;
    struct calls calls = {.lock = PTHREAD_MUTEX_INITIALIZER};
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *in[1 + LATE];
    struct late late[LATE];
    corner_open(&c, open_or_skip(state));
    weir_endpoint *router = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    for (int i = 0; i < 1 + LATE; i++)
        in[i] = corner_link(&c, corner_sender(&c), router, 0);
    config.packet_bytes = CORNER_PACKET;
    config.buffers = MANY + LATE;
    config.arrived = note_caller;
    config.arrived_user = &calls;
    weir_link *out = corner_link_with(&c, router, corner_receiver(&c), &config);
    matcher_start(&matcher, out, 1);
    for (uint64_t i = 0; i < MANY; i++)
        OK(corner_send(&c, in[0], i, NULL));
    atomic_store(&out->output->weary, 1);
    for (int i = 0; i < LATE; i++) {
        late[i] = (struct late){.corner = &c, .link = in[1 + i], .status = WEIR_PENDING};
        assert_int_equal(pthread_create(&late[i].thread, NULL, send_late, &late[i]), 0);
    }
    for (int ms = 0; ms < LONG_MS && atomic_load(&out->output->reliefs) < LATE; ms++)
        pause_ms(1);
    assert_int_equal(atomic_load(&out->output->reliefs), LATE);
    matcher_end(&matcher);
    for (int i = 0; i < LATE; i++) {
        pthread_join(late[i].thread, NULL);
        assert_int_equal(late[i].status, WEIR_OK);
    }
    uint64_t next = 0;
    for (int i = 0; i < MANY + LATE; i++) {
        weir_pending *pending;
        weir_segment segment;
        OK(weir_link_next(out, LONG_MS, &pending, &segment));
        if (segment.meta != MANY)
            assert_int_equal(segment.meta, next++);
        OK(weir_pending_release(pending, NULL));
    }
    assert_int_equal(next, MANY);
    assert_int_equal(calls.threads, LATE);
    corner_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(nobody_waits_for_who_matches),
        ON_EACH_BACKEND(an_output_waits_for_all_its_inputs),
        ON_EACH_BACKEND(a_thread_matches_no_more_than_its_share),
    };
    return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
