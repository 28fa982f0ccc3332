/** @file graph.c  The dataflow graph of Figure 5, and what a device needs to filter.
 *
 *     host --feed--> [to_devices] --in--> device 0 --out--> [to_host] --result--> host
 *                                 --in--> device 1 --out-->
 *
 * Both routers are the library's; the policies decide everything. A result is no larger than the
 * packet it was kept from, so the host's link takes it whole, and it owns no buffers: results land
 * in the output array itself. */
#include "algorithms/pbf/pbf.h"

#include <stdlib.h>

/* From GPU_PACKET on a GPU's host link carries nearly all it can. A host device takes a while for as
 * much, and all would wait for its last packet. */
#define GPU_PACKET   ((size_t)16 << 20)
#define HOST_PACKET  ((size_t)1 << 20)
#define MIXED_PACKET ((size_t)4 << 20)

/* One size for all devices: a packet that any of them may take is no larger than the smallest takes. */
static size_t packet_of(const weir__pbf_run *run)
{
    size_t asked = run->pbf->config.packet_bytes, all = run->elements * sizeof(uint32_t);
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < run->devices; i++) {
        weir_device_info info;
        weir_device_info_get(weir_context_device(run->pbf->context, i), &info);
        gpus += info.kind == WEIR_DEVICE_CUDA;
    }
    if (!asked)
        asked = gpus == run->devices ? GPU_PACKET : gpus ? MIXED_PACKET : HOST_PACKET;
    if (all < asked)
        asked = all ? all : sizeof(uint32_t);
    return asked;
}

/* A GPU copies in, filters and copies out at a time. On a host device all three are the processor's, and
 * every packet more that waits there is one that others cannot take when they are done. */
static uint32_t buffers_of(const weir__pbf_run *run, const weir_device *device)
{
    weir_device_info info;
    weir_device_info_get(device, &info);
    if (run->pbf->config.buffers)
        return run->pbf->config.buffers;
    return info.kind == WEIR_DEVICE_CUDA ? 3 : 2;
}

static weir_status open_routers(weir__pbf_run *run)
{
    weir_context *context = run->pbf->context;
    weir_policy spread = run->pbf->config.schedule == WEIR_PBF_STATIC
                             ? weir_policy_scatter(sizeof(uint32_t))
                             : weir_policy_any();
    weir_policy collect = weir_policy_gather(0);
    weir_status status;
    if ((status = weir_endpoint_create(weir_context_home(context), "host", &run->host)) ||
        (status = weir_router_create(context, "to devices", &spread, &run->to_devices)) ||
        (status = weir_router_create(context, "to host", &collect, &run->to_host)))
        return status;
    return weir_link_create(run->host, weir_router_endpoint(run->to_devices), NULL, &run->feed);
}

static weir_status open_slots(weir__pbf_device *device)
{
    weir_device *home = weir_context_home(device->run->pbf->context);
    void *word, *kept, *output;
    weir_status status;
    if ((status = weir_device_alloc(device->device, sizeof(uint64_t), &word)))
        return status;
    device->word = word;
    if ((status = weir_device_alloc(home, device->buffers * sizeof(uint32_t), &kept)))
        return status;
    device->kept = kept;
    for (uint32_t i = 0; i < device->buffers; i++) {
        weir__pbf_slot *slot = &device->slot[i];
        slot->kept = &device->kept[i];
        if ((status = weir_device_alloc(device->device, device->run->packet_bytes, &output)))
            return status;
        slot->output = output;
        if ((status = weir_event_acquire(device->device, &slot->done)) ||
            (status = weir_stamp_create(device->device, &slot->start)) ||
            (status = weir_stamp_create(device->device, &slot->stop)))
            return status;
    }
    return WEIR_OK;
}

static weir_status open_device(weir__pbf_run *run, uint32_t index)
{
    weir__pbf_device *device = &run->device[index];
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status;
    device->run = run;
    device->index = index;
    device->device = weir_context_device(run->pbf->context, index);
    config.packet_bytes = run->packet_bytes;
    device->buffers = config.buffers = buffers_of(run, device->device);
    if ((status = weir_endpoint_create(device->device, NULL, &device->endpoint)) ||
        (status = weir_link_create(weir_router_endpoint(run->to_devices), device->endpoint, &config,
                                   &device->in)) ||
        (status = weir_link_create(device->endpoint, weir_router_endpoint(run->to_host), NULL,
                                   &device->out)) ||
        (status = weir_queue_create(device->device, 0, &device->queue)) ||
        (status = open_slots(device)) ||
        (status = weir_queue_fill(device->queue, device->word, 0, sizeof *device->word)))
        return status;
    return weir_queue_sync(device->queue);
}

weir_status weir__pbf_open(weir__pbf_run *run)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status = open_routers(run);
    run->devices = weir_context_device_count(run->pbf->context);
    run->packet_bytes = packet_of(run);
    for (uint32_t i = 0; i < run->devices && !status; i++)
        status = open_device(run, i);
    config.packet_bytes = run->packet_bytes;
    config.buffers = WEIR_BUFFERS_NONE;
    if (!status)
        status =
            weir_link_create(weir_router_endpoint(run->to_host), run->host, &config, &run->result);
    return status;
}

static void close_device(weir__pbf_device *device)
{
    weir_queue_destroy(device->queue);
    for (uint32_t i = 0; i < WEIR__PBF_BUFFERS_MAX; i++) {
        weir__pbf_slot *slot = &device->slot[i];
        weir_future_release(slot->sent);
        weir_future_release(slot->arrived);
        weir_stamp_destroy(slot->stop);
        weir_stamp_destroy(slot->start);
        weir_event_release(slot->done);
        weir_device_free(device->device, slot->output);
    }
    weir_device_free(weir_context_home(device->run->pbf->context), device->kept);
    weir_device_free(device->device, device->word);
    weir_endpoint_destroy(device->endpoint);
}

/* Links come first: once they are gone no copy reads what a device sent or writes what it takes. */
void weir__pbf_close(weir__pbf_run *run)
{
    weir_link_destroy(run->result);
    weir_link_destroy(run->feed);
    for (uint32_t i = 0; i < run->devices; i++) {
        weir_link_destroy(run->device[i].in);
        weir_link_destroy(run->device[i].out);
    }
    weir_router_destroy(run->to_host);
    weir_router_destroy(run->to_devices);
    for (uint32_t i = 0; i < run->devices; i++)
        if (run->device[i].run)
            close_device(&run->device[i]);
    weir_endpoint_destroy(run->host);
}
