/** @file spmv_bins.c  Nonzeros in tiles, where stretches of columns meet bins of rows: whether they pay, how they are dealt, runs.
 *
 * Where rows reach all over an x that outgrows the caches, a nonzero costs a read at random, which moves 32 bytes or more for 4. In bins it costs 16
 * that are read and written in order: what is at random stays in the memory of a block (Beamer, Asanovic and Patterson, IPDPS 2017; algorithms/pr
 * has the same for shares). */
#include "algorithms/spmv/spmv.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROOM = 96 << 10,   /* bytes of a stretch's x, or of a bin's sums, on a GPU */
    BLOCKS_EACH = 2,   /* that share a multiprocessor */
    LEAST = 256,       /* columns of a stretch, rows of a bin */
    HOST_WIDTH = 4096, /* columns of a stretch of a host device */
    UNIT_LEAST = 8192, /* octets that are worth a block of their own */
    SAMPLES = 32,      /* stretches of nonzeros that are looked at */
    SAMPLE = 8192,     /* nonzeros of each */
    SECTOR = 32,       /* bytes that a GPU moves for a read */
    OF_ALL = 1 << 23   /* nonzeros below which two kernels cost more than they save */
};
/* Times as many bytes as bins that reads at random must cost: much of x that is not larger than the second-level cache is found there. On an H200
 * rows won at 1.56 (a dense row among random ones), and bins at 1.88 and above. */
#define PAY 1.7

/* ---- whether they pay ------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sectors of x that the nonzeros from `first` on read, each once. */
static uint64_t distinct(const uint32_t *indices, uint64_t first, uint32_t each, uint32_t *room)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < SAMPLE; i++)
        room[i] = indices[first + i] / each;
    qsort(room, SAMPLE, sizeof *room, by_number);
    for (uint32_t i = 0; i < SAMPLE; i++)
        found += !i || room[i] != room[i - 1];
    return found;
}

struct dealing {
    const weir_product *product;
    const struct spmv_rows *rows;
    uint32_t width, height;
    uint64_t stretches, bins, octets;
    uint32_t *count;      /* by bin and stretch: nonzeros; then those that were put there */
    uint32_t *by_bin;     /* by bin and stretch: first octet among those by bin */
    uint32_t *by_stretch; /* by bin and stretch: the same by stretch */
    uint64_t *bin_begin, *stretch_begin; /* octets */
    uint16_t *columns, *places;
    char *values;
    uint32_t *to;
};

/* As many stretches, and bins, as blocks have two each of, but none larger than a block has room for. */
static void choose_sizes(const weir_product *product, const struct spmv_part *part, uint64_t rows,
                         struct dealing *d)
{
    const uint64_t value = product->value_bytes, columns = part->x_held;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    uint64_t width = HOST_WIDTH, height = SPMV_HOST_BIN, blocks;
    weir_device_info_get(part->device, &info);
    blocks = info.units;
    if (weir__device_is_gpu(part->device)) {
        uint64_t room = (info.block_bytes - 2048) / BLOCKS_EACH;
        room = room < ROOM ? room : ROOM;
        width = height = room / value / 64 * 64;
        blocks *= BLOCKS_EACH;
    }
    blocks = 2 * blocks + !blocks;
    const uint64_t wide = (columns / blocks + 64) / 64 * 64, high = (rows / blocks + 64) / 64 * 64;
    width = wide < width ? wide : width;
    height = high < height ? high : height;
    d->width = (uint32_t)(width > LEAST ? width : LEAST);
    d->height = (uint32_t)(height > LEAST ? height : LEAST);
    d->stretches = (columns + d->width - 1) / d->width;
    d->bins = (rows + d->height - 1) / d->height;
}

double weir__spmv_bins_fill(const weir_product *product, const struct spmv_part *part,
                            double nonzeros)
{
    struct dealing d = {.product = product};
    choose_sizes(product, part, part->rows, &d);
    /* The last octet of a tile has half of its places free, one nonzero in it at the least. */
    const double free_places = (SPMV_OCTET - 1) / 2.0;
    return nonzeros < 1 ? 1 : 1 + free_places * (double)d.stretches * (double)d.bins / nonzeros;
}

