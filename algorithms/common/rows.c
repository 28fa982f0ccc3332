/** @file rows.c  A graph placed by rows: the object. */
#include "algorithms/common/bring.h"
#include "algorithms/common/cell.h"
#include "algorithms/common/need.h"
#include "algorithms/common/rows_build.h"
#include "algorithms/graph/partition.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

static weir_status check(const weir_context *context, const weir_graph *graph,
                         const weir_partition *partition, const weir_rows_config *config)
{
    weir_status status = weir__partition_fits(context, graph, partition);
    if (status)
        return status;
    if ((unsigned)config->order > WEIR_ROWS_BY_DEGREE)
        return weir__fail(WEIR_ERR_INVALID, "rows in order %d: there is none", (int)config->order);
    if (config->halo && (config->out_degrees || partition->rows))
        return weir__fail(WEIR_ERR_INVALID, "rows with halos, and %s",
                          config->out_degrees ? "out-degrees by number" : "cells");
    if ((config->by_weight || config->pairs) && !config->weights)
        return weir__fail(WEIR_ERR_INVALID, "rows %s without weights",
                          config->by_weight ? "by weight" : "of pairs");
    if (config->pairs && (config->halo || partition->rows))
        return weir__fail(WEIR_ERR_INVALID, "rows of pairs, and %s",
                          config->halo ? "halos" : "cells");
    if (config->weights && graph->weight_kind != WEIR_WEIGHT_U32)
        return weir__fail(WEIR_ERR_INVALID, graph->weight_kind == WEIR_WEIGHT_NONE
                                                ? "the graph has no weights (weir_graph_weigh())"
                                                : "the graph's weights are not all 32-bit "
                                                  "integers");
    return WEIR_OK;
}

struct most {
    const uint32_t *weights;
    uint32_t bits; /* relaxed atomic: all bits that some weight has */
};

static void or_weights(void *user, uint64_t begin, uint64_t end)
{
    struct most *most = user;
    uint32_t bits = 0;
    for (uint64_t i = begin; i < end; i++)
        bits |= most->weights[i];
    __atomic_fetch_or(&most->bits, bits, __ATOMIC_RELAXED);
}

/* Small weights need no passes over their upper bits. */
static weir_status find_weight_bits(struct weir__rows_build *build)
{
    struct most most = {build->graph->weights_u32, 0};
    weir_status status = WEIR_OK;
    if (build->config->weights)
        status = weir__activity_for("looking at weights", "arcs", build->graph->arcs,
                                    WEIR__ARC_CHUNK, 0, or_weights, &most);
    build->weight_bits = most.bits;
    return status;
}

/* What brings results back into the order of vertices. */
static weir_status number(weir_rows *rows)
{
    struct weir__numbering fields = {.context = rows->context,
                                     .vertices = rows->vertices,
                                     .parts = rows->parts,
                                     .numbers = rows->numbers,
                                     .number = rows->number,
                                     .vertex = rows->vertex};
    for (uint32_t p = 0; p < rows->parts; p++) {
        fields.begin[p] = rows->part[p].begin;
        fields.owned[p] = rows->part[p].owned;
    }
    return weir__numbering_create(&fields, &rows->numbering);
}

/* What is counted of parts whose arcs are not brought to them. */
static weir_status count(const weir_rows *rows, const weir_graph *graph,
                         const weir_partition *partition, const weir_rows_config *config,
                         struct weir__sizes *sizes_out)
{
    weir_status status = weir__sizes_of(rows->context, graph, partition, sizes_out);
    if (!status && rows->grid_rows)
        status = weir__sizes_cells(graph, partition, sizes_out);
    if (!status && config->in_arcs && !rows->symmetric)
        status = weir__sizes_transpose(graph, partition, sizes_out);
    return status;
}

static _Thread_local uint64_t pretended_piece, pretended_stretch;

void weir__rows_pretend(uint64_t piece, uint64_t stretch)
{
    pretended_piece = piece;
    pretended_stretch = stretch;
}

