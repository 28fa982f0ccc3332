/** @file 11_own_work.c  A program's own memory and its own C functions, in order with weir's work.
 *
 *     own memory --> device: fills the middle --> own memory --> own function
 *
 *     build/examples/11_own_work [DEVICES]      say "cuda:0"; "host:1" if left out
 *
 * The main thread puts all of it into queues and waits once, at the end. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <string.h>

enum { BYTES = 60000, FILLED_AT = 20000, FILLED = 30000 };

/* What the own function is given: where to count, and where to put the sum. */
struct tally {
    const unsigned char *data;
    uint64_t sum;
};

static void add_up(void *user)
{
    struct tally *tally = user;
    for (int i = 0; i < BYTES; i++)
        tally->sum += tally->data[i];
}

/* Memory that malloc() gave, good for segments of the home device: page-locked where there are GPUs. */
static unsigned char *own_memory(weir_context *context)
{
    unsigned char *data = malloc(BYTES);
    if (!data)
        exit(WRONG);
    TRY(weir_memory_register(context, data, BYTES));
    return data;
}

/* Links without buffers: what comes lands in the memory that the receiver names. */
static weir_link *link_between(weir_endpoint *source, weir_endpoint *destination)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = BYTES;
    config.buffers = WEIR_BUFFERS_NONE;
    TRY(weir_link_create(source, destination, &config, &link));
    return link;
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:1");
    weir_device *home = weir_context_home(context), *device = weir_context_device(context, 0);
    weir_endpoint *here, *there;
    weir_queue *own, *work;
    weir_pending *came, *back;
    weir_future *sent, *sent_back;

    TRY(weir_endpoint_create(home, "here", &here));
    TRY(weir_endpoint_create(device, "there", &there));
    TRY(weir_queue_create(home, 0, &own));
    TRY(weir_queue_create(device, 0, &work));
    weir_link *out = link_between(here, there), *in = link_between(there, here);

    unsigned char *data = own_memory(context), *result = own_memory(context);
    unsigned char *buffer = alloc_on(device, BYTES);
    struct tally tally = {result, 0};
    uint64_t expected = FILLED * 200;
    for (int i = 0; i < BYTES; i++) {
        data[i] = (unsigned char)(i % 101);
        if (i < FILLED_AT || i >= FILLED_AT + FILLED)
            expected += data[i];
    }

    /* There: when the bytes have come, the middle is filled; when it is filled, all goes back. A GPU's
     * queue is a CUDA stream too: once the packet was sent, what a program starts in
     * weir_queue_native(), with cuBLAS say, runs in order with the fill. */
    TRY(weir_link_receive_into(out, buffer, BYTES, NULL, &came));
    TRY(weir_pending_gate(came, work));
    TRY(weir_queue_fill(work, buffer + FILLED_AT, 200, FILLED));
    weir_segment modified = {.device = device, .data = buffer, .bytes = BYTES};
    TRY(weir_link_send_from(in, &modified, work, &sent_back));

    /* Here: when it has come back, the own function runs, on a thread of the home device's queue. */
    TRY(weir_link_receive_into(in, result, BYTES, NULL, &back));
    TRY(weir_pending_gate(back, own));
    TRY(weir_queue_call(own, add_up, &tally));

    /* Nothing has happened so far. This sets all of it going. */
    weir_segment segment = {.device = home, .data = data, .bytes = BYTES};
    TRY(weir_link_send(out, &segment, NULL, &sent));
    TRY(weir_queue_sync(own));

    printf("the sum is %llu, %llu is right; the device's queue is %s\n",
           (unsigned long long)tally.sum, (unsigned long long)expected,
           weir_queue_native(work) ? "a CUDA stream" : "a thread");
    TRY(weir_pending_wait(back, 0, &modified)); /* a gate lets through what failed, too */
    TRY(weir_future_wait(sent, -1));
    TRY(weir_future_wait(sent_back, -1));
    weir_future_release(sent);
    weir_future_release(sent_back);
    TRY(weir_pending_release(came, NULL));
    TRY(weir_pending_release(back, NULL));

    TRY(weir_memory_unregister(context, data));
    TRY(weir_memory_unregister(context, result));
    free(data);
    free(result);
    weir_device_free(device, buffer);
    weir_queue_destroy(work);
    weir_queue_destroy(own);
    weir_link_destroy(in);
    weir_link_destroy(out);
    weir_endpoint_destroy(there);
    weir_endpoint_destroy(here);
    weir_context_destroy(context);
    return tally.sum == expected ? RIGHT : WRONG;
}
