/** @file round.c  One round of a worker: take in packets, release deferred items, process the queue.
 *
 *     flush lanes -> make room -> [receive] [release] [process] -> read counters -> publish -> flush
 *
 * The host makes sure that what arrives and what is released finds room (each such item comes out
 * in one place at most); what is processed may run into a full place and then strands. The kernels
 * of a round share one set of counters, and slots are given out in that order, so room made for
 * arrivals cannot be taken by the others. */
#include "worklist/internal.h"

#include <string.h>

struct plan {
    struct weir_work_args *args;
    uint32_t arrivals; /* packed items in the packets */
    uint32_t release;  /* deferred items to look at */
    int process;
};

static uint32_t room_for_one_each(const struct worker *worker)
{
    uint32_t room = weir__ring_room(&worker->near);
    if (room > weir__ring_room(&worker->far))
        room = weir__ring_room(&worker->far);
    for (uint32_t l = 0; l < worker->lane_count && worker->list->several_hops; l++)
        if (room > weir__lane_room(worker, &worker->lanes[l]))
            room = weir__lane_room(worker, &worker->lanes[l]);
    return room;
}

static weir_status make_room(struct worker *worker, uint32_t need)
{
    weir_status status;
    if ((status = weir__ring_make_room(worker, &worker->near, need)) ||
        (status = weir__ring_make_room(worker, &worker->far, need)))
        return status;
    for (uint32_t l = 0; worker->list->several_hops && l < worker->lane_count && !status; l++)
        status = weir__lane_make_room(worker, &worker->lanes[l], need);
    return status;
}

/* The oldest receive that is not part of this round, if a packet was assigned to it. */
static weir_status next_arrival(struct worker *worker, uint32_t taken, weir_segment *segment)
{
    const uint32_t buffers = worker->list->buffers;
    weir_status status;
    if (worker->held_head + taken == worker->held_tail) {
        weir_pending **hold = &worker->held[worker->held_tail % buffers];
        status = weir_link_receive(worker->in, hold);
        if (status)
            return status == WEIR_ERR_FULL ? WEIR_PENDING : status;
        worker->held_tail++;
    }
    return weir_pending_assigned(worker->held[(worker->held_head + taken) % buffers], segment);
}

/* What arrivals and released items may use of a queue: the rest is for what is processed, or workers
 * would strand at once and a round would come to nothing. */
static uint32_t share(uint32_t room)
{
    return room - room / 2;
}

static weir_status plan_arrivals(struct worker *worker, struct plan *plan)
{
    const uint32_t wire_bytes = worker->list->op->wire_bytes;
    struct weir_work_args *args = plan->args;
    weir_segment segment;
    weir_status status = WEIR_OK;
    while (args->packets < WEIR_WORK_PACKETS && args->packets < worker->list->buffers) {
        if ((status = next_arrival(worker, args->packets, &segment)))
            break;
        uint32_t items = (uint32_t)(segment.bytes / wire_bytes);
        if (args->packets == 0 && (status = make_room(worker, items)))
            return status;
        if (args->packets > 0 && plan->arrivals + items > share(room_for_one_each(worker)))
            break;
        weir_pending *pending =
            worker->held[(worker->held_head + args->packets) % worker->list->buffers];
        if ((status = weir_pending_gate(pending, worker->queue)))
            return status;
        args->packet[args->packets] = segment.data;
        args->packet_count[args->packets++] = items;
        plan->arrivals += items;
    }
    return status == WEIR_PENDING || status == WEIR_CLOSED ? WEIR_OK : status;
}

static void notice_epoch(struct worker *worker)
{
    uint32_t epoch = atomic_load(&worker->list->epoch);
    if (epoch == worker->epoch)
        return;
    worker->epoch = epoch;
    worker->release_left = weir__ring_count(&worker->far) + worker->far.spill.items;
    worker->pass_min = NO_PRIORITY;
    if (worker->release_left == 0)
        worker->far_min = NO_PRIORITY;
}

