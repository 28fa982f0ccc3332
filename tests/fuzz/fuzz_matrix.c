/** @file fuzz_matrix.c  A file that is read as a sparse matrix, and as a dense one of three rows and two columns.
 *
 * What is accepted has rows that ascend within the matrix, and finite values; a dense one is the same after it was written and read again. */
#include "tests/fuzz/fuzz.h"

#include "algorithms/matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 3, COLUMNS = 2 };

static void check_matrix(const weir_matrix *matrix)
{
    const uint64_t *offsets = matrix->offsets;
    FUZZ_CHECK(matrix->rows <= WEIR_VERTICES_MAX && matrix->columns <= WEIR_VERTICES_MAX,
               "a matrix that is too large");
    FUZZ_CHECK(offsets[0] == 0 && offsets[matrix->rows] == matrix->nonzeros,
               "rows do not hold all nonzeros");
    FUZZ_CHECK(!matrix->f32 != !matrix->f64, "values of both kinds, or of none");
    for (uint64_t row = 0; row < matrix->rows; row++) {
        FUZZ_CHECK(offsets[row] <= offsets[row + 1], "row %llu ends before it begins",
                   (unsigned long long)row);
        for (uint64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            FUZZ_CHECK(matrix->indices[i] < matrix->columns, "a column outside of the matrix");
            FUZZ_CHECK(i == offsets[row] || matrix->indices[i - 1] < matrix->indices[i],
                       "row %llu does not ascend", (unsigned long long)row);
            FUZZ_CHECK(isfinite(matrix->f32 ? matrix->f32[i] : matrix->f64[i]),
                       "a value that is not finite");
        }
    }
}

static int write_file(void *file, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, file) == bytes ? 0 : EIO;
}

static void check_dense(const double *values, int matrix_market)
{
    const char *path = weir__fuzz_path("back.mtx");
    double back[ROWS * COLUMNS];
    FILE *file = fopen(path, "w");
    FUZZ_CHECK(file, "no file");
    FUZZ_CHECK(
        !weir_dense_write(WEIR_VALUE_F64, ROWS, COLUMNS, values, matrix_market, write_file, file),
        "writing: %s", weir_error_detail());
    FUZZ_CHECK(!fclose(file), "the file is not written");
    FUZZ_CHECK(!weir_dense_read(path, WEIR_VALUE_F64, ROWS, COLUMNS, back),
               "reading what was written: %s", weir_error_detail());
    unlink(path);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        FUZZ_CHECK(back[i] == values[i], "value %d is %g, and was %g", i, back[i], values[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = weir__fuzz_file(data, size);
    const uint64_t choice = weir__fuzz_hash(data, size);
    char named[4096];
    weir_matrix_options options = WEIR_MATRIX_OPTIONS_INIT;
    weir_matrix *matrix = NULL;
    double values[ROWS * COLUMNS] = {0};
    options.kind = choice >> 20 & 1 ? WEIR_VALUE_F64 : WEIR_VALUE_F32;
    options.threads = choice >> 21 & 31 ? 1 : 3;
    snprintf(named, sizeof named, "mtx:%s", path);
    weir_status status = weir_matrix_open(named, &options, &matrix);
    if (status) {
        FUZZ_CHECK(!matrix, "a matrix in spite of status %d", status);
        weir__fuzz_refused(status, path);
    } else {
        check_matrix(matrix);
    }
    weir_matrix_destroy(matrix);
    if ((status = weir_dense_read(path, WEIR_VALUE_F64, ROWS, COLUMNS, values)))
        weir__fuzz_refused(status, path);
    else
        check_dense(values, choice >> 26 & 1);
    return 0;
}
