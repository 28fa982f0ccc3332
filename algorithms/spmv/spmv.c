/** @file spmv.c  Products: rows, and columns, cut over devices; who wants what of others; what a device is given. */
#include "algorithms/spmv/spmv.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

/* ---- names ------------------------------------------------------------------------------------------- */

const char *weir_product_schedule_text(weir_product_schedule schedule)
{
    static const char *const names[] = {"auto", "rows",  "bins",  "thread",
                                        "warp", "block", "group", "merge"};
    return (unsigned)schedule < sizeof names / sizeof *names ? names[schedule] : NULL;
}

const char *weir_product_overlap_text(weir_product_overlap overlap)
{
    static const char *const names[] = {"auto", "on", "off"};
    return (unsigned)overlap < sizeof names / sizeof *names ? names[overlap] : NULL;
}

const char *weir_product_vector_text(weir_product_vector vector)
{
    static const char *const names[] = {"auto", "whole", "cut"};
    return (unsigned)vector < sizeof names / sizeof *names ? names[vector] : NULL;
}

/* ---- what is to be made -------------------------------------------------------------------------------- */

#define COLUMNS_MAX 4096
#define ROWS_CHUNK  (UINT64_C(1) << 12)

/* What needs several devices. */
static weir_status check_exchange(const weir_product_config *config, uint32_t devices)
{
    if (!weir_product_overlap_text(config->overlap))
        return weir__fail(WEIR_ERR_INVALID, "%d is no overlap: auto, on or off",
                          (int)config->overlap);
    if (!weir_product_vector_text(config->vector))
        return weir__fail(WEIR_ERR_INVALID, "%d is no way to keep x: auto, whole or cut",
                          (int)config->vector);
    if (devices > 1)
        return WEIR_OK;
    if (config->overlap == WEIR_OVERLAP_ON)
        return weir__fail(WEIR_ERR_INVALID,
                          "overlap on: one device has all of x, and nothing is exchanged");
    if (config->vector == WEIR_VECTOR_CUT)
        return weir__fail(WEIR_ERR_INVALID, "vector cut: one device has all of x");
    return WEIR_OK;
}

static weir_status check(weir_context *context, const weir_product_config *config)
{
    const uint32_t devices = weir_context_device_count(context);
    weir_status status;
    if (!weir_product_schedule_text(config->schedule))
        return weir__fail(WEIR_ERR_INVALID, "%d is no schedule of a product",
                          (int)config->schedule);
    if ((status = check_exchange(config, config->devices ? config->devices : devices)))
        return status;
    if (config->columns > COLUMNS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u columns of x: at most %d", config->columns,
                          COLUMNS_MAX);
    if (config->devices > devices)
        return weir__fail(WEIR_ERR_INVALID, "a product on %u devices, but there are %u",
                          config->devices, devices);
    if ((config->grid_rows || config->grid_columns) &&
        (uint64_t)config->grid_rows * config->grid_columns !=
            (config->devices ? config->devices : devices))
        return weir__fail(WEIR_ERR_INVALID, "a grid of %u x %u devices, but the product has %u",
                          config->grid_rows, config->grid_columns,
                          config->devices ? config->devices : devices);
    if (config->schedule == WEIR_PRODUCT_BINS && config->columns > 1)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "schedule bins is for one column of x, and there are %u",
                          config->columns);
    if (weir_context_simulated(context))
        return weir__fail(WEIR_ERR_UNSUPPORTED, "products do not run on simulated devices");
    return WEIR_OK;
}

static weir_status check_matrix(const weir_context *context, const weir_matrix *matrix)
{
    if (!weir__spmv_sketched(matrix) || weir__context_planned(context))
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "a product of a matrix without offsets");
}

static uint64_t share_at(uint64_t count, uint32_t part, uint32_t parts)
{
    return count / parts * part + count % parts * part / parts;
}

