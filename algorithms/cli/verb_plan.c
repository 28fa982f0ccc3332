/** @file verb_plan.c  weir plan: what a run would take of each device's memory, before any of it is taken. */
#include "algorithms/cli/plan.h"
#include "algorithms/cli/traversal.h"
#include "algorithms/graph/sketch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const weir_graph *weir__cli_plans_graph(const weir__cli_plans *plans)
{
    return plans->graph ? plans->graph : &plans->sketch;
}

/* ---- what was asked for ------------------------------------------------------------------------ */

/* With sizes there is no GRAPH, and the first argument is the verb. */
static int check_arguments(weir__cli_request *request)
{
    const int vertices = weir__cli_given(request, "vertices");
    if (vertices != weir__cli_given(request, "arcs"))
        return weir__cli_fail(EXIT_USAGE, "--vertices and --arcs: give both of them, or GRAPH");
    if (!vertices)
        return request->graph
                   ? EXIT_DONE
                   : weir__cli_fail(EXIT_USAGE, "plan: GRAPH is missing, or --vertices and "
                                                "--arcs; see weir help plan");
    if (request->only)
        return weir__cli_fail(EXIT_USAGE,
                              "%s: GRAPH, or --vertices and --arcs: give only one of them",
                              request->graph);
    request->only = request->graph;
    request->graph = NULL;
    if (request->weights.kind == WEIR_WEIGHTS_FILE)
        return weir__cli_fail(EXIT_USAGE, "--weights file: --vertices and --arcs name no file");
    if (request->partition != PARTITION_AUTO && request->partition != WEIR_PARTITION_EDGE &&
        request->partition != WEIR_PARTITION_2D)
        return weir__cli_fail(EXIT_USAGE,
                              "--partition %s: parts of --vertices and --arcs are equal",
                              weir__cli_partitions.built[request->partition]);
    return EXIT_DONE;
}

static int check_options(weir__cli_request *request)
{
    int code = weir__cli_plan_is_product(request) ? weir__cli_plan_check_product(request)
                                                  : weir__cli_plan_no_product(request);
    if (code)
        return code;
    if (request->devices && request->machine)
        return weir__cli_fail(EXIT_USAGE, "--devices and --machine: give only one of them");
    if (request->batch && !request->sources)
        return weir__cli_fail(EXIT_USAGE, "--batch says how --sources are searched: give that too");
    if (!request->batch && (request->sources || request->verify))
        return weir__cli_fail(EXIT_USAGE,
                              "--%s: runs one after the other take no more of the devices for it: "
                              "leave it out, or give --batch",
                              request->sources ? "sources" : "verify");
    return weir__cli_partition_check(request);
}

/* Options of plan that are of one verb alone, where they were given. */
static size_t own_given(const weir__cli_request *request,
                        const weir__cli_option *given[OPTIONS_MAX])
{
    const weir__cli_option *list[OPTIONS_MAX];
    const size_t count = weir__cli_options(request->verb, list);
    const size_t begin = offsetof(weir__cli_request, own), bytes = sizeof request->own;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i]->field >= begin && list[i]->field - begin < bytes &&
            weir__cli_given(request, list[i]->name))
            given[found++] = list[i];
    return found;
}

/* The options of one verb: it has defaults of its own. */
static weir__cli_request request_of(const weir__cli_plans *plans,
                                    const weir__cli_algorithm *algorithm)
{
    weir__cli_request request = *plans->request;
    const weir__cli_option *given[OPTIONS_MAX];
    const size_t count = own_given(plans->request, given);
    memcpy(request.own, algorithm->own, sizeof request.own);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)&request + given[i]->field, (const char *)plans->request + given[i]->field,
               sizeof *request.own);
    return request;
}

/* Where nobody asked for this verb alone the others go on without it. */
static int cannot(const weir__cli_plans *plans, weir__cli_plan_of *one, weir_status status)
{
    const char *detail = weir_error_detail();
    if (plans->request->only || status == WEIR_ERR_CANCELLED || status == WEIR_ERR_TIMEOUT)
        return weir__cli_fail_status(status);
    one->code = weir__cli_exit_of(status);
    snprintf(one->cannot, sizeof one->cannot, "%s", *detail ? detail : weir_status_text(status));
    return EXIT_DONE;
}

