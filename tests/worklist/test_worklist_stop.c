/** @file test_worklist_stop.c  Invariant 4: an error, a cancel or a time limit stops every worker.
 *
 * The operator reproduces for ever, so only a stop ends a run. No limit here is tight. */
#include "tests/worklist/worklist_fixture.h"

static struct tree_setup endless(const char *spec)
{
    struct tree_setup setup = tree_plain(spec);
    setup.tree.shape = TREE_ENDLESS;
    setup.tree.fan = 1;
    setup.config.queue_items = 1024;
    return setup;
}

struct canceller {
    weir_worklist *list;
    unsigned after_us;
    pthread_t thread;
};

static void *cancel_later(void *data)
{
    struct canceller *canceller = data;
    usleep(canceller->after_us);
    weir_worklist_cancel(canceller->list);
    return NULL;
}

/* One line of counters for each worker. */
static void assert_dump(const struct tree_world *world)
{
    const char *detail = weir_error_detail();
    for (uint32_t d = 0; d < world->devices; d++) {
        char line[40];
        snprintf(line, sizeof line, "worker %u: produced", d);
        if (!strstr(detail, line))
            fail_msg("no '%s' in: %s", line, detail);
    }
}

static void assert_stopped(struct tree_world *world, weir_status expected, const char *sentence)
{
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    for (int again = 0; again < 2; again++) { /* only destroying it is possible: it stays so */
        assert_int_equal(weir_worklist_run(world->list, &stats), expected);
        assert_non_null(strstr(weir_error_detail(), sentence));
        assert_dump(world);
    }
}

static void invariant_4_a_cancel_in_the_middle(void **state)
{
    static const unsigned after_us[] = {0, 1000, 30000};
    for (size_t i = 0; i < 3 * EVERY_ROUTE; i++) {
        struct tree_setup setup = endless(*state);
        struct tree_world world;
        setup.config.route = every_route[i % EVERY_ROUTE];
        tree_open(&world, &setup);
        struct canceller canceller = {.list = world.list, .after_us = after_us[i / EVERY_ROUTE]};
        assert_int_equal(tree_world_seed(&world, 1, 100), WEIR_OK);
        assert_int_equal(pthread_create(&canceller.thread, NULL, cancel_later, &canceller), 0);
        weir_status status = weir_worklist_run(world.list, NULL);
        pthread_join(canceller.thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        assert_stopped(&world, WEIR_ERR_CANCELLED, "was cancelled");
        tree_world_close(&world);
    }
}

static void invariant_4_a_cancel_before_the_run(void **state)
{
    struct tree_setup setup = endless(*state);
    struct tree_world world;
    tree_open(&world, &setup);
    assert_int_equal(tree_world_seed(&world, 1, 10), WEIR_OK);
    weir_worklist_cancel(world.list);
    weir_worklist_cancel(world.list);
    assert_stopped(&world, WEIR_ERR_CANCELLED, "was cancelled");
    tree_world_close(&world);
}

static void invariant_4_a_time_limit(void **state)
{
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT};
    for (int i = 0; i < 2; i++) {
        struct tree_setup setup = endless(*state);
        struct tree_world world;
        setup.config.time_limit_ms = 50;
        setup.config.order = orders[i];
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 1, 50), WEIR_OK);
        assert_stopped(&world, WEIR_ERR_TIMEOUT, "time limit of 50 ms");
        tree_world_close(&world);
    }
}

/* Two stops at a time, full lanes and spills all over: the first counts, and nothing hangs. */
static void invariant_4_a_stop_while_everything_is_full(void **state)
{
    struct tree_setup setup = endless(*state);
    struct tree_world world;
    setup.tree.fan = 2;
    setup.spill_bytes = "1GiB";
    setup.config.queue_items = 16;
    setup.config.packet_items = 1;
    setup.config.route = WEIR_ROUTE_RING;
    setup.config.time_limit_ms = 40;
    setup.link_buffers = "1";
    tree_open(&world, &setup);
    struct canceller canceller = {.list = world.list, .after_us = 40000};
    assert_int_equal(tree_world_seed(&world, 1, 100), WEIR_OK);
    assert_int_equal(pthread_create(&canceller.thread, NULL, cancel_later, &canceller), 0);
    weir_status status = weir_worklist_run(world.list, NULL);
    pthread_join(canceller.thread, NULL);
    /* A fast device fills even the room in host memory sooner than anybody stops it. */
    const int fast = strstr((const char *)*state, "cuda") != NULL;
    assert_true(status == WEIR_ERR_CANCELLED || status == WEIR_ERR_TIMEOUT ||
                (fast && status == WEIR_ERR_NOMEM));
    tree_world_close(&world);
}

