/** @file gather.c  Results that lie on devices by number, brought to the host by vertex (gather.h says how). */
#include "algorithms/common/gather.h"
#include "algorithms/common/need.h"
#include "algorithms/common/values_op.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK (UINT64_C(1) << 16)

static weir_device *device(const struct weir__numbering *numbering, uint32_t p)
{
    return weir_context_device(numbering->context, p);
}

weir_status weir__numbering_create(const struct weir__numbering *fields,
                                   struct weir__numbering **numbering_out)
{
    weir_status status = weir__calloc(1, sizeof **numbering_out, "numbers", numbering_out);
    if (status)
        return status;
    **numbering_out = *fields;
    pthread_mutex_init(&(*numbering_out)->lock, NULL);
    return WEIR_OK;
}

void weir__numbering_destroy(struct weir__numbering *numbering)
{
    if (!numbering)
        return;
    for (uint32_t p = 0; p < numbering->parts; p++) {
        weir_queue_destroy(numbering->queue[p]);
        weir_device_free(device(numbering, p), numbering->map[p]);
    }
    pthread_mutex_destroy(&numbering->lock);
    free(numbering);
}

/* ---- on the host ------------------------------------------------------------------------------- */

struct permutation {
    const uint32_t *number;
    const char *from;
    char *to;
    size_t bytes;
};

static void permute(void *user, uint64_t begin, uint64_t end)
{
    const struct permutation *p = user;
    if (p->bytes == 4) /* the compiler moves values in registers if it knows their size */
        for (uint64_t v = begin; v < end; v++)
            memcpy(p->to + v * 4, p->from + (size_t)p->number[v] * 4, 4);
    else if (p->bytes == 8)
        for (uint64_t v = begin; v < end; v++)
            memcpy(p->to + v * 8, p->from + (size_t)p->number[v] * 8, 8);
    else
        for (uint64_t v = begin; v < end; v++)
            memcpy(p->to + v * p->bytes, p->from + p->number[v] * p->bytes, p->bytes);
}

void weir__permute(const uint32_t *number, uint64_t count, const void *values, size_t value_bytes,
                   void *values_out)
{
    struct permutation permutation = {number, values, values_out, value_bytes};
    weir__parallel_for(count, CHUNK, 0, permute, &permutation);
}

static weir_status gather_on_host(const struct weir__numbering *numbering,
                                  const void *const *values, size_t value_bytes, void *values_out)
{
    char *staged;
    weir_status status = weir__alloc(numbering->numbers, value_bytes, "gathered values", &staged);
    if (status)
        return status;
    for (uint32_t p = 0; p < numbering->parts && !status; p++)
        status = weir__download(device(numbering, p), staged + numbering->begin[p] * value_bytes,
                                values[p], numbering->owned[p] * value_bytes);
    if (!status)
        weir__permute(numbering->number, numbering->vertices, staged, value_bytes, values_out);
    free(staged);
    return status;
}

/* ---- maps -------------------------------------------------------------------------------------- */

struct inverse {
    const uint32_t *number;
    uint32_t *vertex;
    uint32_t begin, owned; /* the numbers that are wanted */
};

static void invert(void *user, uint64_t begin, uint64_t end)
{
    const struct inverse *inverse = user;
    for (uint64_t v = begin; v < end; v++) {
        const uint32_t row = inverse->number[v] - inverse->begin;
        if (inverse->number[v] >= inverse->begin && row < inverse->owned)
            inverse->vertex[row] = (uint32_t)v;
    }
}

static weir_status upload_map(const struct weir__numbering *numbering, uint32_t p, uint32_t *map)
{
    const size_t bytes = (size_t)numbering->owned[p] * sizeof *map;
    struct inverse inverse = {.number = numbering->number,
                              .vertex = NULL,
                              .begin = numbering->begin[p],
                              .owned = numbering->owned[p]};
    if (numbering->vertex)
        return weir__upload(device(numbering, p), map, numbering->vertex + numbering->begin[p],
                            bytes);
    weir_status status =
        weir__alloc(numbering->owned[p], sizeof *map, "vertices of a part", &inverse.vertex);
    if (status)
        return status;
    weir__parallel_for(numbering->vertices, CHUNK, 0, invert, &inverse);
    status = weir__upload(device(numbering, p), map, inverse.vertex, bytes);
    free(inverse.vertex);
    return status;
}

void weir__numbering_need(const struct weir__sizes *sizes, int table, struct weir__need *need)
{
    for (uint32_t p = 0; p < sizes->parts; p++) {
        weir__need_pass(need, table ? 0 : sizes->owned[p], sizeof(uint32_t));
        weir__need_take_on(need, weir_context_device(sizes->context, p), sizes->owned[p],
                           sizeof(uint32_t));
    }
}

