/** @file test_corners_ending.c  Corners of ending: shutdowns and cancels, each of which was wrong
 * once. */
#include "tests/router/corner_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- what ended before it was looked for -------------------------------------------------------- */

static void ring(void *user)
{
    atomic_fetch_add((atomic_uint *)user, 1);
}

/* The only buffer is held while the link is shut down: the receive that its release posts is over
 * at once, and who sleeps until told would never wake. */
static void a_receive_that_ends_when_posted_again_rings(void **state)
{
    struct corner c;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    atomic_uint rang = 0;
    weir_pending *more;
    weir_segment segment;
    corner_open(&c, open_or_skip(state));
    config.buffers = 1;
    config.arrived = ring;
    config.arrived_user = &rang;
    weir_link *link = corner_link_with(&c, corner_sender(&c), corner_receiver(&c), &config);
    OK(corner_send(&c, link, 0, NULL));
    weir_pending *held = receive(link, &segment);
    OK(weir_link_shutdown(link));
    STATUS(weir_link_receive(link, &more), WEIR_FULL);
    unsigned before = atomic_load(&rang);
    OK(weir_pending_release(held, NULL));
    assert_true(atomic_load(&rang) > before);
    corner_ended(link, WEIR_CLOSED);
    corner_close(&c);
}

static void what_was_shut_before_a_link_was_made_is_seen(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *first = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_endpoint *second = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_link *in = corner_link(&c, corner_sender(&c), first, 0);
    OK(weir_link_shutdown(in));
    corner_ended(corner_link(&c, first, corner_receiver(&c), 1), WEIR_CLOSED);
    /* The same behind a router that is fed later. */
    weir_link *far = corner_link(&c, second, corner_receiver(&c), 1);
    corner_link(&c, first, second, 0);
    corner_ended(far, WEIR_CLOSED);
    corner_drop(&c, in);
    corner_ended(corner_link(&c, first, corner_receiver(&c), 1), WEIR_CLOSED);
    corner_close(&c);
}

static void what_came_and_went_before_a_chain_was_made_is_seen(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_endpoint *first = weir_router_endpoint(corner_router(&c, weir_policy_any()));
    weir_router *second = corner_router(&c, weir_policy_any());
    weir_link *far = corner_link(&c, weir_router_endpoint(second), corner_receiver(&c), 1);
    corner_drop(&c, corner_link(&c, corner_sender(&c), first, 0));
    STATUS(weir_router_check(second), WEIR_ERR_INVALID);
    corner_link(&c, first, weir_router_endpoint(second), 0);
    OK(weir_router_check(second));
    corner_ended(far, WEIR_CLOSED);
    corner_close(&c);
}

/* ---- cancels ------------------------------------------------------------------------------------- */

static void a_cancelled_router_ends_links_made_later(void **state)
{
    struct corner c;
    corner_open(&c, open_or_skip(state));
    weir_router *first = corner_router(&c, weir_policy_any());
    weir_router *second = corner_router(&c, weir_policy_any());
    weir_router *third = corner_router(&c, weir_policy_any());
    weir_endpoint *to = weir_router_endpoint(second);
    corner_link(&c, corner_sender(&c), weir_router_endpoint(first), 0);
    corner_link(&c, corner_sender(&c), to, 0);
    corner_link(&c, corner_sender(&c), weir_router_endpoint(third), 0);
    weir_link *far = corner_link(&c, to, corner_receiver(&c), 1);
    weir_link *beside = corner_link(&c, weir_router_endpoint(third), corner_receiver(&c), 1);
    weir_router_cancel(first, WEIR_ERR_CANCELLED);
    corner_ended(corner_link(&c, weir_router_endpoint(first), corner_receiver(&c), 1),
                 WEIR_ERR_CANCELLED);
    corner_link(&c, weir_router_endpoint(first), to, 0); /* what feeds it was cancelled */
    corner_ended(far, WEIR_ERR_CANCELLED);
    corner_link(&c, weir_router_endpoint(third), to, 0); /* what it feeds was cancelled */
    corner_ended(beside, WEIR_ERR_CANCELLED);
    corner_close(&c);
}

static void a_cancel_keeps_its_sentence_when_it_spreads(void **state)
{
    struct corner c;
    weir_link *none;
    corner_open(&c, open_or_skip(state));
    weir_router *first = corner_router(&c, weir_policy_any());
    weir_router *second = corner_router(&c, weir_policy_any());
    weir_endpoint *sender = corner_sender(&c);
    weir_link *in = corner_link(&c, sender, weir_router_endpoint(second), 0);
    corner_link(&c, weir_router_endpoint(second), corner_receiver(&c), 1);
    weir_error_set(WEIR_ERR_VERIFY, "the true cause");
    weir_router_cancel(first, WEIR_ERR_VERIFY);
    STATUS(weir_link_create(sender, sender, NULL, &none), WEIR_ERR_INVALID);
    corner_link(&c, weir_router_endpoint(first), weir_router_endpoint(second), 0);
    STATUS(corner_send(&c, in, 0, NULL), WEIR_ERR_VERIFY);
    assert_detail("the true cause");
    corner_close(&c);
}

struct canceller {
    weir_router *router;
    int after; /* rounds of an empty loop, so that the two meet at different places */
};

static void *cancel_soon(void *user)
{
    struct canceller *canceller = user;
    for (volatile int i = 0; i < canceller->after; i++) {
    }
    weir_router_cancel(canceller->router, WEIR_ERR_CANCELLED);
    return NULL;
}

/* Whoever comes first, the output has ended when both are through. */
static void a_cancel_while_an_output_is_linked_ends_it(void **state)
{
    for (int round = 0; round < 200; round++) {
        struct corner c;
        pthread_t thread;
        corner_open(&c, open_or_skip(state));
        weir_router *router = corner_router(&c, weir_policy_any());
        struct canceller canceller = {router, round * 97 % 20000};
        corner_link(&c, corner_sender(&c), weir_router_endpoint(router), 0);
        weir_endpoint *receiver = corner_receiver(&c);
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &canceller), 0);
        weir_link *out = corner_link(&c, weir_router_endpoint(router), receiver, 1);
        pthread_join(thread, NULL);
        corner_ended(out, WEIR_ERR_CANCELLED);
        corner_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(a_receive_that_ends_when_posted_again_rings),
        ON_EACH_BACKEND(what_was_shut_before_a_link_was_made_is_seen),
        ON_EACH_BACKEND(what_came_and_went_before_a_chain_was_made_is_seen),
        ON_EACH_BACKEND(a_cancelled_router_ends_links_made_later),
        ON_EACH_BACKEND(a_cancel_keeps_its_sentence_when_it_spreads),
        ON_BACKEND(a_cancel_while_an_output_is_linked_ends_it, "host:1"),
    };
    return cmocka_run_group_tests_name("corners_ending", tests, NULL, NULL);
}
