/** @file color_push.c  A colouring through the worklist: the operator of color_push_op.h over a placed graph. */
#include "algorithms/color/color.h"
#include "algorithms/color/color_push_op.h"
#include "algorithms/common/need.h"
#include "algorithms/common/placement.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <stdlib.h>

extern const weir_operator weir__color_push_operator;

static weir_device *device_of(const weir_color *color, uint32_t p)
{
    return weir_context_device(color->head.context, p);
}

static weir_traversal_config traversal_config(void)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.halo_items =
        1; /* those of other devices' vertices wait here until they have been told */
    return config;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* What the arrays of a device take, and what the host has for them at a time. */
static weir_status fits(const weir_color *color, const struct weir__making *making)
{
    const weir_traversal_config config = traversal_config();
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(making->context, making->graph, making->partition, &sizes);
    if (!status && color->both)
        status = weir__sizes_transpose(making->graph, making->partition, &sizes);
    if (status)
        return status;
    weir__placement_need(&sizes, WEIR_PART_WEIGHTS_NONE, making->options->memory, &need);
    for (uint32_t p = 0; p < sizes.parts; p++) {
        const uint64_t halo = sizes.parts > 1 ? weir__halo_most(&sizes, p) : 0;
        const uint64_t order = color->config.permute ? sizes.owned[p] : 0;
        weir__need_take_on(&need, device_of(color, p), halo, sizeof(uint64_t));
        weir__need_take_on(&need, device_of(color, p), order, sizeof(uint32_t));
        weir__need_pass(&need, order, sizeof(uint32_t));
        weir__need_pass(&need, halo, sizeof(uint64_t) + sizeof(uint32_t));
    }
    weir__traversal_need(&sizes, &weir__color_push_operator, making->options, &config, &need);
    weir__need_take(&need, making->options->reserved_bytes, 1);
    return weir__need_fits(&need, "a colouring of %s", making->graph->name);
}

/* ---- building --------------------------------------------------------------------------------- */

static int ascending(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

/* Where each vertex of the halo lies there, by global number. @param[in] halo, heard  host memory, halo_count each. */
static weir_status enter_heard(const weir_color *color, uint32_t p, uint32_t *halo, uint64_t *heard)
{
    const weir_part *part = weir_placement_part(color->head.placement, p);
    weir_status status =
        weir__download(device_of(color, p), halo, part->halo, part->halo_count * sizeof *halo);
    if (status)
        return status;
    for (uint32_t i = 0; i < part->halo_count; i++)
        heard[i] = (uint64_t)halo[i] << 32 | i;
    qsort(heard, part->halo_count, sizeof *heard, ascending);
    return weir__upload(device_of(color, p), color->heard[p], heard,
                        part->halo_count * sizeof *heard);
}

static weir_status create_heard(weir_color *color, uint32_t p)
{
    const weir_part *part = weir_placement_part(color->head.placement, p);
    uint32_t *halo = NULL;
    uint64_t *heard = NULL;
    weir_status status;
    if (!part->halo_count)
        return WEIR_OK;
    if ((status = weir__device_alloc_as(device_of(color, p), "places in the halo", part->halo_count,
                                        sizeof *heard, &color->heard[p])) ||
        weir__context_planned(color->head.context))
        return status;
    if (!(status = weir__alloc(part->halo_count, sizeof *halo, "a halo", &halo)) &&
        !(status = weir__alloc(part->halo_count, sizeof *heard, "places in the halo", &heard)))
        status = enter_heard(color, p, halo, heard);
    free(halo);
    free(heard);
    return status;
}

static weir_status create_turn(weir_color *color, uint32_t p)
{
    const uint64_t zero = 0;
    weir_status status;
    if (weir__device_is_gpu(device_of(color, p)))
        return WEIR_OK;
    status = weir__device_alloc_as(device_of(color, p), "turns", 1, sizeof zero, &color->turn[p]);
    return status || weir__context_planned(color->head.context)
               ? status
               : weir__upload(device_of(color, p), color->turn[p], &zero, sizeof zero);
}

static weir_status create_order(weir_color *color, uint32_t p)
{
    const uint32_t owned = weir_placement_part(color->head.placement, p)->owned;
    weir_status status;
    if (!color->config.permute || !owned)
        return WEIR_OK;
    status = weir__device_alloc_as(device_of(color, p), "order", owned, sizeof(uint32_t),
                                   &color->order[p]);
    return status ? status : weir__color_draw(color, p, (uint64_t)p << 32, owned, color->order[p]);
}

static weir_status bind(weir_color *color, uint32_t p)
{
    const color_push_state state = {
        .part = *weir_placement_part(color->head.placement, p),
        .color = weir_traversal_values(color->head.traversal, p),
        .turn = color->turn[p],
        .heard = color->heard[p],
        .order = color->order[p],
        .both = (uint32_t)color->both,
    };
    return weir_traversal_bind(color->head.traversal, p, &state);
}

static weir_status place(weir_color *color, const struct weir__making *making)
{
    weir_placement_config config = WEIR_PLACEMENT_CONFIG_INIT;
    config.in_arcs = 1; /* neighbours are at both ends */
    config.memory =
        making->options->memory == WEIR_MEMORY_HOST ? WEIR_MEMORY_HOST : WEIR_MEMORY_DEVICE;
    return weir_placement_create_with(making->context, making->graph, making->partition, &config,
                                      &color->head.placement);
}

weir_status weir__color_push_create(weir_color *color, const struct weir__making *making)
{
    const weir_traversal_config config = traversal_config();
    weir_run_options options = *making->options;
    weir_status status;
    options.direction = WEIR_DIRECTION_PUSH;
    options.memory = WEIR_MEMORY_AUTO; /* the placement has said where arcs lie */
    color->both = !weir__place_symmetric(making->graph, WEIR_PART_WEIGHTS_NONE);
    if ((status = fits(color, making)) || (status = place(color, making)) ||
        (status = weir_traversal_create(color->head.placement, &weir__color_push_operator, &options,
                                        &config, &color->head.traversal)))
        return status;
    for (uint32_t p = 0; p < color->head.parts && !status; p++)
        if (!(status = create_turn(color, p)) && !(status = create_heard(color, p)) &&
            !(status = create_order(color, p)))
            status = bind(color, p);
    return status;
}

void weir__color_push_destroy(weir_color *color)
{
    for (uint32_t p = 0; p < color->head.parts; p++) {
        weir_device_free(device_of(color, p), color->turn[p]);
        weir_device_free(device_of(color, p), color->heard[p]);
        weir_device_free(device_of(color, p), color->order[p]);
    }
}

/* ---- runs ------------------------------------------------------------------------------------- */

weir_status weir__color_push_run(weir_color *color, weir_run_stats *stats)
{
    weir_status status = weir_traversal_seed_all(color->head.traversal);
    return status ? status : weir_traversal_run(color->head.traversal, stats);
}
