/** @file run.c  One run: build the graph, start the devices, feed them, gather, report. */
#include "algorithms/pbf/pbf.h"

#include <stdlib.h>
#include <string.h>

/* ---- endings ---- */

void weir__pbf_fail(weir__pbf_run *run, weir_status status)
{
    pthread_mutex_lock(&run->lock);
    if (!run->status) {
        run->status = status;
        run->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&run->lock);
    weir_router_cancel(run->to_devices, status);
    weir_router_cancel(run->to_host, status);
}

int64_t weir__pbf_left_ms(const weir__pbf_run *run)
{
    uint64_t now = weir__now_ns();
    if (!run->deadline_ns)
        return -1;
    return now < run->deadline_ns ? (int64_t)((run->deadline_ns - now + 999999) / 1000000) : 0;
}

weir_status weir__pbf_late(const weir__pbf_run *run)
{
    return weir__fail(WEIR_ERR_TIMEOUT, "filtering took longer than its time limit of %u ms",
                      run->pbf->config.time_limit_ms);
}

/* ---- a run ---- */

static weir_status start_devices(weir__pbf_run *run)
{
    for (uint32_t i = 0; i < run->devices; i++) {
        weir__pbf_device *device = &run->device[i];
        int error = pthread_create(&device->thread, NULL, weir__pbf_work, device);
        if (error)
            return weir__fail(WEIR_ERR_NOMEM, "the thread of device %u: %s", i, strerror(error));
        device->started = 1;
    }
    return WEIR_OK;
}

static void join_devices(weir__pbf_run *run)
{
    for (uint32_t i = 0; i < run->devices; i++)
        if (run->device[i].started)
            (void)pthread_join(run->device[i].thread, NULL);
}

/* The whole array is one message: the router cuts it to what the devices take. */
static weir_status feed(weir__pbf_run *run)
{
    weir_segment array = {.device = weir_context_home(run->pbf->context),
                          .data = (void *)(uintptr_t)run->input,
                          .bytes = run->elements * sizeof(uint32_t)};
    weir_status status = WEIR_OK;
    if (run->elements)
        status = weir_link_send(run->feed, &array, NULL, NULL);
    return status ? status : weir_link_shutdown(run->feed);
}

static void fill_stats(const weir__pbf_run *run, uint64_t ended_ns, weir_pbf_stats *stats)
{
    *stats = (weir_pbf_stats){.ms = (double)(ended_ns - run->start_ns) / 1e6,
                              .prepare_ms = run->prepare_ms,
                              .packet_bytes = run->packet_bytes,
                              .devices = run->devices};
    for (uint32_t i = 0; i < run->devices; i++) {
        stats->device[i] = run->device[i].share;
        stats->kept += run->device[i].share.kept;
    }
}

/* Everything between building the graph and freeing it. The first failure is in run->status. */
static void flow(weir__pbf_run *run, weir_pbf_stats *stats_out)
{
    const weir_pbf_config *config = &run->pbf->config;
    weir_status status;
    run->start_ns = weir_context_time_ns(run->pbf->context);
    if (config->time_limit_ms)
        run->deadline_ns = weir__now_ns() + config->time_limit_ms * UINT64_C(1000000);
    if ((status = start_devices(run)) || (status = feed(run)))
        weir__pbf_fail(run, status);
    else
        (void)weir__pbf_gather(run);
    uint64_t ended_ns = weir_context_time_ns(run->pbf->context);
    join_devices(run);
    if (stats_out)
        fill_stats(run, ended_ns, stats_out);
}

/* From here until it is withdrawn a run can be cancelled.
 * @retval WEIR_ERR_CANCELLED  it was, before it began. */
static weir_status publish(weir__pbf_run *run)
{
    weir_pbf *pbf = run->pbf;
    pthread_mutex_lock(&pbf->lock);
    int cancelled = pbf->cancelled;
    if (!cancelled)
        pbf->run = run;
    pthread_mutex_unlock(&pbf->lock);
    return cancelled ? weir__fail(WEIR_ERR_CANCELLED, "the run was cancelled before it began")
                     : WEIR_OK;
}

static void withdraw(weir_pbf *pbf)
{
    pthread_mutex_lock(&pbf->lock);
    pbf->run = NULL;
    pbf->cancelled = 0;
    pthread_mutex_unlock(&pbf->lock);
}

static weir_status run_opened(weir__pbf_run *run, weir_pbf_stats *stats_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_status status = weir__pbf_open(run);
    run->prepare_ms = weir__elapsed_ms(begin_ns);
    if (!status)
        status = publish(run);
    if (!status)
        flow(run, stats_out);
    withdraw(run->pbf);
    if (run->detail)
        weir__fail_adopt(run->detail);
    return status ? status : run->status;
}

weir_status weir_pbf_run(weir_pbf *pbf, const uint32_t *input, uint64_t elements, uint32_t *output,
                         uint64_t room, weir_pbf_stats *stats_out)
{
    weir__pbf_run *run;
    weir_status status;
    if (stats_out)
        *stats_out = (weir_pbf_stats){.ms = 0};
    pbf->piece_count = 0;
    if (elements > WEIR_PBF_ELEMENTS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%llu elements: one run filters at most %llu",
                          (unsigned long long)elements, (unsigned long long)WEIR_PBF_ELEMENTS_MAX);
    if ((status = weir__calloc(1, sizeof *run, "run", &run)))
        return status;
    run->pbf = pbf;
    run->input = input;
    run->elements = elements;
    run->output = output;
    run->room = room;
    pthread_mutex_init(&run->lock, NULL);
    status = run_opened(run, stats_out);
    if (status && stats_out)
        *stats_out = (weir_pbf_stats){.ms = 0};
    weir__pbf_close(run);
    pthread_mutex_destroy(&run->lock);
    free(run->detail);
    free(run);
    return status;
}
