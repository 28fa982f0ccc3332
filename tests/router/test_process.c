/** @file test_process.c  Routers over several processes: what goes from one to the other is all there, in order. */
#include "tests/lib/processes.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PACKET 1000

static weir_link *link_to(weir_endpoint *source, weir_endpoint *destination, uint32_t buffers)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = PACKET;
    config.buffers = buffers;
    CHECK_OK(weir_link_create(source, destination, &config, &link));
    return link;
}

/* Host devices have their memory where the program can write. */
static void send_pattern(const struct world *world, weir_link *link, size_t bytes, uint64_t meta,
                         uint64_t seed)
{
    unsigned char *data;
    weir_future *done;
    void *memory;
    CHECK_OK(weir_device_alloc(world->device, bytes, &memory));
    data = memory;
    for (size_t i = 0; i < bytes; i++)
        data[i] = pattern_byte(seed, i);
    weir_segment segment = {.device = world->device, .data = data, .bytes = bytes, .meta = meta};
    CHECK_OK(weir_link_send(link, &segment, NULL, &done));
    CHECK_OK(weir_future_wait(done, LONG_MS));
    weir_future_release(done);
    weir_device_free(world->device, memory);
}

static int holds_pattern(const weir_segment *segment, uint64_t seed)
{
    return pattern_length(segment->data, segment->offset, segment->bytes, seed) == segment->bytes;
}

/* ---- one link ----------------------------------------------------------------------------------- */

/* A message of each size, in packets of the receiver's size, of which the sender knows nothing. */
static void one_way(struct world *world)
{
    static const size_t sizes[] = {0, 1, 999, 1000, 1001, 54321};
    weir_endpoint *from = endpoint_of(world, 0, "from"), *to = endpoint_of(world, 1, "to");
    weir_link *link = link_to(from, to, 3);
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    for (uint64_t m = 0; m < sizeof sizes / sizeof *sizes; m++) {
        size_t came = 0;
        if (world->rank == 0)
            send_pattern(world, link, sizes[m], 70 + m, m);
        do {
            weir_pending *pending;
            weir_segment got;
            if (world->rank == 0)
                break;
            CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
            CHECK(got.offset == came && got.meta == 70 + m && got.device == world->device);
            CHECK(got.bytes == (sizes[m] - came < PACKET ? sizes[m] - came : PACKET));
            CHECK(holds_pattern(&got, m));
            came += got.bytes;
            CHECK_OK(weir_pending_release(pending, NULL));
        } while (came < sizes[m]);
    }
    if (world->rank == 0) {
        CHECK_OK(weir_link_shutdown(link));
    } else {
        weir_pending *pending;
        weir_segment got;
        CHECK_STATUS(weir_link_next(link, LONG_MS, &pending, &got), WEIR_CLOSED);
    }
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
}

/* ---- all policies ------------------------------------------------------------------------------- */

#define MESSAGES 40
#define BYTES    7777

/* One router of all processes; each has an endpoint that sends and receives. */
struct ring {
    weir_router *router;
    weir_endpoint *endpoints[PROCESSES_MAX];
    weir_link *in[PROCESSES_MAX], *out[PROCESSES_MAX];
};

static void open_router(struct ring *r, struct world *world, weir_policy policy)
{
    CHECK_OK(weir_router_create(world->context, "all", &policy, &r->router));
    for (uint32_t i = 0; i < world->size; i++) {
        char name[] = {'e', (char)('0' + i), 0};
        r->endpoints[i] = endpoint_of(world, i, name);
    }
    for (uint32_t i = 0; i < world->size; i++) {
        r->in[i] = link_to(r->endpoints[i], weir_router_endpoint(r->router), 0);
        r->out[i] = link_to(weir_router_endpoint(r->router), r->endpoints[i], 2);
    }
    CHECK_OK(weir_group_join(world->group, LONG_MS));
}

static void close_router(struct ring *r, const struct world *world)
{
    for (uint32_t i = 0; i < world->size; i++) {
        weir_link_destroy(r->in[i]);
        weir_link_destroy(r->out[i]);
        weir_endpoint_destroy(r->endpoints[i]);
    }
    weir_router_destroy(r->router);
}

