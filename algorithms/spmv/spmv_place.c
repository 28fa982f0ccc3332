/** @file spmv_place.c  Nonzeros brought to a device: in chunks that warps take, or as tiles of worklist/schedule.h. */
#include "algorithms/spmv/spmv.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

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

enum {
    ROUND = 1 << 14,  /* chunks whose records are written before they are brought to the device */
    SHARE = 64,       /* chunks that a thread takes at a time */
    UNIT_CHUNKS = 64, /* chunks that a multiprocessor, or a thread, should have at the least */
    LEAST = 32,       /* nonzeros that a chunk should have for that */
    MANY_PIECE = 256  /* nonzeros of a chunk of one row, with several columns */
};

/* Chunks as they are counted, and then written. */
struct chunks {
    uint32_t shortest, longest; /* nonzeros of a chunk of several rows, and of one */
    struct spmv_chunk *chunk;   /* NULL: they are only counted */
    uint64_t *first;            /* of each its first nonzero */
    struct spmv_long *longs;
    uint32_t *long_of;
    uint8_t *ends;
    uint64_t count, long_count, pieces;
};

static void put_chunk(struct chunks *to, uint64_t begin, struct spmv_chunk chunk)
{
    if (to->chunk) {
        to->chunk[to->count] = chunk;
        to->first[to->count] = begin;
    }
    to->count++;
}

/* A row longer than a piece is cut into equal ones. */
static void cut_row(struct chunks *to, uint64_t begin, uint64_t length, uint32_t row)
{
    const uint64_t pieces = (length + to->longest - 1) / to->longest;
    if (to->chunk)
        to->longs[to->long_count] =
            (struct spmv_long){row, (uint32_t)pieces, (uint32_t)to->pieces, 0};
    for (uint64_t i = 0; i < pieces; i++) {
        const uint64_t from = length * i / pieces, end = length * (i + 1) / pieces;
        if (to->chunk)
            to->long_of[to->pieces + i] = (uint32_t)to->long_count;
        put_chunk(to, begin + from,
                  (struct spmv_chunk){.row = (uint32_t)(to->pieces + i),
                                      .count = (uint16_t)(end - from)});
    }
    to->long_count++;
    to->pieces += pieces;
}

/* Longest row that lies in a chunk with others. */
static uint32_t longest_short(const struct chunks *made)
{
    return made->longest < SPMV_SHORT ? made->longest : SPMV_SHORT;
}

/* Short rows from `row` on, as many as a chunk has. @return the row behind them. */
static uint64_t take_rows(struct chunks *to, const struct spmv_rows *r, uint64_t row)
{
    const uint64_t begin = r->offsets[row], first = row;
    while (row < r->rows && row - first < SPMV_ROWS &&
           r->offsets[row + 1] - begin <= (row == first ? longest_short(to) : to->shortest)) {
        if (to->ends)
            to->ends[row] = (uint8_t)(r->offsets[row + 1] - begin);
        row++;
    }
    const uint64_t count = r->offsets[row] - begin;
    if (count || !r->sparse)
        put_chunk(to, begin - r->offsets[0],
                  (struct spmv_chunk){.row = (uint32_t)first,
                                      .count = (uint16_t)count,
                                      .rows = (uint16_t)(row - first)});
    return row;
}

static void cut(struct chunks *to, const struct spmv_rows *r)
{
    for (uint64_t row = 0; row < r->rows;) {
        const uint64_t begin = r->offsets[row] - r->offsets[0];
        const uint64_t length = r->offsets[row + 1] - r->offsets[row];
        if (length <= longest_short(to)) {
            row = take_rows(to, r, row);
            continue;
        }
        if (length <= to->longest)
            put_chunk(
                to, begin,
                (struct spmv_chunk){.row = (uint32_t)row, .count = (uint16_t)length, .rows = 1});
        else
            cut_row(to, begin, length, (uint32_t)row);
        row++;
    }
}

