/** @file test_options.c  Every option with every form: it shows in what a run reports, or it is refused by name. */
#include "tests/lib/live.h"
#include "algorithms/algorithms.h"
#include "algorithms/bfs/bfs_op.h"
#include "tests/lib/support.h"

#include <string.h>

extern const weir_operator weir__bfs_operator;

/* ---- the options, each with a value that is not its default ---------------------------------- */

enum option {
    ROUTE,
    ROUTE_STAGED,
    ORDER_FIFO,
    ORDER_BULK,
    ORDER_SOFT,
    DELTA, /* with order soft, so that it has an effect where there are orders */
    DELTA_ALONE,
    KERNEL,
    QUEUES, /* with kernel live */
    QUEUES_ALONE,
    WORKER,
    FETCH,
    MAPPING,
    GROUP, /* with mapping group */
    GROUP_ALONE,
    PARENTS,
    ITERATIONS,
    BANDS,
    NONE,
    OPTIONS
};

/* Fields of weir_run_options, all of four bytes, and what they are set to. */
struct setting {
    size_t field;
    uint32_t value;
};
#define SET(field, value)                          \
    {                                              \
        offsetof(weir_run_options, field), (value) \
    }

/* What a refusal begins with, and the fields that are given: of a pair that belongs together, the first is named. */
static const struct {
    const char *name;
    struct setting set[2];
} rows[OPTIONS] = {[ROUTE] = {"route", {SET(route, WEIR_ROUTE_RING)}},
                   [ROUTE_STAGED] = {"route", {SET(route, WEIR_ROUTE_STAGED)}},
                   [ORDER_FIFO] = {"order", {SET(order, WEIR_ORDER_FIFO)}},
                   [ORDER_BULK] = {"order", {SET(order, WEIR_ORDER_BULK)}},
                   [ORDER_SOFT] = {"order", {SET(order, WEIR_ORDER_SOFT)}},
                   [DELTA] = {"order", {SET(order, WEIR_ORDER_SOFT), SET(delta, 7)}},
                   [DELTA_ALONE] = {"delta", {SET(delta, 7)}},
                   [KERNEL] = {"kernel", {SET(kernel, WEIR_KERNEL_DISCRETE)}},
                   [QUEUES] = {"kernel", {SET(kernel, WEIR_KERNEL_LIVE), SET(queues, 3)}},
                   [QUEUES_ALONE] = {"queues", {SET(queues, 3)}},
                   [WORKER] = {"worker", {SET(worker, WEIR_WORKER_BLOCK)}},
                   [FETCH] = {"fetch", {SET(fetch, 3)}},
                   [MAPPING] = {"mapping", {SET(mapping, WEIR_MAPPING_MERGE)}},
                   [GROUP] = {"mapping", {SET(mapping, WEIR_MAPPING_GROUP), SET(group, 2)}},
                   [GROUP_ALONE] = {"group", {SET(group, 2)}},
                   [PARENTS] = {"parents", {SET(parents, 1)}},
                   [ITERATIONS] = {.name = "iterations"}, /* of weir_pr_config */
                   [BANDS] = {.name = "bands"},           /* the same */
                   [NONE] = {.name = "none"}};

static void set_field(weir_run_options *options, const struct setting *setting)
{
    if (setting->field)
        memcpy((char *)options + setting->field, &setting->value, sizeof setting->value);
}

static weir_run_options options_with(enum option option)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    set_field(&options, &rows[option].set[0]);
    set_field(&options, &rows[option].set[1]);
    return options;
}

/* Whether the statistics say that the option was followed. */
static int shows(const weir_run_options *options, enum option option, const weir_run_stats *stats)
{
    const weir_worklist_stats *work = &stats->work;
    switch (option) {
    case ROUTE:
    case ROUTE_STAGED:
        return work->route == options->route;
    case ORDER_FIFO:
    case ORDER_BULK:
    case ORDER_SOFT:
        return work->order == options->order;
    case DELTA:
    case DELTA_ALONE:
        return work->delta == options->delta;
    case KERNEL:
        return work->kernel == options->kernel;
    case QUEUES:
    case QUEUES_ALONE:
        return work->kernel == options->kernel && work->queues == options->queues;
    case WORKER:
        return work->worker == options->worker;
    case FETCH:
        return work->fetch == options->fetch;
    case MAPPING:
    case GROUP:
    case GROUP_ALONE:
        return work->mapping == options->mapping && work->group == options->group;
    case ITERATIONS:
        return stats->steps == 2;
    case BANDS:
        return stats->bands == 3;
    case PARENTS: /* weir_bfs_parents() and weir_sssp_parents() tell */
    case NONE:
    case OPTIONS:
        break;
    }
    return 1;
}

/* ---- the forms, and what each reads ---------------------------------------------------------- */

