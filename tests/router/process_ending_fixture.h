/** @file process_ending_fixture.h  Links between processes of which one may end. */
#ifndef WEIR_TESTS_ROUTER_PROCESS_ENDING_FIXTURE_H
#define WEIR_TESTS_ROUTER_PROCESS_ENDING_FIXTURE_H

#include "tests/lib/processes.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOON_MS 1000               /* within which the end of a process is noticed */
#define LARGE   ((size_t)48 << 20) /* bytes that take a while to copy, or to be mapped */

/** With two buffers of 64 bytes. */
static inline weir_link *link_to(weir_endpoint *source, weir_endpoint *destination)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = 64;
    config.buffers = 2;
    CHECK_OK(weir_link_create(source, destination, &config, &link));
    return link;
}

/** Links both ways between processes 0 and 1. */
struct pair {
    weir_endpoint *zero, *one;
    weir_link *there, *back; /* from 0 to 1, and from 1 to 0 */
};

static inline void open_pair(struct pair *p, struct world *world)
{
    p->zero = endpoint_of(world, 0, "zero");
    p->one = endpoint_of(world, 1, "one");
    p->there = link_to(p->zero, p->one);
    p->back = link_to(p->one, p->zero);
    CHECK_OK(weir_group_join(world->group, LONG_MS));
}

static inline void close_pair(struct pair *p)
{
    weir_link_destroy(p->there);
    weir_link_destroy(p->back);
    weir_endpoint_destroy(p->zero);
    weir_endpoint_destroy(p->one);
}

/** An empty message. */
static inline weir_status send_sign(const struct world *world, weir_link *link, weir_future **done)
{
    weir_segment segment = {.device = world->device, .meta = 7};
    return weir_link_send(link, &segment, NULL, done);
}

static inline void wait_for_sign(weir_link *link)
{
    weir_pending *pending;
    weir_segment got;
    CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
    CHECK(got.meta == 7 && got.bytes == 0);
    CHECK_OK(weir_pending_release(pending, NULL));
}

/** Until this process is killed. */
static inline void stand_still(void)
{
    for (;;)
        (void)pause();
}

static inline void kill_process(struct world *world, uint32_t rank)
{
    int how;
    (void)kill(world->pids[rank], SIGKILL);
    CHECK(waitpid(world->pids[rank], &how, 0) == world->pids[rank]);
    CHECK(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    world->pids[rank] = 0;
}

/** Packets that were assigned to receives of the link. */
static inline uint64_t came(const weir_link *link)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    CHECK_OK(weir_link_stats_get(link, &stats));
    return stats.packets;
}

#endif
