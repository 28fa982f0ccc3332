/** @file choices.c  Options with named values: which exist, which the design names for later, and
 *  what a run picked in the end. */
#include "algorithms/cli/cli.h"

#include <string.h>

/* The positions of partitions, schedules and routes are the values of their enumerations. */
const weir__cli_choices weir__cli_partitions = {{"block", "edge", "random", "metis", NULL},
                                                {"file:", "2d:", NULL}};
const weir__cli_choices weir__cli_schedules = {{"dynamic", "static", NULL}, {NULL}};
const weir__cli_choices weir__cli_routes = {{"auto", "direct", "ring", "tree", "staged", NULL},
                                            {NULL}};
const weir__cli_choices weir__cli_orders = {{"fifo", "soft", "soft:DELTA", NULL}, {"bulk", NULL}};
const weir__cli_choices weir__cli_kernels = {{"auto", "discrete", NULL}, {"fused", NULL}};
const weir__cli_choices weir__cli_workers = {{"auto", NULL}, {"thread", "warp", "block", NULL}};
const weir__cli_choices weir__cli_mappings = {{"auto", NULL},
                                              {"thread", "warp", "block", "group:", "merge", NULL}};
const weir__cli_choices weir__cli_balances = {{"off", NULL},
                                              {"frontier", "ownership", "both", NULL}};
const weir__cli_choices weir__cli_wires = {{"list", NULL}, {"bitmap", "auto", NULL}};

/* Of what the verbs write; their own files name the positions. */
const weir__cli_choices weir__cli_topo_formats = {{"table", "json", "dot", NULL}, {NULL}};
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
    } else {
        return refuse(&weir__cli_orders, "order", text);
    }
    *delta_out = (uint32_t)delta;
    return EXIT_DONE;
}

/* How work is mapped follows from the device today: a warp a tile on GPUs, a thread on the host. */
static const char *mapping_of(const weir_context *context)
{
    int kinds = 0;
    for (uint32_t i = 0; i < weir_context_device_count(context); i++) {
        weir_device_info info;
        weir_device_info_get(weir_context_device(context, i), &info);
        kinds |= info.kind == WEIR_DEVICE_CUDA ? 2 : 1;
    }
    return kinds == 3 ? "warp,thread" : kinds == 2 ? "warp" : "thread";
}

const char *weir__cli_route_why(const weir_route_plan *plan, char *room, size_t size)
{
    const char *kind = weir_route_kind_text(plan->kind);
    size_t length = strlen(kind);
    int named = strncmp(plan->why, kind, length) == 0 && plan->why[length] == ':';
    snprintf(room, size, "%s%s%s", named ? "" : kind, named ? "" : ": ", plan->why);
    return room;
}

weir__cli_picked weir__cli_pick(const weir__cli_request *request, const weir_context *context,
                                const weir_run_stats *stats)
{
    const char *mapping = mapping_of(context);
    weir__cli_picked picked = {
        .partition = weir_partition_kind_text((weir_partition_kind)request->partition),
        .route = weir_route_kind_text(stats->route),
        .order = stats->order == WEIR_ORDER_SOFT ? "soft" : "fifo",
        .kernel = "discrete",
        .worker = mapping,
        .mapping = mapping,
        .balance = weir__cli_balances.built[request->balance],
        .wire = weir__cli_wires.built[request->wire],
        .delta = stats->delta,
    };
    return picked;
}
