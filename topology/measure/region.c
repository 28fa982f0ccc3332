/** @file region.c  Queues that are held until everything is in them, start together, and end
 *  together.
 *
 * Only the lead is held by the gate. It stamps the start; the others wait for a mark behind that
 * stamp. At the end the lead waits for a mark of each other, then stamps the stop: so both stamps
 * are of one device's clock. The waits for marks are part of the time. */
#include "topology/measure/measure.h"

#include "runtime/config.h"
#include "runtime/trace.h"

#include <stdlib.h>
#include <string.h>

weir_status weir__region_open(struct region *region, struct bench *bench, const uint32_t *devices,
                              uint32_t count)
{
    weir_status status = WEIR_OK;
    memset(region, 0, sizeof *region);
    region->bench = bench;
    if (!count || count > REGION_QUEUES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "a timed region of %u queues: 1 to %d", count,
                          REGION_QUEUES_MAX);
    for (uint32_t i = 0; i < count && !status; i++)
        if (!(status =
                  weir_queue_create(weir__bench_device(bench, devices[i]), 0, &region->queue[i])))
            region->count++;
    if (!status)
        status = weir_stamp_create(weir_queue_device(region->queue[0]), &region->start);
    if (!status)
        status = weir_stamp_create(weir_queue_device(region->queue[0]), &region->stop);
    if (!status)
        status = weir__guard_start(region);
    if (status)
        weir__region_close(region);
    return status;
}

/* Open the gate, wait until nothing is under way, give the events back. */
static weir_status release(struct region *region, weir_status failed)
{
    weir_status status = weir__guard_open_gate(region);
    for (uint32_t i = 0; i < region->count; i++) {
        weir_status synced = weir_queue_sync(region->queue[i]);
        status = status ? status : synced;
    }
    while (region->events)
        weir_event_release(region->event[--region->events]);
    weir_future_release(region->gate);
    region->gate = NULL;
    region->held = 0;
    return failed ? failed : status;
}

void weir__region_close(struct region *region)
{
    if (region->held)
        (void)release(region, WEIR_OK);
    weir__guard_stop(region);
    for (uint32_t i = 0; i < region->count; i++)
        weir_queue_destroy(region->queue[i]);
    weir_stamp_destroy(region->start);
    weir_stamp_destroy(region->stop);
    free(region->event);
    memset(region, 0, sizeof *region);
}

uint32_t weir__region_marks_max(const struct bench *bench)
{
    return (uint32_t)weir__config_get(weir_context_config(bench->context), WEIR__EVENTS) / 2;
}

static weir_status keep(struct region *region, weir_event *event)
{
    if (region->events == region->room) {
        size_t room = region->room ? 2 * region->room : 64;
        weir_event **grown = realloc(region->event, room * sizeof *grown);
        if (!grown)
            return weir__fail(WEIR_ERR_NOMEM, "no memory for %zu marks of a timed region", room);
        region->event = grown;
        region->room = room;
    }
    region->event[region->events++] = event;
    return WEIR_OK;
}

weir_status weir__region_mark(struct region *region, uint32_t from, weir_event **mark_out)
{
    weir_device *device = weir_queue_device(region->queue[from]);
    weir_event *event;
    weir_status status = weir_event_acquire(device, &event);
    *mark_out = NULL;
    if (status == WEIR_FULL) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(device, &info);
        return weir__fail(WEIR_ERR_NOMEM,
                          "%s has no more events for a timed region: raise WEIR_EVENTS",
                          info.label);
    }
    if (status)
        return status;
    if ((status = keep(region, event))) {
        weir_event_release(event);
        return status;
    }
    if (!(status = weir_queue_record(region->queue[from], event)))
        *mark_out = event;
    return status;
}

weir_status weir__region_wait(struct region *region, uint32_t to, weir_event *mark)
{
    return weir_queue_wait_event(region->queue[to], mark);
}

weir_status weir__region_chain(struct region *region, uint32_t from, uint32_t to)
{
    weir_event *mark;
    weir_status status = weir__region_mark(region, from, &mark);
    return status ? status : weir__region_wait(region, to, mark);
}

static weir_status hold(struct region *region)
{
    weir_event *started;
    weir_status status = weir_future_create(region->bench->context, &region->gate);
    if (status)
        return status;
    region->held = 1;
    weir__guard_arm(region);
    if ((status = weir__queue_hold(region->queue[0], region->gate)) ||
        (status = weir_queue_stamp(region->queue[0], region->start)) ||
        (status = weir__region_mark(region, 0, &started)))
        return status;
    for (uint32_t i = 1; i < region->count && !status; i++)
        status = weir__region_wait(region, i, started);
    return status;
}

weir_status weir__region_begin(struct region *region)
{
    weir_status status = hold(region);
    return status && region->held ? release(region, status) : status;
}

/* All that is still to do once everything is in the queues. The last events of the region are then
 * one for each other queue, in order, and the lead's. */
static weir_status finish(struct region *region)
{
    weir_event *ended;
    weir_status status = WEIR_OK;
    for (uint32_t i = 1; i < region->count && !status; i++)
        status = weir__region_chain(region, i, 0);
    if (!status)
        status = weir_queue_stamp(region->queue[0], region->stop);
    return status ? status : weir__region_mark(region, 0, &ended);
}

static weir_status timed_out(const struct region *region)
{
    weir_event **ends = region->event + (region->events - region->count);
    uint32_t late = 0;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    for (uint32_t i = 1; i < region->count && !late; i++)
        if (weir_event_query(ends[i - 1]) == WEIR_PENDING)
            late = i;
    weir_device_info_get(weir_queue_device(region->queue[late]), &info);
    return weir__fail(WEIR_ERR_TIMEOUT,
                      "a queue of %s (number %u of %u of a timed region) did not end within %u ms",
                      info.label, late, region->count, region->bench->config.limit_ms);
}

static weir_status let_go(struct region *region)
{
    weir_status status = weir__guard_open_gate(region);
    if (status)
        return status;
    status =
        weir_event_wait(region->event[region->events - 1], (int64_t)region->bench->config.limit_ms);
    return status == WEIR_ERR_TIMEOUT ? timed_out(region) : status;
}

uint32_t weir__region_ops_max(const struct bench *bench)
{
    int gpu = 0;
    for (uint32_t i = 0; i < bench->devices; i++)
        gpu |= weir__device_is_gpu(weir_context_device(bench->context, i));
    return gpu && weir__tracing(bench->context) ? REGION_OPS_MAX / 2 : REGION_OPS_MAX;
}

weir_status weir__region_end(struct region *region, weir_status failed, double *ms_out)
{
    weir_status status = failed;
    *ms_out = 0;
    if (!region->held)
        return status;
    if (!status)
        status = finish(region);
    if (!status)
        status = let_go(region);
    if ((status = release(region, status)) ||
        (status = weir_stamp_elapsed(region->start, region->stop, ms_out)))
        return status;
    weir__bench_took(region->bench, *ms_out);
    return WEIR_OK;
}