static weir_status place_all(weir_rows *rows, const weir_graph *graph,
                             const weir_partition *partition, const weir_rows_config *config)
{
    struct weir__rows_build build = {.rows = rows,
                                     .graph = graph,
                                     .config = config,
                                     .owner = partition->owner,
                                     .piece = pretended_piece,
                                     .stretch = pretended_stretch};
    struct weir__sizes sizes;
    weir_status status = WEIR_OK;
    if (weir__context_planned(rows->context)) {
        status = count(rows, graph, partition, config, &sizes);
        build.sizes = &sizes;
    } else if (!rows->grid_rows) {
        status = find_weight_bits(&build);
    }
    if (!status && !weir__graph_is_sketch(graph))
        status = weir__rows_count_in(&build);
    if (!status)
        status = weir__rows_number(&build);
    if (!status && !rows->grid_rows)
        status = weir__rows_place_all_there(&build);
    for (uint32_t p = 0; p < rows->parts && !status; p++)
        status =
            rows->grid_rows ? weir__rows_place_cell(&build, p) : weir__rows_place_part(&build, p);
    if (!status && config->halo)
        status = weir__rows_place_halos(&build);
    free(build.in_degree);
    free(build.in_ends);
    free(build.in_keys);
    return status ? status : number(rows);
}

/* First arcs of a direction, for each row; pairs have those of one direction, and where arcs lie in host memory alone. */
static uint64_t firsts_bytes(const weir_rows_config *config, weir_memory memory)
{
    if (!config->pairs)
        return config->firsts ? 4 : 0;
    return config->firsts && memory == WEIR_MEMORY_HOST ? 16 : 0;
}

/* Where arcs lie. In-arcs are counted in a pass over all arcs, so only where as many as there are in all would not fit on each
 * device. */
static weir_status choose_memory(weir_rows *rows, const weir_graph *graph,
                                 const weir_partition *partition, const weir_rows_config *config)
{
    const int in = config->in_arcs && !rows->symmetric;
    const uint64_t arc_bytes = config->weights ? 8 : 4;
    uint64_t beside[WEIR_DEVICES_MAX];
    struct weir__sizes sizes;
    weir_status status = weir__sizes_of(rows->context, graph, partition, &sizes);
    if (status)
        return status;
    for (uint32_t p = 0; p < rows->parts; p++) {
        beside[p] = (sizes.owned[p] + 1) * (in ? 16 : 8) +
                    sizes.owned[p] * (firsts_bytes(config, WEIR_MEMORY_DEVICE) * (in ? 2 : 1)) +
                    (config->out_bytes ? sizes.owned[p] : 0) +
                    (config->out_degrees ? sizes.numbers * 4 : 0) +
                    (config->halo ? weir__rows_halo_bytes(&sizes, p) : 0);
        sizes.in_arcs_of[p] = in ? sizes.arcs : 0;
    }
    rows->memory = config->memory;
    if ((status = weir__memory_choose(&sizes, arc_bytes, beside, &rows->memory)) || !in ||
        config->memory != WEIR_MEMORY_AUTO || rows->memory == WEIR_MEMORY_DEVICE)
        return status;
    if ((status = count(rows, graph, partition, config, &sizes)))
        return status;
    rows->memory = config->memory;
    return weir__memory_choose(&sizes, arc_bytes, beside, &rows->memory);
}

/* Rows, and what the program says that it takes itself, before any of it is taken. */
static weir_status fits(const weir_rows *rows, const weir_graph *graph,
                        const weir_partition *partition, const weir_rows_config *config)
{
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(rows->context, graph, partition, &sizes);
    if (!status && rows->grid_rows)
        status = weir__sizes_cells(graph, partition, &sizes);
    if (status)
        return status;
    sizes.transposed = config->in_arcs && !rows->symmetric;
    weir__rows_need(&sizes, config, rows->memory, &need);
    weir__need_take(&need, config->reserved_bytes, 1);
    return weir__need_fits(&need, "%s of %s", config->what ? config->what : "rows", graph->name);
}

