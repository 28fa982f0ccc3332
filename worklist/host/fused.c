/** @file fused.c  Runs with resident kernels, fused or live: what the kernels are started with, and what they leave. A kernel looks
 * at its stop word between rounds, or every few tasks. */
#include "worklist/host/internal.h"
#include "worklist/host/resident.h"

/* The control words come back. */
static weir_status put_words_back(struct worker *worker)
{
    return weir_queue_copy(worker->queue, weir_context_home(worker->list->context), worker->image,
                           worker->device, worker->control, sizeof *worker->image);
}

/* Behind a kernel: what the program wants there, then its control words come back, so that a GPU whose program counts by a kernel
 * goes over from kernels to copies once. The host stores the stop word of a host device itself as long as it takes the kernel
 * to be running, so those words come back when the kernel is collected. */
static weir_status put_behind(void *user, uint32_t index)
{
    struct weir_worklist *list = user;
    struct worker *worker = &list->workers[index];
    const weir_status status = weir__worklist_behind(worker);
    const weir_status back = worker->stop_queue ? put_words_back(worker) : WEIR_OK;
    const weir_status noted = weir__traced_behind(worker);
    return status ? status : back ? back : noted;
}

/* Fail the run if a kernel did not end well. */
static weir_status collect(void *user, uint32_t index)
{
    struct weir_worklist *list = user;
    struct worker *worker = &list->workers[index];
    weir_status status = worker->stop_queue ? WEIR_OK : put_words_back(worker);
    if (!status)
        status = weir_queue_sync(worker->queue);
    return status ? status : weir__worklist_end(worker);
}

static void fail(void *user, weir_status status)
{
    weir__worklist_fail(user, status);
}

static int failed(void *user)
{
    return weir__worklist_failed(user);
}

static void tend(void *user)
{
    struct weir_worklist *list = user;
    const int over = weir__worklist_failed(list);
    for (uint32_t i = 0; i < list->count; i++)
        if (over)
            weir__spill_refuse(&list->workers[i].spill);
        else
            weir__spill_tend(&list->workers[i].spill);
}

/* Whether the host has to give chunks to running kernels. Kernels of host devices take chunks themselves. */
static int wants_tending(const struct weir_worklist *list)
{
    return weir__device_is_gpu(list->workers[0].device);
}

static void describe(struct weir_worklist *list, struct residents *all)
{
    *all =
        (struct residents){.context = list->context,
                           .name = list->op->name,
                           .kernel = weir__worklist_live(list) ? &list->op->live : &list->op->fused,
                           .args_bytes = weir__worklist_args_bytes(list),
                           .count = list->count,
                           .time_limit_ms = list->config.time_limit_ms,
                           .stop_value = 1,
                           .fail = fail,
                           .failed = failed,
                           .put_behind = put_behind,
                           .collect = collect,
                           .tend = wants_tending(list) ? tend : NULL,
                           .user = list};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct worker *worker = &list->workers[i];
        all->one[i] = (struct resident){.device = worker->device,
                                        .queue = worker->queue,
                                        .stop_queue = worker->stop_queue,
                                        .done = worker->done,
                                        .args = worker->args,
                                        .stop = &worker->control->look[WEIR_LOOK_STOP].word,
                                        .image = worker->stop};
    }
}

void weir__fused_run(struct weir_worklist *list)
{
    struct residents all;
    describe(list, &all);
    weir__resident_run(&all);
    list->start_ns = all.start_ns;
    list->end_ns = all.end_ns;
}