/* Rows of y that a device begins with: as many nonzeros each, and rows count as one. */
static uint64_t cut_at(const weir_matrix *matrix, uint32_t part, uint32_t parts)
{
    const uint64_t all = matrix->nonzeros + matrix->rows;
    const uint64_t goal = all / parts * part + all % parts * part / parts;
    uint64_t low = 0, high = matrix->rows;
    if (part == parts)
        return matrix->rows;
    if (weir__spmv_sketched(matrix))
        return share_at(matrix->rows, part, parts);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (matrix->offsets[middle] + middle < goal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows alone: a stretch of x is that of the rows, or an equal one where the matrix is not square. In two dimensions the devices of a column of the
 * grid have equal parts of its x, and those of a row of it equal parts of its y. */
static void cut_part(weir_product *product, const weir_matrix *matrix, uint32_t d)
{
    const uint32_t down = product->grid_rows, across = product->grid_columns;
    const uint32_t r = d / across, c = d % across;
    struct spmv_part *part = &product->part[d];
    part->device = weir_context_device(product->context, d);
    part->first = cut_at(matrix, r, down);
    part->rows = cut_at(matrix, r + 1, down) - part->first;
    part->column_first = share_at(matrix->columns, c, across);
    part->column_count = share_at(matrix->columns, c + 1, across) - part->column_first;
    part->x_first = part->column_first + share_at(part->column_count, r, down);
    part->x_rows = part->column_first + share_at(part->column_count, r + 1, down) - part->x_first;
    part->y_first = part->first + share_at(part->rows, c, across);
    part->y_rows = part->first + share_at(part->rows, c + 1, across) - part->y_first;
    if (across == 1 && matrix->rows == matrix->columns) {
        part->x_first = part->first;
        part->x_rows = part->rows;
    }
    part->x_held = matrix->columns;
    part->x_at = part->x_first;
}

/* ---- parts -------------------------------------------------------------------------------------------------- */

static struct spmv_rows rows_of(const weir_product *product, const weir_matrix *matrix,
                                const struct spmv_part *part)
{
    const char *values = matrix->f64 ? (const char *)matrix->f64 : (const char *)matrix->f32;
    struct spmv_rows rows = {.rows = part->rows};
    if (weir__spmv_sketched(matrix)) {
        rows.sketched =
            (uint64_t)((double)matrix->nonzeros * ((double)part->rows / (double)matrix->rows));
        return rows;
    }
    rows.offsets = matrix->offsets + part->first;
    /* There may be no nonzeros, and no arrays. */
    rows.indices = matrix->indices ? matrix->indices + rows.offsets[0] : NULL;
    rows.values = values ? values + rows.offsets[0] * product->value_bytes : NULL;
    return rows;
}

struct counting {
    const weir_matrix *matrix;
    struct spmv_part *part;
};

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct counting *c = user;
    uint64_t nonzeros = 0;
    for (uint64_t row = begin; row < end; row++) {
        const struct spmv_span span = weir__spmv_span(c->matrix, c->part, row);
        nonzeros += span.end - span.begin;
    }
    (void)__atomic_fetch_add(&c->part->nonzeros, nonzeros, __ATOMIC_RELAXED);
}

/* What a device multiplies: in two dimensions those in a row of the grid may have very different numbers of nonzeros. */
static weir_status count_part(const weir_product *product, const weir_matrix *matrix,
                              struct spmv_part *part)
{
    const struct spmv_rows rows = rows_of(product, matrix, part);
    struct counting counting = {matrix, part};
    part->nonzeros = 0;
    if (weir__spmv_sketched(matrix) || product->grid_columns == 1) {
        part->nonzeros = weir__spmv_count(&rows) / product->grid_columns;
        return WEIR_OK;
    }
    return weir__activity_for("counting nonzeros", "rows", part->rows, ROWS_CHUNK, 0, count_rows,
                              &counting);
}

static int has_wants(const weir_product *product, const struct spmv_part *part)
{
    for (uint32_t d = 0; d < product->parts; d++)
        if (part->want[d].count)
            return 1;
    return 0;
}

/* Whether any x is exchanged: not where each device has all columns that it multiplies. */
static int any_wants(const weir_product *product)
{
    for (uint32_t d = 0; d < product->parts; d++)
        if (has_wants(product, &product->part[d]))
            return 1;
    return 0;
}

/* Cleared memory of values. */
static weir_status take_values(const weir_product *product, struct spmv_part *part,
                               const char *what, uint64_t rows, void **values_out)
{
    const uint64_t count = rows * product->config.columns;
    const weir_status status = weir__spmv_take(part, what, count, product->value_bytes, values_out);
    return status ? status
                  : weir_queue_fill(part->queue, *values_out, 0, count * product->value_bytes);
}

static weir_status open_part(weir_product *product, struct spmv_part *part)
{
    weir_status status;
    if ((status = weir_queue_create(part->device, 0, &part->queue)) ||
        (status = weir_stamp_create(part->device, &part->start)) ||
        (status = weir_stamp_create(part->device, &part->stop)) ||
        (status = take_values(product, part, "x", part->x_held, &part->x)) ||
        (status = take_values(product, part, "y", part->y_rows, &part->y)))
        return status;
    part->sums = part->y;
    if (product->grid_columns > 1 &&
        ((status = take_values(product, part, "sums of columns", part->rows, &part->sums)) ||
         (status = weir_event_acquire(part->device, &part->done)) ||
         (status = weir_event_acquire(part->device, &part->whole))))
        return status;
    if (product->parts > 1 && ((status = weir_queue_create(part->device, 0, &part->fetch)) ||
                               (status = weir_event_acquire(part->device, &part->here))))
        return status;
    return weir_queue_sync(part->queue);
}

/* Whether the queue of a device can copy from another one: the two reach each other, and a host's queue copies between hosts alone. */
static int copies_from(weir_device *to, weir_device *from)
{
    weir_device_info a = WEIR_DEVICE_INFO_INIT, b = WEIR_DEVICE_INFO_INIT;
    return weir_device_reaches(from, to) && !weir_device_info_get(to, &a) &&
           !weir_device_info_get(from, &b) &&
           (a.kind != WEIR_DEVICE_HOST || b.kind == WEIR_DEVICE_HOST);
}

/* Where a device's queue cannot copy what comes, it goes by way of the host. */
static weir_status open_stage(const weir_product *product, uint32_t from,
                              const struct spmv_part *to, struct spmv_want *want)
{
    const uint64_t bytes = weir__spmv_row_bytes(product);
    weir_status status;
    if (!want->count || copies_from(to->device, product->part[from].device))
        return WEIR_OK;
    if ((status = weir_event_acquire(product->part[from].device, &want->staged)))
        return status;
    return weir_device_alloc(weir_context_home(product->context), want->count * bytes,
                             &want->stage);
}

/* What a part gets of others' sums: of the devices in its row of the grid, its stretch of y. */
static weir_status want_sums(weir_product *product, struct spmv_part *part)
{
    const uint64_t bytes = weir__spmv_row_bytes(product);
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && product->grid_columns > 1 && !status; d++) {
        struct spmv_want *back = &part->back[d];
        const struct spmv_part *from = &product->part[d];
        if (from == part || from->first != part->first || from->rows != part->rows || !part->y_rows)
            continue;
        back->begin = part->y_first - part->first;
        back->end = back->begin + part->y_rows;
        back->count = part->y_rows;
        product->exchanged += part->y_rows * bytes;
        status = take_values(product, part, "sums of another", part->y_rows, &back->place);
    }
    return status;
}

