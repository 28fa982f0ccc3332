/** @file spmv_run.c  Products: x and y to the devices and back, and runs. */
#include "algorithms/spmv/spmv.h"
#include "runtime/support.h"

#include <float.h>
#include <math.h>

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

static weir_product_part stretch_of(const weir_product *product, uint32_t device, int of_x)
{
    const struct spmv_part *part = &product->part[device];
    if (of_x)
        return (weir_product_part){sizeof(weir_product_part), part->x_first, part->x_rows,
                                   (char *)part->x + part->x_at * weir__spmv_row_bytes(product)};
    return (weir_product_part){sizeof(weir_product_part), part->y_first, part->y_rows, part->y};
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
                                  (const char *)values + to.first * weir__spmv_row_bytes(product),
                                  to.rows * weir__spmv_row_bytes(product));
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
                                    (char *)values_out + from.first * weir__spmv_row_bytes(product),
                                    from.data, from.rows * weir__spmv_row_bytes(product));
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

/* Of x that others want and that does not lie side by side, a copy that does. */
static weir_status pack(weir_product *product, struct spmv_part *part)
{
    const struct spmv_pack_args args = {.x = part->x,
                                        .list = part->packing.list,
                                        .packed = part->packing.room,
                                        .elements = part->packing.count * product->config.columns,
                                        .k = product->config.columns};
    if (!part->packing.count)
        return WEIR_OK;
    const weir_status status =
        weir_queue_launch(part->fetch, &weir__spmv_pack[product->wide], &args, sizeof args);
    return status ? status : weir_queue_record(part->fetch, part->packing.done);
}

/* Where what a device wants of another's x begins, in that one's memory. */
static const void *wanted(const weir_product *product, const struct spmv_part *from,
                          const struct spmv_want *want)
{
    const uint64_t bytes = weir__spmv_row_bytes(product);
    return want->listed
               ? (const char *)from->packing.room + want->packed_at * bytes
               : (const char *)from->x + (from->x_at + want->begin - from->x_first) * bytes;
}

/* Rows on their way: to the host, where they go by way of that, */
static weir_status send(weir_product *product, const struct spmv_part *from,
                        const struct spmv_want *want, const void *values)
{
    weir_status status;
    if (!want->stage)
        return WEIR_OK;
    if ((status =
             weir_queue_copy(from->fetch, weir_context_home(product->context), want->stage,
                             from->device, values, want->count * weir__spmv_row_bytes(product))))
        return status;
    return weir_queue_record(from->fetch, want->staged);
}

/* and to their place. */
static weir_status receive(weir_product *product, const struct spmv_part *from,
                           const struct spmv_part *to, const struct spmv_want *want,
                           const void *values, void *place)
{
    const uint64_t bytes = want->count * weir__spmv_row_bytes(product);
    weir_status status;
    if (!want->stage)
        return weir_queue_copy(to->fetch, to->device, place, from->device, values, bytes);
    if ((status = weir_queue_wait_event(to->fetch, want->staged)))
        return status;
    return weir_queue_copy(to->fetch, to->device, place, weir_context_home(product->context),
                           want->stage, bytes);
}

static weir_status send_x(weir_product *product, const struct spmv_part *to)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const struct spmv_part *from = &product->part[d];
        status = send(product, from, &to->want[d], wanted(product, from, &to->want[d]));
    }
    return status;
}

static weir_status fetch_x(weir_product *product, struct spmv_part *to)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const struct spmv_part *from = &product->part[d];
        const struct spmv_want *want = &to->want[d];
        if (want->listed && !want->stage)
            status = weir_queue_wait_event(to->fetch, from->packing.done);
        if (!status && want->count)
            status = receive(product, from, to, want, wanted(product, from, want),
                             (char *)to->x + want->at * weir__spmv_row_bytes(product));
    }
    return status ? status : weir_queue_record(to->fetch, to->here);
}

/* Where the sums that a device gets of another's begin. */
static const void *sums_at(const weir_product *product, const struct spmv_part *from,
                           const struct spmv_want *back)
{
    return (const char *)from->sums + back->begin * weir__spmv_row_bytes(product);
}

/* Sums leave a device when its own kernels have ended. */
static weir_status send_sums(weir_product *product, const struct spmv_part *to)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const struct spmv_part *from = &product->part[d];
        const struct spmv_want *back = &to->back[d];
        if (back->stage && !(status = weir_queue_wait_event(from->fetch, from->done)))
            status = send(product, from, back, sums_at(product, from, back));
    }
    return status;
}