/* Octets are numbered in 32 bits. Each tile has an octet that is not full at the most, and each nonzero is of one tile. */
static int may_be_too_many(const weir_product *product, const struct spmv_part *part)
{
    struct dealing d = {.product = product};
    choose_sizes(product, part, part->rows, &d);
    const double own = (double)part->nonzeros;
    const double tiles = (double)d.stretches * (double)d.bins;
    return own / SPMV_OCTET + (own < tiles ? own : tiles) > (double)UINT32_MAX;
}

/* Bytes a nonzero, each way: a sector for each read that finds nothing near it, against what bins move, with the places
 * of octets that stay free, and 24 bytes a row. */
int weir__spmv_bins_pay(const weir_product *product, const struct spmv_part *part,
                        const struct spmv_rows *rows)
{
    const uint64_t nonzeros = weir__spmv_count(rows);
    const double value = (double)product->value_bytes;
    const double own = (double)part->nonzeros;
    uint32_t *room = NULL;
    uint64_t found = 0;
    if (!weir__device_is_gpu(part->device) || own < OF_ALL || may_be_too_many(product, part))
        return 0;
    if (weir__alloc(SAMPLE, sizeof *room, "a sample", &room))
        return 0;
    if (!rows->indices) /* as if at random */
        found = SAMPLES * SAMPLE;
    for (uint32_t i = 0; i < SAMPLES && rows->indices; i++)
        found += distinct(rows->indices, (nonzeros - SAMPLE) / SAMPLES * i,
                          SECTOR / (uint32_t)product->value_bytes, room);
    free(room);
    const double reads = (double)found / (SAMPLES * SAMPLE);
    const double as_rows = 4 + value + SECTOR * reads;
    const double as_bins = weir__spmv_bins_fill(product, part, own) * (4.5 + 3 * value) +
                           24 * (double)rows->rows / own;
    return as_bins * PAY < as_rows;
}

#define TOO_MANY                                                                                   \
    "bins of a device would have %.0f octets of nonzeros, and number them in 32 bits: take rows, " \
    "or more devices"

/* ---- tiles -------------------------------------------------------------------------------------------------- */

static uint32_t octets_of(uint32_t count)
{
    return (count + SPMV_OCTET - 1) / SPMV_OCTET;
}

static void count_bins(void *user, uint64_t begin, uint64_t end)
{
    const struct dealing *d = user;
    for (uint64_t bin = begin; bin < end; bin++) {
        uint32_t *count = d->count + bin * d->stretches;
        const uint64_t last =
            (bin + 1) * d->height < d->rows->rows ? (bin + 1) * d->height : d->rows->rows;
        const uint64_t from = d->rows->offsets[bin * d->height] - d->rows->offsets[0];
        const uint64_t until = d->rows->offsets[last] - d->rows->offsets[0];
        for (uint64_t i = from; i < until; i++)
            count[d->rows->indices[i] / d->width]++;
    }
}

/* Where each tile lies, both ways. */
static weir_status number_tiles(struct dealing *d)
{
    uint64_t at = 0;
    for (uint64_t bin = 0; bin < d->bins; bin++) {
        d->bin_begin[bin] = at;
        for (uint64_t s = 0; s < d->stretches; s++) {
            d->by_bin[bin * d->stretches + s] = (uint32_t)at;
            at += octets_of(d->count[bin * d->stretches + s]);
        }
    }
    d->bin_begin[d->bins] = d->octets = at;
    if (at > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, TOO_MANY, (double)at);
    at = 0;
    for (uint64_t s = 0; s < d->stretches; s++) {
        d->stretch_begin[s] = at;
        for (uint64_t bin = 0; bin < d->bins; bin++) {
            d->by_stretch[bin * d->stretches + s] = (uint32_t)at;
            at += octets_of(d->count[bin * d->stretches + s]);
        }
    }
    d->stretch_begin[d->stretches] = at;
    memset(d->count, 0, d->bins * d->stretches * sizeof *d->count);
    return WEIR_OK;
}

static void put_nonzero(const struct dealing *d, uint64_t tile, uint32_t place, uint64_t i)
{
    const size_t bytes = d->product->value_bytes;
    const uint32_t column = d->rows->indices[i], n = d->count[tile]++;
    const uint64_t at = (uint64_t)d->by_stretch[tile] * SPMV_OCTET + n;
    d->columns[at] = (uint16_t)(column % d->width);
    memcpy(d->values + at * bytes, (const char *)d->rows->values + i * bytes, bytes);
    d->places[(uint64_t)d->by_bin[tile] * SPMV_OCTET + n] = (uint16_t)place;
}

