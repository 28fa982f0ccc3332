/** @file worklist.c  Building a distributed worklist, and taking it down. */
#include "worklist/host/internal.h"
#include "worklist/host/resident.h"
#include "runtime/backend.h"

#include <stdlib.h>
#include <string.h>

static weir_status check_place(weir_endpoint *source, weir_endpoint *const *workers, uint32_t count)
{
    if (!source || !weir_endpoint_device(source))
        return weir__fail(WEIR_ERR_INVALID, "a worklist's source is an endpoint on a device");
    weir_context *context = weir__device_context(weir_endpoint_device(source));
    if (weir_endpoint_device(source) != weir_context_home(context))
        return weir__fail(WEIR_ERR_INVALID, "a worklist's source is on the home device");
    if (count < 1 || count > weir_context_device_count(context))
        return weir__fail(WEIR_ERR_INVALID, "a worklist of %u workers in a context of %u devices",
                          count, weir_context_device_count(context));
    for (uint32_t i = 0; i < count; i++)
        if (weir_endpoint_device(workers[i]) != weir_context_device(context, i))
            return weir__fail(WEIR_ERR_INVALID, "worker %u is not on device %u of the context", i,
                              i);
    return WEIR_OK;
}

static weir_status check(weir_endpoint *source, weir_endpoint *const *workers, uint32_t count,
                         const weir_operator *op)
{
    weir_status status;
    if ((status = check_place(source, workers, count)))
        return status;
    if ((status = weir__engine_check("operator", op->name, op->engine)))
        return status;
    if (op->item_bytes == 0 || op->wire_bytes == 0 || op->piece_bytes == 0)
        return weir__fail(WEIR_ERR_INVALID, "an operator has items and packed items of some size");
    if (sizeof(struct weir_engine_args) + op->state_bytes > WEIR__ARGS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "operator %s: a state of %u bytes, at most %zu",
                          op->name, op->state_bytes,
                          WEIR__ARGS_MAX - sizeof(struct weir_engine_args));
    return WEIR_OK;
}

static weir_status load_kernels(const struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        weir_status status = weir__device_load(list->workers[i].device, list->op->load);
        if (status)
            return status;
    }
    return WEIR_OK;
}

static weir_status create_workers(struct weir_worklist *list, weir_endpoint *const *workers,
                                  uint32_t count)
{
    weir_status status = weir__calloc(count, sizeof *list->workers, "workers", &list->workers);
    for (uint32_t i = 0; i < count && !status; i++) {
        struct worker *worker = &list->workers[i];
        worker->list = list;
        worker->index = i;
        worker->endpoint = workers[i];
        worker->device = weir_endpoint_device(workers[i]);
        weir__wakeup_init(&worker->wakeup); /* all of them before any link can signal one */
        list->count++;
    }
    return status;
}

weir_status weir_worklist_create(weir_endpoint *source, weir_endpoint *const *workers,
                                 uint32_t count, const weir_operator *op,
                                 const weir_worklist_config *config, weir_worklist **worklist_out)
{
    weir_worklist_config known = WEIR_WORKLIST_CONFIG_INIT;
    struct weir_worklist *list;
    const weir_machine *machine;
    weir_status status;
    if (worklist_out)
        *worklist_out = NULL;
    if (!workers || !op || !worklist_out)
        return weir__missing("weir_worklist_create", !workers ? "workers"
                                                     : !op    ? "op"
                                                              : "worklist_out");
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_worklist_config")) ||
        (status = check(source, workers, count, op)) ||
        (status = weir__calloc(1, sizeof *list, "worklist", &list)))
        return status;
    pthread_mutex_init(&list->order_lock, NULL);
    pthread_mutex_init(&list->state_lock, NULL);
    weir__cond_init(&list->state_changed);
    list->context = weir__device_context(weir_endpoint_device(source));
    weir__context_retain(list->context);
    list->source = source;
    list->op = op;
    list->config = known;
    if ((status = create_workers(list, workers, count)) ||
        (status = weir_machine_of(list->context, &machine)) ||
        (status = weir_route_plan_make_first(machine, count, known.route, &list->routes)) ||
        (status = weir__worklist_choose(list)))
        goto err;
    weir__worklist_wire(list);
    if ((status = weir__worklist_keep_fills(list)) || (status = weir__worklist_sizes(list)) ||
        (status = load_kernels(list)) || (status = weir__worklist_allocate(list)) ||
        (status = weir__worklist_prepare(list)) ||
        (!weir__worklist_resident(list) && (status = weir__discrete_create(list))))
        goto err;
    *worklist_out = list;
    return WEIR_OK;
err:
    weir_worklist_destroy(list);
    return status;
}

weir_queue *weir_worklist_queue(const weir_worklist *list, uint32_t worker)
{
    return worker < list->count ? list->workers[worker].queue : NULL;
}

weir_status weir_worklist_bind(weir_worklist *list, uint32_t worker, const void *state)
{
    if (!list || !state)
        return weir__missing("weir_worklist_bind", !list ? "worklist" : "state");
    if (worker >= list->count)
        return weir__fail(WEIR_ERR_INVALID, "worker %u of %u", worker, list->count);
    memcpy(list->workers[worker].args + sizeof(struct weir_engine_args), state,
           list->op->state_bytes);
    return WEIR_OK;
}

void weir_worklist_destroy(weir_worklist *list)
{
    if (!list)
        return;
    weir__discrete_destroy(list);
    weir__worklist_free(list);
    for (uint32_t i = 0; i < list->count; i++) {
        weir_device_free(weir_context_home(list->context), list->seeds[i].wires);
        weir__wakeup_destroy(&list->workers[i].wakeup);
    }
    free(list->workers);
    free(list->fills);
    free(list->detail);
    pthread_cond_destroy(&list->state_changed);
    pthread_mutex_destroy(&list->state_lock);
    pthread_mutex_destroy(&list->order_lock);
    weir__context_release(list->context);
    free(list);
}
