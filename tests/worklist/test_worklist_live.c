/** @file test_worklist_live.c  Kernel live: the invariants of a worklist hold for it as for those with rounds.
 *
 * Over sets of devices, routes, workers, mappings, items a pop, numbers and sizes of queues, packets and channels. */
#include "tests/lib/choices.h"
#include "tests/worklist/worklist_fixture.h"
#include "worklist/host/internal.h"
#include "tests/lib/share.h"

#include <stdlib.h>

/* Under a thread sanitizer threads cost many times as much. */
#if defined(__SANITIZE_THREAD__)
enum { DEPTH = 6, KEYS = 60, CASES = 12, HUB = 20000, CHAIN = 60 };
#else
enum { DEPTH = 8, KEYS = 300, CASES = 48, HUB = 100000, CHAIN = 400 };
#endif

static const uint64_t rooms[] = {1, 16, 64, 1024, 0};
static const uint32_t counts[] = {0, 1, 2, 7, 64};
static const uint32_t packets[] = {1, 2, 7, 100, 20000, 0};
static const char *const buffers[] = {"1", "2", "5"};
static const weir_worker_kind workers[] = {WEIR_WORKER_AUTO, WEIR_WORKER_THREAD, WEIR_WORKER_WARP,
                                           WEIR_WORKER_BLOCK};
static const weir_mapping_kind mappings[] = {WEIR_MAPPING_AUTO,  WEIR_MAPPING_THREAD,
                                             WEIR_MAPPING_WARP,  WEIR_MAPPING_BLOCK,
                                             WEIR_MAPPING_GROUP, WEIR_MAPPING_MERGE};
static const uint32_t groups[] = {0, 1, 8, 1024};
static const uint32_t fetches[] = {0, 1, 3, 100, 4096};

/* Devices that run them. */
#define ON_EACH_LIVE(f)                                                                    \
    ON(f, "host:1"), ON(f, "host:1x3"), ON(f, "host:2"), ON(f, "host:3"), ON(f, "host:8"), \
        ON(f, "host:4x2"), ON(f, "cuda:0"), ON(f, "cuda:0-1"), ON(f, "cuda:0-3")

#define PICK(list, roll) ((list)[(roll) % (sizeof(list) / sizeof *(list))])

static struct tree_setup live(const char *spec)
{
    struct tree_setup setup = tree_plain(spec);
    setup.config.kernel = WEIR_KERNEL_LIVE;
    return setup;
}

/* The choices of case number `which`, the same in every run of the test. */
static void vary(struct tree_setup *setup, uint64_t which)
{
    uint64_t roll = tree_mix(which);
    setup->config.route = PICK(every_route, which);
    setup->config.queue_items = PICK(rooms, roll);
    setup->config.queues = PICK(counts, roll >> 8);
    setup->config.packet_items = PICK(packets, roll >> 16);
    setup->link_buffers = PICK(buffers, roll >> 24);
    setup->tree.owner_rule = (uint32_t)(roll >> 32) % 2;
    setup->tree.stride = 1 + (uint32_t)(roll >> 40) % 3;
    roll = tree_mix(roll);
    setup->config.worker = PICK(workers, roll);
    setup->config.mapping = PICK(mappings, roll >> 8);
    if (setup->config.mapping == WEIR_MAPPING_GROUP)
        setup->config.group = PICK(groups, roll >> 16);
    if (!choice_has_effect(setup->config.worker, setup->config.mapping, setup->config.group)) {
        setup->config.mapping = WEIR_MAPPING_AUTO;
        setup->config.group = 0;
    }
    setup->config.fetch = PICK(fetches, roll >> 24);
}

static const char *describe(const struct tree_setup *setup)
{
    static char text[400];
    snprintf(text, sizeof text, "%s queues %u", tree_describe(setup), setup->config.queues);
    return text;
}