static weir_status create(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_rows_config *config,
                          weir_rows **rows_out)
{
    weir_rows *rows;
    weir_status status;
    if ((status = check(context, graph, partition, config)) ||
        (status = weir__calloc(1, sizeof *rows, "rows", &rows)))
        return status;
    weir__context_retain(context);
    rows->context = context;
    rows->vertices = graph->vertices;
    rows->parts = partition->parts;
    rows->grid_rows = partition->rows;
    rows->grid_columns = partition->columns;
    rows->paired = config->pairs != 0;
    for (uint32_t p = 0; p < rows->parts; p++) {
        rows->part[p].part = p;
        rows->part[p].parts = rows->parts;
        rows->part[p].arcs_all = graph->arcs;
        rows->part[p].vertices = graph->vertices;
    }
    rows->symmetric = config->in_arcs &&
                      weir__graph_symmetric(graph, config->weights ? graph->weights_u32 : NULL);
    if ((status = weir__activity_went(0)) ||
        (status = choose_memory(rows, graph, partition, config)) ||
        (status = fits(rows, graph, partition, config)) ||
        (status = place_all(rows, graph, partition, config))) {
        weir_rows_destroy(rows);
        return status;
    }
    *rows_out = rows;
    return WEIR_OK;
}

/* One direction of a part's arcs on its device, and what is held while it is brought there: weights apart, where the host puts them in
 * order. */
static void csr_need(const weir_device *device, weir_memory memory, uint64_t rows, uint64_t arcs,
                     const weir_rows_config *config, int here, struct weir__need *need)
{
    const int half =
        weir__rows_part_halves(config) && here && !weir__rows_stay(device, memory) ? 4 : 0;
    weir__need_take(need, rows + 1, 8);
    weir__need_take_on(need, device, rows + 1, 8);
    weir__need_take(need, arcs, half);
    weir__need_take_arcs(need, device, memory, arcs, config->weights ? 8 : 4);
    weir__need_give(need, rows + 1, 8);
    weir__need_give(need, arcs, half);
}

/* How many in-arcs a part has is not known before they were counted: with several, those of all come first. */
static void in_need(const struct weir__sizes *sizes, const weir_rows_config *config,
                    weir_memory memory, int here, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    csr_need(device, memory, sizes->vertices + sizes->parts, sizes->arcs, config, here, need);
    weir__need_take_on(need, device, sizes->vertices, firsts_bytes(config, memory));
}

/* Whether the host puts the rows of some part in order. A device that has no room for it after all is not counted here: then the host
 * looks again (rows_part.c). */
static int are_here(const struct weir__sizes *sizes, weir_memory memory)
{
    for (uint32_t p = 0; p < sizes->parts; p++)
        if (!weir__rows_go_there(weir_context_device(sizes->context, p), memory,
                                 sizes->arcs / sizes->parts))
            return 1;
    return 0;
}

/* The parts, with out-arcs. */
static void parts_need(const struct weir__sizes *sizes, const weir_rows_config *config,
                       weir_memory memory, struct weir__need *need)
{
    const uint64_t key = config->weights ? 8 : 4;
    for (uint32_t p = 0; p < sizes->parts; p++) {
        const weir_device *device = weir_context_device(sizes->context, p);
        const int here = !weir__rows_go_there(device, memory, sizes->arcs / sizes->parts);
        /* As rows_part.c has it. */
        const int keys =
            here && (weir__rows_part_halves(config) || !weir__rows_stay(device, memory));
        weir__need_take(need, keys ? sizes->arcs_of[p] : 0, key);
        csr_need(device, memory, sizes->owned[p], sizes->arcs_of[p], config, here, need);
        weir__need_give(need, keys ? sizes->arcs_of[p] : 0, key);
        if (!config->pairs || !sizes->transposed)
            weir__need_take_on(need, device, sizes->owned[p], firsts_bytes(config, memory));
        weir__need_take_on(need, device, config->out_degrees ? sizes->numbers : 0, 4);
        weir__need_pass(need, config->out_bytes ? sizes->owned[p] : 0, 1);
        weir__need_take_on(need, device, config->out_bytes ? sizes->owned[p] : 0, 1);
    }
}

