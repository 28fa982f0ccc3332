/** @file build.h  What the files that make matrices share. Not installed. */
#ifndef WEIR_ALGORITHMS_MATRIX_BUILD_H
#define WEIR_ALGORITHMS_MATRIX_BUILD_H

#include "algorithms/matrix.h"
#include "runtime/room.h"

/** A list of entries in any order. */
struct weir__entries {
    uint64_t rows, columns, count;
    const uint32_t *row, *column; /* count values each, below rows and columns */
    const double *values;         /* finite; NULL: all are 1 */
};

/** A matrix that is being made: its arrays as they may still be written. */
struct weir__matrix_made {
    weir_matrix *matrix;
    uint64_t *offsets; /* rows + 1 values, 0 at first */
    uint32_t *indices;
    float *f32;
    double *f64;
};

/** Bytes of a value. */
size_t weir__value_bytes(weir_value_kind kind);
/** Refuse what is neither of 32 nor of 64 bits. */
weir_status weir__real_kind_check(weir_value_kind kind);
/** Count what the arrays of a matrix take. */
void weir__matrix_need(uint64_t rows, uint64_t nonzeros, weir_value_kind kind,
                       struct weir__need *need);
/** Begin a matrix: its name and its offsets. @param[in] format  static storage. */
weir_status weir__matrix_begin(const char *name, const char *format, uint64_t rows,
                               uint64_t columns, weir_value_kind kind,
                               struct weir__matrix_made *made);
/** Take the arrays of nonzeros. */
weir_status weir__matrix_take(struct weir__matrix_made *made, uint64_t nonzeros);
/** Free what was made. */
void weir__matrix_drop(struct weir__matrix_made *made);
/** Build one from entries that have been checked, within an activity of the caller's. */
weir_status weir__matrix_build(const struct weir__entries *entries, const char *name,
                               const char *format, weir_value_kind kind, weir_matrix **matrix_out);

/** Read a MatrixMarket file; @p path as it is opened, @p name as the matrix is called. */
weir_status weir__matrix_load(const char *path, const char *name,
                              const weir_matrix_options *options, weir_matrix **matrix_out);
/** Whether a file begins as MatrixMarket files do; a packed one is unpacked. Never of standard input.
 *  @retval WEIR_ERR_IO  it cannot be read. */
weir_status weir__matrix_told(const char *path, int *told_out);

/** Whether @p text names a generator of matrices. */
int weir__matrix_generator_known(const char *text);
/** Make the matrix that its text asks for. */
weir_status weir__matrix_generate(const char *text, const weir_matrix_options *options,
                                  weir_matrix **matrix_out);

#endif
