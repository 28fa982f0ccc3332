/** @file choices_list.c  The values of each choice, as the command takes them. */
#include "tests/lib/choices.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

static const struct {
    const char *text;
    weir_partition_kind kind;
} partitions[] = {{"block", WEIR_PARTITION_BLOCK},
                  {"edge", WEIR_PARTITION_EDGE},
                  {"random", WEIR_PARTITION_RANDOM},
                  {"file:PATH", WEIR_PARTITION_FILE},
                  {"metis", WEIR_PARTITION_METIS}}; /* last: not everywhere */

static const struct {
    const char *text;
    weir_route_kind kind;
} routes[] = {{"auto", WEIR_ROUTE_AUTO},
              {"direct", WEIR_ROUTE_DIRECT},
              {"ring", WEIR_ROUTE_RING},
              {"tree", WEIR_ROUTE_TREE},
              {"staged", WEIR_ROUTE_STAGED}};

static const struct {
    const char *text;
    weir_order_kind kind;
    uint32_t delta;
} orders[] = {{"fifo", WEIR_ORDER_FIFO, 0},
              {"soft", WEIR_ORDER_SOFT, 0},
              {"soft:1", WEIR_ORDER_SOFT, 1},
              {"soft:1000", WEIR_ORDER_SOFT, 1000},
              {"bulk", WEIR_ORDER_BULK, 0}};

static const struct {
    const char *text;
    weir_kernel_kind kind;
} kernels[] = {
    {"fused", WEIR_KERNEL_FUSED}, {"discrete", WEIR_KERNEL_DISCRETE}, {"live", WEIR_KERNEL_LIVE}};

static const struct {
    const char *text;
    weir_worker_kind kind;
} workers[] = {
    {"thread", WEIR_WORKER_THREAD}, {"warp", WEIR_WORKER_WARP}, {"block", WEIR_WORKER_BLOCK}};

static const struct {
    const char *text;
    uint32_t tiles;
} fetches[] = {{"0", 0}, {"1", 1}, {"7", 7}, {"64", 64}};

static const struct {
    const char *text;
    weir_mapping_kind kind;
    uint32_t group;
} mappings[] = {{"thread", WEIR_MAPPING_THREAD, 0},     {"warp", WEIR_MAPPING_WARP, 0},
                {"block", WEIR_MAPPING_BLOCK, 0},       {"group:1", WEIR_MAPPING_GROUP, 1},
                {"group:4", WEIR_MAPPING_GROUP, 4},     {"group:32", WEIR_MAPPING_GROUP, 32},
                {"group:256", WEIR_MAPPING_GROUP, 256}, {"merge", WEIR_MAPPING_MERGE, 0}};

/* Whether there is a helper that METIS runs in; smaller graphs are cut without it. */
static int metis_runs(void)
{
    weir_graph *graph;
    weir_partition *partition;
    if (weir_graph_open("grid:8x8", NULL, &graph))
        return 0;
    weir_status status = weir_partition_create(graph, WEIR_PARTITION_METIS, 2, 1, NULL, &partition);
    weir_graph_destroy(graph);
    if (!status)
        weir_partition_destroy(partition);
    return status != WEIR_ERR_CHILD;
}

void choice_shape_of(const struct choice_devices *set, struct cover_shape *shape_out)
{
    static int metis = -1;
    if (metis < 0 && !(metis = metis_runs()))
        fprintf(stderr, "no weir-metis here: partition metis is left out\n");
    *shape_out = (struct cover_shape){.factors = CHOICE_FACTORS};
    shape_out->values[CHOICE_OPERATOR] = choice_operator_count;
    shape_out->values[CHOICE_DEVICES] = set->specs;
    shape_out->values[CHOICE_PARTITION] = COUNT(partitions) - (metis ? 0 : 1);
    shape_out->values[CHOICE_ROUTE] = COUNT(routes);
    shape_out->values[CHOICE_ORDER] = COUNT(orders);
    shape_out->values[CHOICE_KERNEL] = COUNT(kernels);
    shape_out->values[CHOICE_WORKER] = COUNT(workers);
    shape_out->values[CHOICE_FETCH] = COUNT(fetches);
    shape_out->values[CHOICE_MAPPING] = COUNT(mappings);
}

