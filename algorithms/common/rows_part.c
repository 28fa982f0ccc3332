/** @file rows_part.c  The rows of one part: built in host memory, sorted, brought to its device.
 *
 * A row is sorted in place as keys of 32 bits, or of 64 with the weight of each arc in the other half;
 * weights part from numbers when they are brought. Parts are built one after the other, each on all cores,
 * so that the host holds one at a time. */
#include "algorithms/graph/build.h"
#include "algorithms/common/bring.h"
#include "algorithms/common/rows_build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define SORT_NAME   sort_plain
#define SORT_TYPE   uint32_t
#define SORT_KEY(x) (x)
#include "algorithms/graph/sort_tmpl.h"

#define SORT_NAME   sort_packed
#define SORT_TYPE   uint64_t
#define SORT_KEY(x) (x)
#include "algorithms/graph/sort_tmpl.h"

/* One direction of a part's arcs. */
struct csr {
    const struct weir__rows_build *build;
    const weir_rows_part *part;
    uint64_t *offsets;
    void *keys;
    uint32_t *half; /* numbers, then weights, on their way to the device */
    uint32_t low;   /* the lower half is on its way */
    uint32_t shift; /* of the highest byte of a key */
    int in;         /* they are in-arcs */
};

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct csr *csr = user;
    for (uint64_t r = begin; r < end; r++)
        csr->offsets[r] = csr->build->rows->degree[csr->part->begin + r];
}

/* Out-arcs: targets become numbers. */
static void write_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct csr *csr = user;
    const struct weir__rows_build *build = csr->build;
    const weir_graph *graph = build->graph;
    const uint32_t *number = build->rows->number;
    uint64_t rows = csr->part->owned, last = weir__first_row_at(csr->offsets, rows, end);
    for (uint64_t r = weir__first_row_at(csr->offsets, rows, begin); r < last; r++) {
        uint64_t from = graph->offsets[build->rows->vertex[csr->part->begin + r]];
        uint64_t to = csr->offsets[r], count = csr->offsets[r + 1] - to;
        if (build->config->weights)
            for (uint64_t i = 0; i < count; i++)
                ((uint64_t *)csr->keys)[to + i] = weir__rows_key(
                    build, number[graph->targets[from + i]], graph->weights_u32[from + i]);
        else
            for (uint64_t i = 0; i < count; i++)
                ((uint32_t *)csr->keys)[to + i] = number[graph->targets[from + i]];
    }
}

/* Rows of consecutive parts numbered by id are sorted as they come. */
static int ascends(const void *keys, uint64_t count, int packed)
{
    if (packed) {
        for (uint64_t i = 1; i < count; i++)
            if (((const uint64_t *)keys)[i - 1] > ((const uint64_t *)keys)[i])
                return 0;
    } else {
        for (uint64_t i = 1; i < count; i++)
            if (((const uint32_t *)keys)[i - 1] > ((const uint32_t *)keys)[i])
                return 0;
    }
    return 1;
}

static void sort_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct csr *csr = user;
    int packed = csr->build->config->weights;
    uint64_t rows = csr->part->owned, last = weir__first_row_at(csr->offsets, rows, end);
    for (uint64_t r = weir__first_row_at(csr->offsets, rows, begin); r < last; r++) {
        uint64_t at = csr->offsets[r], count = csr->offsets[r + 1] - at;
        if (packed) {
            uint64_t *row = (uint64_t *)csr->keys + at;
            if (!ascends(row, count, 1))
                sort_packed(row, count, csr->shift);
        } else {
            uint32_t *row = (uint32_t *)csr->keys + at;
            if (!ascends(row, count, 0))
                sort_plain(row, count, csr->shift);
        }
    }
}

static uint32_t key_shift(const struct weir__rows_build *build)
{
    uint32_t shift = 0;
    while (shift < 24 && (build->rows->numbers - 1) >> shift > 255)
        shift += 8;
    if (build->config->by_weight)
        return 32 + build->weight_shift;
    return build->config->weights ? 32 + shift : shift;
}

static void part_halves(void *user, uint64_t begin, uint64_t end)
{
    const struct csr *csr = user;
    const uint64_t *keys = csr->keys;
    uint32_t shift = csr->low ? 0 : 32;
    for (uint64_t i = begin; i < end; i++)
        csr->half[i] = (uint32_t)(keys[i] >> shift);
}