static weir_status open_stages(weir_product *product, struct spmv_part *part)
{
    weir_status status = want_sums(product, part);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        if (!(status = open_stage(product, d, part, &part->want[d])))
            status = open_stage(product, d, part, &part->back[d]);
    return status ? status : weir_queue_sync(part->queue);
}

static weir_status make_part(weir_product *product, const weir_matrix *matrix,
                             struct spmv_part *part)
{
    const struct spmv_rows rows = rows_of(product, matrix, part);
    weir_status status = open_part(product, part);
    if (status || (status = open_stages(product, part)))
        return status;
    const int bins = product->config.schedule == WEIR_PRODUCT_BINS;
    const int halves = product->overlap && !bins && has_wants(product, part);
    if (weir__spmv_sketched(matrix))
        return weir__spmv_split_sketch(product, part, part->nonzeros, halves);
    if (halves || product->grid_columns > 1 || part->keep.bits)
        return weir__spmv_split(product, matrix, part, !halves);
    if (bins)
        return weir__spmv_bins_place(product, part, &rows);
    return weir__spmv_place(product, part, &rows, &part->half[0]);
}

/* What a device packs for others. */
static uint64_t packed_bytes(const weir_product *product, uint32_t from)
{
    uint64_t rows = 0;
    for (uint32_t d = 0; d < product->parts; d++)
        if (product->part[d].want[from].listed)
            rows += product->part[d].want[from].count;
    return rows * (sizeof(uint32_t) + weir__spmv_row_bytes(product));
}

/* What a device has by row, beside nonzeros: where rows end, and chunks. */
static uint64_t rows_bytes(const weir_product *product, const struct spmv_part *part,
                           uint64_t nonzeros, int halves)
{
    const uint64_t full = nonzeros / SPMV_SHORT, few = part->rows / SPMV_ROWS;
    switch (product->config.schedule) {
    case WEIR_PRODUCT_BINS:
        return 0;
    case WEIR_PRODUCT_ROWS:
        return part->rows * sizeof(uint8_t) * (halves ? 2 : 1) +
               (full > few ? full : few) * sizeof(struct spmv_chunk);
    default:
        return part->rows * sizeof(uint32_t) * (halves ? 2 : 1);
    }
}

