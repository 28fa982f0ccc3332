/** @file choose.c  What is picked in place of "auto", and what is refused. */
#include "worklist/host/internal.h"
#include "runtime/config.h"

#include <assert.h>

#define PACKET_BYTES        ((uint64_t)1 << 20) /* measured: docs/benchmarks.md */
#define QUEUE_ITEMS_LEAST   16
#define QUEUE_ITEMS_DEFAULT 65536
#define BUFFERS_LEAST       2 /* one leaves while another is filled */
#define FETCH_MOST          4096
#define GROUP_MOST          1024
#define CUT_USUAL           1024 /* atoms of a piece: a warp is busy for as long as a launch */
#define CUT_LEAST           256 /* the same on a GPU whose warps have little to do: eight goes of all lanes */
#define CUT_NEVER           ((uint32_t)1 << 21) /* a set of tiles counts its atoms in 32 bits */
#define TILE_ATOMS_USUAL    4

/* The dialect has no access to worklist.h. */
static_assert(WEIR_ENGINE_SOFT == WEIR_ORDER_SOFT && WEIR_ENGINE_BULK == WEIR_ORDER_BULK, "orders");
static_assert(WEIR_ENGINE_THREAD == WEIR_WORKER_THREAD && WEIR_ENGINE_WARP == WEIR_WORKER_WARP &&
                  WEIR_ENGINE_BLOCK == WEIR_WORKER_BLOCK,
              "workers");
static_assert(WEIR_ENGINE_BY_THREAD == WEIR_MAPPING_THREAD &&
                  WEIR_ENGINE_BY_WARP == WEIR_MAPPING_WARP &&
                  WEIR_ENGINE_BY_BLOCK == WEIR_MAPPING_BLOCK &&
                  WEIR_ENGINE_BY_GROUP == WEIR_MAPPING_GROUP &&
                  WEIR_ENGINE_BY_MERGE == WEIR_MAPPING_MERGE &&
                  WEIR_ENGINE_BY_OWN == WEIR_MAPPING_OWN,
              "mappings");

static const char *name_of(const char *const *names, size_t count, int kind)
{
    return kind >= 0 && (size_t)kind < count ? names[kind] : NULL;
}
#define NAME_OF(names, kind) name_of(names, sizeof(names) / sizeof *(names), (int)(kind))

const char *weir_order_kind_text(weir_order_kind kind)
{
    static const char *const names[] = {"auto", "fifo", "soft", "bulk"};
    return NAME_OF(names, kind);
}

const char *weir_kernel_kind_text(weir_kernel_kind kind)
{
    static const char *const names[] = {"auto", "fused", "discrete", "live"};
    return NAME_OF(names, kind);
}

const char *weir_worker_kind_text(weir_worker_kind kind)
{
    static const char *const names[] = {"auto", "thread", "warp", "block"};
    return NAME_OF(names, kind);
}

const char *weir_mapping_kind_text(weir_mapping_kind kind)
{
    static const char *const names[] = {"auto", "thread", "warp", "block", "group", "merge", "own"};
    return NAME_OF(names, kind);
}

const char *weir_phase_text(weir_phase phase)
{
    static const char *const names[] = {"process", "receive", "order", "wait"};
    return NAME_OF(names, phase);
}

int weir__worklist_resident(const struct weir_worklist *list)
{
    return list->config.kernel == WEIR_KERNEL_FUSED || weir__worklist_live(list);
}

int weir__worklist_live(const struct weir_worklist *list)
{
    return list->config.kernel == WEIR_KERNEL_LIVE;
}

/* Kernels that wait for each other must all run at the same time, and reach each other's memory. */
static const char *why_not_resident(const struct weir_worklist *list)
{
    weir_device_info first = WEIR_DEVICE_INFO_INIT, info = WEIR_DEVICE_INFO_INIT;
    if (weir_context_simulated(list->context))
        return "simulated devices run one after the other";
    weir_device_info_get(list->workers[0].device, &first);
    for (uint32_t i = 1; i < list->count; i++) {
        weir_device_info_get(list->workers[i].device, &info);
        if (info.kind != first.kind)
            return "host devices do not reach the memory of GPUs";
    }
    return NULL;
}

