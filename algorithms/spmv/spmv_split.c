/** @file spmv_split.c  The rows of a device in two halves: nonzeros that need its own x alone, and the others, which wait for what comes.
 *
 * Columns are numbered here as the device keeps them. Also where there is one half, in two dimensions or with an x that is cut. */
#include "algorithms/spmv/spmv.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_CHUNK (UINT64_C(1) << 12)

/* The rows of a part with its columns, numbered as the device keeps them: those of which x is its own, and the others; or all together. */
struct splitting {
    const weir_product *product;
    const weir_matrix *matrix;
    const struct spmv_part *part;
    int together;
    uint64_t *offsets[2];
    uint32_t *indices[2];
    char *values[2];
};

static struct spmv_span span_of(const struct splitting *s, uint64_t row)
{
    struct spmv_span span = weir__spmv_span(s->matrix, s->part, row);
    if (s->together) {
        span.own = span.begin;
        span.rest = span.end;
    }
    return span;
}

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct splitting *s = user;
    for (uint64_t row = begin; row < end; row++) {
        const struct spmv_span span = span_of(s, row);
        s->offsets[0][row + 1] = span.rest - span.own;
        s->offsets[1][row + 1] = span.own - span.begin + span.end - span.rest;
    }
}

static void copy_range(const struct splitting *s, int half, uint64_t to, uint64_t begin,
                       uint64_t end)
{
    const size_t bytes = s->product->value_bytes;
    const char *values =
        s->matrix->f64 ? (const char *)s->matrix->f64 : (const char *)s->matrix->f32;
    const struct spmv_keep *keep = &s->part->keep;
    if (begin == end) /* there may be no arrays */
        return;
    if (!keep->bits)
        memcpy(s->indices[half] + to, s->matrix->indices + begin, (end - begin) * sizeof(uint32_t));
    for (uint64_t i = begin; keep->bits && i < end; i++)
        s->indices[half][to + i - begin] =
            (uint32_t)weir__spmv_kept_at(keep, s->matrix->indices[i]);
    memcpy(s->values[half] + to * bytes, values + begin * bytes, (end - begin) * bytes);
}

static void copy_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct splitting *s = user;
    for (uint64_t row = begin; row < end; row++) {
        const struct spmv_span span = span_of(s, row);
        copy_range(s, 0, s->offsets[0][row], span.own, span.rest);
        copy_range(s, 1, s->offsets[1][row], span.begin, span.own);
        copy_range(s, 1, s->offsets[1][row] + span.own - span.begin, span.rest, span.end);
    }
}

static weir_status split_rows(struct splitting *s)
{
    const uint64_t rows = s->part->rows;
    weir_status status =
        weir__activity_for("counting columns", "rows", rows, ROWS_CHUNK, 0, count_rows, s);
    for (int half = 0; half < 2 && !status; half++) {
        for (uint64_t row = 0; row < rows; row++)
            s->offsets[half][row + 1] += s->offsets[half][row];
        const uint64_t nonzeros = s->offsets[half][rows];
        if (!(status =
                  weir__alloc(nonzeros, sizeof(uint32_t), "columns of a half", &s->indices[half])))
            status = weir__alloc(nonzeros, s->product->value_bytes, "values of a half",
                                 &s->values[half]);
    }
    return status
               ? status
               : weir__activity_for("dealing columns", "rows", rows, ROWS_CHUNK, 0, copy_rows, s);
}

static struct weir__need need_of(const weir_product *product, const struct spmv_part *part,
                                 uint64_t nonzeros)
{
    struct weir__need need = {0, 0};
    weir__need_take(&need, part->rows + 1, 2 * sizeof(uint64_t));
    weir__need_take(&need, nonzeros, sizeof(uint32_t) + product->value_bytes);
    return need;
}

weir_status weir__spmv_split(weir_product *product, const weir_matrix *matrix,
                             struct spmv_part *part, int together)
{
    const uint64_t *offsets = matrix->offsets + part->first;
    struct splitting s = {.product = product, .matrix = matrix, .part = part, .together = together};
    struct weir__need need = need_of(product, part, offsets[part->rows] - offsets[0]);
    const struct weir__need outer = product->placing;
    weir_status status;
    weir__need_take(&product->placing, (uint64_t)need.held, 1);
    if (!(status = weir__need_fits(&need, "the columns of a device and the others of %s",
                                   matrix->name)) &&
        !(status =
              weir__calloc(part->rows + 1, sizeof(uint64_t), "offsets of a half", &s.offsets[0])) &&
        !(status =
              weir__calloc(part->rows + 1, sizeof(uint64_t), "offsets of a half", &s.offsets[1])))
        status = split_rows(&s);
    for (int half = 0; half < 2 - together && !status; half++) {
        const struct spmv_rows rows = {.rows = part->rows,
                                       .offsets = s.offsets[half],
                                       .indices = s.indices[half],
                                       .values = s.values[half],
                                       .sparse = half};
        status = product->config.schedule == WEIR_PRODUCT_BINS
                     ? weir__spmv_bins_place(product, part, &rows)
                     : weir__spmv_place(product, part, &rows, &part->half[half]);
    }
    for (int half = 0; half < 2; half++) {
        free(s.offsets[half]);
        free(s.indices[half]);
        free(s.values[half]);
    }
    product->placing = outer;
    return status;
}

/* The same of sizes: of what a device multiplies as much is with its own x as that is of all that it has. */
weir_status weir__spmv_split_sketch(weir_product *product, struct spmv_part *part,
                                    uint64_t nonzeros, int halves)
{
    const double own = part->column_count ? (double)part->x_rows / (double)part->column_count : 1;
    const struct weir__need outer = product->placing;
    const struct weir__need need = need_of(product, part, nonzeros);
    weir_status status = WEIR_OK;
    if (halves || product->grid_columns > 1 || product->config.vector == WEIR_VECTOR_CUT)
        weir__need_take(&product->placing, (uint64_t)need.held, 1);
    for (int half = 0; half < 1 + halves && !status; half++) {
        struct spmv_rows rows = {.rows = part->rows, .sparse = half, .sketched = nonzeros};
        if (halves)
            rows.sketched = (uint64_t)((double)nonzeros * (half ? 1 - own : own));
        status = product->config.schedule == WEIR_PRODUCT_BINS
                     ? weir__spmv_bins_place(product, part, &rows)
                     : weir__spmv_place(product, part, &rows, &part->half[half]);
    }
    product->placing = outer;
    return status;
}
