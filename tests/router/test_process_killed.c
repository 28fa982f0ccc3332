/** @file test_process_killed.c  Processes that are killed or stand still: who is told, and who gets what lay with them. */
#include "tests/router/process_ending_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void a_killed_sender_is_noticed(struct world *world)
{
    struct pair p;
    weir_pending *pending;
    weir_segment got;
    open_pair(&p, world);
    if (world->rank == 1) {
        CHECK_OK(send_sign(world, p.back, NULL));
        stand_still();
    }
    wait_for_sign(p.back);
    CHECK_STATUS(weir_link_next(p.back, 20, &pending, &got), WEIR_ERR_TIMEOUT);
    kill_process(world, 1);
    CHECK_STATUS(weir_link_next(p.back, SOON_MS, &pending, &got), WEIR_ERR_PROCESS);
    CHECK(!strcmp(weir_error_detail(),
                  "process 1 ended before its link from one to zero was shut down"));
    close_pair(&p);
}

static void a_killed_receiver_is_noticed(struct world *world)
{
    struct pair p;
    open_pair(&p, world);
    if (world->rank == 1) {
        CHECK_OK(send_sign(world, p.back, NULL));
        stand_still();
    }
    wait_for_sign(p.back);
    weir_future *done[20];
    for (int i = 0; i < 20; i++) /* more than it has buffers for */
        CHECK_OK(send_sign(world, p.there, &done[i]));
    CHECK_STATUS(weir_future_wait(done[19], 20), WEIR_ERR_TIMEOUT);
    kill_process(world, 1);
    CHECK_STATUS(weir_future_wait(done[19], SOON_MS), WEIR_ERR_PROCESS);
    for (int i = 0; i < 20; i++)
        weir_future_release(done[i]);
    CHECK_STATUS(send_sign(world, p.there, NULL), WEIR_ERR_PROCESS);
    CHECK(!strcmp(weir_error_detail(), "process 1 ended, to which zero sent by way of one"));
    close_pair(&p);
}

/* A child that holds all that this process has open. It ends by itself should nobody end it. */
static pid_t fork_child(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)alarm(20);
        stand_still();
    }
    return child;
}

static void end_child(pid_t child)
{
    CHECK(kill(child, SIGKILL) == 0);
    (void)waitpid(child, NULL, 0); /* it may be another process's */
}

static pid_t take_child(weir_link *link)
{
    weir_pending *pending;
    weir_segment got;
    CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
    CHECK(got.meta > 1);
    CHECK_OK(weir_pending_release(pending, NULL));
    return (pid_t)got.meta;
}

static void say_child(const struct world *world, weir_link *link, pid_t child)
{
    weir_segment segment = {.device = world->device, .meta = (uint64_t)child};
    CHECK_OK(weir_link_send(link, &segment, NULL, NULL));
}