static weir_status bring_half(struct csr *csr, weir_device *device, const char *what, int low,
                              uint64_t arcs, const uint32_t **placed_out)
{
    const void *placed = NULL;
    csr->low = low != 0;
    weir_status status = weir__activity_for("parting weights", "arcs", csr->half ? arcs : 0,
                                            WEIR__ARC_CHUNK, 0, part_halves, csr);
    if (!status)
        status =
            weir__bring_arcs(device, csr->build->rows->memory, what, csr->half, arcs, 4, &placed);
    *placed_out = placed;
    return status;
}

static weir_status bring_csr(struct csr *csr, uint64_t arcs, weir_arcs *arcs_out)
{
    const struct weir__rows_build *build = csr->build;
    weir_device *device = weir_context_device(build->rows->context, csr->part->part);
    const char *ends = csr->in ? "in-arcs" : "out-arcs";
    const void *offsets = NULL, *targets = NULL;
    weir_status status = weir__bring(device, csr->in ? "offsets of in-arcs" : "offsets of out-arcs",
                                     csr->offsets, (uint64_t)csr->part->owned + 1, 8, &offsets);
    arcs_out->offsets = offsets;
    if (status)
        return status;
    if (!build->config->weights) {
        status = weir__bring_arcs(device, build->rows->memory, ends, csr->keys, arcs, 4, &targets);
        arcs_out->targets = targets;
        return status;
    }
    if ((!build->sizes && (status = weir__alloc(arcs, 4, "part weights", &csr->half))) ||
        (status =
             bring_half(csr, device, ends, build->config->by_weight, arcs, &arcs_out->targets)) ||
        (status = bring_half(csr, device, csr->in ? "weights of in-arcs" : "weights of out-arcs",
                             !build->config->by_weight, arcs, &arcs_out->weights)))
        return status;
    return WEIR_OK;
}

static weir_status sort_and_bring(struct csr *csr, uint64_t arcs, weir_arcs *arcs_out)
{
    weir_status status =
        weir__activity_for("sorting rows", "arcs", arcs, WEIR__ARC_CHUNK, 0, sort_rows, csr);
    return status ? status : bring_csr(csr, arcs, arcs_out);
}

/* What the host takes in place of a device that was to do it: it was not asked for before (weir__rows_need()). */
static weir_status host_has_room(const struct weir__rows_build *build, const weir_rows_part *part,
                                 int in)
{
    const weir_rows *rows = build->rows;
    const uint64_t key = weir__rows_key_bytes(build);
    const uint64_t *offsets = build->graph->offsets;
    struct weir__need need = {0, 0};
    uint64_t arcs = build->graph->arcs;
    if (in && !build->in_keys) {
        weir__need_take(&need, rows->numbers, 8);
        weir__need_take(&need, arcs, key);
        weir__need_pass(&need, arcs, key + 4);
    } else if (!in) {
        arcs = 0;
        for (uint32_t r = part->begin; r < part->begin + part->owned; r++)
            arcs += offsets[rows->vertex[r] + (uint64_t)1] - offsets[rows->vertex[r]];
        weir__need_take(&need, arcs, key);
    }
    weir__need_take(&need, arcs, build->config->weights ? 4 : 0);
    return weir__need_fits(&need, "rows of %s, which no device has room to put in order",
                           build->graph->name);
}

/* In-arcs that are not the out-arcs. */
static int wants_in(const struct weir__rows_build *build)
{
    return build->config->in_arcs && !build->rows->symmetric;
}

static weir_status place_there(void *user, uint32_t p)
{
    struct weir__rows_build *build = user;
    weir_status status = WEIR_OK;
    for (int in = 0; in <= wants_in(build) && !status && weir__rows_on_device(build, p); in++) {
        status = weir__rows_place_there(build, &build->rows->part[p], in);
        build->there[in][p] = !status;
        if (status == WEIR_ERR_NOMEM || status == WEIR_ERR_UNSUPPORTED)
            status = WEIR_OK; /* the host has to */
    }
    return status;
}

weir_status weir__rows_place_all_there(struct weir__rows_build *build)
{
    return weir__activity_each(build->rows->parts, place_there, build);
}

/* Whether the host has to. */
static weir_status is_here(const struct weir__rows_build *build, const weir_rows_part *part, int in,
                           int *here_out)
{
    *here_out = !build->there[in][part->part];
    return *here_out && !build->sizes && weir__rows_on_device(build, part->part)
               ? host_has_room(build, part, in)
               : WEIR_OK;
}

