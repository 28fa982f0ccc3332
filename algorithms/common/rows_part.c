/** @file rows_part.c  The rows of one part: built in host memory, sorted, brought to its device.
 *
 * A row is sorted as keys of 32 bits, or of 64 with the weight of each arc in the other half (rows_sort.c);
 * weights part from numbers when they are brought, unless pairs are wanted. Parts are built one after the other, each on all cores,
 * so that the host holds one at a time. */
#include "algorithms/graph/build.h"
#include "algorithms/common/bring.h"
#include "algorithms/common/rows_build.h"
#include "algorithms/common/rows_device_op.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

/* One direction of a part's arcs. */
struct csr {
    const struct weir__rows_build *build;
    const weir_rows_part *part;
    weir_device *device;
    uint64_t *offsets;
    void *keys;
    uint32_t *half; /* numbers, then weights, on their way to the device */
    uint32_t low;   /* the lower half is on its way */
    int in;         /* they are in-arcs */
    int stay;       /* the keys lie on the device, which works in the host's memory */
};

static const char *ends_of(const struct csr *csr)
{
    return weir__rows_arcs_name(csr->build->config, csr->in);
}

static int stays(const struct csr *csr)
{
    return weir__rows_stay(csr->device, csr->build->rows->memory);
}

/* Where keys lie on the device, if no halves part from them. */
static void place_keys(const struct csr *csr, const void *placed, weir_arcs *arcs_out)
{
    weir_rows_pairs *pairs = &csr->build->rows->pairs[csr->part->part];
    if (!csr->build->config->pairs)
        arcs_out->targets = placed;
    else if (csr->in)
        pairs->in = placed;
    else
        pairs->out = placed;
}

/* Memory for keys. Where the device works in the host's memory they are written to the place where they stay, unless weights have to
 * part from them. */
static weir_status take_keys(struct csr *csr, uint64_t arcs, weir_arcs *arcs_out)
{
    const size_t bytes = weir__rows_key_bytes(csr->build);
    if (weir__rows_part_halves(csr->build->config) || !stays(csr))
        return weir__alloc(arcs, bytes, "part arcs", &csr->keys);
    const weir_status status =
        weir__device_alloc_as(csr->device, ends_of(csr), arcs, bytes, &csr->keys);
    csr->stay = !status;
    place_keys(csr, csr->keys, arcs_out);
    return status;
}

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

/* Keys that were sorted by number become pairs. */
static void turn_keys(void *user, uint64_t begin, uint64_t end)
{
    uint64_t *keys = ((const struct csr *)user)->keys;
    for (uint64_t i = begin; i < end; i++)
        keys[i] = keys[i] << 32 | keys[i] >> 32;
}

/* Sort a part's rows, as keys in any case, which are pairs then if those are wanted. @param[in] dealt  as in weir__rows_sort(). */
static weir_status sort_keys(struct csr *csr, const void *dealt, uint64_t arcs)
{
    const weir_rows_config *config = csr->build->config;
    const weir_status status =
        weir__rows_sort(csr->build, csr->part, csr->offsets, dealt, csr->keys);
    if (status || !config->pairs || config->by_weight)
        return status;
    return weir__activity_for("pairing weights", "arcs", arcs, WEIR__ARC_CHUNK, 0, turn_keys, csr);
}

/* By way of a buffer, or where it stays. */
static weir_status bring_half(struct csr *csr, const char *what, int low, uint64_t arcs,
                              const uint32_t **placed_out)
{
    const int here = !csr->build->sizes && stays(csr);
    uint32_t *buffer = csr->half;
    const void *placed = NULL;
    weir_status status = WEIR_OK;
    csr->low = low != 0;
    if (here) {
        status = weir__device_alloc_as(csr->device, what, arcs, sizeof *buffer, &csr->half);
        placed = csr->half;
    }
    if (!status)
        status = weir__activity_for("parting weights", "arcs", csr->half ? arcs : 0,
                                    WEIR__ARC_CHUNK, 0, part_halves, csr);
    if (!status && !here)
        status = weir__bring_arcs(csr->device, csr->build->rows->memory, what, csr->half, arcs, 4,
                                  &placed);
    csr->half = buffer;
    *placed_out = placed;
    return status;
}