/* Rows of values of x and y, of its own sums and those of others. */
static uint64_t value_rows(const weir_product *product, const struct spmv_part *part)
{
    return part->x_held + part->rows +
           (product->grid_columns > 1 ? part->y_rows * product->grid_columns : 0);
}

uint32_t weir__spmv_lacks(const weir_product *product, int wants, uint64_t bytes[WEIR_DEVICES_MAX])
{
    const uint64_t value = product->value_bytes;
    for (uint32_t d = 0; d < product->parts; d++) {
        const struct spmv_part *part = &product->part[d];
        const double own = (double)part->nonzeros;
        const double slots =
            product->config.schedule == WEIR_PRODUCT_BINS
                ? own * weir__spmv_bins_fill(product, part, own) * (double)(4 + value + value + 1)
                : own * (double)(4 + value);
        const int halves =
            product->overlap && (wants ? has_wants(product, part) : product->grid_rows > 1);
        bytes[d] = value_rows(product, part) * weir__spmv_row_bytes(product) + (uint64_t)slots +
                   rows_bytes(product, part, part->nonzeros, halves) + packed_bytes(product, d);
    }
    return weir__pools_lack(product->context, bytes, product->parts);
}

/* What a device takes of bins depends on where its nonzeros lie, and in a band they are far fewer than by chance; in rows columns that lie near to each
 * other take half: so the same product is made on devices that only count. What cannot be made there will say so where it is made. */
static uint32_t lacks_as_placed(const weir_product *product, const weir_matrix *matrix,
                                uint64_t bytes[WEIR_DEVICES_MAX])
{
    struct weir__plan_device devices[WEIR_DEVICES_MAX];
    struct weir__sentence before = weir__fail_keep();
    weir_product_config config = product->config;
    weir_context *context = product->context, *planned;
    weir_product *again = NULL;
    config.transpose = 0; /* the matrix that is here has been turned */
    weir__plan_devices_of(context, devices);
    weir_status status = weir__context_plan(devices, weir_context_device_count(context),
                                            weir_context_config(context), context, &planned);
    if (!status) {
        if (!(status = weir_product_create(planned, matrix, &config, &again)))
            for (uint32_t d = 0; d < product->parts; d++) {
                weir_pool_stats stats = WEIR_POOL_STATS_INIT;
                (void)weir_device_pool_stats(weir_context_device(planned, d), &stats);
                bytes[d] = stats.used_bytes;
            }
        weir_product_destroy(again);
        weir_context_destroy(planned);
    }
    weir__fail_restore(&before);
    return status ? UINT32_MAX : weir__pools_lack(context, bytes, product->parts);
}

/* Refuse what does not fit before anything is taken; whoever plans says so by itself. */
static weir_status check_room(const weir_product *product, const weir_matrix *matrix)
{
    uint64_t bytes[WEIR_DEVICES_MAX];
    uint32_t lacks = weir__spmv_lacks(product, 1, bytes);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    struct weir__need need = {0, 0};
    if (weir__context_planned(product->context))
        return WEIR_OK;
    if (lacks != UINT32_MAX && product->config.schedule <= WEIR_PRODUCT_BINS)
        lacks = lacks_as_placed(product, matrix, bytes);
    for (uint32_t d = 0; d < product->parts; d++)
        weir__need_take_on(&need, product->part[d].device, bytes[d], 1);
    if (lacks == UINT32_MAX) /* pools of host devices may have more than the host has left */
        return weir__need_fits(&need, "a product of %s", matrix->name);
    weir_device_info_get(product->part[lacks].device, &info);
    return weir__fail(WEIR_ERR_NOMEM, "%s has no room for its part of %s, which is %llu MiB",
                      info.label, matrix->name, (unsigned long long)(bytes[lacks] >> 20));
}

/* All parts have bins, or none. */
static int bins_pay(const weir_product *product, const weir_matrix *matrix)
{
    int pay = product->config.columns == 1;
    for (uint32_t d = 0; d < product->parts && pay; d++) {
        const struct spmv_rows rows = rows_of(product, matrix, &product->part[d]);
        pay = weir__spmv_bins_pay(product, &product->part[d], &rows);
    }
    return pay;
}

