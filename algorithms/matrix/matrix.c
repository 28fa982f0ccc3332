/** @file matrix.c  Sparse matrices in host memory: made of entries, of graphs, of arrays that are there, and turned round. */
#include "algorithms/matrix/build.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (UINT64_C(1) << 16)

/* ---- the object --------------------------------------------------------------------------- */

size_t weir__value_bytes(weir_value_kind kind)
{
    return kind == WEIR_VALUE_F64 ? sizeof(double) : sizeof(float);
}

weir_status weir__real_kind_check(weir_value_kind kind)
{
    if (kind == WEIR_VALUE_F32 || kind == WEIR_VALUE_F64)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%d is no kind of values: WEIR_VALUE_F32 or WEIR_VALUE_F64",
                      (int)kind);
}

static weir_status check_sizes(uint64_t rows, uint64_t columns)
{
    if (rows <= WEIR_VERTICES_MAX && columns <= WEIR_VERTICES_MAX)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "a matrix of %llu rows and %llu columns: at most %llu each",
                      (unsigned long long)rows, (unsigned long long)columns,
                      (unsigned long long)WEIR_VERTICES_MAX);
}

void weir__matrix_need(uint64_t rows, uint64_t nonzeros, weir_value_kind kind,
                       struct weir__need *need)
{
    weir__need_take(need, rows + 1, sizeof(uint64_t));
    weir__need_take(need, nonzeros, sizeof(uint32_t) + weir__value_bytes(kind));
}

weir_status weir__matrix_begin(const char *name, const char *format, uint64_t rows,
                               uint64_t columns, weir_value_kind kind,
                               struct weir__matrix_made *made)
{
    weir_status status;
    *made = (struct weir__matrix_made){.matrix = NULL};
    if ((status = weir__real_kind_check(kind)) || (status = check_sizes(rows, columns)) ||
        (status = weir__calloc(1, sizeof *made->matrix, "a matrix", &made->matrix)))
        return status;
    char *copy = NULL;
    if (!(status = weir__alloc(strlen(name) + 1, 1, "a name", &copy)) &&
        !(status = weir__calloc(rows + 1, sizeof *made->offsets, "row offsets", &made->offsets)))
        strcpy(copy, name);
    made->matrix->rows = rows;
    made->matrix->columns = columns;
    made->matrix->kind = kind;
    made->matrix->format = format;
    made->matrix->name = copy;
    made->matrix->offsets = made->offsets;
    if (status)
        weir__matrix_drop(made);
    return status;
}

weir_status weir__matrix_take(struct weir__matrix_made *made, uint64_t nonzeros)
{
    weir_status status;
    made->matrix->nonzeros = nonzeros;
    if ((status =
             weir__alloc(nonzeros, sizeof *made->indices, "columns of nonzeros", &made->indices)))
        return status;
    made->matrix->indices = made->indices;
    if (made->matrix->kind == WEIR_VALUE_F64) {
        status = weir__alloc(nonzeros, sizeof *made->f64, "values of nonzeros", &made->f64);
        made->matrix->f64 = made->f64;
    } else {
        status = weir__alloc(nonzeros, sizeof *made->f32, "values of nonzeros", &made->f32);
        made->matrix->f32 = made->f32;
    }
    return status;
}

void weir__matrix_drop(struct weir__matrix_made *made)
{
    weir_matrix_destroy(made->matrix);
    made->matrix = NULL;
}

void weir_matrix_destroy(weir_matrix *matrix)
{
    if (!matrix)
        return;
    if (!matrix->borrowed) {
        free((void *)(uintptr_t)matrix->offsets);
        free((void *)(uintptr_t)matrix->indices);
        free((void *)(uintptr_t)matrix->f32);
        free((void *)(uintptr_t)matrix->f64);
    }
    free((void *)(uintptr_t)matrix->name);
    free(matrix);
}

/* ---- of entries ---------------------------------------------------------------------------- */

/* Entries by column, each column's in the order in which they came. */
struct by_column {
    uint64_t *offsets; /* of columns; columns + 2 values while it is filled */
    uint32_t *rows;
    double *values; /* NULL: all are 1 */
};

