/** @file test_looking.c  What a program can see of a graph: its links, what waits on them, and pointers of its own. */
#include "tests/router/corner_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define PAUSE_MS 30

static void pause_ms(long ms)
{
    const struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

static weir_link_stats stats_of(const weir_link *link)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    OK(weir_link_stats_get(link, &stats));
    return stats;
}

/* ---- pointers of the program's ------------------------------------------------------------------- */

/* The candidate whose pointer is the policy's. */
static weir_status choose_marked(void *user, const weir_segment *message,
                                 const weir_endpoint *source, weir_endpoint *const *candidates,
                                 uint32_t count, weir_choice *choice_out)
{
    (void)message;
    (void)source;
    choice_out->count = 1;
    for (uint32_t i = 0; i < count; i++)
        if (weir_endpoint_user(candidates[i]) == user)
            choice_out->candidate[0] = i;
    return WEIR_OK;
}

static void pointers_of_the_programs(void **state)
{
    struct corner c;
    int mark, other;
    weir_policy policy = {.name = "marked", .choose = choose_marked, .user = &mark};
    corner_open(&c, open_or_skip(state));
    weir_router *router = corner_router(&c, policy);
    weir_endpoint *self = weir_router_endpoint(router), *to[2];
    weir_link *in = corner_link(&c, corner_sender(&c), self, 0), *out[2];
    for (int i = 0; i < 2; i++)
        out[i] = corner_link(&c, self, to[i] = corner_receiver(&c), 2);
    assert_null(weir_endpoint_user(to[1]));
    assert_null(weir_endpoint_user(NULL));
    weir_endpoint_user_set(to[1], &mark);
    weir_endpoint_user_set(self, &other);
    assert_ptr_equal(weir_endpoint_user(weir_router_endpoint(router)), &other);
    assert_null(weir_link_user(in));
    weir_link_user_set(in, &other);
    assert_ptr_equal(weir_link_user(in), &other);
    OK(corner_send(&c, in, 1, NULL));
    assert_int_equal(corner_packets(out[1]), 1);
    weir_endpoint_user_set(to[1], NULL);
    weir_endpoint_user_set(to[0], &mark);
    OK(corner_send(&c, in, 2, NULL));
    assert_int_equal(corner_packets(out[0]), 1);
    corner_close(&c);
}

/* ---- listing ---------------------------------------------------------------------------------------- */

struct seen {
    uint32_t count;
    weir_link *links[CORNER_MAX];
};

static void see(void *user, weir_link *link)
{
    struct seen *seen = user;
    assert_true(seen->count < CORNER_MAX);
    seen->links[seen->count++] = link;
}

static void links_are_listed(void **state)
{
    struct corner c;
    struct seen seen = {0};
    corner_open(&c, open_or_skip(state));
    weir_router *first = corner_router(&c, weir_policy_any());
    weir_router *second = corner_router(&c, weir_policy_any());
    weir_endpoint *from = corner_sender(&c), *to = corner_receiver(&c);
    weir_link *in = corner_link(&c, from, weir_router_endpoint(first), 0);
    weir_link *between =
        corner_link(&c, weir_router_endpoint(first), weir_router_endpoint(second), 0);
    weir_link *out = corner_link(&c, weir_router_endpoint(second), to, 2);
    weir_link *plain = corner_link(&c, from, to, 2);
    assert_ptr_equal(weir_link_destination(in), weir_router_endpoint(first));
    assert_ptr_equal(weir_link_destination(between), weir_router_endpoint(second));
    assert_ptr_equal(weir_link_destination(out), to);
    assert_ptr_equal(weir_link_destination(plain), to);
    assert_null(weir_link_destination(NULL));
    assert_int_equal(weir_context_links(c.context, NULL, NULL), 4);
    assert_int_equal(weir_router_links(first, see, &seen), 2);
    assert_ptr_equal(seen.links[0], between);
    assert_ptr_equal(seen.links[1], in);
    seen.count = 0;
    assert_int_equal(weir_router_links(second, see, &seen), 2);
    assert_ptr_equal(seen.links[0], out);
    corner_drop(&c, between);
    corner_drop(&c, plain);
    assert_int_equal(weir_context_links(c.context, NULL, NULL), 2);
    assert_int_equal(weir_router_links(first, NULL, NULL), 1);
    corner_close(&c);
}

struct looker {
    weir_context *context;
    _Atomic int over;
    uint64_t looks, packets;
};

static void look_at(void *user, weir_link *link)
{
    struct looker *looker = user;
    looker->packets += stats_of(link).packets;
    assert_non_null(weir_endpoint_name(weir_link_destination(link)));
}

static void *look(void *data)
{
    struct looker *looker = data;
    while (!atomic_load_explicit(&looker->over, memory_order_relaxed)) {
        (void)weir_context_links(looker->context, look_at, looker);
        looker->looks++;
    }
    return NULL;
}

