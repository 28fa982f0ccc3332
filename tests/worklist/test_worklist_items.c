/** @file test_worklist_items.c  Invariant 1: every item is consumed once, or merged with one that
 * is.
 *
 * Over sets of devices, routes, orders, kernels, workers, mappings, queue and packet sizes, numbers of
 * buffers and seeds. */
#include "tests/worklist/worklist_fixture.h"
#include "worklist/host/internal.h"
#include "tests/lib/choices.h"
#include "tests/lib/share.h"

/* Under a thread sanitizer threads cost many times as much. */
#if defined(__SANITIZE_THREAD__)
enum { DEPTH = 6, KEYS = 60, FEW = 4 };
#define STRIDE 3u
#else
enum { DEPTH = 8, KEYS = 300, FEW = 1 };
#define STRIDE (unsigned)test_stride()
#endif

static const uint64_t queues[] = {1, 16, 64, 1024, 0};
static const uint32_t packets[] = {1, 2, 7, 100, 20000, 0};
static const char *const buffers[] = {"1", "2", "5"};
static const uint32_t deltas[] = {0, 1, 3, 100, UINT32_MAX};
static const weir_kernel_kind kernels[] = {WEIR_KERNEL_AUTO, WEIR_KERNEL_AUTO,
                                           WEIR_KERNEL_DISCRETE};
static const weir_worker_kind workers[] = {WEIR_WORKER_AUTO, WEIR_WORKER_THREAD, WEIR_WORKER_WARP,
                                           WEIR_WORKER_BLOCK};
static const weir_mapping_kind mappings[] = {WEIR_MAPPING_AUTO,  WEIR_MAPPING_THREAD,
                                             WEIR_MAPPING_WARP,  WEIR_MAPPING_BLOCK,
                                             WEIR_MAPPING_GROUP, WEIR_MAPPING_MERGE};
static const uint32_t groups[] = {0, 1, 8, 1024};
static const uint32_t fetches[] = {0, 0, 1, 3, 100};
static const uint32_t priorities[] = {TREE_PRIORITY_DEPTH, TREE_PRIORITY_ANY, TREE_PRIORITY_DOWN};

#define PICK(list, roll) ((list)[(roll) % (sizeof(list) / sizeof *(list))])

/* The sizes and rules of case number `which`, the same in every run of the test. */
static void vary(struct tree_setup *setup, uint64_t which)
{
    uint64_t roll = tree_mix(which);
    setup->config.queue_items = PICK(queues, roll);
    setup->config.packet_items = PICK(packets, roll >> 8);
    setup->link_buffers = PICK(buffers, roll >> 16);
    setup->tree.priority_rule = PICK(priorities, roll >> 24);
    setup->tree.owner_rule = (uint32_t)(roll >> 32) % 2;
    setup->tree.stride = 1 + (uint32_t)(roll >> 40) % 3;
    roll = tree_mix(roll);
    setup->config.kernel = PICK(kernels, roll);
    setup->config.worker = PICK(workers, roll >> 8);
    setup->config.mapping = PICK(mappings, roll >> 16);
    if (setup->config.mapping == WEIR_MAPPING_GROUP)
        setup->config.group = PICK(groups, roll >> 24);
    if (!choice_has_effect(setup->config.worker, setup->config.mapping, setup->config.group)) {
        setup->config.mapping = WEIR_MAPPING_AUTO;
        setup->config.group = 0;
    }
    setup->config.fetch = PICK(fetches, roll >> 32);
}

/* Order number 0 is fifo, then soft with every delta, then bulk. */
static void set_order(struct tree_setup *setup, size_t order)
{
    const size_t widths = sizeof deltas / sizeof *deltas;
    setup->config.order = order == 0        ? WEIR_ORDER_FIFO
                          : order <= widths ? WEIR_ORDER_SOFT
                                            : WEIR_ORDER_BULK;
    setup->config.delta = order == 0 || order > widths ? 0 : deltas[order - 1];
}
#define EVERY_ORDER (sizeof deltas / sizeof *deltas + 2)

/* Where the numbers of a spec's cases begin, so that each spec has others. */
static uint64_t first_case(const char *spec)
{
    uint64_t sum = 0;
    for (; *spec; spec++)
        sum = 31 * sum + (unsigned char)*spec;
    return 1000 * sum;
}

