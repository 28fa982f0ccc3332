/** @file test_worklist_full.c  Invariant 3: a full queue pushes back or spills; memory is bounded.
 */
#include "tests/worklist/worklist_fixture.h"

#if defined(__SANITIZE_THREAD__)
#define HUB  20000
#define TILE 100000u
#else
#define HUB  100000
#define TILE 2200000u
#endif

/* One item with a great many children: they come out of one worker, and nothing is large enough. */
static struct tree_setup hub(const char *spec)
{
    struct tree_setup setup = tree_plain(spec);
    setup.tree.shape = TREE_HUB;
    setup.tree.fan = HUB;
    setup.spill_bytes = "32MiB";
    setup.config.queue_items = 4096;
    setup.config.packet_items = 512;
    setup.link_buffers = "2";
    return setup;
}

static void invariant_3_a_hub_spills_and_nothing_is_lost(void **state)
{
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT};
    for (size_t r = 0; r < EVERY_ROUTE; r++)
        for (int o = 0; o < 2; o++) {
            struct tree_setup setup = hub(*state);
            setup.config.route = every_route[r];
            setup.config.order = orders[o];
            setup.config.delta = orders[o] == WEIR_ORDER_SOFT;
            /* All on one device, so its queue must overflow, whatever the number of devices. */
            setup.tree.owner_rule = TREE_BY_DEPTH;
            setup.tree.stride = 0;
            weir_worklist_stats stats = tree_run_once(&setup, 3, 1);
            assert_int_equal(stats.produced, HUB + 1);
            if (stats.spilled == 0)
                fail_msg("%s: nothing was spilled", tree_describe(&setup));
        }
}

/* A kernel a round: the host looks at what it wants while it is given chunks. Rounds are long enough for that. */
static void invariant_3_a_round_of_the_host_spills(void **state)
{
    struct tree_setup setup = hub(*state);
    setup.config.kernel = WEIR_KERNEL_DISCRETE;
    setup.config.queue_items = 64;
    setup.tree.owner_rule = TREE_BY_DEPTH;
    setup.tree.stride = 0;
    weir_worklist_stats stats = tree_run_once(&setup, 3, 8);
    assert_int_equal(stats.produced, 8 * (HUB + 1));
    assert_true(stats.spilled > 0);
}

static void invariant_3_a_hub_pushes_back_on_full_lanes(void **state)
{
    struct tree_setup setup = hub(*state);
    setup.config.queue_items = 64;
    setup.config.packet_items = 32;
    setup.tree.fan = HUB / 10;
    setup.config.route = WEIR_ROUTE_RING;
    struct tree_world world;
    tree_open(&world, &setup);
    weir_worklist_stats stats = tree_run(&world, &setup, 3, 1);
    assert_int_equal(stats.produced, HUB / 10 + 1);
    /* A lane holds two packets, so what crosses it takes many rounds; a single device has no lanes. */
    for (uint32_t from = 0; from < world.devices; from++)
        for (uint32_t to = 0; to < world.devices; to++) {
            uint64_t crossed;
            assert_int_equal(weir_worklist_link_items(world.list, from, to, &crossed), WEIR_OK);
            assert_true(stats.rounds > crossed / 64);
        }
    assert_true(world.devices == 1 || stats.sent > HUB / 10 / 3);
    tree_world_close(&world);
}

static void invariant_3_the_smallest_queues(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = tree_plain(*state);
        setup.config.route = every_route[r];
        setup.config.queue_items = 1; /* 16 */
        setup.config.packet_items = 1;
        setup.config.order = WEIR_ORDER_SOFT;
        setup.config.delta = 7;
        setup.tree.priority_rule = TREE_PRIORITY_ANY;
        setup.tree.spread = 40;
        setup.link_buffers = "1";
        weir_worklist_stats stats = tree_run_once(&setup, 21, 4);
        assert_true(stats.produced > 100);
    }
}

