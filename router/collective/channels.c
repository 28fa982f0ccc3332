/** @file channels.c  Collectives over channels: one kernel for each rank, in the caller's queue.
 *
 * The kernels meet, so that the memory of all ranks may be read and written; then each does its *jobs*: it reads elements
 * from memory of some ranks, combines them in the order of the ranks, and stores the result into memory of some; then
 * they meet again. An element is combined by one rank alone, so all get the same bits. Blocks of one number meet each
 * other over a ring of their own, by packets of 0 bytes, and nothing goes over the host or waits for an event: the
 * two meetings cost about 3 us. All bytes go at once, straight from where they are to where they are wanted, and
 * each over a link once: this is the two-shot algorithm of TensorRT-LLM and vLLM, for all collectives.
 *
 *     broadcast       the ranks but the root share it out: each reads its part and stores it into all of them
 *     all-gather      each stores its own into all
 *     reduce          each reads its part from all, combines it, and stores it into the root
 *     all-reduce      the same, and stores it into all
 *     reduce-scatter  each reads its own block from all
 *     others          each reads the blocks that it is sent
 *
 * Kernels that wait for each other have to run at the same time, as NCCL's do. */
#include "router/collective/channels_kernel.h"
#include "router/collective/internal.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS_GPU  64u            /* at most; what a link wants is had with half of them */
#define SHARE_BYTES ((size_t)8192) /* of a block, at the least */
#define SLOTS       16u            /* packets of 0 bytes: credits are told of once in two calls */

struct weir__channels {
    weir_channel *channel[WEIR__CHANNELS_RANKS][WEIR__CHANNELS_RANKS]; /* [from][to] */
    uint32_t blocks;
    weir_event *last[WEIR__CHANNELS_RANKS]; /* the end of the rank's last call */
    int called;
};

/* ---- making and ending ---------------------------------------------------------------------- */

weir_status weir__channels_possible(const weir_collectives *c)
{
    if (c->ranks > WEIR__CHANNELS_RANKS)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "collectives of %u ranks over channels: at most %u",
                          c->ranks, WEIR__CHANNELS_RANKS);
    if (weir_context_simulated(c->context))
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "simulated devices have no channels: their kernels run "
                          "one after the other");
    for (uint32_t i = 0; i < c->ranks; i++)
        for (uint32_t j = 0; j < c->ranks; j++) {
            const weir_device *a = c->rank[i].device, *b = c->rank[j].device;
            if (weir__device_is_gpu(a) != weir__device_is_gpu(b) || !weir_device_reaches(a, b))
                return weir__fail(WEIR_ERR_UNSUPPORTED,
                                  "collectives over channels: kernels of rank %u do not reach the "
                                  "memory of rank %u",
                                  i, j);
        }
    return WEIR_OK;
}

/* Blocks that every rank has: worker threads of a host device. */
static uint32_t blocks_of(const weir_collectives *c)
{
    uint32_t blocks = BLOCKS_GPU;
    for (uint32_t i = 0; i < c->ranks; i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(c->rank[i].device, &info);
        if (info.kind == WEIR_DEVICE_HOST && info.workers < blocks)
            blocks = info.workers;
        if (info.kind != WEIR_DEVICE_HOST && info.units < blocks)
            blocks = info.units;
    }
    return blocks;
}

static weir_status open_channels(weir_collectives *c)
{
    const weir_channel_config config = {sizeof config, 0, SLOTS, c->channels->blocks,
                                        WEIR_CHANNEL_FORMAT_PLAIN};
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        for (uint32_t j = 0; j < c->ranks && !status; j++)
            if (i != j)
                status = weir_channel_create(c->rank[i].device, c->rank[j].device, &config,
                                             &c->channels->channel[i][j]);
    return status;
}

/* A GPU loads the kernels now: while one of them runs it could not. */
static weir_status load(weir_device *device)
{
    static const struct weir__channels_args nothing = {.number = WEIR__REDUCTION_LOAD};
    weir_queue *queue;
    weir_status status = weir_queue_create(device, 0, &queue);
    if (status)
        return status;
    if (!(status = weir_queue_launch(queue, &weir__channels_kernel, &nothing, sizeof nothing)))
        status = weir_queue_sync(queue);
    weir_queue_destroy(queue);
    return status;
}

