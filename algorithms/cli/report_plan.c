/** @file report_plan.c  Plans for people and for scripts. */
#include "algorithms/cli/plan.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum { AMOUNT_ROOM = 32 };

static const char *amount(uint64_t bytes, char room[AMOUNT_ROOM])
{
    const double kib = (double)bytes / 1024;
    if (bytes < 1024)
        snprintf(room, AMOUNT_ROOM, "%" PRIu64 " B", bytes);
    else if (kib < 1024)
        snprintf(room, AMOUNT_ROOM, "%.1f KiB", kib);
    else if (kib < 1024 * 1024)
        snprintf(room, AMOUNT_ROOM, "%.1f MiB", kib / 1024);
    else
        snprintf(room, AMOUNT_ROOM, "%.2f GiB", kib / 1024 / 1024);
    return room;
}

/* ---- for people -------------------------------------------------------------------------------- */

static void print_use(const struct weir__plan_use *use, const char *label)
{
    char bytes[AMOUNT_ROOM], bound[AMOUNT_ROOM];
    if (use->bound && use->shared)
        printf("\n  %s: %s of %s that all share\n", label, amount(use->used, bytes),
               amount(use->bound, bound));
    else if (use->bound)
        printf("\n  %s: %s of %s\n", label, amount(use->used, bytes), amount(use->bound, bound));
    else
        printf("\n  %s: %s; how much it has is not known\n", label, amount(use->used, bytes));
    if (use->optional)
        printf("    %s of it only where there is room\n", amount(use->optional, bytes));
    if (use->placing)
        printf("    %s more for a while where there is room, as the graph is placed\n",
               amount(use->placing, bytes));
    printf("    %-28s %6s %16s %12s\n", "array", "pieces", "elements", "bytes");
    for (uint32_t i = 0; i < use->arrays; i++)
        printf("    %-28s %6" PRIu64 " %16" PRIu64 " %12s\n", use->array[i].what,
               use->array[i].pieces, use->array[i].elements, amount(use->array[i].bytes, bytes));
}

static const char *fitting(const weir__cli_plans *plans, const weir__cli_plan_of *one)
{
    if (!one->known)
        return "whether it fits is not known";
    return plans->host_left ? "it fits"
                            : "it fits on the devices; how much memory the host has is not known";
}

static void print_verdict(const weir__cli_plans *plans, const weir__cli_plan_of *one)
{
    const struct weir__plan *plan = one->plan;
    if (one->lacks == UINT32_MAX && one->host_lacks)
        printf("\n  it does not fit: the host has too little left\n");
    else if (one->lacks == UINT32_MAX)
        printf("\n  %s\n", fitting(plans, one));
    else if (one->enough)
        printf("\n  it does not fit: %s has too little; %" PRIu32 " such devices would hold it\n",
               plan->device[one->lacks].info.label, one->enough);
    else
        printf("\n  it does not fit: %s%s\n", plan->device[one->lacks].info.label,
               plan->device[one->lacks].shared ? " and those before it have too little together"
                                               : " has too little");
}

/* What a product would be. */
static void print_picked(const weir__cli_plans *plans)
{
    const weir_product_stats *picked = &plans->picked;
    printf("\n  schedule %s", weir_product_schedule_text(picked->schedule));
    if (picked->devices > 1)
        printf(", x %s: %" PRIu64 " rows of it are others', %" PRIu64 " bytes exchanged %s",
               weir_product_vector_text(picked->vector), picked->halo, picked->bytes_exchanged,
               picked->overlap ? "meanwhile" : "before");
    putchar('\n');
}

/* Labels of cc come together by way of the host where its arcs come from there. */
static int asked_to_stream(const weir__cli_request *request)
{
    return request->own[OWN_STREAM].choice == WEIR_CC_STREAMED ||
           request->route == WEIR_ROUTE_STAGED;
}

static void print_one(const weir__cli_plans *plans, const weir__cli_plan_of *one)
{
    char bytes[AMOUNT_ROOM], kept[AMOUNT_ROOM], left[AMOUNT_ROOM];
    const struct weir__plan *plan = one->plan;
    printf("\n%s\n", one->verb->name);
    if (!plan) {
        printf("\n  cannot be planned: %s\n", one->cannot);
        return;
    }
    if (one->batch)
        printf("\n  from %" PRIu32 " sources at a time%s\n", one->batch,
               plans->request->verify ? ", whose levels are all kept" : "");
    if (one->streamed)
        printf("\n  streamed%s\n", asked_to_stream(plans->request)
                                       ? ""
                                       : ", since all of it together does not fit on the devices");
    if (one->on_host)
        printf("\n  arcs in host memory%s\n",
               one->by_auto ? ", since all of it together does not fit on the devices" : "");
    if (plans->matrix)
        print_picked(plans);
    for (uint32_t d = 0; d < plan->devices; d++)
        if (plan->device[d].used)
            print_use(&plan->device[d], plan->device[d].info.label);
    if (one->on_host)
        print_use(&plan->home, "home");
    printf("\n  host memory: %s at the most%s, %s of it where devices reach it",
           amount(plan->host.most, bytes),
           plan->device[0].info.kind == WEIR_DEVICE_HOST ? ", host devices in it" : "",
           amount(plan->home.used, kept));
    if (plans->host_left)
        printf("; %s are left", amount(plans->host_left, left));
    putchar('\n');
    print_verdict(plans, one);
}

