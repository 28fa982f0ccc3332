/** @file host.c  Between a GPU and the host's memory, by the GPU's copy engine. */
#include "router/transport/transport.h"

static int joins(weir_device *source, weir_device *destination)
{
    return weir__has_copy_engine(source) != weir__has_copy_engine(destination) &&
           weir_device_reaches(source, destination);
}

const struct transport weir__transport_host = {
    .which = WEIR_TRANSPORT_HOST,
    .streams = 1,
    .joins = joins,
    .open = weir__open_gpu,
    .put = weir__put_copy,
};
