/** @file plan_product.c  weir plan MATRIX spmv|spmm: what a product would take of each device's memory. */
#include "algorithms/cli/plan.h"
#include "runtime/room.h"

#include <inttypes.h>
#include <string.h>

/* What is planned, and what a run says of it. */
struct making {
    const weir_matrix *matrix;
    weir_product_config config;
    weir_product_stats *picked_out;
    const weir__cli_plan_of *one;
};

/* ---- what was asked for ------------------------------------------------------------------------ */

static int is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return 1;
    return 0;
}

/* Options of plan are of traversals, of products, or of both. */
static int check_options(const weir__cli_request *request, const char *const *taken,
                         const char *verb)
{
    const weir__cli_option *list[OPTIONS_MAX];
    const size_t count = weir__cli_options(request->verb, list);
    for (size_t i = 0; i < count; i++)
        if (weir__cli_given(request, list[i]->name) && is_among(list[i]->name, taken))
            return weir__cli_fail(EXIT_USAGE, "--%s: a plan of %s has no such option",
                                  list[i]->name, verb);
    return EXIT_DONE;
}

int weir__cli_plan_is_product(const weir__cli_request *request)
{
    return request->only &&
           (strcmp(request->only, "spmv") == 0 || strcmp(request->only, "spmm") == 0);
}

int weir__cli_plan_no_product(const weir__cli_request *request)
{
    static const char *const of_products[] = {"values",  "columns", "transpose", "schedule",
                                              "overlap", "vector",  NULL};
    if (request->partition_rows)
        return weir__cli_fail(EXIT_USAGE, "--partition rows: is of spmv and spmm alone");
    return check_options(request, of_products, request->only ? request->only : "traversals");
}

int weir__cli_plan_check_product(weir__cli_request *request)
{
    static const char *const of_traversals[] = {
        "direction", "order",  "kernel",  "memory", "parents",   "wire",    "balance",
        "sources",   "batch",  "seed",    "verify", "tolerance", "bands",   "hubs",
        "bins",      "stream", "permute", "route",  "queues",    "damping", "iterations",
        "worker",    "fetch",  "mapping", NULL};
    const int many = strcmp(request->only, "spmm") == 0;
    int code;
    if ((code = check_options(request, of_traversals, request->only)))
        return code;
    if (!request->graph &&
        (weir__cli_given(request, "weights") || weir__cli_given(request, "undirected")))
        return weir__cli_fail(EXIT_USAGE,
                              "--weights and --undirected: with --vertices N and --arcs M a matrix "
                              "has M nonzeros, whatever they are");
    if (request->partition != PARTITION_AUTO && request->partition != WEIR_PARTITION_2D)
        return weir__cli_fail(EXIT_USAGE, "--partition %s: %s is cut by rows, or 2d:RxC",
                              weir__cli_partitions.built[request->partition], request->only);
    if (!many && weir__cli_given(request, "columns"))
        return weir__cli_fail(EXIT_USAGE, "--columns: spmv has no such option");
    if (many && !weir__cli_given(request, "columns"))
        request->columns = SPMM_COLUMNS;
    return weir__cli_product_check(request);
}

/* ---- planning ---------------------------------------------------------------------------------- */

/* x and y as the command keeps them, beside all that a product takes. */
static void add_values(const struct making *making, const weir_product *product)
{
    struct weir__need_note *host = &making->one->plan->host;
    struct weir__need need = {0, 0};
    uint64_t x_rows, y_rows;
    uint32_t columns;
    weir_product_sizes(product, &x_rows, &y_rows, &columns);
    weir__need_take(&need, host->most, 1);
    weir__need_take(&need, (x_rows + y_rows) * columns,
                    making->matrix->kind == WEIR_VALUE_F64 ? sizeof(double) : sizeof(float));
    host->most = (uint64_t)need.most;
}

/* A run in such a context does nothing but say what it would be. */
static weir_status create(const void *user, weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, void **object_out)
{
    const struct making *making = user;
    weir_product *product;
    (void)graph;
    (void)partition;
    weir_status status = weir_product_create(context, making->matrix, &making->config, &product);
    if (status)
        return status;
    if ((status = weir_product_run(product, 1, 0, making->picked_out))) {
        weir_product_destroy(product);
        return status;
    }
    add_values(making, product);
    *object_out = product;
    return WEIR_OK;
}

static void destroy(void *product)
{
    weir_product_destroy(product);
}

static int open_matrix(weir__cli_plans *plans)
{
    const weir__cli_request *request = plans->request;
    weir_matrix_options options = WEIR_MATRIX_OPTIONS_INIT;
    options.kind = request->values ? WEIR_VALUE_F64 : WEIR_VALUE_F32;
    options.undirected = request->undirected;
    options.weights = weir__cli_given(request, "weights") ? &request->weights : NULL;
    if (!request->graph) {
        plans->sizes = (weir_matrix){.rows = request->vertices,
                                     .columns = request->vertices,
                                     .nonzeros = request->arcs,
                                     .kind = options.kind,
                                     .name = "a matrix of these sizes",
                                     .format = "sizes"};
        plans->matrix = &plans->sizes;
        return EXIT_DONE;
    }
    weir__cli_progress("making %s", request->graph);
    const weir_status status = weir_matrix_open(request->graph, &options, &plans->opened);
    plans->matrix = plans->opened;
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

int weir__cli_plan_product(weir__cli_plans *plans)
{
    weir__cli_plan_of *one = &plans->plan[0];
    struct making making = {.config = weir__cli_product_config(plans->request),
                            .picked_out = &plans->picked,
                            .one = one};
    const struct weir__maker maker = {plans->request->only, &making, create, destroy, NULL};
    int code = open_matrix(plans);
    if (code)
        return code;
    making.matrix = plans->matrix;
    plans->picked = (weir_product_stats)WEIR_PRODUCT_STATS_INIT;
    plans->count = 1;
    one->verb = weir__cli_verb_find(plans->request->only);
    if (plans->context)
        plans->host_left = weir__room_left();
    weir__cli_progress("planning %s", plans->request->only);
    const weir_status status = weir__cli_plan_make(plans, &maker, one);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}
