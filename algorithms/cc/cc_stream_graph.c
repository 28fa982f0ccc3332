/** @file cc_stream_graph.c  The dataflow graph of Groute's Figure 15: two routers (cc_stream.h draws it). */
#include "algorithms/cc/cc_stream.h"

static weir_status open_routers(weir__cc_flow *flow)
{
    weir_context *context = flow->cc->context;
    weir_policy spread = weir_policy_any(), direct = weir_policy_direct();
    weir_status status;
    if ((status = weir_endpoint_create(weir_context_home(context), "host", &flow->host)) ||
        (status = weir_router_create(context, "to devices", &spread, &flow->to_devices)) ||
        (status = weir_router_create(context, "upwards", &direct, &flow->upwards)))
        return status;
    return weir_link_create(flow->host, weir_router_endpoint(flow->to_devices), NULL, &flow->feed);
}

static weir_status open_worker(weir__cc_flow *flow, uint32_t index, uint32_t *outputs)
{
    weir__cc_streamed *cc = flow->cc;
    weir__cc_worker *worker = &flow->worker[index];
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status;
    worker->flow = flow;
    worker->index = index;
    worker->device = weir_context_device(cc->context, index);
    config.packet_bytes = cc->packet_bytes;
    config.buffers = WEIR__CC_BUFFERS;
    if ((status = weir_endpoint_create(worker->device, NULL, &worker->endpoint)) ||
        (status = weir_link_create(weir_router_endpoint(flow->to_devices), worker->endpoint,
                                   &config, &worker->in)) ||
        (status = weir_link_create(worker->endpoint, weir_router_endpoint(flow->upwards), NULL,
                                   &worker->out)) ||
        (status = weir_queue_create(worker->device, 0, &worker->queue)))
        return status;
    if (!cc->plan.children[index])
        return WEIR_OK;
    worker->output = (*outputs)++;
    config.transport = cc->transport;
    return weir_link_create(weir_router_endpoint(flow->upwards), worker->endpoint, &config,
                            &worker->up);
}

weir_status weir__cc_flow_open(weir__cc_flow *flow)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    uint32_t outputs = 0;
    weir_status status = open_routers(flow);
    for (uint32_t d = 0; d < flow->cc->devices && !status; d++)
        status = open_worker(flow, d, &outputs);
    if (status)
        return status;
    flow->result_output = outputs;
    config.packet_bytes = flow->cc->packet_bytes;
    config.buffers = WEIR_BUFFERS_NONE; /* labels land where they are wanted */
    return weir_link_create(weir_router_endpoint(flow->upwards), flow->host, &config,
                            &flow->result);
}

/* Links come first: once they are gone no copy reads what a device sent or writes what it takes. */
void weir__cc_flow_close(weir__cc_flow *flow)
{
    weir_link_destroy(flow->result);
    weir_link_destroy(flow->feed);
    for (uint32_t d = 0; d < flow->cc->devices; d++) {
        weir_link_destroy(flow->worker[d].in);
        weir_link_destroy(flow->worker[d].out);
        weir_link_destroy(flow->worker[d].up);
    }
    weir_router_destroy(flow->upwards);
    weir_router_destroy(flow->to_devices);
    for (uint32_t d = 0; d < flow->cc->devices; d++) {
        weir_queue_destroy(flow->worker[d].queue);
        weir_endpoint_destroy(flow->worker[d].endpoint);
    }
    weir_endpoint_destroy(flow->host);
}