/* Items that double for ever come to the bound of the spill: an answer, not a hang. */
static void invariant_3_the_spill_is_bounded(void **state)
{
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT};
    static const char *const bounds[] = {"0", "64KiB"};
    for (int o = 0; o < 4; o++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.tree.shape = TREE_ENDLESS;
        setup.tree.priority_rule = TREE_PRIORITY_DEPTH;
        setup.spill_bytes = bounds[o / 2];
        setup.config.order = orders[o % 2];
        setup.config.delta = orders[o % 2] == WEIR_ORDER_SOFT;
        setup.config.queue_items = 64;
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 1, 10), WEIR_OK);
        weir_status status = weir_worklist_run(world.list, NULL);
        if (status != WEIR_ERR_NOMEM)
            fail_msg("%s: %s: %s", tree_describe(&setup), weir_status_text(status),
                     weir_error_detail());
        assert_non_null(strstr(weir_error_detail(), "WEIR_SPILL_BYTES"));
        assert_non_null(strstr(weir_error_detail(), "worker 0: produced"));
        tree_world_close(&world);
    }
}

static void invariant_3_queues_come_out_of_the_pool(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    struct tree_world world;
    skip_if_left_out(setup.spec);
    setup.pool_bytes = "8MiB"; /* of each device, and of the host for what spills */
    setup.spill_bytes = "1MiB";
    setup.config.queue_items = 1 << 22;
    weir_status status = tree_world_open(&world, &setup);
    if (status == WEIR_ERR_NODEV)
        skip_without(setup.spec);
    assert_int_equal(status, WEIR_ERR_NOMEM);
    setup.config.queue_items = 1024;
    setup.config.packet_items = 64;
    tree_run_once(&setup, 1, 3);
}

/* Room for what spills is taken as it is needed. It comes out of the host's pool, which the sentence names. */
static void invariant_3_what_spills_comes_out_of_the_pool(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    struct tree_world world;
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    setup.tree.shape = TREE_ENDLESS;
    setup.pool_bytes = "8MiB";
    setup.spill_bytes = "1GiB";
    setup.config.queue_items = 64;
    setup.config.packet_items = 64;
    tree_open(&world, &setup);
    weir_device_pool_stats(weir_context_home(world.context), &pool);
    assert_true(pool.used_bytes < 1 << 20);
    assert_int_equal(tree_world_seed(&world, 1, 10), WEIR_OK);
    assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_NOMEM);
    assert_non_null(strstr(weir_error_detail(), "WEIR_POOL_BYTES"));
    tree_world_close(&world);
}

/* All of WEIR_SPILL_BYTES is there for whichever bag needs it: here for the near ones, 24 bytes an item. */
static void invariant_3_one_bag_may_spill_nearly_all(void **state)
{
    struct tree_setup setup = hub(*state);
    const uint64_t bytes = (uint64_t)HUB * 24 * 5 / 4; /* a sixth of it would not do */
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    setup.spill_bytes = text;
    setup.config.order = WEIR_ORDER_FIFO;
    setup.tree.owner_rule = TREE_BY_DEPTH;
    setup.tree.stride = 0;
    weir_worklist_stats stats = tree_run_once(&setup, 3, 1);
    assert_int_equal(stats.produced, HUB + 1);
    assert_true(stats.spilled > HUB / 2);
}

/* Pieces of a tile of millions of atoms are longer than usual, and none is cut again. Where a mapping is asked for,
 * tiles are cut from two millions on. */
static void a_tile_of_millions_of_atoms(void **state)
{
    static const weir_mapping_kind mappings[] = {WEIR_MAPPING_AUTO, WEIR_MAPPING_MERGE};
    for (int m = 0; m < 2; m++) {
        struct tree_setup setup = hub(*state);
        setup.tree.fan = TILE;
        setup.spill_bytes = NULL;
        setup.config.queue_items = 65536;
        setup.config.mapping = mappings[m];
        weir_worklist_stats stats = tree_run_once(&setup, 3, 1);
        assert_int_equal(stats.produced, TILE + 1);
        assert_int_equal(stats.atoms,
                         2 * (uint64_t)TILE + 1); /* one of each item, and the children */
    }
}

/* What cannot be counted is refused, not counted wrongly. */
static void a_tile_of_too_many_atoms_is_refused(void **state)
{
    for (uint32_t more = 0; more < 3; more++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.tree.shape = TREE_VAST;
        setup.tree.fan = more;
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 1, 1), WEIR_OK);
        assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_INVALID);
        assert_non_null(strstr(weir_error_detail(), "a tile of more than 4294967294 atoms"));
        tree_world_close(&world);
    }
}

