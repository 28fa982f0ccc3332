/** @file ring.c  A queue of work items in device memory.
 *
 * Kernels of one round append behind `tail` and read from `head`; the host moves both once the
 * round is over, so no index is shared between running kernels and the host. */
#include "worklist/internal.h"

weir_status weir__ring_create(struct worker *worker, struct ring *ring, uint32_t capacity,
                              uint32_t item_bytes)
{
    void *slots;
    weir_status status = weir_device_alloc(worker->device, (size_t)capacity * item_bytes, &slots);
    if (status)
        return status;
    *ring = (struct ring){.slots = slots, .item_bytes = item_bytes, .capacity = capacity};
    return WEIR_OK;
}

void weir__ring_destroy(struct worker *worker, struct ring *ring)
{
    weir__spill_drop(worker, &ring->spill);
    weir_device_free(worker->device, ring->slots);
}

uint32_t weir__ring_count(const struct ring *ring)
{
    return (uint32_t)(ring->tail - ring->head);
}

uint32_t weir__ring_room(const struct ring *ring)
{
    return ring->capacity - weir__ring_count(ring);
}

static char *slot(const struct ring *ring, uint64_t at)
{
    return ring->slots + (size_t)(at & (ring->capacity - 1)) * ring->item_bytes;
}

/* Slots from `at` to the end of the memory. */
static uint32_t straight(const struct ring *ring, uint64_t at)
{
    return ring->capacity - (uint32_t)(at & (ring->capacity - 1));
}

/* Move the newest `count` items behind those that are spilled. */
static weir_status spill_newest(struct worker *worker, struct ring *ring, uint32_t count)
{
    uint64_t from = ring->tail - count;
    uint32_t n = straight(ring, from) < count ? straight(ring, from) : count;
    weir_status status =
        weir__spill_push(worker, &ring->spill, slot(ring, from), n, ring->item_bytes);
    if (status)
        return status;
    status =
        weir__spill_push(worker, &ring->spill, slot(ring, from + n), count - n, ring->item_bytes);
    ring->tail = status ? from + n : from;
    return status;
}

weir_status weir__ring_make_room(struct worker *worker, struct ring *ring, uint32_t need)
{
    uint32_t room = weir__ring_room(ring);
    if (room >= need && room >= ring->capacity / 4)
        return WEIR_OK;
    return spill_newest(worker, ring, ring->capacity / 2 - room);
}

weir_status weir__ring_keep_order(struct worker *worker, struct ring *ring, uint32_t count)
{
    return ring->spill.items && count ? spill_newest(worker, ring, count) : WEIR_OK;
}

weir_status weir__ring_refill(struct worker *worker, struct ring *ring)
{
    while (ring->spill.items > 0 && weir__ring_count(ring) < ring->capacity / 2) {
        uint32_t want = ring->capacity / 2 - weir__ring_count(ring), moved;
        if (want > straight(ring, ring->tail))
            want = straight(ring, ring->tail);
        weir_status status = weir__spill_pop(worker, &ring->spill, slot(ring, ring->tail), want,
                                             ring->item_bytes, &moved);
        if (status)
            return status;
        ring->tail += moved;
    }
    return WEIR_OK;
}
