/** @file pbf.c  Predicate-based filtering: the object, and a run from the first send to the report.
 *
 * The routers are the library's, and their policies decide all there is to decide: who takes a packet, and where its
 * result goes. A result is no larger than the packet that it was kept from. */
#include "algorithms/pbf/pbf.h"

#include <stdlib.h>

/* From GPU_PACKET on a GPU's host link carries nearly all it can. A host device takes a while for as
 * much, and all would wait for its last packet. */
#define GPU_PACKET   ((size_t)16 << 20)
#define HOST_PACKET  ((size_t)1 << 20)
#define MIXED_PACKET ((size_t)4 << 20)

/* ---- a run ----------------------------------------------------------------------------------- */

/* The whole array is one message: the router cuts it to what the devices take. */
static weir_status feed(struct weir__dataflow *flow)
{
    const weir__pbf_run *run = (const weir__pbf_run *)flow;
    weir_segment array = {.device = weir_context_home(flow->context),
                          .data = (void *)(uintptr_t)run->input,
                          .bytes = run->elements * sizeof(uint32_t)};
    return run->elements ? weir_link_send(flow->feed, &array, NULL, NULL) : WEIR_OK;
}

static weir_status note_piece(struct weir__dataflow *flow, const weir_segment *segment,
                              uint64_t offset)
{
    weir_pbf *pbf = ((weir__pbf_run *)flow)->pbf;
    if (!pbf->config.pieces)
        return WEIR_OK;
    if (pbf->piece_count == pbf->piece_room) {
        uint64_t room = pbf->piece_room ? 2 * pbf->piece_room : 64;
        weir_pbf_piece *grown = realloc(pbf->pieces, room * sizeof *grown);
        if (!grown)
            return weir__fail(WEIR_ERR_NOMEM, "no memory to keep track of %llu pieces",
                              (unsigned long long)room);
        pbf->pieces = grown;
        pbf->piece_room = room;
    }
    pbf->pieces[pbf->piece_count++] =
        (weir_pbf_piece){.input = segment->meta & ((UINT64_C(1) << 40) - 1),
                         .output = offset / sizeof(uint32_t),
                         .kept = (uint32_t)(segment->bytes / sizeof(uint32_t)),
                         .device = (uint32_t)(segment->meta >> 40)};
    return WEIR_OK;
}

static const struct weir__dataflow_form form = {.what = "pbf",
                                                .onwards = "to host",
                                                .open = weir__pbf_open,
                                                .close = weir__pbf_close,
                                                .feed = feed,
                                                .work = weir__pbf_work,
                                                .result = note_piece};

/* One packet size for all devices: any of them may take any packet, and none takes more than its buffers hold.
 * A GPU copies in, filters and copies out at a time. On a host device all three are the processor's work, and every
 * packet more that waits there is one that others cannot take when they are done. */
static void choose_packets(weir__pbf_run *run)
{
    const weir_pbf_config *config = &run->pbf->config;
    struct weir__dataflow *flow = &run->flow;
    const size_t all = run->elements ? run->elements * sizeof(uint32_t) : sizeof(uint32_t);
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < flow->devices; i++) {
        const uint32_t is_gpu =
            (uint32_t)weir__device_is_gpu(weir_context_device(flow->context, i));
        flow->device[i].buffers = config->buffers ? config->buffers : 2 + is_gpu;
        gpus += is_gpu;
    }
    flow->packet_bytes = config->packet_bytes    ? config->packet_bytes
                         : gpus == flow->devices ? GPU_PACKET
                         : gpus                  ? MIXED_PACKET
                                                 : HOST_PACKET;
    if (all < flow->packet_bytes)
        flow->packet_bytes = all;
}

static void fill_stats(const weir__pbf_run *run, weir_pbf_stats *stats)
{
    const struct weir__dataflow *flow = &run->flow;
    *stats = (weir_pbf_stats){.ms = (double)(flow->end_ns - flow->start_ns) / 1e6,
                              .prepare_ms = flow->prepare_ms,
                              .packet_bytes = flow->packet_bytes,
                              .devices = flow->devices};
    for (uint32_t i = 0; i < flow->devices; i++) {
        stats->device[i] = run->device[i].share;
        stats->kept += run->device[i].share.kept;
    }
}