void weir__rows_need(const struct weir__sizes *sizes, const weir_rows_config *config,
                     weir_memory memory, struct weir__need *need)
{
    const uint64_t n = sizes->vertices, numbers = sizes->numbers, key = config->weights ? 8 : 4;
    const int back = sizes->transposed, here = are_here(sizes, memory);
    const uint64_t transposed = back && here ? sizes->arcs : 0;
    weir__need_take(need, back ? n : 0, 4);
    weir__need_take(need, n, 4 + 12);               /* numbers; degrees, orders */
    weir__need_take(need, n / 65536 + 1, 2048 * 4); /* of blocks and digits */
    weir__need_take(need, numbers, 4 + 4);
    weir__need_give(need, n, 12);
    weir__need_give(need, n / 65536 + 1, 2048 * 4);
    weir__need_take(need, back && here ? numbers : 0, 8);
    weir__need_take(need, transposed, key);
    weir__need_pass(need, transposed, key + 4);
    if (back && sizes->parts > 1)
        in_need(sizes, config, memory, here, need);
    if (sizes->grid_rows)
        weir__rows_cells_need(sizes, need);
    else
        parts_need(sizes, config, memory, need);
    if (config->halo)
        weir__rows_halos_need(sizes, need);
    if (back && sizes->parts == 1)
        in_need(sizes, config, memory, here, need);
    weir__need_give(need, back ? n : 0, 4);
    weir__need_give(need, back && here ? numbers : 0, 8);
    weir__need_give(need, transposed, key);
    weir__numbering_need(sizes, 1, need);
}

weir_status weir__rows_create_cells(weir_context *context, const weir_graph *graph,
                                    const weir_partition *partition, const weir_rows_config *config,
                                    weir_rows **rows_out)
{
    struct weir__activity outer;
    *rows_out = NULL;
    weir__activity_begin(&outer, "placing", NULL, 0);
    return weir__activity_end(&outer, create(context, graph, partition, config, rows_out));
}

weir_status weir_rows_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_rows_config *config,
                             weir_rows **rows_out)
{
    weir_rows_config known = WEIR_ROWS_CONFIG_INIT;
    struct weir__activity outer;
    weir_partition *made;
    weir_status status;
    if (!rows_out)
        return weir__missing("weir_rows_create", "rows_out");
    *rows_out = NULL;
    if (!context || !graph)
        return weir__missing("weir_rows_create", context ? "graph" : "context");
    if ((status = weir__partition_1d(partition, "rows")))
        return status;
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_rows_config")))
        return status;
    weir__activity_begin(&outer, "placing", NULL, 0);
    if (!(status = weir__partition_over_all(context, graph, &partition, &made)))
        status = create(context, graph, partition, &known, rows_out);
    weir_partition_destroy(made);
    return weir__activity_end(&outer, status);
}

void weir_rows_domain(const weir_rows *rows, weir_steps_domain *domain_out)
{
    *domain_out = (weir_steps_domain){.devices = rows->parts};
    for (uint32_t p = 0; p < rows->parts; p++) {
        domain_out->first[p] = rows->part[p].begin;
        domain_out->owned[p] = rows->part[p].owned;
    }
    domain_out->first[rows->parts] = rows->numbers;
}

weir_context *weir_rows_context(const weir_rows *rows)
{
    return rows->context;
}

const weir_rows_part *weir_rows_part_of(const weir_rows *rows, uint32_t part)
{
    return part < rows->parts ? &rows->part[part] : NULL;
}

const weir_rows_halo *weir_rows_halo_of(const weir_rows *rows, uint32_t part)
{
    return rows->halo && part < rows->parts ? &rows->halo[part] : NULL;
}

const weir_rows_pairs *weir_rows_pairs_of(const weir_rows *rows, uint32_t part)
{
    return rows->paired && part < rows->parts ? &rows->pairs[part] : NULL;
}

int weir_rows_symmetric(const weir_rows *rows)
{
    return rows->symmetric;
}

weir_rows_order weir_rows_order_of(const weir_rows *rows)
{
    return rows->order;
}

weir_memory weir_rows_memory(const weir_rows *rows)
{
    return rows->memory;
}

