/** @file test_worklist_items.c  Invariant 1: every item is consumed once, or merged with one that
 * is.
 *
 * Over sets of devices, routes, orders, queue and packet sizes, numbers of buffers and seeds. */
#include "tests/worklist/worklist_fixture.h"

static const weir_route_kind routes[] = {WEIR_ROUTE_DIRECT, WEIR_ROUTE_RING};
static const uint64_t queues[] = {1, 16, 64, 1024, 0};
static const uint32_t packets[] = {1, 2, 7, 100, 1000000, 0};
static const char *const buffers[] = {"1", "2", "5"};
static const uint32_t deltas[] = {0, 1, 3, 100, UINT32_MAX};
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
}

/* Order number 0 is fifo, then soft with every delta, then soft left to the worklist. */
static void set_order(struct tree_setup *setup, size_t order)
{
    setup->config.order = order == 0 ? WEIR_ORDER_FIFO : WEIR_ORDER_SOFT;
    setup->config.delta = order == 0 ? 0 : deltas[order - 1];
}

static void invariant_1_every_item_is_consumed_once(void **state)
{
    uint64_t which = 0;
    for (size_t r = 0; r < 2; r++)
        for (size_t order = 0; order <= 5; order++)
            for (int repeat = 0; repeat < 3; repeat++) {
                struct tree_setup setup = tree_plain(*state);
                setup.config.route = routes[r];
                set_order(&setup, order);
                vary(&setup, which++);
                tree_run_once(&setup, which, 3);
            }
}

static void invariant_1_or_merged_with_one_that_is(void **state)
{
    uint64_t which = 100;
    for (size_t r = 0; r < 2; r++)
        for (size_t order = 0; order <= 5; order++) {
            struct tree_setup setup = tree_plain(*state);
            struct tree_world world;
            weir_worklist_stats stats;
            setup.merging = 1;
            setup.config.route = routes[r];
            set_order(&setup, order);
            vary(&setup, which++);
            tree_open(&world, &setup);
            for (uint32_t seeds = 1; seeds < 50; seeds += 20) {
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
    for (size_t r = 0; r < 2; r++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.tree.fan = 1;
        setup.tree.depth = 4;
        setup.config.route = routes[r];
        setup.config.queue_items = 128;
        setup.config.packet_items = 50;
        tree_open(&world, &setup);
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
            weir_worklist_stats stats = tree_run(&world, &setup, 1000 * i, seeds[i]);
            assert_true(stats.produced >= seeds[i]);
            assert_int_equal(stats.route, routes[r]);
            assert_int_equal(stats.order, world.devices > 1 ? WEIR_ORDER_SOFT : WEIR_ORDER_FIFO);
            assert_true(stats.ms >= 0);
        }
        tree_world_close(&world);
    }
}

/* Each item goes on to the device before its own: around almost the whole ring each time. */
static void a_chain_that_hops_all_around(void **state)
{
    for (size_t r = 0; r < 2; r++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.tree.shape = TREE_CHAIN;
        setup.tree.depth = 200;
        setup.tree.owner_rule = TREE_BY_DEPTH;
        setup.config.route = routes[r];
        setup.link_buffers = "1";
        setup.config.queue_items = 16;
        tree_open(&world, &setup);
        for (uint32_t d = 0; d < world.devices; d++) {
            world.tree[d].stride = world.devices > 1 ? world.devices - 1 : 1;
            assert_int_equal(weir_worklist_bind(world.list, d, &world.tree[d]), WEIR_OK);
        }
        weir_worklist_stats stats = tree_run(&world, &setup, 7, 1);
        uint64_t hops = r == 0 ? 1 : world.devices - 1;
        assert_int_equal(stats.produced, 201);
        assert_int_equal(stats.sent, world.devices > 1 ? 200 * hops : 0);
        tree_world_close(&world);
    }
}

/* Many at once on the ring, through buffers of one small packet: a ring full all around must go on.
 */
static void a_full_ring_goes_on(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    setup.tree.shape = TREE_CHAIN;
    setup.tree.depth = 20;
    setup.config.route = WEIR_ROUTE_RING;
    setup.config.queue_items = 16;
    setup.config.packet_items = 4;
    setup.link_buffers = "1";
    tree_run_once(&setup, 1, 400);
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
        ON_EACH_SPEC(a_full_ring_goes_on),
        ON_EACH_SPEC(the_largest_priority_is_reached),
        ON_EACH_SPEC(soft_order_defers),
    };
    return cmocka_run_group_tests_name("worklist items", tests, NULL, NULL);
}
