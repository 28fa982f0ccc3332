/** @file 17_processes.c  Links and routers between processes: hello, ping-pong, a pipeline, scatter and gather.
 *
 *     hello:     process 0 --> 1 --> 2 --> 0               ping-pong:  0 <--> 1
 *     pipeline:  the same way, each packet worked on       map:        0 --(scatter)--> 1, 2 --(gather)--> 0
 *
 *     build/examples/17_processes [PROCESSES]      3 if left out; starts as many of itself
 *     WEIR_GROUP=/tmp/here WEIR_RANK=0 WEIR_SIZE=2 build/examples/17_processes      one of those you start yourself
 *
 * Every process runs the same code and makes the links that it has an end of. What lies in another process is
 * named, and found there by its name. The rest is as within one process (01, 03, 04 and 05). */
#include "examples/example.h"
#include <weir/router/process.h>

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PACKET_BYTES = 1 << 14, COUNT = 100003, ROUNDS = 1000 };

extern char **environ;

struct world {
    weir_context *context;
    weir_device *home;
    weir_queue *queue;
    weir_group *group;
    uint32_t rank, size;
    weir_endpoint *ends[WEIR_GROUP_MAX]; /* one in each process */
};

static weir_link *make_link(weir_endpoint *source, weir_endpoint *destination)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = PACKET_BYTES;
    TRY(weir_link_create(source, destination, &config, &link));
    return link;
}

/* The link between two processes, if this is one of them. */
static weir_link *link_from_to(const struct world *world, uint32_t from, uint32_t to)
{
    int mine = world->rank == from || world->rank == to;
    return mine ? make_link(world->ends[from], world->ends[to]) : NULL;
}

/* Send on what a link brings, for the next process, until nothing more comes. */
static void pass_on(weir_link *in, weir_link *out, void (*work)(weir_segment *packet))
{
    weir_pending *pending;
    weir_segment packet;
    weir_status status;
    while (!(status = weir_link_next(in, -1, &pending, &packet))) {
        weir_future *sent;
        work(&packet);
        packet.meta += packet.offset; /* where it lies in all that process 0 sent */
        TRY(weir_link_send(out, &packet, NULL, &sent));
        TRY(weir_future_wait(sent, -1)); /* 04_pipeline.c shows how not to wait */
        weir_future_release(sent);
        TRY(weir_pending_release(pending, NULL));
    }
    if (status != WEIR_CLOSED)
        TRY(status);
    TRY(weir_link_shutdown(out));
}

/* Packets that lie where their `meta` says. @return bytes that came. */
static size_t put_together(weir_link *in, char *array, size_t room)
{
    size_t bytes = 0;
    weir_pending *pending;
    weir_segment packet;
    weir_status status;
    while (!(status = weir_link_next(in, -1, &pending, &packet))) {
        size_t at = packet.meta + packet.offset;
        if (at <= room && packet.bytes <= room - at)
            memcpy(array + at, packet.data, packet.bytes);
        bytes += packet.bytes;
        TRY(weir_pending_release(pending, NULL));
    }
    if (status != WEIR_CLOSED)
        TRY(status);
    return bytes;
}

static void send_and_shut(const struct world *world, weir_link *out, void *data, size_t bytes)
{
    weir_segment all = {.device = world->home, .data = data, .bytes = bytes};
    TRY(weir_link_send(out, &all, NULL, NULL));
    TRY(weir_link_shutdown(out));
}

/* ---- hello and the pipeline: once around ----------------------------------------------------------- */

static void nothing(weir_segment *packet)
{
    (void)packet;
}

static void times_three_plus_one(weir_segment *packet)
{
    uint32_t *data = packet->data;
    for (size_t i = 0; i < packet->bytes / sizeof *data; i++)
        data[i] = data[i] * 3 + 1;
}

