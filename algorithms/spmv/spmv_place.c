/** @file spmv_place.c  Nonzeros brought to a device: in chunks that warps take, or as tiles of worklist/schedule.h. */
#include "algorithms/spmv/spmv.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <stdlib.h>

/* ---- memory of the device ------------------------------------------------------------------------ */

weir_status weir__spmv_take(struct spmv_part *part, const char *what, uint64_t elements,
                            size_t bytes, void *data_out)
{
    void *data;
    if (part->taken_count == sizeof part->taken / sizeof *part->taken)
        return weir__fail(WEIR_ERR_NOMEM, "no place to remember %s", what);
    weir_status status = weir__device_alloc_as(part->device, what, elements, bytes, &data);
    if (status)
        return status;
    part->taken[part->taken_count++] = data;
    *(void **)data_out = data;
    return WEIR_OK;
}

weir_status weir__spmv_bring(struct spmv_part *part, const char *what, const void *data,
                             uint64_t elements, size_t bytes, void *data_out)
{
    void *place;
    weir_status status = weir__spmv_take(part, what, elements, bytes, &place);
    if (status)
        return status;
    *(void **)data_out = place;
    return elements ? weir__upload(part->device, place, data, elements * bytes) : WEIR_OK;
}

void weir__spmv_note(const weir_product *product, const struct weir__need *beside)
{
    struct weir__need need = product->placing;
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    if (!weir__context_planned(product->context))
        return;
    weir__need_take(&need, (uint64_t)beside->held, 1);
    for (uint32_t d = 0; d < product->parts; d++)
        if (!weir_device_pool_stats(product->part[d].device, &stats))
            weir__need_take_on(&need, product->part[d].device, stats.used_bytes, 1);
    if (!weir_device_pool_stats(weir_context_home(product->context), &stats))
        weir__need_take(&need, stats.used_bytes, 1);
    (void)weir__need_fits(&need, "a product"); /* which is noted, and always fits */
}

/* ---- chunks ---------------------------------------------------------------------------------------- */

/* Chunks as they are counted, and then written. */
struct chunks {
    struct spmv_chunk *chunk; /* NULL: they are only counted */
    struct spmv_long *longs;
    uint16_t *ends;
    uint64_t count, long_count, pieces;
};

static void put_chunk(struct chunks *to, struct spmv_chunk chunk)
{
    if (to->chunk)
        to->chunk[to->count] = chunk;
    to->count++;
}

/* A row longer than a piece is cut into equal ones. */
static void cut_row(struct chunks *to, uint64_t begin, uint64_t length, uint32_t row)
{
    const uint64_t pieces = (length + SPMV_PIECE - 1) / SPMV_PIECE;
    if (to->longs)
        to->longs[to->long_count] = (struct spmv_long){row, (uint32_t)pieces, to->pieces};
    to->long_count++;
    for (uint64_t i = 0; i < pieces; i++) {
        const uint64_t from = length * i / pieces, end = length * (i + 1) / pieces;
        put_chunk(to, (struct spmv_chunk){begin + from, (uint32_t)(to->pieces + i),
                                          (uint16_t)(end - from), 0});
    }
    to->pieces += pieces;
}

/* Short rows from `row` on, as many as a chunk has. @return the row behind them. */
static uint64_t take_rows(struct chunks *to, const struct spmv_rows *r, uint64_t row)
{
    const uint64_t begin = r->offsets[row], first = row;
    while (row < r->rows && row - first < SPMV_ROWS && r->offsets[row + 1] - begin <= SPMV_SHORT) {
        if (to->ends)
            to->ends[row] = (uint16_t)(r->offsets[row + 1] - begin);
        row++;
    }
    const uint64_t count = r->offsets[row] - begin;
    if (count || !r->sparse)
        put_chunk(to, (struct spmv_chunk){begin - r->offsets[0], (uint32_t)first, (uint16_t)count,
                                          (uint16_t)(row - first)});
    return row;
}

static void cut(struct chunks *to, const struct spmv_rows *r)
{
    for (uint64_t row = 0; row < r->rows;) {
        const uint64_t begin = r->offsets[row] - r->offsets[0];
        const uint64_t length = r->offsets[row + 1] - r->offsets[row];
        if (length <= SPMV_SHORT) {
            row = take_rows(to, r, row);
            continue;
        }
        if (length <= SPMV_PIECE)
            put_chunk(to, (struct spmv_chunk){begin, (uint32_t)row, (uint16_t)length, 1});
        else
            cut_row(to, begin, length, (uint32_t)row);
        row++;
    }
}

/* Chunks of equal rows. */
static struct chunks guess(const struct spmv_rows *r)
{
    const uint64_t length = r->rows ? (r->sketched + r->rows - 1) / r->rows : 0;
    struct chunks made = {NULL, NULL, NULL, r->rows, 0, 0};
    if (length <= SPMV_SHORT) {
        const uint64_t fit = length ? SPMV_SHORT / length : SPMV_ROWS;
        const uint64_t each = fit < SPMV_ROWS ? fit : SPMV_ROWS;
        made.count = (r->rows + each - 1) / each;
    } else if (length > SPMV_PIECE) {
        made.long_count = r->rows;
        made.count = made.pieces = r->rows * ((length + SPMV_PIECE - 1) / SPMV_PIECE);
    }
    return made;
}

