/** @file bsp.c  Supersteps on the host's side: start the resident kernels, wait for all, stop them.
 *
 * A kernel waits for those of the other devices, so all are loaded before the first one starts and nothing
 * but an event comes behind them in their queues. */
#include "worklist/bsp.h"
#include "runtime/internal.h"
#include "worklist/turn.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_MS   20    /* between two looks at the clock and at a cancel */
#define GIVE_UP_MS 10000 /* a kernel that has not ended so long after a stop never will */
#define SLACK_NS   UINT64_C(200000000) /* a kernel keeps the limit itself, if it can */

struct member {
    weir_device *device;
    weir_queue *queue;
    weir_queue *side; /* of a GPU: for the stop word while a kernel runs */
    weir_event *done;
    struct weir_bsp_page *page;  /* in the device's memory */
    struct weir_bsp_page *image; /* the same in page-locked host memory */
    unsigned char *args;
    int launched;
};

struct weir_bsp {
    weir_context *context;
    const weir_bsp_program *program;
    uint32_t count;
    uint32_t time_limit_ms;
    struct member member[WEIR_DEVICES_MAX];
    pthread_mutex_t lock; /* guards all below */
    weir_status status;   /* the first failure; stays */
    char *detail;
};

static void fail(struct weir_bsp *bsp, weir_status status)
{
    pthread_mutex_lock(&bsp->lock);
    if (!bsp->status) {
        bsp->status = status;
        bsp->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&bsp->lock);
}

static weir_status failure(struct weir_bsp *bsp)
{
    pthread_mutex_lock(&bsp->lock);
    weir_status status = bsp->status;
    if (status)
        status = weir__fail(status, "%s", bsp->detail ? bsp->detail : "out of memory");
    pthread_mutex_unlock(&bsp->lock);
    return status;
}

/* ---- building -------------------------------------------------------------------------------- */

weir_status weir_bsp_possible(const weir_context *context, uint32_t devices)
{
    weir_device_info first, info;
    if (devices < 1 || devices > weir_context_device_count(context))
        return weir__fail(WEIR_ERR_INVALID, "%u devices of a context of %u", devices,
                          weir_context_device_count(context));
    if (weir__context_simulated(context))
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

static weir_status create_member(struct weir_bsp *bsp, struct member *member, uint32_t index)
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

static void introduce(struct weir_bsp *bsp)
{
    for (uint32_t i = 0; i < bsp->count; i++) {
        struct weir_bsp_member *told = (struct weir_bsp_member *)bsp->member[i].args;
        for (uint32_t j = 0; j < bsp->count; j++)
            told->page[j] = bsp->member[j].page;
        told->index = i;
        told->count = bsp->count;
        told->limit_ns = (uint64_t)bsp->time_limit_ms * 1000000u;
    }
}

weir_status weir_bsp_create(weir_context *context, uint32_t devices,
                            const weir_bsp_program *program, uint32_t time_limit_ms,
                            weir_bsp **bsp_out)
{
    struct weir_bsp *bsp;
    weir_status status;
    *bsp_out = NULL;
    if ((status = weir_bsp_possible(context, devices)) ||
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
        weir_bsp_destroy(bsp);
        return status;
    }
    introduce(bsp);
    *bsp_out = bsp;
    return WEIR_OK;
}

void *weir_bsp_args(weir_bsp *bsp, uint32_t device)
{
    return bsp->member[device].args;
}

const uint64_t *weir_bsp_results(const weir_bsp *bsp, uint32_t device)
{
    return bsp->member[device].image->result;
}

uint64_t weir_bsp_tells(const weir_bsp *bsp, uint32_t from, uint32_t to)
{
    return bsp->member[from].image->tell[to];
}

weir_queue *weir_bsp_queue(const weir_bsp *bsp, uint32_t device)
{
    return bsp->member[device].queue;
}

void weir_bsp_cancel(weir_bsp *bsp)
{
    (void)weir__fail(WEIR_ERR_CANCELLED, "%s: the run was cancelled", bsp->program->name);
    fail(bsp, WEIR_ERR_CANCELLED);
}

void weir_bsp_destroy(weir_bsp *bsp)
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

/* A host device reads the word as it is written here. A GPU's memory is written by a copy, which runs
 * beside the kernel; a fill would be a kernel too and wait for it. */
static void stop_member(const struct weir_bsp *bsp, struct member *member)
{
    uint32_t *word = &member->page->stop;
    if (!member->side) {
        weir_store_relaxed_sys_u32(word, WEIR_BSP_STOPPED);
        return;
    }
    member->image->stop = WEIR_BSP_STOPPED; /* nobody copies the image meanwhile */
    (void)weir_queue_copy(member->side, member->device, word, weir_context_home(bsp->context),
                          &member->image->stop, sizeof *word);
}

static void stop_all(struct weir_bsp *bsp)
{
    for (uint32_t i = 0; i < bsp->count; i++)
        if (bsp->member[i].launched)
            stop_member(bsp, &bsp->member[i]);
}

static weir_status clear(struct weir_bsp *bsp)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < bsp->count && !status; i++)
        status = weir_queue_fill(bsp->member[i].queue, bsp->member[i].page, 0,
                                 sizeof(struct weir_bsp_page));
    for (uint32_t i = 0; i < bsp->count && !status; i++)
        status = weir_queue_sync(bsp->member[i].queue);
    return status;
}

