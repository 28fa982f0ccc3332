/** @file memory.c  Where a worklist's bags, channels and words lie. (What the words say when a run begins is in begin.c.)
 *
 * A worker's bags lie in its device's memory, and spill into page-locked host memory (spill.c). Memory that
 * several workers write and read (rings of channels, mail, statuses) lies with the worker that reads it, if all workers
 * that write it reach it. Otherwise, and if routes are staged, it lies in host memory. */
#include "worklist/host/internal.h"
#include "runtime/trace.h"
#include "runtime/config.h"

#include <stdlib.h>
#include <string.h>

#define PIECES_MOST 65536u
#define NEAR_MORE   (48u << 20) /* items that a near bag has more room for with order soft, at most */
#define WORDS_ALIGN 128u        /* bytes: words of different writers share no line */

/* The next hops of each worker by the route plan, each once; and for each worker those that have it as a next hop. */
void weir__worklist_wire(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        uint8_t seen[WEIR_DEVICES_MAX] = {0};
        worker->hop_count = worker->source_count = 0;
        for (uint32_t to = 0; to < list->count; to++)
            if (to != i && !seen[list->routes.next[i][to]]++)
                worker->hops[worker->hop_count++] = list->routes.next[i][to];
    }
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t h = 0; h < list->workers[i].hop_count; h++) {
            struct worker *to = &list->workers[list->workers[i].hops[h]];
            to->sources[to->source_count++] = i;
        }
}

uint32_t weir__worklist_bag_room(const struct weir_worklist *list, uint32_t bag,
                                 uint32_t *bytes_out)
{
    const int soft = list->config.order == WEIR_ORDER_SOFT;
    const uint32_t items = list->queue_items;
    *bytes_out = list->op->item_bytes;
    if (bag == WEIR_BAG_PIECE) {
        *bytes_out = list->op->piece_bytes;
        return items < PIECES_MOST ? items : PIECES_MOST;
    }
    if (bag == WEIR_BAG_HELD || bag == WEIR_BAG_HELD + 1) {
        *bytes_out = list->op->wire_bytes;
        return list->count == 1 ? 0 : 2 * items;
    }
    if (bag >= WEIR_BAG_BUCKET)
        return !soft ? 0 : items / 8 > 16 ? items / 8 : 16;
    if (bag <
        WEIR_BAG_FAR) /* In a wide step an item may be made for each of several improvements of a vertex. */
        return !soft ? items : items < NEAR_MORE / 3 ? 4 * items : items + NEAR_MORE;
    /* A tile is deferred once for each path by which it was reached so far, so the far bags are larger. */
    return !soft ? 0 : items < (uint32_t)1 << 28 ? 4 * items : (uint32_t)1 << 30;
}

/* One for each warp that takes; on a host device there is one. */
static uint32_t woven_rings(const struct weir_worklist *list)
{
    return weir__device_is_gpu(list->workers[0].device) ? WEIR_WOVEN_RINGS : 1;
}

/* Whether rounds may be narrow (narrow_tmpl.h): resident kernels with the default worker and mapping, a small group of lanes for
 * each tile, and an operator that opts in. Several workers store into each other's memory, and do not wait for each other. */
static int has_narrow(const struct weir_worklist *list)
{
    const weir_worklist_config *config = &list->config;
    if (list->count > 1 && (list->home_words || config->order == WEIR_ORDER_BULK ||
                            config->passed_permille > WEIR_NARROW_PASSED_MOST ||
                            (list->count - 1) * woven_rings(list) > WEIR_WOVEN_PAIRS))
        return 0;
    return list->op->narrow && config->kernel == WEIR_KERNEL_FUSED && list->cuts &&
           config->worker == WEIR_WORKER_WARP && !config->fetch && config->group < 32;
}

static const char *bag_name(uint32_t bag)
{
    return bag == WEIR_BAG_PIECE                              ? "queue of pieces"
           : bag == WEIR_BAG_HELD || bag == WEIR_BAG_HELD + 1 ? "items that are held"
           : bag >= WEIR_BAG_BUCKET                           ? "buckets"
           : bag < WEIR_BAG_FAR                               ? "queue of items"
                                                              : "far items";
}

