/** @file begin.c  What a run begins with: the words, filled in on the host for each worker and copied to where its kernels read
 * them, once for resident kernels, and memory that a program wants to be filled. */
#include "worklist/host/internal.h"

#include <stdlib.h>
#include <string.h>

/* Narrow rounds are spread over blocks until each has a sixteenth of a set for each of its warps, on a host device a quarter: the powers of
 * two. What a round of few items takes on a GPU is its longest chain, whichever block has it. */
#define NARROW_SPREAD_LOG_GPU  4u
#define NARROW_SPREAD_LOG_HOST 2u
/* Sets of a narrow round for each warp at most, as a power of two. A GPU that is alone takes eight in less time than a round that is not
 * narrow needs for one; on several, and on host devices, two were measured. */
#define NARROW_SETS_LOG_ALONE 3u
#define NARROW_SETS_LOG       1u

/* A worker waits for others that are so many rounds behind it. With 2 words that are under way come too late on grids, and
 * what was done meanwhile is done again: 1.00 and 6 to 10 items a vertex on two GPUs. Wide rounds of a GPU take longer than words
 * are under way. */
#define PACE 1u

/* Atoms that tiles have on average where they count as long. */
#define LONG_TILES 8u
/* A search counts as small where all queues together have room for so many items, for each multiprocessor of one device, at most: its
 * rounds cost the same however much is in them. One over short tiles has few items in each round, one over long tiles may
 * have all of them in one. */
#define SMALL_SHORT 16384u
#define SMALL_LONG  4096u

size_t weir__worklist_args_bytes(const struct weir_worklist *list)
{
    return sizeof(struct weir_engine_args) + list->op->state_bytes;
}

static struct weir_bag bag_of(const struct worker *worker, uint32_t b)
{
    struct weir_bag bag = {.spill = NULL};
    uint32_t bytes, room = weir__worklist_bag_room(worker->list, b, &bytes);
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
    if (!weir__worklist_resident(list)) {
        out->slots = worker->channel_out[channel];
        out->tail = &worker->published[0];
        out->epoch = &worker->published[1];
        return;
    }
    while (to->sources[at] != worker->index)
        at++;
    out->slots = to->channel_in[at];
    out->woven = to->woven_in[at];
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
    *in = (struct weir_channel_in){.slots = worker->channel_in[channel],
                                   .credit = &from->mail->out_credit[at],
                                   .woven = worker->woven_in[channel],
                                   .woven_credit =
                                       &from->mail->woven_credit[at * worker->woven_rings],
                                   .mask = list->channel_items - 1,
                                   .from = from->index};
}

static int is_small(const struct weir_worklist *list, uint32_t most)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(list->workers[0].device, &info);
    return (uint64_t)list->queue_items * list->count / most < info.units;
}

static int has_long_tiles(const struct weir_worklist *list)
{
    return weir__device_is_gpu(list->workers[0].device) && list->tile_atoms >= LONG_TILES;
}

/* How many buckets the width that was guessed is to have. On GPUs small searches have fewer, since what they do twice costs them less
 * than rounds do; and those over long tiles, which have so few steps that the width has no time to grow. In long runs of
 * short tiles it would end too wide (a grid of 24 M vertices took 68 ms in place of 47). */
static uint32_t buckets_of_hint(const struct weir_worklist *list)
{
    if (has_long_tiles(list))
        return is_small(list, SMALL_LONG) ? 1 : 2;
    return weir__device_is_gpu(list->workers[0].device) && is_small(list, SMALL_SHORT) ? 2 : 4;
}

/* Whether the threshold rises by few buckets at first (weir_raise_most()). On several devices four rises more cost a small search more than
 * the better order saves, and there are eight now. */
static uint32_t is_gradual(const struct weir_worklist *list)
{
    return has_long_tiles(list) && (list->count == 1 || !is_small(list, SMALL_LONG));
}

uint32_t weir__worklist_delta(const struct weir_worklist *list)
{
    const weir_worklist_config *config = &list->config;
    const uint32_t hint = config->delta_hint / buckets_of_hint(list);
    return config->delta ? config->delta : hint ? hint : 1;
}

