/** @file spmv.c  Products: rows cut over devices, x brought to who needs it, runs. */
#include "algorithms/spmv/spmv.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_CHUNK (UINT64_C(1) << 12)

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

/* ---- what is to be made -------------------------------------------------------------------------------- */

#define COLUMNS_MAX 4096

static weir_status check(weir_context *context, const weir_product_config *config)
{
    const uint32_t devices = weir_context_device_count(context);
    if (!weir_product_schedule_text(config->schedule))
        return weir__fail(WEIR_ERR_INVALID, "%d is no schedule of a product",
                          (int)config->schedule);
    if (!weir_product_overlap_text(config->overlap))
        return weir__fail(WEIR_ERR_INVALID, "%d is no overlap: auto, on or off",
                          (int)config->overlap);
    if (config->columns > COLUMNS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u columns of x: at most %d", config->columns,
                          COLUMNS_MAX);
    if (config->devices > devices)
        return weir__fail(WEIR_ERR_INVALID, "a product on %u devices, but there are %u",
                          config->devices, devices);
    if (config->schedule == WEIR_PRODUCT_BINS && config->columns > 1)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "schedule bins is for one column of x, and there are %u",
                          config->columns);
    if (weir_context_simulated(context))
        return weir__fail(WEIR_ERR_UNSUPPORTED, "products do not run on simulated devices");
    return WEIR_OK;
}