static void invariant_1_every_item_is_consumed_once(void **state)
{
    uint64_t which = first_case(*state);
    for (size_t r = 0; r < EVERY_ROUTE; r++)
        for (size_t order = r % STRIDE; order < EVERY_ORDER; order += STRIDE) {
            struct tree_setup setup = tree_plain(*state);
            setup.tree.depth = DEPTH;
            setup.config.route = every_route[r];
            set_order(&setup, order);
            vary(&setup, which++);
            tree_run_once(&setup, which, 3);
        }
}

static void invariant_1_or_merged_with_one_that_is(void **state)
{
    uint64_t which = 100 + first_case(*state);
    for (size_t r = 0; r < EVERY_ROUTE; r++)
        for (size_t order = r % STRIDE; order < EVERY_ORDER; order += STRIDE) {
            struct tree_setup setup = tree_plain(*state);
            struct tree_world world;
            weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
            setup.merging = 1;
            setup.min.keys = KEYS;
            setup.config.route = every_route[r];
            set_order(&setup, order);
            vary(&setup, which++);
            tree_open(&world, &setup);
            for (uint32_t seeds = 1; seeds < 50; seeds += 40) {
                if (tree_world_seed_keys(&world, seeds) || weir_worklist_run(world.list, &stats))
                    fail_msg("%s: %s", tree_describe(&setup), weir_error_detail());
                const char *wrong = tree_world_check_keys(&world, seeds, &stats);
                if (wrong)
                    fail_msg("%s: %s", tree_describe(&setup), wrong);
            }
            tree_world_close(&world);
        }
}

/* Seeds of all workers, none, more than a packet and a queue; one worklist, run after run. */
static void any_number_of_seeds_and_runs(void **state)
{
    static const uint32_t seeds[] = {64, 0, 1, 5000, 0, 0, 200};
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.tree.fan = 1;
        setup.tree.depth = 4;
        setup.config.route = every_route[r];
        setup.config.queue_items = 128;
        setup.config.packet_items = 50;
        tree_open(&world, &setup);
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
            weir_worklist_stats stats = tree_run(&world, &setup, 1000 * i, seeds[i]);
            assert_true(stats.produced >= seeds[i]);
            assert_int_equal(stats.route, every_route[r]);
            assert_int_equal(stats.order, WEIR_ORDER_FIFO);
            assert_true(stats.ms > 0);
        }
        tree_world_close(&world);
    }
}

/* Steps that a plan makes of a chain from `at` on, each of whose items goes `stride` devices on. */
static uint64_t count_steps(const weir_route_plan *plan, uint32_t at, uint32_t stride,
                            uint32_t items)
{
    uint64_t steps = 0;
    for (; items; items--) {
        uint32_t to = (at + stride) % plan->devices;
        for (; at != to; steps++)
            at = plan->next[at][to];
    }
    return steps;
}

#define CHAIN (120 / FEW)

/* Each item goes on to the device before its own: around almost the whole ring each time, over the
 * root of the tree most times. */
static void a_chain_that_hops_all_around(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.tree.shape = TREE_CHAIN;
        setup.tree.depth = CHAIN;
        setup.tree.owner_rule = TREE_BY_DEPTH;
        setup.config.route = every_route[r];
        setup.link_buffers = "1";
        setup.config.queue_items = 16;
        tree_open(&world, &setup);
        for (uint32_t d = 0; d < world.devices; d++) {
            world.tree[d].stride = world.devices > 1 ? world.devices - 1 : 1;
            assert_int_equal(weir_worklist_bind(world.list, d, &world.tree[d]), WEIR_OK);
        }
        weir_worklist_stats stats = tree_run(&world, &setup, 7, 1);
        tree_item root = tree_root(7);
        tree_wire wire;
        uint32_t owner = tree_pack(&world.tree[0], &root, &wire);
        assert_int_equal(stats.produced, CHAIN + 1);
        assert_int_equal(stats.sent, count_steps(&world.list->routes, owner,
                                                 world.devices > 1 ? world.devices - 1 : 1, CHAIN));
        tree_world_close(&world);
    }
}

/* Many at once, through buffers of one small packet: a ring that is full all around must go on,
 * and a tree whose root and leaves wait for each other. */