/* Everything is sent before anything is received, so receivers' buffers bound nothing but the copies. */
static weir_future *send_all(const struct world *world, weir_link *link, int to_rank, void *data,
                             weir_future **futures)
{
    for (uint64_t m = 0; m < MESSAGES; m++) {
        weir_segment segment = {
            .device = world->device,
            .data = data,
            .bytes = BYTES,
            .meta = to_rank ? (m + world->rank) % world->size : world->rank,
        };
        CHECK_OK(weir_link_send(link, &segment, NULL, &futures[m]));
    }
    CHECK_OK(weir_link_shutdown(link));
    return futures[0];
}

/* @return the bytes that came until all senders had shut down. @p any_seed: `meta` says to whom. */
static uint64_t receive_all(weir_link *link, uint64_t *from, int to_rank)
{
    uint64_t bytes = 0;
    weir_pending *pending;
    weir_segment got;
    weir_status status;
    while ((status = weir_link_next(link, LONG_MS, &pending, &got)) == WEIR_OK) {
        CHECK(got.meta < PROCESSES_MAX && got.offset + got.bytes <= BYTES);
        CHECK(holds_pattern(&got, to_rank ? 5 : got.meta));
        from[got.meta] += got.bytes;
        bytes += got.bytes;
        CHECK_OK(weir_pending_release(pending, NULL));
    }
    CHECK_STATUS(status, WEIR_CLOSED);
    return bytes;
}

/* Runs one policy; @return what came here, and from whom. */
static uint64_t exchange(struct world *world, weir_policy policy, int to_rank, uint64_t *from)
{
    struct ring r;
    weir_future *futures[MESSAGES];
    void *data;
    open_router(&r, world, policy);
    CHECK_OK(weir_device_alloc(world->device, BYTES, &data));
    for (size_t i = 0; i < BYTES; i++)
        ((unsigned char *)data)[i] = pattern_byte(to_rank ? 5 : world->rank, i);
    (void)send_all(world, r.in[world->rank], to_rank, data, futures);
    uint64_t bytes = receive_all(r.out[world->rank], from, to_rank);
    for (int m = 0; m < MESSAGES; m++) {
        CHECK_OK(weir_future_wait(futures[m], LONG_MS));
        weir_future_release(futures[m]);
    }
    weir_device_free(world->device, data);
    close_router(&r, world);
    return bytes;
}

#define ALL ((uint64_t)MESSAGES * BYTES)

static void everybody_gets_what_everybody_sends(struct world *world)
{
    uint64_t from[PROCESSES_MAX] = {0};
    CHECK(exchange(world, weir_policy_broadcast(), 0, from) == ALL * world->size);
    for (uint32_t i = 0; i < world->size; i++)
        CHECK(from[i] == ALL);
}

static void parts_go_to_everybody(struct world *world)
{
    uint64_t from[PROCESSES_MAX] = {0}, part = BYTES / world->size;
    exchange(world, weir_policy_scatter(1), 0, from);
    part += world->rank < BYTES % world->size;
    for (uint32_t i = 0; i < world->size; i++)
        CHECK(from[i] == part * MESSAGES);
}

static void all_goes_to_one(struct world *world)
{
    uint64_t from[PROCESSES_MAX] = {0};
    uint64_t came = exchange(world, weir_policy_gather(1), 0, from);
    CHECK(came == (world->rank == 1 ? ALL * world->size : 0));
}

static void the_next_one_gets_it(struct world *world)
{
    uint64_t from[PROCESSES_MAX] = {0};
    CHECK(exchange(world, weir_policy_ring(), 0, from) == ALL);
    CHECK(from[(world->rank + world->size - 1) % world->size] == ALL);
}

/* Process 0 is the root, whose messages go to the last output; the others send to their parents. */
static void parents_get_it(struct world *world)
{
    uint64_t from[PROCESSES_MAX] = {0};
    exchange(world, weir_policy_tree(), 0, from);
    for (uint32_t i = 0; i < world->size; i++)
        CHECK(from[i] == (world->rank == (i > 0 ? (i - 1) / 2 : world->size - 1) ? ALL : 0));
}

static void meta_says_who_gets_it(struct world *world)
{
    uint64_t from[PROCESSES_MAX] = {0};
    uint64_t came = exchange(world, weir_policy_direct(), 1, from);
    CHECK(came == from[world->rank] && came > 0);
    if (MESSAGES % world->size == 0)
        CHECK(came == ALL);
}