static weir_worklist_stats run(struct tree_world *world, const struct tree_setup *setup)
{
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    if (weir_worklist_run(world->list, &stats))
        fail_msg("%s: %s", describe(setup), weir_error_detail());
    const char *wrong = tree_world_check(world, &stats);
    if (wrong)
        fail_msg("%s: %s", describe(setup), wrong);
    assert_int_equal(stats.kernel, WEIR_KERNEL_LIVE);
    assert_int_equal(stats.order, WEIR_ORDER_FIFO);
    assert_int_equal(stats.rounds, 0);
    assert_true(stats.queues > 0);
    if (setup->config.queues)
        assert_int_equal(stats.queues, setup->config.queues);
    return stats;
}

/* Where the numbers of a spec's cases begin, so that each spec has others. */
static uint64_t first_case(const char *spec)
{
    uint64_t sum = 0;
    for (; *spec; spec++)
        sum = 31 * sum + (unsigned char)*spec;
    return 1000 * sum;
}

static void every_item_is_consumed_once(void **state)
{
    for (uint64_t which = 0; which < CASES; which += (uint64_t)test_stride()) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.tree.depth = DEPTH;
        vary(&setup, first_case(*state) + which);
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, which, 3), WEIR_OK);
        weir_worklist_stats stats = run(&world, &setup);
        assert_true(stats.pops <= stats.processed);
        tree_world_close(&world);
    }
}

static void or_merged_with_one_that_is(void **state)
{
    for (uint64_t which = 0; which < CASES; which += (uint64_t)test_stride()) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
        setup.merging = 1;
        setup.min.keys = KEYS;
        vary(&setup, first_case(*state) + 500 + which);
        tree_open(&world, &setup);
        for (uint32_t seeds = 1; seeds < 50; seeds += 40) {
            if (tree_world_seed_keys(&world, seeds) || weir_worklist_run(world.list, &stats))
                fail_msg("%s: %s", describe(&setup), weir_error_detail());
            const char *wrong = tree_world_check_keys(&world, seeds, &stats);
            if (wrong)
                fail_msg("%s: %s", describe(&setup), wrong);
        }
        tree_world_close(&world);
    }
}

/* One worklist, run after run: what lies in queues and channels stays right from one to the next. */
static void any_number_of_seeds_and_runs(void **state)
{
    static const uint32_t seeds[] = {64, 0, 1, 5000, 0, 0, 200};
    for (uint64_t which = 0; which < 2 * EVERY_ROUTE; which++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.tree.fan = 1;
        setup.tree.depth = 4;
        setup.config.route = every_route[which % EVERY_ROUTE];
        setup.config.queue_items = 128;
        setup.config.queues = which < EVERY_ROUTE ? 1 : 3;
        setup.config.packet_items = 50;
        tree_open(&world, &setup);
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
            assert_int_equal(tree_world_seed(&world, 1000 * i, seeds[i]), WEIR_OK);
            weir_worklist_stats stats = run(&world, &setup);
            assert_true(stats.produced >= seeds[i]);
            assert_int_equal(stats.route, setup.config.route);
        }
        tree_world_close(&world);
    }
}

/* One item at a time goes around all devices, while every other worker finds nothing for long: a worker that has found nothing,
 * however often, is there when the item comes. */
static void a_chain_is_followed_to_its_end(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.tree.shape = TREE_CHAIN;
        setup.tree.depth = CHAIN;
        setup.tree.owner_rule = TREE_BY_DEPTH;
        setup.config.route = every_route[r];
        setup.config.queue_items = 16;
        setup.config.packet_items = 1;
        setup.link_buffers = "1";
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 7, 1), WEIR_OK);
        weir_worklist_stats stats = run(&world, &setup);
        assert_int_equal(stats.produced, CHAIN + 1);
        if (world.devices > 1) {
            assert_true(stats.sent >= CHAIN);
            assert_true(stats.empty_pops > 0);
        }
        tree_world_close(&world);
    }
}

