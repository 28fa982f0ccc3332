/** @file store.c  A kernel of the sender's device stores into the receiver's memory. */
#include "router/transport/transport.h"

static int joins(weir_device *source, weir_device *destination)
{
    return (weir__has_copy_engine(source) || !weir__has_copy_engine(destination)) &&
           weir_device_reaches(source, destination);
}

static weir_status put(struct crossing *crossing)
{
    weir_status status =
        weir_queue_push(crossing->stream->first, crossing->output->destination->device,
                        crossing->slot->data, crossing->source, crossing->from, crossing->bytes);
    return status ? status : weir__crossing_end(crossing);
}

const struct transport weir__transport_store = {
    .which = WEIR_TRANSPORT_STORE,
    .streams = 1,
    .joins = joins,
    .open = weir__open_push,
    .put = put,
};
