/** @file spill.c  Items that found no room on their device wait in host memory.
 *
 * The slow way, taken only when a queue is full, so copies are waited for. First in, first out, and
 * what is deferred while older items are spilled goes behind them: a pass over the deferred queue
 * comes to each item once. Bounded by WEIR_SPILL_BYTES a worker. */
#include "worklist/internal.h"

#include <stdlib.h>

struct chunk {
    struct chunk *next;
    char *items;          /* memory of the home device */
    uint32_t from, count; /* items [from, count) are still here */
    uint64_t bytes;
};

static weir_status chunk_create(struct worker *worker, uint32_t count, uint32_t item_bytes,
                                struct chunk **chunk_out)
{
    struct weir_worklist *list = worker->list;
    uint64_t bytes = (uint64_t)count * item_bytes;
    void *items;
    weir_status status;
    if (bytes > list->spill_bound - worker->spilled_bytes)
        return weir__fail(WEIR_ERR_NOMEM,
                          "worker %u spills more than %llu bytes of work items "
                          "(WEIR_SPILL_BYTES); larger queues (WEIR_QUEUE_ITEMS) spill less",
                          worker->index, (unsigned long long)list->spill_bound);
    if ((status = weir__calloc(1, sizeof **chunk_out, "spill", chunk_out)))
        return status;
    if ((status = weir_device_alloc(weir_context_home(list->context), bytes, &items))) {
        free(*chunk_out);
        return status;
    }
    **chunk_out = (struct chunk){NULL, items, 0, count, bytes};
    worker->spilled_bytes += bytes;
    return WEIR_OK;
}

static void chunk_destroy(struct worker *worker, struct chunk *chunk)
{
    worker->spilled_bytes -= chunk->bytes;
    weir_device_free(weir_context_home(worker->list->context), chunk->items);
    free(chunk);
}

weir_status weir__spill_push(struct worker *worker, struct spill *spill, const char *items,
                             uint32_t count, uint32_t item_bytes)
{
    struct chunk *chunk;
    weir_status status;
    if (count == 0)
        return WEIR_OK;
    if ((status = chunk_create(worker, count, item_bytes, &chunk)))
        return status;
    status = weir_queue_copy(worker->queue, weir_context_home(worker->list->context), chunk->items,
                             worker->device, items, chunk->bytes);
    if (!status)
        status = weir_queue_sync(worker->queue);
    if (status) {
        chunk_destroy(worker, chunk);
        return status;
    }
    if (spill->last)
        spill->last->next = chunk;
    else
        spill->first = chunk;
    spill->last = chunk;
    spill->items += count;
    worker->stats.spilled += count;
    return WEIR_OK;
}

weir_status weir__spill_pop(struct worker *worker, struct spill *spill, char *items, uint32_t count,
                            uint32_t item_bytes, uint32_t *moved_out)
{
    weir_device *home = weir_context_home(worker->list->context);
    weir_status status = WEIR_OK;
    *moved_out = 0;
    while (*moved_out < count && spill->first && !status) {
        struct chunk *chunk = spill->first;
        uint32_t n = chunk->count - chunk->from;
        if (n > count - *moved_out)
            n = count - *moved_out;
        status = weir_queue_copy(
            worker->queue, worker->device, items + (size_t)*moved_out * item_bytes, home,
            chunk->items + (size_t)chunk->from * item_bytes, (size_t)n * item_bytes);
        if (!status)
            status = weir_queue_sync(worker->queue);
        if (status)
            break;
        *moved_out += n;
        chunk->from += n;
        spill->items -= n;
        if (chunk->from < chunk->count)
            continue;
        spill->first = chunk->next;
        if (!spill->first)
            spill->last = NULL;
        chunk_destroy(worker, chunk);
    }
    return status;
}

void weir__spill_drop(struct worker *worker, struct spill *spill)
{
    while (spill->first) {
        struct chunk *chunk = spill->first;
        spill->first = chunk->next;
        chunk_destroy(worker, chunk);
    }
    spill->last = NULL;
    spill->items = 0;
}
