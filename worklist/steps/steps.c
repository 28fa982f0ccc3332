/** @file steps.c  Supersteps on the host's side: which devices can, what their kernels are started with, what
 * they left. */
#include "worklist/steps.h"
#include "worklist/host/resident.h"
#include "runtime/internal.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct member {
    weir_device *device;
    weir_queue *queue;
    weir_queue *side; /* of a GPU: for the stop word while a kernel runs */
    weir_event *done;
    struct weir_steps_page *page;  /* in the device's memory */
    struct weir_steps_page *image; /* the same in page-locked host memory */
    unsigned char *args;
};

struct weir_steps {
    weir_context *context;
    const weir_steps_program *program;
    uint32_t count;
    uint32_t time_limit_ms;
    struct member member[WEIR_DEVICES_MAX];
    pthread_mutex_t lock; /* guards all below */
    weir_status status;   /* the first failure; stays */
    char *detail;
};

static void fail(void *user, weir_status status)
{
    struct weir_steps *bsp = user;
    pthread_mutex_lock(&bsp->lock);
    if (!bsp->status) {
        bsp->status = status;
        bsp->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&bsp->lock);
}

static int failed(void *user)
{
    struct weir_steps *bsp = user;
    pthread_mutex_lock(&bsp->lock);
    int is = bsp->status != WEIR_OK;
    pthread_mutex_unlock(&bsp->lock);
    return is;
}

/* The failure again, for the calling thread. */
static weir_status failure(struct weir_steps *bsp)
{
    pthread_mutex_lock(&bsp->lock);
    weir_status status = bsp->status;
    if (status)
        status = weir__fail(status, "%s", bsp->detail ? bsp->detail : "out of memory");
    pthread_mutex_unlock(&bsp->lock);
    return status;
}

/* ---- building -------------------------------------------------------------------------------- */

weir_status weir_steps_possible(const weir_context *context, uint32_t devices)
{
    weir_device_info first, info;
    if (devices < 1 || devices > weir_context_device_count(context))
        return weir__fail(WEIR_ERR_INVALID, "%u devices of a context of %u", devices,
                          weir_context_device_count(context));
    if (weir_context_simulated(context))
        return weir__fail(WEIR_ERR_UNSUPPORTED, "simulated devices run one after the other");
    weir_device_info_get(weir_context_device(context, 0), &first);
    for (uint32_t i = 0; i < devices; i++) {
        weir_device *device = weir_context_device(context, i);
        weir_device_info_get(device, &info);
        if (info.kind != first.kind)
            return weir__fail(WEIR_ERR_UNSUPPORTED, "host devices do not reach the memory of GPUs");
        for (uint32_t j = 0; j < devices; j++)
            if (i != j && !weir_device_reaches(device, weir_context_device(context, j)))
                return weir__fail(WEIR_ERR_UNSUPPORTED, "device %u does not reach device %u", i, j);
    }
    return WEIR_OK;
}

static weir_status create_member(struct weir_steps *bsp, struct member *member, uint32_t index)
{
    weir_device *home = weir_context_home(bsp->context);
    weir_device_info info;
    weir_status status;
    void *place;
    member->device = weir_context_device(bsp->context, index);
    weir_device_info_get(member->device, &info);
    if ((status = weir__calloc(1, bsp->program->args_bytes, "kernel arguments", &member->args)) ||
        (status = weir_queue_create(member->device, 0, &member->queue)) ||
        (status = weir_event_acquire(member->device, &member->done)) ||
        (info.kind != WEIR_DEVICE_HOST &&
         (status = weir_queue_create(member->device, 1, &member->side))) ||
        (status = weir_device_alloc(home, sizeof *member->image, &place)))
        return status;
    member->image = place;
    memset(member->image, 0, sizeof *member->image); /* who asks before a run */
    if ((status = weir_device_alloc(member->device, sizeof *member->page, &place)))
        return status;
    member->page = place;
    return bsp->program->load && info.kind != WEIR_DEVICE_HOST
               ? weir__device_load(member->device, bsp->program->load)
               : WEIR_OK;
}

static void introduce(struct weir_steps *bsp)
{
    for (uint32_t i = 0; i < bsp->count; i++) {
        struct weir_steps_member *told = (struct weir_steps_member *)bsp->member[i].args;
        for (uint32_t j = 0; j < bsp->count; j++)
            told->page[j] = bsp->member[j].page;
        told->index = i;
        told->count = bsp->count;
        told->limit_ns = (uint64_t)bsp->time_limit_ms * 1000000u;
    }
}

