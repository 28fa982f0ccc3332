/** @file gather.c  Results that lie on devices by number, brought to the host by vertex (gather.h says how). */
#include "algorithms/common/gather.h"
#include "algorithms/common/need.h"
#include "runtime/observe.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK (UINT64_C(1) << 16)
#define WIDEN_CHUNK \
    (UINT64_C(1) << 17) /* values that a thread takes: fewer do not pay for its start */
#define STRETCH_LEAST (UINT64_C(4) << 20) /* bytes of a stretch: a copy of fewer takes no longer */
#define STRETCH_MOST  (UINT64_C(16) << 20)

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
    weir_queue_destroy(numbering->queue);
    weir_device_free(device(numbering, 0), numbering->order);
    weir_device_free(device(numbering, 0), numbering->counted);
    for (uint32_t p = 0; p < numbering->parts; p++)
        weir_device_free(device(numbering, p), numbering->map[p]);
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

/* ---- wider ------------------------------------------------------------------------------------- */

struct widening {
    const struct weir__numbering *numbering;
    enum values_form form;
    void *values;
    uint64_t base; /* the vertex that an interval counts from */
};

/* Makes the values of an interval wider, from its end on: what is written over was read before. */
static void widen_some(void *user, uint64_t begin, uint64_t end)
{
    const struct widening *w = user;
    const uint32_t first = 0;
    const uint32_t *vertex = w->numbering ? w->numbering->vertex : NULL;
    const unsigned char *front = w->values;
    unsigned char *back = w->values;
    for (uint64_t v = w->base + end; v-- > w->base + begin;) {
        uint32_t narrow;
        memcpy(&narrow, front + v * sizeof narrow, sizeof narrow);
        const uint64_t wide = values_widen(narrow, w->form, &first, 1, &vertex);
        memcpy(back + v * sizeof wide, &wide, sizeof wide);
    }
}

/* The back half is made of the second quarter by all cores, then the second quarter of what lies before it, and so on; the last ones
 * by one core from the back: no memory is taken, which a run would have to wait for. */
void weir__widen(const struct weir__numbering *numbering, uint64_t count, enum values_form form,
                 void *values)
{
    struct widening widening = {.numbering = numbering, .form = form, .values = values};
    while (count > WIDEN_CHUNK) {
        widening.base = (count + 1) / 2;
        weir__parallel_for(count - widening.base, WIDEN_CHUNK, 0, widen_some, &widening);
        count = widening.base;
    }
    widening.base = 0;
    widen_some(&widening, 0, count);
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
    if (weir__context_planned(numbering->context)) /* there may be no numbers */
        return WEIR_OK;
    if (numbering->vertex)
        return weir__upload(device(numbering, p), map, numbering->vertex + numbering->begin[p],
                            bytes);
    weir_status status =
        weir__alloc(numbering->owned[p], sizeof *map, "vertices of a part", &inverse.vertex);
    if (status)
        return status;
    status = weir__activity_for("turning numbers round", "vertices", numbering->vertices, CHUNK, 0,
                                invert, &inverse);
    if (!status)
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
    uint32_t *map;
    if (numbering->map[p])
        return WEIR_OK;
    weir_status status = weir__device_alloc_as(device(numbering, p), "vertices by number",
                                               numbering->owned[p], sizeof *map, &map);
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
        if (!weir_device_reaches(device(numbering, 0), device(numbering, p)))
            return 0;
    return 1;
}

/* Bring the number of each vertex into the memory of device 0. The caller holds the lock. */
static weir_status make_order(struct weir__numbering *numbering)
{
    const size_t bytes = (size_t)numbering->vertices * sizeof(uint32_t);
    void *order;
    weir_status status;
    if (numbering->order)
        return WEIR_OK;
    if ((status = weir__device_alloc_as(device(numbering, 0), WEIR__GATHER_ORDER,
                                        numbering->vertices, sizeof(uint32_t), &order)))
        return status;
    if ((status = weir__upload(device(numbering, 0), order, numbering->number, bytes)))
        weir_device_free(device(numbering, 0), order);
    else
        numbering->order = order;
    return status;
}

/* Make the maps that a form needs: the first device reads them where they are. */
static weir_status make_maps(struct weir__numbering *numbering, enum values_form form)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; form == VALUES_AS_VERTICES && p < numbering->parts && !status; p++)
        status = make_map(numbering, p);
    return status;
}

/* Make everything that has to be there before the first value moves. The caller holds the lock. */
static weir_status prepare(struct weir__numbering *numbering, enum values_form form)
{
    weir_status status = make_order(numbering);
    if (!status)
        status = make_maps(numbering, form);
    return status || numbering->queue
               ? status
               : weir_queue_create(device(numbering, 0), 0, &numbering->queue);
}