static void by_column_free(struct by_column *by)
{
    free(by->offsets);
    free(by->rows);
    free(by->values);
}

static weir_status by_column_fill(const struct weir__entries *e, struct by_column *by)
{
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < e->count && !(status = weir__activity_at(i)); i++)
        by->offsets[e->column[i] + UINT64_C(2)]++;
    for (uint64_t c = 2; c < e->columns + 2; c++)
        by->offsets[c] += by->offsets[c - 1];
    for (uint64_t i = 0; i < e->count && !status; i++) {
        const uint64_t at = by->offsets[e->column[i] + UINT64_C(1)]++;
        by->rows[at] = e->row[i];
        if (by->values)
            by->values[at] = e->values[i];
        status = weir__activity_at(i);
    }
    return status;
}

static weir_status by_column_make(const struct weir__entries *e, struct by_column *by)
{
    weir_status status;
    if ((status = weir__calloc(e->columns + 2, sizeof *by->offsets, "columns of entries",
                               &by->offsets)) ||
        (status = weir__alloc(e->count, sizeof *by->rows, "rows of entries", &by->rows)) ||
        (e->values &&
         (status = weir__alloc(e->count, sizeof *by->values, "values of entries", &by->values))))
        return status;
    return by_column_fill(e, by);
}

static weir_status not_finite(const weir_matrix *matrix, uint64_t row, uint64_t column,
                              double value)
{
    return weir__fail(WEIR_ERR_INVALID,
                      "the value %g of row %llu, column %llu, counted from 1, is not finite in %s",
                      value, (unsigned long long)row + 1, (unsigned long long)column + 1,
                      matrix->kind == WEIR_VALUE_F64 ? "64 bits" : "32 bits");
}

static int finite_as(weir_value_kind kind, double value)
{
    return kind == WEIR_VALUE_F64 ? isfinite(value) : isfinite((float)value);
}

/* Deal the columns out to rows, one after the other, so that rows ascend; entries of one place then come one after the other, and are added.
 * Sums of values of 32 bits are made in 64. */
static weir_status rows_of(const struct weir__entries *e, const struct by_column *by,
                           struct weir__matrix_made *made, uint64_t *at, double *sums)
{
    weir_matrix *matrix = made->matrix;
    weir_status status = WEIR_OK;
    for (uint64_t c = 0; c < e->columns && !status; c++)
        for (uint64_t i = by->offsets[c]; i < by->offsets[c + 1] && !status; i++) {
            const uint32_t row = by->rows[i];
            const double value = by->values ? by->values[i] : 1;
            const uint64_t begin = made->offsets[row], next = at[row];
            if (next > begin && made->indices[next - 1] == c) {
                sums[next - 1] += value;
                matrix->added++;
            } else {
                made->indices[next] = (uint32_t)c;
                sums[next] = value;
                at[row]++;
            }
            status = weir__activity_at(i);
        }
    return status;
}

/* Close the gaps that added entries left, and take the values in the matrix's kind. */
static weir_status close_up(struct weir__matrix_made *made, const uint64_t *at, const double *sums)
{
    weir_matrix *matrix = made->matrix;
    uint64_t to = 0;
    for (uint64_t row = 0; row < matrix->rows; row++) {
        const uint64_t begin = made->offsets[row];
        made->offsets[row] = to;
        for (uint64_t i = begin; i < at[row]; i++, to++) {
            made->indices[to] = made->indices[i];
            if (!finite_as(matrix->kind, sums[i]))
                return not_finite(matrix, row, made->indices[i], sums[i]);
            if (matrix->kind == WEIR_VALUE_F64)
                made->f64[to] = sums[i];
            else
                made->f32[to] = (float)sums[i];
        }
    }
    made->offsets[matrix->rows] = matrix->nonzeros = to;
    return WEIR_OK;
}