/* Many chains over channels of one packet: a ring that is full all around goes on. */
static void full_channels_go_on(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.tree.shape = TREE_CHAIN;
        setup.tree.depth = 20;
        setup.config.route = every_route[r];
        setup.config.queue_items = 16;
        setup.config.packet_items = 4;
        setup.link_buffers = "1";
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 1, 200), WEIR_OK);
        (void)run(&world, &setup);
        tree_world_close(&world);
    }
}

/* One device makes items for another faster than that takes them, with room for few: it waits for credit. */
static void what_leaves_waits_for_credit(void **state)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.tree.shape = TREE_SPINE;
        setup.tree.owner_rule = TREE_BY_KIND;
        setup.tree.fan = 4;
        setup.tree.depth = 12;
        setup.tree.twigs = 2;
        setup.spill_bytes = "64KiB";
        setup.link_buffers = "1";
        setup.config.queue_items = 64;
        setup.config.packet_items = 1;
        setup.config.route = every_route[r];
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 1, 40), WEIR_OK);
        (void)run(&world, &setup);
        tree_world_close(&world);
    }
}

/* ---- room -------------------------------------------------------------------------------------- */

static struct tree_setup hub(const char *spec)
{
    struct tree_setup setup = live(spec);
    setup.tree.shape = TREE_HUB;
    setup.tree.fan = HUB;
    setup.tree.owner_rule = TREE_BY_DEPTH; /* all on one device */
    setup.tree.stride = 0;
    setup.spill_bytes = "32MiB";
    setup.config.queue_items = 4096;
    setup.config.packet_items = 512;
    setup.link_buffers = "2";
    return setup;
}

static void a_hub_spills_and_nothing_is_lost(void **state)
{
    for (uint32_t queues = 1; queues <= 4; queues += 3) {
        struct tree_setup setup = hub(*state);
        struct tree_world world;
        setup.config.queues = queues;
        tree_open(&world, &setup);
        for (int again = 0; again < 3; again++) { /* chunks are given anew in each run */
            assert_int_equal(tree_world_seed(&world, 3, 1), WEIR_OK);
            weir_worklist_stats stats = run(&world, &setup);
            assert_int_equal(stats.produced, HUB + 1);
            assert_int_equal(stats.atoms, 2 * (uint64_t)HUB + 1); /* in pieces, each once */
            assert_true(stats.spilled > 0);
            assert_true(stats.queue_high >= 4096 / queues);
        }
        tree_world_close(&world);
    }
}

/* What fills one queue is dealt out to others, long before it is full; those are emptied by whoever has nothing. */
static void a_long_queue_is_dealt_out(void **state)
{
    struct tree_setup setup = hub(*state);
    struct tree_world world;
    setup.tree.fan = 900;
    setup.spill_bytes = "0";
    setup.config.queue_items = 8192;
    setup.config.queues = 8;
    tree_open(&world, &setup);
    assert_int_equal(tree_world_seed(&world, 3, 1), WEIR_OK);
    weir_worklist_stats stats = run(&world, &setup);
    assert_true(stats.steals > 0);
    assert_int_equal(stats.spilled, 0);
    assert_in_range(stats.queue_high, 64, 900 / 4);
    tree_world_close(&world);
}

/* Items that double for ever come to the bound of what spills: an answer, not a hang. */
static void the_spill_is_bounded(void **state)
{
    static const char *const bounds[] = {"0", "64KiB"};
    for (int i = 0; i < 4; i++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.tree.shape = TREE_ENDLESS;
        setup.spill_bytes = bounds[i / 2];
        setup.config.queue_items = 64;
        setup.config.queues = i % 2 ? 3 : 1;
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 1, 10), WEIR_OK);
        weir_status status = weir_worklist_run(world.list, NULL);
        if (status != WEIR_ERR_NOMEM)
            fail_msg("%s: %s: %s", describe(&setup), weir_status_text(status), weir_error_detail());
        assert_non_null(strstr(weir_error_detail(), "WEIR_SPILL_BYTES"));
        assert_non_null(strstr(weir_error_detail(), "worker 0: produced"));
        tree_world_close(&world);
    }
}

