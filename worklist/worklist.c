/** @file worklist.c  Building a distributed worklist, and taking it down. */
#include "worklist/internal.h"
#include "runtime/backend.h"

#include <stdlib.h>
#include <string.h>

#define PACKET_BYTES        ((uint64_t)1 << 20) /* measured: docs/benchmarks.md */
#define QUEUE_ITEMS_LEAST   16
#define QUEUE_ITEMS_DEFAULT 65536
#define BUFFERS_LEAST       2 /* a lane fills one while another is sent */

const char *weir_order_kind_text(weir_order_kind kind)
{
    static const char *const names[] = {"auto", "fifo", "soft"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

static weir_status check(weir_endpoint *source, weir_endpoint *const *workers, uint32_t count,
                         const weir_operator *op, const weir_worklist_config *config)
{
    weir_context *context;
    if (config->size != sizeof *config)
        return weir__fail(WEIR_ERR_INVALID, "weir_worklist_config was not set by its initialiser");
    if (!source || !weir_endpoint_device(source))
        return weir__fail(WEIR_ERR_INVALID, "a worklist's source is an endpoint on a device");
    context = weir__device_context(weir_endpoint_device(source));
    if (weir_endpoint_device(source) != weir_context_home(context))
        return weir__fail(WEIR_ERR_INVALID, "a worklist's source is on the home device");
    if (count != weir_context_device_count(context))
        return weir__fail(WEIR_ERR_INVALID, "a worklist of %u workers in a context of %u devices",
                          count, weir_context_device_count(context));
    for (uint32_t i = 0; i < count; i++)
        if (weir_endpoint_device(workers[i]) != weir_context_device(context, i))
            return weir__fail(WEIR_ERR_INVALID, "worker %u is not on device %u of the context", i,
                              i);
    if (!weir_order_kind_text(config->order))
        return weir__fail(WEIR_ERR_INVALID, "order %d: no such kind", (int)config->order);
    if (!op || op->item_bytes == 0 || op->wire_bytes == 0)
        return weir__fail(WEIR_ERR_INVALID, "an operator has items and packed items of some size");
    if (sizeof(struct weir_work_args) + op->state_bytes > WEIR__ARGS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "operator %s: a state of %u bytes, at most %zu",
                          op->name, op->state_bytes,
                          WEIR__ARGS_MAX - sizeof(struct weir_work_args));
    return WEIR_OK;
}

/* A device's events serve what arrives by its own queues and what it sends to all others: copies
 * between GPUs run in the source's queue, others in the receiver's. */
static weir_status check_events(const struct weir_worklist *list)
{
    uint64_t events = weir__config_get(weir_context_config(list->context), WEIR__EVENTS);
    uint64_t need = 16 + (uint64_t)2 * list->buffers * (list->count + 1);
    if (need > events)
        return weir__fail(WEIR_ERR_INVALID,
                          "%u workers with %u buffers a link need %llu events a device, and there "
                          "are %llu (WEIR_EVENTS)",
                          list->count, list->buffers, (unsigned long long)need,
                          (unsigned long long)events);
    return WEIR_OK;
}

static weir_status choose_sizes(struct weir_worklist *list)
{
    const weir_config *tunables = weir_context_config(list->context);
    uint64_t items = list->config.queue_items, power = QUEUE_ITEMS_LEAST;
    if (!items)
        items = weir__config_get(tunables, WEIR__QUEUE_ITEMS);
    if (!items)
        items = QUEUE_ITEMS_DEFAULT;
    if (items > UINT64_C(1) << 31)
        return weir__fail(WEIR_ERR_INVALID, "a queue of %llu items: at most 2^31",
                          (unsigned long long)items);
    while (power < items)
        power *= 2;
    list->queue_items = (uint32_t)power;
    uint64_t packet = list->config.packet_items;
    if (!packet)
        packet = weir__config_get(tunables, WEIR__PACKET_BYTES) / list->op->wire_bytes;
    if (!packet)
        packet = PACKET_BYTES / list->op->wire_bytes;
    if (packet > power / 2)
        packet = power / 2;
    list->packet_items = packet ? (uint32_t)packet : 1;
    list->buffers = (uint32_t)weir__config_get(tunables, WEIR__LINK_BUFFERS);
    if (list->buffers < BUFFERS_LEAST)
        list->buffers = BUFFERS_LEAST;
    list->spill_bound = weir__config_get(tunables, WEIR__SPILL_BYTES);
    return check_events(list);
}

static weir_status create_router(struct weir_worklist *list)
{
    weir_policy policy = weir_policy_direct(); /* `meta` is the next hop, which the plan names */
    weir_status status = weir_router_create(list->context, list->op->name, &policy, &list->router);
    if (status)
        return status;
    return weir_link_create(list->source, weir_router_endpoint(list->router), NULL,
                            &list->seed_link);
}

static weir_status create_links(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_endpoint *router = weir_router_endpoint(list->router);
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status;
    config.packet_bytes = (size_t)list->packet_items * list->op->wire_bytes;
    config.buffers = list->buffers;
    config.arrived = weir__bell_ring;
    config.arrived_user = &worker->bell;
    if (list->plan.kind == WEIR_ROUTE_STAGED)
        config.transport = WEIR_TRANSPORT_STAGED;
    if ((status = weir_link_create(router, worker->endpoint, &config, &worker->in)))
        return status;
    return weir_link_create(worker->endpoint, router, NULL, &worker->out);
}

static weir_status create_buffers(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    const weir_operator *op = list->op;
    weir_device *home = weir_context_home(list->context);
    weir_device_info info;
    void *counters;
    weir_status status;
    weir_device_info_get(worker->device, &info);
    if ((status = weir__ring_create(worker, &worker->near, list->queue_items, op->item_bytes)) ||
        (status = weir__ring_create(worker, &worker->far, list->queue_items, op->item_bytes)) ||
        (status = weir__lanes_create(worker)))
        return status;
    size_t strands = (size_t)info.workers * op->strand_bytes;
    if ((status = weir_device_alloc(worker->device, strands, &worker->strands)) ||
        (status = weir_queue_fill(worker->queue, worker->strands, 0, strands)))
        return status;
    status = weir_device_alloc(worker->device, sizeof *worker->device_counters, &counters);
    if (status)
        return status;
    worker->device_counters = counters;
    status = weir_device_alloc(home, sizeof *worker->host_counters, &counters);
    if (status)
        return status;
    worker->host_counters = counters;
    status =
        weir_queue_fill(worker->queue, worker->device_counters, 0, sizeof *worker->device_counters);
    return status ? status : weir_queue_sync(worker->queue);
}

static weir_status create_worker(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    size_t args = sizeof(struct weir_work_args) + list->op->state_bytes;
    weir_status status;
    worker->device = weir_endpoint_device(worker->endpoint);
    worker->far_min = NO_PRIORITY;
    if ((status = weir_queue_create(worker->device, 0, &worker->queue)))
        return status;
    if (weir_event_acquire(worker->device, &worker->round_done))
        return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    if ((status = weir__calloc(1, args, "kernel arguments", &worker->args)) ||
        (status = weir__calloc(list->buffers, sizeof *worker->held, "worker", &worker->held)) ||
        (status = create_links(worker)))
        return status;
    return create_buffers(worker);
}

weir_status weir_worklist_create(weir_endpoint *source, weir_endpoint *const *workers,
                                 uint32_t count, const weir_operator *op,
                                 const weir_worklist_config *config, weir_worklist **worklist_out)
{
    static const weir_worklist_config defaults = WEIR_WORKLIST_CONFIG_INIT;
    struct weir_worklist *list;
    const weir_machine *machine;
    weir_status status;
    *worklist_out = NULL;
    if (!config)
        config = &defaults;
    if ((status = check(source, workers, count, op, config)))
        return status;
    if ((status = weir__calloc(1, sizeof *list, "worklist", &list)))
        return status;
    pthread_mutex_init(&list->order_lock, NULL);
    pthread_mutex_init(&list->state_lock, NULL);
    weir__cond_init(&list->state_changed);
    list->context = weir__device_context(weir_endpoint_device(source));
    weir__context_retain(list->context);
    list->source = source;
    list->op = op;
    list->config = *config;
    list->order = config->order;
    if (list->order == WEIR_ORDER_AUTO)
        list->order = count > 1 ? WEIR_ORDER_SOFT : WEIR_ORDER_FIFO;
    status = weir__calloc(count, sizeof *list->workers, "workers", &list->workers);
    for (uint32_t i = 0; i < count && !status; i++) { /* all bells before any link can ring one */
        list->workers[i].list = list;
        list->workers[i].index = i;
        list->workers[i].endpoint = workers[i];
        weir__bell_init(&list->workers[i].bell);
        list->count++;
    }
    if (status || (status = weir_machine_of(list->context, &machine)) ||
        (status = weir_route_plan_make(machine, config->route, &list->plan)) ||
        (status = choose_sizes(list)) || (status = create_router(list)))
        goto err;
    list->several_hops =
        list->plan.kind != WEIR_ROUTE_DIRECT && list->plan.kind != WEIR_ROUTE_STAGED;
    for (uint32_t i = 0; i < count; i++)
        if ((status = create_worker(&list->workers[i])))
            goto err;
    *worklist_out = list;
    return WEIR_OK;
err:
    weir_worklist_destroy(list);
    return status;
}

weir_status weir_worklist_bind(weir_worklist *list, uint32_t worker, const void *state)
{
    if (worker >= list->count)
        return weir__fail(WEIR_ERR_INVALID, "worker %u of %u", worker, list->count);
    memcpy(list->workers[worker].args + sizeof(struct weir_work_args), state,
           list->op->state_bytes);
    return WEIR_OK;
}

weir_status weir_worklist_seed(weir_worklist *list, uint32_t owner, const void *wires,
                               uint32_t count)
{
    const uint32_t wire_bytes = list->op->wire_bytes;
    if (owner >= list->count)
        return weir__fail(WEIR_ERR_INVALID, "a seed for worker %u of %u", owner, list->count);
    struct seeds *seeds = &list->seeds[owner];
    if (count > UINT32_MAX / 2 - seeds->count)
        return weir__fail(WEIR_ERR_INVALID, "more than 2^31 seeds for worker %u", owner);
    if (seeds->count + count > seeds->room) {
        weir_device *home = weir_context_home(list->context);
        uint32_t room = 2 * (seeds->count + count);
        void *grown;
        weir_status status = weir_device_alloc(home, (size_t)room * wire_bytes, &grown);
        if (status)
            return status;
        if (seeds->count)
            memcpy(grown, seeds->wires, (size_t)seeds->count * wire_bytes);
        weir_device_free(home, seeds->wires);
        seeds->wires = grown;
        seeds->room = room;
    }
    if (count)
        memcpy(seeds->wires + (size_t)seeds->count * wire_bytes, wires, (size_t)count * wire_bytes);
    seeds->count += count;
    return WEIR_OK;
}

static void destroy_worker(struct worker *worker)
{
    weir_device *home = weir_context_home(worker->list->context);
    if (worker->in)
        weir__round_release_held(worker);
    weir__lanes_destroy(worker); /* waits for what is being sent */
    weir_link_destroy(worker->out);
    weir_link_destroy(worker->in);
    weir_queue_destroy(worker->queue);
    weir__ring_destroy(worker, &worker->near);
    weir__ring_destroy(worker, &worker->far);
    weir_device_free(worker->device, worker->strands);
    weir_device_free(worker->device, worker->device_counters);
    weir_device_free(home, worker->host_counters);
    weir_event_release(worker->round_done);
    free(worker->held);
    free(worker->args);
}

void weir_worklist_destroy(weir_worklist *list)
{
    if (!list)
        return;
    /* What is under way after a failure ends here; after a good run there is nothing. */
    if (list->router && list->status)
        weir_router_cancel(list->router, list->status);
    if (list->seed_link)
        (void)weir_link_shutdown(list->seed_link);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].out)
            (void)weir_link_shutdown(list->workers[i].out);
    weir_link_destroy(list->seed_link);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].device)
            destroy_worker(&list->workers[i]);
    for (uint32_t i = 0; i < list->count; i++) {
        weir_device_free(weir_context_home(list->context), list->seeds[i].wires);
        weir__bell_destroy(&list->workers[i].bell);
    }
    weir_router_destroy(list->router);
    free(list->workers);
    free(list->detail);
    pthread_cond_destroy(&list->state_changed);
    pthread_mutex_destroy(&list->state_lock);
    pthread_mutex_destroy(&list->order_lock);
    weir__context_release(list->context);
    free(list);
}