/* The smallest bag of pieces has room for sixteen. What is left of several tiles must be countable together. */
static void tiles_of_too_many_atoms_together_are_refused(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    struct tree_world world;
    setup.tree.shape = TREE_VAST;
    setup.tree.fan = (uint32_t) - (1 << 29); /* 2^32 - 1 - 2^29 atoms each */
    setup.config.queue_items = 16;
    tree_open(&world, &setup);
    assert_int_equal(tree_world_seed(&world, 1, 12), WEIR_OK);
    assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_INVALID);
    assert_non_null(
        strstr(weir_error_detail(), "tiles beside each other with more than 268435423"));
    tree_world_close(&world);
}

/* A packet that comes while pieces wait waits for their round to end: in that round nothing is cut, and nothing is
 * refused. Packets of one item each, of which some are pieces soon and the last one is too long. */
static void what_arrives_is_not_among_pieces(void **state)
{
    for (uint32_t before = 1; before < 12; before++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        uint32_t have = 0;
        setup.tree.shape = TREE_VAST;
        setup.tree.fan = (uint32_t)1 << 31; /* 2^31 - 1 atoms */
        setup.tree.twigs = 3000;
        setup.tree.depth = 0;
        setup.link_buffers = "2";
        setup.config.kernel = WEIR_KERNEL_DISCRETE;
        setup.config.queue_items = 16;
        setup.config.packet_items = 1;
        tree_open(&world, &setup);
        for (uint64_t seed = 1; have <= before; seed++)
            if (tree_is_vast(&world.tree[0], &(tree_item){.tag = tree_root(seed).tag}) ==
                (have == before)) { /* the last one */
                assert_int_equal(tree_world_seed(&world, seed, 1), WEIR_OK);
                have++;
            }
        assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_INVALID);
        assert_non_null(strstr(weir_error_detail(), "for whose pieces"));
        tree_world_close(&world);
    }
}

/* After a round of pieces there is cutting and refusing again, whether that round was planned or not. */
static void after_pieces_tiles_are_cut(void **state)
{
    static const uint32_t more[] = {(uint32_t)1 << 31, 0, 2}; /* below, at and beyond 2^32 - 1 */
    for (uint64_t seed = 1; seed < 19; seed++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.tree.shape = TREE_VAST;
        setup.tree.fan = more[seed % 3];
        setup.tree.twigs = 3000;
        setup.tree.depth = 1;
        setup.config.queue_items = 4096; /* all children are near, of one bag */
        setup.config.order = seed % 2 ? WEIR_ORDER_FIFO : WEIR_ORDER_SOFT;
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, seed, 1), WEIR_OK);
        assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_INVALID);
        assert_non_null(strstr(weir_error_detail(), "for whose pieces"));
        tree_world_close(&world);
    }
}

/* Nothing that a run took from a pool is still taken after it, spilled items among it. */
static void a_worklist_gives_its_memory_back(void **state)
{
    struct tree_setup setup = hub(*state);
    struct tree_world world;
    weir_pool_stats fresh = WEIR_POOL_STATS_INIT, before = WEIR_POOL_STATS_INIT,
                    after = WEIR_POOL_STATS_INIT;
    setup.config.queue_items = 64;
    tree_open(&world, &setup);
    weir_device_pool_stats(weir_context_home(world.context), &fresh);
    assert_true(tree_run(&world, &setup, 3, 1).spilled > 0);
    weir_device_pool_stats(weir_context_home(world.context), &before);
    assert_true(before.used_bytes - fresh.used_bytes < 65536); /* seeds; no chunk is so small */
    tree_run(&world, &setup, 3, 1);
    weir_device_pool_stats(weir_context_home(world.context), &after);
    assert_int_equal(after.used_bytes, before.used_bytes);
    weir_worklist_destroy(world.list);
    world.list = NULL;
    weir_device_pool_stats(weir_context_home(world.context), &after);
    assert_int_equal(after.allocations, 0);
    for (uint32_t d = 0; d < world.devices; d++) {
        weir_device_pool_stats(weir_context_device(world.context, d), &after);
        assert_int_equal(after.allocations, 1); /* the operator's own */
    }
    tree_world_close(&world);
}