static weir_status run_bfs(weir_context *context, const weir_graph *graph,
                           const weir_run_options *options, int form, enum option given,
                           weir_run_stats *stats)
{
    weir_bfs *bfs;
    int64_t parents[64];
    (void)form;
    (void)given;
    weir_status status = weir_bfs_create(context, graph, NULL, options, &bfs);
    if (!status)
        status = weir_bfs_run(bfs, 0, stats);
    if (!status && options->parents)
        status = weir_bfs_parents(bfs, parents);
    weir_bfs_destroy(bfs);
    return status;
}

static weir_status run_sssp(weir_context *context, const weir_graph *graph,
                            const weir_run_options *options, int form, enum option given,
                            weir_run_stats *stats)
{
    weir_sssp *sssp;
    int64_t parents[64];
    (void)form;
    (void)given;
    weir_status status = weir_sssp_create(context, graph, NULL, options, &sssp);
    if (!status)
        status = weir_sssp_run(sssp, 0, stats);
    if (!status && options->parents)
        status = weir_sssp_parents(sssp, parents);
    weir_sssp_destroy(sssp);
    return status;
}

static weir_status run_pr(weir_context *context, const weir_graph *graph,
                          const weir_run_options *options, int form, enum option given,
                          weir_run_stats *stats)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr *pr;
    (void)form;
    config.iterations = given == ITERATIONS ? 2 : 0;
    config.bands = given == BANDS ? 3 : 0;
    weir_status status = weir_pr_create(context, graph, NULL, options, &config, &pr);
    if (!status)
        status = weir_pr_run(pr, stats);
    weir_pr_destroy(pr);
    return status;
}

static weir_status run_cc(weir_context *context, const weir_graph *graph,
                          const weir_run_options *options, int form, enum option given,
                          weir_run_stats *stats)
{
    weir_cc *cc;
    (void)given;
    weir_status status = weir_cc_create(context, graph, NULL, options, (weir_cc_source)form, &cc);
    if (!status)
        status = weir_cc_run(cc, stats);
    weir_cc_destroy(cc);
    return status;
}

/* An operator of a user, here that of breadth-first search. */
static weir_status run_operator(weir_context *context, const weir_graph *graph,
                                const weir_run_options *options, int form, enum option given,
                                weir_run_stats *stats)
{
    weir_placement *placement;
    weir_traversal *traversal;
    bfs_wire seed = {0, 0};
    uint32_t part;
    (void)form;
    (void)given;
    OK(weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement));
    weir_status status =
        weir_traversal_create(placement, &weir__bfs_operator, options, NULL, &traversal);
    for (uint32_t p = 0; p < weir_context_device_count(context) && !status; p++) {
        const bfs_state state = {.part = *weir_placement_part(placement, p),
                                 .level = weir_traversal_values(traversal, p)};
        OK(weir_traversal_bind(traversal, p, &state));
    }
    if (!status) {
        OK(weir_placement_locate(placement, 0, &part, &seed.vertex, NULL));
        OK(weir_traversal_seed(traversal, part, &seed, 1));
        status = weir_traversal_run(traversal, stats);
    }
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    return status;
}

#define BIT(option) (1u << (option))
#define WORKLIST                                                                            \
    (BIT(ROUTE) | BIT(ROUTE_STAGED) | BIT(ORDER_FIFO) | BIT(ORDER_BULK) | BIT(ORDER_SOFT) | \
     BIT(DELTA) | BIT(KERNEL) | BIT(QUEUES) | BIT(WORKER) | BIT(FETCH) | BIT(MAPPING) |     \
     BIT(GROUP) | BIT(NONE))

static const struct form {
    const char *name;
    weir_status (*run)(weir_context *context, const weir_graph *graph,
                       const weir_run_options *options, int form, enum option given,
                       weir_run_stats *stats);
    weir_direction direction;
    int form; /* a weir_cc_source */
    unsigned reads;
} forms[] = {
    {"bfs pull", run_bfs, WEIR_DIRECTION_PULL, 0, BIT(PARENTS) | BIT(NONE)},
    {"bfs down", run_bfs, WEIR_DIRECTION_DOWN, 0, BIT(PARENTS) | BIT(NONE)},
    {"bfs switch", run_bfs, WEIR_DIRECTION_SWITCH, 0, BIT(PARENTS) | BIT(NONE)},
    {"bfs push", run_bfs, WEIR_DIRECTION_PUSH, 0, WORKLIST},
    {"sssp switch", run_sssp, WEIR_DIRECTION_SWITCH, 0,
     BIT(ORDER_SOFT) | BIT(DELTA) | BIT(DELTA_ALONE) | BIT(PARENTS) | BIT(NONE)},
    {"sssp push", run_sssp, WEIR_DIRECTION_PUSH, 0, WORKLIST | BIT(DELTA_ALONE)},
    {"pr pull", run_pr, WEIR_DIRECTION_PULL, 0, BIT(ITERATIONS) | BIT(BANDS) | BIT(NONE)},
    {"pr push", run_pr, WEIR_DIRECTION_PUSH, 0, WORKLIST},
    {"cc resident", run_cc, WEIR_DIRECTION_AUTO, WEIR_CC_RESIDENT, BIT(ROUTE) | BIT(NONE)},
    {"cc streamed", run_cc, WEIR_DIRECTION_AUTO, WEIR_CC_STREAMED,
     BIT(ROUTE) | BIT(ROUTE_STAGED) | BIT(NONE)},
    {"operator", run_operator, WEIR_DIRECTION_AUTO, 0, WORKLIST},
    {"operator push", run_operator, WEIR_DIRECTION_PUSH, 0, WORKLIST},
};
#define FORMS (sizeof forms / sizeof *forms)