weir_status weir_steps_create(weir_context *context, uint32_t devices,
                              const weir_steps_program *program, uint32_t time_limit_ms,
                              weir_steps **bsp_out)
{
    struct weir_steps *bsp;
    weir_status status;
    *bsp_out = NULL;
    if ((status = weir_steps_possible(context, devices)) ||
        (status = weir__calloc(1, sizeof *bsp, "supersteps", &bsp)))
        return status;
    pthread_mutex_init(&bsp->lock, NULL);
    weir__context_retain(context);
    bsp->context = context;
    bsp->program = program;
    bsp->count = devices;
    bsp->time_limit_ms = time_limit_ms;
    for (uint32_t i = 0; i < devices && !status; i++)
        status = create_member(bsp, &bsp->member[i], i);
    if (status) {
        weir_steps_destroy(bsp);
        return status;
    }
    introduce(bsp);
    *bsp_out = bsp;
    return WEIR_OK;
}

void *weir_steps_args(weir_steps *bsp, uint32_t device)
{
    return bsp->member[device].args;
}

const uint64_t *weir_steps_results(const weir_steps *bsp, uint32_t device)
{
    return bsp->member[device].image->result;
}

uint64_t weir_steps_tells(const weir_steps *bsp, uint32_t from, uint32_t to)
{
    return bsp->member[from].image->tell[to];
}

weir_queue *weir_steps_queue(const weir_steps *bsp, uint32_t device)
{
    return bsp->member[device].queue;
}

void weir_steps_cancel(weir_steps *bsp)
{
    (void)weir__fail(WEIR_ERR_CANCELLED, "%s: the run was cancelled", bsp->program->name);
    fail(bsp, WEIR_ERR_CANCELLED);
}

void weir_steps_destroy(weir_steps *bsp)
{
    if (!bsp)
        return;
    for (uint32_t i = 0; i < bsp->count;
         i++) { /* all of them first: kernels write to each other's pages */
        weir_queue_destroy(bsp->member[i].queue);
        weir_queue_destroy(bsp->member[i].side);
    }
    for (uint32_t i = 0; i < bsp->count; i++) {
        struct member *member = &bsp->member[i];
        if (member->done)
            weir_event_release(member->done);
        weir_device_free(member->device, member->page);
        weir_device_free(weir_context_home(bsp->context), member->image);
        free(member->args);
    }
    free(bsp->detail);
    pthread_mutex_destroy(&bsp->lock);
    weir__context_release(bsp->context);
    free(bsp);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static weir_status clear(struct weir_steps *bsp)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < bsp->count && !status; i++)
        status = weir_queue_fill(bsp->member[i].queue, bsp->member[i].page, 0,
                                 sizeof(struct weir_steps_page));
    for (uint32_t i = 0; i < bsp->count && !status; i++)
        status = weir_queue_sync(bsp->member[i].queue);
    return status;
}

/* What other devices write is left out: where a run is stopped some of them still do. */
static weir_status collect(void *user, uint32_t index)
{
    struct weir_steps *bsp = user;
    struct member *member = &bsp->member[index];
    const size_t own = offsetof(struct weir_steps_page, tell);
    weir_status status =
        weir_queue_copy(member->queue, weir_context_home(bsp->context), (char *)member->image + own,
                        member->device, (char *)member->page + own, sizeof *member->image - own);
    if (!status)
        status = weir_queue_sync(member->queue);
    if (!status && member->image->stop == WEIR_STEPS_TIME_OVER)
        status = weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over",
                            bsp->program->name, bsp->time_limit_ms);
    return status;
}

static void describe(struct weir_steps *bsp, struct residents *all)
{
    *all = (struct residents){.context = bsp->context,
                              .name = bsp->program->name,
                              .kernel = &bsp->program->kernel,
                              .args_bytes = bsp->program->args_bytes,
                              .count = bsp->count,
                              .time_limit_ms = bsp->time_limit_ms,
                              .stop_value = WEIR_STEPS_STOPPED,
                              .fail = fail,
                              .failed = failed,
                              .collect = collect,
                              .user = bsp};
    for (uint32_t i = 0; i < bsp->count; i++) {
        const struct member *member = &bsp->member[i];
        all->one[i] = (struct resident){.device = member->device,
                                        .queue = member->queue,
                                        .side = member->side,
                                        .done = member->done,
                                        .args = member->args,
                                        .stop = &member->page->stop,
                                        .image = &member->image->stop};
    }
}

weir_status weir_steps_run(weir_steps *bsp, double *ms_out)
{
    struct residents all;
    weir_status status = failure(bsp);
    if (status || (status = clear(bsp)))
        return status;
    describe(bsp, &all);
    weir__resident_run(&all);
    *ms_out = (double)(all.end_ns - all.start_ns) / 1e6;
    return failure(bsp);
}
