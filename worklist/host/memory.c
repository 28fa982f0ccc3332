/** @file memory.c  Where a worklist's bags, channels and words lie.
 *
 * A worker's bags lie in its device's memory, and spill into page-locked host memory (spill.c). Memory that
 * several workers write and read (rings of channels, mail, statuses) lies with the worker that reads it, if all workers
 * that write it reach it. Otherwise, and if routes are staged, it lies in host memory. */
#include "worklist/host/internal.h"
#include "runtime/config.h"

#include <stdlib.h>
#include <string.h>

#define PIECES_MOST 65536u
/* Items of a narrow round at most: so many, with a few atoms each, are updated in about the time of one access. */
#define NARROW_MOST 32768u
/* Narrow rounds are spread over blocks until a block has a quarter of the items that its queue holds: the power of two. */
#define NARROW_SPREAD_LOG 2u

size_t weir__worklist_args_bytes(const struct weir_worklist *list)
{
    return sizeof(struct weir_engine_args) + list->op->state_bytes;
}

/* The next hops of each worker by the route plan, each once; and for each worker those that have it as a next hop. */
void weir__worklist_wire(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        uint8_t seen[WEIR_DEVICES_MAX] = {0};
        worker->hop_count = worker->source_count = 0;
        for (uint32_t to = 0; to < list->count; to++)
            if (to != i && !seen[list->routes.next[i][to]]++)
                worker->hops[worker->hop_count++] = list->routes.next[i][to];
    }
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t h = 0; h < list->workers[i].hop_count; h++) {
            struct worker *to = &list->workers[list->workers[i].hops[h]];
            to->sources[to->source_count++] = i;
        }
}

/* Elements of a bag in device memory. @param[out] bytes_out  of each element. */
static uint32_t bag_room(const struct weir_worklist *list, uint32_t bag, uint32_t *bytes_out)
{
    const int soft = list->config.order == WEIR_ORDER_SOFT;
    const uint32_t items = list->queue_items;
    *bytes_out = list->op->item_bytes;
    if (bag == WEIR_BAG_PIECE) {
        *bytes_out = list->op->piece_bytes;
        return items < PIECES_MOST ? items : PIECES_MOST;
    }
    if (bag == WEIR_BAG_HELD || bag == WEIR_BAG_HELD + 1) {
        *bytes_out = list->op->wire_bytes;
        return list->count == 1 ? 0 : 2 * items;
    }
    if (bag >= WEIR_BAG_BUCKET)
        return !soft ? 0 : items / 8 > 16 ? items / 8 : 16;
    if (bag < WEIR_BAG_FAR)
        return items;
    /* A tile is deferred once for each path by which it was reached so far, so the far bags are larger. */
    return !soft ? 0 : items < (uint32_t)1 << 28 ? 4 * items : (uint32_t)1 << 30;
}

/* Whether rounds may be narrow (narrow_tmpl.h): one resident kernel with the default worker and mapping, a small group
 * of lanes for each tile, and an operator that opts in. */
static int has_narrow(const struct weir_worklist *list)
{
    const weir_worklist_config *config = &list->config;
    return list->op->narrow && weir__worklist_fused(list) && list->count == 1 && list->cuts &&
           config->worker == WEIR_WORKER_WARP && !config->fetch && config->group < 32;
}

static weir_status allocate_bags(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    uint32_t spilling[WEIR_SPILLING_BAGS] = {0};
    weir_status status = WEIR_OK;
    if (has_narrow(list))
        status =
            weir_device_alloc(worker->device, sizeof(uint64_t) * 2 * NARROW_MOST, &worker->bounds);
    for (uint32_t b = 0; b < WEIR_BAGS && !status; b++) {
        uint32_t bytes, room = bag_room(list, b, &bytes);
        if (room == 0)
            continue;
        status = weir_device_alloc(worker->device, (size_t)room * bytes, &worker->bags[b]);
        if (b < WEIR_SPILLING_BAGS)
            spilling[b] = bytes;
    }
    if (status)
        return status;
    return weir__spill_create(
        &worker->spill, weir_context_home(list->context),
        weir__config_get(weir_context_config(list->context), WEIR__SPILL_BYTES), spilling);
}

/* Whether all pairs of workers reach each other of which one sends to the other, or one coordinates (the first does). */
static int all_reach(const struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t j = 0; j < list->count; j++) {
            int meet = i == 0 || j == 0 || list->routes.next[i][j] == j;
            if (i != j && meet &&
                !weir_device_reaches(list->workers[i].device, list->workers[j].device))
                return 0;
        }
    return 1;
}

