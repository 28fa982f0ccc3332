/** @file fused.c  Runs with resident kernels: start them all, wait for all of them, stop them.
 *
 * A fused kernel waits for those of the other devices, so none may wait for something that comes after
 * it: all kernels are loaded before the first one starts, and nothing is put into their queues behind
 * them but an event. The host looks whether a kernel has ended, a device has failed or the time is over,
 * and writes stop words; a kernel looks at its own between rounds. */
#include "worklist/internal.h"
#include "worklist/turn.h"

#define SLICE_MS   20    /* between two looks at the clock and at a cancel */
#define GIVE_UP_MS 10000 /* a kernel that has not ended so long after a stop never will */

static weir_status start(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_status status = weir_queue_launch(worker->queue, &list->op->fused, worker->args,
                                           weir__worklist_args_bytes(list));
    if (status)
        return status;
    worker->launched = 1;
    return weir_queue_record(worker->queue, worker->done);
}

/* A host device reads the word as it is written here. A GPU's memory is written by a copy, which runs
 * beside the kernel; a fill would be a kernel too and wait for it. */
static void stop_worker(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    uint32_t *word = &worker->control->look[WEIR_LOOK_STOP];
    if (!worker->side) {
        weir_store_relaxed_sys_u32(word, 1);
        return;
    }
    worker->image->look[WEIR_LOOK_STOP] = 1; /* nobody copies the image meanwhile */
    (void)weir_queue_copy(worker->side, worker->device, word, weir_context_home(list->context),
                          &worker->image->look[WEIR_LOOK_STOP], sizeof *word);
}

void weir__fused_stop(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].launched)
            stop_worker(&list->workers[i]);
}

/* Copy back what a kernel that has ended left, and fail the run if it did not end well. */
static void collect(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    worker->launched = 0;
    if (worker->side)
        (void)weir_queue_sync(worker->side);
    weir_status status =
        weir_queue_copy(worker->queue, weir_context_home(list->context), worker->image,
                        worker->device, worker->control, sizeof *worker->image);
    if (!status)
        status = weir_queue_sync(worker->queue);
    if (!status)
        status = weir__worklist_end(worker);
    if (status)
        weir__worklist_fail(list, status);
}

/* A kernel that ended early leaves the others waiting for it; who waits for one looks at all. */
static void collect_ended(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].launched && weir_event_query(list->workers[i].done) == WEIR_OK)
            collect(&list->workers[i]);
}

/* Wait for one kernel, while others may fail and the run may be cancelled. */
static weir_status wait_worker(struct worker *worker, int *told)
{
    struct weir_worklist *list = worker->list;
    const uint64_t limit_ns = (uint64_t)list->config.time_limit_ms * 1000000u;
    uint64_t stopped_ns = 0;
    for (;;) {
        weir_status status = weir_event_wait(worker->done, SLICE_MS);
        if (status != WEIR_ERR_TIMEOUT)
            return status;
        uint64_t now = weir_context_time_ns(list->context);
        collect_ended(list);
        /* The kernel keeps the limit by itself; one that cannot, because another is lost, is stopped. */
        if (limit_ns && now - list->start_ns > limit_ns + 200 * 1000000u) {
            (void)weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over",
                             list->op->name, list->config.time_limit_ms);
            weir__worklist_fail(list, WEIR_ERR_TIMEOUT);
        }
        for (uint32_t i = 0; i < list->count; i++)
            if ((status = weir_device_status(list->workers[i].device)))
                weir__worklist_fail(list, status);
        if (!weir__worklist_failed(list))
            continue;
        if (!*told)
            weir__fused_stop(list);
        *told = 1;
        stopped_ns = stopped_ns ? stopped_ns : now;
        if (now - stopped_ns > (uint64_t)GIVE_UP_MS * 1000000u)
            return weir__fail(WEIR_ERR_DEVICE,
                              "worker %u: its kernel did not end within %d s of a stop",
                              worker->index, GIVE_UP_MS / 1000);
    }
}

static void run(struct weir_worklist *list)
{
    weir_status status = WEIR_OK;
    int told = 0;
    list->start_ns = weir_context_time_ns(list->context);
    for (uint32_t i = 0; i < list->count && !status; i++)
        status = start(&list->workers[i]);
    if (status)
        weir__worklist_fail(list, status);
    if (weir__worklist_failed(list)) { /* cancelled before it began, perhaps */
        weir__fused_stop(list);
        told = 1;
    }
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].launched && (status = wait_worker(&list->workers[i], &told))) {
            list->workers[i].launched = 0; /* lost: its queue is never through */
            weir__worklist_fail(list, status);
        }
    list->end_ns = weir_context_time_ns(list->context);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].launched)
            collect(&list->workers[i]);
}

static int has_failed(void *list)
{
    return weir__worklist_failed(list);
}

void weir__fused_run(struct weir_worklist *list)
{
    struct turn turn = {.count = 0};
    for (uint32_t i = 0; i < list->count; i++)
        weir__turn_add(&turn, list->workers[i].device);
    if (!weir__turn_take(&turn, has_failed, list))
        return;
    run(list);
    weir__turn_give(&turn);
}