static void image_order(const struct weir_worklist *list, struct weir_work_order *order)
{
    *order = (struct weir_work_order){.threshold = UINT32_MAX,
                                      .delta = 1,
                                      .window = WEIR_BUCKETS,
                                      .near_bag = WEIR_BAG_NEAR,
                                      .far_bag = WEIR_BAG_FAR,
                                      .held_bag = WEIR_BAG_HELD};
    if (list->config.order != WEIR_ORDER_SOFT)
        return;
    order->delta = weir__worklist_delta(list);
    order->threshold = order->delta;
}

static void image_control(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    struct weir_control *image = worker->image;
    struct weir_ledger *ledger = &image->ledger;
    memset(image, 0, sizeof *image);
    for (uint32_t l = 0; l < worker->hop_count && !weir__worklist_live(list); l++) {
        image_channel_out(worker, l, &image->out[l]);
        image->out_limit[l] = list->channel_items;
        for (uint32_t r = 0; r < worker->woven_rings; r++)
            image->woven_limit[l * worker->woven_rings + r] = WEIR_WOVEN_SLOTS;
    }
    for (uint32_t to = 0; to < list->count; to++)
        for (uint32_t l = 0; l < worker->hop_count; l++)
            if (to != worker->index && worker->hops[l] == list->routes.next[worker->index][to])
                image->channel_of[to] = (uint8_t)l;
    if (list->config.kernel == WEIR_KERNEL_FUSED) {
        for (uint32_t l = 0; l < worker->source_count; l++)
            image_channel_in(worker, l, &image->in[l]);
        image->in[worker->source_count + 1] =
            (struct weir_channel_in){.slots = NULL, .mask = UINT32_MAX};
    }
    for (uint32_t i = 0; i < list->count; i++) {
        image->command_of[i] = &list->workers[i].mail->command;
        image->clock_of[i] = &list->workers[i].mail->clock[worker->index];
        image->live.run_of[i] = &list->workers[i].control->live;
    }
    for (uint32_t g = 0; g < WEIR_ARRIVALS; g++)
        image->arrived[g] = image->complete[g] = weir_arrivals_none(g);
    image_order(list, &image->plan.order);
    ledger->plan.order = image->plan.order;
    ledger->window_told = WEIR_BUCKETS;
    ledger->clock_seen = WEIR_CLOCK_NONE;
    ledger->turn = 1; /* at work */
}

static uint64_t delay_of(const struct worker *worker)
{
    const uint64_t delay = worker->list->delay;
    return delay ? delay + worker->index * UINT64_C(7919) : 0;
}

/* What differs from run to run. Resident kernels are told by their arguments (weir_engine_begin_run()). */
static void image_control_of_run(struct worker *worker)
{
    const struct seeds *seeds = &worker->list->seeds[worker->index];
    worker->image->ledger.produced = (uint64_t)seeds->count + seeds->numbers;
    worker->image->ledger.delay = delay_of(worker);
}

/* A block queue holds two sets for each warp but one. Rounds are spread over so many blocks that few ever have as many items,
 * since items that a queue has no room for go over the bag, from which all blocks get their share. */
static void image_block_queue(uint32_t blocks, uint32_t warps, struct weir_engine_args *args)
{
    const uint32_t sets = 2 * (warps > 1 ? warps - 1 : 1), log = args->block_least_log;
    const uint32_t spread = warps > 1 ? NARROW_SPREAD_LOG_GPU : NARROW_SPREAD_LOG_HOST;
    uint32_t most = sets * args->fetch_least;
    most = most < WEIR_BLOCK_QUEUE_MOST ? most : WEIR_BLOCK_QUEUE_MOST;
    args->queue_most = most < WEIR_NARROW_QUEUED / blocks ? most : WEIR_NARROW_QUEUED / blocks;
    args->narrow_items_log = log > spread ? log - spread : 0;
    args->narrow_blocks_log = weir_bits_u32(blocks) - 1;
}

