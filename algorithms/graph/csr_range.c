/** @file csr_range.c  A range of a graph's rows, from arcs to rows in order on a device.
 *
 * Generated arcs are made twice, to count and to deal them out, since that takes less time than keeping them. A list is brought over in
 * pieces, twice as well, so that the device holds the rows and not the list. */
#include "algorithms/graph/csr_range.h"
#include "algorithms/graph/csr_op.h"
#include "algorithms/graph/sort_keys.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_ARCS (UINT64_C(1) << 24)
#define ARC_CHUNK  (UINT64_C(1) << 16)
#define ROW_CHUNK  (UINT64_C(1) << 18)

/* ---- arcs -------------------------------------------------------------------------------------------- */

struct integers {
    const double *from;
    uint32_t *to;
};

static void to_integers(void *user, uint64_t begin, uint64_t end)
{
    const struct integers *integers = user;
    for (uint64_t i = begin; i < end; i++) {
        const double weight = integers->from[i]; /* of a loop, which is dropped: anything */
        integers->to[i] = weight >= 0 && weight <= UINT32_MAX ? (uint32_t)weight : 0;
    }
}

static weir_status bring_piece(const struct weir__csr_range *range, uint64_t at, uint64_t count,
                               int weights)
{
    const struct weir__csr_input *input = range->input;
    const size_t bytes = (size_t)count * sizeof(uint32_t);
    weir_status status =
        weir__upload(range->device, range->piece.sources, input->edges.sources + at, bytes);
    if (!status)
        status =
            weir__upload(range->device, range->piece.targets, input->edges.targets + at, bytes);
    if (status || !weights)
        return status;
    struct integers integers = {input->weights + at, range->piece.integers};
    weir__parallel_for(count, ARC_CHUNK, 0, to_integers, &integers);
    return weir__upload(range->device, range->piece.weights, range->piece.integers, bytes);
}

/* Arcs of the piece that begins at one. */
static uint64_t piece_at(const struct weir__csr_input *input, uint64_t at)
{
    const uint64_t left = input->count - at;
    const uint64_t most = input->piece ? input->piece : PIECE_ARCS;
    return left < most ? left : most;
}

uint64_t weir__csr_piece_bytes(const struct weir__csr_input *input)
{
    return input->edges.kind == WEIR__EDGES_LIST ? piece_at(input, 0) * (input->weights ? 12 : 8)
                                                 : 0;
}

static weir_status take_pieces(struct weir__csr_range *range)
{
    const struct weir__csr_input *input = range->input;
    const uint64_t count = piece_at(input, 0);
    weir_device *device = range->device;
    weir_status status;
    if (input->edges.kind != WEIR__EDGES_LIST || range->piece.sources)
        return WEIR_OK;
    if ((status =
             weir__device_alloc_as(device, "sources of arcs", count, 4, &range->piece.sources)) ||
        (status =
             weir__device_alloc_as(device, "targets of arcs", count, 4, &range->piece.targets)) ||
        !input->weights)
        return status;
    status = weir__device_alloc_as(device, "weights of arcs", count, 4, &range->piece.weights);
    return status ? status : weir__alloc(count, 4, "weights of arcs", &range->piece.integers);
}

/* Go over all arcs with one kernel or the other. */
static weir_status pass(struct weir__csr_range *range, const weir_kernel *kernel, int weights)
{
    const struct weir__csr_input *input = range->input;
    csr_deal_args args = {.edges = input->edges,
                          .first = range->first,
                          .rows = range->rows,
                          .ends = range->ends,
                          .targets = range->targets,
                          .weights = weights ? range->weights : NULL,
                          .mirror = input->mirror != 0};
    weir_status status = weir__activity_went(0);
    if (status || (status = take_pieces(range)))
        return status;
    if (input->edges.kind != WEIR__EDGES_LIST) {
        args.end = input->count;
        return weir_queue_launch(range->queue, kernel, &args, sizeof args);
    }
    args.edges.sources = range->piece.sources;
    args.edges.targets = range->piece.targets;
    args.edges.weights = range->piece.weights;
    for (uint64_t at = 0; at < input->count && !status; at += args.end) {
        args.end = piece_at(input, at);
        if (!(status = bring_piece(range, at, args.end, weights)) &&
            !(status = weir_queue_launch(range->queue, kernel, &args, sizeof args)))
            status = weir_queue_sync(range->queue); /* the next piece takes its place */
    }
    return status;
}

/* ---- sums -------------------------------------------------------------------------------------------- */

/* What the sum of all rows takes is enough for that of some. */
static weir_status sum_rows(struct weir__csr_range *range, uint64_t *values)
{
    uint64_t bytes = 0;
    sum_before_args args = {.values = values, .count = range->rows + 1, .temp_bytes_out = &bytes};
    weir_status status;
    if (!range->temp) {
        args.count = range->input->vertices + 1;
        if ((status =
                 weir_queue_launch(range->queue, &weir__sum_before_kernel, &args, sizeof args)) ||
            (status = weir_queue_sync(range->queue)))
            return status;
        args.count = range->rows + 1;
        range->temp_bytes = bytes + 1;
        if ((status =
                 weir__device_alloc_as(range->device, "a sum", range->temp_bytes, 1, &range->temp)))
            return status;
    }
    args.temp = range->temp;
    args.temp_bytes = range->temp_bytes;
    if ((status = weir_queue_launch(range->queue, &weir__sum_before_kernel, &args, sizeof args)))
        return status;
    return weir_queue_sync(range->queue);
}

