/** @file sizes.c  Whether what a block keeps for itself fits: tiles, and packed items on their way to other devices.
 *
 * On a GPU that is shared memory, of which a block has little; on a host device the stack of a thread. Asked when a
 * worklist is made, since a kernel that does not fit would fail at its first launch, or crash. */
#include "worklist/host/internal.h"

#include <stdio.h>

/* Besides the block a host device's thread has items in the frames of the functions that it is in. Compilers put
 * fewer than a dozen there, those that look for mistakes some more. */
#define ITEMS_IN_FRAMES 32u
/* Of long items a host device's thread keeps one near one, and a deferred one of each bag. */
#define KEPT_ITEMS (2u + WEIR_BUCKETS)

/* Items that a block keeps: a set of tiles for each warp, on a host device those that it has not put into a bag yet, and with narrow
 * rounds a queue and deferred ones. */
static uint64_t items_of_block(const struct weir_operator *op, int cuda)
{
    return (cuda ? 512u : 32u + ITEMS_IN_FRAMES + KEPT_ITEMS) +
           (op->narrow ? 5u * WEIR_BLOCK_QUEUE_MOST : 0u);
}

/* Says how long items may be, where shorter ones would be enough. Packed ones are long, otherwise: only frames of a host
 * device's thread hold those. */
static weir_status refuse(const weir_operator *op, const weir_device_info *info, uint64_t need,
                          uint64_t limit)
{
    const int cuda = info->kind == WEIR_DEVICE_CUDA;
    const uint64_t items = items_of_block(op, cuda);
    const uint64_t less = (need - limit + items - 1) / items;
    const uint64_t most = less < op->item_bytes ? (op->item_bytes - less) / 8 * 8 : 0;
    char fit[64] = "packed items must be shorter";
    if (most)
        snprintf(fit, sizeof fit, "items of at most %llu bytes fit", (unsigned long long)most);
    return weir__fail(WEIR_ERR_INVALID,
                      "operator %s: items of %u bytes, %u packed, take %llu bytes of %s on %s, "
                      "where at most %llu may be taken: %s",
                      op->name, op->item_bytes, op->wire_bytes, (unsigned long long)need,
                      cuda ? "a block's shared memory" : "a thread's stack", info->label,
                      (unsigned long long)limit, fit);
}

/* Half of a stack is left to callbacks and to whatever a sanitizer puts between variables. */
static weir_status check_host(const weir_operator *op, const weir_device_info *info)
{
    const uint64_t need =
        op->block_bytes + ITEMS_IN_FRAMES * ((uint64_t)op->item_bytes + op->wire_bytes);
    return need <= info->block_bytes / 2 ? WEIR_OK : refuse(op, info, need, info->block_bytes / 2);
}

/* Staging saves traffic on links; where memory is short fewer channels have it. */
static weir_status check_cuda(const weir_operator *op, const weir_device_info *info,
                              uint32_t *stage_channels)
{
    uint64_t need = op->block_bytes_cuda ? op->block_bytes_cuda(*stage_channels) : 0;
    while (need > info->block_bytes && *stage_channels)
        need = op->block_bytes_cuda(--*stage_channels);
    return need <= info->block_bytes ? WEIR_OK : refuse(op, info, need, info->block_bytes);
}

static weir_status check_worker(struct worker *worker)
{
    const weir_operator *op = worker->list->op;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(worker->device, &info);
    uint32_t fit = (uint32_t)(WEIR_STAGE_BYTES / ((uint64_t)WEIR_STAGE_ROOM * op->wire_bytes));
    fit = fit < WEIR_STAGE_CHANNELS ? fit : WEIR_STAGE_CHANNELS;
    worker->stage_channels = fit < worker->hop_count ? fit : worker->hop_count;
    return info.kind == WEIR_DEVICE_CUDA ? check_cuda(op, &info, &worker->stage_channels)
                                         : check_host(op, &info);
}

weir_status weir__worklist_sizes(struct weir_worklist *list)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < list->count && !status; i++)
        status = check_worker(&list->workers[i]);
    return status;
}