/* Whether there is a verb left; why not, the first one says. */
static int any_left(const weir__cli_plans *plans)
{
    for (uint32_t i = 0; i < plans->count; i++)
        if (!*plans->plan[i].cannot)
            return EXIT_DONE;
    return weir__cli_fail(plans->plan[0].code, "%s", plans->plan[0].cannot);
}

static weir_status check_own(const weir__cli_plans *plans, const weir__cli_plan_of *one)
{
    const weir__cli_option *given[OPTIONS_MAX], *list[OPTIONS_MAX];
    const size_t count = weir__cli_options(one->verb, list);
    const size_t asked = own_given(plans->request, given);
    for (size_t i = 0; i < asked; i++)
        if (!weir__cli_option_named(list, count, given[i]->name, strlen(given[i]->name), 0))
            return weir__fail(WEIR_ERR_UNSUPPORTED, "--%s: %s has no such option", given[i]->name,
                              one->verb->name);
    return WEIR_OK;
}

static int check_forms(const weir__cli_plans *plans, weir__cli_plan_of *one)
{
    const weir__cli_algorithm *algorithm = one->algorithm;
    const weir__cli_request request = request_of(plans, algorithm);
    const weir_run_options options = weir__cli_run_options(&request);
    struct weir__asked asked = {.options = &options,
                                .partition = request.partition != PARTITION_AUTO,
                                .command = 1,
                                .parents = "--parents"};
    if (algorithm->ask)
        algorithm->ask(&request, &asked);
    weir_status status = check_own(plans, one);
    if (!status)
        status = weir__cli_forms_check(algorithm, &request, &asked);
    return status ? cannot(plans, one, status) : EXIT_DONE;
}

static int any_weighted(const weir__cli_plans *plans)
{
    int weighted = 0;
    for (uint32_t i = 0; i < plans->count; i++)
        weighted |= !*plans->plan[i].cannot && plans->plan[i].algorithm->weighted;
    return weighted;
}

/* Of runs from many sources at a time, which not every verb has. */
static int choose_batch(const weir__cli_plans *plans, weir__cli_plan_of *one)
{
    const weir__cli_algorithm *batched = one->algorithm->batched;
    if (!batched)
        return cannot(plans, one,
                      weir__fail(WEIR_ERR_UNSUPPORTED, "--batch: %s has no such option",
                                 one->algorithm->verb.name));
    one->algorithm = batched;
    one->batch = plans->request->sources < batched->batch_most ? (uint32_t)plans->request->sources
                                                               : batched->batch_most;
    return EXIT_DONE;
}

/* Those that can be planned, in the order of the table: "bfs, sssp, pr". */
static void list_verbs(char *room, size_t size)
{
    const weir__cli_verb *verb;
    size_t at = 0;
    for (size_t i = 0; (verb = weir__cli_verb_at(i)) && verb->algorithm && at < size; i++)
        at += (size_t)snprintf(room + at, size - at, "%s%s", i ? ", " : "", verb->name);
}

/* Those that were asked for, whose options fit. */
static int choose_verbs(weir__cli_plans *plans)
{
    const char *only = plans->request->only;
    const weir__cli_verb *verb;
    char verbs[96];
    int code = EXIT_DONE;
    for (size_t i = 0; (verb = weir__cli_verb_at(i)) && verb->algorithm && !code; i++) {
        if ((only && strcmp(only, verb->name) != 0) || plans->count == PLANS_MAX)
            continue;
        weir__cli_plan_of *one = &plans->plan[plans->count++];
        one->verb = verb;
        one->algorithm = verb->algorithm;
        if (plans->request->batch)
            code = choose_batch(plans, one);
        if (!code && !*one->cannot)
            code = check_forms(plans, one);
    }
    if (code)
        return code;
    if (!plans->count) {
        list_verbs(verbs, sizeof verbs);
        return weir__cli_fail(EXIT_USAGE,
                              "%s: plan takes one of %s, or none of them for all; or spmv or spmm",
                              only, verbs);
    }
    if ((code = any_left(plans)))
        return code;
    if (weir__cli_given(plans->request, "weights") && !any_weighted(plans))
        return weir__cli_fail(EXIT_USAGE, "--weights: %s has no weights", only ? only : "plan");
    return EXIT_DONE;
}