/* With several columns a nonzero is a row of x, and a warp soon has its fill. Where there are few nonzeros, chunks are so small that all warps have some. */
static void choose_sizes(const weir_product *product, const struct spmv_part *part,
                         const struct spmv_rows *r, struct chunks *made)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(part->device, &info);
    const uint64_t each =
        weir__spmv_count(r) / ((uint64_t)(info.units ? info.units : 1) * UNIT_CHUNKS);
    made->shortest = SPMV_SHORT;
    made->longest = SPMV_PIECE;
    if (product->config.columns == 1)
        return;
    made->longest = MANY_PIECE;
    if (each < SPMV_SHORT) {
        made->shortest = each > LEAST ? (uint32_t)each : LEAST;
        made->longest = 2 * made->shortest < MANY_PIECE ? 2 * made->shortest : MANY_PIECE;
    }
}

/* Chunks of equal rows. */
static void guess(struct chunks *made, const struct spmv_rows *r)
{
    const uint64_t length = r->rows ? (r->sketched + r->rows - 1) / r->rows : 0;
    made->count = r->rows;
    if (length <= longest_short(made)) {
        const uint64_t fit = length ? made->shortest / length : SPMV_ROWS;
        const uint64_t each = !fit ? 1 : fit < SPMV_ROWS ? fit : SPMV_ROWS;
        made->count = (r->rows + each - 1) / each;
    } else if (length > made->longest) {
        made->long_count = r->rows;
        made->count = made->pieces = r->rows * ((length + made->longest - 1) / made->longest);
    }
}

/* ---- records ------------------------------------------------------------------------------------------- */

static uint64_t record_bytes(uint32_t count, int near, size_t value_bytes)
{
    const uint32_t fours = (count + SPMV_FOUR - 1) / SPMV_FOUR;
    return weir__spmv_columns_bytes(fours, near) + (uint64_t)fours * SPMV_FOUR * value_bytes;
}

/* Where nonzero i of `count` lies in its record, for `lanes` that have a four each at a time: side by side are the four of a lane, and of nonzeros
 *  that are neighbours each lane has one, so that they read neighbours of x. */
static uint32_t slot_of(uint32_t i, uint32_t count, uint32_t lanes)
{
    const uint32_t block = i / (SPMV_FOUR * lanes) * (SPMV_FOUR * lanes);
    const uint32_t fours = (count - block + SPMV_FOUR - 1) / SPMV_FOUR;
    const uint32_t have = fours < lanes ? fours : lanes;
    return block + (i - block) % have * SPMV_FOUR + (i - block) / have;
}

/* Chunks whose nonzeros become records. */
struct recording {
    const struct chunks *made;
    const struct spmv_rows *rows;
    size_t value_bytes;
    uint32_t lanes; /* that read a record together */
    uint64_t first; /* chunk, of those that are written now */
    char *records;
};

/* Whether two bytes tell the columns of chunks apart. */
static void find_bases(void *user, uint64_t begin, uint64_t end)
{
    const struct recording *to = user;
    for (uint64_t c = begin; c < end; c++) {
        struct spmv_chunk *chunk = &to->made->chunk[c];
        const uint32_t *column = to->rows->indices + to->made->first[c];
        uint32_t least = chunk->count ? UINT32_MAX : 0, most = 0;
        for (uint32_t i = 0; i < chunk->count; i++) {
            least = column[i] < least ? column[i] : least;
            most = column[i] > most ? column[i] : most;
        }
        chunk->base = most - least < SPMV_NEAR ? least : SPMV_FAR;
    }
}

static void write_record(const struct recording *to, const struct spmv_chunk *chunk,
                         uint64_t nonzero, char *record)
{
    const int near = chunk->base != SPMV_FAR;
    const uint32_t *column = to->rows->indices + nonzero;
    const char *value = (const char *)to->rows->values + nonzero * to->value_bytes;
    char *values =
        record + weir__spmv_columns_bytes((chunk->count + SPMV_FOUR - 1u) / SPMV_FOUR, near);
    memset(record, 0, record_bytes(chunk->count, near, to->value_bytes));
    for (uint32_t i = 0; i < chunk->count; i++) {
        const uint32_t slot = slot_of(i, chunk->count, to->lanes);
        if (near)
            ((uint16_t *)record)[slot] = (uint16_t)(column[i] - chunk->base);
        else
            ((uint32_t *)record)[slot] = column[i];
        memcpy(values + slot * to->value_bytes, value + i * to->value_bytes, to->value_bytes);
    }
}

