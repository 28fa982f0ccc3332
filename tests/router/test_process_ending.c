/** @file test_process_ending.c  Processes that cancel, destroy a link, leave, or lack memory: who is told what. */
#include "runtime/internal.h"
#include "tests/router/process_ending_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cancelled, destroyed, left ------------------------------------------------------------------- */

static void a_cancel_takes_its_sentence_along(struct world *world)
{
    struct pair p;
    weir_pending *pending;
    weir_segment got;
    weir_future *done[20];
    open_pair(&p, world);
    if (world->rank == 1) {
        wait_for_sign(p.there);
        weir_link_cancel(p.there,
                         weir_error_set(WEIR_ERR_VERIFY, "the sums differ"));  /* receives */
        weir_link_cancel(p.back, weir_error_set(WEIR_ERR_VERIFY, "so it is")); /* would send */
    } else {
        (void)kill(world->pids[1], SIGSTOP); /* so that it cancels only when all was sent */
        for (int i = 0; i < 20; i++)
            CHECK_OK(send_sign(world, p.there, &done[i]));
        (void)kill(world->pids[1], SIGCONT);
        CHECK_STATUS(weir_link_next(p.back, LONG_MS, &pending, &got), WEIR_ERR_VERIFY);
        CHECK(!strcmp(weir_error_detail(), "so it is"));
        CHECK_STATUS(weir_future_wait(done[19], LONG_MS), WEIR_ERR_VERIFY);
        CHECK_STATUS(send_sign(world, p.there, NULL), WEIR_ERR_VERIFY);
        CHECK(!strcmp(weir_error_detail(), "the sums differ"));
        for (int i = 0; i < 20; i++)
            weir_future_release(done[i]);
    }
    close_pair(&p);
}

static void who_destroys_its_link_takes_no_more(struct world *world)
{
    struct pair p;
    weir_future *done[20];
    open_pair(&p, world);
    if (world->rank == 1) {
        wait_for_sign(p.there);
        weir_link_destroy(p.there);
        p.there = NULL;
        weir_pending *pending;
        weir_segment got; /* so process 1 stays until 0 has seen it */
        CHECK_STATUS(weir_link_next(p.back, 10, &pending, &got), WEIR_ERR_INVALID);
        CHECK_OK(weir_link_shutdown(p.back));
    } else {
        for (int i = 0; i < 20; i++)
            CHECK_OK(send_sign(world, p.there, &done[i]));
        CHECK_STATUS(weir_future_wait(done[19], LONG_MS), WEIR_CLOSED);
        for (int i = 0; i < 20; i++)
            weir_future_release(done[i]);
        weir_pending *pending;
        weir_segment got;
        CHECK_STATUS(weir_link_next(p.back, LONG_MS, &pending, &got), WEIR_CLOSED);
    }
    close_pair(&p);
}

/* Process 1 takes nothing until 0 has destroyed its links, and what was not sent yet with them. */
static void what_a_sender_drops_is_told(struct world *world)
{
    struct pair p;
    open_pair(&p, world);
    if (world->rank == 0) {
        for (int i = 0; i < 20; i++)
            CHECK_OK(send_sign(world, p.there, NULL));
        weir_link_destroy(p.there);
        p.there = NULL;
    } else {
        weir_future *done;
        weir_pending *pending;
        weir_segment got;
        weir_status status = WEIR_OK;
        while (!status && !(status = send_sign(world, p.back, &done))) {
            status = weir_future_wait(done, LONG_MS);
            weir_future_release(done);
        }
        CHECK_STATUS(status, WEIR_CLOSED); /* the other link was destroyed too */
        while (!(status = weir_link_next(p.there, LONG_MS, &pending, &got)))
            CHECK_OK(weir_pending_release(pending, NULL));
        CHECK_STATUS(status, WEIR_ERR_CANCELLED);
    }
    close_pair(&p);
}

/* Process 1 destroys the group before all else, process 0 after all else. */
static void leaving_cancels_what_is_open(struct world *world)
{
    struct pair p;
    weir_pending *pending;
    weir_segment got;
    open_pair(&p, world);
    if (world->rank == 1) {
        weir_group_destroy(world->group);
        world->group = NULL;
        CHECK_STATUS(weir_link_next(p.there, LONG_MS, &pending, &got), WEIR_ERR_CANCELLED);
    } else {
        CHECK_STATUS(weir_link_next(p.back, LONG_MS, &pending, &got), WEIR_ERR_CANCELLED);
    }
    close_pair(&p);
}

static void the_context_may_go_first(struct world *world)
{
    struct pair p;
    open_pair(&p, world);
    CHECK_OK(send_sign(world, world->rank ? p.back : p.there, NULL));
    CHECK_OK(weir_link_shutdown(world->rank ? p.back : p.there));
    wait_for_sign(world->rank ? p.there : p.back);
    weir_context_destroy(world->context);
    world->context = NULL;
    weir_endpoint_destroy(p.one);
    p.one = NULL;
    close_pair(&(struct pair){.zero = p.zero, .there = p.there, .back = p.back});
}