/* Who gets how much of it is nobody's to say, but each byte goes to one: process 0 adds up. */
static void add_up(struct world *world, weir_policy policy)
{
    uint64_t from[PROCESSES_MAX] = {0};
    uint64_t came = exchange(world, policy, 0, from);
    weir_endpoint *sum = endpoint_of(world, 0, "sum");
    for (uint32_t i = 1; i < world->size; i++) {
        if (world->rank != 0 && world->rank != i)
            continue;
        char name[] = {'c', (char)('0' + i), 0};
        weir_endpoint *count = endpoint_of(world, i, name);
        weir_link *link = link_to(count, sum, 1);
        CHECK_OK(weir_group_join(world->group, LONG_MS));
        if (world->rank == 0) {
            weir_pending *pending;
            weir_segment got;
            CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
            came += got.meta;
            CHECK_OK(weir_pending_release(pending, NULL));
        } else {
            send_pattern(world, link, 0, came, 0);
            CHECK_OK(weir_link_shutdown(link));
        }
        weir_link_destroy(link);
        weir_endpoint_destroy(count);
    }
    weir_endpoint_destroy(sum);
    if (world->rank == 0)
        CHECK(came == ALL * world->size);
}

static void one_of_all_gets_it(struct world *world)
{
    add_up(world, weir_policy_any());
}

static void the_lowest_free_gets_it(struct world *world)
{
    add_up(world, weir_policy_priority(NULL));
}

/* ---- more of a graph ---------------------------------------------------------------------------- */

/* The processes share the messages, and none waits for the others: they all receive only later. */
static void *send_share(const struct world *world, weir_link *link, weir_future **done)
{
    void *data;
    CHECK_OK(weir_device_alloc(world->device, BYTES, &data));
    for (size_t i = 0; i < BYTES; i++)
        ((unsigned char *)data)[i] = pattern_byte(world->rank, i);
    weir_segment segment = {
        .device = world->device, .data = data, .bytes = BYTES, .meta = world->rank};
    for (uint32_t m = world->rank; m < MESSAGES; m += world->size)
        CHECK_OK(weir_link_send(link, &segment, NULL, &done[m]));
    CHECK_OK(weir_link_shutdown(link));
    return data; /* to be freed when all is done */
}

/* Routers that feed routers, in all processes alike: what one of them sends comes to all. */
static void routers_feed_routers(struct world *world)
{
    weir_policy any = weir_policy_any(), broadcast = weir_policy_broadcast();
    weir_router *front, *back;
    weir_endpoint *ends[PROCESSES_MAX];
    weir_link *in[PROCESSES_MAX], *out[PROCESSES_MAX], *chain;
    uint64_t from[PROCESSES_MAX] = {0};
    CHECK_OK(weir_router_create(world->context, "front", &any, &front));
    CHECK_OK(weir_router_create(world->context, "back", &broadcast, &back));
    for (uint32_t i = 0; i < world->size; i++) {
        char name[] = {'e', (char)('0' + i), 0};
        ends[i] = endpoint_of(world, i, name);
        in[i] = link_to(ends[i], weir_router_endpoint(front), 0);
        out[i] = link_to(weir_router_endpoint(back), ends[i], 3);
    }
    CHECK_OK(
        weir_link_create(weir_router_endpoint(front), weir_router_endpoint(back), NULL, &chain));
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    weir_future *done[MESSAGES] = {NULL};
    void *data = send_share(world, in[world->rank], done);
    uint64_t came = receive_all(out[world->rank], from, 0);
    CHECK(came == ALL);
    for (int m = 0; m < MESSAGES; m++) {
        if (done[m]) /* only now may links go */
            CHECK_OK(weir_future_wait(done[m], LONG_MS));
        weir_future_release(done[m]);
    }
    for (uint32_t i = 0; i < world->size; i++) {
        weir_link_destroy(in[i]);
        weir_link_destroy(out[i]);
        weir_endpoint_destroy(ends[i]);
    }
    weir_link_destroy(chain);
    weir_device_free(world->device, data);
    weir_router_destroy(front);
    weir_router_destroy(back);
}