/* Fill a tile's last octet up, and say where its octets go. */
static void end_tile(const struct dealing *d, uint64_t tile)
{
    const size_t bytes = d->product->value_bytes;
    const uint32_t octets = octets_of(d->count[tile]);
    for (uint32_t o = 0; o < octets; o++)
        d->to[d->by_stretch[tile] + o] = d->by_bin[tile] + o;
    for (uint32_t n = d->count[tile]; n < octets * SPMV_OCTET; n++) {
        const uint64_t at = (uint64_t)d->by_stretch[tile] * SPMV_OCTET + n;
        d->columns[at] = 0;
        memset(d->values + at * bytes, 0, bytes);
        d->places[(uint64_t)d->by_bin[tile] * SPMV_OCTET + n] = SPMV_FILLER;
    }
}

static void deal_bins(void *user, uint64_t begin, uint64_t end)
{
    const struct dealing *d = user;
    for (uint64_t bin = begin; bin < end; bin++) {
        const uint64_t first = bin * d->height, tiles = bin * d->stretches;
        const uint64_t last = first + d->height < d->rows->rows ? first + d->height : d->rows->rows;
        for (uint64_t row = first; row < last; row++)
            for (uint64_t i = d->rows->offsets[row]; i < d->rows->offsets[row + 1]; i++) {
                const uint64_t at = i - d->rows->offsets[0];
                put_nonzero(d, tiles + d->rows->indices[at] / d->width, (uint32_t)(row - first),
                            at);
            }
        for (uint64_t s = 0; s < d->stretches; s++)
            end_tile(d, tiles + s);
    }
}

static void deal_free(struct dealing *d)
{
    free(d->count);
    free(d->by_bin);
    free(d->by_stretch);
    free(d->bin_begin);
    free(d->stretch_begin);
    free(d->columns);
    free(d->places);
    free(d->values);
    free(d->to);
}

static void need_tiles(const struct dealing *d, struct weir__need *need)
{
    weir__need_take(need, d->stretches * d->bins, 3 * sizeof(uint32_t));
}

static void need_nonzeros(const struct dealing *d, struct weir__need *need)
{
    weir__need_take(need, d->octets * SPMV_OCTET, 4 + d->product->value_bytes);
    weir__need_take(need, d->octets, sizeof *d->to);
}

static weir_status take_tiles(struct dealing *d)
{
    const uint64_t tiles = d->stretches * d->bins;
    struct weir__need need = {0, 0};
    weir_status status;
    need_tiles(d, &need);
    if ((status = weir__need_fits(&need, "%llu tiles of a matrix", (unsigned long long)tiles)) ||
        (status = weir__calloc(tiles, sizeof *d->count, "counts of tiles", &d->count)) ||
        (status = weir__alloc(tiles, sizeof *d->by_bin, "tiles by bin", &d->by_bin)) ||
        (status = weir__alloc(tiles, sizeof *d->by_stretch, "tiles by stretch", &d->by_stretch)) ||
        (status = weir__alloc(d->bins + 1, sizeof *d->bin_begin, "bins", &d->bin_begin)))
        return status;
    return weir__alloc(d->stretches + 1, sizeof *d->stretch_begin, "stretches", &d->stretch_begin);
}

static weir_status take_nonzeros(struct dealing *d)
{
    const uint64_t slots = d->octets * SPMV_OCTET;
    struct weir__need need = {0, 0};
    weir_status status;
    need_nonzeros(d, &need);
    if ((status = weir__need_fits(&need, "nonzeros in bins")) ||
        (status = weir__alloc(slots, sizeof *d->columns, "columns in bins", &d->columns)) ||
        (status = weir__alloc(slots, sizeof *d->places, "rows in bins", &d->places)) ||
        (status = weir__alloc(slots, d->product->value_bytes, "values in bins", &d->values)))
        return status;
    return weir__alloc(d->octets, sizeof *d->to, "places of octets", &d->to);
}

/* ---- units ---------------------------------------------------------------------------------------------------- */

/* The longest first, since the last one to end is waited for. */
static int by_length(const void *a, const void *b)
{
    const struct spmv_unit *x = a, *y = b;
    const uint64_t m = x->end - x->begin, n = y->end - y->begin;
    return m != n ? (m < n) - (m > n) : (x->begin > y->begin) - (x->begin < y->begin);
}