static weir_status fill_rows(const struct weir__entries *e, const struct by_column *by,
                             struct weir__matrix_made *made)
{
    uint64_t *at = NULL;
    double *sums = NULL;
    weir_status status;
    for (uint64_t i = 0; i < e->count; i++)
        made->offsets[e->row[i] + UINT64_C(1)]++;
    for (uint64_t row = 0; row < e->rows; row++)
        made->offsets[row + 1] += made->offsets[row];
    if (!(status = weir__matrix_take(made, e->count)) &&
        !(status = weir__alloc(e->rows, sizeof *at, "places in rows", &at)) &&
        !(status = weir__alloc(e->count, sizeof *sums, "sums of entries", &sums))) {
        if (e->rows)
            memcpy(at, made->offsets, e->rows * sizeof *at);
        if (!(status = rows_of(e, by, made, at, sums)))
            status = close_up(made, at, sums);
    }
    free(at);
    free(sums);
    return status;
}

weir_status weir__matrix_build(const struct weir__entries *e, const char *name, const char *format,
                               weir_value_kind kind, weir_matrix **matrix_out)
{
    struct weir__matrix_made made;
    struct by_column by = {NULL, NULL, NULL};
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, e->columns + e->rows, sizeof(uint64_t));
    weir__need_take(&need, e->count, sizeof(uint32_t) + 2 * sizeof(double));
    weir__matrix_need(e->rows, e->count, kind, &need);
    if ((status =
             weir__need_fits(&need, "a matrix of %llu entries", (unsigned long long)e->count)) ||
        (status = weir__matrix_begin(name, format, e->rows, e->columns, kind, &made)))
        return status;
    if (!(status = by_column_make(e, &by)))
        status = fill_rows(e, &by, &made);
    by_column_free(&by);
    if (status) {
        weir__matrix_drop(&made);
        return status;
    }
    *matrix_out = made.matrix;
    return WEIR_OK;
}

static weir_status check_entries(const struct weir__entries *e)
{
    for (uint64_t i = 0; i < e->count; i++) {
        if (e->row[i] >= e->rows || e->column[i] >= e->columns)
            return weir__fail(WEIR_ERR_INVALID,
                              "entry %llu, row %u, column %u, lies outside of %llu x %llu",
                              (unsigned long long)i, e->row[i], e->column[i],
                              (unsigned long long)e->rows, (unsigned long long)e->columns);
        if (e->values && !isfinite(e->values[i]))
            return weir__fail(WEIR_ERR_INVALID, "the value of entry %llu is not finite",
                              (unsigned long long)i);
    }
    return WEIR_OK;
}

weir_status weir_matrix_from_entries(uint64_t rows, uint64_t columns, uint64_t entries,
                                     const uint32_t *row, const uint32_t *column,
                                     const double *values, weir_value_kind kind,
                                     weir_matrix **matrix_out)
{
    const struct weir__entries e = {rows, columns, entries, row, column, values};
    const uint64_t begin_ns = weir__now_ns();
    struct weir__activity outer;
    weir_status status;
    if (!matrix_out)
        return weir__missing("weir_matrix_from_entries", "matrix_out");
    *matrix_out = NULL;
    if (entries && (!row || !column))
        return weir__missing("weir_matrix_from_entries", row ? "column" : "row");
    if ((status = weir__real_kind_check(kind)) || (status = check_sizes(rows, columns)) ||
        (status = check_entries(&e)))
        return status;
    weir__activity_begin(&outer, "sorting entries", "entries", 2 * entries);
    status =
        weir__activity_end(&outer, weir__matrix_build(&e, "memory", "memory", kind, matrix_out));
    if (!status)
        (*matrix_out)->prepare_ms = weir__elapsed_ms(begin_ns);
    return status;
}

/* ---- of graphs ------------------------------------------------------------------------------- */

struct from_graph {
    const weir_graph *graph;
    struct weir__matrix_made *made;
    uint64_t bad; /* an arc whose weight is not finite in 32 bits */
};

static double weight_of(const weir_graph *graph, uint64_t arc)
{
    return graph->weight_kind == WEIR_WEIGHT_U32   ? graph->weights_u32[arc]
           : graph->weight_kind == WEIR_WEIGHT_F64 ? graph->weights_f64[arc]
                                                   : 1;
}