weir_status weir_pbf_run(weir_pbf *pbf, const uint32_t *input, uint64_t elements, uint32_t *output,
                         uint64_t room, weir_pbf_stats *stats_out)
{
    weir_pbf_stats stats = WEIR_PBF_STATS_INIT;
    weir__pbf_run *run;
    weir_status status;
    if ((status = weir__sized_room(stats_out, sizeof stats, "weir_pbf_stats")))
        return status;
    if (stats_out)
        (void)weir__sized_out(stats_out, &stats, sizeof stats, "weir_pbf_stats");
    pbf->piece_count = 0;
    if (elements > WEIR_PBF_ELEMENTS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%llu elements: one run filters at most %llu",
                          (unsigned long long)elements, (unsigned long long)WEIR_PBF_ELEMENTS_MAX);
    if ((status = weir__calloc(1, sizeof *run, "run", &run)))
        return status;
    run->pbf = pbf;
    run->input = input;
    run->elements = elements;
    run->room = room;
    run->flow.context = pbf->context;
    run->flow.devices = weir_context_device_count(pbf->context);
    run->flow.time_limit_ms = pbf->config.time_limit_ms;
    run->flow.spread = pbf->config.schedule == WEIR_PBF_STATIC
                           ? weir_policy_scatter(sizeof(uint32_t))
                           : weir_policy_any();
    run->flow.collect = weir_policy_gather(0);
    run->flow.output = output;
    run->flow.output_bytes = (room < elements ? room : elements) * sizeof(uint32_t);
    choose_packets(run);
    status = weir__dataflow_run(&pbf->owner, &run->flow);
    if (!status && stats_out) {
        fill_stats(run, &stats);
        (void)weir__sized_out(stats_out, &stats, sizeof stats, "weir_pbf_stats");
    }
    free(run);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

static weir_status check(const weir_pbf_config *config)
{
    const size_t most = (size_t)1 << 30;
    if (config->schedule != WEIR_PBF_DYNAMIC && config->schedule != WEIR_PBF_STATIC)
        return weir__fail(WEIR_ERR_INVALID, "there is no schedule %d", (int)config->schedule);
    if (config->below > UINT64_C(1) << 32)
        return weir__fail(WEIR_ERR_INVALID, "no element reaches the bound %llu: 2^32 keeps all",
                          (unsigned long long)config->below);
    if (config->packet_bytes % sizeof(uint32_t) || config->packet_bytes > most)
        return weir__fail(WEIR_ERR_INVALID,
                          "a packet of %zu bytes: it holds whole elements of 4 bytes, up to 1 GiB",
                          config->packet_bytes);
    if (config->buffers > WEIR__PBF_BUFFERS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u buffers: at most %d", config->buffers,
                          WEIR__PBF_BUFFERS_MAX);
    return WEIR_OK;
}

weir_status weir_pbf_create(weir_context *context, const weir_pbf_config *config,
                            weir_pbf **pbf_out)
{
    weir_pbf_config known = WEIR_PBF_CONFIG_INIT;
    weir_pbf *pbf;
    weir_status status;
    *pbf_out = NULL;
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_pbf_config")) ||
        (status = check(&known)) || (status = weir__calloc(1, sizeof *pbf, "pbf", &pbf)))
        return status;
    pbf->context = context;
    weir__context_retain(context);
    pbf->config = known;
    weir__dataflow_owner_init(&pbf->owner, &form);
    *pbf_out = pbf;
    return WEIR_OK;
}

weir_status weir_pbf_pieces(const weir_pbf *pbf, const weir_pbf_piece **pieces_out,
                            uint64_t *count_out)
{
    *pieces_out = NULL;
    *count_out = 0;
    if (!pbf->config.pieces)
        return weir__fail(WEIR_ERR_INVALID, "the configuration does not ask for pieces");
    *pieces_out = pbf->pieces;
    *count_out = pbf->piece_count;
    return WEIR_OK;
}

void weir_pbf_cancel(weir_pbf *pbf)
{
    weir__dataflow_cancel(&pbf->owner);
}

void weir_pbf_destroy(weir_pbf *pbf)
{
    if (!pbf)
        return;
    weir__dataflow_owner_destroy(&pbf->owner);
    weir_context *context = pbf->context;
    free(pbf->pieces);
    free(pbf);
    weir__context_release(context);
}
