/** @file dataflow.c  A run over two routers: the graph of links, the threads, the results, the end. */
#include "algorithms/common/dataflow.h"

#include <stdlib.h>
#include <string.h>

/* ---- endings --------------------------------------------------------------------------------- */

void weir__dataflow_fail(struct weir__dataflow *flow, weir_status status)
{
    pthread_mutex_lock(&flow->lock);
    if (!flow->status) {
        flow->status = status;
        flow->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&flow->lock);
    weir_router_cancel(flow->to_devices, status);
    weir_router_cancel(flow->onwards, status);
}

int64_t weir__dataflow_left_ms(const struct weir__dataflow *flow)
{
    const uint64_t now = weir__now_ns();
    if (!flow->deadline_ns)
        return -1;
    return now < flow->deadline_ns ? (int64_t)((flow->deadline_ns - now + 999999) / 1000000) : 0;
}

weir_status weir__dataflow_explain(const struct weir__dataflow *flow, weir_status status)
{
    return status == WEIR_ERR_TIMEOUT
               ? weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over",
                            flow->form->what, flow->time_limit_ms)
               : status;
}

double weir__dataflow_ms(const struct weir__dataflow *flow)
{
    return (double)(weir_context_time_ns(flow->context) - flow->start_ns) / 1e6;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static weir_status open_routers(struct weir__dataflow *flow)
{
    weir_context *context = flow->context;
    weir_status status;
    if ((status = weir_endpoint_create(weir_context_home(context), "host", &flow->host)) ||
        (status = weir_router_create(context, "to devices", &flow->spread, &flow->to_devices)) ||
        (status = weir_router_create(context, flow->form->onwards, &flow->collect, &flow->onwards)))
        return status;
    return weir_link_create(flow->host, weir_router_endpoint(flow->to_devices), NULL, &flow->feed);
}

static weir_status open_device(struct weir__dataflow *flow, uint32_t index)
{
    struct weir__dataflow_device *device = &flow->device[index];
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status;
    device->flow = flow;
    device->index = index;
    device->device = weir_context_device(flow->context, index);
    config.packet_bytes = flow->packet_bytes;
    config.buffers = device->buffers;
    if ((status = weir_endpoint_create(device->device, NULL, &device->endpoint)) ||
        (status = weir_link_create(weir_router_endpoint(flow->to_devices), device->endpoint,
                                   &config, &device->in)) ||
        (status = weir_link_create(device->endpoint, weir_router_endpoint(flow->onwards), NULL,
                                   &device->out)) ||
        (status = weir_queue_create(device->device, 0, &device->queue)))
        return status;
    device->opened = 1;
    return flow->form->open ? flow->form->open(device) : WEIR_OK;
}

/* The host's link owns no buffers, since results land in the output itself. This link is the last output of its router. */
static weir_status open_graph(struct weir__dataflow *flow)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status = open_routers(flow);
    for (uint32_t i = 0; i < flow->devices && !status; i++)
        status = open_device(flow, i);
    config.packet_bytes = flow->packet_bytes;
    config.buffers = WEIR_BUFFERS_NONE;
    return status ? status
                  : weir_link_create(weir_router_endpoint(flow->onwards), flow->host, &config,
                                     &flow->result);
}

/* Links are destroyed first. After that no copy reads what a device has sent, or writes into what a device takes. */
static void close_graph(struct weir__dataflow *flow)
{
    weir_link_destroy(flow->result);
    weir_link_destroy(flow->feed);
    for (uint32_t i = 0; i < flow->devices; i++) {
        weir_link_destroy(flow->device[i].in);
        weir_link_destroy(flow->device[i].out);
        weir_link_destroy(flow->device[i].back);
    }
    weir_router_destroy(flow->onwards);
    weir_router_destroy(flow->to_devices);
    for (uint32_t i = 0; i < flow->devices; i++) {
        weir_queue_destroy(flow->device[i].queue);
        if (flow->device[i].opened && flow->form->close)
            flow->form->close(&flow->device[i]);
        weir_endpoint_destroy(flow->device[i].endpoint);
    }
    weir_endpoint_destroy(flow->host);
}

/* ---- results --------------------------------------------------------------------------------- */

/* Each receive is posted for the place at which the result before it ends. That place is known as soon as a packet was
 * assigned to the receive before, long before the bytes are there, so many results are on the way at a time. */
enum { HELD = 64 }; /* results on the way that are kept track of */

struct gather {
    weir_pending *posted; /* the receive that has no packet yet; NULL: there is none */
    weir_pending *held[HELD];
    uint32_t first, count; /* what is used of `held`, which is a ring */
    uint64_t end;          /* bytes assigned so far */
};

static weir_status wait_oldest(struct weir__dataflow *flow, struct gather *gather)
{
    weir_segment segment;
    weir_pending *oldest = gather->held[gather->first];
    weir_status status = weir_pending_wait(oldest, weir__dataflow_left_ms(flow), &segment);
    if (status)
        return weir__dataflow_explain(flow, status);
    gather->first = (gather->first + 1) % HELD;
    gather->count--;
    return weir_pending_release(oldest, NULL);
}

/* The posted receive has its packet, so the next receive belongs behind the bytes of that packet. */
static weir_status take(struct weir__dataflow *flow, struct gather *gather,
                        const weir_segment *segment)
{
    const uint64_t offset = gather->end;
    weir_status status = WEIR_OK;
    if (gather->count == HELD && (status = wait_oldest(flow, gather)))
        return status;
    gather->held[(gather->first + gather->count++) % HELD] = gather->posted;
    gather->posted = NULL;
    gather->end += segment->bytes;
    return flow->form->result ? flow->form->result(flow, segment, offset) : WEIR_OK;
}