static weir_status fetch_sums(weir_product *product, struct spmv_part *to)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++) {
        const struct spmv_part *from = &product->part[d];
        const struct spmv_want *back = &to->back[d];
        if (back->count && !(status = weir_queue_wait_event(to->fetch, from->done)))
            status = receive(product, from, to, back, sums_at(product, from, back), back->place);
    }
    return status ? status : weir_queue_record(to->fetch, to->whole);
}

/* y of the device's own stretch, from its sums and those that have come, in the order of columns. */
static weir_status join(weir_product *product, struct spmv_part *part, double beta)
{
    struct spmv_join_args args = {
        .y = part->y, .beta = beta, .elements = part->y_rows * product->config.columns};
    weir_status status = weir_queue_wait_event(part->queue, part->whole);
    for (uint32_t d = 0; d < product->parts; d++)
        if (part->back[d].place)
            args.sums[args.count++] = part->back[d].place;
        else if (&product->part[d] == part)
            args.sums[args.count++] =
                (char *)part->sums + (part->y_first - part->first) * weir__spmv_row_bytes(product);
    if (!status && args.elements)
        status =
            weir_queue_launch(part->queue, &weir__spmv_join[product->wide], &args, sizeof args);
    return status;
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
    if (!half->there)
        return WEIR_OK;
    args.x = part->x;
    args.y = part->sums;
    args.alpha = alpha;
    args.beta = beta;
    if (product->config.schedule != WEIR_PRODUCT_ROWS)
        return launch(part, &weir__spmv_tiles[product->wide], &args);
    return args.chunk_count ? launch(part, &weir__spmv_rows[product->wide], &args) : WEIR_OK;
}

static weir_status scale(weir_product *product, struct spmv_part *part, double beta)
{
    const struct spmv_args args = {
        .y = part->sums, .beta = beta, .rows = (uint32_t)part->rows, .k = product->config.columns};
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
    if (status || !part->rows)
        return status;
    return product->config.schedule == WEIR_PRODUCT_BINS
               ? weir__spmv_bins_run(product, part, alpha, beta)
               : run_rows(product, part, alpha, beta);
}

/* In two dimensions kernels leave sums, which are not y yet. */
static weir_status join_all(weir_product *product, double beta)
{
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = weir_queue_record(product->part[d].queue, product->part[d].done);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = send_sums(product, &product->part[d]);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        if (!(status = fetch_sums(product, &product->part[d])))
            status = join(product, &product->part[d], beta);
    return status;
}

static weir_status start_all(weir_product *product, double alpha, double beta)
{
    const int joins = product->grid_columns > 1;
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = pack(product, &product->part[d]);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = send_x(product, &product->part[d]);
    for (uint32_t d = 0; d < product->parts && product->parts > 1 && !status; d++)
        status = fetch_x(product, &product->part[d]);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = run_part(product, &product->part[d], alpha, joins ? 0 : beta);
    if (!status && joins)
        status = join_all(product, beta);
    for (uint32_t d = 0; d < product->parts && !status; d++)
        status = weir_queue_stamp(product->part[d].queue, product->part[d].stop);
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

/* Kernels scale in the kind of the values: what it cannot hold is refused, also what it would hold with bits missing, which the bound
 * of a check does not know of. */
static weir_status check_scale(const weir_product *product, const char *name, double value)
{
    const int fits = product->wide
                         ? isfinite(value)
                         : value == 0 || (fabs(value) >= FLT_MIN && fabs(value) <= FLT_MAX);
    return fits ? WEIR_OK
                : weir__fail(WEIR_ERR_INVALID, "%s is %g, which values of %s cannot hold", name,
                             value, product->wide ? "f64" : "f32");
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
    if ((status = check_scale(product, "alpha", alpha)) ||
        (status = check_scale(product, "beta", beta)))
        return status;
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
    stats.vector = product->config.vector;
    stats.halo = product->halo;
    for (uint32_t d = 0; d < product->parts; d++)
        stats.near += product->part[d].half[0].near + product->part[d].half[1].near;
    stats.halo_bytes = product->halo * weir__spmv_row_bytes(product);
    return stats_out ? weir__sized_out(stats_out, &stats, sizeof stats, "weir_product_stats")
                     : WEIR_OK;
}
