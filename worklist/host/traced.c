/** @file traced.c  What a trace is told of a run of a worklist. */
#include "worklist/host/internal.h"

static struct weir_engine_args *args_of(const struct worker *worker)
{
    return (struct weir_engine_args *)(void *)worker->args;
}

/* A run goes on without notes where there is no memory for them: the trace counts that. */
void weir__traced_begin(struct weir_worklist *list)
{
    struct weir__trace *trace = weir__tracing(list->context);
    weir__range_open(list->context, list->op->name);
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        args_of(worker)->notes = NULL;
        if (!trace || list->config.kernel != WEIR_KERNEL_FUSED) /* others have no rounds to note */
            continue;
        if (weir__notes_begin(trace, worker->device, &worker->notes))
            weir__trace_lost(trace, 1);
        else
            args_of(worker)->notes = worker->notes.data;
    }
}

weir_status weir__traced_behind(struct worker *worker)
{
    return args_of(worker)->notes ? weir__notes_behind(&worker->notes, worker->queue) : WEIR_OK;
}

static const char *phase_name(const void *user, uint32_t phase)
{
    (void)user;
    return weir_phase_text((weir_phase)phase);
}

static void tell_notes(struct weir__trace *trace, struct worker *worker)
{
    if (args_of(worker)->notes && weir__notes_end(trace, worker->device, &worker->notes,
                                                  WEIR__TRACE_ROUNDS, phase_name, NULL))
        weir__trace_lost(trace, 1);
}

/* Discrete workers send over a router, which tells by itself. */
static void tell_links(struct weir__trace *trace, const struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    for (uint32_t l = 0; l < worker->hop_count && weir__worklist_resident(list); l++) {
        const uint64_t items = worker->image->ledger.out_sent[l];
        struct weir__trace_place place = {0};
        if (items)
            weir__trace_carried(
                trace,
                weir__trace_link(trace, &place, weir_endpoint_name(worker->endpoint),
                                 weir_endpoint_name(list->workers[worker->hops[l]].endpoint), NULL),
                0, items * list->op->wire_bytes, items);
    }
}

void weir__traced_end(struct weir_worklist *list)
{
    struct weir__trace *trace = weir__tracing(list->context);
    weir__range_close(list->context);
    if (!trace)
        return;
    weir__trace_run(trace, list->op->name, list->start_ns, list->end_ns);
    for (uint32_t i = 0; i < list->count && !weir__worklist_failed(list); i++) {
        tell_notes(trace, &list->workers[i]);
        tell_links(trace, &list->workers[i]);
    }
}
