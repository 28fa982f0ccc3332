/** @file run.c  What a queue does when it comes to an operation. The engine is locked. */
#include "runtime/sim/engine.h"

#include <string.h>

static void finish_first(struct weir__sim *sim, struct sim_queue *queue)
{
    struct sim_op *op = queue->first;
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

static int takes_time(const struct sim_op *op)
{
    return op->kind == SIM_COPY || op->kind == SIM_FILL || op->kind == SIM_LAUNCH ||
           op->kind == SIM_CALL;
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
        weir__sim_due_push(sim, queue, weir__sim_later(sim->now_ps, op->delay_ps));
}

void weir__sim_ready(struct weir__sim *sim, struct sim_queue *queue)
{
    queue->state = SIM_READY;
    weir__sim_due_push(sim, queue, sim->now_ps);
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
        const weir_device_info *info = &queue->base.device->info;
        for (uint32_t w = 0; op->kind == SIM_LAUNCH && w < info->workers; w++)
            op->kernel->host(op->args, w, info->workers);
        if (op->kind == SIM_CALL)
            op->function(op->user);
        finish_first(sim, queue);
    }
    go_on(sim, queue);
}

void weir__sim_arrived(struct weir__sim *sim, struct sim_queue *queue)
{
    const struct sim_op *op = queue->first;
    if (op->kind == SIM_COPY)
        memcpy(op->destination, op->source, op->bytes);
    else
        memset(op->destination, op->value, op->bytes);
    finish_first(sim, queue);
    go_on(sim, queue);
}
