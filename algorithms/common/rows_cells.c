/** @file rows_cells.c  A graph placed by cells of two dimensions (cell.h): vertices have numbers as those of rows do, and each
 * device gets the arcs from its column to its row.
 *
 * Cells are made one after the other, each on all cores, in two passes over the arcs of its column: how many of each tail lead to
 * the row, and which. So each arc is looked at twice by each device of its column, and nothing is held but the cell. Within
 * a tail arcs stay in the order of the input; nothing depends on it. */
#include "algorithms/common/cell.h"
#include "algorithms/common/bring.h"
#include "algorithms/common/rows_build.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

void weir__rows_cell(const weir_rows *rows, uint32_t part, struct weir__cell *cell_out)
{
    const uint32_t *first = rows->part[0].first;
    const uint32_t r = rows->grid_rows;
    struct weir__cell cell = {.rows = r,
                              .columns = rows->grid_columns,
                              .row = part % r,
                              .column = part / r,
                              .begin = first[part / r * r],
                              .width = first[part / r * r + r] - first[part / r * r]};
    for (uint32_t m = 0; m < cell.columns; m++) {
        const uint32_t owner = weir__cell_device(&cell, cell.row, m);
        cell.first[m + 1] = cell.first[m] + (first[owner + 1] - first[owner]);
    }
    *cell_out = cell;
}

/* ---- how many arcs a cell has -------------------------------------------------------------------- */

struct tally {
    const weir_graph *graph;
    const uint8_t *owner;
    uint32_t rows;
    uint64_t *arcs; /* by part; relaxed additions, the join publishes them */
};

static void tally_some(void *user, uint64_t begin, uint64_t end)
{
    const struct tally *tally = user;
    uint64_t arcs[WEIR_DEVICES_MAX] = {0};
    for (uint64_t v = begin; v < end; v++) {
        uint64_t *column = arcs + tally->owner[v] / tally->rows * tally->rows;
        for (uint64_t a = tally->graph->offsets[v]; a < tally->graph->offsets[v + 1]; a++)
            column[tally->owner[tally->graph->targets[a]] % tally->rows]++;
    }
    for (uint32_t p = 0; p < WEIR_DEVICES_MAX; p++)
        if (arcs[p])
            __atomic_fetch_add(&tally->arcs[p], arcs[p], __ATOMIC_RELAXED);
}

weir_status weir__sizes_cells(const weir_graph *graph, const weir_partition *partition,
                              struct weir__sizes *sizes)
{
    const struct tally tally = {graph, partition->owner, partition->rows, sizes->arcs_of};
    weir_status status;
    sizes->grid_rows = partition->rows;
    sizes->grid_columns = partition->columns;
    if (weir__graph_is_sketch(graph))
        return WEIR_OK; /* they are counted as equal already */
    if ((status = weir_graph_fetch(graph)))
        return status;
    for (uint32_t p = 0; p < partition->parts; p++)
        sizes->arcs_of[p] = 0;
    return weir__activity_for("counting arcs of cells", "vertices", graph->vertices,
                              UINT64_C(1) << 14, 0, tally_some, (void *)(uintptr_t)&tally);
}

/* Places of a column and local rows of a row are as many as the vertices, and the gaps of parts, divided by the columns and by
 * the rows. */
void weir__rows_cells_need(const struct weir__sizes *sizes, struct weir__need *need)
{
    const uint64_t width = sizes->numbers / sizes->grid_columns + 1;
    for (uint32_t p = 0; p < sizes->parts; p++) {
        const weir_device *device = weir_context_device(sizes->context, p);
        const int apart = !weir__rows_stay(device, WEIR_MEMORY_DEVICE);
        weir__need_take(need, width + 1, 8);
        weir__need_take(need, apart ? sizes->arcs_of[p] : 0, 4);
        weir__need_take_on(need, device, width + 1, 8);
        weir__need_take_on(need, device, sizes->arcs_of[p], 4);
        weir__need_give(need, apart ? sizes->arcs_of[p] : 0, 4);
        weir__need_give(need, width + 1, 8);
    }
}