static weir_status make_all(weir_product *product, const weir_matrix *matrix)
{
    const struct weir__need nothing = {0, 0};
    weir_status status = WEIR_OK;
    product->y_rows = matrix->rows;
    product->x_rows = matrix->columns;
    product->nonzeros = matrix->nonzeros;
    for (uint32_t d = 0; d < product->parts; d++)
        cut_part(product, matrix, d);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = count_part(product, matrix, &product->part[d]);
    if (status)
        return status;
    if (product->config.schedule == WEIR_PRODUCT_AUTO)
        product->config.schedule =
            bins_pay(product, matrix) ? WEIR_PRODUCT_BINS : WEIR_PRODUCT_ROWS;
    status = weir__spmv_want(product, matrix);
    product->overlap = product->overlap && any_wants(product);
    if (!status)
        status = check_room(product, matrix);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = make_part(product, matrix, &product->part[d]);
    if (!status)
        status = weir__spmv_lists(product, matrix);
    weir__spmv_note(product, &nothing);
    weir__spmv_keep_free(product);
    return status;
}

static weir_status make_turned(weir_product *product, const weir_matrix *matrix)
{
    weir_matrix *turned;
    weir__need_take(&product->placing, matrix->columns + 1, sizeof(uint64_t));
    weir__need_take(&product->placing, matrix->nonzeros, sizeof(uint32_t) + product->value_bytes);
    if (weir__spmv_sketched(matrix)) {
        weir_matrix other = *matrix;
        other.rows = matrix->columns;
        other.columns = matrix->rows;
        return make_all(product, &other);
    }
    weir_status status = weir_matrix_transposed(matrix, &turned);
    if (!status)
        status = make_all(product, turned);
    if (!status || turned)
        weir_matrix_destroy(turned);
    return status;
}

weir_status weir_product_create(weir_context *context, const weir_matrix *matrix,
                                const weir_product_config *config, weir_product **product_out)
{
    weir_product_config known = WEIR_PRODUCT_CONFIG_INIT;
    struct weir__activity outer;
    weir_product *product;
    weir_status status;
    if (product_out)
        *product_out = NULL;
    if (!context || !matrix || !product_out)
        return weir__missing("weir_product_create", !context  ? "context"
                                                    : !matrix ? "matrix"
                                                              : "product_out");
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_product_config")) ||
        (status = check(context, &known)) || (status = check_matrix(context, matrix)) ||
        (status = weir__calloc(1, sizeof *product, "a product", &product)))
        return status;
    if (!known.columns)
        known.columns = 1;
    weir__context_retain(context);
    product->context = context;
    product->config = known;
    product->kind = matrix->kind;
    product->wide = matrix->kind == WEIR_VALUE_F64;
    product->value_bytes = product->wide ? sizeof(double) : sizeof(float);
    product->parts = known.devices ? known.devices : weir_context_device_count(context);
    product->grid_rows = known.grid_rows ? known.grid_rows : product->parts;
    product->grid_columns = known.grid_columns ? known.grid_columns : 1;
    product->overlap = known.overlap != WEIR_OVERLAP_OFF && product->parts > 1;
    weir__activity_begin(&outer, "placing a matrix", NULL, 0);
    status = weir__activity_end(&outer, known.transpose ? make_turned(product, matrix)
                                                        : make_all(product, matrix));
    if (status) {
        weir_product_destroy(product);
        return status;
    }
    *product_out = product;
    return WEIR_OK;
}

static void close_part(weir_product *product, struct spmv_part *part)
{
    weir_queue_destroy(part->fetch);
    weir_queue_destroy(part->queue);
    weir_stamp_destroy(part->start);
    weir_stamp_destroy(part->stop);
    weir_event_release(part->here);
    weir_event_release(part->done);
    weir_event_release(part->whole);
    weir_event_release(part->packing.done);
    for (uint32_t d = 0; d < product->parts; d++) {
        weir_event_release(part->want[d].staged);
        weir_event_release(part->back[d].staged);
        weir_device_free(weir_context_home(product->context), part->want[d].stage);
        weir_device_free(weir_context_home(product->context), part->back[d].stage);
    }
    for (uint32_t i = 0; i < part->taken_count; i++)
        weir_device_free(part->device, part->taken[i]);
}

void weir_product_destroy(weir_product *product)
{
    if (!product)
        return;
    for (uint32_t d = 0; d < product->parts; d++) /* all of x is at rest before any of it goes */
        weir_queue_destroy(product->part[d].fetch), product->part[d].fetch = NULL;
    for (uint32_t d = 0; d < product->parts; d++)
        close_part(product, &product->part[d]);
    weir__context_release(product->context);
    free(product);
}
