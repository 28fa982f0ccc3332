/** @file 27_power.c  The largest eigenvalue of a sparse matrix, by the power method: y = A x, x = y / |y|, again and again.
 *
 *     x  --weir_product_set_x-->  devices: y = A x  --weir_product_get_y-->  |y| is the eigenvalue, in the end
 *
 *     build/examples/27_power [DEVICES]      say "cuda:0-1"; "host:2" if left out
 *
 * The matrix is placed once; a step brings x to the devices and y back. A serial program takes the same steps. */
#include <weir/algorithms/matrix.h>
#include "examples/example.h"

#include <math.h>
#include <string.h>

enum { STEPS = 50 };

/* Divide by its length. @return the length. */
static double normalize(double *x, uint64_t count)
{
    double length = 0;
    for (uint64_t i = 0; i < count; i++)
        length += x[i] * x[i];
    length = sqrt(length);
    for (uint64_t i = 0; i < count; i++)
        x[i] /= length;
    return length;
}

static void multiply_serial(const weir_matrix *matrix, const double *x, double *y)
{
    for (uint64_t row = 0; row < matrix->rows; row++) {
        y[row] = 0;
        for (uint64_t i = matrix->offsets[row]; i < matrix->offsets[row + 1]; i++)
            y[row] += matrix->f64[i] * x[matrix->indices[i]];
    }
}

/* The power method; without a product by the serial one. */
static double largest(const weir_matrix *matrix, weir_product *product, double *kernel_ms)
{
    double *x = malloc(matrix->rows * sizeof *x), *y = malloc(matrix->rows * sizeof *y), length = 0;
    if (!x || !y)
        exit(WRONG);
    for (uint64_t i = 0; i < matrix->rows; i++)
        x[i] = 1 + (double)(i % 7);
    normalize(x, matrix->rows);
    for (int step = 0; step < STEPS; step++) {
        weir_product_stats stats = WEIR_PRODUCT_STATS_INIT;
        if (product) {
            TRY(weir_product_set_x(product, x));
            TRY(weir_product_run(product, 1, 0, &stats));
            TRY(weir_product_get_y(product, y));
            *kernel_ms += stats.kernel_ms;
        } else {
            multiply_serial(matrix, x, y);
        }
        length = normalize(y, matrix->rows);
        memcpy(x, y, matrix->rows * sizeof *x);
    }
    free(x);
    free(y);
    return length;
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:2");
    weir_matrix_options options = WEIR_MATRIX_OPTIONS_INIT;
    weir_matrix *matrix;
    weir_product *product;
    double kernel_ms = 0;
    options.kind = WEIR_VALUE_F64;
    options.undirected = 1;
    TRY(weir_matrix_open("rmat:12", &options, &matrix)); /* all values are 1 */
    TRY(weir_product_create(context, matrix, NULL, &product));
    const double found = largest(matrix, product, &kernel_ms);
    const double expected = largest(matrix, NULL, NULL);
    const int right = fabs(found - expected) <= 1e-9 * expected;
    printf("%s: %llu rows, %llu nonzeros; largest eigenvalue %.9f, %s; a product %.4f ms\n",
           matrix->name, (unsigned long long)matrix->rows, (unsigned long long)matrix->nonzeros,
           found, right ? "right" : "WRONG", kernel_ms / STEPS);
    weir_product_destroy(product);
    weir_matrix_destroy(matrix);
    weir_context_destroy(context);
    return right ? RIGHT : WRONG;
}