static weir_status start(struct weir_bsp *bsp, struct member *member)
{
    weir_status status = weir_queue_launch(member->queue, &bsp->program->kernel, member->args,
                                           bsp->program->args_bytes);
    if (status)
        return status;
    member->launched = 1;
    return weir_queue_record(member->queue, member->done);
}

/* What a kernel that has ended left. */
static void collect(struct weir_bsp *bsp, struct member *member)
{
    weir_status status = WEIR_OK;
    member->launched = 0;
    if (member->side)
        (void)weir_queue_sync(member->side);
    /* What other devices write is left out: where a run is stopped some of them still do. */
    const size_t own = offsetof(struct weir_bsp_page, tell);
    status =
        weir_queue_copy(member->queue, weir_context_home(bsp->context), (char *)member->image + own,
                        member->device, (char *)member->page + own, sizeof *member->image - own);
    if (!status)
        status = weir_queue_sync(member->queue);
    if (!status && member->image->stop == WEIR_BSP_TIME_OVER)
        status = weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over",
                            bsp->program->name, bsp->time_limit_ms);
    if (status)
        fail(bsp, status);
}

/* A kernel that ended early leaves the others waiting for it; who waits for one looks at all. */
static void look_around(struct weir_bsp *bsp, uint64_t start_ns, uint64_t now)
{
    const uint64_t limit_ns = (uint64_t)bsp->time_limit_ms * 1000000u;
    for (uint32_t i = 0; i < bsp->count; i++) {
        struct member *member = &bsp->member[i];
        weir_status status = weir_device_status(member->device);
        if (status)
            fail(bsp, status);
        else if (member->launched && weir_event_query(member->done) == WEIR_OK)
            collect(bsp, member);
    }
    if (limit_ns && now - start_ns > limit_ns + SLACK_NS) {
        (void)weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over",
                         bsp->program->name, bsp->time_limit_ms);
        fail(bsp, WEIR_ERR_TIMEOUT);
    }
}

static weir_status wait_member(struct weir_bsp *bsp, struct member *member, uint64_t start_ns)
{
    uint64_t stopped_ns = 0;
    for (;;) {
        weir_status status = weir_event_wait(member->done, SLICE_MS);
        if (status != WEIR_ERR_TIMEOUT)
            return status;
        uint64_t now = weir_context_time_ns(bsp->context);
        look_around(bsp, start_ns, now);
        if (!failure(bsp))
            continue;
        stop_all(bsp);
        stopped_ns = stopped_ns ? stopped_ns : now;
        if (now - stopped_ns > (uint64_t)GIVE_UP_MS * 1000000u)
            return weir__fail(WEIR_ERR_DEVICE, "%s: a kernel did not end within %d s of a stop",
                              bsp->program->name, GIVE_UP_MS / 1000);
    }
}

static int has_failed(void *bsp)
{
    return failure(bsp) != WEIR_OK;
}

static weir_status run(weir_bsp *bsp, double *ms_out)
{
    weir_status status = clear(bsp);
    if (status)
        return status;
    uint64_t start_ns = weir_context_time_ns(bsp->context);
    for (uint32_t i = 0; i < bsp->count && !status; i++)
        status = start(bsp, &bsp->member[i]);
    if (status) {
        fail(bsp, status);
        stop_all(bsp);
    }
    for (uint32_t i = 0; i < bsp->count; i++)
        if (bsp->member[i].launched && (status = wait_member(bsp, &bsp->member[i], start_ns))) {
            bsp->member[i].launched = 0; /* lost: its queue is never through */
            fail(bsp, status);
        }
    uint64_t end_ns = weir_context_time_ns(bsp->context);
    for (uint32_t i = 0; i < bsp->count; i++)
        if (bsp->member[i].launched)
            collect(bsp, &bsp->member[i]);
    *ms_out = (double)(end_ns - start_ns) / 1e6;
    return failure(bsp);
}

weir_status weir_bsp_run(weir_bsp *bsp, double *ms_out)
{
    struct turn turn = {.count = 0};
    weir_status status = failure(bsp);
    for (uint32_t i = 0; i < bsp->count; i++)
        weir__turn_add(&turn, bsp->member[i].device);
    if (status || !weir__turn_take(&turn, has_failed, bsp))
        return failure(bsp);
    status = run(bsp, ms_out);
    weir__turn_give(&turn);
    return status;
}
