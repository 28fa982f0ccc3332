/** @file pbf.c  The object: its configuration, what the last run left, cancelling. */
#include "algorithms/pbf/pbf.h"

#include <stdlib.h>

static weir_status check(const weir_pbf_config *config)
{
    const size_t most = (size_t)1 << 30;
    if (config->size != sizeof *config)
        return weir__fail(WEIR_ERR_INVALID, "weir_pbf_config was not set by its initialiser");
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
    static const weir_pbf_config defaults = WEIR_PBF_CONFIG_INIT;
    weir_pbf *pbf;
    weir_status status;
    *pbf_out = NULL;
    if (!config)
        config = &defaults;
    if ((status = check(config)) || (status = weir__calloc(1, sizeof *pbf, "pbf", &pbf)))
        return status;
    pbf->context = context;
    weir__context_retain(context);
    pbf->config = *config;
    pthread_mutex_init(&pbf->lock, NULL);
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
    pthread_mutex_lock(&pbf->lock);
    pbf->cancelled = 1;
    if (pbf->run)
        weir__pbf_fail(pbf->run, weir__fail(WEIR_ERR_CANCELLED, "the run was cancelled"));
    pthread_mutex_unlock(&pbf->lock);
}

void weir_pbf_destroy(weir_pbf *pbf)
{
    if (!pbf)
        return;
    pthread_mutex_destroy(&pbf->lock);
    weir_context *context = pbf->context;
    free(pbf->pieces);
    free(pbf);
    weir__context_release(context);
}