static void copy_arcs(void *user, uint64_t begin, uint64_t end)
{
    struct from_graph *from = user;
    struct weir__matrix_made *made = from->made;
    memcpy(made->indices + begin, from->graph->targets + begin,
           (end - begin) * sizeof *made->indices);
    for (uint64_t i = begin; i < end; i++) {
        const double value = weight_of(from->graph, i);
        if (made->f64)
            made->f64[i] = value;
        else
            made->f32[i] = (float)value;
        if (!finite_as(made->matrix->kind, value))
            __atomic_store_n(&from->bad, i, __ATOMIC_RELAXED);
    }
}

weir_status weir_matrix_from_graph(const weir_graph *graph, weir_value_kind kind,
                                   weir_matrix **matrix_out)
{
    const uint64_t begin_ns = weir__now_ns();
    struct weir__matrix_made made;
    struct weir__need need = {0, 0};
    weir_status status;
    if (!graph || !matrix_out)
        return weir__missing("weir_matrix_from_graph", graph ? "matrix_out" : "graph");
    *matrix_out = NULL;
    weir__matrix_need(graph->vertices, graph->arcs, kind, &need);
    if ((status = weir_graph_fetch(graph)) ||
        (status = weir__need_fits(&need, "the matrix of %s", graph->name)) ||
        (status = weir__matrix_begin(graph->name, graph->format, graph->vertices, graph->vertices,
                                     kind, &made)))
        return status;
    memcpy(made.offsets, graph->offsets, (graph->vertices + 1) * sizeof *made.offsets);
    struct from_graph from = {graph, &made, UINT64_MAX};
    if (!(status = weir__matrix_take(&made, graph->arcs)))
        status =
            weir__activity_for("copying values", "arcs", graph->arcs, CHUNK, 0, copy_arcs, &from);
    if (!status && from.bad != UINT64_MAX)
        status =
            weir__fail(WEIR_ERR_INVALID, "%s: the weight %g of an arc is not finite in 32 bits",
                       graph->name, weight_of(graph, from.bad));
    if (status) {
        weir__matrix_drop(&made);
        return status;
    }
    made.matrix->added = 0;
    made.matrix->prepare_ms = graph->prepare_ms + weir__elapsed_ms(begin_ns);
    *matrix_out = made.matrix;
    return WEIR_OK;
}

/* ---- of arrays ------------------------------------------------------------------------------- */

static weir_status check_row(const weir_matrix_arrays *a, uint64_t row)
{
    for (uint64_t i = a->offsets[row]; i < a->offsets[row + 1]; i++) {
        if (a->indices[i] >= a->columns)
            return weir__fail(WEIR_ERR_INVALID, "row %llu has column %u of %llu",
                              (unsigned long long)row, a->indices[i],
                              (unsigned long long)a->columns);
        if (i > a->offsets[row] && a->indices[i] <= a->indices[i - 1])
            return weir__fail(WEIR_ERR_INVALID,
                              "row %llu does not ascend: column %u stands behind %u",
                              (unsigned long long)row, a->indices[i], a->indices[i - 1]);
        if (!isfinite(a->f32 ? a->f32[i] : a->f64[i]))
            return weir__fail(WEIR_ERR_INVALID, "row %llu, column %u: the value is not finite",
                              (unsigned long long)row, a->indices[i]);
    }
    return WEIR_OK;
}

static weir_status check_arrays(const weir_matrix_arrays *a)
{
    weir_status status = check_sizes(a->rows, a->columns);
    if (status)
        return status;
    if (!a->offsets || (a->nonzeros && !a->indices))
        return weir__missing("weir_matrix_wrap", a->offsets ? "indices" : "offsets");
    if (a->nonzeros ? !a->f32 == !a->f64 : a->f32 && a->f64)
        return weir__fail(WEIR_ERR_INVALID, "weir_matrix_wrap: give values of one kind");
    if (a->offsets[0] != 0 || a->offsets[a->rows] != a->nonzeros)
        return weir__fail(WEIR_ERR_INVALID, "row offsets go from %llu to %llu, not from 0 to %llu",
                          (unsigned long long)a->offsets[0],
                          (unsigned long long)a->offsets[a->rows], (unsigned long long)a->nonzeros);
    for (uint64_t row = 0; row < a->rows; row++)
        if (a->offsets[row] > a->offsets[row + 1] || a->offsets[row + 1] > a->nonzeros)
            return weir__fail(WEIR_ERR_INVALID, "row offset %llu does not ascend",
                              (unsigned long long)row + 1);
    for (uint64_t row = 0; row < a->rows && !status; row++)
        status = check_row(a, row);
    return status;
}

