/** @file collectives.c  Making, cancelling and ending a set of collectives. */
#include "router/collective/internal.h"

#include "runtime/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where nobody says how large packets are (docs/collectives.md): between GPUs a packet costs about 6 us
 * beside its bytes, but the larger it is the more memory buffers take, and the later it goes on. */
#define PACKET_GPU   ((size_t)32 << 20)
#define PLACE_GPU    ((size_t)128 << 20)
#define PACKET_HOST  ((size_t)1 << 20)
#define PACKET_LEAST 16u

static weir_status check_rank(weir_context *context, weir_device *const *devices, uint32_t i)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    if (!devices[i])
        return weir__fail(WEIR_ERR_INVALID, "rank %u of the collectives has no device", i);
    weir_device_info_get(devices[i], &info);
    if (weir__device_context(devices[i]) != context)
        return weir__fail(WEIR_ERR_INVALID, "rank %u of the collectives, %s, is of another context",
                          i, info.label);
    for (uint32_t j = 0; j < i; j++)
        if (devices[j] == devices[i])
            return weir__fail(WEIR_ERR_INVALID, "%s is rank %u and rank %u of the collectives",
                              info.label, j, i);
    return WEIR_OK;
}

static weir_status check(weir_context *context, weir_device *const *devices, uint32_t ranks,
                         const weir_collectives_config *config)
{
    weir_status status = WEIR_OK;
    if (!ranks || ranks > RANKS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "collectives of %u ranks: 1 to %u", ranks, RANKS_MAX);
    if ((unsigned)config->algorithm >= WEIR_ALGORITHM_COUNT)
        return weir__fail(WEIR_ERR_INVALID, "%d is no algorithm of collectives",
                          (int)config->algorithm);
    if (config->packet_bytes && config->packet_bytes < PACKET_LEAST)
        return weir__fail(WEIR_ERR_INVALID, "packets of %zu bytes for collectives: at least %u",
                          config->packet_bytes, PACKET_LEAST);
    for (uint32_t i = 0; i < ranks && !status; i++)
        status = check_rank(context, devices, i);
    return status;
}

/* Simulated devices play GPUs. */
static int any_gpu(const weir_collectives *c)
{
    for (uint32_t i = 0; i < c->ranks; i++)
        if (weir__device_is_gpu(c->rank[i].device))
            return 1;
    return weir_context_simulated(c->context);
}

/* A staged packet takes as much page-locked memory, wherever it lands. */
static int any_staged(const weir_collectives *c, weir_transport transport)
{
    const char *tuned = weir__config_text(weir_context_config(c->context), WEIR__TRANSPORT);
    const char *word = transport == WEIR_TRANSPORT_AUTO ? tuned : weir_transport_name(transport);
    for (uint32_t i = 0; i < c->ranks; i++)
        for (uint32_t j = 0; j < c->ranks; j++)
            if (!weir_device_reaches(c->rank[i].device, c->rank[j].device))
                return 1;
    return strcmp(word, weir_transport_name(WEIR_TRANSPORT_STAGED)) == 0;
}

static void choose_packets(weir_collectives *c, const weir_collectives_config *config)
{
    size_t tuned = weir__config_get(weir_context_config(c->context), WEIR__PACKET_BYTES);
    size_t asked = config->packet_bytes ? config->packet_bytes : tuned;
    c->fixed = config->packet_bytes != 0;
    if (asked)
        c->packet = asked < PACKET_LEAST ? PACKET_LEAST : asked / PACKET_LEAST * PACKET_LEAST;
    else
        c->packet = any_gpu(c) ? PACKET_GPU : PACKET_HOST;
    c->place = c->packet;
    if (!asked && any_gpu(c) && !any_staged(c, config->transport))
        c->place = PLACE_GPU;
}

static void fill(weir_collectives *c, weir_device *const *devices, uint32_t ranks)
{
    c->ranks = ranks;
    c->gpus = 1;
    for (uint32_t i = 0; i < ranks; i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(devices[i], &info);
        c->rank[i].device = devices[i];
        c->gpus = c->gpus && info.kind == WEIR_DEVICE_CUDA;
    }
    /* A hop takes up to three events at either end until it is over (links take most): well under half
     * of all there are. */
    uint64_t events = weir__config_get(weir_context_config(c->context), WEIR__EVENTS);
    c->limit = events / 8 < 2 ? 2 : (uint32_t)(events / 8);
    c->room = c->limit * ranks + 4 * ranks;
}

static weir_status open_tables(weir_collectives *c)
{
    size_t width = c->ranks > BATCH ? c->ranks : BATCH;
    weir_status status;
    if ((status = weir__calloc(c->room, sizeof *c->records, "collectives", &c->records)) ||
        (status =
             weir__calloc(2 * c->ranks * width, sizeof(weir_event *), "collectives", &c->marks)))
        return status;
    return weir__calloc((size_t)c->ranks * c->ranks, 1, "collectives", &c->sends);
}

/* What AUTO may take beside links, where it can be had: without, it goes as well. NCCL may be there and not start, for
 * reasons of its own. */
static weir_status open_resident(weir_collectives *c)
{
    weir_status status = c->gpus ? weir__nccl_open(c) : WEIR_ERR_UNSUPPORTED;
    if (status && status != WEIR_ERR_NOMEM) {
        weir__nccl_close(c);
        c->nccl = NULL;
        status = WEIR_OK;
    }
    if (!status && (status = weir__channels_open(c)) == WEIR_ERR_UNSUPPORTED) {
        weir__channels_close(c);
        status = WEIR_OK;
    }
    return status;
}

