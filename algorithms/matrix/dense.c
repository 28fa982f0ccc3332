/** @file dense.c  Vectors and dense matrices in files: MatrixMarket arrays, and lines of numbers. */
#include "algorithms/graph/matrix_market.h"
#include "algorithms/graph/random.h"
#include "algorithms/matrix/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct dense {
    weir__reader *reader;
    weir_value_kind kind;
    uint64_t rows, columns;
    void *values;
};

static weir_status put(const struct dense *dense, uint64_t row, uint64_t column, double value)
{
    const uint64_t at = row * dense->columns + column;
    if (dense->kind == WEIR_VALUE_F64) {
        ((double *)dense->values)[at] = value;
        return WEIR_OK;
    }
    if (!isfinite((float)value))
        return weir__line_fail(dense->reader, "%g is not finite in 32 bits", value);
    ((float *)dense->values)[at] = (float)value;
    return WEIR_OK;
}

/* ---- MatrixMarket ------------------------------------------------------------------------------ */

static weir_status take_banner(weir__reader *reader, const char *at, int *integers_out)
{
    static const char
        *const object[] = {"%%MatrixMarket", NULL},
               *const matrices[] = {"matrix", NULL}, *const layout[] = {"array", NULL},
               *const field[] = {"real", "integer", NULL}, *const symmetry[] = {"general", NULL};
    char word[WEIR__WORD_MAX];
    if (weir__banner_word(&at, object) < 0 || weir__banner_word(&at, matrices) < 0)
        return weir__line_fail(reader, "the banner's '%s' is no matrix", weir__word(at, word));
    if (weir__banner_word(&at, layout) < 0)
        return weir__line_fail(reader, "the layout is '%s'; a dense matrix is array",
                               weir__word(at, word));
    if ((*integers_out = weir__banner_word(&at, field)) < 0)
        return weir__line_fail(reader, "the field is '%s'; real and integer are read",
                               weir__word(at, word));
    if (weir__banner_word(&at, symmetry) < 0)
        return weir__line_fail(reader, "the symmetry is '%s'; general is read",
                               weir__word(at, word));
    return weir__take_end(reader, at);
}

static weir_status take_sizes(const struct dense *dense)
{
    uint64_t rows, columns;
    const char *at;
    weir_status status = weir__matrix_line(dense->reader, &at);
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_FORMAT, "%s: ends before the line of sizes",
                          weir__reader_path(dense->reader));
    if (status ||
        (status = weir__take_whole(dense->reader, &at, "number of rows", 0, UINT64_MAX, &rows)) ||
        (status =
             weir__take_whole(dense->reader, &at, "number of columns", 0, UINT64_MAX, &columns)) ||
        (status = weir__take_end(dense->reader, at)))
        return status;
    if (rows != dense->rows || columns != dense->columns)
        return weir__line_fail(dense->reader,
                               "%" PRIu64 " rows and %" PRIu64 " columns, but %" PRIu64
                               " and %" PRIu64 " are wanted",
                               rows, columns, dense->rows, dense->columns);
    return WEIR_OK;
}

static weir_status read_array(const struct dense *dense, const char *banner)
{
    const uint64_t count = dense->rows * dense->columns;
    uint64_t taken = 0;
    const char *at;
    int integers = 0;
    weir_status status = take_banner(dense->reader, banner, &integers);
    if (status || (status = take_sizes(dense)))
        return status;
    while (!(status = weir__matrix_line(dense->reader, &at))) {
        double value;
        if (taken == count)
            return weir__line_fail(dense->reader, "holds more than %" PRIu64 " values", count);
        if ((status = integers ? weir__take_integer(dense->reader, &at, &value)
                               : weir__take_real(dense->reader, &at, &value)) ||
            (status = weir__take_end(dense->reader, at)) ||
            (status = put(dense, taken % dense->rows, taken / dense->rows, value)) ||
            (status = weir__activity_at(taken++)))
            return status;
    }
    if (status == WEIR_CLOSED && taken < count)
        return weir__fail(WEIR_ERR_FORMAT, "%s: holds %" PRIu64 " values of %" PRIu64,
                          weir__reader_path(dense->reader), taken, count);
    return status;
}

/* ---- lines of numbers --------------------------------------------------------------------------- */

static weir_status read_row(const struct dense *dense, const char *at, uint64_t row)
{
    weir_status status = WEIR_OK;
    for (uint64_t c = 0; c < dense->columns && !status; c++) {
        double value;
        if (!(status = weir__take_real(dense->reader, &at, &value)))
            status = put(dense, row, c, value);
    }
    return status ? status : weir__take_end(dense->reader, at);
}

