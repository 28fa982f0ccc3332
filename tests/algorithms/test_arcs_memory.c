/** @file test_arcs_memory.c  Arcs in host memory: results are those of arcs on the devices bit by bit, the devices' pools have no arcs
 * then, auto takes it where a pool is too small, and a plan says so. */
#include "algorithms/common/plan.h"
#include "algorithms/rows.h"
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/support.h"

#include "runtime/support.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- every form ---------------------------------------------------------------------------------- */

enum kind { BFS, SSSP, PR, CC };

struct form {
    const char *name;
    enum kind kind;
    weir_direction direction;
    int parents;
    double tolerance;
    weir_order_kind order;
};

static const struct form forms[] = {
    {.name = "bfs in step", .kind = BFS, .direction = WEIR_DIRECTION_SWITCH},
    {.name = "bfs bottom-up", .kind = BFS, .direction = WEIR_DIRECTION_PULL},
    {.name = "bfs push", .kind = BFS, .direction = WEIR_DIRECTION_PUSH},
    {.name = "sssp in step", .kind = SSSP, .direction = WEIR_DIRECTION_SWITCH},
    {.name = "sssp push", .kind = SSSP, .direction = WEIR_DIRECTION_PUSH},
    {.name = "pr", .kind = PR, .tolerance = 1e-6},
    {.name = "pr in doubles", .kind = PR, .tolerance = 1e-10},
    {.name = "cc", .kind = CC},
};

struct asked {
    const struct form *form;
    weir_run_options options;
};

static weir_status create(const void *user, weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, void **object_out)
{
    const struct asked *asked = user;
    const struct form *form = asked->form;
    const weir_run_options *options = &asked->options;
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_bfs *bfs = NULL;
    weir_sssp *sssp = NULL;
    weir_pr *pr = NULL;
    weir_cc *cc = NULL;
    weir_status status;
    config.tolerance = form->tolerance;
    config.bands = config.bins = 1; /* what arcs in host memory do not have */
    if (form->kind == BFS) {
        status = weir_bfs_create(context, graph, partition, options, &bfs);
        *object_out = bfs;
    } else if (form->kind == SSSP) {
        status = weir_sssp_create(context, graph, partition, options, &sssp);
        *object_out = sssp;
    } else if (form->kind == PR) {
        status = weir_pr_create(context, graph, partition, options, &config, &pr);
        *object_out = pr;
    } else {
        status = weir_cc_create(context, graph, partition, options, WEIR_CC_RESIDENT, &cc);
        *object_out = cc;
    }
    return status;
}

static enum kind destroyed;

static void destroy(void *object)
{
    if (destroyed == BFS)
        weir_bfs_destroy(object);
    else if (destroyed == SSSP)
        weir_sssp_destroy(object);
    else if (destroyed == PR)
        weir_pr_destroy(object);
    else
        weir_cc_destroy(object);
}

static struct asked asked_of(const struct form *form, weir_memory memory)
{
    struct asked asked = {form, WEIR_RUN_OPTIONS_INIT};
    asked.options.direction = form->direction;
    asked.options.parents = form->parents;
    asked.options.order = form->order;
    asked.options.memory = memory;
    destroyed = form->kind;
    return asked;
}

static weir_run_stats run(const struct form *form, void *object, uint64_t source)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    if (form->kind == BFS)
        OK(weir_bfs_run(object, source, &stats));
    else if (form->kind == SSSP)
        OK(weir_sssp_run(object, source, &stats));
    else if (form->kind == PR)
        OK(weir_pr_run(object, &stats));
    else
        OK(weir_cc_run(object, &stats));
    return stats;
}

static void *results(const struct form *form, void *object, uint64_t vertices)
{
    void *values;
    OK(weir__calloc(vertices, 8, "results", &values));
    if (form->kind == BFS)
        OK(weir_bfs_levels(object, values));
    else if (form->kind == SSSP)
        OK(weir_sssp_distances(object, values));
    else if (form->kind == PR)
        OK(weir_pr_ranks(object, values));
    else
        OK(weir_cc_labels(object, values));
    return values;
}

/* Arcs may have their weights beside them. */
static int is_named(const char *what, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(what, name, length) &&
           (!what[length] || !strcmp(what + length, " with weights"));
}

/* What all devices hold together that has this name. */
struct named {
    const char *what;
    uint64_t bytes;
};

static void add_named(void *user, const char *what, uint64_t elements, uint64_t bytes)
{
    struct named *named = user;
    (void)elements;
    named->bytes += is_named(what, named->what) ? bytes : 0;
}

