/** @file pr_choose.c  Which kernel a PageRank in step has: one that spreads shares into bins, reads them band by band, keeps those of hubs
 * near, or none of these. README.md says when each is faster. */
#include "algorithms/graph/sketch.h"
#include "algorithms/pr/pr_making.h"
#include "runtime/config.h"
#include "runtime/room.h"
#include "runtime/support.h"

/* ---- memory ---------------------------------------------------------------------------------------- */

/* The least that a device may count on: of a GPU all of its cache, while host devices have one together. */
static uint64_t cache_of(const struct weir__pr_making *making)
{
    const weir_context *context = making->task->context;
    const uint64_t set = weir__config_get(weir_context_config(context), WEIR__CACHE_BYTES);
    uint64_t least = UINT64_MAX;
    for (uint32_t p = 0; p < making->parts.count && !set; p++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(making->parts.part[p].device, &info);
        if (info.kind == WEIR_DEVICE_HOST)
            info.cache_bytes /= making->parts.count;
        least = info.cache_bytes < least ? info.cache_bytes : least;
    }
    return set ? set : least;
}

/* Bytes of arrays that a device will be asked for behind its rows, those of doubles with them, which a run may turn out to need. */
static uint64_t to_come(const struct weir__pr_making *making, uint32_t p, uint32_t bands)
{
    const uint64_t rows = weir__pr_part_of(making, p)->owned,
                   arcs = weir__pr_part_of(making, p)->arcs_in;
    const uint64_t strips = rows / weir__pr_strip_rows(rows) + 1;
    const uint64_t chunks =
        bands * (rows / PR_CHUNK_ROWS + 2 * strips) + 2 * (arcs / PR_CHUNK_ARCS);
    const uint64_t pieces = 2 * (arcs / PR_PIECE_ARCS);
    return making->parts.numbers * UINT64_C(24) + rows * (8 + 8 + bands + 1) +
           chunks * sizeof(struct pr_chunk) +
           pieces * (sizeof(struct pr_piece) + sizeof(struct pr_long) + sizeof(double)) +
           bands * strips * sizeof(uint32_t);
}

/* Whether the devices and the host have room for what comes, with so many bands, and with bins if there are any; and for what the host
 * needs a while for it. */
static int there_is_room(const struct weir__pr_making *making, uint32_t bands, uint64_t for_a_while,
                         const char *what)
{
    struct weir__need need = {0, 0};
    uint64_t bytes[WEIR_DEVICES_MAX];
    for (uint32_t p = 0; p < making->parts.count; p++) {
        const struct weir__pr_rows *rows = &making->parts.part[p];
        const uint64_t lists = to_come(making, p, bands);
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        bytes[p] = lists + (making->bins.rows ? weir__pr_bins_bytes(&making->bins, p) : 0);
        weir_device_info_get(rows->device, &info);
        weir_device_pool_stats(rows->device, &pool);
        if (info.memory_bytes && pool.used_bytes + bytes[p] > info.memory_bytes)
            return 0;
        weir__need_take(&need, lists - making->parts.numbers * UINT64_C(24), 1);
        weir__need_take_on(&need, rows->device, bytes[p], 1);
    }
    if (weir__pools_lack(making->task->context, bytes, making->parts.count) < making->parts.count)
        return 0;
    weir__need_pass(&need, 1, for_a_while);
    return weir__need_fits(&need, "%s", what) == WEIR_OK;
}

/* ---- bands --------------------------------------------------------------------------------------- */

static weir_status choose_bands(struct weir__pr_making *making)
{
    const struct weir__pr_task *task = making->task;
    const uint32_t asked = task->config.hubs > 1 || task->config.bins > 1 ? 1 : task->config.bands;
    weir_status status =
        weir__pr_bands_choose(&making->parts, asked, cache_of(making), &making->bands);
    if (!status && making->bands.count > 1 &&
        !there_is_room(making, making->bands.count, 2 * WEIR__PR_BATCH_BYTES, "bands")) {
        making->bands.count = 1;
        making->bands.why = "there is no memory for bands";
    }
    making->pull->why_bands = making->bands.why;
    return status;
}

/* ---- bins ---------------------------------------------------------------------------------------- */

/* Whether blocks of all devices have the memory that a bin takes. Host devices have bins only if somebody asked for them. */
static int bins_possible(const struct weir__pr_making *making, int asked)
{
    for (uint32_t p = 0; p < making->parts.count; p++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(making->parts.part[p].device, &info);
        if (info.lanes > 1 ? info.block_bytes < PR_BINS_MEMORY : !asked)
            return 0;
    }
    return 1;
}