weir_status weir__csr_range_count(struct weir__csr_range *range, uint64_t *offsets_out)
{
    const uint64_t n = range->rows;
    weir_status status;
    if ((status = weir__device_alloc_as(range->device, "ends of rows", n + 1, 8, &range->ends)) ||
        (status = weir_queue_fill(range->queue, range->ends, 0, (n + 1) * sizeof *range->ends)) ||
        (status = pass(range, &weir__csr_count_kernel, 0)) ||
        (status = sum_rows(range, range->ends)))
        return status;
    return weir__download(range->device, offsets_out, range->ends, (n + 1) * sizeof *offsets_out);
}

/* ---- in order ---------------------------------------------------------------------------------------- */

/* Cursors of rows that are not all. */
static weir_status bring_cursors(struct weir__csr_range *range, const uint64_t *offsets)
{
    const csr_shift_args shift = {range->ends, range->rows, range->before};
    weir_status status = weir__upload(range->device, range->ends, offsets + range->first,
                                      range->rows * sizeof *range->ends);
    return status ? status
                  : weir_queue_launch(range->queue, &weir__csr_shift_kernel, &shift, sizeof shift);
}

static weir_status deal(struct weir__csr_range *range, const uint64_t *offsets)
{
    weir_device *device = range->device;
    weir_status status = WEIR_OK;
    if (!range->ends &&
        (status = weir__device_alloc_as(device, "ends of rows", range->rows, 8, &range->ends)))
        return status;
    if (range->rows < range->input->vertices && (status = bring_cursors(range, offsets)))
        return status;
    if ((status = weir__device_alloc_as(device, "targets", range->arcs, 4, &range->targets)) ||
        (range->input->weights &&
         (status = weir__device_alloc_as(device, "weights", range->arcs, 4, &range->weights))) ||
        (status = pass(range, &weir__csr_deal_kernel, range->input->weights != NULL)))
        return status;
    return weir_queue_sync(range->queue);
}

static weir_status clean(struct weir__csr_range *range, const uint64_t *offsets)
{
    const struct weir__csr_rows rows = {.ends = offsets + range->first + 1,
                                        .before = range->before,
                                        .placed = range->ends,
                                        .rows = range->rows,
                                        .targets = range->targets,
                                        .weights = range->weights,
                                        .bits = weir__csr_bits(range->input->vertices)};
    const uint64_t stretch =
        weir__csr_stretch(rows.ends, rows.before, rows.rows, range->input->stretch);
    weir_status status;
    if ((status = weir__device_alloc_as(range->device, "arcs dropped", range->rows, 4,
                                        &range->dropped)) ||
        (status = weir_queue_fill(range->queue, range->dropped, 0,
                                  range->rows * sizeof *range->dropped)) ||
        (status = weir__csr_sorter_open(range->context, range->device, range->queue, stretch,
                                        range->weights != NULL, &range->sorter)) ||
        (status = weir__csr_clean(&range->sorter, &rows, range->dropped, &range->kept)))
        return status; /* the queue may still work with what the sorter has: it is closed later */
    weir__csr_sorter_close(&range->sorter);
    return WEIR_OK;
}

weir_status weir__csr_range_make(struct weir__csr_range *range, const uint64_t *offsets)
{
    weir_status status;
    if ((status = deal(range, offsets)) || (status = clean(range, offsets)) ||
        (status =
             weir__device_alloc_as(range->device, "offsets", range->rows + 1, 8, &range->lengths)))
        return status;
    const csr_lengths_args args = {.ends = range->ends,
                                   .dropped = range->dropped,
                                   .lengths = range->lengths,
                                   .rows = range->rows};
    status = weir_queue_launch(range->queue, &weir__csr_lengths_kernel, &args, sizeof args);
    return status ? status : sum_rows(range, range->lengths);
}

/* ---- back -------------------------------------------------------------------------------------------- */

struct shift {
    uint64_t *offsets, more;
};

static void shift_some(void *user, uint64_t begin, uint64_t end)
{
    const struct shift *shift = user;
    for (uint64_t row = begin; row < end; row++)
        shift->offsets[row] += shift->more;
}

weir_status weir__csr_range_bring(struct weir__csr_range *range, uint64_t to, uint64_t *offsets,
                                  uint32_t *targets, uint32_t *weights)
{
    struct shift shift = {offsets + range->first, to};
    weir_status status;
    if ((status = weir__download(range->device, shift.offsets, range->lengths,
                                 range->rows * sizeof *offsets)) ||
        (targets &&
         (status = weir__download(range->device, targets + to, range->targets, range->kept * 4))) ||
        (weights &&
         (status = weir__download(range->device, weights + to, range->weights, range->kept * 4))))
        return status;
    weir__parallel_for(to ? range->rows : 0, ROW_CHUNK, 0, shift_some, &shift);
    return WEIR_OK;
}

static void drop(struct weir__csr_range *range, void *array_io)
{
    void *array, *none = NULL;
    memcpy(&array, array_io, sizeof array); /* a pointer to any type */
    weir_device_free(range->device, array);
    memcpy(array_io, &none, sizeof none);
}

void weir__csr_range_clear(struct weir__csr_range *range)
{
    drop(range, &range->ends);
    drop(range, &range->lengths);
    drop(range, &range->targets);
    drop(range, &range->weights);
    drop(range, &range->dropped);
}

void weir__csr_range_close(struct weir__csr_range *range)
{
    weir_queue_destroy(
        range->queue); /* first: what a call that failed left in it uses the memory */
    range->queue = NULL;
    weir__csr_range_clear(range);
    weir__csr_sorter_close(&range->sorter);
    drop(range, &range->temp);
    drop(range, &range->piece.sources);
    drop(range, &range->piece.targets);
    drop(range, &range->piece.weights);
    free(range->piece.integers);
    range->piece.integers = NULL;
}