void weir__cli_plans_text(const weir__cli_plans *plans)
{
    const weir_graph *graph = weir__cli_plans_graph(plans);
    const weir_matrix *matrix = plans->matrix;
    char name[256];
    if (matrix)
        printf("matrix   %s: %" PRIu64 " rows, %" PRIu64 " columns, %" PRIu64 " nonzeros of %s%s\n",
               weir__cli_cleaned(matrix->name, name, sizeof name), matrix->rows, matrix->columns,
               matrix->nonzeros, weir__cli_values.built[plans->request->values],
               plans->opened ? "" : ", in equal rows, columns spread evenly");
    else
        printf("graph    %s: %" PRIu64 " vertices, %" PRIu64 " arcs%s\n",
               weir__cli_cleaned(graph->name, name, sizeof name), graph->vertices, graph->arcs,
               plans->graph ? "" : ", in equal parts, spread as an R-MAT graph spreads them");
    for (uint32_t i = 0; i < plans->count; i++)
        print_one(plans, &plans->plan[i]);
}

/* ---- for scripts ------------------------------------------------------------------------------- */

static json_t *integer_or_null(uint64_t value)
{
    return value ? weir__cli_json_integer(value) : json_null();
}

static json_t *document_use(const struct weir__plan_use *use, const char *label)
{
    json_t *arrays = json_array();
    for (uint32_t i = 0; i < use->arrays; i++)
        json_array_append_new(arrays,
                              json_pack("{s:s, s:o, s:o, s:o}", "name", use->array[i].what,
                                        "pieces", weir__cli_json_integer(use->array[i].pieces),
                                        "elements", weir__cli_json_integer(use->array[i].elements),
                                        "bytes", weir__cli_json_integer(use->array[i].bytes)));
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "label", label, "bytes",
                     weir__cli_json_integer(use->used), "optional_bytes",
                     weir__cli_json_integer(use->optional), "placing_bytes",
                     weir__cli_json_integer(use->placing), "arrays", arrays);
}

/* What it would be; null: no product. */
static json_t *document_product(const weir__cli_plans *plans)
{
    const weir_product_stats *picked = &plans->picked;
    if (!plans->matrix)
        return json_null();
    return json_pack("{s:s, s:s, s:b, s:o, s:o}", "schedule",
                     weir_product_schedule_text(picked->schedule), "vector",
                     weir_product_vector_text(picked->vector), "overlap", picked->overlap, "halo",
                     weir__cli_json_integer(picked->halo), "bytes_exchanged",
                     weir__cli_json_integer(picked->bytes_exchanged));
}

static json_t *document_one(const weir__cli_plans *plans, const weir__cli_plan_of *one)
{
    const struct weir__plan *plan = one->plan;
    if (!plan)
        return json_pack("{s:s, s:o}", "verb", one->verb->name, "cannot",
                         weir__cli_json_text(one->cannot));
    json_t *devices = json_array();
    for (uint32_t d = 0; d < plan->devices; d++)
        json_array_append_new(devices, document_use(&plan->device[d], plan->device[d].info.label));
    const int lacks = one->lacks != UINT32_MAX || one->host_lacks;
    json_t *fits = lacks                            ? json_false()
                   : one->known && plans->host_left ? json_true()
                                                    : json_null();
    return json_pack("{s:s, s:n, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "verb",
                     one->verb->name, "cannot", "product", document_product(plans), "batch",
                     integer_or_null(one->batch), "streamed", one->streamed, "memory",
                     one->streamed || plans->matrix ? json_null()
                                                    : json_string(one->on_host ? "host" : "device"),
                     "fits", fits, "enough_devices", integer_or_null(one->enough), "host_bytes",
                     weir__cli_json_integer(plan->host.most), "devices", devices, "home",
                     document_use(&plan->home, "home"));
}

static json_t *document_devices(const weir__cli_plans *plans)
{
    json_t *devices = json_array();
    for (uint32_t d = 0; d < plans->devices; d++) {
        const struct weir__plan_device *device = &plans->device[d];
        const weir_device_info *info = &device->info;
        json_array_append_new(devices,
                              json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "label",
                                        info->label, "name", info->name, "kind",
                                        info->kind == WEIR_DEVICE_CUDA ? "cuda" : "host", "units",
                                        weir__cli_json_integer(info->units), "workers",
                                        weir__cli_json_integer(info->workers), "lanes",
                                        weir__cli_json_integer(info->lanes), "memory_bytes",
                                        weir__cli_json_integer(info->memory_bytes), "pool_bytes",
                                        weir__cli_json_integer(device->bound_bytes)));
    }
    return devices;
}

static json_t *document_graph(const weir__cli_plans *plans)
{
    const weir_graph *graph = weir__cli_plans_graph(plans);
    return json_pack("{s:o, s:o, s:o, s:b}", "name", weir__cli_json_text(graph->name), "vertices",
                     weir__cli_json_integer(graph->vertices), "arcs",
                     weir__cli_json_integer(graph->arcs), "at_hand", plans->graph != NULL);
}

static json_t *document_matrix(const weir__cli_plans *plans)
{
    const weir_matrix *matrix = plans->matrix;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:b}", "name", weir__cli_json_text(matrix->name), "rows",
        weir__cli_json_integer(matrix->rows), "columns", weir__cli_json_integer(matrix->columns),
        "nonzeros", weir__cli_json_integer(matrix->nonzeros), "values",
        weir__cli_values.built[plans->request->values], "at_hand", plans->opened != NULL);
}

struct json_t *weir__cli_plans_document(const weir__cli_plans *plans)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < plans->count; i++)
        json_array_append_new(all, document_one(plans, &plans->plan[i]));
    return json_pack("{s:i, s:s, s:o, s:o, s:o}", "schema", 1, "command", "plan",
                     plans->matrix ? "matrix" : "graph",
                     plans->matrix ? document_matrix(plans) : document_graph(plans), "devices",
                     document_devices(plans), "plans", all);
}