static double cpu_seconds(void)
{
    struct timespec time;
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Both processes have forked: the end of one is seen though its child lives, and costs no time after. */
static void a_child_hides_no_killed_process(struct world *world)
{
    struct pair p;
    weir_pending *pending;
    weir_segment got;
    open_pair(&p, world);
    pid_t own = fork_child();
    if (world->rank == 1) {
        say_child(world, p.back, own);
        stand_still();
    }
    pid_t others = take_child(p.back);
    kill_process(world, 1);
    weir_status status = weir_link_next(p.back, SOON_MS, &pending, &got);
    double before = cpu_seconds();
    (void)usleep(200 * 1000);
    double used = cpu_seconds() - before;
    end_child(others);
    end_child(own);
    CHECK_STATUS(status, WEIR_ERR_PROCESS);
    CHECK(used < 0.1);
    close_pair(&p);
}

/* Process 1 leaves, and stays: only what it said of its leaving ends process 0's wait to join. */
static void a_child_hides_no_leaving(struct world *world)
{
    struct pair p;
    open_pair(&p, world);
    if (world->rank == 1) {
        pid_t own = fork_child();
        say_child(world, p.back, own);
        weir_group_destroy(world->group);
        world->group = NULL;
        stand_still();
    }
    pid_t others = take_child(p.back);
    weir_endpoint *late = endpoint_of(world, 1, "late");
    weir_link *link = NULL;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status = weir_link_create(p.zero, late, &config, &link);
    if (!status) /* else it had gone before */
        status = weir_group_join(world->group, SOON_MS);
    end_child(others);
    kill_process(world, 1);
    CHECK_STATUS(status, WEIR_ERR_PROCESS);
    weir_link_destroy(link);
    weir_endpoint_destroy(late);
    close_pair(&p);
}

struct fan {
    weir_router *router;
    weir_endpoint *source, *ends[PROCESSES_MAX];
    weir_link *in, *out[PROCESSES_MAX];
};

static void open_fan(struct fan *f, struct world *world, weir_policy policy)
{
    CHECK_OK(weir_router_create(world->context, "fan", &policy, &f->router));
    f->source = endpoint_of(world, 0, "source");
    f->in = link_to(f->source, weir_router_endpoint(f->router));
    for (uint32_t i = 1; i < world->size; i++) {
        char name[] = {'e', (char)('0' + i), 0};
        f->ends[i] = endpoint_of(world, i, name);
        f->out[i] = link_to(weir_router_endpoint(f->router), f->ends[i]);
    }
    CHECK_OK(weir_group_join(world->group, LONG_MS));
}

static void close_fan(struct fan *f, const struct world *world)
{
    weir_link_destroy(f->in);
    for (uint32_t i = 1; i < world->size; i++) {
        weir_link_destroy(f->out[i]);
        weir_endpoint_destroy(f->ends[i]);
    }
    weir_router_destroy(f->router);
    weir_endpoint_destroy(f->source);
}

#define SIGNS 50

static void send_numbered(struct world *world, struct fan *f, int from, int to, weir_future **done)
{
    for (int i = from; i < to; i++) {
        weir_segment segment = {.device = world->device, .meta = (uint64_t)i};
        CHECK_OK(weir_link_send(f->in, &segment, NULL, &done[i]));
    }
}

/* Each number once, and the end. */
static void take_all_numbers(weir_link *link)
{
    int seen[SIGNS] = {0};
    weir_pending *pending;
    weir_segment got;
    weir_status status;
    while (!(status = weir_link_next(link, LONG_MS, &pending, &got))) {
        CHECK(got.meta < SIGNS && !seen[got.meta]);
        seen[got.meta] = 1;
        CHECK_OK(weir_pending_release(pending, NULL));
    }
    CHECK_STATUS(status, WEIR_CLOSED);
    for (int i = 0; i < SIGNS; i++)
        CHECK(seen[i]);
}

static void wait_until_came(const weir_link *link, uint64_t packets)
{
    for (int i = 0; i < LONG_MS && came(link) < packets; i++)
        (void)usleep(1000);
    CHECK(came(link) >= packets);
}

/* Process 1 takes nothing, and is killed after it was sent `before` of all: what lay with it goes to process 2. */
static void others_get_what_a_killed_process_had(struct world *world, int before)
{
    struct fan f;
    weir_future *done[SIGNS];
    open_fan(&f, world, weir_policy_any());
    if (world->rank == 1)
        stand_still();
    if (world->rank == 2) {
        take_all_numbers(f.out[2]);
    } else {
        send_numbered(world, &f, 0, before, done);
        if (before == SIGNS)
            CHECK_OK(weir_link_shutdown(f.in));
        if (before)
            wait_until_came(f.out[1], 2);
        kill_process(world, 1);
        send_numbered(world, &f, before, SIGNS, done);
        CHECK_OK(weir_link_shutdown(f.in));
        for (int i = 0; i < SIGNS; i++) {
            CHECK_OK(weir_future_wait(done[i], LONG_MS));
            weir_future_release(done[i]);
        }
        weir_link_stats stats = WEIR_LINK_STATS_INIT;
        CHECK_OK(weir_link_stats_get(f.out[2], &stats));
        CHECK(before == 0 || stats.failed_over >= 2);
    }
    close_fan(&f, world);
}

static void a_process_killed_at_once_loses_nothing(struct world *world)
{
    others_get_what_a_killed_process_had(world, 0);
}

static void a_process_killed_on_the_way_loses_nothing(struct world *world)
{
    others_get_what_a_killed_process_had(world, SIGNS / 2);
}

static void a_process_killed_behind_the_shutdown_loses_nothing(struct world *world)
{
    others_get_what_a_killed_process_had(world, SIGNS);
}

/* Process 1 takes some, and destroys its link with more in its buffers, in the midst or behind the shutdown. */
static void others_get_what_a_destroyed_link_had(struct world *world, int taken)
{
    struct fan f;
    weir_future *done[SIGNS];
    weir_pending *pending;
    weir_segment got;
    int seen[SIGNS] = {0};
    open_fan(&f, world, weir_policy_any());
    weir_link *count =
        NULL; /* what process 1 has taken; between the other two it is not process 0's */
    if (world->rank != 0)
        count = link_to(f.ends[1], f.ends[2]);
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 0) {
        send_numbered(world, &f, 0, SIGNS, done);
        CHECK_OK(weir_link_shutdown(f.in));
        for (int i = 0; i < SIGNS; i++) {
            CHECK_OK(weir_future_wait(done[i], LONG_MS));
            weir_future_release(done[i]);
        }
    } else if (world->rank == 1) {
        for (int i = 0; i < taken; i++) {
            CHECK_OK(weir_link_next(f.out[1], LONG_MS, &pending, &got));
            CHECK_OK(weir_pending_release(pending, NULL));
            weir_segment segment = {.device = world->device, .meta = got.meta};
            CHECK_OK(weir_link_send_wait(count, &segment, NULL, LONG_MS, &done[0]));
            CHECK_OK(weir_future_wait(done[0],
                                      LONG_MS)); /* or the link is destroyed before all is sent */
            weir_future_release(done[0]);
        }
        wait_until_came(f.out[1], (uint64_t)taken + 2);
        weir_link_destroy(f.out[1]);
        f.out[1] = NULL;
        CHECK_OK(weir_link_shutdown(count));
    } else {
        weir_status status;
        while (!(status = weir_link_next(count, LONG_MS, &pending, &got))) {
            CHECK(got.meta < SIGNS && !seen[got.meta]);
            seen[got.meta] = 1;
            CHECK_OK(weir_pending_release(pending, NULL));
        }
        CHECK_STATUS(status, WEIR_CLOSED);
        while (!(status = weir_link_next(f.out[2], LONG_MS, &pending, &got))) {
            CHECK(got.meta < SIGNS && !seen[got.meta]);
            seen[got.meta] = 1;
            CHECK_OK(weir_pending_release(pending, NULL));
        }
        CHECK_STATUS(status, WEIR_CLOSED);
        for (int i = 0; i < SIGNS; i++)
            CHECK(seen[i]);
    }
    weir_link_destroy(count);
    close_fan(&f, world);
}