static weir_status choose_kernel(struct weir_worklist *list)
{
    const char *why = why_not_resident(list);
    if (list->config.kernel == WEIR_KERNEL_AUTO)
        list->why_kernel =
            why ? why
            : list->count == 1
                ? "one device waits for no other, so that a kernel may stay until the end"
                : "the devices run at the same time and reach each other's memory, so "
                  "that a kernel may stay until the end";
    if (weir__worklist_resident(list) && why)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "kernel %s: %s; choose discrete",
                          weir_kernel_kind_text(list->config.kernel), why);
    if (list->config.kernel == WEIR_KERNEL_AUTO)
        list->config.kernel = why ? WEIR_KERNEL_DISCRETE : WEIR_KERNEL_FUSED;
    return weir__worklist_live(list) ? weir__live_check(list) : WEIR_OK;
}

/* Tiles with few atoms get a small group of lanes each. Of tiles with many atoms a warp takes several and shares all their
 * atoms evenly. */
static uint32_t usual_group(uint32_t tile_atoms)
{
    return tile_atoms <= 4 ? 4 : tile_atoms <= 8 ? 8 : 32;
}

/* Whether a mapping wants more lanes than a warp has. */
static int is_wide(const weir_worklist_config *config)
{
    return config->mapping == WEIR_MAPPING_BLOCK ||
           (config->mapping == WEIR_MAPPING_GROUP && config->group > 32);
}

/* A value that the user gave and that no round would use, as a sentence. Where a worker is a thread each lane walks its tile
 * alone, so there is no mapping. A worker that is a warp would take a wide mapping for a narrower one. */
static const char *without_effect(const weir_worklist_config *config)
{
    if (config->worker == WEIR_WORKER_THREAD && config->mapping != WEIR_MAPPING_AUTO)
        return "mapping has no effect where a worker is a thread";
    if (config->worker == WEIR_WORKER_WARP && is_wide(config))
        return config->mapping == WEIR_MAPPING_BLOCK
                   ? "mapping block has no effect where a worker is a warp"
                   : "a group of more than 32 lanes has no effect where a worker is a warp";
    if (config->group && config->mapping != WEIR_MAPPING_GROUP)
        return "group has no effect without mapping group";
    if (config->delta && config->order != WEIR_ORDER_SOFT)
        return "delta has no effect without order soft";
    if (config->queues && config->kernel != WEIR_KERNEL_LIVE)
        return "queues has no effect without kernel live";
    return NULL;
}

/* A kernel that was compiled without the program's own schedule would take another schedule and not say so. */
static weir_status check_own(const struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(list->workers[i].device, &info);
        const int has = info.kind != WEIR_DEVICE_CUDA
                            ? list->op->own_schedule
                            : list->op->own_schedule_cuda && list->op->own_schedule_cuda();
        if (!has)
            return weir__fail(
                WEIR_ERR_UNSUPPORTED,
                "mapping own: operator %s was not compiled with a schedule of its own "
                "(WEIR_SCHEDULE) for %s",
                list->op->name, info.label);
    }
    return WEIR_OK;
}

/* Groups of lanes add up a tile each, whole. */
static weir_status check_folds(const struct weir_worklist *list)
{
    const weir_worklist_config *config = &list->config;
    if (config->worker != WEIR_WORKER_AUTO && config->worker != WEIR_WORKER_WARP)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "worker %s: operator %s adds up tiles, which warps do; leave it out",
                          weir_worker_kind_text(config->worker), list->op->name);
    if (config->mapping != WEIR_MAPPING_AUTO && config->mapping != WEIR_MAPPING_GROUP)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "mapping %s: operator %s adds up tiles, which groups of lanes do; leave it "
            "out or choose group",
            weir_mapping_kind_text(config->mapping), list->op->name);
    if (config->group > 32)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "a group of %u lanes: operator %s adds up tiles, which groups of at most 32 "
            "lanes do",
            config->group, list->op->name);
    return WEIR_OK;
}