/* Shares in doubles are not spread, so a run that goes on with them is left to bands unless bins were asked for. */
static weir_status choose_bins(struct weir__pr_making *making)
{
    const weir_pr_config *config = &making->task->config;
    const int asked = config->bins > 1;
    int pay = asked;
    weir_status status = WEIR_OK;
    if (config->bins == 1 || config->hubs > 1 || config->bands > 1 ||
        (!asked && making->parts.fine) || !bins_possible(making, asked))
        return WEIR_OK;
    status = weir__pr_bins_make(&making->parts, asked ? config->bins : 0, &making->bins);
    if (!status && !asked)
        status = weir__pr_bins_pay(&making->parts, &making->bins, &pay);
    if (status || !pay || !there_is_room(making, 1, 0, "bins"))
        weir__pr_bins_free(&making->bins);
    if (status == WEIR_ERR_UNSUPPORTED || status == WEIR_ERR_NOMEM)
        status = WEIR_OK; /* it goes without them */
    if (making->bins.rows)
        making->pull->why_bands =
            asked
                ? NULL
                : "most reads of shares would be at random, so that spreading them into bins moves "
                  "less";
    return status;
}

/* ---- hubs ---------------------------------------------------------------------------------------- */

/* How many a block of each part has room for; 0: there is none. */
static uint32_t hubs_room(const struct weir__pr_making *making)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t p = 0; p < making->parts.count; p++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(making->parts.part[p].device, &info);
        const int gpu = info.lanes > 1;
        const uint32_t room = !gpu                                 ? PR_HUBS_HOST
                              : info.block_bytes >= PR_HUBS_MEMORY ? PR_HUBS_GPU
                                                                   : 0;
        least = room < least ? room : least;
    }
    return making->parts.count <= PR_HUB_PARTS ? least : 0;
}

/* Whether a part has so many arcs that bringing hubs to all units is next to nothing beside them, and half of all arcs come from
 * hubs. With less than half the first cache, which lies in the same memory, does more (README.md, "Hubs"). */
static int hubs_pay(const struct weir__pr_making *making, const struct pr_hubs *hubs)
{
    const uint64_t kept = (uint64_t)hubs->each * hubs->parts;
    uint64_t theirs = 0;
    for (uint32_t p = 0; p < making->parts.count; p++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(making->parts.part[p].device, &info);
        if (info.lanes == 1 || weir__pr_part_of(making, p)->arcs_in < 2 * kept * info.units)
            return 0;
        for (uint32_t i = 0; i < hubs->each; i++)
            theirs += making->parts.degree[hubs->begin[p] + i];
    }
    return theirs >= weir__pr_part_of(making, 0)->arcs_all / 2;
}

/* Where numbers go by degree, a part's hubs have its first ones; else they are no hubs, but kept if
 * that was asked for. */
static void choose_hubs(struct weir__pr_making *making)
{
    const uint32_t asked = making->task->config.hubs, parts = making->parts.count;
    uint32_t each = asked == 1 ? 0 : hubs_room(making) / parts;
    struct pr_hubs hubs = {.parts = parts};
    if (asked && asked / parts < each)
        each = asked < parts ? 1 : asked / parts;
    for (uint32_t p = 0; p < parts && each; p++) {
        const weir_rows_part *part = weir__pr_part_of(making, p);
        hubs.begin[p] = part->begin;
        each = part->owned < each ? (uint32_t)part->owned : each;
    }
    hubs.each = each;
    if (!each || (!asked && (weir_rows_order_of(making->pull->on.rows) != WEIR_ROWS_BY_DEGREE ||
                             !hubs_pay(making, &hubs))))
        return;
    making->hubs = hubs;
    making->pull->why_bands =
        asked ? NULL
              : "half of the arcs come from hubs, whose shares fit into the memory of a block";
}

/* ---- the choice ---------------------------------------------------------------------------------- */

/* Of a graph of which only numbers are known nobody knows where arcs lead: bands that are asked for, and nothing else. */
static void choose_for_sketch(struct weir__pr_making *making)
{
    const weir_pr_config *config = &making->task->config;
    if (config->bands && config->hubs <= 1 && config->bins <= 1)
        making->bands.count = config->bands;
}

weir_status weir__pr_choose(struct weir__pr_making *making)
{
    making->bands.count = 1;
    if (making->task->options.memory == WEIR_MEMORY_HOST) {
        making->pull->why_bands = "arcs lie in host memory, and bands and bins would bring them to "
                                  "the devices once more";
        if (!weir__graph_is_sketch(making->task->graph) && making->task->config.hubs)
            choose_hubs(making);
        return WEIR_OK;
    }
    if (weir__graph_is_sketch(making->task->graph)) {
        choose_for_sketch(making);
        return WEIR_OK;
    }
    weir_status status = choose_bins(making);
    if (!status && !making->bins.rows)
        status = choose_bands(making);
    if (!status && !making->bins.rows && making->bands.count == 1)
        choose_hubs(making);
    return status;
}
