/** @file test_worklist_publish.c  Invariant 5: no worker reads an item before it was published.
 *
 * Every packed item carries a checksum that is looked at where it arrives and where it is consumed.
 * Small packets through few buffers make each buffer be written again and again, so one that is
 * read too early, or written too early, holds another item. Under a thread sanitizer this says
 * more. */
#include "tests/worklist/worklist_fixture.h"
#include "tests/lib/share.h"

#if defined(__SANITIZE_THREAD__)
enum { DEPTH = 7 };
#define STRIDE 5u /* each route, still */
#else
enum { DEPTH = 8 };
#define STRIDE (unsigned)test_stride()
#endif

static void stress(const char *spec, weir_route_kind route, const char *buffers, uint32_t packet)
{
    struct tree_setup setup = tree_plain(spec);
    struct tree_world world;
    setup.tree.depth = DEPTH;
    setup.config.route = route;
    setup.config.queue_items = 256;
    setup.config.packet_items = packet;
    setup.link_buffers = buffers;
    tree_open(&world, &setup);
    for (uint64_t run = 0; run < 2; run++)
        tree_run(&world, &setup, 100 * run, 8); /* counts corrupt items */
    tree_world_close(&world);
}

static void invariant_5_items_arrive_as_they_were_sent(void **state)
{
    static const char *const buffers[] = {"1", "2", "5"};
    static const uint32_t packets[] = {1, 3, 100};
    for (size_t i = 0; i < 18; i += STRIDE)
        stress(*state, every_route[i % EVERY_ROUTE], buffers[i / 6], packets[i / 2 % 3]);
}

/* What arrived is counted for what it holds: the checks above are no empty words. */
static void invariant_5_a_torn_item_would_be_seen(void **state)
{
    struct tree_setup setup = tree_plain(*state);
    struct tree_world world;
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    tree_item root = tree_root(1);
    tree_wire wire;
    setup.tree.shape = TREE_CHAIN;
    setup.tree.depth = 0;
    tree_open(&world, &setup);
    uint32_t owner = tree_pack(&world.tree[0], &root, &wire);
    wire.filling ^= UINT64_C(1) << 40;
    assert_int_equal(weir_worklist_seed(world.list, owner, &wire, 1), WEIR_OK);
    assert_int_equal(weir_worklist_run(world.list, &stats), WEIR_OK);
    assert_non_null(tree_world_check(&world, &stats));
    tree_world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(invariant_5_items_arrive_as_they_were_sent),
        ON_EACH_SPEC(invariant_5_a_torn_item_would_be_seen),
    };
    return cmocka_run_group_tests_name("worklist publish", tests, NULL, NULL);
}
