/** @file pacer.c  Keeps the host a bounded number of packets ahead of the receiver's queue. */
#include "router/measure/measure.h"

#include "runtime/internal.h"

#include <string.h>

/* What one packet puts into a stream is seven operations at most, where it is staged in two halves; a
 * stream takes about a thousand. */
#define HELD_PACKETS 96u

uint32_t weir__packets_max(const struct bench *bench)
{
    uint32_t by_events = weir__region_marks_max(bench) / 4;
    uint32_t most = by_events < HELD_PACKETS ? by_events : HELD_PACKETS;
    return most > PACER_MARKS + 1 ? most : PACER_MARKS + 1;
}

weir_status weir__pacer_open(struct pacer *pacer, struct region *region, uint32_t queue)
{
    weir_device *device = weir_queue_device(region->queue[queue]);
    weir_status status = WEIR_OK;
    memset(pacer, 0, sizeof *pacer);
    pacer->region = region;
    pacer->queue = queue;
    for (uint32_t i = 0; i < PACER_MARKS && !status; i++)
        status = weir_event_acquire(device, &pacer->mark[i]);
    if (status == WEIR_FULL)
        status = weir__fail(WEIR_ERR_NOMEM, "no events left to pace a link: raise WEIR_EVENTS");
    return status;
}

void weir__pacer_close(struct pacer *pacer)
{
    for (uint32_t i = 0; i < PACER_MARKS; i++)
        weir_event_release(pacer->mark[i]);
    memset(pacer, 0, sizeof *pacer);
}

weir_status weir__pacer_step(struct pacer *pacer)
{
    struct bench *bench = pacer->region->bench;
    uint32_t each = weir__packets_max(bench) / (PACER_MARKS + 1);
    if (++pacer->packets % each)
        return WEIR_OK;
    weir_event *mark = pacer->mark[pacer->packets / each % PACER_MARKS];
    weir_status status = WEIR_OK;
    if (pacer->packets > (uint64_t)PACER_MARKS * each &&
        !(status = weir__guard_open_gate(pacer->region)))
        status = weir_event_wait(mark, (int64_t)bench->config.limit_ms);
    return status ? status : weir_queue_record(pacer->region->queue[pacer->queue], mark);
}