weir_status weir__channels_open(weir_collectives *c)
{
    weir_status status;
    if ((status = weir__channels_possible(c)) ||
        (status = weir__calloc(1, sizeof *c->channels, "collectives over channels", &c->channels)))
        return status;
    c->channels->blocks = blocks_of(c);
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        if (!(status = weir_event_acquire(c->rank[i].device, &c->channels->last[i])))
            status = load(c->rank[i].device);
    if (status == WEIR_FULL)
        status =
            weir__fail(WEIR_ERR_NOMEM, "no events are left for collectives: raise WEIR_EVENTS");
    return status ? status : open_channels(c);
}

void weir__channels_close(weir_collectives *c)
{
    struct weir__channels *channels = c->channels;
    if (!channels)
        return;
    for (uint32_t i = 0; i < c->ranks; i++) {
        if (channels->last[i] && channels->called)
            (void)weir_event_wait(channels->last[i], -1);
        weir_event_release(channels->last[i]);
    }
    for (uint32_t i = 0; i < c->ranks; i++)
        for (uint32_t j = 0; j < c->ranks; j++)
            weir_channel_destroy(channels->channel[i][j]);
    free(channels);
    c->channels = NULL;
}

void weir__channels_stop(weir_collectives *c)
{
    for (uint32_t i = 0; i < c->ranks && c->channels; i++)
        for (uint32_t j = 0; j < c->ranks; j++)
            weir_channel_stop(c->channels->channel[i][j]);
}

weir_status weir__channels_status(weir_collectives *c)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < c->ranks && !status && c->channels->called; i++)
        status = weir_event_query(c->channels->last[i]);
    return status;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* A part of a call's bytes, cut into so many. */
struct part {
    size_t at, bytes;
};

static struct part part_of(size_t bytes, uint32_t parts, uint32_t index)
{
    const size_t chunk = weir__chunk(bytes, parts);
    struct part part = {chunk * index, chunk};
    if (part.at >= bytes)
        return (struct part){0, 0};
    if (part.bytes > bytes - part.at)
        part.bytes = bytes - part.at;
    return part;
}

/* A job that is being put together. */
static struct weir__channels_job *begin_job(struct weir__channels_args *args, size_t bytes)
{
    struct weir__channels_job *job = &args->job[args->jobs];
    job->froms = job->tos = 0;
    job->count = bytes / args->element;
    return job;
}

/* Nothing is to be done where nothing goes anywhere else. */
static void end_job(struct weir__channels_args *args)
{
    struct weir__channels_job *job = &args->job[args->jobs];
    uintptr_t bits = 0;
    if (!job->count || !job->tos)
        return;
    for (uint32_t i = 0; i < job->froms; i++)
        bits |= (uintptr_t)job->from[i];
    for (uint32_t i = 0; i < job->tos; i++)
        bits |= (uintptr_t)job->to[i];
    job->packs = bits % 16 ? 0 : job->count * args->element / 16;
    args->jobs++;
}

static void add_from(struct weir__channels_job *job, const void *data, size_t at)
{
    job->from[job->froms++] = weir__at(data, at);
}

static void add_to(struct weir__channels_job *job, void *data, size_t at)
{
    void *to = weir__to(data, at);
    if (job->froms != 1 || job->from[0] != to) /* it may be in its place */
        job->to[job->tos++] = to;
}

/* Store into all ranks, the next one first, so that not all store into the same one at a time. */
static void add_to_all(const weir_collectives *c, const struct call *call, uint32_t rank,
                       struct weir__channels_job *job, size_t at)
{
    for (uint32_t j = 1; j <= c->ranks; j++)
        add_to(job, call->recv[(rank + j) % c->ranks], at);
}

static void broadcast_jobs(const weir_collectives *c, const struct call *call, uint32_t rank,
                           struct weir__channels_args *args)
{
    const uint32_t index = (rank + c->ranks - call->root - 1) % c->ranks;
    struct part part = {0, 0};
    if (rank != call->root)
        part = part_of(call->bytes, c->ranks - 1, index);
    struct weir__channels_job *job = begin_job(args, part.bytes);
    add_from(job, call->send[call->root], part.at);
    for (uint32_t j = 0; j < c->ranks; j++)
        if ((rank + j) % c->ranks != call->root)
            add_to(job, call->recv[(rank + j) % c->ranks], part.at);
    end_job(args);
}