weir_status weir_rows_locate(const weir_rows *rows, uint64_t vertex, uint32_t *part_out,
                             uint32_t *number_out)
{
    uint32_t part = 0;
    if (!rows)
        return weir__missing("weir_rows_locate", "rows");
    if (vertex >= rows->vertices)
        return weir__fail(WEIR_ERR_INVALID, "%llu is not a vertex: the graph has %llu",
                          (unsigned long long)vertex, (unsigned long long)rows->vertices);
    while (rows->number[vertex] >= rows->part[part].first[part + 1])
        part++;
    if (part_out)
        *part_out = part;
    if (number_out)
        *number_out = rows->number[vertex];
    return WEIR_OK;
}

const uint32_t *weir_rows_vertices(const weir_rows *rows)
{
    return rows->vertex;
}

const uint32_t *weir_rows_numbers(const weir_rows *rows)
{
    return rows->number;
}

const uint32_t *weir_rows_degrees(const weir_rows *rows)
{
    return rows->degree;
}

weir_status weir__rows_count_results(const weir_rows *rows, size_t value_bytes,
                                     enum values_form form)
{
    return weir__gather_count(rows->numbering, value_bytes, form);
}

weir_status weir__rows_gather_wide(const weir_rows *rows, const void *const *values,
                                   enum values_form form, void *values_out)
{
    return weir__gather_wide(rows->numbering, values, form, values_out);
}

weir_status weir_rows_gather(const weir_rows *rows, const void *const *values, size_t value_bytes,
                             void *values_out)
{
    if (!rows || !values || !values_out)
        return weir__missing("weir_rows_gather", !rows ? "rows" : values ? "values_out" : "values");
    for (uint32_t p = 0; p < rows->parts; p++)
        if (!values[p] && rows->part[p].owned)
            return weir__fail(WEIR_ERR_INVALID, "weir_rows_gather: values[%u] is NULL", p);
    return weir__gather(rows->numbering, values, value_bytes, values_out);
}

weir_status weir_rows_values(const weir_rows *rows, uint32_t part, const void *data,
                             weir_value_kind kind, weir_values *values_out)
{
    weir_values known = WEIR_VALUES_INIT;
    weir_status status;
    if (!rows || !values_out)
        return weir__missing("weir_rows_values", rows ? "values_out" : "rows");
    status = weir__sized_room(values_out, sizeof known, "weir_values");
    if (status)
        return status;
    if ((unsigned)kind > WEIR_VALUE_F64)
        return weir__fail(WEIR_ERR_INVALID, "values of kind %d: there is none", (int)kind);
    if ((status = weir__numbering_values(rows->numbering, part, data, kind, &known)))
        return status;
    return weir__sized_out(values_out, &known, sizeof known, "weir_values");
}

static void free_arcs(weir_device *device, weir_memory memory, const weir_arcs *arcs,
                      const uint64_t *pairs)
{
    weir__bring_free(device, arcs->offsets);
    weir__bring_free(device, arcs->firsts);
    weir__bring_arcs_free(device, memory, arcs->targets);
    weir__bring_arcs_free(device, memory, arcs->weights);
    weir__bring_arcs_free(device, memory, pairs);
}

void weir_rows_destroy(weir_rows *rows)
{
    if (!rows)
        return;
    for (uint32_t p = 0; p < rows->parts; p++) {
        weir_device *device = weir_context_device(rows->context, p);
        const weir_rows_pairs *pairs = &rows->pairs[p];
        free_arcs(device, rows->memory, &rows->part[p].out, pairs->out);
        if (rows->part[p].in.offsets != rows->part[p].out.offsets)
            free_arcs(device, rows->memory, &rows->part[p].in, pairs->in);
        weir__bring_free(device, pairs->firsts);
        weir__bring_free(device, rows->part[p].out_degree);
        weir__bring_free(device, rows->part[p].out_byte);
    }
    weir__rows_free_halos(rows);
    weir__numbering_destroy(rows->numbering);
    weir__context_release(rows->context);
    free(rows->number);
    free(rows->vertex);
    free(rows->degree);
    free(rows);
}