static weir_status allocate_bags(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    uint32_t spilling[WEIR_SPILLING_BAGS] = {0};
    weir_status status = WEIR_OK;
    if (has_narrow(list))
        status = weir__device_alloc_as(worker->device, "bounds of tiles", 2 * WEIR_NARROW_MOST,
                                       sizeof(uint64_t), &worker->bounds);
    for (uint32_t b = 0; b < WEIR_BAGS && !status; b++) {
        uint32_t bytes, room = weir__worklist_bag_room(list, b, &bytes);
        if (room == 0)
            continue;
        status = weir__device_alloc_as(worker->device, bag_name(b), room, bytes, &worker->bags[b]);
        if (b < WEIR_SPILLING_BAGS)
            spilling[b] = bytes;
    }
    if (status)
        return status;
    return weir__spill_create(
        &worker->spill, weir_context_home(list->context),
        weir__config_get(weir_context_config(list->context), WEIR__SPILL_BYTES), spilling);
}

int weir__worklist_all_reach(const struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t j = 0; j < list->count; j++) {
            int meet = i == 0 || j == 0 || list->routes.next[i][j] == j;
            if (i != j && meet &&
                !weir_device_reaches(list->workers[i].device, list->workers[j].device))
                return 0;
        }
    return 1;
}

static weir_device *words_device(const struct weir_worklist *list, const struct worker *worker)
{
    return list->home_words ? weir_context_home(list->context) : worker->device;
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + WORDS_ALIGN - 1) / WORDS_ALIGN * WORDS_ALIGN;
}

size_t weir__worklist_mail_at(void)
{
    return whole_lines(sizeof(struct weir_control));
}

size_t weir__worklist_statuses_at(void)
{
    return weir__worklist_mail_at() + whole_lines(sizeof(struct weir_mail));
}

size_t weir__worklist_words_bytes(const struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    if (list->home_words)
        return weir__worklist_mail_at();
    return weir__worklist_statuses_at() +
           (worker->index ? 0 : whole_lines(list->count * sizeof *list->statuses));
}

void weir__worklist_use_bank(struct weir_worklist *list, uint32_t bank)
{
    list->bank = bank;
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        char *words = worker->words + bank * weir__worklist_words_bytes(worker);
        worker->control = (struct weir_control *)(void *)words;
        if (!list->home_words)
            worker->mail = (struct weir_mail *)(void *)(words + weir__worklist_mail_at());
        if (!list->home_words && i == 0)
            list->statuses =
                (struct weir_status_words *)(void *)(words + weir__worklist_statuses_at());
    }
}

static weir_status allocate_words(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_device *home = weir_context_home(list->context);
    const size_t bytes = weir__worklist_words_bytes(worker);
    void *memory;
    weir_status status;
    if ((status = weir__device_alloc_as(worker->device, "words of a worker",
                                        weir__worklist_resident(list) ? 4 : 1, bytes, &memory)))
        return status;
    worker->words = memory;
    if ((status = weir__device_alloc_as(home, "words of a worker", 1, bytes, &memory)))
        return status;
    worker->image = memory;
    memset(memory, 0, bytes); /* statistics may be asked for before a run */
    if ((status = weir__device_alloc_as(home, "stop word", 1, sizeof *worker->stop, &memory)))
        return status;
    worker->stop = memory;
    if (list->home_words) {
        if ((status = weir__device_alloc_as(home, "mail", 1, sizeof *worker->mail, &memory)))
            return status;
        worker->mail = memory;
    }
    return weir__calloc(1, weir__worklist_args_bytes(list), "kernel arguments", &worker->args);
}