/* ---- the graph --------------------------------------------------------------------------------- */

static int open_graph(weir__cli_plans *plans)
{
    const weir__cli_request *request = plans->request;
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    char weights[WEIGHTS_ROOM];
    weir_status status;
    options.undirected = request->undirected;
    weir__cli_progress("loading %s", request->graph);
    if ((status = weir_graph_open(request->graph, &options, &plans->graph)))
        return weir__cli_fail_status(status);
    if (!plans->graph->vertices)
        return weir__cli_fail(EXIT_USAGE, "%s: the graph has no vertices", request->graph);
    return any_weighted(plans) ? weir__cli_weigh(request, plans->graph, weights) : EXIT_DONE;
}

static int choose_graph(weir__cli_plans *plans)
{
    const weir__cli_request *request = plans->request;
    weir_status status = WEIR_OK;
    int code = EXIT_DONE;
    if (request->graph)
        code = open_graph(plans);
    else
        plans->sketch = weir__graph_sketch(request->vertices, request->arcs, request->undirected,
                                           WEIR_WEIGHT_U32);
    if (!code && request->partition != PARTITION_AUTO)
        status = weir__cli_partition_make(request, weir__cli_plans_graph(plans), plans->devices,
                                          &plans->partition);
    return status ? weir__cli_fail_status(status) : code;
}

/* ---- planning ---------------------------------------------------------------------------------- */

struct making {
    const weir__cli_algorithm *algorithm;
    weir__cli_request request;
    weir_run_options options;
    int *streamed_out; /* written where a run may fall back: whether arcs are streamed */
};

static weir_status create(const void *user, weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, void **object_out)
{
    const struct making *making = user;
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_status status = making->algorithm->create(context, graph, partition, &making->options,
                                                   &making->request, object_out);
    if (status || !making->algorithm->fall_back)
        return status;
    if (!(status = making->algorithm->explain(*object_out, &picked, &reasons)))
        *making->streamed_out = weir__cli_streamed(&picked);
    else
        making->algorithm->destroy(*object_out);
    return status;
}

static int has_bounds(const struct weir__plan *plan)
{
    int known = 1;
    for (uint32_t d = 0; d < plan->devices; d++)
        known &= !plan->device[d].used || plan->device[d].bound;
    return known;
}

weir_status weir__cli_plan_make(const weir__cli_plans *plans, const struct weir__maker *maker,
                                weir__cli_plan_of *one)
{
    const weir_graph *graph = plans->matrix ? NULL : weir__cli_plans_graph(plans);
    weir_context *planned;
    weir_status status;
    if (!one->plan && (status = weir__calloc(1, sizeof *one->plan, "a plan", &one->plan)))
        return status;
    if ((status = weir__context_plan(plans->device, plans->devices, plans->config, plans->context,
                                     &planned)))
        return status;
    weir__cli_plan_reach(plans, planned);
    status = weir__plan_make(maker, planned, graph, plans->partition, one->plan);
    weir_context_destroy(planned);
    one->lacks = weir__plan_lacks(one->plan);
    one->host_lacks = plans->host_left && one->plan->host.most > plans->host_left;
    one->known = has_bounds(one->plan);
    return status;
}

/* As a run does by itself. What needs arcs on the devices is planned with them there, and does not fit. */
static weir_status make_on_host(const weir__cli_plans *plans, const struct weir__maker *maker,
                                weir__cli_plan_of *one)
{
    struct weir__sentence before = weir__fail_keep();
    maker->options->memory = WEIR_MEMORY_HOST;
    one->by_auto = !weir__cli_plan_make(plans, maker, one);
    weir__fail_restore(&before);
    if (one->by_auto)
        return WEIR_OK;
    maker->options->memory = WEIR_MEMORY_DEVICE;
    return weir__cli_plan_make(plans, maker, one);
}

