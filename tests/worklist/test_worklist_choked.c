/** @file test_worklist_choked.c  Workers that make items for others faster than those take them in, over lanes of
 *  two slots and with little room. */
#include "tests/worklist/worklist_fixture.h"

#include "worklist/engine/engine.h"

#define ROOTS 12u /* of each device */
#define STUBS 4u  /* of each item; for another device */
#define QUEUE 64u

static struct tree_setup spines(const char *spec)
{
    struct tree_setup setup = tree_plain(spec);
    setup.tree.shape = TREE_SPINE;
    setup.tree.owner_rule = TREE_BY_KIND;
    setup.tree.priority_rule = TREE_PRIORITY_DOWN; /* what stays is near, once its root is */
    setup.tree.fan = STUBS;
    setup.tree.depth = 12;
    setup.spill_bytes = "0";
    setup.link_buffers = "1";
    setup.config.queue_items = QUEUE;
    setup.config.packet_items = 1;
    return setup;
}

/* Seed so many roots of a device, from the next seed on that makes one. */
static void seed(struct tree_world *world, uint32_t device, uint32_t roots, uint64_t *next)
{
    for (uint32_t have = 0; have < roots; (*next)++)
        if (tree_owner_of(&world->tree[0], tree_root(*next).tag, 0) == device) {
            assert_int_equal(tree_world_seed(world, *next, 1), WEIR_OK);
            have++;
        }
}

static void run(struct tree_world *world, const struct tree_setup *setup)
{
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    if (weir_worklist_run(world->list, &stats))
        fail_msg("%s: %s", tree_describe(setup), weir_error_detail());
    const char *wrong = tree_world_check(world, &stats);
    if (wrong)
        fail_msg("%s: %s", tree_describe(setup), wrong);
}

/* Each round makes 48 items that leave, and a lane takes two of them: a worker that went on would hold more than
 * it can, 128, after three rounds. */
static void what_leaves_waits_for_credits(void **state)
{
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT, WEIR_ORDER_BULK};
    static const weir_kernel_kind kernels[] = {WEIR_KERNEL_FUSED, WEIR_KERNEL_DISCRETE};
    for (int i = 0; i < 6; i++) {
        struct tree_setup setup = spines(*state);
        struct tree_world world;
        uint64_t next = 1;
        setup.config.route = WEIR_ROUTE_DIRECT;
        setup.config.order = orders[i % 3];
        setup.config.delta = setup.config.order == WEIR_ORDER_SOFT;
        setup.config.kernel = kernels[i / 3];
        tree_open(&world, &setup);
        for (uint32_t d = 0; d < world.devices; d++)
            seed(&world, d, ROOTS, &next);
        run(&world, &setup);
        tree_world_close(&world);
    }
}

/* One device makes 96 items for another, by way of others if the route wants it, and can hold 132: it and those on
 * the way may stop to process, but not for ever. */
static void every_route_goes_on(void **state)
{
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT, WEIR_ORDER_BULK};
    static const weir_kernel_kind kernels[] = {WEIR_KERNEL_FUSED, WEIR_KERNEL_DISCRETE};
    for (size_t i = 0; i < 3 * 2 * EVERY_ROUTE; i++) {
        struct tree_setup setup = spines(*state);
        struct tree_world world;
        uint64_t next = 1;
        setup.tree.stride = 2;
        setup.spill_bytes = "14400"; /* six bags of 100 items */
        setup.config.queue_items = 16;
        setup.config.route = every_route[i % EVERY_ROUTE];
        setup.config.order = orders[i / EVERY_ROUTE % 3];
        setup.config.delta = setup.config.order == WEIR_ORDER_SOFT;
        setup.config.kernel = kernels[i / EVERY_ROUTE / 3];
        tree_open(&world, &setup);
        seed(&world, 0, 2, &next);
        run(&world, &setup);
        tree_world_close(&world);
    }
}

/* Device 1 begins late, as one does that is in a long round. */
static void late_host(const void *data, uint32_t worker, uint32_t workers)
{
    const struct weir_engine_args *args = data;
    if (args->index == 1 && worker == 0)
        usleep(200000);
    weir__tree_operator.fused.host(data, worker, workers);
}

/* Device 0 holds items for device 1, which is late, and gets items from device 2 all the while, which make items
 * that stay. */
static void what_stays_does_not_wait_for_ever(void **state)
{
    static weir_operator late;
    struct tree_setup setup = spines(*state);
    struct tree_world world;
    uint64_t next = 1;
    setup.tree.depth = 1;
    setup.tree.fan = 20;
    setup.tree.twigs = 2;
    setup.config.route = WEIR_ROUTE_DIRECT;
    setup.config.order = WEIR_ORDER_FIFO;
    tree_open(&world, &setup);
    weir_worklist_destroy(world.list);
    late = weir__tree_operator;
    late.fused.host = late_host;
    assert_int_equal(weir_worklist_create(world.source, world.worker, world.devices, &late,
                                          &setup.config, &world.list),
                     WEIR_OK);
    for (uint32_t d = 0; d < world.devices; d++)
        assert_int_equal(weir_worklist_bind(world.list, d, &world.tree[d]), WEIR_OK);
    seed(&world, 0, 5, &next);
    seed(&world, 2, 5, &next);
    run(&world, &setup);
    tree_world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(what_leaves_waits_for_credits, "host:1"),
        ON(what_leaves_waits_for_credits, "host:2"),
        ON(what_leaves_waits_for_credits, "host:3"),
        ON(every_route_goes_on, "host:3"),
        ON(every_route_goes_on, "host:2x3"),
#ifndef __SANITIZE_THREAD__ /* many threads that poll are slow there */
        ON(what_leaves_waits_for_credits, "host:8"),
        ON(every_route_goes_on, "host:8"),
#endif
        ON(what_stays_does_not_wait_for_ever, "host:3"),
    };
    return cmocka_run_group_tests_name("worklist choked", tests, NULL, NULL);
}
