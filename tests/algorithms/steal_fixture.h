/** @file steal_fixture.h  What the tests of balance frontier have in common, whichever algorithm shares its lists out: contexts, options, and what is
 * said of who did how much. */
#ifndef WEIR_TESTS_ALGORITHMS_STEAL_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_STEAL_FIXTURE_H

#include "runtime/internal.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <math.h>

#define STEAL_ON_EACH_COUNT(f)                                                         \
    ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:4"),         \
        ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0-3")
/* For what takes long, or is the same on more devices. */
#define STEAL_ON_SOME(f)                                                         \
    ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:2x3"), \
        ON_BACKEND(f, "cuda:0-1")

/* Every list is shared out, whether or not that pays. */
static const char *const steal_always[] = {"steal_arcs=1", "steal_percent=100", NULL};
/* The most that one device of 64 may have. */
static const char *const steal_never[] = {"steal_arcs=1", "steal_percent=6400", NULL};

/** An algorithm: its calls, of any object. STEAL_KIND() makes one that has no options of its own. */
struct steal_kind {
    weir_status (*create)(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options,
                          void **object_out);
    weir_status (*stolen)(const void *object, uint32_t owner, uint32_t worker, uint64_t *arcs_out);
    void (*destroy)(void *object);
};
#define STEAL_KIND(id, ...)                                                               \
    static weir_status steal_create(weir_context *context, const weir_graph *graph,       \
                                    const weir_partition *partition,                      \
                                    const weir_run_options *options, void **object_out)   \
    {                                                                                     \
        weir_##id *object;                                                                \
        const weir_status status =                                                        \
            weir_##id##_create(context, graph, partition, options, __VA_ARGS__ & object); \
        *object_out = object;                                                             \
        return status;                                                                    \
    }                                                                                     \
    static weir_status steal_stolen(const void *object, uint32_t owner, uint32_t worker,  \
                                    uint64_t *arcs_out)                                   \
    {                                                                                     \
        return weir_##id##_stolen(object, owner, worker, arcs_out);                       \
    }                                                                                     \
    static void steal_destroy(void *object)                                               \
    {                                                                                     \
        weir_##id##_destroy(object);                                                      \
    }                                                                                     \
    static const struct steal_kind kind = {steal_create, steal_stolen, steal_destroy}

static inline weir_run_options steal_frontier(weir_direction direction)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = direction;
    options.balance = WEIR_BALANCE_FRONTIER;
    return options;
}

/** Arcs of one device that another looked along. */
static inline uint64_t steal_of(const struct steal_kind *kind, const void *object, uint32_t owner,
                                uint32_t worker)
{
    uint64_t arcs;
    OK(kind->stolen(object, owner, worker, &arcs));
    return arcs;
}

/** What is said of who did what, on @p parts devices. @return arcs of all. */
static inline uint64_t steal_assert_matrix(const struct steal_kind *kind, const void *object,
                                           uint32_t parts, const weir_run_stats *stats)
{
    uint64_t others = 0, all = 0;
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t j = 0; j < parts; j++) {
            const uint64_t its = steal_of(kind, object, i, j);
            all += its;
            others += i != j ? its : 0;
        }
    assert_int_equal(stats->balance, WEIR_BALANCE_FRONTIER);
    assert_int_equal(others, stats->stolen_arcs);
    assert_int_equal(others != 0, stats->stolen_bytes != 0);
    assert_true(stats->stolen_copied <= others);
    assert_true(stats->stolen_levels || others == 0);
    assert_true(stats->stall_before > -1e-9 && stats->stall_before <= 1 - 1. / parts + 1e-9);
    assert_true(stats->stall_after > -1e-9 && stats->stall_after <= 1 - 1. / parts + 1e-9);
    return all;
}

static inline uint64_t steal_steps(const weir_run_stats *stats, const char *phase)
{
    for (int i = 0; i < WEIR_RUN_PHASES; i++)
        if (stats->phase[i].name && !strcmp(stats->phase[i].name, phase))
            return stats->phase[i].steps;
    fail_msg("no phase %s", phase);
    return 0;
}

/** A cut that is uneven, shared out and left as it lies. */
static inline void steal_assert_shared(const weir_run_stats *with, const weir_run_stats *none)
{
    assert_true(fabs(none->stall_after - none->stall_before) < 1e-9);
    assert_int_equal(none->stolen_levels, 0);
    assert_int_equal(none->stolen_arcs, 0);
    assert_true(with->stolen_levels > 0);
    assert_true(with->stolen_arcs > 0);
}

/** Lists of fewer arcs than a bound, or nearly equal ones, are left as they lie.
 *  @param[in] once  a run, over an uneven cut of a graph of @p arcs arcs. */
static inline void steal_thresholds(const char *spec, uint64_t arcs, const void *user,
                                    weir_run_stats (*once)(weir_context *context, const void *user))
{
    char least[40];
    for (int i = 0; i < 3; i++) {
        snprintf(least, sizeof least, "steal_arcs=%llu",
                 (unsigned long long)(i < 2 ? 1 : arcs + 1));
        const char *const settings[] = {least, i == 1 ? "steal_percent=6400" : "steal_percent=100",
                                        NULL};
        weir_context *context = open_with_or_skip(spec, settings);
        const weir_run_stats stats = once(context, user);
        assert_int_equal(stats.stolen_levels > 0, i == 0);
        weir_context_destroy(context);
    }
}

/** A run with balance off says nothing of who did what, and before a run with it there is nothing to be said.
 *  @param[in] off  an object, and statistics of its run. @param[in] fresh  another one, with balance frontier. */