static weir_status bring_chunks(const weir_product *product, struct spmv_part *part,
                                const struct spmv_rows *r, const struct chunks *made,
                                struct spmv_args *args)
{
    weir_status status;
    args->chunk_count = (uint32_t)made->count;
    args->long_count = (uint32_t)made->long_count;
    if ((status = weir__spmv_bring(part, "chunks", made->chunk, made->count, sizeof *made->chunk,
                                   &args->chunks)) ||
        (status = weir__spmv_bring(part, "ends of rows", made->ends, r->rows, sizeof *made->ends,
                                   &args->ends)) ||
        (status = weir__spmv_bring(part, "long rows", made->longs, made->long_count,
                                   sizeof *made->longs, &args->longs)))
        return status;
    return weir__spmv_take(part, "sums of pieces", made->pieces * args->k, product->value_bytes,
                           &args->partials);
}

static weir_status place_chunks(const weir_product *product, struct spmv_part *part,
                                const struct spmv_rows *r, struct spmv_args *args)
{
    struct chunks made = {NULL, NULL, NULL, 0, 0, 0};
    struct weir__need need = {0, 0};
    weir_status status;
    if (r->offsets)
        cut(&made, r);
    else
        made = guess(r);
    if (made.count > UINT32_MAX || made.pieces > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "a device would have %llu pieces of rows",
                          (unsigned long long)made.count);
    weir__need_take(&need, made.count, sizeof *made.chunk);
    weir__need_take(&need, made.long_count, sizeof *made.longs);
    weir__need_take(&need, r->rows, sizeof *made.ends);
    if ((status = weir__need_fits(&need, "pieces of rows")))
        return status;
    if (!r->offsets)
        status = bring_chunks(product, part, r, &made, args);
    else if (!(status = weir__alloc(made.count, sizeof *made.chunk, "chunks", &made.chunk)) &&
             !(status =
                   weir__alloc(made.long_count, sizeof *made.longs, "long rows", &made.longs)) &&
             !(status = weir__calloc(r->rows, sizeof *made.ends, "ends of rows", &made.ends))) {
        made.count = made.long_count = made.pieces = 0;
        cut(&made, r);
        status = bring_chunks(product, part, r, &made, args);
    }
    weir__spmv_note(product, &need);
    free(made.chunk);
    free(made.longs);
    free(made.ends);
    return status;
}

/* ---- tiles ------------------------------------------------------------------------------------------ */

static weir_status place_tiles(const weir_product *product, struct spmv_part *part,
                               const struct spmv_rows *r, struct spmv_args *args)
{
    const uint64_t nonzeros = weir__spmv_count(r);
    uint32_t *ends = NULL, *there = NULL;
    struct weir__need need = {0, 0};
    weir_status status;
    if (r->rows + nonzeros > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "a device would have %llu rows with %llu nonzeros, and this schedule "
                          "counts in 32 bits: take rows, or more devices",
                          (unsigned long long)r->rows, (unsigned long long)nonzeros);
    weir__need_take(&need, r->rows, sizeof *ends);
    if ((status = weir__need_fits(&need, "ends of rows")) ||
        (r->offsets && (status = weir__alloc(r->rows, sizeof *ends, "ends of rows", &ends))))
        return status;
    for (uint64_t row = 0; row < r->rows && ends; row++)
        ends[row] = (uint32_t)(r->offsets[row + 1] - r->offsets[0]);
    status = weir__spmv_bring(part, "ends of rows", ends, r->rows, sizeof *ends, &there);
    args->tiles = (weir_tile_set){there, (uint32_t)r->rows, 0};
    weir__spmv_note(product, &need);
    free(ends);
    return status;
}

weir_status weir__spmv_place(weir_product *product, struct spmv_part *part,
                             const struct spmv_rows *r, struct spmv_half *half)
{
    static const uint32_t sharing[] = {0, 1, SPMV_SHARING_BLOCK, 1, 0};
    const uint64_t nonzeros = weir__spmv_count(r);
    struct spmv_args *args = &half->args;
    weir_status status;
    *args = (struct spmv_args){.rows = (uint32_t)r->rows, .k = product->config.columns};
    half->there = r->rows && (nonzeros || !r->sparse);
    if (!half->there)
        return WEIR_OK;
    if ((status = weir__spmv_bring(part, "columns of nonzeros", r->indices, nonzeros,
                                   sizeof *r->indices, &args->indices)) ||
        (status = weir__spmv_bring(part, "values of nonzeros", r->values, nonzeros,
                                   product->value_bytes, &args->values)))
        return status;
    if (product->config.schedule == WEIR_PRODUCT_ROWS)
        return place_chunks(product, part, r, args);
    args->schedule = (uint32_t)product->config.schedule - WEIR_PRODUCT_THREAD;
    args->sharing = sharing[args->schedule];
    return place_tiles(product, part, r, args);
}