/* @return in process 0 whether as much came back as was sent. */
static int around(struct world *world, void *data, void *result, size_t bytes,
                  void (*work)(weir_segment *packet))
{
    uint32_t before = (world->rank + world->size - 1) % world->size;
    uint32_t behind = (world->rank + 1) % world->size;
    weir_link *in = link_from_to(world, before, world->rank);
    weir_link *out = link_from_to(world, world->rank, behind);
    size_t came = bytes;
    TRY(weir_group_join(world->group, -1));
    if (world->rank == 0) {
        send_and_shut(world, out, data, bytes);
        came = put_together(in, result, bytes);
    } else {
        pass_on(in, out, work);
    }
    weir_link_destroy(in);
    weir_link_destroy(out);
    return came == bytes;
}

static int hello(struct world *world)
{
    char *text = alloc_on(world->home, 6), back[6] = "";
    int same = around(world, memcpy(text, "hello", 6), back, 6, nothing);
    if (world->rank == 0)
        printf("%s, by way of %u processes\n", back, world->size);
    same = same && (world->rank || !strcmp(back, "hello"));
    weir_device_free(world->home, text);
    return same;
}

static int pipeline(struct world *world)
{
    uint32_t *numbers = alloc_on(world->home, COUNT * sizeof *numbers), wrong = 0;
    uint32_t *results = calloc(COUNT, sizeof *results);
    if (!results)
        exit(WRONG);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i * 2654435761u;
    wrong += !around(world, numbers, results, COUNT * sizeof *numbers, times_three_plus_one);
    for (uint32_t i = 0; world->rank == 0 && i < COUNT; i++) {
        uint32_t expected = numbers[i];
        for (uint32_t stage = 1; stage < world->size; stage++)
            expected = expected * 3 + 1;
        wrong += results[i] != expected;
    }
    if (world->rank == 0)
        printf("%d words through %u stages, %u wrong\n", COUNT, world->size - 1, wrong);
    weir_device_free(world->home, numbers);
    free(results);
    return wrong == 0;
}

/* ---- ping-pong -------------------------------------------------------------------------------------- */

/* Take the ball, if there is one to come, and hit it. */
static void hit(weir_link *in, weir_link *out, weir_segment *ball)
{
    weir_pending *pending = NULL;
    weir_future *sent;
    if (in)
        TRY(weir_link_next(in, -1, &pending, ball));
    ball->meta++;
    TRY(weir_link_send(out, ball, NULL, &sent));
    TRY(weir_future_wait(sent, -1));
    weir_future_release(sent);
    if (pending)
        TRY(weir_pending_release(pending, NULL));
}

static int ping_pong(struct world *world)
{
    weir_link *there = link_from_to(world, 0, 1), *back = link_from_to(world, 1, 0);
    weir_segment ball = {.device = world->home};
    struct timespec start, end;
    TRY(weir_group_join(world->group, -1));
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; world->rank == 1 && i < ROUNDS; i++)
        hit(there, back, &ball);
    for (int i = 0; world->rank == 0 && i < ROUNDS; i++)
        hit(i ? back : NULL, there, &ball);
    if (world->rank == 0) {
        weir_pending *pending;
        TRY(weir_link_next(back, -1, &pending, &ball));
        TRY(weir_pending_release(pending, NULL));
        (void)clock_gettime(CLOCK_MONOTONIC, &end);
        double ns =
            (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
        printf("%llu hits, %.1f us a round trip\n", (unsigned long long)ball.meta,
               ns / 1e3 / ROUNDS);
    }
    weir_link_destroy(there);
    weir_link_destroy(back);
    return world->rank || ball.meta == 2 * ROUNDS;
}

/* ---- scatter and gather ------------------------------------------------------------------------------- */

/* One router of all processes: each makes its part of it, under the same name. */
static weir_router *make_router(const struct world *world, const char *name, weir_policy policy)
{
    weir_router *router;
    TRY(weir_router_create(world->context, name, &policy, &router));
    return router;
}