static void write_records(void *user, uint64_t begin, uint64_t end)
{
    const struct recording *to = user;
    const struct spmv_chunk *chunk = to->made->chunk + to->first;
    for (uint64_t c = begin; c < end; c++)
        if (chunk[c].count)
            write_record(to, &chunk[c], to->made->first[to->first + c],
                         to->records + (uint64_t)(chunk[c].at - chunk->at) * SPMV_UNIT);
}

/* Give each chunk the place of its record. @return bytes of all. */
static uint64_t place_records(struct chunks *made, size_t value_bytes, uint64_t *most_out,
                              uint64_t *near_out)
{
    uint64_t bytes = 0, begin = 0;
    *most_out = *near_out = 0;
    for (uint64_t c = 0; c < made->count; c++) {
        const int near = made->chunk[c].base != SPMV_FAR;
        if (c % ROUND == 0)
            begin = bytes;
        made->chunk[c].at = (uint32_t)(bytes / SPMV_UNIT);
        bytes += record_bytes(made->chunk[c].count, near, value_bytes);
        *near_out += near ? made->chunk[c].count : 0;
        *most_out = bytes - begin > *most_out ? bytes - begin : *most_out;
    }
    return bytes;
}

/* Write records, so many chunks at a time, and bring them there. */
static weir_status bring_records(struct spmv_part *part, struct recording *to, char *records,
                                 uint64_t bytes)
{
    const struct chunks *made = to->made;
    weir_status status = WEIR_OK;
    for (to->first = 0; to->first < made->count && !status; to->first += ROUND) {
        const uint64_t end = to->first + ROUND < made->count ? to->first + ROUND : made->count;
        const uint64_t at = (uint64_t)made->chunk[to->first].at * SPMV_UNIT;
        const uint64_t behind =
            end < made->count ? (uint64_t)made->chunk[end].at * SPMV_UNIT : bytes;
        status = weir__activity_for("writing nonzeros", "chunks", end - to->first, SHARE, 0,
                                    write_records, to);
        if (!status && behind > at)
            status = weir__upload(part->device, records + at, to->records, behind - at);
    }
    return status;
}

static weir_status make_records(const weir_product *product, struct spmv_part *part,
                                const struct spmv_rows *r, struct chunks *made,
                                struct weir__need *need, struct spmv_half *half)
{
    struct recording to = {
        .made = made,
        .rows = r,
        .value_bytes = product->value_bytes,
        .lanes =
            weir__device_is_gpu(part->device) && product->config.columns == 1 ? SPMV_GPU_LANES : 1};
    uint64_t bytes, most;
    char *records = NULL;
    weir_status status =
        weir__activity_for("looking at columns", "chunks", made->count, SHARE, 0, find_bases, &to);
    if (status)
        return status;
    bytes = place_records(made, product->value_bytes, &most, &half->near);
    if (bytes / SPMV_UNIT > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "a device would have %llu MiB of nonzeros, and chunks number them in 64 "
                          "GiB: take more devices",
                          (unsigned long long)(bytes >> 20));
    weir__need_take(need, most, 1);
    if ((status = weir__need_fits(need, "nonzeros on their way")) ||
        (status = weir__alloc(most, 1, "nonzeros on their way", &to.records)))
        return status;
    if (!(status = weir__spmv_take(part, "records of nonzeros", bytes / SPMV_UNIT, SPMV_UNIT,
                                   &records)) &&
        !weir__context_planned(product->context))
        status = bring_records(part, &to, records, bytes);
    half->args.records = records;
    free(to.records);
    return status;
}