/* Runs that end by themselves, each with its own seeds; then one that would not, with another state. */
static void open_and_run(struct tree_world *world, const struct tree_setup *setup, uint32_t runs)
{
    tree_open(world, setup);
    for (uint32_t run = 1; run <= runs; run++)
        tree_run(world, setup, 100 * run, run % 3);
    for (uint32_t d = 0; d < world->devices; d++) {
        world->tree[d].shape = TREE_ENDLESS;
        world->tree[d].fan = 1;
        assert_int_equal(weir_worklist_bind(world->list, d, &world->tree[d]), WEIR_OK);
    }
    assert_int_equal(tree_world_seed(world, 1, 100), WEIR_OK);
}

/* A run has words that the run before has reset, and a stop must find them however early it comes. */
static void invariant_4_a_cancel_of_a_later_run(void **state)
{
    static const unsigned after_us[] = {0, 300, 20000};
    for (uint32_t i = 0; i < 9; i++) {
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        open_and_run(&world, &setup, 1 + i / 3);
        struct canceller canceller = {.list = world.list, .after_us = after_us[i % 3]};
        assert_int_equal(pthread_create(&canceller.thread, NULL, cancel_later, &canceller), 0);
        weir_status status = weir_worklist_run(world.list, NULL);
        pthread_join(canceller.thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        assert_stopped(&world, WEIR_ERR_CANCELLED, "was cancelled");
        tree_world_close(&world);
    }
}

static void invariant_4_a_time_limit_of_a_later_run(void **state)
{
    for (uint32_t runs = 1; runs <= 2; runs++) { /* there are two banks of words */
        struct tree_setup setup = tree_plain(*state);
        struct tree_world world;
        setup.config.time_limit_ms = 400;
        setup.tree.depth = 3;
        open_and_run(&world, &setup, runs);
        assert_stopped(&world, WEIR_ERR_TIMEOUT, "time limit of 400 ms");
        tree_world_close(&world);
    }
}

/* A stop ends that run and no other: not of the same context, not of another one. */
static void a_stop_leaves_others_alone(void **state)
{
    struct tree_setup setup = endless(*state), finite = tree_plain(*state);
    struct tree_world world, other;
    weir_worklist *second;
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    setup.config.time_limit_ms = 20;
    tree_open(&world, &setup);
    tree_open(&other, &finite);
    assert_int_equal(weir_worklist_create(world.source, world.worker, world.devices,
                                          &weir__tree_operator, NULL, &second),
                     WEIR_OK);
    assert_int_equal(tree_world_seed(&world, 1, 10), WEIR_OK);
    assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_TIMEOUT);
    tree_run(&other, &finite, 1, 5);
    for (uint32_t d = 0; d < world.devices; d++) {
        world.tree[d].shape = TREE_CHAIN;
        world.tree[d].depth = 10;
        assert_int_equal(weir_worklist_bind(second, d, &world.tree[d]), WEIR_OK);
    }
    tree_item root = tree_root(1);
    tree_wire wire;
    uint32_t owner = tree_pack(&world.tree[0], &root, &wire);
    for (int again = 0; again < 2; again++) { /* once beside the stopped one, once without it */
        assert_int_equal(weir_worklist_seed(second, owner, &wire, 1), WEIR_OK);
        assert_int_equal(weir_worklist_run(second, &stats), WEIR_OK);
        assert_int_equal(stats.processed, 11);
        weir_worklist_destroy(world.list);
        world.list = NULL;
    }
    weir_worklist_destroy(second);
    tree_world_close(&other);
    tree_world_close(&world);
}

static void a_worklist_that_never_ran(void **state)
{
    struct tree_setup setup = endless(*state);
    struct tree_world world;
    tree_open(&world, &setup);
    assert_int_equal(tree_world_seed(&world, 1, 100), WEIR_OK);
    tree_world_close(&world);
    tree_open(&world, &setup);
    weir_worklist_cancel(world.list);
    tree_world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(invariant_4_a_cancel_in_the_middle),
        ON_EACH_SPEC(invariant_4_a_cancel_before_the_run),
        ON_EACH_SPEC(invariant_4_a_time_limit),
        ON_EACH_SPEC(invariant_4_a_cancel_of_a_later_run),
        ON_EACH_SPEC(invariant_4_a_time_limit_of_a_later_run),
        ON_EACH_SPEC(invariant_4_a_stop_while_everything_is_full),
        ON_EACH_SPEC(a_stop_leaves_others_alone),
        ON_EACH_SPEC(a_worklist_that_never_ran),
    };
    return cmocka_run_group_tests_name("worklist stop", tests, NULL, NULL);
}