/* Cut blocks of octets into units of at most `most`. @param[out] units  NULL: they are only counted. @return how many. */
static uint64_t cut_units(const uint64_t *begin, uint64_t blocks, uint64_t most, int empty,
                          struct spmv_unit *units)
{
    uint64_t count = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        const uint64_t length = begin[block + 1] - begin[block];
        uint64_t pieces = (length + most - 1) / most;
        if (!pieces && empty)
            pieces = 1;
        for (uint64_t i = 0; i < pieces; i++, count++)
            if (units)
                units[count] = (struct spmv_unit){(uint32_t)block, pieces == 1,
                                                  begin[block] + length * i / pieces,
                                                  begin[block] + length * (i + 1) / pieces};
    }
    return count;
}

static weir_status make_units(const uint64_t *begin, uint64_t blocks, uint64_t most, int empty,
                              struct spmv_unit **units_out, uint64_t *count_out)
{
    *count_out = cut_units(begin, blocks, most, empty, NULL);
    weir_status status = weir__alloc(*count_out, sizeof **units_out, "units", units_out);
    if (!status)
        cut_units(begin, blocks, most, empty, *units_out);
    return status;
}

/* Units whose x is the device's own come first. @return how many they are. */
static uint64_t own_first(const struct dealing *d, const struct spmv_part *part,
                          struct spmv_unit *units, uint64_t count)
{
    uint64_t own = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t begin = (uint64_t)units[i].block * d->width;
        const uint64_t end = begin + d->width < part->x_held ? begin + d->width : part->x_held;
        if (begin < part->x_at || end > part->x_at + part->x_rows)
            continue;
        const struct spmv_unit unit = units[own];
        units[own++] = units[i];
        units[i] = unit;
    }
    qsort(units, own, sizeof *units, by_length);
    qsort(units + own, count - own, sizeof *units, by_length);
    return own;
}

static weir_status bring_units(const struct dealing *d, struct spmv_part *part)
{
    struct spmv_bins *bins = &part->bins;
    struct spmv_unit *spread = NULL, *collect = NULL;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    uint64_t spreads = 0, collects = 0;
    weir_device_info_get(part->device, &info);
    const uint64_t blocks = (uint64_t)(info.units ? info.units : 1) * BLOCKS_EACH;
    const uint64_t each = d->octets / blocks > UNIT_LEAST ? d->octets / blocks : UNIT_LEAST;
    /* A stretch is cut for nothing but the time of its x; a bin for atomics on all of its rows. */
    weir_status status = make_units(d->stretch_begin, d->stretches, each / 2, 0, &spread, &spreads);
    if (!status)
        status = make_units(d->bin_begin, d->bins, each, 1, &collect, &collects);
    if (!status) {
        bins->own_count = (uint32_t)own_first(d, part, spread, spreads);
        qsort(collect, collects, sizeof *collect, by_length);
        for (uint64_t i = 0; i < collects; i++)
            bins->args.add |= !collect[i].own;
        bins->spread_count = (uint32_t)spreads;
        bins->collect_count = (uint32_t)collects;
        status = weir__spmv_bring(part, "units of stretches", spread, spreads, sizeof *spread,
                                  &bins->spread);
    }
    if (!status)
        status = weir__spmv_bring(part, "units of bins", collect, collects, sizeof *collect,
                                  &bins->collect);
    free(spread);
    free(collect);
    return status;
}

/* ---- on the device ---------------------------------------------------------------------------------------------- */

static weir_status bring(const struct dealing *d, struct spmv_part *part)
{
    struct spmv_bins_args *args = &part->bins.args;
    const uint64_t slots = d->octets * SPMV_OCTET;
    weir_status status;
    *args = (struct spmv_bins_args){.width = d->width,
                                    .height = d->height,
                                    .x = part->x,
                                    .y = part->sums,
                                    .x_rows = part->x_held,
                                    .rows = (uint32_t)part->rows};
    if ((status = weir__spmv_bring(part, "columns in bins", d->columns, slots, sizeof *d->columns,
                                   &args->columns)) ||
        (status = weir__spmv_bring(part, "values in bins", d->values, slots,
                                   d->product->value_bytes, &args->values)) ||
        (status = weir__spmv_bring(part, "rows in bins", d->places, slots, sizeof *d->places,
                                   &args->places)) ||
        (status = weir__spmv_bring(part, "places of octets", d->to, d->octets, sizeof *d->to,
                                   &args->to)) ||
        (status =
             weir__spmv_take(part, "products", slots, d->product->value_bytes, &args->products)))
        return status;
    return bring_units(d, part);
}