static weir_device *words_device(const struct weir_worklist *list, const struct worker *worker)
{
    return list->home_words ? weir_context_home(list->context) : worker->device;
}

static weir_status allocate_words(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_device *home = weir_context_home(list->context);
    void *memory;
    weir_status status;
    if ((status = weir_device_alloc(worker->device, sizeof *worker->control, &memory)))
        return status;
    worker->control = memory;
    if ((status = weir_device_alloc(home, sizeof *worker->image, &memory)))
        return status;
    worker->image = memory;
    memset(worker->image, 0, sizeof *worker->image); /* statistics may be asked for before a run */
    if ((status = weir_device_alloc(words_device(list, worker), sizeof *worker->mail, &memory)))
        return status;
    worker->mail = memory;
    return weir__calloc(1, weir__worklist_args_bytes(list), "kernel arguments", &worker->args);
}

static weir_status allocate_channels(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    const size_t bytes = (size_t)list->channel_items * list->op->wire_bytes;
    weir_status status = WEIR_OK;
    if (weir__worklist_fused(list))
        for (uint32_t l = 0; l < worker->source_count && !status; l++)
            status = weir_device_alloc(words_device(list, worker), bytes, &worker->channel_in[l]);
    else
        for (uint32_t l = 0; l < worker->hop_count && !status; l++)
            status = weir_device_alloc(worker->device, bytes, &worker->channel_out[l]);
    return status;
}

static weir_status allocate_worker(struct worker *worker)
{
    weir_device_info info;
    weir_status status;
    weir_device_info_get(worker->device, &info);
    if ((status = weir_queue_create(worker->device, 0, &worker->queue)))
        return status;
    if (info.kind == WEIR_DEVICE_CUDA &&
        (status = weir_queue_create(worker->device, 1, &worker->stop_queue)))
        return status;
    if (weir_event_acquire(worker->device, &worker->done))
        return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    if ((status = allocate_words(worker)) || (status = allocate_channels(worker)))
        return status;
    return allocate_bags(worker);
}

weir_status weir__worklist_allocate(struct weir_worklist *list)
{
    void *memory;
    weir_status status;
    list->home_words =
        !weir__worklist_fused(list) || list->routes.kind == WEIR_ROUTE_STAGED || !all_reach(list);
    for (uint32_t i = 0; i < list->count; i++)
        if ((status = allocate_worker(&list->workers[i])))
            return status;
    status = weir_device_alloc(words_device(list, &list->workers[0]),
                               list->count * sizeof *list->statuses, &memory);
    list->statuses = status ? NULL : memory;
    return status;
}

static void free_worker(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_device *home = weir_context_home(list->context);
    weir_device_free(worker->device, worker->bounds);
    for (uint32_t b = 0; b < WEIR_BAGS; b++)
        weir_device_free(worker->device, worker->bags[b]);
    weir__spill_destroy(&worker->spill);
    for (uint32_t l = 0; l < list->count; l++) {
        weir_device_free(words_device(list, worker), worker->channel_in[l]);
        weir_device_free(worker->device, worker->channel_out[l]);
    }
    weir_device_free(words_device(list, worker), worker->mail);
    weir_device_free(home, worker->image);
    weir_device_free(worker->device, worker->control);
    weir_event_release(worker->done);
    free(worker->args);
}

void weir__worklist_free(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        /* All queues are destroyed before any memory is freed: a kernel that was given up may still write to the memory
         * of other workers. */
        weir_queue_destroy(list->workers[i].stop_queue);
        weir_queue_destroy(list->workers[i].queue);
    }
    if (list->statuses)
        weir_device_free(words_device(list, &list->workers[0]), list->statuses);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].device)
            free_worker(&list->workers[i]);
}

/* ---- the words of a run ------------------------------------------------------------------------ */

static struct weir_bag bag_of(const struct worker *worker, uint32_t b)
{
    struct weir_bag bag = {.spill = NULL};
    uint32_t bytes, room = bag_room(worker->list, b, &bytes);
    if (b < WEIR_SPILLING_BAGS)
        bag = weir__spill_bag(&worker->spill, b);
    bag.slots = worker->bags[b];
    bag.room = worker->bags[b] ? room : 0;
    return bag;
}

/* Where the ring of a channel lies: in the receiver's memory, or in the worker's own if the host sends from it. */
static void image_channel_out(const struct worker *worker, uint32_t channel,
                              struct weir_channel_out *out)
{
    const struct weir_worklist *list = worker->list;
    const struct worker *to = &list->workers[worker->hops[channel]];
    uint32_t at = 0;
    out->mask = list->channel_items - 1;
    out->to = to->index;
    if (!weir__worklist_fused(list)) {
        out->slots = worker->channel_out[channel];
        out->tail = &worker->published[0];
        out->epoch = &worker->published[1];
        return;
    }
    while (to->sources[at] != worker->index)
        at++;
    out->slots = to->channel_in[at];
    out->tail = &to->mail->in_tail[at];
    out->epoch = &to->mail->in_epoch[at];
}