/* ---- a cell -------------------------------------------------------------------------------------- */

struct filling {
    const struct weir__rows_build *build;
    struct weir__cell cell;
    uint64_t *offsets;
    uint32_t *targets; /* NULL: arcs are counted */
};

/* Each place of the column is a thread's alone. */
static void fill_some(void *user, uint64_t begin, uint64_t end)
{
    const struct filling *filling = user;
    const struct weir__rows_build *build = filling->build;
    const weir_rows *rows = build->rows;
    const weir_graph *graph = build->graph;
    const struct weir__cell *cell = &filling->cell;
    const uint32_t *first = rows->part[0].first;
    for (uint64_t place = begin; place < end; place++) {
        const uint32_t v = rows->vertex[cell->begin + place];
        uint64_t at = filling->targets ? filling->offsets[place] : 0;
        for (uint64_t a = v == UINT32_MAX ? 0 : graph->offsets[v];
             v != UINT32_MAX && a < graph->offsets[v + 1]; a++) {
            const uint32_t head = graph->targets[a], owner = build->owner[head];
            if (owner % cell->rows != cell->row)
                continue;
            if (filling->targets)
                filling->targets[at] =
                    rows->number[head] - first[owner] + cell->first[owner / cell->rows];
            at++;
        }
        if (!filling->targets)
            filling->offsets[place] = at;
    }
}

static weir_status fill(struct filling *filling)
{
    return weir__activity_for(
        filling->targets ? "placing arcs of a cell" : "counting arcs of a cell", "vertices",
        filling->cell.width, UINT64_C(1) << 12, 0, fill_some, filling);
}

static weir_status make_cell(struct filling *filling, weir_device *device, weir_rows_part *part)
{
    const uint64_t width = filling->cell.width;
    const int stay = weir__rows_stay(device, WEIR_MEMORY_DEVICE);
    const void *placed = NULL;
    void *targets = NULL;
    weir_status status = weir__alloc(width + 1, 8, "offsets of a cell", &filling->offsets);
    if (status || (status = fill(filling)))
        return status;
    weir__prefix_sum(filling->offsets, width);
    part->arcs_out = filling->offsets[width];
    status = weir__bring(device, "offsets of a cell", filling->offsets, width + 1, 8, &placed);
    part->out.offsets = placed;
    if (status)
        return status;
    status = stay ? weir__device_alloc_as(device, "arcs of a cell", part->arcs_out, 4, &targets)
                  : weir__alloc(part->arcs_out, 4, "arcs of a cell", &targets);
    if (status)
        return status;
    filling->targets = targets;
    if (stay)
        part->out.targets = targets;
    status = fill(filling);
    if (stay)
        return status;
    placed = NULL;
    if (!status)
        status = weir__bring(device, "arcs of a cell", targets, part->arcs_out, 4, &placed);
    part->out.targets = placed;
    free(targets);
    return status;
}

/* Of a context that only counts. */
static weir_status count_cell(const struct weir__sizes *sizes, uint64_t width, weir_device *device,
                              weir_rows_part *part)
{
    const void *placed = NULL;
    weir_status status = weir__bring(device, "offsets of a cell", NULL, width + 1, 8, &placed);
    part->out.offsets = placed;
    part->arcs_out = sizes->arcs_of[part->part];
    if (status)
        return status;
    placed = NULL;
    status = weir__bring(device, "arcs of a cell", NULL, part->arcs_out, 4, &placed);
    part->out.targets = placed;
    return status;
}

weir_status weir__rows_place_cell(struct weir__rows_build *build, uint32_t p)
{
    weir_rows_part *part = &build->rows->part[p];
    weir_device *device = weir_context_device(build->rows->context, p);
    struct filling filling = {.build = build};
    weir_status status;
    weir__rows_cell(build->rows, p, &filling.cell);
    if (build->sizes)
        return count_cell(build->sizes, filling.cell.width, device, part);
    status = make_cell(&filling, device, part);
    free(filling.offsets);
    return status;
}