/* Make the map of a part, if there is none yet. The caller holds the lock. */
static weir_status make_map(struct weir__numbering *numbering, uint32_t p)
{
    void *map;
    if (numbering->map[p])
        return WEIR_OK;
    weir_status status = weir_device_alloc(device(numbering, p),
                                           (size_t)numbering->owned[p] * sizeof(uint32_t), &map);
    if (status)
        return status;
    if ((status = upload_map(numbering, p, map)))
        weir_device_free(device(numbering, p), map);
    else
        numbering->map[p] = map;
    return status;
}

weir_status weir__numbering_map(struct weir__numbering *numbering, uint32_t part,
                                const uint32_t **map_out)
{
    pthread_mutex_lock(&numbering->lock);
    weir_status status = make_map(numbering, part);
    *map_out = numbering->map[part];
    pthread_mutex_unlock(&numbering->lock);
    return status;
}

weir_status weir__numbering_values(struct weir__numbering *numbering, uint32_t part,
                                   const void *data, weir_value_kind kind, weir_values *values_out)
{
    if (part >= numbering->parts)
        return weir__fail(WEIR_ERR_INVALID, "device %u has no values: the first %u take part", part,
                          numbering->parts);
    *values_out = (weir_values){.data = data,
                                .count = numbering->owned[part],
                                .first = numbering->begin[part],
                                .kind = kind,
                                .bytes = kind == WEIR_VALUE_F64 ? sizeof(double) : sizeof(uint32_t),
                                .scale = 1};
    return weir__numbering_map(numbering, part, &values_out->vertices);
}

/* ---- on devices -------------------------------------------------------------------------------- */

static int may_be_on_devices(const struct weir__numbering *numbering, size_t value_bytes)
{
    if (numbering->vertices == 0 || (value_bytes != 4 && value_bytes != 8))
        return 0;
    for (uint32_t p = 1; p < numbering->parts; p++)
        if (!weir_device_reaches(device(numbering, p), device(numbering, 0)))
            return 0;
    return 1;
}

/* Make everything that has to be there before the first value moves. The caller holds the lock. */
static weir_status prepare(struct weir__numbering *numbering)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < numbering->parts && !status; p++) {
        status = make_map(numbering, p);
        if (!status && !numbering->queue[p])
            status = weir_queue_create(device(numbering, p), 0, &numbering->queue[p]);
    }
    return status;
}

/* Every device stores its own values into the array in the memory of device 0. The caller holds the lock. */
static weir_status renumber(struct weir__numbering *numbering, const void *const *values,
                            size_t value_bytes, void *array)
{
    weir_status status = WEIR_OK;
    uint32_t started = 0;
    while (started < numbering->parts && !status) {
        const values_renumber_args args = {.values = values[started],
                                           .vertex = numbering->map[started],
                                           .out = array,
                                           .rows = numbering->owned[started],
                                           .bytes = (uint32_t)value_bytes};
        status = weir_queue_launch(numbering->queue[started++], &weir__values_renumber_kernel,
                                   &args, sizeof args);
    }
    for (uint32_t p = 0; p < started; p++) {
        weir_status synced = weir_queue_sync(numbering->queue[p]);
        status = status ? status : synced;
    }
    return status;
}

weir_status weir__gather_on_devices(struct weir__numbering *numbering, const void *const *values,
                                    size_t value_bytes, void *values_out)
{
    const size_t bytes = (size_t)numbering->vertices * value_bytes;
    void *array = NULL;
    if (!may_be_on_devices(numbering, value_bytes))
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "values of %zu bytes cannot be put in order on these devices",
                          value_bytes);
    pthread_mutex_lock(&numbering->lock);
    weir_status status = prepare(numbering);
    if (!status && !(status = weir_device_alloc(device(numbering, 0), bytes, &array)))
        status = renumber(numbering, values, value_bytes, array);
    pthread_mutex_unlock(&numbering->lock);
    if (!status)
        status = weir__download(device(numbering, 0), values_out, array, bytes);
    weir_device_free(device(numbering, 0), array);
    return status;
}

/* Whether an array on a device helps: host devices have the host's own memory, which values would pass once more. */
static int all_gpus(const struct weir__numbering *numbering)
{
    for (uint32_t p = 0; p < numbering->parts; p++)
        if (!weir__device_is_gpu(device(numbering, p)))
            return 0;
    return 1;
}

weir_status weir__gather(struct weir__numbering *numbering, const void *const *values,
                         size_t value_bytes, void *values_out)
{
    weir_status status = WEIR_ERR_NOMEM;
    if (value_bytes == 0)
        return weir__fail(WEIR_ERR_INVALID, "values of 0 bytes cannot be gathered");
    if (may_be_on_devices(numbering, value_bytes) && all_gpus(numbering))
        status = weir__gather_on_devices(numbering, values, value_bytes, values_out);
    /* If the pool has no room beside the graph, values go through the host. */
    return status == WEIR_ERR_NOMEM ? gather_on_host(numbering, values, value_bytes, values_out)
                                    : status;
}
