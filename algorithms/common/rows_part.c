/** @file rows_part.c  The rows of one part: built in host memory, sorted, brought to its device.
 *
 * A row is sorted as keys of 32 bits, or of 64 with the weight of each arc in the other half (rows_sort.c);
 * weights part from numbers when they are brought. Parts are built one after the other, each on all cores,
 * so that the host holds one at a time. */
#include "algorithms/graph/build.h"
#include "algorithms/common/bring.h"
#include "algorithms/common/rows_build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

/* One direction of a part's arcs. */
struct csr {
    const struct weir__rows_build *build;
    const weir_rows_part *part;
    uint64_t *offsets;
    void *keys;
    uint32_t *half; /* numbers, then weights, on their way to the device */
    uint32_t low;   /* the lower half is on its way */
    int in;         /* they are in-arcs */
};

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct csr *csr = user;
    for (uint64_t r = begin; r < end; r++)
        csr->offsets[r] = csr->build->rows->degree[csr->part->begin + r];
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
        status = weir__bring(device, what, csr->half, arcs, 4, &placed);
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
        status = weir__bring(device, ends, csr->keys, arcs, 4, &targets);
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

/* @return WEIR_ERR_NOMEM  the host has to. */
static weir_status place_there(const struct weir__rows_build *build, weir_rows_part *part, int in)
{
    const weir_status status = weir__rows_on_device(build, part->part)
                                   ? weir__rows_place_there(build, part, in)
                                   : WEIR_ERR_NOMEM;
    return status == WEIR_ERR_UNSUPPORTED ? WEIR_ERR_NOMEM : status;
}

static weir_status place_out(const struct weir__rows_build *build, weir_rows_part *part)
{
    struct csr csr = {.build = build, .part = part};
    weir_status there = place_there(build, part, 0);
    if (there != WEIR_ERR_NOMEM)
        return there;
    if (build->sizes) {
        part->arcs_out = build->sizes->arcs_of[part->part];
        return bring_csr(&csr, part->arcs_out, &part->out);
    }
    weir_status status = weir__alloc((size_t)part->owned + 1, 8, "part offsets", &csr.offsets);
    if (!status)
        status = weir__activity_for("counting arcs", "vertices", part->owned, WEIR__ARC_CHUNK, 0,
                                    count_rows, &csr);
    if (!status) {
        weir__prefix_sum(csr.offsets, part->owned);
        part->arcs_out = csr.offsets[part->owned];
        status = weir__alloc(part->arcs_out, weir__rows_key_bytes(build), "part arcs", &csr.keys);
    }
    if (!status)
        status = weir__rows_sort(build, part, csr.offsets, csr.keys, 0);
    if (!status)
        status = bring_csr(&csr, part->arcs_out, &part->out);
    free(csr.offsets);
    free(csr.keys);
    free(csr.half);
    return status;
}

/* The rows lie in the transpose one after the other: they are sorted and sent from there. */
static weir_status place_in(struct weir__rows_build *build, weir_rows_part *part)
{
    struct csr csr = {.build = build, .part = part, .in = 1};
    weir_status there = place_there(build, part, 1);
    if (there != WEIR_ERR_NOMEM)
        return there;
    if (build->sizes) {
        part->arcs_in = build->sizes->in_arcs_of[part->part];
        return bring_csr(&csr, part->arcs_in, &part->in);
    }
    weir_status status = weir__rows_transpose(build);
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
    status = weir__rows_sort(build, part, csr.offsets, csr.keys, 1);
    if (!status)
        status = bring_csr(&csr, part->arcs_in, &part->in);
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
    } else if (!status && build->config->in_arcs) {
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
