/** @file rows_number_device.c  Numbers by degree, by the first device: what rows_number.c does with the cores of the host, bit for bit. */
#include "algorithms/common/rows_build.h"
#include "algorithms/common/rows_number_op.h"
#include "algorithms/graph/csr.h"
#include "algorithms/graph/sort_keys.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <string.h>

#define LEAST_VERTICES (UINT64_C(1) << 20) /* the host sorts fewer about as fast */

struct numbering {
    const struct weir__rows_build *build;
    weir_device *device;
    weir_queue *queue;
    rows_number_args args;
    uint64_t *offsets, *keys[2];
    uint32_t *order[2], *in_degree, *number, *vertex, *degree;
    uint8_t *owner;
    void *temp;
};

int weir__rows_number_on_device(const struct weir__rows_build *build)
{
    const weir_rows *rows = build->rows;
    if (build->sizes || rows->order != WEIR_ROWS_BY_DEGREE || rows->vertices >> 31)
        return 0;
    return build->piece || (rows->vertices >= LEAST_VERTICES &&
                            weir__device_is_gpu(weir_context_device(rows->context, 0)));
}

/* An array of the device, with what the host has of it. */
static weir_status bring(const struct numbering *n, const char *what, const void *from,
                         uint64_t count, size_t bytes, void *array_out)
{
    void *array;
    weir_status status = weir__device_alloc_as(n->device, what, count, bytes, array_out);
    if (status || !from)
        return status;
    memcpy(&array, array_out, sizeof array);
    return weir__upload(n->device, array, from, count * bytes);
}

static weir_status take(struct numbering *n)
{
    const struct weir__rows_build *build = n->build;
    const uint64_t vertices = build->rows->vertices, numbers = build->rows->numbers;
    weir_status status = WEIR_OK;
    if ((status = weir_queue_create(n->device, 0, &n->queue)) ||
        (status = bring(n, "offsets of the graph", build->graph->offsets, vertices + 1, 8,
                        &n->offsets)) ||
        (build->in_degree &&
         (status = bring(n, "in-degrees", build->in_degree, vertices, 4, &n->in_degree))) ||
        (build->rows->parts > 1 &&
         (status = bring(n, "owners", build->owner, vertices, 1, &n->owner))))
        return status;
    for (int i = 0; i < 2 && !status; i++)
        if (!(status = bring(n, "keys of vertices", NULL, vertices, 8, &n->keys[i])))
            status = bring(n, "order of vertices", NULL, vertices, 4, &n->order[i]);
    if (!status && !(status = bring(n, "numbers", NULL, vertices, 4, &n->number)) &&
        !(status = bring(n, "vertices of numbers", NULL, numbers, 4, &n->vertex)))
        status = bring(n, "degrees", NULL, numbers, 4, &n->degree);
    return status;
}

static void give_back(struct numbering *n)
{
    weir_queue_destroy(n->queue); /* first: what a call that failed left in it uses the memory */
    weir_device_free(n->device, n->offsets);
    weir_device_free(n->device, n->in_degree);
    weir_device_free(n->device, n->owner);
    for (int i = 0; i < 2; i++) {
        weir_device_free(n->device, n->keys[i]);
        weir_device_free(n->device, n->order[i]);
    }
    weir_device_free(n->device, n->number);
    weir_device_free(n->device, n->vertex);
    weir_device_free(n->device, n->degree);
    weir_device_free(n->device, n->temp);
}

static void set_args(struct numbering *n, uint32_t degree_max)
{
    const weir_rows *rows = n->build->rows;
    n->args = (rows_number_args){.vertices = rows->vertices,
                                 .offsets = n->offsets,
                                 .in_degree = n->in_degree,
                                 .owner = n->owner,
                                 .degree_max = degree_max,
                                 .degree_bits = weir__csr_bits(degree_max + UINT64_C(1)),
                                 .keys = n->keys[0],
                                 .order = n->order[0],
                                 .parts = rows->parts,
                                 .number = n->number,
                                 .vertex = n->vertex,
                                 .degree = n->degree};
    for (uint32_t p = 0; p < rows->parts; p++) {
        n->args.begin[p] = rows->part[p].begin;
        n->args.before[p + 1] = n->args.before[p] + rows->part[p].owned;
    }
}

static weir_status sort(struct numbering *n)
{
    uint64_t temp_bytes = 0;
    uint32_t which = 0;
    sort_keys_args sort = {.keys = {n->keys[0], n->keys[1]},
                           .values = {n->order[0], n->order[1]},
                           .count = n->args.vertices,
                           .bits = n->args.degree_bits + weir__csr_bits(n->args.parts),
                           .which_out = &which,
                           .temp_bytes_out = &temp_bytes};
    weir_status status = weir_queue_launch(n->queue, &weir__sort_keys_kernel, &sort, sizeof sort);
    if (status || (status = weir_queue_sync(n->queue)))
        return status;
    sort.temp_bytes = temp_bytes + 1;
    if ((status = weir__device_alloc_as(n->device, "a sort", sort.temp_bytes, 1, &n->temp)))
        return status;
    sort.temp = n->temp;
    if ((status = weir_queue_launch(n->queue, &weir__sort_keys_kernel, &sort, sizeof sort)) ||
        (status = weir_queue_sync(n->queue)))
        return status;
    n->args.keys = n->keys[which];
    n->args.order = n->order[which];
    return WEIR_OK;
}

static weir_status back(const struct numbering *n)
{
    const weir_rows *rows = n->build->rows;
    weir_status status = weir__download(n->device, rows->number, n->number, rows->vertices * 4);
    if (!status)
        status = weir__download(n->device, rows->vertex, n->vertex, rows->numbers * UINT64_C(4));
    if (!status)
        status = weir__download(n->device, rows->degree, n->degree, rows->numbers * UINT64_C(4));
    return status;
}

weir_status weir__rows_number_there(const struct weir__rows_build *build, uint32_t degree_max)
{
    struct numbering n = {.build = build, .device = weir_context_device(build->rows->context, 0)};
    struct weir__activity outer;
    weir_status status;
    weir__activity_part(&outer, "numbering vertices", "vertices", 0);
    if (!(status = take(&n))) {
        set_args(&n, degree_max);
        if (!(status =
                  weir_queue_launch(n.queue, &weir__rows_keys_kernel, &n.args, sizeof n.args)) &&
            !(status = sort(&n)) && !(status = weir__activity_went(0)) &&
            !(status =
                  weir_queue_launch(n.queue, &weir__rows_number_kernel, &n.args, sizeof n.args)) &&
            !(status = weir_queue_sync(n.queue)))
            status = back(&n);
    }
    give_back(&n);
    return weir__activity_end(&outer, status);
}