/* Octets of a tile into which nonzeros fall by chance (Poisson), `mean` of them. */
static double octets_by_chance(double mean)
{
    double exactly = exp(-mean), octets = 0;
    if (mean > 64)
        return mean / SPMV_OCTET + (SPMV_OCTET - 1) / 2.0 / SPMV_OCTET;
    for (uint32_t count = 1; count < 256; count++) {
        exactly *= mean / count;
        octets += exactly * octets_of(count);
    }
    return octets;
}

/* Tiles of a matrix of which only sizes are known: all alike. */
static weir_status sketch_tiles(struct dealing *d)
{
    const double tiles = (double)d->stretches * (double)d->bins;
    const double octets =
        tiles > 0 ? tiles * octets_by_chance((double)d->rows->sketched / tiles) : 0;
    weir_status status;
    if (octets > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED, TOO_MANY, octets);
    d->octets = (uint64_t)octets;
    if ((status = weir__alloc(d->bins + 1, sizeof *d->bin_begin, "bins", &d->bin_begin)) ||
        (status = weir__alloc(d->stretches + 1, sizeof *d->stretch_begin, "stretches",
                              &d->stretch_begin)))
        return status;
    for (uint64_t bin = 0; bin <= d->bins; bin++)
        d->bin_begin[bin] = d->octets * bin / d->bins;
    for (uint64_t s = 0; s <= d->stretches; s++)
        d->stretch_begin[s] = d->stretches ? d->octets * s / d->stretches : 0;
    return WEIR_OK;
}

weir_status weir__spmv_bins_place(weir_product *product, struct spmv_part *part,
                                  const struct spmv_rows *rows)
{
    struct dealing d = {.product = product, .rows = rows};
    struct weir__need need = {0, 0};
    weir_status status;
    if (!rows->rows)
        return WEIR_OK;
    choose_sizes(product, part, rows->rows, &d);
    if (!rows->offsets) {
        if (!(status = sketch_tiles(&d)))
            status = bring(&d, part);
    } else if (!(status = take_tiles(&d)) &&
               !(status =
                     weir__activity_for("counting tiles", "bins", d.bins, 1, 0, count_bins, &d)) &&
               !(status = number_tiles(&d)) && !(status = take_nonzeros(&d)) &&
               !(status = weir__activity_for("dealing tiles", "bins", d.bins, 1, 0, deal_bins, &d)))
        status = bring(&d, part);
    need_tiles(&d, &need);
    need_nonzeros(&d, &need);
    weir__spmv_note(product, &need);
    deal_free(&d);
    return status;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static weir_status spread(const weir_product *product, struct spmv_part *part, uint32_t from,
                          uint32_t end)
{
    struct spmv_bins_args args = part->bins.args;
    args.units = part->bins.spread + from;
    args.unit_count = end - from;
    return from == end ? WEIR_OK
                       : weir_queue_launch(part->queue, &weir__spmv_spread[product->wide], &args,
                                           sizeof args);
}

weir_status weir__spmv_bins_run(weir_product *product, struct spmv_part *part, double alpha,
                                double beta)
{
    const struct spmv_bins *bins = &part->bins;
    struct spmv_bins_args args = bins->args;
    const struct spmv_args scaling = {
        .y = part->sums, .beta = beta, .rows = (uint32_t)part->rows, .k = 1};
    weir_status status = WEIR_OK;
    if (args.add && beta != 1)
        status = weir_queue_launch(part->queue, &weir__spmv_scale[product->wide], &scaling,
                                   sizeof scaling);
    if (!status && part->here && !product->overlap)
        status = weir_queue_wait_event(part->queue, part->here);
    if (!status)
        status = spread(product, part, 0, bins->own_count);
    if (!status && part->here && product->overlap)
        status = weir_queue_wait_event(part->queue, part->here);
    if (!status)
        status = spread(product, part, bins->own_count, bins->spread_count);
    if (status)
        return status;
    args.units = bins->collect;
    args.unit_count = bins->collect_count;
    args.alpha = alpha;
    args.beta = beta;
    return weir_queue_launch(part->queue, &weir__spmv_collect[product->wide], &args, sizeof args);
}
