/** @file 05_scatter_gather.c  A map: an array is dealt out, worked on by all devices, put together.
 *
 *                           +--> device 0 --+
 *     host --> (scatter) ---+--> device 1 --+--> (gather) --> host
 *                           +--> device 2 --+
 *
 *     build/examples/05_scatter_gather [DEVICES]      "host:3" if left out; host devices alone
 *
 * One send deals the array out: an equal consecutive part to each device, in packets. What comes back
 * is in no order between the devices, so each packet says in its `meta` where it belongs. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <pthread.h>
#include <string.h>

enum { COUNT = 100003, PACKET_BYTES = 1 << 14 };

struct worker {
    weir_device *device;
    weir_endpoint *endpoint;
    weir_link *in, *out; /* from the scatter router, into the gather router */
    pthread_t thread;
};

struct part {
    uint32_t *numbers;
    size_t count;
};

/* How many hailstone numbers lie between n and 1: work that differs from element to element. */
static uint32_t hailstones(uint64_t n)
{
    uint32_t steps = 0;
    for (; n > 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void map(const void *args, uint32_t worker, uint32_t workers)
{
    const struct part *part = args;
    for (size_t i = worker; i < part->count; i += workers)
        part->numbers[i] = hailstones(part->numbers[i]);
}

static const weir_kernel kernel = {.name = "hailstones", .host = map};

/* Work on a packet where it lies, in its receive buffer, and send it on from there. */
static void work_on(const struct worker *worker, weir_queue *queue, weir_segment *packet)
{
    struct part part = {packet->data, packet->bytes / sizeof *part.numbers};
    weir_future *sent;
    TRY(weir_queue_launch(queue, &kernel, &part, sizeof part));
    packet->meta = packet->offset;
    packet->offset = 0;
    TRY(weir_link_send_from(worker->out, packet, queue, &sent)); /* once the kernel has run */
    TRY(weir_future_wait(sent, -1)); /* simple; 04_pipeline.c shows how not to wait */
    weir_future_release(sent);
}

static void *run_worker(void *argument)
{
    const struct worker *worker = argument;
    weir_queue *queue;
    weir_pending *pending;
    weir_segment packet;
    weir_status status;
    TRY(weir_queue_create(worker->device, 1, &queue));
    while ((status = weir_link_next(worker->in, -1, &pending, &packet)) == WEIR_OK) {
        work_on(worker, queue, &packet);
        TRY(weir_pending_release(pending, NULL));
    }
    if (status != WEIR_CLOSED)
        TRY(status);
    TRY(weir_link_shutdown(worker->out));
    weir_queue_destroy(queue);
    return NULL;
}

/* Put what comes where it belongs, until all workers have shut down. @return bytes that came. */
static size_t put_together(weir_link *link, uint32_t *array)
{
    size_t bytes = 0;
    weir_pending *pending;
    weir_segment packet;
    weir_status status;
    while ((status = weir_link_next(link, -1, &pending, &packet)) == WEIR_OK) {
        memcpy((char *)array + packet.meta + packet.offset, packet.data, packet.bytes);
        bytes += packet.bytes;
        TRY(weir_pending_release(pending, NULL));
    }
    if (status != WEIR_CLOSED)
        TRY(status);
    return bytes;
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:3");
    weir_device *home = weir_context_home(context);
    weir_policy scatter = weir_policy_scatter(sizeof(uint32_t)), gather = weir_policy_gather(0);
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_router *dealer, *collector;
    weir_endpoint *host;
    weir_link *deal, *collect;
    uint32_t count = weir_context_device_count(context);
    struct worker workers[WEIR_DEVICES_MAX];

    need_host_devices(context);
    config.packet_bytes = PACKET_BYTES;
    TRY(weir_endpoint_create(home, "host", &host));
    TRY(weir_router_create(context, "scatter", &scatter, &dealer));
    TRY(weir_router_create(context, "gather", &gather, &collector));
    TRY(weir_link_create(host, weir_router_endpoint(dealer), NULL, &deal));
    TRY(weir_link_create(weir_router_endpoint(collector), host, &config, &collect));
    for (uint32_t i = 0; i < count; i++) {
        struct worker *w = &workers[i];
        w->device = weir_context_device(context, i);
        TRY(weir_endpoint_create(w->device, "worker", &w->endpoint));
        TRY(weir_link_create(weir_router_endpoint(dealer), w->endpoint, &config, &w->in));
        TRY(weir_link_create(w->endpoint, weir_router_endpoint(collector), NULL, &w->out));
    }
    /* Only now, since the graph is built before data flows. */
    for (uint32_t i = 0; i < count; i++)
        if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]))
            return WRONG;

    uint32_t *numbers = alloc_on(home, COUNT * sizeof *numbers);
    uint32_t *steps = calloc(COUNT, sizeof *steps);
    if (!steps)
        return WRONG;
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i;
    weir_segment all = {.device = home, .data = numbers, .bytes = COUNT * sizeof *numbers};
    TRY(weir_link_send(deal, &all, NULL, NULL));
    TRY(weir_link_shutdown(deal));
    size_t bytes = put_together(collect, steps), wrong = bytes != all.bytes;
    for (uint32_t i = 0; i < COUNT; i++)
        wrong += steps[i] != hailstones(i);
    printf("%d numbers over %u devices, %zu wrong\n", COUNT, count, wrong);

    weir_link_destroy(deal);
    weir_link_destroy(collect);
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        weir_link_destroy(workers[i].in);
        weir_link_destroy(workers[i].out);
        weir_endpoint_destroy(workers[i].endpoint);
    }
    weir_router_destroy(dealer);
    weir_router_destroy(collector);
    weir_endpoint_destroy(host);
    weir_device_free(home, numbers);
    free(steps);
    weir_context_destroy(context);
    return wrong == 0 ? RIGHT : WRONG;
}