static void a_link_destroyed_with_nothing_taken_loses_nothing(struct world *world)
{
    others_get_what_a_destroyed_link_had(world, 0);
}

static void a_link_destroyed_on_the_way_loses_nothing(struct world *world)
{
    others_get_what_a_destroyed_link_had(world, 10);
}

/* The only candidate that is left, behind the shutdown, and killed with packets that it has not taken: `done` says so. */
static void done_tells_of_what_a_killed_process_had(struct world *world)
{
    struct fan f;
    weir_future *done[SIGNS];
    open_fan(&f, world, weir_policy_any());
    if (world->rank == 1)
        stand_still();
    if (world->rank == 2) {
        weir_link_destroy(f.out[2]);
        f.out[2] = NULL;
    } else {
        send_numbered(world, &f, 0, 4, done);
        CHECK_OK(weir_link_shutdown(f.in));
        wait_until_came(f.out[1], 2);
        kill_process(world, 1);
        int lost = 0;
        for (int i = 0; i < 4; i++) {
            weir_status status = weir_future_wait(done[i], LONG_MS);
            lost += status != WEIR_OK;
            CHECK(status == WEIR_OK || status == WEIR_ERR_PROCESS || status == WEIR_CLOSED);
            weir_future_release(done[i]);
        }
        CHECK(lost == 4); /* nobody took any */
    }
    close_fan(&f, world);
}

/* What has to go to all cannot be had without process 1; the others have it all the same. */
static void a_broadcast_says_who_is_missing(struct world *world)
{
    struct fan f;
    open_fan(&f, world, weir_policy_broadcast());
    if (world->rank == 1)
        stand_still();
    if (world->rank == 2) {
        for (int i = 0; i < 10; i++)
            wait_for_sign(f.out[2]);
    } else {
        weir_future *done[10];
        for (int i = 0; i < 10; i++)
            CHECK_OK(send_sign(world, f.in, &done[i]));
        kill_process(world, 1);
        CHECK_STATUS(weir_future_wait(done[9], SOON_MS), WEIR_ERR_PROCESS);
        for (int i = 0; i < 10; i++)
            weir_future_release(done[i]);
        CHECK_OK(weir_link_shutdown(f.in));
    }
    if (world->rank == 2) {
        weir_pending *pending;
        weir_segment got;
        CHECK_STATUS(weir_link_next(f.out[2], LONG_MS, &pending, &got), WEIR_CLOSED);
    }
    close_fan(&f, world);
}

