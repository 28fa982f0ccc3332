/** @file live.c  The host's part of live kernels (engine/live_tmpl.h): what they cannot serve, and where their queues lie.
 *
 * A worker's queues lie in its device's memory, with the words and marks that say what is in them. All of it is 0 at first
 * and stays right from run to run, so nothing is copied before a run. Overflow queues lie in chunks of host memory (spill.c),
 * which are freed after each run; their words are reset when the next one begins. The ring of a channel lies where it does with
 * fused kernels, with a mark for each slot behind it. */
#include "runtime/config.h"
#include "worklist/host/internal.h"

#include <stdlib.h>
#include <string.h>

#define QUEUE_LEAST_LOG  4u /* items of a queue at least, as a power of two */
#define PIECES_MOST      65536u
#define MORE_ITEMS_WORDS 0
#define MORE_HELD_WORDS  1

static uint32_t log_below(uint64_t count)
{
    uint32_t log = 0;
    while (count >> 1) {
        count >>= 1;
        log++;
    }
    return log;
}

weir_status weir__live_check(const struct weir_worklist *list)
{
    const weir_worklist_config *config = &list->config;
    if (config->order == WEIR_ORDER_SOFT || config->order == WEIR_ORDER_BULK)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "kernel live: order %s goes by rounds, and it has none; choose fifo or leave "
            "it out",
            weir_order_kind_text(config->order));
    if (weir__device_is_gpu(list->workers[0].device) && !weir__worklist_all_reach(list))
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "kernel live: the GPUs do not reach each other's memory; choose fused");
    return WEIR_OK;
}

weir_status weir__live_choose(struct weir_worklist *list)
{
    uint32_t queues = list->config.queues;
    if (queues > WEIR_LIVE_QUEUES_MOST)
        return weir__fail(WEIR_ERR_INVALID, "%u queues: at most %u", queues, WEIR_LIVE_QUEUES_MOST);
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(worker->device, &info);
        const uint32_t usual =
            info.units < WEIR_LIVE_QUEUES_MOST ? info.units : WEIR_LIVE_QUEUES_MOST;
        worker->live_queues = queues ? queues : usual ? usual : 1;
        worker->live_room_log = QUEUE_LEAST_LOG;
        while ((uint64_t)worker->live_queues << worker->live_room_log < list->queue_items)
            worker->live_room_log++;
    }
    return WEIR_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Room of the other queues, as powers of two. */
static uint32_t pieces_log(const struct weir_worklist *list)
{
    return log_below(list->queue_items < PIECES_MOST ? list->queue_items : PIECES_MOST);
}

static uint32_t held_log(const struct weir_worklist *list)
{
    return log_below((uint64_t)2 * list->queue_items);
}

/* Marks of all queues of a worker: those of items, of pieces, of what is held. */
static uint64_t item_marks(const struct worker *worker)
{
    return (uint64_t)worker->live_queues << worker->live_room_log;
}

static uint64_t marks(const struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    return item_marks(worker) + ((uint64_t)1 << pieces_log(list)) +
           (list->count > 1 ? (uint64_t)1 << held_log(list) : 0);
}

/* The struct, then the words of the queues of items, of pieces and of what is held. */
static size_t live_bytes(const struct worker *worker)
{
    return sizeof *worker->live + (worker->live_queues + 2) * sizeof(struct weir_live_words);
}

/* Memory of this worker's device, or of the host, that is 0. */
static weir_status allocate_zeroed(const struct worker *worker, weir_device *device,
                                   const char *what, size_t bytes, void **memory_out)
{
    weir_status status = weir__device_alloc_as(device, what, 1, bytes, memory_out);
    if (status)
        return status;
    if (device == weir_context_home(worker->list->context)) {
        memset(*memory_out, 0, bytes);
        return WEIR_OK;
    }
    status = weir_queue_fill(worker->queue, *memory_out, 0, bytes);
    return status ? status : weir_queue_sync(worker->queue);
}

static weir_device *channel_device(const struct worker *worker)
{
    return worker->list->home_words ? weir_context_home(worker->list->context) : worker->device;
}

size_t weir__live_ring_bytes(const struct weir_worklist *list, size_t *marks_at_out)
{
    const size_t slots = (size_t)list->channel_items * list->op->wire_bytes;
    *marks_at_out = (slots + 127) / 128 * 128;
    return *marks_at_out + (size_t)list->channel_items * sizeof(uint32_t);
}

