/** @file traversal_need.c  What a traversal takes of devices' and host memory, before any of it is taken. */
#include "algorithms/common/need.h"
#include "algorithms/common/placement.h"
#include "algorithms/common/traversal.h"
#include "runtime/config.h"

#define PACKET_BYTES (UINT64_C(1) << 20) /* what the worklist takes where WEIR_PACKET_BYTES is 0 */

/* Bytes that a part takes for items on their way to and from other parts: items that wait until a ring has room again, and
 * the rings. A value seldom improves after it was sent, so one item is counted for each vertex of the halo. Where a traversal
 * may have many items, the rings from all other parts are used whole; each has room for half of a queue or for some packets. */
static uint64_t sent_bytes(const struct weir__sizes *sizes, const weir_operator *op,
                           const weir_traversal_config *config, uint32_t p)
{
    const weir_config *tunables = weir_context_config(sizes->context);
    const uint64_t halo = weir__halo_most(sizes, p), queue = 2 * sizes->owned[p] + halo;
    const uint64_t packet = weir__config_get(tunables, WEIR__PACKET_BYTES);
    const uint64_t packets =
        (packet ? packet : PACKET_BYTES) * weir__config_get(tunables, WEIR__LINK_BUFFERS);
    uint64_t ring = 1;
    if (!config->halo_items || sizes->parts == 1)
        return halo * op->wire_bytes;
    while (ring < queue / 2 || ring * op->wire_bytes < packets)
        ring *= 2;
    return (halo + ring * (sizes->parts - 1)) * op->wire_bytes;
}

/* Queues are counted as far as a run fills them as a rule: with an item for each vertex in each of the two bags that take
 * turns, with as many again in the buckets and the far bag in soft order, and with one for each vertex of a halo. Runs
 * seldom write to all the memory that WEIR_QUEUE_ITEMS and WEIR_SPILL_BYTES allow. Of live kernels they have room for two items a
 * vertex, rounded up to powers of two. */
void weir__traversal_need(const struct weir__sizes *sizes, const weir_operator *op,
                          const weir_run_options *options, const weir_traversal_config *config,
                          struct weir__need *need)
{
    const int soft = options->order == WEIR_ORDER_SOFT ||
                     (options->order == WEIR_ORDER_AUTO && config->delta_hint &&
                      options->kernel != WEIR_KERNEL_LIVE);
    /* Queues of live kernels have a mark for each item, which is written before the first run. */
    const uint64_t item = options->kernel == WEIR_KERNEL_LIVE
                              ? 4 * ((uint64_t)op->item_bytes + sizeof(uint32_t))
                              : (soft ? 4 : 2) * (uint64_t)op->item_bytes;
    for (uint32_t p = 0; p < sizes->parts; p++) {
        const weir_device *device = weir_context_device(sizes->context, p);
        const uint64_t rows = sizes->owned[p], halo = weir__halo_most(sizes, p);
        weir__need_take_on(need, device, rows + halo, config->value_bytes);
        weir__need_take_on(need, device, rows < sizes->touched ? rows : sizes->touched, item);
        weir__need_take_on(need, device, sent_bytes(sizes, op, config, p), 1);
    }
    weir__need_pass(need, sizes->vertices,
                    config->value_bytes); /* for values that come to the host */
}

weir_status weir__traversal_check_room(const weir_placement *placement, const weir_operator *op,
                                       const weir_run_options *options,
                                       const weir_traversal_config *config)
{
    struct weir__sizes sizes = {
        .context = placement->context, .vertices = placement->vertices, .parts = placement->parts};
    struct weir__need need = {0, 0};
    for (uint32_t p = 0; p < placement->parts; p++) {
        sizes.owned[p] = placement->part[p].owned;
        sizes.arcs_of[p] = placement->arcs[p];
        sizes.in_arcs_of[p] = placement->in_arcs[p];
        sizes.arcs += placement->arcs[p] + placement->in_arcs[p];
    }
    sizes.touched = sizes.arcs < sizes.vertices ? sizes.arcs + 1 : sizes.vertices;
    weir__traversal_need(&sizes, op, options, config, &need);
    weir__need_take(&need, options->reserved_bytes, 1);
    return weir__need_fits(&need, "a traversal by %s of %llu vertices", op->name,
                           (unsigned long long)placement->vertices);
}