static void image_channel_in(const struct worker *worker, uint32_t channel,
                             struct weir_channel_in *in)
{
    const struct weir_worklist *list = worker->list;
    const struct worker *from = &list->workers[worker->sources[channel]];
    uint32_t at = 0;
    while (from->hops[at] != worker->index)
        at++;
    *in = (struct weir_channel_in){worker->channel_in[channel], &from->mail->out_credit[at],
                                   list->channel_items - 1, from->index};
}

static void image_order(const struct weir_worklist *list, struct weir_work_order *order)
{
    const weir_worklist_config *config = &list->config;
    uint32_t hint = config->delta_hint / 4; /* four buckets for the width that was guessed */
    *order = (struct weir_work_order){.threshold = UINT32_MAX,
                                      .delta = 1,
                                      .window = WEIR_BUCKETS,
                                      .near_bag = WEIR_BAG_NEAR,
                                      .far_bag = WEIR_BAG_FAR,
                                      .held_bag = WEIR_BAG_HELD};
    if (config->order != WEIR_ORDER_SOFT)
        return;
    order->delta = config->delta ? config->delta : hint ? hint : 1;
    order->threshold = order->delta;
}

static void image_control(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    struct weir_control *image = worker->image;
    struct weir_ledger *ledger = &image->ledger;
    memset(image, 0, sizeof *image);
    for (uint32_t l = 0; l < worker->hop_count; l++) {
        image_channel_out(worker, l, &image->out[l]);
        image->out_limit[l] = list->channel_items;
    }
    for (uint32_t to = 0; to < list->count; to++)
        for (uint32_t l = 0; l < worker->hop_count; l++)
            if (to != worker->index && worker->hops[l] == list->routes.next[worker->index][to])
                image->channel_of[to] = (uint8_t)l;
    if (weir__worklist_fused(list)) {
        const struct seeds *seeds = &list->seeds[worker->index];
        for (uint32_t l = 0; l < worker->source_count; l++)
            image_channel_in(worker, l, &image->in[l]);
        image->in[worker->source_count] =
            (struct weir_channel_in){seeds->wires, NULL, seeds->room ? seeds->room - 1 : 0, 0};
        image->in[worker->source_count + 1] =
            (struct weir_channel_in){.slots = NULL, .mask = UINT32_MAX};
    }
    ledger->produced =
        (uint64_t)list->seeds[worker->index].count + list->seeds[worker->index].numbers;
    for (uint32_t i = 0; i < list->count; i++)
        image->command_of[i] = &list->workers[i].mail->command;
    for (uint32_t g = 0; g < WEIR_ARRIVALS; g++)
        image->arrived[g] = weir_arrivals_none(g);
    image_order(list, &image->plan.order);
    ledger->plan.order = image->plan.order;
    ledger->window_told = WEIR_BUCKETS;
    ledger->turn = 1; /* at work */
    ledger->delay = list->delay ? list->delay + worker->index * UINT64_C(7919) : 0;
}

/* A block queue holds two sets for each warp but one. Rounds are spread over so many blocks that few ever have as many items,
 * since items that a queue has no room for go over the bag. */
static void image_block_queue(uint32_t blocks, uint32_t warps, struct weir_engine_args *args)
{
    const uint32_t sets = 2 * (warps > 1 ? warps - 1 : 1), log = args->block_least_log;
    uint32_t most = sets * args->fetch_least;
    most = most < WEIR_BLOCK_QUEUE_MOST ? most : WEIR_BLOCK_QUEUE_MOST;
    args->queue_most = most < WEIR_NARROW_QUEUED / blocks ? most : WEIR_NARROW_QUEUED / blocks;
    args->narrow_items_log = log > NARROW_SPREAD_LOG ? log - NARROW_SPREAD_LOG : 0;
    args->narrow_blocks_log = weir_bits_u32(blocks) - 1;
}