/* Sanitizers see a handle that was kept too long. */
static void links_come_and_go_meanwhile(void **state)
{
    struct corner c;
    pthread_t thread;
    corner_open(&c, open_or_skip(state));
    struct looker looker = {.context = c.context};
    weir_endpoint *from = corner_sender(&c), *to = corner_receiver(&c);
    assert_int_equal(pthread_create(&thread, NULL, look, &looker), 0);
    for (int i = 0; i < 200; i++) {
        weir_link *link = new_link(from, to, CORNER_PACKET, 2);
        OK(corner_send(&c, link, 1, NULL));
        expect_packet(link, CORNER_PACKET, 0, 1, 1);
        weir_link_destroy(link);
    }
    atomic_store_explicit(&looker.over, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    assert_true(looker.looks > 0);
    assert_int_equal(weir_context_links(c.context, NULL, NULL), 0);
    corner_close(&c);
}

/* ---- what waits, and for how long -------------------------------------------------------------------- */

static void who_waits_for_whom(void **state)
{
    const uint64_t pause = PAUSE_MS * UINT64_C(1000000);
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_link *link = corner_link(&c, corner_sender(&c), corner_receiver(&c), 1);
    OK(corner_send(&c, link, 0, NULL)); /* has the buffer */
    for (uint64_t i = 1; i < 4; i++)
        OK(corner_send(&c, link, i, NULL));
    weir_link_stats before = stats_of(link);
    assert_int_equal(before.waiting, 3);
    assert_int_equal(before.posted, 0);
    assert_int_equal(before.backlog_messages, 3);
    pause_ms(PAUSE_MS);
    weir_link_stats stalled = stats_of(link);
    assert_true(stalled.stalled_ns - before.stalled_ns >= pause);
    assert_int_equal(stalled.starved_ns, before.starved_ns);
    for (uint64_t i = 0; i < 4; i++)
        expect_packet(link, CORNER_PACKET, 0, i, 1);
    before = stats_of(link);
    assert_int_equal(before.waiting, 0);
    assert_int_equal(before.posted, 1);
    pause_ms(PAUSE_MS);
    weir_link_stats starved = stats_of(link);
    assert_true(starved.starved_ns - before.starved_ns >= pause);
    assert_int_equal(starved.stalled_ns, before.stalled_ns);
    corner_close(&c);
}

/* A packet that both may take waits for both, until one has it. */
static void a_packet_waits_for_all_who_may_take_it(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *self = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_link *in = corner_link(&c, corner_sender(&c), self, 0), *out[2];
    for (int i = 0; i < 2; i++)
        out[i] = corner_link(&c, self, corner_receiver(&c), 1);
    for (uint64_t i = 0; i < 3; i++)
        OK(corner_send(&c, in, i, NULL));
    assert_int_equal(stats_of(out[0]).waiting, 1);
    assert_int_equal(stats_of(out[1]).waiting, 1);
    expect_packet(out[1], CORNER_PACKET, 0, 1, 1); /* its buffer is free for the third */
    assert_int_equal(stats_of(out[0]).waiting, 0);
    assert_int_equal(stats_of(out[1]).waiting, 0);
    corner_close(&c);
}

static void a_full_input_counts_its_time(void **state)
{
    const uint64_t pause = PAUSE_MS * UINT64_C(1000000);
    struct corner c;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    corner_open(&c, open_or_skip(state));
    config.packet_bytes = CORNER_PACKET;
    config.buffers = 1;
    config.send_messages = 1;
    weir_link *link = corner_link_with(&c, corner_sender(&c), corner_receiver(&c), &config);
    OK(corner_send(&c, link, 0, NULL));
    OK(corner_send(&c, link, 1, NULL));
    assert_int_equal(stats_of(link).full_ns, 0);
    STATUS(corner_send(&c, link, 2, NULL), WEIR_FULL);
    pause_ms(PAUSE_MS);
    STATUS(corner_send(&c, link, 2, NULL), WEIR_FULL);
    assert_true(stats_of(link).full_ns >= pause);
    assert_int_equal(stats_of(link).refused, 2);
    expect_packet(link, CORNER_PACKET, 0, 0, 1);
    uint64_t full = stats_of(link).full_ns;
    pause_ms(1);
    assert_int_equal(stats_of(link).full_ns, full);
    corner_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(pointers_of_the_programs),
        ON_BACKEND(links_are_listed, "host:2"),
        ON_BACKEND(links_come_and_go_meanwhile, "host:2"),
        ON_BACKEND(links_come_and_go_meanwhile, "strict:2"),
        ON_BACKEND(who_waits_for_whom, "host:1"),
        ON_BACKEND(who_waits_for_whom, "host:4"),
        ON_BACKEND(a_packet_waits_for_all_who_may_take_it, "host:2"),
        ON_BACKEND(a_full_input_counts_its_time, "host:2"),
    };
    return cmocka_run_group_tests_name("looking", tests, NULL, NULL);
}