static weir_graph *small_graph(void)
{
    weir_graph *graph;
    weir_weights weights;
    OK(weir_graph_open("rmat:6", NULL, &graph));
    OK(weir_weights_parse("random", &weights));
    OK(weir_graph_weigh(graph, &weights));
    return graph;
}

static void try_option(weir_context *context, const weir_graph *graph, const struct form *form,
                       enum option option)
{
    weir_run_options options = options_with(option);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    const int only_pr = (option == ITERATIONS || option == BANDS) && form->run != run_pr;
    options.direction = form->direction;
    if (only_pr)
        return; /* there is no such parameter */
    weir_status status = form->run(context, graph, &options, form->form, option, &stats);
    if (form->reads & BIT(option)) {
        if (status)
            fail_msg("%s, %s: %s", form->name, rows[option].name, weir_error_detail());
        if (!shows(&options, option, &stats))
            fail_msg("%s, %s: was taken and not followed", form->name, rows[option].name);
        return;
    }
    /* Where auto becomes order soft, as for PageRank on one GPU, a width is read. */
    if (!status && option == DELTA_ALONE && stats.work.order == WEIR_ORDER_SOFT &&
        shows(&options, option, &stats))
        return;
    if (status != WEIR_ERR_UNSUPPORTED)
        fail_msg("%s, %s: should be refused: %s", form->name, rows[option].name,
                 weir_status_text(status));
    if (strncmp(weir_error_detail(), rows[option].name, strlen(rows[option].name)) != 0 ||
        !strstr(weir_error_detail(), "has no effect"))
        fail_msg("%s, %s: not by name: %s", form->name, rows[option].name, weir_error_detail());
}

static void every_option_with_every_form(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = small_graph();
    for (size_t f = 0; f < FORMS; f++)
        for (int option = 0; option < OPTIONS; option++)
            if (option != QUEUES || live_runs_on(*state))
                try_option(context, graph, &forms[f], (enum option)option);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- values that there are not, and directions --------------------------------- */

static void values_that_there_are_not(void **state)
{
    static const struct setting wrong[] = {SET(direction, 99), SET(route, 99),  SET(order, 99),
                                           SET(kernel, 99),    SET(worker, 99), SET(mapping, 99)};
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = small_graph();
    for (size_t f = 0; f < FORMS; f++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            weir_run_options options = options_with(NONE);
            weir_run_stats stats = WEIR_RUN_STATS_INIT;
            options.direction = forms[f].direction;
            set_field(&options, &wrong[i]);
            STATUS(forms[f].run(context, graph, &options, forms[f].form, NONE, &stats),
                   WEIR_ERR_INVALID);
            assert_detail_has("99");
        }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void components_have_no_direction(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = small_graph();
    for (int source = WEIR_CC_AUTO; source <= WEIR_CC_STREAMED; source++) {
        weir_run_options options = options_with(NONE);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        options.direction = WEIR_DIRECTION_PULL;
        STATUS(run_cc(context, graph, &options, source, NONE, &stats), WEIR_ERR_UNSUPPORTED);
        assert_detail_has("direction has no effect on connected");
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void operators_push(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = small_graph();
    for (int direction = WEIR_DIRECTION_PULL; direction <= WEIR_DIRECTION_DOWN; direction++) {
        weir_run_options options = options_with(NONE);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        options.direction = (weir_direction)direction;
        STATUS(run_operator(context, graph, &options, 0, NONE, &stats), WEIR_ERR_UNSUPPORTED);
        assert_detail_has("direction push");
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Where the direction is left open, an option picks the form that reads it, and two may leave none. */
static void options_pick_the_form(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = small_graph();
    weir_run_options options = options_with(FETCH);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(run_bfs(context, graph, &options, 0, NONE, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_PUSH);
    options.parents = 1;
    STATUS(run_bfs(context, graph, &options, 0, NONE, &stats), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("fetch has no effect");
    assert_detail_has("parents has none");
    options = options_with(PARENTS);
    OK(run_bfs(context, graph, &options, 0, NONE, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_SWITCH);
    options = options_with(NONE);
    OK(run_pr(context, graph, &options, 0, ITERATIONS, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_PULL);
    options = options_with(KERNEL);
    STATUS(run_pr(context, graph, &options, 0, ITERATIONS, &stats), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("iterations has none");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(every_option_with_every_form, "host:2"),
        ON_BACKEND(every_option_with_every_form, "cuda:0"),
        cmocka_unit_test(values_that_there_are_not),
        cmocka_unit_test(components_have_no_direction),
        cmocka_unit_test(operators_push),
        ON_BACKEND(options_pick_the_form, "host:2"),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
