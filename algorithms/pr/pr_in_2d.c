/** @file pr_in_2d.c  PageRank in two dimensions on the host's side: arcs by their heads, arrays, runs, ranks. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/sketch.h"
#include "algorithms/pr/pr.h"
#include "algorithms/pr/pr_cells.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROW_CHUNK (UINT64_C(1) << 12)

extern const weir_steps_body weir__pr_cells_steps;

/* What there is while an object is made. */
struct making {
    struct weir__pr_cells *cells;
    const struct weir__pr_task *task;
    struct weir__pr_lists lists[WEIR_DEVICES_MAX]; /* of local rows */
};

/* ---- arcs by their heads ---------------------------------------------------------------------- */

/* A cell comes with the heads of each place. */
struct turning {
    const uint64_t *offsets; /* of places */
    const uint32_t *heads;
    uint64_t *
        rows; /* local rows + 1: how many arcs, where they begin, where the next one goes; relaxed atomics */
    uint32_t *tails; /* NULL: arcs are counted */
};

static void turn_some(void *user, uint64_t begin, uint64_t end)
{
    const struct turning *t = user;
    for (uint64_t place = begin; place < end; place++)
        for (uint64_t i = t->offsets[place]; i < t->offsets[place + 1]; i++) {
            const uint64_t at = __atomic_fetch_add(&t->rows[t->heads[i]], 1, __ATOMIC_RELAXED);
            if (t->tails)
                t->tails[at] = (uint32_t)place;
        }
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Threads have put the tails of a row there in any order, and sums are to be made in the same order each time. Behind the filling each
 * row's word says where it ends. */
static void sort_some(void *user, uint64_t begin, uint64_t end)
{
    const struct turning *t = user;
    for (uint64_t row = begin; row < end; row++) {
        const uint64_t first = row ? t->rows[row - 1] : 0;
        if (t->rows[row] - first > 1)
            qsort(t->tails + first, t->rows[row] - first, sizeof *t->tails, by_number);
    }
}

/* From rows->out of a part, by place, to tails by local row, in the same memory, and their lists. */
static weir_status turn(struct making *making, uint32_t p, struct turning *t, uint64_t **begins)
{
    const struct weir__row_steps *on = &making->cells->on;
    const struct weir__cell cell = weir__row_steps_cell(on, p);
    const weir_rows_part *part = weir__row_steps_part(on, p);
    weir_device *device = weir_context_device(on->context, p);
    const uint64_t local = cell.first[cell.columns], arcs = part->arcs_out;
    weir_status status;
    void *heads, *offsets;
    if ((status = weir__alloc(cell.width + UINT64_C(1), 8, "offsets of a cell", &offsets)))
        return status;
    t->offsets = offsets;
    if ((status = weir__alloc(arcs, 4, "heads of a cell", &heads)))
        return status;
    t->heads = heads;
    if ((status = weir__calloc(local + 1, 8, "rows of a cell", &t->rows)) ||
        (status =
             weir__download(device, offsets, part->out.offsets, (cell.width + UINT64_C(1)) * 8)) ||
        (status = weir__download(device, heads, part->out.targets, arcs * 4)) ||
        (status = weir__activity_for("counting arcs of rows", "vertices", cell.width, ROW_CHUNK, 0,
                                     turn_some, t)))
        return status;
    weir__prefix_sum(t->rows, local);
    if ((status = weir__alloc(local + 1, 8, "rows of a cell", begins)))
        return status;
    memcpy(*begins, t->rows, (local + 1) * 8);
    if ((status = weir__alloc(arcs, 4, "tails of a cell", &t->tails)) ||
        (status = weir__activity_for("turning arcs of a cell", "vertices", cell.width, ROW_CHUNK, 0,
                                     turn_some, t)) ||
        (status = weir__activity_for("sorting arcs of a cell", "vertices", local, ROW_CHUNK, 0,
                                     sort_some, t)) ||
        (status = weir__upload(device, (void *)(uintptr_t)part->out.targets, t->tails, arcs * 4)))
        return status;
    return weir__pr_lists(*begins, local, &making->lists[p]);
}

/* How long lists are as a rule, where there are no arcs to be dealt out. */
static void count_lists(struct making *making, uint32_t p)
{
    const struct weir__cell cell = weir__row_steps_cell(&making->cells->on, p);
    const uint64_t arcs = weir__row_steps_part(&making->cells->on, p)->arcs_out;
    struct weir__pr_lists *lists = &making->lists[p];
    lists->chunks = cell.first[cell.columns] / PR_CHUNK_ROWS + arcs / PR_CHUNK_ARCS + 1;
    lists->pieces = arcs / PR_PIECE_ARCS;
}

static weir_status placed(struct weir__row_steps *on, void *user)
{
    struct making *making = user;
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < on->parts && !status; p++) {
        struct turning t = {NULL, NULL, NULL, NULL};
        uint64_t *begins = NULL;
        if (weir__context_planned(on->context)) {
            count_lists(making, p);
            continue;
        }
        status = turn(making, p, &t, &begins);
        free((void *)(uintptr_t)t.offsets);
        free((void *)(uintptr_t)t.heads);
        free(t.rows);
        free(t.tails);
        free(begins);
    }
    return status;
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Cells are turned one after the other, so host memory for one of them is enough; that of all is asked for the largest. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    const struct making *making = user;
    const uint64_t rows = making->task->partition->rows, columns = making->task->partition->columns;
    const uint64_t width = sizes->numbers / columns + 1, local = sizes->numbers / rows + 1;
    const uint64_t lists =
        (local * rows * columns / PR_CHUNK_ROWS + 2 * (sizes->arcs / PR_CHUNK_ARCS) + 2) *
            sizeof(struct pr_chunk) +
        2 * (sizes->arcs / PR_PIECE_ARCS) * (sizeof(struct pr_piece) + sizeof(struct pr_long));
    uint64_t most = 0;
    for (uint32_t p = 0; p < sizes->parts; p++)
        most = sizes->arcs_of[p] > most ? sizes->arcs_of[p] : most;
    weir__need_pass(need, (width + 2 * local) * 8 + most * 8, 1);
    weir__need_take(need, lists + local * rows * columns, 1);
    weir__need_take_on(need, device, lists + local * rows * columns, 1);
    weir__need_take_on(need, device, width * rows * columns, 8);            /* shares */
    weir__need_take_on(need, device, sizes->numbers * columns, 8);          /* sums */
    weir__need_take_on(need, device, 2 * (sizes->arcs / PR_PIECE_ARCS), 8); /* of pieces */
    weir__need_give(need, lists + local * rows * columns, 1);
}