static uint64_t on_devices(weir_context *context, const char *what)
{
    struct named named = {what, 0};
    for (uint32_t d = 0; d < weir_context_device_count(context); d++)
        weir__pool_uses(weir_context_device(context, d), add_named, &named);
    return named.bytes;
}

static uint64_t in_host_memory(weir_context *context, const char *what)
{
    struct named named = {what, 0};
    if (weir__zero_copy_device(context))
        weir__pool_uses(weir__zero_copy_device(context), add_named, &named);
    return named.bytes;
}

static weir_graph *weighed_graph(const char *text, int undirected)
{
    const weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .seed = 3};
    weir_graph *graph = open_graph(text, undirected);
    OK(weir_graph_weigh(graph, &weights));
    return graph;
}

/* Rows long and short, symmetric or not, with vertices that have no arcs. */
static const struct {
    const char *text;
    int undirected;
} graphs[] = {{"rmat:12", 0}, {"rmat:13,24", 1}, {"grid:60x50", 0}, {"star:5000", 1}};

static void *values_with(weir_context *context, const struct form *form, const weir_graph *graph,
                         weir_memory memory)
{
    const struct asked asked = asked_of(form, memory);
    const int host = memory == WEIR_MEMORY_HOST;
    void *object;
    OK(create(&asked, context, graph, NULL, &object));
    assert_int_equal(on_devices(context, "out-arcs") == 0, host);
    assert_int_equal(in_host_memory(context, "out-arcs") >= graph->arcs * 4, host);
    const weir_run_stats stats = run(form, object, 1);
    assert_int_equal(stats.memory, memory);
    void *values = results(form, object, graph->vertices);
    destroy(object);
    assert_int_equal(in_host_memory(context, "out-arcs"), 0);
    assert_no_memory_is_left(context);
    return values;
}

/* Ranks are sums, which lanes of GPUs add up in the order in which arcs stand in lines of memory. */
static int are_equal(const struct form *form, const void *a, const void *b, uint64_t vertices)
{
    const double *x = a, *y = b;
    if (form->kind != PR)
        return memcmp(a, b, vertices * 8) == 0;
    for (uint64_t v = 0; v < vertices; v++)
        if (!(fabs(x[v] - y[v]) <= 1e-12 * x[v]))
            return 0;
    return 1;
}