static weir_status gather_all(struct weir__dataflow *flow, struct gather *gather)
{
    weir_segment segment;
    weir_status status = WEIR_OK;
    while (!status) {
        if ((status =
                 weir_link_receive_into(flow->result, (char *)flow->output + gather->end,
                                        flow->output_bytes - gather->end, NULL, &gather->posted)))
            break;
        status = weir_pending_wait_assigned(gather->posted, weir__dataflow_left_ms(flow), &segment);
        status = status ? weir__dataflow_explain(flow, status) : take(flow, gather, &segment);
    }
    if (status == WEIR_CLOSED)
        status = WEIR_OK;
    while (!status && gather->count > 0)
        status = wait_oldest(flow, gather);
    return status;
}

/* Give back a receive that a shutdown or a cancel has ended. */
static void give_back(weir_pending *pending)
{
    weir_segment segment;
    (void)weir_pending_wait(pending, -1, &segment);
    (void)weir_pending_release(pending, NULL);
}

/* Take all results; returns when every device has shut down, or after a failure. */
static void receive(struct weir__dataflow *flow)
{
    struct gather gather = {.posted = NULL};
    weir_status status = gather_all(flow, &gather);
    if (status)
        weir__dataflow_fail(flow, status);
    for (; gather.count > 0; gather.count--, gather.first = (gather.first + 1) % HELD)
        give_back(gather.held[gather.first]);
    if (gather.posted)
        give_back(gather.posted);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void *work(void *data)
{
    struct weir__dataflow_device *device = data;
    weir_status status = device->flow->form->work(device);
    if (status) {
        weir__dataflow_fail(device->flow, status);
        /* The caller frees the buffers of the graph next, and kernels may still read them. */
        (void)weir_queue_sync(device->queue);
    }
    return NULL;
}

static weir_status start_threads(struct weir__dataflow *flow)
{
    for (uint32_t i = 0; i < flow->devices; i++) {
        struct weir__dataflow_device *device = &flow->device[i];
        const int error = pthread_create(&device->thread, NULL, work, device);
        if (error)
            return weir__fail(WEIR_ERR_NOMEM, "the thread of device %u: %s", i, strerror(error));
        device->started = 1;
    }
    return WEIR_OK;
}

/* Everything between building the graph and freeing it. flow->status has the first failure then. */
static void run_opened(struct weir__dataflow *flow)
{
    weir_status status;
    flow->start_ns = weir_context_time_ns(flow->context);
    if (flow->time_limit_ms)
        flow->deadline_ns = weir__now_ns() + flow->time_limit_ms * UINT64_C(1000000);
    if ((status = start_threads(flow)) || (status = flow->form->feed(flow)) ||
        (status = weir_link_shutdown(flow->feed)))
        weir__dataflow_fail(flow, status);
    else
        receive(flow);
    flow->end_ns = weir_context_time_ns(flow->context);
    for (uint32_t i = 0; i < flow->devices; i++)
        if (flow->device[i].started)
            (void)pthread_join(flow->device[i].thread, NULL);
}

/* A cancel finds the run from here on, until the run is withdrawn.
 * @retval WEIR_ERR_CANCELLED  a cancel came before the run began. */
static weir_status publish(struct weir__dataflow_owner *owner, struct weir__dataflow *flow)
{
    pthread_mutex_lock(&owner->lock);
    const int cancelled = owner->cancelled;
    if (!cancelled)
        owner->flow = flow;
    pthread_mutex_unlock(&owner->lock);
    return cancelled ? weir__fail(WEIR_ERR_CANCELLED, "%s: the run was cancelled before it began",
                                  flow->form->what)
                     : WEIR_OK;
}

static void withdraw(struct weir__dataflow_owner *owner)
{
    pthread_mutex_lock(&owner->lock);
    owner->flow = NULL;
    owner->cancelled = 0;
    pthread_mutex_unlock(&owner->lock);
}

weir_status weir__dataflow_run(struct weir__dataflow_owner *owner, struct weir__dataflow *flow)
{
    weir_status status;
    const uint64_t begin_ns = weir__now_ns();
    pthread_mutex_init(&flow->lock, NULL);
    flow->form = owner->form;
    status = open_graph(flow);
    flow->prepare_ms = weir__elapsed_ms(begin_ns);
    if (!status && !(status = publish(owner, flow)))
        run_opened(flow);
    withdraw(owner);
    if (!status) /* read behind withdraw(), since a cancel may set it until then */
        status = flow->status;
    close_graph(flow);
    if (flow->detail)
        weir__fail_adopt(status, flow->detail);
    pthread_mutex_destroy(&flow->lock);
    free(flow->detail);
    return status;
}

/* ---- cancelling ------------------------------------------------------------------------------ */

void weir__dataflow_owner_init(struct weir__dataflow_owner *owner,
                               const struct weir__dataflow_form *form)
{
    *owner = (struct weir__dataflow_owner){.form = form};
    pthread_mutex_init(&owner->lock, NULL);
}

void weir__dataflow_owner_destroy(struct weir__dataflow_owner *owner)
{
    pthread_mutex_destroy(&owner->lock);
}

void weir__dataflow_cancel(struct weir__dataflow_owner *owner)
{
    pthread_mutex_lock(&owner->lock);
    owner->cancelled = 1;
    if (owner->flow)
        weir__dataflow_fail(owner->flow, weir__fail(WEIR_ERR_CANCELLED, "%s: the run was cancelled",
                                                    owner->form->what));
    pthread_mutex_unlock(&owner->lock);
}