#define COUNT(name, elements)                                                \
    static uint64_t name(const void *user, uint32_t device, uint32_t sender) \
    {                                                                        \
        const struct making *making = user;                                  \
        (void)device;                                                        \
        (void)sender;                                                        \
        return elements;                                                     \
    }
COUNT(chunk_count, making->lists[device].chunks)
COUNT(piece_count, making->lists[device].pieces)
COUNT(long_count, making->lists[device].longs)
COUNT(sum_count, weir__row_steps_stretch(&making->cells->on, device))
COUNT(width_count, weir__row_steps_cell(&making->cells->on, device).width)

static uint64_t end_count(const void *user, uint32_t device, uint32_t sender)
{
    const struct making *making = user;
    const struct weir__cell cell = weir__row_steps_cell(&making->cells->on, device);
    (void)sender;
    return cell.first[cell.columns] + UINT64_C(1);
}

/* From a device of the row a sum for each own number. */
static uint64_t inbox_count(const void *user, uint32_t device, uint32_t sender)
{
    const struct making *making = user;
    const uint32_t rows = making->task->partition->rows;
    return device % rows == sender % rows ? weir__row_steps_stretch(&making->cells->on, device) : 0;
}

#define FIELD(name) offsetof(struct pr_cells_args, name)
#define LIST(what, entries, pointer)                                                \
    {                                                                               \
        .name = what, .extent = WEIR_STEPS_COUNTED,                                 \
        .bytes = sizeof *((struct pr_cells_args *)NULL)->pointer, .count = entries, \
        .field = FIELD(pointer)                                                     \
    }