static weir_status check_mapping(const struct weir_worklist *list)
{
    const weir_worklist_config *config = &list->config;
    const char *idle = without_effect(config);
    if (config->group > GROUP_MOST || (config->group & (config->group - 1)))
        return weir__fail(WEIR_ERR_INVALID,
                          "a group of %u lanes: choose a power of two from 1 to %u", config->group,
                          GROUP_MOST);
    if (config->fetch > FETCH_MOST)
        return weir__fail(WEIR_ERR_INVALID, "a fetch of %u tiles: at most %u", config->fetch,
                          FETCH_MOST);
    if (idle)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "%s: leave it out", idle);
    if (list->op->folds)
        return check_folds(list);
    return config->mapping == WEIR_MAPPING_OWN ? check_own(list) : WEIR_OK;
}

/* A lane of a host device reads its tile alone. Short tiles are less than a line. */
static int reads_lines(const struct weir_worklist *list)
{
    const weir_worklist_config *config = &list->config;
    return config->lines && list->cuts && config->group == 32 && !list->op->folds &&
           (config->worker == WEIR_WORKER_AUTO || config->worker == WEIR_WORKER_WARP) &&
           config->kernel != WEIR_KERNEL_LIVE &&
           weir__device_is_gpu(weir_context_device(list->context, 0));
}

static weir_status choose_mapping(struct weir_worklist *list)
{
    weir_worklist_config *config = &list->config;
    weir_status status = check_mapping(list);
    if (status)
        return status;
    list->cuts = config->mapping == WEIR_MAPPING_AUTO;
    list->cut = list->cuts ? CUT_USUAL : CUT_NEVER;
    list->cut_least = list->cuts ? CUT_LEAST : CUT_NEVER;
    list->tile_atoms = config->tile_atoms ? config->tile_atoms : TILE_ATOMS_USUAL;
    if (config->mapping == WEIR_MAPPING_AUTO) {
        config->mapping = WEIR_MAPPING_GROUP;
        config->group = usual_group(list->tile_atoms);
    }
    list->lines = reads_lines(list);
    if (config->group == 0)
        config->group = 32;
    if (config->worker == WEIR_WORKER_AUTO) {
        const int block = is_wide(config) || config->mapping == WEIR_MAPPING_MERGE;
        config->worker = block ? WEIR_WORKER_BLOCK : WEIR_WORKER_WARP;
    }
    return WEIR_OK;
}

static void choose_order(struct weir_worklist *list)
{
    weir_worklist_config *config = &list->config;
    const int live = config->kernel == WEIR_KERNEL_LIVE;
    config->order = config->delta_hint && !live ? WEIR_ORDER_SOFT : WEIR_ORDER_FIFO;
    list->why_order = live                 ? "kernel live takes items as they come"
                      : config->delta_hint ? "what is far may come nearer before it is taken"
                                           : "no item is better taken before others";
}

static weir_status choose_kinds(struct weir_worklist *list)
{
    weir_worklist_config *config = &list->config;
    weir_status status;
    if (!weir_order_kind_text(config->order) || !weir_kernel_kind_text(config->kernel) ||
        !weir_worker_kind_text(config->worker) || !weir_mapping_kind_text(config->mapping))
        return weir__fail(
            WEIR_ERR_INVALID, "order %d, kernel %d, worker %d, mapping %d: no such kind",
            (int)config->order, (int)config->kernel, (int)config->worker, (int)config->mapping);
    if (config->order == WEIR_ORDER_AUTO)
        choose_order(list);
    if ((status = choose_kernel(list)))
        return status;
    return choose_mapping(list);
}