static int plan_one(weir__cli_plans *plans, weir__cli_plan_of *one)
{
    const weir__cli_algorithm *algorithm = one->algorithm;
    int of_others;
    struct making making = {algorithm, request_of(plans, algorithm),
                            weir__cli_run_options(plans->request), &one->streamed};
    /* Two dimensions read no memory: their arcs lie on the devices. */
    const int in_2d = plans->request->partition_2d != NULL;
    const struct weir__maker maker = {algorithm->verb.name, &making, create, algorithm->destroy,
                                      in_2d ? NULL : &making.options};
    weir__cli_progress("planning %s", algorithm->verb.name);
    weir_status status = weir__cli_plan_make(plans, &maker, one);
    if (!status && (one->lacks != UINT32_MAX || one->host_lacks) && algorithm->fall_back &&
        algorithm->fall_back(&making.request))
        status = weir__cli_plan_make(plans, &maker, one);
    else if (!status && one->lacks != UINT32_MAX && !in_2d &&
             making.options.memory == WEIR_MEMORY_AUTO)
        status = make_on_host(plans, &maker, one);
    if (status) {
        free(one->plan);
        one->plan = NULL;
        return cannot(plans, one, status);
    }
    making.streamed_out = &of_others;
    one->on_host = making.options.memory == WEIR_MEMORY_HOST;
    if (one->lacks != UINT32_MAX)
        one->enough =
            weir__plan_enough(&maker, weir__cli_plans_graph(plans), one->plan, plans->config);
    return EXIT_DONE;
}

static int plan_all(weir__cli_plans *plans)
{
    int code = choose_graph(plans);
    if (!code && plans->context)
        plans->host_left = weir__room_left(); /* with the graph there, as a run finds it */
    for (uint32_t i = 0; i < plans->count && !code; i++)
        if (!*plans->plan[i].cannot)
            code = plan_one(plans, &plans->plan[i]);
    return code;
}

static int report(const weir__cli_plans *plans, weir__cli_output *output)
{
    int code = EXIT_DONE;
    weir__cli_progress(NULL);
    if (output->file)
        code = weir__cli_json_write(weir__cli_plans_document(plans), output, 17);
    if (!code && !weir__cli_output_is_stdout(output))
        weir__cli_plans_text(plans);
    return code ? code : weir__cli_output_commit(output, 1);
}

static void close_plans(weir__cli_plans *plans)
{
    for (uint32_t i = 0; i < plans->count; i++)
        free(plans->plan[i].plan);
    weir_partition_destroy(plans->partition);
    weir_graph_destroy(plans->graph);
    weir_matrix_destroy(plans->opened);
    weir_machine_destroy(plans->machine);
    weir_config_destroy(plans->config);
    if (plans->context)
        weir_context_destroy(plans->context);
    free(plans);
}

int weir__cli_plan(const weir__cli_request *given)
{
    weir__cli_request request = *given;
    weir__cli_output output = {0};
    weir__cli_plans *plans = calloc(1, sizeof *plans);
    if (!plans)
        return weir__cli_fail(EXIT_RUN, "no memory for a plan");
    plans->request = &request;
    int code = check_arguments(&request);
    if (!code)
        code = check_options(&request);
    const int product = !code && weir__cli_plan_is_product(&request);
    if (!code && !product)
        code = choose_verbs(plans);
    if (!code)
        code = weir__cli_signals_start(&request);
    if (!code && request.json)
        code = weir__cli_output_open(&output, "json", request.json, &request);
    if (!code)
        code = weir__cli_plan_devices(plans);
    if (!code)
        code = product ? weir__cli_plan_product(plans) : plan_all(plans);
    if (!code)
        code = any_left(plans);
    if (!code)
        code = report(plans, &output);
    weir__cli_output_drop(&output);
    close_plans(plans);
    return code;
}