static int scatter_gather(struct world *world)
{
    weir_router *deal = make_router(world, "deal", weir_policy_scatter(sizeof(uint32_t)));
    weir_router *collect = make_router(world, "collect", weir_policy_gather(0));
    weir_link *in[WEIR_GROUP_MAX], *out[WEIR_GROUP_MAX];
    uint32_t *numbers = alloc_on(world->home, COUNT * sizeof *numbers), wrong = 0;
    in[0] = make_link(world->ends[0], weir_router_endpoint(deal));
    out[0] = make_link(weir_router_endpoint(collect), world->ends[0]);
    for (uint32_t i = 1; i < world->size; i++) {
        out[i] = make_link(weir_router_endpoint(deal), world->ends[i]);
        in[i] = make_link(world->ends[i], weir_router_endpoint(collect));
    }
    TRY(weir_group_join(world->group, -1));
    if (world->rank == 0) {
        uint32_t *results = calloc(COUNT, sizeof *results);
        if (!results)
            exit(WRONG);
        for (uint32_t i = 0; i < COUNT; i++)
            numbers[i] = i;
        send_and_shut(world, in[0], numbers, COUNT * sizeof *numbers);
        wrong += put_together(out[0], (char *)results, COUNT * sizeof *results) !=
                 COUNT * sizeof *results;
        for (uint32_t i = 0; i < COUNT; i++)
            wrong += results[i] != i * 3 + 1;
        printf("%d numbers over %u processes, %u wrong\n", COUNT, world->size - 1, wrong);
        free(results);
    } else {
        pass_on(out[world->rank], in[world->rank], times_three_plus_one);
    }
    for (uint32_t i = 0; i < world->size; i++) {
        weir_link_destroy(in[i]);
        weir_link_destroy(out[i]);
    }
    weir_router_destroy(deal);
    weir_router_destroy(collect);
    weir_device_free(world->home, numbers);
    return wrong == 0;
}

/* ---- processes ------------------------------------------------------------------------------------------ */

static int run(void)
{
    struct world world = {.rank = 0};
    int right = 1;
    TRY(weir_context_create("host:1", NULL, &world.context));
    world.home = weir_context_home(world.context);
    TRY(weir_group_create(world.context, 30000, &world.group));
    world.rank = weir_group_rank(world.group);
    world.size = weir_group_size(world.group);
    for (uint32_t i = 0; i < world.size; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "process %u", i);
        if (i == world.rank)
            TRY(weir_endpoint_create(world.home, name, &world.ends[i]));
        else
            TRY(weir_endpoint_create_remote(world.group, i, name, &world.ends[i]));
    }
    right = hello(&world) && ping_pong(&world) && pipeline(&world) && scatter_gather(&world);
    for (uint32_t i = 0; i < world.size; i++)
        weir_endpoint_destroy(world.ends[i]);
    weir_group_destroy(world.group);
    weir_context_destroy(world.context);
    return right ? RIGHT : WRONG;
}

/* Spawned, not forked: a context has threads. @return whether all ended well. */
static int spawn_all(char **argv, uint32_t size)
{
    char path[] = "/tmp/weir-group.XXXXXX", number[16];
    pid_t pids[WEIR_GROUP_MAX];
    int right = mkdtemp(path) != NULL;
    (void)snprintf(number, sizeof number, "%u", size);
    (void)setenv("WEIR_GROUP", path, 1);
    (void)setenv("WEIR_SIZE", number, 1);
    for (uint32_t i = 0; i < size; i++) {
        (void)snprintf(number, sizeof number, "%u", i);
        (void)setenv("WEIR_RANK", number, 1);
        if (posix_spawn(&pids[i], "/proc/self/exe", NULL, NULL, argv, environ))
            exit(WRONG); /* the others give up when they have waited */
    }
    for (uint32_t i = 0; i < size; i++) {
        int how = 1;
        right = waitpid(pids[i], &how, 0) == pids[i] && how == 0 && right;
    }
    (void)rmdir(path);
    return right;
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    if (getenv("WEIR_SIZE"))
        return run();
    if (argc > 2 || size < 2 || size > WEIR_GROUP_MAX) {
        fprintf(stderr, "usage: %s [PROCESSES]      from 2 to %d\n", argv[0], WEIR_GROUP_MAX);
        return USAGE;
    }
    return spawn_all(argv, (uint32_t)size) ? RIGHT : WRONG;
}