static void full_routes_go_on(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = tree_plain(*state);
        setup.tree.shape = TREE_CHAIN;
        setup.tree.depth = 20;
        setup.config.route = every_route[r];
        setup.config.queue_items = 16;
        setup.config.packet_items = 4;
        setup.link_buffers = "1";
        tree_run_once(&setup, 1, 400 / FEW);
    }
}

/* Whether each device reaches the memory of each other. */
static int straight(const struct tree_world *world)
{
    int all = 1;
    for (uint32_t d = 0; d < world->devices; d++)
        for (uint32_t to = 0; to < world->devices; to++)
            all &= weir_device_reaches(weir_context_device(world->context, d),
                                       weir_context_device(world->context, to));
    return all;
}

/* On its staged route all that a worker gets from another goes through host memory; on others only
 * what cannot go straight. */
static void a_staged_route_goes_through_host_memory(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.config.route = every_route[r];
        setup.config.kernel = WEIR_KERNEL_DISCRETE;
        tree_open(&world, &setup);
        weir_worklist_stats stats = tree_run(&world, &setup, 3, 20);
        uint64_t carried = 0, staged = 0;
        for (uint32_t d = 0; d < world.devices; d++) {
            weir_link_stats link = WEIR_LINK_STATS_INIT;
            weir_link_stats_get(world.list->workers[d].in, &link);
            carried += link.packets;
            staged += link.by[WEIR_TRANSPORT_STAGED];
        }
        assert_true(world.devices == 1 || stats.sent > 0);
        if (every_route[r] == WEIR_ROUTE_STAGED && world.devices > 1)
            assert_true(staged > 0 &&
                        staged < carried); /* seeds come from the host and are there */
        else if (straight(&world))
            assert_int_equal(staged, 0);
        tree_world_close(&world);
    }
}

/* The same where kernels send by themselves: the lanes lie in host memory. */
static void a_fused_staged_route_lies_in_host_memory(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.config.route = every_route[r];
        tree_open(&world, &setup);
        weir_worklist_stats stats = tree_run(&world, &setup, 3, 20);
        assert_true(world.devices == 1 || stats.sent > 0);
        if (stats.kernel == WEIR_KERNEL_FUSED && straight(&world))
            assert_int_equal(world.list->home_words, every_route[r] == WEIR_ROUTE_STAGED);
        tree_world_close(&world);
    }
}

/* The largest priority cannot be under any threshold but the last: it must not be waited for. */
static void the_largest_priority_is_reached(void **state)
{
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        struct tree_setup setup = tree_plain(*state);
        setup.tree.priority_rule = TREE_PRIORITY_LAST;
        setup.tree.depth = 4;
        setup.config.order = WEIR_ORDER_SOFT;
        setup.config.delta = deltas[i];
        setup.config.time_limit_ms = 5000;
        tree_run_once(&setup, 5, 2);
    }
}

static void soft_order_defers(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    setup.config.order = WEIR_ORDER_SOFT;
    setup.config.delta = 1;
    weir_worklist_stats stats = tree_run_once(&setup, 11, 20);
    assert_true(stats.deferred > 0);
    assert_true(stats.raises > 0);
    assert_int_equal(stats.delta, 1);
    setup.config.order = WEIR_ORDER_FIFO;
    setup.config.delta = 0;
    stats = tree_run_once(&setup, 11, 20);
    assert_int_equal(stats.deferred, 0);
    assert_int_equal(stats.raises, 0);
    assert_int_equal(stats.delta, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(invariant_1_every_item_is_consumed_once),
        ON_EACH_SPEC(invariant_1_or_merged_with_one_that_is),
        ON_EACH_SPEC(any_number_of_seeds_and_runs),
        ON_EACH_SPEC(a_chain_that_hops_all_around),
        ON_EACH_SPEC(full_routes_go_on),
        ON_EACH_SPEC(a_staged_route_goes_through_host_memory),
        ON_EACH_SPEC(a_fused_staged_route_lies_in_host_memory),
        ON_EACH_SPEC(the_largest_priority_is_reached),
        ON_EACH_SPEC(soft_order_defers),
    };
    return cmocka_run_group_tests_name("worklist items", tests, NULL, NULL);
}