static weir_status open_ways(weir_collectives *c)
{
    weir_status status = WEIR_OK;
    if (c->algorithm == WEIR_ALGORITHM_NCCL)
        return weir__nccl_open(c);
    if (c->algorithm == WEIR_ALGORITHM_CHANNELS)
        return weir__channels_open(c);
    if (c->algorithm == WEIR_ALGORITHM_AUTO && c->may_reside && c->ranks > 1)
        status = open_resident(c);
    return status ? status : weir__collectives_build(c, c->transport);
}

weir_status weir__collectives_open(weir_context *context, weir_device *const *devices,
                                   uint32_t ranks, const weir_collectives_config *config,
                                   const weir_collectives *of, const struct plan *dictated,
                                   weir_collectives **collectives_out)
{
    weir_collectives *c;
    weir_status status = weir__calloc(1, sizeof *c, "collectives", &c);
    if (status)
        return status;
    weir__context_retain(context);
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->planning, NULL);
    c->context = context;
    c->algorithm = config->algorithm;
    c->transport = config->transport;
    c->may_reside = config->resident != 0;
    c->dictated = dictated;
    fill(c, devices, ranks);
    choose_packets(c, config);
    if (of) {
        c->packet = of->packet;
        c->place = of->place;
    }
    if (!(status = open_tables(c)) && !(status = weir__routes_find(c)) &&
        !(status = open_ways(c))) {
        weir__ways_list(c);
        *collectives_out = c;
        return WEIR_OK;
    }
    weir_collectives_destroy(c);
    return status;
}

weir_status weir_collectives_create(weir_context *context, weir_device *const *devices,
                                    uint32_t ranks, const weir_collectives_config *config,
                                    weir_collectives **collectives_out)
{
    weir_collectives_config known = WEIR_COLLECTIVES_CONFIG_INIT;
    weir_status status;
    if (collectives_out)
        *collectives_out = NULL;
    if (!context || !devices || !collectives_out)
        return weir__missing("weir_collectives_create", !context   ? "context"
                                                        : !devices ? "devices"
                                                                   : "collectives_out");
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_collectives_config")) ||
        (status = check(context, devices, ranks, &known)))
        return status;
    return weir__collectives_open(context, devices, ranks, &known, NULL, NULL, collectives_out);
}

void weir_collectives_destroy(weir_collectives *c)
{
    if (!c)
        return;
    while (c->held)
        weir__flight_retire(c, 1);
    weir__nccl_close(c);
    weir__channels_close(c);
    weir__collectives_raze(c);
    weir__rehearsal_close(c);
    weir__routes_free(c);
    pthread_mutex_destroy(&c->planning);
    pthread_mutex_destroy(&c->lock);
    free(c->records);
    free(c->marks);
    free(c->sends);
    weir__context_release(c->context);
    free(c);
}

/* ---- how it stands ------------------------------------------------------------------------------- */

weir_status weir__collectives_status(weir_collectives *c)
{
    weir_status status = (weir_status)atomic_load_explicit(&c->status, memory_order_acquire);
    if (status)
        weir__fail_adopt(status, c->detail);
    return status;
}

weir_status weir__collectives_fail(weir_collectives *c, weir_status status)
{
    int first;
    pthread_mutex_lock(&c->lock);
    first = !atomic_load_explicit(&c->status, memory_order_relaxed);
    if (first) {
        snprintf(c->detail, sizeof c->detail, "%s", weir_error_detail());
        atomic_store_explicit(&c->status, (int)status, memory_order_release);
    }
    pthread_mutex_unlock(&c->lock);
    if (first) {
        weir__nccl_abort(c->nccl);
        weir__channels_stop(c);
        weir__collectives_cancel_meshes(c, status);
    }
    return weir__collectives_status(c);
}

/* With the sentence that this thread has, if that is of the same status: it may be the program's own. The thread keeps it. */
void weir_collectives_cancel(weir_collectives *c, weir_status status)
{
    if (!c)
        return;
    struct weir__sentence kept = weir__fail_keep();
    const int is_failure = weir__status_ends(status) || status == WEIR_ERR_TIMEOUT;
    const weir_status ended = is_failure ? status : WEIR_ERR_CANCELLED;
    if (!is_failure || !weir__fail_cause(status))
        (void)weir__fail(ended, "the collectives were cancelled: %s", weir_status_text(ended));
    (void)weir__collectives_fail(c, ended);
    weir__fail_restore(&kept);
}

weir_status weir_collectives_status(weir_collectives *c)
{
    weir_status status;
    if (!c)
        return weir__missing("weir_collectives_status", "collectives");
    weir__flight_retire(c, 0);
    for (uint32_t i = 0; i < c->ranks; i++)
        if ((status = weir_device_status(c->rank[i].device)))
            return weir__collectives_fail(c, status);
    if ((status = weir__collectives_status(c)))
        return status;
    if (c->nccl && (status = weir__nccl_status(c)))
        return status == WEIR_PENDING ? status : weir__collectives_fail(c, status);
    if (c->channels && (status = weir__channels_status(c)))
        return status == WEIR_PENDING ? status : weir__collectives_fail(c, status);
    return c->held ? WEIR_PENDING : WEIR_OK;
}