/* What was sent is received though the sender is gone, in all order. */
static void what_was_shut_down_outlives_its_sender(struct world *world)
{
    struct pair p;
    open_pair(&p, world);
    if (world->rank == 1) {
        CHECK_OK(send_sign(world, p.back, NULL));
        weir_future *done;
        CHECK_OK(send_sign(world, p.back, &done));
        CHECK_OK(weir_future_wait(done, LONG_MS)); /* destroying drops what was not taken */
        weir_future_release(done);
        CHECK_OK(weir_link_shutdown(p.back));
    } else {
        int how;
        weir_pending *pending;
        weir_segment got;
        CHECK(waitpid(world->pids[1], &how, 0) == world->pids[1] && how == 0);
        world->pids[1] = 0;
        wait_for_sign(p.back);
        wait_for_sign(p.back);
        CHECK_STATUS(weir_link_next(p.back, LONG_MS, &pending, &got), WEIR_CLOSED);
    }
    close_pair(&p);
}

/* ---- refused ------------------------------------------------------------------------------------- */

static void refused(weir_status status, const char *sentence)
{
    CHECK_STATUS(status, WEIR_ERR_INVALID);
    if (strcmp(weir_error_detail(), sentence) != 0)
        fprintf(stderr, "%s\n", weir_error_detail());
    CHECK(!strcmp(weir_error_detail(), sentence));
}

static void what_makes_no_sense_is_refused(struct world *world)
{
    weir_endpoint *none;
    weir_link *link;
    weir_pending *pending;
    weir_segment got;
    weir_endpoint *ready = endpoint_of(world, 0, "ready");
    for (uint32_t i = 1; i < 3; i++) { /* all have met when 1 and 2 have come here */
        if (world->rank && world->rank != i)
            continue;
        char name[] = {'r', (char)('0' + i), 0};
        weir_endpoint *from = endpoint_of(world, i, name);
        link = link_to(from, ready);
        CHECK_OK(weir_group_join(world->group, LONG_MS));
        if (world->rank)
            stand_still();
        weir_link_destroy(link);
        weir_endpoint_destroy(from);
    }
    weir_endpoint_destroy(ready);
    refused(weir_endpoint_create_remote(world->group, 0, "me", &none),
            "me: process 0 is this one: weir_endpoint_create()");
    refused(weir_endpoint_create_remote(world->group, 3, "who", &none),
            "who: process 3 is none of the group's");
    weir_endpoint *here = endpoint_of(world, 0, "here"), *there = endpoint_of(world, 1, "there"),
                  *far = endpoint_of(world, 2, "far");
    refused(weir_link_create(there, far, NULL, &link),
            "a link from there to far, which lie both in other processes: it is theirs");
    CHECK(weir_endpoint_device(there) == NULL);
    weir_link *out = link_to(here, there), *in = link_to(there, here);
    refused(weir_link_receive(out, &pending),
            "there lies in process 1: it is there that it receives");
    refused(send_sign(world, in, NULL), "there lies in process 1: it is there that it sends");
    refused(weir_link_shutdown(in), "there lies in process 1: it is there that it is shut down");
    refused(send_sign(world, out, NULL), "router here is not joined with process 1, where there "
                                         "lies: weir_group_join() first");
    CHECK_STATUS(weir_group_join(world->group, 20), WEIR_ERR_TIMEOUT);
    CHECK(!strcmp(weir_error_detail(), "process 1 has not made the link from here to there"));
    kill_process(world, 1);
    CHECK_STATUS(weir_group_join(world->group, LONG_MS), WEIR_ERR_PROCESS);
    CHECK_STATUS(send_sign(world, out, NULL), WEIR_ERR_PROCESS);
    CHECK_STATUS(weir_link_next(in, LONG_MS, &pending, &got), WEIR_ERR_PROCESS);
    kill_process(world, 2);
    weir_link_destroy(out);
    weir_link_destroy(in);
    weir_endpoint_destroy(here);
    weir_endpoint_destroy(there);
    weir_endpoint_destroy(far);
}

/* ---- under way ----------------------------------------------------------------------------------- */

static weir_link *large_link(weir_endpoint *source, weir_endpoint *destination)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = LARGE;
    config.buffers = 1;
    CHECK_OK(weir_link_create(source, destination, &config, &link));
    return link;
}