static weir_status read_lines(const struct dense *dense, const char *at)
{
    weir_status status = WEIR_OK;
    uint64_t row = 0;
    while (!status) {
        if (row < dense->rows) {
            if ((status = read_row(dense, at, row)) || (status = weir__activity_at(row)))
                return status;
            row++;
        } else if (*weir__skip(at)) {
            return weir__line_fail(dense->reader, "holds more than %" PRIu64 " rows", dense->rows);
        }
        if ((status = weir__reader_line(dense->reader, &at)) == WEIR_CLOSED && row < dense->rows)
            return weir__fail(WEIR_ERR_FORMAT, "%s: holds %" PRIu64 " rows of %" PRIu64,
                              weir__reader_path(dense->reader), row, dense->rows);
    }
    return status;
}

static weir_status read_any(const struct dense *dense)
{
    static const char *const mark[] = {"%%MatrixMarket", NULL};
    const char *line, *at;
    weir_status status = weir__reader_line(dense->reader, &line);
    if (status == WEIR_CLOSED && dense->rows)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the file is empty",
                          weir__reader_path(dense->reader));
    if (status)
        return status;
    at = line;
    return weir__banner_word(&at, mark) < 0 ? read_lines(dense, line) : read_array(dense, line);
}

weir_status weir_dense_read(const char *path, weir_value_kind kind, uint64_t rows, uint64_t columns,
                            void *values_out)
{
    struct dense dense = {NULL, kind, rows, columns, values_out};
    struct weir__activity outer;
    weir_status status;
    if (!path || !values_out)
        return weir__missing("weir_dense_read", path ? "values_out" : "path");
    if ((status = weir__real_kind_check(kind)))
        return status;
    if ((status = weir__reader_open(path, &dense.reader)))
        return weir__reader_names(status, path);
    weir__reader_call(dense.reader, "value");
    weir__activity_begin(&outer, "reading values", "values", rows * columns);
    if (!(status = weir__reader_skip_mark(dense.reader)))
        status = read_any(&dense);
    status = weir__activity_end(&outer, status);
    weir__reader_close(dense.reader);
    return status == WEIR_CLOSED ? WEIR_OK : weir__reader_names(status, path);
}

/* ---- writing -------------------------------------------------------------------------------------- */

struct writer {
    int (*write)(void *user, const char *text, size_t bytes);
    void *user;
    size_t used;
    char text[65536];
};

static weir_status flush(struct writer *writer)
{
    const int error = writer->used ? writer->write(writer->user, writer->text, writer->used) : 0;
    writer->used = 0;
    if (error)
        return weir__fail(WEIR_ERR_IO, "values cannot be written: %s", strerror(error));
    return WEIR_OK;
}

/* 9 digits bring each float back, 17 each double. */
static weir_status add(struct writer *writer, weir_value_kind kind, const void *values, uint64_t at,
                       char end)
{
    weir_status status = WEIR_OK;
    if (writer->used + 40 > sizeof writer->text && (status = flush(writer)))
        return status;
    const double value =
        kind == WEIR_VALUE_F64 ? ((const double *)values)[at] : ((const float *)values)[at];
    const int digits = kind == WEIR_VALUE_F64 ? 17 : 9;
    writer->used += (size_t)snprintf(writer->text + writer->used, 40, "%.*g%c", digits, value, end);
    return WEIR_OK;
}

weir_status weir_dense_write(weir_value_kind kind, uint64_t rows, uint64_t columns,
                             const void *values, int matrix_market,
                             int (*write)(void *user, const char *text, size_t bytes), void *user)
{
    struct writer *writer;
    weir_status status;
    if (!values || !write)
        return weir__missing("weir_dense_write", values ? "write" : "values");
    if ((status = weir__real_kind_check(kind)) ||
        (status = weir__alloc(1, sizeof *writer, "a buffer of text", &writer)))
        return status;
    writer->write = write;
    writer->user = user;
    writer->used = 0;
    if (matrix_market) {
        writer->used = (size_t)snprintf(
            writer->text, sizeof writer->text,
            "%%%%MatrixMarket matrix array real general\n%" PRIu64 " %" PRIu64 "\n", rows, columns);
        for (uint64_t i = 0; i < rows * columns && !status; i++)
            status = add(writer, kind, values, i % rows * columns + i / rows, '\n');
    } else {
        for (uint64_t i = 0; i < rows * columns && !status; i++)
            status = add(writer, kind, values, i, (i + 1) % columns ? ' ' : '\n');
    }
    if (!status)
        status = flush(writer);
    free(writer);
    return status;
}

struct drawing {
    weir_value_kind kind;
    uint64_t seed;
    void *values;
};

static void draw(void *user, uint64_t begin, uint64_t end)
{
    const struct drawing *d = user;
    for (uint64_t i = begin; i < end; i++) {
        const double value =
            (double)((int64_t)(weir__random(d->seed, i) >> 39) - (INT64_C(1) << 24)) * 0x1p-24;
        if (d->kind == WEIR_VALUE_F64)
            ((double *)d->values)[i] = value;
        else
            ((float *)d->values)[i] = (float)value;
    }
}

void weir_dense_draw(weir_value_kind kind, uint64_t count, uint64_t seed, void *values_out)
{
    struct drawing d = {kind, seed, values_out};
    weir__parallel_for(count, UINT64_C(1) << 16, 0, draw, &d);
}