/* Deferred items go back behind the others if they stay far, so both rings need the room. */
static weir_status plan_release(struct worker *worker, struct plan *plan)
{
    if (worker->release_left == 0)
        return WEIR_OK;
    if (weir__ring_count(&worker->far) == 0) {
        weir_status status = weir__ring_refill(worker, &worker->far);
        if (status)
            return status;
    }
    uint64_t count = weir__ring_count(&worker->far);
    uint32_t room = weir__ring_room(&worker->far);
    if (room > weir__ring_room(&worker->near))
        room = weir__ring_room(&worker->near);
    room = share(room) > plan->arrivals ? share(room) - plan->arrivals : 0;
    if (count > room)
        count = room;
    if (count > worker->release_left)
        count = worker->release_left;
    plan->release = (uint32_t)count;
    return WEIR_OK;
}

static void plan_process(struct worker *worker, struct plan *plan)
{
    if (weir__ring_count(&worker->near) == 0 && worker->stranded == 0)
        return;
    for (uint32_t l = 0; l < worker->lane_count; l++)
        if (weir__lane_room(worker, &worker->lanes[l]) == 0)
            return; /* push back: wait until a packet has left */
    plan->process = 1;
}

static void fill_place(struct weir_work_place *place, const struct ring *ring)
{
    *place = (struct weir_work_place){ring->slots, (uint32_t)(ring->tail & (ring->capacity - 1)),
                                      ring->capacity - 1, weir__ring_room(ring)};
}

static void fill_args(struct worker *worker, struct plan *plan)
{
    struct weir_work_args *args = plan->args;
    args->counters = worker->device_counters;
    args->strands = worker->strands;
    args->batch = worker->near.slots;
    args->batch_head = (uint32_t)(worker->near.head & (worker->near.capacity - 1));
    args->batch_mask = worker->near.capacity - 1;
    args->batch_count = plan->process ? weir__ring_count(&worker->near) : 0;
    args->deferred = worker->far.slots;
    args->deferred_head = (uint32_t)(worker->far.head & (worker->far.capacity - 1));
    args->deferred_mask = worker->far.capacity - 1;
    args->deferred_count = plan->release;
    args->threshold =
        worker->list->order == WEIR_ORDER_SOFT ? atomic_load(&worker->list->threshold) : UINT32_MAX;
    memcpy(args->lane_of, worker->lane_of, sizeof args->lane_of);
    fill_place(&args->place[WEIR_PLACE_NEAR], &worker->near);
    fill_place(&args->place[WEIR_PLACE_FAR], &worker->far);
    for (uint32_t l = 0; l < worker->lane_count; l++) {
        const struct lane *lane = &worker->lanes[l];
        args->place[WEIR_PLACE_LANE + l] =
            (struct weir_work_place){lane->buffers[lane->current].data, lane->used, UINT32_MAX,
                                     weir__lane_room(worker, lane)};
    }
}

static weir_status launch(struct worker *worker, const struct plan *plan)
{
    const weir_operator *op = worker->list->op;
    const size_t bytes = sizeof(struct weir_work_args) + op->state_bytes;
    weir_device *home = weir_context_home(worker->list->context);
    weir_queue *queue = worker->queue;
    weir_status status = WEIR_OK;
    if (plan->arrivals)
        status = weir_queue_launch(queue, &op->receive, plan->args, bytes);
    if (!status && plan->release)
        status = weir_queue_launch(queue, &op->release, plan->args, bytes);
    if (!status && plan->process)
        status = weir_queue_launch(queue, &op->process, plan->args, bytes);
    if (!status)
        status = weir_queue_copy(queue, home, worker->host_counters, worker->device,
                                 worker->device_counters, sizeof *worker->host_counters);
    if (!status)
        status = weir_queue_record(queue, worker->round_done);
    if (!status) /* for the next round, off this one's way */
        status =
            weir_queue_fill(queue, worker->device_counters, 0, sizeof *worker->device_counters);
    return status;
}

/* Kernels end by themselves; a device that does not come back is given up some time after a stop.
 */
