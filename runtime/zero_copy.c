/** @file zero_copy.c  Host memory that kernels read in place: for what is too large for the devices and is read in order.
 *
 * It is page-locked where there are GPUs, near the one that reads it, and comes from the pool of one more host device of the
 * context, which is opened when the first piece is asked for. That pool takes from the host as the pools of host devices do
 * where they have no bound of their own: WEIR_POOL_BYTES bounds what lies on devices, and does not count here. */
#include "runtime/context.h"

#include <string.h>

static weir_status open_zero_copy(weir_context *context, weir_device **device_out)
{
    weir_status status = context->planned.is ? weir__plan_open_host(context, device_out)
                                             : weir__host_backend.open(context, 0, 1, device_out);
    if (status)
        return status;
    (*device_out)->info.index = context->count;
    (*device_out)->info.numa_node = -1;
    strcpy((*device_out)->info.label, "host memory");
    if (!context->planned.is)
        weir__pool_share_host(*device_out);
    return WEIR_OK;
}

/* Memory of a simulated host is home's: there is no other. */
static weir_status device_of(weir_context *context, weir_device **device_out)
{
    weir_status status = WEIR_OK;
    if (weir_context_simulated(context)) {
        *device_out = context->home;
        return WEIR_OK;
    }
    pthread_mutex_lock(&context->attach_lock);
    if (!context->zero_copy)
        status = open_zero_copy(context, &context->zero_copy);
    *device_out = context->zero_copy;
    pthread_mutex_unlock(&context->attach_lock);
    return status;
}

weir_device *weir__zero_copy_device(weir_context *context)
{
    pthread_mutex_lock(&context->attach_lock);
    weir_device *device = context->zero_copy;
    pthread_mutex_unlock(&context->attach_lock);
    return device;
}

weir_status weir__zero_copy_alloc(const weir_device *reader, const char *what, uint64_t elements,
                                  size_t bytes, void *data_out)
{
    weir_device *device;
    void *none = NULL;
    weir_status status = device_of(reader->context, &device);
    if (!status)
        return weir__device_alloc_near_as(device, reader, what, elements, bytes, data_out);
    memcpy(data_out, &none, sizeof none);
    return status;
}

weir_status weir__zero_copy_write(const weir_device *reader, void *destination, const void *source,
                                  size_t bytes)
{
    weir_device *device;
    weir_status status = device_of(reader->context, &device);
    return status ? status : weir__upload(device, destination, source, bytes);
}

weir_status weir__zero_copy_read(const weir_device *reader, void *destination, const void *source,
                                 size_t bytes)
{
    weir_device *device;
    weir_status status = device_of(reader->context, &device);
    return status ? status : weir__download(device, destination, source, bytes);
}

void weir__zero_copy_free(const weir_device *reader, void *data)
{
    weir_device *device;
    if (!data || device_of(reader->context, &device))
        return;
    weir_device_free(device, data);
    if (device == reader->context->zero_copy)
        weir__pool_trim(device);
}