static void one_that_stands_still_is_waited_for(struct world *world)
{
    struct pair p;
    weir_pending *pending;
    weir_segment got;
    open_pair(&p, world);
    if (world->rank == 1) {
        for (int i = 0; i < 100; i++)
            wait_for_sign(p.there);
        CHECK_OK(send_sign(world, p.back, NULL));
        CHECK_OK(weir_link_shutdown(p.back));
    } else {
        (void)kill(world->pids[1], SIGSTOP);
        for (int i = 0; i < 100; i++)
            CHECK_OK(send_sign(world, p.there, NULL));
        CHECK_STATUS(weir_link_next(p.back, 50, &pending, &got), WEIR_ERR_TIMEOUT);
        (void)kill(world->pids[1], SIGCONT);
        wait_for_sign(p.back);
        CHECK_OK(weir_link_shutdown(p.there));
    }
    close_pair(&p);
}

/* Its inbox takes a while to be made, and the process that it is for ends meanwhile. */
static void a_process_killed_while_a_link_is_made_is_noticed(struct world *world)
{
    weir_endpoint *there = endpoint_of(world, 1, "there"), *here = endpoint_of(world, 0, "here");
    weir_link *link;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = 4 * LARGE;
    config.buffers = 1;
    if (world->rank == 1) {
        (void)usleep(10000);
        (void)raise(SIGKILL);
    }
    weir_status status = weir_link_create(there, here, &config, &link);
    if (status == WEIR_OK) {
        CHECK_STATUS(weir_group_join(world->group, LONG_MS), WEIR_ERR_PROCESS);
        weir_link_destroy(link);
    } else {
        CHECK(status == WEIR_ERR_PROCESS);
    }
    kill_process(world, 1);
    weir_endpoint_destroy(there);
    weir_endpoint_destroy(here);
}

static const struct scene scenes[] = {
    {"killed sender", a_killed_sender_is_noticed},
    {"killed receiver", a_killed_receiver_is_noticed},
    {"at once", a_process_killed_at_once_loses_nothing},
    {"broadcast", a_broadcast_says_who_is_missing},
    {"still", one_that_stands_still_is_waited_for},
    {"fork killed", a_child_hides_no_killed_process},
    {"fork left", a_child_hides_no_leaving},
    {"midway", a_process_killed_on_the_way_loses_nothing},
    {"behind", a_process_killed_behind_the_shutdown_loses_nothing},
    {"untaken", a_link_destroyed_with_nothing_taken_loses_nothing},
    {"some taken", a_link_destroyed_on_the_way_loses_nothing},
    {"told", done_tells_of_what_a_killed_process_had},
    {"making", a_process_killed_while_a_link_is_made_is_noticed},
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
        SCENE(in_two_processes, 0, "a_killed_sender_is_noticed"),
        SCENE(in_two_processes, 1, "a_killed_receiver_is_noticed"),
        SCENE(in_three_processes, 2, "a_process_killed_at_once_loses_nothing"),
        SCENE(in_three_processes, 3, "a_broadcast_says_who_is_missing"),
        SCENE(in_two_processes, 4, "one_that_stands_still_is_waited_for"),
        SCENE(in_two_processes, 5, "a_child_hides_no_killed_process"),
        SCENE(in_two_processes, 6, "a_child_hides_no_leaving"),
        SCENE(in_three_processes, 7, "a_process_killed_on_the_way_loses_nothing"),
        SCENE(in_three_processes, 8, "a_process_killed_behind_the_shutdown_loses_nothing"),
        SCENE(in_three_processes, 9, "a_link_destroyed_with_nothing_taken_loses_nothing"),
        SCENE(in_three_processes, 10, "a_link_destroyed_on_the_way_loses_nothing"),
        SCENE(in_three_processes, 11, "done_tells_of_what_a_killed_process_had"),
        SCENE(in_two_processes, 12, "a_process_killed_while_a_link_is_made_is_noticed"),
    };
    play_if_spawned(argc, argv, scenes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
