/** @file steps.c  What the host does for supersteps: it checks whether devices can run them, allocates the arrays of a
 * program, starts the kernels, and reads what they left. */
#include "worklist/steps.h"
#include "worklist/host/notes.h"
#include "worklist/host/resident.h"
#include "worklist/host/steps_table.h"
#include "runtime/internal.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct member {
    weir_device *device;
    weir_queue *queue;
    weir_queue *stop_queue; /* of a GPU: for the stop word while a kernel runs */
    weir_event *done;
    struct weir_steps_page *page;  /* in the device's memory */
    struct weir_steps_page *image; /* what the last run left there, in page-locked host memory */
    uint32_t *stop;                /* page-locked: the word that a GPU is told to stop with */
    struct weir_reset *reset;
    unsigned char *args;
    struct kernel_notes notes; /* once a trace was on */
};

struct weir_steps {
    weir_context *context;
    const weir_steps_program *program;
    weir_steps_domain domain;
    uint32_t time_limit_ms;
    int cleared; /* the pages of GPUs are */
    struct member member[WEIR_DEVICES_MAX];
    pthread_mutex_t lock; /* guards all below */
    weir_status status;   /* the first failure; stays */
    char *detail;
};

static void fail(void *user, weir_status status)
{
    struct weir_steps *steps = user;
    pthread_mutex_lock(&steps->lock);
    if (!steps->status) {
        steps->status = status;
        steps->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&steps->lock);
}

static int failed(void *user)
{
    struct weir_steps *steps = user;
    pthread_mutex_lock(&steps->lock);
    int is = steps->status != WEIR_OK;
    pthread_mutex_unlock(&steps->lock);
    return is;
}

/* Report the first failure, if there was one, to the calling thread. */
static weir_status failure(struct weir_steps *steps)
{
    pthread_mutex_lock(&steps->lock);
    weir_status status = steps->status;
    if (status)
        status = weir__fail(status, "%s", steps->detail ? steps->detail : "out of memory");
    pthread_mutex_unlock(&steps->lock);
    return status;
}

/* ---- building -------------------------------------------------------------------------------- */