static weir_status wait_round(struct worker *worker)
{
    for (int late = 0; late < 100;) {
        weir_status status = weir_event_wait(worker->round_done, 100);
        if (status != WEIR_ERR_TIMEOUT)
            return status;
        late += atomic_load_explicit(&worker->list->stop, memory_order_relaxed) != 0;
    }
    return weir__fail(WEIR_ERR_DEVICE, "worker %u: its kernels did not end within 10 s of a stop",
                      worker->index);
}

static uint32_t given(const struct weir_work_counters *counters, uint32_t place, uint32_t room)
{
    return counters->pushed[place] < room ? counters->pushed[place] : room;
}

static weir_status account(struct worker *worker, const struct plan *plan)
{
    const struct weir_work_counters *counters = worker->host_counters;
    const struct weir_work_args *args = plan->args;
    weir_worklist_stats *stats = &worker->stats;
    if (counters->lost)
        return weir__fail(WEIR_ERR_DEVICE, "worker %u lost %u items to a full queue", worker->index,
                          counters->lost);
    uint32_t taken = counters->cursor < args->batch_count ? counters->cursor : args->batch_count;
    worker->near.head += taken;
    worker->far.head += plan->release;
    worker->near.tail += given(counters, WEIR_PLACE_NEAR, args->place[WEIR_PLACE_NEAR].room);
    worker->far.tail += given(counters, WEIR_PLACE_FAR, args->place[WEIR_PLACE_FAR].room);
    for (uint32_t l = 0; l < worker->lane_count; l++)
        worker->lanes[l].used +=
            given(counters, WEIR_PLACE_LANE + l, args->place[WEIR_PLACE_LANE + l].room);
    if (plan->process)
        worker->stranded = counters->stranded;
    stats->produced += counters->produced;
    stats->consumed += counters->merged + counters->finished;
    stats->processed += counters->finished;
    stats->deferred += counters->parked;
    worker->released += counters->released;
    stats->rounds++;
    uint32_t urgent = counters->urgency ? ~counters->urgency : NO_PRIORITY;
    if (worker->far_min > urgent)
        worker->far_min = urgent;
    if (worker->pass_min > urgent)
        worker->pass_min = urgent;
    if (plan->release && (worker->release_left -= plan->release) == 0)
        worker->far_min = worker->pass_min;
    return WEIR_OK;
}

static weir_status release_arrivals(struct worker *worker, uint32_t packets)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < packets && !status; p++)
        /* The round is over on the host's clock too: the buffer may be written at once. */
        status =
            weir_pending_release(worker->held[worker->held_head++ % worker->list->buffers], NULL);
    return status;
}

void weir__round_release_held(struct worker *worker)
{
    (void)release_arrivals(worker, (uint32_t)(worker->held_tail - worker->held_head));
}

weir_status weir__round(struct worker *worker, int *worked_out)
{
    struct plan plan = {.args = (struct weir_work_args *)(void *)worker->args};
    weir_status status;
    *worked_out = 0;
    plan.args->packets = 0;
    notice_epoch(worker);
    if ((status = weir__lanes_flush(worker)) ||
        (status = weir__ring_refill(worker, &worker->near)) || (status = make_room(worker, 0)) ||
        (status = plan_arrivals(worker, &plan)) || (status = plan_release(worker, &plan)))
        return status;
    plan_process(worker, &plan);
    if (!plan.arrivals && !plan.release && !plan.process) {
        /* Packets without items still have to be given back. */
        *worked_out = plan.args->packets > 0;
        return release_arrivals(worker, plan.args->packets);
    }
    *worked_out = 1;
    fill_args(worker, &plan);
    if ((status = launch(worker, &plan)) || (status = wait_round(worker)) ||
        (status = account(worker, &plan)))
        return status;
    /* First in, first out: a pass comes to each deferred item once, wherever it waits. */
    status = weir__ring_keep_order(
        worker, &worker->far,
        given(worker->host_counters, WEIR_PLACE_FAR, plan.args->place[WEIR_PLACE_FAR].room));
    if (status)
        return status;
    weir__quiet_publish(worker); /* before anything of this round can be seen by others */
    if ((status = release_arrivals(worker, plan.args->packets)))
        return status;
    return weir__lanes_flush(worker);
}