/* Packets land where the program wants them, as within a process. */
static void into_memory_of_ones_own(struct world *world)
{
    weir_endpoint *from = endpoint_of(world, 0, "from"), *to = endpoint_of(world, 1, "to");
    weir_link *link = link_to(from, to, WEIR_BUFFERS_NONE);
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 0) {
        send_pattern(world, link, 10 * PACKET, 3, 9);
        CHECK_OK(weir_link_shutdown(link));
    } else {
        weir_pending *pending[11];
        weir_segment got;
        void *memory;
        CHECK_OK(weir_device_alloc(world->device, 11 * PACKET, &memory));
        for (size_t i = 0; i < 11; i++)
            CHECK_OK(weir_link_receive_into(link, (char *)memory + i * PACKET, PACKET, NULL,
                                            &pending[i]));
        for (size_t i = 0; i < 10; i++) {
            CHECK_OK(weir_pending_wait(pending[i], LONG_MS, &got));
            CHECK(got.data == (char *)memory + i * PACKET && got.offset == i * PACKET);
            CHECK(got.meta == 3 && got.bytes == PACKET && holds_pattern(&got, 9));
            CHECK_OK(weir_pending_release(pending[i], NULL));
        }
        CHECK_STATUS(weir_pending_wait(pending[10], LONG_MS, &got), WEIR_CLOSED);
        CHECK_OK(weir_pending_release(pending[10], NULL));
        weir_device_free(world->device, memory);
    }
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
}

static void count_room(void *user)
{
    atomic_fetch_add_explicit((_Atomic int *)user, 1, memory_order_relaxed);
}

#define BOUND   3
#define BOUNDED 25

/* Process 1 is stopped: two packets go into its inbox, three messages may wait for more, and no sixth. */
static void send_bounded(struct world *world, weir_link *link, const _Atomic int *rooms)
{
    weir_segment segment = {.device = world->device};
    int how = 0;
    CHECK(kill(world->pids[1], SIGSTOP) == 0);
    CHECK(waitpid(world->pids[1], &how, WUNTRACED) == world->pids[1] && WIFSTOPPED(how));
    for (segment.meta = 0; segment.meta < 2 + BOUND; segment.meta++)
        CHECK_OK(weir_link_send(link, &segment, NULL, NULL));
    weir_status full = weir_link_send(link, &segment, NULL, NULL);
    weir_status late = weir_link_send_wait(link, &segment, NULL, 50, NULL);
    int early = atomic_load_explicit(rooms, memory_order_relaxed);
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    weir_status known = weir_link_stats_get(link, &stats);
    CHECK(kill(world->pids[1], SIGCONT) == 0);
    CHECK_STATUS(full, WEIR_FULL);
    CHECK_STATUS(late, WEIR_ERR_TIMEOUT);
    CHECK_OK(known);
    CHECK(early == 0 && stats.send_messages == BOUND && stats.backlog_messages == BOUND);
    weir_future *done = NULL;
    for (; segment.meta < BOUNDED; segment.meta++) {
        weir_future_release(done);
        CHECK_OK(weir_link_send_wait(link, &segment, NULL, LONG_MS, &done));
    }
    CHECK_OK(weir_future_wait(done, LONG_MS)); /* only now may the link go */
    weir_future_release(done);
    CHECK(atomic_load_explicit(rooms, memory_order_relaxed) > 0);
}

static void bounds_hold_for_a_stopped_receiver(struct world *world)
{
    weir_endpoint *from = endpoint_of(world, 0, "from"), *to = endpoint_of(world, 1, "to");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    _Atomic int rooms = 0;
    weir_link *link;
    config.packet_bytes = PACKET;
    config.buffers = 2;
    config.send_messages = BOUND;
    config.room = count_room;
    config.room_user = &rooms;
    CHECK_OK(weir_link_create(from, to, &config, &link));
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    weir_pending *pending;
    weir_segment got;
    if (world->rank == 0) {
        send_bounded(world, link, &rooms);
        CHECK_OK(weir_link_shutdown(link));
    }
    for (uint64_t m = 0; world->rank == 1 && m < BOUNDED; m++) {
        CHECK_OK(weir_link_next(link, LONG_MS, &pending, &got));
        CHECK(got.meta == m);
        CHECK_OK(weir_pending_release(pending, NULL));
    }
    if (world->rank == 1)
        CHECK_STATUS(weir_link_next(link, LONG_MS, &pending, &got), WEIR_CLOSED);
    weir_link_destroy(link);
    weir_endpoint_destroy(from);
    weir_endpoint_destroy(to);
}

/* ---- priorities --------------------------------------------------------------------------------- */

#define LOW  30
#define HIGH 5