weir_status weir_steps_possible(const weir_context *context, uint32_t devices)
{
    weir_device_info first = WEIR_DEVICE_INFO_INIT, info = WEIR_DEVICE_INFO_INIT;
    if (!context)
        return weir__missing("weir_steps_possible", "context");
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

static weir_status create_member(struct weir_steps *steps, struct member *member, uint32_t index)
{
    const weir_steps_body *body = steps->program->body;
    weir_device *home = weir_context_home(steps->context);
    weir_status status;
    void *memory;
    member->device = weir_context_device(steps->context, index);
    if ((status = weir__calloc(1, body->args_bytes, "kernel arguments", &member->args)) ||
        (status = weir_queue_create(member->device, 0, &member->queue)) ||
        (status = weir_event_acquire(member->device, &member->done)) ||
        (weir__device_is_gpu(member->device) &&
         (status = weir_queue_create(member->device, 1, &member->stop_queue))) ||
        (status = weir__device_alloc_as(home, "page", 1, sizeof *member->image, &memory)))
        return status;
    weir__queue_role(member->queue, "of supersteps");
    weir__queue_role(member->stop_queue, "of stop words");
    member->image = memory;
    memset(member->image, 0, sizeof *member->image); /* results may be asked for before a run */
    if ((status = weir__device_alloc_as(home, "stop word", 1, sizeof *member->stop, &memory)))
        return status;
    member->stop = memory;
    if ((status = weir__device_alloc_as(member->device, "page", 1, sizeof *member->page, &memory)))
        return status;
    member->page = memory;
    return body->load ? weir__device_load(member->device, body->load) : WEIR_OK;
}

static void introduce(struct weir_steps *steps)
{
    for (uint32_t i = 0; i < steps->domain.devices; i++) {
        struct weir_steps_member *told = (struct weir_steps_member *)steps->member[i].args;
        for (uint32_t j = 0; j < steps->domain.devices; j++)
            told->page[j] = steps->member[j].page;
        told->index = i;
        told->count = steps->domain.devices;
        told->limit_ns = (uint64_t)steps->time_limit_ms * 1000000u;
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* A pointer in the arguments may point to any type, so pointers are read and written as bytes. */
static void *get_pointer(const struct weir_steps *steps, uint32_t device, size_t field, uint32_t at)
{
    void *data;
    memcpy(&data, steps->member[device].args + field + at * sizeof data, sizeof data);
    return data;
}

static void set_pointer(struct weir_steps *steps, uint32_t device, size_t field, uint32_t at,
                        void *data)
{
    memcpy(steps->member[device].args + field + at * sizeof data, &data, sizeof data);
}

/* The index, in a field, of the pointer to the device's own array. */
static uint32_t own_index(const weir_steps_array *array, uint32_t device)
{
    return array->holding == WEIR_STEPS_SHARED ? device : 0;
}

static uint64_t extent_of(const struct weir_steps *steps, const weir_steps_array *array, uint32_t d)
{
    const weir_steps_domain *domain = &steps->domain;
    switch (array->extent) {
    case WEIR_STEPS_DEVICES:
        return domain->devices;
    case WEIR_STEPS_NUMBERS:
        return domain->first[domain->devices];
    case WEIR_STEPS_OWNED:
        return domain->owned[d];
    case WEIR_STEPS_WORDS:
        return (domain->first[domain->devices] + UINT64_C(31)) / 32;
    default:
        return 1;
    }
}

/* Elements of an array of device d; 0: the array is left out. */
static uint64_t elements_of(const struct weir_steps *steps, const weir_steps_array *array,
                            const void *user, uint32_t d, uint32_t sender)
{
    uint64_t count = 0;
    if (array->count && !(count = array->count(user, d, sender)))
        return array->extent == WEIR_STEPS_COUNTED ? array->more : 0;
    if (array->extent != WEIR_STEPS_COUNTED)
        count = extent_of(steps, array, d);
    return count > UINT64_MAX - array->more ? UINT64_MAX : count + array->more;
}

/* Kernels reset 16 bytes at a time. */
static size_t padded(uint64_t bytes)
{
    return (size_t)((bytes + WEIR__WHOLE - 1) / WEIR__WHOLE * WEIR__WHOLE);
}

static weir_status allocate(struct weir_steps *steps, const weir_steps_array *array, uint32_t d,
                            uint64_t elements, uint32_t at)
{
    struct member *member = &steps->member[d];
    void *data;
    if (!elements)
        return WEIR_OK;
    weir_status status =
        weir__device_alloc_as(member->device, array->name, elements, array->bytes, &data);
    if (status)
        return weir__fail(status, "%s: array %s of device %u: %s", steps->program->what,
                          array->name, d, weir_error_detail());
    set_pointer(steps, d, array->field, at, data);
    return array->first == WEIR_STEPS_FILLED_ONCE || array->written
               ? weir_queue_fill(member->queue, data, array->fill, padded(elements * array->bytes))
               : WEIR_OK;
}

static weir_status allocate_array(struct weir_steps *steps, const weir_steps_array *array,
                                  const void *user, uint32_t d)
{
    weir_status status = WEIR_OK;
    if (array->holding != WEIR_STEPS_INBOXES)
        return allocate(steps, array, d, elements_of(steps, array, user, d, d),
                        own_index(array, d));
    for (uint32_t from = 0; from < steps->domain.devices && !status; from++)
        if (from != d)
            status = allocate(steps, array, d, elements_of(steps, array, user, d, from), from);
    return status;
}

/* Put pointers to the arrays of other devices into the arguments. */
static void share(struct weir_steps *steps, const weir_steps_array *array)
{
    for (uint32_t d = 0; d < steps->domain.devices; d++)
        for (uint32_t e = 0; e < steps->domain.devices; e++) {
            if (array->holding == WEIR_STEPS_SHARED && d != e)
                set_pointer(steps, d, array->field, e, get_pointer(steps, e, array->field, e));
            else if (array->holding == WEIR_STEPS_INBOXES)
                set_pointer(steps, d, array->outbox, e, get_pointer(steps, e, array->field, d));
        }
}

/* How many arrays a device has of its own of one in the table. */
static uint32_t own_count(const struct weir_steps *steps, const weir_steps_array *array)
{
    return array->holding == WEIR_STEPS_INBOXES ? steps->domain.devices : 1;
}

/* Bytes of a device's array that are reset before each run. @param[in] sender  of inboxes: a device has none for itself. */
static size_t reset_bytes(const struct weir_steps *steps, const weir_steps_array *array,
                          const void *user, uint32_t d, uint32_t sender)
{
    if (array->holding == WEIR_STEPS_INBOXES && sender == d)
        return 0;
    uint64_t elements = elements_of(steps, array, user, d, sender);
    if (array->written && array->written(user, d) < elements)
        elements = array->written(user, d);
    return padded(elements * array->bytes);
}

/* The rows of a device's list for one array: one, or of inboxes one for each sender. @return how many. */
static uint32_t put_resets(const struct weir_steps *steps, const weir_steps_array *array,
                           const void *user, uint32_t d, struct weir_reset *list)
{
    const weir_steps_array *from = weir__steps_array_named(steps->program, array->from);
    const uint32_t count = own_count(steps, array);
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct weir_reset){
            .data = get_pointer(steps, d, array->field, own_index(array, d) + i),
            .from = array->first == WEIR_STEPS_COPIED
                        ? get_pointer(steps, d, from->field, own_index(from, d))
                        : NULL,
            .bytes = reset_bytes(steps, array, user, d, count > 1 ? i : d),
            .value = array->fill * UINT64_C(0x0101010101010101)};
    return count;
}

/* The list of arrays that the kernel of a device resets. It has the same rows on all devices; some may have no words. */
static weir_status list_resets(struct weir_steps *steps, const void *user, uint32_t d)
{
    const weir_steps_program *program = steps->program;
    struct weir_steps_member *told = (struct weir_steps_member *)steps->member[d].args;
    struct weir_reset *list;
    uint32_t most = 0, count = 0;
    void *data;
    for (uint32_t i = 0; i < program->array_count; i++)
        most += own_count(steps, &program->arrays[i]);
    weir_status status = weir__calloc(most, sizeof *list, "arrays to be reset", &list);
    if (status)
        return status;
    for (uint32_t i = 0; i < program->array_count; i++)
        if (program->arrays[i].first >= WEIR_STEPS_FILLED)
            count += put_resets(steps, &program->arrays[i], user, d, list + count);
    if (count && !(status = weir__device_alloc_as(steps->member[d].device, "list of resets", count,
                                                  sizeof *list, &data))) {
        steps->member[d].reset = data;
        told->reset = data;
        told->resets = count;
        status = weir__upload(steps->member[d].device, data, list, count * sizeof *list);
    }
    free(list);
    return status;
}

static weir_status allocate_arrays(struct weir_steps *steps, const void *user)
{
    const weir_steps_program *program = steps->program;
    weir_status status = WEIR_OK;
    for (uint32_t d = 0; d < steps->domain.devices && !status; d++)
        for (uint32_t i = 0; i < program->array_count && !status; i++)
            status = allocate_array(steps, &program->arrays[i], user, d);
    for (uint32_t i = 0; i < program->array_count && !status; i++)
        share(steps, &program->arrays[i]);
    for (uint32_t d = 0; d < steps->domain.devices && !status; d++)
        status = list_resets(steps, user, d);
    for (uint32_t d = 0; d < steps->domain.devices && !status; d++)
        status = weir_queue_sync(steps->member[d].queue);
    return status;
}

static void free_array(struct weir_steps *steps, const weir_steps_array *array, uint32_t d)
{
    for (uint32_t i = 0; i < own_count(steps, array); i++) {
        const uint32_t at = own_index(array, d) + i;
        weir_device_free(steps->member[d].device, get_pointer(steps, d, array->field, at));
        set_pointer(steps, d, array->field, at, NULL);
    }
}

static int has_array(const struct weir_steps *steps, const weir_steps_array *array, uint32_t d)
{
    for (uint32_t i = 0; i < own_count(steps, array); i++)
        if (get_pointer(steps, d, array->field, own_index(array, d) + i))
            return 1;
    return 0;
}

weir_status weir_steps_take(weir_steps *steps, const char *name)
{
    const weir_steps_array *array =
        steps && name ? weir__steps_array_named(steps->program, name) : NULL;
    weir_status status = WEIR_OK;
    int had[WEIR_DEVICES_MAX];
    if (!steps || !name)
        return weir__missing("weir_steps_take", !steps ? "steps" : "name");
    if (!array || array->extent == WEIR_STEPS_COUNTED || array->first >= WEIR_STEPS_FILLED)
        return weir__fail(WEIR_ERR_INVALID, "%s has no array %s that can be taken later",
                          steps->program->what, name);
    weir_steps_array whole = *array; /* nobody is asked whether it is to be left out */
    whole.count = NULL;
    for (uint32_t d = 0; d < steps->domain.devices; d++)
        had[d] = has_array(steps, array, d);
    for (uint32_t d = 0; d < steps->domain.devices && !status; d++)
        if (!had[d])
            status = allocate_array(steps, &whole, NULL, d);
    for (uint32_t d = 0; d < steps->domain.devices; d++) {
        const weir_status synced = weir_queue_sync(steps->member[d].queue);
        status = status ? status : synced;
    }
    if (!status)
        share(steps, array);
    for (uint32_t d = 0; d < steps->domain.devices && status; d++)
        if (!had[d])
            free_array(steps, array, d);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

weir_status weir_steps_create(weir_context *context, const weir_steps_program *program,
                              const weir_steps_domain *domain, const void *user,
                              uint32_t time_limit_ms, weir_steps **steps_out)
{
    struct weir_steps *steps;
    weir_status status;
    if (steps_out)
        *steps_out = NULL;
    if (!context || !program || !domain || !steps_out)
        return weir__missing("weir_steps_create", !context   ? "context"
                                                  : !program ? "program"
                                                  : !domain  ? "domain"
                                                             : "steps_out");
    if ((status = weir_steps_possible(context, domain->devices)) ||
        (status = weir__steps_check(program, domain)) ||
        (status = weir__calloc(1, sizeof *steps, "supersteps", &steps)))
        return status;
    pthread_mutex_init(&steps->lock, NULL);
    weir__context_retain(context);
    steps->context = context;
    steps->program = program;
    steps->domain = *domain;
    steps->time_limit_ms = time_limit_ms;
    for (uint32_t i = 0; i < domain->devices && !status; i++)
        status = create_member(steps, &steps->member[i], i);
    if (!status) {
        introduce(steps);
        status = allocate_arrays(steps, user);
    }
    if (status) {
        weir_steps_destroy(steps);
        return status;
    }
    *steps_out = steps;
    return WEIR_OK;
}

void *weir_steps_args(const weir_steps *steps, uint32_t device)
{
    return device < steps->domain.devices ? steps->member[device].args : NULL;
}

const weir_steps_domain *weir_steps_domain_of(const weir_steps *steps)
{
    return &steps->domain;
}

weir_context *weir_steps_context(const weir_steps *steps)
{
    return steps->context;
}

void *weir_steps_data(const weir_steps *steps, const char *name, uint32_t device)
{
    const weir_steps_array *array = name ? weir__steps_array_named(steps->program, name) : NULL;
    return array && device < steps->domain.devices
               ? get_pointer(steps, device, array->field, own_index(array, device))
               : NULL;
}

const uint64_t *weir_steps_results(const weir_steps *steps, uint32_t device)
{
    return device < steps->domain.devices ? steps->member[device].image->result : NULL;
}

uint64_t weir_steps_total(const weir_steps *steps, uint32_t result)
{
    uint64_t total = 0;
    for (uint32_t d = 0; d < steps->domain.devices && result < WEIR_STEPS_RESULTS; d++)
        total += steps->member[d].image->result[result];
    return total;
}

uint64_t weir_steps_tells(const weir_steps *steps, uint32_t from, uint32_t to)
{
    const uint32_t devices = steps->domain.devices;
    return from < devices && to < devices ? steps->member[from].image->tell[to] : 0;
}

const char *weir_steps_phase_of(const weir_steps *steps, uint32_t index, double *ms_out,
                                uint64_t *steps_out)
{
    *ms_out = 0;
    *steps_out = 0;
    if (index >= steps->program->phase_count)
        return NULL;
    const weir_steps_phase *phase = &steps->program->phases[index];
    for (uint32_t d = 0; d < steps->domain.devices; d++) {
        const double ms = (double)steps->member[d].image->result[phase->ns] / 1e6;
        *ms_out = *ms_out < ms ? ms : *ms_out;
    }
    *steps_out = steps->member[0].image->result[phase->steps];
    return phase->name;
}

weir_queue *weir_steps_queue(const weir_steps *steps, uint32_t device)
{
    return device < steps->domain.devices ? steps->member[device].queue : NULL;
}

void weir_steps_limit(weir_steps *steps, uint32_t time_limit_ms)
{
    steps->time_limit_ms = time_limit_ms;
    introduce(steps);
}

void weir_steps_cancel(weir_steps *steps)
{
    if (!steps)
        return;
    (void)weir__fail(WEIR_ERR_CANCELLED, "%s: the run was cancelled", steps->program->body->name);
    fail(steps, WEIR_ERR_CANCELLED);
}

void weir_steps_destroy(weir_steps *steps)
{
    if (!steps)
        return;
    /* All queues are destroyed before any memory is freed, since kernels write to each other's pages and inboxes. */
    for (uint32_t i = 0; i < steps->domain.devices; i++) {
        weir_queue_destroy(steps->member[i].queue);
        weir_queue_destroy(steps->member[i].stop_queue);
    }
    for (uint32_t i = 0; i < steps->domain.devices; i++) {
        struct member *member = &steps->member[i];
        for (uint32_t a = 0; a < steps->program->array_count && member->args; a++)
            free_array(steps, &steps->program->arrays[a], i);
        if (member->done)
            weir_event_release(member->done);
        weir_device_free(member->device, member->reset);
        weir__notes_free(member->device, &member->notes);
        weir_device_free(member->device, member->page);
        weir_device_free(weir_context_home(steps->context), member->image);
        weir_device_free(weir_context_home(steps->context), member->stop);
        free(member->args);
    }
    free(steps->detail);
    pthread_mutex_destroy(&steps->lock);
    weir__context_release(steps->context);
    free(steps);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static int on_gpus(const struct weir_steps *steps)
{
    return steps->member[0].stop_queue != NULL;
}

/* Every page is clear before a kernel starts, since each kernel writes to the pages of the others. The host clears those of
 * host devices itself. A page of a GPU is cleared behind its kernel for the next run, so that the caller waits once a run;
 * here it is cleared before the first run, and after one that a body has stopped. */
static weir_status clear_pages(struct weir_steps *steps)
{
    const uint32_t devices = steps->domain.devices;
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < devices && !on_gpus(steps); i++)
        memset(steps->member[i].page, 0, sizeof *steps->member[i].page);
    if (!on_gpus(steps) || steps->cleared)
        return WEIR_OK;
    for (uint32_t i = 0; i < devices && !status; i++)
        status = weir_queue_fill(steps->member[i].queue, steps->member[i].page, 0,
                                 sizeof *steps->member[i].page);
    for (uint32_t i = 0; i < devices && !status; i++)
        status = weir_queue_sync(steps->member[i].queue);
    steps->cleared = !status;
    return status;
}

/* Behind a kernel and its event: the epilogue, the page for the host, and notes if a trace is on. On a host device the words are left out that the
 * host and other devices write, since they still may where a run is stopped. On a GPU the copy has the stop word, and a fill
 * follows. Where no stop came nobody writes to the page any more: what other devices wrote for the last barrier that the body
 * passed was there when it passed. */
static weir_status put_behind(void *user, uint32_t index)
{
    struct weir_steps *steps = user;
    const weir_steps_body *body = steps->program->body;
    struct member *member = &steps->member[index];
    const struct weir_steps_member *told = (const struct weir_steps_member *)member->args;
    const size_t from = on_gpus(steps) ? 0 : offsetof(struct weir_steps_page, tell);
    weir_status status = body->epilogue.name ? weir_queue_launch(member->queue, &body->epilogue,
                                                                 member->args, body->args_bytes)
                                             : WEIR_OK;
    if (!status)
        status = weir_queue_copy(member->queue, weir_context_home(steps->context),
                                 (char *)member->image + from, member->device,
                                 (char *)member->page + from, sizeof *member->image - from);
    if (!status && on_gpus(steps))
        status = weir_queue_fill(member->queue, member->page, 0, sizeof *member->page);
    return status || !told->notes ? status : weir__notes_behind(&member->notes, member->queue);
}

static weir_status collect(void *user, uint32_t index)
{
    struct weir_steps *steps = user;
    weir_status status = weir_queue_sync(steps->member[index].queue);
    if (steps->member[index].image->stop) /* others may have written to the clear page */
        steps->cleared = 0;
    if (!status && steps->member[index].image->over)
        status = weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over",
                            steps->program->body->name, steps->time_limit_ms);
    return status;
}

static void describe(struct weir_steps *steps, struct residents *all)
{
    *all = (struct residents){.context = steps->context,
                              .name = steps->program->body->name,
                              .kernel = &steps->program->body->kernel,
                              .args_bytes = steps->program->body->args_bytes,
                              .count = steps->domain.devices,
                              .time_limit_ms = steps->time_limit_ms,
                              .stop_value = WEIR_STEPS_STOPPED,
                              .fail = fail,
                              .failed = failed,
                              .put_behind = put_behind,
                              .collect = collect,
                              .user = steps};
    for (uint32_t i = 0; i < steps->domain.devices; i++) {
        const struct member *member = &steps->member[i];
        all->one[i] = (struct resident){.device = member->device,
                                        .queue = member->queue,
                                        .stop_queue = member->stop_queue,
                                        .done = member->done,
                                        .args = member->args,
                                        .stop = &member->page->stop,
                                        .image = member->stop};
    }
}

/* Kernels are given memory to note their phases in if a trace is on. A run goes on without notes where there is no memory
 * for them: the trace counts that. */
static void traced_begin(struct weir_steps *steps)
{
    struct weir__trace *trace = weir__tracing(steps->context);
    weir__range_open(steps->context, steps->program->what);
    for (uint32_t i = 0; i < steps->domain.devices; i++) {
        struct member *member = &steps->member[i];
        struct weir_steps_member *told = (struct weir_steps_member *)member->args;
        told->notes = NULL;
        if (!trace)
            continue;
        if (weir__notes_begin(trace, member->device, &member->notes))
            weir__trace_lost(trace, 1);
        else
            told->notes = member->notes.data;
    }
}

/* Bodies book phases by the results that their times are added to. */
static const char *phase_name(const void *user, uint32_t phase)
{
    const weir_steps_program *program = user;
    for (uint32_t i = 0; i < program->phase_count; i++)
        if (program->phases[i].ns == phase)
            return program->phases[i].name;
    return NULL;
}

static void tell_links(const struct weir_steps *steps, struct weir__trace *trace, uint32_t from)
{
    weir_device_info ends[2] = {WEIR_DEVICE_INFO_INIT, WEIR_DEVICE_INFO_INIT};
    weir_device_info_get(steps->member[from].device, &ends[0]);
    for (uint32_t to = 0; to < steps->domain.devices; to++) {
        const uint64_t items = weir_steps_tells(steps, from, to);
        struct weir__trace_place place = {0};
        weir_device_info_get(steps->member[to].device, &ends[1]);
        if (items && from != to)
            weir__trace_carried(trace,
                                weir__trace_link(trace, &place, ends[0].label, ends[1].label, NULL),
                                0, 0, items);
    }
}

static void traced_end(struct weir_steps *steps, const struct residents *all)
{
    struct weir__trace *trace = weir__tracing(steps->context);
    weir__range_close(steps->context);
    if (!trace)
        return;
    weir__trace_run(trace, steps->program->what, all->start_ns, all->end_ns);
    for (uint32_t i = 0; i < steps->domain.devices && !failed(steps); i++) {
        struct member *member = &steps->member[i];
        const struct weir_steps_member *told = (const struct weir_steps_member *)member->args;
        if (told->notes && weir__notes_end(trace, member->device, &member->notes, WEIR__TRACE_STEP,
                                           phase_name, steps->program))
            weir__trace_lost(trace, 1);
        tell_links(steps, trace, i);
    }
}

weir_status weir_steps_run(weir_steps *steps, weir_steps_times *times_out)
{
    struct residents all;
    uint64_t reset_ns = 0;
    weir_status status = weir__sized_room(times_out, sizeof *times_out, "weir_steps_times");
    if (!steps)
        return weir__missing("weir_steps_run", "steps");
    if (status || (status = failure(steps)) || (status = clear_pages(steps)))
        return status;
    traced_begin(steps);
    describe(steps, &all);
    weir__resident_run(&all);
    traced_end(steps, &all);
    for (uint32_t i = 0; i < steps->domain.devices; i++)
        if (reset_ns < steps->member[i].image->reset_ns)
            reset_ns = steps->member[i].image->reset_ns;
    if (times_out) {
        const double ms = (double)(all.end_ns - all.start_ns) / 1e6, reset = (double)reset_ns / 1e6;
        const weir_steps_times times = {.kernel_ms = ms > reset ? ms - reset : 0,
                                        .reset_ms = reset};
        (void)weir__sized_out(times_out, &times, sizeof times, "weir_steps_times");
    }
    return failure(steps);
}