static weir_status allocate_slots(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    const weir_operator *op = list->op;
    weir_status status = weir__device_alloc_as(worker->device, "queue of items", item_marks(worker),
                                               op->item_bytes, &worker->bags[WEIR_BAG_NEAR]);
    if (!status)
        status = weir__device_alloc_as(worker->device, "queue of pieces",
                                       UINT64_C(1) << pieces_log(list), op->piece_bytes,
                                       &worker->bags[WEIR_BAG_PIECE]);
    if (!status && list->count > 1)
        status = weir__device_alloc_as(worker->device, "items that are held",
                                       UINT64_C(1) << held_log(list), op->wire_bytes,
                                       &worker->bags[WEIR_BAG_HELD]);
    return status;
}

/* The marks of rings were allocated with them. */
static weir_status clear_rings(const struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    size_t marks_at;
    const size_t bytes = weir__live_ring_bytes(list, &marks_at);
    weir_status status = WEIR_OK;
    for (uint32_t l = 0; l < worker->source_count && !status; l++) {
        char *ring_marks = (char *)worker->channel_in[l] + marks_at;
        if (list->home_words)
            memset(ring_marks, 0, bytes - marks_at);
        else
            status = weir_queue_fill(worker->queue, ring_marks, 0, bytes - marks_at);
    }
    return status ? status : weir_queue_sync(worker->queue);
}

weir_status weir__live_allocate(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    uint32_t spilling[WEIR_SPILLING_BAGS] = {0};
    void *memory = NULL;
    weir_status status;
    if ((status = allocate_slots(worker)) || (status = clear_rings(worker)))
        return status;
    status = allocate_zeroed(worker, worker->device, "words of live queues", live_bytes(worker),
                             &memory);
    worker->live = memory;
    if (status ||
        (status = allocate_zeroed(worker, worker->device, "marks of live queues",
                                  (size_t)marks(worker) * sizeof(uint32_t), &worker->live_marks)))
        return status;
    if (list->count > 1) {
        status = allocate_zeroed(worker, channel_device(worker), "credits",
                                 worker->hop_count * sizeof *worker->live_credit, &memory);
        if (status)
            return status;
        worker->live_credit = memory;
        spilling[WEIR_BAG_HELD] = list->op->wire_bytes + WEIR_LIVE_MARK_BYTES;
    }
    spilling[WEIR_BAG_NEAR] = list->op->item_bytes + WEIR_LIVE_MARK_BYTES;
    worker->spill.zeroed = 1;
    return weir__spill_create(
        &worker->spill, weir_context_home(list->context),
        weir__config_get(weir_context_config(list->context), WEIR__SPILL_BYTES), spilling);
}

void weir__live_free(struct worker *worker)
{
    weir_device_free(worker->device, worker->live);
    weir_device_free(worker->device, worker->live_marks);
    weir_device_free(channel_device(worker), worker->live_credit);
}

/* ---- where everything lies ------------------------------------------------------------------- */

/* Words of queue number @p queue of those behind the struct. */
static struct weir_live_words *words_at(const struct worker *worker, uint32_t queue)
{
    return (struct weir_live_words *)(void *)(worker->live + 1) + queue;
}

static struct weir_live_queue overflow(struct worker *worker, uint32_t bag, uint32_t words,
                                       uint32_t element_bytes)
{
    const struct weir_bag spill = weir__spill_bag(&worker->spill, bag);
    return (struct weir_live_queue){.words = &worker->live->more_words[words],
                                    .spill = spill.spill,
                                    .room_log = log_below(spill.more_room),
                                    .chunk_log = spill.chunk_log,
                                    .element_bytes = element_bytes,
                                    .exists = spill.more_room != 0};
}