/* All blocks of a narrow round run at once, one on each unit, and a warp has two sets of it at most. */
static void image_narrow(const struct worker *worker, uint32_t units, uint32_t warps,
                         struct weir_engine_args *args)
{
    args->group_log = weir_bits_u32(args->group) - 1;
    if (!worker->bounds || units == 0 || units > WEIR_NARROW_BLOCKS)
        return;
    image_block_queue(units, warps, args);
    const uint64_t items = (uint64_t)2 << (args->narrow_blocks_log + args->block_least_log);
    args->narrow = items < NARROW_MOST ? (uint32_t)items : NARROW_MOST;
    args->bounds[0] = worker->bounds;
    args->bounds[1] = args->bounds[0] + NARROW_MOST;
}

static void image_args(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    const weir_worklist_config *config = &list->config;
    struct weir_engine_args *args = (struct weir_engine_args *)(void *)worker->args;
    const int fused = weir__worklist_fused(list);
    const uint32_t seed_channels = list->op->seeds ? 2 : 1;
    weir_device_info info;
    weir_device_info_get(worker->device, &info);
    *args =
        (struct weir_engine_args){.control = worker->control,
                                  .statuses = list->statuses,
                                  .mail = worker->mail,
                                  .word = weir_word_make(0, WEIR_ACTION_IDLE, 0, 31, 0),
                                  .limit_ns = (uint64_t)config->time_limit_ms * 1000000u,
                                  .target = (uint64_t)list->count * info.units * 64u,
                                  .index = worker->index,
                                  .workers = list->count,
                                  .channels_out = worker->hop_count,
                                  .channels_in = fused ? worker->source_count + seed_channels : 0,
                                  .order = (uint32_t)config->order,
                                  .worker = (uint32_t)config->worker,
                                  .fetch = config->fetch,
                                  .mapping = (uint32_t)config->mapping,
                                  .group = config->group,
                                  .cut = list->cut,
                                  .delta_fixed = config->delta != 0,
                                  .tile_atoms = list->tile_atoms,
                                  .wire_bytes = list->op->wire_bytes,
                                  .usual = list->cuts && config->worker == WEIR_WORKER_WARP,
                                  .once = !fused};
    const uint32_t warps = info.kind == WEIR_DEVICE_CUDA ? 16 : 1;
    weir__worklist_fetch(list, warps, info.lanes, args);
    image_narrow(worker, info.units, warps, args);
    args->stage_channels = worker->stage_channels;
    for (uint32_t b = 0; b < WEIR_BAGS; b++)
        args->bag[b] = bag_of(worker, b);
}

static weir_status put_words(struct worker *worker, const struct weir_mail *mail)
{
    struct weir_worklist *list = worker->list;
    weir_device *home = weir_context_home(list->context);
    weir_status status = weir_queue_copy(worker->queue, worker->device, worker->control, home,
                                         worker->image, sizeof *worker->image);
    if (!status && list->home_words)
        *worker->mail = *mail;
    else if (!status)
        status =
            weir_queue_copy(worker->queue, worker->device, worker->mail, home, mail, sizeof *mail);
    return status;
}

/* Seeds wait in two more channels, which come after those of other workers. */
static void image_seeds(struct weir_mail *mail, const struct worker *worker)
{
    const struct seeds *seeds = &worker->list->seeds[worker->index];
    mail->in_tail[worker->source_count] = seeds->count;
    mail->in_tail[worker->source_count + 1] = seeds->numbers;
}

weir_status weir__worklist_reset(struct weir_worklist *list)
{
    weir_device *home = weir_context_home(list->context);
    const size_t bytes = list->count * sizeof *list->statuses;
    struct weir_mail *mail;
    struct weir_status_words *statuses;
    void *memory;
    weir_status status;
    if ((status = weir_device_alloc(home, list->count * sizeof *mail + bytes, &memory)))
        return status;
    memset(memory, 0, list->count * sizeof *mail + bytes);
    mail = memory;
    statuses = (struct weir_status_words *)(void *)(mail + list->count);
    for (uint32_t i = 0; i < list->count; i++)
        statuses[i].turn = 1;
    for (uint32_t i = 0; i < list->count && !status; i++) {
        struct worker *worker = &list->workers[i];
        image_control(worker);
        image_args(worker);
        if (weir__worklist_fused(list))
            image_seeds(&mail[i], worker);
        status = put_words(worker, &mail[i]);
    }
    if (!status && list->home_words)
        memcpy(list->statuses, statuses, bytes);
    else if (!status)
        status = weir_queue_copy(list->workers[0].queue, list->workers[0].device, list->statuses,
                                 home, statuses, bytes);
    for (uint32_t i = 0; i < list->count; i++) {
        weir_status synced = weir_queue_sync(list->workers[i].queue);
        status = status ? status : synced;
    }
    weir_device_free(home, memory);
    return status;
}

void weir__worklist_delay(struct weir_worklist *list, uint64_t seed)
{
    list->delay = seed;
}