/* All blocks of a narrow round run at once, one on each unit. */
static void image_narrow(const struct worker *worker, uint32_t units, uint32_t warps,
                         struct weir_engine_args *args)
{
    args->group_log = weir_bits_u32(args->group) - 1;
    if (!worker->bounds || units == 0 || units > WEIR_NARROW_BLOCKS)
        return;
    image_block_queue(units, warps, args);
    args->narrow_sets_log =
        warps > 1 && args->workers == 1 ? NARROW_SETS_LOG_ALONE : NARROW_SETS_LOG;
    const uint64_t items =
        (uint64_t)1 << (args->narrow_sets_log + args->narrow_blocks_log + args->block_least_log);
    args->narrow = items < WEIR_NARROW_MOST ? (uint32_t)items : WEIR_NARROW_MOST;
    args->bounds[0] = worker->bounds;
    args->bounds[1] = args->bounds[0] + WEIR_NARROW_MOST;
    if (!worker->woven_rings)
        return;
    args->woven_mask = WEIR_WOVEN_SLOTS - 1;
    args->woven_log = weir_bits_u32(worker->woven_rings) - 1;
    args->woven_in = worker->source_count * worker->woven_rings;
    args->woven_out = worker->hop_count * worker->woven_rings;
}

/* Items that are enough for a step of soft order. What a step costs whatever is in it, a few rounds, takes a multiprocessor as long
 * as some hundred items, and a thread of a host device as long as a few. With 64 for either, searches of meshes on GPUs took
 * 1.3 to 1.7 times as long and those of R-MAT graphs 1.2 to 1.4. */
static uint64_t step_items(const struct weir_worklist *list, const weir_device_info *info)
{
    return (uint64_t)list->count * info->units * (info->lanes > 1 ? 1024u : 64u);
}

static void image_args(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    const weir_worklist_config *config = &list->config;
    struct weir_engine_args *args = (struct weir_engine_args *)(void *)worker->args;
    const int resident = weir__worklist_resident(list);
    const uint32_t seed_channels = weir__worklist_live(list) ? 0 : list->op->seeds ? 2 : 1;
    const struct seeds *seeds = &list->seeds[worker->index];
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(worker->device, &info);
    *args = (struct weir_engine_args){
        .control = worker->control,
        .statuses = list->statuses,
        .mail = worker->mail,
        .word = weir_word_make(0, WEIR_ACTION_IDLE, 0, 31, 0),
        .reset = worker->reset[list->bank],
        .resets = worker->resets,
        .seed_channel = worker->source_count,
        .seed_mask = seeds->room ? seeds->room - 1 : 0,
        .seed_count = seeds->count,
        .seed_numbers = seeds->numbers,
        .seeds = seeds->wires,
        .delay = delay_of(worker),
        .limit_ns = (uint64_t)config->time_limit_ms * 1000000u,
        .target = step_items(list, &info),
        .index = worker->index,
        .workers = list->count,
        .channels_out = worker->hop_count,
        .channels_in = resident ? worker->source_count + seed_channels : 0,
        .order = (uint32_t)config->order,
        .worker = (uint32_t)config->worker,
        .fetch = config->fetch,
        .mapping = (uint32_t)config->mapping,
        .group = config->group,
        .cut = list->cut,
        .cut_least = info.lanes > 1 ? list->cut_least : list->cut,
        .delta_fixed = config->delta != 0,
        .gradual = is_gradual(list),
        .tile_atoms = list->tile_atoms,
        .wire_bytes = list->op->wire_bytes,
        .usual = list->cuts && !list->lines && config->worker == WEIR_WORKER_WARP,
        .lines = list->lines && info.lanes > 1,
        .once = !resident,
        .live = worker->live};
    const uint32_t warps = weir__device_is_gpu(worker->device) ? 16 : 1;
    weir__worklist_fetch(list, warps, info.lanes, args);
    image_narrow(worker, info.units, warps, args);
    args->stage_channels = worker->stage_channels;
    if (!weir__device_is_gpu(worker->device) && list->count == 1 &&
        config->order == WEIR_ORDER_SOFT && !list->op->folds)
        args->fuse = list->fuse;
    if (config->kernel == WEIR_KERNEL_FUSED && list->count > 1 && !list->home_words &&
        config->order == WEIR_ORDER_FIFO &&
        (worker->woven_rings || !weir__device_is_gpu(worker->device)))
        args->pace = PACE;
    for (uint32_t i = 0; i < list->count; i++)
        args->live_seeds += (uint64_t)list->seeds[i].count + list->seeds[i].numbers;
    for (uint32_t b = 0; b < WEIR_BAGS; b++)
        args->bag[b] = bag_of(worker, b);
}