static weir_status bring_csr(struct csr *csr, uint64_t arcs, weir_arcs *arcs_out)
{
    const struct weir__rows_build *build = csr->build;
    const void *offsets = NULL, *keys = NULL;
    weir_status status =
        weir__bring(csr->device, csr->in ? "offsets of in-arcs" : "offsets of out-arcs",
                    csr->offsets, (uint64_t)csr->part->owned + 1, 8, &offsets);
    arcs_out->offsets = offsets;
    if (status || csr->stay)
        return status;
    if (!weir__rows_part_halves(build->config)) {
        status = weir__bring_arcs(csr->device, build->rows->memory, ends_of(csr), csr->keys, arcs,
                                  weir__rows_key_bytes(build), &keys);
        place_keys(csr, keys, arcs_out);
        return status;
    }
    if ((!build->sizes && !stays(csr) &&
         (status = weir__alloc(arcs, 4, "part weights", &csr->half))) ||
        (status =
             bring_half(csr, ends_of(csr), build->config->by_weight, arcs, &arcs_out->targets)) ||
        (status = bring_half(csr, csr->in ? "weights of in-arcs" : "weights of out-arcs",
                             !build->config->by_weight, arcs, &arcs_out->weights)))
        return status;
    return WEIR_OK;
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
    weir__need_take(&need, arcs, weir__rows_part_halves(build->config) ? 4 : 0);
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
    struct csr csr = {.build = build,
                      .part = part,
                      .device = weir_context_device(build->rows->context, part->part)};
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
        status = take_keys(&csr, part->arcs_out, &part->out);
    }
    if (!status)
        status = sort_keys(&csr, NULL, part->arcs_out);
    if (!status)
        status = bring_csr(&csr, part->arcs_out, &part->out);
    free(csr.offsets);
    if (!csr.stay)
        free(csr.keys);
    free(csr.half);
    return status;
}

/* The rows lie in the transpose one after the other: they are sorted there and sent, or to where they stay. */
static weir_status place_in(struct weir__rows_build *build, weir_rows_part *part)
{
    struct csr csr = {.build = build,
                      .part = part,
                      .device = weir_context_device(build->rows->context, part->part),
                      .in = 1};
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
    const void *dealt = (char *)build->in_keys + before * weir__rows_key_bytes(build);
    if (weir__rows_part_halves(build->config) || !stays(&csr))
        csr.keys = (void *)(uintptr_t)dealt;
    else
        status = take_keys(&csr, part->arcs_in, &part->in);
    if (!status)
        status = sort_keys(&csr, dealt, part->arcs_in);
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

static weir_status find_firsts(weir_device *device, const rows_firsts_args *args)
{
    weir_queue *queue;
    weir_status status = weir_queue_create(device, 0, &queue);
    if (status)
        return status;
    if (!(status = weir_queue_launch(queue, &weir__rows_firsts_kernel, args, sizeof *args)))
        status = weir_queue_sync(queue);
    weir_queue_destroy(queue);
    return status;
}

/* By the part's device, which has the arcs: also of those in host memory, and whoever put them in order. */
static weir_status place_firsts(const struct weir__rows_build *build, weir_rows_part *part, int in)
{
    weir_device *device = weir_context_device(build->rows->context, part->part);
    weir_rows_pairs *pairs = &build->rows->pairs[part->part];
    weir_arcs *arcs = in ? &part->in : &part->out;
    rows_firsts_args args = {
        .offsets = arcs->offsets, .targets = arcs->targets, .rows = part->owned};
    const char *what = in ? "first in-arcs" : "first out-arcs";
    weir_status status;
    if (build->config->pairs) {
        args.pairs = in ? pairs->in : pairs->out;
        status = weir__device_alloc_as(device, WEIR__PAIR_FIRSTS_NAME, part->owned,
                                       2 * sizeof *args.pair_firsts, &args.pair_firsts);
        pairs->firsts = args.pair_firsts;
    } else {
        status =
            weir__device_alloc_as(device, what, part->owned, sizeof *args.firsts, &args.firsts);
        arcs->firsts = args.firsts;
    }
    return status || build->sizes || !part->owned ? status : find_firsts(device, &args);
}

/* Whether the first arcs of a direction are kept. */
static int wants_firsts(const struct weir__rows_build *build, int in)
{
    if (!build->config->firsts || !build->config->pairs)
        return build->config->firsts;
    return build->rows->memory == WEIR_MEMORY_HOST && in == wants_in(build);
}

weir_status weir__rows_place_part(struct weir__rows_build *build, uint32_t p)
{
    weir_rows *rows = build->rows;
    weir_rows_part *part = &rows->part[p];
    const void *degree = NULL;
    weir_status status = place_out(build, part);
    if (!status && wants_firsts(build, 0))
        status = place_firsts(build, part, 0);
    if (!status && build->config->in_arcs && rows->symmetric) {
        part->in = part->out;
        rows->pairs[p].in = rows->pairs[p].out;
        part->arcs_in = part->arcs_out;
    } else if (!status && wants_in(build)) {
        status = place_in(build, part);
        if (!status && wants_firsts(build, 1))
            status = place_firsts(build, part, 1);
    }
    if (!status && build->config->out_degrees)
        status = weir__bring(weir_context_device(rows->context, p), "out-degrees", rows->degree,
                             rows->numbers, 4, &degree);
    part->out_degree = degree;
    if (!status && build->config->out_bytes)
        status = place_bytes(build, part);
    return status;
}
