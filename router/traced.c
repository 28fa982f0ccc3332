/** @file traced.c  What a trace is told of links: packets on their way, receives that are free, times in which a link stood
 * still. A link of the trace is a sender and a receiver, with the router between them if it is not the link's own. */
#include "router/internal.h"

#include <stdio.h>
#include <string.h>

#define COUNTED 256 /* receives and packets are counted so far: a list may be long */

void weir__traced_name(const weir_endpoint *endpoint, char name_out[64])
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    const char *name = endpoint->name;
    if (endpoint->device)
        weir_device_info_get(endpoint->device, &info);
    if (endpoint->group)
        snprintf(name_out, 64, "%s (process %u)", name, endpoint->process);
    else if (!*info.label || strcmp(info.label, name) == 0)
        snprintf(name_out, 64, "%s", name);
    else
        snprintf(name_out, 64, "%s (%s)", name, info.label);
}

static uint32_t link_of(struct weir__trace *trace, const struct output *output,
                        struct send_queue *sends)
{
    return weir__trace_link(trace, &sends->trace, sends->from, output->to,
                            sends->direct ? NULL : output->router->self.name);
}

struct weir__trace_mark weir__traced_packet(struct weir__trace *trace, struct output *output,
                                            struct send_queue *sends, const struct parcel *parcel)
{
    const struct message *message = parcel->message;
    const uint64_t now = weir_context_time_ns(output->router->context);
    output->matched_ns = now;
    return (struct weir__trace_mark){.link = link_of(trace, output, sends),
                                     .put_ns = now,
                                     .posted_ns = message->posted_ns ? message->posted_ns : now,
                                     .matched_ns = now,
                                     .bytes = parcel->bytes,
                                     .serial = message->serial};
}

void weir__traced_carried(struct weir__trace *trace, const struct weir__trace_mark *mark)
{
    weir__trace_carried(trace, mark->link, 1, mark->bytes, 0);
}

void weir__traced_level(struct weir__trace *trace, const struct output *output,
                        struct send_queue *sends)
{
    /* The clock is read once for a packet and the level behind it. */
    const uint64_t now = sends ? output->matched_ns : weir_context_time_ns(output->router->context);
    uint64_t credits = 0;
    if (!sends && output->send_queue_count == 1)
        sends = output->send_queues[0];
    if (!sends)
        return;
    for (const struct weir_pending *slot = output->unmatched.first; slot && credits < COUNTED;
         slot = slot->next_credit)
        credits++;
    weir__trace_level(trace, link_of(trace, output, sends), now, credits,
                      weir__send_queue_length(sends, COUNTED));
}

void weir__traced_idled(struct weir__trace *trace, const struct output *output, uint64_t stalled_ns,
                        uint64_t starved_ns)
{
    for (uint32_t i = 0; i < output->send_queue_count; i++)
        weir__trace_idled(trace, link_of(trace, output, output->send_queues[i]), stalled_ns,
                          starved_ns);
}