static void send_unread(const struct world *world, weir_link *low, weir_link *high)
{
    weir_segment segment = {.device = world->device};
    weir_future *done[LOW + HIGH];
    int how = 0;
    CHECK(kill(world->pids[1], SIGSTOP) == 0);
    CHECK(waitpid(world->pids[1], &how, WUNTRACED) == world->pids[1] && WIFSTOPPED(how));
    for (segment.meta = 0; segment.meta < LOW + HIGH; segment.meta++)
        CHECK_OK(
            weir_link_send(segment.meta < LOW ? low : high, &segment, NULL, &done[segment.meta]));
    CHECK(kill(world->pids[1], SIGCONT) == 0);
    for (int i = 0; i < LOW + HIGH; i++) { /* only then may the links go */
        CHECK_OK(weir_future_wait(done[i], LONG_MS));
        weir_future_release(done[i]);
    }
}

/* What goes into another process while that stands still: behind what its inbox holds the urgent ones come first. */
static void urgent_ones_first(struct world *world)
{
    weir_policy gather = weir_policy_gather(0);
    weir_endpoint *from[2], *to = endpoint_of(world, 1, "to");
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *in[2], *out;
    weir_router *router;
    CHECK_OK(weir_router_create(world->context, "urgent", &gather, &router));
    for (int i = 0; i < 2; i++) {
        config.priority = i;
        from[i] = endpoint_of(world, 0, i ? "high" : "low");
        CHECK_OK(weir_link_create(from[i], weir_router_endpoint(router), &config, &in[i]));
    }
    out = link_to(weir_router_endpoint(router), to, 2);
    CHECK_OK(weir_group_join(world->group, LONG_MS));
    if (world->rank == 0) {
        send_unread(world, in[0], in[1]);
        for (int i = 0; i < 2; i++)
            CHECK_OK(weir_link_shutdown(in[i]));
    }
    uint64_t lows = 0, highs = 0;
    while (world->rank == 1 && lows + highs < LOW + HIGH) {
        weir_pending *pending;
        weir_segment got;
        CHECK_OK(weir_link_next(out, LONG_MS, &pending, &got));
        CHECK(got.meta == (got.meta < LOW ? lows : LOW + highs)); /* each in its order */
        lows += got.meta < LOW;
        highs += got.meta >= LOW;
        CHECK(highs == HIGH || lows < LOW / 2);
        CHECK_OK(weir_pending_release(pending, NULL));
    }
    for (int i = 0; i < 2; i++) {
        weir_link_destroy(in[i]);
        weir_endpoint_destroy(from[i]);
    }
    weir_link_destroy(out);
    weir_router_destroy(router);
    weir_endpoint_destroy(to);
}

static const struct scene scenes[] = {
    {"one way", one_way},
    {"broadcast", everybody_gets_what_everybody_sends},
    {"scatter", parts_go_to_everybody},
    {"gather", all_goes_to_one},
    {"ring", the_next_one_gets_it},
    {"direct", meta_says_who_gets_it},
    {"any", one_of_all_gets_it},
    {"priority", the_lowest_free_gets_it},
    {"chain", routers_feed_routers},
    {"into", into_memory_of_ones_own},
    {"tree", parents_get_it},
    {"bounds", bounds_hold_for_a_stopped_receiver},
    {"urgent", urgent_ones_first},
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

#define PLAYED(f, i, what)                                 \
    {                                                      \
        what, f, NULL, NULL, (void *)(uintptr_t)&scenes[i] \
    }
#define TWO(i, what)   PLAYED(in_two_processes, i, what " in two processes")
#define THREE(i, what) PLAYED(in_three_processes, i, what " in three processes")

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TWO(0, "one way"),   TWO(1, "broadcast"),       TWO(2, "scatter"), TWO(3, "gather"),
        TWO(4, "ring"),      TWO(5, "direct"),          TWO(6, "any"),     TWO(7, "priority"),
        TWO(8, "chain"),     TWO(9, "into own memory"), THREE(8, "chain"), THREE(1, "broadcast"),
        THREE(2, "scatter"), THREE(3, "gather"),        THREE(4, "ring"),  THREE(5, "direct"),
        THREE(6, "any"),     THREE(7, "priority"),      TWO(10, "tree"),   THREE(10, "tree"),
        TWO(11, "bounds"),   TWO(12, "urgent"),
    };
    play_if_spawned(argc, argv, scenes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