/* Copies into the other process's inboxes are under way: those stay until they are over. */
static void a_cancel_waits_for_copies_into_an_inbox(struct world *world)
{
    weir_router *router;
    const weir_policy any = weir_policy_any();
    weir_pending *pending;
    weir_segment got;
    weir_future *done;
    CHECK_OK(weir_router_create(world->context, "large", &any, &router));
    weir_endpoint *source = endpoint_of(world, 0, "source"), *end[2];
    weir_link *in = link_to(source, weir_router_endpoint(router)), *out[2];
    for (int i = 0; i < 2; i++) {
        end[i] = endpoint_of(world, 1, i ? "b" : "a");
        out[i] = large_link(weir_router_endpoint(router), end[i]);
    }
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 0) {
        void *data;
        CHECK_OK(weir_device_alloc(world->device, 2 * LARGE, &data));
        memset(data, 1, 2 * LARGE); /* a host device's memory */
        weir_segment segment = {.device = world->device, .data = data, .bytes = 2 * LARGE};
        for (int i = 0; i < LONG_MS && (!came(out[0]) || !came(out[1])); i++) {
            if (i == 0)
                CHECK_OK(weir_link_send(in, &segment, NULL, &done));
            (void)usleep(1000);
        }
        weir_router_cancel(router, WEIR_ERR_CANCELLED);
        CHECK_STATUS(weir_future_wait(done, LONG_MS), WEIR_ERR_CANCELLED);
        weir_future_release(done);
        weir_device_free(world->device, data);
    } else {
        weir_status status;
        while ((status = weir_link_next(out[0], LONG_MS, &pending, &got)) == WEIR_OK)
            CHECK_OK(weir_pending_release(pending, NULL));
        CHECK_STATUS(status, WEIR_ERR_CANCELLED);
    }
    weir_link_destroy(in);
    for (int i = 0; i < 2; i++) {
        weir_link_destroy(out[i]);
        weir_endpoint_destroy(end[i]);
    }
    weir_endpoint_destroy(source);
    weir_router_destroy(router);
}

/* What lacks memory may be the message itself, and then both sides are told, the sender in whatever it does next. */
static void expect_ok_or_no_memory(weir_status status)
{
    if (status != WEIR_ERR_NOMEM)
        CHECK_OK(status);
}

/* One buffer, and no memory to be told that a packet in the inbox was taken: its credit comes back all the same.
 * @return whether all packets came. */
static int receive_without_memory(struct world *world, uint64_t nth)
{
    char name[] = {'s', (char)('0' + nth), 0};
    weir_endpoint *source = endpoint_of(world, 1, name), *end = endpoint_of(world, 0, "end");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    weir_status status = WEIR_OK;
    config.packet_bytes = 64;
    config.buffers = 1;
    CHECK_OK(weir_link_create(source, end, &config, &link));
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 1) {
        weir_future *done[4];
        int sent = 0;
        while (sent < 4 && !(status = send_sign(world, link, &done[sent])))
            if (sent++ == 0)
                (void)usleep(100000);
        expect_ok_or_no_memory(status);
        CHECK_OK(weir_link_shutdown(link));
        while (sent-- > 0) {
            expect_ok_or_no_memory(weir_future_wait(done[sent], LONG_MS));
            weir_future_release(done[sent]);
        }
    } else {
        weir_pending *pending;
        weir_segment got;
        CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        (void)usleep(250000); /* the next one comes into the inbox */
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        CHECK_OK(weir_pending_release(pending, NULL));
        for (int i = 1; i < 4 && !status; i++)
            if (!(status = weir_link_next(link, LONG_MS, &pending, &got)))
                CHECK_OK(weir_pending_release(pending, NULL));
        expect_ok_or_no_memory(status);
    }
    weir_link_destroy(link);
    weir_endpoint_destroy(source);
    weir_endpoint_destroy(end);
    return status == WEIR_OK;
}

static void credits_come_back_without_memory(struct world *world)
{
    int through = 0;
    for (uint64_t nth = 1; nth < 4; nth++)
        through += receive_without_memory(world, nth);
    CHECK(through > 0); /* without a message there is nothing to see */
}

static const struct scene scenes[] = {
    {"cancel", a_cancel_takes_its_sentence_along},
    {"link", who_destroys_its_link_takes_no_more},
    {"group", leaving_cancels_what_is_open},
    {"context", the_context_may_go_first},
    {"outlive", what_was_shut_down_outlives_its_sender},
    {"refused", what_makes_no_sense_is_refused},
    {"dropped", what_a_sender_drops_is_told},
    {"copies", a_cancel_waits_for_copies_into_an_inbox},
    {"credits", credits_come_back_without_memory},
    {NULL, NULL},
};

static void in_two_processes(void **state)
{
    play(*state, 2);
}

static void in_three_processes(void **state)
{
    play(*state, 3);
}

#define SCENE(f, i, what)                                  \
    {                                                      \
        what, f, NULL, NULL, (void *)(uintptr_t)&scenes[i] \
    }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SCENE(in_two_processes, 0, "a_cancel_takes_its_sentence_along"),
        SCENE(in_two_processes, 1, "who_destroys_its_link_takes_no_more"),
        SCENE(in_two_processes, 2, "leaving_cancels_what_is_open"),
        SCENE(in_two_processes, 3, "the_context_may_go_first"),
        SCENE(in_two_processes, 4, "what_was_shut_down_outlives_its_sender"),
        SCENE(in_three_processes, 5, "what_makes_no_sense_is_refused"),
        SCENE(in_two_processes, 6, "what_a_sender_drops_is_told"),
        SCENE(in_two_processes, 7, "a_cancel_waits_for_copies_into_an_inbox"),
        SCENE(in_two_processes, 8, "credits_come_back_without_memory"),
    };
    play_if_spawned(argc, argv, scenes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
