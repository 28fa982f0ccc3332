/** @file 08_pbf.c  Predicate-based filtering, Figure 6 of the Groute paper in C.
 *
 *     build/examples/08_pbf [DEVICES]      "host:3" if left out
 *
 *     host --feed--> [to devices] --> device 0 --> [to host] --result--> host
 *                                 --> device 1 -->
 *
 * The host sends an array into a router, whose policy gives each packet to the first device that is
 * free. A thread for each device filters its packets and sends what it keeps into a second router, and
 * the results land one behind the other in one array of the host. When the input is shut down, the
 * devices hear of it, shut down in their turn, and so the end comes to the host.
 *
 * `weir pbf` does the same with several packets of a device under way and a kernel for GPUs. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <pthread.h>

enum { ELEMENTS = 1 << 20, PACKET_BYTES = 1 << 16 };

struct worker {
    weir_device *device;
    weir_endpoint *endpoint;
    weir_link *in, *out;
    uint32_t *kept; /* of the home device */
    uint32_t packets;
    pthread_t thread;
};

static struct {
    weir_context *context;
    weir_device *home;
    uint32_t devices;
    weir_endpoint *host;
    weir_router *to_devices, *to_host;
    weir_link *feed, *result;
    struct worker worker[WEIR_DEVICES_MAX];
} graph;

/* ---- the kernel: keep the elements that are divisible by 7 ---- */

struct filter_args {
    const uint32_t *input;
    uint32_t count;
    uint32_t *output, *kept;
};

/* Called by each of the device's threads; the first does it all here. A second form of the kernel,
 * `int filter_cuda(void *stream, uint32_t workers, const void *args)` compiled by nvcc, would start
 * it on a GPU's stream: `kept` is memory of the home device, which GPUs can write. */
static void filter_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct filter_args *a = args;
    (void)workers;
    if (worker > 0)
        return;
    *a->kept = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->input[i] % 7 == 0)
            a->output[(*a->kept)++] = a->input[i];
}

static const weir_kernel filter = {.name = "filter", .host = filter_host};

/* ---- a device's thread ---- */

/* How much is to be sent is known only when the kernel has ended. The packet's buffer goes back
 * behind the kernel; meanwhile the next packet is on its way into another. */
static void filter_packet(struct worker *me, weir_queue *queue, weir_pending *pending,
                          const weir_segment *packet, uint32_t *output)
{
    struct filter_args args = {packet->data, (uint32_t)(packet->bytes / 4), output, me->kept};
    weir_segment result = {.device = me->device, .data = output};
    weir_future *sent;
    TRY(weir_queue_launch(queue, &filter, &args, sizeof args));
    TRY(weir_pending_release(pending, queue));
    TRY(weir_queue_sync(queue));
    result.bytes = *me->kept * sizeof *output;
    TRY(weir_link_send(me->out, &result, NULL, &sent));
    TRY(weir_future_wait(sent, -1));
    weir_future_release(sent);
    me->packets++;
}

static void *work(void *data)
{
    struct worker *me = data;
    uint32_t *output = alloc_on(me->device, PACKET_BYTES);
    weir_queue *queue;
    weir_pending *pending;
    weir_segment packet;
    weir_status status;
    TRY(weir_queue_create(me->device, 0, &queue));
    while (!(status = weir_link_next(me->in, -1, &pending, &packet)))
        filter_packet(me, queue, pending, &packet, output);
    TRY(status == WEIR_CLOSED ? WEIR_OK : status);
    TRY(weir_link_shutdown(me->out));
    weir_queue_destroy(queue);
    weir_device_free(me->device, output);
    return NULL;
}

/* ---- the host's side ---- */