static weir_status allocate_channels(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    size_t bytes = (size_t)list->channel_items * list->op->wire_bytes, marks_at;
    weir_status status = WEIR_OK;
    if (weir__worklist_live(list))
        bytes = weir__live_ring_bytes(list, &marks_at);
    if (weir__worklist_resident(list))
        for (uint32_t l = 0; l < worker->source_count && !status; l++)
            status = weir__device_alloc_as(words_device(list, worker), "rings of items", 1, bytes,
                                           &worker->channel_in[l]);
    else
        for (uint32_t l = 0; l < worker->hop_count && !status; l++)
            status = weir__device_alloc_as(worker->device, "rings of items", 1, bytes,
                                           &worker->channel_out[l]);
    return status;
}

size_t weir__worklist_woven_bytes(const struct worker *worker)
{
    return sizeof(uint64_t) * worker->woven_rings * WEIR_WOVEN_SLOTS *
           weir_woven_words(worker->list->op->wire_bytes);
}

/* Rings of narrow rounds. */
static weir_status allocate_woven(struct worker *worker)
{
    weir_status status = WEIR_OK;
    void *memory;
    if (worker->list->count == 1 || !has_narrow(worker->list))
        return WEIR_OK;
    worker->woven_rings = woven_rings(worker->list);
    for (uint32_t l = 0; l < worker->source_count && !status; l++)
        if (!(status = weir__device_alloc_as(worker->device, "rings of narrow rounds", 1,
                                             weir__worklist_woven_bytes(worker), &memory)))
            worker->woven_in[l] = memory;
    return status;
}

static weir_status allocate_worker(struct worker *worker)
{
    weir_status status;
    if ((status = weir_queue_create(worker->device, 0, &worker->queue)))
        return status;
    if (weir__device_is_gpu(worker->device) &&
        (status = weir_queue_create(worker->device, 1, &worker->stop_queue)))
        return status;
    weir__queue_role(worker->queue, "of a worker");
    weir__queue_role(worker->stop_queue, "of stop words");
    if (weir_event_acquire(worker->device, &worker->done))
        return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    if ((status = allocate_words(worker)) || (status = allocate_channels(worker)) ||
        (status = allocate_woven(worker)))
        return status;
    return weir__worklist_live(worker->list) ? weir__live_allocate(worker) : allocate_bags(worker);
}

weir_status weir__worklist_allocate(struct weir_worklist *list)
{
    void *memory;
    weir_status status;
    list->home_words = !weir__worklist_resident(list) || list->routes.kind == WEIR_ROUTE_STAGED ||
                       !weir__worklist_all_reach(list);
    for (uint32_t i = 0; i < list->count; i++)
        if ((status = allocate_worker(&list->workers[i])))
            return status;
    if (list->home_words) {
        if ((status = weir__device_alloc_as(weir_context_home(list->context), "statuses",
                                            list->count, sizeof *list->statuses, &memory)))
            return status;
        list->statuses = memory;
    }
    weir__worklist_use_bank(list, 0);
    return WEIR_OK;
}

static void free_worker(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_device *home = weir_context_home(list->context);
    weir_device_free(worker->device, worker->bounds);
    weir__notes_free(worker->device, &worker->notes);
    weir__live_free(worker);
    for (uint32_t b = 0; b < WEIR_BAGS; b++)
        weir_device_free(worker->device, worker->bags[b]);
    weir__spill_destroy(&worker->spill);
    for (uint32_t l = 0; l < list->count; l++) {
        weir_device_free(words_device(list, worker), worker->channel_in[l]);
        weir_device_free(worker->device, worker->woven_in[l]);
        weir_device_free(worker->device, worker->channel_out[l]);
    }
    if (list->home_words)
        weir_device_free(home, worker->mail);
    weir_device_free(home, worker->stop);
    weir_device_free(home, worker->image);
    weir_device_free(worker->device, worker->words);
    weir_device_free(worker->device, worker->reset[0]);
    weir_event_release(worker->done);
    free(worker->args);
}

void weir__worklist_free(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        /* All queues are destroyed before any memory is freed: a kernel that was given up may still write to the memory
         * of other workers. */
        weir_queue_destroy(list->workers[i].stop_queue);
        weir_queue_destroy(list->workers[i].queue);
    }
    if (list->home_words)
        weir_device_free(weir_context_home(list->context), list->statuses);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].device)
            free_worker(&list->workers[i]);
}