static const weir_steps_array arrays[] = {
    {.name = "shares",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .count = width_count,
     .bytes = sizeof(double),
     .field = FIELD(share)},
    {.name = "ranks", .extent = WEIR_STEPS_OWNED, .bytes = 8, .more = 1, .field = FIELD(ranks)},
    {.name = "degrees", .extent = WEIR_STEPS_OWNED, .bytes = 4, .more = 1, .field = FIELD(degree)},
    LIST("chunks", chunk_count, chunk),
    LIST("pieces", piece_count, piece),
    LIST("long rows", long_count, row),
    LIST("ends", end_count, end),
    LIST("sums of pieces", piece_count, partial),
    LIST("sums of rows", sum_count, sums),
    {.name = "sums of other columns",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = inbox_count,
     .bytes = sizeof(double),
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
};

#define PHASE(what, result)                                 \
    {                                                       \
        .name = what, .ns = (result), .steps = (result) + 1 \
    }
static const weir_steps_phase phases[] = {PHASE("gather", PR_CELLS_RESULT_GATHER),
                                          PHASE("update", PR_CELLS_RESULT_UPDATE),
                                          PHASE("begin", PR_CELLS_RESULT_BEGIN)};

static const weir_steps_program program = {.what = "PageRank in two dimensions",
                                           .body = &weir__pr_cells_steps,
                                           .arrays = arrays,
                                           .array_count = sizeof arrays / sizeof *arrays,
                                           .phases = phases,
                                           .phase_count = sizeof phases / sizeof *phases};

static const struct weir__row_form form = {.program = &program,
                                           .rows = FIELD(rows),
                                           .values = "ranks",
                                           .kind = WEIR_VALUE_F64,
                                           .need = need,
                                           .placed = placed,
                                           .cells = 1};

/* ---- building ---------------------------------------------------------------------------------- */

/* Out-degrees of the part's vertices, with the whole graph's arcs. */
static weir_status place_degrees(const struct making *making, uint32_t p)
{
    const struct weir__row_steps *on = &making->cells->on;
    const weir_rows_part *part = weir__row_steps_part(on, p);
    const uint32_t *vertex = weir_rows_vertices(on->rows);
    const uint64_t *offsets = making->task->graph->offsets;
    uint32_t *degree;
    weir_status status = weir__alloc(part->owned, 4, "degrees", &degree);
    for (uint32_t row = 0; row < part->owned && !status; row++) {
        const uint32_t v = vertex[part->begin + row];
        degree[row] = v == UINT32_MAX ? 0 : (uint32_t)(offsets[v + UINT64_C(1)] - offsets[v]);
    }
    if (!status)
        status = weir__upload(weir_context_device(on->context, p),
                              weir_steps_data(on->steps, "degrees", p), degree,
                              part->owned * sizeof *degree);
    free(degree);
    return status;
}

static weir_status place_lists(const struct making *making, uint32_t p)
{
    const struct weir__row_steps *on = &making->cells->on;
    const struct weir__pr_lists *lists = &making->lists[p];
    const struct weir__cell cell = weir__row_steps_cell(on, p);
    const struct {
        const char *array;
        const void *values;
        uint64_t bytes;
    } list[] = {{"chunks", lists->chunk, lists->chunks * sizeof *lists->chunk},
                {"pieces", lists->piece, lists->pieces * sizeof *lists->piece},
                {"long rows", lists->row, lists->longs * sizeof *lists->row},
                {"ends", lists->end, cell.first[cell.columns]}};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list && !status; i++)
        if (list[i].bytes)
            status = weir__upload(weir_context_device(on->context, p),
                                  weir_steps_data(on->steps, list[i].array, p), list[i].values,
                                  list[i].bytes);
    return status;
}

static void tell(const struct making *making, uint32_t p, int any_longs)
{
    const struct weir__pr_task *task = making->task;
    const double n = (double)task->vertices, damping = task->config.damping;
    struct pr_cells_args *args = weir_steps_args(making->cells->on.steps, p);
    args->cell = weir__row_steps_cell(&making->cells->on, p);
    args->chunks = (uint32_t)making->lists[p].chunks;
    args->pieces = (uint32_t)making->lists[p].pieces;
    args->longs = (uint32_t)making->lists[p].longs;
    args->any_longs = (uint32_t)any_longs;
    args->start = 1 / n;
    args->damping = damping;
    args->teleport = (1 - damping) / n;
    args->spread = task->config.dangling == WEIR_DANGLING_SPREAD ? damping / n : 0;
    args->dangling = (double)task->dangling * args->start;
    weir__pr_bounds(&task->config, 0, &args->bounds);
    if (!args->bounds
             .fine) /* where floats would do, all ranks together are as exact as was asked for */
        args->bounds.restless = INFINITY;
}

static weir_status build(struct making *making)
{
    const weir_rows_config rows = WEIR_ROWS_CONFIG_INIT;
    const struct weir__pr_task *task = making->task;
    struct weir__row_steps *on = &making->cells->on;
    int any_longs = 0;
    weir_status status = weir__row_steps_create(on, &form, task->context, task->graph,
                                                task->partition, &task->options, &rows, making);
    for (uint32_t p = 0; p < task->partition->parts; p++)
        any_longs |= making->lists[p].longs != 0;
    for (uint32_t p = 0; p < task->partition->parts && !status; p++) {
        tell(making, p, any_longs);
        if (!weir__context_planned(task->context) && !(status = place_lists(making, p)))
            status = place_degrees(making, p);
    }
    return status;
}