static void image_queues(struct worker *worker, struct weir_live *image)
{
    const struct weir_worklist *list = worker->list;
    const weir_operator *op = list->op;
    uint32_t *all = worker->live_marks;
    image->queues = worker->live_queues;
    image->items = (struct weir_live_queue){.words = words_at(worker, 0),
                                            .slots = worker->bags[WEIR_BAG_NEAR],
                                            .marks = all,
                                            .room_log = worker->live_room_log,
                                            .element_bytes = op->item_bytes,
                                            .exists = 1};
    all += item_marks(worker);
    image->pieces = (struct weir_live_queue){.words = words_at(worker, worker->live_queues),
                                             .slots = worker->bags[WEIR_BAG_PIECE],
                                             .marks = all,
                                             .room_log = pieces_log(list),
                                             .element_bytes = op->piece_bytes,
                                             .exists = 1};
    all += (size_t)1 << pieces_log(list);
    image->held = (struct weir_live_queue){.words = words_at(worker, worker->live_queues + 1),
                                           .slots = worker->bags[WEIR_BAG_HELD],
                                           .marks = all,
                                           .room_log = held_log(list),
                                           .element_bytes = op->wire_bytes,
                                           .exists = list->count > 1};
    image->more_items = overflow(worker, WEIR_BAG_NEAR, MORE_ITEMS_WORDS, op->item_bytes);
    image->more_held = overflow(worker, WEIR_BAG_HELD, MORE_HELD_WORDS, op->wire_bytes);
}

static void image_source(struct weir_live *image, uint32_t source,
                         const struct weir_live_words *words)
{
    image->heads[source] = &words->head;
    image->tails[source] = &words->tail;
}

static void image_sources(const struct worker *worker, struct weir_live *image)
{
    const struct weir_live *live = worker->live;
    image_source(image, WEIR_LIVE_HOME, image->items.words);
    image_source(image, WEIR_LIVE_PIECE, image->pieces.words);
    image_source(image, WEIR_LIVE_HELD, image->held.words);
    image_source(image, WEIR_LIVE_MORE_HELD, image->more_held.words);
    image_source(image, WEIR_LIVE_MORE, image->more_items.words);
    image->heads[WEIR_LIVE_SEED] = &live->seed_next;
    image->tails[WEIR_LIVE_SEED] = &live->seed_end;
    image->heads[WEIR_LIVE_NUMBER] = &live->number_next;
    image->tails[WEIR_LIVE_NUMBER] = &live->number_end;
}

/* The ring from one worker to another, which both name by its place among their own channels. */
static void image_channels(const struct worker *worker, struct weir_live *image)
{
    const struct weir_worklist *list = worker->list;
    const uint32_t room_log = log_below(list->channel_items);
    size_t marks_at;
    (void)weir__live_ring_bytes(list, &marks_at);
    for (uint32_t l = 0; l < worker->hop_count; l++) {
        const struct worker *to = &list->workers[worker->hops[l]];
        uint32_t at = 0;
        while (to->sources[at] != worker->index)
            at++;
        char *ring = to->channel_in[at];
        image->out[l] = (struct weir_live_out){.slots = ring,
                                               .marks = (uint32_t *)(void *)(ring + marks_at),
                                               .credit = &worker->live_credit[l],
                                               .room_log = room_log};
    }
    for (uint32_t l = 0; l < worker->source_count; l++) {
        const struct worker *from = &list->workers[worker->sources[l]];
        uint32_t at = 0;
        while (from->hops[at] != worker->index)
            at++;
        const char *ring = worker->channel_in[l];
        image->in[l] =
            (struct weir_live_in){.slots = ring,
                                  .marks = (const uint32_t *)(const void *)(ring + marks_at),
                                  .credit = &from->live_credit[at],
                                  .room_log = room_log};
    }
}

weir_status weir__live_prepare(struct weir_worklist *list)
{
    struct weir_live *image;
    weir_status status = weir__calloc(1, sizeof *image, "live queues", &image);
    for (uint32_t i = 0; i < list->count && !status; i++) {
        struct worker *worker = &list->workers[i];
        memset(image, 0, sizeof *image);
        image_queues(worker, image);
        image_sources(worker, image);
        image_channels(worker, image);
        status = weir__upload(worker->device, worker->live, image, sizeof *image);
    }
    free(image);
    return status;
}

/* ---- statistics ------------------------------------------------------------------------------ */

void weir__live_sum(const struct worker *worker, weir_worklist_stats *out)
{
    const struct weir_live_run *run = &worker->image->live;
    out->pops += run->pops;
    out->empty_pops += run->empty_pops;
    out->steals += run->steals;
    out->queue_high = out->queue_high > run->high ? out->queue_high : run->high;
    out->queues = out->queues > worker->live_queues ? out->queues : worker->live_queues;
}