static void combine_jobs(const weir_collectives *c, const struct call *call, uint32_t rank,
                         struct weir__channels_args *args)
{
    const int scatters = call->what == WEIR_COLLECTIVE_REDUCE_SCATTER;
    const struct part own = {rank * call->bytes, call->bytes};
    const struct part part = scatters ? own : part_of(call->bytes, c->ranks, rank);
    struct weir__channels_job *job = begin_job(args, part.bytes);
    for (uint32_t j = 0; j < c->ranks; j++)
        add_from(job, call->send[j], part.at);
    if (scatters)
        add_to(job, call->recv[rank], 0);
    else if (call->what == WEIR_COLLECTIVE_REDUCE)
        add_to(job, call->recv[call->root], part.at);
    else
        add_to_all(c, call, rank, job, part.at);
    end_job(args);
}

static void exchange_jobs(const weir_collectives *c, const struct call *call, uint32_t rank,
                          struct weir__channels_args *args)
{
    for (uint32_t j = 0; j < c->ranks; j++) {
        const struct block block = weir__block(c, call, (rank + j) % c->ranks, rank);
        struct weir__channels_job *job = begin_job(args, block.bytes);
        if (!block.bytes)
            continue;
        add_from(job, block.source, 0);
        add_to(job, block.target, 0);
        end_job(args);
    }
}

static void jobs_of(const weir_collectives *c, const struct call *call, uint32_t rank,
                    struct weir__channels_args *args)
{
    if (weir__exchanges(call->what)) {
        exchange_jobs(c, call, rank, args);
    } else if (call->what == WEIR_COLLECTIVE_BROADCAST) {
        broadcast_jobs(c, call, rank, args);
    } else if (call->what == WEIR_COLLECTIVE_ALL_GATHER) {
        struct weir__channels_job *job = begin_job(args, call->bytes);
        add_from(job, call->send[rank], 0);
        add_to_all(c, call, rank, job, rank * call->bytes);
        end_job(args);
    } else {
        combine_jobs(c, call, rank, args);
    }
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* As many on every rank, since each meets its namesakes. */
static uint32_t blocks_for(const weir_collectives *c, const struct call *call)
{
    const int shared = call->what == WEIR_COLLECTIVE_ALL_REDUCE ||
                       call->what == WEIR_COLLECTIVE_REDUCE ||
                       call->what == WEIR_COLLECTIVE_BROADCAST;
    const size_t bytes = shared ? weir__chunk(call->bytes, c->ranks) : call->bytes;
    const size_t blocks = (bytes + SHARE_BYTES - 1) / SHARE_BYTES;
    return blocks < c->channels->blocks ? (uint32_t)blocks : c->channels->blocks;
}

weir_status weir__channels_call(weir_collectives *c, const struct call *call)
{
    const uint32_t blocks = blocks_for(c, call);
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < c->ranks && !status; i++) {
        struct weir__channels_args args;
        args.rank = i;
        args.ranks = c->ranks;
        args.blocks = blocks;
        args.number = 4 * (uint32_t)call->type + (uint32_t)call->op;
        args.element = (uint32_t)call->element;
        args.jobs = 0;
        for (uint32_t j = 0; j < c->ranks; j++)
            if (i != j) {
                args.tx[j] = weir_channel_tx_of(c->channels->channel[i][j]);
                args.rx[j] = weir_channel_rx_of(c->channels->channel[j][i]);
            }
        jobs_of(c, call, i, &args);
        if (!(status =
                  weir_queue_launch(call->queues[i], &weir__channels_kernel, &args, sizeof args)))
            status = weir_queue_record(call->queues[i], c->channels->last[i]);
    }
    c->channels->called = 1;
    /* Ranks whose kernels are there would wait for ever for one that is not. */
    return status ? weir__collectives_fail(c, status) : WEIR_OK;
}