weir_status weir__pr_cells_create(const struct weir__pr_task *task,
                                  struct weir__pr_cells **cells_out)
{
    struct making *making;
    weir_status status = weir__calloc(1, sizeof *making, "PageRank", &making);
    *cells_out = NULL;
    if (status)
        return status;
    making->task = task;
    if (!(status = weir__calloc(1, sizeof *making->cells, "PageRank", &making->cells))) {
        making->cells->spread = task->config.dangling == WEIR_DANGLING_SPREAD;
        status = build(making);
        for (uint32_t p = 0; p < task->partition->parts; p++)
            weir__pr_lists_free(&making->lists[p]);
    }
    if (status)
        weir__pr_cells_destroy(making->cells);
    else
        *cells_out = making->cells;
    free(making);
    return status;
}

void weir__pr_cells_destroy(struct weir__pr_cells *cells)
{
    if (!cells)
        return;
    weir__row_steps_destroy(&cells->on);
    free(cells);
}

/* ---- runs -------------------------------------------------------------------------------------- */

void weir__pr_cells_picked(weir_run_stats *stats)
{
    stats->bands = 1;
    stats->direction = WEIR_DIRECTION_PULL;
    stats->work.order = WEIR_ORDER_AUTO; /* an iteration takes all rows */
}

/* Of an arc the place of its tail and that one's share; of a row its sums, rank, degree and share. Shares go to the others of the column,
 * also before the first iteration; sums to the others of the row. */
static void report(const struct weir__pr_cells *cells, weir_run_stats *stats)
{
    const uint64_t *result = weir_steps_results(cells->on.steps, 0);
    const uint64_t all = result[PR_CELLS_RESULT_ITERATIONS], supersteps = stats->steps;
    for (uint32_t p = 0; p < cells->on.parts; p++) {
        const struct pr_cells_args *args = weir_steps_args(cells->on.steps, p);
        const struct weir__cell *cell = &args->cell;
        const uint64_t own = cell->first[cell->column + 1] - cell->first[cell->column];
        stats->bytes += all * (args->rows.arcs_out * 12 +
                               args->rows.owned * UINT64_C(8) * (cell->columns + UINT64_C(3)));
        stats->bytes_sent += (all + 1) * args->rows.owned * 8 * (cell->rows - UINT64_C(1)) +
                             all * 8 * (cell->first[cell->columns] - own);
    }
    weir__pr_cells_picked(stats);
    stats->steps = all;
    stats->residual = (double)result[PR_CELLS_RESULT_CHANGE] * PR_UNIT;
    stats->arcs_reached = weir__row_steps_part(&cells->on, 0)->arcs_all;
    stats->reached = stats->least_items = cells->on.vertices;
    stats->work.rounds = supersteps * cells->on.parts;
    stats->work.processed = all * cells->on.vertices;
    stats->work.atoms = all * stats->arcs_reached;
}

weir_status weir__pr_cells_run(struct weir__pr_cells *cells, weir_run_stats *stats_out)
{
    weir_status status = weir__row_steps_run(&cells->on, stats_out);
    if (!status)
        report(cells, stats_out);
    return status;
}

/* Sums are rounded; where no rank is lost by intention the ranks are brought back to a sum of 1. */
static double scale_of(const struct weir__pr_cells *cells)
{
    return cells->spread
               ? 1 / ((double)weir_steps_total(cells->on.steps, PR_CELLS_RESULT_RANKS) * PR_UNIT)
               : 1;
}

weir_status weir__pr_cells_ranks(const struct weir__pr_cells *cells, double *ranks_out)
{
    const double scale = scale_of(cells);
    weir_status status = weir__row_steps_gather(&cells->on, "ranks", ranks_out);
    for (uint64_t v = 0; v < cells->on.vertices && !status && scale != 1; v++)
        ranks_out[v] *= scale;
    return status;
}

weir_status weir__pr_cells_values(const struct weir__pr_cells *cells, uint32_t device,
                                  weir_values *values_out)
{
    weir_status status = weir__row_steps_values(&cells->on, device, values_out);
    if (!status)
        values_out->scale = scale_of(cells);
    return status;
}
