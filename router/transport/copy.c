/** @file copy.c  Between two GPUs, by the sender's copy engine.
 *
 * Where a link may choose, small packets go by a kernel's stores. A queue that waits for another takes 3 to 5 us where a
 * copy engine is concerned and less than 2 for kernels: a segment takes 6.2 us from the sender's queue to the
 * receiver's, against 11 (H200, docs/benchmarks.md). And it does not stand in one queue with large packets. */
#include "router/transport/transport.h"

#define STORE_UP_TO ((size_t)64 << 10)

static int joins(weir_device *source, weir_device *destination)
{
    return weir__has_copy_engine(source) && weir__has_copy_engine(destination) &&
           source != destination && weir_device_reaches(source, destination);
}

const struct transport weir__transport_copy = {
    .which = WEIR_TRANSPORT_COPY,
    .streams = 2,
    .small = WEIR_TRANSPORT_STORE,
    .small_bytes = STORE_UP_TO,
    .joins = joins,
    .open = weir__open_push,
    .put = weir__put_copy,
};