#define TEXT_OF(list) return value < COUNT(list) ? list[value].text : NULL
static const char *value_text(enum choice_factor factor, uint32_t value)
{
    switch (factor) {
    case CHOICE_OPERATOR:
        return value < choice_operator_count ? choice_operators[value].name : NULL;
    case CHOICE_PARTITION:
        TEXT_OF(partitions);
    case CHOICE_ROUTE:
        TEXT_OF(routes);
    case CHOICE_ORDER:
        TEXT_OF(orders);
    case CHOICE_KERNEL:
        TEXT_OF(kernels);
    case CHOICE_WORKER:
        TEXT_OF(workers);
    case CHOICE_FETCH:
        TEXT_OF(fetches);
    case CHOICE_MAPPING:
        TEXT_OF(mappings);
    default:
        return NULL; /* specs are a set's own */
    }
}

int choice_value(enum choice_factor factor, const char *text)
{
    const char *here;
    for (uint32_t value = 0; (here = value_text(factor, value)); value++)
        if (strcmp(here, text) == 0)
            return (int)value;
    return -1;
}

/* Whether a row asks for something there. */
static int asks(const uint8_t *row, enum choice_factor factor)
{
    return row[factor] != CHOICE_OPEN;
}

weir_run_options choice_options(const uint8_t *row)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    if (asks(row, CHOICE_ROUTE))
        options.route = routes[row[CHOICE_ROUTE]].kind;
    if (asks(row, CHOICE_ORDER)) {
        options.order = orders[row[CHOICE_ORDER]].kind;
        options.delta = orders[row[CHOICE_ORDER]].delta;
    }
    if (asks(row, CHOICE_KERNEL))
        options.kernel = kernels[row[CHOICE_KERNEL]].kind;
    if (asks(row, CHOICE_WORKER))
        options.worker = workers[row[CHOICE_WORKER]].kind;
    if (asks(row, CHOICE_FETCH))
        options.fetch = fetches[row[CHOICE_FETCH]].tiles;
    if (asks(row, CHOICE_MAPPING)) {
        options.mapping = mappings[row[CHOICE_MAPPING]].kind;
        options.group = mappings[row[CHOICE_MAPPING]].group;
    }
    return options;
}

int choice_has_effect(weir_worker_kind worker, weir_mapping_kind mapping, uint32_t group)
{
    const int wide = mapping == WEIR_MAPPING_BLOCK || group > 32;
    return mapping == WEIR_MAPPING_AUTO ||
           (worker != WEIR_WORKER_THREAD && !(worker == WEIR_WORKER_WARP && wide));
}

weir_partition_kind choice_partition(const uint8_t *row)
{
    return asks(row, CHOICE_PARTITION) ? partitions[row[CHOICE_PARTITION]].kind
                                       : WEIR_PARTITION_EDGE;
}

const char *choice_text(const struct choice_devices *set, const uint8_t *row)
{
    static const struct {
        enum choice_factor factor;
        const char *option;
    } options[] = {{CHOICE_PARTITION, "partition"}, {CHOICE_ROUTE, "route"},
                   {CHOICE_ORDER, "order"},         {CHOICE_KERNEL, "kernel"},
                   {CHOICE_WORKER, "worker"},       {CHOICE_FETCH, "fetch"},
                   {CHOICE_MAPPING, "mapping"}};
    static char text[320];
    int at =
        snprintf(text, sizeof text, "%s --devices %s",
                 value_text(CHOICE_OPERATOR, row[CHOICE_OPERATOR]), set->spec[row[CHOICE_DEVICES]]);
    for (uint32_t i = 0; i < COUNT(options) && at > 0 && (size_t)at < sizeof text; i++)
        if (asks(row, options[i].factor))
            at += snprintf(text + at, sizeof text - (size_t)at, " --%s %s", options[i].option,
                           value_text(options[i].factor, row[options[i].factor]));
    return text;
}