static void image_statuses(struct weir_status_words *statuses, uint32_t count)
{
    memset(statuses, 0, count * sizeof *statuses);
    for (uint32_t i = 0; i < count; i++)
        statuses[i].turn = 1;
}

/* Words in host memory are written where they lie, the others in the image. */
static void image_shared(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    char *image = (char *)worker->image;
    struct weir_mail *mail = worker->mail;
    struct weir_status_words *statuses = list->statuses;
    if (!list->home_words) {
        mail = (struct weir_mail *)(void *)(image + weir__worklist_mail_at());
        statuses = (struct weir_status_words *)(void *)(image + weir__worklist_statuses_at());
    }
    memset(mail, 0, sizeof *mail);
    memset(mail->clock, 0xFF, sizeof mail->clock); /* WEIR_CLOCK_NONE */
    if (worker->index == 0)
        image_statuses(statuses, list->count);
}

/* ---- what is filled -------------------------------------------------------------------------- */

#define FILLS_MOST 65536u

static weir_status check_fill(const struct weir_worklist *list, uint32_t at)
{
    const weir_worklist_fill *fill = &list->config.fills[at];
    if (fill->worker >= list->count)
        return weir__fail(WEIR_ERR_INVALID, "fill %u: worker %u of %u", at, fill->worker,
                          list->count);
    if (fill->value > 255)
        return weir__fail(WEIR_ERR_INVALID, "fill %u: the value %u is no byte", at, fill->value);
    if (fill->bytes && (!fill->data || (uintptr_t)fill->data % 16))
        return weir__fail(WEIR_ERR_INVALID, "fill %u: no memory aligned to 16 bytes", at);
    return WEIR_OK;
}

weir_status weir__worklist_keep_fills(struct weir_worklist *list)
{
    const size_t count = list->config.fill_count;
    weir_status status = WEIR_OK;
    if (count > FILLS_MOST || (count && !list->config.fills))
        return weir__fail(WEIR_ERR_INVALID,
                          count > FILLS_MOST ? "%zu fills: at most 65536"
                                             : "%zu fills, but no list of them",
                          count);
    for (uint32_t i = 0; i < count && !status; i++)
        status = check_fill(list, i);
    if (!status && count &&
        !(status = weir__calloc(count, sizeof *list->fills, "fills", &list->fills)))
        memcpy(list->fills, list->config.fills, count * sizeof *list->fills);
    list->config.fills = list->fills; /* the program may forget its own */
    return status;
}

/* Discrete kernels and the host take turns, so the host has the memory filled. */
static weir_status put_fills(const struct weir_worklist *list)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < list->config.fill_count && !status; i++) {
        const weir_worklist_fill *fill = &list->fills[i];
        if (fill->bytes)
            status = weir_queue_fill(list->workers[fill->worker].queue, fill->data,
                                     (int)fill->value, (size_t)fill->bytes);
    }
    return status;
}

/* What the kernel of a worker resets in a run with each of the banks: the other bank, and what is filled. */
static weir_status list_resets(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    const size_t bytes = weir__worklist_words_bytes(worker);
    const size_t most = 2 + list->config.fill_count;
    struct weir_reset *all;
    uint32_t count = 1;
    void *memory;
    weir_status status = weir__calloc(2 * most, sizeof *all, "what kernels reset", &all);
    if (status)
        return status;
    for (uint32_t i = 0; i < list->config.fill_count; i++) {
        const weir_worklist_fill *fill = &list->fills[i];
        if (fill->worker == worker->index)
            all[count++] = (struct weir_reset){.data = fill->data,
                                               .bytes = fill->bytes,
                                               .value = fill->value * UINT64_C(0x0101010101010101)};
    }
    if (worker->live) /* the chunks of overflow queues were freed after the last run */
        all[count++] = (struct weir_reset){.data = worker->live->more_words,
                                           .bytes = sizeof worker->live->more_words};
    memcpy(all + count, all, count * sizeof *all);
    for (uint32_t bank = 0; bank < 2; bank++)
        all[bank * count] = (struct weir_reset){.data = worker->words + (1 - bank) * bytes,
                                                .from = worker->words + (3 - bank) * bytes,
                                                .bytes = bytes};
    status = weir__device_alloc_as(worker->device, "list of resets", 2 * (uint64_t)count,
                                   sizeof *all, &memory);
    if (!status) {
        worker->reset[0] = memory;
        worker->reset[1] = worker->reset[0] + count;
        worker->resets = count;
        status = weir__upload(worker->device, memory, all, 2 * count * sizeof *all);
    }
    free(all);
    return status;
}

