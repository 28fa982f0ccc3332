/** @file worklist_fixture.h  What the tests of worklists share: device specs, set-ups, one run. */
#ifndef WEIR_TESTS_WORKLIST_WORKLIST_FIXTURE_H
#define WEIR_TESTS_WORKLIST_WORKLIST_FIXTURE_H

#include "tests/lib/skip.h"
#include "tests/lib/tree_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants those four before it. */
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ON(f, spec)                                             \
    {                                                           \
#f "[" spec "]", f, NULL, NULL, (void *)(uintptr_t)spec \
    }
/** One test for each set of devices; those that are not there skip it. */
#define ON_EACH_SPEC(f)                                                          \
    {#f "[host:1]", f, NULL, NULL, (void *)(uintptr_t) "host:1"},                \
        {#f "[host:2]", f, NULL, NULL, (void *)(uintptr_t) "host:2"},            \
        {#f "[host:3]", f, NULL, NULL, (void *)(uintptr_t) "host:3"},            \
        {#f "[host:8]", f, NULL, NULL, (void *)(uintptr_t) "host:8"},            \
        {#f "[host:4x2]", f, NULL, NULL, (void *)(uintptr_t) "host:4x2"},        \
        {#f "[cuda:0]", f, NULL, NULL, (void *)(uintptr_t) "cuda:0"},            \
        {#f "[cuda:0-1]", f, NULL, NULL, (void *)(uintptr_t) "cuda:0-1"},        \
        {#f "[cuda:0-3]", f, NULL, NULL, (void *)(uintptr_t) "cuda:0-3"},        \
    {                                                                            \
#f "[cuda:0,host:1]", f, NULL, NULL, (void *)(uintptr_t) "cuda:0,host:1" \
    }

/** Every kind of route that a worklist can be told to take. */
static const weir_route_kind every_route[] = {WEIR_ROUTE_DIRECT, WEIR_ROUTE_RING, WEIR_ROUTE_TREE,
                                              WEIR_ROUTE_STAGED};
#define EVERY_ROUTE (sizeof every_route / sizeof *every_route)

/** A tree of a few hundred to a few thousand items, anywhere, in a plain worklist. */
static inline struct tree_setup tree_plain(const char *spec)
{
    struct tree_setup setup;
    memset(&setup, 0, sizeof setup);
    setup.spec = spec;
    setup.spill_bytes = "4MiB"; /* what runs away ends soon */
    setup.tree.shape = TREE_RANDOM;
    setup.tree.fan = 2;
    setup.tree.depth = 9;
    setup.tree.stride = 1;
    setup.tree.spread = 1000;
    setup.min.keys = 500;
    setup.min.fan = 4;
    setup.min.longest = 50;
    setup.config = (weir_worklist_config)WEIR_WORKLIST_CONFIG_INIT;
    return setup;
}

/** Open, or skip the test where the devices are not there. */
static inline void tree_open(struct tree_world *world, const struct tree_setup *setup)
{
    skip_if_left_out(setup->spec);
    weir_status status = tree_world_open(world, setup);
    if (status == WEIR_ERR_NODEV)
        skip_without(setup->spec);
    if (status)
        fail_msg("%s: %s: %s", setup->spec, weir_status_text(status), weir_error_detail());
}

static inline const char *tree_describe(const struct tree_setup *setup)
{
    static char text[320];
    const weir_worklist_config *config = &setup->config;
    snprintf(text, sizeof text,
             "%s route %s order %s delta %u kernel %s worker %s fetch %u mapping %s group %u "
             "queue %llu packet %u buffers %s",
             setup->spec, weir_route_kind_text(config->route), weir_order_kind_text(config->order),
             config->delta, weir_kernel_kind_text(config->kernel),
             weir_worker_kind_text(config->worker), config->fetch,
             weir_mapping_kind_text(config->mapping), config->group,
             (unsigned long long)config->queue_items, config->packet_items,
             setup->link_buffers ? setup->link_buffers : "default");
    return text;
}

/** Seed, run, and compare with the tree that the host walks. */
static inline weir_worklist_stats tree_run(struct tree_world *world, const struct tree_setup *setup,
                                           uint64_t first_seed, uint32_t seeds)
{
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    if (tree_world_seed(world, first_seed, seeds) || weir_worklist_run(world->list, &stats))
        fail_msg("%s: %s", tree_describe(setup), weir_error_detail());
    const char *wrong = tree_world_check(world, &stats);
    if (wrong)
        fail_msg("%s: %s", tree_describe(setup), wrong);
    return stats;
}

static inline weir_worklist_stats tree_run_once(const struct tree_setup *setup, uint64_t first_seed,
                                                uint32_t seeds)
{
    struct tree_world world;
    tree_open(&world, setup);
    weir_worklist_stats stats = tree_run(&world, setup, first_seed, seeds);
    tree_world_close(&world);
    return stats;
}

#endif
