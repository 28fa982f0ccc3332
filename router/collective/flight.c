/** @file flight.c  What is under way: events that must be kept until something is over, and the start and
 *  end of a call in the callers' queues.
 *
 * Records leave in the order in which they came. A call's own events come last and leave together, when
 * every caller's queue has passed the call's end. */
#include "router/collective/internal.h"

#include <string.h>

static struct record *oldest(weir_collectives *c)
{
    return &c->records[c->first % c->room];
}

static void retire_one(weir_collectives *c)
{
    struct record *record = oldest(c);
    weir_future_release(record->done);
    weir_event_release(record->event);
    c->rank[record->from].in_flight--;
    if (record->to != record->from)
        c->rank[record->to].in_flight--;
    c->first = (c->first + 1) % c->room;
    c->held--;
}

void weir__flight_retire(weir_collectives *c, int wait)
{
    while (c->held) {
        struct record *record = oldest(c);
        weir_status status;
        if (record->done)
            status = wait ? weir_future_wait(record->done, -1) : weir_future_query(record->done);
        else
            status = wait ? weir_event_wait(record->event, -1) : weir_event_query(record->event);
        if (status == WEIR_PENDING)
            return;
        if (status)
            (void)weir__collectives_fail(c, status);
        retire_one(c);
        wait = 0;
    }
}

void weir__flight_add(weir_collectives *c, weir_event *event, weir_future *done, uint32_t from,
                      uint32_t to)
{
    while (c->held == c->room)
        weir__flight_retire(c, 1);
    c->records[(c->first + c->held++) % c->room] = (struct record){event, done, from, to};
    c->rank[from].in_flight++;
    if (to != from)
        c->rank[to].in_flight++;
}

void weir__flight_room(weir_collectives *c, uint32_t from, uint32_t to)
{
    while (c->held && (c->rank[from].in_flight >= c->limit || c->rank[to].in_flight >= c->limit))
        weir__flight_retire(c, 1);
}

weir_status weir__flight_mark(weir_collectives *c, uint32_t rank, weir_queue *queue,
                              weir_event **event_out)
{
    weir_device *device = c->rank[rank].device;
    weir_status status;
    while ((status = weir_event_acquire(device, event_out)) == WEIR_FULL && c->held)
        weir__flight_retire(c, 1);
    if (status == WEIR_FULL) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(device, &info);
        status = weir__fail(WEIR_ERR_NOMEM,
                            "%s has no more events for collectives: raise WEIR_EVENTS", info.label);
    }
    if (status)
        return status;
    if ((status = weir_queue_record(queue, *event_out))) {
        weir_event_release(*event_out);
        *event_out = NULL;
    }
    return status;
}

weir_status weir__flight_begin(weir_collectives *c, const struct call *call)
{
    weir_status status = WEIR_OK;
    weir__flight_retire(c, 0);
    memset(c->sends, 0, (size_t)c->ranks * c->ranks);
    for (uint32_t i = 0; i < c->ranks && !status; i++) {
        struct rank *rank = &c->rank[i];
        weir__flight_room(c, i, i);
        if (!(status = weir__flight_mark(c, i, call->queues[i], &rank->begin)))
            status = weir_queue_wait_event(rank->work, rank->begin);
    }
    return status;
}

/* The ends of the receivers' work: by then what rank `from` sent was read. */
static weir_status wait_for_receivers(weir_collectives *c, weir_queue *queue, uint32_t from,
                                      weir_event *const *ends)
{
    weir_status status = weir_queue_wait_event(queue, ends[from]);
    for (uint32_t to = 0; to < c->ranks && !status; to++)
        if (to != from && c->sends[from * c->ranks + to])
            status = weir_queue_wait_event(queue, ends[to]);
    return status;
}

/* Whatever failed on the way: what was put into queues is in them, and the caller's queues wait for it. */
weir_status weir__flight_end(weir_collectives *c, const struct call *call)
{
    weir_event *ends[RANKS_MAX] = {NULL}, *overs[RANKS_MAX] = {NULL};
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        status = weir__flight_mark(c, i, c->rank[i].work, &ends[i]);
    for (uint32_t i = 0; i < c->ranks && !status; i++)
        if (!(status = wait_for_receivers(c, call->queues[i], i, ends)))
            status = weir__flight_mark(c, i, call->queues[i], &overs[i]);
    if (status) /* the device is lost, or memory is: wait here, for all that there is */
        for (uint32_t i = 0; i < c->ranks; i++) {
            (void)weir__collectives_fail(c, status);
            (void)weir_queue_sync(c->rank[i].work);
            for (uint32_t s = 0; s < PASSAGES && c->rank[i].passing[s].queue; s++)
                (void)weir_queue_sync(c->rank[i].passing[s].queue);
            (void)weir_queue_sync(call->queues[i]);
        }
    for (uint32_t i = 0; i < c->ranks; i++)
        if (overs[i])
            weir__flight_add(c, overs[i], NULL, i, i);
    for (uint32_t i = 0; i < c->ranks; i++) {
        if (ends[i])
            weir__flight_add(c, ends[i], NULL, i, i);
        if (c->rank[i].begin)
            weir__flight_add(c, c->rank[i].begin, NULL, i, i);
        c->rank[i].begin = NULL;
    }
    return status;
}
