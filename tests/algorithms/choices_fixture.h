/** @file choices_fixture.h  What the tests of limits and stops share: device specs, orders times kernels. */
#ifndef WEIR_TESTS_ALGORITHMS_CHOICES_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_CHOICES_FIXTURE_H

#include "tests/lib/live.h"
#include "tests/lib/choices.h"
#include "tests/lib/share.h"
#include "tests/lib/skip.h"
#include "tests/lib/support.h"
#include "tests/lib/tree_world.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** One test for each set of devices; those that are not there skip it. */
#define ON_EACH_SPEC(f)                                                                \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:8"),         \
        ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0-3")

/** Every order with every kernel; the other choices go around. */
#define VARIANTS 44 /* the last are of kernel live, which takes order fifo alone */
static const char *const variant_orders[] = {"fifo", "soft", "soft:1", "soft:1000", "bulk"};
static const char *const variant_routes[] = {"direct", "ring", "tree", "staged"};
static const char *const variant_kernels[] = {"fused", "discrete"};

/** How many of them can run there. */
static inline uint32_t variant_count(const char *spec)
{
    return live_runs_on(spec) ? VARIANTS : 40;
}

/** Row @p i of VARIANTS: all orders, routes and kernels, and some of the rest. */
static inline void variant_row(uint32_t i, uint8_t *row)
{
    static const char *const workers[] = {"thread", "warp", "block"};
    static const char *const fetches[] = {"0", "1", "7", "64"};
    static const char *const mappings[] = {"thread",  "warp",     "block",
                                           "group:4", "group:32", "merge"};
    memset(row, 0, CHOICE_FACTORS);
#define PUT(factor, text) row[factor] = (uint8_t)choice_value(factor, text)
    PUT(CHOICE_ORDER, variant_orders[i % 5]);
    PUT(CHOICE_ROUTE, variant_routes[i / 5 % 4]);
    PUT(CHOICE_KERNEL, variant_kernels[i / 20 % 2]);
    if (i >= 40) {
        PUT(CHOICE_ORDER, "fifo");
        PUT(CHOICE_ROUTE, variant_routes[i % 4]);
        PUT(CHOICE_KERNEL, "live");
    }
    PUT(CHOICE_WORKER, workers[i % 3]);
    PUT(CHOICE_FETCH, fetches[(i + i / 20) % 4]);
    PUT(CHOICE_MAPPING, mappings[(i + i / 5) % 6]);
    const weir_run_options options = choice_options(row);
    if (!choice_has_effect(options.worker, options.mapping, options.group))
        row[CHOICE_MAPPING] = CHOICE_OPEN;
    PUT(CHOICE_PARTITION, "random");
#undef PUT
    row[CHOICE_OPERATOR] = (uint8_t)((i + i / 20) % choice_operator_count);
}

/** Rows between two that are tried: all of them, every third with far more threads than cores, which
 *  still is each order with each kernel, and few with ThreadSanitizer. */
static inline uint32_t variant_step(const char *spec)
{
#ifdef __SANITIZE_THREAD__
    (void)spec;
    return 7;
#else
    return test_stride() > 1                                              ? 7
           : strcmp(spec, "host:8") == 0 || strcmp(spec, "host:2x3") == 0 ? 3
                                                                          : 1;
#endif
}

/** A worklist of the tree operator with a row's choices. */
static inline struct tree_setup variant_tree(const char *spec, uint32_t i)
{
    struct tree_setup setup;
    uint8_t row[CHOICE_FACTORS];
    variant_row(i, row);
    weir_run_options options = choice_options(row);
    memset(&setup, 0, sizeof setup);
    setup.spec = spec;
    setup.tree.shape = TREE_ENDLESS;
    setup.tree.priority_rule = TREE_PRIORITY_DEPTH;
    setup.tree.fan = 1;
    setup.config = (weir_worklist_config)WEIR_WORKLIST_CONFIG_INIT;
    setup.config.route = options.route;
    setup.config.order = options.order;
    setup.config.delta = options.delta;
    setup.config.kernel = options.kernel;
    setup.config.worker = options.worker;
    setup.config.fetch = options.fetch;
    setup.config.mapping = options.mapping;
    setup.config.group = options.group;
    setup.config.queue_items = 1024;
    return setup;
}

/** What a variant is, for messages; static storage. */
static inline const char *variant_text(const char *spec, uint32_t i)
{
    static char text[400];
    struct choice_devices set = {.name = spec, .spec = {spec}, .specs = 1};
    uint8_t row[CHOICE_FACTORS];
    variant_row(i, row);
    snprintf(text, sizeof text, "%s", choice_text(&set, row));
    return text;
}

/** The run ended as it must, with a sentence on why and a line of counters for each worker. */
static inline void assert_ended(const char *what, weir_status status, weir_status wanted,
                                const char *sentence, uint32_t workers)
{
    const char *detail = weir_error_detail();
    if (status != wanted)
        fail_msg("%s: %s instead of %s: %s", what, weir_status_text(status),
                 weir_status_text(wanted), detail);
    if (!strstr(detail, sentence))
        fail_msg("%s: no '%s' in: %s", what, sentence, detail);
    for (uint32_t w = 0; w < workers; w++) {
        char line[40];
        snprintf(line, sizeof line, "worker %u: produced", w);
        if (!strstr(detail, line))
            fail_msg("%s: no '%s' in: %s", what, line, detail);
    }
}

#endif
