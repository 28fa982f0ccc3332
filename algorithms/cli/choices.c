/** @file choices.c  Options with named values: which exist, which the design names for later, and
 *  what a run picked in the end. */
#include "algorithms/cli/traversal.h"

#include <inttypes.h>
#include <string.h>

/* The positions of partitions (but for auto), schedules (of products too), overlaps, vectors, routes, kernels, workers, mappings, memories, balances and wires are the
 * values of their enumerations. */
const weir__cli_choices weir__cli_partitions = {
    {"block", "edge", "random", "metis", "file:PATH", "2d:RxC", "auto", NULL}, {NULL}};
/* In the order of VERIFY_BY. */
const weir__cli_choices weir__cli_judges = {{"auto", "reference", "certificate", NULL}, {NULL}};
const weir__cli_choices weir__cli_schedules = {{"dynamic", "static", NULL}, {NULL}};
const weir__cli_choices weir__cli_routes = {{"auto", "direct", "ring", "tree", "staged", NULL},
                                            {NULL}};
const weir__cli_choices weir__cli_orders = {{"fifo", "soft", "soft:DELTA", "bulk", NULL}, {NULL}};
const weir__cli_choices weir__cli_kernels = {{"auto", "fused", "discrete", "live", NULL}, {NULL}};
const weir__cli_choices weir__cli_workers = {{"auto", "thread", "warp", "block", NULL}, {NULL}};
const weir__cli_choices weir__cli_mappings = {
    {"auto", "thread", "warp", "block", "group:N", "merge", NULL}, {NULL}};
const weir__cli_choices weir__cli_balances = {
    {"off", "frontier", "ownership", "both", "auto", NULL}, {NULL}};
const weir__cli_choices weir__cli_wires = {{"auto", "list", "bitmap", NULL}, {NULL}};

const weir__cli_choices weir__cli_values = {{"f32", "f64", NULL}, {NULL}};
const weir__cli_choices weir__cli_product_schedules = {
    {"auto", "rows", "bins", "thread", "warp", "block", "group", "merge", NULL}, {NULL}};
const weir__cli_choices weir__cli_overlaps = {{"auto", "on", "off", NULL}, {NULL}};
/* The positions are the values that the program's interface has for where arcs come from. */
const weir__cli_choices weir__cli_streams = {{"auto", "off", "on", NULL}, {NULL}};
const weir__cli_choices weir__cli_vectors = {{"auto", "whole", "cut", NULL}, {NULL}};

const weir__cli_choices weir__cli_memories = {{"auto", "device", "host", NULL}, {NULL}};
const weir__cli_choices weir__cli_directions = {{"auto", "push", "pull", "switch", "down", NULL},
                                                {NULL}};

/* These are formats of what verbs write; the verbs' files name the positions. */
const weir__cli_choices weir__cli_topo_formats = {{"table", "json", "dot", NULL}, {NULL}};
const weir__cli_choices weir__cli_partition_formats = {{"table", "csv", NULL}, {NULL}};
const weir__cli_choices weir__cli_bench_formats = {{"table", "json", "csv", NULL}, {NULL}};

static int is_later(const weir__cli_choices *choices, const char *text)
{
    for (const char *const *later = choices->later; *later; later++) {
        size_t length = strlen(*later);
        if ((*later)[length - 1] == ':' ? strncmp(text, *later, length) == 0
                                        : strcmp(text, *later) == 0)
            return 1;
    }
    return 0;
}

static int refuse(const weir__cli_choices *choices, const char *option, const char *text)
{
    char list[128] = "";
    for (const char *const *built = choices->built; *built; built++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *built);
    }
    if (is_later(choices, text))
        return weir__cli_fail(EXIT_USAGE, "--%s %s is not built yet; choose one of: %s", option,
                              text, list);
    return weir__cli_fail(EXIT_USAGE, "--%s %s: unknown; choose one of: %s", option, text, list);
}

int weir__cli_choose(const weir__cli_choices *choices, const char *option, const char *text,
                     int *position_out)
{
    for (int i = 0; choices->built[i]; i++)
        if (strcmp(choices->built[i], text) == 0) {
            *position_out = i;
            return EXIT_DONE;
        }
    return refuse(choices, option, text);
}

int weir__cli_choose_direction(const weir__cli_choices *choices, const char *text, int *out)
{
    int position, code = weir__cli_choose(choices, "direction", text, &position);
    for (int i = WEIR_DIRECTION_AUTO; i <= WEIR_DIRECTION_DOWN && !code; i++)
        if (strcmp(text, weir_direction_text((weir_direction)i)) == 0)
            *out = i;
    return code;
}