static weir_status place_out(const struct weir__rows_build *build, weir_rows_part *part)
{
    struct csr csr = {.build = build, .part = part, .shift = key_shift(build)};
    int here;
    weir_status status = is_here(build, part, 0, &here);
    if (status || !here)
        return status;
    if (build->sizes) {
        part->arcs_out = build->sizes->arcs_of[part->part];
        return bring_csr(&csr, part->arcs_out, &part->out);
    }
    status = weir__alloc((size_t)part->owned + 1, 8, "part offsets", &csr.offsets);
    if (!status)
        status = weir__activity_for("counting arcs", "vertices", part->owned, WEIR__ARC_CHUNK, 0,
                                    count_rows, &csr);
    if (!status) {
        weir__prefix_sum(csr.offsets, part->owned);
        part->arcs_out = csr.offsets[part->owned];
        status = weir__alloc(part->arcs_out, weir__rows_key_bytes(build), "part arcs", &csr.keys);
    }
    if (!status)
        status = weir__activity_for("writing rows", "arcs", part->arcs_out, WEIR__ARC_CHUNK, 0,
                                    write_rows, &csr);
    if (!status)
        status = sort_and_bring(&csr, part->arcs_out, &part->out);
    free(csr.offsets);
    free(csr.keys);
    free(csr.half);
    return status;
}

/* The rows lie in the transpose one after the other: they are sorted and sent from there. */
static weir_status place_in(struct weir__rows_build *build, weir_rows_part *part)
{
    struct csr csr = {.build = build, .part = part, .shift = key_shift(build), .in = 1};
    int here;
    weir_status status = is_here(build, part, 1, &here);
    if (status || !here)
        return status;
    if (build->sizes) {
        part->arcs_in = build->sizes->in_arcs_of[part->part];
        return bring_csr(&csr, part->arcs_in, &part->in);
    }
    status = weir__rows_transpose(build);
    if (!status)
        status = weir__alloc((size_t)part->owned + 1, 8, "part offsets", &csr.offsets);
    if (status)
        return status;
    const uint64_t *ends = build->in_ends + part->begin;
    uint64_t before = part->begin ? ends[-1] : 0;
    csr.offsets[0] = 0;
    for (uint32_t r = 0; r < part->owned; r++)
        csr.offsets[r + (uint64_t)1] = ends[r] - before;
    part->arcs_in = csr.offsets[part->owned];
    csr.keys = (char *)build->in_keys + before * weir__rows_key_bytes(build);
    status = sort_and_bring(&csr, part->arcs_in, &part->in);
    free(csr.offsets);
    free(csr.half);
    return status;
}

struct bytes {
    const uint32_t *degree;
    uint8_t *byte;
};

static void fill_bytes(void *user, uint64_t begin, uint64_t end)
{
    const struct bytes *bytes = user;
    for (uint64_t r = begin; r < end; r++)
        bytes->byte[r] =
            (uint8_t)(bytes->degree[r] < WEIR_ROWS_BYTE ? bytes->degree[r] : WEIR_ROWS_BYTE);
}

static weir_status place_bytes(const struct weir__rows_build *build, weir_rows_part *part)
{
    struct bytes bytes = {.degree = NULL};
    const void *brought = NULL;
    weir_status status = WEIR_OK;
    if (!build->sizes) {
        bytes.degree = build->rows->degree + part->begin;
        status = weir__alloc(part->owned, 1, "degrees of a part", &bytes.byte);
    }
    if (status)
        return status;
    status = weir__activity_for("writing degrees", "vertices", bytes.byte ? part->owned : 0,
                                WEIR__ARC_CHUNK, 0, fill_bytes, &bytes);
    if (!status)
        status = weir__bring(weir_context_device(build->rows->context, part->part),
                             "out-degrees as bytes", bytes.byte, part->owned, 1, &brought);
    part->out_byte = brought;
    free(bytes.byte);
    return status;
}

weir_status weir__rows_place_part(struct weir__rows_build *build, uint32_t p)
{
    weir_rows *rows = build->rows;
    weir_rows_part *part = &rows->part[p];
    const void *degree = NULL;
    weir_status status = place_out(build, part);
    if (!status && build->config->in_arcs && rows->symmetric) {
        part->in = part->out;
        part->arcs_in = part->arcs_out;
    } else if (!status && wants_in(build)) {
        status = place_in(build, part);
    }
    if (!status && build->config->out_degrees)
        status = weir__bring(weir_context_device(rows->context, p), "out-degrees", rows->degree,
                             rows->numbers, 4, &degree);
    part->out_degree = degree;
    if (!status && build->config->out_bytes)
        status = place_bytes(build, part);
    return status;
}
