/** @file test_process_ending.c  Processes that end, are killed, stand still, cancel, leave: who is told what. */
#include "runtime/internal.h"
#include "tests/lib/processes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SOON_MS 1000 /* within which the end of a process is noticed */

static weir_link *link_to(weir_endpoint *source, weir_endpoint *destination)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = 64;
    config.buffers = 2;
    CHECK_OK(weir_link_create(source, destination, &config, &link));
    return link;
}

/* Links both ways between processes 0 and 1. */
struct pair {
    weir_endpoint *zero, *one;
    weir_link *there, *back; /* from 0 to 1, and from 1 to 0 */
};

static void open_pair(struct pair *p, struct world *world)
{
    p->zero = endpoint_of(world, 0, "zero");
    p->one = endpoint_of(world, 1, "one");
    p->there = link_to(p->zero, p->one);
    p->back = link_to(p->one, p->zero);
    CHECK_OK(weir_group_join(world->group, LONG_MS));
}

static void close_pair(struct pair *p)
{
    weir_link_destroy(p->there);
    weir_link_destroy(p->back);
    weir_endpoint_destroy(p->zero);
    weir_endpoint_destroy(p->one);
}

/* An empty message. */
static weir_status send_sign(const struct world *world, weir_link *link, weir_future **done)
{
    weir_segment segment = {.device = world->device, .meta = 7};
    return weir_link_send(link, &segment, NULL, done);
}

static void wait_for_sign(weir_link *link)
{
    weir_pending *pending;
    weir_segment got;
    CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
    CHECK(got.meta == 7 && got.bytes == 0);
    CHECK_OK(weir_pending_release(pending, NULL));
}

/* Until this process is killed. */
static void stand_still(void)
{
    for (;;)
        (void)pause();
}

static void kill_process(struct world *world, uint32_t rank)
{
    int how;
    (void)kill(world->pids[rank], SIGKILL);
    CHECK(waitpid(world->pids[rank], &how, 0) == world->pids[rank]);
    CHECK(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    world->pids[rank] = 0;
}

/* ---- killed -------------------------------------------------------------------------------------- */

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

static uint64_t came(const weir_link *link)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    CHECK_OK(weir_link_stats_get(link, &stats));
    return stats.packets;
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

#define LARGE ((size_t)48 << 20)

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

/* What lacks memory may be the message itself, and then both sides are told, the sender in whatever it does next. */
static void expect_ok_or_no_memory(weir_status status)
{
    if (status != WEIR_ERR_NOMEM)
        CHECK_OK(status);
}

/* One buffer, and no memory to be told that a packet in the inbox was taken: its credit comes back all the same. */
static void receive_without_memory(struct world *world, uint64_t nth)
{
    char name[] = {'s', (char)('0' + nth), 0};
    weir_endpoint *source = endpoint_of(world, 1, name), *end = endpoint_of(world, 0, "end");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = 64;
    config.buffers = 1;
    CHECK_OK(weir_link_create(source, end, &config, &link));
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 1) {
        weir_future *done[4];
        weir_status status = WEIR_OK;
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
        weir_status status = WEIR_OK;
        for (int i = 1; i < 4 && !status; i++)
            if (!(status = weir_link_next(link, LONG_MS, &pending, &got)))
                CHECK_OK(weir_pending_release(pending, NULL));
        expect_ok_or_no_memory(status);
    }
    weir_link_destroy(link);
    weir_endpoint_destroy(source);
    weir_endpoint_destroy(end);
}

static void credits_come_back_without_memory(struct world *world)
{
    for (uint64_t nth = 1; nth < 4; nth++)
        receive_without_memory(world, nth);
}

static const struct scene scenes[] = {
    {"killed sender", a_killed_sender_is_noticed},
    {"killed receiver", a_killed_receiver_is_noticed},
    {"at once", a_process_killed_at_once_loses_nothing},
    {"broadcast", a_broadcast_says_who_is_missing},
    {"still", one_that_stands_still_is_waited_for},
    {"cancel", a_cancel_takes_its_sentence_along},
    {"link", who_destroys_its_link_takes_no_more},
    {"group", leaving_cancels_what_is_open},
    {"context", the_context_may_go_first},
    {"outlive", what_was_shut_down_outlives_its_sender},
    {"refused", what_makes_no_sense_is_refused},
    {"dropped", what_a_sender_drops_is_told},
    {"fork killed", a_child_hides_no_killed_process},
    {"fork left", a_child_hides_no_leaving},
    {"midway", a_process_killed_on_the_way_loses_nothing},
    {"behind", a_process_killed_behind_the_shutdown_loses_nothing},
    {"untaken", a_link_destroyed_with_nothing_taken_loses_nothing},
    {"some taken", a_link_destroyed_on_the_way_loses_nothing},
    {"told", done_tells_of_what_a_killed_process_had},
    {"copies", a_cancel_waits_for_copies_into_an_inbox},
    {"making", a_process_killed_while_a_link_is_made_is_noticed},
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
        SCENE(in_two_processes, 0, "a_killed_sender_is_noticed"),
        SCENE(in_two_processes, 1, "a_killed_receiver_is_noticed"),
        SCENE(in_three_processes, 2, "a_process_killed_at_once_loses_nothing"),
        SCENE(in_three_processes, 3, "a_broadcast_says_who_is_missing"),
        SCENE(in_two_processes, 4, "one_that_stands_still_is_waited_for"),
        SCENE(in_two_processes, 5, "a_cancel_takes_its_sentence_along"),
        SCENE(in_two_processes, 6, "who_destroys_its_link_takes_no_more"),
        SCENE(in_two_processes, 7, "leaving_cancels_what_is_open"),
        SCENE(in_two_processes, 8, "the_context_may_go_first"),
        SCENE(in_two_processes, 9, "what_was_shut_down_outlives_its_sender"),
        SCENE(in_three_processes, 10, "what_makes_no_sense_is_refused"),
        SCENE(in_two_processes, 11, "what_a_sender_drops_is_told"),
        SCENE(in_two_processes, 12, "a_child_hides_no_killed_process"),
        SCENE(in_two_processes, 13, "a_child_hides_no_leaving"),
        SCENE(in_three_processes, 14, "a_process_killed_on_the_way_loses_nothing"),
        SCENE(in_three_processes, 15, "a_process_killed_behind_the_shutdown_loses_nothing"),
        SCENE(in_three_processes, 16, "a_link_destroyed_with_nothing_taken_loses_nothing"),
        SCENE(in_three_processes, 17, "a_link_destroyed_on_the_way_loses_nothing"),
        SCENE(in_three_processes, 18, "done_tells_of_what_a_killed_process_had"),
        SCENE(in_two_processes, 19, "a_cancel_waits_for_copies_into_an_inbox"),
        SCENE(in_two_processes, 20, "a_process_killed_while_a_link_is_made_is_noticed"),
        SCENE(in_two_processes, 21, "credits_come_back_without_memory"),
    };
    play_if_spawned(argc, argv, scenes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