/* A result on its way to the host, in stretches of vertices. */
struct delivery {
    struct weir__numbering *numbering;
    values_order_args args; /* of a stretch */
    char *stage[2];         /* device memory; stretches take turns */
    uint64_t stretch;       /* vertices of one */
    size_t width;           /* bytes that a value becomes */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t stretch_at(const struct delivery *d, uint64_t vertex)
{
    return least(d->stretch, d->numbering->vertices - vertex);
}

/* Have the stretch that begins at a vertex put in order. */
static weir_status start_stretch(struct delivery *d, uint64_t vertex)
{
    if (vertex >= d->numbering->vertices)
        return WEIR_OK;
    d->args.number = d->numbering->order + vertex;
    d->args.out = d->stage[vertex / d->stretch % 2];
    d->args.count = stretch_at(d, vertex);
    return weir_queue_launch(d->numbering->queue, &weir__values_order_kernel, &d->args,
                             sizeof d->args);
}

/* While a stretch is copied the next one is put in order. */
static weir_status deliver(struct delivery *d, char *values_out)
{
    const size_t width = d->width;
    weir_status status = start_stretch(d, 0);
    for (uint64_t v = 0; v < d->numbering->vertices && !status; v += d->stretch) {
        if ((status = weir_queue_sync(d->numbering->queue)) ||
            (status = start_stretch(d, v + d->stretch)))
            break;
        status = weir__download(device(d->numbering, 0), values_out + v * width,
                                d->stage[v / d->stretch % 2], stretch_at(d, v) * width);
    }
    const weir_status synced = weir_queue_sync(d->numbering->queue);
    return status ? status : synced;
}

static void describe(struct delivery *d, const void *const *values, size_t value_bytes,
                     enum values_form form)
{
    const struct weir__numbering *numbering = d->numbering;
    d->width = form == VALUES_AS_THEY_ARE ? value_bytes : sizeof(uint64_t);
    const uint64_t eighth = numbering->vertices * d->width / 8;
    const uint64_t bytes = eighth < STRETCH_LEAST ? STRETCH_LEAST : least(eighth, STRETCH_MOST);
    d->stretch = least(bytes / d->width, numbering->vertices);
    d->args.parts = numbering->parts;
    d->args.bytes = (uint32_t)value_bytes;
    d->args.form = form;
    for (uint32_t p = 0; p < numbering->parts; p++) {
        d->args.values[p] = values[p];
        d->args.first[p] = numbering->begin[p];
    }
    d->args.first[numbering->parts] = UINT32_MAX;
}

weir_status weir__gather_on_devices(struct weir__numbering *numbering, const void *const *values,
                                    size_t value_bytes, enum values_form form, void *values_out)
{
    struct delivery delivery = {.numbering = numbering};
    void *stage = NULL;
    if (!may_be_on_devices(numbering, value_bytes))
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "values of %zu bytes cannot be put in order on these devices",
                          value_bytes);
    describe(&delivery, values, value_bytes, form);
    const size_t bytes = (size_t)delivery.stretch * delivery.width;
    pthread_mutex_lock(&numbering->lock);
    weir_status status = prepare(numbering, form);
    for (uint32_t p = 0; p < numbering->parts; p++)
        delivery.args.vertex[p] = numbering->map[p];
    if (!status &&
        !(status = weir__device_alloc_as(device(numbering, 0), WEIR__GATHER_STAGE,
                                         2 * delivery.stretch, delivery.width, &stage))) {
        delivery.stage[0] = stage;
        delivery.stage[1] = delivery.stage[0] + bytes;
        status = deliver(&delivery, values_out);
    }
    pthread_mutex_unlock(&numbering->lock);
    weir_device_free(device(numbering, 0), stage);
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

static weir_status gather(struct weir__numbering *numbering, const void *const *values,
                          size_t value_bytes, enum values_form form, void *values_out)
{
    weir_status status = WEIR_ERR_NOMEM;
    if (may_be_on_devices(numbering, value_bytes) && all_gpus(numbering))
        status = weir__gather_on_devices(numbering, values, value_bytes, form, values_out);
    if (status != WEIR_ERR_NOMEM)
        return status;
    /* If the pool has no room beside the graph, values go through the host. */
    status = gather_on_host(numbering, values, value_bytes, values_out);
    if (!status && form != VALUES_AS_THEY_ARE)
        weir__widen(numbering, numbering->vertices, form, values_out);
    return status;
}

weir_status weir__gather(struct weir__numbering *numbering, const void *const *values,
                         size_t value_bytes, void *values_out)
{
    if (value_bytes == 0)
        return weir__fail(WEIR_ERR_INVALID, "values of 0 bytes cannot be gathered");
    return gather(numbering, values, value_bytes, VALUES_AS_THEY_ARE, values_out);
}

weir_status weir__gather_wide(struct weir__numbering *numbering, const void *const *values,
                              enum values_form form, void *values_out)
{
    return gather(numbering, values, sizeof(uint32_t), form, values_out);
}

weir_status weir__gather_count(struct weir__numbering *numbering, size_t value_bytes,
                               enum values_form form)
{
    struct delivery delivery = {.numbering = numbering};
    const void *values[WEIR_DEVICES_MAX] = {NULL};
    weir_status status;
    if (!weir__context_planned(numbering->context) || !may_be_on_devices(numbering, value_bytes) ||
        !all_gpus(numbering))
        return WEIR_OK;
    describe(&delivery, values, value_bytes, form);
    const uint64_t bytes = 2 * delivery.stretch * delivery.width;
    if ((status = make_order(numbering)) || (status = make_maps(numbering, form)) ||
        bytes <= numbering->counted_bytes)
        return status;
    weir_device_free(device(numbering, 0), numbering->counted); /* one gather at a time */
    numbering->counted_bytes = bytes;
    return weir__device_alloc_as(device(numbering, 0), WEIR__GATHER_STAGE, 2 * delivery.stretch,
                                 delivery.width, &numbering->counted);
}
