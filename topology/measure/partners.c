/** @file partners.c  Kernels that wait for each other: flags, a way to end them, and their start.
 *
 * All are put into held queues before any starts. The stop word is written by the host (release) and
 * read by kernels (acquire, system scope); `failed` the other way round. Neither publishes data. */
#include "topology/measure/partners.h"

#include <string.h>

#define STOP   0
#define FAILED WEIR__LINE
#define WORDS  (4 * WEIR__LINE)

static weir_status clear_flags(struct partners *p, uint32_t i)
{
    uint64_t bytes = sizeof(uint32_t) * WEIR_DEVICES_MAX * WEIR__FLAG_STRIDE;
    weir_queue *queue;
    weir_status status = weir__bench_alloc(p->bench, p->device[i], bytes, &p->flags[i]);
    if (status || (status = weir__bench_queue(p->bench, p->device[i], &queue)) ||
        (status = weir_queue_fill(queue, p->flags[i], 0, bytes)))
        return status;
    return weir__bench_drain(p->bench, p->device[i], "clearing flags");
}

static weir_status take_words(struct partners *p)
{
    weir_status status =
        weir__bench_alloc(p->bench, p->bench->devices, WORDS * sizeof *p->words, &p->words);
    if (status)
        return status;
    memset(p->words, 0, WORDS * sizeof *p->words);
    p->patience = (struct weir__patience){p->words + STOP, p->words + FAILED,
                                          (uint64_t)p->bench->config.limit_ms * 500000u};
    return WEIR_OK;
}

/* No rounds: nobody waits, and the kernels are there afterwards. */
static weir_status load(struct partners *p, weir__partner_fn launch)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < p->count && !status; i++)
        if (!(status = launch(p, i, 0)))
            status = weir_queue_sync(p->region.queue[i]);
    return status;
}

weir_status weir__partners_open(struct partners *p, struct bench *bench, const uint32_t *devices,
                                uint32_t count, weir__partner_fn launch)
{
    weir_status status;
    memset(p, 0, sizeof *p);
    p->bench = bench;
    p->count = count;
    memcpy(p->device, devices, count * sizeof *devices);
    status = take_words(p);
    for (uint32_t i = 0; i < count && !status; i++)
        status = clear_flags(p, i);
    if (!status)
        status = weir__region_open(&p->region, bench, devices, count);
    if (!status)
        status = load(p, launch);
    if (status)
        weir__partners_close(p);
    return status;
}

void weir__partners_close(struct partners *p)
{
    if (!p->bench)
        return;
    weir__region_close(&p->region);
    weir__bench_settle(p->bench);
    for (uint32_t i = 0; i < p->count; i++)
        weir_device_free(weir__bench_device(p->bench, p->device[i]), p->flags[i]);
    weir_device_free(weir__bench_device(p->bench, p->bench->devices), p->words);
    memset(p, 0, sizeof *p);
}

void weir__partners_stop(struct partners *p)
{
    __atomic_store_n(p->words + STOP, 1, __ATOMIC_RELEASE);
}

weir_status weir__partners_judge(const struct partners *p)
{
    if (!__atomic_load_n(p->words + FAILED, __ATOMIC_ACQUIRE))
        return WEIR_OK;
    return weir__fail(WEIR_ERR_TIMEOUT,
                      "%s: a kernel waited in vain for a flag of its partner within %u ms",
                      p->bench->table->name, p->bench->config.limit_ms / 2);
}

weir_status weir__partners_run(struct partners *p, weir__partner_fn launch, uint32_t rounds,
                               double *ms_out)
{
    weir_status status = weir__region_begin(&p->region);
    if (status)
        return status;
    for (uint32_t i = 0; i < p->count && !status; i++)
        status = launch(p, i, rounds);
    if (status)
        weir__partners_stop(p); /* those that are in their queues have no partner */
    status = weir__region_end(&p->region, status, ms_out);
    p->base += rounds;
    return status ? status : weir__partners_judge(p);
}
