/** @file single.c  What rows share whose packets are one copy.
 *
 * Which queue copies: a GPU's that is the source, because a copy engine that writes to another GPU
 * starts in 2 us where one that reads from it takes 13 (H200, docs/benchmarks.md); else the receiver's,
 * so that packets for one receiver queue up there. */
#include "router/transport/transport.h"

int weir__has_copy_engine(const weir_device *device)
{
    const weir_context *context = weir__device_context(device);
    return weir__device_is_gpu(device) ||
           (weir_context_simulated(context) && device != weir_context_home(context));
}

weir_status weir__open_pull(struct output *output, weir_device *source, uint32_t number,
                            struct stream *stream)
{
    (void)source;
    (void)number;
    stream->first = stream->last = output->pull;
    return WEIR_OK;
}

weir_status weir__open_push(struct output *output, weir_device *source, uint32_t number,
                            struct stream *stream)
{
    weir_status status = weir__output_push_queue(output, source, number, &stream->first);
    stream->last = stream->first;
    return status;
}

weir_status weir__open_gpu(struct output *output, weir_device *source, uint32_t number,
                           struct stream *stream)
{
    return (weir__has_copy_engine(source) ? weir__open_push : weir__open_pull)(output, source,
                                                                               number, stream);
}

weir_status weir__crossing_end(struct crossing *crossing)
{
    crossing->begun = 1;
    weir_status status = weir_queue_record(crossing->stream->last, crossing->arrived);
    if (!status)
        crossing->sent = weir__event_retain(crossing->arrived);
    return status;
}

weir_status weir__put_copy(struct crossing *crossing)
{
    weir_status status =
        weir_queue_copy(crossing->stream->first, crossing->output->destination->device,
                        crossing->slot->data, crossing->source, crossing->from, crossing->bytes);
    return status ? status : weir__crossing_end(crossing);
}