static inline void steal_assert_nothing(const struct steal_kind *kind, const void *off,
                                        const weir_run_stats *stats, const void *fresh,
                                        uint32_t parts)
{
    uint64_t arcs;
    assert_int_equal(stats->balance, WEIR_BALANCE_OFF);
    assert_true(stats->stolen_levels == 0 && stats->stolen_arcs == 0 && stats->stolen_bytes == 0);
    assert_true(stats->stall_before == 0 && stats->stall_after == 0);
    STATUS(kind->stolen(off, 0, 0, &arcs), WEIR_ERR_INVALID);
    assert_detail_has("with balance off");
    assert_int_equal(steal_of(kind, fresh, 0, 0), 0);
    assert_int_equal(steal_of(kind, fresh, 0, 1), 0);
    STATUS(kind->stolen(fresh, 0, parts, &arcs), WEIR_ERR_INVALID);
    assert_detail_has("looked along by device");
}

/** All vertices are the first device's; to be destroyed. */
static inline weir_partition *steal_all_first(const weir_graph *graph, uint32_t parts)
{
    weir_partition *partition;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, parts, 1, NULL, &partition));
    memset((uint8_t *)(uintptr_t)partition->owner, 0, graph->vertices);
    return partition;
}

/** Whichever allocation or copy of a set-up fails, it says so, and the next one is as if nothing had been.
 *  @param[in] stride  from one that fails to the next. @param[in] check  runs what was made. */
static inline void steal_every_fault(const struct steal_kind *kind, weir_context *context,
                                     const weir_graph *graph, const weir_run_options *options,
                                     int stride,
                                     void (*check)(void *object, weir_context *context,
                                                   const weir_graph *graph,
                                                   const weir_run_options *options))
{
    weir_partition *partition;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 2, 1, NULL, &partition));
    for (int copies = 0; copies < 2; copies++) {
        const enum weir__fault fault = copies ? WEIR__FAULT_COPY : WEIR__FAULT_ALLOC;
        uint64_t failures = 0;
        int struck = 1;
        for (uint64_t nth = 1; struck; nth += (uint64_t)stride) {
            void *object;
            weir__fault_arm(fault, nth);
            const weir_status status = kind->create(context, graph, partition, options, &object);
            struck = weir__fault_struck(fault);
            weir__fault_arm(fault, 0);
            assert_int_equal(object != NULL, status == WEIR_OK);
            failures += status != WEIR_OK;
            if (!struck)
                check(object, context, graph, options);
            kind->destroy(object);
        }
        assert_true(failures > 0);
    }
    weir_partition_destroy(partition);
}

/** What create() says no to. @param[in] partition  may be NULL. */
static inline void steal_assert_refused(const struct steal_kind *kind, weir_context *context,
                                        const weir_graph *graph, const weir_partition *partition,
                                        const weir_run_options *options, const char *detail)
{
    void *object;
    STATUS(kind->create(context, graph, partition, options, &object), WEIR_ERR_UNSUPPORTED);
    assert_detail_has(detail);
    assert_null(object);
}

/** What no algorithm takes with it: one device, more than eight, arcs in host memory. */
static inline void steal_assert_devices(const struct steal_kind *kind, const weir_graph *graph,
                                        weir_run_options options)
{
    weir_context *one = open_with_or_skip("host:1", NULL);
    weir_context *two = open_with_or_skip("host:2", NULL);
    weir_context *nine = open_with_or_skip("host:9", NULL);
    weir_partition *whole, *half;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 9, 1, NULL, &whole));
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 2, 1, NULL, &half));
    steal_assert_refused(kind, one, graph, NULL, &options,
                         "balance frontier is about several devices, and this run has one");
    steal_assert_refused(kind, nine, graph, whole, &options,
                         "8 devices at the most, and this run has 9");
    options.memory = WEIR_MEMORY_HOST;
    steal_assert_refused(kind, two, graph, half, &options,
                         "balance frontier has no effect on arcs in host memory");
    weir_partition_destroy(whole);
    weir_partition_destroy(half);
    weir_context_destroy(one);
    weir_context_destroy(two);
    weir_context_destroy(nine);
}

/* ---- a machine of two ---------------------------------------------------------------------------- */

/** Two host devices whose machine says what work takes them.
 *  @param[in] name    of the file of the machine, which is written.
 *  @param[in] a, b    further members of the devices of that name, each with ", " in front of it.
 *  @param[in] gbs     that the link between them carries.
 *  @param[in] arcs    lists of fewer are not shared out. */
static inline weir_context *open_two(const char *name, const char *a, const char *b,
                                     const char *gbs, const char *arcs)
{
    char setting[128];
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "{\"schema\": 1, \"kind\": \"machine\", \"name\": \"two\", \"devices\": [{\"label\": "
        "\"a\"%s}, {\"label\": \"b\"%s}], \"hosts\": [{\"label\": \"numa0\"}], \"hops\": ["
        "{\"kind\": \"memory\", \"a\": \"a\", \"b\": \"numa0\", \"bandwidth_gbs\": 10}, "
        "{\"kind\": \"memory\", \"a\": \"b\", \"b\": \"numa0\", \"bandwidth_gbs\": 10}], "
        "\"pairs\": ["
        "{\"from\": \"a\", \"to\": \"b\", \"reaches\": true, \"atomics\": true, \"bandwidth_gbs\": "
        "%s}, "
        "{\"from\": \"b\", \"to\": \"a\", \"reaches\": true, \"atomics\": true, \"bandwidth_gbs\": "
        "%s}]}\n",
        a, b, gbs, gbs);
    assert_int_equal(fclose(file), 0);
    snprintf(setting, sizeof setting, "machine=%s", path);
    return open_with_or_skip("host:2", (const char *[]){arcs, setting, NULL});
}

#endif