static uint32_t power_of_two(uint64_t at_least)
{
    uint32_t power = 1;
    while (power < at_least && power < (uint32_t)1 << 31)
        power *= 2;
    return power;
}

static weir_status choose_packets(struct weir_worklist *list)
{
    const weir_config *tunables = weir_context_config(list->context);
    uint64_t packet = list->config.packet_items;
    if (!packet)
        packet = weir__config_get(tunables, WEIR__PACKET_BYTES) / list->op->wire_bytes;
    if (!packet)
        packet = PACKET_BYTES / list->op->wire_bytes;
    if (packet > (uint32_t)1 << 24)
        packet = (uint32_t)1 << 24;
    list->packet_items = packet ? (uint32_t)packet : 1;
    list->buffers = (uint32_t)weir__config_get(tunables, WEIR__LINK_BUFFERS);
    if (list->buffers < BUFFERS_LEAST)
        list->buffers = BUFFERS_LEAST;
    /* A channel holds as many packets as there are buffers. If the user gave no size of packets it holds at least half as many
     * items as a queue, which may all go to one receiver. */
    uint64_t channel = (uint64_t)list->packet_items * list->buffers;
    if (!list->config.packet_items && !weir__config_get(tunables, WEIR__PACKET_BYTES) &&
        channel < list->queue_items / 2)
        channel = list->queue_items / 2;
    list->channel_items = power_of_two(channel);
    return WEIR_OK;
}

static weir_status choose_sizes(struct weir_worklist *list)
{
    const weir_config *tunables = weir_context_config(list->context);
    uint64_t items = list->config.queue_items;
    weir_status status;
    if (!items)
        items = weir__config_get(tunables, WEIR__QUEUE_ITEMS);
    if (!items)
        items = QUEUE_ITEMS_DEFAULT;
    if (items > UINT64_C(1) << 30)
        return weir__fail(WEIR_ERR_INVALID, "a queue of %llu items: at most 2^30",
                          (unsigned long long)items);
    list->fuse = (uint32_t)weir__config_get(tunables, WEIR__FUSE_ITEMS);
    list->queue_items = items < QUEUE_ITEMS_LEAST ? QUEUE_ITEMS_LEAST : (uint32_t)items;
    if (weir__worklist_live(list) && (status = weir__live_choose(list)))
        return status;
    return choose_packets(list);
}

weir_status weir__worklist_choose(struct weir_worklist *list)
{
    weir_status status = choose_kinds(list);
    return status ? status : choose_sizes(list);
}

/* On the host one lane counts as 32, since sets of tiles are as long there as on a GPU. */
static uint32_t fetch_least(const struct weir_worklist *list, uint32_t warps)
{
    const weir_worklist_config *config = &list->config;
    const uint32_t lanes = config->worker == WEIR_WORKER_BLOCK ? warps * 32 : 32;
    uint32_t tiles =
        list->cuts && config->group < 32 ? lanes / config->group : lanes / list->tile_atoms;
    if (config->fetch)
        return config->fetch;
    if (config->worker == WEIR_WORKER_THREAD || config->mapping == WEIR_MAPPING_BLOCK)
        return 1;
    if (config->mapping == WEIR_MAPPING_THREAD)
        return lanes;
    if (config->mapping == WEIR_MAPPING_WARP)
        return lanes / 32;
    return tiles ? tiles : 1;
}

void weir__worklist_fetch(const struct weir_worklist *list, uint32_t warps, uint32_t lanes,
                          struct weir_engine_args *args)
{
    args->fetch_least = fetch_least(list, warps);
    uint32_t block = args->fetch_least;
    if (list->config.worker == WEIR_WORKER_THREAD)
        block *= warps * lanes;
    else if (list->config.worker == WEIR_WORKER_WARP)
        block *= warps;
    args->block_least_log = weir_bits_u32(block) - 1;
}