/* ---- a run begins ---------------------------------------------------------------------------- */

/* A bank of words of a worker, and what it is reset to. */
static weir_status upload_bank(struct worker *worker, uint32_t bank)
{
    const size_t bytes = weir__worklist_words_bytes(worker);
    image_control(worker);
    image_shared(worker);
    weir_status status = weir__upload(worker->device, worker->control, worker->image, bytes);
    return status ? status
                  : weir__upload(worker->device, worker->words + (2 + bank) * bytes, worker->image,
                                 bytes);
}

/* Woven rings begin empty, and a run that ends well leaves them so. */
static weir_status wipe_woven(const struct worker *worker)
{
    weir_status status = WEIR_OK;
    for (uint32_t l = 0; l < worker->source_count && !status; l++)
        if (worker->woven_in[l])
            status = weir_queue_fill(worker->queue, worker->woven_in[l], 0,
                                     weir__worklist_woven_bytes(worker));
    return status ? status : weir_queue_sync(worker->queue);
}

weir_status weir__worklist_prepare(struct weir_worklist *list)
{
    weir_status status = WEIR_OK;
    if (!weir__worklist_resident(list))
        return WEIR_OK;
    for (uint32_t bank = 0; bank < 2; bank++) {
        weir__worklist_use_bank(list, bank);
        for (uint32_t i = 0; i < list->count && !status; i++)
            status = upload_bank(&list->workers[i], bank);
    }
    if (!status && weir__worklist_live(list))
        status = weir__live_prepare(list);
    for (uint32_t i = 0; i < list->count && !status; i++)
        if (!(status = list_resets(&list->workers[i])))
            status = wipe_woven(&list->workers[i]);
    for (uint32_t i = 0; i < list->count; i++) /* statistics may be asked for before a run */
        memset(list->workers[i].image, 0, sizeof *list->workers[i].image);
    return status;
}

/* The kernels of the last run have reset the other bank of words, and nothing is copied, so on a GPU alone the start of the
 * kernel is the first call of the driver in a run. Words in host memory are reset there, since no kernel runs now. A kernel waits
 * for those of other devices, so what programs have put before them is done before any starts. */
static weir_status reset_fused(struct weir_worklist *list)
{
    weir_status status = WEIR_OK;
    weir__worklist_use_bank(list, 1 - list->bank);
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        image_args(worker);
        if (list->home_words)
            image_shared(worker);
        memset(worker->image, 0, sizeof *worker->image); /* of the last run */
    }
    for (uint32_t i = 0; i < list->count && list->count > 1; i++) {
        const weir_status synced = weir_queue_sync(list->workers[i].queue);
        status = status ? status : synced;
    }
    return status;
}

static weir_status reset_discrete(struct weir_worklist *list)
{
    weir_device *home = weir_context_home(list->context);
    weir_status status = put_fills(list);
    for (uint32_t i = 0; i < list->count && !status; i++) {
        struct worker *worker = &list->workers[i];
        image_control(worker);
        image_control_of_run(worker);
        image_args(worker);
        image_shared(worker);
        status = weir_queue_copy(worker->queue, worker->device, worker->control, home,
                                 worker->image, weir__worklist_words_bytes(worker));
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const weir_status synced = weir_queue_sync(list->workers[i].queue);
        status = status ? status : synced;
    }
    return status;
}

weir_status weir__worklist_reset(struct weir_worklist *list)
{
    return weir__worklist_resident(list) ? reset_fused(list) : reset_discrete(list);
}

void weir__worklist_delay(struct weir_worklist *list, uint64_t seed)
{
    list->delay = seed;
}
