/** @file run.c  What a queue does when it comes to an operation. The engine is locked. */
#include "runtime/sim/engine.h"

static int takes_time(const struct sim_op *op)
{
    return op->kind == SIM_COPY || op->kind == SIM_FILL || op->kind == SIM_LAUNCH ||
           op->kind == SIM_CALL;
}

static void tell_trace(const struct weir__sim *sim, struct sim_queue *queue,
                       const struct sim_op *op)
{
    static const enum weir__trace_op ops[] = {[SIM_COPY] = WEIR__TRACE_COPY,
                                              [SIM_FILL] = WEIR__TRACE_FILL,
                                              [SIM_CALL] = WEIR__TRACE_CALL};
    struct weir__trace *trace = weir__tracing(queue->base.device->context);
    const int launch = op->kind == SIM_LAUNCH;
    if (trace && takes_time(op))
        weir__trace_ran(trace, &queue->base, launch ? WEIR__TRACE_CALL : ops[op->kind],
                        launch ? op->kernel->name : NULL, op->begun_ps / 1000, sim->now_ps / 1000,
                        op->bytes, &op->mark);
}

static void finish_first(struct weir__sim *sim, struct sim_queue *queue)
{
    struct sim_op *op = queue->first;
    tell_trace(sim, queue, op);
    if (!(queue->first = op->next))
        queue->last = NULL;
    op->next = queue->spare;
    queue->spare = op;
    queue->done++;
    if (!queue->first)
        pthread_cond_broadcast(&sim->changed); /* somebody may wait until it is empty */
}

/* One that takes no time. @return 0: the queue waits in it. */
static int pass(struct weir__sim *sim, struct sim_queue *queue, struct sim_op *op)
{
    switch (op->kind) {
    case SIM_RECORD:
        weir__event_carry(&op->event->base, &queue->base);
        weir__sim_event_reached(sim, op->event, op->number);
        return 1;
    case SIM_STAMP:
        if (op->stamp->reached < op->number) { /* else an older mark, in a slower queue */
            op->stamp->reached = op->number;
            op->stamp->time_ps = sim->now_ps;
        }
        return 1;
    case SIM_WAIT:
        if (op->event->done >= op->number)
            return 1;
        queue->waiting = op->event->waiting;
        op->event->waiting = queue;
        return 0;
    default:
        return op->open; /* a gate: who opens it makes the queue ready */
    }
}

static void go_on(struct weir__sim *sim, struct sim_queue *queue)
{
    struct sim_op *op;
    while ((op = queue->first) && !takes_time(op)) {
        if (!pass(sim, queue, op)) {
            queue->state = SIM_BLOCKED;
            return;
        }
        finish_first(sim, queue);
    }
    queue->state = op ? SIM_DELAYED : SIM_IDLE;
    if (op)
        op->begun_ps = sim->now_ps;
    if (op)
        weir__sim_due_push(sim, queue, weir__sim_later(sim->now_ps, op->delay_ps));
}

void weir__sim_ready(struct weir__sim *sim, struct sim_queue *queue)
{
    queue->state = SIM_READY;
    weir__sim_due_push(sim, queue, sim->now_ps);
}

/* What an operation does to memory, by whichever thread drives the engine. */
static void work_on(struct sim_queue *queue, struct sim_op *op)
{
    const weir_device_info *info = &queue->base.device->info;
    if (weir__queue_failed(&queue->base))
        return; /* it takes its time, as on a device where nobody knows yet */
    if (queue->sim->model.dry && op->kind != SIM_CALL)
        return;
    const weir_context *before = weir__drop_enter(queue->base.device->context);
    weir_queue *work_before = weir__work_enter(&queue->base);
    switch (op->kind) {
    case SIM_COPY:
        weir__drop_copy(op->destination, op->source, op->bytes);
        break;
    case SIM_FILL:
        weir__drop_fill(op->destination, op->value, op->bytes);
        break;
    case SIM_LAUNCH:
        for (uint32_t w = 0; w < info->workers && !weir__dropping(); w++)
            op->kernel->host(op->args, w, info->workers);
        break;
    case SIM_CALL:
        op->function(op->user);
        break;
    default:
        break;
    }
    (void)weir__work_enter(work_before);
    (void)weir__drop_enter(before);
}

void weir__sim_run(struct weir__sim *sim, struct sim_queue *queue)
{
    struct sim_op *op = queue->first;
    if (queue->state == SIM_DELAYED && (op->kind == SIM_COPY || op->kind == SIM_FILL)) {
        queue->state = SIM_FLOWING;
        weir__sim_flow_start(sim, queue);
        return;
    }
    if (queue->state == SIM_DELAYED) {
        work_on(queue, op);
        finish_first(sim, queue);
    }
    go_on(sim, queue);
}

void weir__sim_arrived(struct weir__sim *sim, struct sim_queue *queue)
{
    work_on(queue, queue->first);
    finish_first(sim, queue);
    go_on(sim, queue);
}