static void results_are_equal(void **state)
{
    weir_context *context = open_or_skip(state);
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        weir_graph *graph = weighed_graph(graphs[g].text, graphs[g].undirected);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            void *device = values_with(context, &forms[f], graph, WEIR_MEMORY_DEVICE);
            void *host = values_with(context, &forms[f], graph, WEIR_MEMORY_HOST);
            if (!are_equal(&forms[f], device, host, graph->vertices))
                fail_msg("%s of %s: values differ", forms[f].name, graphs[g].text);
            free(device);
            free(host);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Long rows in host memory are read along lines, on GPUs, unless somebody said how lanes share them. */
static void long_rows_are_read_along_lines(void **state)
{
    weir_context *context = open_or_skip(state);
    const int gpu = weir__device_is_gpu(weir_context_device(context, 0));
    weir_graph *hubs = weighed_graph("rmat:12", 1), *grid = weighed_graph("grid:40x40", 1);
    const struct {
        const weir_graph *graph;
        weir_memory memory;
        weir_mapping_kind mapping;
        uint64_t lines;
    } cases[] = {{hubs, WEIR_MEMORY_HOST, WEIR_MAPPING_AUTO, (uint64_t)gpu},
                 {hubs, WEIR_MEMORY_DEVICE, WEIR_MAPPING_AUTO, 0},
                 {hubs, WEIR_MEMORY_HOST, WEIR_MAPPING_GROUP, 0},
                 {grid, WEIR_MEMORY_HOST, WEIR_MAPPING_AUTO, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_run_stats picked = WEIR_RUN_STATS_INIT, stats = WEIR_RUN_STATS_INIT;
        weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
        weir_bfs *bfs;
        options.direction = WEIR_DIRECTION_PUSH;
        options.memory = cases[i].memory;
        options.mapping = cases[i].mapping;
        OK(weir_bfs_create(context, cases[i].graph, NULL, &options, &bfs));
        OK(weir_bfs_explain(bfs, &picked, &reasons));
        assert_int_equal(picked.work.lines, cases[i].lines);
        OK(weir_bfs_run(bfs, 1, &stats));
        assert_int_equal(stats.work.lines, cases[i].lines);
        weir_bfs_destroy(bfs);
    }
    weir_graph_destroy(hubs);
    weir_graph_destroy(grid);
    weir_context_destroy(context);
}

/* Distances beyond 32 bits: what lies in host memory is read back, and placed anew there. */
static void a_run_that_widens_keeps_its_memory(void **state)
{
    weir_context *context = open_or_skip(state);
    static struct arcs arcs;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    double *got, *wanted;
    weir_sssp *sssp;
    arcs.count = 0;
    for (uint64_t v = 1; v < 2000; v++) /* keeps the mean small, so that 32 bits are tried */
        arc(&arcs, 0, v, 1), arc(&arcs, v, v % 50, 1);
    arc(&arcs, 0, 2000, 2147483648.0);
    arc(&arcs, 2000, 2001, 2147483648.0);
    weir_graph *graph = graph_of(2002, &arcs);
    options.direction = WEIR_DIRECTION_SWITCH;
    options.memory = WEIR_MEMORY_HOST;
    OK(weir_sssp_create(context, graph, NULL, &options, &sssp));
    OK(weir_sssp_run(sssp, 0, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_PUSH); /* it was widened */
    assert_int_equal(stats.memory, WEIR_MEMORY_HOST);
    OK(weir__alloc(graph->vertices, 8, "distances", &got));
    OK(weir__alloc(graph->vertices, 8, "distances", &wanted));
    OK(weir_sssp_distances(sssp, got));
    OK(weir_sssp_reference(graph, 0, wanted));
    assert_memory_equal(got, wanted, graph->vertices * 8);
    free(got);
    free(wanted);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- what auto becomes, and plans ---------------------------------------------------------------- */

static void plan_like(weir_context *context, struct asked *asked, const weir_graph *graph,
                      struct weir__plan *plan)
{
    const struct weir__maker maker = {asked->form->name, asked, create, destroy, &asked->options};
    struct weir__plan_device devices[WEIR_DEVICES_MAX];
    weir_context *planned;
    weir__plan_devices_of(context, devices);
    OK(weir__context_plan(devices, weir_context_device_count(context), NULL, context, &planned));
    OK(weir__plan_make(&maker, planned, graph, NULL, plan));
    weir_context_destroy(planned);
}

static uint64_t planned_bytes(const struct weir__plan_use *use, const char *what)
{
    for (uint32_t i = 0; i < use->arrays; i++)
        if (is_named(use->array[i].what, what))
            return use->array[i].bytes;
    return 0;
}

/* Arcs byte by byte; and pools of host devices within 3 % of what a run has at its peak, as test_plan.c has it. */
static void a_plan_is_what_a_run_uses(void **state)
{
    static const char *const arrays[] = {"out-arcs", "in-arcs", "weights of out-arcs",
                                         "weights of in-arcs"};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = weighed_graph("rmat:13", 0);
    struct weir__plan *plan;
    OK(weir__calloc(1, sizeof *plan, "plan", &plan));
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        weir_context *fresh = open_with_or_skip(*state, NULL);
        struct asked asked = asked_of(&forms[f], WEIR_MEMORY_HOST);
        void *object;
        plan_like(fresh, &asked, graph, plan);
        OK(create(&asked, fresh, graph, NULL, &object));
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
            assert_int_equal(planned_bytes(&plan->home, arrays[a]),
                             in_host_memory(fresh, arrays[a]));
            assert_int_equal(on_devices(fresh, arrays[a]), 0);
        }
        assert_true(planned_bytes(&plan->home, "out-arcs") >= graph->arcs * 4);
        assert_true(plan->host.most >= planned_bytes(&plan->home, "out-arcs"));
        run(&forms[f], object, 1);
        free(results(&forms[f], object, graph->vertices));
        for (uint32_t d = 0; d < plan->devices && strncmp(*state, "host", 4) == 0; d++) {
            weir_pool_stats stats = WEIR_POOL_STATS_INIT;
            weir_device_pool_stats(weir_context_device(fresh, d), &stats);
            const double off = (double)plan->device[d].used - (double)stats.peak_bytes;
            const double most = 0.03 * (double)stats.peak_bytes;
            if (off > most || -off > most)
                fail_msg("%s, device %u: planned %llu bytes, used %llu", forms[f].name, d,
                         (unsigned long long)plan->device[d].used,
                         (unsigned long long)stats.peak_bytes);
        }
        destroy(object);
        weir_context_destroy(fresh);
    }
    free(plan);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* With memory asked for as @p memory in pools of so many bytes: where arcs lie, or what the create says. */
static weir_status create_in(const char *spec, uint64_t pool, const struct form *form,
                             const weir_graph *graph, weir_memory memory, weir_memory *memory_out)
{
    char setting[64];
    const char *settings[] = {setting, NULL};
    const struct asked asked = asked_of(form, memory);
    void *object;
    snprintf(setting, sizeof setting, "pool_bytes=%llu", (unsigned long long)pool);
    weir_context *context = open_with_or_skip(spec, settings);
    weir_status status = create(&asked, context, graph, NULL, &object);
    if (!status) {
        *memory_out = run(form, object, 1).memory;
        destroy(object);
    }
    weir_context_destroy(context);
    return status;
}

static void auto_takes_host_memory_where_a_pool_is_too_small(void **state)
{
    const char *spec = *state;
    weir_context *context = open_or_skip(state);
    const int gpu = strncmp(spec, "host", 4) != 0;
    /* Arrays that do not fit into what is left of a slab leave it unused, and worklists on GPUs take many slabs. */
    const uint64_t least = UINT64_C(1) << (gpu ? 25 : 20);
    weir_graph *graph = weighed_graph(gpu ? "rmat:17,128" : "rmat:14,64", 0);
    struct weir__plan *on_device, *on_host;
    weir_memory memory;
    OK(weir__calloc(1, sizeof *on_device, "plan", &on_device));
    OK(weir__calloc(1, sizeof *on_host, "plan", &on_host));
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct asked asked = asked_of(&forms[f], WEIR_MEMORY_DEVICE);
        plan_like(context, &asked, graph, on_device);
        asked.options.memory = WEIR_MEMORY_HOST;
        plan_like(context, &asked, graph, on_host);
        uint64_t all = on_device->device[0].taken, some = 0;
        for (uint32_t d = 0; d < on_host->devices; d++)
            some = on_host->device[d].taken > some ? on_host->device[d].taken : some;
        all -= on_device->device[0].optional;
        assert_true(some + least < all);
        /* Too small for the arcs, and large enough for all else. */
        const uint64_t between = some + least;
        OK(create_in(spec, between, &forms[f], graph, WEIR_MEMORY_AUTO, &memory));
        assert_int_equal(memory, WEIR_MEMORY_HOST);
        STATUS(create_in(spec, between, &forms[f], graph, WEIR_MEMORY_DEVICE, &memory),
               WEIR_ERR_NOMEM);
        assert_detail_has("with memory host it would fit");
        OK(create_in(spec, all + (UINT64_C(64) << 20), &forms[f], graph, WEIR_MEMORY_AUTO,
                     &memory));
        assert_int_equal(memory, WEIR_MEMORY_DEVICE);
    }
    STATUS(create_in(spec, UINT64_C(1) << 20, &forms[4], graph, WEIR_MEMORY_AUTO, &memory),
           WEIR_ERR_NOMEM);
    assert_detail_has(" beside arcs in host memory, and its pool has 1.0 MiB (WEIR_POOL_BYTES)");
    free(on_device);
    free(on_host);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Of components nobody asked where their arcs lie: then they are streamed, as before. */
static void components_are_streamed_by_themselves(void **state)
{
    static const char *const settings[] = {"pool_bytes=6MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_graph *graph = weighed_graph("rmat:15,64", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint32_t *labels, *streamed;
    weir_cc *cc;
    OK(weir__alloc(graph->vertices, 4, "labels", &labels));
    OK(weir__alloc(graph->vertices, 4, "labels", &streamed));
    OK(weir_cc_create(context, graph, NULL, &options, WEIR_CC_AUTO, &cc));
    OK(weir_cc_run(cc, &stats));
    assert_int_equal(stats.memory, WEIR_MEMORY_AUTO);
    OK(weir_cc_labels(cc, streamed));
    weir_cc_destroy(cc);
    options.memory = WEIR_MEMORY_HOST;
    OK(weir_cc_create(context, graph, NULL, &options, WEIR_CC_AUTO, &cc));
    OK(weir_cc_run(cc, &stats));
    assert_int_equal(stats.memory, WEIR_MEMORY_HOST);
    OK(weir_cc_labels(cc, labels));
    weir_cc_destroy(cc);
    assert_memory_equal(labels, streamed, graph->vertices * 4);
    free(labels);
    free(streamed);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- programs that place graphs themselves ------------------------------------------------------- */

static void placements_and_rows_look_at_pools(void **state)
{
    static const char *const settings[] = {"pool_bytes=4MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_graph *large = weighed_graph("rmat:14,80", 0), *small = weighed_graph("rmat:10", 0);
    weir_placement_config with = WEIR_PLACEMENT_CONFIG_INIT;
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_placement *placement;
    weir_rows *rows;
    with.in_arcs = config.in_arcs = config.weights = 1;
    with.weights = WEIR_PART_WEIGHTS_U32;
    for (int is_large = 0; is_large < 2; is_large++) {
        const weir_graph *graph = is_large ? large : small;
        const weir_memory wanted = is_large ? WEIR_MEMORY_HOST : WEIR_MEMORY_DEVICE;
        OK(weir_placement_create_with(context, graph, NULL, &with, &placement));
        assert_int_equal(weir_placement_memory(placement), wanted);
        assert_int_equal(on_devices(context, "in-arcs") == 0, is_large);
        weir_placement_destroy(placement);
        OK(weir_rows_create(context, graph, NULL, &config, &rows));
        assert_int_equal(weir_rows_memory(rows), wanted);
        assert_int_equal(on_devices(context, "in-arcs") == 0, is_large);
        weir_rows_destroy(rows);
        assert_no_memory_is_left(context);
    }
    with.memory = config.memory = WEIR_MEMORY_DEVICE;
    STATUS(weir_placement_create_with(context, large, NULL, &with, &placement), WEIR_ERR_NOMEM);
    STATUS(weir_rows_create(context, large, NULL, &config, &rows), WEIR_ERR_NOMEM);
    with.memory = config.memory = (weir_memory)3;
    STATUS(weir_placement_create_with(context, small, NULL, &with, &placement), WEIR_ERR_INVALID);
    assert_detail("memory 3: there is none");
    STATUS(weir_rows_create(context, small, NULL, &config, &rows), WEIR_ERR_INVALID);
    assert_detail("memory 3: there is none");
    weir_graph_destroy(large);
    weir_graph_destroy(small);
    weir_context_destroy(context);
}

/* ---- what is refused ----------------------------------------------------------------------------- */

static void what_has_no_effect_is_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = weighed_graph("rmat:8", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_bfs *bfs;
    weir_pr *pr;
    weir_cc *cc;
    options.memory = (weir_memory)7;
    STATUS(weir_bfs_create(context, graph, NULL, &options, &bfs), WEIR_ERR_INVALID);
    assert_detail("memory 7: there is none");
    options.memory = WEIR_MEMORY_HOST;
    config.bins = 4;
    STATUS(weir_pr_create(context, graph, NULL, &options, &config, &pr), WEIR_ERR_UNSUPPORTED);
    assert_detail("4 bins with arcs in host memory: they are for arcs on the devices");
    config.bins = 0;
    config.bands = 2;
    STATUS(weir_pr_create(context, graph, NULL, &options, &config, &pr), WEIR_ERR_UNSUPPORTED);
    assert_detail("2 bands with arcs in host memory: they are for arcs on the devices");
    STATUS(weir_cc_create(context, graph, NULL, &options, WEIR_CC_STREAMED, &cc),
           WEIR_ERR_UNSUPPORTED);
    assert_detail_has("memory has no effect on connected components of arcs that are streamed");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* An allocation that fails leaves nothing behind, wherever it is. */
static void failures_leave_nothing(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = weighed_graph("rmat:8", 0);
    const struct asked asked = asked_of(&forms[3], WEIR_MEMORY_HOST);
    weir_status status = WEIR_ERR_NOMEM;
    for (uint64_t n = 1; status; n++) {
        void *object;
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        status = create(&asked, context, graph, NULL, &object);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        if (status)
            assert_int_equal(status, WEIR_ERR_NOMEM);
        else
            destroy(object);
        assert_int_equal(in_host_memory(context, "out-arcs"), 0);
        assert_no_memory_is_left(context);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

#define ON_EACH(f)                                                             \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH(results_are_equal),
        ON_EACH(long_rows_are_read_along_lines),
        ON_EACH(a_run_that_widens_keeps_its_memory),
        ON_EACH(a_plan_is_what_a_run_uses),
        ON_BACKEND(auto_takes_host_memory_where_a_pool_is_too_small, "host:1"),
        ON_BACKEND(auto_takes_host_memory_where_a_pool_is_too_small, "cuda:0"),
        ON_BACKEND(components_are_streamed_by_themselves, "host:1"),
        ON_BACKEND(components_are_streamed_by_themselves, "cuda:0"),
        ON_BACKEND(placements_and_rows_look_at_pools, "host:1"),
        ON_BACKEND(placements_and_rows_look_at_pools, "cuda:0"),
        ON_BACKEND(what_has_no_effect_is_refused, "host:2"),
        ON_BACKEND(failures_leave_nothing, "host:1"),
    };
    return cmocka_run_group_tests_name("arcs_memory", tests, NULL, NULL);
}