/* Rows of y that a device begins with: as many nonzeros each, and rows count as one. */
static uint64_t cut_at(const weir_matrix *matrix, uint32_t part, uint32_t parts)
{
    const uint64_t all = matrix->nonzeros + matrix->rows;
    const uint64_t goal = all / parts * part + all % parts * part / parts;
    uint64_t low = 0, high = matrix->rows;
    if (part == parts)
        return matrix->rows;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (matrix->offsets[middle] + middle < goal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void cut_all(weir_product *product, const weir_matrix *matrix)
{
    for (uint32_t d = 0; d < product->parts; d++) {
        struct spmv_part *part = &product->part[d];
        part->device = weir_context_device(product->context, d);
        part->first = cut_at(matrix, d, product->parts);
        part->rows = cut_at(matrix, d + 1, product->parts) - part->first;
        part->x_first = part->first;
        part->x_rows = part->rows;
        if (matrix->rows != matrix->columns) {
            part->x_first = matrix->columns * d / product->parts;
            part->x_rows = matrix->columns * (d + 1) / product->parts - part->x_first;
        }
    }
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* The first nonzero of a row, from `begin` to `end`, whose column is not below `column`. */
static uint64_t first_at(const uint32_t *indices, uint64_t begin, uint64_t end, uint64_t column)
{
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (indices[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

struct wanting {
    const weir_product *product;
    const weir_matrix *matrix;
    struct spmv_part *part;
};

static void least(uint64_t *word, uint64_t value)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (value < old &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void most(uint64_t *word, uint64_t value)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (value > old &&
           !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* What rows begin to end - 1 of a part want of every other device's x: the stretch from the first to the last. */
static void want_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct wanting *w = user;
    const weir_matrix *m = w->matrix;
    for (uint32_t d = 0; d < w->product->parts; d++) {
        const struct spmv_part *from = &w->product->part[d];
        uint64_t low = UINT64_MAX, high = 0;
        if (from == w->part || !from->x_rows)
            continue;
        for (uint64_t row = w->part->first + begin; row < w->part->first + end; row++) {
            const uint64_t a =
                first_at(m->indices, m->offsets[row], m->offsets[row + 1], from->x_first);
            const uint64_t b =
                first_at(m->indices, a, m->offsets[row + 1], from->x_first + from->x_rows);
            if (a == b)
                continue;
            low = m->indices[a] < low ? m->indices[a] : low;
            high = m->indices[b - 1] + UINT64_C(1) > high ? m->indices[b - 1] + UINT64_C(1) : high;
        }
        if (low < high) {
            least(&w->part->want[d].begin, low);
            most(&w->part->want[d].end, high);
        }
    }
}

static weir_status want_all(weir_product *product, const weir_matrix *matrix,
                            struct spmv_part *part)
{
    struct wanting w = {product, matrix, part};
    weir_status status;
    for (uint32_t d = 0; d < product->parts; d++)
        part->want[d] = (struct spmv_want){.begin = UINT64_MAX};
    if (product->parts == 1)
        return WEIR_OK;
    status =
        weir__activity_for("finding columns", "rows", part->rows, ROWS_CHUNK, 0, want_rows, &w);
    for (uint32_t d = 0; d < product->parts; d++)
        if (part->want[d].end > part->want[d].begin)
            product->exchanged += (part->want[d].end - part->want[d].begin) *
                                  product->config.columns * product->value_bytes;
    return status;
}

/* ---- two halves ------------------------------------------------------------------------------------------ */

/* Rows of a part whose columns are the device's own, and the same rows without those. */
struct splitting {
    const weir_product *product;
    const weir_matrix *matrix;
    const struct spmv_part *part;
    uint64_t *offsets[2];
    uint32_t *indices[2];
    char *values[2];
};

static void own_of(const struct splitting *s, uint64_t row, uint64_t *begin, uint64_t *end)
{
    const weir_matrix *m = s->matrix;
    const uint64_t last = m->offsets[s->part->first + row + 1];
    *begin = first_at(m->indices, m->offsets[s->part->first + row], last, s->part->x_first);
    *end = first_at(m->indices, *begin, last, s->part->x_first + s->part->x_rows);
}

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct splitting *s = user;
    const uint64_t *offsets = s->matrix->offsets + s->part->first;
    for (uint64_t row = begin; row < end; row++) {
        uint64_t a, b;
        own_of(s, row, &a, &b);
        s->offsets[0][row + 1] = b - a;
        s->offsets[1][row + 1] = offsets[row + 1] - offsets[row] - (b - a);
    }
}

static void copy_range(const struct splitting *s, int half, uint64_t to, uint64_t begin,
                       uint64_t end)
{
    const size_t bytes = s->product->value_bytes;
    const char *values =
        s->matrix->f64 ? (const char *)s->matrix->f64 : (const char *)s->matrix->f32;
    if (begin == end) /* there may be no arrays */
        return;
    memcpy(s->indices[half] + to, s->matrix->indices + begin, (end - begin) * sizeof(uint32_t));
    memcpy(s->values[half] + to * bytes, values + begin * bytes, (end - begin) * bytes);
}

static void copy_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct splitting *s = user;
    const uint64_t *offsets = s->matrix->offsets + s->part->first;
    for (uint64_t row = begin; row < end; row++) {
        uint64_t a, b;
        own_of(s, row, &a, &b);
        copy_range(s, 0, s->offsets[0][row], a, b);
        copy_range(s, 1, s->offsets[1][row], offsets[row], a);
        copy_range(s, 1, s->offsets[1][row] + a - offsets[row], b, offsets[row + 1]);
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

static weir_status place_split(weir_product *product, const weir_matrix *matrix,
                               struct spmv_part *part)
{
    const uint64_t *offsets = matrix->offsets + part->first;
    struct splitting s = {product, matrix, part, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, part->rows + 1, 2 * sizeof(uint64_t));
    weir__need_take(&need, offsets[part->rows] - offsets[0],
                    sizeof(uint32_t) + product->value_bytes);
    if (!(status = weir__need_fits(&need, "the columns of a device and the others of %s",
                                   matrix->name)) &&
        !(status =
              weir__calloc(part->rows + 1, sizeof(uint64_t), "offsets of a half", &s.offsets[0])) &&
        !(status =
              weir__calloc(part->rows + 1, sizeof(uint64_t), "offsets of a half", &s.offsets[1])))
        status = split_rows(&s);
    for (int half = 0; half < 2 && !status; half++) {
        const struct spmv_rows rows = {part->rows, s.offsets[half], s.indices[half], s.values[half],
                                       half};
        status = weir__spmv_place(product, part, &rows, &part->half[half]);
    }
    for (int half = 0; half < 2; half++) {
        free(s.offsets[half]);
        free(s.indices[half]);
        free(s.values[half]);
    }
    return status;
}

/* ---- parts -------------------------------------------------------------------------------------------------- */

static struct spmv_rows rows_of(const weir_product *product, const weir_matrix *matrix,
                                const struct spmv_part *part)
{
    const uint64_t *offsets = matrix->offsets + part->first;
    const char *values = matrix->f64 ? (const char *)matrix->f64 : (const char *)matrix->f32;
    /* There may be no nonzeros, and no arrays. */
    return (struct spmv_rows){part->rows, offsets,
                              matrix->indices ? matrix->indices + offsets[0] : NULL,
                              values ? values + offsets[0] * product->value_bytes : NULL, 0};
}

static int has_wants(const weir_product *product, const struct spmv_part *part)
{
    for (uint32_t d = 0; d < product->parts; d++)
        if (part->want[d].end > part->want[d].begin)
            return 1;
    return 0;
}

static weir_status open_part(weir_product *product, struct spmv_part *part)
{
    const uint32_t k = product->config.columns;
    weir_status status;
    if ((status = weir_queue_create(part->device, 0, &part->queue)) ||
        (status = weir_stamp_create(part->device, &part->start)) ||
        (status = weir_stamp_create(part->device, &part->stop)) ||
        (status =
             weir__spmv_take(part, "x", product->x_rows * k, product->value_bytes, &part->x)) ||
        (status = weir__spmv_take(part, "y", part->rows * k, product->value_bytes, &part->y)) ||
        (status = weir_queue_fill(part->queue, part->x, 0,
                                  product->x_rows * k * product->value_bytes)) ||
        (status = weir_queue_fill(part->queue, part->y, 0, part->rows * k * product->value_bytes)))
        return status;
    if (product->parts > 1 && ((status = weir_queue_create(part->device, 0, &part->fetch)) ||
                               (status = weir_event_acquire(part->device, &part->here))))
        return status;
    return weir_queue_sync(part->queue);
}

/* Where two devices do not reach each other, x goes by way of the host. */
static weir_status open_stages(weir_product *product, struct spmv_part *part)
{
    const size_t bytes = product->config.columns * product->value_bytes;
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        struct spmv_want *want = &part->want[d];
        if (want->end <= want->begin || weir_device_reaches(product->part[d].device, part->device))
            continue;
        if (!(status = weir_event_acquire(product->part[d].device, &want->staged)))
            status = weir_device_alloc(weir_context_home(product->context),
                                       (want->end - want->begin) * bytes, &want->stage);
    }
    return status;
}

static weir_status make_part(weir_product *product, const weir_matrix *matrix,
                             struct spmv_part *part)
{
    const struct spmv_rows rows = rows_of(product, matrix, part);
    weir_status status = open_part(product, part);
    if (status || (status = open_stages(product, part)))
        return status;
    if (product->config.schedule == WEIR_PRODUCT_BINS)
        return weir__spmv_bins_place(product, part, &rows);
    if (product->overlap && has_wants(product, part))
        return place_split(product, matrix, part);
    return weir__spmv_place(product, part, &rows, &part->half[0]);
}

/* What a device would need at least, before anything is taken. */
static weir_status check_room(const weir_product *product, const weir_matrix *matrix)
{
    uint64_t bytes[WEIR_DEVICES_MAX] = {0};
    const uint64_t k = product->config.columns, value = product->value_bytes;
    for (uint32_t d = 0; d < product->parts; d++) {
        const struct spmv_part *part = &product->part[d];
        const uint64_t nonzeros =
            matrix->offsets[part->first + part->rows] - matrix->offsets[part->first];
        bytes[d] = (product->x_rows + part->rows) * k * value + nonzeros * (4 + value);
        if (product->config.schedule == WEIR_PRODUCT_BINS)
            bytes[d] += nonzeros * (value + 1);
    }
    const uint32_t lacks = weir__pools_lack(product->context, bytes, product->parts);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    if (lacks == UINT32_MAX)
        return WEIR_OK;
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
    weir_status status = WEIR_OK;
    product->y_rows = matrix->rows;
    product->x_rows = matrix->columns;
    product->nonzeros = matrix->nonzeros;
    cut_all(product, matrix);
    if (product->config.schedule == WEIR_PRODUCT_AUTO)
        product->config.schedule =
            bins_pay(product, matrix) ? WEIR_PRODUCT_BINS : WEIR_PRODUCT_ROWS;
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = want_all(product, matrix, &product->part[d]);
    if (!status)
        status = check_room(product, matrix);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = make_part(product, matrix, &product->part[d]);
    return status;
}

static weir_status make_turned(weir_product *product, const weir_matrix *matrix)
{
    weir_matrix *turned;
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
    if (!context || !matrix || !product_out)
        return weir__missing("weir_product_create", !context  ? "context"
                                                    : !matrix ? "matrix"
                                                              : "product_out");
    *product_out = NULL;
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_product_config")) ||
        (status = check(context, &known)) ||
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
    for (uint32_t d = 0; d < product->parts; d++) {
        weir_event_release(part->want[d].staged);
        weir_device_free(weir_context_home(product->context), part->want[d].stage);
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

/* ---- x and y ---------------------------------------------------------------------------------------------- */

void weir_product_sizes(const weir_product *product, uint64_t *x_rows_out, uint64_t *y_rows_out,
                        uint32_t *columns_out)
{
    if (x_rows_out)
        *x_rows_out = product->x_rows;
    if (y_rows_out)
        *y_rows_out = product->y_rows;
    if (columns_out)
        *columns_out = product->config.columns;
}

static uint64_t row_bytes(const weir_product *product)
{
    return product->config.columns * product->value_bytes;
}

static weir_product_part stretch_of(const weir_product *product, uint32_t device, int of_x)
{
    const struct spmv_part *part = &product->part[device];
    if (of_x)
        return (weir_product_part){sizeof(weir_product_part), part->x_first, part->x_rows,
                                   (char *)part->x + part->x_first * row_bytes(product)};
    return (weir_product_part){sizeof(weir_product_part), part->first, part->rows, part->y};
}

static weir_status upload(weir_product *product, const char *call, int of_x, const void *values)
{
    weir_status status = WEIR_OK;
    if (!product || !values)
        return weir__missing(call, product ? "values" : "product");
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const weir_product_part to = stretch_of(product, d, of_x);
        if (to.rows)
            status = weir__upload(product->part[d].device, to.data,
                                  (const char *)values + to.first * row_bytes(product),
                                  to.rows * row_bytes(product));
    }
    return status;
}

weir_status weir_product_set_x(weir_product *product, const void *values)
{
    return upload(product, "weir_product_set_x", 1, values);
}

weir_status weir_product_set_y(weir_product *product, const void *values)
{
    return upload(product, "weir_product_set_y", 0, values);
}

weir_status weir_product_get_y(weir_product *product, void *values_out)
{
    weir_status status = WEIR_OK;
    if (!product || !values_out)
        return weir__missing("weir_product_get_y", product ? "values_out" : "product");
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const weir_product_part from = stretch_of(product, d, 0);
        if (from.rows)
            status = weir__download(product->part[d].device,
                                    (char *)values_out + from.first * row_bytes(product), from.data,
                                    from.rows * row_bytes(product));
    }
    return status;
}

static weir_status part_of(const weir_product *product, const char *call, uint32_t device, int of_x,
                           weir_product_part *part_out)
{
    if (!product)
        return weir__missing(call, "product");
    if (device >= product->parts)
        return weir__fail(WEIR_ERR_INVALID, "%s: device %u, but the product has %u", call, device,
                          product->parts);
    const weir_product_part part = stretch_of(product, device, of_x);
    return weir__sized_out(part_out, &part, sizeof part, "weir_product_part");
}

weir_status weir_product_x(const weir_product *product, uint32_t device,
                           weir_product_part *part_out)
{
    return part_of(product, "weir_product_x", device, 1, part_out);
}

weir_status weir_product_y(const weir_product *product, uint32_t device,
                           weir_product_part *part_out)
{
    return part_of(product, "weir_product_y", device, 0, part_out);
}

/* ---- runs --------------------------------------------------------------------------------------------------- */

/* The way to the host of those stretches of x that go by way of it. */
static weir_status send_staged(weir_product *product, struct spmv_part *to)
{
    const uint64_t bytes = row_bytes(product);
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const struct spmv_want *want = &to->want[d];
        const struct spmv_part *from = &product->part[d];
        if (!want->stage)
            continue;
        if (!(status = weir_queue_copy(
                  from->fetch, weir_context_home(product->context), want->stage, from->device,
                  (char *)from->x + want->begin * bytes, (want->end - want->begin) * bytes)))
            status = weir_queue_record(from->fetch, want->staged);
    }
    return status;
}

static weir_status fetch_x(weir_product *product, struct spmv_part *to)
{
    const uint64_t bytes = row_bytes(product);
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const struct spmv_want *want = &to->want[d];
        const struct spmv_part *from = &product->part[d];
        char *place = (char *)to->x + want->begin * bytes;
        if (want->end <= want->begin)
            continue;
        if (!want->stage)
            status = weir_queue_copy(to->fetch, to->device, place, from->device,
                                     (char *)from->x + want->begin * bytes,
                                     (want->end - want->begin) * bytes);
        else if (!(status = weir_queue_wait_event(to->fetch, want->staged)))
            status =
                weir_queue_copy(to->fetch, to->device, place, weir_context_home(product->context),
                                want->stage, (want->end - want->begin) * bytes);
    }
    return status ? status : weir_queue_record(to->fetch, to->here);
}

static weir_status launch(struct spmv_part *part, const weir_kernel *kernel,
                          const struct spmv_args *args)
{
    return weir_queue_launch(part->queue, kernel, args, sizeof *args);
}

static weir_status run_half(weir_product *product, struct spmv_part *part,
                            const struct spmv_half *half, double alpha, double beta)
{
    struct spmv_args args = half->args;
    weir_status status = WEIR_OK;
    if (!half->there)
        return WEIR_OK;
    args.x = part->x;
    args.y = part->y;
    args.alpha = alpha;
    args.beta = beta;
    if (product->config.schedule != WEIR_PRODUCT_ROWS)
        return launch(part, &weir__spmv_tiles[product->wide], &args);
    if (args.chunk_count)
        status = launch(part, &weir__spmv_rows[product->wide], &args);
    if (!status && args.long_count)
        status = launch(part, &weir__spmv_longs[product->wide], &args);
    return status;
}

static weir_status scale(weir_product *product, struct spmv_part *part, double beta)
{
    const struct spmv_args args = {
        .y = part->y, .beta = beta, .rows = (uint32_t)part->rows, .k = product->config.columns};
    return beta == 1 ? WEIR_OK : launch(part, &weir__spmv_scale[product->wide], &args);
}

/* What waits for others' x comes last, unless that is wanted first. */
static weir_status run_rows(weir_product *product, struct spmv_part *part, double alpha,
                            double beta)
{
    weir_status status = WEIR_OK;
    if (product->config.schedule != WEIR_PRODUCT_ROWS) {
        if ((status = scale(product, part, beta)))
            return status;
        beta = 1;
    }
    const int meanwhile = product->overlap && part->here;
    if (part->here && !meanwhile && (status = weir_queue_wait_event(part->queue, part->here)))
        return status;
    if ((status = run_half(product, part, &part->half[0], alpha, beta)))
        return status;
    if (meanwhile && (status = weir_queue_wait_event(part->queue, part->here)))
        return status;
    return run_half(product, part, &part->half[1], alpha, 1);
}

static weir_status run_part(weir_product *product, struct spmv_part *part, double alpha,
                            double beta)
{
    weir_status status = weir_queue_stamp(part->queue, part->start);
    if (status)
        return status;
    if (!part->rows) /* others' x may still go through here */
        return weir_queue_stamp(part->queue, part->stop);
    status = product->config.schedule == WEIR_PRODUCT_BINS
                 ? weir__spmv_bins_run(product, part, alpha, beta)
                 : run_rows(product, part, alpha, beta);
    return status ? status : weir_queue_stamp(part->queue, part->stop);
}

static weir_status start_all(weir_product *product, double alpha, double beta)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = send_staged(product, &product->part[d]);
    for (uint32_t d = 0; d < product->parts && product->parts > 1 && !status; d++)
        status = fetch_x(product, &product->part[d]);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = run_part(product, &product->part[d], alpha, beta);
    return status;
}

/* Wait for all of it, whatever fails. */
static weir_status wait_all(weir_product *product, weir_status status, double *kernel_ms_out)
{
    *kernel_ms_out = 0;
    for (uint32_t d = 0; d < product->parts; d++) {
        struct spmv_part *part = &product->part[d];
        weir_status ended = part->fetch ? weir_queue_sync(part->fetch) : WEIR_OK;
        if (!status)
            status = ended;
        ended = weir_queue_sync(part->queue);
        if (!status)
            status = ended;
        double ms = 0;
        if (!status)
            status = weir_stamp_elapsed(part->start, part->stop, &ms);
        *kernel_ms_out = ms > *kernel_ms_out ? ms : *kernel_ms_out;
    }
    return status;
}

static uint64_t least_bytes(const weir_product *product, double beta)
{
    const uint64_t k = product->config.columns, value = product->value_bytes;
    return product->nonzeros * (4 + value) + product->y_rows * 4 +
           (product->x_rows + product->y_rows * (beta != 0 ? 2 : 1)) * k * value;
}

weir_status weir_product_run(weir_product *product, double alpha, double beta,
                             weir_product_stats *stats_out)
{
    weir_product_stats stats = WEIR_PRODUCT_STATS_INIT;
    weir_status status;
    if (!product)
        return weir__missing("weir_product_run", "product");
    if ((status = weir__sized_room(stats_out, sizeof stats, "weir_product_stats")))
        return status;
    if (product->failed)
        return weir__fail(WEIR_ERR_INVALID,
                          "a run of this product failed, and it may only be destroyed");
    const uint64_t begin_ns = weir_context_time_ns(product->context);
    status = wait_all(product, start_all(product, alpha, beta), &stats.kernel_ms);
    if (status) {
        product->failed = 1;
        return status;
    }
    stats.ms = (double)(weir_context_time_ns(product->context) - begin_ns) / 1e6;
    stats.bytes = least_bytes(product, beta);
    stats.flops = 2 * product->nonzeros * product->config.columns;
    stats.bytes_exchanged = product->exchanged;
    stats.schedule = product->config.schedule;
    stats.overlap = product->overlap;
    stats.devices = product->parts;
    return stats_out ? weir__sized_out(stats_out, &stats, sizeof stats, "weir_product_stats")
                     : WEIR_OK;
}