/* The dump counts items, and no pieces that nobody came to. */
static void a_dump_counts_items_alone(void **state)
{
    struct tree_setup setup = hub(*state);
    struct tree_world world;
    setup.spill_bytes = "0";
    setup.config.queue_items = 64;
    setup.config.queues = 1;
    tree_open(&world, &setup);
    assert_int_equal(tree_world_seed(&world, 3, 1), WEIR_OK);
    assert_int_equal(weir_worklist_run(world.list, NULL), WEIR_ERR_NOMEM);
    for (const char *at = weir_error_detail(); (at = strstr(at, "consumed ")); at++)
        assert_true(strtoull(at + strlen("consumed "), NULL, 10) <= HUB + 1);
    tree_world_close(&world);
}

static void a_tile_of_too_many_atoms_is_refused(void **state)
{
    for (uint32_t more = 0; more < 3; more++) {
        struct tree_setup setup = live(*state);
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

/* ---- stopping ------------------------------------------------------------------------------------ */

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

/* In the first run or after others; at once, in the middle. */
static void a_cancel_stops_it(void **state)
{
    static const unsigned after_us[] = {0, 1000, 30000};
    for (uint32_t i = 0; i < 9; i++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        tree_open(&world, &setup);
        for (uint32_t before = 0; before < i / 3; before++) {
            assert_int_equal(tree_world_seed(&world, before, 2), WEIR_OK);
            (void)run(&world, &setup);
        }
        for (uint32_t d = 0; d < world.devices; d++) {
            world.tree[d].shape = TREE_ENDLESS;
            world.tree[d].fan = 1;
            assert_int_equal(weir_worklist_bind(world.list, d, &world.tree[d]), WEIR_OK);
        }
        assert_int_equal(tree_world_seed(&world, 1, 100), WEIR_OK);
        struct canceller canceller = {.list = world.list, .after_us = after_us[i % 3]};
        assert_int_equal(pthread_create(&canceller.thread, NULL, cancel_later, &canceller), 0);
        weir_status status = weir_worklist_run(world.list, NULL);
        pthread_join(canceller.thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        assert_non_null(strstr(weir_error_detail(), "worker 0: produced"));
        tree_world_close(&world);
    }
}

/* Everything is full when the limit comes. */
static void a_time_limit_stops_it(void **state)
{
    for (uint32_t fan = 1; fan <= 2; fan++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.tree.shape = TREE_ENDLESS;
        setup.tree.fan = fan;
        setup.spill_bytes = "1GiB";
        setup.config.queue_items = 16;
        setup.config.packet_items = 1;
        setup.link_buffers = "1";
        setup.config.time_limit_ms = 40;
        tree_open(&world, &setup);
        assert_int_equal(tree_world_seed(&world, 1, 50), WEIR_OK);
        weir_status status = weir_worklist_run(world.list, NULL);
        /* A fast device fills even the room in host memory before the limit. */
        if (status != WEIR_ERR_TIMEOUT && !(fan == 2 && status == WEIR_ERR_NOMEM))
            fail_msg("%s: %s: %s", describe(&setup), weir_status_text(status), weir_error_detail());
        tree_world_close(&world);
    }
}

/* ---- a device that begins late --------------------------------------------------------------------- */

static void late_host(const void *data, uint32_t worker, uint32_t count)
{
    const struct weir_engine_args *args = data;
    if (args->index == 1 && worker == 0)
        usleep(100000);
    weir__tree_operator.live.host(data, worker, count);
}

/* Others send to it and find nothing for long meanwhile; the run is not over before it has begun. */
static void a_late_device_is_waited_for(void **state)
{
    static weir_operator late;
    for (uint32_t i = 0; i < 4; i++) {
        struct tree_setup setup = live(*state);
        struct tree_world world;
        setup.link_buffers = "1";
        setup.config.packet_items = 1 + i;
        setup.tree.owner_rule = i % 2;
        tree_open(&world, &setup);
        weir_worklist_destroy(world.list);
        late = weir__tree_operator;
        late.live.host = late_host;
        assert_int_equal(weir_worklist_create(world.source, world.worker, world.devices, &late,
                                              &setup.config, &world.list),
                         WEIR_OK);
        for (uint32_t d = 0; d < world.devices; d++)
            assert_int_equal(weir_worklist_bind(world.list, d, &world.tree[d]), WEIR_OK);
        assert_int_equal(tree_world_seed(&world, i, i < 3 ? 5 : 0), WEIR_OK);
        (void)run(&world, &setup);
        tree_world_close(&world);
    }
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static void refuse(const struct tree_setup *setup, weir_status wanted, const char *sentence)
{
    struct tree_world world;
    weir_status status = tree_world_open(&world, setup);
    if (status == WEIR_ERR_NODEV)
        skip_without(setup->spec);
    if (status == WEIR_OK)
        tree_world_close(&world);
    if (status != wanted || !strstr(weir_error_detail(), sentence))
        fail_msg("%s: %s: %s", describe(setup), weir_status_text(status), weir_error_detail());
}

static void what_goes_by_rounds_is_refused(void **state)
{
    struct tree_setup setup = live(*state);
    setup.config.order = WEIR_ORDER_SOFT;
    refuse(&setup, WEIR_ERR_UNSUPPORTED, "kernel live: order soft goes by rounds");
    setup.config.order = WEIR_ORDER_BULK;
    refuse(&setup, WEIR_ERR_UNSUPPORTED, "kernel live: order bulk goes by rounds");
    setup = live(*state);
    setup.config.queues = 1025;
    refuse(&setup, WEIR_ERR_INVALID, "1025 queues: at most 1024");
    setup = tree_plain(*state);
    setup.config.queues = 1;
    refuse(&setup, WEIR_ERR_UNSUPPORTED, "queues has no effect without kernel live");
}

/* A hint of a width is for whoever takes order soft; it is no reason to refuse. */
static void a_hint_of_a_width_is_left_aside(void **state)
{
    struct tree_setup setup = live(*state);
    struct tree_world world;
    setup.config.delta_hint = 7;
    tree_open(&world, &setup);
    assert_int_equal(tree_world_seed(&world, 1, 3), WEIR_OK);
    (void)run(&world, &setup);
    tree_world_close(&world);
}

static void mixed_devices_are_refused(void **state)
{
    struct tree_setup setup = live(*state);
    refuse(&setup, WEIR_ERR_UNSUPPORTED, "kernel live: host devices do not reach");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_LIVE(every_item_is_consumed_once),
        ON_EACH_LIVE(or_merged_with_one_that_is),
        ON_EACH_LIVE(any_number_of_seeds_and_runs),
        ON_EACH_LIVE(a_chain_is_followed_to_its_end),
        ON_EACH_LIVE(full_channels_go_on),
        ON_EACH_LIVE(what_leaves_waits_for_credit),
        ON_EACH_LIVE(a_hub_spills_and_nothing_is_lost),
        ON_EACH_LIVE(the_spill_is_bounded),
        ON(a_dump_counts_items_alone, "host:1"),
        ON(a_dump_counts_items_alone, "host:2x2"),
        ON(a_dump_counts_items_alone, "cuda:0"),
        ON_EACH_LIVE(a_cancel_stops_it),
        ON_EACH_LIVE(a_time_limit_stops_it),
        ON_EACH_LIVE(a_tile_of_too_many_atoms_is_refused),
        ON(a_long_queue_is_dealt_out, "host:1"),
        ON(a_late_device_is_waited_for, "host:2"),
        ON(a_late_device_is_waited_for, "host:3"),
        ON(a_late_device_is_waited_for, "host:2x2"),
        ON(what_goes_by_rounds_is_refused, "host:1"),
        ON(what_goes_by_rounds_is_refused, "cuda:0"),
        ON(a_hint_of_a_width_is_left_aside, "host:2"),
        ON(mixed_devices_are_refused, "cuda:0,host:1"),
    };
    return cmocka_run_group_tests_name("worklist live", tests, NULL, NULL);
}