static int choose_2d(const char *text, weir__cli_request *request)
{
    if (weir_partition_2d_parse(text, &request->grid_rows, &request->grid_columns))
        return weir__cli_fail(EXIT_USAGE, "--%s", weir_error_detail());
    request->partition = WEIR_PARTITION_2D;
    request->partition_2d = text;
    return EXIT_DONE;
}

int weir__cli_choose_partition(const char *text, weir__cli_request *request)
{
    request->partition_file = request->partition_2d = NULL;
    request->grid_rows = request->grid_columns = 0;
    if (strncmp(text, "2d:", 3) == 0)
        return choose_2d(text, request);
    if (strncmp(text, "file:", 5) != 0)
        return weir__cli_choose(&weir__cli_partitions, "partition", text, &request->partition);
    if (!text[5])
        return weir__cli_fail(EXIT_USAGE, "--partition file: the path behind file: is missing");
    request->partition = WEIR_PARTITION_FILE;
    request->partition_file = text + 5;
    return EXIT_DONE;
}

int weir__cli_choose_order(const char *text, int *order_out, uint32_t *delta_out)
{
    uint64_t delta = 0;
    if (strcmp(text, "fifo") == 0) {
        *order_out = WEIR_ORDER_FIFO;
    } else if (strcmp(text, "soft") == 0) {
        *order_out = WEIR_ORDER_SOFT;
    } else if (strncmp(text, "soft:", 5) == 0) {
        if (weir__cli_number(text + 5, &delta) || delta < 1 || delta > UINT32_MAX)
            return weir__cli_fail(EXIT_USAGE,
                                  "--order %s: \"%s\" is not a whole number from 1 to %lu", text,
                                  text + 5, (unsigned long)UINT32_MAX);
        *order_out = WEIR_ORDER_SOFT;
    } else if (strcmp(text, "bulk") == 0) {
        *order_out = WEIR_ORDER_BULK;
    } else {
        return refuse(&weir__cli_orders, "order", text);
    }
    *delta_out = (uint32_t)delta;
    return EXIT_DONE;
}

int weir__cli_choose_mapping(const char *text, int *mapping_out, uint32_t *group_out)
{
    uint64_t group = 0;
    int code = EXIT_DONE;
    if (strncmp(text, "group:", 6) != 0) {
        code = weir__cli_choose(&weir__cli_mappings, "mapping", text, mapping_out);
    } else if (weir__cli_number(text + 6, &group) || group < 1 || group > 1024 ||
               (group & (group - 1))) {
        code =
            weir__cli_fail(EXIT_USAGE, "--mapping %s: \"%s\" is not a power of two from 1 to 1024",
                           text, text + 6);
    } else {
        *mapping_out = WEIR_MAPPING_GROUP;
    }
    *group_out = (uint32_t)group;
    return code;
}

const char *weir__cli_route_why(const weir_route_plan *plan, char *room, size_t size)
{
    const char *kind = weir_route_kind_text(plan->kind);
    size_t length = strlen(kind);
    int named = strncmp(plan->why, kind, length) == 0 && plan->why[length] == ':';
    snprintf(room, size, "%s%s%s", named ? "" : kind, named ? "" : ": ", plan->why);
    return room;
}

weir__cli_picked weir__cli_pick(const weir__cli_request *request, const weir_run_stats *stats)
{
    const weir_worklist_stats *work = &stats->work;
    /* Without a partition weir_placement_create() and its like make one with equal numbers of arcs. */
    weir_partition_kind partition = request->partition == PARTITION_AUTO
                                        ? WEIR_PARTITION_EDGE
                                        : (weir_partition_kind)request->partition;
    weir__cli_picked picked = {
        .partition = weir__cli_streamed(stats) ? NULL
                     : request->partition_2d   ? request->partition_2d
                                               : weir_partition_kind_text(partition),
        .direction = weir_direction_text(stats->direction),
        .memory = stats->memory ? weir_memory_text(stats->memory) : NULL,
        .route = weir_route_kind_text(work->route),
        .order = work->order ? weir_order_kind_text(work->order) : NULL,
        .kernel = weir_kernel_kind_text(work->kernel),
        .worker = weir_worker_kind_text(work->worker),
        .balance = weir_balance_text(stats->balance),
        .wire = weir_wire_text(stats->wire),
        .delta = work->delta,
        .fetch = work->fetch,
        .queues = work->queues,
        .cut = work->cut,
    };
    const char *mapping = weir_mapping_kind_text(work->mapping);
    if (work->mapping == WEIR_MAPPING_GROUP)
        snprintf(picked.mapping, sizeof picked.mapping, "%s:%" PRIu32 "%s", mapping, work->group,
                 work->lines ? " along lines" : "");
    else if (work->mapping != WEIR_MAPPING_AUTO)
        snprintf(picked.mapping, sizeof picked.mapping, "%s", mapping);
    return picked;
}