static void refused_at_create(void **state)
{
    (void)state;
    struct tree_setup setup = tree_plain("host:2");
    struct tree_world world;
    weir_worklist *list;
    weir_worklist_config config = WEIR_WORKLIST_CONFIG_INIT;
    weir_operator empty = weir__tree_operator;
    empty.item_bytes = 0;
    tree_open(&world, &setup);
    weir_endpoint *swapped[] = {world.worker[1], world.worker[0]};
#define REFUSED(source, workers, count, op, config)                                   \
    assert_int_equal(weir_worklist_create(source, workers, count, op, config, &list), \
                     WEIR_ERR_INVALID);                                               \
    assert_null(list)
    REFUSED(world.source, world.worker, 0, &weir__tree_operator, NULL);
    REFUSED(world.source, world.worker, 3, &weir__tree_operator, NULL);
    REFUSED(world.source, swapped, 2, &weir__tree_operator, NULL);
    REFUSED(world.worker[0], world.worker, 2, &weir__tree_operator, NULL);
    REFUSED(NULL, world.worker, 2, &weir__tree_operator, NULL);
    REFUSED(world.source, world.worker, 2, NULL, NULL);
    REFUSED(world.source, world.worker, 2, &empty, NULL);
    config.queue_items = (UINT64_C(1) << 31) + 1;
    REFUSED(world.source, world.worker, 2, &weir__tree_operator, &config);
    config.queue_items = 0;
    config.order = (weir_order_kind)7;
    REFUSED(world.source, world.worker, 2, &weir__tree_operator, &config);
    config.order = WEIR_ORDER_AUTO;
    config.route = (weir_route_kind)7;
    REFUSED(world.source, world.worker, 2, &weir__tree_operator, &config);
    config.route = WEIR_ROUTE_AUTO;
    config.size = 1;
    REFUSED(world.source, world.worker, 2, &weir__tree_operator, &config);
    assert_int_equal(weir_worklist_bind(world.list, 2, &world.tree[0]), WEIR_ERR_INVALID);
    assert_int_equal(weir_worklist_seed(world.list, 2, NULL, 0), WEIR_ERR_INVALID);
    assert_int_equal(weir_worklist_seed(world.list, 1, NULL, 0), WEIR_OK);
    tree_run(&world, &setup, 1, 5); /* what was refused left nothing behind */
    tree_world_close(&world);
    weir_worklist_destroy(NULL);
    assert_null(weir_order_kind_text((weir_order_kind)4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(invariant_3_a_hub_spills_and_nothing_is_lost),
        ON_EACH_SPEC(invariant_3_a_round_of_the_host_spills),
        ON_EACH_SPEC(invariant_3_a_hub_pushes_back_on_full_lanes),
        ON_EACH_SPEC(invariant_3_the_smallest_queues),
        ON_EACH_SPEC(invariant_3_the_spill_is_bounded),
        ON_EACH_SPEC(invariant_3_queues_come_out_of_the_pool),
        ON_EACH_SPEC(invariant_3_what_spills_comes_out_of_the_pool),
        ON_EACH_SPEC(invariant_3_one_bag_may_spill_nearly_all),
        ON(a_tile_of_millions_of_atoms, "host:1"),
        ON(a_tile_of_millions_of_atoms, "host:1x2"),
        ON(a_tile_of_millions_of_atoms, "cuda:0"),
        ON(a_tile_of_millions_of_atoms, "cuda:0-1"),
        ON_EACH_SPEC(a_tile_of_too_many_atoms_is_refused),
        ON(tiles_of_too_many_atoms_together_are_refused, "host:1"),
        ON(tiles_of_too_many_atoms_together_are_refused, "host:2"),
        ON(tiles_of_too_many_atoms_together_are_refused, "cuda:0"),
        ON(what_arrives_is_not_among_pieces, "host:1"),
        ON(what_arrives_is_not_among_pieces, "host:1x2"),
        ON(what_arrives_is_not_among_pieces, "cuda:0"),
        ON_EACH_SPEC(after_pieces_tiles_are_cut),
        ON_EACH_SPEC(a_worklist_gives_its_memory_back),
        cmocka_unit_test(refused_at_create),
    };
    return cmocka_run_group_tests_name("worklist full", tests, NULL, NULL);
}
