/** @file test_worklist_own.c  Mapping "own": an operator that was compiled with a schedule of its own. */
#include "tests/lib/live.h"
#include "tests/worklist/worklist_fixture.h"

static uint64_t walks(void)
{
    return __atomic_load_n(&tree_own_walks, __ATOMIC_RELAXED);
}

static int on_hosts(const char *spec)
{
    return strncmp(spec, "host", 4) == 0;
}

/* Every item once, and the schedule was asked: by warps and by blocks. A worker that is a thread has its
 * tiles for itself. */
static void every_item_is_consumed_once(void **state)
{
    static const weir_worker_kind workers[] = {WEIR_WORKER_AUTO, WEIR_WORKER_WARP,
                                               WEIR_WORKER_BLOCK};
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT, WEIR_ORDER_BULK};
    static const weir_kernel_kind kernels[] = {WEIR_KERNEL_AUTO, WEIR_KERNEL_DISCRETE,
                                               WEIR_KERNEL_LIVE};
    for (size_t i = 0; i < (live_runs_on(*state) ? 21 : 18);
         i++) { /* live kernels take fifo alone */
        struct tree_setup setup = tree_plain(*state);
        setup.own_schedule = 1;
        setup.tree.depth = 6;
        setup.config.mapping = WEIR_MAPPING_OWN;
        setup.config.worker = workers[i % 3];
        setup.config.order = orders[i / 3 % 3];
        setup.config.kernel = kernels[i / 9];
        setup.config.fetch = i % 5 == 4 ? 100 : 0;
        uint64_t before = walks();
        weir_worklist_stats stats = tree_run_once(&setup, i, 5);
        assert_int_equal(stats.mapping, WEIR_MAPPING_OWN);
        if (on_hosts(*state))
            assert_true(walks() > before);
    }
}

/* Tiles of many atoms are walked whole: nothing is cut under a mapping that was asked for. */
static void a_hub_is_walked_whole(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    setup.own_schedule = 1;
    setup.tree.shape = TREE_HUB;
    setup.tree.fan = 5000;
    setup.config.mapping = WEIR_MAPPING_OWN;
    weir_worklist_stats stats = tree_run_once(&setup, 1, 2);
    assert_int_equal(stats.produced, 2 * 5001);
    assert_int_equal(stats.cut, 0);
}

static void other_mappings_do_not_ask_it(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    setup.own_schedule = 1;
    setup.tree.depth = 6;
    for (int mapping = WEIR_MAPPING_AUTO; mapping < WEIR_MAPPING_OWN; mapping++) {
        uint64_t before = walks();
        setup.config.mapping = (weir_mapping_kind)mapping;
        tree_run_once(&setup, 9, 3);
        assert_int_equal(walks(), before);
    }
}

/* A thread of a host device asks for the atoms of each tile that it takes, and for the tiles of near items before. */
static void tiles_are_fetched_ahead(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    setup.own_schedule = 1;
    setup.tree.depth = 8;
    setup.config.mapping = WEIR_MAPPING_GROUP;
    if (!strstr(*state, "cuda") ||
        !strstr(*state, "host")) /* a GPU and a host device do not reach each other */
        setup.config.kernel = WEIR_KERNEL_FUSED;
    const uint64_t tiles = tree_own_tiles_fetched, atoms = tree_own_atoms_fetched;
    weir_worklist_stats stats = tree_run_once(&setup, 3, 2);
    if (!on_hosts(*state))
        return;
    assert_true(tree_own_tiles_fetched > tiles);
    assert_true(tree_own_tiles_fetched - tiles <= stats.processed);
    assert_int_equal(tree_own_atoms_fetched - atoms, stats.processed - stats.stale);
}

static void refused_for_operators_without(void **state)
{
    struct tree_setup setup = tree_plain("host:2");
    struct tree_world world;
    (void)state;
    setup.config.mapping = WEIR_MAPPING_OWN;
    for (setup.merging = 0; setup.merging <= 1; setup.merging++) {
        assert_int_equal(tree_world_open(&world, &setup), WEIR_ERR_UNSUPPORTED);
        assert_non_null(strstr(weir_error_detail(), "WEIR_SCHEDULE"));
    }
}

static void refused_where_no_lane_asks_it(void **state)
{
    struct tree_setup setup = tree_plain("host:2");
    struct tree_world world;
    (void)state;
    setup.own_schedule = 1;
    setup.config.mapping = WEIR_MAPPING_OWN;
    setup.config.worker = WEIR_WORKER_THREAD;
    assert_int_equal(tree_world_open(&world, &setup), WEIR_ERR_UNSUPPORTED);
    assert_non_null(strstr(weir_error_detail(), "mapping has no effect"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(every_item_is_consumed_once),
        ON_EACH_SPEC(a_hub_is_walked_whole),
        ON_EACH_SPEC(other_mappings_do_not_ask_it),
        ON_EACH_SPEC(tiles_are_fetched_ahead),
        cmocka_unit_test(refused_for_operators_without),
        cmocka_unit_test(refused_where_no_lane_asks_it),
    };
    return cmocka_run_group_tests_name("worklist own", tests, NULL, NULL);
}