/* Receive each result where the one before ends. @return how many elements there are. */
static uint32_t gather(uint32_t *output)
{
    uint32_t count = 0;
    for (;;) {
        weir_pending *pending;
        weir_segment segment;
        TRY(weir_link_receive_into(graph.result, output + count,
                                   (ELEMENTS - count) * sizeof *output, NULL, &pending));
        weir_status status = weir_pending_wait(pending, -1, &segment);
        TRY(weir_pending_release(pending, NULL));
        if (status == WEIR_CLOSED)
            return count;
        TRY(status);
        count += (uint32_t)(segment.bytes / sizeof *output);
    }
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Element i is 3 i: what stays is every seventh, each of them once. */
static int is_right(uint32_t *output, uint32_t count)
{
    uint32_t i = 0;
    qsort(output, count, sizeof *output, by_value);
    while (i < count && output[i] == 21 * i)
        i++;
    return i == count && count == (ELEMENTS + 6) / 7;
}

/* One message, which the router cuts, and then nothing more. @return how many elements stay. */
static uint32_t run(uint32_t *input, uint32_t *output)
{
    weir_segment array = {.device = graph.home, .data = input, .bytes = ELEMENTS * sizeof *input};
    for (uint32_t i = 0; i < graph.devices; i++)
        if (pthread_create(&graph.worker[i].thread, NULL, work, &graph.worker[i]))
            exit(WRONG);
    TRY(weir_link_send(graph.feed, &array, NULL, NULL));
    TRY(weir_link_shutdown(graph.feed));
    uint32_t count = gather(output);
    for (uint32_t i = 0; i < graph.devices; i++) {
        pthread_join(graph.worker[i].thread, NULL);
        printf("device %u filtered %u packets\n", i, graph.worker[i].packets);
    }
    return count;
}

/* ---- the graph ---- */

/* A result is no larger than the packet it was kept from. The host's link owns no buffers: results
 * are received straight into the output. */
static void build(void)
{
    weir_policy any = weir_policy_any(), to_first = weir_policy_gather(0);
    weir_link_config packets = WEIR_LINK_CONFIG_INIT, results = WEIR_LINK_CONFIG_INIT;
    packets.packet_bytes = results.packet_bytes = PACKET_BYTES;
    packets.buffers = 2;
    results.buffers = WEIR_BUFFERS_NONE;
    TRY(weir_endpoint_create(graph.home, "host", &graph.host));
    TRY(weir_router_create(graph.context, "to devices", &any, &graph.to_devices));
    TRY(weir_router_create(graph.context, "to host", &to_first, &graph.to_host));
    weir_endpoint *out = weir_router_endpoint(graph.to_devices);
    weir_endpoint *back = weir_router_endpoint(graph.to_host);
    TRY(weir_link_create(graph.host, out, NULL, &graph.feed));
    TRY(weir_link_create(back, graph.host, &results, &graph.result));
    for (uint32_t i = 0; i < graph.devices; i++) {
        struct worker *w = &graph.worker[i];
        w->device = weir_context_device(graph.context, i);
        w->kept = alloc_on(graph.home, sizeof *w->kept);
        TRY(weir_endpoint_create(w->device, "device", &w->endpoint));
        TRY(weir_link_create(out, w->endpoint, &packets, &w->in));
        TRY(weir_link_create(w->endpoint, back, NULL, &w->out));
    }
}

static void destroy(void)
{
    weir_link_destroy(graph.result);
    weir_link_destroy(graph.feed);
    for (uint32_t i = 0; i < graph.devices; i++) {
        weir_link_destroy(graph.worker[i].out);
        weir_link_destroy(graph.worker[i].in);
        weir_endpoint_destroy(graph.worker[i].endpoint);
        weir_device_free(graph.home, graph.worker[i].kept);
    }
    weir_router_destroy(graph.to_host);
    weir_router_destroy(graph.to_devices);
    weir_endpoint_destroy(graph.host);
}

int main(int argc, char **argv)
{
    graph.context = open_devices(argc, argv, "host:3");
    need_host_devices(graph.context);
    graph.home = weir_context_home(graph.context);
    graph.devices = weir_context_device_count(graph.context);
    uint32_t *input = alloc_on(graph.home, ELEMENTS * sizeof *input);
    uint32_t *output = alloc_on(graph.home, ELEMENTS * sizeof *output);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        input[i] = 3 * i;
    build();
    uint32_t count = run(input, output);
    int right = is_right(output, count);
    printf("%u of %d elements stay, which is %s\n", count, ELEMENTS, right ? "right" : "wrong");
    destroy();
    weir_device_free(graph.home, output);
    weir_device_free(graph.home, input);
    weir_context_destroy(graph.context);
    return right ? RIGHT : WRONG;
}
