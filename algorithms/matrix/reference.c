/** @file reference.c  The serial product, in double, and by how much another one may differ from it. */
#include "algorithms/matrix/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value_at(weir_value_kind kind, const void *values, uint64_t i)
{
    return kind == WEIR_VALUE_F64 ? ((const double *)values)[i] : ((const float *)values)[i];
}

static double nonzero(const weir_matrix *matrix, uint64_t i)
{
    return matrix->f64 ? matrix->f64[i] : matrix->f32[i];
}

/* What a sum has: itself, the sum of what was added without signs, and how much that was. */
struct sums {
    double *sum, *size; /* by element of y; size is NULL where no bound is wanted */
    uint64_t *count;    /* by row of y */
};

static void add(struct sums *sums, uint64_t to, double product)
{
    sums->sum[to] += product;
    if (sums->size)
        sums->size[to] += fabs(product);
}

static weir_status add_all(const weir_product_case *of, uint32_t k, struct sums *sums)
{
    const weir_matrix *matrix = of->matrix;
    weir_status status = WEIR_OK;
    for (uint64_t row = 0; row < matrix->rows && !status; row++) {
        for (uint64_t i = matrix->offsets[row]; i < matrix->offsets[row + 1]; i++) {
            const uint64_t from = of->transpose ? row : matrix->indices[i];
            const uint64_t to = of->transpose ? matrix->indices[i] : row;
            const double a = nonzero(matrix, i);
            sums->count[to]++;
            for (uint32_t c = 0; c < k; c++)
                add(sums, to * k + c, a * value_at(matrix->kind, of->x, from * k + c));
        }
        status = weir__activity_at(row);
    }
    return status;
}

/* A sum of n products differs by at most n u / (1 - n u) of the products' sizes, u half of eps; alpha, beta and their sum round four times more.
 * What is below the smallest normal number may be lost in each of them. The double sums here are off by as much in their own eps. */
static void finish(const weir_product_case *of, uint64_t rows, uint32_t k, struct sums *sums)
{
    const weir_value_kind kind = of->matrix->kind;
    const double eps = kind == WEIR_VALUE_F64 ? DBL_EPSILON : FLT_EPSILON;
    const double tiny = kind == WEIR_VALUE_F64 ? DBL_MIN : FLT_MIN;
    for (uint64_t row = 0; row < rows; row++)
        for (uint32_t c = 0; c < k; c++) {
            const uint64_t at = row * k + c;
            const double n = (double)sums->count[row] + 4;
            const double before = of->beta != 0 ? of->beta * value_at(kind, of->y, at) : 0;
            sums->sum[at] = of->alpha * sums->sum[at] + before;
            if (sums->size)
                sums->size[at] = n * (eps * (fabs(of->alpha) * sums->size[at] + fabs(before)) +
                                      tiny * (1 + fabs(of->alpha)));
        }
}

static weir_status check_case(const char *call, const weir_product_case *given,
                              weir_product_case *of)
{
    weir_status status = weir__sized_in(of, sizeof *of, given, "weir_product_case");
    if (status)
        return status;
    if (!given || !of->matrix || !of->x || (of->beta != 0 && !of->y))
        return weir__fail(WEIR_ERR_INVALID, "%s: a matrix, x, or y is missing", call);
    if (!of->columns)
        of->columns = 1;
    return WEIR_OK;
}

static weir_status multiply(const weir_product_case *of, double *y_out, double *bound_out)
{
    const uint64_t rows = of->transpose ? of->matrix->columns : of->matrix->rows;
    struct sums sums = {y_out, bound_out, NULL};
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    weir_status status;
    weir__need_take(&need, rows, sizeof *sums.count);
    if ((status = weir__need_fits(&need, "the reference of a product of %s", of->matrix->name)) ||
        (status = weir__calloc(rows, sizeof *sums.count, "counts of nonzeros", &sums.count)))
        return status;
    memset(y_out, 0, rows * of->columns * sizeof *y_out);
    if (bound_out)
        memset(bound_out, 0, rows * of->columns * sizeof *bound_out);
    weir__activity_begin(&outer, "multiplying by the reference", "rows", of->matrix->rows);
    if (!(status = weir__activity_end(&outer, add_all(of, of->columns, &sums))))
        finish(of, rows, of->columns, &sums);
    free(sums.count);
    return status;
}

weir_status weir_product_reference(const weir_product_case *given, double *y_out, double *bound_out)
{
    weir_product_case of = WEIR_PRODUCT_CASE_INIT;
    weir_status status = check_case("weir_product_reference", given, &of);
    if (!status && !y_out)
        status = weir__missing("weir_product_reference", "y_out");
    return status ? status : multiply(&of, y_out, bound_out);
}

static weir_status compare(const weir_product_case *of, const void *result, uint64_t count,
                           const double *y, const double *bound)
{
    for (uint64_t i = 0; i < count; i++) {
        const double is = value_at(of->matrix->kind, result, i);
        if (!(fabs(is - y[i]) <= bound[i])) /* not a number is none, too */
            return weir__fail(WEIR_ERR_VERIFY,
                              "row %llu, column %llu is %.9g, but the reference has %.9g, and may "
                              "be off by %.3g",
                              (unsigned long long)(i / of->columns),
                              (unsigned long long)(i % of->columns), is, y[i], bound[i]);
    }
    return WEIR_OK;
}

weir_status weir_product_compare(const weir_product_case *given, const double *y,
                                 const double *bound, const void *result)
{
    weir_product_case of = WEIR_PRODUCT_CASE_INIT;
    const weir_status status = check_case("weir_product_compare", given, &of);
    if (status)
        return status;
    if (!y || !bound || !result)
        return weir__missing("weir_product_compare", !y ? "y" : !bound ? "bound" : "result");
    const uint64_t rows = of.transpose ? of.matrix->columns : of.matrix->rows;
    return compare(&of, result, rows * of.columns, y, bound);
}

weir_status weir_product_check(const weir_product_case *given, const void *result)
{
    weir_product_case of = WEIR_PRODUCT_CASE_INIT;
    struct weir__need need = {0, 0};
    double *y = NULL, *bound = NULL;
    weir_status status = check_case("weir_product_check", given, &of);
    if (!status && !result)
        status = weir__missing("weir_product_check", "result");
    if (status)
        return status;
    const uint64_t rows = of.transpose ? of.matrix->columns : of.matrix->rows;
    const uint64_t count = rows * of.columns;
    weir__need_take(&need, count, 2 * sizeof(double));
    if (!(status = weir__need_fits(&need, "the reference of a product of %s", of.matrix->name)) &&
        !(status = weir__alloc(count, sizeof *y, "the reference's y", &y)) &&
        !(status = weir__alloc(count, sizeof *bound, "the reference's bounds", &bound)) &&
        !(status = multiply(&of, y, bound)))
        status = compare(&of, result, count, y, bound);
    free(y);
    free(bound);
    return status;
}