static weir_status bring_chunks(const weir_product *product, struct spmv_part *part,
                                const struct spmv_rows *r, const struct chunks *made,
                                struct spmv_args *args)
{
    weir_status status;
    args->chunk_count = (uint32_t)made->count;
    if ((status = weir__spmv_bring(part, "chunks", made->chunk, made->count, sizeof *made->chunk,
                                   &args->chunks)) ||
        (status = weir__spmv_bring(part, "ends of rows", made->ends, r->rows, sizeof *made->ends,
                                   &args->ends)) ||
        (status = weir__spmv_bring(part, "long rows", made->longs, made->long_count,
                                   sizeof *made->longs, &args->longs)) ||
        (status = weir__spmv_bring(part, "rows of pieces", made->long_of, made->pieces,
                                   sizeof *made->long_of, &args->long_of)))
        return status;
    return weir__spmv_take(part, "sums of pieces", made->pieces * args->k, product->value_bytes,
                           &args->partials);
}

/* The records of equal chunks, whose columns lie anywhere in x. */
static weir_status sketch_records(const weir_product *product, struct spmv_part *part,
                                  const struct spmv_rows *r, const struct chunks *made,
                                  struct weir__need *need)
{
    const uint64_t each = made->count ? (r->sketched + made->count - 1) / made->count : 0;
    const uint64_t bytes =
        record_bytes((uint32_t)each, part->x_held <= SPMV_NEAR, product->value_bytes);
    char *records;
    weir__need_take(need, made->count < ROUND ? made->count : ROUND, bytes);
    return weir__spmv_take(part, "records of nonzeros", made->count * bytes / SPMV_UNIT, SPMV_UNIT,
                           &records);
}

static weir_status take_chunks(const struct spmv_rows *r, struct chunks *made)
{
    weir_status status;
    if ((status = weir__alloc(made->count, sizeof *made->chunk, "chunks", &made->chunk)) ||
        (status = weir__alloc(made->count, sizeof *made->first, "chunks", &made->first)) ||
        (status = weir__alloc(made->long_count, sizeof *made->longs, "long rows", &made->longs)) ||
        (status = weir__alloc(made->pieces, sizeof *made->long_of, "pieces", &made->long_of)) ||
        (status = weir__calloc(r->rows, sizeof *made->ends, "ends of rows", &made->ends)))
        return status;
    made->count = made->long_count = made->pieces = 0;
    cut(made, r);
    return WEIR_OK;
}

static weir_status place_chunks(const weir_product *product, struct spmv_part *part,
                                const struct spmv_rows *r, struct spmv_half *half)
{
    struct chunks made = {0};
    struct weir__need need = {0, 0};
    weir_status status;
    choose_sizes(product, part, r, &made);
    if (r->offsets)
        cut(&made, r);
    else
        guess(&made, r);
    if (made.count > UINT32_MAX - SPMV_ROWS || made.pieces > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "a device would have %llu pieces of rows",
                          (unsigned long long)made.count);
    weir__need_take(&need, made.count, sizeof *made.chunk + sizeof *made.first);
    weir__need_take(&need, made.long_count, sizeof *made.longs);
    weir__need_take(&need, made.pieces, sizeof *made.long_of);
    weir__need_take(&need, r->rows, sizeof *made.ends);
    if ((status = weir__need_fits(&need, "pieces of rows")))
        return status;
    if (!r->offsets)
        status = sketch_records(product, part, r, &made, &need);
    else if (!(status = take_chunks(r, &made)))
        status = make_records(product, part, r, &made, &need, half);
    if (!status)
        status = bring_chunks(product, part, r, &made, &half->args);
    weir__spmv_note(product, &need);
    free(made.chunk);
    free(made.first);
    free(made.longs);
    free(made.long_of);
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
    if (product->config.schedule == WEIR_PRODUCT_ROWS)
        return place_chunks(product, part, r, half);
    if ((status = weir__spmv_bring(part, "columns of nonzeros", r->indices, nonzeros,
                                   sizeof *r->indices, &args->indices)) ||
        (status = weir__spmv_bring(part, "values of nonzeros", r->values, nonzeros,
                                   product->value_bytes, &args->values)))
        return status;
    args->schedule = (uint32_t)product->config.schedule - WEIR_PRODUCT_THREAD;
    args->sharing = sharing[args->schedule];
    return place_tiles(product, part, r, args);
}