weir_status weir_matrix_wrap(const weir_matrix_arrays *arrays, weir_matrix **matrix_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_matrix_arrays a = WEIR_MATRIX_ARRAYS_INIT;
    weir_matrix *matrix;
    char *name = NULL;
    weir_status status;
    if (!arrays || !matrix_out)
        return weir__missing("weir_matrix_wrap", arrays ? "matrix_out" : "arrays");
    *matrix_out = NULL;
    if ((status = weir__sized_in(&a, sizeof a, arrays, "weir_matrix_arrays")) ||
        (status = check_arrays(&a)) ||
        (status = weir__calloc(1, sizeof *matrix, "a matrix", &matrix)))
        return status;
    if ((status = weir__alloc(sizeof "memory", 1, "a name", &name))) {
        free(matrix);
        return status;
    }
    *matrix = (weir_matrix){.rows = a.rows,
                            .columns = a.columns,
                            .nonzeros = a.nonzeros,
                            .offsets = a.offsets,
                            .indices = a.indices,
                            .kind = a.f64 ? WEIR_VALUE_F64 : WEIR_VALUE_F32,
                            .f32 = a.f32,
                            .f64 = a.f64,
                            .name = strcpy(name, "memory"),
                            .format = "memory",
                            .prepare_ms = weir__elapsed_ms(begin_ns),
                            .borrowed = 1};
    *matrix_out = matrix;
    return WEIR_OK;
}

/* ---- turned round ------------------------------------------------------------------------------ */

static weir_status turn(const weir_matrix *from, struct weir__matrix_made *to, uint64_t *at)
{
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < from->nonzeros; i++)
        to->offsets[from->indices[i] + UINT64_C(1)]++;
    for (uint64_t c = 0; c < from->columns; c++) {
        at[c] = to->offsets[c];
        to->offsets[c + 1] += to->offsets[c];
    }
    for (uint64_t row = 0; row < from->rows && !status; row++) {
        for (uint64_t i = from->offsets[row]; i < from->offsets[row + 1]; i++) {
            const uint64_t place = at[from->indices[i]]++;
            to->indices[place] = (uint32_t)row;
            if (from->f64)
                to->f64[place] = from->f64[i];
            else
                to->f32[place] = from->f32[i];
        }
        status = weir__activity_at(row);
    }
    return status;
}

weir_status weir_matrix_transposed(const weir_matrix *matrix, weir_matrix **matrix_out)
{
    const uint64_t begin_ns = weir__now_ns();
    struct weir__matrix_made made;
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    uint64_t *at = NULL;
    weir_status status;
    if (!matrix || !matrix_out)
        return weir__missing("weir_matrix_transposed", matrix ? "matrix_out" : "matrix");
    *matrix_out = NULL;
    weir__need_take(&need, matrix->columns, sizeof *at);
    weir__matrix_need(matrix->columns, matrix->nonzeros, matrix->kind, &need);
    if ((status = weir__need_fits(&need, "the transpose of %s", matrix->name)) ||
        (status = weir__matrix_begin(matrix->name, matrix->format, matrix->columns, matrix->rows,
                                     matrix->kind, &made)))
        return status;
    weir__activity_begin(&outer, "transposing", "rows", matrix->rows);
    if (!(status = weir__matrix_take(&made, matrix->nonzeros)) &&
        !(status = weir__alloc(matrix->columns, sizeof *at, "places in rows", &at)))
        status = turn(matrix, &made, at);
    status = weir__activity_end(&outer, status);
    free(at);
    if (status) {
        weir__matrix_drop(&made);
        return status;
    }
    made.matrix->added = matrix->added;
    made.matrix->prepare_ms = matrix->prepare_ms + weir__elapsed_ms(begin_ns);
    *matrix_out = made.matrix;
    return WEIR_OK;
}
